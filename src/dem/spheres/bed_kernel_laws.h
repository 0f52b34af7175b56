/* bed_kernel_laws.h: a bed's contacts through their law, BED_WIDTH at once. The laws are those of laws/dem_springs.h and
 * dem_frame_spheres.h; here they meet the blocks of a bed: constants, histories, bits. Included by bed_kernel_body.h.
 *
 * A contact of [FN] is worked off in two halves, each over several blocks (BED_BATCH): first what it sees, then what it answers. The operations of one
 * contact wait for each other, a dozen roots and divisions among them; a processor finds the next contact to fill these gaps if it is near
 * enough in the program. Measured on Zen 4, 10,000 settled spheres, 6 % in 512 bits, 4 % in 256
 * (`scree_bench_dem --law fn`). sds is shorter: it gains nothing in 512 bits and loses
 * 5 % in 256, so there both halves of a part follow each other.
 *
 *     first     distance, normals, velocities, normal force; [FN]: how far the springs are stretched    -> contact_lanes
 *     second    springs and sliders, loads in the world, ledger
 *
 * n_0 is not stored: x was moved by h v, so it is the unit of d - h (v_i - v_j) (a plane keeps its last normal). */
#ifndef SCREE_DEM_SPHERES_BED_KERNEL_LAWS_H
#define SCREE_DEM_SPHERES_BED_KERNEL_LAWS_H

#include "dem/spheres/bed_kernel_view.h"

/// What the first half of a contact leaves to the second.
typedef struct contact_lanes {
    lanes n[3], N, delta, R_i, R_j, arm_i, arm_j;
    lanes growth[DEM_SPRINGS][2], angle[2]; /* BED_TRACKED: of the springs; of the basis since the last step */
    tangent_lanes at;
    lanes v[3], vn, w_i[3], w_j[3], lost; /* for the ledger; lost: to the dashpot of the normal                    */
    lanes delta0;                         /* spin by Hertz, for the ledger: the overlap at the last loads          */
    lanes to_point[3];                    /* planes                                                                */
    constants c;
    unsigned touch; /* bits of lanes */
    int seen;       /* 0: no contact touches, or did in the last step; nothing else is set */
} contact_lanes;

/// Bits of the lanes of all springs, a byte each.
BED_INLINE uint32_t every_spring(unsigned bits)
{
    return bits * UINT32_C(0x01010101);
}

/// Which springs slide, of a part.
BED_INLINE void kinetic_put(bed_block *b, int part, uint32_t slides)
{
    uint32_t kinetic;
    memcpy(&kinetic, b->kinetic, sizeof kinetic);
    kinetic = (kinetic & ~(every_spring((1u << BED_WIDTH) - 1u) << part)) | slides << part;
    memcpy(b->kinetic, &kinetic, sizeof kinetic);
}

/* ---- spring, dashpot, slider ------------------------------------------------------------------------------------------------- */

/// `c`: stiffness, damping, mu, 1/stiffness.
BED_INLINE sds_lanes sds_of(constants c, lanes load)
{
    const sds_lanes s = {C(0), C(1), C(2) * load, C(3)};
    return s;
}

/// Beyond its limit a spring of sds is set so that it makes up for the dashpot, and may then hold more than the limit, against the motion.
/// Where its stiffness grows that would push: it is cut back. Returns what it loses.
BED_INLINE lanes spring_within(const sds_lanes *s, mask grows, lanes xi[3])
{
    const lanes size2 = dot3(xi, xi), most = s->limit * s->per_k;
    const mask over = both(grows, greater(size2, most * most));
    const lanes back = choose(over, root(size2) * (most / size2), all(1.0));
    for (int k = 0; k < 3; ++k) xi[k] = xi[k] * back;
    return only(over, all(0.5) * s->k * (size2 - most * most));
}

BED_INLINE void loss_of_sds(sds_losses of, int kind, loss_lanes *loss)
{
    loss->dashpot[kind] = of.dashpot, loss->slider[kind] = of.slider, loss->made = loss->made + of.made;
}

