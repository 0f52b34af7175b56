/* scene_play.c: what a live page can change in a scene, and the files that it needs (scree/scene.h).
 *
 * A control is a path, two ends and a unit. Those of the key `play` come first; then those that most scenes have. A coefficient that the scene
 * does not give may be one that none of its laws reads, which the checks refuse: so it is offered if the scene with it can be read. */
#if !defined(_POSIX_C_SOURCE) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700 /* realpath */
#endif

#include "base/text.h"
#include "math/scalar.h"
#include "scene/scene_private.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers with their units -------------------------------------------------------------------------------------------- */

/// "40 mm" as 40 and "mm"; 0: it is no such text.
static int split_number(const char *text, double *number, const char **unit)
{
    scree_unit_value value, one;
    char single[80];
    const char *at = text + strspn(text, "+-0123456789.");
    if (at != text && (*at == 'e' || *at == 'E') && at[1] != '\0' && strchr("+-0123456789", at[1]))
        at += 2 + strspn(at + 2, "0123456789");
    *unit = at + strspn(at, " ");
    snprintf(single, sizeof single, "1 %s", *unit);
    if (strlen(*unit) >= sizeof((scree_control *)0)->unit || scree_unit_parse(text, NULL, &value, NULL) != SCREE_OK ||
        scree_unit_parse(**unit ? single : "1", NULL, &one, NULL) != SCREE_OK)
        return 0;
    *number = value.value / one.value;
    return 1;
}

/// The value of a node in this unit; a number without one is in SI units. 0: it is of another kind.
static int value_in(const scree_doc_node *node, const char *unit, double *number)
{
    scree_unit_value value, one;
    char single[80];
    snprintf(single, sizeof single, "1 %s", unit);
    if (!node || node->kind != SCREE_DOC_SCALAR || scree_unit_parse(node->text, NULL, &value, NULL) != SCREE_OK ||
        scree_unit_parse(unit[0] ? single : "1", NULL, &one, NULL) != SCREE_OK ||
        ((value.has_unit || value.ratio) && strcmp(value.unit, one.unit) != 0))
        return 0;
    *number = value.value / one.value;
    return 1;
}

/* ---- declared controls --------------------------------------------------------------------------------------------------- */

scree_status scene_check_play(const scree_scene *scene)
{
    const scree_doc *doc = &scene->doc;
    const scene_control *c = scene->root.play.controls.item;
    for (int k = 0; k < scene->root.play.controls.count; ++k) {
        scree_error why = {.line = 0};
        const scree_doc_node *node;
        const char *unit[2], *const key[2] = {"from", "to"}, *const text[2] = {c[k].from, c[k].to};
        double end[2];
        if (strlen(c[k].set) >= sizeof((scree_control *)0)->set)
            return scree_doc_fail(doc, schema_node(&c[k].head, "set"), "set: the path is too long");
        if (scene_find_node(scene, c[k].set, &node, &why) != SCREE_OK)
            return scree_doc_fail(doc, schema_node(&c[k].head, "set"), "set: %s", why.text);
        for (int i = 0; i < 2; ++i)
            if (!split_number(text[i], &end[i], &unit[i]))
                return scree_doc_fail(doc, schema_node(&c[k].head, key[i]),
                                      "%s: expected a number with or without a unit, like \"60 mm\"", key[i]);
        if (strcmp(unit[0], unit[1]) != 0)
            return scree_doc_fail(doc, schema_node(&c[k].head, "to"),
                                  "to: in '%s', but `from` is in '%s': expected one unit", unit[1], unit[0]);
        if (!(end[0] < end[1]))
            return scree_doc_fail(doc, schema_node(&c[k].head, "to"), "to: not above `from`, expected a range");
    }
    return SCREE_OK;
}

/* ---- the list ------------------------------------------------------------------------------------------------------------ */

typedef struct control_list {
    const scree_scene *scene;
    int count, capacity;
    scree_control *control;
} control_list;

/// What is set when bodies are made acts at the start; the rest at once.
static int restarts(const char *path)
{
    static const char *const live[] = {"materials.", "pairs", "mixing.", "gravity", "slope", "stepper.", "solver."};
    const char *last = strrchr(path, '.');
    if (last && strcmp(last, ".density") == 0) return 1;
    for (size_t k = 0; k < sizeof live / sizeof *live; ++k)
        if (strncmp(path, live[k], strlen(live[k])) == 0) return 0;
    return 1;
}

static void add(control_list *list, const scree_control *control)
{
    for (int k = 0; k < list->count && k < list->capacity; ++k)
        if (strcmp(list->control[k].set, control->set) == 0) return;
    if (list->count < list->capacity) list->control[list->count] = *control;
    list->count += 1;
}

/// 1: the scene can be read with the control in the middle of its way.
static int accepts(const scree_scene *scene, const scree_control *c)
{
    char text[sizeof c->set + 64];
    const char *set = text;
    scree_error ignored = {.line = 0};
    snprintf(text, sizeof text, "%s=%.9g %s", c->set, 0.5 * (c->from + c->to), c->unit);
    scree_scene *other =
        scree_scene_parse(scene->text, strlen(scene->text), scene->name, &set, 1, &scene->allocator, &ignored);
    scree_scene_destroy(other);
    return other != NULL;
}

