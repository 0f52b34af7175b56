/* device_engine.c: a device as an engine for spheres (sphere_engine.h).
 *
 * Steps are taken on the device. What is asked about the state between steps (contacts with their loads, energies, bodies that come or leave) is
 * answered by a bed on the processor, the mirror, to which the state is brought first: the answers are those of the engine on the
 * processor, and so is the code. Positions and velocities, and whether the step is short enough, come from the device without it.
 *
 *     host_newer     the mirror has what the device has not seen: handed over before the next step
 *     device_newer   parts that only the device has: brought before the mirror is asked
 *
 * Both have the same bits, since a bed made from the state of another goes on with the same bits (bed.h). */
#include "dem/cuda/device_engine.h"

#include "base/fail.h"
#include "base/memory.h"
#include "dem/cuda/device.h"
#include "dem/spheres/bed_blocks.h"

#include <scree/stepper.h>

#include <string.h>

enum { MOTION = 1, CONTACTS = 2 };

typedef struct device_bed {
    scree_allocator allocator;
    const bed_device_table *table;
    bed_device *device;
    bed *mirror;
    int32_t *handed; /* (count) numbers of the spheres in the order in which they were handed over */
    int handed_count, handed_room;
    int host_newer;
    unsigned device_newer;
    scree_status lost; /* why the device's state is gone */
    double list_seconds;
    int64_t rebuilds, sorts;
} device_bed;

static device_bed *of(const bed *b)
{
    /* Takes const away: what reads brings the newest state first. NOLINTNEXTLINE(performance-no-int-to-ptr) */
    return (device_bed *)(uintptr_t)b;
}

/* ---- device to mirror ------------------------------------------------------------------------------------------------------------ */

/// The device has failed, or it had no memory: then its state is gone.
static scree_status lose(device_bed *e, scree_status status, scree_error *error)
{
    scree_error_set(error, NULL, 0, 0, "the device failed: %s", e->table->message(e->device));
    e->lost = status == SCREE_OK ? SCREE_OK : SCREE_ERR_DEVICE;
    return e->lost;
}

static scree_status bring_motion(device_bed *e)
{
    bed *b = e->mirror;
    const size_t n = (size_t)e->handed_count;
    bed_record *record = memory_raw_array(&e->allocator, n + 1, sizeof *record);
    double(*q)[4] = memory_raw_array(&e->allocator, n + 1, sizeof *q);
    scree_status status = record && q ? e->table->read(e->device, record, b->turns ? q : NULL) : SCREE_ERR_MEMORY;
    if (status == SCREE_ERR_DEVICE) e->lost = status;
    for (size_t k = 0; k < n && status == SCREE_OK; ++k) {
        const int place = bed_place_of(b, e->handed[k]);
        if (place < 0) continue;
        b->record[place] = record[k];
        if (b->turns) memcpy(b->q[place], q[k], sizeof q[k]);
    }
    if (status == SCREE_OK) e->device_newer &= ~(unsigned)MOTION, b->lists_due = 1;
    MEMORY_FREE_ALL(&e->allocator, record, q);
    return status;
}

static void forget_lane(const bed *b, bed_block *block, int l, int planes, void *context)
{
    (void)b, (void)planes, (void)context;
    bed_forget(block, l);
}

/// What contacts remember, by the order of handing over; and what that order is to the mirror.
typedef struct kept_list {
    const int64_t *first;
    const bed_kept_contact *kept;
    const int32_t *at; /* by number */
} kept_list;

static void recall_lane(const bed *b, bed_block *block, int l, int planes, void *context)
{
    const kept_list *from = context;
    const int32_t i = from->at[b->id[block->i[l]]], partner = planes ? -1 - block->j[l] : from->at[b->id[block->j[l]]];
    const uint8_t bit = (uint8_t)(1u << l);
    for (int64_t k = from->first[i]; k < from->first[i + 1]; ++k) {
        const bed_kept_contact *c = &from->kept[k];
        if (c->partner != partner) continue;
        for (int m = 0; m < BED_MEMORY; ++m) block->memory[m][l] = c->memory[m];
        block->live |= bit;
        if (c->bits & BED_KEPT_SOUTH) block->south |= bit;
        if (c->bits & BED_KEPT_PUSHES) block->pushes |= bit;
        for (int s = 0; s < DEM_SPRINGS; ++s)
            if (c->bits & (unsigned)BED_KEPT_KINETIC << s) block->kinetic[s] |= bit;
        return;
    }
}

