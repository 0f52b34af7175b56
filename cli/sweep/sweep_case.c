/* sweep_case.c: one case of a sweep, from its values to its row (sweep.h).
 *
 * --keep row runs the scene and writes nothing; --keep full writes the folder of a run, and resumes from its checkpoint. It is the same
 * run (scree/run.h), so both give the same row. A case that the reader refuses, that a body ends by running away or the solver by
 * falling short has a row too: its outcome and message say so. */
#include "cli/cli.h"
#include "cli/solvers.h"
#include "cli/sweep/sweep.h"
#include "cli/system.h"

#include <scree/run.h>

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

/// A case at work.
typedef struct case_run {
    int (*go_on)(void *context);
    scree_scene *scene;
    scree_run *run;
    int begun;           /* the world is built, or restored */
    scree_error problem; /* why contact problems are no longer stored; text "": they are */
} case_run;

static int on_event(scree_run *run, scree_run_event event, const scree_error *notice, void *context)
{
    case_run *c = context;
    (void)run;
    c->begun = 1;
    if (event == SCREE_RUN_EVENT_NO_PROBLEMS) c->problem = *notice;
    return c->go_on(NULL);
}

/// Reads the scene and runs it, to its end or until go_on returns 0; in `folder`, or without writing (NULL).
static scree_status run_scene(const sweep *s, const case_set *set, const char *folder, int threads, case_run *c,
                              scree_run_report *end, scree_error *error)
{
    scree_run_options options = scree_run_options_default();
    options.directory = folder, options.resume = folder != NULL, options.commit = cli_commit();
    options.threads = threads, options.event = on_event, options.context = c;
    c->scene = scree_scene_parse(s->scene, strlen(s->scene), "scene.yaml", (const char *const *)set->text, set->count,
                                 NULL, error);
    if (c->scene) c->run = scree_run_create(c->scene, &options, error);
    if (!c->run) return error->status;
    scree_status status = scree_run_proceed(c->run, error);
    scree_error last = {0};
    scree_status written = scree_run_finish(c->run, end, &last);
    if (written != SCREE_OK) *error = last;
    return written != SCREE_OK ? written : status;
}

/// The row of a case that has come to an end, good or bad. `failure`: why; NULL: there is no reason.
static char *make_row(const sweep *s, int number, case_run *c, const scree_run_report *end, const scree_error *failure)
{
    char message[MESSAGE_MAX] = "";
    sweep_end it = {.outcome = "refused", .message = message};
    const scree_run_totals *totals = &end->totals;
    if (failure) scree_error_format(failure, message, sizeof message);
    if (c->begun) {
        it.world = scree_simulation_world(scree_run_simulation(c->run)), it.totals = totals, it.report = &end->last;
        it.measures = scree_simulation_measures(scree_run_simulation(c->run));
        it.outcome = failure ? "failed" : totals->unconverged > 0 ? "unconverged" : "done";
        if (!failure && totals->unconverged > 0)
            snprintf(message, sizeof message, "%lld of %lld steps did not converge", (long long)totals->unconverged,
                     (long long)totals->steps);
    }
    return sweep_make_row(s, number, &it);
}

int sweep_case(const sweep *s, int number, int threads, int (*go_on)(void *context), char **row, scree_error *error)
{
    char folder[RUN_PATH_MAX];
    case_set set = make_set(s, number);
    case_run c = {.go_on = go_on};
    scree_run_report end = {.outcome = SCREE_RUN_ABORTED};
    *row = NULL;
    sweep_case_folder(s, number, folder);
    scree_status status = run_scene(s, &set, s->full ? folder : NULL, threads, &c, &end, error);
    int code = CLI_DONE;
    if (status == SCREE_ERR_MEMORY || status == SCREE_ERR_WRITE || (end.outcome == SCREE_RUN_ABORTED && end.writing))
        code = CLI_MACHINE;
    else if (end.outcome == SCREE_RUN_INTERRUPTED) code = CLI_GO_ON;
    else *row = make_row(s, number, &c, &end, status != SCREE_OK ? error : c.problem.text[0] ? &c.problem : NULL);
    scree_run_destroy(c.run);
    scree_scene_destroy(c.scene);
    free_set(&set);
    return code;
}
