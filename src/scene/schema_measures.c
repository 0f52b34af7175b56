/* schema_measures.c: the tables of measures (schema.h): what a scene measures of its run. They are taken in src/run/measures.c. */
#include "scene/schema_tables.h"

static const char *axis_word(int index)
{
    return WORD_OF(index, "x", "y", "z");
}

#define WITHIN(owner, words)                                                                                           \
    {                                                                                                                  \
        .key = "within", .type = FIELD_OBJECT, .offset = AT(owner, within), .object = &schema_region, .text = (words)  \
    }

static const schema_field flow_fields[] = {
    {.key = "at",
     .type = FIELD_VECTOR,
     .offset = AT(scene_flow, at),
     .unit = QUANTITY_LENGTH,
     REQUIRED,
     .text = "A point of the plane."},
    {.key = "normal",
     .type = FIELD_DIRECTION,
     .offset = AT(scene_flow, normal),
     REQUIRED,
     .text = "The direction that counts as forwards: x, -x, y, ... or a vector."},
    WITHIN(
        scene_flow,
        "Only bodies whose centre passes through this part of space count; along an axis that is the normal, where it "
        "begins and ends is not looked at, and a disk reaches up and down. Not given: the whole plane."),
};
static const schema_object schema_flow = {OBJECT(
    "flow",
    "Mass that passes through a plane: columns `NAME.mass[kg]` and `NAME.count`, what has passed since the start, "
    "forwards less backwards, and `NAME.rate[kg/s]`, the mean since the frame before.",
    scene_flow, flow_fields)};

static const schema_field profile_fields[] = {
    {.key = "axis",
     .type = FIELD_CHOICE,
     .offset = AT(scene_profile, axis),
     .choice = axis_word,
     .fallback = "z",
     .text = "The axis along which the box is cut into slices."},
    {.key = "min",
     .type = FIELD_VECTOR,
     .offset = AT(scene_profile, min),
     .unit = QUANTITY_LENGTH,
     REQUIRED,
     .text = "Corner of the box with the smallest x, y, z."},
    {.key = "max",
     .type = FIELD_VECTOR,
     .offset = AT(scene_profile, max),
     .unit = QUANTITY_LENGTH,
     REQUIRED,
     .text = "Corner of the box with the largest x, y, z."},
    {.key = "bins",
     .type = FIELD_INTEGER,
     .offset = AT(scene_profile, bins),
     FROM_TO(1, SCENE_BINS_MAX),
     .fallback = "20",
     .text = "Number of slices."},
};
static const schema_object schema_profile = {OBJECT(
    "profile",
    "A box in slices: the file `profile_NAME.csv` has for each frame and slice the bodies whose centre is in it, their "
    "mass and mean velocity, and the fraction of its volume that shapes fill (of spheres the part in the slice, "
    "others whole where their centre is).",
    scene_profile, profile_fields)};

static const schema_field heap_fields[] = {
    {.key = "floor",
     .type = FIELD_NUMBER,
     .offset = AT(scene_heap, floor),
     .unit = QUANTITY_LENGTH,
     .fallback = "0",
     .text = "Height of the floor."},
    {.key = "reach",
     .type = FIELD_NUMBER,
     .offset = AT(scene_heap, reach),
     .unit = QUANTITY_LENGTH,
     NOT_NEGATIVE,
     .fallback = "0",
     .text = "No more of the surface is looked at than this far from the axis; 0: all of it."},
};
static const schema_object schema_heap = {
    OBJECT("heap",
           "The heap of the dynamic spheres above a floor, as `scree heap` measures it: columns "
           "`NAME.flank_angle[rad]` (angle "
           "of repose), `NAME.height[m]`, `NAME.base_radius[m]`, `NAME.cone_angle[rad]` and others.",
           scene_heap, heap_fields)};

static const schema_field force_fields[] = {
    {.key = "body", .type = FIELD_TEXT, .offset = AT(scene_force, body), REQUIRED, .text = "The body, by its name."},
    WITHIN(scene_force, "Only contact points in this part of space count: a face, or an area of one; a disk reaches up "
                        "and down. Not given: all."),
    {.key = "normal",
     .type = FIELD_DIRECTION,
     .offset = AT(scene_force, normal),
     .text = "For the pressure: the outward normal of the face."},
    {.key = "area",
     .type = FIELD_NUMBER,
     .offset = AT(scene_force, area),
     .unit = QUANTITY_AREA,
     POSITIVE,
     .text = "For the pressure: the area on which the force acts."},
};
static const schema_object schema_force = {
    OBJECT("force",
           "What contacts exert on a body in the last step: columns `NAME.force_x[N]`, `NAME.force_y[N]`, "
           "`NAME.force_z[N]`, and "
           "with normal and area `NAME.pressure[Pa]`, the force against the normal over the area.",
           scene_force, force_fields)};

static const schema_field cell_fields[] = {
    {.key = "least",
     .type = FIELD_INTEGER,
     .offset = AT(scene_cell, least),
     NOT_NEGATIVE,
     .fallback = "4",
     .text = "Bodies with fewer contact forces than this are rattlers, which the coordination number leaves out."},
};
static const schema_object schema_cell = {OBJECT(
    "cell",
    "The periodic cell as a sample: columns `NAME.volume_fraction`, `NAME.coordination` (contact forces of a body, on "
    "average), `NAME.rattlers` (their number), `NAME.pressure[Pa]` and `NAME.stress_x[Pa]`, `NAME.stress_y[Pa]`, "
    "`NAME.stress_z[Pa]`, `NAME.stress_xy[Pa]`, `NAME.stress_xz[Pa]`, `NAME.stress_yz[Pa]` of the contact forces. x, y "
    "and z must be periodic.",
    scene_cell, cell_fields)};

#define KIND(name, member, schema, words)                                                                              \
    {                                                                                                                  \
        .key = (name), .type = FIELD_OBJECT, .offset = AT(scene_measure, member), .object = (schema), .text = (words)  \
    }
static const schema_field measure_fields[] = {
    KIND("flow", flow, &schema_flow, "Mass through a plane."),
    KIND("inside", inside, &schema_region,
         "Dynamic bodies whose centre is in a region (a disk reaches up and down): columns `NAME.count` and "
         "`NAME.mass[kg]`."),
    KIND("profile", profile, &schema_profile, "Velocity and volume fraction along an axis."),
    KIND("heap", heap, &schema_heap, "Shape and angle of a heap."),
    KIND("force", force, &schema_force, "Force and pressure on a body."),
    KIND("cell", cell, &schema_cell, "Volume fraction, coordination and stress of a periodic cell."),
};
const schema_object schema_measure = {
    OBJECT("measure", "What is measured in each frame; its values are columns of series.csv, under its name.",
           scene_measure, measure_fields),
    .one_of = {{"flow", "inside", "profile", "heap", "force", "cell"}}};