static scree_status bring_contacts(device_bed *e)
{
    bed *b = e->mirror;
    const scree_allocator *a = &e->allocator;
    int64_t count = 0, listed = 0;
    scree_status status = e->table->contacts(e->device, &count, &listed);
    if (status != SCREE_OK) return status == SCREE_ERR_MEMORY ? status : (e->lost = SCREE_ERR_DEVICE);
    int64_t *first = memory_raw_array(a, (size_t)e->handed_count + 1, sizeof *first);
    bed_kept_contact *kept = memory_raw_array(a, (size_t)count + 1, sizeof *kept);
    int32_t *at = memory_array(a, (size_t)b->place_room + 1, sizeof *at);
    status = first && kept && at ? e->table->read_contacts(e->device, first, kept) : SCREE_ERR_MEMORY;
    if (status == SCREE_ERR_DEVICE) e->lost = status;
    if (status == SCREE_OK) {
        bed_each_lane(b, forget_lane, NULL);
        b->lists_due = 1;
        status = bed_prepare(b);
    }
    if (status == SCREE_OK) {
        kept_list from = {first, kept, at};
        for (int k = 0; k < e->handed_count; ++k) at[e->handed[k]] = k;
        bed_each_lane(b, recall_lane, &from);
        e->device_newer &= ~(unsigned)CONTACTS;
    }
    MEMORY_FREE_ALL(a, first, kept, at);
    return status;
}

/// Parts that only the device has, to the mirror.
static scree_status bring(device_bed *e, unsigned parts)
{
    scree_status status = e->lost;
    if (status == SCREE_OK && parts & e->device_newer & MOTION) status = bring_motion(e);
    if (status == SCREE_OK && parts & e->device_newer & CONTACTS) status = bring_contacts(e);
    if (status == SCREE_OK && parts & CONTACTS && e->mirror->put_off) status = bed_prepare(e->mirror);
    return status;
}

/* ---- mirror to device ------------------------------------------------------------------------------------------------------------ */

/// Contacts that live, by their sphere i: counted, then written.
typedef struct collecting {
    int64_t *next;
    bed_kept_contact *kept; /* NULL: they are counted */
} collecting;

static void collect_lane(const bed *b, bed_block *block, int l, int planes, void *context)
{
    collecting *to = context;
    (void)b;
    if (!(block->live >> l & 1)) return;
    const int64_t at = to->next[block->i[l]]++;
    if (!to->kept) return;
    bed_kept_contact *c = &to->kept[at];
    for (int m = 0; m < BED_MEMORY; ++m) c->memory[m] = block->memory[m][l];
    c->partner = planes ? -1 - block->j[l] : block->j[l];
    c->bits =
        BED_KEPT_LIVE | (block->south >> l & 1 ? BED_KEPT_SOUTH : 0u) | (block->pushes >> l & 1 ? BED_KEPT_PUSHES : 0u);
    for (int s = 0; s < DEM_SPRINGS; ++s)
        if (block->kinetic[s] >> l & 1) c->bits |= (unsigned)BED_KEPT_KINETIC << s;
}

static bed_device_shape shape_of(const bed *b)
{
    bed_device_shape s = {.count = b->count, .planes = b->planes, .materials = b->materials, .pairs = b->pairs};
    s.law = (int)b->law, s.hertz = b->hertz, s.stiffens = b->stiffens, s.published = b->published;
    s.needs = b->needs, s.equal = b->equal, s.turns = b->turns, s.ledger = b->has_ledger;
    memcpy(s.periodic, b->periodic, sizeof s.periodic), memcpy(s.common, b->common, sizeof s.common);
    memcpy(s.low, b->low, sizeof s.low), memcpy(s.box, b->box, sizeof s.box);
    memcpy(s.inverse_box, b->inverse_box, sizeof s.inverse_box);
    s.h = b->h, s.skin = b->skin, s.borders = b->borders, s.most = b->most, s.levels = b->levels;
    memcpy(s.level_radius, b->level_radius, sizeof s.level_radius);
    return s;
}

