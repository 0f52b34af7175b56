/* test_periodic.c: worlds that repeat themselves, with rigid contacts and with soft ones through the stages for any shape: where the cell
 * begins cannot be seen in the motion, momentum is kept, driven walls shear, joints go over the border, and what cannot be is refused by
 * name. The bed against the soft stages: test_dem_state.c. */
#include "failing_allocator.h"
#include "near.h"
#include "shared_loops.h"
#include "soft_scene.h"
#include "world/world_private.h"

static const double PERIOD = 1.2;

/// The world of periodic_world, sheared at three constant rates.
static scree_world *sheared_world(const int axis[3], const double low[3], const double shear[3], double g, int soft,
                                  const scree_allocator *allocator)
{
    static const double zero[1] = {0.0};
    scree_material m = soft_rubber(0.5, 0.4, 0.6, 2e5, 1e5);
    scree_world_options options = scree_world_options_default();
    scree_world *world;
    scree_error error = {0};
    m.friction.rolling = (scree_friction_length){0.02, 1}, m.friction.spinning = (scree_friction_length){0.01, 1};
    options.gravity[2] = -g, options.soft = soft;
    for (int k = 0; k < 3; ++k)
        options.periodic[k] = axis[k], options.low[k] = low[k], options.high[k] = low[k] + PERIOD;
    if (shear) options.shear_rate = (scree_table){1, zero, shear};
    options.allocator = allocator;
    world = scree_world_create(&options, &error);
    expect_ok(error.status, &error);
    scree_world_add_material(world, &m, &error);
    expect_ok(error.status, &error);
    return world;
}

static scree_world *periodic_world(const int axis[3], const double low[3], double g, int soft,
                                   const scree_allocator *allocator)
{
    return sheared_world(axis, low, NULL, g, soft, allocator);
}

/* ---- a cell that changes its size ------------------------------------------------------------------------------------------------ */

enum { EDGE = 4 };

static const double PITCH =
    0.1998; /* of balls of radius 0.1: all overlap from the start, so that all contacts begin together */

/// A simple cubic lattice of balls, EDGE along each edge of a cell that shrinks at the rate e until 0.01 s.
static scree_world *lattice(double e, double gravity)
{
    const double length = PITCH * EDGE;
    static const double time[3] = {0.0, 0.01, 0.01};
    const double rate[9] = {e, e, e, e, e, e, 0.0, 0.0, 0.0};
    scree_material m = soft_rubber(0.5, 0.4, 0.6, 2e5, 1e5);
    scree_world_options options = scree_world_options_default();
    scree_error error = {0};
    options.gravity[2] = -gravity, options.soft = 1;
    for (int k = 0; k < 3; ++k) options.periodic[k] = 1, options.low[k] = 0.1 * k, options.high[k] = 0.1 * k + length;
    options.strain_rate = (scree_table){3, time, rate};
    scree_world *world = scree_world_create(&options, &error);
    expect_ok(error.status, &error);
    scree_world_add_material(world, &m, &error);
    for (int k = 0; k < EDGE * EDGE * EDGE; ++k) {
        const int at[3] = {k % EDGE, k / EDGE % EDGE, k / (EDGE * EDGE)};
        scene_sphere(world, 0.1, 1.0, (at[0] + 0.5) * PITCH, 0.1 + (at[1] + 0.5) * PITCH, 0.2 + (at[2] + 0.5) * PITCH);
    }
    return world;
}

