/* residual.c: how good is p. The one place; every solver stops by it and every test judges by it.
 *
 *     residual = sqrt(sum over blocks of |p_c - proj(p_c - s yhat_c)|^2) / max(|q|, |p|, |y|),  s = 1      (Siconos' measure)
 *     scaled   = the same with s_c = 1/lmax(W_cc), over |p|                                                docs/math/problem.md
 *
 * For a bounded row the projection is the clamp to [-S, S]; a bilateral row contributes its velocity. */
#include "problem/residual.h"

#include "base/fail.h"
#include "base/memory.h"
#include "laws/maps.h"
#include "math/dense.h"

#include <string.h>

double block_map_squared(const scree_problem *problem, int block, double s, const double *p, const double *y)
{
    double F[SCREE_DIM_MAX];
    if (block < problem->contact_count) {
        const scree_cone *c = &problem->cone[block];
        map_natural(c, problem->law, s, p, y, F, NULL, NULL);
        return dot(cone_dim(c), F, F);
    }
    double S = problem->bound[block - problem->contact_count], x = p[0] - s * y[0];
    F[0] = p[0] - number_min(number_max(x, -S), S);
    if (S > DBL_MAX) F[0] = s * y[0];
    return F[0] * F[0];
}

double natural_map_squared(const scree_problem *problem, const double *p, const double *y)
{
    double sum = 0.0;
    for (int b = 0; b < problem->block_count; ++b)
        sum += block_map_squared(problem, b, 1.0, p + problem->offset[b], y + problem->offset[b]);
    return sum;
}

/// No division below 2.2e-16. A scale that is no number, or whose square has overflowed, says nothing: infinity, which every solver takes
/// for divergence, and no tolerance for converged.
static double relative(double value, double scale)
{
    if (!(scale < 1e150) || !(value <= DBL_MAX)) return (double)INFINITY;
    return scale < 2.2e-16 ? value : value / scale;
}

double residual_from_velocity(const scree_problem *problem, const double *p, const double *y)
{
    int n = problem->row_count;
    double scale = worse(norm(n, problem->q), worse(norm(n, p), norm(n, y)));
    return relative(sqrt(natural_map_squared(problem, p, y)), scale);
}

double problem_residual(const scree_problem *problem, const double *p, double *y, double *work)
{
    problem_velocity(problem, p, y, work);
    return residual_from_velocity(problem, p, y);
}

/// y, and behind it the scratch memory of a product: both for the time of a call. NULL: no memory.
static double *vectors_for(const scree_problem *problem, scree_error *error)
{
    size_t size = (size_t)problem->row_count + problem_work_size(problem);
    double *vectors = memory_raw_array(&problem->allocator, size, sizeof *vectors);
    if (!vectors) scree_error_set(error, NULL, 0, 0, "out of memory for %d rows", problem->row_count);
    error_keep(error, vectors ? SCREE_OK : SCREE_ERR_MEMORY);
    return vectors;
}

double scree_problem_residual(const scree_problem *problem, const double *p, scree_error *error)
{
    double *y = error_stopped(error) ? NULL : vectors_for(problem, error);
    if (!y) return (double)NAN;
    double residual = problem_residual(problem, p, y, y + problem->row_count);
    memory_free(&problem->allocator, y);
    return residual;
}

/// Largest eigenvalue of a symmetric block of order 1 to 6, from below to 1e-3, by the power method: a step size, not a bound.
static double largest_eigenvalue(int n, const double *W)
{
    double x[SCREE_DIM_MAX], y[SCREE_DIM_MAX], lambda = 0.0;
    for (int i = 0; i < n; ++i) x[i] = 1.0 + 0.1 * i;
    for (int k = 0; k < 30; ++k) {
        double length = norm(n, x);
        if (!(length > 0.0)) return 0.0;
        for (int i = 0; i < n; ++i) x[i] /= length;
        matvec_add(n, W, x, NULL, y);
        lambda = dot(n, x, y);
        memcpy(x, y, sizeof x);
    }
    return lambda;
}

/// The first NaN stays.
static void worst(double value, int contact, double *largest, int *at)
{
    if (value > *largest || (isnan(value) && !isnan(*largest))) *largest = value, *at = contact;
}

/// What a load inside its rim leaves moving: the smaller of the slip v and of the velocity that the rest of the rim could still
/// take away, (rim - load) W_kk. So a load that is at its rim but for rounding, or for the solver's tolerance, is no stick that
/// slips at full speed. Rolling and spinning count by the sliding that dissipates as much: v times coef[k]/coef[slide].
static double slip_inside_rim(const scree_cone *cone, int k, double room, double v, double W_kk)
{
    double slip = W_kk > 0.0 ? number_min(v, room * W_kk) : v;
    if (k == SCREE_FRICTION_SLIDE) return slip;
    return slip * cone->coef[k] / (cone->coef[SCREE_FRICTION_SLIDE] > 0.0 ? cone->coef[SCREE_FRICTION_SLIDE] : 1.0);
}

