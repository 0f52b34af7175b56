/* surfaces.c: triangles of the shapes that are no spheres, for the eye: boxes, ellipsoids, capsules, and planes as a square that
 * is as wide as everything else. Spheres are points with a radius (vtp.c), which viewers draw as glyphs.
 *
 * Ellipsoid and capsule share one net, a pole, RINGS rings of SLICES points, a pole; they differ in where the rings lie. A capsule
 * has the ring at the equator twice, and the cylinder between the two. */
#include "output/vtp.h"

#include "math/quat.h"

#include <float.h>

enum { SLICES = 16, RINGS = 8, NET_POINTS = 2 + RINGS * SLICES, NET_TRIANGLES = 2 * RINGS * SLICES };

static const double PI = 3.14159265358979323846;

static int skip(const vtp_view *view, int item)
{
    int body;
    const scree_shape *shape = scree_world_shape(view->world, item, &body);
    return shape->kind == SCREE_SPHERE || scree_world_body_kind(view->world, body) == SCREE_REMOVED;
}

static int point_count(scree_shape_kind kind)
{
    return kind == SCREE_PLANE ? 4 : kind == SCREE_BOX ? 8 : NET_POINTS;
}

static int triangle_count(scree_shape_kind kind)
{
    return kind == SCREE_PLANE ? 2 : kind == SCREE_BOX ? 12 : NET_TRIANGLES;
}

/* ---- points -------------------------------------------------------------------------------------------------------------- */

/// Point k of the net: pole, rings from above, pole.
static void net_point(const scree_shape *shape, int k, double x[3])
{
    int capsule = shape->kind == SCREE_CAPSULE, ring = (k + SLICES - 1) / SLICES; /* 0 and RINGS + 1: poles */
    int slice = (k + SLICES - 1) % SLICES, upper = ring <= RINGS / 2;
    double polar = capsule ? PI / RINGS * (ring - !upper) : PI / (RINGS + 1) * ring;
    double around = 2.0 * PI / SLICES * slice;
    double unit[3] = {sin(polar) * cos(around), sin(polar) * sin(around), cos(polar)};
    if (ring == 0 || ring == RINGS + 1) unit[0] = unit[1] = 0.0, unit[2] = ring == 0 ? 1.0 : -1.0;
    for (int i = 0; i < 3; ++i) x[i] = shape->size[capsule ? 0 : i] * unit[i];
    if (capsule) x[2] += upper ? shape->size[1] : -shape->size[1];
}

static void local_point(const vtp_view *view, const scree_shape *shape, int k, double x[3])
{
    switch (shape->kind) {
    case SCREE_PLANE:
        x[0] = view->reach * (k & 1 ? 1.0 : -1.0), x[1] = view->reach * (k & 2 ? 1.0 : -1.0), x[2] = 0.0;
        return;
    case SCREE_BOX:
        for (int i = 0; i < 3; ++i) x[i] = shape->size[i] * (k >> i & 1 ? 1.0 : -1.0);
        return;
    case SCREE_SPHERE:
    case SCREE_ELLIPSOID:
    case SCREE_CAPSULE:
    case SCREE_SHAPE_KINDS: break;
    }
    net_point(shape, k, x);
}

static void put_points(out_file *f, vtp_view *view, int item)
{
    int body;
    double position[3], rotation[4], x[3], turned[3];
    const scree_shape *shape = output_shape(view->world, item, &body, position, rotation);
    if (shape->kind == SCREE_PLANE) { /* the square lies below the middle of the scene, not at the plane's origin */
        double normal[3], arm[3];
        quat_rotate(rotation, (const double[3]){0.0, 0.0, 1.0}, normal);
        vec_sub(view->centre, position, arm);
        vec_add_scaled(view->centre, -vec_dot(arm, normal), normal, position);
    }
    for (int k = 0; k < point_count(shape->kind); ++k) {
        local_point(view, shape, k, x);
        quat_rotate(rotation, x, turned);
        for (int i = 0; i < 3; ++i) file_f64(f, position[i] + turned[i]);
    }
}

/* ---- triangles: corners counter-clockwise as seen from outside --------------------------------------------------------------- */

