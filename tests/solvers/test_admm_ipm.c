/* test_admm_ipm.c: the two solvers with a sparse factor, on problems made here: all cones, both laws, both forms of W, bounded and
 * bilateral rows, redundant contacts, and piles of spheres that are hard for sweeps.
 *
 * Every answer is judged by scree_problem_residual, from p alone; and since that divides by |p|, by |p| too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/pile.h"
#include "failing_allocator.h"
#include "try.h"

#include <scree/solver.h>
#include <stdlib.h>
#include <string.h>

static double uniform(uint64_t *s)
{
    return 2.0 * random_uniform(s, 0.0, 1.0) - 1.0;
}

static double length(int n, const double *x)
{
    double s = 0.0;
    for (int i = 0; i < n; ++i) s += x[i] * x[i];
    return sqrt(s);
}

/* ---- problems ----------------------------------------------------------------------------------------------------- */

enum { CONTACTS = 9, BOUNDS = 3, DOF = 40, ROWS_MAX = 6 * CONTACTS + BOUNDS };

/// All six shapes of cone, a frictionless contact, a cone without rolling resistance, a normal alone; a bilateral row, a bounded
/// one, one that carries nothing. W = B B' + 0.01 on the diagonal, full, positive definite.
static scree_problem *make_mixed(scree_law law, uint64_t seed)
{
    uint64_t g = seed;
    scree_cone cone[CONTACTS] = {scree_cone_planar(0.4),
                                 scree_cone_planar_roll(0.5, 0.1),
                                 scree_cone_slide(0.6),
                                 scree_cone_slide_spin(0.3, 0.05),
                                 scree_cone_slide_roll(0.5, 0.08),
                                 scree_cone_slide_roll_spin(0.7, 0.1, 0.02),
                                 scree_cone_slide(0.0),
                                 scree_cone_slide_roll(0.5, 0.0),
                                 {{0}, {0}}};
    double bound[BOUNDS] = {(double)INFINITY, 0.3, 0.0}, B[ROWS_MAX * DOF], q[ROWS_MAX];
    int offset[CONTACTS + BOUNDS + 1] = {0}, row[(CONTACTS + BOUNDS) * (CONTACTS + BOUNDS)],
                                   column[(CONTACTS + BOUNDS) * (CONTACTS + BOUNDS)];
    for (int b = 0; b < CONTACTS + BOUNDS; ++b)
        offset[b + 1] = offset[b] + (b < CONTACTS ? scree_cone_dim(&cone[b]) : 1);
    int rows = offset[CONTACTS + BOUNDS];
    for (int i = 0; i < rows * DOF; ++i) B[i] = uniform(&g);
    for (int i = 0; i < rows; ++i) q[i] = uniform(&g);
    for (int c = 0; c < CONTACTS; ++c) q[offset[c]] -= 0.7;
    double *value = calloc((size_t)rows * (size_t)rows, sizeof *value);
    assert_non_null(value);
    size_t at = 0, entries = 0;
    for (int b = 0; b < CONTACTS + BOUNDS; ++b)
        for (int c = 0; c < CONTACTS + BOUNDS; ++c) {
            row[entries] = b, column[entries++] = c;
            for (int i = offset[b]; i < offset[b + 1]; ++i)
                for (int j = offset[c]; j < offset[c + 1]; ++j, ++at) {
                    value[at] = i == j ? 0.01 : 0.0;
                    for (int k = 0; k < DOF; ++k) value[at] += B[i * DOF + k] * B[j * DOF + k];
                }
        }
    scree_problem_def def = scree_problem_def_default();
    def.law = law, def.contact_count = CONTACTS, def.bound_count = BOUNDS;
    def.cone = cone, def.bound = bound, def.q = q;
    def.entry_count = entries, def.entry_row = row, def.entry_column = column, def.entry_value = value;
    scree_problem *problem = NULL;
    assert_int_equal(try_problem_create(&def, NULL, &problem, NULL), SCREE_OK);
    free(value);
    return problem;
}

static scree_problem *make_pile(int grains, int dim, double moving, double mass_ratio, double rho, scree_law law,
                                uint64_t seed)
{
    pile_def def = pile_def_default();
    def.grains = grains, def.dim = dim, def.moving = moving, def.mass_ratio = mass_ratio;
    def.rho = def.sigma = rho, def.law = law, def.seed = seed;
    pile p = {0};
    scree_problem *problem = NULL;
    assert_true(pile_build(&def, &p));
    assert_int_equal(pile_problem(&def, &p, NULL, &problem), SCREE_OK);
    pile_free(&p);
    return problem;
}

