/* bed_list.c: who may touch whom in a bed (bed_parts.h): sorting, search, and memories carried from old lists to new ones.
 *
 * Spheres are sorted by the Morton code of their cell, which is as long as the largest list distance; neighbours are then in the 27 cells
 * around. A pair goes into a block if its gap is below `inner`, else into the near list of its chunk; both in the order of (i, cells). The
 * lists hold while no two spheres can have come nearer by the skin: twice the sum of the largest steps. Pairs of the near lists need no
 * look while twice that sum since the last look is below their gap then: most were farther apart than `middle`, the rest, which come first, than
 * `inner`. So all moments follow from the state alone.
 *
 * Memory: loads are dead while lists are made, so what is found in the old lists lies there; keys of sorting and the records' copy lie in the
 * block array that will hold the new blocks. */
#include "base/memory.h"
#include "steppers/bed_parts.h"

#include <math.h>
#include <string.h>

typedef struct grid {
    int cells[3];
    double low[3], inverse[3]; /* inverse: of the length of a cell */
} grid;

/// Contacts of the old lists by their old sphere i: those of sphere k are entry[first[k]] to entry[first[k + 1]].
typedef struct old_contact {
    int32_t partner; /* old number of the sphere j, or -1 - plane */
    int32_t place;   /* block x 8 + lane                          */
} old_contact;

typedef struct search {
    bed *b;
    grid g;
    int32_t *order; /* (count) old number of each sphere */
    int32_t *first;
    old_contact *entry;
    int32_t wanted; /* the most pairs that a chunk has   */
} search;

/// Replaces an array by a larger one; what it held is lost.
static int grow(const bed *b, size_t size, size_t wanted, void **array, size_t *room)
{
    if (wanted <= *room) return 1;
    memory_free(&b->allocator, *array);
    *room = 0;
    *array = memory_raw_array(&b->allocator, wanted, size);
    if (!*array) return 0;
    *room = wanted;
    return 1;
}

/* ---- sorting ---------------------------------------------------------------------------------------------------------------- */

static void wrap(bed *b)
{
    for (int a = 0; a < 3; ++a) {
        if (!b->periodic[a]) continue;
        for (int i = 0; i < b->count; ++i) {
            double *x = &b->record[i].x[a], y = *x - b->low[a], back = b->box[a] * floor(y / b->box[a]);
            *x -= back;
            if (b->record[i].omega[3] > 0.0) b->came_round += back * b->gravity[a] / b->record[i].omega[3];
        }
    }
}

/// Cells as long as the list distance, or longer where there would be more than two per sphere.
static grid grid_make(bed *b)
{
    grid g;
    double length[3], cell = 2.0 * b->largest_radius + b->skin;
    for (int a = 0; a < 3; ++a) {
        double lo = b->low[a], hi = b->low[a] + b->box[a];
        if (!b->periodic[a]) {
            lo = hi = b->count > 0 ? b->record[0].x[a] : 0.0;
            for (int i = 1; i < b->count; ++i) lo = min2(lo, b->record[i].x[a]), hi = max2(hi, b->record[i].x[a]);
        }
        g.low[a] = lo, length[a] = hi - lo;
        b->bounds[0][a] = lo, b->bounds[1][a] = hi;
    }
    for (;; cell *= 1.25) {
        double total = 1.0;
        for (int a = 0; a < 3; ++a) {
            double n = max2(1.0, min2(floor(length[a] / cell), 2e6));
            if (b->periodic[a]) n = max2(n, 3.0);
            g.cells[a] = (int)n, total *= n;
            g.inverse[a] = length[a] > 0.0 ? n / length[a] : 0.0;
        }
        if (total <= 2.0 * b->count + 64.0) return g;
    }
}

static inline int cell_along(const grid *g, int axis, double x)
{
    int c = (int)((x - g->low[axis]) * g->inverse[axis]);
    return c < 0 ? 0 : c >= g->cells[axis] ? g->cells[axis] - 1 : c;
}

