/* dat_write.c: writes .dat texts (docs/formats.md). Numbers have 17 significant digits, so they come back with the same
 * bits, and always a decimal point, so that no number of q can be taken for a size (dat_read.c).
 *
 * A matrix keeps the storage it has: dense, blocks, or CSparse text. A matrix marked as half stored is written so only if it is
 * symmetric to the last bit. */
#include "base/memory.h"
#include "problem/raw.h"

#include <locale.h>
#include <math.h>
#include <string.h>

typedef struct writer {
    FILE *out;
    const char *point; /* the decimal sign of the locale */
} writer;

static void write_number(const writer *w, double x, char after)
{
    char text[64];
    snprintf(text, sizeof text, "%.16e", x);
    char *sign = strstr(text, w->point);
    size_t length = strlen(w->point);
    if (sign && (length != 1 || *sign != '.')) {
        *sign = '.';
        memmove(sign + 1, sign + length, strlen(sign + length) + 1);
    }
    fputs(text, w->out);
    fputc(after, w->out);
}

static void write_ints(const writer *w, const int *x, int count)
{
    for (int k = 0; k < count; ++k) fprintf(w->out, "%d%c", x[k], k + 1 < count ? ' ' : '\n');
}

static double entry_at(const raw_matrix *A, int i, int j)
{
    int low = A->start[i], high = A->start[i + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (A->column[middle] < j) low = middle + 1;
        else high = middle;
    }
    return low < A->start[i + 1] && A->column[low] == j ? A->value[low] : 0.0;
}

/* ---- storages ------------------------------------------------------------------------------------------------------- */

static void write_dense(const writer *w, const raw_matrix *A)
{
    fprintf(w->out, "%d %d\n", A->rows, A->cols);
    for (int j = 0; j < A->cols; ++j)
        for (int i = 0; i < A->rows; ++i) write_number(w, entry_at(A, i, j), i + 1 < A->rows ? ' ' : '\n');
}

/// Block columns present in each block row, ascending: first (row blocks + 1), column (counted; NULL: only count).
static int find_blocks(const raw_matrix *A, int *seen, int *block_of, int *first, int *column)
{
    int count = 0;
    memset(seen, 0, ((size_t)A->col_blocks + 1) * sizeof *seen);
    for (int j = 0, k = 0; j < A->cols; ++j) {
        while (A->col_end[k] <= j) ++k;
        block_of[j] = k;
    }
    for (int i = 0; i < A->row_blocks; ++i) {
        first[i] = count;
        for (int e = A->start[i ? A->row_end[i - 1] : 0]; e < A->start[A->row_end[i]]; ++e) {
            int k = block_of[A->column[e]];
            if (seen[k] == i + 1) continue;
            seen[k] = i + 1;
            int at = count++;
            if (!column) continue;
            for (; at > first[i] && column[at - 1] > k; --at) column[at] = column[at - 1];
            column[at] = k;
        }
    }
    first[A->row_blocks] = count;
    return count;
}

static scree_status write_blocks(const writer *w, const raw_matrix *A, const scree_allocator *allocator)
{
    int *seen = memory_array(allocator, (size_t)A->col_blocks + 1, sizeof *seen);
    int *block_of = memory_array(allocator, (size_t)A->cols + 1, sizeof *block_of);
    int *first = memory_array(allocator, (size_t)A->row_blocks + 1, sizeof *first), *column = NULL, blocks = 0;
    scree_status status = SCREE_ERR_MEMORY;
    if (seen && block_of && first) {
        blocks = find_blocks(A, seen, block_of, first, NULL);
        column = memory_array(allocator, (size_t)blocks + 1, sizeof *column);
    }
    if (column) {
        find_blocks(A, seen, block_of, first, column);
        fprintf(w->out, "%d\n%d\n%d\n", blocks, A->row_blocks, A->col_blocks);
        write_ints(w, A->row_end, A->row_blocks);
        write_ints(w, A->col_end, A->col_blocks);
        fprintf(w->out, "%d\n%d\n", A->row_blocks + 1, blocks);
        write_ints(w, first, A->row_blocks + 1);
        write_ints(w, column, blocks);
        for (int i = 0; i < A->row_blocks; ++i)
            for (int k = first[i]; k < first[i + 1]; ++k) {
                fprintf(w->out, "%d\n", k);
                for (int y = column[k] ? A->col_end[column[k] - 1] : 0; y < A->col_end[column[k]]; ++y)
                    for (int x = i ? A->row_end[i - 1] : 0; x < A->row_end[i]; ++x)
                        write_number(w, entry_at(A, x, y), x + 1 < A->row_end[i] ? ' ' : '\n');
            }
        status = SCREE_OK;
    }
    MEMORY_FREE_ALL(allocator, seen, block_of, first, column);
    return status;
}

/// 1 if A = A' to the last bit, structure included.
static int is_symmetric(const raw_matrix *A)
{
    if (A->rows != A->cols) return 0;
    for (int i = 0; i < A->rows; ++i)
        for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
            int j = A->column[e], low = A->start[j], high = A->start[j + 1];
            while (low < high) {
                int middle = low + (high - low) / 2;
                if (A->column[middle] < i) low = middle + 1;
                else high = middle;
            }
            if (low == A->start[j + 1] || A->column[low] != i) return 0;
            if (A->value[low] != A->value[e] || signbit(A->value[low]) != signbit(A->value[e])) return 0;
        }
    return 1;
}

