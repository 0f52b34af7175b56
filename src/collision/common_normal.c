/* common_normal.c: an ellipsoid with a box, a capsule or another ellipsoid, to rounding.
 *
 * Problem   The signed gap is the largest separation over all directions,
 *               gap = max over |n| = 1 of  s(n) = n.d - h_P(n) - h_E(n),     d from P to E, h the support functions (all shapes
 *           here are symmetric). For shapes that are apart s is concave where it is positive, so any maximum is the only one; where they
 *           overlap there may be several. The gradient d - p - e is what the two supporting points are out of line: at the maximum
 *           it is s n, the normal is common.
 *               ellipsoid   h = |w|, w = D R'n;  gradient R D w/|w|;  Hessian on the tangent plane: Z'Z/|w| with Z = (1 - ww'/w'w) D R'T
 *               box         h = sum k_i |n_i|, its axes as frame; a capsule is a box with k = (0, 0, half length) and a radius
 * Method    Newton on the unit sphere: with T a basis of the tangent plane, step (T'(H_P + H_E)T + n.grad) t = T'grad, then normalise;
 *           halved until s grows. The box's |n_i| are kinks. A component that would change its sign stops at 0 and stays there (the
 *           contact is then with an edge or a face, and n moves on a circle or not at all), until the point of contact leaves the edge
 *           or face, |grad_i| > k_i. Quadratic: 4 to 6 steps.
 * Start     As if both were ellipsoids with parallel axes, in closed form. Apart, that is all. Where they overlap a little, the shapes with
 *           their ellipsoids shrunk are apart and have one common normal: it and the axes of both are searched from as well, if they
 *           promise more. Where they overlap by more, or one is a leaf or a needle, so is the answer of EPA. The best wins.
 * Source    That the distance is the largest separation is the duality theorem of convex sets; the rest is ours. */
#include "collision/support.h"
#include "math/dense.h"

enum { NEWTON_STEPS = 40, HALVINGS = 30 };

/// The pair in the frame of P.
typedef struct normal_problem {
    double d[3];         /* from P to E                                                    */
    double kink[3];      /* k_i of P; 0 for an ellipsoid                                   */
    double radius;       /* around P                                                       */
    int p_smooth;        /* P is an ellipsoid, with semi-axes p                            */
    const double *p, *e; /* semi-axes                                                      */
    double C[9];         /* axes of E as columns                                           */
} normal_problem;

/// s and its derivatives at n. `at_kink` (bits): components that are held at 0; their k_i are left out.
typedef struct normal_value {
    double s;
    double grad[3];
    double on_p[3], on_e[3]; /* supporting points: of P along n (smooth part and kinks not held), of E along n */
    double w_p[3], w_e[3];   /* unit w of either, in its own frame */
    double h_p, h_e;
} normal_value;

static void ellipsoid_part(const double a[3], const double q[3], double w[3], double *h, double point[3])
{
    for (int i = 0; i < 3; ++i) w[i] = a[i] * q[i];
    *h = vec_unit(w, w);
    if (!(*h > 0.0)) w[0] = w[1] = w[2] = 0.0;
    for (int i = 0; i < 3; ++i) point[i] = a[i] * w[i];
}

static void evaluate(const normal_problem *g, const double n[3], normal_value *v)
{
    double q[3], point[3];
    mat_apply_transpose(g->C, n, q);
    ellipsoid_part(g->e, q, v->w_e, &v->h_e, point);
    mat_apply(g->C, point, v->on_e);
    v->s = vec_dot(n, g->d) - v->h_e - g->radius;
    if (g->p_smooth) {
        ellipsoid_part(g->p, n, v->w_p, &v->h_p, v->on_p);
        v->s -= v->h_p;
    } else {
        v->h_p = 0.0;
        for (int i = 0; i < 3; ++i) {
            v->on_p[i] = n[i] > 0.0 ? g->kink[i] : n[i] < 0.0 ? -g->kink[i] : 0.0;
            v->s -= g->kink[i] * fabs(n[i]);
        }
    }
    for (int i = 0; i < 3; ++i) v->grad[i] = g->d[i] - v->on_e[i] - v->on_p[i];
}

/// Adds Z'Z/h of one ellipsoid for tangents q (in its frame).
static void add_curvature(const double a[3], const double w[3], double h, int count, const double q[2][3], double K[3])
{
    double z[2][3];
    if (!(h > 0.0)) return;
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) z[k][i] = a[i] * q[k][i];
        vec_add_scaled(z[k], -vec_dot(z[k], w), w, z[k]);
    }
    K[0] += vec_dot(z[0], z[0]) / h;
    if (count < 2) return;
    K[1] += vec_dot(z[0], z[1]) / h, K[2] += vec_dot(z[1], z[1]) / h;
}

