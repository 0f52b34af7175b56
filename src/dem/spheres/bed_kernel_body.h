/* bed_kernel_body.h: a bed's blocks of contacts through their law (bed_kernel_contact.h), BED_WIDTH contacts at once, and the motion of its
 * spheres. Included by one file per instruction set, which names the table it makes, BED_KERNEL. */
#include "dem/spheres/bed_kernel_contact.h"
#include "dem/spheres/bed_turn.h"

/* ---- fetching ahead ------------------------------------------------------------------------------------------------------- */

/// How far ahead a thread fetches into its nearest cache, in blocks: those of which memory, spheres and rows are asked for, and those of
/// which it must first be known what they need.
enum { BED_SOON = 2, BED_LATER = 6 };

BED_INLINE void fetch_row(const bed_row *row)
{
    __builtin_prefetch(row->force), __builtin_prefetch(row->torque_j);
}

/// Which contacts touched, of a block that another thread may be at work on: it says what to fetch, no more.
BED_INLINE unsigned live_seen(const bed_block *b)
{
    return __atomic_load_n(&b->live, __ATOMIC_RELAXED);
}

/// Spheres j of a block: positions, and velocities if one touches. Spheres i come in their order: the machine fetches them by itself.
BED_INLINE void fetch_spheres(const bed_run *run, const bed_block *b, unsigned live)
{
    for (int l = 0; l < BED_LANES; ++l) {
        const char *j = (const char *)&run->record[b->j[l]];
        __builtin_prefetch(j);
        if (live) __builtin_prefetch(j + BED_LINE);
    }
}

/// What of a block is read in any case: all but the memory.
BED_INLINE void fetch_head(const bed_block *b)
{
    __builtin_prefetch(b->i), __builtin_prefetch((const char *)b->i + BED_LINE);
}

BED_INLINE void fetch_memory(const bed_block *b)
{
    for (int k = 0; k < BED_MEMORY; ++k) __builtin_prefetch(b->memory[k]);
}

/// The block that comes `k` after the first, of this group or of the next chunk's; NULL: there is none.
BED_INLINE const bed_block *block_at(const bed_run *run, int k)
{
    if (k < run->blocks) return run->block + k;
    return k - run->blocks < run->next_blocks ? run->next_block + (k - run->blocks) : NULL;
}

/// Rows that block `k` after the first will write: stores wait for their lines, too, most of all for those that another thread has read.
BED_INLINE void fetch_rows(const bed_run *run, int k)
{
    if (!run->row || k >= run->blocks + run->next_blocks) return;
    const bed_row *row = k < run->blocks ? run->row + k * BED_LANES : run->next_row + (k - run->blocks) * BED_LANES;
    for (size_t at = 0; at < BED_LANES * sizeof *row; at += BED_LINE) __builtin_prefetch((const char *)row + at, 1);
}

/// What comes after block `k`.
BED_INLINE void fetch_soon(const bed_run *run, int k)
{
    const bed_block *soon = block_at(run, k + BED_SOON), *later = block_at(run, k + BED_LATER);
    if (later) fetch_head(later);
    if (!soon) return;
    const unsigned live = live_seen(soon);
    fetch_spheres(run, soon, live);
    if (live) fetch_memory(soon), fetch_rows(run, k + BED_SOON);
}

BED_INLINE int row_lives(const uint8_t *live, int row)
{
    return live[row / BED_LANES] >> row % BED_LANES & 1;
}

/// What is due of the rows. Not inlined: it is called rarely.
static __attribute__((noinline)) void fetch_incoming(bed_ahead *a)
{
    for (; a->due > 0 && a->incoming < a->incoming_end; ++a->incoming)
        if (row_lives(a->row_live, a->incoming->row)) fetch_row(&a->row[a->incoming->row]), a->due -= 2 * BED_PACE;
}

