/* snapshot.c: the state of a world in memory, to come back to: what a checkpoint is on disk (state.c lists it once for both).
 *
 * Materials, tables, motions, joints and geometries are not part of it: it fits the world it was taken from, and any that was built in
 * the same way. Loading it and stepping on gives the bits that the first time gave. */
#include "base/fail.h"
#include "base/memory.h"
#include "world/world_private.h"

#include <string.h>

struct scree_snapshot {
    scree_allocator allocator;
    int32_t count[WORLD_COUNTS];
    size_t size;
    unsigned char *bytes; /* the fields one after the other, each entry without the padding between */
};

static size_t fields_size(const world_field *field, int fields)
{
    size_t size = 0;
    for (int k = 0; k < fields; ++k) size += world_field_bytes(&field[k]) * (size_t)field[k].count;
    return size;
}

/// Copies all entries between the world's arrays and the bytes of a snapshot.
static void move(const world_field *field, int fields, unsigned char *bytes, int into_world)
{
    for (int k = 0; k < fields; ++k) {
        size_t entry = world_field_bytes(&field[k]);
        for (int i = 0; i < field[k].count; ++i, bytes += entry) {
            unsigned char *at = (unsigned char *)field[k].data + (size_t)i * field[k].stride;
            if (into_world) memcpy(at, bytes, entry);
            else memcpy(bytes, at, entry);
        }
    }
}

scree_snapshot *scree_world_save(scree_world *world, const scree_allocator *allocator, scree_error *error)
{
    world_field field[WORLD_FIELDS_MAX];
    scree_allocator a = memory_allocator(allocator);
    if (error_stopped(error)) return NULL;
    scree_snapshot *s = memory_array(&a, 1, sizeof *s);
    if (s) {
        s->allocator = a;
        world_counts(world, s->count);
        int fields = world_fields(world, field);
        s->size = fields_size(field, fields);
        s->bytes = memory_raw_array(&a, s->size + 1, 1);
        if (s->bytes) {
            move(field, fields, s->bytes, 0);
            return s;
        }
    }
    scree_error_set(error, NULL, 0, 0, "no memory for the state of %d bodies", scree_world_body_count(world));
    error_keep(error, SCREE_ERR_MEMORY);
    scree_snapshot_free(s);
    return NULL;
}

static scree_status load(scree_world *world, const scree_snapshot *s, scree_error *error)
{
    world_field field[WORLD_FIELDS_MAX];
    scree_status status = world_restore_begin(world, s->count, error);
    if (status != SCREE_OK) return status;
    int fields = world_fields(world, field);
    if (fields_size(field, fields) != s->size) {
        scree_error_set(error, NULL, 0, 0, "the state is that of another world, expected one that was built alike");
        return SCREE_ERR_INPUT;
    }
    move(field, fields, s->bytes, 1);
    return world_restore_end(world, error);
}

scree_status scree_world_load(scree_world *world, const scree_snapshot *snapshot, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    return error_keep(error, load(world, snapshot, error));
}

void scree_snapshot_free(scree_snapshot *s)
{
    if (!s) return;
    scree_allocator a = s->allocator;
    MEMORY_FREE_ALL(&a, s->bytes, s);
}
