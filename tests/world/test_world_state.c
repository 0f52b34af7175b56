/* test_world_state.c: contacts and their history, islands, energy, and a state that is saved, restored or damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "math/quat.h"
#include "world_scene.h"

#include <stdio.h>
#include <string.h>

static void a_sphere_on_a_plane_touches_it(void **state)
{
    (void)state;
    scree_world *w = make_world(NULL, NULL);
    int stone = add_material(w, "stone", 2500.0, 0.5, 0.02);
    add_floor(w, stone);
    int ball = add_sphere(w, 1.0, 2.0, 0.1 - 1e-5, 0.1, stone);
    close_to(scree_world_mass(w, scree_body_at(ball)), 2500.0 * 4.0 / 3.0 * PI * 1e-3, 1e-12);
    close_to(scree_world_inertia(w, scree_body_at(ball))[0], 0.4 * scree_world_mass(w, scree_body_at(ball)) * 0.01,
             1e-15);
    assert_int_equal(scree_world_detect(w, 1e-3, NULL, NULL), SCREE_OK);
    assert_int_equal(scree_world_contact_count(w), 1);
    const scree_contact_point *c = scree_world_contacts(w);
    assert_int_equal(c->body_a, 0);
    assert_int_equal(c->body_b, ball);
    close_to(c->gap, -1e-5, 1e-16);
    close_to(c->normal[2], 1.0, 0.0);
    close_to(c->position[0], 1.0, 0.0);
    close_to(c->position[2], -0.5e-5, 1e-16);
    assert_int_equal(c->cone.size[SCREE_FRICTION_SLIDE], 2);
    assert_int_equal(c->cone.size[SCREE_FRICTION_ROLL], 2);
    assert_int_equal(c->cone.size[SCREE_FRICTION_SPIN], 0);
    close_to(c->cone.coef[SCREE_FRICTION_ROLL], 0.02 * 0.1, 1e-18);
    scree_world_destroy(w);
}

/* ---- contacts and their past ----------------------------------------------------------------------------------------------- */

static void contacts_keep_their_load_and_frame(void **state)
{
    (void)state;
    scree_world *w = make_world(NULL, NULL);
    int m = add_material(w, "m", 1000.0, 0.5, 0.1);
    add_floor(w, m);
    for (int i = 0; i < 6; ++i) add_sphere(w, 0.2 * i, 0.0, 0.1, 0.1, m);
    assert_int_equal(scree_world_detect(w, 1e-3, NULL, NULL), SCREE_OK);
    assert_int_equal(scree_world_contact_count(w), 11); /* six with the floor, five with each other */
    for (int i = 0; i < 11; ++i)
        for (int k = 0; k < 6; ++k) w->contacts.touch[i].impulse[k] = 100.0 * i + k;
    scree_contact_point before[11];
    memcpy(before, w->contacts.touch, sizeof before);
    scree_world_set_state(w, scree_body_at(3), (const double[3]){0.7, 0.0, 0.1 + 0.1 * sqrt(3.0)}, NULL, NULL,
                          NULL); /* on top of 4 and 5 */
    scree_world_set_state(w, scree_body_at(6), (const double[3]){1.0, 0.02, 0.1}, NULL, NULL,
                          NULL); /* turns about its neighbour a little */
    assert_int_equal(scree_world_detect(w, 2e-2, NULL, NULL), SCREE_OK);
    int kept = 0, fresh = 0;
    for (int i = 0; i < w->contacts.count; ++i) {
        const scree_contact_point *c = &w->contacts.touch[i], *old = NULL;
        assert_true(i == 0 || c[-1].shape_a < c->shape_a ||
                    (c[-1].shape_a == c->shape_a && c[-1].shape_b < c->shape_b));
        for (int j = 0; j < 11; ++j)
            if (before[j].shape_a == c->shape_a && before[j].shape_b == c->shape_b) old = &before[j];
        double t2[3];
        vec_cross(c->normal, c->tangent, t2);
        close_to(vec_dot(c->normal, c->tangent), 0.0, 1e-15);
        close_to(vec_norm(c->tangent), 1.0, 1e-15);
        close_to(c->impulse[4], old ? old->impulse[4] : 0.0, 0.0);
        assert_int_equal(c->age, old ? 1 : 0);
        if (old) {
            double cosine = vec_dot(c->normal, old->normal);
            assert_true(vec_dot(c->tangent, old->tangent) >= cosine - 1e-12); /* turned no more than the normal */
        }
        kept += old != NULL, fresh += old == NULL;
    }
    print_message("%d kept, %d new\n", kept, fresh);
    assert_true(kept == 9 && fresh == 1);
    scree_world_remove_body(w, scree_body_at(2));
    assert_int_equal(scree_world_detect(w, 1e-3, NULL, NULL), SCREE_OK);
    for (int i = 0; i < w->contacts.count; ++i)
        assert_true(w->contacts.touch[i].body_a != 2 && w->contacts.touch[i].body_b != 2);
    assert_int_equal(scree_world_body_kind(w, scree_body_at(2)), SCREE_BODY_REMOVED);
    scree_world_destroy(w);
}