BED_INLINE void sds_part(const bed_run *run, bed_block *b, int part, const touch_lanes *s, const contact_lanes *m,
                         int wanted, int stiffens, load_lanes *f, loss_lanes *loss)
{
    constants c = m->c;
    lanes xi[3], roll[3], phi = get(&b->memory[6][part]), h = all(run->moved), load = size_of(m->N),
                          R = C(C_ROLL_RADIUS);
    lanes F[3], Fr[3], v[3], vr[3], spin[3], w[3], rolls[3], couple[3], tor[3], out, out_roll;
    const sds_lanes slide = sds_of(c + C_SLIDE, load), rolling = sds_of(c + C_ROLL, load),
                    twist = sds_of(c + C_TWIST, load);
    const unsigned all_bits = (1u << BED_WIDTH) - 1u;
    mask over[3];
    sds_losses twisted;
    for (int k = 0; k < 3; ++k) {
        xi[k] = get(&b->memory[k][part]), roll[k] = get(&b->memory[3 + k][part]);
        spin[k] = mad(s->R_i, s->w_i[k], s->R_j * s->w_j[k]), w[k] = s->w_i[k] - s->w_j[k], rolls[k] = R * s->n[k];
    }
    const lanes xi2 = dot3(xi, xi), roll2 = dot3(roll, roll);
    lanes longer = sds_stretch(xi, s->d, s->d2, &out), longer_roll = sds_stretch(roll, s->d, s->d2, &out_roll);
    for (int k = 0; k < 3; ++k) v[k] = nmad(s->vn, s->n[k], s->v[k]);
    add_cross3(s->n, spin, v);
    over[0] = sds_pull(&slide, s->n, out * s->per_d, longer, v, h, xi, F);
    cross3(w, rolls, vr);
    over[1] = sds_pull(&rolling, s->n, out_roll * s->per_d, longer_roll, vr, h, roll, Fr);
    sds_cut(&slide, run->starts, xi, F);
    sds_cut(&rolling, run->starts, roll, Fr);
    if (wanted && stiffens) {
        lanes gained[3];
        stiffness_gained(BED_SDS, c, &m->delta, &m->delta0, gained);
        loss->made = all(0.5) * gained[0] * xi2;
    }
    if (wanted) {
        loss_of_sds(sds_lost(&slide, v, h, over[0], xi2, xi, F), 1, loss);
        loss_of_sds(sds_lost(&rolling, vr, h, over[1], roll2, roll, Fr), 2, loss);
    }
    if (stiffens) {
        const lanes pushed = spring_within(&slide, greater(C(C_GROWTH), all(0.0)), xi);
        if (wanted) loss->made = loss->made - pushed;
    }
    lanes M = sds_twist(&twist, dot3(w, s->n), h, wanted, &phi, &over[2], &twisted);
    if (wanted) loss_of_sds(twisted, 3, loss);
    if (run->modes)
        kinetic_put(b, part,
                    every_spring(m->touch) &
                        ((uint32_t)bits_of(over[0]) << 8 * DEM_SLIDE | (uint32_t)bits_of(over[1]) << 8 * DEM_ROLL_I |
                         (uint32_t)bits_of(over[2]) << 8 * DEM_SPIN));

    f->N = m->N;
    cross3(s->n, F, tor);
    if (wanted) { /* F.(v at R - v at the arm), v = n x (arm w): (n x F).w times what the arms are shorter */
        lanes off_i = (s->R_i - s->arm_i) * dot3(tor, s->w_i), off_j = (s->R_j - s->arm_j) * dot3(tor, s->w_j);
        loss->model = all(0.0) - h * (off_i + off_j);
    }
    for (int k = 0; k < 3; ++k) couple[k] = M * s->n[k];
    add_cross3(rolls, Fr, couple);
    const int mixed = BED_WIDTH == 8 || m->touch != all_bits;
    for (int k = 0; k < 3; ++k) {
        f->force[k] = mad(f->N, s->n[k], F[k]);
        f->torque_i[k] = nmad(s->arm_i, tor[k], couple[k]), f->torque_j[k] = nmsub(s->arm_j, tor[k], couple[k]);
        if (mixed) xi[k] = only(s->touch, xi[k]), roll[k] = only(s->touch, roll[k]);
        put(&b->memory[k][part], xi[k]), put(&b->memory[3 + k][part], roll[k]);
    }
    put(&b->memory[6][part], mixed ? only(s->touch, phi) : phi);
}

