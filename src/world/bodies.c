/* bodies.c: bodies come, with everything that is wrong in their definition said in words, and go.
 *
 * The user places shapes in a frame of his choice; a dynamic body is kept in its principal frame (centre of mass, principal axes),
 * and frame_x, frame_q lead back. Fixed and driven bodies are kept in the user's frame: their position is what they turn about. */
#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "collision/geometry_private.h"
#include "collision/surface.h"
#include "math/elementary.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "world/world_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Vectors that should lie in the plane of motion, and quaternions that should be unit, may be off by rounding. */
static const double ROUNDING = 1e-12;

scree_body_def scree_body_def_default(void)
{
    return (scree_body_def){.cookie = SCREE_COOKIE,
                            .kind = SCREE_BODY_DYNAMIC,
                            .rotation = {1.0, 0.0, 0.0, 0.0},
                            .centre = {SCREE_NOT_GIVEN, SCREE_NOT_GIVEN, SCREE_NOT_GIVEN}};
}

scree_body_def scree_body_def_of(scree_shape shape)
{
    scree_body_def def = scree_body_def_default();
    def.shape = shape;
    return def;
}

/// "body 'grain': " and the text.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static int
complain(const scree_body_def *def, scree_error *error, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (def->name) scree_error_set(error, NULL, 0, 0, "body '%.80s': %s", def->name, text);
    else scree_error_set(error, NULL, 0, 0, "body: %s", text);
    return 0;
}

/* ---- is the definition sound? Each returns 1, or 0 with the error filled ---------------------------------------------- */

static int finite_numbers(const scree_body_def *def, const char *what, int count, const double *value,
                          scree_error *error)
{
    for (int i = 0; i < count; ++i)
        if (!(fabs(value[i]) <= WORLD_LARGEST))
            return complain(def, error, "%s[%d] is %g, expected a finite number%s", what, i, value[i],
                            isfinite(value[i]) ? ", at most 1e100" : "");
    return 1;
}

static int rotation_sound(const scree_body_def *def, const char *what, const double q[4], scree_error *error)
{
    if (!finite_numbers(def, what, 4, q, error)) return 0;
    if (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-24) return 1;
    return complain(def, error, "the %s (0, 0, 0, 0) is no quaternion, expected (1, 0, 0, 0) for no rotation", what);
}

static int table_sound(const scree_body_def *def, const char *what, const scree_table *table, scree_error *error)
{
    char text[200];
    return table_fault(table, 3, what, text, sizeof text) ? complain(def, error, "%s", text) : 1;
}

