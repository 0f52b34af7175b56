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

void local_contacts(const scree_problem *problem, scree_contact *local)
{
    for (int c = 0; c < problem->contact_count; ++c) {
        int d = cone_dim(&problem->cone[c]);
        const double *D = problem->diagonal + problem->diagonal_at[c];
        local[c].cone = problem->cone[c], local[c].law = problem->law;
        for (int i = 0; i < d; ++i)
            for (int j = 0; j < d; ++j) local[c].W[i * d + j] = 0.5 * (D[i * d + j] + D[j * d + i]);
    }
}

/// New load of block b given y = (W p + q)_b at the current load p.
static void solve_block(const scree_problem *problem, scree_contact *local, const scree_contact_options *options, int b,
                        const double *y, const double *p, double *next)
{
    if (b >= problem->contact_count) {
        double S = problem->bound[b - problem->contact_count], w = problem->diagonal[problem->diagonal_at[b]];
        next[0] = w > 0.0 ? fmin(fmax(p[0] - y[0] / w, -S), S) : p[0];
        return;
    }
    scree_contact *l = &local[b];
    scree_contact_result result;
    int d = cone_dim(&l->cone);
    matvec_add(d, l->W, p, NULL, l->q);
    for (int i = 0; i < d; ++i) l->q[i] = y[i] - l->q[i];
    scree_contact_solve(l, options, p, &result);
    memcpy(next, result.outcome == SCREE_INFEASIBLE ? p : result.p, (size_t)d * sizeof *next);
}

double sweep_block(sweep *s, const scree_problem *problem, scree_contact *local, const scree_contact_options *options,
                   double relaxation, int b, double *p)
{
    int n = problem->offset[b + 1] - problem->offset[b];
    double *p_b = p + problem->offset[b], y[SCREE_DIM_MAX], change[SCREE_DIM_MAX], W_change[SCREE_DIM_MAX];
    sweep_velocity(s, problem, b, p, y);
    solve_block(problem, local, options, b, y, p_b, change);
    for (int i = 0; i < n; ++i) {
        change[i] = relaxation * (change[i] - p_b[i]);
        p_b[i] += change[i];
    }
    sweep_update(s, problem, b, change);
    matvec_add(n, problem->diagonal + problem->diagonal_at[b], change, NULL, W_change);
    return dot(n, change, W_change);
}
