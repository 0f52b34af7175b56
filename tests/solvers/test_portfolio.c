/* test_portfolio.c: what `auto` is worth against its members, by counted work (work.h): no clock, so the same on every machine; and the
 * compliance path by itself. */
#include "solvers/solver_private.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "problems.h"

typedef struct result {
    double residual, work;
} result;

/// Solves from zero reactions; the residual is recomputed from the data.
static result solve_to(double tolerance, const char *name, int max_iterations, const scree_problem *problem)
{
    size_t rows = (size_t)scree_problem_parts(problem).row_count + 1;
    double *p = calloc(rows, sizeof *p), *y = calloc(rows, sizeof *y);
    scree_solver_options options = scree_solver_options_default();
    scree_solver *solver = NULL;
    scree_solve_info info;
    assert_true(p && y);
    options.name = name, options.tolerance = tolerance, options.max_iterations = max_iterations;
    assert_int_equal(try_solver_create(problem, &options, NULL, &solver, NULL), SCREE_OK);
    assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
    result r = {try_problem_residual(problem, p, y), solver->spent};
    scree_solver_destroy(solver);
    free(p), free(y);
    return r;
}

static result solve_with(const char *name, int max_iterations, const scree_problem *problem)
{
    return solve_to(1e-8, name, max_iterations, problem);
}

typedef struct tally {
    int problems, solved, within;
    double worst;
} tally;

/// auto solves what any of its members solves, and the work it takes is held against the least of theirs: 1.5 times plus 2 ms.
static void compare(const char *name, scree_problem *problem, void *context)
{
    static const struct member {
        const char *name;
        int iterations;
    } members[] = {{"momentum", 30000}, {"newton", 200}, {"ipm", 200}, {"admm", 1000}, {"path", 5300}};
    tally *t = context;
    double least = DBL_MAX;
    const char *by = "none";
    for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
        result r = solve_with(members[i].name, members[i].iterations, problem);
        if (r.residual <= 1e-8 && r.work < least) least = r.work, by = members[i].name;
    }
    t->problems += 1;
    if (!(least < DBL_MAX)) return;
    result r = solve_with("auto", 0, problem);
    double regret = (r.work - 2e6) / (least + 1.0);
    print_message("%-44s least %9.3f ms by %-8s  auto %9.3f ms\n", name, 1e-6 * least, by, 1e-6 * r.work);
    assert_true(r.residual <= 1e-8);
    t->solved += 1, t->within += regret <= 1.5;
    if (regret > t->worst) t->worst = regret;
}

static void auto_is_never_much_worse_than_its_best_member(void **state)
{
    static const struct pile {
        int grains, dim;
        double moving, mass_ratio, mu;
        uint64_t seed;
    } piles[] = {
        {30, 3, 1, 1, 0.5, 1}, {60, 3, 0, 100, 0.5, 2},  {60, 6, 1, 1, 0.5, 3},  {90, 5, 1, 1, 0.6, 4},
        {90, 3, 1, 1, 0.5, 5}, {90, 6, 0, 1000, 0.5, 6}, {120, 3, 0, 1, 0.7, 7}, {120, 6, 1, 100, 0.5, 8},
        {60, 3, 1, 1, 0.8, 9}, {300, 6, 0, 1, 0.5, 10},
    };
    tally t = {0};
    (void)state;
    for_each_stored_problem(compare, &t);
    for (size_t i = 0; i < sizeof piles / sizeof *piles; ++i) {
        pile_def def = pile_def_default();
        char name[80];
        def.grains = piles[i].grains, def.dim = piles[i].dim, def.moving = piles[i].moving;
        def.mass_ratio = piles[i].mass_ratio, def.mu = piles[i].mu, def.seed = piles[i].seed;
        snprintf(name, sizeof name, "pile %d dim %d moving %g ratio %g", def.grains, def.dim, def.moving,
                 def.mass_ratio);
        scree_problem *problem = problem_of_pile(&def);
        compare(name, problem, &t);
        scree_problem_destroy(problem);
    }
    print_message("%d problems, %d solved by a member, %d within 1.5 times + 2 ms, worst %.2f times\n", t.problems,
                  t.solved, t.within, t.worst);
    /* all of them where this was measured; the kernels of the BLAS, and with them the bits of ipm, differ between processors */
    assert_true(t.within >= t.solved - 2 && t.worst <= 2.5);
}

