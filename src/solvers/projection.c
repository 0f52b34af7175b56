/* projection.c: fixed point and extragradient: step against the velocity, project on the cones, all contacts at once.
 *
 *   fixed_point    p <- proj_K(p - s yhat(p))                                                       [AB] section 5.1, eq. 64
 *   extragradient  z <- proj_K(p - s yhat(p)),   p <- proj_K(p - s yhat(z))                         [AB] section 5.1, eq. 65
 *
 * Step, which [AB] leave to the literature: with r = s |F(p) - F(z)| / |p - z|, s is shortened by 2/3 until r <= 0.9 and
 * lengthened by 3/2 for the next iteration if r < 0.3 (Khobotov; Acary, Bremond & Huber 2018).
 *
 * Departs from [AB]: the loads are scaled contact by contact (vector.h), so that s is a number near 1/lmax of the scaled W and
 * fits all masses. With options.step > 0 they are not scaled, and s starts there [kg]: the methods as printed.
 *
 * One product by W per iteration (extragradient: two), and one more for each time the step is shortened.
 * Slow: linear with a rate of the condition of W. Extragradient converges whenever p -> yhat(p) is monotone, as it is in the
 * convex law; the fixed point may cycle. Their use is as yardsticks, and as safe last steps. */
#include "solvers/vector.h"

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    (void)error;
    return iterates_create(s, problem, 2);
}

/// z = proj(x - s F(x)), F(z), and s shortened until s |F(x) - F(z)| <= 0.9 |x - z|. Returns that ratio.
static double predict(const metric *E, const scree_problem *problem, const iterate *x, double *s, iterate *z)
{
    const double shorten = 2.0 / 3.0, too_long = 0.9;
    for (;;) {
        metric_project_step(E, problem, x->x, *s, x->F, z->x);
        iterate_evaluate(E, problem, z);
        double moved = distance(problem->row_count, x->x, z->x);
        double ratio = moved > 0.0 ? *s * distance(problem->row_count, x->F, z->F) / moved : 0.0;
        if (!(ratio > too_long)) return ratio;
        *s *= shorten;
    }
}

/// From x and the prediction z to the next x.
typedef void (*advance_fn)(const metric *E, const scree_problem *problem, double step, iterate *x, iterate *z);

/// [AB] eq. 64: the prediction is the next point.
static void advance_fixed_point(const metric *E, const scree_problem *problem, double step, iterate *x, iterate *z)
{
    (void)E, (void)problem, (void)step;
    iterate_swap(x, z);
}

/// [AB] eq. 65: the step from the old point along the velocity of the prediction.
static void advance_extragradient(const metric *E, const scree_problem *problem, double step, iterate *x, iterate *z)
{
    metric_project_step(E, problem, x->x, step, z->F, x->x);
    iterate_evaluate(E, problem, x);
}

static void iterate_until_done(scree_solver *s, const scree_problem *problem, double *p, monitor *m, advance_fn advance)
{
    const double lengthen = 3.0 / 2.0, too_short = 0.3;
    iterates *w = s->work;
    iterate *x = &w->point[0], *z = &w->point[1];
    int check_every = s->options.check_every > 0 ? s->options.check_every : 10;
    double step = s->options.step > 0.0 ? s->options.step : 1.0;
    metric_set(&w->metric, problem, s->options.step > 0.0);
    iterate_start(&w->metric, problem, p, x);

    while (!monitor_check_velocity(m, x->p, x->y))
        for (int k = 0; k < check_every && m->iterations < m->max_iterations; ++k) {
            m->iterations += 1;
            double ratio = predict(&w->metric, problem, x, &step, z);
            advance(&w->metric, problem, step, x, z);
            if (ratio > 0.0 && ratio < too_short) step *= lengthen; /* 0: x has not moved */
        }
}

static void solve_fixed_point(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    iterate_until_done(s, problem, p, m, advance_fixed_point);
}

static void solve_extragradient(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    iterate_until_done(s, problem, p, m, advance_extragradient);
}

const scree_solver_class solver_fixed_point = {
    .name = "fixed_point",
    .summary = "projected fixed point on all contacts at once; both laws, bounded rows; a yardstick, slow",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .default_iterations = 200000,
    .create = create,
    .solve = solve_fixed_point,
    .destroy = iterates_destroy,
};

const scree_solver_class solver_extragradient = {
    .name = "extragradient",
    .summary = "projected fixed point with a predicted velocity; both laws, bounded rows; surer than fixed_point, "
               "twice the cost",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .default_iterations = 200000,
    .create = create,
    .solve = solve_extragradient,
    .destroy = iterates_destroy,
};
