/* stepper_scene.h: small worlds for the tests of the steppers. */
#ifndef SCREE_TESTS_STEPPER_SCENE_H
#define SCREE_TESTS_STEPPER_SCENE_H

#include "math/quat.h"
#include "math/rng.h"

#include <scree/stepper.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static inline void expect_ok(scree_status status, const scree_error *error)
{
    if (status != SCREE_OK) print_error("%s: %s\n", scree_status_name(status), error->text);
    assert_int_equal(status, SCREE_OK);
}

/// A world with one material, number 0. Gravity g is tilted by `slope` [rad] about y: the plane z = 0 is then an incline down +x.
static inline scree_world *scene_world(double g, double slope, scree_friction friction, scree_planar planar,
                                       const scree_allocator *allocator)
{
    scree_world_options options = scree_world_options_default();
    scree_world *world;
    scree_error error = {0};
    scree_material material = {.soft = scree_dem_default(), .name = "stone", .density = 2500.0, .friction = friction};
    options.gravity[0] = g * sin(slope), options.gravity[2] = -g * cos(slope), options.planar = planar;
    options.allocator = allocator;
    world = scree_world_create(&options, &error);
    expect_ok(error.status, &error);
    scree_world_add_material(world, &material, &error);
    expect_ok(error.status, &error);
    return world;
}

/// A fixed half-space through `at` with the given normal.
static inline int scene_plane(scree_world *world, const double at[3], const double normal[3])
{
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_plane(scree_material_at(0));
    scree_error error = {0};
    int index;
    /* the shortest turn from z to the normal */
    double q[4] = {1.0 + normal[2], -normal[1], normal[0], 0.0};
    if (q[0] < 1e-9) q[0] = 0.0, q[1] = 1.0;
    quat_normalise(q);
    memcpy(def.position, at, sizeof def.position);
    memcpy(def.rotation, q, sizeof q);
    def.kind = SCREE_BODY_FIXED, def.shapes = &shape, def.shape_count = 1;
    index = scree_body_index(scree_world_add_body(world, &def, &error));
    expect_ok(error.status, &error);
    return index;
}

static inline int scene_floor(scree_world *world)
{
    return scene_plane(world, (const double[3]){0.0, 0.0, 0.0}, (const double[3]){0.0, 0.0, 1.0});
}

/// mass 0: from the density.
static inline int scene_sphere(scree_world *world, double radius, double mass, double x, double y, double z)
{
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_sphere(radius, scree_material_at(0));
    scree_error error = {0};
    int index;
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    def.shapes = &shape, def.shape_count = 1, def.mass = mass;
    index = scree_body_index(scree_world_add_body(world, &def, &error));
    expect_ok(error.status, &error);
    return index;
}

/// Sets velocity and angular velocity (world frame).
static inline void scene_move(scree_world *world, int body, const double v[3], const double omega[3])
{
    double omega_body[3];
    const double *q = scree_world_rotations(world) + 4 * body;
    quat_rotate_inverse(q, omega, omega_body);
    scree_world_set_state(world, scree_body_at(body), scree_world_positions(world) + 3 * body, q, v, omega_body);
}

/// An open box `width` wide with a lattice of `n` spheres in it, radii and positions a little random: it will fall and settle.
static inline void scene_pile(scree_world *world, int n, double radius, double spread, double width, uint64_t seed)
{
    double w = 0.5 * width, pitch = 2.0 * radius * (1.0 + spread) * 1.35;
    int across = (int)floor(width / pitch);
    const double at[5][3] = {{0, 0, 0}, {-w, 0, 0}, {w, 0, 0}, {0, -w, 0}, {0, w, 0}};
    const double normal[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    rng random = rng_make(seed, 0);
    for (int i = 0; i < 5; ++i) scene_plane(world, at[i], normal[i]);
    for (int i = 0; i < n; ++i) {
        double u[4];
        for (int k = 0; k < 4; ++k) u[k] = rng_uniform(&random) - 0.5;
        int layer = i / (across * across), line = i / across % across, column = i % across;
        double shift = 0.5 * (width - (across - 1) * pitch);
        scene_sphere(world, radius * (1.0 + 2.0 * spread * u[3]), 0.0,
                     -w + shift + pitch * column + 0.3 * radius * u[0], -w + shift + pitch * line + 0.3 * radius * u[1],
                     pitch * (0.6 + layer) + 0.3 * radius * u[2]);
    }
}

static inline scree_stepper *scene_stepper(const scree_stepper_options *options, const scree_allocator *allocator)
{
    scree_error error = {0};
    scree_stepper_options own = *options;
    if (allocator) own.allocator = allocator;
    scree_stepper *stepper = scree_stepper_create(&own, &error);
    expect_ok(error.status, &error);
    return stepper;
}

static inline scree_step_report scene_step(scree_stepper *stepper, scree_world *world)
{
    scree_step_report report;
    scree_error error = {0};
    expect_ok(scree_advance(stepper, world, 1, &report, &error), &error);
    return report;
}

/// What a ledger's closing error is judged by.
static inline double ledger_size(const scree_ledger *e)
{
    double size = fabs(e->kinetic) + fabs(e->potential);
#define SIZE(name, sign, text) size += fabs(e->name);
    SCREE_LEDGER_LINES(SIZE)
#undef SIZE
    return size;
}

/// Thirty grains above a floor, between walls.
static inline scree_world *scene_small_pile(const scree_allocator *allocator)
{
    scree_friction friction = {.mu = 0.5, .rolling = {0.1, 1}, .spinning = {0.1, 1}};
    scree_world *world = scene_world(9.81, 0.0, friction, SCREE_PLANAR_NONE, allocator);
    scene_pile(world, 30, 0.1, 0.1, 0.7, 3);
    return world;
}

#endif
