/* bed_twin.h: beds for tests, and the slow twin of the engine: all pairs in two plain loops, memories in a table, each contact by the
 * functions of src/laws one after the other, quaternion-free as they are. Written from bed.h, not from the engine. */
#ifndef SCREE_TESTS_BED_TWIN_H
#define SCREE_TESTS_BED_TWIN_H

#include "dem/spheres/bed.h"
#include "dem_reference.h"
#include "math/rng.h"

#include <stdlib.h>
#include <string.h>

enum { TWIN_MAX = 64, TWIN_PLANES = 2, GRAINS_MAX = 62000 };

/// A definition with the arrays it points to.
typedef struct grains {
    bed_def def;
    double x[3 * GRAINS_MAX], v[3 * GRAINS_MAX], omega[3 * GRAINS_MAX], q[4 * GRAINS_MAX];
    double radius[GRAINS_MAX], inverse_mass[GRAINS_MAX], inverse_inertia[GRAINS_MAX];
    int material[GRAINS_MAX];
    bed_pair pair[4];
    bed_plane plane[TWIN_PLANES];
} grains;

static inline bed_motion grains_motion(grains *g)
{
    return (bed_motion){g->x, g->v, g->omega, g->q};
}

static inline bed_pair pair_make(dem_normal_kind kind, double scale)
{
    bed_pair p = {.normal = {kind, kind == DEM_HOOKE ? 2e4 * scale : 4e5 * scale, 0.2, 0}};
    p.slide = (bed_sds){5.7e3, 30.0, 0.5 * scale, 0.1}, p.roll = (bed_sds){5.7e3, 30.0, 0.06, 0.0},
    p.twist = (bed_sds){1e3, 5.0, 0.02, 0.05};
    p.friction = dem_friction_default(5.7e3, 0.5 * scale, 0.4 * scale);
    p.friction.eta_r = 0.1, p.friction.eta_psi = 0.12, p.friction.damping_share = 0.3;
    if (kind == DEM_HOOKE) p.normal_damping = 10.0;
    return p;
}

