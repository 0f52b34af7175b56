/* grid_file.h: heights of the ground from ESRI ASCII grids. */
#ifndef SCREE_SCENE_GRID_FILE_H
#define SCREE_SCENE_GRID_FILE_H

#include <scree/base.h>

typedef struct grid_file {
    int columns, rows;
    double cell;    /* distance of the points                                                     */
    double *height; /* (rows x columns), from south to north, from west to east; NaN: no data      */
} grid_file;

/// Reads a file. Messages name its line and column. The caller frees `height` by memory_free.
scree_status grid_file_read(const char *path, const scree_allocator *allocator, grid_file *grid, scree_error *error);

/// The same from a text that ends in NUL.
scree_status grid_file_parse(const char *text, const char *name, const scree_allocator *allocator, grid_file *grid,
                             scree_error *error);

#endif
