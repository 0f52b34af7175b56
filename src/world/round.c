/* round.c: spheres, capsules and planes with each other: points and segments with a radius around them.
 *
 * The surface of a sphere or capsule is at distance r from a point or a segment (its core), so the nearest points of the cores give
 * everything: gap = distance - r_a - r_b, normal along the connection. Overlap down to cores that touch is the same formula.
 *
 * Two capsules that lie along each other touch on a line: they get the two ends of the stretch along which they run together. Their
 * nearest points say little then: they jump from end to end with the last bit of the angle. */
#include "world/narrow.h"

void collide_sphere_sphere(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double d[3], ra = a->size[0], rb = b->size[0];
    const double zero[3] = {0.0, 0.0, 0.0};
    vec_sub(b->x, a->x, d);
    double bound = ra + rb + reach;
    if (!(bound >= 0.0) || vec_dot(d, d) > bound * bound * (1.0 + 1e-12)) return;
    m->normal[0] = m->normal[1] = 0.0, m->normal[2] = 1.0; /* where the centres coincide */
    double distance = vec_unit(d, m->normal), pa[3], pb[3];
    vec_add_scaled(a->x, ra, m->normal, pa);
    vec_add_scaled(b->x, -rb, m->normal, pb);
    manifold_add(m, reach, zero, pa, pb, distance - (ra + rb), 0);
}

void collide_sphere_plane(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double d[3], up[3], pa[3], r = a->size[0];
    shape_axis(b, 2, up);
    vec_sub(a->x, b->x, d);
    double gap = vec_dot(d, up) - r;
    for (int i = 0; i < 3; ++i) m->normal[i] = -up[i], pa[i] = -r * up[i];
    manifold_add_from(m, reach, a->x, pa, gap, 0);
}

void collide_plane_capsule(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double d[3], u[3], r = b->size[0], h = b->size[1];
    shape_axis(a, 2, m->normal);
    shape_axis(b, 2, u);
    vec_sub(b->x, a->x, d);
    double height = vec_dot(d, m->normal) - r, rise = h * vec_dot(u, m->normal);
    for (int end = 0; end < (h > 0.0 ? 2 : 1); ++end) {
        double s = end ? 1.0 : -1.0, gap = height + s * rise, pa[3];
        for (int i = 0; i < 3; ++i) pa[i] = s * h * u[i] - (r + gap) * m->normal[i];
        manifold_add_from(m, reach, b->x, pa, gap, feature_pair(0, end ? CAPSULE_UPPER : CAPSULE_LOWER));
    }
}

void collide_sphere_capsule(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double u[3], d[3], p[3], pa[3], pb[3], ra = a->size[0], rb = b->size[0], h = b->size[1];
    shape_axis(b, 2, u);
    vec_sub(b->x, a->x, d);
    double t = clamp(-vec_dot(d, u), -h, h);
    vec_add_scaled(d, t, u, p); /* nearest point of the segment, relative to the sphere */
    vec_tangent(u, m->normal);  /* where the centre lies on the segment: out sideways */
    double distance = vec_unit(p, m->normal);
    for (int i = 0; i < 3; ++i) pa[i] = ra * m->normal[i], pb[i] = p[i] - rb * m->normal[i];
    manifold_add(m, reach, a->x, pa, pb, distance - (ra + rb), 0);
}

/* ---- two capsules -------------------------------------------------------------------------------------------------------- */

/// Two segments relative to the centre of the first: points s u and d + t v, |s| <= h, |t| <= k.
typedef struct segments {
    double u[3], v[3], d[3], h, k;
    double du, dv, uv; /* d.u, d.v, u.v */
} segments;

/// A point of each.
typedef struct segment_points {
    double s, t;
    double distance2;
} segment_points;

static void connection(const segments *g, double s, double t, double c[3])
{
    for (int i = 0; i < 3; ++i) c[i] = (g->d[i] + t * g->v[i]) - s * g->u[i];
}

static double nearest_s(const segments *g, double t)
{
    return clamp(g->du + t * g->uv, -g->h, g->h);
}

static double nearest_t(const segments *g, double s)
{
    return clamp(s * g->uv - g->dv, -g->k, g->k);
}

static void offer(const segments *g, double s, double t, segment_points *best)
{
    double c[3];
    connection(g, s, t, c);
    double distance2 = vec_dot(c, c);
    if (distance2 < best->distance2) *best = (segment_points){s, t, distance2};
}

