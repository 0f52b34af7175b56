/* test_rigid.c: problems of rigid contacts against a slow twin: the same blocks by finite differences of moving points, given to the
 * general scree_problem_create. */
#include "failing_allocator.h"
#include "math/vec.h"
#include "problem/problem_private.h"
#include "random_contacts.h"
#include "try.h"

#include <scree/solver.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CONTACTS = 70, BODIES = 9 };

typedef struct scene {
    scree_rigid_contact contact[CONTACTS];
    scree_cone cone[CONTACTS];
    scree_rigid_mass mass[BODIES];
    double v_free[6 * BODIES], w[6 * CONTACTS], compliance[6 * CONTACTS];
    scree_rigid_def def;
} scene;

static const scree_cone no_friction = {{0, 0, 0}, {0.0, 0.0, 0.0}};

/// Every cone there is, every pairing of bodies (a before b, b before a, either one fixed).
static void scene_make(scene *s, uint64_t seed)
{
    rng g = {seed};
    memset(s, 0, sizeof *s);
    s->def = scree_rigid_def_default();
    for (int b = 0; b < BODIES; ++b) {
        double Q[9], d[3];
        random_rotation(&g, Q);
        for (int i = 0; i < 3; ++i) d[i] = rng_log(&g, 0.1, 10.0), s->mass[b].inv_mass[i] = 1.0 / (b + 1.0);
        mat_turned_diagonal(Q, d, s->mass[b].inv_inertia);
        for (int i = 0; i < 6; ++i) s->v_free[6 * b + i] = rng_normal(&g);
    }
    for (int c = 0; c < CONTACTS; ++c) {
        const scree_cone cones[] = {no_friction,
                                    scree_cone_planar(0.3),
                                    scree_cone_planar_roll(0.3, 0.1),
                                    scree_cone_slide(0.5),
                                    scree_cone_slide_spin(0.5, 0.2),
                                    scree_cone_slide_roll(0.5, 0.1),
                                    scree_cone_slide_roll_spin(0.5, 0.1, 0.2)};
        scree_rigid_contact *k = &s->contact[c];
        double Q[9];
        random_rotation(&g, Q);
        s->cone[c] = cones[c % 7];
        k->body_a = rng_below(&g, BODIES);
        k->body_b = (k->body_a + 1 + rng_below(&g, BODIES - 1)) % BODIES;
        if (c % 5 == 0) k->body_a = -1;
        else if (c % 5 == 1) k->body_b = -1;
        for (int i = 0; i < 3; ++i) {
            k->normal[i] = Q[3 * i], k->tangent[i] = Q[3 * i + 1];
            k->arm_a[i] = rng_normal(&g), k->arm_b[i] = rng_normal(&g);
        }
    }
    for (int i = 0; i < 6 * CONTACTS; ++i) s->w[i] = rng_normal(&g), s->compliance[i] = rng_uniform(&g, 0.0, 0.1);
    s->def.contact_count = CONTACTS, s->def.body_count = BODIES;
    s->def.contact = s->contact, s->def.cone = s->cone, s->def.mass = s->mass, s->def.v_free = s->v_free,
    s->def.w = s->w;
}

/// Arms along the normals, masses the same in all directions, no planar cones.
static void scene_of_spheres(scene *s)
{
    for (int b = 0; b < BODIES; ++b) {
        memset(s->mass[b].inv_inertia, 0, sizeof s->mass[b].inv_inertia);
        for (int i = 0; i < 3; ++i) s->mass[b].inv_inertia[4 * i] = 1.0 + 0.2 * b;
    }
    for (int c = 0; c < CONTACTS; ++c) {
        if (s->cone[c].size[SCREE_FRICTION_SLIDE] == 1) s->cone[c] = scree_cone_slide(0.3);
        for (int i = 0; i < 3; ++i) {
            s->contact[c].arm_a[i] = 0.7 * s->contact[c].normal[i];
            s->contact[c].arm_b[i] = -0.4 * s->contact[c].normal[i];
        }
    }
    for (int i = 0; i < 6 * CONTACTS; ++i) s->compliance[i] = 0.05;
}

