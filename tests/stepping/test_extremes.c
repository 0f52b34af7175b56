/* test_extremes.c: empty and extreme is ordinary: worlds without bodies, states at the end of the range of numbers, names by the ten
 * thousand, structs that nobody has filled. Nothing crashes, nothing is NaN in silence. */
#include "stepper_scene.h"
#include "world/world_private.h"

#include <time.h>

static scree_world *make_world(int soft, double g)
{
    scree_world_options options = scree_world_options_default();
    scree_error error = {0};
    options.soft = soft, options.gravity[2] = -g;
    scree_world *world = scree_world_create(&options, &error);
    scree_material material = {
        .name = "stone", .density = 2500.0, .friction = {.mu = 0.5}, .soft = scree_dem_default()};
    material.soft.stiffness = 1e5, material.soft.slide_stiffness = 1e5;
    scree_world_add_material(world, &material, &error);
    expect_ok(error.status, &error);
    return world;
}

static scree_stepper *make_stepper(scree_scheme scheme)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = scheme, options.step = 1e-4;
    return scene_stepper(&options, NULL);
}

static void a_world_without_bodies_is_stepped(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCREE_SCHEME_COUNT; ++scheme)
        for (int walls = 0; walls < 2; ++walls) {
            scree_world *world = make_world(scheme == SCREE_SCHEME_DEM, 9.81);
            scree_stepper *stepper = make_stepper((scree_scheme)scheme);
            scree_error error = {0};
            if (walls) scene_floor(world);
            assert_int_equal(scree_world_detect(world, 1e-3, NULL, &error), SCREE_OK);
            assert_int_equal(scree_world_contact_count(world), 0);
            for (int k = 0; k < 3; ++k) {
                scree_step_report report = scene_step(stepper, world);
                assert_true(report.contacts == 0 && report.bodies == 0);
            }
            assert_true(scree_world_energy(world).kinetic == 0.0);
            scene_sphere(world, 0.1, 0.0, 0.0, 0.0, 1.0); /* and the first body may come later */
            for (int k = 0; k < 3; ++k) scene_step(stepper, world);
            assert_true(scree_world_energy(world).kinetic > 0.0);
            scree_stepper_destroy(stepper);
            scree_world_destroy(world);
        }
}

static void contacts_are_looked_for_within_a_time_only(void **state)
{
    (void)state;
    const double bad[] = {-1.0, (double)NAN, (double)INFINITY, -(double)INFINITY};
    scree_world *world = make_world(0, 9.81);
    for (int k = 0; k < 4; ++k) {
        scree_error error = {0};
        assert_int_equal(scree_world_detect(world, bad[k], NULL, &error), SCREE_ERR_INPUT);
        assert_non_null(strstr(error.text, "expected 0 or more"));
    }
    scree_world_destroy(world);
}

/* ---- the range of numbers ---------------------------------------------------------------------------------------------------- */

static void bodies_beyond_the_range_of_numbers_are_refused(void **state)
{
    (void)state;
    scree_world *world = make_world(0, 9.81);
    const struct {
        double radius, mass, x, v;
        const char *word;
    } list[] = {{0.1, 1.0, 1e308, 0.0, "position[0] is 1e+308"},   {0.1, 1.0, 0.0, 1e200, "velocity[0] is 1e+200"},
                {0.1, 1e200, 0.0, 1e60, "its energy is beyond"},   {0.1, 1e-320, 0.0, 0.0, "expected positive numbers"},
                {1e308, 1.0, 0.0, 0.0, "the radius is"},           {1e60, 0.0, 0.0, 1e80, "its energy is beyond"},
                {1e99, 0.0, 0.0, 0.0, "expected positive numbers"}};
    for (size_t k = 0; k < sizeof list / sizeof *list; ++k) {
        scree_body_def def = scree_body_def_of(scree_shape_sphere(list[k].radius, scree_material_at(0)));
        scree_error error = {0};
        def.name = "odd", def.mass = list[k].mass, def.position[0] = list[k].x, def.velocity[0] = list[k].v;
        assert_int_equal(scree_body_index(scree_world_add_body(world, &def, &error)), -1);
        assert_int_equal(error.status, SCREE_ERR_INPUT);
        if (!strstr(error.text, list[k].word) || !strstr(error.text, "odd"))
            fail_msg("'%s', expected '%s'", error.text, list[k].word);
    }
    assert_int_equal(scree_world_body_count(world), 0);
    scree_world_destroy(world);
}

