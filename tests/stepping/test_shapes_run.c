/* test_shapes_run.c: stones, cylinders and cones fall into a bowl of triangles: the promises of the simulator hold for them. */
#include "failing_allocator.h"
#include "shared_loops.h"
#include "stepper_scene.h"

enum { SIDE = 12, GRAINS = 24 };

/// `rise` 0.5: a bowl with bumps; below 0 a smooth dome.
static scree_geometry *bowl(double rise, const scree_allocator *a)
{
    double z[SIDE * SIDE];
    scree_geometry *g = NULL;
    scree_error error = {0};
    for (int k = 0; k < SIDE * SIDE; ++k) {
        int row = k / SIDE;
        double x = 0.25 * (k % SIDE) - 1.375, y = 0.25 * row - 1.375;
        z[k] = rise * (x * x + y * y) + (rise > 0.0 ? 0.03 * sin(9.0 * x) * cos(7.0 * y) : 0.0);
    }
    g = scree_geometry_heights(z, SIDE, SIDE, 0.25, a, &error);
    expect_ok(error.status, &error);
    return g;
}

/// A hull of points on a ball, a cylinder, a cone, a box, in turn.
static void add_grain(scree_world *world, scree_geometry *stone, int k)
{
    scree_shape shape = k % 4 == 0   ? scree_shape_hull(stone, 0.12, scree_material_at(0))
                        : k % 4 == 1 ? scree_shape_cylinder(0.1, 0.08, scree_material_at(0))
                        : k % 4 == 2 ? scree_shape_cone(0.12, 0.2, scree_material_at(0))
                                     : scree_shape_box(0.1, 0.07, 0.05, scree_material_at(0));
    scree_body_def def = scree_body_def_default();
    scree_error error = {0};
    rng r = rng_make(80, (uint64_t)k);
    def.shapes = &shape, def.shape_count = 1;
    for (int i = 0; i < 4; ++i) def.rotation[i] = rng_uniform(&r) - 0.5;
    int layer = k / 12, row = k / 4 % 3;
    def.position[0] = 0.85 + 0.35 * (k % 4), def.position[1] = 0.95 + 0.35 * row, def.position[2] = 0.8 + 0.4 * layer;
    scree_world_add_body(world, &def, &error);
    expect_ok(error.status, &error);
}

static scree_world *build(const scree_allocator *a)
{
    scree_friction friction = {.mu = 0.6, .rolling = {0.02, 1}};
    scree_world *world = scene_world(9.81, 0.0, friction, SCREE_PLANAR_NONE, a);
    scree_body_def def = scree_body_def_default();
    scree_error error = {0};
    rng r = rng_make(81, 0);
    double p[60];
    for (int k = 0; k < 60; ++k) p[k] = 2.0 * rng_uniform(&r) - 1.0;
    scree_geometry *ground = bowl(0.5, a), *stone = NULL;
    stone = scree_geometry_hull(p, 20, a, &error);
    expect_ok(error.status, &error);
    scree_shape shape = scree_shape_mesh(ground, scree_material_at(0));
    def.kind = SCREE_BODY_FIXED, def.shapes = &shape, def.shape_count = 1;
    scree_world_add_body(world, &def, &error);
    expect_ok(error.status, &error);
    for (int k = 0; k < GRAINS; ++k) add_grain(world, stone, k);
    scree_geometry_release(ground), scree_geometry_release(stone);
    return world;
}

/// Runs; returns the hash. *made: allocations of the last `watched` steps.
static uint64_t run(int threads, int steps, int watched, int *made)
{
    failing f = {.left = -1};
    scree_allocator a = failing_allocator(&f);
    scree_world *world = build(&a);
    scree_stepper_options options = scree_stepper_options_default();
    options.threads = threads, options.solver.max_iterations = 100;
    expect_ok(scree_world_reserve(world, GRAINS + 1, 2000, NULL), NULL);
    scree_stepper *stepper = scene_stepper(&options, &a);
    share_loops(world, stepper);
    int before = 0, on_ground = 0, contacts = 0;
    for (int k = 0; k < steps; ++k) {
        if (k == steps - watched) before = f.made;
        contacts = scene_step(stepper, world).contacts;
    }
    *made = f.made - before;
    expect_shared_loops(stepper, threads);
    for (int k = 0; k < scree_world_contact_count(world); ++k) on_ground += scree_world_contacts(world)[k].body_a == 0;
    assert_true(on_ground > 10 && contacts > 60);
    for (int b = 1; b <= GRAINS; ++b)
        assert_true(scree_world_positions(world)[3 * b + 2] > -0.1); /* none fell through */
    uint64_t hash = scree_world_hash(world);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
    assert_int_equal(f.live, 0);
    return hash;
}