static void net_triangle(int k, int corner[3])
{
    int ring = k / (2 * SLICES), slice = k % SLICES, second = k / SLICES % 2, next = (slice + 1) % SLICES;
    if (ring == RINGS - 1) { /* the two caps */
        int last = 1 + (RINGS - 1) * SLICES;
        corner[0] = second ? NET_POINTS - 1 : 0;
        corner[1] = second ? last + next : 1 + slice;
        corner[2] = second ? last + slice : 1 + next;
        return;
    }
    int above = 1 + ring * SLICES, below = above + SLICES;
    corner[0] = above + slice;
    corner[1] = second ? below + next : below + slice;
    corner[2] = second ? above + next : below + next;
}

static void triangle(scree_shape_kind kind, int k, int corner[3])
{
    static const int square[2][3] = {{0, 1, 3}, {0, 3, 2}};
    static const int box[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    if (kind != SCREE_PLANE && kind != SCREE_BOX) {
        net_triangle(k, corner);
        return;
    }
    for (int i = 0; i < 3; ++i) corner[i] = kind == SCREE_PLANE ? square[k][i] : box[k][i];
}

static void put_corners(out_file *f, vtp_view *view, int item)
{
    int body, corner[3];
    scree_shape_kind kind = scree_world_shape(view->world, item, &body)->kind;
    for (int k = 0; k < triangle_count(kind); ++k) {
        triangle(kind, k, corner);
        for (int i = 0; i < 3; ++i) file_i32(f, view->base + corner[i]);
    }
    view->base += point_count(kind);
}

static void put_offsets(out_file *f, vtp_view *view, int item)
{
    int body;
    scree_shape_kind kind = scree_world_shape(view->world, item, &body)->kind;
    for (int k = 0; k < triangle_count(kind); ++k) file_i32(f, view->base += 3);
}

static void put_body(out_file *f, vtp_view *view, int item)
{
    int body;
    scree_shape_kind kind = scree_world_shape(view->world, item, &body)->kind;
    for (int k = 0; k < triangle_count(kind); ++k) file_i32(f, body);
}

static void put_kind(out_file *f, vtp_view *view, int item)
{
    int body;
    scree_shape_kind kind = scree_world_shape(view->world, item, &body)->kind;
    for (int k = 0; k < triangle_count(kind); ++k) file_i32(f, (int32_t)kind);
}

const vtp_array surfaces_table[] = {
    {VTP_CELL_DATA, "body", 'i', 1, VTP_CELLS, put_body},
    {VTP_CELL_DATA, "shape_kind", 'i', 1, VTP_CELLS, put_kind},
    {VTP_COORDINATES, "points", 'd', 3, VTP_POINTS, put_points},
    {VTP_POLYS, "connectivity", 'i', 1, VTP_CORNERS, put_corners},
    {VTP_POLYS, "offsets", 'i', 1, VTP_CELLS, put_offsets},
};
const int surfaces_arrays = sizeof surfaces_table / sizeof *surfaces_table;

/* ---- the view ---------------------------------------------------------------------------------------------------------------- */

void surfaces_view(const scree_world *world, vtp_view *view)
{
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    int body;
    *view = (vtp_view){.world = world, .items = scree_world_shape_count(world), .skip = skip};
    for (int k = 0; k < view->items; ++k) {
        double x[3], q[4];
        const scree_shape *shape = output_shape(world, k, &body, x, q);
        if (scree_world_body_kind(world, body) == SCREE_REMOVED) continue;
        double r = output_shape_extent(shape);
        for (int i = 0; i < 3; ++i) low[i] = fmin(low[i], x[i] - r), high[i] = fmax(high[i], x[i] + r);
        if (shape->kind == SCREE_SPHERE) continue;
        view->count[VTP_POINTS] += point_count(shape->kind);
        view->count[VTP_CELLS] += triangle_count(shape->kind);
    }
    view->count[VTP_CORNERS] = 3 * view->count[VTP_CELLS];
    for (int i = 0; i < 3 && view->items > 0 && low[i] <= high[i]; ++i) {
        view->centre[i] = 0.5 * (low[i] + high[i]);
        view->reach = fmax(view->reach, 0.6 * (high[i] - low[i]));
    }
    if (view->reach == 0.0) view->reach = 1.0;
}
