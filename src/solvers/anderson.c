/* anderson.c: Anderson acceleration, type II, of the sweeps of nsgs.                        Anderson 1965; Walker & Ni 2011
 *
 *     g = G(p): one sweep of nsgs from p,   f = g - p
 *     p <- proj_K(g - dG c)                     mixing.h
 *
 * The norm is that of E^-1 (vector.h), so that the least squares see neither masses nor lengths.
 * Safeguard: an extrapolated p whose |f| is not the least so far is given up: p <- the plain g of the step before, and the
 * differences are forgotten. So a bad extrapolation costs one sweep, and at worst every second sweep is a plain one.
 *
 * Departs from the papers: the extrapolated point is projected. With check_every > 1 G is that many sweeps. nsgs is the class of the
 * registry, called with this method's monitor: its residuals, trace and limits are this method's own. Options: memory, and those of nsgs. */
#include "solvers/solver_private.h"

#include "solvers/mixing.h"
#include "solvers/vector.h"

typedef struct anderson {
    scree_solver *nsgs;
    metric metric;
    mixing mixing;
    double *f, *g; /* (row_count) of this step */
    double *zero;  /* (row_count)              */
} anderson;

static void destroy(scree_solver *s)
{
    anderson *w = s->work;
    if (!w) return;
    MEMORY_FREE_ALL(&s->allocator, w->f, w->g, w->zero);
    mixing_destroy(&w->mixing, &s->allocator);
    metric_destroy(&w->metric, &s->allocator);
    scree_solver_destroy(w->nsgs);
    memory_free(&s->allocator, w);
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    anderson *w = s->work = memory_array(&s->allocator, 1, sizeof *w);
    if (!w) return SCREE_ERR_MEMORY;
    size_t n = (size_t)problem->row_count + 1;
    w->f = memory_array(&s->allocator, n, sizeof *w->f);
    w->g = memory_array(&s->allocator, n, sizeof *w->g);
    w->zero = memory_array(&s->allocator, n, sizeof *w->zero);
    if (!w->f || !w->g || !w->zero) return SCREE_ERR_MEMORY;
    scree_status status = mixing_create(problem->row_count, s->options.memory, &s->allocator, &w->mixing);
    if (status == SCREE_OK) status = metric_create(problem, &s->allocator, &w->metric);
    scree_solver_options options = s->options;
    options.name = "nsgs";
    if (!(options.check_every > 0)) options.check_every = 1;
    return status == SCREE_OK ? solver_create_in(NULL, problem, &options, &s->allocator, &w->nsgs, error) : status;
}

/// g <- G(g). Returns 1 when the monitor says stop.
static int sweeps(const anderson *w, scree_problem *problem, double *g, monitor *m)
{
    int last = m->max_iterations, count = w->nsgs->options.check_every;
    m->max_iterations = last - m->iterations > count ? m->iterations + count : last;
    w->nsgs->class_->solve(w->nsgs, problem, g, m);
    m->max_iterations = last;
    return m->outcome != SCREE_OUTCOME_MAX_ITERATIONS || m->iterations >= last;
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    anderson *w = s->work;
    int n = problem->row_count;
    double least = (double)INFINITY; /* |f| so far */
    metric_set(&w->metric, problem, 0);
    mixing_begin(&w->mixing);
    const double *e = w->metric.e;

    for (;;) {
        memcpy(w->g, p, (size_t)n * sizeof *p);
        if (sweeps(w, problem, w->g, m)) return;
        for (int i = 0; i < n; ++i) w->g[i] /= e[i], w->f[i] = w->g[i] - p[i] / e[i];

        double size = norm(n, w->f);
        if (w->mixing.steps > 1 && size > least) { /* back to the plain step */
            mixing_back(&w->mixing, w->g);
            for (int i = 0; i < n; ++i) p[i] = e[i] * w->g[i];
            continue;
        }
        least = number_min(least, size);
        mixing_step(&w->mixing, w->f, w->g); /* g <- g - dG c */
        metric_project_step(&w->metric, problem, w->g, 0.0, w->zero, w->g);
        for (int i = 0; i < n; ++i) p[i] = e[i] * w->g[i];
    }
}

const scree_solver_class solver_anderson = {
    .name = "anderson",
    .summary = "Anderson acceleration of nsgs; both laws, bounded rows; a few times fewer sweeps at tight tolerances",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .sweeps = 1,
    .default_iterations = 100000,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
