/* test_periodic.c: worlds that repeat themselves, with rigid contacts and with soft ones through the stages for any shape: where the cell
 * begins cannot be seen in the motion, momentum is kept, driven walls shear, joints go over the border, and what cannot be is refused by
 * name. Cells that deform: test_cell.c. The engine for spheres against the soft stages: test_dem_state.c. */
#include "failing_allocator.h"
#include "near.h"
#include "periodic_world.h"
#include "shared_loops.h"
#include "world/world_private.h"

/* ---- the cell has no place ------------------------------------------------------------------------------------------------------ */

static scree_world *gas(const double shift[3], int soft, const scree_allocator *allocator)
{
    return sheared_gas(shift, NULL, soft, allocator);
}

static void momentum_of(const scree_world *world, int bodies, double sum[3])
{
    memset(sum, 0, 3 * sizeof *sum);
    for (int b = 0; b < bodies; ++b)
        for (int i = 0; i < 3 && scree_world_body_kind(world, scree_body_at(b)) == SCREE_BODY_DYNAMIC; ++i)
            sum[i] += scree_world_mass(world, scree_body_at(b)) * scree_world_velocities(world)[3 * b + i];
}

static scree_stepper *gas_stepper(scree_scheme method, int threads)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = method, options.step = method == SCREE_SCHEME_DEM ? 3e-5 : 1e-3, options.threads = threads;
    options.solver.tolerance = 1e-12;
    return scene_stepper(&options, NULL);
}

static void place_of_the_cell(scree_scheme method, const double shear[3])
{
    enum { STEPS = 800 };
    static const double shift[][3] = {{0.0, 0.0, 0.0}, {0.6, 0.0, 0.0}, {0.11, -0.47, 0.6}, {-3.7, 12.3, 0.29}};
    double velocity[3 * BODIES];
    for (int n = 0; n<4; n += SCREE_SAMPLE_SHARE> 1 ? 2 : 1) { /* slow under a sanitizer */
        scree_world *world = sheared_gas(shift[n], shear, method == SCREE_SCHEME_DEM, NULL);
        scree_stepper *stepper = gas_stepper(method, 1);
        double before[3], after[3], worst = 0.0;
        int active = 0;
        momentum_of(world, BODIES, before);
        for (int step = 0; step < STEPS; ++step) {
            scree_step_report report = scene_step(stepper, world);
            active += report.active;
            if (method != SCREE_SCHEME_DEM)
                near("the ledger closes", report.energy.balance, 0.0, 1e-12 * (1.0 + ledger_size(&report.energy)));
        }
        momentum_of(world, BODIES, after);
        for (int i = 0; i < 3 && !shear; ++i) near("momentum", after[i], before[i], 1e-11);
        if (active < (method == SCREE_SCHEME_DEM ? 4000 : 100)) fail_msg("only %d contacts in %d steps", active, STEPS);
        for (int b = 0; b < BODIES; ++b)
            for (int i = 0; i < 3; ++i) {
                double x = scree_world_positions(world)[3 * b + i], low = i == 0 ? -0.3 : i == 2 ? 0.2 : 0.0;
                assert_true(x >= low && x < low + PERIOD);
            }
        const double *v = scree_world_velocities(world);
        if (n == 0) memcpy(velocity, v, sizeof velocity);
        for (int k = 0; k < 3 * BODIES; ++k) worst = fmax(worst, fabs(v[k] - velocity[k]));
        print_message("%s, shifted by (%g, %g, %g): velocities differ by %.2g m/s, %.3g contacts a step\n",
                      scree_scheme_name(method), shift[n][0], shift[n][1], shift[n][2], worst, 1.0 * active / STEPS);
        assert_true(worst < 1e-7); /* rounding of places, which collisions make larger */
        soft_finish(world, stepper);
    }
}

