/* auto.c: the default. Methods that fail on different problems, one after the other, each from the best iterate so far.
 *
 *   1. sweeps with momentum, as long as their rate so far promises an end within about 100 + rows/15 sweeps: easy problems end here
 *   2. where the problem is small enough to factorise: proximal Newton (rank-deficient W, stiff stacks), then interior point (what
 *      slides, what has no rolling friction), then ADMM
 *   3. the same again, sweeps without a promise to keep, each method allowed three times as much, and so on
 *
 * All stages share one monitor: one trace, one clock, one best iterate, so no stage can spoil what another has reached. Nothing is
 * asked of the user, and nothing depends on the problem but its number of rows. */
#include "solvers/solver.h"

#include <string.h>

enum { STAGES_MAX = 8, ROUNDS = 7, GROWTH = 3, FACTORISE_ROWS = 16000 };

typedef struct stage {
    const char *method;
    int iterations; /* in round 0 */
    int from_round;
} stage;

/* iterations chosen so that a stage of round 0 takes a similar time in each method; see docs/solvers/auto.md */
static const stage plan[] = {
    {"momentum", 400, 0},
    {"newton", 40, 0},
    {"ipm", 60, 0},
    {"admm", 300, 1},
};

enum { PLAN = (int)(sizeof plan / sizeof *plan) };

typedef struct automatic {
    scree_solver *method[STAGES_MAX]; /* one per line of the plan, NULL: does not take this problem */
} automatic;

static void destroy(scree_solver *s)
{
    automatic *a = s->work;
    if (!a) return;
    for (int i = 0; i < PLAN; ++i) scree_solver_destroy(a->method[i]);
    memory_free(&s->allocator, a);
}

static scree_status create(scree_solver *s, const scree_problem *problem, scree_error *error)
{
    automatic *a = s->work = memory_array(&s->allocator, 1, sizeof *a);
    if (!a) return SCREE_ERR_MEMORY;
    for (int i = 0; i < PLAN; ++i) {
        const scree_solver_class *c = scree_solver_class_find(plan[i].method);
        if (!c || !scree_solver_class_takes_law(c, problem->law)) continue;
        if (problem->bound_count > 0 && !c->takes_bounds) continue;
        if (!c->matrix_free && problem->row_count > FACTORISE_ROWS) continue;
        scree_solver_options options = s->options;
        options.name = plan[i].method;
        scree_status status = scree_solver_create(problem, &options, &s->allocator, &a->method[i], error);
        if (status == SCREE_ERR_MEMORY && i == 0) return status; /* without memory to factorise, sweeps remain */
    }
    return a->method[0] ? SCREE_OK : SCREE_ERR_MEMORY;
}

/// Is there anything to go on to?
static int second_stage(const automatic *a)
{
    for (int i = 1; i < PLAN; ++i)
        if (a->method[i]) return 1;
    return 0;
}

/// Has the problem been answered, or the caller lost patience?
static int is_over(const monitor *m)
{
    return m->outcome == SCREE_CONVERGED || m->outcome == SCREE_INTERRUPTED || m->outcome == SCREE_INFEASIBLE;
}

static void solve(scree_solver *s, const scree_problem *problem, double *p, monitor *m)
{
    automatic *a = s->work;
    int total = 0, limit = s->options.max_iterations > 0 ? s->options.max_iterations : 0, share = 1;
    for (int round = 0; round < ROUNDS; ++round, share *= GROWTH) {
        for (int i = 0; i < PLAN; ++i) {
            scree_solver *method = a->method[i];
            if (!method || round < plan[i].from_round) continue;
            method->options.max_iterations = plan[i].iterations * share;
            if (i == 0 && round == 0) method->options.max_iterations = 1000000; /* the promise ends it */
            if (limit && total + method->options.max_iterations > limit) method->options.max_iterations = limit - total;
            m->expected = round == 0 && i == 0 && second_stage(a) ? 100.0 + problem->row_count / 15.0 : 0.0;
            solver_run(method, problem, p, m);
            m->expected = 0.0;
            total += m->iterations;
            if (is_over(m) || (limit && total >= limit)) {
                m->iterations = total;
                return;
            }
            memcpy(p, m->best_p, (size_t)problem->row_count * sizeof *p);
        }
    }
    m->iterations = total;
    m->outcome = SCREE_STALLED;
}

const scree_solver_class solver_auto = {
    .name = "auto",
    .summary = "the default: sweeps with momentum, then proximal Newton and interior point where sweeps stall",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .default_iterations = 0,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
