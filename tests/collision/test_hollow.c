/* test_hollow.c: where bodies touch the inside of tubes, funnels and bowls, judged by points of the surfaces and of the bodies. */
#include "near.h"
#include "posed.h"

#include "collision/hollow.h"
#include "collision/narrow.h"

#include <cmocka.h>
#include <string.h>

enum { WALLS = 5, PLACES = 300, SAMPLES = 900 };

static const double WALL_SIZE[WALLS][3] = {
    {1.0, 1.0, 1.5}, {0.4, 1.2, 0.7}, {0.0, 1.0, 0.8}, {1.0, 0.8, 0.0}, {1.0, 2.0, 0.0}};

static solid wall_make(int k)
{
    return solid_make(k < 3 ? SCREE_SHAPE_TUBE : SCREE_SHAPE_BOWL, WALL_SIZE[k][0], WALL_SIZE[k][1], WALL_SIZE[k][2]);
}

/// A point of the surface in its own frame, by two numbers in [0, 1].
static void surface_point(const solid *w, double s, double t, double p[3])
{
    const double angle = 6.283185307179586 * s, *size = w->size;
    double rho = size[0] + t * (size[1] - size[0]), z = (2.0 * t - 1.0) * size[2];
    if (w->shape.kind == SCREE_SHAPE_BOWL) z = -size[0] + t * size[1], rho = sqrt(fmax(size[0] * size[0] - z * z, 0.0));
    p[0] = rho * cos(angle), p[1] = rho * sin(angle), p[2] = z;
}

/// Height of a point above the wall as it would be without ends, in its own frame: what keeps bodies in.
static double height_of(const solid *w, const double p[3])
{
    const double *size = w->size, rho = hypot(p[0], p[1]), slant = hypot(size[1] - size[0], 2.0 * size[2]);
    if (w->shape.kind == SCREE_SHAPE_BOWL) return size[0] - vec_norm(p);
    return ((size[0] - rho) * 2.0 * size[2] + (p[2] + size[2]) * (size[1] - size[0])) / slant;
}

/// Is p on the surface?
static void on_surface(const solid *w, const double p[3])
{
    const double top = w->shape.kind == SCREE_SHAPE_BOWL ? w->size[1] - w->size[0] : w->size[2];
    near("height of the foot", height_of(w, p), 0.0, 1e-14);
    assert_true(p[2] <= top + 1e-14);
    assert_true(w->shape.kind == SCREE_SHAPE_BOWL || p[2] >= -top - 1e-14);
}

/// The foot is on the surface, at the distance found, and no other point of the surface is nearer.
static void a_ball_touches_at_the_nearest_point(void **state)
{
    (void)state;
    rng r = rng_make(41, 0);
    int rims = 0, sides = 0;
    for (int wall = 0; wall < WALLS; ++wall)
        for (int place = 0; place < PLACES; ++place) {
            solid w = wall_make(wall), b = solid_make(SCREE_SHAPE_SPHERE, rng_between(&r, 0.02, 0.3), 0, 0);
            contact_point found[SURFACE_POINTS];
            double *c = b.shape.x, foot[3], p[3], least = SCREE_INFINITY;
            for (int i = 0; i < 3; ++i) c[i] = rng_between(&r, -1.3, 1.3);
            int count = hollow_collide(posed(&w), posed(&b), 10.0, found);
            for (int k = 0; k < SAMPLES; ++k) {
                double d[3];
                surface_point(&w, rng_uniform(&r), k < 60 ? k % 2 : rng_uniform(&r), p);
                vec_sub(c, p, d);
                least = fmin(least, vec_norm(d));
            }
            near("distance", hollow_distance(posed(&w), c), least, 0.35);
            assert_true(hollow_distance(posed(&w), c) <= least + 1e-14);
            if (count == 0) { /* outside: beside the wall, or beyond the point of a funnel */
                assert_true(height_of(&w, c) <= 1e-14);
                continue;
            }
            assert_int_equal(found[0].feature, feature_pair(1, 1));
            vec_add_scaled(c, -(b.size[0] + found[0].gap), found[0].normal, foot);
            on_surface(&w, foot);
            near("unit", vec_norm(found[0].normal), 1.0, 1e-15);
            near("gap", found[0].gap + b.size[0], hollow_distance(posed(&w), c), 1e-14);
            int side = fabs(height_of(&w, c) - found[0].gap - b.size[0]) < 1e-12;
            rims += !side, sides += side;
        }
    assert_true(rims > 100 && sides > 300);
}

