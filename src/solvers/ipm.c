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
#include "solvers/ipm_cone.h"
#include "solvers/reduced.h"
#include "solvers/solver_private.h"
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
    double bilateral;     /* of W_bb: what makes a row y = 0 definite, and refinement takes out again                */
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
                             .bilateral = 1e-9,
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

typedef struct point {
    double *p;   /* (row_count) loads                                                                     */
    double *z;   /* (row_count) s_N in normal rows, v in the others; not used in bounded rows             */
    double *lam; /* (3 contact_count) slack of each mechanism                                             */
    lorentz_margin *det_x, *det_z; /* (3 contact_count) determinants of the pairs; not used in directions           */
    double *above, *below; /* (bound_count) multipliers of S - gamma and S + gamma                                  */
} point;

/// Where steps straight down stand, and steps along the path; kept when the monitor stops them, so that they may go on.
typedef struct progress {
    int stage, begun;      /* attempts straight down, then the path; its start has been made */
    int descending;        /* steps straight down are tried from the path                    */
    int step, since;       /* straight down: steps; since tau was lower                      */
    int unsymmetric;       /* the definite factor has failed                                 */
    double least;          /* tau                                                            */
    double lowest, parted; /* residual, and tau where it was that low                        */
    int path_step, straight;
    double stride, tau, path_least;
} progress;

typedef struct ipm {
    progress now;
    reduced definite, general; /* convex law; Coulomb law, and the last steps of the convex one                    */
    point at, step, affine;    /* iterate; direction; predictor                                                    */
    point good;                /* where the path was left to try steps straight down                              */
    point g;                   /* right-hand sides: dz = g - G dx                                                  */
    lorentz_scaling *scaling;  /* (3 contact_count)                                                                */
    double *D;                 /* block by block as problem->diagonal                                              */
    double *rhs, *work;        /* (row_count)                                                                      */
    double *product;           /* scratch of products by W                                                         */
    double load, speed;        /* scales of the start: r_N and s_N                                                 */
    double theta;              /* 0 Coulomb, 1 convex                                                              */
    double kappa;              /* compliance, in units of speed/load at the first tau                              */
    double tau;                /* mean of the products                                                             */
    int degree;                /* number of products                                                               */
} ipm;

/* ---- memory ------------------------------------------------------------------------------------------------------------- */

static int point_create(const scree_allocator *a, const scree_problem *problem, point *x)
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

static void point_destroy(const scree_allocator *a, point *x)
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

/* ---- pairs: what every loop below walks over ------------------------------------------------------------------------------ */

/// x = (mu_k r_N, l_k) of a point or direction.
static inline void load_pair(const scree_cone *c, int k, const double *p, const double *l, double *x)
{
    x[0] = c->coef[k] * p[0];
    for (int i = 0; i < c->size[k]; ++i) x[1 + i] = l[i];
}

static inline void slack_pair(const scree_cone *c, int k, double lam, const double *v, double *z)
{
    z[0] = lam;
    for (int i = 0; i < c->size[k]; ++i) z[1 + i] = v[i];
}

static inline int is_pair(const scree_cone *c, int k)
{
    return c->size[k] > 0 && c->coef[k] > 0.0;
}

/// Sum of all products of (a, b): loads of a, slacks of b; bounded rows with their distances.
static double products(const scree_problem *problem, const point *a)
{
    double sum = 0.0, x[3], z[3];
    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_cone *cone = &problem->cone[c];
        const double *p = a->p + problem->offset[c], *v = a->z + problem->offset[c];
        sum += p[0] * v[0];
        for (int k = 0, i = 1; k < SCREE_FRICTION_KINDS; i += cone->size[k++])
            if (is_pair(cone, k)) {
                load_pair(cone, k, p, p + i, x);
                slack_pair(cone, k, a->lam[SCREE_FRICTION_KINDS * c + k], v + i, z);
                sum += dot(1 + cone->size[k], x, z);
            }
    }
    for (int b = 0; b < problem->bound_count; ++b) {
        double S = problem->bound[b], gamma = a->p[problem->offset[problem->contact_count + b]];
        if (S > 0.0 && S <= DBL_MAX) sum += (S - gamma) * a->above[b] + (S + gamma) * a->below[b];
    }
    return sum;
}

