/* device_step.h: a step of a bed on a device, in two kernels.
 *
 *     gpu_chunks   a block of threads per chunk: its contacts through the law of the engine for spheres (bed_kernel_contact.h, one lane), loads
 *                  summed in shared memory, then the motion of its spheres, into the other records
 *     gpu_walls_push  before it, where there are walls of other shapes than planes: device_walls.h
 *     gpu_turn     one block: what the step leaves over all chunks; the end of the step (scale, ledger, planes, driven bodies, servos) and
 *                  the beginning of the next one (bed_turn.h)
 *
 * The host does not look on: it asks for many steps, and where one may not be taken (lists are used up, a sphere ran away), `stop` is set and the
 * kernels that are still to come do nothing. */
#ifndef SCREE_DEM_CUDA_DEVICE_STEP_H
#define SCREE_DEM_CUDA_DEVICE_STEP_H

#include "dem/cuda/device_state.h"
#include "dem/spheres/bed_kernel_contact.h"

#include "dem/cuda/device_walls.h" /* last: one contact is one lane */

/* ---- contacts ------------------------------------------------------------------------------------------------------------------------ */

/// Of equal spheres they come with the call of the kernel: instructions take them from there.
DEVICE_INLINE const double (*gpu_constants_of(const gpu_view *g, int planes, int what))[BED_CONSTANTS][BED_LANES]
{
    if (what & BED_SINGLE) return &g->single[planes];
    return planes ? g->wall_constant : g->constant;
}

/// What a run of the contacts of a chunk is to the law.
DEVICE_INLINE bed_run gpu_run_of(const gpu_view *g, int planes, int what)
{
    const bed_device_shape *s = &g->shape;
    const gpu_now *now = g->now;
    bed_run run;
    memset(&run, 0, sizeof run);
    run.record = g->record[now->parity], run.plane = g->plane, run.prepared = g->prepared;
    run.constant = gpu_constants_of(g, planes, what);
    run.h = s->h, run.moved = s->h, run.starts = 0, run.modes = now->modes, run.grid = &now->grid;
    for (int k = 0; k < 3; ++k) run.box[k] = s->box[k], run.inverse_box[k] = s->inverse_box[k];
    run.periodic = s->periodic[0] || s->periodic[1] || s->periodic[2];
    run.hertz = s->hertz, run.stiffens = s->stiffens, run.needs = s->needs, run.published = s->published;
    run.single = s->equal && s->pairs == 1;
    return run;
}

/// A contact as it comes from memory: numbers, and where its history stands.
typedef struct gpu_seen {
    int32_t i, j;
    unsigned bits, pair;
    const double *memory;
    int64_t stride;
} gpu_seen;

DEVICE_INLINE gpu_seen gpu_see(const gpu_contacts *c, int64_t slot)
{
    gpu_seen s;
    s.i = c->i[slot], s.j = c->j[slot], s.bits = c->bits[slot], s.pair = c->pair[slot];
    s.memory = c->memory + slot, s.stride = c->room;
    return s;
}

/// A contact in a block of one lane, without its memory.
DEVICE_INLINE void gpu_block_get(const gpu_seen *s, bed_block *b)
{
    const unsigned bits = s->bits;
    b->i[0] = s->i, b->j[0] = s->j, b->pair[0] = (uint16_t)s->pair;
    b->used = 1, b->live = (uint8_t)(bits & BED_KEPT_LIVE), b->south = (uint8_t)((bits & BED_KEPT_SOUTH) != 0);
    b->pushes = (uint8_t)((bits & BED_KEPT_PUSHES) != 0);
    for (int k = 0; k < DEM_SPRINGS; ++k) b->kinetic[k] = (uint8_t)((bits & (unsigned)BED_KEPT_KINETIC << k) != 0);
}

DEVICE_INLINE void gpu_block_put(const gpu_contacts *c, int64_t slot, const bed_block *b)
{
    unsigned bits = b->live ? BED_KEPT_LIVE : 0;
    if (b->south) bits |= BED_KEPT_SOUTH;
    if (b->pushes) bits |= BED_KEPT_PUSHES;
    for (int k = 0; k < DEM_SPRINGS; ++k)
        if (b->kinetic[k]) bits |= (unsigned)BED_KEPT_KINETIC << k;
    c->bits[slot] = (uint8_t)bits;
    for (int m = 0; m < BED_MEMORY; ++m) c->memory[m * c->room + slot] = b->memory[m][0];
}

