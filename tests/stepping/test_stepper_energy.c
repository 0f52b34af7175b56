/* test_stepper_energy.c: free rotation keeps energy and momentum; the ledger of every step of real runs closes to rounding. */
#include "step/rotation.h"
#include "stepper_scene.h"

#include <float.h>

static double relative_change(const double a[3], const double b[3])
{
    double d[3];
    vec_sub(a, b, d);
    return vec_norm(d) / vec_norm(b);
}

static double angular_momentum(const double inertia[3], const double q[4], const double omega[3], double L[3])
{
    double body[3] = {inertia[0] * omega[0], inertia[1] * omega[1], inertia[2] * omega[2]};
    quat_rotate(q, body, L);
    return 0.5 * vec_dot(body, omega);
}

/// Spins and steps from slow to absurd (5 rad per step): energy and momentum to 1e-12 over 1e5 steps.
static void free_rotation_keeps_energy_and_momentum(void **state)
{
    (void)state;
    static const struct {
        double inertia[3], omega[3], h;
    } run[] = {
        {{1, 2, 3}, {1e-3, 6, 1e-3}, 5e-3},  /* about the middle axis: Dzhanibekov */
        {{1, 2, 3}, {0.1, 1000, 0.1}, 5e-3}, /* the same, 5 rad per step */
        {{1, 2, 3}, {3, 2, 5}, 1e-2},        {{1, 1, 2.5}, {1, 2, 10}, 5e-3},
        {{2.5, 1, 1}, {1000, 2, 10}, 5e-3},  {{1, 0.01, 1}, {10, 1000, 2}, 5e-3}, /* a rod */
        {{0.4, 0.4, 0.4}, {1, 2, 3}, 5e-3},
    };
    for (size_t r = 0; r < sizeof run / sizeof *run; ++r) {
        double q[4] = {0.5, 0.5, -0.5, 0.5}, omega[3], L0[3], L[3], worst_energy = 0.0, worst_L = 0.0;
        int flips = 0;
        memcpy(omega, run[r].omega, sizeof omega);
        double energy = angular_momentum(run[r].inertia, q, omega, L0), sign = omega[1];
        for (int k = 0; k < 100000; ++k) {
            rotation_free(run[r].inertia, run[r].h, q, omega);
            double now = angular_momentum(run[r].inertia, q, omega, L);
            worst_energy = fmax(worst_energy, fabs(now / energy - 1.0)),
            worst_L = fmax(worst_L, relative_change(L, L0));
            if (omega[1] * sign < 0.0) flips += 1, sign = omega[1];
        }
        print_message("moments %g %g %g: energy %.1e, momentum %.1e\n", run[r].inertia[0], run[r].inertia[1],
                      run[r].inertia[2], worst_energy, worst_L);
        assert_true(worst_energy <= 1e-12 && worst_L <= 1e-12);
        if (r == 0) assert_true(flips > 50); /* it does turn over, about every 5.6 s */
    }
}

/// A free symmetric top: its axis goes round the angular momentum at |L|/I_t, and stands after one second where theory says, for any step.
static void symmetric_top_precesses_at_the_right_rate(void **state)
{
    (void)state;
    static const double steps[] = {1e-3, 0.05, 0.5};
    double inertia[3] = {2.0, 2.0, 3.5}, spin[3] = {0.8, 0.0, 9.0};
    for (int k = 0; k < 3; ++k) {
        double q[4] = {1, 0, 0, 0}, omega[3], L[3], axis[3], turned[3], turn[4], expected[3], end[3] = {0, 0, 1};
        memcpy(omega, spin, sizeof omega);
        angular_momentum(inertia, q, omega, L);
        int count = (int)(1.0 / steps[k] + 0.5);
        for (int n = 0; n < count; ++n) rotation_free(inertia, steps[k], q, omega);
        for (int i = 0; i < 3; ++i) turned[i] = L[i] / inertia[0];
        quat_exp(turned, turn);
        quat_rotate(turn, end, expected);
        quat_rotate(q, end, axis);
        assert_true(relative_change(axis, expected) < 1e-12);
        /* in its own frame omega goes round the axis at (1 - I_e/I_t) omega_e, backwards */
        double W = (1.0 - 3.5 / 2.0) * 9.0;
        assert_true(fabs(omega[0] - 0.8 * cos(W)) < 1e-12 && fabs(omega[1] + 0.8 * sin(W)) < 1e-12);
    }
}

