/* auto.c: the default. Methods that fail on different problems, one after the other, each from the best iterate so far.
 *
 *   1. sweeps with momentum, as long as their rate so far promises an end within reach of what a factorisation would cost
 *   2. where the problem is small enough to factorise:
 *        ADMM, a while, where W came assembled and is large: one factor does (towers of many contacts per body)
 *        proximal Newton, where its factor is cheap (rank-deficient W, stiff stacks)
 *        interior point (piles that move, that have heavy grains, that have no rolling friction), down to 1e-8
 *   3. all of it again, sweeps without a promise to keep, each method allowed three times as much; Newton then takes what interior
 *      point has reached to 1e-12
 *
 * All stages share one monitor: one trace, one clock, one best iterate, so no stage can spoil what another has reached. Nothing is
 * asked of the user, and nothing depends on the problem but its size. */
#include "solvers/solver_private.h"
#include "solvers/spheres/spheres.h"

#include <string.h>

/* The limits of the plan. Chosen on the stored problems and on generated piles; docs/solvers/auto.md has what was measured. */
/* clang-format off */
enum {
    ROUNDS        = 7,    /* of the whole plan, then the outcome is `stalled`                                        */
    GROWTH        = 3,    /* of what each method is allowed, from round to round                                     */
    NEWTON_ROWS   = 4000, /* in round 0, twice as many in round 1: its unsymmetric factor grows faster than a sweep  */
    ADMM_CONTACTS = 400,  /* of an assembled W, in round 0: towers of many contacts, for which one factor does       */
    LARGE_ROWS    = 8000, /* of spheres: beyond, a factorisation costs thousands of sweeps                           */
    DESCENT       = 40    /* factorisations of one descent of interior points; 20 to 26 end it where nothing slides  */
};
#define UNBOUNDED          1000000 /* sweeps, where the promise ends them                                            */
#define SWEEPS_PER_DESCENT 3.0     /* of those worth waiting for: about as long as the descent of interior points    */
#define IPM_REACHES        1e-8    /* surely; where the tolerance is tighter, Newton starts from there               */

/// Sweeps worth waiting for before something is factorised: least + rows/per.
typedef struct worth {
    double least, per; /* per 0: the size does not matter */
} worth;

static const worth worth_jointed  = {10.0, 0.0};   /* a chain passes on one link a sweep, its factor costs a few sweeps */
static const worth worth_products = {200.0, 5.0};  /* iterations of projected gradients: products alone               */
static const worth worth_spheres  = {1000.0, 2.0}; /* swept eight at a time: a factor costs thousands of sweeps        */
static const worth worth_bodies   = {15.0, 5.0};   /* contacts of any shape, through the bodies: tens of sweeps        */
static const worth worth_tower    = {25.0, 0.0};   /* W assembled and large: ADMM is next, with one factor             */
static const worth worth_blocks   = {5.0, 8.0};    /* W assembled                                                      */
/* clang-format on */

typedef struct stage {
    const char *method;
    int iterations;   /* in round 0                                                          */
    double tolerance; /* not asked to go below this                                          */
    int (*takes_part)(const scree_problem *problem, int round);
} stage;

static int always(const scree_problem *problem, int round)
{
    (void)problem, (void)round;
    return 1;
}

static int admm_takes_part(const scree_problem *problem, int round)
{
    return round > 0 || (problem->W && problem->contact_count >= ADMM_CONTACTS);
}

static int newton_takes_part(const scree_problem *problem, int round)
{
    return round > 1 || problem->row_count <= (round + 1) * NEWTON_ROWS;
}

static const stage plan[] = {
    {"momentum", 400, 0.0, always}, /* counted from round 1: the promise ends it in round 0 */
    {"admm", 60, 0.0, admm_takes_part},
    {"newton", 60, 0.0, newton_takes_part},
    {"ipm", 500, IPM_REACHES, always},
};

enum { PLAN = (int)(sizeof plan / sizeof *plan) };

typedef struct automatic {
    scree_solver *method[PLAN]; /* one per line of the plan, NULL: not used yet */
} automatic;

static void destroy(scree_solver *s)
{
    automatic *a = s->work;
    if (!a) return;
    for (int i = 0; i < PLAN; ++i) scree_solver_destroy(a->method[i]);
    memory_free(&s->allocator, a);
}

/// Sweeps move one body at a time; where M couples the bodies, projected gradients take their place.
static const char *method_of(const scree_problem *problem, int i)
{
    return i == 0 && problem->mass ? "apgd" : plan[i].method;
}

/// Does the method take this problem at all, and is there room to factorise where it must?
static int fits(const scree_problem *problem, int i)
{
    const scree_solver_class *c = scree_solver_class_find(method_of(problem, i));
    if (!c || !scree_solver_class_takes_law(c, problem->law)) return 0;
    if (problem->bound_count > 0 && !c->takes_bounds) return 0;
    return i == 0 || problem->row_count <= FACTORISE_ROWS; /* all but the sweeps factorise */
}

