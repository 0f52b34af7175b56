/* broadphase.c: candidates with an allowance (broadphase.h).
 *
 * At a rebuild shape i at x_i gets the fat ball of radius R_i = radius + reach + allowance (and likewise a fat box); candidates are the
 * pairs whose fat balls and boxes overlap. As long as  |x - x_i| + radius + reach <= R_i  for every shape, what it may reach now lies
 * in its fat ball, so no pair is missing. The allowance is a tenth of the radius (of the mean radius for what is larger), and for
 * what moves or falls its way of six steps: a few fast shapes do not force a rebuild in every step.
 *
 * Rebuild: every shape in the grid looks up its neighbours, larger shapes, the tree and the planes, chunk by chunk into buffers of
 * their own; a counting sort by the lower number and a sort of each row give the list. */
#include "collision/broadphase.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "collision/grid.h"
#include "collision/tree.h"
#include "math/scalar.h"
#include "math/vec.h"

#include <string.h>

enum {
    CHUNK = 512,        /* shapes per chunk of a search                                             */
    CHECK_CHUNK = 8192, /* shapes per chunk of the validity test                                    */
    ROOM = 8,           /* pairs per shape for which a chunk has room at first                      */
    LATE_MIN = 64,      /* this many shapes, and a 32nd of all, may be added before the next rebuild */
    INSERTION_MAX = 32  /* longer rows are sorted by heap                                           */
};
static const double ALLOWANCE_OF_RADIUS = 0.1, STEPS = 6.0; /* for which the allowance of what moves should last */

typedef struct int_pair {
    int a, b;
} int_pair;

/// Where a chunk of the search wrote its pairs.
typedef struct search_chunk {
    int_pair *pair;
    int room, found; /* found > room: the rest was only counted */
} search_chunk;

struct broadphase {
    scree_allocator allocator;
    int valid;
    int built, sorted; /* shapes in the list; of these, the first `sorted` were there at the rebuild */
    double base;       /* allowance of a shape of mean radius or larger                            */
    double least_reach;
    double low[3], high[3]; /* box of all fat balls, for planes that turn                             */

    int capacity, slot_capacity;
    fat_ball *ball;   /* by shape; planes: a point and the fat reach                                */
    double (*box)[3]; /* by slot: fat half lengths; planes: normal                                  */
    int *member;      /* shapes of the grid, then of the tree, then planes                          */
    int grid_count, tree_count, plane_count;
    grid grid;
    tree tree;

    int *row, *partner, *row_next; /* row_next: scratch (capacity + 1) */
    int partner_count, partner_capacity;

    search_chunk *chunk;
    int chunk_capacity;
    int_pair *buffer, *overflow;
    size_t buffer_capacity, overflow_capacity;
    broadphase_figures figures;
};

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

scree_status broadphase_create(const scree_allocator *allocator, broadphase **out)
{
    scree_allocator a = memory_allocator(allocator);
    *out = memory_array(&a, 1, sizeof **out);
    if (!*out) return SCREE_ERR_MEMORY;
    (*out)->allocator = a;
    return SCREE_OK;
}

void broadphase_destroy(broadphase *bp)
{
    if (!bp) return;
    scree_allocator a = bp->allocator;
    void *array[] = {bp->ball,     bp->box,   bp->member, bp->row,     bp->partner,
                     bp->row_next, bp->chunk, bp->buffer, bp->overflow};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) memory_free(&a, array[i]);
    grid_free(&bp->grid, &a);
    tree_free(&bp->tree, &a);
    memory_free(&a, bp);
}

void broadphase_invalidate(broadphase *bp)
{
    bp->valid = 0;
}

/// A larger array; `keep` elements of the old one are in it. On failure the old one stays.
#define GROW(array, keep, room)                                                                                        \
    do {                                                                                                               \
        void *grown = memory_array(&bp->allocator, (size_t)(room), sizeof *(array));                                   \
        if (!grown) return SCREE_ERR_MEMORY;                                                                           \
        if ((keep) > 0) memcpy(grown, (array), (size_t)(keep) * sizeof *(array));                                      \
        memory_free(&bp->allocator, (array));                                                                          \
        (array) = grown;                                                                                               \
    } while (0)