static int count_products(const scree_problem *problem)
{
    int n = problem->contact_count;
    for (int c = 0; c < problem->contact_count; ++c)
        for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) n += is_pair(&problem->cone[c], k);
    for (int b = 0; b < problem->bound_count; ++b) n += 2 * (problem->bound[b] > 0.0 && problem->bound[b] <= DBL_MAX);
    return n;
}

/* ---- the start -------------------------------------------------------------------------------------------------------------- */

/// Scales of velocity, rms of |q_c| over contacts, and of load: that over W_NN, whose inverse is averaged in the same way (where
/// masses differ it is the heavy bodies that set the loads).
static void scales(ipm *w, const scree_problem *problem)
{
    double q2 = 0.0, m2 = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], n = problem->offset[b + 1] - at;
        double d = problem->diagonal[problem->diagonal_at[b]];
        q2 += dot(n, problem->q + at, problem->q + at);
        if (d > 0.0) m2 += 1.0 / (d * d);
    }
    w->speed = sqrt(q2 / (problem->block_count + 1e-300));
    if (!(w->speed > 0.0)) w->speed = 1.0;
    w->load = w->speed * sqrt(m2 / (problem->block_count + 1e-300));
    if (!(w->load > 0.0)) w->load = w->speed;
}

/// Every product is load x speed: the start is on the central path but for y = W p + q.
static void begin(ipm *w, const scree_problem *problem)
{
    point *x = &w->at;
    memset(x->p, 0, (size_t)problem->row_count * sizeof *x->p);
    memset(x->z, 0, (size_t)problem->row_count * sizeof *x->z);
    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_cone *cone = &problem->cone[c];
        x->p[problem->offset[c]] = w->load, x->z[problem->offset[c]] = w->speed;
        for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) {
            int id = SCREE_FRICTION_KINDS * c + k;
            x->lam[id] = is_pair(cone, k) ? w->speed / cone->coef[k] : 0.0;
            double x0 = cone->coef[k] * w->load;
            x->det_x[id] = (lorentz_margin){x0 * x0, x0 * x0};
            x->det_z[id] = (lorentz_margin){x->lam[id] * x->lam[id], x->lam[id] * x->lam[id]};
        }
    }
    for (int b = 0; b < problem->bound_count; ++b) {
        double S = problem->bound[b];
        x->above[b] = x->below[b] = S > 0.0 && S <= DBL_MAX ? w->load * w->speed / S : 0.0;
    }
    w->degree = count_products(problem);
    w->tau = w->load * w->speed;
}

/* ---- one Newton step ---------------------------------------------------------------------------------------------------------- */

/// Compliance at a given tau [velocity per load].
static double compliance(const ipm *w, double tau)
{
    return w->kappa * tau / (w->load * w->load);
}

static double bound_weight(double S, double gamma, double above, double below)
{
    if (!(S > 0.0)) return REDUCED_PINNED;
    return above / (S - gamma) + below / (S + gamma);
}

