/* problem_to_raw.c: what a file can hold of a contact problem.
 *
 *     assembled            local:   W, V, R are the blocks of W_ext (contacts, bilateral rows), compliance on the diagonal
 *     through the bodies   global:  M = (M^-1)^-1 body by body, H = Ht', f = M v_free, w = q - Ht v_free
 *
 * Degrees of freedom without inverse mass (held or driven bodies) do not move by reactions: they are left out of M and H, and
 * their velocity stays in w. A file has one dimension for all contacts, no bounded rows and no law. */
#include "base/memory.h"
#include "math/dense.h"
#include "problem/mass.h"
#include "problem/problem_private.h"
#include "problem/raw.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct triplets {
    int *row, *column;
    double *value;
    size_t count;
} triplets;

static int triplets_get(const scree_allocator *a, size_t count, triplets *t)
{
    t->row = memory_array(a, count + 1, sizeof *t->row), t->column = memory_array(a, count + 1, sizeof *t->column);
    t->value = memory_array(a, count + 1, sizeof *t->value), t->count = 0;
    return t->row && t->column && t->value;
}

static void triplets_free(const scree_allocator *a, triplets *t)
{
    MEMORY_FREE_ALL(a, t->row, t->column, t->value);
}

static void put(triplets *t, int row, int column, double value)
{
    t->row[t->count] = row, t->column[t->count] = column, t->value[t->count++] = value;
}

/* ---- what a file can say ---------------------------------------------------------------------------------------------------- */

/// Dimension of a contact in a file, by the sizes of its cone; 0: a file has no such cone.
static int file_dim(const scree_cone *cone)
{
    static const int size[][SCREE_FRICTION_KINDS] = {
        [2] = {1, 0, 0}, [3] = {2, 0, 0}, [4] = {2, 0, 1}, [5] = {2, 2, 0}, [6] = {2, 2, 1}};
    for (int dim = 2; dim <= SCREE_DIM_MAX; ++dim)
        if (memcmp(cone->size, size[dim], sizeof cone->size) == 0) return dim;
    return 0;
}

static scree_status check(const scree_problem *p, const char *file, int *dim, scree_error *error)
{
    *dim = p->contact_count > 0 ? file_dim(&p->cone[0]) : 3;
    for (int c = 0; c < p->contact_count; ++c) {
        int own = file_dim(&p->cone[c]);
        if (own == 0) {
            scree_error_set(error, file, 0, 0,
                            "contact %d has a cone that files do not know, expected planar, or slide with roll or spin",
                            c);
            return SCREE_ERR_UNSUPPORTED;
        }
        if (own != *dim) {
            scree_error_set(error, file, 0, 0,
                            "contact 0 has %d rows and contact %d has %d, expected one kind of contact in a file", *dim,
                            c, own);
            return SCREE_ERR_UNSUPPORTED;
        }
    }
    for (int b = 0; b < p->bound_count; ++b)
        if (p->bound[b] <= 1.7e308) {
            scree_error_set(error, file, 0, 0,
                            "row %d has the bound %g, which files have no place for, expected bilateral rows only",
                            p->offset[p->contact_count + b], p->bound[b]);
            return SCREE_ERR_UNSUPPORTED;
        }
    return SCREE_OK;
}

static int make_vector(raw_problem *raw, int vector)
{
    raw->vector[vector] = memory_array(&raw->allocator, (size_t)raw_vector_size(raw, vector) + 1, sizeof(double));
    return raw->vector[vector] != NULL;
}

/// All vectors the problem has, with the coefficients in place.
static int make_vectors(const scree_problem *p, raw_problem *raw)
{
    static const int mechanism[] = {
        [RAW_MU] = SCREE_FRICTION_SLIDE, [RAW_MU_R] = SCREE_FRICTION_ROLL, [RAW_MU_S] = SCREE_FRICTION_SPIN};
    for (int k = 0; k < RAW_VECTORS; ++k) {
        if (!raw_has_vector(raw, k)) continue;
        if (!make_vector(raw, k)) return 0;
        for (int c = 0; k >= RAW_MU && c < p->contact_count; ++c) raw->vector[k][c] = p->cone[c].coef[mechanism[k]];
    }
    return 1;
}

