/* pool.h: the memory behind one Python object, and what keeps it while numpy looks at it.
 *
 * An array of a world or a problem is shown to numpy as it lies in memory. The library may give that memory back while the view
 * is still there: a world that grows moves its arrays, an object may be closed. So each object allocates from a pool of its own,
 * and each view pins the pool: what is freed while there is a pin is put aside, and goes when the last pin does. A view is then
 * old at worst, never wild. A pool lives as long as its owner, a block or a pin does, in whatever order Python collects them.
 *
 * Cost: 32 bytes a block and a lock at each allocation; steps and solves do not allocate once they are warm. */
#ifndef SCREE_PYTHON_POOL_H
#define SCREE_PYTHON_POOL_H

#include <scree/base.h>

#include <pthread.h>
#include <stdlib.h>

typedef struct block {
    void *start; /* what malloc gave      */
    size_t size; /* asked for             */
    struct block *next;
} block;

typedef struct memory_pool {
    pthread_mutex_t mutex;
    int64_t references; /* owner, pins, blocks                    */
    int64_t pins;
    block *aside; /* freed while pinned                     */
} memory_pool;

static pthread_mutex_t counters_mutex = PTHREAD_MUTEX_INITIALIZER;
static int64_t live_blocks, live_bytes; /* over all pools, for the tests that nothing leaks */

static void count(int64_t blocks, int64_t bytes)
{
    pthread_mutex_lock(&counters_mutex);
    live_blocks += blocks, live_bytes += bytes;
    pthread_mutex_unlock(&counters_mutex);
}

static void memory_live(int64_t *blocks, int64_t *bytes)
{
    pthread_mutex_lock(&counters_mutex);
    *blocks = live_blocks, *bytes = live_bytes;
    pthread_mutex_unlock(&counters_mutex);
}

static memory_pool *memory_pool_create(void)
{
    memory_pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pthread_mutex_init(&pool->mutex, NULL);
    pool->references = 1;
    return pool;
}

/// Frees a list of blocks that nobody looks at; returns how many there were.
static int64_t free_blocks(block *list)
{
    int64_t freed = 0;
    for (block *next; list; list = next, ++freed) {
        next = list->next;
        count(-1, -(int64_t)list->size);
        free(list->start);
    }
    return freed;
}

/// Gives up `references`, and `pins` of them pins.
static void drop(memory_pool *pool, int64_t references, int64_t pins)
{
    pthread_mutex_lock(&pool->mutex);
    pool->pins -= pins;
    block *list = pool->pins == 0 ? pool->aside : NULL;
    if (list) pool->aside = NULL;
    pool->references -= references + free_blocks(list);
    int64_t left = pool->references;
    pthread_mutex_unlock(&pool->mutex);
    if (left > 0) return;
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

static void memory_pool_release(memory_pool *pool)
{
    drop(pool, 1, 0);
}

static memory_pool *memory_pool_pin(memory_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    ++pool->pins, ++pool->references;
    pthread_mutex_unlock(&pool->mutex);
    return pool;
}

static void memory_pool_unpin(memory_pool *pool)
{
    drop(pool, 1, 1);
}

static void *pool_alloc(size_t size, size_t alignment, void *context)
{
    memory_pool *pool = context;
    if (alignment < _Alignof(block)) alignment = _Alignof(block);
    size_t room = sizeof(block) + alignment;
    if (size > (size_t)PTRDIFF_MAX - room) return NULL;
    char *start = malloc(size + room);
    if (!start) return NULL;
    char *memory = (char *)(((uintptr_t)start + room) & ~(uintptr_t)(alignment - 1));
    ((block *)memory)[-1] = (block){start, size, NULL};
    pthread_mutex_lock(&pool->mutex);
    ++pool->references;
    pthread_mutex_unlock(&pool->mutex);
    count(1, (int64_t)size);
    return memory;
}

static void pool_free(void *memory, void *context)
{
    memory_pool *pool = context;
    if (!memory) return;
    block *b = (block *)memory - 1;
    pthread_mutex_lock(&pool->mutex);
    if (pool->pins > 0) b->next = pool->aside, pool->aside = b, b = NULL;
    pthread_mutex_unlock(&pool->mutex);
    if (b) drop(pool, free_blocks(b), 0);
}

static scree_allocator memory_pool_allocator(memory_pool *pool)
{
    return (scree_allocator){pool_alloc, pool_free, pool};
}

#endif
