/* surface.h: contacts of a convex shape with a surface of triangles: surface.c; with any surface: points.c. */
#ifndef SCREE_COLLISION_SURFACE_H
#define SCREE_COLLISION_SURFACE_H

#include "collision/collide.h"

enum { SURFACE_POINTS = 32 };

/// Thin walls around a hollow.
static inline int shape_is_hollow(scree_shape_kind kind)
{
    return kind == SCREE_SHAPE_TUBE || kind == SCREE_SHAPE_BOWL;
}

/// Walls that may touch a shape with several normals, and have no inside of their own.
static inline int shape_is_surface(scree_shape_kind kind)
{
    return kind == SCREE_SHAPE_MESH || shape_is_hollow(kind);
}

/// A contact point with its own normal.
typedef struct contact_point {
    double position[3], normal[3], gap;
    uint64_t feature;
} contact_point;

/// In ascending order of their features.
void contact_points_sort(int count, contact_point *point);

/// From the frame of a shape into the world.
void contact_point_to_world(const posed_shape *shape, contact_point *p);

/// Points where `shape` touches the mesh with gap <= reach, at most SURFACE_POINTS (the deepest), in ascending order of their features;
/// normals from the mesh to the shape. Returns how many.
int surface_collide(const posed_shape *mesh, const posed_shape *shape, double reach,
                    contact_point point[SURFACE_POINTS]);

/// The same of any two shapes (points.c), normals from A to B. `point` has room for SURFACE_POINTS, or MANIFOLD_MAX where none is a surface.
int shape_points(const posed_shape *a, const posed_shape *b, double reach, contact_point *point);

#endif
