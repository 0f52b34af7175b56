/* problem.c: the contact problem as a value: made, applied, assembled.
 *
 *     assembled:            y = W x + diag(compliance) x
 *     through the bodies:   y = H' (M^-1 (H x)) + diag(compliance) x,   two passes over H, one over M^-1; W is never formed
 *
 * Where M couples the bodies, M^-1 is a solution with its sparse factor (mass.c).
 * A problem of rigid contacts (rigid.c) goes through the bodies without blocks: the three products are its own. */
#include "base/fail.h"
#include "base/memory.h"
#include "laws/cone.h"
#include "problem/mass.h"
#include "problem/rigid.h"

#include <string.h>

scree_problem_def scree_problem_def_default(void)
{
    return (scree_problem_def){.cookie = SCREE_COOKIE, .law = SCREE_LAW_COULOMB};
}

void scree_problem_destroy(scree_problem *problem)
{
    if (!problem) return;
    scree_allocator a = problem->allocator;
    block_matrix_destroy(problem->W, &a);
    block_matrix_destroy(problem->Ht, &a);
    block_matrix_destroy(problem->inv_mass, &a);
    mass_destroy(problem->mass, &a);
    MEMORY_FREE_ALL(&a, problem->offset, problem->cone, problem->bound, problem->q, problem->compliance,
                    problem->v_free, problem->rigid, problem->rigid_row, problem->rigid_mass, problem->diagonal,
                    problem->diagonal_at, problem);
}

/* ---- making ------------------------------------------------------------------------------------------------------- */

static int rows_of(const scree_problem *p, int block)
{
    return p->offset[block + 1] - p->offset[block];
}

static scree_status copy_array(const scree_problem *p, const double *from, int count, double **to)
{
    *to = memory_array(&p->allocator, (size_t)count + 1, sizeof **to);
    if (!*to) return SCREE_ERR_MEMORY;
    if (from) memcpy(*to, from, (size_t)count * sizeof **to);
    return SCREE_OK;
}

static scree_status make_rows(const scree_problem_def *def, scree_problem *p, scree_error *error)
{
    p->law = def->law;
    p->contact_count = def->contact_count, p->bound_count = def->bound_count;
    p->block_count = def->contact_count + def->bound_count;
    p->offset = memory_array(&p->allocator, (size_t)p->block_count + 1, sizeof *p->offset);
    p->cone = memory_array(&p->allocator, (size_t)p->contact_count + 1, sizeof *p->cone);
    if (!p->offset || !p->cone) return SCREE_ERR_MEMORY;
    for (int c = 0; c < p->contact_count; ++c) {
        if (!scree_cone_valid(&def->cone[c])) {
            scree_error_set(error, NULL, 0, 0,
                            "contact %d: the cone is not valid, expected sizes 0 to 2 and finite coefficients >= 0", c);
            return SCREE_ERR_INPUT;
        }
        p->cone[c] = def->cone[c];
        p->offset[c + 1] = p->offset[c] + cone_dim(&def->cone[c]);
    }
    for (int b = 0; b < p->bound_count; ++b) {
        if (!(def->bound[b] >= 0.0)) {
            scree_error_set(error, NULL, 0, 0, "bounded row %d: the bound is %g, expected >= 0 or infinite", b,
                            def->bound[b]);
            return SCREE_ERR_INPUT;
        }
        p->offset[p->contact_count + b + 1] = p->offset[p->contact_count + b] + 1;
    }
    p->row_count = p->offset[p->block_count];
    if (copy_array(p, def->bound, def->bound_count, &p->bound)) return SCREE_ERR_MEMORY;
    if (copy_array(p, def->q, p->row_count, &p->q)) return SCREE_ERR_MEMORY;
    if (def->compliance && copy_array(p, def->compliance, p->row_count, &p->compliance)) return SCREE_ERR_MEMORY;
    for (int i = 0; i < p->row_count; ++i)
        if (!(fabs(p->q[i]) <= DBL_MAX)) {
            scree_error_set(error, NULL, 0, 0, "q[%d] is not finite", i);
            return SCREE_ERR_INPUT;
        }
    return SCREE_OK;
}

static scree_status check_entries(const scree_problem_def *def, int rows, int columns, scree_error *error)
{
    for (size_t e = 0; e < def->entry_count; ++e)
        if (def->entry_row[e] < 0 || def->entry_row[e] >= rows || def->entry_column[e] < 0 ||
            def->entry_column[e] >= columns) {
            scree_error_set(error, NULL, 0, 0,
                            "block entry %zu is at (%d, %d), expected rows below %d and columns below %d", e,
                            def->entry_row[e], def->entry_column[e], rows, columns);
            return SCREE_ERR_INPUT;
        }
    return SCREE_OK;
}

