/* memory.h: arrays from the caller's allocator, checked for overflow. Private to the library. */
#ifndef SCREE_BASE_MEMORY_H
#define SCREE_BASE_MEMORY_H

#include <scree/base.h>

enum { MEMORY_ALIGNMENT = 64 }; /* bytes: one cache line, and the widest vector load */

/// The allocator to use where the caller may have given NULL.
static inline scree_allocator memory_allocator(const scree_allocator *allocator)
{
    return allocator ? *allocator : scree_allocator_default();
}

/// A zeroed array of `count` elements of `size` bytes, or NULL when there is no memory or count x size overflows.
void *memory_array(const scree_allocator *allocator, size_t count, size_t size);

/// The same, not zeroed: for arrays of which every entry in use is written before it is read.
void *memory_raw_array(const scree_allocator *allocator, size_t count, size_t size);

/// Gives back what memory_array gave; NULL is a no-op.
void memory_free(const scree_allocator *allocator, void *memory);

#endif