/// Where the point at `arm` is after the body has moved for the time `eps` with unit speed along or about axis k.
static void moved_point(const double *arm, int k, double eps, double *x)
{
    memcpy(x, arm, 3 * sizeof *x);
    if (k < 3) {
        x[k] += eps;
        return;
    }
    int i = (k - 3 + 1) % 3, j = (k - 3 + 2) % 3;
    x[i] = cos(eps) * arm[i] - sin(eps) * arm[j], x[j] = sin(eps) * arm[i] + cos(eps) * arm[j];
}

/// Column k of the block of a body, by central differences of the positions of points; rates of turning from where three unit
/// vectors go.
static void difference_column(const scree_rigid_contact *c, const scree_cone *cone, double sign, const double *arm,
                              int k, double *block)
{
    const double eps = 1e-5; /* truncation 2e-11, rounding 1e-11 */
    const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double ahead[3], behind[3], u[3], turn[3] = {0, 0, 0}, t2[3];
    moved_point(arm, k, eps, ahead), moved_point(arm, k, -eps, behind);
    for (int i = 0; i < 3; ++i) u[i] = (ahead[i] - behind[i]) / (2.0 * eps);
    for (int a = 0; a < 3; ++a) { /* omega = 1/2 sum of e x de/dt */
        double e0[3], e1[3], rate[3], part[3];
        moved_point(axes[a], k < 3 ? 3 : k, k < 3 ? 0.0 : eps, e1);
        moved_point(axes[a], k < 3 ? 3 : k, k < 3 ? 0.0 : -eps, e0);
        for (int i = 0; i < 3; ++i) rate[i] = (e1[i] - e0[i]) / (2.0 * eps);
        vec_cross(axes[a], rate, part);
        for (int i = 0; i < 3; ++i) turn[i] += 0.5 * part[i];
    }
    vec_cross(c->normal, c->tangent, t2);
    double rows[6];
    int n = 0;
    rows[n++] = vec_dot(u, c->normal);
    if (cone->size[0] >= 1) rows[n++] = vec_dot(u, c->tangent);
    if (cone->size[0] == 2) rows[n++] = vec_dot(u, t2);
    if (cone->size[1] == 2) rows[n++] = vec_dot(turn, c->tangent);
    if (cone->size[1] >= 1) rows[n++] = vec_dot(turn, t2);
    if (cone->size[2] == 1) rows[n++] = vec_dot(turn, c->normal);
    for (int i = 0; i < n; ++i) block[6 * i + k] = sign * rows[i];
}

static scree_problem *slow_twin(const scene *s)
{
    scree_problem_def def = scree_problem_def_default();
    int row[2 * CONTACTS], column[2 * CONTACTS], dof[BODIES], count = 0;
    double *value = calloc(2 * CONTACTS * 36, sizeof *value), *at = value, inv_mass[36 * BODIES] = {0};
    for (int c = 0; c < CONTACTS; ++c)
        for (int side = 0; side < 2; ++side) {
            int body = side ? s->contact[c].body_b : s->contact[c].body_a;
            if (body < 0) continue;
            for (int k = 0; k < 6; ++k)
                difference_column(&s->contact[c], &s->cone[c], side ? 1.0 : -1.0,
                                  side ? s->contact[c].arm_b : s->contact[c].arm_a, k, at);
            at += 6 * scree_cone_dim(&s->cone[c]);
            row[count] = c, column[count++] = body;
        }
    for (int b = 0; b < BODIES; ++b) {
        dof[b] = 6;
        for (int i = 0; i < 3; ++i) {
            inv_mass[36 * b + 7 * i] = s->mass[b].inv_mass[i];
            for (int j = 0; j < 3; ++j) inv_mass[36 * b + 6 * (3 + i) + 3 + j] = s->mass[b].inv_inertia[3 * i + j];
        }
    }
    def.law = s->def.law;
    def.contact_count = CONTACTS, def.cone = s->cone, def.q = s->w, def.compliance = s->def.compliance;
    def.entry_count = (size_t)count, def.entry_row = row, def.entry_column = column, def.entry_value = value;
    def.body_count = BODIES, def.body_dof = dof, def.body_inv_mass = inv_mass, def.v_free = s->v_free;
    scree_problem *problem = NULL;
    scree_error error = {0};
    assert_int_equal(try_problem_create(&def, NULL, &problem, &error), SCREE_OK);
    free(value);
    return problem;
}