/// All forces cancel, so the balls go with the cell; each of three contacts a ball has the overlap that follows from its length, L_0 exp(e t),
/// and the cell's work is their energy, k d^2/2, and what dashpots took.
static void a_lattice_is_compressed_as_its_cell_is(void **state)
{
    (void)state;
    const double e = -1.0, length = PITCH * EDGE;
    scree_world *world = lattice(e, 0.0);
    scree_stepper *stepper = soft_stepper(1e-5, 1, NULL);
    double low[3], high[3], force[3], moment[3];
    for (int n = 0; n < 1200; ++n) scene_step(stepper, world);
    const double spacing = PITCH * exp(e * 0.01), overlap = 0.2 - spacing;
    scree_world_cell(world, low, high);
    for (int k = 0; k < 3; ++k) {
        near("length", high[k] - low[k], EDGE * spacing, 1e-13);
        near("middle", 0.5 * (low[k] + high[k]), 0.1 * k + 0.5 * length, 1e-14);
    }
    assert_int_equal(world->contacts.count, 3 * EDGE * EDGE * EDGE);
    for (int k = 0; k < world->contacts.count; ++k) {
        near("overlap", -world->contacts.touch[k].gap, overlap, 1e-13);
        scree_world_contact_point_force(world, k, force, moment);
        within("force", vec_norm(force), 2e5 * overlap, 1e-10);
    }
    for (int b = 0; b < world->body_count; ++b) near("rest", vec_norm(world->v[b]), 0.0, 1e-11);
    const scree_ledger *energy = &scree_stepper_totals(stepper)->energy;
    const double stored = 0.5 * 2e5 * overlap * overlap * world->contacts.count;
    const double given = 0.5 * 2e5 * (0.2 - PITCH) * (0.2 - PITCH) * world->contacts.count; /* at the start */
    within("stored", energy->elastic, stored, 1e-9);
    within("work of the cell", energy->driven, stored - given + energy->impact,
           2e-3); /* first order of a thousand steps */
    assert_true(energy->impact > 0.01 * stored);
    near("closing error", energy->balance, 0.0, 2e-3 * stored); /* likewise */
    soft_finish(world, stepper);
}

/// Bodies that touch nothing keep their velocities and their places in the cell; those over the border too.
static void bodies_go_with_the_cell(void **state)
{
    (void)state;
    scree_world *world = lattice(2.0, 0.0); /* it grows, and soon nothing touches any more */
    scree_stepper *stepper = soft_stepper(1e-4, 1, NULL);
    double place[3], low[3], high[3];
    scree_world_cell(world, low, high);
    for (int k = 0; k < 3; ++k) place[k] = (world->x[42][k] - low[k]) / (high[k] - low[k]);
    scene_step(stepper, world);
    scene_move(world, 7, (const double[3]){-40.0, 0.0, 0.0},
               (const double[3]){0.0, 0.0, 0.0}); /* it goes out on its own */
    for (int n = 0; n < 99; ++n) scene_step(stepper, world);
    scree_world_cell(world, low, high);
    for (int k = 0; k < 3; ++k) {
        near("length", high[k] - low[k], PITCH * EDGE * exp(0.02), 1e-13);
        near("place", (world->x[42][k] - low[k]) / (high[k] - low[k]), place[k], 1e-9);
        assert_true(world->x[7][k] >= low[k] && world->x[7][k] < high[k]);
    }
    soft_finish(world, stepper);
}

/// The state of one world into another that was built alike.
static void restore_into(scree_world *world, scree_world *twin)
{
    world_field a[WORLD_FIELDS_MAX], b[WORLD_FIELDS_MAX];
    int32_t count[WORLD_COUNTS];
    scree_error error = {0};
    world_counts(world, count);
    expect_ok(world_restore_begin(twin, count, &error), &error);
    int fields = world_fields(world, a);
    assert_int_equal(world_fields(twin, b), fields);
    for (int f = 0; f < fields; ++f)
        for (int i = 0; i < a[f].count; ++i)
            memcpy((char *)b[f].data + (size_t)i * b[f].stride, (const char *)a[f].data + (size_t)i * a[f].stride,
                   world_field_bytes(&a[f]));
    expect_ok(world_restore_end(twin, &error), &error);
}

/// The cell is part of the state: what follows has the same bits whoever steps it, with any number of threads and after a restart.
static void a_cell_is_restored_with_its_size(void **state)
{
    (void)state;
    scree_world *world = lattice(-1.0, 5.0), *twin = lattice(-1.0, 5.0);
    scree_stepper *stepper = soft_stepper(1e-5, 1, NULL), *second = soft_stepper(1e-5, 3, NULL);
    for (int n = 0; n < 500; ++n) scene_step(stepper, world);
    restore_into(world, twin);
    for (int n = 0; n < 600; ++n) scene_step(stepper, world), scene_step(second, twin);
    assert_true(scree_world_hash(world) == scree_world_hash(twin));
    soft_finish(world, stepper), soft_finish(twin, second);
}