/// A number as a coarse and a fine part, into sums of the device.
DEVICE_INLINE void gpu_plane_add(double x, double magic, double *coarse, double *fine)
{
    const double first = (x + magic) - magic;
    gpu_add(coarse, first), gpu_add(fine, x - first);
}

/* Loads of the spheres of a chunk, in shared memory, as whole multiples of the grid's spacing (bed_grid): integers of 64 bits in two words, each
 * with the additions that shared memory does by itself. Doubles would give the same bits, but are added there by trying again and again. */
typedef struct gpu_pile {
    uint32_t low[6][GPU_THREADS], high[6][GPU_THREADS];
    double beyond[6][GPU_THREADS]; /* loads that 51 bits do not hold, and what is no number */
    int any_beyond;
} gpu_pile;

/// 1/(4 x the power of two below R): how many torques of one unit of force make one of the sphere's.
DEVICE_INLINE double gpu_per_arm(double R)
{
    uint64_t bits;
    double x;
    memcpy(&bits, &R, sizeof bits);
    bits = (UINT64_C(2044) << 52) - (bits & UINT64_C(0x7ff0000000000000));
    memcpy(&x, &bits, sizeof x);
    return x;
}

DEVICE_INLINE void gpu_pile_clear(gpu_pile *p, int t)
{
    for (int k = 0; k < 6; ++k) p->low[k][t] = p->high[k][t] = 0, p->beyond[k][t] = 0.0;
    if (t == 0) p->any_beyond = 0;
}

/// A whole number below 2^51 as an integer, by one addition: a conversion takes as long as sixteen.
DEVICE_INLINE int64_t gpu_whole(double x)
{
    const double magic = 6755399441055744.0, sum = x + magic;
    int64_t bits, base;
    memcpy(&bits, &sum, sizeof bits), memcpy(&base, &magic, sizeof base);
    return bits - base;
}

DEVICE_INLINE void gpu_pile_add(gpu_pile *p, int at, const double load[6], double per_force, double per_torque)
{
    int64_t n[6];
    uint32_t before[6];
    for (int k = 0; k < 6; ++k) {
        const double x = load[k] * (k < 3 ? per_force : per_torque);
        const int fits = fabs(x) < 2251799813685248.0; /* 2^51: x is whole, and its bits are those below 1.5 x 2^52 */
        n[k] = fits ? gpu_whole(x) : 0;
        if (!fits) gpu_add(&p->beyond[k][at], load[k]), p->any_beyond = 1;
    }
    for (int k = 0; k < 6; ++k) before[k] = gpu_count_word(&p->low[k][at], (uint32_t)n[k]);
    for (int k = 0; k < 6; ++k) {
        const uint32_t carry = (uint32_t)(before[k] + (uint32_t)n[k]) < before[k];
        (void)gpu_count_word(&p->high[k][at], (uint32_t)((uint64_t)n[k] >> 32) + carry);
    }
}

/// The load of a sphere of radius R.
DEVICE_INLINE void gpu_pile_take(const gpu_pile *p, int t, double unit, double R, double load[6])
{
    const double arm = unit / gpu_per_arm(R);
    for (int k = 0; k < 6; ++k) {
        load[k] = (double)(int64_t)((uint64_t)p->high[k][t] << 32 | p->low[k][t]) * (k < 3 ? unit : arm);
        if (p->any_beyond) load[k] += p->beyond[k][t];
    }
}

/// Where the loads and losses of a chunk are summed.
typedef struct gpu_sums_of {
    gpu_pile *pile;
    double *plane; /* (planes x 12 x GPU_COPIES) of the device */
    double per_unit;
    int first, end;            /* its spheres                */
    double (*loss)[BED_LANES]; /* of a thread                */
    double force, overlap;     /* largest ones               */
} gpu_sums_of;

