/* stepping.c: for problems that come by the thousand, each from the loads of the one before: what time steppers use. The portfolio of
 * `auto` (portfolio.h) under a bound of work.                                                       docs/solvers/stepping.md
 *
 *   1. sweeps with momentum, as many as make VISITS of a contact, but 100 to 2000; where nothing will be factorised, several times as many if need be
 *   2. small problems (ROWS_SMALL rows): Newton steps on the whole system, also where the sweeps have met the tolerance
 *   3. up to ROWS_FACTORISED rows, where the sweeps fall short, or promise to: rounds of Newton and interior point, the sweeps beside them,
 *      until twice the work of the sweeps that were allowed is spent
 *   Mechanisms (bounded and bilateral rows, no more rows of contacts than these or ROWS_SMALL) have Newton first, and sweeps only if it
 *   falls short: a chain of n links passes on in a sweep what happens one link further, and its factor costs as much as a few sweeps.
 *
 * `auto` wants every problem solved, whatever it takes; inside a simulation a step that would take a minute is better left where
 * it stands, counted, and gone on with in the next step. Stage 2 is for the few bodies that one looks at closely: Siconos' measure compares
 * all loads with the largest one, so that a light body under one a million times heavier may still creep when the measure says 1e-12; a
 * Newton step or two take all rows to rounding for the price of a few sweeps. */
#include "solvers/portfolio.h"
#include "solvers/spheres/spheres.h"
#include "solvers/work.h"

#include "math/scalar.h"

enum { VISITS = 4000000, SWEEPS_LEAST = 100, SWEEPS_MOST = 2000, ROWS_SMALL = 150, ROWS_JOINTED = 3000, ROUNDS = 6 };
enum { ROWS_FACTORISED = 6000 }; /* beyond, one factorisation is more work than a step should take                  */
#define WORK_SWEEPS 8e8   /* of sweeps in all: 50 million visits of spheres                                      */
#define PATIENCE    12.0  /* times the sweeps allowed, before they are given up                                  */
#define WORK_LEAST  1.2e8 /* allowed in all where something is factorised; else twice that of the sweeps               */

#define POLISH_WEIGHT 1e-11 /* resolves mass ratios to 1e10; a W without full rank needs something above rounding */
#define ROUNDING      1e-15 /* where the polish ends                                                               */

static int always(const scree_problem *problem, int round)
{
    (void)problem, (void)round;
    return 1;
}

static int never(const scree_problem *problem, int round)
{
    (void)problem, (void)round;
    return 0;
}

enum { SWEEPS, POLISH, NEWTON, IPM, PLAN };

static const portfolio_line plan[PLAN] = {
    [SWEEPS] = {.method = "momentum", .takes_part = always},
    [POLISH] = {.method = "newton", .penalty = POLISH_WEIGHT, .finishes = 1, .takes_part = never},
    [NEWTON] = {.method = "newton", .iterations = 12, .slices = 2, .finishes = 1, .takes_part = always},
    [IPM] = {.method = "ipm", .iterations = 12, .slices = 4, .takes_part = always},
};

static void destroy(scree_solver *s)
{
    if (!s->work) return;
    portfolio_destroy(s, s->work);
    memory_free(&s->allocator, s->work);
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
    s->work = memory_array(&s->allocator, 1, sizeof(portfolio));
    if (!s->work) return SCREE_ERR_MEMORY;
    return portfolio_create(s, problem, plan, PLAN, is_jointed(problem) ? POLISH : SWEEPS, s->work, error);
}

/// One contact is solved exactly by its sweep; a large problem is left to the sweeps.
static int is_small(const scree_problem *problem)
{
    return problem->block_count > 1 && problem->row_count <= ROWS_SMALL;
}

/// Where a factorisation costs as much as some hundred sweeps.
static int is_factorised(const scree_problem *problem)
{
    return problem->block_count > 1 && problem->row_count <= ROWS_FACTORISED;
}

/// Sweeps to spend: some 0.1 s worth of spheres, 0.5 s of hulls. A small problem may have many, and a large one goes on in the next step.
static int sweeps_allowed(const scree_problem *problem, int asked)
{
    int sweeps = VISITS / (problem->block_count > 0 ? problem->block_count : 1);
    return asked > 0 ? asked : sweeps < SWEEPS_LEAST ? SWEEPS_LEAST : sweeps > SWEEPS_MOST ? SWEEPS_MOST : sweeps;
}

static int is_good(const monitor *m)
{
    return m->best <= m->options->tolerance;
}

/// Sweeps that have used up their number go on: to PATIENCE times as much, and then as long as at the rate of the last slice they end within
/// WORK_SWEEPS in all. A step that is left unsolved makes the next ones hard as well, so that few steps need this.
static void sweep_to_the_end(scree_solver *s, portfolio *f, scree_problem *problem, monitor *m)
{
    const portfolio_arm *a = &f->arm[SWEEPS];
    double tolerance = s->options.tolerance, most = number_max(a->work, WORK_SWEEPS), patience = PATIENCE * a->work;
    while (!is_good(m) && m->outcome == SCREE_OUTCOME_MAX_ITERATIONS && a->work > 0.0 && a->work < most) {
        double slice = number_min(0.5 * a->work, most - a->work);
        if (portfolio_run(s, f, problem, SWEEPS, &(portfolio_slice){.work = slice}, m)) return;
        if (a->work >= patience && !portfolio_ends_within(f, SWEEPS, tolerance, most - a->work)) return;
    }
}

static void run(scree_solver *s, scree_problem *problem, monitor *m)
{
    portfolio *f = s->work;
    int asked = s->options.max_iterations > 0, is_chain = is_jointed(problem);
    int factorises = is_chain || (asked ? is_small(problem) : is_factorised(problem));
    portfolio_slice sweeps = {.iterations = sweeps_allowed(problem, s->options.max_iterations)};
    if (factorises && !asked) sweeps.expected = sweeps.iterations;
    portfolio_slice polish = {.iterations = 10, .tolerance = ROUNDING};
    portfolio_begin(f, 0);
    if (is_chain) {
        portfolio_run(s, f, problem, POLISH, &polish, m);
        if (is_good(m)) return;
    }
    portfolio_run(s, f, problem, SWEEPS, &sweeps, m);
    if (!asked && !factorises) sweep_to_the_end(s, f, problem, m);
    if (is_small(problem) && !is_chain && m->outcome != SCREE_OUTCOME_INTERRUPTED)
        portfolio_run(s, f, problem, POLISH, &polish, m);
    double allowed =
        number_max(WORK_LEAST, 2.0 * sweeps.iterations * work_of_sweep(problem, spheres_recognise(problem)));
    for (int round = 0; factorises && round < ROUNDS && !is_good(m) && m->outcome != SCREE_OUTCOME_INTERRUPTED; ++round)
        if (portfolio_round(s, f, problem, round, allowed, m)) return;
}

/* The type of every method. NOLINTNEXTLINE(readability-non-const-parameter) */
static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    (void)p; /* every method begins from m->best_p */
    run(s, problem, m);
    const portfolio *f = s->work;
    m->iterations = f->iterations, m->work = f->work;
    if (m->outcome != SCREE_OUTCOME_INTERRUPTED)
        m->outcome = is_good(m) ? SCREE_OUTCOME_CONVERGED : SCREE_OUTCOME_MAX_ITERATIONS;
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