/// A box of mass 1 and half sides 0.5 on a plane, touched at its four lower corners: twelve rows on six degrees of freedom. Pushed
/// sideways by `push` (of its weight): it sticks below mu = 0.5.
static scree_problem *make_box(double push)
{
    scree_cone cone[4];
    double inv_mass[36] = {0}, rows[4 * 18], v_free[6] = {push, 0.0, -1.0};
    int row[4], column[4] = {0}, dof = 6;
    for (int i = 0; i < 6; ++i) inv_mass[i * 7] = i < 3 ? 1.0 : 6.0;
    for (int c = 0; c < 4; ++c) {
        double r[3] = {c & 1 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, -0.5};
        const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
        cone[c] = scree_cone_slide(0.5), row[c] = c;
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) {
                const double *a = axis[i];
                rows[c * 18 + i * 6 + k] = a[k];
                rows[c * 18 + i * 6 + 3 + k] = r[(k + 1) % 3] * a[(k + 2) % 3] - r[(k + 2) % 3] * a[(k + 1) % 3];
            }
    }
    scree_problem_def def = scree_problem_def_default();
    def.contact_count = 4, def.cone = cone, def.body_count = 1, def.body_dof = &dof, def.body_inv_mass = inv_mass;
    def.v_free = v_free;
    def.entry_count = 4, def.entry_row = row, def.entry_column = column, def.entry_value = rows;
    scree_problem *problem = NULL;
    assert_int_equal(try_problem_create(&def, NULL, &problem, NULL), SCREE_OK);
    return problem;
}

/* ---- solving ------------------------------------------------------------------------------------------------------- */

/// Solves cold; returns the residual recomputed from p.
static double solve_with(const char *name, const scree_problem *problem, double tolerance, double *p)
{
    scree_solver_options options = scree_solver_options_default();
    options.name = name, options.tolerance = tolerance;
    if (strcmp(name, "nsgs") == 0) options.max_iterations = 500;
    scree_solver *solver = NULL;
    scree_solve_info info;
    double *y = calloc((size_t)problem->row_count + 1, sizeof *y);
    assert_non_null(y);
    memset(p, 0, (size_t)problem->row_count * sizeof *p);
    assert_int_equal(try_solver_create(problem, &options, NULL, &solver, NULL), SCREE_OK);
    assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
    double residual = try_problem_residual(problem, p, y);
    assert_true((info.outcome == SCREE_OUTCOME_CONVERGED) == (residual <= tolerance));
    scree_solver_destroy(solver);
    free(y);
    return residual;
}

/// Solved to the tolerance, and |p| no more than `growth` times that of 500 sweeps of nsgs.
static void check_solved(const char *name, const scree_problem *problem, double tolerance, double growth)
{
    double *p = calloc((size_t)problem->row_count + 1, sizeof *p),
           *r = calloc((size_t)problem->row_count + 1, sizeof *r);
    assert_non_null(p);
    assert_non_null(r);
    double residual = solve_with(name, problem, tolerance, p);
    if (!(residual <= tolerance)) fail_msg("%s: residual %g, expected %g", name, residual, tolerance);
    solve_with("nsgs", problem, tolerance, r);
    double size = length(problem->row_count, p), reference = length(problem->row_count, r);
    if (!(size <= growth * reference)) fail_msg("%s: |p| is %g, that of nsgs %g", name, size, reference);
    free(p);
    free(r);
}

static void both_solve_every_cone_and_row_under_both_laws(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; ++seed)
        for (int law = SCREE_LAW_COULOMB; law <= SCREE_LAW_CONVEX; ++law) {
            scree_problem *problem = make_mixed((scree_law)law, seed);
            check_solved("ipm", problem, 1e-9, 1.5);
            check_solved("admm", problem, 1e-7, 1.5);
            scree_problem_destroy(problem);
        }
}

static void what_cannot_carry_a_load_carries_none(void **state)
{
    (void)state;
    double p[ROWS_MAX];
    scree_problem *problem = make_mixed(SCREE_LAW_COULOMB, 3);
    const char *const names[2] = {"ipm", "admm"};
    for (int i = 0; i < 2; ++i) {
        solve_with(names[i], problem, 1e-7, p);
        int slick = problem->offset[6], rolls = problem->offset[7], last = problem->row_count - 1;
        assert_true(p[slick + 1] == 0.0 && p[slick + 2] == 0.0);
        assert_true(p[rolls + 3] == 0.0 && p[rolls + 4] == 0.0);
        assert_true(p[last] == 0.0);
    }
    scree_problem_destroy(problem);
}

