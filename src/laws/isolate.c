/* isolate.c: all solutions of one contact (Coulomb law): all roots of psi, isolated with proved slopes (reduction.h).
 *
 * One variable does not serve: friction turns over a range of r_N of size |b|/|w|, however large or small the root is. So
 * s = 1/r_N is used on [0, s1], where psi = u_N/r_N has the slopes of psi_slopes, and r_N on [0, 1/s1], where
 * phi(r_N) = u_N = r_N psi(1/r_N) has slope
 *     phi' = W_NN - <w, A w> + <w, (I - A) xi>  in the metric of P^-1, 0 <= A <= I, |xi| <= M,  so
 *     S - M^2/4 <= phi' <= W_NN + |w| M.
 * What xi is at the ends of a piece says more than its slopes (may_vanish). Bisection until a piece is excluded, or is so small that the
 * slopes at its ends tell what is inside: one root, none, or a dip that is followed to its bottom. */
#include "laws/isolate.h"

#include <string.h>

/// Proved slopes of psi (Coulomb law): psi' = q_N - <w, B b> in the metric of P^-1 with 0 <= B <= I.
void psi_slopes(const contact_form *f, double *slope_min, double *slope_max)
{
    double t[FORM_N];
    cholesky_forward(f->n, FORM_N, f->L, f->b, t);
    double product = dot(f->n, f->z, t), lengths = norm(f->n, f->z) * norm(f->n, t);
    *slope_min = f->q_N - 0.5 * (product + lengths);
    *slope_max = f->q_N - 0.5 * (product - lengths);
}

enum { STACK_MAX = 256, EVALUATIONS_MAX = 20000 };
#define RESOLUTION 0x1p-12 /* relative width below which a change of sign is taken for one root */

/// The function at one place, and the friction part there.
typedef struct place {
    double v, f, xi[FORM_N];
} place;

typedef struct interval {
    place a, b;
    int halve; /* it was cut elsewhere the last time */
} interval;

/// One of the two functions, with its proved slopes.
typedef struct root_search {
    const contact_form *form;
    int in_r;                            /* 1: phi(r_N), 0: psi(s) */
    double slope_min, slope_max, w_size; /* |w| in the metric of P^-1 */
    friction_part part;
    int evaluations;
} root_search;

static double search_evaluate(root_search *g, double v, double *slope)
{
    double d, psi;
    g->evaluations += 1;
    if (!g->in_r) return psi_evaluate(g->form, SCREE_LAW_COULOMB, v, &g->part, slope);
    psi = psi_evaluate(g->form, SCREE_LAW_COULOMB, 1.0 / v, &g->part, slope ? &d : NULL);
    if (slope) *slope = psi - d / v; /* phi = r psi(1/r) */
    return v * psi;
}

static place search_place(root_search *g, double v)
{
    place at = {.v = v, .f = search_evaluate(g, v, NULL)};
    memcpy(at.xi, g->part.xi, sizeof at.xi);
    return at;
}

/// What the two ends of a piece say about psi in between.
typedef struct piece_bound {
    double psi_a, psi_b, rounding; /* of psi */
    double bend;                   /* |w|^2 E */
} piece_bound;

/// By the projections at both ends, xi(s) lies within (t (1-t) E)^1/2, in the metric of P, of the point between xi_a and xi_b at
/// t = (s - s_a)/(s_b - s_a), with
///     E = -<D, P D> - (s_b - s_a) <D, b>,   D = xi_b - xi_a                                   docs/math/one-contact.md, "All roots"
/// so that psi stays within |w| (t (1-t) E)^1/2 of the straight line between its ends. Roundings are those of every term, tens of them.
static piece_bound search_bound(const root_search *g, const interval *i)
{
    const contact_form *f = g->form;
    double s_a = g->in_r ? 1.0 / i->a.v : i->a.v, s_b = g->in_r ? 1.0 / i->b.v : i->b.v, T = s_b - s_a;
    double D[FORM_N] = {0}, E = 0.0, doubt = 0.0, terms = f->W_NN + max2(s_a, s_b) * fabs(f->q_N);
    for (int k = 0; k < f->n; ++k) D[k] = i->b.xi[k] - i->a.xi[k];
    for (int k = 0; k < f->n; ++k) {
        double size = max2(fabs(i->a.xi[k]), fabs(i->b.xi[k])), pull = dot(f->n, f->P + k * FORM_N, D);
        E -= D[k] * (pull + T * f->b[k]);
        doubt += size * (fabs(pull) + fabs(T * f->b[k])), terms += size * fabs(f->w[k]);
    }
    return (piece_bound){.psi_a = g->in_r ? i->a.f * s_a : i->a.f,
                         .psi_b = g->in_r ? i->b.f * s_b : i->b.f,
                         .rounding = 1e-14 * terms,
                         .bend = g->w_size * g->w_size * (max2(E, 0.0) + 1e-14 * doubt)};
}

