/* quartic.c: Coulomb friction in three dimensions, one contact, all solutions.              Bonnefon & Daviet 2011, [BD]
 *
 *     take-off p = 0 if q_N >= 0;  stick p = -W^-1 q if in K;
 *     slide: alpha > 0 with (P + alpha I) R_T + w R_N = -b,  W_NN R_N + w.R_T = -q_N,  |R_T| = mu R_N.
 *
 * Section 3, in t = tan(theta/2). After turning the tangent plane so that P = diag(d_1, d_2), R_T = rho (cos, sin) and
 * rho (W_NN/mu + w.e) = -q_N; eliminating alpha leaves A c^2 + B s^2 + C s c + D s + E c = 0 (eq. 18), a quartic in t (eq. 21).
 *   Departs from [BD]: multiplied through by -W_NN/mu, so that q_N = 0 needs no division; alpha = -e.(b + rho(w/mu + P e))/rho
 *   instead of one component of eq. 13, so that section 3.3 (a zero component of R_T) is no special case: the eliminated
 *   equation says that b + rho (w/mu + P e) is parallel to e, whatever the components of e; theta = pi (t infinite, leading
 *   coefficient 0) is tried by itself.
 * Section 4, in alpha. R_T = -Lambda(alpha)^-1 v with Lambda = P - w w'/W_NN + alpha I, v = b - w q_N/W_NN; then eq. 27.
 *   The square brings in R_N < 0: those roots are refused.
 *
 * W_NN = 0 makes w = 0: no solution for q_N < 0; for q_N = 0, p = 0 is the isolated one ([BD] section 4 lists the continuum).
 * mu = 0: R_T = 0. Roots are refined by Newton on alpha (exact.c): the quartic in alpha is badly conditioned ([BD] section 5). */
#include "laws/contact.h"
#include "math/poly.h"
#include "math/scalar.h"

#include <string.h>

enum { SLIDES_MAX = 6 };

/// Slide with multiplier alpha: solves for p by the well-conditioned 3 x 3 system. 0 if R_N <= 0 or alpha <= 0.
static int slide_from_alpha(const contact_form *f, double alpha, form_solution *p)
{
    double A = f->P[0] + alpha, B = f->P[FORM_N], C = f->P[FORM_N + 1] + alpha, det = A * C - B * B;
    if (!(alpha > 0.0 && det > 0.0)) return 0;
    /* x = -(P + alpha)^-1 (b + w r) and W_NN r + w.x = -q_N */
    double bx = (C * f->b[0] - B * f->b[1]) / det, by = (A * f->b[1] - B * f->b[0]) / det;
    double wx = (C * f->w[0] - B * f->w[1]) / det, wy = (A * f->w[1] - B * f->w[0]) / det;
    double S = f->W_NN - (f->w[0] * wx + f->w[1] * wy);
    p->r = -(f->q_N - (f->w[0] * bx + f->w[1] * by)) / S;
    p->x[0] = -(bx + wx * p->r), p->x[1] = -(by + wy * p->r);
    p->a[0] = alpha;
    return p->r > 0.0;
}

