/* mass.c: mass, centre of mass and principal inertia of bodies made of several shapes.
 *
 *     m = sum m_i,   c = sum m_i c_i / m,   J = sum R_i diag(I_i) R_i' + m_i (|r_i|^2 1 - r_i r_i'),   r_i = c_i - c
 * (parallel axes), then J = R diag(I) R' by Jacobi's rotations. One shape alone keeps its own axes: no arithmetic touches them. */
#include "math/quat.h"
#include "math/scalar.h"
#include "world/collide.h"
#include "world/world.h"

#include <string.h>

/// One rotation in the plane (p, q) that makes A_pq zero (Golub & Van Loan, 8.5); A and the columns of R follow.
static void jacobi_rotate(double A[3][3], int p, int q, double R[3][3])
{
    double tau = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
    double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau)), c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    for (int k = 0; k < 3; ++k) {
        double a = A[k][p], b = A[k][q];
        A[k][p] = c * a - s * b, A[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; ++k) {
        double a = A[p][k], b = A[q][k];
        A[p][k] = c * a - s * b, A[q][k] = s * a + c * b;
    }
    for (int k = 0; k < 3; ++k) {
        double a = R[k][p], b = R[k][q];
        R[k][p] = c * a - s * b, R[k][q] = s * a + c * b;
    }
}

void symmetric_eigen(const double A[9], double d[3], double R[9])
{
    double B[3][3], axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(B, A, sizeof B);
    /* products of inertia below rounding are zero: a symmetric body is not turned by noise */
    double tiny = 4.0 * DBL_EPSILON * (fabs(B[0][0]) + fabs(B[1][1]) + fabs(B[2][2]));
    for (int sweep = 0; sweep < 30; ++sweep) {
        int rotations = 0;
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q)
                if (fabs(B[p][q]) > tiny) jacobi_rotate(B, p, q, axes), ++rotations;
        if (rotations == 0) break;
        tiny *= 0.5; /* once turned, converge to the last digit */
    }
    for (int k = 0; k < 3; ++k) d[k] = B[k][k];
    memcpy(R, axes, sizeof axes);
}

void matrix_quat(const double R[9], double q[4])
{
    /* Shepperd: of 4w^2, 4x^2, 4y^2, 4z^2 the largest is at least 1 and is taken as the pivot */
    double trace = R[0] + R[4] + R[8], diagonal[3] = {R[0], R[4], R[8]};
    int k = diagonal[1] > diagonal[0] ? 1 : 0;
    if (diagonal[2] > diagonal[k]) k = 2;
    if (trace >= diagonal[k]) {
        q[0] = 1.0 + trace, q[1] = R[7] - R[5], q[2] = R[2] - R[6], q[3] = R[3] - R[1];
    } else {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        q[0] = R[3 * j + i] - R[3 * i + j];
        q[1 + k] = 1.0 + 2.0 * diagonal[k] - trace;
        q[1 + i] = R[3 * i + k] + R[3 * k + i];
        q[1 + j] = R[3 * j + k] + R[3 * k + j];
    }
    quat_normalise(q);
}

mass_properties mass_of_shapes(const scree_shape *shape, const double *shape_mass, int count)
{
    mass_properties p = {0};
    if (count == 1) {
        p.mass = shape_mass[0];
        shape_unit_inertia(shape, p.inertia);
        for (int k = 0; k < 3; ++k) p.inertia[k] *= p.mass;
        memcpy(p.centre, shape->position, sizeof p.centre);
        memcpy(p.axes, shape->rotation, sizeof p.axes);
        return p;
    }
    for (int i = 0; i < count; ++i) {
        p.mass += shape_mass[i];
        vec_add_scaled(p.centre, shape_mass[i], shape[i].position, p.centre);
    }
    for (int k = 0; k < 3; ++k) p.centre[k] /= p.mass;
    double J[9] = {0}, R[9], own[9], moments[3], r[3];
    for (int i = 0; i < count; ++i) {
        shape_unit_inertia(&shape[i], moments);
        quat_matrix(shape[i].rotation, R);
        mat_turned_diagonal(R, moments, own);
        vec_sub(shape[i].position, p.centre, r);
        double r2 = vec_dot(r, r);
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                J[3 * a + b] += shape_mass[i] * (own[3 * a + b] + (a == b ? r2 : 0.0) - r[a] * r[b]);
    }
    symmetric_eigen(J, p.inertia, R);
    matrix_quat(R, p.axes);
    return p;
}

void mass_align(const double direction[3], mass_properties *p)
{
    double local[3], R[9], J[9], turned[9];
    quat_rotate_inverse(p->axes, direction, local);
    for (int k = 0; k < 3; ++k)
        if (fabs(local[k]) > 1.0 - 1e-12) return; /* a principal axis already */
    quat_matrix(p->axes, R);
    mat_turned_diagonal(R, p->inertia, J);
    /* axes (t, direction x t, direction) */
    double t[3], b[3], A[9], column[3];
    vec_tangent(direction, t);
    vec_cross(direction, t, b);
    for (int k = 0; k < 3; ++k) A[3 * k] = t[k], A[3 * k + 1] = b[k], A[3 * k + 2] = direction[k];
    mat_mul(J, A, turned);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) column[i] = A[3 * i + k];
        p->inertia[k] = column[0] * turned[k] + column[1] * turned[3 + k] + column[2] * turned[6 + k];
    }
    matrix_quat(A, p->axes);
}
