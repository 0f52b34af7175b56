/* What a program does with problems beside solving them: new values, one sticky error for a chain of calls, one contact of two bodies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "problems.h"
#include "try.h"

#include <math.h>
#include <string.h>

static scree_problem *small_pile(void)
{
    pile_def def = pile_def_default();
    def.grains = 12, def.moving = 0.5;
    return problem_of_pile(&def);
}

/// A chain of calls after a failure does nothing, and keeps the first reason.
static void one_error_serves_a_chain_of_calls(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_problem *problem = scree_problem_read("tests/no-such-file.dat", NULL, &error);
    scree_solver *solver = scree_solver_create(problem, NULL, &error);
    double *p = scree_problem_vector(problem, &error);
    scree_solve_info info = scree_solver_solve(solver, problem, p, &error);
    scree_certificate certificate = scree_problem_certify(problem, p, &error);
    assert_null(problem);
    assert_null(solver);
    assert_null(p);
    assert_int_equal(error.status, SCREE_ERR_FILE);
    assert_non_null(strstr(error.file, "no-such-file.dat"));
    assert_true(isnan(info.residual) && isnan(certificate.residual));
    assert_true(isnan(scree_problem_residual(problem, p, &error)));
    assert_int_equal(scree_problem_apply(problem, p, p, &error), SCREE_ERR_FILE);
    assert_int_equal(scree_problem_set_q(problem, p, &error), SCREE_ERR_FILE);
    assert_int_equal(scree_problem_prepare(problem, SCREE_PART_BLOCKS, &error), SCREE_ERR_FILE);
    assert_int_equal(scree_problem_write(problem, p, "x.dat", &error), SCREE_ERR_FILE);
    assert_null(scree_problem_assemble(problem, NULL, &error));
    scree_solver_destroy(solver);
    scree_problem_vector_free(problem, p);
    scree_problem_destroy(problem);
}

/// What is set is what a problem made with these values has.
static void new_values_make_the_problem_that_has_them(void **state)
{
    (void)state;
    scree_error error = {0};
    scree_problem *rigid = small_pile();
    scree_problem *problem = scree_problem_assemble(rigid, NULL, &error),
                  *other = scree_problem_assemble(rigid, NULL, &error);
    scree_problem_view view = scree_problem_parts(problem);
    double *q = scree_problem_vector(problem, &error), *x = scree_problem_vector(problem, &error);
    double *y = scree_problem_vector(problem, &error), *z = scree_problem_vector(problem, &error);
    size_t values = view.W.at[view.W.start[view.W.row_blocks]];
    double *W = calloc(values, sizeof *W);
    scree_cone *cone = calloc((size_t)view.contact_count, sizeof *cone);
    assert_true(W && cone);
    for (int i = 0; i < view.row_count; ++i) q[i] = sin(i), x[i] = 1.0 + cos(i);
    for (size_t i = 0; i < values; ++i) W[i] = 2.0 * view.W.value[i];
    memcpy(cone, view.cone, (size_t)view.contact_count * sizeof *cone);
    for (int c = 0; c < view.contact_count; ++c) cone[c].coef[0] = 0.125;

    scree_problem_set_law(problem, SCREE_LAW_CONVEX);
    scree_problem_set_q(problem, q, &error);
    scree_problem_set_cones(problem, cone, &error);
    scree_problem_set_blocks(problem, W, &error);
    assert_int_equal(error.status, SCREE_OK);
    view = scree_problem_parts(problem);
    assert_int_equal(view.law, SCREE_LAW_CONVEX);
    assert_memory_equal(view.q, q, (size_t)view.row_count * sizeof *q);
    assert_true(view.cone[3].coef[0] == 0.125);
    scree_problem_apply(problem, x, y, &error);
    scree_problem_apply(other, x, z, &error);
    for (int i = 0; i < view.row_count; ++i) assert_true(y[i] == 2.0 * z[i]);
    for (int b = 0; b < view.block_count; ++b) /* the diagonal follows W: solvers step by it */
        assert_true(view.diagonal[view.diagonal_at[b]] ==
                    2.0 * scree_problem_parts(other).diagonal[view.diagonal_at[b]]);

    q[1] = NAN;
    assert_int_equal(scree_problem_set_q(problem, q, NULL), SCREE_ERR_INPUT);
    assert_true(scree_problem_parts(problem).q[1] == sin(1));
    cone[0].size[0] = 1;
    assert_int_equal(scree_problem_set_cones(problem, cone, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "contact 0"));
    assert_int_equal(scree_problem_set_blocks(rigid, W, NULL), SCREE_ERR_UNSUPPORTED);
    assert_int_equal(scree_problem_body_velocities(problem, x, y, NULL), SCREE_ERR_UNSUPPORTED);
    free(W), free(cone);
    double *vectors[] = {q, x, y, z};
    for (int i = 0; i < 4; ++i) scree_problem_vector_free(problem, vectors[i]);
    scree_problem_destroy(other);
    scree_problem_destroy(problem);
    scree_problem_destroy(rigid);
}

