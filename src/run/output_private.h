/* output_private.h: the memory of an output, and the writers of one frame. One writer per file; each takes const values. */
#ifndef SCREE_RUN_OUTPUT_PRIVATE_H
#define SCREE_RUN_OUTPUT_PRIVATE_H

#include "base/file.h"

#include <scree/result.h>

/// The files that grow in every run; those of the formats follow.
enum { OUT_SERIES, OUT_TIMING, OUT_FORMATS };

/// What only grows, and of which a record of frames.scree holds what is new.
enum {
    FRAME_BODIES,
    FRAME_SHAPES,
    FRAME_MATERIALS,
    FRAME_MATERIAL_BYTES, /* of their names */
    FRAME_GROUPS,
    FRAME_GROUP_BYTES, /* of their names */
    FRAME_GEOMETRIES,
    FRAME_POINTS, /* of them */
    FRAME_TRIANGLES,
    FRAME_JOINTS,
    FRAME_COUNTS
};

struct scree_output {
    scree_allocator allocator;
    scree_output_options options;
    char directory[FILE_PATH_MAX];
    scree_folder_claim *claim; /* NULL: the caller's */
    char *buffer;              /* (FILE_BUFFER) of whichever file is being written */
    int growing_count;
    out_file *growing; /* (growing_count) some are not open: there is no series when frames are converted */
    int format_at[SCREE_FORMAT_COUNT]; /* index of the first growing file of a format */
    int profile_at;                    /* of the first growing file of a measure      */
    int64_t frames;
    int problem_count; /* stored contact problems of this process */
    int walls_known;   /* 1 after the first frame                 */
    int32_t *wall;     /* (wall_count) bodies with columns in the series */
    int wall_count;
    int32_t framed[FRAME_COUNTS]; /* what frames.scree has so far */
};

/// What a frame is made of. A frame that was read back has no world, report and totals: only what the writers of frames need.
typedef struct frame_source {
    scree_frame state;
    char *(*body_name)(const struct frame_source *f, int body, char *buffer, size_t size);
    const void *owner; /* of the names */
    const scree_world *world;
    const scree_step_report *report; /* all zero before the first step */
    const scree_run_totals *totals;
} frame_source;

/// DIR/name; SCREE_ERR_WRITE if that is too long.
scree_status output_path(const scree_output *o, const char *name, char path[FILE_PATH_MAX], scree_error *error);

/// Makes DIR/KIND/KIND_000012.csv, the table of this frame.
scree_status output_table(scree_output *o, const char *kind, out_file *f, scree_error *error);

scree_status output_no_memory(const scree_output *o, scree_error *error);

/// scree_output_create; without `series` the files of frames only. NULL after a failure.
scree_output *output_open(const scree_output_options *options, int series, scree_error *error);

/// The files of the frame in all formats of the options.
scree_status output_write_frame(scree_output *o, const frame_source *f, scree_error *error);

/// The name of a growing file, without its folder.
const char *output_growing_name(const scree_output *o, int index);

/// Series and timing: the header before the first row.
scree_status series_write(scree_output *o, const frame_source *f, scree_error *error);

/// Whether the body of the shape was removed.
static inline int output_shape_gone(const scree_frame *f, int index)
{
    return f->kind[f->shape_body[index]] == SCREE_BODY_REMOVED;
}

/// Velocity at the centre of the shape, and angular velocity of its body, world frame.
void output_shape_motion(const scree_frame *f, int index, double velocity[3], double spin[3]);

#endif
