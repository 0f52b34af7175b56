/* test_dem_shapes.c: soft contacts of other shapes than spheres: how their surfaces bend, and how far they roll.
 *
 * A body of round section rolls on a plane with the torque rho N against it: m (1 + I/(m R^2)) a = rho N/R, so from v it goes
 *     way = (1 + I/(m R^2)) R v^2/(2 rho g),
 * less what the dashpot of the first stretch takes. */
#include "near.h"
#include "soft_scene.h"

#include "world/world_private.h"

static const double LYING[4] = {0.70710678118654752440, 0.70710678118654752440, 0.0, 0.0}; /* the axis along -y */

static scree_material rolling_rubber(double rho)
{
    scree_material m = soft_rubber(0.5, 0.5, 0.5, 1e6, 1e5);
    m.friction.rolling = (scree_friction_length){rho, 0};
    m.soft.damping_share = 0.5;
    return m;
}

/// From 0.5 m/s to rest. R: of the section that rolls.
static void rolls_to_rest(scree_shape shape, double R, const double q[4], int model)
{
    const double rho = 0.004, g = 9.8, h = 5e-5, v = 0.5;
    scree_material m = rolling_rubber(rho);
    m.soft.model = model;
    m.soft.sds_stiffness = 1e5;
    scree_world *world = soft_world(&m, g, 0.0, NULL);
    scene_floor(world);
    int body = soft_body(world, shape, 1.0, (const double[3]){0.0, 0.0, R - 0.5 * g / 1e6}, q);
    scene_move(world, body, (const double[3]){v, 0.0, 0.0}, (const double[3]){0.0, v / R, 0.0});
    double inertia = scree_world_inertia(world, scree_body_at(body))[2],
           way = (1.0 + inertia / (R * R)) * R * v * v / (2.0 * rho * g);
    scree_stepper *stepper = soft_stepper(h, 1, NULL);
    for (int step = 0; step < 50000; ++step) scene_step(stepper, world);
    within("way to rest", scree_world_positions(world)[3 * body], way, 5e-3);
    near("rest", scree_world_velocities(world)[3 * body], 0.0, 1e-11);
    within("energy to rolling friction", scree_stepper_totals(stepper)->energy.roll,
           0.5 * v * v * (1.0 + inertia / (R * R)), 1e-2);
    soft_finish(world, stepper);
}

static void cylinders_and_capsules_roll_as_far_as_rolling_friction_lets_them(void **state)
{
    (void)state;
    for (int model = SCREE_DEM_TRACKING; model <= SCREE_DEM_SDS; model += SCREE_DEM_SDS - SCREE_DEM_TRACKING) {
        rolls_to_rest(scree_shape_cylinder(0.1, 0.2, scree_material_at(0)), 0.1, LYING, model);
        rolls_to_rest(scree_shape_capsule(0.1, 0.2, scree_material_at(0)), 0.1, LYING, model);
    }
}

/// Along its axis a cylinder slides: the whole of its energy goes to sliding, none to rolling.
static void along_its_axis_a_cylinder_slides(void **state)
{
    (void)state;
    const double g = 9.8, v = 0.5, mu = 0.5;
    scree_material m = rolling_rubber(0.004);
    scree_world *world = soft_world(&m, g, 0.0, NULL);
    scene_floor(world);
    int body = soft_body(world, scree_shape_cylinder(0.1, 0.2, scree_material_at(0)), 1.0,
                         (const double[3]){0.0, 0.0, 0.1 - 0.5 * g / 1e6}, LYING);
    scene_move(world, body, (const double[3]){0.0, v, 0.0}, (const double[3]){0.0, 0.0, 0.0});
    scree_stepper *stepper = soft_stepper(5e-5, 1, NULL);
    for (int step = 0; step < 4000; ++step) scene_step(stepper, world);
    within("way to rest", scree_world_positions(world)[3 * body + 1], v * v / (2.0 * mu * g), 5e-3);
    near("rest", scree_world_velocities(world)[3 * body + 1], 0.0, 1e-9);
    near("energy to rolling friction", scree_stepper_totals(stepper)->energy.roll, 0.0, 1e-9);
    soft_finish(world, stepper);
}

