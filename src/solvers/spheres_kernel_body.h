/* spheres_kernel_body.h: the solution of eight sphere contacts at once (laws/sphere.h, lane by lane without branches), and their residual.
 *
 * Every quantity is an array over the lanes and every loop body is straight-line code with selections, which compilers turn into vector
 * instructions; where they would not, vectors as gcc and clang have them. Included by one file per instruction set, which names the
 * table it makes, SPHERE_KERNEL, and says how many doubles a vector has, SPHERE_WIDTH. Products and sums are not contracted, so all of them give the same bits. */
#include "solvers/spheres_kernel.h"

#include "base/hd.h"

#include <math.h>
#include <string.h>

#define FOR_LANES(l) for (int l = 0; l < LANES; ++l) // NOLINT(bugprone-macro-parentheses): l is a name

/// fmax without its rule for NaN, which keeps it from becoming one instruction.
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Comparisons are written with vectors of the width of the machine, and choices with bits: as loops over a ?: b they end as a branch per
 * lane. */
typedef double part __attribute__((vector_size(SPHERE_WIDTH * sizeof(double))));
typedef int64_t part_bits __attribute__((vector_size(SPHERE_WIDTH * sizeof(double))));
typedef int64_t lane_bits[LANES]; /* of a condition: all set, or none */

SCREE_HD_INLINE void is_greater(const double a[LANES], const double b[LANES], lane_bits where)
{
    for (int l = 0; l < LANES; l += SPHERE_WIDTH) {
        part x, y;
        memcpy(&x, a + l, sizeof x), memcpy(&y, b + l, sizeof y);
        part_bits z = x > y;
        memcpy(where + l, &z, sizeof z);
    }
}

/// out = yes where the bits are set, no elsewhere.
SCREE_HD_INLINE void choose(const lane_bits where, const double yes[LANES], const double no[LANES], double out[LANES])
{
    int64_t x[LANES], y[LANES];
    memcpy(x, yes, sizeof x), memcpy(y, no, sizeof y);
    FOR_LANES (l) x[l] = (where[l] & x[l]) | (~where[l] & y[l]);
    memcpy(out, x, sizeof x);
}

SCREE_HD_INLINE int any_lane(const lane_bits where)
{
    int64_t any = 0;
    FOR_LANES (l) any |= where[l];
    return any != 0;
}

static const double zeros[LANES];

/// s = |v|^2.
SCREE_HD_INLINE void squares(double v[3][LANES], double s[LANES])
{
    FOR_LANES (l) s[l] = v[0][l] * v[0][l] + v[1][l] * v[1][l] + v[2][l] * v[2][l];
}

/// s = |v|.
SCREE_HD_INLINE void lengths(double v[3][LANES], double s[LANES])
{
    squares(v, s);
    FOR_LANES (l) s[l] = sqrt(s[l]);
}

