/* result.h: a run's folder read back: scene, summary, series, frames. What output.h writes, this reads (docs/formats.md).
 *
 *     scree_result *result = scree_result_open("out/pile", NULL, &error);
 *     const double *kinetic = scree_result_column(result, scree_result_find_column(result, "kinetic[J]"));
 *     scree_frame *frame = scree_result_frame(result, scree_result_frame_count(result) - 1, &error);
 *     ... frame->position[3 * body], frame->contact[k].load ...
 *     scree_frame_free(frame);
 *     scree_result_close(result);
 *
 * A run that is still going, or was killed, can be read: an entry of which only a part is there does not count. A file that is
 * damaged in any other way is SCREE_ERR_INPUT, with the file and, of a text, the line. Opening reads the series and an index of the
 * frames; a frame is read, and its checksum verified, when it is requested.
 *
 * Thread safety: a result serves one thread at a time; different results are independent, and threads may share a frame. */
#ifndef SCREE_RESULT_H
#define SCREE_RESULT_H

#include <scree/output.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a frame: the state at one output time ----------------------------------------------------------------------------- */

/// Where a joint is, in the frames of its bodies (from their centres of mass); of the ground: in the world.
typedef struct scree_frame_joint {
    scree_joint_kind kind;
    int body_a, body_b;              /* -1: the ground                                  */
    double anchor_a[3], anchor_b[3]; /* its point on A and on B [m]                     */
    double axis[3];                  /* unit, in the frame of A; ball, hinge and slider */
    char name[64];                   /* "": none                                        */
} scree_frame_joint;

/// Arrays as in world.h: one entry per body that was there so far, removed ones included. Plain arrays: numpy can look at them.
typedef struct scree_frame {
    double time;  /* [s]                                                          */
    double h;     /* length of the last step [s]; 0: there was none               */
    int64_t step; /* steps so far                                                 */
    int body_count, shape_count, contact_count;
    const unsigned char *kind;          /* (body_count) scree_body_kind                                         */
    const double *position;             /* (body_count x 3) centres of mass [m]                                 */
    const double *rotation;             /* (body_count x 4) quaternions w, x, y, z                              */
    const double *velocity;             /* (body_count x 3) [m/s]                                               */
    const double *angular_velocity;     /* (body_count x 3) body frame [rad/s]                                  */
    const scree_shape *shape;           /* (shape_count) pose relative to centre and principal axes of its body */
    const int32_t *shape_body;          /* (shape_count) the body of each shape; ascending                      */
    const scree_contact_point *contact; /* (contact_count) of the last step; `load` / h is a force              */
    int joint_count;                    /* 0 in a frame of a world, which has its joints itself                 */
    const scree_frame_joint *joint;     /* (joint_count)                                                        */
} scree_frame;

/// The world as a frame, without copying: valid until the world changes. `h`: length of its last step.
SCREE_API scree_frame scree_frame_of_world(const scree_world *world, double h);

/// A joint of the world, as frames that are read back have them.
SCREE_API scree_frame_joint scree_frame_joint_of_world(const scree_world *world, int index);

/// Pose of shape `index` in the world frame.
SCREE_API void scree_frame_shape_pose(const scree_frame *frame, int index, double position[3], double rotation[4]);

/// Force [N] and moment [N m] at the contact point that act on body B, world frame; A receives the opposite.
SCREE_API void scree_frame_contact_force(const scree_frame *frame, int contact, double force[3], double moment[3]);

/* ---- shapes, to be drawn ---------------------------------------------------------------------------------------------------- */

/// The surface of a shape as triangles, in the frame of the shape; corners run counter-clockwise seen from outside. `slices` (a multiple of
/// 4) around an axis decide how fine round shapes are.
SCREE_API int scree_net_point_count(const scree_shape *shape, int slices);
SCREE_API int scree_net_triangle_count(const scree_shape *shape, int slices);
SCREE_API void scree_net_point(const scree_shape *shape, int slices, int k,
                               double x[3]); /* plane: the square from -1 to 1 */
