/* bed_kernel_laws.h: both laws of friction of a bed, BED_WIDTH contacts at once. The letters are those of laws/dem_legacy.h (sds) and of
 * laws/dem_frame.h and dem_friction.h ([FN]). Included by bed_kernel_body.h.
 *
 * Departures from those functions, all equal to them to rounding:
 *   - sds: |xi|/|xi - (xi.n) n| is taken from d instead of n = d/|d|, and a spring beyond its limit gives what its force loses,
 *     xi += (F - F_cut)/k: long waits for roots and divisions come at the same time
 *   - n_0 is not stored: x was moved by h v, so it is the unit of d - h (v_i - v_j) (a plane keeps its last normal)
 *   - u_0 is not stored: it is a fixed function of n_0, e_x moved straight from one of the poles of z to n_0 (vec_tangent_half; a bit
 *     says from which, and changes where n comes within 60 degrees of the other). Memories are turned from the basis of n_0 to that of
 *     n_1: u_1 itself is never formed, only its angle in the new basis, as a unit complex number. That is alpha_i and the area of the
 *     triangle of pole, n_0 and n_1
 *   - dTheta = g t needs no curvature, since p = R g t on a sphere
 *   - asin(s)/s and atan by their series; lanes with more than 0.01 rad in a step go through the functions of the C library
 *   - one division for several. */
#ifndef SCREE_STEPPERS_BED_KERNEL_LAWS_H
#define SCREE_STEPPERS_BED_KERNEL_LAWS_H

#include "steppers/bed_kernel_view.h"

/* ---- spring, dashpot, slider ------------------------------------------------------------------------------------------------- */

/// |xi|/|xi - (xi.n) n|, 0 where there is none, and xi.d. From d along n and d.d: it need not wait for n, which comes after a root and a
/// division.
BED_INLINE lanes sds_stretch(const lanes xi[3], const lanes d[3], lanes d2, lanes *along_d)
{
    lanes out = dot3(xi, d), old2 = dot3(xi, xi) * d2, now2 = nmad(out, out, old2);
    *along_d = out;
    return only(greater(now2, all(0.0)), root(old2 / now2));
}

/// dem_sds_vector up to its limit. `c`: stiffness, damping, mu, 1/stiffness. Lanes that are beyond.
BED_INLINE mask sds_pull(constants c, lanes load, const lanes n[3], lanes out, lanes longer, const lanes v[3], lanes h,
                         mask touch, lanes xi[3], lanes F[3])
{
    lanes k = C(0), g = C(1), limit = C(2) * load;
    mask turn = greater(size_of(out) * k, all(1e-10) * limit);
    lanes stretch = choose(turn, longer, all(1.0)), off = only(turn, out);
    for (int a = 0; a < 3; ++a) {
        xi[a] = mad(h, v[a], nmad(off, n[a], xi[a]) * stretch);
        F[a] = nmsub(k, xi[a], g * v[a]);
    }
    return both(touch, greater(dot3(F, F), limit * limit));
}

/// The rest of it: back to the limit, by a factor that is 1 where F is not beyond. The dashpot's part of F stays, so the spring gives what F
/// loses. `starts`: nothing has moved yet, and a spring that holds nothing gives nothing beyond its limit.
BED_INLINE void sds_cut(constants c, lanes load, int starts, lanes xi[3], lanes F[3])
{
    lanes limit = C(2) * load, size2 = dot3(F, F), back = C(3);
    lanes cut = smaller(root(size2) * (limit / size2), all(1.0)); /* root and division at once; 1 where F is 0 */
    if (starts) {
        mask none = but_not(greater(size2, limit * limit), greater(dot3(xi, xi), all(0.0)));
        cut = without(none, cut), back = without(none, back);
    }
    for (int a = 0; a < 3; ++a) {
        lanes less = F[a] * cut;
        xi[a] = mad(F[a] - less, back, xi[a]), F[a] = less;
    }
}

