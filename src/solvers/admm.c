/* admm.c: alternating directions: one factor, then a solution and a projection per iteration.          docs/solvers/admm.md
 *
 *     min over p, z of 1/2 p'Wp + (q + s)'p,   p = z in K,   with penalty rho D, D the mean of each diag(W_cc)
 *
 *     p  <- (W + rho D)^-1 (rho D (z - xi) - q - s)                         the factor is kept while rho stays
 *     z  <- proj_K(p + xi)              contact by contact, since D is one number per contact; clamp in bounded rows
 *     xi <- xi + p - z                  at the solution -rho D xi is the velocity yhat
 *     s  <- De Saxce's shift of the velocity W p + q = -rho D (p - z + xi) - s; 0 for the convex law
 *
 * (z, xi) are extrapolated with Nesterov's weights and restarted when their combined change does not fall (Goldstein et al.
 * 2014). rho follows the ratio of the two residuals, |p - z| and |z - z_old| in the metric D, when they differ tenfold, by no more
 * than a factor 10 (the first time, after three iterations, 100) and at ever longer intervals, and not where fewer iterations are
 * left than the new factor costs (Acary, Bremond, Huber 2018 have the ratio; they start from the spectrum, we from rho = 0.3 in the
 * metric D, or 0.003 where auto hopes that everything sticks: docs/solvers/admm.md).
 * The answer is z, always in K. Options: penalty (of a mean contact, [1/kg]), relaxation (p <- a p + (1 - a) z, 1 <= a < 2).
 *
 * Under the Coulomb law nothing guarantees convergence: when the change has grown ten-thousandfold since its least, the iteration
 * goes back to the best loads seen, the fourth time without extrapolation. A W that is not symmetric (as files have it) is factorised by its
 * lower triangle, and each solution starts from the last one, so that the error of the factor vanishes with the steps. */
#include "solvers/reduced.h"
#include "solvers/solver_private.h"
#include "solvers/work.h"

#include "laws/cone.h"
#include "laws/maps.h"
#include "math/dense.h"
#include "math/elementary.h"

#include <string.h>

/// docs/solvers/admm.md has the measurements behind these.
typedef struct tuning {
    double rho, rho_rest;       /* first penalty in the metric D; where all contacts are expected to stick            */
    double warm;                /* a start with a larger residual is farther from any solution than 0                 */
    double unbalanced;          /* ratio of the two residuals from which on rho follows it                            */
    double change, change_once; /* of rho at most; the first time, when little is known, more                       */
    int first_change, wait;     /* iterations before the first change, and to the next; the wait grows by a half      */
    double price_of_factor;     /* in iterations; KaplasTower 11, matrices below a hundred rows 14                    */
    double restart;             /* momentum ends unless the combined change falls to this (Goldstein et al.)          */
    double runaway;             /* square of the growth of the change, since its least, that sends it back            */
    int escapes_plain;          /* times sent back before it continues without extrapolation; one more: it gives up   */
    double still;               /* of the mean: a smaller W_cc gives no metric                                        */
} tuning;

static const tuning tuned = {.rho = 0.3,
                             .rho_rest = 0.003,
                             .warm = 0.01,
                             .unbalanced = 10.0,
                             .change = 10.0,
                             .change_once = 100.0,
                             .first_change = 3,
                             .wait = 10,
                             .price_of_factor = 10.0,
                             .restart = 0.999,
                             .runaway = 1e8,
                             .escapes_plain = 3,
                             .still = 1e-12};

/// Where an iteration stands; kept when the monitor stops it, so that it may go on.
typedef struct progress {
    int iterations, next_change, wait; /* in all; when rho may change, and how long after that again */
    int escapes, changed;              /* times sent back; times rho has changed                     */
    double rho, momentum;
    double last, least; /* combined change: of the last step, and the least so far */
} progress;

