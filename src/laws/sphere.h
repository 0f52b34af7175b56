/* sphere.h: one contact of two spheres, or of a sphere and a plane, in closed form. Coulomb law.
 *
 * There the normal does not see friction (w = 0), spin sees nothing else, and with the quarter turn zeta = (m_R2, -m_R1) the
 * coupling of sliding and rolling is a scalar c:
 *
 *     r_N = -q_N / W_NN,   m_S = clamp(-b_S / W_SS),
 *     (A + a) x + c zeta = -b_T,   c x + (B + b) zeta = -b_zeta,   |x| <= mu r_N, |zeta| <= rho r_N,  a, b >= 0 complementary
 *
 * Stuck, sliding only and rolling only are closed forms (the direction of x does not depend on a alone, nor that of zeta on b);
 * only "slides and rolls" needs Newton in (alpha, beta) = (A + a, B + b):
 *     |beta b_T - c b_zeta| = R_1 (alpha beta - c^2),   |alpha b_zeta - c b_T| = R_2 (alpha beta - c^2).
 * Always one solution (strictly convex). docs/math/one-contact.md */
#ifndef SCREE_LAWS_SPHERE_H
#define SCREE_LAWS_SPHERE_H

#include "laws/form.h"

/// Entries of the scaled W that must vanish or agree may differ by this: a few roundings of its largest entries.
#define SPHERE_TOLERANCE 1e-15

typedef struct sphere_form {
    double A, B, c, W_SS;  /* W_TT = A I, W_RR = B I, W_TR = c [0 1; -1 0]              */
    int slide, roll, spin; /* load index in the form, or -1                              */
} sphere_form;

/// Does W have the structure of two spheres? Entries that must vanish or agree may differ by `tol` (W is scaled to about 1).
SCREE_HD int sphere_detect(const contact_form *f, double tol, sphere_form *s)
{
    *s = (sphere_form){0.0, 0.0, 0.0, 0.0, -1, -1, -1};
    double off = 0.0;
    SCREE_UNROLL
    for (int i = 0; i < f->n; ++i) off = max2(off, fabs(f->w[i]));
    SCREE_UNROLL
    for (int k = 0; k < f->m; ++k) {
        const double *d = f->P + f->at[k] * (FORM_N + 1);
        if (f->mechanism[k] == SCREE_FRICTION_SPIN) s->spin = k, s->W_SS = d[0];
        if (f->mechanism[k] == SCREE_FRICTION_SLIDE) s->slide = k, s->A = d[0];
        if (f->mechanism[k] == SCREE_FRICTION_ROLL) s->roll = k, s->B = d[0];
        if (f->mechanism[k] == SCREE_FRICTION_SPIN) continue;
        if (f->size[k] != 2) return 0;
        off = max2(off, max2(fabs(d[1]), fabs(d[0] - d[FORM_N + 1])));
    }
    if (s->slide >= 0 && s->roll >= 0) {
        const double *d = f->P + f->at[s->slide] * FORM_N + f->at[s->roll];
        s->c = d[1];
        off = max2(off, max2(fabs(d[0]), max2(fabs(d[FORM_N + 1]), fabs(d[1] + d[FORM_N]))));
    }
    int before_spin = s->spin >= 0 ? f->at[s->spin] : 0;
    SCREE_UNROLL
    for (int i = 0; i < before_spin; ++i) off = max2(off, fabs(f->P[f->at[s->spin] * FORM_N + i]));
    if (s->slide >= 0 && !(s->A > 0.0)) return 0;
    if (s->roll >= 0 && !(s->B > 0.0)) return 0;
    if (s->spin >= 0 && !(s->W_SS > 0.0)) return 0;
    if (s->slide >= 0 && s->roll >= 0 && s->c * s->c >= s->A * s->B * (1.0 - 1e-12)) return 0; /* semidefinite */
    return off <= tol;
}

/// x = -b/A if that lies in the disk of radius R, else the point of the rim nearest to it. Returns the multiplier a >= 0.
SCREE_HD double disk_clamp(double A, double R, const double b[2], double x[2])
{
    double g = sqrt(b[0] * b[0] + b[1] * b[1]);
    int rim = g > A * R;
    double s = rim ? R / g : 1.0 / A;
    x[0] = -s * b[0], x[1] = -s * b[1];
    return rim ? g / R - A : 0.0;
}

