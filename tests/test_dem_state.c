/* test_dem_state.c: the state of the scheme dem: threads, copies and restarts, memory; the bed against the general stages. */
#include "failing_allocator.h"
#include "near.h"
#include "soft_scene.h"
#include "world/world.h"

/* ---- state -------------------------------------------------------------------------------------------------------------------- */

static scree_world *soft_pile(int grains, double width, const scree_allocator *allocator)
{
    scree_material m = soft_rubber(0.5, 0.4, 0.5, 2e5, 1e5);
    m.friction.rolling = (scree_arm){0.02, 1}, m.friction.spinning = (scree_arm){0.01, 1};
    scree_world *world = soft_world(&m, 9.8, 0.0, allocator);
    scene_pile(world, grains, 0.1, 0.1, width, 3);
    return world;
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k) {
        scree_world *world =
            soft_block(SCREE_DEM_TRACKING, 8, 0.1995, 0, NULL); /* they overlap a little, from the start */
        scree_stepper *stepper = engine_stepper(0, k + 1);
        scree_step_report report;
        scree_error error;
        expect_ok(scree_advance(stepper, world, 60, &report, &error), &error);
        if (report.active < 600) fail_msg("only %d contacts", report.active);
        hash[k] = scree_world_hash(world);
        soft_finish(world, stepper);
    }
    assert_true(hash[1] == hash[0] && hash[2] == hash[0]);
}

/// What is written of a world and read into another is all that its future needs.
static void a_copied_state_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    scree_world *world = soft_pile(30, 0.7, NULL), *twin = soft_pile(30, 0.7, NULL);
    scree_stepper *stepper = soft_stepper(1e-4, 1, NULL), *other = soft_stepper(1e-4, 1, NULL);
    scree_error error;
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
    expect_ok(scree_advance(stepper, world, 500, NULL, &error), &error);
    expect_ok(scree_advance(other, twin, 500, NULL, &error), &error);
    assert_true(scree_world_hash(twin) == scree_world_hash(world));
    soft_finish(world, stepper);
    soft_finish(twin, other);
}

/* ---- the bed ------------------------------------------------------------------------------------------------------------------ */

/// Until chaos parts them the bed and the general stages move the same spheres the same way, and their ledgers tell the same story.
static void the_bed_agrees_with_the_general_stages(void **state)
{
    (void)state;
    if (SCREE_ONLY_THREADS) skip();
    static const struct {
        int model, periodic;
    } cases[] = {{SCREE_DEM_TRACKING, 0}, {SCREE_DEM_SDS, 0}, {SCREE_DEM_TRACKING, 1}};
    const int stride = SCREE_SAMPLE_SHARE > 1 ? 2 : 1;
    for (int n = 0; n < 3; n += stride) {
        double x[2][3 * 400], slide[2];
        int contacts[2], model = cases[n].model, periodic = cases[n].periodic;
        const double pitch = periodic ? 0.205 : 0.21;
        scree_world_options options = {.periodic = {periodic, periodic}, .high = {pitch * 6, pitch * 6}};
        for (int bed = 0; bed < 2; ++bed) {
            scree_world *world = soft_block(model, 6, pitch, periodic, NULL);
            scree_stepper *stepper = engine_stepper(bed, 1);
            scree_error error;
            scree_step_report report;
            expect_ok(scree_advance(stepper, world, 3000, &report, &error), &error);
            assert_int_equal(world->holder.engine != NULL, (bed));
            memcpy(x[bed], scree_world_positions(world), 3 * 216 * sizeof(double));
            contacts[bed] = report.active, slide[bed] = report.energy.slide;
            assert_true(fabs(report.energy.theta) < 0.05 * (report.energy.impact + report.energy.damping));
            soft_finish(world, stepper);
        }
        double worst = 0.0;
        for (int k = 0; k < 216; ++k) {
            double r[3];
            vec_sub(x[0] + 3 * k, x[1] + 3 * k, r);
            nearest_image(&options, r); /* the two bring spheres back at other moments */
            worst = fmax(worst, vec_norm(r));
        }
        print_message("model %d, periodic %d: bed and stages differ by %.2g m after 0.3 s, %d and %d contacts\n", model,
                      periodic, worst, contacts[0], contacts[1]);
        assert_true(worst < 1e-11 && contacts[0] > 100);
        within("contacts", contacts[1], contacts[0], 0.05);
        /* sds sets springs back by what the dashpot gives too much, which stores energy: its sliders may seem to gain */
        if (model == SCREE_DEM_TRACKING) within("slide", slide[1], slide[0], 0.01);
    }
}

