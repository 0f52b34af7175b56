/* schema.c: the tables: every key of a scene, what it takes, its default, and what it means. There is no other list of them: the
 * reader (schema_read.c), the JSON Schema and the manual (schema_export.c) walk these tables. */
#include "scene/schema.h"
#include "scene/scene.h"

#include <string.h>

#define COUNT(array)    ((int)(sizeof(array) / sizeof *(array)))
#define AT(owner, name) offsetof(owner, name)
#define OBJECT(title, words, owner, table)                                                                             \
    .name = (title), .text = (words), .size = sizeof(owner), .field = (table), .field_count = COUNT(table)

#define POSITIVE      .range = RANGE_LOW | RANGE_LOW_OPEN, .low = 0.0
#define NOT_NEGATIVE  .range = RANGE_LOW, .low = 0.0
#define FROM_TO(a, b) .range = RANGE_LOW | RANGE_HIGH, .low = (a), .high = (b)
#define REQUIRED      .required = 1
#define MATERIAL(owner)                                                                                                \
    {                                                                                                                  \
        .key = "material", .type = FIELD_TEXT, .offset = AT(owner, material),                                          \
        .text = "Name of the material; may be left out where the scene has only one."                                  \
    }

/* ---- words ------------------------------------------------------------------------------------------------------------ */

#define WORDS(function, ...)                                                                                           \
    static const char *function(int index)                                                                             \
    {                                                                                                                  \
        static const char *const words[] = {__VA_ARGS__};                                                              \
        return index < COUNT(words) ? words[index] : NULL;                                                             \
    }

WORDS(planar_word, "none", "xy", "xz", "yz")          /* scree_planar     */
WORDS(mixing_word, "min", "max", "mean", "geometric") /* scree_mixing     */
WORDS(kind_word, "dynamic", "fixed", "driven")        /* scree_body_kind  */
WORDS(law_word, "coulomb", "convex")                  /* scree_law        */
WORDS(failure_word, "keep", "retry", "stop")          /* scree_on_failure */
WORDS(lattice_word, "sc", "fcc", "hcp")               /* LATTICE_         */
WORDS(orientation_word, "random", "aligned")          /* ORIENT_          */
WORDS(frame_word, "vtp", "dump")                      /* FRAME_ bits      */

static const char *scheme_word(int index)
{
    return index < SCREE_SCHEMES ? scree_scheme_name((scree_scheme)index) : NULL;
}

static const char *solver_word(int index)
{
    const scree_solver_class *c = scree_solver_class_at(index);
    return c ? scree_solver_class_name(c) : NULL;
}

/* ---- shapes ----------------------------------------------------------------------------------------------------------- */

static const schema_field sphere_fields[] = {
    {.key = "radius",
     .type = FIELD_NUMBER,
     .offset = AT(scene_sphere, radius),
     .unit = QUANTITY_LENGTH,
     POSITIVE,
     REQUIRED,
     .text = "Its radius."},
};
static const schema_object schema_sphere = {OBJECT("sphere", "A ball.", scene_sphere, sphere_fields)};

static const schema_field box_fields[] = {
    {.key = "size",
     .type = FIELD_VECTOR,
     .offset = AT(scene_box, size),
     .unit = QUANTITY_LENGTH,
     POSITIVE,
     REQUIRED,
     .text = "Full lengths of its edges along x, y, z."},
};
static const schema_object schema_box = {OBJECT("box", "A cuboid.", scene_box, box_fields)};

static const schema_field plane_fields[] = {
    {.key = "normal",
     .type = FIELD_DIRECTION,
     .offset = AT(scene_plane, normal),
     .fallback = "z",
     .text = "Direction out of the solid half-space: x, -x, y, -y, z, -z or a list of three numbers (its length does "
             "not matter)."},
};
static const schema_object schema_plane = {
    OBJECT("plane", "A half-space: solid below, free on the side of the normal. It has no end and is never dynamic.",
           scene_plane, plane_fields)};

static const schema_field ellipsoid_fields[] = {
    {.key = "semi_axes",
     .type = FIELD_VECTOR,
     .offset = AT(scene_ellipsoid, semi_axes),
     .unit = QUANTITY_LENGTH,
     POSITIVE,
     REQUIRED,
     .text = "Half of its lengths along x, y, z."},
};
static const schema_object schema_ellipsoid = {OBJECT("ellipsoid", "An ellipsoid.", scene_ellipsoid, ellipsoid_fields)};

static const schema_field capsule_fields[] = {
    {.key = "radius",
     .type = FIELD_NUMBER,
     .offset = AT(scene_capsule, radius),
     .unit = QUANTITY_LENGTH,
     POSITIVE,
     REQUIRED,
     .text = "Radius of the cylinder and of its round ends."},
    {.key = "length",
     .type = FIELD_NUMBER,
     .offset = AT(scene_capsule, length),
     .unit = QUANTITY_LENGTH,
     POSITIVE,
     REQUIRED,
     .text = "Length of the straight part, along z; the whole is two radii longer."},
};
static const schema_object schema_capsule = {
    OBJECT("capsule", "A cylinder with round ends, along z.", scene_capsule, capsule_fields)};

