/* dat_read.c: the reader of .dat texts, local and global, with any storage of their matrices (docs/formats.md).
 *
 * Nothing in such a file says whether it is local or global. After the first matrix A a local file goes on with q, a global
 * one with the sizes of H; so it is global if three whole numbers follow that are a storage, the rows of A and dim x contacts,
 * and local otherwise. Sizes are compared with what is left of the text before memory is asked for. */
#include "base/memory.h"
#include "problem/dat_text.h"
#include "problem/raw.h"

#include <limits.h>
#include <string.h>

typedef struct reader {
    dat_text text;
    scree_allocator allocator;
    raw_problem *raw;
} reader;

typedef struct triplets {
    int *row, *column;
    double *value;
    size_t count;
} triplets;

static int no_memory(reader *r)
{
    r->text.status = raw_out_of_memory(r->text.file, r->text.error);
    return 0;
}

static int get_array(reader *r, size_t count, size_t size, void **array)
{
    *array = memory_array(&r->allocator, count + 1, size);
    return *array ? 1 : no_memory(r);
}

static int get_ints(reader *r, int count, int **array)
{
    void *memory;
    int made = get_array(r, (size_t)count, sizeof **array, &memory);
    *array = memory;
    return made;
}

static void free_triplets(reader *r, triplets *e)
{
    MEMORY_FREE_ALL(&r->allocator, e->row, e->column, e->value);
}

static int get_triplets(reader *r, size_t count, triplets *e)
{
    void *value;
    *e = (triplets){NULL, NULL, NULL, 0};
    if (count >= INT_MAX) return no_memory(r);
    if (!get_ints(r, (int)count, &e->row) || !get_ints(r, (int)count, &e->column)) return 0;
    if (!get_array(r, count, sizeof *e->value, &value)) return 0;
    e->value = value;
    return 1;
}

static void put(triplets *e, int row, int column, double value)
{
    e->row[e->count] = row, e->column[e->count] = column, e->value[e->count] = value;
    e->count += 1;
}

/* ---- dense and block storage ---------------------------------------------------------------------------------------- */

/// `rows cols` again, then the values, column by column.
static int read_dense(reader *r, const char *name, const raw_matrix *A, triplets *e)
{
    dat_text *t = &r->text;
    int again;
    double value;
    if (!dat_integer(t, "the number of rows, repeated", A->rows, A->rows, &again)) return 0;
    if (!dat_integer(t, "the number of columns, repeated", A->cols, A->cols, &again)) return 0;
    if (!dat_can_follow(t, dat_next(t), "values of a dense matrix", (double)A->rows * A->cols, 2)) return 0;
    if (!get_triplets(r, (size_t)A->rows * (size_t)A->cols, e)) return 0;
    for (int j = 0; j < A->cols; ++j)
        for (int i = 0; i < A->rows; ++i) {
            if (!dat_number(t, name, &value)) return 0;
            put(e, i, j, value);
        }
    return 1;
}

/// Cumulative block sizes: ascending, the last one being `total`.
static int read_ends(reader *r, const char *what, int count, int total, int **ends)
{
    dat_text *t = &r->text;
    if (!dat_can_follow(t, dat_next(t), "block sizes", count, 2)) return 0;
    if (!get_ints(r, count, ends)) return 0;
    for (int k = 0, last = 0; k < count; ++k) {
        int low = k + 1 == count ? total : last + 1;
        if (low <= last) return dat_fail(t, dat_next(t), "%s: %d blocks do not fit into %d", what, count, total);
        if (!dat_integer(t, what, low, total, &last)) return 0;
        (*ends)[k] = last;
    }
    return 1;
}

