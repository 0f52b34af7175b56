/* points.c: all points of a pair of shapes, each with its own normal; and which spheres come near a shape. */
#include "collision/hollow.h"
#include "math/vec.h"
#include "world/world_private.h"

#include <string.h>

/// The points of a pair of which one is a surface; normals from A to B, features of A in the upper half.
static int wall_points(const posed_shape *a, const posed_shape *b, double reach, contact_point *point)
{
    const int wall_is_a = shape_is_surface(a->kind);
    const posed_shape *wall = wall_is_a ? a : b, *shape = wall_is_a ? b : a;
    int count = wall->kind == SCREE_SHAPE_MESH ? surface_collide(wall, shape, reach, point)
                                               : hollow_collide(wall, shape, reach, point);
    if (wall_is_a) return count;
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) point[k].normal[i] = -point[k].normal[i];
        point[k].feature = point[k].feature << 32 | point[k].feature >> 32;
    }
    contact_points_sort(count, point);
    return count;
}

int shape_points(const posed_shape *a, const posed_shape *b, double reach, contact_point *point)
{
    manifold m = {.count = 0};
    if (shape_is_surface(a->kind) || shape_is_surface(b->kind)) return wall_points(a, b, reach, point);
    collide(a, b, reach, &m);
    for (int k = 0; k < m.count; ++k) {
        point[k].gap = m.point[k].gap, point[k].feature = m.point[k].feature;
        memcpy(point[k].position, m.point[k].position, sizeof point[k].position);
        memcpy(point[k].normal, m.normal, sizeof point[k].normal);
    }
    return m.count;
}

int world_balls_near(const scree_world *w, int wall, int count, const double *x, const double *radius, double reach,
                     int *out)
{
    posed_shape at, sphere = {.kind = SCREE_SHAPE_SPHERE, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    double low[3], high[3];
    int n = 0, periodic = world_is_periodic(w);
    contact_point point[SURFACE_POINTS];
    world_shape_pose(w, wall, &at);
    shape_bounds(&at, low, high);
    for (int k = 0; k < count; ++k) {
        const double *centre = x + 3 * k, R = radius[k] + reach;
        double image[3], r[3];
        if (periodic) {
            vec_sub(centre, at.x, r);
            nearest_image(&w->options, r);
            vec_add_scaled(at.x, 1.0, r, image);
            centre = image;
        }
        if (centre[2] < low[2] - R || centre[2] > high[2] + R || centre[0] < low[0] - R || centre[0] > high[0] + R ||
            centre[1] < low[1] - R || centre[1] > high[1] + R || !(radius[k] > 0.0))
            continue;
        memcpy(sphere.x, centre, sizeof sphere.x), sphere.size = radius + k;
        if (shape_points(&at, &sphere, reach, point) > 0) out[n++] = k;
    }
    return n;
}
