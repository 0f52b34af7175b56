/* sweep.h: sweeps over the blocks of a problem, in both forms of W, coloured.
 *
 *   assembled:            y_c = q_c + sum_j W_cj p_j, a block row per visit; a changed load needs no update
 *   through the bodies:   y_c = q_c + H_c' v with v = M^-1 H p kept up to date: v += M^-1 H_c dp, O(1) per contact; contacts of
 *                         rigid bodies from their vectors (problem/rigid.h), others from blocks
 *
 * Blocks of one colour share no body (assembled: no entry of W), so they may be visited in any order by any thread: the bits do not
 * depend on it. Small problems are swept in the order given: there a thread gains nothing. */
#ifndef SCREE_SOLVERS_SWEEP_H
#define SCREE_SOLVERS_SWEEP_H

#include "problem/rigid.h"
#include "solvers/elastic.h"
#include "solvers/local.h"
#include "sparse/block.h"

typedef struct sweep {
    double *v;         /* (dof_count) M^-1 H p                                                    */
    double *MH;        /* M^-1 H_c per entry of H', (dof x rows) row-major, at Ht->at; blocks only */
    int *order;        /* (block_count) blocks, colour by colour                                  */
    int *colour_start; /* (colour_count + 1); NULL: no colours, `order` as it is                   */
    int colour_count;
    double *change; /* (block_count) dp' W_bb dp of the last sweep                             */
} sweep;

/// How a sweep is done; zero what is not used.
typedef struct sweep_how {
    double relaxation; /* p <- (1 - w) p + w p_new                                                        */
    double freeze;     /* > 0: a block whose dp' W dp is below freeze^2 p' W p sleeps for some sweeps      */
    int *sleep;        /* (block_count) sweeps to skip                                                    */
} sweep_how;

/// `shuffle`: the blocks are taken in a fixed random order instead of the one given.
scree_status sweep_create(const scree_problem *problem, int shuffle, const scree_allocator *allocator, sweep *s);
void sweep_destroy(sweep *s, const scree_allocator *allocator);

/// Before sweeping: v = M^-1 H p, and M^-1 H from the values of the problem.
void sweep_begin(sweep *s, const scree_problem *problem, const double *p);

/// Visits every block once: each solved given the others. Returns the sum of dp' W_bb dp.
double sweep_all(sweep *s, const scree_problem *problem, local_solver *local, const sweep_how *how, scree_pool *pool,
                 double *p);

/// For the elastic correction of a problem of rigid contacts: stiffness of the springs from the loads; velocities of the bodies; and what
/// lambda changes, in loads and velocities of now and before (p_old, v_old) alike.
void sweep_springs(const scree_problem *problem, const local_solver *local, const double *p, elastic *e,
                   scree_pool *pool);
void sweep_velocity_to(const sweep *s, const scree_problem *problem, elastic *e, scree_pool *pool);
void sweep_yield(sweep *s, const scree_problem *problem, const elastic *e, scree_pool *pool, double *p, double *p_old,
                 double *v_old);

/// y (rows of block b) = (W p + q)_b.
static inline void sweep_velocity(const sweep *s, const scree_problem *problem, int b, const double *p, double *y)
{
    int at = problem->offset[b], n = problem->offset[b + 1] - at;
    for (int i = 0; i < n; ++i)
        y[i] = problem->q[at + i] + (problem->compliance ? problem->compliance[at + i] * p[at + i] : 0.0);
    if (problem->rigid && b >= problem->contact_count)
        y[0] += rigid_row_velocity(&problem->rigid_row[b - problem->contact_count], s->v);
    else if (problem->rigid) {
        double u[3], w[3];
        rigid_relative_velocity(&problem->rigid[b], s->v, u, w);
        rigid_add_rows(&problem->rigid[b], &problem->cone[b], u, w, y);
    } else if (problem->W) block_row_apply(problem->W, b, p, y);
    else block_row_apply(problem->Ht, b, s->v, y);
}

/// v += M^-1 impulse of one body.
static inline void sweep_push(sweep *s, const scree_problem *problem, int body, const double push[3],
                              const double turn[3])
{
    const scree_rigid_mass *mass = &problem->rigid_mass[body];
    double w[3], *v = s->v + (size_t)RIGID_DOF * (size_t)body;
    mat_apply(mass->inv_inertia, turn, w);
    for (int i = 0; i < 3; ++i) v[i] += mass->inv_mass[i] * push[i], v[3 + i] += w[i];
}

/// The load of block b has changed by dp.
static inline void sweep_update(sweep *s, const scree_problem *problem, int b, const double *dp)
{
    if (problem->W) return;
    if (problem->rigid && b >= problem->contact_count) {
        const scree_rigid_row *k = &problem->rigid_row[b - problem->contact_count];
        for (int is_b = 0; is_b < 2; ++is_b) {
            int body = is_b ? k->body_b : k->body_a;
            double impulse[RIGID_DOF];
            if (body < 0) continue;
            for (int i = 0; i < RIGID_DOF; ++i) impulse[i] = dp[0] * (is_b ? k->b : k->a)[i];
            sweep_push(s, problem, body, impulse, impulse + 3);
        }
        return;
    }
    if (problem->rigid) {
        const scree_rigid_contact *k = &problem->rigid[b];
        double r[3], m[3];
        rigid_impulse(k, &problem->cone[b], dp, r, m);
        for (int is_b = 0; is_b < 2; ++is_b) {
            int body = is_b ? k->body_b : k->body_a;
            double sign = is_b ? 1.0 : -1.0, push[3], turn[3];
            if (body < 0) continue;
            vec_cross(is_b ? k->arm_b : k->arm_a, r, turn);
            for (int i = 0; i < 3; ++i) push[i] = sign * r[i], turn[i] = sign * (turn[i] + m[i]);
            sweep_push(s, problem, body, push, turn);
        }
        return;
    }
    const block_matrix *Ht = problem->Ht;
    int n = problem->offset[b + 1] - problem->offset[b];
    for (int e = Ht->start[b]; e < Ht->start[b + 1]; ++e) {
        int body = Ht->column[e], d = Ht->col_offset[body + 1] - Ht->col_offset[body];
        const double *A = s->MH + Ht->at[e];
        double *v = s->v + Ht->col_offset[body];
        if (d == 6 && n == 3) block_add(6, 3, A, dp, v);
        else block_add(d, n, A, dp, v);
    }
}

/// x <- x + beta (x - old), old <- x, entry by entry: what momentum does before a sweep.
static inline void extrapolate(int n, double beta, double *x, double *old)
{
    for (int i = 0; i < n; ++i) {
        double t = x[i];
        x[i] = t + beta * (t - old[i]);
        old[i] = t;
    }
}

#endif
