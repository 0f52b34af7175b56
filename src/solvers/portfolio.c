/* portfolio.c: methods in slices of counted work (portfolio.h). */
#include "solvers/portfolio.h"

#include "math/elementary.h"

#include <string.h>

/* clang-format off */
static const double swept      = 1.0 / 3.0; /* work of the sweeps beside a slice: a quarter of the whole                    */
static const double nothing    = 0.05;      /* decades of residual a slice must bring, else the next one is half as long     */
static const double least      = 0.125;     /* weight                                                                        */
static const double least_swept = 0.25;     /* of the sweeps: they stand still for long, and then fall again                 */
static const double better     = 0.5;       /* of the residual a method began from: then it begins again from the best point  */
static const double far_better = 0.1;       /* of their own best: then the sweeps go on from the best point                   */
/* clang-format on */

enum { UNBOUNDED = 1000000 }; /* iterations, where work or a promise ends a slice */

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

/// Sweeps move one body at a time; where M couples the bodies, projected gradients take their place.
static const char *method_of(const portfolio *f, const scree_problem *problem, int i)
{
    return i == 0 && problem->mass ? "apgd" : f->line[i].method;
}

/// Does the method take this problem at all, and is there room to factorise where it must?
static int fits(const portfolio *f, const scree_problem *problem, int i)
{
    const scree_solver_class *c = scree_solver_class_find(method_of(f, problem, i));
    if (!c || !scree_solver_class_takes_law(c, problem->law)) return 0;
    if (problem->bound_count > 0 && !c->takes_bounds) return 0;
    return i == 0 || problem->row_count <= FACTORISE_ROWS; /* all but the sweeps factorise */
}

int portfolio_takes(const portfolio *f, const scree_problem *problem, int i, int round)
{
    return fits(f, problem, i) && f->line[i].takes_part(problem, round);
}

int portfolio_has_more(const portfolio *f, const scree_problem *problem)
{
    for (int i = 1; i < f->count; ++i)
        if (fits(f, problem, i)) return 1;
    return 0;
}

static scree_status create_arm(scree_solver *s, scree_problem *problem, portfolio *f, int i, scree_error *error)
{
    scree_solver_options options = s->options;
    options.name = method_of(f, problem, i);
    if (f->line[i].penalty > 0.0) options.penalty = f->line[i].penalty;
    f->arm[i].p = memory_array(&s->allocator, (size_t)problem->row_count + 1, sizeof *f->arm[i].p);
    if (!f->arm[i].p) return SCREE_ERR_MEMORY;
    scree_status status = solver_create_in(s->pool, problem, &options, &s->allocator, &f->arm[i].method, error);
    if (status != SCREE_OK) memory_free(&s->allocator, f->arm[i].p), f->arm[i].p = NULL;
    return status;
}

scree_status portfolio_create(scree_solver *s, scree_problem *problem, const portfolio_line *line, int count, int first,
                              portfolio *f, scree_error *error)
{
    f->line = line, f->count = count;
    return create_arm(s, problem, f, first, error);
}

void portfolio_destroy(scree_solver *s, portfolio *f)
{
    for (int i = 0; i < f->count; ++i) {
        scree_solver_destroy(f->arm[i].method);
        memory_free(&s->allocator, f->arm[i].p);
    }
}

/* ---- one slice ------------------------------------------------------------------------------------------------------------ */

void portfolio_begin(portfolio *f, int most)
{
    for (int i = 0; i < f->count; ++i) {
        portfolio_arm *a = &f->arm[i];
        a->begun = a->ended = 0;
        a->work = a->gained = a->spent = 0.0, a->weight = 1.0;
        a->best = (double)INFINITY;
    }
    f->work = 0.0, f->iterations = 0, f->most = most;
}

/// Is the problem solved, or has a limit of the caller been reached?
static int is_over(const monitor *m)
{
    return m->outcome == SCREE_OUTCOME_CONVERGED || m->outcome == SCREE_OUTCOME_INTERRUPTED;
}

static void begin_from_best(portfolio_arm *a, const scree_problem *problem, const monitor *m)
{
    memcpy(a->p, m->best_p, (size_t)problem->row_count * sizeof *a->p);
    a->begun = a->ended = 0;
    a->began = m->best;
}

static double decades(double from, double to)
{
    return from > to && to > 0.0 && from < 1e100 ? (real_log(from) - real_log(to)) / real_log(10.0) : 0.0;
}

