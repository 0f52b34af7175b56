/* bed.c: the step of a bed. */
#include "dem/spheres/bed.h"

#include "base/clock.h"
#include "base/memory.h"
#include "dem/spheres/bed_turn.h"

#include <math.h>
#include <string.h>

typedef struct step_of {
    bed *b;
    double moved;
    int modes;       /* bed_run                                                  */
    int peeks;       /* nothing is counted                                       */
    bed_block *copy; /* or NULL: blocks stay as they are, their copies are moved */
    bed_kept *kept;  /* or NULL: not wanted                                      */
} step_of;

static int chunk_size(const bed *b, int chunk)
{
    int rest = b->count - chunk * b->each;
    return rest < b->each ? rest : b->each;
}

static bed_run run_of(const step_of *s, int chunk, int group)
{
    bed *b = s->b;
    const bed_chunk *own = &b->chunk[chunk];
    const bed_span *span = &own->group[group];
    bed_run run = {.record = b->record, .plane = b->plane, .first = chunk * b->each};
    run.block = bed_group_blocks(b, chunk, group), run.blocks = bed_blocks(span->count);
    if (s->copy && run.blocks > 0)
        run.block = memcpy(s->copy + span->first, run.block, (size_t)run.blocks * sizeof *run.block);
    run.plane_load = b->plane_load + 2 * (size_t)chunk * (size_t)b->planes;
    run.grid = &b->grid, run.starts = !(s->moved > 0.0);
    if (group == BED_ACROSS) run.row = b->row + own->row, run.row_live = b->row_live + own->row / BED_LANES;
    run.prepared = b->prepared;
    run.constant = (const double(*)[BED_CONSTANTS][BED_LANES])(group == BED_WALL ? b->wall_constant : b->constant);
    run.h = b->h, run.moved = s->moved, run.hertz = b->hertz, run.stiffens = b->stiffens, run.needs = b->needs;
    run.published = b->published, run.modes = s->modes;
    run.single = b->equal && b->pairs == 1;
    run.fetch =
        group == BED_WITHIN || (group == BED_ACROSS && (b->count > BED_CACHED || scree_pool_threads(b->pool) > 1));
    run.periodic = group == BED_ACROSS && (b->periodic[0] || b->periodic[1] || b->periodic[2]);
    memcpy(run.box, b->box, sizeof run.box), memcpy(run.inverse_box, b->inverse_box, sizeof run.inverse_box);
    run.loss = b->loss && !s->peeks ? b->loss[chunk] : NULL;
    run.kept = s->kept ? s->kept + span->first : NULL;
    if (run.fetch && group == BED_ACROSS && chunk + 1 < b->chunks) {
        const bed_span *after = &b->chunk[chunk + 1].group[group];
        run.next_block = bed_group_blocks(b, chunk + 1, group), run.next_blocks = bed_blocks(after->count);
        run.next_row = b->row + b->chunk[chunk + 1].row;
    }
    return run;
}

/// A group of contacts of a chunk through its law. Returns how many blocks are live.
static int contacts_run(const bed *b, int planes, bed_run *run, double peak[2])
{
    _Alignas(BED_LINE) double lane[2][BED_LANES] = {{0.0}};
    run->peak = lane;
    const int live = b->kernel->contacts[b->law][planes](run);
    for (int k = 0; k < 2; ++k)
        for (int l = 0; l < BED_LANES; ++l) peak[k] = max2(peak[k], lane[k][l]);
    return live;
}

/// The chunk at a place of the second pass: every thread goes back over the chunks that it came through in the first. What is still in
/// its cache comes first, then and in the next step.
static int chunk_back(const bed *b, int place)
{
    const int threads = scree_pool_threads(b->pool);
    int run = (int)((int64_t)place * threads / b->chunks);
    while (parallel_run_begin(b->chunks, threads, run + 1) <= place) ++run;
    return parallel_run_begin(b->chunks, threads, run) + parallel_run_begin(b->chunks, threads, run + 1) - 1 - place;
}

