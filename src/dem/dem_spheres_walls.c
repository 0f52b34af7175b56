/* dem_spheres_walls.c: walls of any shape around the spheres of an engine.
 *
 * A wall is a shape of a body that does not move freely and is neither a plane nor a fixed sphere: box, cylinder, hull, triangles, ...
 * Its contacts with spheres are few beside those among spheres, so the general code finds and answers them: the narrow phase of the world
 * (detect.c) and the law of dem_contact.c, one contact at a time. Before each step of the engine, at the instant of its own contacts:
 *
 *     poses       of the spheres near a wall, engine -> world
 *     detection   of the listed pairs; only gaps below 0 are kept, so that nothing depends on when the list was made
 *     loads       on spheres: pushed into the step; on driven bodies: summed for pressure control
 *     ledger      dashpots, sliders, springs and the work of driven walls into the sums that are not the engine's, exactly (dem_walls.h)
 *
 * and after it histories are carried along with the bodies, as dem.c does at the end of a step.
 * The list holds the pairs with a gap below the engine's skin. It is made again with the engine's lists, and where the ways of the fastest
 * sphere and the fastest point of a wall together have used the skin up. Between steps the contacts with their histories are the
 * world's, so a restart needs nothing more. Cost of a step: the list; of a new list: spheres times walls, by boxes. */
#include "dem/dem_spheres.h"

#include "base/memory.h"
#include "math/quat.h"

#include <stdlib.h>
#include <string.h>

/* ---- who ------------------------------------------------------------------------------------------------------------------------- */

/// Farthest point of a wall from the position of its body.
static double arm_of(const scree_world *w, int shape)
{
    return vec_norm(w->shape[shape].position) + w->shape_extent[shape];
}

void dem_spheres_walls_free(dem_spheres *d)
{
    bed_walls *v = &d->walls;
    dem_spheres_soft_free(d);
    MEMORY_FREE_ALL(&d->allocator, v->shape, v->arm, v->before, v->q0, v->near, v->radius, v->found, v->shapes, v->pair,
                    v->sum);
    *v = (bed_walls){.made = -1};
    d->forcing.walls = (bed_other_walls){.push = NULL};
}

/* ---- the world's contacts with walls ------------------------------------------------------------------------------------------- */

int dem_spheres_at_wall(const scree_world *w, const scree_contact_point *t)
{
    bed_role a = dem_spheres_role(w, t->shape_a), b = dem_spheres_role(w, t->shape_b);
    return (a == BED_WALL && b == BED_SPHERE) || (a == BED_SPHERE && b == BED_WALL);
}

double dem_spheres_wall_energy(const scree_world *w)
{
    const contact_set *set = &w->contacts;
    double sum = 0.0;
    for (int k = 0; set->memory && k < set->count; ++k)
        if (dem_spheres_at_wall(w, &set->touch[k])) sum += set->memory[k].energy[0] + set->memory[k].energy[1];
    return sum;
}

double dem_spheres_gone_energy(const scree_world *w, int at_wall)
{
    const contact_set *set = &w->contacts;
    double sum = 0.0;
    for (int k = 0; set->memory && k < set->count; ++k) {
        const scree_contact_point *t = &set->touch[k];
        const bed_role a = dem_spheres_role(w, t->shape_a), b = dem_spheres_role(w, t->shape_b);
        if (a != BED_ABSENT && b != BED_ABSENT) continue;
        if ((a == BED_WALL || b == BED_WALL) == at_wall) sum += set->memory[k].energy[0] + set->memory[k].energy[1];
    }
    return sum;
}

void dem_spheres_walls_pick(scree_world *w)
{
    contact_set *set = &w->contacts;
    int kept = 0;
    for (int k = 0; k < set->count; ++k) {
        if (!dem_spheres_at_wall(w, &set->touch[k])) continue;
        set->touch[kept] = set->touch[k], set->memory[kept] = set->memory[k];
        kept += 1;
    }
    set->count = kept;
}

/* ---- the list ------------------------------------------------------------------------------------------------------------------- */

