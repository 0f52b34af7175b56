/* reduction.h: one contact with sliding, rolling and spinning, exactly, by reduction to one scalar.        docs/math/one-contact.md
 *
 * With s = 1/r_N and xi = x/r_N the friction part solves, for given s, the strictly convex problem
 *     xi(s) = argmin over |xi_k| <= mu_k of  1/2 xi'P xi + xi'(w + s b)
 * and what is left is a root of
 *     psi(s) = W_NN + w'xi(s) + s q_N                         (u_N / r_N, Coulomb)
 *     psi(s) = W_NN + w'xi(s) + s q_N - sum_k mu_k^2 a_k(s)   (u_N / r_N - sum mu_k |v_k| / r_N, convex law: r_N psi(1/r_N)
 *                                                              increases with r_N, so psi changes sign once)
 * where a_k >= 0 are the multipliers: (P + diag(a)) xi = -(w + s b).
 *
 * In s, not in r_N: the interval is bounded (psi(0) > 0 for definite W), the radii are constant,
 * and since xi(s) is a projection in the metric of P, psi has proved slopes
 *     psi' = q_N - <w, B b> in the metric of P^-1 with some 0 <= B <= I,  so
 *     q_N - (<w, b> + |w| |b|)/2 <= psi' <= q_N - (<w, b> - |w| |b|)/2,
 * which proves a root unique (psi falls) or isolates them all (exact.c).
 *
 * The inner problem is solved through its concave dual in at most three multipliers by Newton's method with a line search; each
 * step is a linear complementarity problem of eight cases. */
#ifndef SCREE_LAWS_REDUCTION_H
#define SCREE_LAWS_REDUCTION_H

#include "laws/form.h"

/// One active set: bit k of `set`: a_k + d_k free, else d_k = -a_k. Returns by how much the conditions of the others are missed (<= 0: it
/// is the answer); infinite where M has no factor there. m and set are constants at most calls.
SCREE_HD_INLINE double bounded_newton_try(int m, int set, const double *M, const double *h, const double *a, double *t)
{
    double A[9], g[3], L[9], wrong = 0.0;
    int id[3], n = 0;
    SCREE_UNROLL
    for (int k = 0; k < m; ++k) {
        if (set >> k & 1) id[n++] = k;
        t[k] = -a[k];
    }
    SCREE_UNROLL
    for (int i = 0; i < n; ++i) {
        g[i] = h[id[i]];
        SCREE_UNROLL
        for (int k = 0; k < m; ++k)
            if (!(set >> k & 1)) g[i] += M[id[i] * m + k] * a[k];
        SCREE_UNROLL
        for (int j = 0; j < n; ++j) A[i * 3 + j] = M[id[i] * m + id[j]];
    }
    if (!cholesky_factor(n, 3, A, 0.0, L)) return SCREE_INFINITY;
    cholesky_solve(n, 3, L, g, g);
    SCREE_UNROLL
    for (int i = 0; i < n; ++i) {
        t[id[i]] = g[i];
        wrong = max2(wrong, -(a[id[i]] + g[i]) * M[id[i] * m + id[i]]);
    }
    SCREE_UNROLL
    for (int k = 0; k < m; ++k) { /* multiplier of d_k >= -a_k: the gradient must not point inwards */
        if (set >> k & 1) continue;
        double slope = -h[k];
        SCREE_UNROLL
        for (int j = 0; j < m; ++j) slope += M[k * m + j] * t[j];
        wrong = max2(wrong, -slope);
    }
    return wrong;
}

/// Minimises 1/2 d'M d - h'd over d >= -a (order m <= 3, M definite): the active set is one of 2^m; the first consistent one
/// is the answer, and if rounding leaves none, the least wrong.
SCREE_HD void bounded_newton_step(int m, const double *M, const double *h, const double *a, double *d)
{
    double best = SCREE_INFINITY, t[3];
    for (int set = (1 << m) - 1; set >= 0; --set) {
        double wrong = m == 3 && set == 7   ? bounded_newton_try(3, 7, M, h, a, t) /* most of them */
                       : m == 1 && set == 1 ? bounded_newton_try(1, 1, M, h, a, t)
                                            : bounded_newton_try(m, set, M, h, a, t);
        if (wrong >= best) continue;
        best = wrong;
        for (int k = 0; k < m; ++k) d[k] = max2(t[k], -a[k]);
        if (wrong <= 0.0) return;
    }
    if (best == SCREE_INFINITY)
        for (int k = 0; k < m; ++k) d[k] = 0.0;
}

/// State of the friction part at one s. `a` carries over from call to call as the warm start.
typedef struct friction_part {
    double a[SCREE_FRICTION_KINDS];      /* multipliers                                     */
    double xi[FORM_N];                   /* loads over r_N                                  */
    double length[SCREE_FRICTION_KINDS]; /* |xi_k|                                          */
    double L[FORM_N * FORM_N];           /* factor of P + diag(a)                           */
    int steps;                           /* Newton steps taken, summed over all calls       */
} friction_part;