/// Row pointers and block columns: `first` (row blocks + 1), `column` (blocks). Rows that are not listed are empty.
static int read_pattern(reader *r, const raw_matrix *A, int blocks, int *first, int *column, int *seen)
{
    dat_text *t = &r->text;
    int filled1, filled2, row = 0;
    if (!dat_integer(t, "the number of row pointers", 0, A->row_blocks + 1, &filled1)) return 0;
    if (!dat_integer(t, "the number of block columns", blocks, blocks, &filled2)) return 0;
    for (int k = 0, last = 0; k < filled1; ++k) {
        int low = k + 1 == filled1 ? blocks : last, high = k == 0 && filled1 > 1 ? 0 : blocks;
        if (!dat_integer(t, "a row pointer", low, high, &last)) return 0;
        first[k] = last;
    }
    if (filled1 < 2 && blocks > 0)
        return dat_fail(t, dat_next(t), "there are %d blocks, but %d row pointers, expected 2 or more", blocks,
                        filled1);
    for (int k = filled1; k <= A->row_blocks; ++k) first[k] = blocks;
    for (int k = 0; k < blocks; ++k) {
        const char *where = dat_next(t);
        while (first[row + 1] <= k) ++row;
        if (!dat_integer(t, "a block column", 0, A->col_blocks - 1, &column[k])) return 0;
        if (seen[column[k]] == row + 1)
            return dat_fail(t, where, "block (%d, %d) is there twice, expected each block once", row, column[k]);
        seen[column[k]] = row + 1;
    }
    return 1;
}

static int read_block_values(reader *r, const char *name, const raw_matrix *A, const int *first, const int *column,
                             triplets *e)
{
    dat_text *t = &r->text;
    double total = 0.0, value;
    int number;
    for (int i = 0; i < A->row_blocks; ++i)
        for (int k = first[i]; k < first[i + 1]; ++k) {
            int j = column[k], m = A->row_end[i] - (i ? A->row_end[i - 1] : 0);
            total += (double)m * (A->col_end[j] - (j ? A->col_end[j - 1] : 0));
        }
    if (!dat_can_follow(t, dat_next(t), "values of blocks", total, 2)) return 0;
    if (!get_triplets(r, (size_t)total, e)) return 0;
    for (int i = 0; i < A->row_blocks; ++i)
        for (int k = first[i]; k < first[i + 1]; ++k) {
            if (!dat_integer(t, "the number of the next block", k, k, &number)) return 0;
            for (int y = column[k] ? A->col_end[column[k] - 1] : 0; y < A->col_end[column[k]]; ++y)
                for (int x = i ? A->row_end[i - 1] : 0; x < A->row_end[i]; ++x) {
                    if (!dat_number(t, name, &value)) return 0;
                    put(e, x, y, value);
                }
        }
    return 1;
}

static int read_blocks(reader *r, const char *name, raw_matrix *A, triplets *e)
{
    dat_text *t = &r->text;
    const char *where = dat_next(t);
    int blocks, *first = NULL, *column = NULL, *seen = NULL;
    if (!dat_integer(t, "the number of blocks", 0, INT_MAX - 1, &blocks)) return 0;
    if (!dat_integer(t, "the number of block rows", A->rows > 0, A->rows, &A->row_blocks)) return 0;
    if (!dat_integer(t, "the number of block columns", A->cols > 0, A->cols, &A->col_blocks)) return 0;
    if (!dat_can_follow(t, where, "blocks", blocks, 2)) return 0;
    if ((double)blocks > (double)A->row_blocks * A->col_blocks)
        return dat_fail(t, where, "%d blocks do not fit into %d block rows of %d", blocks, A->row_blocks,
                        A->col_blocks);
    if (!read_ends(r, "the end of a block row", A->row_blocks, A->rows, &A->row_end)) return 0;
    if (!read_ends(r, "the end of a block column", A->col_blocks, A->cols, &A->col_end)) return 0;
    int done = get_ints(r, A->row_blocks + 1, &first) && get_ints(r, blocks, &column) &&
               get_ints(r, A->col_blocks, &seen) && read_pattern(r, A, blocks, first, column, seen) &&
               read_block_values(r, name, A, first, column, e);
    MEMORY_FREE_ALL(&r->allocator, first, column, seen);
    return done;
}

/* ---- CSparse text ---------------------------------------------------------------------------------------------------- */

/// "R-by-C," with the sizes of A.
static int read_by(dat_text *t, const raw_matrix *A)
{
    const char *word;
    char expected[64];
    size_t length = dat_word(t, &word);
    int n = snprintf(expected, sizeof expected, "%d-by-%d,", A->rows, A->cols);
    if (length > 0 && word[length - 1] != ',') n -= 1;
    if (length == (size_t)n && memcmp(word, expected, length) == 0) return 1;
    return dat_fail_word(t, word, length, "the size of the sparse matrix", expected);
}

