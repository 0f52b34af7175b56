/* dem_frame_spheres.h: dem_frame.h for two spheres, or a sphere on a plane, over lanes (math/lanes.h): without quaternions, angles or a
 * stored frame.                                                                                                   [FN] 2, App. B
 *
 * Over a step the normal goes from n0 to n1 and body k turns by the Rodrigues vector b_k = tan(|angle|/2) axis, carrying n0 to m_k.
 * dQ_k = (transport n0 -> m_k) after (a twist 2 atan(b_k.n0) about n0), and the transports n0 -> m_k -> n1 differ from n0 -> n1 by the area of
 * the spherical triangle, 2 atan(N/D) with N = m_k.(n1 x n0), D = 1 + n0.m_k + m_k.n1 + n0.n1. Both angles are kept as one complex number,
 * z_k = (D + i N)(1 + i b_k.n0), alpha_k = 2 arg z_k; psi = alpha_i - alpha_j, the angle of the counter-spin, is twice that of z_i conj(z_j).
 * The way over body k is R_k times the arc from n1 to m_k: asin(s)/s times the tangential part of m_k - n1. Over a plane, whose foot points
 * lie straight below the centre of i, it is the tangential part of c - T c0: centre of i from a point of the plane, now and before, T the
 * plane's turn. With u the velocity of the centre against that point, c0 = c - h u, so that is h u - (T - 1) c0.
 *
 * Departures from dem_frame.h, all equal to it to rounding:
 *   - u_0 is not stored: it is a fixed function of n_0, e_x moved straight from one of the poles of z to n_0 (vec_tangent_half; a bit
 *     says from which, and changes where n comes within 60 degrees of the other). Histories are turned from the basis of n_0 to that of
 *     n_1: u_1 itself is never formed, only its angle in the new basis, as a unit complex number. That is alpha_i and the area of the
 *     triangle of pole, n_0 and n_1
 *   - dTheta = g t needs no curvature, since p = R g t on a sphere
 *   - asin(s)/s by its series; lanes with more than 0.01 rad in a step go through dem_arc_factor and math/elementary.h
 *   - one division for several. */
#ifndef SCREE_LAWS_DEM_FRAME_SPHERES_H
#define SCREE_LAWS_DEM_FRAME_SPHERES_H

#include "laws/dem_friction.h"
#include "math/elementary.h"
#ifndef LANES_WIDTH
#define LANES_WIDTH 1
#endif
#include "math/lanes.h"

/// tan(x)/x = 1 + x^2/3 + 2 x^4/15 + 17 x^6/315 + ..
#define DEM_TAN_1 (1.0 / 3.0)
#define DEM_TAN_2 (2.0 / 15.0)
#define DEM_TAN_3 (17.0 / 315.0)

#define DEM_SERIES_END 1e-4 /* of squares of angles */

/// The basis of the tangent plane at n: u = vec_tangent_half(n, s), w = n x u. It is never formed. With g = 1/(1 + s n_z)
///     u = (1 - g n_x^2, -g n_x n_y, -s n_x),     w = s (-g n_x n_y, 1 - g n_y^2, -s n_y).
typedef struct tangent_lanes {
    lanes sign, slope; /* s as the sign of a zero; g */
} tangent_lanes;

/// Components of t along u and w; `across`: n_x t_x + n_y t_y.
SCREE_HD_INLINE void in_tangents(const lanes n[3], const tangent_lanes *at, const lanes t[3], lanes p[2], lanes *across)
{
    lanes q = mad(n[1], t[1], n[0] * t[0]), less = mad(at->slope, q, flip(at->sign, t[2]));
    p[0] = nmad(n[0], less, t[0]), p[1] = flip(at->sign, nmad(n[1], less, t[1])), *across = q;
}

/// a u + b w.
SCREE_HD_INLINE void of_tangents(const lanes n[3], const tangent_lanes *at, lanes a, lanes b, lanes t[3])
{
    b = flip(at->sign, b);
    lanes q = mad(n[1], b, n[0] * a), less = at->slope * q;
    t[0] = nmad(n[0], less, a), t[1] = nmad(n[1], less, b), t[2] = flip(at->sign, flip(all(-0.0), q));
}