/// Lowest height over a body: of its vertices, or of many points of its surface.
static double lowest_height(const solid *w, const solid *b, rng *r)
{
    double least = SCREE_INFINITY;
    for (int k = 0; k < 20000; ++k) {
        double n[3], m[3], local[3], p[3];
        const double *s = b->size;
        rng_direction(r, n);
        memcpy(m, n, sizeof m);
        if (b->shape.kind == SCREE_SHAPE_BOX)
            for (int i = 0; i < 3; ++i) local[i] = m[i] < 0.0 ? -s[i] : s[i];
        else if (b->shape.kind == SCREE_SHAPE_ELLIPSOID)
            for (int i = 0; i < 3; ++i) local[i] = s[i] * m[i];
        else if (b->shape.kind == SCREE_SHAPE_CAPSULE) {
            for (int i = 0; i < 3; ++i) local[i] = s[0] * m[i];
            local[2] += m[2] < 0.0 ? -s[1] : s[1];
        } else { /* the rims of a cylinder */
            double length = hypot(m[0], m[1]);
            local[0] = s[0] * m[0] / length, local[1] = s[0] * m[1] / length, local[2] = m[2] < 0.0 ? -s[1] : s[1];
        }
        mat_apply(b->shape.R, local, p);
        for (int i = 0; i < 3; ++i) p[i] += b->shape.x[i];
        least = fmin(least, height_of(w, p));
    }
    return least;
}

/// Bodies well between the ends: the deepest gap is the lowest height of all their points, and every point found is on the body, with its own
/// height as gap and the wall's normal. Samples of a smooth surface miss its lowest point by little.
static void bodies_touch_at_their_lowest_points(void **state)
{
    static const scree_shape_kind kinds[] = {SCREE_SHAPE_BOX, SCREE_SHAPE_ELLIPSOID, SCREE_SHAPE_CAPSULE,
                                             SCREE_SHAPE_CYLINDER};
    (void)state;
    rng r = rng_make(42, 0);
    for (int wall = 0; wall < WALLS; ++wall)
        for (int trial = 0; trial < 40; ++trial) {
            solid w = wall_make(wall), b = solid_random(&r, kinds[trial % 4], 0.05, 0.2);
            contact_point found[SURFACE_POINTS];
            double deepest = SCREE_INFINITY;
            const double low = wall == 0 ? 0.6 : wall == 1 ? 0.3 : 0.0;
            for (int i = 0; i < 3; ++i) b.shape.x[i] = rng_between(&r, -0.3, 0.3);
            b.shape.x[2] = wall < 3 ? rng_between(&r, -low, low) : rng_between(&r, -0.6, -0.5);
            if (height_of(&w, b.shape.x) < 0.05) continue;
            int count = hollow_collide(posed(&w), posed(&b), 10.0, found);
            assert_true(count > 0);
            for (int k = 0; k < count; ++k) {
                double p[3];
                vec_add_scaled(found[k].position, 0.5 * found[k].gap, found[k].normal, p);
                const int ball = b.shape.kind == SCREE_SHAPE_CAPSULE; /* its ends are balls, half of them inside it */
                near("on the body", fmax(solid_outside(&b, p), ball ? 0.0 : -1.0), 0.0, 1e-9);
                if (!ball)
                    near("height", height_of(&w, p), found[k].gap,
                         1e-9); /* beside the nearest point: a tangent plane's */
                deepest = fmin(deepest, found[k].gap);
                if (k > 0) assert_true(found[k].feature > found[k - 1].feature);
            }
            double lowest = lowest_height(&w, &b, &r);
            assert_true(deepest <= lowest + 1e-12);
            near("deepest", deepest, lowest, b.shape.kind == SCREE_SHAPE_BOX ? 1e-12 : 2e-4);
        }
}

/// A box that sticks out of a lying tube by half rests on two vertices and on two points of its edges at the rim.
static void a_box_rests_on_the_rim_of_a_tube(void **state)
{
    (void)state;
    solid w = solid_make(SCREE_SHAPE_TUBE, 1.0, 1.0, 2.0), b = solid_make(SCREE_SHAPE_BOX, 0.3, 0.2, 0.8);
    contact_point found[SURFACE_POINTS];
    b.shape.x[1] = -(sqrt(1.0 - 0.09) - 0.2), b.shape.x[2] = 2.0;
    int count = hollow_collide(posed(&w), posed(&b), 1e-9, found), inside = 0, at_rim = 0;
    assert_int_equal(count, 4);
    for (int k = 0; k < count; ++k) {
        near("gap", found[k].gap, 0.0, 1e-15);
        near("x", fabs(found[k].position[0]), 0.3, 1e-15);
        inside += fabs(found[k].position[2] - 1.2) < 1e-15, at_rim += found[k].position[2] == 2.0;
        near("normal", found[k].normal[1], sqrt(1.0 - 0.09), 1e-15);
    }
    assert_int_equal(inside, 2);
    assert_int_equal(at_rim, 2);
}