/// Sorts triplets into two matrices side by side: columns below `split`, and the rest.
static int fill_split(raw_problem *raw, const triplets *t, int split, int left, int right)
{
    for (int part = 0; part < 2; ++part) {
        int matrix = part ? right : left;
        raw_matrix *A = &raw->matrix[matrix];
        triplets own;
        if (!raw_has_matrix(raw, matrix)) continue;
        int made = triplets_get(&raw->allocator, t->count, &own);
        for (size_t e = 0; made && e < t->count; ++e) {
            if ((t->column[e] >= split) != part) continue;
            put(&own, t->row[e], t->column[e] - (part ? split : 0), t->value[e]);
        }
        raw_matrix_shape(raw, matrix, &A->rows, &A->cols);
        A->storage = RAW_CSC;
        made = made && raw_matrix_fill(A, own.count, own.row, own.column, own.value, &raw->allocator);
        triplets_free(&raw->allocator, &own);
        if (!made) return 0;
    }
    return 1;
}

/* ---- local ------------------------------------------------------------------------------------------------------------------ */

/// Block storage by contacts, as .dat files of local problems usually have it.
static int mark_blocks(raw_problem *raw)
{
    raw_matrix *W = &raw->matrix[RAW_W];
    W->storage = RAW_BLOCK, W->row_blocks = W->col_blocks = raw->contact_count;
    W->row_end = memory_array(&raw->allocator, (size_t)raw->contact_count + 1, sizeof *W->row_end);
    W->col_end = memory_array(&raw->allocator, (size_t)raw->contact_count + 1, sizeof *W->col_end);
    if (!W->row_end || !W->col_end) return 0;
    for (int c = 0; c < raw->contact_count; ++c) W->row_end[c] = W->col_end[c] = (c + 1) * raw->dim;
    return 1;
}

/// Entries of W_ext with their scalar rows and columns; `contacts`: those of contact rows, or of bilateral rows.
static void list_entries(const scree_problem *p, int contacts, triplets *t)
{
    const block_matrix *W = p->W;
    int from = contacts ? 0 : p->contact_count, to = contacts ? p->contact_count : p->block_count;
    for (int i = from; i < to; ++i) {
        int m = W->row_offset[i + 1] - W->row_offset[i];
        for (int e = W->start[i]; e < W->start[i + 1]; ++e) {
            int j = W->column[e], n = W->col_offset[j + 1] - W->col_offset[j];
            for (int y = 0; y < m; ++y)
                for (int x = 0; x < n; ++x)
                    put(t, W->row_offset[i] + y, W->col_offset[j] + x, W->value[W->at[e] + (size_t)(y * n + x)]);
        }
        for (int y = 0; p->compliance && y < m; ++y)
            put(t, W->row_offset[i] + y, W->row_offset[i] + y, p->compliance[W->row_offset[i] + y]);
    }
}

/// 0 if the part of W_ext below W is not the transpose of V: then a file cannot say it.
static int is_transpose_of_V(const raw_problem *raw, const triplets *t, int n)
{
    const raw_matrix *V = &raw->matrix[RAW_V];
    size_t nonzero = 0;
    for (size_t e = 0; e < raw_matrix_entries(V); ++e) nonzero += V->value[e] != 0.0;
    for (size_t e = 0; e < t->count; ++e) {
        if (t->column[e] >= n || t->value[e] == 0.0) continue;
        int i = t->column[e], j = t->row[e] - n, at = V->start[i];
        while (at < V->start[i + 1] && V->column[at] != j) ++at;
        if (at == V->start[i + 1] || V->value[at] != t->value[e]) return 0;
        nonzero -= 1;
    }
    return nonzero == 0;
}

