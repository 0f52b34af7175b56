/* prove.c: looks for the loads that prove that a problem has no solution.                                docs/math/infeasible.md
 *
 * In x = E^-1 z, with C the loads that could prove something (infeasible.c), the nearest point to -E q in
 *     { x in C : E W E x = 0 }
 * is 0 exactly where there is no proof; else it is one, with q.z = -|x|^2, and of all proofs the one of largest press. It is the limit for
 * delta -> 0 of
 *     min over x in C of  1/2 |x + E q|^2 + 1/(2 delta) x'(E W E)x,
 * which is a contact problem under the convex law, of the same contacts, with the matrix E W E/delta + 1: definite, so that interior
 * points solve it surely and identify the face on which x lies. delta = 1e-6 leaves x a millionth away from the null space of W;
 * problem_infeasible does the rest, and judges. */
#include "solvers/solver_private.h"

#include "base/clock.h"
#include "math/dense.h"
#include "problem/infeasible.h"
#include "problem/mass.h"

#include <float.h>
#include <string.h>

static const double delta = 1e-6;
enum { STEPS = 100 }; /* of interior points, at most: the problem is definite */

/* ---- the problem of the nearest point --------------------------------------------------------------------------------------- */

scree_status problem_copy(const scree_problem *problem, const scree_allocator *a, scree_problem **copy)
{
    const block_matrix *Ht = problem->Ht;
    if (!Ht) return problem_assemble(problem, a, copy);
    scree_problem_def def = scree_problem_def_default();
    size_t entries = (size_t)Ht->start[Ht->row_blocks];
    int *row = memory_array(a, entries + 1, sizeof *row);
    int *dof = memory_array(a, (size_t)problem->body_count + 1, sizeof *dof);
    scree_status status = row && dof ? SCREE_OK : SCREE_ERR_MEMORY;
    *copy = NULL;
    if (status == SCREE_OK) {
        for (int i = 0; i < Ht->row_blocks; ++i)
            for (int e = Ht->start[i]; e < Ht->start[i + 1]; ++e) row[e] = i;
        for (int b = 0; b < problem->body_count; ++b) dof[b] = Ht->col_offset[b + 1] - Ht->col_offset[b];
        def.contact_count = problem->contact_count, def.bound_count = problem->bound_count;
        def.cone = problem->cone, def.bound = problem->bound, def.q = problem->q, def.compliance = problem->compliance;
        def.entry_count = entries, def.entry_row = row, def.entry_column = Ht->column, def.entry_value = Ht->value;
        def.body_count = problem->body_count, def.body_dof = dof,
        def.body_inv_mass = problem->inv_mass ? problem->inv_mass->value : NULL;
        if (problem->mass) {
            def.mass_start = problem->mass->start, def.mass_column = problem->mass->column;
            def.mass_value = problem->mass->value;
        }
        status = problem_create(&def, a, copy, NULL);
    }
    memory_free(a, row);
    memory_free(a, dof);
    return status;
}

/// Rows of A times f e; with `both`, columns times e.
static void scale_matrix(block_matrix *A, const double *e, double f, int both)
{
    for (int i = 0; i < A->row_blocks; ++i)
        for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
            int m = A->row_offset[i + 1] - A->row_offset[i], j = A->column[k];
            int n = A->col_offset[j + 1] - A->col_offset[j];
            double *B = A->value + A->at[k];
            for (int r = 0; r < m; ++r)
                for (int c = 0; c < n; ++c)
                    B[r * n + c] *= f * e[A->row_offset[i] + r] * (both ? e[A->col_offset[j] + c] : 1.0);
        }
}

