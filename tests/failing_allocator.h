/* failing_allocator.h: an allocator whose k-th request fails, and which counts what is still held. */
#ifndef FAILING_ALLOCATOR_H
#define FAILING_ALLOCATOR_H

#include <scree/base.h>

#include <stdlib.h>

typedef struct failing {
    int left; /* requests until one fails; negative: none ever does */
    int live, requests;
} failing;

static void *failing_alloc(size_t size, size_t alignment, void *context)
{
    failing *f = context;
    f->requests += 1;
    if (f->left == 0) return NULL;
    if (f->left > 0) f->left -= 1;
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory) f->live += 1;
    return memory;
}

static void failing_free(void *memory, void *context)
{
    failing *f = context;
    if (memory) f->live -= 1;
    free(memory);
}

#endif
