/* frames_read.c: reads frames.scree (frames.h).
 *
 * Opening goes from head to head: counts may only grow, the size of a record must be the one that its counts give, and the file must
 * have it; so no size of the file is trusted before it is known to be sound, and memory asked for is never more than the file is
 * long. A record of which the end is missing is that of a run in progress, or killed, and is passed over; anything else that is
 * wrong is an error. Checksums tell damage; indices are checked all the same, since a file can be made by anyone. */
#define _XOPEN_SOURCE 700
#include "run/frames.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/read.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static scree_status damaged(const frames_file *f, int64_t at, const char *what, scree_error *error)
{
    scree_error_set(error, f->path, 0, 0, "the record at byte %lld %s", (long long)at, what);
    return SCREE_ERR_INPUT;
}

static scree_status no_memory(const frames_file *f, scree_error *error)
{
    scree_error_set(error, f->path, 0, 0, "out of memory while reading");
    return SCREE_ERR_MEMORY;
}

static scree_status read_at(const frames_file *f, void *bytes, size_t size, int64_t at, scree_error *error)
{
    for (char *to = bytes; size > 0;) {
        ssize_t n = pread(f->fd, to, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            const int reason = n < 0 ? errno : EIO;
            scree_error_set(error, f->path, 0, 0, "cannot read the file: %s", strerror(reason));
            return file_status(reason);
        }
        to += n, size -= (size_t)n, at += n;
    }
    return SCREE_OK;
}

static uint64_t get_number(const unsigned char *at, size_t bytes)
{
    uint64_t x = 0;
    for (size_t k = 0; k < bytes; ++k) x |= (uint64_t)at[k] << (8 * k);
    return x;
}

static double get_real(const unsigned char *at)
{
    uint64_t word = get_number(at, 8);
    double x;
    memcpy(&x, &word, sizeof x);
    return x;
}

/// The checksum of a part or head, whose last eight bytes must be it.
static int checksum_holds(const unsigned char *bytes, size_t size)
{
    uint64_t h = 0;
    for (size_t at = 0; at < size - 8; at += FRAMES_BLOCK)
        h = hash_bytes(h, bytes + at, size - 8 - at < FRAMES_BLOCK ? size - 8 - at : FRAMES_BLOCK);
    return h == get_number(bytes + size - 8, 8);
}

/// Fields from the bytes of a part. Returns 0 if a real is not finite.
static int unpack(const unsigned char *bytes, const world_field *field, int fields)
{
    for (int k = 0; k < fields; ++k) {
        const world_field *f = &field[k];
        size_t size = world_field_bytes(f) / (size_t)f->width, total = world_field_bytes(f) * (size_t)f->count;
        const unsigned char *from = bytes;
        for (int i = 0; i < f->count; ++i) {
            unsigned char *to = (unsigned char *)f->data + (size_t)i * f->stride;
            for (int c = 0; c < f->width; ++c, from += size, to += size) {
                uint32_t four = (uint32_t)get_number(from, size < 4 ? size : 4);
                double real = size == 8 ? get_real(from) : 0.0;
                if (f->type == 'd' && !isfinite(real)) return 0;
                if (size == 8) memcpy(to, &real, 8);
                else if (size == 4) memcpy(to, &four, 4);
                else *to = *from;
            }
        }
        bytes += (total + 7) / 8 * 8;
    }
    return 1;
}

/// Reads a part, verifies it and puts its numbers into the fields.
static scree_status read_part(const frames_file *f, int64_t at, const world_field *field, int fields,
                              scree_error *error)
{
    size_t size = (size_t)frame_part_bytes(field, fields);
    unsigned char *bytes = memory_raw_array(&f->allocator, size, 1);
    if (!bytes) return no_memory(f, error);
    scree_status status = read_at(f, bytes, size, at, error);
    if (status == SCREE_OK && !checksum_holds(bytes, size))
        status = damaged(f, at, "is damaged: its checksum is wrong", error);
    if (status == SCREE_OK && !unpack(bytes, field, fields))
        status = damaged(f, at, "holds a number that is not finite", error);
    memory_free(&f->allocator, bytes);
    return status;
}

