/* dem_spheres_soft.c: walls of any shape as data, for an engine that answers their contacts itself (a device).
 *
 * What does not change between steps is collected once, and again where bodies come: shapes, surfaces, what materials say. Contacts with their
 * histories are the world's between calls, as they are for dem_spheres_walls.c: they are handed over before a call, and taken back after it
 * in the world's order, so that a restart, or a run that goes on elsewhere, needs nothing more. */
#include "dem/dem_spheres.h"

#include "base/memory.h"
#include "collision/geometry_private.h"

#include <stdlib.h>
#include <string.h>

void dem_spheres_soft_free(dem_spheres *d)
{
    soft_walls *s = &d->walls.soft;
    MEMORY_FREE_ALL(&d->allocator, s->touch, s->memory, d->walls.soft_block);
    *s = (soft_walls){.handed = NULL};
    d->walls.soft_block = NULL;
    d->forcing.soft = NULL;
}

/* ---- what stays ------------------------------------------------------------------------------------------------------------------- */

/// Arrays that are filled, and then constant.
typedef struct soft_arrays {
    soft_wall *wall;
    soft_wall_body *body;
    const mesh_data **mesh;
    pair_friction *pair;
    scree_friction *friction;
    double *inverse_inertia, *loaded_mass;
} soft_arrays;

static int by_id(const void *key, const void *driven)
{
    const int a = *(const int *)key, b = ((const bed_driven *)driven)->id;
    return (a > b) - (a < b);
}

static soft_wall_body body_of(const dem_spheres *d, int b)
{
    const scree_world *w = d->world;
    const bed_forcing *f = &d->forcing;
    soft_wall_body body = {.driven = -1, .arm = d->walls.arm[b]};
    memcpy(body.x, w->x[b], sizeof body.x), memcpy(body.q, w->q[b], sizeof body.q);
    if (w->kind[b] != SCREE_BODY_DRIVEN) return body;
    const bed_driven *on = bsearch(&b, f->driven, (size_t)f->driven_count, sizeof *on, by_id);
    body.driven = (int)(on - f->driven);
    return body;
}

/// The place of a surface among those that there are, or behind them.
static int mesh_place(const soft_walls *s, const soft_arrays *to, const mesh_data *mesh)
{
    int k = 0;
    while (k < s->meshes && to->mesh[k] != mesh) ++k;
    return k;
}

static void walls_fill(const dem_spheres *d, soft_walls *s, const soft_arrays *to)
{
    const scree_world *w = d->world;
    for (int k = 0, last = -1; k < d->walls.count; ++k) {
        const int number = d->walls.shape[k], b = w->shape_body[number];
        const scree_shape *shape = &w->shape[number];
        if (b != last) to->body[s->bodies++] = body_of(d, b), last = b;
        to->wall[k] = (soft_wall){.shape = *shape,
                                  .number = number,
                                  .body = b,
                                  .on = s->bodies - 1,
                                  .material = w->shape_link[number].material,
                                  .mesh = -1,
                                  .roll_radius = w->roll_radius[number],
                                  .extent = w->shape_extent[number]};
        to->wall[k].lever = vec_norm(shape->position) + w->shape_extent[number];
        if (shape->kind != SCREE_SHAPE_MESH) continue;
        const int place = mesh_place(s, to, &shape->geometry->mesh);
        to->wall[k].mesh = place, to->mesh[place] = &shape->geometry->mesh;
        if (place == s->meshes) s->meshes += 1;
    }
}

static void materials_fill(const scree_world *w, const soft_arrays *to)
{
    const int m = w->material_count;
    for (int a = 0; a < m; ++a) {
        to->friction[a] = w->material[a].friction;
        for (int b = 0; b < m; ++b) to->pair[a * m + b] = *world_pair(w, a, b);
    }
}

static void spheres_fill(const dem_spheres *d, const soft_arrays *to)
{
    const scree_world *w = d->world;
    const bed_forcing *f = &d->forcing;
    for (int b = 0; b < w->body_count; ++b)
        to->inverse_inertia[b] = w->kind[b] == SCREE_BODY_DYNAMIC ? 1.0 / dem_mean_inertia(w, b) : 0.0;
    for (int k = 0; k < f->loaded_count; ++k) to->loaded_mass[k] = w->mass[f->loaded[k].id];
}

/// Arrays one after another in one block, each aligned.
static size_t place_take(size_t *at, size_t bytes)
{
    const size_t begin = *at;
    *at += (bytes + 63) / 64 * 64;
    return begin;
}

static int arrays_make(dem_spheres *d, soft_arrays *to)
{
    const scree_world *w = d->world;
    const size_t walls = (size_t)d->walls.count, m = (size_t)w->material_count;
    size_t at = 0;
    const size_t wall = place_take(&at, walls * sizeof *to->wall), body = place_take(&at, walls * sizeof *to->body),
                 mesh = place_take(&at, walls * sizeof(void *)), pair = place_take(&at, m * m * sizeof *to->pair),
                 friction = place_take(&at, m * sizeof *to->friction),
                 inertia = place_take(&at, (size_t)w->body_count * sizeof *to->inverse_inertia),
                 loaded = place_take(&at, (size_t)d->forcing.loaded_count * sizeof *to->loaded_mass);
    char *block = memory_array(&d->allocator, at + 1, 1);
    if (!block) return 0;
    d->walls.soft_block = block;
    to->wall = (void *)(block + wall), to->body = (void *)(block + body), to->mesh = (void *)(block + mesh);
    to->pair = (void *)(block + pair), to->friction = (void *)(block + friction);
    to->inverse_inertia = (void *)(block + inertia), to->loaded_mass = (void *)(block + loaded);
    return 1;
}

