/* test_dem_state.c: the state of the scheme dem: threads, copies and restarts, memory; the bed against the general stages. */
#include "failing_allocator.h"
#include "near.h"
#include "soft_scene.h"
#include "world/world_private.h"

/* ---- state -------------------------------------------------------------------------------------------------------------------- */

static scree_world *soft_pile(int grains, double width, const scree_allocator *allocator)
{
    scree_material m = soft_rubber(0.5, 0.4, 0.5, 2e5, 1e5);
    m.friction.rolling = (scree_friction_length){0.02, 1}, m.friction.spinning = (scree_friction_length){0.01, 1};
    scree_world *world = soft_world(&m, 9.8, 0.0, allocator);
    scene_pile(world, grains, 0.1, 0.1, width, 3);
    return world;
}

/// Every array that a future depends on, byte by byte: what the hash might leave out too.
static void expect_same_fields(scree_world *one, scree_world *other)
{
    world_field a[WORLD_FIELDS_MAX], b[WORLD_FIELDS_MAX];
    expect_ok(scree_world_read(one, SCREE_READ_MOTION | SCREE_READ_CONTACTS, NULL, NULL), NULL);
    expect_ok(scree_world_read(other, SCREE_READ_MOTION | SCREE_READ_CONTACTS, NULL, NULL), NULL);
    int fields = world_fields(one, a);
    assert_int_equal(world_fields(other, b), fields);
    assert_true(scree_world_time(one) == scree_world_time(other));
    assert_true(scree_world_step_count(one) == scree_world_step_count(other));
    for (int f = 0; f < fields; ++f) {
        assert_int_equal(a[f].count, b[f].count);
        for (int k = 0; k < a[f].count; ++k)
            if (memcmp((char *)a[f].data + (size_t)k * a[f].stride, (char *)b[f].data + (size_t)k * b[f].stride,
                       world_field_bytes(&a[f])) != 0)
                fail_msg("%s of %d differs", a[f].name, k);
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    uint64_t hash[3];
    scree_world *first = NULL;
    for (int k = 0; k < 3; ++k) {
        scree_world *world =
            soft_block(SCREE_DEM_TRACKING, 8, 0.1995, 0, NULL); /* they overlap a little, from the start */
        scree_stepper *stepper = engine_stepper(0, k + 1);
        scree_step_report report;
        scree_error error = {0};
        expect_ok(scree_advance(stepper, world, 60, &report, &error), &error);
        if (report.active < 600) fail_msg("only %d contacts", report.active);
        hash[k] = scree_world_hash(world);
        scree_stepper_destroy(stepper);
        if (k == 0) first = world;
        else expect_same_fields(first, world), scree_world_destroy(world);
    }
    scree_world_destroy(first);
    assert_true(hash[1] == hash[0] && hash[2] == hash[0]);
}

/// What is written of a world and read into another is all that its future needs.
static void a_copied_state_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    scree_world *world = soft_pile(30, 0.7, NULL), *twin = soft_pile(30, 0.7, NULL);
    scree_stepper *stepper = soft_stepper(1e-4, 1, NULL), *other = soft_stepper(1e-4, 1, NULL);
    scree_error error = {0};
    expect_ok(scree_advance(stepper, world, 5000, NULL, &error), &error);
    int32_t count[WORLD_COUNTS];
    world_field from[WORLD_FIELDS_MAX], to[WORLD_FIELDS_MAX];
    world_counts(world, count);
    expect_ok(world_restore_begin(twin, count, &error), &error);
    int fields = world_fields(world, from);
    assert_int_equal(world_fields(twin, to), fields);
    for (int f = 0; f < fields; ++f)
        for (int k = 0; k < from[f].count; ++k)
            memcpy((char *)to[f].data + (size_t)k * to[f].stride, (char *)from[f].data + (size_t)k * from[f].stride,
                   world_field_bytes(&from[f]));
    expect_ok(world_restore_end(twin, &error), &error);
    assert_true(scree_world_hash(twin) == scree_world_hash(world));
    expect_same_fields(world, twin);
    expect_ok(scree_advance(stepper, world, 500, NULL, &error), &error);
    expect_ok(scree_advance(other, twin, 500, NULL, &error), &error);
    assert_true(scree_world_hash(twin) == scree_world_hash(world));
    expect_same_fields(world, twin);
    soft_finish(world, stepper);
    soft_finish(twin, other);
}

/* ---- the bed ------------------------------------------------------------------------------------------------------------------ */

/// Of motion and of every contact: how far two worlds are apart, in units of R = 0.1 m, 1 m/s and the load that holds a sphere of 1 kg.
typedef struct apart {
    double x, q, v, omega, load;
} apart;

static double largest_of(const double *a, const double *b, int n)
{
    double worst = 0.0;
    for (int k = 0; k < n; ++k) worst = fmax(worst, fabs(a[k] - b[k]));
    return worst;
}

