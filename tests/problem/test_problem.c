/* test_problem.c: the contact problem as a value: two forms of W, the one error measure, what create refuses. */
#include "cli/pile.h"
#include "failing_allocator.h"
#include "random_contacts.h"
#include "try.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static scree_problem *small_pile(int grains, int dim, double spread)
{
    pile_def def = pile_def_default();
    pile geometry;
    scree_problem *problem = NULL;
    def.grains = grains, def.dim = dim, def.spread = spread, def.moving = 0.5;
    assert_true(pile_build(&def, &geometry));
    assert_int_equal(pile_problem(&def, &geometry, NULL, &problem), SCREE_OK);
    assert_int_equal(scree_problem_prepare(problem, SCREE_PART_BLOCKS | SCREE_PART_DIAGONAL, NULL), SCREE_OK);
    pile_free(&geometry);
    return problem;
}

static void both_forms_of_W_are_the_same_operator(void **state)
{
    (void)state;
    for (int dim = 3; dim <= 6; dim += dim == 3 ? 2 : 1) {
        scree_problem *bodies = small_pile(60, dim, 0.3), *assembled;
        assert_int_equal(try_problem_assemble(bodies, NULL, &assembled), SCREE_OK);
        size_t n = (size_t)bodies->row_count;
        double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *z = calloc(n, sizeof *z), size = 0.0, worst = 0.0;
        rng g = {7};
        for (size_t i = 0; i < n; ++i) x[i] = rng_normal(&g);
        scree_problem_apply(bodies, x, y, NULL);
        scree_problem_apply(assembled, x, z, NULL);
        for (size_t i = 0; i < n; ++i) size = fmax(size, fabs(y[i])), worst = fmax(worst, fabs(y[i] - z[i]));
        assert_true(worst <= 1e-13 * size); /* a few dozen terms per row */
        for (size_t i = 0; i < bodies->diagonal_at[bodies->block_count]; ++i)
            assert_true(fabs(bodies->diagonal[i] - assembled->diagonal[i]) <= 1e-13 * size);
        assert_memory_equal(bodies->q, assembled->q, n * sizeof *x);
        free(x), free(y), free(z);
        scree_problem_destroy(bodies);
        scree_problem_destroy(assembled);
    }
}

static void W_is_symmetric_and_its_power_is_that_of_the_bodies(void **state)
{
    (void)state;
    scree_problem *problem = small_pile(40, 6, 0.0);
    size_t n = (size_t)problem->row_count;
    double *x = calloc(n, sizeof *x), *z = calloc(n, sizeof *z), *y = calloc(n, sizeof *y), xy = 0.0, zy = 0.0,
           xx = 0.0;
    rng g = {8};
    for (size_t i = 0; i < n; ++i) x[i] = rng_normal(&g), z[i] = rng_normal(&g);
    scree_problem_apply(problem, x, y, NULL);
    for (size_t i = 0; i < n; ++i) zy += z[i] * y[i], xx += x[i] * y[i];
    scree_problem_apply(problem, z, y, NULL);
    for (size_t i = 0; i < n; ++i) xy += x[i] * y[i];
    assert_true(fabs(xy - zy) <= 1e-12 * fabs(xx));
    assert_true(xx > 0.0);
    free(x), free(y), free(z);
    scree_problem_destroy(problem);
}

/// One sphere at rest on the floor: p = (weight x h, 0 ...) solves it.
static void the_certificate_of_a_known_solution_is_clean_and_of_a_wrong_one_is_not(void **state)
{
    (void)state;
    scree_problem *problem = small_pile(1, 6, 0.0);
    assert_int_equal(problem->contact_count, 1);
    double p[6] = {0}, y[6];
    scree_certificate c;
    p[0] = -problem->q[0] / problem->diagonal[0];
    for (int i = 1; i < 6; ++i) problem->q[i] = 0.0;
    try_problem_certify(problem, p, y, &c);
    assert_true(c.residual <= 1e-16 && c.scaled <= 1e-16 && fabs(c.gap) <= 1e-18);
    assert_int_equal(c.mode_count[SCREE_MODE_STICK], 1);

    p[1] = 2.0 * 0.5 * p[0]; /* twice the rim: it pushes the sphere sideways */
    try_problem_certify(problem, p, y, &c);
    assert_true(fabs(c.cone_violation - 0.5) <= 1e-12);
    assert_int_equal(c.cone_contact, 0);
    assert_true(c.residual > 1e-2);

    p[0] *= 0.5, p[1] = 0.0; /* half the weight: it sinks */
    try_problem_certify(problem, p, y, &c);
    assert_true(fabs(c.penetration_speed + 0.5 * problem->q[0]) <= 1e-15);
    assert_int_equal(c.penetration_contact, 0);
    scree_problem_destroy(problem);
}

