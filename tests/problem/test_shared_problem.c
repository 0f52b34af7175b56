/* A const problem is only read: several threads use one at once, in all its forms, and get the bits that one thread gets; so do solvers,
 * which form what it lacks in memory of their own. Run under ThreadSanitizer too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/parallel.h"
#include "failing_allocator.h"
#include "problems.h"
#include "try.h"
#include "twins.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = SCREE_SAMPLE_SHARE > 1 ? 1 : 6, ROWS = 4000 };

typedef struct findings {
    double y[ROWS], v[ROWS], p[ROWS];
    double residual;
    scree_certificate certificate;
    scree_infeasibility proof;
    scree_outcome outcome;
} findings;

/// All that can be asked of a const problem.
static void look(const scree_problem *problem, const double *x, findings *f)
{
    static const char *const methods[] = {"newton", "nsgs", "apgd"};
    const scree_problem_view view = scree_problem_parts(problem);
    size_t n = (size_t)view.row_count;
    scree_error error = {0};
    memset(f, 0, sizeof *f);
    scree_problem_apply(problem, x, f->y, &error);
    if (view.body_count > 0) scree_problem_body_velocities(problem, x, f->v, &error);
    f->residual = scree_problem_residual(problem, x, &error);
    f->certificate = scree_problem_certify(problem, x, &error);
    double *z = scree_problem_vector(problem, &error), *p = scree_problem_vector(problem, &error);
    if (z) memcpy(z, x, n * sizeof *z);
    f->proof = scree_problem_infeasible(problem, z, &error);
    for (int m = 0; m < 3; ++m) {
        scree_solver_options options = scree_solver_options_default();
        options.name = methods[m], options.max_iterations = 8, options.tolerance = 1e-13;
        scree_solver *solver = scree_solver_create(problem, &options, &error);
        if (p) memset(p, 0, n * sizeof *p);
        f->outcome = scree_solver_solve(solver, problem, p, &error).outcome;
        for (size_t i = 0; p && i < n; ++i) f->p[i] += p[i];
        scree_solver_destroy(solver);
    }
    scree_problem *assembled = scree_problem_assemble(problem, NULL, &error);
    scree_problem_destroy(assembled);
    scree_problem_vector_free(problem, z);
    scree_problem_vector_free(problem, p);
    if (error.status != SCREE_OK) f->residual = -1.0;
}

typedef struct shared {
    const scree_problem *problem;
    const double *x;
    const findings *alone;
    findings found[THREADS];
    int different[THREADS];
} shared;

static void look_chunk(void *context, int begin, int end, int chunk, int worker)
{
    shared *s = context;
    (void)chunk;
    for (int i = begin; i < end; ++i) {
        look(s->problem, s->x, &s->found[worker]);
        /* bits, padding included: both were zeroed. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
        s->different[worker] += memcmp(&s->found[worker], s->alone, sizeof *s->alone) != 0;
    }
}

/// Two nodes on springs over a floor, M not a block diagonal.
static scree_problem *coupled_problem(void)
{
    enum { NODES = 12, DOF = 3 * NODES };
    int start[DOF + 1] = {0}, column[3 * DOF], count = 0, dof[NODES], row[NODES];
    double value[3 * DOF], block[9 * NODES] = {0}, v[DOF];
    scree_cone cone[NODES];
    for (int i = 0; i < DOF; ++i) {
        for (int j = i - 3; j <= i + 3; j += 3)
            if (j >= 0 && j < DOF) column[count] = j, value[count++] = i == j ? 3.0 : -1.0;
        start[i + 1] = count;
        v[i] = i % 3 == 2 ? -1.0 : 0.3;
    }
    for (int c = 0; c < NODES; ++c) {
        dof[c] = 3, row[c] = c, cone[c] = scree_cone_slide(0.3);
        block[9 * c + 2] = block[9 * c + 3] = block[9 * c + 7] = 1.0;
    }
    scree_problem_def def = scree_problem_def_default();
    def.contact_count = def.body_count = NODES, def.cone = cone, def.body_dof = dof, def.v_free = v;
    def.entry_count = NODES, def.entry_row = def.entry_column = row, def.entry_value = block;
    def.mass_start = start, def.mass_column = column, def.mass_value = value;
    return scree_problem_create(&def, NULL);
}

static void check_shared(scree_problem *problem)
{
    assert_non_null(problem);
    int rows = scree_problem_parts(problem).row_count;
    assert_in_range(rows, 1, ROWS);
    shared *s = calloc(1, sizeof *s);
    findings *alone = calloc(1, sizeof *alone);
    double *x = calloc((size_t)rows, sizeof *x);
    assert_true(s && alone && x);
    for (int i = 0; i < rows; ++i) x[i] = 0.01 * (1.0 + i % 7);
    scree_problem before = *problem; /* the struct: no pointer of it may change */
    look(problem, x, alone);
    assert_true(alone->residual > 0.0);
    s->problem = problem, s->x = x, s->alone = alone;
    scree_pool *pool = NULL;
    assert_non_null(pool = scree_pool_create(THREADS, NULL, NULL));
    parallel_deal(pool, 1);
    scree_pool_run(pool, THREADS * ROUNDS, 1, look_chunk, s);
    if (scree_pool_threads(pool) > 1) assert_int_equal(parallel_workers(pool), THREADS);
    for (int t = 0; t < THREADS; ++t) assert_int_equal(s->different[t], 0);
    assert_memory_equal(&before, problem, sizeof before);
    scree_pool_destroy(pool);
    free(s), free(alone), free(x);
    scree_problem_destroy(problem);
}

