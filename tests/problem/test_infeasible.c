/* test_infeasible.c: problems without a solution are called so, with loads that prove it; all others never.
 *
 * A proof is judged here from the data: z in the cones of the law, |z'W| and q.z computed anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "failing_allocator.h"
#include "problems.h"
#include "solvers/solver_private.h"
#include "try.h"

#include <float.h>
#include <scree/solver.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double uniform(uint64_t *s)
{
    return 2.0 * random_uniform(s, 0.0, 1.0) - 1.0;
}

/* ---- problems ------------------------------------------------------------------------------------------------------- */

enum { ROWS = 64 };

/// Contacts of one body of `dof` degrees of freedom and mass 1, rows of H' given, q given.
static scree_problem *make_body(scree_law law, int contacts, const scree_cone *cone, int bounds, const double *bound,
                                int dof, const double *rows, const double *q)
{
    double inv_mass[36] = {0};
    int row[ROWS], column[ROWS] = {0};
    for (int i = 0; i < dof; ++i) inv_mass[i * (dof + 1)] = 1.0;
    for (int b = 0; b < contacts + bounds; ++b) row[b] = b;
    scree_problem_def def = scree_problem_def_default();
    def.law = law, def.contact_count = contacts, def.bound_count = bounds, def.cone = cone, def.bound = bound;
    def.q = q, def.body_count = 1, def.body_dof = &dof, def.body_inv_mass = inv_mass;
    def.entry_count = (size_t)contacts + (size_t)bounds, def.entry_row = row, def.entry_column = column,
    def.entry_value = rows;
    scree_problem *problem = NULL;
    assert_int_equal(try_problem_create(&def, NULL, &problem, NULL), SCREE_OK);
    return problem;
}

/// Two bilateral rows on the same line of motion, the second `twice` as long; the body must have speed 1 by the first and
/// `speed` by the second.
static scree_problem *make_joints(double twice, double speed)
{
    const double bound[2] = {(double)INFINITY, (double)INFINITY};
    double rows[6] = {0.6, 0.8, 0.0, 0.6 * twice, 0.8 * twice, 0.0}, q[2] = {-1.0, -speed * twice};
    return make_body(SCREE_LAW_COULOMB, 0, NULL, 2, bound, 3, rows, q);
}

/// A ball (planar, radius 1) in a wedge: walls that lean out by `angle`, moving towards each other at `speed` each; the ball is thrown up
/// at `up`. Friction holds it where mu > tan(angle).
static scree_problem *make_wedge(scree_law law, double angle, double mu, double speed, double up)
{
    const scree_cone cone[2] = {scree_cone_planar(mu), scree_cone_planar(mu)};
    double rows[12], q[4];
    for (int c = 0; c < 2; ++c) {
        double side = c ? -1.0 : 1.0, n[2] = {side * cos(angle), sin(angle)}, t[2] = {-n[1], n[0]};
        const double *axis[2] = {n, t};
        for (int i = 0; i < 2; ++i) {
            rows[c * 6 + i * 3] = axis[i][0], rows[c * 6 + i * 3 + 1] = axis[i][1];
            rows[c * 6 + i * 3 + 2] = i ? -1.0 : 0.0; /* the ball turns: its surface moves at the contact */
            q[c * 2 + i] = -side * speed * axis[i][0] + up * axis[i][1];
        }
    }
    return make_body(law, 2, cone, 0, NULL, 3, rows, q);
}

/// Random rows on `dof` degrees of freedom, made blind to random loads of the law (z, which it returns: normal loads alone, or a
/// point of the cones), and q that presses against them or, with `pressed` 0, a q that has a solution.
typedef struct random_case {
    scree_problem *problem;
    double z[ROWS];
} random_case;

enum { CONTACTS = 6, DOF = 6 };

