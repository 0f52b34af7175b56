/* test_collide_faces.c: shapes that go by GJK, EPA and their faces (faces.c), judged from geometry (posed.h). */
#include "collision/faces.h"
#include "posed.h"
#include "twins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static double least_gap(const manifold *m)
{
    double least = SCREE_INFINITY;
    for (int k = 0; k < m->count; ++k) least = fmin(least, m->point[k].gap);
    return least;
}

/// B along a random direction from A, by a gap within `part` of the sizes; now and then with parallel axes.
static void random_pair(rng *r, scree_shape_kind ka, scree_shape_kind kb, double part, solid *a, solid *b)
{
    double u[3], minus[3];
    *a = solid_random(r, ka, 0.2, 1.0), *b = solid_random(r, kb, 0.2, 1.0);
    if (rng_uniform(r) < 0.3) memcpy(b->shape.R, a->shape.R, sizeof a->shape.R);
    rng_direction(r, u);
    if (ka == SCREE_SHAPE_PLANE)
        for (int i = 0; i < 3; ++i) u[i] = a->shape.R[3 * i + 2];
    for (int i = 0; i < 3; ++i) minus[i] = -u[i];
    double distance = solid_width(a, u) + solid_width(b, minus) + part * rng_between(r, -0.2, 0.3);
    for (int i = 0; i < 3; ++i) {
        a->shape.x[i] = rng_between(r, -1.0, 1.0);
        b->shape.x[i] = a->shape.x[i] + distance * u[i];
    }
}

/// The gap is the separation along the normal; apart, the deepest points lie on both, so it is the distance; overlapping, no direction
/// of a dense net parts them by less. Where curved sides all but touch, the points are known to 4e-5 of the sizes. Features ascend.
static void gaps_are_separations_and_no_direction_is_better(void **state)
{
    (void)state;
    long bad = 0;
    for (int ka = 0; ka < SMOOTH_KINDS; ++ka)
        for (int kb = EXACT_KINDS; kb < SMOOTH_KINDS; ++kb) {
            if (ka > kb) continue;
            rng r = rng_make(31, (uint64_t)ka * SMOOTH_KINDS + (uint64_t)kb);
            double worst_gap = 0.0, worst_point = 0.0, worst_depth = 0.0;
            for (long k = 0; k < samples(300, 20000); ++k) {
                solid a, b;
                manifold m;
                random_pair(&r, (scree_shape_kind)ka, (scree_shape_kind)kb, k % 4 == 3 ? 1e-9 : 1.0, &a, &b);
                collide(posed(&a), posed(&b), SCREE_INFINITY, &m);
                assert_true(m.count > 0 && m.count <= MANIFOLD_MAX && fabs(vec_norm(m.normal) - 1.0) < 1e-14);
                double gap = least_gap(&m), n[3] = {0, 0, 1};
                worst_gap = fmax(worst_gap, fabs(gap - separation(&a, &b, m.normal)));
                for (int p = 0; p < m.count; ++p) {
                    double pa[3], pb[3];
                    assert_true(p == 0 || m.point[p].feature > m.point[p - 1].feature);
                    if (m.point[p].gap > gap || gap < 0.0) continue;
                    vec_add_scaled(m.point[p].position, -0.5 * gap, m.normal, pa);
                    vec_add_scaled(m.point[p].position, 0.5 * gap, m.normal, pb);
                    worst_point = fmax(worst_point, fmax(solid_outside(&a, pa), solid_outside(&b, pb)));
                }
                if (ka == SCREE_SHAPE_PLANE || k % 8 != 0 || gap > 0.0) continue;
                worst_depth = fmax(worst_depth, dense_separation(&a, &b, &r, n) - gap);
            }
            print_message("%s/%s: gap %.1e, points %.1e, depth %.1e\n", scree_shape_kind_name((scree_shape_kind)ka),
                          scree_shape_kind_name((scree_shape_kind)kb), worst_gap, worst_point, worst_depth);
            bad += worst_gap > 1e-9 || worst_point > 1e-4 || worst_depth > 1e-6;
        }
    assert_int_equal(bad, 0);
}

/// collide(b, a) is the mirror of collide(a, b).
static void the_order_does_not_matter(void **state)
{
    (void)state;
    rng r = rng_make(32, 0);
    for (int k = 0; k < 2000; ++k) {
        solid a, b;
        manifold m, w;
        random_pair(&r, (scree_shape_kind)(k % SMOOTH_KINDS),
                    (scree_shape_kind)(EXACT_KINDS + k % (SMOOTH_KINDS - EXACT_KINDS)), 1.0, &a, &b);
        collide(posed(&a), posed(&b), 0.1, &m);
        collide(posed(&b), posed(&a), 0.1, &w);
        assert_int_equal(m.count, w.count);
        for (int p = 0; p < m.count; ++p) {
            int found = 0;
            for (int i = 0; i < w.count; ++i)
                found += w.point[i].feature == (m.point[p].feature << 32 | m.point[p].feature >> 32) &&
                         w.point[i].gap == m.point[p].gap && w.point[i].position[0] == m.point[p].position[0];
            assert_int_equal(found, 1);
            assert_true(w.normal[0] == -m.normal[0]);
        }
    }
}