/// A slice ends inside a method; the next one continues there: 30 + 30 iterations have the bits of 60.
static void a_method_goes_on_where_it_was_stopped(void **state)
{
    static const char *const methods[] = {"momentum", "newton", "ipm", "admm"};
    pile_def def = pile_def_default();
    (void)state;
    def.grains = 40, def.dim = 3, def.mass_ratio = 100;
    scree_problem *problem = problem_of_pile(&def);
    size_t rows = (size_t)scree_problem_parts(problem).row_count;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
        double *p[2] = {calloc(rows, sizeof(double)), calloc(rows, sizeof(double))};
        int iterations[2] = {0};
        assert_true(p[0] && p[1]);
        for (int parts = 1; parts <= 2; ++parts) {
            scree_solver_options options = scree_solver_options_default();
            scree_solver *solver = NULL;
            scree_solve_info info;
            options.name = methods[i], options.tolerance = 1e-13, options.max_iterations = 60 / parts;
            options.check_every = 1;
            assert_int_equal(try_solver_create(problem, &options, NULL, &solver, NULL), SCREE_OK);
            for (int k = 0; k < parts; ++k) {
                solver->resumes = k > 0;
                assert_int_equal(try_solver_solve(solver, problem, p[parts - 1], &info), SCREE_OK);
                iterations[parts - 1] += info.iterations;
            }
            scree_solver_destroy(solver);
        }
        assert_int_equal(iterations[0], iterations[1]);
        assert_memory_equal(p[0], p[1], rows * sizeof(double));
        free(p[0]), free(p[1]);
    }
    scree_problem_destroy(problem);
}

/// From 5,000 sweeps on, which have not solved them, to the solution by the path alone.
static void the_path_ends_what_sweeps_do_not(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        pile_def def = pile_def_default();
        def.grains = 60, def.dim = 3, def.mass_ratio = 100, def.seed = seed;
        scree_problem *problem = problem_of_pile(&def);
        result sweeps = solve_with("momentum", 5000, problem), path = solve_with("path", 0, problem);
        print_message("seed %d: sweeps %.1e, path %.1e\n", (int)seed, sweeps.residual, path.residual);
        assert_true(path.residual <= 1e-8);
        scree_problem_destroy(problem);
    }
}

/// Problems of a simulator's size that 2,000 sweeps leave above 1e-4: its default goes on with factorisations, under its bound of work.
static void hard_steps_are_solved_too(void **state)
{
    int hard = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        pile_def def = pile_def_default();
        def.grains = 60, def.dim = 3, def.mass_ratio = 100, def.seed = seed;
        scree_problem *problem = problem_of_pile(&def);
        result sweeps = solve_to(1e-4, "momentum", 2000, problem), stepping = solve_to(1e-4, "stepping", 0, problem);
        print_message("seed %d: sweeps %.1e, stepping %.1e, %.1f ms\n", (int)seed, sweeps.residual, stepping.residual,
                      1e-6 * stepping.work);
        hard += sweeps.residual > 1e-4;
        assert_true(stepping.residual <= 1e-4);
        scree_problem_destroy(problem);
    }
    assert_true(hard >= 2); /* else the claim is not tested */
}

/// 4 million visits are 270 sweeps of this pile, not half of what it takes: too large to be factorised, but sweeps solve it, and so may go on.
static void large_steps_that_sweeps_solve_are_solved(void **state)
{
    (void)state;
    pile_def def = pile_def_default();
    def.grains = 5000, def.dim = 3, def.moving = 1;
    scree_problem *problem = problem_of_pile(&def);
    int allowed = 4000000 / scree_problem_parts(problem).contact_count;
    result bounded = solve_to(1e-4, "stepping", allowed, problem), stepping = solve_to(1e-4, "stepping", 0, problem);
    print_message("%d sweeps: %.1e, stepping %.1e, %.1f ms\n", allowed, bounded.residual, stepping.residual,
                  1e-6 * stepping.work);
    assert_true(bounded.residual > 1e-4); /* else the claim is not tested */
    assert_true(stepping.residual <= 1e-4);
    scree_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_method_goes_on_where_it_was_stopped),
        cmocka_unit_test(hard_steps_are_solved_too),
        cmocka_unit_test(large_steps_that_sweeps_solve_are_solved),
        cmocka_unit_test(the_path_ends_what_sweeps_do_not),
        cmocka_unit_test(auto_is_never_much_worse_than_its_best_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