typedef struct admm {
    reduced reduced;
    progress now;
    int symmetric;          /* W is, so that one solution with the factor is exact                            */
    double *d;              /* (block_count) D: mean of the diagonal of W_cc                                  */
    double *D;              /* rho D, block by block as problem->diagonal                                     */
    double *load, *rhs;     /* (row_count) p; right-hand side                                                 */
    double *z, *xi;         /* (row_count)                                                                    */
    double *z_old, *xi_old; /* (row_count) of the iteration before                                            */
    double *z_hat, *xi_hat; /* (row_count) extrapolated                                                       */
    double *shift;          /* (contact_count) s_N                                                            */
} admm;

static void destroy(scree_solver *s)
{
    admm *w = s->work;
    const scree_allocator *a = &s->allocator;
    if (!w) return;
    reduced_destroy(&w->reduced, a);
    MEMORY_FREE_ALL(a, w->d, w->D, w->load, w->rhs, w->z, w->xi, w->z_old, w->xi_old, w->z_hat, w->xi_hat, w->shift, w);
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    (void)error;
    const scree_allocator *a = &s->allocator;
    admm *w = s->work = memory_array(a, 1, sizeof *w);
    if (!w) return SCREE_ERR_MEMORY;
    if (!reduced_fits(problem)) {
        scree_status status = problem_assemble(problem, a, &s->assembled);
        if (status != SCREE_OK) return status;
        problem = s->assembled;
    }
    size_t rows = (size_t)problem->row_count + 1, blocks = (size_t)problem->block_count + 1;
    if (!MEMORY_VECTORS(a, blocks, &w->d, &w->shift) ||
        !MEMORY_VECTORS(a, problem->diagonal_at[problem->block_count] + 1, &w->D) ||
        !MEMORY_VECTORS(a, rows, &w->load, &w->rhs, &w->z, &w->xi, &w->z_old, &w->xi_old, &w->z_hat, &w->xi_hat))
        return SCREE_ERR_MEMORY;
    return reduced_create(problem, 1, a, &w->reduced);
}

/* ---- pieces of an iteration ----------------------------------------------------------------------------------------------- */

/// D from the diagonal of W. Returns its mean.
static double metric(admm *w, const scree_problem *problem)
{
    double sum = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        int n = problem->offset[b + 1] - problem->offset[b];
        double trace = 0.0;
        for (int i = 0; i < n; ++i) trace += problem->diagonal[problem->diagonal_at[b] + (size_t)(i * n + i)];
        w->d[b] = trace / n;
        sum += w->d[b];
    }
    double mean = problem->block_count > 0 ? sum / problem->block_count : 1.0;
    if (!(mean > 0.0)) mean = 1.0;
    for (int b = 0; b < problem->block_count; ++b) /* a contact that nothing can move still needs a metric */
        if (!(w->d[b] > tuned.still * mean)) w->d[b] = mean;
    return mean;
}

static int factor(admm *w, const scree_problem *problem, double rho)
{
    for (int b = 0; b < problem->block_count; ++b) {
        int n = problem->offset[b + 1] - problem->offset[b];
        double *D = w->D + problem->diagonal_at[b];
        memset(D, 0, (size_t)(n * n) * sizeof *D);
        for (int i = 0; i < n; ++i) D[i * n + i] = rho * w->d[b];
    }
    return reduced_factor(&w->reduced, problem, w->D);
}

static void solve_loads(admm *w, const scree_problem *problem, double rho)
{
    for (int b = 0; b < problem->block_count; ++b) {
        for (int i = problem->offset[b]; i < problem->offset[b + 1]; ++i)
            w->rhs[i] = rho * w->d[b] * (w->z_hat[i] - w->xi_hat[i]) - problem->q[i];
        if (b < problem->contact_count) w->rhs[problem->offset[b]] -= w->shift[b];
    }
    if (w->symmetric) reduced_solve(&w->reduced, problem, 0, w->rhs, w->load);
    else reduced_correct(&w->reduced, problem, w->rhs, w->load);
}

/// s from the velocity that the solution for p implies.
static void update_shift(admm *w, const scree_problem *problem, double rho)
{
    for (int c = 0; c < problem->contact_count && problem->law == SCREE_LAW_COULOMB; ++c) {
        double y[SCREE_DIM_MAX];
        for (int i = 0, at = problem->offset[c]; at < problem->offset[c + 1]; ++i, ++at)
            y[i] = -rho * w->d[c] * (w->load[at] - w->z_hat[at] + w->xi_hat[at]);
        w->shift[c] = slip_speed(&problem->cone[c], y);
    }
}

