/* bed_list.c: who may touch whom in a bed (bed_parts.h): the search, and memories carried from old lists to new ones.
 *
 * The spheres are sorted by cells (bed_order.c). Neighbours of the main level, that of the most spheres, are for each other in the 27 cells
 * around. Into other levels, and from them, a sphere looks at the cells that its list distance from the largest sphere there reaches, a few of a
 * coarser grid and many of a finer one; it takes the pairs in which it is the one with the larger number, so nobody finds one twice. A pair
 * goes into a block if its gap is below `inner`, else into the near list of its chunk; both in the order of (i, cells). The lists hold while no
 * two spheres can have come nearer by the skin: twice the sum of the largest steps. Pairs of the near lists need no look while twice that sum
 * since the last look is below their gap then: most were farther apart than `middle`, the rest, which come first, than `inner`. So all moments
 * follow from the state alone.
 *
 * Memory: near lists, loads and rows are dead while lists are made. Keys of sorting lie in the near lists, cells and then what is found in the
 * old lists in the loads. Blocks of a chunk are made anew in its own array, from a copy that its thread takes, which lies in the rows; contacts
 * whose sphere i comes into another chunk are put there before. So no second array of blocks is kept. */
#include "base/memory.h"
#include "dem/spheres/bed_blocks.h"
#include "dem/spheres/bed_order.h"

#include <math.h>
#include <string.h>

/// Contacts of the old lists by their old sphere i: those of sphere k are entry[first[k]] to entry[first[k + 1]].
typedef struct old_contact {
    int32_t partner; /* old number of the sphere j, or -1 - plane */
    int32_t place; /* block x 8 + lane of its old chunk's blocks; after carry_out ~(block x 8 + lane) of search.moved */
} old_contact;

typedef struct search {
    bed *b;
    bed_cells level[BED_LEVELS];
    int32_t *member; /* (count) spheres of the other levels than the main one, by level and cell */
    int32_t *order;  /* (count) old number of each sphere */
    int32_t *first;
    old_contact *entry;
    bed_chunk *old_chunk; /* the old lists */
    int old_chunks, old_each;
    bed_block *moved; /* memories of contacts that change their chunk      */
    int moved_count;
    bed_block
        *stay; /* (stays x most) the old blocks of a chunk: of every thread, or of every chunk where these are fewer */
    int stays, most;
} search;

/* ---- the old lists ------------------------------------------------------------------------------------------------------------ */

static int live_contacts(const bed *b)
{
    int sum = 0;
    for (int c = 0; c < b->chunks; ++c)
        for (int g = 0; g < BED_GROUPS; ++g)
            for (int n = 0; n < bed_blocks(b->chunk[c].group[g].count); ++n)
                for (unsigned bits = bed_group_blocks(b, c, g)[n].live; bits; bits &= bits - 1u) sum += 1;
    return sum;
}

/// Counts (`entry` NULL), or writes, the live contacts of one span; `next` is first + 1 while counting, first while writing.
static void index_span(const bed_block *block, const bed_span *span, int planes, int32_t *next, old_contact *entry)
{
    for (int n = 0; n < bed_blocks(span->count); ++n) {
        const bed_block *k = &block[span->first + n];
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
        for (int c = 0; c < s->old_chunks; ++c)
            for (int g = 0; g < BED_GROUPS; ++g)
                index_span(b->store[c].block, &s->old_chunk[c].group[g], g == BED_WALL, s->first + (write ? 1 : 2),
                           write ? s->entry : NULL);
        for (int k = 1; k <= b->count + 1 && !write; ++k) s->first[k] += s->first[k - 1];
    }
}

/// 1: a sphere comes from another chunk.
static int changes_chunk(const search *s, int i)
{
    return s->order[i] / s->old_each != i / s->b->each;
}

/// How many contacts change their chunk.
static int count_moved(const search *s)
{
    int sum = 0;
    for (int i = 0; i < s->b->count && s->old_chunks > 0; ++i)
        if (changes_chunk(s, i)) sum += s->first[s->order[i] + 1] - s->first[s->order[i]];
    return sum;
}

