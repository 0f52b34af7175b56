/* world.c: a world from its making to its end: memory, names, access to the arrays (world.h).
 *
 * Arrays grow by doubling and never shrink. A function that needs several of them makes room for all before it changes anything, so
 * that a failed allocation leaves the world as it was. */
#include "world/world_private.h"

#include "base/memory.h"
#include "math/quat.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

scree_world_options scree_world_options_default(void)
{
    return (scree_world_options){.cookie = SCREE_COOKIE, .gravity = {0.0, 0.0, -9.81}, .planar = SCREE_PLANAR_NONE};
}

static int options_valid(const scree_world_options *o, scree_error *error)
{
    for (int i = 0; i < 3; ++i)
        if (!(fabs(o->gravity[i]) <= WORLD_LARGEST)) {
            scree_error_set(error, NULL, 0, 0, "gravity[%d] is %g, expected a finite number%s", i, o->gravity[i],
                            isfinite(o->gravity[i]) ? ", at most 1e100" : "");
            return 0;
        }
    if (!(o->margin >= 0.0) || !isfinite(o->margin)) {
        scree_error_set(error, NULL, 0, 0, "the contact margin is %g m, expected 0 or more", o->margin);
        return 0;
    }
    if (!(o->speed_limit >= 0.0)) {
        scree_error_set(error, NULL, 0, 0, "the speed limit is %g m/s, expected 0 (none) or more", o->speed_limit);
        return 0;
    }
    for (int i = 0; i < 3; ++i)
        if (o->periodic[i] && !(isfinite(o->low[i]) && isfinite(o->high[i]) && o->low[i] < o->high[i])) {
            scree_error_set(error, NULL, 0, 0, "the periodic axis %c goes from %g to %g m, expected low below high",
                            "xyz"[i], o -> low[i], o -> high[i]);
            return 0;
        }
    char text[200];
    if (table_fault(&o->strain_rate, 3, "strain rate", text, sizeof text)) {
        scree_error_set(error, NULL, 0, 0, "%s", text);
        return 0;
    }
    for (int i = 0; i < o->strain_rate.count; ++i)
        for (int k = 0; k < 3; ++k)
            if (o->strain_rate.value[3 * (size_t)i + (size_t)k] != 0.0 && !o->periodic[k]) {
                scree_error_set(error, NULL, 0, 0,
                                "the strain rate is %g 1/s along %c, which is not periodic; expected 0",
                                o->strain_rate.value[3 * (size_t)i + (size_t)k], "xyz"[k]);
                return 0;
            }
    if (table_fault(&o->shear_rate, 3, "shear rate", text, sizeof text)) {
        scree_error_set(error, NULL, 0, 0, "%s", text);
        return 0;
    }
    for (int k = 0; k < 3; ++k) {
        const int along = k == 2, by = k == 0 ? 1 : 2;
        double largest = fabs(o->tilt[k]);
        for (int i = 0; i < o->shear_rate.count; ++i)
            largest = max2(largest, fabs(o->shear_rate.value[3 * (size_t)i + (size_t)k]));
        if (largest == 0.0 || (o->periodic[along] && o->periodic[by] && isfinite(largest))) continue;
        scree_error_set(error, NULL, 0, 0, "a cell sheared along %c by %c has both axes periodic, and a finite tilt",
                        "xyz"[along], "xyz"[by]);
        return 0;
    }
    double n[3];
    planar_normal(o->planar, n);
    if (vec_dot(n, o->gravity) != 0.0) {
        scree_error_set(error, NULL, 0, 0,
                        "gravity (%g, %g, %g) points out of the plane of motion, expected a vector in it",
                        o->gravity[0], o->gravity[1], o->gravity[2]);
        return 0;
    }
    return 1;
}

scree_world *scree_world_create(const scree_world_options *options, scree_error *error)
{
    if (error_stopped(error)) return NULL;
    const scree_world_options usual = scree_world_options_default(), *o = options ? options : &usual;
    if (!error_cookie(o->cookie, "scree_world_options_default", error)) return NULL;
    if (!options_valid(o, error)) {
        error_keep(error, SCREE_ERR_INPUT);
        return NULL;
    }
    scree_allocator a = memory_allocator(o->allocator);
    scree_world *w = memory_array(&a, 1, sizeof *w);
    if (w) {
        w->options = *o, w->options.allocator = NULL, w->history = o->soft, w->allocator = a, w->self = w;
        w->options.strain_rate = w->options.shear_rate = (scree_table){0, NULL, NULL}; /* the caller's memory */
        if (table_copy(&a, &o->strain_rate, 3, &w->strain) && table_copy(&a, &o->shear_rate, 3, &w->shear) &&
            broadphase_create(&a, &w->broad) == SCREE_OK && arena_create(&a, &w->scratch) == SCREE_OK)
            return w;
    }
    scree_world_destroy(w);
    scree_error_set(error, NULL, 0, 0, "no memory for a world");
    error_keep(error, SCREE_ERR_MEMORY);
    return NULL;
}

