/* test_momentum.c: sweeps over spheres eight at a time, momentum, and auto, judged by the residual recomputed from the problem. */
#include "../cli/pile.h"
#include "laws/contact.h"
#include "solvers/spheres.h"
#include "solvers/spheres_kernel.h"
#include "solvers/sweep.h"

#include <dirent.h>
#include <scree/solver.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static scree_problem *make(const pile_def *def)
{
    pile geometry;
    scree_problem *problem = NULL;
    assert_true(pile_build(def, &geometry));
    assert_int_equal(pile_problem(def, &geometry, NULL, &problem), SCREE_OK);
    pile_free(&geometry);
    return problem;
}

/// Solves from p = 0; returns the residual recomputed from the problem.
static double solve(const scree_problem *problem, const scree_solver_options *options, scree_solve_info *info,
                    double *p)
{
    scree_solver *solver;
    scree_error error;
    double *y = calloc((size_t)problem->row_count + 1, sizeof *y);
    memset(p, 0, (size_t)problem->row_count * sizeof *p);
    assert_int_equal(scree_solver_create(problem, options, NULL, &solver, &error), SCREE_OK);
    assert_int_equal(scree_solver_solve(solver, problem, p, info), SCREE_OK);
    double residual = scree_problem_residual(problem, p, y);
    assert_true(residual == info->residual);
    scree_solver_destroy(solver);
    free(y);
    return residual;
}

static void eight_contacts_at_once_equal_the_exact_solver(void **state)
{
    (void)state;
    long compared = 0;
    double worst = 0.0;
    for (int variant = 0; variant < 4; ++variant) {
        pile_def def = pile_def_default();
        def.grains = 120, def.spread = variant & 1 ? 0.3 : 0.0, def.mass_ratio = variant & 2 ? 100.0 : 1.0,
        def.moving = 1.0;
        scree_problem *problem = make(&def);
        assert_true(spheres_recognise(problem));
        sphere_pile s;
        assert_int_equal(spheres_create(problem, &problem->allocator, &s), SCREE_OK);
        size_t n = (size_t)problem->row_count;
        double *before = calloc(n, sizeof *before), *after = calloc(n, sizeof *after), *y = calloc(n, sizeof *y);
        spheres_begin(&s, problem, before);
        for (int round = 0; round < 6; ++round)
            for (int k = 0; k < s.batch_count; ++k) {
                spheres_loads_to(&s, s.loads, problem, before);
                scree_problem_residual(problem, before, y);
                spheres_solve_batch(&s.batch[k], s.body, s.body_count, &s.loads[k]);
                spheres_loads_to(&s, s.loads, problem, after);
                for (int l = 0; l < LANES; ++l) {
                    int c = s.batch[k].contact[l];
                    if (c < 0) continue;
                    /* the contact alone: W_cc and what the others do */
                    scree_contact contact = {.cone = problem->cone[c], .law = problem->law};
                    const double *b = before + problem->offset[c], *W = problem->diagonal + problem->diagonal_at[c];
                    double size = 0.0;
                    memcpy(contact.W, W, sizeof contact.W);
                    for (int i = 0; i < 6; ++i) {
                        contact.q[i] = y[problem->offset[c] + i];
                        for (int j = 0; j < 6; ++j) contact.q[i] -= W[6 * i + j] * b[j];
                        size = fmax(size, fabs(y[problem->offset[c] + i]) + fabs(contact.q[i]));
                    }
                    if (size < 1e-10) continue; /* q is then the rounding of velocities of 1e-2 */
                    worst = fmax(worst, scree_contact_residual(&contact, after + problem->offset[c]) * size / 1e-2);
                    ++compared;
                }
            }
        free(before), free(after), free(y);
        spheres_destroy(&s, &problem->allocator);
        scree_problem_destroy(problem);
    }
    print_message("%ld contacts, worst %.2g\n", compared, worst);
    assert_true(compared > 4000);
    assert_true(worst <= 1e-12); /* velocities of 1e-2 carry an error of 1e-17 each; six sweeps */
}

static void the_bits_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    pile_def def = pile_def_default();
    def.grains = 400, def.spread = 0.2;
    scree_problem *problem = make(&def);
    size_t n = (size_t)problem->row_count;
    double *one = calloc(n, sizeof *one), *many = calloc(n, sizeof *many);
    scree_solve_info info;
    scree_solver_options options = scree_solver_options_default();
    options.name = "momentum", options.max_iterations = 60, options.tolerance = 1e-14;
    solve(problem, &options, &info, one);
    for (int threads = 2; threads <= 5; ++threads) {
        options.threads = threads;
        solve(problem, &options, &info, many);
        assert_memory_equal(one, many, n * sizeof *one);
    }
    free(one), free(many);
    scree_problem_destroy(problem);
}

