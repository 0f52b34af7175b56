/* twins.h: what the tests of the laws judge with: distances to the cones, slow twins of the projection, sample sizes.
 *
 * Distances are geometric, in long double, so that 8 roundings of a double can be seen:
 *     to the rim of mechanism k of K:  (|l_k| - mu_k n) / (1 + mu_k^2)^1/2
 *     to the rim of K*:                (sum mu_k |v_k| - n) / (1 + sum mu_k^2)^1/2
 * Positive outside. Outside K the distance to K is at least the largest of these and at most their sum. */
#ifndef SCREE_TESTS_TWINS_H
#define SCREE_TESTS_TWINS_H

#include <float.h>
#include <math.h>
#include <scree/laws.h>
#include <stdlib.h>

typedef long double wide;

#ifndef SCREE_SAMPLE_SHARE
#define SCREE_SAMPLE_SHARE 1
#endif

/// SCREE_LONG=1 in the environment: studies in full.
static inline int is_long(void)
{
    const char *text = getenv("SCREE_LONG");
    return text && text[0] == '1';
}

/// How many samples: `usual`, or `full` in a long run.
static inline long samples(long usual, long full)
{
    return is_long() ? full : usual;
}

/// The same for costly samples. Sanitizer builds, ten times slower, take a tenth of the usual ones: they look for slips of memory and
/// arithmetic, the figures are judged in the others.
static inline long costly_samples(long usual, long full)
{
    return is_long() ? full : usual / SCREE_SAMPLE_SHARE;
}

static inline wide wide_norm(int n, const double *v)
{
    wide s = 0;
    for (int i = 0; i < n; ++i) s += (wide)v[i] * (wide)v[i];
    return sqrtl(s);
}

static inline wide wide_dot(int n, const double *a, const double *b)
{
    wide s = 0;
    for (int i = 0; i < n; ++i) s += (wide)a[i] * (wide)b[i];
    return s;
}

static inline wide wide_distance(int n, const double *a, const double *b)
{
    wide s = 0;
    for (int i = 0; i < n; ++i) s += ((wide)a[i] - (wide)b[i]) * ((wide)a[i] - (wide)b[i]);
    return sqrtl(s);
}

/// How far p lies outside K; <= 0 inside.
static inline wide outside_cone(const scree_cone *c, const wide *p)
{
    wide worst = -p[0];
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++]) {
        wide mu = c->coef[k], t = 0;
        if (!c->size[k]) continue;
        for (int i = 0; i < c->size[k]; ++i) t += p[at + i] * p[at + i];
        worst = fmaxl(worst, (sqrtl(t) - mu * p[0]) / sqrtl(1 + mu * mu));
    }
    return worst;
}

/// How far y lies outside K*; <= 0 inside.
static inline wide outside_dual(const scree_cone *c, const wide *y)
{
    wide sum = 0, squares = 1;
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++]) {
        wide mu = c->coef[k], t = 0;
        if (!c->size[k]) continue;
        for (int i = 0; i < c->size[k]; ++i) t += y[at + i] * y[at + i];
        sum += mu * sqrtl(t), squares += mu * mu;
    }
    return (sum - y[0]) / sqrtl(squares);
}

/// The law judged from the data: how far p is from K, s yhat from K* and the two from orthogonal, relative to
/// max(|p|, s |yhat|). For the convex law yhat is y.
static inline wide law_violation(const scree_cone *c, scree_law law, double s, const double *p, const wide *y)
{
    int dim = scree_cone_dim(c);
    wide P[SCREE_DIM_MAX], Y[SCREE_DIM_MAX], pp = 0, yy = 0, py = 0, slip = 0;
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++]) {
        wide t = 0;
        for (int i = 0; i < c->size[k]; ++i) t += y[at + i] * y[at + i];
        if (c->size[k]) slip += (wide)c->coef[k] * sqrtl(t);
    }
    for (int i = 0; i < dim; ++i) {
        P[i] = p[i], Y[i] = s * (y[i] + (i == 0 && law == SCREE_LAW_COULOMB ? slip : 0));
        pp += P[i] * P[i], yy += Y[i] * Y[i], py += P[i] * Y[i];
    }
    wide size = sqrtl(fmaxl(pp, yy));
    if (!(size > 0)) return 0;
    return fmaxl(fmaxl(outside_cone(c, P), outside_dual(c, Y)), fabsl(py) / size) / size;
}