/// What dashpot and slider take of a spring that had xi2 before it was cut. Beyond the limit all that is lost is the slider's.
BED_INLINE void sds_lost(constants c, const lanes v[3], lanes h, mask over, lanes xi2, const lanes xi[3],
                         lanes *dashpot, lanes *slider)
{
    lanes viscous = C(1) * dot3(v, v) * h, spring = all(0.5) * C(0) * (xi2 - dot3(xi, xi));
    *dashpot = without(over, viscous), *slider = only(over, viscous + spring);
}

/// dem_sds_twist.
BED_INLINE lanes sds_twist(constants c, lanes load, lanes rate, lanes h, int wanted, lanes *phi, mask *beyond,
                           lanes *dashpot, lanes *slider)
{
    lanes k = C(0), g = C(1), limit = C(2) * load, zero = all(0.0), full = mad(h, rate, *phi);
    lanes M = nmsub(k, full, g * rate);
    mask over = greater(size_of(M), limit);
    *beyond = over;
    lanes signed_limit = only(greater(rate, zero), limit) - only(greater(zero, rate), limit);
    *phi = choose(over, nmad(g, rate, signed_limit) * C(3), full);
    if (wanted) {
        lanes viscous = g * rate * rate * h, spring = all(0.5) * k * (full * full - *phi * *phi);
        *dashpot = without(over, viscous), *slider = only(over, viscous + spring);
    }
    return choose(over, zero - signed_limit, M);
}

BED_INLINE void sds_part(const bed_run *run, bed_block *b, int part, const touch_lanes *s, constants c, int wanted,
                         load_lanes *f, loss_lanes *loss)
{
    lanes xi[3], roll[3], phi, h = all(run->moved), F[3], Fr[3], v[3], vr[3], spin[3], w[3], rolls[3], couple[3],
                               tor[3];
    for (int k = 0; k < 3; ++k) {
        xi[k] = get(&b->memory[k][part]), roll[k] = get(&b->memory[3 + k][part]);
        spin[k] = mad(s->R_i, s->w_i[k], s->R_j * s->w_j[k]), w[k] = s->w_i[k] - s->w_j[k];
        rolls[k] = C(C_ROLL_RADIUS) * s->n[k];
    }
    phi = get(&b->memory[6][part]);
    lanes out, out_roll, longer = sds_stretch(xi, s->d, s->d2, &out),
                         longer_roll = sds_stretch(roll, s->d, s->d2, &out_roll);
    lanes N = normal_load(run, s, c, &loss->dashpot[0]), load = size_of(N);

    for (int k = 0; k < 3; ++k) v[k] = nmad(s->vn, s->n[k], s->v[k]);
    add_cross3(s->n, spin, v);
    mask over = sds_pull(c + C_SLIDE, load, s->n, out * s->per_d, longer, v, h, s->touch, xi, F);
    cross3(w, rolls, vr);
    mask over_roll = sds_pull(c + C_ROLL, load, s->n, out_roll * s->per_d, longer_roll, vr, h, s->touch, roll, Fr);
    lanes xi2 = dot3(xi, xi), roll2 = dot3(roll, roll);
    sds_cut(c + C_SLIDE, load, run->starts, xi, F);
    sds_cut(c + C_ROLL, load, run->starts, roll, Fr);
    if (wanted) {
        sds_lost(c + C_SLIDE, v, h, over, xi2, xi, &loss->dashpot[1], &loss->slider[1]);
        sds_lost(c + C_ROLL, vr, h, over_roll, roll2, roll, &loss->dashpot[2], &loss->slider[2]);
    }
    mask over_twist;
    lanes M =
        sds_twist(c + C_TWIST, load, dot3(w, s->n), h, wanted, &phi, &over_twist, &loss->dashpot[3], &loss->slider[3]);
    const unsigned part_bits = ((1u << BED_WIDTH) - 1u) << part, touch = bits_of(s->touch);
    b->kinetic[DEM_SLIDE] = (uint8_t)((b->kinetic[DEM_SLIDE] & ~part_bits) | (bits_of(over) & touch) << part);
    b->kinetic[DEM_ROLL_I] = (uint8_t)((b->kinetic[DEM_ROLL_I] & ~part_bits) | (bits_of(over_roll) & touch) << part);
    b->kinetic[DEM_SPIN] = (uint8_t)((b->kinetic[DEM_SPIN] & ~part_bits) | (bits_of(over_twist) & touch) << part);

    f->N = N;
    cross3(s->n, F, tor);
    for (int k = 0; k < 3; ++k) couple[k] = M * s->n[k];
    add_cross3(rolls, Fr, couple);
    for (int k = 0; k < 3; ++k) {
        f->force[k] = mad(N, s->n[k], F[k]);
        f->torque_i[k] = nmad(s->arm_i, tor[k], couple[k]);
        f->torque_j[k] = nmsub(s->arm_j, tor[k], couple[k]);
        if (!s->whole) xi[k] = only(s->touch, xi[k]), roll[k] = only(s->touch, roll[k]);
        put(&b->memory[k][part], xi[k]), put(&b->memory[3 + k][part], roll[k]);
    }
    put(&b->memory[6][part], s->whole ? phi : only(s->touch, phi));
}