/// Tangents at n in the space of the components that are not held at 0. Returns how many: 2, 1, 0.
static int tangents(const double n[3], unsigned held, double T[2][3])
{
    int free_axes[3], count = 0;
    for (int i = 0; i < 3; ++i)
        if (!(held >> i & 1)) free_axes[count++] = i;
    if (count == 3) {
        vec_tangent(n, T[0]);
        vec_cross(n, T[0], T[1]);
        return 2;
    }
    T[0][0] = T[0][1] = T[0][2] = 0.0;
    if (count < 2) return 0;
    T[0][free_axes[0]] = -n[free_axes[1]], T[0][free_axes[1]] = n[free_axes[0]];
    return 1;
}

/// Newton's step in the tangent space, as a vector; uphill also where the model has no maximum, and not beyond half a radian.
static void newton_step(const normal_problem *g, const normal_value *v, const double n[3], unsigned held,
                        double step[3])
{
    double T[2][3] = {{0}}, q[2][3] = {{0}}, K[3] = {0.0, 0.0, 0.0}, b[2] = {0.0, 0.0}, t[2] = {0.0, 0.0};
    int count = tangents(n, held, T);
    step[0] = step[1] = step[2] = 0.0;
    if (!count || !(vec_dot(v->grad, v->grad) > 0.0)) return;
    for (int k = 0; k < count; ++k) {
        mat_apply_transpose(g->C, T[k], q[k]);
        b[k] = vec_dot(T[k], v->grad);
    }
    add_curvature(g->e, v->w_e, v->h_e, count, (const double(*)[3])q, K);
    if (g->p_smooth) add_curvature(g->p, v->w_p, v->h_p, count, (const double(*)[3])T, K);
    /* The matrix is K + n.grad (n.grad is s but for the radius). Along each of its axes by itself: flat shapes have curvatures that
     * differ by 1e12, and s may curve up along the flatter one. */
    double trace = K[0] + K[2], half = 0.5 * (K[0] - K[2]), r = sqrt(half * half + K[1] * K[1]);
    double radial = vec_dot(v->grad, n), floor = 1e-15 * (trace + fabs(radial)), axis[2] = {1.0, 0.0};
    if (count == 2 && r > 0.0) {
        double x = half >= 0.0 ? half + r : K[1], y = half >= 0.0 ? K[1] : r - half, length = sqrt(x * x + y * y);
        if (length > 0.0) axis[0] = x / length, axis[1] = y / length;
    }
    double steep = count == 2 ? 0.5 * trace + r : trace, flat = 0.5 * trace - r;
    double along = axis[0] * b[0] + axis[1] * b[1], beside = axis[0] * b[1] - axis[1] * b[0];
    along = clamp(along / max2(fabs(steep + radial), floor), -0.5, 0.5);
    beside = count == 2 ? clamp(beside / max2(fabs(flat + radial), floor), -0.5, 0.5) : 0.0;
    t[0] = along * axis[0] - beside * axis[1], t[1] = along * axis[1] + beside * axis[0];
    for (int i = 0; i < 3; ++i) step[i] = t[0] * T[0][i] + t[1] * T[1][i];
}

/// A held component whose contact has left the edge or face: the one that did so farthest. -1: none.
static int leaving(const normal_problem *g, const normal_value *v, unsigned held)
{
    int worst = -1;
    double most = 0.0;
    for (int i = 0; i < 3; ++i) {
        if (!(held >> i & 1)) continue;
        double over = fabs(v->grad[i]) - g->kink[i];
        if (over > 1e-13 * (g->kink[i] + fabs(g->d[i])) && over > most) most = over, worst = i;
    }
    return worst;
}

/// n + fraction * step on the sphere, as far as the first component that reaches 0, which is then held (its bit is returned).
static unsigned move(const normal_problem *g, const double n[3], const double step[3], double fraction, unsigned held,
                     double out[3])
{
    int stop = -1;
    for (int i = 0; i < 3; ++i) {
        if (!(g->kink[i] > 0.0) || (held >> i & 1) || n[i] == 0.0) continue;
        if ((n[i] + fraction * step[i]) * n[i] > 0.0) continue;
        fraction = -n[i] / step[i], stop = i;
    }
    vec_add_scaled(n, fraction, step, out);
    if (stop >= 0) out[stop] = 0.0;
    for (int i = 0; i < 3; ++i)
        if (held >> i & 1) out[i] = 0.0;
    vec_unit(out, out);
    return stop >= 0 ? 1u << stop : 0u;
}

