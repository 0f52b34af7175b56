/* test_dem_walls.c: walls of any shape around spheres in the fast engine, against closed forms and against the stages for any shape. */
#include "failing_allocator.h"
#include "walled_scene.h"

static scree_stepper *any_bed(const scree_allocator *allocator)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_DEM, options.step = 1e-4;
    return scene_stepper(&options, allocator);
}

/// n x n balls of radius 0.1 on a square lattice about the z axis.
static void add_balls(scree_world *world, int n, double pitch, double z)
{
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column)
            scene_sphere(world, 0.1, 1.0, pitch * (column - 0.5 * (n - 1)), pitch * (row - 0.5 * (n - 1)), z);
}

/* ---- closed forms ------------------------------------------------------------------------------------------------------------ */

/// A ball that rolls on a plane, a box or triangles goes v^2 / (2 (5/7) g rho/R), and rests.
static void a_ball_rolls_to_rest_on_every_wall(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    const double v = 0.5, R = 0.1, ratio = 0.05, g = 9.8, exact = v * v / (2.0 * 5.0 / 7.0 * g * ratio);
    double way[3];
    for (int wall = 0; wall < 3; ++wall) {
        scree_material m = soft_rubber(0.5, 0.5, 0.0, 2e5, 1e5);
        m.friction.rolling = (scree_friction_length){ratio, 1};
        m.soft.damping_share = 0.1;
        scree_world *world = soft_world(&m, g, 0.0, NULL);
        scree_shape box = scree_shape_box(2.0, 2.0, 0.5, scree_material_at(0));
        if (wall == 0) scene_floor(world);
        if (wall == 1) add_wall(world, SCREE_BODY_FIXED, 1, &box, 0.0, 0.0, -0.5, NULL);
        if (wall == 2) add_mesh(world, 3.0, 17, -1.03, -1.41, 0.0);
        int ball = scene_sphere(world, R, 1.0, 0.0, 0.0, R - g / 2e5);
        scene_move(world, ball, (const double[3]){v, 0.0, 0.0}, (const double[3]){0.0, v / R, 0.0});
        scree_stepper *stepper = any_bed(NULL);
        scree_error error = {0};
        expect_ok(scree_advance(stepper, world, 60000, NULL, &error), &error);
        assert_non_null(world->holder.engine);
        way[wall] = scree_world_positions(world)[3 * ball];
        near("at rest", vec_norm(scree_world_velocities(world) + 3 * ball), 0.0, 1e-9);
        near("its lane", scree_world_positions(world)[3 * ball + 1], 0.0, 1e-9);
        soft_finish(world, stepper);
    }
    print_message("rolls to rest: exact %.6f, plane %.6f, box %.6f, triangles %.6f\n", exact, way[0], way[1], way[2]);
    within("plane", way[0], exact, 0.01);
    within("box", way[1], way[0], 1e-6);
    within("triangles", way[2], way[0], 1e-6);
}

/// What a lift carries weighs m (g + a), and its work is what the load gains.
static void a_lift_of_boxes_feels_its_load(void **state)
{
    (void)state;
    static const double time[3] = {0.0, 1.0, 2.0}, velocity[9] = {0, 0, 0, 0, 0, 0, 0, 0, 3.0};
    const scree_motion motion = {.velocity = {3, time, velocity}};
    scree_material m = soft_rubber(0.5, 0.4, 0.1, 2e5, 1e5);
    scree_world *world = soft_world(&m, 9.8, 0.0, NULL);
    scree_shape shape[3] = {scree_shape_box(0.5, 0.5, 0.1, scree_material_at(0)),
                            scree_shape_box(0.1, 0.5, 0.5, scree_material_at(0)),
                            scree_shape_box(0.1, 0.5, 0.5, scree_material_at(0))};
    shape[1].position[0] = -0.5, shape[2].position[0] = 0.5;
    int lift = add_wall(world, SCREE_BODY_DRIVEN, 3, shape, 0.0, 0.0, 0.0, &motion);
    add_balls(world, 3, 0.25, 0.2);
    scree_stepper *stepper = any_bed(NULL);
    scree_error error = {0};
    double force[3], moment[3];
    expect_ok(scree_advance(stepper, world, 9000, NULL, &error), &error);
    scree_world_contact_force(world, scree_body_at(lift), force, moment);
    within("weight", -force[2], 9.0 * 9.8, 1e-6);
    double driven = scree_stepper_totals(stepper)->energy.driven;
    expect_ok(scree_advance(stepper, world, 9000, NULL, &error), &error);
    assert_non_null(world->holder.engine);
    scree_world_contact_force(world, scree_body_at(lift), force, moment);
    within("weight going up", -force[2], 9.0 * (9.8 + 3.0), 1e-3);
    const scree_ledger *e = &scree_stepper_totals(stepper)->energy;
    double t = 0.8, gained = 9.0 * (0.5 * 9.0 * t * t + 9.8 * 0.5 * 3.0 * t * t);
    within("work", e->driven - driven, gained, 2e-3);
    soft_finish(world, stepper);
}