/* ---- [FN] ----------------------------------------------------------------------------------------------------------------------- */

/// u = vec_tangent_half(n, s), w = n x u; slope = 1/(1 + s n_z).
BED_INLINE void basis(const lanes n[3], lanes s, lanes slope, lanes u[3], lanes w[3])
{
    lanes x = n[0] * slope, y = n[1] * slope, zero = all(0.0), one = all(1.0);
    u[0] = nmad(x, n[0], one), u[1] = nmad(x, n[1], zero), u[2] = nmad(s, n[0], zero);
    w[0] = s * u[1], w[1] = s * nmad(y, n[1], one), w[2] = zero - n[1];
}

/// One side of a contact, dem_sphere_side.
typedef struct side_lanes {
    lanes z[2];     /* alpha = 2 arg z                                                    */
    lanes p[2], s2; /* the carried normal, less n1, along u and w; its square: sin^2      */
    lanes cosine;   /* and its other part                                                 */
} side_lanes;

/// b = tan(h |omega|/2) omega/|omega|, the Rodrigues vector of a turn by h omega; returns b.b. The series is exact to rounding below 0.02 rad a
/// step and to 2e-10 of the angle at 0.2 rad.
BED_INLINE lanes half_turn(lanes half_h, const lanes w[3], lanes b[3])
{
    lanes t = dot3(w, w) * (half_h * half_h), f = mad(t, all(BED_TAN_3), all(BED_TAN_2));
    f = half_h * mad(t, mad(t, f, all(BED_TAN_1)), all(1.0));
    for (int k = 0; k < 3; ++k) b[k] = w[k] * f;
    return dot3(b, b);
}

/// b: half_turn; b2 = b.b, scale = 2/(1 + b2): the body carries n0 to m = n0 + scale (b x n0 + b x (b x n0)). `n1_n0`: n1 x n0; `e`:
/// n0 - n1; `near`: 2 + n0.n1.
BED_INLINE void side(const lanes n0[3], const lanes n1[3], const lanes n1_n0[3], const lanes e[3], lanes near,
                     const lanes u[3], const lanes w[3], const lanes b[3], lanes b2, lanes scale, side_lanes *out)
{
    lanes t[3], twist = dot3(b, n0); /* t = m - n1 */
    for (int k = 0; k < 3; ++k) t[k] = nmad(b2, n0[k], twist * b[k]);
    add_cross3(b, n0, t);
    for (int k = 0; k < 3; ++k) t[k] = mad(scale, t[k], e[k]);
    lanes cosine = mad(t[2], n1[2], mad(t[1], n1[1], mad(t[0], n1[0], all(1.0))));
    lanes N = dot3(t, n1_n0), D = mad(scale, twist * twist - b2, near + cosine); /* 1 + n0.m + m.n1 + n0.n1 */
    out->z[0] = nmad(twist, N, D), out->z[1] = mad(twist, D, N), out->cosine = cosine;
    out->p[0] = dot3(u, t), out->p[1] = dot3(w, t), out->s2 = mad(out->p[1], out->p[1], out->p[0] * out->p[0]);
}

