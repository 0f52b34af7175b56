/* test_status.c: one status per cause, each provoked through the public headers; and options that the library leaves as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <scree/scree.h>

#include "failing_allocator.h"
#include "test_folder.h"
#include "try.h"

#include <math.h>
#include <string.h>

/* ---- worlds ---------------------------------------------------------------------------------------------------------- */

static void expect(scree_status status, const scree_error *error)
{
    if (status != SCREE_OK) print_error("%s: %s\n", scree_status_name(status), error->text);
    assert_int_equal(status, SCREE_OK);
}

static int add_body(scree_world *world, scree_body_kind kind, scree_shape shape, double height)
{
    scree_body_def def = scree_body_def_default();
    scree_error error = {.text = ""};
    int index;
    def.kind = kind, def.shapes = &shape, def.shape_count = 1, def.position[2] = height;
    index = scree_body_index(scree_world_add_body(world, &def, &error));
    expect(error.status, &error);
    return index;
}

/// A column of three balls on a floor, of a stone that has what rigid and soft contacts need.
static scree_world *column(const scree_world_options *options, double stiffness)
{
    scree_world *world;
    scree_error error = {.text = ""};
    scree_material stone = scree_material_default("stone");
    int index;
    stone.density = 2500.0, stone.friction.mu = 0.5, stone.friction.stiffness = stiffness;
    stone.soft.stiffness = 1e5;
    stone.soft.slide_stiffness = 5e4;
    world = scree_world_create(options, &error);
    expect(error.status, &error);
    index = scree_material_index(scree_world_add_material(world, &stone, &error));
    expect(error.status, &error);
    add_body(world, SCREE_BODY_FIXED, scree_shape_plane(scree_material_at(index)), 0.0);
    for (int k = 0; k < 3; ++k)
        add_body(world, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, scree_material_at(index)), 0.0999 + 0.1998 * k);
    return world;
}

/// The first status of up to 100 steps that is not SCREE_OK.
static scree_status run_until_stopped(const scree_stepper_options *options, const scree_world_options *world_options,
                                      double stiffness)
{
    scree_world *world = column(world_options, stiffness);
    scree_stepper *stepper;
    scree_error error = {.text = ""};
    scree_status status;
    stepper = scree_stepper_create(options, &error);
    expect(error.status, &error);
    status = scree_advance(stepper, world, 100, NULL, &error);
    assert_int_equal(status == SCREE_OK, error.text[0] == '\0');
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
    return status;
}

/* ---- causes ---------------------------------------------------------------------------------------------------------- */

static void what_stops_a_step_has_its_own_status(void **state)
{
    (void)state;
    const scree_stepper_options rigid = scree_stepper_options_default();
    const scree_world_options world = scree_world_options_default();
    assert_int_equal(run_until_stopped(&rigid, &world, 0.0), SCREE_OK);

    scree_stepper_options hasty = rigid;
    hasty.on_failure = SCREE_ON_FAILURE_STOP, hasty.min_iterations = 0;
    hasty.solver.name = "nsgs", hasty.solver.max_iterations = 1, hasty.solver.tolerance = 1e-14;
    assert_int_equal(run_until_stopped(&hasty, &world, 0.0), SCREE_ERR_SOLVER);
    hasty.on_failure = SCREE_ON_FAILURE_KEEP;
    assert_int_equal(run_until_stopped(&hasty, &world, 0.0), SCREE_OK);

    scree_stepper_options stiff = rigid;
    stiff.scheme = SCREE_SCHEME_MOREAU_JEAN;
    assert_int_equal(run_until_stopped(&stiff, &world, 1e4), SCREE_ERR_UNSUPPORTED);

    for (int engine = SCREE_ENGINE_AUTO; engine <= SCREE_ENGINE_GENERAL; ++engine) {
        scree_stepper_options soft = rigid;
        soft.scheme = SCREE_SCHEME_DEM, soft.engine = (scree_engine)engine, soft.step = 1e-4;
        assert_int_equal(run_until_stopped(&soft, &world, 0.0), SCREE_OK);
        soft.step = 0.1;
        assert_int_equal(run_until_stopped(&soft, &world, 0.0), SCREE_ERR_STEP);
    }
}

