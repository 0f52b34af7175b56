/* test_hollow_runs.c: bodies in bowls, drums and funnels move as closed forms say, in every scheme and engine.
 *
 *     rolling in a bowl or along a tube's bottom:  (7/5)(R - r) theta'' = -g sin theta,  T = 2 pi sqrt(7 (R - r)/(5 g)) (1 + theta_0^2/16 + ...)
 *     in a drum that turns, rolling friction rho:   about the angle  tan theta = rho/r, where r T = rho N
 *     down a funnel of slope b:                     5/7 g sin b
 *     round in a funnel without friction:           v^2 = g (radius of the path) tan b */
#include "near.h"
#include "soft_scene.h"

#include "world/world_private.h"

static const double G = 9.8, R = 1.0, r = 0.1, K = 1e6;
static const double LYING[4] = {0.70710678118654752440, 0.70710678118654752440, 0.0, 0.0}; /* the axis along -y */

static scree_world *world_with(double mu, double rho)
{
    scree_material m = soft_rubber(mu, mu, 0.0, K, K);
    m.soft.damping = 0.3, m.soft.damping_share = 0.5;
    m.friction.rolling = (scree_friction_length){rho, 0};
    return soft_world(&m, G, 0.0, NULL);
}

static int add_wall(scree_world *world, scree_shape shape, const double q[4], const double *spin)
{
    scree_body_def def = scree_body_def_of(shape);
    scree_error error = {0};
    const double zero = 0.0;
    def.kind = spin ? SCREE_BODY_DRIVEN : SCREE_BODY_FIXED;
    if (q) memcpy(def.rotation, q, sizeof def.rotation);
    if (spin) def.motion.spin = (scree_table){1, &zero, spin};
    int index = scree_body_index(scree_world_add_body(world, &def, &error));
    expect_ok(error.status, &error);
    return index;
}

/// How far a soft ball sinks in under the load; rigid ones do not.
static double sinks(int method, double load)
{
    return method >= 2 ? load / K : 0.0;
}

static double time_at_zero(const double t[2], const double x[2])
{
    return t[0] - x[0] * (t[1] - t[0]) / (x[1] - x[0]);
}

/// Between the first and the third passage of the lowest point. The step's first order shows at the second crossing: both have it.
static void a_ball_rolls_to_and_fro_with_its_period(void **state)
{
    (void)state;
    const scree_shape walls[2] = {scree_shape_bowl(R, R, scree_material_at(0)),
                                  scree_shape_tube(R, R, 1.0, scree_material_at(0))};
    for (int method = 0; method < SCHEMES; ++method)
        for (int wall = 0; wall < 2; ++wall) {
            const double swing = 0.1, T = 2.0 * PI * sqrt(1.4 * (R - r) / G) * (1.0 + swing * swing / 16.0);
            scree_world *world = world_with(0.8, 0.0);
            scree_stepper *stepper = scheme_stepper(method);
            add_wall(world, walls[wall], wall ? LYING : NULL, NULL);
            const double arm = R - r + sinks(method, G * cos(swing));
            int ball = scene_sphere(world, r, 1.0, arm * sin(swing), 0.0, -arm * cos(swing));
            double crossing[3], t[2] = {0.0, 0.0}, x[2] = {arm * sin(swing), 0.0};
            for (int n = 0; n < 3;) {
                scene_step(stepper, world);
                t[1] = scree_world_time(world), x[1] = scree_world_positions(world)[3 * ball];
                assert_true(t[1] < 2.0 * T);
                if (x[0] * x[1] <= 0.0) crossing[n++] = time_at_zero(t, x);
                t[0] = t[1], x[0] = x[1];
            }
            within("period", crossing[2] - crossing[0], T, 1e-3);
            near("across", scree_world_positions(world)[3 * ball + 1], 0.0, 1e-9);
            soft_finish(world, stepper);
        }
}