static void assert_same_pattern(const block_matrix *A, const block_matrix *B)
{
    assert_int_equal(A->row_blocks, B->row_blocks);
    assert_int_equal(A->col_blocks, B->col_blocks);
    size_t rows = (size_t)A->row_blocks + 1, columns = (size_t)A->col_blocks + 1;
    assert_memory_equal(A->start, B->start, rows * sizeof *A->start);
    assert_memory_equal(A->row_offset, B->row_offset, rows * sizeof *A->start);
    assert_memory_equal(A->col_offset, B->col_offset, columns * sizeof *A->start);
    size_t entries = (size_t)A->start[A->row_blocks];
    assert_memory_equal(A->column, B->column, entries * sizeof *A->column);
    assert_memory_equal(A->at, B->at, (entries + 1) * sizeof *A->at);
}

static void every_block_is_the_derivative_of_the_motion_of_points(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2; ++variant) {
        scene s;
        scene_make(&s, 11 + (uint64_t)variant);
        if (variant) s.def.compliance = s.compliance, s.def.law = SCREE_LAW_CONVEX;
        scree_problem *fast = NULL, *slow = slow_twin(&s);
        scree_error error = {0};
        assert_int_equal(try_problem_from_rigid(&s.def, NULL, &fast, &error), SCREE_OK);
        const double tol = 1e-9; /* of the differences */
        assert_null(fast->Ht);   /* not before it is asked for */
        double x[6 * CONTACTS], y[6 * CONTACTS], z[6 * CONTACTS], size = 0.0;
        rng g = {5};
        for (int i = 0; i < 6 * CONTACTS; ++i) x[i] = rng_normal(&g);
        scree_problem_apply(fast, x, y, NULL), scree_problem_apply(slow, x, z, NULL);
        for (int i = 0; i < fast->row_count; ++i) size = fmax(size, fabs(y[i]));
        assert_true(largest_difference((size_t)fast->row_count, y, z) <= 10 * tol * size);
        for (int c = 0; c < CONTACTS; ++c) { /* formed one by one, or all at once */
            double D[36];
            int d = fast->offset[c + 1] - fast->offset[c];
            problem_diagonal_block(fast, c, D);
            assert_true(largest_difference((size_t)(d * d), D, slow->diagonal + slow->diagonal_at[c]) <= 100 * tol);
        }
        assert_int_equal(scree_problem_prepare(fast, SCREE_PART_BLOCKS | SCREE_PART_DIAGONAL, NULL), SCREE_OK);
        assert_memory_equal(fast->diagonal_at, slow->diagonal_at, (CONTACTS + 1) * sizeof *fast->diagonal_at);
        assert_true(largest_difference(fast->diagonal_at[CONTACTS], fast->diagonal, slow->diagonal) <= 100 * tol);
        assert_int_equal(fast->row_count, slow->row_count);
        assert_int_equal(fast->dof_count, slow->dof_count);
        assert_int_equal(fast->law, s.def.law);
        assert_memory_equal(fast->offset, slow->offset, (CONTACTS + 1) * sizeof *fast->offset);
        assert_same_pattern(fast->Ht, slow->Ht);
        assert_same_pattern(fast->inv_mass, slow->inv_mass);
        size_t n = (size_t)fast->row_count, values = slow->Ht->at[slow->Ht->start[CONTACTS]];
        assert_true(largest_difference(values, fast->Ht->value, slow->Ht->value) <= tol);
        assert_true(largest_difference(36 * BODIES, fast->inv_mass->value, slow->inv_mass->value) == 0.0);
        assert_true(largest_difference(n, fast->q, slow->q) <= 10 * tol);
        /* assembled, and in a file: from the blocks */
        scree_problem *assembled;
        assert_int_equal(try_problem_assemble(fast, NULL, &assembled), SCREE_OK);
        scree_problem_apply(assembled, x, z, NULL);
        assert_true(largest_difference(n, y, z) <= 1e-13 * size);
        scree_problem_destroy(assembled);
        scree_problem_destroy(fast);
        scree_problem_destroy(slow);
    }
}

