/* reduced.c: pattern, values, factor and solution of (W + D) x = b; the two forms are in reduced.h. */
#include "solvers/reduced.h"

#include "math/dense.h"
#include "problem/mass.h"
#include "solvers/work.h"
#include "sparse/block.h"

#include <float.h>
#include <scree/laws.h>
#include <string.h>

enum { DOF_MAX = 6 };
static const double flop_limit = 4e9; /* of block_lu: beyond this UMFPACK, which calls the BLAS, is the faster one */

static int rows_of(const int *offset, int block)
{
    return offset[block + 1] - offset[block];
}

int reduced_symmetric(const scree_problem *problem)
{
    const block_matrix *W = problem->W;
    double largest = 0.0, skew = 0.0;
    int above = 0, below = 0; /* the diagonal */
    if (!W) return 1;
    for (int i = 0; i < W->row_blocks; ++i)
        for (int e = W->start[i]; e < W->start[i + 1]; ++e) {
            int j = W->column[e], m = rows_of(W->row_offset, i), n = rows_of(W->col_offset, j);
            above += j > i, below += j < i;
            if (j > i) continue;
            const double *B = W->value + W->at[e], *T = block_matrix_find(W, j, i);
            if (!T) return 0;
            for (int r = 0; r < m; ++r)
                for (int c = 0; c < n; ++c) {
                    double size = fabs(B[r * n + c]), gap = fabs(B[r * n + c] - T[c * m + r]);
                    if (size > largest) largest = size;
                    if (!(gap <= skew)) skew = gap;
                }
        }
    return above == below && skew <= 1e-12 * largest;
}

/* ---- masses --------------------------------------------------------------------------------------------------------- */

/// M of one body from M^-1. 0 where that is singular: a body that cannot move, or does not turn.
static int invert_mass(int d, const double *N, double *M)
{
    double L[DOF_MAX * DOF_MAX] = {0}, trace = 0.0;
    if (d > DOF_MAX) return 0;
    for (int i = 0; i < d; ++i) trace += N[i * d + i];
    if (!cholesky_factor(d, d, N, 1e-14 * trace, L)) return 0;
    for (int j = 0; j < d; ++j) {
        double e[DOF_MAX] = {0};
        e[j] = 1.0;
        cholesky_solve(d, d, L, e, e);
        for (int i = 0; i < d; ++i) M[i * d + j] = e[i];
    }
    return 1;
}

int reduced_fits(const scree_problem *problem)
{
    double M[DOF_MAX * DOF_MAX];
    if (problem->W) return 1;
    if (problem->dof_count > problem->row_count) return 0;
    if (problem->mass) {
        for (int b = 0; b < problem->body_count; ++b)
            if (rows_of(problem->Ht->col_offset, b) > DOF_MAX) return 0;
        return 1;
    }
    for (int b = 0; b < problem->body_count; ++b)
        if (!invert_mass(rows_of(problem->Ht->col_offset, b), problem->inv_mass->value + problem->inv_mass->at[b], M))
            return 0;
    return 1;
}

/* ---- the pattern ------------------------------------------------------------------------------------------------------ */

static int has_diagonal(const block_matrix *W)
{
    for (int i = 0; i < W->row_blocks; ++i)
        if (!block_matrix_find(W, i, i)) return 0;
    return 1;
}

/// W with its diagonal added: blocks of A as (row, column) lists, which block_matrix_create sorts and joins where they fall together.
static scree_status add_diagonal(const scree_problem *problem, const scree_allocator *a, block_matrix **out)
{
    const block_matrix *W = problem->W;
    size_t most = (size_t)W->start[W->row_blocks] + (size_t)problem->block_count, count = 0;
    int *row = memory_raw_array(a, most + 1, sizeof *row), *column = memory_raw_array(a, most + 1, sizeof *column);
    scree_status status = row && column ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        for (int i = 0; i < problem->block_count; ++i) {
            row[count] = i, column[count++] = i;
            for (int e = W->start[i]; e < W->start[i + 1]; ++e) row[count] = i, column[count++] = W->column[e];
        }
        status = block_matrix_create(problem->block_count, problem->offset, problem->block_count, problem->offset,
                                     count, row, column, NULL, a, out);
    }
    MEMORY_FREE_ALL(a, row, column);
    return status;
}

