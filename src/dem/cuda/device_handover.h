/* device_handover.h: walls of any shape and their contacts, to the device and back. */
#ifndef SCREE_DEM_CUDA_DEVICE_HANDOVER_H
#define SCREE_DEM_CUDA_DEVICE_HANDOVER_H

#include "dem/cuda/device_rebuild.h"

/// An array of a mesh into the block at `at`; NULL: only its place is counted.
static void *mesh_part(char *host, char *device, size_t *at, const void *from, size_t bytes)
{
    const size_t begin = *at;
    *at += (bytes + 15) / 16 * 16;
    if (host && bytes > 0) memcpy(host + begin, from, bytes);
    return device ? device + begin : NULL;
}

/// All arrays of the meshes into one block; `to`: with pointers of the device.
static size_t meshes_pack(const soft_walls *w, char *host, char *device, mesh_data *to)
{
    size_t at = 0;
    for (int k = 0; k < w->meshes; ++k) {
        const mesh_data *m = w->mesh[k];
        const size_t t = (size_t)m->triangle_count, v = (size_t)m->vertex_count;
        mesh_data *out = &to[k];
        *out = *m;
        out->vertex = (double(*)[3])mesh_part(host, device, &at, m->vertex, v * sizeof *m->vertex);
        out->triangle = (int(*)[3])mesh_part(host, device, &at, m->triangle, t * sizeof *m->triangle);
        out->normal = (double(*)[3])mesh_part(host, device, &at, m->normal, t * sizeof *m->normal);
        out->beside = (int(*)[3])mesh_part(host, device, &at, m->beside, t * sizeof *m->beside);
        out->patch = (int *)mesh_part(host, device, &at, m->patch, t * sizeof *m->patch);
        out->ring_first = (int *)mesh_part(host, device, &at, m->ring_first, (v + 1) * sizeof *m->ring_first);
        out->ring = (int *)mesh_part(host, device, &at, m->ring, (size_t)m->ring_first[v] * sizeof *m->ring);
        out->boxes.node =
            (tree_box *)mesh_part(host, device, &at, m->boxes.node, (size_t)m->boxes.count * sizeof *m->boxes.node);
        out->boxes.leaf = NULL;
    }
    return at;
}

static void meshes_put(bed_device *d, const soft_walls *w)
{
    gpu_base *base = &d->base;
    mesh_data *to = (mesh_data *)malloc(((size_t)w->meshes + 1) * sizeof *to);
    const size_t bytes = to ? meshes_pack(w, NULL, NULL, to) : 0;
    char *host = (char *)malloc(bytes + 1);
    gpu_room(base, &d->walls_points, bytes + 1);
    if (!to || !host) gpu_fail(base, SCREE_ERR_MEMORY, "meshes", "out of memory");
    else if (base->status == SCREE_OK) {
        (void)meshes_pack(w, host, (char *)d->walls_points.at, to);
        gpu_copy(base, d->walls_points.at, host, bytes);
        gpu_fill(base, &d->walls_mesh, to, (size_t)w->meshes * sizeof *to);
    }
    free(to), free(host);
}

/// A contact's place among those of its sphere.
typedef struct slot_key {
    int id, wall, at; /* at: among the contacts that are handed over */
    uint64_t feature;
} slot_key;

static int slot_compare(const void *left, const void *right)
{
    const slot_key *a = (const slot_key *)left, *b = (const slot_key *)right;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    if (a->wall != b->wall) return a->wall < b->wall ? -1 : 1;
    return (a->feature > b->feature) - (a->feature < b->feature);
}

/// The index of the wall with this number of the world; they ascend.
static int wall_index(const soft_walls *w, int number)
{
    int low = 0, high = w->count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (w->wall[middle].number <= number) low = middle;
        else high = middle;
    }
    return low;
}

static slot_key slot_key_of(const soft_walls *w, int k)
{
    const scree_contact_point *t = &w->touch[k];
    slot_key key;
    key.at = k, key.feature = t->feature;
    key.id = t->shape_a < 0 ? t->body_a : t->body_b;
    key.wall = wall_index(w, t->shape_a < 0 ? t->shape_b : t->shape_a);
    return key;
}

/// Contacts by their spheres into the half 0; `slots` has room for one each. Returns how many slots there are.
static int slots_pack(const soft_walls *w, const slot_key *key, int room, int32_t *id, int32_t *held,
                      scree_contact_point *touch, contact_memory *memory)
{
    int slots = 0;
    for (int k = 0; k < w->contacts; ++k) {
        if (k == 0 || key[k].id != key[k - 1].id) id[slots] = key[k].id, held[slots++] = 0;
        const size_t to = (size_t)(slots - 1) * (size_t)room + (size_t)held[slots - 1]++;
        touch[to] = w->touch[key[k].at], memory[to] = w->memory[key[k].at];
        if (touch[to].shape_a < 0) touch[to].shape_b = key[k].wall;
        else touch[to].shape_a = key[k].wall;
    }
    return slots;
}

