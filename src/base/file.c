/* file.c: files that are replaced whole, and files that grow (file.h).
 *
 * A full disk, a limit on file sizes and a folder that went away are all a failed write here: errno is kept, the half-written
 * part is taken back, and the caller gets one message. POSIX, for fsync and ftruncate, which C does not have. */
#define _DEFAULT_SOURCE /* flock */
#define _XOPEN_SOURCE   700
#include "base/file.h"

#include "base/fail.h"
#include "base/sole.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static scree_status failed(const char *path, const char *what, int problem, scree_error *error)
{
    scree_error_set(error, path, 0, 0, "cannot %s: %s", what, strerror(problem ? problem : EIO));
    return error_keep(error, SCREE_ERR_WRITE);
}

static void temporary_name(const out_file *f, char name[FILE_PATH_MAX + 8])
{
    snprintf(name, FILE_PATH_MAX + 8, "%s.tmp", f->path);
}

static scree_status start(out_file *f, const char *path, scree_error *error)
{
    *f = (out_file){.fd = -1, .tail = ""};
    if (strlen(path) >= sizeof f->path) return failed(path, "make the file", ENAMETOOLONG, error);
    memcpy(f->path, path, strlen(path) + 1);
    return SCREE_OK;
}

/* ---- folders ----------------------------------------------------------------------------------------------------------- */

