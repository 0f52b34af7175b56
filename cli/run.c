/* run.c: `scree run SCENE`: steps a scene to its end, and leaves a folder from which it can be looked at and continued.
 *
 * The library runs it (scree/run.h); here are options, signals, progress, and what is printed. */
#include "cli/cli.h"
#include "cli/live/watch.h"
#include "cli/lost.h"
#include "cli/need.h"
#include "cli/progress.h"
#include "cli/run_folder.h"
#include "cli/run_ranks.h"
#include "cli/run_table.h"
#include "cli/solvers.h"
#include "cli/system.h"

#include <scree/run.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cli_about about = {
    .operands = "SCENE",
    .forms = "--resume -o DIR [--set stepper.step=H] [--until T] [--threads N] [--quiet] [--json]",
    .text = "Simulates a scene. DIR receives scene.yaml (as run), series.csv, timing.csv, summary.json, "
            "checkpoint.h5, frames.scree (all frames), and what the scene requests: VTK, LAMMPS dump, contact "
            "tables (docs/formats.md).",
    .notes = "Ctrl-C (SIGINT), SIGTERM and SIGUSR1 finish the step, write a checkpoint and print how to resume.",
    .exits = "0 done; 1 some steps did not converge, a body ran away, or a step became too long for soft contacts "
             "(a checkpoint is left); 2 wrong usage; 3 bad input; 4 machine failure (disk, memory); 130 "
             "interrupted by Ctrl-C, 143 by SIGTERM, 138 by SIGUSR1",
    .examples = "scree run examples/pile.yaml -o out/pile --until 2",
};

typedef struct settings {
    const char *folder, *problems, *device, *watch_at;
    cli_texts set;
    double until, every;
    int threads, problems_every, ranks; /* 0: not given */
    int resume, force, quiet, verbose, json, watched;
    watch_place place;
} settings;

typedef struct command {
    settings given;
    const char *scene_path; /* what messages call the scene */
    char folder[RUN_PATH_MAX], stored[RUN_PATH_MAX];
    scree_scene *scene;
    scree_run *run;
    progress bar;
    watch *watch; /* NULL: nobody can look */
    int warned;   /* of steps that fall short */
    scree_error error;
} command;

/* ---- messages ------------------------------------------------------------------------------------------------------------ */

/// Prints the error; returns the exit status it stands for.
static int complain(const scree_error *error)
{
    cli_print_file_error(error);
    return cli_exit_of(error->status);
}

/// too_long: after a step that was too long for soft contacts.
static void say_how_to_go_on(const command *c, int too_long)
{
    double time = scree_run_look(c->run).checkpoint_time;
    if (time >= 0.0)
        fprintf(stderr, "The last checkpoint is of t = %g s. To resume%s: scree run --resume -o %s%s\n", time,
                too_long ? " with a shorter step" : "", c->folder, too_long ? " --set stepper.step=SECONDS" : "");
    else if (!too_long) fprintf(stderr, "There is no checkpoint yet: the run has to start again.\n");
}

/// How many steps fell short, and what to set so that they do not.
static void say_unconverged(const command *c, const scree_run_totals *totals)
{
    enum { WORK = 3000, MORE = 4 };
    const scree_stepper_options o = scree_scene_stepper(c->scene);
    int work = o.solver.max_iterations > 0 ? MORE * o.solver.max_iterations : WORK;
    fprintf(stderr, "%s: %lld of %lld steps did not converge; the worst residual is %.2g, the tolerance %.2g\n",
            c->scene_path, (long long)totals->unconverged, (long long)totals->steps, totals->residual_max,
            o.solver.tolerance);
    fprintf(stderr,
            "More sweeps for such steps: --set solver.max_iterations=%d. Fewer of them: a shorter step, --set "
            "'stepper.step=%.3g ms'.\n",
            work, 500.0 * o.step);
}

/// Once, early in a run in which many steps fall short: it need not be waited for.
static void warn_unconverged(command *c, const scree_run_totals *totals)
{
    enum { EARLY = 100, MANY = 5 }; /* one step in five */
    if (c->warned || c->given.quiet || totals->steps < EARLY || totals->unconverged * MANY < totals->steps) return;
    c->warned = 1;
    progress_clear(&c->bar);
    say_unconverged(c, totals);
}

/* ---- the scene ----------------------------------------------------------------------------------------------------------- */

/// 1: --set changes the length of the step, and nothing else.
static int sets_the_step(const settings *s)
{
    for (int k = 0; k < s->set.count; ++k)
        if (strncmp(s->set.text[k], "stepper.step=", strlen("stepper.step=")) != 0) return 0;
    return s->set.count > 0;
}

