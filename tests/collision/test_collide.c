/* test_collide.c: contact points, normals and gaps judged from geometry (posed.h), not from golden numbers. */
#include "collision/faces.h"
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
    if (a->shape.kind == SCREE_SHAPE_PLANE)
        for (int i = 0; i < 3; ++i) u[i] = a->shape.R[3 * i + 2];
    if (b->shape.kind == SCREE_SHAPE_PLANE)
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
    while (++pair < EXACT_KINDS * EXACT_KINDS) {
        *a = (scree_shape_kind)(pair / EXACT_KINDS), *b = (scree_shape_kind)(pair % EXACT_KINDS);
        if (*a <= *b && !(*a == SCREE_SHAPE_PLANE && *b == SCREE_SHAPE_PLANE)) return pair;
    }
    return -1;
}

/// Boxes prefer faces by this much (boxes.c); everything else is good to rounding.
static double allowance(const solid *a, const solid *b)
{
    double smallest = SCREE_INFINITY;
    if (a->shape.kind != SCREE_SHAPE_BOX || (b->shape.kind != SCREE_SHAPE_BOX && b->shape.kind != SCREE_SHAPE_CAPSULE))
        return 0.0;
    for (int i = 0; i < 3; ++i) {
        smallest = fmin(smallest, a->size[i]);
        if (b->shape.kind == SCREE_SHAPE_BOX) smallest = fmin(smallest, b->size[i]);
    }
    return 1e-6 * smallest;
}

/// The least gap is sep(normal), and where they are apart the points of that gap lie on both surfaces: a proof of the distance.
static void the_normal_and_the_points_prove_the_gap(void **state)
{
    (void)state;
    long bad_pairs = 0;
    scree_shape_kind ka, kb;
    for (int pair = next_pair(-1, &ka, &kb); pair >= 0; pair = next_pair(pair, &ka, &kb)) {
        long bad = 0, allowed = 0, count = costly_samples(4000, 200000);
        rng r = rng_make(1, (uint64_t)pair);
        double worst_gap = 0.0, worst_point = 0.0;
        for (long k = 0; k < count; ++k) {
            solid a, b;
            manifold m;
            random_pair(&r, ka, kb, k % 4 == 3 ? 1000.0 : 10.0, &a, &b);
            double scale = solid_scale(&a, &b);
            collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
            if (!is_sound(&a, &b, SCREE_INFINITY, &m) || m.count == 0) {
                if (++bad == 1) print_message("%s: nothing found\n", pair_name(&a, &b)), print_pair(&a, &b);
                continue;
            }
            double gap = least_gap(&m), off = fabs(gap - separation(&a, &b, m.normal)), outside = 0.0;
            for (int p = 0; p < m.count; ++p) {
                if (m.point[p].gap > gap + 1e-12 * scale) continue;
                double pa[3], pb[3];
                vec_add_scaled(m.point[p].position, -0.5 * m.point[p].gap, m.normal, pa);
                vec_add_scaled(m.point[p].position, 0.5 * m.point[p].gap, m.normal, pb);
                if (gap > 0.0) outside = fmax(outside, fmax(solid_outside(&a, pa), solid_outside(&b, pb)));
            }
            if (fmax(off, outside) > 1e-12 * scale && fmax(off, outside) <= allowance(&a, &b)) {
                ++allowed;
                continue;
            }
            if (fmax(off, outside) > 1e-12 * scale && ++bad <= 3) {
                print_message("%s: gap %.17g is not sep %.17g, or a point is %.2g outside\n", pair_name(&a, &b), gap,
                              separation(&a, &b, m.normal), outside);
                print_pair(&a, &b);
            }
            worst_gap = fmax(worst_gap, off / scale), worst_point = fmax(worst_point, outside / scale);
        }
        print_message("%-20s gap %.1e, points %.1e\n",
                      pair_name(&(solid){.shape.kind = ka}, &(solid){.shape.kind = kb}), worst_gap, worst_point);
        bad_pairs += bad > 0 || allowed > count / 1000;
    }
    assert_int_equal(bad_pairs, 0);
}