/// The header line: [triplet:] R-by-C, nzmax: Z nnz: N[, 1-norm: x]
static int read_sparse_header(dat_text *t, const raw_matrix *A, int is_triplet, int *entries)
{
    const char *where = dat_next(t), *word;
    int starts = t->end - where >= 8 && memcmp(where, "triplet:", 8) == 0, ignored;
    if (starts != is_triplet)
        return dat_fail(t, where, "the origin of the sparse matrix is %s, expected the header '%s...'",
                        is_triplet ? "triplet (1 or 4)" : "compressed (2 or 3)", is_triplet ? "triplet: " : "R-by-C, ");
    if (is_triplet) dat_word(t, &word);
    if (!read_by(t, A) || !dat_expect(t, "nzmax:", "a word of the header")) return 0;
    if (!dat_integer(t, "nzmax", 0, INT_MAX, &ignored)) return 0;
    if (!dat_expect(t, "nnz:", "a word of the header")) return 0;
    where = dat_next(t);
    dat_text number = *t; /* up to the comma that may touch it */
    size_t length = dat_word(&number, &word), digits = 0;
    while (digits < length && word[digits] != ',') ++digits;
    number.at = word, number.end = word + digits;
    if (!dat_integer(&number, "nnz", 0, INT_MAX / 2, entries)) {
        t->status = number.status;
        return 0;
    }
    dat_skip_line(t);
    return dat_can_follow(t, where, "entries", *entries, 4);
}

static int read_sparse_triplets(reader *r, const char *name, const raw_matrix *A, int entries, triplets *e)
{
    dat_text *t = &r->text;
    int half = A->storage == RAW_HALF_TRIPLET, side = 0, i, j;
    double value;
    if (half && A->rows != A->cols)
        return dat_fail(t, dat_next(t), "half of a matrix is stored, expected a square one");
    if (!get_triplets(r, (size_t)entries * (half ? 2 : 1), e)) return 0;
    for (int k = 0; k < entries; ++k) {
        const char *where = dat_next(t);
        if (!dat_integer(t, "a row index", 0, A->rows - 1, &i) || !dat_integer(t, "a column index", 0, A->cols - 1, &j))
            return 0;
        if (!dat_expect(t, ":", "what stands between indices and value") || !dat_number(t, name, &value)) return 0;
        put(e, i, j, value);
        if (!half || i == j) continue;
        if (side == 0) side = i < j ? 1 : -1;
        if ((i < j ? 1 : -1) != side)
            return dat_fail(t, where, "entry (%d, %d) is on the other side of the diagonal, expected one half only", i,
                            j);
        put(e, j, i, value);
    }
    return 1;
}

/// For each column (CSC; row for CSR): `col J : locations A to B`, then B - A + 1 times `index : value`.
static int read_sparse_compressed(reader *r, const char *name, const raw_matrix *A, int entries, triplets *e)
{
    dat_text *t = &r->text;
    int by_row = A->storage == RAW_CSR, outer = by_row ? A->rows : A->cols, inner = by_row ? A->cols : A->rows;
    int *seen = NULL, number, from, to, index, done = 0;
    double value;
    if (!dat_can_follow(t, dat_next(t), "columns", outer, 20)) return 0;
    if (!get_triplets(r, (size_t)entries, e) || !get_ints(r, inner, &seen)) return 0;
    for (int k = 0; k < outer; ++k) {
        const char *where = dat_next(t), *group = t->end - where >= 3 && memcmp(where, "row", 3) == 0 ? "row" : "col";
        if (!dat_expect(t, group, "the next line") || !dat_integer(t, "the number of the column", k, k, &number) ||
            !dat_expect(t, ":", "the next word") || !dat_expect(t, "locations", "the next word") ||
            !dat_integer(t, "the first location", (int)e->count, (int)e->count, &from) ||
            !dat_expect(t, "to", "the next word") || !dat_integer(t, "the last location", from - 1, entries - 1, &to))
            goto out;
        for (; from <= to; ++from) {
            where = dat_next(t);
            if (!dat_integer(t, "an index", 0, inner - 1, &index) ||
                !dat_expect(t, ":", "what stands between index and value") || !dat_number(t, name, &value))
                goto out;
            if (seen[index] == k + 1) {
                dat_fail(t, where, "index %d is there twice in %s %d, expected each once", index, group, k);
                goto out;
            }
            seen[index] = k + 1;
            put(e, by_row ? k : index, by_row ? index : k, value);
        }
    }
    if (e->count == (size_t)entries) done = 1;
    else dat_fail(t, dat_next(t), "%zu entries were there, expected the %d of the header", e->count, entries);
out:
    memory_free(&r->allocator, seen);
    return done;
}

