/* momentum.c: Gauss-Seidel sweeps with Nesterov momentum on loads and body velocities together.
 *
 *     z = p + beta (p - p_old),  v_z = v + beta (v - v_old)      (v is linear in p: no product by W)
 *     p_old = p,  p = one sweep from (z, v_z), each contact solved exactly,       beta = k/(k + 3), k sweeps since the last restart
 *     E = sum over contacts of dp' W_cc dp, free inside the sweep: restart (k = 0) when E > limit^2 x its minimum since the last one
 *
 * A sweep is not a gradient step and nothing proves this converges; the restart keeps it from diverging (TRIALS: without it
 * velocities reach 1e20). No single limit is best: it starts at 3, and when the best residual has not halved for a while the policy
 * changes (4, 2, 1.5, none: plain sweeps), round and round. What is handed back is the output of a sweep, never the extrapolated p.
 *
 * Contacts of spheres run eight at a time (spheres.h); any other problem contact by contact, in either form of W. */
#include "solvers/solver_private.h"

#include "math/elementary.h"
#include "solvers/depth.h"
#include "solvers/spheres/spheres.h"
#include "solvers/sweep.h"
#include "solvers/work.h"

#include <math.h>
#include <string.h>

/// Where an iteration stands; kept when the monitor stops it, so that it may go on.
typedef struct policy {
    int policy, patience; /* index of the limit; sweeps without halving until the next one  */
    int sweeps, since_restart, changed_at, next_check;
    double lowest;     /* least E since the restart                       */
    double best, mark; /* least residual; the one to halve                */
} policy;

typedef struct momentum {
    int spheres; /* 1: the batched layout                                  */
    sphere_pile pile;
    int general; /* 1: the general layout has been made                    */
    sweep sweep;
    local_solver local;
    double *p_old, *v_old;
    policy now;
    depth *depth; /* of a large pile: where it starts from, if p is 0      */
} momentum;

static void destroy(scree_solver *s)
{
    momentum *g = s->work;
    if (!g) return;
    spheres_destroy(&g->pile, &s->allocator);
    sweep_destroy(&g->sweep, &s->allocator);
    local_destroy(&g->local, &s->allocator);
    depth_destroy(g->depth, &s->allocator);
    MEMORY_FREE_ALL(&s->allocator, g->p_old, g->v_old, g);
}

static scree_status create_general(scree_solver *s, const scree_problem *problem)
{
    momentum *g = s->work;
    if (g->general) return SCREE_OK;
    if (!g->p_old) g->p_old = memory_array(&s->allocator, (size_t)problem->row_count + 1, sizeof *g->p_old);
    if (!g->v_old) g->v_old = memory_array(&s->allocator, (size_t)problem->dof_count + 1, sizeof *g->v_old);
    if (!g->p_old || !g->v_old) return SCREE_ERR_MEMORY;
    scree_status status = sweep_create(problem, 0, &s->allocator, &g->sweep);
    if (status == SCREE_OK) status = local_create(problem, SCREE_CONTACT_EXACT, &s->allocator, &g->local);
    if (status == SCREE_OK) g->general = 1;
    else sweep_destroy(&g->sweep, &s->allocator), local_destroy(&g->local, &s->allocator);
    return status;
}

/// The contacts with their arms: the problem's, or as the spheres have read them; NULL: the problem has none.
static const scree_rigid_contact *contacts_of(const momentum *g, const scree_problem *problem)
{
    return problem->rigid ? problem->rigid : g->pile.read;
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    (void)error;
    momentum *g = s->work = memory_array(&s->allocator, 1, sizeof *g);
    if (!g) return SCREE_ERR_MEMORY;
    g->spheres = spheres_recognise(problem);
    scree_status status = g->spheres ? spheres_create(problem, &s->allocator, &g->pile) : create_general(s, problem);
    if (status != SCREE_OK) return status;
    return depth_create(problem, contacts_of(g, problem), &s->allocator, &g->depth);
}

/* ---- the two layouts: begin, one accelerated sweep, check --------------------------------------------------- */

/// 0: no memory for the layout that these values need.
static int begin(scree_solver *s, const scree_problem *problem, const double *p)
{
    momentum *g = s->work;
    if (g->spheres && spheres_begin(&g->pile, problem, &s->allocator, s->pool, p)) return 1;
    g->spheres = 0; /* the problem has changed since create, and is not one of spheres any more */
    if (create_general(s, problem) != SCREE_OK) return 0;
    local_begin(&g->local, problem, s->pool);
    sweep_begin(&g->sweep, problem, p);
    memcpy(g->p_old, p, (size_t)problem->row_count * sizeof *p);
    if (g->sweep.v) memcpy(g->v_old, g->sweep.v, (size_t)problem->dof_count * sizeof *g->v_old);
    return 1;
}

