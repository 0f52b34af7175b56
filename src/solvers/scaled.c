/* scaled.c: scaled variables, and the matrices of Newton's methods (scaled.h). */
#include "solvers/scaled.h"

#include "math/dense.h"
#include "solvers/work.h"

#include <string.h>

/* ---- memory --------------------------------------------------------------------------------------------------------------- */

/// The pattern of W with its transpose and the diagonal added: zero blocks where the problem has none.
static scree_status create_matrix(scaled *w, const scree_problem *problem, const scree_allocator *a)
{
    const block_matrix *W = problem->W;
    int blocks = problem->block_count;
    size_t entries = (size_t)W->start[blocks], count = 2 * entries + (size_t)blocks;
    int *row = memory_raw_array(a, count + 1, sizeof *row), *column = memory_raw_array(a, count + 1, sizeof *column);
    scree_status status = SCREE_ERR_MEMORY;
    if (row && column) {
        size_t at = 0;
        for (int i = 0; i < blocks; ++i) {
            for (int e = W->start[i]; e < W->start[i + 1]; ++e) {
                row[at] = i, column[at++] = W->column[e];
                row[at] = W->column[e], column[at++] = i;
            }
            row[at] = column[at] = i, ++at;
        }
        status =
            block_matrix_create(blocks, problem->offset, blocks, problem->offset, count, row, column, NULL, a, &w->W);
    }
    MEMORY_FREE_ALL(a, row, column);
    return status;
}

/// The same pattern by columns, for UMFPACK.
static scree_status create_columns(scaled *w, const scree_allocator *a)
{
    const block_matrix *W = w->W;
    size_t entries = (size_t)W->start[W->row_blocks], values = W->at[entries];
    int *height = memory_array(a, (size_t)W->row_blocks + 1, sizeof *height);
    int *row = memory_array(a, values + 1, sizeof *row);
    w->start = memory_array(a, (size_t)w->n + 1, sizeof *w->start);
    w->place = memory_array(a, entries + 1, sizeof *w->place);
    w->value = memory_array(a, values + 1, sizeof *w->value);
    scree_status status = SCREE_ERR_MEMORY;
    if (height && row && w->start && w->place && w->value) {
        for (int i = 0; i < W->row_blocks; ++i)
            for (int e = W->start[i]; e < W->start[i + 1]; ++e) {
                w->place[e] = height[W->column[e]];
                height[W->column[e]] += W->row_offset[i + 1] - W->row_offset[i];
            }
        for (int j = 0; j < W->col_blocks; ++j)
            for (int c = W->col_offset[j]; c < W->col_offset[j + 1]; ++c) w->start[c + 1] = w->start[c] + height[j];
        for (int i = 0; i < W->row_blocks; ++i)
            for (int e = W->start[i]; e < W->start[i + 1]; ++e)
                for (int c = W->col_offset[W->column[e]]; c < W->col_offset[W->column[e] + 1]; ++c)
                    for (int r = W->row_offset[i]; r < W->row_offset[i + 1]; ++r)
                        row[w->start[c] + w->place[e] + r - W->row_offset[i]] = r;
        status = direct_create(DIRECT_UNSYMMETRIC, w->n, w->start, row, a, &w->direct);
    }
    memory_free(a, height);
    memory_free(a, row);
    return status;
}

enum { ROWS_BY_BODIES = 600 }; /* fewer are factorised by contacts: more accurate where rho is small, and as fast */

static scree_status create_bodies(const scree_problem *problem, const scree_problem *original, const scree_allocator *a,
                                  scaled *w)
{
    size_t values = problem->diagonal_at[problem->block_count] + 1;
    w->original = original;
    w->C_inverse = memory_array(a, values, sizeof *w->C_inverse);
    w->GD = memory_array(a, values, sizeof *w->GD);
    w->u = memory_array(a, (size_t)w->n + 1, sizeof *w->u);
    w->v = memory_array(a, (size_t)original->dof_count + 1, sizeof *w->v);
    return w->C_inverse && w->GD && w->u && w->v ? reduced_create(original, 0, a, &w->bodies) : SCREE_ERR_MEMORY;
}

