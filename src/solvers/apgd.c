/* apgd.c: accelerated projected gradient: Nesterov's momentum, the step found by backtracking, restarts.
 *
 *     convex law:   min over x in K of  f(x) = 1/2 x'Wx + q'x,   gradient F(x) = W x + q
 *     Coulomb law:  F(x) = yhat(W x + q), which is no gradient: the shift of De Saxce is taken again at every iteration
 *
 *     x+ <- proj(z - s F(z))                     s halved until (x+ - z)'W(x+ - z) <= |x+ - z|^2/s
 *     b  <- theta (1 - theta)/(theta^2 + theta+),   theta+^2 = (1 - theta+) theta^2
 *     z  <- x+ + b (x+ - x)                                        Nesterov 1983; Mazhar, Heyn, Negrut & Tasora 2015, alg. 1
 *
 * Departures: the loads are scaled contact by contact (vector.h); the backtracking test is written with W (f is quadratic), so it
 * costs no value of f; W z follows from W x+ and W x by linearity: one product by W per iteration, one more per halving.
 * Restart (theta = 1, b = 0) when F(z).(x+ - x) > 0, the gradient test of O'Donoghue & Candes 2015. In the Coulomb law F is no
 * gradient, and momentum may circle for ever; there also when |x+ - x| has grown beyond a limit times its least value since the
 * last restart. The limit is 100, and falls by 0.3 whenever the residual has not improved for 500 iterations.
 * s is lengthened by 1/0.9 after every iteration, so that it follows the curvature of the active set.
 * With options.step > 0 the loads are not scaled, and s starts there [kg]. */
#include "solvers/vector.h"
#include "solvers/work.h"

#include <string.h>

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    (void)error;
    return iterates_create(s, problem, 3);
}

/// next = proj(z - s F(z)) with its velocity, s halved until (next - z)'W(next - z) <= |next - z|^2/s.
static void step_from(const metric *E, const scree_problem *problem, const iterate *z, double *s, iterate *next)
{
    for (int halvings = 0; halvings < 60; ++halvings) {
        double curvature = 0.0, size = 0.0;
        metric_project_step(E, problem, z->x, *s, z->F, next->x);
        iterate_velocity(E, problem, next);
        for (int i = 0; i < problem->row_count; ++i) {
            double d = next->x[i] - z->x[i];
            curvature += d * E->e[i] * (next->y[i] - z->y[i]), size += d * d;
        }
        if (!(*s * curvature > size)) return;
        *s *= 0.5;
    }
}

/// What the restarts go by.
typedef struct restarts {
    double least; /* |x+ - x| since the last restart                                  */
    double limit; /* growth of |x+ - x| over the least at which momentum is dropped    */
    int lowered;  /* iteration at which the limit was last lowered                     */
} restarts;

/// No better residual for 500 iterations: momentum is on a tighter leash from here on, in the end on none.
static void lose_patience(const monitor *m, restarts *r)
{
    const int patience = 500;
    int progress = m->best_iterations > r->lowered ? m->best_iterations : r->lowered;
    if (m->iterations - progress > patience) r->limit = number_max(1.0, 0.3 * r->limit), r->lowered = m->iterations;
}

/// Whether the step from x to next shows that momentum has gone too far.
static int gone_too_far(int n, const iterate *x, const iterate *z, const iterate *next, restarts *r)
{
    double moved = distance(n, next->x, x->x), uphill = 0.0;
    for (int i = 0; i < n; ++i) uphill += z->F[i] * (next->x[i] - x->x[i]);
    r->least = number_min(r->least, moved);
    return uphill > 0.0 || moved > r->limit * r->least;
}

/// z = next + b (next - x); y is affine in x, so it needs no product by W.
static void extrapolate(const metric *E, const scree_problem *problem, const iterate *x, const iterate *next, double b,
                        iterate *z)
{
    for (int i = 0; i < problem->row_count; ++i) {
        z->x[i] = next->x[i] + b * (next->x[i] - x->x[i]);
        z->y[i] = next->y[i] + b * (next->y[i] - x->y[i]);
    }
    iterate_law(E, problem, z);
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    const double lengthen = 1.0 / 0.9;
    iterates *w = s->work;
    const metric *E = &w->metric;
    iterate *x = &w->point[0], *z = &w->point[1], *next = &w->point[2]; /* x_k, z_k, x_k+1 */
    int check_every = s->options.check_every > 0 ? s->options.check_every : 10;
    double step = s->options.step > 0.0 ? s->options.step : 1.0, theta = 1.0;
    restarts r = {.least = (double)INFINITY, .limit = problem->law == SCREE_LAW_CONVEX ? (double)INFINITY : 100.0};
    const double cost = work_of_product(problem) + WORK_ROW * problem->row_count;
    metric_set(&w->metric, problem, s->options.step > 0.0);
    iterate_start(E, problem, p, x);
    iterate_start(E, problem, p, z);

    while (!monitor_check_velocity(m, x->p, x->y)) {
        lose_patience(m, &r);
        for (int k = 0; k < check_every && m->iterations < m->max_iterations; ++k) {
            m->iterations += 1, m->work += cost;
            step_from(E, problem, z, &step, next);
            double theta_next = 0.5 * theta * (sqrt(theta * theta + 4.0) - theta);
            double b = theta * (1.0 - theta) / (theta * theta + theta_next);
            theta = theta_next;
            if (gone_too_far(problem->row_count, x, z, next, &r)) b = 0.0, theta = 1.0, r.least = (double)INFINITY;
            extrapolate(E, problem, x, next, b, z);
            iterate_swap(x, next);
            step *= lengthen;
        }
    }
    memcpy(p, x->p, (size_t)problem->row_count * sizeof *p); /* where a slice of a portfolio begins again */
}

const scree_solver_class solver_apgd = {
    .name = "apgd",
    .summary =
        "accelerated projected gradient; both laws, bounded rows; good on the convex law and on large mass ratios",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .default_iterations = 200000,
    .create = create,
    .solve = solve,
    .destroy = iterates_destroy,
};