/// M^-1 as a block diagonal matrix, H', and q += H' v_free.
static scree_status make_bodies(const scree_problem_def *def, scree_problem *p, scree_error *error)
{
    scree_status status = check_entries(def, p->block_count, def->body_count, error);
    int *dof_offset = memory_array(&p->allocator, (size_t)def->body_count + 1, sizeof *dof_offset);
    int *diagonal = memory_array(&p->allocator, (size_t)def->body_count + 1, sizeof *diagonal);
    if (!dof_offset || !diagonal) status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        for (int b = 0; b < def->body_count; ++b) dof_offset[b + 1] = dof_offset[b] + def->body_dof[b], diagonal[b] = b;
        p->body_count = def->body_count, p->dof_count = dof_offset[def->body_count];
        status = block_matrix_create(p->block_count, p->offset, p->body_count, dof_offset, def->entry_count,
                                     def->entry_row, def->entry_column, def->entry_value, &p->allocator, &p->Ht);
    }
    if (status == SCREE_OK && !def->mass_start)
        status = block_matrix_create(p->body_count, dof_offset, p->body_count, dof_offset, (size_t)p->body_count,
                                     diagonal, diagonal, def->body_inv_mass, &p->allocator, &p->inv_mass);
    else if (status == SCREE_OK) {
        status = mass_create(p->dof_count, def->mass_start, def->mass_column, def->mass_value, &p->allocator, &p->mass);
        if (status == SCREE_ERR_INPUT)
            scree_error_set(error, NULL, 0, 0, "M is not positive definite, expected a mass matrix");
    }
    if (status == SCREE_OK && def->v_free) {
        status = copy_array(p, def->v_free, p->dof_count, &p->v_free);
        if (status == SCREE_OK) block_matrix_apply(p->Ht, 1, p->v_free, p->q);
    }
    memory_free(&p->allocator, dof_offset);
    memory_free(&p->allocator, diagonal);
    return status;
}

/// D += A N B' for blocks A (m x d), N (d x d), B (n x d), all row-major.
static void add_triple(int m, int n, int d, const double *A, const double *N, const double *B, double *D)
{
    for (int i = 0; i < m; ++i)
        for (int k = 0; k < d; ++k) {
            double s = 0.0;
            for (int l = 0; l < d; ++l) s += A[i * d + l] * N[l * d + k];
            for (int j = 0; j < n; ++j) D[i * n + j] += s * B[j * d + k];
        }
}

/// The same straight from W, the blocks or the rigid contacts.
static void make_diagonal_block(const scree_problem *p, int c, double *D)
{
    int m = rows_of(p, c);
    SCREE_ASSERT(!p->mass); /* its diagonal is there since create */
    memset(D, 0, (size_t)m * (size_t)m * sizeof *D);
    const double *W_cc = p->W ? block_matrix_find(p->W, c, c) : NULL;
    if (W_cc) memcpy(D, W_cc, (size_t)m * (size_t)m * sizeof *D);
    for (int e = p->inv_mass ? p->Ht->start[c] : 0; p->inv_mass && e < p->Ht->start[c + 1]; ++e) {
        int b = p->Ht->column[e], d = p->Ht->col_offset[b + 1] - p->Ht->col_offset[b];
        const double *A = p->Ht->value + p->Ht->at[e];
        add_triple(m, m, d, A, p->inv_mass->value + p->inv_mass->at[b], A, D);
    }
    for (int is_b = 0; p->rigid && !p->Ht && is_b < 2; ++is_b) {
        int b = rigid_body_of(p, c, is_b);
        double A[SCREE_DIM_MAX * RIGID_DOF], N[RIGID_DOF * RIGID_DOF];
        if (b < 0) continue;
        rigid_block(p, c, is_b, A);
        rigid_inv_mass_block(&p->rigid_mass[b], N);
        add_triple(m, m, RIGID_DOF, A, N, A, D);
    }
    for (int i = 0; p->compliance && i < m; ++i) D[i * m + i] += p->compliance[p->offset[c] + i];
}

void problem_diagonal_block(const scree_problem *problem, int block, double *D)
{
    int m = rows_of(problem, block);
    if (problem->diagonal)
        memcpy(D, problem->diagonal + problem->diagonal_at[block], (size_t)m * (size_t)m * sizeof *D);
    else make_diagonal_block(problem, block, D);
}

