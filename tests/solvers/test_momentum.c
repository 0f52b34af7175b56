/* test_momentum.c: sweeps over spheres eight at a time, momentum, and auto, judged by the residual recomputed from the problem. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "laws/contact.h"
#include "problem/problem_private.h"
#include "problems.h"
#include "random_contacts.h"
#include "solvers/spheres/spheres.h"
#include "solvers/spheres/spheres_kernel.h"
#include "solvers/sweep.h"
#include "sphere_piles.h"
#include "try.h"

#include <scree/solver.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Solves from p = 0; returns the residual recomputed from the problem.
static double solve(const scree_problem *problem, const scree_solver_options *options, scree_solve_info *info,
                    double *p)
{
    scree_solver *solver;
    scree_error error = {0};
    double *y = calloc((size_t)problem->row_count + 1, sizeof *y);
    memset(p, 0, (size_t)problem->row_count * sizeof *p);
    assert_int_equal(try_solver_create(problem, options, NULL, &solver, &error), SCREE_OK);
    assert_int_equal(try_solver_solve(solver, problem, p, info), SCREE_OK);
    double residual = try_problem_residual(problem, p, y);
    assert_true(residual == info->residual);
    scree_solver_destroy(solver);
    free(y);
    return residual;
}

/// The same problem through scree_problem_create, from the blocks of the first.
static scree_problem *from_blocks(scree_problem *rigid)
{
    scree_problem_def def = scree_problem_def_default();
    scree_problem *problem = NULL;
    assert_int_equal(scree_problem_prepare(rigid, SCREE_PART_BLOCKS, NULL), SCREE_OK);
    const block_matrix *Ht = rigid->Ht;
    int *row = calloc((size_t)Ht->start[Ht->row_blocks] + 1, sizeof *row),
        *dof = calloc((size_t)rigid->body_count + 1, sizeof *dof);
    double *w = calloc((size_t)rigid->row_count + 1, sizeof *w);
    for (int c = 0; c < Ht->row_blocks; ++c)
        for (int e = Ht->start[c]; e < Ht->start[c + 1]; ++e) row[e] = c;
    for (int b = 0; b < rigid->body_count; ++b) dof[b] = 6;
    for (int i = 0; i < rigid->row_count; ++i) w[i] = rigid->q[i];
    for (int c = 0; c < Ht->row_blocks; ++c) /* w = q - H' v_free */
        for (int e = Ht->start[c]; e < Ht->start[c + 1]; ++e)
            for (int i = 0; i < rigid->offset[c + 1] - rigid->offset[c]; ++i)
                for (int k = 0; k < 6; ++k)
                    w[rigid->offset[c] + i] -=
                        Ht->value[Ht->at[e] + (size_t)(6 * i + k)] * rigid->v_free[6 * Ht->column[e] + k];
    def.law = rigid->law, def.contact_count = rigid->contact_count, def.cone = rigid->cone, def.q = w;
    def.entry_count = (size_t)Ht->start[Ht->row_blocks], def.entry_row = row, def.entry_column = Ht->column;
    def.entry_value = Ht->value, def.compliance = rigid->compliance;
    def.body_count = rigid->body_count, def.body_dof = dof, def.body_inv_mass = rigid->inv_mass->value;
    def.v_free = rigid->v_free;
    assert_int_equal(try_problem_create(&def, NULL, &problem, NULL), SCREE_OK);
    free(row), free(dof), free(w);
    return problem;
}

typedef struct comparison {
    long compared, coupled;
    double worst, worst_residual;
} comparison;