static void admm_stays_in_the_cone(void **state)
{
    (void)state;
    double p[ROWS_MAX], y[ROWS_MAX];
    scree_problem *problem = make_mixed(SCREE_LAW_COULOMB, 5);
    scree_certificate certificate;
    solve_with("admm", problem, 1e-2,
               p); /* stopped early: the multiplier is far from its end, z is in K all the same */
    try_problem_certify(problem, p, y, &certificate);
    assert_true(certificate.cone_violation <= 1e-15); /* one rounding of the rim */
    scree_problem_destroy(problem);
}

static void both_forms_of_W_are_solved(void **state)
{
    (void)state;
    const int dims[3] = {3, 5, 6};
    for (int i = 0; i < 3; ++i)
        for (int law = SCREE_LAW_COULOMB; law <= SCREE_LAW_CONVEX; ++law) {
            scree_problem *bodies = make_pile(40, dims[i], 0.0, 1.0, 0.05, (scree_law)law, 1), *assembled = NULL;
            assert_int_equal(try_problem_assemble(bodies, NULL, &assembled), SCREE_OK);
            check_solved("ipm", bodies, 1e-8, 2.0);
            check_solved("ipm", assembled, 1e-8, 2.0);
            check_solved("admm", bodies, 1e-4, 2.0);
            check_solved("admm", assembled, 1e-4, 2.0);
            scree_problem_destroy(assembled);
            scree_problem_destroy(bodies);
        }
}

static void redundant_contacts_get_bounded_loads(void **state)
{
    (void)state;
    for (int pushed = 0; pushed <= 2; ++pushed) {
        double p[12];
        scree_problem *problem = make_box(0.4 * pushed), *assembled = NULL; /* at rest, stuck, sliding */
        assert_int_equal(try_problem_assemble(problem, NULL, &assembled), SCREE_OK);
        check_solved("ipm", problem, 1e-9, 1.2);
        check_solved("ipm", assembled, 1e-9, 1.2);
        check_solved("admm", assembled, 1e-8, 1.2);
        solve_with("ipm", assembled, 1e-9, p);
        double weight = p[0] + p[3] + p[6] + p[9], pull = p[1] + p[4] + p[7] + p[10];
        assert_true(fabs(weight - 1.0) <= 1e-6); /* momentum of the box: normal 1, sideways min(push, mu) */
        assert_true(fabs(pull + fmin(0.4 * pushed, 0.5)) <= 1e-6);
        scree_problem_destroy(assembled);
        scree_problem_destroy(problem);
    }
}

static void ipm_solves_what_is_hard_for_sweeps(void **state)
{
    (void)state;
    const struct {
        double moving, mass_ratio, rho;
    } hard[4] = {{1.0, 1.0, 0.05}, {0.0, 1000.0, 0.05}, {0.0, 1.0, 0.0}, {1.0, 1.0, 0.0}};
    for (int i = 0; i < 4; ++i)
        for (uint64_t seed = 1; seed <= 2; ++seed) {
            scree_problem *problem =
                make_pile(50, 6, hard[i].moving, hard[i].mass_ratio, hard[i].rho, SCREE_LAW_COULOMB, seed);
            check_solved("ipm", problem, 1e-8, 10.0); /* self-stress may differ, it must not run away */
            scree_problem_destroy(problem);
        }
}

/// By bodies the convex law comes first: a pile with heavy grains in which nothing slides takes one descent of it, where plain steps
/// on the split form stall and the path takes hundreds.
static void a_pile_at_rest_with_heavy_grains_takes_few_factors(void **state)
{
    (void)state;
    scree_problem *problem = make_pile(100, 6, 0.0, 1000.0, 0.05, SCREE_LAW_COULOMB, 2);
    double *p = calloc((size_t)problem->row_count, sizeof *p), *y = calloc((size_t)problem->row_count, sizeof *y);
    assert_true(p && y);
    scree_solver_options options = scree_solver_options_default();
    options.name = "ipm", options.max_iterations = 30;
    scree_solver *solver = NULL;
    scree_solve_info info;
    assert_int_equal(try_solver_create(problem, &options, NULL, &solver, NULL), SCREE_OK);
    assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
    scree_certificate certificate;
    try_problem_certify(problem, p, y, &certificate);
    assert_true(certificate.residual <= 1e-8);
    assert_int_equal(certificate.mode_count[SCREE_MODE_STICK], problem->contact_count);
    scree_solver_destroy(solver);
    scree_problem_destroy(problem);
    free(p), free(y);
}

