/* Bytes as the file of frames of a run (frames.scree): it is refused in words, or every frame is whole, and what it names is there.
 *
 * Changed bytes would all end at the checksums of heads and parts, so these are made right again for as far as the heads say where the
 * parts are. The first byte says whether: an even one leaves the file as it is. */
#include "run/frames.h"
#include "base/hash.h"
#include "fuzz.h"

#include <string.h>
#include <unistd.h>

/// The checksum of a part at the end of it, over blocks as frames.c writes it.
static void seal(uint8_t *part, size_t size)
{
    uint64_t h = 0;
    for (size_t k = 0; k < size - 8; k += FRAMES_BLOCK)
        h = hash_bytes(h, part + k, size - 8 - k < FRAMES_BLOCK ? size - 8 - k : FRAMES_BLOCK);
    memcpy(part + size - 8, &h, 8);
}

static uint64_t word(const uint8_t *head, int index)
{
    uint64_t value;
    memcpy(&value, head + 8 * index, 8);
    return value;
}

/// Mark, format, length and checksums as they have to be, record by record, while the counts fit the bytes.
static void make_whole(uint8_t *file, size_t size)
{
    int32_t before[FRAME_COUNTS] = {0};
    world_field field[FRAME_FIELDS_MAX];
    for (size_t at = 0; size - at >= HEAD_SIZE;) {
        uint8_t *head = file + at;
        const uint64_t mark = FRAMES_MARK, format = FRAMES_FORMAT;
        frame_arrays a = {.contact_count = (int32_t)(word(head, HEAD_CONTACTS) & 0xFFFF)};
        uint64_t count = (uint64_t)a.contact_count;
        memcpy(head, &mark, 8), memcpy(head + 8 * HEAD_FORMAT, &format, 8);
        memcpy(head + 8 * HEAD_CONTACTS, &count, 8);
        for (int k = 0; k < FRAME_COUNTS; ++k) {
            count = word(head, HEAD_COUNTS + k) & 0xFFFF;
            a.count[k] = (int32_t)count;
            memcpy(head + 8 * (HEAD_COUNTS + k), &count, 8);
            if (a.count[k] < before[k]) return;
        }
        size_t fresh = (size_t)frame_part_bytes(field, frame_fields_new(&a, before, field));
        size_t moving = (size_t)frame_part_bytes(field, frame_fields_moving(&a, field));
        uint64_t whole = HEAD_SIZE + fresh + moving;
        memcpy(head + 8 * HEAD_BYTES, &whole, 8);
        seal(head, HEAD_SIZE);
        if (whole > size - at) return;
        if (fresh > 0) seal(head + HEAD_SIZE, fresh);
        if (moving > 0) seal(head + HEAD_SIZE + fresh, moving);
        memcpy(before, a.count, sizeof before);
        at += (size_t)whole;
    }
}

static void look_at(const scree_frame *f)
{
    double x[3], q[4], sum = f->time + f->h;
    for (int s = 0; s < f->shape_count; ++s) {
        require(f->shape_body[s] >= 0 && f->shape_body[s] < f->body_count, "a shape belongs to a body");
        scree_frame_shape_pose(f, s, x, q);
        sum += x[0] + q[0];
    }
    for (int c = 0; c < f->contact_count; ++c) {
        const scree_contact_point *t = &f->contact[c];
        require(t->body_a >= 0 && t->body_a < f->body_count && t->body_b >= 0 && t->body_b < f->body_count,
                "a contact is between bodies");
        require(scree_mode_name(t->mode) != NULL, "a mode has a name");
        sum += t->impulse[0];
    }
    for (int j = 0; j < f->joint_count; ++j) {
        const scree_frame_joint *joint = &f->joint[j];
        require(scree_joint_kind_name(joint->kind) != NULL, "a kind has a name");
        require(joint->body_a >= -1 && joint->body_a < f->body_count && joint->body_b >= -1 &&
                    joint->body_b < f->body_count,
                "a joint is between bodies, or one and the ground");
        sum += (double)strlen(joint->name);
    }
    require(isfinite(f->time) && f->h >= 0.0, "a frame has a time");
    (void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    scree_allocator a = scree_allocator_default();
    frames_file f;
    scree_error error = {.text = ""};
    if (size == 0) return 0;
    if (!path[0]) snprintf(path, sizeof path, "/tmp/scree_fuzz_frames_%ld", (long)getpid());
    uint8_t *file = malloc(size);
    if (!file) return 0;
    memcpy(file, data + 1, size - 1);
    if (data[0] & 1) make_whole(file, size - 1);
    FILE *out = fopen(path, "wb");
    require(out && fwrite(file, 1, size - 1, out) == size - 1 && fclose(out) == 0, "the file is written");
    free(file);

    scree_status status = frames_open(&f, path, &a, &error);
    require(status == SCREE_OK || error.text[0], "a refusal has words");
    for (int k = 0; status == SCREE_OK && k < f.frame_count; ++k) {
        scree_frame *frame = NULL;
        char name[64];
        scree_status read = frames_read(&f, k, &frame, &error);
        require((read == SCREE_OK) == (frame != NULL), "a frame, or a reason");
        if (!frame) continue;
        look_at(frame);
        for (int b = 0; b < frame->body_count; ++b) frames_body_name(&f, b, frame->body_count, name, sizeof name);
        scree_frame_free(frame);
    }
    frames_close(&f);
    unlink(path);
    return 0;
}