/* ---- [FN] ----------------------------------------------------------------------------------------------------------------------- */

BED_INLINE void tracked_first(const bed_run *run, bed_block *b, int part, int planes, const touch_lanes *s,
                              contact_lanes *m)
{
    const unsigned part_bits = (1u << BED_WIDTH) - 1u;
    const sphere_step step = {s->n0,
                              s->n,
                              s->w_i,
                              planes ? s->way_w : s->w_j,
                              s->R_i,
                              s->R_j,
                              planes ? s->way_v : NULL,
                              planes ? s->from : NULL};
    const mask live = both(s->touch, of_bits((unsigned)b->live >> part));
    unsigned south = (unsigned)b->south >> part & part_bits;
    tangent_lanes at;
    lanes growth[DEM_SPRINGS][2], angle[2];
    sphere_growth(&step, run->moved, &south, live, &at, growth, angle);
    b->south = (uint8_t)((b->south & ~(part_bits << part)) | (south & bits_of(s->touch)) << part);
    for (int a = 0; a < DEM_SPRINGS; ++a)
        for (int k = 0; k < (a == DEM_SPIN ? 1 : 2); ++k) m->growth[a][k] = growth[a][k];
    m->angle[0] = angle[0], m->angle[1] = angle[1], m->at = at;
}

/// What the loads do on the velocities at their arms beyond the growth of their springs, each load times the difference of its two ways.
/// Torque on i is -n x (a u + b w) = b u - a w, on j its opposite.
BED_INLINE lanes tracking_gap(const bed_run *run, const contact_lanes *m, lanes dx[DEM_SPRINGS][2],
                              lanes F[DEM_SPRINGS][2])
{
    lanes h = all(run->moved), v[3], arm[3], slip[2], i[2], j[2], across, sum;
    const lanes n[3] = {m->n[0], m->n[1], m->n[2]};
    for (int k = 0; k < 3; ++k) {
        arm[k] = mad(m->arm_i, m->w_i[k], m->arm_j * m->w_j[k]);
        v[k] = nmad(m->vn, n[k], m->v[k]);
    }
    add_cross3(n, arm, v);
    in_tangents(n, &m->at, v, slip, &across);
    in_tangents(n, &m->at, m->w_i, i, &across), in_tangents(n, &m->at, m->w_j, j, &across);
    sum = F[DEM_SLIDE][0] * mad(h, slip[0], dx[DEM_SLIDE][0]) + F[DEM_SLIDE][1] * mad(h, slip[1], dx[DEM_SLIDE][1]);
    sum = mad(F[DEM_ROLL_I][0], nmad(h, i[1], dx[DEM_ROLL_I][0]), sum);
    sum = mad(F[DEM_ROLL_I][1], mad(h, i[0], dx[DEM_ROLL_I][1]), sum);
    sum = mad(F[DEM_ROLL_J][0], mad(h, j[1], dx[DEM_ROLL_J][0]), sum);
    sum = mad(F[DEM_ROLL_J][1], nmad(h, j[0], dx[DEM_ROLL_J][1]), sum);
    sum = mad(F[DEM_SPIN][0], nmad(h, dot3(n, m->w_i) - dot3(n, m->w_j), dx[DEM_SPIN][0]), sum);
    return all(0.0) - sum;
}

