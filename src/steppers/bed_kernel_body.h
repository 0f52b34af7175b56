/* bed_kernel_body.h: the contacts of a bed, BED_WIDTH at once, and the motion of its spheres. Included by one file per instruction set,
 * which names the table it makes, BED_KERNEL. The letters are those of laws/dem_legacy.h (sds) and laws/dem_frame.h, dem_friction.h ([FN]).
 *
 * Departures of the [FN] part from those functions, all equal to them to rounding:
 *   - n_0 is not stored: x was moved by h v, so it is the unit of d - h (v_i - v_j) (a plane keeps its last normal)
 *   - u_0 is not stored: it is a fixed function of n_0 (vec_tangent, one for each half sphere; a bit says which). Memories are turned
 *     from the basis of n_0 to that of n_1: u_1 itself is never formed, only its angle in the new basis, as a unit complex number
 *   - dTheta = g t needs no curvature, since p = R g t on a sphere
 *   - asin(s)/s and atan by their series; lanes with more than 0.05 rad in a step go through the functions of the C library. */
#include "steppers/bed_lanes.h"

#define SERIES_END 2.5e-3 /* of squares of angles */

/// Whether to do what these lanes need. A branch lets the rest go on without waiting for roots and divisions where no lane slides: 4 %
/// of the time with four lanes; among eight there is one too often.
#define SOME_LANE(m) (BED_WIDTH == 8 || bits_of(m))

/// The constants of BED_WIDTH contacts, in memory: c[k][0] is the first lane's.
typedef const double (*constants)[BED_LANES];

#define C(k) get(c[k])

/* ---- constants of a contact ----------------------------------------------------------------------------------------------- */

/// What the partners of a contact are: curvatures, inverse masses, inverse inertias.
typedef struct partners {
    lanes kappa_i, kappa_j, mass_i, mass_j, inertia_i, inertia_j;
} partners;

/// One field of the pairs of materials of BED_WIDTH lanes. `same`: they are all one.
BED_INLINE lanes pair_field(const bed_prepared *const pair[BED_WIDTH], int same, size_t offset)
{
    BED_ALIGNED double value[BED_WIDTH];
    if (same) return all(*(const double *)(const void *)((const char *)pair[0] + offset));
    for (int l = 0; l < BED_WIDTH; ++l) memcpy(&value[l], (const char *)pair[l] + offset, sizeof value[l]);
    return get(value);
}

#define FIELD(name) pair_field(pair, same, offsetof(bed_prepared, name))

/// dem_fictitious_inertia: the mean, or that of the one that moves.
BED_INLINE lanes mean_inertia(lanes inverse_i, lanes inverse_j)
{
    lanes zero = all(0.0), one = all(1.0) / (inverse_i + inverse_j);
    mask two = both(greater(inverse_i, zero), greater(inverse_j, zero));
    return choose(two, all(0.5) / inverse_i + all(0.5) / inverse_j, one);
}

