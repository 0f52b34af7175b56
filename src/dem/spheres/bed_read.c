/* bed_read.c: what a bed tells between steps, and what can be changed there. */
#include "base/memory.h"
#include "dem/spheres/bed_blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- motion ---------------------------------------------------------------------------------------------------------------- */

static int is_there(const bed *b, int place)
{
    return b->record[place].x[3] > 0.0;
}

void bed_read(const bed *b, bed_motion *to)
{
    for (int i = 0; i < b->count; ++i) {
        const bed_record *r = &b->record[i];
        size_t id = (size_t)b->id[i];
        if (!is_there(b, i)) continue;
        if (to->x) memcpy(to->x + 3 * id, r->x, 3 * sizeof(double));
        if (to->v) memcpy(to->v + 3 * id, r->v, 3 * sizeof(double));
        if (to->omega) memcpy(to->omega + 3 * id, r->omega, 3 * sizeof(double));
        if (to->q && b->q) memcpy(to->q + 4 * id, b->q[i], sizeof b->q[i]);
    }
}

scree_status bed_write(bed *b, const bed_motion *from, scree_error *error)
{
    for (int i = 0; i < b->count && from->x; ++i)
        for (int k = 0; k < 3; ++k)
            if (is_there(b, i) && !isfinite(from->x[3 * (size_t)b->id[i] + (size_t)k])) {
                scree_error_set(error, NULL, 0, 0, "the position of sphere %d is not a number", (int)b->id[i]);
                return SCREE_ERR_INPUT;
            }
    b->speed2 = 0.0;
    for (int i = 0; i < b->count; ++i) {
        bed_record *r = &b->record[i];
        size_t id = (size_t)b->id[i];
        if (from->x && is_there(b, i)) memcpy(r->x, from->x + 3 * id, 3 * sizeof(double));
        if (from->v && is_there(b, i)) memcpy(r->v, from->v + 3 * id, 3 * sizeof(double));
        if (from->omega && is_there(b, i)) memcpy(r->omega, from->omega + 3 * id, 3 * sizeof(double));
        if (from->q && b->q && is_there(b, i)) memcpy(b->q[i], from->q + 4 * id, sizeof b->q[i]);
        bed_put_inside(b, i);
        b->speed2 = max2(b->speed2, vec_dot(r->v, r->v));
    }
    b->scale = 0.0, b->lists_due = 1;
    return SCREE_OK;
}

/// Calls f for every lane in use, whether it touches or not.
static void each_lane(const bed *b, void (*f)(const bed *b, int block, int lane, int planes, void *context),
                      void *context)
{
    for (int c = 0; c < b->chunks; ++c)
        for (int g = 0; g < BED_GROUPS; ++g) {
            const bed_span *span = &b->chunk[c].group[g];
            for (int n = 0; n < span->count; ++n)
                f(b, span->first + n / BED_LANES, n % BED_LANES, g == BED_WALL, context);
        }
}

/* ---- spheres come and leave -------------------------------------------------------------------------------------------------- */

/// Where a sphere is put that comes between two searches: behind the last one, in the last chunk, if there is room. Its pairs go into the
/// lists as the search would put them. 0: there is no room, and lists are due.
static int quick_add(bed *b, int i)
{
    const bed_record *ri = &b->record[i];
    const int c = b->chunks - 1;
    if (c < 0 || b->lists_due || i / b->each != c) return 0;
    bed_chunk *own = &b->chunk[c];
    for (int p = 0; p < b->planes; ++p) {
        bed_span *walls = &own->group[BED_WALL];
        if (!bed_near_plane(b, i, p)) continue;
        if (walls->count == walls->room * BED_LANES) return 0;
        bed_lane_add(b->block, walls, i, p, bed_pair_index(b->material[i], b->plane[p].material) | bed_odd(b, i));
    }
    for (int j = 0; j < i; ++j) {
        bed_near pair = {i, j};
        double r2 = 0.0, far = ri->x[3] + b->record[j].x[3] + b->skin;
        for (int a = 0; a < 3; ++a) {
            double d = bed_nearest_image(b, a, ri->x[a] - b->record[j].x[a]);
            r2 += d * d;
        }
        if (!(far > 0.0) || r2 >= far * far || (!(ri->omega[3] > 0.0) && !(b->record[j].omega[3] > 0.0))) continue;
        const int apart = bed_nearness(b, &pair);
        if (apart == 0 && bed_contact_add(b, own, b->block, i, j)) continue;
        if (apart == 0 || own->near.count >= own->near.room - 1) return 0;
        own->near.count = bed_keep_near(own, b->near + own->near.first, own->near.count, pair, apart < 2);
    }
    return bed_announce_rows(b);
}

