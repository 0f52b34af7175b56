/* The scene reader: every key of the tables is read and lands where it belongs, defaults, overrides, the text of a scene, the JSON
 * Schema, and failing memory. Mistakes are in test_scene_bad.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene/scene_private.h"
#include <scree/files.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PI 3.14159265358979323846

#define HEAD                                                                                                           \
    "scree: 1\nmaterials: {stone: {density: 2500, friction: 0.5}}\nrun: {until: 1}\nbodies:\n"                         \
    "- {name: floor, shape: {plane: {}}}\n- {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}\n"

static scree_scene *read_file(const char *path)
{
    scree_scene *scene = NULL;
    scree_error error = {.text = ""};
    char text[1200];
    scene = scree_scene_read(path, NULL, 0, NULL, &error);
    if (!scene) fail_msg("%s", scree_error_format(&error, text, sizeof text));
    return scene;
}

static scree_scene *parse_with(const char *text, const char *const *set, int count)
{
    scree_scene *scene = NULL;
    scree_error error = {.text = ""};
    char message[1200];
    scene = scree_scene_parse(text, strlen(text), "case.yaml", set, count, NULL, &error);
    if (!scene) fail_msg("%s", scree_error_format(&error, message, sizeof message));
    return scene;
}

/* ---- every key ------------------------------------------------------------------------------------------------------ */

enum { SEEN_MAX = 1024 };
typedef struct coverage {
    const schema_field *seen[SEEN_MAX];
    int count;
} coverage;

static int is_seen(const coverage *c, const schema_field *field)
{
    for (int k = 0; k < c->count; ++k)
        if (c->seen[k] == field) return 1;
    return 0;
}

/// Notes the fields of the table that the tree uses.
static void cover(coverage *c, const schema_object *object, const scree_doc_node *map)
{
    for (const scree_doc_node *key = map->kind == SCREE_DOC_MAP ? map->child : NULL; key; key = key->next) {
        const schema_field *f = object->field;
        while (strcmp(f->key, key->text) != 0) ++f;
        if (!is_seen(c, f)) c->seen[c->count++] = f;
        if (f->type == FIELD_OBJECT || f->type == FIELD_DISTRIBUTION || f->type == FIELD_COURSE)
            cover(c, f->object, key->value);
        if (f->type == FIELD_ROTATION) cover(c, &schema_turn, key->value);
        for (const scree_doc_node *item = f->type == FIELD_LIST || f->type == FIELD_MAP ? key->value->child : NULL;
             item; item = item->next)
            cover(c, f->object, f->type == FIELD_MAP ? item->value : item);
    }
}

/// Counts the fields below an object that no scene uses.
static int uncovered(const coverage *c, const schema_object *object)
{
    int missing = 0;
    for (int k = 0; k < object->field_count; ++k) {
        const schema_field *f = &object->field[k];
        if (schema_hidden(object, f)) continue;
        if (!is_seen(c, f)) {
            print_error("no good scene has the key '%s' of '%s'\n", f->key, object->name);
            missing += 1;
        }
        if (f->object) missing += uncovered(c, f->object);
    }
    return missing;
}

static void the_good_scenes_use_every_key_of_the_tables(void **state)
{
    (void)state;
    coverage c = {.count = 0};
    static const char *const file[] = {"tests/scenes/good/everything.yaml", "tests/scenes/good/alternatives.yaml",
                                       "tests/scenes/good/shapes.yaml",     "tests/scenes/good/periodic.yaml",
                                       "tests/scenes/good/cell.yaml",       "tests/scenes/good/sheared-cell.yaml"};
    for (size_t k = 0; k < sizeof file / sizeof *file; ++k) {
        scree_scene *scene = read_file(file[k]);
        cover(&c, &schema_root, scene->doc.root);
        scree_scene_destroy(scene);
    }
    print_message("%d keys\n", c.count);
    assert_int_equal(uncovered(&c, &schema_root), 0);
}

/* ---- values ------------------------------------------------------------------------------------------------------------ */

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-15 * fabs(b))

static void assert_vector(const double v[3], double x, double y, double z)
{
    assert_true(v[0] == x && v[1] == y && v[2] == z);
}