static int shape_sound(const scree_world *w, const scree_body_def *def, int index, scree_error *error)
{
    static const char *const size_name[SCREE_SHAPE_KIND_COUNT][3] = {
        {"radius", NULL, NULL},
        {NULL, NULL, NULL},
        {"half length along x", "half length along y", "half length along z"},
        {"semi-axis along x", "semi-axis along y", "semi-axis along z"},
        {"radius", "half length", NULL},
        {"radius", "half length", NULL},
        {"radius", "height", NULL},
        {"scale", NULL, NULL},
        {NULL, NULL, NULL},
        {NULL, NULL, NULL},
        {"radius", "depth", NULL}};
    const scree_shape *s = &def->shapes[index];
    if ((int)s->kind < 0 || s->kind >= SCREE_SHAPE_KIND_COUNT)
        return complain(def, error, "shape %d is of kind %d, expected 0 to %d", index, (int)s->kind,
                        SCREE_SHAPE_KIND_COUNT - 1);
    for (int i = 0; i < 3 && size_name[s->kind][i]; ++i)
        if (!(s->size[i] > 0.0) || !(s->size[i] <= WORLD_LARGEST))
            return complain(def, error, "shape %d (%s): the %s is %g m, expected a positive length", index,
                            scree_shape_kind_name(s->kind), size_name[s->kind][i], s->size[i]);
    const double *size = s->size;
    if (s->kind == SCREE_SHAPE_TUBE &&
        (!(size[0] >= 0.0 && size[1] >= 0.0 && size[0] + size[1] > 0.0 && size[2] > 0.0) ||
         !isfinite(size[0] + size[1] + size[2])))
        return complain(def, error,
                        "shape %d (tube): its radii are %g and %g m and its half length is %g m, expected positive "
                        "lengths (one radius may be 0)",
                        index, size[0], size[1], size[2]);
    if (s->kind == SCREE_SHAPE_BOWL && size[1] > 2.0 * size[0])
        return complain(def, error, "shape %d (bowl): its depth is %g m, expected at most two radii, %g m", index,
                        size[1], 2.0 * size[0]);
    int needs_points = s->kind == SCREE_SHAPE_HULL || s->kind == SCREE_SHAPE_MESH;
    if (needs_points && (!s->geometry || s->geometry->kind != s->kind))
        return complain(def, error, "shape %d (%s) has %s, expected those of a %s", index,
                        scree_shape_kind_name(s->kind), s->geometry ? "the points of another kind" : "no points",
                        scree_shape_kind_name(s->kind));
    if (!needs_points && s->geometry)
        return complain(def, error, "shape %d (%s) has points, which only a hull or mesh has", index,
                        scree_shape_kind_name(s->kind));
    const int material = scree_material_index(s->material);
    if (material < 0 || material >= w->material_count)
        return complain(def, error, "shape %d (%s) has material %d, but the world has %d of them, numbered from 0",
                        index, scree_shape_kind_name(s->kind), material, w->material_count);
    if (s->kind == SCREE_SHAPE_PLANE && def->kind == SCREE_BODY_DYNAMIC)
        return complain(def, error,
                        "shape %d is a plane, which has no end and no mass: expected a fixed or driven body", index);
    if (shape_is_surface(s->kind) && def->kind == SCREE_BODY_DYNAMIC)
        return complain(def, error, "shape %d is a %s, a surface without mass: expected a fixed or driven body", index,
                        scree_shape_kind_name(s->kind));
    return finite_numbers(def, "shape position", 3, s->position, error) &&
           rotation_sound(def, "shape rotation", s->rotation, error);
}

static int centre_given(const scree_body_def *def)
{
    return !(isnan(def->centre[0]) && isnan(def->centre[1]) && isnan(def->centre[2]));
}

static int axes_given(const scree_body_def *def)
{
    const double *q = def->inertia_axes;
    return q[0] != 0.0 || q[1] != 0.0 || q[2] != 0.0 || q[3] != 0.0;
}

static int inertia_sound(const scree_world *w, const scree_body_def *def, scree_error *error)
{
    const double *I = def->inertia;
    if (!finite_numbers(def, "inertia", 3, I, error) ||
        !finite_numbers(def, "inertia axes", 4, def->inertia_axes, error))
        return 0;
    const int apart = centre_given(def) || axes_given(def);
    if (centre_given(def) && !finite_numbers(def, "centre", 3, def->centre, error)) return 0;
    if (apart && (!(def->mass > 0.0) || I[0] == 0.0))
        return complain(def, error,
                        "its centre of mass or its axes of inertia are given, expected its mass and inertia too");
    if (I[0] == 0.0 && I[1] == 0.0 && I[2] == 0.0) return 1;
    if (!(I[0] > 0.0 && I[1] > 0.0 && I[2] > 0.0))
        return complain(def, error, "its inertia is (%g, %g, %g) kg m^2, expected three positive numbers, or none",
                        I[0], I[1], I[2]);
    double largest = max2(I[0], max2(I[1], I[2])), sum = I[0] + I[1] + I[2];
    if (w->options.planar == SCREE_PLANAR_NONE && largest > (sum - largest) * (1.0 + 1e-9))
        return complain(def, error,
                        "its inertia (%g, %g, %g) kg m^2 belongs to no body: expected none above the sum of the others",
                        I[0], I[1], I[2]);
    return 1;
}

