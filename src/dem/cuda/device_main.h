/* device_main.h: the functions of the table (device.h), over the kernels. Included by device.cu and device_twin.c. */
#ifndef SCREE_DEM_CUDA_DEVICE_MAIN_H
#define SCREE_DEM_CUDA_DEVICE_MAIN_H

#include "dem/cuda/device_lists.h"
#include "dem/cuda/device_step.h"

#include <time.h>

static double device_clock(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Contacts closer than this share of the skin are in the lists of chunks.
#define DEVICE_INNER 0.1

/* ---- what kernels see ---------------------------------------------------------------------------------------------------------------- */

static void contacts_view(const gpu_array *memory, const gpu_array *ij, const gpu_array *pair, const gpu_array *bits,
                          const gpu_array *first, int64_t room, gpu_contacts *to)
{
    to->memory = (double *)memory->at, to->i = (int32_t *)ij->at, to->j = to->i + room, to->pair = (uint16_t *)pair->at;
    to->bits = (uint8_t *)bits->at, to->room = room, to->first = (const int64_t *)first->at;
}

static void view_refresh(bed_device *d)
{
    gpu_view *g = &d->view;
    for (int k = 0; k < 2; ++k) g->record[k] = (bed_record *)d->record[k].at;
    g->q = (double(*)[4])d->q.at, g->id = (int32_t *)d->id.at, g->material = (uint16_t *)d->material.at;
    g->given = g->forced && d->given.at ? (bed_load *)d->given.at : NULL;
    g->place = (const int32_t *)d->place.at, g->work = (double *)d->work.at;
    g->plane = (bed_plane_now *)d->plane.at, g->prepared = (const bed_prepared *)d->prepared.at;
    g->constant = (const double(*)[BED_CONSTANTS][BED_LANES])d->constant.at;
    g->wall_constant = (const double(*)[BED_CONSTANTS][BED_LANES])d->wall_constant.at;
    g->now = (gpu_now *)d->state.at, g->sum = (double *)d->sum.at, g->last = (double *)d->last.at;
    g->peak = (uint64_t *)d->peak.at;
}

static void now_get(bed_device *d)
{
    gpu_copy(&d->base, &d->now, d->state.at, sizeof d->now);
}

static void now_put(bed_device *d)
{
    gpu_copy(&d->base, d->state.at, &d->now, sizeof d->now);
}

/* ---- lists ------------------------------------------------------------------------------------------------------------------------------ */

/// Scratch: the records that are not those of now, or memory of its own where they are too small. `at` counts what is taken.
static void *scratch_take(bed_device *d, size_t bytes, size_t *at)
{
    const gpu_array *records = &d->record[!d->now.parity];
    char *base = (char *)records->at;
    const size_t from = *at;
    *at += (bytes + 255) / 256 * 256;
    SCREE_ASSERT(*at <= records->bytes);
    return base + from;
}

static void bounds_find(bed_device *d)
{
    gpu_base *base = &d->base;
    size_t at = 0;
    uint64_t found[6];
    uint64_t *bound = (uint64_t *)scratch_take(d, sizeof found, &at);
    gpu_zero(base, bound, sizeof found);
    LAUNCH(base, gpu_bounds, gpu_blocks(d->view.shape.count), d->view, bound);
    gpu_copy(base, found, bound, sizeof found);
    if (base->status != SCREE_OK) return;
    for (int k = 0; k < 3; ++k)
        d->now.bounds[0][k] = gpu_number(~found[k]), d->now.bounds[1][k] = gpu_number(found[3 + k]);
    for (int k = 0; k < 3; ++k)
        if (d->view.shape.periodic[k])
            d->now.bounds[0][k] = d->view.shape.low[k],
            d->now.bounds[1][k] = d->view.shape.low[k] + d->view.shape.box[k];
}

static int bits_of_number(uint64_t most)
{
    int bits = 0;
    while (bits < 64 && most >> bits) ++bits;
    return bits;
}

/// Spheres along the curve; `order`: their old numbers.
static void spheres_sort(bed_device *d, const gpu_grids *grids)
{
    gpu_base *base = &d->base;
    const int64_t n = d->view.shape.count, blocks = gpu_blocks(n);
    const size_t size = (size_t)n;
    size_t at = 0;
    int most = 0;
    const gpu_grid *grid = &grids->level[0];
    uint64_t *key[2];
    int32_t *value[2];
    for (int k = 0; k < 2; ++k) key[k] = (uint64_t *)scratch_take(d, size * sizeof *key[k], &at);
    value[0] = (int32_t *)scratch_take(d, size * sizeof *value[0], &at);
    value[1] = (int32_t *)d->order.at;
    for (int a = 0; a < 3; ++a) most = grid->cells[a] > most ? grid->cells[a] : most;
    LAUNCH(base, gpu_codes, blocks, d->view, *grid, key[0], value[0]);
    gpu_sort(base, &d->scan, key, value, n, 3 * bits_of_number((uint64_t)most));
    LAUNCH(base, gpu_reorder_records, blocks, d->view, value[1]);
    LAUNCH(base, gpu_flip, 1, d->view);
    d->now.parity = !d->now.parity;
    at = 0;
    double(*q)[4] = (double(*)[4])scratch_take(d, size * sizeof *q, &at);
    int32_t(*names)[3] = (int32_t(*)[3])scratch_take(d, size * sizeof *names, &at);
    for (int back = 0; back < 2; ++back) {
        if (d->view.shape.turns) LAUNCH(base, gpu_reorder_rotations, blocks, d->view, value[1], q, back);
        LAUNCH(base, gpu_reorder_names, blocks, d->view, value[1], (int32_t *)d->handed.at, names, back);
    }
}

static void pairs_find(bed_device *d, const gpu_grids *grids)
{
    gpu_base *base = &d->base;
    const int64_t n = d->view.shape.count, blocks = gpu_blocks(n);
    const size_t size = (size_t)n, cells = (size_t)grids->cells;
    size_t at = 0;
    uint64_t *key[2];
    int32_t *value[2];
    gpu_search s;
    for (int k = 0; k < 2; ++k) key[k] = (uint64_t *)scratch_take(d, size * sizeof *key[k], &at);
    for (int k = 0; k < 2; ++k) value[k] = (int32_t *)scratch_take(d, size * sizeof *value[k], &at);
    LAUNCH(base, gpu_cells, blocks, d->view, *grids, key[0], value[0]);
    gpu_sort(base, &d->scan, key, value, n, bits_of_number((uint64_t)grids->cells));
    gpu_room(base, &d->scratch, cells * 2 * sizeof(int32_t));
    int32_t(*cell)[2] = (int32_t(*)[2])d->scratch.at;
    gpu_zero(base, cell, cells * sizeof *cell);
    LAUNCH(base, gpu_cell_ends, blocks, n, key[1], cell);
    s.grids = *grids, s.member = value[1], s.cell = (const int32_t(*)[2])cell;
    int32_t *count = value[0];
    int64_t *first = (int64_t *)d->pair_first.at;
    int64_t pairs = 0;
    LAUNCH(base, gpu_pairs_count, blocks, d->view, s, count);
    gpu_sum(base, &d->scan, count, first, n);
    gpu_copy(base, &pairs, first + n, sizeof pairs);
    d->listed = pairs;
    gpu_room(base, &d->pair, (size_t)(base->status == SCREE_OK ? pairs : 0) * sizeof(int32_t) + sizeof(int32_t));
    LAUNCH(base, gpu_pairs_write, blocks, d->view, s, first, (int32_t *)d->pair.at);
}

/// The memories of the contacts that there are, by their spheres, out of the lists.
static void memories_keep(bed_device *d)
{
    gpu_base *base = &d->base;
    const int64_t n = d->view.shape.count, chunks = d->view.chunks;
    size_t at = 0;
    if (d->kept_waits) return; /* they are there */
    int32_t *count = (int32_t *)scratch_take(d, (size_t)n * sizeof *count, &at);
    int64_t *first = (int64_t *)d->kept_first.at, kept = 0;
    gpu_zero(base, count, (size_t)n * sizeof *count);
    LAUNCH(base, gpu_kept_count, chunks, d->view.contact, count);
    if (d->view.shape.planes > 0) LAUNCH(base, gpu_kept_count, chunks, d->view.wall, count);
    gpu_sum(base, &d->scan, count, first, n);
    gpu_copy(base, &kept, first + n, sizeof kept);
    d->kept_count = base->status == SCREE_OK ? kept : 0;
    gpu_room(base, &d->kept, (size_t)(d->kept_count + 1) * sizeof(bed_kept_contact));
    gpu_zero(base, count, (size_t)n * sizeof *count);
    LAUNCH(base, gpu_kept_write, chunks, d->view.contact, 0, first, count, (bed_kept_contact *)d->kept.at);
    if (d->view.shape.planes > 0)
        LAUNCH(base, gpu_kept_write, chunks, d->view.wall, 1, first, count, (bed_kept_contact *)d->kept.at);
}

/// Room for so many contacts of a kind, and where those of each chunk begin.
static void contacts_room(bed_device *d, const int32_t *count, gpu_array *memory, gpu_array *ij, gpu_array *pair,
                          gpu_array *bits, gpu_array *first, gpu_contacts *to)
{
    gpu_base *base = &d->base;
    int64_t all = 0;
    gpu_sum(base, &d->scan, count, (int64_t *)first->at, d->view.chunks);
    gpu_copy(base, &all, (int64_t *)first->at + d->view.chunks, sizeof all);
    if (base->status != SCREE_OK) return;
    if (all > to->room || !memory->at) {
        const int64_t room = all + all / 32 + GPU_THREADS;
        const size_t size = (size_t)room;
        gpu_room(base, memory, size * BED_MEMORY * sizeof(double)), gpu_room(base, ij, 2 * size * sizeof(int32_t));
        gpu_room(base, pair, size * sizeof(uint16_t)), gpu_room(base, bits, size);
        if (base->status != SCREE_OK) return;
        contacts_view(memory, ij, pair, bits, first, room, to);
    }
    contacts_view(memory, ij, pair, bits, first, to->room, to);
}

/// Contacts anew from the pairs. `sorted`: the spheres have been.
static void contacts_make(bed_device *d, int sorted)
{
    /* what touched in the last step remembers, however fast it parted */
    const double apart = 2.1 * d->view.shape.h * sqrt(d->now.speed2), inner = DEVICE_INNER * d->view.shape.skin;
    d->view.inner = min2(max2(inner, apart), 0.5 * d->view.shape.skin);
    gpu_base *base = &d->base;
    const int64_t n = d->view.shape.count, blocks = gpu_blocks(n);
    const size_t chunks = (size_t)d->view.chunks;
    gpu_fill_with f;
    gpu_room(base, &d->scratch, 2 * chunks * sizeof(int32_t));
    int32_t *count = (int32_t *)d->scratch.at, *walls = count + chunks;
    f.pair_first = (const int64_t *)d->pair_first.at, f.pair = (const int32_t *)d->pair.at;
    gpu_zero(base, count, 2 * chunks * sizeof *count);
    LAUNCH(base, gpu_contacts_count, blocks, d->view, f.pair_first, f.pair, count, walls);
    contacts_room(d, count, &d->contact_memory, &d->contact_ij, &d->contact_pair, &d->contact_bits, &d->contact_first,
                  &d->view.contact);
    contacts_room(d, walls, &d->wall_memory, &d->wall_ij, &d->wall_pair, &d->wall_bits, &d->wall_first, &d->view.wall);
    gpu_zero(base, count, 2 * chunks * sizeof *count);
    f.kept = (const bed_kept_contact *)d->kept.at, f.kept_first = (const int64_t *)d->kept_first.at;
    f.order = sorted ? (const int32_t *)d->order.at : NULL, f.next = count, f.wall_next = walls;
    LAUNCH(base, gpu_contacts_write, blocks, d->view, f);
    d->kept_waits = 0;
}

/* ---- walls ---------------------------------------------------------------------------------------------------------------------------- */

/// Before spheres change their order: histories are up to date, and slots are known by how their spheres were handed over.
static void slots_hold(bed_device *d)
{
    gpu_base *base = &d->base;
    const int64_t n = d->view.shape.count;
    gpu_room(base, &d->slot_of, (size_t)n * sizeof(int32_t));
    int32_t *slot_of = (int32_t *)d->slot_of.at;
    const int32_t *handed = (const int32_t *)d->handed.at;
    if (d->slots_handed >= 0) {
        LAUNCH(base, gpu_slots_find, gpu_blocks(n), d->view, handed, d->slots_handed, (const int32_t *)d->slot_id.at,
               slot_of);
        return;
    }
    LAUNCH(base, gpu_slots_carry, gpu_blocks(d->view.walls.slots), d->view);
    LAUNCH(base, gpu_slots_none, gpu_blocks(n), n, slot_of);
    LAUNCH(base, gpu_slots_mark, gpu_blocks(d->view.walls.slots), d->view, handed, slot_of);
}

/// Room for so many slots, in the half of the contacts that is not in use, or in both.
static void slots_room(bed_device *d, int at, size_t slots)
{
    gpu_base *base = &d->base;
    const size_t contacts = slots * (size_t)d->walls_room;
    gpu_room(base, &d->slot_held[at], (slots + 1) * sizeof(int32_t));
    gpu_room(base, &d->slot_touch[at], (contacts + 1) * sizeof(scree_contact_point));
    gpu_room(base, &d->slot_memory[at], (contacts + 1) * sizeof(contact_memory));
}

static void slots_view(bed_device *d)
{
    gpu_walls *w = &d->view.walls;
    w->sphere = (const int32_t *)d->slot_sphere.at, w->loaded = (const int32_t *)d->slot_loaded.at;
    w->first = (const int64_t *)d->slot_first.at, w->near = (const int32_t *)d->slot_near.at;
    w->q0 = (double(*)[4])d->slot_q0.at, w->carried = (int64_t *)d->slot_carried.at;
    for (int k = 0; k < 2; ++k) {
        w->held[k] = (int32_t *)d->slot_held[k].at;
        w->touch[k] = (scree_contact_point *)d->slot_touch[k].at, w->memory[k] = (contact_memory *)d->slot_memory[k].at;
    }
    w->sum = (int64_t *)d->slot_sum.at, w->value = (double *)d->slot_value.at;
}

/// Slots anew, after slots_hold and the order of the spheres.
static void slots_make(bed_device *d)
{
    gpu_base *base = &d->base;
    gpu_walls *w = &d->view.walls;
    const int64_t n = d->view.shape.count, blocks = gpu_blocks(n);
    const int from = d->now.wall_at, to = !from;
    size_t at = 0;
    int64_t total[2] = {0, 0};
    gpu_slots_with f;
    int32_t *pairs = (int32_t *)scratch_take(d, (size_t)n * sizeof *pairs, &at),
            *has = (int32_t *)scratch_take(d, (size_t)n * sizeof *has, &at);
    int64_t *pair_first = (int64_t *)scratch_take(d, ((size_t)n + 1) * sizeof *pair_first, &at),
            *slot_first = (int64_t *)scratch_take(d, ((size_t)n + 1) * sizeof *slot_first, &at);
    f.handed = (const int32_t *)d->handed.at, f.slot_of = (const int32_t *)d->slot_of.at;
    f.held = w->held[from], f.touch = w->touch[from], f.memory = w->memory[from], f.room = w->room;
    now_put(d); /* which records are those of now: sorting has turned them over */
    LAUNCH(base, gpu_slots_count, blocks, d->view, f.handed, f.slot_of, f.held, pairs, has);
    gpu_sum(base, &d->scan, pairs, pair_first, n), gpu_sum(base, &d->scan, has, slot_first, n);
    gpu_copy(base, &total[0], pair_first + n, sizeof total[0]),
        gpu_copy(base, &total[1], slot_first + n, sizeof total[1]);
    if (base->status != SCREE_OK) return;
    const size_t slots = (size_t)total[1];
    gpu_room(base, &d->slot_near, ((size_t)total[0] + 1) * sizeof(int32_t));
    gpu_room(base, &d->slot_first, (slots + 1) * sizeof(int64_t));
    gpu_room(base, &d->slot_sphere, (slots + 1) * sizeof(int32_t));
    gpu_room(base, &d->slot_loaded, (slots + 1) * sizeof(int32_t));
    gpu_room(base, &d->slot_q0, (slots + 1) * 4 * sizeof(double));
    gpu_room(base, &d->slot_carried, (slots + 1) * sizeof(int64_t));
    slots_room(d, to, slots);
    w->slots = (int)slots, w->room = d->walls_room;
    slots_view(d);
    f.pair_first = pair_first, f.slot_first = slot_first;
    f.first = (int64_t *)d->slot_first.at, f.pair = (int32_t *)d->slot_near.at, f.sphere = (int32_t *)d->slot_sphere.at;
    f.loaded = (int32_t *)d->slot_loaded.at, f.held_now = w->held[to];
    f.touch_now = w->touch[to], f.memory_now = w->memory[to];
    LAUNCH(base, gpu_slots_write, blocks, d->view, f);
    slots_room(d, from, slots);
    slots_view(d);
    gpu_zero(base, d->slot_sum.at, (size_t)w->rows * EXACT_DIGITS * sizeof(int64_t));
    gpu_zero(base, d->given.at, (size_t)n * sizeof(bed_load));
    d->now.wall_at = to, d->slots_handed = -1;
    now_put(d);
}

/// Lists that are due. A device without memory for them has lost its state.
static void lists_make(bed_device *d)
{
    const double begin = device_clock();
    const int sorts = d->lists_due;
    if (d->view.shape.count > 0) {
        memories_keep(d);
        if (d->view.walls.count > 0) slots_hold(d);
        if (sorts) {
            bounds_find(d);
            const gpu_grids grids = gpu_grids_make(&d->view.shape, (const double(*)[3])d->now.bounds);
            spheres_sort(d, &grids);
            pairs_find(d, &grids);
        }
        contacts_make(d, sorts);
        if (d->view.walls.count > 0) slots_make(d);
    }
    if (sorts) d->now.travel = 0.0;
    d->now.near_travel = d->now.wall_travel = 0.0;
    d->lists_due = d->contacts_due = 0;
    d->rebuilds += 1, d->sorts += sorts;
    d->list_seconds += device_clock() - begin;
}

/* ---- handing over ------------------------------------------------------------------------------------------------------------------------ */

static scree_status device_upload(bed_device *d, const bed_device_bed *b)
{
    gpu_base *base = &d->base;
    const bed_device_shape *s = &b->shape;
    const size_t n = (size_t)s->count, pairs = (size_t)s->pairs;
    const int64_t kept = b->kept_first ? b->kept_first[n] : 0;
    gpu_view *g = &d->view;
    if (base->status != SCREE_OK) return base->status;
    g->shape = *s, g->inner = DEVICE_INNER * s->skin, g->chunks = (int)gpu_blocks(s->count);
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

/* ---- walls, there and back ---------------------------------------------------------------------------------------------------------------- */

/// An array of a mesh into the block at `at`; NULL: only its place is counted.
static void *mesh_part(char *host, char *device, size_t *at, const void *from, size_t bytes)
{
    const size_t begin = *at;
    *at += (bytes + 15) / 16 * 16;
    if (host && bytes > 0) memcpy(host + begin, from, bytes);
    return device ? device + begin : NULL;
}

/// All arrays of the meshes into one block; `to`: with pointers of the device.
static size_t meshes_pack(const soft_walls *w, char *host, char *device, mesh_data *to)
{
    size_t at = 0;
    for (int k = 0; k < w->meshes; ++k) {
        const mesh_data *m = w->mesh[k];
        const size_t t = (size_t)m->triangle_count, v = (size_t)m->vertex_count;
        mesh_data *out = &to[k];
        *out = *m;
        out->vertex = (double(*)[3])mesh_part(host, device, &at, m->vertex, v * sizeof *m->vertex);
        out->triangle = (int(*)[3])mesh_part(host, device, &at, m->triangle, t * sizeof *m->triangle);
        out->normal = (double(*)[3])mesh_part(host, device, &at, m->normal, t * sizeof *m->normal);
        out->beside = (int(*)[3])mesh_part(host, device, &at, m->beside, t * sizeof *m->beside);
        out->patch = (int *)mesh_part(host, device, &at, m->patch, t * sizeof *m->patch);
        out->ring_first = (int *)mesh_part(host, device, &at, m->ring_first, (v + 1) * sizeof *m->ring_first);
        out->ring = (int *)mesh_part(host, device, &at, m->ring, (size_t)m->ring_first[v] * sizeof *m->ring);
        out->boxes.node =
            (tree_box *)mesh_part(host, device, &at, m->boxes.node, (size_t)m->boxes.count * sizeof *m->boxes.node);
        out->boxes.leaf = NULL;
    }
    return at;
}

static void meshes_put(bed_device *d, const soft_walls *w)
{
    gpu_base *base = &d->base;
    mesh_data *to = (mesh_data *)malloc(((size_t)w->meshes + 1) * sizeof *to);
    const size_t bytes = to ? meshes_pack(w, NULL, NULL, to) : 0;
    char *host = (char *)malloc(bytes + 1);
    gpu_room(base, &d->walls_points, bytes + 1);
    if (!to || !host) gpu_fail(base, SCREE_ERR_MEMORY, "meshes", "out of memory");
    else if (base->status == SCREE_OK) {
        (void)meshes_pack(w, host, (char *)d->walls_points.at, to);
        gpu_copy(base, d->walls_points.at, host, bytes);
        gpu_fill(base, &d->walls_mesh, to, (size_t)w->meshes * sizeof *to);
    }
    free(to), free(host);
}

/// A contact's place among those of its sphere.
typedef struct slot_key {
    int id, wall, at; /* at: among the contacts that are handed over */
    uint64_t feature;
} slot_key;

static int slot_compare(const void *left, const void *right)
{
    const slot_key *a = (const slot_key *)left, *b = (const slot_key *)right;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    if (a->wall != b->wall) return a->wall < b->wall ? -1 : 1;
    return (a->feature > b->feature) - (a->feature < b->feature);
}

/// The index of the wall with this number of the world; they ascend.
static int wall_index(const soft_walls *w, int number)
{
    int low = 0, high = w->count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (w->wall[middle].number <= number) low = middle;
        else high = middle;
    }
    return low;
}

static slot_key slot_key_of(const soft_walls *w, int k)
{
    const scree_contact_point *t = &w->touch[k];
    slot_key key;
    key.at = k, key.feature = t->feature;
    key.id = t->shape_a < 0 ? t->body_a : t->body_b;
    key.wall = wall_index(w, t->shape_a < 0 ? t->shape_b : t->shape_a);
    return key;
}

/// Contacts by their spheres into the half 0; `slots` has room for one each. Returns how many slots there are.
static int slots_pack(const soft_walls *w, const slot_key *key, int room, int32_t *id, int32_t *held,
                      scree_contact_point *touch, contact_memory *memory)
{
    int slots = 0;
    for (int k = 0; k < w->contacts; ++k) {
        if (k == 0 || key[k].id != key[k - 1].id) id[slots] = key[k].id, held[slots++] = 0;
        const size_t to = (size_t)(slots - 1) * (size_t)room + (size_t)held[slots - 1]++;
        touch[to] = w->touch[key[k].at], memory[to] = w->memory[key[k].at];
        if (touch[to].shape_a < 0) touch[to].shape_b = key[k].wall;
        else touch[to].shape_a = key[k].wall;
    }
    return slots;
}

/// The contacts of the last step, which the host may have changed.
static void slots_put(bed_device *d, const soft_walls *w)
{
    gpu_base *base = &d->base;
    const size_t n = (size_t)w->contacts;
    int most = 0, slots = 0;
    slot_key *key = (slot_key *)malloc((n + 1) * sizeof *key);
    for (int k = 0; k < w->contacts && key; ++k) key[k] = slot_key_of(w, k);
    if (key && n > 0) qsort(key, n, sizeof *key, slot_compare);
    for (int k = 0, of = 0; k < w->contacts && key; ++k) {
        of = k > 0 && key[k].id == key[k - 1].id ? of + 1 : 1, slots += of == 1;
        most = of > most ? of : most;
    }
    if (d->walls_room < most) d->walls_room = most;
    const size_t room = (size_t)slots * (size_t)d->walls_room;
    int32_t *id = (int32_t *)malloc(((size_t)slots + 1) * sizeof *id),
            *held = (int32_t *)malloc(((size_t)slots + 1) * sizeof *held);
    scree_contact_point *touch = (scree_contact_point *)calloc(room + 1, sizeof *touch);
    contact_memory *memory = (contact_memory *)calloc(room + 1, sizeof *memory);
    if (!key || !id || !held || !touch || !memory) gpu_fail(base, SCREE_ERR_MEMORY, "walls", "out of memory");
    else {
        (void)slots_pack(w, key, d->walls_room, id, held, touch, memory);
        slots_room(d, 0, (size_t)slots);
        gpu_fill(base, &d->slot_id, id, (size_t)slots * sizeof *id);
        gpu_fill(base, &d->slot_held[0], held, (size_t)slots * sizeof *held);
        gpu_fill(base, &d->slot_touch[0], touch, room * sizeof *touch);
        gpu_fill(base, &d->slot_memory[0], memory, room * sizeof *memory);
    }
    free(key), free(id), free(held), free(touch), free(memory);
    d->view.walls.slots = 0, d->view.walls.room = d->walls_room;
    d->now.wall_at = 0, d->slots_handed = slots, d->contacts_due = 1;
    slots_view(d);
}

static void walls_put(bed_device *d, soft_walls *w, const bed_forcing *f)
{
    gpu_base *base = &d->base;
    gpu_walls *to = &d->view.walls;
    const size_t count = (size_t)w->count, materials = (size_t)w->materials;
    if (w->handed != d) {
        meshes_put(d, w);
        gpu_fill(base, &d->walls_wall, w->wall, count * sizeof *w->wall);
        gpu_fill(base, &d->walls_body, w->body, (size_t)w->bodies * sizeof *w->body);
        gpu_fill(base, &d->walls_pair, w->pair, materials * materials * sizeof *w->pair);
        gpu_fill(base, &d->walls_friction, w->friction, materials * sizeof *w->friction);
        gpu_fill(base, &d->walls_inertia, w->inverse_inertia, (size_t)w->numbers * sizeof *w->inverse_inertia);
        gpu_fill(base, &d->walls_loaded, w->loaded_mass, (size_t)f->loaded_count * sizeof *w->loaded_mass);
        w->handed = base->status == SCREE_OK ? d : NULL;
    }
    to->count = w->count, to->bodies = w->bodies, to->materials = w->materials;
    to->rows = WALL_SUMS + 3 * f->driven_count, to->moved = w->moved, to->by_hand = w->by_hand;
    to->wall = (const soft_wall *)d->walls_wall.at, to->body = (const soft_wall_body *)d->walls_body.at;
    to->mesh = (const mesh_data *)d->walls_mesh.at, to->pair = (const pair_friction *)d->walls_pair.at;
    to->friction = (const scree_friction *)d->walls_friction.at;
    to->inverse_inertia = (const double *)d->walls_inertia.at, to->loaded_mass = (const double *)d->walls_loaded.at;
    to->options = w->options, to->half_slack = w->half_slack;
    d->now.outside = w->outside;
    if (d->walls_room == 0) d->walls_room = 4;
    gpu_room(base, &d->slot_sum, (size_t)to->rows * EXACT_DIGITS * sizeof(int64_t));
    gpu_room(base, &d->slot_value, (size_t)to->rows * sizeof(double));
    gpu_room(base, &d->given, (size_t)d->view.shape.count * sizeof(bed_load) + 1);
    if (w->newer || d->slots_lost) slots_put(d, w);
    d->slots_lost = 0;
}

/// Room on the host for so many contacts, whatever they were.
static int walls_room(soft_walls *w, int count)
{
    const scree_allocator *a = &w->allocator;
    if (count <= w->room) return 1;
    const size_t room = (size_t)count + (size_t)count / 4;
    a->free(w->touch, a->context), a->free(w->memory, a->context);
    w->touch = (scree_contact_point *)a->alloc(room * sizeof *w->touch, 64, a->context);
    w->memory = (contact_memory *)a->alloc(room * sizeof *w->memory, 64, a->context);
    w->room = w->touch && w->memory ? (int)room : 0;
    return w->room > 0;
}

/// Contacts and ledger as the last step left them, back.
static void walls_get(bed_device *d, soft_walls *w)
{
    gpu_base *base = &d->base;
    const int64_t slots = d->view.walls.slots;
    size_t at = 0;
    int64_t count = 0;
    const int free_half = !d->now.wall_at; /* has room for them all */
    LAUNCH(base, gpu_slots_carry, gpu_blocks(slots), d->view);
    int64_t *first = (int64_t *)scratch_take(d, ((size_t)slots + 1) * sizeof *first, &at);
    if (slots > 0) {
        gpu_sum(base, &d->scan, d->view.walls.held[d->now.wall_at], first, slots);
        gpu_copy(base, &count, first + slots, sizeof count);
    }
    if (base->status != SCREE_OK) return;
    LAUNCH(base, gpu_slots_gather, gpu_blocks(slots), d->view, first, d->view.walls.touch[free_half],
           d->view.walls.memory[free_half]);
    w->contacts = 0;
    if (!walls_room(w, (int)count)) gpu_fail(base, SCREE_ERR_MEMORY, "walls", "out of memory");
    else {
        gpu_copy(base, w->touch, d->view.walls.touch[free_half], (size_t)count * sizeof *w->touch);
        gpu_copy(base, w->memory, d->view.walls.memory[free_half], (size_t)count * sizeof *w->memory);
    }
    if (base->status == SCREE_OK) w->contacts = (int)count, w->outside = d->now.outside, w->taken = 1;
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
    case 0: LAUNCH(base, gpu_chunks_sds_single, chunks, d->view); break;
    case 1: LAUNCH(base, gpu_chunks_sds_single_ledger, chunks, d->view); break;
    case 2: LAUNCH(base, gpu_chunks_sds, chunks, d->view); break;
    case 3: LAUNCH(base, gpu_chunks_sds_ledger, chunks, d->view); break;
    case 4: LAUNCH(base, gpu_chunks_sds_growing, chunks, d->view); break;
    case 5: LAUNCH(base, gpu_chunks_sds_growing_ledger, chunks, d->view); break;
    case 6: LAUNCH(base, gpu_chunks_tracked_single, chunks, d->view); break;
    case 7: LAUNCH(base, gpu_chunks_tracked_single_ledger, chunks, d->view); break;
    case 8: LAUNCH(base, gpu_chunks_tracked, chunks, d->view); break;
    case 9: LAUNCH(base, gpu_chunks_tracked_ledger, chunks, d->view); break;
    case 10: LAUNCH(base, gpu_chunks_tracked_growing, chunks, d->view); break;
    default: LAUNCH(base, gpu_chunks_tracked_growing_ledger, chunks, d->view); break;
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
