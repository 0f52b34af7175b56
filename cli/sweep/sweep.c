/* sweep.c: `scree sweep SCENE --vary ...`: a scene run many times with other values, and one table of the results.
 *
 * The command in four acts: what is swept (from the command line, or from the folder), the folder, the cases, the index. The parts
 * stand in sweep_*.c; sweep.h says what the folder holds and why its index has the same bytes however it came about. */
#include "cli/sweep/sweep.h"

#include "cli/cli.h"
#include "cli/draw/plot.h"
#include "cli/system.h"

#include <scree/files.h>
#include <scree/run.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const keeps[] = {"row", "full", NULL};

static const cli_about about = {
    .operands = "SCENE",
    .forms = "--resume -o DIR [-j N]\n"
             "--case K[:L] -o DIR\n"
             "--collect DIR",
    .text = "Runs a scene once for every combination of values. DIR/index.csv has a row for each case, in order: "
            "its number, its values in SI, its results. A case that fails has its message there, and the others "
            "continue (docs/sweeps.md).",
    .notes =
        "Ctrl-C (SIGINT), SIGTERM and SIGUSR1 stop the cases at work, write the index of those finished and print how "
        "to resume.",
    .exits = "0 all cases done; 1 some failed, or are missing; 2 wrong usage; 3 bad input; 4 machine failure "
             "(disk, memory); 130 interrupted by Ctrl-C, 143 by SIGTERM, 138 by SIGUSR1",
    .examples = "scree sweep examples/ball.yaml --vary 'materials.stone.rolling=30 mm:60 mm:7' \\\n"
                "    --result bodies.ball.position.x --plot bodies.ball.position.x -j 2 -o out/rolling",
};

static const char *const default_results[] = {"time", "contacts", "residual_max", "penetration_max", "kinetic", "hash"};

typedef struct settings {
    const char *folder, *keep, *cases, *collect;
    cli_texts vary, set, result, plot;
    cli_texts sbatch;
    int seeds, jobs, chunk, limit, threads;
    int zip, plan, resume, force, quiet, json, slurm, submit, retry;
} settings;

/* ---- what is swept --------------------------------------------------------------------------------------------------------- */

static int bad_argument(const scree_error *error)
{
    return cli_usage("sweep", "%s", error->text);
}

static int add_seeds(sweep *s, int seeds, scree_error *error)
{
    char *text;
    size_t size;
    FILE *out = cli_text_open(&text, &size);
    fputs("seed=1", out);
    for (int k = 2; k <= seeds; ++k) fprintf(out, ",%d", k);
    cli_text_close(out, &text);
    int good = sweep_vary_parse(text, &s->vary[s->vary_count++], error);
    free(text);
    return good;
}

static void add_result(sweep *s, const char *name)
{
    for (int k = 0; k < s->result_count; ++k)
        if (strcmp(s->result[k], name) == 0) return;
    if (s->result_count < SWEEP_RESULT_MAX) s->result[s->result_count++] = cli_copy(name);
}

/// The results, and those that every index has.
static int choose_results(sweep *s, const settings *given, const sweep_known *known, scree_error *error)
{
    if (given->result.count > SWEEP_RESULT_MAX - 2)
        return cli_usage("sweep", "--result is given more than %d times", SWEEP_RESULT_MAX - 2);
    for (int k = 0; k < given->result.count; ++k) {
        if (!sweep_result_check(given->result.text[k], known, error)) return bad_argument(error);
        add_result(s, given->result.text[k]);
    }
    for (size_t k = 0; given->result.count == 0 && k < sizeof default_results / sizeof *default_results; ++k)
        add_result(s, default_results[k]);
    for (int k = 0; k < given->plot.count; ++k) { /* what is plotted is a result */
        if (!sweep_result_check(given->plot.text[k], known, error)) return bad_argument(error);
        if (s->result_count < SWEEP_RESULT_MAX - 2) add_result(s, given->plot.text[k]);
    }
    add_result(s, "outcome");
    add_result(s, "message");
    return CLI_GO_ON;
}

