/* newton.c: proximal point method, each step solved by semismooth Newton on all contacts at once.   [AB] section 5; docs/solvers/newton.md
 *
 *     step k:  find p with  y = W p + q + rho_k (p - p_k)  and the law at every contact;   p_{k+1} = p
 *     by       F(p) = 0,    F_c(p_c, y_c) = Alart-Curnier,  (A + B (W + rho I)) d = F,  p <- p - t d
 *
 * All in scaled variables p = D x, y = D^-1 z (scaled.h).
 *
 * W is rank-deficient wherever a body has more contacts than degrees of freedom; rho I makes the matrix regular, and the iteration
 * over k makes the answer that of rho = 0. rho falls when a step succeeds and rises when it fails.
 * Departs from the usual: steps are taken at full length as long as the merit |F| finds a new minimum within `patience` steps, and
 * only then is a line search made, from the best point: a line search at every step creeps where contacts change their mode one by
 * one (docs/solvers/newton.md has the figures). A failed step is tried again with the next of three
 * variants: the line search from the start, or another step s of the map.
 * A few sweeps of Gauss-Seidel give the start.
 *
 * Options: penalty, the first rho (1e-4; a start close to the answer wants less). The matrix is factorised by blocks
 * (sparse/block_lu.h), or by UMFPACK where that is too much. */
#include "solvers/solver_private.h"

#include "laws/maps.h"
#include "math/dense.h"
#include "solvers/scaled.h"
#include "solvers/sweep.h"
#include "solvers/work.h"

#include <string.h>

enum { VARIANTS = 3 };

typedef struct tuning {
    double near;                     /* a swept start with this residual is left as it is; else:    */
    int sweeps;                      /* of Gauss-Seidel before the first step                       */
    int inner_limit;                 /* Newton steps per proximal step                              */
    int patience[VARIANTS];          /* full steps without a new minimum of |F|, before a line search */
    int halvings;                    /* of the line search                                          */
    int failures;                    /* proximal steps in a row that may fail                       */
    int stall;                       /* Newton steps without a better residual                      */
    double step[VARIANTS];           /* s of the maps, scaled; after a failure the next variant     */
    double rho, rho_least, rho_most; /* first, bounds                                               */
    double fall, rise;               /* of rho                                                      */
    double inner_tolerance;          /* fall of |F| that ends a proximal step                       */
    double flop_limit;               /* of a block factorisation; above: UMFPACK                    */
} tuning;

static const tuning tuned = {.near = 1e-3,
                             .sweeps = 10,
                             .inner_limit = 20,
                             .patience = {7, 0, 7},
                             .halvings = 12,
                             .failures = 20,
                             .stall = 300,
                             .step = {3.0, 3.0, 1.0},
                             .rho = 1e-4,
                             .rho_least = 1e-8,
                             .rho_most = 10.0,
                             .fall = 0.3,
                             .rise = 10.0,
                             .inner_tolerance = 0.1,
                             .flop_limit = 1e9};

typedef struct newton {
    scaled scaled;      /* the problem in scaled variables                                 */
    int n;              /* rows                                                            */
    double *x, *Wx;     /* (n) the iterate, W x                                            */
    double *x_k;        /* (n) centre of the proximal step                                 */
    double *best;       /* (n) x of the least |F| in this proximal step                    */
    double *d, *Wd;     /* (n) Newton's direction, W d                                     */
    double *trial, *Wt; /* (n)                                                             */
    double *F, *defect; /* (n)                                                             */
    double *y;          /* (n) unscaled, for the monitor                                   */
    double *A, *B;      /* dF/dx and dF/dz of each block, as the problem's diagonal        */
    double rho, step;   /* of the current proximal step                                    */
    int patience;
    int failures, variant, inside; /* in a row; of the step; it was stopped inside one (kept, so that it may go on) */
    sweep sweep;                   /* the start                                                       */
    local_solver local;
} newton;

/* ---- memory --------------------------------------------------------------------------------------------------------------- */

static void destroy(scree_solver *s)
{
    newton *w = s->work;
    if (!w) return;
    scaled_destroy(&w->scaled, &s->allocator);
    MEMORY_FREE_ALL(&s->allocator, w->x, w->Wx, w->x_k, w->best, w->d, w->Wd, w->trial, w->Wt, w->F, w->y, w->defect,
                    w->A, w->B);
    sweep_destroy(&w->sweep, &s->allocator);
    local_destroy(&w->local, &s->allocator);
    memory_free(&s->allocator, w);
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    (void)error;
    const scree_allocator *a = &s->allocator;
    newton *w = s->work = memory_array(a, 1, sizeof *w);
    if (!w) return SCREE_ERR_MEMORY;
    size_t blocks = (size_t)problem->block_count, n = (size_t)problem->row_count;
    w->n = problem->row_count;
    w->A = memory_array(a, problem->diagonal_at[blocks] + 1, sizeof *w->A);
    w->B = memory_array(a, problem->diagonal_at[blocks] + 1, sizeof *w->B);
    if (!w->A || !w->B) return SCREE_ERR_MEMORY;
    double **const vectors[] = {&w->x,     &w->Wx, &w->x_k, &w->best,   &w->d, &w->Wd,
                                &w->trial, &w->Wt, &w->F,   &w->defect, &w->y};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        *vectors[i] = memory_array(a, n + 1, sizeof **vectors[i]);
        if (!*vectors[i]) return SCREE_ERR_MEMORY;
    }
    scree_status status = sweep_create(problem, 0, a, &w->sweep);
    if (status == SCREE_OK) status = local_create(problem, SCREE_CONTACT_EXACT, a, &w->local);
    if (status == SCREE_OK) status = scaled_create(problem, s->original, tuned.flop_limit, a, &w->scaled);
    return status;
}

