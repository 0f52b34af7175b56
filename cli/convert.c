/* convert.c: `scree convert IN OUT`: a problem file from one format into another.
 *
 * Values keep their bits; the formats are told by the content of IN and by the extension of OUT. With --assemble a global problem
 * becomes the local one, W = H' M^-1 H, which is the only arithmetic here. */
#include "cli/cli.h"
#include "cli/json.h"
#include "problem/raw.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: scree convert IN OUT [--local|--global] [--assemble] [--json]\n"
    "\n"
    "Converts a contact problem between the formats of docs/formats.md; every value keeps its bits.\n"
    "  IN    Siconos .dat text or FCLIB HDF5, told by its content; '-' is standard input (.dat)\n"
    "  OUT   .dat, .hdf5 or .h5; written whole or not at all\n"
    "\n"
    "options:\n"
    "  --local     IN is a local problem (W, q): do not guess\n"
    "  --global    IN is a global problem (M, H, f, w): do not guess\n"
    "  --assemble  write the local problem of a global one: W = H' M^-1 H, q = H' M^-1 f + w\n"
    "  --json      one JSON object on standard output\n"
    "  --help      this text\n"
    "\n"
    "exit status: 0 done; 2 wrong usage, or OUT has no place for what IN holds; 3 bad input;\n"
    "             4 machine failure (memory, disk)\n"
    "\n"
    "example:\n"
    "  scree convert problem.dat problem.hdf5\n";

static void print_json(const char *from, const char *to, const scree_convert_info *info)
{
    json j = json_start(stdout);
    json_object(&j, NULL);
    json_text(&j, "from", from);
    json_text(&j, "to", to);
    json_text(&j, "kind", info->kind == RAW_LOCAL ? "local" : "global");
    json_integer(&j, "dim", info->dim);
    json_integer(&j, "contacts", info->contact_count);
    json_integer(&j, "dofs", info->dof_count);
    json_integer(&j, "equalities", info->equality_count);
    json_integer(&j, "entries", (long)info->entry_count);
    json_close(&j);
}

static void print_line(const char *to, const scree_convert_info *info)
{
    printf("%s: %s, %d contacts of %d rows", to, info->kind == RAW_LOCAL ? "local" : "global", info->contact_count,
           info->dim);
    if (info->kind == RAW_GLOBAL) printf(", %d degrees of freedom", info->dof_count);
    if (info->equality_count > 0) printf(", %d equality constraints", info->equality_count);
    printf(", %zu matrix entries\n", info->entry_count);
}

int cli_convert(int argc, char **argv)
{
    int local = 0, global = 0, assemble = 0, as_json = 0, operands;
    const cli_option options[] = {
        {"--local", CLI_FLAG, &local},
        {"--global", CLI_FLAG, &global},
        {"--assemble", CLI_FLAG, &assemble},
        {"--json", CLI_FLAG, &as_json},
    };
    int code = cli_options(argc, argv, help, options, sizeof options / sizeof *options, &operands);
    if (code != CLI_GO_ON) return code;
    if (operands != 2) return cli_usage("convert", "%d files given, expected IN and OUT", operands);
    if (local && global) return cli_usage("convert", "--local and --global exclude each other");

    scree_error error = {.line = 0};
    scree_convert_info info;
    scree_file_kind kind = local ? SCREE_FILE_LOCAL : global ? SCREE_FILE_GLOBAL : SCREE_FILE_DETECT;
    scree_status status = scree_problem_convert(argv[1], argv[2], kind, assemble, NULL, &info, &error);
    if (status != SCREE_OK) {
        cli_print_error(&error, NULL, 0);
        return status == SCREE_ERR_FILE && info.writing ? CLI_MACHINE : cli_exit_of(status);
    }
    if (as_json) print_json(argv[1], argv[2], &info);
    else print_line(argv[2], &info);
    return CLI_DONE;
}