SCREE_API void scree_net_triangle(const scree_shape *shape, int slices, int k, int corner[3]);
/// Normal of the true surface at a point of the net, not of unit length; 0: the surface is flat there, and its triangle has the normal.
SCREE_API int scree_net_normal(const scree_shape *shape, const double x[3], double normal[3]);

/// Radius of the sphere about its centre that holds the shape [m]; 0 for a plane, which nothing holds.
SCREE_API double scree_shape_extent(const scree_shape *shape);
/// The smallest half width of a shape that is no plane [m].
SCREE_API double scree_shape_min_half_width(const scree_shape *shape);

/* ---- the folder of a run -------------------------------------------------------------------------------------------------- */

typedef struct scree_result scree_result;

SCREE_API scree_result *scree_result_open(const char *directory, const scree_allocator *allocator, scree_error *error);
SCREE_API void scree_result_close(scree_result *result);

/// scene.yaml and summary.json as text; "" if absent (a run that has not ended has no summary).
SCREE_API const char *scree_result_scene(const scree_result *result);
SCREE_API const char *scree_result_summary(const scree_result *result);

/* ---- series.csv ------------------------------------------------------------------------------------------------------------- */

SCREE_API int scree_result_row_count(const scree_result *result);
SCREE_API int scree_result_column_count(const scree_result *result);
SCREE_API const char *scree_result_column_name(const scree_result *result, int column); /* "kinetic[J]" */
SCREE_API int scree_result_find_column(const scree_result *result, const char *name);   /* -1: none     */
/// (row_count) numbers; NaN where the field is a word (outcome, solver, hash).
SCREE_API const double *scree_result_column(const scree_result *result, int column);
/// The field as it is in the file, quotes taken off.
SCREE_API const char *scree_result_field(const scree_result *result, int row, int column);

/* ---- frames.scree ------------------------------------------------------------------------------------------------------------- */

SCREE_API int scree_result_frame_count(const scree_result *result);
SCREE_API const double *scree_result_frame_times(const scree_result *result); /* (frame_count) ascending [s] */
/// The frame whose time is nearest; -1: there is none.
SCREE_API int scree_result_nearest_frame(const scree_result *result, double time);

/// Bodies and shapes of the last frame, and so of all frames: an earlier frame has the first of them.
SCREE_API int scree_result_body_count(const scree_result *result);
SCREE_API int scree_result_shape_count(const scree_result *result);
SCREE_API const scree_shape *scree_result_shapes(const scree_result *result);
SCREE_API const int32_t *scree_result_shape_bodies(const scree_result *result);
/// "floor", or "grain[12]". Returns `buffer`.
SCREE_API char *scree_result_body_name(const scree_result *result, int body, char *buffer, size_t size);
SCREE_API int scree_result_joint_count(const scree_result *result);
SCREE_API const scree_frame_joint *scree_result_joints(const scree_result *result);
SCREE_API int scree_result_material_count(const scree_result *result);
SCREE_API const char *scree_result_material_name(const scree_result *result, int material);

/// Reads a frame (0 .. count - 1). The frame is the caller's, to be given back before the result is closed: its shapes are those
/// of the result. Several may be held at once.
SCREE_API scree_frame *scree_result_frame(scree_result *result, int index, scree_error *error);
SCREE_API void scree_frame_free(scree_frame *frame); /* NULL is a no-op */

/* ---- frames in other formats ------------------------------------------------------------------------------------------------- */

/// Writes frames first .. last into `directory`, with the bytes that the run itself would have written. `formats`: scree_format bits,
/// SCREE_FORMAT_FRAMES not among them.
SCREE_API scree_status scree_result_convert(scree_result *result, unsigned formats, const char *directory, int first,
                                            int last, scree_error *error);

#ifdef __cplusplus
}
#endif
#endif
