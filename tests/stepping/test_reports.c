/* test_reports.c: what calls report does not depend on how steps are cut into calls, stages are told by their seconds, and worlds that take
 * turns on one stepper are each as if alone; rigid contacts, soft ones by the general stages, and the engine for spheres. */
#include "base/clock.h"
#include "near.h"
#include "soft_scene.h"

enum { KINDS = 4 }; /* of scheme_stepper */

static scree_world *small_world(int kind, int grains)
{
    scree_material m = soft_rubber(0.5, 0.4, 0.5, 2e5, 1e5);
    m.friction.rolling = (scree_friction_length){0.02, 1}, m.friction.spinning = (scree_friction_length){0.01, 1};
    scree_world *world =
        kind < 2 ? scene_world(9.81, 0.0, m.friction, SCREE_PLANAR_NONE, NULL) : soft_world(&m, 9.81, 0.0, NULL);
    scene_pile(world, grains, 0.1, 0.1, 0.7, 3);
    return world;
}

static int steps_of(int kind)
{
    return kind < 2 ? 500 : 5000; /* 0.5 s: they have met the floor and each other */
}

/// Of lines that are summed; kinetic and potential energy are those at the end.
static void expect_sum(const scree_ledger *one, const scree_ledger *a, const scree_ledger *b)
{
    const double size = ledger_size(one);
#define EXPECT(name, sign, text) near(#name, a->name + b->name, one->name, 1e-12 * size);
    SCREE_LEDGER_LINES(EXPECT)
#undef EXPECT
    near("kinetic", b->kinetic, one->kinetic, 1e-12 * size);
    near("potential", b->potential, one->potential, 1e-12 * size);
}

static void the_report_of_one_call_is_the_sum_of_two(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        const int steps = steps_of(kind);
        scree_world *whole = small_world(kind, 60), *halves = small_world(kind, 60);
        scree_stepper *one = scheme_stepper(kind), *two = scheme_stepper(kind);
        scree_step_report all, first, last;
        scree_error error = {0};
        expect_ok(scree_advance(one, whole, steps, &all, &error), &error);
        expect_ok(scree_advance(two, halves, steps / 3, &first, &error), &error);
        expect_ok(scree_advance(two, halves, steps - steps / 3, &last, &error), &error);
        assert_true(scree_world_hash(whole) == scree_world_hash(halves));
        print_message("kind %d: %d contacts, %g J by sliding, %g J by impacts\n", kind, all.contacts, all.energy.slide,
                      all.energy.impact);
        assert_true(fabs(all.energy.slide) > 0.1 && all.energy.impact > 1.0 && all.contacts > 0);
        expect_sum(&all.energy, &first.energy, &last.energy);
        assert_true(all.step == last.step && all.step == steps && all.time == last.time && all.h == last.h);
        assert_true(all.bodies == last.bodies && all.contacts == last.contacts && all.active == last.active);
        assert_memory_equal(all.modes, last.modes, sizeof all.modes);
        assert_int_equal(all.solve.iterations, kind < 2 ? first.solve.iterations + last.solve.iterations : 0);
        assert_int_equal(all.unconverged, first.unconverged + last.unconverged);
        assert_int_equal(all.retries, first.retries + last.retries);
        if (kind != 3) assert_true(all.penetration == fmax(first.penetration, last.penetration));
        const scree_run_totals *t = scree_stepper_totals(one), *u = scree_stepper_totals(two);
        const scree_ledger none = {.kinetic = 0.0};
        assert_true(t->steps == steps && u->steps == steps && t->iterations == u->iterations);
        expect_sum(&t->energy, &none, &u->energy);
        expect_sum(&t->energy, &none, &all.energy);
        soft_finish(whole, one), soft_finish(halves, two);
    }
}

/// The clock of the caller, around calls of several steps. A quarter for what is between the stages: of a step of 100 us some microseconds.
static void seconds_of_the_stages_sum_to_the_total(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        scree_world *world = small_world(kind, 200);
        scree_stepper *stepper = scheme_stepper(kind);
        scree_step_report r;
        scree_error error = {0};
        double total = 0.0, sum = 0.0;
        for (int call = 0; call < 3; ++call) {
            double begin = clock_seconds();
            expect_ok(scree_advance(stepper, world, steps_of(kind) / 3, &r, &error), &error);
            total += clock_seconds() - begin;
            sum += r.seconds_detect + r.seconds_assemble + r.seconds_solve + r.seconds_update;
            assert_true(r.seconds_detect > 0.0 && r.seconds_solve > 0.0 && r.seconds_update > 0.0);
        }
        const scree_run_totals *t = scree_stepper_totals(stepper);
        print_message("kind %d: stages %.4g s of %.4g s\n", kind, sum, total);
        assert_true(sum > 0.75 * total && sum <= total);
        within("totals", t->seconds_detect + t->seconds_assemble + t->seconds_solve + t->seconds_update, sum, 1e-9);
        soft_finish(world, stepper);
    }
}

/// Step by step in turn, with different numbers of bodies: neither sees the other.
static void worlds_may_take_turns_on_one_stepper(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        scree_world *world[2] = {small_world(kind, 60), small_world(kind, 25)};
        scree_stepper *both = scheme_stepper(kind);
        scree_error error = {0};
        for (int k = 0; k < steps_of(kind); ++k)
            for (int w = 0; w < 2; ++w) expect_ok(scree_step(both, world[w], &error), &error);
        for (int w = 0; w < 2; ++w) {
            scree_world *alone = small_world(kind, w ? 25 : 60);
            scree_stepper *own = scheme_stepper(kind);
            expect_ok(scree_advance(own, alone, steps_of(kind), NULL, &error), &error);
            assert_true(scree_world_contact_count(alone) > 0);
            assert_true(scree_world_hash(alone) == scree_world_hash(world[w]));
            soft_finish(alone, own);
            scree_world_destroy(world[w]);
        }
        scree_stepper_destroy(both);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_of_one_call_is_the_sum_of_two),
        cmocka_unit_test(seconds_of_the_stages_sum_to_the_total),
        cmocka_unit_test(worlds_may_take_turns_on_one_stepper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
