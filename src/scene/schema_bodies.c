/* schema_bodies.c: the tables of materials, bodies and containers (schema.h). */
#include "scene/schema_tables.h"

/// scree_mixing.
static const char *mixing_word(int index)
{
    return WORD_OF(index, "min", "max", "mean", "geometric");
}

/// scree_body_kind.
static const char *kind_word(int index)
{
    return WORD_OF(index, "dynamic", "fixed", "driven");
}

/* ---- materials ---------------------------------------------------------------------------------------------------------- */

/// scree_dem_normal.
static const char *dem_normal_word(int index)
{
    return WORD_OF(index, "hooke", "hertz", "constant");
}

/// scree_dem_model.
static const char *dem_model_word(int index)
{
    return WORD_OF(index, "tracking", "constant_torque", "sds", "published");
}

/// scree_dem_spin.
static const char *dem_spin_word(int index)
{
    return WORD_OF(index, "heuristic", "hertz");
}

#define DEM_NUMBER(type_, name, value, words)                                                                          \
    {.key = #name, .type = FIELD_NUMBER, .offset = AT(scene_dem, values.name), NOT_NEGATIVE, .text = (words)},

static const schema_field dem_fields[] = {
    {.key = "normal",
     .type = FIELD_CHOICE,
     .offset = AT(scene_dem, normal),
     .choice = dem_normal_word,
     .text = "Law of the normal force; not given: hertz with `young`, else hooke."},
    {.key = "model",
     .type = FIELD_CHOICE,
     .offset = AT(scene_dem, model),
     .choice = dem_model_word,
     .text =
         "Model of friction. tracking: contact points followed on both surfaces; constant_torque: the same sliding, "
         "a rolling torque that never ends; sds: spring, dashpot and slider on integrated velocities; published: "
         "tracking as Fang and Negrut print it, with dashpots that no bound limits."},
    {.key = "spin",
     .type = FIELD_CHOICE,
     .offset = AT(scene_dem, spin),
     .choice = dem_spin_word,
     .text = "Spring of spinning. heuristic: from eta_psi and the curvature; hertz: from the radius of the contact."},
    {.key = "pulls",
     .type = FIELD_FLAG,
     .offset = AT(scene_dem, pulls),
     .text = "Whether the normal force may pull while the bodies part."},
    SCREE_DEM_FIELDS(DEM_NUMBER)};
/* clang-format off */
static const schema_option dem_options[] = {
    {"stiffness",       QUANTITY_STIFFNESS,    RANGE_LOW | RANGE_LOW_OPEN, 0.0, 0.0},
    {"load",            QUANTITY_FORCE,        RANGE_LOW, 0.0, 0.0},
    {"young",           QUANTITY_PRESSURE,     RANGE_LOW | RANGE_LOW_OPEN, 0.0, 0.0},
    {"poisson",         QUANTITY_NUMBER,       RANGE_LOW | RANGE_HIGH, 0.0, 0.5},
    {"slide_stiffness", QUANTITY_STIFFNESS,    RANGE_LOW | RANGE_LOW_OPEN, 0.0, 0.0},
    {"slide_damping",   QUANTITY_DAMPING,      RANGE_LOW, 0.0, 0.0},
    {"roll_curvature",  QUANTITY_CURVATURE,    RANGE_LOW, 0.0, 0.0},
    {"roll_stiffness",  QUANTITY_MOMENT,       RANGE_LOW, 0.0, 0.0},
    {"roll_damping",    QUANTITY_TURN_DAMPING, RANGE_LOW, 0.0, 0.0},
    {"spin_curvature",  QUANTITY_CURVATURE,    RANGE_LOW, 0.0, 0.0},
    {"spin_stiffness",  QUANTITY_MOMENT,       RANGE_LOW, 0.0, 0.0},
    {"spin_damping",    QUANTITY_TURN_DAMPING, RANGE_LOW, 0.0, 0.0},
    {"sds_stiffness",   QUANTITY_STIFFNESS,    RANGE_LOW, 0.0, 0.0},
    {"sds_damping",     QUANTITY_DAMPING,      RANGE_LOW, 0.0, 0.0},
    {NULL, QUANTITY_NUMBER, 0, 0.0, 0.0},
};
/* clang-format on */
static const schema_object schema_dem = {
    OBJECT("dem", "What soft contacts read beside the friction. The other schemes do not read it.", scene_dem,
           dem_fields),
    .option = dem_options};

#define ARM_FIELD(owner, name, words)                                                                                  \
    {                                                                                                                  \
        .key = #name, .type = FIELD_ARM, .offset = AT(owner, friction.name), .unit = QUANTITY_LENGTH, NOT_NEGATIVE,    \
        .text = (words)                                                                                                \
    }

#define FRICTION_FIELDS(owner)                                                                                         \
    {.key = "friction",                                                                                                \
     .type = FIELD_NUMBER,                                                                                             \
     .offset = AT(owner, friction.mu),                                                                                 \
     NOT_NEGATIVE,                                                                                                     \
     .text = "Coefficient of sliding friction (mu)."},                                                                 \
        ARM_FIELD(owner, rolling, "Coefficient of rolling friction (rho): a length, or a ratio of a radius."),         \
        ARM_FIELD(owner, spinning, "Coefficient of spinning friction (sigma): a length, or a ratio of a radius."),     \
        {.key = "friction_static",                                                                                     \
         .type = FIELD_NUMBER,                                                                                         \
         .offset = AT(owner, friction.mu_static),                                                                      \
         NOT_NEGATIVE,                                                                                                 \
         .text = "What it takes to start sliding; not given: the kinetic coefficient."},                               \
        ARM_FIELD(owner, rolling_static, "What it takes to start rolling; not given: the kinetic coefficient."),       \
        ARM_FIELD(owner, spinning_static, "What it takes to start spinning; not given: the kinetic coefficient."),     \
        {.key = "restitution",                                                                                         \
         .type = FIELD_NUMBER,                                                                                         \
         .offset = AT(owner, friction.restitution),                                                                    \
         FROM_TO(0.0, 1.0),                                                                                            \
         .text = "Speed after an impact over speed before it, along the normal."},                                     \
        {.key = "stiffness",                                                                                           \
         .type = FIELD_NUMBER,                                                                                         \
         .offset = AT(owner, friction.stiffness),                                                                      \
         .unit = QUANTITY_STIFFNESS,                                                                                   \
         POSITIVE,                                                                                                     \
         .text = "Normal stiffness of a contact; not given: rigid."},                                                  \
    {                                                                                                                  \
        .key = "dem", .type = FIELD_OBJECT, .offset = AT(owner, dem), .object = &schema_dem,                           \
        .text = "Soft contacts, for `scheme: dem`."                                                                    \
    }

static const schema_field material_fields[] = {
    {.key = "density",
     .type = FIELD_NUMBER,
     .offset = AT(scene_material, density),
     .unit = QUANTITY_DENSITY,
     POSITIVE,
     .text = "Mass per volume: gives dynamic bodies their mass."},
    FRICTION_FIELDS(scene_material),
};
const schema_object schema_material = {OBJECT(
    "material", "What bodies are made of. A coefficient that is not given is zero.", scene_material, material_fields)};

static const schema_field pair_fields[] = {
    {.key = "between",
     .type = FIELD_NAMES,
     .offset = AT(scene_pair, between),
     REQUIRED,
     .text = "The two materials; may be the same one twice."},
    {.key = "touching",
     .type = FIELD_FLAG,
     .offset = AT(scene_pair, touching),
     .fallback = "true",
     .text = "Whether they touch each other; false: they go through each other."},
    FRICTION_FIELDS(scene_pair),
};
const schema_object schema_pair = {OBJECT("pair",
                                          "Coefficients of the contacts between two materials, instead of what "
                                          "the mixing rule gives. Those not given are mixed.",
                                          scene_pair, pair_fields)};

#define MIXING_FIELD(name)                                                                                             \
    {                                                                                                                  \
        .key = #name, .type = FIELD_CHOICE, .offset = AT(scene_mixing, name), .choice = mixing_word,                   \
        .fallback = "min", .text = "How the values of the two materials give that of the contact."                     \
    }

static const schema_field mixing_fields[] = {MIXING_FIELD(friction), MIXING_FIELD(rolling), MIXING_FIELD(spinning),
                                             MIXING_FIELD(restitution), MIXING_FIELD(stiffness)};
const schema_object schema_mixing = {
    OBJECT("mixing", "Rules for contacts of two different materials.", scene_mixing, mixing_fields)};

/* ---- bodies --------------------------------------------------------------------------------------------------------------- */

static const schema_field oscillation_fields[] = {
    {.key = "amplitude",
     .type = FIELD_VECTOR,
     .offset = AT(scene_oscillation, amplitude),
     .unit = QUANTITY_LENGTH,
     REQUIRED,
     .text = "The position gets amplitude sin(2 pi frequency t + phase) added."},
    SINE_FIELDS(scene_oscillation, frequency, phase),
};
static const schema_object schema_oscillation = {
    OBJECT("oscillation", "A harmonic motion.", scene_oscillation, oscillation_fields)};

static const schema_field servo_fields[] = {
    {.key = "axis",
     .type = FIELD_DIRECTION,
     .offset = AT(scene_servo, values.axis),
     REQUIRED,
     .text =
         "The direction of its force: x, -x, y, -y, z, -z or a list of three numbers (its length does not matter)."},
    {.key = "force",
     .type = FIELD_NUMBER,
     .offset = AT(scene_servo, values.force),
     .unit = QUANTITY_FORCE,
     NOT_NEGATIVE,
     REQUIRED,
     .text = "The force, summed over all contacts."},
    {.key = "gain",
     .type = FIELD_NUMBER,
     .offset = AT(scene_servo, values.gain),
     .unit = QUANTITY_MOBILITY,
     POSITIVE,
     REQUIRED,
     .text = "Speed along the axis per force that is missing."},
    {.key = "speed",
     .type = FIELD_NUMBER,
     .offset = AT(scene_servo, values.speed),
     .unit = QUANTITY_VELOCITY,
     NOT_NEGATIVE,
     .fallback = "0",
     .text = "Largest speed along the axis; 0: no limit."},
};
static const schema_object schema_servo = {OBJECT(
    "servo",
    "Pressure control: a wall that exerts a given force; its speed along the axis follows from its contact forces.",
    scene_servo, servo_fields)};

static const schema_field motion_fields[] = {
    {.key = "velocity",
     .type = FIELD_TABLE,
     .offset = AT(scene_motion, velocity),
     .unit = QUANTITY_VELOCITY,
     .text = "Velocity of the body's position."},
    {.key = "spin",
     .type = FIELD_TABLE,
     .offset = AT(scene_motion, spin),
     .unit = QUANTITY_SPIN,
     .text = "Angular velocity about the body's position, in the world frame."},
    {.key = "oscillation",
     .type = FIELD_OBJECT,
     .offset = AT(scene_motion, oscillation),
     .object = &schema_oscillation,
     .text = "A harmonic motion."},
    {.key = "servo",
     .type = FIELD_OBJECT,
     .offset = AT(scene_motion, servo),
     .object = &schema_servo,
     .text = "Pressure control: a force to exert, instead of the motion along one axis."},
};
static const schema_object schema_motion = {
    OBJECT("motion", "How a driven body moves; what is given adds up.", scene_motion, motion_fields)};

static const schema_field body_fields[] = {
    {.key = "name",
     .type = FIELD_TEXT,
     .offset = AT(scene_body, name),
     .text = "What messages, tables and --set call it; letters, digits, '_' and '-'."},
    {.key = "kind",
     .type = FIELD_CHOICE,
     .offset = AT(scene_body, kind),
     .choice = kind_word,
     .text = "dynamic: moves under forces; fixed: never moves; driven: moves as prescribed by `motion`. Not given: "
             "driven with "
             "`motion`, "
             "fixed with a plane, a mesh, heights, a tube, a funnel or a bowl, else dynamic."},
    {.key = "shape",
     .type = FIELD_OBJECT,
     .offset = AT(scene_body, shape),
     .object = &schema_shape,
     .text = "Its shape."},
    {.key = "shapes",
     .type = FIELD_LIST,
     .offset = AT(scene_body, shapes),
     .object = &schema_shape,
     .text = "Its shapes, where it has several."},
    MATERIAL(scene_body),
    {.key = "color",
     .type = FIELD_CHOICE,
     .offset = AT(scene_body, color),
     .choice = color_word,
     .fallback = "auto",
     .text = "Its colour in `scree picture`. auto: colours of stones, walls grey, driven bodies red-brown, planes "
             "nearly white."},
    {.key = "position",
     .type = FIELD_VECTOR,
     .offset = AT(scene_body, position),
     .unit = QUANTITY_LENGTH,
     .text = "Where the frame of its shapes is."},
    {.key = "rotation",
     .type = FIELD_ROTATION,
     .offset = AT(scene_body, rotation),
     .text = "How that frame is rotated."},
    {.key = "velocity",
     .type = FIELD_VECTOR,
     .offset = AT(scene_body, velocity),
     .unit = QUANTITY_VELOCITY,
     .text = "Velocity of the centre of mass at t = 0."},
    {.key = "spin",
     .type = FIELD_VECTOR,
     .offset = AT(scene_body, spin),
     .unit = QUANTITY_SPIN,
     .text = "Angular velocity at t = 0, in the world frame."},
    {.key = "mass",
     .type = FIELD_NUMBER,
     .offset = AT(scene_body, mass),
     .unit = QUANTITY_MASS,
     POSITIVE,
     .text = "Its mass, instead of density times volume."},
    {.key = "inertia",
     .type = FIELD_VECTOR,
     .offset = AT(scene_body, inertia),
     .unit = QUANTITY_INERTIA,
     POSITIVE,
     .text =
         "Moments of inertia about the centre of mass, instead of those of the shapes; needs `mass`. Along the x, y, z "
         "of the shape (hull: along its principal axes); of a body with `shapes`, along those of the body; or along "
         "`inertia_axes`."},
    {.key = "inertia_axes",
     .type = FIELD_ROTATION,
     .offset = AT(scene_body, inertia_axes),
     .text = "How the axes of `inertia` are rotated in the frame of the body."},
    {.key = "center_of_mass",
     .type = FIELD_VECTOR,
     .offset = AT(scene_body, center),
     .unit = QUANTITY_LENGTH,
     .text = "Where the centre of mass is in the frame of the body, instead of that of the shapes; needs `mass` and "
             "`inertia`."},
    {.key = "force",
     .type = FIELD_TABLE,
     .offset = AT(scene_body, force),
     .unit = QUANTITY_FORCE,
     .text = "Force at the centre of mass, beside gravity."},
    {.key = "moment",
     .type = FIELD_TABLE,
     .offset = AT(scene_body, moment),
     .unit = QUANTITY_MOMENT,
     .text = "Moment, in the world frame."},
    {.key = "motion",
     .type = FIELD_OBJECT,
     .offset = AT(scene_body, motion),
     .object = &schema_motion,
     .text = "How a driven body moves."},
    {.key = "until",
     .type = FIELD_NUMBER,
     .offset = AT(scene_body, until),
     .unit = QUANTITY_TIME,
     POSITIVE,
     .text = "When it disappears, as a gate that opens at once: from the first step that begins then or later, nothing "
             "touches it, its joints hold nothing, and frames do not show it. Not given: never."},
};
const schema_object schema_body = {OBJECT("body", "One rigid body.", scene_body, body_fields),
                                   .one_of = {{"shape", "shapes"}}};

#define PERIODIC_AXIS(key_text, index)                                                                                 \
    {                                                                                                                  \
        .key = (key_text), .type = FIELD_INTERVAL, .offset = AT(scene_periodic, axis[index]), .unit = QUANTITY_LENGTH, \
        .text = "Where the world begins and ends along this axis; not given: it has no end."                           \
    }

static const schema_field periodic_fields[] = {
    PERIODIC_AXIS("x", 0),
    PERIODIC_AXIS("y", 1),
    PERIODIC_AXIS("z", 2),
    {.key = "strain_rate",
     .type = FIELD_TABLE,
     .offset = AT(scene_periodic, strain_rate),
     .unit = QUANTITY_FREQUENCY,
     .text = "How fast the cell grows along x, y, z, about its middle, and the bodies move along; below 0: it shrinks. "
             "Lengths are those of the start times exp(rate times time). With the scheme dem."},
    {.key = "shear_rate",
     .type = FIELD_TABLE,
     .offset = AT(scene_periodic, shear_rate),
     .unit = QUANTITY_FREQUENCY,
     .text = "How fast the cell is sheared: how much faster it moves along x a metre further along y, along x a metre "
             "further along z, along y a metre further along z. Velocities are those against that motion. With the "
             "scheme dem."}};
const schema_object schema_periodic = {OBJECT(
    "periodic",
    "What leaves on one side comes in on the other. Moving bodies reach at most a quarter of the period from "
    "centre to surface, planes lie along the axes; bodies with joints continue beyond the period, as their images do.",
    scene_periodic, periodic_fields)};

static const schema_field container_fields[] = {
    {.key = "name",
     .type = FIELD_TEXT,
     .offset = AT(scene_container, name),
     .fallback = "container",
     .text = "Its bodies are called name.floor, name.x_min, name.x_max, name.y_min, name.y_max, name.lid."},
    {.key = "floor",
     .type = FIELD_NUMBER,
     .offset = AT(scene_container, floor),
     .unit = QUANTITY_LENGTH,
     .text = "Height (z) of the floor; not given: no floor."},
    {.key = "x",
     .type = FIELD_INTERVAL,
     .offset = AT(scene_container, x),
     .unit = QUANTITY_LENGTH,
     .text = "Where the two walls across x stand; not given: none."},
    {.key = "y",
     .type = FIELD_INTERVAL,
     .offset = AT(scene_container, y),
     .unit = QUANTITY_LENGTH,
     .text = "Where the two walls across y stand; not given: none."},
    {.key = "lid",
     .type = FIELD_NUMBER,
     .offset = AT(scene_container, lid),
     .unit = QUANTITY_LENGTH,
     .text = "Height (z) of the lid; not given: open."},
    MATERIAL(scene_container),
};
const schema_object schema_container = {OBJECT("container", "A fixed box of planes around the grains, open at the top.",
                                               scene_container, container_fields)};