static random_case make_random(scree_law law, int pressed, uint64_t seed)
{
    uint64_t g = seed;
    random_case r = {.problem = NULL};
    scree_cone cone[CONTACTS] = {scree_cone_slide(0.5),           scree_cone_slide(0.3),
                                 scree_cone_slide_roll(0.5, 0.1), scree_cone_slide_roll_spin(0.6, 0.1, 0.05),
                                 scree_cone_planar(0.4),          scree_cone_slide(0.0)};
    const double bound[2] = {(double)INFINITY, 0.5};
    int offset[CONTACTS + 3] = {0}, carries[CONTACTS];
    for (int b = 0; b < CONTACTS + 2; ++b) offset[b + 1] = offset[b] + (b < CONTACTS ? scree_cone_dim(&cone[b]) : 1);
    int n = offset[CONTACTS + 2];
    double H[ROWS * DOF], q[ROWS], zz = 0.0;
    for (int i = 0; i < n; ++i) {
        q[i] = uniform(&g);
        for (int k = 0; k < DOF; ++k) H[i * DOF + k] = uniform(&g);
    }
    for (int c = 0; c < CONTACTS; ++c) {
        double x[SCREE_DIM_MAX];
        carries[c] = c < 2 || uniform(&g) > 0.0;
        for (int i = 0; i < SCREE_DIM_MAX; ++i) x[i] = uniform(&g);
        x[0] = 0.2 + fabs(x[0]);
        if (!carries[c]) continue;
        if (law == SCREE_LAW_CONVEX) scree_cone_project(&cone[c], x, r.z + offset[c]);
        else r.z[offset[c]] = x[0];
    }
    r.z[offset[CONTACTS]] = uniform(&g);
    for (int i = 0; i < n; ++i) zz += r.z[i] * r.z[i];
    for (int k = 0; k < DOF; ++k) { /* H z = 0 */
        double s = 0.0;
        for (int i = 0; i < n; ++i) s += H[i * DOF + k] * r.z[i];
        for (int i = 0; i < n; ++i) H[i * DOF + k] -= s / zz * r.z[i];
    }
    if (pressed) {
        double s = 0.0;
        for (int i = 0; i < n; ++i) s += q[i] * r.z[i];
        for (int i = 0; i < n; ++i) q[i] -= (s + 0.5 * zz) / zz * r.z[i];
    } else { /* q = y - W p, of loads and velocities that obey the law */
        double p[ROWS] = {0}, v[DOF] = {0};
        for (int c = 0; c < CONTACTS; ++c) {
            double x[SCREE_DIM_MAX], *y = q + offset[c];
            for (int i = 0; i < SCREE_DIM_MAX; ++i) x[i] = uniform(&g);
            if (c % 2) scree_cone_project(&cone[c], x, p + offset[c]);
            if (c % 2) memset(y, 0, (size_t)(offset[c + 1] - offset[c]) * sizeof *y);
            else y[0] = 10.0; /* opens faster than any slip times a coefficient */
        }
        q[offset[CONTACTS]] = 0.0, p[offset[CONTACTS]] = uniform(&g);
        q[offset[CONTACTS + 1]] = 0.0, p[offset[CONTACTS + 1]] = 0.5 * uniform(&g);
        for (int k = 0; k < DOF; ++k)
            for (int i = 0; i < n; ++i) v[k] += H[i * DOF + k] * p[i];
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < DOF; ++k) q[i] -= H[i * DOF + k] * v[k];
    }
    r.problem = make_body(law, CONTACTS, cone, 2, bound, DOF, H, q);
    return r;
}

/* ---- judging -------------------------------------------------------------------------------------------------------- */

