/* surface.h: contacts of a convex shape with a surface of triangles: surface.c; with any surface: points.c. */
#ifndef SCREE_COLLISION_SURFACE_H
#define SCREE_COLLISION_SURFACE_H

#include "collision/contact_point.h"

/// Points where `shape` touches the mesh with gap <= reach, at most SURFACE_POINTS (the deepest), in ascending order of their features;
/// normals from the mesh to the shape. Returns how many.
int surface_collide(const posed_shape *mesh, const posed_shape *shape, double reach,
                    contact_point point[SURFACE_POINTS]);

/// The same of any two shapes (points.c), normals from A to B. `point` has room for SURFACE_POINTS, or MANIFOLD_MAX where none is a surface.
int shape_points(const posed_shape *a, const posed_shape *b, double reach, contact_point *point);

#endif