static int read_sparse(reader *r, const char *name, raw_matrix *A, triplets *e)
{
    static const raw_storage of_origin[] = {RAW_TRIPLET, RAW_CSC, RAW_CSR, RAW_HALF_TRIPLET};
    int origin, entries;
    if (!dat_integer(&r->text, "the origin of the sparse matrix", 1, 4, &origin)) return 0;
    A->storage = of_origin[origin - 1];
    dat_skip_line(&r->text);
    dat_skip_line(&r->text); /* a banner: version and copyright of CSparse, or anything */
    int is_triplet = A->storage == RAW_TRIPLET || A->storage == RAW_HALF_TRIPLET;
    if (!read_sparse_header(&r->text, A, is_triplet, &entries)) return 0;
    return is_triplet ? read_sparse_triplets(r, name, A, entries, e) : read_sparse_compressed(r, name, A, entries, e);
}

/* ---- matrices and vectors ---------------------------------------------------------------------------------------------- */

/// What follows `storage rows cols`.
static int read_matrix_body(reader *r, const char *name, int storage, raw_matrix *A)
{
    triplets e = {NULL, NULL, NULL, 0};
    int done = 0;
    A->storage = storage == 0 ? RAW_DENSE : storage == 1 ? RAW_BLOCK : RAW_TRIPLET;
    if (storage == 0) done = read_dense(r, name, A, &e);
    else if (storage == 1) done = read_blocks(r, name, A, &e);
    else done = read_sparse(r, name, A, &e);
    if (done && !raw_matrix_fill(A, e.count, e.row, e.column, e.value, &r->allocator)) done = no_memory(r);
    free_triplets(r, &e);
    return done;
}

static int read_vector(reader *r, int vector)
{
    dat_text *t = &r->text;
    int count = raw_vector_size(r->raw, vector), is_coefficient = vector >= RAW_MU;
    const char *name = raw_vector_name[vector];
    char what[64];
    void *memory;
    snprintf(what, sizeof what, "numbers of %s", name);
    if (!dat_can_follow(t, dat_next(t), what, count, 2)) return 0;
    if (!get_array(r, (size_t)count, sizeof(double), &memory)) return 0;
    double *x = r->raw->vector[vector] = memory;
    for (int k = 0; k < count; ++k) {
        const char *where = dat_next(t);
        if (!dat_number(t, name, &x[k])) return 0;
        if (is_coefficient && x[k] < 0.0)
            return dat_fail(t, where, "%s of contact %d is %g, expected a coefficient >= 0", name, k, x[k]);
    }
    return 1;
}

static int read_vectors(reader *r)
{
    for (int k = 0; k < RAW_VECTORS; ++k)
        if (raw_has_vector(r->raw, k) && !read_vector(r, k)) return 0;
    return 1;
}

/* ---- local or global ------------------------------------------------------------------------------------------------- */

static int read_local_rest(reader *r)
{
    r->raw->kind = RAW_LOCAL, r->raw->dof_count = 0;
    return read_vectors(r);
}

/// After M: H, f, w and the coefficients.
static int read_global_rest(reader *r)
{
    raw_matrix *H = &r->raw->matrix[RAW_H];
    int storage, n = raw_row_count(r->raw);
    r->raw->matrix[RAW_M] = r->raw->matrix[RAW_W];
    r->raw->matrix[RAW_W] = (raw_matrix){.rows = 0};
    r->raw->kind = RAW_GLOBAL, r->raw->dof_count = r->raw->matrix[RAW_M].rows;
    if (!dat_integer(&r->text, "the storage of H", 0, 2, &storage) ||
        !dat_integer(&r->text, "the number of rows of H", r->raw->dof_count, r->raw->dof_count, &H->rows) ||
        !dat_integer(&r->text, "the number of columns of H", n, n, &H->cols))
        return 0;
    return read_matrix_body(r, "H", storage, H) && read_vectors(r);
}

/// Back to a problem with only its first matrix.
static void forget_rest(reader *r)
{
    raw_problem *raw = r->raw;
    raw_matrix_clear(&raw->matrix[RAW_H], &r->allocator);
    if (raw->matrix[RAW_M].start) raw->matrix[RAW_W] = raw->matrix[RAW_M];
    raw->matrix[RAW_M] = (raw_matrix){.rows = 0};
    for (int k = 0; k < RAW_VECTORS; ++k) {
        memory_free(&r->allocator, raw->vector[k]);
        raw->vector[k] = NULL;
    }
}