/* ---- opening -------------------------------------------------------------------------------------------------------------------- */

/// Reads the head at `entry->at`. `*whole` 0: the record is not all there.
static scree_status read_head(const frames_file *f, frame_entry *entry, int *whole, scree_error *error)
{
    unsigned char head[HEAD_SIZE];
    uint64_t word[HEAD_WORDS];
    *whole = f->size - entry->at >= HEAD_SIZE;
    if (!*whole) return SCREE_OK;
    scree_status status = read_at(f, head, sizeof head, entry->at, error);
    if (status != SCREE_OK) return status;
    for (int k = 0; k < HEAD_WORDS; ++k) word[k] = get_number(head + 8 * k, 8);
    if (word[HEAD_MARK] != FRAMES_MARK) return damaged(f, entry->at, "does not begin as a frame of scree does", error);
    if (word[HEAD_FORMAT] != FRAMES_FORMAT) {
        scree_error_set(error, f->path, 0, 0, "the frames have format %llu, this program reads %d",
                        (unsigned long long)word[HEAD_FORMAT], FRAMES_FORMAT);
        return SCREE_ERR_INPUT;
    }
    if (!checksum_holds(head, sizeof head)) return damaged(f, entry->at, "has a damaged head", error);
    for (int k = HEAD_CONTACTS; k < HEAD_CHECKSUM; ++k)
        if (word[k] > INT32_MAX) return damaged(f, entry->at, "counts more than there can be", error);
    entry->time = get_real(head + 8 * HEAD_TIME), entry->h = get_real(head + 8 * HEAD_H);
    entry->step = (int64_t)word[HEAD_STEP], entry->contact_count = (int32_t)word[HEAD_CONTACTS];
    for (int k = 0; k < FRAME_COUNTS; ++k) {
        entry->count[k] = (int32_t)word[HEAD_COUNTS + k];
        if (entry->count[k] < f->all.count[k]) return damaged(f, entry->at, "has less than the one before", error);
    }
    if (!isfinite(entry->time) || !(entry->h >= 0.0) || !isfinite(entry->h))
        return damaged(f, entry->at, "has no time", error);

    world_field field[FRAME_FIELDS_MAX];
    frame_arrays counts = {.contact_count = entry->contact_count};
    memcpy(counts.count, entry->count, sizeof counts.count);
    entry->new_bytes = frame_part_bytes(field, frame_fields_new(&counts, f->all.count, field));
    entry->moving_bytes = frame_part_bytes(field, frame_fields_moving(&counts, field));
    if (word[HEAD_BYTES] != (uint64_t)(HEAD_SIZE + entry->new_bytes + entry->moving_bytes))
        return damaged(f, entry->at, "is not as long as its counts say", error);
    *whole = f->size - entry->at >= (int64_t)word[HEAD_BYTES];
    return SCREE_OK;
}

/// Room for `count` elements at *array, of which the first `used` are kept.
static int grow(const frames_file *f, void *array, int32_t used, const int32_t *capacity, int32_t count, size_t size)
{
    void **memory = array;
    if (*memory && count <= *capacity) return 1;
    int32_t wanted = count < INT32_MAX / 2 ? 2 * count + 1 : INT32_MAX;
    void *larger = world_grow(&f->allocator, *memory, used, wanted, size);
    if (!larger) return 0;
    *memory = larger;
    return 1;
}