/// A servo of boxes presses with its force.
static void a_servo_of_boxes_presses(void **state)
{
    (void)state;
    scree_material m = soft_rubber(0.5, 0.4, 0.3, 2e5, 1e5);
    scree_world *world = soft_world(&m, 9.8, 0.0, NULL);
    const scree_motion motion = {.servo = {{0, 0, -1}, 300.0, 2e-4, 0.1}};
    scree_shape plate = scree_shape_box(0.5, 0.5, 0.05, scree_material_at(0)),
                ground = scree_shape_box(2.0, 2.0, 0.5, scree_material_at(0));
    add_wall(world, SCREE_BODY_FIXED, 1, &ground, 0.0, 0.0, -0.5, NULL);
    int press = add_wall(world, SCREE_BODY_DRIVEN, 1, &plate, 0.0, 0.0, 0.26, &motion);
    add_balls(world, 2, 0.3, 0.1);
    scree_stepper *stepper = any_bed(NULL);
    scree_error error = {0};
    double force[3], moment[3];
    expect_ok(scree_advance(stepper, world, 8000, NULL, &error), &error);
    scree_world_contact_force(world, scree_body_at(press), force, moment);
    within("force of the servo", force[2], 300.0, 1e-6);
    assert_non_null(world->holder.engine);
    soft_finish(world, stepper);
}

/* ---- beside the slow twin ----------------------------------------------------------------------------------------------------- */

static void walls_of_any_shape_stand_around_a_bed(void **state)
{
    (void)state;
    const scenario s[2] = {{tracked, NULL, 11, 100}, {sds, NULL, 11, 100}};
    outcome out[2];
    expect_the_twin(&s[0], "walls, tracking", 1e-11, out);
    expect_ledger(out, 1e-9);
    expect_the_twin(&s[1], "walls, sds", 1e-12, out);
    expect_one_hash(&s[0]);
}

static void walls_and_spheres_come_and_leave(void **state)
{
    (void)state;
    const scenario s = {tracked, come_and_leave, 10, 100};
    outcome out[2];
    expect_the_twin(&s, "walls leave", 1e-11, out);
    expect_one_hash(&s);
}

static void spheres_at_walls_may_be_moved_by_hand(void **state)
{
    (void)state;
    const scenario s = {tracked, nudge, 11, 100};
    outcome out[2];
    expect_the_twin(&s, "nudged", 1e-9, out);
    expect_ledger(out, 1e-9);
    expect_one_hash(&s);
}

/// A ball that falls on a box: who asks for reports changes no bit, and an engine that is made again remembers the deepest overlap.
static void the_deepest_overlap_is_kept_and_reports_change_no_bit(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int reports = 0; reports < 2; ++reports) {
        scree_material m = soft_rubber(0.5, 0.5, 0.5, 2e5, 1e5);
        scree_world *world = soft_world(&m, 9.8, 0.0, NULL);
        scree_shape box = scree_shape_box(2.0, 2.0, 0.5, scree_material_at(0));
        add_wall(world, SCREE_BODY_FIXED, 1, &box, 0.0, 0.0, -0.5, NULL);
        const int ball = scene_sphere(world, 0.1, 1.0, 0.0, 0.0, 0.1);
        scene_move(world, ball, (const double[3]){0.0, 0.0, -1.0}, (const double[3]){0.0, 0.0, 0.0});
        scree_stepper *stepper = any_bed(NULL);
        scree_step_report report;
        scree_error error = {0};
        for (int step = 0; step < 150; ++step) /* it comes in, and has left again */
            expect_ok(scree_advance(stepper, world, 1, reports ? &report : NULL, &error), &error);
        hash[reports] = scree_world_hash(world);
        const double deepest = scree_stepper_totals(stepper)->penetration_max,
                     z = scree_world_positions(world)[3 * ball + 2];
        scree_world_set_state(world, scree_body_at(ball), NULL, NULL, NULL, NULL); /* takes the engine away */
        expect_ok(scree_advance(stepper, world, 2, reports ? &report : NULL, &error), &error);
        assert_true(z > 0.1 && deepest > 1e-3);
        assert_true(scree_stepper_totals(stepper)->penetration_max >= deepest);
        soft_finish(world, stepper);
    }
    assert_true(hash[0] == hash[1]);
}