/// A mistyped name would make all cases the same: each path must lead somewhere in the scene.
static int check_paths(const sweep *s, const scree_scene *scene)
{
    for (int v = 0; v < s->vary_count; ++v) {
        scree_error error = {0}, named = {0};
        if (scree_scene_find_path(scene, s->vary[v].path, &error) == SCREE_OK) continue;
        scree_error_set(&named, NULL, 0, 0, "--vary %s: %s", s->vary[v].argument, error.text);
        return bad_argument(&named);
    }
    return CLI_GO_ON;
}

/// The scene with all --set in place, and its results. The scene itself must be right; its world is built to know its bodies.
static int read_scene(sweep *s, const settings *given, const char *path)
{
    scree_simulation *simulation = NULL;
    scree_error error = {0};
    scree_scene *scene = scree_scene_read(path, given->set.text, given->set.count, NULL, &error);
    if (scene && given->result.count > 0) simulation = scree_simulation_create(scene, 0, NULL, &error);
    int code = CLI_GO_ON;
    if (error.status != SCREE_OK) {
        cli_print_file_error(&error);
        code = cli_exit_of(error.status);
    } else {
        int64_t *state;
        int pours = simulation && scree_simulation_sources(simulation, &state) > 0; /* its bodies are still to come */
        s->scene = cli_copy(scree_scene_text(scene));
        const sweep_known known = {.built = simulation != NULL,
                                   .measures = simulation ? scree_simulation_measures(simulation) : NULL,
                                   .world = simulation && !pours ? scree_simulation_world(simulation) : NULL};
        code = choose_results(s, given, &known, &error);
        if (code == CLI_GO_ON) code = check_paths(s, scene);
    }
    scree_simulation_destroy(simulation);
    scree_scene_destroy(scene);
    return code;
}

static int define(sweep *s, const settings *given, const char *path)
{
    scree_error error = {.text = ""};
    s->zip = given->zip, s->full = given->keep && strcmp(given->keep, "full") == 0;
    if (given->vary.count + (given->seeds > 0) > SWEEP_VARY_MAX)
        return cli_usage("sweep", "--vary is given more than %d times beside --seeds", SWEEP_VARY_MAX - 1);
    for (int k = 0; k < given->vary.count; ++k)
        if (!sweep_vary_parse(given->vary.text[k], &s->vary[s->vary_count++], &error)) return bad_argument(&error);
    if (given->seeds > SWEEP_CASES_MAX)
        return cli_usage("sweep", "--seeds is %d, expected at most %d", given->seeds, SWEEP_CASES_MAX);
    if (given->seeds > 0 && !add_seeds(s, given->seeds, &error)) return bad_argument(&error);
    if (!sweep_count(s, &error)) return bad_argument(&error);
    return read_scene(s, given, path);
}

static int failed(const scree_error *error, scree_status status)
{
    char message[1200];
    fprintf(stderr, "%s\n", scree_error_format(error, message, sizeof message));
    return cli_exit_of(status);
}

/// Makes the folder this process' own, which may have to wait for the workers of a sweep that was killed. CLI_DONE, or how the command ends.
/// Commands of a plan share a folder: each has files of its own there.
static int claim(sweep *s)
{
    enum { WAIT_SECONDS = 20, LOOKS = 5 }; /* looks a second for Ctrl-C */
    scree_error error = {0};
    sweep_catch_signals();
    for (int k = 0;
         !s->claim && k < WAIT_SECONDS * LOOKS && !(k > 0 && (cli_signal() || error.status != SCREE_ERR_INPUT)); ++k) {
        error = (scree_error){0};
        s->claim = scree_folder_claim_take(s->folder, "a sweep", 1.0 / LOOKS, NULL, &error);
    }
    return s->claim ? CLI_DONE : failed(&error, error.status);
}

