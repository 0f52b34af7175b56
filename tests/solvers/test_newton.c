/* test_newton.c: newton solves what its page claims, judged by the residual recomputed from the problem. */
#include "failing_allocator.h"
#include "random_contacts.h"

#include "sparse/block.h"
#include "sparse/block_lu.h"
#include "try.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <scree/solver.h>

/* ---- problems -------------------------------------------------------------------------------------------------------------- */

enum { CORNERS = 4, DOF = 6 };

/// Row-major block of H' (dim x 6) of a contact with normal n = z, tangents x, y, at arm r from the centre of the body.
static void contact_rows(int dim, const double r[3], double sign, double *H)
{
    static const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    static const int spin_axis[3] = {1, 2, 0}; /* rows 3, 4, 5: about x, y, z */
    for (int i = 0; i < dim; ++i)
        for (int k = 0; k < 3; ++k) {
            const double *e = i < 3 ? axis[i] : axis[spin_axis[i - 3]];
            const double arm[3] = {r[1] * e[2] - r[2] * e[1], r[2] * e[0] - r[0] * e[2], r[0] * e[1] - r[1] * e[0]};
            H[i * DOF + k] = i < 3 ? sign * e[k] : 0.0;
            H[i * DOF + 3 + k] = sign * (i < 3 ? arm[k] : e[k]); /* u = v + omega x r: e.(omega x r) = omega.(r x e) */
        }
}

/// A tower of boxes on the ground, four corners in each joint: 12 rows for 6 degrees of freedom, so W has a null space. Gravity, and a
/// push of `push` times the weight on the top box. `bilateral` adds rows that hold the lowest box by its centre in x and y.
static scree_problem *tower(int boxes, scree_cone cone, scree_law law, double push, int bilateral, int assembled)
{
    int contacts = CORNERS * boxes, dim = scree_cone_dim(&cone), bounds = bilateral ? 2 : 0;
    scree_cone *cones = calloc((size_t)contacts, sizeof *cones);
    int *row = calloc(2 * (size_t)contacts + 2, sizeof *row),
        *column = calloc(2 * (size_t)contacts + 2, sizeof *column);
    int *dof = calloc((size_t)boxes, sizeof *dof);
    double *H = calloc((2 * (size_t)contacts + 2) * DOF * DOF, sizeof *H), *at = H;
    double *inverse = calloc((size_t)boxes * DOF * DOF, sizeof *inverse), *v = calloc((size_t)boxes * DOF, sizeof *v);
    const double bound[2] = {(double)INFINITY, 0.02};
    size_t entries = 0;
    for (int b = 0; b < boxes; ++b) {
        dof[b] = DOF;
        for (int k = 0; k < DOF; ++k) inverse[b * DOF * DOF + k * (DOF + 1)] = k < 3 ? 1.0 : 6.0; /* unit cube, 1 kg */
        v[b * DOF + 2] = -0.01; /* one step of gravity */
    }
    v[(boxes - 1) * DOF] = 0.01 * push;
    for (int c = 0; c < contacts; ++c) {
        int upper = c / CORNERS;
        double x = c & 1 ? 0.5 : -0.5, y = c & 2 ? 0.5 : -0.5;
        cones[c] = cone;
        row[entries] = c, column[entries++] = upper;
        contact_rows(dim, (const double[3]){x, y, -0.5}, 1.0, at), at += dim * DOF;
        if (upper == 0) continue;
        row[entries] = c, column[entries++] = upper - 1;
        contact_rows(dim, (const double[3]){x, y, 0.5}, -1.0, at), at += dim * DOF;
    }
    for (int k = 0; k < bounds; ++k) {
        row[entries] = contacts + k, column[entries++] = 0;
        at[k] = 1.0, at += DOF;
    }
    scree_problem_def def = scree_problem_def_default();
    def.law = law, def.contact_count = contacts, def.bound_count = bounds, def.cone = cones, def.bound = bound;
    def.entry_count = entries, def.entry_row = row, def.entry_column = column, def.entry_value = H;
    def.body_count = boxes, def.body_dof = dof, def.body_inv_mass = inverse, def.v_free = v;
    scree_problem *problem = NULL, *whole = NULL;
    assert_int_equal(try_problem_create(&def, NULL, &problem, NULL), SCREE_OK);
    free(cones), free(row), free(column), free(dof), free(H), free(inverse), free(v);
    if (!assembled) return problem;
    assert_int_equal(try_problem_assemble(problem, NULL, &whole), SCREE_OK);
    scree_problem_destroy(problem);
    return whole;
}