/// The load of a contact as vectors, since its tangent is chosen anew where a contact begins.
static void load_vectors(const scree_contact_point *t, double out[9])
{
    double t2[3];
    vec_cross(t->normal, t->tangent, t2);
    for (int i = 0; i < 3; ++i) {
        out[i] = t->impulse[0] * t->normal[i] + t->impulse[1] * t->tangent[i] + t->impulse[2] * t2[i];
        out[3 + i] = t->impulse[5] * t->normal[i] + t->impulse[3] * t->tangent[i] + t->impulse[4] * t2[i];
        out[6 + i] = t->roll_a[0] * t->tangent[i] + t->roll_a[1] * t2[i];
    }
}

/// Contacts that carry are the same pairs in the same order. A pair just within reach may be listed in one only.
static void compare_contacts(const scree_world *one, const scree_world *other, double h, apart *d)
{
    const scree_contact_point *a = scree_world_contacts(one), *b = scree_world_contacts(other);
    int n = scree_world_contact_count(one), m = scree_world_contact_count(other), k = 0, l = 0;
    for (;; ++k, ++l) {
        double load_a[9], load_b[9];
        while (k < n && !(a[k].gap < -1e-9)) ++k;
        while (l < m && !(b[l].gap < -1e-9)) ++l;
        if (k == n || l == m) break;
        assert_true(a[k].shape_a == b[l].shape_a && a[k].shape_b == b[l].shape_b);
        load_vectors(&a[k], load_a), load_vectors(&b[l], load_b);
        d->load = fmax(d->load, largest_of(load_a, load_b, 9) / (9.8 * h));
    }
    assert_true(k == n && l == m);
}

/// Until chaos parts them the bed and the general stages move the same spheres the same way, and their ledgers tell the same story: places,
/// rotations, velocities and the loads of all contacts.
static void the_bed_agrees_with_the_general_stages(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    static const struct {
        int model, periodic;
    } cases[] = {{SCREE_DEM_TRACKING, 0}, {SCREE_DEM_SDS, 0}, {SCREE_DEM_TRACKING, 1}};
    const int stride = SCREE_SAMPLE_SHARE > 1 ? 2 : 1;
    for (int n = 0; n < 3; n += stride) {
        scree_world *world[2];
        scree_stepper *stepper[2];
        scree_step_report report[2];
        const int model = cases[n].model, periodic = cases[n].periodic;
        apart d = {0.0, 0.0, 0.0, 0.0, 0.0};
        for (int bed = 0; bed < 2; ++bed) {
            scree_error error = {0};
            world[bed] = soft_block(model, 6, periodic ? 0.205 : 0.21, periodic, NULL);
            stepper[bed] = engine_stepper(bed, 1);
            expect_ok(scree_advance(stepper[bed], world[bed], 3000, &report[bed], &error), &error);
            assert_int_equal(world[bed]->holder.engine != NULL, (bed));
            const scree_ledger *e = &report[bed].energy;
            assert_true(fabs(e->balance) < 0.02 * (e->impact + e->damping));
        }
        const int bodies = scree_world_body_count(world[0]);
        assert_int_equal(bodies, 216 + (periodic ? 1 : 5));
        for (int k = 0; k < bodies; ++k) {
            double r[3];
            vec_sub(scree_world_positions(world[0]) + 3 * k, scree_world_positions(world[1]) + 3 * k, r);
            nearest_image(&world[0]->options, r); /* the two bring spheres back at other moments */
            d.x = fmax(d.x, vec_norm(r));
        }
        d.q = largest_of(scree_world_rotations(world[0]), scree_world_rotations(world[1]), 4 * bodies);
        d.v = largest_of(scree_world_velocities(world[0]), scree_world_velocities(world[1]), 3 * bodies);
        d.omega =
            largest_of(scree_world_angular_velocities(world[0]), scree_world_angular_velocities(world[1]), 3 * bodies);
        scene_step(stepper[0], world[0]); /* the contacts of a general step are of its begin, those of the bed of now */
        compare_contacts(world[0], world[1], 1e-4, &d);
        const int contacts[2] = {report[0].active, report[1].active};
        const double slide[2] = {report[0].energy.slide, report[1].energy.slide};
        print_message(
            "model %d, periodic %d: bed and stages differ by %.2g m, %.2g in rotations, %.2g m/s, %.2g rad/s and "
            "%.2g of a weight after 0.3 s, %d and %d contacts\n",
            model, periodic, d.x, d.q, d.v, d.omega, d.load, contacts[0], contacts[1]);
        assert_true(d.x < 1e-11 && contacts[0] > 100);
        assert_true(d.q < 1e-9 && d.v < 1e-9 && d.omega < 1e-9 && d.load < 1e-9);
        assert_int_equal(contacts[1], contacts[0]);
        within("slide", slide[1], slide[0], 1e-9);
        for (int bed = 0; bed < 2; ++bed) soft_finish(world[bed], stepper[bed]);
    }
}

