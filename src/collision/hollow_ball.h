/* hollow_ball.h: the inside of a tube, a funnel, a bowl, and what a ball touches of it: one text for the processor and for devices. The
 * mathematics is on top of hollow.c. */
#ifndef SCREE_COLLISION_HOLLOW_BALL_H
#define SCREE_COLLISION_HOLLOW_BALL_H

#include "collision/hollow.h"
#include "collision/narrow.h"
#include "math/elementary.h"

#define HOLLOW_SAME 1e-7 /* of the size: points that are one */

/// Features of a shape against a wall; those of polyhedra and faces are their own + FEATURE_OWN.
enum { FEATURE_BALL = 1, FEATURE_RIM = 8, FEATURE_CROSSING = 1u << 16, FEATURE_OWN = 64 };

/// The wall, in its own frame.
typedef struct hollow_wall {
    int bowl;
    double radius[2], z[2];    /* of the ends; a bowl has the upper one only            */
    double e[2], m[2], length; /* (rho, z) along the line and into the hollow            */
    double R;                  /* of the bowl                                           */
} hollow_wall;

typedef struct hollow_query {
    hollow_wall wall;
    posed_shape shape; /* in the frame of the wall */
    double reach, size;
    int count, most;
    contact_point *point;
} hollow_query;

SCREE_HD hollow_wall hollow_wall_of(const posed_shape *s)
{
    hollow_wall w;
    memset(&w, 0, sizeof w);
    w.bowl = s->kind == SCREE_SHAPE_BOWL;
    if (w.bowl) {
        w.R = s->size[0];
        w.z[1] = min2(s->size[1] - w.R, w.R);
        w.radius[1] = sqrt(max2(w.R * w.R - w.z[1] * w.z[1], 0.0));
        return w;
    }
    const double rise = 2.0 * s->size[2], widen = s->size[1] - s->size[0];
    w.length = real_hypot(widen, rise);
    w.radius[0] = s->size[0], w.radius[1] = s->size[1], w.z[0] = -s->size[2], w.z[1] = s->size[2];
    w.e[0] = widen / w.length, w.e[1] = rise / w.length, w.m[0] = -w.e[1], w.m[1] = w.e[0];
    return w;
}

/* ---- a point and the wall -------------------------------------------------------------------------------------------------- */

enum { HOLLOW_ON_SIDE = -1 }; /* else the number of the end that is nearest */

/// Unit vector from the axis to y, along x on it; returns the distance from it.
SCREE_HD double hollow_radial(const double y[3], double u[3])
{
    const double v[3] = {y[0], y[1], 0.0};
    u[0] = 1.0, u[1] = u[2] = 0.0;
    return vec_unit(v, u);
}

/// Height of y above the side of the wall, and its normal there. Returns the place of the foot.
SCREE_HD int hollow_side(const hollow_wall *w, const double y[3], double *height, double n[3])
{
    double u[3];
    if (w->bowl) {
        double out[3] = {0.0, 0.0, -1.0}, distance = vec_unit(y, out);
        for (int i = 0; i < 3; ++i) n[i] = -out[i];
        *height = w->R - distance;
        return out[2] * w->R <= w->z[1] ? HOLLOW_ON_SIDE : 1;
    }
    const double rho = hollow_radial(y, u), d[2] = {rho - w->radius[0], y[2] - w->z[0]};
    const double t = d[0] * w->e[0] + d[1] * w->e[1];
    *height = d[0] * w->m[0] + d[1] * w->m[1];
    n[0] = w->m[0] * u[0], n[1] = w->m[0] * u[1], n[2] = w->m[1];
    return t < 0.0 ? 0 : t > w->length ? 1 : HOLLOW_ON_SIDE;
}

/// Distance of y from the rim of an end, and the unit vector from the nearest point of it to y.
SCREE_HD double hollow_rim(const hollow_wall *w, int end, const double y[3], double n[3])
{
    double u[3], away[3], rho = hollow_radial(y, u);
    for (int i = 0; i < 2; ++i) away[i] = (rho - w->radius[end]) * u[i];
    away[2] = y[2] - w->z[end];
    return vec_unit(away, n);
}