/// Residual of newton's answer from p = 0, recomputed.
static double solve_cold(const scree_problem *problem, double tolerance)
{
    scree_solver_options options = scree_solver_options_default();
    options.name = "newton", options.tolerance = tolerance;
    scree_solver *solver = NULL;
    scree_solve_info info;
    size_t n = (size_t)problem->row_count;
    double *p = calloc(n, sizeof *p), *y = calloc(n, sizeof *y);
    assert_int_equal(try_solver_create(problem, &options, NULL, &solver, NULL), SCREE_OK);
    assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
    double residual = try_problem_residual(problem, p, y);
    assert_true(residual == info.residual);
    assert_true((residual <= tolerance) == (info.outcome == SCREE_OUTCOME_CONVERGED));
    scree_solver_destroy(solver);
    free(p), free(y);
    return residual;
}

static scree_cone cone_of(int dim)
{
    return dim == 3   ? scree_cone_slide(0.4)
           : dim == 4 ? scree_cone_slide_spin(0.4, 0.05)
           : dim == 5 ? scree_cone_slide_roll(0.4, 0.1)
                      : scree_cone_slide_roll_spin(0.4, 0.1, 0.05);
}

/* ---- claims ---------------------------------------------------------------------------------------------------------------- */

/// At rest, about to slide, sliding, tipping over; all tolerances the page names.
static void towers_with_redundant_contacts_are_solved(void **state)
{
    (void)state;
    static const double pushes[] = {0.0, 0.2, 0.4, 1.0, 3.0}, tolerances[] = {1e-4, 1e-8, 1e-12};
    for (int law = SCREE_LAW_COULOMB; law <= SCREE_LAW_CONVEX; ++law)
        for (int dim = 3; dim <= 6; dim += dim == 3 ? 2 : 1)
            for (int boxes = 1; boxes <= 8; boxes += boxes == 1 ? 2 : 5)
                for (size_t k = 0; k < sizeof pushes / sizeof *pushes; ++k) {
                    scree_problem *problem = tower(boxes, cone_of(dim), (scree_law)law, pushes[k], 0, 1);
                    for (int t = 0; t < 3; ++t) {
                        double residual = solve_cold(problem, tolerances[t]);
                        if (!(residual <= tolerances[t]))
                            print_message("law %d dim %d boxes %d push %g: %g\n", law, dim, boxes, pushes[k], residual);
                        assert_true(residual <= tolerances[t]);
                    }
                    scree_problem_destroy(problem);
                }
}

/// Stored problems, ours and, where the folder is there, those of other people's simulations: both laws, all three tolerances.
static void stored_problems_are_solved(void **state)
{
    (void)state;
    static const char *const names[] = {"tests/problems/pile-slide-local.dat",
                                        "tests/problems/pile-roll-local.dat",
                                        "tests/problems/pile-roll-spin.dat",
                                        "tests/problems/planar-stack.dat",
                                        "tests/problems/boxes.dat",
                                        "../shared/data/coulomb/Box_Stacks-i0122-82-5.hdf5",
                                        "../shared/data/coulomb/BoxesStack1-i100000-32.hdf5.dat",
                                        "../shared/data/coulomb/Capsules-i100-889.dat",
                                        "../shared/data/coulomb/Capsules-i101-404.dat",
                                        "../shared/data/coulomb/Capsules-i122-1617.dat",
                                        "../shared/data/coulomb/Confeti-ex03-Fc3D-SBM.dat",
                                        "../shared/data/coulomb/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5",
                                        "../shared/data/coulomb/NESpheres_10_1.dat",
                                        "../shared/data/coulomb/OneObject-i100000-316.hdf5.dat",
                                        "../shared/data/coulomb/OneObject-i1028-138.hdf5.dat",
                                        "../shared/data/coulomb/Rover4609.dat",
                                        "../shared/data/coulomb/spheres-in-a-box-98-i10000-256-10.hdf5",
                                        "../shared/data/planar/FrictionContactProblem00237.dat",
                                        "../shared/data/rolling/rockfall_14_25792.dat",
                                        "../shared/data/rolling/synthpile_4x3.dat"};
    static const double tolerances[] = {1e-4, 1e-8, 1e-12};
    int solved = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        scree_problem *problem = NULL;
        if (try_problem_read(names[i], SCREE_FILE_DETECT, NULL, &problem, NULL) != SCREE_OK)
            continue; /* absent, or HDF5 not built in */
        for (int law = SCREE_LAW_COULOMB; law <= SCREE_LAW_CONVEX; ++law)
            for (int t = SCREE_SAMPLE_SHARE > 1 ? 2 : 0; t < 3; ++t) { /* the way to the last passes the others */
                problem->law = (scree_law)law;
                double residual = solve_cold(problem, tolerances[t]);
                if (!(residual <= tolerances[t])) print_message("%s, law %d: %g\n", names[i], law, residual);
                assert_true(residual <= tolerances[t]);
                solved += 1;
            }
        scree_problem_destroy(problem);
    }
    assert_true(solved >= 10); /* five files, two laws */
}

