/* test_world.c: bodies, materials, motions, contacts and their history, judged by closed forms and by testing all pairs. */
#include "base/parallel.h"
#include "math/quat.h"
#include "math/rng.h"
#include "world/collide.h"
#include "world/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double PI = 3.14159265358979323846;

static scree_world *make_world(const scree_world_options *options, const scree_allocator *allocator)
{
    scree_world_options standard = scree_world_options_default();
    scree_world *world = NULL;
    scree_error error = {0};
    assert_int_equal(scree_world_create(options ? options : &standard, allocator, &world, &error), SCREE_OK);
    return world;
}

static int add_material(scree_world *world, const char *name, double density, double mu, double rolling)
{
    scree_material m = {.name = name, .density = density, .friction = {.mu = mu, .rolling = {rolling, 1}}};
    int index = -1;
    assert_int_equal(scree_world_add_material(world, &m, &index, NULL), SCREE_OK);
    return index;
}

static int add(scree_world *world, const scree_body_def *def)
{
    int index = -1;
    scree_error error = {0};
    scree_status status = scree_world_add_body(world, def, &index, &error);
    if (status != SCREE_OK) print_message("%s\n", error.text);
    assert_int_equal(status, SCREE_OK);
    return index;
}

static int add_sphere(scree_world *world, double x, double y, double z, double radius, int material)
{
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_sphere(radius, material);
    def.shape = &shape, def.shape_count = 1, def.name = "grain";
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    return add(world, &def);
}

static int add_floor(scree_world *world, int material)
{
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_plane(material);
    def.shape = &shape, def.shape_count = 1, def.name = "floor", def.kind = SCREE_FIXED;
    return add(world, &def);
}

static void close_to(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) print_message("%.17g, expected %.17g\n", value, expected);
    assert_true(fabs(value - expected) <= tolerance);
}

static void a_sphere_on_a_plane_touches_it(void **state)
{
    (void)state;
    scree_world *w = make_world(NULL, NULL);
    int stone = add_material(w, "stone", 2500.0, 0.5, 0.02);
    add_floor(w, stone);
    int ball = add_sphere(w, 1.0, 2.0, 0.1 - 1e-5, 0.1, stone);
    close_to(scree_world_mass(w, ball), 2500.0 * 4.0 / 3.0 * PI * 1e-3, 1e-12);
    close_to(scree_world_inertia(w, ball)[0], 0.4 * scree_world_mass(w, ball) * 0.01, 1e-15);
    assert_int_equal(scree_world_detect(w, 1e-3, NULL), SCREE_OK);
    assert_int_equal(scree_world_contact_count(w), 1);
    const scree_touch *c = scree_world_contacts(w);
    assert_int_equal(c->body_a, 0);
    assert_int_equal(c->body_b, ball);
    close_to(c->gap, -1e-5, 1e-16);
    close_to(c->normal[2], 1.0, 0.0);
    close_to(c->position[0], 1.0, 0.0);
    close_to(c->position[2], -0.5e-5, 1e-16);
    assert_int_equal(c->cone.size[SCREE_SLIDE], 2);
    assert_int_equal(c->cone.size[SCREE_ROLL], 2);
    assert_int_equal(c->cone.size[SCREE_SPIN], 0);
    close_to(c->cone.coef[SCREE_ROLL], 0.02 * 0.1, 1e-18);
    scree_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_on_a_plane_touches_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
