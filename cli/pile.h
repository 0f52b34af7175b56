/* pile.h: contact problems of sphere piles, of any size, made from nothing: for benchmarks, tests and `scree generate`.
 *
 * Packing: spheres are dropped one by one into a box, periodic in x and y, on a floor z = 0; each comes down to rest on those
 * already there, which do not move: steps down, pushed out of every overlap, until the height no longer falls; then its three
 * supports are made to touch exactly (Newton on three distances). So every grain rests on three others or on the floor, every gap
 * is 0, and there are about three contacts per grain. O(N) by a grid of cells.
 *
 * Problem: one time step h under gravity g = 1, unit diameter d = 1, unit mass (of a sphere of diameter 1):
 *     v_free = v + h g,  q = H' v_free,  contacts at rest have gap 0.
 * Mass ratio: every 20th grain is heavier. Moving: random velocities of size h g (angular 2 h g / d). */
#ifndef SCREE_CLI_PILE_H
#define SCREE_CLI_PILE_H

#include "cli/random.h"

#include <math.h>
#include <scree/problem.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct pile_def {
    int grains;
    double width;          /* of the box in diameters; 0: about as wide as deep                   */
    double spread;         /* radii are uniform in (1 -+ spread)/2                                */
    double mass_ratio;     /* of every 20th grain                                                 */
    double moving;         /* size of the random velocities, in units of h g                      */
    double mu, rho, sigma; /* rho and sigma in units of the mean diameter                     */
    int dim;               /* 1, 3, 4, 5 or 6                                                      */
    double h;              /* time step                                                            */
    scree_law law;
    uint64_t seed;
} pile_def;

static inline pile_def pile_def_default(void)
{
    pile_def d = {
        .grains = 1000, .mass_ratio = 1.0, .mu = 0.5, .rho = 0.05, .sigma = 0.05, .dim = 6, .h = 0.01, .seed = 1};
    return d;
}

typedef struct pile_grid {
    int n;      /* cells along x and y           */
    int layers; /* cells along z                 */
    double cell, width;
    int *head, *next; /* lists of grains per cell   */
} pile_grid;