/// Both ends of one sign: (1-t) |psi_a| + t |psi_b| > (t (1-t) |w|^2 E)^1/2 for all t?
static int stays_off(const root_search *g, const interval *i)
{
    piece_bound p = search_bound(g, i);
    double a = fabs(p.psi_a) - p.rounding, b = fabs(p.psi_b) - p.rounding;
    return a > 0.0 && b > 0.0 && 4.0 * a * b > p.bend;
}

/// Can the function vanish in the interval? (both ends of one sign)
static int may_vanish(const root_search *g, const interval *i)
{
    double T = i->b.v - i->a.v, spread = g->slope_max - g->slope_min;
    if (!(spread > 0.0) || stays_off(g, i)) return 0;
    if (i->a.f > 0.0) /* the two lines that bound it from below meet at or above 0? */
        return i->a.f + g->slope_min * ((i->a.f - i->b.f + g->slope_max * T) / spread) <= 0.0;
    return i->a.f + g->slope_max * ((i->b.f - i->a.f - g->slope_min * T) / spread) >= 0.0;
}

/// The friction part is near that of the root.
static void append_root(const root_search *g, double v, isolated_root *roots, int *count)
{
    double s = g->in_r ? 1.0 / v : v;
    for (int k = 0; k < *count; ++k)
        if (fabs(roots[k].s - s) <= 1e-9 * s) return; /* a double root may show in neighbouring pieces */
    if (*count >= ROOTS_MAX) return;
    isolated_root *root = &roots[(*count)++];
    root->s = s;
    memcpy(root->a, g->part.a, sizeof root->a);
}

/// The root in a piece whose ends differ in sign.
static void append_crossing(root_search *g, const interval *i, isolated_root *roots, int *count)
{
    double a = g->in_r ? 1.0 / i->b.v : i->a.v, b = g->in_r ? 1.0 / i->a.v : i->b.v;
    int rising = g->in_r ? i->a.f > 0.0 : i->b.f > 0.0; /* psi has the sign of phi */
    double s = psi_root(g->form, SCREE_LAW_COULOMB, a, b, 0.5 * (a + b), rising, &g->part, &g->evaluations);
    append_root(g, g->in_r ? 1.0 / s : s, roots, count);
}

/// A small piece whose ends agree in sign but which dips towards 0 inside: its bottom by golden section; a pair of roots if the
/// bottom lies beyond 0, a double root if it touches 0 to rounding.
static void append_dip(root_search *g, const interval *in, isolated_root *roots, int *count)
{
    const double golden = 0.6180339887498949, sign = in->a.f > 0.0 ? 1.0 : -1.0;
    double a = in->a.v, b = in->b.v, x1 = b - golden * (b - a), x2 = a + golden * (b - a);
    double f1 = sign * search_evaluate(g, x1, NULL), f2 = sign * search_evaluate(g, x2, NULL);
    double rounding = 4e-15 * g->form->W_NN * (g->in_r ? in->b.v : 1.0);
    for (int i = 0; i < 60 && b - a > 1e-10 * b && f1 > -rounding && f2 > -rounding; ++i) {
        if (f1 < f2) b = x2, x2 = x1, f2 = f1, x1 = b - golden * (b - a), f1 = sign * search_evaluate(g, x1, NULL);
        else a = x1, x1 = x2, f1 = f2, x2 = a + golden * (b - a), f2 = sign * search_evaluate(g, x2, NULL);
    }
    double bottom = f1 < f2 ? x1 : x2, value = min2(f1, f2);
    if (value < -rounding) {
        append_crossing(g, &(interval){in->a, {bottom, sign * value, {0}}, 0}, roots, count);
        append_crossing(g, &(interval){{bottom, sign * value, {0}}, in->b, 0}, roots, count);
    } else if (value <= rounding) {
        append_root(g, bottom, roots, count);
    }
}

