/* sweep_case.c: one case of a sweep, from its values to its row (sweep.h).
 *
 * --keep row steps the scene to its end and writes nothing; --keep full lets `scree run` do it, which resumes from the case's
 * checkpoint. Both take the same steps, soft ones in the same kind of batches (run_batch), so both give the same row. A case that
 * the reader refuses, that a body ends by running away or the solver by falling short has a row too: its outcome and message say
 * so. */
#include "cli/cli.h"
#include "cli/run.h"
#include "cli/sweep.h"

#include <scree/output.h>
#include <scree/scene.h>

#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX = 1200 };

/// The overrides of a case: "path=value" each.
typedef struct case_set {
    int count;
    char *text[SWEEP_VARY_MAX];
} case_set;

static case_set make_set(const sweep *s, int number)
{
    case_set set = {.count = s->vary_count};
    for (int v = 0; v < s->vary_count; ++v) {
        const char *path = s->vary[v].path, *value = s->vary[v].value[sweep_index_of(s, number, v)].text;
        size_t size = strlen(path) + strlen(value) + 2;
        set.text[v] = cli_memory(size);
        snprintf(set.text[v], size, "%s=%s", path, value);
    }
    return set;
}

static void free_set(case_set *set)
{
    for (int v = 0; v < set->count; ++v) free(set->text[v]);
}

static void describe_steps(const scree_run_totals *totals, char message[MESSAGE_MAX])
{
    snprintf(message, MESSAGE_MAX, "%lld of %lld steps did not converge", (long long)totals->unconverged,
             (long long)totals->steps);
}

/* ---- --keep row ------------------------------------------------------------------------------------------------------------- */

/// Steps to the end; the last step that was asked for is the one that `scree run` takes last.
static scree_status advance(scree_simulation *simulation, const scree_scene *scene, int (*go_on)(void *context),
                            scree_step_report *report, int *stopped, scree_error *error)
{
    const scree_world *world = scree_simulation_world(simulation);
    scree_stepper_options options = scree_scene_stepper(scene);
    double until = scree_scene_plan(scene).until, h = options.step;
    scree_status status = SCREE_OK;
    scree_step_report next = {.step = 0};
    while (status == SCREE_OK && scree_world_time(world) < until - 1e-6 * h) {
        *stopped = !go_on(NULL);
        if (*stopped) break;
        int64_t steps = run_batch(options.scheme, scree_world_time(world), until, h);
        status = scree_simulation_advance(simulation, steps, &next, error);
        if (status == SCREE_OK) *report = next;
    }
    return status;
}

static int run_row(const sweep *s, int number, const case_set *set, int (*go_on)(void *context), char **row,
                   scree_error *error)
{
    scree_scene *scene = NULL;
    scree_simulation *simulation = NULL;
    scree_step_report report = {.step = 0};
    char message[MESSAGE_MAX] = "";
    sweep_end end = {.report = &report, .outcome = "refused", .message = message};
    int stopped = 0;
    scree_status status = scree_scene_parse(s->scene, strlen(s->scene), "scene.yaml", (const char *const *)set->text,
                                            set->count, NULL, &scene, error);
    if (status == SCREE_OK) status = scree_simulation_create(scene, 0, NULL, &simulation, error);
    if (status == SCREE_OK) {
        end.world = scree_simulation_world(simulation);
        end.totals = scree_stepper_totals(scree_simulation_stepper(simulation));
        status = advance(simulation, scene, go_on, &report, &stopped, error);
        end.outcome = status != SCREE_OK ? "failed" : end.totals->unconverged > 0 ? "unconverged" : "done";
        if (status == SCREE_OK && end.totals->unconverged > 0) describe_steps(end.totals, message);
    }
    if (status != SCREE_OK) scree_error_format(error, message, sizeof message);
    int code = status == SCREE_ERR_MEMORY ? CLI_MACHINE : stopped ? CLI_GO_ON : CLI_DONE;
    if (code == CLI_DONE) *row = sweep_make_row(s, number, &end);
    scree_simulation_destroy(simulation);
    scree_scene_destroy(scene);
    return code;
}

/* ---- --keep full -------------------------------------------------------------------------------------------------------------- */

typedef struct full_case {
    const sweep *s;
    int number;
    int (*go_on)(void *context);
    run_watch *watch;
    char **row;
} full_case;

static int full_goes_on(void *context)
{
    const full_case *c = context;
    return c->go_on(NULL);
}

/// The end of the run, while its world still lives.
static void full_ended(const scree_world *world, const scree_run_totals *totals, const scree_step_report *report,
                       void *context)
{
    full_case *c = context;
    char message[MESSAGE_MAX] = "";
    int failed = c->watch->error.text[0] != '\0';
    sweep_end end = {world, totals, report,
                     failed                    ? "failed"
                     : totals->unconverged > 0 ? "unconverged"
                                               : "done",
                     message};
    if (failed) scree_error_format(&c->watch->error, message, sizeof message);
    else if (totals->unconverged > 0) describe_steps(totals, message);
    *c->row = sweep_make_row(c->s, c->number, &end);
}

static int run_full(const sweep *s, int number, case_set *set, int (*go_on)(void *context), char **row,
                    scree_error *error)
{
    char folder[RUN_PATH_MAX], message[MESSAGE_MAX];
    char command[] = "run", scene[] = "scene.yaml", out[] = "-o", quiet[] = "--quiet", resume[] = "--resume",
         option[] = "--set";
    char *argv[8 + 2 * SWEEP_VARY_MAX];
    int argc = 0;
    full_case c = {.s = s, .number = number, .go_on = go_on, .row = row};
    run_watch watch = {.scene = s->scene, .go_on = full_goes_on, .ended = full_ended, .context = &c};
    c.watch = &watch;
    sweep_case_folder(s, number, folder);
    argv[argc++] = command, argv[argc++] = scene, argv[argc++] = out, argv[argc++] = folder;
    argv[argc++] = quiet, argv[argc++] = resume;
    for (int v = 0; v < set->count; ++v) argv[argc++] = option, argv[argc++] = set->text[v];
    argv[argc] = NULL;

    int code = run_command(argc, argv, &watch);
    *error = watch.error;
    if (code == CLI_MACHINE || code > 128) {
        free(*row);
        *row = NULL;
        return code == CLI_MACHINE ? CLI_MACHINE : CLI_GO_ON;
    }
    if (!*row) {
        sweep_end end = {.outcome = "refused", .message = scree_error_format(error, message, sizeof message)};
        *row = sweep_make_row(s, number, &end);
    }
    return CLI_DONE;
}

int sweep_case(const sweep *s, int number, int (*go_on)(void *context), char **row, scree_error *error)
{
    case_set set = make_set(s, number);
    *row = NULL;
    int code = s->full ? run_full(s, number, &set, go_on, row, error) : run_row(s, number, &set, go_on, row, error);
    free_set(&set);
    return code;
}