static inline size_t cell_index(const grid *g, const int c[3])
{
    return ((size_t)c[2] * (size_t)g->cells[1] + (size_t)c[1]) * (size_t)g->cells[0] + (size_t)c[0];
}

/// The bits of x (21 at most) with two zeros after each.
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x1f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x1f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

typedef struct sort_key {
    uint64_t code;
    int64_t sphere;
} sort_key;

/// Old numbers in the order of the codes of their cells, equal codes in the order they had: radix sort, 11 bits at a time.
static void sort_spheres(const bed *b, const grid *g, int32_t *order)
{
    enum { DIGIT = 11, BINS = 1 << DIGIT };
    sort_key *from = (sort_key *)(void *)b->spare, *to = from + b->count;
    uint64_t top = 0;
    int32_t bin[BINS];
    for (int i = 0; i < b->count; ++i) {
        uint64_t code = 0;
        for (int a = 0; a < 3; ++a) code |= spread((uint64_t)cell_along(g, a, b->record[i].x[a])) << a;
        from[i] = (sort_key){code, i}, top |= code;
    }
    for (int shift = 0; shift < 63 && top >> shift; shift += DIGIT) {
        memset(bin, 0, sizeof bin);
        for (int i = 0; i < b->count; ++i) bin[from[i].code >> shift & (BINS - 1)] += 1;
        for (int k = 0, sum = 0; k < BINS; ++k) {
            int n = bin[k];
            bin[k] = sum, sum += n;
        }
        for (int i = 0; i < b->count; ++i) to[bin[from[i].code >> shift & (BINS - 1)]++] = from[i];
        sort_key *t = from;
        from = to, to = t;
    }
    for (int i = 0; i < b->count; ++i) order[i] = (int32_t)from[i].sphere;
}

/// array <- array[order], through the spare blocks.
static void reorder(const bed *b, const int32_t *order, size_t size, void *array)
{
    unsigned char *copy = (unsigned char *)(void *)b->spare, *bytes = array;
    if (!array) return;
    for (int i = 0; i < b->count; ++i) memcpy(copy + (size_t)i * size, bytes + (size_t)order[i] * size, size);
    memcpy(array, copy, (size_t)b->count * size);
}

/// First sphere and end of every cell; the spheres are sorted.
static void fill_cells(const bed *b, const grid *g)
{
    size_t total = (size_t)g->cells[0] * (size_t)g->cells[1] * (size_t)g->cells[2];
    memset(b->cell, 0, 2 * total * sizeof *b->cell);
    for (int i = 0; i < b->count; ++i) {
        int c[3];
        for (int a = 0; a < 3; ++a) c[a] = cell_along(g, a, b->record[i].x[a]);
        int32_t *at = b->cell + 2 * cell_index(g, c);
        if (at[1] == 0) at[0] = i;
        at[1] = i + 1;
    }
}

/* ---- the old lists ------------------------------------------------------------------------------------------------------------ */

static int live_contacts(const bed *b)
{
    int sum = 0;
    for (int c = 0; c < b->chunks; ++c) {
        const bed_span *span[2] = {&b->chunk[c].block, &b->chunk[c].wall};
        for (int k = 0; k < 2; ++k)
            for (int n = 0; n < bed_blocks(span[k]->count); ++n)
                for (unsigned bits = b->block[span[k]->first + n].live; bits; bits &= bits - 1u) sum += 1;
    }
    return sum;
}

/// Counts (`entry` NULL), or writes, the live contacts of one span; `next` is first + 1 while counting, first while writing.
static void index_span(const bed *b, const bed_span *span, int planes, int32_t *next, old_contact *entry)
{
    for (int n = 0; n < bed_blocks(span->count); ++n) {
        const bed_block *k = &b->block[span->first + n];
        for (int l = 0; l < BED_LANES; ++l) {
            if (!(k->live >> l & 1)) continue;
            int32_t at = next[k->i[l]]++;
            if (entry) entry[at] = (old_contact){planes ? -1 - k->j[l] : k->j[l], (span->first + n) * BED_LANES + l};
        }
    }
}