static const schema_field turn_fields[] = {
    {.key = "axis",
     .type = FIELD_DIRECTION,
     .offset = AT(scene_turn, axis),
     REQUIRED,
     .text = "The axis: x, -x, y, -y, z, -z or a list of three numbers (its length does not matter)."},
    {.key = "angle",
     .type = FIELD_NUMBER,
     .offset = AT(scene_turn, angle),
     .unit = QUANTITY_ANGLE,
     REQUIRED,
     .text = "The angle, right-handed about the axis."},
};
const schema_object schema_turn = {OBJECT("rotation", "A rotation about an axis.", scene_turn, turn_fields)};

static const schema_field shape_fields[] = {
    {.key = "sphere",
     .type = FIELD_OBJECT,
     .offset = AT(scene_shape, sphere),
     .object = &schema_sphere,
     .text = "A ball."},
    {.key = "box", .type = FIELD_OBJECT, .offset = AT(scene_shape, box), .object = &schema_box, .text = "A cuboid."},
    {.key = "plane",
     .type = FIELD_OBJECT,
     .offset = AT(scene_shape, plane),
     .object = &schema_plane,
     .text = "A half-space."},
    {.key = "ellipsoid",
     .type = FIELD_OBJECT,
     .offset = AT(scene_shape, ellipsoid),
     .object = &schema_ellipsoid,
     .text = "An ellipsoid."},
    {.key = "capsule",
     .type = FIELD_OBJECT,
     .offset = AT(scene_shape, capsule),
     .object = &schema_capsule,
     .text = "A cylinder with round ends."},
    {.key = "at",
     .type = FIELD_VECTOR,
     .offset = AT(scene_shape, at),
     .unit = QUANTITY_LENGTH,
     .text = "Where its middle is in the frame of the body."},
    {.key = "rotation",
     .type = FIELD_ROTATION,
     .offset = AT(scene_shape, rotation),
     .text = "How it is turned in the frame of the body."},
    {.key = "material",
     .type = FIELD_TEXT,
     .offset = AT(scene_shape, material),
     .text = "Its material, where it is not that of the body."},
};
static const schema_object schema_shape = {OBJECT("shape", "One shape, named by its key.", scene_shape, shape_fields),
                                           .one_of = {{"sphere", "box", "plane", "ellipsoid", "capsule"}}};

/* ---- materials ---------------------------------------------------------------------------------------------------------- */

