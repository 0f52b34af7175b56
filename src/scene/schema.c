/* schema.c: the tables: every key of a scene, what it takes, its default, and what it means. There is no other list of them: the
 * reader (schema_read.c), the JSON Schema and the manual (schema_export.c) walk these tables. Here the whole file; its parts are in
 * schema_bodies.c, schema_joints.c, schema_generators.c and schema_run.c. */
#include "scene/schema_tables.h"

#include <string.h>

/// scree_planar.
static const char *planar_word(int index)
{
    return WORD_OF(index, "none", "xy", "xz", "yz");
}

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
    {.key = "slope",
     .type = FIELD_NUMBER,
     .offset = AT(scene_root, slope),
     .unit = QUANTITY_ANGLE,
     .fallback = "0",
     .text = "Gravity is rotated by this angle, as if what is level in the scene fell towards +x (in the plane yz "
             "towards +y)."},
    {.key = "planar",
     .type = FIELD_CHOICE,
     .offset = AT(scene_root, planar),
     .choice = planar_word,
     .fallback = "none",
     .text = "Bodies move in this plane through the origin only, and rotate about its normal: centres of mass, "
             "velocities and motions must lie in it."},
    {.key = "periodic",
     .type = FIELD_OBJECT,
     .offset = AT(scene_root, periodic),
     .object = &schema_periodic,
     .text = "Axes along which the world repeats itself."},
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
    {.key = "joints",
     .type = FIELD_LIST,
     .offset = AT(scene_root, joints),
     .object = &schema_joint,
     .text = "What holds bodies together."},
    {.key = "measures",
     .type = FIELD_MAP,
     .offset = AT(scene_root, measures),
     .object = &schema_measure,
     .text = "What is measured in each frame, by name."},
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
    {.key = "play",
     .type = FIELD_OBJECT,
     .offset = AT(scene_root, play),
     .object = &schema_play,
     .text = "What a live page offers."},
};
const schema_object schema_root = {OBJECT("scene", "The whole file.", scene_root, root_fields),
                                   .defaults = root_defaults};

/* ---- what an option list says in its text ------------------------------------------------------------------------------------ */

schema_field schema_resolve(const schema_object *object, const schema_field *field, quantity inherited)
{
    schema_field f = *field;
    if (f.unit == QUANTITY_INHERITED) f.unit = inherited;
    if (f.type == FIELD_INTEGER && strncmp(f.text, "1: ", 3) == 0) f.type = FIELD_FLAG;
    for (const schema_option *o = object->option; o && o->key; ++o)
        if (strcmp(o->key, f.key) == 0) f.unit = o->unit, f.range = o->range, f.low = o->low, f.high = o->high;
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
