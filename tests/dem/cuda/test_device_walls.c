/* test_device_walls.c: walls of any shape on a device, by its kernels compiled for the processor: the same bits as by the general code there.
 * Motion, contacts and their histories, ledger, what driven bodies feel; through lists, pours, removals, loads, calls of any length. */
#include <math.h>

#include "walled_scene.h"

#include "dem/cuda/device_engine.h"
#include "dem/dem_spheres.h"

/// The twin; on a machine with a card its tests run with SCREE_TEST_DEVICE=gpu on that.
static scree_device device = SCREE_DEVICE_HOST_TWIN;

/// Kinds of walls that must be touched, as bits.
enum {
    ROUND = 1 << SCREE_SHAPE_SPHERE | 1 << SCREE_SHAPE_CAPSULE | 1 << SCREE_SHAPE_CYLINDER | 1 << SCREE_SHAPE_CONE,
    BOX = 1 << SCREE_SHAPE_BOX,
    MESH = 1 << SCREE_SHAPE_MESH,
    TUBE = 1 << SCREE_SHAPE_TUBE,
    BOWL = 1 << SCREE_SHAPE_BOWL
};

static scree_stepper *stepper_on(scree_device where, double h)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.scheme = SCREE_SCHEME_DEM, options.step = h, options.device = where;
    return scene_stepper(&options, NULL);
}

static bed *bed_of(const scree_world *world)
{
    return ((const dem_spheres *)world->holder.engine)->bed;
}

static void expect_same_contacts(const scree_world *a, const scree_world *b)
{
    const contact_set *of_a = &a->contacts, *of_b = &b->contacts;
    (void)world_sync(a, PART_ALL), (void)world_sync(b, PART_ALL);
    assert_int_equal(of_a->count, of_b->count);
    for (int k = 0; k < of_a->count; ++k) {
        const scree_contact_point *t = &of_a->touch[k], *u = &of_b->touch[k];
        assert_true(t->shape_a == u->shape_a && t->shape_b == u->shape_b && t->feature == u->feature);
        assert_true(t->body_a == u->body_a && t->body_b == u->body_b && t->age == u->age && t->mode == u->mode);
        assert_memory_equal(t->position, u->position, sizeof t->position);
        assert_memory_equal(t->normal, u->normal, sizeof t->normal);
        assert_memory_equal(t->tangent, u->tangent, sizeof t->tangent);
        assert_memory_equal(t->impulse, u->impulse, sizeof t->impulse);
        assert_memory_equal(t->velocity, u->velocity, sizeof t->velocity);
        assert_memory_equal(&of_a->memory[k].frame_a, &of_b->memory[k].frame_a, 27 * sizeof(double));
        assert_true(of_a->memory[k].live == of_b->memory[k].live);
        assert_memory_equal(of_a->memory[k].kinetic, of_b->memory[k].kinetic, sizeof of_a->memory[k].kinetic);
    }
}

/// How many contacts with walls there are now; the kinds of these as bits.
static int kinds_at_walls(const scree_world *world, unsigned *kinds)
{
    int walls = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        const scree_contact_point *t = &world->contacts.touch[k];
        if (!dem_spheres_at_wall(world, t)) continue;
        const int wall = dem_spheres_role(world, t->shape_a) == BED_WALL ? t->shape_a : t->shape_b;
        walls += 1, *kinds |= 1u << world->shape[wall].kind;
    }
    return walls;
}

