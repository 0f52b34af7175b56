/* joint_rows.c: a joint as rows: rates that are zero, or on which limits, springs, motors and friction act.    docs/math/joints.md
 *
 * A row is the derivative of a scalar of the two poses:  rate = a.(v, omega)_A + b.(v, omega)_B.  With p the anchor as each body
 * carries it, e a direction, c a point near the anchors:
 *
 *     along e     b = (e, (c - x_B) x e),  a = -(e, (c - x_A) x e)           of  e.(p_B - p_A)
 *     about e     b = (0, e),              a = -(0, e)                       of the angle about e
 *
 *     ball        along x, y, z                                              p_B - p_A
 *       swing     about axis_A x axis_B                                      the angle of the two axes
 *       twist     about axis_A + axis_B, over 1 + cos(swing)                 B = (swing about a line across axis_A) (twist about axis_A) A
 *     hinge       ball, and about two directions across the axis             axis_A x axis_B
 *     slider      along two directions across the axis, about x, y, z        p_B - p_A, and the rotation of B from where A has it
 *     cylindrical along two directions across the axis, about the same two     of slider and of hinge
 *     slot        along two directions across the axis                       p_B - p_A
 *     fixed       ball, about x, y, z
 *     distance    along p_B - p_A, where the length is held                  |p_B - p_A| - length
 *
 * Both bodies feel the force at one point c, so a joint changes neither the momentum nor the angular momentum of the two together.
 * Where the anchors are apart, by what one step leaves, this costs omega x (p - c) in the rate. The ground and immovable
 * bodies have c: a pendulum's force then goes through its pivot, bit for bit.
 *
 * Rows that cannot move anything (those out of the plane of a planar world) are left out. */
#include "collision/narrow.h"
#include "math/elementary.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "world/world_private.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

/// What the poses say of a joint, in the world.
typedef struct geometry {
    const joint_pose *pose[2];
    double anchor[2][3], axis[3], apart[3]; /* apart: p_B - p_A                                          */
    double point[3];                        /* where forces act                                          */
    double turned[4];                       /* rotation of B from where A would have it, in the world    */
} geometry;

static int moves(const scree_world *w, int body)
{
    return body >= 0 && w->kind[body] == SCREE_BODY_DYNAMIC;
}

static geometry place(const scree_world *w, const world_joint *j, const joint_pose *a, const joint_pose *b)
{
    geometry g = {.pose = {a, b}};
    double carried[4], inverse[4];
    for (int side = 0; side < 2; ++side) {
        quat_rotate(g.pose[side]->q, j->anchor[side], g.anchor[side]);
        vec_add_scaled(g.anchor[side], 1.0, g.pose[side]->x, g.anchor[side]);
    }
    quat_rotate(a->q, j->axis[0], g.axis);
    vec_sub(g.anchor[1], g.anchor[0], g.apart);
    double share = !moves(w, joint_body(&j->def, 0)) ? 0.0 : !moves(w, joint_body(&j->def, 1)) ? 1.0 : 0.5;
    if (j->def.kind == SCREE_JOINT_SLIDER || j->def.kind == SCREE_JOINT_CYLINDRICAL || j->def.kind == SCREE_JOINT_SLOT)
        share = 1.0; /* B is where it is on the axis: there A holds it */
    vec_add_scaled(g.anchor[0], share, g.apart, g.point);
    quat_mul(a->q, j->turn, carried);
    inverse[0] = carried[0];
    for (int k = 0; k < 3; ++k) inverse[1 + k] = -carried[1 + k];
    quat_mul(b->q, inverse, g.turned);
    if (g.turned[0] < 0.0)
        for (int k = 0; k < 4; ++k) g.turned[k] = -g.turned[k];
    return g;
}

/* ---- rows ------------------------------------------------------------------------------------------------------------------ */

typedef struct row_list {
    const scree_world *world;
    const world_joint *joint;
    const geometry *at;
    int count;
    joint_row *row;
} row_list;

