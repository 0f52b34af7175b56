/* allocator.c: memory from the C library, and arrays from any allocator (memory.h).
 *
 * Large blocks ask Linux for huge pages: a loop over hundreds of megabytes otherwise waits for the translation of every 4 kB (reading and
 * writing 600 MB with pages of 2 MB is 1.5 times as fast on a virtual AMD EPYC), and Debian gives them only to who asks. Whether
 * they come changes nothing but time. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* madvise */
#endif

#include <scree/base.h>

#include "base/memory.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

/// Huge pages for what of the block is whole pages of that size. The rest stays as it is, so no more memory is held than was asked for.
static void advise_huge_pages(void *memory, size_t size)
{
#if defined(MADV_HUGEPAGE)
    const size_t page = (size_t)1 << 21, before = (page - (uintptr_t)memory % page) % page;
    if (memory && size >= before + page)
        madvise((unsigned char *)memory + before, (size - before) / page * page, MADV_HUGEPAGE);
#else
    (void)memory, (void)size;
#endif
}

/* aligned_alloc wants an alignment the machine supports and a size that is a multiple of it. A size of 0 still gives a
 * pointer of its own, so that NULL means one thing only: no memory. */
static void *default_alloc(size_t size, size_t alignment, void *context)
{
    (void)context;
    SCREE_ASSERT(alignment > 0 && (alignment & (alignment - 1)) == 0);
    if (alignment < alignof(max_align_t)) alignment = alignof(max_align_t);
    if (size == 0) size = 1;
    if (size > (size_t)PTRDIFF_MAX - alignment) return NULL; /* larger than any object; rounding up could wrap to 0 */
    void *memory = aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
    advise_huge_pages(memory, size);
    return memory;
}

static void default_free(void *memory, void *context)
{
    (void)context;
    free(memory);
}

scree_allocator scree_allocator_default(void)
{
    return (scree_allocator){default_alloc, default_free, NULL};
}

void *memory_raw_array(const scree_allocator *allocator, size_t count, size_t size)
{
    scree_allocator a = memory_allocator(allocator);
    if (size != 0 && count > SIZE_MAX / size) return NULL;
    return a.alloc(count * size, MEMORY_ALIGNMENT, a.context);
}

void *memory_array(const scree_allocator *allocator, size_t count, size_t size)
{
    void *memory = memory_raw_array(allocator, count, size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

void memory_free(const scree_allocator *allocator, void *memory)
{
    scree_allocator a = memory_allocator(allocator);
    if (memory) a.free(memory, a.context);
}

void memory_free_all(const scree_allocator *allocator, int count, void *const *memory)
{
    for (int k = 0; k < count; ++k) memory_free(allocator, memory[k]);
}

int memory_vectors(const scree_allocator *allocator, size_t length, int count, double **const *vector)
{
    int made = 1;
    for (int k = 0; k < count; ++k) {
        *vector[k] = memory_array(allocator, length, sizeof **vector[k]);
        made = made && *vector[k];
    }
    return made;
}