DEVICE_INLINE void gpu_contact_step(const gpu_contacts *c, int64_t slot, const gpu_seen *seen, bed_run *run,
                                    bed_law law, int planes, int what, gpu_sums_of *to)
{
    const int wanted = what & BED_LEDGER;
    double own[BED_CONSTANTS][BED_LANES];
    bed_block b;
    touch_lanes s;
    contact_lanes m;
    load_lanes f;
    gpu_block_get(seen, &b);
    const int i = b.i[0] - to->first, counts = b.i[0] >= to->first && b.i[0] < to->end;
    if (!first_half(run, &b, 0, law, planes, what, own, &s, &m)) return;
    for (int k = 0; k < BED_MEMORY; ++k) b.memory[k][0] = seen->memory[k * seen->stride];
    double loss[GPU_LOSS_ROWS][BED_LANES];
    for (int k = 0; k < GPU_LOSS_ROWS && wanted; ++k) loss[k][0] = 0.0;
    if (wanted) run->loss = loss;
    second_half(run, &b, 0, law, planes, what, &s, &m, &f);
    for (int k = 0; k < GPU_LOSS_ROWS && wanted && counts; ++k) to->loss[k][0] += loss[k][0];
    gpu_block_put(c, slot, &b);
    double load[6];
    const int counts_j = !planes && b.j[0] >= to->first && b.j[0] < to->end;
    if (counts) {
        for (int k = 0; k < 3; ++k) load[k] = f.force[k], load[3 + k] = f.torque_i[k];
        gpu_pile_add(to->pile, i, load, to->per_unit, to->per_unit * gpu_per_arm(m.R_i));
        to->force = larger(to->force, size_of(f.N)), to->overlap = larger(to->overlap, f.delta);
    }
    if (planes && b.live) {
        double *sum = &to->plane[(size_t)(12 * b.j[0]) * GPU_COPIES];
        for (int k = 0; k < 3; ++k) {
            gpu_plane_add(-f.force[k], run->grid->plane_force, &sum[k * GPU_COPIES], &sum[(6 + k) * GPU_COPIES]);
            gpu_plane_add(f.torque_j[k], run->grid->plane_torque, &sum[(3 + k) * GPU_COPIES],
                          &sum[(9 + k) * GPU_COPIES]);
        }
    } else if (counts_j) {
        for (int k = 0; k < 3; ++k) load[k] = -f.force[k], load[3 + k] = f.torque_j[k];
        gpu_pile_add(to->pile, b.j[0] - to->first, load, to->per_unit, to->per_unit * gpu_per_arm(m.R_j));
    }
}

/* What comes next is on its way while a thread works on a contact: numbers of the spheres and history into shared memory, the bits into a
 * register. Every thread reads only what it has asked for itself. */
typedef struct gpu_stage {
    double memory[2][BED_MEMORY][GPU_THREADS];
    int32_t i[2][GPU_THREADS], j[2][GPU_THREADS];
} gpu_stage;

DEVICE_INLINE void gpu_stage_ask(gpu_stage *s, int half, int t, const gpu_contacts *c, int64_t slot)
{
    gpu_copy_4(&s->i[half][t], c->i + slot), gpu_copy_4(&s->j[half][t], c->j + slot);
    for (int k = 0; k < BED_MEMORY; ++k) gpu_copy_8(&s->memory[half][k][t], c->memory + k * c->room + slot);
}

/// The contacts of a chunk with spheres that a thread has.
DEVICE_INLINE void gpu_contacts_step(const gpu_contacts *c, int64_t block, int t, gpu_stage *s, bed_run *run,
                                     bed_law law, int what, gpu_sums_of *to)
{
    const int64_t first = c->first[block], end = c->first[block + 1];
    unsigned bits = 0, pair = 0;
    if (first + t < end) gpu_stage_ask(s, 0, t, c, first + t), bits = c->bits[first + t], pair = c->pair[first + t];
    gpu_copies_close();
    int half = 0;
    for (int64_t k = first + t; k < end; k += GPU_THREADS, half = !half) {
        const int64_t after = k + GPU_THREADS;
        unsigned bits_after = 0, pair_after = 0;
        if (after < end) gpu_stage_ask(s, !half, t, c, after), bits_after = c->bits[after], pair_after = c->pair[after];
        gpu_copies_close();
        gpu_copies_wait();
        gpu_seen seen;
        seen.i = s->i[half][t], seen.j = s->j[half][t], seen.bits = bits, seen.pair = pair;
        seen.memory = &s->memory[half][0][t], seen.stride = GPU_THREADS;
        gpu_contact_step(c, k, &seen, run, law, 0, what, to);
        bits = bits_after, pair = pair_after;
    }
}

