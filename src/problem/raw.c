/* raw.c: the container behind raw.h: which matrices and vectors a problem has, their sizes, and CSR from triplets. */
#include "problem/raw.h"

#include "base/memory.h"

#include <limits.h>
#include <string.h>

const char *const raw_matrix_name[RAW_MATRICES] = {"W", "V", "R", "M", "H", "G"};
const char *const raw_vector_name[RAW_VECTORS] = {"q", "s", "f", "w", "b", "mu", "mu_r", "mu_s"};
const char *const raw_solution_name[RAW_SOLUTION_PARTS] = {"v", "u", "r", "l"};
const char *const raw_info_name[RAW_INFOS] = {"title", "description", "math_info"};

/* ---- life ----------------------------------------------------------------------------------------------------------- */

raw_problem *raw_create(const scree_allocator *allocator)
{
    scree_allocator a = memory_allocator(allocator);
    raw_problem *raw = memory_array(&a, 1, sizeof *raw);
    if (raw) raw->allocator = a;
    return raw;
}

void raw_matrix_clear(raw_matrix *A, const scree_allocator *allocator)
{
    MEMORY_FREE_ALL(allocator, A->start, A->column, A->value, A->row_end, A->col_end);
    *A = (raw_matrix){.rows = 0};
}

static void solution_clear(raw_solution *solution, const scree_allocator *allocator)
{
    for (int k = 0; k < RAW_SOLUTION_PARTS; ++k) memory_free(allocator, solution->part[k]);
}

void raw_destroy(raw_problem *raw)
{
    if (!raw) return;
    scree_allocator a = raw->allocator;
    for (int k = 0; k < RAW_MATRICES; ++k) raw_matrix_clear(&raw->matrix[k], &a);
    for (int k = 0; k < RAW_VECTORS; ++k) memory_free(&a, raw->vector[k]);
    for (int k = 0; k < RAW_INFOS; ++k) memory_free(&a, raw->info[k]);
    solution_clear(&raw->solution, &a);
    for (int k = 0; raw->guess && k < raw->guess_count; ++k) solution_clear(&raw->guess[k], &a);
    memory_free(&a, raw->guess);
    memory_free(&a, raw);
}

scree_status raw_out_of_memory(const char *file, scree_error *error)
{
    scree_error_set(error, file, 0, 0, "out of memory");
    return SCREE_ERR_MEMORY;
}

/* ---- what a problem has ------------------------------------------------------------------------------------------- */

int raw_row_count(const raw_problem *raw)
{
    return raw->dim * raw->contact_count;
}

int raw_has_matrix(const raw_problem *raw, int matrix)
{
    switch (matrix) {
    case RAW_W: return raw->kind == RAW_LOCAL;
    case RAW_V:
    case RAW_R: return raw->kind == RAW_LOCAL && raw->equality_count > 0;
    case RAW_M:
    case RAW_H: return raw->kind == RAW_GLOBAL;
    default: return raw->kind == RAW_GLOBAL && raw->equality_count > 0;
    }
}

int raw_has_vector(const raw_problem *raw, int vector)
{
    switch (vector) {
    case RAW_Q: return raw->kind == RAW_LOCAL;
    case RAW_S: return raw->kind == RAW_LOCAL && raw->equality_count > 0;
    case RAW_F:
    case RAW_U_FREE: return raw->kind == RAW_GLOBAL;
    case RAW_B: return raw->kind == RAW_GLOBAL && raw->equality_count > 0;
    case RAW_MU: return 1;
    case RAW_MU_R: return raw->dim >= 5;
    default: return raw->dim == 4 || raw->dim == 6;
    }
}

void raw_matrix_shape(const raw_problem *raw, int matrix, int *rows, int *cols)
{
    int n = raw_row_count(raw), m = raw->equality_count, d = raw->dof_count;
    const int shape[RAW_MATRICES][2] = {{n, n}, {n, m}, {m, m}, {d, d}, {d, n}, {d, m}};
    *rows = shape[matrix][0], *cols = shape[matrix][1];
}

int raw_vector_size(const raw_problem *raw, int vector)
{
    switch (vector) {
    case RAW_Q:
    case RAW_U_FREE: return raw_row_count(raw);
    case RAW_S:
    case RAW_B: return raw->equality_count;
    case RAW_F: return raw->dof_count;
    default: return raw->contact_count;
    }
}

int raw_solution_size(const raw_problem *raw, int part)
{
    switch (part) {
    case RAW_SOLUTION_V: return raw->dof_count;
    case RAW_SOLUTION_L: return raw->equality_count;
    default: return raw_row_count(raw);
    }
}

