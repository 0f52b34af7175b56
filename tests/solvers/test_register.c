/* A solver that the program adds: found and used like those of the library; the limits, the best point and the residual are not its own
 * to give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "problems.h"
#include "try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct record {
    int created, destroyed, solved, assembled, checks;
    double step;
} record;

static record seen;

static void *create(const scree_problem *problem, const scree_solver_options *options, void *context,
                    scree_error *error)
{
    (void)error;
    assert_ptr_equal(context, &seen);
    seen.created += 1, seen.assembled = scree_problem_parts(problem).W.value != NULL;
    seen.step = options->step;
    return calloc(1, 64);
}

static void destroy(void *memory)
{
    seen.destroyed += 1;
    free(memory);
}

/// p <- proj_K(p - s yhat); after it was stopped it spoils p, which must not matter.
static void solve(void *memory, const scree_problem *problem, double *p, scree_monitor *monitor)
{
    const scree_problem_view v = scree_problem_parts(problem);
    assert_non_null(memory);
    seen.solved += 1;
    for (int k = 0; !scree_monitor_check(monitor, k, p); ++k) {
        const double *y = scree_monitor_velocity(monitor);
        seen.checks += 1;
        for (int c = 0; c < v.contact_count; ++c) {
            double *p_c = p + v.offset[c], yhat[SCREE_DIM_MAX];
            scree_de_saxce(&v.cone[c], y + v.offset[c], yhat);
            for (int i = 0; i < scree_cone_dim(&v.cone[c]); ++i) p_c[i] -= seen.step * yhat[i];
            scree_cone_project(&v.cone[c], p_c, p_c);
        }
    }
    for (int i = 0; i < v.row_count; ++i) p[i] = -1e9;
}

/// Claims nothing, and checks nothing: leaves reactions that are no solution.
static void give_up(void *memory, const scree_problem *problem, double *p, scree_monitor *monitor)
{
    (void)memory, (void)monitor;
    for (int i = 0; i < scree_problem_parts(problem).row_count; ++i) p[i] = 7.0;
}

static void *refuse(const scree_problem *problem, const scree_solver_options *options, void *context,
                    scree_error *error)
{
    (void)problem, (void)options, (void)context;
    error->status = SCREE_ERR_UNSUPPORTED;
    scree_error_set(error, NULL, 0, 0, "not on a Wednesday");
    return NULL;
}

static scree_solver_method method_of(const char *name)
{
    scree_solver_method m = scree_solver_method_default();
    m.name = name, m.summary = "a test", m.context = &seen;
    m.create = create, m.solve = solve, m.destroy = destroy, m.takes_convex = 0, m.matrix_free = 1;
    return m;
}

static scree_problem *small_pile(void)
{
    pile_def def = pile_def_default();
    def.grains = 8, def.dim = 3;
    return problem_of_pile(&def);
}

static void a_registered_solver_is_found_and_solves(void **state)
{
    (void)state;
    scree_error error = {0};
    char name[] = "mine";
    scree_solver_method m = method_of(name);
    assert_null(scree_solver_class_find("mine"));
    scree_solver_register(&m, &error);
    memset(name, 'x', 4); /* it was copied */
    const scree_solver_class *c = scree_solver_class_find("mine");
    assert_non_null(c);
    assert_string_equal(scree_solver_class_summary(c), "a test");
    assert_true(scree_solver_class_takes_law(c, SCREE_LAW_COULOMB) &&
                !scree_solver_class_takes_law(c, SCREE_LAW_CONVEX));
    assert_true(!scree_solver_class_takes_bounds(c) && scree_solver_class_matrix_free(c));
    int listed = 0;
    for (int i = 0; scree_solver_class_at(i); ++i) listed += scree_solver_class_at(i) == c;
    assert_int_equal(listed, 1);

    scree_problem *problem = small_pile();
    scree_solver_options options = scree_solver_options_default();
    options.name = "mine", options.step = 0.05, options.tolerance = 1e-9, options.max_iterations = 200000;
    double *p = scree_problem_vector(problem, &error);
    scree_solver *solver = scree_solver_create(problem, &options, &error);
    scree_solve_info info = scree_solver_solve(solver, problem, p, &error);
    assert_int_equal(error.status, SCREE_OK);
    assert_int_equal(info.outcome, SCREE_OUTCOME_CONVERGED);
    assert_string_equal(info.solver, "mine");
    assert_true(info.iterations > 1 && info.residual <= 1e-9);
    assert_true(scree_problem_residual(problem, p, &error) == info.residual);
    assert_true(seen.created == 1 && seen.solved == 1 && !seen.assembled);

    int before = seen.checks; /* the limit of the options holds */
    memset(p, 0, (size_t)scree_problem_parts(problem).row_count * sizeof *p);
    scree_solver_destroy(solver);
    options.max_iterations = 5;
    solver = scree_solver_create(problem, &options, &error);
    info = scree_solver_solve(solver, problem, p, &error);
    assert_int_equal(info.outcome, SCREE_OUTCOME_MAX_ITERATIONS);
    assert_true(info.iterations == 5 && seen.checks - before == 5);
    assert_true(scree_problem_residual(problem, p, &error) == info.residual && info.residual < 1.0);
    scree_solver_destroy(solver);
    assert_true(seen.destroyed == seen.created);

    scree_problem_set_law(problem, SCREE_LAW_CONVEX); /* a law that it does not take */
    assert_null(scree_solver_create(problem, &options, &error));
    assert_int_equal(error.status, SCREE_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "mine"));
    scree_problem_vector_free(problem, p);
    scree_problem_destroy(problem);
}

