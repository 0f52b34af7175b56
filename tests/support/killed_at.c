/* killed_at.c: a program started with this library preloaded is killed (SIGKILL) just before its SCREE_KILL_AT-th call that changes
 * files: open for writing, write, truncate, sync, rename, remove, make a folder; or, with SCREE_FAIL_WITH=ERRNO, that one call fails with this errno
 * (a number), the program goes on, and the file SCREE_FAILED is made. Without that variable nothing is counted. Calls of libraries
 * (HDF5) count as the program's own; those that the C library makes inside itself (fopen, remove) do not. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long left = -1; /* calls that are still made; below 0: all of them */
static int fail_with;         /* 0: kill */

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("SCREE_KILL_AT");
    const char *with = getenv("SCREE_FAIL_WITH");
    if (at) atomic_store(&left, strtol(at, NULL, 10));
    if (with) fail_with = (int)strtol(with, NULL, 10);
}

/// 1: the call that asks is the one that fails.
static int ends_here(void)
{
    if (atomic_load(&left) <= 0 || atomic_fetch_sub(&left, 1) != 1) return 0;
    if (!fail_with) kill(getpid(), SIGKILL);
    const char *mark = getenv("SCREE_FAILED");
    if (mark) syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0666));
    errno = fail_with;
    return 1;
}

static int open_counted(const char *path, int flags, va_list rest)
{
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    if ((flags & (O_WRONLY | O_RDWR)) && ends_here()) return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* The C library's declarations have names with underscores. NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
#define OPEN(NAME)                                                                                                     \
    int NAME(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        int fd = open_counted(path, flags, rest);                                                                      \
        va_end(rest);                                                                                                  \
        return fd;                                                                                                     \
    }
OPEN(open)
OPEN(open64)

#define WRITE(NAME)                                                                                                    \
    ssize_t NAME(int fd, const void *bytes, size_t size, off_t offset)                                                 \
    {                                                                                                                  \
        if (ends_here()) return -1;                                                                                    \
        return syscall(SYS_pwrite64, fd, bytes, size, offset);                                                         \
    }
WRITE(pwrite)
WRITE(pwrite64)

#define TRUNCATE(NAME)                                                                                                 \
    int NAME(int fd, off_t size)                                                                                       \
    {                                                                                                                  \
        if (ends_here()) return -1;                                                                                    \
        return (int)syscall(SYS_ftruncate, fd, size);                                                                  \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

int fsync(int fd)
{
    if (ends_here()) return -1;
    return (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
    if (ends_here()) return -1;
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path)
{
    if (ends_here()) return -1;
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int mkdir(const char *path, mode_t mode)
{
    if (ends_here()) return -1;
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