/// A control that comes by itself. `unit`, `value`: what it has where the scene does not give it; `most`: its right end then, and otherwise too if it
/// is no more than twice the value.
static void offer(control_list *list, const char *path, const char *label, const char *unit, double value, double most)
{
    const scree_doc_node *node;
    const char *own = NULL;
    scree_control c = {.to = most, .value = value, .restarts = restarts(path)};
    text_copy(c.set, sizeof c.set, path);
    text_copy(c.label, sizeof c.label, label);
    text_copy(c.unit, sizeof c.unit, unit);
    if (scene_find_node(list->scene, path, &node, NULL) != SCREE_OK) return;
    if (node && (node->kind != SCREE_DOC_SCALAR || !split_number(node->text, &c.value, &own))) return;
    if (node && own[0] && strcmp(own, unit) != 0) {
        text_copy(c.unit, sizeof c.unit, own);
        c.to = c.value > 0.0 ? 3.0 * c.value : 1.0;
    }
    c.to = number_max(c.to, 2.0 * c.value);
    if (node || accepts(list->scene, &c)) add(list, &c);
}

/// `try`: those that are not given too.
static void offer_coefficients(control_list *list, const char *path, const char *name, int try)
{
    static const struct {
        const char *key, *unit;
        double most;
    } row[] = {{"friction", "", 1.2}, {"rolling", "r", 0.3}, {"spinning", "r", 0.3}, {"restitution", "", 1.0}};
    static const char *const said[] = {"sliding friction", "rolling friction", "spinning friction", "restitution"};
    for (size_t k = 0; k < sizeof row / sizeof *row; ++k) {
        char full[256], label[128];
        snprintf(full, sizeof full, "%.200s.%s", path, row[k].key);
        snprintf(label, sizeof label, name[0] ? "%.80s: %s" : "%.0s%s", name, said[k]);
        const scree_doc_node *given;
        if (try || (scene_find_node(list->scene, full, &given, NULL) == SCREE_OK && given))
            offer(list, full, label, row[k].unit, 0.0, row[k].most);
    }
}

int scree_scene_controls(const scree_scene *scene, int capacity, scree_control *control)
{
    enum { MATERIALS_MOST = 8 }; /* beyond these nobody looks for a slider */
    const scene_root *root = &scene->root;
    const scene_control *c = root->play.controls.item;
    const scene_material *material = root->materials.item;
    const scene_pair *pair = root->pairs.item;
    control_list list = {.scene = scene, .capacity = capacity, .control = control};
    for (int k = 0; k < root->play.controls.count; ++k) {
        const scree_doc_node *node;
        const char *unit;
        scree_control one = {.declared = 1, .restarts = restarts(c[k].set)};
        text_copy(one.set, sizeof one.set, c[k].set);
        text_copy(one.label, sizeof one.label, c[k].label ? c[k].label : c[k].set);
        split_number(c[k].from, &one.from, &unit);
        split_number(c[k].to, &one.to, &unit);
        text_copy(one.unit, sizeof one.unit, unit);
        if (scene_find_node(scene, c[k].set, &node, NULL) != SCREE_OK || !value_in(node, unit, &one.value))
            one.value = one.from;
        add(&list, &one);
    }
    for (int k = 0; k < root->materials.count && k < MATERIALS_MOST; ++k) {
        char path[256];
        snprintf(path, sizeof path, "materials.%.200s", material[k].name.text);
        if (strpbrk(material[k].name.text, ".[=")) continue; /* no path leads there */
        offer_coefficients(&list, path, root->materials.count > 1 ? material[k].name.text : "", 1);
    }
    for (int k = 0; k < root->pairs.count && k < MATERIALS_MOST; ++k) {
        char path[64], name[128];
        snprintf(path, sizeof path, "pairs[%d]", k);
        snprintf(name, sizeof name, "%.40s and %.40s", pair[k].between[0]->text, pair[k].between[1]->text);
        offer_coefficients(&list, path, name, 0);
    }
    offer(&list, "gravity", "gravity", "m/s^2", 9.81, 20.0);
    offer(&list, "slope", "slope", "deg", 0.0, 45.0);
    return list.count;
}

const char *scree_scene_about(const scree_scene *scene)
{
    return scene->root.play.about;
}

/* ---- files ------------------------------------------------------------------------------------------------------------------- */

/// The (*left)-th path below a node; counts down those it passes.
static const char *nth_file(const scree_doc_node *node, int *left)
{
    for (const scree_doc_node *item = node->kind == SCREE_DOC_SCALAR ? NULL : node->child; item; item = item->next) {
        const int is_map = node->kind == SCREE_DOC_MAP;
        const scree_doc_node *below = is_map ? item->value : item;
        const char *found = NULL;
        if (is_map && (scree_doc_text_is(item, "path") || scree_doc_text_is(item, "file"))) {
            if (below && below->kind == SCREE_DOC_SCALAR && below->length > 0 && (*left)-- == 0) return below->text;
        } else if (below) found = nth_file(below, left);
        if (found) return found;
    }
    return NULL;
}

const char *scree_scene_file(const scree_scene *scene, int index)
{
    static const char *const list[] = {"bodies", "generators"};
    char folder[PATH_MAX];
    const char *found = NULL;
    for (int k = 0; k < 2 && !found && index >= 0; ++k) {
        const scree_doc_node *node = scree_doc_get(scene->doc.root, list[k]);
        found = node ? nth_file(node, &index) : NULL;
    }
    if (!found || !realpath(scene->folder[0] ? scene->folder : ".", folder)) return found;
    size_t n = strlen(folder); /* the reader has made it absolute */
    return strncmp(found, folder, n) == 0 && found[n] == '/' ? found + n + 1 : found;
}