#define FRICTION_FIELDS(owner)                                                                                         \
    {.key = "friction",                                                                                                \
     .type = FIELD_NUMBER,                                                                                             \
     .offset = AT(owner, friction),                                                                                    \
     NOT_NEGATIVE,                                                                                                     \
     .text = "Coefficient of sliding friction (mu)."},                                                                 \
        {.key = "rolling",                                                                                             \
         .type = FIELD_ARM,                                                                                            \
         .offset = AT(owner, rolling),                                                                                 \
         .unit = QUANTITY_LENGTH,                                                                                      \
         NOT_NEGATIVE,                                                                                                 \
         .text = "Coefficient of rolling friction (rho): a length, or a ratio of the radius."},                        \
        {.key = "spinning",                                                                                            \
         .type = FIELD_ARM,                                                                                            \
         .offset = AT(owner, spinning),                                                                                \
         .unit = QUANTITY_LENGTH,                                                                                      \
         NOT_NEGATIVE,                                                                                                 \
         .text = "Coefficient of spinning friction (sigma): a length, or a ratio of the radius."},                     \
        {.key = "restitution",                                                                                         \
         .type = FIELD_NUMBER,                                                                                         \
         .offset = AT(owner, restitution),                                                                             \
         FROM_TO(0.0, 1.0),                                                                                            \
         .text = "Speed after an impact over speed before it, along the normal."},                                     \
    {                                                                                                                  \
        .key = "stiffness", .type = FIELD_NUMBER, .offset = AT(owner, stiffness), .unit = QUANTITY_STIFFNESS,          \
        POSITIVE, .text = "Normal stiffness of a contact; not given: rigid."                                           \
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
static const schema_object schema_material = {OBJECT(
    "material", "What bodies are made of. A coefficient that is not given is zero.", scene_material, material_fields)};

static const schema_field pair_fields[] = {
    {.key = "between",
     .type = FIELD_NAMES,
     .offset = AT(scene_pair, between),
     REQUIRED,
     .text = "The two materials; may be the same one twice."},
    FRICTION_FIELDS(scene_pair),
};
static const schema_object schema_pair = {OBJECT("pair",
                                                 "Coefficients of the contacts between two materials, in place of what "
                                                 "the mixing rule gives. Those not given are mixed.",
                                                 scene_pair, pair_fields)};

#define MIXING_FIELD(name)                                                                                             \
    {                                                                                                                  \
        .key = #name, .type = FIELD_CHOICE, .offset = AT(scene_mixing, name), .choice = mixing_word,                   \
        .fallback = "min", .text = "How the values of the two materials give that of the contact."                     \
    }

static const schema_field mixing_fields[] = {MIXING_FIELD(friction), MIXING_FIELD(rolling), MIXING_FIELD(spinning),
                                             MIXING_FIELD(restitution), MIXING_FIELD(stiffness)};
static const schema_object schema_mixing = {
    OBJECT("mixing", "Rules for contacts of two different materials.", scene_mixing, mixing_fields)};

/* ---- bodies --------------------------------------------------------------------------------------------------------------- */

static const schema_field oscillation_fields[] = {
    {.key = "amplitude",
     .type = FIELD_VECTOR,
     .offset = AT(scene_oscillation, amplitude),
     .unit = QUANTITY_LENGTH,
     REQUIRED,
     .text = "The position gets amplitude sin(2 pi frequency t + phase) added."},
    {.key = "frequency",
     .type = FIELD_NUMBER,
     .offset = AT(scene_oscillation, frequency),
     .unit = QUANTITY_FREQUENCY,
     POSITIVE,
     REQUIRED,
     .text = "Oscillations per second."},
    {.key = "phase",
     .type = FIELD_NUMBER,
     .offset = AT(scene_oscillation, phase),
     .unit = QUANTITY_ANGLE,
     .fallback = "0",
     .text = "Phase at t = 0."},
};
static const schema_object schema_oscillation = {
    OBJECT("oscillation", "A harmonic motion.", scene_oscillation, oscillation_fields)};

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
     .text = "dynamic: moves as forces say; fixed: never moves; driven: moves as `motion` says. Not given: driven with "
             "`motion`, "
             "fixed with a plane, else dynamic."},
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
    {.key = "position",
     .type = FIELD_VECTOR,
     .offset = AT(scene_body, position),
     .unit = QUANTITY_LENGTH,
     .text = "Where the frame of its shapes is."},
    {.key = "rotation",
     .type = FIELD_ROTATION,
     .offset = AT(scene_body, rotation),
     .text = "How that frame is turned."},
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
     .text = "Its mass, in place of density times volume."},
    {.key = "inertia",
     .type = FIELD_VECTOR,
     .offset = AT(scene_body, inertia),
     .unit = QUANTITY_INERTIA,
     POSITIVE,
     .text = "Principal moments of inertia, in place of those of the shape; needs `mass`, and one shape."},
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
};
static const schema_object schema_body = {OBJECT("body", "One rigid body.", scene_body, body_fields),
                                          .one_of = {{"shape", "shapes"}}};

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
static const schema_object schema_container = {OBJECT(
    "container", "A fixed box of planes around the grains, open at the top.", scene_container, container_fields)};

/* ---- generators ------------------------------------------------------------------------------------------------------------- */

#define INHERIT(owner, name, words, ...)                                                                               \
    {                                                                                                                  \
        .key = #name, .type = FIELD_NUMBER, .offset = AT(owner, name), .unit = QUANTITY_INHERITED, POSITIVE,           \
        .text = (words), __VA_ARGS__                                                                                   \
    }

static const schema_field uniform_fields[] = {INHERIT(scene_uniform, min, "Smallest value.", REQUIRED),
                                              INHERIT(scene_uniform, max, "Largest value.", REQUIRED)};
static const schema_object schema_uniform = {
    OBJECT("uniform", "Every value between two is as likely.", scene_uniform, uniform_fields)};

static const schema_field normal_fields[] = {
    INHERIT(scene_normal, mean, "Mean.", REQUIRED),
    INHERIT(scene_normal, deviation, "Standard deviation.", REQUIRED),
    INHERIT(scene_normal, min, "Smaller values are drawn again; not given: mean - 3 deviations.", .required = 0),
    INHERIT(scene_normal, max, "Larger values are drawn again; not given: mean + 3 deviations.", .required = 0),
};
static const schema_object schema_normal = {
    OBJECT("normal", "The normal distribution, cut off at both ends.", scene_normal, normal_fields)};

static const schema_field lognormal_fields[] = {
    INHERIT(scene_lognormal, median, "Median.", REQUIRED),
    {.key = "spread",
     .type = FIELD_NUMBER,
     .offset = AT(scene_lognormal, spread),
     POSITIVE,
     REQUIRED,
     .text = "Standard deviation of the natural logarithm."},
    INHERIT(scene_lognormal, min, "Smaller values are drawn again; not given: median exp(-3 spread).", .required = 0),
    INHERIT(scene_lognormal, max, "Larger values are drawn again; not given: median exp(3 spread).", .required = 0),
};
static const schema_object schema_lognormal = {
    OBJECT("lognormal", "The lognormal distribution, cut off at both ends.", scene_lognormal, lognormal_fields)};