BED_INLINE void constants_of(bed_law law, const bed_prepared *const pair[BED_WIDTH], int same, const partners *at,
                             lanes c[BED_CONSTANTS])
{
    lanes K = at->kappa_i + at->kappa_j, R = all(1.0) / K, zero = all(0.0);
    lanes m = all(1.0) / (at->mass_i + at->mass_j), k = FIELD(stiffness) + FIELD(modulus) * root(R);
    c[C_STIFFNESS] = k, c[C_DAMPING] = FIELD(damping) + FIELD(damping_root) * root(m * k), c[C_FLOOR] = FIELD(floor);
    if (law == BED_SDS) {
        for (int s = 0; s < 3; ++s)
            for (int f = 0; f < 4; ++f)
                c[C_SLIDE + 4 * s + f] =
                    pair_field(pair, same, offsetof(bed_prepared, sds) + (size_t)(4 * s + f) * sizeof(double));
        c[C_ROLL_RADIUS] = R;
        return;
    }
    lanes mass = mean_inertia(at->mass_i, at->mass_j), inertia = mean_inertia(at->inertia_i, at->inertia_j);
    c[T_SLIDE] = FIELD(slide[0]), c[T_SLIDE + 1] = FIELD(slide[1]) + FIELD(slide_root) * root(mass);
    c[T_SLIDE + 2] = FIELD(slide[2]), c[T_SLIDE + 3] = FIELD(slide[3]);
    lanes given = FIELD(roll_curvature), K_roll = choose(greater(zero, given), K, given);
    c[T_ROLL] = FIELD(roll[0]) + FIELD(roll_share) / (K_roll * K_roll);
    c[T_ROLL + 1] = FIELD(roll[1]) + FIELD(roll_root) * root(inertia * c[T_ROLL]);
    c[T_ROLL + 2] = FIELD(roll[2]) * K_roll, c[T_ROLL + 3] = FIELD(roll[3]) * K_roll;
    given = FIELD(spin_curvature);
    lanes K_spin = choose(greater(zero, given), K, given), hertz = FIELD(spin_hertz);
    K_spin = choose(greater(hertz, zero), all(1.0), K_spin);
    c[T_SPIN] = FIELD(spin[0]) + FIELD(spin_share) / (K_spin * K_spin);
    c[T_SPIN + 1] = FIELD(spin[1]) + FIELD(spin_root) * root(inertia * c[T_SPIN]);
    c[T_SPIN + 2] = FIELD(spin[2]) * K_spin, c[T_SPIN + 3] = FIELD(spin[3]) * K_spin;
    c[T_HERTZ] = hertz, c[T_RADIUS] = R, c[T_A] = FIELD(spin[0]), c[T_B] = FIELD(spin_area);
    c[T_C] = FIELD(spin[1]), c[T_D] = FIELD(spin_root) * root(inertia);
}

static void equal_constants(bed_law law, const bed_prepared *p, const double i[3], const double j[3],
                            double out[BED_CONSTANTS][BED_LANES])
{
    const bed_prepared *pair[BED_WIDTH];
    lanes c[BED_CONSTANTS];
    BED_ALIGNED double value[BED_WIDTH];
    partners at = {all(1.0 / i[0]), all(j[0] > 0.0 ? 1.0 / j[0] : 0.0), all(i[1]), all(j[1]), all(i[2]), all(j[2])};
    for (int l = 0; l < BED_WIDTH; ++l) pair[l] = p;
    constants_of(law, pair, 1, &at, c);
    for (int k = 0; k < (law == BED_SDS ? C_ROLL_RADIUS + 1 : BED_CONSTANTS); ++k) {
        put(value, c[k]);
        for (int l = 0; l < BED_LANES; ++l) out[k][l] = value[0];
    }
}

/* ---- what both laws see ---------------------------------------------------------------------------------------------------- */

typedef struct touch_lanes {
    lanes n[3], n0[3]; /* n0: the normal before the step                                   */
    lanes v[3], vn;    /* of i against j's material at the contact, without i's spin; v.n  */
    lanes w_i[3], w_j[3];
    lanes R_i, R_j, delta;
    lanes arm_i, arm_j; /* of forces                                                        */
    lanes to_point[3];  /* planes: from their point to the contact                          */
    lanes v_j[3];       /* of j's point                                                     */
    mask touch;
    partners at;
} touch_lanes;

BED_INLINE lanes normal_unit(const lanes d[3], lanes n[3])
{
    lanes r2 = dot3(d, d), r = root(r2), s = r * (all(1.0) / r2); /* root and division at the same time */
    for (int k = 0; k < 3; ++k) n[k] = d[k] * s;
    return r;
}

