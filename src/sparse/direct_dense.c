/* direct_dense.c: dense LU with partial pivoting and dense Cholesky, by panels.
 *
 *     A = [A11 A12; A21 A22]:   P A11, A21 -> L, U by columns;   U12 = L11^-1 A12;   A22 -= L21 U12;   next panel
 *
 * Nearly all the work is in the last product, whose inner loop runs along rows of A22 and of U12: it vectorises, and every entry
 * receives its terms in one fixed order, so the bits do not depend on the compiler. Cost 2/3 m^3 flops.
 *
 * Rows that have nothing but their diagonal (contacts in the air give such rows in Newton's matrix) are taken out first: their
 * unknown is b_i / a_ii, and what is factorised is the rest. */
#include "sparse/direct_dense.h"

#include "math/scalar.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PANEL = 32, ROWS = 4 };

void dense_destroy(dense_factor *f, const scree_allocator *allocator)
{
    MEMORY_FREE_ALL(allocator, f->LU, f->swap, f->active, f->place, f->diagonal, f->work);
}

scree_status dense_create(direct_kind kind, int n, const int *start, const int *row, const scree_allocator *allocator,
                          dense_factor *f)
{
    size_t stride = ((size_t)n + 7) / 8 * 8;
    *f = (dense_factor){.kind = kind, .n = n, .start = start, .row = row};
    f->LU = memory_array(allocator, (size_t)n * stride + 1, sizeof *f->LU);
    f->swap = memory_array(allocator, (size_t)n + 1, sizeof *f->swap);
    f->active = memory_array(allocator, (size_t)n + 1, sizeof *f->active);
    f->place = memory_array(allocator, (size_t)n + 1, sizeof *f->place);
    f->diagonal = memory_array(allocator, (size_t)n + 1, sizeof *f->diagonal);
    f->work = memory_array(allocator, (size_t)n + 1, sizeof *f->work);
    return f->LU && f->swap && f->active && f->place && f->diagonal && f->work ? SCREE_OK : SCREE_ERR_MEMORY;
}

/// Finds the rows with nothing but a diagonal entry, and copies the rest, full, into LU.
static void scatter(dense_factor *f, const double *value)
{
    int n = f->n;
    memset(f->place, 0, (size_t)n * sizeof *f->place);
    memset(f->diagonal, 0, (size_t)n * sizeof *f->diagonal);
    for (int j = 0; j < n; ++j)
        for (int e = f->start[j]; e < f->start[j + 1]; ++e) {
            if (f->row[e] == j) f->diagonal[j] = value[e];
            else if (value[e] != 0.0) {
                f->place[f->row[e]] += 1;
                if (f->kind == DIRECT_DEFINITE) f->place[j] += 1;
            }
        }
    f->m = 0;
    for (int i = 0; i < n; ++i) {
        int alone = f->place[i] == 0;
        f->place[i] = alone ? -1 : f->m;
        if (!alone) f->active[f->m++] = i;
    }
    f->stride = (f->m + 7) / 8 * 8;
    memset(f->LU, 0, (size_t)f->m * (size_t)f->stride * sizeof *f->LU);
    for (int j = 0; j < n; ++j)
        for (int e = f->start[j]; e < f->start[j + 1] && f->place[j] >= 0; ++e)
            if (f->place[f->row[e]] >= 0)
                f->LU[(size_t)f->place[f->row[e]] * (size_t)f->stride + (size_t)f->place[j]] = value[e];
}