/// A scenario on the processor and on the device, with walls of these kinds (bits) touched. Returns how many contacts with them there are at the
/// end.
static int expect_same(const scenario *s, double h, unsigned wanted)
{
    scree_world *world[2];
    scree_stepper *stepper[2];
    scree_step_report report[2];
    int walls = 0;
    unsigned kinds = 0;
    for (int k = 0; k < 2; ++k) {
        world[k] = s->make(NULL), stepper[k] = stepper_on(k ? device : SCREE_DEVICE_CPU, h);
        for (int part = 0; part < s->parts; ++part) {
            run_part(s, stepper[k], world[k], part, part == 3, &report[k]);
            if (k == 0) walls = kinds_at_walls(world[0], &kinds);
        }
        assert_non_null(world[k]->holder.engine);
    }
    const scree_run_totals *of_cpu = scree_stepper_totals(stepper[0]), *of_device = scree_stepper_totals(stepper[1]);
    assert_memory_equal(&of_cpu->energy, &of_device->energy, sizeof of_cpu->energy);
    assert_true(of_cpu->penetration_max == of_device->penetration_max);
    assert_int_equal(report[0].contacts, report[1].contacts);
    assert_memory_equal(report[0].modes, report[1].modes, sizeof report[0].modes);
    expect_same_contacts(world[0], world[1]);
    assert_memory_equal(world[0]->x, world[1]->x, (size_t)world[0]->body_count * sizeof(vec3));
    assert_memory_equal(world[0]->v, world[1]->v, (size_t)world[0]->body_count * sizeof(vec3));
    assert_memory_equal(world[0]->omega, world[1]->omega, (size_t)world[0]->body_count * sizeof(vec3));
    assert_memory_equal(&world[0]->soft, &world[1]->soft, sizeof world[0]->soft);
    assert_true(scree_world_hash(world[0]) == scree_world_hash(world[1]));
    const device_counts counts = device_engine_counts(bed_of(world[1]));
    assert_true(counts.rebuilds >= 4);
    print_message("%d contacts with walls, of the kinds %x\n", walls, kinds);
    assert_int_equal(kinds & wanted, wanted);
    for (int k = 0; k < 2; ++k) soft_finish(world[k], stepper[k]);
    return walls;
}

/// Triangles, boxes, a cone, a cylinder, a capsule and a sphere; bodies that come, turn, leave, and that are moved by hand.
static void walls_have_the_same_bits(void **state)
{
    (void)state;
    const scenario s[4] = {
        {tracked, NULL, 11, 100}, {sds, NULL, 11, 100}, {tracked, come_and_leave, 10, 100}, {tracked, nudge, 11, 100}};
    for (int k = 0; k < 4; ++k) assert_true(expect_same(&s[k], 1e-4, BOX | MESH) > 20);
}

/* ---- hollow walls, a drum of triangles, loads ------------------------------------------------------------------------------------- */

/// The inner side of a drum about y, of flat sides.
static scree_geometry *drum_mesh(double radius, double half, int sides)
{
    double point[6 * 64];
    int triangle[6 * 64];
    scree_error error = {0};
    for (int k = 0; k < 2 * sides; ++k) {
        const int side = k / 2;
        const double angle = 6.283185307179586 * side / sides;
        point[3 * k] = radius * cos(angle), point[3 * k + 1] = k % 2 ? half : -half,
                  point[3 * k + 2] = radius * sin(angle);
    }
    for (int k = 0; k < sides; ++k) {
        const int a = 2 * k, b = 2 * ((k + 1) % sides), corner[6] = {a, b, a + 1, b, b + 1, a + 1};
        memcpy(triangle + 6 * k, corner, sizeof corner);
    }
    scree_geometry *mesh = scree_geometry_mesh(point, 2 * sides, triangle, 2 * sides, SCREE_SIDES_BOTH, NULL, &error);
    expect_ok(error.status, &error);
    return mesh;
}