/// Distance, normals and velocities of BED_WIDTH contacts with planes.
BED_INLINE void see_planes(const bed_run *run, const bed_block *b, int part, bed_law law, touch_lanes *s)
{
    const bed_record *record = run->record;
    const bed_plane_now *plane = run->plane;
    const int32_t *i = b->i + part, *j = b->j + part;
    lanes x[4], v[4], w[4], n[4], p[4], v_j[4], w_j[4], before[4], c[3], zero = all(0.0);
    get_lots(record->x, sizeof *record, i, x);
    get_lots(record->v, sizeof *record, i, v);
    get_lots(record->omega, sizeof *record, i, w);
    get_lots(plane->n, sizeof *plane, j, n);
    get_lots(plane->point, sizeof *plane, j, p);
    get_lots(plane->v, sizeof *plane, j, v_j);
    get_lots(plane->omega, sizeof *plane, j, w_j);
    get_lots(plane->n_before, sizeof *plane, j, before);
    for (int k = 0; k < 3; ++k) {
        s->n[k] = n[k], s->n0[k] = before[k], s->w_i[k] = w[k], s->w_j[k] = w_j[k], s->v_j[k] = v_j[k];
        c[k] = x[k] - p[k];
    }
    lanes distance = dot3(s->n, c);
    for (int k = 0; k < 3; ++k) s->to_point[k] = nmad(distance, n[k], c[k]);
    cross3(s->w_j, s->to_point, c);
    for (int k = 0; k < 3; ++k) s->v[k] = v[k] - (v_j[k] + c[k]);
    s->R_i = x[3], s->R_j = zero, s->delta = x[3] - distance;
    s->at.mass_i = w[3], s->at.inertia_i = v[3], s->at.mass_j = zero, s->at.inertia_j = zero;
    s->arm_i = law == BED_SDS ? s->R_i : nmad(all(0.5), s->delta, s->R_i), s->arm_j = zero;
}

/// The same of two spheres. Lot by lot of both: fewer vectors are alive at a time.
BED_INLINE void see_spheres(const bed_run *run, const bed_block *b, int part, bed_law law, touch_lanes *s)
{
    const bed_record *record = run->record;
    const int32_t *i = b->i + part, *j = b->j + part;
    lanes of_i[4], of_j[4], d[3], half = all(0.5), moved = all(run->moved);
    get_lots(record->x, sizeof *record, i, of_i);
    get_lots(record->x, sizeof *record, j, of_j);
    for (int k = 0; k < 3; ++k) {
        d[k] = of_i[k] - of_j[k];
        if (run->box[k] > 0.0) d[k] = nmad(all(run->box[k]), nearest(d[k] * all(run->inverse_box[k])), d[k]);
    }
    s->R_i = of_i[3], s->R_j = of_j[3];
    s->delta = (s->R_i + s->R_j) - normal_unit(d, s->n);
    s->arm_i = nmad(half, s->delta, s->R_i), s->arm_j = nmad(half, s->delta, s->R_j);
    get_lots(record->v, sizeof *record, i, of_i);
    get_lots(record->v, sizeof *record, j, of_j);
    for (int k = 0; k < 3; ++k) {
        s->v[k] = of_i[k] - of_j[k], s->v_j[k] = of_j[k];
        d[k] = nmad(moved, s->v[k], d[k]);
    }
    s->at.inertia_i = of_i[3], s->at.inertia_j = of_j[3];
    if (law == BED_TRACKED) normal_unit(d, s->n0);
    get_lots(record->omega, sizeof *record, i, of_i);
    get_lots(record->omega, sizeof *record, j, of_j);
    for (int k = 0; k < 3; ++k) s->w_i[k] = of_i[k], s->w_j[k] = of_j[k];
    s->at.mass_i = of_i[3], s->at.mass_j = of_j[3];
}

/// N, and what its dashpot takes in the step.
BED_INLINE lanes normal_load(const bed_run *run, const touch_lanes *s, constants c, lanes *lost)
{
    lanes spring, N;
    if (run->hertz) {
        lanes d = root(larger(s->delta, all(0.0)));
        spring = C(C_STIFFNESS) * s->delta * d, N = nmad(C(C_DAMPING) * root(d), s->vn, spring);
    } else spring = C(C_STIFFNESS) * s->delta, N = nmad(C(C_DAMPING), s->vn, spring);
    N = larger(N, C(C_FLOOR));
    *lost = (spring - N) * s->vn * all(run->moved);
    return N;
}

typedef struct loss_lanes {
    lanes dashpot[BED_KINDS], slider[BED_KINDS];
} loss_lanes;

/// Energy in the memories [first, first + count), all of one stiffness, as the last step left them.
BED_INLINE lanes stored(const bed_block *b, int part, int first, int count, lanes stiffness)
{
    lanes sum = all(0.0);
    for (int k = first; k < first + count; ++k) {
        lanes x = get(&b->memory[k][part]);
        sum = mad(x, x, sum);
    }
    return all(0.5) * stiffness * sum;
}

/// Loads in the world: force on i, torque on i, torque on j.
typedef struct load_lanes {
    lanes force[3], torque_i[3], torque_j[3];
} load_lanes;

