/* test_touching.c: materials whose bodies do not touch each other, in every scheme: they fall through what others stand on. */
#include "near.h"
#include "soft_scene.h"

enum { STONE, GHOST, MATERIALS };

/// A stone and a ghost fall from 1 m, the ghost from above the stone; a second stone lies on the floor. Ghosts pass the floor and stones; two
/// ghosts touch each other.
static void what_does_not_touch_falls_through(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCREE_SCHEME_COUNT; ++scheme) {
        const double g = 9.8, r = 0.1, h = 1e-4;
        scree_material m = soft_rubber(0.5, 0.5, 0.5, 1e6, 1e5);
        m.density = 1000.0;
        scree_world *world = soft_world(&m, g, 0.0, NULL);
        m.name = "ghost";
        scree_error error = {0};
        scree_material_id stone = scree_material_at(STONE), ghost = scree_world_add_material(world, &m, &error);
        assert_int_equal(scree_material_index(ghost), GHOST);
        assert_true(scree_world_pair_touching(world, stone, ghost));
        expect_ok(scree_world_set_pair_touching(world, ghost, stone, 0, &error), &error);
        assert_false(scree_world_pair_touching(world, stone, ghost));
        assert_true(scree_world_pair_touching(world, stone, stone) && scree_world_pair_touching(world, ghost, ghost));
        scene_floor(world);
        const double z[4] = {r, 0.6, 1.0, 1.3}, x[4] = {0.0, 0.0, 0.05, 0.05};
        const int of[4] = {STONE, GHOST, STONE, GHOST};
        int body[4];
        for (int k = 0; k < 4; ++k) {
            scree_body_def def = scree_body_def_of(scree_shape_sphere(r, scree_material_at(of[k])));
            def.position[0] = x[k], def.position[2] = z[k];
            body[k] = scree_body_index(scree_world_add_body(world, &def, &error));
        }
        expect_ok(error.status, &error);
        scree_stepper_options options = scree_stepper_options_default();
        options.scheme = (scree_scheme)scheme, options.step = h;
        scree_stepper *stepper = scene_stepper(&options, NULL);
        for (int k = 0; k < 6000; ++k) scene_step(stepper, world);
        const double t = 6000 * h, *at = scree_world_positions(world);
        for (int k = 1; k < 4; k += 2) /* both ghosts fly freely: 1.3 m and 0.6 m, through stones and floor */
            near("height of a ghost", at[3 * body[k] + 2], z[k] - 0.5 * g * t * t, g * t * h);
        assert_true(at[3 * body[0] + 2] > 0.9 * r && at[3 * body[2] + 2] > 0.9 * r); /* stones stand on the floor */
        scree_error wrong = {0};
        assert_int_equal(scree_world_set_pair_touching(world, stone, scree_material_at(7), 0, &wrong), SCREE_ERR_INPUT);
        expect_ok(scree_world_set_pair_touching(world, stone, ghost, 1, &error), &error);
        assert_true(scree_world_pair_touching(world, ghost, stone));
        soft_finish(world, stepper);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_does_not_touch_falls_through)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
