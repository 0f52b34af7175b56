/* bed.c: making a bed, and its step. */
#include "steppers/bed.h"

#include "base/memory.h"
#include "steppers/bed_parts.h"

#include <math.h>
#include <string.h>

/* ---- what materials say ------------------------------------------------------------------------------------------------------- */

/// A number that is given, or -1 where it is to be derived, as the part that is given.
static double given_part(double value)
{
    return value >= 0.0 ? value : 0.0;
}

static double derived_part(double value, double derived)
{
    return value >= 0.0 ? 0.0 : derived;
}

static bed_arm arm_times(bed_arm arm, double factor)
{
    return (bed_arm){factor * arm.length, factor * arm.ratio, factor * arm.reduced};
}

static void prepare_friction(const bed_pair *pair, double h, bed_prepared *p)
{
    const dem_friction_def *d = &pair->friction;
    const double K_E = d->stiffness, critical = 2.0 * d->damping_share;
    const double per_mu = d->slide_kinetic > 0.0 ? 1.0 / d->slide_kinetic : 0.0; /* arms are given for mu N */
    p->published = d->published;
    p->slide[0] = K_E, p->slide[1] = given_part(d->slide_damping) / h;
    p->slide[2] = d->slide_static, p->slide[3] = d->slide_kinetic;
    p->slide_root = derived_part(d->slide_damping, 2.0 * d->slide_share * sqrt(K_E)) / h;

    p->roll_curvature = d->roll_curvature > 0.0 ? d->roll_curvature : DEM_DERIVED;
    p->spin_curvature = d->spin_curvature > 0.0 ? d->spin_curvature : DEM_DERIVED;
    p->spin_hertz = d->spin_hertz;
    if (!(d->roll_curvature >= 0.0 && d->roll_curvature <= 0.0)) { /* a given curvature of 0: nothing rolls */
        p->roll[0] = given_part(d->roll_stiffness), p->roll[1] = given_part(d->roll_damping) / h;
        p->roll[2] = dem_given(d->roll_static, d->slide_static);
        p->roll[3] = dem_given(d->roll_kinetic, d->slide_kinetic);
        p->roll_eta = 2.0 * d->eta_r, p->roll_arm = arm_times(pair->roll_arm, per_mu);
        p->roll_more = derived_part(d->roll_stiffness, 2.0 * K_E);
        p->roll_root = derived_part(d->roll_damping, critical) / h;
    }
    if (!(d->spin_curvature >= 0.0 && d->spin_curvature <= 0.0) || d->spin_hertz) {
        p->spin[0] = given_part(d->spin_stiffness), p->spin[1] = given_part(d->spin_damping) / h;
        p->spin[2] = dem_given(d->spin_static, d->slide_static);
        p->spin[3] = dem_given(d->spin_kinetic, d->slide_kinetic);
        p->spin_root = derived_part(d->spin_damping, critical) / h;
        if (d->spin_hertz) p->spin_area = derived_part(d->spin_stiffness, 0.5 * K_E);
        else {
            p->spin_eta = d->eta_psi, p->spin_arm = arm_times(pair->spin_arm, per_mu);
            p->spin_more = derived_part(d->spin_stiffness, K_E);
        }
    }
}

static void prepare_pair(const bed_pair *pair, bed_law law, double h, bed_prepared *p)
{
    const dem_normal *n = &pair->normal;
    memset(p, 0, sizeof *p);
    if (n->kind == DEM_HERTZ) p->modulus = 4.0 / 3.0 * n->stiffness, p->damping_root = sqrt(5.0) * n->zeta;
    else p->stiffness = n->stiffness, p->damping = pair->normal_damping, p->damping_root = 2.0 * n->zeta;
    p->floor = n->pulls ? -SCREE_INFINITY : 0.0;
    if (law == BED_TRACKED) {
        prepare_friction(pair, h, p);
        return;
    }
    p->roll_arm = pair->roll_arm, p->spin_arm = pair->spin_arm;
    const bed_sds *sds[3] = {&pair->slide, &pair->roll, &pair->twist};
    for (int k = 0; k < 3; ++k) {
        if (!(sds[k]->stiffness > 0.0)) continue;
        p->sds[k][0] = sds[k]->stiffness, p->sds[k][1] = sds[k]->damping, p->sds[k][2] = sds[k]->mu;
        p->sds[k][3] = 1.0 / sds[k]->stiffness, p->sds_root[k] = 2.0 * sds[k]->ratio * sqrt(sds[k]->stiffness);
    }
}

