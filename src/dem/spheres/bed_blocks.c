/* bed_blocks.c: room for the contacts of a bed, and how they come into its blocks (bed_blocks.h).
 *
 * Every chunk has an array of blocks of its own, and a stretch of the arrays of rows, each with some room at its end. Where that is used up, its
 * blocks move to a larger array; no pair is searched for again. */
#include "dem/spheres/bed_blocks.h"

#include "base/memory.h"

#include <string.h>

/* ---- rooms --------------------------------------------------------------------------------------------------------- */

int bed_grow(const bed *b, size_t size, size_t wanted, void **array, size_t *room)
{
    if (wanted <= *room) return 1;
    memory_free(&b->allocator, *array);
    *array = memory_raw_array(&b->allocator, wanted, size);
    *room = *array ? wanted : 0;
    return *array != NULL;
}

int bed_give_room(bed_chunk *own, int slack)
{
    int blocks = 0;
    for (int g = 0; g < BED_GROUPS; ++g) {
        bed_span *span = &own->group[g];
        const int contacts = span->room, grows = g != BED_WALL;
        *span = (bed_span){blocks, 0, bed_blocks(contacts + grows * contacts / slack) + 2 * grows};
        blocks += span->room;
    }
    return blocks;
}

void bed_give_rows(bed_chunk *own, int slack, bed_ends *at)
{
    const int coming = own->incoming.room;
    own->row = (int32_t)at->rows, at->rows += (size_t)own->group[BED_ACROSS].room * BED_LANES;
    own->incoming = (bed_span){(int32_t)at->incoming, 0, coming + 2 * coming / slack + 8};
    at->incoming += (size_t)own->incoming.room;
}

/// By a sixteenth more than is wanted, and a little: so arrays rarely grow again, small ones neither.
static int grow_with_slack(const bed *b, size_t size, size_t wanted, void **array, size_t *room)
{
    return wanted <= *room || bed_grow(b, size, wanted + wanted / 16 + 8, array, room);
}

int bed_grow_rows(bed *b, const bed_ends *at, size_t rows)
{
    if (rows < at->rows) rows = at->rows;
    return grow_with_slack(b, sizeof(bed_incoming), at->incoming, (void **)&b->incoming, &b->incoming_room) &&
           grow_with_slack(b, sizeof(bed_row), rows, (void **)&b->row, &b->row_room) &&
           grow_with_slack(b, 1, at->rows / BED_LANES, (void **)&b->row_live, &b->row_live_room);
}

int bed_store_grow(bed *b, int chunk, int blocks, int used)
{
    bed_store *store = &b->store[chunk];
    if (blocks <= store->room) return 1;
    const int room = blocks + blocks / 16 + 2;
    bed_block *larger = memory_raw_array(&b->allocator, (size_t)room, sizeof *larger);
    if (!larger) return 0;
    if (used > 0) memcpy(larger, store->block, (size_t)used * sizeof *larger);
    memory_free(&b->allocator, store->block);
    *store = (bed_store){larger, room};
    return 1;
}

/* ---- contacts ------------------------------------------------------------------------------------------------------ */

bed_block *bed_lane_add(bed_block *blocks, bed_span *span, int i, int j, int pair)
{
    bed_block *block = &blocks[span->first + span->count / BED_LANES];
    int lane = span->count++ % BED_LANES;
    if (lane == 0) memset(block, 0, sizeof *block);
    for (int l = lane; l < BED_LANES; ++l) block->i[l] = i, block->j[l] = j, block->pair[l] = (uint16_t)pair;
    block->used |= (uint8_t)(1u << lane);
    return block;
}

bed_block *bed_contact_add(const bed *b, bed_chunk *own, bed_block *blocks, int i, int j)
{
    bed_span *span = &own->group[bed_leaves_chunk(b, i, j) ? BED_ACROSS : BED_WITHIN];
    if (span->count == span->room * BED_LANES) return NULL;
    const int pair = bed_pair_index(b->material[i], b->material[j]);
    return bed_lane_add(blocks, span, i, j, pair | bed_odd(b, i) | bed_odd(b, j));
}

