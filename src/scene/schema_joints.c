/* schema_joints.c: the tables of joints (schema.h). Springs and motors stand twice: turning, in rad and N m, and sliding, in m and N. */
#include "scene/schema_tables.h"

/* ---- springs ---------------------------------------------------------------------------------------------------------- */

#define SPRING_FIELDS(stiff, damp, coordinate, start)                                                                  \
    {.key = "stiffness",                                                                                               \
     .type = FIELD_NUMBER,                                                                                             \
     .offset = AT(scene_spring, stiffness),                                                                            \
     .unit = (stiff),                                                                                                  \
     NOT_NEGATIVE,                                                                                                     \
     .text = "Force or torque per unit of the coordinate."},                                                           \
        {.key = "damping",                                                                                             \
         .type = FIELD_NUMBER,                                                                                         \
         .offset = AT(scene_spring, damping),                                                                          \
         .unit = (damp),                                                                                               \
         NOT_NEGATIVE,                                                                                                 \
         .text = "Force or torque per unit of its rate."},                                                             \
    {                                                                                                                  \
        .key = "rest", .type = FIELD_NUMBER, .offset = AT(scene_spring, rest), .unit = (coordinate),                   \
        .text = "Where the spring is without force; not given: " start "."                                             \
    }

static const schema_field turning_spring_fields[] = {
    SPRING_FIELDS(QUANTITY_TURN_STIFFNESS, QUANTITY_TURN_DAMPING, QUANTITY_ANGLE, "as it stands at the start, 0")};
static const schema_object schema_turning_spring = {
    OBJECT("rotational spring", "A spring and damper about an axis.", scene_spring, turning_spring_fields)};

static const schema_field spring_fields[] = {
    SPRING_FIELDS(QUANTITY_STIFFNESS, QUANTITY_DAMPING, QUANTITY_LENGTH, "as it stands at the start")};
static const schema_object schema_spring = {
    OBJECT("spring", "A spring and damper along a line.", scene_spring, spring_fields)};

/* ---- motors ----------------------------------------------------------------------------------------------------------- */

static const schema_field sine_fields[] = {
    {.key = "mean",
     .type = FIELD_NUMBER,
     .offset = AT(scene_course, fixed),
     .unit = QUANTITY_INHERITED,
     .fallback = "0",
     .text = "The value about which it goes."},
    {.key = "amplitude",
     .type = FIELD_NUMBER,
     .offset = AT(scene_course, over.amplitude),
     .unit = QUANTITY_INHERITED,
     REQUIRED,
     .text = "The value at time t is mean + amplitude sin(2 pi frequency t + phase)."},
    SINE_FIELDS(scene_course, over.frequency, over.phase),
};
static const schema_object schema_sine = {
    OBJECT("sine", "A value that goes up and down with time.", scene_course, sine_fields)};

#define MOTOR_FIELDS(rate, coordinate, load, stiff, damp)                                                              \
    {.key = "speed",                                                                                                   \
     .type = FIELD_COURSE,                                                                                             \
     .offset = AT(scene_motor, speed),                                                                                 \
     .unit = (rate),                                                                                                   \
     .object = &schema_sine,                                                                                           \
     .text = "The prescribed rate. Rows are joined by straight lines; before the first and after the last the "        \
             "value stays."},                                                                                          \
        {.key = "position",                                                                                            \
         .type = FIELD_COURSE,                                                                                         \
         .offset = AT(scene_motor, position),                                                                          \
         .unit = (coordinate),                                                                                         \
         .object = &schema_sine,                                                                                       \
         .text = "The prescribed coordinate: a spring with damper towards it, and along with it where it moves."},     \
        {.key = "limit",                                                                                               \
         .type = FIELD_NUMBER,                                                                                         \
         .offset = AT(scene_motor, limit),                                                                             \
         .unit = (load),                                                                                               \
         NOT_NEGATIVE,                                                                                                 \
         .text = "Its largest force or torque, in either direction; not given: none."},                                \
        {.key = "stiffness",                                                                                           \
         .type = FIELD_NUMBER,                                                                                         \
         .offset = AT(scene_motor, stiffness),                                                                         \
         .unit = (stiff),                                                                                              \
         POSITIVE,                                                                                                     \
         .text = "With position: force or torque per unit of the deviation from it."},                                 \
    {                                                                                                                  \
        .key = "damping", .type = FIELD_NUMBER, .offset = AT(scene_motor, damping), .unit = (damp), NOT_NEGATIVE,      \
        .text = "With position: force or torque per unit of the rate of that deviation."                               \
    }

static const schema_field turning_motor_fields[] = {
    MOTOR_FIELDS(QUANTITY_SPIN, QUANTITY_ANGLE, QUANTITY_MOMENT, QUANTITY_TURN_STIFFNESS, QUANTITY_TURN_DAMPING)};
