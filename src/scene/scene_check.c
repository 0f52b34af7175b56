/* scene_check.c: what tables cannot say about a scene.
 *
 * Names that must exist, values that depend on each other, and above all: nothing that is written may be without effect. A key that
 * the kind of a body does not read, a material that no body has, a coefficient that no contact of the scene can read are mistakes,
 * and are said at the key. Sizes of generators are in scene_check_generators.c. */
#include "scene/scene_check.h"

#include "math/elementary.h"
#include "world/world_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- materials by name --------------------------------------------------------------------------------------------- */

/// The index of the named material. Without a name (NULL) the only one; `head` is what needs it.
static scree_status find_material(scene_checker *c, const scene_head *head, const char *name, int *index)
{
    const char *words[SCENE_MATERIALS_MAX];
    for (int k = 0; k < c->material_count; ++k) {
        words[k] = c->material[k].name.text;
        if (name && strcmp(name, words[k]) == 0) {
            *index = k;
            return SCREE_OK;
        }
    }
    *index = 0;
    if (name && c->material_count == 0)
        return scree_doc_fail(c->doc, schema_node(head, "material"),
                              "unknown material '%s': the scene has no 'materials'", name);
    if (name)
        return scree_doc_not_among(c->doc, schema_node(head, "material"), "unknown material", words, c->material_count);
    if (c->material_count == 1) return SCREE_OK;
    if (c->material_count == 0)
        return scree_doc_fail(c->doc, head->node, "no material: the scene has no 'materials', expected at least one");
    return scree_doc_fail(c->doc, head->node,
                          "the key 'material' is missing: the scene has %d materials, expected the name of one",
                          c->material_count);
}

/// Notes that bodies of this material exist, and whether they are dynamic.
static void use_material(scene_checker *c, int material, int is_dynamic)
{
    int many = c->in_generator ? 2 : 1;
    if (is_dynamic) c->dynamic[material] += many;
    else c->immovable[material] += many;
}

/* ---- shapes ----------------------------------------------------------------------------------------------------------- */

/// The key of a shape that is a surface; NULL: it is a body.
static const char *is_surface(const scene_shape *s)
{
    return s->mesh.head.node      ? "mesh"
           : s->heights.head.node ? "heights"
           : s->tube.head.node    ? "tube"
           : s->funnel.head.node  ? "funnel"
           : s->bowl.head.node    ? "bowl"
                                  : NULL;
}

static scree_status check_shape(scene_checker *c, scene_shape *shape, int is_dynamic, int body_material, int must_weigh)
{
    scree_status status = SCREE_OK;
    shape->material_index = body_material;
    if (shape->material) status = find_material(c, &shape->head, shape->material, &shape->material_index);
    if (status != SCREE_OK) return status;
    if (shape->plane.head.node && is_dynamic)
        return scree_doc_fail(c->doc, schema_key(&shape->head, "plane"),
                              "a plane has no mass, expected it in a fixed or driven body");
    if (is_surface(shape) && is_dynamic)
        return scree_doc_fail(c->doc, schema_key(&shape->head, is_surface(shape)),
                              "a surface has no mass, expected it in a fixed or driven body");
    if (shape->funnel.head.node && shape->funnel.bottom == 0.0 && shape->funnel.top == 0.0)
        return scree_doc_fail(c->doc, schema_key(&shape->funnel.head, "top"),
                              "top: 0 as the bottom, expected one of them above 0");
    if (shape->bowl.head.node && !schema_key(&shape->bowl.head, "depth")) shape->bowl.depth = shape->bowl.radius;
    if (shape->bowl.head.node && shape->bowl.depth > 2.0 * shape->bowl.radius)
        return scree_doc_fail(c->doc, schema_key(&shape->bowl.head, "depth"),
                              "depth: %g m, expected at most two radii, %g m", shape->bowl.depth,
                              2.0 * shape->bowl.radius);
    if (must_weigh && !schema_key(&c->material[shape->material_index].head, "density"))
        return scree_doc_fail(c->doc, shape->head.node,
                              "no mass: the material '%s' has no density, expected it there, or 'mass' here",
                              c->material[shape->material_index].name.text);
    use_material(c, shape->material_index, is_dynamic);
    return SCREE_OK;
}

