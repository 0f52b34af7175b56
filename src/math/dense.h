/* dense.h: factorisations of symmetric matrices of order 1 to 6, row-major, no memory, no failure but the one they report.
 *
 * Written as loops over n; called with a constant n they unroll. gcc 12 needs to be told (178 ns become 60 at order 6). */
#ifndef SCREE_MATH_DENSE_H
#define SCREE_MATH_DENSE_H

#include "math/scalar.h"

#if defined(__CUDACC__)
#define norm scree_norm /* CUDA has a built-in function of that name */
#endif

/// A = L L', lower triangle of A read, lower triangle of L written, its diagonal stored inverted (one division per row instead
/// of one per entry). A and L may be the same. `stride` is the row length of both. Returns 0 if a pivot is <= tiny.
SCREE_HD_INLINE int cholesky_factor(int n, int stride, const double *A, double tiny, double *L)
{
    SCREE_UNROLL
    for (int i = 0; i < n; ++i) {
        SCREE_UNROLL
        for (int j = 0; j < i; ++j) {
            double s = A[i * stride + j];
            SCREE_UNROLL
            for (int k = 0; k < j; ++k) s -= L[i * stride + k] * L[j * stride + k];
            L[i * stride + j] = s * L[j * stride + j];
        }
        double s = A[i * stride + i];
        SCREE_UNROLL
        for (int k = 0; k < i; ++k) s -= L[i * stride + k] * L[i * stride + k];
        if (!(s > tiny)) return 0;
        L[i * stride + i] = 1.0 / sqrt(s);
    }
    return 1;
}

/// x = L^-1 b (forward substitution; diagonal of L inverted as above). b and x may be the same.
SCREE_HD_INLINE void cholesky_forward(int n, int stride, const double *L, const double *b, double *x)
{
    SCREE_UNROLL
    for (int i = 0; i < n; ++i) {
        double s = b[i];
        SCREE_UNROLL
        for (int k = 0; k < i; ++k) s -= L[i * stride + k] * x[k];
        x[i] = s * L[i * stride + i];
    }
}

/// x = L'^-1 b (backward substitution). b and x may be the same.
SCREE_HD_INLINE void cholesky_backward(int n, int stride, const double *L, const double *b, double *x)
{
    SCREE_UNROLL
    for (int i = n - 1; i >= 0; --i) {
        double s = b[i];
        SCREE_UNROLL
        for (int k = i + 1; k < n; ++k) s -= L[k * stride + i] * x[k];
        x[i] = s * L[i * stride + i];
    }
}

/// x = A^-1 b from the factor of A. b and x may be the same.
SCREE_HD_INLINE void cholesky_solve(int n, int stride, const double *L, const double *b, double *x)
{
    cholesky_forward(n, stride, L, b, x);
    cholesky_backward(n, stride, L, x, x);
}

/// Solves A x = b in place by Gaussian elimination with partial pivoting (A destroyed, b becomes x). 0 if A is singular.
SCREE_HD int gauss_solve(int n, double *A, double *b)
{
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(A[i * n + k]) > fabs(A[pivot * n + k])) pivot = i;
        if (!(fabs(A[pivot * n + k]) > 0.0)) return 0;
        if (pivot != k) {
            for (int j = k; j < n; ++j) {
                double t = A[k * n + j];
                A[k * n + j] = A[pivot * n + j];
                A[pivot * n + j] = t;
            }
            double t = b[k];
            b[k] = b[pivot];
            b[pivot] = t;
        }
        for (int i = k + 1; i < n; ++i) {
            double f = A[i * n + k] / A[k * n + k];
            for (int j = k + 1; j < n; ++j) A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
    return 1;
}

/// y = A x + b, row-major n x n; b may be NULL.
SCREE_HD_INLINE void matvec_add(int n, const double *A, const double *x, const double *b, double *y)
{
    SCREE_UNROLL
    for (int i = 0; i < n; ++i) {
        double s = 0.0;
        SCREE_UNROLL
        for (int j = 0; j < n; ++j) s += A[i * n + j] * x[j];
        y[i] = b ? s + b[i] : s;
    }
}

SCREE_HD_INLINE double dot(int n, const double *a, const double *b)
{
    double s = 0.0;
    SCREE_UNROLL
    for (int i = 0; i < n; ++i) s += a[i] * b[i];
    return s;
}

SCREE_HD_INLINE double norm(int n, const double *a)
{
    return sqrt(dot(n, a, a));
}

/// Largest eigenvalue of [a b; b c].
SCREE_HD double lambda_max_2x2(double a, double b, double c)
{
    return 0.5 * (a + c) + sqrt(0.25 * (a - c) * (a - c) + b * b);
}

#endif
