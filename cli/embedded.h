/* embedded.h: files of the source tree that the program carries (cmake/embed.cmake). */
#ifndef SCREE_CLI_EMBEDDED_H
#define SCREE_CLI_EMBEDDED_H

#include <stddef.h>

typedef struct embedded_file {
    const char *path; /* "examples/papers/ab61/scene.yaml"   */
    const char *text;
    size_t size;
} embedded_file;

/* Ended by an entry without a path. */
extern const embedded_file papers_files[];

#endif