static scree_status names_hand(device_bed *e)
{
    const bed *b = e->mirror;
    if (b->count > e->handed_room || !e->handed) {
        const int room = b->count + b->count / 8 + 1;
        int32_t *handed = memory_raw_array(&e->allocator, (size_t)room, sizeof *handed);
        if (!handed) return SCREE_ERR_MEMORY;
        memory_free(&e->allocator, e->handed);
        e->handed = handed, e->handed_room = room;
    }
    if (b->count > 0) memcpy(e->handed, b->id, (size_t)b->count * sizeof *b->id);
    e->handed_count = b->count;
    return SCREE_OK;
}

/// The mirror's whole state to the device.
static scree_status hand_over(device_bed *e, scree_error *error)
{
    bed *b = e->mirror;
    const scree_allocator *a = &e->allocator;
    const size_t n = (size_t)b->count, pairs = (size_t)b->pairs;
    if (b->sizes_due) b->lists_due = 1;
    /* no lists, no histories: the device makes its own */
    scree_status status = b->put_off && !b->sizes_due ? SCREE_OK : bed_prepare(b);
    if (status == SCREE_OK) status = names_hand(e);
    if (status != SCREE_OK) return status;
    int64_t *first = memory_array(a, n + 2, sizeof *first);
    collecting to = {first ? first + 1 : NULL, NULL};
    if (first) bed_each_lane(b, collect_lane, &to);
    for (size_t k = 0; k < n && first; ++k) first[k + 1] += first[k]; /* first[k + 1]: the end of k's */
    const int64_t count = first ? first[n] : 0;
    bed_kept_contact *kept = memory_raw_array(a, (size_t)count + 1, sizeof *kept);
    int64_t *next = memory_raw_array(a, n + 1, sizeof *next);
    double(*constant)[BED_CONSTANTS] = memory_raw_array(a, 2 * pairs, sizeof *constant);
    if (!first || !kept || !next || !constant) status = SCREE_ERR_MEMORY;
    else {
        memcpy(next, first, n * sizeof *next);
        to = (collecting){next, kept};
        bed_each_lane(b, collect_lane, &to);
        for (size_t p = 0; p < pairs; ++p)
            for (int k = 0; k < BED_CONSTANTS; ++k)
                constant[p][k] = b->constant[p][k][0], constant[pairs + p][k] = b->wall_constant[p][k][0];
        const bed_device_bed all = {.shape = shape_of(b),
                                    .record = b->record,
                                    .q = (const double(*)[4])b->q,
                                    .id = b->id,
                                    .material = b->material,
                                    .plane = b->plane,
                                    .prepared = b->prepared,
                                    .constant = (const double(*)[BED_CONSTANTS])constant,
                                    .wall_constant = (const double(*)[BED_CONSTANTS])(constant + pairs),
                                    .kept_first = first,
                                    .kept = kept};
        status = e->table->upload(e->device, &all);
        if (status != SCREE_OK) status = lose(e, status, error);
    }
    MEMORY_FREE_ALL(a, first, kept, next, constant);
    if (status == SCREE_OK) e->host_newer = 0, e->device_newer = 0;
    return status;
}

/* ---- steps --------------------------------------------------------------------------------------------------------------------------- */