void extra_free(const scree_allocator *a, body_extra *extra)
{
    forcing_table *table[4] = {&extra->load.force, &extra->load.moment, &extra->motion.velocity, &extra->motion.spin};
    for (int i = 0; i < 4; ++i) table_free(a, table[i]);
}

void scree_world_destroy(scree_world *w)
{
    if (!w) return;
    scree_allocator a = w->allocator;
    if (w->holder.engine) w->holder.destroy(w->holder.engine);
    for (int i = 0; i < w->extra_count; ++i) extra_free(&a, &w->extras[i]);
    table_free(&a, &w->strain), table_free(&a, &w->shear);
    for (int i = 0; i < w->joint_count; ++i)
        table_free(&a, &w->joint[i].course), table_free(&a, &w->joint[i].turn_course);
    for (int i = 0; i < w->geometry_count; ++i) scree_geometry_release(w->geometry[i]);
    for (int i = 0; i < w->material_count; ++i) memory_free(&a, w->material_name[i]);
    void *array[] = {w->x,
                     w->q,
                     w->v,
                     w->omega,
                     w->mass,
                     w->inertia,
                     w->kind,
                     w->group,
                     w->number,
                     w->extra,
                     w->first_shape,
                     w->shape_total,
                     w->jointed,
                     w->frame_x,
                     w->frame_q,
                     w->shape,
                     w->shape_body,
                     w->shape_link,
                     w->shape_extent,
                     w->roll_radius,
                     w->shape_geometry,
                     w->geometry,
                     w->material,
                     w->material_name,
                     w->pair,
                     w->names,
                     w->group_at,
                     w->group_size,
                     w->group_slot,
                     w->extras,
                     w->joint,
                     w->joint_state,
                     w->apart,
                     w->contacts.touch,
                     w->previous.touch,
                     w->contacts.memory,
                     w->previous.memory,
                     w->spin};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) memory_free(&a, array[i]);
    broadphase_destroy(w->broad);
    arena_destroy(w->scratch);
    memory_free(&a, w);
}

/* ---- room --------------------------------------------------------------------------------------------------------------- */

void *world_grow(const scree_allocator *allocator, void *memory, int count, int capacity, size_t size)
{
    void *grown = memory_array(allocator, (size_t)capacity, size);
    if (!grown) return NULL;
    if (count > 0) memcpy(grown, memory, (size_t)count * size);
    memory_free(allocator, memory);
    return grown;
}

/// Capacity for `wanted`: at least twice what is there, so that adding one by one costs O(1) each.
static int grown_capacity(int capacity, int wanted)
{
    int doubled = capacity > INT_MAX / 2 ? INT_MAX : 2 * capacity;
    return wanted > doubled ? wanted : doubled;
}

/* An array that has grown while a later one could not is only larger than it must be. */
#define GROW(array, count, capacity)                                                                                   \
    do {                                                                                                               \
        void *grown = world_grow(&w->allocator, (array), (count), (capacity), sizeof *(array));                        \
        if (!grown) return SCREE_ERR_MEMORY;                                                                           \
        (array) = grown;                                                                                               \
    } while (0)

scree_status world_reserve_bodies(scree_world *w, int bodies)
{
    if (bodies <= w->body_capacity) return SCREE_OK;
    int n = w->body_count, capacity = grown_capacity(w->body_capacity, bodies);
    GROW(w->x, n, capacity);
    GROW(w->q, n, capacity);
    GROW(w->v, n, capacity);
    GROW(w->omega, n, capacity);
    GROW(w->spin, n, capacity);
    GROW(w->mass, n, capacity);
    GROW(w->inertia, n, capacity);
    GROW(w->kind, n, capacity);
    GROW(w->group, n, capacity);
    GROW(w->number, n, capacity);
    GROW(w->extra, n, capacity);
    GROW(w->first_shape, n, capacity);
    GROW(w->shape_total, n, capacity);
    GROW(w->jointed, n, capacity);
    GROW(w->frame_x, n, capacity);
    GROW(w->frame_q, n, capacity);
    w->body_capacity = capacity;
    return SCREE_OK;
}

