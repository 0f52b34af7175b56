/* run.c: `scree run SCENE`: steps a scene to its end, and leaves a folder from which it can be looked at and continued.
 *
 * The order of writing is what makes a resumed run leave the same bytes: frames on the grid of output times are written as their
 * time is reached; a checkpoint holds the sizes of all files; a last frame off that grid is written after the last checkpoint, so
 * that a run which is prolonged loses it. A checkpoint is also written after CHECKPOINT_SECONDS of wall clock: checkpoints
 * change nothing. */
#include "cli/run.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/run_folder.h"
#include "cli/run_table.h"
#include "cli/solvers.h"

#include <scree/output.h>
#include <scree/scene.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: scree run SCENE [-o DIR] [--set PATH=VALUE]... [--until T] [--threads N] [--every T]\n"
    "                 [--problems every=N] [--resume] [--force] [--quiet] [--json]\n"
    "       scree run --resume -o DIR [--set stepper.step=H] [--until T] [--threads N] [--quiet] [--json]\n"
    "\n"
    "Simulates a scene. DIR receives scene.yaml (as run), series.csv, timing.csv, summary.json, checkpoint.h5,\n"
    "frames.scree (all frames), and what the scene asks for: VTK, LAMMPS dump, contact tables (docs/formats.md).\n"
    "\n"
    "options:\n"
    "  -o DIR              where results go; default: out/NAME for NAME.yaml\n"
    "  --set PATH=VALUE    changes a value of the scene, as in --set materials.stone.friction=0.3; may be repeated\n"
    "  --until T           simulated time to stop at [s], in place of the scene's\n"
    "  --every T           simulated time between frames [s], in place of the scene's\n"
    "  --threads N         threads; the results do not depend on their number\n"
    "  --problems every=N  stores the contact problem of every N-th step, DIR/problems/step_000100.hdf5\n"
    "  --resume            goes on from DIR/checkpoint.h5, with the same bits as a run that was never interrupted;\n"
    "                      of the scene, --set stepper.step=H may change the step\n"
    "  --force             replaces the run that DIR holds\n"
    "  --quiet             no progress, no table\n"
    "  --json              prints summary.json on standard output, and nothing else there\n"
    "  --help              this text\n"
    "\n"
    "Ctrl-C (SIGINT) and SIGTERM finish the step, write a checkpoint and say how to go on.\n"
    "\n"
    "exit status: 0 done; 1 some steps did not converge, a body ran away, or a step became too long for soft\n"
    "             contacts (a checkpoint is left); 2 wrong usage; 3 bad input; 4 machine failure (disk, memory);\n"
    "             130 interrupted by Ctrl-C, 143 by SIGTERM\n"
    "\n"
    "example:\n"
    "  scree run examples/pile.yaml -o out/pile --until 2\n";

static const double CHECKPOINT_SECONDS = 60.0;

/// What a stepper says of a step that soft contacts do not take (steppers/dem_limit.c).
#define TOO_LONG "beyond the critical step of"

/// What a checkpoint keeps of how the run was started.
enum { SET_UNTIL, SET_EVERY, SET_CHECKPOINT, SET_VTP, SET_DUMP, SET_CONTACTS, SET_PROBLEMS, SET_SECONDS, SETTINGS };

typedef struct settings {
    const char *folder, *problems;
    cli_texts set;
    double until, every;
    int threads, problems_every; /* 0: not given */
    int resume, force, quiet, json;
} settings;

typedef struct run {
    const char *scene_path; /* what messages call the scene */
    char folder[RUN_PATH_MAX];
    scree_scene *scene;
    scree_run_plan plan;
    double h; /* of the scene [s] */
    scree_scheme scheme;
    scree_simulation *simulation;
    scree_world *world;
    scree_stepper *stepper;
    scree_output *output;
    int resumed, threads;
    double before, begin;     /* seconds of earlier parts of the run; clock at the start of this one */
    double checkpoint_clock;  /* when the last one was written                                        */
    double checkpoint_time;   /* simulated time of it; -1: there is none                              */
    scree_step_report report; /* of the last step; step 0: there was none                            */
    scree_status problem_status;
    int problems_stopped;
    scree_error error, problem_error;
    run_watch *watch; /* NULL: messages are printed */
} run;