/// The sweep, in memory and in its folder.
static int prepare(sweep *s, const settings *given, const char *path)
{
    scree_error error = {.text = ""};
    scree_status status;
    int found = 1, code = CLI_GO_ON;
    if (given->folder || given->collect)
        snprintf(s->folder, sizeof s->folder, "%s", given->folder ? given->folder : given->collect);
    else {
        char stem[RUN_PATH_MAX];
        run_folder_default(path, stem);
        snprintf(s->folder, sizeof s->folder, "%.*s_sweep", RUN_PATH_MAX - 16, stem);
    }
    if (!path) {
        status = sweep_folder_load(s, &error);
        if (status != SCREE_OK) return failed(&error, status);
    } else {
        code = define(s, given, path);
        if (code != CLI_GO_ON) return code;
    }
    for (int k = 0; k < given->plot.count; ++k)
        if (!sweep_plot_check(s, given->plot.text[k], &error)) return bad_argument(&error);
    if (!path && (given->collect || given->plan || given->cases)) return CLI_GO_ON;
    char text[RUN_PATH_MAX];
    if (path && given->resume && access(run_folder_path(s->folder, "sweep.txt", text), F_OK) != 0)
        return cli_usage("sweep", "%s holds no sweep to resume", s->folder);
    code = claim(s);
    if (code != CLI_DONE) return code;
    if (!path) return CLI_GO_ON;
    if (given->force) sweep_folder_clear(s->folder);
    status = sweep_folder_open(s, &found, &error);
    return status == SCREE_OK ? CLI_GO_ON : failed(&error, status);
}

/* ---- plans -------------------------------------------------------------------------------------------------------------------- */

static int print_plan(sweep *s, int retry)
{
    sweep_folder_rows(s);
    if (retry) sweep_forget_failed(s);
    for (int k = 0; k < s->count; ++k) {
        if (s->row[k]) continue;
        printf("scree sweep --quiet --case %d -o ", k);
        sweep_put_shell_word(s->folder, stdout);
        putchar('\n');
    }
    return CLI_DONE;
}

/// Writes the array job of what is missing, and submits it where that is asked.
static int write_slurm(sweep *s, const settings *given)
{
    char job[RUN_PATH_MAX], self[RUN_PATH_MAX], command[RUN_PATH_MAX + 64];
    scree_error error = {0};
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    sweep_slurm how = {.chunk = given->chunk, .limit = given->limit, .threads = given->threads, .retry = given->retry};
    how.option_count = given->sbatch.count, how.option = given->sbatch.text;
    how.program = length > 0 ? self : "scree";
    int tasks;
    const scree_status status = sweep_slurm_write(s, &how, job, &tasks, &error);
    if (status != SCREE_OK) return failed(&error, status);
    if (tasks == 0) {
        printf("nothing to submit: all %d cases are finished\n", s->count);
        return CLI_DONE;
    }
    printf("tasks        %d\njob          %s\n", tasks, job);
    if (!given->submit) {
        printf("To submit it: sbatch %s\n", job);
        return CLI_DONE;
    }
    char *text;
    size_t size;
    FILE *out = cli_text_open(&text, &size);
    fputs("sbatch ", out), sweep_put_shell_word(job, out);
    cli_text_close(out, &text);
    snprintf(command, sizeof command, "%s", text);
    free(text);
    fflush(NULL);
    if (system(command) == 0) return CLI_DONE; // NOLINT(cert-env33-c): sbatch of this cluster
    scree_error_set(&error, NULL, 0, 0, "sbatch refused %s", job);
    return failed(&error, SCREE_ERR_WRITE);
}

static int plan_slurm(sweep *s, const settings *given)
{
    sweep_folder_rows(s);
    if (given->retry) sweep_forget_failed(s);
    return write_slurm(s, given);
}

static int goes_on(void *context)
{
    (void)context;
    return !cli_signal();
}

static void print_failure(const sweep *s, int k)
{
    char *outcome = sweep_field(s, s->row[k], "outcome"), *message = sweep_field(s, s->row[k], "message");
    fprintf(stderr, "case %d %s: %s\n", k, outcome, message);
    free(outcome);
    free(message);
}