static const schema_field values_fields[] = {
    {.key = "values",
     .type = FIELD_NUMBERS,
     .offset = AT(scene_values, values),
     .unit = QUANTITY_INHERITED,
     POSITIVE,
     REQUIRED,
     .text = "The values."},
    {.key = "weights",
     .type = FIELD_NUMBERS,
     .offset = AT(scene_values, weights),
     NOT_NEGATIVE,
     .text = "How often each is drawn, relative to the others (by number of grains); not given: all alike."},
};
static const schema_object schema_values = {OBJECT("list", "A few values.", scene_values, values_fields)};

static const schema_field distribution_fields[] = {
    {.key = "uniform",
     .type = FIELD_OBJECT,
     .offset = AT(scene_distribution, uniform),
     .object = &schema_uniform,
     .text = "Every value between two is as likely."},
    {.key = "normal",
     .type = FIELD_OBJECT,
     .offset = AT(scene_distribution, normal),
     .object = &schema_normal,
     .text = "The normal distribution, cut off at both ends."},
    {.key = "lognormal",
     .type = FIELD_OBJECT,
     .offset = AT(scene_distribution, lognormal),
     .object = &schema_lognormal,
     .text = "The lognormal distribution, cut off at both ends."},
    {.key = "list",
     .type = FIELD_OBJECT,
     .offset = AT(scene_distribution, list),
     .object = &schema_values,
     .text = "A few values."},
};
static const schema_object schema_distribution = {
    OBJECT("distribution",
           "A random size, by number of grains: grain k always has the same one, whatever the others do.",
           scene_distribution, distribution_fields),
    .one_of = {{"uniform", "normal", "lognormal", "list"}}};

static const schema_field region_box_fields[] = {
    {.key = "min",
     .type = FIELD_VECTOR,
     .offset = AT(scene_region_box, min),
     .unit = QUANTITY_LENGTH,
     REQUIRED,
     .text = "Corner with the smallest x, y, z."},
    {.key = "max",
     .type = FIELD_VECTOR,
     .offset = AT(scene_region_box, max),
     .unit = QUANTITY_LENGTH,
     REQUIRED,
     .text = "Corner with the largest x, y, z."},
};
static const schema_object schema_region_box = {
    OBJECT("region box", "A box along the axes; may be flat.", scene_region_box, region_box_fields)};

#define CENTER(words)                                                                                                  \
    {                                                                                                                  \
        .key = "center", .type = FIELD_VECTOR, .offset = AT(scene_region_round, center), .unit = QUANTITY_LENGTH,      \
        REQUIRED, .text = (words)                                                                                      \
    }
#define RADIUS(words)                                                                                                  \
    {                                                                                                                  \
        .key = "radius", .type = FIELD_NUMBER, .offset = AT(scene_region_round, radius), .unit = QUANTITY_LENGTH,      \
        POSITIVE, REQUIRED, .text = (words)                                                                            \
    }

static const schema_field disk_fields[] = {CENTER("Its centre."), RADIUS("Its radius.")};
static const schema_object schema_disk = {OBJECT("disk", "A level disk.", scene_region_round, disk_fields)};

static const schema_field cylinder_fields[] = {
    CENTER("Centre of its bottom."),
    RADIUS("Its radius."),
    {.key = "height",
     .type = FIELD_NUMBER,
     .offset = AT(scene_region_round, height),
     .unit = QUANTITY_LENGTH,
     POSITIVE,
     REQUIRED,
     .text = "Its height."},
};
static const schema_object schema_cylinder = {
    OBJECT("cylinder", "An upright cylinder.", scene_region_round, cylinder_fields)};

static const schema_field ball_fields[] = {CENTER("Its centre."), RADIUS("Its radius.")};
static const schema_object schema_ball = {OBJECT("ball", "A ball.", scene_region_round, ball_fields)};

static const schema_field region_fields[] = {
    {.key = "box",
     .type = FIELD_OBJECT,
     .offset = AT(scene_region, box),
     .object = &schema_region_box,
     .text = "A box along the axes."},
    {.key = "disk",
     .type = FIELD_OBJECT,
     .offset = AT(scene_region, disk),
     .object = &schema_disk,
     .text = "A level disk."},
    {.key = "cylinder",
     .type = FIELD_OBJECT,
     .offset = AT(scene_region, cylinder),
     .object = &schema_cylinder,
     .text = "An upright cylinder."},
    {.key = "ball", .type = FIELD_OBJECT, .offset = AT(scene_region, ball), .object = &schema_ball, .text = "A ball."},
};
static const schema_object schema_region = {
    OBJECT("region", "A part of space, named by its key.", scene_region, region_fields),
    .one_of = {{"box", "disk", "cylinder", "ball"}}};