/* ---- signals ------------------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t signal_number;

static void on_signal(int number)
{
    signal_number = number;
}

static void catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND; /* the second one ends the program at once */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* ---- messages ------------------------------------------------------------------------------------------------------------ */

/// Prints the error; returns the exit status it stands for. What cannot be written is the machine's fault.
static int complain(const run *r, scree_status status, int writing)
{
    if (r->watch) r->watch->error = r->error;
    else cli_print_file_error(&r->error);
    return writing && status == SCREE_ERR_FILE ? CLI_MACHINE : cli_exit_of(status);
}

/// After a step that was too long for soft contacts.
static void say_how_to_go_on_shorter(const run *r)
{
    if (r->watch || r->checkpoint_time < 0.0) return;
    fprintf(stderr,
            "The last checkpoint is of t = %g s. To go on with a shorter step: scree run --resume -o %s --set "
            "stepper.step=SECONDS\n",
            r->checkpoint_time, r->folder);
}

static void say_how_to_go_on(const run *r)
{
    if (r->watch) return;
    if (r->checkpoint_time < 0.0) fprintf(stderr, "There is no checkpoint yet: the run has to start again.\n");
    else
        fprintf(stderr, "The last checkpoint is of t = %g s. To go on: scree run --resume -o %s\n", r->checkpoint_time,
                r->folder);
}

/* ---- the scene ----------------------------------------------------------------------------------------------------------- */

/// The plan of the run: the scene's, or what the checkpoint remembers, and the command line above both.
static void choose_plan(run *r, const settings *s, const double *remembered)
{
    r->plan = scree_scene_plan(r->scene);
    if (remembered) {
        r->plan.until = remembered[SET_UNTIL], r->plan.output_every = remembered[SET_EVERY];
        r->plan.checkpoint_every = remembered[SET_CHECKPOINT];
        r->plan.vtp = remembered[SET_VTP] != 0.0, r->plan.dump = remembered[SET_DUMP] != 0.0;
        r->plan.contacts = remembered[SET_CONTACTS] != 0.0, r->plan.problems_every = (int)remembered[SET_PROBLEMS];
        r->before = remembered[SET_SECONDS];
    }
    if (s->until > 0.0) r->plan.until = s->until;
    if (s->every > 0.0) r->plan.output_every = s->every;
    if (s->problems_every > 0) r->plan.problems_every = s->problems_every;
    scree_stepper_options stepper = scree_scene_stepper(r->scene);
    r->h = stepper.step, r->scheme = stepper.scheme;
    r->threads = s->threads > 0 ? s->threads : stepper.threads;
}

/// The number of the first line in which two texts differ.
static int first_difference(const char *a, const char *b)
{
    int line = 1;
    for (; *a && *a == *b; ++a, ++b) line += *a == '\n';
    return line;
}

/// 1: --set changes the length of the step, and nothing else.
static int sets_the_step(const settings *s)
{
    for (int k = 0; k < s->set.count; ++k)
        if (strncmp(s->set.text[k], "stepper.step=", strlen("stepper.step=")) != 0) return 0;
    return s->set.count > 0;
}

/// 1: the scene is the stored one, but for the step that --set gives.
static int differs_in_step(const run *r, const settings *s, const char *stored)
{
    scree_scene *old = NULL;
    scree_error ignored;
    if (!sets_the_step(s)) return 0;
    scree_status status =
        scree_scene_parse(stored, strlen(stored), r->scene_path, s->set.text, s->set.count, NULL, &old, &ignored);
    int same = status == SCREE_OK && strcmp(scree_scene_text(r->scene), scree_scene_text(old)) == 0;
    scree_scene_destroy(old);
    return same;
}

