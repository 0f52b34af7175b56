/* test_finite.c: a number that is NaN or infinite never passes: no problem can be made of one or changed to one, and a problem that got
 * one all the same (memory that something else wrote to) is converged for no solver. */
#include "random_contacts.h"
#include "try.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { CONTACTS = 3, ROWS = 9, BODIES = 2, DOF = 6 };

/* the numbers that a problem with W assembled, or through the bodies, is made of */
typedef struct numbers {
    double W[CONTACTS * 9], q[ROWS], compliance[ROWS], H[2 * CONTACTS * 3 * DOF], inv_mass[BODIES * DOF * DOF],
        v_free[BODIES * DOF], coef[CONTACTS];
} numbers;

static numbers sound_numbers(void)
{
    numbers n = {.q = {0.0}};
    rng g = {3};
    for (int c = 0; c < CONTACTS; ++c) {
        n.coef[c] = 0.5, n.q[3 * c] = -1.0;
        for (int i = 0; i < 3; ++i) n.W[9 * c + 4 * i] = 1.0 + 0.1 * c;
    }
    for (int i = 0; i < 2 * CONTACTS * 3 * DOF; ++i) n.H[i] = rng_normal(&g);
    for (int b = 0; b < BODIES; ++b)
        for (int i = 0; i < DOF; ++i) n.inv_mass[b * DOF * DOF + i * (DOF + 1)] = 1.0;
    return n;
}

static scree_status make(const numbers *n, int bodies, scree_problem **problem, scree_error *error)
{
    static const int dof[BODIES] = {DOF, DOF};
    int row[2 * CONTACTS], column[2 * CONTACTS];
    scree_cone cone[CONTACTS];
    scree_problem_def def = scree_problem_def_default();
    for (int c = 0; c < CONTACTS; ++c) cone[c] = scree_cone_slide(n->coef[c]), row[c] = column[c] = c;
    def.contact_count = CONTACTS, def.cone = cone, def.q = n->q, def.compliance = n->compliance;
    def.entry_count = CONTACTS, def.entry_row = row, def.entry_column = column, def.entry_value = n->W;
    if (bodies) {
        for (int e = 0; e < 2 * CONTACTS; ++e) row[e] = e / 2, column[e] = e % 2;
        def.entry_count = 2 * CONTACTS, def.entry_value = n->H;
        def.body_count = BODIES, def.body_dof = dof, def.body_inv_mass = n->inv_mass, def.v_free = n->v_free;
    }
    return try_problem_create(&def, NULL, problem, error);
}

static void no_problem_is_made_of_what_is_no_number(void **state)
{
    (void)state;
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int bodies = 0; bodies < 2; ++bodies)
        for (int k = 0; k < 3; ++k) {
            numbers n = sound_numbers();
            struct {
                double *at;
                const char *name;
            } place[] = {{&n.q[4], "q[4]"},
                         {&n.compliance[8], "compliance[8]"},
                         {bodies ? &n.H[7] : &n.W[13], bodies ? "H'[7]" : "W[13]"},
                         {bodies ? &n.v_free[5] : &n.W[0], bodies ? "v_free[5]" : "W[0]"},
                         {bodies ? &n.inv_mass[36] : &n.W[26], bodies ? "M^-1[36]" : "W[26]"}};
            scree_problem *problem;
            scree_error error;
            assert_int_equal(make(&n, bodies, &problem, &error), SCREE_OK);
            scree_problem_destroy(problem);
            for (size_t p = 0; p < sizeof place / sizeof *place; ++p) {
                const double kept = *place[p].at;
                *place[p].at = bad[k];
                assert_int_equal(make(&n, bodies, &problem, &error), SCREE_ERR_INPUT);
                assert_null(problem);
                if (!strstr(error.text, place[p].name)) fail_msg("'%s' does not name %s", error.text, place[p].name);
                *place[p].at = kept;
            }
        }
}

