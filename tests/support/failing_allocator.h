/* failing_allocator.h: an allocator that refuses after a number of allocations and counts what is alive. Each piece has its size in front. */
#ifndef SCREE_TESTS_FAILING_ALLOCATOR_H
#define SCREE_TESTS_FAILING_ALLOCATOR_H

#include <scree/base.h>

#include <stdint.h>
#include <string.h>

enum { FAILING_HEADER = 64 }; /* bytes: keeps the alignment of what follows */

typedef struct failing {
    int left;     /* allocations that still succeed; negative: all do */
    int live;     /* not yet given back                               */
    int made;     /* in all                                           */
    int requests; /* the refused ones too                             */
    int freed;    /* calls of free, NULL too                          */
    size_t bytes; /* of all that were made                            */
    size_t held;  /* of those that are alive                          */
    size_t most;  /* and as many as were alive at one time            */
} failing;

static inline void *failing_alloc(size_t size, size_t alignment, void *context)
{
    failing *f = context;
    f->requests += 1;
    if (f->left == 0) return NULL;
    if (f->left > 0) f->left -= 1;
    scree_allocator a = scree_allocator_default();
    unsigned char *memory = alignment <= FAILING_HEADER && size <= SIZE_MAX - FAILING_HEADER
                                ? a.alloc(size + FAILING_HEADER, FAILING_HEADER, a.context)
                                : NULL;
    if (!memory) return NULL;
    memcpy(memory, &size, sizeof size);
    f->live += 1, f->made += 1, f->bytes += size, f->held += size;
    f->most = f->held > f->most ? f->held : f->most;
    return memory + FAILING_HEADER;
}

static inline void failing_free(void *memory, void *context)
{
    failing *f = context;
    scree_allocator a = scree_allocator_default();
    size_t size;
    f->freed += 1;
    if (!memory) return;
    unsigned char *piece = (unsigned char *)memory - FAILING_HEADER;
    memcpy(&size, piece, sizeof size);
    f->live -= 1, f->held -= size;
    a.free(piece, a.context);
}

static inline scree_allocator failing_allocator(failing *f)
{
    return (scree_allocator){failing_alloc, failing_free, f};
}

#endif