void bed_remember(const bed_block *from, int l, bed_block *to, int lane)
{
    for (int k = 0; k < BED_MEMORY; ++k) to->memory[k][lane] = from->memory[k][l];
    to->live |= (uint8_t)(1u << lane);
    to->south |= (uint8_t)((from->south >> l & 1u) << lane);
    for (int k = 0; k < DEM_SPRINGS; ++k) to->kinetic[k] |= (uint8_t)((from->kinetic[k] >> l & 1u) << lane);
}

void bed_forget(bed_block *b, int l)
{
    const uint8_t others = (uint8_t) ~(1u << l);
    for (int k = 0; k < BED_MEMORY; ++k) b->memory[k][l] = 0.0;
    b->live &= others, b->south &= others, b->pushes &= others;
    for (int k = 0; k < DEM_SPRINGS; ++k) b->kinetic[k] &= others;
}

/// A contact that is live changes places with one that is not.
static void lane_change(bed_block *live, int l, bed_block *dead, int d)
{
    const int32_t i = live->i[l], j = live->j[l];
    const uint16_t pair = live->pair[l];
    live->i[l] = dead->i[d], live->j[l] = dead->j[d], live->pair[l] = dead->pair[d];
    dead->i[d] = i, dead->j[d] = j, dead->pair[d] = pair;
    bed_remember(live, l, dead, d);
    bed_forget(live, l);
}

static void live_first(bed_block *block, int contacts)
{
    int front = 0, back = contacts - 1;
    for (;;) {
        while (front < back && block[front / BED_LANES].live >> front % BED_LANES & 1) ++front;
        while (front < back && !(block[back / BED_LANES].live >> back % BED_LANES & 1)) --back;
        if (front >= back) return;
        lane_change(&block[back / BED_LANES], back % BED_LANES, &block[front / BED_LANES], front % BED_LANES);
    }
}

void bed_live_first(bed_block *blocks, bed_chunk *own, int first_group, int last_group)
{
    for (int g = first_group; g <= last_group; ++g) live_first(blocks + own->group[g].first, own->group[g].count);
    if (last_group == BED_ACROSS) own->known = own->incoming.count = 0;
}

int bed_announce_rows(bed *b)
{
    int fits = 1;
    for (int c = 0; c < b->chunks; ++c) {
        bed_chunk *own = &b->chunk[c];
        const bed_span *span = &own->group[BED_ACROSS];
        for (int k = own->known; k < span->count; ++k) {
            int j = bed_group_blocks(b, c, BED_ACROSS)[k / BED_LANES].j[k % BED_LANES];
            bed_span *in = &b->chunk[j / b->each].incoming;
            if (in->count < in->room) b->incoming[in->first + in->count] = (bed_incoming){j, own->row + k};
            fits &= in->count++ < in->room;
        }
        own->known = span->count;
    }
    return fits;
}

/* ---- the near lists ------------------------------------------------------------------------------------------------ */

int bed_keep_near(bed_chunk *own, bed_near *list, int kept, bed_near pair, int soon)
{
    list[kept] = pair;
    if (!soon) return kept + 1;
    list[kept] = list[own->soon], list[own->soon++] = pair;
    return kept + 1;
}