/// In each scheme and engine: at rest on the floor nobody is fast, and gravity upwards makes it so.
static void a_runaway_has_its_own_status(void **state)
{
    (void)state;
    scree_world_options up = scree_world_options_default();
    up.gravity[2] = 50.0, up.speed_limit = 0.2;
    for (int kind = 0; kind < 4; ++kind) {
        scree_stepper_options options = scree_stepper_options_default();
        options.scheme = kind < 3 ? (scree_scheme)kind : SCREE_SCHEME_DEM, options.step = kind < 2 ? 5e-3 : 1e-4;
        options.engine = kind == 3 ? SCREE_ENGINE_GENERAL : SCREE_ENGINE_AUTO;
        assert_int_equal(run_until_stopped(&options, &up, 0.0), SCREE_ERR_RUNAWAY);
    }
}

static void a_check_before_the_run_says_the_same(void **state)
{
    (void)state;
    const scree_world_options options = scree_world_options_default();
    scree_stepper_options soft = scree_stepper_options_default();
    scree_world *world = column(&options, 0.0);
    scree_stepper *stepper;
    scree_error error = {0};
    double critical = 0.0;
    soft.scheme = SCREE_SCHEME_DEM, soft.step = 0.1;
    stepper = scree_stepper_create(&soft, &error);
    expect(error.status, &error);
    assert_int_equal(scree_stepper_check(stepper, world, &critical, &error), SCREE_ERR_STEP);
    assert_true(critical > 0.0 && critical < 0.1);
    scree_material clay = scree_material_default("clay"); /* without what soft contacts need */
    clay.density = 1000.0, error = (scree_error){0};
    int index = scree_material_index(scree_world_add_material(world, &clay, &error));
    expect(error.status, &error);
    for (int k = 0; k < 2; ++k)
        add_body(world, SCREE_BODY_DYNAMIC, scree_shape_sphere(0.1, scree_material_at(index)), 3.0 + k);
    assert_int_equal(scree_stepper_check(stepper, world, NULL, &error), SCREE_ERR_INPUT);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

/// One contact with W = 1, q = (-1, 0.2, 0).
static scree_status make_problem(double first, const scree_allocator *allocator, scree_problem **problem,
                                 scree_error *error)
{
    const scree_cone cone = scree_cone_slide(0.5);
    const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {first, 0.2, 0.0};
    const int at[1] = {0};
    scree_problem_def def = scree_problem_def_default();
    def.contact_count = 1, def.cone = &cone, def.q = q;
    def.entry_count = 1, def.entry_row = at, def.entry_column = at, def.entry_value = W;
    return try_problem_create(&def, allocator, problem, error);
}

static void input_memory_and_methods(void **state)
{
    (void)state;
    scree_problem *problem;
    scree_solver *solver;
    scree_error error = {0};
    assert_int_equal(make_problem((double)NAN, NULL, &problem, &error), SCREE_ERR_INPUT);
    failing f = {.left = 1};
    scree_allocator short_of = failing_allocator(&f);
    assert_int_equal(make_problem(-1.0, &short_of, &problem, &error), SCREE_ERR_MEMORY);
    assert_int_equal(f.live, 0);
    expect(make_problem(-1.0, NULL, &problem, &error), &error);
    scree_solver_options options = scree_solver_options_default();
    options.name = "nobody";
    assert_int_equal(try_solver_create(problem, &options, NULL, &solver, &error), SCREE_ERR_UNSUPPORTED);
    scree_problem_destroy(problem);
}

static void reading_and_writing_are_two_causes(void **state)
{
    (void)state;
    scree_problem *problem;
    scree_error error = {0};
    assert_int_equal(try_problem_read(in_folder("none.dat"), SCREE_FILE_DETECT, NULL, &problem, &error),
                     SCREE_ERR_FILE);
    error = (scree_error){0};
    assert_null(scree_scene_read(in_folder("none.yaml"), NULL, 0, NULL, &error));
    assert_int_equal(error.status, SCREE_ERR_FILE);
    error = (scree_error){0};
    expect(make_problem(-1.0, NULL, &problem, &error), &error);
    assert_int_equal(scree_problem_write(problem, NULL, in_folder("nowhere/x.dat"), &error), SCREE_ERR_WRITE);
    error = (scree_error){0};
    assert_int_equal(scree_problem_write(problem, NULL, in_folder("x.nothing"), &error), SCREE_ERR_UNSUPPORTED);
    error = (scree_error){0};
    scree_problem_destroy(problem);
    write_whole(in_folder("file"), "", 0);
    scree_output_options options = scree_output_options_default();
    options.directory = in_folder("file/run");
    error = (scree_error){0};
    assert_null(scree_output_create(&options, &error));
    assert_int_equal(error.status, SCREE_ERR_WRITE);
}

/* ---- options ---------------------------------------------------------------------------------------------------------- */

static void a_step_leaves_the_options_as_they_were(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5;
         ++kind) { /* both rigid schemes, both soft engines; then two threads and another solver */
        scree_world_options world_options = scree_world_options_default();
        scree_stepper_options options = scree_stepper_options_default();
        scree_stepper *stepper;
        scree_error error = {.text = ""};
        options.scheme = kind < 3 ? (scree_scheme)kind : SCREE_SCHEME_DEM, options.step = 1e-4;
        options.engine = kind == 3 ? SCREE_ENGINE_GENERAL : SCREE_ENGINE_AUTO;
        if (kind == 4) options.scheme = SCREE_SCHEME_MOREAU_JEAN, options.threads = 2, options.solver.name = "nsgs";
        unsigned char world_options_before[sizeof world_options];
        memcpy(world_options_before, &world_options, sizeof world_options);
        unsigned char options_before[sizeof options];
        memcpy(options_before, &options, sizeof options);
        scree_world *world = column(&world_options, 0.0);
        stepper = scree_stepper_create(&options, &error);
        expect(error.status, &error);
        expect(scree_stepper_check(stepper, world, NULL, &error), &error);
        expect(scree_advance(stepper, world, 70, NULL, &error), &error);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
        assert_memory_equal(world_options_before, &world_options, sizeof world_options);
        assert_memory_equal(options_before, &options, sizeof options);
    }
}

