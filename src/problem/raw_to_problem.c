/* raw_to_problem.c: a contact problem from what a file holds.
 *
 *     local    W_ext = [W V; V' R],   q_ext = (q, s)            assembled, a block for each pair of contacts
 *     global   W_ext = Ht M^-1 Ht',   Ht = [H G]',   q_ext = Ht M^-1 f + (w, b)
 *
 * Equality constraints become bilateral rows. M of a global file falls into bodies: the connected components of its
 * nonzeros, or, where these lie inside groups of 6 (planar: 3) consecutive degrees of freedom, those groups. Bodies of up to
 * RAW_BODY_DOF_MAX degrees of freedom: their masses are inverted, and the problem goes through the bodies. Larger ones
 * (flexible bodies, a general sparse M) have two ways. Either W_ext is assembled, one solve with the sparse factor of M per row; or
 * M is kept with its factor L, where M is symmetric and a product through L costs at most half of one by W_ext:
 *     2 (entries of L + entries of Ht) <= 1/2 (entries of W_ext),   W_ext of at least 50,000 entries
 * (below that every method is quick with W_ext). M need not be symmetric (files of implicit schemes have gyroscopic terms in
 * it): what the file says is kept; its symmetric part must be positive definite. */
#include "base/memory.h"
#include "math/dense.h"
#include "problem/problem_private.h"
#include "problem/raw.h"
#include "sparse/direct.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { GENERAL_PAIRS = 50000 }; /* entries of W_ext from which on M may be kept */

typedef struct maker {
    const raw_problem *raw;
    const char *file;
    scree_allocator allocator;
    scree_error *error;
    scree_problem_def def;

    int rows; /* with those of the equality constraints */
    int block_count, *row_end, *block_of_row;
    scree_cone *cone;
    double *bound, *q;
    raw_matrix A; /* W_ext, or Ht  */
    int *entry_row, *entry_column;
    double *entry_value;

    int body_count, largest_body;
    int *body_of, *place; /* of each degree of freedom: its body, and where in it */
    int *body_dof;
    double *body_mass, *v_free; /* v_free in the order of the file                 */
} maker;

static void *get(const maker *k, size_t count, size_t size)
{
    return memory_array(&k->allocator, count + 1, size);
}

/* ---- rows --------------------------------------------------------------------------------------------------------------- */

static scree_cone cone_of(const raw_problem *raw, int contact)
{
    double mu = raw->vector[RAW_MU][contact];
    double rho = raw->vector[RAW_MU_R] ? raw->vector[RAW_MU_R][contact] : 0.0;
    double sigma = raw->vector[RAW_MU_S] ? raw->vector[RAW_MU_S][contact] : 0.0;
    switch (raw->dim) {
    case 2: return scree_cone_planar(mu);
    case 3: return scree_cone_slide(mu);
    case 4: return scree_cone_slide_spin(mu, sigma);
    case 5: return scree_cone_slide_roll(mu, rho);
    default: return scree_cone_slide_roll_spin(mu, rho, sigma);
    }
}

/// Cones, bounds and the constant part of q: (q, s) or (w, b).
static scree_status make_rows(maker *k)
{
    const raw_problem *raw = k->raw;
    int n = raw_row_count(raw), m = raw->equality_count, is_local = raw->kind == RAW_LOCAL;
    const double *first = raw->vector[is_local ? RAW_Q : RAW_U_FREE], *second = raw->vector[is_local ? RAW_S : RAW_B];
    k->rows = n + m, k->block_count = raw->contact_count + m;
    k->cone = get(k, (size_t)raw->contact_count, sizeof *k->cone);
    k->bound = get(k, (size_t)m, sizeof *k->bound);
    k->q = get(k, (size_t)k->rows, sizeof *k->q);
    k->row_end = get(k, (size_t)k->block_count, sizeof *k->row_end);
    k->block_of_row = get(k, (size_t)k->rows, sizeof *k->block_of_row);
    if (!k->cone || !k->bound || !k->q || !k->row_end || !k->block_of_row) return SCREE_ERR_MEMORY;
    for (int c = 0; c < raw->contact_count; ++c) k->cone[c] = cone_of(raw, c);
    for (int b = 0; b < m; ++b) k->bound[b] = INFINITY;
    for (int i = 0; i < n; ++i) k->q[i] = first[i], k->block_of_row[i] = i / raw->dim;
    for (int i = 0; i < m; ++i) k->q[n + i] = second[i], k->block_of_row[n + i] = raw->contact_count + i;
    for (int i = 0; i < k->rows; ++i) k->row_end[k->block_of_row[i]] = i + 1;
    return SCREE_OK;
}

