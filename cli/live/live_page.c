/* live_page.c: see live_page.h. */
#include "cli/live/live_page.h"

#include "cli/embedded.h"
#include "cli/system.h"

#include <stdlib.h>

static const report_kind play_page = {live_page_files, " 'wasm-unsafe-eval'; worker-src blob:"},
                         watch_page = {live_page_files, "; connect-src 'self'"};

void live_page_begin(live_page *page, const char *kind)
{
    *page = (live_page){.text = NULL};
    page->out = cli_text_open(&page->text, &page->text_size);
    page->manifest = scree_json_start(page->out);
    scree_json_object(&page->manifest, NULL);
    scree_json_text(&page->manifest, "kind", kind);
    scree_json_text(&page->manifest, "version", scree_version());
    scree_json_text(&page->manifest, "commit", cli_commit());
}

static void close_manifest(live_page *page)
{
    if (!page->out) return;
    while (page->manifest.depth > 0) scree_json_close(&page->manifest);
    cli_text_close(page->out, &page->text);
    page->out = NULL;
}

scree_status live_page_write(live_page *page, const char *path, size_t *size, scree_error *error)
{
    close_manifest(page);
    return report_page_write(path, &play_page, page->text, page->text_size, &page->blocks, size, error);
}

void live_page_print(live_page *page, FILE *out)
{
    close_manifest(page);
    report_page_print(out, &watch_page, page->text, page->text_size, &page->blocks);
}

void live_page_end(live_page *page)
{
    close_manifest(page);
    report_blocks_cut(&page->blocks, 1);
    free(page->blocks.line);
    free(page->text);
}
