/* files.c: problem files by content and by name: reading, writing, converting.
 *
 * What is read is told by its first bytes: HDF5 has a signature, all else is .dat text. What is written is told by the
 * extension. A file is written beside its place and renamed (scree/files.h). */
#include "base/fail.h"
#include "base/memory.h"
#include "base/read.h"
#include "problem/problem_private.h"
#include "problem/raw.h"

#include <scree/files.h>

#include <stdint.h>
#include <string.h>

int raw_fclib_built(void)
{
#if defined(SCREE_HAVE_HDF5)
    return 1;
#else
    return 0;
#endif
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

/// Bytes of a problem: that of a million contacts has 1 GB as text; a pipe may have no end.
static const size_t TEXT_MOST = (size_t)(SIZE_MAX / 4 < (UINT64_C(1) << 33) ? SIZE_MAX / 4 : UINT64_C(1) << 33);

/// HDF5's signature is at byte 0, 512, 1024, 2048, ...
static int is_hdf5(const char *text, size_t size)
{
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    for (size_t at = 0; at + sizeof signature <= size; at = at ? 2 * at : 512)
        if (memcmp(text + at, signature, sizeof signature) == 0) return 1;
    return 0;
}

/// Whether the beginning tells what the file is: HDF5, or neither that nor text, as /dev/zero, which has no end.
static int tells_enough(const char *text, size_t size)
{
    enum {
        USER_BLOCK_MOST = 1 << 20,
        LINES = 4096
    }; /* bytes: what may stand before HDF5; what a text has without a zero byte */
    return is_hdf5(text, size) || (size > USER_BLOCK_MOST && memchr(text, 0, LINES));
}

static scree_status read_hdf5(const char *path, int is_stdin, scree_file_kind kind, const scree_allocator *allocator,
                              raw_problem **raw, scree_error *error)
{
#if defined(SCREE_HAVE_HDF5)
    char *image = NULL;
    size_t size = 0;
    if (!is_stdin) { /* read by us, so that a disk that fails is told from a file that is wrong */
        scree_status status = file_read(path, SIZE_MAX, NULL, allocator, &image, &size, error);
        if (status == SCREE_OK) status = raw_read_fclib_apart(path, image, size, kind, allocator, raw, error);
        memory_free(allocator, image);
        return status;
    }
    scree_error_set(error, "<stdin>", 0, 0, "an HDF5 file cannot come from standard input, expected its path");
#else
    (void)kind, (void)allocator, (void)raw;
    scree_error_set(error, is_stdin ? "<stdin>" : path, 0, 0, "an HDF5 file, and scree was built without HDF5");
#endif
    return SCREE_ERR_UNSUPPORTED;
}

scree_status raw_read(const char *path, scree_file_kind kind, const scree_allocator *allocator, raw_problem **raw,
                      scree_error *error)
{
    scree_allocator a = memory_allocator(allocator);
    int is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "<stdin>" : path;
    char *text = NULL;
    size_t size = 0;
    *raw = NULL;
    scree_status status = file_read(path, TEXT_MOST, tells_enough, &a, &text, &size, error);
    if (status == SCREE_OK && size > TEXT_MOST) {
        scree_error_set(error, name, 0, 0, "the file is longer than %zu bytes, the limit for problems", TEXT_MOST);
        status = SCREE_ERR_INPUT;
    }
    if (status == SCREE_OK && is_hdf5(text, size)) status = read_hdf5(path, is_stdin, kind, &a, raw, error);
    else if (status == SCREE_OK) status = raw_read_dat(text, size, name, kind, &a, raw, error);
    memory_free(&a, text);
    return status;
}

scree_problem *scree_problem_read_as(const char *path, scree_file_kind kind, const scree_allocator *allocator,
                                     scree_error *error)
{
    raw_problem *raw;
    scree_problem *problem = NULL;
    if (error_stopped(error)) return NULL;
    scree_status status = raw_read(path, kind, allocator, &raw, error);
    if (status == SCREE_OK) status = raw_to_problem(raw, path, allocator, &problem, error);
    raw_destroy(raw);
    error_keep(error, status);
    return problem;
}

scree_problem *scree_problem_read(const char *path, const scree_allocator *allocator, scree_error *error)
{
    return scree_problem_read_as(path, SCREE_FILE_DETECT, allocator, error);
}

/* ---- writing -------------------------------------------------------------------------------------------------------------- */

typedef scree_status write_fn(const raw_problem *raw, FILE *out, const char *file, scree_error *error);

/// By the extension; NULL after a failure.
static write_fn *choose_writer(const char *path, scree_error *error)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".dat") == 0) return raw_write_dat;
    if (!dot || (strcmp(dot, ".hdf5") != 0 && strcmp(dot, ".h5") != 0)) {
        scree_error_set(error, path, 0, 0, "the name does not say the format, expected .dat, .hdf5 or .h5 at its end");
        return NULL;
    }
