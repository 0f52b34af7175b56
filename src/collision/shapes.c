/* shapes.c: what a shape is by itself: its name, bounds, volume and moments of inertia.
 *
 * The capsule is a cylinder of length 2h and two half balls: with m_c and m_b the masses of cylinder and balls,
 *     I_z = m_c r^2/2 + m_b 2r^2/5,     I_x = I_y = m_c (r^2/4 + h^2/3) + m_b (2r^2/5 + h^2 + 3hr/4)
 * (the centre of mass of a half ball is 3r/8 above its flat side). Cylinder and cone, of radius r and height H, per unit of mass:
 *     I_z = r^2/2, I_x = r^2/4 + H^2/12         I_z = 3r^2/10, I_x = 3r^2/20 + 3H^2/80 */
#include "collision/geometry_private.h"
#include "collision/support.h"
#include "math/elementary.h"
#include "math/scalar.h"

#define PI 3.14159265358979323846

static const char *const NAME[SCREE_SHAPE_KIND_COUNT] = {
    [SCREE_SHAPE_SPHERE] = "sphere",       [SCREE_SHAPE_PLANE] = "plane",     [SCREE_SHAPE_BOX] = "box",
    [SCREE_SHAPE_ELLIPSOID] = "ellipsoid", [SCREE_SHAPE_CAPSULE] = "capsule", [SCREE_SHAPE_CYLINDER] = "cylinder",
    [SCREE_SHAPE_CONE] = "cone",           [SCREE_SHAPE_HULL] = "hull",       [SCREE_SHAPE_MESH] = "mesh",
    [SCREE_SHAPE_TUBE] = "tube",           [SCREE_SHAPE_BOWL] = "bowl",
};

const char *scree_shape_kind_name(scree_shape_kind kind)
{
    return (unsigned)kind < SCREE_SHAPE_KIND_COUNT ? NAME[kind] : NULL;
}

static scree_shape make(scree_shape_kind kind, double s0, double s1, double s2, scree_material_id material)
{
    return (scree_shape){.kind = kind, .size = {s0, s1, s2}, .rotation = {1.0, 0.0, 0.0, 0.0}, .material = material};
}

scree_shape scree_shape_sphere(double radius, scree_material_id material)
{
    return make(SCREE_SHAPE_SPHERE, radius, 0.0, 0.0, material);
}

scree_shape scree_shape_plane(scree_material_id material)
{
    return make(SCREE_SHAPE_PLANE, 0.0, 0.0, 0.0, material);
}

scree_shape scree_shape_box(double half_x, double half_y, double half_z, scree_material_id material)
{
    return make(SCREE_SHAPE_BOX, half_x, half_y, half_z, material);
}

scree_shape scree_shape_ellipsoid(double a, double b, double c, scree_material_id material)
{
    return make(SCREE_SHAPE_ELLIPSOID, a, b, c, material);
}

scree_shape scree_shape_capsule(double radius, double half_length, scree_material_id material)
{
    return make(SCREE_SHAPE_CAPSULE, radius, half_length, 0.0, material);
}

scree_shape scree_shape_cylinder(double radius, double half_length, scree_material_id material)
{
    return make(SCREE_SHAPE_CYLINDER, radius, half_length, 0.0, material);
}

scree_shape scree_shape_cone(double radius, double height, scree_material_id material)
{
    return make(SCREE_SHAPE_CONE, radius, height, 0.0, material);
}

scree_shape scree_shape_tube(double radius_low, double radius_high, double half_length, scree_material_id material)
{
    return make(SCREE_SHAPE_TUBE, radius_low, radius_high, half_length, material);
}

scree_shape scree_shape_bowl(double radius, double depth, scree_material_id material)
{
    return make(SCREE_SHAPE_BOWL, radius, depth, 0.0, material);
}

scree_shape scree_shape_hull(scree_geometry *geometry, double scale, scree_material_id material)
{
    scree_shape shape = make(SCREE_SHAPE_HULL, scale, 0.0, 0.0, material);
    shape.geometry = geometry;
    return shape;
}