/// No direction of a dense net, nor one climbed to from there, parts an overlapping pair by less.
static void overlapping_pairs_are_parted_by_the_shortest_translation(void **state)
{
    (void)state;
    long bad = 0, overlapping = 0;
    scree_shape_kind ka, kb;
    for (int pair = next_pair(-1, &ka, &kb); pair >= 0; pair = next_pair(pair, &ka, &kb)) {
        if (ka == SCREE_SHAPE_PLANE || kb == SCREE_SHAPE_PLANE) continue; /* has one direction */
        rng r = rng_make(2, (uint64_t)pair);
        double worst = -SCREE_INFINITY;
        for (long k = 0; k < samples(250, 4000); ++k) {
            solid a, b;
            manifold m;
            double n[3];
            random_pair(&r, ka, kb, k % 4 == 3 ? 100.0 : 10.0, &a, &b);
            if (k % 3 == 0) /* anywhere inside each other */
                for (int i = 0; i < 3; ++i)
                    b.shape.x[i] = a.shape.x[i] + rng_uniform(&r) * (b.shape.x[i] - a.shape.x[i]);
            collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
            double gap = least_gap(&m), scale = solid_scale(&a, &b), better = dense_separation(&a, &b, &r, n) - gap;
            worst = fmax(worst, better / scale);
            overlapping += gap < 0.0;
            if (better <= 1e-12 * scale + 3.0 * allowance(&a, &b)) continue;
            if (++bad > 3) continue;
            print_message("%s: gap %.17g, but %.17g along %.17g %.17g %.17g\n", pair_name(&a, &b), gap, gap + better,
                          n[0], n[1], n[2]);
            print_pair(&a, &b);
        }
        print_message("%-20s better by %.1e\n", pair_name(&(solid){.shape.kind = ka}, &(solid){.shape.kind = kb}),
                      worst);
    }
    assert_true(overlapping > 500);
    assert_int_equal(bad, 0);
}

/// Moved by the gap along the normal, B touches A, whether they were apart or overlapped.
static void a_translation_by_the_gap_brings_them_to_touch(void **state)
{
    (void)state;
    long bad = 0;
    scree_shape_kind ka, kb;
    for (int pair = next_pair(-1, &ka, &kb); pair >= 0; pair = next_pair(pair, &ka, &kb)) {
        rng r = rng_make(3, (uint64_t)pair);
        for (long k = 0; k < costly_samples(2000, 50000); ++k) {
            solid a, b;
            manifold m;
            random_pair(&r, ka, kb, k % 4 == 3 ? 1000.0 : 10.0, &a, &b);
            double scale = solid_scale(&a, &b);
            collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
            vec_add_scaled(b.shape.x, -least_gap(&m), m.normal, b.shape.x);
            collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
            if (fabs(least_gap(&m)) <= 1e-12 * scale + 3.0 * allowance(&a, &b)) continue;
            if (++bad > 3) continue;
            print_message("%s: touching, but the gap is %.17g\n", pair_name(&a, &b), least_gap(&m));
            print_pair(&a, &b);
        }
    }
    assert_int_equal(bad, 0);
}