/// Does the row move anything? Not where it is out of the plane of motion.
static int has_effect(const row_list *list, const joint_row *row)
{
    const scree_joint_def *def = &list->joint->def;
    double n[3], size = 0.0;
    planar_normal(list->world->options.planar, n);
    for (int side = 0; side < 2; ++side) {
        const double *r = side ? row->b : row->a;
        if (!moves(list->world, joint_body(def, side))) continue;
        for (int k = 0; k < 3; ++k) {
            int planar = list->world->options.planar != SCREE_PLANAR_NONE;
            size += fabs(planar && n[k] != 0.0 ? 0.0 : r[k]) + fabs(planar && n[k] == 0.0 ? 0.0 : r[3 + k]);
        }
    }
    return size > 1e-9;
}

static void add(row_list *list, const joint_row *row)
{
    if (has_effect(list, row)) list->row[list->count++] = *row;
}

static joint_row row_along(const geometry *g, const double e[3], const double point[3])
{
    joint_row r = {.turns = 0};
    double arm[3];
    memcpy(r.point, point, sizeof r.point);
    for (int k = 0; k < 3; ++k) r.a[k] = -e[k], r.b[k] = e[k];
    vec_sub(point, g->pose[0]->x, arm);
    vec_cross(arm, r.a, r.a + 3);
    vec_sub(point, g->pose[1]->x, arm);
    vec_cross(arm, r.b, r.b + 3);
    return r;
}

static joint_row row_about(const geometry *g, const double e[3])
{
    joint_row r = {.turns = 1};
    memcpy(r.point, g->point, sizeof r.point);
    for (int k = 0; k < 3; ++k) r.a[3 + k] = -e[k], r.b[3 + k] = e[k];
    return r;
}

static void hold(row_list *list, int load, joint_row row, double position)
{
    row.load = load, row.position = position;
    add(list, &row);
}

