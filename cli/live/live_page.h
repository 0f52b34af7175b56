/* live_page.h: the page of `scree play` and of `scree run --watch`: a manifest, blocks, the scripts of live pages. */
#ifndef SCREE_CLI_LIVE_LIVE_PAGE_H
#define SCREE_CLI_LIVE_LIVE_PAGE_H

#include "cli/report/report.h"

typedef struct live_page {
    report_blocks blocks;
    FILE *out;
    char *text;
    size_t text_size;
    scree_json manifest; /* to be added to */
} live_page;

/// kind: "play", "watch": what report/play.js starts.
void live_page_begin(live_page *page, const char *kind);
scree_status live_page_write(live_page *page, const char *path, size_t *size, scree_error *error);
/// The page into a stream, with scripts allowed to fetch from where it came from.
void live_page_print(live_page *page, FILE *out);
void live_page_end(live_page *page);

/// CLI_GO_ON; CLI_MACHINE, with the command that helps: this build has no module.
int cli_live_missing(const char *command);

#endif