/// Slides and rolls at once, c != 0: Newton in (alpha, beta) on the lanes of `todo`, as sphere_slide_roll of laws/sphere.h. It starts
/// from the last load Z_old: where the sweeps have settled one or two steps do.
SCREE_HD_INLINE void slide_and_roll(const double A[LANES], const double B[LANES], const double c[LANES],
                                    const double R1[LANES], const double R2[LANES], double bT[3][LANES],
                                    double bZ[3][LANES], double Z_old[3][LANES], const lane_bits todo,
                                    double x[3][LANES], double Z[3][LANES])
{
    double alpha[LANES], beta[LANES], u[3][LANES], w[3][LANES], s[LANES], t[LANES];
    lane_bits loaded;
    lengths(Z_old, t);
    is_greater(t, zeros, loaded);
    FOR_LANES (l) s[l] = R2[l] / larger(t[l], 1e-300);
    for (int i = 0; i < 3; ++i) {
        FOR_LANES (l) u[i][l] = s[l] * Z_old[i][l];
        choose(loaded, u[i], Z[i], w[i]);
    }
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) u[i][l] = bT[i][l] + c[l] * w[i][l];
    lengths(u, s);
    FOR_LANES (l) alpha[l] = larger(A[l], s[l] / R1[l]);
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) w[i][l] = bZ[i][l] - c[l] * u[i][l] / alpha[l];
    lengths(w, s);
    FOR_LANES (l) beta[l] = larger(B[l], s[l] / R2[l]);

    double f2[LANES], g2[LANES];
    for (int step = 0; step < 16; ++step) {
        double fb[LANES], gb[LANES], h[LANES], next_alpha[LANES], next_beta[LANES], limit[LANES];
        lane_bits unfinished, outside;
        FOR_LANES (l) f2[l] = g2[l] = fb[l] = gb[l] = 0.0;
        for (int i = 0; i < 3; ++i)
            FOR_LANES (l) {
                double f = beta[l] * bT[i][l] - c[l] * bZ[i][l], g = alpha[l] * bZ[i][l] - c[l] * bT[i][l];
                f2[l] += f * f, fb[l] += f * bT[i][l], g2[l] += g * g, gb[l] += g * bZ[i][l];
            }
        FOR_LANES (l) {
            double D = alpha[l] * beta[l] - c[l] * c[l], s1 = R1[l] / sqrt(f2[l]), s2 = R2[l] / sqrt(g2[l]);
            double h1 = s1 * D - 1.0, h2 = s2 * D - 1.0;
            double J11 = s1 * beta[l], J12 = s1 * (alpha[l] - D * fb[l] / f2[l]);
            double J21 = s2 * (beta[l] - D * gb[l] / g2[l]), J22 = s2 * alpha[l];
            double inverse = 1.0 / (J11 * J22 - J12 * J21);
            next_alpha[l] = alpha[l] - (J22 * h1 - J12 * h2) * inverse;
            next_beta[l] = beta[l] - (J11 * h2 - J21 * h1) * inverse;
            h[l] = larger(fabs(h1), fabs(h2)), limit[l] = 1e-8;
            alpha[l] = 0.5 * (alpha[l] + A[l]), beta[l] = 0.5 * (beta[l] + B[l]);
        }
        is_greater(A, next_alpha, outside);
        choose(outside, alpha, next_alpha, alpha);
        is_greater(B, next_beta, outside);
        choose(outside, beta, next_beta, beta);
        is_greater(h, limit, unfinished);
        FOR_LANES (l) unfinished[l] &= todo[l];
        if (!any_lane(unfinished)) break; /* quadratic: the step just taken is exact */
    }
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) {
            u[i][l] = beta[l] * bT[i][l] - c[l] * bZ[i][l];
            w[i][l] = alpha[l] * bZ[i][l] - c[l] * bT[i][l];
        }
    lengths(u, s), lengths(w, t);
    FOR_LANES (l) s[l] = -R1[l] / s[l], t[l] = -R2[l] / t[l];
    for (int i = 0; i < 3; ++i) {
        FOR_LANES (l) u[i][l] *= s[l], w[i][l] *= t[l];
        choose(todo, u[i], x[i], x[i]);
        choose(todo, w[i], Z[i], Z[i]);
    }
}

/// Slide and roll each by itself: clamps, exact where nothing couples them.
SCREE_HD_INLINE void single_loads(const double A[LANES], const double B[LANES], const double R1[LANES],
                                  const double R2[LANES], double bT[3][LANES], double bZ[3][LANES], double x[3][LANES],
                                  double Z[3][LANES])
{
    double gT[LANES], gZ[LANES];
    lengths(bT, gT), lengths(bZ, gZ);
    FOR_LANES (l) gT[l] = gT[l] > A[l] * R1[l] ? -R1[l] / gT[l] : -1.0 / A[l];
    FOR_LANES (l) gZ[l] = gZ[l] > B[l] * R2[l] ? -R2[l] / gZ[l] : -1.0 / B[l];
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) x[i][l] = gT[l] * bT[i][l], Z[i][l] = gZ[l] * bZ[i][l];
}