/// The triaxial path against the symmetric one, and its order: two.
static void triaxial_rotation_is_of_second_order(void **state)
{
    (void)state;
    double inertia[3] = {1.0, 2.0, 3.0}, fine[4] = {1, 0, 0, 0}, w[3] = {1.0, 2.0, -0.5}, error[2];
    for (int n = 0; n < 100000; ++n) rotation_free(inertia, 1e-5, fine, w);
    for (int k = 0; k < 2; ++k) {
        int steps = 20 << k;
        double q[4] = {1, 0, 0, 0}, omega[3] = {1.0, 2.0, -0.5}, sum = 0.0;
        for (int n = 0; n < steps; ++n) rotation_free(inertia, 1.0 / steps, q, omega);
        for (int i = 0; i < 4; ++i) sum += (q[i] - fine[i]) * (q[i] - fine[i]);
        error[k] = sqrt(sum);
    }
    assert_true(error[0] < 2e-3);
    assert_true(error[0] / error[1] > 3.8 && error[0] / error[1] < 4.2);
}

/* ---- the ledger -------------------------------------------------------------------------------------------------------------------- */

typedef struct variant {
    scree_scheme scheme;
    scree_law law;
    double theta, tolerance, restitution, stiffness;
    int driven;
    double young; /* above 0: contacts yield by Hertz and Mindlin */
} variant;

static scree_world *busy_world(const variant *v)
{
    static const double time[2] = {0.0, 0.2}, velocity[6] = {0.3, 0.0, 0.05, 0.0, 0.0, 0.0}, spin[3] = {0.0, 0.0, 0.5};
    static const double force[6] = {0.0, 0.0, 0.0, 30.0, -10.0, 50.0}, moment[3] = {0.1, 0.0, -0.2};
    scree_friction friction = {.mu = 0.4,
                               .rolling = {0.05, 1},
                               .spinning = {0.03, 1},
                               .restitution = v->restitution,
                               .stiffness = v->stiffness};
    scree_world *world = scene_world(9.81, 0.1, friction, SCREE_PLANAR_NONE, NULL);
    scree_error error = {0};
    if (v->young > 0.0) {
        scree_dem soft = scree_dem_default();
        soft.young = v->young, soft.poisson = 0.3;
        expect_ok(scree_world_set_pair_dem(world, scree_material_at(0), scree_material_at(0), &soft, &error), &error);
    }
    scree_shape shape[2] = {scree_shape_sphere(0.12, scree_material_at(0)),
                            scree_shape_sphere(0.08, scree_material_at(0))};
    scree_body_def def = scree_body_def_default();
    scene_pile(world, 40, 0.1, 0.2, 0.8, 7);
    /* a dumbbell: three different moments would need a third shape; two do for anisotropy and arms off the normal */
    shape[1].position[0] = 0.15;
    def.shapes = shape, def.shape_count = 2, def.position[2] = 1.4, def.spin[1] = 5.0, def.spin[2] = 3.0;
    def.force = (scree_table){2, time, force}, def.moment = (scree_table){1, time, moment};
    scree_world_add_body(world, &def, &error);
    expect_ok(error.status, &error);
    if (v->driven) { /* a shaken plate, turning, on which all comes down */
        scree_shape plate = scree_shape_plane(scree_material_at(0));
        def = scree_body_def_default();
        def.kind = SCREE_BODY_DRIVEN, def.shapes = &plate, def.shape_count = 1, def.position[2] = 0.02;
        def.motion.velocity = (scree_table){2, time, velocity}, def.motion.spin = (scree_table){1, time, spin};
        def.motion.amplitude[2] = 0.01, def.motion.frequency = 5.0;
        scree_world_add_body(world, &def, &error);
        expect_ok(error.status, &error);
    }
    return world;
}

