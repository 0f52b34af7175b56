/* failing_allocator.h: an allocator that refuses after a number of allocations and counts what is alive. */
#ifndef SCREE_TESTS_FAILING_ALLOCATOR_H
#define SCREE_TESTS_FAILING_ALLOCATOR_H

#include <scree/base.h>

typedef struct failing {
    int left;     /* allocations that still succeed; negative: all do */
    int live;     /* not yet given back                               */
    int made;     /* in all                                           */
    int requests; /* the refused ones too                             */
    int freed;    /* calls of free, NULL too                          */
    size_t bytes; /* of all that were made                            */
} failing;

static inline void *failing_alloc(size_t size, size_t alignment, void *context)
{
    failing *f = context;
    f->requests += 1;
    if (f->left == 0) return NULL;
    if (f->left > 0) f->left -= 1;
    f->live += 1, f->made += 1, f->bytes += size;
    scree_allocator a = scree_allocator_default();
    return a.alloc(size, alignment, a.context);
}

static inline void failing_free(void *memory, void *context)
{
    failing *f = context;
    scree_allocator a = scree_allocator_default();
    f->freed += 1;
    if (memory) f->live -= 1;
    a.free(memory, a.context);
}

static inline scree_allocator failing_allocator(failing *f)
{
    return (scree_allocator){failing_alloc, failing_free, f};
}

#endif
