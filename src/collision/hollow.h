/* hollow.h: contacts of a convex shape with the inside of a tube, funnel or bowl: hollow.c. */
#ifndef SCREE_COLLISION_HOLLOW_H
#define SCREE_COLLISION_HOLLOW_H

#include "collision/surface.h"

/// A ball touches a wall in at most this many points.
enum { HOLLOW_BALL_POINTS = 3 };

/// Points where `shape` touches the wall with gap <= reach, as surface_collide has them; of a ball at most HOLLOW_BALL_POINTS.
int hollow_collide(const posed_shape *wall, const posed_shape *shape, double reach,
                   contact_point point[SURFACE_POINTS]);

/// Distance of a point in the world from the surface, on either side of it.
double hollow_distance(const posed_shape *wall, const double x[3]);

#endif