/// What stands on something flat touches it along the whole face, from whatever direction and however it was turned about the vertical.
static void standing_shapes_touch_with_their_whole_face(void **state)
{
    (void)state;
    const scree_shape_kind under[] = {SCREE_SHAPE_PLANE, SCREE_SHAPE_BOX, SCREE_SHAPE_CYLINDER};
    rng r = rng_make(33, 0);
    for (int k = 0; k < 600; ++k) {
        solid floor = solid_make(under[k % 3], 3.0, 3.0, 3.0), b = solid_make(EXACT_KINDS + k % 2, 0.5, 1.0, 0);
        double angle[3] = {0, 0, rng_between(&r, 0.0, 6.3)}, Q[9], gap = rng_between(&r, -1e-6, 1e-6);
        if (floor.shape.kind == SCREE_SHAPE_PLANE) floor.size[0] = floor.size[1] = floor.size[2] = 0.0;
        if (floor.shape.kind == SCREE_SHAPE_CYLINDER) floor.size[2] = 0.0;
        double top = floor.shape.kind == SCREE_SHAPE_PLANE ? 0.0 : 3.0;
        solid_turn(&b, angle);
        b.shape.x[0] = rng_between(&r, -1.0, 1.0), b.shape.x[1] = rng_between(&r, -1.0, 1.0);
        b.shape.x[2] = top + gap + (b.shape.kind == SCREE_SHAPE_CONE ? 0.25 : 1.0);
        rng_rotation(&r, Q);
        for (int s = 0; s < 2; ++s) {
            solid *it = s ? &b : &floor;
            double x[3], R[9];
            mat_apply(Q, it->shape.x, x), mat_mul(Q, it->shape.R, R);
            memcpy(it->shape.x, x, sizeof x), memcpy(it->shape.R, R, sizeof R);
        }
        manifold m;
        collide(posed(&floor), posed(&b), 1e-3, &m);
        assert_int_equal(m.count, MANIFOLD_MAX); /* eight points of the rim */
        double middle[3] = {0, 0, 0}, up[3] = {Q[2], Q[5], Q[8]};
        assert_true(vec_dot(up, m.normal) > 1.0 - 1e-12);
        for (int p = 0; p < 8; ++p) {
            assert_true(fabs(m.point[p].gap - gap) < 1e-12);
            vec_add_scaled(middle, 0.125, m.point[p].position, middle);
        }
        vec_sub(middle, b.shape.x, middle);
        vec_add_scaled(middle, -vec_dot(middle, up), up, middle);
        assert_true(vec_norm(middle) < 0.05);
    }
}

/// A cylinder on its side: both ends of the line, and nothing else, on a plane, on a box and beside its like.
static void a_lying_cylinder_touches_along_a_line(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        solid under = k == 0   ? solid_make(SCREE_SHAPE_PLANE, 0, 0, 0)
                      : k == 1 ? solid_make(SCREE_SHAPE_BOX, 5, 5, 1)
                               : solid_make(SCREE_SHAPE_CYLINDER, 1.0, 2.0, 0),
              log = solid_make(SCREE_SHAPE_CYLINDER, 0.5, 1.0, 0);
        const double down[3] = {0.0, 1.57079632679489661923, 0.0};
        solid_turn(&log, down);
        if (k == 2) solid_turn(&under, down);
        log.shape.x[2] = (k == 0 ? 0.5 : 1.5) + 1e-7;
        manifold m;
        collide(posed(&under), posed(&log), 1e-3, &m);
        assert_int_equal(m.count, 2);
        for (int p = 0; p < 2; ++p) {
            assert_true(fabs(m.point[p].gap - 1e-7) < 1e-12);
            assert_true(fabs(fabs(m.point[p].position[0]) - 1.0) < 1e-9 && fabs(m.point[p].position[1]) < 1e-6);
        }
        assert_true(m.point[0].position[0] * m.point[1].position[0] < 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_separations_and_no_direction_is_better),
        cmocka_unit_test(the_order_does_not_matter),
        cmocka_unit_test(standing_shapes_touch_with_their_whole_face),
        cmocka_unit_test(a_lying_cylinder_touches_along_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
