/* test_dem_counts.c: totals of soft spheres where something went wrong or was changed by hand: walls that leave, an engine that takes over from
 * the other, memory that fails while spheres come, velocities that are not numbers. */
#include "failing_allocator.h"
#include "near.h"
#include "soft_scene.h"
#include "world/world_private.h"

static int add_box(scree_world *world, scree_body_kind kind, double z)
{
    const scree_shape box = scree_shape_box(0.4, 0.4, 0.1, scree_material_at(0));
    scree_body_def def = scree_body_def_default();
    scree_error error = {0};
    int index;
    def.position[2] = z, def.kind = kind, def.shapes = &box, def.shape_count = 1;
    index = scree_body_index(scree_world_add_body(world, &def, &error));
    expect_ok(error.status, &error);
    return index;
}

static scree_world *rubber_world(const scree_allocator *allocator)
{
    const scree_material m = soft_rubber(0.5, 0.4, 0.3, 2e5, 1e5);
    return soft_world(&m, 9.8, 0.0, allocator);
}

static scree_ledger step_and_sum(scree_stepper *stepper, scree_world *world, int steps)
{
    scree_step_report report;
    scree_error error = {0};
    expect_ok(scree_advance(stepper, world, steps, &report, &error), &error);
    return scree_stepper_totals(stepper)->energy;
}

/// Two balls, one on a box that leaves, one on a plane or on another box: the springs of the first are gone with the box.
static void springs_of_a_wall_leave_with_it(void **state)
{
    (void)state;
    for (int spheres = 0; spheres < 2; ++spheres)
        for (int other = 0; other < 2; ++other) {
            scree_world *world = rubber_world(NULL);
            if (other) (void)add_box(world, SCREE_BODY_FIXED, -0.9);
            const int shelf = add_box(world, SCREE_BODY_FIXED, -0.1);
            (void)scene_sphere(world, 0.1, 1.0, 0.0, 0.0, 0.0995);
            scree_stepper *stepper = engine_stepper(spheres, 1);
            const double held = step_and_sum(stepper, world, 500).elastic;
            scree_world_remove_body(world, scree_body_at(shelf));
            const double left = step_and_sum(stepper, world, 5).elastic; /* it falls, and touches nothing yet */
            print_message("%s, %d walls left: elastic %.3g J, then %.3g J\n", spheres ? "spheres" : "general", other,
                          held, left);
            assert_true(held > 1e-5 && fabs(left) < 1e-12 * held);
            soft_finish(world, stepper);
        }
}

/// The general stages step a ball and a box; when the box has left the sphere engine goes on, and knows what was deepest.
static void the_deepest_overlap_is_that_of_the_run(void **state)
{
    (void)state;
    for (int batch = 1; batch <= 50; batch += 49) {
        scree_world *world = rubber_world(NULL);
        scene_floor(world);
        const int box = add_box(world, SCREE_BODY_DYNAMIC, 2.0), ball = scene_sphere(world, 0.1, 1.0, 0.0, 0.0, 0.1);
        scene_move(world, ball, (const double[3]){0.0, 0.0, -2.0}, (const double[3]){0.0, 0.0, 0.0});
        scree_stepper *stepper = engine_stepper(1, 1);
        scree_error error = {0};
        for (int k = 0; k < 100; ++k) expect_ok(scree_step(stepper, world, &error), &error);
        assert_null(world->holder.engine);
        const double deepest = scree_stepper_totals(stepper)->penetration_max;
        scree_world_remove_body(world, scree_body_at(box));
        for (int k = 0; k < 50; k += batch) expect_ok(scree_advance(stepper, world, batch, NULL, &error), &error);
        assert_non_null(world->holder.engine);
        assert_true(deepest > 2e-3 && scree_stepper_totals(stepper)->penetration_max == deepest);
        soft_finish(world, stepper);
    }
}

