/* run_folder.c: see run_folder.h. */
#include "cli/run_folder.h"

#include "cli/cli.h"
#include "cli/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    char path[RUN_PATH_MAX], *bytes;
    size_t length;
    struct stat is;
    *text = NULL;
    run_folder_path(folder, name, path);
    /* cli_read takes as much memory as it is allowed to read: the length of the file will do */
    if (stat(path, &is) == 0 && is.st_size >= 0 && (size_t)is.st_size < limit) limit = (size_t)is.st_size;
    scree_status status = cli_read(path, limit, &bytes, &length, error);
    if (status != SCREE_OK) return status;
    *text = cli_memory(length + 1);
    memcpy(*text, bytes, length);
    free(bytes);
    if (size) *size = length;
    return SCREE_OK;
}