static scree_status reserve_shapes(broadphase *bp, int count)
{
    if (count > bp->capacity || !bp->row) { /* a world without shapes has rows too: none */
        int capacity = count + count / 2 + 64, keep = bp->valid ? bp->built : 0;
        GROW(bp->ball, keep, capacity);
        GROW(bp->member, bp->valid ? bp->sorted : 0, capacity);
        GROW(bp->row, bp->valid ? keep + 1 : 0, capacity + 1);
        GROW(bp->row_next, 0, capacity + 1);
        bp->capacity = capacity;
    }
    return SCREE_OK;
}

static scree_status reserve_slots(broadphase *bp, const broadphase_input *in, int keep)
{
    int slots = 0;
    for (int i = 0; i < in->count; ++i) slots = in->proxy[i].slot >= slots ? in->proxy[i].slot + 1 : slots;
    if (slots > bp->slot_capacity) {
        int capacity = slots + slots / 2 + 16;
        GROW(bp->box, keep ? bp->slot_capacity : 0, capacity);
        bp->slot_capacity = capacity;
    }
    return SCREE_OK;
}

static scree_status reserve_partners(broadphase *bp, int count, int keep)
{
    if (count > bp->partner_capacity) {
        int capacity = count + count / 4;
        GROW(bp->partner, keep, capacity);
        bp->partner_capacity = capacity;
    }
    return SCREE_OK;
}

static scree_status reserve_pairs(broadphase *bp, int_pair **array, size_t *capacity, size_t count)
{
    if (count > *capacity) {
        size_t room = count + count / 4;
        GROW(*array, 0, room);
        *capacity = room;
    }
    return SCREE_OK;
}

/* ---- fat balls and boxes ------------------------------------------------------------------------------------------------ */

static int is_plane(const shape_proxy *p)
{
    return p->kind == SCREE_SHAPE_PLANE;
}

/// Mean radius of what moves, and the reach of what is at rest: what allowances are measured by.
static void measure(broadphase *bp, const broadphase_input *in)
{
    double sum = 0.0;
    int moving = 0;
    bp->least_reach = SCREE_INFINITY;
    for (int i = 0; i < in->count; ++i) {
        const shape_proxy *p = &in->proxy[i];
        if (p->body < 0) continue;
        bp->least_reach = min2(bp->least_reach, p->reach);
        if (p->moves && !is_plane(p)) sum += p->radius, ++moving;
    }
    bp->base = moving > 0 ? ALLOWANCE_OF_RADIUS * sum / moving : 0.0;
}

/// What a shape may use up before the next rebuild. What falls freely travels k (k + 1)/2 drops more in k steps, and reaches k more.
static double allowance_of(const broadphase *bp, const broadphase_input *in, const shape_proxy *p, int is_new)
{
    double travel = max2(0.0, p->reach - bp->least_reach), allowance = STEPS * travel;
    if (p->moves || travel > 0.0) allowance += is_plane(p) ? bp->base : min2(bp->base, ALLOWANCE_OF_RADIUS * p->radius);
    if (p->moves && (is_new || travel > 0.5 * in->drop)) allowance += (0.5 * STEPS * (STEPS + 1.0) + STEPS) * in->drop;
    return allowance;
}

static void fatten(broadphase *bp, const broadphase_input *in, int i, int is_new)
{
    const shape_proxy *p = &in->proxy[i];
    double allowance = allowance_of(bp, in, p, is_new);
    fat_ball *ball = &bp->ball[i];
    memcpy(ball->x, p->centre, sizeof ball->x);
    ball->body = p->body, ball->moves = p->moves, ball->boxed = p->slot >= 0;
    ball->r = p->reach + allowance + (is_plane(p) ? 0.0 : p->radius);
    if (p->slot >= 0)
        for (int k = 0; k < 3; ++k)
            bp->box[p->slot][k] = in->box[p->slot][k] + (is_plane(p) ? 0.0 : p->reach + allowance);
    if (is_plane(p) || p->body < 0) return;
    for (int k = 0; k < 3; ++k) {
        bp->low[k] = min2(bp->low[k], ball->x[k] - ball->r);
        bp->high[k] = max2(bp->high[k], ball->x[k] + ball->r);
    }
}

