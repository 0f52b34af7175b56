/* bed_kernel_laws.h: both laws of friction of a bed, BED_WIDTH contacts at once. The letters are those of laws/dem_legacy.h (sds) and of
 * laws/dem_frame.h and dem_friction.h ([FN]). Included by bed_kernel_body.h.
 *
 * Departures of the [FN] part from those functions, all equal to them to rounding:
 *   - n_0 is not stored: x was moved by h v, so it is the unit of d - h (v_i - v_j) (a plane keeps its last normal)
 *   - u_0 is not stored: it is a fixed function of n_0 (vec_tangent, one for each half sphere; a bit says which). Memories are turned
 *     from the basis of n_0 to that of n_1: u_1 itself is never formed, only its angle in the new basis, as a unit complex number
 *   - dTheta = g t needs no curvature, since p = R g t on a sphere
 *   - asin(s)/s and atan by their series; lanes with more than 0.05 rad in a step go through the functions of the C library. */
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
BED_INLINE mask sds_pull(constants c, lanes load, const lanes n[3], lanes out, lanes longer, const lanes v[3], lanes h, mask touch,
                         lanes xi[3], lanes F[3])
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

/// The rest of it: back to the limit. The dashpot's part of F stays, so the spring gives what F loses.
BED_INLINE void sds_cut(constants c, lanes load, mask over, lanes xi[3], lanes F[3])
{
    lanes zero = all(0.0), limit = C(2) * load, size2 = dot3(F, F), cut = root(size2) * (limit / size2); /* both at once */
    mask some = greater(dot3(xi, xi), zero), again = both(both(over, some), greater(limit, zero));
    cut = choose(over, only(some, cut), all(1.0));
    for (int a = 0; a < 3; ++a) {
        lanes less = F[a] * cut;
        xi[a] = mad(only(again, F[a] - less), C(3), xi[a]), F[a] = less;
    }
}

/// What dashpot and slider take of a spring that had xi2 before it was cut. Beyond the limit all that is lost is the slider's.
BED_INLINE void sds_lost(constants c, const lanes v[3], lanes h, mask over, lanes xi2, const lanes xi[3],
                         lanes *dashpot, lanes *slider)
{
    lanes viscous = C(1) * dot3(v, v) * h, spring = all(0.5) * C(0) * (xi2 - dot3(xi, xi));
    *dashpot = choose(over, all(0.0), viscous), *slider = only(over, viscous + spring);
}

/// dem_sds_twist.
BED_INLINE lanes sds_twist(constants c, lanes load, lanes rate, lanes h, int wanted, lanes *phi, lanes *dashpot,
                           lanes *slider)
{
    lanes k = C(0), g = C(1), limit = C(2) * load, zero = all(0.0), full = mad(h, rate, *phi);
    lanes M = nmsub(k, full, g * rate);
    mask over = greater(size_of(M), limit);
    lanes signed_limit = only(greater(rate, zero), limit) - only(greater(zero, rate), limit);
    *phi = choose(over, nmad(g, rate, signed_limit) * C(3), full);
    if (wanted) {
        lanes viscous = g * rate * rate * h, spring = all(0.5) * k * (full * full - *phi * *phi);
        *dashpot = choose(over, zero, viscous), *slider = only(over, viscous + spring);
    }
    return choose(over, zero - signed_limit, M);
}

BED_INLINE void sds_part(const bed_run *run, bed_block *b, int part, const touch_lanes *s, constants c, int wanted,
                         load_lanes *f, loss_lanes *loss)
{
    lanes xi[3], roll[3], phi, h = all(run->moved), F[3], Fr[3], v[3], vr[3], spin[3], w[3], rolls[3], couple[3], tor[3];
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
    if (SOME_LANE(over | over_roll)) {
        sds_cut(c + C_SLIDE, load, over, xi, F);
        sds_cut(c + C_ROLL, load, over_roll, roll, Fr);
    }
    if (wanted) {
        sds_lost(c + C_SLIDE, v, h, over, xi2, xi, &loss->dashpot[1], &loss->slider[1]);
        sds_lost(c + C_ROLL, vr, h, over_roll, roll2, roll, &loss->dashpot[2], &loss->slider[2]);
    }
    lanes M = sds_twist(c + C_TWIST, load, dot3(w, s->n), h, wanted, &phi, &loss->dashpot[3], &loss->slider[3]);

    cross3(s->n, F, tor);
    for (int k = 0; k < 3; ++k) couple[k] = M * s->n[k];
    add_cross3(rolls, Fr, couple);
    for (int k = 0; k < 3; ++k) {
        f->force[k] = mad(N, s->n[k], F[k]);
        f->torque_i[k] = nmad(s->arm_i, tor[k], couple[k]);
        f->torque_j[k] = nmsub(s->arm_j, tor[k], couple[k]);
        put(&b->memory[k][part], only(s->touch, xi[k])), put(&b->memory[3 + k][part], only(s->touch, roll[k]));
    }
    put(&b->memory[6][part], only(s->touch, phi));
}