#if defined(SCREE_HAVE_HDF5)
    return raw_write_fclib;
#else
    scree_error_set(error, path, 0, 0, "an HDF5 file, and scree was built without HDF5, expected .dat");
    return NULL;
#endif
}

scree_status raw_write(const raw_problem *raw, const char *path, scree_error *error)
{
    scree_new_file file;
    write_fn *writer = choose_writer(path, error);
    if (!writer) return SCREE_ERR_UNSUPPORTED;
    scree_status status = scree_file_begin(path, &file, error);
    if (status != SCREE_OK) return status;
    status = writer(raw, file.stream, path, error);
    if (status == SCREE_OK) return scree_file_end(&file, error);
    scree_file_abandon(&file);
    return status;
}

scree_status scree_problem_write(const scree_problem *problem, const double *p, const char *path, scree_error *error)
{
    raw_problem *raw;
    if (error_stopped(error)) return error->status;
    scree_status status = raw_from_problem(problem, p, path, &problem->allocator, &raw, error);
    if (status == SCREE_OK) status = raw_write(raw, path, error);
    raw_destroy(raw);
    return error_keep(error, status);
}

/* ---- converting ----------------------------------------------------------------------------------------------------------- */

/// The local problem of a global one; the solution, guesses and texts of the file stay behind.
static scree_status assemble(raw_problem **raw, const char *file, scree_error *error)
{
    scree_allocator a = (*raw)->allocator;
    scree_problem *problem = NULL, *local = NULL;
    raw_problem *made = NULL;
    scree_status status = raw_to_problem(*raw, file, &a, &problem, error);
    if (status == SCREE_OK) {
        status = problem_assemble(problem, &a, &local);
        if (status != SCREE_OK) raw_out_of_memory(file, error);
    }
    if (status == SCREE_OK) status = raw_from_problem(local, NULL, file, &a, &made, error);
    if (status == SCREE_OK && made->contact_count == 0) made->dim = (*raw)->dim;
    scree_problem_destroy(problem);
    scree_problem_destroy(local);
    raw_destroy(*raw);
    *raw = made;
    return status;
}

scree_status scree_problem_convert(const char *from, const char *to, scree_file_kind kind, int as_local,
                                   const scree_allocator *allocator, scree_convert_info *info, scree_error *error)
{
    raw_problem *raw;
    *info = (scree_convert_info){.dim = 0};
    if (error_stopped(error)) return error->status;
    if (!choose_writer(to, error)) return error_keep(error, SCREE_ERR_UNSUPPORTED); /* before a long read */
    scree_status status = raw_read(from, kind, allocator, &raw, error);
    if (status == SCREE_OK && as_local && raw->kind == RAW_GLOBAL) status = assemble(&raw, from, error);
    if (status == SCREE_OK) {
        info->kind = raw->kind == RAW_GLOBAL ? SCREE_FILE_GLOBAL : SCREE_FILE_LOCAL, info->dim = raw->dim,
        info->contact_count = raw->contact_count;
        info->dof_count = raw->dof_count, info->equality_count = raw->equality_count;
        for (int k = 0; k < RAW_MATRICES; ++k) info->entry_count += raw_matrix_entries(&raw->matrix[k]);
        status = raw_write(raw, to, error);
    }
    raw_destroy(raw);
    return error_keep(error, status);
}