/// W p + q = H' v + w + compliance p, where v are the velocities of the bodies under the load p.
static void velocities_of_bodies_and_of_contacts_agree(void **state)
{
    (void)state;
    scene s;
    scene_make(&s, 3);
    s.def.compliance = s.compliance;
    scree_problem *problem = NULL;
    assert_int_equal(try_problem_from_rigid(&s.def, NULL, &problem, NULL), SCREE_OK);
    size_t n = (size_t)problem->row_count;
    double p[6 * CONTACTS], y[6 * CONTACTS], z[6 * CONTACTS], v[6 * BODIES];
    rng g = {6};
    for (size_t i = 0; i < n; ++i) p[i] = rng_normal(&g);
    try_problem_residual(problem, p, y);
    scree_problem_body_velocities(problem, p, v, NULL);
    assert_int_equal(scree_problem_prepare(problem, SCREE_PART_BLOCKS, NULL), SCREE_OK);
    const block_matrix *Ht = problem->Ht;
    for (size_t i = 0; i < n; ++i) z[i] = s.w[i] + s.compliance[i] * p[i];
    for (int c = 0; c < CONTACTS; ++c)
        for (int e = Ht->start[c]; e < Ht->start[c + 1]; ++e)
            for (int i = 0; i < problem->offset[c + 1] - problem->offset[c]; ++i)
                for (int k = 0; k < 6; ++k)
                    z[problem->offset[c] + i] += Ht->value[Ht->at[e] + (size_t)(6 * i + k)] * v[6 * Ht->column[e] + k];
    assert_true(largest_difference(n, y, z) <= 1e-11); /* loads and inverse masses up to 10, 15 contacts on a body */
    scree_problem_destroy(problem);
}

static void a_file_of_it_holds_the_same_problem(void **state)
{
    (void)state;
    scene s;
    char folder[] = "/tmp/scree_rigid_XXXXXX", path[64];
    scene_make(&s, 9);
    for (int c = 0; c < CONTACTS; ++c) s.cone[c] = scree_cone_slide(0.5);
    scree_problem *problem = NULL, *read = NULL;
    scree_error error = {0};
    assert_int_equal(try_problem_from_rigid(&s.def, NULL, &problem, &error), SCREE_OK);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.dat", folder);
    assert_int_equal(scree_problem_write(problem, NULL, path, &error), SCREE_OK);
    assert_int_equal(try_problem_read(path, SCREE_FILE_DETECT, NULL, &read, &error), SCREE_OK);
    remove(path), remove(folder);
    double x[3 * CONTACTS], y[3 * CONTACTS], z[3 * CONTACTS];
    rng g = {2};
    for (int i = 0; i < 3 * CONTACTS; ++i) x[i] = rng_normal(&g);
    try_problem_residual(problem, x, y), try_problem_residual(read, x, z);
    assert_int_equal(read->body_count, BODIES);
    assert_true(largest_difference(3 * CONTACTS, y, z) <= 1e-11); /* M is inverted on the way there and back */
    scree_problem_destroy(problem);
    scree_problem_destroy(read);
}

/// A scene under the convex law, which always has a solution; its problem, and a solver for problems like it, to 1e-6.
static scree_solver *make_solvable(scene *s, uint64_t seed, int spheres, const char *method, scree_problem **problem)
{
    scree_solver *solver = NULL;
    scree_solver_options options = scree_solver_options_default();
    options.name = method, options.tolerance = 1e-6;
    scene_make(s, seed);
    s->def.law = SCREE_LAW_CONVEX, s->def.w = NULL, s->def.compliance = s->compliance;
    if (spheres) scene_of_spheres(s);
    assert_int_equal(try_problem_from_rigid(&s->def, NULL, problem, NULL), SCREE_OK);
    assert_int_equal(try_solver_create(*problem, &options, NULL, &solver, NULL), SCREE_OK);
    return solver;
}

