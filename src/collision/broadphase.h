/* broadphase.h: which pairs of shapes can touch within reach. O(n) for any mixture of sizes.
 *
 * A shape is seen as a ball (centre, bounding radius) and, if it is not a sphere, as a box along the axes. Balls of like size go
 * into a grid of their own (grid.h), cells as large as its largest member; the few that are much larger or faster than the rest go
 * into a tree of boxes (tree.h); planes are tested against everything. Which goes where is decided by the sizes alone.
 *
 * Every shape gets an allowance: the candidates are those that come within reach if both use theirs up. They stay valid until a
 * shape has moved (or sped up) by more than its allowance; only then are they searched again. Shapes that were added since are looked up
 * in the grids that are there. The list is in the order of (a, b) whatever the threads. */
#ifndef SCREE_COLLISION_BROADPHASE_H
#define SCREE_COLLISION_BROADPHASE_H

#include <scree/geometry.h>

/// What the broadphase and the first test of a pair see of a shape: one cache line.
typedef struct shape_proxy {
    double centre[3];    /* world [m]                                                              */
    double radius;       /* bounding; infinite: a plane                                            */
    double reach;        /* what the shape may travel in this step, and half of the margin [m]     */
    double roll_radius;  /* of the body, for arms that are ratios                                  */
    int32_t body;        /* -1: not there                                                          */
    int32_t slot;        /* into `box`; -1: a sphere                                               */
    int32_t material;    /*                                                                        */
    unsigned char kind;  /* scree_shape_kind                                                       */
    unsigned char moves; /* 0: two of these are no pair                                            */
} shape_proxy;
_Static_assert(sizeof(shape_proxy) == 64, "a proxy is one cache line");

typedef struct broadphase_input {
    int count;
    const shape_proxy *proxy; /* (count)                                                                    */
    double drop;              /* |g| h^2: what free fall adds to the way of a step [m]                      */
    const double (*box)[3];   /* by slot: half lengths of the bounding box about the centre; planes: normal */
} broadphase_input;

/// Candidates: partner[row[a]] .. partner[row[a + 1] - 1], ascending and > a, are those of shape a.
typedef struct shape_pairs {
    int count;          /* row[shape count] */
    const int *row;     /* (shapes + 1)     */
    const int *partner; /* (count)          */
} shape_pairs;

typedef struct broadphase broadphase;
scree_status broadphase_create(const scree_allocator *allocator, broadphase **out);
void broadphase_destroy(broadphase *bp);

/// All pairs whose balls and boxes, enlarged by reach, overlap, and perhaps more. Two that do not move, two of one body, and what is
/// not there are no pairs (what was removed since the last time may still be listed). The list is valid until the next call.
scree_status broadphase_update(broadphase *bp, const broadphase_input *input, scree_pool *pool, shape_pairs *pairs);

/// The next update starts from nothing.
void broadphase_invalidate(broadphase *bp);

/// How often the candidates were made again, and bytes held.
typedef struct broadphase_figures {
    int64_t updates, rebuilds, additions;
    int levels, in_tree, planes;
    size_t bytes;
} broadphase_figures;
broadphase_figures broadphase_report(const broadphase *bp);

#endif