/// Scalings of all cones, and D + compliance. 0 if the iterate has left the cones.
static int scale(ipm *w, const scree_problem *problem, double soft)
{
    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_cone *cone = &problem->cone[c];
        const double *p = w->at.p + problem->offset[c], *z = w->at.z + problem->offset[c];
        double *D = w->D + problem->diagonal_at[c], x[3], s[3], G[9];
        int dim = cone_dim(cone);
        if (!(p[0] > 0.0 && z[0] > 0.0)) return 0;
        memset(D, 0, (size_t)(dim * dim) * sizeof *D);
        D[0] = z[0] / p[0];
        for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += cone->size[k++]) {
            int n = cone->size[k], d = 1 + n;
            double mu = cone->coef[k];
            if (!is_pair(cone, k)) {
                for (int i = 0; i < n; ++i) D[(at + i) * dim + at + i] = REDUCED_PINNED;
                continue;
            }
            load_pair(cone, k, p, p + at, x);
            slack_pair(cone, k, w->at.lam[SCREE_FRICTION_KINDS * c + k], z + at, s);
            int id = SCREE_FRICTION_KINDS * c + k;
            if (!lorentz_scaling_make(n, x, w->at.det_x[id].det, s, w->at.det_z[id].det, &w->scaling[id])) return 0;
            lorentz_weight(n, &w->scaling[id], G);
            D[0] += w->theta * mu * mu * G[0];
            for (int i = 0; i < n; ++i) {
                D[at + i] = w->theta * mu * G[1 + i];
                D[(at + i) * dim] = mu * G[(1 + i) * d];
                for (int j = 0; j < n; ++j) D[(at + i) * dim + at + j] = G[(1 + i) * d + 1 + j];
            }
        }
        for (int i = 0; i < dim; ++i)
            if (D[i * dim + i] < REDUCED_PINNED) D[i * dim + i] += soft;
    }
    for (int b = 0; b < problem->bound_count; ++b) {
        int block = problem->contact_count + b;
        double S = problem->bound[b], gamma = w->at.p[problem->offset[block]];
        double *D = w->D + problem->diagonal_at[block];
        if (S > DBL_MAX) *D = tuned.bilateral * problem->diagonal[problem->diagonal_at[block]]; /* proximal */
        else *D = bound_weight(S, gamma, w->at.above[b], w->at.below[b]) + soft;
        if (!(*D > 0.0)) *D = tuned.bilateral / w->load * w->speed;
    }
    return 1;
}

/// g: dz = g - G dx takes every product to tau (`keep` 1), second-order terms of `affine` (may be NULL) included; or changes it
/// by tau (`keep` 0): the tangent of the central path by log tau.
static void targets(ipm *w, const scree_problem *problem, double tau, double keep, const point *affine)
{
    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_cone *cone = &problem->cone[c];
        int at = problem->offset[c];
        const double *p = w->at.p + at, *z = w->at.z + at;
        double *g = w->g.z + at;
        g[0] = tau / p[0] - keep * z[0] - (affine ? affine->p[at] * affine->z[at] / p[0] : 0.0);
        for (int k = 0, i = 1; k < SCREE_FRICTION_KINDS; i += cone->size[k++]) {
            if (!is_pair(cone, k)) continue;
            int n = cone->size[k], id = SCREE_FRICTION_KINDS * c + k;
            const lorentz_scaling *s = &w->scaling[id];
            double x[3], d[3], e[3], det = w->at.det_x[id].det;
            load_pair(cone, k, p, p + i, x);
            w->g.lam[id] = tau * x[0] / det - keep * w->at.lam[id];
            for (int j = 0; j < n; ++j) g[i + j] = -tau * x[1 + j] / det - keep * z[i + j];
            if (!affine) continue;
            load_pair(cone, k, affine->p + at, affine->p + at + i, d);
            slack_pair(cone, k, affine->lam[id], affine->z + at + i, e);
            lorentz_scale(n, s, 1, d, d);
            lorentz_scale(n, s, 0, e, e);
            lorentz_product(n, d, e, x);
            lorentz_divide(n, s->lam, x, x);
            lorentz_scale(n, s, 1, x, x);
            w->g.lam[id] -= x[0];
            for (int j = 0; j < n; ++j) g[i + j] -= x[1 + j];
        }
    }
    for (int b = 0; b < problem->bound_count; ++b) {
        double S = problem->bound[b];
        int at = problem->offset[problem->contact_count + b];
        double up = S - w->at.p[at], down = S + w->at.p[at];
        w->g.above[b] = w->g.below[b] = 0.0;
        if (!(S > 0.0) || S > DBL_MAX) continue;
        w->g.above[b] = tau / up - keep * w->at.above[b] + (affine ? affine->p[at] * affine->above[b] / up : 0.0);
        w->g.below[b] = tau / down - keep * w->at.below[b] - (affine ? affine->p[at] * affine->below[b] / down : 0.0);
    }
}