/// What a call left, to the mirror.
static void call_take(device_bed *e, const bed_device_call *call, const double *plane_load)
{
    bed *b = e->mirror;
    b->scale = call->scale, b->speed2 = call->speed2, b->totals = call->totals, b->deepest = call->deepest;
    b->steps += call->steps, e->list_seconds += call->list_seconds;
    e->rebuilds += call->rebuilds, e->sorts += call->sorts;
    const size_t loads = 2 * (size_t)b->chunks * (size_t)b->planes;
    if (loads > 0) memset(b->plane_load, 0, loads * sizeof *b->plane_load);
    for (int p = 0; p < b->planes && b->chunks > 0; ++p)
        for (int k = 0; k < 3; ++k)
            for (int part = 0; part < 2; ++part) {
                b->plane_load[2 * p + part].force[k] = plane_load[12 * p + 6 * part + k];
                b->plane_load[2 * p + part].torque[k] = plane_load[12 * p + 6 * part + 3 + k];
            }
    if (call->steps > 0) e->device_newer = MOTION | CONTACTS;
}

static scree_status advance(bed *bed_of, int64_t steps, bed_forcing *f, scree_error *error)
{
    device_bed *e = of(bed_of);
    bed *b = e->mirror;
    bed_device_call call = {.steps = steps, .forcing = f, .walls = f ? f->soft : NULL, .plane = b->plane};
    b->deepest = 0.0;
    if (f) f->deepest = 0.0, f->refused = -1;
    scree_status status = e->lost;
    if (status == SCREE_ERR_MEMORY) return status; /* of the processor, in `adopt` */
    if (status != SCREE_OK) return lose(e, status, error);
    if (e->host_newer) status = hand_over(e, error);
    double *plane_load = memory_array(&e->allocator, 12 * (size_t)b->planes + 1, sizeof *plane_load);
    if (status == SCREE_OK && !plane_load) status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        call.scale = b->scale, call.speed2 = b->speed2, call.totals = b->totals, call.plane_load = plane_load;
        memcpy(call.gravity, b->gravity, sizeof call.gravity);
        status = e->table->advance(e->device, &call);
        if (status != SCREE_OK && status != SCREE_ERR_INPUT) status = lose(e, status, error);
        else call_take(e, &call, plane_load);
    }
    memory_free(&e->allocator, plane_load);
    if (status == SCREE_ERR_INPUT && f) f->refused = call.refused;
    if (status != SCREE_OK || call.bad < 0) return status;
    scree_error_set(error, NULL, 0, 0, "sphere %d left the range of numbers in step %lld", call.bad,
                    (long long)b->steps);
    return SCREE_ERR_RUNAWAY;
}

static int counts(dem_rate rate)
{
    return rate.stiffness > 0.0 || rate.damping > 0.0;
}

/// Spheres that have rates from contacts with walls: their places, and these.
static scree_status rates_given(const device_bed *e, const dem_rate *sum, int *count, int32_t **place, dem_rate **rate)
{
    *count = 0, *place = NULL, *rate = NULL;
    for (int k = 0; k < e->handed_count; ++k) *count += counts(sum[e->handed[k]]);
    if (*count == 0) return SCREE_OK;
    *place = memory_raw_array(&e->allocator, (size_t)*count, sizeof **place);
    *rate = memory_raw_array(&e->allocator, (size_t)*count, sizeof **rate);
    if (!*place || !*rate) return SCREE_ERR_MEMORY;
    for (int k = 0, n = 0; k < e->handed_count; ++k)
        if (counts(sum[e->handed[k]])) (*place)[n] = k, (*rate)[n++] = sum[e->handed[k]];
    return SCREE_OK;
}

static scree_status limit(bed *bed_of, double h, dem_rate *sum, int pair[2], double *weight)
{
    device_bed *e = of(bed_of);
    int at[2], count = 0;
    int32_t *place = NULL;
    dem_rate rate[2], *given = NULL;
    scree_status status = e->lost;
    if (status == SCREE_OK && e->host_newer) status = hand_over(e, NULL);
    if (status == SCREE_OK) status = rates_given(e, sum, &count, &place, &given);
    if (status == SCREE_OK) status = e->table->limit(e->device, h, count, place, given, weight, at, rate);
    for (int k = 0; k < count && status == SCREE_OK; ++k) sum[e->handed[place[k]]] = given[k];
    MEMORY_FREE_ALL(&e->allocator, place, given);
    if (status != SCREE_OK) return lose(e, status, NULL);
    if (!(*weight > 0.0)) return SCREE_OK;
    for (int k = 0; k < 2; ++k) {
        pair[k] = at[k] < 0 ? at[k] : e->handed[at[k]];
        if (pair[k] >= 0) sum[pair[k]] = rate[k];
    }
    return SCREE_OK;
}