static void reach_is_what_may_close_in_a_step(void **state)
{
    (void)state;
    scree_world_options options = scree_world_options_default();
    options.margin = 1e-3;
    for (int spinning = 0; spinning < 2; ++spinning)
        for (int side = 0; side < 2; ++side) {
            scree_world *w = make_world(&options, NULL);
            int m = add_material(w, "m", 1000.0, 0.5, 0.1);
            double h = 0.01, reach = 1e-3 + h * (2.0 + 1.0) + 9.81 * h * h,
                   gap = reach * (side ? 1.0 + 1e-9 : 1.0 - 1e-9);
            add_sphere(w, 0.0, 0.0, 0.0, 0.1, m);
            add_sphere(w, 0.3 + gap, 0.0, 0.0, 0.2, m);
            double spin[3] = {spinning ? 1000.0 : 0.0, 0.0, 0.0}; /* changes no gap of spheres */
            scree_world_set_state(w, scree_body_at(0), NULL, NULL, (const double[3]){0.0, 2.0, 0.0}, spin);
            scree_world_set_state(w, scree_body_at(1), NULL, NULL, (const double[3]){0.0, 0.0, -1.0}, spin);
            assert_int_equal(scree_world_detect(w, h, NULL, NULL), SCREE_OK);
            assert_int_equal(scree_world_contact_count(w), !side);
            scree_world_destroy(w);
        }
}

static void forces_are_loads_over_time(void **state)
{
    (void)state;
    scree_world *w = make_world(NULL, NULL);
    int m = add_material(w, "m", 1000.0, 0.5, 0.1);
    add_floor(w, m);
    add_sphere(w, 1.0, 2.0, 0.1, 0.1, m);
    assert_int_equal(scree_world_detect(w, 1e-3, NULL, NULL), SCREE_OK);
    scree_contact_point *c = &w->contacts.touch[0];
    const double load[6] = {3.0, 0.5, -0.25, 0.01, 0.02, 0.03};
    w->impulse_time = 0.01;
    memcpy(c->impulse, load, sizeof load);
    for (int k = 0; k < 2; ++k) c->roll_a[k] = -load[3 + k];
    double t2[3], f[3], moment[3], on_floor[3], floor_moment[3];
    vec_cross(c->normal, c->tangent, t2);
    scree_world_contact_force(w, scree_body_at(1), f, moment);
    scree_world_contact_force(w, scree_body_at(0), on_floor, floor_moment);
    close_to(vec_dot(f, c->normal), 300.0, 1e-12);
    close_to(vec_dot(f, c->tangent), 50.0, 1e-12);
    close_to(vec_dot(f, t2), -25.0, 1e-12);
    /* about the centre: r = -0.1 n, r x f = -0.1 (n x f) = -0.1 (50 t2 + 25 t1) */
    close_to(vec_dot(moment, c->tangent), 1.0 - 2.5, 1e-12);
    close_to(vec_dot(moment, t2), 2.0 - 5.0, 1e-12);
    close_to(vec_dot(moment, c->normal), 3.0, 1e-12);
    double arm[3] = {1.0, 2.0, 0.1}, turn[3]; /* force and moment on both together vanish, about the floor's position */
    vec_cross(arm, f, turn);
    for (int k = 0; k < 3; ++k) {
        close_to(on_floor[k], -f[k], 1e-12);
        close_to(floor_moment[k], -moment[k] - turn[k], 1e-10);
    }
    scree_world_destroy(w);
}

