/* spheres_kernel.c: the exact solution of eight sphere contacts at once (laws/sphere.h, lane by lane without branches).
 *
 * Every quantity is an array over the lanes and every loop body is straight-line code with selections, which compilers turn into vector
 * instructions. Compiled for AVX-512, AVX2 and the base instruction set; the loader picks one. */
#include "solvers/spheres_kernel.h"

#include "base/hd.h"

#include <math.h>

#define FOR_LANES(l) for (int l = 0; l < LANES; ++l) // NOLINT(bugprone-macro-parentheses): l is a name

/// fmax without its rule for NaN, which keeps it from becoming one instruction.
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/// Slides and rolls at once, c != 0: Newton in (alpha, beta) on the lanes of `todo`, as sphere_slide_roll of laws/sphere.h.
SCREE_HD_INLINE void slide_and_roll(const double A[LANES], const double B[LANES], const double c[LANES],
                                    const double R1[LANES], const double R2[LANES], double bT[3][LANES],
                                    double bZ[3][LANES], const int todo[LANES], double x[3][LANES], double Z[3][LANES])
{
    double alpha[LANES], beta[LANES], u[3][LANES], w[3][LANES];
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) w[i][l] = Z[i][l];
    for (int pass = 0; pass < 2; ++pass) { /* each load given the other */
        double s[LANES];
        FOR_LANES (l) s[l] = 0.0;
        for (int i = 0; i < 3; ++i)
            FOR_LANES (l) u[i][l] = bT[i][l] + c[l] * w[i][l], s[l] += u[i][l] * u[i][l];
        FOR_LANES (l) s[l] = sqrt(s[l]);
        FOR_LANES (l) alpha[l] = larger(A[l], s[l] / R1[l]);
        for (int i = 0; i < 3; ++i)
            FOR_LANES (l) u[i][l] = -u[i][l] / alpha[l];
        FOR_LANES (l) s[l] = 0.0;
        for (int i = 0; i < 3; ++i)
            FOR_LANES (l) w[i][l] = bZ[i][l] + c[l] * u[i][l], s[l] += w[i][l] * w[i][l];
        FOR_LANES (l) s[l] = sqrt(s[l]);
        FOR_LANES (l) beta[l] = larger(B[l], s[l] / R2[l]);
        for (int i = 0; i < 3; ++i)
            FOR_LANES (l) w[i][l] = -w[i][l] / beta[l];
    }
    for (int step = 0; step < 12; ++step) {
        double nf[LANES], ng[LANES], fb[LANES], gb[LANES], worst = 0.0;
        FOR_LANES (l) nf[l] = ng[l] = fb[l] = gb[l] = 0.0;
        for (int i = 0; i < 3; ++i)
            FOR_LANES (l) {
                double f = beta[l] * bT[i][l] - c[l] * bZ[i][l], g = alpha[l] * bZ[i][l] - c[l] * bT[i][l];
                nf[l] += f * f, fb[l] += f * bT[i][l], ng[l] += g * g, gb[l] += g * bZ[i][l];
            }
        FOR_LANES (l) {
            double D = alpha[l] * beta[l] - c[l] * c[l], s1 = R1[l] / sqrt(nf[l]), s2 = R2[l] / sqrt(ng[l]);
            double h1 = s1 * D - 1.0, h2 = s2 * D - 1.0;
            double J11 = s1 * beta[l], J12 = s1 * (alpha[l] - D * fb[l] / nf[l]);
            double J21 = s2 * (beta[l] - D * gb[l] / ng[l]), J22 = s2 * alpha[l];
            double inverse = 1.0 / (J11 * J22 - J12 * J21);
            double next_alpha = alpha[l] - (J22 * h1 - J12 * h2) * inverse,
                   next_beta = beta[l] - (J11 * h2 - J21 * h1) * inverse;
            double h = todo[l] ? larger(fabs(h1), fabs(h2)) : 0.0;
            alpha[l] = next_alpha >= A[l] ? next_alpha : 0.5 * (alpha[l] + A[l]);
            beta[l] = next_beta >= B[l] ? next_beta : 0.5 * (beta[l] + B[l]);
            worst = worst > h ? worst : h;
        }
        if (worst <= 1e-8) break; /* quadratic: the step just taken is exact */
    }
    double nf[LANES], ng[LANES];
    FOR_LANES (l) nf[l] = ng[l] = 0.0;
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) {
            u[i][l] = beta[l] * bT[i][l] - c[l] * bZ[i][l], w[i][l] = alpha[l] * bZ[i][l] - c[l] * bT[i][l];
            nf[l] += u[i][l] * u[i][l], ng[l] += w[i][l] * w[i][l];
        }
    FOR_LANES (l) nf[l] = R1[l] / sqrt(nf[l]), ng[l] = R2[l] / sqrt(ng[l]);
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) {
            x[i][l] = todo[l] ? -nf[l] * u[i][l] : x[i][l];
            Z[i][l] = todo[l] ? -ng[l] * w[i][l] : Z[i][l];
        }
}

