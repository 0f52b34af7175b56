/* random_contacts.h: contacts for tests and benchmarks, made from bodies, so that W is what a simulation would give.
 *
 *     W = J_A M_A^-1 J_A' + J_B M_B^-1 J_B',  u = v + omega x r,  components (u_N, u_T1, u_T2, w_R1, w_R2, w_S) */
#ifndef SCREE_TESTS_RANDOM_CONTACTS_H
#define SCREE_TESTS_RANDOM_CONTACTS_H

#include <math.h>
#include <scree/laws.h>
#include <stdint.h>
#include <string.h>

typedef struct rng {
    uint64_t state;
} rng;

/// splitmix64: good enough for tests, same numbers everywhere.
static inline uint64_t rng_next(rng *g)
{
    uint64_t z = (g->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline double rng_uniform(rng *g, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(rng_next(g) >> 11) * 0x1p-53);
}

static inline double rng_normal(rng *g)
{
    double u = rng_uniform(g, 0x1p-60, 1.0), v = rng_uniform(g, 0.0, 1.0);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

static inline double rng_log(rng *g, double lo, double hi) /* log-uniform */
{
    return exp(rng_uniform(g, log(lo), log(hi)));
}

static inline int rng_below(rng *g, int n)
{
    return (int)(rng_next(g) % (uint64_t)n);
}

static inline void random_rotation(rng *g, double Q[9])
{
    double q[4], s = 0.0;
    for (int i = 0; i < 4; ++i) q[i] = rng_normal(g), s += q[i] * q[i];
    s = 1.0 / sqrt(s);
    double a = q[0] * s, b = q[1] * s, c = q[2] * s, d = q[3] * s;
    const double R[9] = {1 - 2 * (c * c + d * d), 2 * (b * c - a * d),     2 * (b * d + a * c),
                         2 * (b * c + a * d),     1 - 2 * (b * b + d * d), 2 * (c * d - a * b),
                         2 * (b * d - a * c),     2 * (c * d + a * b),     1 - 2 * (b * b + c * c)};
    memcpy(Q, R, sizeof R);
}

/// Adds one body to W (6 x 6): mass, inverse inertia (3 x 3, contact frame n, t1, t2), lever arm r from its centre.
static inline void add_body(double inv_mass, const double inv_inertia[9], const double r[3], double W[36])
{
    /* J (6 x 6): rows u_n, u_t1, u_t2, w_t1, w_t2, w_n; columns v, omega in (n, t1, t2) */
    const double cross[9] = {0, r[2], -r[1], -r[2], 0, r[0], r[1], -r[0], 0}; /* omega x r = cross omega */
    static const int row_of_spin[3] = {5, 3, 4};
    double J[36] = {0}, JM[36];
    for (int i = 0; i < 3; ++i) {
        J[i * 6 + i] = 1.0;
        for (int j = 0; j < 3; ++j) J[i * 6 + 3 + j] = cross[i * 3 + j];
        J[row_of_spin[i] * 6 + 3 + i] = 1.0;
    }
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 3; ++j) {
            JM[i * 6 + j] = J[i * 6 + j] * inv_mass;
            JM[i * 6 + 3 + j] = 0.0;
            for (int k = 0; k < 3; ++k) JM[i * 6 + 3 + j] += J[i * 6 + 3 + k] * inv_inertia[k * 3 + j];
        }
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
            for (int k = 0; k < 6; ++k) W[i * 6 + j] += JM[i * 6 + k] * J[j * 6 + k];
}

static inline void symmetrise(int n, double *W)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) W[i * n + j] = W[j * n + i] = 0.5 * (W[i * n + j] + W[j * n + i]);
}

/// A rigid body of size about `size` and random shape: principal moments that satisfy the triangle inequality.
static inline void add_random_body(rng *g, double mass, double size, double W[36])
{
    double d[3], Q[9], inv_inertia[9] = {0}, r[3];
    for (int i = 0; i < 3; ++i) d[i] = size * size * rng_uniform(g, 0.05, 1.0), r[i] = size * rng_normal(g);
    const double I[3] = {mass * (d[1] + d[2]) / 3, mass * (d[0] + d[2]) / 3, mass * (d[0] + d[1]) / 3};
    random_rotation(g, Q);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) inv_inertia[i * 3 + j] += Q[i * 3 + k] * Q[j * 3 + k] / I[k];
    add_body(1.0 / mass, inv_inertia, r, W);
}

/// Sphere of radius R: lever arm along the normal, towards the contact (`side` -1: the contact is on its far side).
static inline void add_sphere(double mass, double R, double side, double W[36])
{
    double i = 1.0 / (0.4 * mass * R * R), r[3] = {side * R, 0, 0};
    const double inv_inertia[9] = {i, 0, 0, 0, i, 0, 0, 0, i};
    add_body(1.0 / mass, inv_inertia, r, W);
}

typedef enum contact_kind { RIGID_PAIR, RIGID_ON_GROUND, SPHERE_PAIR, SPHERE_ON_PLANE, CONTACT_KINDS } contact_kind;