static void a_cell_that_cannot_be_is_refused(void **state)
{
    (void)state;
    scree_world_options options = scree_world_options_default();
    scree_error error = {0};
    const double zero = 0.0, rate[3] = {0.0, 0.0, -1.0};
    options.periodic[0] = 1, options.high[0] = 1.0, options.strain_rate = (scree_table){1, &zero, rate};
    assert_null(scree_world_create(&options, &error));
    assert_non_null(strstr(error.text, "the strain rate is -1 1/s along z, which is not periodic; expected 0"));

    error = (scree_error){0}, options.strain_rate.count = 0, options.shear_rate = (scree_table){1, &zero, rate};
    assert_null(scree_world_create(&options, &error));
    assert_non_null(strstr(error.text, "a cell sheared along y by z has both axes periodic"));

    scree_world *world = lattice(-200.0, 0.0);
    scree_stepper *stepper = soft_stepper(1e-4, 1, NULL), *rigid = scheme_stepper(0);
    scree_status status = SCREE_OK;
    error = (scree_error){0};
    assert_int_equal(scree_advance(rigid, world, 1, NULL, &error), SCREE_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "moreau_jean does not take a periodic cell that deforms; use dem"));
    error = (scree_error){0};
    for (int n = 0; n < 100 && status == SCREE_OK; ++n) status = scree_advance(stepper, world, 1, NULL, &error);
    assert_int_equal(status, SCREE_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "the periodic cell has shrunk to "));
    scree_stepper_destroy(rigid), soft_finish(world, stepper);
}

/* ---- a cell that is sheared ------------------------------------------------------------------------------------------------------ */

static const int EVERY[3] = {1, 1, 1};

/// What touches nothing goes straight on, whichever of the images is looked at: to rounding with one shear rate, whatever the step.
static void a_free_body_goes_straight_through_a_sheared_cell(void **state)
{
    (void)state;
    static const double rate[3][3] = {{7.0, 0.0, 0.0}, {0.0, -7.0, 0.0}, {0.0, 0.0, 7.0}}, low[3] = {-0.3, 0.1, 0.2};
    for (int n = 0; n < 3; ++n) {
        scree_world *world = sheared_world(EVERY, low, rate[n], 0.0, 1, NULL);
        scree_stepper *stepper = soft_stepper(1e-3, 1, NULL);
        const int along = n == 2, by = n == 0 ? 1 : 2;
        const double start[3] = {0.25, 0.65, 0.75},
                     v[3] = {1.1, -2.3, 1.7}; /* in the middle but for 0.05 along x, y, z */
        const double middle = low[by] + 0.5 * PERIOD, g = rate[n][n];
        double fixed[3], tilt[3], energy = 0.0;
        scene_sphere(world, 0.1, 1.0, start[0], start[1], start[2]);
        memcpy(fixed, v, sizeof fixed);
        fixed[along] -= g * (start[by] - middle); /* against the mean motion */
        scene_move(world, 0, fixed, (const double[3]){0.0, 0.0, 0.0});
        const double kinetic = 0.5 * scree_world_mass(world, scree_body_at(0)) * vec_dot(fixed, fixed);
        double image[3] = {0.0, 0.0, 0.0},
               aside = 0.0; /* of the image that has gone straight on: whole periods further */
        for (int k = 1; k <= 1500; ++k) {
            double before[3], where[3], velocity[3];
            memcpy(before, world->x[0], sizeof before);
            energy += scene_step(stepper, world).energy.driven;
            scree_world_cell_tilt(world, tilt);
            near("tilt", tilt[n] - PERIOD * nearbyint(tilt[n] / PERIOD - g * 1e-3 * k), g * 1e-3 * k * PERIOD, 1e-10);
            for (int i = 0; i < 3; ++i) where[i] = start[i] + 1e-3 * k * v[i];
            image[by] = nearbyint((where[by] - world->x[0][by]) / PERIOD);
            aside = where[along] - world->x[0][along] - image[by] * tilt[n];
            for (int i = 0; i < 3; ++i) {
                const double off = i == along ? aside : where[i] - world->x[0][i];
                near("straight on", off, PERIOD * nearbyint(off / PERIOD), 1e-10);
            }
            memcpy(velocity, world->v[0], sizeof velocity);
            velocity[along] += g * (where[by] - middle);
            for (int i = 0; i < 3; ++i) near("velocity", velocity[i], v[i], 1e-10);
        }
        const double now = 0.5 * scree_world_mass(world, scree_body_at(0)) * vec_dot(world->v[0], world->v[0]);
        near("work of the cell", energy, now - kinetic, 1e-9 * fabs(now));
        soft_finish(world, stepper);
    }
}

