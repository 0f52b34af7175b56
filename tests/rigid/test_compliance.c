/* test_compliance.c: contacts of a rigid scheme that yield by Hertz and Mindlin (src/rigid/compliance.c): depth, tangential displacement and
 * their ratio are those of the closed forms, what sticks does not creep, and what slides slides. */
#include "near.h"
#include "stepper_scene.h"

static const double G = 9.81, YOUNG = 1e6, NU = 0.3, H = 5e-3, R = 0.05;

/// E and G of a ball and a plane of the same material.
static double pair_modulus(void)
{
    return 0.5 * YOUNG / (1.0 - NU * NU);
}

static double pair_shear(void)
{
    return 0.25 * YOUNG / ((2.0 - NU) * (1.0 + NU));
}

static double hertz_depth(double F)
{
    return pow(0.75 * F / (pair_modulus() * sqrt(R)), 2.0 / 3.0);
}

static scree_world *soft_world(double mu)
{
    scree_world_options options = scree_world_options_default();
    scree_error error = {0};
    scree_material material = {
        .soft = scree_dem_default(), .name = "rubber", .density = 2500.0, .friction = {.mu = mu}};
    material.soft.young = YOUNG, material.soft.poisson = NU;
    options.gravity[0] = options.gravity[1] = 0.0, options.gravity[2] = -G;
    scree_world *world = scree_world_create(&options, &error);
    scree_world_add_material(world, &material, &error);
    expect_ok(error.status, &error);
    scene_floor(world);
    return world;
}

static scree_stepper_options hertz_options(void)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_ANITESCU_TASORA, options.step = H, options.hertz = 1;
    options.solver.tolerance = 1e-13, options.solver.max_iterations = 5000;
    return options;
}

