/* test_smallest.c: of all reactions with the velocities of a solution the smallest are found: by hand for a brick, as the limit of soft
 * contacts for piles, and the same whichever solver found the velocities (src/solvers/smallest.c, docs/math/problem.md). */
#include "problem/problem_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "problems.h"

static double largest_of(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

static double apart(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i] - y[i]));
    return most / fmax(largest_of(n, x), 1e-300);
}

static double *vector_of(const scree_problem *problem)
{
    double *x = calloc((size_t)problem->row_count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/// Solves from p, in place; returns the residual.
static double solve(const char *solver, const scree_problem *problem, double *p)
{
    scree_error error = {0};
    scree_solver_options options = scree_solver_options_default();
    options.name = solver, options.tolerance = 1e-13, options.max_iterations = 20000;
    scree_solver *s = scree_solver_create(problem, &options, &error);
    assert_non_null(s);
    scree_solve_info info = scree_solver_solve(s, problem, p, &error);
    scree_solver_destroy(s);
    return info.residual;
}

static scree_smallest shrink(const scree_problem *problem, double *p)
{
    scree_error error = {0};
    scree_smallest found = scree_problem_smallest_reactions(problem, p, &error);
    assert_int_equal(error.status, SCREE_OK);
    return found;
}

/// A brick of 2 kg on four corners, at rest or sliding along x.
static scree_problem *brick(double speed)
{
    static const double corner[4][3] = {{0.2, 0.1, -0.05}, {0.2, -0.1, -0.05}, {-0.2, 0.1, -0.05}, {-0.2, -0.1, -0.05}};
    scree_cone cone[4];
    scree_rigid_contact contact[4] = {{0}};
    scree_rigid_mass mass = {{0.5, 0.5, 0.5}, {4.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 2.0}};
    double v_free[6] = {speed, 0.0, -0.01, 0.0, 0.0, 0.0};
    scree_error error = {0};
    scree_rigid_def def = scree_rigid_def_default();
    for (int k = 0; k < 4; ++k) {
        cone[k] = scree_cone_slide(0.5);
        contact[k].body_a = -1, contact[k].body_b = 0, contact[k].normal[2] = 1.0, contact[k].tangent[0] = 1.0;
        for (int i = 0; i < 3; ++i) contact[k].arm_b[i] = corner[k][i];
    }
    def.contact_count = 4, def.contact = contact, def.cone = cone, def.body_count = 1, def.mass = &mass;
    def.v_free = v_free;
    scree_problem *problem = scree_problem_from_rigid(&def, &error);
    assert_non_null(problem);
    return problem;
}

/// At rest each corner bears a quarter of the weight and there is no friction. Sliding, friction is tied to the normal forces, and those
/// that balance forces and moments and have the least sum of squares are an affine function of the place: r0 - r1 - r2 + r3 = 0.
static void a_brick_stands_on_its_four_corners_alike(void **state)
{
    (void)state;
    for (int slides = 0; slides < 2; ++slides) {
        scree_problem *problem = brick(slides ? 1.0 : 0.0);
        double p[12] = {0.0}, y[2][12];
        scree_error error = {0};
        p[0] = p[9] = 5.0; /* two opposite corners carry the guess */
        assert_true(solve("momentum", problem, p) <= 1e-13);
        double twist = p[0] - p[3] - p[6] + p[9];
        assert_int_equal(scree_problem_velocity(problem, p, y[0], &error), SCREE_OK);
        assert_true(fabs(twist) > 1e-4);
        scree_smallest found = shrink(problem, p);
        assert_true(found.found && found.after < found.before && found.moved <= 1e-14);
        assert_int_equal(scree_problem_velocity(problem, p, y[1], &error), SCREE_OK);
        for (int i = 0; i < 12; ++i) assert_true(fabs(y[0][i] - y[1][i]) <= 1e-14);
        assert_true(fabs(p[0] - p[3] - p[6] + p[9]) <= 1e-10);
        assert_true(fabs(p[0] + p[3] + p[6] + p[9] - 0.02) <= 1e-12);
        for (int k = 0; k < 4; ++k) {
            if (!slides) assert_true(fabs(p[3 * k] - 0.005) <= 1e-10 && hypot(p[3 * k + 1], p[3 * k + 2]) <= 1e-10);
            else assert_true(fabs(p[3 * k + 1] + 0.5 * p[3 * k]) <= 1e-12 && fabs(p[3 * k + 2]) <= 1e-12);
        }
        scree_problem_destroy(problem);
    }
}

static void check_same(const scree_problem *problem, const char *const solver[2])
{
    double *p[2] = {vector_of(problem), vector_of(problem)}, *y = vector_of(problem);
    int n = problem->row_count;
    scree_smallest found[2];
    for (int k = 0; k < 2; ++k) assert_true(solve(solver[k], problem, p[k]) <= 1e-12);
    double before = apart(n, p[0], p[1]);
    for (int k = 0; k < 2; ++k) {
        found[k] = shrink(problem, p[k]);
        assert_true(found[k].found && found[k].after <= found[k].before * (1.0 + 1e-9));
        assert_true(found[k].moved <= 1e-10 * largest_of(n, problem->q));
        assert_true(try_problem_residual(problem, p[k], y) <= 1e-10); /* a solution all the same */
    }
    print_message("%d rows, %s and %s: apart by %.1e of the largest, then %.1e; energy %.6g, %.6g -> %.6g J\n", n,
                  solver[0], solver[1], before, apart(n, p[0], p[1]), found[0].before, found[1].before, found[0].after);
    assert_true(before > 1e-3); /* else there was nothing to choose */
    assert_true(apart(n, p[0], p[1]) <= 1e-6);
    free(p[0]), free(p[1]), free(y);
}

static pile_def pile_of(int grains, int dim, double moving)
{
    pile_def def = pile_def_default();
    def.grains = grains, def.dim = dim, def.moving = moving, def.seed = 4;
    return def;
}

static void two_solvers_have_the_same_reactions(void **state)
{
    static const char *const solvers[][2] = {{"momentum", "newton"}, {"nsgs", "newton"}, {"momentum", "ipm"}};
    (void)state;
    for (int k = 0; k < 3; ++k) {
        pile_def def = pile_of(k == 2 ? 50 : 40, k == 1 ? 6 : 3, k == 1 ? 0.2 : 0.0);
        scree_problem *problem = problem_of_pile(&def), *assembled = NULL;
        scree_error error = {0};
        check_same(problem, solvers[k]);
        if (k == 0) {
            assembled = scree_problem_assemble(problem, NULL, &error);
            assert_non_null(assembled);
            check_same(assembled, solvers[k]);
        }
        scree_problem_destroy(assembled);
        scree_problem_destroy(problem);
    }
}

/// Under the convex law a compliance of d g in every row makes reactions unique; for d -> 0 they become the smallest: 10 times nearer with
/// 10 times less.
static void they_are_the_limit_of_soft_contacts(void **state)
{
    pile_def def = pile_of(30, 3, 0.0);
    scree_problem *problem = problem_of_pile(&def);
    problem->law = SCREE_LAW_CONVEX;
    scree_problem *soft = scree_problem_assemble(problem, NULL, NULL);
    int n = problem->row_count;
    double *p = vector_of(problem), *s = vector_of(problem), error[2];
    (void)state;
    assert_non_null(soft);
    assert_true(solve("newton", problem, p) <= 1e-12);
    assert_true(shrink(problem, p).found);
    soft->compliance = memory_array(&soft->allocator, (size_t)n + 1, sizeof *soft->compliance);
    for (int k = 0; k < 2; ++k) {
        double d = k ? 1e-7 : 1e-6;
        assert_int_equal(problem_form(problem, PARTS_ALL), SCREE_OK);
        for (int c = 0; c < problem->contact_count; ++c) {
            const double *D = problem->diagonal + problem->diagonal_at[c];
            double *g = soft->compliance + problem->offset[c];
            g[0] = d * D[0], g[1] = g[2] = d * 0.5 * (D[4] + D[8]);
        }
        assert_true(problem_refill_diagonal(soft));
        memcpy(s, p, (size_t)n * sizeof *s);
        assert_true(solve("newton", soft, s) <= 1e-12);
        error[k] = apart(n, p, s);
        print_message("compliance %g of W_cc: apart by %.2e\n", d, error[k]);
    }
    assert_true(error[0] <= 1e-2 && error[1] <= 0.15 * error[0]);
    free(p), free(s);
    scree_problem_destroy(problem), scree_problem_destroy(soft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_brick_stands_on_its_four_corners_alike),
        cmocka_unit_test(two_solvers_have_the_same_reactions),
        cmocka_unit_test(they_are_the_limit_of_soft_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