/// b = tan(h |omega|/2) omega/|omega|, the Rodrigues vector of a turn by h omega; returns b.b. The series is exact to rounding below 0.02 rad
/// a step and to 2e-10 of the angle at 0.2 rad.
SCREE_HD_INLINE lanes half_turn(lanes half_h, const lanes omega[3], lanes b[3])
{
    lanes t = dot3(omega, omega) * (half_h * half_h);
    lanes g = mad(t, mad(t, mad(t, all(DEM_TAN_3), all(DEM_TAN_2)), all(DEM_TAN_1)), all(1.0)), f = half_h * g;
    for (int k = 0; k < 3; ++k) b[k] = omega[k] * f;
    return t * (g * g);
}

/// One body's part in a step.
typedef struct side_lanes {
    lanes z[2];     /* alpha = 2 arg z                                                    */
    lanes p[2], s2; /* the carried normal, less n1, along u and w; its square: sin^2      */
    lanes cosine;   /* and its other part                                                 */
} side_lanes;

/// b: half_turn; b2 = b.b, scale = 2/(1 + b2): the body carries n0 to m = n0 + scale (b x n0 + b x (b x n0)). `n1_n0`: n1 x n0; `e`:
/// n0 - n1; `near`: 2 + n0.n1; `at`: the basis at n1.
SCREE_HD_INLINE void side_step(const lanes n0[3], const lanes n1[3], const tangent_lanes *at, const lanes n1_n0[3],
                               const lanes e[3], lanes near, const lanes b[3], lanes b2, lanes scale, side_lanes *out)
{
    lanes t[3], q, twist = dot3(b, n0); /* t = m - n1 */
    for (int k = 0; k < 3; ++k) t[k] = nmad(b2, n0[k], twist * b[k]);
    add_cross3(b, n0, t);
    for (int k = 0; k < 3; ++k) t[k] = mad(scale, t[k], e[k]);
    in_tangents(n1, at, t, out->p, &q);
    lanes cosine = mad(t[2], n1[2], q) + all(1.0);
    lanes N = dot3(t, n1_n0), D = mad(scale, twist * twist - b2, near + cosine);
    out->z[0] = nmad(twist, N, D), out->z[1] = mad(twist, D, N), out->cosine = cosine;
    out->s2 = mad(out->p[1], out->p[1], out->p[0] * out->p[0]);
}

/// asin(s)/s, by its series.
SCREE_HD_INLINE lanes arc_factor(lanes s2)
{
    lanes g = mad(s2, all(15.0 / 336.0), all(3.0 / 40.0));
    return mad(s2, mad(s2, g, all(1.0 / 6.0)), all(1.0));
}

/// (x, y) turned by the unit complex number (c, s).
SCREE_HD_INLINE void turn_pair(lanes c, lanes s, lanes p[2])
{
    lanes x = p[0], y = p[1];
    p[0] = nmad(s, y, c * x), p[1] = mad(s, x, c * y);
}

/// The square of a complex number over that of its size; `twice`: 2/size^2. Exactly 1 where im is 0.
SCREE_HD_INLINE void unit_square(lanes re, lanes im, lanes twice, lanes out[2])
{
    lanes t = im * twice;
    out[0] = nmad(t, im, all(1.0)), out[1] = t * re;
}

/* ---- what the quick formulas do not give ------------------------------------------------------------------------------------------ */

/// Lanes whose angles are beyond the series, or whose basis changes to that of the other pole.
typedef struct rare_lanes {
    double s2[2][LANES_WIDTH], cosine[2][LANES_WIDTH], re[LANES_WIDTH], im[LANES_WIDTH];
    double n0[3][LANES_WIDTH], n1[3][LANES_WIDTH], z[2][LANES_WIDTH];
    double g[2][LANES_WIDTH], psi[LANES_WIDTH], angle[2][LANES_WIDTH]; /* results */
} rare_lanes;