scree_status check_grain_shape(scene_checker *c, scene_shape *shape, const scene_head *head, const char *material,
                               int *material_index)
{
    scree_status status = find_material(c, head, material, material_index);
    if (status != SCREE_OK) return status;
    const int must_weigh = !schema_key(head, "mass");
    c->in_generator = 1;
    if (shape->head.node) return check_shape(c, shape, 1, *material_index, must_weigh);
    if (must_weigh && !schema_key(&c->material[*material_index].head, "density"))
        return scree_doc_fail(c->doc, head->node,
                              "no mass: the material '%s' has no density, expected it there, or 'mass' here",
                              c->material[*material_index].name.text);
    use_material(c, *material_index, 1);
    return SCREE_OK;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------------- */

scree_status check_name(scene_checker *c, const scene_head *head, const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    char quote[SCREE_DOC_QUOTE_SIZE];
    const scree_doc_node *node = schema_node(head, "name");
    if (name[strspn(name, allowed)] == '\0' && strlen(name) <= 60) return SCREE_OK;
    return scree_doc_fail(c->doc, node, "name: expected at most 60 letters, digits, '_' and '-', found %s",
                          scree_doc_quote(node, quote));
}

static const char *const kind_name[] = {"dynamic", "fixed", "driven"};

/// Keys that a body of this kind has no use for.
static scree_status check_unread(scene_checker *c, const scene_body *body)
{
    static const struct {
        const char *key;
        int dynamic, driven;
    } reads[] = {{"velocity", 1, 0},       {"spin", 1, 0},  {"mass", 1, 0},   {"inertia", 1, 0}, {"inertia_axes", 1, 0},
                 {"center_of_mass", 1, 0}, {"force", 1, 0}, {"moment", 1, 0}, {"motion", 0, 1}};
    for (size_t k = 0; k < sizeof reads / sizeof *reads; ++k) {
        const scree_doc_node *key = schema_key(&body->head, reads[k].key);
        if (!key || (body->kind == SCREE_BODY_DYNAMIC && reads[k].dynamic) ||
            (body->kind == SCREE_BODY_DRIVEN && reads[k].driven))
            continue;
        return scree_doc_fail(c->doc, key, "a %s body does not read '%s', expected it left out%s",
                              kind_name[body->kind], reads[k].key,
                              reads[k].dynamic && body->kind == SCREE_BODY_DRIVEN ? " (see 'motion')" : "");
    }
    return SCREE_OK;
}

/// Velocities out of the plane of a planar scene.
scree_status check_planar(scene_checker *c, const scene_head *head, const double velocity[3], const double spin[3])
{
    static const char *const planes[] = {"", "xy", "xz", "yz"};
    int normal = c->root->planar == SCREE_PLANAR_XY ? 2 : c->root->planar == SCREE_PLANAR_XZ ? 1 : 0;
    if (c->root->planar == SCREE_PLANAR_NONE) return SCREE_OK;
    if (velocity[normal] != 0.0)
        return scree_doc_fail(c->doc, schema_node(head, "velocity"),
                              "velocity: points out of the plane %s, expected %c = 0", planes[c->root->planar],
                              "xyz"[normal]);
    for (int k = 0; k < 3; ++k)
        if (k != normal && spin[k] != 0.0)
            return scree_doc_fail(c->doc, schema_node(head, "spin"),
                                  "spin: not about the normal of the plane %s, expected %c = 0",
                                  planes[c->root->planar], "xyz"[k]);
    return SCREE_OK;
}

static scree_status check_inertia(scene_checker *c, const scene_body *body)
{
    static const char *const apart[] = {"inertia_axes", "center_of_mass"};
    const scree_doc_node *key = schema_key(&body->head, "inertia");
    const double *I = body->inertia;
    for (int k = 0; k < 2 && !key; ++k)
        if (schema_key(&body->head, apart[k]))
            return scree_doc_fail(c->doc, schema_key(&body->head, apart[k]), "'%s' without 'inertia', expected both",
                                  apart[k]);
    if (!key) return SCREE_OK;
    if (!schema_key(&body->head, "mass")) return scree_doc_fail(c->doc, key, "'inertia' without 'mass', expected both");
    double sum = I[0] + I[1] + I[2], largest = number_max(number_max(I[0], I[1]), I[2]);
    if (largest > (sum - largest) * (1.0 + 1e-9))
        return scree_doc_fail(c->doc, key->value,
                              "inertia: no body has such moments, expected none larger than the sum of the other two");
    return SCREE_OK;
}

static scree_status check_body(scene_checker *c, scene_body *body)
{
    scene_shape *shape = schema_key(&body->head, "shapes") ? body->shapes.item : &body->shape;
    int count = schema_key(&body->head, "shapes") ? body->shapes.count : 1, has_surface = 0,
        moves = body->motion.head.node != NULL;
    scree_status status = SCREE_OK;

    if (count == 0) return scree_doc_fail(c->doc, schema_node(&body->head, "shapes"), "shapes: expected at least one");
    for (int k = 0; k < count; ++k) has_surface |= shape[k].plane.head.node || is_surface(&shape[k]);
    if (!schema_key(&body->head, "kind"))
        body->kind = moves ? SCREE_BODY_DRIVEN : has_surface ? SCREE_BODY_FIXED : SCREE_BODY_DYNAMIC;
    if (body->name) status = check_name(c, &body->head, body->name);
    if (status == SCREE_OK) status = check_unread(c, body);
    if (status != SCREE_OK) return status;
    if (body->kind == SCREE_BODY_DRIVEN && !moves)
        return scree_doc_fail(c->doc, schema_node(&body->head, "kind"),
                              "a driven body needs 'motion', expected that key");
    if (moves && !schema_key(&body->motion.head, "velocity") && !schema_key(&body->motion.head, "spin") &&
        !schema_key(&body->motion.head, "oscillation") && !schema_key(&body->motion.head, "servo"))
        return scree_doc_fail(c->doc, schema_key(&body->head, "motion"),
                              "motion: nothing in it, expected velocity, spin, oscillation or servo");

    int inherits = 0; /* shapes that take the material of the body */
    for (int k = 0; k < count; ++k) inherits += shape[k].material == NULL;
    if (inherits > 0) status = find_material(c, &body->head, body->material, &body->material_index);
    else if (body->material)
        return scree_doc_fail(c->doc, schema_key(&body->head, "material"),
                              "no shape reads 'material', each has its own; expected it left out");
    int is_dynamic = body->kind == SCREE_BODY_DYNAMIC, must_weigh = is_dynamic && !schema_key(&body->head, "mass");
    c->in_generator = 0;
    for (int k = 0; k < count && status == SCREE_OK; ++k)
        status = check_shape(c, &shape[k], is_dynamic, body->material_index, must_weigh);
    if (status == SCREE_OK) status = check_inertia(c, body);
    if (status == SCREE_OK) status = check_planar(c, &body->head, body->velocity, body->spin);
    return status;
}

typedef struct named_body {
    const scene_body *body;
} named_body;

static int compare_names(const void *a, const void *b)
{
    const scene_body *x = ((const named_body *)a)->body, *y = ((const named_body *)b)->body;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x > y) - (x < y); /* of one array */
}