/* ---- [FN] ----------------------------------------------------------------------------------------------------------------------- */

/// vec_tangent with the half sphere given.
BED_INLINE void tangent(const lanes n[3], mask south, lanes u[3])
{
    lanes s = choose(south, all(-1.0), all(1.0)), a = all(-1.0) / (s + n[2]), sx = s * n[0];
    u[0] = mad(sx * n[0], a, all(1.0)), u[1] = sx * n[1] * a, u[2] = all(0.0) - sx;
}

/// Where a lane is beyond the series: from the functions of the laws.
static void far_arcs(unsigned far, const double s2[BED_WIDTH], const double cosine[BED_WIDTH], double g[BED_WIDTH])
{
    for (int l = 0; l < BED_WIDTH; ++l)
        if (far >> l & 1u) g[l] = dem_arc_factor(s2[l], cosine[l]);
}

static void far_spins(unsigned far, const double re[BED_WIDTH], const double im[BED_WIDTH], double psi[BED_WIDTH])
{
    for (int l = 0; l < BED_WIDTH; ++l) {
        if (!(far >> l & 1u)) continue;
        double a = 2.0 * atan2(im[l], re[l]);
        psi[l] = a > DEM_PI ? a - 2.0 * DEM_PI : a <= -DEM_PI ? a + 2.0 * DEM_PI : a;
    }
}

/// dem_sphere_side: z with alpha = 2 arg z, and the arc t = asin(s)/s times the tangential part of the carried normal, over R. `n1_n0`:
/// n1 x n0.
BED_INLINE void side(const lanes n0[3], const lanes n1[3], const lanes n1_n0[3], lanes n0n1, const lanes w[3],
                     lanes half_h, mask live, lanes z[2], lanes t[3])
{
    lanes b[3], c[3], cc[3], m[3], one = all(1.0);
    for (int k = 0; k < 3; ++k) b[k] = half_h * w[k];
    lanes scale = all(2.0) / (one + dot3(b, b)), twist = dot3(b, n0);
    cross3(b, n0, c);
    cross3(b, c, cc);
    for (int k = 0; k < 3; ++k) m[k] = mad(scale, c[k] + cc[k], n0[k]);
    lanes cosine = dot3(m, n1), D = one + dot3(n0, m) + cosine + n0n1, N = dot3(m, n1_n0);
    z[0] = nmad(twist, N, D), z[1] = mad(twist, D, N);
    for (int k = 0; k < 3; ++k) t[k] = nmad(cosine, n1[k], m[k]);
    lanes s2 = dot3(t, t);
    lanes g = mad(s2, all(10395.0 / 599040.0), all(945.0 / 42240.0));
    g = mad(s2, mad(s2, g, all(105.0 / 3456.0)), all(15.0 / 336.0));
    g = mad(s2, mad(s2, mad(s2, g, all(3.0 / 40.0)), all(1.0 / 6.0)), one);
    unsigned far = bits_of(but_not(live, both(greater(all(SERIES_END), s2), greater(cosine, all(0.0)))));
    if (far) {
        BED_ALIGNED double a[3][BED_LANES];
        put(a[0], s2), put(a[1], cosine), put(a[2], g);
        far_arcs(far, a[0], a[1], a[2]);
        g = get(a[2]);
    }
    for (int k = 0; k < 3; ++k) t[k] = t[k] * g;
}

/// psi = 2 atan(im/re).
BED_INLINE lanes spin_angle(lanes re, lanes im, mask live)
{
    lanes x = im / re, x2 = x * x, p = mad(x2, all(1.0 / 13.0), all(-1.0 / 11.0));
    p = mad(x2, mad(x2, p, all(1.0 / 9.0)), all(-1.0 / 7.0));
    p = mad(x2, mad(x2, mad(x2, p, all(1.0 / 5.0)), all(-1.0 / 3.0)), all(1.0));
    lanes psi = all(2.0) * x * p;
    unsigned far = bits_of(but_not(live, both(greater(all(SERIES_END), x2), greater(re, all(0.0)))));
    if (far) {
        BED_ALIGNED double a[3][BED_LANES];
        put(a[0], re), put(a[1], im), put(a[2], psi);
        far_spins(far, a[0], a[1], a[2]);
        psi = get(a[2]);
    }
    return psi;
}