static void bounds_are_replaced_and_checked(void **state)
{
    (void)state;
    scree_problem_def def = scree_problem_def_default();
    const double bound[2] = {1.0, (double)INFINITY}, q[2] = {-3.0, 0.5}, W[2] = {1.0, 1.0};
    const double looser[2] = {5.0, 2.0}, wrong[2] = {-1.0, 2.0};
    const int entry[2] = {0, 1};
    scree_error error = {0};
    def.bound_count = 2, def.bound = bound, def.q = q;
    def.entry_count = 2, def.entry_row = def.entry_column = entry, def.entry_value = W;
    scree_problem *problem = scree_problem_create(&def, &error);
    scree_solver *solver = scree_solver_create(problem, NULL, &error);
    double p[2] = {0};
    scree_solver_solve(solver, problem, p, &error);
    assert_true(fabs(p[0] - 1.0) < 1e-7 && fabs(p[1] + 0.5) < 1e-7);
    assert_int_equal(scree_problem_set_bounds(problem, wrong, NULL), SCREE_ERR_INPUT);
    scree_problem_set_bounds(problem, looser, &error);
    scree_solver_solve(solver, problem, p, &error);
    assert_true(fabs(p[0] - 3.0) < 1e-7 && fabs(p[1] + 0.5) < 1e-7);
    assert_int_equal(error.status, SCREE_OK);
    scree_solver_destroy(solver);
    scree_problem_destroy(problem);
}

/// W of one contact is the diagonal block that the problem of many has; a contact beside a body that does not move, and between two.
static void one_contact_is_that_of_the_problem(void **state)
{
    (void)state;
    scree_problem *problem = small_pile();
    scree_error error = {0};
    scree_problem_prepare(problem, SCREE_PART_DIAGONAL, &error);
    const scree_problem_view view = scree_problem_parts(problem);
    int walls = 0, pairs = 0;
    for (int c = 0; c < view.contact_count; ++c) {
        const scree_rigid_contact *pair = &problem->rigid[c];
        int dim = scree_cone_dim(&view.cone[c]);
        scree_contact contact = scree_contact_of(pair, problem->rigid_mass, view.cone[c], view.q + view.offset[c]);
        pair->body_a < 0 ? ++walls : ++pairs;
        for (int i = 0; i < dim * dim; ++i) {
            double W = view.diagonal[view.diagonal_at[c] + (size_t)i];
            assert_true(fabs(contact.W[i] - W) <= 1e-14 * view.diagonal[view.diagonal_at[c]]);
        }
        for (int i = 0; i < dim; ++i) assert_true(contact.q[i] == view.q[view.offset[c] + i]);
        scree_contact_result r = scree_contact_solve(&contact, NULL, &error);
        assert_int_equal(r.outcome, SCREE_OUTCOME_CONVERGED);
        assert_true(r.residual < 1e-12);
    }
    assert_true(walls > 0 && pairs > 0);
    assert_int_equal(error.status, SCREE_OK);
    scree_contact still = scree_contact_of(&problem->rigid[0], problem->rigid_mass, view.cone[0], NULL);
    assert_true(still.q[0] == 0.0 && still.q[1] == 0.0);
    scree_problem_destroy(problem);
}

/// The structure that a solver was made for is looked at before memory is.
static void a_problem_of_another_structure_is_refused(void **state)
{
    (void)state;
    pile_def def = pile_def_default();
    def.grains = 13;
    scree_problem *small = small_pile(), *large = problem_of_pile(&def);
    scree_error error = {0};
    scree_solver *solver = scree_solver_create(small, NULL, &error);
    double *p = scree_problem_vector(large, &error);
    scree_solve_info info = scree_solver_solve(solver, large, p, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "structure"));
    assert_true(isnan(info.residual) && p[0] == 0.0);
    scree_problem_vector_free(large, p);
    scree_solver_destroy(solver);
    scree_problem_destroy(small);
    scree_problem_destroy(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_error_serves_a_chain_of_calls),
        cmocka_unit_test(new_values_make_the_problem_that_has_them),
        cmocka_unit_test(bounds_are_replaced_and_checked),
        cmocka_unit_test(one_contact_is_that_of_the_problem),
        cmocka_unit_test(a_problem_of_another_structure_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