scree_status scaled_create(const scree_problem *problem, const scree_problem *original, double flop_limit,
                           const scree_allocator *a, scaled *w)
{
    size_t n = (size_t)problem->row_count + 1;
    w->n = problem->row_count;
    w->cone = memory_array(a, (size_t)problem->contact_count + 1, sizeof *w->cone);
    w->D = memory_array(a, n, sizeof *w->D);
    w->q = memory_array(a, n, sizeof *w->q);
    if (!w->cone || !w->D || !w->q) return SCREE_ERR_MEMORY;
    scree_status status = create_matrix(w, problem, a);
    if (status == SCREE_OK && !original->W && original->bound_count == 0 && w->n >= ROWS_BY_BODIES &&
        reduced_fits(original))
        return create_bodies(problem, original, a, w);
    if (status == SCREE_OK) status = block_lu_create(w->W, flop_limit, a, &w->lu);
    if (status == SCREE_OK && !w->lu) status = create_columns(w, a);
    return status;
}

void scaled_destroy(scaled *w, const scree_allocator *a)
{
    if (w->W) block_matrix_destroy(w->W, a);
    MEMORY_FREE_ALL(a, w->cone, w->D, w->q, w->start, w->place, w->value, w->C_inverse, w->GD, w->u, w->v);
    if (w->original) reduced_destroy(&w->bodies, a);
    block_lu_destroy(w->lu);
    direct_destroy(w->direct);
}

/* ---- scaling ---------------------------------------------------------------------------------------------------------------- */

/// About the largest eigenvalue of a block of order 1 to 3 inside rows of length `stride`; order 3 by the power method. A scale, not a bound.
static double largest_eigenvalue(int n, const double *W, int stride)
{
    double x[SCREE_DIM_MAX], y[SCREE_DIM_MAX], lambda = 0.0;
    if (n == 1) return fabs(W[0]);
    if (n == 2) return lambda_max_2x2(W[0], 0.5 * (W[1] + W[stride]), W[stride + 1]);
    for (int i = 0; i < n; ++i) x[i] = 1.0 + 0.1 * i;
    for (int k = 0; k < 10; ++k) {
        double length = norm(n, x);
        if (!(length > 0.0)) return 0.0;
        for (int i = 0; i < n; ++i) {
            y[i] = 0.0;
            for (int j = 0; j < n; ++j) y[i] += W[i * stride + j] * x[j] / length;
        }
        lambda = norm(n, y);
        memcpy(x, y, (size_t)n * sizeof *x);
    }
    return lambda;
}

/// D of one block: one factor for the normal with the sliding load, one for rolling, one for spinning.
static void scale_block(scaled *w, const scree_problem *problem, int b)
{
    const double *W_bb = problem->diagonal + problem->diagonal_at[b];
    int at = problem->offset[b], m = problem->offset[b + 1] - at;
    const scree_cone *c = b < problem->contact_count ? &problem->cone[b] : NULL;
    int rows = c ? 1 + c->size[SCREE_FRICTION_SLIDE] : 1;
    double lambda = largest_eigenvalue(rows, W_bb, m), D_N = lambda > 0.0 ? 1.0 / sqrt(lambda) : 1.0;
    for (int i = 0; i < rows; ++i) w->D[at + i] = D_N;
    if (!c) return;
    w->cone[b] = *c;
    for (int k = SCREE_FRICTION_ROLL, r = rows; k < SCREE_FRICTION_KINDS; r += c->size[k++]) {
        if (!c->size[k]) continue;
        lambda = largest_eigenvalue(c->size[k], W_bb + r * m + r, m);
        double D_k = lambda > 0.0 ? 1.0 / sqrt(lambda) : D_N;
        for (int i = 0; i < c->size[k]; ++i) w->D[at + r + i] = D_k;
        w->cone[b].coef[k] = c->coef[k] * D_N / D_k; /* |D_k l| <= coef D_N r_N */
    }
}

