/* device_main.h: the functions of the table (device.h), over the kernels. Included by device.cu and device_twin.c. */
#ifndef SCREE_DEM_CUDA_DEVICE_MAIN_H
#define SCREE_DEM_CUDA_DEVICE_MAIN_H

#include "dem/cuda/device_handover.h"
#include "dem/cuda/device_looks.h"

/* ---- handing over ------------------------------------------------------------------------------------------------------------------------ */

/// Spheres of a chunk, as a power of two: as many as threads of a block, but half of them where a large card would have no block for many of its
/// multiprocessors. Not fewer: smaller chunks have more contacts in common.
static int chunk_bits_of(int count)
{
    enum { FEW = 33792 };
    int bits = 0;
    while (GPU_THREADS >> (bits + 1) > 0) ++bits;
    return count <= FEW ? bits - 1 : bits;
}

static scree_status device_upload(bed_device *d, const bed_device_bed *b)
{
    gpu_base *base = &d->base;
    const bed_device_shape *s = &b->shape;
    const size_t n = (size_t)s->count, pairs = (size_t)s->pairs;
    const int64_t kept = b->kept_first ? b->kept_first[n] : 0;
    gpu_view *g = &d->view;
    if (base->status != SCREE_OK) return base->status;
    g->shape = *s, g->inner = DEVICE_INNER * s->skin;
    g->chunk_bits = g->contact.chunk_bits = g->wall.chunk_bits = chunk_bits_of(s->count);
    g->chunks = (int)(((int64_t)s->count + (1 << g->chunk_bits) - 1) >> g->chunk_bits);
    g->sums = GPU_PLANES + 12 * s->planes;
    memset(&d->now, 0, sizeof d->now);
    gpu_fill(base, &d->record[0], b->record, n * sizeof *b->record);
    /* scratch of lists lies there, too: some KB more than spheres alone */
    gpu_room(base, &d->record[1], n * sizeof *b->record + 4096);
    gpu_room(base, &d->record[0], 1);
    if (d->record[0].bytes < d->record[1].bytes) {
        gpu_room(base, &d->record[0], d->record[1].bytes);
        gpu_copy(base, d->record[0].at, b->record, n * sizeof *b->record);
    }
    if (s->turns) gpu_fill(base, &d->q, b->q, n * sizeof *b->q);
    gpu_fill(base, &d->id, b->id, n * sizeof *b->id);
    gpu_fill(base, &d->material, b->material, n * sizeof *b->material);
    gpu_fill(base, &d->plane, b->plane, (size_t)s->planes * sizeof *b->plane);
    gpu_fill(base, &d->prepared, b->prepared, pairs * sizeof *b->prepared);
    gpu_fill(base, &d->constant, b->constant, pairs * sizeof *b->constant);
    gpu_fill(base, &d->wall_constant, b->wall_constant, pairs * sizeof *b->wall_constant);
    for (int k = 0; k < BED_CONSTANTS && pairs > 0; ++k)
        g->single[0][k][0] = b->constant[0][k], g->single[1][k][0] = b->wall_constant[0][k];
    gpu_fill(base, &d->kept, b->kept, (size_t)kept * sizeof *b->kept);
    gpu_room(base, &d->kept_first, (n + 1) * sizeof(int64_t));
    if (b->kept_first) gpu_copy(base, d->kept_first.at, b->kept_first, (n + 1) * sizeof(int64_t));
    else gpu_zero(base, d->kept_first.at, (n + 1) * sizeof(int64_t));
    gpu_room(base, &d->order, n * sizeof(int32_t) + 4), gpu_room(base, &d->handed, n * sizeof(int32_t) + 4);
    gpu_room(base, &d->pair_first, (n + 1) * sizeof(int64_t));
    gpu_room(base, &d->contact_first, ((size_t)g->chunks + 1) * sizeof(int64_t));
    gpu_room(base, &d->wall_first, ((size_t)g->chunks + 1) * sizeof(int64_t));
    gpu_room(base, &d->state, sizeof(gpu_now));
    gpu_room(base, &d->sum, GPU_COPIES * (size_t)g->sums * sizeof(double));
    gpu_room(base, &d->last, (size_t)g->sums * sizeof(double));
    gpu_room(base, &d->peak, GPU_COPIES * GPU_PEAKS * sizeof(uint64_t));
    gpu_zero(base, d->sum.at, GPU_COPIES * (size_t)g->sums * sizeof(double));
    gpu_zero(base, d->last.at, (size_t)g->sums * sizeof(double));
    gpu_zero(base, d->peak.at, GPU_COPIES * GPU_PEAKS * sizeof(uint64_t));
    view_refresh(d);
    now_put(d);
    LAUNCH(base, gpu_numbers, gpu_blocks(s->count), (int64_t)s->count, (int32_t *)d->handed.at);
    d->kept_count = kept, d->kept_waits = 1, d->lists_due = 1;
    g->walls.count = g->walls.slots = 0; /* they come with the next call */
    d->slots_lost = 1, d->slots_handed = -1;
    return base->status;
}

