/* report.c: `scree report`: one HTML file for a run, for up to six runs side by side, for a sweep or for a comparison of solvers. */
#include "cli/report/report.h"

#include "cli/cli.h"
#include "cli/run_folder.h"
#include "cli/solvers.h"
#include "cli/system.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const cli_about about = {
    .operands = "DIR [DIR2]...",
    .text = "Writes one HTML file that holds everything: open it in a browser, send it to somebody. It needs no "
            "network and no other file. DIR is what a command left with -o:\n"
            "  scree run          3D replay with contact forces, plots of series.csv, summary, scene\n"
            "  scree sweep        the results over the inputs: heat maps, lines, the table\n"
            "  scree bench solve  performance profiles, residual over time\n"
            "Several folders of runs, up to six, are compared: replays side by side, plots in one, differences in the "
            "summary. Of a sweep with --keep full every case gets its report, too, in its folder.",
    .notes = "The browser must know WebGL2 and DecompressionStream: Chromium 80, Firefox 113, Safari 16.4 or "
             "later.",
    .exits = "0 done; 2 wrong usage; 3 a folder cannot be read; 4 machine failure",
    .examples = "scree run examples/pile.yaml -o out/pile && scree report out/pile",
};

enum { TEXT_LARGEST = 1 << 30, CURVES_MAX = 200, RUNS_MAX = 6, CASES_MAX = 1000 };

typedef struct source {
    const char *folder;
    enum { SOURCE_RUN, SOURCE_SWEEP, SOURCE_BENCH } kind;
} source;

static int exists(const char *folder, const char *name)
{
    char path[RUN_PATH_MAX];
    struct stat is;
    return stat(run_folder_path(folder, name, path), &is) == 0;
}

/// What a folder holds, by its files.
static scree_status recognise(source *s, scree_error *error)
{
    struct stat is;
    if (stat(s->folder, &is) != 0) {
        scree_error_set(error, s->folder, 0, 0, "cannot open the folder: %s", strerror(errno));
        return SCREE_ERR_FILE;
    }
    if (exists(s->folder, "sweep.txt")) {
        s->kind = SOURCE_SWEEP;
        if (exists(s->folder, "index.csv")) return SCREE_OK;
        scree_error_set(error, s->folder, 0, 0, "the sweep has no index.csv yet: scree sweep --collect %s makes it",
                        s->folder);
    } else if (exists(s->folder, "series.csv")) {
        s->kind = SOURCE_RUN;
        return SCREE_OK;
    } else if (exists(s->folder, "solve.csv")) {
        s->kind = SOURCE_BENCH;
        return SCREE_OK;
    } else {
        scree_error_set(
            error, s->folder, 0, 0,
            "nothing to report on: expected the folder of a run (series.csv), of a sweep (sweep.txt) or of scree "
            "bench solve (solve.csv)");
    }
    return SCREE_ERR_INPUT;
}

/* ---- texts ---------------------------------------------------------------------------------------------------------------------- */

/// Adds a text file of the folder under its name, if it is there.
static scree_status add_text(const char *folder, const char *name, report_blocks *blocks, scree_json *j,
                             scree_error *error)
{
    char *text;
    size_t size;
    if (!exists(folder, name)) return SCREE_OK;
    scree_status status = run_folder_read(folder, name, TEXT_LARGEST, &text, &size, error);
    if (status == SCREE_OK) scree_json_integer(j, name, report_block(blocks, text, size));
    free(text);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/// The files curve-PROBLEM.csv that `scree bench solve --curves` leaves.
static scree_status add_curves(const char *folder, report_blocks *blocks, scree_json *j, scree_error *error)
{
    char *name[CURVES_MAX];
    int count = 0;
    scree_status status = SCREE_OK;
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && count < CURVES_MAX && (entry = readdir(open));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (strncmp(entry->d_name, "curve-", 6) == 0 && dot && strcmp(dot, ".csv") == 0)
            name[count++] = cli_copy(entry->d_name);
    }
    if (open) closedir(open);
    qsort(name, (size_t)count, sizeof *name, by_name);
    for (int k = 0; k < count; ++k) {
        if (status == SCREE_OK) status = add_text(folder, name[k], blocks, j, error);
        free(name[k]);
    }
    return status;
}

