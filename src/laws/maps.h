/* maps.h: De Saxce's velocity, the maps whose zeros are the contact law, the bipotential, dissipation and the modes.
 *
 *     yhat = y + (sum_k mu_k |v_k|, 0, ...)                     [AB] eq. 32, with spinning added
 *     K* contains yhat, orthogonal to p in K                    [AB] eq. 33;  convex law: y instead of yhat, [TA] eq. 40
 *
 * Derivatives are elements of the generalised Jacobian: where |v| = 0 its gradient is taken as 0, at a kink of a projection
 * one of the two sides is taken. */
#ifndef SCREE_LAWS_MAPS_H
#define SCREE_LAWS_MAPS_H

#include "laws/cone.h"

/// sum_k mu_k |v_k| [m/s]: what De Saxce adds to u_N, and what the convex law asks of it.
SCREE_HD double slip_speed(const scree_cone *c, const double *y)
{
    double s = 0.0;
    SCREE_UNROLL
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++])
        if (c->size[k]) s += c->coef[k] * group_norm(c->size[k], y + at);
    return s;
}

/// gradient of slip_speed with respect to y (entry 0 is 0).
SCREE_HD void slip_speed_gradient(const scree_cone *c, const double *y, double *g)
{
    g[0] = 0.0;
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++]) {
        double v = group_norm(c->size[k], y + at);
        for (int i = 0; i < c->size[k]; ++i) g[at + i] = v > 0.0 ? c->coef[k] * y[at + i] / v : 0.0;
    }
}

/// F = p - proj_K(p - s yhat);  A = dF/dp = I - D;  B = dF/dy = s D dyhat/dy.
SCREE_HD void map_natural(const scree_cone *c, scree_law law, double s, const double *p, const double *y, double *F,
                          double *A, double *B)
{
    int dim = cone_dim(c);
    double x[SCREE_DIM_MAX] = {0}, D[SCREE_DIM_MAX * SCREE_DIM_MAX], g[SCREE_DIM_MAX] = {0};
    SCREE_UNROLL
    for (int i = 0; i < dim; ++i) x[i] = p[i] - s * y[i];
    if (law == SCREE_LAW_COULOMB) x[0] -= s * slip_speed(c, y);
    cone_project(c, x, F);
    SCREE_UNROLL
    for (int i = 0; i < dim; ++i) F[i] = p[i] - F[i];
    if (!A && !B) return;

    cone_project_derivative(c, x, D);
    if (law == SCREE_LAW_COULOMB) slip_speed_gradient(c, y, g);
    for (int i = 0; i < dim; ++i)
        for (int j = 0; j < dim; ++j) {
            if (A) A[i * dim + j] = (i == j) - D[i * dim + j];
            if (B) B[i * dim + j] = s * (D[i * dim + j] + D[i * dim] * g[j]); /* dyhat/dy = I + e_N g' */
        }
}

/// Alart-Curnier, augmented radius: z_N = r_N - s s_N, F_N = r_N - max(0, z_N), F_k = l_k - proj_disk(mu_k max(0, z_N))(l_k - s v_k).
SCREE_HD void map_alart_curnier(const scree_cone *c, scree_law law, double s, const double *p, const double *y,
                                double *F, double *A, double *B)
{
    int dim = cone_dim(c);
    double g[SCREE_DIM_MAX] = {0}, z_N = p[0] - s * y[0];
    if (law == SCREE_LAW_CONVEX) {
        z_N += s * slip_speed(c, y);
        slip_speed_gradient(c, y, g);
    }
    double on = z_N > 0.0 ? 1.0 : 0.0, load = on * z_N;
    F[0] = p[0] - load;
    for (int j = 0; j < dim; ++j) { /* d load = on (dr_N - s du_N + s g.dy) */
        if (A) A[j] = j == 0 ? 1.0 - on : 0.0;
        if (B) B[j] = on * s * ((j == 0) - g[j]);
    }
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++]) {
        int m = c->size[k];
        double z[2] = {0}, mu = c->coef[k], radius = mu * load;
        for (int i = 0; i < m; ++i) z[i] = p[at + i] - s * y[at + i];
        double length = group_norm(m, z);
        int on_rim = length > radius;
        double shrink = on_rim ? radius / length : 1.0;
        for (int i = 0; i < m; ++i) {
            F[at + i] = p[at + i] - shrink * z[i];
            for (int j = 0; j < dim; ++j) {
                /* d(proj) = on rim: mu e d(load) + shrink (I - e e') dz;  inside: dz */
                double dz = 0.0, e = on_rim ? z[i] / length : 0.0;
                if (j >= at && j < at + m)
                    dz = on_rim ? shrink * ((i == j - at) - e * z[j - at] / length) : i == j - at;
                if (A) A[(at + i) * dim + j] = (at + i == j) - dz - (j == 0 ? on * mu * e : 0.0);
                if (B) B[(at + i) * dim + j] = s * dz + on * s * mu * e * ((j == 0) - g[j]);
            }
        }
    }
}