/// Memories of contacts that change their chunk, out of the old blocks.
static void carry_out(search *s)
{
    int count = 0;
    for (int i = 0; i < s->b->count && s->moved_count > 0; ++i) {
        const int32_t old = s->order[i];
        if (!changes_chunk(s, i)) continue;
        for (int32_t e = s->first[old]; e < s->first[old + 1]; ++e, ++count) {
            const bed_block *block = s->b->store[old / s->old_each].block;
            bed_block *to = &s->moved[count / BED_LANES];
            const int32_t place = s->entry[e].place;
            if (count % BED_LANES == 0) memset(to, 0, sizeof *to);
            bed_remember(&block[place / BED_LANES], place % BED_LANES, to, count % BED_LANES);
            s->entry[e].place = ~count;
        }
    }
}

/// Memory of the contact in the last lane of a block from the old lists, if it had one. `stay`: the old blocks of its chunk.
static void carry_over(const search *s, const bed_block *stay, int i, int partner, bed_block *block)
{
    int32_t old = s->order[i];
    int lane = 0;
    while (block->used >> lane > 1) ++lane;
    for (int32_t e = s->first[old]; e < s->first[old + 1]; ++e) {
        if (s->entry[e].partner != partner) continue;
        const int32_t place = s->entry[e].place, at = place < 0 ? ~place : place;
        bed_remember((place < 0 ? s->moved : stay) + at / BED_LANES, at % BED_LANES, block, lane);
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
static int around(const bed *b, const bed_cells *g, const int c[3], stretch out[27])
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
                const int32_t *cell = b->cell + 2 * bed_cell_index(g, k);
                if (cell[1] == 0) continue;
                s->begin = cell[0], s->end = cell[1], n += 1;
            }
    return n;
}

/// The pairs of sphere i, which is the one with the larger number. A pair for a block has i as its complement. Nine in ten candidates are
/// none: every one is written where the next pair will stand, which costs less than guessing. `out` has room for one more than `room`.
/// `member` NULL: stretches are of spheres, else of members.
static inline int pairs_of(const bed *b, int i, const stretch *near, int stretches, const int32_t *member,
                           bed_near *out, int count, int room)
{
    const bed_record *ri = &b->record[i];
    const double reach = ri->x[3] + b->skin, touch = ri->x[3] + b->inner;
    const int32_t id = b->id[i];
    const int moves = ri->omega[3] > 0.0;
    for (int k = 0; k < stretches; ++k) {
        const double x = ri->x[0] - near[k].shift[0], y = ri->x[1] - near[k].shift[1], z = ri->x[2] - near[k].shift[2];
        for (int n = near[k].begin; n < near[k].end; ++n) {
            const int j = member ? member[n] : n;
            const bed_record *rj = &b->record[j];
            double dx = x - rj->x[0], dy = y - rj->x[1], dz = z - rj->x[2], r2 = dx * dx + dy * dy + dz * dz;
            double far = reach + rj->x[3], close = touch + rj->x[3];
            out[count < room ? count : room] = (bed_near){i ^ -(r2 < close * close), j};
            count += (r2 < far * far) & (b->id[j] < id) & (moves || rj->omega[3] > 0.0);
        }
    }
    return count;
}

/// Cells along an axis that a sphere at x looks into; over a periodic border they go on.
static void cells_reached(const bed *b, const bed_cells *g, int axis, double x, double reach, int out[2])
{
    if (!b->periodic[axis]) {
        out[0] = bed_cell_along(g, axis, x - reach), out[1] = bed_cell_along(g, axis, x + reach);
        return;
    }
    const int least = -g->cells[axis], most = 2 * g->cells[axis]; /* an image to each side */
    out[0] = int_within(floor((x - reach - g->low[axis]) * g->inverse[axis]), least, most);
    out[1] = int_within(floor((x + reach - g->low[axis]) * g->inverse[axis]), least, most);
}

/// A cell that may lie behind a periodic border, back into the box; how far that image of it is moved.
static int cell_back(const bed *b, const bed_cells *g, int axis, int c, double *shift)
{
    const int over = c < 0 ? -1 : c >= g->cells[axis];
    *shift = over * b->box[axis];
    return c - over * g->cells[axis];
}

