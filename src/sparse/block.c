/* block.c: building block CSR matrices, and their products. */
#include "sparse/block.h"

#include <string.h>

static size_t block_size(const int *row_offset, const int *col_offset, int i, int j)
{
    return (size_t)(row_offset[i + 1] - row_offset[i]) * (size_t)(col_offset[j + 1] - col_offset[j]);
}

/// Stable counting sort of the entries `in` by key: out receives them in ascending order of key. `first` has keys + 1 entries.
static void counting_sort(int keys, const int *key, size_t count, const size_t *in, size_t *first, size_t *out)
{
    memset(first, 0, ((size_t)keys + 1) * sizeof *first);
    for (size_t e = 0; e < count; ++e) first[key[e] + 1] += 1;
    for (int k = 0; k < keys; ++k) first[k + 1] += first[k];
    for (size_t e = 0; e < count; ++e) out[first[key[in[e]]]++] = in[e];
}

scree_status block_matrix_create(int row_blocks, const int *row_offset, int col_blocks, const int *col_offset,
                                 size_t entry_count, const int *row, const int *column, const double *value,
                                 const scree_allocator *allocator, block_matrix **out)
{
    int keys = row_blocks > col_blocks ? row_blocks : col_blocks;
    block_matrix *A = memory_array(allocator, 1, sizeof *A);
    size_t *from = memory_raw_array(allocator, entry_count + 1, sizeof *from);
    size_t *by_column = memory_raw_array(allocator, entry_count + 1, sizeof *by_column);
    size_t *sorted = memory_raw_array(allocator, entry_count + 1, sizeof *sorted);
    size_t *first = memory_array(allocator, (size_t)keys + 1, sizeof *first);
    *out = NULL;
    if (!A || !from || !by_column || !sorted || !first) goto fail;

    A->row_blocks = row_blocks, A->col_blocks = col_blocks;
    A->row_offset = memory_array(allocator, (size_t)row_blocks + 1, sizeof(int));
    A->col_offset = memory_array(allocator, (size_t)col_blocks + 1, sizeof(int));
    A->start = memory_array(allocator, (size_t)row_blocks + 1, sizeof(int));
    if (!A->row_offset || !A->col_offset || !A->start) goto fail;
    memcpy(A->row_offset, row_offset, ((size_t)row_blocks + 1) * sizeof(int));
    memcpy(A->col_offset, col_offset, ((size_t)col_blocks + 1) * sizeof(int));

    /* by column, then, stably, by row: rows in order, columns ascending within each */
    for (size_t e = 0; e < entry_count; ++e) by_column[e] = e;
    counting_sort(col_blocks, column, entry_count, by_column, first, sorted);
    counting_sort(row_blocks, row, entry_count, sorted, first, by_column);
    size_t at = 0, distinct = 0, values = 0;
    for (size_t e = 0; e < entry_count && value; ++e)
        from[e] = at, at += block_size(row_offset, col_offset, row[e], column[e]);
    for (size_t k = 0; k < entry_count; ++k) {
        size_t e = by_column[k], d = k ? by_column[k - 1] : 0;
        if (k && row[e] == row[d] && column[e] == column[d]) continue;
        distinct += 1, values += block_size(row_offset, col_offset, row[e], column[e]);
    }
    A->column = memory_array(allocator, distinct + 1, sizeof(int));
    A->at = memory_array(allocator, distinct + 1, sizeof *A->at);
    A->value = memory_array(allocator, values + 1, sizeof *A->value);
    if (!A->column || !A->at || !A->value) goto fail;

    size_t entry = 0;
    for (size_t k = 0; k < entry_count; ++k) {
        size_t e = by_column[k], d = k ? by_column[k - 1] : 0,
               n = block_size(row_offset, col_offset, row[e], column[e]);
        int repeated = k && row[e] == row[d] && column[e] == column[d];
        if (!repeated) {
            A->column[entry] = column[e];
            A->at[entry + 1] = A->at[entry] + n;
            A->start[row[e] + 1] += 1;
            entry += 1;
        }
        double *B = A->value + A->at[entry - 1];
        for (size_t v = 0; v < n && value; ++v) B[v] += value[from[e] + v];
    }
    for (int i = 0; i < row_blocks; ++i) A->start[i + 1] += A->start[i];
    *out = A;
    A = NULL;
fail:
    MEMORY_FREE_ALL(allocator, from, by_column, sorted, first);
    block_matrix_destroy(A, allocator);
    return *out ? SCREE_OK : SCREE_ERR_MEMORY;
}