static void index_old(search *s)
{
    bed *b = s->b;
    memset(s->first, 0, ((size_t)b->count + 2) * sizeof *s->first);
    /* counts two places on, so that after the sums first[k + 1] is where k's entries begin, and after writing, where they end */
    for (int write = 0; write < 2; ++write) {
        for (int c = 0; c < b->chunks; ++c) {
            index_span(b, &b->chunk[c].wall, 1, s->first + (write ? 1 : 2), write ? s->entry : NULL);
            index_span(b, &b->chunk[c].block, 0, s->first + (write ? 1 : 2), write ? s->entry : NULL);
        }
        for (int k = 1; k <= b->count + 1 && !write; ++k) s->first[k] += s->first[k - 1];
    }
}

/// Memory of a contact from the old lists, if it had one.
static void carry_over(const search *s, int i, int partner, bed_block *block, int lane)
{
    int32_t old = s->order[i];
    for (int32_t e = s->first[old]; e < s->first[old + 1]; ++e) {
        if (s->entry[e].partner != partner) continue;
        const bed_block *from = &s->b->block[s->entry[e].place / BED_LANES];
        int l = s->entry[e].place % BED_LANES;
        for (int k = 0; k < BED_MEMORY; ++k) block->memory[k][lane] = from->memory[k][l];
        block->live |= (uint8_t)(1u << lane);
        block->south |= (uint8_t)((from->south >> l & 1u) << lane);
        for (int k = 0; k < DEM_SPRINGS; ++k) block->kinetic[k] |= (uint8_t)((from->kinetic[k] >> l & 1u) << lane);
        return;
    }
}

/* ---- search ------------------------------------------------------------------------------------------------------------------- */

/// A stretch of spheres near a cell, and how far its image is moved.
typedef struct stretch {
    int32_t begin, end;
    double shift[3];
} stretch;

/// The non-empty cells around a cell.
static int around(const bed *b, const grid *g, const int c[3], stretch out[27])
{
    int n = 0, d[3], k[3];
    for (d[2] = -1; d[2] <= 1; ++d[2])
        for (d[1] = -1; d[1] <= 1; ++d[1])
            for (d[0] = -1; d[0] <= 1; ++d[0]) {
                int there = 1;
                stretch *s = &out[n];
                for (int a = 0; a < 3; ++a) {
                    k[a] = c[a] + d[a], s->shift[a] = 0.0;
                    if (k[a] >= 0 && k[a] < g->cells[a]) continue;
                    if (!b->periodic[a]) there = 0;
                    else if (k[a] < 0) k[a] += g->cells[a], s->shift[a] = -b->box[a];
                    else k[a] -= g->cells[a], s->shift[a] = b->box[a];
                }
                if (!there) continue;
                const int32_t *cell = b->cell + 2 * cell_index(g, k);
                if (cell[1] == 0) continue;
                s->begin = cell[0], s->end = cell[1], n += 1;
            }
    return n;
}

/// The pairs of sphere i, which is the one with the larger number. A pair for a block has i as its complement. Nine in ten candidates are
/// none: every one is written where the next pair will stand, which costs less than guessing. `out` has room for one more than `room`.
static int pairs_of(const bed *b, int i, const stretch *near, int stretches, bed_near *out, int count, int room)
{
    const bed_record *ri = &b->record[i];
    const double reach = ri->x[3] + b->skin, touch = ri->x[3] + b->inner;
    const int32_t id = b->id[i];
    const int moves = ri->omega[3] > 0.0;
    for (int k = 0; k < stretches; ++k) {
        const double x = ri->x[0] - near[k].shift[0], y = ri->x[1] - near[k].shift[1], z = ri->x[2] - near[k].shift[2];
        for (int j = near[k].begin; j < near[k].end; ++j) {
            const bed_record *rj = &b->record[j];
            double dx = x - rj->x[0], dy = y - rj->x[1], dz = z - rj->x[2], r2 = dx * dx + dy * dy + dz * dz;
            double far = reach + rj->x[3], close = touch + rj->x[3];
            out[count < room ? count : room] = (bed_near){i ^ -(r2 < close * close), j};
            count += (r2 < far * far) & (b->id[j] < id) & (moves || rj->omega[3] > 0.0);
        }
    }
    return count;
}