static int make_room(frames_file *f, const int32_t count[FRAME_COUNTS])
{
    frame_arrays *a = &f->all;
    const struct {
        void *array;
        int what;
        size_t size;
    } arrays[] = {{&a->material_names, FRAME_MATERIAL_BYTES, 1},
                  {&a->group_names, FRAME_GROUP_BYTES, 1},
                  {&a->group, FRAME_BODIES, sizeof *a->group},
                  {&a->number, FRAME_BODIES, sizeof *a->number},
                  {&a->shape, FRAME_SHAPES, sizeof *a->shape},
                  {&a->shape_body, FRAME_SHAPES, sizeof *a->shape_body},
                  {&a->shape_link, FRAME_SHAPES, sizeof *a->shape_link},
                  {&a->shape_geometry, FRAME_SHAPES, sizeof *a->shape_geometry},
                  {&a->geometry, FRAME_GEOMETRIES, sizeof *a->geometry},
                  {&f->geometry, FRAME_GEOMETRIES, sizeof(void *)},
                  {&a->geometry_point, FRAME_POINTS, sizeof *a->geometry_point},
                  {&a->geometry_triangle, FRAME_TRIANGLES, sizeof *a->geometry_triangle},
                  {&a->joint, FRAME_JOINTS, sizeof *a->joint}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
        int32_t at = arrays[k].what;
        if (!grow(f, arrays[k].array, a->count[at], &f->capacity[at], count[at], arrays[k].size)) return 0;
    }
    for (int k = 0; k < FRAME_COUNTS; ++k)
        if (count[k] > f->capacity[k]) f->capacity[k] = count[k] < INT32_MAX / 2 ? 2 * count[k] + 1 : INT32_MAX;
    return 1;
}

static int names_end(const char *names, int32_t bytes, int32_t count)
{
    int32_t found = 0;
    for (int32_t k = 0; k < bytes; ++k) found += names[k] == '\0';
    return found == count && (bytes == 0 || names[bytes - 1] == '\0');
}

static int is_body_or_ground(const frame_arrays *a, int body)
{
    return body >= -1 && body < a->count[FRAME_BODIES];
}

/// What is wrong with the entries from `before` on; NULL: nothing.
static const char *misfit(const frame_arrays *a, const int32_t before[FRAME_COUNTS])
{
    for (int b = before[FRAME_BODIES]; b < a->count[FRAME_BODIES]; ++b)
        if (a->group[b] < -1 || a->group[b] >= a->count[FRAME_GROUPS]) return "has a body of a group that is not there";
    for (int s = before[FRAME_SHAPES]; s < a->count[FRAME_SHAPES]; ++s) {
        const scree_shape *shape = &a->shape[s];
        int body = a->shape_body[s], least = s > 0 ? a->shape_body[s - 1] : 0;
        if ((int)shape->kind < 0 || shape->kind >= SCREE_SHAPE_KIND_COUNT) return "has a shape of unknown kind";
        if (body < least || body >= a->count[FRAME_BODIES]) return "has a shape of a body that is not there";
        if (a->shape_link[s].material < 0 || a->shape_link[s].material >= a->count[FRAME_MATERIALS])
            return "has a shape of a material that is not there";
    }
    for (int j = before[FRAME_JOINTS]; j < a->count[FRAME_JOINTS]; ++j) {
        const scree_frame_joint *joint = &a->joint[j];
        if ((int)joint->kind < 0 || joint->kind >= SCREE_JOINT_KIND_COUNT) return "has a joint of unknown kind";
        if (!is_body_or_ground(a, joint->body_a) || !is_body_or_ground(a, joint->body_b))
            return "has a joint of a body that is not there";
        if (joint->name[sizeof joint->name - 1]) return "has a joint whose name does not end";
    }
    if (!names_end(a->material_names, a->count[FRAME_MATERIAL_BYTES], a->count[FRAME_MATERIALS]) ||
        !names_end(a->group_names, a->count[FRAME_GROUP_BYTES], a->count[FRAME_GROUPS]))
        return "has names that do not end";
    return NULL;
}