/// Every contact of every batch alone, W_cc and what the others do, after the batch was solved; and the residual in between.
static void compare_batches(const scree_problem *problem, const sphere_kernel *kernel, comparison *out)
{
    sphere_pile s;
    size_t n = (size_t)problem->row_count;
    double *before = calloc(n, sizeof *before), *after = calloc(n, sizeof *after), *y = calloc(n, sizeof *y);
    assert_true(spheres_recognise(problem));
    assert_int_equal(spheres_create(problem, &problem->allocator, &s), SCREE_OK);
    s.kernel = kernel;
    assert_int_equal(spheres_begin(&s, problem, &problem->allocator, NULL, before), 1);
    for (int round = 0; round < 6; ++round)
        for (int k = 0; k < s.batch_count; ++k) {
            spheres_loads_to(&s, problem, NULL, before);
            double residual = try_problem_residual(problem, before, y);
            out->worst_residual =
                fmax(out->worst_residual, fabs(spheres_residual(&s, NULL) - residual) / fmax(residual, 1e-3));
            s.kernel->solve(&s.batch[k], s.batch[k].all & SPHERE_SPECIAL ? &s.special[k] : NULL, problem->law, 0.0,
                            s.body, s.body_count, &s.loads[k], &s.loads_old[k]);
            s.loads[k] = s.loads_old[k];
            spheres_loads_to(&s, problem, NULL, after);
            for (int l = 0; l < LANES; ++l) {
                int c = s.batch[k].contact[l];
                if (c < 0) continue;
                scree_contact contact = {.cone = problem->cone[c], .law = problem->law};
                int d = scree_cone_dim(&problem->cone[c]);
                const double *b = before + problem->offset[c];
                double size = 0.0;
                problem_diagonal_block(problem, c, contact.W);
                for (int i = 0; i < d; ++i) {
                    contact.q[i] = y[problem->offset[c] + i];
                    for (int j = 0; j < d; ++j) contact.q[i] -= contact.W[d * i + j] * b[j];
                    size = fmax(size, fabs(y[problem->offset[c] + i]) + fabs(contact.q[i]));
                }
                out->coupled += (s.batch[k].all & SPHERE_COUPLED) != 0;
                if (problem->law == SCREE_LAW_CONVEX && (s.batch[k].all & SPHERE_COUPLED))
                    continue;               /* a step, not the solution */
                if (size < 1e-10) continue; /* q is then the rounding of velocities of 1e-2 */
                out->worst =
                    fmax(out->worst, scree_contact_residual(&contact, after + problem->offset[c]) * size / 1e-2);
                ++out->compared;
            }
        }
    free(before), free(after), free(y);
    spheres_destroy(&s, &problem->allocator);
}

static void eight_contacts_at_once_equal_the_exact_solver(void **state)
{
    (void)state;
    static const int dims[] = {6, 1, 3, 4, 5};
    comparison all = {0};
    const int stride = SCREE_SAMPLE_SHARE > 1 ? 7 : 1; /* still every kernel, spread and ratio of masses */
    for (int variant = 0; variant < 40; variant += stride) {
        pile_def def = pile_def_default();
        def.grains = 60, def.spread = variant & 1 ? 0.3 : 0.0, def.mass_ratio = variant & 2 ? 100.0 : 1.0;
        const sphere_kernel *kernel =
            spheres_kernel_at(variant % 3) ? spheres_kernel_at(variant % 3) : spheres_kernel_at(0);
        def.moving = 1.0, def.dim = dims[variant / 4 % 5],
        def.law = variant >= 20 ? SCREE_LAW_CONVEX : SCREE_LAW_COULOMB;
        scree_problem *rigid = problem_of_pile(&def), *blocks = from_blocks(rigid);
        scree_problem *moving = with_walls_that_move(rigid, 0), *soft = with_walls_that_move(rigid, 1),
                      *soft_blocks = from_blocks(soft);
        compare_batches(rigid, kernel, &all);
        compare_batches(blocks, kernel, &all);
        compare_batches(moving, kernel, &all);
        compare_batches(soft, kernel, &all);
        compare_batches(soft_blocks, kernel, &all);
        scree_problem_destroy(rigid), scree_problem_destroy(blocks);
        scree_problem_destroy(moving), scree_problem_destroy(soft), scree_problem_destroy(soft_blocks);
    }
    print_message("%ld contacts, worst %.2g; residuals differ by %.2g\n", all.compared, all.worst, all.worst_residual);
    assert_true(all.compared > 40000 / stride && all.coupled > 10000 / stride);
    assert_true(all.worst <= 1e-12); /* velocities of 1e-2 carry an error of 1e-17 each; six sweeps */
    assert_true(all.worst_residual <= 1e-12);
}