static void search_chunk(void *context, int begin, int end, int chunk, int worker)
{
    search *s = context;
    bed *b = s->b;
    bed_chunk *own = &b->chunk[chunk];
    stretch near[27];
    int stretches = 0, last[3] = {-1, -1, -1}, count = 0;
    (void)worker;
    own->near = (bed_span){chunk * b->near_each, 0, b->near_each};
    for (int i = begin; i < end; ++i) {
        int c[3];
        for (int a = 0; a < 3; ++a) c[a] = cell_along(&s->g, a, b->record[i].x[a]);
        if (memcmp(c, last, sizeof c) != 0) stretches = around(b, &s->g, c, near), memcpy(last, c, sizeof c);
        count = pairs_of(b, i, near, stretches, b->near + own->near.first, count, own->near.room - 1);
    }
    own->near.count = count;
}

static int near_make(bed *b, int each)
{
    memory_free(&b->allocator, b->near);
    b->near_each = 0;
    b->near = memory_raw_array(&b->allocator, (size_t)b->chunks * (size_t)each + 1, sizeof *b->near);
    if (!b->near) return 0;
    b->near_each = each;
    return 1;
}

/// Repeated with more room until all pairs fit: the room is kept, so this happens while a bed grows denser.
static scree_status find_pairs(search *s)
{
    bed *b = s->b;
    int first = 4 * (b->count < BED_CHUNK ? b->count : BED_CHUNK) + 1; /* of a bed that is not yet dense */
    if (!b->near && !near_make(b, first)) return SCREE_ERR_MEMORY;
    for (;;) {
        int most = 0;
        parallel_for(b->pool, b->count, BED_CHUNK, search_chunk, s);
        for (int c = 0; c < b->chunks; ++c) most = b->chunk[c].near.count > most ? b->chunk[c].near.count : most;
        if (most < b->near_each) return SCREE_OK;
        if (!near_make(b, most + most / 16 + 1)) return SCREE_ERR_MEMORY;
    }
}

/* ---- blocks -------------------------------------------------------------------------------------------------------------------- */

static int leaves_chunk(int i, int j)
{
    return i / BED_CHUNK != j / BED_CHUNK;
}

static int near_plane(const bed *b, int i, int plane)
{
    const bed_plane_now *p = &b->plane[plane];
    const double *x = b->record[i].x;
    double d[3] = {x[0] - p->point[0], x[1] - p->point[1], x[2] - p->point[2]};
    return vec_dot(p->n, d) - x[3] < b->skin && b->record[i].omega[3] > 0.0;
}

/// Counts what each chunk will hold, into the rooms of its spans.
static void count_new(bed *b)
{
    for (int c = 0; c < b->chunks; ++c) b->chunk[c].incoming.room = 0;
    for (int c = 0; c < b->chunks; ++c) {
        bed_chunk *own = &b->chunk[c];
        int end = (c + 1) * BED_CHUNK < b->count ? (c + 1) * BED_CHUNK : b->count;
        own->block = own->wall = own->row = (bed_span){0};
        for (int k = 0; k < own->near.count; ++k) {
            const bed_near *p = &b->near[own->near.first + k];
            if (p->i >= 0) continue;
            own->block.room += 1;
            if (!leaves_chunk(~p->i, p->j)) continue;
            own->row.room += 1, b->chunk[p->j / BED_CHUNK].incoming.room += 1;
        }
        for (int i = c * BED_CHUNK; i < end; ++i)
            for (int p = 0; p < b->planes; ++p) own->wall.room += near_plane(b, i, p);
    }
}

