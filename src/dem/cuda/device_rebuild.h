/* device_rebuild.h: when lists are made again: the kernels of device_lists.h one after the other, the arrays that grow for it, and what kernels
 * see of them. */
#ifndef SCREE_DEM_CUDA_DEVICE_REBUILD_H
#define SCREE_DEM_CUDA_DEVICE_REBUILD_H

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

#endif