SCREE_HD void far_angles(int l, rare_lanes *r)
{
    const double pi = 3.14159265358979323846, a = 2.0 * real_atan2(r->im[l], r->re[l]);
    r->psi[l] = a > pi ? a - 2.0 * pi : a <= -pi ? a + 2.0 * pi : a;
    for (int k = 0; k < 2; ++k) r->g[k][l] = dem_arc_factor(r->s2[k][l], r->cosine[k][l]);
}

/// u_0 from one pole (half: 1 or -1), moved straight to n1 and turned by alpha_i, in the basis from the other.
SCREE_HD void change_pole(int l, double half, rare_lanes *r)
{
    double n0[3], n1[3], u0[3], u[3], w[3], y[3], c = 0.0, s = 0.0;
    for (int k = 0; k < 3; ++k) n0[k] = r->n0[k][l], n1[k] = r->n1[k][l];
    vec_tangent_half(n0, half, u0);
    vec_tangent_half(n1, -half, u);
    vec_cross(n1, u, w);
    double lean = vec_dot(u0, n1) / (1.0 + vec_dot(n0, n1)), x = r->z[0][l], i = r->z[1][l], zz = x * x + i * i;
    for (int k = 0; k < 3; ++k) {
        y[k] = u0[k] - lean * (n0[k] + n1[k]);
        c += u[k] * y[k], s += w[k] * y[k];
    }
    double ci = (x * x - i * i) / zz, si = 2.0 * x * i / zz;
    r->angle[0][l] = ci * c - si * s, r->angle[1][l] = si * c + ci * s;
}

/// Not inlined: it is rare, and would crowd what it is called from.
SCREE_HD_RARE void rare_cases(unsigned far, unsigned change, unsigned south, rare_lanes *r)
{
    for (int l = 0; l < LANES_WIDTH; ++l) {
        if (far >> l & 1u) far_angles(l, r);
        if (change >> l & 1u) change_pole(l, south >> l & 1u ? -1.0 : 1.0, r);
    }
}

/* ---- a step ----------------------------------------------------------------------------------------------------------------------- */

/// What a step of spheres i and j is made of: the normals before and after, into i; spins; radii.
typedef struct sphere_step {
    const lanes *n0, *n1, *omega_i, *omega_j;
    lanes R_i, R_j;
    const lanes *over; /* j is a plane: velocity of i's centre in the step against the plane's point, else NULL */
    const lanes *from; /* and where it was from that point before the step                                     */
} sphere_step;

