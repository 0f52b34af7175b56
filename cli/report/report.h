/* report.h: the parts of `scree report` (report.c): one HTML file with everything in it, whose page is made of the files under report/.
 *
 * What comes from runs stands in the page as blocks: bytes, deflated, as a line of base64 each; a manifest (JSON, itself the first block)
 * says which block is what. No text of a scene is therefore ever part of the HTML. The other side is report/data.js. */
#ifndef SCREE_CLI_REPORT_REPORT_H
#define SCREE_CLI_REPORT_REPORT_H

#include <scree/files.h>
#include <scree/result.h>

#include <stddef.h>
#include <stdint.h>

/* ---- blocks (report_pack.c) -------------------------------------------------------------------------------------------------- */

typedef struct report_blocks {
    int count, capacity;
    char **line; /* base64, ended by NUL */
    size_t size; /* characters of all lines */
} report_blocks;

/// Adds a block; returns its number in the page, which is 1 + its number here: the manifest is 0.
int report_block(report_blocks *blocks, const void *bytes, size_t size);
/// Takes back all blocks from `number` on.
void report_blocks_cut(report_blocks *blocks, int number);
/// The same bytes as a line that stands alone; the caller frees it.
char *report_line(const void *bytes, size_t size);

/// Columns of `count` numbers each on their way into a block; zero it, set `count`.
typedef struct report_columns {
    int count;
    size_t size, capacity;
    unsigned char *byte;
} report_columns;
void report_whole(report_columns *columns, const int32_t *value);
/// Each as the difference to the one before it.
void report_running(report_columns *columns, const int32_t *value);
/// The highest `planes` bytes of single precision, rounded: 2, 3 or 4.
void report_real(report_columns *columns, const double *value, int planes);
int report_columns_block(report_columns *columns, report_blocks *blocks); /* frees the columns */

/* ---- a run (report_frames.c) --------------------------------------------------------------------------------------------------- */

/// What became of the frames, to be told.
typedef struct report_told {
    int bodies, frames, frames_kept, contacts_kept;
} report_told;

/// The frames as an object "replay" of the manifest, in at most `room` characters: fewer digits, then contacts of fewer frames, then
/// fewer frames are kept until they fit.
scree_status report_replay(scree_result *result, size_t room, report_blocks *blocks, scree_json *manifest,
                           report_told *told, scree_error *error);

/* ---- the page (report_page.c) -------------------------------------------------------------------------------------------------- */

/// Bytes of the page without its blocks.
size_t report_page_size(void);

/// What a page is made of: page.html, style.css and scripts (cli/embedded.h), and what its Content-Security-Policy allows beyond them.
typedef struct report_kind {
    const struct embedded_file *files;
    const char *policy;
} report_kind;

/// kind NULL: a report.
scree_status report_page_write(const char *path, const report_kind *kind, const char *manifest, size_t manifest_size,
                               const report_blocks *blocks, size_t *size, scree_error *error);
void report_page_print(FILE *out, const report_kind *kind, const char *manifest, size_t manifest_size,
                       const report_blocks *blocks);

#endif