static void ledger_closes_in_every_step(void **state)
{
    (void)state;
    static const variant variants[] = {
        {SCREE_SCHEME_ANITESCU_TASORA, SCREE_LAW_COULOMB, 0.5, 1e-6, 0.0, 0.0, 0, 0.0},
        {SCREE_SCHEME_ANITESCU_TASORA, SCREE_LAW_COULOMB, 0.5, 1e-2, 0.6, 0.0, 1, 0.0},
        {SCREE_SCHEME_ANITESCU_TASORA, SCREE_LAW_CONVEX, 0.5, 1e-6, 0.0, 0.0, 1, 0.0},
        {SCREE_SCHEME_ANITESCU_TASORA, SCREE_LAW_COULOMB, 0.5, 1e-10, 0.0, 1e5, 1, 0.0},
        {SCREE_SCHEME_ANITESCU_TASORA, SCREE_LAW_COULOMB, 0.5, 1e-6, 0.0, 0.0, 1, 1e7},
        {SCREE_SCHEME_ANITESCU_TASORA, SCREE_LAW_CONVEX, 0.5, 1e-6, 0.0, 0.0, 0, 1e7},
        {SCREE_SCHEME_MOREAU_JEAN, SCREE_LAW_COULOMB, 0.5, 1e-6, 0.6, 0.0, 1, 0.0},
        {SCREE_SCHEME_MOREAU_JEAN, SCREE_LAW_COULOMB, 1.0, 1e-10, 0.0, 0.0, 1, 0.0},
        {SCREE_SCHEME_MOREAU_JEAN, SCREE_LAW_CONVEX, 0.7, 1e-3, 0.3, 0.0, 0, 0.0},
    };
    for (size_t k = 0; k < sizeof variants / sizeof *variants; ++k) {
        const variant *v = &variants[k];
        scree_world *world = busy_world(v);
        scree_stepper_options options = scree_stepper_options_default();
        options.scheme = v->scheme, options.law = v->law, options.theta = v->theta, options.hertz = v->young > 0.0;
        options.solver.tolerance = v->tolerance, options.solver.max_iterations = 2000, options.step = 2e-3;
        scree_stepper *stepper = scene_stepper(&options, NULL);
        double worst = 0.0;
        scree_ledger last = {0};
        for (int n = 0; n < (SCREE_SAMPLE_SHARE > 1 ? 120 : 600); ++n) {
            scree_energy world_energy;
            last = scene_step(stepper, world).energy;
            worst = fmax(worst, fabs(last.balance) / ledger_size(&last));
            world_energy = scree_world_energy(world);
            assert_true(fabs(world_energy.kinetic - last.kinetic) <= 1e-12 * ledger_size(&last));
            assert_true(fabs(world_energy.potential - last.potential) <= 1e-12 * ledger_size(&last));
        }
        const scree_ledger *sum = &scree_stepper_totals(stepper)->energy;
        print_message(
            "%s, %s: worst %.1e; slide %.3g roll %.3g spin %.3g impact %.3g stabilisation %.3g lift %.3g compliance "
            "%.3g theta %.3g solver %.2g load %.3g driven %.3g\n",
            scree_scheme_name(v->scheme), v->law ? "convex" : "coulomb", worst, sum->slide, sum->roll, sum->spin,
            sum->impact, sum->stabilisation, sum->lift, sum->compliance, sum->theta, sum->solver, sum->load,
            sum->driven);
        assert_true(worst <= 1e-12);
        /* and the lines mean what they say */
        assert_true(sum->slide > 0.0 && sum->roll > 0.0 && sum->spin > 0.0 && sum->impact > 0.0 && sum->load != 0.0);
        assert_true((sum->driven != 0.0) == v->driven);
        assert_true((sum->lift < 0.0) == (v->law == SCREE_LAW_CONVEX));
        assert_true((sum->compliance != 0.0) == (v->stiffness > 0.0 || v->young > 0.0));
        assert_true((sum->stabilisation != 0.0) == (v->stiffness == 0.0 && v->young == 0.0));
        assert_true((sum->theta != 0.0) == (v->scheme == SCREE_SCHEME_ANITESCU_TASORA || v->theta != 0.5));
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

/// What friction takes from a ball that rolls to rest is its kinetic energy, all of it by rolling; of one that slides, the rest by sliding.
static void dissipation_goes_to_the_right_line(void **state)
{
    (void)state;
    scree_friction friction = {.mu = 0.2, .rolling = {0.04, 0}};
    scree_world *world = scene_world(9.81, 0.0, friction, SCREE_PLANAR_NONE, NULL);
    scree_stepper_options options = scree_stepper_options_default();
    scene_floor(world);
    int ball = scene_sphere(world, 0.5, 0.0, 0.0, 0.0, 0.5);
    scene_move(world, ball, (const double[3]){2.5, 0.0, 0.0}, (const double[3]){0.0, 5.0, 0.0});
    options.solver.tolerance = 1e-12;
    double energy = scree_world_energy(world).kinetic;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    for (int n = 0; n < 1000; ++n) scene_step(stepper, world);
    const scree_ledger *sum = &scree_stepper_totals(stepper)->energy;
    assert_true(fabs(sum->roll - energy) <= 1e-9 * energy);
    assert_true(fabs(sum->slide) <= 1e-9 * energy && fabs(sum->impact) <= 1e-9 * energy);
    assert_true(sum->kinetic <= 1e-25);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_rotation_keeps_energy_and_momentum),
        cmocka_unit_test(symmetric_top_precesses_at_the_right_rate),
        cmocka_unit_test(triaxial_rotation_is_of_second_order),
        cmocka_unit_test(ledger_closes_in_every_step),
        cmocka_unit_test(dissipation_goes_to_the_right_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
