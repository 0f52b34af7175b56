/* test_collide.c: contact points, normals and gaps judged from geometry (posed.h), not from golden numbers. */
#include "posed.h"
#include "twins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *pair_name(const solid *a, const solid *b)
{
    static char text[64];
    snprintf(text, sizeof text, "%s/%s", scree_shape_kind_name(a->shape.kind), scree_shape_kind_name(b->shape.kind));
    return text;
}

/// For the reader of a failed test: the pair as C initialisers.
static void print_pair(const solid *a, const solid *b)
{
    const solid *both[2] = {a, b};
    for (int k = 0; k < 2; ++k) {
        const solid *s = both[k];
        print_message("  %s {%.17g, %.17g, %.17g}, x {%.17g, %.17g, %.17g}, R {", scree_shape_kind_name(s->shape.kind),
                      s->size[0], s->size[1], s->size[2], s->shape.x[0], s->shape.x[1], s->shape.x[2]);
        for (int i = 0; i < 9; ++i) print_message("%.17g%s", s->shape.R[i], i < 8 ? ", " : "}\n");
    }
}

static double least_gap(const manifold *m)
{
    double least = SCREE_INFINITY;
    for (int k = 0; k < m->count; ++k) least = fmin(least, m->point[k].gap);
    return least;
}

/// Puts B where, along a random direction, it is `gap` away from A, and somewhat to the side.
static void place(rng *r, solid *a, solid *b, double gap, double aside)
{
    double u[3], minus[3], side[3];
    rng_direction(r, u);
    rng_direction(r, side);
    if (a->shape.kind == SCREE_PLANE)
        for (int i = 0; i < 3; ++i) u[i] = a->shape.R[3 * i + 2];
    if (b->shape.kind == SCREE_PLANE)
        for (int i = 0; i < 3; ++i) u[i] = -b->shape.R[3 * i + 2];
    for (int i = 0; i < 3; ++i) minus[i] = -u[i];
    vec_add_scaled(side, -vec_dot(side, u), u, side);
    double distance = solid_width(a, u) + solid_width(b, minus) + gap;
    for (int i = 0; i < 3; ++i) {
        a->shape.x[i] = rng_between(r, -1.0, 1.0);
        b->shape.x[i] = a->shape.x[i] + distance * u[i] + aside * side[i];
    }
}

/// A pair of kinds in a random position: apart, touching or overlapping; sometimes turned to each other by right angles.
static void random_pair(rng *r, scree_shape_kind kind_a, scree_shape_kind kind_b, double ratio, solid *a, solid *b)
{
    *a = solid_random(r, kind_a, 1.0 / ratio, 1.0), *b = solid_random(r, kind_b, 1.0 / ratio, 1.0);
    if (rng_uniform(r) < 0.2) memcpy(b->shape.R, a->shape.R, sizeof a->shape.R);
    double size = fmin(fmin(a->size[0], b->size[0]), 1.0), depth = rng_uniform(r);
    if (!(size > 0.0)) size = fmax(a->size[0], b->size[0]);
    double gap = size * (depth < 0.4 ? 0.3 * rng_uniform(r) : depth < 0.8 ? -0.1 * rng_uniform(r) : -rng_uniform(r));
    place(r, a, b, gap, rng_uniform(r) < 0.5 ? 0.3 * rng_uniform(r) : 0.0);
}

/// What must hold of any manifold: order, unit normal, finite numbers. Returns 0 and says why if it does not.
static int is_sound(const solid *a, const solid *b, double reach, const manifold *m)
{
    const char *why = NULL;
    double length = vec_norm(m->normal);
    if (m->count < 0 || m->count > MANIFOLD_MAX) why = "count";
    else if (m->count && !(fabs(length - 1.0) < 1e-14)) why = "the normal is not a unit vector";
    for (int k = 0; !why && k < m->count; ++k) {
        const manifold_point *p = &m->point[k];
        if (!(p->gap <= reach)) why = "gap beyond reach";
        if (!isfinite(p->position[0] + p->position[1] + p->position[2] + p->gap)) why = "not finite";
        if (k && p->feature <= p[-1].feature) why = "features out of order, or twice";
    }
    if (!why) return 1;
    print_message("%s: %s\n", pair_name(a, b), why);
    print_pair(a, b);
    return 0;
}

/// All pairs of kinds with a first that is not after the second; -1: done.
static int next_pair(int pair, scree_shape_kind *a, scree_shape_kind *b)
{
    while (++pair < SCREE_SHAPE_KINDS * SCREE_SHAPE_KINDS) {
        *a = (scree_shape_kind)(pair / SCREE_SHAPE_KINDS), *b = (scree_shape_kind)(pair % SCREE_SHAPE_KINDS);
        if (*a <= *b && !(*a == SCREE_PLANE && *b == SCREE_PLANE)) return pair;
    }
    return -1;
}

/// The least gap is sep(normal), and where they are apart the points of that gap lie on both surfaces: a proof of the distance.
static void the_normal_and_the_points_prove_the_gap(void **state)
{
    (void)state;
    long bad_pairs = 0;
    scree_shape_kind ka, kb;
    for (int pair = next_pair(-1, &ka, &kb); pair >= 0; pair = next_pair(pair, &ka, &kb)) {
        long bad = 0;
        rng r = rng_make(1, (uint64_t)pair);
        double worst_gap = 0.0, worst_point = 0.0;
        for (long k = 0; k < samples(4000, 200000); ++k) {
            solid a, b;
            manifold m;
            random_pair(&r, ka, kb, k % 4 == 3 ? 1000.0 : 10.0, &a, &b);
            double scale = solid_scale(&a, &b);
            collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
            if (!is_sound(&a, &b, SCREE_INFINITY, &m) || m.count == 0) {
                if (++bad == 1) print_message("%s: nothing found\n", pair_name(&a, &b)), print_pair(&a, &b);
                continue;
            }
            double gap = least_gap(&m), off = fabs(gap - separation(&a, &b, m.normal)) / scale, outside = 0.0;
            for (int p = 0; p < m.count; ++p) {
                if (m.point[p].gap > gap + 1e-12 * scale) continue;
                double pa[3], pb[3];
                vec_add_scaled(m.point[p].position, -0.5 * m.point[p].gap, m.normal, pa);
                vec_add_scaled(m.point[p].position, 0.5 * m.point[p].gap, m.normal, pb);
                if (gap > 0.0) outside = fmax(outside, fmax(solid_outside(&a, pa), solid_outside(&b, pb)) / scale);
            }
            if ((off > 1e-12 || outside > 1e-12) && ++bad <= 3) {
                print_message("%s: gap %.17g is not sep %.17g, or a point is %.2g outside\n", pair_name(&a, &b), gap,
                              separation(&a, &b, m.normal), outside);
                print_pair(&a, &b);
            }
            worst_gap = fmax(worst_gap, off), worst_point = fmax(worst_point, outside);
        }
        print_message("%-20s gap %.1e, points %.1e\n", pair_name(&(solid){.shape.kind = ka}, &(solid){.shape.kind = kb}),
                      worst_gap, worst_point);
        bad_pairs += bad > 0;
    }
    assert_int_equal(bad_pairs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_normal_and_the_points_prove_the_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
