/* fclib_write.c: writes FCLIB's HDF5 files (docs/formats.md): its lists are collected, and h5_write.c makes the bytes of the file from them,
 * which are then written. No times are stored: the same problem gives the same bytes. Costs twice the size of the file. */
#include "base/h5.h"
#include "base/memory.h"
#include "problem/raw.h"

#include <stdio.h>
#include <string.h>

/* Of a problem without guesses: `spacedim`, and at most 7 lists for each matrix. */
enum { PATH_SIZE = 128, LISTS = 8 * RAW_MATRICES + RAW_VECTORS + RAW_INFOS + RAW_SOLUTION_PARTS + 8 };

/// The lists of a file, their paths, and what was made for them.
typedef struct sink {
    scree_allocator allocator;
    int count, capacity, owned, no_memory;
    h5_list *list;
    char (*path)[PATH_SIZE];
    int *integer;                 /* (capacity) values of lists of one */
    void *made[3 * RAW_MATRICES]; /* arrays of matrices               */
    char group[PATH_SIZE];        /* where lists are put now          */
} sink;

static void write_list(sink *s, const char *name, char type, size_t count, const void *data)
{
    SCREE_ASSERT(s->count < s->capacity);
    snprintf(s->path[s->count], PATH_SIZE, "%.90s/%s", s->group, name);
    s->list[s->count] = h5_constant(s->path[s->count], type, 1, (int64_t)count, data);
    s->count += 1;
}

static void write_integer(sink *s, const char *name, int value)
{
    s->integer[s->count] = value;
    write_list(s, name, 'i', 1, &s->integer[s->count]);
}

/// A group that may stay empty.
static void open_group(sink *s, const char *parent, const char *name)
{
    snprintf(s->group, sizeof s->group, "%.60s/%s", parent, name);
    write_list(s, "", 'i', 0, NULL);
}

/// An array that lasts until the file is made.
static void *array(sink *s, size_t count, size_t size)
{
    void *made = memory_array(&s->allocator, count, size);
    if (!made) s->no_memory = 1;
    else s->made[s->owned++] = made;
    return made;
}

/* ---- matrices ------------------------------------------------------------------------------------------------------- */

/// Rows of the entries of A, one after the other.
static void row_of_entries(const raw_matrix *A, int *row)
{
    for (int i = 0; i < A->rows; ++i)
        for (int e = A->start[i]; e < A->start[i + 1]; ++e) row[e] = i;
}

/// A in CSC: first (cols + 1), row and value (entries).
static void to_csc(const raw_matrix *A, int *first, int *row, double *value)
{
    for (size_t e = 0; e < raw_matrix_entries(A); ++e) first[A->column[e] + 1] += 1;
    for (int j = 0; j < A->cols; ++j) first[j + 1] += first[j];
    for (int i = 0; i < A->rows; ++i)
        for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
            int at = first[A->column[e]]++;
            row[at] = i, value[at] = A->value[e];
        }
    for (int j = A->cols; j > 0; --j) first[j] = first[j - 1];
    first[0] = 0;
}

/// CSR and triplets stay what they are; all else is written as CSC, which every FCLIB reader takes.
static void write_matrix(sink *s, const char *root, const char *name, const raw_matrix *A)
{
    const size_t n = raw_matrix_entries(A);
    const int triplet = A->storage == RAW_TRIPLET || A->storage == RAW_HALF_TRIPLET, csr = A->storage == RAW_CSR;
    open_group(s, root, name);
    write_integer(s, "nzmax", (int)n);
    write_integer(s, "m", A->rows);
    write_integer(s, "n", A->cols);
    write_integer(s, "nz", triplet ? (int)n : csr ? -2 : -1);
    if (csr) {
        write_list(s, "p", 'i', (size_t)A->rows + 1, A->start);
        write_list(s, "i", 'i', n, A->column);
        write_list(s, "x", 'd', n, A->value);
        return;
    }
    int *row = array(s, n + 1, sizeof *row);
    if (triplet) {
        if (row) row_of_entries(A, row);
        write_list(s, "p", 'i', n, A->column);
        write_list(s, "i", 'i', n, row);
        write_list(s, "x", 'd', n, A->value);
        return;
    }
    int *first = array(s, (size_t)A->cols + 2, sizeof *first);
    double *value = array(s, n + 1, sizeof *value);
    if (first && row && value) to_csc(A, first, row, value);
    write_list(s, "p", 'i', (size_t)A->cols + 1, first);
    write_list(s, "i", 'i', n, row);
    write_list(s, "x", 'd', n, value);
}

