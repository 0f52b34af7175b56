/* embedded.h: files of the source tree that the program carries (cmake/embed.cmake). */
#ifndef SCREE_CLI_EMBEDDED_H
#define SCREE_CLI_EMBEDDED_H

#include <stddef.h>

typedef struct embedded_file {
    const char *path; /* "examples/papers/ab61/scene.yaml"   */
    const char *text;
    size_t size;
} embedded_file;

/* Each ended by an entry without a path. */
extern const embedded_file papers_files[];      /* scenes and plots of examples/papers                 */
extern const embedded_file peers_files[];       /* scenes of examples/peers                            */
extern const embedded_file report_files[];      /* report/page.html, report/style.css, then the scripts */
extern const embedded_file live_page_files[];   /* the same of pages in which a scene runs              */
extern const embedded_file live_worker_files[]; /* report/worker.js                                     */

/* The module of `scree play` (cmake --preset wasm) as the build found it, and the one for browsers that fuse products and sums; nothing between
 * the two ends: it found none. */
extern const unsigned char live_module_js[], live_module_js_end[], live_module_wasm[], live_module_wasm_end[];
extern const unsigned char live_fused_js[], live_fused_js_end[], live_fused_wasm[], live_fused_wasm_end[];

/// Bytes between the two ends.
static inline size_t embedded_size(const unsigned char *begin, const unsigned char *end)
{
    return (size_t)(end - begin);
}

#endif