/// R rows of C (each `width` long) -= L (R x depth, row length `stride`) times U (depth x width, row length `stride`).
static inline void subtract_product(int rows, int depth, int width, size_t stride, const double *L, const double *U,
                                    double *C)
{
    int k = 0;
    for (; k + 4 <= depth; k += 4) {
        const double *restrict u0 = U + (size_t)k * stride, *restrict u1 = u0 + stride, *restrict u2 = u1 + stride,
                               *restrict u3 = u2 + stride;
        if (rows == ROWS) {
            const double *l0 = L + k, *l1 = l0 + stride, *l2 = l1 + stride, *l3 = l2 + stride;
            double *restrict c0 = C, *restrict c1 = c0 + stride, *restrict c2 = c1 + stride, *restrict c3 = c2 + stride;
            const double a00 = l0[0], a01 = l0[1], a02 = l0[2], a03 = l0[3], a10 = l1[0], a11 = l1[1], a12 = l1[2],
                         a13 = l1[3], a20 = l2[0], a21 = l2[1], a22 = l2[2], a23 = l2[3], a30 = l3[0], a31 = l3[1],
                         a32 = l3[2], a33 = l3[3];
            for (int j = 0; j < width; ++j) {
                double x0 = u0[j], x1 = u1[j], x2 = u2[j], x3 = u3[j];
                c0[j] -= (a00 * x0 + a01 * x1) + (a02 * x2 + a03 * x3);
                c1[j] -= (a10 * x0 + a11 * x1) + (a12 * x2 + a13 * x3);
                c2[j] -= (a20 * x0 + a21 * x1) + (a22 * x2 + a23 * x3);
                c3[j] -= (a30 * x0 + a31 * x1) + (a32 * x2 + a33 * x3);
            }
            continue;
        }
        for (int i = 0; i < rows; ++i) {
            const double *l = L + (size_t)i * stride + k;
            double *restrict c = C + (size_t)i * stride, a0 = l[0], a1 = l[1], a2 = l[2], a3 = l[3];
            for (int j = 0; j < width; ++j) c[j] -= (a0 * u0[j] + a1 * u1[j]) + (a2 * u2[j] + a3 * u3[j]);
        }
    }
    for (; k < depth; ++k)
        for (int i = 0; i < rows; ++i) {
            const double *restrict u = U + (size_t)k * stride;
            double *restrict c = C + (size_t)i * stride, a = L[(size_t)i * stride + k];
            for (int j = 0; j < width; ++j) c[j] -= a * u[j];
        }
}

static void swap_rows(int width, double *a, double *b)
{
    for (int j = 0; j < width; ++j) {
        double t = a[j];
        a[j] = b[j], b[j] = t;
    }
}

/// Columns [k0, k1) of rows [k0, m): pivots and multipliers; exchanged rows are exchanged over their whole length.
static int factor_panel(dense_factor *f, int k0, int k1, double tiny)
{
    size_t stride = (size_t)f->stride;
    double *A = f->LU;
    for (int k = k0; k < k1; ++k) {
        int pivot = k;
        for (int i = k + 1; i < f->m; ++i)
            if (fabs(A[(size_t)i * stride + k]) > fabs(A[(size_t)pivot * stride + k])) pivot = i;
        f->swap[k] = pivot;
        if (pivot != k) {
            swap_rows(f->m, A + (size_t)k * stride, A + (size_t)pivot * stride);
            f->sign = -f->sign;
        }
        const double *U = A + (size_t)k * stride;
        double a = U[k];
        if (!(fabs(a) > tiny) || !(fabs(a) <= DBL_MAX)) return 0;
        if (a < 0.0) f->sign = -f->sign;
        for (int i = k + 1; i < f->m; ++i) {
            double *A_i = A + (size_t)i * stride;
            if (A_i[k] == 0.0) continue;
            double l = A_i[k] /= a;
            for (int j = k + 1; j < k1; ++j) A_i[j] -= l * U[j];
        }
    }
    return 1;
}

static int factor_lu(dense_factor *f, double tiny)
{
    size_t stride = (size_t)f->stride;
    double *A = f->LU;
    for (int k0 = 0; k0 < f->m; k0 += PANEL) {
        int k1 = k0 + PANEL < f->m ? k0 + PANEL : f->m, width = f->m - k1;
        if (!factor_panel(f, k0, k1, tiny)) return 0;
        if (width == 0) break;
        for (int i = k0 + 1; i < k1; ++i) /* U12 = L11^-1 A12 */
            subtract_product(1, i - k0, width, stride, A + (size_t)i * stride + k0, A + (size_t)k0 * stride + k1,
                             A + (size_t)i * stride + k1);
        for (int i = k1; i < f->m; i += ROWS) /* A22 -= L21 U12 */
            subtract_product(f->m - i < ROWS ? f->m - i : ROWS, k1 - k0, width, stride, A + (size_t)i * stride + k0,
                             A + (size_t)k0 * stride + k1, A + (size_t)i * stride + k1);
    }
    return 1;
}