/* ---- what the mirror answers ------------------------------------------------------------------------------------------------------- */

static scree_status read_motion(const bed *bed_of, bed_motion *to)
{
    device_bed *e = of(bed_of);
    const scree_status status = bring(e, MOTION);
    return status == SCREE_OK ? bed_engine.read(e->mirror, to) : status;
}

static scree_status contacts(bed *bed_of, int room, bed_contact *out, int *count)
{
    device_bed *e = of(bed_of);
    const scree_status status = bring(e, MOTION | CONTACTS);
    return status == SCREE_OK ? bed_engine.contacts(e->mirror, room, out, count) : status;
}

static bed_sums sums(const bed *bed_of)
{
    const device_bed *e = of(bed_of);
    bed_sums s = bed_engine.sums(e->mirror);
    s.list_seconds += e->list_seconds;
    return s;
}

/// A device that is lost here is found by the next call that can say so.
static bed_energy energies(const bed *bed_of)
{
    device_bed *e = of(bed_of);
    (void)bring(e, MOTION | CONTACTS);
    return bed_engine.energies(e->mirror);
}

static bed_survey survey(const bed *bed_of)
{
    device_bed *e = of(bed_of);
    (void)bring(e, MOTION | CONTACTS);
    return bed_engine.survey(e->mirror);
}

static scree_status new_overlaps(bed *bed_of, int id, int plane, double *held)
{
    device_bed *e = of(bed_of);
    const scree_status status = bring(e, MOTION | CONTACTS);
    return status == SCREE_OK ? bed_engine.new_overlaps(e->mirror, id, plane, held) : status;
}

static scree_status add(bed *bed_of, const bed_grain *grain)
{
    device_bed *e = of(bed_of);
    scree_status status = bring(e, MOTION | CONTACTS);
    if (status == SCREE_OK) status = bed_engine.add(e->mirror, grain);
    if (status == SCREE_OK) e->host_newer = 1;
    return status;
}

static int remove_spheres(bed *bed_of, int count, const int *id, double *held)
{
    device_bed *e = of(bed_of);
    if (bring(e, MOTION | CONTACTS) != SCREE_OK) return 0;
    const int gone = bed_engine.remove(e->mirror, count, id, held);
    if (gone > 0) e->host_newer = 1;
    return gone;
}

/* ---- making ------------------------------------------------------------------------------------------------------------------------ */

static void destroy(bed *bed_of)
{
    device_bed *e = bed_of ? of(bed_of) : NULL;
    if (!e) return;
    scree_allocator a = e->allocator;
    if (e->device) e->table->destroy(e->device);
    bed_destroy(e->mirror);
    memory_free(&a, e->handed);
    memory_free(&a, e);
}

static scree_status missing(scree_error *error, const char *text)
{
    scree_error_set(error, NULL, 0, 0, "device: gpu: %s", text);
    return SCREE_ERR_DEVICE;
}

static scree_status create_on(const bed_device_table *table, const bed_def *def, const scree_allocator *allocator,
                              bed **out, scree_error *error)
{
    const scree_allocator a = memory_allocator(allocator);
    char text[BED_DEVICE_TEXT] = "";
    *out = NULL;
    device_bed *e = memory_array(&a, 1, sizeof *e);
    if (!e) return SCREE_ERR_MEMORY;
    e->allocator = a, e->table = table, e->host_newer = 1;
    bed_def later = *def;
    later.lists_later = 1; /* of 200 million spheres they take minutes, and more memory than the rest */
    scree_status status = bed_engine.create(&later, allocator, &e->mirror, error);
    if (status == SCREE_OK) {
        status = table->create(&e->device, text);
        if (status != SCREE_OK) status = missing(error, text);
    }
    if (status == SCREE_OK) *out = (bed *)e;
    else destroy((bed *)e);
    return status;
}

