/* schema_shapes.c: the tables of shapes (schema.h). */
#include "scene/schema_tables.h"

static const schema_field sphere_fields[] = {
    REQUIRED_LENGTH("radius", scene_sphere, radius, "Its radius."),
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
    REQUIRED_LENGTH("radius", scene_round, radius, "Radius of the cylinder and of its round ends."),
    REQUIRED_LENGTH("length", scene_round, length,
                    "Length of the straight part, along z; the whole is two radii longer."),
};
static const schema_object schema_capsule = {
    OBJECT("capsule", "A cylinder with round ends, along z.", scene_round, capsule_fields)};

static const schema_field cylinder_fields[] = {
    REQUIRED_LENGTH("radius", scene_round, radius, "Its radius."),
    REQUIRED_LENGTH("length", scene_round, length, "Its length along z, from one flat end to the other."),
};
static const schema_object schema_cylinder = {
    OBJECT("cylinder", "A cylinder with flat ends, along z.", scene_round, cylinder_fields)};

static const schema_field cone_fields[] = {
    REQUIRED_LENGTH("radius", scene_round, radius, "Radius of its base."),
    REQUIRED_LENGTH(
        "height", scene_round, length,
        "From its base to its tip, which points along z. Its middle is its centre of mass, a quarter of that up."),
};
static const schema_object schema_cone = {OBJECT("cone", "A cone, along z.", scene_round, cone_fields)};

#define SCALE_FIELD                                                                                                    \
    {                                                                                                                  \
        .key = "scale", .type = FIELD_NUMBER, .offset = AT(scene_solid, scale), POSITIVE, .fallback = "1",             \
        .text = "What the numbers are multiplied by to be metres: 0.001 for a file in millimetres."                    \
    }

static const schema_field hull_fields[] = {
    {.key = "points",
     .type = FIELD_NUMBERS,
     .offset = AT(scene_solid, points),
     .unit = QUANTITY_LENGTH,
     .text = "x, y, z of the first point, of the second, and so on; at least four points."},
    {.key = "file",
     .type = FIELD_TEXT,
     .offset = AT(scene_solid, file),
     .text = "An STL or OBJ file whose points are taken; relative to the scene."},
    SCALE_FIELD,
};
static const schema_object schema_hull = {OBJECT("hull",
                                                 "The smallest convex body around points, at most 256 of them on its "
                                                 "surface. A body has it where the points are; a "
                                                 "generator puts its centre of mass in place.",
                                                 scene_solid, hull_fields),
                                          .one_of = {{"points", "file"}}};

static const char *sides_word(int index)
{
    static const char *const words[] = {"auto", "front", "back", "both"}; /* scree_sides */
    return index >= 0 && index < 4 ? words[index] : NULL;
}

static const schema_field mesh_fields[] = {
    {.key = "file",
     .type = FIELD_TEXT,
     .offset = AT(scene_solid, file),
     REQUIRED,
     .text = "An STL (binary or ASCII) or OBJ file; relative to the scene."},
    SCALE_FIELD,
    {.key = "closed",
     .type = FIELD_FLAG,
     .offset = AT(scene_solid, closed),
     .fallback = "false",
     .text = "true: the surface must enclose a body and look outward; a hole, or a surface inside out, is an error."},
    {.key = "sides",
     .type = FIELD_CHOICE,
     .offset = AT(scene_solid, sides),
     .choice = sides_word,
     .fallback = "auto",
     .text = "From where it is touched. front: from the side from which the corners of its triangles run "
             "counter-clockwise; back: from the other; both: it is a sheet without thickness. auto: both where the "
             "surface has borders, front where it is closed."},
};
static const schema_object schema_mesh = {
    OBJECT("mesh", "A surface of triangles, of a fixed or driven body.", scene_solid, mesh_fields)};

static const schema_field heights_fields[] = {
    {.key = "file",
     .type = FIELD_TEXT,
     .offset = AT(scene_solid, file),
     REQUIRED,
     .text = "An ESRI ASCII grid; relative to the scene. Its south-west point is the origin, x runs east, y north. A "
             "cell with a "
             "corner without data is a hole."},
    SCALE_FIELD,
};
static const schema_object schema_heights = {
    OBJECT("heights", "A ground of heights over a grid, of a fixed or driven body.", scene_solid, heights_fields)};