static void no_rigid_contact_has_what_is_no_number(void **state)
{
    (void)state;
    for (int what = 0; what < 7; ++what) {
        scree_rigid_contact contact = {
            .body_a = -1, .body_b = 0, .normal = {0.0, 0.0, 1.0}, .tangent = {1.0, 0.0, 0.0}};
        scree_rigid_mass mass = {{1.0, 1.0, 1.0}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
        scree_rigid_row row = {.body_a = -1, .body_b = 0, .b = {1.0}};
        double v_free[6] = {0.0, 0.0, -1.0}, w[4] = {0.0}, bound = 1.0;
        scree_cone cone = scree_cone_slide(0.5);
        scree_rigid_def def = scree_rigid_def_default();
        scree_problem *problem;
        scree_error error;
        def.contact_count = def.bound_count = def.body_count = 1;
        def.contact = &contact, def.row = &row, def.bound = &bound, def.cone = &cone, def.mass = &mass;
        def.v_free = v_free, def.w = w;
        double *const place[] = {
            NULL, &contact.normal[1], &contact.arm_b[2], &mass.inv_inertia[8], &row.b[5], &v_free[4], &w[3]};
        if (what) *place[what] = (double)NAN;
        assert_int_equal(try_problem_from_rigid(&def, NULL, &problem, &error), what ? SCREE_ERR_INPUT : SCREE_OK);
        assert_true(!what || strstr(error.text, "not finite"));
        scree_problem_destroy(problem);
    }
}

static void no_problem_is_changed_to_what_is_no_number(void **state)
{
    (void)state;
    numbers n = sound_numbers();
    scree_problem *problem;
    assert_int_equal(make(&n, 0, &problem, NULL), SCREE_OK);
    double before = scree_problem_parts(problem).W.value[3], p[ROWS] = {0.0};
    scree_error error = {0};
    scree_cone cone[CONTACTS] = {scree_cone_slide(0.5), scree_cone_slide((double)NAN), scree_cone_slide(0.5)};
    n.q[2] = n.W[3] = (double)NAN;
    assert_int_equal(scree_problem_set_q(problem, n.q, &error), SCREE_ERR_INPUT);
    error = (scree_error){0};
    assert_int_equal(scree_problem_set_blocks(problem, n.W, &error), SCREE_ERR_INPUT);
    assert_string_equal(error.text, "W[3] is not finite");
    error = (scree_error){0};
    assert_int_equal(scree_problem_set_cones(problem, cone, &error), SCREE_ERR_INPUT);
    assert_true(scree_problem_parts(problem).q[2] == 0.0 && scree_problem_parts(problem).W.value[3] == before);

    error = (scree_error){0}; /* nor is it solved from such reactions */
    scree_solver *solver = scree_solver_create(problem, NULL, &error);
    p[7] = -(double)INFINITY;
    scree_solve_info info = scree_solver_solve(solver, problem, p, &error);
    assert_int_equal(error.status, SCREE_ERR_INPUT);
    assert_true(isnan(info.residual) && strstr(error.text, "p[7] is -inf"));
    scree_solver_destroy(solver);
    scree_problem_destroy(problem);
}

/// Solves by all methods a problem in whose memory something is no number: none may say "converged".
static void expect_unsolved(const scree_problem *problem, const char *what)
{
    double zero[ROWS] = {0.0};
    assert_true(scree_problem_residual(problem, zero, NULL) == (double)INFINITY);
    scree_certificate certificate = scree_problem_certify(problem, zero, NULL);
    assert_true(certificate.residual == (double)INFINITY && !(certificate.scaled <= 1.0));
    assert_true(
        isnan(certificate.penetration_speed)); /* the worst of several is not the worst of those that are numbers */
    for (int k = 0; scree_solver_class_at(k); ++k) {
        double p[ROWS] = {0.0};
        scree_solver_options options = scree_solver_options_default();
        scree_error error = {0};
        options.name = scree_solver_class_name(scree_solver_class_at(k)), options.max_iterations = 50;
        scree_solver *solver = scree_solver_create(problem, &options, &error);
        if (!solver) continue; /* of another law, or it cannot factorise this: no answer either */
        scree_solve_info info = scree_solver_solve(solver, problem, p, &error);
        if (info.outcome == SCREE_OUTCOME_CONVERGED || info.residual <= 1.0)
            fail_msg("%s calls a problem with a NaN in %s solved: %g", options.name, what, info.residual);
        scree_solver_destroy(solver);
    }
}

static void what_is_no_number_is_converged_for_no_solver(void **state)
{
    (void)state;
    for (int bodies = 0; bodies < 2; ++bodies)
        for (int contact = 0; contact < CONTACTS; ++contact) {
            const numbers n = sound_numbers();
            scree_problem *problem;
            assert_int_equal(make(&n, bodies, &problem, NULL), SCREE_OK);
            problem->q[3 * contact] = (double)NAN;
            expect_unsolved(problem, "q");
            problem->q[3 * contact] = -1.0;
            double *value = bodies ? problem->Ht->value : problem->W->value;
            value[9 * contact] = (double)NAN;
            expect_unsolved(problem, bodies ? "H'" : "W");
            scree_problem_destroy(problem);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_problem_is_made_of_what_is_no_number),
        cmocka_unit_test(no_rigid_contact_has_what_is_no_number),
        cmocka_unit_test(no_problem_is_changed_to_what_is_no_number),
        cmocka_unit_test(what_is_no_number_is_converged_for_no_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
