/* run_folder.h: names and texts in the folder of a run; whose it is, and how it is emptied: scree/run.h. */
#ifndef SCREE_CLI_RUN_FOLDER_H
#define SCREE_CLI_RUN_FOLDER_H

#include <scree/base.h>

enum { RUN_PATH_MAX = 1024 };

/// out/NAME for the scene path/NAME.yaml.
void run_folder_default(const char *scene, char folder[RUN_PATH_MAX]);

/// folder/name. What is too long is cut: the file is then not found.
char *run_folder_path(const char *folder, const char *name, char path[RUN_PATH_MAX]);

/// The file folder/name, up to `limit` bytes and one more, ended by NUL; the caller frees `*text`. `size` may be NULL.
scree_status run_folder_read(const char *folder, const char *name, size_t limit, char **text, size_t *size,
                             scree_error *error);

#endif