/// z and xi; relax: p <- relax p + (1 - relax) z.
static void project(admm *w, const scree_problem *problem, double relax)
{
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], n = problem->offset[b + 1] - at;
        double x[SCREE_DIM_MAX] = {0};
        for (int i = 0; i < n; ++i)
            x[i] = relax * w->load[at + i] + (1.0 - relax) * w->z_hat[at + i] + w->xi_hat[at + i];
        if (b < problem->contact_count) {
            cone_project(&problem->cone[b], x, w->z + at);
        } else {
            double S = problem->bound[b - problem->contact_count];
            w->z[at] = number_min(number_max(x[0], -S), S);
        }
        for (int i = 0; i < n; ++i) w->xi[at + i] = x[i] - w->z[at + i];
    }
}

typedef struct change {
    double primal, dual; /* |p - z|, |z - z_hat| in the metric D  */
    double combined;     /* squared change of (z, xi)             */
} change;

static change changes(const admm *w, const scree_problem *problem)
{
    double primal = 0.0, dual = 0.0, moved = 0.0;
    for (int b = 0; b < problem->block_count; ++b)
        for (int i = problem->offset[b]; i < problem->offset[b + 1]; ++i) {
            double r = w->load[i] - w->z[i], s = w->z[i] - w->z_hat[i], t = w->xi[i] - w->xi_hat[i];
            primal += w->d[b] * r * r, dual += w->d[b] * s * s, moved += w->d[b] * t * t;
        }
    return (change){sqrt(primal), sqrt(dual), dual + moved};
}

/// z_hat = z + beta (z - z_old), the same for xi; then the old ones are the new ones.
static void extrapolate(admm *w, int n, double beta)
{
    for (int i = 0; i < n; ++i) {
        w->z_hat[i] = w->z[i] + beta * (w->z[i] - w->z_old[i]);
        w->xi_hat[i] = w->xi[i] + beta * (w->xi[i] - w->xi_old[i]);
        w->z_old[i] = w->z[i], w->xi_old[i] = w->xi[i];
    }
}

static void scale_multipliers(admm *w, int n, double f)
{
    for (int i = 0; i < n; ++i) w->xi[i] *= f, w->xi_old[i] *= f;
}

/* ---- the iteration ----------------------------------------------------------------------------------------------------------- */

/// z = projection of the warm start, xi from its velocity y where that is known.
static void begin(admm *w, const scree_problem *problem, const double *p, const double *y, double rho)
{
    memset(w->shift, 0, (size_t)problem->block_count * sizeof *w->shift);
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], n = problem->offset[b + 1] - at;
        if (b < problem->contact_count) {
            cone_project(&problem->cone[b], p + at, w->z + at);
            if (problem->law == SCREE_LAW_COULOMB) w->shift[b] = y ? slip_speed(&problem->cone[b], y + at) : 0.0;
        } else {
            double S = problem->bound[b - problem->contact_count];
            w->z[at] = number_min(number_max(p[at], -S), S);
        }
        for (int i = 0; i < n; ++i) w->xi[at + i] = 0.0;
        if (!y || !(norm(n, p + at) > 0.0)) continue; /* cold: nothing is known of yhat */
        for (int i = 0; i < n; ++i) w->xi[at + i] = -y[at + i] / (rho * w->d[b]);
        if (b < problem->contact_count) w->xi[at] -= w->shift[b] / (rho * w->d[b]);
    }
    memcpy(w->z_old, w->z, (size_t)problem->row_count * sizeof *w->z);
    memcpy(w->xi_old, w->xi, (size_t)problem->row_count * sizeof *w->xi);
}

/// Has it just begun, and promises, at the mean rate from 1 to the residual last seen, to end before a new factor would pay?
static int ends_soon(int iterations, const monitor *m)
{
    return iterations <= 2 * tuned.price_of_factor && m->residual < 1.0 &&
           iterations * (real_log(m->tolerance) / real_log(m->residual) - 1.0) < tuned.price_of_factor;
}