static void b_with_a_is_the_mirror_of_a_with_b(void **state)
{
    (void)state;
    scree_shape_kind ka, kb;
    for (int pair = next_pair(-1, &ka, &kb); pair >= 0; pair = next_pair(pair, &ka, &kb)) {
        rng r = rng_make(4, (uint64_t)pair);
        for (long k = 0; k < costly_samples(2000, 50000); ++k) {
            solid a, b;
            manifold m, w;
            random_pair(&r, ka, kb, 10.0, &a, &b);
            if (k % 5 == 0) memcpy(b.size, a.size, sizeof a.size);
            double reach = k % 2 ? 0.1 : SCREE_INFINITY;
            collide(posed(&a), posed(&b), reach, &m);
            collide(posed(&b), posed(&a), reach, &w);
            assert_int_equal(m.count, w.count);
            for (int p = 0; p < m.count; ++p) {
                uint64_t swapped = m.point[p].feature << 32 | m.point[p].feature >> 32;
                const manifold_point *q = NULL;
                for (int i = 0; i < w.count; ++i)
                    if (w.point[i].feature == swapped) q = &w.point[i];
                assert_non_null(q);
                if (!q) continue; /* for the analyzer, which does not know that the assert leaves */
                assert_true(q->gap == m.point[p].gap);
                for (int i = 0; i < 3; ++i) {
                    assert_true(q->position[i] == m.point[p].position[i]);
                    assert_true(w.normal[i] == -m.normal[i]);
                }
            }
        }
    }
}

/// Moves a shape rigidly: x -> Q x + t.
static void carry(solid *s, const double Q[9], const double t[3])
{
    double x[3], R[9];
    mat_apply(Q, s->shape.x, x);
    mat_mul(Q, s->shape.R, R);
    for (int i = 0; i < 3; ++i) s->shape.x[i] = x[i] + t[i];
    memcpy(s->shape.R, R, sizeof R);
}

static void a_rigid_motion_of_both_carries_the_contact_along(void **state)
{
    (void)state;
    long bad = 0;
    scree_shape_kind ka, kb;
    for (int pair = next_pair(-1, &ka, &kb); pair >= 0; pair = next_pair(pair, &ka, &kb)) {
        rng r = rng_make(5, (uint64_t)pair);
        for (long k = 0; k < costly_samples(1000, 20000); ++k) {
            solid a, b, c, d;
            manifold m, w;
            double Q[9], t[3], n[3], off = 0.0;
            random_pair(&r, ka, kb, 10.0, &a, &b);
            double scale = solid_scale(&a, &b);
            c = a, d = b;
            rng_rotation(&r, Q);
            for (int i = 0; i < 3; ++i) t[i] = rng_between(&r, -3.0, 3.0);
            carry(&c, Q, t), carry(&d, Q, t);
            collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
            collide(posed(&c), posed(&d), SCREE_INFINITY, &w);
            mat_apply(Q, m.normal, n);
            for (int i = 0; i < 3; ++i) off = fmax(off, fabs(n[i] - w.normal[i]));
            int same = m.count == w.count && fabs(least_gap(&m) - least_gap(&w)) <= 1e-12 * scale;
            if (fabs(least_gap(&m)) > 1e-3 * scale) same = same && off < 1e-9; /* rounding over the gap */
            for (int p = 0; same && p < m.count; ++p) same = m.point[p].feature == w.point[p].feature;
            if (same) continue;
            if (++bad > 3) continue;
            print_message("%s: %d and %d points, gaps %.17g and %.17g, normals %.2g apart\n", pair_name(&a, &b),
                          m.count, w.count, least_gap(&m), least_gap(&w), off);
            print_pair(&a, &b);
        }
    }
    assert_int_equal(bad, 0);
}