static int pair_add(const scree_allocator *a, int wall, int ball, bed_walls *v)
{
    if (v->pairs == v->pair_room) {
        int room = 2 * v->pair_room + 256;
        int(*grown)[2] = world_grow(a, v->pair, v->pairs, room, sizeof *v->pair);
        if (!grown) return 0;
        v->pair = grown, v->pair_room = room;
    }
    int *pair = v->pair[v->pairs++];
    pair[0] = wall < ball ? wall : ball, pair[1] = wall < ball ? ball : wall;
    return 1;
}

int dem_spheres_by_shapes(const void *a, const void *b)
{
    const int *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/// Pairs nearer than the skin, at the engine's poses as they are, which become the world's.
static scree_status list_make(dem_spheres *d)
{
    scree_world *w = d->world;
    bed_walls *v = &d->walls;
    const double reach = d->engine->walls->skin(d->bed);
    (void)world_sync(w, PART_MOTION);
    w->holder.newer = PART_ALL; /* for the step that follows */
    v->pairs = v->near_count = 0;
    memset(v->found, 0, (size_t)v->bodies * sizeof *v->found);
    for (int k = 0; k < v->count; ++k) {
        int n = world_balls_near(w, v->shape[k], w->body_count, (const double *)w->x, v->radius, reach, v->near);
        for (int i = 0; i < n; ++i) {
            if (!pair_add(&d->allocator, v->shape[k], w->first_shape[v->near[i]], v)) return SCREE_ERR_MEMORY;
            v->found[v->near[i]] = 1;
        }
        v->shapes[k] = v->shape[k];
    }
    for (int b = 0; b < w->body_count; ++b)
        if (v->found[b]) v->shapes[v->count + v->near_count] = w->first_shape[b], v->near[v->near_count++] = b;
    if (v->pairs > 0) qsort(v->pair, (size_t)v->pairs, sizeof *v->pair, dem_spheres_by_shapes);
    v->made = d->engine->walls->rebuilds(d->bed), v->travel = d->engine->walls->travel(d->bed), v->way = 0.0;
    return SCREE_OK;
}

static int list_used_up(const dem_spheres *d)
{
    const bed_walls *v = &d->walls;
    return v->made != d->engine->walls->rebuilds(d->bed) ||
           d->engine->walls->travel(d->bed) - v->travel + v->way > d->engine->walls->skin(d->bed);
}

/* ---- a step ----------------------------------------------------------------------------------------------------------------------- */

/// Poses and velocities of the spheres near walls.
static void spheres_read(dem_spheres *d)
{
    scree_world *w = d->world;
    bed_walls *v = &d->walls;
    for (int k = 0; k < v->near_count; ++k) {
        int b = v->near[k];
        d->engine->walls->look_at(d->bed, b, w->x[b], w->v[b], v->before[b] + 3, w->q[b]);
        memcpy(v->before[b], w->v[b], sizeof(vec3));
    }
}

/// Contacts that touch; with the others the list could be seen in the result.
static void touching_keep(contact_set *set)
{
    int kept = 0;
    for (int k = 0; k < set->count; ++k) {
        if (!(set->touch[k].gap < 0.0)) continue;
        if (kept < k) set->touch[kept] = set->touch[k], set->memory[kept] = set->memory[k];
        kept += 1;
    }
    set->count = kept;
}

static int by_id(const void *key, const void *driven)
{
    const int a = *(const int *)key, b = ((const bed_driven *)driven)->id;
    return (a > b) - (a < b);
}

/// What a contact does to one of its bodies.
static scree_status side_push(dem_spheres *d, int body, double sign, const double force[3], const double torque[3])
{
    const bed_forcing *f = &d->forcing;
    const double push[3] = {sign * force[0], sign * force[1], sign * force[2]};
    if (d->world->kind[body] == SCREE_BODY_DYNAMIC) return d->engine->walls->push(d->bed, body, push, torque);
    if (d->world->kind[body] != SCREE_BODY_DRIVEN) return SCREE_OK;
    const bed_driven *on = bsearch(&body, f->driven, (size_t)f->driven_count, sizeof *on, by_id);
    for (int k = 0; k < 3; ++k) exact_add(d->walls.sum[WALL_SUMS + 3 * (on - f->driven) + k], push[k]);
    exact_add(d->walls.sum[WALL_DRIVEN], wall_work(d->step, push, torque, on->velocity));
    return SCREE_OK;
}

static int is_gone(const scree_world *w, const scree_contact_point *t)
{
    return w->kind[t->body_a] == SCREE_BODY_REMOVED || w->kind[t->body_b] == SCREE_BODY_REMOVED;
}

void dem_spheres_walls_part(const scree_world *w, const contact_set *last, scree_ledger *outside)
{
    int64_t gone[EXACT_DIGITS] = {0};
    for (int k = 0; k < last->count && last->memory; ++k)
        for (int i = 0; i < 2 && is_gone(w, &last->touch[k]); ++i) exact_add(gone, last->memory[k].energy[i]);
    outside->brought -= exact_value(gone);
}

/// The contacts of a step into the sums, but for what they do to bodies.
static void contacts_sum(dem_spheres *d, const step_context *s)
{
    const scree_world *w = d->world;
    double term[WALL_HAD];
    for (int k = 0; k < w->previous.count; ++k)
        if (!is_gone(w, &w->previous.touch[k])) exact_add(d->walls.sum[WALL_HAD], w->previous.memory[k].energy[1]);
    for (int k = 0; k < w->contacts.count; ++k) {
        wall_terms(&s->soft[k], term);
        for (int i = 0; i < WALL_HAD; ++i) exact_add(d->walls.sum[i], term[i]);
    }
}

/// The sums to the ledger and to the driven bodies.
static void sums_close(dem_spheres *d)
{
    double value[WALL_SUMS];
    for (int k = 0; k < WALL_SUMS; ++k) value[k] = exact_value(d->walls.sum[k]);
    wall_ledger(value, &d->outside);
    for (int k = 0; k < 3 * d->forcing.driven_count; ++k)
        d->forcing.driven[k / 3].felt[k % 3] += exact_value(d->walls.sum[WALL_SUMS + k]);
}

/// Before a step: contacts with walls at the poses as they are, their loads on the spheres.
static scree_status walls_push(void *context, scree_error *error)
{
    dem_spheres *d = context;
    scree_stepper *stepper = d->stepper;
    scree_world *w = d->world;
    bed_walls *v = &d->walls;
    scree_status status = SCREE_OK;
    w->time = d->forcing.time; /* detection looks at driven bodies */
    if (v->made < 0 || list_used_up(d)) status = list_make(d);
    if (status != SCREE_OK) {
        v->made = -1;
        return status;
    }
    spheres_read(d);
    for (int k = 0; k < v->near_count; ++k) memcpy(v->q0[v->near[k]], w->q[v->near[k]], sizeof(quat));
    for (int k = 0; k < d->forcing.driven_count; ++k) {
        const bed_driven *on = &d->forcing.driven[k];
        memcpy(v->q0[on->id], on->q, sizeof(quat)), memcpy(v->before[on->id], on->velocity, sizeof(vec6));
    }
    const listed_pairs pairs = {v->pairs, v->count + v->near_count, (const int(*)[2])v->pair, v->shapes};
    step_context s = {.options = &stepper->options, .world = w, .pool = stepper->pool, .error = error};
    s.t = w->time, s.h = d->step, s.before = v->before, s.q0 = v->q0;
    arena_reset(stepper->scratch);
    s.memory = arena_allocator(stepper->scratch);
    status = world_detect_listed(w, &pairs, s.h, stepper->pool);
    if (status != SCREE_OK) return status;
    touching_keep(&w->contacts);
    status = dem_loads_find(&s);
    if (status != SCREE_OK) { /* the contacts of the step before, whose histories are as they were */
        contact_set found = w->contacts;
        w->contacts = w->previous, w->previous = found;
        return status;
    }
    memset(v->sum, 0, (WALL_SUMS + 3 * (size_t)d->forcing.driven_count) * sizeof *v->sum);
    dem_spheres_walls_part(w, &w->previous, &d->outside);
    contacts_sum(d, &s);
    for (int k = 0; k < w->contacts.count && status == SCREE_OK; ++k) { /* in the order of the contacts */
        const scree_contact_point *t = &w->contacts.touch[k];
        const dem_touch *c = &s.soft[k];
        d->forcing.deepest = max2(d->forcing.deepest, -t->gap);
        status = side_push(d, t->body_a, -1.0, c->force, c->torque_a);
        if (status == SCREE_OK) status = side_push(d, t->body_b, 1.0, c->force, c->torque_b);
    }
    sums_close(d);
    return status;
}

/// After the step: walls stand where their bodies are, and histories go with these and the spheres.
static void walls_carry(void *context)
{
    dem_spheres *d = context;
    bed_walls *v = &d->walls;
    step_context s = {.world = d->world, .pool = d->stepper->pool, .q0 = v->q0};
    double fastest = 0.0;
    dem_spheres_forcing_give(d);
    for (int k = 0; k < d->forcing.driven_count; ++k) {
        const bed_driven *on = &d->forcing.driven[k];
        fastest = max2(fastest, vec_norm(on->moved) + vec_norm(on->moved + 3) * v->arm[on->id]);
    }
    v->way += d->step * fastest;
    spheres_read(d);
    d->world->soft.moved = d->world->body_count; /* contacts that begin from now on are earned by motion */
    (void)dem_memories_carry(&s);                /* it asks for nothing */
}

scree_status dem_spheres_walls_list(dem_spheres *d)
{
    const scree_world *w = d->world;
    const scree_allocator *a = &d->allocator;
    bed_walls *v = &d->walls;
    const int bodies = w->body_count + w->body_count / 4 + 16;
    const size_t room = (size_t)bodies;
    int count = 0;
    for (int k = 0; k < w->shape_count; ++k) count += dem_spheres_role(w, k) == BED_WALL;
    if (count == 0) return SCREE_OK; /* and there were none: a wall that leaves takes the engine along */
    if (w->body_count > v->bodies) {
        dem_spheres_walls_free(d);
        v->shape = memory_array(a, (size_t)count + 1, sizeof *v->shape);
        v->arm = memory_array(a, room, sizeof *v->arm);
        v->before = memory_array(a, room, sizeof *v->before);
        v->q0 = memory_array(a, room, sizeof *v->q0);
        v->near = memory_array(a, room, sizeof *v->near);
        v->radius = memory_array(a, room, sizeof *v->radius);
        v->found = memory_array(a, room, sizeof *v->found);
        v->shapes = memory_array(a, room + (size_t)count, sizeof *v->shapes);
        v->sum = memory_array(a, WALL_SUMS + 3 * (size_t)d->forcing.driven_count, sizeof *v->sum);
        if (!v->sum || !v->shape || !v->arm || !v->before || !v->q0 || !v->near || !v->radius || !v->found ||
            !v->shapes) {
            dem_spheres_walls_free(d);
            return SCREE_ERR_MEMORY;
        }
        v->count = count, v->bodies = bodies;
        if (d->engine->walls) d->forcing.walls = (bed_other_walls){walls_push, walls_carry, d};
    }
    v->made = -1;
    for (int k = 0, n = 0; k < w->shape_count; ++k) {
        const int b = w->shape_body[k];
        const bed_role role = dem_spheres_role(w, k);
        if (role == BED_WALL) {
            v->shape[n++] = k, v->arm[b] = max2(v->arm[b], arm_of(w, k));
            memcpy(v->q0[b], w->q[b], sizeof(quat)); /* of what stands still */
        }
        v->radius[b] = role == BED_SPHERE && w->kind[b] == SCREE_BODY_DYNAMIC ? w->shape[k].size[0] : 0.0;
    }
    return d->engine->walls ? SCREE_OK : dem_spheres_soft_list(d);
}