/// The same sphere (mu 0.5, rolling and spinning 0.05 m) pushed sideways, far beyond what friction can hold.
static void what_slips_at_stick_is_what_friction_could_still_have_stopped(void **state)
{
    (void)state;
    scree_problem *problem = small_pile(1, 6, 0.0);
    double p[6] = {0}, y[6], mu = problem->cone[0].coef[SCREE_FRICTION_SLIDE];
    scree_certificate c;
    p[0] = -problem->q[0] / problem->diagonal[0];
    for (int i = 1; i < 6; ++i) problem->q[i] = 0.0;
    problem->q[1] = 1.0;
    problem->cone[0].coef[SCREE_FRICTION_ROLL] =
        0.0; /* the load at the rim also turns the sphere: not what is judged here */
    double w = problem->diagonal[1 * 6 + 1];

    p[1] = -mu * p[0] * (1.0 - 1e-6); /* slides at nearly 1 m/s with a load a millionth inside its rim */
    try_problem_certify(problem, p, y, &c);
    assert_true(y[1] > 0.5);
    assert_true(fabs(c.slip_at_stick - 1e-6 * mu * p[0] * w) <= 1e-6 * c.slip_at_stick);

    problem->q[1] = 1e-5 * mu * p[0] * w, p[1] = 0.0; /* friction could stop all of this, and does nothing */
    try_problem_certify(problem, p, y, &c);
    assert_true(fabs(c.slip_at_stick - problem->q[1]) <= 1e-15 * c.slip_at_stick);

    problem->q[1] = 0.0, problem->q[5] = 1e-9; /* it turns on the spot: as much as sliding with the same loss */
    try_problem_certify(problem, p, y, &c);
    assert_true(fabs(c.slip_at_stick - 1e-9 * problem->cone[0].coef[SCREE_FRICTION_SPIN] / mu) <=
                1e-15 * c.slip_at_stick);
    scree_problem_destroy(problem);
}

static void the_residual_is_the_natural_map_over_the_largest_norm(void **state)
{
    (void)state;
    scree_problem *problem = small_pile(30, 5, 0.2);
    size_t n = (size_t)problem->row_count;
    double *p = calloc(n, sizeof *p), *y = calloc(n, sizeof *y), map = 0.0, np = 0.0, ny = 0.0, nq = 0.0;
    rng g = {9};
    for (size_t i = 0; i < n; ++i) p[i] = 0.01 * rng_normal(&g);
    double residual = try_problem_residual(problem, p, y);
    for (int c = 0; c < problem->contact_count; ++c) { /* written out once more, from the definition */
        double yhat[6], x[6];
        const double *p_c = p + problem->offset[c];
        scree_de_saxce(&problem->cone[c], y + problem->offset[c], yhat);
        for (int i = 0; i < 5; ++i) x[i] = p_c[i] - yhat[i];
        scree_cone_project(&problem->cone[c], x, x);
        for (int i = 0; i < 5; ++i) map += (p_c[i] - x[i]) * (p_c[i] - x[i]);
    }
    for (size_t i = 0; i < n; ++i) np += p[i] * p[i], ny += y[i] * y[i], nq += problem->q[i] * problem->q[i];
    assert_true(fabs(residual - sqrt(map / fmax(np, fmax(ny, nq)))) <= 1e-14 * residual);
    free(p), free(y);
    scree_problem_destroy(problem);
}