/// How much of a plane's motion any shape inside the box of all can see: what it shifted, and what it turned at the farthest corner.
static double plane_shift(const broadphase *bp, const fat_ball *was, const double normal_was[3], const shape_proxy *p,
                          const double normal[3])
{
    double shift[3], turn[3], far2 = 0.0;
    vec_sub(p->centre, was->x, shift);
    vec_sub(normal, normal_was, turn);
    double turned = vec_norm(turn);
    for (int k = 0; k < 3 && turned > 0.0; ++k) {
        double d = max2(bp->high[k] - was->x[k], was->x[k] - bp->low[k]);
        far2 += d * d;
    }
    return vec_norm(shift) + turned * sqrt(far2);
}

static int inside_fat(const broadphase *bp, const broadphase_input *in, int i)
{
    const shape_proxy *p = &in->proxy[i];
    const fat_ball *ball = &bp->ball[i];
    if (p->body < 0) return 1;
    if (ball->body < 0) return 0; /* its numbers were not finite when pairs were found */
    if (is_plane(p)) return plane_shift(bp, ball, bp->box[p->slot], p, in->box[p->slot]) + p->reach <= ball->r;
    double d[3], room = ball->r - p->radius - p->reach;
    vec_sub(p->centre, ball->x, d);
    if (!(room >= 0.0 && vec_dot(d, d) <= room * room)) return 0;
    for (int k = 0; k < 3 && p->slot >= 0; ++k)
        if (!(fabs(d[k]) + in->box[p->slot][k] + p->reach <= bp->box[p->slot][k])) return 0;
    return 1;
}

typedef struct check_task {
    const broadphase *bp;
    const broadphase_input *in;
    int *bad; /* per chunk */
} check_task;

static void check_chunk(void *context, int begin, int end, int chunk, int worker)
{
    check_task *task = context;
    (void)worker;
    task->bad[chunk] = 0;
    for (int i = begin; i < end && !task->bad[chunk]; ++i) task->bad[chunk] = !inside_fat(task->bp, task->in, i);
}

/// Do the candidates still hold for the shapes they were made for?
static int still_valid(broadphase *bp, const broadphase_input *in, scree_pool *pool)
{
    check_task task = {bp, in, bp->row_next};
    int chunks = parallel_chunks(bp->built, CHECK_CHUNK), bad = 0;
    parallel_for(pool, bp->built, CHECK_CHUNK, check_chunk, &task);
    for (int c = 0; c < chunks; ++c) bad |= task.bad[c];
    return !bad;
}

/* ---- the search --------------------------------------------------------------------------------------------------------- */

typedef struct search {
    const broadphase *bp;
    const broadphase_input *in;
    search_chunk *out;
    const fat_ball *ball; /* of the shape that looks around */
    int id;               /* its number                     */
    int order;            /* tree against tree: only higher numbers; else -1 */
} search;

static void half_lengths(const search *s, int id, double half[3])
{
    int slot = s->in->proxy[id].slot;
    for (int k = 0; k < 3; ++k) half[k] = slot < 0 ? s->bp->ball[id].r : s->bp->box[slot][k];
}

static int boxes_overlap(const search *s, int i, int j)
{
    double a[3], b[3];
    half_lengths(s, i, a), half_lengths(s, j, b);
    for (int k = 0; k < 3; ++k)
        if (!(fabs(s->bp->ball[i].x[k] - s->bp->ball[j].x[k]) <= a[k] + b[k])) return 0;
    return 1;
}