/// Without matrix_free it is given W; a method that checks nothing has converged only if the registry finds so; one that refuses is heard.
static void the_registry_has_the_last_word(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_solver_method with_W = method_of("with_W"), lazy = method_of("lazy"), refusing = method_of("refusing");
    with_W.matrix_free = 0;
    lazy.create = NULL, lazy.destroy = NULL, lazy.solve = give_up;
    refusing.create = refuse;
    scree_solver_register(&with_W, &error);
    scree_solver_register(&lazy, &error);
    scree_solver_register(&refusing, &error);
    assert_int_equal(error.status, SCREE_OK);
    scree_problem *problem = small_pile();
    double *p = scree_problem_vector(problem, &error);
    scree_solver_options options = scree_solver_options_default();
    options.name = "with_W";
    scree_solver *solver = scree_solver_create(problem, &options, &error);
    assert_true(seen.assembled);
    scree_solver_destroy(solver);
    options.name = "lazy";
    solver = scree_solver_create(problem, &options, &error);
    scree_solve_info info = scree_solver_solve(solver, problem, p, &error);
    assert_int_equal(info.outcome, SCREE_OUTCOME_STALLED);
    assert_true(p[0] == 0.0 && scree_problem_residual(problem, p, &error) == info.residual); /* the start */
    scree_solver_destroy(solver);
    options.name = "refusing";
    assert_null(scree_solver_create(problem, &options, &error));
    assert_int_equal(error.status, SCREE_ERR_UNSUPPORTED);
    assert_string_equal(error.text, "not on a Wednesday");
    assert_null(scree_solver_create(problem, &options, NULL));
    scree_problem_vector_free(problem, p);
    scree_problem_destroy(problem);
}

static void bad_methods_are_refused(void **state)
{
    (void)state;
    scree_solver_method good = method_of("good"), bad[5];
    for (int i = 0; i < 5; ++i) bad[i] = method_of("bad");
    bad[0].name = "two words", bad[1].solve = NULL, bad[2].takes_coulomb = 0, bad[3].name = "nsgs",
    bad[4].summary = NULL;
    for (int i = 0; i < 5; ++i) {
        scree_error error = {0};
        assert_int_equal(scree_solver_register(&bad[i], &error), SCREE_ERR_INPUT);
        assert_non_null(strstr(error.text, "cannot be registered"));
    }
    assert_null(scree_solver_class_find("bad"));
    assert_int_equal(scree_solver_register(&good, NULL), SCREE_OK);
    assert_int_equal(scree_solver_register(&good, NULL), SCREE_ERR_INPUT); /* the name is taken */
    scree_status status = SCREE_OK;
    for (int i = 0; i < 40 && status == SCREE_OK; ++i) { /* until the table is full */
        char name[32];
        snprintf(name, sizeof name, "more_%d", i);
        scree_solver_method more = method_of(name);
        status = scree_solver_register(&more, NULL);
        assert_int_equal(scree_solver_class_find(name) != NULL, status == SCREE_OK);
    }
    assert_int_equal(status, SCREE_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_registered_solver_is_found_and_solves),
        cmocka_unit_test(the_registry_has_the_last_word),
        cmocka_unit_test(bad_methods_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