/// Overlaps count where forces do, at the beginning of a step: both engines, any batches, and whoever asks for reports.
static void the_deepest_overlap_is_one_number(void **state)
{
    (void)state;
    double deepest[4];
    for (int k = 0; k < 4; ++k) {
        scree_world *world = rubber_world(NULL);
        scene_floor(world);
        const int ball = scene_sphere(world, 0.1, 1.0, 0.0, 0.0, 0.1);
        scree_step_report report;
        scree_error error = {0};
        scene_move(world, ball, (const double[3]){0.0, 0.0, -1.0}, (const double[3]){0.0, 0.0, 0.0});
        scree_stepper *stepper = engine_stepper(k > 0, 1);
        for (int n = 0; n < 10; n += k == 2 ? 5 : 1) /* it still comes nearer */
            expect_ok(scree_advance(stepper, world, k == 2 ? 5 : 1, k == 3 ? &report : NULL, &error), &error);
        deepest[k] = scree_stepper_totals(stepper)->penetration_max;
        if (k == 3) assert_true(report.penetration == deepest[k]);
        soft_finish(world, stepper);
    }
    within("engines", deepest[1], deepest[0], 1e-9);
    assert_true(deepest[0] > 5e-4 && deepest[2] == deepest[1] && deepest[3] == deepest[1]);
}

enum { POURED = 1520 };

typedef struct counted {
    scree_run_totals totals;
    scree_step_report report;
    uint64_t hash;
    int64_t came; /* steps taken before memory failed */
} counted;

/// Spheres come and leave between two stretches of steps; in the second one the n-th allocation fails (-1: none) and it is tried again.
/// Returns 1 if it did.
static int pour(int n, counted *out)
{
    failing f = {.left = -1};
    scree_allocator allocator = failing_allocator(&f);
    scree_world *world = rubber_world(&allocator);
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_DEM, options.step = 1e-4;
    scree_stepper *stepper = scene_stepper(&options, &allocator);
    scree_error error = {0};
    int second = -1;
    scene_floor(world);
    for (int k = 0; k < 8; ++k) scene_sphere(world, 0.1, 1.0, 0.2 * k, 0.0, 0.0999);
    expect_ok(scree_advance(stepper, world, 20, &out->report, &error), &error);
    for (int k = 0; k < 200; ++k) {
        const int column = k % 8, row = k / 64, layer = k / 8 % 8;
        const int ball = scene_sphere(world, 0.1, 1.0, 0.25 * column, 0.25 * row, 0.36 + 0.25 * layer);
        scene_move(world, ball, (const double[3]){0.0, 0.0, -3.0}, (const double[3]){0.0, 0.0, 0.0});
        second = k == 1 ? ball : second;
    }
    scree_world_remove_body(world, scree_body_at(second)), scree_world_remove_body(world, scree_body_at(3));
    f.left = n;
    scree_status status = scree_advance(stepper, world, POURED - 20, &out->report, &error);
    f.left = -1;
    const int failed = status != SCREE_OK;
    if (failed) {
        assert_int_equal(status, SCREE_ERR_MEMORY);
        out->came = scree_world_step_count(world);
        assert_int_equal(scree_stepper_totals(stepper)->steps, out->came);
        error = (scree_error){0};
        expect_ok(scree_advance(stepper, world, POURED - scree_world_step_count(world), &out->report, &error), &error);
    }
    out->totals = *scree_stepper_totals(stepper), out->hash = scree_world_hash(world);
    soft_finish(world, stepper);
    assert_int_equal(f.live, 0);
    return failed;
}

/// Contacts with planes, with a box and between spheres are counted alike by both engines, by number, activity and mode.
static void both_engines_count_the_same_contacts(void **state)
{
    (void)state;
    scree_step_report report[2];
    for (int spheres = 0; spheres < 2; ++spheres) {
        scree_world *world = rubber_world(NULL);
        scree_error error = {0};
        scene_floor(world);
        (void)add_box(world, SCREE_BODY_FIXED, -0.05); /* its top is 0.05 above the floor */
        (void)scene_sphere(world, 0.1, 1.0, 0.0, 0.0, 0.1499);
        (void)scene_sphere(world, 0.1, 1.0, 0.1999, 0.0, 0.1499);
        (void)scene_sphere(world, 0.1, 1.0, 2.0, 0.0, 0.0999);
        const int slides = scene_sphere(world, 0.1, 1.0, -2.0, 0.0, 0.0999);
        scene_move(world, slides, (const double[3]){0.0, 3.0, 0.0}, (const double[3]){0.0, 0.0, 0.0});
        scree_stepper *stepper = engine_stepper(spheres, 1);
        expect_ok(scree_advance(stepper, world, 100, &report[spheres], &error), &error);
        assert_true((world->holder.engine != NULL) == spheres);
        soft_finish(world, stepper);
    }
    print_message("contacts %d, active %d\n", report[0].contacts, report[0].active);
    assert_true(report[0].contacts >= 4 && report[0].active >= 4);
    assert_int_equal(report[1].contacts, report[0].contacts);
    assert_int_equal(report[1].active, report[0].active);
    for (int m = 0; m < SCREE_MODE_COUNT; ++m) assert_int_equal(report[1].modes[m], report[0].modes[m]);
}