static void shares_of_the_reduced_radius_are_read(void **state)
{
    (void)state;
    scree_scene *s = read_file("tests/scenes/good/reduced.yaml");
    const scene_material *m = s->root.materials.item;
    const scene_pair *p = s->root.pairs.item;
    const scree_friction_length arm[] = {m[0].friction.rolling, m[0].friction.spinning, m[0].friction.rolling_static,
                                         m[0].friction.spinning_static, p[0].friction.rolling};
    const double value[] = {0.1, 0.05, 0.2, 0.06, 0.3};
    for (int k = 0; k < 5; ++k) assert_true(arm[k].value == value[k] && arm[k].kind == SCREE_LENGTH_REDUCED);
    assert_int_equal(m[1].friction.rolling.kind, SCREE_LENGTH_RATIO);
    scree_scene_destroy(s);
}

static void materials_land_where_they_belong(void **state)
{
    (void)state;
    scree_scene *s = read_file("tests/scenes/good/everything.yaml");
    const scene_root *r = &s->root;
    const scene_material *m = r->materials.item;
    const scene_pair *p = r->pairs.item;
    assert_string_equal(r->title, "Every key at once");
    assert_vector(r->gravity, 0, 0, -9.8);
    assert_true(r->planar == SCREE_PLANAR_NONE && r->seed == 7 && r->margin == 0.001 && r->speed_limit == 500.0);
    assert_int_equal(r->materials.count, 3);
    assert_string_equal(m[1].name.text, "steel");
    assert_true(m[0].density == 2500.0 && m[0].friction.mu == 0.5 && m[0].friction.restitution == 0.3 &&
                m[0].friction.stiffness == 1e6);
    assert_true(m[0].friction.rolling.value == 0.01 && m[0].friction.rolling.kind == SCREE_LENGTH_ABSOLUTE &&
                m[0].friction.spinning.value == 0.02 && m[0].friction.spinning.kind == SCREE_LENGTH_RATIO);
    assert_true(m[1].density == 7800.0 && m[1].friction.stiffness == 2e6 && m[2].density == 0.0 &&
                m[2].friction.mu == 0.4);
    assert_true(p[0].material[0] == 0 && p[0].material[1] == 1 && p[0].friction.mu == 0.35 &&
                p[0].friction.restitution == 0.25);
    assert_true(p[0].friction.rolling.value == 0.002 && p[0].friction.spinning.value == 0.003 &&
                p[0].friction.stiffness == 5e5);
    assert_true(m[1].friction.mu_static == 0.25 && m[1].friction.rolling_static.value == 0.02 &&
                m[1].friction.spinning_static.value == 0.001);
    assert_true(m[1].dem.values.young == 2.1e11 && m[1].dem.normal + 1 == (int)SCREE_DEM_HERTZ);
    assert_true(p[0].friction.mu_static == 0.4 && p[0].dem.model + 1 == (int)SCREE_DEM_SDS);
    assert_true(p[0].dem.values.roll_damping == 0.025);
    assert_true(r->mixing.friction == SCREE_MIX_MEAN && r->mixing.rolling == SCREE_MIX_MAX);
    assert_true(r->mixing.spinning == SCREE_MIX_GEOMETRIC && r->mixing.restitution == SCREE_MIX_MIN &&
                r->mixing.stiffness == SCREE_MIX_MAX);
    scree_scene_destroy(s);
}

