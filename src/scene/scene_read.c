/* scene_read.c: from a file, or a text, to a checked scene.
 *
 *     text -> tree (yaml_doc.c) -> overrides (scene_set.c) -> structs (schema_read.c) -> checks (scene_check.c)
 *
 * The tree lives as long as the scene: the structs point into it, and messages of the builder still know lines and columns. */
#if !defined(_POSIX_C_SOURCE) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700 /* realpath */
#endif

#include "scene/scene_private.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const scree_allocator *a, const char *text, size_t length)
{
    char *copy = memory_array(a, length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

void scree_scene_destroy(scree_scene *scene)
{
    if (!scene) return;
    scree_allocator a = scene->allocator;
    for (int k = 0; k < scene->geometry_count; ++k) scree_geometry_release(scene->geometry[k]);
    scree_doc_free(&scene->doc);
    for (int k = 0; scene->set && k < scene->set_count; ++k) memory_free(&a, scene->set[k]);
    MEMORY_FREE_ALL(&a, scene->set, scene->name, scene->folder, scene->text, scene);
}

/// Name, folder and overrides, copied.
static scree_status keep_names(scree_scene *scene, const char *name, const char *const *set, int count)
{
    const scree_allocator *a = &scene->allocator;
    const char *slash = strrchr(name, '/');
    scene->name = copy_text(a, name, strlen(name));
    scene->folder = copy_text(a, name, slash ? (size_t)(slash - name) + 1 : 0);
    scene->set = memory_array(a, (size_t)count + 1, sizeof *scene->set);
    if (!scene->name || !scene->folder || !scene->set) return SCREE_ERR_MEMORY;
    scene->set_count = count;
    for (int k = 0; k < count; ++k) {
        scene->set[k] = copy_text(a, set[k], strlen(set[k]));
        if (!scene->set[k]) return SCREE_ERR_MEMORY;
    }
    return SCREE_OK;
}

/* ---- paths of other files --------------------------------------------------------------------------------------------- */

static scree_doc_node *value_of(const scree_doc_node *map, const char *key)
{
    scree_doc_node *k = map->kind == SCREE_DOC_MAP ? map->child : NULL;
    while (k && !scree_doc_text_is(k, key)) k = k->next;
    return k ? k->value : NULL;
}

/// Makes the path absolute if it is relative. Returns 1 if it was; -1: no memory.
static int make_absolute(scree_scene *scene, scree_doc_node *path)
{
    char real[PATH_MAX];
    if (!path || path->kind != SCREE_DOC_SCALAR || path->length == 0 || path->text[0] == '/') return 0;
    if (!realpath(scene->folder[0] ? scene->folder : ".", real)) return 0;
    size_t n = strlen(real);
    char *text = scree_doc_alloc(&scene->doc, n + 2 + path->length);
    if (!text) return -1;
    memcpy(text, real, n);
    text[n] = '/';
    memcpy(text + n + 1, path->text, path->length);
    text[n + 1 + path->length] = '\0';
    path->text = text, path->length += n + 1;
    return 1;
}

/// The scene as run is written elsewhere, so paths that are relative to its file become absolute: those of the keys `path` and `file`
/// of generators and shapes, wherever they stand below `node`. Returns how many did; -1: no memory.
static int make_paths_absolute(scree_scene *scene, const scree_doc_node *node)
{
    int changed = 0;
    for (scree_doc_node *item = node->kind == SCREE_DOC_SCALAR ? NULL : node->child; item; item = item->next) {
        int is_map = node->kind == SCREE_DOC_MAP,
            is_path = is_map && (scree_doc_text_is(item, "path") || scree_doc_text_is(item, "file"));
        const scree_doc_node *below = is_map ? item->value : item;
        int more = is_path ? make_absolute(scene, item->value) : below ? make_paths_absolute(scene, below) : 0;
        if (more < 0) return -1;
        changed += more;
    }
    return changed;
}

/// Of the lists that may have paths.
static int make_all_paths_absolute(scree_scene *scene)
{
    static const char *const list[] = {"bodies", "generators"};
    int changed = 0;
    for (int k = 0; k < 2; ++k) {
        const scree_doc_node *node = value_of(scene->doc.root, list[k]);
        int more = node ? make_paths_absolute(scene, node) : 0;
        if (more < 0) return -1;
        changed += more;
    }
    return changed;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static scree_status read_scene(scree_scene *scene, const char *text, size_t size, scree_error *error)
{
    scree_doc *doc = &scene->doc;
    scree_status status = scree_doc_parse(doc, text, size, SCENE_FILE_MAX, scene->name, &scene->allocator, error);
    if (status != SCREE_OK) return status;
    doc->set = (const char *const *)scene->set;
    for (int k = 0; k < scene->set_count && status == SCREE_OK; ++k) status = scene_set(doc, scene->set[k], k);
    if (status != SCREE_OK) return status;
    if (!doc->root) return scree_doc_fail(doc, NULL, "the file is empty, expected a scene that starts with 'scree: 1'");
    int moved = make_all_paths_absolute(scene);
    if (moved < 0) return scree_doc_no_memory(scene->name, error);

    status = schema_read(doc, doc->root, &schema_root, QUANTITY_NUMBER, &scene->root);
    if (status == SCREE_OK) status = scene_check(doc, &scene->root);
    if (status == SCREE_OK) status = scene_check_play(scene);
    if (status == SCREE_OK) status = scene_geometries(scene, error);
    if (status != SCREE_OK) return status;
    if (scene->set_count > 0 || moved > 0) return scene_write(doc, scene->set_count, &scene->text);
    scene->text = copy_text(&scene->allocator, text, size);
    return scene->text ? SCREE_OK : scree_doc_no_memory(scene->name, error);
}

scree_scene *scree_scene_parse(const char *text, size_t size, const char *name, const char *const *set, int count,
                               const scree_allocator *allocator, scree_error *error)
{
    if (error_stopped(error)) return NULL;
    scree_allocator a = memory_allocator(allocator);
    scree_scene *scene = memory_array(&a, 1, sizeof *scene);
    if (!scene) {
        error_keep(error, scree_doc_no_memory(name, error));
        return NULL;
    }
    scene->allocator = a;
    scree_status status = keep_names(scene, name, set, count);
    if (status != SCREE_OK) scree_doc_no_memory(name, error);
    else status = read_scene(scene, text, size, error);
    scene->doc.error = NULL; /* the caller's, and not ours to keep */
    if (error_keep(error, status) == SCREE_OK) return scene;
    scree_scene_destroy(scene);
    return NULL;
}

scree_scene *scree_scene_read(const char *path, const char *const *set, int count, const scree_allocator *allocator,
                              scree_error *error)
{
    scree_doc_text file;
    if (error_stopped(error)) return NULL;
    scree_status status = scree_doc_text_load(path, SCENE_FILE_MAX, allocator, &file, error);
    if (error_keep(error, status) != SCREE_OK) return NULL;
    scree_scene *scene = scree_scene_parse(file.text, file.size, file.name, set, count, &file.allocator, error);
    scree_doc_text_free(&file);
    return scene;
}

/* ---- what others ask -------------------------------------------------------------------------------------------------------- */

const char *scree_scene_text(const scree_scene *scene)
{
    return scene->text;
}

scree_run_plan scree_scene_plan(const scree_scene *scene)
{
    const scene_output *o = &scene->root.output;
    scree_run_plan plan = {.until = scene->root.run.until,
                           .rest_speed = scene->root.run.stop == STOP_AT_REST ? scene->root.run.rest_speed : 0.0,
                           .output_every = o->every,
                           .checkpoint_every = o->checkpoint,
                           .formats = SCREE_FORMAT_FRAMES | o->frames << 1 | (o->contacts ? SCREE_FORMAT_CONTACTS : 0),
                           .problems_every = o->problems_every};
    text_copy(plan.title, sizeof plan.title, scene->root.title ? scene->root.title : "");
    return plan;
}

int64_t scree_scene_body_count(const scree_scene *scene)
{
    const scene_generator *g = scene->root.generators.item;
    int64_t count = scene->root.bodies.count;
    for (int k = 0; k < scene->root.generators.count; ++k) {
        const int *n = g[k].lattice.count;
        if (g[k].lattice.head.node) count += (int64_t)n[0] * n[1] * n[2];
        if (g[k].packing.head.node) count += g[k].packing.count;
        if (g[k].pour.head.node) count += g[k].pour.count;
    }
    return count;
}

scree_stepper_options scree_scene_stepper(const scree_scene *scene)
{
    const scene_stepper *s = &scene->root.stepper;
    scree_stepper_options options = s->options;
    options.scheme = (scree_scheme)s->scheme;
    options.law = (scree_law)s->law;
    options.on_failure = (scree_on_failure)s->on_failure;
    options.device = (scree_device)s->device;
    options.solver = scene->root.solver.options;
    options.solver.name = scree_solver_class_name(scree_solver_class_at(scene->root.solver.name));
    return options;
}