/// The least gap changes by no more than the farthest-moved point of B does: for every path, near, touching, overlapping.
static void the_gap_is_continuous_along_motions(void **state)
{
    (void)state;
    enum { STEPS = 400 };
    long bad = 0;
    scree_shape_kind ka, kb;
    for (int pair = next_pair(-1, &ka, &kb); pair >= 0; pair = next_pair(pair, &ka, &kb)) {
        rng r = rng_make(6, (uint64_t)pair);
        for (long path = 0; path < costly_samples(20, 400); ++path) {
            solid a, b;
            double velocity[3], spin[3], before = 0.0;
            random_pair(&r, ka, kb, 10.0, &a, &b);
            rng_direction(&r, velocity);
            rng_direction(&r, spin);
            if (kb == SCREE_SHAPE_PLANE) spin[0] = spin[1] = spin[2] = 0.0; /* a plane is infinite */
            double h = 1e-3 * solid_scale(&a, &b), angle = kb == SCREE_SHAPE_PLANE ? 0.0 : 5e-3, radius = 0.0;
            if (kb != SCREE_SHAPE_PLANE)
                radius = shape_radius(&(scree_shape){.kind = kb, .size = {b.size[0], b.size[1], b.size[2]}});
            double most = h + angle * radius + 1e-12 * solid_scale(&a, &b) + 4.0 * allowance(&a, &b);
            for (int i = 0; i < 3; ++i) velocity[i] *= h, spin[i] *= angle;
            for (int step = 0; step < STEPS; ++step) {
                manifold m;
                collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
                double gap = least_gap(&m);
                if (step && !(fabs(gap - before) <= most) && ++bad <= 3) {
                    print_message("%s: the gap jumps from %.17g to %.17g\n", pair_name(&a, &b), before, gap);
                    print_pair(&a, &b);
                }
                before = gap;
                vec_add_scaled(b.shape.x, 1.0, velocity, b.shape.x);
                solid_turn(&b, spin);
            }
        }
    }
    assert_int_equal(bad, 0);
}

/* ---- resting contacts -------------------------------------------------------------------------------------------------- */

/// Something that rests on something, and how many points it rests on.
typedef struct resting {
    const char *what;
    solid below, above;
    double height, aside; /* of the centre of `above` */
    double turned;        /* about z [rad]            */
    int points;
} resting;

static void resting_pairs_keep_their_points_and_features(void **state)
{
    (void)state;
    solid plane = solid_make(SCREE_SHAPE_PLANE, 0, 0, 0), slab = solid_make(SCREE_SHAPE_BOX, 2, 2, 0.5);
    solid cube = solid_make(SCREE_SHAPE_BOX, 0.5, 0.5, 0.5), beam = solid_make(SCREE_SHAPE_BOX, 2, 0.2, 0.3);
    solid log = solid_make(SCREE_SHAPE_CAPSULE, 0.2, 1.0, 0), shorter = solid_make(SCREE_SHAPE_CAPSULE, 0.2, 0.5, 0);
    const double lay[3] = {0.0, 1.5707963267948966, 0.0};
    solid_turn(&log, lay), solid_turn(&shorter, lay);
    const resting table[] = {
        {"cube on plane", plane, cube, 0.5, 0.1, 0.3, 4},
        {"log on plane", plane, log, 0.2, 0.1, 0.3, 2},
        {"cube on slab", slab, cube, 1.0, 0.1, 0.3, 4},
        {"cube flush on cube", cube, cube, 1.0, 0.0, 0.0, 4},
        {"slab on cube", cube, slab, 1.0, 0.1, 0.3, 4},
        {"beam across beam", beam, beam, 0.6, 0.0, 1.5707963267948966, 4},
        {"cube off the edge", slab, cube, 1.0, 2.0, 0.0, 4},
        {"cube turned on cube", cube, cube, 1.0, 0.0, 0.7, 8},
        {"log on slab", slab, log, 0.7, 0.1, 0.3, 2},
        {"log off the edge", slab, log, 0.7, 1.5, 0.0, 2},
        {"log on cube", cube, log, 0.7, 0.0, 0.0, 2},
        {"shorter on log", log, shorter, 0.4, 0.1, 0.0, 2},
        {"log flush on log", log, log, 0.4, 0.0, 0.0, 2},
    };
    for (size_t t = 0; t < sizeof table / sizeof *table; ++t) {
        const resting *p = &table[t];
        for (int gap = -1; gap <= 1; ++gap) {
            solid a = p->below, b = p->above;
            manifold first, m;
            rng r = rng_make(7, t);
            b.shape.x[0] = p->aside, b.shape.x[2] = p->height + 1e-5 * gap;
            solid_turn(&b, (double[3]){0.0, 0.0, p->turned});
            collide(posed(&a), posed(&b), 1e-3, &first);
            if (first.count != p->points) print_message("%s: %d points\n", p->what, first.count);
            assert_int_equal(first.count, p->points);
            for (int k = 0; k < 500; ++k) {
                solid c = b;
                double angle[3], size = pow(10.0, rng_between(&r, -16.0, -7.0)), worst = 0.0;
                rng_direction(&r, angle);
                for (int i = 0; i < 3; ++i) angle[i] *= size, c.shape.x[i] += size * rng_between(&r, -0.5, 0.5);
                solid_turn(&c, angle);
                collide(posed(&a), posed(&c), 1e-3, &m);
                int same = m.count == first.count;
                for (int i = 0; same && i < m.count; ++i) {
                    same = m.point[i].feature == first.point[i].feature;
                    for (int x = 0; x < 3; ++x)
                        worst = fmax(worst, fabs(m.point[i].position[x] - first.point[i].position[x]));
                }
                if (!same || worst > 1e-5) {
                    print_message("%s, gap %g: %d points, one of them moved by %g after a motion by %g\n", p->what,
                                  1e-5 * gap, m.count, worst, size);
                    print_pair(&a, &c);
                }
                assert_true(same);
                /* points of a flush pair may go from a vertex to a side within the slack of 1e-6 */
                assert_true(worst <= 20.0 * size + 2e-6);
                assert_true(fabs(m.normal[2]) > 1.0 - 1e-9);
            }
        }
    }
}

