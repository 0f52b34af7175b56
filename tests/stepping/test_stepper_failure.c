/* test_stepper_failure.c: what a step does when something is short: memory, the solver, a body that runs away. */
#include "failing_allocator.h"
#include "stepper_scene.h"
#include "world/world_private.h"

static void step_allocates_nothing_once_warm(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCREE_SCHEME_DEM; ++scheme) {
        failing f = {.left = -1};
        scree_allocator allocator = failing_allocator(&f);
        scree_world *world = scene_small_pile(&allocator);
        scree_stepper_options options = scree_stepper_options_default();
        options.scheme = (scree_scheme)scheme, options.solver.name = "momentum", options.solver.max_iterations = 200;
        scree_stepper *stepper = scene_stepper(&options, &allocator);
        for (int k = 0; k < 600; ++k) scene_step(stepper, world);
        int made = f.made;
        for (int k = 0; k < 100; ++k) scene_step(stepper, world);
        assert_int_equal(f.made, made);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
        assert_int_equal(f.live, 0);
    }
}

static void every_allocation_may_fail_in_create_and_in_the_first_step(void **state)
{
    (void)state;
    failing unlimited = {.left = -1};
    scree_allocator world_allocator = failing_allocator(&unlimited);
    scree_stepper_options options = scree_stepper_options_default();
    options.solver.name = "momentum", options.solver.max_iterations = 20, options.threads = 2;
    int failed = 0;
    for (int n = 0;; ++n) {
        failing f = {.left = n};
        scree_allocator allocator = failing_allocator(&f);
        scree_world *world = scene_small_pile(&world_allocator);
        scree_error error = {.line = 0};
        uint64_t hash = scree_world_hash(world);
        options.allocator = &allocator;
        scree_stepper *stepper = scree_stepper_create(&options, &error);
        scree_status status = error.status;
        assert_true((status == SCREE_OK) == (stepper != NULL));
        if (status == SCREE_OK) status = scree_step(stepper, world, &error);
        if (status != SCREE_OK) {
            assert_int_equal(status, SCREE_ERR_MEMORY);
            assert_true(strstr(error.text, "memory") != NULL);
            assert_true(scree_world_hash(world) == hash);
            failed += 1;
            /* and with memory again it goes on as if nothing had been */
            f.left = -1, error = (scree_error){0};
            if (stepper) expect_ok(scree_step(stepper, world, &error), &error);
        }
        scree_stepper_destroy(stepper);
        assert_int_equal(f.live, 0);
        scree_world_destroy(world);
        if (status == SCREE_OK) break;
    }
    assert_true(failed >= 5);
    assert_int_equal(unlimited.live, 0);
}

/// The world's own allocations (contacts, detection) fail as well.
static void detection_may_fail(void **state)
{
    (void)state;
    scree_stepper_options options = scree_stepper_options_default();
    options.solver.name = "momentum", options.solver.max_iterations = 20;
    for (int n = 0;; ++n) {
        failing f = {.left = -1};
        scree_allocator allocator = failing_allocator(&f);
        scree_world *world = scene_small_pile(&allocator);
        scree_stepper *stepper = scene_stepper(&options, NULL);
        scree_error error = {.line = 0};
        uint64_t hash = scree_world_hash(world);
        f.left = n;
        scree_status status = scree_step(stepper, world, &error);
        if (status != SCREE_OK) {
            assert_int_equal(status, SCREE_ERR_MEMORY);
            assert_true(scree_world_hash(world) == hash);
            f.left = -1, error = (scree_error){0};
            expect_ok(scree_step(stepper, world, &error), &error);
        }
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
        assert_int_equal(f.live, 0);
        if (status == SCREE_OK) {
            assert_true(n > 0);
            break;
        }
    }
}

/* ---- the solver falls short ------------------------------------------------------------------------------------------------------- */

static scree_stepper_options hasty(scree_on_failure on_failure)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.on_failure = on_failure, options.solver.name = "nsgs", options.solver.max_iterations = 4;
    options.solver.tolerance = 1e-9;
    return options;
}

