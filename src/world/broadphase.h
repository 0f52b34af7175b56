/* broadphase.h: which pairs of shapes can touch within reach. O(n) for any sizes up to 1:100 and beyond.
 *
 * Every bounded shape is a sphere (its centre and radius) or a box; a hierarchy of uniform grids takes what is small (level by
 * size, factor 2), a bounding-volume tree the few that are much larger than the rest (walls, plates), planes are tested against
 * everything. Which goes where is decided by the sizes alone. The candidates are kept with a skin and made anew only when a body
 * has used it up; the list is in the order of (a, b) whatever the threads. */
#ifndef SCREE_WORLD_BROADPHASE_H
#define SCREE_WORLD_BROADPHASE_H

#include <scree/world.h>

typedef struct shape_pair {
    int32_t a, b; /* shape numbers, a < b */
} shape_pair;

typedef struct broadphase broadphase;
scree_status broadphase_create(const scree_allocator *allocator, broadphase **out);
void broadphase_destroy(broadphase *bp);

/// What the broadphase sees of the shapes. Removed and disabled ones have group -1.
typedef struct broadphase_input {
    int count;
    const double (*centre)[3]; /* (count) world                                                                  */
    const double *radius;      /* (count) bounding radius; infinite: a plane                                     */
    const double *reach; /* (count) added to the radius: what the shape may travel in this step, and half the margin */
    const int *group;    /* (count) body: shapes of one body are no pair; -1: ignore                        */
    const unsigned char *moves; /* (count) 0: two of these are no pair                                            */
} broadphase_input;

/// Candidate pairs: all whose bounding spheres (inflated by reach) overlap, and perhaps a few more. Sorted by (a, b).
scree_status broadphase_update(broadphase *bp, const broadphase_input *input, scree_pool *pool,
                               const shape_pair **pairs, int *count);

/// The next update starts from nothing (shapes were added or moved by hand).
void broadphase_invalidate(broadphase *bp);

#endif
