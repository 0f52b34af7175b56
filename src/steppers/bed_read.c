/* bed_read.c: what a bed tells between steps, and what can be changed there; its state as bytes. */
#include "base/hash.h"
#include "base/memory.h"
#include "steppers/bed_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- motion ---------------------------------------------------------------------------------------------------------------- */

void bed_read(const bed *b, bed_motion *to)
{
    for (int i = 0; i < b->count; ++i) {
        const bed_record *r = &b->record[i];
        size_t id = (size_t)b->id[i];
        if (to->x) memcpy(to->x + 3 * id, r->x, 3 * sizeof(double));
        if (to->v) memcpy(to->v + 3 * id, r->v, 3 * sizeof(double));
        if (to->omega) memcpy(to->omega + 3 * id, r->omega, 3 * sizeof(double));
        if (to->q && b->q) memcpy(to->q + 4 * id, b->q[i], sizeof b->q[i]);
    }
}

scree_status bed_write(bed *b, const bed_motion *from, scree_error *error)
{
    for (int k = 0; k < 3 * b->count && from->x; ++k)
        if (!isfinite(from->x[k])) {
            scree_error_set(error, NULL, 0, 0, "the position of sphere %d is not a number", k / 3);
            return SCREE_ERR_INPUT;
        }
    for (int i = 0; i < b->count; ++i) {
        bed_record *r = &b->record[i];
        size_t id = (size_t)b->id[i];
        if (from->x) memcpy(r->x, from->x + 3 * id, 3 * sizeof(double));
        if (from->v) memcpy(r->v, from->v + 3 * id, 3 * sizeof(double));
        if (from->omega) memcpy(r->omega, from->omega + 3 * id, 3 * sizeof(double));
        if (from->q && b->q) memcpy(b->q[i], from->q + 4 * id, sizeof b->q[i]);
    }
    if (!from->x) return SCREE_OK;
    scree_status status = bed_lists_make(b);
    if (status == SCREE_OK) bed_contacts_step(b, 0.0, 0);
    return status;
}

void bed_set_gravity(bed *b, const double gravity[3])
{
    memcpy(b->gravity, gravity, sizeof b->gravity);
}

void bed_set_plane(bed *b, int plane, const double v[3], const double omega[3])
{
    SCREE_ASSERT(plane >= 0 && plane < b->planes);
    memcpy(b->plane[plane].v, v, 3 * sizeof(double));
    memcpy(b->plane[plane].omega, omega, 3 * sizeof(double));
}

bed_plane bed_get_plane(const bed *b, int plane)
{
    bed_plane out = {.material = b->plane[plane].material};
    memcpy(out.normal, b->plane[plane].n, sizeof out.normal);
    memcpy(out.point, b->plane[plane].point, sizeof out.point);
    memcpy(out.v, b->plane[plane].v, sizeof out.v);
    memcpy(out.omega, b->plane[plane].omega, sizeof out.omega);
    return out;
}

/* ---- loads ------------------------------------------------------------------------------------------------------------------ */

scree_status bed_set_loads(bed *b, const double *force, const double *torque)
{
    if (!force && !torque) {
        memory_free(&b->allocator, b->given);
        b->given = NULL;
        return SCREE_OK;
    }
    if (!b->given) b->given = memory_raw_array(&b->allocator, (size_t)b->count + 1, sizeof *b->given);
    if (!b->given) return SCREE_ERR_MEMORY;
    for (int i = 0; i < b->count; ++i) {
        bed_load *to = &b->given[i];
        size_t id = (size_t)b->id[i];
        memset(to, 0, sizeof *to);
        if (force) memcpy(to->force, force + 3 * id, 3 * sizeof(double));
        if (torque) memcpy(to->torque, torque + 3 * id, 3 * sizeof(double));
    }
    return SCREE_OK;
}

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

void bed_places(const bed *b, int *place)
{
    for (int i = 0; i < b->count; ++i) place[b->id[i]] = i;
}

void bed_look_at(const bed *b, int place, double x[3], double v[3], double omega[3], double q[4])
{
    const bed_record *r = &b->record[place];
    memcpy(x, r->x, 3 * sizeof(double)), memcpy(v, r->v, 3 * sizeof(double));
    memcpy(omega, r->omega, 3 * sizeof(double));
    if (q && b->q) memcpy(q, b->q[place], sizeof b->q[place]);
}

