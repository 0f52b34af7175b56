/* soft_scene.h: small worlds of soft bodies for the tests of the scheme dem. */
#ifndef SCREE_TESTS_SOFT_SCENE_H
#define SCREE_TESTS_SOFT_SCENE_H

#include "stepper_scene.h"

/// One material, gravity tilted about y as in scene_world; Hooke with k, restitution e, K_E.
static inline scree_material soft_rubber(double mu_static, double mu, double e, double k, double K_E)
{
    scree_material m = {.soft = scree_dem_default(), .name = "rubber", .density = 1000.0};
    m.friction = (scree_friction){.mu = mu, .mu_static = mu_static, .restitution = e};
    m.soft.stiffness = k;
    m.soft.slide_stiffness = K_E;
    return m;
}

static inline scree_world *soft_world(const scree_material *material, double g, double slope,
                                      const scree_allocator *allocator)
{
    scree_world_options options = scree_world_options_default();
    scree_world *world;
    scree_error error = {0};
    options.gravity[0] = g * sin(slope), options.gravity[2] = -g * cos(slope), options.soft = 1;
    options.allocator = allocator;
    world = scree_world_create(&options, &error);
    expect_ok(error.status, &error);
    scree_world_add_material(world, material, &error);
    expect_ok(error.status, &error);
    return world;
}

static inline scree_stepper *soft_stepper(double h, int threads, const scree_allocator *allocator)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_DEM, options.step = h, options.threads = threads;
    return scene_stepper(&options, allocator);
}

/// With the fast engine, or without.
static inline scree_stepper *engine_stepper(int bed, int threads)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_DEM, options.step = 1e-4, options.threads = threads,
    options.engine = (bed) ? SCREE_ENGINE_AUTO : SCREE_ENGINE_GENERAL;
    return scene_stepper(&options, NULL);
}

enum { SCHEMES = 4 };

/// moreau_jean, anitescu_tasora, and soft contacts by the general stages and in the fast engine.
static inline scree_stepper *scheme_stepper(int method)
{
    static const int of[SCHEMES] = {SCREE_SCHEME_MOREAU_JEAN, SCREE_SCHEME_ANITESCU_TASORA, SCREE_SCHEME_DEM,
                                    SCREE_SCHEME_DEM};
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = of[method], options.step = method < 2 ? 1e-3 : 1e-4;
    options.engine = (method == 3) ? SCREE_ENGINE_AUTO : SCREE_ENGINE_GENERAL;
    return scene_stepper(&options, NULL);
}

/// A block of equal spheres that falls on a floor between walls.
static inline scree_world *soft_block(int model, int side, double pitch, int periodic, const scree_allocator *allocator)
{
    scree_material m = soft_rubber(0.5, 0.4, 0.5, 2e5, 1e5);
    scree_world_options options = scree_world_options_default();
    scree_world *world;
    scree_error error = {0};
    const double width = pitch * (periodic ? side : side + 1); /* periodic: neighbours over the seam too */
    m.friction.rolling = (scree_friction_length){0.02, 1}, m.friction.spinning = (scree_friction_length){0.01, 1};
    m.soft.model = model;
    m.soft.sds_stiffness = 5e4, m.soft.spin_stiffness = 50.0;
    m.soft.damping_share = 0.3;
    options.gravity[0] = 0.5, options.gravity[2] = -9.8, options.soft = 1;
    for (int k = 0; k < 2; ++k) options.periodic[k] = periodic, options.high[k] = width;
    options.allocator = allocator;
    world = scree_world_create(&options, &error);
    expect_ok(error.status, &error);
    scree_world_add_material(world, &m, &error);
    expect_ok(error.status, &error);
    scene_floor(world);
    if (!periodic)
        for (int k = 0; k < 4; ++k) {
            double at[3] = {0, 0, 0}, normal[3] = {0, 0, 0};
            at[k / 2] = k % 2 ? width : 0.0, normal[k / 2] = k % 2 ? -1.0 : 1.0;
            scene_plane(world, at, normal);
        }
    rng random = rng_make(7, 0);
    for (int k = 0; k < side * side * side; ++k) {
        double u[3];
        int layer = k / (side * side);
        for (int i = 0; i < 3; ++i) u[i] = 0.004 * (rng_uniform(&random) - 0.5);
        scene_sphere(world, 0.1, 1.0, pitch * (k % side + 1) + u[0], pitch * (k / side % side + 1) + u[1],
                     pitch * (layer + 0.5) + u[2]);
    }
    return world;
}

/// A soup: 200 fast spheres with big spins in a closed box.
static inline scree_world *soft_soup(const scree_material *material, double g)
{
    scree_world *world = soft_world(material, g, 0.0, NULL);
    const double R = 0.05, pitch = 0.12, width = 6 * pitch;
    for (int k = 0; k < 6; ++k) {
        double at[3] = {0, 0, 0}, normal[3] = {0, 0, 0};
        at[k / 2] = k % 2 ? width : 0.0, normal[k / 2] = k % 2 ? -1.0 : 1.0;
        scene_plane(world, at, normal);
    }
    rng random = rng_make(11, 0);
    for (int k = 0; k < 200; ++k) {
        double u[7];
        for (int i = 0; i < 7; ++i) u[i] = 2.0 * rng_uniform(&random) - 1.0;
        const int line = k / 6 % 6, layer = k / 36;
        int ball = scene_sphere(world, R * (1.0 + 0.1 * u[0]), 0.0, pitch * (k % 6 + 0.5), pitch * (line + 0.5),
                                pitch * (layer + 0.5));
        scene_move(world, ball, (const double[3]){2 * u[1], 2 * u[2], 2 * u[3]},
                   (const double[3]){100 * u[4], 100 * u[5], 100 * u[6]});
    }
    return world;
}

static inline int soft_body(scree_world *world, scree_shape shape, double mass, const double at[3], const double q[4])
{
    scree_body_def def = scree_body_def_default();
    scree_error error = {0};
    int index;
    memcpy(def.position, at, sizeof def.position);
    if (q) memcpy(def.rotation, q, sizeof def.rotation);
    def.shapes = &shape, def.shape_count = 1, def.mass = mass;
    index = scree_body_index(scree_world_add_body(world, &def, &error));
    expect_ok(error.status, &error);
    return index;
}

static inline void soft_finish(scree_world *world, scree_stepper *stepper)
{
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

#endif