/// |p - proj_K(p - s yhat)| / max(|p|, s |q|) from the data, y = W p + q in long double; s = dim/trace(W), any dim.
/// `noise` (may be NULL) is what half a rounding of each term of y, times the coefficients, makes of it: no p has less.
static inline double natural_map(const scree_contact *c, const double *p, double *noise)
{
    int dim = scree_cone_dim(&c->cone);
    wide y[SCREE_DIM_MAX], trace = 0, terms = 0, weight = 1, slip = 0;
    double x[SCREE_DIM_MAX], F[SCREE_DIM_MAX];
    for (int i = 0; i < dim; ++i) {
        y[i] = c->q[i], trace += c->W[i * dim + i];
        for (int j = 0; j < dim; ++j) {
            y[i] += (wide)c->W[i * dim + j] * (wide)p[j];
            terms = fmaxl(terms, fabsl((wide)c->W[i * dim + j] * (wide)p[j]));
        }
        terms = fmaxl(terms, fabsl(c->q[i]));
    }
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->cone.size[k++]) {
        wide v = 0;
        for (int i = 0; i < c->cone.size[k]; ++i) v += y[at + i] * y[at + i];
        if (!c->cone.size[k] || c->law == SCREE_LAW_CONVEX) continue;
        slip += (wide)c->cone.coef[k] * sqrtl(v), weight += (wide)c->cone.coef[k];
    }
    wide s = trace > 0 ? dim / trace : 1, size = fmaxl(wide_norm(dim, p), s * wide_norm(dim, c->q));
    for (int i = 0; i < dim; ++i) x[i] = (double)((wide)p[i] - s * (i == 0 ? y[0] + slip : y[i]));
    scree_cone_project(&c->cone, x, F);
    if (noise) *noise = size > 0 ? (double)(0.5L * DBL_EPSILON * s * weight * terms / size) : 0.0;
    return size > 0 ? (double)(wide_distance(dim, p, F) / size) : 0.0;
}

/* ---- the projection, twice more ---------------------------------------------------------------------------------- */

static inline double twin_norm(int n, const double *v)
{
    return n == 2 ? hypot(v[0], v[1]) : n == 1 ? fabs(v[0]) : 0.0;
}

/// [AB] Prop. 5.2, five components, both coefficients > 0. The conditions of its cases 3 to 5 single out the largest of the three
/// r_N; asked for that way, rounding can neither refuse all three nor take a wrong one.
static inline void twin_project_cases(const scree_cone *c, const double *x, double *p)
{
    double mu = c->coef[0], mu_r = c->coef[1], t = hypot(x[1], x[2]), m = hypot(x[3], x[4]), r = x[0];
    for (int i = 0; i < 5; ++i) p[i] = x[i];
    if (t <= mu * r && m <= mu_r * r) return;
    if (r + mu * t + mu_r * m <= 0.0) {
        for (int i = 0; i < 5; ++i) p[i] = 0.0;
        return;
    }
    double both = (x[0] + mu * t + mu_r * m) / (1.0 + mu * mu + mu_r * mu_r); /* eq. 68 */
    double one = (x[0] + mu * t) / (1.0 + mu * mu);                           /* eq. 69 */
    double other = (x[0] + mu_r * m) / (1.0 + mu_r * mu_r);                   /* eq. 70 */
    p[0] = r = fmax(both, fmax(one, other));
    if (mu * r < t) p[1] = mu * r * x[1] / t, p[2] = mu * r * x[2] / t;
    if (mu_r * r < m) p[3] = mu_r * r * x[3] / m, p[4] = mu_r * r * x[4] / m;
}

/// [TA] App. C: the breakpoints |l_i|/mu_i sorted, and the root of the increasing piecewise linear function
///     (y0 - x0) + sum over i with mu_i y0 < |l_i| of mu_i (mu_i y0 - |l_i|)
/// piece by piece: it is concave, so its root is the largest of the roots of its pieces. Coefficients > 0.
/// (The last formula of the paper lacks the factor l_i: the load is l_i mu_i y0/|l_i|.)
static inline void twin_project_sorted(const scree_cone *c, const double *x, double *p)
{
    int order[SCREE_FRICTION_KINDS], first[SCREE_FRICTION_KINDS], m = 0;
    double t[SCREE_FRICTION_KINDS], at_break[SCREE_FRICTION_KINDS], y0 = 0.0;
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++]) {
        if (!c->size[k]) continue;
        first[k] = at, t[k] = twin_norm(c->size[k], x + at), at_break[k] = t[k] / c->coef[k];
        int j = m++;
        for (; j > 0 && at_break[order[j - 1]] > at_break[k]; --j) order[j] = order[j - 1];
        order[j] = k;
    }
    for (int kept = 0; kept <= m; ++kept) { /* y0 above the first `kept` breakpoints: those loads are kept */
        double num = x[0], den = 1.0;
        for (int j = kept; j < m; ++j)
            num += c->coef[order[j]] * t[order[j]], den += c->coef[order[j]] * c->coef[order[j]];
        y0 = fmax(y0, num / den);
    }
    p[0] = y0;
    for (int j = 0; j < m; ++j) {
        int k = order[j];
        double s = t[k] <= c->coef[k] * y0 ? 1.0 : c->coef[k] * y0 / t[k];
        for (int i = 0; i < c->size[k]; ++i) p[first[k] + i] = s * x[first[k] + i];
    }
}

#endif
