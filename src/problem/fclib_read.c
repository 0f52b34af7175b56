/* fclib_read.c: the reader of FCLIB's HDF5 files (docs/formats.md).
 *
 * HDF5 finds and converts the data; everything else is checked here: shapes, counts and indices, and that no dataset claims to
 * hold more than a file of this size can, before memory is asked for. Messages name the dataset as file::/path. HDF5 keeps
 * its own memory; ours comes from the allocator. */
#include "base/h5.h"
#include "base/hdf5_door.h"
#include "base/hdf5_path.h"
#include "base/memory.h"
#include "problem/raw.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { PATH_SIZE = 128, TEXT_LIMIT = 1 << 20, NUMBER_SIZE = 16 }; /* bytes; of the longest number that there is */

typedef struct source {
    hid_t file;
    const char *name;
    double byte_limit; /* of one dataset: deflate shrinks at most 1032 times */
    const char *root;
    raw_problem *raw;
    scree_error *error;
    scree_status status;
} source;

static void fail(source *s, const char *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/// What a function returns that has failed.
#define FAIL(...) (fail(__VA_ARGS__), 0)

static void fail(source *s, const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    h5_error(s->error, s->name, path, format, arguments);
    va_end(arguments);
    s->status = SCREE_ERR_INPUT;
}

static int no_memory(source *s)
{
    s->status = raw_out_of_memory(s->name, s->error);
    return 0;
}

/* ---- datasets ------------------------------------------------------------------------------------------------------- */

static const char *join(const source *s, char path[PATH_SIZE], const char *group, const char *name)
{
    snprintf(path, PATH_SIZE, "%s/%s%s%s", s->root, group, *group ? "/" : "", name);
    return path;
}

/// Values of a piece of the dataset, for which HDF5 makes room whatever it finds in it; 0: it is in one piece.
static double chunk_size(hid_t data)
{
    hsize_t chunk[H5S_MAX_RANK];
    double values = 0.0;
    const hid_t list = H5Dget_create_plist(data);
    const int rank = H5Pget_layout(list) == H5D_CHUNKED ? H5Pget_chunk(list, H5S_MAX_RANK, chunk) : 0;
    for (int k = 0; k < rank; ++k) values = (double)chunk[k] * (k ? values : 1.0);
    H5Pclose(list);
    return values;
}

/// Points of a dataset of numbers (rank 0 or 1), after its type and size were found sane; -1 after a failure.
static hssize_t check_dataset(source *s, const char *path, hid_t data, hid_t memory_type)
{
    hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    H5T_class_t class = H5Tget_class(type);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    int rank = H5Sget_simple_extent_ndims(space), whole = H5Tget_class(memory_type) == H5T_INTEGER;
    if ((class != H5T_INTEGER && (whole || class != H5T_FLOAT)) || H5Tget_size(type) > NUMBER_SIZE) {
        fail(s, path, "the type is wrong, expected %s", whole ? "whole numbers" : "numbers");
        points = -1;
    } else if (rank < 0 || rank > 1 || points < 0) {
        fail(s, path, "the data has %d dimensions, expected a list", rank);
        points = -1;
    } else if ((double)points * (double)H5Tget_size(memory_type) > s->byte_limit || points >= INT_MAX) {
        fail(s, path, "%lld values cannot be in a file of this size", (long long)points);
        points = -1;
    } else if (chunk_size(data) * (double)H5Tget_size(type) > s->byte_limit) {
        fail(s, path, "pieces of %.0f values cannot be in a file of this size", chunk_size(data));
        points = -1;
    }
    H5Tclose(type);
    H5Sclose(space);
    return points;
}

/// Reads a list of numbers. `least` <= count <= `most`. The array is ours.
static int read_array(source *s, const char *path, hid_t memory_type, int least, int most, void **array, int *count)
{
    int done = 0;
    *array = NULL;
    if (!hdf5_exists(s->file, path)) return FAIL(s, path, "there is nothing here, expected a list of numbers");
    hid_t data = H5Dopen2(s->file, path, H5P_DEFAULT);
    if (data < 0) return FAIL(s, path, "this is not a dataset, expected a list of numbers");
    hssize_t points = check_dataset(s, path, data, memory_type);
    if (points >= 0 && (points < least || points > most)) {
        if (least == most) fail(s, path, "%lld values are here, expected %d", (long long)points, least);
        else fail(s, path, "%lld values are here, expected %d or more", (long long)points, least);
    } else if (points >= 0) {
        *count = (int)points;
        *array = memory_array(&s->raw->allocator, (size_t)points + 1, H5Tget_size(memory_type));
        if (!*array) no_memory(s);
        else if (H5Dread(data, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *array) < 0)
            fail(s, path, "HDF5 cannot read the data");
        else done = 1;
    }
    H5Dclose(data);
    if (!done) memory_free(&s->raw->allocator, *array), *array = NULL;
    return done;
}

static int read_doubles(source *s, const char *path, int least, int most, double **array, int *count)
{
    void *memory;
    *array = NULL;
    if (!read_array(s, path, H5T_NATIVE_DOUBLE, least, most, &memory, count)) return 0;
    *array = memory;
    for (int k = 0; k < *count; ++k)
        if (!(fabs((*array)[k]) <= DBL_MAX)) {
            fail(s, path, "value %d is %g, expected a finite number", k, (*array)[k]);
            memory_free(&s->raw->allocator, *array);
            *array = NULL;
            return 0;
        }
    return 1;
}

static int read_integer(source *s, const char *path, int low, int high, int *value)
{
    void *memory;
    int count;
    if (!read_array(s, path, H5T_NATIVE_INT, 1, 1, &memory, &count)) return 0;
    *value = *(int *)memory;
    memory_free(&s->raw->allocator, memory);
    if (*value >= low && *value <= high) return 1;
    if (high >= INT_MAX - 1) return FAIL(s, path, "%d is here, expected a whole number from %d", *value, low);
    return FAIL(s, path, "%d is here, expected a whole number from %d to %d", *value, low, high);
}

static int read_characters(source *s, const char *path, hid_t data, hid_t memory_type, void *to)
{
    if (H5Dread(data, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0) return 1;
    return FAIL(s, path, "HDF5 cannot read the text");
}

/// A text of fixed or of variable length; absent is fine.
static int read_text(source *s, const char *path, char **text)
{
    if (!hdf5_exists(s->file, path)) return 1;
    hid_t data = H5Dopen2(s->file, path, H5P_DEFAULT);
    if (data < 0) return FAIL(s, path, "this is not a dataset, expected a text");
    hid_t type = H5Dget_type(data), space = H5Dget_space(data), memory = H5Tcopy(H5T_C_S1);
    int done = 0, is_text = H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1;
    size_t size = is_text ? H5Tget_size(type) : 0;
    if (!is_text || H5Tset_cset(memory, H5Tget_cset(type)) < 0) fail(s, path, "the type is wrong, expected one text");
    else if (H5Tis_variable_str(type) > 0) {
        char *found = NULL;
        H5Tset_size(memory, H5T_VARIABLE);
        if (read_characters(s, path, data, memory, (void *)&found)) {
            size_t length = found ? strlen(found) : 0;
            *text = memory_array(&s->raw->allocator, length + 1, 1);
            if (*text) memcpy(*text, found ? found : "", length), done = 1;
            else no_memory(s);
            H5Dvlen_reclaim(memory, space, H5P_DEFAULT, (void *)&found);
        }
    } else if (size > TEXT_LIMIT || (double)size > s->byte_limit)
        fail(s, path, "the text has %zu bytes, expected at most %d", size, TEXT_LIMIT);
    else {
        H5Tset_size(memory, size + 1);
        *text = memory_array(&s->raw->allocator, size + 2, 1);
        if (!*text) no_memory(s);
        else done = read_characters(s, path, data, memory, *text);
    }
    H5Tclose(memory);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(data);
    return done;
}

/* ---- matrices ------------------------------------------------------------------------------------------------------- */

/// The rows and columns that a matrix says it has.
static int read_shape(source *s, const char *matrix, int *rows, int *cols)
{
    char path[PATH_SIZE];
    if (!hdf5_exists(s->file, join(s, path, "", matrix)))
        return FAIL(s, path, "there is nothing here, expected the matrix");
    return read_integer(s, join(s, path, matrix, "m"), 0, INT_MAX - 1, rows) &&
           read_integer(s, join(s, path, matrix, "n"), 0, INT_MAX - 1, cols);
}

/// Triplets from pointers p (outer + 1) and indices i: e's row or column `outer_index` is written over. Checks all.
static int expand(source *s, const char *matrix, const raw_matrix *A, int outer, int inner, int entries, const int *p,
                  const int *i, int *outer_index)
{
    char path[PATH_SIZE];
    int done = 0, *seen = memory_array(&s->raw->allocator, (size_t)inner + 1, sizeof *seen);
    if (!seen) return no_memory(s);
    join(s, path, matrix, "p");
    if (p[0] != 0) {
        fail(s, path, "the first pointer is %d, expected 0", p[0]);
        goto out;
    }
    for (int k = 0; k < outer; ++k) {
        if (p[k + 1] < p[k] || p[k + 1] > entries) {
            fail(s, path, "pointer %d is %d, expected %d to %d", k + 1, p[k + 1], p[k], entries);
            goto out;
        }
        for (int e = p[k]; e < p[k + 1]; ++e) {
            if (i[e] < 0 || i[e] >= inner) {
                fail(s, join(s, path, matrix, "i"), "index %d is %d, expected 0 to %d", e, i[e], inner - 1);
                goto out;
            }
            if (seen[i[e]] == k + 1) {
                fail(s, join(s, path, matrix, "i"), "entry (%d, %d) is there twice, expected each once",
                     A->storage == RAW_CSC ? i[e] : k, A->storage == RAW_CSC ? k : i[e]);
                goto out;
            }
            seen[i[e]] = k + 1;
            outer_index[e] = k;
        }
    }
    done = 1;
out:
    memory_free(&s->raw->allocator, seen);
    return done;
}

static int check_triplets(source *s, const char *matrix, const raw_matrix *A, int entries, const int *row,
                          const int *column)
{
    char path[PATH_SIZE];
    for (int e = 0; e < entries; ++e) {
        if (row[e] < 0 || row[e] >= A->rows)
            return FAIL(s, join(s, path, matrix, "i"), "row %d is %d, expected 0 to %d", e, row[e], A->rows - 1);
        if (column[e] < 0 || column[e] >= A->cols)
            return FAIL(s, join(s, path, matrix, "p"), "column %d is %d, expected 0 to %d", e, column[e], A->cols - 1);
    }
    return 1;
}

/// Reads p, i and x of the matrix, whose shape and storage stand in A.
static int read_entries(source *s, const char *matrix, int nz, raw_matrix *A)
{
    const scree_allocator *a = &s->raw->allocator;
    char path[PATH_SIZE];
    int triplet = nz >= 0, outer = A->storage == RAW_CSR ? A->rows : A->cols, pointers = triplet ? nz : outer + 1;
    int inner = A->storage == RAW_CSR ? A->cols : A->rows, np = 0, ni = 0, nx = 0, entries = nz, done = 0,
        *other = NULL;
    void *p = NULL, *i = NULL;
    double *x = NULL;
    if (!read_array(s, join(s, path, matrix, "p"), H5T_NATIVE_INT, pointers, INT_MAX, &p, &np)) goto out;
    if (!triplet) entries = ((int *)p)[outer];
    if (entries < 0) {
        fail(s, path, "the last pointer is %d, expected the number of entries", entries);
        goto out;
    }
    if (!read_array(s, join(s, path, matrix, "i"), H5T_NATIVE_INT, entries, INT_MAX, &i, &ni) ||
        !read_doubles(s, join(s, path, matrix, "x"), entries, INT_MAX, &x, &nx))
        goto out;
    if (triplet) {
        if (!check_triplets(s, matrix, A, entries, i, p)) goto out;
        done = raw_matrix_fill(A, (size_t)entries, i, p, x, a) || no_memory(s);
        goto out;
    }
    other = memory_array(a, (size_t)entries + 1, sizeof *other);
    if (!other) {
        no_memory(s);
        goto out;
    }
    if (!expand(s, matrix, A, outer, inner, entries, p, i, other)) goto out;
    if (A->storage == RAW_CSC) done = raw_matrix_fill(A, (size_t)entries, i, other, x, a) || no_memory(s);
    else done = raw_matrix_fill(A, (size_t)entries, other, i, x, a) || no_memory(s);
out:
    MEMORY_FREE_ALL(a, p, i, x, other);
    return done;
}

static int read_matrix(source *s, int matrix)
{
    raw_matrix *A = &s->raw->matrix[matrix];
    const char *name = raw_matrix_name[matrix];
    char path[PATH_SIZE];
    int rows, cols, nz, nzmax;
    raw_matrix_shape(s->raw, matrix, &rows, &cols);
    if (!read_shape(s, name, &A->rows, &A->cols)) return 0;
    if (A->rows != rows || A->cols != cols)
        return FAIL(s, join(s, path, "", name), "the matrix is %d x %d, expected %d x %d", A->rows, A->cols, rows,
                    cols);
    if (!read_integer(s, join(s, path, name, "nzmax"), 0, INT_MAX - 1, &nzmax)) return 0;
    if (!read_integer(s, join(s, path, name, "nz"), -2, nzmax, &nz)) return 0;
    A->storage = nz >= 0 ? RAW_TRIPLET : nz == -1 ? RAW_CSC : RAW_CSR;
    return read_entries(s, name, nz, A);
}

/* ---- the problem ------------------------------------------------------------------------------------------------------ */

static int read_vector(source *s, int vector)
{
    char path[PATH_SIZE];
    int size = raw_vector_size(s->raw, vector), count;
    double **x = &s->raw->vector[vector];
    memory_free(&s->raw->allocator, *x);
    if (!read_doubles(s, join(s, path, "vectors", raw_vector_name[vector]), size, size, x, &count)) return 0;
    for (int k = 0; vector >= RAW_MU && k < count; ++k)
        if ((*x)[k] < 0.0) return FAIL(s, path, "value %d is %g, expected a coefficient >= 0", k, (*x)[k]);
    return 1;
}

/// v, u, r, l of the group, each if it is there and has the size of this problem.
static int read_solution(source *s, const char *group, raw_solution *solution)
{
    char path[PATH_SIZE];
    int count;
    for (int k = 0; k < RAW_SOLUTION_PARTS; ++k) {
        int size = raw_solution_size(s->raw, k);
        snprintf(path, sizeof path, "%s/%s", group, raw_solution_name[k]);
        if (!hdf5_exists(s->file, path) || size == 0) continue;
        if (!read_doubles(s, path, size, size, &solution->part[k], &count)) return 0;
    }
    return 1;
}

static int read_guesses(source *s)
{
    char path[32];
    int count;
    if (!hdf5_exists(s->file, "/guesses")) return 1;
    if (!read_integer(s, "/guesses/number_of_guesses", 0, 1 << 20, &count)) return 0;
    if (count == 0) return 1;
    s->raw->guess = memory_array(&s->raw->allocator, (size_t)count, sizeof *s->raw->guess);
    if (!s->raw->guess) return no_memory(s);
    s->raw->guess_count = count;
    for (int k = 0; k < count; ++k) {
        snprintf(path, sizeof path, "/guesses/%d", k + 1);
        if (!hdf5_exists(s->file, path))
            return FAIL(s, path, "there is nothing here, expected guess %d of %d", k + 1, count);
        if (!read_solution(s, path, &s->raw->guess[k])) return 0;
    }
    return 1;
}

/// Contacts from mu, degrees of freedom from M, equality constraints from V or G.
static int read_sizes(source *s)
{
    raw_problem *raw = s->raw;
    char path[PATH_SIZE];
    int rows, cols, is_rolling = strstr(s->root, "rolling") != NULL;
    const char *equality = raw->kind == RAW_LOCAL ? "V" : "G";
    if (!read_integer(s, join(s, path, "", "spacedim"), is_rolling ? 5 : 2, SCREE_DIM_MAX, &raw->dim)) return 0;
    if (!read_doubles(s, join(s, path, "vectors", "mu"), 0, INT_MAX, &raw->vector[RAW_MU], &raw->contact_count))
        return 0;
    if (raw->contact_count > INT_MAX / SCREE_DIM_MAX) return FAIL(s, path, "there are too many contacts");
    if (raw->kind == RAW_GLOBAL) {
        if (!read_shape(s, "M", &raw->dof_count, &cols)) return 0;
        if (8.0 * raw->dof_count > s->byte_limit)
            return FAIL(s, join(s, path, "M", "m"), "%d rows cannot be in a file of this size", raw->dof_count);
    }
    if (hdf5_exists(s->file, join(s, path, "", equality))) {
        if (!read_shape(s, equality, &rows, &cols)) return 0;
        if (8.0 * cols > s->byte_limit)
            return FAIL(s, join(s, path, equality, "n"), "%d columns cannot be in a file of this size", cols);
        raw->equality_count = cols;
    }
    return 1;
}

static int read_problem(source *s, scree_file_kind kind)
{
    static const struct {
        const char *path;
        raw_kind kind;
    } roots[] = {{"/fclib_local", RAW_LOCAL},
                 {"/fclib_local_rolling", RAW_LOCAL},
                 {"/fclib_global", RAW_GLOBAL},
                 {"/fclib_global_rolling", RAW_GLOBAL}};
    raw_problem *raw = s->raw;
    char path[PATH_SIZE];
    for (int k = 0; k < 4; ++k) {
        if (!hdf5_exists(s->file, roots[k].path)) continue;
        if (s->root) return FAIL(s, "/", "there are %s and %s, expected one problem", s->root, roots[k].path);
        s->root = roots[k].path, raw->kind = roots[k].kind;
    }
    if (!s->root) return FAIL(s, "/", "there is no problem, expected a group fclib_local or fclib_global");
    if ((kind == SCREE_FILE_LOCAL && raw->kind != RAW_LOCAL) || (kind == SCREE_FILE_GLOBAL && raw->kind != RAW_GLOBAL))
        return FAIL(s, s->root, "this is not the %s problem that was asked for",
                    kind == SCREE_FILE_LOCAL ? "local" : "global");
    if (!read_sizes(s)) return 0;
    for (int k = 0; k < RAW_VECTORS; ++k)
        if (raw_has_vector(raw, k) && !read_vector(s, k)) return 0;
    for (int k = 0; k < RAW_MATRICES; ++k)
        if (raw_has_matrix(raw, k) && !read_matrix(s, k)) return 0;
    for (int k = 0; k < RAW_INFOS; ++k)
        if (!read_text(s, join(s, path, "info", raw_info_name[k]), &raw->info[k])) return 0;
    return read_solution(s, "/solution", &raw->solution) && read_guesses(s);
}

static hid_t open_file(const char *file, const void *image, size_t image_size)
{
    if (!image) return H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), opened = -1;
    void *copy = H5allocate_memory(image_size + 1, 0); /* HDF5 wants a buffer that may be written to */
    if (copy) {
        memcpy(copy, image, image_size);
        if (H5Pset_fapl_core(access, 1 << 16, 0) >= 0 && H5Pset_file_image(access, copy, image_size) >= 0)
            opened = H5Fopen(HDF5_NO_FILE, H5F_ACC_RDONLY, access);
        H5free_memory(copy);
    }
    H5Pclose(access);
    return opened;
}

scree_status raw_read_fclib(const char *file, const void *image, size_t image_size, scree_file_kind kind,
                            const scree_allocator *allocator, raw_problem **raw, scree_error *error)
{
    source s = {.name = file, .error = error, .status = SCREE_OK};
    hdf5_visit visit;
    *raw = NULL;
    s.raw = raw_create(allocator);
    if (!s.raw) return raw_out_of_memory(file, error);
    if (!hdf5_enter(&visit)) {
        raw_destroy(s.raw);
        return raw_out_of_memory(file, error);
    }
    s.file = open_file(file, image, image_size);
    if (s.file < 0) fail(&s, "/", "HDF5 cannot open the file: it is damaged or cut short");
    else {
        hsize_t bytes = 0;
        H5Fget_filesize(s.file, &bytes);
        s.byte_limit = 1100.0 * (double)bytes + 65536.0;
        if (read_problem(&s, kind)) *raw = s.raw;
        H5Fclose(s.file);
    }
    hdf5_leave(&visit);
    if (!*raw) raw_destroy(s.raw);
    return s.status;
}