/* ---- one step of Newton --------------------------------------------------------------------------------------------------- */

/// |F| at x, z = W x + q + rho (x - x_k); with `derivative` also A and B of each block.
static double evaluate(newton *w, const scree_problem *problem, const double *x, const double *Wx, int derivative)
{
    double sum = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], m = problem->offset[b + 1] - at;
        double z[SCREE_DIM_MAX] = {0}, *F = w->F + at;
        double *A = derivative ? w->A + problem->diagonal_at[b] : NULL;
        double *B = derivative ? w->B + problem->diagonal_at[b] : NULL;
        for (int i = 0; i < m; ++i) z[i] = Wx[at + i] + w->scaled.q[at + i] + w->rho * (x[at + i] - w->x_k[at + i]);
        if (b < problem->contact_count) {
            map_alart_curnier(&w->scaled.cone[b], problem->law, w->step, x + at, z, F, A, B);
        } else { /* x - clamp(x - s z) */
            double S = problem->bound[b - problem->contact_count] / w->scaled.D[at], t = x[at] - w->step * z[0];
            int inside = S > DBL_MAX || fabs(t) < S;
            F[0] = inside ? w->step * z[0] : x[at] - copysign(S, t);
            if (derivative) A[0] = inside ? 0.0 : 1.0, B[0] = inside ? w->step : 0.0;
        }
        sum += dot(m, F, F);
    }
    return sqrt(sum);
}

/// defect = F - (A + B (W + rho I)) d.
static double linear_defect(newton *w, const scree_problem *problem)
{
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], m = problem->offset[b + 1] - at;
        const double *A = w->A + problem->diagonal_at[b], *B = w->B + problem->diagonal_at[b];
        for (int r = 0; r < m; ++r) {
            double s = w->F[at + r];
            for (int k = 0; k < m; ++k)
                s -= A[r * m + k] * w->d[at + k] + B[r * m + k] * (w->Wd[at + k] + w->rho * w->d[at + k]);
            w->defect[at + r] = s;
        }
    }
    return norm(w->n, w->defect);
}

/// d and W d at the point where F, A, B were evaluated; 0 if the matrix is singular or the solution is no solution. One refinement.
static int direction(newton *w, const scree_problem *problem)
{
    if (!scaled_factor(&w->scaled, problem, w->A, w->B, w->rho)) return 0;
    double size = norm(w->n, w->F);
    scaled_solve(&w->scaled, w->F, w->d);
    block_matrix_apply(w->scaled.W, 0, w->d, w->Wd);
    double defect = linear_defect(w, problem);
    if (defect > 1e-10 * size && defect < size) {
        scaled_solve(&w->scaled, w->defect, w->trial);
        for (int i = 0; i < w->n; ++i) w->d[i] += w->trial[i];
        block_matrix_apply(w->scaled.W, 0, w->d, w->Wd);
        defect = linear_defect(w, problem);
    }
    return defect < 0.1 * size; /* no for NaN too */
}

/// One factorisation, and the maps and products of a step.
static double work_of_step(const newton *w)
{
    return scaled_factor_work(&w->scaled) + 5.0 * scaled_product_work(&w->scaled);
}

/// trial = x - t d; returns |F| there.
static double try_step(newton *w, const scree_problem *problem, double t)
{
    for (int i = 0; i < w->n; ++i) w->trial[i] = w->x[i] - t * w->d[i], w->Wt[i] = w->Wx[i] - t * w->Wd[i];
    return evaluate(w, problem, w->trial, w->Wt, 0);
}

/* ---- one proximal step ------------------------------------------------------------------------------------------------------ */

typedef enum ending { REACHED, FAILED, STOPPED, EXHAUSTED /* F is rounding */ } ending;

static void copy(newton *w, const double *from, double *to)
{
    memcpy(to, from, (size_t)w->n * sizeof *to);
}

