/* narrow.h: the pairs of kinds behind collide(), and what they share. Private to the collision code.
 *
 * A pair function gets its kinds in the order of its name, writes what it finds from the first to the second, and leaves
 * m->count = 0 where nothing lies within reach. Lengths are taken relative to one of the two origins before anything is squared or
 * cancelled, so a pair far from the origin of the world loses nothing but the digits its coordinates have lost already. */
#ifndef SCREE_COLLISION_NARROW_H
#define SCREE_COLLISION_NARROW_H

#include "collision/collide.h"
#include "math/scalar.h"
#include "math/vec.h"

typedef void pair_function(const posed_shape *a, const posed_shape *b, double reach, manifold *m);

/* round.c */
pair_function collide_sphere_sphere, collide_sphere_plane, collide_sphere_capsule, collide_plane_capsule;
pair_function collide_capsule_capsule;
/* ellipsoid.c */
pair_function collide_sphere_ellipsoid, collide_plane_ellipsoid;
/* revolution.c */
pair_function collide_sphere_revolution;
/* box.c */
pair_function collide_sphere_box, collide_plane_box, collide_box_capsule;
/* boxes.c */
pair_function collide_box_box;
/* common_normal.c */
pair_function collide_box_ellipsoid, collide_ellipsoid_ellipsoid, collide_ellipsoid_capsule;

/// Nearest point x of the surface of an ellipsoid (semi-axes `size`) to y, in its frame, and the outward unit normal there;
/// returns the signed distance (y - x).n, negative inside.
double ellipsoid_nearest(const double size[3], const double y[3], double x[3], double n[3]);

/* ---- features ------------------------------------------------------------------------------------------------------ */

SCREE_HD uint64_t feature_pair(unsigned of_a, unsigned of_b)
{
    return (uint64_t)of_a << 32 | of_b;
}

enum { CAPSULE_LOWER = 0, CAPSULE_UPPER = 1, CAPSULE_SIDE = 2 };

/// Box: vertex 0..7 with bit i set where coordinate i is +; edge along axis i; face +- axis i.
SCREE_HD unsigned box_vertex(const int positive[3])
{
    return (unsigned)(positive[0] | positive[1] << 1 | positive[2] << 2);
}

/// `positive` of the two other axes, in cyclic order after `axis`.
SCREE_HD unsigned box_edge(int axis, int positive_1, int positive_2)
{
    return 8u + 4u * (unsigned)axis + (unsigned)(positive_1 | positive_2 << 1);
}

SCREE_HD unsigned box_face(int axis, int positive)
{
    return 20u + 2u * (unsigned)axis + (unsigned)positive;
}

/* ---- vectors --------------------------------------------------------------------------------------------------------- */

/// Column `axis` of R: an axis of the shape in the world.
SCREE_HD void shape_axis(const posed_shape *s, int axis, double u[3])
{
    u[0] = s->R[axis], u[1] = s->R[3 + axis], u[2] = s->R[6 + axis];
}

/// Length of v, and v over it in u, also where the squares of v would underflow; returns 0 and leaves u alone if v is 0.
SCREE_HD double vec_unit(const double v[3], double u[3])
{
    double big = max2(fabs(v[0]), max2(fabs(v[1]), fabs(v[2])));
    if (!(big > 0.0)) return 0.0;
    double s = power_of_two(-exponent_of(big)), w[3] = {v[0] * s, v[1] * s, v[2] * s}, length = vec_norm(w);
    for (int i = 0; i < 3; ++i) u[i] = w[i] / length;
    return length / s;
}

SCREE_HD double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* ---- the manifold ------------------------------------------------------------------------------------------------------ */

/// Adds a point with the surface points pa and pb, relative to `origin`, unless it is out of reach.
SCREE_HD void manifold_add(manifold *m, double reach, const double origin[3], const double pa[3], const double pb[3],
                           double gap, uint64_t feature)
{
    if (!(gap <= reach)) return;
    manifold_point *p = &m->point[m->count++];
    for (int i = 0; i < 3; ++i) p->position[i] = origin[i] + 0.5 * (pa[i] + pb[i]);
    p->gap = gap, p->feature = feature;
}

/// Adds a point by that of A's surface alone: B's lies the gap further along the normal.
SCREE_HD void manifold_add_from(manifold *m, double reach, const double origin[3], const double pa[3], double gap,
                                uint64_t feature)
{
    double pb[3];
    vec_add_scaled(pa, gap, m->normal, pb);
    manifold_add(m, reach, origin, pa, pb, gap, feature);
}

#endif