/// It rolls in place on the rising side; from the lowest point it swings about that place, and the mean over a period is it.
static void rolling_friction_lifts_a_ball_in_a_drum(void **state)
{
    (void)state;
    const double rho = 0.008, turn = 0.5, spin[3] = {0.0, -turn, 0.0}, T = 2.0 * PI * sqrt(1.4 * (R - r) / G);
    for (int method = 0; method < SCHEMES; ++method) {
        scree_world *world = world_with(0.8, rho);
        scree_stepper *stepper = scheme_stepper(method);
        add_wall(world, scree_shape_tube(R, R, 1.0, scree_material_at(0)), LYING, spin);
        int ball = scene_sphere(world, r, 1.0, 0.0, 0.0, -(R - r) - sinks(method, G)), steps = 0;
        scene_move(world, ball, (const double[3]){0.0, 0.0, 0.0}, (const double[3]){0.0, -turn * R / r, 0.0});
        double sum = 0.0;
        for (; scree_world_time(world) < T; ++steps) {
            scene_step(stepper, world);
            const double *x = scree_world_positions(world) + 3 * ball;
            sum += atan2(x[0], -x[2]);
        }
        /* a stiff spring of rolling friction and a step of 1 ms are seen in the fourth digit */
        within("angle", tan(sum / steps), rho / r, 5e-3);
        soft_finish(world, stepper);
    }
}

static void a_ball_rolls_down_a_funnel_as_down_an_incline(void **state)
{
    (void)state;
    const double slope = 0.25 * PI, time = 0.4, c = sqrt(0.5);
    for (int method = 0; method < SCHEMES; ++method) {
        scree_world *world = world_with(0.8, 0.0);
        scree_stepper *stepper = scheme_stepper(method);
        add_wall(world, scree_shape_tube(0.2, 1.2, 0.5, scree_material_at(0)), NULL, NULL);
        const double height = r - sinks(method, G * cos(slope)), along = 1.2; /* from the lower end of the line */
        int ball = scene_sphere(world, r, 1.0, 0.2 + (along - height) * c, 0.0, -0.5 + (along + height) * c);
        while (scree_world_time(world) < time - 1e-9) scene_step(stepper, world);
        const double *x = scree_world_positions(world) + 3 * ball;
        /* soft: the spring of sliding gives way at first */
        const double way = along - ((x[0] - 0.2) + (x[2] + 0.5)) * c, theory = 0.5 * (5.0 / 7.0) * G * c * time * time;
        within("way", way, theory, method < 2 ? 1e-6 : 2e-3);
        soft_finish(world, stepper);
    }
}

static void a_ball_without_friction_goes_round_in_a_funnel(void **state)
{
    (void)state;
    const double rho = 0.6, v = sqrt(G * rho), time = 0.5;
    for (int method = 0; method < SCHEMES; ++method) {
        scree_world *world = world_with(0.0, 0.0);
        scree_stepper *stepper = scheme_stepper(method);
        add_wall(world, scree_shape_tube(0.2, 1.2, 0.5, scree_material_at(0)), NULL, NULL);
        const double height = r - sinks(method, G * sqrt(2.0)), z = rho - 0.2 - 0.5 + height * sqrt(2.0);
        int ball = scene_sphere(world, r, 1.0, rho, 0.0, z);
        scene_move(world, ball, (const double[3]){0.0, v, 0.0}, (const double[3]){0.0, 0.0, 0.0});
        while (scree_world_time(world) < time - 1e-9) scene_step(stepper, world);
        const double *x = scree_world_positions(world) + 3 * ball;
        /* a step of 1 ms along the tangent leaves the circle by (v h)^2/(2 rho), 5e-6 m, and gravity acts for half a step more */
        within("radius", hypot(x[0], x[1]), rho, method < 2 ? 5e-3 : 5e-4);
        within("angle", atan2(x[1], x[0]) + (v * time / rho > PI ? 2.0 * PI : 0.0), v * time / rho, 5e-3);
        soft_finish(world, stepper);
    }
}

