/* ball.h: a ball and a box, a capsule, a cylinder, a cone, in closed form: one text for the processor and for devices (dem/cuda). The mathematics is
 * on top of box.c, round.c and revolution.c. `a` is the ball; of others see surface_ball.h and hollow_ball.h. */
#ifndef SCREE_COLLISION_BALL_H
#define SCREE_COLLISION_BALL_H

#include "collision/narrow.h"
#include "math/elementary.h"

/* ---- box ------------------------------------------------------------------------------------------------------------------------ */

/// What clamping cuts off p.
SCREE_HD void box_excess(const double half[3], const double p[3], double e[3])
{
    for (int i = 0; i < 3; ++i) e[i] = p[i] - clamp(p[i], -half[i], half[i]);
}

SCREE_HD void ball_on_box(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double d[3], p[3], e[3], n[3] = {0.0, 0.0, 0.0}, out[3], pa[3], r = a->size[0];
    vec_sub(a->x, b->x, d);
    mat_apply_transpose(b->R, d, p);
    box_excess(b->size, p, e);
    double distance = vec_unit(e, n);
    if (!(distance > 0.0)) { /* the centre is inside: out through the nearest face */
        int face = 0;
        for (int i = 1; i < 3; ++i)
            if (b->size[i] - fabs(p[i]) < b->size[face] - fabs(p[face])) face = i;
        distance = fabs(p[face]) - b->size[face];
        n[face] = p[face] < 0.0 ? -1.0 : 1.0;
    }
    mat_apply(b->R, n, out);
    for (int i = 0; i < 3; ++i) m->normal[i] = -out[i], pa[i] = -r * out[i];
    manifold_add_from(m, reach, a->x, pa, distance - r, 0);
}

/* ---- capsule -------------------------------------------------------------------------------------------------------------------- */

SCREE_HD void ball_on_capsule(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double u[3], d[3], p[3], pa[3], pb[3], ra = a->size[0], rb = b->size[0], h = b->size[1];
    shape_axis(b, 2, u);
    vec_sub(b->x, a->x, d);
    double along = -vec_dot(d, u), t = clamp(along, -h, h), noise = 4.0 * DBL_EPSILON * (h + vec_norm(d));
    vec_add_scaled(d, t, u, p); /* nearest point of the segment, from the sphere */
    /* Beside the segment it is across it. Said twice, since rounding of d may be more than |p|. */
    if (fabs(along) <= h + noise) vec_add_scaled(p, -vec_dot(p, u), u, p);
    double distance = vec_unit(p, m->normal);
    if (distance <= noise) vec_tangent(u, m->normal); /* the centre lies on the segment: out sideways */
    for (int i = 0; i < 3; ++i) pa[i] = ra * m->normal[i], pb[i] = p[i] - rb * m->normal[i];
    manifold_add(m, reach, a->x, pa, pb, distance - (ra + rb), 0);
}

/* ---- cylinder and cone ------------------------------------------------------------------------------------------------------------ */

/// Heights of the lower end and of the upper end or apex, and radius up there.
SCREE_HD void revolution_ends(scree_shape_kind kind, const double size[3], double *low, double *high,
                              double *radius_high)
{
    int cone = kind == SCREE_SHAPE_CONE;
    *low = cone ? -0.25 * size[1] : -size[1];
    *high = cone ? 0.75 * size[1] : size[1];
    *radius_high = cone ? 0.0 : size[0];
}

/// Unit vector of (n_x, n_y), along x where there is none; returns its length.
SCREE_HD double revolution_radial(const double n[3], double u[2])
{
    double v[3] = {n[0], n[1], 0.0}, w[3] = {1.0, 0.0, 0.0}, length = vec_unit(v, w);
    u[0] = w[0], u[1] = w[1];
    return length;
}

/// What a normal says of the three parts of the surface: how much each looks along it.
typedef struct revolution_view {
    double low, high, radius_high; /* heights of the ends, radius of the upper one               */
    double u[2], tilt;             /* unit vector of n across the axis, and how much of n that is */
    double out, up;                /* normal of the side: out u + up z                            */
    double along_side, along_low, along_high;
} revolution_view;

SCREE_HD revolution_view revolution_view_along(scree_shape_kind kind, const double size[3], const double n[3])
{
    revolution_view v;
    v.tilt = revolution_radial(n, v.u);
    revolution_ends(kind, size, &v.low, &v.high, &v.radius_high);
    double drop = size[0] - v.radius_high, height = v.high - v.low, slant = sqrt(drop * drop + height * height);
    v.out = height / slant, v.up = drop / slant;
    v.along_side = v.tilt * v.out + n[2] * v.up;
    v.along_low = -n[2], v.along_high = v.radius_high > 0.0 ? n[2] : -1.0;
    return v;
}

/// 1: the side looks along n at least as much as either flat end.
SCREE_HD int revolution_side_looks(scree_shape_kind kind, const double size[3], const double n[3])
{
    revolution_view v = revolution_view_along(kind, size, n);
    return v.along_side >= v.along_low && v.along_side >= v.along_high;
}

/// Nearest point of the polygon to p = (rho, z) and the outward normal there; returns the signed distance.
SCREE_HD double revolution_nearest(scree_shape_kind kind, const double size[3], const double p[2], double n[2])
{
    double low, high, radius_high, inside = -SCREE_INFINITY, least = SCREE_INFINITY;
    revolution_ends(kind, size, &low, &high, &radius_high);
    const double corner[4][2] = {{0.0, low}, {size[0], low}, {radius_high, high}, {0.0, high}};
    for (int k = 0; k < (radius_high > 0.0 ? 3 : 2); ++k) {
        double e[2] = {corner[k + 1][0] - corner[k][0], corner[k + 1][1] - corner[k][1]},
               length = real_hypot(e[0], e[1]);
        double out[2] = {e[1] / length, -e[0] / length}, d[2] = {p[0] - corner[k][0], p[1] - corner[k][1]};
        double height = d[0] * out[0] + d[1] * out[1], t = clamp((d[0] * e[0] + d[1] * e[1]) / length, 0.0, length);
        if (height > inside) { /* inside: the nearest side; of equal ones the first */
            inside = height;
            if (isinf(least)) n[0] = out[0], n[1] = out[1];
        }
        if (!(height > 0.0)) continue; /* the side is seen from within: what follows costs more than all before */
        double away[2] = {d[0] - t * e[0] / length, d[1] - t * e[1] / length}, distance = real_hypot(away[0], away[1]);
        if (!(distance < least)) continue;
        least = distance;
        int within = t > 0.0 && t < length; /* then the side's own normal, which has all its digits */
        n[0] = within ? out[0] : away[0] / distance, n[1] = within ? out[1] : away[1] / distance;
    }
    return isinf(least) ? inside : least;
}

SCREE_HD void ball_on_revolution(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double d[3], local[3], u[2], n[2] = {0.0, 1.0}, out[3], pa[3], r = a->size[0];
    vec_sub(a->x, b->x, d);
    mat_apply_transpose(b->R, d, local);
    double p[2] = {revolution_radial(local, u), local[2]}, gap = revolution_nearest(b->kind, b->size, p, n) - r;
    const double at[3] = {n[0] * u[0], n[0] * u[1], n[1]};
    mat_apply(b->R, at, out);
    for (int i = 0; i < 3; ++i) m->normal[i] = -out[i], pa[i] = -r * out[i];
    manifold_add_from(m, reach, a->x, pa, gap, 0);
}

#endif