static void joints_land_where_they_belong(void **state)
{
    (void)state;
    scree_scene *s = read_file("tests/scenes/good/everything.yaml");
    const scene_joint *j = s->root.joints.item;
    const scene_joint_part *flap = &j[1].hinge, *rail = &j[2].slider, *rope = &j[5].distance;
    assert_int_equal(s->root.joints.count, 6);
    assert_true(j[0].collide && !j[1].collide && j[0].ball.drive.head.node && !j[0].hinge.drive.head.node &&
                j[4].fixed.drive.head.node);
    assert_string_equal(j[0].bodies[0]->text, "ground");
    assert_vector(j[0].ball.anchor, 2, 0, 1);
    NEAR(flap->axis[1], sqrt(0.5));
    NEAR(flap->drive.lower, -30.0 * 3.14159265358979323846 / 180.0);
    NEAR(flap->drive.motor.speed.fixed, 2.0 * 3.14159265358979323846);
    assert_true(flap->drive.upper == 1.0 && flap->drive.motor.limit == 3.0 && flap->drive.friction == 0.02);
    assert_true(flap->drive.spring.stiffness == 5.0 && flap->drive.spring.damping == 0.1);
    assert_vector(rail->axis, -1, 0, 0);
    assert_true(rail->drive.lower == -0.1 && rail->drive.upper == 0.2 && rail->drive.friction == 2.0 &&
                rail->drive.spring.rest == 0.005);
    assert_true(rail->drive.spring.stiffness == 2000.0 && rail->drive.spring.damping == 20.0 &&
                rail->drive.motor.position.fixed == 0.03);
    assert_true(rail->drive.motor.limit == 50.0 && rail->drive.motor.stiffness == 1000.0 &&
                rail->drive.motor.damping == 30.0);
    assert_vector(rope->to, 0, 0, -0.1);
    const scree_time_function *pull = &rope->drive.motor.speed.over, *swing = &j[3].hinge.drive.motor.position.over;
    assert_true(rope->drive.upper == 2.0 && rope->drive.motor.speed.fixed == 0.0 && pull->amplitude == 0.0);
    assert_int_equal(pull->table.count, 3);
    assert_true(pull->table.time[1] == 0.5 && pull->table.value[1] == 0.03 && pull->table.value[2] == 0.0);
    NEAR(j[3].hinge.drive.motor.position.fixed, 10.0 * 3.14159265358979323846 / 180.0);
    NEAR(swing->amplitude, 0.5 * 3.14159265358979323846);
    assert_true(swing->frequency == 2.0 && swing->phase == 0.5 && swing->table.count == 0);
    scree_scene_destroy(s);
}

static void bodies_land_where_they_belong(void **state)
{
    (void)state;
    scree_scene *s = read_file("tests/scenes/good/everything.yaml");
    const scene_body *b = s->root.bodies.item;
    const scene_container *bin = &s->root.container;
    assert_int_equal(s->root.bodies.count, 6);
    assert_string_equal(b[0].name, "ball");
    assert_true(b[0].kind == SCREE_BODY_DYNAMIC && b[0].material_index == 0 && b[0].mass == 2.0);
    assert_true(b[0].shape.sphere.radius == 0.045);
    assert_vector(b[0].position, 0.1, -0.2, 1.0);
    NEAR(b[0].rotation[0], sqrt(0.5));
    NEAR(b[0].rotation[2], sqrt(0.5));
    assert_vector(b[0].velocity, 1.0, 1.0, -2.0);
    NEAR(b[0].spin[1], 2.0 * PI);
    assert_true(b[0].spin[2] == 1.0);
    assert_vector(b[0].inertia, 0.004, 0.004, 0.004);
    assert_int_equal(b[0].force.count, 3);
    assert_true(b[0].force.time[1] == 0.5 && b[0].force.time[2] == 60.0 && b[0].force.value[3] == 20.0 &&
                b[0].force.value[8] == 1000.0);
    assert_true(b[0].moment.count == 1 && b[0].moment.value[2] == 3.0);

    const scene_shape *part = b[1].shapes.item;
    assert_int_equal(b[1].shapes.count, 3);
    assert_vector(part[1].at, 0, 0, -0.1);
    assert_true(part[2].material_index == 1 && part[0].material_index == 0 && part[2].capsule.length == 0.16);
    NEAR(b[1].rotation[0], sqrt(0.5));
    assert_vector(b[2].shape.box.size, 0.3048, 0.254, 0.2);
    assert_vector(b[3].shape.ellipsoid.semi_axes, 0.02, 0.02, 0.03);
    NEAR(b[3].shape.rotation[0], cos(0.5));
    NEAR(b[3].shape.rotation[2], sin(0.5) * sqrt(0.5));
    assert_true(b[4].kind == SCREE_BODY_DRIVEN && b[4].motion.oscillation.frequency == 50.0);
    assert_vector(b[4].motion.oscillation.amplitude, 0, 0, 0.002);
    NEAR(b[4].motion.oscillation.phase, PI / 2);
    assert_vector(b[4].motion.servo.values.axis, -1, 0, 0);
    assert_true(b[4].motion.servo.values.force == 1000.0 && b[4].motion.servo.values.gain == 1e-3 &&
                b[4].motion.servo.values.speed == 0.01);
    assert_true(b[4].motion.velocity.count == 1 && b[4].motion.velocity.value[0] == 0.1 && b[4].motion.spin.count == 2);
    NEAR(b[4].motion.spin.value[5], PI / 18);
    NEAR(b[4].shape.plane.normal[1], 0.6);
    assert_true(b[5].kind == SCREE_BODY_FIXED && b[5].shape.capsule.radius == 0.01);
    assert_string_equal(bin->name, "bin");
    assert_true(bin->floor == -0.1 && bin->x[0] == -5.0 && bin->y[0] == -4.0 && bin->y[1] == 4.0 && bin->lid == 20.0);
    assert_int_equal(bin->material_index, 1);
    scree_scene_destroy(s);
}