/// Whether there is a checkpoint to resume from, and of this scene.
static int look_for_checkpoint(command *c, const scree_run_options *options)
{
    scree_run_found found = scree_run_find(c->scene, options, &c->error);
    int code = c->error.status == SCREE_OK ? CLI_GO_ON : complain(&c->error);
    if (found == SCREE_RUN_FOUND_OTHER_SCENE)
        fprintf(stderr, "To resume with the old scene: scree run --resume -o %s. To start again: --force.\n",
                c->folder);
    if (found == SCREE_RUN_FOUND_NOTHING && !c->given.quiet)
        fprintf(stderr, "%s holds no checkpoint: the run starts from the beginning.\n", c->folder);
    return code;
}

/// Reads the scene, from SCENE or, to resume without it, from the folder.
static int read_scene(command *c, const char *scene)
{
    const settings *s = &c->given;
    if (s->folder) snprintf(c->folder, sizeof c->folder, "%s", s->folder);
    else run_folder_default(scene, c->folder);
    const char *used = scree_run_folder_used(c->folder);
    if (used && strcmp(used, "sweep.txt") == 0)
        return cli_usage("run", "%s holds a sweep (%s); -o DIR writes elsewhere", c->folder, used);
    if (used && !s->resume && !s->force)
        return cli_usage(
            "run", "%s already holds a run (%s); --resume continues it, --force replaces it, -o DIR writes elsewhere",
            c->folder, used);
    if (!scene && !used) return cli_usage("run", "%s holds no run to resume", c->folder);
    c->scene_path = scene ? scene : run_folder_path(c->folder, "scene.yaml", c->stored);
    c->scene = scree_scene_read(c->scene_path, s->set.text, s->set.count, NULL, &c->error);
    return c->scene ? CLI_GO_ON : complain(&c->error);
}

/* ---- the run ------------------------------------------------------------------------------------------------------------- */

static int on_event(scree_run *run, scree_run_event event, const scree_error *notice, void *context)
{
    command *c = context;
    scree_run_report now = scree_run_look(run);
    if (event == SCREE_RUN_EVENT_START) {
        const scree_world *world = scree_simulation_world(scree_run_simulation(run));
        const scree_census census = scree_simulation_census(scree_run_simulation(run));
        if (!now.resumed) lost_print_left_out(stderr, &census), lost_print_start(stderr, world);
        c->bar = progress_start(now.time, now.until, scree_world_dynamic_count(world), c->given.quiet);
    }
    if (event == SCREE_RUN_EVENT_STEPS) {
        warn_unconverged(c, &now.totals);
        if (progress_is_due(&c->bar))
            progress_step(&c->bar, &now.last, &now.totals,
                          (double)scree_simulation_census(scree_run_simulation(run)).to_pour);
    }
    if (event == SCREE_RUN_EVENT_FRAME && c->given.verbose) {
        progress_clear(&c->bar);
        fprintf(stderr, "frame %lld: t %.6g s, bodies %d, contacts %d, residual %.1e, penetration %.1e m\n",
                (long long)now.frames - 1, now.time,
                scree_world_dynamic_count(scree_simulation_world(scree_run_simulation(run))), now.last.contacts,
                now.last.solve.residual, now.last.penetration);
    }
    if (event == SCREE_RUN_EVENT_NO_PROBLEMS) {
        progress_clear(&c->bar);
        fprintf(stderr, "%s: no contact problems are stored from here on: %s\n", c->scene_path, notice->text);
    }
    if (c->watch && !watch_look(c->watch, run, event)) return 0;
    return !cli_signal();
}

static scree_run_options options_of(command *c)
{
    const settings *s = &c->given;
    scree_run_options o = scree_run_options_default();
    o.directory = c->folder, o.resume = s->resume, o.new_step = sets_the_step(s), o.replace = s->force;
    o.until = s->until, o.every = s->every, o.problems_every = s->problems_every, o.threads = s->threads;
    o.device = 1 + solvers_device(s->device), o.commit = cli_commit(), o.event = on_event, o.context = c;
    return o;
}

/// That of soft contacts; 0: the scheme has none.
static double critical_step(const command *c)
{
    double critical = 0.0;
    scree_simulation *simulation = scree_run_simulation(c->run);
    if (scree_scene_stepper(c->scene).scheme != SCREE_SCHEME_DEM) return 0.0;
    (void)scree_stepper_check(scree_simulation_stepper(simulation), scree_simulation_world(simulation), &critical,
                              NULL);
    return critical;
}

