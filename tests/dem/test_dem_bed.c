/* test_dem_bed.c: worlds that are more than a bed of spheres among planes, in the fast engine: applied loads, arms of rolling
 * for many sizes, bodies that come and leave.
 * The slow twin is the same world with the general stages. */
#include "bed_scenario.h"
#include "dem/dem_spheres.h"
#include "failing_allocator.h"

enum { SIDE = 6 };

/* ---- applied loads ---------------------------------------------------------------------------------------------------------- */

/// A force that comes and goes, and a moment.
static void add_pushed(scree_world *world, double x, double y, double z)
{
    static const double time[3] = {0.0, 0.1, 0.3}, force[9] = {0, 0, 0, 30, 5, 0, -10, 0, 20},
                        moment[9] = {0, 0, 0, 0.2, 0, 1, 0, -1, 0};
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_sphere(0.1, scree_material_at(0));
    scree_error error = {0};
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    def.shapes = &shape, def.shape_count = 1, def.mass = 1.0;
    def.force = (scree_table){3, time, force}, def.moment = (scree_table){3, time, moment};
    scree_world_add_body(world, &def, &error);
    expect_ok(error.status, &error);
}

static scree_world *pushed_block(const scree_allocator *allocator)
{
    scree_world *world = soft_block(SCREE_DEM_TRACKING, SIDE, 0.21, 0, allocator);
    for (int k = 0; k < 5; ++k) add_pushed(world, 0.21 * (k + 1), 0.4, 0.21 * SIDE + 0.2);
    return world;
}

static void applied_loads_act_in_a_bed(void **state)
{
    (void)state;
    const scenario s = {pushed_block, NULL, 20, 100};
    outcome out[2];
    expect_the_twin(&s, "applied loads", 1e-11, out);
    expect_ledger(out, 1e-9);
    assert_true(out[0].energy.load > 1.0);
    expect_one_hash(&s);
}