/// asin(s)/s, by its series.
BED_INLINE lanes arc_factor(lanes s2)
{
    lanes g = mad(s2, all(15.0 / 336.0), all(3.0 / 40.0));
    return mad(s2, mad(s2, g, all(1.0 / 6.0)), all(1.0));
}

/// 2 atan(x), likewise.
BED_INLINE lanes twice_atan(lanes x)
{
    lanes x2 = x * x, p = mad(x2, all(-1.0 / 7.0), all(1.0 / 5.0));
    p = mad(x2, mad(x2, p, all(-1.0 / 3.0)), all(1.0));
    return (x + x) * p;
}

/// What a lane needs that the quick formulas do not give: its angles are beyond the series, or its basis changes to that of the other
/// pole.
typedef struct rare_lanes {
    double s2[2][BED_LANES], cosine[2][BED_LANES], re[BED_LANES], im[BED_LANES];
    double n0[3][BED_LANES], n1[3][BED_LANES], z[2][BED_LANES], u[3][BED_LANES], w[3][BED_LANES];
    double g[2][BED_LANES], psi[BED_LANES], angle[2][BED_LANES]; /* results */
} rare_lanes;

/// Where a lane is beyond the series: from the functions of the laws.
static void far_angles(int l, rare_lanes *r)
{
    double a = 2.0 * atan2(r->im[l], r->re[l]);
    r->psi[l] = a > DEM_PI ? a - 2.0 * DEM_PI : a <= -DEM_PI ? a + 2.0 * DEM_PI : a;
    for (int k = 0; k < 2; ++k) r->g[k][l] = dem_arc_factor(r->s2[k][l], r->cosine[k][l]);
}

/// u_0 from one pole (half: 1 or -1), moved straight to n1 and turned by alpha_i, in the basis from the other.
static void change_basis(int l, double half, rare_lanes *r)
{
    double n0[3], n1[3], u0[3], y[3], c = 0.0, s = 0.0;
    for (int k = 0; k < 3; ++k) n0[k] = r->n0[k][l], n1[k] = r->n1[k][l];
    vec_tangent_half(n0, half, u0);
    double lean = vec_dot(u0, n1) / (1.0 + vec_dot(n0, n1)), x = r->z[0][l], i = r->z[1][l], zz = x * x + i * i;
    for (int k = 0; k < 3; ++k) {
        y[k] = u0[k] - lean * (n0[k] + n1[k]);
        c += r->u[k][l] * y[k], s += r->w[k][l] * y[k];
    }
    double ci = (x * x - i * i) / zz, si = 2.0 * x * i / zz;
    r->angle[0][l] = ci * c - si * s, r->angle[1][l] = si * c + ci * s;
}

static __attribute__((noinline)) void rare_cases(unsigned far, unsigned change, unsigned south, rare_lanes *r)
{
    for (int l = 0; l < BED_WIDTH; ++l) {
        if (far >> l & 1u) far_angles(l, r);
        if (change >> l & 1u) change_basis(l, south >> l & 1u ? -1.0 : 1.0, r);
    }
}

