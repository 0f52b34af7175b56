/* bed_kernel_contact.h: one step of BED_WIDTH contacts of a bed, in two halves (bed_kernel_laws.h), with their ledger. One text for the kernels of
 * processors (bed_kernel_body.h) and for those of a device, where a block has one lane (BED_LANES 1). */
#ifndef SCREE_DEM_SPHERES_BED_KERNEL_CONTACT_H
#define SCREE_DEM_SPHERES_BED_KERNEL_CONTACT_H

#include "dem/spheres/bed_kernel_laws.h"

/* ---- a block --------------------------------------------------------------------------------------------------------------------- */

/// How many constants a law has.
BED_INLINE int constants_count(bed_law law)
{
    return law == BED_SDS ? (int)C_END : (int)BED_CONSTANTS;
}

/// Constants of lanes that the table does not have; their radii stand in the first two rows of `out`. `same`: they have one pair of materials.
BED_INLINE void constants_make(const bed_run *run, const bed_block *b, int part, bed_law law, int planes, int same,
                               double out[BED_CONSTANTS][BED_LANES])
{
    const bed_record *r = run->record;
    const int32_t *i = b->i + part, *j = b->j + part;
    const bed_prepared *pair[BED_WIDTH] = {&run->prepared[b->pair[part] & ~BED_ODD]};
    lanes c[BED_CONSTANTS], v[4], w[4], zero = all(0.0);
    for (int l = 1; l < BED_WIDTH && !same; ++l) pair[l] = &run->prepared[b->pair[part + l] & ~BED_ODD];
    partners at = {get(out[0]), get(out[1]), zero, zero, zero, zero};
    if (law == BED_TRACKED || run->needs & (BED_NEED_DAMPING | BED_NEED_MINDLIN)) {
        get_lots(r->v, sizeof *r, i, v), get_lots(r->omega, sizeof *r, i, w);
        at.mass_i = w[3], at.inertia_i = v[3];
        if (!planes) {
            get_lots(r->v, sizeof *r, j, v), get_lots(r->omega, sizeof *r, j, w);
            at.mass_j = w[3], at.inertia_j = v[3];
        }
    }
    constants_of(law, pair, same, run->needs, planes, &at, c);
    for (int k = 0; k < constants_count(law); ++k) put(out[k], c[k]);
}

/* Not inlined: they would crowd the loop they are called from. */

SCREE_HD_RARE void constants_one_pair(const bed_run *run, const bed_block *b, int part, bed_law law, int planes,
                                      double out[BED_CONSTANTS][BED_LANES])
{
    constants_make(run, b, part, law, planes, 1, out);
}

SCREE_HD_RARE void constants_pairs(const bed_run *run, const bed_block *b, int part, bed_law law, int planes,
                                   double out[BED_CONSTANTS][BED_LANES])
{
    constants_make(run, b, part, law, planes, 0, out);
}

/// Constants of lanes that the table has, each its own.
SCREE_HD_RARE void constants_gathered(const bed_run *run, const uint16_t *index, bed_law law,
                                      double out[BED_CONSTANTS][BED_LANES])
{
    for (int l = 0; l < BED_WIDTH; ++l)
        for (int k = 0; k < constants_count(law); ++k) out[k][l] = run->constant[index[l]][k][0];
}

/// The constants of a part of a block: from the table of common spheres, or made into `own`.
BED_INLINE constants constants_get(const bed_run *run, const bed_block *b, int part, bed_law law, int planes,
                                   int single, const touch_lanes *s, double own[BED_CONSTANTS][BED_LANES])
{
    const uint16_t *index = b->pair + part;
    unsigned any = index[0], differ = 0;
    if (single) return run->constant[0];
    for (int l = 1; l < BED_WIDTH; ++l) any |= index[l], differ |= index[l] ^ (unsigned)index[0];
    if (!(any & BED_ODD)) {
        if (!differ) return run->constant[index[0]];
        constants_gathered(run, index, law, own);
        return (constants)own;
    }
    put(own[0], s->R_i), put(own[1], s->R_j);
    if (differ & ~(unsigned)BED_ODD) constants_pairs(run, b, part, law, planes, own);
    else constants_one_pair(run, b, part, law, planes, own);
    return (constants)own;
}

/* ---- the ledger ------------------------------------------------------------------------------------------------------------------- */