/// The scene as given must be the one that the checkpoint was written with.
static int same_scene(run *r, const settings *s, const char *stored)
{
    const char *now = scree_scene_text(r->scene);
    if (strcmp(now, stored) == 0 || differs_in_step(r, s, stored)) return CLI_GO_ON;
    scree_error_set(&r->error, r->scene_path, 0, 0,
                    "the scene has changed since the run in %s was started: as run, line %d differs from %s/scene.yaml",
                    r->folder, first_difference(now, stored), r->folder);
    if (r->watch) {
        r->watch->error = r->error;
        return CLI_BAD_INPUT;
    }
    cli_print_file_error(&r->error);
    fprintf(stderr, "To go on with the old scene: scree run --resume -o %s. To start again: --force.\n", r->folder);
    return CLI_BAD_INPUT;
}

static int read_scene(run *r, const settings *s, const char *path)
{
    r->scene_path = path;
    scree_status status = r->watch ? scree_scene_parse(r->watch->scene, strlen(r->watch->scene), path, s->set.text,
                                                       s->set.count, NULL, &r->scene, &r->error)
                                   : scree_scene_read(path, s->set.text, s->set.count, NULL, &r->scene, &r->error);
    return status == SCREE_OK ? CLI_GO_ON : complain(r, status, 0);
}

/// Reads the scene, from SCENE or, to resume without it, from the folder; finds out whether there is a checkpoint to go on from.
static int prepare(run *r, const settings *s, const char *scene)
{
    static char kept[RUN_PATH_MAX]; /* scene_path may point to it */
    char path[RUN_PATH_MAX], *stored = NULL;
    double remembered[SETTINGS];
    if (s->folder) snprintf(r->folder, sizeof r->folder, "%s", s->folder);
    else run_folder_default(scene, r->folder);
    const char *used = run_folder_used(r->folder);
    if (used && !s->resume && !s->force)
        return cli_usage(
            "run",
            "%s already holds a run (%s); --resume goes on with it, --force replaces it, -o DIR writes elsewhere",
            r->folder, used);
    if (!scene && !used) return cli_usage("run", "%s holds no run to go on with", r->folder);

    FILE *checkpoint = s->resume ? fopen(run_folder_path(r->folder, "checkpoint.h5", path), "rb") : NULL;
    r->resumed = checkpoint != NULL;
    if (checkpoint) fclose(checkpoint);
    int code = read_scene(r, s, scene ? scene : run_folder_path(r->folder, "scene.yaml", kept));
    if (code == CLI_GO_ON && r->resumed) {
        scree_status status = scree_checkpoint_peek(path, NULL, &stored, remembered, SETTINGS, &r->error);
        code = status == SCREE_OK ? same_scene(r, s, stored) : complain(r, status, 0);
        scree_allocator_default().free(stored, NULL);
    }
    if (code != CLI_GO_ON) return code;
    if (s->resume && !r->resumed && !s->quiet)
        fprintf(stderr, "%s holds no checkpoint: the run starts from the beginning.\n", r->folder);
    choose_plan(r, s, r->resumed ? remembered : NULL);
    return CLI_GO_ON;
}

/* ---- building ------------------------------------------------------------------------------------------------------------ */

/// The stepper's hook: stores the problem of every N-th step. A failure is kept; the loop looks at it.
static void store_problem(const scree_problem *problem, const double *p, int64_t step, void *context)
{
    run *r = context;
    if (step % r->plan.problems_every != 0 || r->problem_status != SCREE_OK) return;
    r->problem_status = scree_output_problem(r->output, problem, p, step, &r->problem_error);
}

