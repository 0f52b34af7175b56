/* net.c: shapes as triangles, for the eye (scree/result.h).
 *
 * All that is round shares one net, a pole, slices / 2 rings of `slices` points, a pole; they differ in where the rings lie. A capsule
 * has the ring at the equator twice, and the cylinder between the two; cylinder and cone have them along their sides. Hollow walls are rings
 * without poles, from below, and look inward. */
#include "math/elementary.h"

#include <scree/result.h>

#include <math.h>

static const double PI = 3.14159265358979323846;

static int is_hollow(const scree_shape *shape)
{
    return shape->kind == SCREE_SHAPE_TUBE || shape->kind == SCREE_SHAPE_BOWL;
}

/// Rings of points of a hollow wall: two are a tube.
static int hollow_rings(const scree_shape *shape, int slices)
{
    return shape->kind == SCREE_SHAPE_TUBE ? 2 : slices / 2 + 1;
}

static void hollow_point(const scree_shape *shape, int slices, int k, double x[3])
{
    const int ring = k / slices, rings = hollow_rings(shape, slices);
    const double around = 2.0 * PI / slices * (k % slices), *s = shape->size;
    double radius = s[ring], z = ring ? s[2] : -s[2];
    if (shape->kind == SCREE_SHAPE_BOWL) { /* from the lowest point to the rim, in equal angles */
        const double rim = number_max(-1.0, number_min(1.0, 1.0 - s[1] / s[0])),
                     polar = real_acos(rim) * ring / (rings - 1);
        radius = s[0] * real_sin(polar), z = -s[0] * real_cos(polar);
    }
    x[0] = radius * real_cos(around), x[1] = radius * real_sin(around), x[2] = z;
}

int scree_net_point_count(const scree_shape *shape, int slices)
{
    if (shape->geometry) return scree_geometry_vertex_count(shape->geometry);
    if (is_hollow(shape)) return slices * hollow_rings(shape, slices);
    return shape->kind == SCREE_SHAPE_PLANE ? 4 : shape->kind == SCREE_SHAPE_BOX ? 8 : 2 + slices / 2 * slices;
}

int scree_net_triangle_count(const scree_shape *shape, int slices)
{
    if (shape->geometry) return scree_geometry_triangle_count(shape->geometry);
    if (is_hollow(shape)) return 2 * slices * (hollow_rings(shape, slices) - 1);
    return shape->kind == SCREE_SHAPE_PLANE ? 2 : shape->kind == SCREE_SHAPE_BOX ? 12 : slices * slices;
}

/// Point of a cylinder or cone: the pole is the middle of the flat end, or the tip.
static void straight_point(const scree_shape *shape, int rings, int ring, double around, double x[3])
{
    int cone = shape->kind == SCREE_SHAPE_CONE;
    double low = cone ? -0.25 * shape->size[1] : -shape->size[1], high = cone ? 0.75 * shape->size[1] : shape->size[1];
    double share = cone ? (double)ring / rings : (double)(ring - 1) / (rings - 1); /* of the way down */
    double radius = shape->size[0] * (cone ? share : 1.0);
    if (ring == 0 || ring == rings + 1) share = ring == 0 ? 0.0 : 1.0, radius = 0.0;
    x[0] = radius * real_cos(around), x[1] = radius * real_sin(around), x[2] = high + share * (low - high);
}

/// Point k of the round net: pole, rings from above, pole.
static void round_point(const scree_shape *shape, int slices, int k, double x[3])
{
    int capsule = shape->kind == SCREE_SHAPE_CAPSULE, rings = slices / 2;
    int ring = (k + slices - 1) / slices, slice = (k + slices - 1) % slices; /* ring 0 and rings + 1: poles */
    int upper = ring <= rings / 2;
    double polar = capsule ? PI / rings * (ring - !upper) : PI / (rings + 1) * ring;
    double around = 2.0 * PI / slices * slice;
    if (shape->kind == SCREE_SHAPE_CYLINDER || shape->kind == SCREE_SHAPE_CONE) {
        straight_point(shape, rings, ring, around, x);
        return;
    }
    double unit[3] = {real_sin(polar) * real_cos(around), real_sin(polar) * real_sin(around), real_cos(polar)};
    if (ring == 0 || ring == rings + 1) unit[0] = unit[1] = 0.0, unit[2] = ring == 0 ? 1.0 : -1.0;
    for (int i = 0; i < 3; ++i) x[i] = shape->size[shape->kind == SCREE_SHAPE_ELLIPSOID ? i : 0] * unit[i];
    if (capsule) x[2] += upper ? shape->size[1] : -shape->size[1];
}