/// Names of bodies are there once. By sorting: there may be many.
static scree_status check_unique_names(scene_checker *c)
{
    const scene_body *body = c->root->bodies.item, *first = NULL, *second = NULL;
    const scene_generator *g = c->root->generators.item;
    int count = 0, total = c->root->bodies.count;
    named_body *sorted = scree_doc_alloc(c->doc, ((size_t)total + 1) * sizeof *sorted);
    if (!sorted) return scree_doc_no_memory(c->doc->name, c->doc->error);
    for (int k = 0; k < total; ++k)
        if (body[k].name) sorted[count++].body = &body[k];
    qsort(sorted, (size_t)count, sizeof *sorted, compare_names);
    for (int k = 1; k < count; ++k) /* the first in the file that repeats a name */
        if (strcmp(sorted[k - 1].body->name, sorted[k].body->name) == 0 && (!second || sorted[k].body < second))
            first = sorted[k - 1].body, second = sorted[k].body;
    if (second)
        return scree_doc_fail(c->doc, schema_node(&second->head, "name"),
                              "a second body named '%s', expected another name (first at line %d)", second->name,
                              first->head.node->line);
    for (int k = 0; k < c->root->generators.count; ++k)
        for (int b = 0; b < count; ++b)
            if (strcmp(g[k].name, sorted[b].body->name) == 0)
                return scree_doc_fail(c->doc, schema_node(&g[k].head, "name"),
                                      "name: a body is named '%s' too (line %d), expected another name", g[k].name,
                                      sorted[b].body->head.node->line);
    return SCREE_OK;
}