/// World, stepper and files; after a restart, as the checkpoint has them.
static int build(run *r, const settings *s)
{
    scree_status status = scree_simulation_create(r->scene, s->threads, NULL, &r->simulation, &r->error);
    if (status != SCREE_OK) return complain(r, status, 0);
    r->world = scree_simulation_world(r->simulation);
    r->stepper = scree_simulation_stepper(r->simulation);
    if (r->plan.problems_every > 0) scree_stepper_set_problem_hook(r->stepper, store_problem, r);

    scree_output_options options = scree_output_options_default();
    options.directory = r->folder, options.resume = r->resumed;
    options.vtp = r->plan.vtp, options.dump = r->plan.dump, options.contacts = r->plan.contacts;
    if (r->resumed) run_folder_sweep(r->folder);
    else run_folder_clear(r->folder);
    status = scree_output_create(&options, NULL, &r->output, &r->error);
    if (status == SCREE_OK && (!r->resumed || s->set.count > 0)) /* resumed, with another step */
        status = scree_output_text(r->output, "scene.yaml", scree_scene_text(r->scene), &r->error);
    if (status != SCREE_OK) return complain(r, status, 1);
    r->checkpoint_time = -1.0;
    if (!r->resumed) return CLI_GO_ON;

    scree_run_totals totals;
    int64_t *source;
    int sources = scree_simulation_sources(r->simulation, &source);
    status = scree_checkpoint_read(r->output, r->world, &totals, &r->report, source, sources, &r->error);
    if (status != SCREE_OK) return complain(r, status, 0);
    scree_stepper_set_totals(r->stepper, &totals);
    r->checkpoint_time = scree_world_time(r->world);
    return CLI_GO_ON;
}

/* ---- the loop ------------------------------------------------------------------------------------------------------------ */

static scree_status write_frame(run *r)
{
    const scree_step_report *report = r->report.step > 0 ? &r->report : NULL;
    return scree_output_frame(r->output, r->world, report, scree_stepper_totals(r->stepper), &r->error);
}

static scree_status write_checkpoint(run *r)
{
    const double setting[SETTINGS] = {[SET_UNTIL] = r->plan.until,
                                      [SET_EVERY] = r->plan.output_every,
                                      [SET_CHECKPOINT] = r->plan.checkpoint_every,
                                      [SET_VTP] = r->plan.vtp,
                                      [SET_DUMP] = r->plan.dump,
                                      [SET_CONTACTS] = r->plan.contacts,
                                      [SET_PROBLEMS] = r->plan.problems_every,
                                      [SET_SECONDS] = r->before + clock_seconds() - r->begin};
    int64_t *source;
    int sources = scree_simulation_sources(r->simulation, &source);
    const scree_checkpoint checkpoint = {.scene = scree_scene_text(r->scene),
                                         .source = source,
                                         .source_count = sources,
                                         .setting = setting,
                                         .setting_count = SETTINGS,
                                         .report = r->report.step > 0 ? &r->report : NULL};
    scree_status status =
        scree_checkpoint_write(r->output, r->world, scree_stepper_totals(r->stepper), &checkpoint, &r->error);
    if (status == SCREE_OK) r->checkpoint_time = scree_world_time(r->world);
    r->checkpoint_clock = clock_seconds();
    return status;
}

/// How many multiples of `every` have been reached at time t; steps do not add up to them exactly.
static int64_t reached(const run *r, double t, double every)
{
    return every > 0.0 ? (int64_t)floor((t + 1e-6 * r->h) / every) : 0;
}

static int at_end(const run *r)
{
    return scree_world_time(r->world) >= r->plan.until - 1e-6 * r->h;
}

/// The stored problems of this step: a disk that fails ends the run, a problem that no file can hold is said once.
static scree_status look_at_problems(run *r, progress *bar)
{
    if (r->problem_status == SCREE_OK || r->problems_stopped) return SCREE_OK;
    if (r->problem_status != SCREE_ERR_UNSUPPORTED) {
        r->error = r->problem_error;
        return r->problem_status;
    }
    progress_clear(bar);
    if (r->watch) r->watch->error = r->problem_error;
    else fprintf(stderr, "%s: no contact problems are stored from here on: %s\n", r->scene_path, r->problem_error.text);
    r->problems_stopped = 1;
    return SCREE_OK;
}

int64_t run_batch(scree_scheme scheme, double time, double next, double h)
{
    enum { BATCH_STEPS = 100 }; /* a signal waits for the batch to end */
    double steps = scheme == SCREE_DEM ? floor((next - time) / h - 1e-6) : 1.0;
    return steps < 2.0 ? 1 : (int64_t)fmin(steps, BATCH_STEPS);
}

static int64_t batch(const run *r)
{
    const double every[] = {r->plan.output_every, r->plan.checkpoint_every};
    double t = scree_world_time(r->world), next = r->plan.until;
    for (int k = 0; k < 2; ++k)
        if (every[k] > 0.0) next = fmin(next, ((double)reached(r, t, every[k]) + 1.0) * every[k]);
    return run_batch(r->scheme, t, next, r->h);
}

