/* joints.c: joints come, with everything that is wrong in their definition said in words; access; who does not collide.
 *
 * A joint is given in the world, at the poses that its bodies have when it is added, and kept in their frames: so it starts without
 * error. What it does is in joint_rows.c. */
#include "base/memory.h"
#include "base/text.h"
#include "math/quat.h"
#include "world/world_private.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

scree_joint_def scree_joint_def_default(void)
{
    return (scree_joint_def){
        .cookie = SCREE_COOKIE,
        .kind = SCREE_JOINT_BALL,
        .axis = {0.0, 0.0, 1.0},
        .lower = -SCREE_INFINITY,
        .upper = SCREE_INFINITY,
        .swing = SCREE_INFINITY,
        .rest = (double)NAN,
        .bound = SCREE_INFINITY,
        .turn = {.lower = -SCREE_INFINITY, .upper = SCREE_INFINITY, .rest = (double)NAN, .bound = SCREE_INFINITY}};
}

const char *scree_joint_kind_name(scree_joint_kind kind)
{
    static const char *const names[SCREE_JOINT_KIND_COUNT] = {"ball",     "hinge",       "slider", "fixed",
                                                              "distance", "cylindrical", "slot"};
    return (int)kind >= 0 && kind < SCREE_JOINT_KIND_COUNT ? names[kind] : NULL;
}

/* ---- is the definition sound? Each returns 1, or 0 with the error filled ------------------------------------------------ */

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static int
complain(const scree_joint_def *def, scree_error *error, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    text_format(text, sizeof text, format, arguments);
    va_end(arguments);
    if (def->name) scree_error_set(error, NULL, 0, 0, "joint '%.63s': %s", def->name, text);
    else scree_error_set(error, NULL, 0, 0, "joint: %s", text);
    return 0;
}

static int bodies_sound(const scree_world *w, const scree_joint_def *def, scree_error *error)
{
    int moving = 0;
    const int body[2] = {joint_body(def, 0), joint_body(def, 1)};
    for (int side = 0; side < 2; ++side) {
        if (body[side] < -1 || body[side] >= w->body_count)
            return complain(def, error, "there is no body %d, expected 0 to %d, or none for the ground", body[side],
                            w->body_count - 1);
        if (body[side] >= 0 && w->kind[body[side]] == SCREE_BODY_REMOVED)
            return complain(def, error, "body %d has been removed, expected one that is there", body[side]);
        moving += body[side] >= 0 && w->kind[body[side]] == SCREE_BODY_DYNAMIC;
    }
    if (body[0] == body[1]) return complain(def, error, "it joins a body to itself, expected two bodies");
    return moving > 0 || complain(def, error, "neither of its bodies is dynamic: there is nothing to hold");
}

/// Where a body has come round a periodic world, the anchor may lie beside another image of it.
static int near_body(const scree_world *w, const scree_joint_def *def, int body, const double anchor[3],
                     scree_error *error)
{
    const scree_world_options *o = &w->options;
    char name[128];
    for (int k = 0; k < 3 && body >= 0 && w->kind[body] == SCREE_BODY_DYNAMIC; ++k) {
        double period = o->high[k] - o->low[k], apart = fabs(anchor[k] - w->x[body][k]);
        if (!o->periodic[k] || apart <= 0.5 * period) continue;
        return complain(
            def, error,
            "%s is %g m from its anchor along %c, which repeats itself every %g m; expected the image of the "
            "body that is beside the anchor",
            scree_world_body_name(w, scree_body_at(body), name, sizeof name), apart, "xyz"[k], period);
    }
    return 1;
}

/// Finite, and no farther than a world reaches.
static int number_fits(double value)
{
    return fabs(value) <= WORLD_LARGEST;
}