/* ---- what geometry leaves open ------------------------------------------------------------------------------------------ */

/// Sizes that are flat, thin, short or far apart.
static solid odd_solid(rng *r, scree_shape_kind kind, int which)
{
    solid s = solid_random(r, kind, 0.1, 1.0);
    double tiny = which % 3 == 0 ? 1e-6 : which % 3 == 1 ? 1e-3 : 0.5;
    int axis = which / 3 % 3;
    if (kind == SCREE_SHAPE_BOX || kind == SCREE_SHAPE_ELLIPSOID) s.size[axis] *= tiny;
    if (kind == SCREE_SHAPE_BOX && which % 7 == 0) s.size[axis] = 0.0;
    if (kind == SCREE_SHAPE_CAPSULE) s.size[axis % 2] *= tiny;
    if (kind == SCREE_SHAPE_CAPSULE && which % 5 == 0) s.size[1] = 0.0;
    if (which % 11 == 0)
        for (int i = 0; i < 3; ++i) s.size[i] *= 1e-6;
    if (which % 13 == 0) { /* along the axes of the world */
        const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        memcpy(s.shape.R, one, sizeof one);
    }
    return s;
}

static void degenerate_pairs_have_a_defined_answer(void **state)
{
    (void)state;
    long bad = 0;
    scree_shape_kind ka, kb;
    for (int pair = next_pair(-1, &ka, &kb); pair >= 0; pair = next_pair(pair, &ka, &kb)) {
        rng r = rng_make(8, (uint64_t)pair);
        double worst = 0.0;
        for (int k = 0; k < 3000; ++k) {
            solid a = odd_solid(&r, ka, k), b = odd_solid(&r, kb, k / 2 + k % 17);
            manifold m;
            place(&r, &a, &b, 1e-3 * rng_between(&r, -1.0, 1.0), 0.0);
            if (k % 6 == 0) memcpy(b.shape.x, a.shape.x, sizeof a.shape.x);
            if (k % 6 == 1) vec_add_scaled(a.shape.x, 1e-12, b.shape.x, b.shape.x);
            if (k % 12 == 0) memcpy(b.shape.R, a.shape.R, sizeof a.shape.R);
            if (k % 12 == 5 && ka != SCREE_SHAPE_PLANE &&
                kb != SCREE_SHAPE_PLANE) { /* B in a plane or on an axis of symmetry of A */
                double local[3] = {rng_between(&r, -2.0, 2.0), rng_between(&r, -2.0, 2.0), rng_between(&r, -2.0, 2.0)},
                       d[3];
                local[k / 12 % 3] = 0.0;
                if (k % 5 == 0) local[(k / 12 + 1) % 3] = 0.0;
                mat_apply(a.shape.R, local, d);
                for (int i = 0; i < 3; ++i) b.shape.x[i] = a.shape.x[i] + d[i];
            }
            double scale = solid_scale(&a, &b);
            collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
            if (!is_sound(&a, &b, SCREE_INFINITY, &m) || m.count == 0) {
                ++bad;
                continue;
            }
            double gap = least_gap(&m), off = fabs(gap - separation(&a, &b, m.normal)) / scale, turn = 0.0;
            /* moved by the gap they touch: so the normal was the right one */
            solid c = b;
            manifold w;
            vec_add_scaled(c.shape.x, -gap, m.normal, c.shape.x);
            collide(posed(&a), posed(&c), SCREE_INFINITY, &w);
            turn = fmax(0.0, fabs(least_gap(&w)) - 16.0 * DBL_EPSILON) / scale; /* x is of the order of 1 */
            worst = fmax(worst, fmax(off, turn));
            /* leaves of 1e-6 have curvatures that differ by 1e12, and s is as flat along one direction: a digit is lost */
            if (fmax(off, 0.1 * turn) <= 1e-12 + 3.0 * allowance(&a, &b) / scale || ++bad > 3) continue;
            print_message("%s: gap %.17g is not sep %.17g, or moved by it they are %.17g apart\n", pair_name(&a, &b),
                          gap, separation(&a, &b, m.normal), least_gap(&w));
            print_pair(&a, &b);
        }
        print_message("%-20s gap %.1e\n", pair_name(&(solid){.shape.kind = ka}, &(solid){.shape.kind = kb}), worst);
    }
    assert_int_equal(bad, 0);
}