void scree_net_point(const scree_shape *shape, int slices, int k, double x[3])
{
    switch (shape->kind) {
    case SCREE_SHAPE_PLANE: x[0] = k & 1 ? 1.0 : -1.0, x[1] = k & 2 ? 1.0 : -1.0, x[2] = 0.0; return;
    case SCREE_SHAPE_BOX:
        for (int i = 0; i < 3; ++i) x[i] = shape->size[i] * (k >> i & 1 ? 1.0 : -1.0);
        return;
    case SCREE_SHAPE_TUBE:
    case SCREE_SHAPE_BOWL: hollow_point(shape, slices, k, x); return;
    case SCREE_SHAPE_MESH:
    case SCREE_SHAPE_HULL:
        if (!shape->geometry) break;
        scree_geometry_vertex(shape->geometry, k, x);
        for (int i = 0; i < 3; ++i) x[i] *= shape->size[0];
        return;
    case SCREE_SHAPE_SPHERE:
    case SCREE_SHAPE_ELLIPSOID:
    case SCREE_SHAPE_CAPSULE:
    case SCREE_SHAPE_CYLINDER:
    case SCREE_SHAPE_CONE:
    case SCREE_SHAPE_KIND_COUNT: break;
    }
    round_point(shape, slices, k, x);
}

static void round_triangle(int slices, int k, int corner[3])
{
    int rings = slices / 2, ring = k / (2 * slices), slice = k % slices;
    int second = k / slices % 2, next = (slice + 1) % slices;
    if (ring == rings - 1) { /* the two caps */
        int last = 1 + (rings - 1) * slices;
        corner[0] = second ? 1 + rings * slices : 0;
        corner[1] = second ? last + next : 1 + slice;
        corner[2] = second ? last + slice : 1 + next;
        return;
    }
    int above = 1 + ring * slices, below = above + slices;
    corner[0] = above + slice;
    corner[1] = second ? below + next : below + slice;
    corner[2] = second ? above + next : below + next;
}

void scree_net_triangle(const scree_shape *shape, int slices, int k, int corner[3])
{
    static const int square[2][3] = {{0, 1, 3}, {0, 3, 2}};
    static const int box[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    if (shape->geometry) {
        scree_geometry_triangle(shape->geometry, k, corner);
        return;
    }
    if (is_hollow(shape)) { /* seen from inside counter-clockwise */
        const int quad = k / 2, below = quad / slices * slices + quad % slices,
                  beside = quad / slices * slices + (quad + 1) % slices;
        corner[0] = below, corner[1] = k % 2 ? below + slices : beside + slices;
        corner[2] = k % 2 ? beside + slices : beside;
        return;
    }
    if (shape->kind != SCREE_SHAPE_PLANE && shape->kind != SCREE_SHAPE_BOX) {
        round_triangle(slices, k, corner);
        return;
    }
    for (int i = 0; i < 3; ++i) corner[i] = shape->kind == SCREE_SHAPE_PLANE ? square[k][i] : box[k][i];
}

/// Of the side of a cylinder or cone; 0 on a flat end, which a point is taken for within a thousandth of the length.
static int straight_normal(const scree_shape *shape, const double x[3], double normal[3])
{
    int cone = shape->kind == SCREE_SHAPE_CONE;
    double length = shape->size[1], out = real_hypot(x[0], x[1]);
    if (cone ? x[2] < -0.249 * length : fabs(x[2]) > 0.999 * length) return 0;
    normal[0] = x[0], normal[1] = x[1], normal[2] = cone ? out * shape->size[0] / length : 0.0;
    return out > 0.0;
}

int scree_net_normal(const scree_shape *shape, const double x[3], double normal[3])
{
    const double *s = shape->size;
    if (shape->kind == SCREE_SHAPE_BOWL) {
        for (int i = 0; i < 3; ++i) normal[i] = -x[i];
        return 1;
    }
    if (shape->kind == SCREE_SHAPE_TUBE) {
        const double out = real_hypot(x[0], x[1]);
        normal[0] = -2.0 * s[2] * x[0], normal[1] = -2.0 * s[2] * x[1], normal[2] = out * (s[1] - s[0]);
        return out > 0.0;
    }
    if (shape->kind == SCREE_SHAPE_CYLINDER || shape->kind == SCREE_SHAPE_CONE)
        return straight_normal(shape, x, normal);
    if (shape->kind != SCREE_SHAPE_SPHERE && shape->kind != SCREE_SHAPE_ELLIPSOID && shape->kind != SCREE_SHAPE_CAPSULE)
        return 0;
    for (int i = 0; i < 3; ++i) normal[i] = shape->kind == SCREE_SHAPE_ELLIPSOID ? x[i] / (s[i] * s[i]) : x[i];
    if (shape->kind == SCREE_SHAPE_CAPSULE) normal[2] -= number_min(number_max(x[2], -s[1]), s[1]);
    return 1;
}
