/* test_device.c: a bed whose steps the kernels of a device take, compiled for the processor (device_twin.c): the same bits as the engine on the
 * processor, whatever the lists, and through pours, removals, forcing and restarts in the other engine. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bed_outside.h"
#include "dem/cuda/device.h"
#include "dem/cuda/device_engine.h"

/// The twin; on a machine with a card its tests run with SCREE_TEST_DEVICE=gpu on that.
static const sphere_engine *device = &device_engine_twin;

static bed *device_make(grains *g)
{
    bed *b = NULL;
    scree_error error = {.text = ""};
    bed_grain *grain = calloc((size_t)g->def.count + 1, sizeof *grain);
    bed_def def = g->def;
    for (int i = 0; i < def.count; ++i) {
        bed_grain *to = &grain[i];
        to->id = i, to->material = g->material[i], to->radius = g->radius[i];
        to->inverse_mass = g->inverse_mass[i], to->inverse_inertia = g->inverse_inertia[i];
        memcpy(to->x, g->x + 3 * i, sizeof to->x), memcpy(to->v, g->v + 3 * i, sizeof to->v);
        memcpy(to->omega, g->omega + 3 * i, sizeof to->omega), memcpy(to->q, g->q + 4 * i, sizeof to->q);
    }
    def.grain = grain;
    if (device->create(&def, NULL, &b, &error) != SCREE_OK) fail_msg("create: %s", error.text);
    free(grain);
    return b;
}

static void device_advance(bed *b, int steps, bed_forcing *f)
{
    scree_error error = {.text = ""};
    if (device->advance(b, steps, f, &error) != SCREE_OK) fail_msg("advance: %s", error.text);
}

/// Steps in calls of different lengths, and looks in between. Returns how many contacts touch at the end.
static int expect_same(grains *g, int steps)
{
    bed *b = make(g, NULL), *d = device_make(g);
    for (int done = 0, now = 1; done < steps; done += now, now = 2 * now + 1) {
        now = now < steps - done ? now : steps - done;
        advance(b, now), device_advance(d, now, NULL);
        bed_survey of_b = bed_look_over(b), of_d = device->survey(d);
        assert_memory_equal(&of_b, &of_d, sizeof of_b);
    }
    const int touching = bed_count(b).touching;
    assert_same_state(b, device_engine_mirror(d));
    bed_destroy(b), device->destroy(d);
    return touching;
}

/// Laws, sizes and materials, a periodic axis, planes that move, with and without the ledger.
static void the_same_bits(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law)
        for (int kind = 0; kind < 2; ++kind)
            for (int sizes = 0; sizes < 2; ++sizes) {
                grains *g = grains_make(700, (bed_law)law, kind ? DEM_HERTZ : DEM_HOOKE, sizes ? 0.1 : 0.0, -0.01);
                g->def.ledger = kind != sizes;
                assert_true(expect_same(g, 500) > 100);
                free(g);
            }
}

/// Calls of one step each: lists are looked after between calls, too.
static void calls_of_one_step(void **state)
{
    (void)state;
    grains *g = grains_make(300, BED_TRACKED, DEM_HOOKE, 0.1, -0.01);
    bed *b = make(g, NULL), *d = device_make(g);
    advance(b, 600);
    for (int k = 0; k < 600; ++k) device_advance(d, 1, NULL);
    assert_true(device_engine_counts(d).rebuilds > 3);
    assert_same_state(b, device_engine_mirror(d));
    bed_destroy(b), device->destroy(d), free(g);
}

/// Radii from 1 to 10: several levels of lists.
static void sizes_of_one_to_ten(void **state)
{
    (void)state;
    grains *g = grains_make(600, BED_TRACKED, DEM_HOOKE, 0.1, -0.01);
    g->def.ledger = 1;
    for (int i = 0; i < 600; ++i) { /* a cube of small ones, and three large ones at its side */
        const double R = i % 200 == 50 ? 2.5 : i % 3 ? 0.255 : 0.3, m = 8.0 * R * R * R;
        for (int k = 0; k < 3; ++k) g->x[3 * i + k] *= k == 1 ? 1.0 : 0.5;
        g->radius[i] = R, g->inverse_mass[i] = 1.0 / m, g->inverse_inertia[i] = 2.5 / (m * R * R);
        if (i % 200 == 50) g->x[3 * i] = 7.0, g->x[3 * i + 1] = 4.0, g->x[3 * i + 2] = 2.6 + 5.1 * (i / 200.0);
    }
    g->def.high[1] = 40.0;
    g->def.step = 5e-5;
    assert_true(expect_same(g, 400) > 50);
    free(g);
}