/// dem_spring_step. `c`: stiffness, damping/h, limits per unit of load.
BED_INLINE void spring_step(constants c, lanes load, int size, const lanes dx[2], mask live, int wanted,
                            uint8_t *kinetic, int part, lanes x[2], lanes force[2], lanes *dashpot, lanes *slider)
{
    const unsigned part_bits = (1u << BED_WIDTH) - 1u;
    lanes limit = choose(of_bits((unsigned)*kinetic >> part), C(3), C(2)) * load;
    for (int k = 0; k < size; ++k) x[k] = x[k] + dx[k];
    lanes x2 = x[0] * x[0];
    if (size == 2) x2 = mad(x[1], x[1], x2);
    mask beyond = both(live, greater(x2, limit * limit));
    lanes scale = all(1.0), damping = C(1);
    if (SOME_LANE(beyond)) {
        scale = choose(beyond, limit / root(x2), scale), damping = choose(beyond, all(0.0), damping);
        for (int k = 0; k < size; ++k) x[k] = x[k] * scale;
    }
    for (int k = 0; k < size; ++k) force[k] = mad(C(0), x[k], damping * dx[k]);
    *kinetic = (uint8_t)((*kinetic & ~(part_bits << part)) | bits_of(beyond) << part);
    if (!wanted) return;
    lanes d2 = dx[0] * dx[0];
    if (size == 2) d2 = mad(dx[1], dx[1], d2);
    *dashpot = *dashpot + damping * d2, *slider = *slider + all(0.5) * C(0) * x2 * (all(1.0) - scale * scale);
}

/// (x, y) turned by the unit complex number (c, s).
BED_INLINE void turn(lanes c, lanes s, lanes p[2])
{
    lanes x = p[0], y = p[1];
    p[0] = nmad(s, y, c * x), p[1] = mad(s, x, c * y);
}

BED_INLINE void along(const lanes u[3], const lanes w[3], const lanes v[3], lanes p[2])
{
    p[0] = dot3(u, v), p[1] = dot3(w, v);
}

/// Spin by Hertz: stiffness, damping and limits follow the contact radius; other lanes keep theirs.
BED_INLINE void hertz_spin(constants c, lanes delta, double spin[4][BED_LANES])
{
    mask hertz = greater(C(T_HERTZ), all(0.0));
    lanes a2 = C(T_RADIUS) * delta, K = mad(C(T_B), a2, C(T_A)), inverse = all(1.0) / root(a2);
    put(spin[0], choose(hertz, K, C(T_SPIN)));
    put(spin[1], choose(hertz, mad(C(T_D), root(K), C(T_C)), C(T_SPIN + 1)));
    for (int k = 2; k < 4; ++k) put(spin[k], choose(hertz, C(T_SPIN + k) * inverse, C(T_SPIN + k)));
}