/// Grains of sizes 1 to 2 in a drum that turns, in a bowl, in a funnel and on round rods that swing; some under a load that changes; by Hertz and Mindlin; the
/// world repeats itself along y.
static scree_world *drum(const scree_allocator *allocator)
{
    static const double time[2] = {0.0, 0.03}, spin[6] = {0.0, 4.0, 0.0, 0.0, 6.0, 0.0},
                        force[6] = {0, 0, 0, 1.5, 0.5, -2.0};
    scree_world_options options = scree_world_options_default();
    scree_material m = soft_rubber(0.6, 0.5, 0.4, SCREE_NOT_GIVEN, SCREE_NOT_GIVEN);
    scree_error error = {0};
    m.soft.young = 2e6, m.soft.poisson = 0.3, m.soft.spin = SCREE_DEM_SPIN_HERTZ;
    m.friction.rolling = (scree_friction_length){0.03, SCREE_LENGTH_RATIO};
    m.friction.stiffness = 0.0;
    options.soft = 1, options.allocator = allocator, options.gravity[2] = -60.0;
    options.periodic[1] = 1, options.low[1] = -0.6, options.high[1] = 0.6;
    scree_world *world = scree_world_create(&options, &error);
    scree_world_add_material(world, &m, &error);
    expect_ok(error.status, &error);
    scree_geometry *mesh = drum_mesh(0.5, 0.25, 24);
    const scree_motion turns = {.spin = {2, time, spin}}, swings = {.amplitude = {0.01, 0.0, 0.02}, .frequency = 12.0};
    scree_shape inside[2] = {scree_shape_mesh(mesh, scree_material_at(0)),
                             scree_shape_cylinder(0.06, 0.25, scree_material_at(0))};
    const double about_x[4] = {0.70710678118654752, 0.70710678118654752, 0.0, 0.0};
    memcpy(inside[1].rotation, about_x, sizeof about_x);
    add_wall(world, SCREE_BODY_DRIVEN, 2, inside, 0.0, 0.0, 0.0, &turns);
    scree_geometry_release(mesh);
    scree_shape end = scree_shape_box(0.6, 0.02, 0.6, scree_material_at(0));
    for (int k = 0; k < 2; ++k) add_wall(world, SCREE_BODY_FIXED, 1, &end, 0.0, k ? 0.27 : -0.27, 0.0, NULL);
    scree_shape bowl = scree_shape_bowl(0.3, 0.2, scree_material_at(0)),
                funnel = scree_shape_tube(0.08, 0.3, 0.15, scree_material_at(0));
    add_wall(world, SCREE_BODY_FIXED, 1, &bowl, 2.0, 0.55, 0.0, NULL); /* over the border of the period */
    add_wall(world, SCREE_BODY_DRIVEN, 1, &funnel, 3.0, 0.0, 0.0, &swings);
    scree_shape rod[4] = {
        scree_shape_sphere(0.06, scree_material_at(0)), scree_shape_capsule(0.05, 0.2, scree_material_at(0)),
        scree_shape_cylinder(0.05, 0.2, scree_material_at(0)), scree_shape_cone(0.1, 0.2, scree_material_at(0))};
    for (int k = 0; k < 4; ++k) {
        rod[k].position[0] = 0.15 * (k - 1.5);
        if (k == 1 || k == 2) memcpy(rod[k].rotation, about_x, sizeof about_x);
    }
    add_wall(world, SCREE_BODY_DRIVEN, 4, rod, 4.0, 0.0, 0.0, &swings);
    rng random = rng_make(5, 0);
    for (int k = 0; k < 160; ++k) {
        scree_body_def def = scree_body_def_default();
        static const double middle[4][3] = {{0.0, 0.0, -0.36}, {2.0, 0.55, -0.16}, {3.0, 0.0, 0.0}, {4.0, 0.0, 0.12}};
        const double R = 0.02 * (1.0 + rng_uniform(&random)), wide = k % 4 == 0 ? 1.0 : k % 4 == 3 ? 1.4 : 0.6;
        const double *at = middle[k % 4];
        const int n = k / 4, row = n / 5 % 4, layer = n / 20;
        def.shape = scree_shape_sphere(R, scree_material_at(0));
        def.position[0] = at[0] + 0.09 * wide * (n % 5 - 2), def.position[1] = at[1] + 0.085 * wide * (row - 1.5);
        def.position[2] = at[2] + 0.09 * layer;
        def.velocity[2] = -2.0, def.spin[0] = 5.0;
        if (k % 20 == 0) def.force = (scree_table){2, time, force};
        scree_world_add_body(world, &def, &error);
        expect_ok(error.status, &error);
    }
    return world;
}

static void hollow_and_round_walls_have_the_same_bits(void **state)
{
    (void)state;
    const scenario s = {drum, NULL, 30, 10};
    assert_true(expect_same(&s, 2e-5, MESH | TUBE | BOWL | ROUND) > 20);
}

/// A sphere in a corner of many walls has more contacts than there is room for at first; a servo presses on it.
static scree_world *corner(const scree_allocator *allocator)
{
    scree_material m = soft_rubber(0.5, 0.4, 0.3, 2e5, 1e5);
    scree_world *world = soft_world(&m, 9.8, 0.0, allocator);
    const scree_motion motion = {.servo = {{0, 0, -1}, 200.0, 1e-3, 0.3}};
    scree_shape side = scree_shape_box(0.05, 0.5, 0.5, scree_material_at(0)),
                plate = scree_shape_box(0.5, 0.5, 0.05, scree_material_at(0));
    for (int k = 0; k < 7; ++k) {
        const double angle = 6.283185307179586 * k / 7.0;
        memcpy(side.rotation, (const double[4]){cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)}, sizeof side.rotation);
        add_wall(world, SCREE_BODY_FIXED, 1, &side, 0.1495 * cos(angle), 0.1495 * sin(angle), 0.0, NULL);
    }
    add_wall(world, SCREE_BODY_FIXED, 1, &plate, 0.0, 0.0, -0.149, NULL);
    add_wall(world, SCREE_BODY_DRIVEN, 1, &plate, 0.0, 0.0, 0.155, &motion);
    scene_sphere(world, 0.1, 4.0, 0.0, 0.0, 0.0);
    return world;
}