/// What is due after so much time more.
BED_INLINE void fetch_due(bed_ahead *a, int time)
{
    a->due += a->pace * time;
    for (; a->due > 0 && a->record < a->record_end; a->record += BED_LINE, a->due -= BED_PACE)
        if (a->own) __builtin_prefetch(a->record, 1);
        else __builtin_prefetch(a->record, 0, 2);
    if (a->due > 0 && a->incoming < a->incoming_end) fetch_incoming(a);
    if (a->due > 0) a->due = 0; /* nothing is left */
}

/// A number as a coarse and a fine part.
BED_INLINE void plane_add(double x, double magic, double *coarse, double *fine)
{
    const double first = (x + magic) - magic;
    *coarse += first, *fine += x - first;
}

/// Loads of contacts with planes: few, so one at a time.
static void add_plane_loads(const bed_kept *f, const bed_block *b, const bed_run *run)
{
    for (int l = 0; l < BED_LANES; ++l) {
        if (!(b->live >> l & 1)) continue;
        bed_load *to = &run->load[b->i[l] - run->first], *plane = &run->plane_load[2 * b->j[l]];
        for (int k = 0; k < 3; ++k) {
            to->force[k] += f->force[k][l], to->torque[k] += f->torque_i[k][l];
            plane_add(-f->force[k][l], run->grid->plane_force, &plane[0].force[k], &plane[1].force[k]);
            plane_add(f->torque_j[k][l], run->grid->plane_torque, &plane[0].torque[k], &plane[1].torque[k]);
        }
    }
}

/// Blocks whose first halves are done before their second ones.
enum { BED_BATCH = 4, BED_PARTS = BED_LANES / BED_WIDTH };

/// Loads of a part, both halves; 0: there are none.
BED_INLINE int part_whole(const bed_run *run, bed_block *b, int part, bed_law law, int planes, int what, load_lanes *f)
{
    BED_ALIGNED double own[BED_CONSTANTS][BED_LANES];
    touch_lanes s;
    contact_lanes m;
    if (!first_half(run, b, part, law, planes, what, own, &s, &m)) return 0;
    second_half(run, b, part, law, planes, what, &s, &m, f);
    return 1;
}

/// The same of one whose first half is done.
BED_INLINE int part_answer(const bed_run *run, bed_block *b, int part, bed_law law, int planes, int what,
                           const contact_lanes *m, load_lanes *f)
{
    if (m->seen) second_half(run, b, part, law, planes, what, NULL, m, f);
    return m->seen;
}

/// Loads of a part of block `k` to where they act; those at planes wait in `at_planes` for the whole block.
BED_INLINE void loads_go(const bed_run *run, int k, int part, int planes, const load_lanes *f, bed_kept *at_planes)
{
    const bed_block *b = &run->block[k];
    if (run->kept) load_put(&run->kept[k], part, f);
    if (planes) load_put(at_planes, part, f);
    else if (run->row) rows_put(f, run->row + (size_t)k * BED_LANES + part);
    else loads_add(f, b->i + part, b->j + part, run->load - run->first);
}

/// 1: the block is live. `seen`: the first halves of its parts; NULL: both halves of a part follow each other.
BED_INLINE int block_answer(const bed_run *run, int k, bed_law law, int planes, int what, const contact_lanes *seen)
{
    BED_ALIGNED bed_kept at_planes;
    const lanes zero = all(0.0);
    const load_lanes none = {{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}, zero, zero};
    bed_block *b = &run->block[k];
    int answers[BED_PARTS], touched = 0;
    for (int at = 0, part = 0; at < BED_PARTS; ++at, part += BED_WIDTH) {
        load_lanes f;
        answers[at] = seen ? part_answer(run, b, part, law, planes, what, &seen[at], &f)
                           : part_whole(run, b, part, law, planes, what, &f);
        if (!answers[at]) continue;
        touched = 1;
        put(run->peak[0], larger(get(run->peak[0]), size_of(f.N))); /* in memory: registers are worth more */
        put(run->peak[1], larger(get(run->peak[1]), f.delta));
        loads_go(run, k, part, planes, &f, &at_planes);
    }
    for (int at = 0; at < BED_PARTS && (run->kept || (touched && run->row)); ++at) { /* who reads them reads all */
        if (answers[at]) continue;
        if (run->kept) load_put(&run->kept[k], at * BED_WIDTH, &none);
        if (run->row) rows_put(&none, run->row + (size_t)k * BED_LANES + at * BED_WIDTH);
    }
    if (planes && touched) add_plane_loads(&at_planes, b, run);
    if (run->ahead) fetch_due(run->ahead, touched ? BED_TIME_LIVE : BED_TIME_DEAD);
    if (run->row) run->row_live[k] = b->live;
    return touched;
}

