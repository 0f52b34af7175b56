/* sweep.c: preparing sweeps. */
#include "solvers/sweep.h"

#include "laws/cone.h"
#include "math/dense.h"

#include <string.h>

scree_status sweep_create(const scree_problem *problem, const scree_allocator *allocator, sweep *s)
{
    memset(s, 0, sizeof *s);
    if (problem->W) return SCREE_OK;
    s->v = memory_array(allocator, (size_t)problem->dof_count + 1, sizeof *s->v);
    s->MH = memory_array(allocator, problem->Ht->at[problem->Ht->start[problem->block_count]] + 1, sizeof *s->MH);
    return s->v && s->MH ? SCREE_OK : SCREE_ERR_MEMORY;
}

void sweep_destroy(sweep *s, const scree_allocator *allocator)
{
    memory_free(allocator, s->v);
    memory_free(allocator, s->MH);
}

void sweep_begin(sweep *s, const scree_problem *problem, const double *p)
{
    if (problem->W) return;
    const scree_block_matrix *Ht = problem->Ht;
    memset(s->v, 0, (size_t)problem->dof_count * sizeof *s->v);
    for (int b = 0; b < problem->block_count; ++b) {
        int n = problem->offset[b + 1] - problem->offset[b];
        for (int e = Ht->start[b]; e < Ht->start[b + 1]; ++e) {
            int body = Ht->column[e], d = Ht->col_offset[body + 1] - Ht->col_offset[body];
            const double *N = problem->inv_mass->value + problem->inv_mass->at[body], *B = Ht->value + Ht->at[e];
            double *A = s->MH + Ht->at[e];
            for (int i = 0; i < d; ++i)
                for (int j = 0; j < n; ++j) {
                    double sum = 0.0;
                    for (int k = 0; k < d; ++k) sum += N[i * d + k] * B[j * d + k];
                    A[i * n + j] = sum;
                }
        }
        sweep_update(s, problem, b, p + problem->offset[b]);
    }
}

/* ---- one block ------------------------------------------------------------------------------------------------------- */

scree_status local_create(const scree_problem *problem, scree_contact_method method, const scree_allocator *allocator,
                          local_solver *local)
{
    size_t n = (size_t)problem->contact_count + 1;
    memset(local, 0, sizeof *local);
    local->options = scree_contact_options_default();
    local->options.method = method;
    local->options.isolate = 0; /* a root will do */
    if (method == SCREE_EXACT) local->prepared = memory_array(allocator, n, sizeof *local->prepared);
    else local->contact = memory_array(allocator, n, sizeof *local->contact);
    return local->prepared || local->contact ? SCREE_OK : SCREE_ERR_MEMORY;
}

void local_destroy(local_solver *local, const scree_allocator *allocator)
{
    memory_free(allocator, local->prepared);
    memory_free(allocator, local->contact);
}

void local_begin(local_solver *local, const scree_problem *problem)
{
    for (int c = 0; c < problem->contact_count; ++c) {
        scree_contact contact = {.cone = problem->cone[c], .law = problem->law};
        int d = cone_dim(&contact.cone);
        const double *D = problem->diagonal + problem->diagonal_at[c];
        for (int i = 0; i < d; ++i)
            for (int j = 0; j < d; ++j) contact.W[i * d + j] = 0.5 * (D[i * d + j] + D[j * d + i]);
        if (local->prepared) contact_prepare(&contact, &local->prepared[c]);
        else local->contact[c] = contact;
    }
}

/// New load of block b given y = (W p + q)_b at the current load p.
static void solve_block(const scree_problem *problem, local_solver *local, int b, const double *y, const double *p,
                        double *next)
{
    const double *D = problem->diagonal + problem->diagonal_at[b];
    if (b >= problem->contact_count) {
        double S = problem->bound[b - problem->contact_count];
        next[0] = D[0] > 0.0 ? fmin(fmax(p[0] - y[0] / D[0], -S), S) : p[0];
        return;
    }
    int d = cone_dim(&problem->cone[b]);
    double q[SCREE_DIM_MAX];
    /* with the W of the local solver, not the stored one: then a p that solves the whole is left where it is */
    matvec_add(d, local->prepared ? local->prepared[b].W : local->contact[b].W, p, NULL, q);
    for (int i = 0; i < d; ++i) q[i] = y[i] - q[i];
    memcpy(next, p, (size_t)d * sizeof *next);
    if (local->prepared) {
        contact_solve_prepared(&local->prepared[b], q, next);
        return;
    }
    scree_contact_result result;
    memcpy(local->contact[b].q, q, (size_t)d * sizeof *q);
    scree_contact_solve(&local->contact[b], &local->options, p, &result);
    if (result.outcome != SCREE_INFEASIBLE) memcpy(next, result.p, (size_t)d * sizeof *next);
}

double sweep_block(sweep *s, const scree_problem *problem, local_solver *local, double relaxation, int b, double *p)
{
    int n = problem->offset[b + 1] - problem->offset[b];
    double *p_b = p + problem->offset[b], y[SCREE_DIM_MAX], change[SCREE_DIM_MAX], W_change[SCREE_DIM_MAX];
    sweep_velocity(s, problem, b, p, y);
    solve_block(problem, local, b, y, p_b, change);
    for (int i = 0; i < n; ++i) {
        change[i] = relaxation * (change[i] - p_b[i]);
        p_b[i] += change[i];
    }
    sweep_update(s, problem, b, change);
    matvec_add(n, problem->diagonal + problem->diagonal_at[b], change, NULL, W_change);
    return dot(n, change, W_change);
}
