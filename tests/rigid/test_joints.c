/* test_joints.c: joints: rows against differences of positions, ledgers that close with everything a joint can have, momentum, who does not
 * collide, threads, steps in halves, what is refused, memory that fails. Closed forms are in `scree verify` (checks/verify_joints.c). */
#include "failing_allocator.h"
#include "shared_loops.h"
#include "world/world_private.h"

#include <float.h>

/* ---- rows -------------------------------------------------------------------------------------------------------------------------- */

static int add_box(scree_world *world, double x, double y, double z, scree_body_kind kind)
{
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_box(0.1, 0.15, 0.2, scree_material_at(0));
    scree_error error = {0};
    int index;
    def.kind = kind, def.shapes = &shape, def.shape_count = 1;
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    index = scree_body_index(scree_world_add_body(world, &def, &error));
    expect_ok(error.status, &error);
    return index;
}

static int add_joint(scree_world *world, const scree_joint_def *def)
{
    scree_error error = {0};
    int index = scree_joint_index(scree_world_add_joint(world, def, &error));
    expect_ok(error.status, &error);
    return index;
}

/// A joint of the kind between bodies 0 and 1, its limits and all on the coordinate where it has one.
static scree_joint_def full_joint(scree_joint_kind kind)
{
    scree_joint_def def = scree_joint_def_default();
    def.kind = kind, def.body_a = scree_body_at(0), def.body_b = scree_body_at(1);
    def.anchor[0] = 0.5, def.anchor[1] = 0.1, def.anchor[2] = 1.0;
    def.anchor_b[0] = 0.7, def.anchor_b[1] = 0.2, def.anchor_b[2] = 0.8;
    def.axis[0] = 0.3, def.axis[1] = -0.8, def.axis[2] = 0.5;
    if (kind == SCREE_JOINT_FIXED) return def;
    def.lower = -0.4, def.upper = 0.5;
    if (kind == SCREE_JOINT_BALL) return def;
    def.stiffness = 20.0, def.damping = 0.3, def.friction = 0.05;
    if (kind == SCREE_JOINT_DISTANCE) def.lower = 0.1, def.upper = 0.4;
    def.motor = SCREE_MOTOR_SPEED, def.target = 2.0, def.bound = 0.5;
    if (kind == SCREE_JOINT_CYLINDRICAL) {
        def.turn.lower = -0.3, def.turn.upper = 0.6;
        def.turn.stiffness = 5.0, def.turn.damping = 0.1, def.turn.friction = 0.02;
        def.turn.motor = SCREE_MOTOR_SPEED, def.turn.target = -1.0, def.turn.bound = 0.3;
    }
    return def;
}

/// And what has no position to compare with at the start.
static scree_joint_def fullest_joint(scree_joint_kind kind)
{
    scree_joint_def def = full_joint(kind);
    if (kind == SCREE_JOINT_BALL) def.friction = 0.05, def.swing = 0.3;
    return def;
}

static scree_world *pair_world(void)
{
    scree_world *world = scene_world(9.81, 0.0, (scree_friction){.mu = 0.3}, SCREE_PLANAR_NONE, NULL);
    add_box(world, 0.2, 0.0, 1.0, SCREE_BODY_DYNAMIC);
    add_box(world, 0.9, 0.2, 1.1, SCREE_BODY_DYNAMIC);
    return world;
}

static void moved(const joint_pose *from, const double v[6], double time, joint_pose *to)
{
    double turned[3], turn[4];
    *to = *from;
    vec_add_scaled(from->x, time, v, to->x);
    for (int k = 0; k < 3; ++k) turned[k] = time * v[3 + k];
    quat_exp(turned, turn);
    quat_mul(turn, from->q, to->q);
}