/// X = M^-1 H for the rows of a few contacts at a time: what W needs of a general M, column by column. Block columns of H as rows of
/// length dof_count.
typedef struct mass_columns {
    double *H, *X;  /* (MASS_COLUMNS x dof_count)      */
    int first, end; /* contacts whose columns X holds  */
} mass_columns;

enum { MASS_COLUMNS = 48 };

static int mass_columns_create(const scree_problem *p, const scree_allocator *a, mass_columns *x)
{
    size_t n = MASS_COLUMNS * (size_t)p->dof_count + 1;
    x->first = x->end = 0;
    x->H = memory_array(a, n, sizeof *x->H);
    x->X = memory_array(a, n, sizeof *x->X);
    return x->H && x->X;
}

static void mass_columns_destroy(const scree_allocator *a, mass_columns *x)
{
    memory_free(a, x->H);
    memory_free(a, x->X);
}

/// The columns of contact c, in its turn (c ascends from 0); NULL: no memory.
static const double *mass_columns_of(const scree_problem *p, int c, mass_columns *x)
{
    const block_matrix *Ht = p->Ht;
    size_t n = (size_t)p->dof_count;
    if (c >= x->end) {
        x->first = x->end = c;
        while (x->end < p->block_count && p->offset[x->end + 1] - p->offset[c] <= MASS_COLUMNS) x->end += 1;
        int count = p->offset[x->end] - p->offset[c];
        memset(x->H, 0, (size_t)count * n * sizeof *x->H);
        for (int k = c; k < x->end; ++k)
            for (int e = Ht->start[k]; e < Ht->start[k + 1]; ++e)
                for (int r = 0, b = Ht->column[e], d = Ht->col_offset[b + 1] - Ht->col_offset[b]; r < rows_of(p, k);
                     ++r)
                    memcpy(x->H + (size_t)(p->offset[k] - p->offset[c] + r) * n + Ht->col_offset[b],
                           Ht->value + Ht->at[e] + (size_t)(r * d), (size_t)d * sizeof *x->H);
        if (!mass_solve_many(p->mass, count, x->H, x->X)) return NULL;
    }
    return x->X + (size_t)(p->offset[c] - p->offset[x->first]) * n;
}

/// Block (j, c) of W from the columns X of contact c: B = H_j X, rows of j x rows of c. Returns 1 if it is not zero.
static int mass_block(const scree_problem *p, int j, int c, const double *X, double *B)
{
    int k = rows_of(p, j), m = rows_of(p, c), seen = 0;
    for (int r = 0; r < m; ++r) {
        double column[SCREE_DIM_MAX] = {0};
        block_row_apply(p->Ht, j, X + (size_t)r * (size_t)p->dof_count, column);
        for (int i = 0; i < k; ++i) B[i * m + r] = column[i], seen |= column[i] != 0.0;
    }
    for (int r = 0; j == c && r < m; ++r)
        for (int i = 0; i < r; ++i) B[i * m + r] = B[r * m + i];
    return seen;
}

static scree_status make_mass_diagonal(const scree_problem *p, const size_t *at, double *diagonal)
{
    mass_columns x;
    int made = mass_columns_create(p, &p->allocator, &x);
    for (int c = 0; made && c < p->block_count; ++c) {
        const double *X = mass_columns_of(p, c, &x);
        double *D = diagonal + at[c];
        if (!X) made = 0;
        else mass_block(p, c, c, X, D);
        for (int i = 0, m = rows_of(p, c); p->compliance && i < m; ++i) D[i * m + i] += p->compliance[p->offset[c] + i];
    }
    mass_columns_destroy(&p->allocator, &x);
    return made ? SCREE_OK : SCREE_ERR_MEMORY;
}

static scree_status make_diagonal(scree_problem *p)
{
    size_t *at = memory_array(&p->allocator, (size_t)p->block_count + 1, sizeof *at);
    if (!at) return SCREE_ERR_MEMORY;
    for (int c = 0; c < p->block_count; ++c) at[c + 1] = at[c] + (size_t)rows_of(p, c) * (size_t)rows_of(p, c);
    double *diagonal = memory_raw_array(&p->allocator, at[p->block_count] + 1, sizeof *diagonal);
    if (!diagonal) {
        memory_free(&p->allocator, at);
        return SCREE_ERR_MEMORY;
    }
    scree_status status = p->mass ? make_mass_diagonal(p, at, diagonal) : SCREE_OK;
    if (status != SCREE_OK) {
        memory_free(&p->allocator, at);
        memory_free(&p->allocator, diagonal);
        return status;
    }
    for (int c = 0; !p->mass && c < p->block_count; ++c) make_diagonal_block(p, c, diagonal + at[c]);
    p->diagonal = diagonal, p->diagonal_at = at;
    return SCREE_OK;
}

