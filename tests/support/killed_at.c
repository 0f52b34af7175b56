/* killed_at.c: a program started with this library preloaded is killed (SIGKILL) just before its SCREE_KILL_AT-th call that changes
 * files: open for writing, write, truncate, rename, remove, make a folder. Without that variable nothing is counted. Calls of libraries
 * (HDF5) count as the program's own; those that the C library makes inside itself (fopen, remove) do not. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long left = -1; /* calls that are still made; below 0: all of them */

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("SCREE_KILL_AT");
    if (at) atomic_store(&left, strtol(at, NULL, 10));
}

static void count(void)
{
    if (atomic_load(&left) > 0 && atomic_fetch_sub(&left, 1) == 1) kill(getpid(), SIGKILL);
}

static int open_counted(const char *path, int flags, va_list rest)
{
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    if (flags & (O_WRONLY | O_RDWR)) count();
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
        count();                                                                                                       \
        return syscall(SYS_pwrite64, fd, bytes, size, offset);                                                         \
    }
WRITE(pwrite)
WRITE(pwrite64)

#define TRUNCATE(NAME)                                                                                                 \
    int NAME(int fd, off_t size)                                                                                       \
    {                                                                                                                  \
        count();                                                                                                       \
        return (int)syscall(SYS_ftruncate, fd, size);                                                                  \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

int rename(const char *from, const char *to)
{
    count();
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path)
{
    count();
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int mkdir(const char *path, mode_t mode)
{
    count();
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