/// Sliding and rolling coupled by c: fills x, zeta and the multipliers a, b. Returns Newton steps, or -1 if it gave up.
SCREE_HD int sphere_slide_roll(const sphere_form *s, double R1, double R2, const double bT[2], const double bZ[2],
                               double x[2], double zeta[2], double *a, double *b)
{
    const double A = s->A, B = s->B, c = s->c, det = A * B - c * c;
    double f[2] = {B * bT[0] - c * bZ[0], B * bT[1] - c * bZ[1]};
    double g[2] = {A * bZ[0] - c * bT[0], A * bZ[1] - c * bT[1]};
    double F = sqrt(f[0] * f[0] + f[1] * f[1]), G = sqrt(g[0] * g[0] + g[1] * g[1]);
    zeta[0] = zeta[1] = 0.0;

    if (F <= R1 * det && G <= R2 * det) { /* stuck */
        for (int i = 0; i < 2; ++i) x[i] = -f[i] / det, zeta[i] = -g[i] / det;
        *a = *b = 0.0;
        return 0;
    }
    if (F > R1 * det) { /* slides, does not roll: x = -R1 f/F */
        for (int i = 0; i < 2; ++i) x[i] = -R1 * f[i] / F, zeta[i] = -(c * x[i] + bZ[i]) / B;
        if (zeta[0] * zeta[0] + zeta[1] * zeta[1] <= R2 * R2) {
            *a = (F / R1 - det) / B, *b = 0.0;
            return 0;
        }
    }
    if (G > R2 * det) { /* rolls, does not slide */
        for (int i = 0; i < 2; ++i) zeta[i] = -R2 * g[i] / G, x[i] = -(c * zeta[i] + bT[i]) / A;
        if (x[0] * x[0] + x[1] * x[1] <= R1 * R1) {
            *a = 0.0, *b = (G / R2 - det) / A;
            return 0;
        }
    }
    /* slides and rolls. Start: two passes of "each load given the other", which is exact when c = 0 */
    double alpha = A, beta = B, g1[2], g2[2];
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < 2; ++i) g1[i] = bT[i] + c * zeta[i];
        alpha = A + disk_clamp(A, R1, g1, x);
        for (int i = 0; i < 2; ++i) g2[i] = bZ[i] + c * x[i];
        beta = B + disk_clamp(B, R2, g2, zeta);
    }
    /* h = R |..|^-1 D - 1 is nearly linear in alpha and beta, as 1/|x| is in any trust region problem */
    for (int step = 1, last = 0; step <= 40; ++step) {
        double D = alpha * beta - c * c, nf = 0.0, ng = 0.0, fb = 0.0, gb = 0.0;
        for (int i = 0; i < 2; ++i) {
            f[i] = beta * bT[i] - c * bZ[i], nf += f[i] * f[i], fb += f[i] * bT[i];
            g[i] = alpha * bZ[i] - c * bT[i], ng += g[i] * g[i], gb += g[i] * bZ[i];
        }
        if (!(D > 0.0 && nf > 0.0 && ng > 0.0)) return -1;
        double s1 = R1 / sqrt(nf), s2 = R2 / sqrt(ng);
        if (last) {
            for (int i = 0; i < 2; ++i) x[i] = -s1 * f[i], zeta[i] = -s2 * g[i];
            *a = max2(alpha - A, 0.0), *b = max2(beta - B, 0.0);
            return step;
        }
        double h1 = s1 * D - 1.0, h2 = s2 * D - 1.0;
        double J11 = s1 * beta, J12 = s1 * (alpha - D * fb / nf);
        double J21 = s2 * (beta - D * gb / ng), J22 = s2 * alpha;
        double det_J = J11 * J22 - J12 * J21;
        if (!(fabs(det_J) > 0.0)) return -1;
        double next_alpha = alpha - (J22 * h1 - J12 * h2) / det_J, next_beta = beta - (J11 * h2 - J21 * h1) / det_J;
        last = max2(fabs(h1), fabs(h2)) <= 1e-9 && next_alpha >= A &&
               next_beta >= B;                                    /* quadratic: the next one is exact */
        alpha = next_alpha >= A ? next_alpha : 0.5 * (alpha + A); /* a, b >= 0 */
        beta = next_beta >= B ? next_beta : 0.5 * (beta + B);
    }
    return -1;
}

#endif