/// Steps to the end, a signal, or a failure; `*writing` says whether the failure is one of the output.
static scree_status advance(run *r, progress *bar, int *writing)
{
    scree_status status = SCREE_OK;
    scree_step_report report = {.step = 0};
    while (status == SCREE_OK && !at_end(r) && !signal_number) {
        double t = scree_world_time(r->world);
        *writing = 0;
        status = scree_simulation_advance(r->simulation, batch(r), &report, &r->error);
        if (status == SCREE_OK || report.step == scree_world_step_count(r->world)) r->report = report;
        if (status != SCREE_OK) break; /* the report is that of the last step taken, not of one that failed */
        progress_step(bar, &r->report, scree_stepper_totals(r->stepper));
        *writing = 1;
        if (r->watch && !r->watch->go_on(r->watch->context)) signal_number = SIGTERM;
        status = look_at_problems(r, bar);
        double now = scree_world_time(r->world), every = r->plan.output_every, save = r->plan.checkpoint_every;
        if (status == SCREE_OK && reached(r, now, every) > reached(r, t, every)) status = write_frame(r);
        if (status == SCREE_OK && !at_end(r) && !signal_number &&
            (reached(r, now, save) > reached(r, t, save) || clock_seconds() - r->checkpoint_clock > CHECKPOINT_SECONDS))
            status = write_checkpoint(r);
    }
    return status;
}

/// The end of the run, or the part that was done when a signal came.
static scree_status finish(run *r)
{
    double t = scree_world_time(r->world), every = r->plan.output_every;
    int on_grid = r->report.step == 0 || (every > 0.0 && reached(r, t, every) > reached(r, t - r->report.h, every));
    scree_status status = write_checkpoint(r);
    if (status == SCREE_OK && at_end(r) && !on_grid) status = write_frame(r);
    return status;
}

static scree_status summarise(run *r, const char *outcome)
{
    const scree_run_facts facts = {.title = r->plan.title,
                                   .outcome = outcome,
                                   .commit = solvers_commit(),
                                   .seconds = r->before + clock_seconds() - r->begin,
                                   .threads = r->threads};
    return scree_output_summary(r->output, r->world, scree_stepper_totals(r->stepper), &facts, &r->error);
}

/// That of soft contacts; 0: the scheme has none.
static double critical_step(const run *r)
{
    double critical = 0.0;
    if (r->scheme != SCREE_DEM) return 0.0;
    (void)scree_stepper_check(r->stepper, r->world, &critical, NULL);
    return critical;
}

/// The last words: table or JSON on stdout, what fell short on stderr.
static int conclude(const run *r, const settings *s, int fell_short)
{
    const scree_run_totals *totals = scree_stepper_totals(r->stepper);
    if (r->watch) r->watch->ended(r->world, totals, &r->report, r->watch->context);
    if (s->json) run_print_file(r->folder, "summary.json");
    else if (!s->quiet)
        run_print_table(r->folder, &r->plan, r->world, totals, critical_step(r), scree_output_frame_count(r->output),
                        r->before + clock_seconds() - r->begin);
    if (signal_number) {
        if (!r->watch) fprintf(stderr, "Interrupted at t = %g s of %g s.\n", scree_world_time(r->world), r->plan.until);
        say_how_to_go_on(r);
        return 128 + (int)signal_number;
    }
    if (totals->unconverged > 0 && !r->watch)
        fprintf(stderr, "%s: %lld of %lld steps did not converge; the worst residual is %.2g\n", r->scene_path,
                (long long)totals->unconverged, (long long)totals->steps, totals->residual_max);
    return fell_short || totals->unconverged > 0 || r->problems_stopped ? CLI_FELL_SHORT : CLI_DONE;
}