/// gap = W p + q + soft p - y: how far the iterate is from the linear relation.
static void linear_gap(ipm *w, const scree_problem *problem, double soft, double *gap)
{
    problem_apply(problem, w->at.p, gap, w->product);
    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_cone *cone = &problem->cone[c];
        for (int i = problem->offset[c]; i < problem->offset[c + 1]; ++i)
            gap[i] += problem->q[i] + soft * w->at.p[i] - w->at.z[i];
        for (int k = 0; k < SCREE_FRICTION_KINDS; ++k)
            if (is_pair(cone, k))
                gap[problem->offset[c]] -= w->theta * cone->coef[k] * w->at.lam[SCREE_FRICTION_KINDS * c + k];
    }
    for (int b = 0; b < problem->bound_count; ++b) {
        int at = problem->offset[problem->contact_count + b];
        gap[at] += problem->q[at];
        if (problem->bound[b] <= DBL_MAX) gap[at] += soft * w->at.p[at] - (w->at.below[b] - w->at.above[b]);
    }
}

/// The step for the right-hand sides in w->g, and `gap` times `weight` of the linear relation.
static void direction(ipm *w, reduced *r, const scree_problem *problem, const double *gap, double weight, point *out)
{
    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_cone *cone = &problem->cone[c];
        for (int i = problem->offset[c]; i < problem->offset[c + 1]; ++i) w->rhs[i] = w->g.z[i] - weight * gap[i];
        for (int k = 0, i = 1; k < SCREE_FRICTION_KINDS; i += cone->size[k++]) {
            if (is_pair(cone, k))
                w->rhs[problem->offset[c]] += w->theta * cone->coef[k] * w->g.lam[SCREE_FRICTION_KINDS * c + k];
            else
                for (int j = 0; j < cone->size[k]; ++j) w->rhs[problem->offset[c] + i + j] = 0.0;
        }
    }
    for (int b = 0; b < problem->bound_count; ++b) {
        int at = problem->offset[problem->contact_count + b];
        w->rhs[at] = problem->bound[b] > 0.0 ? w->g.below[b] - w->g.above[b] - weight * gap[at] : 0.0;
    }
    reduced_solve(r, problem, 2, w->rhs, out->p);

    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_cone *cone = &problem->cone[c];
        int at = problem->offset[c];
        const double *p = w->at.p + at, *z = w->at.z + at;
        out->z[at] = w->g.z[at] - z[0] / p[0] * out->p[at];
        for (int k = 0, i = 1; k < SCREE_FRICTION_KINDS; i += cone->size[k++]) {
            if (!is_pair(cone, k)) {
                for (int j = 0; j < cone->size[k]; ++j) out->z[at + i + j] = 0.0;
                continue;
            }
            int n = cone->size[k], id = SCREE_FRICTION_KINDS * c + k;
            double x[3];
            load_pair(cone, k, out->p + at, out->p + at + i, x);
            lorentz_scale(n, &w->scaling[id], 1, x, x); /* G dx = T^-1 T^-1 dx */
            lorentz_scale(n, &w->scaling[id], 1, x, x);
            out->lam[id] = w->g.lam[id] - x[0];
            for (int j = 0; j < n; ++j) out->z[at + i + j] = w->g.z[at + i + j] - x[1 + j];
        }
    }
    for (int b = 0; b < problem->bound_count; ++b) {
        double S = problem->bound[b];
        int at = problem->offset[problem->contact_count + b];
        out->above[b] = out->below[b] = 0.0;
        if (!(S > 0.0) || S > DBL_MAX) continue;
        out->above[b] = w->g.above[b] + w->at.above[b] / (S - w->at.p[at]) * out->p[at];
        out->below[b] = w->g.below[b] - w->at.below[b] / (S + w->at.p[at]) * out->p[at];
    }
}