/* What a hand wrote into the world is looked at before the next step, in every scheme; the step says whose it is, and does nothing. */
/// The engine for spheres sorts them into the cells of a grid: counts and indices of cells are made from distances, and stay whole numbers
/// of their types however far apart spheres are (float-cast-overflow of the sanitizers looks on). Only the pair that touches has a contact.
static void soft_spheres_at_the_ends_of_space_are_stepped(void **state)
{
    (void)state;
    const double far[] = {1e3, 1e9, 1e12, 1e20, 1e50, 1e99};
    for (size_t k = 0; k < sizeof far / sizeof *far; ++k) {
        scree_world *world = make_world(1, 0.0);
        scree_stepper *stepper = make_stepper(SCREE_SCHEME_DEM);
        scene_sphere(world, 0.1, 0.0, 0.0, 0.0, 0.0);
        scene_sphere(world, 0.1, 0.0, 0.199, 0.0, 0.0);
        scene_sphere(world, 0.1, 0.0, far[k], -far[k], far[k]);
        scene_sphere(world, 0.1, 0.0, -far[k], far[k], -far[k]);
        for (int n = 0; n < 3; ++n) assert_int_equal(scene_step(stepper, world).contacts, 1);
        const double kinetic = scree_world_energy(world).kinetic;
        assert_true(kinetic > 0.0 && isfinite(kinetic));
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

static void states_set_by_hand_are_looked_at(void **state)
{
    (void)state;
    const double bad[] = {(double)NAN, (double)INFINITY, 1e200, 1e160};
    for (int scheme = 0; scheme < SCREE_SCHEME_COUNT; ++scheme)
        for (int k = 0; k < 4; ++k)
            for (int what = 0; what < 3; ++what) {
                scree_world *world = make_world(scheme == SCREE_SCHEME_DEM, 9.81);
                scree_stepper *stepper = make_stepper((scree_scheme)scheme);
                scree_error error = {0};
                double x[3] = {0.0, 0.0, 1.0}, v[3] = {bad[k], 0.0, 0.0};
                scene_floor(world);
                for (int b = 0; b < 2; ++b) scene_sphere(world, 0.1, 0.0, b, 0.0, 0.1);
                if (what == 0) x[0] = bad[k];
                scree_world_set_state(world, scree_body_at(2), what == 0 ? x : NULL, NULL, what == 1 ? v : NULL,
                                      what == 2 ? v : NULL);
                assert_int_equal(scree_step(stepper, world, &error), SCREE_ERR_RUNAWAY);
                if (!strstr(error.text, "body 2")) fail_msg("'%s' does not name body 2", error.text);
                assert_true(scree_world_time(world) == 0.0 && scree_world_step_count(world) == 0);
                scree_stepper_destroy(stepper);
                scree_world_destroy(world);
            }
}

/* A force that is finite, and a velocity that is not: the step names the body, and leaves it where it was. */
static void loads_that_overflow_name_their_body(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCREE_SCHEME_COUNT; ++scheme)
        for (int touching = 0; touching < 2; ++touching) {
            double time = 0.0, force[3] = {1e300, 0.0, 0.0};
            scree_world *world = make_world(scheme == SCREE_SCHEME_DEM, 9.81);
            scree_stepper *stepper = make_stepper((scree_scheme)scheme);
            scree_error error = {0};
            scene_floor(world);
            scree_body_def def = scree_body_def_of(scree_shape_sphere(0.1, scree_material_at(0)));
            def.name = "rocket", def.position[2] = touching ? 0.1 : 1.0;
            def.force = (scree_table){1, &time, force};
            scree_world_add_body(world, &def, &error);
            expect_ok(error.status, &error);
            scree_step_report report;
            assert_int_equal(scree_advance(stepper, world, 1, &report, &error), SCREE_ERR_RUNAWAY);
            if (!strstr(error.text, "rocket")) fail_msg("'%s' does not name the rocket", error.text);
            scree_stepper_destroy(stepper);
            scree_world_destroy(world);
        }
}

/* ---- names -------------------------------------------------------------------------------------------------------------------- */

static double seconds_to_name(int count)
{
    scree_world *world = make_world(0, 9.81);
    scree_error error = {0};
    char name[32];
    const clock_t begin = clock();
    for (int k = 0; k < count; ++k) {
        scree_body_def def = scree_body_def_of(scree_shape_sphere(0.1, scree_material_at(0)));
        snprintf(name, sizeof name, "b%d", k % (count - count / 4)); /* a quarter of the names comes twice */
        def.name = name, def.position[0] = k;
        scree_world_add_body(world, &def, &error);
    }
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    expect_ok(error.status, &error);
    char last[32]; /* the second of its name */
    snprintf(last, sizeof last, "b%d[1]", count / 4 - 1);
    assert_string_equal(scree_world_body_name(world, scree_body_at(count - 1), name, sizeof name), last);
    scree_world_destroy(world);
    return seconds;
}

static void names_cost_the_same_each(void **state)
{
    (void)state;
    /* 16 times as many: 16 times as long, and 256 times if each name were compared with all before it */
    double few = 1e9, many = 1e9;
    for (int k = 0; k < 3; ++k) {
        const double a = seconds_to_name(2500), b = seconds_to_name(40000);
        few = a < few ? a : few, many = b < many ? b : many;
    }
    if (!(many < 64.0 * few + 0.01)) fail_msg("%g s for 2,500 names, %g s for 40,000", few, many);
}

static void names_have_no_control_characters(void **state)
{
    (void)state;
    static const char *const bad[] = {"a\x1b[31m", "bell\a", "\x7f", "c1\xc2\x9b", "line\rover"};
    static const char *const good[] = {"gr\xc3\xbc\xc3\x9f", "a b", "x[3]", "\xc2\xa0"};
    scree_world *world = make_world(0, 9.81);
    for (int k = 0; k < 5; ++k) {
        scree_body_def def = scree_body_def_of(scree_shape_sphere(0.1, scree_material_at(0)));
        scree_material material = scree_material_default(bad[k]);
        scree_error error = {0}, other = {0};
        def.name = bad[k];
        scree_world_add_body(world, &def, &error);
        scree_world_add_material(world, &material, &other);
        assert_int_equal(error.status, SCREE_ERR_INPUT);
        assert_int_equal(other.status, SCREE_ERR_INPUT);
        assert_non_null(strstr(other.text, "control character"));
    }
    for (int k = 0; k < 4; ++k) {
        scree_body_def def = scree_body_def_of(scree_shape_sphere(0.1, scree_material_at(0)));
        scree_error error = {0};
        def.name = good[k];
        scree_world_add_body(world, &def, &error);
        expect_ok(error.status, &error);
    }
    scree_world_destroy(world);
}

/* ---- structs that nobody has filled ----------------------------------------------------------------------------------------------- */

static void structs_that_nobody_has_filled_are_refused(void **state)
{
    (void)state;
    scree_world *world = make_world(0, 9.81);
    scree_error e = {0};
    assert_null(scree_world_create(&(scree_world_options){0}, &e));
    assert_non_null(strstr(e.text, "scree_world_options_default()"));
    e = (scree_error){0}, scree_world_add_body(world, &(scree_body_def){0}, &e);
    assert_int_equal(e.status, SCREE_ERR_INPUT);
    e = (scree_error){0}, scree_world_add_joint(world, &(scree_joint_def){0}, &e);
    assert_int_equal(e.status, SCREE_ERR_INPUT);
    e = (scree_error){0}, assert_null(scree_stepper_create(&(scree_stepper_options){0}, &e));
    assert_int_equal(e.status, SCREE_ERR_INPUT);
    e = (scree_error){0}, assert_null(scree_problem_create(&(scree_problem_def){0}, &e));
    assert_int_equal(e.status, SCREE_ERR_INPUT);
    e = (scree_error){0}, assert_null(scree_problem_from_rigid(&(scree_rigid_def){0}, &e));
    assert_int_equal(e.status, SCREE_ERR_INPUT);
    e = (scree_error){0}, scree_solver_register(&(scree_solver_method){0}, &e);
    assert_int_equal(e.status, SCREE_ERR_INPUT);
    scree_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_without_bodies_is_stepped),
        cmocka_unit_test(contacts_are_looked_for_within_a_time_only),
        cmocka_unit_test(bodies_beyond_the_range_of_numbers_are_refused),
        cmocka_unit_test(soft_spheres_at_the_ends_of_space_are_stepped),
        cmocka_unit_test(states_set_by_hand_are_looked_at),
        cmocka_unit_test(loads_that_overflow_name_their_body),
        cmocka_unit_test(names_cost_the_same_each),
        cmocka_unit_test(names_have_no_control_characters),
        cmocka_unit_test(structs_that_nobody_has_filled_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
