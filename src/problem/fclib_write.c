/* fclib_write.c: writes FCLIB's HDF5 files (docs/formats.md).
 *
 * The file is made in memory and then written as bytes: so a full disk is a failed write like any other, and nothing but our
 * own code opens files. No times are stored: the same problem gives the same bytes. Costs twice the size of the file. */
#include "base/hdf5_door.h"
#include "base/memory.h"
#include "problem/raw.h"

#include <string.h>

typedef struct sink {
    hid_t file;
    int ok;        /* 0 after the first failure of HDF5 */
    int no_memory; /* of our allocator                  */
    scree_allocator allocator;
} sink;

static void write_data(sink *s, hid_t group, const char *name, hid_t file_type, hid_t memory_type, int scalar,
                       size_t count, const void *data)
{
    hsize_t size = count;
    if (!s->ok) return;
    hid_t space = scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(create, 0);
    hid_t set = H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    if (set < 0 || (count > 0 && H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)) s->ok = 0;
    if (set >= 0) H5Dclose(set);
    H5Pclose(create);
    H5Sclose(space);
}

static void write_integer(sink *s, hid_t group, const char *name, int value)
{
    write_data(s, group, name, H5T_STD_I32LE, H5T_NATIVE_INT, 0, 1, &value);
}

static void write_integers(sink *s, hid_t group, const char *name, const int *values, size_t count)
{
    write_data(s, group, name, H5T_STD_I32LE, H5T_NATIVE_INT, 0, count, values);
}

static void write_doubles(sink *s, hid_t group, const char *name, const double *values, size_t count)
{
    write_data(s, group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, count, values);
}

static void write_text(sink *s, hid_t group, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    write_data(s, group, name, type, type, 1, 1, text);
    H5Tclose(type);
}

static hid_t open_group(sink *s, hid_t parent, const char *name)
{
    hid_t group = s->ok ? H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    if (group < 0) s->ok = 0;
    return group;
}