scree_status problem_form(scree_problem *p, unsigned parts)
{
    scree_status status = SCREE_OK;
    if ((parts & SCREE_PART_BLOCKS) && p->rigid && !p->Ht) status = rigid_form_blocks(p);
    if (status == SCREE_OK && (parts & SCREE_PART_DIAGONAL) && !p->diagonal) status = make_diagonal(p);
    return status;
}

scree_status scree_problem_prepare(scree_problem *problem, unsigned parts, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    scree_status status = problem_form(problem, parts);
    if (status != SCREE_OK)
        scree_error_set(error, NULL, 0, 0, "out of memory for the blocks of %d contacts", problem->contact_count);
    return error_keep(error, status);
}

scree_problem problem_alias(const scree_problem *problem, const scree_allocator *allocator)
{
    scree_problem alias = *problem;
    alias.allocator = memory_allocator(allocator);
    alias.lent = (problem->Ht ? SCREE_PART_BLOCKS : 0u) | (problem->diagonal ? SCREE_PART_DIAGONAL : 0u);
    return alias;
}

void problem_alias_release(scree_problem *alias)
{
    if (!(alias->lent & SCREE_PART_BLOCKS)) {
        block_matrix_destroy(alias->Ht, &alias->allocator);
        block_matrix_destroy(alias->inv_mass, &alias->allocator);
        alias->Ht = alias->inv_mass = NULL;
    }
    if (!(alias->lent & SCREE_PART_DIAGONAL)) {
        MEMORY_FREE_ALL(&alias->allocator, alias->diagonal, alias->diagonal_at);
        alias->diagonal = NULL, alias->diagonal_at = NULL;
    }
}

/// The diagonal blocks again. 0: they do not fit.
static int refill_diagonal(scree_problem *p)
{
    for (int c = 0; c < p->block_count; ++c) {
        size_t rows = (size_t)rows_of(p, c);
        if (p->diagonal_at[c + 1] - p->diagonal_at[c] != rows * rows) return 0;
        make_diagonal_block(p, c, p->diagonal + p->diagonal_at[c]);
    }
    return 1;
}

void problem_alias_renew(const scree_problem *problem, scree_problem *alias)
{
    scree_problem next = problem_alias(problem, &alias->allocator);
    int same = alias->block_count == problem->block_count && alias->body_count == problem->body_count;
    if (same && !(alias->lent & SCREE_PART_BLOCKS) && !next.Ht && alias->Ht) {
        next.Ht = alias->Ht, next.inv_mass = alias->inv_mass;
        if (rigid_refill_blocks(&next)) alias->Ht = alias->inv_mass = NULL;
        else next.Ht = next.inv_mass = NULL;
    }
    if (same && !(alias->lent & SCREE_PART_DIAGONAL) && !next.diagonal && alias->diagonal) {
        next.diagonal = alias->diagonal, next.diagonal_at = alias->diagonal_at;
        if (refill_diagonal(&next)) alias->diagonal = NULL, alias->diagonal_at = NULL;
        else next.diagonal = NULL, next.diagonal_at = NULL;
    }
    problem_alias_release(alias); /* what does not fit the other problem, if anything */
    *alias = next;
}

scree_status problem_create(const scree_problem_def *def, const scree_allocator *allocator, scree_problem **problem,
                            scree_error *error)
{
    scree_allocator a = memory_allocator(allocator);
    *problem = NULL;
    scree_problem *p = memory_array(&a, 1, sizeof *p);
    scree_status status = SCREE_ERR_MEMORY;
    if (p) {
        p->allocator = a;
        status = make_rows(def, p, error);
        if (status == SCREE_OK && def->body_count > 0) status = make_bodies(def, p, error);
        else if (status == SCREE_OK) {
            status = check_entries(def, p->block_count, p->block_count, error);
            if (status == SCREE_OK)
                status = block_matrix_create(p->block_count, p->offset, p->block_count, p->offset, def->entry_count,
                                             def->entry_row, def->entry_column, def->entry_value, &a, &p->W);
        }
        if (status == SCREE_OK) status = make_diagonal(p);
    }
    if (status == SCREE_ERR_MEMORY)
        scree_error_set(error, NULL, 0, 0, "out of memory making a problem of %d contacts", def->contact_count);
    if (status != SCREE_OK) scree_problem_destroy(p);
    else *problem = p;
    return status;
}

scree_problem *scree_problem_create(const scree_problem_def *def, scree_error *error)
{
    scree_problem *problem = NULL;
    if (error_stopped(error)) return NULL;
    SCREE_ASSERT(def->cookie == SCREE_COOKIE);
    error_keep(error, problem_create(def, def->allocator, &problem, error));
    return problem;
}