/* ---- matrices ----------------------------------------------------------------------------------------------------- */

size_t raw_matrix_entries(const raw_matrix *A)
{
    return A->start ? (size_t)A->start[A->rows] : 0;
}

/// Stable counting sort: order = the places 0 .. count-1 of `order_in` (or 0, 1, ...) by ascending key; first (keys + 1).
static void sort_by(const int *key, int keys, const int *order_in, int count, int *first, int *order)
{
    memset(first, 0, ((size_t)keys + 1) * sizeof *first);
    for (int e = 0; e < count; ++e) first[key[e] + 1] += 1;
    for (int k = 0; k < keys; ++k) first[k + 1] += first[k];
    for (int e = 0; e < count; ++e) {
        int from = order_in ? order_in[e] : e;
        order[first[key[from]]++] = from;
    }
}

/* Entries by column, then stably by row: each row ends up with ascending columns, equal ones in the order given. */
int raw_matrix_fill(raw_matrix *A, size_t count, const int *row, const int *column, const double *value,
                    const scree_allocator *allocator)
{
    int made = 0, keys = A->rows > A->cols ? A->rows : A->cols;
    if (count >= INT_MAX || keys == INT_MAX) return 0;
    int *first = memory_array(allocator, (size_t)keys + 1, sizeof *first);
    int *by_column = memory_array(allocator, count + 1, sizeof *by_column);
    int *order = memory_array(allocator, count + 1, sizeof *order);
    A->start = memory_array(allocator, (size_t)A->rows + 1, sizeof *A->start);
    A->column = memory_array(allocator, count + 1, sizeof *A->column);
    A->value = memory_array(allocator, count + 1, sizeof *A->value);
    if (first && by_column && order && A->start && A->column && A->value) {
        sort_by(column, A->cols, NULL, (int)count, first, by_column);
        sort_by(row, A->rows, by_column, (int)count, first, order);
        int at = 0;
        for (size_t k = 0; k < count; ++k) {
            int e = order[k], last = k > 0 ? order[k - 1] : -1;
            if (last >= 0 && row[last] == row[e] && column[last] == column[e]) A->value[at - 1] += value[e];
            else {
                A->column[at] = column[e], A->value[at] = value[e];
                at += 1;
                A->start[row[e] + 1] += 1;
            }
        }
        for (int i = 0; i < A->rows; ++i) A->start[i + 1] += A->start[i];
        made = 1;
    }
    MEMORY_FREE_ALL(allocator, first, by_column, order);
    return made;
}

/* ---- comparison --------------------------------------------------------------------------------------------------- */

static int same_numbers(const double *a, const double *b, int count)
{
    if (!a || !b) return a == b;
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static int same_matrix(const raw_matrix *A, const raw_matrix *B)
{
    if (!A->start || !B->start) return A->start == B->start;
    size_t n = raw_matrix_entries(A);
    return A->rows == B->rows && A->cols == B->cols && n == raw_matrix_entries(B) &&
           memcmp(A->start, B->start, ((size_t)A->rows + 1) * sizeof *A->start) == 0 &&
           memcmp(A->column, B->column, n * sizeof *A->column) == 0 &&
           memcmp(A->value, B->value, n * sizeof *A->value) == 0;
}

static int same_solution(const raw_problem *raw, const raw_solution *a, const raw_solution *b)
{
    for (int k = 0; k < RAW_SOLUTION_PARTS; ++k)
        if (!same_numbers(a->part[k], b->part[k], raw_solution_size(raw, k))) return 0;
    return 1;
}

int raw_equal(const raw_problem *a, const raw_problem *b)
{
    if (a->kind != b->kind || a->dim != b->dim || a->contact_count != b->contact_count ||
        a->dof_count != b->dof_count || a->equality_count != b->equality_count || a->guess_count != b->guess_count)
        return 0;
    for (int k = 0; k < RAW_MATRICES; ++k)
        if (!same_matrix(&a->matrix[k], &b->matrix[k])) return 0;
    for (int k = 0; k < RAW_VECTORS; ++k)
        if (!same_numbers(a->vector[k], b->vector[k], raw_vector_size(a, k))) return 0;
    for (int k = 0; k < RAW_INFOS; ++k)
        if (!a->info[k] != !b->info[k] || (a->info[k] && strcmp(a->info[k], b->info[k]) != 0)) return 0;
    for (int k = 0; k < a->guess_count; ++k)
        if (!same_solution(a, &a->guess[k], &b->guess[k])) return 0;
    return same_solution(a, &a->solution, &b->solution);
}