/* ---- motion -------------------------------------------------------------------------------------------------------------------------- */

/// q <- unit of (1, b) q with b = tan(h |omega|/2) omega/|omega|: turn_quaternion of bed_kernel_body.h, operation by operation.
DEVICE_INLINE void gpu_turn_quaternion(const double omega[3], double h, double q[4])
{
    const double step = 0.5 * h, half[3] = {omega[0] * step, omega[1] * step, omega[2] * step};
    const double t = (half[0] * half[0] + half[1] * half[1]) + half[2] * half[2];
    const double g = 1.0 + t * (DEM_TAN_1 + t * (DEM_TAN_2 + t * DEM_TAN_3));
    const double b[3] = {half[0] * g, half[1] * g, half[2] * g};
    const double a[4] = {
        q[0] + ((-(b[0] * q[1]) - b[1] * q[2]) - b[2] * q[3]), q[1] + ((b[0] * q[0] + b[1] * q[3]) - b[2] * q[2]),
        q[2] + ((-(b[0] * q[3]) + b[1] * q[0]) + b[2] * q[1]), q[3] + ((b[0] * q[2] - b[1] * q[1]) + b[2] * q[0])};
    const double size = 1.0 / sqrt((a[0] * a[0] + a[1] * a[1]) + (a[2] * a[2] + a[3] * a[3]));
    for (int k = 0; k < 4; ++k) q[k] = a[k] * size;
}

DEVICE_INLINE bed_record gpu_record(const bed_record *from)
{
    bed_record r;
    gpu_get_4(from->x, r.x), gpu_get_4(from->omega, r.omega), gpu_get_4(from->v, r.v);
    /* cppcheck-suppress uninitvar ; the three calls fill it */
    return r;
}

/// v += h (F/m + g), omega += h T/I, x += h v, q: move_sphere of bed_kernel_body.h. Returns the square of its speed.
DEVICE_INLINE double gpu_move(const gpu_view *g, int64_t i, const double load[6], double kick, bed_record *r,
                              double wrapped[3])
{
    const bed_device_shape *s = &g->shape;
    const double mass = kick * r->omega[3], inertia = kick * r->v[3];
    int out = 0;
    for (int k = 0; k < 3; ++k) {
        r->v[k] += load[k] * mass + (mass > 0.0 ? kick * g->gravity[k] : 0.0);
        r->omega[k] += load[3 + k] * inertia;
        r->x[k] += s->h * r->v[k];
        out |= r->x[k] < s->borders.low[k] || r->x[k] >= s->borders.high[k];
    }
    if (out) bed_wrap(&s->borders, r, wrapped);
    if (s->turns) {
        double q[4];
        gpu_get_4(g->q[i], q);
        gpu_turn_quaternion(r->omega, s->h, q);
        gpu_put_4(g->q[i], q);
    }
    return (r->v[0] * r->v[0] + r->v[1] * r->v[1]) + r->v[2] * r->v[2];
}

DEVICE_INLINE int gpu_is_bad(const bed_record *r)
{
    const double *v = r->v, *w = r->omega;
    return !(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) < 1e30);
}

/* ---- a chunk ------------------------------------------------------------------------------------------------------------------------- */

/// All that the contacts of a chunk will read, under way before the first one needs it.
DEVICE_INLINE void gpu_chunk_fetch(const gpu_view *g, const bed_record *record, int64_t block, int t)
{
    const gpu_contacts *c = &g->contact;
    const int64_t first = c->first[block], count = c->first[block + 1] - first, sphere = block << g->chunk_bits;
    const int64_t left = g->shape.count - sphere, each = (int64_t)1 << g->chunk_bits;
    if (t < BED_MEMORY) gpu_fetch(c->memory + t * c->room + first, count * (int64_t)sizeof *c->memory);
    else if (t == BED_MEMORY) gpu_fetch(c->i + first, count * (int64_t)sizeof *c->i);
    else if (t == BED_MEMORY + 1) gpu_fetch(c->j + first, count * (int64_t)sizeof *c->j);
    else if (t == BED_MEMORY + 2) gpu_fetch(c->bits + first, count);
    else if (t == BED_MEMORY + 3) gpu_fetch(record + sphere, (left < each ? left : each) * (int64_t)sizeof *record);
}