static void prepare_all(bed *b)
{
    const bed_record *r = b->record;
    const double sphere[3] = {r->x[3], r->omega[3], r->v[3]}, plane[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < b->materials; ++a)
        for (int c = 0; c <= a; ++c) {
            int k = bed_pair_index(a, c);
            prepare_pair(&b->pair[a * b->materials + c], b->law, b->h, &b->prepared[k]);
            b->spin_hertz |= b->law == BED_TRACKED && b->prepared[k].spin_hertz > 0.0;
            b->published |= b->law == BED_TRACKED && b->prepared[k].published > 0.0;
            if (!b->equal) continue;
            b->kernel->constants(b->law, &b->prepared[k], sphere, sphere, b->constant[k]);
            b->kernel->constants(b->law, &b->prepared[k], sphere, plane, b->wall_constant[k]);
        }
}

/* ---- making ------------------------------------------------------------------------------------------------------------------------ */

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
            if (d->law == BED_TRACKED && !(p->friction.stiffness > 0.0))
                return refuse(error, "the tangential stiffness K_E must be > 0");
        }
    return SCREE_OK;
}

static scree_status check_def(const bed_def *d, const bed_motion *start, scree_error *error)
{
    if (d->count < 0 || d->planes < 0 || d->materials < 1 || d->materials > BED_MATERIALS_MAX)
        return refuse(error, "a bed has 0 or more spheres and planes and 1 to 90 materials");
    if (!(d->step > 0.0 && isfinite(d->step))) return refuse(error, "the step must be > 0");
    for (int i = 0; i < d->count; ++i) {
        double inertia = d->inverse_inertia ? d->inverse_inertia[i] : d->inverse_mass[i];
        int material = d->material ? d->material[i] : 0;
        if (!(d->radius[i] > 0.0 && isfinite(d->radius[i]))) return refuse(error, "a radius must be > 0");
        if (!(d->inverse_mass[i] >= 0.0 && isfinite(d->inverse_mass[i]) && inertia >= 0.0 && isfinite(inertia)) ||
            (d->inverse_mass[i] > 0.0) != (inertia > 0.0))
            return refuse(error, "mass and inertia must be > 0, or both without bound");
        if (material < 0 || material >= d->materials)
            return refuse(error, "a sphere has a material that does not exist");
        for (int k = 0; k < 3; ++k)
            if (!isfinite(start->x[3 * i + k])) return refuse(error, "a position is not a number");
    }
    for (int p = 0; p < d->planes; ++p) {
        if (d->plane[p].material < 0 || d->plane[p].material >= d->materials)
            return refuse(error, "a plane has a material that does not exist");
        if (!(fabs(vec_norm(d->plane[p].normal) - 1.0) < 1e-9))
            return refuse(error, "a plane's normal must be a unit vector");
    }
    return check_pairs(d, error);
}

int bed_allocate(bed *b, int orientations, int ledger)
{
    const scree_allocator *a = &b->allocator;
    size_t n = (size_t)b->count, pairs = (size_t)b->pairs, chunks = (size_t)b->chunks;
    b->pair = memory_raw_array(a, (size_t)b->materials * (size_t)b->materials, sizeof *b->pair);
    b->prepared = memory_array(a, pairs, sizeof *b->prepared);
    b->record = memory_raw_array(a, n + 1, sizeof *b->record);
    b->id = memory_raw_array(a, n + 1, sizeof *b->id);
    b->material = memory_raw_array(a, n + 1, sizeof *b->material);
    b->chunk = memory_array(a, chunks + 1, sizeof *b->chunk);
    b->plane = memory_array(a, (size_t)b->planes + 1, sizeof *b->plane);
    b->plane_load = memory_array(a, chunks * (size_t)b->planes + 1, sizeof *b->plane_load);
    b->scratch = memory_array(a, (size_t)scree_pool_threads(b->pool) * (size_t)b->each, sizeof *b->scratch);
    if (!b->pair || !b->prepared || !b->record || !b->id || !b->material || !b->chunk || !b->plane || !b->plane_load ||
        !b->scratch)
        return 0;
    if (orientations && !(b->q = memory_raw_array(a, n + 1, sizeof *b->q))) return 0;
    if (ledger && !(b->loss = memory_array(a, chunks + 1, sizeof *b->loss))) return 0;
    if (!b->equal) return 1;
    b->constant = memory_array(a, pairs, sizeof *b->constant);
    b->wall_constant = memory_array(a, pairs, sizeof *b->wall_constant);
    return b->constant && b->wall_constant;
}