/// Cases "K" or "K:L" in this process, each with a file for its row. Those that are finished are left alone.
static int run_cases(sweep *s, const settings *given)
{
    char *end, *last;
    long from = strtol(given->cases, &end, 10), to = from;
    if (end != given->cases && *end == ':') {
        last = end + 1;
        to = strtol(last, &end, 10);
        if (end == last) end = last - 1;
    }
    if (end == given->cases || *end || from < 0 || to < from || to >= s->count)
        return cli_usage("sweep", "--case is '%s', expected K or K:L from 0 to %d", given->cases, s->count - 1);
    int bad = 0;
    sweep_catch_signals();
    sweep_folder_rows(s);
    if (given->retry) sweep_forget_failed(s);
    for (int k = (int)from; k <= (int)to; ++k) {
        scree_error error = {.text = ""};
        if (!s->row[k]) {
            int code = sweep_case(s, k, given->threads, goes_on, &s->row[k], &error);
            if (code == CLI_GO_ON) {
                fprintf(stderr, "Interrupted in case %d. The same command runs it again.\n", k);
                return 128 + (cli_signal() ? cli_signal() : 15);
            }
            if (code != CLI_DONE) return failed(&error, SCREE_ERR_MEMORY);
            error = (scree_error){0}; /* why a case failed stands in its row */
            scree_status status = sweep_folder_row(s, k, s->row[k], &error);
            if (status != SCREE_OK) return failed(&error, status);
        }
        if (sweep_row_done(s, k)) continue;
        bad += 1;
        if (!given->quiet) print_failure(s, k);
    }
    return bad ? CLI_FELL_SHORT : CLI_DONE;
}

/* ---- the end -------------------------------------------------------------------------------------------------------------------- */

typedef struct tally {
    int before, finished, failed; /* rows that were there; all rows; those that are not "done" */
    double seconds;
} tally;

static void print_failures(const sweep *s, int total)
{
    enum { MOST = 5 };
    int shown = 0;
    for (int k = 0; k < s->count && shown < MOST; ++k) {
        if (!s->row[k] || sweep_row_done(s, k)) continue;
        print_failure(s, k);
        ++shown;
    }
    if (total > shown) fprintf(stderr, "... and %d more; all are in %s/index.csv\n", total - shown, s->folder);
}

static void print_result(const sweep *s, const settings *given, const tally *t)
{
    char path[RUN_PATH_MAX];
    run_folder_path(s->folder, "index.csv", path);
    if (given->json) {
        scree_json j = scree_json_start(stdout);
        scree_json_object(&j, NULL);
        scree_json_text(&j, "folder", s->folder);
        scree_json_text(&j, "index", path);
        scree_json_integer(&j, "cases", s->count);
        scree_json_integer(&j, "finished", t->finished);
        scree_json_integer(&j, "finished_before", t->before);
        scree_json_integer(&j, "failed", t->failed);
        scree_json_integer(&j, "missing", s->count - t->finished);
        scree_json_number(&j, "seconds", t->seconds);
        scree_json_close(&j);
    } else if (!given->quiet) {
        sweep_print_table(s, stdout);
        printf("cases        %d: finished %d, failed %d, missing %d; finished before %d\n", s->count, t->finished,
               t->failed, s->count - t->finished, t->before);
        printf("seconds      %.2f\n", t->seconds);
        printf("index        %s\n", path);
    }
}

/// The index, the plots, and what is said about them. `code` is how the running ended.
static int conclude(sweep *s, const settings *given, tally *t, int code)
{
    scree_error error = {.text = ""};
    scree_status status = sweep_folder_index(s, &error);
    if (status == SCREE_OK) status = sweep_write_statistics(s, &error);
    for (int k = 0; status == SCREE_OK && k < given->plot.count; ++k)
        status = sweep_plot(s, given->plot.text[k], &error);
    if (status != SCREE_OK) return failed(&error, status);
    t->finished = t->failed = 0;
    for (int k = 0; k < s->count; ++k)
        if (s->row[k]) t->finished += 1, t->failed += !sweep_row_done(s, k);
    print_result(s, given, t);
    if (!given->quiet) print_failures(s, t->failed);
    if (code != CLI_DONE) {
        fprintf(stderr, "%d of %d cases are finished. To resume: scree sweep --resume -o %s\n", t->finished, s->count,
                s->folder);
        return code;
    }
    return t->failed > 0 || t->finished < s->count ? CLI_FELL_SHORT : CLI_DONE;
}