/* ---- collecting -------------------------------------------------------------------------------------------------------------- */

/// A point p of the body's surface, with its gap along the normal n of the wall. Of more than there is room for, the deepest stay.
SCREE_HD void hollow_add(hollow_query *q, const double p[3], const double n[3], double gap, unsigned feature)
{
    int at = q->count, worst = 0;
    if (!(gap <= q->reach)) return;
    contact_point new_point;
    new_point.gap = gap, new_point.feature = feature_pair(1, feature);
    for (int i = 0; i < 3; ++i) new_point.position[i] = p[i] - 0.5 * gap * n[i], new_point.normal[i] = n[i];
    for (int k = 0; k < q->count; ++k) {
        double r[3];
        vec_sub(new_point.position, q->point[k].position, r);
        if (new_point.feature == q->point[k].feature ||
            vec_dot(r, r) <= HOLLOW_SAME * HOLLOW_SAME * q->size * q->size) {
            if (q->point[k].feature < new_point.feature) new_point.feature = q->point[k].feature;
            if (gap < q->point[k].gap) q->point[k] = new_point;
            else q->point[k].feature = new_point.feature;
            return;
        }
        if (q->point[k].gap > q->point[worst].gap) worst = k;
    }
    if (at < q->most) q->count += 1;
    else if (gap < q->point[worst].gap) at = worst;
    else return;
    q->point[at] = new_point;
}

/* ---- balls ------------------------------------------------------------------------------------------------------------------- */

/// The two places beside the nearest one, a third of the way round: gaps to the tangent planes there.
SCREE_HD void hollow_ball_around(hollow_query *q, const double y[3], double r, unsigned feature)
{
    const hollow_wall *w = &q->wall;
    const double sine = 0.86602540378443864676;
    double u[3], rho = hollow_radial(y, u);
    for (int k = 0; k < 2; ++k) {
        const double s = k ? -sine : sine, v[2] = {-0.5 * u[0] - s * u[1], s * u[0] - 0.5 * u[1]};
        const double d[2] = {-0.5 * rho - w->radius[0], y[2] - w->z[0]}, t = d[0] * w->e[0] + d[1] * w->e[1];
        const double n[3] = {w->m[0] * v[0], w->m[0] * v[1], w->m[1]};
        double p[3];
        if (t < 0.0 || t > w->length) continue;
        vec_add_scaled(y, -r, n, p);
        hollow_add(q, p, n, d[0] * w->m[0] + d[1] * w->m[1] - r, feature + 1 + (unsigned)k);
    }
}

SCREE_HD void hollow_ball(hollow_query *q, const double y[3], double r, unsigned feature)
{
    const hollow_wall *w = &q->wall;
    double n[3] = {0.0, 0.0, 0.0}, height, p[3];
    int end = hollow_side(w, y, &height, n);
    if (end != HOLLOW_ON_SIDE) {
        if (!(w->radius[end] > 0.0)) return; /* beyond the point of a funnel: outside */
        height = hollow_rim(w, end, y, n);
    }
    if (!(height > 0.0)) return;
    vec_add_scaled(y, -r, n, p);
    hollow_add(q, p, n, height - r, feature);
    if (end == HOLLOW_ON_SIDE && !w->bowl) hollow_ball_around(q, y, r, feature);
}

/// A ball of radius r about `centre`; hollow_collide has the rest.
SCREE_HD int ball_on_hollow(const posed_shape *wall, const double centre[3], double r, double reach,
                            contact_point point[HOLLOW_BALL_POINTS])
{
    hollow_query q;
    double d[3];
    memset(&q, 0, sizeof q);
    q.wall = hollow_wall_of(wall), q.reach = reach, q.most = HOLLOW_BALL_POINTS, q.point = point, q.size = r;
    vec_sub(centre, wall->x, d);
    mat_apply_transpose(wall->R, d, q.shape.x);
    hollow_ball(&q, q.shape.x, r, FEATURE_BALL);
    for (int k = 0; k < q.count; ++k) contact_point_to_world(wall, &point[k]);
    contact_points_sort(q.count, point);
    return q.count;
}

#endif