static void generators_land_where_they_belong(void **state)
{
    (void)state;
    scree_scene *s = read_file("tests/scenes/good/everything.yaml"),
                *t = read_file("tests/scenes/good/alternatives.yaml");
    const scene_generator *g = s->root.generators.item, *h = t->root.generators.item;
    assert_true(g[0].lattice.type == LATTICE_HCP && g[0].lattice.count[0] == 3 && g[0].lattice.spacing == 0.03);
    assert_true(g[0].lattice.jitter == 0.001 && g[0].lattice.origin[2] == 3.0 && g[0].seed == 3);
    assert_true(g[0].radius.uniform.min == 0.01 && g[0].radius.uniform.max == 0.012 && g[0].velocity[2] == -1.0 &&
                g[0].spin[2] == 2.0);
    assert_true(g[1].packing.count == 5 && g[1].packing.attempts == 50 && g[1].packing.region.box.max[2] == 6.0);
    assert_true(g[1].scale.list.values.count == 2 && g[1].scale.list.weights.value[0] == 3.0 &&
                g[1].orientation == ORIENT_ALIGNED);
    assert_true(g[2].pour.rate == 800.0 && g[2].pour.start == 0.01 && g[2].pour.count == 4 &&
                g[2].pour.from.disk.radius == 0.1);
    assert_true(g[2].radius.normal.mean == 0.01 && g[2].radius.normal.deviation == 0.001 &&
                g[2].radius.normal.max == 0.011);
    assert_true(h[0].pour.every == 0.08 && h[0].radius.fixed == 0.01 && h[0].pour.from.box.min[0] == -1.0);
    assert_true(h[1].radius.lognormal.median == 0.01 && h[1].radius.lognormal.spread == 0.2);
    assert_true(h[1].packing.region.cylinder.height == 1.0 && h[2].packing.region.ball.radius == 0.5 &&
                h[1].packing.attempts == 1000);
    assert_true(h[2].orientation == ORIENT_RANDOM && h[3].csv.path[0] == '/');
    scree_scene_destroy(s);
    scree_scene_destroy(t);
}

static void the_run_lands_where_it_belongs(void **state)
{
    (void)state;
    scree_scene *s = read_file("tests/scenes/good/everything.yaml"),
                *t = read_file("tests/scenes/good/alternatives.yaml");
    scree_run_plan plan = scree_scene_plan(s);
    scree_stepper_options o = scree_scene_stepper(s), m = scree_scene_stepper(t);
    assert_string_equal(plan.title, "Every key at once");
    assert_true(plan.until == 15.0 && plan.output_every == 0.05 && plan.checkpoint_every == 1.0 &&
                plan.problems_every == 100);
    assert_int_equal(plan.formats, SCREE_FORMAT_FRAMES | SCREE_FORMAT_VTP | SCREE_FORMAT_DUMP | SCREE_FORMAT_CONTACTS);
    assert_true(o.cookie == SCREE_COOKIE && o.scheme == SCREE_SCHEME_ANITESCU_TASORA && o.law == SCREE_LAW_CONVEX &&
                o.on_failure == SCREE_ON_FAILURE_RETRY);
    assert_true(o.step == 0.002 && o.recovery_speed == 0.3 && o.impact_speed == 0.1 && o.min_iterations == 2 &&
                o.adaptive == 0 && o.warm_start == 0);
    assert_int_equal(o.threads, 2);
    assert_string_equal(o.solver.name, "auto");
    assert_true(o.solver.tolerance == 1e-5 && o.solver.max_iterations == 300 && o.solver.time_limit == 120.0 &&
                o.solver.check_every == 4);
    assert_true(o.solver.relaxation == 1.2 && o.solver.shuffle == 1 && o.solver.freeze == 1e-9 && o.solver.step == 3.0);
    assert_true(o.solver.penalty == 4.0 && o.solver.memory == 6 && o.solver.local_method == 0);
    assert_true(m.scheme == SCREE_SCHEME_MOREAU_JEAN && m.theta == 0.75 && m.activation == 1.0);
    assert_int_equal(t->root.planar, SCREE_PLANAR_XZ);
    scree_scene_destroy(s);
    scree_scene_destroy(t);
}