static void found_pair(search *s, int j)
{
    search_chunk *out = s->out;
    if (out->found < out->room) out->pair[out->found] = s->id < j ? (int_pair){s->id, j} : (int_pair){j, s->id};
    ++out->found;
}

/// The fat balls of s->id and j overlap: is it a pair?
static void consider(search *s, const fat_ball *b, int j)
{
    const fat_ball *a = s->ball;
    if (a->body == b->body || !(a->moves | b->moves)) return;
    if ((a->boxed | b->boxed) && !boxes_overlap(s, s->id, j)) return;
    found_pair(s, j);
}

static void visit_balls(void *context, int from, int to)
{
    search *s = context;
    const grid *g = &s->bp->grid;
    const fat_ball a = *s->ball;
    for (int p = from; p < to; ++p) {
        const fat_ball *b = &g->ball[p];
        double x = b->x[0] - a.x[0], y = b->x[1] - a.x[1], z = b->x[2] - a.x[2], r = a.r + b->r;
        if (x * x + y * y + z * z <= r * r) consider(s, b, g->id[p]);
    }
}

static void visit_leaf(void *context, int id)
{
    search *s = context;
    if (id <= s->order) return;
    const fat_ball *a = s->ball, *b = &s->bp->ball[id];
    double d[3], r = a->r + b->r;
    vec_sub(b->x, a->x, d);
    if (vec_dot(d, d) <= r * r) consider(s, b, id);
}

static void search_tree(search *s)
{
    double half[3], low[3], high[3];
    if (s->bp->tree.count == 0) return;
    half_lengths(s, s->id, half);
    for (int k = 0; k < 3; ++k) low[k] = s->ball->x[k] - half[k], high[k] = s->ball->x[k] + half[k];
    tree_query(&s->bp->tree, low, high, visit_leaf, s);
}

static void search_planes(search *s)
{
    const broadphase *bp = s->bp;
    const int *plane = bp->member + bp->grid_count + bp->tree_count;
    for (int i = 0; i < bp->plane_count; ++i) {
        const fat_ball *p = &bp->ball[plane[i]];
        const double *n = bp->box[s->in->proxy[plane[i]].slot];
        double d[3], across = s->ball->r;
        if (!(s->ball->moves | p->moves) || s->ball->body == p->body) continue;
        vec_sub(s->ball->x, p->x, d);
        if (s->ball->boxed) { /* the box reaches across no farther than the ball, often less */
            const double *half = bp->box[s->in->proxy[s->id].slot];
            across = min2(across, fabs(n[0]) * half[0] + fabs(n[1]) * half[1] + fabs(n[2]) * half[2]);
        }
        if (vec_dot(n, d) - across <= p->r) found_pair(s, plane[i]);
    }
}

typedef struct search_task {
    broadphase *bp;
    const broadphase_input *in;
    int only_short; /* second round: only chunks that had too little room */
} search_task;

/// One chunk of the places in the grid, then in the tree.
static void search_range(void *context, int begin, int end, int chunk, int worker)
{
    search_task *task = context;
    broadphase *bp = task->bp;
    const grid *g = &bp->grid;
    search_chunk *out = &bp->chunk[chunk];
    (void)worker;
    if (task->only_short && out->found <= out->room) return;
    if (task->only_short) out->room = out->found, out->found = 0;
    search s = {.bp = bp, .in = task->in, .out = out, .order = -1};
    int level = begin < g->count ? grid_level_of(g, begin) : 0;
    for (int p = begin; p < end; ++p) {
        s.id = p < g->count ? g->id[p] : bp->member[p];
        s.ball = p < g->count ? &g->ball[p] : &bp->ball[s.id];
        if (p < g->count) {
            while (p >= g->level[level].end) ++level;
            grid_neighbours(g, p, level, visit_balls, &s);
        } else {
            s.order = s.id;
        }
        search_tree(&s);
        search_planes(&s);
    }
}