/* ---- scalar matrices ------------------------------------------------------------------------------------------------------ */

typedef struct triplets {
    int *row, *column;
    double *value;
    size_t count;
} triplets;

static scree_status triplets_get(const maker *k, size_t count, triplets *t)
{
    *t =
        (triplets){get(k, count, sizeof *t->row), get(k, count, sizeof *t->column), get(k, count, sizeof *t->value), 0};
    return t->row && t->column && t->value ? SCREE_OK : SCREE_ERR_MEMORY;
}

static void triplets_free(const maker *k, triplets *t)
{
    MEMORY_FREE_ALL(&k->allocator, t->row, t->column, t->value);
}

/// Adds A, or A', with its first entry at (row, column).
static void triplets_add(triplets *t, const raw_matrix *A, int transposed, int row, int column)
{
    for (int i = 0; A->start && i < A->rows; ++i)
        for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
            t->row[t->count] = row + (transposed ? A->column[e] : i);
            t->column[t->count] = column + (transposed ? i : A->column[e]);
            t->value[t->count++] = A->value[e];
        }
}

/// Sums of finite numbers may still overflow.
static scree_status check_finite(const maker *k)
{
    for (size_t e = 0; e < raw_matrix_entries(&k->A); ++e)
        if (!(fabs(k->A.value[e]) <= DBL_MAX)) {
            scree_error_set(k->error, k->file, 0, 0, "a matrix entry is too large, expected finite sums and products");
            return SCREE_ERR_INPUT;
        }
    return SCREE_OK;
}

/// k->A = [W V; V' R] or [H G]'.
static scree_status make_scalar(maker *k)
{
    const raw_problem *raw = k->raw;
    const raw_matrix *A = raw->matrix;
    size_t count = 0;
    triplets t;
    int n = raw_row_count(raw);
    for (int m = 0; m < RAW_MATRICES; ++m) count += raw_matrix_entries(&A[m]);
    scree_status status = triplets_get(k, count + raw_matrix_entries(&A[RAW_V]), &t);
    if (status == SCREE_OK && raw->kind == RAW_LOCAL) {
        triplets_add(&t, &A[RAW_W], 0, 0, 0);
        triplets_add(&t, &A[RAW_V], 0, 0, n);
        triplets_add(&t, &A[RAW_V], 1, n, 0);
        triplets_add(&t, &A[RAW_R], 0, n, n);
    } else if (status == SCREE_OK) {
        triplets_add(&t, &A[RAW_H], 1, 0, 0);
        triplets_add(&t, &A[RAW_G], 1, n, 0);
    }
    k->A.rows = k->rows, k->A.cols = raw->kind == RAW_LOCAL ? k->rows : raw->dof_count;
    if (status == SCREE_OK && !raw_matrix_fill(&k->A, t.count, t.row, t.column, t.value, &k->allocator))
        status = SCREE_ERR_MEMORY;
    triplets_free(k, &t);
    return status == SCREE_OK ? check_finite(k) : status;
}

/* ---- blocks --------------------------------------------------------------------------------------------------------------- */

/// The block entries of k->A: rows by contact, columns by `block` (size, and place of each column in it). Blocks of zeros are
/// left out. Two passes: the first counts.
static scree_status make_blocks(maker *k, const int *block, const int *place, const int *size, int blocks)
{
    const raw_matrix *A = &k->A;
    int *seen = get(k, (size_t)blocks, sizeof *seen);
    size_t *at = get(k, (size_t)blocks, sizeof *at), count = 0, values = 0;
    scree_status status = seen && at ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int pass = 0; pass < 2 && status == SCREE_OK; ++pass) {
        if (pass == 1) {
            k->entry_row = get(k, count, sizeof *k->entry_row),
            k->entry_column = get(k, count, sizeof *k->entry_column);
            k->entry_value = get(k, values, sizeof *k->entry_value);
            if (!k->entry_row || !k->entry_column || !k->entry_value) status = SCREE_ERR_MEMORY;
            if (status != SCREE_OK) break;
            memset(seen, 0, (size_t)blocks * sizeof *seen);
        }
        count = values = 0;
        for (int b = 0, from = 0; b < k->block_count; from = k->row_end[b++])
            for (int i = from; i < k->row_end[b]; ++i)
                for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
                    int j = A->column[e], c = block[j];
                    if (A->value[e] == 0.0) continue;
                    if (seen[c] != b + 1) {
                        seen[c] = b + 1, at[c] = values;
                        if (pass == 1) k->entry_row[count] = b, k->entry_column[count] = c;
                        count += 1, values += (size_t)(k->row_end[b] - from) * (size_t)size[c];
                    }
                    if (pass == 1)
                        k->entry_value[at[c] + (size_t)(i - from) * (size_t)size[c] + (size_t)place[j]] = A->value[e];
                }
    }
    k->def.entry_count = count;
    k->def.entry_row = k->entry_row, k->def.entry_column = k->entry_column, k->def.entry_value = k->entry_value;
    memory_free(&k->allocator, seen);
    memory_free(&k->allocator, at);
    return status;
}