/// Soft contacts: what the ledger misses is the error of the integration, which falls with the step.
static void warn_of_the_step(const command *c, const scree_ledger *e)
{
    const double lost = scree_ledger_lost(e);
    const scree_stepper_options stepper = scree_scene_stepper(c->scene);
    if (stepper.scheme != SCREE_SCHEME_DEM || !(fabs(e->balance) > 0.01 * lost) || !(lost > 0.0)) return;
    fprintf(
        stderr,
        "%s: warning: the energy ledger misses %.2g J, %.2g %% of the %.4g J lost: the step of %g s is long for these "
        "contacts; half of it halves the error\n",
        c->scene_path, fabs(e->balance), 100.0 * fabs(e->balance) / lost, lost, stepper.step);
}

/// The last words: table or JSON on stdout, what fell short on stderr. `status`: of the step that could not be taken, or SCREE_OK.
static int conclude(const command *c, const scree_run_report *end, scree_status status)
{
    const scree_run_totals *totals = &end->totals;
    if (c->given.json) run_print_file(c->folder, "summary.json");
    else if (!c->given.quiet)
        run_print_table(c->folder, scree_scene_plan(c->scene).title,
                        scree_simulation_world(scree_run_simulation(c->run)), end, critical_step(c));
    else lost_print_end(stderr, scree_simulation_world(scree_run_simulation(c->run)));
    warn_of_the_step(c, &totals->energy);
    if (end->outcome == SCREE_RUN_INTERRUPTED) {
        fprintf(stderr, "Interrupted at t = %g s of %g s.\n", end->time, end->until);
        say_how_to_go_on(c, 0);
        return 128 + (int)cli_signal();
    }
    if (totals->unconverged > 0) say_unconverged(c, totals);
    if (end->outcome == SCREE_RUN_FAILED) return cli_exit_of_stopped(status);
    return totals->unconverged > 0 || end->problems_stopped ? CLI_FELL_SHORT : CLI_DONE;
}

