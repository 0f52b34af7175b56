/* posed.h: random pairs of shapes, and what the collision code is judged with.
 *
 * The judge knows a shape by two functions that share nothing with the code under test: its width h(n) = max n.x over the shape, and
 * how far a point is outside of it. With sep(n) = n.(x_b - x_a) - h_a(n) - h_b(-n):
 *     distance >= sep(n) for every n, and <= |p_a - p_b| for every pair of points of the two   (apart)
 *     a translation by -sep(n) along n parts them for every n; the shortest is -max sep        (overlapping)
 * so a normal and two witness points prove a distance, and a dense search over n judges a depth. */
#ifndef SCREE_TESTS_POSED_H
#define SCREE_TESTS_POSED_H

#include "collision/collide.h"
#include "collision/geometry_private.h"
#include "math/quat.h"
#include "math/rng.h"
#include "math/scalar.h"

/// The kinds whose pairs are good to rounding; those after them go by faces.c.
enum {
    EXACT_KINDS = SCREE_SHAPE_CAPSULE + 1,
    SMOOTH_KINDS = SCREE_SHAPE_CONE + 1,
    CONVEX_KINDS = SCREE_SHAPE_HULL + 1
};

/// A shape that owns its sizes.
typedef struct solid {
    double size[3];
    posed_shape shape;
} solid;

static inline double rng_between(rng *r, double low, double high)
{
    return low + (high - low) * rng_uniform(r);
}

/// Uniform on the unit sphere.
static inline void rng_direction(rng *r, double u[3])
{
    double z = rng_between(r, -1.0, 1.0), angle = rng_between(r, 0.0, 6.283185307179586), s = sqrt(1.0 - z * z);
    u[0] = s * cos(angle), u[1] = s * sin(angle), u[2] = z;
}

/// Uniform rotation; as a matrix.
static inline void rng_rotation(rng *r, double R[9])
{
    double q[4], square;
    do {
        square = 0.0;
        for (int i = 0; i < 4; ++i) q[i] = rng_between(r, -1.0, 1.0), square += q[i] * q[i];
    } while (square > 1.0 || square < 0.01);
    quat_normalise(q);
    quat_matrix(q, R);
}

/// Turns the shape about its origin by the vector `angle` [rad], world frame.
static inline void solid_turn(solid *s, const double angle[3])
{
    double q[4], T[9], R[9];
    quat_exp(angle, q);
    quat_matrix(q, T);
    mat_mul(T, s->shape.R, R);
    for (int i = 0; i < 9; ++i) s->shape.R[i] = R[i];
}

