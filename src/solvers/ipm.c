/* ipm.c: interior points for the law in split form.                                                     docs/solvers/ipm.md
 *
 *     y = W p + q,    0 <= r_N _|_ s_N >= 0,    (mu_k r_N, l_k) _|_ (lam_k, v_k)  in the Lorentz cone, for each mechanism k,
 *     s_N = u_N - theta sum mu_k lam_k,      theta = 0: Coulomb law, theta = 1: convex law.
 *
 * With lam_k a free slack (|v_k| at the solution) both laws are linear complementarity problems over a product of cones: De
 * Saxce's nonsmooth shift never appears. The central path has every product equal to tau e; Newton on it with Nesterov-Todd
 * scaling gives per pair  dz = g - G dx,  and with dx = (mu_k dr_N, dl_k) the slacks drop out contact by contact:
 *
 *     (W + D) dp = g - (W p + q - y),   D = [G_N + theta sum mu_k^2 (G_k)_00   theta mu_k (G_k)_0l]
 *                                          [mu_k (G_k)_l0                      (G_k)_ll          ]
 *
 * symmetric for the convex law, unsymmetric for Coulomb's; reduced.h solves it by contacts or by bodies. Steps: Mehrotra's
 * predictor and corrector, one factor each; a fixed fraction of the way to the boundary, the same for loads and velocities.
 *
 * Bounded rows: 0 <= S - gamma _|_ above >= 0, 0 <= S + gamma _|_ below >= 0, y = below - above. Bilateral rows: y = 0.
 * Mechanisms with coefficient 0 and rows with S = 0 carry no load: pinned.
 *
 * The Coulomb law is not monotone, and two things go wrong. Loads run away along self-stress (the null space of H): a compliance
 * kappa tau/scale^2 that vanishes with tau holds them. The central path folds back in tau, where plain steps shrink to nothing:
 * then the path is followed by pseudo-arclength, and tau moves against the sign of det(W + D), which the factor tells. */
#include "solvers/ipm_step.h"
#include "solvers/work.h"

#include "math/dense.h"
#include "math/elementary.h"

#include <string.h>

/// docs/solvers/ipm.md has the measurements behind these, and behind the policies below.
typedef struct tuning {
    double end;           /* of the first tau: products are at rounding, and nothing further comes                   */
    double runaway;       /* of the first tau: the path does not come back from there                                */
    double parted;        /* fall of tau without a better residual: the convex law's answer is not Coulomb's          */
    double progress;      /* fall of tau that counts as one                                                          */
    double solved;        /* residual at which the second attempt, which starts again, is left out                   */
    double log_tau_most;  /* change of log tau in one step along the path                                            */
    double smooth, rough; /* distances from the path, per pair, at which strides grow, and shrink                     */
    double taken, cut;    /* fractions of a step at which strides grow, and shrink                                   */
    double grow, shrink;  /* of the stride                                                                           */
    double stride_least, stride_most;
    double deeper; /* of the lowest tau so far: steps straight down are tried again only from below it         */
} tuning;

static const tuning tuned = {.end = 1e-22,
                             .runaway = 1e6,
                             .parted = 0.01,
                             .progress = 0.7,
                             .solved = 1e-8,
                             .log_tau_most = 3.0,
                             .smooth = 0.5,
                             .rough = 1.0,
                             .taken = 0.9,
                             .cut = 0.4,
                             .grow = 1.5,
                             .shrink = 0.6,
                             .stride_least = 0.02,
                             .stride_most = 4.0,
                             .deeper = 0.1};

/* ---- memory ------------------------------------------------------------------------------------------------------------- */

static int point_create(const scree_allocator *a, const scree_problem *problem, ipm_point *x)
{
    size_t rows = (size_t)problem->row_count, bounds = (size_t)problem->bound_count;
    x->p = memory_array(a, rows + 1, sizeof *x->p);
    x->z = memory_array(a, rows + 1, sizeof *x->z);
    x->lam = memory_array(a, SCREE_FRICTION_KINDS * (size_t)problem->contact_count + 1, sizeof *x->lam);
    x->det_x = memory_array(a, SCREE_FRICTION_KINDS * (size_t)problem->contact_count + 1, sizeof *x->det_x);
    x->det_z = memory_array(a, SCREE_FRICTION_KINDS * (size_t)problem->contact_count + 1, sizeof *x->det_z);
    x->above = memory_array(a, bounds + 1, sizeof *x->above);
    x->below = memory_array(a, bounds + 1, sizeof *x->below);
    return x->p && x->z && x->lam && x->det_x && x->det_z && x->above && x->below;
}

