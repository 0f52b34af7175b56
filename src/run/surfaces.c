/* surfaces.c: triangles of the shapes that are no spheres (net.c) as a VTP file; planes as a square that is as wide as everything
 * else. Spheres are points with a radius (vtp.c), which viewers draw as glyphs. */
#include "run/vtp.h"

#include "math/quat.h"
#include "math/scalar.h"

#include <float.h>

enum { NET_SLICES = 16 }; /* around an axis */

static int skip(const vtp_view *view, int item)
{
    return view->frame->shape[item].kind == SCREE_SHAPE_SPHERE || output_shape_gone(view->frame, item);
}

static int triangle_count(const vtp_view *view, int item)
{
    return scree_net_triangle_count(&view->frame->shape[item], NET_SLICES);
}

static void put_points(out_file *f, vtp_view *view, int item)
{
    double position[3], rotation[4], x[3], turned[3], scale = 1.0;
    const scree_shape *shape = &view->frame->shape[item];
    scree_frame_shape_pose(view->frame, item, position, rotation);
    if (shape->kind ==
        SCREE_SHAPE_PLANE) { /* the square lies below the middle of the scene, not at the plane's origin */
        double normal[3], arm[3];
        quat_rotate(rotation, (const double[3]){0.0, 0.0, 1.0}, normal);
        vec_sub(view->centre, position, arm);
        vec_add_scaled(view->centre, -vec_dot(arm, normal), normal, position);
        scale = view->reach;
    }
    for (int k = 0; k < scree_net_point_count(shape, NET_SLICES); ++k) {
        scree_net_point(shape, NET_SLICES, k, x);
        quat_rotate(rotation, x, turned);
        for (int i = 0; i < 3; ++i) file_f64(f, position[i] + scale * turned[i]);
    }
}

static void put_corners(out_file *f, vtp_view *view, int item)
{
    int corner[3];
    const scree_shape *shape = &view->frame->shape[item];
    for (int k = 0; k < triangle_count(view, item); ++k) {
        scree_net_triangle(shape, NET_SLICES, k, corner);
        for (int i = 0; i < 3; ++i) file_i32(f, view->base + corner[i]);
    }
    view->base += scree_net_point_count(shape, NET_SLICES);
}

static void put_offsets(out_file *f, vtp_view *view, int item)
{
    for (int k = 0; k < triangle_count(view, item); ++k) file_i32(f, view->base += 3);
}

static void put_body(out_file *f, vtp_view *view, int item)
{
    for (int k = 0; k < triangle_count(view, item); ++k) file_i32(f, view->frame->shape_body[item]);
}

static void put_kind(out_file *f, vtp_view *view, int item)
{
    for (int k = 0; k < triangle_count(view, item); ++k) file_i32(f, (int32_t)view->frame->shape[item].kind);
}

const vtp_array surfaces_table[] = {
    {VTP_CELL_DATA, "body", 'i', 1, VTP_CELLS, put_body},
    {VTP_CELL_DATA, "shape_kind", 'i', 1, VTP_CELLS, put_kind},
    {VTP_COORDINATES, "points", 'd', 3, VTP_POINTS, put_points},
    {VTP_POLYS, "connectivity", 'i', 1, VTP_CORNERS, put_corners},
    {VTP_POLYS, "offsets", 'i', 1, VTP_CELLS, put_offsets},
};
const int surfaces_arrays = sizeof surfaces_table / sizeof *surfaces_table;

void surfaces_view(const scree_frame *frame, vtp_view *view)
{
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    *view = (vtp_view){.frame = frame, .items = frame->shape_count, .skip = skip};
    for (int k = 0; k < view->items; ++k) {
        double x[3], q[4];
        const scree_shape *shape = &frame->shape[k];
        if (output_shape_gone(frame, k)) continue;
        scree_frame_shape_pose(frame, k, x, q);
        double r = scree_shape_extent(shape);
        for (int i = 0; i < 3; ++i) low[i] = number_min(low[i], x[i] - r), high[i] = number_max(high[i], x[i] + r);
        if (shape->kind == SCREE_SHAPE_SPHERE) continue;
        view->count[VTP_POINTS] += scree_net_point_count(shape, NET_SLICES);
        view->count[VTP_CELLS] += scree_net_triangle_count(shape, NET_SLICES);
    }
    view->count[VTP_CORNERS] = 3 * view->count[VTP_CELLS];
    for (int i = 0; i < 3 && view->items > 0 && low[i] <= high[i]; ++i) {
        view->centre[i] = 0.5 * (low[i] + high[i]);
        view->reach = number_max(view->reach, 0.6 * (high[i] - low[i]));
    }
    if (view->reach == 0.0) view->reach = 1.0;
}
