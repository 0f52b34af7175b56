/* scene_build.c: a checked scene into a world: materials, pairs, bodies in the order of the file, the container, generators,
 * joints. */
#include "scene/scene_build.h"

#include "base/fail.h"
#include "base/memory.h"
#include "math/quat.h"
#include "scene/generators.h"
#include "world/world_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- shapes ----------------------------------------------------------------------------------------------------------- */

/// A rotation that takes z to the unit vector n: the shortest one, but to x and y one whose quaternion is exact, a third of a turn about
/// a diagonal. (A quarter has roots of 1/2, and what they turn is off by 2e-16.) How it turns about n is of no matter to a plane.
static void rotation_to(const double n[3], double q[4])
{
    double c = 1.0 + n[2];                        /* q ~ (1 + z.n, z x n) */
    if (fabs(n[0]) == 1.0 || fabs(n[1]) == 1.0) { /* R e_z = (2(xz + wy), 2(yz - wx), 1 - 2(xx + yy)) */
        q[0] = q[3] = 0.5, q[1] = 0.5 * (n[0] - n[1]), q[2] = 0.5 * (n[0] + n[1]);
        return;
    }
    if (c < 1e-12) {
        q[0] = 0.0, q[1] = 1.0, q[2] = q[3] = 0.0; /* half a turn about x */
        return;
    }
    q[0] = c, q[1] = -n[1], q[2] = n[0], q[3] = 0.0;
    quat_normalise(q);
}

scree_shape scene_shape_make(const scene_shape *s, double scale, int material_index)
{
    const scree_material_id material = scree_material_at(material_index);
    const double *box = s->box.size, *axes = s->ellipsoid.semi_axes;
    scree_shape shape;
    double turned[4];
    if (s->sphere.head.node) shape = scree_shape_sphere(scale * s->sphere.radius, material);
    else if (s->box.head.node)
        shape = scree_shape_box(0.5 * scale * box[0], 0.5 * scale * box[1], 0.5 * scale * box[2], material);
    else if (s->ellipsoid.head.node)
        shape = scree_shape_ellipsoid(scale * axes[0], scale * axes[1], scale * axes[2], material);
    else if (s->capsule.head.node)
        shape = scree_shape_capsule(scale * s->capsule.radius, 0.5 * scale * s->capsule.length, material);
    else if (s->cylinder.head.node)
        shape = scree_shape_cylinder(scale * s->cylinder.radius, 0.5 * scale * s->cylinder.length, material);
    else if (s->cone.head.node) shape = scree_shape_cone(scale * s->cone.radius, scale * s->cone.length, material);
    else if (s->tube.head.node)
        shape =
            scree_shape_tube(scale * s->tube.radius, scale * s->tube.radius, 0.5 * scale * s->tube.length, material);
    else if (s->funnel.head.node)
        shape =
            scree_shape_tube(scale * s->funnel.bottom, scale * s->funnel.top, 0.5 * scale * s->funnel.height, material);
    else if (s->bowl.head.node) shape = scree_shape_bowl(scale * s->bowl.radius, scale * s->bowl.depth, material);
    else if (s->hull.head.node) shape = scree_shape_hull(s->geometry, scale, material);
    else if (s->geometry) shape = scree_shape_mesh(s->geometry, material);
    else shape = scree_shape_plane(material);

    memcpy(shape.position, s->at, sizeof shape.position);
    memcpy(shape.rotation, s->rotation, sizeof shape.rotation);
    if (s->plane.head.node) {
        double to_normal[4];
        rotation_to(s->plane.normal, to_normal);
        quat_mul(s->rotation, to_normal, turned);
        memcpy(shape.rotation, turned, sizeof turned);
    }
    return shape;
}

/* ---- materials ---------------------------------------------------------------------------------------------------------- */

scree_status scene_error_at(const scree_scene *scene, const scree_doc_node *node, scree_status status,
                            scree_error *error)
{
    if (status == SCREE_OK || status == SCREE_ERR_MEMORY || !error) return status;
    scree_doc doc = {.name = scene->name, .error = error, .set = scene->doc.set};
    char text[sizeof error->text];
    memcpy(text, error->text, sizeof text);
    scree_doc_fail(&doc, node, "%s", text);
    return status;
}

