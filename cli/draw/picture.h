/* picture.h: what the parts of `scree picture` share: from the frame of a run to the things that are drawn. */
#ifndef SCREE_CLI_DRAW_PICTURE_H
#define SCREE_CLI_DRAW_PICTURE_H

#include "cli/draw/render.h"

#include <scree/result.h>
#include <scree/scene.h>

typedef enum picture_paint {
    PAINT_BODY,
    PAINT_SPEED,
    PAINT_SIZE,
    PAINT_CONTACTS,
    PAINT_MATERIAL,
    PAINTS
} picture_paint;

typedef struct picture_options {
    int width, height, samples;
    picture_paint paint;
    int forces, stripes, plain, no_joints;
    int glass_walls, glass_bodies; /* half seen through          */
    int cut;                       /* 1 + axis; 0: nothing is cut */
    int has_cut_at;
    double cut_at; /* what is beyond it along the axis is left out [m] */
    int has_view, has_from, has_at;
    double view[2]; /* azimuth, elevation [degrees] */
    double from[3], at[3], zoom;
} picture_options;

/// What stays the same over the frames of an animation.
typedef struct picture_stage {
    render_camera camera;
    double up[3], centre[3], reach, grid; /* as in render_scene                                          */
    double focus;                         /* distance from the eye to what it looks at [m]               */
    double range[2];                      /* values at the two ends of the colours                       */
    double force;                         /* the one that is drawn at full width [N]                     */
    scree_scene *scene;                   /* for the colours of bodies; NULL: none                       */
    const scree_result *result;           /* for their names                                             */
    double cut_at, cut_side;              /* [m]; 1: what is beyond it is left out, -1: what is before it */
} picture_stage;

/// Looks at `count` frames of the run (numbers in `frame`) and decides where to look from.
scree_status picture_set_stage(const picture_options *o, scree_result *result, const int *frame, int count,
                               picture_stage *stage, scree_error *error);

/// Frees what the stage holds.
void picture_free_stage(picture_stage *stage);

/// The frame as an image: things, scale bar, legend, time.
image picture_draw(const picture_options *o, const picture_stage *stage, const scree_frame *frame, scree_pool *pool);

/// The name of a paint, as the option has it; NULL beyond the last.
const char *picture_paint_name(int paint);
/// 1, 2 or 5 times a power of ten, at most x.
double picture_nice_below(double x);
/// What a shape is painted by; of the paints that are numbers.
double picture_value(picture_paint paint, const scree_frame *frame, int shape, const int *contacts);
/// Contacts with a load of every body; to be freed.
int *picture_contacts(const scree_frame *frame);

/* ---- animation.c -------------------------------------------------------------------------------------------------------------- */

typedef struct animation animation;

/// A GIF (written by us) or an MP4 (through ffmpeg), by the ending of the path; `delay` between frames [s]. `some` are images of it that
/// have all its colours between them; the first gives its size. NULL: it cannot be made, the error says why.
animation *animation_start(const char *path, double delay, const image *some, int images, scree_error *error);
void animation_add(animation *a, const image *im);
/// The file is there whole or not at all.
scree_status animation_end(animation *a, scree_error *error);

#endif
