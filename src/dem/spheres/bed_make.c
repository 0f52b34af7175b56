/* bed_make.c: a bed from its definition: what is refused, the arrays, the first state. */
#include "base/memory.h"
#include "dem/spheres/bed.h"
#include "dem/spheres/bed_turn.h"

#include <math.h>
#include <string.h>

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
    if (status == SCREE_OK) status = def->lists_later ? bed_lists_put_off(b) : bed_lists_make(b);
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