static void where_the_cell_begins_cannot_be_seen(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    for (int method = 0; method < SCREE_SCHEME_COUNT; ++method) place_of_the_cell((scree_scheme)method, NULL);
    place_of_the_cell(SCREE_SCHEME_DEM, (const double[3]){9.0, -20.0, 31.0}); /* 0.2 to 0.7 in these steps */
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    uint64_t hash[3 * SCREE_SCHEME_COUNT];
    for (int n = 0; n < 3 * SCREE_SCHEME_COUNT; ++n) {
        scree_scheme method = (scree_scheme)(n / 3);
        scree_world *world = gas((const double[3]){0.3, 0.3, 0.3}, method == SCREE_SCHEME_DEM, NULL);
        scree_stepper *stepper = gas_stepper(method, n % 3 + 1);
        scree_error error = {0};
        share_loops(world, stepper);
        expect_ok(scree_advance(stepper, world, 200, NULL, &error), &error);
        expect_shared_loops(stepper, n % 3 + 1);
        hash[n] = scree_world_hash(world);
        soft_finish(world, stepper);
    }
    for (int n = 0; n < 3 * SCREE_SCHEME_COUNT; ++n) assert_true(hash[n] == hash[n - n % 3]);
}

static void step_allocates_nothing_once_warm_and_every_allocation_may_fail(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    const double nowhere[3] = {0.0, 0.0, 0.0};
    for (int n = -1;; ++n) { /* -1: none fails */
        failing f = {.left = -1};
        scree_allocator allocator = failing_allocator(&f);
        scree_world *world = gas(nowhere, 1, &allocator);
        scree_stepper *stepper = soft_stepper(3e-5, 1, &allocator);
        scree_error error = {0};
        int made = f.made;
        f.left = n;
        scree_status status = scree_advance(stepper, world, n < 0 ? 1500 : 3, NULL, &error);
        if (n < 0) {
            expect_ok(status, &error);
            assert_true(f.made > made);
            made = f.made;
            expect_ok(scree_advance(stepper, world, 50, NULL, &error), &error);
            assert_int_equal(f.made, made);
        } else if (status) {
            assert_int_equal(status, SCREE_ERR_MEMORY);
            assert_true(strstr(error.text, "memory") != NULL);
            f.left = -1, error = (scree_error){0};
            expect_ok(scree_advance(stepper, world, 3, NULL, &error), &error);
        }
        soft_finish(world, stepper);
        assert_int_equal(f.live, 0);
        if (n >= 0 && !status) {
            assert_true(n >= 4);
            break;
        }
    }
}

/* ---- walls that shear ------------------------------------------------------------------------------------------------------------- */

/// A half-space above z that moves with `velocity`, swings along x by `amplitude`, and presses down with `press`, if that is not 0.
static int add_plate(scree_world *world, double z, const double velocity[3], double amplitude, double press)
{
    static const double zero[1] = {0.0}, upside_down[4] = {0.0, 1.0, 0.0, 0.0};
    scree_body_def def = scree_body_def_default();
    scree_shape plane = scree_shape_plane(scree_material_at(0));
    scree_error error = {0};
    int plate;
    def.kind = SCREE_BODY_DRIVEN, def.shapes = &plane, def.shape_count = 1, def.position[2] = z;
    memcpy(def.rotation, upside_down, sizeof def.rotation);
    def.motion.velocity = (scree_table){1, zero, velocity};
    def.motion.amplitude[0] = amplitude, def.motion.frequency = 40.0;
    if (press != 0.0)
        def.motion.servo =
            (scree_pressure_control){.axis = {0.0, 0.0, -1.0}, .force = press, .gain = 2e-4, .speed = 1.0};
    plate = scree_body_index(scree_world_add_body(world, &def, &error));
    expect_ok(error.status, &error);
    return plate;
}

/// Balls between a floor and a plate that moves at V roll at V/2, over the seam as anywhere: after every period each is where it was.
static void balls_under_a_moving_plate_roll_at_half_its_speed(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    const int along[3] = {1, 1, 0};
    const double none[3] = {0.0, 0.0, 0.0}, R = 0.1, V = 2.0, overlap = 1e-4, h = 1e-4;
    scree_world *world = periodic_world(along, none, 0.0, 1, NULL);
    int ball[3];
    scene_floor(world);
    add_plate(world, 2.0 * (R - overlap), (const double[3]){V, 0.0, 0.0}, 0.0, 0.0);
    for (int k = 0; k < 3; ++k) {
        ball[k] = scene_sphere(world, R, 1.0, 0.1 + 0.4 * k, 0.3 * k, R - overlap);
        scene_move(world, ball[k], (const double[3]){0.5 * V, 0.0, 0.0}, (const double[3]){0.0, 0.5 * V / R, 0.0});
    }
    scree_stepper *stepper = soft_stepper(h, 1, NULL);
    int steps = (int)(3.0 * PERIOD / (0.5 * V * h) + 0.5); /* three times round */
    for (int step = 0; step < steps; ++step) {
        scene_step(stepper, world);
        for (int k = 0; k < 3 && step * h > 0.1; ++k) /* the springs are stretched by then */
            near("speed", scree_world_velocities(world)[3 * ball[k]], 0.5 * V, 1e-6 * V);
    }
    for (int k = 0; k < 3; ++k)
        near("place after three periods", scree_world_positions(world)[3 * ball[k]], 0.1 + 0.4 * k, 1e-6);
    soft_finish(world, stepper);
}