/// Newton's step, with a component let go where its contact has left the edge or face, if the step then takes it to the side that the
/// gradient asks for. Returns whether one was let go.
static int release_step(const normal_problem *g, normal_value *v, const double n[3], unsigned *held, double step[3])
{
    int i = leaving(g, v, *held);
    if (i >= 0) {
        double pull = v->grad[i] > 0.0 ? g->kink[i] : -g->kink[i], before = v->grad[i];
        v->grad[i] -= pull;
        newton_step(g, v, n, *held & ~(1u << i), step);
        if (step[i] * pull > 0.0) {
            *held &= ~(1u << i);
            return 1;
        }
        v->grad[i] = before;
    }
    newton_step(g, v, n, *held, step);
    return 0;
}

/// Climbs from n to a maximum of s. Returns whether it got there.
static int climb(const normal_problem *g, double n[3], normal_value *v)
{
    unsigned held = 0;
    for (int i = 0; i < 3; ++i)
        if (g->kink[i] > 0.0 && fabs(n[i]) < 1e-8) n[i] = 0.0, held |= 1u << i;
    vec_unit(n, n);
    evaluate(g, n, v);
    for (int round = 0; round < NEWTON_STEPS; ++round) {
        double step[3], next[3];
        unsigned stopped = 0;
        normal_value w;
        int release = release_step(g, v, n, &held, step), better = 0;
        double length = vec_norm(step), fraction = 1.0;
        if (!(length > 0.0)) return 1;
        for (int k = 0; k < HALVINGS && !better; ++k, fraction *= 0.5) {
            stopped = move(g, n, step, fraction, held, next);
            evaluate(g, next, &w);
            better = length * fraction < 1e-6 ||
                     w.s >= v->s; /* so near, s is flat to rounding and only the gradient counts */
        }
        if (!better) return 0;
        memcpy(n, next, sizeof next);
        *v = w, held |= stopped;
        if (!stopped && !release && length < 1e-9) return 1; /* quadratic: the next step would be 1e-18 */
    }
    return 0;
}

/// Climbs from m, and keeps where that ends if it is better than what there is.
static void rival(const normal_problem *g, double m[3], double n[3], normal_value *v)
{
    normal_value w;
    climb(g, m, &w);
    if (!(w.s > v->s)) return;
    memcpy(n, m, 3 * sizeof *n);
    *v = w;
}

/// The same from an axis u, in the direction in which E lies, unless it is twice as deep as what there is.
static void rival_axis(const normal_problem *g, const double u[3], double n[3], normal_value *v)
{
    double sign = vec_dot(u, g->d) < 0.0 ? -1.0 : 1.0, m[3] = {sign * u[0], sign * u[1], sign * u[2]};
    normal_value w;
    evaluate(g, m, &w);
    if (w.s > 2.0 * v->s) rival(g, m, n, v);
}

/// The direction in which d is farthest out of the sum of the two as ellipsoids (the box as the one with its half lengths):
/// (P^2 + E^2)^-1 d. Exact for spheres, and for concentric and parallel axes a good guess.
static void guess(const normal_problem *g, double n[3])
{
    double M[9], x[3] = {g->d[0], g->d[1], g->d[2]}, squares[3];
    for (int i = 0; i < 3; ++i) squares[i] = g->e[i] * g->e[i];
    mat_turned_diagonal(g->C, squares, M);
    for (int i = 0; i < 3; ++i) {
        double own = g->p_smooth ? g->p[i] : g->kink[i];
        M[4 * i] += own * own + g->radius * g->radius;
    }
    n[0] = n[1] = 0.0, n[2] = 1.0;
    if (gauss_solve(3, M, x)) vec_unit(x, n);
}

/// Climbs from n with the ellipsoids shrunk. Returns whether the shapes are then apart: if so, n is their only common normal.
static int climb_shrunk(const normal_problem *g, double scale, double n[3])
{
    double e[3], p[3];
    normal_problem small = *g;
    normal_value v;
    for (int i = 0; i < 3; ++i) e[i] = scale * g->e[i], p[i] = scale * g->p[i];
    small.e = e, small.p = p;
    return climb(&small, n, &v) && v.s > 0.0;
}

