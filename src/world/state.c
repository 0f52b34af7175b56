/* state.c: what the future of a world depends on, listed once. The hash, the checkpoint and its reader are loops over this list.
 *
 * Struct members appear as fields with a stride, so padding is neither hashed nor written. What follows from the fields (extents,
 * radii, the broadphase) is not listed and is made again by world_restore_end; materials, tables and motions come from the scene. */
#include "base/hash.h"
#include "collision/geometry_private.h"
#include "world/world_private.h"

#include <float.h>
#include <string.h>

static const world_field *add(world_field *field, int *count, world_field f)
{
    SCREE_ASSERT(*count < WORLD_FIELDS_MAX);
    field[*count] = f;
    return &field[(*count)++];
}

/* An array with one element per entry, and a member of an array of structs (NULL while there is no array). */
#define ARRAY(name, array, count, type, width)                                                                         \
    add(field, &fields, (world_field){(name), (array), sizeof *(array), (count), (type), (width), 0})
#define MEMBER(name, array, member, count, type, width)                                                                \
    add(field, &fields,                                                                                                \
        (world_field){(name), (array) ? (void *)&(array)->member : NULL, sizeof *(array), (count), (type), (width),    \
                      0})

int world_fields(scree_world *w, world_field field[WORLD_FIELDS_MAX])
{
    (void)world_sync(w, PART_ALL);
    int fields = 0, n = w->body_count, s = w->shape_count, c = w->contacts.count;
    scree_contact_point *touch = w->contacts.touch;
    ARRAY("time", &w->time, 1, 'd', 1);
    ARRAY("step_count", &w->step_count, 1, 'q', 1);
    add(field, &fields, (world_field){"impulse_time", &w->impulse_time, sizeof w->impulse_time, 1, 'd', 1, 1});
    if (world_deforms(w)) {
        ARRAY("cell_low", w->options.low, 3, 'd', 1);
        ARRAY("cell_high", w->options.high, 3, 'd', 1);
    }
    if (world_shears(w)) ARRAY("cell_tilt", w->options.tilt, 3, 'd', 1);
    ARRAY("body_position", w->x, n, 'd', 3);
    ARRAY("body_rotation", w->q, n, 'd', 4);
    ARRAY("body_velocity", w->v, n, 'd', 3);
    ARRAY("body_angular_velocity", w->omega, n, 'd', 3);
    ARRAY("body_mass", w->mass, n, 'd', 1);
    ARRAY("body_inertia", w->inertia, n, 'd', 3);
    ARRAY("body_kind", w->kind, n, 'b', 1);
    ARRAY("body_group", w->group, n, 'i', 1);
    ARRAY("body_number", w->number, n, 'i', 1);
    ARRAY("body_extra", w->extra, n, 'i', 1);
    ARRAY("body_first_shape", w->first_shape, n, 'i', 1);
    ARRAY("body_shape_total", w->shape_total, n, 'i', 1);
    ARRAY("body_frame_position", w->frame_x, n, 'd', 3);
    ARRAY("body_frame_rotation", w->frame_q, n, 'd', 4);
    MEMBER("shape_kind", w->shape, kind, s, 'i', 1);
    MEMBER("shape_size", w->shape, size, s, 'd', 3);
    MEMBER("shape_position", w->shape, position, s, 'd', 3);
    MEMBER("shape_rotation", w->shape, rotation, s, 'd', 4);
    MEMBER("shape_material", w->shape_link, material, s, 'i', 1);
    ARRAY("shape_geometry", w->shape_geometry, s, 'i', 1);
    ARRAY("group_names", w->names, w->name_bytes, 'b', 1);
    ARRAY("group_at", w->group_at, w->group_count, 'i', 1);
    ARRAY("group_size", w->group_size, w->group_count, 'i', 1);
    MEMBER("contact_body_a", touch, body_a, c, 'i', 1);
    MEMBER("contact_body_b", touch, body_b, c, 'i', 1);
    MEMBER("contact_shape_a", touch, shape_a, c, 'i', 1);
    MEMBER("contact_shape_b", touch, shape_b, c, 'i', 1);
    MEMBER("contact_feature", touch, feature, c, 'q', 1);
    MEMBER("contact_age", touch, age, c, 'i', 1);
    MEMBER("contact_position", touch, position, c, 'd', 3);
    MEMBER("contact_normal", touch, normal, c, 'd', 3);
    MEMBER("contact_tangent", touch, tangent, c, 'd', 3);
    MEMBER("contact_gap", touch, gap, c, 'd', 1);
    MEMBER("contact_cone_size", touch, cone.size, c, 'i', SCREE_FRICTION_KINDS);
    MEMBER("contact_cone_coef", touch, cone.coef, c, 'd', SCREE_FRICTION_KINDS);
    MEMBER("contact_static_coef", touch, coef_static, c, 'd', SCREE_FRICTION_KINDS);
    MEMBER("contact_restitution", touch, restitution, c, 'd', 1);
    MEMBER("contact_stiffness", touch, stiffness, c, 'd', 1);
    MEMBER("contact_load", touch, impulse, c, 'd', SCREE_DIM_MAX);
    MEMBER("contact_velocity", touch, velocity, c, 'd', SCREE_DIM_MAX);
    MEMBER("contact_mode", touch, mode, c, 'i', 1);
    MEMBER("contact_roll_a", touch, roll_a, c, 'd', 2);
    MEMBER("joint_target", w->joint, def.target, w->joint_count, 'd', 1);
    MEMBER("joint_bound", w->joint, def.bound, w->joint_count, 'd', 1);
    MEMBER("joint_turn_target", w->joint, def.turn.target, w->joint_count, 'd', 1);
    MEMBER("joint_turn_bound", w->joint, def.turn.bound, w->joint_count, 'd', 1);
    ARRAY("joint_state", w->joint_state, w->joint_count, 'd', (int)(sizeof *w->joint_state / sizeof(double)));
    if (!w->history) return fields;
    contact_memory *memory = w->contacts.memory;
    MEMBER("memory_frame_a", memory, frame_a, c, 'd', 6);
    MEMBER("memory_frame_b", memory, frame_b, c, 'd', 6);
    MEMBER("memory_arm_a", memory, arm_a, c, 'd', 3);
    MEMBER("memory_arm_b", memory, arm_b, c, 'd', 3);
    MEMBER("memory_spring", memory, spring, c, 'd', 7);
    MEMBER("memory_energy", memory, energy, c, 'd', 2);
    MEMBER("memory_live", memory, live, c, 'b', 1);
    MEMBER("memory_kinetic", memory, kinetic, c, 'b', 4);
    MEMBER("memory_basis", memory, basis, c, 'b', 1);
    ARRAY("body_spin", w->spin, n, 'd', 3);
    MEMBER("driven_moved", w->extras, moved, w->extra_count, 'd', 6);
    MEMBER("driven_moved_from", w->extras, moved_from, w->extra_count, 'd', 4);
    ARRAY("soft_scale", &w->soft.scale, 1, 'd', 1);
    ARRAY("soft_bodies", &w->soft.bodies, 1, 'd', 1);
    ARRAY("soft_start", &w->soft.mechanical, 1, 'd', 1);
    ARRAY("soft_fall", &w->soft.fall, 1, 'd', 1);
    ARRAY("soft_moved", &w->soft.moved, 1, 'd', 1);
    add(field, &fields, (world_field){"soft_lost", w->soft.lost, sizeof w->soft.lost, 1, 'd', 16, 0});
    add(field, &fields, (world_field){"soft_outside", w->soft.outside, sizeof w->soft.outside, 1, 'd', 32, 0});
    return fields;
}