/// Equal capsules that lie in each other, apart by what rounding can just tell: the first as fuzz.collide found it, where the ends of the
/// nearest points were taken for a place beyond them, and a normal 9 degrees out of square for the way out.
static void capsules_that_nearly_coincide_part_across_their_axes(void **state)
{
    (void)state;
    rng r = rng_make(11, 0);
    for (int n = 0; n < 20000; ++n) {
        solid a = solid_make(SCREE_SHAPE_CAPSULE, 5332.5 / 4096.0, 8.0, 0);
        double q[4] = {1.0, -1.0, 0.5, 0.5}, apart = 64.0 * DBL_EPSILON * exp2(rng_between(&r, 0.0, 6.0)), u[3];
        rng_direction(&r, u);
        if (n == 0) {
            static const double R[9] = {0.37462445062783578,  -0.82218429598511289,  -0.4285668027592156,
                                        -0.4285668027592156,  -0.56343887343041055,  0.70630526791197934,
                                        -0.82218429598511289, -0.080929718539815121, -0.56343887343041055};
            memcpy(a.shape.R, R, sizeof R);
        } else {
            for (int i = 0; i < 4; ++i) q[i] += rng_between(&r, -0.5, 0.5);
            quat_normalise(q);
            quat_matrix(q, a.shape.R);
        }
        for (int i = 0; i < 3; ++i) a.shape.x[i] = 0.64306640625;
        solid b = a;
        for (int i = 0; i < 3; ++i) b.shape.x[i] = n == 0 ? 0.64306640625001832 : a.shape.x[i] + apart * u[i];
        manifold m;
        collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
        assert_true(m.count > 0);
        double off = fabs(least_gap(&m) - separation(&a, &b, m.normal));
        if (!(off < 1e-12)) print_pair(&a, &b);
        assert_true(off < 1e-12); /* of sizes of 8: a normal out of square by 1e-13 is 1.6e-12 */
    }
}