/// Arms of two kinds in the two materials have no mixture that a pair could keep. `moving`, `at_rest`: of both; one of the two differs.
static scree_status refuse_mixture(const scree_scene *scene, const scene_pair *pair, const char *key,
                                   const scree_friction_length moving[2], const scree_friction_length at_rest[2],
                                   scree_error *error)
{
    static const char *const name[] = {[SCREE_LENGTH_ABSOLUTE] = "a length",
                                       [SCREE_LENGTH_RATIO] = "a ratio",
                                       [SCREE_LENGTH_REDUCED] = "a ratio of r_eff"};
    scree_doc doc = {.name = scene->name, .error = error, .set = scene->doc.set};
    int kind[2];
    for (int k = 0; k < 2; ++k) kind[k] = at_rest[k].value > 0.0 ? at_rest[k].kind : moving[k].kind;
    if (moving[0].value > 0.0 && moving[1].value > 0.0 && moving[0].kind != moving[1].kind)
        kind[0] = moving[0].kind, kind[1] = moving[1].kind;
    int first = kind[0] < kind[1] ? 0 : 1;
    return scree_doc_fail(&doc, pair->head.node,
                          "the key '%s' is missing in the pair: it is %s in one of the materials and %s in the other",
                          key, name[kind[first]], name[kind[!first]]);
}

