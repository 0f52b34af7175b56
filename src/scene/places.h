/* places.h: is there room for a ball of this radius at this place? Asked of a world, and of balls that are about to be added to it. */
#ifndef SCREE_PLACES_H
#define SCREE_PLACES_H

#include <scree/world.h>

/// 1 if the ball overlaps no shape of the world. O(shapes): for a few questions per step.
int place_is_free(const scree_world *world, const double centre[3], double radius);

/// The same for many questions, in constant time each: shapes and balls up to `radius_max` lie in a hashed grid, the few larger
/// ones in a list. The world must not change while it is in use.
typedef struct places places;
scree_status places_create(const scree_world *world, double radius_max, const scree_allocator *allocator, places **out);
void places_destroy(places *p);
int places_free(const places *p, const double centre[3], double radius);
scree_status places_add(places *p, const double centre[3], double radius);

#endif