/// dem_spring_step. `c`: stiffness, damping/h, bounds per unit of load. Returns which lanes slide. A spring beyond its bound and a load beyond
/// it are cut by the same factor, bound over size: one root and one division.
BED_INLINE mask spring_step(constants c, lanes load, int size, const lanes dx[2], mask kinetic, int published,
                            int wanted, lanes x[2], lanes force[2], lanes *dashpot, lanes *slider)
{
    lanes K = C(0), still = C(2) * load, bound = choose(kinetic, C(3) * load, still), one = all(1.0), zero = all(0.0);
    lanes pull[2], p2, y2, xx = zero, along = zero;
    for (int k = 0; k < size; ++k) x[k] = x[k] + dx[k], pull[k] = K * x[k];
    p2 = pull[0] * pull[0];
    if (size == 2) p2 = mad(pull[1], pull[1], p2);
    mask beyond = greater(p2, bound * bound);
    lanes D = without(beyond, C(1));
    for (int k = 0; k < size; ++k) force[k] = mad(D, dx[k], pull[k]);
    y2 = force[0] * force[0];
    if (size == 2) y2 = mad(force[1], force[1], y2);
    lanes limit = choose(beyond, bound, published ? all(SCREE_INFINITY) : still);
    lanes scale = smaller(size == 2 ? limit / root(y2) : limit / size_of(force[0]), one),
          back = choose(beyond, scale, one);
    if (wanted) {
        xx = x[0] * x[0], along = x[0] * dx[0];
        if (size == 2) xx = mad(x[1], x[1], xx), along = mad(x[1], dx[1], along);
    }
    for (int k = 0; k < size; ++k) x[k] = x[k] * back, force[k] = force[k] * scale;
    if (!wanted) return beyond;
    mask cut = but_not(greater(one, scale), beyond);
    lanes slid = all(0.5) * K * (one - scale) * nmad(one, along, (one + scale) * xx);
    lanes work = nmad(K, x[0], force[0]) * dx[0];
    if (size == 2) work = mad(nmad(K, x[1], force[1]), dx[1], work);
    *dashpot = *dashpot + without(beyond, without(cut, work));
    *slider = *slider + choose(beyond, slid, only(cut, work));
    return beyond;
}

/// (x, y) turned by the unit complex number (c, s).
BED_INLINE void turn(lanes c, lanes s, lanes p[2])
{
    lanes x = p[0], y = p[1];
    p[0] = nmad(s, y, c * x), p[1] = mad(s, x, c * y);
}

/// The square of a complex number over that of its size; `twice`: 2/size^2. Exactly 1 where im is 0.
BED_INLINE void unit_square(lanes re, lanes im, lanes twice, lanes out[2])
{
    lanes t = im * twice;
    out[0] = nmad(t, im, all(1.0)), out[1] = t * re;
}

/// Spin by Hertz: stiffness, damping and bounds follow the contact radius; other lanes keep theirs.
BED_INLINE void hertz_spin(constants c, lanes delta, double spin[4][BED_LANES])
{
    mask hertz = greater(C(T_HERTZ), all(0.0));
    lanes a2 = C(T_RADIUS) * delta, K = mad(C(T_B), a2, C(T_A)), a = root(a2);
    put(spin[0], choose(hertz, K, C(T_SPIN)));
    put(spin[1], choose(hertz, mad(C(T_D), root(K), C(T_C)), C(T_SPIN + 1)));
    for (int k = 2; k < 4; ++k) put(spin[k], choose(hertz, C(T_SPIN + k) * a, C(T_SPIN + k)));
}

