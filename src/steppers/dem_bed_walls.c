/* dem_bed_walls.c: walls of any shape around a bed of spheres.
 *
 * A wall is a shape of a body that does not move freely and is neither a plane nor a fixed sphere: box, cylinder, hull, triangles, ...
 * Its contacts with spheres are few beside those among spheres, so the general code finds and answers them: the narrow phase of the world
 * (detect.c) and the law of dem_contact.c, one contact at a time. After each step of the bed, at the instant of its own contacts:
 *
 *     poses       of the spheres near a wall, bed -> world; memories are carried along, as dem.c does at the end of a step
 *     detection   of the listed pairs; only gaps below 0 are kept, so that nothing depends on when the list was made
 *     loads       on spheres: added to those that the bed's next step begins with; on driven bodies: summed for their servos
 *     ledger      dashpots, sliders, springs and the work of driven walls into the sums that are not the bed's
 *
 * The list holds the pairs with a gap below the bed's skin. It is made again with the bed's lists, and where the ways of the fastest
 * sphere and the fastest point of a wall together have used the skin up. Between calls the contacts with their memories are the
 * world's, so a restart needs nothing more. Cost of a step: the list; of a new list: spheres times walls, by boxes. */
#include "steppers/dem_bed.h"

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

int dem_bed_walls_list(const scree_allocator *a, const scree_world *w, dem_bed *d)
{
    bed_walls *v = &d->walls;
    size_t bodies = (size_t)w->body_count, spheres = (size_t)d->cast.spheres;
    for (int k = 0; k < w->shape_count; ++k) v->count += dem_bed_role(w, k) == BED_WALL;
    if (v->count == 0) return 1;
    v->shape = memory_array(a, (size_t)v->count, sizeof *v->shape);
    v->arm = memory_array(a, bodies, sizeof *v->arm);
    v->before = memory_array(a, bodies, sizeof *v->before);
    v->reaction = memory_array(a, bodies, sizeof *v->reaction);
    v->q0 = memory_array(a, bodies, sizeof *v->q0);
    v->near = memory_array(a, spheres + 1, sizeof *v->near);
    v->radius = memory_array(a, spheres + 1, sizeof *v->radius);
    v->found = memory_array(a, spheres + 1, sizeof *v->found);
    v->number = memory_array(a, (size_t)w->shape_count, sizeof *v->number);
    v->shapes = memory_array(a, spheres + (size_t)v->count, sizeof *v->shapes);
    if (!v->shape || !v->arm || !v->before || !v->reaction || !v->q0 || !v->near || !v->radius || !v->found ||
        !v->number || !v->shapes)
        return 0;
    for (int k = 0, n = 0; k < w->shape_count; ++k) {
        if (dem_bed_role(w, k) != BED_WALL) continue;
        double *arm = &v->arm[w->shape_body[k]];
        v->shape[n++] = k, *arm = max2(*arm, arm_of(w, k));
    }
    for (int k = 0; k < d->cast.spheres; ++k) {
        int shape = d->cast.sphere_shape[k];
        v->number[shape] = k;
        if (w->kind[w->shape_body[shape]] == SCREE_DYNAMIC) v->radius[k] = w->shape[shape].size[0];
    }
    v->made = -1;
    return 1;
}

void dem_bed_walls_free(const scree_allocator *a, dem_bed *d)
{
    bed_walls *v = &d->walls;
    MEMORY_FREE_ALL(a, v->shape, v->arm, v->before, v->reaction, v->q0, v->near, v->radius, v->found, v->number,
                    v->shapes, v->pair, v->saved);
}

/* ---- the world's contacts with walls ------------------------------------------------------------------------------------------- */

static int at_wall(const scree_world *w, const scree_touch *t)
{
    bed_role a = dem_bed_role(w, t->shape_a), b = dem_bed_role(w, t->shape_b);
    return (a == BED_WALL && b == BED_SPHERE) || (a == BED_SPHERE && b == BED_WALL);
}

