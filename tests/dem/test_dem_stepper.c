/* test_dem_stepper.c: the scheme dem on worlds: closed forms of bounces, bricks, rolling and spinning bodies; momentum, energy, rest; what it
 * refuses. Its state: test_dem_state.c. The laws themselves are in test_dem_laws.c, one body by a plain loop in test_dem_motion.c. */
#include "laws/dem_friction.h"
#include "near.h"
#include "soft_scene.h"
#include "world/world_private.h"

/* ---- normal laws -------------------------------------------------------------------------------------------------------------- */

static void a_ball_bounces_with_its_restitution(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law)
        for (int pulls = 0; pulls < 2; ++pulls) {
            scree_material m = soft_rubber(0.0, 0.0, 0.6, 1e5, 1e4);
            if (law) m.soft = scree_dem_default();
            if (law) m.soft.young = 2e6, m.soft.poisson = 0.3;
            m.soft.pulls = pulls ? SCREE_DEM_PULLS_YES : SCREE_DEM_PULLS_NO;
            scree_world *world = soft_world(&m, 0.0, 0.0, NULL);
            scene_floor(world);
            int ball = scene_sphere(world, 0.1, 1.0, 0.0, 0.0, 0.101);
            scene_move(world, ball, (const double[3]){0.0, 0.0, -1.0}, (const double[3]){0.0, 0.0, 0.0});
            scree_stepper *stepper = soft_stepper(2e-6, 1, NULL);
            for (int k = 0; k < 60000; ++k) scene_step(stepper, world);
            within("restitution", scree_world_velocities(world)[3 * ball + 2], 0.6, 1e-3);
            soft_finish(world, stepper);
        }
}

/* ---- [FN]'s bodies ------------------------------------------------------------------------------------------------------------ */

/// A brick of 1 kg on four corners, each with a quarter of the springs: [FN] 4.1.
static void a_brick_sticks_then_slides(void **state)
{
    (void)state;
    const double angle[] = {0.18, 0.25}, h = 1e-4;
    for (int k = 0; k < 2; ++k) {
        scree_material m = soft_rubber(0.25, 0.2, 0.5, 1e6, 2.5e4);
        m.soft.slide_damping = 158.0;
        scree_world *world = soft_world(&m, 9.8, angle[k], NULL);
        scene_floor(world);
        int brick = soft_body(world, scree_shape_box(0.1, 0.1, 0.02, scree_material_at(0)), 1.0,
                              (const double[3]){0, 0, 0.02 - 2.4e-6}, NULL);
        scree_stepper *stepper = soft_stepper(h, 1, NULL);
        double from = 0.0;
        for (int step = 0; step < 10000; ++step) {
            scene_step(stepper, world);
            if (step == 4999) from = scree_world_velocities(world)[3 * brick];
        }
        double friction[3], moment[3], v = scree_world_velocities(world)[3 * brick];
        scree_world_contact_force(world, scree_body_at(brick), friction, moment);
        if (k == 0) {
            near("rest", vec_norm(scree_world_velocities(world) + 3 * brick), 0.0, 1e-13);
            within("friction carries the weight", -friction[0], 9.8 * sin(angle[k]), 1e-9);
        } else {
            within("E_f", -friction[0], 1.899, 0.0005 / 1.899);
            near("a, as printed", (v - from) / 0.5, 0.525, 0.0005);
            within("a", (v - from) / 0.5, 9.8 * (sin(angle[k]) - 0.2 * cos(angle[k])), 1e-3);
        }
        soft_finish(world, stepper);
    }
}