/// A free sphere under a constant force: v = F t / m, and all work becomes motion.
static void a_pushed_sphere_flies_as_newton_says(void **state)
{
    (void)state;
    scree_material m = soft_rubber(0.5, 0.4, 0.5, 2e5, 1e5);
    scree_world *world = soft_world(&m, 0.0, 0.0, NULL);
    static const double time[1] = {0.0}, force[3] = {3.0, 0.0, 4.0};
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_sphere(0.1, scree_material_at(0));
    scree_stepper_options options = scree_stepper_options_default();
    scree_error error = {0};
    def.shapes = &shape, def.shape_count = 1, def.mass = 2.0, def.force = (scree_table){1, time, force};
    scree_world_add_body(world, &def, &error);
    expect_ok(error.status, &error);
    options.scheme = SCREE_SCHEME_DEM, options.step = 1e-4;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    scree_step_report report;
    expect_ok(scree_advance(stepper, world, 10000, &report, &error), &error);
    assert_non_null(world->holder.engine);
    near("speed along x", scree_world_velocities(world)[0], 1.5, 1e-12);
    near("speed along z", scree_world_velocities(world)[2], 2.0, 1e-12);
    near("work", scree_stepper_totals(stepper)->energy.load, 0.5 * 2.0 * 6.25, 1e-12);
    near("theta", scree_stepper_totals(stepper)->energy.theta, 0.0, 0.0); /* there is no gravity */
    near("closing error", scree_stepper_totals(stepper)->energy.balance, 0.0, 1e-12);
    soft_finish(world, stepper);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------------------- */

/// Radii of 90 to 110 mm whose rolling and spinning are lengths, ratios of the smaller one, or of the reduced one.
static scree_world *many_sizes(int kind, double spread, const scree_allocator *allocator)
{
    scree_material m = soft_rubber(0.5, 0.4, 0.5, 2e5, 1e5);
    static const double unit[] = {
        [SCREE_LENGTH_ABSOLUTE] = 0.1, [SCREE_LENGTH_RATIO] = 1.0, [SCREE_LENGTH_REDUCED] = 2.0};
    m.friction.rolling = (scree_friction_length){0.05 * unit[kind], kind},
    m.friction.spinning = (scree_friction_length){0.02 * unit[kind], kind};
    m.friction.rolling_static = (scree_friction_length){0.06 * unit[kind], kind};
    scree_world *world = soft_world(&m, 9.8, 0.0, allocator);
    scene_pile(world, SIDE * SIDE * SIDE, 0.1, spread, 1.4, 3);
    return world;
}

static scree_world *sizes_with_ratios(const scree_allocator *allocator)
{
    return many_sizes(SCREE_LENGTH_RATIO, 0.1, allocator);
}

static scree_world *sizes_with_lengths(const scree_allocator *allocator)
{
    return many_sizes(SCREE_LENGTH_ABSOLUTE, 0.1, allocator);
}

/// 60 to 140 mm: here the two radii of a pair lie apart as well.
static scree_world *sizes_with_reduced(const scree_allocator *allocator)
{
    return many_sizes(SCREE_LENGTH_REDUCED, 0.4, allocator);
}

/// The same with the model sds, whose dashpots must then be given.
static scree_world *sizes_with_sds(const scree_allocator *allocator)
{
    scree_world *world = many_sizes(SCREE_LENGTH_RATIO, 0.1, allocator);
    scree_dem dem = scree_world_pair_dem(world, scree_material_at(0), scree_material_at(0));
    scree_error error = {0};
    dem.model = SCREE_DEM_SDS;
    dem.sds_stiffness = 5e4, dem.sds_damping = 50.0;
    dem.spin_stiffness = 50.0, dem.spin_damping = 0.05;
    dem.slide_damping = 100.0;
    expect_ok(scree_world_set_pair_dem(world, scree_material_at(0), scree_material_at(0), &dem, &error), &error);
    return world;
}

static void spheres_of_many_sizes_roll_in_a_bed(void **state)
{
    (void)state;
    outcome sds[2];
    const scenario three = {sizes_with_sds, NULL, 30, 20};
    expect_the_twin(&three, "sds", 1e-12, sds);
    expect_ledger(sds, 1e-9);
    const scenario s[3] = {
        {sizes_with_ratios, NULL, 45, 30}, {sizes_with_lengths, NULL, 45, 30}, {sizes_with_reduced, NULL, 45, 12}};
    static const char *const what[3] = {"ratios", "lengths", "reduced radii"};
    for (int k = 0; k < 3; ++k) {
        outcome out[2];
        expect_the_twin(&s[k], what[k], 1e-11, out);
        assert_true(out[1].energy.roll > 0.01 && out[1].energy.spin > 1e-3);
        expect_ledger(out, 1e-9);
    }
}

/* ---- bodies that come and leave ----------------------------------------------------------------------------------------------- */

static scree_world *block(const scree_allocator *allocator)
{
    return soft_block(SCREE_DEM_TRACKING, SIDE, 0.21, 0, allocator);
}

static void come_and_leave(scree_world *world, int part)
{
    const int first = 5; /* bodies before the spheres: floor and walls */
    if (part == 6)
        for (int k = 0; k < 5; ++k) scree_world_remove_body(world, scree_body_at(first + 7 * k));
    if (part == 8)
        for (int k = 0; k < 8; ++k) scene_sphere(world, 0.1, 1.0, 0.25 * (k % 4 + 1), k < 4 ? 0.4 : 0.8, 1.8);
    if (part == 12) { /* as many leave as come */
        scree_world_remove_body(world, scree_body_at(first + 3));
        scene_sphere(world, 0.1, 1.0, 0.7, 0.7, 2.0);
    }
}

static void bodies_come_and_leave_in_a_bed(void **state)
{
    (void)state;
    const scenario s = {block, come_and_leave, 20, 100};
    outcome out[2];
    expect_the_twin(&s, "bodies come and leave", 1e-11, out);
    expect_ledger(out, 1e-9);
    expect_one_hash(&s);
}

/// Two balls carry a third; friction and rolling hold it. A fourth that comes far away changes nothing: springs are handed on.
static void what_contacts_remember_outlives_an_event(void **state)
{
    (void)state;
    double x[2][9];
    for (int k = 0; k < 2; ++k) {
        scree_world *world = soft_block(SCREE_DEM_TRACKING, SIDE, 0.1995, 0, NULL);
        scree_stepper *stepper = engine_stepper(1, 1);
        scree_error error = {0};
        expect_ok(scree_advance(stepper, world, 400, NULL, &error), &error);
        if (k) scene_sphere(world, 0.1, 1.0, 0.0, 0.0, 50.0);
        expect_ok(scree_advance(stepper, world, 1, NULL, &error), &error);
        memcpy(x[k], scree_world_velocities(world) + 3 * 100, sizeof x[k]);
        soft_finish(world, stepper);
    }
    for (int k = 0; k < 9; ++k) near("velocity after the event", x[1][k], x[0][k], 1e-12);
}

/// Every allocation of a run with events may fail: then the step is not taken, nothing leaks, and the run goes on to the same bits.
static void every_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t whole = 0;
    int failed = 0;
    for (int n = -1;; ++n) {
        failing f = {.left = -1};
        scree_allocator allocator = failing_allocator(&f);
        scree_world *world = soft_block(SCREE_DEM_TRACKING, 3, 0.1995, 0, &allocator);
        scree_stepper_options options = scree_stepper_options_default();
        options.scheme = SCREE_SCHEME_DEM, options.step = 1e-4;
        scree_stepper *stepper = scene_stepper(&options, &allocator);
        scree_error error = {.line = 0};
        expect_ok(scree_advance(stepper, world, 3, NULL, &error), &error);
        add_pushed(world, 0.3, 0.3, 0.9);
        scree_world_remove_body(world, scree_body_at(9));
        f.left = n;
        scree_status status = scree_advance(stepper, world, 3, NULL, &error);
        int refused = status != SCREE_OK;
        f.left = -1;
        if (refused) {
            assert_int_equal(status, SCREE_ERR_MEMORY);
            assert_true(strstr(error.text, "memory") != NULL);
            error = (scree_error){0};
            expect_ok(scree_advance(stepper, world, 6 - scree_world_step_count(world), NULL, &error), &error);
        }
        assert_non_null(world->holder.engine);
        if (n < 0) whole = scree_world_hash(world);
        assert_true(scree_world_hash(world) == whole);
        soft_finish(world, stepper);
        assert_int_equal(f.live, 0);
        failed += refused;
        if (n >= 0 && !refused) break;
    }
    assert_true(failed >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(applied_loads_act_in_a_bed),
        cmocka_unit_test(a_pushed_sphere_flies_as_newton_says),
        cmocka_unit_test(spheres_of_many_sizes_roll_in_a_bed),
        cmocka_unit_test(bodies_come_and_leave_in_a_bed),
        cmocka_unit_test(what_contacts_remember_outlives_an_event),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