scree_status block_matrix_create_like(const block_matrix *A, const scree_allocator *allocator, block_matrix **out)
{
    size_t rows = (size_t)A->row_blocks + 1, columns = (size_t)A->col_blocks + 1, entries = (size_t)A->start[rows - 1];
    block_matrix *B = *out = memory_array(allocator, 1, sizeof *B);
    if (!B) return SCREE_ERR_MEMORY;
    B->row_blocks = A->row_blocks, B->col_blocks = A->col_blocks;
    B->row_offset = memory_raw_array(allocator, rows, sizeof(int));
    B->col_offset = memory_raw_array(allocator, columns, sizeof(int));
    B->start = memory_raw_array(allocator, rows, sizeof(int));
    B->column = memory_raw_array(allocator, entries + 1, sizeof(int));
    B->at = memory_raw_array(allocator, entries + 1, sizeof *B->at);
    B->value = memory_array(allocator, A->at[entries] + 1, sizeof *B->value);
    if (!B->row_offset || !B->col_offset || !B->start || !B->column || !B->at || !B->value) {
        block_matrix_destroy(B, allocator);
        *out = NULL;
        return SCREE_ERR_MEMORY;
    }
    memcpy(B->row_offset, A->row_offset, rows * sizeof(int));
    memcpy(B->col_offset, A->col_offset, columns * sizeof(int));
    memcpy(B->start, A->start, rows * sizeof(int));
    memcpy(B->column, A->column, entries * sizeof(int));
    memcpy(B->at, A->at, (entries + 1) * sizeof *B->at);
    return SCREE_OK;
}

void block_matrix_destroy(block_matrix *A, const scree_allocator *allocator)
{
    if (!A) return;
    MEMORY_FREE_ALL(allocator, A->row_offset, A->col_offset, A->start, A->column, A->at, A->value, A);
}

const double *block_matrix_find(const block_matrix *A, int i, int j)
{
    int lo = A->start[i], hi = A->start[i + 1] - 1;
    while (lo <= hi) {
        int mid = lo + (hi - lo) / 2;
        if (A->column[mid] == j) return A->value + A->at[mid];
        if (A->column[mid] < j) lo = mid + 1;
        else hi = mid - 1;
    }
    return NULL;
}

void block_matrix_apply(const block_matrix *A, int add, const double *x, double *y)
{
    for (int i = 0; i < A->row_blocks; ++i) {
        double *y_i = y + A->row_offset[i];
        if (!add)
            for (int r = 0; r < A->row_offset[i + 1] - A->row_offset[i]; ++r) y_i[r] = 0.0;
        block_row_apply(A, i, x, y_i);
    }
}

void block_matrix_apply_transpose(const block_matrix *A, const double *x, double *y)
{
    for (int i = 0; i < A->row_blocks; ++i) {
        int m = A->row_offset[i + 1] - A->row_offset[i];
        const double *x_i = x + A->row_offset[i];
        for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
            int j = A->column[e], n = A->col_offset[j + 1] - A->col_offset[j];
            const double *B = A->value + A->at[e];
            double *y_j = y + A->col_offset[j];
            for (int r = 0; r < m; ++r)
                for (int c = 0; c < n; ++c) y_j[c] += B[r * n + c] * x_i[r];
        }
    }
}