DEVICE_INLINE void gpu_chunk_step(const gpu_view *g, int64_t block, bed_law law, int what)
{
    SHARED gpu_pile pile;
    SHARED double sum[GPU_WRAPPED + 3];
    SHARED uint64_t peak[GPU_PEAKS];
    SHARED_AS_LAUNCHED(stage, sizeof(gpu_stage));
    const gpu_now *now = g->now;
    if (now->stop != GPU_GOES_ON) return;
    const int wanted = what & BED_LEDGER, copy = (int)(block % GPU_COPIES), sums = wanted ? GPU_WRAPPED + 3 : 3;
    THREADS(t)
    {
        gpu_chunk_fetch(g, g->record[now->parity], block, t);
        gpu_pile_clear(&pile, t);
        if (t < GPU_WRAPPED + 3) sum[t] = 0.0;
        if (t < GPU_PEAKS) peak[t] = 0;
    }
    BARRIER;
    THREADS(t)
    {
        double loss[GPU_LOSS_ROWS][BED_LANES];
        gpu_sums_of to;
        to.pile = &pile, to.plane = g->sum + (size_t)GPU_PLANES * GPU_COPIES + copy, to.per_unit = now->per_unit;
        to.loss = loss;
        to.first = (int)(block << g->chunk_bits), to.end = to.first + (1 << g->chunk_bits), to.force = to.overlap = 0.0;
        for (int k = 0; k < GPU_LOSS_ROWS && wanted; ++k) loss[k][0] = 0.0;
        bed_run run = gpu_run_of(g, 0, what);
        gpu_contacts_step(&g->contact, block, t, (gpu_stage *)(void *)stage, &run, law, what, &to);
        if (g->shape.planes > 0) {
            run.constant = gpu_constants_of(g, 1, what);
            for (int64_t k = g->wall.first[block] + t; k < g->wall.first[block + 1]; k += GPU_THREADS) {
                const gpu_seen seen = gpu_see(&g->wall, k);
                gpu_contact_step(&g->wall, k, &seen, &run, law, 1, what, &to);
            }
        }
        for (int k = 0; k < GPU_LOSS_ROWS && wanted; ++k) gpu_add_all(&sum[k], loss[k][0]);
        gpu_raise_all(&peak[GPU_FORCE], gpu_ordered(to.force)),
            gpu_raise_all(&peak[GPU_OVERLAP], gpu_ordered(to.overlap));
    }
    BARRIER;
    THREADS(t)
    {
        const int64_t i = (block << g->chunk_bits) + t;
        double wrapped[3] = {0.0, 0.0, 0.0}, speed2 = 0.0;
        if (t >> g->chunk_bits == 0 && i < g->shape.count) {
            bed_record r = gpu_record(&g->record[now->parity][i]);
            double f[6];
            gpu_pile_take(&pile, t, now->unit, r.x[3], f);
            for (int k = 0; k < 3 && g->given; ++k) f[k] += g->given[i].force[k], f[3 + k] += g->given[i].torque[k];
            speed2 = gpu_move(g, i, f, now->half ? 0.5 * g->shape.h : g->shape.h, &r, wrapped);
            gpu_put_4(g->record[!now->parity][i].x, r.x), gpu_put_4(g->record[!now->parity][i].omega, r.omega);
            gpu_put_4(g->record[!now->parity][i].v, r.v);
            if (gpu_is_bad(&r)) gpu_lower(&g->now->bad, g->id[i]);
        }
        gpu_raise_all(&peak[GPU_SPEED2], speed2 > 0.0 ? gpu_ordered(speed2) : 0);
        for (int k = 0; k < 3; ++k)
            if (g->shape.periodic[k]) gpu_add_all(&sum[GPU_WRAPPED + k], wrapped[k]);
    }
    BARRIER;
    THREADS(t)
    {
        const int at = wanted ? t : GPU_WRAPPED + t;
        if (t < sums) gpu_add(&g->sum[at * GPU_COPIES + copy], sum[at]);
        if (t < GPU_PEAKS) gpu_raise(&g->peak[t * GPU_COPIES + copy], peak[t]);
    }
}

/* "single": spheres of one size and material, whose stiffnesses stay; "growing": stiffnesses that grow with the overlap (Mindlin, Hertz spin). */