/// The first pass: rows of the contacts across chunks.
static void across_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const step_of *s = context;
    bed_run run = run_of(s, chunk, BED_ACROSS);
    double(*peak)[2] = s->b->chunk[chunk].peak;
    memset(peak, 0, sizeof s->b->chunk[chunk].peak);
    (void)begin, (void)end, (void)worker;
    (void)contacts_run(s->b, 0, &run, peak[0]);
}

/// Loads of the other contacts of a chunk on its spheres.
static void within_chunk(const step_of *s, int chunk, bed_load *load, bed_ahead *ahead)
{
    bed *b = s->b;
    bed_chunk *own = &b->chunk[chunk];
    if (b->planes > 0) {
        bed_run wall = run_of(s, chunk, BED_WALL);
        wall.load = load;
        memset(wall.plane_load, 0, 2 * (size_t)b->planes * sizeof *wall.plane_load);
        (void)contacts_run(b, 1, &wall, own->peak[1]);
    }
    bed_run run = run_of(s, chunk, BED_WITHIN);
    run.load = load, run.ahead = ahead;
    own->live = contacts_run(b, 0, &run, own->peak[1]);
}

/// Loads on a chunk's spheres, which are 0 before.
static void load_chunk(const step_of *s, int chunk, bed_load *load, bed_ahead *ahead)
{
    const bed *b = s->b;
    const bed_chunk *own = &b->chunk[chunk];
    within_chunk(s, chunk, load, ahead);
    bed_rows rows = {.block = bed_group_blocks(b, chunk, BED_ACROSS), .contacts = own->group[BED_ACROSS].count};
    rows.own = b->row + own->row, rows.row = b->row, rows.row_live = b->row_live;
    rows.load = load, rows.first = chunk * b->each;
    rows.incoming = b->incoming + own->incoming.first, rows.incoming_count = own->incoming.count;
    b->kernel->add_rows(&rows);
}

/// The motion of a chunk; its loads are 0 afterwards.
static void move_chunk(bed *b, int chunk, bed_load *load, bed_ahead *ahead)
{
    bed_drift d = {.record = b->record, .load = load, .given = b->pushed ? b->given : NULL, .q = b->q, .h = b->h};
    d.borders = &b->borders, d.kick = b->half ? 0.5 * b->h : b->h;
    d.begin = chunk * b->each, d.end = d.begin + chunk_size(b, chunk);
    d.ahead = ahead;
    memcpy(d.gravity, b->gravity, sizeof d.gravity);
    b->kernel->drift(&d);
    b->chunk[chunk].speed2 = d.speed2, b->chunk[chunk].bad = d.bad;
    memcpy(b->chunk[chunk].wrapped, d.wrapped, sizeof d.wrapped);
}

static int64_t lines_between(const void *begin, const void *end)
{
    return ((const char *)end - (const char *)begin) / BED_LINE + 1;
}

static int pace_of(int64_t lines, int64_t time)
{
    const int64_t most = 16 * BED_PACE; /* bed_ahead.due is an int, however short the time */
    int64_t pace = BED_PACE * lines / (time + 1) + 1;
    return (int)(pace < most ? pace : most);
}

/// The time that the contacts within a chunk will take, if as many touch as in the last step.
static int64_t contacts_time(const bed_chunk *own)
{
    return BED_TIME_LIVE * own->live + BED_TIME_DEAD * (bed_blocks(own->group[BED_WITHIN].count) - own->live);
}

/// The records of a chunk, over so much time.
static bed_ahead fetch_records(const bed *b, int chunk, int64_t more_lines, int64_t time)
{
    const bed_record *record = b->record + (size_t)chunk * (size_t)b->each, *end = record + chunk_size(b, chunk);
    bed_ahead a = {.record = (const char *)record, .record_end = (const char *)end};
    a.pace = pace_of(lines_between(record, end) + more_lines, time);
    return a;
}