static void islands_are_what_contacts_connect(void **state)
{
    (void)state;
    scree_world *w = make_world(NULL, NULL);
    int m = add_material(w, "m", 1000.0, 0.5, 0.1), island[8];
    add_floor(w, m);
    static const double place[7] = {4.0, 0.0, 0.2, 4.2, 8.0, 0.4, 8.2}; /* three rows on the floor, mixed numbers */
    for (int i = 0; i < 7; ++i) add_sphere(w, place[i], 0.0, 0.1, 0.1, m);
    assert_int_equal(scree_world_detect(w, 1e-3, NULL, NULL), SCREE_OK);
    assert_int_equal(scree_world_islands(w, island), 3);
    static const int expected[8] = {-1, 0, 1, 1, 0, 2, 1, 2};
    for (int b = 0; b < 8; ++b) assert_int_equal(island[b], expected[b]);
    scree_world_destroy(w);
}

/* ---- state -------------------------------------------------------------------------------------------------------------------- */

static void a_bad_state_is_named(void **state)
{
    (void)state;
    scree_world_options options = scree_world_options_default();
    options.speed_limit = 100.0;
    scree_world *w = make_world(&options, NULL);
    int m = add_material(w, "m", 1000.0, 0.5, 0.1);
    add_floor(w, m);
    for (int i = 0; i < 3; ++i) add_sphere(w, i, 0.0, 1.0, 0.1, m);
    scree_error error = {0};
    assert_int_equal(scree_body_index(scree_world_check(w, &error)), -1);
    w->time = 1.25;
    scree_world_set_state(w, scree_body_at(2), NULL, NULL, (const double[3]){0.0, 101.0, 0.0}, NULL);
    assert_int_equal(scree_body_index(scree_world_check(w, &error)), 2);
    assert_int_equal(error.status, SCREE_ERR_RUNAWAY);
    assert_string_equal(error.text, "grain[1]: its speed of 101 m/s is above the limit of 100 m/s at t = 1.25 s");
    scree_world_set_state(w, scree_body_at(1), NULL, NULL, NULL, (const double[3]){0.0, (double)NAN, 0.0});
    error = (scree_error){0};
    assert_int_equal(scree_body_index(scree_world_check(w, &error)), 1);
    assert_non_null(strstr(error.text, "grain[0]: its angular velocity is not a finite number"));
    scree_world_remove_body(w, scree_body_at(1));
    scree_world_remove_body(w, scree_body_at(2));
    assert_int_equal(scree_body_index(scree_world_check(w, NULL)), -1);
    scree_world_destroy(w);
}

static void names_are_found(void **state)
{
    (void)state;
    scree_world *w = make_world(NULL, NULL);
    int m = add_material(w, "m", 1000.0, 0.5, 0.1);
    char name[32];
    add_floor(w, m);
    for (int i = 0; i < 3; ++i) add_sphere(w, i, 0.0, 1.0, 0.1, m);
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_sphere(1.0, scree_material_at(m));
    def.shapes = &shape, def.shape_count = 1;
    int anonymous = add(w, &def);
    assert_string_equal(scree_world_body_name(w, scree_body_at(0), name, sizeof name), "floor");
    assert_string_equal(scree_world_body_name(w, scree_body_at(3), name, sizeof name), "grain[2]");
    assert_string_equal(scree_world_body_name(w, scree_body_at(anonymous), name, sizeof name), "body 4");
    assert_int_equal(scree_body_index(scree_world_find_body(w, "grain[2]")), 3);
    assert_int_equal(scree_body_index(scree_world_find_body(w, "grain")), 1);
    assert_int_equal(scree_body_index(scree_world_find_body(w, "floor")), 0);
    assert_int_equal(scree_body_index(scree_world_find_body(w, "grain[3]")), -1);
    assert_int_equal(scree_body_index(scree_world_find_body(w, "grain[2]x")), -1);
    assert_int_equal(scree_body_index(scree_world_find_body(w, "gra")), -1);
    scree_world_destroy(w);
}