scree_status dem_spheres_soft_list(dem_spheres *d)
{
    const scree_world *w = d->world;
    soft_walls *s = &d->walls.soft;
    soft_arrays to;
    dem_spheres_soft_free(d);
    if (!arrays_make(d, &to)) return SCREE_ERR_MEMORY;
    *s = (soft_walls){.count = d->walls.count,
                      .materials = w->material_count,
                      .numbers = w->body_count,
                      .wall = to.wall,
                      .body = to.body,
                      .mesh = to.mesh,
                      .pair = to.pair,
                      .friction = to.friction,
                      .inverse_inertia = to.inverse_inertia,
                      .loaded_mass = to.loaded_mass,
                      .options = w->options,
                      .allocator = d->allocator};
    s->half_slack = 0.5 * (w->options.margin + vec_norm(w->options.gravity) * d->step * d->step);
    walls_fill(d, s, &to);
    materials_fill(w, &to);
    spheres_fill(d, &to);
    d->forcing.soft = s;
    return SCREE_OK;
}

/* ---- what goes along ---------------------------------------------------------------------------------------------------------------- */

/// Room for so many contacts; what there are is not kept.
static int contacts_room(soft_walls *s, int count)
{
    if (count <= s->room) return 1;
    MEMORY_FREE_ALL(&s->allocator, s->touch, s->memory);
    s->room = count + count / 4;
    s->touch = memory_raw_array(&s->allocator, (size_t)s->room, sizeof *s->touch);
    s->memory = memory_raw_array(&s->allocator, (size_t)s->room, sizeof *s->memory);
    if (!s->touch || !s->memory) s->room = 0;
    return s->room > 0;
}

scree_status dem_spheres_soft_give(dem_spheres *d)
{
    const scree_world *w = d->world;
    const contact_set *set = &w->contacts;
    soft_walls *s = &d->walls.soft;
    const int kept = s->taken && s->contacts == set->count && s->removed == w->removed;
    s->moved = (int)w->soft.moved, s->by_hand = w->soft.scale < 0.0, s->newer = !kept, s->taken = 0;
    s->outside = d->outside;
    if (kept) return SCREE_OK;
    s->contacts = 0;
    if (!contacts_room(s, set->count)) return SCREE_ERR_MEMORY;
    dem_spheres_walls_part(w, set, &d->outside);
    for (int k = 0; k < set->count; ++k) {
        if (!dem_spheres_at_wall(w, &set->touch[k])) continue;
        scree_contact_point *t = &s->touch[s->contacts];
        *t = set->touch[k], s->memory[s->contacts++] = set->memory[k];
        if (dem_spheres_role(w, t->shape_a) == BED_SPHERE) t->shape_a = -1;
        else t->shape_b = -1;
    }
    s->outside = d->outside;
    return SCREE_OK;
}

/// Contacts by their places in the world's order.
typedef struct contact_place {
    int shape[2], k;
    uint64_t feature;
} contact_place;

static int by_place(const void *left, const void *right)
{
    const contact_place *a = left, *b = right;
    const int order = dem_spheres_by_shapes(a->shape, b->shape);
    return order ? order : (a->feature > b->feature) - (a->feature < b->feature);
}

scree_status dem_spheres_soft_take(dem_spheres *d)
{
    scree_world *w = d->world;
    soft_walls *s = &d->walls.soft;
    contact_set *set = &w->contacts;
    if (!s->taken) return SCREE_OK; /* no step has been taken, or the engine has failed: they are as they were */
    arena_reset(d->scratch);
    contact_place *at = arena_alloc(d->scratch, ((size_t)s->contacts + 1) * sizeof *at, 64);
    set->count = w->previous.count = 0;
    if (!at || contacts_reserve(w, set, s->contacts) != SCREE_OK) return SCREE_ERR_MEMORY;
    for (int k = 0; k < s->contacts; ++k) {
        const scree_contact_point *t = &s->touch[k];
        at[k] = (contact_place){.k = k, .feature = t->feature};
        at[k].shape[0] = t->shape_a < 0 ? w->first_shape[t->body_a] : t->shape_a;
        at[k].shape[1] = t->shape_b < 0 ? w->first_shape[t->body_b] : t->shape_b;
    }
    if (s->contacts > 0) qsort(at, (size_t)s->contacts, sizeof *at, by_place);
    for (int k = 0; k < s->contacts; ++k) {
        set->touch[k] = s->touch[at[k].k], set->memory[k] = s->memory[at[k].k];
        set->touch[k].shape_a = at[k].shape[0], set->touch[k].shape_b = at[k].shape[1];
    }
    set->count = s->contacts, s->removed = w->removed;
    d->outside = s->outside;
    return SCREE_OK;
}
