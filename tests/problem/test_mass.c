/* test_mass.c: problems through the sparse factor of a general M, against their twins with W assembled.
 *
 * The body is a plate: a grid of nodes of three degrees of freedom, springs between neighbours; M = mass + h^2 K, as an implicit
 * scheme has it. One plate lies on the floor, a second one on the first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "problem/mass.h"
#include "random_contacts.h"
#include "try.h"

#include <math.h>
#include <scree/solver.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the plates ----------------------------------------------------------------------------------------------------- */

typedef struct plates {
    scree_problem_def def;
    int nodes; /* of one plate */
    int *dof, *start, *column, *row, *entry_column;
    double *value, *entry, *v_free;
    scree_cone *cone;
} plates;

/// Entry (i, j) of M: 1 on the diagonal and for each spring of node a to b with axis u: k u u' on both, -k u u' between.
static double mass_entry(int nx, int ny, int i, int j)
{
    int nodes = nx * ny, a = i / 3, b = j / 3, p = i % 3, q = j % 3;
    if (a / nodes != b / nodes) return 0.0; /* another plate */
    double sum = i == j ? 1.0 : 0.0;
    int x = a % nodes % nx, y = a % nodes / nx;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            int inside = x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny, other = a + dx + nx * dy;
            double axis[3] = {dx, dy, 0.3}, k = 5.0 / (dx * dx + dy * dy + 0.09);
            if ((!dx && !dy) || !inside) continue;
            if (dx < 0 || (dx == 0 && dy < 0)) axis[2] = -0.3; /* the same spring from its other end */
            if (a == b) sum += k * axis[p] * axis[q];
            else if (b == other) sum -= k * axis[p] * axis[q];
        }
    return sum;
}

/// Two plates of nx x ny nodes: every lower node touches the floor, every upper one the lower. `push` drives the upper one sideways.
static plates make_plates(int nx, int ny, double push)
{
    plates s = {.def = scree_problem_def_default(), .nodes = nx * ny};
    int n = 6 * s.nodes, count = 0, contacts = 2 * s.nodes;
    s.dof = calloc((size_t)contacts, sizeof *s.dof), s.start = calloc((size_t)n + 1, sizeof *s.start);
    s.column = calloc((size_t)n * 27, sizeof *s.column), s.value = calloc((size_t)n * 27, sizeof *s.value);
    s.row = calloc((size_t)contacts * 2, sizeof *s.row), s.entry_column = calloc((size_t)contacts * 2, sizeof(int));
    s.entry = calloc((size_t)contacts * 18, sizeof *s.entry), s.v_free = calloc((size_t)n, sizeof *s.v_free);
    s.cone = calloc((size_t)contacts, sizeof *s.cone);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double m = mass_entry(nx, ny, i, j);
            if (m != 0.0) s.column[count] = j, s.value[count++] = m;
        }
        s.start[i + 1] = count;
        s.v_free[i] = i % 3 == 2 ? -1.0 - 0.1 * sin(i) : i % 3 == 0 && i >= 3 * s.nodes ? push : 0.05 * cos(i);
    }
    size_t at = 0;
    int entries = 0;
    for (int c = 0; c < contacts; ++c) {
        int is_upper = c >= s.nodes;
        s.cone[c] = scree_cone_slide(0.4), s.dof[c] = 3;
        for (int side = 0; side <= is_upper; ++side) { /* upper: minus the velocity of the lower node, then its own */
            double sign = is_upper && !side ? -1.0 : 1.0;
            s.row[entries] = c, s.entry_column[entries++] = is_upper && !side ? c - s.nodes : c;
            s.entry[at + 2] = s.entry[at + 3] = s.entry[at + 7] = sign; /* N = z, T = x, y */
            at += 9;
        }
    }
    s.def.contact_count = contacts, s.def.cone = s.cone, s.def.body_count = contacts, s.def.body_dof = s.dof;
    s.def.entry_count = (size_t)entries, s.def.entry_row = s.row, s.def.entry_column = s.entry_column;
    s.def.entry_value = s.entry, s.def.v_free = s.v_free;
    s.def.mass_start = s.start, s.def.mass_column = s.column, s.def.mass_value = s.value;
    return s;
}

static void free_plates(plates *s)
{
    free(s->dof), free(s->start), free(s->column), free(s->value), free(s->row);
    free(s->entry_column), free(s->entry), free(s->v_free), free(s->cone);
}

static scree_problem *make_problem(int nx, int ny, double push)
{
    plates s = make_plates(nx, ny, push);
    scree_problem *problem = NULL;
    assert_int_equal(try_problem_create(&s.def, NULL, &problem, NULL), SCREE_OK);
    free_plates(&s);
    return problem;
}

