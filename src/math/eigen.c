/* eigen.c: A = R diag(d) R' by Jacobi's rotations (Golub & Van Loan, 8.5), and Shepperd's quaternion of a rotation matrix. */
#include "math/eigen.h"

#include "math/quat.h"

#include <float.h>
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