scree_status bed_add(bed *b, const bed_grain *g)
{
    const int i = b->count;
    if (!bed_room_for_spheres(b, i + 1) || !bed_room_for_number(b, g->id)) return SCREE_ERR_MEMORY;
    bed_take_grain(b, i, g);
    b->count += 1, b->grows = 1, b->scale = 0.0;
    b->speed2 = max2(b->speed2, vec_dot(g->v, g->v));
    b->largest_radius = max2(b->largest_radius, g->radius);
    bed_bounds_find(b);
    b->equal = b->equal && bed_same_size(b, g->radius, g->inverse_mass, g->inverse_inertia), b->sizes_due = 1;
    if (!quick_add(b, i)) b->lists_due = 1;
    if (b->pushed) memset(&b->given[i], 0, sizeof *b->given);
    b->rebuilds += 1; /* places are to be asked for again */
    return SCREE_OK;
}

/// Contacts of spheres that have left forget what they had.
static void forget_lane(const bed *b, int at, int l, int planes, void *context)
{
    bed_block *block = &((bed *)context)->block[at];
    const uint8_t others = (uint8_t) ~(1u << l);
    if (is_there(b, block->i[l]) && (planes || is_there(b, block->j[l]))) return;
    for (int k = 0; k < BED_MEMORY; ++k) block->memory[k][l] = 0.0;
    block->live &= others, block->south &= others, block->pushes &= others;
    for (int k = 0; k < DEM_SPRINGS; ++k) block->kinetic[k] &= others;
}

int bed_remove(bed *b, int count, const int *id)
{
    int left = 0;
    for (int n = 0; n < count; ++n) {
        const int place = bed_place_of(b, id[n]);
        if (place < 0) continue;
        bed_record *r = &b->record[place];
        b->place[id[n]] = -1, left += 1;
        r->x[3] = -1e6 * b->largest_radius; /* nothing is near a sphere of such a radius */
        for (int k = 0; k < 3; ++k) r->v[k] = r->omega[k] = 0.0;
        r->v[3] = r->omega[3] = 0.0;
    }
    if (left == 0) return 0;
    each_lane(b, forget_lane, b);
    b->equal = 0, b->sizes_due = 1;
    bed_bounds_find(b), bed_speed_find(b);
    return left;
}

void bed_kick_half(bed *b)
{
    b->half = 1;
}

void bed_set_gravity(bed *b, const double gravity[3])
{
    memcpy(b->gravity, gravity, sizeof b->gravity);
}

/* ---- places and loads ---------------------------------------------------------------------------------------------------- */

int64_t bed_rebuilds(const bed *b)
{
    return b->rebuilds;
}

double bed_travel(const bed *b)
{
    return b->travel;
}

double bed_skin(const bed *b)
{
    return b->skin;
}

int bed_place_of(bed *b, int id)
{
    if (b->placed != b->rebuilds) {
        for (int k = 0; k < b->place_room; ++k) b->place[k] = -1;
        for (int i = 0; i < b->count; ++i)
            if (is_there(b, i)) b->place[b->id[i]] = i;
        b->placed = b->rebuilds;
    }
    return id >= 0 && id < b->place_room ? b->place[id] : -1;
}

void bed_look_at(bed *b, int id, double x[3], double v[3], double omega[3], double q[4])
{
    const int place = bed_place_of(b, id);
    SCREE_ASSERT(place >= 0);
    const bed_record *r = &b->record[place];
    memcpy(x, r->x, 3 * sizeof(double)), memcpy(v, r->v, 3 * sizeof(double));
    memcpy(omega, r->omega, 3 * sizeof(double));
    if (q && b->q) memcpy(q, b->q[place], sizeof b->q[place]);
}