/// Motions that leave the joint whole, where the rows are exact: both bodies as one, and B along or about the axis. Then a general
/// motion: the rows are exact up to what the joint is apart, which is 0 at the start.
static void rows_are_the_derivatives_of_positions(void **state)
{
    (void)state;
    static const double motion[3][12] = {{0.3, -0.2, 0.5, 1.0, -2.0, 0.7, -0.4, 0.6, 0.1, -0.9, 0.4, 1.3},
                                         {0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0},
                                         {0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 2, 0.5}};
    static const int row_count[SCREE_JOINT_KIND_COUNT] = {5, 10, 10, 6, 5, 14, 7};
    for (int kind = 0; kind < SCREE_JOINT_KIND_COUNT; ++kind) {
        scree_world *world = pair_world();
        scree_joint_def def = full_joint((scree_joint_kind)kind);
        int j = add_joint(world, &def), rows = 0;
        joint_pose pose[2];
        for (int side = 0; side < 2; ++side) {
            memcpy(pose[side].x, world->x[side], sizeof pose[side].x);
            memcpy(pose[side].q, world->q[side], sizeof pose[side].q);
        }
        for (int m = 0; m < 3; ++m) {
            const double *v = motion[m], eps = 1e-5;
            joint_row row[SCREE_JOINT_ROWS], ahead[SCREE_JOINT_ROWS], behind[SCREE_JOINT_ROWS];
            scree_joint_state a = world->joint_state[j], b = a, c = a;
            joint_pose at[2];
            rows = joint_rows(world, j, &pose[0], &pose[1], &a, row);
            moved(&pose[0], v, eps, &at[0]), moved(&pose[1], v + 6, eps, &at[1]);
            assert_int_equal(joint_rows(world, j, &at[0], &at[1], &b, ahead), rows);
            moved(&pose[0], v, -eps, &at[0]), moved(&pose[1], v + 6, -eps, &at[1]);
            assert_int_equal(joint_rows(world, j, &at[0], &at[1], &c, behind), rows);
            for (int r = 0; r < rows; ++r) {
                double rate = 0.0, difference = (ahead[r].position - behind[r].position) / (2.0 * eps);
                for (int i = 0; i < 6; ++i) rate += row[r].a[i] * v[i] + row[r].b[i] * v[6 + i];
                assert_int_equal(row[r].load, ahead[r].load);
                if (fabs(rate - difference) > 1e-8) /* truncation 1e-10, rounding 1e-11 */
                    print_error("%s, row %d: %.12g, by differences %.12g\n",
                                scree_joint_kind_name((scree_joint_kind)kind), row[r].load, rate, difference);
                assert_true(fabs(rate - difference) <= 1e-8);
            }
        }
        assert_int_equal(rows, row_count[kind]);
        scree_world_destroy(world);
    }
}

/// Swing and twist of a ball joint that stands askew, both bodies in motion.
static void swing_and_twist_are_angles(void **state)
{
    (void)state;
    rng random = rng_make(5, 0);
    for (int n = 0; n < 200; ++n) {
        scree_world *world = pair_world();
        scree_joint_def def = fullest_joint(SCREE_JOINT_BALL);
        int j = add_joint(world, &def);
        double v[12], eps = 1e-5;
        joint_pose pose[2], at[2];
        for (int i = 0; i < 12; ++i) v[i] = 2.0 * rng_uniform(&random) - 1.0;
        for (int side = 0; side < 2; ++side) {
            joint_pose start;
            memcpy(start.x, world->x[side], sizeof start.x), memcpy(start.q, world->q[side], sizeof start.q);
            moved(&start, v + 6 * (side == 0), 1.0, &pose[side]);
        }
        scree_joint_state now = world->joint_state[j], ahead, behind;
        joint_row row[SCREE_JOINT_ROWS], front[SCREE_JOINT_ROWS], rear[SCREE_JOINT_ROWS];
        int rows = joint_rows(world, j, &pose[0], &pose[1], &now, row), swing = -1;
        ahead = behind = now;
        moved(&pose[0], v, eps, &at[0]), moved(&pose[1], v + 6, eps, &at[1]);
        assert_int_equal(joint_rows(world, j, &at[0], &at[1], &ahead, front), rows);
        moved(&pose[0], v, -eps, &at[0]), moved(&pose[1], v + 6, -eps, &at[1]);
        assert_int_equal(joint_rows(world, j, &at[0], &at[1], &behind, rear), rows);
        for (int r = 0; r < rows; ++r)
            if (row[r].load == SCREE_JOINT_ROW_SWING) swing = r;
        assert_true(swing >= 0);
        joint_row twist = joint_coordinate_row(world, j, 0, &pose[0], &pose[1]);
        double twisting = 0.0, swinging = 0.0;
        for (int i = 0; i < 6; ++i) {
            twisting += twist.a[i] * v[i] + twist.b[i] * v[6 + i];
            swinging += row[swing].a[i] * v[i] + row[swing].b[i] * v[6 + i];
        }
        assert_true(fabs(twisting - (ahead.coordinate - behind.coordinate) / (2.0 * eps)) <= 1e-7);
        assert_true(fabs(swinging - (front[swing].position - rear[swing].position) / (2.0 * eps)) <= 1e-7);
        scree_world_destroy(world);
    }
}

/* ---- two coordinates --------------------------------------------------------------------------------------------------------------- */

