/* path.c: the compliance path: from the solution of a softer problem to that of the given one.            docs/solvers/path.md
 *
 *     F(x, y) = 0  the law at every contact (Alart-Curnier),      y = W x + q + rho (x - x0),      rho = rho_1 e^-t,  t = 0 -> infinity
 *
 * in scaled variables (scaled.h), x0 the point it starts from. For large rho the answer is unique, and Newton finds it. From there the
 * curve of solutions is followed: between two events (a contact opens, closes, sticks or slides) the modes are fixed and the curve is
 * smooth, at an event one mode is flipped. t runs along the curve in the sense of the sign of
 *     det J,      J = A + B (W + rho 1),   A = dF/dx,  B = dF/dy,
 * so that folds, where t turns round, are no special case, and unstable modes, on which every iteration of sweeps or proximal steps
 * diverges, are passed: nothing is iterated but the corrector. Now and then, and at the end, a few proximal Newton steps (finish) try to
 * take the point to rho = 0. */
#include "solvers/path.h"

#include "math/dense.h"
#include "math/elementary.h"
#include "solvers/work.h"

#include <string.h>

typedef struct tuning {
    double near;                     /* a start with this residual is left as it is; else:                     */
    int sweeps;                      /* with momentum before the first point                                   */
    double rho, rho_least, rho_most; /* first; the end; of first ones tried                                    */
    double finish_every;             /* in factorisations                                                      */
    double finish_rho, finish_fall, finish_gain;
    int finish_steps, finish_rounds;
    double closer, patience; /* a point this much better than x0, and nothing better for so many factorisations: x0 */
    double flop_limit;       /* of a block factorisation; above: UMFPACK                                        */
} tuning;

static const tuning tuned = {.near = 0.03,
                             .sweeps = 5000,
                             .rho = 0.1,
                             .rho_least = 1e-9,
                             .rho_most = 100.0,
                             .finish_every = 40.0,
                             .finish_rho = 1e-4,
                             .finish_fall = 0.2,
                             .finish_gain = 0.7,
                             .finish_steps = 7,
                             .finish_rounds = 14,
                             .closer = 0.3,
                             .patience = 200.0,
                             .flop_limit = 2e9};

/* ---- memory --------------------------------------------------------------------------------------------------------------- */

static void destroy(scree_solver *s)
{
    path *w = s->work;
    if (!w) return;
    scaled_destroy(&w->scaled, &s->allocator);
    scree_solver_destroy(w->sweeps);
    MEMORY_FREE_ALL(&s->allocator, w->x0, w->x, w->y, w->z, w->dx, w->dy, w->x_n, w->y_n, w->z_n, w->F, w->d, w->Wd,
                    w->r, w->v, w->x_k, w->off, w->b, w->d_y, w->z_y, w->A, w->B, w->mode, w->mode_kept, w->mode_before,
                    w->T, w->krylov, w->capacity, w);
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    (void)error;
    const scree_allocator *a = &s->allocator;
    path *w = s->work = memory_array(a, 1, sizeof *w);
    if (!w) return SCREE_ERR_MEMORY;
    size_t blocks = (size_t)problem->block_count + 1, n = (size_t)problem->row_count + 1;
    w->n = problem->row_count;
    w->mode = memory_array(a, blocks, sizeof *w->mode);
    w->mode_kept = memory_array(a, blocks, sizeof *w->mode_kept);
    w->mode_before = memory_array(a, blocks, sizeof *w->mode_before);
    if (!w->mode || !w->mode_kept || !w->mode_before ||
        !MEMORY_VECTORS(a, problem->diagonal_at[blocks - 1] + 1, &w->A, &w->B) ||
        !MEMORY_VECTORS(a, n, &w->x0, &w->x, &w->y, &w->z, &w->dx, &w->dy, &w->x_n, &w->y_n, &w->z_n, &w->F, &w->d,
                        &w->Wd, &w->r, &w->v, &w->x_k, &w->off, &w->b, &w->d_y, &w->z_y) ||
        !MEMORY_VECTORS(a, COLUMNS * n, &w->T) || !MEMORY_VECTORS(a, (KRYLOV + 1) * n, &w->krylov) ||
        !MEMORY_VECTORS(a, COLUMNS * COLUMNS, &w->capacity))
        return SCREE_ERR_MEMORY;
    return scaled_create(problem, s->original, tuned.flop_limit, a, &w->scaled);
}

/* ---- the start, and the finish ---------------------------------------------------------------------------------------------- */

/// The residual of x, by the monitor. 1: it says stop.
static int check(path *w, const double *x, double *p, monitor *m)
{
    block_matrix_apply(w->scaled.W, 0, x, w->Wd);
    for (int i = 0; i < w->n; ++i) {
        p[i] = w->scaled.D[i] * x[i];
        w->Wd[i] = (w->Wd[i] + w->scaled.q[i]) / w->scaled.D[i];
    }
    m->work += scaled_product_work(&w->scaled);
    return monitor_check_velocity(m, p, w->Wd);
}