static double ratio(double x, double dx, double most)
{
    return dx < 0.0 ? number_min(most, -x / dx) : most;
}

/// Largest step <= 1/fraction that keeps every pair in its cones.
static double step_to_boundary(const ipm *w, const scree_problem *problem, const point *d, double most)
{
    double t = most, x[3], dx[3];
    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_cone *cone = &problem->cone[c];
        int at = problem->offset[c];
        t = ratio(w->at.p[at], d->p[at], t);
        t = ratio(w->at.z[at], d->z[at], t);
        for (int k = 0, i = 1; k < SCREE_FRICTION_KINDS; i += cone->size[k++]) {
            if (!is_pair(cone, k)) continue;
            int n = cone->size[k], id = SCREE_FRICTION_KINDS * c + k;
            load_pair(cone, k, w->at.p + at, w->at.p + at + i, x);
            load_pair(cone, k, d->p + at, d->p + at + i, dx);
            t = lorentz_step(n, x, w->at.det_x[id].det, dx, t);
            slack_pair(cone, k, w->at.lam[id], w->at.z + at + i, x);
            slack_pair(cone, k, d->lam[id], d->z + at + i, dx);
            t = lorentz_step(n, x, w->at.det_z[id].det, dx, t);
        }
    }
    for (int b = 0; b < problem->bound_count; ++b) {
        double S = problem->bound[b];
        int at = problem->offset[problem->contact_count + b];
        if (!(S > 0.0) || S > DBL_MAX) continue;
        t = ratio(S - w->at.p[at], -d->p[at], t);
        t = ratio(S + w->at.p[at], d->p[at], t);
        t = ratio(w->at.above[b], d->above[b], t);
        t = ratio(w->at.below[b], d->below[b], t);
    }
    return t;
}

/// to = from + t d; from and to may be the same.
static void move(const scree_problem *problem, const point *from, const point *d, double t, point *to)
{
    for (int i = 0; i < problem->row_count; ++i) {
        to->p[i] = from->p[i] + t * d->p[i];
        to->z[i] = from->z[i] + t * d->z[i];
    }
    for (int i = 0; i < SCREE_FRICTION_KINDS * problem->contact_count; ++i) to->lam[i] = from->lam[i] + t * d->lam[i];
    for (int b = 0; b < problem->bound_count; ++b) {
        to->above[b] = from->above[b] + t * d->above[b];
        to->below[b] = from->below[b] + t * d->below[b];
    }
}

/// The iterate moves by t d, its determinants with it.
static void advance(ipm *w, const scree_problem *problem, const point *d, double t)
{
    double x[3], dx[3];
    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_cone *cone = &problem->cone[c];
        int at = problem->offset[c];
        for (int k = 0, i = 1; k < SCREE_FRICTION_KINDS; i += cone->size[k++]) {
            if (!is_pair(cone, k)) continue;
            int n = cone->size[k], id = SCREE_FRICTION_KINDS * c + k;
            load_pair(cone, k, w->at.p + at, w->at.p + at + i, x);
            load_pair(cone, k, d->p + at, d->p + at + i, dx);
            lorentz_margin_move(n, x, dx, t, &w->at.det_x[id]);
            slack_pair(cone, k, w->at.lam[id], w->at.z + at + i, x);
            slack_pair(cone, k, d->lam[id], d->z + at + i, dx);
            lorentz_margin_move(n, x, dx, t, &w->at.det_z[id]);
        }
    }
    move(problem, &w->at, d, t, &w->at);
}