static void a_solve_leaves_the_options_as_they_were(void **state)
{
    (void)state;
    for (int k = 0; scree_solver_class_at(k); ++k) {
        scree_problem *problem;
        scree_solver *solver;
        scree_error error = {.text = ""};
        scree_solve_info info;
        double p[3] = {0.0};
        scree_solver_options options = scree_solver_options_default();
        options.name = scree_solver_class_name(scree_solver_class_at(k)), options.threads = 0,
        options.min_iterations = 3;
        unsigned char options_before[sizeof options];
        memcpy(options_before, &options, sizeof options);
        expect(make_problem(-1.0, NULL, &problem, &error), &error);
        expect(try_solver_create(problem, &options, NULL, &solver, &error), &error);
        expect(try_solver_solve(solver, problem, p, &info), &error);
        assert_true(fabs(p[0] - 1.0) < 1e-6); /* it did solve */
        scree_solver_destroy(solver);
        scree_problem_destroy(problem);
        assert_memory_equal(options_before, &options, sizeof options);
    }
    scree_contact contact = {.cone = scree_cone_slide(0.5), .W = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .q = {-1, 0.2, 0}};
    for (int method = 0; method < SCREE_CONTACT_METHOD_COUNT; ++method) {
        scree_contact_options options = scree_contact_options_default();
        scree_contact_result result;
        options.method = (scree_contact_method)method;
        unsigned char options_before[sizeof options];
        memcpy(options_before, &options, sizeof options);
        (void)try_contact_solve(&contact, &options, NULL, &result); /* some take other cones only */
        assert_memory_equal(options_before, &options, sizeof options);
    }
}