static const schema_field lattice_fields[] = {
    {.key = "type",
     .type = FIELD_CHOICE,
     .offset = AT(scene_lattice, type),
     .choice = lattice_word,
     .fallback = "sc",
     .text = "sc: simple cubic; fcc, hcp: close-packed layers on top of each other, ABC or AB."},
    {.key = "count",
     .type = FIELD_COUNTS,
     .offset = AT(scene_lattice, count),
     REQUIRED,
     .text = "Grains along x, along y, and layers along z."},
    {.key = "spacing",
     .type = FIELD_NUMBER,
     .offset = AT(scene_lattice, spacing),
     .unit = QUANTITY_LENGTH,
     POSITIVE,
     REQUIRED,
     .text = "Distance between the centres of neighbours."},
    {.key = "jitter",
     .type = FIELD_NUMBER,
     .offset = AT(scene_lattice, jitter),
     .unit = QUANTITY_LENGTH,
     NOT_NEGATIVE,
     .fallback = "0",
     .text = "Each coordinate is moved at random by up to this."},
    {.key = "origin",
     .type = FIELD_VECTOR,
     .offset = AT(scene_lattice, origin),
     .unit = QUANTITY_LENGTH,
     .text = "Centre of the first grain."},
};
static const schema_object schema_lattice = {
    OBJECT("lattice", "Grains in rows and layers.", scene_lattice, lattice_fields)};

static const schema_field packing_fields[] = {
    {.key = "count",
     .type = FIELD_INTEGER,
     .offset = AT(scene_packing, count),
     FROM_TO(1, SCENE_GRAINS_MAX),
     REQUIRED,
     .text = "Grains to place."},
    {.key = "region",
     .type = FIELD_OBJECT,
     .offset = AT(scene_packing, region),
     .object = &schema_region,
     REQUIRED,
     .text = "Where; the whole grain lies inside."},
    {.key = "attempts",
     .type = FIELD_INTEGER,
     .offset = AT(scene_packing, attempts),
     FROM_TO(1, 1000000),
     .fallback = "1000",
     .text =
         "Places tried for a grain; if all are taken, the packing ends, and `scree check` says with how many grains."},
};
static const schema_object schema_packing = {
    OBJECT("packing", "Grains at random places, without overlap with anything.", scene_packing, packing_fields)};

static const schema_field pour_fields[] = {
    {.key = "count",
     .type = FIELD_INTEGER,
     .offset = AT(scene_pour, count),
     FROM_TO(1, SCENE_GRAINS_MAX),
     REQUIRED,
     .text = "Grains in all."},
    {.key = "rate",
     .type = FIELD_NUMBER,
     .offset = AT(scene_pour, rate),
     .unit = QUANTITY_FREQUENCY,
     POSITIVE,
     .text = "Grains per second."},
    {.key = "every",
     .type = FIELD_NUMBER,
     .offset = AT(scene_pour, every),
     .unit = QUANTITY_TIME,
     POSITIVE,
     .text = "Time between two grains."},
    {.key = "start",
     .type = FIELD_NUMBER,
     .offset = AT(scene_pour, start),
     .unit = QUANTITY_TIME,
     NOT_NEGATIVE,
     .fallback = "0",
     .text = "When the first grain comes."},
    {.key = "from",
     .type = FIELD_OBJECT,
     .offset = AT(scene_pour, from),
     .object = &schema_region,
     REQUIRED,
     .text = "Where the centres of the grains appear."},
    {.key = "attempts",
     .type = FIELD_INTEGER,
     .offset = AT(scene_pour, attempts),
     FROM_TO(1, 1000),
     .fallback = "20",
     .text = "Places tried for a grain in a step; if all are taken, it waits for the next step."},
};
static const schema_object schema_pour = {OBJECT("pour",
                                                 "Grains one after the other. A grain whose place is taken tries "
                                                 "others; if all are, it waits, and those behind it wait too. "
                                                 "Its size and the places it tries depend on the seed and its number "
                                                 "alone.",
                                                 scene_pour, pour_fields),
                                          .one_of = {{"rate", "every"}}};

static const schema_field csv_fields[] = {
    {.key = "path",
     .type = FIELD_TEXT,
     .offset = AT(scene_csv, path),
     REQUIRED,
     .text = "The file, relative to the scene. Its first line names the columns: x, y, z, and optionally radius or "
             "scale, vx, vy, vz "
             "(velocity), wx, wy, wz (spin). Plain SI numbers."},
};
static const schema_object schema_csv = {OBJECT("csv", "Grains from a table in a file.", scene_csv, csv_fields)};