static void a_corner_of_many_walls(void **state)
{
    (void)state;
    const scenario s = {corner, NULL, 6, 2};
    scree_world *world[2];
    scree_stepper *stepper[2];
    for (int k = 0; k < 2; ++k) {
        scree_error error = {0};
        world[k] = s.make(NULL), stepper[k] = stepper_on(k ? device : SCREE_DEVICE_CPU, 1e-4);
        for (int part = 0; part < s.parts; ++part)
            expect_ok(scree_advance(stepper[k], world[k], 100, NULL, &error), &error);
    }
    assert_true(scree_world_hash(world[0]) == scree_world_hash(world[1]));
    expect_same_contacts(world[0], world[1]);
    assert_true(world[0]->contacts.count > 6);
    double force[3], moment[3];
    scree_world_contact_force(world[1], scree_body_at(8), force, moment);
    assert_true(force[2] > 100.0); /* the servo has come to press */
    for (int k = 0; k < 2; ++k) soft_finish(world[k], stepper[k]);
}

/// The step that is too long is refused with the same words: rates of walls count for the spheres beside them.
static void the_limit_counts_walls(void **state)
{
    (void)state;
    scree_error error[2] = {{.text = ""}, {.text = ""}};
    for (int k = 0; k < 2; ++k) {
        scree_world *world = tracked(NULL);
        scree_stepper *stepper = stepper_on(k ? device : SCREE_DEVICE_CPU, 1.1e-3);
        scree_status status = SCREE_OK;
        for (int part = 0; part < 40 && status == SCREE_OK; ++part)
            status = scree_advance(stepper, world, 64, NULL, &error[k]);
        assert_int_equal(status, SCREE_ERR_STEP);
        soft_finish(world, stepper);
    }
    print_message("%s\n", error[0].text);
    assert_string_equal(error[0].text, error[1].text);
}

/* ---- what is refused, and what fails ------------------------------------------------------------------------------------------------ */

static void a_hull_is_refused_by_name(void **state)
{
    (void)state;
    const double point[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    scree_error error = {.text = ""};
    scree_world *world = corner(NULL);
    scree_geometry *hull = scree_geometry_hull(point, 4, NULL, &error);
    scree_shape shape = scree_shape_hull(hull, 1.0, scree_material_at(0));
    add_wall(world, SCREE_BODY_FIXED, 1, &shape, 0.0, 0.0, -5.0, NULL);
    scree_geometry_release(hull);
    scree_stepper *stepper = stepper_on(device, 1e-4);
    assert_int_equal(scree_advance(stepper, world, 1, NULL, &error), SCREE_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "device: gpu does not take walls that are hulls or ellipsoids"));
    soft_finish(world, stepper);
}

/// Whichever call to the device fails in mid-run: an error that says so, from every call from then on, and no leak (sanitizers).
static void every_failing_call_is_an_error(void **state)
{
    (void)state;
    int failed = 0, goes_on = 1;
    for (int call = 1; goes_on; call += 1 + call / 3) {
        scree_world *world = corner(NULL);
        scree_stepper *stepper = stepper_on(device, 1e-4);
        scree_error error = {.text = ""}, again = {.text = ""};
        expect_ok(scree_advance(stepper, world, 10, NULL, &error), &error);
        device_engine_fail_at(bed_of(world), call);
        const scree_status status = scree_advance(stepper, world, 60, NULL, &error);
        goes_on = status != SCREE_OK;
        if (goes_on) {
            failed += 1;
            assert_int_equal(status, SCREE_ERR_DEVICE);
            assert_non_null(strstr(error.text, "the device failed"));
            assert_int_equal(scree_advance(stepper, world, 1, NULL, &again), SCREE_ERR_DEVICE);
        }
        soft_finish(world, stepper);
    }
    print_message("%d calls failed\n", failed);
    assert_true(failed > 10);
}

int main(void)
{
    const char *on = getenv("SCREE_TEST_DEVICE");
    if (on && strcmp(on, "gpu") == 0) device = SCREE_DEVICE_GPU;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_have_the_same_bits),  cmocka_unit_test(hollow_and_round_walls_have_the_same_bits),
        cmocka_unit_test(a_corner_of_many_walls),    cmocka_unit_test(the_limit_counts_walls),
        cmocka_unit_test(a_hull_is_refused_by_name), cmocka_unit_test(every_failing_call_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