BED_INLINE void tracked_part(const bed_run *run, bed_block *b, int part, int planes, const touch_lanes *s, constants c,
                             int wanted, load_lanes *f, loss_lanes *loss)
{
    const unsigned part_bits = (1u << BED_WIDTH) - 1u;
    mask live = both(s->touch, of_bits((unsigned)b->live >> part));
    mask south0 = of_bits((unsigned)b->south >> part), south1 = greater(all(0.0), s->n[2]);
    const lanes *n0 = s->n0, *n1 = s->n;
    lanes zero = all(0.0), one = all(1.0), h = all(run->moved), half_h = all(0.5 * run->moved);
    lanes u0[3], u[3], w[3], y[3], n1_n0[3], t_i[3], t_j[3], z_i[2], z_j[2], x[DEM_SPRINGS][2], d[DEM_SPRINGS][2];

    lanes N = normal_load(run, s, c, &loss->dashpot[0]), load = larger(N, zero), n0n1 = dot3(n0, n1);
    cross3(n1, n0, n1_n0);
    side(n0, n1, n1_n0, n0n1, s->w_i, half_h, live, z_i, t_i);
    side(n0, n1, n1_n0, n0n1, s->w_j, half_h, live, z_j, t_j);
    tangent(n0, south0, u0);
    tangent(n1, south1, u);
    cross3(n1, u, w);

    /* the angle of u_1 in the new basis: transport of u_0, turned by alpha_i */
    lanes lean = dot3(u0, n1) / (one + n0n1), zz = mad(z_i[1], z_i[1], z_i[0] * z_i[0]), inverse = one / zz;
    for (int k = 0; k < 3; ++k) y[k] = nmad(lean, n0[k] + n1[k], u0[k]);
    lanes angle[2], ci = nmad(z_i[1], z_i[1], z_i[0] * z_i[0]) * inverse, si = all(2.0) * z_i[0] * z_i[1] * inverse;
    along(u, w, y, angle);
    turn(ci, si, angle);

    lanes re = mad(z_i[1], z_j[1], z_i[0] * z_j[0]), im = nmad(z_i[0], z_j[1], z_i[1] * z_j[0]);
    lanes re2 = re * re, im2 = im * im, q = one / (re2 + im2), cj = (re2 - im2) * q, sj = all(2.0) * re * im * q;
    along(u, w, t_i, d[DEM_ROLL_I]);
    if (planes) {
        for (int k = 0; k < 3; ++k) y[k] = h * nmad(s->vn, n1[k], s->v[k]);
        along(u, w, y, d[DEM_ROLL_J]);
        turn(cj, sj, d[DEM_ROLL_J]);
        for (int k = 0; k < 2; ++k)
            d[DEM_SLIDE][k] = nmad(one, d[DEM_ROLL_J][k], s->R_i * d[DEM_ROLL_I][k]), d[DEM_ROLL_J][k] = zero;
    } else {
        for (int k = 0; k < 3; ++k) t_j[k] = zero - t_j[k];
        along(u, w, t_j, d[DEM_ROLL_J]);
        turn(cj, sj, d[DEM_ROLL_J]);
        for (int k = 0; k < 2; ++k) d[DEM_SLIDE][k] = nmad(s->R_j, d[DEM_ROLL_J][k], s->R_i * d[DEM_ROLL_I][k]);
    }
    d[DEM_SPIN][0] = spin_angle(re, im, live), d[DEM_SPIN][1] = zero;

    for (int a = 0; a < DEM_SPIN; ++a) { /* a new contact has no memory, and no friction in this step */
        for (int k = 0; k < 2; ++k) x[a][k] = get(&b->memory[2 * a + k][part]);
        turn(angle[0], angle[1], x[a]);
        for (int k = 0; k < 2; ++k) x[a][k] = only(live, x[a][k]), d[a][k] = only(live, d[a][k]);
    }
    x[DEM_SPIN][0] = only(live, get(&b->memory[6][part])), x[DEM_SPIN][1] = zero;
    d[DEM_SPIN][0] = only(live, d[DEM_SPIN][0]);

    lanes F[DEM_SPRINGS][2];
    BED_ALIGNED double by_radius[4][BED_LANES];
    constants spin = c + T_SPIN;
    if (run->spin_hertz) hertz_spin(c, s->delta, by_radius), spin = (constants)by_radius;
    spring_step(c + T_SLIDE, load, 2, d[DEM_SLIDE], live, wanted, &b->kinetic[DEM_SLIDE], part, x[DEM_SLIDE],
                F[DEM_SLIDE], &loss->dashpot[1], &loss->slider[1]);
    spring_step(c + T_ROLL, load, 2, d[DEM_ROLL_I], live, wanted, &b->kinetic[DEM_ROLL_I], part, x[DEM_ROLL_I],
                F[DEM_ROLL_I], &loss->dashpot[2], &loss->slider[2]);
    spring_step(c + T_ROLL, load, 2, d[DEM_ROLL_J], live, wanted, &b->kinetic[DEM_ROLL_J], part, x[DEM_ROLL_J],
                F[DEM_ROLL_J], &loss->dashpot[2], &loss->slider[2]);
    spring_step(spin, load, 1, d[DEM_SPIN], live, wanted, &b->kinetic[DEM_SPIN], part, x[DEM_SPIN], F[DEM_SPIN],
                &loss->dashpot[3], &loss->slider[3]);
    for (int a = 0; a < DEM_SPIN; ++a)
        for (int k = 0; k < 2; ++k) put(&b->memory[2 * a + k][part], x[a][k]);
    put(&b->memory[6][part], x[DEM_SPIN][0]);
    b->south = (uint8_t)((b->south & ~(part_bits << part)) | bits_of(both(s->touch, south1)) << part);

    /* n x (a u + b w) = a w - b u */
    lanes iu = mad(s->arm_i, F[DEM_SLIDE][1], F[DEM_ROLL_I][1]), iw = mad(s->arm_i, F[DEM_SLIDE][0], F[DEM_ROLL_I][0]);
    lanes ju = mad(s->arm_j, F[DEM_SLIDE][1], zero - F[DEM_ROLL_J][1]),
          jw = mad(s->arm_j, F[DEM_SLIDE][0], zero - F[DEM_ROLL_J][0]);
    for (int k = 0; k < 3; ++k) {
        f->force[k] = mad(N, n1[k], mad(F[DEM_SLIDE][0], u[k], F[DEM_SLIDE][1] * w[k]));
        f->torque_i[k] = mad(iu, u[k], nmad(iw, w[k], zero - F[DEM_SPIN][0] * n1[k]));
        f->torque_j[k] = mad(ju, u[k], nmad(jw, w[k], F[DEM_SPIN][0] * n1[k]));
    }
}

#endif