/// In each of the three planes, with and without rolling friction, equal and unequal discs; what moves out of the plane is left to others.
static void discs_go_through_the_sweeps_of_spheres(void **state)
{
    (void)state;
    comparison all = {0};
    for (int variant = 0; variant < 24; ++variant) {
        pile_def def = pile_def_default();
        def.grains = 60, def.spread = variant & 1 ? 0.3 : 0.0;
        def.law = variant >= 12 ? SCREE_LAW_CONVEX : SCREE_LAW_COULOMB;
        scree_problem *spatial = problem_of_pile(&def), *discs = as_discs(spatial, variant % 3, variant / 6 % 2);
        compare_batches(discs, spheres_kernel_at(0), &all);
        discs->rigid_mass[3].inv_mass[variant % 3] = 1.0;
        assert_false(spheres_recognise(discs));
        scree_problem_destroy(spatial), scree_problem_destroy(discs);
    }
    print_message("%ld contacts of discs, worst %.2g; residuals differ by %.2g\n", all.compared, all.worst,
                  all.worst_residual);
    assert_true(all.compared > 10000 && all.coupled > 3000);
    assert_true(all.worst <= 1e-12 && all.worst_residual <= 1e-12);
}

/// Thirty sweeps with momentum by each kernel that this machine can run.
static void every_instruction_set_gives_the_same_bits(void **state)
{
    (void)state;
    assert_non_null(spheres_kernel_at(1));
    for (int variant = 0; variant < 4; ++variant) {
        pile_def def = pile_def_default();
        def.grains = 200, def.spread = variant & 1 ? 0.3 : 0.0,
        def.law = variant & 2 ? SCREE_LAW_CONVEX : SCREE_LAW_COULOMB;
        scree_problem *still = problem_of_pile(&def), *problem = with_walls_that_move(still, 1);
        size_t n = (size_t)problem->row_count;
        double *zero = calloc(n, sizeof *zero), *p[2] = {calloc(n, sizeof *zero), calloc(n, sizeof *zero)}, residual[2];
        for (int k = 0; spheres_kernel_at(k); ++k) {
            sphere_pile s;
            assert_int_equal(spheres_create(problem, NULL, &s), SCREE_OK);
            s.kernel = spheres_kernel_at(k);
            assert_int_equal(spheres_begin(&s, problem, NULL, NULL, zero), 1);
            for (int i = 0; i < 30; ++i) spheres_sweep(&s, i / (i + 3.0), NULL);
            spheres_loads_to(&s, problem, NULL, p[k > 0]);
            residual[k > 0] = spheres_residual(&s, NULL);
            if (k > 0) {
                assert_memory_equal(p[0], p[1], n * sizeof *zero);
                assert_memory_equal(&residual[0], &residual[1], sizeof *residual);
            }
            spheres_destroy(&s, NULL);
        }
        free(zero), free(p[0]), free(p[1]);
        scree_problem_destroy(still), scree_problem_destroy(problem);
    }
}

static void the_bits_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    pile_def def = pile_def_default();
    def.grains = 400, def.spread = 0.2;
    scree_problem *problem = problem_of_pile(&def);
    size_t n = (size_t)problem->row_count;
    double *one = calloc(n, sizeof *one), *many = calloc(n, sizeof *many);
    scree_solve_info info;
    scree_solver_options options = scree_solver_options_default();
    options.name = "momentum", options.max_iterations = 60, options.tolerance = 1e-14;
    solve(problem, &options, &info, one);
    for (int threads = 2; threads <= 5; ++threads) {
        options.threads = threads;
        solve(problem, &options, &info, many);
        assert_memory_equal(one, many, n * sizeof *one);
    }
    free(one), free(many);
    scree_problem_destroy(problem);
}

