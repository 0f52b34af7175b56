/* run_folder.h: the folder of a run: whose it is, and how it is emptied. */
#ifndef SCREE_CLI_RUN_FOLDER_H
#define SCREE_CLI_RUN_FOLDER_H

#include <scree/base.h>

enum { RUN_PATH_MAX = 1024 };

/// out/NAME for the scene path/NAME.yaml.
void run_folder_default(const char *scene, char folder[RUN_PATH_MAX]);

/// folder/name. What is too long is cut: the file is then not found.
char *run_folder_path(const char *folder, const char *name, char path[RUN_PATH_MAX]);

/// The file that shows that the folder holds a run ("series.csv"); NULL: none.
const char *run_folder_used(const char *folder);

/// The file folder/name, up to `limit` bytes and one more, ended by NUL; the caller frees `*text`. `size` may be NULL.
scree_status run_folder_read(const char *folder, const char *name, size_t limit, char **text, size_t *size,
                             scree_error *error);

/// Removes the files of an earlier run, those that carry our names and no others.
void run_folder_clear(const char *folder);

/// Removes what a killed run left half written.
void run_folder_sweep(const char *folder);

#endif