static scree_status pattern_by_contacts(const scree_problem *problem, const scree_allocator *a, reduced *r)
{
    const block_matrix *W = problem->W;
    size_t entries = (size_t)W->start[W->row_blocks];
    int same = has_diagonal(W); /* as nearly every file has it */
    r->from = memory_raw_array(a, entries + 1, sizeof *r->from);
    if (!r->from) return SCREE_ERR_MEMORY;
    scree_status status = same ? block_matrix_create_like(W, a, &r->A) : add_diagonal(problem, a, &r->A);
    if (status == SCREE_OK && same) memcpy(r->from, W->at, entries * sizeof *r->from);
    for (int i = 0; status == SCREE_OK && !same && i < problem->block_count; ++i)
        for (int e = W->start[i]; e < W->start[i + 1]; ++e)
            r->from[e] = (size_t)(block_matrix_find(r->A, i, W->column[e]) - r->A->value);
    return status;
}

/// The group of each degree of freedom.
static int *groups_of(const scree_problem *problem, const scree_allocator *a)
{
    const int *offset = problem->Ht->col_offset;
    int *group = memory_array(a, (size_t)problem->dof_count + 1, sizeof *group);
    for (int b = 0; group && b < problem->body_count; ++b)
        for (int i = offset[b]; i < offset[b + 1]; ++i) group[i] = b;
    return group;
}

/// Where M is general, its entries too: `place` says where each goes in A.
static scree_status place_mass(const scree_problem *problem, const scree_allocator *a, reduced *r)
{
    const scree_mass *M = problem->mass;
    const int *offset = problem->Ht->col_offset;
    int *group = groups_of(problem, a);
    r->place = memory_array(a, (size_t)M->start[M->n] + 1, sizeof *r->place);
    scree_status status = group && r->place ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int i = 0; status == SCREE_OK && i < M->n; ++i)
        for (int e = M->start[i]; e < M->start[i + 1]; ++e) {
            int j = M->column[e], b = group[i], c = group[j], d = rows_of(offset, c);
            r->place[e] =
                (size_t)(block_matrix_find(r->A, b, c) - r->A->value) + (size_t)((i - offset[b]) * d + j - offset[c]);
        }
    memory_free(a, group);
    return status;
}

/// Pairs of groups that M couples, entry by entry (those that fall together are joined later). Returns how many.
static size_t mass_pairs(const scree_problem *problem, const int *group, int *row, int *column)
{
    const scree_mass *M = problem->mass;
    size_t count = 0;
    for (int i = 0; i < M->n; ++i)
        for (int e = M->start[i], last = -1; e < M->start[i + 1]; last = group[M->column[e++]])
            if (group[M->column[e]] != last) row[count] = group[i], column[count++] = group[M->column[e]];
    return count;
}

static scree_status pattern_by_bodies(const scree_problem *problem, const scree_allocator *a, reduced *r)
{
    const block_matrix *Ht = problem->Ht;
    size_t pairs = 0, count = 0, coupled = problem->mass ? (size_t)problem->mass->start[problem->dof_count] : 0;
    int *group = problem->mass ? groups_of(problem, a) : NULL;
    r->pair = memory_array(a, (size_t)problem->block_count + 1, sizeof *r->pair);
    if (!r->pair || (problem->mass && !group)) {
        memory_free(a, group);
        return SCREE_ERR_MEMORY;
    }
    for (int c = 0; c < problem->block_count; ++c) {
        size_t bodies = (size_t)(Ht->start[c + 1] - Ht->start[c]);
        r->pair[c] = pairs;
        pairs += bodies * bodies;
    }
    r->pair[problem->block_count] = pairs;
    int *row = memory_raw_array(a, pairs + coupled + (size_t)problem->body_count + 1, sizeof *row);
    int *column = memory_raw_array(a, pairs + coupled + (size_t)problem->body_count + 1, sizeof *column);
    r->from = memory_array(a, pairs + 1, sizeof *r->from);
    r->mass = memory_array(a, problem->mass ? 1 : problem->inv_mass->at[problem->body_count] + 1, sizeof *r->mass);
    r->E = memory_array(a, problem->diagonal_at[problem->block_count] + 1, sizeof *r->E);
    scree_status status = row && column && r->from && r->mass && r->E ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        for (int c = 0; c < problem->block_count; ++c)
            for (int e = Ht->start[c]; e < Ht->start[c + 1]; ++e)
                for (int f = Ht->start[c]; f < Ht->start[c + 1]; ++f)
                    row[count] = Ht->column[e], column[count++] = Ht->column[f];
        for (int b = 0; b < problem->body_count; ++b) row[count] = b, column[count++] = b;
        if (problem->mass) count += mass_pairs(problem, group, row + count, column + count);
        status = block_matrix_create(problem->body_count, Ht->col_offset, problem->body_count, Ht->col_offset, count,
                                     row, column, NULL, a, &r->A);
    }
    for (size_t i = 0; status == SCREE_OK && i < pairs; ++i)
        r->from[i] = (size_t)(block_matrix_find(r->A, row[i], column[i]) - r->A->value);
    if (status == SCREE_OK && problem->mass) status = place_mass(problem, a, r);
    MEMORY_FREE_ALL(a, group, row, column);
    return status;
}

