/* bed_scenario.h: a world of soft spheres run by the fast engine: the same bits however it is run, and beside its slow twin, the stages
 * for any shape. */
#ifndef SCREE_TESTS_BED_SCENARIO_H
#define SCREE_TESTS_BED_SCENARIO_H

#include "base/hash.h"
#include "near.h"
#include "soft_scene.h"
#include "world/world_private.h"

/// A scene, and what happens to it between steps. Part k of a run is 100 steps.
typedef struct scenario {
    scree_world *(*make)(const scree_allocator *allocator);
    void (*before)(scree_world *world, int part); /* or NULL */
    int parts;
    int least; /* contacts at the end, in the twin */
} scenario;

static inline void run_part(const scenario *s, scree_stepper *stepper, scree_world *world, int part, int singly,
                            scree_step_report *report)
{
    scree_error error = {.text = ""};
    if (s->before) s->before(world, part);
    if (singly) expect_ok(scree_step(stepper, world, &error), &error);
    expect_ok(scree_advance(stepper, world, singly ? 99 : 100, report, &error), &error);
}

/// Batches, threads and restarts, before and after an event, change no bit. Also what the totals say.
static inline void expect_one_hash(const scenario *s)
{
    uint64_t hash[3], energy[3];
    for (int k = 0; k < 3; ++k) {
        scree_world *world = s->make(NULL);
        scree_stepper *stepper = engine_stepper(1, k + 1);
        for (int part = 0; part < s->parts; ++part) {
            scree_step_report report;
            run_part(s, stepper, world, part, k == 1, part + 1 < s->parts ? NULL : &report);
            if (k == 2 && part + 1 < s->parts)
                scree_stepper_destroy(stepper), stepper = engine_stepper(1, 2); /* goes on from the state */
        }
        assert_non_null(world->holder.engine);
        assert_true(scree_world_contact_count(world) > s->least / 2);
        hash[k] = scree_world_hash(world),
        energy[k] = hash_bytes(0, &scree_stepper_totals(stepper)->energy, sizeof(scree_ledger));
        soft_finish(world, stepper);
    }
    assert_true(hash[1] == hash[0] && hash[2] == hash[0]);
    assert_true(energy[1] == energy[0] && energy[2] == energy[0]);
}

typedef struct outcome {
    double *x; /* (bodies x 3) */
    int bodies, contacts;
    scree_ledger energy; /* of the run */
} outcome;

static inline outcome outcome_of(const scenario *s, int bed)
{
    scree_world *world = s->make(NULL);
    scree_stepper *stepper = engine_stepper(bed, 1);
    scree_step_report report;
    for (int part = 0; part < s->parts; ++part) run_part(s, stepper, world, part, 0, &report);
    assert_int_equal(world->holder.engine != NULL, (bed));
    outcome o = {.bodies = scree_world_body_count(world), .contacts = report.active};
    o.x = malloc(3 * (size_t)o.bodies * sizeof *o.x);
    memcpy(o.x, scree_world_positions(world), 3 * (size_t)o.bodies * sizeof *o.x);
    o.energy = scree_stepper_totals(stepper)->energy;
    soft_finish(world, stepper);
    return o;
}

/// The bed (first) against the general stages: places within `tolerance` [m]. The outcomes are the caller's to judge.
static inline void expect_the_twin(const scenario *s, const char *what, double tolerance, outcome out[2])
{
    double worst = 0.0;
    for (int bed = 0; bed < 2; ++bed) out[!bed] = outcome_of(s, bed);
    assert_int_equal(out[0].bodies, out[1].bodies);
    for (int k = 0; k < 3 * out[0].bodies; ++k) worst = fmax(worst, fabs(out[0].x[k] - out[1].x[k]));
    print_message("%s: bed and stages differ by %.2g m, %d and %d contacts\n", what, worst, out[0].contacts,
                  out[1].contacts);
    assert_true(worst < tolerance && out[1].contacts > s->least);
    assert_int_equal(out[0].contacts, out[1].contacts);
    for (int bed = 0; bed < 2; ++bed) free(out[bed].x);
}

#define LINE_ALIKE(name, sign, text) near(#name, out[0].energy.name, out[1].energy.name, share *scale);

/// All lines of two ledgers, to a share of what dashpots and sliders took; and what no line explains, beside that.
static inline void expect_ledger(const outcome out[2], double share)
{
    const scree_ledger *e = &out[1].energy;
    const double scale = e->impact + e->damping + fabs(e->slide) + fabs(e->roll) + fabs(e->spin);
    for (int k = 0; k < 2; ++k)
        assert_true(fabs(out[k].energy.balance) < 0.02 * (out[k].energy.impact + out[k].energy.damping));
    SCREE_LEDGER_LINES(LINE_ALIKE)
    LINE_ALIKE(balance, 1, "")
}

#endif
