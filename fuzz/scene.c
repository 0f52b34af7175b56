/* Any text into the scene reader, with overrides: lines that start with "#set " at its top. What it accepts must read back from its
 * own text to the same text, and small scenes are built. */
#include "fuzz.h"
#include "scene/scene_build.h"
#include "scene/scene_private.h"

#include <string.h>

enum { SETS = 3, GRAINS = 200, TRIES = 20000 };

/// Small enough to be built in no time.
static int is_small(const scene_root *root)
{
    const scene_generator *g = root->generators.item;
    double grains = root->bodies.count, tries = 0.0;
    for (int k = 0; k < root->generators.count; ++k) {
        if (g[k].csv.head.node) return 0; /* no files of the machine */
        if (g[k].lattice.head.node)
            grains += (double)g[k].lattice.count[0] * g[k].lattice.count[1] * g[k].lattice.count[2];
        if (g[k].pour.head.node) grains += g[k].pour.count;
        if (g[k].packing.head.node)
            grains += g[k].packing.count, tries += (double)g[k].packing.count * g[k].packing.attempts;
    }
    return grains <= GRAINS && tries <= TRIES;
}

static void build(const scree_scene *scene)
{
    scree_allocator a = scree_allocator_default();
    scree_error error = {.text = ""};
    scree_world *world = NULL;
    int64_t left_out = 0;
    scree_status status = scene_build(scene, &a, &world, &left_out, &error);
    require((status == SCREE_OK) == (world != NULL), "a world, or an error");
    require(status == SCREE_OK || error.text[0] != '\0', "a mistake without a message");
    scree_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *set[SETS], *at = text;
    int count = 0;
    scree_scene *scene = NULL, *again = NULL;
    scree_error error = {.text = ""};
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    while (count < SETS && strncmp(at, "#set ", 5) == 0 && strchr(at, '\n')) {
        set[count++] = at + 5;
        at = strchr(at, '\n');
        *at++ = '\0';
    }
    size_t used = (size_t)(at - text);
    scene = scree_scene_parse(at, size - used, "fuzz", (const char *const *)set, count, NULL, &error);
    if (!scene) require(error.text[0] != '\0', "a mistake without a message");
    else {
        const char *first = scree_scene_text(scene);
        again = scree_scene_parse(first, strlen(first), "fuzz", NULL, 0, NULL, &error);
        if (!again) fprintf(stderr, "%d:%d: %s\nin\n%s\n", error.line, error.column, error.text, first);
        require(again != NULL, "the text of a scene is not a scene");
        require(scree_scene_plan(again).until == scree_scene_plan(scene).until, "the text is another scene");
        if (is_small(&scene->root)) build(scene);
    }
    scree_scene_destroy(scene);
    scree_scene_destroy(again);
    free(text);
    return 0;
}