size_t world_field_bytes(const world_field *field)
{
    size_t size = field->type == 'd' || field->type == 'q' ? 8 : field->type == 'i' ? 4 : 1;
    return size * (size_t)field->width;
}

uint64_t scree_world_hash(const scree_world *world)
{
    world_field field[WORLD_FIELDS_MAX];
    (void)world_sync(world, PART_ALL);
    scree_world copy = *world; /* the list gives pointers to write through; nothing is written */
    int fields = world_fields(&copy, field);
    uint64_t h = 0;
    for (int f = 0; f < fields; ++f) {
        size_t bytes = world_field_bytes(&field[f]), packed = 0;
        const unsigned char *at = field[f].data;
        if (field[f].unhashed) continue;
        h = hash_bytes(h, &field[f].count, sizeof field[f].count);
        if (bytes == field[f].stride) {
            h = hash_bytes(h, at, bytes * (size_t)field[f].count);
            continue;
        }
        unsigned char buffer[4096];
        for (int i = 0; i < field[f].count; ++i, at += field[f].stride) {
            if (packed + bytes > sizeof buffer) h = hash_bytes(h, buffer, packed), packed = 0;
            memcpy(buffer + packed, at, bytes);
            packed += bytes;
        }
        h = hash_bytes(h, buffer, packed);
    }
    return h;
}

void world_counts(const scree_world *world, int32_t count[WORLD_COUNTS])
{
    (void)world_sync(world, PART_ALL);
    count[WORLD_BODIES] = world->body_count;
    count[WORLD_SHAPES] = world->shape_count;
    count[WORLD_CONTACTS] = world->contacts.count;
    count[WORLD_GROUPS] = world->group_count;
    count[WORLD_NAME_BYTES] = world->name_bytes;
    count[WORLD_JOINTS] = world->joint_count;
}