static void threads_change_no_bit_and_steps_allocate_nothing(void **state)
{
    (void)state;
    int made, steps = SCREE_SAMPLE_SHARE > 1
                          ? 220
                          : 300; /* at 150 the contacts, and with them the memory of a step, still grow */
    uint64_t one = run(1, steps, 20, &made);
    assert_int_equal(made, 0);
    for (int threads = 2; threads <= 3; ++threads) assert_true(run(threads, steps, 10, &made) == one);
}

/// The contacts of a world that has run are those of one that is put into the same poses: no history is in them.
static void contacts_depend_on_poses_only(void **state)
{
    (void)state;
    scree_world *world = build(NULL), *fresh = build(NULL);
    scree_stepper_options options = scree_stepper_options_default();
    scree_stepper *stepper = scene_stepper(&options, NULL);
    for (int k = 0; k < 120; ++k) scene_step(stepper, world);
    for (int b = 0; b <= GRAINS; ++b) { /* both, since a rotation that is set is made unit anew */
        double q[4];
        memcpy(q, scree_world_rotations(world) + 4 * b, sizeof q);
        scree_world_set_state(world, scree_body_at(b), NULL, q, NULL, NULL);
        scree_world_set_state(fresh, scree_body_at(b), scree_world_positions(world) + 3 * b, q,
                              scree_world_velocities(world) + 3 * b, scree_world_angular_velocities(world) + 3 * b);
    }
    assert_int_equal(scree_world_detect(world, 0.005, NULL, NULL), SCREE_OK);
    assert_int_equal(scree_world_detect(fresh, 0.005, NULL, NULL), SCREE_OK);
    int count = scree_world_contact_count(world);
    assert_int_equal(scree_world_contact_count(fresh), count);
    assert_true(count > 60);
    for (int k = 0; k < count; ++k) {
        const scree_contact_point *t = &scree_world_contacts(world)[k], *u = &scree_world_contacts(fresh)[k];
        assert_true(t->shape_a == u->shape_a && t->shape_b == u->shape_b && t->feature == u->feature &&
                    t->gap == u->gap);
        assert_memory_equal(t->position, u->position, sizeof t->position);
        assert_memory_equal(t->normal, u->normal, sizeof t->normal);
    }
    scree_stepper_destroy(stepper);
    scree_world_destroy(world), scree_world_destroy(fresh);
}

/// A ball that rolls down a dome comes over many edges, and its contact is one all the time: load, tangent and age go on. (In a hollow edge
/// it touches both sides at once: those are two.)
static void a_contact_is_handed_on_from_triangle_to_triangle(void **state)
{
    (void)state;
    scree_friction friction = {.mu = 0.6};
    scree_world *world = scene_world(9.81, 0.0, friction, SCREE_PLANAR_NONE, NULL);
    scree_geometry *ground = bowl(-0.1, NULL);
    scree_shape shape = scree_shape_mesh(ground, scree_material_at(0)),
                ball = scree_shape_sphere(0.2, scree_material_at(0));
    scree_body_def def = scree_body_def_default();
    scree_stepper_options options = scree_stepper_options_default();
    scree_error error = {0};
    def.kind = SCREE_BODY_FIXED, def.shapes = &shape, def.shape_count = 1;
    scree_world_add_body(world, &def, &error);
    expect_ok(error.status, &error);
    scree_geometry_release(ground);
    def.kind = SCREE_BODY_DYNAMIC, def.shapes = &ball;
    def.position[0] = 0.3, def.position[1] = 0.9, def.position[2] = 0.07, def.velocity[0] = 1.3, def.velocity[1] = 0.4;
    scree_world_add_body(world, &def, &error);
    expect_ok(error.status, &error);
    options.scheme = SCREE_SCHEME_ANITESCU_TASORA;
    scree_stepper *stepper = scene_stepper(&options, NULL);
    uint64_t feature = 0;
    int features = 0, age = 0;
    for (int k = 0; k < 300; ++k) {
        scene_step(stepper, world);
        for (int i = 0; i < scree_world_contact_count(world); ++i) {
            const scree_contact_point *t = &scree_world_contacts(world)[i];
            if (!(t->impulse[0] > 0.0)) continue;
            features += t->feature != feature, feature = t->feature;
            age = t->age > age ? t->age : age;
        }
    }
    print_message("%d changes of triangle, age %d steps\n", features, age);
    assert_true(features >= 5 && age > 250);
    scree_stepper_destroy(stepper);
    scree_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_bit_and_steps_allocate_nothing),
        cmocka_unit_test(contacts_depend_on_poses_only),
        cmocka_unit_test(a_contact_is_handed_on_from_triangle_to_triangle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