/* ---- defaults ------------------------------------------------------------------------------------------------------------- */

static void what_is_not_given_has_its_default(void **state)
{
    (void)state;
    scree_scene *s = parse_with(HEAD, NULL, 0);
    scree_stepper_options o = scree_scene_stepper(s), d = scree_stepper_options_default();
    scree_run_plan plan = scree_scene_plan(s);
    const scene_body *b = s->root.bodies.item;
    assert_vector(s->root.gravity, 0, 0, -9.81);
    assert_true(s->root.seed == 1 && s->root.planar == SCREE_PLANAR_NONE);
    assert_true(b[0].kind == SCREE_BODY_FIXED &&
                b[1].kind == SCREE_BODY_DYNAMIC); /* a plane is fixed, a ball dynamic */
    assert_true(b[1].rotation[0] == 1.0 && b[0].shape.rotation[0] == 1.0);
    assert_vector(b[0].shape.plane.normal, 0, 0, 1);
    assert_true(o.scheme == d.scheme && o.law == d.law && o.on_failure == d.on_failure);
#define SCREE_FIELD(type, field, value, text) assert_true(o.field == d.field);
    SCREE_STEPPER_OPTION_FIELDS(SCREE_FIELD)
#undef SCREE_FIELD
#define SCREE_FIELD(type, field, value, text) assert_true(o.solver.field == d.solver.field);
    SCREE_SOLVER_OPTION_FIELDS(SCREE_FIELD)
#undef SCREE_FIELD
    assert_string_equal(o.solver.name, d.solver.name);
    assert_true(plan.title[0] == '\0' && plan.output_every == 0.0 && plan.checkpoint_every == 0.0 &&
                plan.problems_every == 0);
    assert_int_equal(plan.formats, SCREE_FORMAT_FRAMES);
    scree_scene_destroy(s);

    s = parse_with("scree: 1\nplanar: xy\nrun: {until: 1}\n", NULL, 0); /* down is -y in the plane xy */
    assert_vector(s->root.gravity, 0, -9.81, 0);
    scree_scene_destroy(s);
}