BED_INLINE int blocks(const bed_run *run, bed_law law, int planes, int what)
{
    int live = 0;
    if (law == BED_SDS) {
        for (int k = 0; k < run->blocks; ++k) {
            if (run->fetch) fetch_soon(run, k);
            live += block_answer(run, k, law, planes, what, NULL);
        }
    } else {
        BED_ALIGNED contact_lanes seen[BED_BATCH][BED_PARTS];
        BED_ALIGNED double own[BED_BATCH][BED_PARTS][BED_CONSTANTS][BED_LANES];
        for (int from = 0; from < run->blocks; from += BED_BATCH) {
            const int count = run->blocks - from < BED_BATCH ? run->blocks - from : BED_BATCH;
            for (int k = 0; k < count; ++k) {
                if (run->fetch) fetch_soon(run, from + k);
                for (int part = 0; part < BED_PARTS; ++part) {
                    touch_lanes s;
                    seen[k][part].seen = first_half(run, &run->block[from + k], part * BED_WIDTH, law, planes, what,
                                                    own[k][part], &s, &seen[k][part]);
                }
            }
            for (int k = 0; k < count; ++k) live += block_answer(run, from + k, law, planes, what, seen[k]);
        }
    }
    return live;
}

/* Contacts of spheres have kernels with and without the ledger. Those with planes are few, and so are beds whose stiffnesses change: one
 * kernel asks. */

static int sds_spheres(const bed_run *run)
{
    if (run->stiffens) return blocks(run, BED_SDS, 0, run->loss ? BED_LEDGER : 0);
    return run->loss ? blocks(run, BED_SDS, 0, BED_LEDGER | BED_CONSTANT) : blocks(run, BED_SDS, 0, BED_CONSTANT);
}

static int sds_planes(const bed_run *run)
{
    return blocks(run, BED_SDS, 1, run->loss ? BED_LEDGER : 0);
}

static int tracked_spheres(const bed_run *run)
{
    if (run->stiffens) return blocks(run, BED_TRACKED, 0, run->loss ? BED_LEDGER : 0);
    return run->loss ? blocks(run, BED_TRACKED, 0, BED_LEDGER | BED_CONSTANT)
                     : blocks(run, BED_TRACKED, 0, BED_CONSTANT);
}

static int tracked_planes(const bed_run *run)
{
    return blocks(run, BED_TRACKED, 1, run->loss ? BED_LEDGER : 0);
}

/* ---- motion ----------------------------------------------------------------------------------------------------------------------- */

/// Four doubles, in every instruction set: one vector, or two. Passed by pointer: there is no common way to pass them in registers.
typedef double four __attribute__((vector_size(32)));
typedef long long four_mask __attribute__((vector_size(32)));

/// The same where it lies in an array of doubles.
typedef double four_memory __attribute__((vector_size(32), aligned(8), may_alias));

BED_INLINE void four_get(const double *p, four *a)
{
    *a = *(const four_memory *)p;
}

BED_INLINE void four_put(double *p, const four *a)
{
    *(four_memory *)p = *a;
}