/// Candidates of section 3: the multipliers alpha of the slides.
static int slides_in_t(const contact_form *f, double *alpha)
{
    double mu = f->mu[0], p00 = f->P[0], p01 = f->P[FORM_N], p11 = f->P[FORM_N + 1];
    /* the turn that diagonalises P: tan(2 phi) = 2 p01/(p00 - p11), by half-angle formulas */
    double x = p00 - p11, z = 2.0 * p01, h = sqrt(x * x + z * z), cp = 1.0, sp = 0.0;
    if (h > 0.0 && x >= 0.0) cp = sqrt(0.5 * (1.0 + x / h)), sp = 0.5 * z / (h * cp);
    else if (h > 0.0) sp = copysign(sqrt(0.5 * (1.0 - x / h)), z), cp = 0.5 * z / (h * sp);
    double d1 = cp * cp * p00 + 2.0 * cp * sp * p01 + sp * sp * p11, d2 = p00 + p11 - d1;
    double m1 = (cp * f->w[0] + sp * f->w[1]), m2 = (cp * f->w[1] - sp * f->w[0]);
    double b1 = cp * f->b[0] + sp * f->b[1], b2 = cp * f->b[1] - sp * f->b[0];
    double n = f->W_NN / mu, q = f->q_N;

    double A = m1 * b2, B = -m2 * b1, C = (d1 - d2) * q + m2 * b2 - m1 * b1;
    double D = q * m1 / mu - n * b1, E = n * b2 - q * m2 / mu;
    const double a[5] = {A + E, 2.0 * (C + D), 4.0 * B - 2.0 * A, 2.0 * (D - C), A - E};
    double t[5];
    int count = poly_roots(4, a, t, NULL), found = 0;
    if (count < 0) return 0; /* identically zero: R_T = 0, which is stick */
    for (int i = 0; i <= count; ++i) {
        double c = -1.0, s = 0.0; /* theta = pi, then the roots */
        if (i > 0) {
            double u = t[i - 1], size = 1.0 + u * u;
            c = size < 1e300 ? (1.0 - u * u) / size : -1.0;
            s = size < 1e300 ? 2.0 * u / size : 2.0 / u;
        }
        /* rho from the normal row, or, where that is 0 = 0, from the row across e */
        double den = n + m1 * c + m2 * s, across = -s * (m1 / mu + d1 * c) + c * (m2 / mu + d2 * s);
        double rho = fabs(den) > 1e-8 * n ? -q / den : -(-s * b1 + c * b2) / across;
        if (!(rho > 0.0 && rho < 1e300)) continue;
        double along = c * (b1 + rho * (m1 / mu + d1 * c)) + s * (b2 + rho * (m2 / mu + d2 * s));
        double off = -s * (b1 + rho * (m1 / mu + d1 * c)) + c * (b2 + rho * (m2 / mu + d2 * s));
        double size = fabs(b1) + fabs(b2) + rho * (fabs(m1 / mu) + fabs(m2 / mu) + d1 + d2);
        if (fabs(off) > 1e-6 * size) continue; /* theta = pi when it is no root */
        if (-along / rho > 0.0 && found < SLIDES_MAX) alpha[found++] = -along / rho;
    }
    return found;
}

/// Candidates of section 4.
static int slides_in_alpha(const contact_form *f, double *alpha)
{
    double w0 = f->w[0], w1 = f->w[1], k = f->mu[0] / f->W_NN;
    double l1 = f->P[0] - w0 * w0 / f->W_NN, l12 = f->P[FORM_N] - w0 * w1 / f->W_NN,
           l2 = f->P[FORM_N + 1] - w1 * w1 / f->W_NN;
    double v0 = f->b[0] - w0 * f->q_N / f->W_NN, v1 = f->b[1] - w1 * f->q_N / f->W_NN;
    /* det(Lambda) R_T = N0 + alpha N1;  det(Lambda) = alpha^2 + tr alpha + det0;  h = w.N + q_N det */
    double N0[2] = {-(l2 * v0 - l12 * v1), -(l1 * v1 - l12 * v0)}, N1[2] = {-v0, -v1};
    double tr = l1 + l2, det0 = l1 * l2 - l12 * l12;
    double h2 = f->q_N, h1 = f->q_N * tr + w0 * N1[0] + w1 * N1[1], h0 = f->q_N * det0 + w0 * N0[0] + w1 * N0[1];
    double kk = k * k;
    const double a[5] = {
        N0[0] * N0[0] + N0[1] * N0[1] - kk * h0 * h0, 2.0 * (N0[0] * N1[0] + N0[1] * N1[1]) - 2.0 * kk * h0 * h1,
        N1[0] * N1[0] + N1[1] * N1[1] - kk * (h1 * h1 + 2.0 * h0 * h2), -2.0 * kk * h1 * h2, -kk * h2 * h2};
    double root[4];
    int count = poly_roots(4, a, root, NULL), found = 0;
    for (int i = 0; i < count; ++i)
        if (root[i] > 0.0) alpha[found++] = root[i];
    return found;
}

