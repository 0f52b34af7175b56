/* run_folder.c: see run_folder.h. */
#include "cli/run_folder.h"
#include "cli/cli.h"

#include <scree/files.h>

#include <stdlib.h>
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

/* ---- frames -------------------------------------------------------------------------------------------------------- */

int frame_option_any(const char *folder, const scree_result *result)
{
    scree_error error = {0};
    if (scree_result_frame_count(result) > 0) return CLI_GO_ON;
    scree_error_set(&error, folder, 0, 0, "the run has no frames: there is no frames.scree, or nothing in it");
    cli_print_error(&error, NULL, 0);
    return CLI_BAD_INPUT;
}

int frame_option(const char *command, const char *folder, const scree_result *result, const char *text, int *frame)
{
    int count = scree_result_frame_count(result), code = frame_option_any(folder, result);
    char *end;
    *frame = count - 1;
    if (code != CLI_GO_ON || !text || strcmp(text, "last") == 0) return code;
    long k = strtol(text, &end, 10);
    if (end == text || *end || k < 0 || k >= count)
        return cli_usage(command, "--frame is '%s', expected a number from 0 to %d, or last", text, count - 1);
    *frame = (int)k;
    return CLI_GO_ON;
}