/// Energy in the springs of slide, roll and spin, as the last step left them.
SCREE_HD_RARE void stored_all(const bed_run *run, const bed_block *b, int part, bed_law law, const contact_lanes *m,
                              lanes *out)
{
    constants c = m->c;
    const int sds = law == BED_SDS, slide = sds ? 3 : 2; /* components */
    lanes gained[3] = {all(0.0), all(0.0), all(0.0)};
    if (run->stiffens) stiffness_gained(law, c, &m->delta, &m->delta0, gained);
    *out = stored(b, part, 0, slide, C(C_LAW) - gained[0]) +
           stored(b, part, slide, 6 - slide, C(C_LAW + 4) - gained[1]) +
           stored(b, part, 6, 1, C(C_LAW + 8) - gained[2]);
}

/// Work that driven partners do on the others. Torque on a plane is about its point here.
BED_INLINE lanes driven_work(const bed_run *run, const bed_block *b, int part, int planes, const contact_lanes *s,
                             const load_lanes *f)
{
    const bed_record *r = run->record;
    const int32_t *i = b->i + part, *j = b->j + part;
    lanes zero = all(0.0), v_i[4], w_i[4], v_j[4], w_j[4];
    get_lots(r->v, sizeof *r, i, v_i), get_lots(r->omega, sizeof *r, i, w_i);
    lanes by_i = zero - dot3(f->force, v_i) - dot3(f->torque_i, s->w_i), moves_j = zero;
    if (planes) get_lots(run->plane->v, sizeof *run->plane, j, v_j);
    else get_lots(r->v, sizeof *r, j, v_j), get_lots(r->omega, sizeof *r, j, w_j), moves_j = w_j[3];
    lanes by_j = dot3(f->force, v_j) - dot3(f->torque_j, s->w_j);
    return (choose(greater(w_i[3], zero), zero, by_i) + choose(greater(moves_j, zero), zero, by_j)) * all(run->moved);
}

/// Adds to a sum that is kept as a coarse and a fine part (bed_grid).
BED_INLINE void loss_add(const bed_run *run, int row, int part, lanes x)
{
    double *coarse = run->loss[row] + part, *fine = run->loss[BED_LOSSES + row] + part;
    lanes first = on_grid(x, all(run->grid->loss[0]));
    put(coarse, get(coarse) + first), put(fine, get(fine) + on_grid(x - first, all(run->grid->loss[1])));
}

/// Sums of what was lost.
BED_INLINE void losses_add(const bed_run *run, int part, bed_law law, mask touch, const loss_lanes *loss, lanes driven)
{
    loss_add(run, 0, part, only(touch, loss->dashpot[0]));
    for (int k = 1; k < BED_KINDS; ++k) {
        loss_add(run, k, part, only(touch, loss->dashpot[k]));
        loss_add(run, BED_KINDS + k, part, only(touch, loss->slider[k]));
    }
    loss_add(run, BED_LOSS_DRIVEN, part, only(touch, driven));
    loss_add(run, BED_LOSS_MODEL, part, only(touch, loss->model));
    if (law == BED_SDS || run->stiffens) loss_add(run, BED_LOSS_MADE, part, only(touch, loss->made));
}

/// Atomic where another thread looks at it (live_seen): with one lane the block is the thread's own.
BED_INLINE void live_put(bed_block *b, uint8_t live)
{
#if defined(__CUDACC__)
    b->live = live;
#else
    __atomic_store_n(&b->live, live, __ATOMIC_RELAXED);
#endif
}

/* ---- both halves of a contact ------------------------------------------------------------------------------------------------ */

/// What is wanted of the halves, a constant at their calls: the ledger; stiffnesses are known to stay (run->stiffens is not asked); all spheres are
/// known to have one size and material (nor is run->single).
enum { BED_LEDGER = 1, BED_CONSTANT = 2, BED_SINGLE = 4 };

