/* frame_option.c: see frame_option.h. */
#include "cli/draw/frame_option.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

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
