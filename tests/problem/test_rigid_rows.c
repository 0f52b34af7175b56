/* test_rigid_rows.c: bounded and bilateral rows beside rigid contacts: against the same problem given by blocks, and through every solver
 * that says it takes them. */
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

enum { LINKS = 6, JOINT_ROWS = 3, BOUNDS = JOINT_ROWS * LINKS + 2, FEET = 3, ROWS = 3 * FEET + BOUNDS };

typedef struct mechanism {
    scree_rigid_contact contact[FEET];
    scree_cone cone[FEET];
    scree_rigid_row row[BOUNDS];
    double bound[BOUNDS], v_free[6 * LINKS], w[ROWS], compliance[ROWS];
    scree_rigid_mass mass[LINKS];
    scree_rigid_def def;
} mechanism;

/// A row along e at the arms of both bodies.
static void row_along(int axis, const double *arm_a, const double *arm_b, scree_rigid_row *r)
{
    double e[3] = {axis == 0, axis == 1, axis == 2}, turn[3];
    for (int i = 0; i < 3; ++i) r->a[i] = -e[i], r->b[i] = e[i];
    vec_cross(arm_a, e, turn);
    for (int i = 0; i < 3; ++i) r->a[3 + i] = -turn[i];
    vec_cross(arm_b, e, turn);
    for (int i = 0; i < 3; ++i) r->b[3 + i] = turn[i];
}

/// A chain of ball joints from the ground, light and heavy links in turn, falling; every other link stands on a foot with friction. One
/// friction moment, one motor with a bound.
static void mechanism_make(mechanism *m, scree_law law)
{
    rng g = {21};
    memset(m, 0, sizeof *m);
    m->def = scree_rigid_def_default();
    for (int b = 0; b < LINKS; ++b) {
        for (int i = 0; i < 3; ++i) {
            m->mass[b].inv_mass[i] = b % 2 ? 0.1 : 1.0;
            m->mass[b].inv_inertia[4 * i] = m->mass[b].inv_mass[i] * 4.0;
        }
        m->v_free[6 * b + 2] = -0.05;
        for (int i = 0; i < 6; ++i) m->v_free[6 * b + i] += 0.02 * rng_normal(&g);
        for (int k = 0; k < JOINT_ROWS; ++k) {
            scree_rigid_row *r = &m->row[JOINT_ROWS * b + k];
            r->body_a = b - 1, r->body_b = b;
            row_along(k, (const double[3]){0.5, 0.0, 0.1}, (const double[3]){-0.5, 0.1, 0.0}, r);
            m->bound[JOINT_ROWS * b + k] = (double)INFINITY;
        }
    }
    for (int k = 0; k < 2; ++k) {
        scree_rigid_row *r = &m->row[JOINT_ROWS * LINKS + k];
        r->body_a = k, r->body_b = k + 1, r->a[4] = -1.0, r->b[4] = 1.0;
        m->bound[JOINT_ROWS * LINKS + k] = k ? 0.001 : 0.05;
    }
    for (int c = 0; c < FEET; ++c) {
        m->contact[c] = (scree_rigid_contact){.body_a = -1,
                                              .body_b = 2 * c + 1,
                                              .normal = {0, 0, 1},
                                              .tangent = {1, 0, 0},
                                              .arm_b = {0.1 * c, 0.05, -0.2}};
        m->cone[c] = scree_cone_slide(0.4);
    }
    for (int i = 0; i < ROWS; ++i) m->w[i] = i >= ROWS - 2 ? 0.1 : 0.0, m->compliance[i] = i >= 3 * FEET ? 1e-8 : 0.0;
    m->def.law = law, m->def.contact_count = FEET, m->def.bound_count = BOUNDS, m->def.body_count = LINKS;
    m->def.contact = m->contact, m->def.cone = m->cone, m->def.row = m->row, m->def.bound = m->bound;
    m->def.mass = m->mass, m->def.v_free = m->v_free, m->def.w = m->w, m->def.compliance = m->compliance;
}