static void ball_sinks_by_hertz_depth(void **state)
{
    (void)state;
    const double step[3] = {1e-3, 5e-3, 2e-2}; /* the depth at rest does not depend on the step */
    for (int k = 0; k < 3; ++k) {
        scree_world *world = soft_world(0.5);
        scree_stepper_options options = hertz_options();
        options.step = step[k];
        scree_stepper *stepper = scene_stepper(&options, NULL);
        int ball = scene_sphere(world, R, 2.0, 0.0, 0.0, R + 1e-3);
        for (int n = 0; n < 20000; ++n) scene_step(stepper, world);
        within("depth", R - scree_world_positions(world)[3 * ball + 2], hertz_depth(2.0 * G), 1e-9);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

/// A ball that falls keeps nearly all of its speed where the step resolves the impact: the springs of Hertz are elastic, and what implicit
/// steps lose falls with h.
static void impacts_become_elastic_as_the_step_shrinks(void **state)
{
    (void)state;
    double back[2];
    for (int k = 0; k < 2; ++k) {
        scree_world *world = soft_world(0.0);
        scree_stepper_options options = hertz_options();
        options.step = k ? 1e-5 : 1e-4;
        scree_stepper *stepper = scene_stepper(&options, NULL);
        int ball = scene_sphere(world, R, 2.0, 0.0, 0.0, R);
        scene_move(world, ball, (const double[3]){0.0, 0.0, -1.0}, (const double[3]){0.0, 0.0, 0.0});
        do scene_step(stepper, world);
        while (scree_world_positions(world)[3 * ball + 2] < R && scree_world_time(world) < 1.0);
        back[k] = scree_world_velocities(world)[3 * ball + 2];
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
    print_message("bounces back with %.4f and %.4f of its speed\n", back[0], back[1]);
    assert_true(back[1] > 0.98 && back[1] < 1.0 && 1.0 - back[1] < 0.2 * (1.0 - back[0]));
}

/// Three balls in one body, pushed along the floor and down; a moment takes the lever arm off the push, so that the three keep equal loads.
static int tripod(scree_world *world, double mass, const double push[3], double lever)
{
    scree_error error = {0};
    scree_shape shape[3];
    scree_body_def def = scree_body_def_default();
    const double time[3] = {0.0, 20.0, 25.0}, force[9] = {0, 0, 0, 0, 0, 0, push[0], push[1], push[2]},
                 moment[9] = {0, 0, 0, 0, 0, 0, 0, -lever * push[0], 0};
    for (int k = 0; k < 3; ++k) {
        shape[k] = scree_shape_sphere(R, scree_material_at(0));
        shape[k].position[0] = 0.2 * cos(2.0 * PI * k / 3), shape[k].position[1] = 0.2 * sin(2.0 * PI * k / 3);
    }
    def.shapes = shape, def.shape_count = 3, def.mass = mass, def.position[2] = R;
    def.force = (scree_table){3, time, force}, def.moment = (scree_table){3, time, moment};
    int body = scree_body_index(scree_world_add_body(world, &def, &error));
    expect_ok(error.status, &error);
    return body;
}

typedef struct pushed {
    double before[3], after[3]; /* positions, before the push and after it */
    double creep;               /* in 10 s more                          */
} pushed;

static pushed push(const double force[3])
{
    scree_world *world = soft_world(0.5);
    scree_stepper_options options = hertz_options();
    scree_stepper *stepper = scene_stepper(&options, NULL);
    double d = hertz_depth(6.0 * G / 3.0);
    int body = tripod(world, 6.0, force, R - 0.5 * d);
    pushed p;
    const double *x = scree_world_positions(world) + 3 * (ptrdiff_t)body;
    while (scree_world_time(world) < 20.0 - 0.5 * H) scene_step(stepper, world);
    memcpy(p.before, x, sizeof p.before);
    while (scree_world_time(world) < 40.0 - 0.5 * H) scene_step(stepper, world);
    memcpy(p.after, x, sizeof p.after);
    while (scree_world_time(world) < 50.0 - 0.5 * H) scene_step(stepper, world);
    p.creep = fabs(x[0] - p.after[0]) + fabs(x[1] - p.after[1]) + fabs(x[2] - p.after[2]);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
    return p;
}

static void sticking_contacts_give_way_by_mindlin_and_do_not_creep(void **state)
{
    (void)state;
    const double N = 6.0 * G / 3.0, d = hertz_depth(N), a = sqrt(R * d), F = 5.0, dN = 0.03;
    pushed along = push((const double[3]){F, 0.0, 0.0}), down = push((const double[3]){0.0, 0.0, -dN});
    double k_T = F / (3.0 * (along.after[0] - along.before[0])), k_N = dN / (3.0 * (down.before[2] - down.after[2]));
    within("tangential stiffness 8 G a", k_T, 8.0 * pair_shear() * a, 1e-3); /* the push tilts the body a little */
    within("normal stiffness 2 E a", k_N, 2.0 * pair_modulus() * a, 5e-4);   /* the force grows by 5e-4 */
    within("their ratio", k_T / k_N, 2.0 * (1.0 - NU) / (2.0 - NU), 1e-3);
    assert_true(along.creep <= 1e-12 && down.creep <= 1e-12);
}

static void beyond_the_cone_it_slides(void **state)
{
    (void)state;
    const double force[3] = {0.6 * 6.0 * G, 0.0, 0.0};
    scree_world *world = soft_world(0.5);
    scree_stepper_options options = hertz_options();
    scree_stepper *stepper = scene_stepper(&options, NULL);
    int body = tripod(world, 6.0, force, R - 0.5 * hertz_depth(2.0 * G));
    while (scree_world_time(world) < 26.0 - 0.5 * H) scene_step(stepper, world);
    double v = scree_world_velocities(world)[3 * body];
    while (scree_world_time(world) < 27.0 - 0.5 * H) scene_step(stepper, world);
    within("acceleration", scree_world_velocities(world)[3 * body] - v, 0.1 * G, 1e-6);
    const scree_contact_point *c = scree_world_contacts(world);
    for (int k = 0; k < scree_world_contact_count(world); ++k) assert_int_equal(c[k].mode, scree_mode_make(1, 0, 0));
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

/// Where nothing slips, the work of the push is stored: none of it is counted as sliding.
static void elastic_displacement_is_not_counted_as_sliding(void **state)
{
    (void)state;
    scree_world *world = soft_world(0.5);
    scree_stepper_options options = hertz_options();
    scree_stepper *stepper = scene_stepper(&options, NULL);
    tripod(world, 6.0, (const double[3]){5.0, 0.0, 0.0}, R - 0.5 * hertz_depth(2.0 * G));
    while (scree_world_time(world) < 20.0 - 0.5 * H) scene_step(stepper, world);
    double before = scree_stepper_totals(stepper)->energy.slide;
    while (scree_world_time(world) < 40.0 - 0.5 * H) scene_step(stepper, world);
    const scree_ledger *e = &scree_stepper_totals(stepper)->energy;
    double stored = 0.5 * 25.0 / (3.0 * 8.0 * pair_shear() * sqrt(R * hertz_depth(2.0 * G)));
    /* what is left is of first order: at the end of the push, of 5 s, the speed F s/(5 s) stops within a step */
    assert_true(fabs(e->slide - before) <= 2.0 * H / 5.0 * stored);
    assert_true(fabs(e->balance) <= 1e-12 * e->potential);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    scree_stepper_options options = hertz_options();
    scree_error error = {0};
    options.scheme = SCREE_SCHEME_MOREAU_JEAN;
    assert_null(scree_stepper_create(&options, &error));
    assert_non_null(strstr(error.text, "hertz is 1, expected 0, or the scheme anitescu_tasora"));
    error = (scree_error){0};
    options = hertz_options(), options.hertz = 2;
    assert_null(scree_stepper_create(&options, &error));
    assert_non_null(strstr(error.text, "hertz is 2, expected 0 or 1"));
    error = (scree_error){0};
    options = hertz_options();
    scree_stepper *stepper = scene_stepper(&options, NULL);
    scree_world *world = scene_world(G, 0.0, (scree_friction){.mu = 0.5}, SCREE_PLANAR_NONE, NULL);
    assert_int_equal(scree_stepper_check(stepper, world, NULL, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "no material has a Young's modulus"));
    scree_world_destroy(world);
    scree_stepper_destroy(stepper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_sinks_by_hertz_depth),
        cmocka_unit_test(impacts_become_elastic_as_the_step_shrinks),
        cmocka_unit_test(sticking_contacts_give_way_by_mindlin_and_do_not_creep),
        cmocka_unit_test(beyond_the_cone_it_slides),
        cmocka_unit_test(elastic_displacement_is_not_counted_as_sliding),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
