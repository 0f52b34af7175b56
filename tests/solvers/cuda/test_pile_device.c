/* test_pile_device.c: sweeps of the kernels of a device, compiled for the processor (pile_twin.c), over contacts of spheres: judged by the residual
 * recomputed from the problem, and in single sweeps by the bits of the processor's own kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "problem/problem_private.h"
#include "solvers/spheres/spheres.h"
#include "sphere_piles.h"
#include "try.h"
#include "twins.h"

#include <scree/solver.h>
#include <stdlib.h>
#include <string.h>

enum { TWIN = 2 /* scree_solver_options.device */ };

/// A pile of a test, by number: equal and mixed radii, at rest and moving, both laws, planar, with walls that move and compliance.
static scree_problem *pile_of(int variant)
{
    pile_def def = pile_def_default();
    def.grains = 300, def.spread = variant & 1 ? 0.3 : 0.0, def.moving = variant & 2 ? 1.0 : 0.0;
    def.law = variant & 4 ? SCREE_LAW_CONVEX : SCREE_LAW_COULOMB;
    scree_problem *plain = problem_of_pile(&def);
    if (variant < 8) return plain;
    scree_problem *out = variant < 12 ? with_walls_that_move(plain, variant & 1) : as_discs(plain, variant % 3, 1);
    scree_problem_destroy(plain);
    return out;
}

enum { VARIANTS = 16, SOLVABLE = 12 /* discs that meet anyhow have no solution */ };
enum { STRIDE = SCREE_SAMPLE_SHARE > 1 ? 5 : 1 /* sanitizers: 0, 5, 10, 15 */ };

static scree_solver_options on_twin(double tolerance)
{
    scree_solver_options o = scree_solver_options_default();
    o.name = "momentum", o.device = TWIN, o.tolerance = tolerance, o.max_iterations = 20000;
    return o;
}

static scree_solve_info solve(const scree_problem *problem, const scree_solver_options *options, double *p)
{
    scree_solver *solver;
    scree_solve_info info;
    scree_error error = {.text = ""};
    memset(p, 0, (size_t)problem->row_count * sizeof *p);
    if (try_solver_create(problem, options, NULL, &solver, &error) != SCREE_OK) fail_msg("%s", error.text);
    assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
    scree_solver_destroy(solver);
    return info;
}

static void piles_are_solved_and_every_time_with_the_same_bits(void **state)
{
    (void)state;
    for (int variant = 0; variant < SOLVABLE; variant += STRIDE) {
        if (variant == 8 || variant == 10)
            continue; /* walls squeeze grains that do not yield: nor does the processor get there */
        scree_problem *problem = pile_of(variant);
        const size_t n = (size_t)problem->row_count;
        double *p = calloc(n, sizeof *p), *again = calloc(n, sizeof *p), *y = calloc(n, sizeof *p);
        scree_solver_options o = on_twin(1e-6);
        scree_solve_info info = solve(problem, &o, p);
        const double residual = try_problem_residual(problem, p, y);
        if (info.outcome != SCREE_OUTCOME_CONVERGED)
            fail_msg("variant %d: %g after %d", variant, info.residual, info.iterations);
        assert_true(residual <= 1e-6 && residual == info.residual && info.iterations > 5);
        o.threads = 2;
        solve(problem, &o, again);
        assert_memory_equal(p, again, n * sizeof *p);
        free(p), free(again), free(y);
        scree_problem_destroy(problem);
    }
}

/// What is left when sweeps run out is the best there was, not the last.
static void the_best_comes_back(void **state)
{
    (void)state;
    scree_problem *problem = pile_of(2);
    double *p = calloc((size_t)problem->row_count, sizeof *p), least = 1.0;
    for (int sweeps = 10; sweeps <= 60; sweeps += 5) {
        scree_solver_options o = on_twin(1e-15);
        o.max_iterations = sweeps, o.check_every = 5;
        const scree_solve_info info = solve(problem, &o, p);
        assert_true(info.iterations == sweeps && info.residual <= least);
        least = info.residual;
    }
    free(p);
    scree_problem_destroy(problem);
}

