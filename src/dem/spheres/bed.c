/* bed.c: making a bed, and its step. */
#include "dem/spheres/bed.h"

#include "base/clock.h"
#include "base/memory.h"
#include "dem/spheres/bed_turn.h"

#include <math.h>
#include <string.h>

/* ---- making ------------------------------------------------------------------------------------------------------------------------ */

static void prepare_all(bed *b)
{
    for (int a = 0; a < b->materials; ++a)
        for (int c = 0; c <= a; ++c) {
            int k = bed_pair_index(a, c);
            bed_prepare_pair(&b->pair[a * b->materials + c], b->law, b->h, &b->prepared[k]);
            b->needs |= bed_prepared_needs(&b->prepared[k], b->law);
            b->published |= b->law == BED_TRACKED && b->prepared[k].published > 0.0;
        }
    b->stiffens = (b->needs & (BED_NEED_SPIN_HERTZ | BED_NEED_MINDLIN)) != 0;
}

static scree_status refuse(scree_error *error, const char *text)
{
    scree_error_set(error, NULL, 0, 0, "%s", text);
    return SCREE_ERR_INPUT;
}

static scree_status check_pairs(const bed_def *d, scree_error *error)
{
    for (int a = 0; a < d->materials; ++a)
        for (int c = 0; c <= a; ++c) {
            const bed_pair *p = &d->pair[a * d->materials + c];
            if (p->normal.kind != d->pair[0].normal.kind || p->normal.kind == DEM_CONSTANT)
                return refuse(error, "the normal law must be Hooke for all pairs of materials, or Hertz for all");
            if (!(p->normal.stiffness > 0.0) || !(p->normal.zeta >= 0.0) || !(p->normal_damping >= 0.0))
                return refuse(error, "the normal stiffness must be > 0 and its damping >= 0");
            if (d->law == BED_TRACKED && !(p->friction.stiffness > 0.0 || p->shear > 0.0))
                return refuse(error, "the tangential stiffness K_E must be > 0");
        }
    return SCREE_OK;
}

/// Sphere i of a definition, whichever way it is given.
static bed_grain grain_of(const bed_def *d, const bed_motion *start, int i)
{
    if (d->grain) return d->grain[i];
    bed_grain g = {.id = d->id ? d->id[i] : i, .material = d->material ? d->material[i] : 0, .q = {1.0}};
    const size_t n = (size_t)g.id;
    g.radius = d->radius[i], g.inverse_mass = d->inverse_mass[i];
    g.inverse_inertia = d->inverse_inertia ? d->inverse_inertia[i] : 2.5 * g.inverse_mass / (g.radius * g.radius);
    memcpy(g.x, start->x + 3 * n, sizeof g.x);
    if (start->v) memcpy(g.v, start->v + 3 * n, sizeof g.v);
    if (start->omega) memcpy(g.omega, start->omega + 3 * n, sizeof g.omega);
    if (start->q) memcpy(g.q, start->q + 4 * n, sizeof g.q);
    return g;
}

static scree_status check_sphere(const bed_grain *g, int materials, scree_error *error)
{
    if (!(g->radius > 0.0 && isfinite(g->radius))) return refuse(error, "a radius must be > 0");
    if (!(g->inverse_mass >= 0.0 && isfinite(g->inverse_mass) && g->inverse_inertia >= 0.0 &&
          isfinite(g->inverse_inertia)) ||
        (g->inverse_mass > 0.0) != (g->inverse_inertia > 0.0))
        return refuse(error, "mass and inertia must be > 0, or both without bound");
    if (g->material < 0 || g->material >= materials)
        return refuse(error, "a sphere has a material that does not exist");
    for (int k = 0; k < 3; ++k)
        if (!isfinite(g->x[k])) return refuse(error, "a position is not a number");
    return SCREE_OK;
}

static scree_status check_def(const bed_def *d, const bed_motion *start, scree_error *error)
{
    if (d->count < 0 || d->planes < 0 || d->materials < 1 || d->materials > BED_MATERIALS_MAX)
        return refuse(error, "a bed has 0 or more spheres and planes and 1 to 90 materials");
    if (!(d->step > 0.0 && isfinite(d->step))) return refuse(error, "the step must be > 0");
    for (int i = 0; i < d->count; ++i) {
        const bed_grain g = grain_of(d, start, i);
        scree_status status = check_sphere(&g, d->materials, error);
        if (status != SCREE_OK) return status;
    }
    for (int p = 0; p < d->planes; ++p) {
        if (d->plane[p].material < 0 || d->plane[p].material >= d->materials)
            return refuse(error, "a plane has a material that does not exist");
        if (!(fabs(vec_norm(d->plane[p].normal) - 1.0) < 1e-9))
            return refuse(error, "a plane's normal must be a unit vector");
    }
    return check_pairs(d, error);
}