KERNEL_OF_TWO(gpu_chunks_sds_single, gpu_view g)
{
    gpu_chunk_step(&g, BLOCK, BED_SDS, BED_SINGLE | BED_CONSTANT);
}

KERNEL_OF_TWO(gpu_chunks_sds_single_ledger, gpu_view g)
{
    gpu_chunk_step(&g, BLOCK, BED_SDS, BED_SINGLE | BED_CONSTANT | BED_LEDGER);
}

KERNEL_OF_TWO(gpu_chunks_sds, gpu_view g)
{
    gpu_chunk_step(&g, BLOCK, BED_SDS, BED_CONSTANT);
}

KERNEL_OF_TWO(gpu_chunks_sds_ledger, gpu_view g)
{
    gpu_chunk_step(&g, BLOCK, BED_SDS, BED_CONSTANT | BED_LEDGER);
}

KERNEL_OF_TWO(gpu_chunks_sds_growing, gpu_view g)
{
    gpu_chunk_step(&g, BLOCK, BED_SDS, 0);
}

KERNEL_OF_TWO(gpu_chunks_sds_growing_ledger, gpu_view g)
{
    gpu_chunk_step(&g, BLOCK, BED_SDS, BED_LEDGER);
}

KERNEL_OF_TWO(gpu_chunks_tracked_single, gpu_view g)
{
    gpu_chunk_step(&g, BLOCK, BED_TRACKED, BED_SINGLE | BED_CONSTANT);
}

KERNEL_OF_TWO(gpu_chunks_tracked_single_ledger, gpu_view g)
{
    gpu_chunk_step(&g, BLOCK, BED_TRACKED, BED_SINGLE | BED_CONSTANT | BED_LEDGER);
}

KERNEL_OF_TWO(gpu_chunks_tracked, gpu_view g)
{
    gpu_chunk_step(&g, BLOCK, BED_TRACKED, BED_CONSTANT);
}

KERNEL_OF_TWO(gpu_chunks_tracked_ledger, gpu_view g)
{
    gpu_chunk_step(&g, BLOCK, BED_TRACKED, BED_CONSTANT | BED_LEDGER);
}

KERNEL_OF_TWO(gpu_chunks_tracked_growing, gpu_view g)
{
    gpu_chunk_step(&g, BLOCK, BED_TRACKED, 0);
}

KERNEL_OF_TWO(gpu_chunks_tracked_growing_ledger, gpu_view g)
{
    gpu_chunk_step(&g, BLOCK, BED_TRACKED, BED_LEDGER);
}

/* ---- the turn of a step ------------------------------------------------------------------------------------------------------------ */

/// What a loss is: its coarse and its fine part.
SCREE_HD double gpu_loss(const double *sum, int row)
{
    return sum[row] + sum[BED_LOSSES + row];
}

/// bed.c, totals_add.
SCREE_HD void gpu_totals_add(const gpu_view *g, const double *sum, bed_totals *t)
{
    for (int k = 0; k < 3; ++k) t->wrapped[k] += sum[GPU_WRAPPED + k];
    if (!g->shape.ledger) return;
    for (int k = 0; k < BED_KINDS; ++k) t->dashpot[k] += gpu_loss(sum, k);
    for (int k = 1; k < BED_KINDS; ++k) t->slider[k] += gpu_loss(sum, BED_KINDS + k);
    t->driven += gpu_loss(sum, BED_LOSS_DRIVEN), t->model += gpu_loss(sum, BED_LOSS_MODEL);
    t->dropped += gpu_loss(sum, BED_LOSS_DROPPED), t->made += gpu_loss(sum, BED_LOSS_MADE);
}

/// bed.c, step_end.
SCREE_HD void gpu_step_end(const gpu_view *g, const uint64_t peak[GPU_PEAKS])
{
    gpu_now *now = g->now;
    const bed_device_shape *s = &g->shape;
    double wall_way = bed_planes_drift(s->planes, s->h, s->skin, (const double(*)[3])now->bounds, g->plane);
    if (g->walls.count > 0) wall_way = max2(wall_way, gpu_walls_end(g));
    now->speed2 = peak[GPU_SPEED2] ? gpu_number(peak[GPU_SPEED2]) : 0.0;
    now->deepest = max2(now->deepest, peak[GPU_OVERLAP] ? gpu_number(peak[GPU_OVERLAP]) : 0.0);
    now->totals.deepest = max2(now->totals.deepest, now->deepest);
    const double way = s->h * sqrt(now->speed2);
    now->travel += way, now->near_travel += way, now->wall_travel += way + wall_way;
    gpu_totals_add(g, g->last, &now->totals);
    now->scale = bed_scale_after(&s->most, s->hertz, s->h, now->speed2,
                                 peak[GPU_FORCE] ? gpu_number(peak[GPU_FORCE]) : 0.0, now->scale);
    now->half = 0, now->taken += 1, now->parity = !now->parity;
}