/// More room in the array of a chunk that had too little; its blocks move from the last group on.
static int widen_chunk(bed *b, int chunk, int slack)
{
    bed_chunk *own = &b->chunk[chunk];
    bed_span wider[BED_GROUPS];
    int blocks = 0;
    for (int g = 0; g < BED_GROUPS; ++g) {
        const int contacts = own->group[g].count + own->overflow, room = bed_blocks(contacts + contacts / slack) + 2;
        wider[g] = (bed_span){blocks, own->group[g].count, own->group[g].room};
        if (g != BED_WALL && room > wider[g].room) wider[g].room = room;
        blocks += wider[g].room;
    }
    if (!bed_store_grow(b, chunk, blocks, bed_extent(own))) return 0;
    bed_block *block = b->store[chunk].block;
    for (int g = BED_GROUPS - 1; g >= 0; --g)
        memmove(block + wider[g].first, block + own->group[g].first,
                (size_t)bed_blocks(wider[g].count) * sizeof *block);
    memcpy(own->group, wider, sizeof wider);
    return 1;
}

/// More room for contacts and rows where there was too little. No memory: all contacts are there, and lists are due.
static scree_status widen(bed *b)
{
    const int slack = 4; /* who comes here fills quickly */
    bed_ends at = {0};
    for (int c = 0; c < b->chunks; ++c)
        if (b->chunk[c].overflow > 0 && !widen_chunk(b, c, slack)) return SCREE_ERR_MEMORY;
    for (int c = 0; c < b->chunks; ++c) {
        b->chunk[c].incoming.room = b->chunk[c].incoming.count, b->chunk[c].known = 0;
        bed_give_rows(&b->chunk[c], slack, &at);
    }
    if (!bed_grow_rows(b, &at, 0)) return SCREE_ERR_MEMORY;
    bed_announce_rows(b);
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
    enum { AHEAD = 16 }; /* pairs whose spheres are asked for; those of the next chunk come evenly before that */
    const bed_record *next = b->record + end,
                     *next_end = b->count - end < b->each ? b->record + b->count : next + b->each;
    int due = 0, kept = 0, seen = look->all ? own->near.count : own->soon, rest = own->near.count - seen;
    (void)begin, (void)worker;
    own->overflow = own->soon = 0;
    bed_live_first(b->store[chunk].block, own, BED_WITHIN, look->all ? BED_ACROSS : BED_WITHIN);
    for (int k = 0; k < seen; ++k) {
        bed_near pair = list[k];
        if (k + AHEAD < seen)
            __builtin_prefetch(&b->record[list[k + AHEAD].i]), __builtin_prefetch(&b->record[list[k + AHEAD].j]);
        for (due += b->each; due >= seen && next < next_end; due -= seen, ++next) __builtin_prefetch(next, 0, 2);
        int apart = bed_nearness(b, &pair);
        if (apart == 0) { /* after one that did not fit, none is taken: their order is that of a chunk with room */
            if (!own->overflow && bed_contact_add(b, own, b->store[chunk].block, pair.i, pair.j)) continue;
            own->overflow += 1;
        }
        kept = bed_keep_near(own, list, kept, pair, !look->all || apart < 2);
    }
    int gone = seen - kept, fill = gone < rest ? gone : rest; /* the last ones fill the gap */
    memmove(list + kept, list + own->near.count - fill, (size_t)fill * sizeof *list);
    own->near.count -= gone;
}

scree_status bed_lists_look(bed *b, int all)
{
    look_of look = {b, all};
    for (;;) {
        parallel_for(b->pool, b->count, b->each, look_chunk, &look);
        int fits = bed_announce_rows(b);
        for (int c = 0; c < b->chunks; ++c) fits &= b->chunk[c].overflow == 0;
        if (fits) break;
        scree_status status = widen(b);
        if (status != SCREE_OK) return status;
    }
    b->soon_travel = 0.0;
    if (all) b->near_travel = 0.0;
    return SCREE_OK;
}

static void tidy_chunk(void *context, int begin, int end, int chunk, int worker)
{
    bed *b = context;
    (void)begin, (void)end, (void)worker;
    bed_live_first(b->store[chunk].block, &b->chunk[chunk], BED_WALL, BED_ACROSS);
}

void bed_lists_tidy(bed *b)
{
    parallel_for(b->pool, b->count, b->each, tidy_chunk, b);
    bed_announce_rows(b); /* as many as before: they fit */
}