static scree_status create_twin(const bed_def *def, const scree_allocator *allocator, bed **out, scree_error *error)
{
    *out = NULL;
    const scree_status status = device_engine_there(1, error);
    return status == SCREE_OK ? create_on(bed_device_twin(), def, allocator, out, error) : status;
}

static scree_status create_gpu(const bed_def *def, const scree_allocator *allocator, bed **out, scree_error *error)
{
    char text[BED_DEVICE_TEXT] = "";
    const bed_device_table *table = bed_device_open(text);
    *out = NULL;
    if (table) return create_on(table, def, allocator, out, error);
    return missing(error, text);
}

int scree_devices(int room, scree_device_info *out, scree_error *error)
{
    char text[BED_DEVICE_TEXT] = "";
    bed_device_info found[16];
    if (error_stopped(error)) return -1;
    const bed_device_table *table = bed_device_open(text);
    const int there = table ? table->list(16, found, text) : -1;
    if (there <= 0) {
        (void)error_keep(error, missing(error, *text ? text : "there is no card"));
        return -1;
    }
    for (int k = 0; k < there && k < room && k < 16; ++k) {
        out[k] = (scree_device_info){
            .memory = found[k].memory, .free_memory = found[k].free, .major = found[k].major, .minor = found[k].minor};
        memcpy(out[k].name, found[k].name, sizeof out[k].name);
    }
    return there;
}

scree_status device_engine_there(int twin, scree_error *error)
{
    char text[BED_DEVICE_TEXT] = "";
    bed_device_info first;
    if (twin && bed_device_twin()) return SCREE_OK;
    if (twin) {
        device_twin_is_missing(text);
        return missing(error, text);
    }
    const bed_device_table *table = bed_device_open(text);
    if (!table) return missing(error, text);
    const int there = table->list(1, &first, text);
    return there > 0 ? SCREE_OK : missing(error, *text ? text : "there is no card");
}

static void adopt(bed *bed_of, bed_past *past)
{
    device_bed *e = of(bed_of);
    if (past->contacts > 0 && e->mirror->put_off) e->lost = bed_prepare(e->mirror);
    if (e->lost == SCREE_OK) bed_engine.adopt(e->mirror, past);
    e->host_newer = 1;
}

static scree_status threads(bed *bed_of, scree_pool *pool)
{
    return bed_engine.threads(of(bed_of)->mirror, pool);
}

bed *device_engine_mirror(bed *bed_of)
{
    device_bed *e = of(bed_of);
    (void)bring(e, MOTION | CONTACTS);
    e->host_newer = 1; /* who asks may change it */
    return e->mirror;
}

void device_engine_fail_at(bed *bed_of, int64_t call)
{
    const device_bed *e = of(bed_of);
    e->table->fail_at(e->device, call);
}

size_t device_engine_bytes(const bed *bed_of)
{
    const device_bed *e = of(bed_of);
    return e->table->bytes(e->device);
}

device_counts device_engine_counts(const bed *bed_of)
{
    const device_bed *e = of(bed_of);
    device_counts c = {.rebuilds = e->rebuilds, .sorts = e->sorts, .list_seconds = e->list_seconds};
    c.bytes = e->table->bytes(e->device);
    if (e->lost == SCREE_OK) (void)e->table->contacts(e->device, &c.touching, &c.listed);
    return c;
}

#define DEVICE_ENGINE(called, made_by)                                                                                 \
    {                                                                                                                  \
        .name = (called), .create = (made_by), .destroy = destroy, .adopt = adopt, .threads = threads, .limit = limit, \
        .advance = advance, .read = read_motion, .contacts = contacts, .sums = sums, .energies = energies,             \
        .survey = survey, .new_overlaps = new_overlaps, .add = add, .remove = remove_spheres, .walls = NULL            \
    }

const sphere_engine device_engine_twin = DEVICE_ENGINE("host-twin", create_twin);
const sphere_engine device_engine_gpu = DEVICE_ENGINE("gpu", create_gpu);