scree_status scree_folder_make(const char *path, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    char part[FILE_PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return failed(path, "make the folder", length ? ENAMETOOLONG : ENOENT, error);
    memcpy(part, path, length + 1);
    for (size_t k = 1; k <= length; ++k) {
        if (part[k] != '/' && part[k] != '\0') continue;
        part[k] = '\0';
        struct stat is;
        if (mkdir(part, 0777) != 0 && (errno != EEXIST || stat(part, &is) != 0 || !S_ISDIR(is.st_mode)))
            return failed(part, "make the folder", errno == EEXIST ? ENOTDIR : errno, error);
        part[k] = path[k];
    }
    return SCREE_OK;
}

void file_sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------------- */

/// Writes at `offset`, all of it, or returns the errno.
static int write_at(int fd, const char *bytes, size_t size, int64_t offset)
{
    while (size > 0) {
        ssize_t n = pwrite(fd, bytes, size, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        bytes += n, size -= (size_t)n, offset += n;
    }
    return 0;
}

static void flush_buffer(out_file *f)
{
    if (f->used > 0 && !f->problem) f->problem = write_at(f->fd, f->buffer, f->used, f->size - (int64_t)f->used);
    f->used = 0;
}

void file_bytes(out_file *f, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        size_t n = FILE_BUFFER - f->used < size ? FILE_BUFFER - f->used : size;
        memcpy(f->buffer + f->used, from, n);
        f->used += n, f->size += (int64_t)n, from += n, size -= n;
        if (f->used == FILE_BUFFER) flush_buffer(f);
    }
}

void file_text(out_file *f, const char *text)
{
    file_bytes(f, text, strlen(text));
}

void file_print(out_file *f, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    SCREE_ASSERT(n >= 0 && (size_t)n < sizeof text);
    file_bytes(f, text, (size_t)n);
}

void file_real(out_file *f, double x, char after)
{
    char text[TEXT_REAL];
    file_text(f, text_real(x, text));
    if (after) file_bytes(f, &after, 1);
}

void file_csv_word(out_file *f, const char *word)
{
    if (!strpbrk(word, ",\"\r\n")) {
        file_text(f, word);
        return;
    }
    file_text(f, "\"");
    for (; *word; ++word) file_bytes(f, *word == '"' ? "\"\"" : word, *word == '"' ? 2 : 1);
    file_text(f, "\"");
}

void file_u64(out_file *f, uint64_t x)
{
    unsigned char b[8];
    for (int k = 0; k < 8; ++k) b[k] = (unsigned char)(x >> (8 * k));
    file_bytes(f, b, sizeof b);
}

void file_i32(out_file *f, int32_t x)
{
    unsigned char b[4];
    for (int k = 0; k < 4; ++k) b[k] = (unsigned char)((uint32_t)x >> (8 * k));
    file_bytes(f, b, sizeof b);
}

void file_f64(out_file *f, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    file_u64(f, bits);
}

/* ---- files that are replaced --------------------------------------------------------------------------------------------- */

scree_status file_create(out_file *f, const char *path, char *buffer, scree_error *error)
{
    char name[FILE_PATH_MAX + 8];
    scree_status status = start(f, path, error);
    if (status != SCREE_OK) return status;
    temporary_name(f, name);
    f->fd = sole_open(name);
    if (f->fd < 0) return failed(path, "make the file", errno, error);
    f->open = 1, f->buffer = buffer;
    return SCREE_OK;
}

/// fsync where the file system has it.
static int sync_problem(int fd)
{
    return fsync(fd) != 0 && errno != EINVAL && errno != ENOSYS ? errno : 0;
}

scree_status file_finish(out_file *f, int durable, scree_error *error)
{
    char name[FILE_PATH_MAX + 8];
    temporary_name(f, name);
    flush_buffer(f);
    if (durable && !f->problem) f->problem = sync_problem(f->fd);
    const int held = sole_hold(f->fd);
    if (close(f->fd) != 0 && !f->problem) f->problem = errno;
    f->open = 0;
    if (!f->problem && rename(name, f->path) != 0) f->problem = errno;
    if (f->problem) unlink(name);
    sole_let_go(held);
    if (!f->problem) return SCREE_OK;
    return failed(f->path, "write the file", f->problem, error);
}

scree_status scree_file_replace(const char *path, const void *bytes, size_t size, scree_error *error)
{
    out_file f;
    if (error_stopped(error)) return error->status;
    scree_status status = file_create(&f, path, NULL, error);
    if (status != SCREE_OK) return status;
    f.problem = write_at(f.fd, bytes, size, 0);
    return file_finish(&f, 0, error);
}

/* ---- files that grow ------------------------------------------------------------------------------------------------------- */

static void write_tail(out_file *f)
{
    if (!f->problem) f->problem = write_at(f->fd, f->tail, strlen(f->tail), f->size);
}

scree_status growing_open(out_file *f, const char *path, const char *tail, int keep, char *buffer, scree_error *error)
{
    scree_status status = start(f, path, error);
    if (status != SCREE_OK) return status;
    f->fd = open(path, O_RDWR | O_CREAT | (keep ? 0 : O_TRUNC), 0666);
    if (f->fd < 0) return failed(path, "make the file", errno, error);
    f->open = 1, f->tail = tail, f->buffer = buffer;
    return SCREE_OK;
}

scree_status growing_cut(out_file *f, int64_t size, scree_error *error)
{
    struct stat is;
    if (fstat(f->fd, &is) != 0) return failed(f->path, "look at the file", errno, error);
    if (is.st_size < size) {
        scree_error_set(error, f->path, 0, 0, "the file has %lld bytes, but had %lld when the checkpoint was written",
                        (long long)is.st_size, (long long)size);
        return SCREE_ERR_INPUT;
    }
    f->size = f->kept = size, f->used = 0, f->problem = 0;
    if (ftruncate(f->fd, (off_t)size) != 0) return failed(f->path, "cut the file back", errno, error);
    if (size > 0) write_tail(f);
    return f->problem ? failed(f->path, "write the file", f->problem, error) : SCREE_OK;
}

scree_status growing_commit(out_file *f, scree_error *error)
{
    flush_buffer(f);
    write_tail(f);
    if (!f->problem) {
        f->kept = f->size;
        return SCREE_OK;
    }
    int problem = f->problem;
    f->size = f->kept, f->problem = 0;
    if (ftruncate(f->fd, (off_t)f->kept) == 0 && f->kept > 0) write_tail(f);
    f->problem = 0;
    return failed(f->path, "write the file", problem, error);
}

scree_status growing_sync(const out_file *f, scree_error *error)
{
    int problem = sync_problem(f->fd);
    return problem ? failed(f->path, "write the file", problem, error) : SCREE_OK;
}

void growing_close(out_file *f)
{
    if (f->open) close(f->fd);
    f->open = 0;
}