/// What other threads have had of a chunk, while its contacts are worked on.
static bed_ahead fetch_own(const bed *b, int chunk)
{
    const bed_chunk *own = &b->chunk[chunk];
    bed_ahead a = fetch_records(b, chunk, 2 * own->incoming.count, contacts_time(own));
    a.own = 1, a.row = b->row, a.row_live = b->row_live;
    a.incoming = b->incoming + own->incoming.first, a.incoming_end = a.incoming + own->incoming.count;
    return a;
}

/// What comes after a chunk in the second pass, which goes backwards.
static bed_ahead fetch_next(const bed *b, int chunk)
{
    int64_t time = contacts_time(&b->chunk[chunk]) + chunk_size(b, chunk);
    return fetch_records(b, chunk - 1, 0, 3 * time / 4); /* the last lines need some time, too */
}

/// 0: nothing is to be fetched.
static int ahead_of(const bed *b, int chunk, bed_ahead *a)
{
    const int small = b->count <= BED_CACHED, sparse = BED_LANES * b->chunk[chunk].live < chunk_size(b, chunk);
    if (small ? scree_pool_threads(b->pool) < 2 : chunk == 0 || !sparse) return 0;
    *a = small ? fetch_own(b, chunk) : fetch_next(b, chunk);
    return 1;
}

/// The second pass: loads of a chunk, then the next step's motion, for which nobody needs its old positions any more.
static void load_and_move_chunk(void *context, int begin, int end, int place, int worker)
{
    const step_of *s = context;
    int chunk = chunk_back(s->b, place);
    bed_load *load = s->b->scratch + (size_t)worker * (size_t)s->b->each;
    (void)begin, (void)end;
    bed_ahead ahead, *fetch = ahead_of(s->b, chunk, &ahead) ? &ahead : NULL;
    load_chunk(s, chunk, load, fetch);
    move_chunk(s->b, chunk, load, fetch);
}

void bed_loads_peek(bed *b, double moved, bed_block *copy)
{
    step_of s = {.b = b, .moved = moved, .modes = 1, .peeks = 1, .copy = copy};
    memset(b->load, 0, (size_t)b->count * sizeof *b->load);
    for (int c = 0; c < b->chunks; ++c) across_chunk(&s, 0, 0, c, 0);
    for (int c = 0; c < b->chunks; ++c) load_chunk(&s, c, b->load + (size_t)c * (size_t)b->each, NULL);
}

void bed_chunk_peek(bed *b, int chunk, bed_block *copy, bed_kept *kept)
{
    step_of s = {.b = b, .moved = b->h, .modes = 1, .peeks = 1, .copy = copy, .kept = kept};
    across_chunk(&s, 0, 0, chunk, 0);
    within_chunk(&s, chunk, b->scratch, NULL);
    memset(b->scratch, 0, (size_t)b->each * sizeof *b->scratch);
}

/// New lists where the skin may be used up, else a look at near lists where `middle` may be, or `inner`.
static scree_status lists_update(bed *b)
{
    if (b->lists_due || 2.0 * b->travel > b->skin || b->wall_travel > b->skin) return bed_lists_make(b);
    return bed_lists_look(b, 2.0 * b->near_travel > b->middle);
}

static int lists_used_up(const bed *b)
{
    return b->lists_due || 2.0 * b->travel > b->skin || b->wall_travel > b->skin || 2.0 * b->near_travel > b->middle ||
           2.0 * b->soon_travel > b->inner;
}

/// Which sphere has left the range of numbers, -1: none.
static int bad_sphere(const bed *b)
{
    int bad = -1;
    for (int c = 0; c < b->chunks; ++c)
        if (b->chunk[c].bad >= 0 && (bad < 0 || b->id[b->chunk[c].bad] < bad)) bad = b->id[b->chunk[c].bad];
    return bad;
}

/// What one row of the losses is over all chunks: exact, whatever they are.
static double loss_of(const bed *b, int row)
{
    double coarse = 0.0, fine = 0.0;
    for (int c = 0; c < b->chunks; ++c)
        for (int l = 0; l < BED_LANES; ++l) coarse += b->loss[c][row][l], fine += b->loss[c][BED_LOSSES + row][l];
    return coarse + fine;
}