/* ---- Fischer-Burmeister in the Lorentz cone, order 1 + m ------------------------------------------------------- */

/// f = x + z - (x o x + z o z)^1/2 for x, z in R^(1+m), m <= 2, and J_x = df/dx, J_z = df/dz ((1+m) x (1+m), may be NULL).
/// With w = x o x + z o z = (w0, wv) and eigenvalues l1,2 = w0 -+ |wv|, the root is r = (r0, rv),
/// r0 = (sqrt l2 + sqrt l1)/2, rv = (sqrt l2 - sqrt l1)/2 wv/|wv|, and J_x = I - L_r^-1 L_x, L the arrow matrix.
/// At the kink l1 = 0 the arrow matrix is singular; l1 is then kept at 1e-30 l2, which selects one generalised derivative.
SCREE_HD void lorentz_fischer_burmeister(int m, const double *x, const double *z, double *f, double *J_x, double *J_z)
{
    int d = 1 + m;
    double w[3], wv = 0.0;
    w[0] = 0.0;
    for (int i = 0; i < d; ++i) w[0] += x[i] * x[i] + z[i] * z[i];
    for (int i = 1; i < d; ++i) w[i] = 2.0 * (x[0] * x[i] + z[0] * z[i]), wv += w[i] * w[i];
    wv = sqrt(wv);
    /* l1 = w0 - |wv| as a sum of squares, |x0 e - xv|^2 + |z0 e - zv|^2 with e = wv/|wv|: no cancellation under the root */
    double l2 = w[0] + wv, l1 = 0.0;
    for (int i = 1; i < d; ++i) {
        double e_i = wv > 0.0 ? w[i] / wv : 0.0, a = x[0] * e_i - x[i], b = z[0] * e_i - z[i];
        l1 += a * a + b * b;
    }
    if (!(wv > 0.0)) l1 = l2;
    double s2 = sqrt(l2), s1 = sqrt(l1), r[3];
    r[0] = 0.5 * (s2 + s1);
    for (int i = 1; i < d; ++i) r[i] = wv > 0.0 ? 0.5 * (s2 - s1) * w[i] / wv : 0.0;
    for (int i = 0; i < d; ++i) f[i] = x[i] + z[i] - r[i];
    if (!J_x || !J_z) return;

    if (!(l2 > 0.0)) { /* x = z = 0: the derivative along x = z = e, 1 - 1/sqrt 2, is an element */
        for (int i = 0; i < d * d; ++i) J_x[i] = J_z[i] = (i % (d + 1) == 0) ? 1.0 - sqrt(0.5) : 0.0;
        return;
    }
    /* L_r^-1 v for r = (r0, rv): det = r0^2 - |rv|^2 = s1 s2 */
    s1 = max2(s1, 1e-15 * s2);
    double r0 = 0.5 * (s2 + s1), e[3] = {0};
    double rv = 0.5 * (s2 - s1);
    for (int i = 1; i < d; ++i) e[i] = wv > 0.0 ? w[i] / wv : 0.0;
    for (int side = 0; side < 2; ++side) {
        const double *a = side ? z : x;
        double *J = side ? J_z : J_x;
        for (int j = 0; j < d; ++j) { /* column j of L_a: (a_j, ...) */
            double col[3] = {0}, par = 0.0;
            for (int i = 0; i < d; ++i) col[i] = (i == 0) ? a[j] : (i == j ? a[0] : (j == 0 ? a[i] : 0.0));
            for (int i = 1; i < d; ++i) par += e[i] * col[i];
            double det = s1 * s2, top = (r0 * col[0] - rv * par) / det;
            double along = (r0 * par - rv * col[0]) / det; /* component of the solution along e */
            for (int i = 0; i < d; ++i) {
                double v = i == 0 ? top : e[i] * along + (col[i] - e[i] * par) / r0;
                J[i * d + j] = (i == j) - v;
            }
        }
    }
}

