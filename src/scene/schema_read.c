/* schema_read.c: a map of the scene into a C struct, as its table says.
 *
 * Keys come first: an unknown one is a typing mistake, and what it was meant to be would otherwise be reported as missing. Then the
 * values in the order of the file, so that the first message is about the first mistake; then what is missing. */
#include "base/suggest.h"
#include "scene/schema.h"

#include <stdio.h>
#include <string.h>

/* What people write for a key of ours that does not look like it; `as`: what to write instead, where the key alone does not tell. */
static const struct {
    const char *wrong, *right, *as;
} synonyms[] = {
    {"mu", "friction", NULL},
    {"rho", "rolling", NULL},
    {"sigma", "spinning", NULL},
    {"e", "restitution", NULL},
    {"dt", "step", NULL},
    {"h", "step", NULL},
    {"timestep", "step", NULL},
    {"time_step", "step", NULL},
    {"tol", "tolerance", NULL},
    {"max_iter", "max_iterations", NULL},
    {"method", "name", NULL},
    {"type", "kind", NULL},
    {"omega", "spin", NULL},
    {"angular_velocity", "spin", NULL},
    {"torque", "moment", NULL},
    {"vel", "velocity", NULL},
    {"pos", "position", NULL},
    {"at", "position", NULL},
    {"centre", "center", NULL},
    {"orientation", "rotation", NULL},
    {"quaternion", "rotation", NULL},
    {"end", "until", NULL},
    {"duration", "until", NULL},
    {"g", "gravity", NULL},
    {"walls", "container", NULL},
    {"solver", "name", NULL},
    {"sizes", "radius", NULL},
    {"diameter", "radius", NULL},
    {"half_lengths", "size", NULL},
    {"radii", "semi_axes", NULL},
    {"interval", "every", NULL},
    {"region", "from", NULL},
    {"from", "region", NULL},
    {"sigma", "deviation", NULL},
    {"body", "bodies", NULL},
    {"material", "materials", NULL},
    {"sphere", "shape", NULL},
    {"box", "shape", NULL},
    {"plane", "shape", NULL},
    {"capsule", "shape", NULL},
    {"ellipsoid", "shape", NULL},
    {"std", "deviation", NULL},
    {"version", "scree", NULL},
    {"dynamic", "kind", NULL},
    {"fixed", "kind", "kind: fixed"},
    {"static", "kind", "kind: fixed"},
};

static const char *article(const char *name)
{
    return strchr("aeiou", *name) ? "an" : "a";
}

static const schema_field *find_field(const schema_object *object, const char *key, size_t length, int *index)
{
    for (int k = 0; k < object->field_count; ++k) {
        const schema_field *f = &object->field[k];
        if (strlen(f->key) != length || memcmp(f->key, key, length) != 0 || schema_hidden(object, f)) continue;
        *index = k;
        return f;
    }
    return NULL;
}

const scree_doc_node *schema_key(const scene_head *head, const char *key)
{
    const scree_doc_node *k = head->node && head->node->kind == SCREE_DOC_MAP ? head->node->child : NULL;
    while (k && !scree_doc_text_is(k, key)) k = k->next;
    return k;
}

const scree_doc_node *schema_node(const scene_head *head, const char *key)
{
    const scree_doc_node *k = schema_key(head, key);
    return k ? k->value : head->node;
}

/// The field of `object` that is itself a map with this key; NULL: there is none, or several.
static const schema_field *find_holder(const schema_object *object, const scree_doc_node *key)
{
    const schema_field *holder = NULL;
    for (int k = 0, index; k < object->field_count; ++k) {
        const schema_field *f = &object->field[k];
        if (f->type != FIELD_OBJECT || schema_hidden(object, f) ||
            !find_field(f->object, key->text, key->length, &index))
            continue;
        if (holder) return NULL;
        holder = f;
    }
    return holder;
}