/// Squares of four velocities, (v0^2 + v1^2) + v2^2, each in its lane: where larger, into `fastest`.
BED_INLINE void keep_fastest(const four v[4], four *fastest)
{
    const four a = v[0] * v[0], b = v[1] * v[1], c = v[2] * v[2], d = v[3] * v[3];
    four ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    four sum = __builtin_shufflevector(ab, cd, 0, 1, 4, 5), third = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    ab = __builtin_shufflevector(a, b, 1, 5, 3, 7), cd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    sum += __builtin_shufflevector(ab, cd, 0, 1, 4, 5), sum += third;
    four_mask more = (four_mask)(sum > *fastest);
    *fastest = (four)((more & (four_mask)sum) | (~more & (four_mask)*fastest));
}

/// Adds a row to the load of a sphere; `sign` of the force.
BED_INLINE void add_row(const double *row_force, const double *row_torque, double sign, bed_load *to)
{
    four force, torque, f, t;
    four_get(to->force, &force), four_get(to->torque, &torque);
    four_get(row_force, &f), four_get(row_torque, &t);
    force += sign * f, torque += t;
    four_put(to->force, &force), four_put(to->torque, &torque);
}

/// Loads of contacts across chunks on the spheres of a chunk: first those whose sphere i it has, then those whose j.
static void add_rows(const bed_rows *r)
{
    const bed_row *own = r->own, *row = r->row;
    const bed_incoming *in = r->incoming;
    const int contacts = r->contacts, incoming = r->incoming_count, first = r->first;
    bed_load *load = r->load;
    const uint8_t *live = r->row_live + (own - row) / BED_LANES;
    for (int k = 0; k < contacts; k += BED_LANES) {
        const bed_block *b = &r->block[k / BED_LANES];
        const int end = contacts - k < BED_LANES ? contacts - k : BED_LANES;
        for (int l = 0; l < end && live[k / BED_LANES]; ++l)
            add_row(own[k + l].force, own[k + l].torque_i, 1.0, &load[b->i[l] - first]);
    }
    for (int k = 0; k < incoming; ++k) {
        if (!row_lives(r->row_live, in[k].row)) continue;
        add_row(row[in[k].row].force, row[in[k].row].torque_j, -1.0, &load[in[k].sphere - first]);
    }
}

/// q <- unit of (1, b) q with b = tan(h |omega|/2) omega/|omega|: the rotation by h omega. `half` is h/2 omega.
BED_INLINE void turn_quaternion(const four *half, double *q)
{
    four a, t2 = *half * *half, scaled, *b = &scaled;
    const double t = (t2[0] + t2[1]) + t2[2];
    scaled = *half * (1.0 + t * (DEM_TAN_1 + t * (DEM_TAN_2 + t * DEM_TAN_3)));
    four_get(q, &a);
    const four x = {-1.0, 1.0, -1.0, 1.0}, y = {-1.0, 1.0, 1.0, -1.0}, z = {-1.0, -1.0, 1.0, 1.0};
    a += (*b)[0] * x * __builtin_shufflevector(a, a, 1, 0, 3, 2) +
         (*b)[1] * y * __builtin_shufflevector(a, a, 2, 3, 0, 1) +
         (*b)[2] * z * __builtin_shufflevector(a, a, 3, 2, 1, 0);
    four a2 = a * a;
    a *= 1.0 / sqrt((a2[0] + a2[1]) + (a2[2] + a2[3]));
    four_put(q, &a);
}

/// Not inlined: it is rare.
static __attribute__((noinline)) void wrap_sphere(const bed_borders *p, bed_record *r, double wrapped[3])
{
    bed_wrap(p, r, wrapped);
}

/// What all spheres of a drift share.
typedef struct drifting {
    four g, moves, zero; /* moves: h, h, h, 0 */
    four low, high;      /* of periodic axes; the radius is never outside */
    const bed_borders *borders;
    double *wrapped, kick;
    double h;
    const bed_load *given;
    double (*q)[4];
} drifting;