/// Sizes, largest radius, whether all spheres are alike, skin and box.
static scree_status take_sizes(bed *b, const bed_def *d, scree_error *error)
{
    double sum = 0.0;
    b->count = d->count, b->planes = d->planes, b->materials = d->materials;
    b->pairs = d->materials * (d->materials + 1) / 2;
    bed_cut(b);
    b->law = d->law, b->h = d->step, b->equal = d->count > 0, b->hertz = d->pair[0].normal.kind == DEM_HERTZ;
    for (int i = 0; i < d->count; ++i) {
        sum += d->radius[i], b->largest_radius = max2(b->largest_radius, d->radius[i]);
        b->equal &= !(d->radius[i] < d->radius[0] || d->radius[i] > d->radius[0]) &&
                    !(d->inverse_mass[i] < d->inverse_mass[0] || d->inverse_mass[i] > d->inverse_mass[0]);
        if (d->inverse_inertia)
            b->equal &=
                !(d->inverse_inertia[i] < d->inverse_inertia[0] || d->inverse_inertia[i] > d->inverse_inertia[0]);
    }
    double mean = d->count > 0 ? 2.0 * sum / d->count : 1.0;
    b->skin = d->skin > 0.0 ? d->skin : 0.2 * mean, b->inner = min2(0.004 * mean, 0.5 * b->skin);
    b->middle = min2(0.03 * mean, 0.5 * b->skin);
    for (int k = 0; k < 3; ++k) {
        b->gravity[k] = d->gravity[k], b->periodic[k] = d->periodic[k] != 0;
        if (!b->periodic[k]) continue;
        b->low[k] = d->low[k], b->box[k] = d->high[k] - d->low[k], b->inverse_box[k] = 1.0 / b->box[k];
        if (!(b->box[k] >= 3.0 * (2.0 * b->largest_radius + b->skin)))
            return refuse(error, "a periodic axis must be at least 3 (2 R + skin) long");
    }
    return SCREE_OK;
}

static void take_state(bed *b, const bed_def *d, const bed_motion *start)
{
    for (int i = 0; i < d->count; ++i) {
        bed_record *r = &b->record[i];
        double R = d->radius[i], im = d->inverse_mass[i];
        for (int k = 0; k < 3; ++k) {
            r->x[k] = start->x[3 * i + k];
            r->v[k] = start->v ? start->v[3 * i + k] : 0.0;
            r->omega[k] = start->omega ? start->omega[3 * i + k] : 0.0;
        }
        r->x[3] = R, r->omega[3] = im, r->v[3] = d->inverse_inertia ? d->inverse_inertia[i] : 2.5 * im / (R * R);
        b->id[i] = i, b->material[i] = (uint16_t)(d->material ? d->material[i] : 0);
        for (int k = 0; k < 4 && b->q; ++k) b->q[i][k] = start->q ? start->q[4 * i + k] : k == 0;
    }
    for (int p = 0; p < d->planes; ++p) {
        bed_plane_now *to = &b->plane[p];
        const bed_plane *from = &d->plane[p];
        for (int k = 0; k < 3; ++k) {
            to->n[k] = to->n_before[k] = from->normal[k], to->point[k] = from->point[k];
            to->v[k] = from->v[k], to->omega[k] = from->omega[k];
        }
        to->material = from->material;
    }
    memcpy(b->pair, d->pair, (size_t)d->materials * (size_t)d->materials * sizeof *b->pair);
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
    b->allocator = a, b->pool = pool;
    for (int k = 0; k <= def->kernel && bed_kernel_at(k); ++k) b->kernel = bed_kernel_at(k);
    status = take_sizes(b, def, error);
    if (status == SCREE_OK && !bed_allocate(b, def->orientations, def->ledger)) status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        take_state(b, def, start);
        prepare_all(b);
        status = bed_lists_make(b);
        b->rebuilds = 0;
    }
    if (status != SCREE_OK) {
        bed_destroy(b);
        return status;
    }
    bed_contacts_step(b, 0.0, 0);
    *out = b;
    return SCREE_OK;
}

