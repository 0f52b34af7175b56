/* isolate.c: all solutions of one contact (Coulomb law): all roots of psi, isolated with proved slopes (reduction.h).
 *
 * One variable does not serve: friction turns over a range of r_N of size |b|/|w|, however large or small the root is. So
 * s = 1/r_N is used on [0, s1], where psi = u_N/r_N has the slopes of psi_slopes, and r_N on [0, 1/s1], where
 * phi(r_N) = u_N = r_N psi(1/r_N) has slope
 *     phi' = W_NN - <w, A w> + <w, (I - A) xi>  in the metric of P^-1, 0 <= A <= I, |xi| <= M,  so
 *     S - M^2/4 <= phi' <= W_NN + |w| M.
 * Bisection until a piece is excluded by the slopes of its function, or is so small that the slopes at its ends tell what is
 * inside: one root, none, or a dip that is followed to its bottom. */
#include "laws/isolate.h"

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

typedef struct interval {
    double a, f_a, b, f_b;
} interval;

/// One of the two functions, with its proved slopes.
typedef struct root_search {
    const contact_form *form;
    int in_r; /* 1: phi(r_N), 0: psi(s) */
    double slope_min, slope_max;
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

/// Can the function vanish in the interval, given its slopes? (both ends of one sign)
static int may_vanish(const root_search *g, const interval *i)
{
    double T = i->b - i->a, spread = g->slope_max - g->slope_min;
    if (!(spread > 0.0)) return 0;
    if (i->f_a > 0.0) /* the two lines that bound it from below meet at or above 0? */
        return i->f_a + g->slope_min * ((i->f_a - i->f_b + g->slope_max * T) / spread) <= 0.0;
    return i->f_a + g->slope_max * ((i->f_b - i->f_a - g->slope_min * T) / spread) >= 0.0;
}

static void append_root(const root_search *g, double v, double *roots, int *count)
{
    double s = g->in_r ? 1.0 / v : v;
    for (int k = 0; k < *count; ++k)
        if (fabs(roots[k] - s) <= 1e-9 * s) return; /* a double root may show in neighbouring pieces */
    if (*count < ROOTS_MAX) roots[(*count)++] = s;
}

/// The root in a piece whose ends differ in sign.
static void append_crossing(root_search *g, const interval *i, double *roots, int *count)
{
    double a = g->in_r ? 1.0 / i->b : i->a, b = g->in_r ? 1.0 / i->a : i->b;
    int rising = g->in_r ? i->f_a > 0.0 : i->f_b > 0.0; /* psi has the sign of phi */
    double s = psi_root(g->form, SCREE_LAW_COULOMB, a, b, 0.5 * (a + b), rising, &g->part, &g->evaluations);
    append_root(g, g->in_r ? 1.0 / s : s, roots, count);
}

/// A small piece whose ends agree in sign but which dips towards 0 inside: its bottom by golden section; a pair of roots if the
/// bottom lies beyond 0, a double root if it touches 0 to rounding.
static void append_dip(root_search *g, const interval *in, double *roots, int *count)
{
    const double golden = 0.6180339887498949, sign = in->f_a > 0.0 ? 1.0 : -1.0;
    double a = in->a, b = in->b, x1 = b - golden * (b - a), x2 = a + golden * (b - a);
    double f1 = sign * search_evaluate(g, x1, NULL), f2 = sign * search_evaluate(g, x2, NULL);
    double rounding = 4e-15 * g->form->W_NN * (g->in_r ? in->b : 1.0);
    for (int i = 0; i < 60 && b - a > 1e-10 * b && f1 > -rounding && f2 > -rounding; ++i) {
        if (f1 < f2) b = x2, x2 = x1, f2 = f1, x1 = b - golden * (b - a), f1 = sign * search_evaluate(g, x1, NULL);
        else a = x1, x1 = x2, f1 = f2, x2 = a + golden * (b - a), f2 = sign * search_evaluate(g, x2, NULL);
    }
    double bottom = f1 < f2 ? x1 : x2, value = min2(f1, f2);
    if (value < -rounding) {
        append_crossing(g, &(interval){in->a, in->f_a, bottom, sign * value}, roots, count);
        append_crossing(g, &(interval){bottom, sign * value, in->b, in->f_b}, roots, count);
    } else if (value <= rounding) {
        append_root(g, bottom, roots, count);
    }
}

/// Appends the roots in [lo, hi] as values of s. Returns 0 if it ran out of evaluations.
static int search_roots(root_search *g, double lo, double hi, double *roots, int *count)
{
    interval stack[STACK_MAX];
    int depth = 1;
    stack[0] = (interval){lo, search_evaluate(g, lo, NULL), hi, search_evaluate(g, hi, NULL)};
    while (depth > 0 && *count < ROOTS_MAX) {
        if (g->evaluations > EVALUATIONS_MAX) return 0;
        interval i = stack[--depth];
        int crosses = (i.f_a > 0.0) != (i.f_b > 0.0);
        if (!crosses && !may_vanish(g, &i)) continue;
        double slope_a = 0.0, slope_b = 0.0, up = i.f_b > 0.0 ? 1.0 : -1.0;
        if (i.b - i.a <= RESOLUTION * i.b) { /* small: the slopes at its ends tell what is inside */
            search_evaluate(g, i.a, &slope_a), search_evaluate(g, i.b, &slope_b);
            int plain = crosses ? up * slope_a > 0.0 && up * slope_b > 0.0 : up * slope_a >= 0.0 || up * slope_b <= 0.0;
            int last = plain || !crosses || i.b - i.a <= 0x1p-30 * i.b;
            if (last && crosses) append_crossing(g, &i, roots, count);
            if (last && !crosses && !plain) append_dip(g, &i, roots, count);
            if (last) continue;
        }
        if (depth + 2 > STACK_MAX) return 0;
        double m = 0.5 * (i.a + i.b), f_m = search_evaluate(g, m, NULL);
        stack[depth++] = (interval){i.a, i.f_a, m, f_m};
        stack[depth++] = (interval){m, f_m, i.b, i.f_b};
    }
    return 1;
}

int isolate_roots(const contact_form *f, double roots[ROOTS_MAX], int *evaluations, int *complete)
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
    root_search in_s = {.form = f, .in_r = 0}, in_r = {.form = f, .in_r = 1};
    psi_slopes(f, &in_s.slope_min, &in_s.slope_max);
    in_r.slope_min = f->S - 0.25 * M * M, in_r.slope_max = f->W_NN + Z * M;
    /* r_N = 0 is take-off, not a root: with q_N = 0 start a little above it */
    double lowest_r = f->q_N != 0.0 ? max2(fabs(f->q_N) / (f->W_NN + Z * M), 1e-300) : 1e-9 / s1;
    *complete &= search_roots(&in_r, min2(0.999 * lowest_r, 1.0 / s1), 1.0 / s1, roots, &count);
    *complete &= search_roots(&in_s, 1e-14 * s1, s1, roots, &count);
    *evaluations = in_s.evaluations + in_r.evaluations;
    for (int i = 1; i < count; ++i) /* insertion sort, descending */
        for (int j = i; j > 0 && roots[j] > roots[j - 1]; --j) {
            double swap = roots[j];
            roots[j] = roots[j - 1], roots[j - 1] = swap;
        }
    return count;
}