static double accelerated_sweep(momentum *g, const scree_problem *problem, scree_pool *pool, double beta, double *p)
{
    if (g->spheres) return spheres_sweep(&g->pile, beta, pool);
    extrapolate(problem->row_count, beta, p, g->p_old);
    if (g->sweep.v) extrapolate(problem->dof_count, beta, g->sweep.v, g->v_old);
    return sweep_all(&g->sweep, problem, &g->local, &(sweep_how){.relaxation = 1.0}, pool, p);
}

/// Spheres know their velocities and residual: p is written where it is the best so far, and checked anew where that is the end.
static int check(momentum *g, const scree_problem *problem, scree_pool *pool, double *p, monitor *m)
{
    m->in_cone = m->iterations > 0; /* p is what a sweep has left */
    if (!g->spheres) return monitor_check(m, p);
    double residual = spheres_residual(&g->pile, pool);
    if (residual < m->best || residual <= m->tolerance) spheres_loads_to(&g->pile, problem, pool, p);
    return monitor_check_residual(m, residual, p);
}

/* ---- the method -------------------------------------------------------------------------------------------------------- */

/// A residual costs as much as several sweeps of spheres: a third of the way that is left at the rate so far, at least 5.
static int sweeps_to_next_check(const policy *k, double tolerance)
{
    double left = k->best < 1.0 && k->sweeps > 0 ? k->sweeps * (real_log(tolerance) / real_log(k->best) - 1.0) : 5.0;
    double step = left / 3.0, most = 20.0 + k->sweeps / 10.0;
    return (int)(step < 5.0 ? 5.0 : step > most ? most : step);
}

static int all_zero(int n, const double *x)
{
    for (int i = 0; i < n; ++i)
        if (x[i] != 0.0) return 0;
    return 1;
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    static const double limits[] = {3.0, 4.0, 2.0, 1.5, 0.0}; /* 0: no momentum */
    enum { POLICIES = (int)(sizeof limits / sizeof *limits) };
    momentum *g = s->work;
    policy *now = &g->now;
    if (!s->resumes) {
        *now = (policy){.patience = 300, .next_check = m->min_iterations};
        now->lowest = now->best = now->mark = (double)INFINITY;
        if (g->depth && all_zero(problem->row_count, p)) depth_start(g->depth, problem, contacts_of(g, problem), p);
        if (!begin(s, problem, p)) return; /* stalled */
    }
    double cost = work_of_sweep(problem, g->spheres);
    for (;;) {
        while (now->sweeps < now->next_check && m->iterations < m->max_iterations) {
            double k = limits[now->policy] > 0.0 ? now->since_restart : 0.0, limit = limits[now->policy];
            double E = accelerated_sweep(g, problem, s->pool, k / (k + 3.0), p);
            m->iterations += 1, m->work += cost, now->sweeps += 1, now->since_restart += 1;
            if (E < now->lowest) now->lowest = E;
            else if (E > limit * limit * now->lowest) now->since_restart = 0, now->lowest = E;
        }
        int stop = check(g, problem, s->pool, p, m);
        now->best = number_min(now->best, m->residual);
        if (now->best < 0.5 * now->mark) now->mark = now->best, now->changed_at = now->sweeps;
        now->next_check = now->sweeps + (s->options.check_every > 0 ? s->options.check_every
                                                                    : sweeps_to_next_check(now, m->tolerance));
        if (stop) return;
        if (now->sweeps - now->changed_at <= now->patience) continue;
        now->policy = (now->policy + 1) % POLICIES, now->changed_at = now->sweeps;
        if (now->policy == 0) now->patience *= 2;
        now->since_restart = 0, now->lowest = (double)INFINITY;
        if (g->spheres) spheres_loads_to(&g->pile, problem, s->pool, p);
        if (!begin(s, problem, p)) return; /* velocities anew: rounding does not pile up */
    }
}

const scree_solver_class solver_momentum = {
    .name = "momentum",
    .summary =
        "Gauss-Seidel sweeps with Nesterov momentum and restart; spheres eight at a time; the choice for large piles",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .sweeps = 1,
    .threaded = 1,
    .forms_itself = 1,
    .default_iterations = 1000000,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
