/* cone.h: projection on the friction cone K, on its dual K*, and the derivative of the projection.
 *
 * With x_N the normal component and x_k the load of mechanism k, the nearest point of K has normal part
 *     n = argmin over n >= 0 of (n - x_N)^2 + sum_k max(0, |x_k| - mu_k n)^2,
 * and each load is kept if |x_k| <= mu_k n, else shortened to length mu_k n.        [TA] App. C; [AB] Prop. 5.2 for two loads
 *
 * The function is convex in n, so n is found exactly: start with every rim active, n = (x_N + sum mu_k |x_k|)/(1 + sum mu_k^2),
 * and drop those whose load the current n already contains. n only grows, so a dropped rim never returns: at most four passes.
 * Departs from [TA], who sort the breakpoints |x_k|/mu_k: no division by mu_k (which may be 0), no sort.
 *
 * Scale: x with a sum of squares between 1e-250 and 1e250 is safe; anything else is brought there by a power of two first. */
#ifndef SCREE_LAWS_CONE_H
#define SCREE_LAWS_CONE_H

#include "math/scalar.h"

#include <scree/laws.h>

SCREE_HD int cone_dim(const scree_cone *c)
{
    return 1 + c->size[0] + c->size[1] + c->size[2];
}

/// Sliding, rolling and spinning, or sliding alone: most contacts. Kernels are compiled for these with sizes that are constants.
SCREE_HD int cone_is_full(const scree_cone *c)
{
    return c->size[0] == 2 && c->size[1] == 2 && c->size[2] == 1;
}

SCREE_HD int cone_slides_only(const scree_cone *c)
{
    return c->size[0] == 2 && !c->size[1] && !c->size[2];
}

/// The same cone, its sizes as constants.
SCREE_HD_INLINE scree_cone cone_sized(const scree_cone *c, int slide, int roll, int spin)
{
    return (scree_cone){{slide, roll, spin}, {c->coef[0], c->coef[1], c->coef[2]}};
}

/// Euclidean norm of the load or velocity of one mechanism, size 0, 1 or 2.
SCREE_HD double group_norm(int size, const double *l)
{
    if (size == 2) return sqrt(l[0] * l[0] + l[1] * l[1]);
    return size == 1 ? fabs(l[0]) : 0.0;
}

/// The core. Fills t (norms of the loads) and n; says which rims are active. Returns 0, and nothing else, where squares of x or of
/// the coefficients might overflow or lose what matters.
SCREE_HD int cone_project_core(const scree_cone *c, const double *x, double t[SCREE_FRICTION_KINDS], double *n,
                               scree_projection *where)
{
    const double *mu = c->coef;
    const double x0 = x[0]; /* cppcheck-suppress uninitvar ; every cone has a normal component */
    double num = x0, den = 1.0, size = x0 * x0;
    unsigned active = 0;
    int inside = x0 > 0.0;

    const double *l = x + 1;
    SCREE_UNROLL
    for (int k = 0; k < SCREE_FRICTION_KINDS; l += c->size[k++]) {
        t[k] = 0.0;
        if (!c->size[k]) continue;
        double squares = l[0] * l[0] + (c->size[k] == 2 ? l[1] * l[1] : 0.0);
        t[k] = c->size[k] == 2 ? sqrt(squares) : fabs(l[0]); /* the square root of a square is exact */
        active |= 1u << k;
        size += squares, num += mu[k] * t[k], den += mu[k] * mu[k];
        inside = inside && t[k] <= mu[k] * x0;
    }
    if (!(size > 1e-250 && size < 1e250 && den < 1e50)) return 0;
    *n = x0;
    *where = (scree_projection){SCREE_REGION_INSIDE, 0};
    if (inside) return 1;
    *n = 0.0;
    *where = (scree_projection){SCREE_REGION_APEX, active};
    if (!(num > 0.0)) return 1;
    /* Rim k is dropped if its load is inside at the n of the others, t_k <= mu_k num'/den'. That is the same as inside at the n of
     * all, but keeps its digits: with a large mu_k both sides of t_k <= mu_k n agree to rounding whatever the answer. */
    for (int dropped = 1; dropped;) {
        dropped = 0;
        SCREE_UNROLL
        for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) {
            if (!(active >> k & 1u)) continue;
            double num_k = x0, den_k = 1.0; /* summed again: no cancellation is left by the dropped parts */
            SCREE_UNROLL
            for (int j = 0; j < SCREE_FRICTION_KINDS; ++j)
                if (j != k && (active >> j & 1u)) num_k += mu[j] * t[j], den_k += mu[j] * mu[j];
            if (t[k] * den_k <= mu[k] * num_k) active &= ~(1u << k), num = num_k, den = den_k, dropped = 1;
        }
    }
    *n = num / den;
    *where = (scree_projection){active ? SCREE_REGION_FACE : SCREE_REGION_INSIDE, active};
    if (!active) *n = max2(x0, 0.0); /* in K but for rounding */
    return 1;
}