/// xi = -(P + diag(a))^-1 g; lengths; returns the largest violation of 0 <= a, |xi_k| <= mu_k, complementary, relative to mu_k.
SCREE_HD_INLINE double friction_evaluate(int n, const contact_form *f, const double *g, friction_part *s)
{
    double A[FORM_N * FORM_N];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) A[i * FORM_N + j] = f->P[i * FORM_N + j];
    for (int k = 0; k < f->m; ++k)
        for (int i = f->at[k]; i < f->at[k] + f->size[k]; ++i) A[i * FORM_N + i] += s->a[k];
    if (!cholesky_factor(n, FORM_N, A, 0.0, s->L)) return SCREE_INFINITY;
    for (int i = 0; i < n; ++i) s->xi[i] = -g[i];
    cholesky_solve(n, FORM_N, s->L, s->xi, s->xi);
    double worst = 0.0;
    for (int k = 0; k < f->m; ++k) {
        s->length[k] = group_norm(f->size[k], s->xi + f->at[k]);
        double excess = s->length[k] / f->mu[k] - 1.0;
        worst = max2(worst, s->a[k] > 0.0 ? fabs(excess) : excess);
    }
    return worst;
}

/// Dual function: concave in a, its maximum over a >= 0 is the minimum of the inner problem.
SCREE_HD double friction_dual(const contact_form *f, const double *g, const friction_part *s)
{
    double d = dot(f->n, g, s->xi);
    for (int k = 0; k < f->m; ++k) d -= s->a[k] * f->mu[k] * f->mu[k];
    return 0.5 * d;
}

/// (P + diag(a))^-1 applied to each load apart: Y_k, and M_jk = xi_j . Y_k (minus the Hessian of the dual).
SCREE_HD_INLINE void friction_curvature(int n, const contact_form *f, const friction_part *s,
                                        double Y[SCREE_FRICTION_KINDS][FORM_N], double M[9])
{
    for (int k = 0; k < f->m; ++k) {
        for (int i = 0; i < n; ++i) Y[k][i] = 0.0;
        for (int i = f->at[k]; i < f->at[k] + f->size[k]; ++i) Y[k][i] = s->xi[i];
        cholesky_solve(n, FORM_N, s->L, Y[k], Y[k]);
    }
    for (int j = 0; j < f->m; ++j)
        for (int k = 0; k < f->m; ++k) M[j * f->m + k] = dot(f->size[j], s->xi + f->at[j], Y[k] + f->at[j]);
}

/// Relative violation below which Newton needs no line search, and the dual function is too flat to judge by.
#define FRICTION_NEAR 1e-6
/// A few roundings of |xi_k|/mu_k.
#define FRICTION_TOLERANCE 4e-16

/// One step d from s: M and the gradient of the dual; with `secular`, Newton on 1/mu_k - 1/|xi_k|, nearly linear in a_k.
SCREE_HD void friction_step(const contact_form *f, const friction_part *s, const double *M, int secular, double *d)
{
    double h[SCREE_FRICTION_KINDS];
    for (int k = 0; k < f->m; ++k) {
        double l = s->length[k], mu = f->mu[k];
        h[k] = secular ? l * l * (l / mu - 1.0) : 0.5 * (l - mu) * (l + mu);
    }
    bounded_newton_step(f->m, M, h, s->a, d);
}

/// Solves the inner problem for the linear term g. Returns the violation reached. n is f->n, a constant at the call.
SCREE_HD_INLINE double friction_solve_kernel(int n, const contact_form *f, const double *g, friction_part *s)
{
    double violation = friction_evaluate(n, f, g, s);
    for (int step = 0; step < 200 && violation > FRICTION_TOLERANCE; ++step) {
        double Y[SCREE_FRICTION_KINDS][FORM_N], M[9], d[3], before = friction_dual(f, g, s);
        friction_curvature(n, f, s, Y, M);
        for (int j = 0; j < f->m; ++j) {
            for (int k = 0; k < j; ++k) M[j * f->m + k] = M[k * f->m + j] = 0.5 * (M[j * f->m + k] + M[k * f->m + j]);
            M[j * f->m + j] = M[j * f->m + j] * (1.0 + 4e-16) + 1e-300;
        }
        friction_part trial = *s;
        friction_step(f, s, M, 1, d);
        for (int k = 0; k < f->m; ++k) trial.a[k] = s->a[k] + d[k];
        double reached = friction_evaluate(n, f, g, &trial);
        if (violation <= FRICTION_NEAR) { /* quadratic until rounding, then done */
            if (!(reached < violation)) break;
            int last = reached > 0.1 * violation;
            *s = trial, violation = reached, s->steps += 1;
            if (last) break;
            continue;
        }
        double dual = reached < SCREE_INFINITY ? friction_dual(f, g, &trial) : -SCREE_INFINITY;
        if (!(reached < 0.3 * violation && dual > before)) {
            /* compare with Newton ascent of the concave dual, whose line search cannot fail but by rounding */
            friction_part ascent = *s;
            double slope = 0.0, value = -SCREE_INFINITY, got = SCREE_INFINITY;
            friction_step(f, s, M, 0, d);
            for (int k = 0; k < f->m; ++k) slope += 0.5 * (s->length[k] - f->mu[k]) * (s->length[k] + f->mu[k]) * d[k];
            for (double t = 1.0; t > 1e-9 && !(value >= before + 1e-4 * t * slope); t *= 0.5) {
                for (int k = 0; k < f->m; ++k) ascent.a[k] = s->a[k] + t * d[k];
                got = friction_evaluate(n, f, g, &ascent);
                value = got < SCREE_INFINITY ? friction_dual(f, g, &ascent) : -SCREE_INFINITY;
            }
            if (value >= dual) trial = ascent, reached = got, dual = value;
            if (!(dual > before)) break;
        }
        *s = trial, violation = reached, s->steps += 1;
    }
    return violation;
}

