/* arena.c: scratch memory of a step (arena.h): a chain of blocks, joined into one at the reset. */
#include "base/arena.h"

#include "base/memory.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size)   ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

/// Room beyond what is needed: a sixteenth. The needs of a step differ little from those of the one before, and a step's memory is a large
/// part of all there is; doubling it each time was measured to hold twice what was used, four times at the joining.
enum { FIRST_BLOCK = 1 << 16, SLACK = 16 };

typedef struct block {
    struct block *next;
    size_t size, used;
    unsigned char *memory;
} block;

struct arena {
    scree_allocator allocator;
    block *top;  /* the block in use; older ones behind it */
    size_t size; /* of all blocks                          */
};

static block *block_create(const scree_allocator *a, size_t size, block *next)
{
    block *b = a->alloc(sizeof *b, MEMORY_ALIGNMENT, a->context);
    unsigned char *memory = b ? a->alloc(size, MEMORY_ALIGNMENT, a->context) : NULL;
    if (!memory) {
        a->free(b, a->context);
        return NULL;
    }
    *b = (block){next, size, 0, memory};
    ASAN_POISON_MEMORY_REGION(memory, size);
    return b;
}

static void blocks_destroy(const scree_allocator *a, block *b)
{
    while (b) {
        block *next = b->next;
        ASAN_UNPOISON_MEMORY_REGION(b->memory, b->size);
        a->free(b->memory, a->context);
        a->free(b, a->context);
        b = next;
    }
}

scree_status arena_create(const scree_allocator *allocator, arena **out)
{
    scree_allocator a = memory_allocator(allocator);
    *out = memory_array(&a, 1, sizeof **out);
    if (!*out) return SCREE_ERR_MEMORY;
    (*out)->allocator = a;
    return SCREE_OK;
}

void arena_destroy(arena *a)
{
    if (!a) return;
    scree_allocator allocator = a->allocator;
    blocks_destroy(&allocator, a->top);
    memory_free(&allocator, a);
}

void *arena_alloc(arena *a, size_t size, size_t alignment)
{
    SCREE_ASSERT(alignment <= MEMORY_ALIGNMENT);
    (void)alignment; /* everything starts on a cache line */
    if (size > SIZE_MAX / 4) return NULL;
    size_t rounded = (size + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    if (rounded == 0) rounded = MEMORY_ALIGNMENT;
    if (!a->top || a->top->size - a->top->used < rounded) {
        size_t grown = a->size / SLACK > FIRST_BLOCK ? a->size / SLACK : FIRST_BLOCK;
        block *b = block_create(&a->allocator, grown > rounded ? grown : rounded, a->top);
        if (!b) return NULL;
        a->top = b, a->size += b->size;
    }
    unsigned char *at = a->top->memory + a->top->used;
    a->top->used += rounded;
    ASAN_UNPOISON_MEMORY_REGION(at, size);
    return at;
}

void arena_reset(arena *a)
{
    if (a->top && a->top->next) { /* several blocks: one that holds them all next time, and a little more */
        size_t used = 0;
        for (block *b = a->top; b; b = b->next) used += b->used;
        blocks_destroy(&a->allocator, a->top); /* first: never both at once */
        size_t size = (used + used / SLACK) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
        a->top = block_create(&a->allocator, size, NULL);
        a->size = a->top ? size : 0;
    }
    if (a->top) {
        a->top->used = 0;
        ASAN_POISON_MEMORY_REGION(a->top->memory, a->top->size);
    }
}

static void *allocator_alloc(size_t size, size_t alignment, void *context)
{
    return arena_alloc(context, size, alignment);
}

static void allocator_free(void *memory, void *context)
{
    (void)memory, (void)context; /* all at once, at the reset */
}

scree_allocator arena_allocator(arena *a)
{
    return (scree_allocator){allocator_alloc, allocator_free, a};
}
