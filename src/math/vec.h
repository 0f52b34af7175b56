/* vec.h: vectors of three and 3 x 3 matrices (row-major), as plain arrays. Outputs last; outputs may not alias inputs unless said. */
#ifndef SCREE_MATH_VEC_H
#define SCREE_MATH_VEC_H

#include "base/hd.h"

#include <math.h>

SCREE_HD double vec_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

SCREE_HD double vec_norm(const double *a)
{
    return sqrt(vec_dot(a, a));
}

SCREE_HD void vec_cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

/// c = a + s b; c may be a or b.
SCREE_HD void vec_add_scaled(const double *a, double s, const double *b, double *c)
{
    for (int i = 0; i < 3; ++i) c[i] = a[i] + s * b[i];
}

/// c = a - b; c may be a or b.
SCREE_HD void vec_sub(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 3; ++i) c[i] = a[i] - b[i];
}

/// y = A x.
SCREE_HD void mat_apply(const double *A, const double *x, double *y)
{
    for (int i = 0; i < 3; ++i) y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

/// y = A' x.
SCREE_HD void mat_apply_transpose(const double *A, const double *x, double *y)
{
    for (int i = 0; i < 3; ++i) y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

/// C = A B.
SCREE_HD void mat_mul(const double *A, const double *B, double *C)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/// C = R diag(d) R': a tensor with principal values d in the frame R.
SCREE_HD void mat_turned_diagonal(const double *R, const double *d, double *C)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            C[3 * i + j] =
                R[3 * i] * d[0] * R[3 * j] + R[3 * i + 1] * d[1] * R[3 * j + 1] + R[3 * i + 2] * d[2] * R[3 * j + 2];
}

/// A unit vector orthogonal to the unit vector n: e_x, moved from the pole s e_z (s = 1 or -1) straight to n, which must not be the
/// other pole (Duff et al. 2017).
SCREE_HD void vec_tangent_half(const double *n, double s, double *t)
{
    double a = -1.0 / (s + n[2]), b = n[0] * n[1] * a;
    t[0] = 1.0 + s * n[0] * n[0] * a, t[1] = s * b, t[2] = -s * n[0];
}

/// The same from the nearer pole: without a branch that jumps near an axis more than it must.
SCREE_HD void vec_tangent(const double *n, double *t)
{
    vec_tangent_half(n, n[2] >= 0.0 ? 1.0 : -1.0, t);
}

#endif
