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
#include "solvers/solver.h"

#include "base/parallel.h"
#include "solvers/spheres.h"
#include "solvers/sweep.h"

#include <math.h>
#include <string.h>

enum { EXTRAPOLATE_GRAIN = 1 << 14 };

typedef struct momentum {
    int spheres; /* 1: the batched layout                                  */
    sphere_pile pile;
    sphere_loads *loads_old; /* (batch_count)                                          */
    sphere_body *body_old;   /* (body_count + 1)                                       */
    double *dv, *y;          /* (dof_count), (row_count) velocities, for the residual  */
    sweep sweep;             /* general layout                                         */
    local_solver local;
    double *p_old, *v_old;
} momentum;

static void destroy(scree_solver *s)
{
    momentum *g = s->work;
    if (!g) return;
    spheres_destroy(&g->pile, &s->allocator);
    sweep_destroy(&g->sweep, &s->allocator);
    memory_free(&s->allocator, g->loads_old);
    memory_free(&s->allocator, g->body_old);
    memory_free(&s->allocator, g->dv);
    memory_free(&s->allocator, g->y);
    local_destroy(&g->local, &s->allocator);
    memory_free(&s->allocator, g->p_old);
    memory_free(&s->allocator, g->v_old);
    memory_free(&s->allocator, g);
}

static scree_status create(scree_solver *s, const scree_problem *problem, scree_error *error)
{
    (void)error;
    momentum *g = s->work = memory_array(&s->allocator, 1, sizeof *g);
    if (!g) return SCREE_ERR_MEMORY;
    if (spheres_recognise(problem)) {
        scree_status status = spheres_create(problem, &s->allocator, &g->pile);
        if (status == SCREE_ERR_MEMORY) return status;
        g->spheres = status == SCREE_OK;
    }
    if (g->spheres) {
        g->loads_old = memory_array(&s->allocator, (size_t)g->pile.batch_count + 1, sizeof *g->loads_old);
        g->body_old = memory_array(&s->allocator, (size_t)g->pile.body_count + 1, sizeof *g->body_old);
        g->dv = memory_array(&s->allocator, (size_t)problem->dof_count + 1, sizeof *g->dv);
        g->y = memory_array(&s->allocator, (size_t)problem->row_count + 1, sizeof *g->y);
        return g->loads_old && g->body_old && g->dv && g->y ? SCREE_OK : SCREE_ERR_MEMORY;
    }
    scree_status status = scree_problem_form(problem, FORM_ALL);
    if (status != SCREE_OK) return status;
    g->p_old = memory_array(&s->allocator, (size_t)problem->row_count + 1, sizeof *g->p_old);
    g->v_old = memory_array(&s->allocator, (size_t)problem->dof_count + 1, sizeof *g->v_old);
    if (!g->p_old || !g->v_old) return SCREE_ERR_MEMORY;
    status = sweep_create(problem, &s->allocator, &g->sweep);
    return status == SCREE_OK ? local_create(problem, SCREE_EXACT, &s->allocator, &g->local) : status;
}

typedef struct extrapolation {
    double beta, *x, *old;
} extrapolation;

static void extrapolate_part(void *context, int begin, int end, int chunk, int worker)
{
    const extrapolation *e = context;
    (void)chunk, (void)worker;
    for (int i = begin; i < end; ++i) {
        double t = e->x[i];
        e->x[i] = t + e->beta * (t - e->old[i]);
        e->old[i] = t;
    }
}

/// x <- x + beta (x - old), old <- x, entry by entry.
static void extrapolate(int n, double beta, scree_pool *pool, double *x, double *old)
{
    extrapolation e = {beta, x, old};
    parallel_for(pool, n, EXTRAPOLATE_GRAIN, extrapolate_part, &e);
}

/* ---- the two layouts: begin, one accelerated sweep, check --------------------------------------------------- */