static void point_destroy(const scree_allocator *a, ipm_point *x)
{
    MEMORY_FREE_ALL(a, x->p, x->z, x->lam, x->det_x, x->det_z, x->above, x->below);
}

static void destroy(scree_solver *s)
{
    ipm *w = s->work;
    const scree_allocator *a = &s->allocator;
    if (!w) return;
    reduced_destroy(&w->definite, a);
    reduced_destroy(&w->general, a);
    point_destroy(a, &w->at);
    point_destroy(a, &w->step);
    point_destroy(a, &w->affine);
    point_destroy(a, &w->g);
    point_destroy(a, &w->good);
    MEMORY_FREE_ALL(a, w->scaling, w->D, w->rhs, w->work, w->product, w);
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    (void)error;
    const scree_allocator *a = &s->allocator;
    ipm *w = s->work = memory_array(a, 1, sizeof *w);
    if (!w) return SCREE_ERR_MEMORY;
    scree_status status = SCREE_OK;
    if (!reduced_fits(problem)) status = problem_assemble(problem, a, &s->assembled);
    if (status != SCREE_OK) return status;
    if (s->assembled) problem = s->assembled;

    size_t rows = (size_t)problem->row_count;
    int symmetric = reduced_symmetric(problem);
    w->scaling = memory_array(a, SCREE_FRICTION_KINDS * (size_t)problem->contact_count + 1, sizeof *w->scaling);
    w->D = memory_array(a, problem->diagonal_at[problem->block_count] + 1, sizeof *w->D);
    w->rhs = memory_array(a, rows + 1, sizeof *w->rhs);
    w->work = memory_array(a, rows + 1, sizeof *w->work);
    w->product = memory_raw_array(a, problem_work_size(problem), sizeof *w->product);
    if (!w->scaling || !w->D || !w->rhs || !w->work || !w->product || !point_create(a, problem, &w->at) ||
        !point_create(a, problem, &w->step) || !point_create(a, problem, &w->affine) ||
        !point_create(a, problem, &w->g) || !point_create(a, problem, &w->good))
        return SCREE_ERR_MEMORY;
    status = reduced_create(problem, symmetric, a, &w->definite);
    if (status == SCREE_OK) status = reduced_create(problem, 0, a, &w->general);
    return status;
}

/* ---- the path followed straight down ---------------------------------------------------------------------------------------- */

typedef struct policy {
    double theta, kappa;
    double least_sigma; /* centring never less than this   */
    double fraction;    /* of the way to the boundary      */
    double stride;      /* first step along the path       */
    int steps;          /* at most                         */
    int patience;       /* steps without a smaller tau     */
} policy;

static void descent_begin(ipm *w, const policy *how)
{
    ipm_progress *now = &w->now;
    w->theta = how->theta, w->kappa = how->kappa;
    now->step = now->since = now->unsymmetric = 0;
    now->least = now->lowest = (double)INFINITY, now->parted = 0.0;
}

/// Factorises at the iterate. NULL: it cannot.
static reduced *descent_factor(ipm *w, const scree_problem *problem, const policy *how, monitor *m)
{
    reduced *r = how->theta > 0.0 && !w->now.unsymmetric ? &w->definite : &w->general;
    int done = reduced_factor(r, problem, w->D);
    if (!done && r == &w->definite) { /* near the end rounding may take the sign of a pivot: then without symmetry */
        w->now.unsymmetric = 1, r = &w->general;
        done = reduced_factor(r, problem, w->D);
    }
    if (!done) return NULL;
    m->work += reduced_work(r, problem) + 4.0 * reduced_solve_work(r, problem);
    return r;
}