/* ---- spring, dashpot, slider ------------------------------------------------------------------------------------------------- */

/// dem_sds_vector. `c`: stiffness, damping, mu, 1/stiffness. Beyond the limit all that is lost is the slider's.
BED_INLINE void sds_vector(constants c, lanes load, const lanes n[3], const lanes v[3], lanes h, mask touch, int wanted,
                           lanes xi[3], lanes F[3], lanes *dashpot, lanes *slider)
{
    lanes k = C(0), g = C(1), limit = C(2) * load, zero = all(0.0), p[3];
    lanes out = dot3(xi, n), old2 = dot3(xi, xi), now2 = nmad(out, out, old2); /* |xi - out n|^2 */
    mask turn = greater(size_of(out) * k, all(1e-10) * limit);
    for (int a = 0; a < 3; ++a) p[a] = nmad(out, n[a], xi[a]);
    lanes stretch = only(greater(now2, zero), root(old2 / now2));
    for (int a = 0; a < 3; ++a) {
        xi[a] = mad(h, v[a], choose(turn, p[a] * stretch, xi[a]));
        F[a] = nmad(k, xi[a], zero - g * v[a]);
    }
    lanes size2 = dot3(F, F), xi2 = dot3(xi, xi);
    mask over = both(touch, greater(size2, limit * limit));
    if (SOME_LANE(over)) {
        lanes cut = only(greater(xi2, zero), limit / root(size2));
        mask again = both(over, greater(cut, zero));
        for (int a = 0; a < 3; ++a) {
            F[a] = choose(over, F[a] * cut, F[a]);
            xi[a] = choose(again, (zero - mad(g, v[a], F[a])) * C(3), xi[a]);
        }
    }
    if (!wanted) return;
    lanes viscous = g * dot3(v, v) * h, spring = all(0.5) * k * (xi2 - dot3(xi, xi));
    *dashpot = choose(over, zero, viscous), *slider = only(over, viscous + spring);
}