static int mass_sound(const scree_world *w, const scree_body_def *def, scree_error *error)
{
    if (def->kind != SCREE_BODY_DYNAMIC) return 1;
    if (!(def->mass >= 0.0) || !isfinite(def->mass))
        return complain(def, error, "its mass is %g kg, expected a positive number, or 0 for what the densities give",
                        def->mass);
    if (def->mass == 0.0)
        for (int i = 0; i < def->shape_count; ++i)
            if (w->material[scree_material_index(def->shapes[i].material)].density == 0.0)
                return complain(def, error,
                                "shape %d is of material '%.80s', which has no density: expected a density there, "
                                "or a mass of the body",
                                i, w->material[scree_material_index(def->shapes[i].material)].name);
    return inertia_sound(w, def, error);
}

/// In a planar world: `value` in the plane, or (along) normal to it.
static int planar_vector(const scree_body_def *def, const char *what, const double *n, int along, const double *value,
                         scree_error *error)
{
    if (vec_dot(n, n) == 0.0) return 1; /* a spatial world */
    double out = vec_dot(n, value), size = vec_norm(value), in[3];
    vec_add_scaled(value, -out, n, in);
    if (along ? vec_norm(in) <= ROUNDING * size : fabs(out) <= ROUNDING * max2(1.0, size)) return 1;
    return complain(def, error, "its %s (%g, %g, %g) is not %s (the world is planar)", what, value[0], value[1],
                    value[2],
                    along ? "along the normal of the plane of motion" : "in the plane of motion through the origin");
}

static int planar_table(const scree_body_def *def, const char *what, const double *n, int along,
                        const scree_table *table, scree_error *error)
{
    for (int i = 0; i < table->count; ++i)
        if (!planar_vector(def, what, n, along, table->value + 3 * (size_t)i, error)) return 0;
    return 1;
}

static int planar_sound(const scree_world *w, const scree_body_def *def, scree_error *error)
{
    double n[3];
    planar_normal(w->options.planar, n);
    if (!planar_vector(def, "velocity", n, 0, def->velocity, error) ||
        !planar_vector(def, "spin", n, 1, def->spin, error) ||
        !planar_vector(def, "amplitude", n, 0, def->motion.amplitude, error) ||
        !planar_vector(def, "servo axis", n, 0, def->motion.servo.axis, error) ||
        !planar_table(def, "velocity", n, 0, &def->motion.velocity, error) ||
        !planar_table(def, "spin", n, 1, &def->motion.spin, error) ||
        !planar_table(def, "force", n, 0, &def->force, error) ||
        !planar_table(def, "moment", n, 1, &def->moment, error))
        return 0;
    for (int i = 0; i < def->shape_count; ++i) {
        if (def->shapes[i].kind != SCREE_SHAPE_PLANE) continue;
        double q[4], r[4], turned[4], R[9];
        memcpy(q, def->rotation, sizeof q), memcpy(r, def->shapes[i].rotation, sizeof r);
        quat_normalise(q), quat_normalise(r);
        quat_mul(q, r, turned);
        quat_axes(turned, R);
        const double normal[3] = {R[2], R[5], R[8]};
        if (!planar_vector(def, "normal", n, 0, normal, error)) return 0;
    }
    return 1;
}

static int servo_sound(const scree_body_def *def, scree_error *error)
{
    const scree_pressure_control *s = &def->motion.servo;
    if (!(vec_norm(s->axis) > 0.0) && s->gain == 0.0) return 1;
    if (!(fabs(vec_norm(s->axis) - 1.0) <= 1e-9))
        return complain(def, error, "the axis of its servo has length %g, expected 1", vec_norm(s->axis));
    if (!(s->gain > 0.0) || !isfinite(s->gain))
        return complain(def, error, "the gain of its servo is %g m/(N s), expected more than 0", s->gain);
    if (!isfinite(s->force) || !(s->speed >= 0.0))
        return complain(def, error,
                        "its servo has force %g N and speed %g m/s, expected numbers, the speed not negative", s->force,
                        s->speed);
    return 1;
}