/// Runs the search; the pairs are then in bp->chunk. Chunks that found more than they had room for search again, with room.
static scree_status search_all(broadphase *bp, const broadphase_input *in, scree_pool *pool, int *chunks, int *found)
{
    int count = bp->grid_count + bp->tree_count;
    *chunks = parallel_chunks(count, CHUNK), *found = 0;
    if (*chunks > bp->chunk_capacity) {
        GROW(bp->chunk, 0, *chunks + *chunks / 4);
        bp->chunk_capacity = *chunks + *chunks / 4;
    }
    size_t room = (size_t)CHUNK * ROOM, extra = 0, total = 0;
    if (reserve_pairs(bp, &bp->buffer, &bp->buffer_capacity, room * (size_t)*chunks) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int c = 0; c < *chunks; ++c) bp->chunk[c] = (search_chunk){bp->buffer + room * (size_t)c, (int)room, 0};
    search_task task = {bp, in, 0};
    parallel_for(pool, count, CHUNK, search_range, &task);
    for (int c = 0; c < *chunks; ++c) {
        total += (size_t)bp->chunk[c].found;
        if (bp->chunk[c].found > bp->chunk[c].room) extra += (size_t)bp->chunk[c].found;
    }
    if (total > (size_t)1 << 30) return SCREE_ERR_MEMORY;
    *found = (int)total;
    if (extra == 0) return SCREE_OK;
    if (reserve_pairs(bp, &bp->overflow, &bp->overflow_capacity, extra) != SCREE_OK) return SCREE_ERR_MEMORY;
    size_t at = 0;
    for (int c = 0; c < *chunks; ++c) {
        if (bp->chunk[c].found <= bp->chunk[c].room) continue;
        bp->chunk[c].pair = bp->overflow + at;
        at += (size_t)bp->chunk[c].found;
    }
    task.only_short = 1;
    parallel_for(pool, count, CHUNK, search_range, &task);
    return SCREE_OK;
}

/* ---- rows --------------------------------------------------------------------------------------------------------------- */

static void sift_down(int *v, int from, int count)
{
    for (int child = 2 * from + 1; child < count; child = 2 * from + 1) {
        if (child + 1 < count && v[child] < v[child + 1]) ++child;
        if (v[from] >= v[child]) return;
        int t = v[from];
        v[from] = v[child], v[child] = t;
        from = child;
    }
}

static void sort_row(int *v, int count)
{
    if (count <= INSERTION_MAX) {
        for (int i = 1; i < count; ++i) {
            int x = v[i], j = i;
            for (; j > 0 && v[j - 1] > x; --j) v[j] = v[j - 1];
            v[j] = x;
        }
        return;
    }
    for (int i = count / 2 - 1; i >= 0; --i) sift_down(v, i, count);
    for (int end = count - 1; end > 0; --end) {
        int t = v[0];
        v[0] = v[end], v[end] = t;
        sift_down(v, 0, end);
    }
}

static void sort_rows(void *context, int begin, int end, int chunk, int worker)
{
    broadphase *bp = context;
    (void)chunk, (void)worker;
    for (int a = begin; a < end; ++a) sort_row(bp->partner + bp->row[a], bp->row[a + 1] - bp->row[a]);
}

/// The pairs of all chunks as rows, each ascending.
static scree_status make_rows(broadphase *bp, int shapes, int chunks, int found, scree_pool *pool)
{
    if (reserve_partners(bp, found, 0) != SCREE_OK) return SCREE_ERR_MEMORY;
    memset(bp->row, 0, ((size_t)shapes + 1) * sizeof *bp->row);
    for (int c = 0; c < chunks; ++c)
        for (int i = 0; i < bp->chunk[c].found; ++i) ++bp->row[bp->chunk[c].pair[i].a + 1];
    for (int a = 0; a < shapes; ++a) bp->row[a + 1] += bp->row[a];
    memcpy(bp->row_next, bp->row, (size_t)shapes * sizeof *bp->row);
    for (int c = 0; c < chunks; ++c)
        for (int i = 0; i < bp->chunk[c].found; ++i) {
            int_pair pair = bp->chunk[c].pair[i];
            bp->partner[bp->row_next[pair.a]++] = pair.b;
        }
    bp->partner_count = found;
    parallel_for(pool, shapes, CHUNK, sort_rows, bp);
    return SCREE_OK;
}