/// Predictor-corrector steps. 1: the monitor said stop; 0: stalled, or, where the convex law stands in for Coulomb's, their answers
/// part: the residual has not fallen while tau fell a hundredfold.
static int descend(ipm *w, const scree_problem *problem, const policy *how, monitor *m)
{
    ipm_progress *now = &w->now;
    double first = w->load * w->speed;
    int stands_in = how->theta > 0.0 && problem->law == SCREE_LAW_COULOMB;
    while (now->step < how->steps && now->since < how->patience) {
        w->tau = ipm_products(problem, &w->at) / w->degree;
        if (!(w->tau > tuned.end * first) || !ipm_scale(w, problem, ipm_compliance(w, w->tau))) return 0;
        reduced *r = descent_factor(w, problem, how, m);
        if (!r) return 0;
        ipm_linear_gap(w, problem, 0.0, w->work);
        ipm_targets(w, problem, 0.0, 1.0, NULL);
        ipm_direction(w, r, problem, w->work, 1.0, &w->affine);
        double most = number_min(1.0, ipm_step_to_boundary(w, problem, &w->affine, 1.0));
        ipm_point_move(problem, &w->at, &w->affine, most, &w->step);
        double after = ipm_products(problem, &w->step) / w->degree, sigma = number_max(after / w->tau, 0.0);
        sigma = number_min(number_max(sigma * sigma * sigma, how->least_sigma), 1.0);

        ipm_linear_gap(w, problem, ipm_compliance(w, sigma * w->tau), w->work);
        ipm_targets(w, problem, sigma * w->tau, 1.0, &w->affine);
        ipm_direction(w, r, problem, w->work, 1.0, &w->step);
        double t = number_min(1.0, how->fraction * ipm_step_to_boundary(w, problem, &w->step, 2.0));
        ipm_advance(w, problem, &w->step, t);
        m->iterations += 1, now->step += 1, now->since += 1;
        if (w->tau < tuned.progress * now->least) now->least = w->tau, now->since = 0;
        if (!(norm(problem->row_count, w->at.p) <= DBL_MAX)) return 0;
        if (monitor_check(m, w->at.p)) return 1;
        if (m->residual < now->lowest) now->lowest = m->residual, now->parted = w->tau;
        if (stands_in && w->tau < tuned.parted * now->parted) return 0;
    }
    return 0;
}

/* ---- the path followed past its folds ----------------------------------------------------------------------------------------- */

/// Pseudo-arclength steps in (iterate, log tau). Each has one factor and two solutions: back to the path (c), along it (t).
/// After `patience` steps in a row without a fold, at a tau not seen before, steps straight down are tried again from there.
/// 1: the monitor said stop; 0: no further.
static int follow(ipm *w, const scree_problem *problem, const policy *how, const policy *down, monitor *m)
{
    reduced *r = &w->general;
    ipm_progress *now = &w->now;
    double first = w->load * w->speed;
    for (; now->path_step < how->steps; ++now->path_step) {
        if (now->descending) {
            if (descend(w, problem, down, m)) return 1;
            ipm_point_copy(problem, &w->good, &w->at);
            now->descending = now->straight = 0, now->path_least = now->tau;
            w->theta = 0.0, w->kappa = how->kappa;
        }
        double tau = w->tau = now->tau;
        if (!(tau > tuned.end * first && tau < tuned.runaway * first) ||
            !ipm_scale(w, problem, ipm_compliance(w, tau)) || !reduced_factor(r, problem, w->D))
            return 0;
        m->work += reduced_work(r, problem) + 4.0 * reduced_solve_work(r, problem);
        ipm_linear_gap(w, problem, ipm_compliance(w, tau), w->work);
        ipm_targets(w, problem, tau, 1.0, NULL);
        ipm_direction(w, r, problem, w->work, 1.0, &w->affine); /* c */
        for (int i = 0; i < problem->row_count; ++i) w->work[i] = ipm_compliance(w, tau) * w->at.p[i];
        ipm_targets(w, problem, tau, 0.0, NULL);
        ipm_direction(w, r, problem, w->work, 1.0, &w->step); /* t = d/d(log tau) */

        double tt = ipm_local_product(w, problem, &w->step, &w->step) + w->degree;
        double ct = ipm_local_product(w, problem, &w->affine, &w->step);
        double cc = ipm_local_product(w, problem, &w->affine, &w->affine);
        int sign = reduced_determinant_sign(r);
        double back = -ct / tt, off = sqrt(number_max(cc - ct * ct / tt, 0.0) / w->degree);
        double along = -(double)sign * now->stride * sqrt(w->degree / tt) * (off < tuned.rough ? 1.0 : 1.0 / off);
        ipm_point_move(problem, &w->affine, &w->step, back + along, &w->affine);
        double t = number_min(1.0, how->fraction * ipm_step_to_boundary(w, problem, &w->affine, 2.0));
        ipm_advance(w, problem, &w->affine, t);
        now->tau *= real_exp(number_min(number_max(t * (back + along), -tuned.log_tau_most), tuned.log_tau_most));
        if (t > tuned.taken && off < tuned.smooth)
            now->stride = number_min(tuned.grow * now->stride, tuned.stride_most);
        else if (t < tuned.cut || off > tuned.rough)
            now->stride = number_max(tuned.shrink * now->stride, tuned.stride_least);
        m->iterations += 1;
        now->straight = sign > 0 ? now->straight + 1 : 0;
        if (!(norm(problem->row_count, w->at.p) <= DBL_MAX)) return 0;
        int stop = monitor_check(m, w->at.p);
        if (now->straight >= how->patience && now->tau <= tuned.deeper * now->path_least) {
            ipm_point_copy(problem, &w->at, &w->good);
            descent_begin(w, down);
            now->descending = 1;
        }
        if (stop) return 1;
    }
    return 0;
}