/* ---- forcing -------------------------------------------------------------------------------------------------------------------------- */

static size_t table_numbers(const forcing_table *t)
{
    return (size_t)t->count * (size_t)(1 + t->width);
}

/// A table into the numbers at `at`; its pointers are then those of the device.
static void table_pack(forcing_table *t, double *host, double *device, size_t *at)
{
    const size_t times = (size_t)t->count, values = times * (size_t)t->width;
    if (times > 0) memcpy(host + *at, t->time, times * sizeof(double)); /* a table of none has no arrays */
    if (values > 0) memcpy(host + *at + times, t->value, values * sizeof(double));
    t->time = device + *at, t->value = device + *at + times, *at += times + values;
}

/// The forcing into the device: structs with the pointers of there, all tables in one array.
static void forcing_put(bed_device *d, const bed_forcing *f)
{
    gpu_base *base = &d->base;
    const size_t driven = (size_t)f->driven_count, loaded = (size_t)f->loaded_count;
    size_t numbers = 0, at = 0;
    for (size_t k = 0; k < driven; ++k)
        numbers += table_numbers(&f->driven[k].motion.velocity) + table_numbers(&f->driven[k].motion.spin);
    for (size_t k = 0; k < loaded; ++k)
        numbers += table_numbers(&f->loaded[k].load.force) + table_numbers(&f->loaded[k].load.moment);
    double *host = (double *)malloc((numbers + 1) * sizeof *host);
    bed_driven *on = (bed_driven *)malloc((driven + 1) * sizeof *on);
    bed_loaded *under = (bed_loaded *)malloc((loaded + 1) * sizeof *under);
    if (!host || !on || !under) gpu_fail(base, SCREE_ERR_MEMORY, "forcing", "out of memory");
    else {
        gpu_room(base, &d->tables, (numbers + 1) * sizeof *host);
        double *device = (double *)d->tables.at;
        if (driven > 0) memcpy(on, f->driven, driven * sizeof *on);
        if (loaded > 0) memcpy(under, f->loaded, loaded * sizeof *under);
        for (size_t k = 0; k < driven; ++k)
            table_pack(&on[k].motion.velocity, host, device, &at), table_pack(&on[k].motion.spin, host, device, &at);
        for (size_t k = 0; k < loaded; ++k)
            table_pack(&under[k].load.force, host, device, &at), table_pack(&under[k].load.moment, host, device, &at);
        gpu_copy(base, device, host, numbers * sizeof *host);
        gpu_fill(base, &d->driven, on, driven * sizeof *on);
        gpu_fill(base, &d->driven_plane, f->plane, (size_t)f->plane_count * sizeof *f->plane);
        gpu_fill(base, &d->loaded, under, loaded * sizeof *under);
    }
    free(host), free(on), free(under);
    d->now.forcing = *f;
    d->now.forcing.driven = (bed_driven *)d->driven.at, d->now.forcing.plane = (bed_driven_plane *)d->driven_plane.at;
    d->now.forcing.loaded = (bed_loaded *)d->loaded.at;
    if (f->loaded_count == 0) return;
    gpu_room(base, &d->place, loaded * sizeof(int32_t)), gpu_room(base, &d->work, 6 * loaded * sizeof(double));
    gpu_room(base, &d->given, (size_t)d->view.shape.count * sizeof(bed_load));
}

/// Its state back.
static void forcing_get(bed_device *d, bed_forcing *f)
{
    gpu_base *base = &d->base;
    const size_t driven = (size_t)f->driven_count;
    bed_driven *on = (bed_driven *)malloc((driven + 1) * sizeof *on);
    if (!on) gpu_fail(base, SCREE_ERR_MEMORY, "forcing", "out of memory");
    else gpu_copy(base, on, d->driven.at, driven * sizeof *on);
    for (size_t k = 0; k < driven && base->status == SCREE_OK; ++k) {
        const forcing_motion motion = f->driven[k].motion; /* the host's tables */
        f->driven[k] = on[k], f->driven[k].motion = motion;
    }
    free(on);
    if (base->status != SCREE_OK) return;
    f->time = d->now.forcing.time, f->step = d->now.forcing.step, f->work = d->now.forcing.work;
    f->half = d->now.forcing.half;
}

