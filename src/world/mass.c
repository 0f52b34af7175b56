/* mass.c: mass, centre of mass and principal inertia of bodies made of several shapes.
 *
 *     m = sum m_i,   c = sum m_i c_i / m,   J = sum R_i diag(I_i) R_i' + m_i (|r_i|^2 1 - r_i r_i'),   r_i = c_i - c
 * (parallel axes), then J = R diag(I) R' by Jacobi's rotations. One shape alone keeps its own axes: no arithmetic touches them. */
#include "collision/collide.h"
#include "math/eigen.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "world/world_private.h"

#include <string.h>

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
