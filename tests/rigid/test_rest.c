/* test_rest.c: what stands, stands to the bit, at the tolerance that users have; what is pushed by a little more than it can bear, or was just
 * let go, moves as closed forms say. */
#include "near.h"
#include "shared_loops.h"
#include "try.h"

static const double G = 9.81, H = 5e-3;

static scree_stepper *stepper_of(scree_scheme method, double tolerance, int threads)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = method, options.step = H, options.threads = threads, options.solver.tolerance = tolerance;
    return scene_stepper(&options, NULL);
}

/// A dynamic block with a constant force along x; or, `velocity` not 0, one that is driven along x.
static int add_any(scree_world *world, const double half[3], const double at[3], double push, double velocity)
{
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_box(half[0], half[1], half[2], scree_material_at(0));
    scree_error error = {0};
    double time[1] = {0.0}, force[3] = {push, 0.0, 0.0}, v[3] = {velocity, 0.0, 0.0};
    int index;
    def.shapes = &shape, def.shape_count = 1;
    memcpy(def.position, at, sizeof def.position);
    if (push != 0.0) def.force = (scree_table){1, time, force};
    if (velocity != 0.0) def.kind = SCREE_BODY_DRIVEN, def.motion.velocity = (scree_table){1, time, v};
    index = scree_body_index(scree_world_add_body(world, &def, &error));
    expect_ok(error.status, &error);
    return index;
}

static int add_block(scree_world *world, const double half[3], double x, double z)
{
    return add_any(world, half, (const double[3]){x, 0.0, z}, 0.0, 0.0);
}

/// Steps until nothing moves; fails after `most` steps.
static void step_to_rest(scree_stepper *stepper, scree_world *world, int most)
{
    for (int k = 0; k < most; ++k) {
        scene_step(stepper, world);
        if (scree_world_energy(world).kinetic == 0.0) return;
    }
    fail_msg("still moving after %d steps: %g J", most, scree_world_energy(world).kinetic);
}

/// 200 steps that must not change a bit of positions and rotations, nor an energy, and take no sweep.
static void expect_rest(scree_stepper *stepper, scree_world *world)
{
    size_t n = (size_t)scree_world_body_count(world);
    double *x = malloc(7 * n * sizeof *x), *q = x + 3 * n;
    assert_non_null(x);
    scene_step(stepper, world); /* loads need not stop anything from here on */
    memcpy(x, scree_world_positions(world), 3 * n * sizeof *x);
    memcpy(q, scree_world_rotations(world), 4 * n * sizeof *q);
    for (int k = 0; k < 200; ++k) {
        scree_step_report report = scene_step(stepper, world);
        assert_int_equal(report.solve.iterations, 0);
        assert_true(report.solve.residual <= report.tolerance && !report.unconverged);
        assert_true(fabs(report.energy.balance) <= 1e-15 * ledger_size(&report.energy));
    }
    assert_memory_equal(x, scree_world_positions(world), 3 * n * sizeof *x);
    assert_memory_equal(q, scree_world_rotations(world), 4 * n * sizeof *q);
    free(x);
}

/* ---- what stands ------------------------------------------------------------------------------------------------------------------- */

