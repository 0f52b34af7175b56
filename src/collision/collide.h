/* collide.h: where two shapes touch. Pure functions of two poses: no world, no memory, no history, no loop without a bound.
 *
 * The gap of A and B is signed: apart, their distance; overlapping, minus the shortest translation that parts them. The normal is
 * the direction of either. Each pair of kinds has its own way (src/collision/narrow.h):
 *
 *     closed form      sphere, plane and capsule with each other; box with sphere, plane and capsule; plane with all; sphere with
 *                      cylinder and cone
 *     one scalar root  sphere with ellipsoid: the nearest point of an ellipsoid
 *     separating axes  box with box: faces clipped against each other, up to 8 points each with its own gap
 *     common normal    ellipsoid with box, capsule, ellipsoid: Newton on the unit sphere (common_normal.c), started by GJK, or by EPA
 *                      where they overlap deeply
 *     hollow walls     the inside of tube, funnel, bowl: balls and corners in closed form, smooth bodies by an ascent (hollow.c)
 *     GJK and EPA      any other convex shapes with a support function (support.h): what a new kind gets from its first line on; with
 *                      its faces (faces.h) up to 8 points
 *
 * All but the last are good to rounding: errors of a few 1e-16 times the sizes and the distance of the origins. The last is so for
 * polyhedra but for the choice of the axis (faces.c: 1e-6 of the sizes); gaps of curved sides are good to 1e-9 of the sizes.
 *
 * Order. collide(b, a) is the mirror of collide(a, b), bit for bit: the same points and gaps, the normal negated, the halves of
 * the feature numbers exchanged (exception: two shapes that are equal in everything, place and turn included).
 *
 * Features. What of A (upper 32 bits) meets what of B (lower 32 bits). Pairs that touch in one point have feature 0, so the point
 * keeps its history as it wanders. Box: 0-7 vertices, 8-19 edges, 20-25 faces (narrow.h). Capsule: 0 and 1 its ends towards -z and
 * +z, 2 a point between. Pairs that go by their faces (faces.c) count from 1; 0 is their deepest point. Points come in ascending
 * order of their features, no two alike.
 *
 * Degenerate input has a defined answer. Sizes may be 0 where that leaves a body (segments of capsules, flat boxes). Where the normal
 * is not defined by geometry: centres that coincide take +z of the world (spheres), a direction across the axis (capsules), the
 * nearest face and of equal ones the first (box), the shortest axis and of equal ones the first (ellipsoid). Magnitudes of sizes and
 * coordinates beyond 1e100, or below 1e-100 other than 0, are not supported. */
#ifndef SCREE_COLLISION_COLLIDE_H
#define SCREE_COLLISION_COLLIDE_H

#include <scree/geometry.h>

enum { MANIFOLD_MAX = 8 };

/// A shape in the world. R: rotation matrix, row-major (columns are the shape's axes).
typedef struct posed_shape {
    scree_shape_kind kind;
    const double *size;
    double x[3], R[9];
    const scree_geometry *geometry; /* hull; else NULL */
} posed_shape;

typedef struct manifold_point {
    double position[3]; /* midway between the two surfaces                                       */
    double gap;         /* along the normal                                                      */
    uint64_t feature;   /* the same number for the same pair of features in the next step        */
} manifold_point;

typedef struct manifold {
    int count;        /* 0: farther apart than `reach`; the rest is then undefined         */
    double normal[3]; /* unit, from A to B                                                 */
    manifold_point point[MANIFOLD_MAX];
} manifold;

/// Contact points of A and B with gap <= reach. A plane and a plane never touch. Of a mesh or a hollow wall, which may touch in many places and with many
/// normals, only the deepest point: shape_points in surface.h knows them all.
void collide(const posed_shape *a, const posed_shape *b, double reach, manifold *m);

/// The points in the order of their features.
void manifold_sort(manifold *m);

/// Box [low, high] of a shape in the world; planes are unbounded.
void shape_bounds(const posed_shape *s, double low[3], double high[3]);

/// Distance from the shape's own origin to its farthest point; infinite for a plane.
double shape_radius(const scree_shape *s);
double shape_extent(scree_shape_kind kind, const double size[3]); /* of kinds without geometry */

/// Volume, and principal moments per unit of mass about the shape's own axes. Planes: 0.
double shape_volume(const scree_shape *s);
void shape_unit_inertia(const scree_shape *s, double inertia[3]);

#endif