/// All that the solver takes, the monitor's vectors too, for a pile given through its bodies: three contacts to a body. The elastic
/// correction, after the twentieth sweep, takes about as much again.
static void sweeps_take_at_most_400_bytes_a_contact_and_with_corrections_900(void **state)
{
    (void)state;
    pile_def def = pile_def_default();
    def.grains = 2000;
    scree_problem *problem = problem_of_pile(&def);
    double *p = calloc((size_t)problem->row_count, sizeof *p);
    scree_solver_options options = scree_solver_options_default();
    failing count = {.left = -1};
    scree_allocator allocator = failing_allocator(&count);
    scree_solver *solver;
    scree_solve_info info;
    options.name = "momentum";
    assert_int_equal(try_solver_create(problem, &options, &allocator, &solver, NULL), SCREE_OK);
    assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
    assert_int_equal(info.outcome, SCREE_OUTCOME_CONVERGED);
    scree_solver_destroy(solver);
    double with = (double)count.most / problem->contact_count;
    count.bytes = 0;
    options.max_iterations = 20;
    assert_int_equal(try_solver_create(problem, &options, &allocator, &solver, NULL), SCREE_OK);
    memset(p, 0, (size_t)problem->row_count * sizeof *p);
    assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
    scree_solver_destroy(solver);
    double each = (double)count.bytes / problem->contact_count;
    print_message("%.0f bytes a contact, %.0f with corrections\n", each, with);
    assert_true(each <= 400.0);
    assert_true(with <= 900.0);
    free(p);
    scree_problem_destroy(problem);
}

/// A warm start that meets the tolerance is swept all the same, and what the sweeps made of it is what comes back.
static void a_warm_start_is_swept_as_often_as_asked(void **state)
{
    (void)state;
    static const char *const methods[] = {"momentum", "nsgs", "psor", "auto"};
    pile_def def = pile_def_default();
    def.grains = 60;
    scree_problem *problem = problem_of_pile(&def);
    size_t n = (size_t)problem->row_count;
    double *p = calloc(n, sizeof *p), *q = calloc(n, sizeof *q), *y = calloc(n, sizeof *y);
    for (int i = 0; i < 4; ++i) {
        scree_solve_info info;
        scree_solver *solver;
        scree_solver_options options = scree_solver_options_default();
        options.name = methods[i], options.tolerance = 1e-5;
        assert_true(solve(problem, &options, &info, p) <= 1e-5);
        for (int asked = 0; asked <= 30; asked += 3) {
            options.min_iterations = asked;
            memcpy(q, p, n * sizeof *p);
            assert_int_equal(try_solver_create(problem, &options, NULL, &solver, NULL), SCREE_OK);
            assert_int_equal(try_solver_solve(solver, problem, q, &info), SCREE_OK);
            assert_true(try_problem_residual(problem, q, y) <= 1e-5);
            assert_int_equal(info.outcome, SCREE_OUTCOME_CONVERGED);
            assert_in_range(info.iterations, asked, asked + 10);
            double change = 0.0, size = 0.0;
            for (size_t j = 0; j < n; ++j) change = fmax(change, fabs(p[j] - q[j])), size = fmax(size, fabs(p[j]));
            if (asked) assert_true(change > 1e-9 * size); /* a sweep at a residual of 1e-5 moves that much */
            else assert_true(change <= 1e-15 * size);     /* loads to space vectors and back */
            scree_solver_destroy(solver);
        }
    }
    free(p), free(q), free(y);
    scree_problem_destroy(problem);
}

static void momentum_solves_piles_at_rest_and_without_rolling_friction(void **state)
{
    (void)state;
    for (int variant = 0; variant < 6; ++variant) {
        pile_def def = pile_def_default();
        def.grains = 200,
        def.dim = variant % 3 == 0   ? 3
                  : variant % 3 == 1 ? 5
                                     : 6,
        def.spread = variant < 3 ? 0.0 : 0.3;
        if (def.dim == 3) def.rho = def.sigma = 0.0;
        scree_problem *problem = problem_of_pile(&def);
        double *p = calloc((size_t)problem->row_count, sizeof *p);
        scree_solve_info info;
        scree_solver_options options = scree_solver_options_default();
        options.name = "momentum";
        assert_true(solve(problem, &options, &info, p) <= 1e-8);
        assert_int_equal(info.outcome, SCREE_OUTCOME_CONVERGED);
        free(p);
        scree_problem_destroy(problem);
    }
}

