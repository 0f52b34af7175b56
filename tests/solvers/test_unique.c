/* test_unique.c: the friction cone is pointed or not where geometry says so, the proofs hold by the data alone, and the free reactions
 * are as many as statics has ([TA] theorems 1 and 2; src/solvers/unique.c). */
#include <math.h>
#include <scree/solver.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/// One body of 2 kg and its contacts with what does not move; normals point at the body.
static scree_problem *body_problem(scree_law law, int count, const double (*arm)[3], const double (*normal)[3],
                                   double mu, const double v_free[6])
{
    scree_cone cone[8];
    scree_rigid_contact contact[8] = {{0}};
    scree_rigid_mass mass = {{0.5, 0.5, 0.5}, {4.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 2.0}};
    scree_error error = {0};
    scree_rigid_def def = scree_rigid_def_default();
    for (int k = 0; k < count; ++k) {
        const double *n = normal[k];
        int flat = fabs(n[1]) < 0.9; /* the tangent lies across y, or across x */
        double t[3] = {flat ? n[2] : 1.0, 0.0, flat ? -n[0] : 0.0}, length = sqrt(t[0] * t[0] + t[2] * t[2]);
        cone[k] = scree_cone_slide(mu);
        contact[k].body_a = -1, contact[k].body_b = 0;
        for (int i = 0; i < 3; ++i)
            contact[k].normal[i] = n[i], contact[k].arm_b[i] = arm[k][i], contact[k].tangent[i] = t[i] / length;
    }
    def.law = law, def.contact_count = count, def.contact = contact, def.cone = cone;
    def.body_count = 1, def.mass = &mass, def.v_free = v_free;
    scree_problem *problem = scree_problem_from_rigid(&def, &error);
    assert_non_null(problem);
    return problem;
}

/// The proofs, from W and the cones: velocities that open all contacts, or loads in the cones that move nothing.
static void check_proof(const scree_problem *problem, scree_pointed answer, const double *proof)
{
    scree_problem_view v = scree_problem_parts(problem);
    double y[24], moved = 0.0, load = 0.0;
    scree_error error = {0};
    assert_int_equal(scree_problem_apply(problem, proof, y, &error), SCREE_OK);
    for (int c = 0; c < v.contact_count; ++c) {
        const double *p = proof + v.offset[c], *u = y + v.offset[c];
        double mu = v.cone[c].coef[SCREE_FRICTION_SLIDE];
        if (answer == SCREE_POINTED_YES) assert_true(u[0] > mu * hypot(u[1], u[2]) + 0.1);
        else assert_true(p[0] >= 0.0 && hypot(p[1], p[2]) <= mu * p[0] * (1.0 + 1e-9) + 1e-12);
        for (int i = 0; i < 3; ++i) moved = fmax(moved, fabs(u[i])), load = fmax(load, fabs(p[i]));
    }
    if (answer == SCREE_POINTED_NO) assert_true(load == 1.0 && moved <= 1e-9);
}

static void expect_pointed(const scree_problem *problem, scree_pointed expected)
{
    double proof[24] = {0.0};
    scree_error error = {0};
    scree_pointedness found = scree_problem_pointed(problem, proof, &error);
    assert_int_equal(error.status, SCREE_OK);
    assert_int_equal(found.answer, expected);
    check_proof(problem, expected, proof);
}

static const double at_rest[6] = {0.0, 0.0, -0.01, 0.0, 0.0, 0.0}, sliding[6] = {1.0, 0.0, -0.01, 0.0, 0.0, 0.0};

/// A ball in a groove whose walls lean by phi from the vertical jams where mu >= tan phi: the line between the contacts is in both cones.
static void groove_jams_where_friction_reaches_its_angle(void **state)
{
    (void)state;
    for (int k = 0; k < 6; ++k) {
        double phi = 0.3 + 0.2 * k, c = cos(phi), s = sin(phi);
        const double normal[2][3] = {{c, 0.0, s}, {-c, 0.0, s}},
                     arm[2][3] = {{-0.1 * c, 0.0, -0.1 * s}, {0.1 * c, 0.0, -0.1 * s}};
        for (int more = 0; more < 2; ++more) {
            scree_problem *problem =
                body_problem(SCREE_LAW_COULOMB, 2, arm, normal, tan(phi) * (more ? 1.02 : 0.98), at_rest);
            expect_pointed(problem, more ? SCREE_POINTED_NO : SCREE_POINTED_YES);
            scree_problem_destroy(problem);
        }
    }
}

