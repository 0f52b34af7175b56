/* collide.h: where two shapes touch. Pure functions of two poses: no world, no memory, no history.
 *
 * Closed forms where there are some (sphere, plane, capsule, and box against sphere and plane); box against box by separating axes
 * and clipping; everything else by GJK and EPA on support functions (support.h), in double precision, to rounding for smooth shapes. */
#ifndef SCREE_WORLD_COLLIDE_H
#define SCREE_WORLD_COLLIDE_H

#include <scree/world.h>

enum { MANIFOLD_MAX = 8 };

/// A shape in the world. R: rotation matrix, row-major (columns are the shape's axes).
typedef struct posed_shape {
    scree_shape_kind kind;
    const double *size;
    double x[3], R[9];
} posed_shape;

typedef struct manifold_point {
    double position[3]; /* midway between the two surfaces                                       */
    double gap;
    uint32_t feature; /* the same number for the same pair of features in the next step         */
} manifold_point;

typedef struct manifold {
    int count;        /* 0: farther apart than `reach`                                     */
    double normal[3]; /* unit, from A to B                                                 */
    manifold_point point[MANIFOLD_MAX];
} manifold;

/// Contact points of A and B with gap <= reach. A plane and a plane never touch.
void collide(const posed_shape *a, const posed_shape *b, double reach, manifold *m);

/// Box [low, high] of a shape in the world; planes are unbounded.
void shape_bounds(const posed_shape *s, double low[3], double high[3]);

/// Distance from the shape's own origin to its farthest point; infinite for a plane.
double shape_radius(const scree_shape *s);

/// Volume, and principal moments per unit of mass about the shape's own axes. Planes: 0.
double shape_volume(const scree_shape *s);
void shape_unit_inertia(const scree_shape *s, double inertia[3]);

#endif
