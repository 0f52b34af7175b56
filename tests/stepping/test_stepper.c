/* test_stepper.c: one body at a time, against closed forms of mechanics. docs/evidence.md: rolling to rest, inclines, spin-down, impacts, flight. */
#include "stepper_scene.h"
#include "world/world_private.h"

#include <float.h>

static scree_friction friction(double mu, double rho, double sigma, double e)
{
    return (scree_friction){.mu = mu, .rolling = {.value = rho}, .spinning = {.value = sigma}, .restitution = e};
}

/* ---- rolling to rest ------------------------------------------------------------------------------------------------------------- */

typedef struct rolling_run {
    double x, t;              /* where and when it came to rest              */
    double slide_end;         /* last time its contact slid, 0: never        */
    double spin_end;          /* when its spin reached 0                     */
    double first[6], last[6]; /* loads of the first step and of the last but few that moved, over r_N */
} rolling_run;

/// [AB] 6.1: sphere R 0.5, density 2500, U 2.5 along a direction at `heading` to x.
static rolling_run roll(double mu, double rho, double spin, double heading, double mass, scree_scheme scheme, double h)
{
    scree_world *world = scene_world(9.81, 0.0, friction(mu, rho, 0.0, 0.0), SCREE_PLANAR_NONE, NULL);
    scree_stepper_options options = scree_stepper_options_default();
    rolling_run run = {.t = -1.0, .spin_end = -1.0};
    double c = cos(heading), s = sin(heading);
    scene_floor(world);
    int ball = scene_sphere(world, 0.5, mass, 0.3, 0.7, 0.5);
    scene_move(world, ball, (const double[3]){2.5 * c, 2.5 * s, 0.0}, (const double[3]){-spin * s, spin * c, 0.0});
    options.scheme = scheme, options.theta = 0.5, options.step = h, options.solver.tolerance = 1e-12;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    const double *v = scree_world_velocities(world) + 3 * ball, *x = scree_world_positions(world) + 3 * ball;
    const double *omega = scree_world_angular_velocities(world) + 3 * ball;
    for (int k = 0; k * h < 8.0; ++k) {
        double t = scree_world_time(world);
        scene_step(stepper, world);
        assert_true(scree_world_time(world) == (k + 1) * h);
        assert_int_equal(scree_world_contact_count(world), 1);
        const scree_contact_point *touch = scree_world_contacts(world);
        double slip = hypot(touch->velocity[1], touch->velocity[2]);
        for (int i = 0; i < 6; ++i) {
            double ratio = touch->impulse[i] / touch->impulse[0];
            if (k == 0) run.first[i] = ratio;
            if (vec_norm(v) > 10.0 * h) run.last[i] = ratio;
        }
        if (slip > 1e-9) run.slide_end = t;
        if (run.spin_end < 0.0 && vec_norm(omega) < 1e-9) run.spin_end = t;
        if (run.t < 0.0 && vec_norm(v) < 1e-12 && vec_norm(omega) < 1e-12) run.t = t;
    }
    run.x = hypot(x[0] - 0.3, x[1] - 0.7);
    assert_true(fabs(x[2] - 0.5) < 1e-12);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
    return run;
}

static void assert_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected))) print_error("%.12g, expected %.12g\n", value, expected);
    assert_true(fabs(value - expected) <= relative * fabs(expected));
}