static scree_status make_local(const scree_problem *p, raw_problem *raw, const char *file, scree_error *error)
{
    size_t values = p->W->at[p->W->start[p->W->row_blocks]] + (size_t)p->row_count;
    int n = raw_row_count(raw), m = p->bound_count;
    triplets t = {NULL, NULL, NULL, 0};
    scree_status status = SCREE_ERR_MEMORY;
    raw->kind = RAW_LOCAL, raw->equality_count = m;
    if (!make_vectors(p, raw) || values >= INT_MAX || !triplets_get(&raw->allocator, values, &t)) goto out;
    memcpy(raw->vector[RAW_Q], p->q, (size_t)n * sizeof *p->q);
    if (m > 0) memcpy(raw->vector[RAW_S], p->q + n, (size_t)m * sizeof *p->q);
    list_entries(p, 1, &t);
    if (!fill_split(raw, &t, n, RAW_W, RAW_V) || !mark_blocks(raw)) goto out;
    status = SCREE_OK;
    if (m == 0) goto out;
    t.count = 0;
    list_entries(p, 0, &t);
    if (!is_transpose_of_V(raw, &t, n)) {
        scree_error_set(error, file, 0, 0, "the bilateral rows of W are not symmetric, which files have no place for");
        status = SCREE_ERR_UNSUPPORTED;
        goto out;
    }
    size_t kept = 0; /* R: columns of bilateral rows only */
    for (size_t e = 0; e < t.count; ++e)
        if (t.column[e] >= n)
            t.row[kept] = t.row[e] - n, t.column[kept] = t.column[e] - n, t.value[kept++] = t.value[e];
    raw_matrix *R = &raw->matrix[RAW_R];
    R->rows = R->cols = m, R->storage = RAW_CSC;
    if (!raw_matrix_fill(R, kept, t.row, t.column, t.value, &raw->allocator)) status = SCREE_ERR_MEMORY;
out:
    triplets_free(&raw->allocator, &t);
    return status;
}

/* ---- global ------------------------------------------------------------------------------------------------------------------ */

/// number[dof]: its row in M, or -1 where it has no inverse mass. Returns how many have.
static int number_dofs(const block_matrix *N, int *number)
{
    int count = 0;
    for (int b = 0; b < N->row_blocks; ++b) {
        int d = N->row_offset[b + 1] - N->row_offset[b];
        const double *B = N->value + N->at[N->start[b]];
        for (int i = 0; i < d; ++i) {
            int moves = 0;
            for (int j = 0; j < d; ++j) moves |= B[i * d + j] != 0.0;
            number[N->row_offset[b] + i] = moves ? count++ : -1;
        }
    }
    return count;
}

/// The mass of one body on its degrees of freedom that move. 0 if M^-1 is singular there; -1: no memory.
static int invert_body(const block_matrix *N, int b, const int *number, const scree_allocator *a, triplets *t)
{
    int d = N->row_offset[b + 1] - N->row_offset[b], n = 0, made = -1;
    const double *B = N->value + N->at[N->start[b]];
    double *L = memory_array(a, (size_t)d * (size_t)d + 1, sizeof *L), *x = memory_array(a, (size_t)d + 1, sizeof *x);
    int *moves = memory_array(a, (size_t)d + 1, sizeof *moves);
    if (L && x && moves) {
        for (int i = 0; i < d; ++i)
            if (number[N->row_offset[b] + i] >= 0) moves[n++] = i;
        made = 1;
        for (int j = 0; j < n && made == 1; ++j) { /* elimination: M^-1 need not be symmetric */
            memset(x, 0, (size_t)d * sizeof *x);
            x[j] = 1.0;
            for (int i = 0; i < n; ++i)
                for (int l = 0; l < n; ++l) L[i * n + l] = B[moves[i] * d + moves[l]];
            made = gauss_solve(n, L, x);
            for (int i = 0; i < n && made == 1; ++i)
                put(t, number[N->row_offset[b] + moves[i]], number[N->row_offset[b] + moves[j]], x[i]);
        }
    }
    MEMORY_FREE_ALL(a, L, x, moves);
    return made;
}

/// A general M as it was given. -1: no memory.
static int copy_mass(const scree_mass *mass, raw_problem *raw)
{
    raw_matrix *M = &raw->matrix[RAW_M];
    size_t n = (size_t)mass->start[mass->n];
    triplets t;
    int made = triplets_get(&raw->allocator, n, &t) ? 1 : -1;
    for (int i = 0; made == 1 && i < mass->n; ++i)
        for (int e = mass->start[i]; e < mass->start[i + 1]; ++e) put(&t, i, mass->column[e], mass->value[e]);
    M->rows = M->cols = raw->dof_count, M->storage = RAW_CSC;
    if (made == 1 && !raw_matrix_fill(M, t.count, t.row, t.column, t.value, &raw->allocator)) made = -1;
    triplets_free(&raw->allocator, &t);
    return made;
}

