/* problem_blocks.c: blocks of W of a problem through the bodies: those on the diagonal, and all of them, assembled.
 *
 *     W_ij = sum over the bodies b of both contacts  H'_ib M_b^-1 H_bj  (+ compliance, i = j)
 *
 * Where M couples the bodies, the columns of W are solutions with its factor: X = M^-1 H, W = H' X. Parts that a caller's problem does not
 * have are formed in an alias of it, which lends the arrays there are: the caller's is const. */
#include "base/fail.h"
#include "base/memory.h"
#include "problem/mass.h"
#include "problem/rigid.h"

#include <string.h>

static int rows_of(const scree_problem *p, int block)
{
    return p->offset[block + 1] - p->offset[block];
}

/* ---- the diagonal -------------------------------------------------------------------------------------------------------- */

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

/// W_cc straight from W, the blocks or the rigid contacts.
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

/* ---- with a general M ---------------------------------------------------------------------------------------------------- */

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

/* ---- parts that are formed -------------------------------------------------------------------------------------------------- */

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

int problem_refill_diagonal(scree_problem *p)
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
        if (problem_refill_diagonal(&next)) alias->diagonal = NULL, alias->diagonal_at = NULL;
        else next.diagonal = NULL, next.diagonal_at = NULL;
    }
    problem_alias_release(alias); /* what does not fit the other problem, if anything */
    *alias = next;
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
    problem_refill_diagonal(assembled);
}