/// Ends of the stretches that have been given out.
typedef struct ends {
    size_t blocks, incoming;
    int rows;
} ends;

/// Stretches of the arrays for what has been counted, and one part in `slack` more: contacts come between two searches.
static void give_room(bed_chunk *own, int slack, ends *at)
{
    int contacts = own->block.room, leaving = own->row.room, coming = own->incoming.room;
    own->wall = (bed_span){(int32_t)at->blocks, 0, bed_blocks(own->wall.room)}, at->blocks += (size_t)own->wall.room;
    own->block = (bed_span){(int32_t)at->blocks, 0, bed_blocks(contacts + contacts / slack) + 2};
    at->blocks += (size_t)own->block.room;
    own->row = (bed_span){at->rows, 0, leaving + 2 * leaving / slack + 8}, at->rows += own->row.room;
    own->incoming = (bed_span){(int32_t)at->incoming, 0, coming + 2 * coming / slack + 8};
    at->incoming += (size_t)own->incoming.room;
}

/// A new lane, without memory. The first lane of a block fills the others, so that they read what exists.
static bed_block *lane_add(bed_block *blocks, bed_span *span, int i, int j, int target, int pair)
{
    bed_block *block = &blocks[span->first + span->count / BED_LANES];
    int lane = span->count++ % BED_LANES;
    if (lane == 0) memset(block, 0, sizeof *block);
    for (int l = lane; l < BED_LANES; ++l)
        block->i[l] = i, block->j[l] = j, block->target[l] = target, block->pair[l] = (uint16_t)pair;
    block->used |= (uint8_t)(1u << lane);
    return block;
}

/// A contact of two spheres into its chunk's blocks. NULL: no room.
static bed_block *contact_add(const bed *b, bed_chunk *own, bed_block *blocks, int i, int j)
{
    int target = j;
    if (own->block.count == own->block.room * BED_LANES) return NULL;
    if (leaves_chunk(i, j)) {
        if (own->row.count == own->row.room) return NULL;
        target = own->row.first + own->row.count++;
    }
    b->loaded[i] = 1;
    if (target == j) b->loaded[j] = 1; /* of another chunk: when it is told */
    return lane_add(blocks, &own->block, i, j, target, bed_pair_index(b->material[i], b->material[j]));
}

/// How far apart a pair of a near list is: 0 closer than `inner`, 1 closer than `middle`, else 2.
static int nearness(const bed *b, const bed_near *pair)
{
    const bed_record *i = &b->record[pair->i], *j = &b->record[pair->j];
    double r2 = 0.0, radii = i->x[3] + j->x[3], close = radii + b->inner, middle = radii + b->middle;
    for (int a = 0; a < 3; ++a) {
        double d = bed_nearest_image(b, a, i->x[a] - j->x[a]);
        r2 += d * d;
    }
    return (r2 >= close * close) + (r2 >= middle * middle);
}

/// Puts a pair to the `kept` ones of a near list, in front if it is soon.
static int keep_near(bed_chunk *own, bed_near *list, int kept, bed_near pair, int soon)
{
    list[kept] = pair;
    if (!soon) return kept + 1;
    list[kept] = list[own->soon], list[own->soon++] = pair;
    return kept + 1;
}

