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
extern const embedded_file papers_files[]; /* scenes and plots of examples/papers                 */
extern const embedded_file peers_files[];  /* scenes of examples/peers                            */
extern const embedded_file report_files[]; /* report/page.html, report/style.css, then the scripts */

#endif