/// Slide and roll coupled by c: the three closed forms, then Newton on the lanes that need it. Lanes where one of the two loads must
/// vanish (radius 0) are solved by themselves, and where both must there is none. Divisions and roots are a third of the time here:
/// one of each per divisor, and none where a square decides.
SCREE_HD_INLINE void coupled_loads(const double A[LANES], const double B[LANES], const double c[LANES],
                                   const double R1[LANES], const double R2[LANES], double bT[3][LANES],
                                   double bZ[3][LANES], double Z_old[3][LANES], double x[3][LANES], double Z[3][LANES])
{
    double both[LANES], either[LANES];
    lane_bits couples, single;
    FOR_LANES (l) both[l] = R1[l] * R2[l] * fabs(c[l]), either[l] = R1[l] + R2[l];
    is_greater(both, zeros, couples), is_greater(either, zeros, single);
    FOR_LANES (l) single[l] &= ~couples[l];
    if (any_lane(single)) single_loads(A, B, R1, R2, bT, bZ, x, Z);
    else
        for (int i = 0; i < 3; ++i)
            FOR_LANES (l) x[i][l] = Z[i][l] = 0.0;

    double F[LANES], G[LANES], f[3][LANES], g[3][LANES], xs[3][LANES], zs[3][LANES], on_rim1[LANES], on_rim2[LANES];
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) {
            f[i][l] = B[l] * bT[i][l] - c[l] * bZ[i][l];
            g[i][l] = A[l] * bZ[i][l] - c[l] * bT[i][l];
        }
    lengths(f, F), lengths(g, G);
    double inverse_A[LANES], inverse_B[LANES], inverse[LANES];
    FOR_LANES (l) {
        on_rim1[l] = R1[l] / larger(F[l], 1e-300), on_rim2[l] = R2[l] / larger(G[l], 1e-300);
        inverse_A[l] = 1.0 / A[l], inverse_B[l] = 1.0 / B[l], inverse[l] = 1.0 / (A[l] * B[l] - c[l] * c[l]);
    }
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) {
            zs[i][l] = (c[l] * on_rim1[l] * f[i][l] - bZ[i][l]) * inverse_B[l]; /* Z where only sliding is on its rim */
            xs[i][l] = (c[l] * on_rim2[l] * g[i][l] - bT[i][l]) * inverse_A[l]; /* x where only rolling is            */
        }
    double x2[LANES], Z2[LANES], limit1[LANES], limit2[LANES];
    squares(xs, x2), squares(zs, Z2);
    FOR_LANES (l) {
        F[l] *= inverse[l], G[l] *= inverse[l];
        limit1[l] = R1[l] * R1[l], limit2[l] = R2[l] * R2[l];
    }
    lane_bits slides, rolls, x_too_long, Z_too_long, slides_only, rolls_only, todo;
    is_greater(F, R1, slides), is_greater(G, R2, rolls);
    is_greater(x2, limit1, x_too_long), is_greater(Z2, limit2, Z_too_long);
    FOR_LANES (l) {
        slides_only[l] = slides[l] & ~Z_too_long[l];
        rolls_only[l] = rolls[l] & ~slides_only[l] & ~x_too_long[l];
        todo[l] = couples[l] & (slides[l] | rolls[l]) & ~slides_only[l] & ~rolls_only[l];
    }
    choose(slides_only, on_rim1, inverse, F); /* what f and g are multiplied by */
    choose(rolls_only, on_rim2, inverse, G);
    for (int i = 0; i < 3; ++i) {
        FOR_LANES (l) f[i][l] *= -F[l], g[i][l] *= -G[l];
        choose(rolls_only, xs[i], f[i], f[i]);
        choose(slides_only, zs[i], g[i], g[i]);
        choose(couples, f[i], x[i], x[i]);
        choose(couples, g[i], Z[i], Z[i]);
    }
    if (any_lane(todo)) slide_and_roll(A, B, c, R1, R2, bT, bZ, Z_old, todo, x, Z);
}

/// Eight bodies as a matrix, body by body or (transposed) field by field: v (3), w (3), 1/m, 1/I.
enum { V = 0, OMEGA = 3, MASS = 6, INERTIA = 7 };