scree_status bed_push_ready(bed *b)
{
    if (!b->given) b->given = memory_array(&b->allocator, (size_t)b->sphere_room + 1, sizeof *b->given);
    return b->given ? SCREE_OK : SCREE_ERR_MEMORY;
}

scree_status bed_push(bed *b, int id, const double force[3], const double torque[3])
{
    const int place = bed_place_of(b, id);
    SCREE_ASSERT(place >= 0);
    if (bed_push_ready(b) != SCREE_OK) return SCREE_ERR_MEMORY;
    bed_load *load = &b->given[place];
    for (int k = 0; k < 3; ++k) load->force[k] += force[k], load->torque[k] += torque[k];
    b->pushed = 1;
    return SCREE_OK;
}

void bed_drop_pushes(bed *b)
{
    if (b->pushed) memset(b->given, 0, (size_t)b->count * sizeof *b->given);
    b->pushed = 0;
}

void bed_plane_load(const bed *b, int plane, double force[3], double torque[3])
{
    double fine[6] = {0.0};
    for (int k = 0; k < 3; ++k) force[k] = torque[k] = 0.0;
    for (int c = 0; c < b->chunks; ++c) {
        const bed_load *load = &b->plane_load[2 * (c * b->planes + plane)];
        for (int k = 0; k < 3; ++k) {
            force[k] += load[0].force[k], torque[k] += load[0].torque[k];
            fine[k] += load[1].force[k], fine[3 + k] += load[1].torque[k];
        }
    }
    for (int k = 0; k < 3; ++k) force[k] += fine[k], torque[k] += fine[3 + k];
}

/* ---- contacts ---------------------------------------------------------------------------------------------------------------- */

double bed_geometry(const bed *b, const bed_block *block, int lane, int planes, double n[3])
{
    const bed_record *i = &b->record[block->i[lane]];
    double d[3];
    if (planes) {
        const bed_plane_now *p = &b->plane[block->j[lane]];
        vec_sub(i->x, p->point, d);
        memcpy(n, p->n, 3 * sizeof(double));
        return i->x[3] - vec_dot(n, d);
    }
    const bed_record *j = &b->record[block->j[lane]];
    for (int k = 0; k < 3; ++k) d[k] = bed_nearest_image(b, k, i->x[k] - j->x[k]);
    double r = vec_norm(d);
    for (int k = 0; k < 3; ++k) n[k] = d[k] / r;
    return i->x[3] + j->x[3] - r;
}

static double square_sum(const double *x, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; ++k) sum += x[k] * x[k];
    return sum;
}

/// What a contact holds: of its overlap as it is now, of the springs as its block has them.
static void contact_energy(const bed *b, const bed_block *block, int l, int planes, double held[4])
{
    const bed_record *ri = &b->record[block->i[l]], *rj = &b->record[planes ? 0 : block->j[l]];
    double n[3], memory[BED_MEMORY], own[BED_CONSTANTS][BED_LANES], delta = bed_geometry(b, block, l, planes, n);
    double i[3] = {ri->x[3], ri->omega[3], ri->v[3]}, j[3] = {0.0, 0.0, 0.0};
    const double(*c)[BED_LANES] = (const double(*)[BED_LANES])own;
    for (int k = 0; k < 4; ++k) held[k] = 0.0;
    if (!(delta > 0.0)) return;
    if (!planes) j[0] = rj->x[3], j[1] = rj->omega[3], j[2] = rj->v[3];
    const int pair = block->pair[l] & ~BED_ODD;
    if (pair == block->pair[l]) c = (const double(*)[BED_LANES])(planes ? b->wall_constant : b->constant)[pair];
    else b->kernel->constants(b->law, &b->prepared[pair], i, j, own);
    double k = c[C_STIFFNESS][0];
    held[0] = b->hertz ? 0.4 * k * delta * delta * sqrt(delta) : 0.5 * k * delta * delta;
    if (!(block->live >> l & 1)) return;
    for (int m = 0; m < BED_MEMORY; ++m) memory[m] = block->memory[m][l];
    if (b->law == BED_SDS) {
        held[1] = 0.5 * c[C_SLIDE][0] * square_sum(memory, 3);
        held[2] = 0.5 * c[C_ROLL][0] * square_sum(memory + 3, 3);
        held[3] = 0.5 * c[C_TWIST][0] * square_sum(memory + 6, 1);
        return;
    }
    double spin = c[T_SPIN][0];
    if (c[T_HERTZ][0] > 0.0) spin = c[T_A][0] + c[T_B][0] * c[T_RADIUS][0] * delta;
    held[1] = 0.5 * c[T_SLIDE][0] * square_sum(memory, 2);
    held[2] = 0.5 * c[T_ROLL][0] * square_sum(memory + 2, 4);
    held[3] = 0.5 * spin * square_sum(memory + 6, 1);
}