/// A key that the object does not have.
static scree_status unknown_key(const scree_doc *doc, const scree_doc_node *key, const schema_object *object)
{
    const char *words[SCHEMA_FIELDS_MAX];
    char what[80], quote[SCREE_DOC_QUOTE_SIZE];
    int count = 0, index;
    for (int k = 0; k < object->field_count && count < SCHEMA_FIELDS_MAX; ++k)
        if (!schema_hidden(object, &object->field[k])) words[count++] = object->field[k].key;
    const int looks_known = suggest(key->text, key->length, words, count) != NULL;
    for (size_t k = 0; k < sizeof synonyms / sizeof *synonyms && !looks_known; ++k)
        if (scree_doc_text_is(key, synonyms[k].wrong) &&
            find_field(object, synonyms[k].right, strlen(synonyms[k].right), &index))
            return scree_doc_fail(doc, key, "unknown key %s in %s %s, did you mean '%s'?", scree_doc_quote(key, quote),
                                  article(object->name), object->name,
                                  synonyms[k].as ? synonyms[k].as : synonyms[k].right);
    const schema_field *holder = looks_known ? NULL : find_holder(object, key);
    if (holder)
        return scree_doc_fail(doc, key, "unknown key %s in %s %s, did you mean '%s: {%.*s: ...}'?",
                              scree_doc_quote(key, quote), article(object->name), object->name, holder->key,
                              (int)key->length, key->text);
    snprintf(what, sizeof what, "in %s %s: unknown key", article(object->name), object->name);
    return scree_doc_not_among(doc, key, what, words, count);
}

/// Every key is known and stands once.
static scree_status check_keys(const scree_doc *doc, const scree_doc_node *map, const schema_object *object)
{
    const scree_doc_node *first[SCHEMA_FIELDS_MAX] = {NULL};
    for (const scree_doc_node *key = map->child; key; key = key->next) {
        int index = 0;
        if (!find_field(object, key->text, key->length, &index)) return unknown_key(doc, key, object);
        if (first[index])
            return scree_doc_fail(doc, key, "the key '%s' stands twice, expected once (first at line %d)",
                                  object->field[index].key, first[index]->line);
        first[index] = key;
    }
    return SCREE_OK;
}

/// Of a group exactly one key is given.
static scree_status check_group(const scree_doc *doc, const scree_doc_node *map, const schema_object *object,
                                const char *const *group)
{
    char list[160] = "";
    size_t at = 0;
    const scree_doc_node *chosen = NULL;
    for (int k = 0; group[k]; ++k) at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", k ? ", " : "", group[k]);
    for (const scree_doc_node *key = map->child; key; key = key->next)
        for (int k = 0; group[k]; ++k) {
            if (!scree_doc_text_is(key, group[k])) continue;
            if (chosen)
                return scree_doc_fail(doc, key, "'%s' beside '%s', expected only one of: %s", group[k], chosen->text,
                                      list);
            chosen = key;
        }
    if (!chosen)
        return scree_doc_fail(doc, map, "%s %s needs one of the keys: %s", article(object->name), object->name, list);
    return SCREE_OK;
}

static scree_status check_missing(const scree_doc *doc, const scree_doc_node *map, const schema_object *object,
                                  quantity inherited)
{
    char expected[400];
    for (int k = 0; k < object->field_count; ++k) {
        if (!object->field[k].required || scree_doc_get(map, object->field[k].key)) continue;
        schema_field f = schema_resolve(object, &object->field[k], inherited);
        return scree_doc_fail(doc, map, "the key '%s' is missing in the %s, expected %s", f.key, object->name,
                              schema_expects(&f, expected, sizeof expected));
    }
    return SCREE_OK;
}

/// An option that the chosen method does not read.
static scree_status check_reads(const scree_doc *doc, const scree_doc_node *map, const schema_object *object,
                                const void *value)
{
    char readers[64];
    int index = 0;
    if (!object->selector) return SCREE_OK;
    const schema_field *selector = find_field(object, object->selector, strlen(object->selector), &index);
    const char *what = strcmp(object->selector, "name") == 0 ? object->name : object->selector;
    const char *selected = selector->choice(*(const int *)((const char *)value + selector->offset));
    for (const scree_doc_node *key = map->child; key; key = key->next) {
        const schema_field *f = find_field(object, key->text, key->length, &index);
        if (!schema_reads(object, f, selected, readers, sizeof readers))
            return scree_doc_fail(doc, key, "the %s %s does not read '%s', expected it left out (it is for %s)", what,
                                  selected, f->key, readers);
    }
    return SCREE_OK;
}

/* ---- nested objects ------------------------------------------------------------------------------------------------------ */

enum { NAMES_MAX = 256 }; /* of one map: each is compared with all */