BED_INLINE void tracked_second(const bed_run *run, bed_block *b, int part, const contact_lanes *m, int wanted,
                               int stiffens, load_lanes *f, loss_lanes *loss)
{
    constants c = m->c;
    const unsigned all_bits = (1u << BED_WIDTH) - 1u, live_bits = m->touch & (unsigned)b->live >> part;
    const mask live = of_bits(live_bits);
    lanes zero = all(0.0), load = larger(m->N, zero), x[DEM_SPRINGS][2], dx[DEM_SPRINGS][2], F[DEM_SPRINGS][2];
    for (int a = 0; a < DEM_SPIN; ++a) {
        for (int k = 0; k < 2; ++k) x[a][k] = get(&b->memory[2 * a + k][part]), dx[a][k] = m->growth[a][k];
        turn_pair(m->angle[0], m->angle[1], x[a]);
    }
    x[DEM_SPIN][0] = get(&b->memory[6][part]), dx[DEM_SPIN][0] = m->growth[DEM_SPIN][0];
    x[DEM_SPIN][1] = dx[DEM_SPIN][1] = zero;
    if (BED_WIDTH == 8 || live_bits != all_bits) /* who is new or has parted remembers nothing */
        for (int a = 0; a < DEM_SPRINGS; ++a)
            for (int k = 0; k < 2; ++k) x[a][k] = only(live, x[a][k]), dx[a][k] = only(live, dx[a][k]);

    if (wanted && stiffens) {
        lanes gained[3], sum = zero;
        stiffness_gained(BED_TRACKED, c, &m->delta, &m->delta0, gained);
        for (int k = 0; k < DEM_SPRINGS; ++k) {
            const lanes half = all(0.5) * gained[k == DEM_SLIDE ? 0 : k == DEM_SPIN ? 2 : 1];
            sum = sum + (half * x[k][0] * x[k][0] + half * x[k][1] * x[k][1]);
        }
        loss->made = sum;
    }
    uint32_t kinetic, slides = 0;
    memcpy(&kinetic, b->kinetic, sizeof kinetic);
    /* all four in one stretch of code: none waits for another */
#define SPRING(a, of, size, kind)                                                                                      \
    do {                                                                                                               \
        const mask slid = of_bits(kinetic >> part >> 8 * (a));                                                         \
        const lanes still = get((of)[2]) * load, bound = choose(slid, get((of)[3]) * load, still);                     \
        slides |= (uint32_t)bits_of(spring_step(get((of)[0]), get((of)[1]), still, bound, size, dx[a], run->published, \
                                                wanted, x[a], F[a], &loss->dashpot[kind], &loss->slider[kind]))        \
                  << 8 * (a);                                                                                          \
    } while (0)
    SPRING(DEM_SLIDE, c + T_SLIDE, 2, 1);
    SPRING(DEM_ROLL_I, c + T_ROLL, 2, 2);
    SPRING(DEM_ROLL_J, c + T_ROLL, 2, 2);
    SPRING(DEM_SPIN, c + T_SPIN, 1, 3);
#undef SPRING
    kinetic_put(b, part, slides);
    if (wanted) loss->model = tracking_gap(run, m, dx, F);
    for (int a = 0; a < DEM_SPIN; ++a)
        for (int k = 0; k < 2; ++k) put(&b->memory[2 * a + k][part], x[a][k]);
    put(&b->memory[6][part], x[DEM_SPIN][0]);

    /* n x (a u + b w) = a w - b u */
    const lanes n[3] = {m->n[0], m->n[1], m->n[2]}, minus = all(-0.0);
    lanes t[3], t_i[3], t_j[3];
    of_tangents(n, &m->at, F[DEM_SLIDE][0], F[DEM_SLIDE][1], t);
    of_tangents(n, &m->at, mad(m->arm_i, F[DEM_SLIDE][1], F[DEM_ROLL_I][1]),
                flip(minus, mad(m->arm_i, F[DEM_SLIDE][0], F[DEM_ROLL_I][0])), t_i);
    of_tangents(n, &m->at, mad(m->arm_j, F[DEM_SLIDE][1], flip(minus, F[DEM_ROLL_J][1])),
                nmad(m->arm_j, F[DEM_SLIDE][0], F[DEM_ROLL_J][0]), t_j);
    f->N = m->N;
    for (int k = 0; k < 3; ++k) {
        lanes turns = F[DEM_SPIN][0] * n[k];
        f->force[k] = mad(f->N, n[k], t[k]), f->torque_i[k] = t_i[k] - turns, f->torque_j[k] = t_j[k] + turns;
    }
}

#endif