static void what_is_not_spheres_is_not_taken_for_spheres(void **state)
{
    (void)state;
    pile_def def = pile_def_default();
    def.grains = 20;
    scree_problem *rigid = problem_of_pile(&def), *problem = from_blocks(rigid);
    assert_true(spheres_recognise(problem));
    problem->Ht->value[9] += 1e-6; /* a lever arm that leaves the normal */
    assert_false(spheres_recognise(problem));
    problem->Ht->value[9] -= 1e-6;
    problem->inv_mass->value[0] *= 1.001; /* a mass that depends on direction */
    assert_false(spheres_recognise(problem));
    scree_problem_destroy(problem);

    assert_true(spheres_recognise(rigid));
    rigid->rigid[5].arm_b[0] += 1e-6;
    assert_false(spheres_recognise(rigid));
    rigid->rigid[5].arm_b[0] -= 1e-6;
    rigid->rigid_mass[3].inv_inertia[1] = 1e-3;
    assert_false(spheres_recognise(rigid));
    rigid->rigid_mass[3].inv_inertia[1] = 0.0;
    assert_true(spheres_recognise(rigid));
    scree_problem_destroy(rigid);
}

static void auto_solves_small_piles_that_move_or_have_heavy_grains(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; ++variant) {
        pile_def def = pile_def_default();
        def.grains = 40;
        if (variant == 0) def.moving = 1.0;
        if (variant == 1) def.mass_ratio = 100.0;
        if (variant == 2) def.law = SCREE_LAW_CONVEX, def.moving = 1.0;
        scree_problem *problem = problem_of_pile(&def);
        double *p = calloc((size_t)problem->row_count, sizeof *p);
        scree_solve_info info;
        scree_solver_options options = scree_solver_options_default();
        double residual = solve(problem, &options, &info, p);
        print_message("%d contacts: %s by %s, residual %.2g\n", problem->contact_count,
                      scree_outcome_name(info.outcome), info.solver, residual);
        assert_true(residual <= 1e-8);
        free(p);
        scree_problem_destroy(problem);
    }
}

typedef struct tally {
    int solved, tried;
} tally;

/// Solves at three tolerances.
static void solve_stored(const char *name, scree_problem *problem, void *context)
{
    static const double tolerances[] = {1e-4, 1e-8, 1e-12};
    tally *count = context;
    double *p = calloc((size_t)problem->row_count + 1, sizeof *p);
    for (int t = 0; t < 3; ++t) {
        scree_solve_info info;
        scree_solver_options options = scree_solver_options_default();
        options.tolerance = tolerances[t], options.time_limit = 60.0; /* sanitizers are slow; 0.1 s without them */
        count->tried += 1;
        if (solve(problem, &options, &info, p) <= tolerances[t]) count->solved += 1;
        else print_error("%s: %.2g at %g\n", name, info.residual, tolerances[t]);
    }
    free(p);
}

/// Ours in tests/problems, and those that others left in ../shared/data, where that folder is there.
static void auto_solves_every_stored_problem_to_1e_12(void **state)
{
    (void)state;
    tally count = {0, 0};
    assert_true(for_each_stored_problem(solve_stored, &count) >= 6);
    print_message("%d of %d\n", count.solved, count.tried);
    assert_int_equal(count.solved, count.tried);
}

/// With the argument "kernels": what compares instruction sets, a test of its own (momentum_kernels), skipped where there is but one.
int main(int count, char **argument)
{
    const struct CMUnitTest of_kernels[] = {
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_contacts_at_once_equal_the_exact_solver),
        cmocka_unit_test(discs_go_through_the_sweeps_of_spheres),
        cmocka_unit_test(the_bits_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(sweeps_take_at_most_400_bytes_a_contact_and_with_corrections_900),
        cmocka_unit_test(a_warm_start_is_swept_as_often_as_asked),
        cmocka_unit_test(momentum_solves_piles_at_rest_and_without_rolling_friction),
        cmocka_unit_test(what_is_not_spheres_is_not_taken_for_spheres),
        cmocka_unit_test(auto_solves_small_piles_that_move_or_have_heavy_grains),
        cmocka_unit_test(auto_solves_every_stored_problem_to_1e_12),
    };
    if (count < 2 || strcmp(argument[1], "kernels") != 0) return cmocka_run_group_tests(tests, NULL, NULL);
    if (spheres_kernel_at(1)) return cmocka_run_group_tests(of_kernels, NULL, NULL);
    printf("test_momentum: skipped, this processor has one instruction set that kernels are built for\n");
    return 77;
}