/// New blocks of a chunk into the spare array; what is left of its pairs is its near list.
static void fill_chunk(void *context, int begin, int end, int chunk, int worker)
{
    search *s = context;
    bed *b = s->b;
    bed_chunk *own = &b->chunk[chunk];
    bed_near *pair = b->near + own->near.first;
    int kept = 0;
    (void)worker;
    own->soon = 0;
    for (int i = begin; i < end; ++i)
        for (int p = 0; p < b->planes; ++p) {
            if (!near_plane(b, i, p)) continue;
            bed_block *block = lane_add(b->spare, &own->wall, i, p, b->count + chunk * b->planes + p,
                                        bed_pair_index(b->material[i], b->plane[p].material));
            carry_over(s, i, -1 - p, block, (own->wall.count - 1) % BED_LANES);
            b->loaded[i] = 1;
        }
    for (int k = 0; k < own->near.count; ++k) {
        if (pair[k].i >= 0) {
            kept = keep_near(own, pair, kept, pair[k], nearness(b, &pair[k]) < 2);
            continue;
        }
        bed_block *block = contact_add(b, own, b->spare, ~pair[k].i, pair[k].j);
        SCREE_ASSERT(block);
        carry_over(s, ~pair[k].i, s->order[pair[k].j], block, (own->block.count - 1) % BED_LANES);
    }
    own->near.count = kept;
    own->known = 0;
}

/// Tells the chunks of the spheres j about rows that came since `known`. 0: no room; the counts are then what is needed.
static int announce_rows(bed *b)
{
    int first = bed_first_row(b), fits = 1;
    for (int c = 0; c < b->chunks; ++c) {
        bed_chunk *own = &b->chunk[c];
        for (int k = own->known; k < own->block.count; ++k) {
            const bed_block *block = &b->block[own->block.first + k / BED_LANES];
            int target = block->target[k % BED_LANES], j = block->j[k % BED_LANES];
            if (target < first) continue;
            bed_span *in = &b->chunk[j / BED_CHUNK].incoming;
            b->loaded[j] = 1;
            if (in->count < in->room) b->incoming[in->first + in->count] = (bed_incoming){j, target};
            fits &= in->count++ < in->room;
        }
        own->known = own->block.count;
    }
    return fits;
}

/// The chunk that a row belongs to: the last one whose rows begin at or before it.
static int row_owner(const bed *b, int row)
{
    int low = 0, high = b->chunks;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (b->chunk[middle].row.first <= row) low = middle;
        else high = middle;
    }
    return low;
}

void bed_lists_mark(bed *b)
{
    memset(b->loaded, 0, (size_t)b->count);
    for (int c = 0; c < b->chunks; ++c)
        for (int planes = 0; planes < 2; ++planes) {
            const bed_span *span = planes ? &b->chunk[c].wall : &b->chunk[c].block;
            for (int k = 0; k < span->count; ++k) {
                const bed_block *block = &b->block[span->first + k / BED_LANES];
                b->loaded[block->i[k % BED_LANES]] = 1;
                if (!planes) b->loaded[block->j[k % BED_LANES]] = 1;
            }
        }
}

void bed_lists_link(bed *b)
{
    int links = 0;
    for (int c = 0; c < b->chunks; ++c) b->chunk[c].link = -1;
    for (int c = 0; c < b->chunks; ++c) {
        bed_chunk *own = &b->chunk[c];
        const bed_span *rows = NULL; /* of the last sender */
        own->senders = 0;
        for (int k = 0; k < own->incoming.count; ++k) {
            int row = b->incoming[own->incoming.first + k].row;
            if (rows && row >= rows->first && row - rows->first < rows->room) continue;
            bed_chunk *sender = &b->chunk[row_owner(b, row)];
            rows = &sender->row, own->senders += 1;
            b->link[links] = (bed_link){c, sender->link}, sender->link = links++;
        }
        atomic_store_explicit(&b->awaited[c], own->senders + 1, memory_order_relaxed);
    }
}

/* ---- arrays --------------------------------------------------------------------------------------------------------------- */