/// Nearest points: inside both where the lines pass each other there, else one of four ends with its nearest point. `cross`: u x v.
/// Returns whether they are inside both.
static int nearest_points(const segments *g, const double cross[3], segment_points *best)
{
    double sine2 = vec_dot(cross, cross), w[3];
    *best = (segment_points){0.0, 0.0, SCREE_INFINITY};
    if (sine2 > 1e-24) { /* below, the lines are parallel as far as an end of a segment can tell */
        vec_cross(g->d, g->v, w);
        double s = vec_dot(w, cross) / sine2;
        vec_cross(g->d, g->u, w);
        double t = vec_dot(w, cross) / sine2;
        if (fabs(s) <= g->h && fabs(t) <= g->k) {
            offer(g, s, t, best);
            return 1;
        }
    }
    for (int end = -1; end <= 1; end += 2) {
        offer(g, end * g->h, nearest_t(g, end * g->h), best);
        offer(g, nearest_s(g, end * g->k), end * g->k, best);
    }
    return 0;
}

/// The two ends of the stretch along which the segments run beside each other: at each, one of the two ends. 0: there is none.
static int common_stretch(const segments *g, segment_points end[2])
{
    double slope = g->uv < 0.0 ? -1.0 : 1.0, from = g->du - fabs(g->uv) * g->k, to = g->du + fabs(g->uv) * g->k;
    if (from >= -g->h) end[0] = (segment_points){from, -slope * g->k, 0.0};
    else end[0] = (segment_points){-g->h, nearest_t(g, -g->h), 0.0};
    if (to <= g->h) end[1] = (segment_points){to, slope * g->k, 0.0};
    else end[1] = (segment_points){g->h, nearest_t(g, g->h), 0.0};
    return end[1].s - end[0].s > 1e-6 * (g->h + g->k);
}

/// Whether the contact is a line: the normal is across both axes, and at neither end of the stretch are the axes more than a
/// thousandth of the radii out of line, seen along the normal (the gap there is then right to 5e-7 of them).
static int is_line(const segments *g, const double n[3], double radii, const segment_points end[2])
{
    if (fabs(vec_dot(n, g->u)) > 0.1 || fabs(vec_dot(n, g->v)) > 0.1 || fabs(g->uv) < 0.9) return 0;
    for (int e = 0; e < 2; ++e) {
        double c[3], side[3];
        connection(g, end[e].s, end[e].t, c);
        vec_cross(n, g->u, side);
        if (fabs(vec_dot(c, side)) > 1e-3 * radii) return 0;
    }
    return 1;
}

void collide_capsule_capsule(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double ra = a->size[0], rb = b->size[0], radii = ra + rb, cross[3], c[3], pa[3], pb[3];
    segments g = {.h = a->size[1], .k = b->size[1]};
    shape_axis(a, 2, g.u);
    shape_axis(b, 2, g.v);
    vec_sub(b->x, a->x, g.d);
    double bound = g.h + g.k + radii + reach;
    if (!(bound >= 0.0) || vec_dot(g.d, g.d) > bound * bound * (1.0 + 1e-12)) return;
    g.du = vec_dot(g.d, g.u), g.dv = vec_dot(g.d, g.v), g.uv = vec_dot(g.u, g.v);

    segment_points best, end[2];
    vec_cross(g.u, g.v, cross);
    int inside = nearest_points(&g, cross, &best);
    connection(&g, best.s, best.t, c);
    /* Cores that meet are parted along the common perpendicular. Where lines pass each other it is the normal, and the better known
     * one the closer they pass. */
    vec_tangent(g.u, m->normal);
    double distance = sqrt(best.distance2);
    if (inside || best.distance2 == 0.0) vec_unit(cross, m->normal);
    if (!inside) distance = vec_unit(c, m->normal);
    else if (vec_dot(c, m->normal) < 0.0)
        for (int i = 0; i < 3; ++i) m->normal[i] = -m->normal[i];

    if (common_stretch(&g, end) && is_line(&g, m->normal, radii, end)) {
        int opposite = g.uv < 0.0;
        for (int e = 0; e < 2; ++e) {
            connection(&g, end[e].s, end[e].t, c);
            for (int i = 0; i < 3; ++i) {
                pa[i] = end[e].s * g.u[i] + ra * m->normal[i];
                pb[i] = g.d[i] + end[e].t * g.v[i] - rb * m->normal[i];
            }
            manifold_add(m, reach, a->x, pa, pb, vec_dot(c, m->normal) - radii,
                         feature_pair((unsigned)e, (unsigned)(opposite ? 1 - e : e)));
        }
        return;
    }
    for (int i = 0; i < 3; ++i) {
        pa[i] = best.s * g.u[i] + ra * m->normal[i];
        pb[i] = g.d[i] + best.t * g.v[i] - rb * m->normal[i];
    }
    manifold_add(m, reach, a->x, pa, pb, distance - radii, feature_pair(CAPSULE_SIDE, CAPSULE_SIDE));
}
