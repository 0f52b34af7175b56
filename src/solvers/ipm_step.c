/* ipm_step.c: one step of interior points: the start, the Newton system, its right-hand sides, directions and how far they may be taken.
 * The equations are those of ipm.c, which chooses which steps to take.                                  docs/solvers/ipm.md */
#include "solvers/ipm_step.h"

#include "math/dense.h"

#include <string.h>

#define BILATERAL 1e-9 /* of W_bb: what makes a row y = 0 definite, and refinement takes out again */

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

double ipm_products(const scree_problem *problem, const ipm_point *a)
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

void ipm_scales(ipm *w, const scree_problem *problem)
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

void ipm_begin(ipm *w, const scree_problem *problem)
{
    ipm_point *x = &w->at;
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

static double bound_weight(double S, double gamma, double above, double below)
{
    if (!(S > 0.0)) return REDUCED_PINNED;
    return above / (S - gamma) + below / (S + gamma);
}

int ipm_scale(ipm *w, const scree_problem *problem, double soft)
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
        if (S > DBL_MAX) *D = BILATERAL * problem->diagonal[problem->diagonal_at[block]]; /* proximal */
        else *D = bound_weight(S, gamma, w->at.above[b], w->at.below[b]) + soft;
        if (!(*D > 0.0)) *D = BILATERAL / w->load * w->speed;
    }
    return 1;
}

void ipm_targets(ipm *w, const scree_problem *problem, double tau, double keep, const ipm_point *affine)
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

void ipm_linear_gap(ipm *w, const scree_problem *problem, double soft, double *gap)
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

void ipm_direction(ipm *w, reduced *r, const scree_problem *problem, const double *gap, double weight, ipm_point *out)
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

double ipm_step_to_boundary(const ipm *w, const scree_problem *problem, const ipm_point *d, double most)
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

void ipm_point_move(const scree_problem *problem, const ipm_point *from, const ipm_point *d, double t, ipm_point *to)
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

void ipm_advance(ipm *w, const scree_problem *problem, const ipm_point *d, double t)
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
    ipm_point_move(problem, &w->at, d, t, &w->at);
}

void ipm_point_copy(const scree_problem *problem, const ipm_point *from, ipm_point *to)
{
    size_t n = SCREE_FRICTION_KINDS * (size_t)problem->contact_count;
    ipm_point_move(problem, from, from, 0.0, to);
    memcpy(to->det_x, from->det_x, n * sizeof *to->det_x);
    memcpy(to->det_z, from->det_z, n * sizeof *to->det_z);
}

double ipm_local_product(const ipm *w, const scree_problem *problem, const ipm_point *a, const ipm_point *b)
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