static const schema_object schema_turning_motor = {
    OBJECT("rotational motor", "What drives a hinge.", scene_motor, turning_motor_fields),
    .one_of = {{"speed", "position"}}};

static const schema_field motor_fields[] = {
    MOTOR_FIELDS(QUANTITY_VELOCITY, QUANTITY_LENGTH, QUANTITY_FORCE, QUANTITY_STIFFNESS, QUANTITY_DAMPING)};
static const schema_object schema_motor = {
    OBJECT("motor", "What moves a slider, or changes a distance.", scene_motor, motor_fields),
    .one_of = {{"speed", "position"}}};

/* ---- kinds of joints -------------------------------------------------------------------------------------------------- */

#define ANCHOR(name, member, words)                                                                                    \
    {                                                                                                                  \
        .key = (name), .type = FIELD_VECTOR, .offset = AT(scene_joint_part, member), .unit = QUANTITY_LENGTH,          \
        REQUIRED, .text = (words)                                                                                      \
    }
#define AXIS(words)                                                                                                    \
    {                                                                                                                  \
        .key = "axis", .type = FIELD_DIRECTION, .offset = AT(scene_joint_part, axis), .fallback = "z", .text = (words) \
    }
/// Limits of a coordinate, and its friction.
#define LIMIT_FIELDS(coordinate)                                                                                       \
    {.key = "lower",                                                                                                   \
     .type = FIELD_NUMBER,                                                                                             \
     .offset = AT(scene_drive, lower),                                                                                 \
     .unit = (coordinate),                                                                                             \
     .text = "The coordinate does not go below this; not given: no limit."},                                           \
    {                                                                                                                  \
        .key = "upper", .type = FIELD_NUMBER, .offset = AT(scene_drive, upper), .unit = (coordinate),                  \
        .text = "The coordinate does not go above this; not given: no limit."                                          \
    }
#define FRICTION_FIELD(load)                                                                                           \
    {                                                                                                                  \
        .key = "friction", .type = FIELD_NUMBER, .offset = AT(scene_drive, friction), .unit = (load), NOT_NEGATIVE,    \
        .text = "Dry friction: the force or torque needed to move the joint."                                          \
    }

/// What acts on a coordinate.
#define COORDINATE_FIELDS(coordinate, load, spring_object, motor_object)                                               \
    LIMIT_FIELDS(coordinate),                                                                                          \
        {.key = "spring",                                                                                              \
         .type = FIELD_OBJECT,                                                                                         \
         .offset = AT(scene_drive, spring),                                                                            \
         .object = (spring_object),                                                                                    \
         .text = "A spring and damper."},                                                                              \
        {.key = "motor",                                                                                               \
         .type = FIELD_OBJECT,                                                                                         \
         .offset = AT(scene_drive, motor),                                                                             \
         .object = (motor_object),                                                                                     \
         .text = "A motor."},                                                                                          \
        FRICTION_FIELD(load)

static const schema_field pin_fields[] = {ANCHOR("anchor", anchor, "The point, in the world, at the start.")};
static const schema_field ball_fields[] = {
    ANCHOR("anchor", anchor, "The point, in the world, at the start."),
    AXIS("For limits: a line of both bodies, in the world, at the start. The angle between the line of the one and "
         "that of the other is the swing; "
         "the rotation of the second body about that axis is the twist, the coordinate, 0 at the start."),
    {.key = "swing",
     .type = FIELD_NUMBER,
     .offset = AT(scene_joint_part, swing),
     .unit = QUANTITY_ANGLE,
     POSITIVE,
     .text = "The swing does not go above this; not given: no limit."},
    LIMIT_FIELDS(QUANTITY_ANGLE),
    FRICTION_FIELD(QUANTITY_MOMENT)};
static const schema_object schema_ball = {
    OBJECT("ball joint", "Two points coincide; rotations are free, within limits.", scene_joint_part, ball_fields)};
static const schema_object schema_fixed = {
    OBJECT("fixed joint", "Nothing moves against the other.", scene_joint_part, pin_fields)};

static const schema_field hinge_fields[] = {
    ANCHOR("anchor", anchor, "A point of the axis, in the world, at the start."),
    AXIS("The axis, in the world, at the start. Angles of the second body against the first are right-handed about it, "
         "and 0 at the start."),
    COORDINATE_FIELDS(QUANTITY_ANGLE, QUANTITY_MOMENT, &schema_turning_spring, &schema_turning_motor)};
static const schema_object schema_hinge = {
    OBJECT("hinge", "The second body rotates about an axis.", scene_joint_part, hinge_fields)};