/* ---- reading and changing ------------------------------------------------------------------------------------------ */

static scree_block_matrix matrix_view(const block_matrix *A)
{
    if (!A) return (scree_block_matrix){.value = NULL};
    return (scree_block_matrix){A->row_blocks, A->col_blocks, A->row_offset, A->col_offset,
                                A->start,      A->column,     A->at,         A->value};
}

scree_problem_view scree_problem_parts(const scree_problem *p)
{
    return (scree_problem_view){
        .law = p->law,
        .contact_count = p->contact_count,
        .bound_count = p->bound_count,
        .block_count = p->block_count,
        .row_count = p->row_count,
        .body_count = p->body_count,
        .dof_count = p->dof_count,
        .offset = p->offset,
        .cone = p->cone,
        .bound = p->bound,
        .q = p->q,
        .compliance = p->compliance,
        .v_free = p->v_free,
        .W = matrix_view(p->W),
        .Ht = matrix_view(p->Ht),
        .inv_mass = matrix_view(p->inv_mass),
        .coupled = p->mass != NULL,
        .diagonal = p->diagonal,
        .diagonal_at = p->diagonal_at,
    };
}

void scree_problem_set_law(scree_problem *problem, scree_law law)
{
    problem->law = law;
}

/// The text is set, and the status kept.
static scree_status not_finite(const char *what, int i, scree_error *error)
{
    scree_error_set(error, NULL, 0, 0, "%s[%d] is not finite", what, i);
    return error_keep(error, SCREE_ERR_INPUT);
}

scree_status scree_problem_set_q(scree_problem *problem, const double *q, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    for (int i = 0; i < problem->row_count; ++i)
        if (!(fabs(q[i]) <= DBL_MAX)) return not_finite("q", i, error);
    memcpy(problem->q, q, (size_t)problem->row_count * sizeof *q);
    return SCREE_OK;
}

scree_status scree_problem_set_cones(scree_problem *problem, const scree_cone *cone, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    for (int c = 0; c < problem->contact_count; ++c) {
        if (scree_cone_valid(&cone[c]) && memcmp(cone[c].size, problem->cone[c].size, sizeof cone[c].size) == 0)
            continue;
        scree_error_set(error, NULL, 0, 0,
                        "contact %d: the cone has other sizes, or coefficients that are not finite and >= 0", c);
        return error_keep(error, SCREE_ERR_INPUT);
    }
    memcpy(problem->cone, cone, (size_t)problem->contact_count * sizeof *cone);
    return SCREE_OK;
}

scree_status scree_problem_set_bounds(scree_problem *problem, const double *bound, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    for (int b = 0; b < problem->bound_count; ++b) {
        if (bound[b] >= 0.0) continue;
        scree_error_set(error, NULL, 0, 0, "bounded row %d: the bound is %g, expected >= 0 or infinite", b, bound[b]);
        return error_keep(error, SCREE_ERR_INPUT);
    }
    memcpy(problem->bound, bound, (size_t)problem->bound_count * sizeof *bound);
    return SCREE_OK;
}

scree_status scree_problem_set_blocks(scree_problem *problem, const double *value, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    if (!problem->W) {
        scree_error_set(error, NULL, 0, 0, "W is not assembled: the problem goes through the bodies");
        return error_keep(error, SCREE_ERR_UNSUPPORTED);
    }
    memcpy(problem->W->value, value, problem->W->at[problem->W->start[problem->W->row_blocks]] * sizeof *value);
    for (int c = 0; c < problem->block_count; ++c)
        make_diagonal_block(problem, c, problem->diagonal + problem->diagonal_at[c]);
    return SCREE_OK;
}

double *scree_problem_vector(const scree_problem *problem, scree_error *error)
{
    if (error_stopped(error)) return NULL;
    double *vector = memory_array(&problem->allocator, (size_t)problem->row_count + 1, sizeof *vector);
    if (!vector) scree_error_set(error, NULL, 0, 0, "out of memory for %d rows", problem->row_count);
    error_keep(error, vector ? SCREE_OK : SCREE_ERR_MEMORY);
    return vector;
}

void scree_problem_vector_free(const scree_problem *problem, double *vector)
{
    if (vector) memory_free(&problem->allocator, vector); /* a problem that was not made (NULL) has none */
}

/* ---- the operator --------------------------------------------------------------------------------------------------- */

size_t problem_work_size(const scree_problem *p)
{
    return (p->rigid ? 1 : 2) * (size_t)p->dof_count + 1; /* of rigid bodies impulses become velocities in place */
}