/// Sweeps over the layout of the device by the vectors of the processor, and by the twin's threads: the same loads and velocities.
static void a_sweep_has_the_bits_of_the_processor(void **state)
{
    (void)state;
    for (int variant = 0; variant < VARIANTS; variant += STRIDE) {
        scree_problem *problem = pile_of(variant);
        const size_t n = (size_t)problem->row_count;
        double *zero = calloc(n, sizeof *zero), *p[2] = {calloc(n, sizeof *zero), calloc(n, sizeof *zero)};
        sphere_pile s;
        char text[DEVICE_TEXT];
        assert_int_equal(spheres_create_on(pile_device_twin(), problem, NULL, &s, text), SCREE_OK);
        assert_int_equal(spheres_begin(&s, problem, NULL, NULL, zero), 1);
        memcpy(s.body_old, s.body, ((size_t)s.body_count + 2) * sizeof *s.body); /* no loads yet: they are free */
        sweep_momentum m = {.limit = 1e300, .lowest = (double)INFINITY};
        sphere_device device = s.device;
        spheres_sweeps(&s, 7, &m), spheres_sweeps(&s, 4, &m);
        assert_true(m.since == 11 && m.E > 0.0);
        double of_twin[3], of_cpu[3], E = 0.0;
        spheres_sums(&s, NULL, of_twin);
        spheres_loads_to(&s, problem, NULL, p[0]);
        for (int k = 0; k < s.batch_count; ++k) memset(&s.loads[k], 0, sizeof *s.loads), s.loads_old[k] = s.loads[k];
        s.device = (sphere_device){.at = NULL};
        for (int k = 0; k < 11; ++k) E = spheres_sweep(&s, k / (k + 3.0), NULL);
        spheres_sums(&s, NULL, of_cpu);
        spheres_loads_to(&s, problem, NULL, p[1]);
        assert_memory_equal(p[0], p[1], n * sizeof *zero);
        assert_true(fabs(E - m.E) <= 1e-12 * E); /* summed in another order */
        for (int k = 0; k < 3; ++k) assert_true(fabs(of_twin[k] - of_cpu[k]) <= 1e-12 * of_cpu[k]);
        s.device = device;
        spheres_destroy(&s, NULL);
        free(zero), free(p[0]), free(p[1]);
        scree_problem_destroy(problem);
    }
}

/// No two contacts of a colour share a body that moves, a body with very many contacts included; contacts with what does not move come first.
static void colours_are_free(void **state)
{
    (void)state;
    enum { BODIES = 400, CONTACTS = 1500 };
    const pile_device_table *t = pile_device_twin();
    pile_device *d;
    char text[DEVICE_TEXT];
    int a[CONTACTS], b[CONTACTS], colour[CONTACTS], again[CONTACTS], none = 0, most = 0;
    unsigned char *seen = calloc((size_t)BODIES * (PILE_COLOURS + 1), 1);
    rng g = {5};
    for (int c = 0; c < CONTACTS; ++c) {
        a[c] = c < 300 ? 0 : c < 400 ? -1 : (int)rng_uniform(&g, 0.0, BODIES);
        b[c] = c < 400 ? c % 399 + 1 : (a[c] + 1 + (int)rng_uniform(&g, 0.0, BODIES - 1)) % BODIES;
    }
    assert_int_equal(t->create(&d, text), SCREE_OK);
    assert_int_equal(t->colour(d, BODIES, CONTACTS, a, b, colour), SCREE_OK);
    assert_int_equal(t->colour(d, BODIES, CONTACTS, a, b, again), SCREE_OK);
    assert_memory_equal(colour, again, sizeof colour);
    for (int c = 0; c < CONTACTS; ++c) {
        none += colour[c]<0, most = colour[c]> most ? colour[c] : most;
        if (c >= 300 && c < 400) assert_true(colour[c] == 0 || b[c] < 2);
        for (int side = 0; side < 2; ++side) {
            const int body = side ? b[c] : a[c];
            if (body < 0 || colour[c] < 0) continue;
            assert_true(colour[c] < PILE_COLOURS);
            assert_int_equal(seen[body * PILE_COLOURS + colour[c]]++, 0);
        }
    }
    assert_true(none >= 300 - PILE_COLOURS && none < 80 && most == PILE_COLOURS - 1);
    t->destroy(d), free(seen);
}