/// Where definite, the order of elimination of the blocks; else UMFPACK finds its own, and this is the order given.
static scree_status order_blocks(const scree_allocator *a, reduced *r)
{
    const block_matrix *A = r->A;
    int blocks = A->row_blocks;
    r->order = memory_array(a, (size_t)blocks + 1, sizeof *r->order);
    r->to = memory_array(a, (size_t)blocks + 1, sizeof *r->to);
    if (!r->order || !r->to) return SCREE_ERR_MEMORY;
    for (int k = 0; k < blocks; ++k) r->order[k] = k;
    scree_status status = r->definite ? direct_order(blocks, A->start, A->column, r->order) : SCREE_OK;
    for (int k = 0, at = 0; k < blocks; ++k) {
        r->to[r->order[k]] = at;
        at += rows_of(A->row_offset, r->order[k]);
    }
    return status;
}

/// Is the block (i, j) above the diagonal of a matrix of which only the lower triangle is kept?
static int left_out(const reduced *r, int i, int j)
{
    return r->definite && r->to[j] > r->to[i];
}

/// Scalar compressed columns of A in that order; where definite only its lower triangle.
static scree_status compress(const scree_allocator *a, reduced *r)
{
    const block_matrix *A = r->A;
    size_t entries = (size_t)A->start[A->row_blocks];
    r->lead = memory_array(a, entries + 1, sizeof *r->lead);
    r->start = memory_array(a, (size_t)r->n + 1, sizeof *r->start);
    int *height = memory_array(a, (size_t)A->col_blocks + 1, sizeof *height);
    scree_status status = r->lead && r->start && height ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        for (int k = 0; k < A->row_blocks; ++k) /* rows as they come in the columns */
            for (int i = r->order[k], e = A->start[i]; e < A->start[i + 1]; ++e) {
                int j = A->column[e];
                if (left_out(r, i, j)) continue;
                r->lead[e] = height[j];
                height[j] += rows_of(A->row_offset, i);
            }
        for (int k = 0; k < A->col_blocks; ++k)
            for (int j = r->order[k], c = 0, to = r->to[j]; c < rows_of(A->col_offset, j); ++c)
                r->start[to + c + 1] = r->start[to + c] + height[j] - (r->definite ? c : 0);
        r->row = memory_raw_array(a, (size_t)r->start[r->n] + 1, sizeof *r->row);
        r->value = memory_raw_array(a, (size_t)r->start[r->n] + 1, sizeof *r->value);
        if (!r->row || !r->value) status = SCREE_ERR_MEMORY;
    }
    for (int i = 0; status == SCREE_OK && i < A->row_blocks; ++i)
        for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
            int j = A->column[e], m = rows_of(A->row_offset, i);
            if (left_out(r, i, j)) continue;
            for (int c = 0, n = rows_of(A->col_offset, j); c < n; ++c)
                for (int k = r->definite && i == j ? c : 0; k < m; ++k)
                    r->row[r->start[r->to[j] + c] + r->lead[e] + k - (r->definite ? c : 0)] = r->to[i] + k;
        }
    memory_free(a, height);
    return status;
}