/* ---- memory ------------------------------------------------------------------------------------------------------------------- */

static scree_world *small_lift(const scree_allocator *allocator)
{
    const scree_motion motion = {.amplitude = {0.0, 0.002, 0.001}, .frequency = 20.0};
    scree_world *world = soft_block(SCREE_DEM_TRACKING, 3, 0.1995, 0, allocator);
    scree_shape shape = scree_shape_box(0.5, 0.5, 0.1, scree_material_at(0));
    add_wall(world, SCREE_BODY_DRIVEN, 1, &shape, 0.3, 0.3, -0.098, &motion);
    return world;
}

/// `first` steps, then `second` of which the n-th allocation fails (-1: none) and which are then tried again. Returns 1 if it did.
static int run_refused(int first, int second, int n, uint64_t *hash)
{
    failing f = {.left = -1};
    scree_allocator allocator = failing_allocator(&f);
    scree_world *world = small_lift(&allocator);
    scree_stepper *stepper = any_bed(&allocator);
    scree_error error = {.text = ""};
    if (first > 0) expect_ok(scree_advance(stepper, world, first, NULL, &error), &error);
    f.left = n;
    scree_status status = scree_advance(stepper, world, second, NULL, &error);
    f.left = -1;
    if (status) {
        assert_int_equal(status, SCREE_ERR_MEMORY);
        assert_true(strstr(error.text, "memory") != NULL);
        error = (scree_error){0};
        expect_ok(scree_advance(stepper, world, first + second - scree_world_step_count(world), NULL, &error), &error);
    }
    *hash = scree_world_hash(world);
    soft_finish(world, stepper);
    assert_int_equal(f.live, 0);
    return status != SCREE_OK;
}

/// A call that fails leaves the world as after the last step it took: tried again, the run goes on to the same bits.
static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const int steps[2][2] = {{0, 40}, {40, 500}};
    int failed = 0;
    for (int k = 0; k < 2; ++k) {
        uint64_t whole, hash;
        run_refused(steps[k][0], steps[k][1], -1, &whole);
        for (int n = 0; run_refused(steps[k][0], steps[k][1], n, &hash); ++n, ++failed) assert_true(hash == whole);
    }
    assert_true(failed >= 20);
}

static void a_warm_bed_with_walls_asks_for_no_memory(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    failing f = {.left = -1};
    scree_allocator allocator = failing_allocator(&f);
    scree_world *world = small_lift(&allocator);
    scree_stepper *stepper = any_bed(&allocator);
    scree_error error = {0};
    for (int k = 0; k < 8; ++k) expect_ok(scree_advance(stepper, world, 2500, NULL, &error), &error);
    int made = f.made;
    expect_ok(scree_advance(stepper, world, 500, NULL, &error), &error);
    assert_int_equal(f.made, made);
    soft_finish(world, stepper);
    assert_int_equal(f.live, 0);
}

/// Without a report, losses are summed on, and energies of the totals stay as the last report found them.
static void totals_without_a_report(void **state)
{
    (void)state;
    scree_world *world = small_lift(NULL);
    scree_stepper *stepper = any_bed(NULL);
    scree_step_report report;
    scree_error error = {0};
    expect_ok(scree_advance(stepper, world, 2000, &report, &error), &error);
    const scree_ledger then = scree_stepper_totals(stepper)->energy;
    assert_true(then.elastic > 0.0 && then.potential > 0.0);
    for (int k = 0; k < 3; ++k) expect_ok(scree_advance(stepper, world, 100, NULL, &error), &error);
    const scree_ledger now = scree_stepper_totals(stepper)->energy;
    assert_true(now.kinetic == then.kinetic && now.potential == then.potential);
    assert_true(now.elastic == then.elastic && now.theta == then.theta && now.balance == then.balance);
    assert_true(now.driven != then.driven && now.impact > then.impact);
    soft_finish(world, stepper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_rolls_to_rest_on_every_wall),
        cmocka_unit_test(a_lift_of_boxes_feels_its_load),
        cmocka_unit_test(a_servo_of_boxes_presses),
        cmocka_unit_test(walls_of_any_shape_stand_around_a_bed),
        cmocka_unit_test(walls_and_spheres_come_and_leave),
        cmocka_unit_test(spheres_at_walls_may_be_moved_by_hand),
        cmocka_unit_test(the_deepest_overlap_is_kept_and_reports_change_no_bit),
        cmocka_unit_test(totals_without_a_report),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_warm_bed_with_walls_asks_for_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