static void what_is_no_problem_is_refused_with_a_reason(void **state)
{
    (void)state;
    scree_cone good = scree_cone_slide(0.5), bad = scree_cone_slide(-1.0);
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0}, minus = -1.0;
    int zero = 0, far = 3;
    scree_problem *problem;
    scree_error error = {0};
    scree_problem_def def = scree_problem_def_default();
    def.contact_count = 1, def.cone = &bad, def.q = q;
    def.entry_count = 1, def.entry_row = &zero, def.entry_column = &zero, def.entry_value = W;
    assert_int_equal(try_problem_create(&def, NULL, &problem, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "contact 0"));
    assert_null(problem);
    def.cone = &good, def.entry_column = &far;
    assert_int_equal(try_problem_create(&def, NULL, &problem, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "(0, 3)"));
    for (int k = 0; k < 4; ++k) { /* the first index beyond either end, of either kind */
        const int beyond = k % 2 ? 1 : -1;
        def.entry_row = k < 2 ? &beyond : &zero, def.entry_column = k < 2 ? &zero : &beyond;
        assert_int_equal(try_problem_create(&def, NULL, &problem, &error), SCREE_ERR_INPUT);
        assert_non_null(strstr(error.text, "expected rows below 1 and columns below 1"));
    }
    def.entry_row = &zero;
    def.entry_column = &zero, q[1] = (double)NAN;
    assert_int_equal(try_problem_create(&def, NULL, &problem, &error), SCREE_ERR_INPUT);
    q[1] = 0.0, def.bound_count = 1, def.bound = &minus;
    assert_int_equal(try_problem_create(&def, NULL, &problem, &error), SCREE_ERR_INPUT);
    def.bound_count = 0;
    assert_int_equal(try_problem_create(&def, NULL, &problem, &error), SCREE_OK);
    scree_problem_destroy(problem);
    const int dofs = 3, start[] = {0, 1, 2, 3}, column[] = {0, 1, 2};
    const double mass[] = {1.0, -1.0, 1.0}, still[3] = {0};
    def.body_count = 1, def.body_dof = &dofs, def.v_free = still, def.q = NULL;
    def.mass_start = start, def.mass_column = column, def.mass_value = mass;
    assert_int_equal(try_problem_create(&def, NULL, &problem, &error), SCREE_ERR_INPUT);
    assert_string_equal(error.text, "M is not positive definite, expected a mass matrix");
}

/* ---- the k-th allocation fails -------------------------------------------------------------------------------------- */

static void every_allocation_may_fail_and_nothing_is_lost(void **state)
{
    (void)state;
    pile_def def = pile_def_default();
    pile geometry;
    def.grains = 12;
    assert_true(pile_build(&def, &geometry));
    for (int assemble = 0; assemble < 2; ++assemble)
        for (int k = 0;; ++k) {
            failing f = {.left = k};
            scree_allocator a = failing_allocator(&f);
            scree_problem *problem, *assembled = NULL;
            scree_status status = pile_problem(&def, &geometry, &a, &problem);
            assert_true((status == SCREE_OK) == (problem != NULL));
            if (problem && assemble) {
                status = try_problem_assemble(problem, &a, &assembled);
                assert_true((status == SCREE_OK) == (assembled != NULL));
            }
            scree_problem_destroy(assembled);
            scree_problem_destroy(problem);
            assert_int_equal(f.live, 0);
            if (status == SCREE_OK) break;
            assert_int_equal(status, SCREE_ERR_MEMORY);
        }
    pile_free(&geometry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_of_W_are_the_same_operator),
        cmocka_unit_test(W_is_symmetric_and_its_power_is_that_of_the_bodies),
        cmocka_unit_test(the_certificate_of_a_known_solution_is_clean_and_of_a_wrong_one_is_not),
        cmocka_unit_test(what_slips_at_stick_is_what_friction_could_still_have_stopped),
        cmocka_unit_test(the_residual_is_the_natural_map_over_the_largest_norm),
        cmocka_unit_test(what_is_no_problem_is_refused_with_a_reason),
        cmocka_unit_test(every_allocation_may_fail_and_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
