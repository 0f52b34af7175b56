/* walled_scene.h: soft spheres among walls of many shapes, fixed and driven, for the tests of whoever answers their contacts. */
#ifndef SCREE_TESTS_WALLED_SCENE_H
#define SCREE_TESTS_WALLED_SCENE_H

#include "bed_scenario.h"

enum { SIDE = 6 };

static inline int add_wall(scree_world *world, scree_body_kind kind, int shapes, const scree_shape *shape, double x,
                           double y, double z, const scree_motion *motion)
{
    scree_body_def def = scree_body_def_default();
    scree_error error = {0};
    int index;
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    def.kind = kind, def.shapes = shape, def.shape_count = shapes;
    if (motion) def.motion = *motion;
    index = scree_body_index(scree_world_add_body(world, &def, &error));
    expect_ok(error.status, &error);
    return index;
}

/// A square of triangles, `side` wide, in the plane z = 0, with `cells` squares along each side.
static inline scree_geometry *square_mesh(double side, int cells)
{
    int points = (cells + 1) * (cells + 1), n = 0;
    double *point = malloc(3 * (size_t)points * sizeof *point);
    int *triangle = malloc(6 * (size_t)(cells * cells) * sizeof *triangle);
    for (int k = 0; k < points; ++k) {
        int column = k % (cells + 1), row = k / (cells + 1);
        point[3 * k] = side * column / cells, point[3 * k + 1] = side * row / cells;
        point[3 * k + 2] = 0.0;
    }
    for (int k = 0; k < cells * cells; ++k) {
        int a = k / cells * (cells + 1) + k % cells,
            corner[6] = {a, a + 1, a + cells + 2, a, a + cells + 2, a + cells + 1};
        memcpy(triangle + n, corner, sizeof corner), n += 6;
    }
    scree_geometry *mesh;
    scree_error error = {0};
    mesh = scree_geometry_mesh(point, points, triangle, n / 3, SCREE_SIDES_FRONT, NULL, &error);
    expect_ok(error.status, &error);
    free(point), free(triangle);
    return mesh;
}

static inline void add_mesh(scree_world *world, double side, int cells, double x, double y, double z)
{
    scree_geometry *mesh = square_mesh(side, cells);
    scree_shape shape = scree_shape_mesh(mesh, scree_material_at(0));
    add_wall(world, SCREE_BODY_FIXED, 1, &shape, x, y, z, NULL);
    scree_geometry_release(mesh);
}

/// A block of spheres over triangles, between boxes of which one comes nearer and one turns, on a cylinder, a capsule and a
/// sphere of one body. Driven ones go evenly: of a speed that changes the bed sees the last step's, the stages the next one's.
static inline scree_world *walled_block(int model, const scree_allocator *allocator)
{
    scree_world *world = soft_block(model, SIDE, 0.21, 0, allocator);
    static const double time[1] = {0.0}, spin[3] = {0.0, 0.0, 2.0}, push[3] = {0.3, 0.0, 0.0};
    const scree_motion comes = {.velocity = {1, time, push}}, turns = {.spin = {1, time, spin}};
    scree_shape side = scree_shape_box(0.05, 1.0, 1.0, scree_material_at(0)), paddle[2], post[3];
    paddle[0] = scree_shape_box(0.3, 0.04, 0.15, scree_material_at(0)),
    paddle[1] = scree_shape_cone(0.1, 0.2, scree_material_at(0));
    paddle[1].position[2] = 0.1;
    post[0] = scree_shape_capsule(0.05, 0.3, scree_material_at(0)),
    post[1] = scree_shape_cylinder(0.06, 0.1, scree_material_at(0));
    post[2] = scree_shape_sphere(0.1, scree_material_at(0));
    post[1].position[0] = 0.5, post[2].position[1] = 0.45;
    add_mesh(world, 1.6, 5, -0.1, -0.1, 0.05);
    add_wall(world, SCREE_BODY_DRIVEN, 1, &side, 0.04, 0.7, 1.0, &comes);
    add_wall(world, SCREE_BODY_DRIVEN, 2, paddle, 0.735, 0.735, -0.02, &turns);
    add_wall(world, SCREE_BODY_FIXED, 3, post, 0.4, 0.3, -0.2, NULL);
    for (int b = 5; b < 5 + SIDE * SIDE * SIDE; ++b) { /* from above all this */
        double x[3];
        memcpy(x, scree_world_positions(world) + 3 * b, sizeof x);
        x[2] += 0.25;
        scree_world_set_state(world, scree_body_at(b), x, NULL, (const double[3]){0.0, 0.0, -2.5}, NULL);
    }
    return world;
}

static inline scree_world *tracked(const scree_allocator *allocator)
{
    return walled_block(SCREE_DEM_TRACKING, allocator);
}

static inline scree_world *sds(const scree_allocator *allocator)
{
    return walled_block(SCREE_DEM_SDS, allocator);
}

/// Spheres and walls come and leave.
static inline void come_and_leave(scree_world *world, int part)
{
    const int first = 5, posts = first + SIDE * SIDE * SIDE + 3;
    if (part == 5)
        scree_world_remove_body(world, scree_body_at(first)), scree_world_remove_body(world, scree_body_at(posts));
    if (part == 7) scene_sphere(world, 0.1, 1.0, 0.5, 0.5, 1.8);
}

/// Given another velocity between steps: springs grow by the way that was made.
static inline void nudge(scree_world *world, int part)
{
    if (part != 9) return;
    for (int b = 5; b < 10; ++b) {
        double v[3];
        memcpy(v, scree_world_velocities(world) + 3 * b, sizeof v);
        v[0] += 0.5;
        scree_world_set_state(world, scree_body_at(b), NULL, NULL, v, NULL);
    }
}

#endif