void bed_destroy(bed *b)
{
    if (!b) return;
    scree_allocator a = b->allocator;
    MEMORY_FREE_ALL(&a, b->pair, b->prepared, b->constant, b->wall_constant, b->record, b->id, b->material, b->q,
                    b->given, b->load, b->scratch, b->plane, b->plane_load, b->chunk, b->block, b->spare, b->near,
                    b->incoming, b->row, b->row_live, b->cell, b->kept, b->loss);
    memory_free(&a, b);
}

/* ---- a step -------------------------------------------------------------------------------------------------------------------------- */

typedef struct step_of {
    bed *b;
    double moved;
    int keep;
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
    run.block = b->block + span->first, run.blocks = bed_blocks(span->count);
    run.plane_load = b->plane_load + (size_t)chunk * (size_t)b->planes;
    if (group == BED_ACROSS) run.row = b->row + own->row, run.row_live = b->row_live + own->row / BED_LANES;
    run.prepared = b->prepared;
    run.constant = (const double(*)[BED_CONSTANTS][BED_LANES])(group == BED_WALL ? b->wall_constant : b->constant);
    run.h = b->h, run.moved = s->moved, run.hertz = b->hertz, run.spin_hertz = b->spin_hertz;
    run.published = b->published;
    run.single = run.constant && b->pairs == 1;
    run.fetch =
        group == BED_WITHIN || (group == BED_ACROSS && (b->count > BED_CACHED || scree_pool_threads(b->pool) > 1));
    run.periodic = group == BED_ACROSS && (b->periodic[0] || b->periodic[1] || b->periodic[2]);
    memcpy(run.box, b->box, sizeof run.box), memcpy(run.inverse_box, b->inverse_box, sizeof run.inverse_box);
    run.loss = b->loss && s->moved > 0.0 ? b->loss[chunk] : NULL;
    run.kept = s->keep ? b->kept + span->first : NULL;
    if (run.fetch && group == BED_ACROSS && chunk + 1 < b->chunks) {
        const bed_span *after = &b->chunk[chunk + 1].group[group];
        run.next_block = b->block + after->first, run.next_blocks = bed_blocks(after->count);
        run.next_row = b->row + b->chunk[chunk + 1].row;
    }
    return run;
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
    (void)begin, (void)end, (void)worker;
    s->b->kernel->contacts[s->b->law][0](&run);
}

/// Loads on a chunk's spheres, which are 0 before.
static void load_chunk(const step_of *s, int chunk, bed_load *load, bed_ahead *ahead)
{
    bed *b = s->b;
    bed_chunk *own = &b->chunk[chunk];
    if (b->planes > 0) {
        bed_run wall = run_of(s, chunk, BED_WALL);
        wall.load = load;
        memset(wall.plane_load, 0, (size_t)b->planes * sizeof *wall.plane_load);
        b->kernel->contacts[b->law][1](&wall);
    }
    bed_run run = run_of(s, chunk, BED_WITHIN);
    run.load = load, run.ahead = ahead;
    own->live = b->kernel->contacts[b->law][0](&run);
    bed_rows rows = {.block = b->block + own->group[BED_ACROSS].first, .contacts = own->group[BED_ACROSS].count};
    rows.own = b->row + own->row, rows.row = b->row, rows.row_live = b->row_live;
    rows.load = load, rows.first = chunk * b->each;
    rows.incoming = b->incoming + own->incoming.first, rows.incoming_count = own->incoming.count;
    b->kernel->add_rows(&rows);
}