static void a_slope_turns_gravity_towards_its_foot(void **state)
{
    (void)state;
    static const struct {
        const char *scene;
        double gravity[3]; /* of 10 m/s^2 on a slope of sine 0.6 */
    } cases[] = {{"gravity: 10", {6, 0, -8}},
                 {"planar: xz\ngravity: 10", {6, 0, -8}},
                 {"planar: xy\ngravity: 10", {6, -8, 0}},
                 {"planar: yz\ngravity: 10", {0, 6, -8}},
                 {"gravity: [8, 0, -6]", {10, 0, 0}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[256];
        snprintf(text, sizeof text, "scree: 1\nslope: 0.6435011087932844\nrun: {until: 1}\n%s\n", cases[k].scene);
        scree_scene *s = parse_with(text, NULL, 0);
        for (int i = 0; i < 3; ++i) assert_true(fabs(s->root.gravity[i] - cases[k].gravity[i]) < 1e-14);
        scree_scene_destroy(s);
    }
}

static void json_is_read_like_yaml(void **state)
{
    (void)state;
    scree_scene *s =
        parse_with("{\"scree\": 1, \"materials\": {\"stone\": {\"density\": \"2.5 t/m^3\", \"friction\": 0.5}},\n"
                   "\"bodies\": [{\"name\": \"ball\", \"shape\": {\"sphere\": {\"radius\": \"45 mm\"}}}, {\"shape\": "
                   "{\"plane\": null}}],\n"
                   "\"output\": {\"contacts\": true}, \"run\": {\"until\": \"2 s\"}}",
                   NULL, 0);
    const scene_material *m = s->root.materials.item;
    const scene_body *b = s->root.bodies.item;
    assert_true(m[0].density == 2500.0 && b[0].shape.sphere.radius == 0.045 && s->root.run.until == 2.0 &&
                s->root.output.contacts);
    scree_scene_destroy(s);
}

/* ---- overrides -------------------------------------------------------------------------------------------------------------- */

static void overrides_edit_the_tree_before_it_is_checked(void **state)
{
    (void)state;
    static const char *const set[] = {"materials.stone.friction=0.3",
                                      "bodies[1].velocity=[1, 0, 0]",
                                      "bodies.ball.position[2]=3 m",
                                      "stepper.step=1 ms",
                                      "output={every: 1 s}",
                                      "bodies.ball.spin=[0, 0, 1]",
                                      "bodies.ball.name=stone",
                                      "bodies.stone.mass=3 kg",
                                      "title=a = b"};
    scree_scene *s = parse_with(HEAD, set, (int)(sizeof set / sizeof *set));
    const scene_material *m = s->root.materials.item;
    const scene_body *b = s->root.bodies.item;
    assert_true(m[0].friction.mu == 0.3 && s->root.stepper.options.step == 0.001 && s->root.output.every == 1.0);
    assert_vector(b[1].velocity, 1, 0, 0);
    assert_vector(b[1].position, 0, 0, 3);
    assert_vector(b[1].spin, 0, 0, 1);
    assert_string_equal(b[1].name, "stone");
    assert_true(b[1].mass == 3.0);
    assert_string_equal(s->root.title, "a = b");
    scree_scene_destroy(s);
}

static void a_wrong_override_is_named_in_place_of_the_file(void **state)
{
    (void)state;
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"friction", "expected path=value, like materials.stone.friction=0.3"},
        {"=3", "no path before '=', expected path=value"},
        {"a..b=3", "an empty step in the path, expected path=value"},
        {"a.=3", "an empty step in the path, expected path=value"},
        {"bodies[x].mass=3", "expected an index like [2] in the path"},
        {"bodies[1]mass=3", "expected '.', '[' or '=' after an index"},
        {"bodies[2].mass=3", "there is no item [2]: the list has 2, counted from 0"},
        {"bodies.bal.mass=3", "there is no item with the name 'bal', and an index is written [0], [1], ..."},
        {"scree.version=1", "'version' in the path, but a single value stands before it"},
        {"scree[0]=1", "[0] in the path, but no list stands there"},
        {"materials[0]=1", "[0] in the path, but no list stands there"},
        {"seed=[1",
         "not valid YAML: did not find expected ',' or ']' (while parsing a flow sequence that starts at line 1)"},
        {"seed=", "seed: no value, expected a whole number 0 or more"},
        {"run.until=5 deg", "until: expected a time above 0, like \"5 ms\", found 5 deg (an angle)"},
        {"bodies.ball.radius=1",
         "in a body: unknown key 'radius', expected one of: name, kind, shape, shapes, material, color, position, "
         "rotation, "
         "velocity, spin, mass, inertia, inertia_axes, center_of_mass, force, moment, motion, until"},
        {"bodies.floor.velocity=[1, 0, 0]", "a fixed body does not read 'velocity', expected it left out"},
        {"stepper.theta=1",
         "the scheme anitescu_tasora does not read 'theta', expected it left out (it is for moreau_jean)"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        scree_scene *scene = NULL;
        scree_error error = {.text = ""};
        char place[600];
        error = (scree_error){0};
        scene = scree_scene_parse(HEAD, strlen(HEAD), "case.yaml", &cases[k].set, 1, NULL, &error);
        assert_int_equal(error.status, SCREE_ERR_INPUT);
        snprintf(place, sizeof place, "--set %s", cases[k].set);
        assert_string_equal(error.text, cases[k].words);
        assert_string_equal(error.file, place);
        assert_true(error.line == 0 && error.column == 0 && scene == NULL);
    }
}