/// Room for the scratch of sorting in the spare blocks, and for the old lists' index in the loads.
static scree_status scratch_room(bed *b, search *s)
{
    size_t count = (size_t)b->count, live = (size_t)live_contacts(b);
    size_t bytes = (count * 96 > 2 * count * sizeof(sort_key) ? count * 96 : 2 * count * sizeof(sort_key));
    size_t blocks = bytes / sizeof(bed_block) + 1, index = (2 * count + 2) * sizeof(int32_t);
    if (!grow(b, sizeof(bed_block), blocks, (void **)&b->spare, &b->spare_room)) return SCREE_ERR_MEMORY;
    index = (index + sizeof(old_contact) - 1) / sizeof(old_contact) * sizeof(old_contact);
    size_t loads = (index + live * sizeof(old_contact)) / sizeof(bed_load) + 1;
    if (!grow(b, sizeof(bed_load), loads, (void **)&b->load, &b->load_room)) return SCREE_ERR_MEMORY;
    s->order = (int32_t *)(void *)b->load, s->first = s->order + count;
    s->entry = (old_contact *)(void *)((char *)(void *)b->load + index);
    return SCREE_OK;
}

static int grow_cells(bed *b, const grid *g)
{
    size_t total = (size_t)g->cells[0] * (size_t)g->cells[1] * (size_t)g->cells[2];
    return grow(b, 2 * sizeof *b->cell, total, (void **)&b->cell, &b->cell_room);
}

/// Arrays for what give_room gave out. A sixteenth more than that, so that they rarely grow again.
static int grow_lists(bed *b, const ends *at)
{
    size_t blocks = at->blocks, incoming = at->incoming;
    return (blocks <= b->spare_room ||
            grow(b, sizeof(bed_block), blocks + blocks / 16, (void **)&b->spare, &b->spare_room)) &&
           (incoming <= b->incoming_room ||
            (grow(b, sizeof(bed_incoming), incoming + incoming / 16, (void **)&b->incoming, &b->incoming_room) &&
             grow(b, sizeof(bed_link), incoming + incoming / 16, (void **)&b->link, &b->link_room))) &&
           (!b->keep || grow(b, sizeof(bed_kept), blocks + blocks / 16, (void **)&b->kept, &b->kept_room));
}

/// Loads, all 0.
static int make_loads(bed *b, const ends *at)
{
    if (!grow(b, sizeof(bed_load), (size_t)at->rows, (void **)&b->load, &b->load_room)) return 0;
    memset(b->load, 0, (size_t)at->rows * sizeof *b->load);
    return 1;
}

static void swap_blocks(bed *b)
{
    bed_block *block = b->block;
    size_t room = b->block_room;
    b->block = b->spare, b->spare = block;
    b->block_room = b->spare_room, b->spare_room = room;
}

/* ---- the two entries ---------------------------------------------------------------------------------------------------------------- */

scree_status bed_lists_make(bed *b)
{
    search s = {.b = b};
    ends at = {.rows = bed_first_row(b)};
    wrap(b);
    s.g = grid_make(b);
    scree_status status = scratch_room(b, &s);
    if (status != SCREE_OK) return status;
    if (!grow_cells(b, &s.g)) return SCREE_ERR_MEMORY;

    sort_spheres(b, &s.g, s.order);
    index_old(&s);
    reorder(b, s.order, sizeof *b->record, b->record);
    reorder(b, s.order, sizeof *b->id, b->id);
    reorder(b, s.order, sizeof *b->material, b->material);
    reorder(b, s.order, sizeof *b->q, b->q);
    reorder(b, s.order, sizeof *b->given, b->given);
    memset(b->loaded, 0, (size_t)b->count);
    fill_cells(b, &s.g);
    status = find_pairs(&s);
    if (status != SCREE_OK) return status;

    count_new(b);
    for (int c = 0; c < b->chunks; ++c) give_room(&b->chunk[c], 16, &at);
    if (!grow_lists(b, &at)) return SCREE_ERR_MEMORY;
    parallel_for(b->pool, b->count, BED_CHUNK, fill_chunk, &s);
    swap_blocks(b);
    announce_rows(b);
    bed_lists_link(b);
    if (!make_loads(b, &at)) return SCREE_ERR_MEMORY;
    b->travel = b->wall_travel = b->soon_travel = b->near_travel = 0.0;
    b->rebuilds += 1;
    return SCREE_OK;
}