/// A solver made for one problem solves another of the same structure: other arms, masses, coefficients and velocities.
static void a_solver_follows_values_that_change(void **state)
{
    (void)state;
    static const char *const methods[] = {"auto", "momentum", "nsgs", "newton", "admm", "ipm"};
    for (int i = 0; i < 6; ++i)
        for (int spheres = 0; spheres < 2; ++spheres) {
            scene s;
            scree_problem *first = NULL, *second = NULL;
            scree_solve_info info;
            double p[6 * CONTACTS] = {0}, y[6 * CONTACTS];
            scree_solver *solver = make_solvable(&s, 21, spheres, methods[i], &first);
            assert_int_equal(try_solver_solve(solver, first, p, &info), SCREE_OK);
            assert_true(try_problem_residual(first, p, y) <= 1e-6);
            for (int b = 0; b < BODIES; ++b)
                for (int k = 0; k < 3; ++k) s.mass[b].inv_mass[k] *= 1.0 + 0.3 * b;
            for (int c = 0; c < CONTACTS; ++c) {
                for (int k = 0; k < 3; ++k) s.contact[c].arm_a[k] *= -0.5, s.contact[c].arm_b[k] += spheres ? 0.0 : 0.3;
                for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) s.cone[c].coef[k] *= 0.5;
            }
            assert_int_equal(try_problem_from_rigid(&s.def, NULL, &second, NULL), SCREE_OK);
            assert_int_equal(try_solver_solve(solver, second, p, &info), SCREE_OK);
            assert_true(try_problem_residual(second, p, y) <= 1e-6);
            assert_true(try_problem_residual(first, p, y) > 1e-3); /* it is another problem */
            scree_solver_destroy(solver);
            scree_problem_destroy(first), scree_problem_destroy(second);
        }
}

/// What starts as spheres and is none at the next solve.
static void spheres_may_become_other_bodies(void **state)
{
    (void)state;
    scene s;
    scree_problem *first = NULL, *second = NULL;
    scree_solve_info info;
    double p[6 * CONTACTS] = {0}, y[6 * CONTACTS];
    scree_solver *solver = make_solvable(&s, 22, 1, "momentum", &first);
    for (int c = 0; c < CONTACTS; ++c)
        for (int k = 0; k < 3; ++k) s.contact[c].arm_b[k] += 0.3;
    assert_int_equal(try_problem_from_rigid(&s.def, NULL, &second, NULL), SCREE_OK);
    scree_problem *const order[] = {first, second, first, second};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(try_solver_solve(solver, order[i], p, &info), SCREE_OK);
        assert_true(try_problem_residual(order[i], p, y) <= 1e-6);
    }
    scree_solver_destroy(solver);
    scree_problem_destroy(first), scree_problem_destroy(second);
}

static void wrong_contacts_are_refused_with_their_number(void **state)
{
    (void)state;
    for (int fault = 0; fault < 6; ++fault) {
        scene s;
        scene_make(&s, 4);
        if (fault == 0) s.contact[7].body_a = s.contact[7].body_b = -1;
        if (fault == 1) s.contact[7].body_a = s.contact[7].body_b = 2;
        if (fault == 2) s.contact[7].body_a = BODIES;
        if (fault == 3) s.contact[7].body_b = -2;
        if (fault == 4) s.cone[7].size[0] = 3;
        if (fault == 5) s.w[0] = (double)NAN;
        scree_problem *problem = NULL;
        scree_error error = {.text = ""};
        assert_int_equal(try_problem_from_rigid(&s.def, NULL, &problem, &error), SCREE_ERR_INPUT);
        assert_null(problem);
        assert_non_null(strstr(error.text, fault == 5 ? "q[0]" : "contact 7"));
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    scene s;
    scene_make(&s, 5);
    s.def.compliance = s.compliance;
    for (int n = 0;; ++n) {
        failing f = {.left = n};
        scree_allocator a = failing_allocator(&f);
        scree_problem *problem = NULL;
        scree_status status = try_problem_from_rigid(&s.def, &a, &problem, NULL);
        assert_int_equal(status == SCREE_OK, problem != NULL);
        if (problem) {
            status = scree_problem_prepare(problem, SCREE_PART_BLOCKS | SCREE_PART_DIAGONAL, NULL);
            assert_int_equal(problem->Ht == NULL, problem->inv_mass == NULL);
            assert_int_equal(problem->diagonal == NULL, problem->diagonal_at == NULL);
            assert_int_equal(status == SCREE_OK, problem->diagonal != NULL);
        }
        scree_problem_destroy(problem);
        assert_int_equal(f.live, 0);
        if (status == SCREE_OK) break;
        assert_int_equal(status, SCREE_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_is_the_derivative_of_the_motion_of_points),
        cmocka_unit_test(velocities_of_bodies_and_of_contacts_agree),
        cmocka_unit_test(a_file_of_it_holds_the_same_problem),
        cmocka_unit_test(a_solver_follows_values_that_change),
        cmocka_unit_test(spheres_may_become_other_bodies),
        cmocka_unit_test(wrong_contacts_are_refused_with_their_number),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