static const schema_field generator_fields[] = {
    {.key = "name",
     .type = FIELD_TEXT,
     .offset = AT(scene_generator, name),
     .fallback = "grain",
     .text = "Grains are called name[0], name[1], ..."},
    {.key = "lattice",
     .type = FIELD_OBJECT,
     .offset = AT(scene_generator, lattice),
     .object = &schema_lattice,
     .text = "Grains in rows and layers."},
    {.key = "packing",
     .type = FIELD_OBJECT,
     .offset = AT(scene_generator, packing),
     .object = &schema_packing,
     .text = "Grains at random places, without overlap."},
    {.key = "pour",
     .type = FIELD_OBJECT,
     .offset = AT(scene_generator, pour),
     .object = &schema_pour,
     .text = "Grains one after the other, during the run."},
    {.key = "csv",
     .type = FIELD_OBJECT,
     .offset = AT(scene_generator, csv),
     .object = &schema_csv,
     .text = "Grains from a table in a file."},
    {.key = "radius",
     .type = FIELD_DISTRIBUTION,
     .offset = AT(scene_generator, radius),
     .unit = QUANTITY_LENGTH,
     POSITIVE,
     .object = &schema_distribution,
     .text = "Grains are balls of this radius."},
    {.key = "shape",
     .type = FIELD_OBJECT,
     .offset = AT(scene_generator, shape),
     .object = &schema_shape,
     .text = "Shape of the grains, where they are no balls or all alike."},
    {.key = "scale",
     .type = FIELD_DISTRIBUTION,
     .offset = AT(scene_generator, scale),
     POSITIVE,
     .object = &schema_distribution,
     .text = "Factor on the lengths of `shape`; not given: 1."},
    {.key = "orientation",
     .type = FIELD_CHOICE,
     .offset = AT(scene_generator, orientation),
     .choice = orientation_word,
     .text = "How grains of a `shape` are turned; not given: random."},
    MATERIAL(scene_generator),
    {.key = "velocity",
     .type = FIELD_VECTOR,
     .offset = AT(scene_generator, velocity),
     .unit = QUANTITY_VELOCITY,
     .text = "Velocity at the start."},
    {.key = "spin",
     .type = FIELD_VECTOR,
     .offset = AT(scene_generator, spin),
     .unit = QUANTITY_SPIN,
     .text = "Angular velocity at the start, in the world frame."},
    {.key = "seed",
     .type = FIELD_INTEGER,
     .offset = AT(scene_generator, seed),
     NOT_NEGATIVE,
     .text = "Seed of its random numbers; not given: from the seed of the scene and the place in the list."},
};
static const schema_object schema_generator = {OBJECT("generator",
                                                      "Makes many alike bodies: one of lattice, packing, pour, csv.",
                                                      scene_generator, generator_fields),
                                               .one_of = {{"lattice", "packing", "pour", "csv"}}};

/* ---- the run ------------------------------------------------------------------------------------------------------------------ */

#define OPTION_TYPE(c_type) _Generic((c_type)0, double : FIELD_NUMBER, int : FIELD_INTEGER)

static void stepper_defaults(void *value)
{
    scene_stepper *s = value;
    s->options = scree_stepper_options_default();
    s->scheme = s->options.scheme, s->law = s->options.law, s->on_failure = s->options.on_failure;
}

#define STEPPER_OPTION(c_type, name, value, words)                                                                     \
    {.key = #name,                                                                                                     \
     .type = OPTION_TYPE(c_type),                                                                                      \
     .offset = AT(scene_stepper, options.name),                                                                        \
     .unit = QUANTITY_OF_TEXT,                                                                                         \
     NOT_NEGATIVE,                                                                                                     \
     .text = (words)},

static const schema_field stepper_fields[] = {
    {.key = "scheme",
     .type = FIELD_CHOICE,
     .offset = AT(scene_stepper, scheme),
     .choice = scheme_word,
     .text = "How time is stepped."},
    {.key = "law",
     .type = FIELD_CHOICE,
     .offset = AT(scene_stepper, law),
     .choice = law_word,
     .text = "coulomb: the law of friction; convex: its associated form, in which sliding contacts lift."},
    {.key = "on_failure",
     .type = FIELD_CHOICE,
     .offset = AT(scene_stepper, on_failure),
     .choice = failure_word,
     .text = "When the solver falls short in a step. keep: take the best and count; retry: smaller steps; stop: end "
             "the run."},
    SCREE_STEPPER_OPTION_FIELDS(STEPPER_OPTION)};
static const schema_limit stepper_limits[] = {
    {"step", RANGE_LOW | RANGE_LOW_OPEN, 0.0, 0.0},
    {"theta", RANGE_LOW | RANGE_HIGH, 0.5, 1.0},
    {"threads", RANGE_LOW | RANGE_HIGH, 1.0, 1024.0},
    {NULL, 0, 0.0, 0.0},
};
static const schema_object schema_stepper = {OBJECT("stepper", "How time is stepped.", scene_stepper, stepper_fields),
                                             .limit = stepper_limits, .defaults = stepper_defaults,
                                             .selector = "scheme"};

static void solver_defaults(void *value)
{
    scene_solver *s = value;
    s->options = scree_stepper_options_default().solver;
    for (s->name = 0; solver_word(s->name) && strcmp(solver_word(s->name), s->options.name) != 0;) ++s->name;
}