/// What moved: slide, roll of both sides and spin in the basis u, w at n1; and by how much memories turn into that basis.
BED_INLINE void tracked_moves(const bed_run *run, bed_block *b, int part, int planes, const touch_lanes *s, mask live,
                              lanes u[3], lanes w[3], lanes d[DEM_SPRINGS][2], lanes angle[2])
{
    const unsigned part_bits = (1u << BED_WIDTH) - 1u, south = (unsigned)b->south >> part;
    const lanes *n0 = s->n0, *n1 = s->n;
    lanes zero = all(0.0), one = all(1.0), h = all(run->moved), half_h = all(0.5 * run->moved);
    lanes b_i[3], b_j[3], e[3], n1_n0[3], n0n1 = dot3(n0, n1), half = choose(of_bits(south), all(-1.0), one);
    side_lanes i, j;
    mask change = greater(all(-0.5), half * n1[2]);
    half = choose(change, zero - half, half);

    /* one division for 2/(1 + b.b) of both sides and for the basis */
    for (int k = 0; k < 3; ++k) e[k] = n0[k] - n1[k];
    lanes bb_i = half_turn(half_h, s->w_i, b_i), bb_j = half_turn(half_h, planes ? s->way_w : s->w_j, b_j),
          I = one + bb_i, J = one + bb_j, T = mad(half, n1[2], one);
    lanes IJ = I * J, inverse = one / (IJ * T), twice = (inverse + inverse) * T;
    basis(n1, half, inverse * IJ, u, w);
    cross3(n1, n0, n1_n0);
    side(n0, n1, n1_n0, e, all(2.0) + n0n1, u, w, b_i, bb_i, twice * J, &i);
    side(n0, n1, n1_n0, e, all(2.0) + n0n1, u, w, b_j, bb_j, twice * I, &j);

    /* q = z_i conj(z_j): the counter-spin. And z_i times what the bases turn: u is e_x moved from the pole straight to n, so the way over
     * n0 turns it by the area of a triangle again */
    lanes re = mad(i.z[1], j.z[1], i.z[0] * j.z[0]), im = nmad(i.z[0], j.z[1], i.z[1] * j.z[0]);
    lanes D = mad(half, n0[2] + n1[2], one + n0n1), N = nmad(half, n1_n0[2], zero);
    lanes a_re = nmad(i.z[1], N, i.z[0] * D), a_im = mad(i.z[1], D, i.z[0] * N);
    lanes qq = mad(im, im, re * re), aa = mad(a_im, a_im, a_re * a_re), x = im / re, counter[2];
    inverse = one / (qq * aa), inverse = inverse + inverse;
    unit_square(re, im, inverse * aa, counter);
    unit_square(a_re, a_im, inverse * qq, angle);

    lanes g_i = arc_factor(i.s2), g_j = arc_factor(j.s2), psi = twice_atan(x), end = all(SERIES_END);
    mask near =
        both(greater(end, larger(larger(i.s2, j.s2), x * x)), greater(smaller(smaller(i.cosine, j.cosine), re), zero));
    const unsigned far = bits_of(but_not(live, near)), changes = bits_of(both(live, change));
    if (far | changes) {
        BED_ALIGNED rare_lanes r;
        put(r.s2[0], i.s2), put(r.s2[1], j.s2), put(r.cosine[0], i.cosine), put(r.cosine[1], j.cosine);
        put(r.re, re), put(r.im, im), put(r.psi, psi), put(r.g[0], g_i), put(r.g[1], g_j);
        for (int k = 0; k < 2; ++k) put(r.z[k], i.z[k]), put(r.angle[k], angle[k]);
        for (int k = 0; k < 3; ++k) put(r.n0[k], n0[k]), put(r.n1[k], n1[k]), put(r.u[k], u[k]), put(r.w[k], w[k]);
        rare_cases(far, changes, south, &r);
        g_i = get(r.g[0]), g_j = get(r.g[1]), psi = get(r.psi), angle[0] = get(r.angle[0]), angle[1] = get(r.angle[1]);
    }
    const unsigned now = (south ^ bits_of(change)) & bits_of(s->touch);
    b->south = (uint8_t)((b->south & ~(part_bits << part)) | now << part);

    lanes on_j[2]; /* the way on j: an arc, or on a plane a line */
    if (planes) {
        lanes way[3];
        lanes along = dot3(s->way_v, n1);
        for (int k = 0; k < 3; ++k) way[k] = h * nmad(along, n1[k], s->way_v[k]);
        on_j[0] = dot3(u, way), on_j[1] = dot3(w, way);
    } else
        for (int k = 0; k < 2; ++k) on_j[k] = nmad(j.p[k], g_j, zero);
    turn(counter[0], counter[1], on_j);
    for (int k = 0; k < 2; ++k) {
        lanes roll = i.p[k] * g_i;
        d[DEM_ROLL_I][k] = roll, d[DEM_ROLL_J][k] = planes ? zero : on_j[k];
        d[DEM_SLIDE][k] = planes ? mad(s->R_i, roll, zero - on_j[k]) : nmad(s->R_j, on_j[k], s->R_i * roll);
    }
    d[DEM_SPIN][0] = psi, d[DEM_SPIN][1] = zero;
}

