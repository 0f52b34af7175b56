/* periodic_world.h: worlds that repeat themselves, for tests of periodic axes and of cells that deform. */
#ifndef SCREE_TESTS_PERIODIC_WORLD_H
#define SCREE_TESTS_PERIODIC_WORLD_H

#include "soft_scene.h"

static const double PERIOD = 1.2;

/// The world of periodic_world, sheared at three constant rates.
static inline scree_world *sheared_world(const int axis[3], const double low[3], const double shear[3], double g,
                                         int soft, const scree_allocator *allocator)
{
    static const double zero[1] = {0.0};
    scree_material m = soft_rubber(0.5, 0.4, 0.6, 2e5, 1e5);
    scree_world_options options = scree_world_options_default();
    scree_world *world;
    scree_error error = {0};
    m.friction.rolling = (scree_friction_length){0.02, 1}, m.friction.spinning = (scree_friction_length){0.01, 1};
    options.gravity[2] = -g, options.soft = soft;
    for (int k = 0; k < 3; ++k)
        options.periodic[k] = axis[k], options.low[k] = low[k], options.high[k] = low[k] + PERIOD;
    if (shear) options.shear_rate = (scree_table){1, zero, shear};
    options.allocator = allocator;
    world = scree_world_create(&options, &error);
    expect_ok(error.status, &error);
    scree_world_add_material(world, &m, &error);
    expect_ok(error.status, &error);
    return world;
}

static inline scree_world *periodic_world(const int axis[3], const double low[3], double g, int soft,
                                          const scree_allocator *allocator)
{
    return sheared_world(axis, low, NULL, g, soft, allocator);
}

enum { SIDE = 4, BODIES = SIDE * SIDE * SIDE };

/// Balls, boxes, capsules and ellipsoids, whose contacts are good to rounding, in a cell that repeats itself in all directions, all moved by `shift` as far as they can be seen.
static inline scree_world *sheared_gas(const double shift[3], const double shear[3], int soft,
                                       const scree_allocator *allocator)
{
    const int all[3] = {1, 1, 1};
    const double low[3] = {-0.3, 0.0, 0.2};
    scree_world *world = sheared_world(all, low, shear, 0.0, soft, allocator);
    rng random = rng_make(11, 0);
    const double scale = soft ? 1.0 : 0.75; /* rigid ones that fill a period overlap for ever */
    for (int k = 0; k < BODIES; ++k) {
        const scree_shape shapes[] = {
            scree_shape_sphere(0.154 * scale, scree_material_at(0)),
            scree_shape_box(0.1 * scale, 0.09 * scale, 0.12 * scale, scree_material_at(0)),
            scree_shape_capsule(0.098 * scale, 0.084 * scale, scree_material_at(0)),
            scree_shape_ellipsoid(0.168 * scale, 0.14 * scale, 0.112 * scale, scree_material_at(0))};
        const int at[3] = {k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)};
        double x[3], v[3], omega[3], q[4];
        for (int i = 0; i < 3; ++i) {
            x[i] = low[i] + (at[i] + 0.5) * PERIOD / SIDE + shift[i];
            x[i] -= PERIOD * floor((x[i] - low[i]) / PERIOD);
            v[i] = 2.0 * rng_uniform(&random) - 1.0, omega[i] = 4.0 * rng_uniform(&random) - 2.0;
        }
        for (int i = 0; i < 4; ++i) q[i] = rng_uniform(&random) - 0.5;
        quat_normalise(q);
        int body = soft_body(world, shapes[k % 4], 1.0, x, q);
        scene_move(world, body, v, omega);
    }
    return world;
}

#endif
