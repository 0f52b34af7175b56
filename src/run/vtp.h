/* vtp.h: a VTK PolyData file as a table of arrays. A table names, for each array, its place, its type and the function that puts
 * out the values of one item; the writer makes the XML from the table, then the appended data from the same table. */
#ifndef SCREE_OUTPUT_VTP_H
#define SCREE_OUTPUT_VTP_H

#include "run/output_private.h"

enum { VTP_POINTS, VTP_CELLS, VTP_CORNERS, VTP_COUNTS }; /* what an array has one tuple for */

typedef enum vtp_section { VTP_POINT_DATA, VTP_CELL_DATA, VTP_COORDINATES, VTP_VERTS, VTP_POLYS } vtp_section;

/// What the functions of a table see.
typedef struct vtp_view {
    const scree_frame *frame;
    int32_t base;              /* points, or corners, of the items before this one; the functions count  */
    double centre[3], reach;   /* surfaces: of everything that has a size                                */
    int64_t count[VTP_COUNTS]; /* tuples of each sort                                                    */
    int items;                 /* shapes or contacts                                                     */
    int (*skip)(const struct vtp_view *view, int item);
} vtp_view;

typedef struct vtp_array {
    vtp_section section;
    const char *name;
    char type; /* 'd' Float64, 'i' Int32 */
    int components, per;
    void (*put)(out_file *f, vtp_view *view, int item);
} vtp_array;

/// Writes DIR/name.
scree_status vtp_file(scree_output *o, const char *name, const vtp_array *table, int arrays, vtp_view *view,
                      scree_error *error);

/// Triangles of the shapes that are no spheres; the counts of `view` are 0 where there are none.
void surfaces_view(const scree_frame *frame, vtp_view *view);
extern const vtp_array surfaces_table[];
extern const int surfaces_arrays;

#endif