static void deepest_lane(const bed *b, int block, int lane, int planes, void *context)
{
    double n[3], *deepest = context;
    *deepest = max2(*deepest, bed_geometry(b, &b->block[block], lane, planes, n));
}

double bed_deepest_overlap(const bed *b)
{
    double deepest = 0.0;
    each_lane(b, deepest_lane, &deepest);
    return deepest;
}

/// Whatever has to be there for a look at loads: lists, and copies of the blocks' memories, which the look moves.
static scree_status peek_begin(bed *b, int keep, size_t *blocks)
{
    scree_status status = bed_prepare(b);
    if (status != SCREE_OK) return status;
    *blocks = 0;
    for (int c = 0; c < b->chunks; ++c)
        for (int g = 0; g < BED_GROUPS; ++g) {
            const bed_span *span = &b->chunk[c].group[g];
            size_t end = (size_t)span->first + (size_t)bed_blocks(span->count);
            *blocks = end > *blocks ? end : *blocks;
        }
    if (!bed_grow(b, sizeof *b->spare, *blocks + 1, (void **)&b->spare, &b->spare_room) ||
        !bed_grow(b, sizeof *b->load, (size_t)b->count + 1, (void **)&b->load, &b->load_room) ||
        (keep && !bed_grow(b, sizeof *b->kept, *blocks + *blocks / 8 + 1, (void **)&b->kept, &b->kept_room)))
        return SCREE_ERR_MEMORY;
    memcpy(b->spare, b->block, *blocks * sizeof *b->block);
    memset(&b->grid, 0, sizeof b->grid); /* loads as the laws give them: nothing hangs on the order of these sums */
    return SCREE_OK;
}

static void peek_end(bed *b, size_t blocks)
{
    memcpy(b->block, b->spare, blocks * sizeof *b->block);
}

scree_status bed_loads(bed *b, double moved, double *force, double *torque)
{
    size_t blocks;
    scree_status status = peek_begin(b, 0, &blocks);
    if (status != SCREE_OK) return status;
    bed_contacts_peek(b, moved, 0);
    for (int i = 0; i < b->count; ++i) {
        size_t at = 3 * (size_t)b->id[i];
        if (!is_there(b, i)) continue;
        if (force) memcpy(force + at, b->load[i].force, 3 * sizeof(double));
        if (torque) memcpy(torque + at, b->load[i].torque, 3 * sizeof(double));
    }
    if (moved > 0.0) peek_end(b, blocks);
    return SCREE_OK;
}

typedef struct listing {
    bed_contact *next, *end;
    int count;
} listing;

