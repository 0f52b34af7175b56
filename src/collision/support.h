/* support.h: convex shapes by their support functions: all that GJK, EPA and the common normal know of a shape.
 *
 * A shape is a core with a radius around it: a sphere is a point, a capsule a segment, the others are their own cores. Cores are
 * described by one function, the point farthest along a direction. To add a convex shape: its row in support.c. */
#ifndef SCREE_COLLISION_SUPPORT_H
#define SCREE_COLLISION_SUPPORT_H

#include "collision/narrow.h"

/// The difference B - A of two cores, seen from A's origin: they overlap if it holds 0. `scale` shrinks the cores about their origins.
typedef struct convex_pair {
    const posed_shape *a, *b;
    double d[3]; /* from A's origin to B's */
    double scale_a, scale_b;
} convex_pair;

/// A point of the difference, and the points of A and B (relative to A's origin) it comes from.
typedef struct support_pair {
    double w[3], pa[3], pb[3];
} support_pair;

/// Radius around the core.
double support_radius(const posed_shape *s);

/// The point of the core farthest along n (any length), relative to the shape's origin. One of them where there are several.
void support_point(const posed_shape *s, const double n[3], double p[3]);

/// The point of B - A farthest along n.
void support_difference(const convex_pair *c, const double n[3], support_pair *p);

convex_pair convex_pair_make(const posed_shape *a, const posed_shape *b);

/* ---- gjk.c, epa.c ---------------------------------------------------------------------------------------------------- */

/// Nearest points of two cores, or the shallowest way out of an overlap.
typedef struct convex_contact {
    double distance;     /* negative: depth                                         */
    double n[3];         /* unit, from A to B                                       */
    double pa[3], pb[3]; /* relative to A's origin                                  */
} convex_contact;

/// Distance of two cores to the relative `tolerance`. Returns 0, and leaves `contact` alone, if they overlap or touch.
int gjk_distance(const convex_pair *c, double tolerance, convex_contact *contact);

/// Depth of two cores that overlap: a translation by it along n parts them, and none shorter by more than `tolerance` of it (or of a
/// hundredth of the sizes) does. Flat cores in one plane have depth 0 across it.
void epa_depth(const convex_pair *c, double tolerance, convex_contact *contact);

#endif