/* ---- the problem ------------------------------------------------------------------------------------------------------ */

static int has_solution(const raw_solution *solution)
{
    for (int k = 0; k < RAW_SOLUTION_PARTS; ++k)
        if (solution->part[k]) return 1;
    return 0;
}

static void write_solution(sink *s, const raw_problem *raw, const char *parent, const char *name,
                           const raw_solution *solution)
{
    open_group(s, parent, name);
    for (int k = 0; k < RAW_SOLUTION_PARTS; ++k)
        if (solution->part[k])
            write_list(s, raw_solution_name[k], 'd', (size_t)raw_solution_size(raw, k), solution->part[k]);
}

static void write_guesses(sink *s, const raw_problem *raw)
{
    char name[16];
    open_group(s, "", "guesses");
    write_integer(s, "number_of_guesses", raw->guess_count);
    for (int k = 0; k < raw->guess_count; ++k) {
        snprintf(name, sizeof name, "%d", k + 1);
        write_solution(s, raw, "/guesses", name, &raw->guess[k]);
    }
}

static void write_problem(sink *s, const raw_problem *raw)
{
    static const char *const roots[2][2] = {{"fclib_local", "fclib_local_rolling"},
                                            {"fclib_global", "fclib_global_rolling"}};
    char root[32];
    snprintf(root, sizeof root, "/%s", roots[raw->kind == RAW_GLOBAL][raw->dim >= 5]);
    open_group(s, "", root + 1);
    write_integer(s, "spacedim", raw->dim);
    for (int k = 0; k < RAW_MATRICES; ++k)
        if (raw_has_matrix(raw, k)) write_matrix(s, root, raw_matrix_name[k], &raw->matrix[k]);
    open_group(s, root, "vectors");
    for (int k = 0; k < RAW_VECTORS; ++k)
        if (raw_has_vector(raw, k))
            write_list(s, raw_vector_name[k], 'd', (size_t)raw_vector_size(raw, k), raw->vector[k]);
    if (raw->info[RAW_TITLE] || raw->info[RAW_DESCRIPTION] || raw->info[RAW_MATH_INFO]) {
        open_group(s, root, "info");
        for (int k = 0; k < RAW_INFOS; ++k)
            if (raw->info[k]) write_list(s, raw_info_name[k], 't', strlen(raw->info[k]) + 1, raw->info[k]);
    }
    if (has_solution(&raw->solution)) write_solution(s, raw, "", "solution", &raw->solution);
    if (raw->guess_count > 0) write_guesses(s, raw);
}

scree_status raw_write_fclib(const raw_problem *raw, FILE *out, const char *file, scree_error *error)
{
    sink s = {.allocator = raw->allocator, .capacity = LISTS + raw->guess_count * (RAW_SOLUTION_PARTS + 1)};
    h5_image image = {.bytes = NULL};
    s.list = memory_raw_array(&s.allocator, (size_t)s.capacity, sizeof *s.list);
    s.path = memory_raw_array(&s.allocator, (size_t)s.capacity, sizeof *s.path);
    s.integer = memory_raw_array(&s.allocator, (size_t)s.capacity, sizeof *s.integer);
    s.no_memory = !s.list || !s.path || !s.integer;
    if (!s.no_memory) write_problem(&s, raw);
    if (!s.no_memory) s.no_memory = h5_image_make(s.list, s.count, &s.allocator, &image) != SCREE_OK;
    if (!s.no_memory) fwrite(image.bytes, 1, image.size, out); /* the caller looks at the stream */
    h5_image_free(&image);
    memory_free_all(&s.allocator, s.owned, s.made);
    MEMORY_FREE_ALL(&s.allocator, s.list, s.path, s.integer);
    return s.no_memory ? raw_out_of_memory(file, error) : SCREE_OK;
}