/// A warm start that meets the tolerance is swept all the same, and what the sweeps made of it is what comes back.
static void a_warm_start_is_swept_as_often_as_asked(void **state)
{
    (void)state;
    static const char *const methods[] = {"momentum", "nsgs", "psor", "auto"};
    pile_def def = pile_def_default();
    def.grains = 60;
    scree_problem *problem = make(&def);
    size_t n = (size_t)problem->row_count;
    double *p = calloc(n, sizeof *p), *q = calloc(n, sizeof *q), *y = calloc(n, sizeof *y);
    for (int i = 0; i < 4; ++i) {
        scree_solve_info info;
        scree_solver *solver;
        scree_solver_options options = scree_solver_options_default();
        options.name = methods[i], options.tolerance = 1e-5;
        assert_true(solve(problem, &options, &info, p) <= 1e-5);
        for (int asked = 0; asked <= 30; asked += 3) {
            options.min_iterations = asked;
            memcpy(q, p, n * sizeof *p);
            assert_int_equal(scree_solver_create(problem, &options, NULL, &solver, NULL), SCREE_OK);
            assert_int_equal(scree_solver_solve(solver, problem, q, &info), SCREE_OK);
            assert_true(scree_problem_residual(problem, q, y) <= 1e-5);
            assert_int_equal(info.outcome, SCREE_CONVERGED);
            assert_in_range(info.iterations, asked, asked + 10);
            double change = 0.0, size = 0.0;
            for (size_t j = 0; j < n; ++j) change = fmax(change, fabs(p[j] - q[j])), size = fmax(size, fabs(p[j]));
            if (asked) assert_true(change > 1e-9 * size); /* a sweep at a residual of 1e-5 moves that much */
            else assert_true(change <= 1e-15 * size);     /* loads to space vectors and back */
            scree_solver_destroy(solver);
        }
    }
    free(p), free(q), free(y);
    scree_problem_destroy(problem);
}

static void momentum_solves_piles_at_rest_and_without_rolling_friction(void **state)
{
    (void)state;
    for (int variant = 0; variant < 6; ++variant) {
        pile_def def = pile_def_default();
        def.grains = 200,
        def.dim = variant % 3 == 0   ? 3
                  : variant % 3 == 1 ? 5
                                     : 6,
        def.spread = variant < 3 ? 0.0 : 0.3;
        if (def.dim == 3) def.rho = def.sigma = 0.0;
        scree_problem *problem = make(&def);
        double *p = calloc((size_t)problem->row_count, sizeof *p);
        scree_solve_info info;
        scree_solver_options options = scree_solver_options_default();
        options.name = "momentum";
        assert_true(solve(problem, &options, &info, p) <= 1e-8);
        assert_int_equal(info.outcome, SCREE_CONVERGED);
        free(p);
        scree_problem_destroy(problem);
    }
}

static void what_is_not_spheres_is_not_taken_for_spheres(void **state)
{
    (void)state;
    pile_def def = pile_def_default();
    def.grains = 20;
    scree_problem *problem = make(&def);
    assert_true(spheres_recognise(problem));
    problem->Ht->value[9] += 1e-6; /* a lever arm that leaves the normal */
    assert_false(spheres_recognise(problem));
    problem->Ht->value[9] -= 1e-6;
    problem->inv_mass->value[0] *= 1.001; /* a mass that depends on direction */
    assert_false(spheres_recognise(problem));
    scree_problem_destroy(problem);
}

static void auto_solves_small_piles_that_move_or_have_heavy_grains(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; ++variant) {
        pile_def def = pile_def_default();
        def.grains = 40;
        if (variant == 0) def.moving = 1.0;
        if (variant == 1) def.mass_ratio = 100.0;
        if (variant == 2) def.law = SCREE_CONVEX, def.moving = 1.0;
        scree_problem *problem = make(&def);
        double *p = calloc((size_t)problem->row_count, sizeof *p);
        scree_solve_info info;
        scree_solver_options options = scree_solver_options_default();
        double residual = solve(problem, &options, &info, p);
        print_message("%d contacts: %s by %s, residual %.2g\n", problem->contact_count,
                      scree_outcome_name(info.outcome), info.solver, residual);
        assert_true(residual <= 1e-8);
        free(p);
        scree_problem_destroy(problem);
    }
}

/// Every problem that others left in ../shared/data, at three tolerances. Skipped where the folder is absent.
static void auto_solves_every_stored_problem_to_1e_12(void **state)
{
    (void)state;
    static const char *const folders[] = {"coulomb", "rolling", "planar", "global"};
    static const double tolerances[] = {1e-4, 1e-8, 1e-12};
    int solved = 0, found = 0;
    for (int f = 0; f < 4; ++f) {
        char path[1200];
        snprintf(path, sizeof path, "../shared/data/%s", folders[f]);
        DIR *dir = opendir(path);
        if (!dir) continue;
        for (struct dirent *entry; (entry = readdir(dir));) {
            if (entry->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "../shared/data/%s/%s", folders[f], entry->d_name);
            scree_problem *problem;
            scree_error error;
            if (scree_problem_read(path, SCREE_FILE_DETECT, NULL, &problem, &error) == SCREE_ERR_UNSUPPORTED) continue;
            assert_non_null(problem);
            double *p = calloc((size_t)problem->row_count + 1, sizeof *p);
            for (int t = 0; t < 3; ++t) {
                scree_solve_info info;
                scree_solver_options options = scree_solver_options_default();
                options.tolerance = tolerances[t],
                options.time_limit = 60.0; /* sanitizers are slow; 0.1 s without them */
                found += 1;
                if (solve(problem, &options, &info, p) <= tolerances[t]) solved += 1;
                else print_error("%s: %.2g at %g\n", entry->d_name, info.residual, tolerances[t]);
            }
            free(p);
            scree_problem_destroy(problem);
        }
        closedir(dir);
    }
    if (!found) skip();
    print_message("%d of %d\n", solved, found);
    assert_int_equal(solved, found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_contacts_at_once_equal_the_exact_solver),
        cmocka_unit_test(the_bits_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(a_warm_start_is_swept_as_often_as_asked),
        cmocka_unit_test(momentum_solves_piles_at_rest_and_without_rolling_friction),
        cmocka_unit_test(what_is_not_spheres_is_not_taken_for_spheres),
        cmocka_unit_test(auto_solves_small_piles_that_move_or_have_heavy_grains),
        cmocka_unit_test(auto_solves_every_stored_problem_to_1e_12),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