/// Every kind comes to rest in a lying tube and in a bowl, and the wall carries its weight.
static void bodies_rest_in_tubes_and_bowls(void **state)
{
    (void)state;
    double p[60];
    rng random = rng_make(5, 0);
    for (int k = 0; k < 60; ++k) p[k] = rng_uniform(&random) - 0.5;
    scree_error error = {0};
    scree_geometry *stone = scree_geometry_hull(p, 20, NULL, &error);
    expect_ok(error.status, &error);
    const scree_material_id m = scree_material_at(0);
    for (int method = 0; method < 3; ++method)
        for (int wall = 0; wall < 2; ++wall) {
            const scree_shape kinds[] = {scree_shape_box(0.2, 0.15, 0.1, m), scree_shape_ellipsoid(0.25, 0.2, 0.15, m),
                                         scree_shape_capsule(0.1, 0.2, m), scree_shape_cylinder(0.12, 0.2, m),
                                         scree_shape_hull(stone, 0.4, m)};
            for (int k = 0; k < 5; ++k) {
                scree_material rough = soft_rubber(0.5, 0.5, 0.0, 1e5, 1e5);
                rough.soft.damping = 0.7, rough.soft.damping_share = 0.7;
                rough.friction.rolling = (scree_friction_length){0.02, 0};
                scree_world *world = soft_world(&rough, G, 0.0, NULL);
                scree_stepper *stepper = scheme_stepper(method);
                add_wall(world, wall ? scree_shape_bowl(R, R, m) : scree_shape_tube(R, R, 1.0, m), wall ? NULL : LYING,
                         NULL);
                int body = soft_body(world, kinds[k], 1.0, (const double[3]){0.05, 0.0, -0.65}, LYING);
                double force[3], moment[3], sum = 0.0;
                while (scree_world_time(world) < 2.5) scene_step(stepper, world);
                for (int n = 0; n < 100; ++n) {
                    scene_step(stepper, world);
                    scree_world_contact_force(world, scree_body_at(body), force, moment);
                    sum += force[2] / 100.0;
                }
                const double *x = scree_world_positions(world) + 3 * body;
                assert_true(vec_norm(scree_world_velocities(world) + 3 * body) < 1e-3);
                within("weight", sum, G, 1e-3);
                assert_true(hypot(wall ? x[1] : 0.0, hypot(x[0], x[2])) < R);
                soft_finish(world, stepper);
            }
        }
    scree_geometry_release(stone);
}

/// Curvatures of hollow walls are below 0; a sphere against one has the reduced radius r R/(R - r).
static void hollow_walls_bend_the_other_way(void **state)
{
    (void)state;
    const double zero[3] = {0.0, 0.0, 0.0}, slant = sqrt(2.0);
    scree_world *world = world_with(0.5, 0.0);
    const scree_material_id m = scree_material_at(0);
    add_wall(world, scree_shape_bowl(R, R, m), NULL, NULL);
    add_wall(world, scree_shape_tube(R, R, 1.0, m), NULL, NULL);
    add_wall(world, scree_shape_tube(0.2, 1.2, 0.5, m), NULL, NULL);
    surface_bend bend = shape_curvature(world, 0, (const double[3]){0, 0, -R}, (const double[3]){0, 0, 1}, zero);
    near("bowl", bend.mean, -1.0 / R, 1e-15);
    near("bowl", bend.along, -1.0 / R, 1e-15);
    bend = shape_curvature(world, 1, (const double[3]){R, 0, 0.3}, (const double[3]){-1, 0, 0}, zero);
    near("tube", bend.along, -1.0 / R, 1e-15);
    near("tube", bend.mean, -0.5 / R, 1e-15);
    near("straight", fabs(bend.straight[2]), 1.0, 1e-15);
    bend =
        shape_curvature(world, 2, (const double[3]){0.0, 0.7, 0.0}, (const double[3]){0, -1 / slant, 1 / slant}, zero);
    within("funnel", bend.along, -1.0 / (0.7 * slant), 1e-14);
    near("straight", fabs(bend.straight[1] + bend.straight[2]), slant, 1e-14);
    bend = shape_curvature(world, 1, (const double[3]){R, 0, 1.0}, (const double[3]){0, 0, 1}, zero);
    near("rim", bend.along, 0.0, 0.0);
    soft_finish(world, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_rolls_to_and_fro_with_its_period),
        cmocka_unit_test(rolling_friction_lifts_a_ball_in_a_drum),
        cmocka_unit_test(a_ball_rolls_down_a_funnel_as_down_an_incline),
        cmocka_unit_test(a_ball_without_friction_goes_round_in_a_funnel),
        cmocka_unit_test(bodies_rest_in_tubes_and_bowls),
        cmocka_unit_test(hollow_walls_bend_the_other_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