/// The sphere of [FN] 4.3 on an incline of 35 degrees: its kinetic loads, and the closed forms of its four phases.
static void a_sphere_goes_up_an_incline_and_comes_back(void **state)
{
    (void)state;
    const double slope = 35.0 * PI / 180.0, g = 9.8, N = 5.0 * g * cos(slope), h = 1e-5;
    scree_material m = soft_rubber(0.25, 0.2, 0.5, 1e7, 1e5);
    m.soft.eta_r = 0.3;
    scree_world *world = soft_world(&m, g, slope, NULL);
    scene_floor(world);
    int ball = scene_sphere(world, 0.2, 5.0, 0.0, 0.0, 0.2 - N / 1e7);
    scene_move(world, ball, (const double[3]){-0.5, 0.0, 0.0}, (const double[3]){0.0, 0.0, 0.0});
    scree_stepper *stepper = soft_stepper(h, 1, NULL);
    double v1 = 0.0, w1 = 0.0;
    for (int step = 1; step <= 100000; ++step) {
        scene_step(stepper, world);
        const double *v = scree_world_velocities(world) + 3 * ball,
                     *w = scree_world_angular_velocities(world) + 3 * ball;
        if (step == 50000) v1 = v[0], w1 = w[1];
        if (step != 100000) continue;
        double F = 0.2 * N, T = 2.0 * 0.3 * 0.2 * 0.2 * N;
        within("slides and rolls down, a", (v[0] - v1) / 0.5, g * sin(slope) - F / 5.0, 1e-3);
        within("slides and rolls down, turning", (w[1] - w1) / 0.5, (F * 0.2 - T) / (0.4 * 5.0 * 0.04), 1e-3);
    }
    const scree_contact_point *touch = scree_world_contacts(world);
    near("F, as printed", hypot(touch->impulse[1], touch->impulse[2]) / h, 8.027, 0.005);
    near("T, as printed", hypot(touch->impulse[3], touch->impulse[4]) / h, 0.963, 0.0005);
    assert_true(touch->mode == scree_mode_make(1, 1, 0));
    soft_finish(world, stepper);
}

/// [FN] 4.4, undamped: torque eta_psi mu N R, rest after 6.8 s, and then exact rest.
static void a_spinning_sphere_comes_to_rest(void **state)
{
    (void)state;
    scree_material m = soft_rubber(0.25, 0.2, 0.5, 1e7, 1e5);
    m.soft.eta_psi = 0.006;
    m.soft.damping_share = 1.0;
    scree_world *world = soft_world(&m, 9.8, 0.0, NULL);
    scene_floor(world);
    int ball = scene_sphere(world, 0.2, 5.0, 0.0, 0.0, 0.2 - 49e-7);
    scene_move(world, ball, (const double[3]){0.0, 0.0, 0.0}, (const double[3]){0.0, 0.0, 1.0});
    scree_stepper *stepper = soft_stepper(2e-4, 1, NULL);
    const double T = 0.006 * 0.2 * 49.0 * 0.2, I = 0.4 * 5.0 * 0.04;
    double w1 = 0.0;
    for (int step = 1; step <= 50000; ++step) {
        scree_step_report report = scene_step(stepper, world);
        double w = scree_world_angular_velocities(world)[3 * ball + 2];
        if (step == 5000) w1 = w;
        if (step == 20000) within("slope", (w1 - w) / 3.0, T / I, 1e-3);
        if (step == 20000) assert_true(report.modes[scree_mode_make(0, 0, -1)] == 1);
    }
    /* psi is rounded to 1e-16 rad, which the dashpot makes D psi/I = 3.5e-15 rad/s in a step; it decays at D h/I = 0.007 a step, so such
     * steps add up to some 1e-13 */
    near("rest", scree_world_angular_velocities(world)[3 * ball + 2], 0.0, 5e-13);
    soft_finish(world, stepper);
}

/// [FN] table 7: largest spin torque and threshold of a steel ellipsoid, Hertz, upright and flat.
static void an_ellipsoid_spins_as_its_curvature_says(void **state)
{
    (void)state;
    const double half = sqrt(0.5), upright[4] = {1, 0, 0, 0}, flat[4] = {half, 0, half, 0};
    const struct {
        const double *q;
        double height, torque;
    } pose[] = {{upright, 0.05, 4.63e-5}, {flat, 0.02, 7.53e-5}};
    for (int k = 0; k < 2; ++k) {
        scree_material ball = soft_rubber(0.25, 0.2, 0.5, 1.0, 5e6), ground = scree_material_default("ground");
        ball.density = 8000.0, ball.soft.stiffness = SCREE_NOT_GIVEN;
        ball.soft.young = 2e11, ball.soft.poisson = 0.3;
        ball.soft.spin = SCREE_DEM_SPIN_HERTZ;
        ground.friction = ball.friction;
        scree_world *world = soft_world(&ball, 9.8, 0.0, NULL);
        scree_error error = {0};
        scree_world_add_material(world, &ground, &error);
        expect_ok(error.status, &error);
        scree_body_def def = scree_body_def_default();
        scree_shape plane = scree_shape_plane(scree_material_at(1));
        def.kind = SCREE_BODY_FIXED, def.shapes = &plane, def.shape_count = 1;
        scree_world_add_body(world, &def, &error);
        expect_ok(error.status, &error);
        double E = 2e11 / (1 - 0.09), bend = k ? 0.5 * (1 / 0.02 + 0.02 / 0.0025) : 0.05 / 0.0004;
        double mass = 8000.0 * 4.0 / 3.0 * PI * 0.02 * 0.02 * 0.05, K = 4.0 / 3.0 * E * sqrt(1.0 / bend);
        double sunk = pow(mass * 9.8 / K, 2.0 / 3.0), a = sqrt(sunk / bend);
        int body = soft_body(world, scree_shape_ellipsoid(0.02, 0.02, 0.05, scree_material_at(0)), 0.0,
                             (const double[3]){0, 0, pose[k].height - sunk}, pose[k].q);
        scene_move(world, body, (const double[3]){0, 0, 0}, (const double[3]){0, 0, 100.0});
        scree_stepper *stepper = soft_stepper(1e-6, 1, NULL);
        for (int step = 0; step < 400; ++step) scene_step(stepper, world);
        double T = scree_world_contacts(world)->impulse[5] / 1e-6;
        within("torque, law of Hertz", -T, 0.5 * a * 0.2 * mass * 9.8, 2e-3);
        near("largest static torque, table 7", -T * 0.25 / 0.2, pose[k].torque, 0.006e-5 + 2e-3 * pose[k].torque);
        soft_finish(world, stepper);
    }
}