static inline solid solid_make(scree_shape_kind kind, double s0, double s1, double s2)
{
    solid s = {{s0, s1, s2}, {.kind = kind, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    return s;
}

/// Random points in a ball of radius 1 have this hull; NULL: no memory. The caller releases it.
static inline scree_geometry *random_hull(rng *r, int points)
{
    enum { MOST = 100 };
    double p[3 * MOST];
    for (int k = 0; k < points && k < MOST; ++k) {
        double u[3], radius = cbrt(rng_uniform(r));
        rng_direction(r, u);
        for (int i = 0; i < 3; ++i) p[3 * k + i] = radius * u[i];
    }
    return scree_geometry_hull(p, points < MOST ? points : MOST, NULL, NULL);
}

/// Sizes log-uniform in [low, high]; the place is the origin.
static inline solid solid_random(rng *r, scree_shape_kind kind, double low, double high)
{
    solid s = solid_make(kind, 0, 0, 0);
    for (int i = 0; i < 3; ++i) s.size[i] = low * pow(high / low, rng_uniform(r));
    if (kind == SCREE_SHAPE_SPHERE) s.size[1] = s.size[2] = 0.0;
    if (kind == SCREE_SHAPE_PLANE) s.size[0] = s.size[1] = s.size[2] = 0.0;
    if (kind == SCREE_SHAPE_CAPSULE || kind == SCREE_SHAPE_CYLINDER || kind == SCREE_SHAPE_CONE) s.size[2] = 0.0;
    rng_rotation(r, s.shape.R);
    return s;
}

/// The sizes live in the solid: after copying one, the copy's pointer has to follow.
static inline const posed_shape *posed(solid *s)
{
    s->shape.size = s->size;
    return &s->shape;
}

/// h(n) relative to the shape's own origin. A plane has one only along its normal.
static inline double solid_width(const solid *s, const double n[3])
{
    double m[3], sum = 0.0;
    mat_apply_transpose(s->shape.R, n, m);
    switch (s->shape.kind) {
    case SCREE_SHAPE_SPHERE: return s->size[0];
    case SCREE_SHAPE_PLANE: return fabs(m[0]) + fabs(m[1]) < 1e-12 && m[2] > 0.0 ? 0.0 : SCREE_INFINITY;
    case SCREE_SHAPE_BOX: return fabs(m[0]) * s->size[0] + fabs(m[1]) * s->size[1] + fabs(m[2]) * s->size[2];
    case SCREE_SHAPE_ELLIPSOID:
        for (int i = 0; i < 3; ++i) sum += m[i] * s->size[i] * (m[i] * s->size[i]);
        return sqrt(sum);
    case SCREE_SHAPE_CAPSULE: return s->size[0] + s->size[1] * fabs(m[2]);
    case SCREE_SHAPE_CYLINDER: return s->size[0] * hypot(m[0], m[1]) + s->size[1] * fabs(m[2]);
    case SCREE_SHAPE_HULL:
        sum = -SCREE_INFINITY;
        for (int k = 0; k < s->shape.geometry->hull.vertex_count; ++k)
            sum = fmax(sum, s->size[0] * vec_dot(m, s->shape.geometry->hull.vertex[k]));
        return sum;
    case SCREE_SHAPE_MESH:
    case SCREE_SHAPE_TUBE:
    case SCREE_SHAPE_BOWL: break;
    case SCREE_SHAPE_CONE:
        return fmax(0.75 * s->size[1] * m[2], s->size[0] * hypot(m[0], m[1]) - 0.25 * s->size[1] * m[2]);
    case SCREE_SHAPE_KIND_COUNT: break;
    }
    return 0.0;
}

static inline double separation(const solid *a, const solid *b, const double n[3])
{
    double minus[3] = {-n[0], -n[1], -n[2]}, d[3];
    vec_sub(b->shape.x, a->shape.x, d);
    return vec_dot(d, n) - solid_width(a, n) - solid_width(b, minus);
}

/// Of a point that is so far beyond two lines at right angles.
static inline double rectangle_outside(double x, double y)
{
    return x > 0.0 && y > 0.0 ? hypot(x, y) : fmax(x, y);
}

/// (x, y): from the axis, and above the base.
static inline double cone_outside(double r, double h, double x, double y)
{
    double length = hypot(r, h), slant = ((x - r) * h + y * r) / length; /* above the line from (r, 0) to (0, h) */
    double t = ((r - x) * r + y * h) / length;                           /* along it                              */
    if (slant <= 0.0 && y >= 0.0) return fmax(slant, -y);
    if (y <= 0.0 && x <= r) return -y;
    return t <= 0.0 ? hypot(x - r, y) : t >= length ? hypot(x, y - h) : slant;
}

/// How far p is outside the shape: exact but for the ellipsoid, whose value is right to first order at the surface.
static inline double solid_outside(const solid *s, const double p[3])
{
    double d[3], m[3], sum = 0.0, gradient = 0.0, inside = -SCREE_INFINITY;
    vec_sub(p, s->shape.x, d);
    mat_apply_transpose(s->shape.R, d, m);
    switch (s->shape.kind) {
    case SCREE_SHAPE_SPHERE: return vec_norm(m) - s->size[0];
    case SCREE_SHAPE_PLANE: return m[2];
    case SCREE_SHAPE_BOX:
        for (int i = 0; i < 3; ++i) {
            double e = fabs(m[i]) - s->size[i];
            inside = fmax(inside, e);
            if (e > 0.0) sum += e * e;
        }
        return sum > 0.0 ? sqrt(sum) : inside;
    case SCREE_SHAPE_ELLIPSOID:
        for (int i = 0; i < 3; ++i) {
            double c = m[i] / s->size[i];
            sum += c * c, gradient += c / s->size[i] * (c / s->size[i]);
        }
        return gradient > 0.0 ? (sum - 1.0) / (2.0 * sqrt(gradient)) : -1.0;
    case SCREE_SHAPE_CAPSULE: m[2] -= fmax(-s->size[1], fmin(s->size[1], m[2])); return vec_norm(m) - s->size[0];
    case SCREE_SHAPE_CYLINDER: return rectangle_outside(hypot(m[0], m[1]) - s->size[0], fabs(m[2]) - s->size[1]);
    case SCREE_SHAPE_HULL: /* a lower bound: right above faces and inside */
        for (int f = 0; f < s->shape.geometry->hull.face_count; ++f) {
            const hull_data *h = &s->shape.geometry->hull;
            inside = fmax(inside, vec_dot(h->normal[f], m) -
                                      s->size[0] * vec_dot(h->normal[f], h->vertex[h->loop[h->first[f]]]));
        }
        return inside;
    case SCREE_SHAPE_MESH:
    case SCREE_SHAPE_TUBE:
    case SCREE_SHAPE_BOWL: break;
    case SCREE_SHAPE_CONE: return cone_outside(s->size[0], s->size[1], hypot(m[0], m[1]), m[2] + 0.25 * s->size[1]);
    case SCREE_SHAPE_KIND_COUNT: break;
    }
    return 0.0;
}

/// What roundings are measured against.
static inline double solid_scale(const solid *a, const solid *b)
{
    double d[3];
    vec_sub(b->shape.x, a->shape.x, d);
    double scale = vec_norm(d);
    for (int i = 0; i < 3; ++i) scale = fmax(scale, fmax(a->size[i], b->size[i]));
    return scale;
}

/// Climbs from n to a local maximum of sep by trial steps that shrink; returns it.
static inline double climb(const solid *a, const solid *b, rng *r, double n[3])
{
    double best = separation(a, b, n);
    for (double step = 0.2; step > 1e-10;) {
        int better = 0;
        for (int k = 0; k < 10; ++k) {
            double u[3], try[3];
            rng_direction(r, u);
            vec_add_scaled(n, step, u, try);
            double length = vec_norm(try);
            for (int i = 0; i < 3; ++i) try[i] /= length;
            double value = separation(a, b, try);
            if (!(value > best)) continue;
            best = value, better = 1;
            for (int i = 0; i < 3; ++i) n[i] = try[i];
        }
        step *= better ? 1.5 : 0.6;
        if (step > 0.2) step = 0.2;
    }
    return best;
}

/// max sep over the unit sphere: the best of a dense net, its best few climbed from. Exact from below; misses the maximum by what a
/// climb leaves, about 1e-9 of the scale where sep has no ridge, 1e-5 where it has.
static inline double dense_separation(const solid *a, const solid *b, rng *r, double n[3])
{
    enum { NET = 1500, STARTS = 6 };
    double value[STARTS], start[STARTS][3];
    for (int s = 0; s < STARTS; ++s) value[s] = -SCREE_INFINITY;
    for (int k = 0; k < NET; ++k) {
        double z = 1.0 - (2.0 * k + 1.0) / NET, angle = 2.399963229728653 * k, w = sqrt(1.0 - z * z);
        double u[3] = {w * cos(angle), w * sin(angle), z}, v = separation(a, b, u);
        int at = STARTS;
        while (at > 0 && v > value[at - 1]) --at;
        if (at == STARTS) continue;
        for (int s = STARTS - 1; s > at; --s) {
            value[s] = value[s - 1];
            for (int i = 0; i < 3; ++i) start[s][i] = start[s - 1][i];
        }
        value[at] = v;
        for (int i = 0; i < 3; ++i) start[at][i] = u[i];
    }
    double best = -SCREE_INFINITY;
    for (int s = 0; s < STARTS; ++s) {
        double v = climb(a, b, r, start[s]);
        if (v <= best) continue;
        best = v;
        for (int i = 0; i < 3; ++i) n[i] = start[s][i];
    }
    return best;
}

#endif