static int stop(newton *w, double *p, monitor *m)
{
    for (int i = 0; i < w->n; ++i)
        p[i] = w->scaled.D[i] * w->x[i], w->y[i] = (w->Wx[i] + w->scaled.q[i]) / w->scaled.D[i];
    return monitor_check_velocity(m, p, w->y);
}

static ending proximal_step(newton *w, const scree_problem *problem, double *p, monitor *m)
{
    double f = evaluate(w, problem, w->x, w->Wx, 1), best = f, size = norm(w->n, w->x);
    double goal = number_max(tuned.inner_tolerance * f, DBL_EPSILON * size);
    int waited = 0, at_best = 1;
    copy(w, w->x, w->best);
    for (int k = 0;; ++k) {
        if (stop(w, p, m)) return STOPPED;
        if (k == 0 && f <= DBL_EPSILON * size) return EXHAUSTED;
        if (k > 0 && f <= goal) return REACHED;
        if (k == tuned.inner_limit || !direction(w, problem)) return FAILED;
        m->iterations += 1, m->work += work_of_step(w);
        double next = try_step(w, problem, 1.0), t = 1.0;
        if (!(next < 0.999 * best) && ++waited > w->patience) { /* back to the best point, and a line search there */
            if (!at_best) {
                copy(w, w->best, w->x);
                block_matrix_apply(w->scaled.W, 0, w->x, w->Wx);
                evaluate(w, problem, w->x, w->Wx, 1);
                if (!direction(w, problem)) return FAILED;
                m->iterations += 1, m->work += work_of_step(w);
            }
            next = try_step(w, problem, t);
            for (int h = 0; h < tuned.halvings && !(next * next <= best * best * (1.0 - 2e-4 * t)); ++h)
                next = try_step(w, problem, t *= 0.5);
            if (!(next < best)) return FAILED;
        }
        at_best = next < 0.999 * best || t < 1.0;
        copy(w, w->trial, w->x);
        copy(w, w->Wt, w->Wx);
        if (at_best) best = next, waited = 0, copy(w, w->x, w->best);
        if (k % 8 == 7) block_matrix_apply(w->scaled.W, 0, w->x, w->Wx); /* recomputed: rounding does not accumulate */
        f = evaluate(w, problem, w->x, w->Wx, 1);
    }
}

static void start_by_sweeps(newton *w, const scree_problem *problem, double *p)
{
    const sweep_how how = {.relaxation = 1.0};
    local_begin(&w->local, problem, NULL);
    sweep_begin(&w->sweep, problem, p);
    for (int k = 0; k < tuned.sweeps; ++k) sweep_all(&w->sweep, problem, &w->local, &how, NULL, p);
}

static void start(scree_solver *s, const scree_problem *problem, double rho, double *p, monitor *m)
{
    newton *w = s->work;
    if (!s->swept || !(m->residual <= tuned.near)) {
        start_by_sweeps(w, problem, p);
        m->work += tuned.sweeps * work_of_sweep(problem, 0);
    }
    scaled_prepare(&w->scaled, problem, s->original);
    for (int i = 0; i < w->n; ++i) w->x[i] = p[i] / w->scaled.D[i];
    copy(w, w->x, w->x_k);
    w->rho = rho, w->failures = w->variant = w->inside = 0;
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    newton *w = s->work;
    if (!s->resumes && monitor_check(m, p)) return;
    double first = s->options.penalty > 0.0 ? s->options.penalty : tuned.rho,
           least = number_min(first, tuned.rho_least);
    if (!s->resumes) start(s, problem, first, p, m);
    while (w->failures < tuned.failures) {
        w->step = tuned.step[w->variant], w->patience = tuned.patience[w->variant];
        if (!w->inside) copy(w, w->x_k, w->x);
        block_matrix_apply(w->scaled.W, 0, w->x, w->Wx);
        ending end = proximal_step(w, problem, p, m);
        w->inside = end == STOPPED;
        if (end == STOPPED) return;
        if (end == EXHAUSTED) break;
        if (end == REACHED) {
            copy(w, w->x, w->x_k);
            w->rho = number_max(w->rho * tuned.fall, least);
            w->failures = 0;
        } else {
            w->rho = number_min(w->rho * tuned.rise, tuned.rho_most);
            w->variant = (w->variant + 1) % VARIANTS;
            w->failures += 1;
        }
        if (m->iterations - m->best_iterations > tuned.stall) break;
    }
    m->outcome = SCREE_OUTCOME_STALLED;
}

static double factor_work(const scree_solver *s)
{
    const newton *w = s->work;
    return scaled_factor_work(&w->scaled);
}

const scree_solver_class solver_newton = {
    .name = "newton",
    .summary = "proximal semismooth Newton on all contacts at once; both laws, bounded rows; 1e-8 to 1e-12 on rigid "
               "stacks, up to about a thousand contacts",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 0,
    .default_iterations = 1000,
    .create = create,
    .solve = solve,
    .destroy = destroy,
    .factor_work = factor_work,
};