/// z in the cones that the law leaves, moving nothing, pressed by q. `press` of |q||z| is asked for.
static void check_proof(const scree_problem *problem, const double *z)
{
    double *y = calloc((size_t)problem->row_count + 1, sizeof *y), Wz = 0.0, zz = 0.0, qz = 0.0, qq = 0.0;
    assert_non_null(y);
    scree_problem_apply(problem, z, y, NULL);
    for (int i = 0; i < problem->row_count; ++i)
        Wz += y[i] * y[i], zz += z[i] * z[i], qz += problem->q[i] * z[i], qq += problem->q[i] * problem->q[i];
    assert_true(zz > 0.0);
    assert_true(sqrt(Wz / zz) <= 1e-12);
    assert_true(qz <= -1e-3 * sqrt(qq * zz));
    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_cone *cone = &problem->cone[c];
        const double *z_c = z + problem->offset[c];
        assert_true(z_c[0] >= 0.0);
        for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += cone->size[k++]) {
            double load = 0.0;
            for (int i = at; i < at + cone->size[k]; ++i) load += z_c[i] * z_c[i];
            assert_true(sqrt(load) <=
                        (problem->law == SCREE_LAW_CONVEX ? cone->coef[k] * z_c[0] * (1.0 + 1e-14) : 0.0));
        }
    }
    for (int b = 0; b < problem->bound_count; ++b)
        if (problem->bound[b] <= DBL_MAX) assert_true(z[problem->offset[problem->contact_count + b]] == 0.0);
    free(y);
}

typedef struct answer {
    scree_outcome outcome;
    double residual, margin, p[ROWS], z[ROWS];
} answer;

static answer ask(const scree_problem *problem, const char *name)
{
    answer a = {.margin = 0.0};
    double y[ROWS];
    scree_solver_options options = scree_solver_options_default();
    options.name = name, options.time_limit = 60.0;
    scree_solver *solver = NULL;
    scree_solve_info info;
    const double *z = NULL;
    assert_int_equal(try_solver_create(problem, &options, NULL, &solver, NULL), SCREE_OK);
    assert_int_equal(try_solver_solve(solver, problem, a.p, &info), SCREE_OK);
    const scree_infeasibility *proof = scree_solver_proof(solver, &z);
    assert_true((info.outcome == SCREE_OUTCOME_INFEASIBLE) == (proof != NULL));
    assert_true((z != NULL) == (proof != NULL));
    if (proof && z) {
        assert_true(proof->margin >= SCREE_INFEASIBLE_MARGIN);
        a.margin = proof->margin;
        memcpy(a.z, z, (size_t)problem->row_count * sizeof *z);
        check_proof(problem, z);
    }
    a.outcome = info.outcome, a.residual = try_problem_residual(problem, a.p, y);
    scree_solver_destroy(solver);
    return a;
}

/// The search for a proof alone, on a problem that nothing has failed on.
static int search(scree_problem *problem, double *z)
{
    scree_solver_options options = scree_solver_options_default();
    scree_solver *solver = NULL;
    double *zero = calloc((size_t)problem->row_count + 1, sizeof *zero);
    const double *found = NULL;
    options.name = "nsgs";
    assert_int_equal(try_solver_create(problem, &options, NULL, &solver, NULL), SCREE_OK);
    monitor m = {.problem = problem, .options = &options};
    int proved = solver_prove_infeasible(solver, problem, zero, &m);
    scree_solver_proof(solver, &found);
    if (found && z) memcpy(z, found, (size_t)problem->row_count * sizeof *z);
    scree_solver_destroy(solver);
    free(zero);
    return proved;
}

/* ---- claims --------------------------------------------------------------------------------------------------------- */

static void joints_that_contradict_each_other_are_infeasible(void **state)
{
    (void)state;
    for (int form = 0; form < 2; ++form) {
        scree_problem *problem = make_joints(2.0, 1.1), *other = NULL;
        if (form) {
            assert_int_equal(try_problem_assemble(problem, NULL, &other), SCREE_OK);
            scree_problem_destroy(problem);
            problem = other;
        }
        answer a = ask(problem, "auto");
        assert_int_equal(a.outcome, SCREE_OUTCOME_INFEASIBLE);
        assert_true(fabs(a.z[0] + 2.0 * a.z[1]) <= 1e-12); /* (2, -1): the joints pull against each other */
        scree_problem_destroy(problem);
    }
}

