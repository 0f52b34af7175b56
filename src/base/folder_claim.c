/* folder_claim.c: a folder belongs to one writer (scree/files.h). POSIX.
 *
 * The writer holds a lock (flock) on DIR/writer.lock, whose text says who that is. The kernel gives the lock back when the last process that
 * has it open ends, however it ends: a run that was killed leaves the file behind and no lock, and the next one takes it over. Children
 * made by fork share the lock, so the workers of a sweep keep its folder when their parent is killed. The file is removed while it is
 * still locked; who locked a file that is no longer the one of that name (removed between open and lock) tries again.
 *
 * Where the file system has no locks, the text decides: a process of this machine that is gone left it; one that is there, or of another
 * machine, counts as at work, and the message says which file to remove if it is not. */
#define _DEFAULT_SOURCE /* flock, gethostname */
#include <scree/files.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HOST_MAX = 128, TEXT = 512 };

struct scree_folder_claim {
    scree_allocator allocator;
    int fd, told; /* told: locked by its text, not by the kernel */
    long process;
    char path[FILE_PATH_MAX];
};

/// Who has written the file: "who", a number, a machine; 0: nobody, or half a text.
typedef struct owner {
    char who[64], host[HOST_MAX], since[32];
    long process;
} owner;

static void this_machine(char host[HOST_MAX])
{
    if (gethostname(host, HOST_MAX) != 0) memcpy(host, "?", 2);
    host[HOST_MAX - 1] = '\0';
}

static int read_owner(int fd, owner *o)
{
    char text[TEXT + 1], number[32];
    const ssize_t n = pread(fd, text, TEXT, 0);
    *o = (owner){.who = ""};
    if (n <= 0) return 0;
    text[n] = '\0';
    if (sscanf(text, "%63[^\n]\nprocess %31[0-9]\nmachine %127[^\n]\nsince %31[^\n]\n", o->who, number, o->host,
               o->since) != 4) {
        *o = (owner){.who = ""};
        return 0;
    }
    o->process = strtol(number, NULL, 10);
    return 1;
}

static int write_owner(int fd, const char *who)
{
    char text[TEXT], host[HOST_MAX], since[32] = "?";
    struct tm day;
    const time_t now = time(NULL);
    this_machine(host);
    if (gmtime_r(&now, &day)) strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", &day);
    const int length =
        snprintf(text, sizeof text, "%.63s\nprocess %ld\nmachine %s\nsince %s\n", who, (long)getpid(), host, since);
    return ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)length, 0) == length;
}

/// 1: the owner's process is one of this machine, and gone.
static int is_gone(const owner *o)
{
    char host[HOST_MAX];
    this_machine(host);
    return strcmp(host, o->host) == 0 && (o->process <= 0 || (kill((pid_t)o->process, 0) != 0 && errno == ESRCH));
}

static scree_status refuse(const char *folder, const scree_folder_claim *c, const owner *o, scree_error *error)
{
    if (!o->who[0]) scree_error_set(error, folder, 0, 0, "another process is writing there (%s)", c->path);
    else
        scree_error_set(error, folder, 0, 0, "%s is writing there (process %ld on %s, since %s)%s%s", o->who,
                        o->process, o->host, o->since, c->told ? "; if that is not so, remove " : "",
                        c->told ? c->path : "");
    return SCREE_ERR_INPUT;
}

typedef enum claimed { CLAIM_TAKEN, CLAIM_BUSY, CLAIM_AGAIN, CLAIM_FAILED } claimed;

/// One attempt. CLAIM_BUSY leaves the owner.
static claimed attempt(scree_folder_claim *c, const char *who, owner *o)
{
    struct stat held, there;
    *o = (owner){.who = ""}, c->told = 0;
    /* a link is refused: its file is somebody's */
    c->fd = open(c->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (c->fd < 0) return CLAIM_FAILED;
    if (flock(c->fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) return CLAIM_AGAIN;
        c->told = errno != EWOULDBLOCK; /* no locks here */
        const int named = read_owner(c->fd, o);
        if (!c->told || (named && !is_gone(o))) return CLAIM_BUSY;
    }
    if (fstat(c->fd, &held) != 0 || stat(c->path, &there) != 0 || held.st_ino != there.st_ino ||
        held.st_dev != there.st_dev)
        return CLAIM_AGAIN;                    /* removed by its last owner, or replaced */
    const int named = write_owner(c->fd, who); /* a full disk: the lock holds all the same */
    return named || !c->told ? CLAIM_TAKEN : CLAIM_FAILED;
}

static scree_status take(const char *folder, const char *who, double wait, scree_folder_claim *c, scree_error *error)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    const double begin = clock_seconds();
    for (;;) {
        owner o;
        const claimed how = attempt(c, who, &o);
        const int problem = errno;
        if (how == CLAIM_TAKEN) return SCREE_OK;
        if (c->fd >= 0) close(c->fd);
        c->fd = -1;
        if (how == CLAIM_FAILED) {
            scree_error_set(error, folder, 0, 0, "cannot make writer.lock: %s", strerror(problem ? problem : EIO));
            return SCREE_ERR_WRITE;
        }
        if (how == CLAIM_BUSY && !(clock_seconds() - begin < wait)) return refuse(folder, c, &o, error);
        nanosleep(&pause, NULL);
    }
}

scree_folder_claim *scree_folder_claim_take(const char *folder, const char *who, double wait,
                                            const scree_allocator *allocator, scree_error *error)
{
    if (scree_folder_make(folder, error) != SCREE_OK) return NULL;
    const scree_allocator a = memory_allocator(allocator);
    scree_folder_claim *c = memory_array(&a, 1, sizeof *c);
    scree_status status = SCREE_ERR_MEMORY;
    if (!c) scree_error_set(error, folder, 0, 0, "out of memory while claiming the folder");
    else {
        c->allocator = a, c->fd = -1, c->process = (long)getpid();
        const int length = snprintf(c->path, sizeof c->path, "%s/writer.lock", folder);
        status = SCREE_ERR_WRITE;
        if (length < 0 || (size_t)length >= sizeof c->path)
            scree_error_set(error, folder, 0, 0, "the name of the folder is too long");
        else status = take(folder, who, wait, c, error);
    }
    if (error_keep(error, status) == SCREE_OK) return c;
    if (c) memory_free(&a, c);
    return NULL;
}

void scree_folder_claim_release(scree_folder_claim *c)
{
    if (!c) return;
    if (c->process == (long)getpid())
        unlink(c->path); /* while it is still ours, and not by a child that was made since */
    close(c->fd);
    const scree_allocator a = c->allocator;
    memory_free(&a, c);
}
