/* failing_malloc.c: a program started with this library preloaded finds no memory from its SCREE_FAIL_AT-th request on (counted from
 * main, by all its processes and threads together until they part), for SCREE_FAIL_COUNT requests or for good. Without that variable
 * it counts nothing. The requests of libraries that the program uses count as its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long left = -1;          /* requests that are still granted; below 0: all of them */
static atomic_long denials = LONG_MAX; /* requests that are denied then */

/// Runs after the constructors of the libraries that the program needs, so that none of them fails before main.
__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("SCREE_FAIL_AT"), *count = getenv("SCREE_FAIL_COUNT");
    if (at) atomic_store(&left, strtol(at, NULL, 10));
    if (count) atomic_store(&denials, strtol(count, NULL, 10));
}

static int granted(void)
{
    long now = atomic_load(&left);
    while (now > 0 && !atomic_compare_exchange_weak(&left, &now, now - 1)) continue;
    if (now != 0 || atomic_fetch_sub(&denials, 1) <= 0) return 1;
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