#define SOLVER_OPTION(c_type, name, value, words)                                                                      \
    {.key = #name,                                                                                                     \
     .type = OPTION_TYPE(c_type),                                                                                      \
     .offset = AT(scene_solver, options.name),                                                                         \
     .unit = QUANTITY_OF_TEXT,                                                                                         \
     NOT_NEGATIVE,                                                                                                     \
     .text = (words)},

static const schema_field solver_fields[] = {{.key = "name",
                                              .type = FIELD_CHOICE,
                                              .offset = AT(scene_solver, name),
                                              .choice = solver_word,
                                              .text = "The method; `scree solvers` lists them."},
                                             SCREE_SOLVER_OPTION_FIELDS(SOLVER_OPTION)};
static const schema_limit solver_limits[] = {
    {"relaxation", RANGE_LOW | RANGE_LOW_OPEN | RANGE_HIGH | RANGE_HIGH_OPEN, 0.0, 2.0},
    {"local_method", RANGE_LOW | RANGE_HIGH, 0.0, SCREE_CONTACT_METHOD_COUNT - 1},
    {"shuffle", RANGE_LOW | RANGE_HIGH, 0.0, 1.0},
    {NULL, 0, 0.0, 0.0},
};
static const schema_object schema_solver = {
    OBJECT(
        "solver",
        "How the contact problem of a step is solved. Threads and the least number of iterations belong to `stepper`.",
        scene_solver, solver_fields),
    .hidden = {"threads", "min_iterations"},
    .limit = solver_limits,
    .defaults = solver_defaults,
    .selector = "name",
    .any = {"auto", "stepping"}};

static const schema_field run_fields[] = {
    {.key = "until",
     .type = FIELD_NUMBER,
     .offset = AT(scene_run, until),
     .unit = QUANTITY_TIME,
     POSITIVE,
     REQUIRED,
     .text = "Simulated time at which the run ends."},
};
static const schema_object schema_run = {OBJECT("run", "How long.", scene_run, run_fields)};

static const schema_field output_fields[] = {
    {.key = "every",
     .type = FIELD_NUMBER,
     .offset = AT(scene_output, every),
     .unit = QUANTITY_TIME,
     NOT_NEGATIVE,
     .fallback = "0",
     .text = "Simulated time between frames; 0: only the last."},
    {.key = "frames",
     .type = FIELD_CHOICES,
     .offset = AT(scene_output, frames),
     .choice = frame_word,
     .fallback = "vtp",
     .text = "Files of each frame. vtp: for ParaView; dump: LAMMPS dump, for OVITO."},
    {.key = "contacts",
     .type = FIELD_FLAG,
     .offset = AT(scene_output, contacts),
     .fallback = "false",
     .text = "A table of all contacts with each frame."},
    {.key = "problems_every",
     .type = FIELD_INTEGER,
     .offset = AT(scene_output, problems_every),
     NOT_NEGATIVE,
     .fallback = "0",
     .text = "Steps between stored contact problems (FCLIB files); 0: none."},
    {.key = "checkpoint",
     .type = FIELD_NUMBER,
     .offset = AT(scene_output, checkpoint),
     .unit = QUANTITY_TIME,
     NOT_NEGATIVE,
     .fallback = "0",
     .text = "Simulated time between checkpoints; 0: only one at the end."},
};
static const schema_object schema_output = {OBJECT("output", "What is written.", scene_output, output_fields)};

/* ---- the scene ---------------------------------------------------------------------------------------------------------------- */

static void root_defaults(void *value)
{
    scree_world_options world = scree_world_options_default();
    scene_root *root = value;
    root->margin = world.margin, root->speed_limit = world.speed_limit;
}