/// An array of spheres with more room; what it held stays.
static int grow_spheres(const bed *b, size_t size, int room, void **array)
{
    void *grown = memory_raw_array(&b->allocator, (size_t)room + 1, size);
    if (!grown) return 0;
    if (*array) memcpy(grown, *array, (size_t)b->count * size);
    memory_free(&b->allocator, *array);
    *array = grown;
    return 1;
}

int bed_room_for_spheres(bed *b, int spheres)
{
    if (spheres <= b->sphere_room) return 1;
    int room = b->sphere_room > 0 ? spheres + spheres / 4 + 64 : spheres;
    if (!grow_spheres(b, sizeof *b->record, room, (void **)&b->record) ||
        !grow_spheres(b, sizeof *b->id, room, (void **)&b->id) ||
        !grow_spheres(b, sizeof *b->material, room, (void **)&b->material))
        return 0;
    if (b->turns && !grow_spheres(b, sizeof *b->q, room, (void **)&b->q)) return 0;
    memory_free(&b->allocator, b->given);
    b->given = NULL, b->pushed = 0;
    b->sphere_room = room;
    return 1;
}

int bed_room_for_number(bed *b, int id)
{
    if (id < b->place_room) return 1;
    const int room = b->place_room > 0 ? id + id / 4 + 64 : id + 1;
    int32_t *place = memory_raw_array(&b->allocator, (size_t)room, sizeof *place);
    if (!place) return 0;
    memory_free(&b->allocator, b->place);
    b->place = place, b->place_room = room, b->placed = -1;
    return 1;
}

/// The arrays whose sizes do not change.
static int allocate(bed *b, const bed_def *d, const bed_motion *start)
{
    const scree_allocator *a = &b->allocator;
    size_t pairs = (size_t)b->pairs;
    int last = 0;
    for (int i = 0; i < d->count; ++i) {
        const bed_grain g = grain_of(d, start, i);
        last = g.id > last ? g.id : last;
    }
    b->has_ledger = d->ledger;
    b->pair = memory_raw_array(a, (size_t)b->materials * (size_t)b->materials, sizeof *b->pair);
    b->prepared = memory_array(a, pairs, sizeof *b->prepared);
    b->plane = memory_array(a, (size_t)b->planes + 1, sizeof *b->plane);
    b->constant = memory_array(a, pairs, sizeof *b->constant);
    b->wall_constant = memory_array(a, pairs, sizeof *b->wall_constant);
    return b->pair && b->prepared && b->plane && b->constant && b->wall_constant && bed_room_for_spheres(b, b->count) &&
           bed_room_for_number(b, last);
}

/// Sizes, largest radius, whether all spheres are alike, skin and box.
static scree_status take_sizes(bed *b, const bed_def *d, const bed_motion *start, scree_error *error)
{
    double sum = 0.0;
    b->count = d->count, b->planes = d->planes, b->materials = d->materials;
    b->pairs = d->materials * (d->materials + 1) / 2;
    b->chunk_given = d->chunk;
    b->law = d->law, b->h = d->step, b->hertz = d->pair[0].normal.kind == DEM_HERTZ, b->turns = d->orientations != 0;
    for (int i = 0; i < d->count; ++i) {
        const bed_grain g = grain_of(d, start, i);
        sum += g.radius, b->largest_radius = max2(b->largest_radius, g.radius);
    }
    double mean = d->count > 0 ? 2.0 * sum / d->count : 1.0;
    b->skin = d->skin > 0.0 ? d->skin : 0.2 * mean, b->least[0] = min2(0.004 * mean, 0.5 * b->skin);
    b->least[1] = min2(0.03 * mean, 0.5 * b->skin);
    for (int k = 0; k < 3; ++k) {
        b->gravity[k] = d->gravity[k], b->periodic[k] = d->periodic[k] != 0;
        b->borders.low[k] = -SCREE_INFINITY, b->borders.high[k] = SCREE_INFINITY;
        if (!b->periodic[k]) continue;
        b->low[k] = d->low[k], b->box[k] = d->high[k] - d->low[k], b->inverse_box[k] = 1.0 / b->box[k];
        b->borders.low[k] = d->low[k], b->borders.high[k] = d->high[k], b->borders.box[k] = b->box[k];
        if (!(b->box[k] >= 3.0 * (2.0 * b->largest_radius + b->skin)))
            return refuse(error, "a periodic axis must be at least 3 (2 R + skin) long");
    }
    b->borders.low[3] = -SCREE_INFINITY, b->borders.high[3] = SCREE_INFINITY;
    return SCREE_OK;
}