static scree_problem *small_pile(void)
{
    pile_def def = pile_def_default();
    def.grains = 40, def.moving = 0.5;
    return problem_of_pile(&def);
}

static void threads_share_a_problem_of_rigid_contacts(void **state)
{
    (void)state;
    scree_problem *problem = small_pile();
    assert_null(scree_problem_parts(problem).Ht.value); /* solvers have to form what they need */
    check_shared(problem);
}

static void threads_share_an_assembled_problem(void **state)
{
    (void)state;
    scree_problem *rigid = small_pile();
    scree_problem *assembled = scree_problem_assemble(rigid, NULL, NULL);
    scree_problem_destroy(rigid);
    check_shared(assembled);
}

static void threads_share_a_problem_with_a_factorised_mass(void **state)
{
    (void)state;
    check_shared(coupled_problem());
}

/* ---- what a solver forms ---------------------------------------------------------------------------------------------- */

static void a_prepared_problem_is_solved_to_the_same_bits(void **state)
{
    (void)state;
    scree_problem *plain = small_pile(), *prepared = small_pile();
    scree_error error = {0};
    findings *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    assert_true(a && b);
    double *x = scree_problem_vector(plain, &error);
    scree_problem_prepare(prepared, SCREE_PART_BLOCKS | SCREE_PART_DIAGONAL, &error);
    assert_int_equal(error.status, SCREE_OK);
    const scree_problem_view view = scree_problem_parts(prepared);
    assert_true(view.Ht.value && view.inv_mass.value && view.diagonal && !scree_problem_parts(plain).diagonal);
    for (int i = 0; i < view.row_count; ++i) x[i] = 0.02;
    look(plain, x, a), look(prepared, x, b);
    assert_memory_equal(a, b, sizeof *a);
    scree_problem_vector_free(plain, x);
    free(a), free(b);
    scree_problem_destroy(plain);
    scree_problem_destroy(prepared);
}

/// The parts that a solver formed for one problem are those of the next: with other masses, prepared or not, in any order; and a warm
/// solver takes no memory.
static void check_again(const char *method, scree_problem *const problem[3])
{
    const int order[] = {0, 1, 2, 1, 0, 2, 2, 0};
    failing f = {.left = -1};
    scree_allocator a = failing_allocator(&f);
    scree_error error = {0};
    size_t rows = (size_t)scree_problem_parts(problem[0]).row_count;
    double *fresh = scree_problem_vector(problem[0], &error), *again = scree_problem_vector(problem[0], &error);
    scree_solver_options options = scree_solver_options_default();
    options.name = method, options.max_iterations = 12, options.tolerance = 1e-13, options.allocator = &a;
    scree_solver *solver = scree_solver_create(problem[0], &options, &error);
    options.allocator = NULL;
    for (size_t k = 0; k < sizeof order / sizeof *order; ++k) {
        const scree_problem *now = problem[order[k]];
        int made = f.made, only_formed = k > 0 && (order[k] == 2 || order[k - 1] == 2);
        memset(again, 0, rows * sizeof *again);
        scree_solver_solve(solver, now, again, &error);
        assert_true(k == 0 || only_formed || f.made == made);
        scree_solver *other = scree_solver_create(now, &options, &error);
        memset(fresh, 0, rows * sizeof *fresh);
        scree_solver_solve(other, now, fresh, &error);
        scree_solver_destroy(other);
        assert_memory_equal(fresh, again, rows * sizeof *fresh);
    }
    assert_int_equal(error.status, SCREE_OK);
    scree_solver_destroy(solver);
    assert_int_equal(f.live, 0);
    scree_problem_vector_free(problem[0], fresh);
    scree_problem_vector_free(problem[0], again);
}

static void a_solver_forms_its_parts_again_for_another_problem(void **state)
{
    (void)state;
    static const char *const methods[] = {"newton", "ipm", "admm", "apgd", "ipm_shift", "anderson"};
    scree_problem *problem[3] = {small_pile(), small_pile(), small_pile()};
    scree_problem_prepare(problem[2], SCREE_PART_BLOCKS | SCREE_PART_DIAGONAL, NULL);
    for (int b = 0; b < problem[1]->body_count; ++b) /* another W */
        for (int i = 0; i < 3; ++i) problem[1]->rigid_mass[b].inv_mass[i] *= 0.25 + 0.5 * (b % 2);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) check_again(methods[m], problem);
    for (int i = 0; i < 3; ++i) scree_problem_destroy(problem[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_a_problem_of_rigid_contacts),
        cmocka_unit_test(threads_share_an_assembled_problem),
        cmocka_unit_test(threads_share_a_problem_with_a_factorised_mass),
        cmocka_unit_test(a_prepared_problem_is_solved_to_the_same_bits),
        cmocka_unit_test(a_solver_forms_its_parts_again_for_another_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