/// Batches, threads and restarts change no bit; a body that no bed can have is met by the general stages with all memory there.
static void the_bed_keeps_the_promises_of_the_world(void **state)
{
    (void)state;
    for (int periodic = 0; periodic < 2; ++periodic) {
        uint64_t hash[3];
        scree_error error;
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
                scree_world_contact_force(world, 0, 1e-4, force, moment);
                within("the floor carries the weight, less what walls do", -force[2], weight, 0.1);
                uint64_t before = scree_world_hash(world);
                soft_body(world, scree_shape_box(0.1, 0.1, 0.1, 0), 1.0, (const double[3]){0.5, 0.5, 3.0}, NULL);
                assert_true(scree_world_hash(world) != before);
                expect_ok(scree_advance(stepper, world, 100, NULL, &error), &error);
                assert_null(world->holder.engine);
                double lean[3];
                scree_world_contact_force(world, 0, 1e-4, lean, moment);
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
    scree_error error;
    expect_ok(scree_advance(stepper, world, 15000, NULL, &error), &error);
    int made = f.made;
    expect_ok(scree_advance(stepper, world, 500, NULL, &error), &error);
    assert_int_equal(f.made, made);
    soft_finish(world, stepper);
    assert_int_equal(f.live, 0);
}

static void a_bed_refuses_a_step_beyond_the_critical_one(void **state)
{
    (void)state;
    scree_world *world = soft_block(SCREE_DEM_TRACKING, 6, 0.21, 0, NULL);
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_DEM, options.step = 0.1, options.engine = (1) ? SCREE_ENGINE_AUTO : SCREE_ENGINE_GENERAL;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    scree_error error = {.text = ""};
    assert_int_equal(scree_step(stepper, world, NULL, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "the step of 0.1 s is beyond the critical step of "));
    assert_true(scree_world_time(world) == 0.0);
    soft_finish(world, stepper);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_DEM, options.step = 1e-4;
    int failed = 0;
    for (int n = 0;; ++n) {
        failing f = {.left = -1};
        scree_allocator allocator = failing_allocator(&f);
        scree_material m = soft_rubber(0.5, 0.4, 0.5, 2e5, 1e5);
        scree_world *world = scene_world(9.8, 0.0, m.friction, SCREE_SPATIAL, &allocator); /* not soft yet */
        scree_error error = {.line = 0};
        expect_ok(scree_world_set_pair_dem(world, 0, 0, &m.dem, &error), &error);
        scene_floor(world);
        for (int k = 0; k < 4; ++k) scene_sphere(world, 0.1, 1.0, 0.19 * k, 0.0, 0.0999);
        scree_stepper *stepper = NULL;
        f.left = n;
        scree_status status = scree_stepper_create(&options, &allocator, &stepper, &error);
        if (!status) status = scree_stepper_check(stepper, world, NULL, &error);
        for (int k = 0; k < 3 && !status; ++k) status = scree_step(stepper, world, NULL, &error);
        if (status) {
            assert_int_equal(status, SCREE_ERR_MEMORY);
            assert_true(strstr(error.text, "memory") != NULL);
            failed += 1, f.left = -1;
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
        cmocka_unit_test(the_bed_keeps_the_promises_of_the_world),
        cmocka_unit_test(step_allocates_nothing_once_warm),
        cmocka_unit_test(a_bed_refuses_a_step_beyond_the_critical_one),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