static scree_status make_assembled_blocks(maker *k)
{
    int *place = get(k, (size_t)k->rows, sizeof *place), *size = get(k, (size_t)k->block_count, sizeof *size);
    scree_status status = place && size ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        for (int i = 0; i < k->rows; ++i) place[i] = size[k->block_of_row[i]]++;
        status = make_blocks(k, k->block_of_row, place, size, k->block_count);
    }
    memory_free(&k->allocator, place);
    memory_free(&k->allocator, size);
    return status;
}

/* ---- bodies --------------------------------------------------------------------------------------------------------------- */

static int find_root(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/// Connected components of the nonzeros of M, then bodies as said on top: body_of, place, body_dof.
static scree_status find_bodies(maker *k)
{
    const raw_matrix *M = &k->raw->matrix[RAW_M];
    int n = M->rows, group = k->raw->dim == 2 ? 3 : 6, grouped = n % group == 0;
    int *parent = get(k, (size_t)n, sizeof *parent);
    k->body_of = get(k, (size_t)n, sizeof *k->body_of), k->place = get(k, (size_t)n, sizeof *k->place);
    k->body_dof = get(k, (size_t)n, sizeof *k->body_dof);
    scree_status status = parent && k->body_of && k->place && k->body_dof ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        for (int i = 0; i < n; ++i) parent[i] = i;
        for (int i = 0; i < n; ++i)
            for (int e = M->start[i]; e < M->start[i + 1]; ++e) {
                int a = find_root(parent, i), b = find_root(parent, M->column[e]);
                if (M->value[e] == 0.0) continue;
                if (i / group != M->column[e] / group) grouped = 0;
                parent[a > b ? a : b] = a > b ? b : a; /* the smallest is the root */
            }
        for (int i = 0; i < n; ++i) {
            int root = find_root(parent, i);
            int is_first = grouped ? i % group == 0 : root == i;
            k->body_of[i] = is_first ? k->body_count++ : grouped ? i / group : k->body_of[root];
            k->place[i] = k->body_dof[k->body_of[i]]++;
            if (k->place[i] + 1 > k->largest_body) k->largest_body = k->place[i] + 1;
        }
    }
    memory_free(&k->allocator, parent);
    return status;
}

static scree_status not_definite(const maker *k, int dof)
{
    if (dof < 0) scree_error_set(k->error, k->file, 0, 0, "M is not positive definite, expected a mass matrix");
    else
        scree_error_set(k->error, k->file, 0, 0,
                        "M is not positive definite at degree of freedom %d, expected a mass matrix", dof);
    return SCREE_ERR_INPUT;
}

/// N = A^-1 (n x n, any n up to RAW_BODY_DOF_MAX) by elimination, which is exact on a diagonal; symmetric if A is. 0 if the
/// symmetric part of A is not positive definite. N may be A.
static int invert(int n, const double *A, double *N)
{
    double whole[RAW_BODY_DOF_MAX * RAW_BODY_DOF_MAX], work[RAW_BODY_DOF_MAX * RAW_BODY_DOF_MAX];
    double L[RAW_BODY_DOF_MAX * RAW_BODY_DOF_MAX], x[RAW_BODY_DOF_MAX];
    int symmetric = 1;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            whole[i * n + j] = A[i * n + j], L[i * n + j] = 0.5 * A[i * n + j] + 0.5 * A[j * n + i];
            symmetric &= A[i * n + j] == A[j * n + i];
        }
    if (!cholesky_factor(n, n, L, 0.0, L)) return 0;
    for (int j = 0; j < n; ++j) {
        memset(x, 0, sizeof x);
        x[j] = 1.0;
        memcpy(work, whole, (size_t)(n * n) * sizeof *work);
        if (!gauss_solve(n, work, x)) return 0;
        for (int i = symmetric ? j : 0; i < n; ++i) {
            if (!(fabs(x[i]) <= DBL_MAX)) return 0;
            N[i * n + j] = x[i];
        }
        for (int i = j; symmetric && i < n; ++i) N[j * n + i] = x[i];
    }
    return 1;
}

