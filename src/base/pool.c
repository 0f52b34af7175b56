/* pool.c: threads that wait for loops (parallel.h). */
#include "base/memory.h"
#include "base/parallel.h"

struct scree_pool {
    scree_allocator allocator;
};

scree_status scree_pool_create(int threads, const scree_allocator *allocator, scree_pool **pool)
{
    scree_allocator a = memory_allocator(allocator);
    (void)threads;
    *pool = memory_array(&a, 1, sizeof **pool);
    if (!*pool) return SCREE_ERR_MEMORY;
    (*pool)->allocator = a;
    return SCREE_OK;
}

void scree_pool_destroy(scree_pool *pool)
{
    if (!pool) return;
    scree_allocator a = pool->allocator;
    memory_free(&a, pool);
}

int scree_pool_threads(const scree_pool *pool)
{
    (void)pool;
    return 1;
}

void parallel_for(scree_pool *pool, int count, int grain, parallel_fn *f, void *context)
{
    (void)pool;
    for (int begin = 0, chunk = 0; begin < count; begin += grain, ++chunk)
        f(context, begin, begin + grain < count ? begin + grain : count, chunk, 0);
}