/// v += h (F/m + g), omega += h T/I, x += h v, q; loads become 0. The fourth entries (radius, inverse mass, inverse inertia) stay. Adds the
/// squares of v and omega, entry by entry, and gives v. `out`: axes along which it has left the periodic box are added.
BED_INLINE void move_sphere(const drifting *c, int i, bed_load *load, bed_record *r, four *all, four *velocity,
                            four_mask *out)
{
    four force, torque, x, v, w;
    four_get(load->force, &force), four_get(load->torque, &torque);
    four_put(load->force, &c->zero), four_put(load->torque, &c->zero);
    four_get(r->x, &x), four_get(r->v, &v), four_get(r->omega, &w);
    if (c->given) {
        four more[2];
        four_get(c->given[i].force, &more[0]), four_get(c->given[i].torque, &more[1]);
        force += more[0], torque += more[1];
    }
    const double mass = c->kick * w[3], inertia = c->kick * v[3];
    v += force * mass + (mass > 0.0 ? c->g : c->zero);
    w += torque * inertia, x += c->moves * v;
    four_put(r->v, &v), four_put(r->omega, &w), four_put(r->x, &x);
    *out |= (four_mask)(x < c->low) | (four_mask)(x >= c->high);
    *all += v * v + w * w, *velocity = v;
    if (!c->q) return;
    w *= 0.5 * c->h;
    turn_quaternion(&w, c->q[i]);
}

/// A sphere whose numbers are not finite, -1: none.
static int bad_sphere(const bed_drift *d)
{
    for (int i = d->begin; i < d->end; ++i) {
        const double *v = d->record[i].v, *w = d->record[i].omega;
        if (!(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) < 1e30)) return i;
    }
    return -1;
}

/// Four spheres at a time, so that squares of speeds are sums of vectors.
static void drift(bed_drift *d)
{
    const double h = d->h;
    drifting c = {.moves = {h, h, h, 0.0}, .h = h, .given = d->given, .q = d->q};
    for (int k = 0; k < 3; ++k) d->wrapped[k] = 0.0;
    c.borders = d->borders, c.wrapped = d->wrapped, c.kick = d->kick;
    four_get(d->borders->low, &c.low), four_get(d->borders->high, &c.high);
    c.g = (four){d->kick * d->gravity[0], d->kick * d->gravity[1], d->kick * d->gravity[2], 0.0};
    four all = c.zero, fastest = c.zero, v[4] = {c.zero, c.zero, c.zero, c.zero};
    bed_record *r = d->record + d->begin;
    bed_load *load = d->load;
    int i = d->begin;
    for (; i + 4 <= d->end; i += 4, r += 4, load += 4) {
        four_mask out = {0};
        move_sphere(&c, i, load, r, &all, &v[0], &out), move_sphere(&c, i + 1, load + 1, r + 1, &all, &v[1], &out);
        move_sphere(&c, i + 2, load + 2, r + 2, &all, &v[2], &out);
        move_sphere(&c, i + 3, load + 3, r + 3, &all, &v[3], &out);
        if (out[0] | out[1] | out[2])
            for (int k = 0; k < 4; ++k) wrap_sphere(c.borders, r + k, c.wrapped);
        keep_fastest(v, &fastest);
        if (d->ahead) fetch_due(d->ahead, 4);
    }
    for (; i < d->end; ++i, ++r, ++load) {
        four_mask out = {0};
        move_sphere(&c, i, load, r, &all, &v[0], &out);
        if (out[0] | out[1] | out[2]) wrap_sphere(c.borders, r, c.wrapped);
        keep_fastest(v, &fastest); /* the other three were kept before */
    }
    d->speed2 = 0.0;
    for (int k = 0; k < 4; ++k) d->speed2 = fastest[k] > d->speed2 ? fastest[k] : d->speed2;
    d->bad = all[0] + all[1] + all[2] < 1e30 ? -1 : bad_sphere(d);
}

const bed_kernel BED_KERNEL = {
    BED_NAME, {{sds_spheres, sds_planes}, {tracked_spheres, tracked_planes}}, add_rows, drift, equal_constants};