/// Bits of the lanes of all springs, a byte each.
BED_INLINE uint32_t every_spring(unsigned bits)
{
    return bits * UINT32_C(0x01010101);
}

BED_INLINE void tracked_part(const bed_run *run, bed_block *b, int part, int planes, const touch_lanes *s, constants c,
                             int wanted, load_lanes *f, loss_lanes *loss)
{
    mask live = both(s->touch, of_bits((unsigned)b->live >> part));
    lanes zero = all(0.0), u[3], w[3], x[DEM_SPRINGS][2], d[DEM_SPRINGS][2], F[DEM_SPRINGS][2], angle[2];
    lanes N = normal_load(run, s, c, &loss->dashpot[0]), load = larger(N, zero);
    tracked_moves(run, b, part, planes, s, live, u, w, d, angle);
    for (int a = 0; a < DEM_SPIN; ++a) {
        for (int k = 0; k < 2; ++k) x[a][k] = get(&b->memory[2 * a + k][part]);
        turn(angle[0], angle[1], x[a]);
    }
    x[DEM_SPIN][0] = get(&b->memory[6][part]), x[DEM_SPIN][1] = zero;
    if (BED_WIDTH == 8 || bits_of(live) != (1u << BED_WIDTH) - 1u) /* who is new or has parted remembers nothing */
        for (int a = 0; a < DEM_SPRINGS; ++a)
            for (int k = 0; k < 2; ++k) x[a][k] = only(live, x[a][k]), d[a][k] = only(live, d[a][k]);

    BED_ALIGNED double by_radius[4][BED_LANES];
    constants spin = c + T_SPIN;
    if (run->spin_hertz) hertz_spin(c, s->delta, by_radius), spin = (constants)by_radius;
    const constants of[DEM_SPRINGS] = {c + T_SLIDE, c + T_ROLL, c + T_ROLL, spin};
    const int kind[DEM_SPRINGS] = {1, 2, 2, 3}; /* of the ledger */
    uint32_t kinetic, slides = 0;
    memcpy(&kinetic, b->kinetic, sizeof kinetic);
    for (int a = 0; a < DEM_SPRINGS; ++a) {
        mask beyond = spring_step(of[a], load, a < DEM_SPIN ? 2 : 1, d[a], of_bits(kinetic >> part >> 8 * a),
                                  run->published, wanted, x[a], F[a], &loss->dashpot[kind[a]], &loss->slider[kind[a]]);
        slides |= (uint32_t)bits_of(beyond) << 8 * a;
    }
    kinetic = (kinetic & ~(every_spring((1u << BED_WIDTH) - 1u) << part)) | slides << part;
    memcpy(b->kinetic, &kinetic, sizeof kinetic);
    for (int a = 0; a < DEM_SPIN; ++a)
        for (int k = 0; k < 2; ++k) put(&b->memory[2 * a + k][part], x[a][k]);
    put(&b->memory[6][part], x[DEM_SPIN][0]);

    f->N = N;
    /* n x (a u + b w) = a w - b u */
    const lanes *n1 = s->n;
    lanes iu = mad(s->arm_i, F[DEM_SLIDE][1], F[DEM_ROLL_I][1]), iw = mad(s->arm_i, F[DEM_SLIDE][0], F[DEM_ROLL_I][0]);
    lanes ju = mad(s->arm_j, F[DEM_SLIDE][1], zero - F[DEM_ROLL_J][1]),
          jw = mad(s->arm_j, F[DEM_SLIDE][0], zero - F[DEM_ROLL_J][0]);
    for (int k = 0; k < 3; ++k) {
        lanes turns = F[DEM_SPIN][0] * n1[k];
        f->force[k] = mad(N, n1[k], mad(F[DEM_SLIDE][0], u[k], F[DEM_SLIDE][1] * w[k]));
        f->torque_i[k] = mad(iu, u[k], nmsub(iw, w[k], turns));
        f->torque_j[k] = mad(ju, u[k], nmad(jw, w[k], turns));
    }
}

#endif
