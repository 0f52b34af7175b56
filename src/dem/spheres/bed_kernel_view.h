/* bed_kernel_view.h: what a contact of a bed is made of, BED_WIDTH at once: its constants, its geometry and velocities, its loads. Included
 * by bed_kernel_laws.h. */
#ifndef SCREE_DEM_SPHERES_BED_KERNEL_VIEW_H
#define SCREE_DEM_SPHERES_BED_KERNEL_VIEW_H

#include "dem/spheres/bed_lanes.h" /* first: it says how wide the laws are */

#include "laws/dem_frame_spheres.h"
#include "laws/dem_springs.h"

/// The constants of BED_WIDTH contacts, in memory: c[k][0] is the first lane's.
typedef const double (*constants)[BED_LANES];

#define C(k) get(c[k])

/* ---- constants of a contact ----------------------------------------------------------------------------------------------- */

/// What the partners of a contact are: radii, inverse masses, inverse inertias. Where j is a plane its are 0.
typedef struct partners {
    lanes R_i, R_j, mass_i, mass_j, inertia_i, inertia_j;
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

/// dem_dashpot_inertia: the reduced one; published: the mean, where both move.
BED_INLINE lanes dashpot_inertia(lanes inverse_i, lanes inverse_j, lanes published)
{
    lanes zero = all(0.0), sum = inverse_i + inverse_j;
    mask mean = both(greater(published, zero), both(greater(inverse_i, zero), greater(inverse_j, zero)));
    return choose(mean, all(0.5) * sum, all(1.0)) / choose(mean, inverse_i * inverse_j, sum);
}

/// Sum of the curvatures.
BED_INLINE lanes curvature(const partners *at, int planes)
{
    if (planes) return all(1.0) / at->R_i;
    return (at->R_i + at->R_j) / (at->R_i * at->R_j);
}

/// What no pair of materials derives from sizes (`needs` has not its bit) is not worked out: it would be the number given, plus 0. So the bits
/// are those of BED_NEED_ALL.
BED_INLINE void constants_of(bed_law law, const bed_prepared *const pair[BED_WIDTH], int same, int needs, int planes,
                             const partners *at, lanes c[BED_CONSTANTS])
{
    lanes R = at->R_i, least = R, k = FIELD(stiffness), zero = all(0.0), roll_arm = zero, spin_arm = zero;
    if (!planes) R = at->R_i * at->R_j / (at->R_i + at->R_j), least = smaller(at->R_i, at->R_j);
    if (needs & BED_NEED_ARMS) {
        roll_arm = FIELD(roll_arm.length) + FIELD(roll_arm.ratio) * least + FIELD(roll_arm.reduced) * R;
        spin_arm = FIELD(spin_arm.length) + FIELD(spin_arm.ratio) * least + FIELD(spin_arm.reduced) * R;
    }
    if (needs & BED_NEED_MODULUS) k = k + FIELD(modulus) * root(R);
    c[C_STIFFNESS] = k, c[C_DAMPING] = FIELD(damping), c[C_FLOOR] = FIELD(floor);
    if (needs & BED_NEED_DAMPING)
        c[C_DAMPING] = c[C_DAMPING] + FIELD(damping_root) * root(k / (at->mass_i + at->mass_j));
    if (law == BED_SDS) {
        for (int s = 0; s < 3; ++s)
            for (int f = 0; f < 4; ++f)
                c[C_SLIDE + 4 * s + f] =
                    pair_field(pair, same, offsetof(bed_prepared, sds) + (size_t)(4 * s + f) * sizeof(double));
        if (needs & BED_NEED_SDS) {
            lanes m_root = root(all(1.0) / (at->mass_i + at->mass_j)),
                  I_root = root(all(1.0) / (at->inertia_i + at->inertia_j));
            c[C_SLIDE + 1] = c[C_SLIDE + 1] + FIELD(sds_root[0]) * m_root;
            c[C_ROLL + 1] = c[C_ROLL + 1] + FIELD(sds_root[1]) * m_root;
            c[C_TWIST + 1] = c[C_TWIST + 1] + FIELD(sds_root[2]) * I_root;
        }
        if (needs & BED_NEED_ARMS)
            c[C_ROLL + 2] = c[C_ROLL + 2] + roll_arm * curvature(at, planes),
                       c[C_TWIST + 2] = c[C_TWIST + 2] + spin_arm;
        c[C_ROLL_RADIUS] = R, c[C_GROWTH] = c[C_GROWTH_ROOT] = zero;
        if (needs & BED_NEED_MINDLIN)
            c[C_GROWTH] = FIELD(growth[0]),
            c[C_GROWTH_ROOT] = FIELD(growth_root[0]) * root(all(1.0) / (at->mass_i + at->mass_j));
        return;
    }
    lanes published = FIELD(published), mass = dashpot_inertia(at->mass_i, at->mass_j, published),
          inertia = dashpot_inertia(at->inertia_i, at->inertia_j, published);
    c[T_SLIDE] = FIELD(slide[0]), c[T_SLIDE + 1] = FIELD(slide[1]) + FIELD(slide_root) * root(mass);
    c[T_SLIDE + 2] = FIELD(slide[2]), c[T_SLIDE + 3] = FIELD(slide[3]);
    lanes R_roll = choose(greater(zero, FIELD(roll_curvature)), R, FIELD(roll_radius));
    roll_arm = FIELD(roll_eta) * R_roll + roll_arm;
    c[T_ROLL] = FIELD(roll[0]) + (FIELD(roll_more) * roll_arm + FIELD(roll_smooth[0]) * R_roll) * R_roll;
    c[T_ROLL + 1] = FIELD(roll[1]) + FIELD(roll_root) * root(inertia * c[T_ROLL]);
    c[T_ROLL + 2] = FIELD(roll[2]) * roll_arm, c[T_ROLL + 3] = FIELD(roll[3]) * roll_arm;
    lanes R_spin = choose(greater(zero, FIELD(spin_curvature)), R, FIELD(spin_radius));
    spin_arm = FIELD(spin_eta) * R_spin + spin_arm;
    lanes hertz = zero;
    c[T_RADIUS] = R;
    if (needs & BED_NEED_SPIN_HERTZ) {
        hertz = FIELD(spin_hertz);
        spin_arm = choose(greater(hertz, zero), all(0.5), spin_arm);
        c[T_A] = FIELD(spin[0]), c[T_B] = FIELD(spin_area);
        c[T_C] = FIELD(spin[1]), c[T_D] = FIELD(spin_root) * root(inertia);
    } else c[T_A] = c[T_B] = c[T_C] = c[T_D] = zero; /* nobody asks for them */
    c[T_HERTZ] = hertz;
    if (needs & BED_NEED_MINDLIN) {
        c[T_GROWTH] = FIELD(growth[0]);
        c[T_GROWTH + 1] = (FIELD(growth[1]) * roll_arm + FIELD(roll_smooth[1]) * R_roll) * R_roll;
        c[T_GROWTH + 2] = FIELD(growth[2]) * choose(greater(hertz, zero), all(1.0), spin_arm * R_spin) +
                          FIELD(spin_smooth[1]) * R_spin * R_spin;
        c[T_GROWTH_ROOT] = FIELD(growth_root[0]) * root(mass);
        c[T_GROWTH_ROOT + 1] = FIELD(growth_root[1]) * root(inertia);
        c[T_GROWTH_ROOT + 2] = FIELD(growth_root[2]) * root(inertia);
    } else
        for (int s = T_GROWTH; s < BED_CONSTANTS; ++s) c[s] = zero;
    c[T_SPIN] = FIELD(spin[0]) + (FIELD(spin_more) * spin_arm + FIELD(spin_smooth[0]) * R_spin) * R_spin;
    c[T_SPIN + 1] = FIELD(spin[1]) + FIELD(spin_root) * root(inertia * c[T_SPIN]);
    c[T_SPIN + 2] = FIELD(spin[2]) * spin_arm, c[T_SPIN + 3] = FIELD(spin[3]) * spin_arm;
}

/// The stiffness of spin by Hertz, at the contact radius a.
BED_INLINE lanes hertz_spin(constants c, lanes a, lanes a2)
{
    return mad(mad(C(T_GROWTH + 2), a, C(T_B)), a2, C(T_A));
}

/// Constants of a contact with this overlap where stiffnesses follow the contact radius: those by Mindlin, with their dashpots; spin by Hertz,
/// with its bounds too. The others stay. `own`: room for them; the constants may lie there. Not inlined: most beds have none of these.
SCREE_HD_RARE constants constants_stiffen(bed_law law, constants c, const lanes *overlap,
                                          double own[BED_CONSTANTS][BED_LANES])
{
    const lanes zero = all(0.0), delta = larger(*overlap, zero);
    const int count = law == BED_SDS ? (int)C_END : (int)BED_CONSTANTS;
    for (int k = 0; k < count && c != (constants)own; ++k) put(own[k], C(k));
    if (law == BED_SDS) {
        const lanes k = mad(C(C_GROWTH), root(C(C_ROLL_RADIUS) * delta), C(C_SLIDE));
        put(own[C_SLIDE], k), put(own[C_SLIDE + 1], mad(C(C_GROWTH_ROOT), root(k), C(C_SLIDE + 1)));
        put(own[C_SLIDE + 3],
            choose(greater(C(C_GROWTH), zero), all(1.0) / larger(k, all(1e-300)), C(C_SLIDE + 3))); /* parted: k is 0 */
        return (constants)own;
    }
    const lanes a2 = C(T_RADIUS) * delta, a = root(a2), hertz_K = hertz_spin(c, a, a2);
    const mask hertz = greater(C(T_HERTZ), zero);
    for (int s = 0; s < 3; ++s) {
        const int at = T_SLIDE + 4 * s;
        lanes K = mad(C(T_GROWTH + s), a, C(at)), D = mad(C(T_GROWTH_ROOT + s), root(K), C(at + 1));
        if (s == 2) K = choose(hertz, hertz_K, K), D = choose(hertz, mad(C(T_D), root(hertz_K), C(T_C)), D);
        put(own[at], K), put(own[at + 1], D);
    }
    for (int k = T_SPIN + 2; k < T_SPIN + 4; ++k) put(own[k], choose(hertz, C(k) * a, C(k)));
    return (constants)own;
}

/// What the stiffnesses of slide, roll and spin have gained since the last step, when the overlap was `last`.
SCREE_HD_RARE void stiffness_gained(bed_law law, constants c, const lanes *overlap, const lanes *last, lanes gained[3])
{
    const lanes zero = all(0.0), R = C(law == BED_SDS ? (int)C_ROLL_RADIUS : (int)T_RADIUS);
    const lanes a2 = R * larger(*overlap, zero), b2 = R * larger(*last, zero), a = root(a2), b = root(b2);
    gained[1] = gained[2] = zero;
    if (law == BED_SDS) {
        gained[0] = C(C_GROWTH) * (a - b);
        return;
    }
    for (int s = 0; s < 3; ++s) gained[s] = C(T_GROWTH + s) * (a - b);
    gained[2] = choose(greater(C(T_HERTZ), zero), hertz_spin(c, a, a2) - hertz_spin(c, b, b2), gained[2]);
}

SCREE_HD void equal_constants(bed_law law, const bed_prepared *p, const double i[3], const double j[3],
                              double out[BED_CONSTANTS][BED_LANES])
{
    const bed_prepared *pair[BED_WIDTH];
    lanes c[BED_CONSTANTS];
    BED_ALIGNED double value[BED_WIDTH];
    partners at = {all(i[0]), all(j[0]), all(i[1]), all(j[1]), all(i[2]), all(j[2])};
    for (int l = 0; l < BED_WIDTH; ++l) pair[l] = p;
    constants_of(law, pair, 1, BED_NEED_ALL, !(j[0] > 0.0), &at, c);
    for (int k = 0; k < (law == BED_SDS ? (int)C_END : (int)BED_CONSTANTS); ++k) {
        put(value, c[k]);
        for (int l = 0; l < BED_LANES; ++l) out[k][l] = value[0];
    }
}

/* ---- what both laws see ---------------------------------------------------------------------------------------------------- */

typedef struct touch_lanes {
    lanes d[3], d2, per_d; /* along the normal; d.d, 1/|d|                                  */
    lanes n[3], n0[3];     /* n0: the normal before the step                                   */
    lanes v[3], vn;        /* of i against j's material at the contact, without i's spin; v.n  */
    lanes w_i[3], w_j[3];
    lanes R_i, R_j, delta;
    lanes arm_i, arm_j; /* of forces                                                        */
    lanes to_point[3];  /* planes: from their point to the contact                          */
    lanes way_v[3];     /* planes: of i's centre against their point, in the last step      */
    lanes from[3];      /* and from there to the centre, before it                          */
    lanes way_w[3];     /* and their spin in it                                             */
    lanes delta0;       /* BED_TRACKED: overlap at the loads of the last step               */
    mask touch;
} touch_lanes;

/// Returns 1/|d|.
BED_INLINE lanes normal_unit(const lanes d[3], lanes r2, lanes *r, lanes n[3])
{
    *r = root(r2);
    lanes s = *r * (all(1.0) / r2); /* root and division at the same time */
    for (int k = 0; k < 3; ++k) n[k] = d[k] * s;
    return s;
}

/// Three roundings may leave n two units of the last place too long or short. One step of Newton takes that away, and makes n along an axis
/// exact: else the basis that [FN] has at n leans by as much, and a column of spheres along x or y leaves its axis.
BED_INLINE void normal_polish(lanes n[3])
{
    lanes t = nmad(n[0], n[0], all(1.0)) - mad(n[1], n[1], n[2] * n[2]), half = all(0.5);
    for (int k = 0; k < 3; ++k) n[k] = mad(t, half * n[k], n[k]);
}

/// Distance, normals and velocities of BED_WIDTH contacts with planes.
BED_INLINE void see_planes(const bed_run *run, const bed_block *b, int part, bed_law law, touch_lanes *s)
{
    const bed_record *record = run->record;
    const bed_plane_now *plane = run->plane;
    const int32_t *i = b->i + part, *j = b->j + part;
    lanes x[4], v[4], w[4], n[4], p[4], v_j[4], w_j[4], before[4], v_then[4], w_then[4], c[3], zero = all(0.0);
    get_lots(record->x, sizeof *record, i, x);
    get_lots(record->v, sizeof *record, i, v);
    get_lots(record->omega, sizeof *record, i, w);
    get_lots(plane->n, sizeof *plane, j, n);
    get_lots(plane->point, sizeof *plane, j, p);
    get_lots(plane->v, sizeof *plane, j, v_j);
    get_lots(plane->omega, sizeof *plane, j, w_j);
    get_lots(plane->n_before, sizeof *plane, j, before);
    get_lots(plane->v_before, sizeof *plane, j, v_then), get_lots(plane->omega_before, sizeof *plane, j, w_then);
    for (int k = 0; k < 3; ++k) {
        s->d[k] = s->n[k] = n[k], s->n0[k] = before[k], s->w_i[k] = w[k], s->w_j[k] = w_j[k];
        c[k] = x[k] - p[k];
    }
    s->d2 = s->per_d = all(1.0);
    lanes distance = dot3(s->n, c);
    for (int k = 0; k < 3; ++k) s->to_point[k] = nmad(distance, n[k], c[k]);
    cross3(s->w_j, s->to_point, c);
    for (int k = 0; k < 3; ++k) s->v[k] = v[k] - (v_j[k] + c[k]), s->way_w[k] = w_then[k];
    s->R_i = x[3], s->R_j = zero, s->delta = x[3] - distance;
    for (int k = 0; k < 3; ++k) {
        s->way_v[k] = v[k] - v_then[k];
        s->from[k] = nmad(all(run->moved), s->way_v[k], x[k] - p[k]);
    }
    s->delta0 = x[3] - dot3(s->n0, s->from);
    s->arm_i = law == BED_SDS ? s->R_i : nmad(all(0.5), s->delta, s->R_i), s->arm_j = zero;
}

/// Distance and normal of two spheres; `d` from j to i.
BED_INLINE void see_distance(const bed_run *run, const bed_block *b, int part, touch_lanes *s)
{
    const bed_record *record = run->record;
    const int32_t *i = b->i + part, *j = b->j + part;
    lanes of_i[4], of_j[4], *d = s->d, r;
    get_lots(record->x, sizeof *record, i, of_i);
    get_lots(record->x, sizeof *record, j, of_j);
    for (int k = 0; k < 3; ++k) d[k] = of_i[k] - of_j[k];
    for (int k = 0; k < 3 && run->periodic; ++k)
        if (run->box[k] > 0.0) d[k] = nmad(all(run->box[k]), nearest(d[k] * all(run->inverse_box[k])), d[k]);
    s->R_i = of_i[3], s->R_j = of_j[3];
    s->d2 = dot3(d, d);
    s->per_d = normal_unit(d, s->d2, &r, s->n), s->delta = (s->R_i + s->R_j) - r;
}

/// The rest. Lot by lot of both: fewer vectors are alive at a time.
BED_INLINE void see_motion(const bed_run *run, const bed_block *b, int part, bed_law law, touch_lanes *s)
{
    const bed_record *record = run->record;
    const int32_t *i = b->i + part, *j = b->j + part;
    lanes of_i[4], of_j[4], d[3], r, half = all(0.5), moved = all(run->moved);
    s->arm_i = nmad(half, s->delta, s->R_i), s->arm_j = nmad(half, s->delta, s->R_j);
    get_lots(record->v, sizeof *record, i, of_i);
    get_lots(record->v, sizeof *record, j, of_j);
    for (int k = 0; k < 3; ++k) {
        s->v[k] = of_i[k] - of_j[k];
        d[k] = nmad(moved, s->v[k], s->d[k]);
    }
    if (law == BED_TRACKED) {
        normal_unit(d, dot3(d, d), &r, s->n0), s->delta0 = (s->R_i + s->R_j) - r;
        normal_polish(s->n); /* n0 need not be one: what it has along n1 does nothing */
    }
    get_lots(record->omega, sizeof *record, i, of_i);
    get_lots(record->omega, sizeof *record, j, of_j);
    for (int k = 0; k < 3; ++k) s->w_i[k] = of_i[k], s->w_j[k] = of_j[k];
}

/// The overlap at the loads of the last step. BED_TRACKED has it: n0 needs the same distance.
BED_INLINE lanes last_overlap(const bed_run *run, const touch_lanes *s, int planes)
{
    lanes d[3];
    if (planes) return s->delta0;
    for (int k = 0; k < 3; ++k) d[k] = nmad(all(run->moved), s->v[k], s->d[k]);
    return (s->R_i + s->R_j) - root(dot3(d, d));
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

/// What is lost in the step, each by itself. `model`: what loads do at their arms beyond the slips of their springs; `made`: what the
/// law itself put into springs, as their stiffness changed or it set them.
typedef struct loss_lanes {
    lanes dashpot[BED_KINDS], slider[BED_KINDS], model, made;
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

#endif