/// The items of a list, or the values of a map with their names.
static scree_status read_list(scree_doc *doc, const scree_doc_node *node, const schema_field *field, scene_list *list)
{
    char quote[SCREE_DOC_QUOTE_SIZE], expected[64];
    int is_map = field->type == FIELD_MAP;
    if (node->kind != (is_map ? SCREE_DOC_MAP : SCREE_DOC_LIST))
        return scree_doc_fail(doc, node, "%s: expected %s, found %s", field->key,
                              is_map ? schema_expects(field, expected, sizeof expected)
                                     : "a list (items start with '- ')",
                              scree_doc_quote(node, quote));
    if (is_map && node->count > NAMES_MAX)
        return scree_doc_fail(doc, node, "%s: expected at most %d, found %d", field->key, NAMES_MAX, node->count);
    list->item = scree_doc_alloc(doc, (size_t)(node->count > 0 ? node->count : 1) * field->object->size);
    if (!list->item) return scree_doc_no_memory(doc->name, doc->error);
    for (const scree_doc_node *item = node->child; item; item = item->next) {
        char *value = (char *)list->item + (size_t)list->count++ * field->object->size;
        scree_status status = schema_read(doc, is_map ? item->value : item, field->object, QUANTITY_NUMBER, value);
        if (status != SCREE_OK) return status;
        if (!is_map) continue;
        ((scene_named *)value)->name = (scene_name){item->text, item};
        for (const scree_doc_node *before = node->child; before != item; before = before->next)
            if (before->length == item->length && memcmp(before->text, item->text, item->length) == 0)
                return scree_doc_fail(doc, item, "%s: the name %s stands twice, expected once (first at line %d)",
                                      field->key, scree_doc_quote(item, quote), before->line);
    }
    return SCREE_OK;
}

static scree_status read_field(scree_doc *doc, const scree_doc_node *node, const schema_object *object, int index,
                               quantity inherited, char *value)
{
    schema_field f = schema_resolve(object, &object->field[index], inherited);
    void *at = value + f.offset;
    if (f.type == FIELD_OBJECT) return schema_read(doc, node, f.object, inherited, at);
    if (f.type == FIELD_LIST || f.type == FIELD_MAP) return read_list(doc, node, &f, at);
    return schema_value(doc, node, &f, at);
}

/* ---- objects --------------------------------------------------------------------------------------------------------------- */

/// What the fields hold when they are not given: zeros, the object's own defaults, then the table's.
void schema_defaults(const schema_object *object, void *value)
{
    scree_doc none = {.name = "the table of defaults"};
    memset(value, 0, object->size);
    if (object->defaults) object->defaults(value);
    for (int k = 0; k < object->field_count; ++k) {
        const schema_field *f = &object->field[k];
        void *at = (char *)value + f->offset;
        if (f->type == FIELD_OBJECT || f->type == FIELD_DISTRIBUTION || f->type == FIELD_COURSE)
            schema_defaults(f->object, at);
        else if (f->type == FIELD_ROTATION) ((double *)at)[0] = 1.0;
        else if (f->fallback) {
            scree_doc_node word = {.kind = SCREE_DOC_SCALAR, .length = strlen(f->fallback), .text = f->fallback};
            schema_field resolved = schema_resolve(object, f, QUANTITY_NUMBER);
            scree_status status = schema_value(&none, &word, &resolved, at);
            SCREE_ASSERT(status == SCREE_OK); /* or the table is wrong */
            (void)status;
        }
    }
    /* A default is one word: its text is the table's own and outlives the document. */
}

static int is_nothing(const scree_doc_node *node)
{
    if (node->kind != SCREE_DOC_SCALAR || node->quoted) return 0;
    return node->length == 0 || scree_doc_text_is(node, "~") || scree_doc_text_is(node, "null");
}

scree_status schema_read(scree_doc *doc, const scree_doc_node *node, const schema_object *object, quantity inherited,
                         void *value)
{
    scree_doc_node empty = {.kind = SCREE_DOC_MAP};
    char quote[SCREE_DOC_QUOTE_SIZE];
    scene_head *head = value;
    schema_defaults(object, value);
    head->node = node;
    if (!node) return SCREE_OK;

    const scree_doc_node *map = node;
    if (is_nothing(node)) { /* "plane:" with nothing behind it */
        empty.line = node->line, empty.column = node->column, empty.source = node->source;
        map = &empty;
    }
    if (map->kind != SCREE_DOC_MAP)
        return scree_doc_fail(doc, node, "expected %s %s as a map of keys, found %s", article(object->name),
                              object->name, scree_doc_quote(node, quote));
    scree_status status = check_keys(doc, map, object);
    for (const scree_doc_node *key = map->child; key && status == SCREE_OK; key = key->next) {
        int index = 0;
        find_field(object, key->text, key->length, &index);
        status = read_field(doc, key->value, object, index, inherited, value);
    }
    for (int g = 0; g < SCHEMA_GROUPS_MAX && status == SCREE_OK; ++g)
        if (object->one_of[g][0]) status = check_group(doc, map, object, object->one_of[g]);
    if (status == SCREE_OK) status = check_missing(doc, map, object, inherited);
    if (status == SCREE_OK) status = check_reads(doc, map, object, value);
    return status;
}
