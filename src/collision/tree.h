/* tree.h: a tree of boxes along the axes, for the few shapes that are too large for the grid. Part of the broadphase.
 *
 * Rebuilt from all boxes (halved at the median of the widest side of their centres), never updated: it is as deep as log2 of
 * their number. */
#ifndef SCREE_COLLISION_TREE_H
#define SCREE_COLLISION_TREE_H

#include "base/hd.h"

#include <scree/base.h>

typedef struct tree_box {
    double low[3], high[3];
    int id;   /* leaf: of the caller; inner node: -1                                            */
    int skip; /* nodes of the subtree: where to go on if the box is missed (depth-first order) */
} tree_box;

typedef struct tree {
    int count, capacity; /* nodes: 2 leaves - 1 */
    tree_box *node;
    tree_box *leaf; /* scratch (leaves)    */
} tree;

/// Room for `leaves` boxes; the caller fills tree->leaf (low, high, id) and calls tree_build.
scree_status tree_reserve(tree *t, const scree_allocator *allocator, int leaves);
void tree_build(tree *t, int leaves);
void tree_free(tree *t, const scree_allocator *allocator);

/// The next leaf whose box meets [low, high], from the node *at on, which is then the one behind it; -1: there is none.
SCREE_HD int tree_next(const tree *t, const double low[3], const double high[3], int *at)
{
    while (*at < t->count) {
        const tree_box *b = &t->node[*at];
        const int meets = low[0] <= b->high[0] && low[1] <= b->high[1] && low[2] <= b->high[2] &&
                          b->low[0] <= high[0] && b->low[1] <= high[1] && b->low[2] <= high[2];
        *at += meets ? 1 : b->skip;
        if (meets && b->id >= 0) return b->id;
    }
    return -1;
}

typedef void tree_visit(void *context, int id);

/// Calls back for every leaf whose box meets [low, high].
void tree_query(const tree *t, const double low[3], const double high[3], tree_visit *visit, void *context);

#endif
