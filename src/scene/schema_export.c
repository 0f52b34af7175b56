/* schema_export.c: the tables as JSON Schema, for editors that complete and check while one types, and as the pages of the manual.
 *
 * Every object becomes one definition; numbers with units are numbers or strings. What tables cannot say (names that must exist, keys
 * without effect) is beyond a JSON Schema: `scree check` has the last word. */
#include "scene/schema.h"

#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"

#include <scree/scene.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { OBJECTS_MAX = 128 };

/// Text that is written twice: once to measure, once for good; and the objects met so far.
typedef struct exporter {
    char *text;
    size_t at, room;
    const schema_object *object[OBJECTS_MAX];
    int object_count;
} exporter;

static void put(exporter *e, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

static void put(exporter *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(e->text ? e->text + e->at : NULL, e->text ? e->room - e->at : 0, format, arguments);
    va_end(arguments);
    e->at += (size_t)n;
}

/// All objects, in the order in which one meets them.
static void collect(exporter *e, const schema_object *object)
{
    for (int k = 0; k < e->object_count; ++k)
        if (e->object[k] == object) return;
    SCREE_ASSERT(e->object_count < OBJECTS_MAX);
    e->object[e->object_count++] = object;
    for (int k = 0; k < object->field_count; ++k) {
        if (object->field[k].object) collect(e, object->field[k].object);
        if (object->field[k].type == FIELD_ROTATION) collect(e, &schema_turn);
    }
}

static char *export(void (*write)(exporter *e), const scree_allocator *allocator, scree_error *error)
{
    if (error_stopped(error)) return NULL;
    scree_allocator a = memory_allocator(allocator);
    exporter e = {.text = NULL};
    collect(&e, &schema_root);
    write(&e);
    e.room = e.at + 1;
    e.text = memory_array(&a, e.room, 1);
    if (!e.text) {
        error_keep(error, SCREE_ERR_MEMORY);
        return NULL;
    }
    e.at = 0;
    write(&e);
    return e.text;
}

/* ---- JSON Schema ------------------------------------------------------------------------------------------------------ */

static void put_bytes(void *exporter_of, const char *bytes, size_t size)
{
    put(exporter_of, "%.*s", (int)size, bytes);
}

static void put_string(exporter *e, const char *text)
{
    scree_json j = json_start_at(put_bytes, e);
    json_put_string(&j, text);
}

/* A number, then perhaps a unit; what the unit must be is for the reader to judge. */
#define NUMBER_PATTERN "^\\\\s*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?"

static void put_quantity(exporter *e, const schema_field *f)
{
    put(e, "{\"anyOf\": [{\"type\": \"number\"");
    if (f->range & RANGE_LOW)
        put(e, ", \"%s\": %.17g", f->range & RANGE_LOW_OPEN ? "exclusiveMinimum" : "minimum", f->low);
    if (f->range & RANGE_HIGH)
        put(e, ", \"%s\": %.17g", f->range & RANGE_HIGH_OPEN ? "exclusiveMaximum" : "maximum", f->high);
    put(e, "}, {\"type\": \"string\", \"pattern\": \"" NUMBER_PATTERN "%s\"}]}",
        f->unit == QUANTITY_NUMBER ? "\\\\s*%?$"
                                   : "\\\\s*[^0-9].*$|" NUMBER_PATTERN "\\\\s*1?/.*$|" NUMBER_PATTERN "$");
}

static void put_list_of(exporter *e, const schema_field *f, int count)
{
    put(e, "{\"type\": \"array\", \"items\": ");
    put_quantity(e, f);
    if (count) put(e, ", \"minItems\": %d, \"maxItems\": %d}", count, count);
    else put(e, ", \"minItems\": 1}");
}

/// Rows of a time and values.
static void put_rows(exporter *e, const schema_field *f, int width)
{
    put(e, "{\"type\": \"array\", \"minItems\": 1, \"items\": ");
    put_list_of(e, f, width);
    put(e, "}");
}

static void put_words(exporter *e, const schema_field *f)
{
    const char *words[SCHEMA_WORDS_MAX];
    put(e, "{\"enum\": [");
    for (int k = 0, n = schema_words(f, words); k < n; ++k) put(e, "%s\"%s\"", k ? ", " : "", words[k]);
    put(e, "]}");
}

/// Name of an object among the definitions. Distributions stand once for each quantity.
static void put_reference(exporter *e, const schema_object *object)
{
    put(e, "{\"$ref\": \"#/$defs/");
    for (const char *c = object->name; *c; ++c) put(e, "%c", *c == ' ' ? '_' : *c);
    put(e, "\"}");
}

static void put_type(exporter *e, const schema_field *f)
{
    schema_field plain = *f;
    plain.unit = QUANTITY_NUMBER, plain.range = RANGE_ANY;
    switch (f->type) {
    case FIELD_NUMBER: put_quantity(e, f); break;
    case FIELD_INTEGER:
        put(e, "{\"type\": \"integer\"");
        if (f->range & RANGE_LOW) put(e, ", \"minimum\": %.17g", f->low);
        if (f->range & RANGE_HIGH) put(e, ", \"maximum\": %.17g", f->high);
        put(e, "}");
        break;
    case FIELD_FLAG: put(e, "{\"enum\": [true, false, 0, 1]}"); break;
    case FIELD_TEXT: put(e, "{\"type\": [\"string\", \"number\"]}"); break;
    case FIELD_CHOICE: put_words(e, f); break;
    case FIELD_CHOICES:
        put(e, "{\"anyOf\": [");
        put_words(e, f);
        put(e, ", {\"type\": \"array\", \"items\": ");
        put_words(e, f);
        put(e, "}]}");
        break;
    case FIELD_NAMES:
        put(e,
            "{\"type\": \"array\", \"items\": {\"type\": [\"string\", \"number\"]}, \"minItems\": 2, \"maxItems\": 2}");
        break;
    case FIELD_VECTOR: put_list_of(e, f, 3); break;
    case FIELD_INTERVAL: put_list_of(e, f, 2); break;
    case FIELD_NUMBERS: put_list_of(e, f, 0); break;
    case FIELD_DOWN:
    case FIELD_COURSE:
    case FIELD_DISTRIBUTION:
        put(e, "{\"anyOf\": [");
        put_quantity(e, f);
        put(e, ", ");
        if (f->type == FIELD_COURSE) put_rows(e, f, 2), put(e, ", ");
        if (f->type == FIELD_DOWN) put_list_of(e, f, 3);
        else put_reference(e, f->object);
        put(e, "]}");
        break;
    case FIELD_DIRECTION:
        put(e, "{\"anyOf\": [{\"enum\": [\"x\", \"y\", \"z\", \"-x\", \"-y\", \"-z\", \"+x\", \"+y\", \"+z\"]}, ");
        put_list_of(e, &plain, 3);
        put(e, "]}");
        break;
    case FIELD_ROTATION:
        put(e, "{\"anyOf\": [");
        put_reference(e, &schema_turn);
        put(e, ", ");
        put_list_of(e, &plain, 4);
        put(e, "]}");
        break;
    case FIELD_COUNTS:
        put(e, "{\"type\": \"array\", \"items\": {\"type\": \"integer\", \"minimum\": 1}, \"minItems\": 3, "
               "\"maxItems\": 3}");
        break;
    case FIELD_ARM:
        put(e, "{\"anyOf\": [{\"const\": 0}, {\"type\": \"string\", \"pattern\": \"" NUMBER_PATTERN
               "\\\\s*[^0-9\\\\s].*$\"}]}");
        break;
    case FIELD_TABLE:
        put(e, "{\"anyOf\": [");
        put_list_of(e, f, 3);
        put(e, ", ");
        put_rows(e, f, 4);
        put(e, "]}");
        break;
    case FIELD_OBJECT: put_reference(e, f->object); break;
    case FIELD_LIST:
        put(e, "{\"type\": \"array\", \"items\": ");
        put_reference(e, f->object);
        put(e, "}");
        break;
    case FIELD_MAP:
        put(e, "{\"type\": \"object\", \"additionalProperties\": ");
        put_reference(e, f->object);
        put(e, "}");
        break;
    }
}

/// The part of an object's schema between its braces. Fields that inherit a quantity take any.
static void put_object(exporter *e, const schema_object *object, const char *indent)
{
    int needs_nothing = object->one_of[0][0] == NULL;
    put(e, "%s\"description\": ", indent);
    put_string(e, object->text);
    for (int k = 0; k < object->field_count; ++k) needs_nothing &= !object->field[k].required;
    put(e, ",\n%s\"type\": %s,\n%s\"additionalProperties\": false,\n%s\"properties\": {", indent,
        needs_nothing ? "[\"object\", \"null\"]" : "\"object\"", indent, indent);
    int first = 1;
    for (int k = 0; k < object->field_count; ++k) {
        if (schema_hidden(object, &object->field[k])) continue;
        schema_field f = schema_resolve(object, &object->field[k], QUANTITY_LENGTH);
        put(e, "%s\n%s  \"%s\": {\"description\": ", first ? "" : ",", indent, f.key);
        put_string(e, f.text);
        put(e, ", \"allOf\": [");
        put_type(e, &f);
        put(e, "]}");
        first = 0;
    }
    put(e, "\n%s}", indent);
    first = 1;
    for (int k = 0; k < object->field_count; ++k)
        if (object->field[k].required) {
            put(e, "%s\"%s\"", first ? ", \"required\": [" : ", ", object->field[k].key);
            first = 0;
        }
    if (!first) put(e, "]");
    if (object->one_of[0][0]) {
        put(e, ",\n%s\"oneOf\": [", indent);
        for (int k = 0; object->one_of[0][k]; ++k)
            put(e, "%s{\"required\": [\"%s\"]}", k ? ", " : "", object->one_of[0][k]);
        put(e, "]");
    }
    put(e, "\n");
}

static void write_json(exporter *e)
{
    put(e, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": \"scree scene\",\n");
    put_object(e, &schema_root, "  ");
    e->at -= 1; /* a comma instead of the line's end */
    put(e, ",\n  \"$defs\": {");
    for (int k = 1; k < e->object_count; ++k) {
        put(e, "%s\n    \"", k > 1 ? "," : "");
        for (const char *c = e->object[k]->name; *c; ++c) put(e, "%c", *c == ' ' ? '_' : *c);
        put(e, "\": {\n");
        put_object(e, e->object[k], "      ");
        put(e, "    }");
    }
    put(e, "\n  }\n}\n");
}

char *scree_scene_schema(const scree_allocator *allocator, scree_error *error)
{
    return export(write_json, allocator, error);
}

/* ---- the manual ----------------------------------------------------------------------------------------------------------- */

/// What stands in the struct when the key is not given, as one would write it.
static void put_default(exporter *e, const schema_object *object, const schema_field *f, const void *defaults)
{
    const char *at = (const char *)defaults + f->offset;
    const char *unit = quantity_get(f->unit)->si;
    if (f->required) put(e, "required");
    else if (f->fallback) put(e, "%s", f->fallback);
    else if (f->type == FIELD_VECTOR && strcmp(f->key, "inertia") != 0) put(e, "[0, 0, 0]");
    else if (f->type == FIELD_ROTATION) put(e, "not rotated");
    else if (!object->defaults) return;
    else if (f->type == FIELD_NUMBER) put(e, "%.9g%s%s", *(const double *)at, *unit ? " " : "", unit);
    else if (f->type == FIELD_INTEGER) put(e, "%d", *(const int *)at);
    else if (f->type == FIELD_FLAG) put(e, "%s", *(const int *)at ? "true" : "false");
    else if (f->type == FIELD_CHOICE) put(e, "%s", f->choice(*(const int *)at));
}

/// What the key takes, with links to other objects.
static void put_takes(exporter *e, const schema_field *f)
{
    enum { FEW = 8 };
    const char *words[SCHEMA_WORDS_MAX];
    char expected[400];
    if (f->object) {
        if (f->type == FIELD_LIST) put(e, "list of ");
        else if (f->type == FIELD_MAP) put(e, "name: ");
        else if (f->type == FIELD_DISTRIBUTION) put(e, "%s, or a ", quantity_get(f->unit)->name);
        else if (f->type == FIELD_COURSE) put(e, "%s, rows [t, value], or a ", quantity_get(f->unit)->name);
        put(e, "[%s](#", f->object->name);
        for (const char *c = f->object->name; *c; ++c) put(e, "%c", *c == ' ' ? '-' : *c);
        put(e, ")");
    } else if (f->type == FIELD_ROTATION) put(e, "[rotation](#rotation) {axis, angle}, or a quaternion [w, x, y, z]");
    else if (f->type == FIELD_CHOICE && schema_words(f, words) > FEW)
        put(e, "a word"); /* the text says where they are listed */
    else put(e, "%s", schema_expects(f, expected, sizeof expected));
}

static void put_page(exporter *e, const schema_object *object)
{
    union { /* any of the structs fits */
        scene_head head;
        unsigned char bytes[16384];
    } defaults;
    SCREE_ASSERT(object->size <= sizeof defaults);
    schema_defaults(object, &defaults);
    put(e, "\n### %s\n\n%s", object->name, object->text);
    if (object->one_of[0][0]) {
        put(e, " Exactly one of");
        for (int k = 0; object->one_of[0][k]; ++k) put(e, "%s `%s`", k ? "," : "", object->one_of[0][k]);
        put(e, ".");
    }
    put(e, "\n\n| key | value | default | |\n|---|---|---|---|\n");
    for (int k = 0; k < object->field_count; ++k) {
        if (schema_hidden(object, &object->field[k])) continue;
        schema_field f = schema_resolve(object, &object->field[k], QUANTITY_INHERITED);
        put(e, "| `%s` | ", f.key);
        if (object->field[k].unit != QUANTITY_INHERITED) put_takes(e, &f);
        else if (f.type == FIELD_NUMBERS) put(e, "a list of such values");
        else put(e, "a value%s", f.range == RANGE_ANY ? "" : " above 0");
        put(e, " | ");
        put_default(e, object, &f, &defaults);
        put(e, " | ");
        for (const char *c = f.text; *c; ++c) put(e, "%s%c", *c == '|' ? "\\" : "", *c); /* a bar would end the cell */
        put(e, " |\n");
    }
}

static void write_markdown(exporter *e)
{
    for (int k = 0; k < e->object_count; ++k) put_page(e, e->object[k]);
}

char *scree_scene_reference(const scree_allocator *allocator, scree_error *error)
{
    return export(write_markdown, allocator, error);
}