/// A = L L', by rows: L is written over the lower triangle.
static int factor_cholesky(dense_factor *f, double tiny)
{
    size_t stride = (size_t)f->stride;
    for (int i = 0; i < f->m; ++i) {
        double *L_i = f->LU + (size_t)i * stride, square = 0.0;
        for (int j = 0; j < i; ++j) {
            const double *L_j = f->LU + (size_t)j * stride;
            double s = 0.0;
            for (int k = 0; k < j; ++k) s += L_i[k] * L_j[k];
            L_i[j] = (L_i[j] - s) / L_j[j];
            square += L_i[j] * L_i[j];
        }
        double pivot = L_i[i] - square;
        if (!(pivot > tiny) || !(pivot <= DBL_MAX)) return 0;
        L_i[i] = sqrt(pivot);
    }
    return 1;
}

int dense_factorise(dense_factor *f, const double *value)
{
    double largest = 0.0;
    for (int e = 0; e < f->start[f->n]; ++e) largest = number_max(largest, fabs(value[e]));
    f->value = value, f->sign = 1;
    scatter(f, value);
    /* below this a pivot is rounding of the entries it came from */
    double tiny = f->kind == DIRECT_DEFINITE ? 0.0 : DBL_MIN + 1e-3 * DBL_EPSILON * largest;
    for (int i = 0; i < f->n; ++i) {
        if (f->place[i] >= 0) continue;
        if (!(fabs(f->diagonal[i]) > tiny) || !(fabs(f->diagonal[i]) <= DBL_MAX)) return f->sign = 0;
        if (f->diagonal[i] < 0.0) f->sign = -f->sign;
        if (f->diagonal[i] < 0.0 && f->kind == DIRECT_DEFINITE) return f->sign = 0;
    }
    if (!(f->kind == DIRECT_DEFINITE ? factor_cholesky(f, tiny) : factor_lu(f, tiny))) return f->sign = 0;
    return 1;
}

void dense_solve(dense_factor *f, const double *b, double *x)
{
    size_t stride = (size_t)f->stride;
    double *z = f->work;
    for (int i = 0; i < f->n; ++i)
        if (f->place[i] < 0) x[i] = b[i] / f->diagonal[i];
    for (int i = 0; i < f->m; ++i) z[i] = b[f->active[i]];
    for (int j = 0; j < f->n; ++j) /* what the unknowns already known do to the others */
        for (int e = f->start[j]; e < f->start[j + 1] && f->place[j] < 0; ++e)
            if (f->place[f->row[e]] >= 0) z[f->place[f->row[e]]] -= f->value[e] * x[j];
    if (f->kind == DIRECT_UNSYMMETRIC)
        for (int k = 0; k < f->m; ++k) {
            double t = z[k];
            z[k] = z[f->swap[k]], z[f->swap[k]] = t;
        }
    for (int i = 0; i < f->m; ++i) {
        const double *L = f->LU + (size_t)i * stride;
        double s = z[i];
        for (int k = 0; k < i; ++k) s -= L[k] * z[k];
        z[i] = f->kind == DIRECT_DEFINITE ? s / L[i] : s;
    }
    for (int i = f->m - 1; i >= 0; --i) {
        if (f->kind == DIRECT_UNSYMMETRIC) {
            const double *U = f->LU + (size_t)i * stride;
            double s = z[i];
            for (int k = i + 1; k < f->m; ++k) s -= U[k] * z[k];
            z[i] = s / U[i];
        } else { /* L' by its rows */
            const double *L = f->LU + (size_t)i * stride;
            z[i] /= L[i];
            for (int k = 0; k < i; ++k) z[k] -= L[k] * z[i];
        }
    }
    for (int i = 0; i < f->m; ++i) x[f->active[i]] = z[i];
}