/// M from M^-1. 0 if it cannot be; -1: no memory.
static int make_mass(const scree_problem *p, const int *number, raw_problem *raw)
{
    const block_matrix *N = p->inv_mass;
    raw_matrix *M = &raw->matrix[RAW_M];
    triplets t;
    if (p->mass) return copy_mass(p->mass, raw);
    int made = triplets_get(&raw->allocator, N->at[N->start[N->row_blocks]], &t) ? 1 : -1;
    for (int b = 0; b < N->row_blocks && made == 1; ++b) made = invert_body(N, b, number, &raw->allocator, &t);
    M->rows = M->cols = raw->dof_count, M->storage = RAW_CSC;
    if (made == 1 && !raw_matrix_fill(M, t.count, t.row, t.column, t.value, &raw->allocator)) made = -1;
    triplets_free(&raw->allocator, &t);
    return made;
}

/// H and G, f = M v_free, and (w, b) = q - Ht v_free over what moves.
static int make_bodies(const scree_problem *p, const int *number, raw_problem *raw)
{
    const block_matrix *Ht = p->Ht;
    const raw_matrix *M = &raw->matrix[RAW_M];
    int n = raw_row_count(raw), made = 0;
    size_t values = Ht->at[Ht->start[Ht->row_blocks]];
    double *v = memory_array(&raw->allocator, (size_t)raw->dof_count + 1, sizeof *v);
    double *u = memory_array(&raw->allocator, (size_t)p->row_count + 1, sizeof *u);
    triplets t = {NULL, NULL, NULL, 0};
    if (!v || !u || !triplets_get(&raw->allocator, values, &t)) goto out;
    for (int k = 0; k < p->dof_count; ++k)
        if (number[k] >= 0 && p->v_free) v[number[k]] = p->v_free[k];
    for (int i = 0; i < p->row_count; ++i) u[i] = p->q[i];
    for (int i = 0; i < Ht->row_blocks; ++i)
        for (int e = Ht->start[i]; e < Ht->start[i + 1]; ++e) {
            int j = Ht->column[e], d = Ht->col_offset[j + 1] - Ht->col_offset[j];
            for (int y = Ht->row_offset[i]; y < Ht->row_offset[i + 1]; ++y)
                for (int x = 0; x < d; ++x) {
                    int dof = number[Ht->col_offset[j] + x];
                    double h = Ht->value[Ht->at[e] + (size_t)((y - Ht->row_offset[i]) * d + x)];
                    if (dof < 0 || h == 0.0) continue;
                    put(&t, dof, y, h);
                    u[y] -= h * v[dof];
                }
        }
    for (int i = 0; i < M->rows; ++i)
        for (int e = M->start[i]; e < M->start[i + 1]; ++e) raw->vector[RAW_F][i] += M->value[e] * v[M->column[e]];
    memcpy(raw->vector[RAW_U_FREE], u, (size_t)n * sizeof *u);
    if (p->bound_count > 0) memcpy(raw->vector[RAW_B], u + n, (size_t)p->bound_count * sizeof *u);
    made = fill_split(raw, &t, n, RAW_H, RAW_G);
out:
    triplets_free(&raw->allocator, &t);
    memory_free(&raw->allocator, v);
    memory_free(&raw->allocator, u);
    return made;
}

/// SCREE_ERR_UNSUPPORTED: a global file cannot say it, try local.
static scree_status make_global(scree_problem *p, raw_problem *raw)
{
    int *number = memory_array(&raw->allocator, (size_t)p->dof_count + 1, sizeof *number);
    scree_status status = SCREE_ERR_MEMORY;
    if (!number || problem_form(p, SCREE_PART_BLOCKS) != SCREE_OK) {
        memory_free(&raw->allocator, number);
        return status;
    }
    raw->kind = RAW_GLOBAL, raw->equality_count = p->bound_count;
    for (int i = 0; p->mass && i < p->dof_count; ++i) number[i] = i;
    raw->dof_count = p->mass ? p->dof_count : number_dofs(p->inv_mass, number);
    int made = make_mass(p, number, raw);
    if (made == 0) status = SCREE_ERR_UNSUPPORTED;
    else if (made == 1 && make_vectors(p, raw) && make_bodies(p, number, raw)) status = SCREE_OK;
    memory_free(&raw->allocator, number);
    return status;
}

/* ---- solution, and both ---------------------------------------------------------------------------------------------------- */