/// What a scene's dem map gives.
static scree_dem dem_of(const scene_dem *dem)
{
    scree_dem given = scree_dem_default();
#define SCREE_FIELD(type, field, value, text)                                                                          \
    if (schema_key(&dem->head, #field)) given.field = dem->values.field;
    SCREE_DEM_FIELDS(SCREE_FIELD)
#undef SCREE_FIELD
    if (schema_key(&dem->head, "normal")) given.normal = (scree_dem_normal)(SCREE_DEM_NORMAL_DEFAULT + 1 + dem->normal);
    if (schema_key(&dem->head, "model")) given.model = (scree_dem_model)(SCREE_DEM_MODEL_DEFAULT + 1 + dem->model);
    if (schema_key(&dem->head, "spin")) given.spin = (scree_dem_spin)(SCREE_DEM_SPIN_DEFAULT + 1 + dem->spin);
    if (schema_key(&dem->head, "pulls")) given.pulls = dem->pulls ? SCREE_DEM_PULLS_YES : SCREE_DEM_PULLS_NO;
    return given;
}

/// What the pair gives, on top of the mixture. A coefficient in motion that is given leaves none at rest but its own.
static scree_friction pair_friction_of(const scene_pair *pair, scree_friction mixed)
{
    const scree_friction *own = &pair->friction;
    if (schema_key(&pair->head, "friction")) mixed.mu = own->mu, mixed.mu_static = 0.0;
    if (schema_key(&pair->head, "rolling"))
        mixed.rolling = own->rolling, mixed.rolling_static = (scree_friction_length){0.0, SCREE_LENGTH_ABSOLUTE};
    if (schema_key(&pair->head, "spinning"))
        mixed.spinning = own->spinning, mixed.spinning_static = (scree_friction_length){0.0, SCREE_LENGTH_ABSOLUTE};
    if (schema_key(&pair->head, "friction_static")) mixed.mu_static = own->mu_static;
    if (schema_key(&pair->head, "rolling_static")) mixed.rolling_static = own->rolling_static;
    if (schema_key(&pair->head, "spinning_static")) mixed.spinning_static = own->spinning_static;
    if (schema_key(&pair->head, "restitution")) mixed.restitution = own->restitution;
    if (schema_key(&pair->head, "stiffness")) mixed.stiffness = own->stiffness;
    return mixed;
}

static scree_status add_materials(const scree_scene *scene, scree_world *world, scree_error *error)
{
    const scene_root *root = &scene->root;
    const scene_material *m = root->materials.item;
    const scene_pair *p = root->pairs.item;
    for (int k = 0; k < root->materials.count; ++k) {
        scree_material material = {m[k].name.text, m[k].density, m[k].friction, dem_of(&m[k].dem)};
        scree_material_id id = scree_world_add_material(world, &material, error);
        if (error->status != SCREE_OK) return scene_error_at(scene, m[k].head.node, error->status, error);
        SCREE_ASSERT(scree_material_index(id) == k);
    }
    for (int k = 0; k < root->pairs.count; ++k) { /* what the pair does not say stays as it is mixed */
        int a = p[k].material[0], b = p[k].material[1];
        scree_friction f = pair_friction_of(&p[k], scree_world_pair(world, scree_material_at(a), scree_material_at(b)));
        scree_dem dem = dem_of(&p[k].dem);
        const scree_friction *one = &m[a].friction, *other = &m[b].friction;
        if (isnan(f.rolling.value) || isnan(f.rolling_static.value))
            return refuse_mixture(scene, &p[k], "rolling",
                                  (const scree_friction_length[]){one->rolling, other->rolling},
                                  (const scree_friction_length[]){one->rolling_static, other->rolling_static}, error);
        if (isnan(f.spinning.value) || isnan(f.spinning_static.value))
            return refuse_mixture(scene, &p[k], "spinning",
                                  (const scree_friction_length[]){one->spinning, other->spinning},
                                  (const scree_friction_length[]){one->spinning_static, other->spinning_static}, error);
        scree_status status = scree_world_set_pair(world, scree_material_at(a), scree_material_at(b), &f, error);
        if (status == SCREE_OK)
            status =
                scree_world_set_pair_touching(world, scree_material_at(a), scree_material_at(b), p[k].touching, error);
        if (status == SCREE_OK)
            status = scree_world_set_pair_dem(world, scree_material_at(a), scree_material_at(b), &dem, error);
        if (status != SCREE_OK) return scene_error_at(scene, p[k].head.node, status, error);
    }
    return SCREE_OK;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------------- */

static scree_status add_body(const scree_scene *scene, const scene_body *b, scree_world *world,
                             const scree_allocator *a, scree_error *error)
{
    int several = schema_key(&b->head, "shapes") != NULL, count = several ? b->shapes.count : 1;
    const scene_shape *s = several ? b->shapes.item : &b->shape;
    scree_body_def def = scree_body_def_default();
    scree_shape *shape = memory_array(a, (size_t)count, sizeof *shape);
    if (!shape) return SCREE_ERR_MEMORY;
    for (int k = 0; k < count; ++k) shape[k] = scene_shape_make(&s[k], 1.0, s[k].material_index);

    def.kind = (scree_body_kind)b->kind;
    def.name = b->name;
    def.shapes = shape, def.shape_count = count;
    memcpy(def.position, b->position, sizeof def.position);
    memcpy(def.rotation, b->rotation, sizeof def.rotation);
    memcpy(def.velocity, b->velocity, sizeof def.velocity);
    memcpy(def.spin, b->spin, sizeof def.spin);
    memcpy(def.inertia, b->inertia, sizeof def.inertia);
    if (schema_key(&b->head, "inertia_axes")) memcpy(def.inertia_axes, b->inertia_axes, sizeof def.inertia_axes);
    if (schema_key(&b->head, "center_of_mass")) memcpy(def.centre, b->center, sizeof def.centre);
    def.mass = b->mass;
    def.force = b->force, def.moment = b->moment;
    def.motion = (scree_motion){.velocity = b->motion.velocity,
                                .spin = b->motion.spin,
                                .frequency = b->motion.oscillation.frequency,
                                .phase = b->motion.oscillation.phase,
                                .servo = b->motion.servo.values};
    memcpy(def.motion.amplitude, b->motion.oscillation.amplitude, sizeof def.motion.amplitude);
    const int first = scree_world_shape_count(world);
    scree_world_add_body(world, &def, error);
    memory_free(a, shape);
    /* the step would refuse it too, and could not say where it stands */
    if (error->status == SCREE_OK && periodic_shapes_possible(world, first, error) != SCREE_OK)
        error_keep(error, SCREE_ERR_INPUT);
    return scene_error_at(scene, b->head.node, error->status, error);
}

/// One plane of the container. `axis`, `sign`: its normal.
static scree_status add_wall(const scene_container *box, const char *side, int axis, double sign, double where,
                             scree_world *world, scree_error *error)
{
    char name[80];
    double normal[3] = {0.0, 0.0, 0.0};
    scree_shape plane = scree_shape_plane(scree_material_at(box->material_index));
    normal[axis] = sign;
    rotation_to(normal, plane.rotation);
    snprintf(name, sizeof name, "%s.%s", box->name, side);
    scree_body_def def = scree_body_def_of(plane);
    def.kind = SCREE_BODY_FIXED, def.name = name;
    def.position[axis] = where;
    scree_world_add_body(world, &def, error);
    return error->status;
}

static scree_status add_container(const scree_scene *scene, scree_world *world, scree_error *error)
{
    const scene_container *box = &scene->root.container;
    const struct {
        const char *key, *side;
        int axis;
        double sign, where;
    } wall[] = {{"floor", "floor", 2, 1.0, box->floor}, {"x", "x_min", 0, 1.0, box->x[0]},
                {"x", "x_max", 0, -1.0, box->x[1]},     {"y", "y_min", 1, 1.0, box->y[0]},
                {"y", "y_max", 1, -1.0, box->y[1]},     {"lid", "lid", 2, -1.0, box->lid}};
    scree_status status = SCREE_OK;
    for (size_t k = 0; k < sizeof wall / sizeof *wall && status == SCREE_OK; ++k)
        if (schema_key(&box->head, wall[k].key))
            status = add_wall(box, wall[k].side, wall[k].axis, wall[k].sign, wall[k].where, world, error);
    return status == SCREE_OK ? status : scene_error_at(scene, box->head.node, status, error);
}

/* ---- the world ------------------------------------------------------------------------------------------------------------ */

scree_world_options scree_scene_world_options(const scree_scene *scene)
{
    const scene_root *root = &scene->root;
    scree_world_options options = scree_world_options_default();
    memcpy(options.gravity, root->gravity, sizeof options.gravity);
    options.planar = (scree_planar)root->planar;
    options.margin = root->margin, options.speed_limit = root->speed_limit;
    options.soft = root->stepper.scheme == SCREE_SCHEME_DEM;
    static const char *const axis[] = {"x", "y", "z"};
    for (int k = 0; k < 3; ++k)
        if (schema_key(&root->periodic.head, axis[k]))
            options.periodic[k] = 1, options.low[k] = root->periodic.axis[k][0],
            options.high[k] = root->periodic.axis[k][1];
    options.strain_rate = root->periodic.strain_rate, options.shear_rate = root->periodic.shear_rate;
    options.mix_friction = (scree_mixing)root->mixing.friction;
    options.mix_rolling = (scree_mixing)root->mixing.rolling;
    options.mix_spinning = (scree_mixing)root->mixing.spinning;
    options.mix_restitution = (scree_mixing)root->mixing.restitution;
    options.mix_stiffness = (scree_mixing)root->mixing.stiffness;
    return options;
}

/// Bodies that there will be at the end, so that pouring allocates nothing. Tables are counted when they are read.
static int64_t count_bodies(const scene_root *root)
{
    const scene_generator *g = root->generators.item;
    int64_t count = root->bodies.count + 6;
    for (int k = 0; k < root->generators.count; ++k) {
        if (g[k].lattice.head.node)
            count += (int64_t)g[k].lattice.count[0] * g[k].lattice.count[1] * g[k].lattice.count[2];
        if (g[k].packing.head.node) count += g[k].packing.count;
        if (g[k].pour.head.node) count += g[k].pour.count;
    }
    return count;
}

scree_status scene_build(const scree_scene *scene, const scree_allocator *allocator, scree_world **out,
                         int64_t *left_out, scree_error *error)
{
    const scene_root *root = &scene->root;
    const scene_body *body = root->bodies.item;
    const scene_generator *g = root->generators.item;
    scree_world_options options = scree_scene_world_options(scene);
    scree_error unread = {0};
    if (!error) error = &unread;
    options.allocator = allocator;
    *out = NULL, *left_out = 0;
    scree_world *world = scree_world_create(&options, error);
    scree_status status = error->status;
    if (status == SCREE_OK) status = add_materials(scene, world, error);
    for (int k = 0; k < scene->geometry_count && status == SCREE_OK; ++k)
        status = scree_world_add_geometry(world, scene->geometry[k], error);
    if (status == SCREE_OK) status = scree_world_reserve(world, (int)count_bodies(root), 0, error);
    for (int k = 0; k < root->bodies.count && status == SCREE_OK; ++k)
        status = add_body(scene, &body[k], world, allocator, error);
    if (status == SCREE_OK) status = add_container(scene, world, error);
    for (int k = 0; k < root->generators.count && status == SCREE_OK; ++k) {
        scree_error why = {.text = ""};
        status = generator_fill(scene, k, world, allocator, left_out, &why);
        if (status == SCREE_OK) continue;
        if (error) *error = why;
        if (!why.file[0]) scene_error_at(scene, g[k].head.node, status, error);
    }
    if (status == SCREE_OK) status = scene_add_joints(scene, world, error);
    if (status == SCREE_ERR_MEMORY) scree_error_set(error, scene->name, 0, 0, "out of memory while building the scene");
    if (status != SCREE_OK) scree_world_destroy(world);
    else *out = world;
    return status;
}