/// Appends a solution unless it is there already.
static void append(const scree_contact *contact, const contact_form *f, const form_solution *p, int capacity,
                   form_solution *seen, int *count, scree_contact_result *results)
{
    for (int i = 0; i < *count; ++i) {
        double d = fabs(p->r - seen[i].r);
        for (int j = 0; j < f->n; ++j) d = number_max(d, fabs(p->x[j] - seen[i].x[j]));
        if (d <= 1e-10 * number_max(p->r, seen[i].r)) return;
    }
    if (*count >= SLIDES_MAX + 2) return;
    seen[*count] = *p;
    if (*count < capacity) {
        scree_contact_result *r = &results[*count];
        memset(r, 0, sizeof *r);
        if (p->r > 0.0) form_deliver(contact, f, p, r);
        else deliver_take_off(contact, r);
    }
    *count += 1;
}

int contact_solve_quartic(const scree_contact *contact, int alpha_form, int capacity, scree_contact_result *results)
{
    contact_form f;
    form_solution p = {0}, seen[SLIDES_MAX + 2];
    double alpha[SLIDES_MAX];
    int count = 0;
    form_build(contact, &f);
    if (f.singular && f.W_NN > 0.0 &&
        f.m > 0) { /* no quartic to speak of: solved through definite contacts (exact.c) */
        scree_contact_result result;
        contact_solve_exact(contact, NULL, 1, &result);
        if (result.outcome != SCREE_OUTCOME_CONVERGED) return 0;
        result.method = alpha_form ? SCREE_CONTACT_QUARTIC_ALPHA : SCREE_CONTACT_QUARTIC_T;
        if (capacity > 0) results[0] = result;
        return 1;
    }

    if (f.q_N >= 0.0) append(contact, &f, &p, capacity, seen, &count, results);
    if (f.W_NN > 0.0 && f.m == 0) { /* mu = 0 */
        p.r = -f.q_N / f.W_NN;
        if (p.r > 0.0) append(contact, &f, &p, capacity, seen, &count, results);
    } else if (f.W_NN > 0.0) {
        if (form_solve_stick(&f, &p)) append(contact, &f, &p, capacity, seen, &count, results);
        int slides = alpha_form ? slides_in_alpha(&f, alpha) : slides_in_t(&f, alpha);
        for (int i = 0; i < slides; ++i) {
            if (!slide_from_alpha(&f, alpha[i], &p)) continue;
            form_polish(&f, SCREE_LAW_COULOMB, &p);
            /* a root of the squared equation with the wrong sign, or lost to rounding, is not on the cone */
            if (fabs(group_norm(2, p.x) - f.mu[0] * p.r) > 1e-6 * f.mu[0] * p.r || !(p.a[0] > 0.0)) continue;
            append(contact, &f, &p, capacity, seen, &count, results);
        }
    }
    int kept = count < capacity ? count : capacity;
    for (int i = 0; i < kept; ++i) {
        results[i].method = alpha_form ? SCREE_CONTACT_QUARTIC_ALPHA : SCREE_CONTACT_QUARTIC_T;
        results[i].unique = count > 1 ? SCREE_UNIQUE_NO : f.singular ? SCREE_UNIQUE_UNKNOWN : SCREE_UNIQUE_PROVED;
        results[i].iterations = 1;
    }
    for (int i = 1; i < kept; ++i) /* smallest normal load first */
        for (int j = i; j > 0 && results[j].p[0] < results[j - 1].p[0]; --j) {
            scree_contact_result swap = results[j];
            results[j] = results[j - 1], results[j - 1] = swap;
        }
    return count;
}