/// A contact that touches: the blocks are as after the look, the spare ones as before it.
static void list_contact(const bed *b, int at, int l, int planes, void *context)
{
    listing *to = context;
    const bed_block *now = &b->block[at], *before = &b->spare[at];
    const bed_kept *kept = &b->kept[at];
    if (!((now->live | before->live) >> l & 1)) return;
    to->count += 1;
    if (to->next == to->end) return;
    bed_contact *c = to->next++;
    memset(c, 0, sizeof *c);
    c->i = b->id[now->i[l]], c->j = planes ? -1 - now->j[l] : b->id[now->j[l]];
    c->delta = bed_geometry(b, now, l, planes, c->n);
    c->live = before->live >> l & 1, c->touches = now->live >> l & 1;
    for (int k = 0; k < BED_MEMORY && c->live; ++k) c->memory[k] = before->memory[k][l];
    for (int k = 0; k < DEM_SPRINGS; ++k) {
        c->kinetic[k] = c->live && before->kinetic[k] >> l & 1;
        c->slides[k] = now->kinetic[k] >> l & 1;
    }
    c->south = c->live && before->south >> l & 1;
    double held[4];
    contact_energy(b, before, l, planes, held);
    c->energy[0] = held[0], c->energy[1] = held[1] + held[2] + held[3];
    for (int k = 0; k < 3; ++k) {
        c->force[k] = kept->force[k][l];
        c->torque_i[k] = kept->torque_i[k][l], c->torque_j[k] = kept->torque_j[k][l];
    }
}

/// Planes in their order, then spheres.
static int64_t partner_key(int j)
{
    return j < 0 ? -1 - (int64_t)j : INT64_C(1) << 32 | j;
}

static int by_number(const void *left, const void *right)
{
    const bed_contact *a = left, *b = right;
    int64_t j = partner_key(a->j), k = partner_key(b->j);
    if (a->i != b->i) return a->i < b->i ? -1 : 1;
    return j < k ? -1 : j > k;
}

scree_status bed_contacts(bed *b, int room, bed_contact *out, int *count)
{
    listing list = {out, out + room, 0};
    size_t blocks;
    scree_status status = peek_begin(b, 1, &blocks);
    if (status != SCREE_OK) return status;
    bed_contacts_peek(b, b->h, 1);
    each_lane(b, list_contact, &list);
    peek_end(b, blocks);
    if (list.next > out) qsort(out, (size_t)(list.next - out), sizeof *out, by_number);
    *count = list.count;
    return SCREE_OK;
}

typedef struct recalling {
    bed *b;
    int contacts;
    const bed_contact *contact;
} recalling;

static void recall(const bed *b, int at, int l, int planes, void *context)
{
    const recalling *from = context;
    bed_block *block = &from->b->block[at];
    bed_contact key = {.i = b->id[block->i[l]], .j = planes ? -1 - block->j[l] : b->id[block->j[l]]};
    const bed_contact *c = bsearch(&key, from->contact, (size_t)from->contacts, sizeof key, by_number);
    if (!c || !c->live) return;
    const uint8_t bit = (uint8_t)(1u << l);
    for (int k = 0; k < BED_MEMORY; ++k) block->memory[k][l] = c->memory[k];
    block->live |= bit;
    block->south = (uint8_t)((block->south & ~bit) | (c->south ? bit : 0));
    for (int k = 0; k < DEM_SPRINGS; ++k)
        block->kinetic[k] = (uint8_t)((block->kinetic[k] & ~bit) | (c->kinetic[k] ? bit : 0));
}

void bed_recall(bed *b, int contacts, bed_contact *contact)
{
    recalling from = {b, contacts, contact};
    if (contacts == 0) return;
    qsort(contact, (size_t)contacts, sizeof *contact, by_number);
    each_lane(b, recall, &from);
}

static void survey_lane(const bed *b, int at, int l, int planes, void *context)
{
    bed_survey *s = context;
    const bed_block *block = &b->block[at];
    (void)planes;
    if (!(block->live >> l & 1)) return;
    const int slides = block->kinetic[DEM_SLIDE] >> l & 1,
              rolls = (block->kinetic[DEM_ROLL_I] | block->kinetic[DEM_ROLL_J]) >> l & 1,
              spins = block->kinetic[DEM_SPIN] >> l & 1;
    s->touching += 1;
    if (!(block->pushes >> l & 1)) return;
    s->pushing += 1, s->modes[slides][rolls][spins ? (block->memory[6][l] < 0.0 ? 1 : 2) : 0] += 1;
}