void bed_push(bed *b, int place, const double force[3], const double torque[3])
{
    bed_load *load = &b->load[place];
    for (int k = 0; k < 3; ++k) load->force[k] += force[k], load->torque[k] += torque[k];
}

void bed_plane_load(const bed *b, int plane, double force[3], double torque[3])
{
    for (int k = 0; k < 3; ++k) force[k] = torque[k] = 0.0;
    for (int c = 0; c < b->chunks; ++c) {
        const bed_load *load = &b->plane_load[c * b->planes + plane];
        for (int k = 0; k < 3; ++k) force[k] += load->force[k], torque[k] += load->torque[k];
    }
}

void bed_sphere_loads(const bed *b, double *force, double *torque)
{
    for (int i = 0; i < b->count; ++i) {
        size_t at = 3 * (size_t)b->id[i];
        if (force) memcpy(force + at, b->load[i].force, 3 * sizeof(double));
        if (torque) memcpy(torque + at, b->load[i].torque, 3 * sizeof(double));
    }
}

/* ---- contacts ---------------------------------------------------------------------------------------------------------------- */

/// Calls f for every contact that touched in the last step.
static void each_contact(const bed *b,
                         void (*f)(const bed *b, const bed_block *block, int lane, int planes, void *context),
                         void *context)
{
    for (int c = 0; c < b->chunks; ++c)
        for (int g = 0; g < BED_GROUPS; ++g) {
            const bed_span *span = &b->chunk[c].group[g];
            for (int n = 0; n < span->count; ++n) {
                const bed_block *block = &b->block[span->first + n / BED_LANES];
                if (block->live >> n % BED_LANES & 1) f(b, block, n % BED_LANES, g == BED_WALL, context);
            }
        }
}

/// Normal into i, and the overlap.
static double geometry(const bed *b, const bed_block *block, int lane, int planes, double n[3])
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

typedef struct listing {
    bed_contact *next;
} listing;

