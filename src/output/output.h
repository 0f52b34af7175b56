/* output.h (private): the memory of an output, and the writers of one frame. One writer per file; each takes const values. */
#ifndef SCREE_OUTPUT_OUTPUT_H
#define SCREE_OUTPUT_OUTPUT_H

#include "output/file.h"

#include <scree/output.h>

/// The files that grow, in the order in which the checkpoint stores their sizes.
enum {
    OUT_SERIES,
    OUT_TIMING,
    OUT_DUMP,
    OUT_PVD_BODIES,
    OUT_PVD_CONTACTS,
    OUT_PVD_SURFACES,
    OUT_GROWING /* their number */
};

struct scree_output {
    scree_allocator allocator;
    scree_output_options options;
    char directory[FILE_PATH_MAX];
    char *buffer; /* (FILE_BUFFER) of whichever file is being written */
    out_file growing[OUT_GROWING];
    int64_t frames;
    int problem_count; /* stored contact problems of this process */
    int walls_known;   /* 1 after the first frame                 */
    int32_t *wall;     /* (wall_count) bodies with columns in the series */
    int wall_count;
};

/// What a frame is made of.
typedef struct frame {
    const scree_world *world;
    const scree_step_report *report; /* all zero before the first step */
    const scree_run_totals *totals;
} frame;

/// DIR/name; SCREE_ERR_FILE if that is too long.
scree_status output_path(const scree_output *o, const char *name, char path[FILE_PATH_MAX], scree_error *error);

/// Series and timing: the header before the first row.
scree_status series_write(scree_output *o, const frame *f, scree_error *error);
scree_status dump_write(scree_output *o, const frame *now, scree_error *error);
scree_status contacts_csv_write(scree_output *o, const frame *now, scree_error *error);
scree_status vtp_write(scree_output *o, const frame *f, scree_error *error);

/// The opening of a PVD file, and its tail.
extern const char pvd_head[], pvd_tail[];

/// Pose of a shape in the world; returns its body.
const scree_shape *output_shape(const scree_world *world, int index, int *body, double position[3], double rotation[4]);

/// Radius of the sphere about its centre that holds the shape; 0 for a plane, which nothing holds.
double output_shape_extent(const scree_shape *shape);

/// Force and moment on B in the world frame (impulse / h) of the six components of a load.
void output_contact_vectors(const scree_touch *touch, double h, double force[3], double moment[3]);

#endif