/// bed_forcing.c, bed_forcing_follow, without the terms of the work.
SCREE_HD void gpu_forcing_end(const gpu_view *g)
{
    bed_forcing *f = &g->now->forcing;
    for (int k = 0; k < 6 * f->loaded_count; ++k)
        if (g->place[k / 6] >= 0) f->work += g->work[k];
    bed_driven_move(f, g->shape.h);
    for (const bed_driven_plane *p = f->plane; p < f->plane + f->plane_count; ++p) {
        const double *sum = g->last + GPU_PLANES + 12 * p->plane;
        const double force[3] = {sum[0] + sum[6], sum[1] + sum[7], sum[2] + sum[8]};
        bed_plane_follow(f, p, force, g->shape.h, g->plane);
    }
    bed_forcing_end(f, g->shape.h);
}

SCREE_HD int gpu_stop_of(const gpu_view *g)
{
    const gpu_now *now = g->now;
    if (now->bad < INT32_MAX) return GPU_BAD;
    if (now->taken >= now->wanted) return GPU_DONE;
    if (2.0 * now->travel > g->shape.skin || now->wall_travel > g->shape.skin) return GPU_PAIRS;
    return 2.0 * now->near_travel > g->inner ? GPU_CONTACTS : GPU_GOES_ON;
}

/// Work of an applied load in the step that was taken: its terms, on the mean of the velocities before and after.
DEVICE_INLINE void gpu_load_worked(const gpu_view *g, int n)
{
    const bed_loaded *on = &g->now->forcing.loaded[n];
    if (g->place[n] < 0) return;
    const bed_record *r = &g->record[!g->now->parity][g->place[n]];
    for (int k = 0; k < 6; ++k)
        g->work[6 * n + k] = g->shape.h * on->now[k] * 0.5 * (on->velocity[k] + (k < 3 ? r->v[k] : r->omega[k - 3]));
}

/// Its load in the step to come.
DEVICE_INLINE void gpu_load_begin(const gpu_view *g, int n)
{
    bed_loaded *on = &g->now->forcing.loaded[n];
    if (g->place[n] < 0) return;
    const bed_record *r = &g->record[g->now->parity][g->place[n]];
    bed_load *given = &g->given[g->place[n]];
    forcing_load_at(&on->load, g->now->forcing.time, on->now);
    if (!forcing_load_sound(on->now)) gpu_lower(&g->now->refused, n);
    for (int k = 0; k < 3; ++k) {
        on->velocity[k] = r->v[k], on->velocity[3 + k] = r->omega[k];
        given->force[k] = 0.0 + on->now[k], given->torque[k] = 0.0 + on->now[3 + k];
    }
}

enum { GPU_TURN_SUMS = 256, GPU_TURN_PLANES = 8, GPU_TURN_ROUNDS = 10, GPU_WARP = 32 };

_Static_assert(sizeof(gpu_now) % sizeof(uint64_t) == 0 && sizeof(bed_plane_now) % sizeof(uint64_t) == 0, "whole words");

