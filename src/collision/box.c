/* box.c: a box with a sphere, a plane, a capsule.
 *
 * In the frame of the box the nearest point to p is p with each coordinate clamped to [-h_i, h_i]; the excess e(p), what was cut off,
 * points from it to p. The squared distance |e|^2 along a segment p(t) = c + t w is convex and piecewise quadratic, so its slope
 *     1/2 d|e|^2/dt = sum_i w_i e_i(t)
 * is piecewise linear and grows: the nearest point of a segment is one interpolation between two of at most six breakpoints. No
 * iteration, and no case for faces, edges or vertices.
 *
 * A segment that runs through the box is parted along the best of the three faces and the three edges' cross products with it: the
 * separating axes of a box and a segment.
 *
 * Points. A capsule that lies on a face, or hangs over its border, has two: the ends of the stretch over the face, each with its own
 * height; if the nearest point is beyond, the next of them is moved there, so the smallest gap is the distance. So has one along an edge. */
#include "collision/ball.h"

/* A normal this near to that of a face (5.7 degrees) is a contact with that face; its cosine. One that is as near to the plane across
 * an edge is a contact with that edge; its sine. */
#define ON_FACE     0.995
#define ACROSS_EDGE 0.1

/* Faces are preferred to edges unless the edges are better by this part of the smallest size: else rounding would choose. */
#define EDGE_HANDICAP 1e-6

void collide_plane_box(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double d[3], half[3][3], rise[3];
    shape_axis(a, 2, m->normal);
    vec_sub(b->x, a->x, d);
    double height = vec_dot(d, m->normal);
    for (int j = 0; j < 3; ++j) {
        shape_axis(b, j, half[j]);
        rise[j] = b->size[j] * vec_dot(half[j], m->normal);
        for (int i = 0; i < 3; ++i) half[j][i] *= b->size[j];
    }
    for (unsigned vertex = 0; vertex < 8; ++vertex) {
        double gap = height, pa[3] = {0.0, 0.0, 0.0};
        for (int j = 0; j < 3; ++j) {
            double sign = vertex >> j & 1 ? 1.0 : -1.0;
            gap += sign * rise[j];
            vec_add_scaled(pa, sign, half[j], pa);
        }
        vec_add_scaled(pa, -gap, m->normal, pa);
        manifold_add_from(m, reach, b->x, pa, gap, feature_pair(0, vertex));
    }
}

void collide_sphere_box(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    ball_on_box(a, b, reach, m);
}

/* ---- box and capsule ----------------------------------------------------------------------------------------------------- */

/// The segment c + t w, |t| <= k, in the frame of a box.
typedef struct box_segment {
    const double *half;
    double c[3], w[3], k, r;
} box_segment;

static void at(const box_segment *g, double t, double p[3])
{
    vec_add_scaled(g->c, t, g->w, p);
}

/// Half the slope of the squared distance at t.
static double slope(const box_segment *g, double t)
{
    double p[3], e[3];
    at(g, t, p);
    box_excess(g->half, p, e);
    return vec_dot(e, g->w);
}

/// t of the nearest point. Where a whole stretch is nearest, somewhere on it.
static double nearest(const box_segment *g)
{
    double low = -g->k, high = g->k, slope_low = slope(g, low), slope_high = slope(g, high);
    if (slope_low >= 0.0 && slope_high > 0.0) return low;
    if (slope_high <= 0.0 && slope_low < 0.0) return high;
    for (int i = 0; i < 3; ++i)
        for (int side = -1; side <= 1; side += 2) {
            double t = g->w[i] != 0.0 ? (side * g->half[i] - g->c[i]) / g->w[i] : low;
            if (!(t > low && t < high)) continue;
            double s = slope(g, t);
            if (s < 0.0) low = t, slope_low = s;
            else high = t, slope_high = s;
        }
    /* No breakpoint between low and high: the slope is linear. Equal slopes: it is zero all along. */
    double rise = slope_high - slope_low;
    return rise > 0.0 ? clamp(low - slope_low / rise * (high - low), low, high) : 0.5 * (low + high);
}

/// The stretch of the segment within the slabs of all axes but those of the bits `skip`. Returns 0 if there is none.
static int clip(const box_segment *g, unsigned skip, double *from, double *to)
{
    *from = -g->k, *to = g->k;
    for (int i = 0; i < 3; ++i) {
        if (skip >> i & 1) continue;
        if (g->w[i] == 0.0) {
            if (fabs(g->c[i]) > g->half[i]) return 0;
            continue;
        }
        double t0 = (-g->half[i] - g->c[i]) / g->w[i], t1 = (g->half[i] - g->c[i]) / g->w[i];
        *from = max2(*from, min2(t0, t1)), *to = min2(*to, max2(t0, t1));
    }
    return *from <= *to;
}