/// A zeroed shape has no rotation: there is none.
static int has_shape(const scree_body_def *def)
{
    const double *q = def->shape.rotation;
    return def->shapes != &def->shape || q[0] != 0.0 || q[1] != 0.0 || q[2] != 0.0 || q[3] != 0.0;
}

static int def_sound(const scree_world *w, const scree_body_def *def, scree_error *error)
{
    if ((int)def->kind < 0 || def->kind >= SCREE_BODY_REMOVED)
        return complain(def, error, "its kind is %d, expected dynamic, fixed or driven", (int)def->kind);
    if (def->name && text_control(def->name, strlen(def->name)) >= 0)
        return complain(def, error, "its name has a control character, expected printable text");
    if (def->shape_count < 1 || !has_shape(def)) return complain(def, error, "it has no shape, expected at least one");
    if (!finite_numbers(def, "position", 3, def->position, error) ||
        !finite_numbers(def, "velocity", 3, def->velocity, error) ||
        !finite_numbers(def, "spin", 3, def->spin, error) || !rotation_sound(def, "rotation", def->rotation, error))
        return 0;
    for (int i = 0; i < def->shape_count; ++i)
        if (!shape_sound(w, def, i, error)) return 0;
    if (!table_sound(def, "force", &def->force, error) || !table_sound(def, "moment", &def->moment, error)) return 0;
    const scree_motion *m = &def->motion;
    if (!table_sound(def, "velocity", &m->velocity, error) || !table_sound(def, "spin", &m->spin, error) ||
        !finite_numbers(def, "amplitude", 3, m->amplitude, error) ||
        !finite_numbers(def, "frequency", 1, &m->frequency, error) ||
        !finite_numbers(def, "phase", 1, &m->phase, error))
        return 0;
    if (!servo_sound(def, error)) return 0;
    int moved = m->velocity.count > 0 || m->spin.count > 0 || vec_norm(m->amplitude) > 0.0 || m->servo.gain > 0.0;
    if (moved && def->kind != SCREE_BODY_DRIVEN)
        return complain(def, error, "it has a motion, but only driven bodies follow one");
    if (def->kind != SCREE_BODY_DYNAMIC && (def->force.count > 0 || def->moment.count > 0))
        return complain(def, error, "a force or moment acts on it, but only dynamic bodies feel one");
    if (def->kind != SCREE_BODY_DYNAMIC && (vec_norm(def->velocity) > 0.0 || vec_norm(def->spin) > 0.0))
        return complain(def, error, "it has a velocity or spin, but it is %s",
                        def->kind == SCREE_BODY_FIXED ? "fixed" : "driven: expected a motion");
    return mass_sound(w, def, error) && planar_sound(w, def, error);
}

/* ---- making ------------------------------------------------------------------------------------------------------------- */

/// Mass properties in the user's frame; the masses of the shapes share a given mass as their densities say (or their volumes, if a
/// material has none). `shape_mass` (shape_count) is scratch.
static mass_properties properties(const scree_world *w, const scree_body_def *def, const scree_shape *shape,
                                  double *shape_mass)
{
    int dense = 1;
    double sum = 0.0;
    for (int i = 0; i < def->shape_count; ++i)
        dense = dense && w->material[scree_material_index(shape[i].material)].density > 0.0;
    for (int i = 0; i < def->shape_count; ++i) {
        shape_mass[i] =
            shape_volume(&shape[i]) * (dense ? w->material[scree_material_index(shape[i].material)].density : 1.0);
        sum += shape_mass[i];
    }
    if (def->shape_count == 1 && def->mass > 0.0) shape_mass[0] = def->mass;
    else if (def->mass > 0.0)
        for (int i = 0; i < def->shape_count; ++i) shape_mass[i] *= def->mass / sum;
    mass_properties p = mass_of_shapes(shape, shape_mass, def->shape_count);
    if (def->inertia[0] > 0.0) {
        memcpy(p.inertia, def->inertia, sizeof p.inertia);
        if (def->shape_count > 1) memcpy(p.axes, (const quat){1.0, 0.0, 0.0, 0.0}, sizeof p.axes);
        if (axes_given(def)) memcpy(p.axes, def->inertia_axes, sizeof p.axes), quat_normalise(p.axes);
    }
    if (centre_given(def)) memcpy(p.centre, def->centre, sizeof p.centre);
    return p;
}

