/* tree.c: the tree of tree.h, in one array in depth-first order: a query walks it from left to right and jumps over the subtrees
 * whose box it misses, so it needs no stack. */
#include "collision/tree.h"

#include "base/memory.h"
#include "math/scalar.h"

#include <string.h>

scree_status tree_reserve(tree *t, const scree_allocator *a, int leaves)
{
    t->count = 0;
    if (leaves <= t->capacity) return SCREE_OK;
    int capacity = leaves + leaves / 2 + 16;
    tree_free(t, a);
    t->leaf = memory_array(a, (size_t)capacity, sizeof *t->leaf);
    t->node = memory_array(a, 2 * (size_t)capacity, sizeof *t->node);
    if (!t->leaf || !t->node) return SCREE_ERR_MEMORY;
    t->capacity = capacity;
    return SCREE_OK;
}

void tree_free(tree *t, const scree_allocator *a)
{
    memory_free(a, t->leaf), memory_free(a, t->node);
    memset(t, 0, sizeof *t);
}

/// Twice the centre along one axis, then the id: a strict order, so the tree does not depend on how the leaves came.
static int before(const tree_box *a, const tree_box *b, int axis)
{
    double x = a->low[axis] + a->high[axis], y = b->low[axis] + b->high[axis];
    return x < y || (!(y < x) && a->id < b->id);
}

static void swap_boxes(tree_box *a, tree_box *b)
{
    tree_box t = *a;
    *a = *b, *b = t;
}

static void sift_down(tree_box *leaf, int from, int count, int axis)
{
    for (int child = 2 * from + 1; child < count; child = 2 * from + 1) {
        if (child + 1 < count && before(&leaf[child], &leaf[child + 1], axis)) ++child;
        if (!before(&leaf[from], &leaf[child], axis)) return;
        swap_boxes(&leaf[from], &leaf[child]);
        from = child;
    }
}

/// Heap sort: no memory, no bad case.
static void sort_leaves(tree_box *leaf, int count, int axis)
{
    for (int i = count / 2 - 1; i >= 0; --i) sift_down(leaf, i, count, axis);
    for (int end = count - 1; end > 0; --end) {
        swap_boxes(&leaf[0], &leaf[end]);
        sift_down(leaf, 0, end, axis);
    }
}

static void join(tree_box *box, const tree_box *other)
{
    for (int k = 0; k < 3; ++k)
        box->low[k] = min2(box->low[k], other->low[k]), box->high[k] = max2(box->high[k], other->high[k]);
}

/// Appends the subtree of these leaves; as deep as log2(count).
static void append(tree *t, tree_box *leaf, int count)
{
    if (count == 1) {
        leaf->skip = 1;
        t->node[t->count++] = *leaf;
        return;
    }
    tree_box all = leaf[0];
    double low[3], high[3];
    for (int k = 0; k < 3; ++k) low[k] = high[k] = leaf[0].low[k] + leaf[0].high[k];
    for (int i = 1; i < count; ++i) {
        join(&all, &leaf[i]);
        for (int k = 0; k < 3; ++k) {
            double c = leaf[i].low[k] + leaf[i].high[k];
            low[k] = min2(low[k], c), high[k] = max2(high[k], c);
        }
    }
    int axis = high[1] - low[1] > high[0] - low[0] ? 1 : 0, at = t->count++, half = count / 2;
    if (high[2] - low[2] > high[axis] - low[axis]) axis = 2;
    sort_leaves(leaf, count, axis);
    append(t, leaf, half);
    append(t, leaf + half, count - half);
    all.id = -1, all.skip = t->count - at;
    t->node[at] = all;
}

void tree_build(tree *t, int leaves)
{
    t->count = 0;
    if (leaves > 0) append(t, t->leaf, leaves);
}

void tree_query(const tree *t, const double low[3], const double high[3], tree_visit *visit, void *context)
{
    for (int at = 0, id; (id = tree_next(t, low, high, &at)) >= 0;) visit(context, id);
}