static void follow_begin(ipm *w, const scree_problem *problem, const policy *how)
{
    ipm_progress *now = &w->now;
    ipm_begin(w, problem);
    w->theta = 0.0, w->kappa = how->kappa;
    now->path_step = now->straight = now->descending = 0;
    now->stride = how->stride, now->path_least = tuned.deeper * w->load * w->speed;
    now->tau = ipm_products(problem, &w->at) / w->degree; /* the path's own tau, no longer the mean of the products */
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    ipm *w = s->work;
    ipm_progress *now = &w->now;
    /* 0.9 of the way to the boundary and centring of 0.1 reach 1e-12 on 38 of 42 files, 0.95 and 0.01 on 27, in as many steps; the
     * compliance of 0.1 holds loads along self-stress and is gone with tau */
    static const policy convex = {.theta = 1.0, .least_sigma = 0.1, .fraction = 0.9, .steps = 100, .patience = 50};
    static const policy split = {.kappa = 0.1, .least_sigma = 0.1, .fraction = 0.9, .steps = 60, .patience = 6};
    static const policy path = {.kappa = 0.1, .fraction = 0.9, .stride = 0.5, .steps = 400, .patience = 8};
    static const policy down = {.kappa = 0.1, .least_sigma = 0.1, .fraction = 0.9, .steps = 40, .patience = 4};
    if (!s->resumes) {
        if (monitor_check(m, p)) return;
        ipm_scales(w, problem);
        w->definite.careful = w->general.careful = 0;
        now->stage = now->begun = 0;
    }
    /* by bodies the symmetric factor is several times the cheaper one: the guess that nothing slides comes first */
    const policy *const orders[2][2] = {{&split, &convex}, {&convex, &split}};
    const policy *const *order = orders[problem->law == SCREE_LAW_CONVEX || w->general.by_bodies];
    int attempts = problem->law == SCREE_LAW_CONVEX ? 1 : 2;
    for (; now->stage < attempts; ++now->stage, now->begun = 0) {
        if (!now->begun && now->stage > 0 && m->best <= tuned.solved) continue;
        if (!now->begun) ipm_begin(w, problem), descent_begin(w, order[now->stage]);
        now->begun = 1;
        if (descend(w, problem, order[now->stage], m)) return;
    }
    if (problem->law == SCREE_LAW_COULOMB) {
        if (!now->begun) follow_begin(w, problem, &path);
        now->begun = 1;
        if (follow(w, problem, &path, &down, m)) return;
    }
    m->outcome = SCREE_OUTCOME_STALLED;
}

const scree_solver_class solver_ipm = {
    .name = "ipm",
    .summary = "interior points on the split form, sparse direct; both laws, bounded rows; few steps, accurate",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 1,
    .default_iterations = 1000,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