static scree_status check_container(scene_checker *c)
{
    scene_container *box = &c->root->container;
    if (!box->head.node) return SCREE_OK;
    if (!schema_key(&box->head, "floor") && !schema_key(&box->head, "x") && !schema_key(&box->head, "y") &&
        !schema_key(&box->head, "lid"))
        return scree_doc_fail(c->doc, box->head.node, "the container has no wall, expected one of: floor, x, y, lid");
    if (schema_key(&box->head, "floor") && schema_key(&box->head, "lid") && !(box->lid > box->floor))
        return scree_doc_fail(c->doc, schema_node(&box->head, "lid"), "lid: expected it above the floor");
    scree_status status = check_name(c, &box->head, box->name);
    if (status == SCREE_OK) status = find_material(c, &box->head, box->material, &box->material_index);
    c->in_generator = 0;
    if (status == SCREE_OK) use_material(c, box->material_index, 0);
    return status;
}

/* ---- coefficients that nothing reads ---------------------------------------------------------------------------------------- */

static const char *const coefficient[] = {"friction",        "rolling",        "spinning",
                                          "friction_static", "rolling_static", "spinning_static",
                                          "restitution",     "stiffness",      "dem"};
enum { COEFFICIENTS = sizeof coefficient / sizeof *coefficient };

/// 1 if two bodies of these materials exist of which one is dynamic.
static int can_meet(const scene_checker *c, int a, int b)
{
    if (a == b) return c->dynamic[a] > 0 && c->dynamic[a] + c->immovable[a] > 1;
    return (c->dynamic[a] > 0 && c->dynamic[b] + c->immovable[b] > 0) || (c->dynamic[b] > 0 && c->immovable[a] > 0);
}

/// The pair of two materials; NULL: the mixing rule.
static const scene_pair *find_pair(const scene_checker *c, int a, int b)
{
    const scene_pair *pair = c->root->pairs.item;
    for (int k = 0; k < c->root->pairs.count; ++k)
        if ((pair[k].material[0] == a && pair[k].material[1] == b) ||
            (pair[k].material[0] == b && pair[k].material[1] == a))
            return &pair[k];
    return NULL;
}

static scree_status check_pairs(scene_checker *c)
{
    const char *words[SCENE_MATERIALS_MAX];
    scene_pair *pair = c->root->pairs.item;
    for (int k = 0; k < c->material_count; ++k) words[k] = c->material[k].name.text;
    if (c->root->pairs.count > SCENE_MATERIALS_MAX * 4)
        return scree_doc_fail(c->doc, schema_node(&c->root->head, "pairs"), "pairs: expected at most %d, found %d",
                              SCENE_MATERIALS_MAX * 4, c->root->pairs.count);
    for (int k = 0; k < c->root->pairs.count; ++k) {
        const scene_head *head = &pair[k].head;
        int given = 0;
        for (int side = 0; side < 2; ++side) {
            int *m = &pair[k].material[side];
            for (*m = 0; *m < c->material_count && strcmp(words[*m], pair[k].between[side]->text) != 0;) ++*m;
            if (*m == c->material_count)
                return scree_doc_not_among(c->doc, pair[k].between[side], "unknown material", words, c->material_count);
        }
        for (int j = 0; j < k; ++j)
            if ((pair[j].material[0] == pair[k].material[0] && pair[j].material[1] == pair[k].material[1]) ||
                (pair[j].material[0] == pair[k].material[1] && pair[j].material[1] == pair[k].material[0]))
                return scree_doc_fail(c->doc, schema_node(head, "between"),
                                      "a second rule for this pair, expected one (first at line %d)",
                                      pair[j].head.node->line);
        for (int q = 0; q < COEFFICIENTS; ++q) given |= schema_key(head, coefficient[q]) != NULL;
        if (given && !pair[k].touching)
            return scree_doc_fail(
                c->doc, schema_key(head, "touching"),
                "a pair that does not touch has coefficients, expected `between` and `touching` alone");
        if (!given && pair[k].touching)
            return scree_doc_fail(c->doc, head->node,
                                  "a pair without coefficients, expected friction, rolling, ..., or touching: false");
        if (!can_meet(c, pair[k].material[0], pair[k].material[1]))
            return scree_doc_fail(c->doc, schema_node(head, "between"),
                                  "no dynamic body of these materials meets the other, expected the pair left out");
    }
    return SCREE_OK;
}

