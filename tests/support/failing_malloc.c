/* failing_malloc.c: a program started with this library preloaded finds no memory from its SCREE_FAIL_AT-th request on (counted by all
 * its processes and threads together until they part), until it exits: what counts the lines that ran must write them down then.
 * Without that variable it counts nothing. The requests of libraries that the program uses count as its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long left = -1; /* requests that are still granted; below 0: all of them */
static atomic_int denied;

/// Runs after the constructors of the libraries that the program needs, so that none of them fails before main.
__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("SCREE_FAIL_AT");
    if (at) atomic_store(&left, strtol(at, NULL, 10));
}

static void grant_all(void)
{
    atomic_store(&left, -1);
}

static int granted(void)
{
    long now = atomic_load(&left);
    while (now > 0 && !atomic_compare_exchange_weak(&left, &now, now - 1)) continue;
    if (now != 0) return 1;
    if (!atomic_exchange(&denied, 1)) atexit(grant_all); /* what is named last at exit comes first */
    errno = ENOMEM;
    return 0;
}

/* The C library's own, under names that no preloaded library takes. NOLINTBEGIN(bugprone-reserved-identifier) */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
/* NOLINTEND(bugprone-reserved-identifier) */

void *malloc(size_t size)
{
    return granted() ? __libc_malloc(size) : NULL;
}

void *calloc(size_t nmemb, size_t size)
{
    return granted() ? __libc_calloc(nmemb, size) : NULL;
}

void *realloc(void *ptr, size_t size)
{
    return granted() ? __libc_realloc(ptr, size) : NULL;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return granted() ? __libc_memalign(alignment, size) : NULL;
}