static void a_run_leaves_the_options_as_they_were(void **state)
{
    (void)state;
    scree_output_options options = scree_output_options_default();
    const scree_world_options world_options = scree_world_options_default();
    scree_run_totals totals;
    scree_error error = {.text = ""};
    memset(&totals, 0, sizeof totals);
    options.directory = in_folder("run"), options.formats |= SCREE_FORMAT_BODIES | SCREE_FORMAT_CONTACTS;
    unsigned char options_before[sizeof options];
    memcpy(options_before, &options, sizeof options);
    scree_world *world = column(&world_options, 0.0);
    scree_output *output = scree_output_create(&options, &error);
    expect(scree_output_frame(output, world, NULL, &totals, &error), &error);
    scree_output_destroy(output);
    scree_world_destroy(world);
    assert_memory_equal(options_before, &options, sizeof options);
}

/// One error serves a whole program: after a failure no later call does anything, and each returns nothing.
static void after_a_failure_nothing_is_made(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_world *world = scree_world_create(NULL, &error);
    scree_material stone = scree_material_default("stone");
    stone.density = 2500.0;
    scree_material_id material = scree_world_add_material(world, &stone, &error);
    scree_body_def ball = scree_body_def_of(scree_shape_sphere(0.1, material));
    scree_body_id first = scree_world_add_body(world, &ball, &error);
    assert_int_equal(error.status, SCREE_OK);
    assert_true(scree_body_index(first) == 0 && scree_material_index(material) == 0);

    scree_body_def none = scree_body_def_of(scree_shape_sphere(-1.0, material));
    assert_int_equal(scree_body_index(scree_world_add_body(world, &none, &error)), -1);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    const scree_error kept = error;
    double critical = 7.0;
    scree_stepper *stepper = scree_stepper_create(NULL, NULL);
    scree_joint_def joint = scree_joint_def_default();
    joint.body_a = first;
    assert_int_equal(scree_body_index(scree_world_add_body(world, &ball, &error)), -1);
    assert_int_equal(scree_body_index(scree_world_add_fixed(world, scree_shape_plane(material), &error)), -1);
    assert_int_equal(scree_material_index(scree_world_add_material(world, &stone, &error)), -1);
    assert_int_equal(scree_joint_index(scree_world_add_joint(world, &joint, &error)), -1);
    assert_int_equal(scree_step(stepper, world, &error), SCREE_ERR_INPUT);
    assert_int_equal(scree_stepper_check(stepper, world, &critical, &error), SCREE_ERR_INPUT);
    assert_int_equal(scree_world_read(world, SCREE_READ_MOTION, NULL, &error), SCREE_ERR_INPUT);
    assert_null(scree_world_create(NULL, &error));
    assert_null(scree_stepper_create(NULL, &error));
    assert_null(scree_pool_create(1, NULL, &error));
    assert_memory_equal(&error, &kept, sizeof kept);
    assert_true(critical == 7.0 && scree_world_step_count(world) == 0 && scree_world_body_count(world) == 1 &&
                scree_world_material_count(world) == 1 && scree_world_joint_count(world) == 0);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

static void a_default_material_can_be_added(void **state)
{
    (void)state;
    scree_material stone = scree_material_default("stone");
    assert_string_equal(stone.name, "stone");
    assert_true(stone.density == 0.0 && stone.friction.mu == 0.0 && stone.friction.restitution == 0.0);
    assert_true(stone.friction.stiffness == 0.0 && stone.soft.model == 0 && isnan(stone.soft.stiffness));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stops_a_step_has_its_own_status),
        cmocka_unit_test(a_runaway_has_its_own_status),
        cmocka_unit_test(a_check_before_the_run_says_the_same),
        cmocka_unit_test(input_memory_and_methods),
        cmocka_unit_test(reading_and_writing_are_two_causes),
        cmocka_unit_test(a_step_leaves_the_options_as_they_were),
        cmocka_unit_test(a_solve_leaves_the_options_as_they_were),
        cmocka_unit_test(a_run_leaves_the_options_as_they_were),
        cmocka_unit_test(after_a_failure_nothing_is_made),
        cmocka_unit_test(a_default_material_can_be_added),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
