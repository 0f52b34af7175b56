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
 * What is left of a large pile at rest late in a solve is smooth, and takes the more sweeps the larger the pile: every ten sweeps or so
 * the contacts that stick give way like springs (elastic.h), where the last change shows that this is so.
 *
 * Contacts of spheres run eight at a time (spheres.h); any other problem contact by contact, in either form of W. */
#include "solvers/solver_private.h"

#include "base/parallel.h"
#include "math/elementary.h"
#include "math/vec.h"
#include "solvers/depth.h"
#include "solvers/elastic.h"
#include "solvers/spheres/spheres.h"
#include "solvers/sweep.h"
#include "solvers/work.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// Where an iteration stands; kept when the monitor stops it, so that it may go on.
typedef struct policy {
    int policy, patience; /* index of the limit; sweeps without halving until the next one  */
    int sweeps, changed_at, next_check;
    sweep_momentum momentum;
    double best, mark; /* least residual; the one to halve                */
    int kept;          /* the best loads of this run are kept on the device */
} policy;

/// When the next elastic correction comes, and the E that the last one found.
typedef struct schedule {
    int next, interval;
    double E;
} schedule;

typedef struct momentum {
    int spheres; /* 1: the batched layout                                  */
    sphere_pile pile;
    int general; /* 1: the general layout has been made                    */
    sweep sweep;
    local_solver local;
    double *p_old, *v_old;
    policy now;
    schedule corrections;
    depth *depth;     /* of a large pile: where it starts from, if p is 0      */
    elastic *elastic; /* NULL until the first correction                       */
} momentum;