/// Where loaded spheres are, after lists or where others are loaded now.
static void places_find(bed_device *d)
{
    gpu_base *base = &d->base;
    const int loaded = d->now.forcing.loaded_count;
    if (!d->view.forced || loaded == 0) return;
    gpu_copy(base, d->state.at, &d->now, sizeof d->now);
    LAUNCH(base, gpu_nowhere, gpu_blocks(loaded), (int64_t)loaded, (int32_t *)d->place.at);
    gpu_zero(base, d->given.at, (size_t)d->view.shape.count * sizeof(bed_load));
    LAUNCH(base, gpu_places, gpu_blocks(d->view.shape.count), d->view, loaded, (int32_t *)d->place.at);
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------------------ */

static void step_launch(bed_device *d)
{
    gpu_base *base = &d->base;
    const int64_t chunks = d->view.chunks;
    const bed_device_shape *s = &d->view.shape;
    const int kind = s->stiffens ? 4 : s->equal && s->pairs == 1 ? 0 : 2;
    if (d->view.walls.count > 0) LAUNCH(base, gpu_walls_push, gpu_blocks(d->view.walls.slots), d->view);
    switch ((s->law == BED_SDS ? 0 : 6) + kind + (s->ledger ? 1 : 0)) {
    case 0: LAUNCH_SHARED(base, gpu_chunks_sds_single, chunks, sizeof(gpu_stage), d->view); break;
    case 1: LAUNCH_SHARED(base, gpu_chunks_sds_single_ledger, chunks, sizeof(gpu_stage), d->view); break;
    case 2: LAUNCH_SHARED(base, gpu_chunks_sds, chunks, sizeof(gpu_stage), d->view); break;
    case 3: LAUNCH_SHARED(base, gpu_chunks_sds_ledger, chunks, sizeof(gpu_stage), d->view); break;
    case 4: LAUNCH_SHARED(base, gpu_chunks_sds_growing, chunks, sizeof(gpu_stage), d->view); break;
    case 5: LAUNCH_SHARED(base, gpu_chunks_sds_growing_ledger, chunks, sizeof(gpu_stage), d->view); break;
    case 6: LAUNCH_SHARED(base, gpu_chunks_tracked_single, chunks, sizeof(gpu_stage), d->view); break;
    case 7: LAUNCH_SHARED(base, gpu_chunks_tracked_single_ledger, chunks, sizeof(gpu_stage), d->view); break;
    case 8: LAUNCH_SHARED(base, gpu_chunks_tracked, chunks, sizeof(gpu_stage), d->view); break;
    case 9: LAUNCH_SHARED(base, gpu_chunks_tracked_ledger, chunks, sizeof(gpu_stage), d->view); break;
    case 10: LAUNCH_SHARED(base, gpu_chunks_tracked_growing, chunks, sizeof(gpu_stage), d->view); break;
    default: LAUNCH_SHARED(base, gpu_chunks_tracked_growing_ledger, chunks, sizeof(gpu_stage), d->view); break;
    }
    LAUNCH(base, gpu_turn, 1, d->view, 1);
}

/// The deepest overlap that there is.
static double deepest_find(bed_device *d)
{
    gpu_base *base = &d->base;
    uint64_t *deepest = (uint64_t *)d->peak.at, found = 0; /* of no step: it is 0 again afterwards */
    LAUNCH(base, gpu_deepest, d->view.chunks, d->view, d->view.contact, 0, deepest);
    if (d->view.shape.planes > 0) LAUNCH(base, gpu_deepest, d->view.chunks, d->view, d->view.wall, 1, deepest);
    gpu_copy(base, &found, deepest, sizeof found);
    gpu_zero(base, deepest, sizeof found);
    return found ? gpu_number(found) : 0.0;
}

/// Which lists are used up, also by the last step of the call before, which ended with that step.
static void lists_look(bed_device *d)
{
    const gpu_now *now = &d->now;
    const double skin = d->view.shape.skin;
    if (2.0 * now->travel > skin || now->wall_travel > skin) d->lists_due = 1;
    if (2.0 * now->near_travel > d->view.inner) d->contacts_due = 1;
    /* a list of contacts out of pairs that are soon used up themselves would not last */
    if (d->contacts_due && 2.0 * now->travel + d->view.inner > skin) d->lists_due = 1;
}

/// Steps until something stops them. `now` is then what there is.
static void steps_run(bed_device *d)
{
    enum { AHEAD = 64 };
    gpu_base *base = &d->base;
    d->now.stop = GPU_GOES_ON, d->now.bad = d->now.refused = INT32_MAX;
    while (base->status == SCREE_OK && d->now.stop != GPU_DONE) {
        lists_look(d);
        if (d->lists_due || d->contacts_due) {
            lists_make(d);
            places_find(d);
        }
        if (!(d->now.scale > 0.0)) {
            const bed_device_shape *s = &d->view.shape;
            d->now.scale = bed_scale_first(&s->most, s->hertz, s->h, d->now.speed2, deepest_find(d));
        }
        d->now.stop = GPU_GOES_ON;
        now_put(d);
        LAUNCH(base, gpu_turn, 1, d->view, 0);
        while (base->status == SCREE_OK && d->now.stop == GPU_GOES_ON) {
            const int64_t left = d->now.wanted - d->now.taken;
            for (int64_t k = 0; k < left && k < AHEAD; ++k) step_launch(d);
            now_get(d);
        }
        if (d->now.stop == GPU_ROOM) d->walls_room *= 2, d->contacts_due = 1;
        if (d->now.stop == GPU_BAD || d->now.stop == GPU_REFUSED) return;
    }
}

/// Numbers of loaded spheres ascend: they are found by halving.
static int loads_ascend(const bed_forcing *f)
{
    for (int k = 1; k < f->loaded_count; ++k)
        if (f->loaded[k].id <= f->loaded[k - 1].id) return 0;
    return 1;
}

static scree_status device_advance(bed_device *d, bed_device_call *call)
{
    gpu_base *base = &d->base;
    bed_forcing *f = call->forcing;
    gpu_now *now = &d->now;
    const int64_t rebuilds = d->rebuilds, sorts = d->sorts;
    const double seconds = d->list_seconds;
    call->bad = call->refused = -1;
    if (f && !loads_ascend(f))
        gpu_fail(base, SCREE_ERR_DEVICE, "forcing", "loaded spheres must stand in the order of their numbers");
    if (base->status != SCREE_OK) return base->status;
    now->wanted = call->steps, now->taken = 0, now->half = f && f->half;
    now->scale = call->scale, now->speed2 = call->speed2, now->totals = call->totals, now->deepest = 0.0;
    memcpy(d->view.gravity, call->gravity, sizeof call->gravity);
    d->view.forced = f != NULL;
    if (f) forcing_put(d, f);
    d->view.walls.count = 0;
    if (f && call->walls) walls_put(d, call->walls, f);
    view_refresh(d);
    if (!f || (f->loaded_count == 0 && !call->walls)) d->view.given = NULL;
    if (!d->lists_due && !d->contacts_due) places_find(d);
    if (call->steps > 0) steps_run(d);
    if (f) forcing_get(d, f);
    if (f && call->walls) walls_get(d, call->walls);
    const size_t sums = (size_t)d->view.sums;
    double *last = (double *)malloc(sums * sizeof *last);
    if (!last) gpu_fail(base, SCREE_ERR_MEMORY, "sums", "out of memory");
    else gpu_copy(base, last, d->last.at, sums * sizeof *last);
    gpu_copy(base, call->plane, d->plane.at, (size_t)d->view.shape.planes * sizeof *call->plane);
    if (base->status == SCREE_OK && sums > GPU_PLANES)
        memcpy(call->plane_load, last + GPU_PLANES, (sums - GPU_PLANES) * sizeof *last);
    free(last);
    call->steps = now->taken, call->scale = now->scale, call->speed2 = now->speed2;
    call->totals = now->totals, call->deepest = now->deepest;
    if (now->bad < INT32_MAX) call->bad = now->bad;
    if (now->refused < INT32_MAX && f) call->refused = f->loaded[now->refused].id;
    call->rebuilds = d->rebuilds - rebuilds, call->sorts = d->sorts - sorts,
    call->list_seconds = d->list_seconds - seconds;
    if (base->status == SCREE_OK && call->refused >= 0) return SCREE_ERR_INPUT;
    return base->status;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------------------------ */

static scree_status device_read(bed_device *d, bed_record *record, double (*q)[4])
{
    gpu_base *base = &d->base;
    const int64_t n = d->view.shape.count;
    size_t at = 0;
    if (base->status != SCREE_OK || n == 0) return base->status;
    bed_record *out = (bed_record *)scratch_take(d, (size_t)n * sizeof *out, &at);
    LAUNCH(base, gpu_hand_records, gpu_blocks(n), d->view, (const int32_t *)d->handed.at, out);
    gpu_copy(base, record, out, (size_t)n * sizeof *out);
    if (!q || !d->view.shape.turns) return base->status;
    LAUNCH(base, gpu_hand_rotations, gpu_blocks(n), d->view, (const int32_t *)d->handed.at, (double(*)[4])(void *)out);
    gpu_copy(base, q, out, (size_t)n * sizeof *q);
    return base->status;
}

static scree_status device_contacts(bed_device *d, int64_t *count, int64_t *listed)
{
    memories_keep(d); /* contacts stay in the lists, too */
    *count = d->kept_count, *listed = d->listed;
    return d->base.status;
}

/// Out of the order of the device, on the host.
static scree_status device_read_contacts(bed_device *d, int64_t *kept_first, bed_kept_contact *kept)
{
    gpu_base *base = &d->base;
    const size_t n = (size_t)d->view.shape.count, contacts = (size_t)d->kept_count;
    int32_t *handed = (int32_t *)malloc((n + 1) * sizeof *handed);
    int64_t *first = (int64_t *)malloc((n + 1) * sizeof *first), sum = 0;
    bed_kept_contact *list = (bed_kept_contact *)malloc((contacts + 1) * sizeof *list);
    if (!handed || !first || !list) gpu_fail(base, SCREE_ERR_MEMORY, "contacts", "out of memory");
    else {
        gpu_copy(base, handed, d->handed.at, n * sizeof *handed);
        gpu_copy(base, first, d->kept_first.at, (n + 1) * sizeof *first);
        gpu_copy(base, list, d->kept.at, contacts * sizeof *list);
    }
    if (base->status == SCREE_OK) {
        for (size_t i = 0; i < n; ++i) kept_first[handed[i] + 1] = first[i + 1] - first[i];
        kept_first[0] = 0;
        for (size_t i = 0; i < n; ++i) sum += kept_first[i + 1], kept_first[i + 1] = sum;
        for (size_t i = 0; i < n; ++i)
            for (int64_t k = first[i], to = kept_first[handed[i]]; k < first[i + 1]; ++k, ++to) {
                kept[to] = list[k];
                if (list[k].partner >= 0) kept[to].partner = handed[list[k].partner];
            }
    }
    free(handed), free(first), free(list);
    return base->status;
}

static scree_status device_limit(bed_device *d, double h, int count, const int32_t *place, dem_rate *given,
                                 double *weight, int pair[2], dem_rate rate[2])
{
    gpu_base *base = &d->base;
    const int64_t n = d->view.shape.count, chunks = d->view.chunks;
    const int planes = d->view.shape.planes > 0;
    size_t at = 0;
    uint64_t most = 0, found[2] = {0, 0};
    *weight = 0.0;
    if (base->status != SCREE_OK || n == 0) return base->status;
    view_refresh(d);
    if (d->lists_due || d->contacts_due) lists_make(d), now_put(d);
    double(*sum)[2] = (double(*)[2])scratch_take(d, (size_t)n * sizeof *sum, &at);
    uint64_t *out = (uint64_t *)scratch_take(d, 3 * sizeof *out, &at);
    gpu_zero(base, sum, (size_t)n * sizeof *sum), gpu_zero(base, out, 3 * sizeof *out);
    LAUNCH(base, gpu_rates, chunks, d->view, d->view.contact, 0, h, sum);
    if (planes) LAUNCH(base, gpu_rates, chunks, d->view, d->view.wall, 1, h, sum);
    if (count > 0) {
        gpu_fill(base, &d->limit_place, place, (size_t)count * sizeof *place);
        gpu_fill(base, &d->limit_given, given, (size_t)count * sizeof *given);
        LAUNCH(base, gpu_rates_given, gpu_blocks(n), d->view, (const int32_t *)d->handed.at, count,
               (const int32_t *)d->limit_place.at, (double(*)[2])d->limit_given.at, sum);
        gpu_copy(base, given, d->limit_given.at, (size_t)count * sizeof *given);
    }
    LAUNCH(base, gpu_rates_worst, chunks, d->view, d->view.contact, 0, h, sum, out, NULL);
    if (planes) LAUNCH(base, gpu_rates_worst, chunks, d->view, d->view.wall, 1, h, sum, out, NULL);
    gpu_copy(base, &most, out, sizeof most);
    if (base->status != SCREE_OK || !(most && gpu_number(most) > 0.0)) return base->status;
    *weight = gpu_number(most);
    LAUNCH(base, gpu_rates_worst, chunks, d->view, d->view.contact, 0, h, sum, out, out + 1);
    if (planes) LAUNCH(base, gpu_rates_worst, chunks, d->view, d->view.wall, 1, h, sum, out, out + 2);
    gpu_copy(base, found, out + 1, sizeof found);
    const gpu_contacts *c = found[0] ? &d->view.contact : &d->view.wall;
    const int64_t slot = (int64_t)~found[found[0] ? 0 : 1];
    int32_t of[2] = {0, 0}, handed = 0;
    double numbers[2];
    if (base->status == SCREE_OK) gpu_copy(base, &of[0], c->i + slot, 4), gpu_copy(base, &of[1], c->j + slot, 4);
    for (int k = 0; k < 2 && base->status == SCREE_OK; ++k) {
        rate[k] = bed_rate_of(0.0, 0.0), pair[k] = -1 - of[k];
        if (k == 1 && !found[0]) continue;
        gpu_copy(base, &handed, (int32_t *)d->handed.at + of[k], sizeof handed);
        gpu_copy(base, numbers, sum + of[k], sizeof numbers);
        pair[k] = handed, rate[k] = bed_rate_of(numbers[0], numbers[1]);
    }
    return base->status;
}

/* ---- the table ---------------------------------------------------------------------------------------------------------------------------- */

static const char *device_message(const bed_device *d)
{
    return d->base.text;
}

static size_t device_bytes(const bed_device *d)
{
    return d->base.most_bytes;
}

static void device_fail_at(bed_device *d, int64_t call)
{
    d->base.fail_at = call > 0 ? d->base.calls + call : 0;
}

static void device_destroy(bed_device *d)
{
    if (!d) return;
    gpu_array *const all[] = {&d->record[0],
                              &d->record[1],
                              &d->q,
                              &d->id,
                              &d->material,
                              &d->given,
                              &d->place,
                              &d->work,
                              &d->plane,
                              &d->prepared,
                              &d->constant,
                              &d->wall_constant,
                              &d->state,
                              &d->sum,
                              &d->last,
                              &d->peak,
                              &d->order,
                              &d->handed,
                              &d->pair_first,
                              &d->pair,
                              &d->contact_memory,
                              &d->contact_ij,
                              &d->contact_pair,
                              &d->contact_bits,
                              &d->contact_first,
                              &d->wall_memory,
                              &d->wall_ij,
                              &d->wall_pair,
                              &d->wall_bits,
                              &d->wall_first,
                              &d->kept_first,
                              &d->kept,
                              &d->scratch,
                              &d->scan,
                              &d->tables,
                              &d->driven,
                              &d->driven_plane,
                              &d->loaded,
                              &d->walls_wall,
                              &d->walls_body,
                              &d->walls_mesh,
                              &d->walls_points,
                              &d->walls_pair,
                              &d->walls_friction,
                              &d->walls_inertia,
                              &d->walls_loaded,
                              &d->slot_sphere,
                              &d->slot_loaded,
                              &d->slot_first,
                              &d->slot_near,
                              &d->slot_q0,
                              &d->slot_carried,
                              &d->slot_held[0],
                              &d->slot_held[1],
                              &d->slot_touch[0],
                              &d->slot_touch[1],
                              &d->slot_memory[0],
                              &d->slot_memory[1],
                              &d->slot_sum,
                              &d->slot_value,
                              &d->slot_of,
                              &d->slot_id,
                              &d->limit_place,
                              &d->limit_given};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) gpu_free(&d->base, all[k]);
    free(d);
}

/// Without looking at what there is.
static scree_status device_make(bed_device **out, char text[BED_DEVICE_TEXT])
{
    *out = (bed_device *)calloc(1, sizeof **out);
    if (!*out) snprintf(text, BED_DEVICE_TEXT, "out of memory");
    return *out ? SCREE_OK : SCREE_ERR_MEMORY;
}

#define DEVICE_TABLE(of, list, create)                                                                                 \
    {                                                                                                                  \
        BED_DEVICE_VERSION, BED_DEVICE_SIZES, of, list, create, device_destroy, device_upload, device_advance,         \
            device_read, device_contacts, device_read_contacts, device_limit, device_message, device_bytes,            \
            device_fail_at                                                                                             \
    }

#endif
