/* anderson.c: Anderson acceleration, type II, of the sweeps of nsgs.                        Anderson 1965; Walker & Ni 2011
 *
 *     g = G(p): one sweep of nsgs from p,   f = g - p
 *     c = argmin |f - dF c|^2 + tiny |c|^2      dF, dG: the last `memory` differences of f and of g
 *     p <- proj_K(g - dG c)
 *
 * The norm is that of E^-1 (vector.h), so that the least squares see neither masses nor lengths.
 * Safeguard: an extrapolated p whose |f| is not the least so far is given up: p <- the plain g of the step before, and the
 * differences are forgotten. So a bad extrapolation costs one sweep, and at worst every second sweep is a plain one.
 *
 * Departs from the papers: the least squares are regularised, the extrapolated point is projected. With check_every > 1 G is
 * that many sweeps. nsgs is the class of the registry, called with this
 * method's monitor: its residuals, trace and limits are this method's own. Options: memory, and those of nsgs. */
#include "solvers/solver.h"

#include "solvers/vector.h"

enum { MEMORY_MAX = 20 };

typedef struct anderson {
    scree_solver *nsgs;
    metric metric;
    int memory;      /* columns of dF and dG                          */
    double *f, *g;   /* (row_count) of this step                      */
    double *f_old;   /* (row_count) of the step before                */
    double *g_old;   /* (row_count)                                   */
    double *dF, *dG; /* (memory x row_count) a row per difference     */
    double *zero;    /* (row_count)                                   */
} anderson;

static void destroy(scree_solver *s)
{
    anderson *w = s->work;
    if (!w) return;
    double *arrays[] = {w->f, w->g, w->f_old, w->g_old, w->dF, w->dG, w->zero};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) memory_free(&s->allocator, arrays[i]);
    metric_destroy(&w->metric, &s->allocator);
    scree_solver_destroy(w->nsgs);
    memory_free(&s->allocator, w);
}

static scree_status create(scree_solver *s, const scree_problem *problem, scree_error *error)
{
    anderson *w = s->work = memory_array(&s->allocator, 1, sizeof *w);
    if (!w) return SCREE_ERR_MEMORY;
    w->memory = s->options.memory < 1 ? 1 : s->options.memory > MEMORY_MAX ? MEMORY_MAX : s->options.memory;
    size_t n = (size_t)problem->row_count, rows = (size_t)w->memory * n;
    double **arrays[] = {&w->f, &w->g, &w->f_old, &w->g_old, &w->zero, &w->dF, &w->dG};
    for (int i = 0; i < 7; ++i) {
        *arrays[i] = memory_array(&s->allocator, (i < 5 ? n : rows) + 1, sizeof **arrays[i]);
        if (!*arrays[i]) return SCREE_ERR_MEMORY;
    }
    scree_status status = metric_create(problem, &s->allocator, &w->metric);
    scree_solver_options options = s->options;
    options.name = "nsgs";
    if (!(options.check_every > 0)) options.check_every = 1;
    return status == SCREE_OK ? scree_solver_create(problem, &options, &s->allocator, &w->nsgs, error) : status;
}

/// g <- G(g). Returns 1 when the monitor says stop.
static int sweeps(const anderson *w, const scree_problem *problem, double *g, monitor *m)
{
    int last = m->max_iterations, count = w->nsgs->options.check_every;
    m->max_iterations = last - m->iterations > count ? m->iterations + count : last;
    w->nsgs->class_->solve(w->nsgs, problem, g, m);
    m->max_iterations = last;
    return m->outcome != SCREE_MAX_ITERATIONS || m->iterations >= last;
}

/// dF, dG (slot) = what f and g have changed by.
static void remember(const anderson *w, int slot, int n)
{
    double *dF = w->dF + (size_t)slot * (size_t)n, *dG = w->dG + (size_t)slot * (size_t)n;
    for (int i = 0; i < n; ++i) dF[i] = w->f[i] - w->f_old[i], dG[i] = w->g[i] - w->g_old[i];
}

/// c = argmin |f - dF c|^2 + tiny |c|^2 over `count` differences, by the normal equations; then g <- g - dG c.
static void extrapolate(const anderson *w, int n, int count)
{
    double A[MEMORY_MAX * MEMORY_MAX], c[MEMORY_MAX], trace = 0.0;
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j <= i; ++j)
            A[i * count + j] = A[j * count + i] = dot(n, w->dF + (size_t)i * (size_t)n, w->dF + (size_t)j * (size_t)n);
        c[i] = dot(n, w->dF + (size_t)i * (size_t)n, w->f);
        trace += A[i * count + i];
    }
    for (int i = 0; i < count; ++i) A[i * count + i] += 1e-10 * trace;
    if (!cholesky_factor(count, count, A, 0.0, A)) return; /* f has not changed: nothing to learn */
    cholesky_solve(count, count, A, c, c);
    for (int j = 0; j < count; ++j)
        for (int i = 0; i < n; ++i) w->g[i] -= c[j] * w->dG[(size_t)j * (size_t)n + (size_t)i];
}

static void solve(scree_solver *s, const scree_problem *problem, double *p, monitor *m)
{
    anderson *w = s->work;
    int n = problem->row_count, steps = 0; /* since the last plain one */
    double least = (double)INFINITY;       /* |f| so far               */
    metric_set(&w->metric, problem, 0);
    const double *e = w->metric.e;

    for (;;) {
        memcpy(w->g, p, (size_t)n * sizeof *p);
        if (sweeps(w, problem, w->g, m)) return;
        for (int i = 0; i < n; ++i) w->g[i] /= e[i], w->f[i] = w->g[i] - p[i] / e[i];

        double size = norm(n, w->f);
        if (steps > 1 && size > least) { /* back to the plain step */
            for (int i = 0; i < n; ++i) p[i] = e[i] * w->g_old[i];
            steps = 0;
            continue;
        }
        least = fmin(least, size);
        if (steps > 0) remember(w, (steps - 1) % w->memory, n);
        memcpy(w->f_old, w->f, (size_t)n * sizeof *p);
        memcpy(w->g_old, w->g, (size_t)n * sizeof *p);

        extrapolate(w, n, steps < w->memory ? steps : w->memory); /* g <- g - dG c */
        metric_project_step(&w->metric, problem, w->g, 0.0, w->zero, w->g);
        for (int i = 0; i < n; ++i) p[i] = e[i] * w->g[i];
        steps += 1;
    }
}

const scree_solver_class solver_anderson = {
    .name = "anderson",
    .summary = "Anderson acceleration of nsgs; both laws, bounded rows; a few times fewer sweeps at tight tolerances",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .default_iterations = 100000,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