/* ---- other models ------------------------------------------------------------------------------------------------------------- */

/// A sphere rolls to rest on a plane: closed form v^2 7/(10 rho/R g); the constant torque chatters instead.
static void models_of_rolling_agree_until_they_rest(void **state)
{
    (void)state;
    for (int model = SCREE_DEM_TRACKING; model <= SCREE_DEM_SDS; ++model) {
        const double R = 0.1, rho = 0.004, g = 9.8, h = 5e-5;
        scree_material m = soft_rubber(0.5, 0.5, 0.5, 1e6, 1e5);
        m.friction.rolling = (scree_friction_length){rho, 0};
        m.soft.model = model;
        m.soft.sds_stiffness = 1e5;
        m.soft.damping_share = 0.5; /* the dashpot of the first stretch takes its share of the way */
        scree_world *world = soft_world(&m, g, 0.0, NULL);
        scene_floor(world);
        int ball = scene_sphere(world, R, 1.0, 0.0, 0.0, R - g / 1e6);
        scene_move(world, ball, (const double[3]){0.5, 0.0, 0.0}, (const double[3]){0.0, 5.0, 0.0});
        scree_stepper *stepper = soft_stepper(h, 1, NULL);
        const double full = h * rho * g; /* largest impulse of the torque */
        int changes = 0;
        for (int step = 0; step < 60000; ++step) {
            double before = scree_world_contact_count(world) ? scree_world_contacts(world)->impulse[4] : 0.0;
            scene_step(stepper, world);
            if (step >= 59000) changes += before * scree_world_contacts(world)->impulse[4] < -1e-12 * full * full;
        }
        double way = 0.5 * 0.25 / (5.0 / 7.0 * rho / R * g), v = scree_world_velocities(world)[3 * ball];
        within("way to rest", scree_world_positions(world)[3 * ball], way, 5e-3);
        if (model == SCREE_DEM_TORQUE) assert_true(changes > 900);
        else near("rest: the rounding of x over h", v, 0.0, 1e-11), assert_int_equal(changes, 0);
        soft_finish(world, stepper);
    }
}

/* ---- conservation ------------------------------------------------------------------------------------------------------------- */

