/* rotation.c: a rigid body that turns freely for h seconds.
 *
 *     dL/dt = L x omega,  L = I omega          body frame; I principal moments                                  Euler
 *     dR/dt = R [omega]x                       so that R L, the angular momentum in space, is constant
 *
 * Whatever the step, and to rounding, R L and the energy omega.L/2 come out as they went in; there is no step that makes a body gain
 * energy. Three cases:
 *
 * Isotropic:  omega is constant,  R1 = R0 exp(h omega).
 *
 * Symmetric about axis e (I_e; the two others I_t): exact for any h. In space the body precesses about R L at |L|/I_t, and in its own
 * frame L turns about e:
 *     W = (1 - I_e/I_t) omega_e,      R1 = R0 exp(h L0/I_t) exp(h W e),      L1 = exp(-h W e) L0
 *
 * Triaxial: implicit midpoint in s equal parts, each of at most a quarter of a radian:
 *     m = L0 + (k/2) m x w,  w = I^-1 m,      L1 = 2 m - L0,      R1 = R0 cay(k w)
 * L1 - L0 = k m x w is orthogonal to m and to w: |L| and omega.L are kept. It says as well that L1 = cay(-k w) L0, hence R1 L1 = R0 L0.
 * Both hold for any k, so k is chosen to turn a body that spins about a principal axis by exactly |omega| h/s:
 *     k = 2 tan(|omega0| h/(2 s))/|omega0|
 * The equation for m is quadratic: Newton from the explicit guess ends after three or four steps. Departure from the usual splitting
 * (gyroscopic torque as a force of the step): no stability limit, and nothing that depends on the contacts. */
#include "step/rotation.h"

#include "math/elementary.h"
#include "math/quat.h"
#include "math/scalar.h"

enum { PARTS_MAX = 4096, NEWTON_MAX = 12 };

inertia_kind inertia_classify(const double inertia[3])
{
    const double slack = 8.0 * DBL_EPSILON; /* moments computed by two formulas */
    int equal[3];
    for (int k = 0; k < 3; ++k) {
        double a = inertia[(k + 1) % 3], b = inertia[(k + 2) % 3];
        equal[k] = fabs(a - b) <= slack * max2(a, b);
    }
    if (equal[0] && equal[1] && equal[2]) return INERTIA_ISOTROPIC;
    for (int k = 0; k < 3; ++k)
        if (equal[k]) return (inertia_kind)k;
    return INERTIA_TRIAXIAL;
}

/// q <- q r, of length 1.
static void turn(double q[4], const double r[4])
{
    double before[4] = {q[0], q[1], q[2], q[3]};
    quat_mul(before, r, q);
    quat_normalise(q);
}

void rotation_about_axis(double h, double q[4], const double omega[3])
{
    double a[3] = {h * omega[0], h * omega[1], h * omega[2]}, r[4];
    quat_exp(a, r);
    turn(q, r);
}

static void rotate_symmetric(const double inertia[3], int e, double h, double q[4], double omega[3])
{
    int a = (e + 1) % 3, b = (e + 2) % 3;
    double I_t = inertia[a], W = (1.0 - inertia[e] / I_t) * omega[e], precession[3], r[4];
    for (int i = 0; i < 3; ++i) precession[i] = inertia[i] * omega[i] / I_t;
    rotation_about_axis(h, q, precession);

    double axis[3] = {0.0, 0.0, 0.0};
    axis[e] = h * W;
    quat_exp(axis, r);
    turn(q, r);
    /* the transverse part by -h W about e; its length is a constant */
    double c = r[0] * r[0] - r[1 + e] * r[1 + e], s = 2.0 * r[0] * r[1 + e];
    double u = omega[a], v = omega[b], length = u * u + v * v;
    omega[a] = c * u + s * v, omega[b] = c * v - s * u;
    double now = omega[a] * omega[a] + omega[b] * omega[b];
    double fix = now > 0.0 ? 1.0 + 0.5 * (length - now) / now : 1.0;
    omega[a] *= fix, omega[b] *= fix;
}