/// A thin plate passes the border of a box beside an edge that is parallel to its own but for 1e-13 to 1e-11. The way between the nearest
/// points, not a face, is the normal: moved by the gap along it they touch. The first pair is one that fuzz.collide found.
static void boxes_beside_edges_all_but_parallel_touch_when_moved_by_the_gap(void **state)
{
    (void)state;
    rng r = rng_make(12, 0);
    for (int n = 0; n < 5000; ++n) {
        solid a = solid_make(SCREE_SHAPE_BOX, 7.935546875, 8.0, 8.0),
              b = solid_make(SCREE_SHAPE_BOX, 0.00011440739, 0.0, 7.5615);
        double tilt = n == 0 ? 4.262e-13 : 1e-13 * pow(100.0, rng_uniform(&r)),
               lean = n == 0 ? 4.611e-4 : 1e-3 * rng_uniform(&r);
        solid_turn(&a, (const double[3]){-0.5 * 3.141592653589793, 0.0, 0.0});
        solid_turn(&a, (const double[3]){0.0, tilt, tilt});
        solid_turn(&b, (const double[3]){0.0, -0.5 * tilt, 0.0});
        solid_turn(&b, (const double[3]){0.0, 0.0, -lean});
        b.shape.x[0] = -7.935546875 - 0.0001144 - 0.00403598 * (n == 0 ? 1.0 : rng_between(&r, 0.1, 10.0));
        b.shape.x[1] = -8.0 - 1.7e-15, b.shape.x[2] = -8.0;
        for (int moved = 0; moved < 2; ++moved) {
            manifold m;
            collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
            assert_true(m.count > 0);
            double gap = least_gap(&m);
            if (moved && !(fabs(gap) <= 1e-8))
                print_error("pair %d: gap %g after moving\n", n, gap), print_pair(&a, &b);
            assert_true(!moved || fabs(gap) <= 1e-8); /* 1e-9 of the size, as fuzz/collide.c has it */
            vec_add_scaled(b.shape.x, -gap, m.normal, b.shape.x);
        }
    }
}

static void a_plane_and_a_plane_never_touch(void **state)
{
    (void)state;
    solid a = solid_make(SCREE_SHAPE_PLANE, 0, 0, 0), b = a;
    manifold m;
    b.shape.x[2] = -1.0;
    collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
    assert_int_equal(m.count, 0);
}

static void nothing_is_reported_beyond_reach_and_nothing_is_lost_within(void **state)
{
    (void)state;
    scree_shape_kind ka, kb;
    for (int pair = next_pair(-1, &ka, &kb); pair >= 0; pair = next_pair(pair, &ka, &kb)) {
        rng r = rng_make(9, (uint64_t)pair);
        for (long k = 0; k < samples(1000, 20000); ++k) {
            solid a, b;
            manifold all, m;
            random_pair(&r, ka, kb, 10.0, &a, &b);
            double slack = 1e-12 * solid_scale(&a, &b) + 3.0 * allowance(&a, &b);
            collide(posed(&a), posed(&b), SCREE_INFINITY, &all);
            double reach = all.point[k % all.count].gap + slack;
            int surely = 0, perhaps = 0;
            for (int p = 0; p < all.count; ++p) {
                surely += all.point[p].gap <= reach - slack;
                perhaps += all.point[p].gap <= reach + slack;
            }
            collide(posed(&a), posed(&b), reach, &m);
            assert_true(m.count >= surely && m.count <= perhaps);
            for (int p = 0; p < m.count; ++p) assert_true(m.point[p].gap <= reach);
            collide(posed(&a), posed(&b), least_gap(&all) - slack, &m);
            assert_int_equal(m.count, 0);
        }
    }
}

/* ---- GJK and EPA against the closed forms --------------------------------------------------------------------------------- */