/// Makes the geometries that came with this record, and gives them and the materials to the shapes from `first` on.
static scree_status make_geometries(frames_file *f, int64_t at, int first, scree_error *error)
{
    const frame_arrays *a = &f->all;
    int64_t points = 0, triangles = 0;
    for (int g = 0; g < a->count[FRAME_GEOMETRIES]; ++g) {
        const int32_t *size = a->geometry[g];
        if (size[1] < 0 || size[2] < 0 || size[1] > a->count[FRAME_POINTS] - points ||
            size[2] > a->count[FRAME_TRIANGLES] - triangles)
            return damaged(f, at, "has a geometry whose points are not there", error);
        for (int64_t k = triangles; k < triangles + size[2]; ++k)
            for (int i = 0; i < 3; ++i)
                if (a->geometry_triangle[k][i] < 0 || a->geometry_triangle[k][i] >= size[1])
                    return damaged(f, at, "has a triangle whose points are not there", error);
        if (g == f->geometry_made) {
            f->geometry[g] = geometry_drawing((scree_shape_kind)size[0], size[1], a->geometry_point + points, size[2],
                                              a->geometry_triangle + triangles, &f->allocator);
            if (!f->geometry[g]) return no_memory(f, error);
            f->geometry_made += 1;
        }
        points += size[1], triangles += size[2];
    }
    for (int s = first; s < a->count[FRAME_SHAPES]; ++s) {
        int g = a->shape_geometry[s];
        if (g < -1 || g >= a->count[FRAME_GEOMETRIES])
            return damaged(f, at, "has a shape whose points are not there", error);
        a->shape[s].geometry = g >= 0 ? f->geometry[g] : NULL;
        a->shape[s].material = scree_material_at(a->shape_link[s].material);
    }
    return SCREE_OK;
}

static scree_status read_new(frames_file *f, const frame_entry *entry, scree_error *error)
{
    world_field field[FRAME_FIELDS_MAX];
    int32_t before[FRAME_COUNTS];
    if (!make_room(f, entry->count)) return no_memory(f, error);
    memcpy(before, f->all.count, sizeof before);
    memcpy(f->all.count, entry->count, sizeof before);
    int fields = frame_fields_new(&f->all, before, field);
    scree_status status = read_part(f, entry->at + HEAD_SIZE, field, fields, error);
    const char *what = status == SCREE_OK ? misfit(&f->all, before) : NULL;
    if (what) return damaged(f, entry->at, what, error);
    return status == SCREE_OK ? make_geometries(f, entry->at, before[FRAME_SHAPES], error) : status;
}

static scree_status add_entry(frames_file *f, const frame_entry *entry, scree_error *error)
{
    if (f->frame_count == f->frame_capacity) {
        int capacity = 2 * f->frame_capacity + 16;
        frame_entry *entries = world_grow(&f->allocator, f->entry, f->frame_count, capacity, sizeof *entries);
        if (entries) f->entry = entries;
        double *times = entries ? world_grow(&f->allocator, f->time, f->frame_count, capacity, sizeof *times) : NULL;
        if (!times) return no_memory(f, error);
        f->time = times, f->frame_capacity = capacity;
    }
    f->entry[f->frame_count] = *entry;
    f->time[f->frame_count++] = entry->time;
    return SCREE_OK;
}

static void start_of_names(const char *names, int count, int32_t *at)
{
    int32_t next = 0;
    for (int k = 0; k < count; ++k, next += (int32_t)strlen(names + next) + 1) at[k] = next;
}

/// Where the names are, and which groups have more than one body.
static scree_status index_names(frames_file *f, scree_error *error)
{
    const frame_arrays *a = &f->all;
    int groups = a->count[FRAME_GROUPS];
    f->material_at = memory_array(&f->allocator, (size_t)a->count[FRAME_MATERIALS] + 1, sizeof *f->material_at);
    f->group_at = memory_array(&f->allocator, (size_t)groups + 1, sizeof *f->group_at);
    f->group_second = memory_array(&f->allocator, (size_t)groups + 1, sizeof *f->group_second);
    if (!f->material_at || !f->group_at || !f->group_second) return no_memory(f, error);
    start_of_names(a->material_names, a->count[FRAME_MATERIALS], f->material_at);
    start_of_names(a->group_names, groups, f->group_at);
    for (int b = 0; b < a->count[FRAME_BODIES]; ++b) {
        if (a->group[b] < 0) continue;
        int32_t *second = &f->group_second[a->group[b]]; /* 0: no body yet, -1: one */
        if (*second <= 0) *second = *second == 0 ? -1 : b;
    }
    for (int g = 0; g < groups; ++g)
        if (f->group_second[g] <= 0) f->group_second[g] = INT32_MAX;
    return SCREE_OK;
}