static void ball_rolls_to_rest_where_theory_says(void **state)
{
    (void)state;
    double slowing = 5.0 / 7.0 * 0.08 * 9.81, distance = 2.5 * 2.5 / (2.0 * slowing);
    rolling_run a = roll(0.2, 0.04, 5.0, 0.0, 0.0, SCREE_SCHEME_MOREAU_JEAN, 1e-4);
    assert_near(a.x, distance, 1e-7); /* theta = 1/2 is exact but for the last step, h^2 */
    assert_near(a.t, 2.5 / slowing, 1e-4);
    assert_true(a.slide_end == 0.0);
    assert_near(hypot(a.first[3], a.first[4]), 0.04, 1e-9);
    assert_near(hypot(a.first[1], a.first[2]), 5.0 / 7.0 * 0.08, 1e-9);
    /* any direction, any mass, both schemes, any step */
    for (int k = 1; k <= 4; ++k) {
        double h = k % 2 ? 1e-3 : 1.0 / 60.0, mass = k == 2 ? 1000.0 : k == 3 ? 1e-6 : 0.0;
        rolling_run b = roll(0.2, 0.04, 5.0, 0.25 * PI * k, mass, SCREE_SCHEME_MOREAU_JEAN, h);
        assert_near(b.x, distance, 1e-3);
        b = roll(0.2, 0.04, 5.0, 0.25 * PI * k, mass, SCREE_SCHEME_ANITESCU_TASORA, h);
        assert_near(b.x, distance, 1e-3);
    }
}

static void ball_slips_first_where_its_spin_is_too_slow(void **state)
{
    (void)state;
    /* U' = -mu g, R Omega' = (5/2)(mu - rho/R) g until they meet; then as a ball that rolls */
    double mu = 0.2, rho = 0.04, g = 9.81, R = 0.5, U = 2.5, omega = 2.5;
    double meet = (U - R * omega) / (mu * g + 2.5 * (mu - rho / R) * g), u = U - mu * g * meet;
    double slowing = 5.0 / 7.0 * rho / R * g, distance = 0.5 * (U + u) * meet + u * u / (2.0 * slowing);
    rolling_run b = roll(mu, rho, omega, 0.0, 0.0, SCREE_SCHEME_MOREAU_JEAN, 1e-4);
    assert_near(b.slide_end, meet, 1e-3);
    assert_near(b.x, distance, 1e-4);
    assert_near(hypot(b.first[1], b.first[2]), mu, 1e-9);
    assert_near(hypot(b.last[1], b.last[2]), 5.0 / 7.0 * rho / R, 1e-9);
}

static void ball_stops_turning_before_it_stops_where_friction_is_low(void **state)
{
    (void)state;
    double mu = 0.05, rho = 0.04, g = 9.81, R = 0.5, U = 2.5;
    rolling_run c = roll(mu, rho, 5.0, 0.0, 0.0, SCREE_SCHEME_MOREAU_JEAN, 1e-4);
    assert_near(c.spin_end, 3.398, 1e-3);
    assert_near(c.t, U / (mu * g), 1e-3);
    assert_near(c.x, U * U / (2.0 * mu * g), 1e-6);
    assert_near(hypot(c.first[3], c.first[4]), rho, 1e-9);
    assert_near(hypot(c.last[3], c.last[4]), mu * R, 1e-9);
}