/* ---- rebuild and addition ------------------------------------------------------------------------------------------------ */

/// Who goes into the grid, the tree, the planes: bp->member in this order, each ascending.
static void partition(broadphase *bp, const broadphase_input *in)
{
    int *member = bp->member, bounded = 0, planes = 0, small = 0, large = 0;
    for (int i = 0; i < in->count; ++i)
        if (in->proxy[i].body >= 0 && !is_plane(&in->proxy[i])) member[bounded++] = i;
    double threshold = grid_threshold(bp->ball, member, bounded);
    for (int i = 0; i < bounded; ++i) {
        int id = member[i];
        if (bp->ball[id].r <= threshold) member[small++] = id;
        else bp->row_next[large++] = id;
    }
    memcpy(member + small, bp->row_next, (size_t)large * sizeof *member);
    for (int i = 0; i < in->count; ++i)
        if (in->proxy[i].body >= 0 && is_plane(&in->proxy[i])) member[bounded + planes++] = i;
    bp->grid_count = small, bp->tree_count = large, bp->plane_count = planes;
}

static scree_status plant_tree(broadphase *bp, const broadphase_input *in)
{
    if (tree_reserve(&bp->tree, &bp->allocator, bp->tree_count) != SCREE_OK) return SCREE_ERR_MEMORY;
    search s = {.bp = bp, .in = in};
    for (int i = 0; i < bp->tree_count; ++i) {
        int id = bp->member[bp->grid_count + i];
        tree_box *leaf = &bp->tree.leaf[i];
        double half[3];
        half_lengths(&s, id, half);
        for (int k = 0; k < 3; ++k)
            leaf->low[k] = bp->ball[id].x[k] - half[k], leaf->high[k] = bp->ball[id].x[k] + half[k];
        leaf->id = id;
    }
    tree_build(&bp->tree, bp->tree_count);
    return SCREE_OK;
}