int portfolio_run(scree_solver *s, portfolio *f, scree_problem *problem, int i, const portfolio_slice *slice,
                  monitor *m)
{
    portfolio_arm *a = &f->arm[i];
    int most = f->most > 0 ? f->most - f->iterations : 0;
    if (!a->method && create_arm(s, problem, f, i, NULL) != SCREE_OK) return 0; /* no memory: the others remain */
    int from_best = (f->line[i].finishes || (a->begun && a->ended)) && m->best < better * a->began;
    double enough =
        a->weight > least_swept ? far_better : better; /* where they stand still, they try another start sooner */
    int helped = i == 0 && a->begun && m->best < enough * a->best;
    if (from_best || helped || !a->begun) begin_from_best(a, problem, m), a->best = m->best;
    if (a->ended) return 0;
    scree_solver *method = a->method;
    method->resumes = a->begun, method->swept = 1, method->expects_rest = slice->rests;
    method->options.min_iterations = a->begun ? 0 : s->options.min_iterations;
    method->options.max_iterations = slice->iterations > 0 ? slice->iterations : UNBOUNDED;
    if (most > 0 && most < method->options.max_iterations) method->options.max_iterations = most;
    m->expected = slice->expected, m->work_limit = slice->work;
    m->tolerance = slice->tolerance > 0.0 ? slice->tolerance : s->options.tolerance;
    solver_run(method, problem, a->p, m);
    m->expected = m->work_limit = 0.0, m->tolerance = s->options.tolerance;
    a->begun = 1, a->ended = m->outcome == SCREE_OUTCOME_STALLED && !(slice->expected > 0.0);
    if (m->outcome == SCREE_OUTCOME_DIVERGED) { /* the sweeps begin again */
        begin_from_best(a, problem, m);
        a->ended = i > 0;
    }
    if (m->outcome == SCREE_OUTCOME_CONVERGED && m->best > m->tolerance) m->outcome = SCREE_OUTCOME_STALLED;
    a->gained = number_max(m->gained, decades(number_min(a->best, 1.0), m->lowest)), a->spent = m->work;
    a->best = number_min(a->best, m->lowest);
    a->work += m->work, f->work += m->work, f->iterations += m->iterations;
    return is_over(m) || (most > 0 && m->iterations >= most);
}

/* ---- a round -------------------------------------------------------------------------------------------------------------- */

int portfolio_ends_within(const portfolio *f, int i, double tolerance, double work)
{
    const portfolio_arm *a = &f->arm[i];
    if (a->ended || !(a->gained > nothing)) return 0;
    return decades(a->best, tolerance) * a->spent <= a->gained * work;
}

/// At the rate of its last slice, does the arm end within all the work so far?
static int converges(const portfolio *f, int i, double tolerance)
{
    return portfolio_ends_within(f, i, tolerance, f->work);
}

double portfolio_promise(const portfolio *f, int i, double tolerance)
{
    const portfolio_arm *a = &f->arm[i];
    return a->best < 1.0 ? a->work * real_log(tolerance) / real_log(a->best) : (double)INFINITY;
}

double portfolio_factor(const portfolio *f, int i)
{
    const scree_solver *method = f->arm[i].method;
    return method && method->class_->factor_work ? method->class_->factor_work(method) : 0.0;
}

/// Of the work so far: the slice of arm i in a round that doubles it.
static double share_of(const portfolio *f, const scree_problem *problem, int round, int i)
{
    double all = 0.0;
    for (int j = 1; j < f->count; ++j)
        if (portfolio_takes(f, problem, j, round)) all += f->arm[j].weight;
    return f->arm[i].weight / (all * (1.0 + swept));
}

/// Slices of arm i, and of the sweeps beside it: `count`, and then as long as one of the two converges.
static int run_beside_sweeps(scree_solver *s, portfolio *f, scree_problem *problem, int i, const portfolio_slice *slice,
                             int count, double beside, double allowed, monitor *m)
{
    portfolio_arm *a = &f->arm[i], *sweeps = &f->arm[0];
    double owed = 0.0;
    do {
        double before = f->work;
        if (portfolio_run(s, f, problem, i, slice, m)) return 1;
        double spent = f->work - before;
        if (!(spent > 0.0)) break;
        a->weight = a->gained > nothing ? 1.0 : number_max(0.5 * a->weight, least);
        owed += beside * spent;
        if (f->line[i].finishes && !(a->gained > nothing)) count = 1; /* of slices: the next one would do the same */
        if (!a->ended && a->best <= m->best && converges(f, i, m->tolerance)) continue; /* they wait */
        do {
            if (portfolio_run(s, f, problem, 0, &(portfolio_slice){.work = owed * sweeps->weight}, m)) return 1;
            sweeps->weight = sweeps->gained > nothing ? 1.0 : number_max(0.5 * sweeps->weight, least_swept);
        } while (converges(f, 0, m->tolerance) && !(allowed > 0.0 && f->work >= allowed));
        owed = 0.0;
    } while ((--count > 0 || converges(f, i, m->tolerance)) && !(allowed > 0.0 && f->work >= allowed));
    return allowed > 0.0 && f->work >= allowed;
}

int portfolio_round(scree_solver *s, portfolio *f, scree_problem *problem, int round, double allowed, monitor *m)
{
    double before = f->work;
    int others = 0;
    for (int i = 1; i < f->count; ++i) {
        const portfolio_line *line = &f->line[i];
        if (!portfolio_takes(f, problem, i, round)) continue;
        portfolio_slice slice = {0};
        int count = round == 0 ? line->slices : 1;
        if (round == 0)
            slice.iterations = line->iterations, slice.tolerance = number_max(line->tolerance, s->options.tolerance);
        else slice.work = share_of(f, problem, round, i) * before;
        if (run_beside_sweeps(s, f, problem, i, &slice, count, round == 0 && line->beside > 0.0 ? line->beside : swept,
                              allowed, m))
            return 1;
        others += !f->arm[i].ended;
    }
    if (others) return 0;
    return portfolio_run(s, f, problem, 0, &(portfolio_slice){.work = number_max(before, 1.0)}, m);
}