scree_status reduced_create(const scree_problem *problem, int definite, const scree_allocator *a, reduced *r)
{
    if (!reduced_fits(problem)) return SCREE_ERR_UNSUPPORTED;
    size_t rows = (size_t)problem->row_count;
    r->by_bodies = !problem->W, r->definite = definite;
    r->n = r->by_bodies ? problem->dof_count : problem->row_count;
    scree_status status = r->by_bodies ? pattern_by_bodies(problem, a, r) : pattern_by_contacts(problem, a, r);
    if (status == SCREE_OK) status = order_blocks(a, r);
    if (status == SCREE_OK) status = compress(a, r);
    r->s = memory_array(a, (size_t)r->n + 1, sizeof *r->s);
    r->v = memory_array(a, (size_t)r->n + 1, sizeof *r->v);
    r->b = memory_array(a, (size_t)r->n + 1, sizeof *r->b);
    r->x = memory_array(a, (size_t)r->n + 1, sizeof *r->x);
    r->r = memory_array(a, rows + 1, sizeof *r->r);
    r->e = memory_array(a, rows + 1, sizeof *r->e);
    r->t = memory_array(a, rows + 1, sizeof *r->t);
    r->product = memory_raw_array(a, problem_work_size(problem), sizeof *r->product);
    if (!r->s || !r->v || !r->b || !r->x || !r->r || !r->e || !r->t || !r->product) return SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = direct_create(definite ? DIRECT_ORDERED : DIRECT_UNSYMMETRIC, r->n, r->start, r->row, a, &r->factor);
    if (status == SCREE_OK && !definite) status = block_lu_create(r->A, flop_limit, a, &r->blocks);
    return status;
}

void reduced_destroy(reduced *r, const scree_allocator *a)
{
    direct_destroy(r->factor);
    block_lu_destroy(r->blocks);
    block_matrix_destroy(r->A, a);
    MEMORY_FREE_ALL(a, r->order, r->to, r->lead, r->start, r->row, r->value, r->from, r->pair, r->mass, r->place, r->E,
                    r->s, r->v, r->b, r->x, r->r, r->e, r->t, r->product);
}

/* ---- values ------------------------------------------------------------------------------------------------------------ */

/// E = (D + C)^-1 of one block, 0 in pinned rows and columns.
static int invert_block(int m, const double *D, const double *compliance, double *E)
{
    double A[SCREE_DIM_MAX * SCREE_DIM_MAX] = {0.0}, e[SCREE_DIM_MAX], B[SCREE_DIM_MAX * SCREE_DIM_MAX];
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j) {
            int pinned = D[i * m + i] >= REDUCED_PINNED || D[j * m + j] >= REDUCED_PINNED;
            A[i * m + j] = pinned ? (i == j) : D[i * m + j] + (compliance && i == j ? compliance[i] : 0.0);
        }
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < m; ++i) e[i] = i == j && D[j * m + j] < REDUCED_PINNED;
        memcpy(B, A, sizeof B);
        if (!gauss_solve(m, B, e)) return 0;
        for (int i = 0; i < m; ++i) E[i * m + j] = e[i];
    }
    return 1;
}

/// out (d x f) += P' E Q for blocks P (m x d), E (m x m), Q (m x f), row-major.
static void add_congruence(int m, int d, int f, const double *P, const double *E, const double *Q, double *out)
{
    double EQ[SCREE_DIM_MAX * DOF_MAX];
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < f; ++j) {
            double s = 0.0;
            for (int k = 0; k < m; ++k) s += E[i * m + k] * Q[k * f + j];
            EQ[i * f + j] = s;
        }
    for (int k = 0; k < m; ++k)
        for (int i = 0; i < d; ++i)
            for (int j = 0; j < f; ++j) out[i * f + j] += P[k * d + i] * EQ[k * f + j];
}