/// dem_sds_twist.
BED_INLINE lanes sds_twist(constants c, lanes load, lanes rate, lanes h, int wanted, lanes *phi, lanes *dashpot,
                           lanes *slider)
{
    lanes k = C(0), g = C(1), limit = C(2) * load, zero = all(0.0), full = mad(h, rate, *phi);
    lanes M = nmad(k, full, zero - g * rate);
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
    mask live = both(s->touch, of_bits((unsigned)b->live >> part));
    lanes xi[3], roll[3], phi, h = all(run->moved), F[3], Fr[3], v[3], spin[3], w[3], c1[3], tor[3];
    for (int k = 0; k < 3; ++k) {
        xi[k] = only(live, get(&b->memory[k][part])), roll[k] = only(live, get(&b->memory[3 + k][part]));
        spin[k] = mad(s->R_i, s->w_i[k], s->R_j * s->w_j[k]), w[k] = s->w_i[k] - s->w_j[k];
    }
    phi = only(live, get(&b->memory[6][part]));
    lanes N = normal_load(run, s, c, &loss->dashpot[0]), load = size_of(N);

    cross3(s->n, spin, c1);
    for (int k = 0; k < 3; ++k) v[k] = nmad(s->vn, s->n[k], s->v[k]) + c1[k];
    sds_vector(c + C_SLIDE, load, s->n, v, h, s->touch, wanted, xi, F, &loss->dashpot[1], &loss->slider[1]);
    cross3(w, s->n, v);
    for (int k = 0; k < 3; ++k) v[k] = C(C_ROLL_RADIUS) * v[k];
    sds_vector(c + C_ROLL, load, s->n, v, h, s->touch, wanted, roll, Fr, &loss->dashpot[2], &loss->slider[2]);
    lanes M = sds_twist(c + C_TWIST, load, dot3(w, s->n), h, wanted, &phi, &loss->dashpot[3], &loss->slider[3]);

    cross3(s->n, F, tor);
    cross3(s->n, Fr, c1);
    for (int k = 0; k < 3; ++k) {
        lanes couple = mad(C(C_ROLL_RADIUS), c1[k], M * s->n[k]);
        f->force[k] = mad(N, s->n[k], F[k]);
        f->torque_i[k] = nmad(s->arm_i, tor[k], couple);
        f->torque_j[k] = nmad(s->arm_j, tor[k], all(0.0) - couple);
        put(&b->memory[k][part], xi[k]), put(&b->memory[3 + k][part], roll[k]);
    }
    put(&b->memory[6][part], phi);
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
    b->south = (uint8_t)((b->south & ~(part_bits << part)) | bits_of(south1) << part);

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

/* ---- a block --------------------------------------------------------------------------------------------------------------------- */

/// Constants of lanes that the table of equal spheres does not have. Not inlined: it would crowd the loop it is rarely called from.
static __attribute__((noinline)) void constants_made(const bed_run *run, const bed_block *b, int part, bed_law law,
                                                     int planes, partners at, const double R_i[BED_WIDTH],
                                                     const double R_j[BED_WIDTH], double out[BED_CONSTANTS][BED_LANES])
{
    const bed_prepared *pair[BED_WIDTH];
    lanes c[BED_CONSTANTS];
    int same = 1;
    for (int l = 0; l < BED_WIDTH; ++l) pair[l] = &run->prepared[b->pair[part + l]], same &= pair[l] == pair[0];
    at.kappa_i = all(1.0) / get(R_i), at.kappa_j = all(0.0);
    if (!planes) at.kappa_j = all(1.0) / get(R_j);
    constants_of(law, pair, same, &at, c);
    for (int k = 0; k < (law == BED_SDS ? C_ROLL_RADIUS + 1 : BED_CONSTANTS); ++k) put(out[k], c[k]);
}

/// The constants of a part of a block: from the table of equal spheres, or made into `own`.
BED_INLINE constants constants_get(const bed_run *run, const bed_block *b, int part, bed_law law, int planes,
                                   const touch_lanes *s, double own[BED_CONSTANTS][BED_LANES])
{
    const uint16_t *index = b->pair + part;
    BED_ALIGNED double R_i[BED_LANES], R_j[BED_LANES];
    int same = 1;
    if (run->single) return run->constant[0];
    for (int l = 1; l < BED_WIDTH; ++l) same &= index[l] == index[0];
    if (run->constant && same) return run->constant[index[0]];
    put(R_i, s->R_i), put(R_j, s->R_j);
    constants_made(run, b, part, law, planes, s->at, R_i, R_j, own);
    return (constants)own;
}

/* ---- the ledger ------------------------------------------------------------------------------------------------------------------- */

/// Energy in the springs of slide, roll and spin: [1] to [3].
BED_INLINE void stored_all(const bed_run *run, const bed_block *b, int part, bed_law law, const touch_lanes *s,
                           constants c, lanes out[BED_KINDS])
{
    if (law == BED_SDS) {
        for (int k = 1; k < BED_KINDS; ++k)
            out[k] = stored(b, part, 3 * k - 3, k < 3 ? 3 : 1, C(C_SLIDE + 4 * (k - 1)));
        return;
    }
    BED_ALIGNED double by_radius[4][BED_LANES];
    constants spin = c + T_SPIN;
    if (run->spin_hertz) hertz_spin(c, s->delta, by_radius), spin = (constants)by_radius;
    out[1] = stored(b, part, 0, 2, C(T_SLIDE)), out[2] = stored(b, part, 2, 4, C(T_ROLL));
    out[3] = stored(b, part, 6, 1, get(spin[0]));
}

/// Work that driven partners do on the others. Torque on a plane is about its point here.
BED_INLINE lanes driven_work(const bed_run *run, const touch_lanes *s, const load_lanes *f)
{
    lanes zero = all(0.0), v_i[3], by_j = dot3(f->force, s->v_j) - dot3(f->torque_j, s->w_j);
    for (int k = 0; k < 3; ++k) v_i[k] = s->v[k] + s->v_j[k];
    lanes by_i = zero - dot3(f->force, v_i) - dot3(f->torque_i, s->w_i);
    return (choose(greater(s->at.mass_i, zero), zero, by_i) + choose(greater(s->at.mass_j, zero), zero, by_j)) *
           all(run->moved);
}

/// Work of the tangential loads on the partners; `f` before a plane's torque is taken about its point.
BED_INLINE lanes friction_work(const bed_run *run, const touch_lanes *s, const load_lanes *f)
{
    return all(run->moved) * (dot3(f->force, s->v) - dot3(f->force, s->n) * s->vn + dot3(f->torque_i, s->w_i) +
                              dot3(f->torque_j, s->w_j));
}

/// Sums of what was lost. Contacts that parted lose what was in their springs.
BED_INLINE void losses_add(const bed_run *run, int part, mask touch, mask was, const loss_lanes *loss,
                           const lanes before[BED_KINDS], const lanes after[BED_KINDS], lanes work, lanes driven)
{
    double *to = run->loss[0] + part;
    lanes rest = all(0.0) - work;
    mask parted = but_not(was, touch);
    put(to, get(to) + only(touch, loss->dashpot[0]));
    for (int k = 1; k < BED_KINDS; ++k) {
        double *dashpot = run->loss[k] + part, *slider = run->loss[BED_KINDS + k] + part;
        put(dashpot, get(dashpot) + only(touch, loss->dashpot[k]));
        put(slider, get(slider) + choose(touch, loss->slider[k], only(parted, before[k])));
        rest = rest - (loss->dashpot[k] + loss->slider[k]) - (after[k] - only(was, before[k]));
    }
    to = run->loss[BED_KINDS] + part, put(to, get(to) + only(touch, driven));
    to = run->loss[2 * BED_KINDS] + part, put(to, get(to) + only(touch, rest));
}

BED_INLINE void block_part(const bed_run *run, bed_block *b, int number, int part, bed_law law, int planes,
                           double sum[9][BED_LANES])
{
    const unsigned part_bits = (1u << BED_WIDTH) - 1u;
    const int wanted = run->loss != NULL;
    touch_lanes s;
    BED_ALIGNED double own[BED_CONSTANTS][BED_LANES];
    load_lanes f;
    loss_lanes loss;
    lanes before[BED_KINDS], after[BED_KINDS], work = all(0.0);
    for (int k = 0; k < BED_KINDS; ++k) loss.dashpot[k] = loss.slider[k] = before[k] = after[k] = work;
    if (planes) see_planes(run, b, part, law, &s);
    else see_spheres(run, b, part, law, &s);
    s.vn = dot3(s.v, s.n);
    s.touch = both(greater(s.delta, all(0.0)), of_bits((unsigned)b->used >> part));
    constants c = constants_get(run, b, part, law, planes, &s, own);
    mask was = of_bits((unsigned)b->live >> part);
    if (wanted) stored_all(run, b, part, law, &s, c, before);
    if (law == BED_SDS) sds_part(run, b, part, &s, c, wanted, &f, &loss);
    else tracked_part(run, b, part, planes, &s, c, wanted, &f, &loss);
    b->live = (uint8_t)((b->live & ~(part_bits << part)) | bits_of(s.touch) << part);
    for (int k = 0; k < 3; ++k) {
        f.force[k] = only(s.touch, f.force[k]), f.torque_i[k] = only(s.touch, f.torque_i[k]);
        f.torque_j[k] = only(s.touch, f.torque_j[k]);
    }
    if (wanted) work = friction_work(run, &s, &f);
    if (planes) { /* torque about the plane's point: to_point x (-force) */
        lanes arm[3];
        cross3(s.to_point, f.force, arm);
        for (int k = 0; k < 3; ++k) f.torque_j[k] = f.torque_j[k] - only(s.touch, arm[k]);
    }
    for (int k = 0; k < 3; ++k)
        put(&sum[k][part], f.force[k]), put(&sum[3 + k][part], f.torque_i[k]), put(&sum[6 + k][part], f.torque_j[k]);
    if (run->kept) {
        bed_kept *kept = &run->kept[number];
        for (int k = 0; k < 3; ++k) {
            put(&kept->force[k][part], f.force[k]), put(&kept->torque_i[k][part], f.torque_i[k]);
            put(&kept->torque_j[k][part], f.torque_j[k]);
        }
    }
    if (!wanted) return;
    stored_all(run, b, part, law, &s, c, after);
    losses_add(run, part, s.touch, was, &loss, before, after, work, driven_work(run, &s, &f));
}

/// What a block three further on will read.
BED_INLINE void fetch_ahead(const bed_run *run, const bed_block *b)
{
    for (int l = 0; l < BED_LANES; ++l) {
        const char *record = (const char *)&run->record[b->j[l]];
        __builtin_prefetch(record);
        __builtin_prefetch(record + 64);
        __builtin_prefetch(&run->load[b->target[l]], 1);
    }
}

BED_INLINE void blocks(const bed_run *run, bed_law law, int planes)
{
    BED_ALIGNED double sum[9][BED_LANES];
    for (int k = 0; k < run->blocks; ++k) {
        bed_block *b = &run->block[k];
        if (!planes && run->fetch && k + 3 < run->blocks) fetch_ahead(run, b + 3);
        for (int part = 0; part < BED_LANES; part += BED_WIDTH) block_part(run, b, k, part, law, planes, sum);
        add_loads((const double(*)[BED_LANES])sum, b, run->load);
    }
}

static void sds_spheres(const bed_run *run)
{
    blocks(run, BED_SDS, 0);
}

static void sds_planes(const bed_run *run)
{
    blocks(run, BED_SDS, 1);
}

static void tracked_spheres(const bed_run *run)
{
    blocks(run, BED_TRACKED, 0);
}

static void tracked_planes(const bed_run *run)
{
    blocks(run, BED_TRACKED, 1);
}

/* ---- motion ----------------------------------------------------------------------------------------------------------------------- */

/// Four doubles, in every instruction set: one vector, or two. Passed by pointer: there is no common way to pass them in registers.
typedef double four __attribute__((vector_size(32)));

BED_INLINE void four_get(const double *p, four *a)
{
    memcpy(a, p, sizeof *a);
}

BED_INLINE void four_put(double *p, const four *a)
{
    memcpy(p, a, sizeof *a);
}

/// q <- unit of (1, b) q, b = h/2 omega.
BED_INLINE void turn_quaternion(const four *b, double *q)
{
    four a;
    four_get(q, &a);
    const four x = {-1.0, 1.0, -1.0, 1.0}, y = {-1.0, 1.0, 1.0, -1.0}, z = {-1.0, -1.0, 1.0, 1.0};
    a += (*b)[0] * x * __builtin_shufflevector(a, a, 1, 0, 3, 2) +
         (*b)[1] * y * __builtin_shufflevector(a, a, 2, 3, 0, 1) +
         (*b)[2] * z * __builtin_shufflevector(a, a, 3, 2, 1, 0);
    four a2 = a * a;
    a *= 1.0 / sqrt((a2[0] + a2[1]) + (a2[2] + a2[3]));
    four_put(q, &a);
}

/// v += h (F/m + g), omega += h T/I, x += h v, q; loads become 0. The fourth entries (radius, inverse mass, inverse inertia) stay.
static void drift(bed_drift *d)
{
    const double h = d->h;
    const four zero = {0.0, 0.0, 0.0, 0.0}, moves = {h, h, h, 0.0};
    const four g = {h * d->gravity[0], h * d->gravity[1], h * d->gravity[2], 0.0};
    double fastest = 0.0;
    d->bad = -1;
    for (int i = d->begin; i < d->end; ++i) {
        bed_record *r = &d->record[i];
        bed_load *load = &d->load[i];
        four force, torque, x, v, w;
        four_get(load->force, &force), four_get(load->torque, &torque);
        four_get(r->x, &x), four_get(r->v, &v), four_get(r->omega, &w);
        if (d->given) {
            four more[2];
            memcpy(more, &d->given[i], sizeof more);
            force += more[0], torque += more[1];
        }
        const double mass = h * w[3], inertia = h * v[3];
        v += force * mass + (mass > 0.0 ? g : zero);
        w += torque * inertia, x += moves * v;
        four_put(r->v, &v), four_put(r->omega, &w), four_put(r->x, &x);
        four_put(load->force, &zero), four_put(load->torque, &zero);
        four v2 = v * v, w2 = w * w;
        double speed2 = v2[0] + v2[1] + v2[2];
        fastest = speed2 > fastest ? speed2 : fastest;
        if (!(speed2 + (w2[0] + w2[1] + w2[2]) < 1e30)) d->bad = i;
        if (!d->q) continue;
        w *= 0.5 * h;
        turn_quaternion(&w, d->q[i]);
    }
    d->speed2 = fastest;
}

const bed_kernel BED_KERNEL = {
    BED_NAME, {{sds_spheres, sds_planes}, {tracked_spheres, tracked_planes}}, drift, equal_constants};