static void destroy(scree_solver *s)
{
    momentum *g = s->work;
    if (!g) return;
    spheres_destroy(&g->pile, &s->allocator);
    sweep_destroy(&g->sweep, &s->allocator);
    local_destroy(&g->local, &s->allocator);
    depth_destroy(g->depth, &s->allocator);
    elastic_destroy(g->elastic, &s->allocator);
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

/// The spheres of a problem on a device, and nothing else: it is never the processor instead.
static scree_status create_on_device(scree_solver *s, const scree_problem *problem, scree_error *error)
{
    momentum *g = s->work;
    char text[DEVICE_TEXT];
    spheres_misfit(problem, text);
    if (text[0]) {
        scree_error_set(error, NULL, 0, 0, "the solver momentum on a GPU does not take %s; on the processor it does",
                        text);
        return SCREE_ERR_INPUT;
    }
    device_twin_is_missing(text);
    const pile_device_table *table =
        s->options.device == SOLVER_DEVICE_TWIN ? pile_device_twin() : pile_device_open(text);
    g->spheres = 1;
    scree_status status = table ? spheres_create_on(table, problem, &s->allocator, &g->pile, text) : SCREE_ERR_DEVICE;
    if (status != SCREE_OK) {
        scree_error_set(error, NULL, 0, 0, "the device failed: %s", text);
        return SCREE_ERR_DEVICE;
    }
    return depth_create(problem, contacts_of(g, problem), &s->allocator, &g->depth);
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    momentum *g = s->work = memory_array(&s->allocator, 1, sizeof *g);
    if (!g) return SCREE_ERR_MEMORY;
    if (s->options.device != SOLVER_DEVICE_CPU && problem->block_count > 0) return create_on_device(s, problem, error);
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
    if (g->pile.device.at) return 0; /* it is never the processor instead */
    g->spheres = 0;                  /* the problem has changed since create, and is not one of spheres any more */
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

/// The loads stay on the device until the end: bringing them here costs as much as some hundred sweeps.
static int check_on_device(momentum *g, const scree_problem *problem, scree_pool *pool, double *p, monitor *m)
{
    double residual = spheres_residual(&g->pile, pool);
    if (g->pile.device.status != SCREE_OK) return 1;
    if (residual <= m->tolerance) {
        spheres_loads_to(&g->pile, problem, pool, p);
        g->now.kept = 0;
        return g->pile.device.status != SCREE_OK || monitor_check_residual(m, residual, p);
    }
    if (residual < m->best) spheres_keep(&g->pile), g->now.kept = 1;
    if (!monitor_check_residual(m, residual, NULL)) return 0;
    if (g->now.kept) spheres_loads_kept_to(&g->pile, problem, pool, m->best_p);
    return 1;
}

/// Spheres know their velocities and residual: p is written where it is the best so far, and checked again where that is the end.
static int check(momentum *g, const scree_problem *problem, scree_pool *pool, double *p, monitor *m)
{
    m->in_cone = m->iterations > 0; /* p is what a sweep has left */
    if (!g->spheres) return monitor_check(m, p);
    if (g->pile.device.at) return check_on_device(g, problem, pool, p, m);
    double residual = spheres_residual(&g->pile, pool);
    if (residual < m->best || residual <= m->tolerance) spheres_loads_to(&g->pile, problem, pool, p);
    return monitor_check_residual(m, residual, p);
}

/* ---- the elastic correction --------------------------------------------------------------------------------------------- */

enum {
    CORRECT_CONTACTS = 1000, /* from here on sweeps grow with the pile                                 */
    CORRECT_FIRST = 20,      /* sweeps before the first correction, and between two                    */
    CORRECT_EVERY = 10,
    CORRECT_WORTH = 8, /* with fewer sweeps left there is no correction                          */
    CORRECT_RARELY = 320
};
#define CORRECT_WORK 400.0 /* of solvers/work.h, a contact                             */
#define ALIKE        0.75  /* neighbours that change so much alike move as one         */
#define STEADY       100.0 /* sweeps' worth of change: a velocity that stays           */
#define MOVING       0.25  /* of the contacts: a pile that moves                       */
#define FALLEN       0.25  /* what a correction should leave of E                      */

static schedule schedule_begin(const momentum *g, const scree_problem *problem)
{
    int fits = !g->pile.device.at && problem->contact_count >= CORRECT_CONTACTS && problem->v_free &&
               !problem->bound_count && !problem->mass && contacts_of(g, problem);
    return (schedule){fits ? CORRECT_FIRST : INT_MAX, CORRECT_EVERY, (double)INFINITY};
}

enum { CHANGE_CHUNKS = 256 };

/// What the last sweep has changed in the velocities of bodies that touch.
typedef struct change_seen {
    double both, each; /* 2 dv_a.dv_b and dv_a^2 + dv_b^2, summed over the contacts       */
    double steady;     /* contacts whose bodies move, more than STEADY times what changed */
} change_seen;

typedef struct change_loop {
    const scree_rigid_contact *contact;
    const double *now, *old; /* velocities                                          */
    const double *free;      /* what is to be added to those of now (6 per body), or NULL */
    size_t stride;           /* numbers per body                                    */
    change_seen of_chunk[CHANGE_CHUNKS];
} change_loop;

static void see_some(void *context, int begin, int end, int chunk, int worker)
{
    change_loop *loop = context;
    change_seen seen = {0.0, 0.0, 0.0};
    (void)worker;
    for (int c = begin; c < end; ++c) {
        const scree_rigid_contact *k = &loop->contact[c];
        if (k->body_a < 0 || k->body_b < 0) continue;
        size_t a = loop->stride * (size_t)k->body_a, b = loop->stride * (size_t)k->body_b;
        double of_a[3], of_b[3], v2 = 0.0;
        for (size_t i = 0; i < 3; ++i) {
            double v_a = loop->now[a + i] + (loop->free ? loop->free[a + i] : 0.0);
            double v_b = loop->now[b + i] + (loop->free ? loop->free[b + i] : 0.0);
            v2 += v_a * v_a + v_b * v_b;
        }
        vec_sub(loop->now + a, loop->old + a, of_a), vec_sub(loop->now + b, loop->old + b, of_b);
        double change2 = vec_dot(of_a, of_a) + vec_dot(of_b, of_b);
        seen.both += 2.0 * vec_dot(of_a, of_b), seen.each += change2;
        seen.steady += v2 > STEADY * STEADY * change2;
    }
    loop->of_chunk[chunk] = seen;
}

/// Is what is left smooth, and the pile to come to rest? Smooth: neighbours change alike, both/each is 0.8 to 0.9 in piles at rest until
/// near the end, below 0.7 in such as move or have heavy grains. To come to rest: the velocities are what the sweeps still stop, not ones
/// that stay; they stay in 0 to 20 % of the contacts of piles at rest, in 30 to 95 % in steps of a pile that settles. Costs about a sweep.
static int is_smooth_and_stops(const momentum *g, const scree_problem *problem, scree_pool *pool)
{
    change_loop loop = {.contact = contacts_of(g, problem), .now = g->sweep.v, .old = g->v_old, .stride = 6};
    loop.free = g->spheres ? NULL : problem->v_free;
    if (g->spheres) {
        loop.now = g->pile.body[0].v, loop.old = g->pile.body_old[0].v;
        loop.stride = sizeof(sphere_body) / sizeof(double);
    }
    int grain = (problem->contact_count + CHANGE_CHUNKS - 1) / CHANGE_CHUNKS;
    change_seen all = {0.0, 0.0, 0.0};
    parallel_for(pool, problem->contact_count, grain, see_some, &loop);
    for (int k = 0; k < parallel_chunks(problem->contact_count, grain); ++k) {
        const change_seen *seen = &loop.of_chunk[k];
        all.both += seen->both, all.each += seen->each, all.steady += seen->steady;
    }
    return all.each > 0.0 && all.both >= ALIKE * all.each && all.steady <= MOVING * problem->contact_count;
}

/// 0: no memory for it.
static int correct(scree_solver *s, const scree_problem *problem, int is_new, double *p)
{
    momentum *g = s->work;
    const scree_rigid_contact *contact = contacts_of(g, problem);
    if (!g->elastic) g->elastic = elastic_create(problem, contact, &s->allocator);
    if (!g->elastic) return 0;
    elastic *e = g->elastic;
    if (is_new) elastic_begin(e, problem, contact, s->pool);
    if (g->spheres) spheres_springs(&g->pile, e, s->pool);
    else sweep_springs(problem, &g->local, p, e, s->pool);
    if (is_new || !e->is_assembled) elastic_assemble(e, s->pool);
    else e->is_assembled = 0; /* every other time will do */
    if (g->spheres) spheres_velocity_to(&g->pile, e, s->pool);
    else sweep_velocity_to(&g->sweep, problem, e, s->pool);
    elastic_solve(e, s->pool);
    if (g->spheres) spheres_yield(&g->pile, e, s->pool);
    else sweep_yield(&g->sweep, problem, e, s->pool, p, g->p_old, g->v_old);
    return 1;
}

/// A correction, where it pays: something is left to do, and it is smooth. Rarer where it is not, or did not help.
static void correct_if_smooth(scree_solver *s, const scree_problem *problem, double E, double sweeps_left, double *p,
                              monitor *m)
{
    momentum *g = s->work;
    schedule *w = &g->corrections;
    int first = w->E == (double)INFINITY;
    int is_worth = sweeps_left >= CORRECT_WORTH, smooth = is_worth && is_smooth_and_stops(g, problem, s->pool);
    if (is_worth && (!smooth || (!first && E > FALLEN * w->E))) w->interval *= 2;
    else if (is_worth && w->interval > CORRECT_EVERY) w->interval /= 2;
    if (w->interval > CORRECT_RARELY) w->interval = CORRECT_RARELY;
    w->next = g->now.sweeps + w->interval;
    if (!smooth) return;
    m->work += CORRECT_WORK * problem->contact_count;
    if (!correct(s, problem, first, p)) w->next = INT_MAX;
    w->E = E;
}

/* ---- the method -------------------------------------------------------------------------------------------------------- */

/// Sweeps that are left at the rate so far; `otherwise`, where there is none yet.
static double sweeps_left(const policy *k, double tolerance, double otherwise)
{
    return k->best < 1.0 && k->sweeps > 0 ? k->sweeps * (real_log(tolerance) / real_log(k->best) - 1.0) : otherwise;
}

/// A residual costs as much as several sweeps of spheres: a third of the way that is left at the rate so far, at least 5.
static int sweeps_to_next_check(const policy *k, double tolerance)
{
    double step = sweeps_left(k, tolerance, 5.0) / 3.0, most = 20.0 + k->sweeps / 10.0;
    return (int)(step < 5.0 ? 5.0 : step > most ? most : step);
}

static int all_zero(int n, const double *x)
{
    for (int i = 0; i < n; ++i)
        if (x[i] != 0.0) return 0;
    return 1;
}

static const double limits[] = {3.0, 4.0, 2.0, 1.5, 0.0}; /* 0: no momentum */
enum { POLICIES = (int)(sizeof limits / sizeof *limits) };

static void begin_momentum(policy *now)
{
    now->momentum.limit = limits[now->policy], now->momentum.lowest = (double)INFINITY, now->momentum.since = 0;
}

/// Sweeps until the next check.
static void sweep_some(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    momentum *g = s->work;
    policy *now = &g->now;
    const double cost = work_of_sweep(problem, g->spheres);
    while (now->sweeps < now->next_check && m->iterations < m->max_iterations) {
        int count = 1;
        if (now->sweeps >= g->corrections.next)
            correct_if_smooth(s, problem, now->momentum.E, sweeps_left(now, m->tolerance, CORRECT_WORTH), p, m);
        if (g->pile.device.at) {
            count = now->next_check - now->sweeps;
            if (count > m->max_iterations - m->iterations) count = m->max_iterations - m->iterations;
            spheres_sweeps(&g->pile, count, &now->momentum);
        } else
            momentum_swept(&now->momentum, accelerated_sweep(g, problem, s->pool, momentum_weight(&now->momentum), p));
        m->iterations += count, m->work += count * cost, now->sweeps += count;
    }
}

/// Recomputes the velocities, so that rounding does not accumulate. 0: no memory.
static int begin_again(scree_solver *s, const scree_problem *problem, double *p)
{
    momentum *g = s->work;
    if (g->pile.device.at) {
        spheres_renew(&g->pile);
        return 1;
    }
    if (g->spheres) spheres_loads_to(&g->pile, problem, s->pool, p);
    return begin(s, problem, p);
}

static void iterate(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    momentum *g = s->work;
    policy *now = &g->now;
    now->kept = 0;
    if (!s->resumes) {
        *now = (policy){.patience = 300, .next_check = m->min_iterations};
        now->best = now->mark = (double)INFINITY;
        begin_momentum(now);
        if (g->depth && all_zero(problem->row_count, p)) depth_start(g->depth, problem, contacts_of(g, problem), p);
        if (!begin(s, problem, p)) return; /* stalled */
        g->corrections = schedule_begin(g, problem);
    }
    now->momentum.E = now->momentum.lowest;
    for (;;) {
        sweep_some(s, problem, p, m);
        int stop = check(g, problem, s->pool, p, m);
        now->best = number_min(now->best, m->residual);
        if (now->best < 0.5 * now->mark) now->mark = now->best, now->changed_at = now->sweeps;
        now->next_check = now->sweeps + (s->options.check_every > 0 ? s->options.check_every
                                                                    : sweeps_to_next_check(now, m->tolerance));
        if (stop) return;
        if (now->sweeps - now->changed_at <= now->patience) continue;
        now->policy = (now->policy + 1) % POLICIES, now->changed_at = now->sweeps;
        if (now->policy == 0) now->patience *= 2;
        begin_momentum(now);
        if (!begin_again(s, problem, p)) return;
    }
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    const momentum *g = s->work;
    iterate(s, problem, p, m);
    const sphere_device *d = &g->pile.device;
    if (!d->at || d->status == SCREE_OK) return;
    s->failure = SCREE_ERR_DEVICE, m->outcome = SCREE_OUTCOME_STALLED;
    snprintf(s->failure_text, sizeof s->failure_text, "the device failed: %s", d->table->message(d->at));
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
    .devices = 1,
    .default_iterations = 1000000,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