scree_status world_restore_begin(scree_world *w, const int32_t count[WORLD_COUNTS], scree_error *error)
{
    for (int i = 0; i < WORLD_COUNTS; ++i)
        if (count[i] < 0 || count[i] > 1 << 30) {
            scree_error_set(error, NULL, 0, 0, "a count of %d, expected 0 to 2^30", count[i]);
            return SCREE_ERR_INPUT;
        }
    if (count[WORLD_JOINTS] != w->joint_count) {
        scree_error_set(error, NULL, 0, 0, "%d joints, expected the %d of the scene", count[WORLD_JOINTS],
                        w->joint_count);
        return SCREE_ERR_INPUT;
    }
    if (world_reserve_bodies(w, count[WORLD_BODIES]) != SCREE_OK ||
        world_reserve_shapes(w, count[WORLD_SHAPES]) != SCREE_OK ||
        world_reserve_groups(w, count[WORLD_GROUPS], count[WORLD_NAME_BYTES]) != SCREE_OK ||
        contacts_reserve(w, &w->contacts, count[WORLD_CONTACTS]) != SCREE_OK || world_reclaim(w) != SCREE_OK) {
        scree_error_set(error, NULL, 0, 0, "no memory for %d bodies and %d contacts", count[WORLD_BODIES],
                        count[WORLD_CONTACTS]);
        return SCREE_ERR_MEMORY;
    }
    w->body_count = count[WORLD_BODIES], w->shape_count = count[WORLD_SHAPES],
    w->contacts.count = count[WORLD_CONTACTS];
    w->group_count = count[WORLD_GROUPS], w->name_bytes = count[WORLD_NAME_BYTES];
    w->previous.count = 0, w->group_hashed = -1;
    return SCREE_OK;
}

static int within(int value, int low, int end)
{
    return value >= low && value < end;
}

/// The first thing that does not fit, in words; NULL: all does.
static const char *misfit(const scree_world *w)
{
    int shapes = 0;
    if (!(w->impulse_time >= 0.0 && w->impulse_time <= DBL_MAX)) return "the time of the impulses";
    for (int b = 0; b < w->body_count; ++b) {
        if (!within(w->kind[b], 0, SCREE_BODY_REMOVED + 1)) return "the kind of a body";
        if (w->shape_total[b] < 0 || w->first_shape[b] != shapes || w->shape_total[b] > w->shape_count - shapes)
            return "the shapes of a body";
        shapes += w->shape_total[b];
        if (!within(w->group[b], -1, w->group_count)) return "the group of a body";
        if (!within(w->extra[b], -1, w->extra_count)) return "the tables of a body";
        if (w->kind[b] == SCREE_BODY_DRIVEN && w->extra[b] < 0) return "the motion of a body";
        if (w->kind[b] == SCREE_BODY_DYNAMIC && !(w->mass[b] > 0.0)) return "the mass of a body";
    }
    if (shapes != w->shape_count) return "the number of shapes";
    for (int s = 0; s < w->shape_count; ++s) {
        if (!within((int)w->shape[s].kind, 0, SCREE_SHAPE_KIND_COUNT)) return "the kind of a shape";
        if (!within(w->shape_link[s].material, 0, w->material_count)) return "the material of a shape";
        int g = w->shape_geometry[s],
            needs = w->shape[s].kind == SCREE_SHAPE_HULL || w->shape[s].kind == SCREE_SHAPE_MESH;
        if (!within(g, -1, w->geometry_count) || (g >= 0) != needs ||
            (needs && w->geometry[g]->kind != w->shape[s].kind))
            return "the points of a shape";
    }
    for (int g = 0; g < w->group_count; ++g)
        if (!within(w->group_at[g], 0, w->name_bytes)) return "the name of a group";
    if (w->name_bytes > 0 && w->names[w->name_bytes - 1] != '\0') return "the names of the groups";
    for (int i = 0; i < w->contacts.count; ++i) {
        const scree_contact_point *c = &w->contacts.touch[i];
        if (!within(c->shape_a, 0, w->shape_count) || !within(c->shape_b, 0, w->shape_count))
            return "the shapes of a contact";
        if (!within(c->body_a, 0, w->body_count) || !within(c->body_b, 0, w->body_count))
            return "the bodies of a contact";
    }
    return NULL;
}

scree_status world_restore_end(scree_world *w, scree_error *error)
{
    const char *what = misfit(w);
    if (what) {
        w->body_count = w->shape_count = w->contacts.count = w->group_count = w->name_bytes = 0;
        scree_error_set(error, NULL, 0, 0, "%s is not that of a world built from this scene", what);
        return SCREE_ERR_INPUT;
    }
    w->removed = 0;
    for (int b = 0; b < w->body_count; ++b) w->removed += w->kind[b] == SCREE_BODY_REMOVED;
    for (int s = 0; s < w->shape_count; ++s) {
        w->shape[s].geometry = w->shape_geometry[s] >= 0 ? w->geometry[w->shape_geometry[s]] : NULL;
        w->shape[s].material = scree_material_at(w->shape_link[s].material);
    }
    w->slot_count = 0;
    for (int b = 0; b < w->body_count; ++b) world_derive_shapes(w, b);
    broadphase_invalidate(w->broad);
    return SCREE_OK;
}