/// What the contacts see of their bodies.
typedef struct lanes_state {
    double a[LANES][LANES], b[LANES][LANES]; /* fields of the bodies, lane by lane */
    double u_N[LANES], w_S[LANES], u_T[3][LANES], w_Z[3][LANES];
} lanes_state;

/* Moving eight cache lines between the two orders is a third of the time of a batch if done entry by entry. With vectors of eight: pairs
 * within 16 bytes, then within 32, then within 64. */
#if SPHERE_WIDTH == 8
SCREE_HD_INLINE void transpose(const part in[LANES], part out[LANES])
{
    part t[LANES], u[LANES];
    for (int i = 0; i < LANES; i += 2) {
        t[i] = __builtin_shufflevector(in[i], in[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[i + 1] = __builtin_shufflevector(in[i], in[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < LANES; i += 4)
        for (int k = 0; k < 2; ++k) {
            u[i + k] = __builtin_shufflevector(t[i + k], t[i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
            u[i + 2 + k] = __builtin_shufflevector(t[i + k], t[i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; ++k) {
        out[k] = __builtin_shufflevector(u[k], u[4 + k], 0, 1, 2, 3, 8, 9, 10, 11);
        out[4 + k] = __builtin_shufflevector(u[k], u[4 + k], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

SCREE_HD_INLINE void read_bodies(const sphere_body *body, const int index[LANES], double field[LANES][LANES])
{
    part line[LANES], out[LANES];
    FOR_LANES (l) memcpy(&line[l], &body[index[l]], sizeof line[l]);
    transpose(line, out);
    memcpy(field, out, sizeof out);
}

/// Bodies that do not move are left alone: several contacts, and threads, may have them at once.
SCREE_HD_INLINE void write_bodies(double field[LANES][LANES], const int index[LANES], int body_count, sphere_body *body)
{
    part in[LANES], line[LANES];
    memcpy(in, field, sizeof in);
    transpose(in, line);
    FOR_LANES (l)
        if (index[l] < body_count) memcpy(&body[index[l]], &line[l], sizeof line[l]);
}
#else
SCREE_HD_INLINE void read_bodies(const sphere_body *body, const int index[LANES], double field[LANES][LANES])
{
    FOR_LANES (l) {
        const sphere_body *b = &body[index[l]];
        for (int i = 0; i < 3; ++i) field[V + i][l] = b->v[i], field[OMEGA + i][l] = b->w[i];
        field[MASS][l] = b->inv_mass, field[INERTIA][l] = b->inv_inertia;
    }
}

/// Bodies that do not move are left alone: several contacts, and threads, may have them at once.
SCREE_HD_INLINE void write_bodies(double field[LANES][LANES], const int index[LANES], int body_count, sphere_body *body)
{
    FOR_LANES (l)
        for (int i = 0; i < 3 && index[l] < body_count; ++i)
            body[index[l]].v[i] = field[V + i][l], body[index[l]].w[i] = field[OMEGA + i][l];
}
#endif

SCREE_HD_INLINE void gather(const sphere_batch *batch, const sphere_special *special, const sphere_body *body,
                            lanes_state *s)
{
    read_bodies(body, batch->a, s->a);
    read_bodies(body, batch->b, s->b);
    const double(*n)[LANES] = batch->n;
    FOR_LANES (l) {
        double ra = batch->r_a[l], rb = batch->r_b[l];
        double d0 = s->b[V][l] - s->a[V][l], d1 = s->b[V + 1][l] - s->a[V + 1][l], d2 = s->b[V + 2][l] - s->a[V + 2][l];
        double s0 = rb * s->b[OMEGA][l] + ra * s->a[OMEGA][l], s1 = rb * s->b[OMEGA + 1][l] + ra * s->a[OMEGA + 1][l],
               s2 = rb * s->b[OMEGA + 2][l] + ra * s->a[OMEGA + 2][l];
        double e0 = s->b[OMEGA][l] - s->a[OMEGA][l], e1 = s->b[OMEGA + 1][l] - s->a[OMEGA + 1][l],
               e2 = s->b[OMEGA + 2][l] - s->a[OMEGA + 2][l];
        double n0 = n[0][l], n1 = n[1][l], n2 = n[2][l], un = n0 * d0 + n1 * d1 + n2 * d2;
        s->u_N[l] = un + batch->s_N[l], s->w_S[l] = n0 * e0 + n1 * e1 + n2 * e2;
        s->u_T[0][l] = d0 - un * n0 + (n1 * s2 - n2 * s1);
        s->u_T[1][l] = d1 - un * n1 + (n2 * s0 - n0 * s2);
        s->u_T[2][l] = d2 - un * n2 + (n0 * s1 - n1 * s0);
        s->w_Z[0][l] = n1 * e2 - n2 * e1, s->w_Z[1][l] = n2 * e0 - n0 * e2, s->w_Z[2][l] = n0 * e1 - n1 * e0;
    }
    if (!special) return;
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) s->u_T[i][l] += special->s[i][l], s->w_Z[i][l] += special->s[3 + i][l];
    FOR_LANES (l) s->w_S[l] += special->s[6][l];
}

/// The normal load of the convex law and, as s_k, what each friction velocity b_k is multiplied by: the projection on the cone in the
/// metric diag(W, A, B, S). With g_k = |b_k| the load solves  W r + b_N = sum over k of mu_k max(0, g_k - A_k mu_k r): all rims
/// are taken as reached, and those whose load is inside are dropped; r only grows, so three passes do (laws/cone.h).
SCREE_HD_INLINE void convex_loads(const double b_N[LANES], const double W[LANES], double A[3][LANES],
                                  double g[3][LANES], const double mu[3][LANES], double r[LANES], double s[3][LANES])
{
    double on[3][LANES];
    for (int k = 0; k < 3; ++k)
        FOR_LANES (l) on[k][l] = 1.0;
    for (int pass = 0; pass < 4; ++pass) {
        FOR_LANES (l) {
            double num = -b_N[l], den = W[l];
            for (int k = 0; k < 3; ++k)
                num += on[k][l] * mu[k][l] * g[k][l], den += on[k][l] * mu[k][l] * mu[k][l] * A[k][l];
            r[l] = num > 0.0 ? num / den : 0.0;
        }
        if (pass == 3) break;
        for (int k = 0; k < 3; ++k) {
            double reach[LANES];
            lane_bits on_rim;
            FOR_LANES (l) reach[l] = A[k][l] * mu[k][l] * r[l];
            is_greater(g[k], reach, on_rim);
            choose(on_rim, on[k], zeros, on[k]);
        }
    }
    for (int k = 0; k < 3; ++k)
        FOR_LANES (l) s[k][l] = g[k][l] > A[k][l] * mu[k][l] * r[l] ? -mu[k][l] * r[l] / g[k][l] : -1.0 / A[k][l];
}

/// Convex law: r_N, x, Z, m_S by one step in the metric diag(W, t A, t B, S). t = 1 where nothing couples slide and roll, and the step
/// is the solution; else t = 1 + |c|/(A B)^1/2 makes the metric larger than W_cc: the objective falls.
SCREE_HD_INLINE void solve_convex(const sphere_batch *batch, const lanes_state *v, double p[LOAD_SIZE][LANES],
                                  const double W[LANES], const double A[LANES], const double B[LANES],
                                  const double S[LANES], const double c[LANES], const double soft[4][LANES],
                                  double r_N[LANES], double x[3][LANES], double Z[3][LANES], double m_S[LANES])
{
    double b_N[LANES], metric[3][LANES], g[3][LANES], s[3][LANES], b_S[LANES], bT[3][LANES], bZ[3][LANES];
    FOR_LANES (l) {
        double t = 1.0 + fabs(c[l]) / sqrt(A[l] * B[l]);
        metric[0][l] = t * A[l], metric[1][l] = t * B[l], metric[2][l] = S[l];
        b_N[l] = v->u_N[l] - (W[l] - soft[0][l]) * p[0][l];
        b_S[l] = v->w_S[l] - (S[l] - soft[3][l]) * p[7][l];
    }
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) {
            bT[i][l] = v->u_T[i][l] - (metric[0][l] - soft[1][l]) * p[1 + i][l];
            bZ[i][l] = v->w_Z[i][l] - (metric[1][l] - soft[2][l]) * p[4 + i][l];
        }
    FOR_LANES (l) g[0][l] = sqrt(bT[0][l] * bT[0][l] + bT[1][l] * bT[1][l] + bT[2][l] * bT[2][l]);
    FOR_LANES (l) g[1][l] = sqrt(bZ[0][l] * bZ[0][l] + bZ[1][l] * bZ[1][l] + bZ[2][l] * bZ[2][l]);
    FOR_LANES (l) g[2][l] = fabs(b_S[l]);
    convex_loads(b_N, W, metric, g, batch->mu, r_N, s);
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) x[i][l] = s[0][l] * bT[i][l], Z[i][l] = s[1][l] * bZ[i][l];
    FOR_LANES (l) m_S[l] = s[2][l] * b_S[l];
}

/// Coulomb law: the exact solution. r_N and m_S see nothing else; slide and roll are clamps where nothing couples them.
SCREE_HD_INLINE void solve_coulomb(const sphere_batch *batch, const lanes_state *v, double p[LOAD_SIZE][LANES],
                                   const double W[LANES], const double A[LANES], const double B[LANES],
                                   const double S[LANES], const double c[LANES], const double soft[4][LANES],
                                   double r_N[LANES], double x[3][LANES], double Z[3][LANES], double m_S[LANES])
{
    double R1[LANES], R2[LANES], bT[3][LANES], bZ[3][LANES];
    FOR_LANES (l) {
        double r = ((W[l] - soft[0][l]) * p[0][l] - v->u_N[l]) / W[l];
        r_N[l] = r > 0.0 ? r : 0.0;
        R1[l] = batch->mu[0][l] * r_N[l], R2[l] = batch->mu[1][l] * r_N[l];
        double R3 = batch->mu[2][l] * r_N[l], m = ((S[l] - soft[3][l]) * p[7][l] - v->w_S[l]) / S[l];
        m = m > R3 ? R3 : m;
        m_S[l] = m < -R3 ? -R3 : m;
    }
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) {
            bT[i][l] = v->u_T[i][l] - (A[l] - soft[1][l]) * p[1 + i][l] - c[l] * p[4 + i][l];
            bZ[i][l] = v->w_Z[i][l] - (B[l] - soft[2][l]) * p[4 + i][l] - c[l] * p[1 + i][l];
        }
    if (batch->all & SPHERE_COUPLED) coupled_loads(A, B, c, R1, R2, bT, bZ, p + 4, x, Z);
    else single_loads(A, B, R1, R2, bT, bZ, x, Z);
}

/// Moves the bodies by the change of the loads: impulse r = dN n + dx on b at -r_b n; moment m = dS n - n x dZ:
///     dv_b = r/m_b, dw_b = (-r_b n x dx + m)/I_b;   dv_a = -r/m_a, dw_a = (-r_a n x dx - m)/I_a
SCREE_HD_INLINE void scatter(const sphere_batch *batch, const double dN[LANES], double dx[3][LANES],
                             double dZ[3][LANES], const double dS[LANES], lanes_state *s, sphere_body *body,
                             int body_count)
{
    const double(*n)[LANES] = batch->n;
    FOR_LANES (l) {
        double n0 = n[0][l], n1 = n[1][l], n2 = n[2][l], ra = batch->r_a[l], rb = batch->r_b[l];
        double cx0 = n1 * dx[2][l] - n2 * dx[1][l], cx1 = n2 * dx[0][l] - n0 * dx[2][l],
               cx2 = n0 * dx[1][l] - n1 * dx[0][l];
        double m0 = dS[l] * n0 - (n1 * dZ[2][l] - n2 * dZ[1][l]), m1 = dS[l] * n1 - (n2 * dZ[0][l] - n0 * dZ[2][l]),
               m2 = dS[l] * n2 - (n0 * dZ[1][l] - n1 * dZ[0][l]);
        double r0 = dN[l] * n0 + dx[0][l], r1 = dN[l] * n1 + dx[1][l], r2 = dN[l] * n2 + dx[2][l];
        double ma = s->a[MASS][l], mb = s->b[MASS][l], Ia = s->a[INERTIA][l], Ib = s->b[INERTIA][l];
        s->a[V][l] -= ma * r0, s->a[V + 1][l] -= ma * r1, s->a[V + 2][l] -= ma * r2;
        s->b[V][l] += mb * r0, s->b[V + 1][l] += mb * r1, s->b[V + 2][l] += mb * r2;
        s->a[OMEGA][l] -= Ia * (ra * cx0 + m0), s->a[OMEGA + 1][l] -= Ia * (ra * cx1 + m1),
            s->a[OMEGA + 2][l] -= Ia * (ra * cx2 + m2);
        s->b[OMEGA][l] -= Ib * (rb * cx0 - m0), s->b[OMEGA + 1][l] -= Ib * (rb * cx1 - m1),
            s->b[OMEGA + 2][l] -= Ib * (rb * cx2 - m2);
    }
    write_bodies(s->a, batch->a, body_count, body);
    write_bodies(s->b, batch->b, body_count, body);
}

static const double no_compliance[4][LANES];

static double solve_batch(const sphere_batch *batch, const sphere_special *special, scree_law law, double beta,
                          sphere_body *body, int body_count, sphere_loads *loads, sphere_loads *old)
{
    lanes_state s;
    gather(batch, special, body, &s);
    double p[LOAD_SIZE][LANES];
    for (int i = 0; i < LOAD_SIZE; ++i)
        FOR_LANES (l) {
            double now = loads->p[i][l];
            p[i][l] = now + beta * (now - old->p[i][l]), old->p[i][l] = now;
        }
    const double(*soft)[LANES] = special ? special->soft : no_compliance;
    double W[LANES], A[LANES], B[LANES], S[LANES], c[LANES];
    FOR_LANES (l) {
        double ra = batch->r_a[l], rb = batch->r_b[l], Ia = s.a[INERTIA][l], Ib = s.b[INERTIA][l],
               m = s.a[MASS][l] + s.b[MASS][l], I = Ia + Ib;
        W[l] = m + soft[0][l], A[l] = m + ra * ra * Ia + rb * rb * Ib + soft[1][l], B[l] = I + soft[2][l];
        S[l] = I + soft[3][l], c[l] = rb * Ib - ra * Ia;
    }
    double r_N[LANES], x[3][LANES], Z[3][LANES], m_S[LANES];
    if (law == SCREE_COULOMB) solve_coulomb(batch, &s, p, W, A, B, S, c, soft, r_N, x, Z, m_S);
    else solve_convex(batch, &s, p, W, A, B, S, c, soft, r_N, x, Z, m_S);

    double change[LANES], total = 0.0, dN[LANES], dS[LANES];
    FOR_LANES (l) {
        dN[l] = r_N[l] - p[0][l], loads->p[0][l] = r_N[l];
        dS[l] = m_S[l] - p[7][l], loads->p[7][l] = m_S[l];
        change[l] = W[l] * dN[l] * dN[l] + S[l] * dS[l] * dS[l];
    }
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) {
            double dx = x[i][l] - p[1 + i][l], dZ = Z[i][l] - p[4 + i][l];
            loads->p[1 + i][l] = x[i][l], loads->p[4 + i][l] = Z[i][l];
            x[i][l] = dx, Z[i][l] = dZ;
            change[l] += A[l] * dx * dx + 2.0 * c[l] * dx * dZ + B[l] * dZ * dZ;
        }
    scatter(batch, dN, x, Z, dS, &s, body, body_count);
    FOR_LANES (l) total += change[l];
    return total;
}

static void push_batch(const sphere_batch *batch, const sphere_loads *loads, sphere_body *body, int body_count)
{
    lanes_state s;
    double x[3][LANES], Z[3][LANES];
    gather(batch, NULL, body, &s);
    for (int i = 0; i < 3; ++i)
        FOR_LANES (l) x[i][l] = loads->p[1 + i][l], Z[i][l] = loads->p[4 + i][l];
    scatter(batch, loads->p[0], x, Z, loads->p[7], &s, body, body_count);
}

static void check_batch(const sphere_batch *batch, const sphere_special *special, scree_law law,
                        const sphere_body *body, const sphere_loads *loads, double sums[3])
{
    lanes_state s;
    gather(batch, special, body, &s);
    const double(*p)[LANES] = loads->p;
    if (special) {
        FOR_LANES (l) s.u_N[l] += special->soft[0][l] * p[0][l], s.w_S[l] += special->soft[3][l] * p[7][l];
        for (int i = 0; i < 3; ++i)
            FOR_LANES (l) {
                s.u_T[i][l] += special->soft[1][l] * p[1 + i][l];
                s.w_Z[i][l] += special->soft[2][l] * p[4 + i][l];
            }
    }
    double b_N[LANES], one[LANES], metric[3][LANES], g[3][LANES], scale[3][LANES], r[LANES], F[LANES], P[LANES],
        Y[LANES], speed[3][LANES];
    FOR_LANES (l) {
        double u2 = 0.0, w2 = 0.0;
        for (int i = 0; i < 3; ++i) u2 += s.u_T[i][l] * s.u_T[i][l], w2 += s.w_Z[i][l] * s.w_Z[i][l];
        /* a mechanism that is absent has no rows */
        u2 = batch->flags[l] & 1 ? u2 : 0.0, w2 = batch->flags[l] & 2 ? w2 : 0.0;
        s.w_S[l] = batch->flags[l] & 4 ? s.w_S[l] : 0.0;
        Y[l] = s.u_N[l] * s.u_N[l] + u2 + w2 + s.w_S[l] * s.w_S[l];
        speed[0][l] = sqrt(u2), speed[1][l] = sqrt(w2), speed[2][l] = fabs(s.w_S[l]);
    }
    double shift = law == SCREE_COULOMB ? 1.0 : 0.0;
    FOR_LANES (l) {
        double slip = 0.0, x2 = 0.0, z2 = 0.0;
        for (int k = 0; k < 3; ++k) slip += batch->mu[k][l] * speed[k][l];
        b_N[l] = s.u_N[l] + shift * slip - p[0][l], one[l] = metric[0][l] = metric[1][l] = metric[2][l] = 1.0;
        for (int i = 0; i < 3; ++i) {
            double x = p[1 + i][l] - s.u_T[i][l], z = p[4 + i][l] - s.w_Z[i][l];
            x2 += x * x, z2 += z * z;
        }
        g[0][l] = sqrt(x2), g[1][l] = sqrt(z2), g[2][l] = fabs(p[7][l] - s.w_S[l]);
    }
    convex_loads(b_N, one, metric, g, batch->mu, r, scale);
    FOR_LANES (l) {
        double dN = p[0][l] - r[l], dS = p[7][l] - scale[2][l] * (s.w_S[l] - p[7][l]), f = dN * dN + dS * dS,
               size = p[0][l] * p[0][l] + p[7][l] * p[7][l];
        for (int i = 0; i < 3; ++i) {
            double dx = p[1 + i][l] - scale[0][l] * (s.u_T[i][l] - p[1 + i][l]),
                   dz = p[4 + i][l] - scale[1][l] * (s.w_Z[i][l] - p[4 + i][l]);
            f += dx * dx + dz * dz, size += p[1 + i][l] * p[1 + i][l] + p[4 + i][l] * p[4 + i][l];
        }
        int there = batch->contact[l] >= 0;
        F[l] = there ? f : 0.0, P[l] = there ? size : 0.0, Y[l] = there ? Y[l] : 0.0;
    }
    sums[0] = sums[1] = sums[2] = 0.0;
    FOR_LANES (l) sums[0] += F[l], sums[1] += P[l], sums[2] += Y[l];
}

const sphere_kernel SPHERE_KERNEL = {solve_batch, push_batch, check_batch};