/// Driven planes, a servo, and applied loads: their state too.
static void the_same_bits_under_forcing(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law) {
        grains *g = between_planes((bed_law)law);
        g->def.ledger = law;
        outside o[2];
        bed *b = make(g, NULL), *d = device_make(g);
        scree_error error = {.text = ""};
        for (int k = 0; k < 2; ++k) outside_make(&g->def, &o[k]), o[k].forcing.half = 1;
        bed_forcing_start(b, &o[0].forcing);
        bed_past past = {.forcing = &o[1].forcing};
        device->adopt(d, &past);
        for (int k = 0; k < 6; ++k) {
            assert_int_equal(bed_advance_forced(b, 100, &o[0].forcing, &error), SCREE_OK);
            device_advance(d, 100, &o[1].forcing);
        }
        double F[2][3], T[3];
        bed_plane_load(b, 1, F[0], T), bed_plane_load(device_engine_mirror(d), 1, F[1], T);
        assert_memory_equal(F[0], F[1], sizeof F[0]);
        assert_same_state(b, device_engine_mirror(d));
        assert_memory_equal(o[0].driven, o[1].driven, sizeof o[0].driven);
        assert_true(o[0].forcing.work == o[1].forcing.work && o[0].forcing.time == o[1].forcing.time);
        assert_true(fabs(o[0].driven[1].v[2]) > 0.0 && o[0].forcing.work != 0.0); /* else nothing was tested */
        bed_destroy(b), device->destroy(d), free(g);
    }
}

/// A load that is not finite refuses its step, which is not taken.
static void a_load_beyond_numbers_is_refused(void **state)
{
    (void)state;
    grains *g = between_planes(BED_SDS);
    double time[3] = {0.0, 50.5 * g->def.step, 50.6 * g->def.step},
           force[9] = {1, 0, 0, 1, 0, 0, (double)INFINITY, 0, 0};
    outside o;
    scree_error error = {.text = ""};
    outside_make(&g->def, &o);
    o.loaded[1].load.force = (forcing_table){3, 3, time, force};
    bed *d = device_make(g);
    bed_past past = {.forcing = &o.forcing};
    device->adopt(d, &past);
    assert_int_equal(device->advance(d, 100, &o.forcing, &error), SCREE_ERR_INPUT);
    assert_true(o.forcing.refused == o.loaded[1].id && o.forcing.step == 51);
    device->destroy(d), free(g);
}

static void a_runaway_is_named(void **state)
{
    (void)state;
    grains *g = one_grain(BED_SDS);
    scree_error error = {.text = ""};
    g->def.gravity[2] = -1e200;
    bed *d = device_make(g);
    assert_int_equal(device->advance(d, 100, NULL, &error), SCREE_ERR_RUNAWAY);
    assert_non_null(strstr(error.text, "sphere 0 left"));
    device->destroy(d), free(g);
}

/// Spheres come and leave between calls.
static void spheres_come_and_leave(void **state)
{
    (void)state;
    grains *g = grains_make(300, BED_TRACKED, DEM_HOOKE, 0.1, -0.01);
    bed *b = make(g, NULL), *d = device_make(g);
    double held[2];
    for (int k = 0; k < 5; ++k) {
        bed_grain more = {.id = 300 + k, .radius = 0.4, .inverse_mass = 1.0, .inverse_inertia = 10.0, .q = {1.0}};
        more.x[0] = more.x[1] = 1.0 + k, more.x[2] = 9.0;
        const int gone[2] = {7 * k + 2, 11 * k + 3};
        advance(b, 60), device_advance(d, 60, NULL);
        assert_int_equal(bed_remove(b, 2, gone, &held[0]), device->remove(d, 2, gone, &held[1]));
        assert_true(held[0] == held[1]);
        assert_int_equal(bed_add(b, &more), SCREE_OK);
        assert_int_equal(device->add(d, &more), SCREE_OK);
    }
    advance(b, 200), device_advance(d, 200, NULL);
    assert_same_state(b, device_engine_mirror(d));
    bed_destroy(b), device->destroy(d), free(g);
}

