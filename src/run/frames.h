/* frames.h: frames.scree, every frame of a run in one file that grows (docs/formats.md).
 *
 * A record per frame: a head of HEAD_WORDS numbers, a part with what is new since the record before (bodies, shapes, names: they are
 * only ever added), a part with what moves (poses, velocities, contacts). Each part is a list of fields one after the other, each
 * filled up to a multiple of eight bytes, and then the part's checksum. Little-endian, 64-bit reals: nothing is rounded. Whoever knows
 * the counts of two heads in a row knows the size of everything between them, so a reader can jump from head to head.
 *
 * Writer and reader are loops over the same two lists of fields, those of frame_fields_new and frame_fields_moving. */
#ifndef SCREE_OUTPUT_FRAMES_H
#define SCREE_OUTPUT_FRAMES_H

#include "collision/geometry_private.h"
#include "run/output_private.h"
#include "world/world_private.h"

#define FRAMES_MARK UINT64_C(0x7266206565726373) /* "scree fr" */
enum { FRAMES_FORMAT = 3, FRAMES_BLOCK = 4096 };

/// The numbers of a head, eight bytes each; counts are those at the end of the record.
enum {
    HEAD_MARK, /* "scree fr" */
    HEAD_FORMAT,
    HEAD_BYTES, /* of the record, this head included */
    HEAD_TIME,
    HEAD_H,
    HEAD_STEP,
    HEAD_CONTACTS,
    HEAD_COUNTS, /* FRAME_COUNTS numbers */
    HEAD_CHECKSUM = HEAD_COUNTS + FRAME_COUNTS,
    HEAD_WORDS,
    HEAD_SIZE = 8 * HEAD_WORDS
};

/// The arrays of a record: those of a world that is written, or of a result that is read.
typedef struct frame_arrays {
    int32_t count[FRAME_COUNTS];
    char *material_names, *group_names; /* one after the other, each with its 0                */
    int32_t *group, *number;            /* (bodies) group -1: the body has no name              */
    scree_shape *shape;                 /* (shapes)                                             */
    int32_t *shape_body;
    shape_link *shape_link;          /* (shapes) of which the material                       */
    int32_t *shape_geometry;         /* (shapes) -1: none                                    */
    int32_t (*geometry)[3];          /* (geometries) kind, points, triangles: for the eye    */
    double (*geometry_point)[3];     /* of all, one after the other                          */
    int32_t (*geometry_triangle)[3]; /* points counted from 0 in each                        */
    scree_frame_joint *joint;        /* (joints)                                             */
    unsigned char *kind;             /* (bodies) from here on: what moves                    */
    vec3 *x, *v, *omega;
    quat *q;
    int32_t contact_count;
    scree_contact_point *touch;
} frame_arrays;

enum { FRAME_FIELDS_MAX = 32 };

/// What is new since `before`, and what moves. Returns the number of fields.
int frame_fields_new(const frame_arrays *a, const int32_t before[FRAME_COUNTS], world_field field[FRAME_FIELDS_MAX]);
int frame_fields_moving(const frame_arrays *a, world_field field[FRAME_FIELDS_MAX]);

/// Bytes of a part in the file, its checksum included.
int64_t frame_part_bytes(const world_field *field, int fields);

/* ---- reading: frames_read.c ------------------------------------------------------------------------------------------------ */

/// Where a frame stands in the file.
typedef struct frame_entry {
    int64_t at, new_bytes, moving_bytes; /* of the head; of the two parts behind it */
    double time, h;
    int64_t step;
    int32_t contact_count, count[FRAME_COUNTS];
} frame_entry;

typedef struct frames_file {
    scree_allocator allocator;
    char path[FILE_PATH_MAX];
    int fd; /* -1: there is no file */
    int64_t size;
    frame_entry *entry; /* (frame_count) */
    double *time;       /* (frame_count) */
    int frame_count, frame_capacity;
    frame_arrays all;               /* what does not move, of all frames; count: of the last */
    int32_t capacity[FRAME_COUNTS]; /* of those arrays                                        */
    scree_geometry **geometry;      /* (geometries) made of what was read                     */
    int geometry_made;              /* of them                                                */
    int32_t *group_at;              /* (groups) where its name starts                         */
    int32_t *group_second;          /* (groups) its second body; INT32_MAX: it has one        */
    int32_t *material_at;           /* (materials)                                            */
} frames_file;

/// Reads heads and what does not move. No file: no frames, and that is no error. After a failure frames_close gives back all.
scree_status frames_open(frames_file *f, const char *path, const scree_allocator *allocator, scree_error *error);
void frames_close(frames_file *f);
scree_status frames_read(const frames_file *f, int index, scree_frame **frame, scree_error *error);

/// Name of a body as it was at a frame with `bodies` bodies.
char *frames_body_name(const frames_file *f, int body, int bodies, char *buffer, size_t size);

/// The counts of the last frame of a file, for a writer that goes on.
scree_status frames_last_counts(const char *path, const scree_allocator *allocator, int32_t count[FRAME_COUNTS],
                                scree_error *error);

#endif