/// From the frame of its points to its principal frame.
static void place_hull(scree_shape *shape)
{
    const scree_geometry_mass *m = &shape->geometry->hull.mass;
    double centre[3], offset[3], turned[4];
    for (int i = 0; i < 3; ++i) centre[i] = shape->size[0] * m->centre[i];
    quat_rotate(shape->rotation, centre, offset);
    vec_add_scaled(shape->position, 1.0, offset, shape->position);
    quat_mul(shape->rotation, m->axes, turned);
    memcpy(shape->rotation, turned, sizeof turned);
}

/// Position and rotation of the shape in the frame (centre, axes).
static void re_express(const mass_properties *p, scree_shape *shape)
{
    double r[3], turned[4], inverse[4] = {p->axes[0], -p->axes[1], -p->axes[2], -p->axes[3]};
    vec_sub(shape->position, p->centre, r);
    quat_rotate(inverse, r, shape->position);
    quat_mul(inverse, shape->rotation, turned);
    memcpy(shape->rotation, turned, sizeof turned);
}

static int same_rotation(const double p[4], const double q[4])
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2] && p[3] == q[3];
}

static int is_identity(const double q[4])
{
    return same_rotation(q, (const double[4]){1.0, 0.0, 0.0, 0.0});
}

/// Writes body b of the arrays (not yet counted) and its shapes; nothing can fail any more but the plane of motion.
static int write_dynamic(scree_world *w, const scree_body_def *def, int b, scree_shape *shape, double *shape_mass,
                         scree_error *error)
{
    double n[3], offset[3], local[3], inverse[4];
    mass_properties p = properties(w, def, shape, shape_mass);
    const double positive[4] = {p.mass, p.inertia[0], p.inertia[1], p.inertia[2]};
    for (int i = 0; i < 4; ++i)
        if (!(positive[i] > 0.0) || !isfinite(positive[i]) || !isfinite(1.0 / positive[i]))
            return complain(def, error,
                            "its mass is %g kg and its inertia (%g, %g, %g) kg m^2, expected positive numbers", p.mass,
                            p.inertia[0], p.inertia[1], p.inertia[2]);
    planar_normal(w->options.planar, n);
    if (w->options.planar != SCREE_PLANAR_NONE) {
        quat_rotate_inverse(w->q[b], n, local);
        mass_align(local, &p);
    }
    for (int i = 0; i < def->shape_count; ++i) {
        if (def->shape_count == 1 && same_rotation(p.axes, shape->rotation) && !centre_given(def))
            memset(shape->position, 0, sizeof(vec3)),
                memcpy(shape->rotation, (const quat){1.0, 0.0, 0.0, 0.0}, sizeof(quat));
        else re_express(&p, &shape[i]);
    }
    quat_rotate(w->q[b], p.centre, offset);
    vec_add_scaled(def->position, 1.0, offset, w->x[b]);
    if (!planar_vector(def, "centre of mass", n, 0, w->x[b], error)) return 0;
    double turned[4];
    quat_mul(w->q[b], p.axes, turned);
    if (!is_identity(p.axes)) memcpy(w->q[b], turned, sizeof turned);
    inverse[0] = p.axes[0];
    for (int k = 0; k < 3; ++k) inverse[1 + k] = -p.axes[1 + k], offset[k] = -p.centre[k];
    quat_rotate(inverse, offset, w->frame_x[b]);
    memcpy(w->frame_q[b], inverse, sizeof inverse);
    memcpy(w->v[b], def->velocity, sizeof(vec3));
    quat_rotate_inverse(w->q[b], def->spin, w->omega[b]);
    /* what is out of the plane by rounding is out of it for good */
    double out_x = vec_dot(n, w->x[b]), out_v = vec_dot(n, w->v[b]);
    vec_add_scaled(w->x[b], -out_x, n, w->x[b]);
    vec_add_scaled(w->v[b], -out_v, n, w->v[b]);
    w->mass[b] = p.mass;
    memcpy(w->inertia[b], p.inertia, sizeof(vec3));
    char fault[256];
    return body_fault(w, b, fault, sizeof fault) ? complain(def, error, "%s", fault) : 1;
}