/// 1 if something touches material m. Its coefficients may then stand there, also where pairs give others for all of its contacts.
static int is_touched(const scene_checker *c, int m)
{
    for (int other = 0; other < c->material_count; ++other) {
        if (!can_meet(c, m, other)) continue;
        const scene_pair *pair = find_pair(c, m, other);
        if (!pair || pair->touching) return 1;
    }
    return 0;
}

/// Where a planar scene says spinning.
static scree_status check_spinning(scene_checker *c, const scene_head *head)
{
    static const char *const keys[] = {"spinning", "spinning_static"};
    for (int k = 0; k < 2 && c->root->planar != SCREE_PLANAR_NONE; ++k) {
        const scree_doc_node *key = schema_key(head, keys[k]);
        if (key)
            return scree_doc_fail(c->doc, key,
                                  "nothing spins about the normals of a planar scene, expected '%s' left out", keys[k]);
    }
    return SCREE_OK;
}

static scree_status check_coefficients(scene_checker *c)
{
    const scene_pair *pair = c->root->pairs.item;
    int any_dynamic = 0;
    for (int m = 0; m < c->material_count; ++m) {
        if (c->dynamic[m] + c->immovable[m] == 0)
            return scree_doc_fail(c->doc, c->material[m].name.node,
                                  "no body has the material '%s', expected it left out, or named in a body",
                                  c->material[m].name.text);
        any_dynamic |= c->dynamic[m] > 0;
    }
    for (int m = 0; m < c->material_count; ++m) {
        scree_status status = check_spinning(c, &c->material[m].head);
        if (status != SCREE_OK) return status;
        for (int q = 0; q < COEFFICIENTS && any_dynamic; ++q) {
            const scree_doc_node *key = schema_key(&c->material[m].head, coefficient[q]);
            if (key && !is_touched(c, m))
                return scree_doc_fail(c->doc, key,
                                      "no contact can read '%s' of '%s' (nothing touches it), expected it left out",
                                      coefficient[q], c->material[m].name.text);
        }
    }
    for (int k = 0; k < c->root->pairs.count; ++k) {
        scree_status status = check_spinning(c, &pair[k].head);
        if (status != SCREE_OK) return status;
    }
    for (int q = 0; q < COEFFICIENTS; ++q) {
        const scree_doc_node *key = schema_key(&c->root->mixing.head, coefficient[q]);
        int read = 0;
        for (int a = 0; key && a < c->material_count && !read; ++a)
            for (int b = a + 1; b < c->material_count && !read; ++b) {
                const scene_pair *rule = find_pair(c, a, b);
                read = can_meet(c, a, b) && !(rule && (!rule->touching || schema_key(&rule->head, coefficient[q])));
            }
        if (key && !read)
            return scree_doc_fail(c->doc, key, "no two materials mix their '%s', expected it left out", coefficient[q]);
    }
    return SCREE_OK;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------------ */

/// Gravity in its plane, turned by the slope; a number acts along -z, in the plane xy along -y.
static scree_status check_gravity(scene_checker *c)
{
    static const char *const planes[] = {"", "xy", "xz", "yz"};
    scene_root *root = c->root;
    const scree_doc_node *key = schema_key(&root->head, "gravity");
    for (int k = 0; k < 3; ++k)
        if (fabs(root->gravity[k]) > WORLD_LARGEST)
            return scree_doc_fail(c->doc, schema_node(&root->head, "gravity"), "gravity: %g m/s^2, expected at most %g",
                                  root->gravity[k], WORLD_LARGEST);
    int normal = root->planar == SCREE_PLANAR_XY ? 2 : root->planar == SCREE_PLANAR_XZ ? 1 : 0;
    if (root->planar == SCREE_PLANAR_XY && !(key && key->value->kind == SCREE_DOC_LIST))
        root->gravity[1] = root->gravity[2], root->gravity[2] = 0.0;
    if (root->planar != SCREE_PLANAR_NONE && root->gravity[normal] != 0.0)
        return scree_doc_fail(c->doc, schema_node(&root->head, "gravity"),
                              "gravity: points out of the plane %s, expected %c = 0", planes[root->planar],
                              "xyz"[normal]);
    if (root->slope != 0.0) {
        double *g = root->gravity, sine = real_sin(root->slope), cosine = real_cos(root->slope);
        int down = root->planar == SCREE_PLANAR_XY ? 1 : 2, level = root->planar == SCREE_PLANAR_YZ ? 1 : 0;
        double along = g[level] * cosine - g[down] * sine;
        g[down] = g[down] * cosine + g[level] * sine, g[level] = along;
    }
    return SCREE_OK;
}

/// Beyond SCENE_STEPS_MAX a step is lost in the rounding of the time it is added to, and no run would end.
static scree_status check_steps(scene_checker *c)
{
    const double step = c->root->stepper.options.step, until = c->root->run.until, steps = until / step;
    if (steps <= SCENE_STEPS_MAX) return SCREE_OK;
    const scree_doc_node *key = schema_key(&c->root->stepper.head, "step");
    return scree_doc_fail(c->doc, key ? key : schema_node(&c->root->run.head, "until"),
                          "%g s in steps of %g s are %.3g steps, expected at most %g", until, step, steps,
                          SCENE_STEPS_MAX);
}

/// A cell deforms along its periodic axes only, and is sheared between two of them.
static scree_status check_periodic(scene_checker *c)
{
    static const char *const axis[] = {"x", "y", "z"};
    const scene_periodic *p = &c->root->periodic;
    for (int i = 0; i < p->strain_rate.count; ++i)
        for (int k = 0; k < 3; ++k)
            if (p->strain_rate.value[3 * (size_t)i + (size_t)k] != 0.0 && !schema_key(&p->head, axis[k]))
                return scree_doc_fail(c->doc, schema_node(&p->head, "strain_rate"),
                                      "strain_rate: along %s, which is not periodic, expected 0", axis[k]);
    for (int i = 0; i < p->shear_rate.count; ++i)
        for (int k = 0; k < 3; ++k) {
            const char *along = axis[k == 2], *by = axis[k == 0 ? 1 : 2];
            if (p->shear_rate.value[3 * (size_t)i + (size_t)k] != 0.0 &&
                (!schema_key(&p->head, along) || !schema_key(&p->head, by)))
                return scree_doc_fail(c->doc, schema_node(&p->head, "shear_rate"),
                                      "shear_rate: of %s along %s, which are not both periodic, expected 0", along, by);
        }
    return SCREE_OK;
}

scree_status scene_check(scree_doc *doc, scene_root *root)
{
    scene_checker c = {
        .doc = doc, .root = root, .material = root->materials.item, .material_count = root->materials.count};
    scene_body *body = root->bodies.item;
    scree_status status = check_gravity(&c);
    if (status == SCREE_OK) status = check_steps(&c);
    if (status == SCREE_OK) status = check_periodic(&c);
    for (int k = 0; k < root->bodies.count && status == SCREE_OK; ++k) status = check_body(&c, &body[k]);
    if (status == SCREE_OK) status = check_container(&c);
    if (status == SCREE_OK) status = check_generators(&c);
    if (status == SCREE_OK) status = check_unique_names(&c);
    if (status == SCREE_OK) status = check_joints(&c);
    if (status == SCREE_OK) status = check_measures(&c);
    if (status == SCREE_OK) status = check_pairs(&c);
    if (status == SCREE_OK) status = check_coefficients(&c);
    return status;
}