/// W (6 x 6) of a random contact. Masses differ by up to `mass_ratio`, sizes are log-uniform in [1e-2, 1e2] m.
/// `size` is the bodies' size, for coefficients that are lengths.
static inline void random_delassus(rng *g, contact_kind kind, double mass_ratio, double W[36], double *size)
{
    double L = rng_log(g, 1e-2, 1e2), m = rng_log(g, 1e-3, 1e3), m2 = m * rng_log(g, 1.0 / mass_ratio, mass_ratio);
    memset(W, 0, 36 * sizeof *W);
    switch (kind) {
    case RIGID_PAIR: add_random_body(g, m, L, W), add_random_body(g, m2, L * rng_log(g, 0.1, 10.0), W); break;
    case RIGID_ON_GROUND: add_random_body(g, m, L, W); break;
    case SPHERE_PAIR: add_sphere(m, L, 1.0, W), add_sphere(m2, L * rng_log(g, 0.1, 10.0), -1.0, W); break;
    default: add_sphere(m, L, -1.0, W); break;
    }
    symmetrise(6, W);
    *size = L;
}

/// Keeps the rows and columns of the 6-component W that the cone has, row-major, dim x dim.
static inline void restrict_to_cone(const scree_cone *cone, const double W6[36], double *W)
{
    int rows[6] = {0}, n = 1;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < cone->size[k]; ++i) rows[n++] = (k == 0 ? 1 : k == 1 ? 3 : 5) + i;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) W[i * n + j] = W6[rows[i] * 6 + rows[j]];
}

/// The shapes of cone that exist, by index (0..5); coefficients are left to the caller.
enum { CONE_SHAPES = 6 };
static inline scree_cone cone_shape(int index)
{
    static const int size[CONE_SHAPES][3] = {{1, 0, 0}, {1, 1, 0}, {2, 0, 0}, {2, 0, 1}, {2, 2, 0}, {2, 2, 1}};
    scree_cone c = {{size[index][0], size[index][1], size[index][2]}, {0, 0, 0}};
    return c;
}

/// A pair (p, y) that satisfies the contact's law in the given mode. Speeds are of size `speed`, the normal load makes W_NN r_N of
/// that size too.
static inline void manufacture_pair(rng *g, const scree_contact *c, scree_mode mode, double speed, double *p, double *y)
{
    const scree_cone *cone = &c->cone;
    int dim = scree_cone_dim(cone), index = mode - 1;
    memset(p, 0, 6 * sizeof *p);
    memset(y, 0, 6 * sizeof *y);
    if (mode == SCREE_MODE_TAKE_OFF) {
        for (int i = 0; i < dim; ++i) y[i] = speed * rng_normal(g) * sqrt(c->W[i * dim + i] / c->W[0]);
        y[0] = fabs(y[0]);
        if (c->law == SCREE_LAW_CONVEX) scree_de_saxce(cone, y, y);
    } else {
        const int moves[3] = {index & 1, index >> 1 & 1, (index >> 2) == 1 ? 1 : (index >> 2) == 2 ? -1 : 0};
        p[0] = speed / c->W[0] * rng_log(g, 0.01, 100.0);
        for (int k = 0, at = 1; k < 3; at += cone->size[k++]) {
            int m = cone->size[k];
            if (!m) continue;
            double angle = rng_uniform(g, 0.0, 6.283185307179586);
            double e[2] = {m == 2 ? cos(angle) : (rng_next(g) & 1 ? 1.0 : -1.0), sin(angle)};
            if (k == 2 && moves[k]) e[0] = moves[k];
            double load = cone->coef[k] * p[0] * (moves[k] ? 1.0 : rng_uniform(g, 0.0, 0.99));
            double v = moves[k] ? speed * rng_log(g, 1e-3, 10.0) * sqrt(c->W[at * dim + at] / c->W[0]) : 0.0;
            for (int i = 0; i < m; ++i) p[at + i] = load * e[i], y[at + i] = -v * e[i];
        }
        if (c->law == SCREE_LAW_CONVEX) scree_de_saxce(cone, y, y);
    }
}

/// q such that (p, W p + q) solves the contact in the given mode (Coulomb or convex law). p is written.
static inline void manufacture(rng *g, scree_contact *c, scree_mode mode, double speed, double *p)
{
    int dim = scree_cone_dim(&c->cone);
    double y[6];
    manufacture_pair(g, c, mode, speed, p, y);
    for (int i = 0; i < dim; ++i) {
        c->q[i] = y[i];
        for (int j = 0; j < dim; ++j) c->q[i] -= c->W[i * dim + j] * p[j];
    }
}

/// Can a contact with this cone be in this mode? A mechanism that is absent does not move.
static inline int mode_exists(const scree_cone *cone, scree_mode mode)
{
    int index = mode - 1;
    if (mode == SCREE_MODE_TAKE_OFF) return 1;
    return (!(index & 1) || cone->size[0]) && (!(index >> 1 & 1) || cone->size[1]) && (!(index >> 2) || cone->size[2]);
}

static inline double largest_difference(size_t n, const double *a, const double *b)
{
    double worst = 0.0;
    for (size_t i = 0; i < n; ++i) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

#endif