scree_shape scree_shape_mesh(scree_geometry *geometry, scree_material_id material)
{
    scree_shape shape = make(SCREE_SHAPE_MESH, 1.0, 0.0, 0.0, material);
    shape.geometry = geometry;
    return shape;
}

/// Half the width of the shape along world axis i: its support function there (these shapes are symmetric about their origin).
static double half_width(const posed_shape *s, int i)
{
    const double *row = s->R + 3 * i, *size = s->size;
    double sum = 0.0;
    switch (s->kind) {
    case SCREE_SHAPE_SPHERE: return size[0];
    case SCREE_SHAPE_BOX: return fabs(row[0]) * size[0] + fabs(row[1]) * size[1] + fabs(row[2]) * size[2];
    case SCREE_SHAPE_ELLIPSOID:
        for (int j = 0; j < 3; ++j) sum += row[j] * size[j] * (row[j] * size[j]);
        return sqrt(sum);
    case SCREE_SHAPE_CAPSULE: return fabs(row[2]) * size[1] + size[0];
    case SCREE_SHAPE_CYLINDER: return fabs(row[2]) * size[1] + size[0] * sqrt(row[0] * row[0] + row[1] * row[1]);
    case SCREE_SHAPE_TUBE:
        return fabs(row[2]) * size[2] + max2(size[0], size[1]) * sqrt(row[0] * row[0] + row[1] * row[1]);
    case SCREE_SHAPE_BOWL: return size[0];
    case SCREE_SHAPE_CONE:
    case SCREE_SHAPE_HULL:
    case SCREE_SHAPE_MESH:
    case SCREE_SHAPE_PLANE:
    case SCREE_SHAPE_KIND_COUNT: break;
    }
    return SCREE_INFINITY;
}

/// Of the corners of the box about the points.
static void mesh_bounds(const posed_shape *s, double low[3], double high[3])
{
    const tree_box *all = s->geometry->mesh.boxes.node; /* the root */
    for (int i = 0; i < 3; ++i) {
        low[i] = high[i] = s->x[i];
        for (int j = 0; j < 3; ++j) {
            double p = s->R[3 * i + j] * all->low[j], q = s->R[3 * i + j] * all->high[j];
            low[i] += min2(p, q), high[i] += max2(p, q);
        }
    }
}

void shape_bounds(const posed_shape *s, double low[3], double high[3])
{
    if (s->kind == SCREE_SHAPE_MESH) {
        mesh_bounds(s, low, high);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        if (s->kind == SCREE_SHAPE_CONE || s->kind == SCREE_SHAPE_HULL) {
            double up[3] = {i == 0, i == 1, i == 2}, down[3] = {-up[0], -up[1], -up[2]}, p[3];
            support_point(s, up, p);
            high[i] = s->x[i] + p[i];
            support_point(s, down, p);
            low[i] = s->x[i] + p[i];
            continue;
        }
        double w = half_width(s, i);
        low[i] = s->x[i] - w, high[i] = s->x[i] + w;
    }
}

double shape_radius(const scree_shape *s)
{
    return s->geometry ? s->size[0] * s->geometry->radius : shape_extent(s->kind, s->size);
}

double shape_extent(scree_shape_kind kind, const double size[3])
{
    switch (kind) {
    case SCREE_SHAPE_SPHERE: return size[0];
    case SCREE_SHAPE_BOX: return sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
    case SCREE_SHAPE_ELLIPSOID: return max2(size[0], max2(size[1], size[2]));
    case SCREE_SHAPE_CAPSULE: return size[0] + size[1];
    case SCREE_SHAPE_CYLINDER: return sqrt(size[0] * size[0] + size[1] * size[1]);
    case SCREE_SHAPE_CONE: return max2(0.75 * size[1], sqrt(size[0] * size[0] + 0.0625 * size[1] * size[1]));
    case SCREE_SHAPE_TUBE: return real_hypot(max2(size[0], size[1]), size[2]);
    case SCREE_SHAPE_BOWL: return size[0];
    case SCREE_SHAPE_HULL:
    case SCREE_SHAPE_MESH:
    case SCREE_SHAPE_PLANE:
    case SCREE_SHAPE_KIND_COUNT: break;
    }
    return SCREE_INFINITY;
}