void scaled_prepare(scaled *w, const scree_problem *problem, const scree_problem *original)
{
    if (w->original) w->original = original, w->bodies.careful = 0;
    const block_matrix *W = problem->W;
    for (int b = 0; b < problem->block_count; ++b) scale_block(w, problem, b);
    for (int i = 0; i < problem->block_count; ++i)
        for (int e = w->W->start[i], e_0 = W->start[i]; e < w->W->start[i + 1]; ++e) {
            int j = w->W->column[e], at = problem->offset[i], to = problem->offset[j];
            int m = problem->offset[i + 1] - at, n = problem->offset[j + 1] - to;
            int given = e_0 < W->start[i + 1] && W->column[e_0] == j;
            const double *from = given ? W->value + W->at[e_0++] : NULL;
            double *V = w->W->value + w->W->at[e];
            for (int r = 0; r < m; ++r)
                for (int c = 0; c < n; ++c) {
                    double v = from ? from[r * n + c] : 0.0;
                    if (problem->compliance && i == j && r == c) v += problem->compliance[at + r];
                    V[r * n + c] = w->D[at + r] * v * w->D[to + c];
                }
        }
    for (int i = 0; i < w->n; ++i) w->q[i] = w->D[i] * problem->q[i];
}

/* ---- the matrix ------------------------------------------------------------------------------------------------------------ */

/// out (m x n) = B (m x m) V (m x n).
static inline void multiply(int m, int n, const double *B, const double *V, double *out)
{
    for (int r = 0; r < m; ++r)
        for (int c = 0; c < n; ++c) {
            double s = 0.0;
            for (int k = 0; k < m; ++k) s += B[r * m + k] * V[k * n + c];
            out[r * n + c] = s;
        }
}

/// X = C^-1, C (m x m) destroyed. Returns the sign of det C; 0: singular.
static int invert(int m, double *C, double *X)
{
    int sign = 1;
    for (int i = 0; i < m * m; ++i) X[i] = i % (m + 1) == 0;
    for (int k = 0; k < m; ++k) {
        int p = k;
        for (int i = k + 1; i < m; ++i)
            if (fabs(C[i * m + k]) > fabs(C[p * m + k])) p = i;
        if (!(fabs(C[p * m + k]) > 0.0)) return 0;
        for (int j = 0; p != k && j < m; ++j) {
            double c = C[k * m + j], x = X[k * m + j];
            C[k * m + j] = C[p * m + j], C[p * m + j] = c;
            X[k * m + j] = X[p * m + j], X[p * m + j] = x;
        }
        if ((p != k) != (C[k * m + k] < 0.0)) sign = -sign;
        double f = 1.0 / C[k * m + k];
        for (int j = 0; j < m; ++j) C[k * m + j] *= f, X[k * m + j] *= f;
        for (int i = 0; i < m; ++i) {
            double l = C[i * m + k];
            for (int j = 0; i != k && l != 0.0 && j < m; ++j)
                C[i * m + j] -= l * C[k * m + j], X[i * m + j] -= l * X[k * m + j];
        }
    }
    return sign;
}

static int factor_bodies(scaled *w, const scree_problem *problem, const double *A, const double *B, double rho)
{
    w->sign_C = 1;
    for (int b = 0; b < problem->block_count; ++b) {
        size_t at = problem->diagonal_at[b];
        int m = problem->offset[b + 1] - problem->offset[b];
        const double *D = w->D + problem->offset[b];
        double C[SCREE_DIM_MAX * SCREE_DIM_MAX], *E = w->bodies.E + at;
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < m; ++j) {
                double soft = problem->compliance ? D[j] * problem->compliance[problem->offset[b] + j] * D[j] : 0.0;
                C[i * m + j] = A[at + (size_t)(i * m + j)] + (rho + soft) * B[at + (size_t)(i * m + j)];
            }
        w->sign_C *= invert(m, C, w->C_inverse + at);
        if (!w->sign_C) return 0;
        multiply(m, m, w->C_inverse + at, B + at, w->GD + at);
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < m; ++j) {
                w->GD[at + (size_t)(i * m + j)] *= D[j];
                E[i * m + j] = D[i] * w->GD[at + (size_t)(i * m + j)];
            }
    }
    return reduced_factor_bodies(&w->bodies, w->original);
}