static void energy_is_that_of_the_bodies(void **state)
{
    (void)state;
    scree_world *w = make_world(NULL, NULL);
    int m = add_material(w, "m", 1000.0, 0.5, 0.1);
    add_floor(w, m);
    add_sphere(w, 1.0, 0.0, 3.0, 0.1, m);
    scree_world_set_state(w, scree_body_at(1), NULL, NULL, (const double[3]){1.0, 2.0, 2.0},
                          (const double[3]){0.0, 3.0, 4.0});
    double mass = scree_world_mass(w, scree_body_at(1));
    scree_energy e = scree_world_energy(w);
    close_to(e.kinetic, 0.5 * mass * 9.0 + 0.5 * 0.4 * mass * 0.01 * 25.0, 1e-13);
    close_to(e.potential, mass * 9.81 * 3.0, 1e-12);
    scree_world_destroy(w);
}

static scree_world *small_scene(const scree_allocator *allocator, int grains)
{
    scree_world *w = make_world(NULL, allocator);
    int m = add_material(w, "m", 1000.0, 0.5, 0.1);
    add_floor(w, m);
    static const double time[2] = {0.0, 1.0}, value[6] = {0, 0, 0, 0, 0, 1};
    scree_body_def def = scree_body_def_default();
    scree_shape shape = scree_shape_box(0.5, 0.5, 0.05, scree_material_at(m));
    def.shapes = &shape, def.shape_count = 1, def.kind = SCREE_BODY_DRIVEN, def.name = "table", def.position[2] = 0.3;
    def.motion.velocity = (scree_table){2, time, value};
    add(w, &def);
    for (int i = 0; i < grains; ++i) {
        int column = i % 4, row = i / 4;
        add_sphere(w, 0.19 * column, 0.19 * row, 0.1, 0.1, m);
    }
    return w;
}

/// What the reader of a checkpoint does: fields of one world into another.
static scree_status restore(const scree_world *from, scree_world *to, scree_error *error)
{
    int32_t count[WORLD_COUNTS];
    world_field source[WORLD_FIELDS_MAX], target[WORLD_FIELDS_MAX];
    scree_world copy = *from;
    world_counts(from, count);
    scree_status status = world_restore_begin(to, count, error);
    if (status != SCREE_OK) return status;
    int fields = world_fields(&copy, source);
    assert_int_equal(world_fields(to, target), fields);
    for (int f = 0; f < fields; ++f) {
        assert_string_equal(source[f].name, target[f].name);
        assert_int_equal(source[f].count, target[f].count);
        for (int i = 0; i < source[f].count; ++i)
            memcpy((char *)target[f].data + (size_t)i * target[f].stride,
                   (char *)source[f].data + (size_t)i * source[f].stride, world_field_bytes(&source[f]));
    }
    return world_restore_end(to, error);
}

static void a_restored_world_goes_on_as_the_first(void **state)
{
    (void)state;
    scree_world *w = small_scene(NULL, 12), *other = small_scene(NULL, 0); /* the grains were poured */
    scree_error error = {0};
    assert_int_equal(scree_world_detect(w, 1e-3, NULL, NULL), SCREE_OK);
    for (int i = 0; i < w->contacts.count; ++i) w->contacts.touch[i].impulse[0] = 1.0 + i;
    w->time = 0.5, w->step_count = 17, w->impulse_time = 0.002;
    assert_true(scree_world_hash(w) != scree_world_hash(other));
    assert_int_equal(restore(w, other, &error), SCREE_OK);
    assert_true(scree_world_hash(w) == scree_world_hash(other));
    double force[2][3], moment[2][3];
    for (int k = 0; k < 2; ++k) scree_world_contact_force(k ? other : w, scree_body_at(0), force[k], moment[k]);
    assert_true(vec_norm(force[0]) > 100.0); /* of impulses above 1 N s in 2 ms */
    assert_memory_equal(force[0], force[1], sizeof force[0]);
    scree_world_contact_point_force(other, 0, force[1], moment[1]);
    close_to(vec_norm(force[1]), other->contacts.touch[0].impulse[0] / 0.002, 1e-9);
    for (int b = 0; b < 2; ++b) {
        scree_world *each = b ? other : w;
        scree_world_set_state(each, scree_body_at(5), NULL, NULL, (const double[3]){1.0, 0.0, 0.0}, NULL);
        assert_int_equal(scree_world_detect(each, 1e-2, NULL, NULL), SCREE_OK);
        add_sphere(each, 5.0, 5.0, 5.0, 0.1, 0);
    }
    assert_true(w->contacts.count > 12);
    assert_true(scree_world_hash(w) == scree_world_hash(other));
    char name[32];
    assert_string_equal(scree_world_body_name(other, scree_body_at(14), name, sizeof name), "grain[12]");
    /* every single bit counts */
    uint64_t hash = scree_world_hash(w);
    w->contacts.touch[3].impulse[5] = 1e-300;
    assert_true(scree_world_hash(w) != hash);
    w->contacts.touch[3].impulse[5] = 0.0;
    assert_true(scree_world_hash(w) == hash);
    w->omega[4][2] = -0.0;
    assert_true(scree_world_hash(w) != hash);
    /* what does not fit is refused */
    w->shape_link[4].material = 3;
    assert_int_equal(restore(w, other, &error), SCREE_ERR_INPUT);
    assert_non_null(strstr(error.text, "the material of a shape"));
    scree_world_destroy(w);
    scree_world_destroy(other);
}