static scree_problem *make(const mechanism *m)
{
    scree_problem *problem = NULL;
    scree_error error = {0};
    assert_int_equal(try_problem_from_rigid(&m->def, NULL, &problem, &error), SCREE_OK);
    return problem;
}

/// The same as blocks: contacts from the blocks of a problem of contacts alone, rows as they are.
static scree_problem *twin(const mechanism *m)
{
    scree_rigid_def alone = m->def;
    scree_problem *feet = NULL, *problem = NULL;
    scree_problem_def def = scree_problem_def_default();
    int row[2 * (FEET + BOUNDS)], column[2 * (FEET + BOUNDS)], dof[LINKS], count = 0;
    double value[36 * (FEET + BOUNDS)], *at = value;
    alone.bound_count = 0;
    assert_int_equal(try_problem_from_rigid(&alone, NULL, &feet, NULL), SCREE_OK);
    assert_int_equal(scree_problem_prepare(feet, SCREE_PART_BLOCKS, NULL), SCREE_OK);
    for (int c = 0; c < FEET; ++c)
        for (int e = feet->Ht->start[c]; e < feet->Ht->start[c + 1]; ++e, at += 18) {
            memcpy(at, feet->Ht->value + feet->Ht->at[e], 18 * sizeof *at);
            row[count] = c, column[count++] = feet->Ht->column[e];
        }
    for (int b = 0; b < BOUNDS; ++b)
        for (int side = 0; side < 2; ++side) {
            int body = side ? m->row[b].body_b : m->row[b].body_a;
            if (body < 0) continue;
            memcpy(at, side ? m->row[b].b : m->row[b].a, 6 * sizeof *at);
            row[count] = FEET + b, column[count++] = body, at += 6;
        }
    for (int b = 0; b < LINKS; ++b) dof[b] = 6;
    def.law = m->def.law, def.contact_count = FEET, def.bound_count = BOUNDS, def.cone = m->cone, def.bound = m->bound;
    def.q = m->w, def.compliance = m->compliance, def.entry_count = (size_t)count, def.entry_row = row,
    def.entry_column = column, def.entry_value = value;
    def.body_count = LINKS, def.body_dof = dof, def.body_inv_mass = feet->inv_mass->value, def.v_free = m->v_free;
    assert_int_equal(try_problem_create(&def, NULL, &problem, NULL), SCREE_OK);
    scree_problem_destroy(feet);
    return problem;
}

static void rows_are_the_same_operator_as_their_blocks(void **state)
{
    (void)state;
    mechanism m;
    mechanism_make(&m, SCREE_LAW_COULOMB);
    scree_problem *fast = make(&m), *slow = twin(&m), *assembled = NULL;
    double x[ROWS], y[ROWS], z[ROWS], D[36], v[6 * LINKS], u[6 * LINKS];
    rng g = {4};
    assert_int_equal(fast->row_count, ROWS);
    for (int i = 0; i < ROWS; ++i) x[i] = rng_normal(&g);
    scree_problem_apply(fast, x, y, NULL), scree_problem_apply(slow, x, z, NULL);
    assert_true(largest_difference(ROWS, y, z) <= 1e-13);
    assert_true(largest_difference(ROWS, fast->q, slow->q) <= 1e-15);
    for (int b = 0; b < fast->block_count; ++b) {
        size_t d = (size_t)(fast->offset[b + 1] - fast->offset[b]);
        problem_diagonal_block(fast, b, D);
        assert_true(largest_difference(d * d, D, slow->diagonal + slow->diagonal_at[b]) <= 1e-14);
    }
    scree_problem_body_velocities(fast, x, v, NULL), scree_problem_body_velocities(slow, x, u, NULL);
    assert_true(largest_difference(6 * LINKS, v, u) <= 1e-13);
    assert_int_equal(try_problem_assemble(fast, NULL, &assembled), SCREE_OK);
    scree_problem_apply(assembled, x, z, NULL);
    assert_true(largest_difference(ROWS, y, z) <= 1e-13);
    scree_problem_destroy(assembled);
    scree_problem_destroy(fast);
    scree_problem_destroy(slow);
}