static int run_sweep(sweep *s, const settings *given)
{
    char message[1200];
    scree_error error = {.text = ""};
    double begin = scree_clock_seconds();
    tally t = {.before = sweep_folder_rows(s)};
    if (given->retry && !given->collect) t.before -= sweep_forget_failed(s);
    sweep_catch_signals();
    int code = given->collect ? CLI_DONE : sweep_pool(s, given->jobs > 0 ? given->jobs : 1, given->quiet, &error);
    if (code == CLI_BAD_INPUT || code == CLI_MACHINE) {
        fprintf(stderr, "%s\n", scree_error_format(&error, message, sizeof message));
        if (code == CLI_BAD_INPUT) return code;
    }
    t.seconds = scree_clock_seconds() - begin;
    return conclude(s, given, &t, code);
}

/* ---- the command ------------------------------------------------------------------------------------------------------------------ */

/// Which of the four ways to call it this is, and whether the options fit.
static int check_usage(const settings *given, int operands)
{
    const char *folder = given->collect ? given->collect : given->folder;
    int defines = given->vary.count + given->set.count + given->result.count + given->seeds + given->zip > 0 ||
                  given->keep || given->force;
    int from_folder = given->collect || given->cases || (given->resume && operands == 0);
    if (operands > 1) return cli_usage("sweep", "%d scenes given, expected one", operands);
    if ((given->submit || given->chunk || given->limit || given->sbatch.count) && !given->slurm)
        return cli_usage("sweep", "--submit, --chunk, --limit and --sbatch go with --slurm");
    if (given->slurm && (given->plan || given->cases || given->collect))
        return cli_usage("sweep", "--slurm takes no --plan, --case or --collect");
    if (given->threads && !given->cases && !given->slurm)
        return cli_usage("sweep", "--threads goes with --case or --slurm; without them -j runs cases at the same time");
    if (folder && (folder[0] == '\0' || strlen(folder) > RUN_PATH_MAX - 64))
        return cli_usage("sweep", "%s is '%.60s', expected the name of a folder", given->collect ? "--collect" : "-o",
                         folder);
    if (from_folder) {
        const char *way = given->collect ? "--collect" : given->cases ? "--case" : "--resume";
        if (operands > 0) return cli_usage("sweep", "%s takes no SCENE: the folder has it", way);
        if (defines)
            return cli_usage("sweep", "%s takes the sweep from its folder: no --vary, --set, --result, ...", way);
        if (!folder) return cli_usage("sweep", "%s needs -o DIR", way);
        if (given->collect && given->folder) return cli_usage("sweep", "--collect DIR takes no -o");
        if (given->cases && (given->collect || given->plan || given->resume || given->plot.count > 0))
            return cli_usage("sweep", "--case takes no --collect, --plan, --resume or --plot");
        return CLI_GO_ON;
    }
    if (operands == 0) return cli_usage("sweep", "no SCENE given");
    if (given->vary.count == 0 && given->seeds == 0)
        return cli_usage("sweep", "nothing to vary: give --vary PATH=VALUES or --seeds N");
    if (given->resume && given->force) return cli_usage("sweep", "--resume and --force exclude each other");
    return CLI_GO_ON;
}