static void joints_that_repeat_each_other_are_solved(void **state)
{
    (void)state;
    const double twice[3] = {1.0, 2.0, -1e3};
    for (int i = 0; i < 3; ++i) {
        scree_problem *problem = make_joints(twice[i], 1.0);
        answer a = ask(problem, "auto");
        assert_int_equal(a.outcome, SCREE_OUTCOME_CONVERGED);
        assert_true(a.residual <= 1e-8);
        assert_false(search(problem, NULL));
        scree_problem_destroy(problem);
    }
}

static void a_ball_between_walls_that_close_is_infeasible_for_every_solver(void **state)
{
    (void)state;
    for (int law = SCREE_LAW_COULOMB; law <= SCREE_LAW_CONVEX; ++law)
        for (int k = 0; scree_solver_class_at(k); ++k) {
            const scree_solver_class *class_ = scree_solver_class_at(k);
            if (!scree_solver_class_takes_law(class_, (scree_law)law)) continue;
            scree_problem *problem = make_wedge((scree_law)law, 0.0, 0.4, 0.1, 0.3);
            answer a = ask(problem, scree_solver_class_name(class_));
            if (a.outcome != SCREE_OUTCOME_INFEASIBLE)
                print_error("%s: %s, residual %g\n", scree_solver_class_name(class_), scree_outcome_name(a.outcome),
                            a.residual);
            assert_int_equal(a.outcome, SCREE_OUTCOME_INFEASIBLE);
            assert_true(fabs(a.z[0] - 1.0) <= 1e-12 && fabs(a.z[2] - 1.0) <= 1e-12); /* both walls press alike */
            scree_problem_destroy(problem);
        }
}

static void a_contact_that_nothing_can_open_is_infeasible(void **state)
{
    (void)state;
    const scree_cone cone[2] = {scree_cone_slide(0.5), scree_cone_slide(0.5)};
    double rows[18] = {0.0}, q[6] = {-1.0, 0.0, 0.0, -0.01, 0.2, 0.0}; /* the second: two fixed bodies that approach */
    rows[0] = rows[4] = rows[8] = 1.0;
    for (int law = SCREE_LAW_COULOMB; law <= SCREE_LAW_CONVEX; ++law) {
        scree_problem *problem = make_body((scree_law)law, 2, cone, 0, NULL, 3, rows, q);
        answer a = ask(problem, "auto");
        assert_int_equal(a.outcome, SCREE_OUTCOME_INFEASIBLE);
        assert_true(a.z[3] > 0.0 && a.z[0] == 0.0);
        scree_problem_destroy(problem);
    }
}

