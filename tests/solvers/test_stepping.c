/* test_stepping.c: the solver of time steps: small problems to rounding, large ones in bounded work. */
#include "try.h"

#include <float.h>
#include <math.h>
#include <scree/solver.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/// Balls of the given masses, R 0.1, one on the other on a fixed floor, pressed down by gravity for 5 ms.
static scree_problem *column_of_balls(int count, const double *mass)
{
    enum { MOST = 64 };
    scree_rigid_contact contact[MOST] = {0};
    scree_cone cone[MOST];
    scree_rigid_mass inverse[MOST] = {0};
    double v_free[6 * MOST] = {0};
    assert_true(count <= MOST);
    for (int i = 0; i < count; ++i) {
        contact[i] = (scree_rigid_contact){i - 1, i, {0, 0, 1}, {1, 0, 0}, {0, 0, 0.1}, {0, 0, -0.1}};
        cone[i] = scree_cone_slide_roll_spin(0.5, 0.01, 0.01);
        for (int k = 0; k < 3; ++k) {
            inverse[i].inv_mass[k] = 1.0 / mass[i];
            inverse[i].inv_inertia[4 * k] = 1.0 / (0.4 * mass[i] * 0.01);
        }
        v_free[6 * i + 2] = -9.81 * 5e-3;
    }
    scree_rigid_def def = scree_rigid_def_default();
    def.contact_count = def.body_count = count;
    def.contact = contact, def.cone = cone, def.mass = inverse, def.v_free = v_free;
    scree_problem *problem = NULL;
    assert_int_equal(try_problem_from_rigid(&def, NULL, &problem, NULL), SCREE_OK);
    return problem;
}

static scree_solve_info run(const scree_problem *problem, double tolerance, int max_iterations, double *p)
{
    scree_solver_options options = scree_solver_options_default();
    scree_solver *solver = NULL;
    scree_solve_info info;
    options.name = "stepping", options.tolerance = tolerance, options.max_iterations = max_iterations;
    assert_int_equal(try_solver_create(problem, &options, NULL, &solver, NULL), SCREE_OK);
    assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
    scree_solver_destroy(solver);
    return info;
}

static void small_problems_are_solved_to_rounding_whatever_the_tolerance(void **state)
{
    static const double masses[2][4] = {{1, 1e6, 1, 1e3}, {1e-2, 1, 1e2, 1e4}};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        double p[24] = {0}, y[24];
        scree_problem *problem = column_of_balls(4, masses[k]);
        scree_solve_info info = run(problem, 1e-4, 0, p);
        assert_int_equal(info.outcome, SCREE_OUTCOME_CONVERGED);
        assert_true(try_problem_residual(problem, p, y) <= 100.0 * DBL_EPSILON); /* sums of a few terms, a few times */
        for (int i = 0; i < 4; ++i) {
            double above = 0.0;
            for (int j = i; j < 4; ++j) above += masses[k][j];
            assert_true(fabs(p[6 * i] / (above * 9.81 * 5e-3) - 1.0) <= 1e-9); /* condition of W: up to 1e6 */
        }
        scree_problem_destroy(problem);
    }
}

static void large_problems_stop_after_the_sweeps_they_were_given(void **state)
{
    double mass[40], p[240] = {0};
    (void)state;
    for (int i = 0; i < 40; ++i) mass[i] = 1.0 + i % 3;
    scree_problem *problem = column_of_balls(40, mass);
    scree_solve_info info = run(problem, 1e-12, 20, p);
    assert_int_equal(info.outcome, SCREE_OUTCOME_MAX_ITERATIONS);
    assert_true(info.iterations <= 20);
    info = run(problem, 1e-10, 100000, p); /* and are solved when they are given enough */
    assert_int_equal(info.outcome, SCREE_OUTCOME_CONVERGED);
    assert_string_equal(info.solver, "momentum");
    scree_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_problems_are_solved_to_rounding_whatever_the_tolerance),
        cmocka_unit_test(large_problems_stop_after_the_sweeps_they_were_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