typedef void spoil(scree_world *w);
#define SPOIL(name, change)                                                                                            \
    static void name(scree_world *w)                                                                                   \
    {                                                                                                                  \
        change;                                                                                                        \
    }
SPOIL(body_kind, w->kind[3] = 9)
SPOIL(body_shapes, w->shape_total[3] = -1)
SPOIL(body_group, w->group[3] = 99)
SPOIL(body_tables, w->extra[3] = 99)
SPOIL(body_motion, w->extra[1] = -1)
SPOIL(body_mass, w->mass[3] = 0.0)
SPOIL(shape_count, w->shape_total[13] = 0)
SPOIL(shape_kind, w->shape[3].kind = SCREE_SHAPE_KIND_COUNT)
SPOIL(shape_points, w->shape_geometry[3] = 0)
SPOIL(group_name, w->group_at[0] = -1)
SPOIL(group_names, w->names[w->name_bytes - 1] = 'x')
SPOIL(contact_shapes, w->contacts.touch[2].shape_b = 99)
SPOIL(contact_bodies, w->contacts.touch[2].body_a = -1)

/// A checkpoint of another scene, or a damaged one whose sums are right.
static void what_does_not_fit_the_scene_is_named(void **state)
{
    (void)state;
    static const struct {
        spoil *spoil;
        const char *words;
    } cases[] = {{body_kind, "the kind of a body"},          {body_shapes, "the shapes of a body"},
                 {body_group, "the group of a body"},        {body_tables, "the tables of a body"},
                 {body_motion, "the motion of a body"},      {body_mass, "the mass of a body"},
                 {shape_count, "the number of shapes"},      {shape_kind, "the kind of a shape"},
                 {shape_points, "the points of a shape"},    {group_name, "the name of a group"},
                 {group_names, "the names of the groups"},   {contact_shapes, "the shapes of a contact"},
                 {contact_bodies, "the bodies of a contact"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        scree_world *w = small_scene(NULL, 12), *other = small_scene(NULL, 0);
        scree_error error = {0};
        char words[160];
        assert_int_equal(scree_world_detect(w, 1e-3, NULL, NULL), SCREE_OK);
        cases[k].spoil(w);
        if (restore(w, other, &error) != SCREE_ERR_INPUT) fail_msg("%s: not refused", cases[k].words);
        snprintf(words, sizeof words, "%s is not that of a world built from this scene", cases[k].words);
        assert_string_equal(error.text, words);
        scree_world_destroy(w);
        scree_world_destroy(other);
    }
    failing c = {.left = -1};
    scree_allocator allocator = failing_allocator(&c);
    scree_world *w = small_scene(&allocator, 0);
    scree_error error = {0};
    int32_t count[WORLD_COUNTS];
    world_counts(w, count);
    count[WORLD_BODIES] = -1;
    assert_int_equal(world_restore_begin(w, count, &error), SCREE_ERR_INPUT);
    assert_string_equal(error.text, "a count of -1, expected 0 to 2^30");
    count[WORLD_BODIES] = 100, count[WORLD_JOINTS] = 2;
    assert_int_equal(world_restore_begin(w, count, &error), SCREE_ERR_INPUT);
    assert_string_equal(error.text, "2 joints, expected the 0 of the scene");
    count[WORLD_JOINTS] = 0, c.left = 0;
    assert_int_equal(world_restore_begin(w, count, &error), SCREE_ERR_MEMORY);
    assert_string_equal(error.text, "no memory for 100 bodies and 0 contacts");
    scree_world_destroy(w);
}

/// Builds a world; every call that fails is made again once memory is back. Returns whether one failed.
static int build_failing(failing *c, scree_world **out)
{
    scree_allocator allocator = failing_allocator(c);
    scree_world_options options = scree_world_options_default();
    scree_world *w = NULL;
    int failed = 0;
    scree_error error = {0};
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        (call);                                                                                                        \
        if (error.status != SCREE_OK) {                                                                                \
            assert_int_equal(error.status, SCREE_ERR_MEMORY);                                                          \
            failed = 1, c->left = -1, error = (scree_error){0};                                                        \
            (call);                                                                                                    \
            assert_int_equal(error.status, SCREE_OK);                                                                  \
        }                                                                                                              \
    } while (0)
    options.allocator = &allocator;
    TRY(w = scree_world_create(&options, &error));
    for (int i = 0; i < 10; ++i) {
        scree_material material = {
            .soft = scree_dem_default(), .name = "m", .density = 1.0, .friction = {.mu = 0.1 * i}};
        TRY(scree_world_add_material(w, &material, &error));
    }
    static const double time[1] = {0.0}, value[3] = {0.0, 0.0, 1.0};
    scree_shape shape[2] = {scree_shape_sphere(0.1, scree_material_at(0)),
                            scree_shape_sphere(0.2, scree_material_at(1))};
    shape[1].position[0] = 0.2;
    for (int i = 0; i < 20; ++i) {
        scree_body_def def = scree_body_def_default();
        char name[16];
        snprintf(name, sizeof name, "body%d", i / 2);
        def.shapes = shape, def.shape_count = 1 + i % 2, def.name = name, def.position[0] = 0.15 * i;
        if (i % 3 == 0) def.force = (scree_table){1, time, value}, def.moment = def.force;
        if (i % 5 == 4)
            def.kind = SCREE_BODY_DRIVEN, def.force.count = def.moment.count = 0,
            def.motion.velocity = (scree_table){1, time, value};
        TRY(scree_world_add_body(w, &def, &error));
    }
    TRY(scree_world_reserve(w, 50, 10, &error));
#undef TRY
    *out = w;
    return failed;
}