static int vectors_sound(const scree_world *w, const scree_joint_def *def, scree_error *error)
{
    double n[3], apart[3];
    for (int k = 0; k < 3; ++k)
        if (!number_fits(def->anchor[k]) || !number_fits(def->anchor_b[k]) || !number_fits(def->axis[k]))
            return complain(def, error, "its anchor or axis is not finite, or beyond %g", WORLD_LARGEST);
    if (!near_body(w, def, joint_body(def, 0), def->anchor, error) ||
        !near_body(w, def, joint_body(def, 1), def->kind == SCREE_JOINT_DISTANCE ? def->anchor_b : def->anchor, error))
        return 0;
    vec_sub(def->anchor_b, def->anchor, apart);
    if (def->kind == SCREE_JOINT_DISTANCE && !(vec_norm(apart) > 0.0))
        return complain(def, error, "its two ends coincide, expected a distance above 0");
    if (def->kind == SCREE_JOINT_FIXED || def->kind == SCREE_JOINT_DISTANCE) return 1;
    double length = vec_norm(def->axis);
    if (!(length > 0.0)) return complain(def, error, "its axis is (0, 0, 0), expected a direction");
    if (def->kind == SCREE_JOINT_BALL) return 1;
    if (def->kind == SCREE_JOINT_CYLINDRICAL && w->options.planar != SCREE_PLANAR_NONE)
        return complain(def, error,
                        "a cylindrical joint moves along its axis and about it, which no planar world does; expected a "
                        "slider, a hinge or a slot");
    planar_normal(w->options.planar, n);
    double along = fabs(vec_dot(n, def->axis)) / length;
    if (w->options.planar == SCREE_PLANAR_NONE ||
        (def->kind == SCREE_JOINT_HINGE ? along > 1.0 - 1e-12 : along < 1e-12))
        return 1;
    return complain(def, error, "its axis (%g, %g, %g) is not %s the plane of motion", def->axis[0], def->axis[1],
                    def->axis[2], def->kind == SCREE_JOINT_HINGE ? "along the normal of" : "in");
}

static int number_sound(const scree_joint_def *def, const char *what, double value, int may_be_infinite,
                        scree_error *error)
{
    if (value >= 0.0 && (may_be_infinite || value <= DBL_MAX)) return 1;
    return complain(def, error, "its %s is %g, expected 0 or more", what, value);
}

static int course_sound(const scree_joint_def *def, const scree_joint_turn *drive, scree_error *error)
{
    const scree_time_function *c = &drive->course;
    char text[200];
    if (drive->motor == SCREE_MOTOR_NONE && (c->table.count != 0 || c->amplitude != 0.0))
        return complain(def, error, "a course without a motor that follows it, expected one, or no course");
    if (!number_fits(c->amplitude) || !number_fits(c->frequency) || !number_fits(c->phase))
        return complain(def, error, "its course has amplitude %g, frequency %g and phase %g, expected finite numbers",
                        c->amplitude, c->frequency, c->phase);
    return table_fault(&c->table, 1, "course", text, sizeof text) ? complain(def, error, "%s", text) : 1;
}

static int is_driven(const scree_joint_turn *d)
{
    return d->stiffness != 0.0 || d->damping != 0.0 || d->motor != SCREE_MOTOR_NONE;
}

static int is_held(const scree_joint_turn *d)
{
    return d->friction != 0.0 || d->lower > -DBL_MAX || d->upper < DBL_MAX;
}

/// The numbers of what acts on a coordinate.
static int drive_sound(const scree_joint_def *def, const scree_joint_turn *d, scree_error *error)
{
    if (!number_sound(def, "stiffness", d->stiffness, 0, error) ||
        !number_sound(def, "damping", d->damping, 0, error) || !number_sound(def, "friction", d->friction, 0, error) ||
        !number_sound(def, "motor's bound", d->bound, 1, error) ||
        !number_sound(def, "servo's stiffness", d->servo_stiffness, 0, error) ||
        !number_sound(def, "servo's damping", d->servo_damping, 0, error))
        return 0;
    if (!(d->lower <= d->upper))
        return complain(def, error, "its limits are %g and %g, expected lower <= upper", d->lower, d->upper);
    if ((int)d->motor < 0 || d->motor > SCREE_MOTOR_POSITION || !number_fits(d->target))
        return complain(def, error, "its motor is of kind %d with target %g, expected a kind and a finite target",
                        (int)d->motor, d->target);
    if (d->motor == SCREE_MOTOR_POSITION && !(d->servo_stiffness > 0.0))
        return complain(def, error, "its servo has no stiffness, expected one above 0");
    if (!course_sound(def, d, error)) return 0;
    return isinf(d->rest) ? complain(def, error, "the rest of its spring is infinite, expected a finite number") : 1;
}