/// What only some bodies have. `*needed` says whether this one is among them; 0: no memory.
static int make_extra(scree_world *w, const scree_body_def *def, int *needed, body_extra *extra)
{
    const scree_motion *m = &def->motion;
    memset(extra, 0, sizeof *extra);
    *needed = def->kind == SCREE_BODY_DRIVEN || def->force.count > 0 || def->moment.count > 0;
    if (!*needed) return 1;
    if (w->extra_count == w->extra_capacity) {
        int capacity = w->extra_capacity > 0 ? 2 * w->extra_capacity : 8;
        void *grown = world_grow(&w->allocator, w->extras, w->extra_count, capacity, sizeof *w->extras);
        if (!grown) return 0;
        w->extras = grown, w->extra_capacity = capacity;
    }
    forcing_motion *motion = &extra->motion;
    memcpy(motion->amplitude, m->amplitude, sizeof motion->amplitude);
    motion->frequency = m->frequency, motion->phase = m->phase;
    memcpy(motion->servo.axis, m->servo.axis, sizeof motion->servo.axis);
    motion->servo.force = m->servo.force, motion->servo.gain = m->servo.gain, motion->servo.speed = m->servo.speed;
    memcpy(extra->start, def->position, sizeof extra->start);
    memcpy(extra->start_rotation, def->rotation, sizeof extra->start_rotation);
    quat_normalise(extra->start_rotation);
    if (table_copy(&w->allocator, &def->force, 3, &extra->load.force) &&
        table_copy(&w->allocator, &def->moment, 3, &extra->load.moment) &&
        table_copy(&w->allocator, &m->velocity, 3, &motion->velocity) &&
        table_copy(&w->allocator, &m->spin, 3, &motion->spin))
        return 1;
    extra_free(&w->allocator, extra);
    return 0;
}

/* Groups by name: a table of group + 1 at the hash of its name, or the next free place after it (0: free); never more than half full.
 * A restored world has names that are not in it yet (group_hashed is then not group_count): it is filled when the next name comes. */

static size_t group_place(const scree_world *w, const char *name)
{
    const size_t mask = (size_t)w->group_slots - 1;
    size_t at = (size_t)hash_bytes(0, name, strlen(name)) & mask;
    while (w->group_slot[at] && strcmp(w->names + w->group_at[w->group_slot[at] - 1], name) != 0) at = (at + 1) & mask;
    return at;
}

/// Room for one more, with all there are in it.
static scree_status reserve_group_slots(scree_world *w)
{
    if (w->group_hashed == w->group_count && w->group_slots >= 2 * (w->group_count + 1)) return SCREE_OK;
    int slots = 64;
    while (slots < 4 * (w->group_count + 1)) slots *= 2;
    int32_t *table = memory_array(&w->allocator, (size_t)slots, sizeof *table);
    if (!table) return SCREE_ERR_MEMORY;
    memory_free(&w->allocator, w->group_slot);
    w->group_slot = table, w->group_slots = slots;
    for (int g = 0; g < w->group_count; ++g) w->group_slot[group_place(w, w->names + w->group_at[g])] = g + 1;
    w->group_hashed = w->group_count;
    return SCREE_OK;
}