/// sds has opposite loads on both bodies: momentum and, about any point, angular momentum stay.
static void a_collision_keeps_momentum(void **state)
{
    (void)state;
    scree_material m = soft_rubber(0.5, 0.5, 0.7, 1e5, 3e4);
    m.friction.rolling = (scree_friction_length){0.1, 1}, m.friction.spinning = (scree_friction_length){0.1, 1};
    m.soft.model = SCREE_DEM_SDS;
    m.soft.sds_stiffness = 2e4, m.soft.spin_stiffness = 10.0;
    scree_world *world = soft_world(&m, 0.0, 0.0, NULL);
    int a = scene_sphere(world, 0.1, 1.0, 0.0, 0.0, 0.0), b = scene_sphere(world, 0.15, 3.0, 0.2, 0.12, 0.05);
    scene_move(world, a, (const double[3]){1.0, 0.2, 0.1}, (const double[3]){3.0, -5.0, 2.0});
    scree_stepper *stepper = soft_stepper(1e-5, 1, NULL);
    double before[6], after[6];
    for (int k = 0; k < 2; ++k) {
        double *sum = k ? after : before;
        memset(sum, 0, sizeof before);
        for (int body = 0; body < 2; ++body) {
            int n = body ? b : a;
            double mass = scree_world_mass(world, scree_body_at(n)),
                   I = scree_world_inertia(world, scree_body_at(n))[0], L[3], spin[3];
            const double *x = scree_world_positions(world) + 3 * n, *v = scree_world_velocities(world) + 3 * n;
            vec_cross(x, v, L);
            body_spin_world(world, n, spin);
            for (int i = 0; i < 3; ++i) sum[i] += mass * v[i], sum[3 + i] += mass * L[i] + I * spin[i];
        }
        for (int step = 0; step < 10000 && k == 0; ++step) scene_step(stepper, world);
    }
    for (int i = 0; i < 6; ++i) near("momentum", after[i], before[i], i < 3 ? 1e-13 : 1e-12);
    assert_true(scree_stepper_totals(stepper)->penetration_max > 1e-4);
    soft_finish(world, stepper);
}

/// A mixed heap of every kind of shape: what the ledger leaves over is the error of the integration, of first order.
static void heap_ledger(double h, scree_ledger *total)
{
    scree_material m = soft_rubber(0.5, 0.4, 0.5, 1e6, 3e5);
    m.friction.rolling = (scree_friction_length){0.02, 1}, m.friction.spinning = (scree_friction_length){0.01, 1};
    scree_world *world = soft_world(&m, 9.8, 0.1, NULL);
    const double turned[4] = {0.8, 0.0, 0.6, 0.0};
    scene_pile(world, 12, 0.1, 0.1, 0.7, 5);
    soft_body(world, scree_shape_box(0.1, 0.06, 0.05, scree_material_at(0)), 0.0, (const double[3]){0.0, 0.1, 1.2},
              turned);
    soft_body(world, scree_shape_ellipsoid(0.1, 0.07, 0.05, scree_material_at(0)), 0.0,
              (const double[3]){0.1, -0.1, 1.5}, turned);
    soft_body(world, scree_shape_capsule(0.05, 0.1, scree_material_at(0)), 0.0, (const double[3]){-0.1, 0.0, 1.8},
              turned);
    scree_stepper *stepper = soft_stepper(h, 1, NULL);
    for (int step = 0; step < (int)(0.7 / h + 0.5); ++step) scene_step(stepper, world);
    *total = scree_stepper_totals(stepper)->energy;
    soft_finish(world, stepper);
}

static void the_ledger_of_a_heap_closes_to_first_order(void **state)
{
    (void)state;
    scree_ledger coarse, fine;
    heap_ledger(4e-5, &coarse);
    heap_ledger(1e-5, &fine);
    double lost = fine.slide + fine.roll + fine.spin + fine.impact + fine.damping;
    print_message(
        "heap: lost %.4g J (slide %.3g roll %.3g spin %.3g impact %.3g dashpots %.3g), stored %.3g, closing error %.3g "
        "J at 40 us, %.3g J at 10 us; tracking %.3g, work of the law %.3g\n",
        lost, fine.slide, fine.roll, fine.spin, fine.impact, fine.damping, fine.elastic, coarse.balance, fine.balance,
        fine.tracking, fine.law_work);
    assert_true(fine.slide > 0.0 && fine.roll > 0.0 && fine.spin > 0.0 && fine.impact > 0.0 && fine.damping > 0.0);
    assert_true(fine.balance > 0.0 && fine.balance < 0.01 * lost && fine.balance < 0.3 * coarse.balance);
}