static void gjk_and_epa_agree_with_the_closed_forms(void **state)
{
    (void)state;
    long bad = 0, apart = 0, overlapping = 0;
    scree_shape_kind ka, kb;
    for (int pair = next_pair(-1, &ka, &kb); pair >= 0; pair = next_pair(pair, &ka, &kb)) {
        if (ka == SCREE_SHAPE_PLANE || kb == SCREE_SHAPE_PLANE) continue;
        int smooth = ka == SCREE_SHAPE_ELLIPSOID || kb == SCREE_SHAPE_ELLIPSOID;
        rng r = rng_make(10, (uint64_t)pair);
        double worst[2] = {0.0, 0.0};
        for (long k = 0; k < samples(1000, 20000); ++k) {
            solid a, b;
            manifold m, w = {.count = 0};
            random_pair(&r, ka, kb, 10.0, &a, &b);
            collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
            collide_faces(posed(&a), posed(&b), SCREE_INFINITY, &w);
            double gap = least_gap(&m), radii = support_radius(posed(&a)) + support_radius(posed(&b));
            double scale = solid_scale(&a, &b), off = fabs(gap - least_gap(&w)) / scale;
            int deep = gap + radii < 0.0; /* the cores overlap */
            worst[deep] = fmax(worst[deep], off), apart += !deep, overlapping += deep;
            /* polyhedra end after finitely many steps; for round surfaces both only converge */
            double tolerance = !smooth ? 1e-11 + 3.0 * allowance(&a, &b) / scale : 1e-7;
            if (off <= tolerance || ++bad > 3) continue;
            print_message("%s: gap %.17g, by support functions %.17g\n", pair_name(&a, &b), gap, least_gap(&w));
            print_pair(&a, &b);
        }
        print_message("%-20s apart %.1e, overlapping %.1e\n",
                      pair_name(&(solid){.shape.kind = ka}, &(solid){.shape.kind = kb}), worst[0], worst[1]);
    }
    assert_true(apart > 2000 && overlapping > 200);
    assert_int_equal(bad, 0);
}

static void a_plane_and_a_convex_shape_touch_at_its_lowest_point(void **state)
{
    (void)state;
    rng r = rng_make(11, 0);
    for (int k = 0; k < 2000; ++k) {
        scree_shape_kind kind = (scree_shape_kind)(k % EXACT_KINDS);
        solid a, b;
        manifold m, w = {.count = 0};
        if (kind == SCREE_SHAPE_PLANE) continue;
        random_pair(&r, SCREE_SHAPE_PLANE, kind, 10.0, &a, &b);
        collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
        collide_plane_faces(posed(&a), posed(&b), SCREE_INFINITY, &w);
        assert_true(fabs(least_gap(&w) - least_gap(&m)) <= 1e-14 * solid_scale(&a, &b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_normal_and_the_points_prove_the_gap),
        cmocka_unit_test(overlapping_pairs_are_parted_by_the_shortest_translation),
        cmocka_unit_test(a_translation_by_the_gap_brings_them_to_touch),
        cmocka_unit_test(b_with_a_is_the_mirror_of_a_with_b),
        cmocka_unit_test(a_rigid_motion_of_both_carries_the_contact_along),
        cmocka_unit_test(the_gap_is_continuous_along_motions),
        cmocka_unit_test(resting_pairs_keep_their_points_and_features),
        cmocka_unit_test(degenerate_pairs_have_a_defined_answer),
        cmocka_unit_test(capsules_that_nearly_coincide_part_across_their_axes),
        cmocka_unit_test(boxes_beside_edges_all_but_parallel_touch_when_moved_by_the_gap),
        cmocka_unit_test(a_plane_and_a_plane_never_touch),
        cmocka_unit_test(nothing_is_reported_beyond_reach_and_nothing_is_lost_within),
        cmocka_unit_test(gjk_and_epa_agree_with_the_closed_forms),
        cmocka_unit_test(a_plane_and_a_convex_shape_touch_at_its_lowest_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