static int coordinate_sound(const scree_joint_def *def, scree_error *error)
{
    const scree_joint_turn first = joint_drive(def, 0), *turn = &def->turn;
    const int driven = is_driven(&first), held = is_held(&first);
    if (def->kind == SCREE_JOINT_FIXED && (driven || held))
        return complain(def, error,
                        "a fixed joint has no coordinate for limits, springs, motors or friction; expected a hinge, "
                        "slider or distance");
    if (def->kind == SCREE_JOINT_BALL && driven)
        return complain(def, error, "a ball joint has no spring and no motor; expected a hinge, slider or distance");
    if (def->kind != SCREE_JOINT_BALL && !isinf(def->swing))
        return complain(def, error, "a %s joint does not swing; expected a ball joint",
                        scree_joint_kind_name(def->kind));
    if (!(def->swing > 0.0)) return complain(def, error, "its swing is %g, expected an angle above 0", def->swing);
    if (def->kind != SCREE_JOINT_CYLINDRICAL && (is_driven(turn) || is_held(turn)))
        return complain(def, error, "a %s joint has no second coordinate; expected a cylindrical joint for 'turn'",
                        scree_joint_kind_name(def->kind));
    return drive_sound(def, &first, error) && (def->kind != SCREE_JOINT_CYLINDRICAL || drive_sound(def, turn, error));
}

static int def_sound(const scree_world *w, const scree_joint_def *def, scree_error *error)
{
    if ((int)def->kind < 0 || def->kind >= SCREE_JOINT_KIND_COUNT)
        return complain(def, error,
                        "its kind is %d, expected ball, hinge, slider, fixed, distance, cylindrical or slot",
                        (int)def->kind);
    if (def->name && text_control(def->name, strlen(def->name)) >= 0)
        return complain(def, error, "its name has a control character, expected printable text");
    if (def->name && strlen(def->name) > 63) return complain(def, error, "its name is longer than 63 bytes");
    return bodies_sound(w, def, error) && vectors_sound(w, def, error) && coordinate_sound(def, error);
}

/* ---- making ------------------------------------------------------------------------------------------------------------------ */

/// A point or direction of the world in the frame of a body (-1: the world itself).
static void into_frame(const scree_world *w, int body, const double *point, int is_point, double local[3])
{
    memcpy(local, point, sizeof(vec3));
    if (body < 0) return;
    double r[3];
    memcpy(r, point, sizeof r);
    if (is_point) vec_sub(point, w->x[body], r);
    quat_rotate_inverse(w->q[body], r, local);
}

/// Returns 0 without memory; nothing is then held.
static int fill(const scree_world *w, const scree_joint_def *def, world_joint *j, scree_joint_state *state)
{
    static const double identity[4] = {1.0, 0.0, 0.0, 0.0};
    const double *q_a = joint_body(def, 0) >= 0 ? w->q[joint_body(def, 0)] : identity,
                 *q_b = joint_body(def, 1) >= 0 ? w->q[joint_body(def, 1)] : identity;
    double length = vec_norm(def->axis), inverse[4] = {q_a[0], -q_a[1], -q_a[2], -q_a[3]}, apart[3];
    memset(j, 0, sizeof *j), memset(state, 0, sizeof *state);
    j->def = *def, j->def.name = NULL; /* the caller's memory */
    text_copy(j->name, sizeof j->name, def->name ? def->name : "");
    for (int k = 0; k < 3 && length > 0.0; ++k) j->def.axis[k] = def->axis[k] / length;
    const double *end = def->kind == SCREE_JOINT_DISTANCE ? def->anchor_b : def->anchor;
    into_frame(w, joint_body(def, 0), def->anchor, 1, j->anchor[0]);
    into_frame(w, joint_body(def, 1), end, 1, j->anchor[1]);
    into_frame(w, joint_body(def, 0), j->def.axis, 0, j->axis[0]);
    into_frame(w, joint_body(def, 1), j->def.axis, 0, j->axis[1]);
    quat_mul(inverse, q_b, j->turn);
    vec_sub(def->anchor_b, def->anchor, apart);
    if (def->kind == SCREE_JOINT_DISTANCE) j->length = state->coordinate = vec_norm(apart);
    if (isnan(def->rest)) j->def.rest = state->coordinate;
    if (isnan(def->turn.rest)) j->def.turn.rest = 0.0;
    int copied = table_copy(&w->allocator, &def->course.table, 1, &j->course) &&
                 table_copy(&w->allocator, &def->turn.course.table, 1, &j->turn_course);
    if (!copied) table_free(&w->allocator, &j->course), table_free(&w->allocator, &j->turn_course);
    j->def.course.table = (scree_table){j->course.count, j->course.time, j->course.value};
    j->def.turn.course.table = (scree_table){j->turn_course.count, j->turn_course.time, j->turn_course.value};
    return copied;
}

static int compare_pairs(const void *a, const void *b)
{
    const body_pair *p = a, *q = b;
    return p->first != q->first ? (p->first > q->first) - (p->first < q->first)
                                : (p->second > q->second) - (p->second < q->second);
}