/// An undamped ball on a spring: what the integration makes stays within (h/2) |F v|, for ever. What it is put down with is `brought`.
static void an_undamped_spring_keeps_its_energy(void **state)
{
    (void)state;
    scree_material m = soft_rubber(0.0, 0.0, 1.0, 1e4, 1e4);
    scree_world *world = soft_world(&m, 9.8, 0.0, NULL);
    const double h = 1e-4, amplitude = 5e-4;
    scene_floor(world);
    int ball = scene_sphere(world, 0.1, 1.0, 0.0, 0.0, 0.1 - 9.8e-4 - amplitude);
    scree_stepper *stepper = soft_stepper(h, 1, NULL);
    double worst = 0.0, early = 0.0;
    scene_step(stepper, world);
    const scree_ledger *e = &scree_stepper_totals(stepper)->energy;
    within("energy of the overlap at the start", e->brought, 0.5 * 1e4 * 1.48e-3 * 1.48e-3, 1e-12);
    for (int step = 0; step < 100000; ++step) {
        scene_step(stepper, world);
        worst = fmax(worst, fabs(e->balance));
        if (step == 2000) early = worst;
    }
    double F = 9.8 + 1e4 * amplitude, v = amplitude * 100.0;
    near("brought once", e->brought, 0.5 * 1e4 * 1.48e-3 * 1.48e-3, 1e-12);
    assert_true(scree_world_positions(world)[3 * ball + 2] > 0.09);
    assert_true(worst <= h * F * v && worst <= 1.01 * early);
    soft_finish(world, stepper);
}

/* ---- walls that press --------------------------------------------------------------------------------------------------------- */

/// A plate presses a fixed ball with 50 N: delta' = gain (F - k delta), so its push grows as 1 - exp(-gain k t); rate and end. Free, it
/// goes at its largest speed.
static void a_servo_presses_with_its_force(void **state)
{
    (void)state;
    const double k = 1e4, gain = 1e-4, F = 50.0, h = 1e-4;
    scree_material m = soft_rubber(0.0, 0.0, 1.0, k, k);
    scree_world *world = soft_world(&m, 0.0, 0.0, NULL);
    scree_body_def def = scree_body_def_default();
    scree_shape plane = scree_shape_plane(scree_material_at(0));
    scree_error error = {0};
    int plate, ball = scene_sphere(world, 0.1, 1e15, 0.0, 0.0, 0.0); /* heavier than 50 N can move */
    def.kind = SCREE_BODY_DRIVEN, def.shapes = &plane, def.shape_count = 1;
    def.position[2] = 0.15, def.rotation[0] = 0.0, def.rotation[1] = 1.0; /* facing down */
    def.motion.servo = (scree_pressure_control){{0, 0, -1}, F, gain, 0.004};
    plate = scree_body_index(scree_world_add_body(world, &def, &error));
    expect_ok(error.status, &error);
    scree_stepper *stepper = soft_stepper(h, 1, NULL);
    scene_step(stepper, world);
    double from = scree_world_positions(world)[3 * plate + 2];
    expect_ok(scree_advance(stepper, world, 10000, NULL, &error), &error);
    within("speed limit", from - scree_world_positions(world)[3 * plate + 2], 0.004, 1e-9);
    double start = 0.0;
    for (int step = 0; step < 150000 && start == 0.0; ++step) {
        scene_step(stepper, world);
        double delta = 0.1 - (scree_world_positions(world)[3 * plate + 2] - scree_world_positions(world)[3 * ball + 2]);
        if (delta > 0.001) start = delta; /* 10 N: the limit no longer holds */
    }
    expect_ok(scree_advance(stepper, world, 10000, NULL, &error), &error);
    double delta = 0.1 - (scree_world_positions(world)[3 * plate + 2] - scree_world_positions(world)[3 * ball + 2]);
    within("exponential approach", F / k - delta, (F / k - start) * exp(-gain * k * 1.0), 5e-3);
    expect_ok(scree_advance(stepper, world, 200000, NULL, &error), &error);
    double force[3], moment[3];
    scree_world_contact_force(world, scree_body_at(plate), force, moment);
    within("force", force[2], F, 1e-6);
    soft_finish(world, stepper);
}

/* ---- what it refuses ---------------------------------------------------------------------------------------------------------- */

static void refused(const scree_material *m, double h, scree_status status, const char *words)
{
    scree_world *world = soft_world(m, 9.8, 0.0, NULL);
    scene_floor(world);
    scene_sphere(world, 0.1, 1.0, 0.0, 0.0, 0.0999);
    scree_stepper *stepper = soft_stepper(h, 1, NULL);
    scree_error error = {.text = ""};
    uint64_t hash = scree_world_hash(world);
    assert_int_equal(scree_stepper_check(stepper, world, NULL, &error), status);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
    assert_int_equal(scree_step(stepper, world, &error), status);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
    assert_true(scree_world_hash(world) == hash);
    soft_finish(world, stepper);
}

