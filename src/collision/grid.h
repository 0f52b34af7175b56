/* grid.h: a hierarchy of uniform grids for balls of any mixture of sizes. Part of the broadphase.
 *
 * Balls of like size share a level whose cells are as wide as its largest ball: two balls of one level that overlap lie in
 * neighbouring cells. A ball is looked up in its own level and in the coarser ones. Space is folded: a level has 2^a x 2^b x 2^c
 * cells and cell (i, j, k) is (i mod 2^a, ...), so memory is O(n) wherever the balls are; far apart balls that share a cell are told
 * apart by their distance. At least 4 cells each way keep the neighbours of a cell distinct. */
#ifndef SCREE_COLLISION_GRID_H
#define SCREE_COLLISION_GRID_H

#include <scree/base.h>

/// What a search reads of a shape: nothing else is touched before a pair is found.
typedef struct fat_ball {
    double x[3], r;
    int32_t body;
    unsigned char moves, boxed; /* as in shape_proxy; not a sphere, so it has a box */
} fat_ball;

enum { GRID_LEVELS_MAX = 64 };

typedef struct grid_level {
    double inverse; /* 1 / width of a cell                                 */
    double largest; /* radius of the largest ball                          */
    int mask[3];    /* 2^a - 1, ...                                        */
    int table;      /* its cells in `start`: table .. table + cells        */
    int first, end; /* its balls                                           */
} grid_level;

typedef struct grid {
    int count, capacity; /* balls                                               */
    fat_ball *ball;      /* sorted by level and cell, in a cell by id           */
    int *id;
    int *cell;    /* (count) of each ball, in `start`                    */
    int *scratch; /* (count)                                             */
    int *start;   /* first ball of each cell; the next entry ends it     */
    int start_capacity;
    int level_count;
    grid_level level[GRID_LEVELS_MAX];
} grid;

/// Balls larger than the returned radius belong in a tree: there are no more than about sqrt(count) of them.
double grid_threshold(const fat_ball *ball, const int *member, int count);

/// Sorts the balls `member` (ids, ascending) into levels and cells.
scree_status grid_build(grid *g, const scree_allocator *allocator, const fat_ball *ball, const int *member, int count);
void grid_free(grid *g, const scree_allocator *allocator);

/// Called with ranges of positions (in g->ball and g->id) that hold all balls that may overlap, and others.
typedef void grid_visit(void *context, int from, int to);

/// Those after ball `position` in its level, and all in coarser levels: over all positions, every overlapping pair once.
void grid_neighbours(const grid *g, int position, int level, grid_visit *visit, void *context);

/// Those of all levels that may overlap a ball that is not in the grid.
void grid_around(const grid *g, const fat_ball *ball, grid_visit *visit, void *context);

/// The level of a position.
int grid_level_of(const grid *g, int position);

#endif
