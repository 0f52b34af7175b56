/* arena.h: memory that is given out piece by piece and taken back all at once: the scratch of one step.
 *
 * After a reset the arena holds one block as large as all that was in use before, so a step that needs no more than the largest
 * step so far allocates nothing. arena_allocator makes it look like any other allocator (free does nothing): whole problems and
 * solvers can be made in it and forgotten. Under AddressSanitizer memory that was taken back is poisoned. */
#ifndef SCREE_BASE_ARENA_H
#define SCREE_BASE_ARENA_H

#include <scree/base.h>

typedef struct arena arena;

scree_status arena_create(const scree_allocator *allocator, arena **out);
void arena_destroy(arena *a);
void arena_reset(arena *a);

/// `size` bytes at a multiple of `alignment`, not cleared; NULL: no memory.
void *arena_alloc(arena *a, size_t size, size_t alignment);
scree_allocator arena_allocator(arena *a);

#endif