scree_status frames_open(frames_file *f, const char *path, const scree_allocator *allocator, scree_error *error)
{
    struct stat is;
    *f = (frames_file){.allocator = *allocator};
    text_copy(f->path, sizeof f->path, path);
    f->fd = open(path, O_RDONLY);
    if (f->fd < 0 && errno == ENOENT) return SCREE_OK;
    if (f->fd < 0 || fstat(f->fd, &is) != 0) {
        const int reason = errno;
        scree_error_set(error, path, 0, 0, "cannot open the file: %s", strerror(reason));
        return file_status(reason);
    }
    f->size = (int64_t)is.st_size;
    scree_status status = SCREE_OK;
    frame_entry entry = {.at = 0};
    for (int whole; status == SCREE_OK;) {
        status = read_head(f, &entry, &whole, error);
        if (status != SCREE_OK || !whole) break;
        status = read_new(f, &entry, error);
        if (status == SCREE_OK) status = add_entry(f, &entry, error);
        entry.at += HEAD_SIZE + entry.new_bytes + entry.moving_bytes;
    }
    return status == SCREE_OK ? index_names(f, error) : status;
}

void frames_close(frames_file *f)
{
    const scree_allocator *a = &f->allocator;
    if (f->fd >= 0) close(f->fd);
    memory_free(a, f->entry), memory_free(a, f->time);
    memory_free(a, f->all.material_names), memory_free(a, f->all.group_names);
    memory_free(a, f->all.group), memory_free(a, f->all.number);
    memory_free(a, f->all.shape), memory_free(a, f->all.shape_body), memory_free(a, f->all.shape_link);
    for (int g = 0; g < f->geometry_made; ++g) scree_geometry_release(f->geometry[g]);
    MEMORY_FREE_ALL(a, f->geometry, f->all.shape_geometry, f->all.geometry, f->all.geometry_point,
                    f->all.geometry_triangle, f->all.joint);
    memory_free(a, f->group_at), memory_free(a, f->group_second), memory_free(a, f->material_at);
    *f = (frames_file){.fd = -1};
}

scree_status frames_last_counts(const char *path, const scree_allocator *allocator, int32_t count[FRAME_COUNTS],
                                scree_error *error)
{
    frames_file f;
    scree_status status = frames_open(&f, path, allocator, error);
    if (status == SCREE_OK) memcpy(count, f.all.count, sizeof f.all.count);
    frames_close(&f);
    return status;
}

char *frames_body_name(const frames_file *f, int body, int bodies, char *buffer, size_t size)
{
    const frame_arrays *a = &f->all;
    SCREE_ASSERT(body >= 0 && body < bodies && bodies <= a->count[FRAME_BODIES] && size > 0);
    int group = a->group[body];
    if (group < 0) snprintf(buffer, size, "body %d", body);
    else if (f->group_second[group] >= bodies) snprintf(buffer, size, "%s", a->group_names + f->group_at[group]);
    else snprintf(buffer, size, "%s[%d]", a->group_names + f->group_at[group], (int)a->number[body]);
    return buffer;
}

/* ---- a frame -------------------------------------------------------------------------------------------------------------------- */

/// A frame with the memory it stands on. scree_frame_free finds the block by its first member.
typedef struct held_frame {
    scree_frame frame;
    scree_allocator allocator;
    frame_arrays arrays;
} held_frame;