/// A wall of bricks in running bond, by both schemes, at the default tolerance.
static void wall_stands_to_the_bit(void **state)
{
    (void)state;
    const double brick[3] = {0.1, 0.05, 0.04};
    const scree_scheme schemes[2] = {SCREE_SCHEME_ANITESCU_TASORA, SCREE_SCHEME_MOREAU_JEAN};
    for (int k = 0; k < 2; ++k) {
        scree_world *world = scene_world(G, 0.0, (scree_friction){.mu = 0.5}, SCREE_PLANAR_NONE, NULL);
        scree_stepper *stepper = stepper_of(schemes[k], 1e-4, 1);
        scene_floor(world);
        for (int row = 0; row < 6; ++row)
            for (int i = 0; i < 4; ++i) add_block(world, brick, 0.2 * i + 0.1 * (row % 2), 0.04 + 0.08 * row);
        step_to_rest(stepper, world, 200);
        expect_rest(stepper, world);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

/// 34 layers of three planks each, crosswise (SimBenchmark's plank tower), with default settings: not a bit moves from the first step on. With
/// gaps between the layers it falls together and then stands.
static void plank_tower_stands_with_default_settings(void **state)
{
    (void)state;
    const double half[2][3] = {{0.0585, 0.0117, 0.0039}, {0.0117, 0.0585, 0.0039}};
    const scree_scheme schemes[2] = {SCREE_SCHEME_ANITESCU_TASORA, SCREE_SCHEME_MOREAU_JEAN};
    for (int variant = 0; variant < 4; ++variant) {
        scree_world *world = scene_world(G, 0.0, (scree_friction){.mu = 0.5}, SCREE_PLANAR_NONE, NULL);
        scree_stepper_options options = scree_stepper_options_default();
        double gap = variant < 2 ? 0.0 : 1e-7;
        options.scheme = schemes[variant % 2];
        scree_stepper *stepper = scene_stepper(&options, NULL);
        scene_floor(world);
        for (int layer = 0; layer < 34; ++layer)
            for (int i = -1; i <= 1; ++i) {
                double across = 0.0468 * i, z = 0.0039 + (0.0078 + gap) * layer + gap;
                add_any(world, half[layer % 2],
                        (const double[3]){layer % 2 ? across : 0.0, layer % 2 ? 0.0 : across, z}, 0.0, 0.0);
            }
        if (variant < 2) scene_step(stepper, world);
        else step_to_rest(stepper, world, 400);
        expect_rest(stepper, world);
        const double top = scree_world_positions(world)[3 * (scree_world_body_count(world) - 1) + 2];
        near("height of the tower", top, 0.0078 * 33.5, variant < 2 ? 1e-15 : 34 * gap);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

static uint64_t settled_pile(int threads, int expect)
{
    scree_world *world = scene_small_pile(NULL);
    scree_stepper *stepper = stepper_of(SCREE_SCHEME_ANITESCU_TASORA, 1e-4, threads);
    share_loops(world, stepper);
    step_to_rest(stepper, world, 2000);
    if (expect) expect_rest(stepper, world);
    else
        for (int k = 0; k < 201; ++k) scene_step(stepper, world);
    expect_shared_loops(stepper, threads);
    uint64_t hash = scree_world_hash(world);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
    return hash;
}

static void pile_comes_to_rest_with_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t one = settled_pile(1, 1);
    for (int threads = 2; threads <= 3; ++threads) assert_true(settled_pile(threads, 0) == one);
}

/* ---- what does not ------------------------------------------------------------------------------------------------------------------ */

/// A block that is pushed along the floor with (1 + excess) mu m g: its speed after n steps is n h excess mu g, and 0 below.
static void push_above_friction_moves(void **state)
{
    (void)state;
    const double half[3] = {0.2, 0.2, 0.1}, mu = 0.5;
    const double excess[] = {1e-12, 1e-9, 1e-3, -1e-10, -1e-3};
    for (size_t k = 0; k < sizeof excess / sizeof *excess; ++k) {
        scree_world *world = scene_world(G, 0.0, (scree_friction){.mu = mu}, SCREE_PLANAR_NONE, NULL);
        scree_stepper *stepper = stepper_of(SCREE_SCHEME_MOREAU_JEAN, 1e-13, 1);
        scene_floor(world);
        double m = 2500.0 * 8.0 * half[0] * half[1] * half[2];
        int block = add_any(world, half, (const double[3]){0.0, 0.0, 0.1}, mu * m * G * (1.0 + excess[k]), 0.0);
        for (int n = 0; n < 100; ++n) scene_step(stepper, world);
        double v = scree_world_velocities(world)[3 * block];
        if (excess[k] < 0.0) assert_true(v == 0.0);
        else if (excess[k] < 1e-10) assert_true(v > 0.0); /* how fast is below what the solver resolves */
        else within("speed", v, 100.0 * H * excess[k] * mu * G, 0.01);
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

/// Let go above the floor beside a block that rests, and within its reach: it falls.
static void falls_from_rest(void **state)
{
    (void)state;
    const double half[3] = {0.1, 0.1, 0.1};
    scree_world *world = scene_world(G, 0.0, (scree_friction){.mu = 0.5}, SCREE_PLANAR_NONE, NULL);
    scree_stepper *stepper = stepper_of(SCREE_SCHEME_ANITESCU_TASORA, 1e-4, 1);
    scene_floor(world);
    int rests = add_block(world, half, 0.0, 0.1);
    int falls = add_block(world, half, 0.2 + 1e-6, 0.2);
    for (int k = 1; k <= 20; ++k) {
        scene_step(stepper, world);
        near("speed", scree_world_velocities(world)[3 * falls + 2], -k * H * G, 1e-12);
    }
    step_to_rest(stepper, world, 400);
    near("height", scree_world_positions(world)[3 * falls + 2], 0.1, 1e-6);
    near("the other", scree_world_positions(world)[3 * rests + 2], 0.1, 1e-6);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

/// A rod on a hinge, held level and let go: a' = 3 g/(2 l) about the end. It turns, at the first step and at the turning points.
static void pendulum_turns_round(void **state)
{
    (void)state;
    const double half[3] = {0.5, 0.01, 0.01};
    scree_world *world = scene_world(G, 0.0, (scree_friction){.mu = 0.5}, SCREE_PLANAR_NONE, NULL);
    scree_stepper *stepper = stepper_of(SCREE_SCHEME_MOREAU_JEAN, 1e-4, 1);
    scree_joint_def def = scree_joint_def_default();
    scree_error error = {0};
    int rod = add_block(world, half, 0.5, 1.0), turns = 0;
    double rate = 1.0;
    def.kind = SCREE_JOINT_HINGE, def.body_b = scree_body_at(rod), def.anchor[2] = 1.0, def.axis[1] = 1.0,
    def.axis[2] = 0.0;
    scree_world_add_joint(world, &def, &error);
    expect_ok(error.status, &error);
    for (int k = 0; k < 1000; ++k) {
        scene_step(stepper, world);
        double now = scree_world_joint_states(world)[0].rate;
        if (k == 0) within("first step", fabs(now), H * 1.5 * G, 1e-3);
        assert_true(now != 0.0);
        turns += k > 0 && now * rate < 0.0;
        rate = now;
    }
    assert_in_range(turns, 5, 6); /* 5 s, half a period is 0.97 s */
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

/// A table that creeps at 1e-7 m/s, far below the tolerance of a step: what lies on it goes along.
static void slow_table_carries(void **state)
{
    (void)state;
    const double half[3] = {0.1, 0.1, 0.1}, table[3] = {1.0, 1.0, 0.1};
    scree_world *world = scene_world(G, 0.0, (scree_friction){.mu = 0.5}, SCREE_PLANAR_NONE, NULL);
    scree_stepper *stepper = stepper_of(SCREE_SCHEME_ANITESCU_TASORA, 1e-4, 1);
    add_any(world, table, (const double[3]){0.0, 0.0, -0.1}, 0.0, 1e-7);
    int block = add_block(world, half, 0.0, 0.1);
    for (int k = 0; k < 200; ++k) scene_step(stepper, world);
    near("way", scree_world_positions(world)[3 * block], 1e-7 * 200 * H, 1e-10);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

/// A block at rest is hit: it moves in that step. Before it, no bit of the block changes, and the floor slows the ball by no more than
/// mu g h; in it, the block takes up speed such that ball and block touch at its end.
static void rest_ends(void **state)
{
    (void)state;
    const double half[3] = {0.1, 0.1, 0.1};
    scree_world *world = scene_world(G, 0.0, (scree_friction){.mu = 0.5}, SCREE_PLANAR_NONE, NULL);
    scree_stepper *stepper = stepper_of(SCREE_SCHEME_ANITESCU_TASORA, 1e-4, 1);
    scene_floor(world);
    int block = add_block(world, half, 0.0, 0.1);
    int ball = scene_sphere(world, 0.1, 20.0, -1.0, 0.0, 0.1);
    step_to_rest(stepper, world, 50);
    scene_move(world, ball, (const double[3]){2.0, 0.0, 0.0}, (const double[3]){0.0, 0.0, 0.0});
    const double *x = scree_world_positions(world), *v = scree_world_velocities(world), at_rest = x[3 * block];
    double gap, before;
    int steps = 0;
    do {
        gap = x[3 * block] - 0.1 - (x[3 * ball] + 0.1), before = v[3 * ball];
        scene_step(stepper, world);
        x = scree_world_positions(world), v = scree_world_velocities(world);
        if (v[3 * block] != 0.0) break;
        assert_true(x[3 * block] == at_rest && before - v[3 * ball] <= 0.5 * G * H * (1.0 + 1e-3));
    } while (++steps < 150);
    assert_true(steps > 50 && steps < 150 && gap <= before * H);
    near("they close what is left of the gap", (v[3 * ball] - v[3 * block]) * H, gap, 1e-4 * H); /* the tolerance */
    assert_true(x[3 * block] > at_rest);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

/* ---- several islands ---------------------------------------------------------------------------------------------------------------- */

/// A ball of 2 kg and a box of 1/2 kg on a floor, each an island. A step takes 1 kg for its unit of mass then (integrate.c), so that the
/// residuals it asks about are those of the problem in SI.
typedef struct two_islands {
    scree_world *world;
    scree_stepper *stepper;
    int body[2];
    double lift[2]; /* above the floor: as much as the tolerance takes for touching, less 5 % */
    double worst;   /* residual of the answers, as the hook finds it                          */
} two_islands;

static void judge_answer(const scree_problem *problem, const double *p, int64_t step, void *context)
{
    double y[5 * 3], *worst = context;
    (void)step;
    assert_in_range(problem->row_count, 1, 5 * 3);
    *worst = fmax(*worst, try_problem_residual(problem, p, y));
}

static void make_islands(int ball_lifted, int box_lifted, two_islands *t)
{
    const double tolerance = 1e-4, half = cbrt(0.5 / (8.0 * 2500.0)), edges[3] = {half, half, half};
    scree_stepper_options options = scree_stepper_options_default();
    options.step = H, options.solver.tolerance = tolerance, options.problem_hook = judge_answer,
    options.context = &t->worst;
    t->worst = 0.0;
    t->lift[0] = 0.95 * tolerance * H * (2.0 * G * H); /* one contact, with the load 2 g h */
    t->lift[1] = 0.95 * tolerance * H * (G * H);       /* four with g h/8 each, which is less than the speed g h */
    t->world = scene_world(G, 0.0, (scree_friction){.mu = 0.5}, SCREE_PLANAR_NONE, NULL);
    t->stepper = scene_stepper(&options, NULL);
    scene_floor(t->world);
    t->body[0] = scene_sphere(t->world, 0.1, 2.0, -1.0, 0.0, 0.1 + ball_lifted * t->lift[0]);
    t->body[1] = add_block(t->world, edges, 1.0, half + box_lifted * t->lift[1]);
}

static void destroy_islands(const two_islands *t)
{
    scree_stepper_destroy(t->stepper);
    scree_world_destroy(t->world);
}

/// One step, whose answer meets the tolerance as a whole. Returns whether anything moves.
static int step_islands(two_islands *t)
{
    scree_step_report report = scene_step(t->stepper, t->world);
    assert_true(t->worst <= report.tolerance && report.solve.residual <= report.tolerance);
    assert_false(report.unconverged);
    return scree_world_energy(t->world).kinetic != 0.0;
}

/// What (3) of rest.c lacks, squared, in (tolerance g h)^2: 0.9 x 4 for each island that is lifted. Each may lack 4, its own size: the load
/// of the ball, the speeds of the box. All together may lack 5: the speeds of both, which are more than the loads. So one may be lifted and
/// rest; where both are, neither may be said to rest, whether the loads are the solver's or those of the last step.
static void islands_that_rest_alone_may_not_together(void **state)
{
    (void)state;
    two_islands t;
    for (int box = 0; box < 2; ++box) {
        make_islands(!box, box, &t);
        for (int k = 0; k < 5; ++k) assert_false(step_islands(&t));
        destroy_islands(&t);
    }
    make_islands(1, 1, &t);
    assert_true(step_islands(&t));
    destroy_islands(&t);

    make_islands(1, 0, &t);
    for (int k = 0; k < 5; ++k) assert_false(step_islands(&t));
    double x[3];
    memcpy(x, scree_world_positions(t.world) + 3 * t.body[1], sizeof x);
    x[2] += t.lift[1];
    scree_world_set_state(t.world, scree_body_at(t.body[1]), x, NULL, NULL, NULL);
    assert_true(step_islands(&t));
    destroy_islands(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wall_stands_to_the_bit),
        cmocka_unit_test(plank_tower_stands_with_default_settings),
        cmocka_unit_test(pile_comes_to_rest_with_any_number_of_threads),
        cmocka_unit_test(push_above_friction_moves),
        cmocka_unit_test(falls_from_rest),
        cmocka_unit_test(pendulum_turns_round),
        cmocka_unit_test(slow_table_carries),
        cmocka_unit_test(rest_ends),
        cmocka_unit_test(islands_that_rest_alone_may_not_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