/// The pairs of sphere i with those of a level, whatever its own is.
static int pairs_in_level(const search *s, int i, int level, bed_near *out, int count, int room)
{
    const bed *b = s->b;
    const bed_cells *g = &s->level[level];
    const double *x = b->record[i].x;
    int range[3][2], k[3], c[3];
    stretch at;
    if (g->least >= b->id[i]) return count; /* they take the pairs themselves */
    for (int a = 0; a < 3; ++a) cells_reached(b, g, a, x[a], x[3] + b->level_radius[level] + b->skin, range[a]);
    for (k[2] = range[2][0]; k[2] <= range[2][1]; ++k[2]) {
        c[2] = cell_back(b, g, 2, k[2], &at.shift[2]);
        for (k[1] = range[1][0]; k[1] <= range[1][1]; ++k[1]) {
            c[1] = cell_back(b, g, 1, k[1], &at.shift[1]);
            for (k[0] = range[0][0]; k[0] <= range[0][1]; ++k[0]) {
                c[0] = cell_back(b, g, 0, k[0], &at.shift[0]);
                const int32_t *cell = b->cell + 2 * bed_cell_index(g, c);
                at.begin = cell[0], at.end = cell[1];
                if (at.begin >= at.end) continue;
                if (level == b->main_level) count = pairs_of(b, i, &at, 1, NULL, out, count, room);
                else count = pairs_of(b, i, &at, 1, s->member, out, count, room);
            }
        }
    }
    return count;
}

static void search_chunk(void *context, int begin, int end, int chunk, int worker)
{
    search *s = context;
    bed *b = s->b;
    bed_chunk *own = &b->chunk[chunk];
    const bed_cells *g = &s->level[b->main_level];
    stretch near[27];
    int stretches = 0, last[3] = {-1, -1, -1}, count = 0;
    (void)worker;
    own->near = (bed_span){chunk * b->near_each, 0, b->near_each};
    bed_near *out = b->near + own->near.first;
    const int room = own->near.room - 1;
    for (int i = begin; i < end; ++i) {
        int c[3], level = bed_level_of(b, b->record[i].x[3]);
        if (level == b->main_level) {
            for (int a = 0; a < 3; ++a) c[a] = bed_cell_along(g, a, b->record[i].x[a]);
            if (memcmp(c, last, sizeof c) != 0) stretches = around(b, g, c, near), memcpy(last, c, sizeof c);
            count = pairs_of(b, i, near, stretches, NULL, out, count, room);
        }
        for (int k = 0; k < b->levels; ++k)
            if (k != b->main_level || level != k) count = pairs_in_level(s, i, k, out, count, room);
    }
    own->near.count = count;
}

/// Near lists for so many pairs in each chunk; nothing is in them.
static int near_make(bed *b, int each)
{
    memory_free(&b->allocator, b->near);
    b->near = memory_raw_array(&b->allocator, (size_t)b->chunk_room * (size_t)each + 1, sizeof *b->near);
    b->near_each = b->near ? each : 0, b->near_chunks = b->chunk_room;
    return b->near != NULL;
}

/// Near lists, with room for two keys of every sphere.
static int near_begin(bed *b)
{
    enum { PAIRS = BED_ORDER_KEYS / sizeof(bed_near) };
    const int first = PAIRS * b->each + 1; /* of a bed that is not yet dense */
    if (b->near && b->near_chunks >= b->chunks && b->near_each >= first) return 1;
    return near_make(b, first > b->near_each ? first : b->near_each);
}

/// Repeated with more room until all pairs fit: the room is kept, so this happens while a bed grows denser.
static scree_status find_pairs(search *s)
{
    bed *b = s->b;
    for (;;) {
        int most = 0;
        parallel_for(b->pool, b->count, b->each, search_chunk, s);
        for (int c = 0; c < b->chunks; ++c) most = b->chunk[c].near.count > most ? b->chunk[c].near.count : most;
        if (most < b->near_each) return SCREE_OK;
        if (!near_make(b, most + most / 16 + 1)) return SCREE_ERR_MEMORY;
    }
}

/* ---- blocks ----------------------------------------------------------------------------------------------------------------------- */

int bed_near_plane(const bed *b, int i, int plane)
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
        int end = (c + 1) * b->each < b->count ? (c + 1) * b->each : b->count;
        memset(own->group, 0, sizeof own->group);
        for (int k = 0; k < own->near.count; ++k) {
            const bed_near *p = &b->near[own->near.first + k];
            if (p->i >= 0) continue;
            int leaves = bed_leaves_chunk(b, ~p->i, p->j);
            own->group[leaves ? BED_ACROSS : BED_WITHIN].room += 1;
            b->chunk[p->j / b->each].incoming.room += leaves;
        }
        for (int i = c * b->each; i < end; ++i)
            for (int p = 0; p < b->planes; ++p) own->group[BED_WALL].room += bed_near_plane(b, i, p);
    }
}

