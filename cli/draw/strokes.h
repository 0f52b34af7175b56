/* strokes.h: joints as a few straight strokes, for `scree picture` and `scree report`.
 *
 *     ball       a dot                                  slider     the line of A, and a dot where B is on it
 *     hinge      its axis, and a dot                    distance   a thin line between two dots
 *     fixed      a small cross
 *
 * An end of a stroke is a point of a body, so strokes are made once and move with the bodies. */
#ifndef SCREE_CLI_DRAW_STROKES_H
#define SCREE_CLI_DRAW_STROKES_H

#include <scree/result.h>

typedef struct joint_stroke {
    int body[2];      /* which carries each end; -1: the ground                          */
    double end[2][3]; /* in the frames of these bodies, from their centres of mass [m]   */
    double radius;    /* [m]                                                             */
} joint_stroke;

enum { JOINT_STROKES_MAX = 3 }; /* of one joint */

/// The strokes of all joints of the frame that hold something; to be freed.
joint_stroke *joint_strokes(const scree_frame *frame, int *count);

/// The end of a stroke in the world.
void stroke_end(const scree_frame *frame, const joint_stroke *stroke, int which, double x[3]);

#endif