/// How far the four springs are stretched in a step of length h, in the basis `at` n1, and by how much histories turn into that basis
/// (turn_pair). `south`: lanes whose basis comes from the pole -z, before and after. `live`: lanes that anybody asks about.
SCREE_HD_INLINE void sphere_growth(const sphere_step *s, double step, unsigned *south, mask live, tangent_lanes *at,
                                   lanes growth[DEM_SPRINGS][2], lanes angle[2])
{
    const lanes *n0 = s->n0, *n1 = s->n1;
    lanes zero = all(0.0), one = all(1.0), minus = all(-0.0), h = all(step), half_h = all(0.5 * step);
    lanes b_i[3], b_j[3], e[3], n1_n0[3], n0n1 = dot3(n0, n1), sign = only(of_bits(*south), minus);
    side_lanes i, j;
    const mask change = greater(all(-0.5), flip(sign, n1[2]));
    at->sign = flip(only(change, minus), sign);

    /* one division for 2/(1 + b.b) of both sides and for the basis */
    for (int k = 0; k < 3; ++k) e[k] = n0[k] - n1[k];
    lanes bb_i = half_turn(half_h, s->omega_i, b_i), bb_j = half_turn(half_h, s->omega_j, b_j), I = one + bb_i,
          J = one + bb_j, T = one + flip(at->sign, n1[2]);
    lanes IJ = I * J, inverse = one / (IJ * T), twice = (inverse + inverse) * T;
    at->slope = inverse * IJ;
    cross3(n1, n0, n1_n0);
    side_step(n0, n1, at, n1_n0, e, all(2.0) + n0n1, b_i, bb_i, twice * J, &i);
    side_step(n0, n1, at, n1_n0, e, all(2.0) + n0n1, b_j, bb_j, twice * I, &j);

    /* q = z_i conj(z_j): the counter-spin. And z_i times what the bases turn: u is e_x moved from the pole straight to n, so the way over
     * n0 turns it by the area of a triangle again, D - i N */
    lanes re = mad(i.z[1], j.z[1], i.z[0] * j.z[0]), im = nmad(i.z[0], j.z[1], i.z[1] * j.z[0]);
    lanes D = flip(at->sign, n0[2] + n1[2]) + (one + n0n1), N = flip(at->sign, n1_n0[2]);
    lanes a_re = mad(i.z[1], N, i.z[0] * D), a_im = nmad(i.z[0], N, i.z[1] * D);
    lanes qq = mad(im, im, re * re), aa = mad(a_im, a_im, a_re * a_re), counter[2];
    inverse = one / (qq * aa), inverse = inverse + inverse;
    unit_square(re, im, inverse * aa, counter);
    unit_square(a_re, a_im, inverse * qq, angle);

    /* psi is the angle of the counter-spin: the arc of its sine */
    lanes sine2 = counter[1] * counter[1], g_i = arc_factor(i.s2), g_j = arc_factor(j.s2),
          psi = counter[1] * arc_factor(sine2);
    const mask near = both(greater(all(DEM_SERIES_END), larger(larger(i.s2, j.s2), sine2)),
                           greater(smaller(smaller(i.cosine, j.cosine), counter[0]), zero));
    const unsigned far = bits_of(but_not(live, near)), changes = bits_of(both(live, change));
    if (far | changes) {
        LANES_ALIGNED rare_lanes r;
        put(r.s2[0], i.s2), put(r.s2[1], j.s2), put(r.cosine[0], i.cosine), put(r.cosine[1], j.cosine);
        put(r.re, re), put(r.im, im), put(r.psi, psi), put(r.g[0], g_i), put(r.g[1], g_j);
        for (int k = 0; k < 2; ++k) put(r.z[k], i.z[k]), put(r.angle[k], angle[k]);
        for (int k = 0; k < 3; ++k) put(r.n0[k], n0[k]), put(r.n1[k], n1[k]);
        rare_cases(far, changes, *south, &r);
        g_i = get(r.g[0]), g_j = get(r.g[1]), psi = get(r.psi), angle[0] = get(r.angle[0]), angle[1] = get(r.angle[1]);
    }
    *south ^= bits_of(change);

    lanes on_j[2]; /* the way on j: an arc, or on a plane a line */
    if (s->over) {
        lanes way[3], spun[3], more[3], q, along = dot3(s->over, n1), scale = twice * I; /* T - 1: as in side_step */
        cross3(b_j, s->from, spun), cross3(b_j, spun, more);
        for (int k = 0; k < 3; ++k) spun[k] = scale * (spun[k] + more[k]);
        const lanes across = dot3(spun, n1);
        for (int k = 0; k < 3; ++k) way[k] = h * nmad(along, n1[k], s->over[k]) - nmad(across, n1[k], spun[k]);
        in_tangents(n1, at, way, on_j, &q);
    } else
        for (int k = 0; k < 2; ++k) on_j[k] = j.p[k] * flip(minus, g_j);
    turn_pair(counter[0], counter[1], on_j);
    for (int k = 0; k < 2; ++k) {
        lanes roll = i.p[k] * g_i;
        growth[DEM_ROLL_I][k] = roll, growth[DEM_ROLL_J][k] = s->over ? zero : on_j[k];
        growth[DEM_SLIDE][k] = s->over ? mad(s->R_i, roll, zero - on_j[k]) : nmad(s->R_j, on_j[k], s->R_i * roll);
    }
    growth[DEM_SPIN][0] = psi, growth[DEM_SPIN][1] = zero;
}

#endif