static void bilateral_and_bounded_rows_are_kept(void **state)
{
    (void)state;
    for (int law = SCREE_LAW_COULOMB; law <= SCREE_LAW_CONVEX; ++law) {
        scree_problem *problem = tower(3, cone_of(3), (scree_law)law, 0.5, 1, 1);
        assert_true(solve_cold(problem, 1e-10) <= 1e-10);
        scree_problem_destroy(problem);
    }
}

static void a_problem_through_the_bodies_is_solved(void **state)
{
    (void)state;
    scree_problem *problem = tower(4, cone_of(6), SCREE_LAW_COULOMB, 0.3, 0, 0);
    assert_true(solve_cold(problem, 1e-10) <= 1e-10);
    scree_problem_destroy(problem);
}

/// Rolling rows in other units (loads in N mm instead of N m): the scaling makes the iteration count the same.
static void a_change_of_units_changes_nothing_but_rounding(void **state)
{
    (void)state;
    int iterations[2] = {0};
    for (int k = 0; k < 2; ++k) {
        double length = k ? 1000.0 : 1.0;
        scree_cone cone = scree_cone_slide_roll(0.4, 0.1 * length);
        scree_problem *problem = tower(3, cone, SCREE_LAW_COULOMB, 0.3, 0, 1);
        for (int e = 0; e < problem->W->start[problem->block_count]; ++e)
            for (int i = 0; i < 5; ++i)
                for (int j = 0; j < 5; ++j)
                    problem->W->value[problem->W->at[e] + (size_t)(i * 5 + j)] /=
                        (i > 2 ? length : 1.0) * (j > 2 ? length : 1.0);
        for (int c = 0; c < problem->contact_count; ++c) {
            memcpy(problem->diagonal + problem->diagonal_at[c], block_matrix_find(problem->W, c, c),
                   25 * sizeof(double));
            for (int i = 3; i < 5; ++i) problem->q[5 * c + i] /= length;
        }
        scree_solver_options options = scree_solver_options_default();
        options.name = "newton", options.tolerance = 1e-13;
        scree_solver *solver = NULL;
        scree_solve_info info;
        double p[60] = {0};
        assert_int_equal(try_solver_create(problem, &options, NULL, &solver, NULL), SCREE_OK);
        assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
        assert_int_equal(info.outcome, SCREE_OUTCOME_CONVERGED);
        iterations[k] = info.iterations;
        scree_solver_destroy(solver);
        scree_problem_destroy(problem);
    }
    assert_in_range(abs(iterations[0] - iterations[1]), 0, 3); /* the residual that stops it is not scaled */
}

/// Sign of det A by dense elimination with row exchanges; 0 where a pivot is lost in rounding.
static int dense_sign(const block_matrix *A)
{
    enum { MOST = 100 };
    static double full[MOST][MOST];
    int n = A->row_offset[A->row_blocks], sign = 1;
    assert_true(n <= MOST);
    memset(full, 0, sizeof full);
    for (int i = 0; i < A->row_blocks; ++i)
        for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
            int to = A->col_offset[A->column[e]], width = A->col_offset[A->column[e] + 1] - to;
            for (int r = A->row_offset[i]; r < A->row_offset[i + 1]; ++r)
                memcpy(full[r] + to, A->value + A->at[e] + (size_t)((r - A->row_offset[i]) * width),
                       (size_t)width * sizeof **full);
        }
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(full[i][k]) > fabs(full[p][k])) p = i;
        if (!(fabs(full[p][k]) > 1e-10)) return 0;
        if ((p != k) != (full[p][k] < 0.0)) sign = -sign;
        for (int j = k; p != k && j < n; ++j) {
            double t = full[k][j];
            full[k][j] = full[p][j], full[p][j] = t;
        }
        for (int i = k + 1; i < n; ++i)
            for (int j = n - 1; j >= k; --j) full[i][j] -= full[i][k] / full[k][k] * full[k][j];
    }
    return sign;
}