static const schema_field slider_fields[] = {
    ANCHOR("anchor", anchor, "A point of the line, in the world, at the start."),
    AXIS("The line, in the world, at the start; it rotates with the first body. The displacement of the second body "
         "along it is 0 "
         "at the start."),
    COORDINATE_FIELDS(QUANTITY_LENGTH, QUANTITY_FORCE, &schema_spring, &schema_motor)};
static const schema_object schema_slider = {
    OBJECT("slider", "The second body moves along a line of the first, and does not rotate relative to it.",
           scene_joint_part, slider_fields)};

static const schema_field turn_fields[] = {
    COORDINATE_FIELDS(QUANTITY_ANGLE, QUANTITY_MOMENT, &schema_turning_spring, &schema_turning_motor)};
static const schema_object schema_turn_drive = {
    OBJECT("turn", "What acts on the angle of a cylindrical joint.", scene_drive, turn_fields)};

static const schema_field cylindrical_fields[] = {
    ANCHOR("anchor", anchor, "A point of the axis, in the world, at the start."),
    AXIS("The axis, in the world, at the start; it rotates with the first body. Displacement and angle of the second "
         "body "
         "against the first are 0 at the start."),
    COORDINATE_FIELDS(QUANTITY_LENGTH, QUANTITY_FORCE, &schema_spring, &schema_motor),
    {.key = "turn",
     .type = FIELD_OBJECT,
     .offset = AT(scene_joint_part, turn),
     .object = &schema_turn_drive,
     .text = "The same for its rotation: limits, spring, motor, friction."}};
static const schema_object schema_cylindrical = {OBJECT(
    "cylindrical",
    "The second body moves along an axis of the first and rotates about it, as a nut without thread on a rod. The "
    "keys beside `turn` act on the displacement.",
    scene_joint_part, cylindrical_fields)};

static const schema_field slot_fields[] = {
    ANCHOR("anchor", anchor, "The point of the second body, on the line, in the world, at the start."),
    AXIS("The line, in the world, at the start; it rotates with the first body. The displacement of the point along it "
         "is "
         "0 at the start."),
    COORDINATE_FIELDS(QUANTITY_LENGTH, QUANTITY_FORCE, &schema_spring, &schema_motor)};
static const schema_object schema_slot = {OBJECT(
    "slot",
    "A point of the second body moves along a line of the first, and the body rotates freely: in a plane, a pin in a "
    "slot.",
    scene_joint_part, slot_fields)};

static const schema_field distance_fields[] = {
    ANCHOR("from", anchor, "The point of the first body, in the world, at the start."),
    ANCHOR("to", to, "The point of the second body, in the world, at the start."),
    COORDINATE_FIELDS(QUANTITY_LENGTH, QUANTITY_FORCE, &schema_spring, &schema_motor)};
static const schema_object schema_distance = {
    OBJECT("distance",
           "Two points at a distance, which is held; or, where lower, upper, spring or motor are given, they act on it "
           "(a rope has only upper).",
           scene_joint_part, distance_fields)};

/* ---- the joint ---------------------------------------------------------------------------------------------------------- */

#define KIND(name, member, schema, words)                                                                              \
    {                                                                                                                  \
        .key = (name), .type = FIELD_OBJECT, .offset = AT(scene_joint, member), .object = (schema), .text = (words)    \
    }

static const schema_field joint_fields[] = {
    {.key = "name",
     .type = FIELD_TEXT,
     .offset = AT(scene_joint, name),
     .text = "Its name: a joint with a name gets columns in series.csv (force, moment, coordinate)."},
    {.key = "bodies",
     .type = FIELD_NAMES,
     .offset = AT(scene_joint, bodies),
     REQUIRED,
     .text = "The names of the two bodies; ground: the world itself."},
    KIND("ball", ball, &schema_ball, "Two points coincide."),
    KIND("hinge", hinge, &schema_hinge, "Rotates about an axis."),
    KIND("slider", slider, &schema_slider, "Moves along a line."),
    KIND("fixed", fixed, &schema_fixed, "Does not move."),
    KIND("distance", distance, &schema_distance, "Two points at a distance."),
    KIND("cylindrical", cylindrical, &schema_cylindrical, "Moves along an axis and rotates about it."),
    KIND("slot", slot, &schema_slot, "A point moves along a line."),
    {.key = "collide",
     .type = FIELD_FLAG,
     .offset = AT(scene_joint, collide),
     .fallback = "false",
     .text = "Whether the two bodies may also touch."},
};
const schema_object schema_joint = {
    OBJECT("joint", "What holds two bodies together, or one to the ground.", scene_joint, joint_fields),
    .one_of = {{"ball", "hinge", "slider", "fixed", "distance", "cylindrical", "slot"}}};