/// `lambda` is the largest eigenvalue of W_cc.
static void certify_contact(const scree_problem *problem, int c, const double *W_cc, double lambda, const double *p,
                            const double *y, scree_certificate *out)
{
    const scree_cone *cone = &problem->cone[c];
    double slip = slip_speed(cone, y), s_N = problem->law == SCREE_LAW_CONVEX ? y[0] - slip : y[0],
           power[SCREE_FRICTION_KINDS];
    worst(-s_N, c, &out->penetration_speed, &out->penetration_contact);
    if (p[0] < 0.0) worst(1.0, c, &out->cone_violation, &out->cone_contact);
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += cone->size[k++]) {
        if (!cone->size[k]) continue;
        double load = group_norm(cone->size[k], p + at), rim = cone->coef[k] * p[0],
               v = group_norm(cone->size[k], y + at);
        if (p[0] > 0.0) worst((load - rim) / p[0], c, &out->cone_violation, &out->cone_contact);
        else worst(load > 0.0 ? 1.0 : 0.0, c, &out->cone_violation, &out->cone_contact);
        double W_kk = 0.0; /* largest on the diagonal of the mechanism's own block */
        for (int i = at; i < at + cone->size[k]; ++i) W_kk = number_max(W_kk, W_cc[i * (cone_dim(cone) + 1)]);
        if (load < rim)
            worst(slip_inside_rim(cone, k, rim - load, v, W_kk), c, &out->slip_at_stick, &out->slip_contact);
    }
    scree_dissipation(cone, y, p, power);
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) out->dissipation[k] += power[k];
    out->gap += dot(cone_dim(cone), p, y) + (problem->law == SCREE_LAW_COULOMB ? slip * p[0] : 0.0);
    out->mode_count[mode_classify(cone, lambda > 0.0 ? 1.0 / lambda : 1.0, p, y)] += 1;
}

static scree_certificate certificate_without_contacts(void)
{
    return (scree_certificate){
        .penetration_contact = -1, .cone_contact = -1, .slip_contact = -1, .residual_contact = -1};
}

scree_certificate scree_problem_certify(const scree_problem *problem, const double *p, scree_error *error)
{
    scree_certificate certificate = certificate_without_contacts();
    double *y = error_stopped(error) ? NULL : vectors_for(problem, error);
    certificate.residual = (double)NAN;
    if (!y) return certificate;
    problem_certify(problem, p, y, y + problem->row_count, &certificate);
    memory_free(&problem->allocator, y);
    return certificate;
}

void problem_certify(const scree_problem *problem, const double *p, double *y, double *work, scree_certificate *out)
{
    *out = certificate_without_contacts();
    problem_velocity(problem, p, y, work);
    out->residual = residual_from_velocity(problem, p, y);
    out->load_norm = norm(problem->row_count, p);

    double scaled = 0.0, largest = 0.0, bounded = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], n = problem->offset[b + 1] - at;
        double W_bb[SCREE_DIM_MAX * SCREE_DIM_MAX];
        problem_diagonal_block(problem, b, W_bb);
        double lambda = largest_eigenvalue(n, W_bb);
        scaled += block_map_squared(problem, b, lambda > 0.0 ? 1.0 / lambda : 1.0, p + at, y + at);
        worst(block_map_squared(problem, b, 1.0, p + at, y + at), b, &largest, &out->residual_contact);
        if (b < problem->contact_count) {
            certify_contact(problem, b, W_bb, lambda, p + at, y + at, out);
            continue;
        }
        double S = problem->bound[b - problem->contact_count];
        /* inside the bound p y must vanish; at it, p y = -S |y| */
        double open_power = p[at] * y[at] + (S <= DBL_MAX ? S * fabs(y[at]) : 0.0);
        out->gap += open_power, bounded += open_power;
        out->bound_violation = worse(out->bound_violation, fabs(p[at]) > S    ? fabs(p[at]) - S
                                                           : fabs(p[at]) == S ? 0.0
                                                                              : fabs(y[at]));
    }
    /* projections of a NaN may be anything: what is no number in y is known by the residual */
    out->scaled = out->residual <= DBL_MAX ? relative(sqrt(scaled), out->load_norm) : (double)INFINITY;
    /* the convex law: where p is in K and in its bounds and y in K*, p.y (bounded rows: + S |y|) is primal minus dual value */
    out->duality_gap =
        problem->law == SCREE_LAW_CONVEX ? dot(problem->offset[problem->contact_count], p, y) + bounded : (double)NAN;
}