/// A plane that came after the spheres is B of its contacts: what acts on B and on A changes places, and nothing else.
static void planes_may_come_after_the_spheres(void **state)
{
    (void)state;
    for (int model = SCREE_DEM_TRACKING; model <= SCREE_DEM_SDS; model += SCREE_DEM_SDS - SCREE_DEM_TRACKING)
        for (int first = 0; first < 2; ++first) {
            apart d = {0.0, 0.0, 0.0, 0.0, 0.0};
            scree_world *world[2];
            scree_stepper *stepper[2];
            for (int bed = 0; bed < 2; ++bed) {
                scree_material m = soft_rubber(0.5, 0.4, 0.5, 2e5, 1e5);
                scree_error error = {0};
                m.friction.rolling = (scree_friction_length){0.02, 1},
                m.friction.spinning = (scree_friction_length){0.01, 1};
                m.soft.model = model;
                m.soft.sds_stiffness = 5e4;
                m.soft.spin_stiffness = 50.0;
                world[bed] = soft_world(&m, 9.8, 0.0, NULL), stepper[bed] = engine_stepper(bed, 1);
                if (first) scene_floor(world[bed]);
                int ball = scene_sphere(world[bed], 0.1, 1.0, 0.0, 0.0, 0.0999);
                scene_move(world[bed], ball, (const double[3]){1.0, 0.5, 0.0}, (const double[3]){-2.0, 9.0, 5.0});
                if (!first) scene_floor(world[bed]);
                expect_ok(scree_advance(stepper[bed], world[bed], 1000, NULL, &error), &error);
                assert_int_equal(world[bed]->holder.engine != NULL, (bed));
            }
            scene_step(stepper[0], world[0]); /* as in the test before */
            compare_contacts(world[0], world[1], 1e-4, &d);
            const scree_contact_point *t = scree_world_contacts(world[1]);
            assert_int_equal(scree_world_contact_count(world[1]), 1);
            assert_true(scree_world_body_kind(world[1], scree_body_at(first ? t->body_a : t->body_b)) ==
                        SCREE_BODY_FIXED);
            const double *on_ball = first ? t->impulse + 3 : t->roll_a, *on_floor = first ? t->roll_a : t->impulse + 3;
            print_message("model %d, floor %s: %.2g of a weight; rolling moments %.3g and %.3g N m s\n", model,
                          first ? "first" : "last", d.load, hypot(on_ball[0], on_ball[1]),
                          hypot(on_floor[0], on_floor[1]));
            assert_true(d.load < 1e-9);
            assert_true(hypot(on_ball[0], on_ball[1]) > 1e-6);
            if (model == SCREE_DEM_TRACKING) assert_true(on_floor[0] == 0.0 && on_floor[1] == 0.0);
            for (int bed = 0; bed < 2; ++bed) soft_finish(world[bed], stepper[bed]);
        }
}

/// Batches, threads and restarts change no bit; a body that no bed can have is met by the general stages with all memory there.
static void the_bed_keeps_the_promises_of_the_world(void **state)
{
    (void)state;
    for (int periodic = 0; periodic < 2; ++periodic) {
        uint64_t hash[3];
        scree_error error = {0};
        for (int k = 0; k < 3; ++k) {
            scree_world *world = soft_block(SCREE_DEM_TRACKING, 6, 0.21, periodic, NULL);
            scree_stepper *stepper = engine_stepper(1, k + 1);
            for (int part = 0; part < 10; ++part) {
                expect_ok(scree_advance(stepper, world, k == 1 ? 1 : 100, NULL, &error), &error);
                if (k == 1) expect_ok(scree_advance(stepper, world, 99, NULL, &error), &error);
                if (k == 2 && part == 5)
                    scree_stepper_destroy(stepper), stepper = engine_stepper(1, 2); /* from the state */
            }
            hash[k] = scree_world_hash(world);
            assert_true(scree_world_contact_count(world) > 50 && scree_world_step_count(world) == 1000);
            double force[3], moment[3], weight = 216.0 * 9.8;
            if (k == 0 && !periodic) {
                expect_ok(scree_advance(stepper, world, 15000, NULL, &error), &error);
                scree_world_contact_force(world, scree_body_at(0), force, moment);
                within("the floor carries the weight, less what walls do", -force[2], weight, 0.1);
                uint64_t before = scree_world_hash(world);
                soft_body(world, scree_shape_box(0.1, 0.1, 0.1, scree_material_at(0)), 1.0,
                          (const double[3]){0.5, 0.5, 3.0}, NULL);
                assert_true(scree_world_hash(world) != before);
                expect_ok(scree_advance(stepper, world, 100, NULL, &error), &error);
                assert_null(world->holder.engine);
                double lean[3];
                scree_world_contact_force(world, scree_body_at(0), lean, moment);
                near("friction on the floor goes on", lean[0], force[0], 0.05 * weight);
                assert_true(scree_world_contacts(world)->age >= 99);
            }
            soft_finish(world, stepper);
        }
        assert_true(hash[1] == hash[0] && hash[2] == hash[0]);
    }
}