static void block_lu_solves_what_it_factorised(void **state)
{
    (void)state;
    rng g = {11};
    int negative = 0, positive = 0;
    for (int trial = 0; trial < 60; ++trial) {
        int blocks = 1 + rng_below(&g, 90), offset[92] = {0}, *row = calloc(4096, sizeof *row),
            *column = calloc(4096, sizeof *column);
        double *value = calloc((size_t)4096 * 36, sizeof *value);
        size_t entries = 0, at = 0;
        for (int b = 0; b < blocks; ++b) offset[b + 1] = offset[b] + 1 + rng_below(&g, 6);
        for (int b = 0; b < blocks; ++b)
            for (int k = 0; k < 4; ++k) { /* the diagonal, and three pairs */
                int j = k == 0 ? b : rng_below(&g, blocks), m = offset[b + 1] - offset[b],
                    n = offset[j + 1] - offset[j];
                for (int side = 0; side < (k == 0 ? 1 : 2); ++side, ++entries) {
                    row[entries] = side ? j : b, column[entries] = side ? b : j;
                    for (int i = 0; i < m * n; ++i) value[at++] = rng_normal(&g) * (k == 0 ? 20.0 : 1.0);
                }
            }
        block_matrix *A = NULL;
        block_lu *lu = NULL;
        scree_allocator a = scree_allocator_default();
        assert_int_equal(block_matrix_create(blocks, offset, blocks, offset, entries, row, column, value, &a, &A),
                         SCREE_OK);
        assert_int_equal(block_lu_create(A, 1e12, NULL, &lu), SCREE_OK);
        double b[600], x[600], Ax[600], worst = 0.0, size = 0.0;
        for (int again = 0; again < 2; ++again) {
            block_lu_clear(lu);
            for (int i = 0; i < blocks; ++i)
                for (int e = A->start[i]; e < A->start[i + 1]; ++e) {
                    if (again && i % 3 == 0 && A->column[e] != i) /* rows with nothing but their diagonal block */
                        memset(A->value + A->at[e], 0, (A->at[e + 1] - A->at[e]) * sizeof *value);
                    else memcpy(block_lu_entry(lu, e), A->value + A->at[e], (A->at[e + 1] - A->at[e]) * sizeof *value);
                }
            for (int i = 0; i < offset[blocks]; ++i) b[i] = rng_normal(&g);
            if (!block_lu_factor(lu)) continue;
            int sign = offset[blocks] <= 100 ? dense_sign(A) : 0;
            if (sign) assert_int_equal(block_lu_determinant_sign(lu), sign);
            negative += sign<0, positive += sign> 0;
            block_lu_solve(lu, b, x);
            block_matrix_apply(A, 0, x, Ax);
            for (int i = 0; i < offset[blocks]; ++i)
                worst = fmax(worst, fabs(Ax[i] - b[i])), size = fmax(size, 100.0 * fabs(x[i]) + fabs(b[i]));
        }
        /* pivots stay in their blocks, so growth is not bounded; large diagonals keep it below a thousand here */
        assert_true(worst <= 1e3 * DBL_EPSILON * offset[blocks] * size);
        block_lu *none = NULL;
        assert_int_equal(block_lu_create(A, -1.0, NULL, &none), SCREE_OK);
        assert_null(none);
        block_lu_destroy(lu);
        block_matrix_destroy(A, &a);
        free(row), free(column), free(value);
    }
    assert_true(negative >= 5 && positive >= 5); /* both signs were met, or the test says nothing */
}

/* ---- memory ---------------------------------------------------------------------------------------------------------------- */

static void no_allocation_failure_leaks_and_solve_allocates_nothing(void **state)
{
    (void)state;
    scree_problem *problem = tower(2, cone_of(5), SCREE_LAW_COULOMB, 0.3, 1, 0);
    scree_solver_options options = scree_solver_options_default(), before;
    options.name = "newton";
    before = options;
    for (int k = 0;; ++k) {
        failing f = {.left = k};
        const scree_allocator a = failing_allocator(&f);
        scree_solver *solver = NULL;
        scree_status status = try_solver_create(problem, &options, &a, &solver, NULL);
        assert_int_equal(status, solver ? SCREE_OK : SCREE_ERR_MEMORY);
        if (solver) {
            double p[64] = {0};
            scree_solve_info info;
            int requests = f.requests;
            assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
            assert_int_equal(info.outcome, SCREE_OUTCOME_CONVERGED);
            assert_int_equal(f.requests, requests);
            assert_memory_equal(&options, &before, sizeof options);
        }
        scree_solver_destroy(solver);
        assert_int_equal(f.live, 0);
        if (status == SCREE_OK) break;
        assert_true(k < 200);
    }
    scree_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(towers_with_redundant_contacts_are_solved),
        cmocka_unit_test(stored_problems_are_solved),
        cmocka_unit_test(bilateral_and_bounded_rows_are_kept),
        cmocka_unit_test(a_problem_through_the_bodies_is_solved),
        cmocka_unit_test(a_change_of_units_changes_nothing_but_rounding),
        cmocka_unit_test(block_lu_solves_what_it_factorised),
        cmocka_unit_test(no_allocation_failure_leaks_and_solve_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