/// A cube of `count` grains, some of them pressed together, that fly towards its middle; two materials, a floor and a turning wall that slides, one grain driven.
static inline grains *grains_make(int count, bed_law law, dem_normal_kind kind, double spread, double gap)
{
    grains *g = calloc(1, sizeof *g);
    rng random = rng_make(7, 0);
    int side = 1;
    while (side * side * side < count) side += 1;
    double pitch = 1.0 + gap;
    for (int i = 0; i < count; ++i) {
        int at[3] = {i % side, i / side % side, i / (side * side)};
        double R = 0.5 * (1.0 + spread * (2.0 * rng_uniform(&random) - 1.0)), m = 8.0 * R * R * R;
        for (int k = 0; k < 3; ++k) {
            g->x[3 * i + k] = (0.5 + at[k]) * pitch + 0.005 * (2.0 * rng_uniform(&random) - 1.0);
            g->v[3 * i + k] = 2.0 * rng_uniform(&random) - 1.0 - 4.0 * ((at[k] + 0.5) / side - 0.5);
            g->omega[3 * i + k] = 4.0 * rng_uniform(&random) - 2.0;
        }
        g->q[4 * i] = 1.0;
        g->radius[i] = R, g->inverse_mass[i] = 1.0 / m, g->inverse_inertia[i] = 2.5 / (m * R * R);
        g->material[i] = spread > 0.0 ? i % 2 : 0;
    }
    for (int k = 0; k < 4; ++k) g->pair[k] = pair_make(kind, k == 3 ? 1.5 : k == 0 ? 1.0 : 1.2);
    g->plane[0] = (bed_plane){{0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0};
    g->plane[1] = (bed_plane){{0.6, 0, 0.8}, {0, 0, 0.1}, {0.1, 0.3, 0.05}, {0.05, 0.02, 0.1}, spread > 0.0};
    if (spread > 0.0) g->inverse_mass[1] = g->inverse_inertia[1] = 0.0;
    g->def = (bed_def){.count = count, .radius = g->radius, .inverse_mass = g->inverse_mass, .material = g->material};
    g->def.inverse_inertia = g->inverse_inertia, g->def.materials = spread > 0.0 ? 2 : 1, g->def.pair = g->pair;
    g->def.law = law, g->def.planes = TWIN_PLANES, g->def.plane = g->plane, g->def.gravity[2] = -9.8;
    g->def.periodic[1] = 1, g->def.high[1] = side * pitch, g->def.step = 2e-4, g->def.orientations = 1;
    g->def.chunk = 1024; /* so that beds of a few thousand have several */
    return g;
}

/* ---- the twin ---------------------------------------------------------------------------------------------------------------- */

typedef struct twin_contact {
    int live;
    dem_frame frame;
    dem_history history;
    double slide[3], roll[3], twist;
    double from[3]; /* planes: from their point to the centre of i, at the last loads */
} twin_contact;

typedef struct twin {
    grains *g;
    twin_contact contact[TWIN_MAX][TWIN_MAX + TWIN_PLANES]; /* [i][j], planes behind the spheres */
    double n_before[TWIN_PLANES][3];
    double force[TWIN_MAX][3], torque[TWIN_MAX][3], plane_force[TWIN_PLANES][3];
} twin;

/// The twin of these grains, with grains of its own; twin_free() it.
static inline twin *twin_make(const grains *g)
{
    twin *t = calloc(1, sizeof *t);
    t->g = malloc(sizeof *t->g), *t->g = *g;
    t->g->def.radius = t->g->radius, t->g->def.inverse_mass = t->g->inverse_mass, t->g->def.plane = t->g->plane;
    return t;
}

static inline void twin_free(twin *t)
{
    free(t->g), free(t);
}

/// What a contact sees: the relative motion of i against j's material at the contact, without i's spin.
typedef struct twin_view {
    double n[3], v[3], omega_j[3], delta, R_i, R_j, mass, inertia; /* reduced */
    double to[3];                                                  /* planes: from their point to the centre of i */
    const bed_pair *pair;
    int plane;
} twin_view;

static inline double twin_normal(const twin_view *c)
{
    dem_normal law = c->pair->normal;
    double R = c->plane ? c->R_i : c->R_i * c->R_j / (c->R_i + c->R_j), rate = -vec_dot(c->v, c->n);
    if (law.kind == DEM_HERTZ) law.stiffness = dem_hertz_stiffness(law.stiffness, R);
    law.pulls = 1;
    double N = dem_normal_force(&law, c->mass, c->delta, rate) + c->pair->normal_damping * rate;
    return c->pair->normal.pulls ? N : max2(0.0, N);
}

static inline void twin_sds(const twin_view *c, const double *omega_i, double h, twin_contact *m, double *F, double *Ti,
                            double *Tj)
{
    double N = twin_normal(c), load = fabs(N), v[3], spin[3], w[3], t[3], f[3], arm[3];
    double R = c->plane ? c->R_i : c->R_i * c->R_j / (c->R_i + c->R_j);
    const bed_sds *s[3] = {&c->pair->slide, &c->pair->roll, &c->pair->twist};
    dem_sds law[3];
    for (int k = 0; k < 3; ++k) {
        double inertia = k < 2 ? c->mass : c->inertia, more = 2.0 * s[k]->ratio * sqrt(inertia * s[k]->stiffness);
        law[k] = (dem_sds){s[k]->stiffness, s[k]->damping + more, s[k]->mu * load};
    }
    for (int k = 0; k < 3; ++k)
        spin[k] = c->R_i * omega_i[k] + c->R_j * c->omega_j[k], w[k] = omega_i[k] - c->omega_j[k];
    vec_cross(c->n, spin, t);
    vec_add_scaled(c->v, -vec_dot(c->v, c->n), c->n, v);
    for (int k = 0; k < 3; ++k) v[k] += t[k];
    reference_sds_vector(&law[0], c->n, v, h, m->slide, f);
    vec_add_scaled(f, N, c->n, F);
    double a_i = c->plane ? c->R_i : c->R_i - 0.5 * c->delta, a_j = c->plane ? 0.0 : c->R_j - 0.5 * c->delta;
    vec_cross(c->n, f, arm);
    for (int k = 0; k < 3; ++k) Ti[k] = -a_i * arm[k], Tj[k] = -a_j * arm[k];
    dem_sds_rolling_velocity(R, w, c->n, v);
    reference_sds_vector(&law[1], c->n, v, h, m->roll, f);
    dem_sds_rolling_torque(R, c->n, f, t);
    double M = reference_sds_twist(&law[2], vec_dot(w, c->n), h, &m->twist);
    for (int k = 0; k < 3; ++k) Ti[k] += t[k] + M * c->n[k], Tj[k] -= t[k] + M * c->n[k];
}

/// The Rodrigues vector of a turn by h omega.
static inline void twin_turn(const double *omega, double h, double b[3])
{
    double w = vec_norm(omega), t = w > 0.0 ? tan(0.5 * h * w) / w : 0.0;
    for (int k = 0; k < 3; ++k) b[k] = t * omega[k];
}

static inline void twin_tracked(const twin *t, const twin_view *c, int i, int j, double h, twin_contact *m, double *F,
                                double *Ti, double *Tj)
{
    const grains *g = t->g;
    double N = twin_normal(c), kappa_j = c->plane ? 0.0 : 1.0 / c->R_j, R = 1.0 / (1.0 / c->R_i + kappa_j);
    double im_j = c->plane ? 0.0 : g->inverse_mass[j], iI_j = c->plane ? 0.0 : g->inverse_inertia[j];
    dem_partners at = {1.0 / c->R_i,
                       kappa_j,
                       1.0 / c->R_i + kappa_j,
                       dem_dashpot_inertia(g->inverse_mass[i], im_j, c->pair->friction.published),
                       dem_dashpot_inertia(g->inverse_inertia[i], iI_j, c->pair->friction.published),
                       dem_contact_radius(R, c->delta),
                       {0.0},
                       {0.0}};
    dem_spring spring[DEM_SPRINGS];
    dem_track track;
    dem_loads loads = {{0}, {0}, {0}, 0};
    dem_losses lost[DEM_SPRINGS];
    dem_friction_springs(&c->pair->friction, &at, max2(0.0, N), spring);
    if (m->live && h > 0.0) {
        double b_i[3], b_j[3], over[3], turned[3], turn[4], carried[3];
        twin_turn(&g->omega[3 * i], h, b_i), twin_turn(c->omega_j, h, b_j);
        /* the foot of i on a plane, now and as the plane has carried the last one */
        for (int k = 0; k < 3; ++k) turned[k] = h * c->omega_j[k];
        quat_exp(turned, turn);
        quat_rotate(turn, m->from, carried);
        vec_sub(c->to, carried, over);
        vec_add_scaled(over, -vec_dot(over, c->n), c->n, over);
        reference_frame_advance_spheres(&m->frame, c->n, b_i, b_j, c->R_i, c->R_j, c->plane ? over : NULL, &m->frame,
                                        &track);
        reference_friction_step(spring, &at, &track, h, &m->history, &loads, lost);
    } else dem_frame_start(c->n, &m->frame);
    memcpy(m->from, c->to, sizeof m->from);
    double arm_i[3], arm_j[3], a_i = c->R_i - 0.5 * c->delta, a_j = c->plane ? 0.0 : c->R_j - 0.5 * c->delta;
    for (int k = 0; k < 3; ++k) arm_i[k] = -a_i * c->n[k], arm_j[k] = a_j * c->n[k];
    dem_loads_world(&m->frame, N, &loads, arm_i, arm_j, F, Ti, Tj);
}

static inline void twin_touch(twin *t, twin_view *c, int i, int j, double h)
{
    grains *g = t->g;
    twin_contact *m = &t->contact[i][c->plane ? TWIN_MAX + j : j];
    double F[3], Ti[3], Tj[3];
    if (!(c->delta > 0.0)) {
        memset(m, 0, sizeof *m);
        return;
    }
    c->mass = dem_effective_mass(g->inverse_mass[i], c->plane ? 0.0 : g->inverse_mass[j]);
    c->inertia = dem_effective_mass(g->inverse_inertia[i], c->plane ? 0.0 : g->inverse_inertia[j]);
    if (g->def.law == BED_SDS) twin_sds(c, &g->omega[3 * i], h, m, F, Ti, Tj);
    else twin_tracked(t, c, i, j, h, m, F, Ti, Tj);
    m->live = 1;
    for (int k = 0; k < 3; ++k) {
        t->force[i][k] += F[k], t->torque[i][k] += Ti[k];
        if (c->plane) t->plane_force[j][k] -= F[k];
        else t->force[j][k] -= F[k], t->torque[j][k] += Tj[k];
    }
}

static inline void twin_loads(twin *t, double h)
{
    grains *g = t->g;
    const bed_def *d = &g->def;
    memset(t->force, 0, sizeof t->force), memset(t->torque, 0, sizeof t->torque);
    memset(t->plane_force, 0, sizeof t->plane_force);
    for (int i = 0; i < d->count; ++i) {
        for (int p = 0; p < d->planes && g->inverse_mass[i] > 0.0; ++p) {
            const bed_plane *w = &g->plane[p];
            twin_view c = {.R_i = g->radius[i], .plane = 1};
            int a = g->material[i] > w->material ? g->material[i] : w->material;
            c.pair = &g->pair[a * d->materials + g->material[i] + w->material - a];
            double to[3], turn[3];
            vec_sub(&g->x[3 * i], w->point, to);
            memcpy(c.n, w->normal, sizeof c.n), memcpy(c.omega_j, w->omega, sizeof c.omega_j);
            double distance = vec_dot(c.n, to);
            c.delta = c.R_i - distance;
            memcpy(c.to, to, sizeof c.to);
            vec_add_scaled(to, -distance, c.n, to);
            vec_cross(w->omega, to, turn);
            for (int k = 0; k < 3; ++k) c.v[k] = g->v[3 * i + k] - w->v[k] - turn[k];
            twin_touch(t, &c, i, p, h);
        }
        for (int j = 0; j < i; ++j) {
            twin_view c = {.R_i = g->radius[i], .R_j = g->radius[j]};
            if (!(g->inverse_mass[i] + g->inverse_mass[j] > 0.0)) continue;
            int a = g->material[i] > g->material[j] ? g->material[i] : g->material[j];
            c.pair = &g->pair[a * d->materials + g->material[i] + g->material[j] - a];
            double L = d->high[1] - d->low[1];
            for (int k = 0; k < 3; ++k) {
                c.n[k] = g->x[3 * i + k] - g->x[3 * j + k], c.v[k] = g->v[3 * i + k] - g->v[3 * j + k];
                if (d->periodic[k]) c.n[k] -= L * round(c.n[k] / L);
                c.omega_j[k] = g->omega[3 * j + k];
            }
            double r = vec_norm(c.n);
            for (int k = 0; k < 3; ++k) c.n[k] /= r;
            c.delta = c.R_i + c.R_j - r;
            twin_touch(t, &c, i, j, h);
        }
    }
}

static inline void twin_step(twin *t)
{
    grains *g = t->g;
    const double h = g->def.step;
    twin_loads(t, h);
    for (int i = 0; i < g->def.count; ++i)
        for (int k = 0; k < 3; ++k) {
            double fall = g->inverse_mass[i] > 0.0 ? g->def.gravity[k] : 0.0;
            g->v[3 * i + k] += h * (t->force[i][k] * g->inverse_mass[i] + fall);
            g->omega[3 * i + k] += h * t->torque[i][k] * g->inverse_inertia[i];
            g->x[3 * i + k] += h * g->v[3 * i + k];
        }
    for (int p = 0; p < g->def.planes; ++p) {
        bed_plane *w = &g->plane[p];
        double turn[3], q[4], n[3];
        for (int k = 0; k < 3; ++k) turn[k] = h * w->omega[k], w->point[k] += h * w->v[k];
        quat_exp(turn, q);
        quat_rotate(q, w->normal, n);
        double s = vec_norm(n);
        for (int k = 0; k < 3; ++k) w->normal[k] = n[k] / s;
    }
}

#endif