/// A run that changes the engine on the way, there and back.
static void a_run_changes_the_engine(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law) {
        grains *g = grains_make(300, (bed_law)law, DEM_HOOKE, 0.0, -0.01);
        bed *b = make(g, NULL), *d = device_make(g);
        advance(b, 450);
        device_advance(d, 150, NULL);
        advance(device_engine_mirror(d), 150); /* on the processor, which hands over again */
        device_advance(d, 150, NULL);
        assert_same_state(b, device_engine_mirror(d));
        bed_destroy(b), device->destroy(d), free(g);
    }
}

/// The largest weight of a contact, and whose it is, as bed_limit has it.
static void the_limit_is_that_of_the_bed(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law) {
        grains *g = grains_make(300, (bed_law)law, law ? DEM_HERTZ : DEM_HOOKE, 0.1, -0.01);
        bed *b = make(g, NULL), *d = device_make(g);
        dem_rate *sum[2] = {calloc(300, sizeof *sum[0]), calloc(300, sizeof *sum[1])};
        int pair[2][2] = {{-1000, -1000}, {-1000, -1000}};
        double of_d = 0.0;
        const double h = g->def.step, of_b = bed_limit(b, h, sum[0], pair[0]);
        assert_int_equal(device->limit(d, h, sum[1], pair[1], &of_d), SCREE_OK);
        assert_true(of_b > 0.0 && fabs(of_b - of_d) < 1e-13 * of_b); /* sums of some ten terms, in another order */
        assert_memory_equal(pair[0], pair[1], sizeof pair[0]);
        assert_true(fabs(sum[0][pair[0][0]].stiffness - sum[1][pair[0][0]].stiffness) <
                    1e-13 * sum[0][pair[0][0]].stiffness);
        free(sum[0]), free(sum[1]);
        bed_destroy(b), device->destroy(d), free(g);
    }
}

/// Whichever call to the device fails: an error that says so, from then on from every call, and no leak (sanitizers).
static void every_failing_call_is_an_error(void **state)
{
    (void)state;
    grains *g = grains_make(60, BED_SDS, DEM_HOOKE, 0.1, -0.01);
    int failed = 0, total = 0;
    for (int call = 1, goes_on = 1; goes_on; call += 1 + call / 4, ++total) {
        bed *d = device_make(g);
        scree_error error = {.text = ""}, again = {.text = ""};
        bed_motion to = grains_motion(g);
        device_engine_fail_at(d, call);
        scree_status status = device->advance(d, 100, NULL, &error);
        goes_on = status != SCREE_OK;
        if (goes_on) {
            failed += 1;
            assert_int_equal(status, SCREE_ERR_DEVICE);
            assert_non_null(strstr(error.text, "the device failed"));
            assert_int_equal(device->advance(d, 1, NULL, &again), SCREE_ERR_DEVICE);
            assert_int_equal(device->read(d, &to), SCREE_ERR_DEVICE);
        }
        device->destroy(d);
    }
    assert_true(failed > 15 && total == failed + 1);
    free(g);
}

/// What a grain of a settled bed costs: less than 800 bytes with all histories and rotations.
static void memory_of_a_grain(void **state)
{
    (void)state;
    grains *g = grains_make(20000, BED_TRACKED, DEM_HOOKE, 0.0, -0.01);
    bed *d = device_make(g);
    device_advance(d, 3, NULL);
    const double bytes = (double)device_engine_bytes(d) / 20000.0;
    print_message("%.0f bytes a grain\n", bytes);
    assert_true(bytes < 800.0);
    device->destroy(d), free(g);
}

int main(void)
{
    const char *on = getenv("SCREE_TEST_DEVICE");
    if (on && strcmp(on, "gpu") == 0) device = &device_engine_gpu;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_bits),
        cmocka_unit_test(calls_of_one_step),
        cmocka_unit_test(sizes_of_one_to_ten),
        cmocka_unit_test(the_same_bits_under_forcing),
        cmocka_unit_test(a_load_beyond_numbers_is_refused),
        cmocka_unit_test(a_runaway_is_named),
        cmocka_unit_test(spheres_come_and_leave),
        cmocka_unit_test(a_run_changes_the_engine),
        cmocka_unit_test(the_limit_is_that_of_the_bed),
        cmocka_unit_test(every_failing_call_is_an_error),
        cmocka_unit_test(memory_of_a_grain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