static void copy(const scree_problem *problem, const point *from, point *to)
{
    size_t n = SCREE_FRICTION_KINDS * (size_t)problem->contact_count;
    move(problem, from, from, 0.0, to);
    memcpy(to->det_x, from->det_x, n * sizeof *to->det_x);
    memcpy(to->det_z, from->det_z, n * sizeof *to->det_z);
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
    progress *now = &w->now;
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
    progress *now = &w->now;
    double first = w->load * w->speed;
    int stands_in = how->theta > 0.0 && problem->law == SCREE_LAW_COULOMB;
    while (now->step < how->steps && now->since < how->patience) {
        w->tau = products(problem, &w->at) / w->degree;
        if (!(w->tau > tuned.end * first) || !scale(w, problem, compliance(w, w->tau))) return 0;
        reduced *r = descent_factor(w, problem, how, m);
        if (!r) return 0;
        linear_gap(w, problem, 0.0, w->work);
        targets(w, problem, 0.0, 1.0, NULL);
        direction(w, r, problem, w->work, 1.0, &w->affine);
        double most = number_min(1.0, step_to_boundary(w, problem, &w->affine, 1.0));
        move(problem, &w->at, &w->affine, most, &w->step);
        double after = products(problem, &w->step) / w->degree, sigma = number_max(after / w->tau, 0.0);
        sigma = number_min(number_max(sigma * sigma * sigma, how->least_sigma), 1.0);

        linear_gap(w, problem, compliance(w, sigma * w->tau), w->work);
        targets(w, problem, sigma * w->tau, 1.0, &w->affine);
        direction(w, r, problem, w->work, 1.0, &w->step);
        double t = number_min(1.0, how->fraction * step_to_boundary(w, problem, &w->step, 2.0));
        advance(w, problem, &w->step, t);
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

/// Product of two directions in the scaled variables, (T^-1 dx . T^-1 dx' + T dz . T dz')/tau: 1 per pair is a change of the
/// size of the pair itself.
static double local_product(const ipm *w, const scree_problem *problem, const point *a, const point *b)
{
    double sum = 0.0, x[3], y[3];
    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_cone *cone = &problem->cone[c];
        int at = problem->offset[c];
        double d = w->at.z[at] / w->at.p[at];
        sum += d * a->p[at] * b->p[at] + a->z[at] * b->z[at] / d;
        for (int k = 0, i = 1; k < SCREE_FRICTION_KINDS; i += cone->size[k++]) {
            if (!is_pair(cone, k)) continue;
            int n = cone->size[k], id = SCREE_FRICTION_KINDS * c + k;
            const lorentz_scaling *s = &w->scaling[id];
            load_pair(cone, k, a->p + at, a->p + at + i, x);
            load_pair(cone, k, b->p + at, b->p + at + i, y);
            lorentz_scale(n, s, 1, x, x);
            lorentz_scale(n, s, 1, y, y);
            sum += dot(1 + n, x, y);
            slack_pair(cone, k, a->lam[id], a->z + at + i, x);
            slack_pair(cone, k, b->lam[id], b->z + at + i, y);
            lorentz_scale(n, s, 0, x, x);
            lorentz_scale(n, s, 0, y, y);
            sum += dot(1 + n, x, y);
        }
    }
    for (int b_ = 0; b_ < problem->bound_count; ++b_) {
        double S = problem->bound[b_];
        int at = problem->offset[problem->contact_count + b_];
        if (!(S > 0.0) || S > DBL_MAX) continue;
        double up = w->at.above[b_] / (S - w->at.p[at]), down = w->at.below[b_] / (S + w->at.p[at]);
        sum += (up + down) * a->p[at] * b->p[at];
        sum += a->above[b_] * b->above[b_] / up + a->below[b_] * b->below[b_] / down;
    }
    return sum / w->tau;
}

/// Pseudo-arclength steps in (iterate, log tau). Each has one factor and two solutions: back to the path (c), along it (t).
/// After `patience` steps in a row without a fold, at a tau not seen before, steps straight down are tried again from there.
/// 1: the monitor said stop; 0: no further.
static int follow(ipm *w, const scree_problem *problem, const policy *how, const policy *down, monitor *m)
{
    reduced *r = &w->general;
    progress *now = &w->now;
    double first = w->load * w->speed;
    for (; now->path_step < how->steps; ++now->path_step) {
        if (now->descending) {
            if (descend(w, problem, down, m)) return 1;
            copy(problem, &w->good, &w->at);
            now->descending = now->straight = 0, now->path_least = now->tau;
            w->theta = 0.0, w->kappa = how->kappa;
        }
        double tau = w->tau = now->tau;
        if (!(tau > tuned.end * first && tau < tuned.runaway * first) || !scale(w, problem, compliance(w, tau)) ||
            !reduced_factor(r, problem, w->D))
            return 0;
        m->work += reduced_work(r, problem) + 4.0 * reduced_solve_work(r, problem);
        linear_gap(w, problem, compliance(w, tau), w->work);
        targets(w, problem, tau, 1.0, NULL);
        direction(w, r, problem, w->work, 1.0, &w->affine); /* c */
        for (int i = 0; i < problem->row_count; ++i) w->work[i] = compliance(w, tau) * w->at.p[i];
        targets(w, problem, tau, 0.0, NULL);
        direction(w, r, problem, w->work, 1.0, &w->step); /* t = d/d(log tau) */

        double tt = local_product(w, problem, &w->step, &w->step) + w->degree;
        double ct = local_product(w, problem, &w->affine, &w->step);
        double cc = local_product(w, problem, &w->affine, &w->affine);
        int sign = reduced_determinant_sign(r);
        double back = -ct / tt, off = sqrt(number_max(cc - ct * ct / tt, 0.0) / w->degree);
        double along = -(double)sign * now->stride * sqrt(w->degree / tt) * (off < tuned.rough ? 1.0 : 1.0 / off);
        move(problem, &w->affine, &w->step, back + along, &w->affine);
        double t = number_min(1.0, how->fraction * step_to_boundary(w, problem, &w->affine, 2.0));
        advance(w, problem, &w->affine, t);
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
            copy(problem, &w->at, &w->good);
            descent_begin(w, down);
            now->descending = 1;
        }
        if (stop) return 1;
    }
    return 0;
}