int bodies_kept_apart(const scree_world *w, int body_a, int body_b)
{
    const body_pair key = {body_a < body_b ? body_a : body_b, body_a < body_b ? body_b : body_a};
    return w->apart_count > 0 && bsearch(&key, w->apart, (size_t)w->apart_count, sizeof key, compare_pairs) != NULL;
}

static void keep_apart(scree_world *w, const scree_joint_def *def)
{
    int a = joint_body(def, 0), b = joint_body(def, 1);
    if (def->collide || a < 0 || b < 0 || bodies_kept_apart(w, a, b)) return;
    const body_pair pair = {a < b ? a : b, a < b ? b : a};
    int at = w->apart_count++;
    for (; at > 0 && compare_pairs(&w->apart[at - 1], &pair) > 0; --at) w->apart[at] = w->apart[at - 1];
    w->apart[at] = pair;
}

static scree_status reserve_joints(scree_world *w, int wanted)
{
    if (wanted <= w->joint_capacity) return SCREE_OK;
    int capacity = wanted > 2 * w->joint_capacity ? wanted : 2 * w->joint_capacity;
    const scree_allocator *a = &w->allocator;
    world_joint *joint = world_grow(a, w->joint, w->joint_count, capacity, sizeof *joint);
    if (joint) w->joint = joint;
    scree_joint_state *state = joint ? world_grow(a, w->joint_state, w->joint_count, capacity, sizeof *state) : NULL;
    if (state) w->joint_state = state;
    body_pair *apart = state ? world_grow(a, w->apart, w->apart_count, capacity, sizeof *apart) : NULL;
    if (!apart) return SCREE_ERR_MEMORY;
    w->apart = apart, w->joint_capacity = capacity;
    return SCREE_OK;
}

scree_joint_id scree_world_add_joint(scree_world *w, const scree_joint_def *def, scree_error *error)
{
    const scree_joint_id none = scree_joint_at(-1);
    if (error_stopped(error)) return none;
    if (!error_cookie(def->cookie, "scree_joint_def_default", error)) return none;
    if (!def_sound(w, def, error)) {
        error_keep(error, SCREE_ERR_INPUT);
        return none;
    }
    if (reserve_joints(w, w->joint_count + 1) != SCREE_OK ||
        !fill(w, def, &w->joint[w->joint_count], &w->joint_state[w->joint_count])) {
        complain(def, error, "no memory for it");
        error_keep(error, SCREE_ERR_MEMORY);
        return none;
    }
    keep_apart(w, def);
    for (int side = 0; side < 2; ++side)
        if (joint_body(def, side) >= 0) w->jointed[joint_body(def, side)] = 1;
    return scree_joint_at(w->joint_count++);
}

/* ---- access -------------------------------------------------------------------------------------------------------------------- */

int scree_world_joint_count(const scree_world *w)
{
    return w->joint_count;
}

static world_joint *joint_of(const scree_world *w, scree_joint_id joint)
{
    int index = scree_joint_index(joint);
    SCREE_ASSERT(index >= 0 && index < w->joint_count);
    return &w->joint[index];
}

const scree_joint_def *scree_world_joint(const scree_world *w, scree_joint_id joint)
{
    return &joint_of(w, joint)->def;
}

const char *scree_world_joint_name(const scree_world *w, scree_joint_id joint)
{
    return joint_of(w, joint)->name;
}

const scree_joint_state *scree_world_joint_states(const scree_world *w)
{
    return w->joint_state;
}

scree_joint_id scree_world_find_joint(const scree_world *w, const char *name)
{
    for (int j = 0; j < w->joint_count; ++j)
        if (w->joint[j].name[0] && strcmp(w->joint[j].name, name) == 0) return scree_joint_at(j);
    return scree_joint_at(-1);
}

void scree_world_set_motor(scree_world *w, scree_joint_id joint, double target, double bound)
{
    scree_joint_def *def = &joint_of(w, joint)->def;
    SCREE_ASSERT(def->motor != SCREE_MOTOR_NONE && isfinite(target) && bound >= 0.0);
    def->target = target, def->bound = bound;
}

void scree_world_set_turn_motor(scree_world *w, scree_joint_id joint, double target, double bound)
{
    scree_joint_turn *turn = &joint_of(w, joint)->def.turn;
    SCREE_ASSERT(turn->motor != SCREE_MOTOR_NONE && isfinite(target) && bound >= 0.0);
    turn->target = target, turn->bound = bound;
}