/// The motion of a chunk; its loads are 0 afterwards.
static void move_chunk(bed *b, int chunk, bed_load *load, bed_ahead *ahead)
{
    bed_drift d = {.record = b->record, .load = load, .given = b->given, .q = b->q, .h = b->h};
    d.begin = chunk * b->each, d.end = d.begin + chunk_size(b, chunk);
    d.ahead = ahead;
    memcpy(d.gravity, b->gravity, sizeof d.gravity);
    b->kernel->drift(&d);
    b->chunk[chunk].speed2 = d.speed2, b->chunk[chunk].bad = d.bad;
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

/// The second pass where the loads are to stay.
static void only_load_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const step_of *s = context;
    (void)end, (void)worker;
    load_chunk(s, chunk, s->b->load + begin, NULL);
}

static void only_move_chunk(void *context, int begin, int end, int chunk, int worker)
{
    bed *b = context;
    (void)end, (void)worker;
    move_chunk(b, chunk, b->load + begin, NULL);
}

void bed_contacts_step(bed *b, double moved, int keep)
{
    step_of s = {b, moved, keep};
    parallel_for(b->pool, b->count, b->each, across_chunk, &s);
    parallel_for(b->pool, b->count, b->each, only_load_chunk, &s);
}

/// Planes move and turn. Returns the longest way that a point of one, near the spheres, has made.
static double planes_drift(bed *b)
{
    double most = 0.0;
    for (int p = 0; p < b->planes; ++p) {
        bed_plane_now *w = &b->plane[p];
        double turn[3], q[4], n[3], spin = vec_norm(w->omega), reach = b->skin;
        memcpy(w->n_before, w->n, sizeof w->n);
        if (spin > 0.0) {
            for (int k = 0; k < 3; ++k) turn[k] = b->h * w->omega[k];
            quat_exp(turn, q);
            quat_rotate(q, w->n_before, n);
            double s = 1.0 / vec_norm(n);
            for (int k = 0; k < 3; ++k) {
                w->n[k] = s * n[k];
                reach += max2(fabs(b->bounds[0][k] - w->point[k]), fabs(b->bounds[1][k] - w->point[k]));
            }
        }
        for (int k = 0; k < 3; ++k) w->point[k] += b->h * w->v[k];
        most = max2(most, b->h * (vec_norm(w->v) + spin * reach));
    }
    return most;
}

/// New lists where the skin may be used up, else a look at near lists where `middle` may be, or `inner`.
static scree_status lists_update(bed *b, double way, double wall_way)
{
    b->travel += way, b->soon_travel += way, b->near_travel += way, b->wall_travel += way + wall_way;
    if (2.0 * b->travel > b->skin || b->wall_travel > b->skin) return bed_lists_make(b);
    if (2.0 * b->near_travel > b->middle) return bed_lists_look(b, 1);
    if (2.0 * b->soon_travel > b->inner) return bed_lists_look(b, 0);
    if (b->steps % BED_TIDY == 0) bed_lists_tidy(b);
    return SCREE_OK;
}

/// The longest way that a sphere has made.
static scree_status way_made(const bed *b, double *way, scree_error *error)
{
    double speed2 = 0.0;
    for (int c = 0; c < b->chunks; ++c) {
        speed2 = max2(speed2, b->chunk[c].speed2);
        if (b->chunk[c].bad < 0) continue;
        scree_error_set(error, NULL, 0, 0, "sphere %d left the range of numbers in step %lld",
                        (int)b->id[b->chunk[c].bad], (long long)b->steps);
        return SCREE_ERR_INPUT;
    }
    *way = b->h * sqrt(speed2);
    return SCREE_OK;
}

/* Motion, lists, loads. From the second step on, motion follows the loads chunk by chunk: with a million spheres each of them comes from
 * memory once in a step, its loads never. */
scree_status bed_advance(bed *b, int64_t steps, scree_error *error)
{
    step_of step = {b, b->h, 0};
    for (int64_t s = 0; s < steps; ++s) {
        double way = 0.0;
        if (s == 0) parallel_for(b->pool, b->count, b->each, only_move_chunk, b);
        scree_status status = way_made(b, &way, error);
        if (status == SCREE_OK) status = lists_update(b, way, planes_drift(b));
        if (status != SCREE_OK) return status;
        if (s + 1 < steps) {
            parallel_for(b->pool, b->count, b->each, across_chunk, &step);
            parallel_for(b->pool, b->count, b->each, load_and_move_chunk, &step);
        } else bed_contacts_step(b, b->h, b->keep);
        b->steps += 1;
    }
    return SCREE_OK;
}