static const double axes[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

static double hold_point(row_list *list)
{
    const geometry *g = list->at;
    for (int k = 0; k < 3; ++k) hold(list, k, row_along(g, axes[k], g->point), g->apart[k]);
    return vec_norm(g->apart);
}

static double hold_rotation(row_list *list)
{
    const geometry *g = list->at;
    for (int k = 0; k < 3; ++k) hold(list, 3 + k, row_about(g, axes[k]), 2.0 * g->turned[1 + k]);
    return 2.0 * vec_norm(g->turned + 1);
}

/// Two directions across the axis, carried by A.
static void across_axis(const row_list *list, double t[2][3])
{
    double local[3];
    vec_tangent(list->joint->axis[0], local);
    quat_rotate(list->at->pose[0]->q, local, t[0]);
    vec_cross(list->at->axis, t[0], t[1]);
}

static void axis_of_b(const row_list *list, double axis[3])
{
    quat_rotate(list->at->pose[1]->q, list->joint->axis[1], axis);
}

static double hold_axis(row_list *list)
{
    const geometry *g = list->at;
    double axis_b[3], tilt[3], t[2][3];
    axis_of_b(list, axis_b);
    vec_cross(g->axis, axis_b, tilt);
    across_axis(list, t);
    for (int k = 0; k < 2; ++k) hold(list, 3 + k, row_about(g, t[k]), vec_dot(t[k], tilt));
    return vec_norm(tilt);
}

static double hold_line(row_list *list)
{
    const geometry *g = list->at;
    double t[2][3], across[2];
    across_axis(list, t);
    for (int k = 0; k < 2; ++k) {
        across[k] = vec_dot(t[k], g->apart);
        hold(list, k, row_along(g, t[k], g->point), across[k]);
    }
    return sqrt(across[0] * across[0] + across[1] * across[1]);
}

/* ---- the coordinate ---------------------------------------------------------------------------------------------------------- */

/// The angle about the axis, in the turn nearest to the last one.
static double hinge_angle(const geometry *g, double last)
{
    double angle = 2.0 * real_atan2(vec_dot(g->turned + 1, g->axis), g->turned[0]);
    return angle + 2.0 * PI * floor((last - angle) / (2.0 * PI) + 0.5);
}

/// The twist of a ball joint, in the turn nearest to the last one: the row about the middle of the two axes, and what its rate is to be
/// multiplied with. It has none where the axes are opposite: then 0 is returned.
static int twist_row(const row_list *list, double last, joint_row *row, double *scale)
{
    const geometry *g = list->at;
    double axis_b[3], middle[3];
    axis_of_b(list, axis_b);
    vec_add_scaled(g->axis, 1.0, axis_b, middle);
    double length = vec_unit(middle, middle); /* 2 cos(swing/2) */
    if (length < 1e-3) return 0;
    *row = row_about(g, middle), *scale = 2.0 / length;
    row->position = hinge_angle(g, last);
    return 1;
}

/// The coordinate, and the row of its rate; `turn`: of the angle of a cylindrical joint.
static joint_row coordinate_row(const row_list *list, int turn, double last)
{
    const geometry *g = list->at;
    joint_row r;
    double e[3] = {1.0, 0.0, 0.0}, length;
    switch (list->joint->def.kind) {
    case SCREE_JOINT_HINGE: r = row_about(g, g->axis), r.position = hinge_angle(g, last); break;
    case SCREE_JOINT_CYLINDRICAL:
        if (turn) {
            r = row_about(g, g->axis), r.position = hinge_angle(g, last);
            break;
        }
        r = row_along(g, g->axis, g->point), r.position = vec_dot(g->axis, g->apart);
        break;
    case SCREE_JOINT_SLOT:
    case SCREE_JOINT_SLIDER: r = row_along(g, g->axis, g->point), r.position = vec_dot(g->axis, g->apart); break;
    default:
        length = vec_norm(g->apart);
        for (int k = 0; k < 3 && length > 0.0; ++k) e[k] = g->apart[k] / length;
        r = row_along(g, e, g->anchor[1]), r.position = length;
    }
    return r;
}

/// The row of a limit opens with its rate: an upper one looks the other way.
static void add_limit(row_list *list, const joint_row *along, int load, double gap, scree_joint_state *state)
{
    joint_row r = *along;
    r.load = load, r.position = gap;
    for (int k = 0; k < 6 && load != SCREE_JOINT_ROW_LOWER && load != SCREE_JOINT_ROW_TURN; ++k)
        r.a[k] = -r.a[k], r.b[k] = -r.b[k];
    add(list, &r);
    double *worst = r.turns ? &state->twist : &state->error;
    *worst = max2(*worst, -gap);
}

static void add_coordinate(row_list *list, int turn, scree_joint_state *state)
{
    const scree_joint_turn drive = joint_drive(&list->joint->def, turn), *def = &drive;
    const int first = turn ? SCREE_JOINT_ROW_TURN - SCREE_JOINT_ROW_LOWER : 0;
    double *coordinate = turn ? &state->turn : &state->coordinate;
    joint_row r = coordinate_row(list, turn, *coordinate);
    *coordinate = r.position;
    int spring = def->stiffness > 0.0 || def->damping > 0.0, motor = def->motor != SCREE_MOTOR_NONE;
    int limited = def->lower > -DBL_MAX || def->upper < DBL_MAX;
    if (list->joint->def.kind == SCREE_JOINT_DISTANCE && !spring && !motor && !limited) {
        hold(list, 0, r, r.position - list->joint->length);
        state->error = fabs(r.position - list->joint->length);
        return;
    }
    if (def->lower > -DBL_MAX) add_limit(list, &r, first + SCREE_JOINT_ROW_LOWER, r.position - def->lower, state);
    if (def->upper < DBL_MAX) add_limit(list, &r, first + SCREE_JOINT_ROW_UPPER, def->upper - r.position, state);
    if (spring) r.load = first + SCREE_JOINT_ROW_SPRING, add(list, &r);
    if (motor) r.load = first + SCREE_JOINT_ROW_MOTOR, add(list, &r);
    if (def->friction > 0.0) r.load = first + SCREE_JOINT_ROW_FRICTION, add(list, &r);
}

/// Limits of twist and swing. The row of a twist is that of its rate divided by `scale`, and so is the gap.
static void add_ball_limits(row_list *list, scree_joint_state *state)
{
    const scree_joint_def *def = &list->joint->def;
    const geometry *g = list->at;
    joint_row r;
    double axis_b[3], across[3], scale;
    if (twist_row(list, state->coordinate, &r, &scale)) {
        state->coordinate = r.position;
        if (def->lower > -DBL_MAX) add_limit(list, &r, SCREE_JOINT_ROW_LOWER, (r.position - def->lower) / scale, state);
        if (def->upper < DBL_MAX) add_limit(list, &r, SCREE_JOINT_ROW_UPPER, (def->upper - r.position) / scale, state);
    }
    if (!(def->swing <= DBL_MAX)) return;
    axis_of_b(list, axis_b);
    vec_cross(g->axis, axis_b, across);
    double sine = vec_unit(across, across), cosine = vec_dot(g->axis, axis_b);
    if (!(sine > 0.0)) return; /* no swing, or half a turn, has no direction */
    r = row_about(g, across);
    add_limit(list, &r, SCREE_JOINT_ROW_SWING, def->swing - real_atan2(sine, cosine), state);
}

/// Friction of a ball joint: along its turning, if it turns; and about three directions of A, for when it is at rest. The stepper takes
/// one or the other.
static void add_ball_friction(row_list *list)
{
    const scree_joint_def *def = &list->joint->def;
    const geometry *g = list->at;
    double spin[2][3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, turning[3], t[3][3];
    if (!(def->friction > 0.0)) return;
    if (joint_body(def, 0) >= 0) body_spin_world(list->world, joint_body(def, 0), spin[0]);
    if (joint_body(def, 1) >= 0) body_spin_world(list->world, joint_body(def, 1), spin[1]);
    vec_sub(spin[1], spin[0], turning);
    memcpy(t[2], g->axis, sizeof t[2]);
    across_axis(list, t);
    joint_row r = row_about(g, vec_unit(turning, turning) > 0.0 ? turning : g->axis);
    r.load = SCREE_JOINT_ROW_FRICTION, add(list, &r);
    for (int k = 0; k < 3; ++k) r = row_about(g, t[k]), r.load = SCREE_JOINT_ROW_GRIP + k, add(list, &r);
}

int joint_rows(const scree_world *w, int joint, const joint_pose *a, const joint_pose *b, scree_joint_state *state,
               joint_row row[SCREE_JOINT_ROWS])
{
    const world_joint *j = &w->joint[joint];
    geometry g = place(w, j, a, b);
    row_list list = {w, j, &g, 0, row};
    state->error = state->twist = 0.0;
    for (int side = 0; side < 2; ++side) {
        int body = joint_body(&j->def, side);
        if (body >= 0 && w->kind[body] == SCREE_BODY_REMOVED) return 0;
    }
    switch (j->def.kind) {
    case SCREE_JOINT_BALL:
        state->error = hold_point(&list);
        add_ball_limits(&list, state), add_ball_friction(&list);
        break;
    case SCREE_JOINT_HINGE: state->error = hold_point(&list), state->twist = hold_axis(&list); break;
    case SCREE_JOINT_SLIDER: state->error = hold_line(&list), state->twist = hold_rotation(&list); break;
    case SCREE_JOINT_FIXED: state->error = hold_point(&list), state->twist = hold_rotation(&list); break;
    case SCREE_JOINT_CYLINDRICAL: state->error = hold_line(&list), state->twist = hold_axis(&list); break;
    case SCREE_JOINT_SLOT: state->error = hold_line(&list); break;
    case SCREE_JOINT_DISTANCE:
    case SCREE_JOINT_KIND_COUNT: break;
    }
    if (j->def.kind != SCREE_JOINT_BALL && j->def.kind != SCREE_JOINT_FIXED) add_coordinate(&list, 0, state);
    if (j->def.kind == SCREE_JOINT_CYLINDRICAL) add_coordinate(&list, 1, state);
    return list.count;
}

joint_row joint_coordinate_row(const scree_world *w, int joint, int turn, const joint_pose *a, const joint_pose *b)
{
    const world_joint *j = &w->joint[joint];
    geometry g = place(w, j, a, b);
    row_list list = {w, j, &g, 0, NULL};
    joint_row r = {.load = 0};
    double scale = 0.0;
    if (j->def.kind == SCREE_JOINT_FIXED) return r;
    if (j->def.kind != SCREE_JOINT_BALL) return coordinate_row(&list, turn, 0.0);
    if (twist_row(&list, 0.0, &r, &scale))
        for (int k = 3; k < 6; ++k) r.a[k] *= scale, r.b[k] *= scale;
    return r;
}