static scree_status create_stage(scree_solver *s, scree_problem *problem, int i, scree_error *error)
{
    automatic *a = s->work;
    scree_solver_options options = s->options;
    options.name = method_of(problem, i);
    return solver_create_in(s->pool, problem, &options, &s->allocator, &a->method[i], error);
}

/// Only the sweeps: most problems need no more. What else is needed is made when it is first used, and kept.
static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    s->work = memory_array(&s->allocator, 1, sizeof(automatic));
    return s->work ? create_stage(s, problem, 0, error) : SCREE_ERR_MEMORY;
}

/// Is there anything to go on to after the first stage?
static int second_stage(const scree_problem *problem)
{
    for (int i = 1; i < PLAN; ++i)
        if (fits(problem, i)) return 1;
    return 0;
}

static const worth *worth_of(const scree_problem *problem)
{
    if (problem->bound_count > 0 && !problem->mass && problem->row_count <= NEWTON_ROWS) return &worth_jointed;
    if (problem->mass) return &worth_products;
    if (!problem->W) return spheres_recognise(problem) ? &worth_spheres : &worth_bodies;
    return problem->contact_count >= ADMM_CONTACTS ? &worth_tower : &worth_blocks;
}

static double sweeps_worth_waiting_for(const scree_problem *problem)
{
    const worth *w = worth_of(problem);
    return w->per > 0.0 ? w->least + problem->row_count / w->per : w->least;
}

/// The promise asked of a method in round 0; 0: none.
static double iterations_worth_waiting_for(const scree_problem *problem, int i)
{
    if (i == 0) return second_stage(problem) ? sweeps_worth_waiting_for(problem) : 0.0;
    return strcmp(plan[i].method, "admm") == 0 ? plan[i].iterations : 0.0;
}

/// Iterations a method may take where no promise ends it. In large piles of spheres a factorisation costs as much as thousands of
/// sweeps: interior point gets the one descent that ends it where nothing slides, and the sweeps go on for about as long.
static int iterations_allowed(const scree_problem *problem, int i, int share)
{
    int large = !problem->W && problem->row_count > LARGE_ROWS && spheres_recognise(problem);
    if (large && i == 0) return (int)(SWEEPS_PER_DESCENT * sweeps_worth_waiting_for(problem)) * share;
    if (large && strcmp(plan[i].method, "ipm") == 0) return DESCENT * share;
    return plan[i].iterations * share;
}

/// Has the problem been answered, or the caller lost patience?
static int is_over(const monitor *m)
{
    return m->outcome == SCREE_OUTCOME_CONVERGED || m->outcome == SCREE_OUTCOME_INTERRUPTED ||
           m->outcome == SCREE_OUTCOME_INFEASIBLE;
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    automatic *a = s->work;
    int total = 0, limit = s->options.max_iterations > 0 ? s->options.max_iterations : 0, share = 1;
    for (int round = 0; round < ROUNDS; ++round, share *= GROWTH) {
        for (int i = 0; i < PLAN; ++i) {
            if (!fits(problem, i) || !plan[i].takes_part(problem, round)) continue;
            if (!a->method[i] && create_stage(s, problem, i, NULL) != SCREE_OK)
                continue; /* no memory: the others remain */
            scree_solver *method = a->method[i];
            if (!method) continue;
            method->options.max_iterations = iterations_allowed(problem, i, share);
            if (i == 0 && round == 0) method->options.max_iterations = UNBOUNDED; /* the promise ends it */
            if (limit && total + method->options.max_iterations > limit) method->options.max_iterations = limit - total;
            m->expected = round == 0 ? iterations_worth_waiting_for(problem, i) : 0.0;
            method->expects_rest = round == 0, method->swept = 1;
            m->tolerance = s->options.tolerance > plan[i].tolerance ? s->options.tolerance : plan[i].tolerance;
            solver_run(method, problem, p, m);
            m->expected = 0.0, m->tolerance = s->options.tolerance;
            if (m->outcome == SCREE_OUTCOME_CONVERGED && m->best > m->tolerance) m->outcome = SCREE_OUTCOME_STALLED;
            total += m->iterations;
            if (is_over(m) || (limit && total >= limit)) {
                m->iterations = total;
                return;
            }
            memcpy(p, m->best_p, (size_t)problem->row_count * sizeof *p);
        }
        if (round == 0 && solver_prove_infeasible(s, problem, p, m)) { /* before much is spent on it */
            m->iterations = total, m->outcome = SCREE_OUTCOME_INFEASIBLE;
            return;
        }
    }
    m->iterations = total;
    m->outcome = SCREE_OUTCOME_STALLED;
}

const scree_solver_class solver_auto = {
    .name = "auto",
    .summary = "the default: sweeps with momentum; where they stall admm, newton and ipm in turn",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .threaded = 1,
    .forms_itself = 1,
    .default_iterations = 0,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
