/* frames.c: writes frames.scree (frames.h). Nothing is held in memory but a block of FRAMES_BLOCK bytes on its way to the checksum. */
#include "run/frames.h"

#include "run/formats.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

/* ---- the lists of fields ----------------------------------------------------------------------------------------------------- */

typedef struct field_list {
    world_field *field;
    int count;
} field_list;

static void add(field_list *list, void *data, size_t stride, int count, char type, int width, const char *name)
{
    SCREE_ASSERT(list->count < FRAME_FIELDS_MAX);
    list->field[list->count++] = (world_field){name, count > 0 ? data : NULL, stride, count, type, width, 0};
}

/* The entries of an array from `first` on, and one member of an array of structs. */
#define ARRAY(array, first, count, type, width)                                                                        \
    add(&list, (array) ? (void *)((array) + (first)) : NULL, sizeof *(array), (count), (type), (width), #array)
#define MEMBER(array, member, first, count, type, width)                                                               \
    add(&list, (array) ? (void *)&(array)[first].member : NULL, sizeof *(array), (count), (type), (width), #member)

int frame_fields_new(const frame_arrays *a, const int32_t before[FRAME_COUNTS], world_field field[FRAME_FIELDS_MAX])
{
    field_list list = {field, 0};
    int more[FRAME_COUNTS] = {0};
    for (int k = 0; k < FRAME_COUNTS; ++k) more[k] = a->count[k] - before[k];
    int b = before[FRAME_BODIES], s = before[FRAME_SHAPES], new_b = more[FRAME_BODIES], new_s = more[FRAME_SHAPES];
    ARRAY(a->material_names, before[FRAME_MATERIAL_BYTES], more[FRAME_MATERIAL_BYTES], 'b', 1);
    ARRAY(a->group_names, before[FRAME_GROUP_BYTES], more[FRAME_GROUP_BYTES], 'b', 1);
    ARRAY(a->group, b, new_b, 'i', 1);
    ARRAY(a->number, b, new_b, 'i', 1);
    ARRAY(a->shape_body, s, new_s, 'i', 1);
    MEMBER(a->shape, kind, s, new_s, 'i', 1);
    MEMBER(a->shape, size, s, new_s, 'd', 3);
    MEMBER(a->shape, position, s, new_s, 'd', 3);
    MEMBER(a->shape, rotation, s, new_s, 'd', 4);
    MEMBER(a->shape_link, material, s, new_s, 'i', 1);
    ARRAY(a->shape_geometry, s, new_s, 'i', 1);
    ARRAY(a->geometry, before[FRAME_GEOMETRIES], more[FRAME_GEOMETRIES], 'i', 3);
    ARRAY(a->geometry_point, before[FRAME_POINTS], more[FRAME_POINTS], 'd', 3);
    ARRAY(a->geometry_triangle, before[FRAME_TRIANGLES], more[FRAME_TRIANGLES], 'i', 3);
    int j = before[FRAME_JOINTS], new_j = more[FRAME_JOINTS];
    MEMBER(a->joint, kind, j, new_j, 'i', 1);
    MEMBER(a->joint, body_a, j, new_j, 'i', 1);
    MEMBER(a->joint, body_b, j, new_j, 'i', 1);
    MEMBER(a->joint, anchor_a, j, new_j, 'd', 3);
    MEMBER(a->joint, anchor_b, j, new_j, 'd', 3);
    MEMBER(a->joint, axis, j, new_j, 'd', 3);
    MEMBER(a->joint, name, j, new_j, 'b', 64);
    return list.count;
}

int frame_fields_moving(const frame_arrays *a, world_field field[FRAME_FIELDS_MAX])
{
    field_list list = {field, 0};
    int n = a->count[FRAME_BODIES], c = a->contact_count;
    ARRAY(a->x, 0, n, 'd', 3);
    ARRAY(a->q, 0, n, 'd', 4);
    ARRAY(a->v, 0, n, 'd', 3);
    ARRAY(a->omega, 0, n, 'd', 3);
    ARRAY(a->kind, 0, n, 'b', 1);
    MEMBER(a->touch, shape_a, 0, c, 'i', 1);
    MEMBER(a->touch, shape_b, 0, c, 'i', 1);
    MEMBER(a->touch, feature, 0, c, 'q', 1);
    MEMBER(a->touch, age, 0, c, 'i', 1);
    MEMBER(a->touch, mode, 0, c, 'i', 1);
    MEMBER(a->touch, cone.size, 0, c, 'i', SCREE_FRICTION_KINDS);
    MEMBER(a->touch, cone.coef, 0, c, 'd', SCREE_FRICTION_KINDS);
    MEMBER(a->touch, position, 0, c, 'd', 3);
    MEMBER(a->touch, normal, 0, c, 'd', 3);
    MEMBER(a->touch, tangent, 0, c, 'd', 3);
    MEMBER(a->touch, gap, 0, c, 'd', 1);
    MEMBER(a->touch, restitution, 0, c, 'd', 1);
    MEMBER(a->touch, stiffness, 0, c, 'd', 1);
    MEMBER(a->touch, impulse, 0, c, 'd', SCREE_DIM_MAX);
    MEMBER(a->touch, velocity, 0, c, 'd', SCREE_DIM_MAX);
    return list.count;
}

int64_t frame_part_bytes(const world_field *field, int fields)
{
    int64_t bytes = 8;
    for (int k = 0; k < fields; ++k)
        bytes += (int64_t)((world_field_bytes(&field[k]) * (size_t)field[k].count + 7) / 8 * 8);
    return bytes;
}

/* ---- bytes --------------------------------------------------------------------------------------------------------------------- */

typedef struct block_stream {
    out_file *file;
    uint64_t checksum; /* of the blocks so far */
    size_t used;
    unsigned char block[FRAMES_BLOCK];
} block_stream;

static void stream_flush(block_stream *s)
{
    if (s->used == 0) return;
    s->checksum = hash_bytes(s->checksum, s->block, s->used);
    file_bytes(s->file, s->block, s->used);
    s->used = 0;
}

/// A number of `bytes` bytes, lowest first. Fields start at multiples of eight, so no number crosses the end of a block.
static void stream_number(block_stream *s, uint64_t x, size_t bytes)
{
    for (size_t k = 0; k < bytes; ++k) s->block[s->used + k] = (unsigned char)(x >> (8 * k));
    s->used += bytes;
    if (s->used == FRAMES_BLOCK) stream_flush(s);
}

static void stream_field(block_stream *s, const world_field *f)
{
    size_t size = world_field_bytes(f) / (size_t)f->width, total = world_field_bytes(f) * (size_t)f->count;
    for (int k = 0; k < f->count; ++k) {
        const unsigned char *at = (const unsigned char *)f->data + (size_t)k * f->stride;
        for (int i = 0; i < f->width; ++i, at += size) {
            uint64_t eight;
            uint32_t four;
            if (size == 8) memcpy(&eight, at, 8);
            else if (size == 4) memcpy(&four, at, 4), eight = four;
            else eight = *at;
            stream_number(s, eight, size);
        }
    }
    stream_number(s, 0, (8 - total % 8) % 8);
}

static void write_part(out_file *file, const world_field *field, int fields)
{
    block_stream s = {.file = file};
    for (int k = 0; k < fields; ++k) stream_field(&s, &field[k]);
    stream_flush(&s);
    file_u64(file, s.checksum);
}

/* ---- a record ---------------------------------------------------------------------------------------------------------------------- */

static uint64_t bits(double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

static void write_head(out_file *file, const frame_source *now, const frame_arrays *a, int64_t bytes)
{
    block_stream s = {.file = file};
    uint64_t word[HEAD_WORDS] = {0};
    word[HEAD_MARK] = FRAMES_MARK, word[HEAD_FORMAT] = FRAMES_FORMAT;
    word[HEAD_BYTES] = (uint64_t)bytes;
    word[HEAD_TIME] = bits(now->state.time), word[HEAD_H] = bits(now->state.h);
    word[HEAD_STEP] = (uint64_t)now->state.step, word[HEAD_CONTACTS] = (uint64_t)a->contact_count;
    for (int k = 0; k < FRAME_COUNTS; ++k) word[HEAD_COUNTS + k] = (uint64_t)a->count[k];
    for (int k = 0; k < HEAD_CHECKSUM; ++k) stream_number(&s, word[k], 8);
    stream_flush(&s);
    file_u64(file, s.checksum);
}

/// The names of the materials, one after the other; NULL: no memory.
static char *join_material_names(const scree_world *world, const scree_allocator *allocator, int32_t *bytes)
{
    size_t total = 0, at = 0;
    int count = scree_world_material_count(world);
    for (int k = 0; k < count; ++k) total += strlen(scree_world_material(world, scree_material_at(k))->name) + 1;
    char *names = memory_array(allocator, total + 1, 1);
    for (int k = 0; k < count && names; ++k) {
        size_t size = strlen(scree_world_material(world, scree_material_at(k))->name) + 1;
        memcpy(names + at, scree_world_material(world, scree_material_at(k))->name, size);
        at += size;
    }
    *bytes = (int32_t)total;
    return names;
}

/// Points and triangles of all geometries; 0: no memory. What was made is to be freed all the same.
static int copy_geometries(const scree_world *w, const scree_allocator *allocator, frame_arrays *a)
{
    int32_t points = 0, triangles = 0;
    for (int g = 0; g < w->geometry_count; ++g) {
        points += scree_geometry_vertex_count(w->geometry[g]);
        triangles += scree_geometry_triangle_count(w->geometry[g]);
    }
    a->geometry = memory_raw_array(allocator, (size_t)w->geometry_count, sizeof *a->geometry);
    a->geometry_point = memory_raw_array(allocator, (size_t)points, sizeof *a->geometry_point);
    a->geometry_triangle = memory_raw_array(allocator, (size_t)triangles, sizeof *a->geometry_triangle);
    if (!a->geometry || !a->geometry_point || !a->geometry_triangle) return 0;
    points = triangles = 0;
    for (int g = 0; g < w->geometry_count; ++g) {
        const scree_geometry *from = w->geometry[g];
        int32_t *size = a->geometry[g];
        size[0] = (int32_t)from->kind, size[1] = scree_geometry_vertex_count(from);
        size[2] = scree_geometry_triangle_count(from);
        for (int k = 0; k < size[1]; ++k) scree_geometry_vertex(from, k, a->geometry_point[points++]);
        for (int k = 0; k < size[2]; ++k) scree_geometry_triangle(from, k, a->geometry_triangle[triangles++]);
    }
    a->count[FRAME_GEOMETRIES] = w->geometry_count;
    a->count[FRAME_POINTS] = points, a->count[FRAME_TRIANGLES] = triangles;
    return 1;
}

/// The joints, as frames have them; 0: no memory.
static int copy_joints(const scree_world *w, const scree_allocator *allocator, frame_arrays *a)
{
    a->joint = memory_array(allocator, (size_t)w->joint_count, sizeof *a->joint);
    for (int k = 0; k < w->joint_count && a->joint; ++k) a->joint[k] = scree_frame_joint_of_world(w, k);
    return a->joint != NULL;
}

/// What a record needs besides the arrays of the world, where there is more of it than frames.scree has; 0: no memory. What was made is to
/// be freed all the same.
static int copy_new(const scree_output *o, const scree_world *w, frame_arrays *a)
{
    static const int kept[] = {FRAME_MATERIAL_BYTES, FRAME_GEOMETRIES, FRAME_POINTS, FRAME_TRIANGLES};
    for (size_t k = 0; k < sizeof kept / sizeof *kept; ++k) a->count[kept[k]] = o->framed[kept[k]];
    a->count[FRAME_JOINTS] = w->joint_count;
    if (w->material_count > o->framed[FRAME_MATERIALS]) {
        a->material_names = join_material_names(w, &o->allocator, &a->count[FRAME_MATERIAL_BYTES]);
        if (!a->material_names) return 0;
    }
    if (w->geometry_count > o->framed[FRAME_GEOMETRIES] && !copy_geometries(w, &o->allocator, a)) return 0;
    return w->joint_count <= o->framed[FRAME_JOINTS] || copy_joints(w, &o->allocator, a);
}

static void free_new(const scree_output *o, const frame_arrays *a)
{
    MEMORY_FREE_ALL(&o->allocator, a->material_names, a->geometry, a->geometry_point, a->geometry_triangle, a->joint);
}

static scree_status write_frame(scree_output *o, out_file *file, const frame_source *now, scree_error *error)
{
    const scree_world *w = now->world;
    scree_status read = world_sync(w, PART_ALL);
    if (read != SCREE_OK) return read;
    world_field added[FRAME_FIELDS_MAX], moving[FRAME_FIELDS_MAX];
    frame_arrays a = {.group_names = w->names, .group = w->group, .number = w->number, .shape = w->shape};
    a.shape_body = w->shape_body, a.kind = w->kind, a.x = w->x, a.v = w->v, a.omega = w->omega, a.q = w->q;
    a.contact_count = w->contacts.count, a.touch = w->contacts.touch;
    a.count[FRAME_BODIES] = w->body_count, a.count[FRAME_SHAPES] = w->shape_count;
    a.count[FRAME_GROUPS] = w->group_count, a.count[FRAME_GROUP_BYTES] = w->name_bytes;
    a.count[FRAME_MATERIALS] = w->material_count, a.shape_geometry = w->shape_geometry;
    a.shape_link = w->shape_link;
    if (!copy_new(o, w, &a)) {
        free_new(o, &a);
        return output_no_memory(o, error);
    }
    int added_count = frame_fields_new(&a, o->framed, added), moving_count = frame_fields_moving(&a, moving);
    int64_t bytes = HEAD_SIZE + frame_part_bytes(added, added_count) + frame_part_bytes(moving, moving_count);
    write_head(file, now, &a, bytes);
    write_part(file, added, added_count);
    write_part(file, moving, moving_count);
    SCREE_ASSERT(file->size - file->kept == bytes);
    free_new(o, &a);
    scree_status status = growing_commit(file, error);
    if (status == SCREE_OK) memcpy(o->framed, a.count, sizeof o->framed);
    return status;
}

/// What the file has so far, for the records to come.
static scree_status resumed(scree_output *o, const out_file *file, scree_error *error)
{
    return frames_last_counts(file->path, &o->allocator, o->framed, error);
}

const output_format format_frames = {
    .growing = {{"frames.scree", ""}}, .needs_world = 1, .frame = write_frame, .resumed = resumed};
