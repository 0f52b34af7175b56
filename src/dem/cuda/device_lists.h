/* device_lists.h: who may touch whom, on a device.
 *
 * Spheres are sorted by the Morton code of their cell. Each level of radii has a grid of its own, whose cells are as long as the largest
 * list distance in it (Ogarko & Luding 2012); a sphere looks for partners in the levels from its own on, where they are at most 27 cells away
 * each, and among equals for those with smaller numbers: so every pair is found once, and a large sphere has no long search. Two passes, one
 * that counts and one that writes.
 *
 * Pairs with a gap below the skin are listed; of these, contacts with a gap below `inner` go to the chunks of both partners, anew as soon as two
 * spheres may have come nearer by `inner`. Memories are first collected by their sphere i (kept), then taken up by the new contacts: old and
 * new lists need not stand side by side. Scratch lies in the records that are not those of now. */
#ifndef SCREE_DEM_CUDA_DEVICE_LISTS_H
#define SCREE_DEM_CUDA_DEVICE_LISTS_H

#include "dem/cuda/device_state.h"

/* ---- grids ------------------------------------------------------------------------------------------------------------------------- */

typedef struct gpu_grid {
    int cells[3];
    double low[3], inverse[3];
    int64_t first;
} gpu_grid;

typedef struct gpu_grids {
    gpu_grid level[BED_LEVELS];
    int64_t cells;
} gpu_grids;

SCREE_HD int gpu_level_of(const bed_device_shape *s, double radius)
{
    int k = 0;
    while (k < s->levels - 1 && radius > s->level_radius[k]) ++k;
    return k;
}

SCREE_HD int gpu_cell_along(const gpu_grid *g, int axis, double x)
{
    return int_within((x - g->low[axis]) * g->inverse[axis], 0, g->cells[axis] - 1);
}

SCREE_HD int64_t gpu_cell_of(const gpu_grid *g, const double *x)
{
    const int64_t c[3] = {gpu_cell_along(g, 0, x[0]), gpu_cell_along(g, 1, x[1]), gpu_cell_along(g, 2, x[2])};
    return g->first + (c[2] * g->cells[1] + c[1]) * g->cells[0] + c[0];
}

