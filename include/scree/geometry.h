/* geometry.h: shapes that are made of points: convex hulls, triangle meshes, height fields.
 *
 * A geometry is made once and shared: shapes refer to it (scree_shape_hull, ... in scree/world.h), each world that has such a shape holds
 * it, and it is gone when its maker and all worlds have released it. It never changes.
 *
 * Thread safety: threads may read one geometry; the count of its holders is not protected, so make, add and release it in one thread at
 * a time. */
#ifndef SCREE_GEOMETRY_H
#define SCREE_GEOMETRY_H

#include <scree/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_geometry scree_geometry;

enum { SCREE_HULL_VERTICES_MAX = 256 };

/// The convex hull of `points` (count x 3) [m]; those inside it are left out. Input error: fewer than 4, all in a plane, a number that is
/// not finite, or more than SCREE_HULL_VERTICES_MAX vertices.
SCREE_API scree_geometry *scree_geometry_hull(const double *points, int count, const scree_allocator *allocator,
                                              scree_error *error);

/// From where bodies touch a surface. Its front is the side from which the corners of its triangles run counter-clockwise.
typedef enum scree_sides {
    SCREE_SIDES_AUTO = 0, /* both where the surface has borders, the front where it is closed          */
    SCREE_SIDES_FRONT,
    SCREE_SIDES_BACK,
    SCREE_SIDES_BOTH /* a sheet without thickness: a body is held on the side on which its middle is */
} scree_sides;

/// A surface of triangles: `points` (point_count x 3) [m], `triangles` (triangle_count x 3) numbers of points. Points of equal coordinates
/// are one. Input error: a triangle without area, an edge of more than two triangles or of two that look to different sides.
SCREE_API scree_geometry *scree_geometry_mesh(const double *points, int point_count, const int *triangles,
                                              int triangle_count, scree_sides sides, const scree_allocator *allocator,
                                              scree_error *error);

/// A ground of heights over a grid of square cells, each of two triangles; `heights` (rows x columns) [m] along y and x, the first at the
/// origin. A cell with a corner that is NaN is a hole.
SCREE_API scree_geometry *scree_geometry_heights(const double *heights, int columns, int rows, double cell,
                                                 const scree_allocator *allocator, scree_error *error);

/// Edges where a surface ends; 0: it is closed.
SCREE_API int scree_geometry_open_edges(const scree_geometry *geometry);

/// From where bodies touch a surface: never SCREE_SIDES_AUTO; SCREE_SIDES_FRONT for what is no mesh.
SCREE_API scree_sides scree_geometry_sides(const scree_geometry *geometry);

SCREE_API void scree_geometry_retain(scree_geometry *geometry);
SCREE_API void scree_geometry_release(scree_geometry *geometry); /* NULL is a no-op */

/// Volume [m^3], centre of mass [m], principal moments per unit of mass [m^2] and the rotation of the principal axes (w, x, y, z), in the
/// frame of the points. Input error: a surface that encloses nothing.
typedef struct scree_geometry_mass {
    double volume, centre[3], moments[3], axes[4];
} scree_geometry_mass;
SCREE_API scree_status scree_geometry_mass_properties(const scree_geometry *geometry, scree_geometry_mass *mass);

/// For drawing: vertices, and triangles counter-clockwise seen from outside. Those of a hull are in its principal frame, in which
/// scree_world_shape places it.
SCREE_API int scree_geometry_vertex_count(const scree_geometry *geometry);
SCREE_API void scree_geometry_vertex(const scree_geometry *geometry, int index, double vertex[3]);
SCREE_API int scree_geometry_triangle_count(const scree_geometry *geometry);
SCREE_API void scree_geometry_triangle(const scree_geometry *geometry, int index, int corner[3]);

/* ---- shapes ---------------------------------------------------------------------------------------------------------- */

/// A material of a world (scree/world.h explains ids): its index + 1, so that a zeroed id is null.
typedef struct scree_material_id {
    int32_t index1;
} scree_material_id;

/// Index into arrays; -1: null.
static inline int scree_material_index(scree_material_id id)
{
    return (int)id.index1 - 1;
}
static inline scree_material_id scree_material_at(int index)
{
    scree_material_id id = {(int32_t)(index < 0 ? 0 : index + 1)};
    return id;
}

typedef enum scree_shape_kind {
    SCREE_SHAPE_SPHERE = 0, /* size: radius                                                           */
    SCREE_SHAPE_PLANE,      /* half-space z <= 0 of its frame, normal +z; fixed and driven bodies only */
    SCREE_SHAPE_BOX,        /* size: half lengths along x, y, z                                       */
    SCREE_SHAPE_ELLIPSOID,  /* size: semi-axes along x, y, z                                          */
    SCREE_SHAPE_CAPSULE,    /* size: radius, half length of the segment along z                       */
    SCREE_SHAPE_CYLINDER,   /* size: radius, half length along z                                      */
    SCREE_SHAPE_CONE, /* size: radius of its base, height; tip towards +z, origin at its centre of mass, a quarter up */
    SCREE_SHAPE_HULL, /* size: by how much its geometry is scaled                               */
    SCREE_SHAPE_MESH, /* a surface of triangles, touched from its sides (scree_sides); fixed and driven bodies only */
    SCREE_SHAPE_TUBE, /* size: radius at its end towards -z, at that towards +z, half length; a thin wall, touched from inside; one
                         radius may be 0; fixed and driven bodies only                                              */
    SCREE_SHAPE_BOWL, /* size: radius of the sphere, depth along z up to two radii; origin at the sphere's centre, open towards +z;
                         a thin wall, touched from inside; fixed and driven bodies only                             */
    SCREE_SHAPE_KIND_COUNT
} scree_shape_kind;

typedef struct scree_shape {
    scree_shape_kind kind;
    double size[3];     /* [m]                                                 */
    double position[3]; /* in the frame of the body [m]                        */
    double rotation[4]; /* quaternion (w, x, y, z)                             */
    scree_material_id material;
    scree_geometry *geometry; /* of hulls and meshes; else NULL                   */
} scree_shape;

SCREE_API scree_shape scree_shape_sphere(double radius, scree_material_id material);
SCREE_API scree_shape scree_shape_plane(scree_material_id material);
SCREE_API scree_shape scree_shape_box(double half_x, double half_y, double half_z, scree_material_id material);
SCREE_API scree_shape scree_shape_ellipsoid(double a, double b, double c, scree_material_id material);
SCREE_API scree_shape scree_shape_capsule(double radius, double half_length, scree_material_id material);
SCREE_API scree_shape scree_shape_cylinder(double radius, double half_length, scree_material_id material);
SCREE_API scree_shape scree_shape_cone(double radius, double height, scree_material_id material);
/// `scale` times the hull. Position and rotation place the frame of its points; the world keeps it in its principal frame.
SCREE_API scree_shape scree_shape_hull(scree_geometry *geometry, double scale, scree_material_id material);
SCREE_API scree_shape scree_shape_mesh(scree_geometry *geometry, scree_material_id material);
/// Inside of a tube along z, or of a funnel: from `radius_low` at z = -half_length to `radius_high` at +half_length.
SCREE_API scree_shape scree_shape_tube(double radius_low, double radius_high, double half_length,
                                       scree_material_id material);
/// Inside of a sphere below a plane across z: `depth` is one radius for half a sphere, two for all of it.
SCREE_API scree_shape scree_shape_bowl(double radius, double depth, scree_material_id material);
SCREE_API const char *scree_shape_kind_name(scree_shape_kind kind); /* "sphere", ...; NULL beyond the last */

#ifdef __cplusplus
}
#endif
#endif