/// On its flat end nothing rolls, however it is pushed about.
static void on_its_end_a_cylinder_has_no_rolling_friction(void **state)
{
    (void)state;
    const double g = 9.8;
    scree_material m = rolling_rubber(0.004);
    scree_world *world = soft_world(&m, g, 0.0, NULL);
    scene_floor(world);
    int body = soft_body(world, scree_shape_cylinder(0.2, 0.05, scree_material_at(0)), 1.0,
                         (const double[3]){0.0, 0.0, 0.05}, NULL);
    scene_move(world, body, (const double[3]){0.3, 0.0, 0.0}, (const double[3]){0.0, 0.0, 1.0});
    scree_stepper *stepper = soft_stepper(5e-5, 1, NULL);
    for (int step = 0; step < 4000; ++step) scene_step(stepper, world);
    assert_true(scree_stepper_totals(stepper)->energy.slide > 0.01);
    assert_true(scree_stepper_totals(stepper)->energy.roll == 0.0);
    soft_finish(world, stepper);
}

/// Of a cone with half angle b, at the distance d from its tip along the side: 1/(d tan b) across, which is cos b/rho; straight along it.
static void sides_bend_across_their_straight_direction(void **state)
{
    (void)state;
    const double R = 0.3, H = 0.4, slant = 0.5, zero[3] = {0.0, 0.0, 0.0};
    scree_material m = soft_rubber(0.5, 0.5, 0.5, 1e6, 1e5);
    scree_world *world = soft_world(&m, 0.0, 0.0, NULL);
    int cone = soft_body(world, scree_shape_cone(R, H, scree_material_at(0)), 1.0, zero, LYING);
    int rod = soft_body(world, scree_shape_cylinder(R, H, scree_material_at(0)), 1.0, (const double[3]){5.0, 0.0, 0.0},
                        LYING);
    (void)cone, (void)rod; /* shapes 0 and 1 */
    for (int k = 1; k < 10; ++k) {
        double d = 0.05 * k, rho = d * R / slant, z = 0.75 * H - d * H / slant;
        const double point[3] = {rho, -z, 0.0}, normal[3] = {H / slant, -R / slant, 0.0}; /* z of the shape is -y */
        surface_bend bend = shape_curvature(world, 0, point, normal, zero);
        within("across the side of a cone", bend.along, 1.0 / (d * R / H), 1e-12);
        within("mean", bend.mean, 0.5 * bend.along, 1e-12);
        near("straight along the side", fabs(bend.straight[0] * R / slant + bend.straight[1] * H / slant), 1.0, 1e-12);
    }
    assert_true(
        shape_curvature(world, 0, (const double[3]){1e-9, -0.75 * H, 0.0}, (const double[3]){0.8, -0.6, 0.0}, zero)
            .along == 0.0);
    static const struct {
        double lean; /* of the normal, from the side to the flat end [rad] */
        int rolls;
    } rim[] = {{0.0, 1}, {0.7, 1}, {0.8, 0}, {1.5707963267948966, 0}};
    for (int k = 0; k < 4; ++k) {
        const double point[3] = {R, -H, 0.0}, normal[3] = {cos(rim[k].lean), -sin(rim[k].lean), 0.0};
        surface_bend bend = shape_curvature(world, 1, point, normal, zero);
        near("a rim", bend.along, rim[k].rolls ? cos(rim[k].lean) / R : 0.0, 1e-12);
    }
    scree_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinders_and_capsules_roll_as_far_as_rolling_friction_lets_them),
        cmocka_unit_test(along_its_axis_a_cylinder_slides),
        cmocka_unit_test(on_its_end_a_cylinder_has_no_rolling_friction),
        cmocka_unit_test(sides_bend_across_their_straight_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