static void unconverged_steps_are_kept_and_counted(void **state)
{
    (void)state;
    scree_world *world = scene_small_pile(NULL);
    scree_stepper_options options = hasty(SCREE_ON_FAILURE_KEEP);
    scree_stepper *stepper = scene_stepper(&options, NULL);
    int counted = 0;
    for (int k = 0; k < 100; ++k) {
        scree_step_report report = scene_step(stepper, world);
        assert_int_equal(report.unconverged, report.solve.outcome != SCREE_OUTCOME_CONVERGED);
        assert_int_equal(report.retries, 0);
        counted += report.unconverged;
    }
    assert_true(counted > 20);
    assert_true(scree_stepper_totals(stepper)->unconverged == counted);
    assert_true(scree_stepper_totals(stepper)->steps == 100);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

static void stop_leaves_the_world_as_it_was(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCREE_SCHEME_DEM; ++scheme) {
        scree_world *world = scene_small_pile(NULL);
        scree_stepper_options options = hasty(SCREE_ON_FAILURE_STOP);
        options.scheme = (scree_scheme)scheme;
        scree_stepper *stepper = scene_stepper(&options, NULL);
        scree_error error = {0};
        scree_status status = SCREE_OK;
        uint64_t hash = 0;
        int64_t steps = 0;
        for (int k = 0; k < 200 && status == SCREE_OK; ++k) {
            hash = scree_world_hash(world), steps = scree_world_step_count(world);
            status = scree_step(stepper, world, &error);
        }
        assert_int_equal(status, SCREE_ERR_SOLVER);
        assert_true(strstr(error.text, "nsgs") && strstr(error.text, "residual"));
        assert_true(scree_world_hash(world) == hash && scree_world_step_count(world) == steps);
        /* the step can be taken by someone more patient, as if nothing had been */
        options.solver.max_iterations = 0, options.solver.tolerance = 1e-6;
        scree_stepper *patient = scene_stepper(&options, NULL);
        scene_step(patient, world);
        scree_stepper_destroy(patient);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

static void retry_halves_the_step_and_ends_at_the_same_time(void **state)
{
    (void)state;
    scree_world *world = scene_small_pile(NULL);
    scree_stepper_options options = hasty(SCREE_ON_FAILURE_RETRY);
    options.solver.max_iterations = 12, options.solver.tolerance = 1e-4;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    int retries = 0;
    for (int k = 1; k <= 60; ++k) {
        scree_step_report report = scene_step(stepper, world);
        retries += report.retries;
        assert_true(scree_world_time(world) == k * options.step && report.time == k * options.step);
        assert_true(scree_world_step_count(world) == k);
        assert_true(fabs(report.energy.balance) <= 1e-12 * ledger_size(&report.energy));
    }
    assert_true(retries > 10);
    assert_true(scree_stepper_totals(stepper)->retries == retries);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

/// A tolerance of 0 is met by luck only: most steps are made of up to 64 parts. What is stored is the load of a whole step all the same.
static void loads_of_a_step_in_parts_are_those_of_a_whole_step(void **state)
{
    (void)state;
    scree_friction friction = {.mu = 0.5, .rolling = {0.01, 0}};
    scree_world *world = scene_world(9.81, 0.1, friction, SCREE_PLANAR_NONE, NULL);
    scree_stepper_options options = hasty(SCREE_ON_FAILURE_RETRY);
    options.solver.tolerance = 0.0;
    scene_floor(world);
    scene_sphere(world, 0.1, 2.0, 0.3, 0.0, 0.1);
    scree_stepper *stepper = scene_stepper(&options, NULL);
    double force[3], moment[3];
    int retries = 0, unconverged = 0;
    for (int k = 1; k <= 10; ++k) {
        scree_step_report report = scene_step(stepper, world);
        retries += report.retries, unconverged += report.unconverged > 0;
        assert_true(scree_world_time(world) == k * options.step);
        scree_world_contact_force(world, scree_body_at(0), force, moment);
        assert_true(fabs(force[2] + 2.0 * 9.81 * cos(0.1)) < 1e-9);
    }
    assert_true(retries > 60 && scree_stepper_totals(stepper)->retries == retries);
    assert_true(scree_stepper_totals(stepper)->unconverged == unconverged);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

/* ---- a body runs away --------------------------------------------------------------------------------------------------------------- */

static void body_that_runs_away_stops_the_run(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        double time[2] = {0.0, 0.02}, force[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 1.0};
        scree_world *world = scene_small_pile(NULL);
        scree_body_def def = scree_body_def_default();
        scree_shape shape = scree_shape_sphere(0.1, scree_material_at(0));
        scree_stepper_options options = scree_stepper_options_default();
        scree_error error = {0};
        int index;
        def.name = "rocket", def.shapes = &shape, def.shape_count = 1, def.position[2] = 3.0;
        def.mass = kind == 1 ? 1e-3 : 1.0;
        def.force = (scree_table){2, time, force};
        index = scree_body_index(scree_world_add_body(world, &def, &error));
        expect_ok(error.status, &error);
        double *last = world->extras[world->extra[index]].load.force.value +
                       3; /* what no scene may say, something else may write */
        last[2] = kind == 0 ? (double)NAN : kind == 1 ? 1e308 : 1e6;
        world->options.speed_limit = kind == 2 ? 100.0 : 0.0;
        options.on_failure = kind ? SCREE_ON_FAILURE_KEEP : SCREE_ON_FAILURE_RETRY;
        scree_stepper *stepper = scene_stepper(&options, NULL);
        scree_status status = SCREE_OK;
        uint64_t hash = 0;
        for (int k = 0; k < 20 && status == SCREE_OK; ++k) {
            hash = scree_world_hash(world);
            status = scree_step(stepper, world, &error);
        }
        assert_int_equal(status, kind ? SCREE_ERR_RUNAWAY : SCREE_ERR_INPUT); /* 0: a force that is no number */
        assert_true(strstr(error.text, "rocket") != NULL);
        assert_true(scree_world_hash(world) == hash);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

static void wrong_options_are_named(void **state)
{
    (void)state;
    scree_stepper_options good = scree_stepper_options_default(), bad[14];
    const char *word[14] = {"stepper option step is 0, expected a time above 0 s",
                            "stepper option theta is 0.4, expected 1/2 to 1",
                            "theta",
                            "recovery_speed is -1, expected 0 m/s or more",
                            "activation is 2, expected 0 to 1",
                            "threads is 0, expected 1 or more",
                            "there is no solver named 'nobody'; 'scree solvers' lists them",
                            "the solver ipm_shift does not take the convex law; 'scree solvers' lists what each takes",
                            "scheme is 3, expected moreau_jean, anitescu_tasora or dem",
                            "impact_speed is -1, expected 0 m/s or more",
                            "min_iterations is -1, expected 0 or more",
                            "tolerance is -1, expected 0 or more",
                            "solver.threads is 2, expected 1: the stepper's own `threads` serve its solver too",
                            "solver.min_iterations is 5, expected 0: the stepper has `min_iterations`"};
    for (int k = 0; k < 14; ++k) bad[k] = good;
    bad[0].step = 0.0, bad[1].theta = 0.4, bad[2].theta = (double)NAN, bad[3].recovery_speed = -1.0,
    bad[4].activation = 2.0;
    bad[5].threads = 0, bad[6].solver.name = "nobody", bad[7].solver.name = "ipm_shift",
    bad[8].scheme = SCREE_SCHEME_COUNT;
    bad[7].law = SCREE_LAW_CONVEX;
    bad[9].impact_speed = -1.0, bad[10].min_iterations = -1, bad[11].solver.tolerance = -1.0;
    bad[12].solver.threads = 2, bad[13].solver.min_iterations = 5;
    for (int k = 0; k < 14; ++k) {
        scree_error error = {.line = 0};
        assert_null(scree_stepper_create(&bad[k], &error));
        assert_int_not_equal(error.status, SCREE_OK);
        if (!strstr(error.text, word[k])) fail_msg("'%s' has not '%s'", error.text, word[k]);
    }
    assert_string_equal(scree_scheme_name(SCREE_SCHEME_MOREAU_JEAN), "moreau_jean");
    assert_string_equal(scree_scheme_name(SCREE_SCHEME_ANITESCU_TASORA), "anitescu_tasora");
    assert_null(scree_scheme_name(SCREE_SCHEME_COUNT));
}

static void stiffness_is_not_ignored(void **state)
{
    (void)state;
    double k = 1e4, g = 9.81;
    scree_friction friction = {.mu = 0.5, .stiffness = k};
    scree_world *world = scene_world(g, 0.0, friction, SCREE_PLANAR_NONE, NULL);
    scree_stepper_options options = scree_stepper_options_default();
    scree_error error = {0};
    scene_floor(world);
    int ball = scene_sphere(world, 0.1, 2.0, 0.0, 0.0, 0.1);
    options.scheme = SCREE_SCHEME_MOREAU_JEAN;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    assert_int_equal(scree_step(stepper, world, &error), SCREE_ERR_UNSUPPORTED);
    assert_true(strstr(error.text, "stiffness") != NULL);
    scree_stepper_destroy(stepper);
    options.scheme = SCREE_SCHEME_ANITESCU_TASORA, options.solver.tolerance = 1e-12;
    stepper = scene_stepper(&options, NULL);
    for (int n = 0; n < 2000; ++n) scene_step(stepper, world);
    double sunk = 0.1 - scree_world_positions(world)[3 * ball + 2];
    assert_true(fabs(sunk - 2.0 * g / k) < 1e-6 * sunk); /* at rest the spring carries the weight */
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_allocates_nothing_once_warm),
        cmocka_unit_test(every_allocation_may_fail_in_create_and_in_the_first_step),
        cmocka_unit_test(detection_may_fail),
        cmocka_unit_test(unconverged_steps_are_kept_and_counted),
        cmocka_unit_test(stop_leaves_the_world_as_it_was),
        cmocka_unit_test(retry_halves_the_step_and_ends_at_the_same_time),
        cmocka_unit_test(loads_of_a_step_in_parts_are_those_of_a_whole_step),
        cmocka_unit_test(body_that_runs_away_stops_the_run),
        cmocka_unit_test(wrong_options_are_named),
        cmocka_unit_test(stiffness_is_not_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