/// The two are one operator, one q, one diagonal; to `tolerance` of the size of what is compared.
static void check_same(const scree_problem *a, const scree_problem *b, double tolerance)
{
    size_t n = (size_t)a->row_count;
    double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *z = calloc(n, sizeof *z), size = 0.0;
    rng g = {5};
    assert_int_equal(a->row_count, b->row_count);
    for (size_t i = 0; i < n; ++i) x[i] = rng_normal(&g);
    scree_problem_apply(a, x, y, NULL);
    scree_problem_apply(b, x, z, NULL);
    for (size_t i = 0; i < n; ++i) size = fmax(size, fabs(y[i]));
    for (size_t i = 0; i < n; ++i) {
        assert_true(fabs(y[i] - z[i]) <= tolerance * size);
        assert_true(fabs(a->q[i] - b->q[i]) <= tolerance);
    }
    for (size_t i = 0; i < a->diagonal_at[a->block_count]; ++i)
        assert_true(fabs(a->diagonal[i] - b->diagonal[i]) <= tolerance * size);
    free(x), free(y), free(z);
}

/* ---- claims --------------------------------------------------------------------------------------------------------- */

static void products_through_the_factor_are_those_of_W(void **state)
{
    (void)state;
    scree_problem *problem = make_problem(6, 5, 0.3), *assembled = NULL;
    assert_non_null(problem->mass);
    assert_null(problem->inv_mass);
    assert_int_equal(try_problem_assemble(problem, NULL, &assembled), SCREE_OK);
    check_same(problem, assembled, 1e-12); /* condition of M: some hundred */
    const block_matrix *W = assembled->W;
    for (int i = 0; i < W->row_blocks; ++i)
        for (int e = W->start[i]; e < W->start[i + 1]; ++e) /* symmetric to the last bit */
            for (int f = W->start[W->column[e]]; f < W->start[W->column[e] + 1]; ++f)
                for (int k = 0; W->column[f] == i && k < 9; ++k)
                    assert_true(W->value[W->at[e] + (size_t)k] == W->value[W->at[f] + (size_t)(k % 3 * 3 + k / 3)]);
    scree_problem_destroy(assembled);
    scree_problem_destroy(problem);
}

static void velocities_of_the_nodes_are_those_of_momentum(void **state)
{
    (void)state;
    plates s = make_plates(4, 3, 0.3);
    scree_problem *problem = NULL;
    assert_int_equal(try_problem_create(&s.def, NULL, &problem, NULL), SCREE_OK);
    double p[72], v[72];
    rng g = {6};
    for (int i = 0; i < 72; ++i) p[i] = rng_normal(&g);
    scree_problem_body_velocities(problem, p, v, NULL);
    for (int i = 0; i < 72;
         ++i) { /* M (v - v_free) = H p: contact c pushes its node, the upper ones push the lower back */
        double left = 0.0, right = 0.0;
        for (int e = s.start[i]; e < s.start[i + 1]; ++e) left += s.value[e] * (v[s.column[e]] - s.v_free[s.column[e]]);
        int node = i / 3, component = i % 3 == 2 ? 0 : i % 3 + 1;
        right = p[3 * node + component] - (node < s.nodes ? p[3 * (node + s.nodes) + component] : 0.0);
        assert_true(fabs(left - right) <= 1e-12 * 100.0);
    }
    scree_problem_destroy(problem);
    free_plates(&s);
}

static double solve(const char *name, const scree_problem *problem, double tolerance, double *p)
{
    scree_solver_options options = scree_solver_options_default();
    scree_solver *solver = NULL;
    scree_solve_info info;
    double *y = calloc((size_t)problem->row_count + 1, sizeof *y);
    options.name = name, options.tolerance = tolerance, options.time_limit = 60.0;
    memset(p, 0, (size_t)problem->row_count * sizeof *p);
    assert_int_equal(try_solver_create(problem, &options, NULL, &solver, NULL), SCREE_OK);
    assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
    double residual = try_problem_residual(problem, p, y);
    if (!(residual <= tolerance)) print_error("%s: %s, %g\n", name, scree_outcome_name(info.outcome), residual);
    scree_solver_destroy(solver);
    free(y);
    return residual;
}

static void every_solver_takes_it(void **state)
{
    (void)state;
    for (int pushed = 0; pushed < 2; ++pushed) {
        scree_problem *problem = make_problem(4, 3, pushed ? 1.0 : 0.1);
        double p[72];
        for (int k = 0; scree_solver_class_at(k); ++k) {
            const char *name = scree_solver_class_name(scree_solver_class_at(k));
            if (!scree_solver_class_takes_law(scree_solver_class_at(k), SCREE_LAW_COULOMB)) continue;
            assert_true(solve(name, problem, 1e-6, p) <= 1e-6);
        }
        assert_true(solve("auto", problem, 1e-10, p) <= 1e-10);
        problem->law = SCREE_LAW_CONVEX;
        assert_true(solve("auto", problem, 1e-8, p) <= 1e-8);
        scree_problem_destroy(problem);
    }
}

