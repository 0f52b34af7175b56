/* scene_set.c: "path=value" into the tree of a scene, before it is checked.
 *
 *     materials.stone.friction=0.3     bodies[2].velocity=[1, 0, 0]     bodies.ball.velocity=[1, 0, 0]
 *
 * A step of a path is a key of a map, an index [k] of a list, or in a list of maps the `name` of one of them. Keys that are not there
 * are added (the tables judge them later, like those of the file); items of lists must exist. The value is YAML. */
#include "scene/scene_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_MAX = SCREE_DOC_DEPTH_MAX };

typedef struct path_step {
    const char *text; /* key or name; NULL: an index */
    size_t length;
    int index;
} path_step;

typedef struct set_path {
    path_step step[STEPS_MAX];
    int count;
    const char *value; /* behind the '=' */
} set_path;

static scree_status refuse(const scree_doc *doc, const char *text, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

static scree_status refuse(const scree_doc *doc, const char *text, const char *format, ...)
{
    char place[sizeof((scree_error *)0)->file], words[sizeof((scree_error *)0)->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    snprintf(place, sizeof place, "--set %s", text);
    scree_error_set(doc->error, place, 0, 0, "%s", words);
    return SCREE_ERR_INPUT;
}

/// Splits "a.b[2].c=value".
static scree_status split(const scree_doc *doc, const char *text, set_path *path)
{
    const char *at = text;
    path->count = 0;
    if (!strchr(text, '=')) return refuse(doc, text, "expected path=value, like materials.stone.friction=0.3");
    while (*at != '=') {
        if (path->count == STEPS_MAX)
            return refuse(doc, text, "the path is too long, expected at most %d steps", STEPS_MAX);
        path_step *s = &path->step[path->count++];
        if (*at == '[') {
            size_t digits = strspn(at + 1, "0123456789");
            *s = (path_step){NULL, 0, 0};
            if (digits == 0 || digits > 8 || at[1 + digits] != ']')
                return refuse(doc, text, "expected an index like [2] in the path");
            for (size_t k = 1; k <= digits; ++k) s->index = 10 * s->index + (at[k] - '0');
            at += digits + 2;
        } else {
            size_t n = strcspn(at, ".[=");
            *s = (path_step){at, n, 0};
            if (n == 0) return refuse(doc, text, "an empty step in the path, expected path=value");
            at += n;
        }
        if (*at == '.') {
            if (*++at == '=' || *at == '[') return refuse(doc, text, "an empty step in the path, expected path=value");
        } else if (*at != '[' && *at != '=') return refuse(doc, text, "expected '.', '[' or '=' after an index");
    }
    if (path->count == 0) return refuse(doc, text, "no path before '=', expected path=value");
    path->value = at + 1;
    return SCREE_OK;
}

static int step_is(const path_step *step, const scree_doc_node *node)
{
    return node->kind == SCREE_DOC_SCALAR && node->length == step->length &&
           memcmp(node->text, step->text, step->length) == 0;
}

static scree_doc_node *find_key(const scree_doc_node *map, const path_step *step)
{
    scree_doc_node *key = map->child;
    while (key && !step_is(step, key)) key = key->next;
    return key;
}

/// The pointer that holds the item of a list, found by index or by name; NULL: there is none.
static scree_doc_node **find_item(scree_doc_node *list, const path_step *step)
{
    scree_doc_node **link = &list->child;
    for (int k = 0; *link; link = &(*link)->next, ++k) {
        if (!step->text) {
            if (k == step->index) return link;
            continue;
        }
        const scree_doc_node *name = (*link)->kind == SCREE_DOC_MAP ? scree_doc_get(*link, "name") : NULL;
        if (name && step_is(step, name)) return link;
    }
    return NULL;
}

/// The key of a map, added at its end where it is missing; NULL: no memory.
static scree_doc_node *add_key(scree_doc *doc, scree_doc_node *map, const path_step *step, int source)
{
    scree_doc_node *key = scree_doc_new(doc, SCREE_DOC_SCALAR, NULL), **link = &map->child;
    char *text = scree_doc_alloc(doc, step->length + 1);
    if (!key || !text) return NULL;
    memcpy(text, step->text, step->length);
    text[step->length] = '\0';
    key->text = text, key->length = step->length, key->source = source;
    while (*link) link = &(*link)->next;
    *link = key;
    map->count += 1;
    return key;
}

/// Puts `node` where the path leads.
static scree_status put(scree_doc *doc, const char *text, const set_path *path, scree_doc_node *node, int source)
{
    scree_doc_node **place = &doc->root;
    for (int k = 0; k < path->count; ++k) {
        const path_step *step = &path->step[k];
        int on_the_way = !*place || ((*place)->kind == SCREE_DOC_SCALAR && (*place)->length == 0);
        if (on_the_way && step->text) { /* nothing there yet: a map */
            *place = scree_doc_new(doc, SCREE_DOC_MAP, *place);
            if (!*place) return scree_doc_no_memory(doc->name, doc->error);
            (*place)->source = source;
        }
        if (*place && (*place)->kind == SCREE_DOC_MAP && step->text) {
            scree_doc_node *key = find_key(*place, step);
            if (!key) key = add_key(doc, *place, step, source);
            if (!key) return scree_doc_no_memory(doc->name, doc->error);
            place = &key->value;
        } else if (*place && (*place)->kind == SCREE_DOC_LIST) {
            scree_doc_node **item = find_item(*place, step);
            if (!item && step->text)
                return refuse(doc, text, "there is no item with the name '%.*s', and an index is written [0], [1], ...",
                              (int)(step->length < 64 ? step->length : 64), step->text);
            if (!item)
                return refuse(doc, text, "there is no item [%d]: the list has %d, counted from 0", step->index,
                              (*place)->count);
            place = item;
        } else {
            if (!step->text) return refuse(doc, text, "[%d] in the path, but no list stands there", step->index);
            return refuse(doc, text, "'%.*s' in the path, but a single value stands before it",
                          (int)(step->length < 64 ? step->length : 64), step->text);
        }
    }
    node->next = *place ? (*place)->next : NULL; /* an item of a list keeps its place; values of keys have no next */
    *place = node;
    return SCREE_OK;
}

scree_status scene_set(scree_doc *doc, const char *text, int index)
{
    set_path path = {.value = ""};
    scree_doc value;
    scree_status status = split(doc, text, &path);
    if (status != SCREE_OK) return status;

    char place[sizeof((scree_error *)0)->file];
    snprintf(place, sizeof place, "--set %s", text);
    status =
        scree_doc_parse(&value, path.value, strlen(path.value), SCENE_FILE_MAX, place, &doc->allocator, doc->error);
    if (status != SCREE_OK) {
        if (doc->error) doc->error->line = doc->error->column = 0;
        return status;
    }
    scree_doc_node *node = value.root;
    scree_doc_adopt(doc, &value, index + 1);
    if (!node) node = scree_doc_new(doc, SCREE_DOC_SCALAR, NULL);
    if (!node) return scree_doc_no_memory(doc->name, doc->error);
    node->source = index + 1;
    return put(doc, text, &path, node, index + 1);
}