SCREE_HD double friction_solve(const contact_form *f, const double *g, friction_part *s)
{
    switch (f->n) {
    case 5: return friction_solve_kernel(5, f, g, s);
    case 3: return friction_solve_kernel(3, f, g, s);
    case 2: return friction_solve_kernel(2, f, g, s);
    default: return friction_solve_kernel(f->n, f, g, s);
    }
}

/// psi and its derivative at s (law chooses which); the friction part is left in `part`.
SCREE_HD double psi_evaluate(const contact_form *f, scree_law law, double s, friction_part *part, double *slope)
{
    double g[FORM_N] = {0};
    for (int i = 0; i < f->n; ++i) g[i] = f->w[i] + s * f->b[i];
    friction_solve(f, g, part);
    double psi = f->W_NN + dot(f->n, f->w, part->xi) + s * f->q_N;
    if (law == SCREE_LAW_CONVEX)
        for (int k = 0; k < f->m; ++k) psi -= f->mu[k] * f->mu[k] * part->a[k];
    if (!slope) return psi;

    /* (P + D) xi' + sum_active a_k' E_k xi = -b,  xi_k . xi_k' = 0 on the rims */
    double Y[SCREE_FRICTION_KINDS][FORM_N], M[9], y0[FORM_N], A[9], h[3];
    int id[3], n = 0;
    friction_curvature(f->n, f, part, Y, M);
    for (int i = 0; i < f->n; ++i) y0[i] = -f->b[i];
    cholesky_solve(f->n, FORM_N, part->L, y0, y0);
    for (int k = 0; k < f->m; ++k)
        if (part->a[k] > 0.0) id[n++] = k;
    for (int i = 0; i < n; ++i) {
        h[i] = dot(f->size[id[i]], part->xi + f->at[id[i]], y0 + f->at[id[i]]);
        for (int j = 0; j < n; ++j) A[i * n + j] = M[id[i] * f->m + id[j]];
    }
    *slope = f->q_N;
    if (n && !gauss_solve(n, A, h))
        for (int i = 0; i < n; ++i) h[i] = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < f->n; ++j) y0[j] -= h[i] * Y[id[i]][j];
        if (law == SCREE_LAW_CONVEX) *slope -= f->mu[id[i]] * f->mu[id[i]] * h[i];
    }
    *slope += dot(f->n, f->w, y0);
    return psi;
}

/// Root of psi in [lo, hi] with psi(lo) > 0 > psi(hi) (or psi(lo) < 0 < psi(hi)): Newton inside a shrinking bracket, bisection
/// when Newton leaves it or does not halve it. Returns s; `part` belongs to it.
SCREE_HD double psi_root(const contact_form *f, scree_law law, double lo, double hi, double start, int rising,
                         friction_part *part, int *evaluations)
{
    double s = start, slope, scale = f->W_NN, width = hi - lo;
    for (int i = 0; i < 200; ++i) {
        double psi = psi_evaluate(f, law, s, part, &slope);
        *evaluations += 1;
        if ((psi > 0.0) == (rising != 0)) hi = s;
        else lo = s;
        if (fabs(psi) <= 2e-16 * scale || hi - lo <= 2e-16 * hi) break;
        double next = s - psi / slope;
        if (fabs(next - s) <= 2e-16 * s) break;
        if (!(next > lo && next < hi) || (i % 8 == 7 && hi - lo > 0.1 * width)) next = 0.5 * (lo + hi);
        if (i % 8 == 7) width = hi - lo;
        s = next;
    }
    return s;
}

#endif