scree_status world_reserve_shapes(scree_world *w, int shapes)
{
    if (shapes <= w->shape_capacity) return SCREE_OK;
    int n = w->shape_count, capacity = grown_capacity(w->shape_capacity, shapes);
    GROW(w->shape, n, capacity);
    GROW(w->shape_body, n, capacity);
    GROW(w->shape_link, n, capacity);
    GROW(w->shape_extent, n, capacity);
    GROW(w->roll_radius, n, capacity);
    GROW(w->shape_geometry, n, capacity);
    w->shape_capacity = capacity;
    return SCREE_OK;
}

scree_status world_reserve_groups(scree_world *w, int groups, int name_bytes)
{
    if (groups > w->group_capacity) {
        int capacity = grown_capacity(w->group_capacity, groups);
        GROW(w->group_at, w->group_count, capacity);
        GROW(w->group_size, w->group_count, capacity);
        w->group_capacity = capacity;
    }
    if (name_bytes > w->name_capacity) {
        int capacity = grown_capacity(w->name_capacity, name_bytes);
        GROW(w->names, w->name_bytes, capacity);
        w->name_capacity = capacity;
    }
    return SCREE_OK;
}

int world_hold_geometry(scree_world *w, scree_geometry *geometry)
{
    for (int k = 0; k < w->geometry_count; ++k)
        if (w->geometry[k] == geometry) return k;
    if (w->geometry_count == w->geometry_capacity) {
        int capacity = grown_capacity(w->geometry_capacity, w->geometry_count + 4);
        void *grown = world_grow(&w->allocator, w->geometry, w->geometry_count, capacity, sizeof(void *));
        if (!grown) return -1;
        w->geometry = grown, w->geometry_capacity = capacity;
    }
    scree_geometry_retain(geometry);
    w->geometry[w->geometry_count] = geometry;
    return w->geometry_count++;
}

scree_status scree_world_add_geometry(scree_world *w, scree_geometry *geometry, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    return error_keep(error, world_hold_geometry(w, geometry) >= 0 ? SCREE_OK : SCREE_ERR_MEMORY);
}

scree_status scree_world_reserve(scree_world *w, int bodies, int contacts, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    if (bodies < 0 || contacts < 0) {
        scree_error_set(error, NULL, 0, 0, "room for %d bodies and %d contacts, expected 0 or more", bodies, contacts);
        return error_keep(error, SCREE_ERR_INPUT);
    }
    scree_status status = world_reserve_bodies(w, bodies);
    if (status == SCREE_OK) status = world_reserve_shapes(w, bodies);
    if (status == SCREE_OK) status = contacts_reserve(w, &w->contacts, contacts);
    if (status == SCREE_OK) status = contacts_reserve(w, &w->previous, contacts);
    return error_keep(error, status);
}

/* ---- access -------------------------------------------------------------------------------------------------------------- */

double scree_world_time(const scree_world *world)
{
    return world ? world->time : 0.0;
}

int64_t scree_world_step_count(const scree_world *world)
{
    return world->step_count;
}

int scree_world_body_count(const scree_world *world)
{
    return world->body_count;
}

int scree_world_dynamic_count(const scree_world *world)
{
    int count = 0;
    for (int b = 0; b < world->body_count; ++b) count += world->kind[b] == SCREE_BODY_DYNAMIC;
    return count;
}

scree_body_kind scree_world_body_kind(const scree_world *world, scree_body_id body)
{
    return (scree_body_kind)world->kind[world_body(world, body)];
}

const double *scree_world_positions(const scree_world *world)
{
    (void)world_sync(world, PART_MOTION);
    return (const double *)world->x;
}

const double *scree_world_rotations(const scree_world *world)
{
    (void)world_sync(world, PART_MOTION);
    return (const double *)world->q;
}

const double *scree_world_velocities(const scree_world *world)
{
    (void)world_sync(world, PART_MOTION);
    return (const double *)world->v;
}

const double *scree_world_angular_velocities(const scree_world *world)
{
    (void)world_sync(world, PART_MOTION);
    return (const double *)world->omega;
}

double scree_world_mass(const scree_world *world, scree_body_id body)
{
    int b = world_body(world, body);
    return world->kind[b] == SCREE_BODY_DYNAMIC ? world->mass[b] : SCREE_INFINITY;
}

const double *scree_world_inertia(const scree_world *world, scree_body_id body)
{
    return world->inertia[world_body(world, body)];
}

int scree_world_shape_count(const scree_world *world)
{
    return world->shape_count;
}

