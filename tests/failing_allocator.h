/* failing_allocator.h: an allocator that refuses after a number of allocations and counts what is alive. */
#ifndef SCREE_TESTS_FAILING_ALLOCATOR_H
#define SCREE_TESTS_FAILING_ALLOCATOR_H

#include <scree/base.h>
#include <stdlib.h>

typedef struct failing {
    int left;     /* allocations that still succeed; negative: all do */
    int live;     /* not yet given back                               */
    int made;     /* in all                                           */
    int requests; /* the refused ones too                             */
} failing;

static inline void *failing_alloc(size_t size, size_t alignment, void *context)
{
    failing *f = context;
    f->requests += 1;
    if (f->left == 0) return NULL;
    if (f->left > 0) f->left -= 1;
    f->live += 1, f->made += 1;
    return aligned_alloc(alignment, (size / alignment + 1) * alignment);
}

static inline void failing_free(void *memory, void *context)
{
    failing *f = context;
    if (memory) f->live -= 1;
    free(memory);
}

static inline scree_allocator failing_allocator(failing *f)
{
    return (scree_allocator){failing_alloc, failing_free, f};
}

#endif