/// Messages that list what others may add to: only how they start.
static void unknown_solvers_and_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"solver.name=ngs", "name: unknown word 'ngs', did you mean 'nsgs'? (expected one of: auto, "},
        {"solver.threads=2", "in a solver: unknown key 'threads', expected one of: name, tolerance, "},
        {"solver={name: nsgs, penalty: 2}",
         "the solver nsgs does not read 'penalty', expected it left out (it is for admm"},
        {"solver.min_iterations=2", "in a solver: unknown key 'min_iterations', did you mean 'max_iterations'? "},
        {"stepper.tolerance=1",
         "in a stepper: unknown key 'tolerance', expected one of: scheme, law, on_failure, device, step, "},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        scree_error error = {0};
        assert_null(scree_scene_parse(HEAD, strlen(HEAD), "case.yaml", &cases[k].set, 1, NULL, &error));
        assert_int_equal(error.status, SCREE_ERR_INPUT);
        error.text[strlen(cases[k].words)] = '\0';
        assert_string_equal(error.text, cases[k].words);
    }
}

/* ---- the text of a scene ------------------------------------------------------------------------------------------------------ */

static void assert_same_tree(const scree_doc_node *a, const scree_doc_node *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->length, b->length);
    if (a->kind == SCREE_DOC_SCALAR) assert_memory_equal(a->text, b->text, a->length);
    for (const scree_doc_node *x = a->child, *y = b->child; x && y; x = x->next, y = y->next) {
        assert_same_tree(x, y);
        if (x->value) assert_same_tree(x->value, y->value);
    }
}

static void the_text_reads_to_the_same_scene(void **state)
{
    (void)state;
    static const char *const files[] = {"tests/scenes/good/everything.yaml", "tests/scenes/good/alternatives.yaml"};
    static const char *const set[] = {"title='\"quoted\": a #1, {x} \\ [y] & *z - é'", "seed=12",
                                      "bodies[0].position=[0, 0, 9]"};
    for (int f = 0; f < 2; ++f)
        for (int count = 0; count <= 3; ++count) {
            scree_scene *a = NULL, *b = NULL;
            scree_error error = {.text = ""};
            if (f == 1 && count == 3) continue; /* its body is no ball in the air */
            a = scree_scene_read(files[f], set, count, NULL, &error);
            assert_int_equal(error.status, SCREE_OK);
            b = parse_with(scree_scene_text(a), NULL, 0);
            assert_same_tree(a->doc.root, b->doc.root);
            if (f == 1) assert_non_null(strstr(scree_scene_text(a), "/tests/scenes/good/grains.csv"));
            if (f == 1 || count > 0) /* written by us: it starts with where it comes from */
                assert_memory_equal(scree_scene_text(a), "# tests/scenes/good/", 20);
            assert_string_equal(scree_scene_text(b), scree_scene_text(a)); /* and is read as it stands */
            scree_scene_destroy(a);
            scree_scene_destroy(b);
        }
}

static void without_overrides_the_text_is_the_file(void **state)
{
    (void)state;
    scree_scene *s = parse_with(HEAD "# a comment\n", NULL, 0);
    assert_string_equal(scree_scene_text(s), HEAD "# a comment\n");
    scree_scene_destroy(s);
}