/// Shrinks the ellipsoids until the shapes are apart, then lets them grow again as far as they stay so: to the only common normal of
/// the last shapes that are. Returns 0 if they overlap even at 0.9 of the size.
static int shrunken_normal(const normal_problem *g, double n[3])
{
    static const double SCALE[] = {0.9999, 0.999, 0.99, 0.9};
    enum { SCALES = sizeof SCALE / sizeof *SCALE };
    int k = 0;
    while (k < SCALES && !climb_shrunk(g, SCALE[k], n)) ++k;
    if (k == SCALES) return 0;
    while (--k >= 0) {
        double next[3] = {n[0], n[1], n[2]};
        if (!climb_shrunk(g, SCALE[k], next)) break;
        memcpy(n, next, sizeof next);
    }
    return 1;
}

/// Whether one of the shapes is a leaf or a needle, whose common normals lie so close that a search may end at the wrong one.
static int is_flat(const normal_problem *g)
{
    double thin = SCREE_INFINITY, wide = 0.0;
    for (int i = 0; i < 3; ++i) {
        double own = g->p_smooth ? g->p[i] : g->kink[i] + g->radius;
        thin = min2(thin, min2(own, g->e[i])), wide = max2(wide, max2(own, g->e[i]));
    }
    return thin < 0.02 * wide;
}

/// The common normal of P and E, in the frame of P. 0: they are farther apart than reach.
static int common_normal(const posed_shape *p, const posed_shape *e, double reach, const normal_problem *g, double n[3],
                         normal_value *v)
{
    guess(g, n);
    evaluate(g, n, v);
    if (v->s > reach) return 0; /* s is a lower bound of the distance, whatever n */
    int converged = climb(g, n, v);
    if (v->s > reach) return 0;
    if (v->s >= 0.0 && converged) return 1;

    double other[3] = {n[0], n[1], n[2]};
    int shallow = shrunken_normal(g, other), flat = is_flat(g);
    if (shallow) rival(g, other, n, v);
    if (!shallow || flat) {
        convex_pair c = convex_pair_make(p, e);
        convex_contact contact;
        if (!gjk_distance(&c, 1e-6, &contact)) epa_depth(&c, flat ? 1e-4 : 1e-2, &contact);
        mat_apply_transpose(p->R, contact.n, other);
        rival(g, other, n, v);
    }
    for (int i = 0; i < 3; ++i) {
        double of_p[3] = {i == 0, i == 1, i == 2}, of_e[3] = {g->C[i], g->C[3 + i], g->C[6 + i]};
        rival_axis(g, of_p, n, v);
        rival_axis(g, of_e, n, v);
    }
    return v->s <= reach;
}

/// P (box, capsule or ellipsoid) against the ellipsoid E; the manifold is from P to E.
static void collide_with_ellipsoid(const posed_shape *p, const posed_shape *e, double reach, manifold *m)
{
    normal_problem g = {.p = p->size, .e = e->size, .p_smooth = p->kind == SCREE_SHAPE_ELLIPSOID};
    normal_value v;
    double d[3], n[3] = {0.0, 0.0, 1.0}, pa[3], pb[3], local[3];
    vec_sub(e->x, p->x, d);
    mat_apply_transpose(p->R, d, g.d);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            g.C[3 * i + j] = p->R[i] * e->R[j] + p->R[3 + i] * e->R[3 + j] + p->R[6 + i] * e->R[6 + j];
    if (p->kind == SCREE_SHAPE_BOX) memcpy(g.kink, p->size, sizeof g.kink);
    if (p->kind == SCREE_SHAPE_CAPSULE) g.kink[2] = p->size[1], g.radius = p->size[0];
    if (!common_normal(p, e, reach, &g, n, &v)) return;

    mat_apply(p->R, n, m->normal);
    vec_sub(g.d, v.on_e, local);
    mat_apply(p->R, local, pb);
    if (g.p_smooth) mat_apply(p->R, v.on_p, pa);
    else vec_add_scaled(pb, -v.s, m->normal, pa); /* where on an edge or face, E knows */
    manifold_add(m, reach, p->x, pa, pb, v.s, 0);
}

void collide_box_ellipsoid(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    collide_with_ellipsoid(a, b, reach, m);
}

void collide_ellipsoid_ellipsoid(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    collide_with_ellipsoid(a, b, reach, m);
}

void collide_ellipsoid_capsule(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    collide_with_ellipsoid(b, a, reach, m);
    for (int i = 0; i < 3; ++i) m->normal[i] = -m->normal[i];
}