/// What a part sees, and what of it goes to the second half. `own`: room for constants that no table has. 0: no contact touches, or did in the
/// last step, and there is no second half.
BED_INLINE int first_half(const bed_run *run, bed_block *b, int part, bed_law law, int planes, int what,
                          double own[BED_CONSTANTS][BED_LANES], touch_lanes *s, contact_lanes *m)
{
    const unsigned part_bits = (1u << BED_WIDTH) - 1u;
    const int wanted = what & BED_LEDGER, stiffens = what & BED_CONSTANT ? 0 : run->stiffens;
    lanes lost;
    if (planes) see_planes(run, b, part, law, s);
    else see_distance(run, b, part, s);
    s->touch = both(greater(s->delta, all(0.0)), of_bits((unsigned)b->used >> part));
    const unsigned touch = bits_of(s->touch);
    if (!(touch | ((unsigned)b->live >> part & part_bits))) return 0;
    if (!planes) see_motion(run, b, part, law, s);
    s->vn = dot3(s->v, s->n);
    constants c = constants_get(run, b, part, law, planes, what & BED_SINGLE || run->single, s, own);
    if (stiffens) c = constants_stiffen(law, c, &s->delta, own);
    lanes N = only(s->touch, normal_load(run, s, c, &lost));
    if (law == BED_TRACKED) tracked_first(run, b, part, planes, s, m);
    m->c = c, m->touch = touch, m->N = N, m->delta = s->delta;
    m->R_i = s->R_i, m->R_j = s->R_j, m->arm_i = s->arm_i, m->arm_j = s->arm_j;
    for (int k = 0; k < 3; ++k) {
        m->n[k] = s->n[k];
        if (planes) m->to_point[k] = s->to_point[k];
        if (wanted || planes) m->v[k] = s->v[k], m->w_i[k] = s->w_i[k], m->w_j[k] = s->w_j[k]; /* planes: asked later */
    }
    if (wanted || planes) m->vn = s->vn, m->lost = lost;
    if ((wanted || planes) && law == BED_TRACKED) m->delta0 = s->delta0;
    if ((wanted || planes) && law == BED_SDS && stiffens) m->delta0 = last_overlap(run, s, planes);
    return 1;
}

/// `s`: BED_SDS, which is not split.
BED_INLINE void second_half(const bed_run *run, bed_block *b, int part, bed_law law, int planes, int what,
                            const touch_lanes *s, const contact_lanes *m, load_lanes *f)
{
    const unsigned part_bits = (1u << BED_WIDTH) - 1u;
    const int wanted = what & BED_LEDGER, stiffens = what & BED_CONSTANT ? 0 : run->stiffens;
    const int single = what & BED_SINGLE || run->single;
    lanes zero = all(0.0);
    loss_lanes loss;
    for (int k = 0; k < BED_KINDS; ++k) loss.dashpot[k] = loss.slider[k] = zero;
    loss.model = loss.made = zero;
    const mask touch = law == BED_SDS ? s->touch : of_bits(m->touch);
    const unsigned parted = (unsigned)b->live >> part & part_bits & ~m->touch;
    if (wanted) loss.dashpot[0] = m->lost;
    if (wanted && parted) { /* they lose what was in their springs */
        lanes held;
        stored_all(run, b, part, law, m, &held);
        loss_add(run, BED_LOSS_DROPPED, part, only(of_bits(parted), held));
    }
    if (law == BED_SDS) sds_part(run, b, part, s, m, wanted, stiffens, f, &loss);
    else tracked_second(run, b, part, m, wanted, stiffens, f, &loss);
    live_put(b, (uint8_t)((b->live & ~(part_bits << part)) | m->touch << part));
    f->delta = m->delta; /* who does not touch has none above 0 */
    if (!single &&
        m->touch !=
            part_bits) /* else N = 0 makes them 0; but spheres that have left have no mass, and constants without bound */
        for (int k = 0; k < 3; ++k) {
            f->force[k] = only(touch, f->force[k]), f->torque_i[k] = only(touch, f->torque_i[k]);
            f->torque_j[k] = only(touch, f->torque_j[k]);
        }
    if (run->modes) b->pushes = (uint8_t)((b->pushes & ~(part_bits << part)) | bits_of(greater(f->N, zero)) << part);
    lanes magic = all(run->grid->force), of_i = all(run->grid->torque), of_j = of_i;
    if (!single) {
        const lanes four_times = all(4.0 * run->grid->force);
        of_i = four_times * power_of(m->R_i), of_j = four_times * power_of(m->R_j);
    }
    for (int k = 0; k < 3; ++k) {
        f->force[k] = on_grid(f->force[k], magic), f->torque_i[k] = on_grid(f->torque_i[k], of_i);
        if (!planes) f->torque_j[k] = on_grid(f->torque_j[k], of_j);
    }
    if (planes) { /* torque about the plane's point: to_point x (-force) */
        lanes arm[3];
        cross3(m->to_point, f->force, arm);
        for (int k = 0; k < 3; ++k) f->torque_j[k] = f->torque_j[k] - arm[k];
    }
    if (wanted) losses_add(run, part, law, touch, &loss, driven_work(run, b, part, planes, m, f));
}

#endif