/// E of every block.
static int weights(reduced *r, const scree_problem *problem, const double *D)
{
    for (int c = 0; c < problem->block_count; ++c) {
        const double *compliance = problem->compliance ? problem->compliance + problem->offset[c] : NULL;
        size_t at = problem->diagonal_at[c];
        if (!invert_block(rows_of(problem->offset, c), D + at, compliance, r->E + at)) return 0;
    }
    return 1;
}

/// M + H E H'.
static int fill_by_bodies(reduced *r, const scree_problem *problem)
{
    const block_matrix *Ht = problem->Ht;
    for (int e = 0; problem->mass && e < problem->mass->start[problem->dof_count]; ++e)
        r->A->value[r->place[e]] = problem->mass->value[e];
    for (int b = 0; !problem->mass && b < problem->body_count; ++b) {
        int d = rows_of(Ht->col_offset, b);
        const double *diagonal = block_matrix_find(r->A, b, b);
        double *M = r->mass + problem->inv_mass->at[b];
        if (!invert_mass(d, problem->inv_mass->value + problem->inv_mass->at[b], M)) return 0;
        memcpy(r->A->value + (diagonal - r->A->value), M, (size_t)d * (size_t)d * sizeof *M);
    }
    for (int c = 0; c < problem->block_count; ++c) {
        int m = rows_of(problem->offset, c);
        size_t pair = r->pair[c];
        const double *E = r->E + problem->diagonal_at[c];
        for (int e = Ht->start[c]; e < Ht->start[c + 1]; ++e)
            for (int f = Ht->start[c]; f < Ht->start[c + 1]; ++f)
                add_congruence(m, rows_of(Ht->col_offset, Ht->column[e]), rows_of(Ht->col_offset, Ht->column[f]),
                               Ht->value + Ht->at[e], E, Ht->value + Ht->at[f], r->A->value + r->from[pair++]);
    }
    return 1;
}

static void fill_by_contacts(reduced *r, const scree_problem *problem, const double *D)
{
    const block_matrix *W = problem->W, *A = r->A;
    double largest = 0.0;
    for (int e = 0; e < W->start[W->row_blocks]; ++e) {
        size_t size = W->at[e + 1] - W->at[e];
        memcpy(A->value + r->from[e], W->value + W->at[e], size * sizeof *A->value);
    }
    for (int c = 0; c < problem->block_count; ++c)
        for (int i = 0, m = rows_of(problem->offset, c); i < m; ++i)
            largest = number_max(largest, problem->diagonal[problem->diagonal_at[c] + (size_t)(i * m + i)]);
    if (!(largest > 0.0)) largest = 1.0;
    for (int c = 0; c < problem->block_count; ++c) {
        int m = rows_of(problem->offset, c);
        double *B = A->value + (block_matrix_find(A, c, c) - A->value);
        const double *D_c = D + problem->diagonal_at[c];
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < m; ++j) {
                if (D_c[i * m + j] < REDUCED_PINNED) B[i * m + j] += D_c[i * m + j];
                else B[i * m + j] = 1e18 * largest; /* pinned: what others add to this row cannot be seen */
            }
            if (problem->compliance) B[i * m + i] += problem->compliance[problem->offset[c] + i];
        }
    }
}

/// D spans twenty decades: without scaling a pivot that is small but right looks like rounding.
static void equilibrate(reduced *r)
{
    const block_matrix *A = r->A;
    for (int i = 0; i < A->row_blocks; ++i)
        for (int k = 0, m = rows_of(A->row_offset, i); k < m; ++k) {
            double size = 0.0;
            if (r->definite) size = sqrt(fabs(block_matrix_find(A, i, i)[k * m + k]));
            for (int e = A->start[i]; e < A->start[i + 1] && !r->definite; ++e)
                for (int c = 0, n = rows_of(A->col_offset, A->column[e]); c < n; ++c)
                    size = number_max(size, fabs(A->value[A->at[e] + (size_t)(k * n + c)]));
            r->s[A->row_offset[i] + k] = size > 0.0 ? 1.0 / size : 1.0;
        }
}

static int all_zero(int n, const double *x)
{
    for (int i = 0; i < n; ++i)
        if (x[i] != 0.0) return 0;
    return 1;
}