/// impulse (dof_count) = H p.
static void impulse_of(const scree_problem *problem, const double *p, double *impulse)
{
    memset(impulse, 0, (size_t)problem->dof_count * sizeof *impulse);
    if (problem->rigid) rigid_apply_transpose(problem, p, impulse);
    else block_matrix_apply_transpose(problem->Ht, p, impulse);
}

void problem_apply(const scree_problem *p, const double *x, double *y, double *work)
{
    if (p->W) {
        block_matrix_apply(p->W, 0, x, y);
    } else {
        double *impulse = work;
        impulse_of(p, x, impulse);
        if (p->rigid) {
            rigid_apply_inv_mass(p, 0, impulse, impulse);
            memset(y, 0, (size_t)p->row_count * sizeof *y);
            rigid_apply(p, impulse, y);
        } else {
            double *velocity = work + p->dof_count;
            if (p->mass) mass_solve(p->mass, impulse, velocity);
            else block_matrix_apply(p->inv_mass, 0, impulse, velocity);
            block_matrix_apply(p->Ht, 0, velocity, y);
        }
    }
    for (int i = 0; p->compliance && i < p->row_count; ++i) y[i] += p->compliance[i] * x[i];
}

void problem_velocity(const scree_problem *problem, const double *p, double *y, double *work)
{
    problem_apply(problem, p, y, work);
    for (int i = 0; i < problem->row_count; ++i) y[i] += problem->q[i];
}

void problem_body_velocities(const scree_problem *problem, const double *p, double *v, double *work)
{
    double *impulse = work;
    impulse_of(problem, p, impulse);
    if (problem->v_free) memcpy(v, problem->v_free, (size_t)problem->dof_count * sizeof *v);
    else memset(v, 0, (size_t)problem->dof_count * sizeof *v);
    if (problem->rigid) rigid_apply_inv_mass(problem, 1, impulse, v);
    else if (problem->mass) {
        double *change = work + problem->dof_count;
        mass_solve(problem->mass, impulse, change);
        for (int i = 0; i < problem->dof_count; ++i) v[i] += change[i];
    } else block_matrix_apply(problem->inv_mass, 1, impulse, v);
}

typedef void product_fn(const scree_problem *problem, const double *x, double *y, double *work);

/// A product with scratch memory for the time of the call.
static scree_status with_scratch(const scree_problem *problem, product_fn *product, const double *x, double *y,
                                 scree_error *error)
{
    double *work = NULL;
    if (!problem->W) {
        work = memory_raw_array(&problem->allocator, problem_work_size(problem), sizeof *work);
        if (!work) {
            scree_error_set(error, NULL, 0, 0, "out of memory for a product of %d bodies", problem->body_count);
            return error_keep(error, SCREE_ERR_MEMORY);
        }
    }
    product(problem, x, y, work);
    memory_free(&problem->allocator, work);
    return SCREE_OK;
}

scree_status scree_problem_apply(const scree_problem *problem, const double *x, double *y, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    return with_scratch(problem, problem_apply, x, y, error);
}

scree_status scree_problem_velocity(const scree_problem *problem, const double *p, double *y, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    return with_scratch(problem, problem_velocity, p, y, error);
}

scree_status scree_problem_body_velocities(const scree_problem *problem, const double *p, double *v, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    if (problem->W) {
        scree_error_set(error, NULL, 0, 0, "the problem has no bodies: W is assembled");
        return error_keep(error, SCREE_ERR_UNSUPPORTED);
    }
    return with_scratch(problem, problem_body_velocities, p, v, error);
}

/* ---- assembling ------------------------------------------------------------------------------------------------------ */

/// Contacts of each body: the transpose of the pattern of H'. `first` (bodies + 1), `entry` (entries of H').
static void contacts_of_bodies(const block_matrix *Ht, int *first, int *entry, int *row)
{
    for (int e = 0; e < Ht->start[Ht->row_blocks]; ++e) first[Ht->column[e] + 1] += 1;
    for (int b = 0; b < Ht->col_blocks; ++b) first[b + 1] += first[b];
    for (int c = 0; c < Ht->row_blocks; ++c)
        for (int e = Ht->start[c]; e < Ht->start[c + 1]; ++e) {
            int b = Ht->column[e];
            entry[first[b]] = e, row[first[b]++] = c;
        }
    for (int b = Ht->col_blocks; b > 0; --b) first[b] = first[b - 1];
    first[0] = 0;
}