static void close_group(hid_t group)
{
    if (group >= 0) H5Gclose(group);
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
static void write_matrix(sink *s, hid_t parent, const char *name, const raw_matrix *A)
{
    size_t n = raw_matrix_entries(A);
    int triplet = A->storage == RAW_TRIPLET || A->storage == RAW_HALF_TRIPLET, csr = A->storage == RAW_CSR;
    hid_t group = open_group(s, parent, name);
    int *first = memory_array(&s->allocator, (size_t)A->cols + 2, sizeof *first);
    int *row = memory_array(&s->allocator, n + 1, sizeof *row);
    double *value = memory_array(&s->allocator, n + 1, sizeof *value);
    if (!first || !row || !value) s->ok = 0, s->no_memory = 1;
    write_integer(s, group, "nzmax", (int)n);
    write_integer(s, group, "m", A->rows);
    write_integer(s, group, "n", A->cols);
    write_integer(s, group, "nz", triplet ? (int)n : csr ? -2 : -1);
    if (!s->ok) goto out;
    if (triplet) {
        row_of_entries(A, row);
        write_integers(s, group, "p", A->column, n);
        write_integers(s, group, "i", row, n);
        write_doubles(s, group, "x", A->value, n);
    } else if (csr) {
        write_integers(s, group, "p", A->start, (size_t)A->rows + 1);
        write_integers(s, group, "i", A->column, n);
        write_doubles(s, group, "x", A->value, n);
    } else {
        to_csc(A, first, row, value);
        write_integers(s, group, "p", first, (size_t)A->cols + 1);
        write_integers(s, group, "i", row, n);
        write_doubles(s, group, "x", value, n);
    }
out:
    close_group(group);
    MEMORY_FREE_ALL(&s->allocator, first, row, value);
}

/* ---- the problem ------------------------------------------------------------------------------------------------------ */

static int has_solution(const raw_solution *solution)
{
    for (int k = 0; k < RAW_SOLUTION_PARTS; ++k)
        if (solution->part[k]) return 1;
    return 0;
}

static void write_solution(sink *s, const raw_problem *raw, hid_t parent, const char *name,
                           const raw_solution *solution)
{
    hid_t group = open_group(s, parent, name);
    for (int k = 0; k < RAW_SOLUTION_PARTS; ++k)
        if (solution->part[k])
            write_doubles(s, group, raw_solution_name[k], solution->part[k], (size_t)raw_solution_size(raw, k));
    close_group(group);
}

static void write_guesses(sink *s, const raw_problem *raw)
{
    char name[16];
    hid_t group = open_group(s, s->file, "guesses");
    write_integer(s, group, "number_of_guesses", raw->guess_count);
    for (int k = 0; k < raw->guess_count; ++k) {
        snprintf(name, sizeof name, "%d", k + 1);
        write_solution(s, raw, group, name, &raw->guess[k]);
    }
    close_group(group);
}

static void write_problem(sink *s, const raw_problem *raw)
{
    static const char *const roots[2][2] = {{"fclib_local", "fclib_local_rolling"},
                                            {"fclib_global", "fclib_global_rolling"}};
    hid_t root = open_group(s, s->file, roots[raw->kind == RAW_GLOBAL][raw->dim >= 5]);
    write_integer(s, root, "spacedim", raw->dim);
    for (int k = 0; k < RAW_MATRICES; ++k)
        if (raw_has_matrix(raw, k)) write_matrix(s, root, raw_matrix_name[k], &raw->matrix[k]);
    hid_t vectors = open_group(s, root, "vectors");
    for (int k = 0; k < RAW_VECTORS; ++k)
        if (raw_has_vector(raw, k))
            write_doubles(s, vectors, raw_vector_name[k], raw->vector[k], (size_t)raw_vector_size(raw, k));
    close_group(vectors);
    if (raw->info[RAW_TITLE] || raw->info[RAW_DESCRIPTION] || raw->info[RAW_MATH_INFO]) {
        hid_t info = open_group(s, root, "info");
        for (int k = 0; k < RAW_INFOS; ++k)
            if (raw->info[k]) write_text(s, info, raw_info_name[k], raw->info[k]);
        close_group(info);
    }
    close_group(root);
    if (has_solution(&raw->solution)) write_solution(s, raw, s->file, "solution", &raw->solution);
    if (raw->guess_count > 0) write_guesses(s, raw);
}

/// The bytes of the file, ours to free; NULL after a failure.
static void *make_image(sink *s, const raw_problem *raw, size_t *size)
{
    void *image = NULL;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 20, 0);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    s->file = H5Fcreate(HDF5_NO_FILE, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    s->ok = s->file >= 0;
    if (s->ok) {
        write_problem(s, raw);
        ssize_t bytes = s->ok && H5Fflush(s->file, H5F_SCOPE_LOCAL) >= 0 ? H5Fget_file_image(s->file, NULL, 0) : -1;
        if (bytes > 0) {
            image = memory_array(&s->allocator, (size_t)bytes, 1);
            if (!image) s->no_memory = 1;
            else if (H5Fget_file_image(s->file, image, (size_t)bytes) != bytes)
                memory_free(&s->allocator, image), image = NULL;
            *size = (size_t)bytes;
        }
        H5Fclose(s->file);
    }
    H5Pclose(access);
    return image;
}

scree_status raw_write_fclib(const raw_problem *raw, FILE *out, const char *file, scree_error *error)
{
    sink s = {.allocator = raw->allocator};
    size_t size = 0;
    hdf5_visit visit;
    if (!hdf5_enter(&visit)) return raw_out_of_memory(file, error);
    void *image = make_image(&s, raw, &size);
    hdf5_leave(&visit);
    if (!image) { return raw_out_of_memory(file, error); /* HDF5 makes it in memory: it lacks nothing else */ }
    fwrite(image, 1, size, out); /* the caller looks at the stream */
    memory_free(&s.allocator, image);
    return SCREE_OK;
}