/// One point of the contact, by t.
typedef struct segment_point {
    double t, gap;
    unsigned feature;
} segment_point;

/// The nearest point (t, gap) joins the ends p[0], p[1] of a stretch if it is nearer than these: as the next end if it lies beyond,
/// else as a third point. Returns how many there are.
static int join_nearest(double t, double gap, double r, segment_point p[3])
{
    if (!(gap < min2(p[0].gap, p[1].gap) - 1e-12 * r)) return 2;
    int at = t <= p[0].t ? 0 : t >= p[1].t ? 1 : 2;
    p[at].t = t, p[at].gap = gap, p[at].feature = (unsigned)at; /* 2 is CAPSULE_SIDE */
    return at == 2 ? 3 : 2;
}

/// Both ends of the stretch over the face +-axis with their heights.
static int points_on_face(const box_segment *g, int axis, double sign, double t, double gap, segment_point p[3])
{
    double end[2];
    if (!clip(g, 1u << axis, &end[0], &end[1])) return 0;
    if (!(end[1] - end[0] > 1e-6 * g->k)) return 0;
    for (int e = 0; e < 2; ++e) {
        double height = sign * (g->c[axis] + end[e] * g->w[axis]) - g->half[axis];
        p[e] = (segment_point){end[e], height - g->r, (unsigned)e};
    }
    return join_nearest(t, gap, g->r, p);
}

/// Both ends of the stretch beside an edge (`beyond`: the axes across it), if the segment is nearly parallel to it: not more than a
/// tenth of the radius out of line, seen along n; the capsule falls away by the square of that.
static int points_on_edge(const box_segment *g, const double n[3], unsigned beyond, double t, double gap,
                          segment_point p[3])
{
    double end[2];
    if (fabs(vec_dot(n, g->w)) > 0.1 || !clip(g, beyond, &end[0], &end[1])) return 0;
    if (!(end[1] - end[0] > 1e-6 * g->k)) return 0;
    for (int e = 0; e < 2; ++e) {
        double q[3], x[3], side[3];
        at(g, end[e], q);
        box_excess(g->half, q, x);
        for (int i = 0; i < 3; ++i)
            if (!(beyond >> i & 1)) x[i] = 0.0; /* the end lies on the border of the slab */
        double height = vec_dot(x, n);
        vec_add_scaled(x, -height, n, side);
        double fall = vec_dot(side, side) / (2.0 * g->r);
        if (!(fall <= 0.005 * g->r)) return 0;
        p[e] = (segment_point){end[e], height - g->r + fall, (unsigned)e};
    }
    return join_nearest(t, gap, g->r, p);
}

/// The segment is outside: its nearest point t at `distance` in direction n.
static int points_outside(const box_segment *g, const double n[3], double distance, double t, segment_point p[3])
{
    int count = 0, along = 0; /* of the axes, that of the edge is the one that n is most across */
    for (int i = 0; i < 3; ++i) {
        if (fabs(n[i]) < fabs(n[along])) along = i;
        if (fabs(n[i]) >= ON_FACE) count = points_on_face(g, i, n[i] < 0.0 ? -1.0 : 1.0, t, distance - g->r, p);
    }
    if (!count && fabs(n[along]) < ACROSS_EDGE)
        count = points_on_edge(g, n, 7u & ~(1u << along), t, distance - g->r, p);
    if (count) return count;
    p[0] = (segment_point){t, distance - g->r, t == -g->k ? CAPSULE_LOWER : t == g->k ? CAPSULE_UPPER : CAPSULE_SIDE};
    return 1;
}

