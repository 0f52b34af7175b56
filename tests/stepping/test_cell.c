/* test_cell.c: periodic cells that shrink, grow or are sheared: lattices deform as their cell does, bodies that touch nothing go straight on, the
 * cell is part of the state, and what cannot be is refused. */
#include "near.h"
#include "periodic_world.h"
#include "world/world_private.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