/// body_mass: the masses, then their inverses; v_free of the bodies, in their order, as the definition wants it.
static scree_status invert_masses(maker *k)
{
    const raw_problem *raw = k->raw;
    const raw_matrix *M = &raw->matrix[RAW_M];
    size_t *at = get(k, (size_t)k->body_count, sizeof *at);
    int *first = get(k, (size_t)k->body_count, sizeof *first), *dof = get(k, (size_t)M->rows, sizeof *dof), worst = -1;
    scree_status status = SCREE_ERR_MEMORY;
    if (!at || !first || !dof) goto out;
    for (int b = 0; b < k->body_count; ++b) {
        first[b + 1] = first[b] + k->body_dof[b];
        at[b + 1] = at[b] + (size_t)k->body_dof[b] * (size_t)k->body_dof[b];
    }
    k->body_mass = get(k, at[k->body_count], sizeof *k->body_mass);
    k->v_free = get(k, (size_t)M->rows, sizeof *k->v_free);
    if (!k->body_mass || !k->v_free) goto out;
    for (int i = 0; i < M->rows; ++i) {
        dof[first[k->body_of[i]] + k->place[i]] = i;
        for (int e = M->start[i]; e < M->start[i + 1]; ++e) {
            int j = M->column[e], b = k->body_of[i], d = k->body_dof[b];
            if (M->value[e] == 0.0) continue;
            k->body_mass[at[b] + (size_t)(k->place[i] * d + k->place[j])] = M->value[e];
        }
    }
    for (int b = 0; b < k->body_count && worst < 0; ++b) {
        double *N = k->body_mass + at[b];
        int d = k->body_dof[b];
        if (!invert(d, N, N)) worst = dof[first[b]];
        for (int i = 0; i < d; ++i)
            for (int j = 0; j < d; ++j) k->v_free[first[b] + i] += N[i * d + j] * raw->vector[RAW_F][dof[first[b] + j]];
    }
    status = worst < 0 ? SCREE_OK : not_definite(k, worst);
out:
    MEMORY_FREE_ALL(&k->allocator, at, first, dof);
    return status;
}

/* ---- general M: W_ext row by row -------------------------------------------------------------------------------------------- */

/// T = M', whose rows are the compressed columns of M. 1 if M = M' to the last bit; -1: no memory.
static int transpose_mass(const maker *k, raw_matrix *T)
{
    const raw_matrix *M = &k->raw->matrix[RAW_M];
    size_t n = raw_matrix_entries(M);
    triplets t;
    int made = triplets_get(k, n, &t) == SCREE_OK;
    T->rows = M->cols, T->cols = M->rows;
    if (made) {
        triplets_add(&t, M, 1, 0, 0);
        made = raw_matrix_fill(T, n, t.row, t.column, t.value, &k->allocator);
    }
    triplets_free(k, &t);
    if (!made) return -1;
    return memcmp(T->start, M->start, ((size_t)M->rows + 1) * sizeof *M->start) == 0 &&
           memcmp(T->column, M->column, n * sizeof *M->column) == 0 &&
           memcmp(T->value, M->value, n * sizeof *M->value) == 0;
}

/// The factor of the symmetric part: its lower triangle by columns is its upper one by rows. Says that M is definite.
static scree_status factor_symmetric(const maker *k, direct **factor)
{
    const raw_matrix *M = &k->raw->matrix[RAW_M];
    raw_matrix S = {.rows = M->rows, .cols = M->cols};
    triplets t;
    size_t kept = 0;
    scree_status status = triplets_get(k, 2 * raw_matrix_entries(M), &t);
    if (status == SCREE_OK) {
        triplets_add(&t, M, 0, 0, 0);
        triplets_add(&t, M, 1, 0, 0);
        for (size_t e = 0; e < t.count; ++e)
            if (t.row[e] <= t.column[e])
                t.row[kept] = t.row[e], t.column[kept] = t.column[e], t.value[kept++] = 0.5 * t.value[e];
        if (!raw_matrix_fill(&S, kept, t.row, t.column, t.value, &k->allocator)) status = SCREE_ERR_MEMORY;
    }
    if (status == SCREE_OK) status = direct_create(DIRECT_DEFINITE, S.rows, S.start, S.column, &k->allocator, factor);
    if (status == SCREE_OK && !direct_factor(*factor, S.value)) status = not_definite(k, -1);
    triplets_free(k, &t);
    raw_matrix_clear(&S, &k->allocator);
    return status;
}