static void step_allocates_nothing_once_warm(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    failing f = {.left = -1};
    scree_allocator allocator = failing_allocator(&f);
    scree_world *world = soft_pile(30, 0.7, &allocator);
    scree_stepper *stepper = soft_stepper(1e-4, 1, &allocator);
    scree_error error = {0};
    expect_ok(scree_advance(stepper, world, 15000, NULL, &error), &error);
    int made = f.made;
    expect_ok(scree_advance(stepper, world, 500, NULL, &error), &error);
    assert_int_equal(f.made, made);
    soft_finish(world, stepper);
    assert_int_equal(f.live, 0);
}

/// A world that was not made for soft contacts gets their history with the first step; its options stay those of the caller.
static void history_comes_with_the_first_step(void **state)
{
    (void)state;
    for (int bed = 0; bed < 2; ++bed) {
        scree_world_options options = scree_world_options_default();
        scree_material m = soft_rubber(0.5, 0.4, 0.5, 2e5, 1e5);
        scree_world *world;
        scree_error error = {0};
        world = scree_world_create(&options, &error);
        expect_ok(error.status, &error);
        scree_world_add_material(world, &m, &error);
        expect_ok(error.status, &error);
        scene_floor(world);
        scene_sphere(world, 0.1, 1.0, 0.0, 0.0, 0.0999);
        scree_stepper *stepper = engine_stepper(bed, 1);
        assert_false(world->history);
        scene_step(stepper, world);
        assert_true(world->history);
        assert_int_equal(world->options.soft, 0);
        soft_finish(world, stepper);
    }
}

static void a_bed_refuses_a_step_beyond_the_critical_one(void **state)
{
    (void)state;
    scree_world *world = soft_block(SCREE_DEM_TRACKING, 6, 0.21, 0, NULL);
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_DEM, options.step = 0.1,
    options.engine = (1) ? SCREE_ENGINE_AUTO : SCREE_ENGINE_GENERAL;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    scree_error error = {.text = ""};
    assert_int_equal(scree_step(stepper, world, &error), SCREE_ERR_STEP);
    assert_non_null(strstr(error.text, "the step of 0.1 s is beyond the critical step of "));
    assert_true(scree_world_time(world) == 0.0);
    soft_finish(world, stepper);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_DEM, options.step = 1e-4;
    int failed = 0;
    for (int n = 0;; ++n) {
        failing f = {.left = -1};
        scree_allocator allocator = failing_allocator(&f);
        scree_material m = soft_rubber(0.5, 0.4, 0.5, 2e5, 1e5);
        scree_world *world = scene_world(9.8, 0.0, m.friction, SCREE_PLANAR_NONE, &allocator); /* not soft yet */
        scree_error error = {.line = 0};
        expect_ok(scree_world_set_pair_dem(world, scree_material_at(0), scree_material_at(0), &m.soft, &error), &error);
        scene_floor(world);
        for (int k = 0; k < 4; ++k) scene_sphere(world, 0.1, 1.0, 0.19 * k, 0.0, 0.0999);
        f.left = n, options.allocator = &allocator;
        scree_stepper *stepper = scree_stepper_create(&options, &error);
        scree_stepper_check(stepper, world, NULL, &error);
        for (int k = 0; k < 3; ++k) scree_step(stepper, world, &error);
        scree_status status = error.status;
        if (status) {
            assert_int_equal(status, SCREE_ERR_MEMORY);
            assert_true(strstr(error.text, "memory") != NULL);
            failed += 1, f.left = -1, error = (scree_error){0};
            if (stepper) expect_ok(scree_advance(stepper, world, 3, NULL, &error), &error);
        }
        soft_finish(world, stepper);
        assert_int_equal(f.live, 0);
        if (!status) break;
    }
    assert_true(failed >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_copied_state_goes_on_with_the_same_bits),
        cmocka_unit_test(the_bed_agrees_with_the_general_stages),
        cmocka_unit_test(planes_may_come_after_the_spheres),
        cmocka_unit_test(the_bed_keeps_the_promises_of_the_world),
        cmocka_unit_test(step_allocates_nothing_once_warm),
        cmocka_unit_test(history_comes_with_the_first_step),
        cmocka_unit_test(a_bed_refuses_a_step_beyond_the_critical_one),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