void dem_bed_walls_pick(scree_world *w)
{
    contact_set *set = &w->contacts;
    int kept = 0;
    for (int k = 0; k < set->count; ++k) {
        if (!at_wall(w, &set->touch[k])) continue;
        set->touch[kept] = set->touch[k], set->memory[kept] = set->memory[k];
        kept += 1;
    }
    set->count = kept;
}

/// Memories as they are before the steps of a call.
static scree_status memories_save(const scree_allocator *a, const scree_world *w, bed_walls *v)
{
    int n = 0;
    for (int k = 0; k < w->contacts.count; ++k) n += at_wall(w, &w->contacts.touch[k]);
    v->saved_count = -1;
    if (n > v->saved_room) {
        memory_free(a, v->saved);
        v->saved_room = 0;
        v->saved = memory_raw_array(a, 2 * (size_t)n, sizeof *v->saved);
        if (!v->saved) return SCREE_ERR_MEMORY;
        v->saved_room = 2 * n;
    }
    v->saved_count = 0;
    for (int k = 0; k < w->contacts.count; ++k)
        if (at_wall(w, &w->contacts.touch[k])) v->saved[v->saved_count++] = w->contacts.memory[k];
    return SCREE_OK;
}

void dem_bed_walls_restore(const dem_bed *d, scree_world *w)
{
    const bed_walls *v = &d->walls;
    for (int k = 0, n = 0; k < w->contacts.count && v->count > 0 && v->saved_count >= 0; ++k) {
        int kept = at_wall(w, &w->contacts.touch[k]) && n < v->saved_count;
        w->contacts.memory[k] = kept ? v->saved[n++] : (contact_memory){.live = 0};
    }
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

static int by_shapes(const void *a, const void *b)
{
    const int *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/// Pairs nearer than the skin, at the bed's poses as they are, which become the world's.
static scree_status list_make(scree_stepper *stepper, scree_world *w)
{
    dem_bed *d = stepper->bed;
    bed_walls *v = &d->walls;
    const double reach = bed_skin(d->cast.engine);
    dem_bed_motion_to_world(d, w);
    v->pairs = v->near_count = 0;
    memset(v->found, 0, ((size_t)d->cast.spheres + 1) * sizeof *v->found);
    for (int k = 0; k < v->count; ++k) {
        int n = world_balls_near(w, v->shape[k], d->cast.spheres, d->motion.x, v->radius, reach, v->near);
        for (int i = 0; i < n; ++i) {
            int ball = d->cast.sphere_shape[v->near[i]];
            if (!pair_add(&stepper->allocator, v->shape[k], ball, v)) return SCREE_ERR_MEMORY;
            v->found[v->near[i]] = 1;
        }
        v->shapes[k] = v->shape[k];
    }
    for (int id = 0; id < d->cast.spheres; ++id)
        if (v->found[id]) v->shapes[v->count + v->near_count] = d->cast.sphere_shape[id], v->near[v->near_count++] = id;
    if (v->pairs > 0) qsort(v->pair, (size_t)v->pairs, sizeof *v->pair, by_shapes);
    v->made = bed_rebuilds(d->cast.engine), v->travel = bed_travel(d->cast.engine), v->way = v->way_before = 0.0;
    return SCREE_OK;
}

static int list_used_up(const dem_bed *d)
{
    const bed_walls *v = &d->walls;
    const bed *engine = d->cast.engine;
    return v->made != bed_rebuilds(engine) || bed_travel(engine) - v->travel + v->way > bed_skin(engine);
}

/* ---- a step ----------------------------------------------------------------------------------------------------------------------- */

void dem_bed_walls_drive(dem_bed *d, const scree_world *w, int body, const double velocity[6], double h)
{
    bed_walls *v = &d->walls;
    if (v->count == 0) return;
    memcpy(v->q0[body], w->q[body], sizeof(quat)), memcpy(v->before[body], velocity, sizeof(vec6));
    v->way = max2(v->way, v->way_before + h * (vec_norm(velocity) + vec_norm(velocity + 3) * v->arm[body]));
}

/// Poses and velocities of the spheres near walls.
static void spheres_read(dem_bed *d, scree_world *w)
{
    bed_walls *v = &d->walls;
    for (int k = 0; k < v->near_count; ++k) {
        int id = v->near[k], b = w->shape_body[d->cast.sphere_shape[id]];
        memcpy(v->q0[b], w->q[b], sizeof(quat));
        bed_look_at(d->cast.engine, d->place[id], w->x[b], w->v[b], v->before[b] + 3, w->q[b]);
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

/// What a contact does to one of its bodies.
static void side_push(dem_bed *d, const scree_world *w, int body, int shape, double sign, const double force[3],
                      const double torque[3], double h)
{
    bed_walls *v = &d->walls;
    double push[3] = {sign * force[0], sign * force[1], sign * force[2]};
    if (w->kind[body] == SCREE_DYNAMIC) bed_push(d->cast.engine, d->place[v->number[shape]], push, torque);
    if (w->kind[body] != SCREE_DRIVEN) return;
    vec_add_scaled(v->reaction[body], 1.0, push, v->reaction[body]);
    d->outside.driven -= h * (vec_dot(push, v->before[body]) + vec_dot(torque, v->before[body] + 3));
}

/// Contacts at the poses as they are, and their loads.
static scree_status walls_answer(scree_stepper *stepper, scree_world *w, scree_error *error)
{
    dem_bed *d = stepper->bed;
    bed_walls *v = &d->walls;
    const listed_pairs pairs = {v->pairs, v->count + v->near_count, (const int(*)[2])v->pair, v->shapes};
    step_context s = {.options = &stepper->options, .world = w, .pool = stepper->pool, .t = w->time, .error = error};
    s.h = stepper->options.step, s.before = v->before, s.q0 = v->q0;
    arena_reset(stepper->scratch);
    s.memory = arena_allocator(stepper->scratch);
    scree_status status = world_detect_listed(w, &pairs, s.h, stepper->pool);
    if (status) return status;
    touching_keep(&w->contacts);
    status = dem_loads_find(&s);
    if (status) return status;
    dem_ledger_lines(&s, &d->outside);
    for (int k = 0; k < d->driven; ++k) memset(v->reaction[d->driven_body[k]], 0, sizeof(vec3));
    for (int k = 0; k < w->contacts.count; ++k) { /* in the order of the contacts, whatever the threads */
        const scree_touch *t = &w->contacts.touch[k];
        const dem_touch *c = &s.soft[k];
        side_push(d, w, t->body_a, t->shape_a, -1.0, c->force, c->torque_a, s.h);
        side_push(d, w, t->body_b, t->shape_b, 1.0, c->force, c->torque_b, s.h);
    }
    return SCREE_OK;
}

scree_status dem_bed_walls_begin(scree_stepper *stepper, scree_world *w, scree_error *error)
{
    dem_bed *d = stepper->bed;
    bed_walls *v = &d->walls;
    scree_status status = v->count > 0 ? memories_save(&stepper->allocator, w, v) : SCREE_OK;
    if (status) return status;
    dem_bed_walls_pick(w);
    if (v->count > 0 && v->made < 0) {
        status = list_make(stepper, w);
        dem_bed_places_find(d);
        spheres_read(d, w);
    }
    if (status || !v->due || v->count == 0) return status;
    v->due = 0;
    return walls_answer(stepper, w, error);
}

scree_status dem_bed_walls_step(scree_stepper *stepper, scree_world *w, scree_error *error)
{
    dem_bed *d = stepper->bed;
    bed_walls *v = &d->walls;
    step_context s = {.world = w, .pool = stepper->pool, .q0 = v->q0};
    scree_status status = SCREE_OK;
    if (v->count == 0) return SCREE_OK;
    spheres_read(d, w);
    status = dem_memories_carry(&s);
    if (!status && list_used_up(d)) {
        status = list_make(stepper, w);
        spheres_read(d, w);
    }
    v->way_before = v->way;
    return status ? status : walls_answer(stepper, w, error);
}