/// A chunk that says in its rooms what it wants.
static bed_chunk wanted(const bed_chunk *own)
{
    bed_chunk w = *own;
    w.block.room = own->block.count + own->overflow, w.row.room = own->row.count + own->overflow;
    w.wall.room = own->wall.count, w.incoming.room = own->incoming.count;
    return w;
}

/// The blocks of a chunk to where it is now, in the spare array; its rows have moved too.
static void move_blocks(const bed *b, const bed_chunk *from, bed_chunk *to)
{
    bed_block *block = b->spare + to->block.first;
    to->wall.count = from->wall.count, to->block.count = from->block.count, to->row.count = from->row.count;
    to->known = 0;
    memcpy(b->spare + to->wall.first, b->block + from->wall.first,
           (size_t)bed_blocks(from->wall.count) * sizeof *block);
    memcpy(block, b->block + from->block.first, (size_t)bed_blocks(from->block.count) * sizeof *block);
    for (int k = 0; k < bed_blocks(from->block.count); ++k)
        for (int l = 0; l < BED_LANES; ++l)
            if (block[k].target[l] >= bed_first_row(b)) block[k].target[l] += to->row.first - from->row.first;
}

/// More room for blocks where there was too little. Loads are 0 before and after.
static scree_status widen(bed *b)
{
    const int slack = 4; /* who comes here fills quickly */
    ends at = {.rows = bed_first_row(b)};
    for (int c = 0; c < b->chunks; ++c) {
        bed_chunk w = wanted(&b->chunk[c]);
        give_room(&w, slack, &at);
    }
    if (!grow_lists(b, &at) || !make_loads(b, &at)) return SCREE_ERR_MEMORY;
    at = (ends){.rows = bed_first_row(b)};
    for (int c = 0; c < b->chunks; ++c) {
        bed_chunk from = b->chunk[c];
        b->chunk[c] = wanted(&from);
        give_room(&b->chunk[c], slack, &at);
        move_blocks(b, &from, &b->chunk[c]);
    }
    swap_blocks(b);
    announce_rows(b);
    return SCREE_OK;
}

typedef struct look_of {
    bed *b;
    int all;
} look_of;

static void look_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const look_of *look = context;
    bed *b = look->b;
    bed_chunk *own = &b->chunk[chunk];
    bed_near *list = b->near + own->near.first;
    int kept = 0, seen = look->all ? own->near.count : own->soon, rest = own->near.count - seen;
    (void)begin, (void)end, (void)worker;
    own->overflow = own->soon = 0;
    for (int k = 0; k < seen; ++k) {
        bed_near pair = list[k];
        int apart = nearness(b, &pair);
        if (apart == 0) { /* after one that did not fit, none is taken: their order is that of a chunk with room */
            if (!own->overflow && contact_add(b, own, b->block, pair.i, pair.j)) continue;
            own->overflow += 1;
        }
        kept = keep_near(own, list, kept, pair, !look->all || apart < 2);
    }
    int gone = seen - kept, fill = gone < rest ? gone : rest; /* the last ones fill the gap */
    memmove(list + kept, list + own->near.count - fill, (size_t)fill * sizeof *list);
    own->near.count -= gone;
}

scree_status bed_lists_look(bed *b, int all)
{
    look_of look = {b, all};
    for (;;) {
        parallel_for(b->pool, b->count, BED_CHUNK, look_chunk, &look);
        int fits = announce_rows(b);
        for (int c = 0; c < b->chunks; ++c) fits &= b->chunk[c].overflow == 0;
        if (fits) break;
        scree_status status = widen(b);
        if (status != SCREE_OK) return status;
    }
    bed_lists_link(b);
    b->soon_travel = 0.0;
    if (all) b->near_travel = 0.0;
    return SCREE_OK;
}