static int copy_part(raw_problem *raw, int part, const double *from)
{
    int size = raw_solution_size(raw, part);
    if (size == 0) return 1;
    double *to = raw->solution.part[part] = memory_array(&raw->allocator, (size_t)size, sizeof *to);
    if (to) memcpy(to, from, (size_t)size * sizeof *to);
    return to != NULL;
}

/// r and l from p, u from y = W p + q, and v = v_free + M^-1 H p of the degrees of freedom in the file.
static int add_solution(const scree_problem *p, const double *load, raw_problem *raw)
{
    int n = raw_row_count(raw), made = 0;
    double *y = memory_array(&raw->allocator, (size_t)p->row_count + 1, sizeof *y);
    if (y && scree_problem_velocity(p, load, y, NULL) == SCREE_OK) {
        made = copy_part(raw, RAW_SOLUTION_U, y) && copy_part(raw, RAW_SOLUTION_R, load) &&
               copy_part(raw, RAW_SOLUTION_L, load + n);
    }
    memory_free(&raw->allocator, y);
    if (!made || raw->kind != RAW_GLOBAL || raw->dof_count == 0) return made;
    double *v = raw->solution.part[RAW_SOLUTION_V] = memory_array(&raw->allocator, (size_t)raw->dof_count, sizeof *v);
    if (p->mass) { return v && scree_problem_body_velocities(p, load, v, NULL) == SCREE_OK; }
    double *impulse = memory_array(&raw->allocator, (size_t)p->dof_count + 1, sizeof *impulse);
    const block_matrix *Ht = p->Ht, *N = p->inv_mass;
    for (int i = 0; v && impulse && i < Ht->row_blocks; ++i)
        for (int e = Ht->start[i]; e < Ht->start[i + 1]; ++e) {
            int j = Ht->column[e], d = Ht->col_offset[j + 1] - Ht->col_offset[j];
            for (int r = Ht->row_offset[i]; r < Ht->row_offset[i + 1]; ++r)
                for (int x = 0; x < d; ++x)
                    impulse[Ht->col_offset[j] + x] +=
                        Ht->value[Ht->at[e] + (size_t)((r - Ht->row_offset[i]) * d + x)] * load[r];
        }
    for (int b = 0, at = 0; v && impulse && b < N->row_blocks; ++b) {
        int d = N->row_offset[b + 1] - N->row_offset[b];
        const double *B = N->value + N->at[N->start[b]], *f = impulse + N->row_offset[b];
        for (int i = 0; i < d; ++i) {
            double s = p->v_free ? p->v_free[N->row_offset[b] + i] : 0.0;
            int moves = 0;
            for (int j = 0; j < d; ++j) s += B[i * d + j] * f[j], moves |= B[i * d + j] != 0.0;
            if (moves) v[at++] = s;
        }
    }
    made = v && impulse;
    memory_free(&raw->allocator, impulse);
    return made;
}

scree_status raw_from_problem(const scree_problem *problem, const double *p, const char *file,
                              const scree_allocator *allocator, raw_problem **raw, scree_error *error)
{
    scree_problem *assembled = NULL, alias = problem_alias(problem, allocator);
    raw_problem *made = NULL;
    int dim;
    *raw = NULL;
    scree_status status = check(problem, file, &dim, error);
    if (status != SCREE_OK) return status;
    for (int as_local = problem->W || problem->compliance; as_local <= 1; ++as_local) {
        made = raw_create(allocator);
        status = made ? SCREE_OK : SCREE_ERR_MEMORY;
        if (!made) break;
        made->dim = dim, made->contact_count = problem->contact_count;
        if (as_local && !problem->W) status = problem_assemble(problem, allocator, &assembled);
        if (status == SCREE_OK && !as_local) status = make_global(&alias, made);
        else if (status == SCREE_OK) status = make_local(assembled ? assembled : problem, made, file, error);
        if (status != SCREE_ERR_UNSUPPORTED || as_local) break;
        raw_destroy(made);
    }
    if (status == SCREE_OK && made && p && !add_solution(&alias, p, made)) status = SCREE_ERR_MEMORY;
    if (status == SCREE_ERR_MEMORY) raw_out_of_memory(file, error);
    scree_problem_destroy(assembled);
    problem_alias_release(&alias);
    if (status == SCREE_OK) *raw = made;
    else raw_destroy(made);
    return status;
}
