/* play.c: `scree play SCENE`: one page that runs the scene: the library as WebAssembly, the page's scripts (report/), the scene and the files
 * that it reads, all in one file that loads nothing. */
#include "cli/cli.h"
#include "cli/embedded.h"
#include "cli/live/live_page.h"
#include "cli/system.h"

#include <scree/files.h>
#include <scree/scene.h>

#include <stdlib.h>
#include <string.h>

static const cli_about about = {
    .operands = "SCENE",
    .text =
        "Writes one HTML file in which the scene runs, in any browser, without scree and without a network: sliders "
        "for friction, "
        "gravity and what the scene declares (play: controls), bodies that can be dragged and thrown, plots, and the "
        "text of the "
        "scene to edit and to share by a link. The same C code as here, compiled to WebAssembly, gives the same bits.",
    .notes = "A build of scree has what the page needs if it was made beside build/wasm: cmake --preset wasm && cmake "
             "--build --preset "
             "wasm, with Debian's emscripten.",
    .exits = "0 done; 2 wrong usage; 3 bad input; 4 machine failure, or a build without WebAssembly",
    .examples = "scree play examples/ball.yaml -o ball.html",
};

int cli_live_missing(const char *command)
{
    if (embedded_size(live_module_wasm, live_module_wasm_end) > 0) return CLI_GO_ON;
    fprintf(
        stderr,
        "scree %s: error: this build of scree carries no WebAssembly, which the page is made of. In the source tree:\n"
        "  apt-get install --no-install-recommends emscripten nodejs\n"
        "  cmake --preset wasm && cmake --build --preset wasm && cmake --preset release && cmake --build --preset "
        "release\n",
        command);
    return CLI_MACHINE;
}

/// The files that the scene reads, as blocks.
static scree_status add_files(const scree_scene *scene, const char *path, live_page *page, scree_error *error)
{
    const char *slash = strrchr(path, '/'), *name;
    const int folder = slash ? (int)(slash - path) + 1 : 0;
    scree_json_list(&page->manifest, "files");
    for (int k = 0; (name = scree_scene_file(scene, k)); ++k) {
        char whole[SCREE_PATH_MAX];
        size_t size = 0;
        if (name[0] == '/') snprintf(whole, sizeof whole, "%s", name);
        else snprintf(whole, sizeof whole, "%.*s%s", folder, path, name);
        char *bytes = scree_file_read(whole, 1 << 28, NULL, &size, error);
        if (!bytes) return error->status;
        scree_json_object(&page->manifest, NULL);
        scree_json_text(&page->manifest, "name", name);
        scree_json_integer(&page->manifest, "block", report_block(&page->blocks, bytes, size));
        scree_json_close(&page->manifest);
        free(bytes);
    }
    scree_json_close(&page->manifest);
    return SCREE_OK;
}

static scree_status add_scene(const scree_scene *scene, const char *path, const cli_texts *set, live_page *page,
                              scree_error *error)
{
    const char *slash = strrchr(path, '/');
    size_t size = 0;
    char *text = scree_file_read(path, 1 << 24, NULL, &size, error);
    if (!text) return error->status;
    scree_json_object(&page->manifest, "scene");
    scree_json_text(&page->manifest, "name", slash ? slash + 1 : path);
    scree_json_integer(&page->manifest, "text", report_block(&page->blocks, text, size));
    scree_json_list(&page->manifest, "sets");
    for (int k = 0; k < set->count; ++k) scree_json_text(&page->manifest, NULL, set->text[k]);
    scree_json_close(&page->manifest);
    scree_status status = add_files(scene, path, page, error);
    scree_json_close(&page->manifest);
    free(text);
    return status;
}

static void add_block(live_page *page, const char *key, const unsigned char *from, const unsigned char *to)
{
    scree_json_integer(&page->manifest, key, report_block(&page->blocks, from, (size_t)(to - from)));
}

static void add_module(live_page *page)
{
    const embedded_file *worker = live_worker_files;
    add_block(page, "module", live_module_js, live_module_js_end);
    add_block(page, "wasm", live_module_wasm, live_module_wasm_end);
    if (embedded_size(live_fused_wasm, live_fused_wasm_end) > 0) {
        add_block(page, "fused_module", live_fused_js, live_fused_js_end);
        add_block(page, "fused_wasm", live_fused_wasm, live_fused_wasm_end);
    }
    scree_json_integer(&page->manifest, "worker", report_block(&page->blocks, worker->text, worker->size));
}

int cli_play(int argc, char **argv)
{
    const char *path = NULL;
    char standard[SCREE_PATH_MAX];
    cli_texts set = {.count = 0};
    /* clang-format off */
    const cli_option options[] = {
        {"-o", "FILE", CLI_PATH, &path,
         .text = "the page; default: NAME.html for NAME.yaml, here"},
        {"--set", "PATH=VALUE", CLI_TEXTS, &set,
         .text = "changes a value of the scene, as in --set materials.stone.friction=0.3; may be repeated"},
    };
    /* clang-format on */
    int operands, code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (operands != 1) return cli_usage("play", "%d scenes given, expected one", operands);
    const char *dot = path ? strrchr(path, '.') : NULL;
    if (path && (!dot || (strcmp(dot, ".html") != 0 && strcmp(dot, ".htm") != 0)))
        return cli_usage("play", "-o is '%s', expected a name that ends in .html", path);
    if ((code = cli_live_missing("play")) != CLI_GO_ON) return code;
    if (!path) {
        const char *slash = strrchr(argv[1], '/'), *name = slash ? slash + 1 : argv[1], *end = strrchr(name, '.');
        snprintf(standard, sizeof standard, "%.*s.html", end ? (int)(end - name) : (int)strlen(name), name);
        path = standard;
    }

    scree_error error = {.line = 0};
    size_t size = 0;
    scree_scene *scene = scree_scene_read(argv[1], set.text, set.count, NULL, &error);
    live_page page;
    live_page_begin(&page, "play");
    scree_status status = scene ? add_scene(scene, argv[1], &set, &page, &error) : error.status;
    if (status == SCREE_OK) {
        add_module(&page);
        status = live_page_write(&page, path, &size, &error);
    }
    live_page_end(&page);
    scree_scene_destroy(scene);
    if (status != SCREE_OK) {
        cli_print_file_error(&error);
        return cli_exit_of(status);
    }
    printf("written to %s: %.1f MB\n", path, (double)size / 1e6);
    return CLI_DONE;
}