/// The contacts of the last step, which the host may have changed.
static void slots_put(bed_device *d, const soft_walls *w)
{
    gpu_base *base = &d->base;
    const size_t n = (size_t)w->contacts;
    int most = 0, slots = 0;
    slot_key *key = (slot_key *)malloc((n + 1) * sizeof *key);
    for (int k = 0; k < w->contacts && key; ++k) key[k] = slot_key_of(w, k);
    if (key && n > 0) qsort(key, n, sizeof *key, slot_compare);
    for (int k = 0, of = 0; k < w->contacts && key; ++k) {
        of = k > 0 && key[k].id == key[k - 1].id ? of + 1 : 1, slots += of == 1;
        most = of > most ? of : most;
    }
    if (d->walls_room < most) d->walls_room = most;
    const size_t room = (size_t)slots * (size_t)d->walls_room;
    int32_t *id = (int32_t *)malloc(((size_t)slots + 1) * sizeof *id),
            *held = (int32_t *)malloc(((size_t)slots + 1) * sizeof *held);
    scree_contact_point *touch = (scree_contact_point *)calloc(room + 1, sizeof *touch);
    contact_memory *memory = (contact_memory *)calloc(room + 1, sizeof *memory);
    if (!key || !id || !held || !touch || !memory) gpu_fail(base, SCREE_ERR_MEMORY, "walls", "out of memory");
    else {
        (void)slots_pack(w, key, d->walls_room, id, held, touch, memory);
        slots_room(d, 0, (size_t)slots);
        gpu_fill(base, &d->slot_id, id, (size_t)slots * sizeof *id);
        gpu_fill(base, &d->slot_held[0], held, (size_t)slots * sizeof *held);
        gpu_fill(base, &d->slot_touch[0], touch, room * sizeof *touch);
        gpu_fill(base, &d->slot_memory[0], memory, room * sizeof *memory);
    }
    free(key), free(id), free(held), free(touch), free(memory);
    d->view.walls.slots = 0, d->view.walls.room = d->walls_room;
    d->now.wall_at = 0, d->slots_handed = slots, d->contacts_due = 1;
    slots_view(d);
}

static void walls_put(bed_device *d, soft_walls *w, const bed_forcing *f)
{
    gpu_base *base = &d->base;
    gpu_walls *to = &d->view.walls;
    const size_t count = (size_t)w->count, materials = (size_t)w->materials;
    if (w->handed != d) {
        meshes_put(d, w);
        gpu_fill(base, &d->walls_wall, w->wall, count * sizeof *w->wall);
        gpu_fill(base, &d->walls_body, w->body, (size_t)w->bodies * sizeof *w->body);
        gpu_fill(base, &d->walls_pair, w->pair, materials * materials * sizeof *w->pair);
        gpu_fill(base, &d->walls_friction, w->friction, materials * sizeof *w->friction);
        gpu_fill(base, &d->walls_inertia, w->inverse_inertia, (size_t)w->numbers * sizeof *w->inverse_inertia);
        gpu_fill(base, &d->walls_loaded, w->loaded_mass, (size_t)f->loaded_count * sizeof *w->loaded_mass);
        w->handed = base->status == SCREE_OK ? d : NULL;
    }
    to->count = w->count, to->bodies = w->bodies, to->materials = w->materials;
    to->rows = WALL_SUMS + 3 * f->driven_count, to->moved = w->moved, to->by_hand = w->by_hand;
    to->wall = (const soft_wall *)d->walls_wall.at, to->body = (const soft_wall_body *)d->walls_body.at;
    to->mesh = (const mesh_data *)d->walls_mesh.at, to->pair = (const pair_friction *)d->walls_pair.at;
    to->friction = (const scree_friction *)d->walls_friction.at;
    to->inverse_inertia = (const double *)d->walls_inertia.at, to->loaded_mass = (const double *)d->walls_loaded.at;
    to->options = w->options, to->half_slack = w->half_slack;
    d->now.outside = w->outside;
    if (d->walls_room == 0) d->walls_room = 4;
    gpu_room(base, &d->slot_sum, (size_t)to->rows * EXACT_DIGITS * sizeof(int64_t));
    gpu_room(base, &d->slot_value, (size_t)to->rows * sizeof(double));
    gpu_room(base, &d->given, (size_t)d->view.shape.count * sizeof(bed_load) + 1);
    if (w->newer || d->slots_lost) slots_put(d, w);
    d->slots_lost = 0;
}

/// Room on the host for so many contacts, whatever they were.
static int walls_room(soft_walls *w, int count)
{
    const scree_allocator *a = &w->allocator;
    if (count <= w->room) return 1;
    const size_t room = (size_t)count + (size_t)count / 4;
    a->free(w->touch, a->context), a->free(w->memory, a->context);
    w->touch = (scree_contact_point *)a->alloc(room * sizeof *w->touch, 64, a->context);
    w->memory = (contact_memory *)a->alloc(room * sizeof *w->memory, 64, a->context);
    w->room = w->touch && w->memory ? (int)room : 0;
    return w->room > 0;
}

/// Contacts and ledger as the last step left them, back.
static void walls_get(bed_device *d, soft_walls *w)
{
    gpu_base *base = &d->base;
    const int64_t slots = d->view.walls.slots;
    size_t at = 0;
    int64_t count = 0;
    const int free_half = !d->now.wall_at; /* has room for them all */
    LAUNCH(base, gpu_slots_carry, gpu_blocks(slots), d->view);
    int64_t *first = (int64_t *)scratch_take(d, ((size_t)slots + 1) * sizeof *first, &at);
    if (slots > 0) {
        gpu_sum(base, &d->scan, d->view.walls.held[d->now.wall_at], first, slots);
        gpu_copy(base, &count, first + slots, sizeof count);
    }
    if (base->status != SCREE_OK) return;
    LAUNCH(base, gpu_slots_gather, gpu_blocks(slots), d->view, first, d->view.walls.touch[free_half],
           d->view.walls.memory[free_half]);
    w->contacts = 0;
    if (!walls_room(w, (int)count)) gpu_fail(base, SCREE_ERR_MEMORY, "walls", "out of memory");
    else {
        gpu_copy(base, w->touch, d->view.walls.touch[free_half], (size_t)count * sizeof *w->touch);
        gpu_copy(base, w->memory, d->view.walls.memory[free_half], (size_t)count * sizeof *w->memory);
    }
    if (base->status == SCREE_OK) w->contacts = (int)count, w->outside = d->now.outside, w->taken = 1;
}

#endif
