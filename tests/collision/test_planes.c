/* test_planes.c: the axes of the world are alike. A plane across x or y, made by a quarter turn that no quaternion of doubles holds, is
 * as exact as one across z: its normal is an axis to the bit, and what rests on it moves as its mirror image does. */
#include "soft_scene.h"
#include "world/world_private.h"

/// Plane across `axis`, looking to `sign`; gravity the other way. Soft and rigid schemes read their own part of the material.
static scree_world *world_along(int axis, double sign, double g, double e)
{
    scree_material m = soft_rubber(0.5, 0.4, e, 2e5, 1e5);
    scree_world_options options = scree_world_options_default();
    scree_world *world;
    scree_error error = {0};
    m.friction.rolling = (scree_friction_length){0.02, 1}, m.friction.spinning = (scree_friction_length){0.01, 1};
    options.gravity[0] = options.gravity[1] = options.gravity[2] = 0.0;
    options.gravity[axis] = -sign * g, options.soft = 1;
    world = scree_world_create(&options, &error);
    expect_ok(error.status, &error);
    scree_world_add_material(world, &m, &error);
    expect_ok(error.status, &error);
    return world;
}

static void plane_along(scree_world *world, int axis, double sign, double at)
{
    double point[3] = {0, 0, 0}, normal[3] = {0, 0, 0};
    point[axis] = at, normal[axis] = sign;
    scene_plane(world, point, normal);
}

static int sphere_along(scree_world *world, int axis, double at)
{
    double x[3] = {0, 0, 0};
    x[axis] = at;
    return scene_sphere(world, 0.1, 1.0, x[0], x[1], x[2]);
}

/// Off the axis nothing has moved, not by a bit.
static void expect_on_axis(const scree_world *world, int body, int axis)
{
    const double *x = scree_world_positions(world) + 3 * body, *v = scree_world_velocities(world) + 3 * body;
    for (int i = 0; i < 3; ++i)
        if (i != axis && (x[i] != 0.0 || v[i] != 0.0))
            fail_msg("along %c: %c = %g, velocity %g", "xyz"[axis], "xyz"[i], x[i], v[i]);
}

/* ---- axes -------------------------------------------------------------------------------------------------------------------- */

static void quarter_turns_give_the_axes_of_the_world(void **state)
{
    (void)state;
    for (int k = 0; k < 64; ++k) { /* by 0 to 3 quarters about x, then y, then z */
        double q[4] = {1, 0, 0, 0}, R[9], sum = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
            double a[3] = {0, 0, 0}, turn[4], next[4];
            a[axis] = 0.5 * PI * (k >> 2 * axis & 3);
            quat_exp(a, turn);
            quat_mul(turn, q, next);
            memcpy(q, next, sizeof q);
        }
        quat_axes(q, R);
        for (int i = 0; i < 9; ++i) {
            assert_true(R[i] == 0.0 || fabs(R[i]) == 1.0);
            sum += fabs(R[i]);
        }
        assert_true(sum == 3.0);
    }
}

static void other_turns_keep_their_axes(void **state)
{
    (void)state;
    rng random = rng_make(3, 0);
    for (int k = 0; k < 1000; ++k) {
        double q[4], R[9], M[9];
        for (int i = 0; i < 4; ++i) q[i] = rng_uniform(&random) - 0.5;
        if (k % 2) q[1 + k % 3] = q[0] = 1e-3 * q[0] * pow(0.1, k % 12); /* nearly half a turn */
        quat_normalise(q);
        quat_matrix(q, M);
        quat_axes(q, R);
        for (int c = 0; c < 3; ++c) {
            const double u[3] = {R[c], R[3 + c], R[6 + c]};
            assert_true(fabs(vec_norm(u) - 1.0) <= 2.3e-16);
            for (int i = 0; i < 3; ++i) assert_true(fabs(u[i] - M[3 * i + c]) <= 8.0 * DBL_EPSILON);
        }
    }
}

/// The plane is a part of a body that is turned by a quarter itself, and lies 0.7 m from its origin.
static void a_turned_body_has_an_exact_plane(void **state)
{
    (void)state;
    for (int axis = 0; axis < 2; ++axis)
        for (int quarters = 1; quarters <= 3; ++quarters) {
            scree_world *world = world_along(2, 1.0, 0.0, 0.5);
            scree_body_def def = scree_body_def_default();
            scree_shape shape = scree_shape_plane(scree_material_at(0));
            scree_error error = {0};
            posed_shape at;
            double turn[3] = {0, 0, 0};
            turn[axis] = 0.5 * PI * quarters, shape.position[2] = 0.7;
            quat_exp(turn, def.rotation);
            def.kind = SCREE_BODY_FIXED, def.shapes = &shape, def.shape_count = 1;
            scree_world_add_body(world, &def, &error);
            expect_ok(error.status, &error);
            world_shape_pose(world, 0, &at);
            for (int i = 0; i < 3; ++i) {
                assert_true(at.R[3 * i + 2] == 0.0 || fabs(at.R[3 * i + 2]) == 1.0);
                assert_true(at.x[i] == 0.7 * at.R[3 * i + 2]);
            }
            scree_world_destroy(world);
        }
}

