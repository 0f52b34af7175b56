/* bb.c: spectral projected gradient: Barzilai-Borwein steps with a nonmonotone line search.
 *
 *     convex law:   min over x in K of  f(x) = 1/2 x'Wx + q'x,   gradient F(x) = W x + q
 *     Coulomb law:  F(x) = yhat(W x + q): the shift of De Saxce is taken again at every iteration, and f is that of the shift
 *
 *     d <- proj(x - a F(x)) - x
 *     t <- 1 if f(x + d) <= max of the last M values of f + 1e-4 F.d, else the minimum of f on [0, 1]
 *     x <- x + t d,     a <- d.d/d'Wd and d'Wd/|Wd|^2 in turn      Birgin, Martinez & Raydan 2000, algorithm SPG2; Barzilai & Borwein 1988
 *
 * Departures: the loads are scaled contact by contact (vector.h). The two steps of Barzilai and Borwein alternate (Dai & Fletcher
 * 2005), which on stored problems takes half the iterations of the first alone. f is quadratic, so f(x + t d) - f(x) = t F.d + t^2/2 d'Wd is
 * known for all t from one product W d: the line search costs nothing, and its second trial is the exact minimum. The
 * differences are summed up instead of f itself, which in the Coulomb law changes with the shift.
 * With options.step > 0 the loads are not scaled, and a starts there [kg]. */
#include "solvers/vector.h"

enum { VALUES = 10 }; /* M: values of f that the line search remembers */

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    (void)error;
    return iterates_create(s, problem, 2);
}

typedef struct line {
    double slope, curvature, size, bend; /* F.d, d'Wd, d.d, |E W E d|^2 */
} line;

/// d = proj(x - a F) - x, W d, and f along d.
static line find_direction(const metric *E, const scree_problem *problem, const iterate *x, double a, iterate *d)
{
    line f = {0};
    metric_project_step(E, problem, x->x, a, x->F, d->x);
    for (int i = 0; i < problem->row_count; ++i) {
        d->x[i] -= x->x[i];
        d->p[i] = E->e[i] * d->x[i];
    }
    problem_apply(problem, d->p, d->y, E->product);
    for (int i = 0; i < problem->row_count; ++i) {
        f.slope += x->F[i] * d->x[i], f.curvature += d->p[i] * d->y[i], f.size += d->x[i] * d->x[i];
        f.bend += d->y[i] * d->y[i] * E->e[i] * E->e[i];
    }
    return f;
}

static double largest(const double *value)
{
    double v = value[0];
    for (int i = 1; i < VALUES; ++i) v = number_max(v, value[i]);
    return v;
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    const double a_min = 1e-10, a_max = 1e10;
    iterates *w = s->work;
    const metric *E = &w->metric;
    iterate *x = &w->point[0], *d = &w->point[1]; /* d->x the direction, d->y = W d (no q) */
    int n = problem->row_count, check_every = s->options.check_every > 0 ? s->options.check_every : 10;
    double a = s->options.step > 0.0 ? s->options.step : 1.0, now = 0.0, value[VALUES];
    metric_set(&w->metric, problem, s->options.step > 0.0);
    iterate_start(E, problem, p, x);
    for (int i = 0; i < VALUES; ++i) value[i] = -(double)INFINITY;
    value[0] = now;

    while (!monitor_check_velocity(m, x->p, x->y)) {
        for (int k = 0; k < check_every && m->iterations < m->max_iterations; ++k) {
            m->iterations += 1;
            line f = find_direction(E, problem, x, a, d);
            double t = 1.0;
            if (f.slope < 0.0 && now + f.slope + 0.5 * f.curvature > largest(value) + 1e-4 * f.slope)
                t = number_min(1.0, -f.slope / f.curvature); /* slope >= 0 is rounding: then x + d, which is in K */
            for (int i = 0; i < n; ++i) {
                x->x[i] += t * d->x[i];
                x->y[i] += t * d->y[i];
            }
            iterate_law(E, problem, x);
            now += t * f.slope + 0.5 * t * t * f.curvature;
            value[m->iterations % VALUES] = now;
            double long_step = f.size / f.curvature, short_step = f.curvature / f.bend;
            a = f.curvature > 0.0 ? number_min(number_max(m->iterations % 2 ? short_step : long_step, a_min), a_max)
                                  : a_max;
        }
        iterate_evaluate(E, problem, x); /* y recomputed from p: rounding does not accumulate */
    }
}

const scree_solver_class solver_bb = {
    .name = "bb",
    .summary = "spectral projected gradient; both laws, bounded rows; cheap iterations, good at loose tolerances",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .default_iterations = 200000,
    .create = create,
    .solve = solve,
    .destroy = iterates_destroy,
};