static void files_with_a_large_coupled_M_keep_it_and_small_ones_are_assembled(void **state)
{
    (void)state;
    static const char *const names[2] = {"test_mass.dat", "test_mass.hdf5"};
    /* a minimal build has neither HDF5 nor a sparse factor, and its dense factor is dearer than W */
    scree_problem *small = make_problem(5, 4, 0.3);
    int sparse = scree_problem_write(small, NULL, names[1], NULL) != SCREE_ERR_UNSUPPORTED;
    scree_problem_destroy(small);
    for (int large = 0; large < 2; ++large)
        for (int f = 0; f < 2; ++f) {
            scree_problem *problem = large ? make_problem(20, 10, 0.3) : make_problem(5, 4, 0.3), *read = NULL;
            scree_error error = {.line = 0};
            double *p = calloc((size_t)problem->row_count, sizeof *p);
            scree_status status = scree_problem_write(problem, f ? p : NULL, names[f], &error);
            if (status == SCREE_ERR_UNSUPPORTED) { /* built without HDF5 */
                free(p), scree_problem_destroy(problem);
                continue;
            }
            assert_int_equal(status, SCREE_OK);
            assert_int_equal(try_problem_read(names[f], SCREE_FILE_GLOBAL, NULL, &read, &error), SCREE_OK);
            assert_true((read->mass != NULL) == (large && sparse));
            assert_true((read->W != NULL) == !(large && sparse));
            check_same(problem, read, 1e-11);
            if (large && sparse) {
                assert_true(solve("auto", read, 1e-8, p) <= 1e-8);
                int n = problem->mass->start[problem->dof_count]; /* M comes back bit by bit */
                assert_int_equal(read->mass->start[problem->dof_count], n);
                assert_memory_equal(problem->mass->value, read->mass->value, (size_t)n * sizeof(double));
            }
            remove(names[f]);
            free(p);
            scree_problem_destroy(read);
            scree_problem_destroy(problem);
        }
}

/// A floor under every node and a ceiling over it that comes down: the loads of both stand against each other through a node.
static void a_plate_that_is_pressed_flat_is_infeasible(void **state)
{
    (void)state;
    plates s = make_plates(3, 3, 0.0);
    scree_problem *problem = NULL;
    double q[54] = {0};
    for (int c = 0; c < s.nodes; ++c) { /* contact nodes + c: the ceiling over node c of the lower plate */
        memset(s.entry + 9 * s.nodes + 18 * c, 0, 18 * sizeof *s.entry);
        double *ceiling = s.entry + 9 * s.nodes + 18 * c;
        ceiling[2] = -1.0, ceiling[3] = 1.0, ceiling[7] = -1.0;
        q[3 * (s.nodes + c)] = -0.1;
    }
    s.def.q = q;
    assert_int_equal(try_problem_create(&s.def, NULL, &problem, NULL), SCREE_OK);
    scree_solver_options options = scree_solver_options_default();
    scree_solver *solver = NULL;
    scree_solve_info info;
    double p[54] = {0};
    assert_int_equal(try_solver_create(problem, &options, NULL, &solver, NULL), SCREE_OK);
    assert_int_equal(try_solver_solve(solver, problem, p, &info), SCREE_OK);
    assert_int_equal(info.outcome, SCREE_OUTCOME_INFEASIBLE);
    scree_solver_destroy(solver);
    scree_problem_destroy(problem);
    free_plates(&s);
}

static void an_M_that_is_not_definite_is_refused(void **state)
{
    (void)state;
    plates s = make_plates(3, 2, 0.0);
    scree_problem *problem = NULL;
    scree_error error = {.line = 0};
    s.value[0] = -1.0;
    assert_int_equal(try_problem_create(&s.def, NULL, &problem, &error), SCREE_ERR_INPUT);
    assert_null(problem);
    assert_non_null(strstr(error.text, "positive definite"));
    free_plates(&s);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    plates s = make_plates(3, 2, 0.2);
    scree_problem *whole = NULL;
    assert_int_equal(try_problem_create(&s.def, NULL, &whole, NULL), SCREE_OK);
    for (int what = 0; what < 5; ++what) /* create, assemble, two solvers of the factor form, and the default */
        for (int n = 0;; ++n) {
            failing f = {.left = n};
            scree_allocator a = failing_allocator(&f);
            scree_problem *problem = NULL;
            scree_solver *solver = NULL;
            scree_solver_options options = scree_solver_options_default();
            options.name = what == 2 ? "admm" : what == 3 ? "ipm" : "auto";
            scree_status status = what == 0   ? try_problem_create(&s.def, &a, &problem, NULL)
                                  : what == 1 ? try_problem_assemble(whole, &a, &problem)
                                              : try_solver_create(whole, &options, &a, &solver, NULL);
            scree_problem_destroy(problem);
            scree_solver_destroy(solver);
            assert_int_equal(f.live, 0);
            if (status == SCREE_OK) break;
            assert_int_equal(status, SCREE_ERR_MEMORY);
        }
    scree_problem_destroy(whole);
    free_plates(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_through_the_factor_are_those_of_W),
        cmocka_unit_test(velocities_of_the_nodes_are_those_of_momentum),
        cmocka_unit_test(every_solver_takes_it),
        cmocka_unit_test(files_with_a_large_coupled_M_keep_it_and_small_ones_are_assembled),
        cmocka_unit_test(a_plate_that_is_pressed_flat_is_infeasible),
        cmocka_unit_test(an_M_that_is_not_definite_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
