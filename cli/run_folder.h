/* run_folder.h: names, texts and frames in the folder of a run; whose it is, and how it is emptied: scree/run.h. */
#ifndef SCREE_CLI_RUN_FOLDER_H
#define SCREE_CLI_RUN_FOLDER_H

#include <scree/result.h>

enum { RUN_PATH_MAX = 1024 };

/// out/NAME for the scene path/NAME.yaml.
void run_folder_default(const char *scene, char folder[RUN_PATH_MAX]);

/// folder/name. What is too long is cut: the file is then not found.
char *run_folder_path(const char *folder, const char *name, char path[RUN_PATH_MAX]);

/// The file folder/name, up to `limit` bytes and one more, ended by NUL; the caller frees `*text`. `size` may be NULL.
scree_status run_folder_read(const char *folder, const char *name, size_t limit, char **text, size_t *size,
                             scree_error *error);

/* ---- frames, for the commands that look at one or all of them ------------------------------------------------------- */

/// The frame that `text` names: a number from 0, "last", or NULL for the last. Returns CLI_GO_ON, or an exit status after a message: there
/// is no such frame, or the run (in `folder`) has none.
int frame_option(const char *command, const char *folder, const scree_result *result, const char *text, int *frame);

/// CLI_GO_ON, or CLI_BAD_INPUT after a message: the run has no frames.
int frame_option_any(const char *folder, const scree_result *result);

#endif