/// Whether three whole numbers follow that are the storage and the sizes of H. Reads nothing.
static int is_followed_by_H(const reader *r, int rows)
{
    dat_text ahead = r->text;
    int ignored, n = raw_row_count(r->raw);
    ahead.error = NULL;
    return dat_integer(&ahead, "", 0, 2, &ignored) && dat_integer(&ahead, "", rows, rows, &ignored) &&
           dat_integer(&ahead, "", n, n, &ignored);
}

static int read_rest(reader *r, scree_file_kind kind, const char *sizes)
{
    dat_text *t = &r->text, after = *t;
    int rows = r->raw->matrix[RAW_W].rows, n = raw_row_count(r->raw), is_local = rows == n;
    if (kind == SCREE_FILE_LOCAL) return read_local_rest(r);
    if (kind == SCREE_FILE_GLOBAL) return read_global_rest(r);
    if (!is_followed_by_H(r, rows)) {
        if (is_local) return read_local_rest(r);
        return dat_fail(t, sizes,
                        "the first matrix has %d rows, and no matrix H of %d x %d follows it, expected W with %d rows "
                        "(%d contacts x %d), or M and H",
                        rows, rows, n, n, r->raw->contact_count, r->raw->dim);
    }
    if (read_global_rest(r)) return 1;
    if (t->status == SCREE_ERR_MEMORY || !is_local) return 0;

    /* A local file whose q starts with the whole numbers of a header: only if that explains the file to its end. */
    scree_error global = {.text = ""};
    if (t->error) global = *t->error;
    forget_rest(r);
    *t = after;
    if (read_local_rest(r) && dat_next(t) == t->end) return 1;
    if (t->status == SCREE_ERR_MEMORY) return 0;
    if (t->error) *t->error = global;
    t->status = SCREE_ERR_INPUT;
    return 0;
}

static int read_problem(reader *r, scree_file_kind kind)
{
    dat_text *t = &r->text;
    raw_problem *raw = r->raw;
    raw_matrix *A = &raw->matrix[RAW_W];
    const char *name = kind == SCREE_FILE_LOCAL ? "W" : kind == SCREE_FILE_GLOBAL ? "M" : "the first matrix";
    int storage;
    const char *start = dat_next(t);
    if (start == t->end || *start < '0' || *start > '9')
        return dat_fail(t, start,
                        "%s, expected FCLIB (HDF5), or a .dat text that starts with the dimension of a contact",
                        start == t->end ? "the file is empty" : "this is no contact problem");
    if (!dat_integer(t, "the dimension of a contact", 2, SCREE_DIM_MAX, &raw->dim)) return 0;
    const char *where = dat_next(t);
    if (!dat_integer(t, "the number of contacts", 0, INT_MAX / SCREE_DIM_MAX, &raw->contact_count)) return 0;
    if (!dat_can_follow(t, where, "contacts", raw->contact_count, 2 * (raw->dim + 1))) return 0;
    if (!dat_integer(t, "the storage of the first matrix", 0, 2, &storage)) return 0;
    const char *sizes = dat_next(t);
    int local_rows = kind == SCREE_FILE_LOCAL ? raw_row_count(raw) : -1;
    if (!dat_integer(t, "the number of rows", local_rows < 0 ? 0 : local_rows,
                     local_rows < 0 ? INT_MAX - 1 : local_rows, &A->rows))
        return 0;
    if (!dat_integer(t, "the number of columns of a square matrix", A->rows, A->rows, &A->cols)) return 0;
    if (!dat_can_follow(t, sizes, "rows", A->rows, 2)) return 0;
    return read_matrix_body(r, name, storage, A) && read_rest(r, kind, sizes);
}

scree_status raw_read_dat(const char *text, size_t size, const char *file, scree_file_kind kind,
                          const scree_allocator *allocator, raw_problem **raw, scree_error *error)
{
    reader r = {.text = dat_text_start(text, size, file, error), .allocator = memory_allocator(allocator)};
    *raw = NULL;
    r.raw = raw_create(allocator);
    if (!r.raw) return raw_out_of_memory(file, error);
    if (read_problem(&r, kind)) {
        *raw = r.raw;
        return SCREE_OK;
    }
    raw_destroy(r.raw);
    return r.text.status;
}