static void follow_begin(ipm *w, const scree_problem *problem, const policy *how)
{
    progress *now = &w->now;
    begin(w, problem);
    w->theta = 0.0, w->kappa = how->kappa;
    now->path_step = now->straight = now->descending = 0;
    now->stride = how->stride, now->path_least = tuned.deeper * w->load * w->speed;
    now->tau = products(problem, &w->at) / w->degree; /* the path's own tau, no longer the mean of the products */
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    ipm *w = s->work;
    progress *now = &w->now;
    /* 0.9 of the way to the boundary and centring of 0.1 reach 1e-12 on 38 of 42 files, 0.95 and 0.01 on 27, in as many steps; the
     * compliance of 0.1 holds loads along self-stress and is gone with tau */
    static const policy convex = {.theta = 1.0, .least_sigma = 0.1, .fraction = 0.9, .steps = 100, .patience = 50};
    static const policy split = {.kappa = 0.1, .least_sigma = 0.1, .fraction = 0.9, .steps = 60, .patience = 6};
    static const policy path = {.kappa = 0.1, .fraction = 0.9, .stride = 0.5, .steps = 400, .patience = 8};
    static const policy down = {.kappa = 0.1, .least_sigma = 0.1, .fraction = 0.9, .steps = 40, .patience = 4};
    if (!s->resumes) {
        if (monitor_check(m, p)) return;
        scales(w, problem);
        w->definite.careful = w->general.careful = 0;
        now->stage = now->begun = 0;
    }
    /* by bodies the symmetric factor is several times the cheaper one: the guess that nothing slides comes first */
    const policy *const orders[2][2] = {{&split, &convex}, {&convex, &split}};
    const policy *const *order = orders[problem->law == SCREE_LAW_CONVEX || w->general.by_bodies];
    int attempts = problem->law == SCREE_LAW_CONVEX ? 1 : 2;
    for (; now->stage < attempts; ++now->stage, now->begun = 0) {
        if (!now->begun && now->stage > 0 && m->best <= tuned.solved) continue;
        if (!now->begun) begin(w, problem), descent_begin(w, order[now->stage]);
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