/// Two ways to the Coulomb law that share no step but the convex solver: velocities, which are unique where W is definite and the
/// coefficients are small, must agree; loads too.
static void the_fixed_point_on_the_shift_agrees_with_the_split_form(void **state)
{
    (void)state;
    int solved = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        double p[ROWS_MAX], r[ROWS_MAX], difference = 0.0;
        scree_problem *problem = make_mixed(SCREE_LAW_COULOMB, seed);
        double residual = solve_with("ipm_shift", problem, 1e-9, p);
        if (residual <= 1e-9) {
            assert_true(solve_with("ipm", problem, 1e-9, r) <= 1e-9);
            for (int i = 0; i < problem->row_count; ++i) difference = fmax(difference, fabs(p[i] - r[i]));
            assert_true(difference <= 1e-6 * length(problem->row_count, r)); /* condition of W: 1e3 to 1e4 */
            solved += 1;
        }
        scree_problem_destroy(problem);
    }
    assert_true(solved >= 18);
    for (int i = 0; i < 3; ++i) { /* at rest the first convex solution is the answer */
        const int dims[3] = {3, 5, 6};
        scree_problem *problem = make_pile(40, dims[i], 0.0, i == 2 ? 100.0 : 1.0, 0.05, SCREE_LAW_COULOMB, 1);
        check_solved("ipm_shift", problem, 1e-8, 2.0);
        scree_problem_destroy(problem);
    }
    double p[12];
    scree_problem *box = make_box(0.8); /* pushed with 0.8, held back by 0.5 of its weight */
    check_solved("ipm_shift", box, 1e-9, 1.2);
    solve_with("ipm_shift", box, 1e-9, p);
    assert_true(fabs(p[1] + p[4] + p[7] + p[10] + 0.5) <= 1e-6);
    scree_problem_destroy(box);
}

/* ---- memory and options ---------------------------------------------------------------------------------------------- */

static void every_failed_allocation_is_reported_and_solve_makes_none(void **state)
{
    (void)state;
    const char *const names[3] = {"ipm", "admm", "ipm_shift"};
    scree_problem *bodies = make_pile(6, 5, 1.0, 1.0, 0.05, SCREE_LAW_COULOMB, 1),
                  *mixed = make_mixed(SCREE_LAW_COULOMB, 1);
    for (int i = 0; i < 6; ++i) {
        const scree_problem *problem = i % 2 ? bodies : mixed;
        scree_solver_options options = scree_solver_options_default(), before;
        options.name = names[i / 2];
        before = options;
        for (int n = 0;; ++n) {
            failing c = {.left = n};
            scree_allocator a = failing_allocator(&c);
            scree_solver *solver = NULL;
            scree_status status = try_solver_create(problem, &options, &a, &solver, NULL);
            assert_true((status == SCREE_OK) == (solver != NULL));
            if (solver) {
                int requests = c.requests;
                double *p = calloc((size_t)problem->row_count, sizeof *p);
                scree_solve_info info;
                assert_non_null(p);
                c.left = -1;
                try_solver_solve(solver, problem, p, &info);
                assert_int_equal(c.requests, requests);
                free(p);
            }
            scree_solver_destroy(solver);
            assert_int_equal(c.live, 0);
            if (status == SCREE_OK) break;
            assert_int_equal(status, SCREE_ERR_MEMORY);
        }
        assert_memory_equal(&options, &before, sizeof options);
    }
    scree_problem_destroy(bodies);
    scree_problem_destroy(mixed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_solve_every_cone_and_row_under_both_laws),
        cmocka_unit_test(what_cannot_carry_a_load_carries_none),
        cmocka_unit_test(admm_stays_in_the_cone),
        cmocka_unit_test(both_forms_of_W_are_solved),
        cmocka_unit_test(redundant_contacts_get_bounded_loads),
        cmocka_unit_test(ipm_solves_what_is_hard_for_sweeps),
        cmocka_unit_test(a_pile_at_rest_with_heavy_grains_takes_few_factors),
        cmocka_unit_test(the_fixed_point_on_the_shift_agrees_with_the_split_form),
        cmocka_unit_test(every_failed_allocation_is_reported_and_solve_makes_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