/// The bits of x (21 at most) with two zeros after each.
SCREE_HD uint64_t gpu_spread(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x1f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x1f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

static double gpu_grid_cut(const bed_device_shape *s, const double bounds[2][3], double cell, gpu_grid *g)
{
    double total = 1.0;
    for (int a = 0; a < 3; ++a) {
        const double low = s->periodic[a] ? s->low[a] : bounds[0][a],
                     length = s->periodic[a] ? s->box[a] : bounds[1][a] - low;
        double n = max2(1.0, min2(floor(length / cell), 2e6));
        if (s->periodic[a]) n = max2(n, 3.0);
        g->low[a] = low, g->cells[a] = (int)n, total *= n;
        g->inverse[a] = length > 0.0 ? n / length : 0.0;
    }
    return total;
}

/// Cells as long as the list distance of their level, or longer where there would be more than two per sphere.
static gpu_grids gpu_grids_make(const bed_device_shape *s, const double bounds[2][3])
{
    gpu_grids out;
    memset(&out, 0, sizeof out);
    for (int k = 0; k < s->levels; ++k) {
        double cell = 2.0 * s->level_radius[k] + s->skin;
        while (gpu_grid_cut(s, bounds, cell, &out.level[k]) > 2.0 * s->count + 64.0) cell *= 1.25;
        out.level[k].first = out.cells;
        out.cells += (int64_t)out.level[k].cells[0] * out.level[k].cells[1] * out.level[k].cells[2];
    }
    return out;
}

/* ---- sorting ---------------------------------------------------------------------------------------------------------------------- */

KERNEL(gpu_bounds, gpu_view g, uint64_t *bound)
{
    SHARED uint64_t own[6]; /* lows as complements, so that all are raised */
    const bed_record *record = g.record[g.now->parity];
    THREADS(t) if (t < 6) own[t] = 0;
    BARRIER;
    THREADS(t)
    {
        const int64_t i = BLOCK * GPU_THREADS + t;
        for (int k = 0; k < 3; ++k) {
            const uint64_t x = i < g.shape.count ? gpu_ordered(record[i].x[k]) : 0;
            gpu_raise_all(&own[k], i < g.shape.count ? ~x : 0), gpu_raise_all(&own[3 + k], x);
        }
    }
    BARRIER;
    THREADS(t) if (t < 6) gpu_raise(&bound[t], own[t]);
}

KERNEL(gpu_codes, gpu_view g, gpu_grid grid, uint64_t *key, int32_t *value)
{
    const bed_record *record = g.record[g.now->parity];
    EACH(i, g.shape.count)
    {
        uint64_t code = 0;
        for (int a = 0; a < 3; ++a) code |= gpu_spread((uint64_t)gpu_cell_along(&grid, a, record[i].x[a])) << a;
        key[i] = code, value[i] = (int32_t)i;
    }
}

KERNEL(gpu_reorder_records, gpu_view g, const int32_t *order)
{
    const bed_record *from = g.record[g.now->parity];
    bed_record *to = g.record[!g.now->parity];
    EACH(i, g.shape.count) to[i] = from[order[i]];
}

/// The rest goes through scratch, in the records of before.
KERNEL(gpu_reorder_rotations, gpu_view g, const int32_t *order, double (*scratch)[4], int back)
{
    EACH(i, g.shape.count)
    for (int k = 0; k < 4; ++k)
        if (back) g.q[i][k] = scratch[i][k];
        else scratch[i][k] = g.q[order[i]][k];
}

KERNEL(gpu_reorder_names, gpu_view g, const int32_t *order, int32_t *handed, int32_t (*scratch)[3], int back)
{
    EACH(i, g.shape.count)
    if (back) g.id[i] = scratch[i][0], g.material[i] = (uint16_t)scratch[i][1], handed[i] = scratch[i][2];
    else scratch[i][0] = g.id[order[i]], scratch[i][1] = g.material[order[i]], scratch[i][2] = handed[order[i]];
}

KERNEL(gpu_flip, gpu_view g)
{
    THREADS(t) if (t == 0) g.now->parity = !g.now->parity;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------------------------- */

KERNEL(gpu_cells, gpu_view g, gpu_grids grids, uint64_t *key, int32_t *value)
{
    const bed_record *record = g.record[g.now->parity];
    EACH(i, g.shape.count)
    {
        key[i] = (uint64_t)gpu_cell_of(&grids.level[gpu_level_of(&g.shape, record[i].x[3])], record[i].x);
        value[i] = (int32_t)i;
    }
}

/// First member of each cell and the end of them; both 0 where there is none.
KERNEL(gpu_cell_ends, int64_t count, const uint64_t *key, int32_t (*cell)[2])
{
    EACH(n, count)
    {
        if (n == 0 || key[n - 1] != key[n]) cell[key[n]][0] = (int32_t)n;
        if (n == count - 1 || key[n + 1] != key[n]) cell[key[n]][1] = (int32_t)n + 1;
    }
}

/// What a search needs.
typedef struct gpu_search {
    gpu_grids grids;
    const int32_t *member, (*cell)[2];
} gpu_search;

/// Cells along an axis in which spheres can lie that are nearer than `reach`, and how many; the first may lie before the border.
SCREE_HD int gpu_cells_reached(const bed_device_shape *s, const gpu_grid *g, int axis, double x, double reach,
                               int *first)
{
    if (!s->periodic[axis]) {
        *first = gpu_cell_along(g, axis, x - reach);
        return gpu_cell_along(g, axis, x + reach) - *first + 1;
    }
    const double low = floor((x - reach - g->low[axis]) * g->inverse[axis]),
                 high = floor((x + reach - g->low[axis]) * g->inverse[axis]);
    *first = int_within(low, -g->cells[axis], g->cells[axis]);
    const int last = int_within(high, -g->cells[axis], 2 * g->cells[axis]), n = last - *first + 1;
    return n < g->cells[axis] ? n : g->cells[axis]; /* no cell twice */
}

/// The partners of a sphere; written where `out` is not NULL. Returns how many.
SCREE_HD int gpu_partners(const gpu_view *g, const gpu_search *s, const bed_record *record, int32_t i, int32_t *out)
{
    const bed_record *r = &record[i];
    const bed_device_shape *shape = &g->shape;
    int count = 0;
    if (!(r->x[3] > 0.0)) return 0; /* it has left */
    const int own = gpu_level_of(shape, r->x[3]);
    for (int k = own; k < shape->levels; ++k) {
        const gpu_grid *grid = &s->grids.level[k];
        const double reach = r->x[3] + shape->level_radius[k] + shape->skin;
        int first[3], n[3];
        for (int a = 0; a < 3; ++a) n[a] = gpu_cells_reached(shape, grid, a, r->x[a], reach, &first[a]);
        for (int64_t at = 0; at < (int64_t)n[0] * n[1] * n[2]; ++at) {
            int64_t c[3] = {first[0] + at % n[0], first[1] + at / n[0] % n[1], first[2] + at / n[0] / n[1]};
            for (int a = 0; a < 3; ++a)
                c[a] += c[a] < 0 ? grid->cells[a] : c[a] >= grid->cells[a] ? -grid->cells[a] : 0;
            const int32_t *cell = s->cell[grid->first + (c[2] * grid->cells[1] + c[1]) * grid->cells[0] + c[0]];
            for (int32_t m = cell[0]; m < cell[1]; ++m) {
                const int32_t j = s->member[m];
                const bed_record *p = &record[j];
                if (k == own && g->id[j] >= g->id[i]) continue;
                if (!(p->x[3] > 0.0) || !(r->omega[3] > 0.0 || p->omega[3] > 0.0)) continue;
                const double far = r->x[3] + p->x[3] + shape->skin;
                if (!(gpu_distance2(shape, r->x, p->x) < far * far)) continue;
                if (out) out[count] = j;
                count += 1;
            }
        }
    }
    return count;
}

KERNEL(gpu_pairs_count, gpu_view g, gpu_search s, int32_t *count)
{
    EACH(i, g.shape.count) count[i] = gpu_partners(&g, &s, g.record[g.now->parity], (int32_t)i, NULL);
}

KERNEL(gpu_pairs_write, gpu_view g, gpu_search s, const int64_t *first, int32_t *pair)
{
    EACH(i, g.shape.count)(void) gpu_partners(&g, &s, g.record[g.now->parity], (int32_t)i, pair + first[i]);
}

/* ---- memories out of the old lists ---------------------------------------------------------------------------------------------- */

/// 1: the chunk of the contact's sphere i, which counts it. The other one has a copy.
SCREE_HD int gpu_is_first(const gpu_contacts *c, int64_t slot, int chunk)
{
    return gpu_chunk_of(c->i[slot], c->chunk_bits) == chunk;
}

KERNEL(gpu_kept_count, gpu_contacts c, int32_t *count)
{
    THREADS(t)
    for (int64_t k = c.first[BLOCK] + t; k < c.first[BLOCK + 1]; k += GPU_THREADS)
        if (c.bits[k] & BED_KEPT_LIVE && gpu_is_first(&c, k, (int)BLOCK)) (void)gpu_count(&count[c.i[k]], 1);
}

/// `next`: how many of a sphere have been written.
KERNEL(gpu_kept_write, gpu_contacts c, int planes, const int64_t *first, int32_t *next, bed_kept_contact *kept)
{
    THREADS(t) for (int64_t k = c.first[BLOCK] + t; k < c.first[BLOCK + 1]; k += GPU_THREADS)
    {
        if (!(c.bits[k] & BED_KEPT_LIVE) || !gpu_is_first(&c, k, (int)BLOCK)) continue;
        bed_kept_contact *to = &kept[first[c.i[k]] + gpu_count(&next[c.i[k]], 1)];
        for (int m = 0; m < BED_MEMORY; ++m) to->memory[m] = c.memory[m * c.room + k];
        to->partner = planes ? -1 - c.j[k] : c.j[k], to->bits = c.bits[k];
    }
}

/* ---- contacts ---------------------------------------------------------------------------------------------------------------------- */

SCREE_HD int gpu_is_near(const gpu_view *g, const bed_record *r, const bed_record *p)
{
    const double near = r->x[3] + p->x[3] + g->inner;
    return gpu_distance2(&g->shape, r->x, p->x) < near * near;
}

KERNEL(gpu_contacts_count, gpu_view g, const int64_t *first, const int32_t *pair, int32_t *count, int32_t *walls)
{
    const bed_record *record = g.record[g.now->parity];
    EACH(i, g.shape.count)
    {
        const int own = gpu_chunk_of((int32_t)i, g.chunk_bits);
        int more = 0;
        for (int64_t k = first[i]; k < first[i + 1]; ++k) {
            if (!gpu_is_near(&g, &record[i], &record[pair[k]])) continue;
            more += 1;
            if (gpu_chunk_of(pair[k], g.chunk_bits) != own)
                (void)gpu_count(&count[gpu_chunk_of(pair[k], g.chunk_bits)], 1);
        }
        if (more > 0) (void)gpu_count(&count[own], more);
        more = 0;
        for (int p = 0; p < g.shape.planes; ++p) more += gpu_near_plane(&g, &record[i], p);
        if (more > 0) (void)gpu_count(&walls[own], more);
    }
}

/// What is carried over, and where to.
typedef struct gpu_fill_with {
    const int64_t *pair_first, *kept_first;
    const int32_t *pair, *order; /* order: old numbers of the spheres, or NULL: they are as they were */
    const bed_kept_contact *kept;
    int32_t *next, *wall_next; /* (chunks) how many have been written */
} gpu_fill_with;

/// A contact into the next place of a chunk, with its memory if it had one.
DEVICE_INLINE void gpu_contact_write(const gpu_contacts *c, int64_t slot, int32_t i, int32_t j, int pair,
                                     const bed_kept_contact *had)
{
    c->i[slot] = i, c->j[slot] = j, c->pair[slot] = (uint16_t)pair, c->bits[slot] = (uint8_t)(had ? had->bits : 0u);
    for (int m = 0; m < BED_MEMORY; ++m) c->memory[m * c->room + slot] = had ? had->memory[m] : 0.0;
}

DEVICE_INLINE const bed_kept_contact *gpu_kept_of(const gpu_fill_with *f, int32_t i, int32_t partner)
{
    if (!f->kept) return NULL;
    if (f->order) i = f->order[i], partner = partner < 0 ? partner : f->order[partner];
    for (int64_t k = f->kept_first[i]; k < f->kept_first[i + 1]; ++k)
        if (f->kept[k].partner == partner) return &f->kept[k];
    return NULL;
}

KERNEL(gpu_contacts_write, gpu_view g, gpu_fill_with f)
{
    const bed_record *record = g.record[g.now->parity];
    EACH(s, g.shape.count)
    {
        for (int64_t k = f.pair_first[s]; k < f.pair_first[s + 1]; ++k) {
            const int32_t other = f.pair[k];
            if (!gpu_is_near(&g, &record[s], &record[other])) continue;
            const int larger = g.id[s] > g.id[other];
            const int32_t i = larger ? (int32_t)s : other, j = larger ? other : (int32_t)s;
            const int chunk[2] = {gpu_chunk_of(i, g.chunk_bits), gpu_chunk_of(j, g.chunk_bits)};
            const int odd = gpu_same_size(&g.shape, &record[i]) && gpu_same_size(&g.shape, &record[j]) ? 0 : BED_ODD;
            const bed_kept_contact *had = gpu_kept_of(&f, i, j);
            for (int side = 0; side < 1 + (chunk[0] != chunk[1]); ++side)
                gpu_contact_write(&g.contact, g.contact.first[chunk[side]] + gpu_count(&f.next[chunk[side]], 1), i, j,
                                  bed_pair_index(g.material[i], g.material[j]) | odd, had);
        }
        for (int p = 0; p < g.shape.planes; ++p) {
            if (!gpu_near_plane(&g, &record[s], p)) continue;
            const int chunk = gpu_chunk_of((int32_t)s, g.chunk_bits),
                      odd = gpu_same_size(&g.shape, &record[s]) ? 0 : BED_ODD;
            gpu_contact_write(&g.wall, g.wall.first[chunk] + gpu_count(&f.wall_next[chunk], 1), (int32_t)s, p,
                              bed_pair_index(g.material[s], g.plane[p].material) | odd,
                              gpu_kept_of(&f, (int32_t)s, -1 - p));
        }
    }
}

/* ---- in the order in which spheres were handed over ----------------------------------------------------------------------------------- */

KERNEL(gpu_numbers, int64_t count, int32_t *to)
{
    EACH(i, count) to[i] = (int32_t)i;
}

KERNEL(gpu_hand_records, gpu_view g, const int32_t *handed, bed_record *to)
{
    const bed_record *record = g.record[g.now->parity];
    EACH(i, g.shape.count) to[handed[i]] = record[i];
}

KERNEL(gpu_hand_rotations, gpu_view g, const int32_t *handed, double (*to)[4])
{
    EACH(i, g.shape.count)
    for (int k = 0; k < 4; ++k) to[handed[i]][k] = g.q[i][k];
}

/* ---- loaded spheres ------------------------------------------------------------------------------------------------------------------ */

KERNEL(gpu_nowhere, int64_t loaded, int32_t *place)
{
    EACH(i, loaded) place[i] = -1;
}

/// Where they are.
KERNEL(gpu_places, gpu_view g, int loaded, int32_t *place)
{
    const bed_record *record = g.record[g.now->parity];
    EACH(i, g.shape.count)
    {
        int low = 0, high = loaded; /* they stand in the order of their numbers */
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (g.now->forcing.loaded[middle].id < g.id[i]) low = middle + 1;
            else high = middle;
        }
        if (low < loaded && g.now->forcing.loaded[low].id == g.id[i])
            place[low] = record[i].x[3] > 0.0 ? (int32_t)i : -1;
    }
}

#endif