static void refuse(const scree_problem *problem, const char *solver, const char *what)
{
    scree_solver_options o = on_twin(1e-6);
    scree_solver *s = NULL;
    scree_error error = {.text = ""};
    o.name = solver;
    assert_int_not_equal(try_solver_create(problem, &o, NULL, &s, &error), SCREE_OK);
    if (!strstr(error.text, what)) fail_msg("'%s' lacks '%s'", error.text, what);
}

static void what_it_does_not_take_is_said_by_name(void **state)
{
    (void)state;
    scree_problem *problem = pile_of(0);
    refuse(problem, "nsgs", "the solver nsgs runs on the processor");
    problem->rigid[5].arm_b[0] += 1e-6;
    refuse(problem, "momentum", "does not take contacts other than those of spheres, here contact 5");
    problem->rigid[5].arm_b[0] -= 1e-6;
    problem->rigid_mass[3].inv_inertia[1] = 1e-3;
    refuse(problem, "momentum", "bodies whose mass or inertia depends on the direction, here body 3");
    problem->rigid_mass[3].inv_inertia[1] = 0.0;
    scree_solver_options o = on_twin(1e-6);
    scree_solver *s = NULL;
    o.device = 7;
    assert_int_equal(try_solver_create(problem, &o, NULL, &s, NULL), SCREE_ERR_INPUT);
    scree_problem_destroy(problem);
}

/// Every call to the device fails once, from the first one to the last of a solution.
static void a_device_that_fails_is_noticed(void **state)
{
    (void)state;
    scree_problem *problem = pile_of(9);
    double *zero = calloc((size_t)problem->row_count, sizeof *zero), total[3];
    int failed = 0, survived = 0;
    for (int call = 1; !survived && call < 2000; call += STRIDE) {
        sphere_pile s;
        char text[DEVICE_TEXT];
        sweep_momentum m = {.limit = 3.0, .lowest = (double)INFINITY};
        assert_int_equal(spheres_create_on(pile_device_twin(), problem, NULL, &s, text), SCREE_OK);
        s.device.table->fail_at(s.device.at, call);
        const int begun = spheres_begin(&s, problem, NULL, NULL, zero);
        assert_true(begun == (s.device.status == SCREE_OK));
        spheres_sweeps(&s, 3, &m), spheres_sums(&s, NULL, total), spheres_keep(&s), spheres_renew(&s);
        spheres_fetch(&s, 1);
        if (s.device.status == SCREE_OK) survived = 1;
        else {
            assert_int_equal(s.device.status, SCREE_ERR_DEVICE);
            assert_non_null(strstr(s.device.table->message(s.device.at), "as a test asked"));
            ++failed;
        }
        spheres_destroy(&s, NULL);
    }
    print_message("%d calls, each failed once\n", failed);
    assert_true(survived && failed > 50 / STRIDE);
    free(zero);
    scree_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piles_are_solved_and_every_time_with_the_same_bits),
        cmocka_unit_test(the_best_comes_back),
        cmocka_unit_test(a_sweep_has_the_bits_of_the_processor),
        cmocka_unit_test(colours_are_free),
        cmocka_unit_test(what_it_does_not_take_is_said_by_name),
        cmocka_unit_test(a_device_that_fails_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