int cli_sweep(int argc, char **argv)
{
    settings given = {.folder = NULL};
    sweep *s = cli_memory(sizeof *s);
    /* clang-format off */
    const cli_option options[] = {
        {"--vary", "PATH=VALUES", CLI_TEXTS, &given.vary,
         .text = "an input of the sweep. VALUES is FROM:TO:COUNT for equal steps, both ends among them; FROM:TO:COUNT:log for equal ratios; "
         "or a list A,B,C. PATH is that of --set, units are those of scenes: 'materials.stone.rolling=1 mm:9 "
         "mm:5'. May be repeated; the last one runs fastest"},
        {"--zip", NULL, CLI_FLAG, &given.zip,
         .text = "pairs the first values, the second values, ..., instead of all combinations"},
        {"--seeds", "N", CLI_COUNT, &given.seeds,
         .text = "as --vary seed=1,2,...,N"},
        {"--set", "PATH=VALUE", CLI_TEXTS, &given.set,
         .text = "changes a value of the scene for all cases; may be repeated"},
        {"--result", "NAME", CLI_TEXTS, &given.result,
         .text = "a column of the index; may be repeated; default: time, contacts, residual_max, penetration_max, "
         "kinetic, hash. Names: those of summary.json (steps, slide, ...), mode, sliding, rolling, spinning, "
         "bodies.NAME.position.x (velocity, spin, rotation, force, moment), bodies.NAME.speed, heap.height, "
         "heap.flank_angle, ..., measures.NAME.COLUMN of the scene. outcome and message are always there"},
        {"-j", "N", CLI_COUNT, &given.jobs,
         .text = "processes; the index does not depend on their number"},
        {"-o", "DIR", CLI_PATH, &given.folder,
         .text = "where results go; default: out/NAME_sweep for NAME.yaml"},
        {"--keep", NULL, CLI_WORD, &given.keep,
         .text = "what each case leaves. full: what scree run leaves, for each case in DIR/case_000000, ...; default: row, the index only", .words = keeps},
        {"--plot", "NAME", CLI_TEXTS, &given.plot,
         .text = "a plot of a result. DIR/plot_NAME.csv, .svg, .png: a line over one input, a heat map over two; may be "
         "repeated"},
        {"--plan", NULL, CLI_FLAG, &given.plan,
         .text = "runs nothing: prints one command per unfinished case, to be run in any order, at the same time, on "
         "machines that share DIR"},
        {"--case", "K[:L]", CLI_TEXT, &given.cases,
         .text = "runs cases K to L of the sweep in DIR: the commands of a plan"},
        {"--threads", "N", CLI_COUNT, &given.threads,
         .text = "with --case, --slurm: threads of a case; results do not depend on their number"},
        {"--slurm", NULL, CLI_FLAG, &given.slurm,
         .text = "runs nothing: writes DIR/slurm/job.sh, an array job of the unfinished cases (docs/cluster.md)"},
        {"--submit", NULL, CLI_FLAG, &given.submit,
         .text = "with --slurm: submits the job, by sbatch"},
        {"--chunk", "N", CLI_COUNT, &given.chunk,
         .text = "with --slurm: cases of a task; default: as few as make at most 1000 tasks"},
        {"--limit", "N", CLI_COUNT, &given.limit,
         .text = "with --slurm: tasks that may run at the same time"},
        {"--sbatch", "OPTION", CLI_TEXTS, &given.sbatch,
         .text = "with --slurm: an option of sbatch, as in --sbatch=--time=60; may be repeated"},
        {"--retry", NULL, CLI_FLAG, &given.retry,
         .text = "cases that failed, or did not converge, count as missing"},
        {"--collect", "DIR", CLI_PATH, &given.collect,
         .text = "makes the index from the cases that are finished"},
        {"--resume", NULL, CLI_FLAG, &given.resume,
         .text = "DIR must hold this sweep; without it a sweep found there is continued as well. SCENE and the "
         "options of the sweep may be left out"},
        {"--force", NULL, CLI_FLAG, &given.force,
         .text = "replaces the sweep that DIR holds"},
        {"--quiet", NULL, CLI_FLAG, &given.quiet,
         .text = "no progress, no table"},
        {"-q", NULL, CLI_FLAG, &given.quiet,
         .text = "the same"},
        {"--json", NULL, CLI_FLAG, &given.json,
         .text = "one JSON object on standard output, and nothing else there"},
    };
    /* clang-format on */
    int operands, code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code == CLI_GO_ON) code = check_usage(&given, operands);
    if (code == CLI_GO_ON) code = prepare(s, &given, operands > 0 ? argv[1] : NULL);
    if (code == CLI_GO_ON)
        code = given.plan    ? print_plan(s, given.retry)
               : given.slurm ? plan_slurm(s, &given)
               : given.cases ? run_cases(s, &given)
                             : run_sweep(s, &given);
    sweep_free(s);
    free(s);
    return code;
}