static void memory_that_fails_while_spheres_come_changes_no_count(void **state)
{
    (void)state;
    counted right, now;
    int failed = 0, midway = 0;
    assert_false(pour(-1, &right));
    assert_int_equal(right.report.bodies, 206);
    while (pour(failed, &now)) {
        const scree_ledger *a = &now.totals.energy, *b = &right.totals.energy;
        failed += 1, midway += now.came > 20;
        assert_true(now.hash == right.hash && now.totals.steps == POURED && right.totals.steps == POURED);
        assert_int_equal(now.report.bodies, right.report.bodies);
        assert_int_equal(now.report.contacts, right.report.contacts);
        assert_true(now.totals.penetration_max == right.totals.penetration_max);
        assert_true(a->kinetic == b->kinetic && a->potential == b->potential && a->elastic == b->elastic);
        assert_true(fabs(a->theta - b->theta) < 1e-12 * b->potential);
        assert_true(fabs(a->balance - b->balance) < 1e-12 * b->potential);
    }
    print_message("%d allocations refused, %d of them in mid-run\n", failed, midway);
    assert_true(failed >= 10 && midway > 0);
}

/// A velocity that is not a number: the step is refused, and all is as if it had never been set.
static void a_velocity_that_is_no_number_is_refused_and_forgotten(void **state)
{
    (void)state;
    for (int spheres = 0; spheres < 2; ++spheres)
        for (int touches = 0; touches < 2; ++touches) {
            scree_ledger energy[2];
            for (int spoilt = 0; spoilt < 2; ++spoilt) {
                scree_world *world = rubber_world(NULL);
                scree_error error = {0};
                scene_floor(world);
                const int ball = scene_sphere(world, 0.1, 1.0, 0.0, 0.0, touches ? 0.0999 : 0.5);
                (void)scene_sphere(world, 0.1, 1.0, 0.5, 0.0, 0.0999);
                scree_stepper *stepper = engine_stepper(spheres, 1);
                (void)step_and_sum(stepper, world, 20);
                const double v[3] = {0.0, 0.0, -0.1}, none[3] = {0.0, (double)NAN, 0.0};
                if (spoilt) {
                    scree_world_set_state(world, scree_body_at(ball), NULL, NULL, none, NULL);
                    assert_int_equal(scree_step(stepper, world, &error), SCREE_ERR_RUNAWAY);
                    assert_non_null(strstr(error.text, "is not a finite number"));
                    assert_int_equal(scree_world_step_count(world), 20);
                    assert_int_equal(scree_stepper_totals(stepper)->steps, 20);
                }
                scree_world_set_state(world, scree_body_at(ball), NULL, NULL, v, NULL);
                energy[spoilt] = step_and_sum(stepper, world, 20);
                assert_int_equal(scree_stepper_totals(stepper)->steps, 40);
                soft_finish(world, stepper);
            }
            assert_true(isfinite(energy[0].balance) && fabs(energy[0].balance - energy[1].balance) < 1e-12);
            assert_true(isfinite(energy[0].theta) && fabs(energy[0].theta - energy[1].theta) < 1e-12);
            assert_true(energy[0].kinetic == energy[1].kinetic && energy[0].elastic == energy[1].elastic);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_of_a_wall_leave_with_it),
        cmocka_unit_test(the_deepest_overlap_is_that_of_the_run),
        cmocka_unit_test(the_deepest_overlap_is_one_number),
        cmocka_unit_test(both_engines_count_the_same_contacts),
        cmocka_unit_test(memory_that_fails_while_spheres_come_changes_no_count),
        cmocka_unit_test(a_velocity_that_is_no_number_is_refused_and_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
