/* test_stepper_crush.c: grains that are crushed, which no law allows. Half a minute of sweeps in vain under a sanitizer: release only. */
#include "stepper_scene.h"

/// A plate comes down on a pile and through it. There is no solution, loads grow without bound; that is counted, and what can still move
/// does not fly apart.
static void crushed_grains_are_counted_and_do_not_explode(void **state)
{
    (void)state;
    double time[1] = {0.0}, velocity[3] = {0.0, 0.0, -1.0};
    scree_world *world = scene_small_pile(NULL);
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_plane(scree_material_at(0));
    scree_stepper_options options = scree_stepper_options_default();
    scree_error error = {0};
    def.kind = SCREE_BODY_DRIVEN, def.shapes = &shape, def.shape_count = 1;
    def.rotation[0] = 0.0, def.rotation[1] = 1.0, def.position[2] = 2.8; /* upside down */
    def.motion.velocity = (scree_table){1, time, velocity};
    scree_world_add_body(world, &def, &error);
    expect_ok(error.status, &error);
    options.solver.tolerance = 1e-2, options.adaptive = 1; /* without it loads of 1e6 make anything look converged */
    scree_stepper *stepper = scene_stepper(&options, NULL);
    double mass = 0.0;
    for (int body = 0; body < scree_world_body_count(world); ++body)
        if (scree_world_body_kind(world, scree_body_at(body)) == SCREE_BODY_DYNAMIC)
            mass += scree_world_mass(world, scree_body_at(body));
    int unconverged = 0;
    for (int k = 0; k < 620; ++k) {
        scree_step_report report = scene_step(stepper, world);
        if (report.time > 2.7) unconverged += report.unconverged; /* the gap is less than a diameter */
        assert_true(report.energy.kinetic < 9.81 * 2.8 * mass);
    }
    assert_true(unconverged > 30);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crushed_grains_are_counted_and_do_not_explode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
