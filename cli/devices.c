/* devices.c: `scree devices`: which machines step soft contacts here. */
#include "cli/cli.h"

#include <scree/files.h>
#include <scree/stepper.h>

#include <stdio.h>

enum { DEVICES_MAX = 16 };

static const cli_about about = {
    .operands = "",
    .text = "Lists the machines that step soft contacts of spheres (stepper: {device: ...}, scree run --device):\n"
            "the processor, and the GPUs that can be used; or what is missing: the library libscree_cuda.so, the\n"
            "driver, a card.",
    .examples = "scree devices",
};

static void print_json(int count, const scree_device_info *found, const scree_error *error)
{
    scree_json j = scree_json_start(stdout);
    scree_json_object(&j, NULL);
    scree_json_list(&j, "devices");
    for (int k = 0; k < count; ++k) {
        scree_json_object(&j, NULL);
        scree_json_text(&j, "name", found[k].name);
        scree_json_integer(&j, "memory", found[k].memory);
        scree_json_integer(&j, "free", found[k].free_memory);
        scree_json_close(&j);
    }
    scree_json_close(&j);
    if (count == 0) scree_json_text(&j, "missing", error->text);
    scree_json_close(&j);
}

int cli_devices(int argc, char **argv)
{
    int as_json = 0, operands;
    /* clang-format off */
    const cli_option options[] = {
        {"--json", NULL, CLI_FLAG, &as_json,
         .text = "one JSON object on standard output, and nothing else there"},
    };
    /* clang-format on */
    const int code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (operands > 0) return cli_usage("devices", "unexpected operand '%s'", argv[1]);
    scree_device_info found[DEVICES_MAX];
    scree_error error = {.line = 0};
    int count = scree_devices(DEVICES_MAX, found, &error);
    count = count < 0 ? 0 : count < DEVICES_MAX ? count : DEVICES_MAX;
    if (as_json) print_json(count, found, &error);
    else {
        printf("cpu   the processor\n");
        for (int k = 0; k < count; ++k)
            printf("gpu   %s, %.1f GB, compute capability %d.%d%s\n", found[k].name, 1e-9 * (double)found[k].memory,
                   found[k].major, found[k].minor, k > 0 ? " (the first one is used)" : "");
        if (count == 0) printf("gpu   none: %s\n", error.text);
    }
    return CLI_DONE;
}