bed_survey bed_look_over(const bed *b)
{
    bed_survey s = {.touching = 0};
    each_lane(b, survey_lane, &s);
    return s;
}

bed_counts bed_count(const bed *b)
{
    bed_counts out = {.steps = b->steps, .rebuilds = b->rebuilds, .instructions = b->kernel->name};
    for (int c = 0; c < b->chunks; ++c) {
        const bed_chunk *own = &b->chunk[c];
        out.listed += own->near.count;
        for (int g = 0; g < BED_GROUPS; ++g) {
            const bed_span *span = &own->group[g];
            out.listed += span->count;
            for (int n = 0; n < bed_blocks(span->count); ++n)
                for (unsigned bits = b->block[span->first + n].live; bits; bits &= bits - 1u) out.touching += 1;
        }
    }
    return out;
}

/* ---- energies ------------------------------------------------------------------------------------------------------------------ */

bed_totals bed_get_totals(const bed *b)
{
    return b->totals;
}

void bed_set_totals(bed *b, const bed_totals *totals)
{
    b->totals = *totals;
}

double bed_get_scale(const bed *b)
{
    return b->scale;
}

void bed_set_scale(bed *b, double scale)
{
    b->scale = scale;
}

/// A sum that does not depend on the order of its terms: their largest first, then the terms as a coarse and a fine part (bed_grid).
typedef struct exact_sum {
    double most, magic[2], part[2];
} exact_sum;

static void sum_term(exact_sum *s, int adds, double x)
{
    if (!adds) s->most = max2(s->most, fabs(x));
    else {
        const double first = (x + s->magic[0]) - s->magic[0], second = x - first;
        s->part[0] += first, s->part[1] += (second + s->magic[1]) - s->magic[1];
    }
}

/// Up to 2^26 terms; the fine part has a spacing of 2^-52 of the largest one.
static void sum_ready(exact_sum *s)
{
    int e;
    (void)frexp(max2(s->most, 1e-250), &e);
    s->magic[0] = ldexp(1.5, e + 26), s->magic[1] = ldexp(1.5, e);
}

static double sum_value(const exact_sum *s)
{
    return s->part[0] + s->part[1];
}

double bed_speed(const bed *b)
{
    return sqrt(b->speed2);
}

double bed_deepest(const bed *b)
{
    return b->deepest;
}

double bed_list_seconds(const bed *b)
{
    return b->list_seconds;
}

int64_t bed_count_steps(const bed *b)
{
    return b->steps;
}

typedef struct energy_sums {
    exact_sum kinetic, potential, elastic[4];
    int adds;
} energy_sums;

static void add_elastic(const bed *b, int at, int l, int planes, void *context)
{
    energy_sums *e = context;
    double held[4];
    contact_energy(b, &b->block[at], l, planes, held);
    for (int k = 0; k < 4; ++k) sum_term(&e->elastic[k], e->adds, held[k]);
}

bed_energy bed_energies(const bed *b)
{
    energy_sums s = {.adds = 0};
    for (s.adds = 0; s.adds < 2; ++s.adds) {
        for (int i = 0; i < b->count; ++i) {
            const bed_record *r = &b->record[i];
            if (!(r->omega[3] > 0.0)) continue;
            sum_term(&s.kinetic, s.adds,
                     0.5 * vec_dot(r->v, r->v) / r->omega[3] + 0.5 * vec_dot(r->omega, r->omega) / r->v[3]);
            sum_term(&s.potential, s.adds, -vec_dot(r->x, b->gravity) / r->omega[3]);
        }
        each_lane(b, add_elastic, &s);
        sum_ready(&s.kinetic), sum_ready(&s.potential);
        for (int k = 0; k < 4; ++k) sum_ready(&s.elastic[k]);
    }
    bed_energy e = {.kinetic = sum_value(&s.kinetic), .potential = sum_value(&s.potential)};
    for (int k = 0; k < 4; ++k) e.elastic[k] = sum_value(&s.elastic[k]);
    for (int k = 0; k < 3; ++k) e.came_round += b->totals.wrapped[k] * b->box[k] * b->gravity[k];
    return e;
}