static int simulate(run *r, const settings *s)
{
    int writing = 1, fell_short = 0;
    progress bar = progress_start(scree_world_time(r->world), r->plan.until, s->quiet);
    r->begin = r->checkpoint_clock = clock_seconds();
    catch_signals();
    scree_status status = r->resumed ? SCREE_OK : write_frame(r);
    if (status == SCREE_OK) status = advance(r, &bar, &writing);
    progress_clear(&bar);

    if (status != SCREE_OK) {
        /* a body ran away, or the step is too long: what was computed stands, and the world is as before that step */
        fell_short = !writing && status == SCREE_ERR_INPUT;
        int code = complain(r, status, writing), too_long = strstr(r->error.text, TOO_LONG) != NULL;
        if (fell_short && scree_world_step_count(r->world) > 0) { /* where it cannot be written, the one before stays */
            scree_error reason = r->error;
            (void)write_checkpoint(r);
            r->error = reason;
        }
        if (fell_short && too_long) say_how_to_go_on_shorter(r);
        else say_how_to_go_on(r);
        if (!fell_short) return code;
    } else status = finish(r);
    if (status == SCREE_OK || fell_short)
        status = summarise(r, fell_short ? "failed" : signal_number ? "interrupted" : "done");
    if (status != SCREE_OK) {
        int code = complain(r, status, 1);
        say_how_to_go_on(r);
        return code;
    }
    return conclude(r, s, fell_short);
}

/* ---- the command --------------------------------------------------------------------------------------------------------- */

/// "every=N"; returns CLI_GO_ON or CLI_USAGE.
static int read_problems(settings *s)
{
    char *end = NULL;
    if (!s->problems) return CLI_GO_ON;
    long n = strncmp(s->problems, "every=", 6) == 0 ? strtol(s->problems + 6, &end, 10) : 0;
    if (!end || end == s->problems + 6 || *end || n < 1 || n > 1000000000)
        return cli_usage("run", "--problems is '%s', expected every=N with a whole number N from 1", s->problems);
    s->problems_every = (int)n;
    return CLI_GO_ON;
}

static int check_usage(const settings *s, int operands)
{
    if (operands > 1) return cli_usage("run", "%d scenes given, expected one", operands);
    if (operands == 0 && !(s->resume && s->folder))
        return cli_usage("run", s->resume ? "--resume needs SCENE or -o DIR" : "no SCENE given");
    if (operands == 0 && s->set.count > 0 && !sets_the_step(s))
        return cli_usage("run",
                         "--set changes the scene, and a resumed run keeps the one it has (but for stepper.step)");
    if (s->resume && s->force) return cli_usage("run", "--resume and --force exclude each other");
    if (s->folder && (s->folder[0] == '\0' || strlen(s->folder) > RUN_PATH_MAX - 64))
        return cli_usage("run", "-o is '%.60s', expected the name of a folder", s->folder);
    return CLI_GO_ON;
}

int run_command(int argc, char **argv, run_watch *watch)
{
    settings s = {.folder = NULL};
    run r = {.folder = "", .watch = watch};
    const cli_option options[] = {
        {"-o", CLI_TEXT, &s.folder},       {"--set", CLI_TEXTS, &s.set},         {"--until", CLI_REAL, &s.until},
        {"--every", CLI_REAL, &s.every},   {"--threads", CLI_COUNT, &s.threads}, {"--problems", CLI_TEXT, &s.problems},
        {"--resume", CLI_FLAG, &s.resume}, {"--force", CLI_FLAG, &s.force},      {"--quiet", CLI_FLAG, &s.quiet},
        {"--json", CLI_FLAG, &s.json},
    };
    int operands, code = cli_options(argc, argv, help, options, sizeof options / sizeof *options, &operands);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is a failed write, with a message */
    if (code == CLI_GO_ON) code = check_usage(&s, operands);
    if (code == CLI_GO_ON) code = read_problems(&s);
    if (code == CLI_GO_ON) code = prepare(&r, &s, operands > 0 ? argv[1] : NULL);
    if (code == CLI_GO_ON) code = build(&r, &s);
    if (code == CLI_GO_ON) code = simulate(&r, &s);
    scree_output_destroy(r.output);
    scree_simulation_destroy(r.simulation);
    scree_scene_destroy(r.scene);
    return code;
}

int cli_run(int argc, char **argv)
{
    return run_command(argc, argv, NULL);
}
