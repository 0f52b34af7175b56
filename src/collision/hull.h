/* hull.h: a convex hull in contact: private to the collision code (hull.c). */
#ifndef SCREE_COLLISION_HULL_H
#define SCREE_COLLISION_HULL_H

#include "collision/faces.h"
#include "collision/geometry_private.h"

/// The vertex farthest along n, in the frame of the shape, which is `scale` times the hull.
void hull_support(const hull_data *h, double scale, const double n[3], double p[3]);

/// The face that looks most along n, likewise.
void hull_face(const hull_data *h, double scale, const double n[3], face_polygon *f);

/// All vertices against a plane.
pair_function collide_plane_hull;

#endif