static const schema_field tube_fields[] = {
    REQUIRED_LENGTH("radius", scene_hollow, radius, "Its inner radius."),
    REQUIRED_LENGTH("length", scene_hollow, length, "Its length along z; its middle is the position."),
};
static const schema_object schema_tube = {OBJECT(
    "tube",
    "The inside of a round tube or drum, along z, smooth and open at both ends; of a fixed or driven body. It is "
    "thin, and touched from inside.",
    scene_hollow, tube_fields)};

static const schema_field funnel_fields[] = {
    {.key = "bottom",
     .type = FIELD_NUMBER,
     .offset = AT(scene_hollow, bottom),
     .unit = QUANTITY_LENGTH,
     NOT_NEGATIVE,
     REQUIRED,
     .text = "Its inner radius at the end towards -z; 0: it ends in a point there."},
    {.key = "top",
     .type = FIELD_NUMBER,
     .offset = AT(scene_hollow, top),
     .unit = QUANTITY_LENGTH,
     NOT_NEGATIVE,
     REQUIRED,
     .text = "Its inner radius at the end towards +z."},
    REQUIRED_LENGTH("height", scene_hollow, height,
                    "From the one end to the other along z; its middle is the position."),
};
static const schema_object schema_funnel = {
    OBJECT("funnel",
           "The inside of a cone or of a part of one, along z, smooth and open at its ends: a hopper; of a fixed or "
           "driven body. It is thin, and touched from inside.",
           scene_hollow, funnel_fields)};

static const schema_field bowl_fields[] = {
    REQUIRED_LENGTH("radius", scene_hollow, radius, "Radius of the sphere; its centre is the position."),
    {.key = "depth",
     .type = FIELD_NUMBER,
     .offset = AT(scene_hollow, depth),
     .unit = QUANTITY_LENGTH,
     POSITIVE,
     .text = "From its lowest point to its edge, along z; two radii: a whole sphere. Default: one radius."},
};
static const schema_object schema_bowl = {OBJECT(
    "bowl",
    "The inside of a sphere, smooth and open towards +z; of a fixed or driven body. It is thin, and touched from "
    "inside.",
    scene_hollow, bowl_fields)};

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
    {.key = "cylinder",
     .type = FIELD_OBJECT,
     .offset = AT(scene_shape, cylinder),
     .object = &schema_cylinder,
     .text = "A cylinder with flat ends."},
    {.key = "cone", .type = FIELD_OBJECT, .offset = AT(scene_shape, cone), .object = &schema_cone, .text = "A cone."},
    {.key = "hull",
     .type = FIELD_OBJECT,
     .offset = AT(scene_shape, hull),
     .object = &schema_hull,
     .text = "A convex body around points."},
    {.key = "mesh",
     .type = FIELD_OBJECT,
     .offset = AT(scene_shape, mesh),
     .object = &schema_mesh,
     .text = "A surface of triangles."},
    {.key = "heights",
     .type = FIELD_OBJECT,
     .offset = AT(scene_shape, heights),
     .object = &schema_heights,
     .text = "A ground of heights."},
    {.key = "tube",
     .type = FIELD_OBJECT,
     .offset = AT(scene_shape, tube),
     .object = &schema_tube,
     .text = "The inside of a tube or drum."},
    {.key = "funnel",
     .type = FIELD_OBJECT,
     .offset = AT(scene_shape, funnel),
     .object = &schema_funnel,
     .text = "The inside of a cone: a hopper."},
    {.key = "bowl",
     .type = FIELD_OBJECT,
     .offset = AT(scene_shape, bowl),
     .object = &schema_bowl,
     .text = "The inside of a sphere."},
    {.key = "at",
     .type = FIELD_VECTOR,
     .offset = AT(scene_shape, at),
     .unit = QUANTITY_LENGTH,
     .text = "Where its middle is in the frame of the body."},
    {.key = "rotation",
     .type = FIELD_ROTATION,
     .offset = AT(scene_shape, rotation),
     .text = "How it is rotated in the frame of the body."},
    {.key = "material",
     .type = FIELD_TEXT,
     .offset = AT(scene_shape, material),
     .text = "Its material, where it is not that of the body."},
};
const schema_object schema_shape = {OBJECT("shape", "One shape, named by its key.", scene_shape, shape_fields),
                                    .one_of = {{"sphere", "box", "plane", "ellipsoid", "capsule", "cylinder", "cone",
                                                "hull", "mesh", "heights", "tube", "funnel", "bowl"}}};