enum { ACROSS = 5, HIGH = 6, COUNT = ACROSS * ACROSS * HIGH };

typedef struct sheared {
    double x[3 * (COUNT + 2)]; /* floor, plate, balls */
    double driven, push;       /* work of the plate [J], what it presses with at the end [N] */
    uint64_t hash;
} sheared;

/// 150 balls under a plate that goes on, swings and may press: 600 steps, `batch` at a time.
static void shear(int bed, int batch, double press, sheared *out)
{
    const int along[3] = {1, 1, 0};
    const double none[3] = {0.0, 0.0, 0.0}, pitch = PERIOD / ACROSS, R = 0.5 * pitch + 2e-4;
    scree_world *world = periodic_world(along, none, 9.8, 1, NULL);
    rng random = rng_make(5, 0);
    scene_floor(world);
    int plate = add_plate(world, HIGH * pitch, (const double[3]){0.5, 0.2, 0.0}, 0.002, press);
    for (int k = 0; k < COUNT; ++k) {
        double u[3];
        int layer = k / (ACROSS * ACROSS), row = k / ACROSS % ACROSS;
        for (int i = 0; i < 3; ++i) u[i] = 1e-4 * rng_uniform(&random);
        scene_sphere(world, R, 1.0, pitch * (k % ACROSS) + u[0], pitch * row + u[1], pitch * (layer + 0.5) + u[2]);
    }
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_DEM, options.step = 5e-5,
    options.engine = (bed) ? SCREE_ENGINE_AUTO : SCREE_ENGINE_GENERAL;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    scree_error error = {0};
    double force[3], moment[3];
    for (int done = 0; done < 600; done += batch)
        expect_ok(scree_advance(stepper, world, batch < 600 - done ? batch : 600 - done, NULL, &error), &error);
    assert_int_equal(world->holder.engine != NULL, (bed));
    scree_world_contact_force(world, scree_body_at(plate), force, moment);
    out->driven = scree_stepper_totals(stepper)->energy.driven, out->hash = scree_world_hash(world),
    out->push = force[2];
    memcpy(out->x, scree_world_positions(world), sizeof out->x);
    soft_finish(world, stepper);
}

/// The bed takes planes that are driven and planes that press, and moves all as the general stages do, whatever the batches.
static void a_sheared_cell_is_the_same_for_both_engines(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    const scree_world_options period = {.periodic = {1, 1, 0}, .high = {PERIOD, PERIOD, 0.0}};
    for (int n = 0; n < 2; ++n) {
        static sheared stages, bed, batches;
        const double press = n ? 2000.0 : 0.0;
        double worst = 0.0;
        shear(0, 600, press, &stages), shear(1, 600, press, &bed), shear(1, 37, press, &batches);
        for (int b = 0; b < COUNT + 2; ++b) {
            double r[3];
            vec_sub(stages.x + 3 * b, bed.x + 3 * b, r);
            nearest_image(&period, r);
            worst = fmax(worst, vec_norm(r));
        }
        print_message(
            "sheared: bed and stages part by %.2g m in 600 steps; the plate does %.6g and %.6g J, presses with %.5g "
            "and %.5g N\n",
            worst, stages.driven, bed.driven, stages.push, bed.push);
        assert_true(bed.hash == batches.hash && worst < 1e-10);
        near("where the plate goes", bed.x[3], 0.5 * 0.03 + 0.002 * sin(2.0 * PI * 40.0 * 0.03), 1e-12);
        within("work of the plate", bed.driven, stages.driven, 1e-9);
        if (n) within("the plate presses", bed.push, press, 0.03); /* 30 ms are a few of its times 1/(gain k) */
        if (n) within("with both", stages.push, press, 0.03);      /* of a general step the forces at its beginning */
    }
}

