/* bed_order.h (private): in which order the spheres of a bed lie, and in which cell each is (bed_order.c), for the search (bed_list.c). */
#ifndef SCREE_DEM_SPHERES_BED_ORDER_H
#define SCREE_DEM_SPHERES_BED_ORDER_H

#include "dem/spheres/bed_parts.h"

/// The grid of a level.
typedef struct bed_cells {
    int cells[3];
    double low[3], inverse[3]; /* inverse: of the length of a cell   */
    size_t first;              /* its cells begin there in bed.cell  */
    int count;                 /* spheres of its level               */
    int32_t least;             /* the least number of one            */
} bed_cells;

/// Bytes that finding the order takes in the near lists, for each sphere.
enum { BED_ORDER_KEYS = 32 };

static inline int bed_level_of(const bed *b, double radius)
{
    int k = 0;
    while (k < b->levels - 1 && radius > b->level_radius[k]) ++k;
    return k;
}

static inline int bed_cell_along(const bed_cells *g, int axis, double x)
{
    return int_within((x - g->low[axis]) * g->inverse[axis], 0, g->cells[axis] - 1);
}

static inline size_t bed_cell_index(const bed_cells *g, const int c[3])
{
    return g->first + ((size_t)c[2] * (size_t)g->cells[1] + (size_t)c[1]) * (size_t)g->cells[0] + (size_t)c[0];
}

static inline size_t bed_cells_of(const bed_cells *g)
{
    return (size_t)g->cells[0] * (size_t)g->cells[1] * (size_t)g->cells[2];
}

/// The grids of all levels. That of the main level has all spheres inside it, so that chunks are boxes for all, unless its cells would have
/// to be longer for the sake of some far away: then these count to the cells at its border.
void bed_grids_cut(bed *b, bed_cells *level);
/// Bytes that finding the order takes behind `order`.
size_t bed_order_scratch(const bed *b, const bed_cells *g);
/// Old numbers in the new order: chunk by chunk, in the order of the cells of the main level, `g`. Works in the near lists and behind `order`.
void bed_order_find(const bed *b, const bed_cells *g, int32_t *order);
/// Sphere i <- sphere order[i] for all of them, or (`back`) the reverse.
void bed_reorder(const bed *b, int32_t *order, int back);
/// First sphere and end of every cell of the main level; the spheres are sorted. Of the others first and end in `member`, which lists their
/// spheres by level and cell.
void bed_cells_fill(const bed *b, const bed_cells *level, int32_t *member);

#endif