/// One block entry of W for every pair of contacts on a body; create() adds those that fall together.
static scree_status assemble_from_bodies(const scree_problem *p, scree_problem_def *def, const scree_allocator *a,
                                         int **rows_out, int **columns_out, double **values_out)
{
    const block_matrix *Ht = p->Ht;
    size_t entries = (size_t)Ht->start[Ht->row_blocks], pairs = 0, at = 0, values = 0;
    int *first = memory_array(a, (size_t)p->body_count + 2, sizeof *first);
    int *entry = memory_array(a, entries + 1, sizeof *entry), *row = memory_array(a, entries + 1, sizeof *row);
    scree_status status = SCREE_ERR_MEMORY;
    if (!first || !entry || !row) goto done;
    contacts_of_bodies(Ht, first, entry, row);
    for (int b = 0; b < p->body_count; ++b)
        for (int i = first[b]; i < first[b + 1]; ++i)
            for (int j = first[b]; j < first[b + 1]; ++j) {
                pairs += 1;
                values += (size_t)rows_of(p, row[i]) * (size_t)rows_of(p, row[j]);
            }
    *rows_out = memory_array(a, pairs + 1, sizeof **rows_out);
    *columns_out = memory_array(a, pairs + 1, sizeof **columns_out);
    *values_out = memory_array(a, values + 1, sizeof **values_out);
    if (!*rows_out || !*columns_out || !*values_out) goto done;
    pairs = 0;
    for (int b = 0; b < p->body_count; ++b) {
        int d = Ht->col_offset[b + 1] - Ht->col_offset[b];
        const double *N = p->inv_mass->value + p->inv_mass->at[b];
        for (int i = first[b]; i < first[b + 1]; ++i)
            for (int j = first[b]; j < first[b + 1]; ++j) {
                int m = rows_of(p, row[i]), n = rows_of(p, row[j]);
                add_triple(m, n, d, Ht->value + Ht->at[entry[i]], N, Ht->value + Ht->at[entry[j]], *values_out + at);
                (*rows_out)[pairs] = row[i], (*columns_out)[pairs++] = row[j];
                at += (size_t)m * (size_t)n;
            }
    }
    def->entry_count = pairs;
    status = SCREE_OK;
done:
    MEMORY_FREE_ALL(a, first, entry, row);
    return status;
}

/// With a general M: the block columns of W on and below the diagonal, one solution for each row; those above are their transposes.
static scree_status assemble_from_mass(const scree_problem *p, scree_problem_def *def, const scree_allocator *a,
                                       int **rows_out, int **columns_out, double **values_out)
{
    size_t blocks = (size_t)p->block_count, n = (size_t)p->row_count, pairs = 0, at = 0;
    mass_columns x;
    *rows_out = memory_array(a, blocks * blocks + 1, sizeof **rows_out);
    *columns_out = memory_array(a, blocks * blocks + 1, sizeof **columns_out);
    *values_out = memory_array(a, n * n + 1, sizeof **values_out);
    int made = mass_columns_create(p, a, &x) && *rows_out && *columns_out && *values_out;
    for (int c = 0; made && c < p->block_count; ++c) {
        const double *X = mass_columns_of(p, c, &x);
        made = X != NULL;
        for (int j = c; made && j < p->block_count; ++j) {
            int k = rows_of(p, j), m = rows_of(p, c);
            double *B = *values_out + at, *T = B + k * m; /* (j, c), and its transpose (c, j) */
            if (!mass_block(p, j, c, X, B)) continue;
            (*rows_out)[pairs] = j, (*columns_out)[pairs++] = c;
            at += (size_t)(k * m);
            if (j == c) continue;
            for (int r = 0; r < m; ++r)
                for (int i = 0; i < k; ++i) T[r * k + i] = B[i * m + r];
            (*rows_out)[pairs] = c, (*columns_out)[pairs++] = j;
            at += (size_t)(k * m);
        }
    }
    def->entry_count = pairs;
    mass_columns_destroy(a, &x);
    return made ? SCREE_OK : SCREE_ERR_MEMORY;
}