/// The factor of M, which must have a positive definite symmetric part.
static scree_status factor_mass(const maker *k, int *symmetric, direct **factor)
{
    raw_matrix T = {.rows = 0};
    *symmetric = transpose_mass(k, &T);
    scree_status status = *symmetric < 0 ? SCREE_ERR_MEMORY : factor_symmetric(k, factor);
    if (status == SCREE_OK && !*symmetric) {
        direct_destroy(*factor);
        *factor = NULL;
        status = direct_create(DIRECT_UNSYMMETRIC, T.rows, T.start, T.column, &k->allocator, factor);
        if (status == SCREE_OK && !direct_factor(*factor, T.value)) status = not_definite(k, -1);
    }
    raw_matrix_clear(&T, &k->allocator);
    return status;
}

/// At most as many entries as pairs of rows that touch a body: how many they are.
static scree_status count_pairs(const maker *k, size_t *pairs)
{
    int *last = get(k, (size_t)k->body_count, sizeof *last);
    size_t *rows = get(k, (size_t)k->body_count, sizeof *rows);
    *pairs = 0;
    if (last && rows) {
        for (int i = 0; i < k->rows; ++i)
            for (int e = k->A.start[i]; e < k->A.start[i + 1]; ++e) {
                int b = k->body_of[k->A.column[e]];
                if (last[b] != i + 1) last[b] = i + 1, rows[b] += 1;
            }
        for (int b = 0; b < k->body_count; ++b) *pairs += rows[b] * rows[b];
    }
    scree_status status = last && rows && *pairs < INT_MAX ? SCREE_OK : SCREE_ERR_MEMORY;
    memory_free(&k->allocator, last);
    memory_free(&k->allocator, rows);
    return status;
}

static double row_dot(const raw_matrix *A, int i, const double *x)
{
    double s = 0.0;
    for (int e = A->start[i]; e < A->start[i + 1]; ++e) s += A->value[e] * x[A->column[e]];
    return s;
}

/// Keeps M and its factor if that is the better way: *kept. Groups of degrees of freedom (3, planar 2) are the columns of Ht.
static scree_status keep_general(maker *k, int *kept)
{
    const raw_matrix *M = &k->raw->matrix[RAW_M];
    direct *factor = NULL;
    size_t pairs = 0;
    int symmetric = 0, dof = M->rows, group = k->raw->dim == 2 ? 2 : 3;
    *kept = 0;
    scree_status status = count_pairs(k, &pairs);
    if (status != SCREE_OK || pairs < GENERAL_PAIRS) return SCREE_OK; /* too many to count: assembling says so */
    status = factor_mass(k, &symmetric, &factor);
    double through = factor ? 4.0 * (direct_nonzeros(factor) + (double)raw_matrix_entries(&k->A)) : 0.0;
    if (status != SCREE_OK || !symmetric || through > (double)pairs) goto out;
    k->v_free = get(k, (size_t)dof, sizeof *k->v_free);
    if (!k->v_free) status = SCREE_ERR_MEMORY;
    if (status != SCREE_OK) goto out;
    direct_solve(factor, k->raw->vector[RAW_F], k->v_free);
    k->body_count = (dof + group - 1) / group;
    memset(k->body_dof, 0, (size_t)dof * sizeof *k->body_dof);
    for (int i = 0; i < dof; ++i)
        k->body_of[i] = i / group, k->place[i] = i % group, k->body_dof[i / group] = i % group + 1;
    k->def.mass_start = M->start, k->def.mass_column = M->column, k->def.mass_value = M->value;
    *kept = 1;
out:
    direct_destroy(factor);
    return status;
}