static int factor_blocks(reduced *r)
{
    const block_matrix *A = r->A;
    block_lu_clear(r->blocks);
    for (int i = 0; i < A->row_blocks; ++i)
        for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
            int m = rows_of(A->row_offset, i), n = rows_of(A->col_offset, A->column[e]);
            const double *B = A->value + A->at[e], *s = r->s + A->row_offset[i];
            if (all_zero(m * n, B)) continue; /* between bodies whose contacts are open: costs nothing */
            double *out = block_lu_entry(r->blocks, e);
            for (int k = 0; k < m; ++k)
                for (int c = 0; c < n; ++c) out[k * n + c] = s[k] * B[k * n + c];
        }
    return block_lu_factor(r->blocks);
}

/// The entry e = (i, j) of A, m x n, into the scalar columns.
static inline __attribute__((always_inline)) void put_block(reduced *r, int i, int j, int e, int m, int n)
{
    const block_matrix *A = r->A;
    const double *B = A->value + A->at[e], *s_i = r->s + A->row_offset[i], *s_j = r->s + A->col_offset[j];
    const int *start = r->start + r->to[j];
    for (int c = 0; c < n; ++c) {
        double *out = r->value + start[c] + r->lead[e] - (r->definite ? c : 0), column = r->definite ? s_j[c] : 1.0;
        for (int k = r->definite && i == j ? c : 0; k < m; ++k) out[k] = s_i[k] * B[k * n + c] * column;
    }
}

static int factor_direct(reduced *r)
{
    const block_matrix *A = r->A;
    for (int i = 0; i < A->row_blocks; ++i)
        for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
            int j = A->column[e], m = rows_of(A->row_offset, i), n = rows_of(A->col_offset, j);
            if (left_out(r, i, j)) continue;
            if (m == 3 && n == 3 && i != j) put_block(r, i, j, e, 3, 3); /* i != j: whole blocks, unrolled */
            else put_block(r, i, j, e, m, n);
        }
    return direct_factor(r->factor, r->value);
}

static int factor_values(reduced *r)
{
    equilibrate(r);
    r->by_blocks = !r->careful && r->blocks && factor_blocks(r);
    return r->by_blocks || factor_direct(r);
}

int reduced_factor(reduced *r, const scree_problem *problem, const double *D)
{
    const block_matrix *A = r->A;
    memset(A->value, 0, A->at[A->start[A->row_blocks]] * sizeof *A->value);
    r->D = D;
    if (!r->by_bodies) fill_by_contacts(r, problem, D);
    else if (!weights(r, problem, D) || !fill_by_bodies(r, problem)) return 0;
    return factor_values(r);
}

int reduced_factor_bodies(reduced *r, const scree_problem *problem)
{
    memset(r->A->value, 0, r->A->at[r->A->start[r->A->row_blocks]] * sizeof *r->A->value);
    return fill_by_bodies(r, problem) && factor_values(r);
}

int reduced_determinant_sign(const reduced *r)
{
    return r->by_blocks ? block_lu_determinant_sign(r->blocks) : direct_determinant_sign(r->factor);
}

static double stored(const reduced *r)
{
    return r->by_blocks ? block_lu_nonzeros(r->blocks) : direct_nonzeros(r->factor);
}

double reduced_work(const reduced *r, const scree_problem *problem)
{
    double fill = WORK_ROW * problem->row_count + 2.0 * WORK_ENTRY * (double)r->A->at[r->A->start[r->A->row_blocks]];
    if (r->by_blocks) return fill + work_of_factor(block_lu_flops(r->blocks), stored(r));
    return fill + (r->definite ? 1.0 : WORK_UMFPACK) * work_of_factor(direct_flops(r->factor), stored(r));
}

double reduced_solve_work(const reduced *r, const scree_problem *problem)
{
    return WORK_ROW * problem->row_count + WORK_ENTRY * stored(r) + work_of_product(problem);
}

/* ---- solution ------------------------------------------------------------------------------------------------------------ */

static void apply_blocks(const scree_problem *problem, const double *D, const double *x, double *y)
{
    for (int c = 0; c < problem->block_count; ++c) {
        int at = problem->offset[c];
        matvec_add(rows_of(problem->offset, c), D + problem->diagonal_at[c], x + at, NULL, y + at);
    }
}