static void solve_bodies(scaled *w, const double *b, double *x)
{
    const scree_problem *problem = w->original;
    for (int c = 0; c < problem->block_count; ++c) {
        int at = problem->offset[c], m = problem->offset[c + 1] - at;
        matvec_add(m, w->C_inverse + problem->diagonal_at[c], b + at, NULL, x + at);
        for (int i = at; i < at + m; ++i) w->u[i] = w->D[i] * x[i];
    }
    reduced_solve_bodies(&w->bodies, problem, w->u, w->v);
    block_matrix_apply(problem->Ht, 0, w->v, w->u);
    for (int c = 0; c < problem->block_count; ++c) {
        int at = problem->offset[c], m = problem->offset[c + 1] - at;
        double GDu[SCREE_DIM_MAX];
        matvec_add(m, w->GD + problem->diagonal_at[c], w->u + at, NULL, GDu);
        for (int i = 0; i < m; ++i) x[at + i] -= GDu[i];
    }
}

int scaled_factor(scaled *w, const scree_problem *problem, const double *A_all, const double *B_all, double rho)
{
    const block_matrix *W = w->W;
    double block[SCREE_DIM_MAX * SCREE_DIM_MAX] = {0};
    if (w->original) return factor_bodies(w, problem, A_all, B_all, rho);
    if (w->lu) block_lu_clear(w->lu);
    for (int i = 0; i < problem->block_count; ++i) {
        const double *A = A_all + problem->diagonal_at[i], *B = B_all + problem->diagonal_at[i];
        int m = W->row_offset[i + 1] - W->row_offset[i], zero = 1;
        for (int k = 0; k < m * m; ++k) zero &= B[k] == 0.0;
        for (int e = W->start[i]; e < W->start[i + 1]; ++e) {
            int j = W->column[e], n = W->col_offset[j + 1] - W->col_offset[j];
            if (zero && i != j && w->lu) continue;
            double *J = w->lu ? block_lu_entry(w->lu, e) : block;
            if (m == 3 && n == 3) multiply(3, 3, B, W->value + W->at[e], J);
            else multiply(m, n, B, W->value + W->at[e], J);
            for (int k = 0; i == j && k < m * m; ++k) J[k] += A[k] + rho * B[k];
            for (int c = 0; !w->lu && c < n; ++c)
                for (int r = 0; r < m; ++r)
                    w->value[w->start[W->col_offset[j] + c] + w->place[e] + r] = block[r * n + c];
        }
    }
    return w->lu ? block_lu_factor(w->lu) : direct_factor(w->direct, w->value);
}

void scaled_solve(scaled *w, const double *b, double *x)
{
    if (w->original) solve_bodies(w, b, x);
    else if (w->lu) block_lu_solve(w->lu, b, x);
    else direct_solve(w->direct, b, x);
}

int scaled_be_careful(scaled *w)
{
    if (!w->original || w->bodies.careful) return 0;
    return w->bodies.careful = 1;
}

int scaled_determinant_sign(const scaled *w)
{
    if (w->original) return w->sign_C * reduced_determinant_sign(&w->bodies);
    return w->lu ? block_lu_determinant_sign(w->lu) : direct_determinant_sign(w->direct);
}

static double stored(const scaled *w)
{
    return w->lu ? block_lu_nonzeros(w->lu) : direct_nonzeros(w->direct);
}

double scaled_factor_work(const scaled *w)
{
    if (w->original) return reduced_work(&w->bodies, w->original);
    return w->lu ? work_of_factor(block_lu_flops(w->lu), stored(w))
                 : WORK_UMFPACK * work_of_factor(direct_flops(w->direct), stored(w));
}

double scaled_solve_work(const scaled *w)
{
    if (w->original) return reduced_solve_work(&w->bodies, w->original);
    return WORK_ENTRY * stored(w);
}

double scaled_product_work(const scaled *w)
{
    return WORK_ROW * w->n + WORK_ENTRY * (double)w->W->at[w->W->start[w->W->row_blocks]];
}