/// k->A = Ht becomes W_ext, symmetric to the last bit if M is; q_ext += Ht M^-1 f.
static scree_status assemble_general(maker *k)
{
    int dof = k->raw->dof_count;
    double *b = get(k, (size_t)dof, sizeof *b), *x = get(k, (size_t)dof, sizeof *x);
    raw_matrix W = {.rows = k->rows, .cols = k->rows};
    triplets t = {NULL, NULL, NULL, 0};
    direct *factor = NULL;
    size_t pairs = 0;
    int symmetric = 0;
    scree_status status = b && x ? count_pairs(k, &pairs) : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) status = triplets_get(k, pairs, &t);
    if (status == SCREE_OK) status = factor_mass(k, &symmetric, &factor);
    if (status == SCREE_OK) {
        direct_solve(factor, k->raw->vector[RAW_F], x);
        for (int i = 0; i < k->rows; ++i) k->q[i] += row_dot(&k->A, i, x);
    }
    for (int i = 0; status == SCREE_OK && i < k->rows; ++i) {
        if (k->A.start[i] == k->A.start[i + 1]) continue;
        memset(b, 0, (size_t)dof * sizeof *b);
        for (int e = k->A.start[i]; e < k->A.start[i + 1]; ++e) b[k->A.column[e]] = k->A.value[e];
        direct_solve(factor, b, x);
        for (int j = symmetric ? i : 0; j < k->rows; ++j) { /* column i of W_ext */
            double W_ji = row_dot(&k->A, j, x);
            if (W_ji == 0.0 || t.count + 2 > pairs + 1) continue;
            t.row[t.count] = j, t.column[t.count] = i, t.value[t.count++] = W_ji;
            if (symmetric && i != j) t.row[t.count] = i, t.column[t.count] = j, t.value[t.count++] = W_ji;
        }
    }
    if (status == SCREE_OK && !raw_matrix_fill(&W, t.count, t.row, t.column, t.value, &k->allocator))
        status = SCREE_ERR_MEMORY;
    direct_destroy(factor);
    triplets_free(k, &t);
    memory_free(&k->allocator, b);
    memory_free(&k->allocator, x);
    raw_matrix_clear(&k->A, &k->allocator);
    k->A = W;
    return status == SCREE_OK ? check_finite(k) : status;
}

/* ---- the problem -------------------------------------------------------------------------------------------------------------- */

static scree_status make_global(maker *k)
{
    scree_status status = find_bodies(k);
    if (status != SCREE_OK) return status;
    int kept = 0;
    if (k->largest_body > RAW_BODY_DOF_MAX) status = keep_general(k, &kept);
    if (status != SCREE_OK) return status;
    if (k->largest_body > RAW_BODY_DOF_MAX && !kept) {
        status = assemble_general(k);
        return status == SCREE_OK ? make_assembled_blocks(k) : status;
    }
    if (!kept) status = invert_masses(k);
    if (status == SCREE_OK) status = make_blocks(k, k->body_of, k->place, k->body_dof, k->body_count);
    k->def.body_count = k->body_count, k->def.body_dof = k->body_dof;
    k->def.body_inv_mass = k->body_mass, k->def.v_free = k->v_free;
    return status;
}

static void free_all(maker *k)
{
    void *const memory[] = {k->row_end,   k->block_of_row, k->cone,        k->bound,   k->q,
                            k->entry_row, k->entry_column, k->entry_value, k->body_of, k->place,
                            k->body_dof,  k->body_mass,    k->v_free};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) memory_free(&k->allocator, memory[i]);
    raw_matrix_clear(&k->A, &k->allocator);
}

scree_status raw_to_problem(const raw_problem *raw, const char *file, const scree_allocator *allocator,
                            scree_problem **problem, scree_error *error)
{
    maker k = {.raw = raw, .file = file, .allocator = memory_allocator(allocator), .error = error};
    *problem = NULL;
    k.def = scree_problem_def_default();
    scree_status status = make_rows(&k);
    if (status == SCREE_OK) status = make_scalar(&k);
    if (status == SCREE_OK) status = raw->kind == RAW_LOCAL ? make_assembled_blocks(&k) : make_global(&k);
    if (status == SCREE_ERR_MEMORY) raw_out_of_memory(file, error);
    if (status == SCREE_OK) {
        k.def.contact_count = raw->contact_count, k.def.bound_count = raw->equality_count;
        k.def.cone = k.cone, k.def.bound = k.bound, k.def.q = k.q;
        status = problem_create(&k.def, allocator, problem, error);
        if (status != SCREE_OK && error && file) snprintf(error->file, sizeof error->file, "%s", file);
    }
    free_all(&k);
    return status;
}