/// Where to cut a piece with a crossing so that what is left beside a narrow middle is likely to be excluded: two places about where the
/// straight line crosses, as near to it as the bend allows. Returns 0 where halving does as well.
static int cuts_of_crossing(const root_search *g, const interval *i, double at[2])
{
    piece_bound p = search_bound(g, i);
    double fall = p.psi_a - p.psi_b, T = i->b.v - i->a.v;
    double middle = i->a.v + T * (i->a.f / (i->a.f - i->b.f));
    double half = max2(0.4 * RESOLUTION * i->b.v, T * min2(p.bend / (fall * fall), 1.0));
    int count = 0;
    if (!(half < 0.125 * T)) return 0;
    if (middle - half > i->a.v) at[count++] = middle - half;
    if (middle + half < i->b.v) at[count++] = middle + half;
    return count;
}

/// Appends the roots in [lo, hi] as values of s. Returns 0 if it ran out of evaluations.
static int search_roots(root_search *g, double lo, double hi, isolated_root *roots, int *count)
{
    interval stack[STACK_MAX];
    int depth = 1;
    stack[0].a = search_place(g, lo), stack[0].b = search_place(g, hi), stack[0].halve = 0;
    while (depth > 0 && *count < ROOTS_MAX) {
        if (g->evaluations > EVALUATIONS_MAX) return 0;
        interval i = stack[--depth];
        int crosses = (i.a.f > 0.0) != (i.b.f > 0.0);
        if (!crosses && !may_vanish(g, &i)) continue;
        double slope_a = 0.0, slope_b = 0.0, up = i.b.f > 0.0 ? 1.0 : -1.0;
        if (i.b.v - i.a.v <= RESOLUTION * i.b.v) { /* small: the slopes at its ends tell what is inside */
            search_evaluate(g, i.a.v, &slope_a), search_evaluate(g, i.b.v, &slope_b);
            int plain = crosses ? up * slope_a > 0.0 && up * slope_b > 0.0 : up * slope_a >= 0.0 || up * slope_b <= 0.0;
            int last = plain || !crosses || i.b.v - i.a.v <= 0x1p-30 * i.b.v;
            if (last && crosses) append_crossing(g, &i, roots, count);
            if (last && !crosses && !plain) append_dip(g, &i, roots, count);
            if (last) continue;
        }
        if (depth + 3 > STACK_MAX) return 0;
        double at[2];
        place from = i.a;
        int cuts = crosses && !i.halve ? cuts_of_crossing(g, &i, at) : 0, halve = cuts > 0;
        if (cuts == 0) at[cuts++] = 0.5 * (i.a.v + i.b.v);
        for (int k = 0; k < cuts; ++k) {
            place m = search_place(g, at[k]);
            stack[depth++] = (interval){from, m, halve};
            from = m;
        }
        stack[depth++] = (interval){from, i.b, halve};
    }
    return 1;
}

int isolate_roots(const contact_form *f, isolated_root roots[ROOTS_MAX], int *evaluations, int *complete)
{
    double t[FORM_N], M = form_friction_size(f), Z = norm(f->n, f->z);
    int count = 0;
    cholesky_forward(f->n, FORM_N, f->L, f->b, t);
    double E = norm(f->n, t), s1 = E > 0.0 && Z > 0.0 ? Z / E : 1.0;
    *complete = 1;
    if (f->q_N >= 0.0) {
        if (!(Z * M > f->W_NN)) return 0; /* psi > 0 everywhere: |w'xi| <= Z M */
        /* twice the bound: sliding lies on it where friction has one component, and rounding must not put it beyond the end */
        if (f->q_N > 0.0) s1 = min2(s1, 2.0 * (Z * M - f->W_NN) / f->q_N);
    }
    root_search in_s = {.form = f, .in_r = 0, .w_size = Z}, in_r = {.form = f, .in_r = 1, .w_size = Z};
    psi_slopes(f, &in_s.slope_min, &in_s.slope_max);
    in_r.slope_min = f->S - 0.25 * M * M, in_r.slope_max = f->W_NN + Z * M;
    /* r_N = 0 is take-off, not a root: with q_N = 0 start a little above it */
    double lowest_r = f->q_N != 0.0 ? max2(fabs(f->q_N) / (f->W_NN + Z * M), 1e-300) : 1e-9 / s1;
    *complete &= search_roots(&in_r, min2(0.999 * lowest_r, 1.0 / s1), 1.0 / s1, roots, &count);
    *complete &= search_roots(&in_s, 1e-14 * s1, s1, roots, &count);
    *evaluations = in_s.evaluations + in_r.evaluations;
    for (int i = 1; i < count; ++i) /* insertion sort, descending */
        for (int j = i; j > 0 && roots[j].s > roots[j - 1].s; --j) {
            isolated_root swap = roots[j];
            roots[j] = roots[j - 1], roots[j - 1] = swap;
        }
    return count;
}