/// Split form (see laws.h). Returns the number of mechanisms m; F has dim + m entries.
SCREE_HD int map_fischer_burmeister(const scree_cone *c, scree_law law, const double *p, const double *y,
                                    const double *lam, double *F, double *A, double *B, double *C)
{
    int dim = cone_dim(c), m = 0;
    double s_N = y[0];
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k)
        if (c->size[k]) {
            if (law == SCREE_LAW_CONVEX) s_N -= c->coef[k] * lam[m];
            ++m;
        }
    int rows = dim + m, wanted = A && B && C;
    if (wanted) {
        for (int i = 0; i < rows * dim; ++i) A[i] = B[i] = 0.0;
        for (int i = 0; i < rows * m; ++i) C[i] = 0.0;
    }
    double f, Jr, Js, x[3], z[3], fk[3], Jx[9], Jz[9];
    lorentz_fischer_burmeister(0, p, &s_N, &f, wanted ? &Jr : 0, wanted ? &Js : 0);
    F[0] = f;
    if (wanted) A[0] = Jr, B[0] = Js;

    for (int k = 0, at = 1, row = 1, slack = 0; k < SCREE_FRICTION_KINDS; at += c->size[k++]) {
        int size = c->size[k], d = 1 + size;
        if (!size) continue;
        x[0] = c->coef[k] * p[0], z[0] = lam[slack];
        for (int i = 0; i < size; ++i) x[1 + i] = p[at + i], z[1 + i] = y[at + i];
        lorentz_fischer_burmeister(size, x, z, fk, wanted ? Jx : 0, wanted ? Jz : 0);
        for (int i = 0; i < d; ++i) {
            F[row + i] = fk[i];
            if (!wanted) continue;
            A[(row + i) * dim] = Jx[i * d] * c->coef[k];
            C[(row + i) * m + slack] = Jz[i * d];
            for (int j = 0; j < size; ++j) {
                A[(row + i) * dim + at + j] = Jx[i * d + 1 + j];
                B[(row + i) * dim + at + j] = Jz[i * d + 1 + j];
            }
        }
        if (wanted && law == SCREE_LAW_CONVEX) C[slack] = -Js * c->coef[k];
        row += d, slack += 1;
    }
    return m;
}

/* ---- modes ------------------------------------------------------------------------------------------------------ */

SCREE_HD scree_mode mode_make(int sliding, int rolling, int spin_sign)
{
    return 1 + (sliding != 0) + 2 * (rolling != 0) + 4 * (spin_sign > 0 ? 1 : spin_sign < 0 ? 2 : 0);
}

/// Does mechanism k move in this mode?
SCREE_HD int mode_moves(scree_mode mode, int k)
{
    if (mode == SCREE_MODE_TAKE_OFF) return 0;
    int m = mode - 1;
    return k == SCREE_FRICTION_SLIDE ? m & 1 : k == SCREE_FRICTION_ROLL ? m >> 1 & 1 : m >= 4;
}

/// r_N > 0 is contact; then, of each pair, the larger decides: step |v_k| against the margin mu_k r_N - |l_k|.
SCREE_HD scree_mode mode_classify(const scree_cone *c, double step, const double *p, const double *y)
{
    if (!(p[0] > 0.0)) return SCREE_MODE_TAKE_OFF;
    int moving[SCREE_FRICTION_KINDS] = {0};
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++]) {
        int size = c->size[k];
        if (!size) continue;
        double margin = c->coef[k] * p[0] - group_norm(size, p + at);
        moving[k] = step * group_norm(size, y + at) > margin;
        if (k == SCREE_FRICTION_SPIN && moving[k]) moving[k] = p[at] > 0.0 || (p[at] == 0.0 && y[at] < 0.0) ? 1 : -1;
    }
    return mode_make(moving[SCREE_FRICTION_SLIDE], moving[SCREE_FRICTION_ROLL], moving[SCREE_FRICTION_SPIN]);
}

#endif