/// A capsule that leans over the rim of an upright tube: its side touches the rim, gap by two points in a plane.
static void a_capsule_leans_on_the_rim(void **state)
{
    (void)state;
    const double angle = 0.4, half = 1.0, r = 0.05;
    solid w = solid_make(SCREE_SHAPE_TUBE, 0.5, 0.5, 0.5), b = solid_make(SCREE_SHAPE_CAPSULE, r, half, 0);
    contact_point found[SURFACE_POINTS];
    const double turn[3] = {0.0, angle, 0.0};
    solid_turn(&b, turn);
    const double u[2] = {sin(angle), cos(angle)}; /* of its axis, in x and z */
    b.shape.x[0] = 0.1, b.shape.x[2] = 0.2;
    const double d[2] = {0.5 - 0.1, 0.5 - 0.2}, away = d[0] * u[1] - d[1] * u[0]; /* of the rim at (0.5, 0.5) from it */
    int count = hollow_collide(posed(&w), posed(&b), 0.3, found), at = -1;
    for (int k = 0; k < count; ++k)
        if (fabs(found[k].position[2] - 0.5) < 0.2 && found[k].position[0] > 0.0) at = k;
    assert_true(at >= 0);
    near("gap", found[at].gap, away - r, 1e-14);
    near("normal", found[at].normal[0], -u[1], 1e-14);
}

/// One that all but fills the tube: three points around, whose gaps bound it on every side.
static void a_ball_that_fills_a_tube_touches_all_round(void **state)
{
    (void)state;
    solid w = solid_make(SCREE_SHAPE_TUBE, 1.0, 1.0, 2.0), b = solid_make(SCREE_SHAPE_SPHERE, 0.999, 0, 0);
    contact_point found[SURFACE_POINTS];
    b.shape.x[0] = 4e-4, b.shape.x[1] = -3e-4;
    assert_int_equal(hollow_collide(posed(&w), posed(&b), 0.01, found), HOLLOW_BALL_POINTS);
    double sum[3] = {0.0, 0.0, 0.0};
    near("nearest", found[0].gap, 1e-3 - 5e-4, 1e-15);
    for (int k = 0; k < HOLLOW_BALL_POINTS; ++k) {
        vec_add_scaled(sum, 1.0, found[k].normal, sum);
        near("tangent plane", found[k].gap, 1e-3 + vec_dot(found[k].normal, b.shape.x), 1e-15);
    }
    near("all round", vec_norm(sum), 0.0, 1e-15);
}

static void turned_and_moved_walls_give_the_same_contacts_turned_and_moved(void **state)
{
    (void)state;
    rng r = rng_make(43, 0);
    for (int trial = 0; trial < 60; ++trial) {
        solid w = wall_make(trial % WALLS),
              b = solid_random(&r, trial % 2 ? SCREE_SHAPE_BOX : SCREE_SHAPE_CAPSULE, 0.1, 0.3);
        contact_point found[SURFACE_POINTS], moved[SURFACE_POINTS];
        double T[9], R[9], at[3], far[3] = {3.0, -2.0, 1.0};
        for (int i = 0; i < 3; ++i) b.shape.x[i] = rng_between(&r, -0.2, 0.2);
        b.shape.x[2] -= 0.3;
        int count = hollow_collide(posed(&w), posed(&b), 0.2, found);
        rng_rotation(&r, T);
        mat_mul(T, b.shape.R, R), memcpy(b.shape.R, R, sizeof R), memcpy(w.shape.R, T, sizeof T);
        mat_apply(T, b.shape.x, at);
        for (int i = 0; i < 3; ++i) b.shape.x[i] = at[i] + far[i], w.shape.x[i] = far[i];
        assert_int_equal(hollow_collide(posed(&w), posed(&b), 0.2, moved), count);
        for (int k = 0; k < count; ++k) {
            near("gap", moved[k].gap, found[k].gap, 2e-14);
            mat_apply(T, found[k].position, at);
            for (int i = 0; i < 3; ++i) near("place", moved[k].position[i], at[i] + far[i], 2e-14);
            assert_true(moved[k].feature == found[k].feature);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_touches_at_the_nearest_point),
        cmocka_unit_test(bodies_touch_at_their_lowest_points),
        cmocka_unit_test(a_box_rests_on_the_rim_of_a_tube),
        cmocka_unit_test(a_capsule_leans_on_the_rim),
        cmocka_unit_test(a_ball_that_fills_a_tube_touches_all_round),
        cmocka_unit_test(turned_and_moved_walls_give_the_same_contacts_turned_and_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