/// A cubic lattice without friction, sheared along x by z: forces cancel, so it deforms as its cell does. Contacts along z become as long as
/// the hypotenuse and lean; stress and tilt follow from that, and the cell's work is what the springs have lost and dashpots took.
static void a_lattice_is_sheared_as_its_cell_is(void **state)
{
    (void)state;
    static const double zero[1] = {0.0}, rate[3] = {0.0, 2.0, 0.0};
    scree_material m = soft_rubber(0.0, 0.0, 0.6, 2e5, 1e5);
    scree_world_options options = scree_world_options_default();
    scree_error error = {0};
    options.gravity[2] = 0.0, options.soft = 1;
    for (int k = 0; k < 3; ++k)
        options.periodic[k] = 1, options.low[k] = 0.1 * k, options.high[k] = 0.1 * k + PITCH * EDGE;
    options.shear_rate = (scree_table){1, zero, rate};
    scree_world *world = scree_world_create(&options, &error);
    expect_ok(error.status, &error);
    scree_world_add_material(world, &m, &error);
    for (int k = 0; k < EDGE * EDGE * EDGE; ++k) {
        const int at[3] = {k % EDGE, k / EDGE % EDGE, k / (EDGE * EDGE)};
        scene_sphere(world, 0.1, 1.0, (at[0] + 0.5) * PITCH, 0.1 + (at[1] + 0.5) * PITCH, 0.2 + (at[2] + 0.5) * PITCH);
    }
    scree_stepper *stepper = soft_stepper(1e-5, 1, NULL);
    for (int n = 0; n < 2001; ++n) scene_step(stepper, world); /* forces are those at the start of the last step */
    const double strain = 2.0 * 1e-5 * 2000, length = PITCH * hypot(1.0, strain), overlap = 0.2 - length;
    double tilt[3], force[3], moment[3];
    int leaning = 0;
    scree_world_cell_tilt(world, tilt);
    near("tilt", tilt[1], 2.0 * 1e-5 * 2001 * PITCH * EDGE, 1e-12);
    assert_int_equal(world->contacts.count, 3 * EDGE * EDGE * EDGE);
    for (int k = 0; k < world->contacts.count; ++k) {
        const scree_contact_point *c = &world->contacts.touch[k];
        const int along_z = fabs(c->normal[2]) > 0.5;
        near("overlap", -c->gap, along_z ? overlap : 0.2 - PITCH, 1e-13);
        if (!along_z) continue;
        near("it leans", c->normal[0] / c->normal[2], strain, 1e-12);
        /* the spring, and the dashpot that feels the length grow by strain/hypotenuse of the rate; no friction */
        scree_world_contact_point_force(world, k, force, moment);
        near("force along the contact", hypot(force[0], force[2]), fabs(vec_dot(force, c->normal)), 1e-9);
        leaning += 1;
    }
    assert_int_equal(leaning, EDGE * EDGE * EDGE);
    for (int b = 0; b < world->body_count; ++b) near("rest", vec_norm(world->v[b]), 0.0, 1e-11);
    const scree_ledger *energy = &scree_stepper_totals(stepper)->energy;
    const double first = 0.2 - PITCH, each = 0.5 * 2e5 * leaning; /* along x and y they stay as they were */
    within("elastic", energy->elastic, each * (2.0 * first * first + overlap * overlap), 1e-9);
    assert_true(energy->impact > 0.0);
    within("work of the cell", energy->driven, each * (overlap * overlap - first * first) + energy->impact,
           5e-3); /* first order of the step */
    near("closing error", energy->balance, 0.0, 5e-3 * fabs(energy->driven));
    soft_finish(world, stepper);
}