/// Slide and roll coupled by c: the three closed forms, then Newton on the lanes that need it. Lanes where one of the two loads must
/// vanish (radius 0) keep what they have: it couples nothing.
SCREE_HD_INLINE void coupled_loads(const double A[LANES], const double B[LANES], const double c[LANES],
                                   const double R1[LANES], const double R2[LANES], double bT[3][LANES],
                                   double bZ[3][LANES], double x[3][LANES], double Z[3][LANES])
{
    double F[LANES], G[LANES], f[3][LANES], g[3][LANES], z1[LANES], x2[LANES];
    int todo[LANES], keep[LANES], any = 0;
    FOR_LANES (l) F[l] = G[l] = z1[l] = x2[l] = 0.0;
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) {
            f[i][l] = B[l] * bT[i][l] - c[l] * bZ[i][l], g[i][l] = A[l] * bZ[i][l] - c[l] * bT[i][l];
            F[l] += f[i][l] * f[i][l], G[l] += g[i][l] * g[i][l];
        }
    FOR_LANES (l) F[l] = sqrt(F[l]), G[l] = sqrt(G[l]);
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) {
            double xs = -R1[l] * f[i][l] / larger(F[l], 1e-300), zs = -(c[l] * xs + bZ[i][l]) / B[l];
            double zr = -R2[l] * g[i][l] / larger(G[l], 1e-300), xr = -(c[l] * zr + bT[i][l]) / A[l];
            z1[l] += zs * zs, x2[l] += xr * xr;
        }
    FOR_LANES (l) {
        double det = A[l] * B[l] - c[l] * c[l];
        int slides = F[l] > R1[l] * det, rolls = G[l] > R2[l] * det;
        int only_slides = slides && z1[l] <= R2[l] * R2[l],
            only_rolls = rolls && !only_slides && x2[l] <= R1[l] * R1[l];
        int couples = R1[l] > 0.0 && R2[l] > 0.0 && c[l] != 0.0;
        todo[l] = couples && (slides || rolls) && !only_slides && !only_rolls;
        keep[l] = !couples;
        /* scale of f, of g, and 1/det: what each closed form multiplies */
        F[l] = only_slides ? R1[l] / larger(F[l], 1e-300) : only_rolls ? -1.0 : 1.0 / det;
        G[l] = only_rolls ? R2[l] / larger(G[l], 1e-300) : only_slides ? -1.0 : 1.0 / det;
    }
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) {
            double xs = -F[l] * f[i][l], zs = -G[l] * g[i][l];
            double xr = -(c[l] * zs + bT[i][l]) / A[l], zr = -(c[l] * xs + bZ[i][l]) / B[l];
            x[i][l] = keep[l] ? x[i][l] : F[l] < 0.0 ? xr : xs;
            Z[i][l] = keep[l] ? Z[i][l] : G[l] < 0.0 ? zr : zs;
        }
    FOR_LANES (l) any |= todo[l];
    if (any) slide_and_roll(A, B, c, R1, R2, bT, bZ, todo, x, Z);
}

