/* test_stepper_crush.c: grains that are crushed, which no law allows. Half a minute of sweeps in vain under a sanitizer: release only. */
#include "stepper_scene.h"

/// A plate comes down on a pile and through it. There is no solution, loads grow without bound, and what can still move may be thrown out at any speed
/// (plates of 0.85 to 1 m/s: from half to 1e7 times the energy of the fall): the steps are counted, and the state stays finite.
static void crushed_grains_are_counted(void **state)
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
    int unconverged = 0;
    for (int k = 0; k < 620; ++k) {
        scree_step_report report = scene_step(stepper, world);
        if (report.time > 2.7) unconverged += report.unconverged; /* the gap is less than a diameter */
        assert_true(isfinite(report.energy.kinetic) && isfinite(report.energy.potential));
    }
    assert_true(unconverged > 30);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crushed_grains_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
