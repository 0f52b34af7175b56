/* geometry_private.h: what a hull, a mesh and a height field hold. */
#ifndef SCREE_COLLISION_GEOMETRY_PRIVATE_H
#define SCREE_COLLISION_GEOMETRY_PRIVATE_H

#include "collision/mesh.h"

/// A convex polyhedron. Features (faces.h): vertices, then edges, then faces.
typedef struct hull_data {
    int vertex_count, edge_count, face_count;
    double (*vertex)[3]; /* about the centre of mass, along the principal axes  */
    double (*normal)[3]; /* of the faces, outward, unit                         */
    int *first;          /* (faces + 1): where the loop of a face begins         */
    int *loop;           /* vertices of the faces, counter-clockwise from outside */
    int *loop_edge;      /* number of the edge that leaves this vertex           */
    scree_geometry_mass mass;
} hull_data;

struct scree_geometry {
    int references;
    scree_allocator allocator;
    scree_shape_kind kind; /* that may refer to it                              */
    double radius;         /* from the origin to the farthest point              */
    hull_data hull;
    mesh_data mesh;
    int draw_vertices, draw_triangles; /* of one that is only drawn           */
    double (*draw_vertex)[3];
    int32_t (*draw_triangle)[3];
};

/// Room for a geometry of this kind, one reference; NULL: no memory.
scree_geometry *geometry_new(scree_shape_kind kind, const scree_allocator *allocator);

/// One that can only be drawn, with copies of points and triangles; NULL: no memory.
scree_geometry *geometry_drawing(scree_shape_kind kind, int points, double (*point)[3], int triangles,
                                 int32_t (*triangle)[3], const scree_allocator *allocator);

/// Complaints about points that no geometry takes: numbers that are not finite, sizes beyond reason. Returns 1 if all is well.
int geometry_points_sound(const double *points, int count, scree_error *error);

/// Volume, first and second moments of what triangles (seen from outside counter-clockwise) enclose, about a point near them.
typedef struct solid_moments {
    double about[3];
    double volume, first[3], second[9]; /* second: of x x' */
} solid_moments;
void solid_moments_begin(const double about[3], solid_moments *m);
void solid_moments_add(solid_moments *m, const double a[3], const double b[3], const double c[3]);
scree_geometry_mass solid_moments_end(const solid_moments *m);

#endif
