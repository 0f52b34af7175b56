/* round.c: spheres, capsules and planes with each other: points and segments with a radius around them.
 *
 * The surface of a sphere or capsule is at distance r from a point or a segment (its core), so the nearest points of the cores give
 * everything: gap = distance - r_a - r_b, normal along the connection. Overlap down to cores that touch is the same formula.
 *
 * Two capsules that lie along each other touch on a line: they get the two ends of the stretch along which they run together. Their
 * nearest points alone say little then: they jump from end to end with the last bit of the angle. */
#include "collision/ball.h"

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
    ball_on_capsule(a, b, reach, m);
}

/* ---- two capsules -------------------------------------------------------------------------------------------------------- */

/// Of the squared sine: below, lines are parallel as far as an end of a segment can tell.
static const double PARALLEL = 1e-24;

/// Two segments relative to the centre of the first: points s u and d + t v, |s| <= h, |t| <= k.
typedef struct segments {
    double u[3], v[3], d[3], h, k;
    double du, dv, uv; /* d.u, d.v, u.v                              */
    double noise;      /* what rounding may do to a distance of the two */
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

/// Offers the points s and t, clamped to the segments. Those that were clamped lose a tie: the distance cannot tell an end from the
/// point beside it where they are close, but the direction can.
static void offer(const segments *g, double s, double t, segment_points *best)
{
    double c[3], inside_s = clamp(s, -g->h, g->h), inside_t = clamp(t, -g->k, g->k);
    connection(g, inside_s, inside_t, c);
    double distance2 = vec_dot(c, c);
    if (inside_s != s || inside_t != t) distance2 += g->noise * sqrt(distance2);
    if (distance2 < best->distance2) *best = (segment_points){inside_s, inside_t, distance2};
}

/// Nearest points: inside both where the lines pass each other there, else one of four ends with its nearest point. `cross`: u x v.
/// Returns whether they are inside both.
static int nearest_points(const segments *g, const double cross[3], segment_points *best)
{
    double sine2 = vec_dot(cross, cross), w[3];
    *best = (segment_points){0.0, 0.0, SCREE_INFINITY};
    if (sine2 > PARALLEL) {
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
        offer(g, end * g->h, end * g->h * g->uv - g->dv, best);
        offer(g, g->du + end * g->k * g->uv, end * g->k, best);
    }
    return 0;
}

/// The two ends of the stretch along which the segments run beside each other: at each, one of the two ends. 0: there is none.
static int common_stretch(const segments *g, segment_points end[2])
{
    double slope = g->uv < 0.0 ? -1.0 : 1.0, from = g->du - fabs(g->uv) * g->k, to = g->du + fabs(g->uv) * g->k;
    end[0] = (segment_points){from, -slope * g->k, 0.0};
    end[1] = (segment_points){to, slope * g->k, 0.0};
    if (from < -g->h) end[0].s = -g->h, end[0].t = -g->h * g->uv - g->dv;
    if (to > g->h) end[1].s = g->h, end[1].t = g->h * g->uv - g->dv;
    for (int e = 0; e < 2; ++e) end[e].t = clamp(end[e].t, -g->k, g->k);
    double length = end[1].s - end[0].s;
    return length > 1e-6 * (g->h + g->k) && fabs(end[1].t - end[0].t) > 0.5 * length; /* the second: parallel, about */
}

/// The normal where the lines pass each other, or where the segments meet: across both, on the side of the connection c. The closer they
/// pass, the less c itself knows of it. `cross` u x v, or NULL where they are parallel.
static void across(const segments *g, const double *cross, const double c[3], double n[3])
{
    if (cross) vec_unit(cross, n);
    else vec_tangent(g->u, n);
    if (vec_dot(c, n) < 0.0)
        for (int i = 0; i < 3; ++i) n[i] = -n[i];
}

/// Gap at a point of the stretch: along n, and what the round surfaces fall away where the axes are out of line, seen along n.
static double gap_beside(const segments *g, const double n[3], double radii, const segment_points *p,
                         double *out_of_line)
{
    double c[3], side[3];
    connection(g, p->s, p->t, c);
    vec_cross(n, g->u, side);
    *out_of_line = vec_dot(c, side);
    return vec_dot(c, n) - radii + *out_of_line * *out_of_line / (2.0 * radii);
}

/// A line contact: the ends of the common stretch, and the nearest points where they are nearer than the ends: instead of the next
/// end, or as a third point where the axes pass each other between. 0: it is none, the normal is not across the axes, or these are
/// out of line by more than a tenth of the radii.
static int line_contact(const segments *g, const double n[3], double radii, const segment_points *best, double least,
                        int passing, segment_points point[3], double gap[3])
{
    double out_of_line[2];
    if (fabs(vec_dot(n, g->u)) > 0.1 || fabs(vec_dot(n, g->v)) > 0.1 || fabs(g->uv) < 0.9) return 0;
    if (!common_stretch(g, point)) return 0;
    for (int e = 0; e < 2; ++e) {
        gap[e] = gap_beside(g, n, radii, &point[e], &out_of_line[e]);
        if (fabs(out_of_line[e]) > 0.1 * radii) return 0;
    }
    if (!(least < min2(gap[0], gap[1]) - 1e-12 * radii)) return 2;
    int at = passing ? 2 : fabs(best->s - point[0].s) <= fabs(best->s - point[1].s) ? 0 : 1;
    point[at] = *best, gap[at] = least;
    return passing ? 3 : 2;
}

static void add_points(const segments *g, const posed_shape *a, const posed_shape *b, double reach,
                       const segment_points *p, double gap, uint32_t feature, manifold *m)
{
    double pa[3], pb[3];
    for (int i = 0; i < 3; ++i) {
        pa[i] = p->s * g->u[i] + a->size[0] * m->normal[i];
        pb[i] = g->d[i] + p->t * g->v[i] - b->size[0] * m->normal[i];
    }
    manifold_add(m, reach, a->x, pa, pb, gap, feature);
}

void collide_capsule_capsule(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double radii = a->size[0] + b->size[0], cross[3], c[3], gap[3];
    segments g = {.h = a->size[1], .k = b->size[1]};
    shape_axis(a, 2, g.u);
    shape_axis(b, 2, g.v);
    vec_sub(b->x, a->x, g.d);
    double bound = g.h + g.k + radii + reach;
    if (!(bound >= 0.0) || vec_dot(g.d, g.d) > bound * bound * (1.0 + 1e-12)) return;
    g.du = vec_dot(g.d, g.u), g.dv = vec_dot(g.d, g.v), g.uv = vec_dot(g.u, g.v);
    g.noise = 8.0 * DBL_EPSILON * (vec_norm(g.d) + g.h + g.k);

    segment_points best, point[3];
    vec_cross(g.u, g.v, cross);
    int passing = nearest_points(&g, cross, &best);
    connection(&g, best.s, best.t, c);
    /* Beside a segment it is across it, also where |c| is far below |d|. Rounding may call a place beside an end the end: parallel ones that
     * are beside each other may have both nearest points at ends, and where |c| is small its part along the axis is noise with either sign.
     * A segment of no length is a point, with nothing to be across. */
    const int beside_a = g.h > 0.0 && (fabs(best.s) < g.h || fabs(g.du + best.t * g.uv) <= g.h + g.noise);
    const int beside_b = g.k > 0.0 && (fabs(best.t) < g.k || fabs(best.s * g.uv - g.dv) <= g.k + g.noise);
    if (beside_a) vec_add_scaled(c, -vec_dot(c, g.u), g.u, c);
    if (beside_b) vec_add_scaled(c, -vec_dot(c, g.v), g.v, c);
    double distance = vec_unit(c, m->normal), sine = vec_norm(cross);
    const int known = sine > 1e-8; /* else the direction of u x v is rounding */
    const int both = beside_a && beside_b && DBL_EPSILON * distance < g.noise * sine; /* u x v is known better than c */
    if (distance <= g.noise || ((passing || both) && known)) across(&g, known ? cross : NULL, c, m->normal);
    if (distance - radii > reach) return;

    int count = line_contact(&g, m->normal, radii, &best, distance - radii, passing, point, gap);
    for (int k = 0; k < count; ++k) {
        unsigned of_b = k < 2 && g.uv < 0.0 ? 1u - (unsigned)k : (unsigned)k; /* 2 is CAPSULE_SIDE */
        add_points(&g, a, b, reach, &point[k], gap[k], feature_pair((unsigned)k, of_b), m);
    }
    if (!count) add_points(&g, a, b, reach, &best, distance - radii, feature_pair(CAPSULE_SIDE, CAPSULE_SIDE), m);
}