/// x = A^-1 b by the last factor, whose rows are scaled and in its order.
static void solve_factor(reduced *r, const double *b, double *x)
{
    const int *offset = r->A->row_offset;
    for (int i = 0; i < r->A->row_blocks; ++i)
        for (int k = offset[i], to = r->to[i]; k < offset[i + 1]; ++k, ++to) r->b[to] = r->s[k] * b[k];
    if (r->by_blocks) block_lu_solve(r->blocks, r->b, r->x);
    else direct_solve(r->factor, r->b, r->x);
    for (int i = 0; i < r->A->row_blocks; ++i)
        for (int k = offset[i], to = r->to[i]; k < offset[i + 1]; ++k, ++to)
            x[k] = r->definite ? r->s[k] * r->x[to] : r->x[to];
}

void reduced_solve_bodies(reduced *r, const scree_problem *problem, const double *w, double *v)
{
    memset(r->v, 0, (size_t)r->n * sizeof *r->v);
    block_matrix_apply_transpose(problem->Ht, w, r->v);
    solve_factor(r, r->v, v);
}

static void solve_once(reduced *r, const scree_problem *problem, const double *b, double *x)
{
    if (!r->by_bodies) {
        solve_factor(r, b, x);
    } else {
        apply_blocks(problem, r->E, b, r->t); /* H E b */
        memset(r->v, 0, (size_t)r->n * sizeof *r->v);
        block_matrix_apply_transpose(problem->Ht, r->t, r->v);
        solve_factor(r, r->v, r->v);
        block_matrix_apply(problem->Ht, 0, r->v, r->t); /* E (b - H'v) */
        for (int i = 0; i < problem->row_count; ++i) r->t[i] = b[i] - r->t[i];
        apply_blocks(problem, r->E, r->t, x);
    }
    for (int c = 0; c < problem->block_count; ++c)
        for (int i = 0, m = rows_of(problem->offset, c); i < m; ++i)
            if (r->D[problem->diagonal_at[c] + (size_t)(i * m + i)] >= REDUCED_PINNED) x[problem->offset[c] + i] = 0.0;
}

/// r = b - (W + D) x, 0 in pinned rows. Returns its largest entry.
static double remainder_of(reduced *r, const scree_problem *problem, const double *b, const double *x)
{
    double largest = 0.0;
    problem_apply(problem, x, r->r, r->product);
    for (int c = 0; c < problem->block_count; ++c) {
        int at = problem->offset[c], m = rows_of(problem->offset, c);
        const double *D = r->D + problem->diagonal_at[c];
        for (int i = 0; i < m; ++i) {
            double s = b[at + i] - r->r[at + i];
            int pinned = D[i * m + i] >= REDUCED_PINNED;
            for (int j = 0; j < m && !pinned; ++j)
                if (D[j * m + j] < REDUCED_PINNED) s -= D[i * m + j] * x[at + j];
            r->r[at + i] = pinned ? 0.0 : s;
            largest = number_max(largest, fabs(r->r[at + i]));
        }
    }
    return largest;
}

void reduced_correct(reduced *r, const scree_problem *problem, const double *b, double *x)
{
    remainder_of(r, problem, b, x);
    solve_once(r, problem, r->r, r->e);
    for (int i = 0; i < problem->row_count; ++i) x[i] += r->e[i];
}

void reduced_solve(reduced *r, const scree_problem *problem, int refinements, const double *b, double *x)
{
    double size = 0.0, left = DBL_MAX;
    solve_once(r, problem, b, x);
    for (int i = 0; i < problem->row_count; ++i) size = number_max(size, fabs(b[i]));
    for (int k = 0; k < refinements; ++k) {
        double last = left;
        left = remainder_of(r, problem, b, x);
        if (left <= 1e-14 * size || !(left < 0.5 * last)) break;
        solve_once(r, problem, r->r, r->e);
        for (int i = 0; i < problem->row_count; ++i) x[i] += r->e[i];
    }
    if (!r->by_blocks || left <= 1e-10 * size) return;
    r->careful = 1, r->by_blocks = 0;
    if (factor_direct(r)) reduced_solve(r, problem, refinements, b, x);
}
