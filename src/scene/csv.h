/* csv.h: grains from a table of plain SI numbers: x, y, z, and optionally radius or scale, velocity, spin. */
#ifndef SCREE_SCENE_CSV_H
#define SCREE_SCENE_CSV_H

#include <scree/base.h>

enum { CSV_X, CSV_Y, CSV_Z, CSV_RADIUS, CSV_SCALE, CSV_VX, CSV_VY, CSV_VZ, CSV_WX, CSV_WY, CSV_WZ, CSV_COLUMNS };

typedef struct csv_table {
    int rows;
    int has[CSV_COLUMNS]; /* columns that the file has                     */
    double *value;        /* (rows x CSV_COLUMNS); 0 where there is none   */
} csv_table;

/// Reads a file of at most `limit` rows. Messages name the file with line and column. The caller frees `value` by the allocator.
scree_status csv_read(const char *path, int limit, const scree_allocator *allocator, csv_table *table,
                      scree_error *error);

/// The same from a text that ends in NUL.
scree_status csv_parse(const char *text, const char *name, int limit, const scree_allocator *allocator,
                       csv_table *table, scree_error *error);

#endif