/// [TA] 6.1: R 1, M 10, J 4, v 1, rho 0.02, mu 0.9, g 9.8 in a plane.
static void disk_in_a_plane_comes_to_rest_and_stays(void **state)
{
    (void)state;
    scree_world *world = scene_world(9.8, 0.0, friction(0.9, 0.02, 0.0, 0.0), SCREE_PLANAR_XZ, NULL);
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_sphere(1.0, scree_material_at(0));
    scree_stepper_options options = scree_stepper_options_default();
    scree_error error = {0};
    int disk;
    scene_floor(world);
    def.shapes = &shape, def.shape_count = 1, def.mass = 10.0, def.position[2] = 1.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 4.0, def.velocity[0] = 1.0, def.spin[1] = 1.0;
    disk = scree_body_index(scree_world_add_body(world, &def, &error));
    expect_ok(error.status, &error);
    options.step = 1e-3, options.solver.tolerance = 1e-10;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    const double *x = scree_world_positions(world) + 3 * disk,
                 *omega = scree_world_angular_velocities(world) + 3 * disk;
    while (scree_world_time(world) < 1.0) scene_step(stepper, world);
    assert_near(omega[1], 1.0 - 0.14 * scree_world_time(world), 1e-9);
    while (scree_world_time(world) < 7.0) scene_step(stepper, world);
    assert_true(omega[1] > 0.01);
    while (scree_world_time(world) < 7.2) scene_step(stepper, world);
    assert_near(x[0], 1.0 / (2.0 * 0.14), 2e-4); /* 3.571 m, half a step's travel less */
    double stopped[3];
    memcpy(stopped, x, sizeof stopped);
    for (int k = 0; k < 1000; ++k) scene_step(stepper, world);
    assert_memory_equal(stopped, x, sizeof stopped);
    assert_true(x[1] == 0.0);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

/* ---- inclines -------------------------------------------------------------------------------------------------------------------- */

static void ball_on_an_incline_rests_rolls_or_slips(void **state)
{
    (void)state;
    static const double degrees[] = {3.0, 5.0, 5.5, 10.0, 20.0, 28.0};
    double R = 0.2, mu = 0.2, rho = 0.02, g = 9.81;
    for (int scheme = 0; scheme < SCREE_SCHEME_DEM; ++scheme)
        for (int k = 0; k < 6; ++k) {
            double a = degrees[k] * PI / 180.0;
            scree_world *world = scene_world(g, a, friction(mu, rho, 0.0, 0.0), SCREE_PLANAR_NONE, NULL);
            scree_stepper_options options = scree_stepper_options_default();
            options.scheme = (scree_scheme)scheme;
            scene_floor(world);
            int ball = scene_sphere(world, R, 5.0, 0.1, 0.2, R);
            scree_stepper *stepper = scene_stepper(&options, NULL);
            const double *x = scree_world_positions(world) + 3 * ball, *v = scree_world_velocities(world) + 3 * ball;
            const double *q = scree_world_rotations(world) + 4 * ball;
            for (int n = 0; n < 20; ++n) scene_step(stepper, world);
            double from[3], turned[4], speed = v[0], t = scree_world_time(world);
            memcpy(from, x, sizeof from), memcpy(turned, q, sizeof turned);
            for (int n = 0; n < 1000; ++n) scene_step(stepper, world);
            double accelerated = (v[0] - speed) / (scree_world_time(world) - t);
            if (k < 3) { /* tan(a) < rho/R: creep is zero, to the bit */
                assert_memory_equal(from, x, sizeof from);
                assert_memory_equal(turned, q, sizeof turned);
            } else if (k < 5) assert_near(accelerated, g * (sin(a) - rho / R * cos(a)) * 5.0 / 7.0, 1e-9);
            else assert_near(accelerated, g * (sin(a) - mu * cos(a)), 1e-9);
            scree_stepper_destroy(stepper);
            scree_world_destroy(world);
        }
}

static void box_on_an_incline_stands_below_the_angle_of_friction_and_slides_above(void **state)
{
    (void)state;
    static const char *const solver[] = {"auto", "nsgs"};
    double mu = 0.5, g = 9.81;
    for (int k = 0; k < 8; ++k) {
        double a = atan(mu) + (k & 1 ? 0.1 : -0.1) * PI / 180.0;
        scree_world *world = scene_world(g, a, friction(mu, 0.0, 0.0, 0.0), SCREE_PLANAR_NONE, NULL);
        scree_body_def def = scree_body_def_default();
        scree_shape shape = scree_shape_box(0.2, 0.15, 0.1, scree_material_at(0));
        scree_stepper_options options = scree_stepper_options_default();
        scree_error error = {0};
        int box;
        scene_floor(world);
        def.shapes = &shape, def.shape_count = 1;
        def.position[0] = 0.3, def.position[1] = 0.4, def.position[2] = 0.1;
        box = scree_body_index(scree_world_add_body(world, &def, &error));
        expect_ok(error.status, &error);
        options.scheme = (scree_scheme)(k >> 1 & 1), options.solver.name = solver[k >> 2];
        scree_stepper *stepper = scene_stepper(&options, NULL);
        const double *x = scree_world_positions(world) + 3 * box, *v = scree_world_velocities(world) + 3 * box;
        for (int n = 0; n < 200; ++n) scene_step(stepper, world);
        double from[3], speed = v[0], t = scree_world_time(world);
        memcpy(from, x, sizeof from);
        for (int n = 0; n < 1000; ++n) assert_int_equal(scene_step(stepper, world).contacts, 4);
        if (k & 1) assert_near((v[0] - speed) / (scree_world_time(world) - t), g * (sin(a) - mu * cos(a)), 1e-6);
        else assert_memory_equal(from, x, sizeof from);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

static void spinning_ball_stops_on_time(void **state)
{
    (void)state;
    for (int rolling = 0; rolling < 2; ++rolling) {
        double h = 5e-3, slowing = 0.02 * 9.8 / (0.4 * 0.2 * 0.2);
        scree_world *world =
            scene_world(9.8, 0.0, friction(0.3, rolling ? 0.01 : 0.0, 0.02, 0.0), SCREE_PLANAR_NONE, NULL);
        scree_stepper_options options = scree_stepper_options_default();
        options.step = h, options.solver.tolerance = 1e-10;
        scene_floor(world);
        int ball = scene_sphere(world, 0.2, 5.0, 0.0, 0.0, 0.2);
        scene_move(world, ball, (const double[3]){0}, (const double[3]){0, 0, 20.0});
        scree_stepper *stepper = scene_stepper(&options, NULL);
        const double *omega = scree_world_angular_velocities(world) + 3 * ball;
        while (scree_world_time(world) < 1.0) scene_step(stepper, world);
        assert_near(omega[2], 20.0 - slowing * scree_world_time(world), 1e-9);
        while (omega[2] > 1e-9) scene_step(stepper, world);
        assert_true(fabs(scree_world_time(world) - 20.0 / slowing) <= h);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

/* ---- flight and impact ------------------------------------------------------------------------------------------------------------- */

static void flight_is_a_parabola(void **state)
{
    (void)state;
    scree_world *world = scene_world(9.81, 0.3, friction(0.5, 0, 0, 0), SCREE_PLANAR_NONE, NULL);
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_MOREAU_JEAN, options.step = 0.01;
    int ball = scene_sphere(world, 0.1, 0.0, 1.0, 2.0, 3.0);
    scene_move(world, ball, (const double[3]){1.0, -2.0, 3.0}, (const double[3]){4.0, 5.0, -6.0});
    scree_stepper *stepper = scene_stepper(&options, NULL);
    for (int k = 0; k < 100; ++k) scene_step(stepper, world);
    const double *x = scree_world_positions(world) + 3 * ball;
    assert_near(x[0], 1.0 + 1.0 + 0.5 * 9.81 * sin(0.3), 1e-13);
    assert_true(fabs(x[1]) < 1e-13);
    assert_near(x[2], 3.0 + 3.0 - 0.5 * 9.81 * cos(0.3), 1e-13);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

static void ball_bounces_with_its_coefficient_and_then_rests(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCREE_SCHEME_DEM; ++scheme)
        for (int k = 0; k <= 9; ++k) {
            double e = 0.1 * k;
            scree_world *world = scene_world(9.81, 0.0, friction(0.5, 0.0, 0.0, e), SCREE_PLANAR_NONE, NULL);
            scree_stepper_options options = scree_stepper_options_default();
            options.scheme = (scree_scheme)scheme, options.step = 1e-3;
            scene_floor(world);
            int ball = scene_sphere(world, 0.1, 0.0, 0.0, 0.0, 0.35);
            scree_stepper *stepper = scene_stepper(&options, NULL);
            const double *v = scree_world_velocities(world) + 3 * ball, *x = scree_world_positions(world) + 3 * ball;
            double before = 0.0, top = 0.0;
            while (v[2] <= 0.0 && scree_world_time(world) < 1.0) before = v[2], scene_step(stepper, world);
            if (e > 0.0) {
                assert_near(v[2], -e * before, 1e-12);
                while (v[2] > 0.0) top = fmax(top, x[2]), scene_step(stepper, world);
                assert_true(fabs(top - 0.1 - e * e * 0.25) <=
                            -before * options.step); /* up to one step early or late */
            }
            while (scree_world_time(world) < 8.0) scene_step(stepper, world);
            double rest[3];
            memcpy(rest, x, sizeof rest);
            for (int n = 0; n < 200; ++n) scene_step(stepper, world);
            if (e < 0.85) assert_memory_equal(rest, x, sizeof rest);
            assert_true(fabs(x[2] - 0.1) < 5e-3);
            scree_stepper_destroy(stepper);
            scree_world_destroy(world);
        }
}

/// Two balls meet in space: nothing from outside, so linear and angular momentum stay. theta = 1: to rounding.
/// A ball of 0.5 m rolls and brakes evenly, in steps of 5 ms and 1/60 s: all but the last step is exact. Without the option h v/2 is missing.
static void centred_positions_roll_as_far_as_theory_says(void **state)
{
    (void)state;
    const double steps[] = {5e-3, 1.0 / 60.0}, v = 1.0, mu_r = 0.04, slowing = 5.0 / 7.0 * mu_r / 0.5 * 9.81;
    for (int k = 0; k < 4; ++k) {
        const double h = steps[k % 2], expected = v * v / (2.0 * slowing) - (k < 2 ? 0.0 : 0.5 * h * v);
        scree_world *world = scene_world(9.81, 0.0, friction(0.5, mu_r, 0.0, 0.0), SCREE_PLANAR_NONE, NULL);
        scree_stepper_options options = scree_stepper_options_default();
        options.step = h, options.centred = k < 2;
        scene_floor(world);
        int ball = scene_sphere(world, 0.5, 0.0, 0.0, 0.0, 0.5);
        scene_move(world, ball, (const double[3]){v, 0.0, 0.0}, (const double[3]){0.0, v / 0.5, 0.0});
        scree_stepper *stepper = scene_stepper(&options, NULL);
        while (scree_world_time(world) < 4.0) {
            scree_ledger e = scene_step(stepper, world).energy;
            assert_true(fabs(e.balance) < 1e-9);
        }
        assert_true(fabs(scree_world_positions(world)[3 * ball] - expected) <= slowing * h * h / 4.0);
        assert_true(scree_world_positions(world)[3 * ball + 2] == 0.5); /* no gap has changed */
        assert_true(scree_world_energy(world).kinetic == 0.0);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

/// x and z of a throw after 0.5 s are those of the parabola, and gravity's work is all there is in the ledger.
static void centred_positions_fly_on_a_parabola(void **state)
{
    (void)state;
    scree_world *world = scene_world(9.81, 0.0, friction(0.5, 0.0, 0.0, 0.0), SCREE_PLANAR_NONE, NULL);
    scree_stepper_options options = scree_stepper_options_default();
    options.centred = 1;
    int ball = scene_sphere(world, 0.1, 0.0, 0.0, 0.0, 10.0);
    scene_move(world, ball, (const double[3]){3.0, 0.0, 2.0}, (const double[3]){1.0, 2.0, 3.0});
    scree_stepper *stepper = scene_stepper(&options, NULL);
    const double mass = scree_world_mass(world, scree_body_at(ball));
    for (int k = 0; k < 100; ++k) {
        scree_ledger e = scene_step(stepper, world).energy;
        assert_true(fabs(e.theta) < 1e-12 * mass && fabs(e.balance) < 1e-10 * mass);
    }
    assert_near(scree_world_positions(world)[3 * ball], 1.5, 1e-13);
    assert_near(scree_world_positions(world)[3 * ball + 2], 10.0 + 2.0 * 0.5 - 0.5 * 9.81 * 0.25, 1e-13);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

/// A ball that bounces without loss keeps v^2/2 + g x, whatever part of a step is left at the impact: impacts on a floor, on a slope (along
/// which it drifts), in a corner and under a ceiling. With e = 1/2 it rises to a quarter, to the way of a step: and never higher than that.
static void centred_positions_make_no_energy_in_impacts(void **state)
{
    (void)state;
    for (int place = 0; place < 4; ++place) {
        scree_world *world =
            scene_world(9.81, place == 1 ? 0.3 : 0.0, friction(0.0, 0.0, 0.0, 1.0), SCREE_PLANAR_NONE, NULL);
        scree_stepper_options options = scree_stepper_options_default();
        options.centred = 1, options.impact_speed = 1e-9, options.solver.tolerance = 1e-14;
        scene_floor(world);
        if (place == 2) scene_plane(world, (const double[3]){-1.0, 0.0, 0.0}, (const double[3]){1.0, 0.0, 0.0});
        if (place == 3) scene_plane(world, (const double[3]){0.0, 0.0, 0.5}, (const double[3]){0.0, 0.0, -1.0});
        int ball = scene_sphere(world, 0.1, 0.0, 0.0, 0.0, 0.35), hits = 0;
        scene_move(world, ball, (const double[3]){place == 2 ? -1.0 : 0.3, 0.2, place == 3 ? -3.0 : 0.0},
                   (const double[3]){0.0, 0.0, 0.0});
        scree_stepper *stepper = scene_stepper(&options, NULL);
        const double mass = scree_world_mass(world, scree_body_at(ball));
        const scree_energy begin = scree_world_energy(world);
        double worst = 0.0;
        for (int k = 0; k < 4000; ++k) {
            hits += scene_step(stepper, world).active > 0;
            const scree_energy now = scree_world_energy(world);
            worst = fmax(worst, fabs(now.kinetic + now.potential - begin.kinetic - begin.potential) / mass);
        }
        print_message("%d impacts, %.2g J/kg\n", hits, worst);
        assert_true(hits > 20 && worst < 1e-8);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

static void collision_keeps_both_momenta(void **state)
{
    (void)state;
    for (int law = 0; law < 4; ++law) {
        scree_world *world = scene_world(0.0, 0.0, friction(0.6, 0.01, 0.01, 0.5), SCREE_PLANAR_NONE, NULL);
        scree_stepper_options options = scree_stepper_options_default();
        options.law = (scree_law)(law % 2), options.step = 1e-3, options.impact_speed = 1e-3, options.centred = law / 2;
        int a = scene_sphere(world, 0.1, 0.0, 0.0, 0.0, 0.0), b = scene_sphere(world, 0.2, 0.0, 0.5, 0.1, 0.05);
        scene_move(world, a, (const double[3]){3.0, 0.0, 0.0}, (const double[3]){1.0, 20.0, 3.0});
        scene_move(world, b, (const double[3]){0.0, 0.0, 0.1}, (const double[3]){-2.0, 0.0, 5.0});
        scree_stepper *stepper = scene_stepper(&options, NULL);
        double linear[2][3], angular[2][3];
        for (int when = 0; when < 2; ++when) {
            memset(linear[when], 0, sizeof linear[when]), memset(angular[when], 0, sizeof angular[when]);
            for (int body = 0; body < 2; ++body) {
                const double *x = scree_world_positions(world) + 3 * body,
                             *v = scree_world_velocities(world) + 3 * body;
                double m = scree_world_mass(world, scree_body_at(body)), spin[3], orbit[3];
                body_spin_world(world, body, spin);
                vec_cross(x, v, orbit);
                vec_add_scaled(linear[when], m, v, linear[when]);
                vec_add_scaled(angular[when], m, orbit, angular[when]);
                vec_add_scaled(angular[when], scree_world_inertia(world, scree_body_at(body))[0], spin, angular[when]);
            }
            int hits = 0;
            if (when == 0)
                for (int k = 0; k < 300; ++k) hits += scene_step(stepper, world).active;
            if (when == 0) assert_true(hits > 0);
        }
        for (int i = 0; i < 3; ++i) {
            assert_true(fabs(linear[1][i] - linear[0][i]) < 1e-13 * vec_norm(linear[0]));
            assert_true(fabs(angular[1][i] - angular[0][i]) < 1e-13 * vec_norm(angular[0]));
        }
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

/* ---- walls and loads --------------------------------------------------------------------------------------------------------------- */

static void floor_feels_the_weight_and_a_belt_carries(void **state)
{
    (void)state;
    double h = 5e-3, time[1] = {0.0}, velocity[3] = {0.7, 0.0, 0.0};
    scree_world *world = scene_world(9.81, 0.0, friction(0.4, 0.02, 0.02, 0.0), SCREE_PLANAR_NONE, NULL);
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_plane(scree_material_at(0));
    scree_stepper_options options = scree_stepper_options_default();
    scree_error error = {0};
    int belt;
    def.kind = SCREE_BODY_DRIVEN, def.shapes = &shape, def.shape_count = 1;
    def.motion.velocity = (scree_table){1, time, velocity};
    belt = scree_body_index(scree_world_add_body(world, &def, &error));
    expect_ok(error.status, &error);
    int ball = scene_sphere(world, 0.1, 2.0, 0.0, 0.0, 0.1);
    options.step = h, options.solver.tolerance = 1e-10;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    double force[3], moment[3], driven = 0.0, lost = 0.0;
    for (int k = 0; k < 2000; ++k) {
        scree_ledger e = scene_step(stepper, world).energy;
        driven += e.driven, lost += e.slide + e.roll + e.spin + e.impact + e.solver + e.stabilisation;
    }
    const double *v = scree_world_velocities(world) + 3 * ball;
    assert_near(v[0], 0.7, 1e-9); /* rolling friction carries it along in the end */
    scree_world_contact_force(world, scree_body_at(belt), force, moment);
    assert_near(force[2], -2.0 * 9.81, 1e-9);
    assert_true(fabs(force[0]) < 1e-9);
    assert_near(driven, 0.5 * 2.0 * 0.7 * 0.7 + lost, 1e-6);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

static void constant_force_and_moment_are_exact(void **state)
{
    (void)state;
    double time[1] = {0.0}, force[3] = {1.0, -2.0, 0.5}, moment[3] = {0.0, 0.0, 0.03};
    for (int scheme = 0; scheme < SCREE_SCHEME_DEM; ++scheme) {
        scree_world *world = scene_world(0.0, 0.0, friction(0.4, 0, 0, 0), SCREE_PLANAR_NONE, NULL);
        scree_body_def def = scree_body_def_default();
        scree_shape shape = scree_shape_sphere(0.1, scree_material_at(0));
        scree_stepper_options options = scree_stepper_options_default();
        scree_error error = {0};
        def.shapes = &shape, def.shape_count = 1, def.mass = 2.0;
        def.force = (scree_table){1, time, force}, def.moment = (scree_table){1, time, moment};
        scree_world_add_body(world, &def, &error);
        expect_ok(error.status, &error);
        options.scheme = (scree_scheme)scheme;
        scree_stepper *stepper = scene_stepper(&options, NULL);
        double work = 0.0;
        scree_step_report report = {0};
        for (int k = 0; k < 200; ++k) report = scene_step(stepper, world), work += report.energy.load;
        for (int i = 0; i < 3; ++i) assert_near(scree_world_velocities(world)[i], 0.5 * force[i], 1e-13);
        assert_near(scree_world_angular_velocities(world)[2], 0.03 / (0.4 * 2.0 * 0.01), 1e-13);
        assert_near(work, report.energy.kinetic, 1e-12);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_rolls_to_rest_where_theory_says),
        cmocka_unit_test(ball_slips_first_where_its_spin_is_too_slow),
        cmocka_unit_test(ball_stops_turning_before_it_stops_where_friction_is_low),
        cmocka_unit_test(disk_in_a_plane_comes_to_rest_and_stays),
        cmocka_unit_test(ball_on_an_incline_rests_rolls_or_slips),
        cmocka_unit_test(box_on_an_incline_stands_below_the_angle_of_friction_and_slides_above),
        cmocka_unit_test(spinning_ball_stops_on_time),
        cmocka_unit_test(flight_is_a_parabola),
        cmocka_unit_test(ball_bounces_with_its_coefficient_and_then_rests),
        cmocka_unit_test(centred_positions_roll_as_far_as_theory_says),
        cmocka_unit_test(centred_positions_fly_on_a_parabola),
        cmocka_unit_test(centred_positions_make_no_energy_in_impacts),
        cmocka_unit_test(collision_keeps_both_momenta),
        cmocka_unit_test(floor_feels_the_weight_and_a_belt_carries),
        cmocka_unit_test(constant_force_and_moment_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