/// 0: it has no factor, or needs none.
static int start(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    admm *w = s->work;
    const scree_solver_options *o = &s->options;
    int n = problem->row_count;
    double mean = metric(w, problem);
    w->now = (progress){.next_change = tuned.first_change, .wait = tuned.wait, .momentum = 1.0};
    w->now.rho = o->penalty > 0.0 ? o->penalty / mean : s->expects_rest ? tuned.rho_rest : tuned.rho;
    w->now.last = w->now.least = (double)INFINITY;
    memset(w->load, 0, (size_t)n * sizeof *w->load);
    w->symmetric = reduced_symmetric(problem);
    if (monitor_check(m, p) || !factor(w, problem, w->now.rho)) return 0;
    m->work += reduced_work(&w->reduced, problem);
    int warm = m->residual < tuned.warm;
    if (!warm) memset(p, 0, (size_t)n * sizeof *p);
    begin(w, problem, p, warm ? m->y : problem->q, w->now.rho);
    extrapolate(w, n, 0.0);
    return 1;
}

/// Back to the loads p. 0: it has been there too often: not even plain steps stay together.
static int escape(admm *w, const scree_problem *problem, const double *p)
{
    begin(w, problem, p, NULL, w->now.rho);
    extrapolate(w, problem->row_count, 0.0);
    memcpy(w->load, w->z, (size_t)problem->row_count * sizeof *w->load);
    w->now.momentum = 1.0, w->now.last = w->now.least = (double)INFINITY;
    return ++w->now.escapes <= tuned.escapes_plain + 1;
}

/// rho after the ratio of the two residuals, with a new factor. 0: it has none.
static int balance(admm *w, const scree_problem *problem, double ratio, monitor *m)
{
    double most = w->now.changed++ ? tuned.change : tuned.change_once;
    double f = number_min(number_max(sqrt(ratio), 1.0 / most), most);
    w->now.rho *= f;
    scale_multipliers(w, problem->row_count, 1.0 / f);
    extrapolate(w, problem->row_count, 0.0);
    if (!factor(w, problem, w->now.rho)) return 0;
    m->work += reduced_work(&w->reduced, problem);
    w->now.momentum = 1.0, w->now.last = (double)INFINITY;
    w->now.wait += w->now.wait / 2, w->now.next_change = w->now.iterations + w->now.wait;
    return 1;
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    admm *w = s->work;
    progress *now = &w->now;
    int n = problem->row_count, check_every = s->options.check_every > 0 ? s->options.check_every : 2;
    if (!s->resumes && !start(s, problem, p, m)) return;
    double cost = reduced_solve_work(&w->reduced, problem);

    while (m->iterations % check_every != 0 || m->iterations == 0 || !monitor_check(m, w->z)) {
        solve_loads(w, problem, now->rho);
        update_shift(w, problem, now->rho);
        project(w, problem, s->options.relaxation);
        change step = changes(w, problem);
        double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * now->momentum * now->momentum));
        int restart = step.combined >= tuned.restart * now->last;
        extrapolate(w, n, restart || now->escapes > tuned.escapes_plain ? 0.0 : (now->momentum - 1.0) / next);
        now->momentum = restart ? 1.0 : next;
        now->last = restart ? step.combined / tuned.restart : step.combined;
        m->iterations += 1, m->work += cost, now->iterations += 1;
        now->least = number_min(now->least, step.combined);
        if (!(step.combined <= tuned.runaway * now->least)) {
            if (!escape(w, problem, m->best_p)) return;
            continue;
        }
        double ratio = step.dual > 0.0 ? step.primal / step.dual : 1.0;
        int unbalanced = !(ratio < tuned.unbalanced && ratio > 1.0 / tuned.unbalanced);
        if (now->iterations >= now->next_change && unbalanced && s->options.penalty <= 0.0 &&
            !ends_soon(now->iterations, m) && !balance(w, problem, ratio, m))
            return;
    }
    memcpy(p, w->z, (size_t)n * sizeof *p);
}

const scree_solver_class solver_admm = {
    .name = "admm",
    .summary = "alternating directions, one sparse factor; both laws, bounded rows; good on stacks at rest to 1e-6",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .default_iterations = 20000,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
