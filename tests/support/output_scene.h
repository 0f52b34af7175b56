/* output_scene.h: a world of all shapes, its stepper and its output in the test's folder. Include it after cmocka.h. */
#ifndef SCREE_TESTS_OUTPUT_SCENE_H
#define SCREE_TESTS_OUTPUT_SCENE_H

#include "math/quat.h"
#include "run/output_private.h"
#include "test_folder.h"
#include "world/world_private.h"

#include <string.h>
#include <sys/resource.h>

static inline void good(scree_status status, const scree_error *error)
{
    char text[1200];
    if (status != SCREE_OK) fail_msg("%s", scree_error_format(error, text, sizeof text));
}

static inline int add(scree_world *world, scree_body_kind kind, const char *name, const scree_shape *shape, int count,
                      double x, double y, double z)
{
    scree_error error = {0};
    scree_body_def def = scree_body_def_default();
    int index;
    def.kind = kind, def.name = name, def.shapes = shape, def.shape_count = count;
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    if (kind == SCREE_BODY_DYNAMIC) {
        def.velocity[0] = 0.1 * x + 0.01, def.velocity[1] = -0.05, def.velocity[2] = -0.1;
        def.spin[0] = 0.3, def.spin[1] = 1.0 / 3.0 + y, def.spin[2] = -2.0;
        double turn[3] = {0.3 * x, 0.2, 0.1 * y};
        quat_exp(turn, def.rotation);
    }
    index = scree_body_index(scree_world_add_body(world, &def, &error));
    good(error.status, &error);
    return index;
}

/// A floor, a wall whose name needs quotes, and one body of each shape with one of two spheres; one body is removed again.
static inline scree_world *make_world(void)
{
    scree_error error = {0};
    scree_world *world;
    scree_world_options options = scree_world_options_default();
    world = scree_world_create(&options, &error);
    good(error.status, &error);
    scree_material stone = {.soft = scree_dem_default(),
                            .name = "stone",
                            .density = 2500.0,
                            .friction = {.mu = 0.5, .rolling = {0.02, 1}, .spinning = {1e-3, 0}, .restitution = 0.1}};
    int m = scree_material_index(scree_world_add_material(world, &stone, &error));
    good(error.status, &error);
    scree_shape floor = scree_shape_plane(scree_material_at(m)), sphere = scree_shape_sphere(0.1, scree_material_at(m)),
                box = scree_shape_box(0.1, 0.15, 0.05, scree_material_at(m));
    scree_shape ellipsoid = scree_shape_ellipsoid(0.1, 0.08, 0.15, scree_material_at(m)),
                capsule = scree_shape_capsule(0.05, 0.1, scree_material_at(m));
    scree_shape pair[2] = {scree_shape_sphere(0.06, scree_material_at(m)),
                           scree_shape_sphere(0.08, scree_material_at(m))};
    pair[1].position[0] = 0.1, pair[1].position[2] = 0.03;
    add(world, SCREE_BODY_FIXED, "floor", &floor, 1, 0.0, 0.0, 0.0);
    add(world, SCREE_BODY_FIXED, "wall, \"left\"", &box, 1, -1.0, 0.0, 0.04);
    add(world, SCREE_BODY_DYNAMIC, "ball", &sphere, 1, 0.0, 0.0, 0.0999);
    int gone = add(world, SCREE_BODY_DYNAMIC, "ball", &sphere, 1, 3.0, 3.0, 3.0);
    add(world, SCREE_BODY_DYNAMIC, "box", &box, 1, 1.0, 0.0, 0.2);
    add(world, SCREE_BODY_DYNAMIC, "egg", &ellipsoid, 1, 2.0, 0.5, 0.2);
    add(world, SCREE_BODY_DYNAMIC, "pill", &capsule, 1, 3.0, 0.0, 0.2);
    add(world, SCREE_BODY_DYNAMIC, "pair", pair, 2, 4.0, 0.0, 0.1);
    scree_world_remove_body(world, scree_body_at(gone));
    return world;
}

static inline scree_stepper *make_stepper(void)
{
    scree_error error = {0};
    scree_stepper *stepper;
    scree_stepper_options options = scree_stepper_options_default();
    stepper = scree_stepper_create(&options, &error);
    good(error.status, &error);
    return stepper;
}

static inline void step(scree_stepper *stepper, scree_world *world, int count, scree_step_report *report)
{
    scree_error error = {0};
    for (int k = 0; k < count; ++k) good(scree_advance(stepper, world, 1, report, &error), &error);
}

static inline scree_output *make_output(int resume, const scree_allocator *allocator)
{
    scree_error error = {0};
    scree_output_options options = scree_output_options_default();
    options.directory = folder, options.resume = resume, options.allocator = allocator;
    options.formats |= SCREE_FORMAT_VTP | SCREE_FORMAT_DUMP | SCREE_FORMAT_CONTACTS;
    scree_output *output = scree_output_create(&options, &error);
    good(error.status, &error);
    return output;
}

/// Steps and writes frames 0 and 1 into the folder.
static inline void make_frames(scree_world *world, scree_step_report *report)
{
    scree_error error = {0};
    scree_stepper *stepper = make_stepper();
    empty_folder(folder);
    scree_output *output = make_output(0, NULL);
    good(scree_output_frame(output, world, NULL, scree_stepper_totals(stepper), &error), &error);
    step(stepper, world, 40, report);
    good(scree_output_frame(output, world, report, scree_stepper_totals(stepper), &error), &error);
    assert_int_equal(scree_output_frame_count(output), 2);
    assert_true(scree_world_contact_count(world) > 3);
    scree_output_destroy(output);
    scree_stepper_destroy(stepper);
}

static inline void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

#endif