/* ---- the cell has no place ------------------------------------------------------------------------------------------------------ */

enum { SIDE = 4, BODIES = SIDE * SIDE * SIDE };

/// Balls, boxes, capsules and ellipsoids, whose contacts are good to rounding, in a cell that repeats itself in all directions, all moved by `shift` as far as they can be seen.
static scree_world *sheared_gas(const double shift[3], const double shear[3], int soft,
                                const scree_allocator *allocator)
{
    const int all[3] = {1, 1, 1};
    const double low[3] = {-0.3, 0.0, 0.2};
    scree_world *world = sheared_world(all, low, shear, 0.0, soft, allocator);
    rng random = rng_make(11, 0);
    const double scale = soft ? 1.0 : 0.75; /* rigid ones that fill a period overlap for ever */
    for (int k = 0; k < BODIES; ++k) {
        const scree_shape shapes[] = {
            scree_shape_sphere(0.154 * scale, scree_material_at(0)),
            scree_shape_box(0.1 * scale, 0.09 * scale, 0.12 * scale, scree_material_at(0)),
            scree_shape_capsule(0.098 * scale, 0.084 * scale, scree_material_at(0)),
            scree_shape_ellipsoid(0.168 * scale, 0.14 * scale, 0.112 * scale, scree_material_at(0))};
        const int at[3] = {k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)};
        double x[3], v[3], omega[3], q[4];
        for (int i = 0; i < 3; ++i) {
            x[i] = low[i] + (at[i] + 0.5) * PERIOD / SIDE + shift[i];
            x[i] -= PERIOD * floor((x[i] - low[i]) / PERIOD);
            v[i] = 2.0 * rng_uniform(&random) - 1.0, omega[i] = 4.0 * rng_uniform(&random) - 2.0;
        }
        for (int i = 0; i < 4; ++i) q[i] = rng_uniform(&random) - 0.5;
        quat_normalise(q);
        int body = soft_body(world, shapes[k % 4], 1.0, x, q);
        scene_move(world, body, v, omega);
    }
    return world;
}

static scree_world *gas(const double shift[3], int soft, const scree_allocator *allocator)
{
    return sheared_gas(shift, NULL, soft, allocator);
}

static void a_sheared_cell_is_part_of_the_state(void **state)
{
    (void)state;
    static const double nowhere[3] = {0.0, 0.0, 0.0}, shear[3] = {9.0, -20.0, 31.0};
    scree_world *world = sheared_gas(nowhere, shear, 1, NULL), *twin = sheared_gas(nowhere, shear, 1, NULL);
    scree_stepper *stepper = soft_stepper(3e-5, 1, NULL), *second = soft_stepper(3e-5, 3, NULL);
    double tilt[3];
    for (int n = 0; n < 300; ++n) scene_step(stepper, world);
    restore_into(world, twin);
    for (int n = 0; n < 300; ++n) scene_step(stepper, world), scene_step(second, twin);
    scree_world_cell_tilt(world, tilt);
    assert_true(fabs(tilt[0]) > 0.1 && fabs(tilt[2]) > 0.1);
    assert_true(scree_world_hash(world) == scree_world_hash(twin));
    soft_finish(world, stepper), soft_finish(twin, second);
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
        cmocka_unit_test(a_lattice_is_compressed_as_its_cell_is),
        cmocka_unit_test(bodies_go_with_the_cell),
        cmocka_unit_test(a_cell_is_restored_with_its_size),
        cmocka_unit_test(a_cell_that_cannot_be_is_refused),
        cmocka_unit_test(a_free_body_goes_straight_through_a_sheared_cell),
        cmocka_unit_test(a_lattice_is_sheared_as_its_cell_is),
        cmocka_unit_test(a_sheared_cell_is_part_of_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