/* ---- what is made of the tables -------------------------------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/// Python's jsonschema judges, where it is installed: the schema is one, takes every good scene, and refuses what it can.
static void the_json_schema_takes_the_good_scenes(void **state)
{
    (void)state;
    char *json = scree_scene_schema(NULL, NULL), path[64], command[512];
    assert_non_null(json);
    assert_memory_equal(json, "{\n  \"$schema\"", 13);
    snprintf(path, sizeof path, "scene_schema_%ld.json", (long)getpid());
    write_file(path, json);
    scree_allocator a = scree_allocator_default();
    a.free(json, a.context);
    snprintf(command, sizeof command,
             "/usr/bin/python3 tests/cli/scene_schema.py %s examples/*.yaml tests/scenes/good/*.yaml", path);
    int result = system(command);
    remove(path);
    if (result != -1 && WIFEXITED(result) && (WEXITSTATUS(result) == 77 || WEXITSTATUS(result) == 127)) {
        print_message(
            "python3-jsonschema or python3-yaml is not installed: only the start of the schema was looked at\n");
        return;
    }
    assert_int_equal(result, 0);
}

/// docs/scenes.md holds the reference as the tables give it, to the letter. Run with SCREE_UPDATE_DOCS=1 to write it there.
static void the_manual_is_what_the_tables_say(void **state)
{
    (void)state;
    static const char path[] = "docs/scenes.md", mark[] = "Made from the tables that the reader itself uses.\n";
    scree_allocator a = scree_allocator_default();
    char *page = NULL;
    size_t size = 0;
    scree_error error = {0};
    char *markdown = scree_scene_reference(NULL, &error);
    assert_non_null(markdown);
    assert_non_null(page = scree_file_read(path, 1 << 20, NULL, &size, &error));
    char *text = calloc(size + strlen(markdown) + 1, 1), *reference;
    memcpy(text, page, size);
    reference = strstr(text, mark);
    assert_non_null(reference);
    reference += strlen(mark);
    if (getenv("SCREE_UPDATE_DOCS")) {
        memcpy(reference, markdown, strlen(markdown) + 1);
        write_file(path, text);
    }
    if (strcmp(reference, markdown) != 0)
        fail_msg("%s does not hold the reference of today's tables: run this test with SCREE_UPDATE_DOCS=1", path);
    a.free(page, a.context);
    a.free(markdown, a.context);
    free(text);
}

/* ---- failing memory ------------------------------------------------------------------------------------------------------------------ */

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    static const char *const set[] = {"seed=4", "output.every=1 s", "bodies.ball.velocity=[1, 0, 0]"};
    for (int n = 0;; ++n) {
        failing f = {.left = n};
        scree_allocator a = failing_allocator(&f);
        scree_error error = {.text = ""};
        scree_scene *scene = scree_scene_read("tests/scenes/good/everything.yaml", set, 3, &a, &error);
        scree_status status = error.status;
        assert_true((status == SCREE_OK) == (scene != NULL));
        if (status != SCREE_OK) {
            assert_int_equal(status, SCREE_ERR_MEMORY);
            assert_non_null(strstr(error.text, "out of memory"));
        }
        scree_scene_destroy(scene);
        assert_int_equal(f.live, 0);
        if (status == SCREE_OK) break;
        assert_true(n < 1000);
    }
    for (int n = 0; n < 2; ++n) { /* the exports ask once */
        failing f = {.left = n};
        scree_allocator a = failing_allocator(&f);
        scree_error error = {0};
        char *text = scree_scene_schema(&a, &error);
        assert_int_equal(error.status, n ? SCREE_OK : SCREE_ERR_MEMORY);
        assert_true((text != NULL) == n);
        a.free(text, a.context);
        assert_int_equal(f.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_good_scenes_use_every_key_of_the_tables),
        cmocka_unit_test(materials_land_where_they_belong),
        cmocka_unit_test(shares_of_the_reduced_radius_are_read),
        cmocka_unit_test(bodies_land_where_they_belong),
        cmocka_unit_test(joints_land_where_they_belong),
        cmocka_unit_test(generators_land_where_they_belong),
        cmocka_unit_test(the_run_lands_where_it_belongs),
        cmocka_unit_test(what_is_not_given_has_its_default),
        cmocka_unit_test(a_slope_turns_gravity_towards_its_foot),
        cmocka_unit_test(json_is_read_like_yaml),
        cmocka_unit_test(overrides_edit_the_tree_before_it_is_checked),
        cmocka_unit_test(a_wrong_override_is_named_in_place_of_the_file),
        cmocka_unit_test(unknown_solvers_and_options_are_refused),
        cmocka_unit_test(the_text_reads_to_the_same_scene),
        cmocka_unit_test(without_overrides_the_text_is_the_file),
        cmocka_unit_test(the_json_schema_takes_the_good_scenes),
        cmocka_unit_test(the_manual_is_what_the_tables_say),
        cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