static void what_a_law_lacks_is_named(void **state)
{
    (void)state;
    scree_material m = {.soft = scree_dem_default(), .name = "clay", .density = 2000.0, .friction = {.mu = 0.5}};
    refused(&m, 1e-5, SCREE_ERR_INPUT, "'clay' and 'clay' needs a normal stiffness: dem.stiffness");
    m.soft.stiffness = 1e5;
    refused(&m, 1e-5, SCREE_ERR_INPUT, "needs dem.slide_stiffness");
    m.soft.slide_stiffness = 1e5;
    refused(&m, 1e-1, SCREE_ERR_STEP, "beyond the critical step");
    m.soft.normal = SCREE_DEM_HERTZ;
    refused(&m, 1e-5, SCREE_ERR_INPUT, "needs dem.young and dem.poisson");
    m.soft.normal = SCREE_DEM_CONSTANT;
    refused(&m, 1e-5, SCREE_ERR_INPUT, "needs the constant normal load: dem.load");
    m.soft.normal = SCREE_DEM_HOOKE, m.friction.rolling = (scree_friction_length){0.01, 0};
    m.soft.model = SCREE_DEM_SDS;
    refused(&m, 1e-5, SCREE_ERR_INPUT, "needs dem.sds_stiffness");
    m.friction.rolling.value = 0.0, m.friction.spinning = (scree_friction_length){0.01, 0};
    refused(&m, 1e-5, SCREE_ERR_INPUT, "needs dem.spin_stiffness");

    scree_world *world = soft_world(&m, 9.8, 0.0, NULL);
    scree_error error = {0};
    m.friction.mu_static = 0.4;
    scree_world_add_material(world, &m, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_string_equal(error.text, "material 'clay': the static friction coefficient is 0.4, expected at least 0.5");
    m.friction.mu_static = 0.0, m.soft.young = 1e6;
    error = (scree_error){0};
    scree_world_add_material(world, &m, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_string_equal(error.text, "material 'clay': dem: young and poisson go together, expected both");
    scree_world_destroy(world);
}

/// At the limit that is announced for one contact: below it a ball stays on its spring, above it the spring throws it off.
static void the_critical_step_is_critical(void **state)
{
    (void)state;
    const double zeta[] = {0.0, 0.3};
    for (int k = 0; k < 4; ++k) {
        scree_material m = soft_rubber(0.0, 0.0, 1.0, 1e4, 1e4);
        m.soft.damping = zeta[k / 2];
        m.soft.pulls = SCREE_DEM_PULLS_YES;
        scree_world *world = soft_world(&m, 98.0, 0.0, NULL);
        scene_floor(world);
        int ball = scene_sphere(world, 0.1, 1.0, 0.0, 0.0, 0.1 - 9.8e-3 - 1e-6);
        scree_stepper *stepper = soft_stepper(1e-5, 1, NULL);
        double critical;
        scree_error error = {0};
        expect_ok(scree_stepper_check(stepper, world, &critical, &error), &error);
        within("critical step", critical, 0.02 / (sqrt(1 + zeta[k / 2] * zeta[k / 2]) + zeta[k / 2]), 1e-12);
        scree_stepper_destroy(stepper);
        scree_stepper_options options = scree_stepper_options_default();
        options.scheme = SCREE_SCHEME_DEM, options.step = critical * (k % 2 ? 1.02 : 0.98), options.force_step = 1;
        stepper = scene_stepper(&options, NULL);
        double farthest = 0.0;
        for (int step = 0; step < 200 && farthest < 1e-3; ++step) {
            scene_step(stepper, world);
            farthest = fmax(farthest, fabs(scree_world_positions(world)[3 * ball + 2] - 0.1 + 9.8e-3));
        }
        assert_true((farthest > 9e-4) == (k % 2));
        soft_finish(world, stepper);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces_with_its_restitution),
        cmocka_unit_test(a_brick_sticks_then_slides),
        cmocka_unit_test(a_sphere_goes_up_an_incline_and_comes_back),
        cmocka_unit_test(a_spinning_sphere_comes_to_rest),
        cmocka_unit_test(an_ellipsoid_spins_as_its_curvature_says),
        cmocka_unit_test(models_of_rolling_agree_until_they_rest),
        cmocka_unit_test(a_collision_keeps_momentum),
        cmocka_unit_test(the_ledger_of_a_heap_closes_to_first_order),
        cmocka_unit_test(an_undamped_spring_keeps_its_energy),
        cmocka_unit_test(a_servo_presses_with_its_force),
        cmocka_unit_test(what_a_law_lacks_is_named),
        cmocka_unit_test(the_critical_step_is_critical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
