/* sweep.h: what a sweep over contacts needs of W, in both of its forms.
 *
 *   assembled:            y_c = q_c + sum_j W_cj p_j, a block row per visit; a changed load needs no update
 *   through the bodies:   y_c = q_c + H_c' v with v = M^-1 H p kept up to date: v += M^-1 H_c dp, O(1) per contact */
#ifndef SCREE_SOLVERS_SWEEP_H
#define SCREE_SOLVERS_SWEEP_H

#include "base/memory.h"
#include "laws/contact.h"
#include "sparse/block.h"

#include <scree/problem.h>

typedef struct sweep {
    double *v;  /* (dof_count) M^-1 H p                                      */
    double *MH; /* M^-1 H_c per entry of H', (dof x rows) row-major, at Ht->at */
} sweep;

scree_status sweep_create(const scree_problem *problem, const scree_allocator *allocator, sweep *s);
void sweep_destroy(sweep *s, const scree_allocator *allocator);

/// Before sweeping: v = M^-1 H p, and M^-1 H from the values of the problem.
void sweep_begin(sweep *s, const scree_problem *problem, const double *p);

/// y (rows of block b) = (W p + q)_b.
static inline void sweep_velocity(const sweep *s, const scree_problem *problem, int b, const double *p, double *y)
{
    int at = problem->offset[b], n = problem->offset[b + 1] - at;
    for (int i = 0; i < n; ++i)
        y[i] = problem->q[at + i] + (problem->compliance ? problem->compliance[at + i] * p[at + i] : 0.0);
    if (problem->W) block_row_apply(problem->W, b, p, y);
    else block_row_apply(problem->Ht, b, s->v, y);
}

/// The load of block b has changed by dp.
static inline void sweep_update(sweep *s, const scree_problem *problem, int b, const double *dp)
{
    if (problem->W) return;
    const scree_block_matrix *Ht = problem->Ht;
    int n = problem->offset[b + 1] - problem->offset[b];
    for (int e = Ht->start[b]; e < Ht->start[b + 1]; ++e) {
        int body = Ht->column[e], d = Ht->col_offset[body + 1] - Ht->col_offset[body];
        const double *A = s->MH + Ht->at[e];
        double *v = s->v + Ht->col_offset[body];
        for (int i = 0; i < d; ++i)
            for (int j = 0; j < n; ++j) v[i] += A[i * n + j] * dp[j];
    }
}

/// The one-contact solver of a sweep. `exact` works on contacts prepared once per solve; other methods on W_cc and q.
typedef struct local_solver {
    scree_contact_options options;
    prepared_contact *prepared; /* (contact_count) exact         */
    scree_contact *contact;     /* (contact_count) other methods */
} local_solver;

scree_status local_create(const scree_problem *problem, scree_contact_method method, const scree_allocator *allocator,
                          local_solver *local);
void local_destroy(local_solver *local, const scree_allocator *allocator);

/// W_cc, symmetrised (the local solvers need symmetry, a stored W may lack it by rounding), and cone of every contact.
void local_begin(local_solver *local, const scree_problem *problem);

/// Visits one block: solves it given the others, moves p and what hangs on it by `relaxation` times the change.
/// Returns dp' W_bb dp.
double sweep_block(sweep *s, const scree_problem *problem, local_solver *local, double relaxation, int b, double *p);

#endif
