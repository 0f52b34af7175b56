/* test_static_kinetic.c: static coefficients above the kinetic ones in the rigid schemes (docs/math/joints.md, section 6): what a contact
 * begins with, what happens where motion reverses, and the same along both tangents. */
#include "stepper_scene.h"

#include <math.h>

static const int schemes[2] = {SCREE_SCHEME_MOREAU_JEAN, SCREE_SCHEME_ANITESCU_TASORA};

static scree_stepper *stepper_of(int scheme, double h)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = scheme, options.step = h, options.solver.tolerance = 1e-12;
    return scene_stepper(&options, NULL);
}

/// A contact that begins while the ball rolls has the kinetic coefficient from its first step on, whichever tangent the axis of rolling lies
/// along. A ball without slip slows down by (5/7) (rho/R) g; the static coefficient, ten times as large, would show at once.
static void a_contact_begins_as_its_velocities_are(void **state)
{
    (void)state;
    const double R = 0.5, g = 9.81, h = 1e-3, slower = 5.0 / 7.0 * 0.02 * g;
    for (int s = 0; s < 2; ++s)
        for (int axis = 0; axis < 2; ++axis) { /* moves along x, y */
            const scree_friction friction = {.mu = 0.9, .rolling = {0.02, 1}, .rolling_static = {0.2, 1}};
            scree_world *world = scene_world(g, 0.0, friction, SCREE_PLANAR_NONE, NULL);
            scree_stepper *stepper = stepper_of(schemes[s], h);
            double v[3] = {0.0, 0.0, 0.0}, omega[3] = {0.0, 0.0, 0.0};
            scene_floor(world);
            const int ball = scene_sphere(world, R, 1.0, 0.0, 0.0, R);
            v[axis] = 2.0, omega[1 - axis] = axis == 0 ? 2.0 / R : -2.0 / R;
            scene_move(world, ball, v, omega);
            for (int k = 1; k <= 3; ++k) {
                (void)scene_step(stepper, world);
                const double now = scree_world_velocities(world)[3 * ball + axis];
                assert_true(fabs(now - (2.0 - k * h * slower)) < 1e-12); /* rounding of numbers of 2 */
            }
            scree_stepper_destroy(stepper);
            scree_world_destroy(world);
        }
}

/// A brick thrown up an incline between the two angles of friction comes to rest and stays: where its velocity reverses within a step it has
/// been at rest, and the static coefficient holds it. With equal coefficients it slides back.
static void what_turns_round_sticks(void **state)
{
    (void)state;
    const double slope = atan(0.45), g = 9.81, h = 1e-3;
    /* each step takes 6.7 mm/s of the velocity: thrown by this much faster, the brick meets its last step at another speed, and stops at its end
     * or turns round within it */
    const double faster[4] = {0.0, 1.7e-3, 3.4e-3, 5.1e-3};
    for (int s = 0; s < 2; ++s)
        for (int held = 0; held < 2; ++held)
            for (int throw = 0; throw < 8; ++throw) {
                const int axis = throw % 2;
                const double v0 = 0.5 + faster[throw / 2];
                const scree_friction friction = {.mu = 0.3, .mu_static = held ? 0.6 : 0.0};
                scree_world_options options = scree_world_options_default();
                scree_material stone = {
                    .soft = scree_dem_default(), .name = "stone", .density = 2500.0, .friction = friction};
                scree_error error = {0};
                options.gravity[axis] = g * sin(slope), options.gravity[2] = -g * cos(slope);
                scree_world *world = scree_world_create(&options, &error);
                scree_world_add_material(world, &stone, &error);
                scene_floor(world);
                scree_body_def def = scree_body_def_default();
                const scree_shape shape = scree_shape_box(0.2, 0.2, 0.05, scree_material_at(0));
                def.shapes = &shape, def.shape_count = 1, def.position[2] = 0.05, def.velocity[axis] = -v0;
                const int brick = scree_body_index(scree_world_add_body(world, &def, &error));
                expect_ok(error.status, &error);
                scree_stepper *stepper = stepper_of(schemes[s], h);
                /* it stops after v0/up = 0.075 s; then 0.425 s of rest or of sliding */
                const double up = g * (sin(slope) + 0.3 * cos(slope)), down = g * (sin(slope) - 0.3 * cos(slope));
                for (int k = 0; k < 500; ++k) (void)scene_step(stepper, world);
                const double v = scree_world_velocities(world)[3 * brick + axis],
                             x = scree_world_positions(world)[3 * brick + axis], t = 0.5 - v0 / up;
                if (held)
                    assert_true(v == 0.0 && fabs(x + v0 * v0 / (2.0 * up)) < h * v0); /* less than the way of a step */
                else assert_true(fabs(v - down * t) < h * (up + down)); /* one step of either acceleration */
                scree_stepper_destroy(stepper);
                scree_world_destroy(world);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_begins_as_its_velocities_are),
        cmocka_unit_test(what_turns_round_sticks),
    };
    return cmocka_run_group_tests_name("static and kinetic", tests, NULL, NULL);
}
