/* test_stepper_threads.c: the number of threads changes no bit, and neither does a look at the problems. */
#include "stepper_scene.h"

static uint64_t run(scree_scheme scheme, scree_law law, int threads, int steps,
                    void (*hook)(const scree_problem *, const double *, int64_t, void *), void *context)
{
    scree_friction friction = {.mu = 0.5, .rolling = {0.1, 1}, .spinning = {0.1, 1}, .restitution = 0.2};
    scree_world *world = scene_world(9.81, 0.0, friction, SCREE_SPATIAL, NULL);
    scree_stepper_options options = scree_stepper_options_default();
    scene_pile(world, 700, 0.1, 0.1, 2.7, 3); /* more than one chunk of bodies and of contacts */
    options.scheme = scheme, options.law = law, options.threads = threads;
    options.solver.max_iterations = 50, options.problem_hook = hook, options.context = context;
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
    uint64_t one = run(SCREE_ANITESCU_TASORA, SCREE_COULOMB, 1, steps, NULL, NULL);
    for (int threads = 2; threads <= 4; ++threads)
        assert_true(run(SCREE_ANITESCU_TASORA, SCREE_COULOMB, threads, steps, NULL, NULL) == one);
    one = run(SCREE_MOREAU_JEAN, SCREE_CONVEX, 1, 60, NULL, NULL);
    assert_true(run(SCREE_MOREAU_JEAN, SCREE_CONVEX, 3, 60, NULL, NULL) == one);
}

typedef struct look {
    int count;
    int64_t step;
    double worst;
} look;

/// The problem shown is in SI and its solution solves it.
static void look_at(const scree_problem *problem, const double *p, int64_t step, void *context)
{
    look *l = context;
    scree_certificate certificate;
    double *y = calloc((size_t)problem->row_count, sizeof *y);
    scree_problem_certify(problem, p, y, &certificate);
    l->count += 1;
    assert_true(step > l->step); /* steps without a contact have no problem */
    l->step = step;
    l->worst = fmax(l->worst, certificate.cone_violation);
    free(y);
}

static void looking_at_the_problems_changes_no_bit(void **state)
{
    (void)state;
    look l = {0, 0, 0.0};
    uint64_t blind = run(SCREE_ANITESCU_TASORA, SCREE_COULOMB, 1, 60, NULL, NULL);
    assert_true(run(SCREE_ANITESCU_TASORA, SCREE_COULOMB, 1, 60, look_at, &l) == blind);
    assert_true(l.count > 20 && l.step == 60);
    assert_true(l.worst < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(looking_at_the_problems_changes_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