/* ---- rigid contacts ---------------------------------------------------------------------------------------------------------------- */

/// 300 grains of three sizes on a slope of 25 degrees that repeats itself along both its axes.
static scree_world *chute(void)
{
    const int along[3] = {1, 1, 0};
    const double none[3] = {0.0, 0.0, 0.0}, pitch = PERIOD / 10, slope = 25.0 * PI / 180.0;
    scree_world *world = periodic_world(along, none, 0.0, 0, NULL);
    rng random = rng_make(8, 0);
    scene_floor(world);
    world->options.gravity[0] = 9.81 * sin(slope), world->options.gravity[2] = -9.81 * cos(slope);
    for (int k = 0; k < 300; ++k) {
        double u[3];
        for (int i = 0; i < 3; ++i) u[i] = 0.01 * (rng_uniform(&random) - 0.5);
        int row = k / 10 % 10, layer = k / 100;
        scene_sphere(world, 0.04 + 0.005 * (k % 3), 0.0, pitch * (k % 10 + 0.5) + u[0], pitch * (row + 0.5) + u[1],
                     pitch * (layer + 0.5) + u[2]);
    }
    return world;
}

/// Grains go down the slope and come round; every step closes its ledger, and what the floor does not take of the weight along the slope is
/// what the grains gain in momentum.
static void a_rigid_bed_flows_round(void **state)
{
    (void)state;
    for (int method = SCREE_SCHEME_MOREAU_JEAN; method <= SCREE_SCHEME_ANITESCU_TASORA; ++method) {
        scree_world *world = chute();
        scree_stepper_options options = scree_stepper_options_default();
        options.scheme = (scree_scheme)method, options.step = 2e-3;
        scree_stepper *stepper = scene_stepper(&options, NULL);
        double before[3], after[3], total = 0.0;
        int came_round = 0;
        for (int b = 1; b <= 300; ++b) total += scree_world_mass(world, scree_body_at(b));
        for (int n = 0; n < (SCREE_SAMPLE_SHARE > 1 ? 120 : 250); ++n) {
            double force[3], moment[3], x[301];
            for (int b = 0; b <= 300; ++b) x[b] = world->x[b][0];
            momentum_of(world, 301, before);
            scree_step_report report = scene_step(stepper, world);
            momentum_of(world, 301, after);
            scree_world_contact_force(world, scree_body_at(0), force, moment);
            for (int i = 0; i < 3; ++i) {
                double push = options.step * (total * world->options.gravity[i] - force[i]);
                near("momentum", after[i] - before[i], push, 1e-9 * total);
            }
            assert_true(fabs(report.energy.balance) <= 1e-12 * ledger_size(&report.energy));
            for (int b = 1; b <= 300; ++b) came_round += world->x[b][0] < x[b] - 0.5 * PERIOD;
        }
        for (int b = 1; b <= 300; ++b)
            for (int i = 0; i < 2; ++i) assert_true(world->x[b][i] >= 0.0 && world->x[b][i] < PERIOD);
        print_message("%s: %d times round\n", scree_scheme_name(options.scheme), came_round);
        assert_true(came_round > 10 && after[0] > 0.1 * total);
        soft_finish(world, stepper);
    }
}

