/* ipm_shift.c: the Coulomb law as a fixed point on De Saxce's shift around the convex law.        docs/solvers/ipm_shift.md
 *
 *     G(s):  p, y = W p + q  the solution under the convex law with q_N + s instead of q_N  (ipm);
 *            G(s)_c = sum mu_k |v_k| at contact c, of that y
 *     s = G(s)  <=>  yhat = y + s in K*, p in K, p.yhat = 0: p solves the problem under the Coulomb law            [Cadoux 2009]
 *
 * From s = 0, so that the first solution is the answer wherever nothing slides; then Anderson mixing (mixing.h), the result clipped
 * at 0. Safeguard as in anderson.c: a mixed s whose |G(s) - s| is not the least so far is given up for the plain step before it. */
#include "solvers/solver_private.h"

#include "laws/maps.h"
#include "solvers/mixing.h"

#include <float.h>
#include <string.h>

enum { OUTER = 60 };

typedef struct shift_point {
    scree_solver *ipm;
    mixing mixing;
    scree_problem convex; /* the problem under the convex law: all of its arrays but q are borrowed */
    double *q;            /* (row_count) of it                                                      */
    double *y, *best_p;   /* (row_count) of the monitor inside                                       */
    double *s, *f, *g;    /* (contact_count) shift, G(s) - s, G(s)                                  */
} shift_point;

static void destroy(scree_solver *s)
{
    shift_point *w = s->work;
    if (!w) return;
    scree_solver_destroy(w->ipm);
    mixing_destroy(&w->mixing, &s->allocator);
    MEMORY_FREE_ALL(&s->allocator, w->q, w->y, w->best_p, w->s, w->f, w->g, w);
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    const scree_allocator *a = &s->allocator;
    shift_point *w = s->work = memory_array(a, 1, sizeof *w);
    if (!w) return SCREE_ERR_MEMORY;
    size_t rows = (size_t)problem->row_count + 1, contacts = (size_t)problem->contact_count + 1;
    if (!MEMORY_VECTORS(a, rows, &w->q, &w->y, &w->best_p) || !MEMORY_VECTORS(a, contacts, &w->s, &w->f, &w->g))
        return SCREE_ERR_MEMORY;
    scree_status status = mixing_create(problem->contact_count, s->options.memory, a, &w->mixing);
    if (status != SCREE_OK) return status;
    scree_solver_options options = s->options;
    options.name = "ipm", options.trace = NULL;
    w->convex = *problem;
    w->convex.law = SCREE_LAW_CONVEX, w->convex.q = w->q;
    return solver_create_in(NULL, &w->convex, &options, a, &w->ipm, error);
}

/// p and y under the convex law with the shift s. Returns the steps that it took.
static int solve_shifted(shift_point *w, const scree_problem *problem, const monitor *m, double *p)
{
    monitor inner = {.problem = &w->convex,
                     .options = &w->ipm->options,
                     .tolerance = number_max(0.1 * m->tolerance, 1e-14),
                     .best = (double)INFINITY,
                     .started = m->started,
                     .deadline = m->deadline,
                     .y = w->y,
                     .best_p = w->best_p,
                     .product = w->ipm->product};
    size_t n = (size_t)problem->row_count;
    w->convex = *problem;
    w->convex.law = SCREE_LAW_CONVEX, w->convex.q = w->q;
    memcpy(w->q, problem->q, n * sizeof *w->q);
    for (int c = 0; c < problem->contact_count; ++c) w->q[problem->offset[c]] += w->s[c];
    memset(p, 0, n * sizeof *p);
    memcpy(w->best_p, p, n * sizeof *p);
    solver_run(w->ipm, &w->convex, p, &inner);
    memcpy(p, w->best_p, n * sizeof *p);
    return inner.iterations;
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    shift_point *w = s->work;
    int n = problem->contact_count;
    double least = (double)INFINITY; /* |G(s) - s| so far */
    if (monitor_check(m, p)) return;
    memset(w->s, 0, (size_t)n * sizeof *w->s);
    mixing_begin(&w->mixing);

    for (int outer = 0; outer < OUTER; ++outer) {
        m->iterations += solve_shifted(w, problem, m, p);
        if (monitor_check(m, p)) return;
        for (int c = 0; c < n; ++c) {
            w->g[c] = slip_speed(&problem->cone[c], m->y + problem->offset[c]);
            w->f[c] = w->g[c] - w->s[c];
        }
        double size = norm(n, w->f);
        if (!(size <= DBL_MAX)) break;
        if (w->mixing.steps > 1 && size > least) mixing_back(&w->mixing, w->g);
        else {
            least = number_min(least, size);
            mixing_step(&w->mixing, w->f, w->g);
        }
        for (int c = 0; c < n; ++c) w->s[c] = number_max(w->g[c], 0.0);
    }
    m->outcome = SCREE_OUTCOME_STALLED;
}

const scree_solver_class solver_ipm_shift = {
    .name = "ipm_shift",
    .summary = "convex interior points, Anderson-mixed fixed point on the shift; Coulomb law; the twin of ipm",
    .laws = LAW_COULOMB,
    .takes_bounds = 1,
    .matrix_free = 1,
    .default_iterations = 2000,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
