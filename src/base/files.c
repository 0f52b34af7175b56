#if defined(__unix__)
#define _DEFAULT_SOURCE /* flock, fdopen */
#endif
/* files.c: whole files in and out (scree/files.h), with the C library alone where there is no POSIX. Files that grow, and those that must be on the disk when a
 * machine dies, are in file.c. */
#include <scree/files.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/read.h"
#include "base/sole.h"

#include <errno.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------------------------- */

static scree_status fail(scree_error *error, scree_status status, const char *name, const char *what, int reason)
{
    scree_error_set(error, name, 0, 0, reason ? "%s: %s" : "%s", what, strerror(reason));
    return error_keep(error, status);
}

scree_status file_status(int reason)
{
    switch (reason) {
    case 0:
    case ENOENT:
#if defined(__unix__)
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case EPERM:
    case ELOOP:
    case ENAMETOOLONG:
    case ENXIO:
    case ENODEV:
    case EINVAL:
#endif
        return SCREE_ERR_FILE;
    default: return SCREE_ERR_READ;
    }
}

/// The next larger buffer: four times as long, up to `most`. An allocator has no realloc.
static char *grown(const scree_allocator *a, char *old, size_t used, size_t *room, size_t most)
{
    enum { FIRST = 4096 };
    size_t longer = *room ? (*room > most / 4 ? most : 4 * *room) : FIRST;
    if (longer > most) longer = most;
    char *text = memory_raw_array(a, longer, 1);
    if (text && used) memcpy(text, old, used);
    memory_free(a, old);
    *room = longer;
    return text;
}

scree_status file_read(const char *path, size_t limit, int (*enough)(const char *bytes, size_t size),
                       const scree_allocator *allocator, char **text, size_t *size, scree_error *error)
{
    scree_allocator a = memory_allocator(allocator);
    const int is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "<stdin>" : path;
    const size_t most = limit < SIZE_MAX - 2 ? limit + 2 : SIZE_MAX; /* one byte too many, and the 0 */
    *text = NULL, *size = 0;
    errno = 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    if (!file) return fail(error, file_status(errno), path, "cannot open the file", errno);
    char *bytes = NULL;
    size_t room = 0, used = 0;
    do {
        bytes = grown(&a, bytes, used, &room, most);
        errno = 0;
        if (bytes) used += fread(bytes + used, 1, room - used - 1, file);
    } while (bytes && used + 1 == room && room < most && !(enough && enough(bytes, used)));
    const int reason = ferror(file) ? (errno ? errno : EIO) : 0;
    if (!is_stdin) fclose(file);
    if (!bytes) return fail(error, SCREE_ERR_MEMORY, name, "out of memory while reading", 0);
    if (reason) {
        memory_free(&a, bytes);
        return fail(error, file_status(reason), name, "cannot read the file", reason);
    }
    bytes[used] = '\0';
    *text = bytes, *size = used;
    return SCREE_OK;
}

char *scree_file_read(const char *path, size_t limit, const scree_allocator *allocator, size_t *size,
                      scree_error *error)
{
    char *text = NULL;
    *size = 0;
    if (!error_stopped(error)) file_read(path, limit, NULL, allocator, &text, size, error);
    return text;
}

/* ---- writing ------------------------------------------------------------------------------------------------------------- */

static void beside(const scree_new_file *file, char name[SCREE_PATH_MAX + 8])
{
    snprintf(name, SCREE_PATH_MAX + 8, "%s%s", file->path, file->direct ? "" : ".tmp");
}

scree_status scree_file_begin(const char *path, scree_new_file *file, scree_error *error)
{
    char name[SCREE_PATH_MAX + 8];
    *file = (scree_new_file){.stream = NULL};
    if (error_stopped(error)) return error->status;
    errno = ENAMETOOLONG;
    if (strlen(path) < sizeof file->path) {
        memcpy(file->path, path, strlen(path) + 1);
        file->direct = sole_is_device(path);
        beside(file, name);
        errno = 0;
        file->stream = file->direct ? fopen(path, "wb") : sole_stream(name);
    }
    if (file->stream) return SCREE_OK;
    scree_error_set(error, path, 0, 0, "cannot make the file: %s", strerror(errno ? errno : EIO));
    return error_keep(error, SCREE_ERR_WRITE);
}

void scree_file_abandon(scree_new_file *file)
{
    char name[SCREE_PATH_MAX + 8];
    if (!file->stream) return;
    beside(file, name);
    if (!file->direct) remove(name); /* while it is still ours */
    fclose(file->stream);
    file->stream = NULL;
}

scree_status scree_file_end(scree_new_file *file, scree_error *error)
{
    char name[SCREE_PATH_MAX + 8];
    if (error_stopped(error)) scree_file_abandon(file);
    if (!file->stream) return error_stopped(error) ? error->status : SCREE_ERR_WRITE;
    beside(file, name);
    int failed = ferror(file->stream), reason = failed ? errno : 0; /* errno: most likely of what failed since begin */
    if (fflush(file->stream) != 0 && !failed) failed = 1, reason = errno;
    const int held = sole_hold_stream(file->stream);
    if (fclose(file->stream) != 0 && !failed) failed = 1, reason = errno;
    file->stream = NULL;
    if (!failed && !file->direct && rename(name, file->path) != 0) failed = 1, reason = errno;
    if (failed && !file->direct) remove(name);
    sole_let_go(held);
    if (!failed) return SCREE_OK;
    scree_error_set(error, file->path, 0, 0, "cannot write the file: %s", strerror(reason ? reason : EIO));
    return error_keep(error, SCREE_ERR_WRITE);
}