/// Minimise 1/2 x'(E W E/delta + 1)x + x.E q/|E q| over C.
static scree_status nearest_point_problem(const scree_problem *problem, const scree_allocator *a, double *e,
                                          scree_problem **out)
{
    scree_status status = problem_copy(problem, a, out);
    if (status != SCREE_OK) return status;
    scree_problem *p = *out;
    double speed = 0.0;
    if (!p->compliance) p->compliance = memory_array(&p->allocator, (size_t)p->row_count + 1, sizeof *p->compliance);
    if (!p->compliance) return SCREE_ERR_MEMORY;
    p->law = SCREE_LAW_CONVEX;
    for (int c = 0; c < p->contact_count; ++c) infeasible_cone(problem, c, e, &p->cone[c]);
    for (int b = 0; b < p->bound_count; ++b)
        if (p->bound[b] <= DBL_MAX) p->bound[b] = 0.0;
    if (p->W) scale_matrix(p->W, e, 1.0 / delta, 1);
    else scale_matrix(p->Ht, e, 1.0 / sqrt(delta), 0);
    for (int i = 0; i < p->row_count; ++i) {
        p->q[i] *= e[i], speed += p->q[i] * p->q[i];
        p->compliance[i] = 1.0 + p->compliance[i] * e[i] * e[i] / delta;
    }
    for (int i = 0; i < p->row_count && speed > 0.0; ++i) p->q[i] /= sqrt(speed);
    for (int b = 0; b < p->block_count; ++b) {
        int at = p->offset[b], n = p->offset[b + 1] - at;
        double *D = p->diagonal + p->diagonal_at[b];
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) D[i * n + j] = D[i * n + j] * e[at + i] * e[at + j] / delta + (i == j);
    }
    return SCREE_OK;
}

/* ---- looking ------------------------------------------------------------------------------------------------------------------ */

static int interrupted(const scree_solve_info *info, void *context)
{
    const monitor *m = context;
    return m->options->interrupt ? m->options->interrupt(info, m->options->context) : 0;
}

/// x of the problem of the nearest point, by interior points. 0: no memory.
static int solve_nearest(scree_problem *nearest, const scree_allocator *a, monitor *m, double *x)
{
    scree_solver_options options = scree_solver_options_default();
    options.name = "ipm", options.tolerance = 1e-9, options.max_iterations = STEPS;
    options.interrupt = interrupted, options.context = m;
    if (m->deadline > 0.0) options.time_limit = number_max(m->deadline - clock_seconds(), 1e-3);
    scree_solver *solver = NULL;
    if (solver_create_in(NULL, nearest, &options, a, &solver, NULL) != SCREE_OK) return 0;
    solver->proves = 0;
    solver_solve(solver, nearest, x);
    scree_solver_destroy(solver);
    return 1;
}

int solver_prove_infeasible(scree_solver *s, scree_problem *problem, const double *p, monitor *m)
{
    size_t n = (size_t)problem->row_count;
    if (!s->proves || s->looked) return s->proof.proved;
    s->looked = 1;
    if (!s->direction) s->direction = memory_array(&s->allocator, n + 1, sizeof *s->direction);
    if (!s->direction || problem_form(problem, PARTS_ALL) != SCREE_OK) return 0;
    memcpy(s->direction, p, n * sizeof *p);
    if (problem_infeasible(problem, &s->allocator, s->direction, &s->proof) != SCREE_OK) s->proof.proved = 0;
    if (s->proof.proved || problem->row_count > FACTORISE_ROWS) return s->proof.proved;

    double *e = memory_array(&s->allocator, n + 1, sizeof *e);
    scree_problem *nearest = NULL;
    if (e) {
        infeasible_metric(problem, e);
        memset(s->direction, 0, n * sizeof *s->direction);
        if (nearest_point_problem(problem, &s->allocator, e, &nearest) == SCREE_OK &&
            solve_nearest(nearest, &s->allocator, m, s->direction)) {
            for (size_t i = 0; i < n; ++i) s->direction[i] *= e[i];
            if (problem_infeasible(problem, &s->allocator, s->direction, &s->proof) != SCREE_OK) s->proof.proved = 0;
        }
    }
    scree_problem_destroy(nearest);
    memory_free(&s->allocator, e);
    return s->proof.proved;
}