/// The segment runs through the box: the shortest way out, its direction n, and the points.
static int points_inside(const box_segment *g, double n[3], segment_point p[3])
{
    double best = SCREE_INFINITY, smallest = min2(g->half[0], min2(g->half[1], g->half[2])),
           edge_depth = SCREE_INFINITY;
    double edge_n[3] = {0.0, 0.0, 0.0};
    int face = 0, edge = -1;
    for (int i = 0; i < 3; ++i) {
        double depth = g->half[i] + g->k * fabs(g->w[i]) - fabs(g->c[i]);
        if (depth < best) best = depth, face = i;
    }
    for (int i = 0; i < 3; ++i) {
        double axis[3] = {0.0, 0.0, 0.0}, u[3] = {0.0, 0.0, 0.0};
        axis[(i + 1) % 3] = -g->w[(i + 2) % 3], axis[(i + 2) % 3] = g->w[(i + 1) % 3]; /* e_i x w */
        if (vec_dot(axis, axis) < 1e-12) continue;
        vec_unit(axis, u);
        double along = vec_dot(g->c, u), depth = -fabs(along);
        for (int j = 0; j < 3; ++j) depth += g->half[j] * fabs(u[j]);
        if (depth >= edge_depth) continue;
        edge_depth = depth, edge = i;
        for (int j = 0; j < 3; ++j) edge_n[j] = along < 0.0 ? -u[j] : u[j];
    }
    if (edge >= 0 && edge_depth < best - EDGE_HANDICAP * smallest) {
        /* Seen along n, the segment crosses the edge: with q on the edge, (c + t w - q) x e_i is along n. */
        double v[3], square = 1.0 - g->w[edge] * g->w[edge], cross = 0.0;
        for (int j = 0; j < 3; ++j) {
            v[j] = j == edge ? 0.0 : (edge_n[j] < 0.0 ? -g->half[j] : g->half[j]) - g->c[j];
            cross += v[j] * (j == edge ? 0.0 : g->w[j]);
        }
        memcpy(n, edge_n, sizeof edge_n);
        p[0] = (segment_point){clamp(cross / square, -g->k, g->k), -edge_depth - g->r, CAPSULE_SIDE};
        return 1;
    }
    double sign = g->c[face] < 0.0 ? -1.0 : 1.0, t = -sign * g->w[face] < 0.0 ? -g->k : g->k;
    n[0] = n[1] = n[2] = 0.0, n[face] = sign;
    int count = points_on_face(g, face, sign, t, -best - g->r, p);
    if (count) return count;
    p[0] = (segment_point){t, -best - g->r, t < 0.0 ? CAPSULE_LOWER : CAPSULE_UPPER};
    return 1;
}

/// The unit normal along e. Where the segment passes an edge or vertex it is also across the segment, and that is kept to: e alone is
/// rounding where it is far shorter than the segment.
static double outward(const box_segment *g, double t, double e[3], double n[3])
{
    double distance = vec_unit(e, n);
    if (!(distance > 0.0) || !(fabs(t) < g->k)) return distance;
    int beyond = 0, along = 0;
    for (int i = 0; i < 3; ++i) {
        if (e[i] != 0.0) ++beyond;
        else along = i;
    }
    int p = (along + 1) % 3, q = (along + 2) % 3;
    if (beyond == 2 && g->w[p] * g->w[p] + g->w[q] * g->w[q] > 1e-6) {
        double cross[3] = {0.0, 0.0, 0.0}, sign = g->w[p] * e[q] - g->w[q] * e[p] < 0.0 ? -1.0 : 1.0;
        cross[p] = -sign * g->w[q], cross[q] = sign * g->w[p];
        vec_unit(cross, n);
    } else if (beyond == 3) {
        vec_add_scaled(e, -vec_dot(e, g->w), g->w, e);
        vec_unit(e, n);
    }
    return distance;
}

void collide_box_capsule(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double d[3], u[3], p[3], e[3], n[3] = {0.0, 0.0, 0.0}, tip[3];
    segment_point point[3];
    box_segment g = {.half = a->size, .k = b->size[1], .r = b->size[0]};
    vec_sub(b->x, a->x, d);
    shape_axis(b, 2, u);
    mat_apply_transpose(a->R, d, g.c);
    mat_apply_transpose(a->R, u, g.w);

    double t = nearest(&g), size = max2(g.half[0], max2(g.half[1], g.half[2])) + g.k;
    at(&g, t, p);
    box_excess(g.half, p, e);
    double distance = outward(&g, t, e, n);
    if (distance - g.r > reach) return;
    int apart = distance > 1e-14 * size; /* below, the direction of e is rounding */
    int count = apart ? points_outside(&g, n, distance, t, point) : points_inside(&g, n, point);
    mat_apply(a->R, n, m->normal);
    for (int k = 0; k < count; ++k) {
        double pb[3], pa[3];
        vec_add_scaled(d, point[k].t, u, tip);
        vec_add_scaled(tip, -g.r, m->normal, pb);
        vec_add_scaled(pb, -point[k].gap, m->normal, pa);
        manifold_add(m, reach, a->x, pa, pb, point[k].gap, feature_pair(0, point[k].feature));
    }
}