static const schema_field root_fields[] = {
    {.key = "scree",
     .type = FIELD_INTEGER,
     .offset = AT(scene_root, version),
     FROM_TO(1, 1),
     REQUIRED,
     .text = "Version of the format: 1."},
    {.key = "title", .type = FIELD_TEXT, .offset = AT(scene_root, title), .text = "One line for people."},
    {.key = "gravity",
     .type = FIELD_DOWN,
     .offset = AT(scene_root, gravity),
     .unit = QUANTITY_ACCELERATION,
     .fallback = "9.81 m/s^2",
     .text = "A number acts downwards, along -z (in the plane xy along -y); or a vector."},
    {.key = "planar",
     .type = FIELD_CHOICE,
     .offset = AT(scene_root, planar),
     .choice = planar_word,
     .fallback = "none",
     .text = "Bodies move in this plane only, and turn about its normal."},
    {.key = "seed",
     .type = FIELD_INTEGER,
     .offset = AT(scene_root, seed),
     NOT_NEGATIVE,
     .fallback = "1",
     .text = "Seed of all random numbers. The same seed gives the same bits."},
    {.key = "margin",
     .type = FIELD_NUMBER,
     .offset = AT(scene_root, margin),
     .unit = QUANTITY_LENGTH,
     NOT_NEGATIVE,
     .text = "Contacts are kept up to this gap beyond what may close in the step."},
    {.key = "speed_limit",
     .type = FIELD_NUMBER,
     .offset = AT(scene_root, speed_limit),
     .unit = QUANTITY_VELOCITY,
     NOT_NEGATIVE,
     .text = "A faster body stops the run; 0: no limit."},
    {.key = "materials",
     .type = FIELD_MAP,
     .offset = AT(scene_root, materials),
     .object = &schema_material,
     .text = "The materials by name."},
    {.key = "pairs",
     .type = FIELD_LIST,
     .offset = AT(scene_root, pairs),
     .object = &schema_pair,
     .text = "Coefficients of certain pairs of materials."},
    {.key = "mixing",
     .type = FIELD_OBJECT,
     .offset = AT(scene_root, mixing),
     .object = &schema_mixing,
     .text = "Rules for all other pairs."},
    {.key = "bodies",
     .type = FIELD_LIST,
     .offset = AT(scene_root, bodies),
     .object = &schema_body,
     .text = "The bodies."},
    {.key = "container",
     .type = FIELD_OBJECT,
     .offset = AT(scene_root, container),
     .object = &schema_container,
     .text = "A fixed box of planes."},
    {.key = "generators",
     .type = FIELD_LIST,
     .offset = AT(scene_root, generators),
     .object = &schema_generator,
     .text = "What makes many bodies."},
    {.key = "stepper",
     .type = FIELD_OBJECT,
     .offset = AT(scene_root, stepper),
     .object = &schema_stepper,
     .text = "How time is stepped."},
    {.key = "solver",
     .type = FIELD_OBJECT,
     .offset = AT(scene_root, solver),
     .object = &schema_solver,
     .text = "How contact problems are solved."},
    {.key = "run",
     .type = FIELD_OBJECT,
     .offset = AT(scene_root, run),
     .object = &schema_run,
     REQUIRED,
     .text = "How long."},
    {.key = "output",
     .type = FIELD_OBJECT,
     .offset = AT(scene_root, output),
     .object = &schema_output,
     .text = "What is written."},
};
const schema_object schema_root = {OBJECT("scene", "The whole file.", scene_root, root_fields),
                                   .defaults = root_defaults};

/* ---- what an option list says in its text ------------------------------------------------------------------------------------ */

schema_field schema_resolve(const schema_object *object, const schema_field *field, quantity inherited)
{
    schema_field f = *field;
    if (f.unit == QUANTITY_OF_TEXT) f.unit = quantity_of_text(f.text);
    if (f.unit == QUANTITY_INHERITED) f.unit = inherited;
    if (f.type == FIELD_INTEGER && strncmp(f.text, "1: ", 3) == 0) f.type = FIELD_FLAG;
    for (const schema_limit *l = object->limit; l && l->key; ++l)
        if (strcmp(l->key, f.key) == 0) f.range = l->range, f.low = l->low, f.high = l->high;
    return f;
}

int schema_hidden(const schema_object *object, const schema_field *field)
{
    for (int k = 0; k < COUNT(object->hidden) && object->hidden[k]; ++k)
        if (strcmp(object->hidden[k], field->key) == 0) return 1;
    return 0;
}

/// Length of a name of the choice at the start of `text`; 0: none stands there.
static size_t leading_name(const schema_field *choice, const char *text)
{
    size_t n = strcspn(text, ",: ");
    for (int k = 0; choice->choice(k); ++k)
        if (strlen(choice->choice(k)) == n && memcmp(choice->choice(k), text, n) == 0) return n;
    return 0;
}

/// Length of "nsgs, psor" before a colon at the start of `text`; 0: no such list stands there. `*found`: `selected` is among them.
static size_t leading_list(const schema_field *choice, const char *text, const char *selected, int *found)
{
    const char *at = text;
    int here = 0;
    for (size_t n = leading_name(choice, at); n > 0; n = leading_name(choice, at)) {
        here |= strlen(selected) == n && memcmp(selected, at, n) == 0;
        at += n;
        if (*at == ':') {
            *found |= here;
            return (size_t)(at - text);
        }
        at += strspn(at, ", ");
    }
    return 0;
}

int schema_reads(const schema_object *object, const schema_field *field, const char *selected, char *readers,
                 size_t size)
{
    const schema_field *choice = object->field;
    int found = 0;
    size_t used = 0;
    if (!object->selector) return 1;
    for (int k = 0; object->any[k]; ++k)
        if (strcmp(object->any[k], selected) == 0) return 1;
    while (strcmp(choice->key, object->selector) != 0) ++choice;
    for (const char *part = field->text; part; part = strchr(part, ';')) {
        part += strspn(part, "; ");
        size_t n = leading_list(choice, part, selected, &found);
        if (n == 0 || used + n + 3 > size) continue;
        if (used) memcpy(readers + used, ", ", 2), used += 2;
        memcpy(readers + used, part, n);
        readers[used += n] = '\0';
    }
    return found || used == 0;
}