/// The same alone, so that no load moves anything along the normal: the residual, which divides by the loads, falls as they grow.
static void loads_that_move_nothing_do_not_fool_a_solver(void **state)
{
    (void)state;
    const scree_cone cone = scree_cone_slide(0.5);
    const double rows[9] = {0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, q[3] = {-1.0, 0.2, 0.0};
    for (int law = SCREE_LAW_COULOMB; law <= SCREE_LAW_CONVEX; ++law)
        for (int k = 0; scree_solver_class_at(k); ++k) {
            const scree_solver_class *class_ = scree_solver_class_at(k);
            if (!scree_solver_class_takes_law(class_, (scree_law)law)) continue;
            scree_problem *problem = make_body((scree_law)law, 1, &cone, 0, NULL, 3, rows, q);
            answer a = ask(problem, scree_solver_class_name(class_));
            /* `stepping` has so many sweeps for each step, and proves nothing before they are used up */
            int sweeps = strcmp(scree_solver_class_name(class_), "stepping") == 0;
            if (a.outcome != (sweeps ? SCREE_OUTCOME_MAX_ITERATIONS : SCREE_OUTCOME_INFEASIBLE))
                fail_msg("%s: %s", scree_solver_class_name(class_), scree_outcome_name(a.outcome));
            scree_problem_destroy(problem);
        }
}

/// Walls that lean out by 0.2 and close: without friction the ball is squeezed out. With mu > tan 0.2 loads inside the cones stand
/// against each other: no solution under the convex law. Under Coulomb's a ball that flies out fast enough never touches.
static void a_wedge_that_friction_jams_is_infeasible_under_the_convex_law_only(void **state)
{
    (void)state;
    scree_problem *problem = make_wedge(SCREE_LAW_CONVEX, 0.2, 0.1, 0.1, 0.0);
    assert_int_equal(ask(problem, "auto").outcome, SCREE_OUTCOME_CONVERGED); /* squeezed out */
    problem->law = SCREE_LAW_COULOMB;
    assert_int_equal(ask(problem, "auto").outcome, SCREE_OUTCOME_CONVERGED);
    scree_problem_destroy(problem);

    problem = make_wedge(SCREE_LAW_CONVEX, 0.2, 0.4, 0.1, 1.0);
    answer a = ask(problem, "auto");
    assert_int_equal(a.outcome, SCREE_OUTCOME_INFEASIBLE);
    assert_true(fabs(a.z[1] / a.z[0]) <= 0.4 &&
                fabs(a.z[1] / a.z[0] + tan(0.2)) <= 1e-10); /* along the line of centres */
    problem->law = SCREE_LAW_COULOMB;
    a = ask(problem, "auto");
    assert_int_equal(a.outcome, SCREE_OUTCOME_CONVERGED); /* up at 1 > 0.1 cot 0.2 = 0.49 */
    assert_true(fabs(a.p[0]) <= 1e-8 && fabs(a.p[2]) <= 1e-8);
    assert_false(search(problem, NULL));
    scree_problem_destroy(problem);
}

/// The same, at rest: sliding out is the only motion that the walls leave, and friction on the rim then pulls the ball in. There is no
/// solution, but no loads of the kind that prove it: it must not be called infeasible; nor solved, although the residual, which
/// divides by loads that run away, falls below any tolerance.
static void a_jam_under_coulombs_law_is_left_open(void **state)
{
    (void)state;
    scree_problem *problem = make_wedge(SCREE_LAW_COULOMB, 0.2, 0.4, 0.1, 0.0);
    int fooled = 0;
    assert_false(search(problem, NULL));
    for (int k = 0; scree_solver_class_at(k); ++k) {
        if (!scree_solver_class_takes_law(scree_solver_class_at(k), SCREE_LAW_COULOMB)) continue;
        answer a = ask(problem, scree_solver_class_name(scree_solver_class_at(k)));
        assert_true(a.outcome != SCREE_OUTCOME_CONVERGED && a.outcome != SCREE_OUTCOME_INFEASIBLE);
        fooled += a.residual <= 1e-8;
    }
    assert_true(fooled > 0);
    scree_problem_destroy(problem);
}

static void constructed_proofs_are_found(void **state)
{
    (void)state;
    for (int law = SCREE_LAW_COULOMB; law <= SCREE_LAW_CONVEX; ++law)
        for (uint64_t seed = 1; seed <= 60 / SCREE_SAMPLE_SHARE; ++seed) {
            random_case r = make_random((scree_law)law, 1, seed);
            scree_problem *assembled = NULL;
            double z[ROWS];
            if (!search(r.problem, z)) fail_msg("law %d, seed %d: not found", law, (int)seed);
            check_proof(r.problem, z);
            assert_int_equal(try_problem_assemble(r.problem, NULL, &assembled), SCREE_OK);
            if (!search(assembled, z)) fail_msg("law %d, seed %d, assembled: not found", law, (int)seed);
            check_proof(assembled, z);
            scree_problem_destroy(assembled);
            scree_problem_destroy(r.problem);
        }
}

static void problems_with_a_solution_are_never_called_infeasible(void **state)
{
    (void)state;
    for (int law = SCREE_LAW_COULOMB; law <= SCREE_LAW_CONVEX; ++law)
        for (uint64_t seed = 1; seed <= 100 / SCREE_SAMPLE_SHARE; ++seed) {
            random_case r = make_random((scree_law)law, 0, seed);
            scree_infeasibility proof;
            assert_false(search(r.problem, NULL));
            assert_int_equal(try_problem_infeasible(r.problem, r.z, &proof), SCREE_OK); /* a self-stress, not pressed */
            assert_false(proof.proved);
            scree_problem_destroy(r.problem);
        }
    for (uint64_t seed = 1; seed <= (SCREE_SAMPLE_SHARE > 1 ? 1 : 4); ++seed)
        for (int heavy = 0; heavy < 2; ++heavy) {
            pile_def def = pile_def_default();
            pile geometry = {0};
            scree_problem *problem = NULL;
            def.grains = 40, def.moving = 1.0, def.seed = seed, def.mass_ratio = heavy ? 1e4 : 1.0;
            assert_true(pile_build(&def, &geometry));
            assert_int_equal(pile_problem(&def, &geometry, NULL, &problem), SCREE_OK);
            assert_false(search(problem, NULL));
            problem->law = SCREE_LAW_CONVEX; /* walls at rest: p = 0 and v = 0 are feasible under both laws */
            assert_false(search(problem, NULL));
            pile_free(&geometry);
            scree_problem_destroy(problem);
        }
}

static void expect_feasible(const char *name, scree_problem *problem, void *context)
{
    int *met = context; /* under a sanitizer one of ten is searched */
    if ((*met)++ % SCREE_SAMPLE_SHARE == 0 && search(problem, NULL)) fail_msg("%s is called infeasible", name);
}

/// Ours in tests/problems, and those that others left in ../shared/data, where that folder is there.
static void no_stored_problem_is_called_infeasible(void **state)
{
    (void)state;
    int met = 0;
    assert_true(for_each_stored_problem(expect_feasible, &met) >= 6);
}

/* ---- memory --------------------------------------------------------------------------------------------------------- */

static void without_memory_nothing_is_proved_and_nothing_is_lost(void **state)
{
    (void)state;
    failing c = {.left = -1};
    scree_allocator a = failing_allocator(&c);
    for (int form = 0; form < 2; ++form) {
        random_case r = make_random(SCREE_LAW_CONVEX, 1, 3);
        scree_problem *problem = r.problem, *assembled = NULL;
        if (form) {
            assert_int_equal(try_problem_assemble(r.problem, NULL, &assembled), SCREE_OK);
            problem = assembled;
        }
        problem->allocator = a; /* used by scree_problem_infeasible alone from here on */
        scree_allocator own = form ? assembled->allocator : r.problem->allocator;
        int proved = 0, failed = 0; /* attempts that lacked memory, and said that nothing is proved */
        for (int n = 0; !proved; ++n) {
            scree_solver_options options = scree_solver_options_default();
            scree_solver *solver = NULL;
            double zero[ROWS] = {0};
            c = (failing){.left = -1};
            options.name = "nsgs";
            assert_int_equal(try_solver_create(problem, &options, &own, &solver, NULL), SCREE_OK);
            monitor m = {.problem = problem, .options = &options};
            c.left = n;
            proved = solver_prove_infeasible(solver, problem, zero, &m);
            failed += !proved, c.left = -1;
            scree_solver_destroy(solver);
            assert_int_equal(c.live, 0);
        }
        assert_true(failed >= 2); /* the search has arrays of its own, in either form */
        problem->allocator = scree_allocator_default();
        if (form) scree_problem_destroy(assembled);
        scree_problem_destroy(r.problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_that_contradict_each_other_are_infeasible),
        cmocka_unit_test(joints_that_repeat_each_other_are_solved),
        cmocka_unit_test(a_ball_between_walls_that_close_is_infeasible_for_every_solver),
        cmocka_unit_test(a_contact_that_nothing_can_open_is_infeasible),
        cmocka_unit_test(loads_that_move_nothing_do_not_fool_a_solver),
        cmocka_unit_test(a_wedge_that_friction_jams_is_infeasible_under_the_convex_law_only),
        cmocka_unit_test(a_jam_under_coulombs_law_is_left_open),
        cmocka_unit_test(constructed_proofs_are_found),
        cmocka_unit_test(problems_with_a_solution_are_never_called_infeasible),
        cmocka_unit_test(no_stored_problem_is_called_infeasible),
        cmocka_unit_test(without_memory_nothing_is_proved_and_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
