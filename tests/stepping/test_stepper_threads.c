/* test_stepper_threads.c: the number of threads changes no bit, and neither does a look at the problems. */
#include "stepper_scene.h"
#include "try.h"

enum { SWEEPS = 50 }; /* not enough: what is not solved has the same bits too */

static uint64_t run(scree_scheme scheme, scree_law law, int threads, int steps, int sweeps,
                    void (*hook)(const scree_problem *, const double *, int64_t, void *), void *context)
{
    scree_friction friction = {.mu = 0.5, .rolling = {0.1, 1}, .spinning = {0.1, 1}, .restitution = 0.2};
    scree_world *world = scene_world(9.81, 0.0, friction, SCREE_PLANAR_NONE, NULL);
    scree_stepper_options options = scree_stepper_options_default();
    scene_pile(world, 700, 0.1, 0.1, 2.7, 3); /* more than one chunk of bodies and of contacts */
    options.scheme = scheme, options.law = law, options.threads = threads;
    options.solver.max_iterations = sweeps, options.problem_hook = hook, options.context = context;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    int contacts = 0;
    for (int k = 0; k < steps; ++k) contacts = scene_step(stepper, world).contacts;
    assert_true(steps < 150 || contacts > 600);
    uint64_t hash = scree_world_hash(world);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
    return hash;
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    const int steps =
        SCREE_SAMPLE_SHARE > 1 ? 80 : 200; /* ThreadSanitizer is slow; contacts are there from step 30 on */
    uint64_t one = run(SCREE_SCHEME_ANITESCU_TASORA, SCREE_LAW_COULOMB, 1, steps, SWEEPS, NULL, NULL);
    for (int threads = 2; threads <= 4; ++threads)
        assert_true(run(SCREE_SCHEME_ANITESCU_TASORA, SCREE_LAW_COULOMB, threads, steps, SWEEPS, NULL, NULL) == one);
    one = run(SCREE_SCHEME_MOREAU_JEAN, SCREE_LAW_CONVEX, 1, 60, SWEEPS, NULL, NULL);
    assert_true(run(SCREE_SCHEME_MOREAU_JEAN, SCREE_LAW_CONVEX, 3, 60, SWEEPS, NULL, NULL) == one);
}

typedef struct look {
    int count;
    int64_t step;
    double cone, residual;   /* worst of all problems                                              */
    double closing, opening; /* [m/s] fastest: of any contact, and of one that carries a load       */
} look;

/// Contacts do not close, and what carries opens no more than that: y_N >= 0, p_N y_N = 0. `y` = W p + q as scree_problem_apply has it.
static void judge_contacts(const scree_problem *problem, const double *p, const double *y, look *l)
{
    double mean = 0.0;
    for (int c = 0; c < problem->contact_count; ++c) mean += p[problem->offset[c]] / problem->contact_count;
    for (int c = 0; c < problem->contact_count; ++c) {
        double p_N = p[problem->offset[c]], y_N = y[problem->offset[c]];
        l->closing = fmax(l->closing, -y_N);
        if (p_N > 0.1 * mean) l->opening = fmax(l->opening, y_N);
    }
}

/// The problem shown is in SI and its solution solves it: y = W p + q anew, and the law of each contact from (p, y).
static void look_at(const scree_problem *problem, const double *p, int64_t step, void *context)
{
    look *l = context;
    scree_certificate certificate;
    double *y = calloc((size_t)problem->row_count, sizeof *y);
    try_problem_certify(problem, p, y, &certificate);
    l->count += 1;
    assert_true(step > l->step); /* steps without a contact have no problem */
    l->step = step;
    l->cone = fmax(l->cone, certificate.cone_violation);
    scree_problem_apply(problem, p, y, NULL);
    for (int i = 0; i < problem->row_count; ++i) y[i] += problem->q[i];
    judge_contacts(problem, p, y, l);
    l->residual = fmax(l->residual, certificate.residual);
    free(y);
}

static void looking_at_the_problems_changes_no_bit(void **state)
{
    (void)state;
    look l = {.count = 0};
    uint64_t blind = run(SCREE_SCHEME_ANITESCU_TASORA, SCREE_LAW_COULOMB, 1, 60, 2000, NULL, NULL);
    assert_true(run(SCREE_SCHEME_ANITESCU_TASORA, SCREE_LAW_COULOMB, 1, 60, 2000, look_at, &l) == blind);
    assert_true(l.count > 20 && l.step == 60);
    print_message("%d problems: closing %.2g m/s, opening %.2g m/s, cone %.2g, residual %.2g\n", l.count, l.closing,
                  l.opening, l.cone, l.residual);
    assert_true(l.cone < 1e-9);
    /* Solved to 1e-4 in the units of the solver, at speeds of 1 m/s and masses of 10 kg: a factor ten for those units. */
    assert_true(l.residual < 1e-3 && l.closing < 1e-3 && l.opening < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(looking_at_the_problems_changes_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