static scree_status rebuild(broadphase *bp, const broadphase_input *in, scree_pool *pool)
{
    int chunks, found;
    bp->valid = 0;
    if (reserve_shapes(bp, in->count) != SCREE_OK || reserve_slots(bp, in, 0) != SCREE_OK) return SCREE_ERR_MEMORY;
    for (int k = 0; k < 3; ++k) bp->low[k] = SCREE_INFINITY, bp->high[k] = -SCREE_INFINITY;
    measure(bp, in);
    int known = bp->built > 0 ? bp->built : in->count; /* what came since the last update is about to fall */
    for (int i = 0; i < in->count; ++i) fatten(bp, in, i, i >= known);
    partition(bp, in);
    if (grid_build(&bp->grid, &bp->allocator, bp->ball, bp->member, bp->grid_count) != SCREE_OK ||
        plant_tree(bp, in) != SCREE_OK || search_all(bp, in, pool, &chunks, &found) != SCREE_OK ||
        make_rows(bp, in->count, chunks, found, pool) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    bp->built = bp->sorted = in->count;
    bp->valid = 1;
    ++bp->figures.rebuilds;
    return SCREE_OK;
}

/// Partners of a shape that was added after the rebuild, all with lower numbers.
static void search_around(broadphase *bp, const broadphase_input *in, int id, search_chunk *out)
{
    search s = {.bp = bp, .in = in, .out = out, .ball = &bp->ball[id], .id = id, .order = -1};
    grid_around(&bp->grid, s.ball, visit_balls, &s);
    search_tree(&s);
    search_planes(&s);
    for (int j = bp->sorted; j < id; ++j)
        if (in->proxy[j].body >= 0) visit_leaf(&s, j);
}

/// Shapes built .. count - 1 are new: their pairs go to the ends of the rows, since their numbers are the highest.
static scree_status add_shapes(broadphase *bp, const broadphase_input *in)
{
    if (reserve_shapes(bp, in->count) != SCREE_OK || reserve_slots(bp, in, 1) != SCREE_OK) return SCREE_ERR_MEMORY;
    search_chunk out = {bp->buffer, (int)min2(0x1p30, (double)bp->buffer_capacity), 0};
    for (int id = bp->built; id < in->count; ++id) {
        fatten(bp, in, id, 1);
        if (in->proxy[id].body >= 0) search_around(bp, in, id, &out);
    }
    if (out.found > out.room) { /* rare: room for all, and again */
        int found = out.found;
        if (reserve_pairs(bp, &bp->buffer, &bp->buffer_capacity, (size_t)found) != SCREE_OK) return SCREE_ERR_MEMORY;
        out = (search_chunk){bp->buffer, found, 0};
        for (int id = bp->built; id < in->count; ++id)
            if (in->proxy[id].body >= 0) search_around(bp, in, id, &out);
    }
    int total = bp->partner_count + out.found, *extra = bp->row_next;
    if (reserve_partners(bp, total, bp->partner_count) != SCREE_OK) return SCREE_ERR_MEMORY;
    memset(extra, 0, ((size_t)in->count + 1) * sizeof *extra);
    for (int i = 0; i < out.found; ++i) ++extra[out.pair[i].a];
    for (int a = bp->built; a < in->count; ++a) bp->row[a + 1] = bp->partner_count;
    /* from the last row to the first: rows move up by what rows below them gain, then the new ones are filled in their order */
    for (int a = in->count - 1, shift = out.found; a >= 0 && shift > 0; --a) {
        int from = bp->row[a], size = bp->row[a + 1] - from;
        bp->row[a + 1] += shift;
        shift -= extra[a];
        memmove(bp->partner + from + shift, bp->partner + from, (size_t)size * sizeof *bp->partner);
        extra[a] = from + shift + size; /* where its first new partner goes */
    }
    for (int i = 0; i < out.found; ++i) bp->partner[extra[out.pair[i].a]++] = out.pair[i].b;
    bp->partner_count = total;
    bp->figures.additions += in->count - bp->built;
    bp->built = in->count;
    return SCREE_OK;
}

static int few_new(const broadphase *bp, const broadphase_input *in)
{
    if (in->count - bp->sorted > LATE_MIN + bp->sorted / 32) return 0;
    for (int i = bp->built; i < in->count; ++i)
        if (is_plane(&in->proxy[i])) return 0;
    return 1;
}

scree_status broadphase_update(broadphase *bp, const broadphase_input *input, scree_pool *pool, shape_pairs *pairs)
{
    scree_status status = SCREE_OK;
    ++bp->figures.updates;
    if (!bp->valid || input->count < bp->built || !few_new(bp, input) || !still_valid(bp, input, pool))
        status = rebuild(bp, input, pool);
    else if (input->count > bp->built) status = add_shapes(bp, input);
    if (status != SCREE_OK) {
        bp->valid = 0;
        return status;
    }
    *pairs = (shape_pairs){bp->partner_count, bp->row, bp->partner};
    return SCREE_OK;
}

broadphase_figures broadphase_report(const broadphase *bp)
{
    broadphase_figures f = bp->figures;
    f.levels = bp->grid.level_count, f.in_tree = bp->tree_count, f.planes = bp->plane_count;
    f.bytes = (size_t)bp->capacity * (sizeof *bp->ball + 3 * sizeof(int)) +
              (size_t)bp->slot_capacity * sizeof *bp->box + (size_t)bp->partner_capacity * sizeof(int) +
              (bp->buffer_capacity + bp->overflow_capacity) * sizeof(int_pair) +
              (size_t)bp->chunk_capacity * sizeof *bp->chunk +
              (size_t)bp->grid.capacity * (sizeof(fat_ball) + 3 * sizeof(int)) +
              (size_t)bp->grid.start_capacity * sizeof(int) + (size_t)bp->tree.capacity * 3 * sizeof(tree_box);
    return f;
}