static const char *wrong_state(const frame_arrays *a)
{
    for (int b = 0; b < a->count[FRAME_BODIES]; ++b)
        if (a->kind[b] > SCREE_BODY_REMOVED) return "has a body of unknown kind";
    for (int k = 0; k < a->contact_count; ++k) {
        scree_contact_point *c = &a->touch[k];
        int shapes = a->count[FRAME_SHAPES];
        if (c->shape_a < 0 || c->shape_a >= shapes || c->shape_b < 0 || c->shape_b >= shapes)
            return "has a contact of a shape that is not there";
        if ((int)c->mode < 0 || (int)c->mode >= SCREE_MODE_COUNT) return "has a contact of unknown mode";
        for (int m = 0; m < SCREE_FRICTION_KINDS; ++m)
            if (c->cone.size[m] < 0 || c->cone.size[m] > 2) return "has a contact of unknown cone";
        c->body_a = a->shape_body[c->shape_a], c->body_b = a->shape_body[c->shape_b];
    }
    return NULL;
}

scree_status frames_read(const frames_file *f, int index, scree_frame **frame, scree_error *error)
{
    SCREE_ASSERT(index >= 0 && index < f->frame_count);
    const frame_entry *e = &f->entry[index];
    const scree_allocator *allocator = &f->allocator;
    world_field field[FRAME_FIELDS_MAX];
    size_t bodies = (size_t)e->count[FRAME_BODIES];
    *frame = NULL;
    held_frame *h = memory_array(allocator, 1, sizeof *h);
    if (!h) return no_memory(f, error);
    h->allocator = *allocator;
    frame_arrays *a = &h->arrays;
    memcpy(a->count, e->count, sizeof a->count);
    a->shape = f->all.shape, a->shape_body = f->all.shape_body, a->contact_count = e->contact_count;
    a->x = memory_raw_array(allocator, bodies + 1, sizeof *a->x);
    a->q = memory_raw_array(allocator, bodies + 1, sizeof *a->q);
    a->v = memory_raw_array(allocator, bodies + 1, sizeof *a->v);
    a->omega = memory_raw_array(allocator, bodies + 1, sizeof *a->omega);
    a->kind = memory_raw_array(allocator, bodies + 1, sizeof *a->kind);
    a->touch = memory_array(allocator, (size_t)e->contact_count + 1, sizeof *a->touch);
    scree_status status = a->x && a->q && a->v && a->omega && a->kind && a->touch ? SCREE_OK : no_memory(f, error);
    if (status == SCREE_OK)
        status = read_part(f, e->at + HEAD_SIZE + e->new_bytes, field, frame_fields_moving(a, field), error);
    const char *what = status == SCREE_OK ? wrong_state(a) : NULL;
    if (what) status = damaged(f, e->at, what, error);
    h->frame = (scree_frame){.time = e->time,
                             .h = e->h,
                             .step = e->step,
                             .body_count = e->count[FRAME_BODIES],
                             .shape_count = e->count[FRAME_SHAPES],
                             .contact_count = e->contact_count,
                             .kind = a->kind,
                             .position = (const double *)a->x,
                             .rotation = (const double *)a->q,
                             .velocity = (const double *)a->v,
                             .angular_velocity = (const double *)a->omega,
                             .shape = a->shape,
                             .shape_body = a->shape_body,
                             .contact = a->touch,
                             .joint_count = e->count[FRAME_JOINTS],
                             .joint = f->all.joint};
    if (status == SCREE_OK) *frame = &h->frame;
    else scree_frame_free(&h->frame);
    return status;
}

void scree_frame_free(scree_frame *frame)
{
    if (!frame) return;
    held_frame *h = (held_frame *)frame;
    scree_allocator a = h->allocator;
    memory_free(&a, h->arrays.x), memory_free(&a, h->arrays.q), memory_free(&a, h->arrays.v);
    memory_free(&a, h->arrays.omega), memory_free(&a, h->arrays.kind), memory_free(&a, h->arrays.touch);
    memory_free(&a, h);
}
