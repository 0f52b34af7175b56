/* auto.c: the default: a portfolio of methods that fail on different problems (portfolio.h).             docs/solvers/auto.md
 *
 *   1. sweeps with momentum, as long as their rate so far promises an end within reach of what a factorisation would cost
 *   2. towers of many contacts per body, where W came assembled: ADMM, as long as it promises as much; one factor does
 *   3. one step of Newton: what a factorisation costs. Sweeps go on as long as they promise to end for less than a few of them
 *   4. rounds of slices of counted work, the sweeps beside all others:
 *        proximal Newton from the best point (rank-deficient W, stiff stacks, the last digits of everything)
 *        interior points (piles that move, that have heavy grains, that have no rolling friction), first down to 1e-8
 *        the compliance path from the best point (piles on which everything else fails)
 *        ADMM
 *
 * Nothing is asked of the user, and what is done depends on the problem alone: no clock is read. */
#include "solvers/portfolio.h"
#include "solvers/spheres/spheres.h"

/* The limits of the plan. Chosen on the stored problems and on generated piles; docs/solvers/auto.md has what was measured. */
/* clang-format off */
enum {
    ROUNDS        = 12,   /* each doubles the work; then the outcome is `stalled`                                    */
    NEWTON_ROWS   = 9000, /* in round 0, twice as many in round 1: its unsymmetric factor grows faster than a sweep  */
    JOINTED_ROWS  = 4000, /* of chains of joints, whose factor is cheap                                              */
    ADMM_CONTACTS = 400,  /* of an assembled W, before round 0: towers of many contacts, for which one factor does   */
    TOWER         = 60    /* iterations of ADMM there, as long as they promise to be enough                          */
};
#define IPM_REACHES 1e-8 /* surely; where the tolerance is tighter, Newton starts from there                          */

/// Sweeps worth waiting for before something is factorised: least + rows/per. After the first factorisation: those that promise to end for
/// less than `factors` of them.
typedef struct worth {
    double least, per, factors; /* per 0: the size does not matter */
} worth;

static const worth worth_jointed  = {10.0, 0.0, 5.0};     /* a chain passes on one link a sweep, its factor costs a few sweeps */
static const worth worth_products = {200.0, 5.0, 5.0};    /* iterations of projected gradients: products alone */
static const worth worth_spheres  = {1000.0, 2.0, 20.0};  /* swept eight at a time: a factor costs thousands of sweeps */
static const worth worth_bodies   = {15.0, 5.0, 5.0};     /* contacts of any shape, through the bodies: tens of sweeps */
static const worth worth_tower    = {25.0, 0.0, 5.0};     /* W assembled and large: ADMM is next, with one factor */
static const worth worth_blocks   = {5.0, 12.0, 5.0};     /* W assembled */
/* clang-format on */

static int always(const scree_problem *problem, int round)
{
    (void)problem, (void)round;
    return 1;
}

static int is_tower(const scree_problem *problem)
{
    return problem->W && problem->contact_count >= ADMM_CONTACTS;
}

static int newton_takes_part(const scree_problem *problem, int round)
{
    return round > 1 || problem->row_count <= (round + 1) * NEWTON_ROWS;
}

static int admm_takes_part(const scree_problem *problem, int round)
{
    return round > 0 || is_tower(problem);
}

enum { SWEEPS, NEWTON, IPM, PATH, ADMM, PLAN };

static const portfolio_line plan[PLAN] = {
    [SWEEPS] = {.method = "momentum", .takes_part = always},
    [NEWTON] = {.method = "newton",
                .iterations = 10,
                .slices = 3,
                .beside = 1.0,
                .finishes = 1,
                .takes_part = newton_takes_part},
    [PATH] = {.method = "path", .iterations = 20, .slices = 2, .takes_part = newton_takes_part},
    [IPM] = {.method = "ipm", .iterations = 20, .slices = 7, .tolerance = IPM_REACHES, .takes_part = always},
    [ADMM] = {.method = "admm", .iterations = TOWER, .slices = 1, .takes_part = admm_takes_part},
};

static void destroy(scree_solver *s)
{
    if (!s->work) return;
    portfolio_destroy(s, s->work);
    memory_free(&s->allocator, s->work);
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    s->work = memory_array(&s->allocator, 1, sizeof(portfolio));
    return s->work ? portfolio_create(s, problem, plan, PLAN, SWEEPS, s->work, error) : SCREE_ERR_MEMORY;
}

static const worth *worth_of(const scree_problem *problem)
{
    if (problem->bound_count > 0 && !problem->mass && problem->row_count <= JOINTED_ROWS) return &worth_jointed;
    if (problem->mass) return &worth_products;
    if (!problem->W) return spheres_recognise(problem) ? &worth_spheres : &worth_bodies;
    return problem->contact_count >= ADMM_CONTACTS ? &worth_tower : &worth_blocks;
}

static double sweeps_worth_waiting_for(const scree_problem *problem)
{
    const worth *w = worth_of(problem);
    return w->per > 0.0 ? w->least + problem->row_count / w->per : w->least;
}

/// One step of Newton tells what a factorisation costs; the sweeps go on while they promise to end for less than a few of them. 1: it is over.
static int sweep_while_cheaper(scree_solver *s, portfolio *f, scree_problem *problem, monitor *m)
{
    if (portfolio_run(s, f, problem, NEWTON, &(portfolio_slice){.iterations = 1}, m)) return 1;
    double allowed = worth_of(problem)->factors * portfolio_factor(f, NEWTON);
    while (!f->arm[SWEEPS].ended && f->arm[SWEEPS].work > 0.0 &&
           portfolio_promise(f, SWEEPS, s->options.tolerance) <= allowed)
        if (portfolio_run(s, f, problem, SWEEPS, &(portfolio_slice){.work = 0.25 * f->arm[SWEEPS].work}, m)) return 1;
    return 0;
}

static scree_outcome run(scree_solver *s, scree_problem *problem, monitor *m)
{
    portfolio *f = s->work;
    portfolio_begin(f, s->options.max_iterations);
    portfolio_slice first = {.expected = portfolio_has_more(f, problem) ? sweeps_worth_waiting_for(problem) : 0.0};
    if (portfolio_run(s, f, problem, SWEEPS, &first, m)) return m->outcome;
    if (is_tower(problem)) {
        if (portfolio_run(s, f, problem, ADMM, &(portfolio_slice){.iterations = TOWER, .expected = TOWER, .rests = 1},
                          m))
            return m->outcome;
    }
    if (portfolio_takes(f, problem, NEWTON, 0) && sweep_while_cheaper(s, f, problem, m)) return m->outcome;
    for (int round = 0; round < ROUNDS; ++round) {
        if (portfolio_round(s, f, problem, round, 0.0, m)) return m->outcome;
        if (round == 0 && solver_prove_infeasible(s, problem, m->best_p, m)) return SCREE_OUTCOME_INFEASIBLE;
    }
    return SCREE_OUTCOME_STALLED;
}

/* The type of every method. NOLINTNEXTLINE(readability-non-const-parameter) */
static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    const portfolio *f = s->work;
    (void)p; /* every method begins from m->best_p */
    m->outcome = run(s, problem, m);
    m->iterations = f->iterations, m->work = f->work;
}

const scree_solver_class solver_auto = {
    .name = "auto",
    .summary =
        "the default: sweeps with momentum; where they stall newton, ipm and admm beside them, in slices of work",
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
