/* convert.c: `scree convert IN OUT`: a problem file from one format into another, or the frames of a run into files of other programs.
 *
 * Values keep their bits; the formats are told by the content of IN and by the extension of OUT. With --assemble a global problem
 * becomes the local one, W = H' M^-1 H, which is the only arithmetic here. */
#include "cli/cli.h"
#include "cli/run_folder.h"

#include <scree/files.h>
#include <scree/problem.h>
#include <scree/result.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// The words of --to: families and formats, ended by NULL.
static const char *const *format_words(void)
{
    static const char *words[SCREE_FORMAT_COUNT + 1] = {"csv"};
    for (int k = SCREE_FORMAT_INDEX_FRAMES + 1; k < SCREE_FORMAT_COUNT; ++k) words[k] = scree_format_name(k);
    return words;
}

static const cli_about about = {
    .operands = "IN OUT",
    .forms = "DIR OUT --to FORMAT [--frames FIRST:LAST] [--json]",
    .text = "Converts a contact problem between the formats of docs/formats.md; every value keeps its bits.\n"
            "  IN    Siconos .dat text or FCLIB HDF5, told by its content; '-' is standard input (.dat)\n"
            "  OUT   .dat, .hdf5 or .h5; written whole or not at all\n"
            "Or writes the frames of the run in the folder DIR for other programs, into the folder OUT (which "
            "may be DIR), with the bytes that the run would have written if the scene had requested these files.",
    .exits = "0 done; 2 wrong usage, or the format of OUT cannot hold the problem in IN; 3 bad input; 4 machine "
             "failure (memory, disk)",
    .examples = "scree convert problem.dat problem.hdf5\n"
                "scree convert out/pile out/pile --to vtp",
};

static void print_json(const char *from, const char *to, const scree_convert_info *info)
{
    scree_json j = scree_json_start(stdout);
    scree_json_object(&j, NULL);
    scree_json_text(&j, "from", from);
    scree_json_text(&j, "to", to);
    scree_json_text(&j, "kind", info->kind == SCREE_FILE_LOCAL ? "local" : "global");
    scree_json_integer(&j, "dim", info->dim);
    scree_json_integer(&j, "contacts", info->contact_count);
    scree_json_integer(&j, "dofs", info->dof_count);
    scree_json_integer(&j, "equalities", info->equality_count);
    scree_json_integer(&j, "entries", (long)info->entry_count);
    scree_json_close(&j);
}

static void print_line(const char *to, const scree_convert_info *info)
{
    printf("%s: %s, %d contacts of %d rows", to, info->kind == SCREE_FILE_LOCAL ? "local" : "global",
           info->contact_count, info->dim);
    if (info->kind == SCREE_FILE_GLOBAL) printf(", %d degrees of freedom", info->dof_count);
    if (info->equality_count > 0) printf(", %d equality constraints", info->equality_count);
    printf(", %zu matrix entries\n", info->entry_count);
}

/* ---- the frames of a run ---------------------------------------------------------------------------------------------- */

/// "12" or "3:12" within 0 .. count - 1; "" is all. Returns CLI_GO_ON or CLI_USAGE.
static int read_range(const char *text, int count, int *first, int *last)
{
    char *end;
    *first = 0, *last = count - 1;
    if (!text) return CLI_GO_ON;
    long from = strtol(text, &end, 10), to = from;
    const char *second = end;
    int sound = end != text;
    if (*end == ':') to = strtol(second + 1, &end, 10), sound = sound && end != second + 1;
    if (!sound || *end || from < 0 || to < from || to >= count)
        return cli_usage("convert", "--frames is '%s', expected FIRST:LAST within 0:%d", text, count - 1);
    *first = (int)from, *last = (int)to;
    return CLI_GO_ON;
}

static int convert_run(const char *from, const char *to, const char *format, const char *frames, int as_json)
{
    const unsigned formats = scree_format_find(format);
    int first = 0, last = 0;
    scree_error error = {0};
    scree_result *result = scree_result_open(from, NULL, &error);
    int code = result ? CLI_GO_ON : cli_exit_of(error.status);
    if (code == CLI_GO_ON) code = frame_option_any(from, result);
    if (code == CLI_GO_ON) code = read_range(frames, scree_result_frame_count(result), &first, &last);
    if (code == CLI_GO_ON) code = cli_exit_of(scree_result_convert(result, formats, to, first, last, &error));
    scree_result_close(result);
    if (error.status != SCREE_OK) cli_print_error(&error, NULL, 0);
    if (code != CLI_DONE) return code;
    if (as_json) {
        scree_json j = scree_json_start(stdout);
        scree_json_object(&j, NULL);
        scree_json_text(&j, "from", from);
        scree_json_text(&j, "to", to);
        scree_json_text(&j, "format", format);
        scree_json_integer(&j, "first", first);
        scree_json_integer(&j, "last", last);
        scree_json_close(&j);
    } else printf("%s: frames %d to %d as %s\n", to, first, last, format);
    return CLI_DONE;
}

/* ---- the command ---------------------------------------------------------------------------------------------------------- */

int cli_convert(int argc, char **argv)
{
    int local = 0, global = 0, assemble = 0, as_json = 0, operands;
    const char *format = NULL, *frames = NULL;
    struct stat is;
    /* clang-format off */
    const cli_option options[] = {
        {"--to", "FORMAT", CLI_WORD, &format,
         .text = "the format of frames. vtp: VTK and ParaView, OUT/frames.pvd; dump: LAMMPS and OVITO, OUT/dump.lammpstrj; bodies, contacts: "
                 "tables, OUT/bodies/bodies_000000.csv and OUT/contacts/contacts_000000.csv; csv: both", .words = format_words()},
        {"--frames", "FIRST:LAST", CLI_TEXT, &frames,
         .text = "these frames only, numbered from 0; one number: this frame"},
        {"--local", NULL, CLI_FLAG, &local,
         .text = "IN is a local problem (W, q): do not guess"},
        {"--global", NULL, CLI_FLAG, &global,
         .text = "IN is a global problem (M, H, f, w): do not guess"},
        {"--assemble", NULL, CLI_FLAG, &assemble,
         .text = "write the local problem of a global one: W = H' M^-1 H, q = H' M^-1 f + w"},
        {"--json", NULL, CLI_FLAG, &as_json,
         .text = "one JSON object on standard output, and nothing else there"},
    };
    /* clang-format on */
    int code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (operands != 2) return cli_usage("convert", "%d files given, expected IN and OUT", operands);
    if (local && global) return cli_usage("convert", "--local and --global exclude each other");
    if (format) return convert_run(argv[1], argv[2], format, frames, as_json);
    if (stat(argv[1], &is) == 0 && S_ISDIR(is.st_mode))
        return cli_usage("convert", "%s is a folder: --to vtp, dump or csv chooses the format of its frames", argv[1]);
    if (frames) return cli_usage("convert", "--frames needs --to, and the folder of a run");

    scree_error error = {.line = 0};
    scree_convert_info info;
    scree_file_kind kind = local ? SCREE_FILE_LOCAL : global ? SCREE_FILE_GLOBAL : SCREE_FILE_DETECT;
    scree_status status = scree_problem_convert(argv[1], argv[2], kind, assemble, NULL, &info, &error);
    if (status != SCREE_OK) {
        cli_print_error(&error, NULL, 0);
        return cli_exit_of(status);
    }
    if (as_json) print_json(argv[1], argv[2], &info);
    else print_line(argv[2], &info);
    return CLI_DONE;
}