scree_status problem_assemble(const scree_problem *p, const scree_allocator *allocator, scree_problem **assembled)
{
    scree_allocator a = memory_allocator(allocator);
    int *rows = NULL, *columns = NULL;
    double *values = NULL;
    scree_status status = SCREE_OK;
    scree_problem_def def = scree_problem_def_default();
    def.law = p->law;
    def.contact_count = p->contact_count, def.bound_count = p->bound_count;
    def.cone = p->cone, def.bound = p->bound, def.q = p->q, def.compliance = p->compliance;
    *assembled = NULL;
    if (p->W) { /* a copy */
        def.entry_count = (size_t)p->W->start[p->W->row_blocks];
        def.entry_column = p->W->column, def.entry_value = p->W->value;
        rows = memory_array(&a, def.entry_count + 1, sizeof *rows);
        if (!rows) return SCREE_ERR_MEMORY;
        for (int i = 0; i < p->W->row_blocks; ++i)
            for (int e = p->W->start[i]; e < p->W->start[i + 1]; ++e) rows[e] = i;
        def.entry_row = rows;
    } else {
        scree_problem alias = problem_alias(p, &a);
        status = problem_form(&alias, SCREE_PART_BLOCKS);
        if (status == SCREE_OK)
            status = (p->mass ? assemble_from_mass : assemble_from_bodies)(&alias, &def, &a, &rows, &columns, &values);
        problem_alias_release(&alias);
        def.entry_row = rows, def.entry_column = columns, def.entry_value = values;
    }
    if (status == SCREE_OK) status = problem_create(&def, &a, assembled, NULL);
    MEMORY_FREE_ALL(&a, rows, columns, values);
    return status;
}

scree_problem *scree_problem_assemble(const scree_problem *problem, const scree_allocator *allocator,
                                      scree_error *error)
{
    scree_problem *assembled = NULL;
    if (error_stopped(error)) return NULL;
    scree_status status = problem_assemble(problem, allocator, &assembled);
    if (status != SCREE_OK)
        scree_error_set(error, NULL, 0, 0, "out of memory for W of %d contacts", problem->contact_count);
    error_keep(error, status);
    return assembled;
}

/// W_ij: the sum over the bodies that both contacts have, in order of body.
static void reassemble_block(const scree_problem *p, int i, int j, double *D)
{
    const block_matrix *Ht = p->Ht;
    int m = rows_of(p, i), n = rows_of(p, j), e = Ht->start[i], f = Ht->start[j];
    memset(D, 0, (size_t)m * (size_t)n * sizeof *D);
    while (e < Ht->start[i + 1] && f < Ht->start[j + 1]) {
        int b = Ht->column[e];
        if (b == Ht->column[f])
            add_triple(m, n, Ht->col_offset[b + 1] - Ht->col_offset[b], Ht->value + Ht->at[e++],
                       p->inv_mass->value + p->inv_mass->at[b], Ht->value + Ht->at[f++], D);
        else if (b < Ht->column[f]) ++e;
        else ++f;
    }
}

/// With a general M: column by column.
static void reassemble_from_mass(const scree_problem *p, block_matrix *W, double *work)
{
    const block_matrix *Ht = p->Ht;
    double *h = work, *X = work + p->dof_count;
    for (int c = 0; c < p->block_count; ++c)
        for (int r = 0, m = rows_of(p, c); r < m; ++r) {
            memset(h, 0, (size_t)p->dof_count * sizeof *h);
            for (int e = Ht->start[c]; e < Ht->start[c + 1]; ++e) {
                int b = Ht->column[e], d = Ht->col_offset[b + 1] - Ht->col_offset[b];
                memcpy(h + Ht->col_offset[b], Ht->value + Ht->at[e] + (size_t)(r * d), (size_t)d * sizeof *h);
            }
            mass_solve(p->mass, h, X);
            for (int e = W->start[c]; e < W->start[c + 1]; ++e) { /* row r of the blocks (c, j): W is symmetric */
                double row[SCREE_DIM_MAX] = {0};
                int j = W->column[e], k = rows_of(p, j);
                block_row_apply(Ht, j, X, row);
                memcpy(W->value + W->at[e] + (size_t)(r * k), row, (size_t)k * sizeof *row);
            }
        }
}

void problem_reassemble(const scree_problem *problem, scree_problem *assembled, double *work)
{
    size_t n = (size_t)problem->row_count;
    if (problem->mass) reassemble_from_mass(problem, assembled->W, work);
    for (int i = 0; !problem->mass && i < assembled->W->row_blocks; ++i)
        for (int e = assembled->W->start[i]; e < assembled->W->start[i + 1]; ++e)
            reassemble_block(problem, i, assembled->W->column[e], assembled->W->value + assembled->W->at[e]);
    memcpy(assembled->q, problem->q, n * sizeof *problem->q);
    memcpy(assembled->cone, problem->cone, (size_t)problem->contact_count * sizeof *problem->cone);
    memcpy(assembled->bound, problem->bound, (size_t)problem->bound_count * sizeof *problem->bound);
    if (problem->compliance && assembled->compliance)
        memcpy(assembled->compliance, problem->compliance, n * sizeof *problem->compliance);
    for (int b = 0; b < assembled->block_count; ++b)
        make_diagonal_block(assembled, b, assembled->diagonal + assembled->diagonal_at[b]);
}
