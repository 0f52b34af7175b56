/* render.h: things in space as an image, by software alone.
 *
 * Spheres are cut by the ray of every sample exactly; other shapes come as triangles; planes are endless and fade out. Light comes from
 * directions: a dozen close together make the sun, with soft shadows, others the sky. Each has a map of how far its light gets
 * (render_light.c). The pixels do not depend on the number of threads. */
#ifndef SCREE_CLI_DRAW_RENDER_H
#define SCREE_CLI_DRAW_RENDER_H

#include "cli/draw/image.h"

#include <scree/world.h>

typedef enum render_kind { RENDER_SPHERE, RENDER_TRIANGLE, RENDER_PLANE } render_kind;

typedef struct render_item {
    render_kind kind;
    float albedo[3];   /* linear                                                       */
    double point[3];   /* centre; first corner; a point of the plane                   */
    double side[2][3]; /* the other corners of a triangle; directions of a plane's grid */
    double normal[3];  /* unit; of triangles and planes                                */
    double radius;
    const scree_shape *round; /* triangle: the shape whose true normals it has, where that is round; NULL: flat */
    const double *frame;      /* of that shape: position (3), rotation (4)                 */
    const double *stripe;     /* sphere: the axis about which it has a stripe; NULL: none  */
} render_item;

/// A line drawn over everything else.
typedef struct render_line {
    double from[3], to[3], width; /* [m] */
    colour colour;
} render_line;

typedef struct render_camera {
    double eye[3], axis[3][3]; /* axes: to the right, downwards, forwards */
    double half_width;         /* tangent of half the angle of view       */
} render_camera;

typedef struct render_scene {
    int item_count, line_count;
    const render_item *item;
    const render_line *line; /* the far ones first */
    double centre[3], reach; /* the sphere that holds what throws shadows */
    double up[3];            /* unit; the sky is there                    */
    double grid;             /* distance of the lines on planes [m]       */
    colour background;
} render_scene;

/// Looks from `eye` to `at`; `width_angle` is the whole angle of view [rad].
render_camera render_look(const double eye[3], const double at[3], const double up[3], double width_angle);

/// Where a point is on the image [pixels], and how far in front of the eye [m].
void render_project(const render_camera *camera, const image *im, const double x[3], double pixel[2], double *depth);

/// Fills the image. `samples` x `samples` rays for each pixel.
void render(const render_scene *scene, const render_camera *camera, int samples, scree_pool *pool, image *im);

/// sRGB to linear, one channel, and a colour.
double render_linear(unsigned char channel);
void render_albedo(colour c, float albedo[3]);

/* ---- render_light.c --------------------------------------------------------------------------------------------------------- */

typedef struct render_lights render_lights;
/// `pixel`: the size of a pixel in the middle of the scene [m]; finer maps would not be seen.
render_lights *render_lights_create(const render_scene *scene, const render_camera *camera, double pixel,
                                    scree_pool *pool);
void render_lights_free(render_lights *lights);

/// Light that arrives at a point with this normal: 1 is that of a level ground in the open. `open`: what it would be without shadows.
double render_light_at(const render_lights *lights, const double x[3], const double normal[3], double *open);
/// Direction to the middle of the sun.
const double *render_sun(const render_lights *lights);

#endif