/// A nut without thread on a rod that leans by `slope`: it slides at g sin(slope) - F/m and spins down at M/I, whichever the other does.
static void a_nut_slides_and_spins_on_a_rod(void **state)
{
    (void)state;
    const double slope = 0.6, g = 9.81, F = 20.0, M = 0.15, time = 0.4, spin = 12.0, h = 1e-3;
    for (int kind = SCREE_SCHEME_ANITESCU_TASORA; kind <= SCREE_SCHEME_MOREAU_JEAN; ++kind) {
        scree_world *world = scene_world(g, 0.0, (scree_friction){.mu = 0.3}, SCREE_PLANAR_NONE, NULL);
        scree_stepper_options options = scree_stepper_options_default();
        scree_body_def def = scree_body_def_of(scree_shape_cylinder(0.05, 0.04, scree_material_at(0)));
        scree_error error = {0};
        const double axis[3] = {cos(slope), 0.0, -sin(slope)}; /* downhill */
        def.rotation[0] = cos(0.5 * (slope + 0.5 * PI)),
        def.rotation[2] = sin(0.5 * (slope + 0.5 * PI)); /* z to the axis */
        for (int k = 0; k < 3; ++k) def.spin[k] = spin * axis[k];
        scree_body_id nut = scree_world_add_body(world, &def, &error);
        const double m = scree_world_mass(world, nut), I = scree_world_inertia(world, nut)[2];
        scree_joint_def rod = scree_joint_def_default();
        rod.kind = SCREE_JOINT_CYLINDRICAL, rod.body_b = nut, rod.friction = F, rod.turn.friction = M;
        memcpy(rod.axis, axis, sizeof axis);
        add_joint(world, &rod);
        options.scheme = (scree_scheme)kind, options.step = h, options.solver.tolerance = 1e-10;
        scree_stepper *stepper = scene_stepper(&options, NULL);
        while (scree_world_time(world) < time - 1e-9) scene_step(stepper, world);
        const scree_joint_state *s = scree_world_joint_states(world);
        const double a = g * sin(slope) - F / m, way = 0.5 * a * time * time,
                     early = kind == SCREE_SCHEME_ANITESCU_TASORA ? h / time
                                                                  : 0.0; /* the velocity of its end for all of a step */
        assert_true(fabs(s->coordinate - way * (1.0 + early)) < 1e-6 * way);
        assert_true(fabs(s->rate - a * time) < 1e-6 * a * time);
        const double stops = spin * I / M, angle = 0.5 * spin * stops;
        assert_true(stops < time && s->turn_rate < 1e-9);
        assert_true(fabs(s->turn - angle * (1.0 - (early > 0.0 ? h / stops : 0.0))) < 1e-3 * angle);
        assert_true(fabs(scree_stepper_totals(stepper)->energy.joint_friction -
                         (F * s->coordinate + 0.5 * I * spin * spin)) < 2e-3 * F * way);
        assert_true(s->error < 1e-7 && s->twist < 1e-7);
        scree_stepper_destroy(stepper), scree_world_destroy(world);
    }
}

/// Motors and limits of both: one drives the angle at a rate, the way falls to its stop and stays there.
static void a_motor_turns_what_slides_to_its_stop(void **state)
{
    (void)state;
    scree_world *world = scene_world(9.81, 0.0, (scree_friction){.mu = 0.3}, SCREE_PLANAR_NONE, NULL);
    scree_joint_def def = scree_joint_def_default();
    scree_stepper_options options = scree_stepper_options_default();
    int box = add_box(world, 0.0, 0.0, 1.0, SCREE_BODY_DYNAMIC);
    def.kind = SCREE_JOINT_CYLINDRICAL, def.body_b = scree_body_at(box), def.anchor[2] = 1.0;
    def.lower = -0.3, def.turn.motor = SCREE_MOTOR_SPEED, def.turn.target = 5.0;
    int j = add_joint(world, &def);
    options.step = 1e-3;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    while (scree_world_time(world) < 1.0 - 1e-9) scene_step(stepper, world);
    assert_true(fabs(world->joint_state[j].coordinate + 0.3) < 1e-5);
    assert_true(fabs(world->joint_state[j].turn - 5.0) < 0.01);
    scree_world_set_turn_motor(world, scree_joint_at(j), -2.0, SCREE_INFINITY);
    scene_step(stepper, world);
    assert_true(fabs(world->joint_state[j].turn_rate + 2.0) < 1e-6);
    assert_true(world->joint_state[j].turn_motor < 0.0 && world->joint_state[j].motor == 0.0);
    scree_stepper_destroy(stepper), scree_world_destroy(world);
}

/// A rod whose upper end runs in a level slot: nothing pushes its centre sideways, and
///     (m l^2 sin^2 + I) w^2/2 = m g l (cos - cos_0),      l from the pin to the centre, angle from hanging down.
static void a_rod_swings_in_a_slot(void **state)
{
    (void)state;
    for (int planar = 0; planar < 2; ++planar) {
        scree_world *world =
            scene_world(9.81, 0.0, (scree_friction){.mu = 0.3}, planar ? SCREE_PLANAR_XZ : SCREE_PLANAR_NONE, NULL);
        const double l = 0.5, start = 1.2;
        scree_body_def def = scree_body_def_of(scree_shape_box(0.02, 0.02, l, scree_material_at(0)));
        scree_joint_def slot = scree_joint_def_default();
        scree_stepper_options options = scree_stepper_options_default();
        scree_error error = {0};
        def.rotation[0] = cos(0.5 * start), def.rotation[2] = -sin(0.5 * start); /* its upper end towards -x */
        def.position[0] = l * sin(start), def.position[2] = -l * cos(start);
        scree_body_id rod = scree_world_add_body(world, &def, &error);
        expect_ok(error.status, &error);
        slot.kind = SCREE_JOINT_SLOT, slot.body_b = rod, slot.axis[0] = 1.0, slot.axis[2] = 0.0;
        int j = add_joint(world, &slot);
        options.scheme = SCREE_SCHEME_MOREAU_JEAN, options.step = 1e-3;
        scree_stepper *stepper = scene_stepper(&options, NULL);
        const double m = scree_world_mass(world, rod), I = scree_world_inertia(world, rod)[1];
        for (int n = 0; n < 700; ++n) {
            scene_step(stepper, world);
            const double *x = scree_world_positions(world), *w = scree_world_angular_velocities(world);
            const double pin = world->joint_state[j].coordinate, sine = (x[0] - pin) / l, cosine = -x[2] / l;
            assert_true(fabs(x[0] - l * sin(start)) < 1e-9);
            assert_true(fabs(sine * sine + cosine * cosine - 1.0) < 1e-4);
            const double energy = 0.5 * (m * l * l * sine * sine + I) * w[1] * w[1],
                         fall = m * 9.81 * l * (cosine - cos(start));
            assert_true(fabs(energy - fall) < 2e-3 * m * 9.81 * l);
        }
        scree_stepper_destroy(stepper), scree_world_destroy(world);
    }
}