/// Runs to the end, a signal, or a failure. Advice how to resume is for runs that got as far as to have their folder.
static int simulate(command *c)
{
    scree_run_report end;
    cli_catch_signals(1);
    scree_error last = {0};
    scree_status status = scree_run_proceed(c->run, &c->error);
    progress_clear(&c->bar);
    int begun = c->bar.begin > 0.0, code = CLI_GO_ON;
    if (status != SCREE_OK) code = complain(&c->error);
    scree_status written = scree_run_finish(c->run, &end, &last);
    watch_end(c->watch, &end);
    if (status != SCREE_OK && begun) say_how_to_go_on(c, end.outcome != SCREE_RUN_ABORTED && status == SCREE_ERR_STEP);
    if (written != SCREE_OK) {
        code = complain(&last);
        say_how_to_go_on(c, 0);
    }
    return end.outcome == SCREE_RUN_ABORTED ? code : conclude(c, &end, status);
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

static int check_usage(settings *s, int operands)
{
    if (operands > 1) return cli_usage("run", "%d scenes given, expected one", operands);
    if (operands == 0 && !(s->resume && s->folder))
        return cli_usage("run", s->resume ? "--resume needs SCENE or -o DIR" : "no SCENE given");
    if (operands == 0 && s->set.count > 0 && !sets_the_step(s))
        return cli_usage("run",
                         "--set changes the scene, and a resumed run keeps the one it has (but for stepper.step)");
    if (s->quiet && s->verbose) return cli_usage("run", "--quiet and --verbose exclude each other");
    if (s->device && solvers_device(s->device) < 0)
        return cli_usage("run", "--device is '%s', expected cpu or gpu", s->device);
    if (s->resume && s->force) return cli_usage("run", "--resume and --force exclude each other");
    if (!watch_place_read(s->watch_at, &s->place))
        return cli_usage("run", "--watch-at is '%.60s', expected an IPv4 address like 127.0.0.1 or 127.0.0.1:8080",
                         s->watch_at);
    s->watched |= s->watch_at != NULL;
    if (s->ranks > 0 && (s->resume || s->watched || s->threads > 0 || s->device || s->problems || s->verbose))
        return cli_usage("run", "--ranks excludes --resume, --watch, --threads, --device, --problems and --verbose");
    if (s->folder && (s->folder[0] == '\0' || strlen(s->folder) > RUN_PATH_MAX - 64))
        return cli_usage("run", "-o is '%.60s', expected the name of a folder", s->folder);
    return CLI_GO_ON;
}

/// Before the bodies are made: afterwards it is too late to say it.
static void warn_memory(const command *c)
{
    char needed[32], there[32];
    double bytes = need_memory(scree_scene_stepper(c->scene).scheme, (double)scree_scene_body_count(c->scene), 0.0);
    if (bytes <= cli_machine_memory()) return;
    fprintf(stderr, "%s: %lld bodies need about %s of memory, this machine has %s\n", c->scene_path,
            (long long)scree_scene_body_count(c->scene), need_bytes(bytes, needed, sizeof needed),
            need_bytes(cli_machine_memory(), there, sizeof there));
}

static int run_command(command *c, const char *scene)
{
    int code = read_scene(c, scene);
    scree_run_options options = options_of(c);
    if (code == CLI_GO_ON && c->given.resume) code = look_for_checkpoint(c, &options);
    if (code != CLI_GO_ON) return code;
    if (c->given.ranks > 0) {
        const settings *s = &c->given;
        const ranks_order order = {c->scene, c->scene_path, c->folder, s->ranks, s->quiet || s->json,
                                   s->until, s->every};
        code = run_on_ranks(&order);
        if (s->json && code == CLI_DONE) run_print_file(c->folder, "summary.json");
        return code;
    }
    warn_memory(c);
    c->run = scree_run_create(c->scene, &options, &c->error);
    if (!c->run) return complain(&c->error);
    if (c->given.watched && !(c->watch = watch_start(c->scene, c->folder, c->given.until, &c->given.place)))
        return CLI_MACHINE;
    return simulate(c);
}

int cli_run(int argc, char **argv)
{
    command c = {.folder = ""};
    settings *s = &c.given;
    /* clang-format off */
    const cli_option options[] = {
        {"-o", "DIR", CLI_PATH, &s->folder,
         .text = "where results go; default: out/NAME for NAME.yaml. A folder that holds a run is not overwritten"},
        {"--set", "PATH=VALUE", CLI_TEXTS, &s->set,
         .text = "changes a value of the scene, as in --set materials.stone.friction=0.3; may be repeated"},
        {"--until", "T", CLI_POSITIVE, &s->until,
         .text = "simulated time to stop at, instead of the scene's", .unit = "s"},
        {"--every", "T", CLI_POSITIVE, &s->every,
         .text = "simulated time between frames, instead of the scene's", .unit = "s"},
        {"--threads", "N", CLI_COUNT, &s->threads,
         .text = "threads; the results do not depend on their number"},
        {"--ranks", "N", CLI_COUNT, &s->ranks,
         .text = "steps spheres and their walls with so many ranks of MPI, by scree-lmp (docs/cluster.md): scree export, mpirun and "
         "scree import in one go. What LAMMPS cannot be given is named"},
        {"--device", "cpu|gpu", CLI_TEXT, &s->device,
         .text = "which machine steps soft contacts of spheres, or solves rigid ones, instead of the scene's "
         "(docs/gpu.md)"},
        {"--problems", "every=N", CLI_TEXT, &s->problems,
         .text = "stores the contact problem of every N-th step with its solution, DIR/problems/step_000100.hdf5"},
        {"--resume", NULL, CLI_FLAG, &s->resume,
         .text = "resumes from DIR/checkpoint.h5, with the same bits as a run that was never interrupted. The scene "
         "must not have changed, but for the step: --set stepper.step=H. With --until a run is prolonged. "
         "Without SCENE the one in DIR is taken"},
        {"--force", NULL, CLI_FLAG, &s->force,
         .text = "replaces the run that DIR holds"},
        {"--quiet", NULL, CLI_FLAG, &s->quiet,
         .text = "no progress, no table"},
        {"-q", NULL, CLI_FLAG, &s->quiet,
         .text = "the same"},
        {"--verbose", NULL, CLI_FLAG, &s->verbose,
         .text = "a line for every frame, on standard error"},
        {"-v", NULL, CLI_FLAG, &s->verbose,
         .text = "the same"},
        {"--watch", NULL, CLI_FLAG, &s->watched,
         .text = "prints the address of a page on 127.0.0.1 that shows the run while it goes: bodies, plots, pause, stop. Viewers "
         "do not slow it and change no bit"},
        {"--watch-at", "ADDRESS[:PORT]", CLI_TEXT, &s->watch_at,
         .text = "the same, on another IPv4 address or a port of your choice. On 0.0.0.0 everybody who can reach this machine and has the "
         "token sees the run and can stop it, over plain HTTP"},
        {"--json", NULL, CLI_FLAG, &s->json,
         .text = "prints summary.json on standard output, and nothing else there"},
    };
    /* clang-format on */
    int operands, code = cli_options(argc, argv, &about, options, CLI_COUNT_OF(options), &operands);
    if (code == CLI_GO_ON) code = check_usage(s, operands);
    if (code == CLI_GO_ON) code = read_problems(s);
    if (code == CLI_GO_ON) code = run_command(&c, operands > 0 ? argv[1] : NULL);
    scree_run_destroy(c.run);
    scree_scene_destroy(c.scene);
    return code;
}