static const double corner[4][3] = {{0.2, 0.1, -0.05}, {0.2, -0.1, -0.05}, {-0.2, 0.1, -0.05}, {-0.2, -0.1, -0.05}},
                    up[4][3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};

/// Solves from p and returns the residual.
static double solve(const scree_problem *problem, double *p)
{
    scree_error error = {0};
    scree_solver_options options = scree_solver_options_default();
    options.tolerance = 1e-12;
    scree_solver *solver = scree_solver_create(problem, &options, &error);
    scree_solve_info info = scree_solver_solve(solver, problem, p, &error);
    scree_solver_destroy(solver);
    return info.residual;
}

/// A brick on four corners: its cone is pointed. At rest 12 loads carry 6 equations, sliding 4 loads carry 3: the weight has no only way to
/// be shared, and different starts end with different shares and the same velocities.
static void brick_on_four_corners_has_free_reactions_and_one_velocity(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        int slides = k % 2;
        scree_error error = {0};
        scree_problem *problem =
            body_problem(k < 2 ? SCREE_LAW_CONVEX : SCREE_LAW_COULOMB, 4, corner, up, 0.5, slides ? sliding : at_rest);
        double p[2][12] = {{0.0}, {0.0}}, v[2][6], apart = 0.0;
        expect_pointed(problem, SCREE_POINTED_YES);
        p[1][0] = p[1][9] = 5.0; /* two opposite corners carry the guess */
        for (int start = 0; start < 2; ++start) {
            assert_true(solve(problem, p[start]) <= 1e-12);
            assert_int_equal(scree_problem_free_reactions(problem, p[start], &error), slides ? 1 : 6);
            assert_int_equal(scree_problem_body_velocities(problem, p[start], v[start], &error), SCREE_OK);
        }
        for (int i = 0; i < 6; ++i) assert_true(fabs(v[0][i] - v[1][i]) <= 1e-9);
        for (int i = 0; i < 12; ++i) apart = fmax(apart, fabs(p[0][i] - p[1][i]));
        if (slides) assert_true(apart > 1e-6);
        scree_problem_destroy(problem);
    }
}

/// On three corners sliding has one answer; on one, and in the air, so has everything.
static void fewer_corners_have_one_answer(void **state)
{
    (void)state;
    const double falling[6] = {0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    scree_error error = {0};
    for (int k = 0; k < 3; ++k) {
        double p[12] = {0.0};
        scree_problem *problem =
            body_problem(SCREE_LAW_CONVEX, k == 0 ? 3 : 1, corner, up, 0.5, k < 2 ? sliding : falling);
        assert_true(solve(problem, p) <= 1e-12);
        assert_int_equal(scree_problem_free_reactions(problem, p, &error), 0);
        scree_problem_destroy(problem);
    }
}

/// Under Coulomb's law a contact opens where its normal velocity does, however fast it slips meanwhile.
static void what_takes_off_while_it_slips_has_no_free_reactions(void **state)
{
    (void)state;
    const double rising[6] = {1.0, 0.0, 0.1, 0.0, 0.0, 0.0};
    double p[12] = {0.0};
    scree_error error = {0};
    scree_problem *problem = body_problem(SCREE_LAW_COULOMB, 4, corner, up, 0.5, rising);
    assert_true(solve(problem, p) <= 1e-12);
    assert_int_equal(scree_problem_free_reactions(problem, p, &error), 0);
    scree_problem_destroy(problem);
}

/// Between floor and ceiling it can be clamped.
static void clamped_brick_is_not_pointed(void **state)
{
    (void)state;
    const double arm[2][3] = {{0.0, 0.0, -0.05}, {0.0, 0.0, 0.05}}, normal[2][3] = {{0, 0, 1}, {0, 0, -1}};
    scree_problem *problem = body_problem(SCREE_LAW_COULOMB, 2, arm, normal, 0.0, at_rest);
    expect_pointed(problem, SCREE_POINTED_NO);
    scree_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groove_jams_where_friction_reaches_its_angle),
        cmocka_unit_test(brick_on_four_corners_has_free_reactions_and_one_velocity),
        cmocka_unit_test(fewer_corners_have_one_answer),
        cmocka_unit_test(what_takes_off_while_it_slips_has_no_free_reactions),
        cmocka_unit_test(clamped_brick_is_not_pointed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
