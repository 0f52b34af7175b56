/* run_folder.c: see run_folder.h. */
#include "cli/run_folder.h"

#include <scree/files.h>

#include <string.h>

void run_folder_default(const char *scene, char folder[RUN_PATH_MAX])
{
    const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene, *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    snprintf(folder, RUN_PATH_MAX, "out/%.*s", length, name);
}

char *run_folder_path(const char *folder, const char *name, char path[RUN_PATH_MAX])
{
    snprintf(path, RUN_PATH_MAX, "%s/%s", folder, name);
    return path;
}

scree_status run_folder_read(const char *folder, const char *name, size_t limit, char **text, size_t *size,
                             scree_error *error)
{
    char path[RUN_PATH_MAX];
    scree_error failure = {0};
    size_t length;
    *text = scree_file_read(run_folder_path(folder, name, path), limit, NULL, &length, &failure);
    if (size) *size = length;
    if (!*text && error) *error = failure;
    return failure.status;
}