/// The sums of a step, added to those of all steps one by one, so that batches and restarts leave no trace.
static void totals_add(bed *b)
{
    bed_totals *t = &b->totals;
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < b->chunks; ++c) t->wrapped[k] += b->chunk[c].wrapped[k];
    if (!b->loss) return;
    for (int k = 0; k < BED_KINDS; ++k) t->dashpot[k] += loss_of(b, k);
    for (int k = 1; k < BED_KINDS; ++k) t->slider[k] += loss_of(b, BED_KINDS + k);
    t->driven += loss_of(b, BED_LOSS_DRIVEN), t->model += loss_of(b, BED_LOSS_MODEL);
    t->dropped += loss_of(b, BED_LOSS_DROPPED), t->made += loss_of(b, BED_LOSS_MADE);
    memset(b->loss, 0, (size_t)b->chunks * sizeof *b->loss);
}

/// After the motion: speeds, scale, how far everything has gone.
static void step_end(bed *b)
{
    double peak = 0.0, wall_way = bed_planes_drift(b->planes, b->h, b->skin, (const double(*)[3])b->bounds, b->plane);
    b->speed2 = 0.0;
    for (int c = 0; c < b->chunks; ++c) {
        b->speed2 = max2(b->speed2, b->chunk[c].speed2);
        peak = max2(peak, max2(b->chunk[c].peak[0][0], b->chunk[c].peak[1][0]));
        b->deepest = max2(b->deepest, max2(b->chunk[c].peak[0][1], b->chunk[c].peak[1][1]));
    }
    b->totals.deepest = max2(b->totals.deepest, b->deepest);
    const double way = b->h * sqrt(b->speed2);
    b->travel += way, b->soon_travel += way, b->near_travel += way, b->wall_travel += way + wall_way;
    totals_add(b);
    bed_scale_follow(b, peak);
    bed_drop_pushes(b);
    b->steps += 1;
}

scree_status bed_prepare(bed *b)
{
    if (!lists_used_up(b)) {
        if (b->steps % BED_TIDY == 1) bed_lists_tidy(b); /* from the first step on it is known who touches */
        return SCREE_OK;
    }
    const double begin = clock_seconds();
    scree_status status = lists_update(b);
    if (status != SCREE_OK) b->lists_due = 1;
    b->list_seconds += clock_seconds() - begin;
    return status;
}

/* Contacts across chunks; then, chunk by chunk, the other contacts and the motion: with a million spheres each of them comes from memory
 * once in a step, its loads never. */
scree_status bed_advance_forced(bed *b, int64_t steps, bed_forcing *f, scree_error *error)
{
    step_of step = {.b = b, .moved = b->h};
    b->deepest = 0.0;
    if (f) f->deepest = 0.0;
    for (int64_t s = 0; s < steps; ++s) {
        scree_status status = bed_prepare(b);
        if (status == SCREE_OK && f) status = bed_forcing_push(b, f, error);
        if (status != SCREE_OK) return status;
        if (!(b->scale > 0.0)) bed_scale_find(b);
        bed_grids_make(b);
        b->half = f && f->half;
        step.modes =
            s + 1 == steps; /* after it one may ask; of a call that fails earlier they are those of the call before */
        parallel_for(b->pool, b->count, b->each, across_chunk, &step);
        parallel_for(b->pool, b->count, b->each, load_and_move_chunk, &step);
        if (f) b->deepest = max2(b->deepest, f->deepest);
        step_end(b);
        if (f) bed_forcing_follow(b, f);
        const int bad = bad_sphere(b);
        if (bad >= 0) {
            scree_error_set(error, NULL, 0, 0, "sphere %d left the range of numbers in step %lld", bad,
                            (long long)b->steps);
            return SCREE_ERR_RUNAWAY;
        }
        if (f && f->walls.carry) f->walls.carry(f->walls.context);
    }
    return SCREE_OK;
}

scree_status bed_advance(bed *b, int64_t steps, scree_error *error)
{
    return bed_advance_forced(b, steps, NULL, error);
}
