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
void memory_free_all(const scree_allocator *allocator, int count, void *const *memory);
#define MEMORY_FREE_ALL(allocator, ...)                                                                                \
    memory_free_all(allocator, (int)(sizeof((void *[]){__VA_ARGS__}) / sizeof(void *)), (void *[]){__VA_ARGS__})

/// Zeroed vectors of `length` numbers each: 1, or 0 where memory ran out; those that were made are then to be freed as all are.
int memory_vectors(const scree_allocator *allocator, size_t length, int count, double **const *vector);
#define MEMORY_VECTORS(allocator, length, ...)                                                                         \
    memory_vectors(allocator, length, (int)(sizeof((double **[]){__VA_ARGS__}) / sizeof(double **)),                   \
                   (double **[]){__VA_ARGS__})

#endif