/// The group of that name, -1 if there is none yet.
static int find_group(const scree_world *w, const char *name)
{
    const int last = w->group_count - 1; /* bodies of a group come one after the other */
    if (last >= 0 && strcmp(w->names + w->group_at[last], name) == 0) return last;
    if (w->group_slots > 0 && w->group_hashed == w->group_count) return w->group_slot[group_place(w, name)] - 1;
    for (int g = last - 1; g >= 0; --g)
        if (strcmp(w->names + w->group_at[g], name) == 0) return g;
    return -1;
}

static void join_group(scree_world *w, const char *name, int group, int b)
{
    w->group[b] = -1, w->number[b] = 0;
    if (!name) return;
    if (group < 0) {
        group = w->group_count++;
        w->group_at[group] = w->name_bytes, w->group_size[group] = 0;
        size_t size = strlen(name) + 1;
        memcpy(w->names + w->name_bytes, name, size);
        w->name_bytes += (int)size;
        w->group_slot[group_place(w, name)] = group + 1, w->group_hashed = w->group_count;
    }
    w->group[b] = group, w->number[b] = w->group_size[group]++;
}

void world_derive_shapes(scree_world *w, int b)
{
    int first = w->first_shape[b], end = first + w->shape_total[b], bounded = 1;
    double volume = 0.0;
    for (int s = first; s < end; ++s) {
        volume += shape_volume(&w->shape[s]);
        bounded = bounded && w->shape[s].kind != SCREE_SHAPE_PLANE && !shape_is_surface(w->shape[s].kind);
    }
    int one_sphere = end - first == 1 && w->shape[first].kind == SCREE_SHAPE_SPHERE;
    double radius = one_sphere ? w->shape[first].size[0] : real_cbrt(volume * 3.0 / (4.0 * 3.14159265358979323846));
    for (int s = first; s < end; ++s) {
        w->shape_body[s] = b;
        w->shape_extent[s] = shape_radius(&w->shape[s]);
        w->roll_radius[s] = bounded ? radius : SCREE_INFINITY;
        w->shape_link[s].slot = w->shape[s].kind == SCREE_SHAPE_SPHERE ? -1 : w->slot_count++;
    }
}

static scree_status make_room(scree_world *w, const scree_body_def *def, int group)
{
    size_t name_size = def->name && group < 0 ? strlen(def->name) + 1 : 0;
    if (name_size > 1 << 20 || w->shape_count > (1 << 30) - def->shape_count) return SCREE_ERR_MEMORY;
    scree_status status = world_reserve_bodies(w, w->body_count + 1);
    if (status == SCREE_OK) status = world_reserve_shapes(w, w->shape_count + def->shape_count);
    for (int i = 0; i < def->shape_count && status == SCREE_OK; ++i)
        if (def->shapes[i].geometry) status = scree_world_add_geometry(w, def->shapes[i].geometry, NULL);
    if (status == SCREE_OK && name_size > 0)
        status = world_reserve_groups(w, w->group_count + 1, w->name_bytes + (int)name_size);
    if (status == SCREE_OK && name_size > 0) status = reserve_group_slots(w);
    return status;
}

