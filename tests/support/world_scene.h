/* world_scene.h: worlds of a few bodies for the tests of the world. Include it after cmocka.h. */
#ifndef SCREE_TESTS_WORLD_SCENE_H
#define SCREE_TESTS_WORLD_SCENE_H

#include "world/world_private.h"

#include <math.h>

#define PI 3.14159265358979323846

static inline scree_world *make_world(const scree_world_options *options, const scree_allocator *allocator)
{
    scree_world_options own = options ? *options : scree_world_options_default();
    scree_error error = {0};
    own.allocator = allocator;
    scree_world *world = scree_world_create(&own, &error);
    assert_int_equal(error.status, SCREE_OK);
    return world;
}

static inline int add_material(scree_world *world, const char *name, double density, double mu, double rolling)
{
    scree_material m = {
        .soft = scree_dem_default(), .name = name, .density = density, .friction = {.mu = mu, .rolling = {rolling, 1}}};
    int index = scree_material_index(scree_world_add_material(world, &m, NULL));
    assert_true(index >= 0);
    return index;
}

static inline int add(scree_world *world, const scree_body_def *def)
{
    scree_error error = {0};
    const int index = scree_body_index(scree_world_add_body(world, def, &error));
    if (error.status != SCREE_OK) print_message("%s\n", error.text);
    assert_int_equal(error.status, SCREE_OK);
    return index;
}

static inline int add_sphere(scree_world *world, double x, double y, double z, double radius, int material)
{
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_sphere(radius, scree_material_at(material));
    def.shapes = &shape, def.shape_count = 1, def.name = "grain";
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    return add(world, &def);
}

static inline int add_floor(scree_world *world, int material)
{
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_plane(scree_material_at(material));
    def.shapes = &shape, def.shape_count = 1, def.name = "floor", def.kind = SCREE_BODY_FIXED;
    return add(world, &def);
}

static inline void close_to(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) print_message("%.17g, expected %.17g\n", value, expected);
    assert_true(fabs(value - expected) <= tolerance);
}

#endif
