/* schema_generators.c: the tables of generators: distributions, regions, lattices, packings, pours, tables (schema.h). */
#include "scene/schema_tables.h"

/// LATTICE_.
static const char *lattice_word(int index)
{
    return WORD_OF(index, "sc", "fcc", "hcp");
}

/// ORIENT_.
static const char *orientation_word(int index)
{
    return WORD_OF(index, "random", "aligned");
}

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
    REQUIRED_LENGTH("height", scene_region_round, height, "Its height."),
};
static const schema_object schema_cylinder = {
    OBJECT("region cylinder", "An upright cylinder.", scene_region_round, cylinder_fields)};

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
const schema_object schema_region = {
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
    REQUIRED_LENGTH("spacing", scene_lattice, spacing, "Distance between the centres of neighbours."),
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
     .text = "Positions tried for a grain; if all are taken, the packing ends, and `scree check` reports how many "
             "grains it has."},
};
static const schema_object schema_packing = {
    OBJECT("packing", "Grains at random positions, without overlap with anything.", scene_packing, packing_fields)};

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
     .text = "Positions tried for a grain in a step; if all are taken, it waits for the next step."},
};
static const schema_object schema_pour = {
    OBJECT("pour",
           "Grains one after the other. A grain whose position is taken tries "
           "others; if all are, it waits, and those behind it wait too. "
           "Its size and the positions it tries depend on the seed and its number "
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
     .text = "Grains at random positions, without overlap."},
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
     .text = "How grains of a `shape` are rotated; not given: random."},
    MATERIAL(scene_generator),
    {.key = "color",
     .type = FIELD_CHOICE,
     .offset = AT(scene_generator, color),
     .choice = color_word,
     .fallback = "auto",
     .text = "Its colour in `scree picture`. auto: colours of stones, walls grey, driven bodies red-brown."},
    {.key = "mass",
     .type = FIELD_NUMBER,
     .offset = AT(scene_generator, mass),
     .unit = QUANTITY_MASS,
     POSITIVE,
     .text = "Mass of each grain, whatever its size, instead of density times volume."},
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
     .text = "Seed of its random numbers; not given: from the seed of the scene and the index in the list."},
};
const schema_object schema_generator = {OBJECT("generator",
                                               "Makes many alike bodies: one of lattice, packing, pour, csv.",
                                               scene_generator, generator_fields),
                                        .one_of = {{"lattice", "packing", "pour", "csv"}}};
