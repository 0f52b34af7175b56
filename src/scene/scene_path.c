/* scene_path.c: does a path lead anywhere in a scene? (scree/scene.h)
 *
 * The reader of scenes adds keys that are not there, since many have defaults; with a mistyped name of a material it would make a
 * new material that nothing uses. So a path is walked through the tables of the reader (which keys
 * exist) and through the scene (which names and items exist) side by side. What the value may be, the reader says, case by case. */
#include "base/fail.h"
#include "base/suggest.h"
#include "scene/scene_private.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 256, STEP_TEXT = 128 };

typedef struct walk {
    const char *at;              /* what of the path is left                                      */
    char step[STEP_TEXT];        /* the present one: a key or name; "" for an index               */
    int index;                   /* -1: not an index                                              */
    const schema_object *object; /* the tables here; NULL: below a single value                   */
    const scree_doc_node *node;  /* the scene here; NULL: not given                                */
    scree_error *error;
} walk;

static int refuse(const walk *w, const char *what, const char *const *words, int count)
{
    const char *near = suggest(w->step, strlen(w->step), words, count);
    scree_error_set(w->error, NULL, 0, 0, "%s '%s'%s%s%s", what, w->step, near ? ", did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
    return 0;
}

/// The next step of the path; 0: it is not written as one.
static int next_step(walk *w)
{
    w->index = -1, w->step[0] = '\0';
    if (*w->at == '[') {
        char *end;
        long k = strtol(w->at + 1, &end, 10);
        w->index = k >= 0 && k <= 99999999 && *end == ']' && w->at[1] != '-' ? (int)k : -1;
        if (w->index < 0 || end == w->at + 1) return 0;
        w->at = end + 1;
    } else {
        size_t n = strcspn(w->at, ".[");
        if (n == 0 || n >= sizeof w->step) return 0;
        memcpy(w->step, w->at, n);
        w->step[n] = '\0';
        w->at += n;
    }
    if (*w->at == '.') return w->at[1] != '\0' && *++w->at != '[';
    return *w->at == '[' || *w->at == '\0';
}

/// A key of the present object, and what it holds.
static int enter_key(walk *w, const schema_field **field)
{
    const char *words[WORDS_MAX];
    int count = 0;
    *field = NULL;
    for (int k = 0; k < w->object->field_count && count < WORDS_MAX; ++k) {
        const schema_field *f = &w->object->field[k];
        if (schema_hidden(w->object, f)) continue;
        words[count++] = f->key;
        if (strcmp(f->key, w->step) == 0) *field = f;
    }
    if (!*field) return refuse(w, "a scene has no key", words, count);
    w->node = w->node && w->node->kind == SCREE_DOC_MAP ? scree_doc_get(w->node, w->step) : NULL;
    return 1;
}

/// A name in a map, or a name or an index in a list.
static int enter_item(walk *w)
{
    const char *words[WORDS_MAX];
    int count = 0, k = 0;
    const scree_doc_node *found = NULL, *item = w->node ? w->node->child : NULL;
    int is_map = w->node && w->node->kind == SCREE_DOC_MAP;
    for (; item; item = item->next, ++k) {
        const scree_doc_node *name = is_map ? item : item->kind == SCREE_DOC_MAP ? scree_doc_get(item, "name") : NULL;
        if (name && name->kind == SCREE_DOC_SCALAR && count < WORDS_MAX) words[count++] = name->text;
        if (w->index >= 0 ? !is_map && k == w->index : name && scree_doc_text_is(name, w->step))
            found = is_map ? item->value : item;
    }
    if (!found && w->index >= 0) {
        scree_error_set(w->error, NULL, 0, 0, "there is no item [%d] in this scene: it has %d, counted from 0",
                        w->index, k);
        return 0;
    }
    if (!found) return refuse(w, "this scene has nothing with the name", words, count);
    w->node = found;
    return 1;
}

static int take_step(walk *w, const schema_field **field)
{
    int in_list = *field && ((*field)->type == FIELD_LIST || (*field)->type == FIELD_MAP);
    if (in_list) {
        if (!enter_item(w)) return 0;
        w->object = (*field)->object, *field = NULL;
        return 1;
    }
    if (w->object && w->index < 0) {
        if (!enter_key(w, field)) return 0;
        int holds = (*field)->type == FIELD_OBJECT || (*field)->type == FIELD_DISTRIBUTION;
        w->object = holds ? (*field)->object : NULL;
        return 1;
    }
    return enter_item(w); /* below a value: the component of a vector, the angle of a rotation */
}

scree_status scene_find_node(const scree_scene *scene, const char *path, const scree_doc_node **node,
                             scree_error *error)
{
    const schema_field *field = NULL;
    walk w = {.at = path, .object = &schema_root, .node = scene->doc.root, .error = error};
    int good = 1;
    *node = NULL;
    while (good && *w.at) {
        good = next_step(&w);
        if (!good)
            scree_error_set(error, NULL, 0, 0,
                            "the path is not written like materials.stone.friction or bodies[2].velocity[0]");
        else good = take_step(&w, &field);
    }
    *node = good ? w.node : NULL;
    return good ? SCREE_OK : SCREE_ERR_INPUT;
}

scree_status scree_scene_find_path(const scree_scene *scene, const char *path, scree_error *error)
{
    const scree_doc_node *node;
    if (error_stopped(error)) return error->status;
    return error_keep(error, scene_find_node(scene, path, &node, error));
}
