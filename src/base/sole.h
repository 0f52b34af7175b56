/* sole.h: the file beside another one that will take its place ("NAME.tmp"), opened by one writer at a time. Private.
 *
 * Two processes that write the same file would otherwise mix their bytes in the same temporary. The second is refused (EBUSY); one that a
 * killed process left is taken over; a link to a file is refused (ELOOP), since that is somebody's. What is no file (a device, a pipe) has
 * nothing beside it and is written itself. */
#ifndef SCREE_BASE_SOLE_H
#define SCREE_BASE_SOLE_H

#include <errno.h>
#include <stdio.h>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/// 1: the path exists and is neither a file nor a folder.
static inline int sole_is_device(const char *path)
{
    struct stat is;
    return stat(path, &is) == 0 && !S_ISREG(is.st_mode) && !S_ISDIR(is.st_mode);
}

/// An empty file of that name, open for writing and locked until it is closed; -1: errno says why.
static inline int sole_open(const char *name)
{
    for (int k = 0; k < 100; ++k) { /* each turn another writer has finished in between */
        struct stat held, there;
        const int follow = sole_is_device(name) ? 0 : O_NOFOLLOW;
        int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | follow, 0666), problem;
        if (fd < 0) return -1;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) { /* or a file system without locks */
            const int same = fstat(fd, &held) == 0 && stat(name, &there) == 0 && held.st_ino == there.st_ino &&
                             held.st_dev == there.st_dev;
            if (same && (!S_ISREG(held.st_mode) || ftruncate(fd, 0) == 0)) return fd;
            problem = same ? errno : 0;
            if (same) unlink(name); /* ours, and of no use */
        } else problem = EBUSY;
        close(fd);
        if (problem) {
            errno = problem;
            return -1;
        }
    }
    errno = EBUSY;
    return -1;
}

/// Keeps the lock beyond the closing of the file, which can still fail, until it has its name.
static inline int sole_hold(int fd)
{
    return dup(fd);
}

static inline int sole_hold_stream(FILE *stream)
{
    return dup(fileno(stream));
}

static inline void sole_let_go(int held)
{
    if (held >= 0) close(held);
}

static inline FILE *sole_stream(const char *name)
{
    int fd = sole_open(name);
    FILE *stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (!stream && fd >= 0) unlink(name), close(fd);
    return stream;
}
#else
static inline int sole_is_device(const char *path)
{
    (void)path;
    return 0;
}

static inline FILE *sole_stream(const char *name)
{
    return fopen(name, "wb");
}

static inline int sole_hold_stream(FILE *stream)
{
    (void)stream;
    return -1;
}

static inline void sole_let_go(int held)
{
    (void)held;
}
#endif

#endif