static int shape_index(const scree_world *world, scree_shape_id shape)
{
    int index = scree_shape_index(shape);
    SCREE_ASSERT(index >= 0 && index < world->shape_count);
    return index;
}

const scree_shape *scree_world_shape(const scree_world *world, scree_shape_id shape)
{
    return &world->shape[shape_index(world, shape)];
}

scree_body_id scree_world_shape_body(const scree_world *world, scree_shape_id shape)
{
    return scree_body_at(world->shape_body[shape_index(world, shape)]);
}

int scree_world_contact_count(const scree_world *world)
{
    (void)world_sync(world, PART_CONTACTS);
    return world->contacts.count;
}

const scree_contact_point *scree_world_contacts(const scree_world *world)
{
    (void)world_sync(world, PART_CONTACTS);
    return world->contacts.touch;
}

char *scree_world_body_name(const scree_world *world, scree_body_id body, char *buffer, size_t size)
{
    SCREE_ASSERT(size > 0);
    int b = world_body(world, body), group = world->group[b];
    if (group < 0) snprintf(buffer, size, "body %d", b);
    else if (world->group_size[group] == 1) snprintf(buffer, size, "%s", world->names + world->group_at[group]);
    else snprintf(buffer, size, "%s[%d]", world->names + world->group_at[group], world->number[b]);
    return buffer;
}

scree_body_id scree_world_find_body(const scree_world *world, const char *name)
{
    for (int g = 0; g < world->group_count; ++g) {
        const char *group = world->names + world->group_at[g];
        size_t length = strlen(group);
        long number = 0;
        if (strncmp(group, name, length) != 0) continue;
        if (name[length] != '\0') {
            char *end = NULL;
            if (name[length] != '[') continue;
            number = strtol(name + length + 1, &end, 10);
            if (end == name + length + 1 || strcmp(end, "]") != 0) continue;
        }
        for (int b = 0; b < world->body_count; ++b)
            if (world->group[b] == g && world->number[b] == number) return scree_body_at(b);
    }
    return scree_body_at(-1);
}

void scree_world_set_state(scree_world *w, scree_body_id id, const double position[3], const double rotation[4],
                           const double velocity[3], const double angular_velocity_body[3])
{
    const int body = world_body(w, id);
    if (body < w->holder.bodies && world_reclaim(w) != SCREE_OK) (void)world_sync(w, PART_MOTION), w->by_hand = 1;
    const int counted = body < w->soft.bodies; /* what is given or taken by hand is nobody's loss */
    if (counted) world_soft_count(w, body, -1.0);
    if (counted || !(w->soft.bodies > 0.0))
        w->soft.scale = -1.0; /* else it came after the last step: no way is its own */
    if (position) memcpy(w->x[body], position, sizeof(vec3));
    if (rotation) memcpy(w->q[body], rotation, sizeof(quat)), quat_normalise(w->q[body]);
    if (velocity) memcpy(w->v[body], velocity, sizeof(vec3));
    if (angular_velocity_body) memcpy(w->omega[body], angular_velocity_body, sizeof(vec3));
    if (counted) world_soft_count(w, body, 1.0);
}

void scree_world_set_time(scree_world *w, double time, int64_t steps)
{
    if (w->holder.engine && world_reclaim(w) != SCREE_OK) (void)world_sync(w, PART_MOTION), w->by_hand = 1;
    w->time = time, w->step_count = steps;
    for (int b = 0; b < w->body_count; ++b) { /* a servo's way is not a function of time */
        if (w->kind[b] != SCREE_BODY_DRIVEN || w->extras[w->extra[b]].motion.servo.gain > 0.0) continue;
        body_driven_pose(w, b, time, w->x[b], w->q[b]);
    }
}

void scree_world_frame(const scree_world *world, scree_body_id id, double position[3], double rotation[4])
{
    const int body = world_body(world, id);
    (void)world_sync(world, PART_MOTION);
    quat_rotate(world->q[body], world->frame_x[body], position);
    vec_add_scaled(position, 1.0, world->x[body], position);
    quat_mul(world->q[body], world->frame_q[body], rotation);
}

void world_shape_centre(const scree_world *world, int shape, double centre[3])
{
    const int body = world->shape_body[shape];
    shape_centre(&world->shape[shape], world->x[body], world->q[body], centre);
}

void world_shape_pose(const scree_world *world, int shape, posed_shape *posed)
{
    const int body = world->shape_body[shape];
    shape_pose(&world->shape[shape], world->x[body], world->q[body], posed);
}