double shape_volume(const scree_shape *s)
{
    const double *size = s->size;
    switch (s->kind) {
    case SCREE_SHAPE_SPHERE: return 4.0 / 3.0 * PI * size[0] * size[0] * size[0];
    case SCREE_SHAPE_BOX: return 8.0 * size[0] * size[1] * size[2];
    case SCREE_SHAPE_ELLIPSOID: return 4.0 / 3.0 * PI * size[0] * size[1] * size[2];
    case SCREE_SHAPE_CAPSULE: return PI * size[0] * size[0] * (2.0 * size[1] + 4.0 / 3.0 * size[0]);
    case SCREE_SHAPE_CYLINDER: return 2.0 * PI * size[0] * size[0] * size[1];
    case SCREE_SHAPE_CONE: return PI / 3.0 * size[0] * size[0] * size[1];
    case SCREE_SHAPE_HULL: return size[0] * size[0] * size[0] * s->geometry->hull.mass.volume;
    case SCREE_SHAPE_MESH:
    case SCREE_SHAPE_TUBE:
    case SCREE_SHAPE_BOWL:
    case SCREE_SHAPE_PLANE:
    case SCREE_SHAPE_KIND_COUNT: break;
    }
    return 0.0;
}

static void capsule_unit_inertia(double r, double h, double inertia[3])
{
    double cylinder = 2.0 * h, balls = 4.0 / 3.0 * r, whole = cylinder + balls; /* volumes over pi r^2 */
    double mc = cylinder / whole, mb = balls / whole;
    inertia[0] = inertia[1] = mc * (r * r / 4.0 + h * h / 3.0) + mb * (2.0 / 5.0 * r * r + h * h + 3.0 / 4.0 * h * r);
    inertia[2] = mc * r * r / 2.0 + mb * 2.0 / 5.0 * r * r;
}

void shape_unit_inertia(const scree_shape *s, double inertia[3])
{
    const double *size = s->size;
    double squares[3] = {size[0] * size[0], size[1] * size[1], size[2] * size[2]};
    double factor = 0.0;
    inertia[0] = inertia[1] = inertia[2] = 0.0;
    switch (s->kind) {
    case SCREE_SHAPE_SPHERE: inertia[0] = inertia[1] = inertia[2] = 2.0 / 5.0 * squares[0]; return;
    case SCREE_SHAPE_BOX: factor = 1.0 / 3.0; break;
    case SCREE_SHAPE_ELLIPSOID: factor = 1.0 / 5.0; break;
    case SCREE_SHAPE_CAPSULE: capsule_unit_inertia(size[0], size[1], inertia); return;
    case SCREE_SHAPE_CYLINDER:
        inertia[0] = inertia[1] = squares[0] / 4.0 + squares[1] / 3.0, inertia[2] = squares[0] / 2.0;
        return;
    case SCREE_SHAPE_CONE:
        inertia[0] = inertia[1] = 3.0 / 20.0 * squares[0] + 3.0 / 80.0 * squares[1],
        inertia[2] = 3.0 / 10.0 * squares[0];
        return;
    case SCREE_SHAPE_HULL:
        for (int i = 0; i < 3; ++i) inertia[i] = squares[0] * s->geometry->hull.mass.moments[i];
        return;
    case SCREE_SHAPE_MESH:
    case SCREE_SHAPE_TUBE:
    case SCREE_SHAPE_BOWL:
    case SCREE_SHAPE_PLANE:
    case SCREE_SHAPE_KIND_COUNT: return;
    }
    for (int i = 0; i < 3; ++i) inertia[i] = factor * (squares[(i + 1) % 3] + squares[(i + 2) % 3]);
}