/// x with A x = b, by Cramer's rule: A is the identity and something of size 1/4.
static void solve3(const double A[9], const double b[3], double x[3])
{
    double column[3][3] = {{A[0], A[3], A[6]}, {A[1], A[4], A[7]}, {A[2], A[5], A[8]}}, cross[3];
    vec_cross(column[1], column[2], cross);
    double determinant = vec_dot(column[0], cross);
    x[0] = vec_dot(b, cross) / determinant;
    vec_cross(b, column[2], cross);
    x[1] = vec_dot(column[0], cross) / determinant;
    vec_cross(column[1], b, cross);
    x[2] = vec_dot(column[0], cross) / determinant;
}

/// m = L + (k/2) m x I^-1 m.
static void solve_midpoint(const double inv[3], double k, const double L[3], double m[3])
{
    double half = 0.5 * k, w[3], g[3], size = vec_norm(L);
    for (int i = 0; i < 3; ++i) w[i] = inv[i] * L[i];
    vec_cross(L, w, g);
    vec_add_scaled(L, half, g, m);
    for (int n = 0; n < NEWTON_MAX; ++n) {
        double F[3], d[3];
        for (int i = 0; i < 3; ++i) w[i] = inv[i] * m[i];
        vec_cross(m, w, g);
        for (int i = 0; i < 3; ++i) F[i] = L[i] + half * g[i] - m[i];
        /* A = 1 - half ([m]x I^-1 - [w]x) */
        const double A[9] = {
            1.0, -half * (-m[2] * inv[1] + w[2]), -half * (m[1] * inv[2] - w[1]),  -half * (m[2] * inv[0] - w[2]),
            1.0, -half * (-m[0] * inv[2] + w[0]), -half * (-m[1] * inv[0] + w[1]), -half * (m[0] * inv[1] - w[0]),
            1.0};
        solve3(A, F, d);
        for (int i = 0; i < 3; ++i) m[i] += d[i];
        if (vec_norm(d) <= 4.0 * DBL_EPSILON * size) break;
    }
}

static void rotate_triaxial(const double inertia[3], double h, double q[4], double omega[3])
{
    double inv[3], L0[3], L[3], m[3], inv_max = 0.0;
    for (int i = 0; i < 3; ++i)
        inv[i] = 1.0 / inertia[i], L[i] = L0[i] = inertia[i] * omega[i], inv_max = max2(inv_max, inv[i]);
    double turned = 4.0 * h * vec_norm(L) * inv_max; /* |omega| <= |L| inv_max at all times */
    int parts = turned < PARTS_MAX ? 1 + (int)turned : PARTS_MAX;
    for (int part = 0; part < parts; ++part) {
        double w[3] = {inv[0] * L[0], inv[1] * L[1], inv[2] * L[2]}, rate = vec_norm(w), angle = 0.5 * rate * h / parts;
        double k = angle > 1e-4 ? 2.0 * real_tan(min2(angle, 0.5)) / rate : h / parts * (1.0 + angle * angle / 3.0);
        solve_midpoint(inv, k, L, m);
        double r[4] = {1.0, 0.5 * k * inv[0] * m[0], 0.5 * k * inv[1] * m[1], 0.5 * k * inv[2] * m[2]};
        turn(q, r); /* r is cay(k w) but for its length */
        for (int i = 0; i < 3; ++i) L[i] = 2.0 * m[i] - L[i];
    }
    /* the change, not L/inertia: inertia x (1/inertia) is not 1 in every digit, and that error would be the same in every step */
    for (int i = 0; i < 3; ++i) omega[i] += (L[i] - L0[i]) / inertia[i];
}

void rotation_free(const double inertia[3], double h, double q[4], double omega[3])
{
    if (omega[0] == 0.0 && omega[1] == 0.0 && omega[2] == 0.0) return;
    inertia_kind kind = inertia_classify(inertia);
    if (kind == INERTIA_ISOTROPIC) rotation_about_axis(h, q, omega);
    else if (kind == INERTIA_TRIAXIAL) rotate_triaxial(inertia, h, q, omega);
    else rotate_symmetric(inertia, (int)kind, h, q, omega);
}
