/* raw_problems.h: random problems in every storage that files of problems know, written and read back. Include it after cmocka.h. */
#ifndef SCREE_TESTS_RAW_PROBLEMS_H
#define SCREE_TESTS_RAW_PROBLEMS_H

#include "base/memory.h"
#include "problem/raw.h"
#include "test_folder.h"

#include <math.h>
#include <string.h>

static uint64_t seed = 1;

static inline double draw(void) /* in (-1, 1), all bits in use, now and then 0 or -0 */
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    if (seed >> 60 == 0) return seed >> 59 & 1 ? -0.0 : 0.0;
    double x = (double)(int64_t)seed / 9223372036854775808.0;
    return x * pow(10.0, (double)(seed >> 33 & 15) - 8.0);
}

typedef struct recipe {
    raw_kind kind;
    int dim, contacts, bodies, equalities;
    raw_storage storage;
} recipe;

/// Entries of a matrix in blocks of `h` x `w`; `pick(i, j)` of them are there. Symmetric if asked, with a dominant diagonal.
static inline void fill_matrix(raw_problem *raw, int matrix, int h, int w, int symmetric, raw_storage storage)
{
    raw_matrix *A = &raw->matrix[matrix];
    raw_matrix_shape(raw, matrix, &A->rows, &A->cols);
    size_t most = (size_t)A->rows * (size_t)A->cols, count = 0;
    int *row = calloc(most + 1, sizeof *row), *column = calloc(most + 1, sizeof *column);
    double *value = calloc(most + 1, sizeof *value);
    assert_true(row && column && value);
    A->storage = storage;
    for (int i = 0; i < A->rows; ++i)
        for (int j = 0; j < A->cols; ++j) {
            int far = abs(i / h - j / w) > 1 && storage != RAW_DENSE;
            if (far || (symmetric && j > i)) continue;
            double x = symmetric && i == j ? 1e8 + fabs(draw()) : draw();
            row[count] = i, column[count] = j, value[count++] = x;
            if (symmetric && i != j) row[count] = j, column[count] = i, value[count++] = x;
        }
    assert_true(raw_matrix_fill(A, count, row, column, value, &raw->allocator));
    free(row), free(column), free(value);
    if (storage != RAW_BLOCK) return;
    A->row_blocks = A->rows / h, A->col_blocks = A->cols / w;
    A->row_end = memory_array(&raw->allocator, (size_t)A->row_blocks + 1, sizeof(int));
    A->col_end = memory_array(&raw->allocator, (size_t)A->col_blocks + 1, sizeof(int));
    for (int k = 0; k < A->row_blocks; ++k) A->row_end[k] = (k + 1) * h;
    for (int k = 0; k < A->col_blocks; ++k) A->col_end[k] = (k + 1) * w;
}

static inline raw_problem *make(recipe r)
{
    raw_problem *raw = raw_create(NULL);
    assert_non_null(raw);
    raw->kind = r.kind, raw->dim = r.dim, raw->contact_count = r.contacts, raw->equality_count = r.equalities;
    raw->dof_count = r.kind == RAW_GLOBAL ? 6 * r.bodies : 0;
    for (int k = 0; k < RAW_MATRICES; ++k) {
        if (!raw_has_matrix(raw, k)) continue;
        int h = k == RAW_W || k == RAW_V ? r.dim : k == RAW_R ? 1 : 6;
        int w = k == RAW_W || k == RAW_H ? r.dim : k == RAW_M ? 6 : 1;
        raw_storage storage = r.storage == RAW_HALF_TRIPLET && k == RAW_H ? RAW_TRIPLET : r.storage;
        fill_matrix(raw, k, h, w, k == RAW_W || k == RAW_M || k == RAW_R, storage);
    }
    for (int k = 0; k < RAW_VECTORS; ++k) {
        if (!raw_has_vector(raw, k)) continue;
        raw->vector[k] = memory_array(NULL, (size_t)raw_vector_size(raw, k) + 1, sizeof(double));
        for (int i = 0; i < raw_vector_size(raw, k); ++i) raw->vector[k][i] = k >= RAW_MU ? fabs(draw()) : draw();
    }
    return raw;
}

static const raw_storage storages[] = {RAW_DENSE, RAW_BLOCK, RAW_TRIPLET, RAW_CSC, RAW_CSR, RAW_HALF_TRIPLET};
enum { STORAGES = sizeof storages / sizeof *storages };

static inline raw_problem *read_good(const char *path, scree_file_kind kind)
{
    raw_problem *raw;
    scree_error error = {.text = ""};
    if (raw_read(path, kind, NULL, &raw, &error) != SCREE_OK) {
        char text[1200];
        fail_msg("%s", scree_error_format(&error, text, sizeof text));
    }
    return raw;
}

static inline void write_good(const raw_problem *raw, const char *path)
{
    scree_error error = {.text = ""};
    if (raw_write(raw, path, &error) != SCREE_OK) fail_msg("%s: %s", error.file, error.text);
}

#endif