/// New blocks of a chunk; what is left of its pairs is its near list.
static void fill_chunk(void *context, int begin, int end, int chunk, int worker)
{
    search *s = context;
    bed *b = s->b;
    bed_chunk *own = &b->chunk[chunk];
    bed_near *pair = b->near + own->near.first;
    bed_block *blocks = b->store[chunk].block,
              *stay = s->stay + (size_t)(s->stays < b->chunks ? worker : chunk) * (size_t)s->most;
    const int old = chunk < s->old_chunks ? bed_extent(&s->old_chunk[chunk]) : 0;
    int kept = 0;
    own->soon = 0;
    if (old > 0) memcpy(stay, blocks, (size_t)old * sizeof *stay);
    for (int i = begin; i < end; ++i)
        for (int p = 0; p < b->planes; ++p) {
            if (!bed_near_plane(b, i, p)) continue;
            bed_block *block = bed_lane_add(blocks, &own->group[BED_WALL], i, p,
                                            bed_pair_index(b->material[i], b->plane[p].material) | bed_odd(b, i));
            carry_over(s, stay, i, -1 - p, block);
        }
    for (int k = 0; k < own->near.count; ++k) {
        if (pair[k].i >= 0) {
            kept = bed_keep_near(own, pair, kept, pair[k], bed_nearness(b, &pair[k]) < 2);
            continue;
        }
        bed_block *block = bed_contact_add(b, own, blocks, ~pair[k].i, pair[k].j);
        SCREE_ASSERT(block);
        carry_over(s, stay, ~pair[k].i, s->order[pair[k].j], block);
    }
    bed_live_first(blocks, own, BED_WALL, BED_ACROSS);
    own->near.count = kept;
}

/* ---- arrays --------------------------------------------------------------------------------------------------------------- */

/// Room in the loads for the new order, and first for the cells of sorting, then for the old lists' index.
static scree_status scratch_room(bed *b, search *s)
{
    const size_t count = (size_t)b->count, live = (size_t)live_contacts(b), size = sizeof(old_contact);
    const size_t sorting = count * sizeof(int32_t) + bed_order_scratch(b, &s->level[b->main_level]);
    const size_t index = ((3 * count + 2) * sizeof(int32_t) + size - 1) / size * size;
    const size_t bytes = sorting > index + live * size ? sorting : index + live * size;
    if (!bed_grow(b, sizeof(bed_load), bytes / sizeof(bed_load) + 1, (void **)&b->load, &b->load_room))
        return SCREE_ERR_MEMORY;
    s->order = (int32_t *)(void *)b->load, s->member = s->order + count, s->first = s->member + count;
    s->entry = (old_contact *)(void *)((char *)(void *)b->load + index);
    return SCREE_OK;
}

/// Room for the new lists, and in the rows for what is carried over.
static scree_status lists_room(search *s)
{
    bed *b = s->b;
    const int slack = b->grows ? 4 : 16;
    bed_ends at = {0};
    for (int c = 0; c < b->chunks; ++c) {
        const int old = c < s->old_chunks ? bed_extent(&s->old_chunk[c]) : 0;
        const int blocks = bed_give_room(&b->chunk[c], slack);
        bed_give_rows(&b->chunk[c], slack, &at);
        s->most = old > s->most ? old : s->most;
        if (!bed_store_grow(b, c, blocks, old)) return SCREE_ERR_MEMORY;
    }
    s->moved_count = count_moved(s);
    const int threads = scree_pool_threads(b->pool);
    s->stays = threads < b->chunks ? threads : b->chunks;
    const size_t stay = (size_t)s->stays * (size_t)s->most, moved = (size_t)bed_blocks(s->moved_count);
    if (!bed_grow_rows(b, &at, ((stay + moved) * sizeof(bed_block) + sizeof(bed_row) - 1) / sizeof(bed_row)))
        return SCREE_ERR_MEMORY;
    s->stay = (bed_block *)(void *)b->row, s->moved = s->stay + stay;
    return SCREE_OK;
}

static int grow_cells(bed *b, const bed_cells *last)
{
    return bed_grow(b, 2 * sizeof *b->cell, last->first + bed_cells_of(last), (void **)&b->cell, &b->cell_room);
}

/* ---- new lists ---------------------------------------------------------------------------------------------------------------------- */