static inline double pile_normal(uint64_t *s)
{
    double u = random_uniform(s, 0.0, 1.0) + 0x1p-60, v = random_uniform(s, 0.0, 1.0);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

static inline double pile_wrap(double dx, double width)
{
    return dx - width * floor(dx / width + 0.5);
}

static inline int pile_cell(const pile_grid *g, double x, double y, double z)
{
    int i = (int)floor(x / g->cell) % g->n, j = (int)floor(y / g->cell) % g->n, k = (int)(z / g->cell);
    i = i < 0 ? i + g->n : i, j = j < 0 ? j + g->n : j;
    k = k < 0 ? 0 : k >= g->layers ? g->layers - 1 : k;
    return (k * g->n + j) * g->n + i;
}

/// Grains within reach of a point (up to `capacity`), not more than one cell away.
static inline int pile_near(const pile_grid *g, const double *x, const double c[3], double reach, int *list,
                            int capacity)
{
    int count = 0, k0 = (int)(c[2] / g->cell), i0 = (int)floor(c[0] / g->cell), j0 = (int)floor(c[1] / g->cell);
    for (int k = k0 > 0 ? k0 - 1 : 0; k <= k0 + 1 && k < g->layers; ++k)
        for (int j = j0 - 1; j <= j0 + 1; ++j)
            for (int i = i0 - 1; i <= i0 + 1; ++i) {
                int ii = (i % g->n + g->n) % g->n, jj = (j % g->n + g->n) % g->n;
                for (int b = g->head[(k * g->n + jj) * g->n + ii]; b >= 0; b = g->next[b]) {
                    double dx = pile_wrap(c[0] - x[3 * b], g->width), dy = pile_wrap(c[1] - x[3 * b + 1], g->width),
                           dz = c[2] - x[3 * b + 2];
                    if (dx * dx + dy * dy + dz * dz < reach * reach && count < capacity) list[count++] = b;
                }
            }
    return count;
}

enum { PILE_NEAR = 64 };

/// Brings grain c (radius r) down from where it is until it rests. Returns the number of supports (contacts) written.
static inline int pile_settle(const pile_grid *g, const double *x, const double *radius, double r, double largest,
                              double c[3], int supports[PILE_NEAR])
{
    int near[PILE_NEAR], count = 0;
    double step = 0.1, best = c[2];
    int since = 0;
    for (int it = 0; it < 4000 && step > 1e-7; ++it) {
        c[2] -= step;
        count = pile_near(g, x, c, r + largest + 0.2, near, PILE_NEAR);
        for (int push = 0; push < 20; ++push) { /* out of every overlap */
            double worst = 0.0;
            if (c[2] < r) c[2] = r;
            for (int k = 0; k < count; ++k) {
                int b = near[k];
                double d[3] = {pile_wrap(c[0] - x[3 * b], g->width), pile_wrap(c[1] - x[3 * b + 1], g->width),
                               c[2] - x[3 * b + 2]};
                double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), overlap = r + radius[b] - length;
                if (overlap <= 0.0) continue;
                worst = fmax(worst, overlap);
                for (int i = 0; i < 3; ++i) c[i] += d[i] / length * overlap;
            }
            if (worst < 1e-3 * step) break;
        }
        if (c[2] < best - 0.05 * step) best = c[2], since = 0;
        else if (++since > 12) step *= 0.5, since = 0;
    }
    int found = 0;
    for (int k = 0; k < count; ++k) {
        int b = near[k];
        double d[3] = {pile_wrap(c[0] - x[3 * b], g->width), pile_wrap(c[1] - x[3 * b + 1], g->width),
                       c[2] - x[3 * b + 2]};
        double gap = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - r - radius[b];
        if (gap < 1e-5) supports[found++] = b;
    }
    /* three supports (or fewer, and the floor) are made to touch exactly: Newton on the distances */
    int floor_touch = c[2] < r + 1e-5;
    for (int it = 0; it < 8 && found + floor_touch >= 3; ++it) {
        double A[9], e[3];
        int n = 0;
        if (floor_touch) A[0] = A[1] = 0.0, A[2] = 1.0, e[0] = r - c[2], n = 1;
        for (int k = 0; k < found && n < 3; ++k, ++n) {
            int b = supports[k];
            double d[3] = {pile_wrap(c[0] - x[3 * b], g->width), pile_wrap(c[1] - x[3 * b + 1], g->width),
                           c[2] - x[3 * b + 2]};
            double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            for (int i = 0; i < 3; ++i) A[3 * n + i] = d[i] / length;
            e[n] = r + radius[b] - length;
        }
        double det = A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
                     A[2] * (A[3] * A[7] - A[4] * A[6]);
        if (fabs(det) < 1e-6) break;
        c[0] += (e[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (e[1] * A[8] - A[5] * e[2]) +
                 A[2] * (e[1] * A[7] - A[4] * e[2])) /
                det;
        c[1] += (A[0] * (e[1] * A[8] - A[5] * e[2]) - e[0] * (A[3] * A[8] - A[5] * A[6]) +
                 A[2] * (A[3] * e[2] - e[1] * A[6])) /
                det;
        c[2] += (A[0] * (A[4] * e[2] - e[1] * A[7]) - A[1] * (A[3] * e[2] - e[1] * A[6]) +
                 e[0] * (A[3] * A[7] - A[4] * A[6])) /
                det;
    }
    return found;
}

/// A pile as geometry: contacts between a (lower index: earlier grain, -1: floor) and b, unit normal from a to b.
typedef struct pile {
    int grains, contacts;
    double *x, *radius, *mass; /* (3 grains), (grains) */
    int *a, *b;                /* (contacts)           */
    double *n;                 /* (3 contacts)         */
} pile;

static inline void pile_free(pile *p)
{
    free(p->x), free(p->radius), free(p->mass), free(p->a), free(p->b), free(p->n);
    memset(p, 0, sizeof *p);
}

static inline int pile_add_contact(pile *p, int *capacity, int a, int b, const double n[3])
{
    if (p->contacts == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 1024;
        int *aa = realloc(p->a, (size_t)*capacity * sizeof *aa);
        if (aa) p->a = aa;
        int *bb = realloc(p->b, (size_t)*capacity * sizeof *bb);
        if (bb) p->b = bb;
        double *nn = realloc(p->n, 3 * (size_t)*capacity * sizeof *nn);
        if (nn) p->n = nn;
        if (!aa || !bb || !nn) return 0;
    }
    p->a[p->contacts] = a, p->b[p->contacts] = b;
    memcpy(p->n + 3 * p->contacts++, n, 3 * sizeof *n);
    return 1;
}

/// Builds the packing. Returns 0 when out of memory.
static inline int pile_build(const pile_def *def, pile *p)
{
    uint64_t seed = def->seed;
    int N = def->grains, capacity = 0, ok = 0;
    double largest = 0.5 * (1.0 + def->spread), *top = NULL;
    pile_grid g = {0};
    memset(p, 0, sizeof *p);
    p->grains = N;
    p->x = calloc(3 * (size_t)N + 3, sizeof(double)), p->radius = calloc((size_t)N + 1, sizeof(double));
    p->mass = calloc((size_t)N + 1, sizeof(double));
    g.width = def->width > 0.0 ? def->width : fmax(4.0, cbrt(0.75 * N));
    g.n = (int)(g.width / (2.0 * largest + 0.2));
    if (g.n < 3) g.n = 3;
    g.cell = g.width / g.n;
    g.layers = (int)(2.5 * N / (g.width * g.width) / g.cell) + 16;
    g.head = malloc((size_t)g.n * (size_t)g.n * (size_t)g.layers * sizeof *g.head),
    g.next = malloc((size_t)(N + 1) * sizeof *g.next);
    top = calloc((size_t)g.n * (size_t)g.n, sizeof *top); /* highest point of each column: where falling starts */
    if (!p->x || !p->radius || !p->mass || !g.head || !g.next || !top) goto done;
    for (int i = 0; i < g.n * g.n * g.layers; ++i) g.head[i] = -1;

    for (int b = 0; b < N; ++b) {
        double r = 0.5 * (1.0 + def->spread * (2.0 * random_uniform(&seed, 0.0, 1.0) - 1.0)), c[3];
        c[0] = g.width * random_uniform(&seed, 0.0, 1.0), c[1] = g.width * random_uniform(&seed, 0.0, 1.0), c[2] = r;
        int i0 = (int)(c[0] / g.cell), j0 = (int)(c[1] / g.cell), supports[PILE_NEAR];
        for (int j = j0 - 1; j <= j0 + 1; ++j)
            for (int i = i0 - 1; i <= i0 + 1; ++i)
                c[2] = fmax(c[2], top[((j + g.n) % g.n) * g.n + (i + g.n) % g.n] + r + 0.1);
        int found = pile_settle(&g, p->x, p->radius, r, largest, c, supports);
        c[0] -= g.width * floor(c[0] / g.width), c[1] -= g.width * floor(c[1] / g.width);
        memcpy(p->x + 3 * b, c, sizeof c);
        p->radius[b] = r;
        p->mass[b] = 8.0 * r * r * r * (b % 20 == 7 ? def->mass_ratio : 1.0);
        int cell = pile_cell(&g, c[0], c[1], c[2]), column = cell % (g.n * g.n);
        g.next[b] = g.head[cell], g.head[cell] = b;
        top[column] = fmax(top[column], c[2] + r);
        if (c[2] < r + 1e-5 && !pile_add_contact(p, &capacity, -1, b, (const double[3]){0.0, 0.0, 1.0})) goto done;
        for (int k = 0; k < found; ++k) {
            int a = supports[k];
            double d[3] = {pile_wrap(c[0] - p->x[3 * a], g.width), pile_wrap(c[1] - p->x[3 * a + 1], g.width),
                           c[2] - p->x[3 * a + 2]};
            double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            for (int i = 0; i < 3; ++i) d[i] /= length;
            if (!pile_add_contact(p, &capacity, a, b, d)) goto done;
        }
    }
    ok = 1;
done:
    free(g.head), free(g.next), free(top);
    if (!ok) pile_free(p);
    return ok;
}

/// Right-handed tangents of n.
static inline void pile_tangents(const double n[3], double t1[3], double t2[3])
{
    int k = fabs(n[0]) < 0.6 ? 0 : 1;
    double e[3] = {0.0, 0.0, 0.0}, s = 0.0;
    e[k] = 1.0;
    for (int i = 0; i < 3; ++i) t1[i] = e[i] - n[k] * n[i], s += t1[i] * t1[i];
    s = 1.0 / sqrt(s);
    for (int i = 0; i < 3; ++i) t1[i] *= s;
    t2[0] = n[1] * t1[2] - n[2] * t1[1], t2[1] = n[2] * t1[0] - n[0] * t1[2], t2[2] = n[0] * t1[1] - n[1] * t1[0];
}

static inline scree_cone pile_cone(const pile_def *def)
{
    if (def->dim == 1) return (scree_cone){{0, 0, 0}, {0.0, 0.0, 0.0}};
    if (def->dim == 3) return scree_cone_slide(def->mu);
    if (def->dim == 4) return scree_cone_slide_spin(def->mu, def->sigma);
    if (def->dim == 5) return scree_cone_slide_roll(def->mu, def->rho);
    return scree_cone_slide_roll_spin(def->mu, def->rho, def->sigma);
}

/// The contact problem of a pile, through the bodies.
static inline scree_status pile_problem(const pile_def *def, const pile *p, const scree_allocator *allocator,
                                        scree_problem **problem)
{
    uint64_t seed = def->seed + 77;
    size_t C = (size_t)p->contacts, N = (size_t)p->grains;
    scree_cone *cone = calloc(C + 1, sizeof *cone);
    scree_rigid_contact *contact = calloc(C + 1, sizeof *contact);
    scree_rigid_mass *mass = calloc(N + 1, sizeof *mass);
    double *v = calloc(6 * N + 1, sizeof *v);
    scree_status status = SCREE_ERR_MEMORY;
    *problem = NULL;
    if (cone && contact && mass && v) {
        for (size_t i = 0; i < N; ++i) {
            double m = p->mass[i], I = 0.4 * m * p->radius[i] * p->radius[i];
            for (size_t k = 0; k < 3; ++k) mass[i].inv_mass[k] = 1.0 / m, mass[i].inv_inertia[4 * k] = 1.0 / I;
            for (size_t k = 0; k < 6; ++k)
                v[6 * i + k] =
                    def->moving * def->h * (k < 3 ? 1.0 : 2.0) * (def->moving > 0.0 ? pile_normal(&seed) : 0.0);
            v[6 * i + 2] -= def->h;
        }
        for (size_t c = 0; c < C; ++c) {
            double t2[3];
            scree_rigid_contact *k = &contact[c];
            cone[c] = pile_cone(def);
            k->body_a = p->a[c], k->body_b = p->b[c];
            memcpy(k->normal, p->n + 3 * c, sizeof k->normal);
            pile_tangents(k->normal, k->tangent, t2);
            for (int i = 0; i < 3; ++i) {
                k->arm_a[i] = p->a[c] >= 0 ? p->radius[p->a[c]] * k->normal[i] : 0.0;
                k->arm_b[i] = -p->radius[p->b[c]] * k->normal[i];
            }
        }
        scree_rigid_def d = scree_rigid_def_default();
        d.law = def->law, d.contact_count = p->contacts, d.cone = cone, d.contact = contact;
        d.body_count = p->grains, d.mass = mass, d.v_free = v;
        scree_error error = {0};
        d.allocator = allocator;
        *problem = scree_problem_from_rigid(&d, &error);
        status = error.status;
    }
    free(cone), free(contact), free(mass), free(v);
    return status;
}

#endif