/* ---- the ledger ---------------------------------------------------------------------------------------------------------------------- */

/// Two boxes under a joint that has everything, a third on a driven one, a floor to hit: every line is used, and every step closes.
static void ledger_closes_with_everything_a_joint_has(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    scree_ledger seen = {0};
    for (int run = 0; run < 2 * SCREE_JOINT_KIND_COUNT; ++run) {
        scree_world *world = pair_world();
        static const double time[1] = {0.0}, velocity[3] = {0.2, 0.1, 0.0}, spin[3] = {0.0, 0.0, 1.0};
        scree_joint_def def = fullest_joint((scree_joint_kind)(run % SCREE_JOINT_KIND_COUNT)),
                        hold = scree_joint_def_default();
        scree_shape shape = scree_shape_sphere(0.1, scree_material_at(0));
        scree_body_def driven = scree_body_def_default();
        scree_error error = {0};
        int index, carried = add_box(world, 2.0, 0.0, 0.5, SCREE_BODY_DYNAMIC);
        driven.kind = SCREE_BODY_DRIVEN, driven.shapes = &shape, driven.shape_count = 1, driven.position[0] = 1.5,
        driven.position[2] = 1.0, driven.motion.velocity = (scree_table){1, time, velocity},
        driven.motion.spin = (scree_table){1, time, spin};
        index = scree_body_index(scree_world_add_body(world, &driven, &error));
        expect_ok(error.status, &error);
        scene_floor(world);
        add_joint(world, &def);
        hold.body_a = scree_body_at(index), hold.body_b = scree_body_at(carried), hold.anchor[0] = 1.7,
        hold.anchor[2] = 0.8;
        add_joint(world, &hold);
        scree_stepper_options options = scree_stepper_options_default();
        options.scheme = run < SCREE_JOINT_KIND_COUNT ? SCREE_SCHEME_ANITESCU_TASORA : SCREE_SCHEME_MOREAU_JEAN;
        options.step = 2e-3, options.theta = run % 2 ? 0.5 : 0.8;
        scree_stepper *stepper = scene_stepper(&options, NULL);
        double worst = 0.0, apart = 0.0;
        for (int n = 0; n < 400; ++n) {
            scree_step_report report = scene_step(stepper, world);
            worst = fmax(worst, fabs(report.energy.balance) / ledger_size(&report.energy));
            apart = fmax(apart, report.joint_error);
        }
        const scree_ledger *sum = &scree_stepper_totals(stepper)->energy;
        seen.motor += fabs(sum->motor), seen.joint_friction += sum->joint_friction;
        seen.joint_spring += fabs(sum->joint_spring), seen.driven += fabs(sum->driven);
        print_message("%s, %s: closes to %.1e; apart by %.1e m; motor %.3g friction %.3g spring %.3g drift %.3g\n",
                      scree_scheme_name(options.scheme), scree_joint_kind_name(def.kind), worst, apart, sum->motor,
                      sum->joint_friction, sum->joint_spring, sum->joint_drift);
        assert_true(worst <= 1e-12);
        assert_true(apart <= 5e-3); /* at impacts; between them 1e-8 and less */
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
    assert_true(seen.motor > 0.0 && seen.joint_friction > 0.0 && seen.joint_spring > 0.0 && seen.driven > 0.0);
}

/// Without gravity, a joint changes neither the momentum of its two bodies nor their angular momentum.
static void joints_conserve_momentum(void **state)
{
    (void)state;
    for (int kind = 0; kind < SCREE_JOINT_KIND_COUNT; ++kind) {
        scree_world *world = scene_world(0.0, 0.0, (scree_friction){.mu = 0.3}, SCREE_PLANAR_NONE, NULL);
        scree_stepper_options options = scree_stepper_options_default();
        scree_joint_def def = fullest_joint((scree_joint_kind)kind);
        double before[6], after[6];
        add_box(world, 0.2, 0.0, 1.0, SCREE_BODY_DYNAMIC), add_box(world, 0.9, 0.2, 1.1, SCREE_BODY_DYNAMIC);
        add_joint(world, &def);
        scene_move(world, 0, (const double[3]){0.3, -0.2, 0.1}, (const double[3]){1.0, 2.0, -1.0});
        scree_stepper *stepper = scene_stepper(&options, NULL);
        for (int pass = 0; pass < 2; ++pass) {
            double *sum = pass ? after : before;
            memset(sum, 0, 6 * sizeof *sum);
            for (int b = 0; b < 2; ++b) {
                double L[3], spin[3], orbit[3];
                for (int i = 0; i < 3; ++i) L[i] = world->inertia[b][i] * world->omega[b][i];
                quat_rotate(world->q[b], L, spin);
                vec_cross(world->x[b], world->v[b], orbit);
                for (int i = 0; i < 3; ++i)
                    sum[i] += world->mass[b] * world->v[b][i], sum[3 + i] += spin[i] + world->mass[b] * orbit[i];
            }
            for (int n = 0; pass == 0 && n < 200; ++n) scene_step(stepper, world);
        }
        for (int i = 0; i < 6; ++i) assert_true(fabs(after[i] - before[i]) <= 1e-10 * (1.0 + fabs(before[i])));
        scree_stepper_destroy(stepper);
        scree_world_destroy(world);
    }
}

/* ---- promises ------------------------------------------------------------------------------------------------------------------------- */

/// A chain of hinges on a driven crank, over a floor with balls.
static scree_world *machine(const scree_allocator *allocator)
{
    scree_world *world =
        scene_world(9.81, 0.0, (scree_friction){.mu = 0.3, .mu_static = 0.5}, SCREE_PLANAR_NONE, allocator);
    int last = -1;
    scene_floor(world);
    for (int k = 0; k < 6; ++k) {
        int link = add_box(world, 0.5 * k, 0.0, 2.0, SCREE_BODY_DYNAMIC);
        scree_joint_def def = scree_joint_def_default();
        def.kind = SCREE_JOINT_HINGE, def.body_a = scree_body_at(last), def.body_b = scree_body_at(link),
        def.anchor[0] = 0.5 * k - 0.25, def.anchor[2] = 2.0;
        def.axis[1] = 1.0, def.axis[2] = 0.0;
        if (k == 0) def.motor = SCREE_MOTOR_SPEED, def.target = 3.0, def.bound = 2000.0;
        if (k == 3) def.lower = -0.5, def.upper = 0.5, def.friction = 1.0;
        if (k == 4) def.stiffness = 50.0, def.damping = 1.0;
        add_joint(world, &def);
        last = link;
    }
    for (int k = 0; k < 10; ++k) {
        scene_sphere(world, 0.08, 0.0, 0.3 * k - 0.5, 0.0, 0.08);
        scene_sphere(world, 0.08, 0.0, 0.3 * k - 0.5, 0.2, 0.08);
    }
    return world;
}

static uint64_t machine_hash(int threads, int steps, scree_on_failure on_failure, double tolerance)
{
    scree_world *world = machine(NULL);
    scree_stepper_options options = scree_stepper_options_default();
    options.threads = threads, options.on_failure = on_failure, options.solver.tolerance = tolerance;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    share_loops(world, stepper);
    for (int n = 0; n < steps; ++n) scene_step(stepper, world);
    expect_shared_loops(stepper, threads);
    uint64_t hash = scree_world_hash(world);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
    return hash;
}

/// A body that hangs still from a joint: the force is its weight, the moment the weight's about the anchor, on B, whichever of the bodies moves.
static void reactions_carry_the_weight(void **state)
{
    (void)state;
    for (int kind = 0; kind < SCREE_JOINT_KIND_COUNT; ++kind)
        for (int moving_a = 0; moving_a < 2; ++moving_a) {
            if (kind != SCREE_JOINT_FIXED && kind != SCREE_JOINT_HINGE)
                continue; /* they hold a body still without help */
            scree_world *world = scene_world(9.81, 0.3, (scree_friction){.mu = 0.3}, SCREE_PLANAR_NONE, NULL);
            const int hung = add_box(world, 0.2, 0.0, 1.0, SCREE_BODY_DYNAMIC);
            scree_joint_def def = scree_joint_def_default();
            def.kind = kind, def.axis[0] = 9.81 * sin(0.3),
            def.axis[2] = -9.81 * cos(0.3); /* along gravity: nothing turns it */
            if (moving_a) def.body_a = scree_body_at(hung), def.body_b = (scree_body_id){0};
            else def.body_a = (scree_body_id){0}, def.body_b = scree_body_at(hung);
            def.anchor[0] = 0.6, def.anchor[1] = -0.3, def.anchor[2] = 1.4;
            (void)add_joint(world, &def);
            scree_stepper_options options = scree_stepper_options_default();
            options.step = 1e-3, options.solver.tolerance = 1e-13;
            scree_stepper *stepper = scene_stepper(&options, NULL);
            for (int k = 0; k < 3; ++k) (void)scene_step(stepper, world);
            const scree_joint_state *now = scree_world_joint_states(world);
            const double sign = moving_a ? -1.0 : 1.0, m = scree_world_mass(world, scree_body_at(hung));
            const double weight[3] = {m * 9.81 * sin(0.3), 0.0, -m * 9.81 * cos(0.3)}, lever[3] = {-0.4, 0.3, -0.4};
            double moment[3];
            vec_cross(lever, weight, moment);
            for (int k = 0; k < 3; ++k) {
                assert_true(fabs(now->force[k] + sign * weight[k]) < 1e-9 * m);
                assert_true(fabs(now->moment[k] + sign * moment[k]) < 1e-9 * m);
            }
            scree_stepper_destroy(stepper);
            scree_world_destroy(world);
        }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    uint64_t one = machine_hash(1, 60, SCREE_ON_FAILURE_KEEP, 1e-6);
    assert_true(machine_hash(2, 60, SCREE_ON_FAILURE_KEEP, 1e-6) == one);
    assert_true(machine_hash(5, 60, SCREE_ON_FAILURE_KEEP, 1e-6) == one);
    assert_true(machine_hash(1, 61, SCREE_ON_FAILURE_KEEP, 1e-6) != one);
}

/// A tolerance that nothing reaches: every step is made in 64 parts, and taken back 63 times.
static void a_machine_goes_on_in_halves(void **state)
{
    (void)state;
    if (SCREE_SAMPLE_SHARE > 1) skip(); /* other arithmetic, no other memory, and slow under a sanitizer */
    assert_true(machine_hash(1, 1, SCREE_ON_FAILURE_RETRY, 0.0) != machine_hash(1, 1, SCREE_ON_FAILURE_KEEP, 0.0));
}

static void the_hash_knows_the_target_of_a_motor(void **state)
{
    (void)state;
    scree_world *world = machine(NULL);
    uint64_t before = scree_world_hash(world);
    scree_world_set_motor(world, scree_joint_at(0), 4.0, 2000.0);
    assert_true(scree_world_hash(world) != before);
    scree_world_set_motor(world, scree_joint_at(0), 3.0, 2000.0);
    assert_true(scree_world_hash(world) == before);
    scree_world_destroy(world);
}

/// Three boxes on hinges about z: a table and a sine for the speed, the same for the position, and the speed again with a small bound.
static scree_world *three_motors(int with_course)
{
    static const double time[3] = {0.0, 0.1, 0.25}, value[3] = {0.0, 4.0, -1.0};
    scree_world *world = scene_world(9.81, 0.0, (scree_friction){.mu = 0.3}, SCREE_PLANAR_NONE, NULL);
    for (int k = 0; k < 3; ++k) {
        scree_joint_def def = scree_joint_def_default();
        def.kind = SCREE_JOINT_HINGE, def.body_b = scree_body_at(add_box(world, 1.0 * k, 0.0, 1.0, SCREE_BODY_DYNAMIC));
        def.anchor[0] = 1.0 * k, def.anchor[2] = 1.0;
        def.motor = k == 1 ? SCREE_MOTOR_POSITION : SCREE_MOTOR_SPEED, def.target = 0.5;
        def.servo_stiffness = 30.0, def.servo_damping = 0.0;
        if (k == 2) def.bound = 0.4;
        if (with_course) def.course = (scree_time_function){{3, time, value}, 0.7, 3.0, 0.4};
        add_joint(world, &def);
    }
    return world;
}

/// A course is what somebody who sets the target before each step would do, to the bit: for the speed its mean over the step, for the
/// position (without damper, which knows how the target moves) its value at the end. And the motors have done what the boxes have.
static void a_course_is_a_target_for_every_step(void **state)
{
    (void)state;
    scree_stepper_options options = scree_stepper_options_default();
    options.step = 1e-3;
    scree_world *course = three_motors(1), *hand = three_motors(0);
    scree_stepper *a = scene_stepper(&options, NULL), *b = scene_stepper(&options, NULL);
    for (int n = 0; n < 400; ++n) {
        double t = scree_world_time(course), h = options.step;
        for (int j = 0; j < 3; ++j) {
            const world_joint *joint = &course->joint[j];
            scree_world_set_motor(hand, scree_joint_at(j),
                                  j == 1 ? motor_target(joint, 0, t + h) : motor_target_mean(joint, 0, t, h),
                                  joint->def.bound);
        }
        scene_step(a, course), scene_step(b, hand);
        assert_memory_equal(course->q, hand->q, 3 * sizeof *course->q);
        assert_memory_equal(course->omega, hand->omega, 3 * sizeof *course->omega);
    }
    const scree_ledger *sum = &scree_stepper_totals(a)->energy;
    double kinetic = scree_world_energy(course).kinetic;
    assert_true(kinetic > 0.1);
    assert_true(fabs(sum->motor - kinetic) <= 1e-6 * (kinetic + sum->joint_drift)); /* rows give way by 1e-8 */
    scree_stepper_destroy(a), scree_stepper_destroy(b);
    scree_world_destroy(course), scree_world_destroy(hand);
}

static void a_step_allocates_nothing_once_warm(void **state)
{
    (void)state;
    failing f = {.left = -1};
    scree_allocator a = failing_allocator(&f);
    scree_world *world = scene_world(9.81, 0.0, (scree_friction){.mu = 0.3}, SCREE_PLANAR_NONE, &a);
    scree_joint_def def = full_joint(SCREE_JOINT_HINGE);
    add_box(world, 0.2, 0.0, 1.0, SCREE_BODY_DYNAMIC), add_box(world, 0.9, 0.2, 1.1, SCREE_BODY_DYNAMIC);
    add_joint(world, &def);
    scree_stepper_options options = scree_stepper_options_default();
    scree_stepper *stepper = scene_stepper(&options, &a);
    for (int n = 0; n < 100; ++n) scene_step(stepper, world); /* the limits have been met */
    int made = f.made;
    for (int n = 0; n < 100; ++n) scene_step(stepper, world);
    assert_int_equal(f.made, made);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
    assert_int_equal(f.live, 0);
}

static int contacts_of(int collide)
{
    scree_world *world = scene_world(9.81, 0.0, (scree_friction){.mu = 0.3}, SCREE_PLANAR_NONE, NULL);
    scree_joint_def def = scree_joint_def_default();
    def.body_a = scree_body_at(scene_sphere(world, 0.1, 0.0, 0.0, 0.0, 1.0)),
    def.body_b = scree_body_at(scene_sphere(world, 0.1, 0.0, 0.15, 0.0, 1.0));
    def.anchor[0] = 0.075, def.anchor[2] = 1.0, def.collide = collide;
    add_joint(world, &def);
    assert_int_equal(scree_world_detect(world, 1e-3, NULL, NULL), SCREE_OK);
    int count = scree_world_contact_count(world), island[2];
    assert_int_equal(scree_world_islands(world, island), 1); /* joined also without a contact */
    scree_world_destroy(world);
    return count;
}

static void jointed_bodies_collide_only_if_asked(void **state)
{
    (void)state;
    assert_int_equal(contacts_of(0), 0);
    assert_int_equal(contacts_of(1), 1);
}

/// One hinge in a planar world: two rows, and it swings.
static void joints_work_in_planar_worlds(void **state)
{
    (void)state;
    scree_world *world = scene_world(9.81, 0.0, (scree_friction){.mu = 0.3}, SCREE_PLANAR_XZ, NULL);
    scree_joint_def def = scree_joint_def_default();
    scree_stepper_options options = scree_stepper_options_default();
    scree_error error = {0};
    int box = add_box(world, 0.5, 0.0, 0.0, SCREE_BODY_DYNAMIC);
    def.kind = SCREE_JOINT_HINGE, def.body_b = scree_body_at(box);
    error = (scree_error){0};
    scree_world_add_joint(world, &def, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT); /* the axis is z */
    assert_non_null(strstr(error.text, "not along the normal of the plane of motion"));
    def.axis[1] = 1.0, def.axis[2] = 0.0;
    add_joint(world, &def);
    scree_stepper *stepper = scene_stepper(&options, NULL);
    double worst = 0.0;
    for (int n = 0; n < 400; ++n) worst = fmax(worst, scene_step(stepper, world).joint_error);
    assert_true(worst <= 1e-8);
    assert_true(world->x[box][2] < -0.01 && world->x[box][1] == 0.0);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

/* ---- what is refused -------------------------------------------------------------------------------------------------------------------- */

static void refused(scree_world *world, const scree_joint_def *def, const char *words)
{
    scree_error error = {.text = ""};
    int before = scree_world_joint_count(world);
    error = (scree_error){0};
    scree_world_add_joint(world, def, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    if (!strstr(error.text, words)) print_error("expected '%s' in '%s'\n", words, error.text);
    assert_non_null(strstr(error.text, words));
    assert_int_equal(scree_world_joint_count(world), before);
}

static void what_is_no_joint_is_refused_with_a_reason(void **state)
{
    (void)state;
    scree_world *world = pair_world();
    scree_error error = {.text = ""};
    scree_joint_def good = full_joint(SCREE_JOINT_HINGE), d;
    add_box(world, 3.0, 0.0, 1.0, SCREE_BODY_FIXED);
    d = good, d.body_b = scree_body_at(7),
    refused(world, &d, "there is no body 7, expected 0 to 2, or none for the ground");
    d = good, d.body_b = scree_body_at(0), refused(world, &d, "it joins a body to itself");
    d = good, d.body_a = scree_body_at(-1), d.body_b = scree_body_at(2),
    refused(world, &d, "neither of its bodies is dynamic");
    d = good, d.turn.friction = 1.0, refused(world, &d, "joint has no second coordinate; expected a cylindrical");
    d = good, d.axis[0] = d.axis[1] = d.axis[2] = 0.0, refused(world, &d, "its axis is (0, 0, 0)");
    d = good, d.anchor[1] = (double)NAN, refused(world, &d, "its anchor or axis is not finite");
    d = good, d.lower = 1.0, refused(world, &d, "its limits are 1 and 0.5, expected lower <= upper");
    d = good, d.stiffness = -1.0, refused(world, &d, "its stiffness is -1, expected 0 or more");
    d = good, d.motor = SCREE_MOTOR_POSITION, refused(world, &d, "its servo has no stiffness");
    d = good, d.kind = SCREE_JOINT_BALL, d.name = "hip",
    refused(world, &d, "joint 'hip': a ball joint has no spring and no motor");
    d = full_joint(SCREE_JOINT_BALL), d.swing = 0.0, refused(world, &d, "its swing is 0, expected an angle above 0");
    d = good, d.swing = 1.0, refused(world, &d, "a hinge joint does not swing; expected a ball joint");
    d = full_joint(SCREE_JOINT_FIXED), d.friction = 1.0, refused(world, &d, "a fixed joint has no coordinate");
    d = full_joint(SCREE_JOINT_DISTANCE), memcpy(d.anchor_b, d.anchor, sizeof d.anchor);
    refused(world, &d, "its two ends coincide");
    d = good, d.kind = SCREE_JOINT_KIND_COUNT,
    refused(world, &d, "its kind is 7, expected ball, hinge, slider, fixed, distance, cylindrical or slot");
    d = good, d.name = "a name that is longer than any that a person would write for a joint";
    refused(world, &d, "its name is longer than 63 bytes");
    d = good, d.motor = SCREE_MOTOR_SPEED, d.target = (double)INFINITY;
    refused(world, &d, "its motor is of kind 1 with target inf, expected a kind and a finite target");
    static const double time[2] = {1.0, 0.5}, value[2] = {0.0, (double)INFINITY};
    d = good, d.course.table = (scree_table){2, time, value};
    refused(world, &d, "times of its course must ascend, but 0.5 s follows 1 s");
    d = good, d.course.table = (scree_table){2, value, value};
    refused(world, &d, "time 1 of its course is inf, expected a finite number");
    d = good, d.course.table = (scree_table){1, time, value + 1};
    refused(world, &d, "course[0] is inf, expected a finite number");
    d = good, d.course.frequency = (double)NAN;
    refused(world, &d, "its course has amplitude 0, frequency nan and phase 0, expected finite numbers");
    d = good, d.motor = SCREE_MOTOR_NONE, d.course.amplitude = 1.0;
    refused(world, &d, "a course without a motor that follows it, expected one, or no course");
    d = good, d.rest = (double)INFINITY,
    refused(world, &d, "the rest of its spring is infinite, expected a finite number");
    scree_world_remove_body(world, scree_body_at(1));
    d = good, refused(world, &d, "body 1 has been removed, expected one that is there");
    d.body_b = scree_body_at(-1);
    scree_world_add_joint(world, &d, &error);
    expect_ok(error.status, &error);
    scree_stepper_options soft = scree_stepper_options_default();
    soft.scheme = SCREE_SCHEME_DEM;
    scree_stepper *stepper = scene_stepper(&soft, NULL);
    assert_int_equal(scree_step(stepper, world, &error), SCREE_ERR_UNSUPPORTED);
    assert_string_equal(error.text, "the scheme dem does not take joints; use anitescu_tasora or moreau_jean");
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

static void the_kth_allocation_may_fail(void **state)
{
    (void)state;
    for (int k = 0;; ++k) {
        failing f = {.left = -1};
        scree_allocator a = failing_allocator(&f);
        scree_world *world = scene_world(9.81, 0.0, (scree_friction){.mu = 0.3}, SCREE_PLANAR_NONE, &a);
        static const double time[2] = {0.0, 1.0}, value[2] = {0.0, 2.0};
        scree_joint_def def = full_joint(SCREE_JOINT_HINGE);
        def.course.table = (scree_table){2, time, value};
        add_box(world, 0.2, 0.0, 1.0, SCREE_BODY_DYNAMIC), add_box(world, 0.9, 0.2, 1.1, SCREE_BODY_DYNAMIC);
        f.left = k;
        scree_error error = {0};
        scree_world_add_joint(world, &def, &error);
        scree_status status = error.status;
        f.left = -1;
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        assert_int_equal(scree_world_joint_count(world), status == SCREE_OK);
        scree_world_destroy(world);
        assert_int_equal(f.live, 0);
        if (status == SCREE_OK) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_derivatives_of_positions),
        cmocka_unit_test(swing_and_twist_are_angles),
        cmocka_unit_test(a_nut_slides_and_spins_on_a_rod),
        cmocka_unit_test(a_motor_turns_what_slides_to_its_stop),
        cmocka_unit_test(a_rod_swings_in_a_slot),
        cmocka_unit_test(ledger_closes_with_everything_a_joint_has),
        cmocka_unit_test(joints_conserve_momentum),
        cmocka_unit_test(reactions_carry_the_weight),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_machine_goes_on_in_halves),
        cmocka_unit_test(the_hash_knows_the_target_of_a_motor),
        cmocka_unit_test(a_course_is_a_target_for_every_step),
        cmocka_unit_test(a_step_allocates_nothing_once_warm),
        cmocka_unit_test(jointed_bodies_collide_only_if_asked),
        cmocka_unit_test(joints_work_in_planar_worlds),
        cmocka_unit_test(what_is_no_joint_is_refused_with_a_reason),
        cmocka_unit_test(the_kth_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
