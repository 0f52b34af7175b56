/* test_depth.c: the first loads of a pile: they balance every layer, are found in any orientation, and are kept from where they do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "problem/problem_private.h"
#include "problems.h"
#include "solvers/depth.h"
#include "try.h"
#include "twins.h"

#include <math.h>
#include <scree/solver.h>
#include <stdlib.h>
#include <string.h>

/// Loads of depth_start, or NULL: it did not take the problem.
static double *loads_of(const scree_problem *problem)
{
    scree_allocator a = memory_allocator(NULL);
    depth *d = NULL;
    double *p = calloc((size_t)problem->row_count + 1, sizeof *p);
    assert_int_equal(depth_create(problem, problem->rigid, &a, &d), SCREE_OK);
    if (!d || !depth_start(d, problem, problem->rigid, p)) free(p), p = NULL;
    depth_destroy(d, &a);
    return p;
}

/// Normal loads of the contacts with what does not move, against the weight of everything: 1.2 by design.
static void the_floor_bears_the_whole_pile(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; ++variant) {
        pile_def def = pile_def_default();
        def.grains = 1500, def.spread = variant == 1 ? 0.3 : 0.0, def.mass_ratio = variant == 2 ? 10.0 : 1.0;
        scree_problem *problem = problem_of_pile(&def);
        double *p = loads_of(problem), borne = 0.0, weight = 0.0;
        assert_non_null(p);
        for (int b = 0; b < problem->body_count; ++b) weight += def.h / problem->rigid_mass[b].inv_mass[0];
        for (int c = 0; c < problem->contact_count; ++c) {
            int first = problem->offset[c];
            for (int i = first + 1; i < problem->offset[c + 1]; ++i) assert_true(p[i] == 0.0); /* no friction */
            assert_true(p[first] >= 0.0);
            if (problem->rigid[c].body_a < 0) borne += p[first];
        }
        print_message("the floor bears %.3f weights\n", borne / weight);
        /* layers are half a grain thick, and where grains differ some pass on part of the load beside the floor's contacts */
        assert_true(fabs(borne / weight - 1.2) < (variant == 1 ? 0.18 : 0.06));
        free(p);
        scree_problem_destroy(problem);
    }
}

/// A pile turned by 90 degrees has the same loads: heights come from the contacts, whichever way is down.
static void any_way_may_be_down(void **state)
{
    (void)state;
    pile_def def = pile_def_default();
    def.grains = 800;
    scree_problem *problem = problem_of_pile(&def);
    double *p = loads_of(problem), *turned, worst = 0.0, size = 0.0;
    for (int c = 0; c < problem->contact_count; ++c) { /* x, y, z -> z, x, y of every vector */
        scree_rigid_contact *k = &problem->rigid[c];
        double *vectors[4] = {k->normal, k->tangent, k->arm_a, k->arm_b};
        for (int i = 0; i < 4; ++i) {
            double *v = vectors[i], z = v[2];
            v[2] = v[1], v[1] = v[0], v[0] = z;
        }
    }
    for (int b = 0; b < problem->body_count; ++b) {
        double *v = problem->v_free + 6 * (size_t)b, z = v[2];
        v[2] = v[1], v[1] = v[0], v[0] = z;
    }
    turned = loads_of(problem);
    assert_true(p && turned);
    for (int i = 0; i < problem->row_count; ++i)
        worst = fmax(worst, fabs(p[i] - turned[i])), size = fmax(size, fabs(p[i]));
    assert_true(worst <= 1e-9 * size);
    free(p), free(turned);
    scree_problem_destroy(problem);
}

static void bodies_that_move_apart_and_small_piles_start_from_nothing(void **state)
{
    (void)state;
    pile_def moving = pile_def_default(), small = moving;
    moving.grains = 800, moving.moving = 1.0, small.grains = 200;
    scree_problem *a = problem_of_pile(&moving), *b = problem_of_pile(&small);
    assert_null(loads_of(a));
    assert_null(loads_of(b));
    scree_problem_destroy(a), scree_problem_destroy(b);
}

/// Contacts that are open by more than the step closes carry nothing.
static void open_contacts_carry_nothing(void **state)
{
    (void)state;
    pile_def def = pile_def_default();
    def.grains = 800;
    scree_problem *problem = problem_of_pile(&def);
    for (int c = 0; c < problem->contact_count; c += 7) problem->q[problem->offset[c]] += 3.0 * def.h;
    double *p = loads_of(problem);
    assert_non_null(p);
    int loaded = 0;
    for (int c = 0; c < problem->contact_count; ++c) {
        if (c % 7 == 0) assert_true(p[problem->offset[c]] == 0.0);
        else loaded += p[problem->offset[c]] > 0.0;
    }
    assert_true(loaded > problem->contact_count / 2);
    free(p);
    scree_problem_destroy(problem);
}

/// Sweeps to the tolerance, from `first` in the first row: 0 is a cold start, anything else a warm one. The solve gets no memory, and so
/// no elastic correction: that helps either start.
static int sweeps_from(const scree_problem *problem, double first)
{
    scree_solver_options options = scree_solver_options_default();
    scree_solver *solver;
    scree_solve_info info;
    failing count = {.left = -1};
    scree_allocator allocator = failing_allocator(&count);
    double *p = calloc((size_t)problem->row_count, sizeof *p);
    p[0] = first;
    options.name = "momentum", options.tolerance = 1e-6, options.check_every = 5;
    assert_int_equal(try_solver_create(problem, &options, &allocator, &solver, NULL), SCREE_OK);
    count.left = 0;
    assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
    assert_int_equal(info.outcome, SCREE_OUTCOME_CONVERGED);
    scree_solver_destroy(solver);
    free(p);
    return info.iterations;
}

/// The load of one contact as good as 0: the same start but for the depth. Measured: 360 sweeps instead of 635.
static void a_cold_start_saves_sweeps(void **state)
{
    (void)state;
    pile_def def = pile_def_default();
    if (SCREE_SAMPLE_SHARE > 1) skip(); /* figures; the start itself is in the tests above */
    def.grains = 20000;
    scree_problem *problem = problem_of_pile(&def);
    int cold = sweeps_from(problem, 0.0), without = sweeps_from(problem, 1e-12);
    print_message("%d sweeps instead of %d\n", cold, without);
    assert_true(cold < 0.75 * without);
    scree_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_floor_bears_the_whole_pile),
        cmocka_unit_test(any_way_may_be_down),
        cmocka_unit_test(bodies_that_move_apart_and_small_piles_start_from_nothing),
        cmocka_unit_test(open_contacts_carry_nothing),
        cmocka_unit_test(a_cold_start_saves_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
