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

void bed_each_lane(const bed *b, bed_lane_visit *f, void *context)
{
    for (int c = 0; c < b->chunks; ++c)
        for (int g = 0; g < BED_GROUPS; ++g)
            for (int n = 0; n < b->chunk[c].group[g].count; ++n)
                f(b, bed_group_blocks(b, c, g) + n / BED_LANES, n % BED_LANES, g == BED_WALL, context);
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
        bed_lane_add(b->store[c].block, walls, i, p,
                     bed_pair_index(b->material[i], b->plane[p].material) | bed_odd(b, i));
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
        if (apart == 0 && bed_contact_add(b, own, b->store[c].block, i, j)) continue;
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
static void forget_lane(const bed *b, bed_block *block, int l, int planes, void *context)
{
    (void)context;
    if (is_there(b, block->i[l]) && (planes || is_there(b, block->j[l]))) return;
    bed_forget(block, l);
}

int bed_remove(bed *b, int count, const int *id, double *held)
{
    int left = 0;
    if (held) *held = 0.0;
    for (int n = 0; n < count; ++n) { /* first they only leave their places */
        const int place = bed_place_of(b, id[n]);
        if (place >= 0) b->place[id[n]] = BED_LEAVES - place, left += 1;
    }
    if (left == 0) return 0;
    if (held) *held = bed_held_by_leaving(b);
    for (int n = 0; n < count; ++n) {
        if (bed_place_of(b, id[n]) > BED_LEAVES) continue;
        bed_record *r = &b->record[BED_LEAVES - b->place[id[n]]];
        b->place[id[n]] = -1;
        r->x[3] = -1e6 * b->largest_radius; /* nothing is near a sphere of such a radius */
        for (int k = 0; k < 3; ++k) r->v[k] = r->omega[k] = 0.0;
        r->v[3] = r->omega[3] = 0.0;
    }
    bed_each_lane(b, forget_lane, NULL);
    b->equal = 0, b->sizes_due = 1;
    bed_bounds_find(b), bed_speed_find(b);
    return left;
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

static void deepest_lane(const bed *b, bed_block *block, int lane, int planes, void *context)
{
    double n[3], *deepest = context;
    *deepest = max2(*deepest, bed_geometry(b, block, lane, planes, n));
}

double bed_deepest_overlap(const bed *b)
{
    double deepest = 0.0;
    bed_each_lane(b, deepest_lane, &deepest);
    return deepest;
}

/// Whatever has to be there for a look at loads: lists, and a copy of a chunk's blocks, `times` over.
static scree_status peek_begin(bed *b, int times)
{
    scree_status status = bed_prepare(b);
    int most = 0;
    if (status != SCREE_OK) return status;
    for (int c = 0; c < b->chunks; ++c) most = bed_extent(&b->chunk[c]) > most ? bed_extent(&b->chunk[c]) : most;
    if (!bed_grow(b, sizeof *b->copy, (size_t)most * (size_t)times + 1, (void **)&b->copy, &b->copy_room))
        return SCREE_ERR_MEMORY;
    memset(&b->grid, 0, sizeof b->grid); /* loads as the laws give them: nothing hangs on the order of these sums */
    return SCREE_OK;
}

scree_status bed_loads(bed *b, double moved, double *force, double *torque)
{
    scree_status status = peek_begin(b, 1);
    if (status != SCREE_OK) return status;
    if (!bed_grow(b, sizeof *b->load, (size_t)b->count + 1, (void **)&b->load, &b->load_room)) return SCREE_ERR_MEMORY;
    bed_loads_peek(b, moved, moved > 0.0 ? b->copy : NULL);
    for (int i = 0; i < b->count; ++i) {
        size_t at = 3 * (size_t)b->id[i];
        if (!is_there(b, i)) continue;
        if (force) memcpy(force + at, b->load[i].force, 3 * sizeof(double));
        if (torque) memcpy(torque + at, b->load[i].torque, 3 * sizeof(double));
    }
    return SCREE_OK;
}

typedef struct listing {
    bed_contact *next, *end;
    int count;
} listing;

/// A contact that touches: `before` is the block as it is, `now` its copy after the look.
static void list_contact(const bed *b, const bed_block *before, const bed_block *now, const bed_kept *kept, int l,
                         int planes, listing *to)
{
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
    bed_contact_energy(b, before, l, planes, held);
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

static void list_chunk(bed *b, int chunk, listing *to)
{
    bed_kept *kept = (bed_kept *)(void *)(b->copy + bed_extent(&b->chunk[chunk]));
    bed_chunk_peek(b, chunk, b->copy, kept);
    for (int g = 0; g < BED_GROUPS; ++g) {
        const bed_span *span = &b->chunk[chunk].group[g];
        for (int n = 0; n < span->count; ++n) {
            const int at = span->first + n / BED_LANES;
            list_contact(b, &b->store[chunk].block[at], &b->copy[at], &kept[at], n % BED_LANES, g == BED_WALL, to);
        }
    }
}

scree_status bed_contacts(bed *b, int room, bed_contact *out, int *count)
{
    listing list = {out, out + room, 0};
    scree_status status = peek_begin(b, 2);
    if (status != SCREE_OK) return status;
    for (int c = 0; c < b->chunks; ++c) list_chunk(b, c, &list);
    if (list.next > out) qsort(out, (size_t)(list.next - out), sizeof *out, by_number);
    *count = list.count;
    return SCREE_OK;
}

typedef struct recalling {
    int contacts;
    const bed_contact *contact;
} recalling;

static void recall(const bed *b, bed_block *block, int l, int planes, void *context)
{
    const recalling *from = context;
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
    recalling from = {contacts, contact};
    if (contacts == 0) return;
    qsort(contact, (size_t)contacts, sizeof *contact, by_number);
    bed_each_lane(b, recall, &from);
}

static void survey_lane(const bed *b, bed_block *block, int l, int planes, void *context)
{
    bed_survey *s = context;
    (void)b, (void)planes;
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
    bed_each_lane(b, survey_lane, &s);
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
                for (unsigned bits = bed_group_blocks(b, c, g)[n].live; bits; bits &= bits - 1u) out.touching += 1;
        }
    }
    return out;
}

/* ---- sums ------------------------------------------------------------------------------------------------------------------ */

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