/// What a solver says of itself is true: it solves the mechanism, from rows and from blocks, or refuses it. Judged from the data.
static void every_solver_that_takes_rows_solves_the_mechanism(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law) {
        mechanism m;
        mechanism_make(&m, law ? SCREE_LAW_CONVEX : SCREE_LAW_COULOMB);
        scree_problem *form[2] = {make(&m), twin(&m)};
        for (int k = 0; scree_solver_class_at(k); ++k) {
            const scree_solver_class *class = scree_solver_class_at(k);
            for (int f = 0; f < 2; ++f) {
                scree_solver_options options = scree_solver_options_default();
                scree_solver *solver = NULL;
                scree_solve_info info;
                scree_certificate c;
                double p[ROWS] = {0}, y[ROWS];
                options.name = scree_solver_class_name(class), options.tolerance = 1e-6;
                scree_status status = try_solver_create(form[f], &options, NULL, &solver, NULL);
                if (!scree_solver_class_takes_bounds(class) || !scree_solver_class_takes_law(class, m.def.law)) {
                    assert_int_equal(status, SCREE_ERR_UNSUPPORTED);
                    continue;
                }
                assert_int_equal(status, SCREE_OK);
                assert_int_equal(try_solver_solve(solver, form[f], p, &info), SCREE_OK);
                try_problem_certify(form[f], p, y, &c);
                if (info.outcome != SCREE_OUTCOME_CONVERGED || c.residual > 1e-6)
                    print_error("%s, %s, %s: %s after %d, residual %.1e\n", options.name, law ? "convex" : "coulomb",
                                f ? "blocks" : "rows", scree_outcome_name(info.outcome), info.iterations, c.residual);
                assert_true(info.outcome == SCREE_OUTCOME_CONVERGED && c.residual <= 1e-6);
                double allowed = 1e-6 * (1.0 + c.load_norm); /* what the residual lets pass */
                assert_true(c.penetration_speed <= allowed);
                for (int b = 0; b < JOINT_ROWS * LINKS; ++b) assert_true(fabs(y[3 * FEET + b]) <= allowed);
                for (int b = 0; b < BOUNDS; ++b) assert_true(fabs(p[3 * FEET + b]) <= m.bound[b] * (1.0 + 1e-12));
                scree_solver_destroy(solver);
            }
        }
        scree_problem_destroy(form[0]);
        scree_problem_destroy(form[1]);
    }
}

static void what_is_no_row_is_refused(void **state)
{
    (void)state;
    mechanism m;
    scree_problem *problem = NULL;
    scree_error error = {.text = ""};
    mechanism_make(&m, SCREE_LAW_COULOMB);
    m.bound[4] = -1.0;
    assert_int_equal(try_problem_from_rigid(&m.def, NULL, &problem, &error), SCREE_ERR_INPUT);
    assert_string_equal(error.text, "bounded row 4: the bound is -1, expected >= 0 or infinite");
    mechanism_make(&m, SCREE_LAW_COULOMB);
    m.row[3].body_b = m.row[3].body_a;
    assert_int_equal(try_problem_from_rigid(&m.def, NULL, &problem, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "bounded row 3 is of the bodies 0 and 0"));
    assert_null(problem);
}

static void the_kth_allocation_may_fail(void **state)
{
    (void)state;
    mechanism m;
    mechanism_make(&m, SCREE_LAW_COULOMB);
    for (int k = 0;; ++k) {
        failing f = {.left = k};
        scree_allocator a = failing_allocator(&f);
        scree_problem *problem = NULL;
        scree_status status = try_problem_from_rigid(&m.def, &a, &problem, NULL);
        assert_true((status == SCREE_OK) == (problem != NULL));
        if (status == SCREE_OK) status = scree_problem_prepare(problem, SCREE_PART_BLOCKS | SCREE_PART_DIAGONAL, NULL);
        scree_problem_destroy(problem);
        assert_int_equal(f.live, 0);
        if (status == SCREE_OK) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_same_operator_as_their_blocks),
        cmocka_unit_test(every_solver_that_takes_rows_solves_the_mechanism),
        cmocka_unit_test(what_is_no_row_is_refused),
        cmocka_unit_test(the_kth_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