static void a_sphere_that_just_touches_is_found_on_every_side(void **state)
{
    (void)state;
    for (int k = 0; k < 6; ++k) {
        double sign = k % 2 ? -1.0 : 1.0;
        scree_world *world = world_along(k / 2, sign, 0.0, 0.5);
        plane_along(world, k / 2, sign, 0.0);
        sphere_along(world, k / 2, sign * 0.1);
        assert_int_equal(scree_world_detect(world, 0.0, NULL, NULL), SCREE_OK);
        assert_int_equal(scree_world_contact_count(world), 1);
        const scree_contact_point *t = scree_world_contacts(world);
        assert_true(t->gap == 0.0);
        for (int i = 0; i < 3; ++i) assert_true(fabs(t->normal[i]) == (i == k / 2 ? 1.0 : 0.0));
        scree_world_destroy(world);
    }
}

/* ---- motion ------------------------------------------------------------------------------------------------------------------ */

enum { STEPS = 300 };

/// Coordinates along the axis, from the plane on, of a sphere that starts `above` it.
static void fall(int scheme, int axis, double sign, double above, double path[STEPS])
{
    scree_world *world = world_along(axis, sign, 9.81, 0.5);
    scree_stepper *stepper = scheme_stepper(scheme);
    plane_along(world, axis, sign, 0.0);
    int ball = sphere_along(world, axis, sign * (0.1 + above));
    for (int k = 0; k < STEPS; ++k) {
        scene_step(stepper, world);
        path[k] = sign * scree_world_positions(world)[3 * ball + axis];
    }
    expect_on_axis(world, ball, axis);
    if (scheme == 3) assert_non_null(world->holder.engine);
    soft_finish(world, stepper);
}

static void a_sphere_rests_alike_on_every_side(void **state)
{
    (void)state;
    static double expected[STEPS], path[STEPS];
    for (int scheme = 0; scheme < SCHEMES; ++scheme)
        for (int dropped = 0; dropped < 2; ++dropped) {
            double above = dropped ? 0.0003 : 0.0;
            fall(scheme, 2, 1.0, above, expected);
            assert_true(fabs(expected[STEPS - 1] - 0.1) < 1e-3);
            for (int k = 0; k < 6; ++k) {
                fall(scheme, k / 2, k % 2 ? -1.0 : 1.0, above, path);
                assert_memory_equal(path, expected, sizeof path);
            }
        }
}

/// Two equal soft spheres between two planes that overlap them by 1 mm each, and nothing that holds them on the axis: it is unstable,
/// and one rounding off the axis grows by orders of magnitude each millisecond.
static void a_squeezed_pair_stays_on_its_axis(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; ++axis)
        for (int bed = 0; bed < 2; ++bed) {
            scree_world *world = world_along(axis, 1.0, 0.0, 0.5);
            scree_stepper *stepper = scheme_stepper(2 + bed);
            scree_error error = {0};
            plane_along(world, axis, 1.0, -0.198), plane_along(world, axis, -1.0, 0.198);
            int low = sphere_along(world, axis, -0.0995), high = sphere_along(world, axis, 0.0995);
            expect_ok(scree_advance(stepper, world, 200, NULL, &error), &error);
            expect_on_axis(world, low, axis), expect_on_axis(world, high, axis);
            const double *x = scree_world_positions(world);
            assert_true(x[3 * low + axis] == -x[3 * high + axis] && fabs(x[3 * high + axis]) < 0.0995);
            soft_finish(world, stepper);
        }
}

/// A driven plane that turns sweeps farther, the farther away a body is: a pair that is listed is found in the same reach as any.
static void a_plane_that_turns_is_found_among_listed_pairs(void **state)
{
    (void)state;
    const double h = 1e-3, gaps[] = {-0.001, 0.0005, 0.0025, 0.01};
    for (int k = 0; k < 4; ++k) {
        scree_world *world = world_along(2, 1.0, 0.0, 0.5);
        scree_body_def def = scree_body_def_default();
        scree_shape shape = scree_shape_plane(scree_material_at(0));
        scree_error error = {0};
        double time[1] = {0.0}, spin[3] = {0.0, 1.0, 0.0};
        def.kind = SCREE_BODY_DRIVEN, def.shapes = &shape, def.shape_count = 1;
        def.motion.spin = (scree_table){1, time, spin};
        scree_world_add_body(world, &def, &error);
        expect_ok(error.status, &error);
        scene_sphere(world, 0.1, 1.0, 3.0, 0.0, 0.1 + gaps[k]); /* 3 m from the axis the plane sweeps 3 mm in a step */
        scree_world_detect(world, h, NULL, &error);
        expect_ok(error.status, &error);
        const int found = scree_world_contact_count(world), pair[1][2] = {{0, 1}}, shapes[2] = {0, 1};
        assert_int_equal(found, k < 3);
        const listed_pairs listed = {.count = 1, .shapes = 2, .pair = pair, .shape = shapes};
        assert_int_equal(world_detect_listed(world, &listed, h, NULL), SCREE_OK);
        assert_int_equal(scree_world_contact_count(world), found);
        scree_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quarter_turns_give_the_axes_of_the_world),
        cmocka_unit_test(other_turns_keep_their_axes),
        cmocka_unit_test(a_turned_body_has_an_exact_plane),
        cmocka_unit_test(a_sphere_that_just_touches_is_found_on_every_side),
        cmocka_unit_test(a_sphere_rests_alike_on_every_side),
        cmocka_unit_test(a_squeezed_pair_stays_on_its_axis),
        cmocka_unit_test(a_plane_that_turns_is_found_among_listed_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