/// `def` has its shapes in `shapes`, whatever their number. Returns the status, and the body's index.
static scree_status add_body(scree_world *w, const scree_body_def *def, int *index, scree_error *error)
{
    if (!def_sound(w, def, error)) return SCREE_ERR_INPUT;
    int b = w->body_count, group = def->name ? find_group(w, def->name) : -1, has_extra;
    body_extra extra;
    double one_mass, *shape_mass = &one_mass;
    if (make_room(w, def, group) != SCREE_OK || !make_extra(w, def, &has_extra, &extra)) goto no_memory;
    if (def->shape_count > 1 &&
        !(shape_mass = memory_array(&w->allocator, (size_t)def->shape_count, sizeof *shape_mass))) {
        extra_free(&w->allocator, &extra);
        goto no_memory;
    }

    scree_shape *shape = w->shape + w->shape_count;
    memcpy(shape, def->shapes, (size_t)def->shape_count * sizeof *shape);
    for (int i = 0; i < def->shape_count; ++i) {
        if (!is_identity(shape[i].rotation)) quat_normalise(shape[i].rotation);
        w->shape_link[w->shape_count + i].material = scree_material_index(shape[i].material);
        w->shape_geometry[w->shape_count + i] = shape[i].geometry ? world_hold_geometry(w, shape[i].geometry) : -1;
        if (shape[i].kind == SCREE_SHAPE_HULL) place_hull(&shape[i]);
    }
    memcpy(w->x[b], def->position, sizeof(vec3));
    memcpy(w->q[b], def->rotation, sizeof(quat));
    if (!is_identity(w->q[b])) quat_normalise(w->q[b]);
    memset(w->v[b], 0, sizeof(vec3)), memset(w->omega[b], 0, sizeof(vec3)), memset(w->inertia[b], 0, sizeof(vec3));
    memset(w->frame_x[b], 0, sizeof(vec3)), memcpy(w->frame_q[b], (const quat){1.0, 0.0, 0.0, 0.0}, sizeof(quat));
    memset(w->spin[b], 0, sizeof(vec3));
    w->soft.scale = w->soft.scale < 0.0 ? w->soft.scale : 0.0;
    w->mass[b] = 0.0, w->kind[b] = (unsigned char)def->kind;
    int sound = def->kind != SCREE_BODY_DYNAMIC || write_dynamic(w, def, b, shape, shape_mass, error);
    if (shape_mass != &one_mass) memory_free(&w->allocator, shape_mass);
    if (!sound) {
        extra_free(&w->allocator, &extra);
        return SCREE_ERR_INPUT;
    }

    w->extra[b] = has_extra ? w->extra_count : -1;
    if (has_extra) w->extras[w->extra_count++] = extra;
    if (def->kind == SCREE_BODY_DRIVEN) {
        double v[3], spin[3];
        body_driven_pose(w, b, w->time, w->x[b], w->q[b]);
        body_driven_velocity(w, b, w->time, 0.0, v, spin);
        memcpy(w->v[b], v, sizeof v);
        quat_rotate_inverse(w->q[b], spin, w->omega[b]);
    }
    w->first_shape[b] = w->shape_count, w->shape_total[b] = def->shape_count;
    world_derive_shapes(w, b);
    join_group(w, def->name, group, b);
    w->shape_count += def->shape_count, ++w->body_count;
    *index = b;
    return SCREE_OK;
no_memory:
    complain(def, error, "no memory for it");
    return SCREE_ERR_MEMORY;
}

scree_body_id scree_world_add_body(scree_world *w, const scree_body_def *def, scree_error *error)
{
    int index = -1;
    if (error_stopped(error)) return scree_body_at(-1);
    if (!error_cookie(def->cookie, "scree_body_def_default", error)) return scree_body_at(-1);
    scree_body_def own = *def;
    if (own.shape_count == 0) own.shapes = &own.shape, own.shape_count = 1;
    error_keep(error, add_body(w, &own, &index, error));
    return scree_body_at(index);
}

scree_body_id scree_world_add_fixed(scree_world *w, scree_shape shape, scree_error *error)
{
    scree_body_def def = scree_body_def_of(shape);
    def.kind = SCREE_BODY_FIXED;
    return scree_world_add_body(w, &def, error);
}

void scree_world_remove_body(scree_world *w, scree_body_id body)
{
    const int index = world_body(w, body);
    (void)world_sync(w, PART_MOTION); /* its place stays as it is now */
    if (index < w->soft.bodies) world_soft_count(w, index, -1.0);
    w->removed += w->kind[index] != SCREE_BODY_REMOVED;
    w->kind[index] = SCREE_BODY_REMOVED;
    w->mass[index] = 0.0;
    memset(w->v[index], 0, sizeof(vec3)), memset(w->omega[index], 0, sizeof(vec3));
}
