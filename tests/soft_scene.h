/* soft_scene.h: small worlds of soft bodies for the tests of the scheme dem. */
#ifndef SCREE_TESTS_SOFT_SCENE_H
#define SCREE_TESTS_SOFT_SCENE_H

#include "stepper_scene.h"

/// One material, gravity tilted about y as in scene_world; Hooke with k, restitution e, K_E.
static inline scree_material soft_rubber(double mu_static, double mu, double e, double k, double K_E)
{
    scree_material m = {.name = "rubber", .density = 1000.0};
    m.friction = (scree_friction){.mu = mu, .mu_static = mu_static, .restitution = e};
    scree_dem_set(&m.dem, SCREE_DEM_STIFFNESS, k);
    scree_dem_set(&m.dem, SCREE_DEM_SLIDE_STIFFNESS, K_E);
    return m;
}

static inline scree_world *soft_world(const scree_material *material, double g, double slope,
                                      const scree_allocator *allocator)
{
    scree_world_options options = scree_world_options_default();
    scree_world *world;
    scree_error error;
    int index;
    options.gravity[0] = g * sin(slope), options.gravity[2] = -g * cos(slope), options.soft = 1;
    expect_ok(scree_world_create(&options, allocator, &world, &error), &error);
    expect_ok(scree_world_add_material(world, material, &index, &error), &error);
    return world;
}

static inline scree_stepper *soft_stepper(double h, int threads, const scree_allocator *allocator)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_DEM, options.step = h, options.threads = threads;
    return scene_stepper(&options, allocator);
}

static inline int soft_body(scree_world *world, scree_shape shape, double mass, const double at[3], const double q[4])
{
    scree_body_def def = scree_body_def_default();
    scree_error error;
    int index;
    memcpy(def.position, at, sizeof def.position);
    if (q) memcpy(def.rotation, q, sizeof def.rotation);
    def.shape = &shape, def.shape_count = 1, def.mass = mass;
    expect_ok(scree_world_add_body(world, &def, &index, &error), &error);
    return index;
}

static inline void soft_finish(scree_world *world, scree_stepper *stepper)
{
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

#endif