void bed_take_grain(bed *b, int i, const bed_grain *g)
{
    bed_record *r = &b->record[i];
    for (int k = 0; k < 3; ++k) r->x[k] = g->x[k], r->v[k] = g->v[k], r->omega[k] = g->omega[k];
    r->x[3] = g->radius, r->omega[3] = g->inverse_mass, r->v[3] = g->inverse_inertia;
    b->id[i] = g->id, b->material[i] = (uint16_t)g->material;
    if (b->q) memcpy(b->q[i], g->q, sizeof b->q[i]);
    bed_put_inside(b, i);
}

static void take_state(bed *b, const bed_def *d, const bed_motion *start)
{
    for (int i = 0; i < d->count; ++i) {
        const bed_grain g = grain_of(d, start, i);
        bed_take_grain(b, i, &g);
    }
    for (int p = 0; p < d->planes; ++p) {
        bed_plane_now *to = &b->plane[p];
        const bed_plane *from = &d->plane[p];
        for (int k = 0; k < 3; ++k) {
            to->n[k] = to->n_before[k] = from->normal[k], to->point[k] = from->point[k];
            to->v[k] = to->v_before[k] = from->v[k], to->omega[k] = to->omega_before[k] = from->omega[k];
        }
        to->material = from->material;
    }
    memcpy(b->pair, d->pair, (size_t)d->materials * (size_t)d->materials * sizeof *b->pair);
}

void bed_put_inside(bed *b, int i)
{
    for (int k = 0; k < 3; ++k) {
        double *x = &b->record[i].x[k];
        if (b->periodic[k]) *x = wrap_into(*x, b->borders.low[k], b->borders.high[k]);
    }
}

void bed_speed_find(bed *b)
{
    b->speed2 = 0.0;
    for (int i = 0; i < b->count; ++i) b->speed2 = max2(b->speed2, vec_dot(b->record[i].v, b->record[i].v));
}

scree_status bed_create(const bed_def *def, const bed_motion *start, const scree_allocator *allocator, scree_pool *pool,
                        bed **out, scree_error *error)
{
    scree_allocator a = memory_allocator(allocator);
    *out = NULL;
    scree_status status = check_def(def, start, error);
    if (status != SCREE_OK) return status;
    bed *b = memory_array(&a, 1, sizeof *b);
    if (!b) return SCREE_ERR_MEMORY;
    b->allocator = a;
    for (int k = 0; k <= def->kernel && bed_kernel_at(k); ++k) b->kernel = bed_kernel_at(k);
    status = take_sizes(b, def, start, error);
    if (status == SCREE_OK && !allocate(b, def, start)) status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        take_state(b, def, start);
        prepare_all(b);
        bed_bounds_find(b), bed_speed_find(b);
        b->sizes_due = 1;
        status = bed_set_pool(b, pool);
    }
    if (status == SCREE_OK) status = bed_lists_make(b);
    b->rebuilds = 0;
    if (status == SCREE_OK) *out = b;
    else bed_destroy(b);
    return status;
}

void bed_destroy(bed *b)
{
    if (!b) return;
    scree_allocator a = b->allocator;
    for (int c = 0; c < b->chunk_room; ++c) memory_free(&a, b->store[c].block);
    MEMORY_FREE_ALL(&a, b->pair, b->prepared, b->constant, b->wall_constant, b->record, b->id, b->place, b->material,
                    b->q, b->given, b->load, b->scratch, b->plane, b->plane_load, b->chunk, b->chunk_spare, b->store,
                    b->near, b->incoming, b->row, b->row_live, b->cell, b->copy, b->loss);
    memory_free(&a, b);
}

/// More threads than ever want more chunks: the next lists are cut for them.
static void threads_note(bed *b, int threads)
{
    if (threads <= b->threads) return;
    if (b->threads > 0 && bed_chunk_most(b, threads) < bed_chunk_most(b, b->threads)) b->lists_due = 1;
    b->threads = threads;
}

scree_status bed_set_pool(bed *b, scree_pool *pool)
{
    b->pool = pool;
    threads_note(b, scree_pool_threads(pool));
    return bed_room_for_threads(b) ? SCREE_OK : SCREE_ERR_MEMORY;
}

/// Loads of the chunk that each thread works on.
int bed_room_for_threads(bed *b)
{
    const size_t wanted = (size_t)scree_pool_threads(b->pool) * (size_t)b->each;
    if (wanted <= b->scratch_room) return 1;
    memory_free(&b->allocator, b->scratch);
    b->scratch = memory_array(&b->allocator, wanted, sizeof *b->scratch);
    b->scratch_room = b->scratch ? wanted : 0;
    return b->scratch != NULL;
}

/* ---- a step -------------------------------------------------------------------------------------------------------------------------- */

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