/// Two balls on a joint fly over the border, once and again, and hit a ball that has stayed in the period: as in a world without borders
/// where that ball is two periods ahead.
static void joints_go_over_the_border(void **state)
{
    (void)state;
    const double none[3] = {0.0, 0.0, 0.0};
    double velocity[2][9], coordinate[2];
    for (int periodic = 0; periodic < 2; ++periodic) {
        const int along[3] = {periodic, 0, 0};
        scree_world *world = periodic_world(along, none, 0.0, 0, NULL);
        scree_stepper_options options = scree_stepper_options_default();
        options.step = 1e-3, options.solver.tolerance = 1e-12;
        scree_joint_def def = scree_joint_def_default();
        scree_error error = {0};
        scene_sphere(world, 0.1, 1.0, 0.2, 0.0, 0.0), scene_sphere(world, 0.1, 2.0, 0.45, 0.0, 0.0);
        scene_sphere(world, 0.1, 1.5, 0.7 + (periodic ? 0.0 : 2.0 * PERIOD), 0.5, 0.02);
        def.kind = SCREE_JOINT_HINGE, def.body_a = scree_body_at(0), def.body_b = scree_body_at(1),
        def.anchor[0] = 0.325, def.stiffness = 2.0;
        scree_world_add_joint(world, &def, &error);
        expect_ok(error.status, &error);
        for (int b = 0; b < 2; ++b)
            scene_move(world, b, (const double[3]){4.0, 0.0, 0.0}, (const double[3]){0.0, 0.0, 0.3});
        scree_stepper *stepper = scene_stepper(&options, NULL);
        for (int n = 0; n < 900; ++n) {
            if (n == 500) /* once they have passed beside it: into the way */
                scree_world_set_state(world, scree_body_at(2), (const double[3]){world->x[2][0], 0.05, 0.02}, NULL,
                                      NULL, NULL);
            scene_step(stepper, world);
        }
        memcpy(velocity[periodic], world->v, sizeof velocity[periodic]);
        coordinate[periodic] = scree_world_joint_states(world)[0].coordinate;
        assert_true(world->x[1][0] > 2.0 * PERIOD && fabs(world->v[2][0]) > 0.5);
        soft_finish(world, stepper);
    }
    for (int k = 0; k < 9; ++k) near("velocity", velocity[1][k], velocity[0][k], 1e-9);
    near("angle", coordinate[1], coordinate[0], 1e-9);
}

/* ---- what cannot be --------------------------------------------------------------------------------------------------------------- */

static void refused(scree_world *world, scree_scheme method, const char *words)
{
    scree_stepper_options options = scree_stepper_options_default();
    scree_error error = {0};
    options.scheme = method, options.step = 1e-4;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    /* before the run, where a scene can be shown */
    assert_int_equal(scree_stepper_check(stepper, world, NULL, &error), SCREE_ERR_UNSUPPORTED);
    assert_string_equal(error.text, words);
    assert_int_equal(scree_step(stepper, world, &error), SCREE_ERR_UNSUPPORTED);
    assert_string_equal(error.text, words);
    soft_finish(world, stepper);
}

static void what_cannot_repeat_itself_is_refused_by_name(void **state)
{
    (void)state;
    const int along[3] = {1, 0, 0};
    const double none[3] = {0.0, 0.0, 0.0};
    for (int method = 0; method < SCREE_SCHEME_COUNT; ++method) {
        scree_world *world = periodic_world(along, none, 9.8, 0, NULL);
        scene_plane(world, none, (const double[3]){0.6, 0.0, 0.8});
        refused(world, (scree_scheme)method,
                "the plane of body 0 lies across the periodic axis x; expected one along it");
        world = periodic_world(along, none, 9.8, 0, NULL);
        scene_sphere(world, 0.31, 1.0, 0.0, 0.0, 0.4);
        refused(world, (scree_scheme)method,
                "the periodic axis x is 1.2 m long and body 0 reaches 0.31 m from its centre; expected at most a "
                "quarter of the length");
    }
    scree_world *world = periodic_world(along, none, 9.8, 0, NULL);
    scree_joint_def def = scree_joint_def_default();
    scree_error error = {0};
    def.body_a = scree_body_at(scene_sphere(world, 0.1, 1.0, 0.1, 0.0, 0.1)),
    def.body_b = scree_body_at(scene_sphere(world, 0.1, 1.0, 1.1, 0.0, 0.1));
    error = (scree_error){0};
    scree_world_add_joint(world, &def, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_string_equal(error.text,
                        "joint: body 1 is 1.1 m from its anchor along x, which repeats itself every 1.2 m; expected "
                        "the image of the body that is beside the anchor");
    scree_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_the_cell_begins_cannot_be_seen),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(step_allocates_nothing_once_warm_and_every_allocation_may_fail),
        cmocka_unit_test(balls_under_a_moving_plate_roll_at_half_its_speed),
        cmocka_unit_test(a_sheared_cell_is_the_same_for_both_engines),
        cmocka_unit_test(a_rigid_bed_flows_round),
        cmocka_unit_test(joints_go_over_the_border),
        cmocka_unit_test(what_cannot_repeat_itself_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
