/* stepping.c: for problems that come by the thousand, each from the loads of the one before: what time steppers use.
 *
 *   1. sweeps with momentum, as many as make VISITS of a contact, but 100 to 2000
 *   2. small problems (ROWS_SMALL rows): Newton steps on the whole system, also where the sweeps have met the tolerance
 *   3. small problems that still fall short: interior point, then Newton again
 *   Mechanisms (bounded and bilateral rows, no more rows of contacts than these or ROWS_SMALL) have Newton first, and sweeps only if it
 *   falls short: a chain of n links passes on in a sweep what happens one link further, and its factor costs as much as a few sweeps.
 *
 * `auto` wants every problem solved, whatever it takes; inside a simulation a step that would take a minute is better left where
 * it stands, counted, and gone on with in the next step: so nothing here factorises a large matrix but that of a mechanism. Stage 2
 * is for the few bodies that one looks at closely: Siconos' measure compares all loads with the largest one, so that a light body
 * under one a million times heavier may still creep when the measure says 1e-12; a Newton step or two take all rows to rounding for
 * the price of a few sweeps. All stages share one monitor: the best iterate is handed back. */
#include "solvers/solver_private.h"

#include <string.h>

enum { VISITS = 4000000, SWEEPS_LEAST = 100, SWEEPS_MOST = 2000, ROWS_SMALL = 150, ROWS_JOINTED = 3000, POLISH = 10 };

typedef struct stage {
    const char *method;
    int iterations;
} stage;

static const stage plan[] = {{"momentum", 0}, {"newton", POLISH}, {"ipm", 60}, {"newton", 30}};

enum { PLAN = (int)(sizeof plan / sizeof *plan), POLISH_STAGE = 1 };
static const int usual[PLAN] = {0, 1, 2, 3}, jointed[PLAN] = {1, 0, 2, 3}; /* the stages in their order */
#define POLISH_WEIGHT 1e-11 /* resolves mass ratios to 1e10; a W without full rank needs something above rounding */
#define ROUNDING      1e-15 /* where the polish ends                                                               */

typedef struct stepping {
    scree_solver *method[PLAN]; /* NULL: not used yet */
} stepping;

static void destroy(scree_solver *s)
{
    stepping *w = s->work;
    if (!w) return;
    for (int i = 0; i < PLAN; ++i) scree_solver_destroy(w->method[i]);
    memory_free(&s->allocator, w);
}

static scree_status create_stage(scree_solver *s, scree_problem *problem, int i, scree_error *error)
{
    stepping *w = s->work;
    scree_solver_options options = s->options;
    options.name = plan[i].method;
    if (i > 0) options.min_iterations = 0;
    options.penalty = i == POLISH_STAGE ? POLISH_WEIGHT : 0.0;
    return solver_create_in(s->pool, problem, &options, &s->allocator, &w->method[i], error);
}

/// A mechanism: rows of joints, and not many more of contacts.
static int is_jointed(const scree_problem *problem)
{
    int contacts = problem->row_count - problem->bound_count;
    return problem->bound_count > 0 && problem->row_count <= ROWS_JOINTED &&
           (contacts <= ROWS_SMALL || contacts <= problem->bound_count);
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    s->work = memory_array(&s->allocator, 1, sizeof(stepping));
    return s->work ? create_stage(s, problem, is_jointed(problem) ? POLISH_STAGE : 0, error) : SCREE_ERR_MEMORY;
}

/// One contact is solved exactly by its sweep; a large problem is left to the sweeps.
static int is_small(const scree_problem *problem)
{
    return problem->block_count > 1 && problem->row_count <= ROWS_SMALL;
}

/// Sweeps to spend: some 0.1 s worth of spheres, 0.5 s of hulls. A small problem may have many, and a large one goes on in the next step.
static int sweeps_allowed(const scree_problem *problem, int asked)
{
    int sweeps = VISITS / (problem->block_count > 0 ? problem->block_count : 1);
    return asked > 0 ? asked : sweeps < SWEEPS_LEAST ? SWEEPS_LEAST : sweeps > SWEEPS_MOST ? SWEEPS_MOST : sweeps;
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    stepping *w = s->work;
    const int *order = is_jointed(problem) ? jointed : usual;
    int total = 0, stages = is_small(problem) || is_jointed(problem) ? PLAN : 1;
    for (int k = 0; k < stages; ++k) {
        int i = order[k];
        if (k > 0 && i != POLISH_STAGE && m->best <= s->options.tolerance) break;
        if (!w->method[i] && create_stage(s, problem, i, NULL) != SCREE_OK) continue; /* no memory: the others remain */
        scree_solver *method = w->method[i];
        if (!method) continue;
        method->options.max_iterations =
            i == 0 ? sweeps_allowed(problem, s->options.max_iterations) : plan[i].iterations;
        m->tolerance = i == POLISH_STAGE ? ROUNDING : s->options.tolerance;
        solver_run(method, problem, p, m);
        total += m->iterations;
        memcpy(p, m->best_p, (size_t)problem->row_count * sizeof *p);
        if (m->outcome == SCREE_OUTCOME_INTERRUPTED) break;
    }
    m->tolerance = s->options.tolerance, m->iterations = total;
    if (m->outcome != SCREE_OUTCOME_INTERRUPTED)
        m->outcome = m->best <= m->tolerance ? SCREE_OUTCOME_CONVERGED : SCREE_OUTCOME_MAX_ITERATIONS;
}

const scree_solver_class solver_stepping = {
    .name = "stepping",
    .summary = "for time steps: sweeps with momentum, bounded; small problems are polished by newton",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .threaded = 1,
    .forms_itself = 1,
    .bounded = 1,
    .default_iterations = 0,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
