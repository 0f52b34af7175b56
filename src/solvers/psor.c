/* psor.c: projected Gauss-Seidel: one contact after the other, one projected step each instead of a solution.      [TA] eq. 46
 *
 *     p_c <- lambda proj_K(p_c - omega s_c yhat_c) + (1 - lambda) p_c,      yhat_c at the loads of the moment,     next c
 *     s_c = 1/lmax(W_cc);    convex law: y_c instead of yhat_c
 *
 * The relaxation option w is omega = w where w > 1 (over-relaxed, inside the projection) and lambda = w where w <= 1 (damped):
 * both keep p in K. K^r of [TA] is the strictly lower triangle of W (Gauss-Seidel).
 *
 * Departures: [TA] take s from the trace and one value per contact; here rotations are measured in the contact's own length
 * (vector.h), in which the step is 1/lmax of the scaled W_cc, and the projection on the six-component cone stays exact.
 * The Coulomb law is taken too, with De Saxce's shift at the velocity of the moment; [TA] have the convex law only.
 * Through the bodies the velocities of the bodies are kept up to date (sweep.h). A visit costs a third of one of nsgs. */
#include "solvers/solver_private.h"

#include "solvers/sweep.h"
#include "solvers/vector.h"

typedef struct psor {
    sweep sweep;
    metric metric;
    double *step; /* (block_count) 1/lmax of the scaled W_cc */
} psor;

static void destroy(scree_solver *s)
{
    psor *w = s->work;
    if (!w) return;
    sweep_destroy(&w->sweep, &s->allocator);
    metric_destroy(&w->metric, &s->allocator);
    memory_free(&s->allocator, w->step);
    memory_free(&s->allocator, w);
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    (void)error;
    psor *w = s->work = memory_array(&s->allocator, 1, sizeof *w);
    if (!w) return SCREE_ERR_MEMORY;
    w->step = memory_array(&s->allocator, (size_t)problem->block_count + 1, sizeof *w->step);
    scree_status status = w->step ? metric_create(problem, &s->allocator, &w->metric) : SCREE_ERR_MEMORY;
    return status == SCREE_OK ? sweep_create(problem, 0, &s->allocator, &w->sweep) : status;
}

/// Largest eigenvalue of the block A_ij = e_i W_ij e_j, from below to 1 %, by the power method: x of 12 products.
static double scaled_lambda_max(int n, const double *W, const double *e)
{
    double x[SCREE_DIM_MAX], y[SCREE_DIM_MAX], lambda = 0.0;
    for (int i = 0; i < n; ++i) x[i] = 1.0 + 0.1 * i;
    for (int k = 0; k < 12; ++k) {
        double length = norm(n, x);
        if (!(length > 0.0)) return 0.0;
        for (int i = 0; i < n; ++i) x[i] *= e[i] / length;
        matvec_add(n, W, x, NULL, y);
        lambda = dot(n, x, y);
        for (int i = 0; i < n; ++i) x[i] = e[i] * y[i];
    }
    return lambda;
}

static void prepare(psor *w, const scree_problem *problem)
{
    metric_set(&w->metric, problem, 0);
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], n = problem->offset[b + 1] - at;
        double lambda = scaled_lambda_max(n, problem->diagonal + problem->diagonal_at[b], w->metric.e + at);
        w->step[b] = lambda > 0.0 ? 1.0 / lambda : 0.0; /* a block without mobility keeps its load */
    }
}

/// x = proj(x - step F) of one block, in scaled loads.
static void project_block(const metric *E, const scree_problem *problem, int b, double *x)
{
    if (b < problem->contact_count) {
        cone_project(&E->cone[b], x, x);
        return;
    }
    double S = E->bound[b - problem->contact_count];
    x[0] = number_min(number_max(x[0], -S), S);
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    psor *w = s->work;
    int check_every = s->options.check_every > 0 ? s->options.check_every : 10;
    double omega = number_max(s->options.relaxation, 1.0), lambda = number_min(s->options.relaxation, 1.0);
    prepare(w, problem);

    while (!monitor_check(m, p)) {
        sweep_begin(&w->sweep, problem, p); /* velocities recomputed from p: rounding does not accumulate */
        for (int k = 0; k < check_every && m->iterations < m->max_iterations; ++k) {
            m->iterations += 1;
            for (int b = 0; b < problem->block_count; ++b) {
                int at = problem->offset[b], n = problem->offset[b + 1] - at;
                const double *e = w->metric.e + at;
                double *p_b = p + at, y[SCREE_DIM_MAX], x[SCREE_DIM_MAX];
                sweep_velocity(&w->sweep, problem, b, p, y);
                if (problem->law == SCREE_LAW_COULOMB && b < problem->contact_count)
                    y[0] += slip_speed(&problem->cone[b], y);
                for (int i = 0; i < n; ++i) x[i] = p_b[i] / e[i] - omega * w->step[b] * e[i] * y[i];
                project_block(&w->metric, problem, b, x);
                for (int i = 0; i < n; ++i) {
                    x[i] = lambda * (e[i] * x[i] - p_b[i]); /* the change of the load */
                    p_b[i] += x[i];
                }
                sweep_update(&w->sweep, problem, b, x);
            }
        }
    }
}

const scree_solver_class solver_psor = {
    .name = "psor",
    .summary =
        "projected Gauss-Seidel, one projected step per contact; both laws, bounded rows; cheap sweeps, rough answers",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .sweeps = 1,
    .default_iterations = 100000,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