/// Arrays of as many chunks as there will be; those of the old lists stay aside until the new ones are there.
static int chunks_begin(bed *b, search *s)
{
    int each, chunks = bed_cut(b, &each);
    s->old_chunk = b->chunk, s->old_chunks = b->chunks, s->old_each = b->each;
    if (chunks > b->chunk_room || !b->chunk_spare) {
        const int room = chunks + (b->grows ? chunks / 2 + 2 : 0);
        const scree_allocator *a = &b->allocator;
        bed_chunk *spare = memory_array(a, (size_t)room + 1, sizeof *spare),
                  *kept = memory_array(a, (size_t)room + 1, sizeof *kept);
        bed_load *plane_load = memory_array(a, 2 * (size_t)room * (size_t)b->planes + 1, sizeof *plane_load);
        double(*loss)[2 * BED_LOSSES][BED_LANES] =
            b->has_ledger ? memory_array(a, (size_t)room + 1, sizeof *loss) : NULL;
        bed_store *store = memory_array(a, (size_t)room + 1, sizeof *store);
        if (!spare || !kept || !plane_load || !store || (b->has_ledger && !loss)) {
            MEMORY_FREE_ALL(a, spare, kept, plane_load, store, loss);
            return 0;
        }
        if (b->chunk)
            memcpy(kept, b->chunk, (size_t)b->chunks * sizeof *kept); /* the old lists, until the new ones are made */
        if (b->store) memcpy(store, b->store, (size_t)b->chunk_room * sizeof *store);
        MEMORY_FREE_ALL(a, b->chunk, b->chunk_spare, b->plane_load, b->store, b->loss);
        s->old_chunk = kept, b->chunk_spare = spare, b->store = store;
        b->plane_load = plane_load, b->loss = loss, b->chunk_room = room;
    }
    b->chunk = b->chunk_spare, b->chunks = chunks, b->each = each;
    return bed_room_for_threads(b);
}

/// The old lists again; their near pairs are gone, so new ones are due.
static scree_status chunks_take_back(bed *b, const search *s)
{
    b->chunk_spare = b->chunk == s->old_chunk ? b->chunk_spare : b->chunk;
    b->chunk = s->old_chunk, b->chunks = s->old_chunks, b->each = s->old_each, b->lists_due = 1;
    return SCREE_ERR_MEMORY;
}

scree_status bed_lists_make(bed *b)
{
    search s = {.b = b};
    const double apart =
        min2(2.1 * b->h * sqrt(b->speed2), 0.5 * b->skin); /* of what touched in the last step: it remembers */
    if (b->sizes_due) bed_sizes_find(b);
    b->inner = max2(b->least[0], apart), b->middle = max2(b->least[1], apart);
    bed_grids_cut(b, s.level);
    scree_status status = scratch_room(b, &s);
    if (status != SCREE_OK) return status;
    if (!grow_cells(b, &s.level[b->levels - 1])) return SCREE_ERR_MEMORY;
    if (!chunks_begin(b, &s) || !near_begin(b)) return chunks_take_back(b, &s);

    bed_order_find(b, &s.level[b->main_level], s.order);
    index_old(&s);
    bed_reorder(b, s.order, 0);
    bed_cells_fill(b, s.level, s.member);
    status = find_pairs(&s);
    if (status == SCREE_OK) {
        count_new(b);
        status = lists_room(&s);
    }
    if (status != SCREE_OK) {
        bed_reorder(b, s.order, 1);
        return chunks_take_back(b, &s);
    }
    carry_out(&s);
    parallel_for(b->pool, b->count, b->each, fill_chunk, &s);
    for (int c = b->chunks; c < s.old_chunks; ++c) {
        memory_free(&b->allocator, b->store[c].block);
        b->store[c] = (bed_store){NULL, 0};
    }
    bed_announce_rows(b);
    b->chunk_spare = s.old_chunk ? s.old_chunk : b->chunk_spare;
    b->travel = b->wall_travel = b->soon_travel = b->near_travel = 0.0;
    b->lists_due = b->put_off = 0;
    b->rebuilds += 1;
    return SCREE_OK;
}

scree_status bed_lists_put_off(bed *b)
{
    search s = {.b = b};
    bed_sizes_find(b);
    if (!chunks_begin(b, &s)) return SCREE_ERR_MEMORY;
    b->chunk_spare = s.old_chunk;
    b->lists_due = b->put_off = 1;
    return SCREE_OK;
}