/// The table of checks: a file that was named, or DIR/verify.json.
static scree_status add_verify(const char *folder, const char *file, report_blocks *blocks, scree_json *j,
                               scree_error *error)
{
    size_t size;
    if (!file) return add_text(folder, "verify.json", blocks, j, error);
    scree_error failure = {0};
    char *text = scree_file_read(file, 1 << 24, NULL, &size, &failure);
    if (!text && error) *error = failure;
    scree_status status = failure.status;
    if (!text) return status;
    if (size > 0 && text[0] == '{') scree_json_integer(j, "verify.json", report_block(blocks, text, size));
    else {
        scree_error_set(error, file, 0, 0, "expected a JSON object, as scree verify --json prints it");
        status = SCREE_ERR_INPUT;
    }
    free(text);
    return status;
}

static scree_status add_texts(const source *s, const char *verify, report_blocks *blocks, scree_json *j,
                              scree_error *error)
{
    static const char *const names[3][5] = {{"series.csv", "timing.csv", "summary.json", "scene.yaml"},
                                            {"index.csv", "sweep.txt", "scene.yaml"},
                                            {"solve.csv"}};
    scree_status status = SCREE_OK;
    scree_json_object(j, "texts");
    for (int k = 0; names[s->kind][k] && status == SCREE_OK; ++k)
        status = add_text(s->folder, names[s->kind][k], blocks, j, error);
    if (status == SCREE_OK && s->kind == SOURCE_BENCH) status = add_curves(s->folder, blocks, j, error);
    if (status == SCREE_OK) status = add_verify(s->folder, verify, blocks, j, error);
    scree_json_close(j);
    return status;
}

/* ---- sources ---------------------------------------------------------------------------------------------------------------------- */

static scree_status add_run(const source *s, size_t room, report_blocks *blocks, scree_json *j, scree_error *error)
{
    report_told told;
    scree_result *result = scree_result_open(s->folder, NULL, error);
    scree_status status = error->status;
    if (status == SCREE_OK) status = report_replay(result, room, blocks, j, &told, error);
    scree_result_close(result);
    if (status != SCREE_OK) {
        if (!error->file[0]) snprintf(error->file, sizeof error->file, "%s", s->folder);
        return status;
    }
    if (told.frames == 0) printf("%s: a run without frames: plots and tables only\n", s->folder);
    else
        printf("%s: a run of %d bodies; %d of %d frames, contacts in %d\n", s->folder, told.bodies, told.frames_kept,
               told.frames, told.contacts_kept);
    return SCREE_OK;
}

/// Folder of a case of a sweep; 1 if it holds a run.
static int case_folder(const char *sweep, int number, char path[RUN_PATH_MAX])
{
    char name[32];
    snprintf(name, sizeof name, "case_%06d", number);
    run_folder_path(sweep, name, path);
    return exists(path, "series.csv");
}

/// Texts of all sources first: the frames share the room that is left.
static scree_status add_sources(const source *sources, int count, size_t room, const char *verify,
                                report_blocks *blocks, scree_json *j, scree_error *error)
{
    static const char *const kinds[] = {"run", "sweep", "bench"};
    scree_status status = SCREE_OK;
    room = room > report_page_size() ? room - report_page_size() : 0;
    for (int k = 0; k < count && status == SCREE_OK; ++k) {
        scree_json_object(j, NULL);
        scree_json_text(j, "kind", kinds[sources[k].kind]);
        scree_json_text(j, "folder", sources[k].folder);
        status = add_texts(&sources[k], verify, blocks, j, error);
        size_t left = room > blocks->size ? room - blocks->size : 0;
        left = left / 64 * 63 / (size_t)(count - k); /* the manifest wants some, too */
        if (status == SCREE_OK && sources[k].kind == SOURCE_RUN) status = add_run(&sources[k], left, blocks, j, error);
        else if (status == SCREE_OK) printf("%s: a %s\n", sources[k].folder, kinds[sources[k].kind]);
        if (status == SCREE_OK && sources[k].kind == SOURCE_SWEEP) {
            char folder[RUN_PATH_MAX];
            double kept[CASES_MAX];
            int cases = 0;
            for (int c = 0; c < CASES_MAX; ++c)
                if (case_folder(sources[k].folder, c, folder)) kept[cases++] = c;
            scree_json_numbers(j, "replays", kept, cases);
        }
        scree_json_close(j);
    }
    return status;
}