SPHERES_CLONES
double spheres_solve_batch(const sphere_batch *batch, sphere_body *body, int body_count, sphere_loads *loads)
{
    double va[3][LANES], wa[3][LANES], vb[3][LANES], wb[3][LANES], ma[LANES], Ia[LANES], mb[LANES], Ib[LANES];
    FOR_LANES (l) {
        const sphere_body *a = &body[batch->a[l]], *b = &body[batch->b[l]];
        for (int i = 0; i < 3; ++i) va[i][l] = a->v[i], wa[i][l] = a->w[i], vb[i][l] = b->v[i], wb[i][l] = b->w[i];
        ma[l] = a->inv_mass, Ia[l] = a->inv_inertia, mb[l] = b->inv_mass, Ib[l] = b->inv_inertia;
    }
    const double(*n)[LANES] = batch->n;
    double(*p)[LANES] = loads->p;
    double W[LANES], A[LANES], B[LANES], c[LANES], u_N[LANES], w_S[LANES], u_T[3][LANES], w_Z[3][LANES];
    FOR_LANES (l) {
        double ra = batch->r_a[l], rb = batch->r_b[l];
        W[l] = ma[l] + mb[l], A[l] = W[l] + ra * ra * Ia[l] + rb * rb * Ib[l], B[l] = Ia[l] + Ib[l],
        c[l] = rb * Ib[l] - ra * Ia[l];
        double d0 = vb[0][l] - va[0][l], d1 = vb[1][l] - va[1][l], d2 = vb[2][l] - va[2][l];
        double s0 = rb * wb[0][l] + ra * wa[0][l], s1 = rb * wb[1][l] + ra * wa[1][l],
               s2 = rb * wb[2][l] + ra * wa[2][l];
        double e0 = wb[0][l] - wa[0][l], e1 = wb[1][l] - wa[1][l], e2 = wb[2][l] - wa[2][l];
        double n0 = n[0][l], n1 = n[1][l], n2 = n[2][l], un = n0 * d0 + n1 * d1 + n2 * d2;
        u_N[l] = un + batch->extra[l], w_S[l] = n0 * e0 + n1 * e1 + n2 * e2;
        u_T[0][l] = d0 - un * n0 + (n1 * s2 - n2 * s1);
        u_T[1][l] = d1 - un * n1 + (n2 * s0 - n0 * s2);
        u_T[2][l] = d2 - un * n2 + (n0 * s1 - n1 * s0);
        w_Z[0][l] = n1 * e2 - n2 * e1, w_Z[1][l] = n2 * e0 - n0 * e2, w_Z[2][l] = n0 * e1 - n1 * e0;
    }
    double r_N[LANES], m_S[LANES], R1[LANES], R2[LANES], bT[3][LANES], bZ[3][LANES], x[3][LANES], Z[3][LANES];
    FOR_LANES (l) {
        double b_N = u_N[l] - W[l] * p[0][l], r = -b_N / W[l];
        r_N[l] = r > 0.0 ? r : 0.0;
        R1[l] = batch->mu[0][l] * r_N[l], R2[l] = batch->mu[1][l] * r_N[l];
        double R3 = batch->mu[2][l] * r_N[l], m = p[7][l] - w_S[l] / B[l];
        m = m > R3 ? R3 : m;
        m_S[l] = m < -R3 ? -R3 : m;
    }
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) {
            bT[i][l] = u_T[i][l] - A[l] * p[1 + i][l] - c[l] * p[4 + i][l];
            bZ[i][l] = w_Z[i][l] - B[l] * p[4 + i][l] - c[l] * p[1 + i][l];
        }
    /* each load by itself: exact where nothing couples them */
    double gT[LANES], gZ[LANES];
    FOR_LANES (l) gT[l] = sqrt(bT[0][l] * bT[0][l] + bT[1][l] * bT[1][l] + bT[2][l] * bT[2][l]);
    FOR_LANES (l) gZ[l] = sqrt(bZ[0][l] * bZ[0][l] + bZ[1][l] * bZ[1][l] + bZ[2][l] * bZ[2][l]);
    FOR_LANES (l) gT[l] = gT[l] > A[l] * R1[l] ? -R1[l] / gT[l] : -1.0 / A[l];
    FOR_LANES (l) gZ[l] = gZ[l] > B[l] * R2[l] ? -R2[l] / gZ[l] : -1.0 / B[l];
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) x[i][l] = gT[l] * bT[i][l], Z[i][l] = gZ[l] * bZ[i][l];
    if (batch->coupled) coupled_loads(A, B, c, R1, R2, bT, bZ, x, Z);

    double change[LANES], total = 0.0, dN[LANES], dS[LANES];
    FOR_LANES (l) dN[l] = r_N[l] - p[0][l], p[0][l] = r_N[l], dS[l] = m_S[l] - p[7][l], p[7][l] = m_S[l];
    FOR_LANES (l) change[l] = W[l] * dN[l] * dN[l] + B[l] * dS[l] * dS[l];
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) {
            double dx = x[i][l] - p[1 + i][l], dZ = Z[i][l] - p[4 + i][l];
            p[1 + i][l] = x[i][l], p[4 + i][l] = Z[i][l];
            x[i][l] = dx, Z[i][l] = dZ;
            change[l] += A[l] * dx * dx + 2.0 * c[l] * dx * dZ + B[l] * dZ * dZ;
        }
    /* impulse r = dN n + dx on b at -r_b n; moment m = dS n - n x dZ:
     * dv_b = r/m_b, dw_b = (-r_b n x dx + m)/I_b; dv_a = -r/m_a, dw_a = (-r_a n x dx - m)/I_a */
    FOR_LANES (l) {
        double n0 = n[0][l], n1 = n[1][l], n2 = n[2][l], ra = batch->r_a[l], rb = batch->r_b[l];
        double cx0 = n1 * x[2][l] - n2 * x[1][l], cx1 = n2 * x[0][l] - n0 * x[2][l], cx2 = n0 * x[1][l] - n1 * x[0][l];
        double m0 = dS[l] * n0 - (n1 * Z[2][l] - n2 * Z[1][l]), m1 = dS[l] * n1 - (n2 * Z[0][l] - n0 * Z[2][l]),
               m2 = dS[l] * n2 - (n0 * Z[1][l] - n1 * Z[0][l]);
        double r0 = dN[l] * n0 + x[0][l], r1 = dN[l] * n1 + x[1][l], r2 = dN[l] * n2 + x[2][l];
        va[0][l] -= ma[l] * r0, va[1][l] -= ma[l] * r1, va[2][l] -= ma[l] * r2;
        vb[0][l] += mb[l] * r0, vb[1][l] += mb[l] * r1, vb[2][l] += mb[l] * r2;
        wa[0][l] -= Ia[l] * (ra * cx0 + m0), wa[1][l] -= Ia[l] * (ra * cx1 + m1), wa[2][l] -= Ia[l] * (ra * cx2 + m2);
        wb[0][l] -= Ib[l] * (rb * cx0 - m0), wb[1][l] -= Ib[l] * (rb * cx1 - m1), wb[2][l] -= Ib[l] * (rb * cx2 - m2);
    }
    FOR_LANES (l) {
        sphere_body *a = &body[batch->a[l]], *b = &body[batch->b[l]];
        if (batch->a[l] < body_count)
            for (int i = 0; i < 3; ++i) a->v[i] = va[i][l], a->w[i] = wa[i][l];
        if (batch->b[l] < body_count)
            for (int i = 0; i < 3; ++i) b->v[i] = vb[i][l], b->w[i] = wb[i][l];
        total += change[l];
    }
    return total;
}