/// x times a power of two that brings its largest entry to [1/2, 1); coefficients cut at 1e25, where 1 + mu^2 has long been
/// mu^2. Returns the exponent taken out.
SCREE_HD int cone_rescale(const scree_cone *c, const double *x, scree_cone *safe, double *z)
{
    int dim = cone_dim(c), e;
    double m = 0.0;
    for (int i = 0; i < dim; ++i) m = max2(m, fabs(x[i]));
    e = exponent_of(m);
    for (int i = 0; i < dim; ++i) z[i] = ldexp(x[i], -e);
    *safe = *c;
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) safe->coef[k] = min2(c->coef[k], 1e25);
    return e;
}

/// p from n, t and the active rims. x and p may be the same.
SCREE_HD void cone_shorten(const scree_cone *c, const double *x, const double t[SCREE_FRICTION_KINDS], double n,
                           unsigned active, double *p)
{
    p[0] = n;
    SCREE_UNROLL
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++]) {
        double s = 1.0;
        if (active >> k & 1u) s = t[k] > 0.0 ? c->coef[k] * n / t[k] : 0.0;
        if (c->size[k] > 0) p[at] = x[at] * s;
        if (c->size[k] > 1) p[at + 1] = x[at + 1] * s;
    }
}

/// p = proj_K(x), any finite x. x and p may be the same.
SCREE_HD scree_projection cone_project(const scree_cone *c, const double *x, double *p)
{
    double t[SCREE_FRICTION_KINDS], n;
    scree_projection where = {SCREE_REGION_APEX, 0};
    if (cone_project_core(c, x, t, &n, &where)) {
        cone_shorten(c, x, t, n, where.active, p);
        return where;
    }
    scree_cone safe;
    double z[SCREE_DIM_MAX];
    int e = cone_rescale(c, x, &safe, z), dim = cone_dim(c);
    if (cone_project_core(&safe, z, t, &n, &where)) cone_shorten(&safe, z, t, n, where.active, z);
    else
        for (int i = 0; i < dim; ++i) z[i] = 0.0; /* x = 0 */
    for (int i = 0; i < dim; ++i) {
        p[i] = ldexp(z[i], e);
        if (fabs(p[i]) > DBL_MAX) p[i] = copysign(DBL_MAX, p[i]); /* |p| <= |x| may round past the largest double */
    }
    return where;
}

/// y = proj_K*(x) = x + proj_K(-x). x and y may be the same.
SCREE_HD scree_projection dual_project(const scree_cone *c, const double *x, double *y)
{
    double z[SCREE_DIM_MAX] = {0};
    int dim = cone_dim(c);
    for (int i = 0; i < dim; ++i) z[i] = -x[i];
    scree_projection where = cone_project(c, z, z);
    for (int i = 0; i < dim; ++i) y[i] = x[i] + z[i];
    if (where.region != SCREE_REGION_FACE) /* inside K is the apex of K*, and the reverse */
        where.region = where.region == SCREE_REGION_INSIDE ? SCREE_REGION_APEX : SCREE_REGION_INSIDE;
    return where;
}

/// D = derivative of proj_K at x. Inside: identity. Apex: 0. Face, with e_k = x_k/|x_k| on the active rims A:
///     dn   = (1, mu_k e_k) / (1 + sum_A mu_k^2),       p_k = mu_k n e_k
///     dp_k = mu_k e_k dn + (mu_k n/|x_k|) (I - e_k e_k')   on active rims,   dp_k = dx_k elsewhere.
SCREE_HD scree_projection cone_project_derivative(const scree_cone *c, const double *x, double *D)
{
    scree_cone safe = *c;
    double z[SCREE_DIM_MAX], t[SCREE_FRICTION_KINDS], n = 0.0, dn[SCREE_DIM_MAX] = {0};
    int dim = cone_dim(c);
    scree_projection where = {SCREE_REGION_APEX, 0};
    for (int i = 0; i < dim; ++i) z[i] = x[i];
    if (!cone_project_core(c, z, t, &n, &where)) { /* D does not change with the scale of x */
        cone_rescale(c, x, &safe, z);
        cone_project_core(&safe, z, t, &n, &where);
    }
    for (int i = 0; i < dim * dim; ++i) D[i] = 0.0;
    if (where.region == SCREE_REGION_APEX) return where;
    if (where.region == SCREE_REGION_INSIDE) {
        for (int i = 0; i < dim; ++i) D[i * dim + i] = 1.0;
        return where;
    }
    double den = 1.0;
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k)
        if (where.active >> k & 1u) den += safe.coef[k] * safe.coef[k];
    dn[0] = 1.0 / den;
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++])
        for (int i = 0; i < c->size[k]; ++i)
            if (where.active >> k & 1u) dn[at + i] = safe.coef[k] * (z[at + i] / t[k]) / den;

    for (int j = 0; j < dim; ++j) D[j] = dn[j];
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++])
        for (int i = 0; i < c->size[k]; ++i) {
            double *row = D + (at + i) * dim;
            if (!(where.active >> k & 1u)) {
                row[at + i] = 1.0;
                continue;
            }
            double mu = safe.coef[k], e = z[at + i] / t[k], turn = mu * n / t[k];
            for (int j = 0; j < dim; ++j) row[j] = mu * e * dn[j];
            if (c->size[k] == 2)
                for (int j = 0; j < 2; ++j) row[at + j] += turn * ((i == j) - e * z[at + j] / t[k]);
        }
    return where;
}

#endif