static void worlds_survive_every_failing_allocation(void **state)
{
    (void)state;
    failing never = {.left = -1};
    scree_world *twin, *w;
    build_failing(&never, &twin);
    assert_int_equal(scree_world_detect(twin, 1e-3, NULL, NULL), SCREE_OK);
    uint64_t expected = scree_world_hash(twin);
    scree_world_destroy(twin);
    assert_int_equal(never.live, 0);
    int k = 0;
    for (int failed = 1; failed; ++k) {
        failing c = {.left = k};
        failed = build_failing(&c, &w);
        c.left = -1;
        assert_int_equal(scree_world_detect(w, 1e-3, NULL, NULL), SCREE_OK);
        assert_true(scree_world_hash(w) == expected);
        scree_world_destroy(w);
        assert_int_equal(c.live, 0);
    }
    print_message("%d places where memory can run out\n", k - 1);
    assert_true(k > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_on_a_plane_touches_it),
        cmocka_unit_test(contacts_keep_their_load_and_frame),
        cmocka_unit_test(reach_is_what_may_close_in_a_step),
        cmocka_unit_test(forces_are_loads_over_time),
        cmocka_unit_test(islands_are_what_contacts_connect),
        cmocka_unit_test(a_bad_state_is_named),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(energy_is_that_of_the_bodies),
        cmocka_unit_test(a_restored_world_goes_on_as_the_first),
        cmocka_unit_test(what_does_not_fit_the_scene_is_named),
        cmocka_unit_test(worlds_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