/// Returns the exit status; what went wrong is in `error`.
static int write_report(const source *sources, int count, double megabytes, const char *verify, const char *path,
                        scree_error *error)
{
    report_blocks blocks = {.count = 0};
    char *manifest;
    size_t manifest_size, size = 0;
    FILE *out = cli_text_open(&manifest, &manifest_size);
    scree_json j = scree_json_start(out);
    scree_json_object(&j, NULL);
    scree_json_text(&j, "version", scree_version());
    scree_json_text(&j, "commit", cli_commit());
    scree_json_list(&j, "sources");
    int code = cli_exit_of(add_sources(sources, count, (size_t)(megabytes * 1e6), verify, &blocks, &j, error));
    scree_json_close(&j);
    scree_json_close(&j);
    cli_text_close(out, &manifest);
    if (code == CLI_DONE)
        code = cli_exit_of(report_page_write(path, NULL, manifest, manifest_size, &blocks, &size, error));
    if (code == CLI_DONE) printf("written to %s: %.1f MB\n", path, (double)size / 1e6);
    report_blocks_cut(&blocks, 1);
    free(blocks.line);
    free(manifest);
    return code;
}

/// Reports of the cases that a sweep has kept, each in its folder.
static int report_cases(const char *sweep, double megabytes, scree_error *error)
{
    char folder[RUN_PATH_MAX], path[RUN_PATH_MAX];
    int code = CLI_DONE;
    for (int k = 0; k < CASES_MAX && code == CLI_DONE; ++k) {
        if (!case_folder(sweep, k, folder)) continue;
        const source one = {folder, SOURCE_RUN};
        code = write_report(&one, 1, megabytes, NULL, run_folder_path(folder, "report.html", path), error);
    }
    return code;
}

int cli_report(int argc, char **argv)
{
    const char *path = NULL, *verify = NULL;
    double megabytes = 40.0;
    /* clang-format off */
    const cli_option options[] = {
        {"-o", "FILE", CLI_PATH, &path,
         .text = "default: DIR/report.html, or DIR/compare.html for several"},
        {"--size", "MB", CLI_POSITIVE, &megabytes,
         .text = "the file becomes no larger (default 40): numbers get fewer digits, then contacts are kept of fewer "
         "frames, then frames are left out. What is kept is printed"},
        {"--verify", "FILE", CLI_PATH, &verify,
         .text = "a table of checks to show: what 'scree verify --json' printed. Default: DIR/verify.json, if it is "
         "there"},
    };
    /* clang-format on */
    char standard[RUN_PATH_MAX];
    source sources[RUNS_MAX];
    scree_error error = {.line = 0};
    int operands, code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code != CLI_GO_ON) return code;
    if (operands < 1 || operands > RUNS_MAX)
        return cli_usage("report", "%d folders given, expected one to %d", operands, RUNS_MAX);
    for (int k = 0; k < operands; ++k) {
        sources[k].folder = argv[1 + k];
        scree_status status = recognise(&sources[k], &error);
        if (status != SCREE_OK) {
            cli_print_error(&error, NULL, 0);
            return cli_exit_of(status);
        }
    }
    for (int k = 0; operands > 1 && k < operands; ++k)
        if (sources[k].kind != SOURCE_RUN)
            return cli_usage("report", "folders are compared if all hold runs, and %s does not", sources[k].folder);
    if (operands == 1 && sources[0].kind == SOURCE_SWEEP) code = report_cases(sources[0].folder, megabytes, &error);
    if (code != CLI_GO_ON && code != CLI_DONE) {
        cli_print_error(&error, NULL, 0);
        return code;
    }
    const char *dot = path ? strrchr(path, '.') : NULL;
    if (path && (!dot || (strcmp(dot, ".html") != 0 && strcmp(dot, ".htm") != 0)))
        return cli_usage("report", "-o is '%s', expected a name that ends in .html", path);
    if (!path) path = run_folder_path(argv[1], operands > 1 ? "compare.html" : "report.html", standard);
    code = write_report(sources, operands, megabytes, verify, path, &error);
    if (code != CLI_DONE) cli_print_error(&error, NULL, 0);
    return code;
}