static void write_triplets(const writer *w, const raw_matrix *A, int half)
{
    size_t count = 0;
    for (int i = 0; i < A->rows; ++i)
        for (int e = A->start[i]; e < A->start[i + 1]; ++e) count += !half || A->column[e] <= i;
    fprintf(w->out, "%d\nCSparse text\ntriplet: %d-by-%d, nzmax: %zu nnz: %zu\n", half ? 4 : 1, A->rows, A->cols, count,
            count);
    for (int i = 0; i < A->rows; ++i)
        for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
            if (half && A->column[e] > i) continue;
            fprintf(w->out, "    %d %d : ", i, A->column[e]);
            write_number(w, A->value[e], '\n');
        }
}

static double norm1(const raw_matrix *A, double *sum)
{
    double largest = 0.0;
    for (int i = 0; i < A->rows; ++i)
        for (int e = A->start[i]; e < A->start[i + 1]; ++e)
            sum[A->column[e]] += A->value[e] < 0.0 ? -A->value[e] : A->value[e];
    for (int j = 0; j < A->cols; ++j)
        if (sum[j] > largest) largest = sum[j];
    return largest;
}

/// CSC, or CSR where the lines "col J" stand for rows.
static scree_status write_compressed(const writer *w, const raw_matrix *A, const scree_allocator *allocator)
{
    size_t count = raw_matrix_entries(A);
    int by_row = A->storage == RAW_CSR, outer = by_row ? A->rows : A->cols;
    int *first = memory_array(allocator, (size_t)outer + 2, sizeof *first);
    int *index = memory_array(allocator, count + 1, sizeof *index);
    double *value = memory_array(allocator, count + 1, sizeof *value);
    double *sum = memory_array(allocator, (size_t)A->cols + 1, sizeof *sum);
    scree_status status = SCREE_ERR_MEMORY;
    if (first && index && value && sum) {
        for (int i = 0; i < A->rows; ++i)
            for (int e = A->start[i]; e < A->start[i + 1]; ++e) first[(by_row ? i : A->column[e]) + 1] += 1;
        for (int k = 0; k < outer; ++k) first[k + 1] += first[k];
        for (int i = 0; i < A->rows; ++i)
            for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
                int at = first[by_row ? i : A->column[e]]++;
                index[at] = by_row ? A->column[e] : i, value[at] = A->value[e];
            }
        fprintf(w->out, "%d\nCSparse text\n%d-by-%d, nzmax: %zu nnz: %zu, 1-norm: ", by_row ? 3 : 2, A->rows, A->cols,
                count, count);
        write_number(w, norm1(A, sum), '\n');
        for (int k = 0, at = 0; k < outer; ++k) { /* first[k] is now the end of group k */
            fprintf(w->out, "    col %d : locations %d to %d\n", k, at, first[k] - 1);
            for (; at < first[k]; ++at) {
                fprintf(w->out, "      %d : ", index[at]);
                write_number(w, value[at], '\n');
            }
        }
        status = SCREE_OK;
    }
    MEMORY_FREE_ALL(allocator, first, index, value, sum);
    return status;
}

static scree_status write_matrix(const writer *w, const raw_matrix *A, const scree_allocator *allocator)
{
    static const int number[] = {
        [RAW_DENSE] = 0, [RAW_BLOCK] = 1, [RAW_TRIPLET] = 2, [RAW_CSC] = 2, [RAW_CSR] = 2, [RAW_HALF_TRIPLET] = 2};
    fprintf(w->out, "%d\n%d\n%d\n", number[A->storage], A->rows, A->cols);
    switch (A->storage) {
    case RAW_DENSE: write_dense(w, A); return SCREE_OK;
    case RAW_BLOCK: return write_blocks(w, A, allocator);
    case RAW_TRIPLET: write_triplets(w, A, 0); return SCREE_OK;
    case RAW_HALF_TRIPLET: write_triplets(w, A, is_symmetric(A)); return SCREE_OK;
    case RAW_CSC:
    case RAW_CSR: break;
    }
    return write_compressed(w, A, allocator);
}

/* ---- the file --------------------------------------------------------------------------------------------------------- */

scree_status raw_write_dat(const raw_problem *raw, FILE *out, const char *file, scree_error *error)
{
    writer w = {out, localeconv()->decimal_point};
    scree_status status = SCREE_OK;
    if (raw->equality_count > 0) {
        scree_error_set(error, file, 0, 0,
                        "the problem has %d equality constraints, which .dat has no place for, expected .hdf5",
                        raw->equality_count);
        return SCREE_ERR_UNSUPPORTED;
    }
    fprintf(out, "%d\n%d\n", raw->dim, raw->contact_count);
    for (int k = 0; k < RAW_MATRICES && status == SCREE_OK; ++k)
        if (raw_has_matrix(raw, k)) status = write_matrix(&w, &raw->matrix[k], &raw->allocator);
    if (status != SCREE_OK) return raw_out_of_memory(file, error);
    for (int k = 0; k < RAW_VECTORS; ++k) {
        if (!raw_has_vector(raw, k)) continue;
        int count = raw_vector_size(raw, k);
        for (int i = 0; i < count; ++i) write_number(&w, raw->vector[k][i], i + 1 < count ? ' ' : '\n');
    }
    return SCREE_OK;
}
