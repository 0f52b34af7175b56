/* revolution.h: cylinder and cone, solids that turn a line about z: private to the collision code (revolution.c). */
#ifndef SCREE_COLLISION_REVOLUTION_H
#define SCREE_COLLISION_REVOLUTION_H

#include "collision/faces.h"

/// The point farthest along n, in the frame of the shape.
void cylinder_support(const double size[3], const double n[3], double p[3]);
void cone_support(const double size[3], const double n[3], double p[3]);

/// 1: the side looks along n at least as much as either flat end, in the frame of the shape.
int revolution_is_side(scree_shape_kind kind, const double size[3], const double n[3]);

/// The face or line that looks most along n, in the frame of the shape.
void revolution_face(scree_shape_kind kind, const double size[3], const double n[3], face_polygon *f);

#endif