static void begin(momentum *g, const scree_problem *problem, const double *p)
{
    if (g->spheres) {
        spheres_begin(&g->pile, problem, p);
        memcpy(g->loads_old, g->pile.loads, (size_t)g->pile.batch_count * sizeof *g->loads_old);
        memcpy(g->body_old, g->pile.body, ((size_t)g->pile.body_count + 1) * sizeof *g->body_old);
        return;
    }
    local_begin(&g->local, problem);
    sweep_begin(&g->sweep, problem, p);
    memcpy(g->p_old, p, (size_t)problem->row_count * sizeof *p);
    if (g->sweep.v) memcpy(g->v_old, g->sweep.v, (size_t)problem->dof_count * sizeof *g->v_old);
}

static double accelerated_sweep(momentum *g, const scree_problem *problem, scree_pool *pool, double beta, double *p)
{
    if (g->spheres) {
        extrapolate(g->pile.batch_count * LOAD_SIZE * LANES, beta, pool, g->pile.loads->p[0], g->loads_old->p[0]);
        /* masses stand still: m + beta (m - m) */
        extrapolate(g->pile.body_count * (int)(sizeof(sphere_body) / sizeof(double)), beta, pool, g->pile.body->v,
                    g->body_old->v);
        return spheres_sweep(&g->pile, pool);
    }
    extrapolate(problem->row_count, beta, NULL, p, g->p_old);
    if (g->sweep.v) extrapolate(problem->dof_count, beta, NULL, g->sweep.v, g->v_old);
    double total = 0.0;
    for (int b = 0; b < problem->block_count; ++b) total += sweep_block(&g->sweep, problem, &g->local, 1.0, b, p);
    return total;
}

/// The loads as p, and their residual. Spheres know their velocities: no product by W until the tolerance is reached.
static int check(momentum *g, const scree_problem *problem, scree_pool *pool, double *p, monitor *m)
{
    if (!g->spheres) return monitor_check(m, p);
    spheres_loads_to(&g->pile, g->pile.loads, problem, p);
    spheres_velocity_to(&g->pile, problem, pool, g->dv, g->y);
    return monitor_check_velocity(m, p, g->y);
}

/* ---- the method -------------------------------------------------------------------------------------------------------- */

/// A residual costs as much as several sweeps of spheres: a third of the way that is left at the rate so far, at least 5.
static int sweeps_to_next_check(const monitor *m)
{
    double left = m->best < 1.0 && m->iterations > 0 ? m->iterations * (log(m->tolerance) / log(m->best) - 1.0) : 5.0;
    double step = left / 3.0, most = 20.0 + m->iterations / 10.0;
    return (int)(step < 5.0 ? 5.0 : step > most ? most : step);
}

static void solve(scree_solver *s, const scree_problem *problem, double *p, monitor *m)
{
    static const double limits[] = {3.0, 4.0, 2.0, 1.5, 0.0}; /* 0: no momentum */
    enum { POLICIES = (int)(sizeof limits / sizeof *limits) };
    momentum *g = s->work;
    int policy = 0, since_restart = 0, next_check = m->min_iterations, patience = 300, changed_at = 0;
    double lowest = (double)INFINITY, mark = (double)INFINITY;

    begin(g, problem, p);
    for (;;) {
        while (m->iterations < next_check && m->iterations < m->max_iterations) {
            double k = limits[policy] > 0.0 ? since_restart : 0.0;
            double E = accelerated_sweep(g, problem, s->pool, k / (k + 3.0), p);
            m->iterations += 1, since_restart += 1;
            if (E < lowest) lowest = E;
            else if (E > limits[policy] * limits[policy] * lowest) since_restart = 0, lowest = E;
        }
        if (check(g, problem, s->pool, p, m)) return;
        if (m->best < 0.5 * mark) mark = m->best, changed_at = m->iterations;
        if (m->iterations - changed_at > patience) {
            policy = (policy + 1) % POLICIES, changed_at = m->iterations;
            if (policy == 0) patience *= 2;
            since_restart = 0, lowest = (double)INFINITY;
            begin(g, problem, p); /* velocities anew: rounding does not pile up */
        }
        next_check = m->iterations + (s->options.check_every > 0 ? s->options.check_every : sweeps_to_next_check(m));
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