static void list_contact(const bed *b, const bed_block *block, int l, int planes, void *context)
{
    listing *to = context;
    bed_contact *c = to->next++;
    memset(c, 0, sizeof *c);
    c->i = b->id[block->i[l]], c->j = planes ? -1 - block->j[l] : b->id[block->j[l]];
    c->delta = geometry(b, block, l, planes, c->n);
    for (int k = 0; k < BED_MEMORY; ++k) c->memory[k] = block->memory[k][l];
    for (int k = 0; k < DEM_SPRINGS; ++k) c->kinetic[k] = block->kinetic[k] >> l & 1;
    c->south = block->south >> l & 1;
    if (b->law == BED_TRACKED) vec_tangent_half(c->n, c->south ? -1.0 : 1.0, c->u);
    if (!b->keep || b->kept_room == 0) return;
    const bed_kept *kept = &b->kept[block - b->block];
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

void bed_contacts(const bed *b, bed_contact *out)
{
    listing list = {out};
    each_contact(b, list_contact, &list);
    qsort(out, (size_t)(list.next - out), sizeof *out, by_number);
}

scree_status bed_want_contact_loads(bed *b, int wanted)
{
    b->keep = wanted != 0;
    if (!wanted || b->kept_room >= b->block_room) return SCREE_OK;
    memory_free(&b->allocator, b->kept);
    b->kept_room = 0;
    b->kept = memory_array(&b->allocator, b->block_room, sizeof *b->kept);
    if (!b->kept) {
        b->keep = 0;
        return SCREE_ERR_MEMORY;
    }
    b->kept_room = b->block_room;
    return SCREE_OK;
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

static double square_sum(const double *x, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; ++k) sum += x[k] * x[k];
    return sum;
}

static void add_elastic(const bed *b, const bed_block *block, int l, int planes, void *context)
{
    bed_energy *e = context;
    const bed_record *ri = &b->record[block->i[l]], *rj = &b->record[planes ? 0 : block->j[l]];
    double n[3], memory[BED_MEMORY], own[BED_CONSTANTS][BED_LANES], delta = geometry(b, block, l, planes, n);
    double i[3] = {ri->x[3], ri->omega[3], ri->v[3]}, j[3] = {0.0, 0.0, 0.0};
    const double(*c)[BED_LANES] = (const double(*)[BED_LANES])own;
    if (!planes) j[0] = rj->x[3], j[1] = rj->omega[3], j[2] = rj->v[3];
    const int pair = block->pair[l] & ~BED_ODD;
    if (pair == block->pair[l]) c = (const double(*)[BED_LANES])(planes ? b->wall_constant : b->constant)[pair];
    else b->kernel->constants(b->law, &b->prepared[pair], i, j, own);
    for (int k = 0; k < BED_MEMORY; ++k) memory[k] = block->memory[k][l];
    double k = c[C_STIFFNESS][0];
    e->elastic[0] += b->hertz ? 0.4 * k * delta * delta * sqrt(delta) : 0.5 * k * delta * delta;
    if (b->law == BED_SDS) {
        e->elastic[1] += 0.5 * c[C_SLIDE][0] * square_sum(memory, 3);
        e->elastic[2] += 0.5 * c[C_ROLL][0] * square_sum(memory + 3, 3);
        e->elastic[3] += 0.5 * c[C_TWIST][0] * square_sum(memory + 6, 1);
        return;
    }
    double spin = c[T_SPIN][0];
    if (c[T_HERTZ][0] > 0.0) spin = c[T_A][0] + c[T_B][0] * c[T_RADIUS][0] * delta;
    e->elastic[1] += 0.5 * c[T_SLIDE][0] * square_sum(memory, 2);
    e->elastic[2] += 0.5 * c[T_ROLL][0] * square_sum(memory + 2, 4);
    e->elastic[3] += 0.5 * spin * square_sum(memory + 6, 1);
}

bed_energy bed_energies(const bed *b)
{
    bed_energy e = {.came_round = b->came_round};
    for (int i = 0; i < b->count; ++i) {
        const bed_record *r = &b->record[i];
        if (!(r->omega[3] > 0.0)) continue;
        e.kinetic += 0.5 * vec_dot(r->v, r->v) / r->omega[3] + 0.5 * vec_dot(r->omega, r->omega) / r->v[3];
        e.potential -= vec_dot(r->x, b->gravity) / r->omega[3];
    }
    each_contact(b, add_elastic, &e);
    for (int c = 0; c < b->chunks && b->loss; ++c)
        for (int l = 0; l < BED_LANES; ++l) {
            for (int k = 0; k < BED_KINDS; ++k) e.dashpot[k] += b->loss[c][k][l];
            e.driven += b->loss[c][BED_KINDS][l], e.model += b->loss[c][2 * BED_KINDS][l];
            for (int k = 1; k < BED_KINDS; ++k) e.slider[k] += b->loss[c][BED_KINDS + k][l];
        }
    return e;
}

/* ---- state ------------------------------------------------------------------------------------------------------------------------ */

typedef struct state_head {
    char magic[8];
    uint64_t hash; /* of all that follows */
    int32_t count, planes, law, orientations, ledger, near_each;
    double travel, wall_travel, soon_travel, near_travel, came_round, bounds[2][3];
    int64_t steps, rebuilds;
} state_head;

static state_head head_of(const bed *b)
{
    state_head h;
    memset(&h, 0, sizeof h); /* the gaps too: it is hashed */
    memcpy(h.magic, "scrbed9", 8);
    h.count = b->count, h.planes = b->planes, h.law = (int32_t)b->law;
    h.orientations = b->q != NULL, h.ledger = b->loss != NULL, h.near_each = b->near_each;
    h.travel = b->travel, h.wall_travel = b->wall_travel, h.came_round = b->came_round;
    h.soon_travel = b->soon_travel, h.near_travel = b->near_travel;
    h.steps = b->steps, h.rebuilds = b->rebuilds;
    memcpy(h.bounds, b->bounds, sizeof h.bounds);
    return h;
}

/// Bytes that are counted, written (`to`), or read (`from`).
typedef struct stream {
    unsigned char *to;
    const unsigned char *from;
    size_t at, size;
    int failed;
} stream;

static void pass(stream *s, void *array, size_t size)
{
    if (s->from && size > s->size - s->at) {
        s->failed = 1;
        return;
    }
    if (s->from && size > 0) memcpy(array, s->from + s->at, size);
    if (s->to && size > 0) memcpy(s->to + s->at, array, size);
    s->at += size;
}

static void pass_spheres(const bed *b, stream *s)
{
    size_t n = (size_t)b->count, chunks = (size_t)b->chunks;
    pass(s, b->record, n * sizeof *b->record);
    pass(s, b->id, n * sizeof *b->id);
    pass(s, b->material, n * sizeof *b->material);
    if (b->q) pass(s, b->q, n * sizeof *b->q);
    pass(s, b->plane, (size_t)b->planes * sizeof *b->plane);
    pass(s, b->plane_load, chunks * (size_t)b->planes * sizeof *b->plane_load);
    if (b->loss) pass(s, b->loss, chunks * sizeof *b->loss);
    pass(s, b->chunk, chunks * sizeof *b->chunk);
}

/// What the chunks' stretches hold; nothing of what they have room for.
static void pass_lists(const bed *b, stream *s)
{
    pass(s, b->load, (size_t)b->count * sizeof *b->load);
    for (int c = 0; c < b->chunks; ++c) {
        const bed_chunk *k = &b->chunk[c];
        for (int g = 0; g < BED_GROUPS; ++g)
            pass(s, b->block + k->group[g].first, (size_t)bed_blocks(k->group[g].count) * sizeof *b->block);
        pass(s, b->incoming + k->incoming.first, (size_t)k->incoming.count * sizeof *b->incoming);
        pass(s, b->near + k->near.first, (size_t)k->near.count * sizeof *b->near);
    }
}

size_t bed_state_size(const bed *b)
{
    stream s = {.at = sizeof(state_head)};
    pass_spheres(b, &s);
    pass_lists(b, &s);
    return s.at;
}

void bed_state_save(const bed *b, void *bytes)
{
    state_head h = head_of(b);
    const size_t begin = offsetof(state_head, hash) + sizeof h.hash;
    stream s = {.to = bytes, .at = sizeof h};
    pass_spheres(b, &s);
    pass_lists(b, &s);
    memcpy(bytes, &h, sizeof h);
    h.hash = hash_bytes(0, s.to + begin, s.at - begin);
    memcpy(bytes, &h, sizeof h);
}

static size_t span_end(const bed_span *span)
{
    return (size_t)span->first + (size_t)span->room;
}

/// Arrays as the chunks' stretches want them: they lie one after the other.
static int make_room(bed *b, int near_each)
{
    const bed_chunk *last = &b->chunk[b->chunks > 0 ? b->chunks - 1 : 0];
    size_t count = (size_t)b->count, blocks = span_end(&last->group[BED_ACROSS]), incoming = span_end(&last->incoming);
    size_t rows = (size_t)last->row + (size_t)last->group[BED_ACROSS].room * BED_LANES;
    MEMORY_FREE_ALL(&b->allocator, b->load, b->block, b->incoming, b->row, b->row_live, b->near);
    b->load = memory_array(&b->allocator, count + 1, sizeof *b->load);
    b->block = memory_array(&b->allocator, blocks + 1, sizeof *b->block);
    b->incoming = memory_array(&b->allocator, incoming + 1, sizeof *b->incoming);
    b->row = memory_array(&b->allocator, rows + 1, sizeof *b->row);
    b->row_live = memory_array(&b->allocator, rows / BED_LANES + 1, 1);
    b->near = memory_array(&b->allocator, (size_t)b->chunks * (size_t)near_each + 1, sizeof *b->near);
    int made = b->load && b->block && b->incoming && b->row && b->row_live && b->near;
    b->load_room = made ? count + 1 : 0, b->row_room = made ? rows + 1 : 0, b->block_room = made ? blocks + 1 : 0;
    b->row_live_room = made ? rows / BED_LANES + 1 : 0;
    b->incoming_room = made ? incoming + 1 : 0, b->near_each = made ? near_each : 0;
    return made;
}

scree_status bed_state_load(bed *b, const void *bytes, size_t size, scree_error *error)
{
    state_head h, own = head_of(b);
    const size_t begin = offsetof(state_head, hash) + sizeof h.hash;
    const char *text = NULL;
    stream s = {.from = bytes, .size = size, .at = sizeof h};
    if (size >= sizeof h) memcpy(&h, bytes, sizeof h);
    if (size < sizeof h || memcmp(h.magic, own.magic, sizeof h.magic) != 0)
        text = "these bytes are not the state of a bed";
    else if (h.hash != hash_bytes(0, s.from + begin, size - begin)) text = "the state of the bed is damaged";
    else if (h.count != own.count || h.planes != own.planes || h.law != own.law || h.orientations != own.orientations ||
             h.ledger != own.ledger)
        text = "the state is that of another bed";
    if (text) {
        scree_error_set(error, NULL, 0, 0, "%s", text);
        return SCREE_ERR_INPUT;
    }
    pass_spheres(b, &s);
    if (s.failed || !make_room(b, h.near_each)) return SCREE_ERR_MEMORY;
    pass_lists(b, &s);
    SCREE_ASSERT(!s.failed && s.at == size);
    b->travel = h.travel, b->wall_travel = h.wall_travel, b->came_round = h.came_round;
    b->soon_travel = h.soon_travel, b->near_travel = h.near_travel;
    b->steps = h.steps, b->rebuilds = h.rebuilds;
    memcpy(b->bounds, h.bounds, sizeof h.bounds);
    return b->keep ? bed_want_contact_loads(b, 1) : SCREE_OK;
}

scree_status bed_of_state(const void *bytes, size_t size, int spheres, int planes, const scree_allocator *allocator,
                          bed **out, scree_error *error)
{
    state_head h = {.count = -1};
    scree_allocator a = memory_allocator(allocator);
    *out = NULL;
    if (size >= sizeof h) memcpy(&h, bytes, sizeof h);
    if (spheres < 0 || h.count != spheres || h.planes != planes || (size_t)spheres > size / sizeof(bed_record)) {
        scree_error_set(error, NULL, 0, 0, "these bytes are not the state of a bed");
        return SCREE_ERR_INPUT;
    }
    bed *b = memory_array(&a, 1, sizeof *b);
    if (!b) return SCREE_ERR_MEMORY;
    b->allocator = a, b->kernel = &bed_kernel_base;
    b->count = h.count, b->planes = h.planes, b->law = (bed_law)h.law, b->materials = b->pairs = 1;
    bed_cut(b);
    scree_status status = SCREE_ERR_MEMORY;
    if (bed_allocate(b, h.orientations, h.ledger)) status = bed_state_load(b, bytes, size, error);
    if (status == SCREE_OK) *out = b;
    else bed_destroy(b);
    return status;
}

/// What is remembered of a contact, into its lane if there is one.
static void recall(const bed *b, bed_block *block, int l, int planes, int contacts, const bed_contact *contact)
{
    bed_contact key = {.i = b->id[block->i[l]], .j = planes ? -1 - block->j[l] : b->id[block->j[l]]};
    const bed_contact *c = bsearch(&key, contact, (size_t)contacts, sizeof key, by_number);
    if (!c) return;
    const uint8_t bit = (uint8_t)(1u << l);
    for (int k = 0; k < BED_MEMORY; ++k) block->memory[k][l] = c->memory[k];
    block->live |= bit;
    block->south = (uint8_t)((block->south & ~bit) | (c->south ? bit : 0));
    for (int k = 0; k < DEM_SPRINGS; ++k)
        block->kinetic[k] = (uint8_t)((block->kinetic[k] & ~bit) | (c->kinetic[k] ? bit : 0));
}

void bed_continue(bed *b, int contacts, const bed_contact *contact, const double *force, const double *torque)
{
    for (int c = 0; c < b->chunks; ++c)
        for (int g = 0; g < BED_GROUPS; ++g) {
            const bed_span *span = &b->chunk[c].group[g];
            for (int n = 0; n < span->count && contacts > 0; ++n)
                recall(b, &b->block[span->first + n / BED_LANES], n % BED_LANES, g == BED_WALL, contacts, contact);
        }
    memset(b->load, 0, (size_t)b->count * sizeof *b->load);
    for (int i = 0; i < b->count; ++i) bed_push(b, i, force + 3 * (size_t)b->id[i], torque + 3 * (size_t)b->id[i]);
}