/// Proximal Newton steps from the point of the path, with a falling weight, as long as they gain. 1: the monitor says stop.
static int finish(path *w, const scree_problem *problem, double *p, monitor *m)
{
    size_t bytes = (size_t)w->n * sizeof *w->x;
    double rho = number_min(tuned.finish_rho, path_rho(w, w->t)), last = (double)INFINITY;
    int stop = 0;
    memcpy(w->mode_kept, w->mode, (size_t)problem->block_count);
    memcpy(w->x_k, w->x, bytes);
    for (int k = 0; k < tuned.finish_rounds && !stop; ++k, rho *= tuned.finish_fall) {
        memcpy(w->x_n, w->x_k, bytes);
        path_velocity(w, w->x_n, rho, w->x_k, w->y_n);
        path_take_modes(w, problem, 1, w->x_n, w->y_n);
        double off = path_imbalance(w, w->x_n, w->y_n, rho, w->x_k, w->off);
        memcpy(w->x_n, w->x_k, bytes);
        if (!path_newton(w, problem, rho, w->x_k, tuned.finish_steps, number_max(1e-4 * off, 3e-15 * w->size), w->x_n,
                         w->y_n, m))
            break;
        stop = check(w, w->x_n, p, m);
        if (!(m->residual <= tuned.finish_gain * last)) break;
        last = m->residual;
        memcpy(w->x_k, w->x_n, bytes);
    }
    memcpy(w->mode, w->mode_kept, (size_t)problem->block_count);
    w->stale = 1, w->until_finish = tuned.finish_every * scaled_factor_work(&w->scaled);
    return stop;
}

/// The point at rho_1, where the curve begins. 0: Newton does not find it.
static int start(scree_solver *s, const scree_problem *problem, const double *p, monitor *m)
{
    path *w = s->work;
    scaled_prepare(&w->scaled, problem, s->original);
    for (int i = 0; i < w->n; ++i) w->x0[i] = p[i] / w->scaled.D[i];
    w->size = norm(w->n, w->x0);
    path_begin(w);
    w->began = w->lowest = m->best, w->waited = 0.0;
    w->until_finish = 0.0, w->random = 0x9E3779B97F4A7C15u;
    if (!(w->size > 0.0)) return 0;
    for (w->rho_1 = tuned.rho; w->rho_1 <= tuned.rho_most; w->rho_1 *= 3.0) {
        memcpy(w->x, w->x0, (size_t)w->n * sizeof *w->x);
        if (path_newton(w, problem, w->rho_1, w->x0, 60, 1e-13 * w->size, w->x, w->y, m)) {
            w->least = w->rho_1;
            return 1;
        }
    }
    return 0;
}

/// Far from any solution the curve is long: sweeps come first. 1: the monitor says stop.
static int start_by_sweeps(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    path *w = s->work;
    scree_solver_options options = s->options;
    options.name = "momentum";
    if (!w->sweeps && solver_create_in(s->pool, problem, &options, &s->allocator, &w->sweeps, NULL) != SCREE_OK)
        return 0;
    int most = m->max_iterations;
    w->sweeps->options.max_iterations = tuned.sweeps < most ? tuned.sweeps : most;
    solver_run(w->sweeps, problem, p, m);
    m->name = s->class_->name, m->max_iterations = most, m->min_iterations = 0;
    memcpy(p, m->best_p, (size_t)w->n * sizeof *p);
    int stop = m->outcome != SCREE_OUTCOME_MAX_ITERATIONS || m->iterations >= most;
    m->outcome = stop ? m->outcome : SCREE_OUTCOME_STALLED;
    return stop;
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    path *w = s->work;
    m->outcome = SCREE_OUTCOME_STALLED;
    if (!s->resumes) {
        if (monitor_check(m, p)) return;
        if (!(m->residual <= tuned.near) && start_by_sweeps(s, problem, p, m)) return;
        if (!start(s, problem, p, m)) return;
    }
    for (;;) {
        double rho = path_rho(w, w->t), before = m->work;
        if (rho < w->least) {
            m->gained += real_log(w->least / rho) / real_log(10.0);
            w->least = rho;
        }
        if (w->until_finish <= 0.0 || rho <= tuned.rho_least) {
            if (finish(w, problem, p, m)) return;
            if (rho <= tuned.rho_least) break;
        }
        if (w->t < -12.0 || !path_advance(w, problem, m)) break;
        m->iterations += 1;
        if (check(w, w->x, p, m)) return;
        w->waited = m->best < w->lowest ? 0.0 : w->waited + m->work - before,
        w->lowest = number_min(m->best, w->lowest);
        if (w->lowest < tuned.closer * w->began && w->waited > tuned.patience * scaled_factor_work(&w->scaled)) {
            memcpy(p, m->best_p, (size_t)w->n * sizeof *p);
            if (!start(s, problem, p, m)) break;
        }
    }
    m->outcome = SCREE_OUTCOME_STALLED;
}

const scree_solver_class solver_path = {
    .name = "path",
    .summary = "follows the solution from a softer problem to the given one, event by event; Coulomb law; piles on "
               "which sweeps and Newton fail, up to a few thousand rows",
    .laws = LAW_COULOMB,
    .takes_bounds = 1,
    .matrix_free = 0,
    .default_iterations = 20000,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