/// `ends`: a step has been taken; then the next one begins, if it may.
KERNEL(gpu_turn, gpu_view of_all, int ends)
{
    SHARED uint64_t peak[GPU_PEAKS];
    SHARED int goes_on;
    /* one thread goes through all of this, one number after the other: far quicker in memory of its own */
    SHARED gpu_view g;
    SHARED gpu_now own;
    SHARED double own_last[GPU_TURN_SUMS], part[GPU_TURN_SUMS * GPU_COPIES / GPU_WARP];
    SHARED bed_plane_now own_plane[GPU_TURN_PLANES];
    gpu_now *const now = &own;
    const int holds_sums = of_all.sums <= GPU_TURN_SUMS, holds_planes = of_all.shape.planes <= GPU_TURN_PLANES;
    if (of_all.now->stop != GPU_GOES_ON) return;
    THREADS(t)
    if (t == 0) {
        g = of_all, g.now = now;
        if (holds_sums) g.last = own_last;
        if (holds_planes) g.plane = own_plane;
    }
    BARRIER;
    THREADS(t)
    {
        gpu_words_copy(&own, of_all.now, sizeof own, t);
        if (holds_planes) gpu_words_copy(own_plane, of_all.plane, (size_t)g.shape.planes * sizeof *own_plane, t);
        for (int k = t; k < g.sums; k += GPU_THREADS) g.last[k] = ends ? 0.0 : of_all.last[k];
        for (int k = t; k < GPU_TURN_SUMS * GPU_COPIES / GPU_WARP; k += GPU_THREADS) part[k] = 0.0;
        if (t < GPU_PEAKS) peak[t] = 0;
    }
    BARRIER;
    THREADS(t)
    {
        const int numbers = ends ? g.sums * GPU_COPIES : 0;
        for (int from = t; from < numbers; from += GPU_TURN_ROUNDS * GPU_THREADS) { /* whole warps have one sum */
            double x[GPU_TURN_ROUNDS];
            for (int k = 0; k < GPU_TURN_ROUNDS; ++k) { /* all under way at once */
                const int at = from + k * GPU_THREADS;
                x[k] = at < numbers ? g.sum[at] : 0.0;
            }
            for (int k = 0; k < GPU_TURN_ROUNDS; ++k) {
                const int at = from + k * GPU_THREADS;
                if (at >= numbers) continue;
                g.sum[at] = 0.0;
                if (holds_sums) gpu_put_all(&part[at / GPU_WARP], x[k]);
                else gpu_add_all(&g.last[at / GPU_COPIES], x[k]);
            }
        }
        for (int at = t; at < GPU_PEAKS * GPU_COPIES && ends; at += GPU_THREADS) {
            const uint64_t x = g.peak[at];
            g.peak[at] = 0;
            gpu_raise_all(&peak[at / GPU_COPIES], x);
        }
        for (int n = t; ends && g.forced && n < now->forcing.loaded_count; n += GPU_THREADS) gpu_load_worked(&g, n);
        for (int row = t; ends && g.walls.count > 0 && row < g.walls.rows; row += GPU_THREADS)
            gpu_walls_sum(&g.walls, row);
    }
    BARRIER;
    THREADS(t)
    for (int k = t; ends && holds_sums && k < g.sums; k += GPU_THREADS)
        for (int n = 0; n < GPU_COPIES / GPU_WARP; ++n) g.last[k] += part[k * (GPU_COPIES / GPU_WARP) + n];
    BARRIER;
    THREADS(t)
    if (t == 0) {
        if (ends) {
            gpu_step_end(&g, peak);
            if (g.forced) gpu_forcing_end(&g);
            now->stop = gpu_stop_of(&g);
        }
        goes_on = now->stop == GPU_GOES_ON;
        if (goes_on && g.forced) bed_driven_begin(&now->forcing, g.shape.h);
    }
    BARRIER;
    THREADS(t)
    for (int n = t; goes_on && g.forced && n < now->forcing.loaded_count; n += GPU_THREADS) gpu_load_begin(&g, n);
    BARRIER;
    THREADS(t)
    if (t == 0 && goes_on) {
        if (now->refused < INT32_MAX) now->stop = GPU_REFUSED;
        else {
            if (g.forced) bed_planes_drive(&now->forcing, g.plane);
            bed_grid_make(&g.shape.most, g.shape.h, now->speed2, now->scale, g.shape.common[0], &now->grid);
            now->unit = ldexp(now->grid.force / 1.5, -52), now->per_unit = 1.0 / now->unit;
            now->modes = now->taken + 1 == now->wanted;
        }
    }
    BARRIER;
    THREADS(t)
    {
        gpu_words_copy(of_all.now, &own, sizeof own, t);
        if (holds_planes) gpu_words_copy(of_all.plane, own_plane, (size_t)g.shape.planes * sizeof *own_plane, t);
        for (int k = t; holds_sums && k < g.sums; k += GPU_THREADS) of_all.last[k] = own_last[k];
    }
}

#endif
