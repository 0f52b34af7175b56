/* run_files.c: what a run writes, and what it takes back from its checkpoint (run_parts.h).
 *
 * A folder is opened after the simulation was built, so that a scene which cannot be built changes nothing on disk. A checkpoint
 * keeps the text of the scene and how the run was started: a resumed run is the same run, or none. */
#include "run/run_parts.h"

#include "base/clock.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/read.h"
#include "scene/scene_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- is it the same scene? ------------------------------------------------------------------------------------------------- */

/// The number of the first line in which two texts differ.
static int first_difference(const char *a, const char *b)
{
    int line = 1;
    for (; *a && *a == *b; ++a, ++b) line += *a == '\n';
    return line;
}

/// 1: two scenes differ in nothing but their step: with one and the same step in both, they are the same text.
static int differ_in_step(const char *a, const char *b, double step, const scree_allocator *allocator)
{
    char set[64];
    const char *const sets[] = {set};
    const char *const text[2] = {a, b};
    scree_scene *scene[2] = {NULL, NULL};
    snprintf(set, sizeof set, "stepper.step=%.17g", step);
    for (int k = 0; k < 2; ++k)
        scene[k] = scree_scene_parse(text[k], strlen(text[k]), "scene.yaml", sets, 1, allocator, NULL);
    int same = scene[0] && scene[1] && strcmp(scree_scene_text(scene[0]), scree_scene_text(scene[1])) == 0;
    for (int k = 0; k < 2; ++k) scree_scene_destroy(scene[k]);
    return same;
}

/// 1: the file exists and has exactly this text.
static int holds(const char *path, const char *text, const scree_allocator *allocator)
{
    size_t size, length = strlen(text);
    char *kept = scree_file_read(path, length, allocator, &size, NULL);
    int same = kept && size == length && memcmp(kept, text, length) == 0;
    memory_free(allocator, kept);
    return same;
}

/// A folder without a checkpoint: it may hold the beginning of a run of this scene, which is then made again, and no other run.
static scree_status other_run(const scree_scene *scene, const scree_run_options *o, scree_run_found *found,
                              scree_error *error)
{
    char path[FOLDER_PATH_MAX];
    const char *used = o->replace ? NULL : scree_run_folder_used(o->directory);
    if (!used) return SCREE_OK;
    if (holds(run_folder_file(o->directory, "scene.yaml", path), scree_scene_text(scene), &scene->allocator))
        return SCREE_OK;
    scree_error_set(error, scene->name, 0, 0,
                    "%s holds a run (%s) of another scene, without a checkpoint from which it could be resumed",
                    o->directory, used);
    *found = SCREE_RUN_FOUND_OTHER_SCENE;
    return SCREE_ERR_INPUT;
}

/// The settings of a checkpoint by their names, all 0.
static void name_settings(scree_setting setting[SETTINGS])
{
#define FORMAT(id, name, family, shape, contact, text) "format." #name,
    static const char *const names[SETTINGS] = {"until",          "output_every", "checkpoint_every",
                                                "problems_every", "seconds",      SCREE_FORMATS(FORMAT)};
#undef FORMAT
    for (int k = 0; k < SETTINGS; ++k) setting[k] = (scree_setting){.name = names[k]};
}

/// A format that a checkpoint does not name is one that its run does not write; the others are in every checkpoint.
static scree_status check_settings(const char *path, const scree_setting setting[SETTINGS], scree_error *error)
{
    for (int k = 0; k < SET_FORMATS; ++k)
        if (!setting[k].found) {
            scree_error_set(error, path, 0, 0, "the checkpoint has no setting '%s'", setting[k].name);
            return SCREE_ERR_INPUT;
        }
    return SCREE_OK;
}

/// What the folder's checkpoint is, and how the run in it was started.
static scree_status find(const scree_scene *scene, const scree_run_options *o, const scree_allocator *a,
                         scree_setting setting[SETTINGS], scree_run_found *found, scree_error *error)
{
    char path[FOLDER_PATH_MAX];
    scree_error why = {0};
    const char *text = scree_scene_text(scene);
    FILE *there = fopen(run_folder_file(o->directory, "checkpoint.h5", path), "rb");
    *found = SCREE_RUN_FOUND_NOTHING;
    if (!there && (errno == ENOENT || errno == ENOTDIR)) return other_run(scene, o, found, error);
    if (!there) { /* it may well be there: nothing is started over it */
        const int reason = errno;
        scree_error_set(error, path, 0, 0, "cannot open the checkpoint: %s", strerror(reason));
        *found = SCREE_RUN_FOUND_UNREADABLE;
        return file_status(reason);
    }
    fclose(there);
    name_settings(setting);
    char *stored = scree_checkpoint_peek(path, setting, SETTINGS, a, &why);
    scree_status status = why.status;
    if (status != SCREE_OK && error) *error = why;
    if (status == SCREE_OK) status = check_settings(path, setting, error);
    *found = status == SCREE_OK ? SCREE_RUN_FOUND_CHECKPOINT : SCREE_RUN_FOUND_UNREADABLE;
    if (status == SCREE_OK && strcmp(text, stored) != 0 &&
        !(o->new_step && differ_in_step(text, stored, scree_scene_stepper(scene).step, a))) {
        scree_error_set(
            error, scene->name, 0, 0,
            "the scene has changed since the run in %s was started: as run, line %d differs from %s/scene.yaml",
            o->directory, first_difference(text, stored), o->directory);
        *found = SCREE_RUN_FOUND_OTHER_SCENE, status = SCREE_ERR_INPUT;
    }
    if (stored) a->free(stored, a->context);
    return status;
}

scree_run_found scree_run_find(const scree_scene *scene, const scree_run_options *options, scree_error *error)
{
    if (error_stopped(error) || !error_cookie(options->cookie, "scree_run_options_default", error))
        return SCREE_RUN_FOUND_UNREADABLE;
    if (!options->directory) {
        scree_error_set(error, NULL, 0, 0, "no folder is named, expected the one of the run");
        error_keep(error, SCREE_ERR_INPUT);
        return SCREE_RUN_FOUND_UNREADABLE;
    }
    scree_allocator a = memory_allocator(options->allocator);
    scree_setting setting[SETTINGS];
    scree_run_found found;
    error_keep(error, find(scene, options, &a, setting, &found, error));
    return found;
}

/* ---- opening ---------------------------------------------------------------------------------------------------------------- */

/// The plan of the run: the scene's, or what the checkpoint remembers (NULL: there is none), and the options above both.
static void choose_plan(scree_run *r, const scree_setting *remembered)
{
    const scree_run_options *o = &r->options;
    scree_run_plan *plan = &r->plan;
    if (remembered) {
        plan->until = remembered[SET_UNTIL].value, plan->output_every = remembered[SET_EVERY].value;
        plan->checkpoint_every = remembered[SET_CHECKPOINT].value;
        plan->problems_every = (int)remembered[SET_PROBLEMS].value, plan->formats = 0;
        for (int k = 0; k < SCREE_FORMAT_COUNT; ++k)
            if (remembered[SET_FORMATS + k].value != 0.0) plan->formats |= 1U << k;
        r->before = remembered[SET_SECONDS].value;
    }
    if (o->until > 0.0) plan->until = o->until;
    if (o->every > 0.0) plan->output_every = o->every;
    if (o->problems_every != 0) plan->problems_every = o->problems_every;
    if (plan->problems_every < 0 || !o->directory) plan->problems_every = 0;
}

/// What a scene is checked for when it is read, of a plan that options have changed.
static scree_status check_plan(const scree_run *r, scree_error *error)
{
    const double steps = r->plan.until / r->stepper_options.step;
    if (steps <= SCENE_STEPS_MAX) return SCREE_OK;
    scree_error_set(error, r->scene->name, 0, 0, "%g s in steps of %g s are %.3g steps, expected at most %g",
                    r->plan.until, r->stepper_options.step, steps, SCENE_STEPS_MAX);
    return SCREE_ERR_INPUT;
}

/// The stepper's hook: stores the problem of every N-th step. A failure is kept; the loop looks at it.
static void store_problem(const scree_problem *problem, const double *p, int64_t step, void *context)
{
    scree_run *r = context;
    if (step % r->plan.problems_every != 0 || r->problem_status != SCREE_OK) return;
    r->problem_status = scree_output_problem(r->output, problem, p, step, &r->problem_error);
}

/// Replaces the scene in the folder.
static scree_status write_scene(const scree_run *r, scree_error *error)
{
    char path[FOLDER_PATH_MAX];
    const char *text = scree_scene_text(r->scene);
    return scree_file_replace(run_folder_file(r->folder, "scene.yaml", path), text, strlen(text), error);
}

/// The folder of a new run: it names its scene before anything else is written, and after the checkpoint of an older run is gone.
static scree_status claim_folder(scree_run *r, scree_error *error)
{
    char path[FOLDER_PATH_MAX];
    scree_status status = scree_folder_make(r->folder, error);
    if (status != SCREE_OK) return status;
    remove(run_folder_file(r->folder, "checkpoint.h5", path));
    status = write_scene(r, error);
    if (status == SCREE_OK) run_folder_empty(r->folder);
    return status;
}

static scree_status make_files(scree_run *r, scree_error *error)
{
    scree_status status = SCREE_OK;
    scree_output_options options = scree_output_options_default();
    scree_error why = {0};
    options.directory = r->folder, options.resume = r->resumed, options.formats = r->plan.formats, options.claimed = 1;
    options.allocator = &r->allocator, options.measures = scree_simulation_measures(r->simulation);
    if (r->resumed) run_folder_sweep(r->folder);
    else status = claim_folder(r, error);
    if (status != SCREE_OK) return status;
    r->output = scree_output_create(&options, &why);
    if (!r->output && error) *error = why;
    return why.status;
}

static scree_status restore(scree_run *r, scree_error *error)
{
    scree_run_totals totals;
    int64_t *source;
    int sources = scree_simulation_sources(r->simulation, &source);
    scree_status status = scree_checkpoint_read(r->output, r->world, &totals, &r->last, source, sources, error);
    if (status != SCREE_OK) return status;
    scree_stepper_set_totals(r->stepper, &totals);
    r->checkpoint_time = scree_world_time(r->world);
    return SCREE_OK;
}

/// The folder of a sweep has a scene.yaml too, which is every case's.
static scree_status not_a_sweep(const char *folder, scree_error *error)
{
    const char *used = scree_run_folder_used(folder);
    if (!used || strcmp(used, RUN_FOLDER_SWEEP) != 0) return SCREE_OK;
    scree_error_set(error, folder, 0, 0, "the folder holds a sweep (%s), expected another folder", used);
    return SCREE_ERR_INPUT;
}

static scree_status open_folder(scree_run *r, scree_error *error)
{
    scree_setting remembered[SETTINGS];
    scree_run_found found = SCREE_RUN_FOUND_NOTHING;
    scree_error why = {0};
    r->claim = scree_folder_claim_take(r->folder, "a run", 0.0, &r->allocator, &why);
    scree_status status = why.status;
    if (status != SCREE_OK && error) *error = why;
    if (status == SCREE_OK) status = not_a_sweep(r->folder, error);
    if (status != SCREE_OK) return status;
    if (r->options.resume) status = find(r->scene, &r->options, &r->allocator, remembered, &found, error);
    const char *used = r->options.resume || r->options.replace ? NULL : scree_run_folder_used(r->folder);
    if (used) {
        scree_error_set(error, r->folder, 0, 0, "the folder already holds a run (%s)", used);
        status = SCREE_ERR_INPUT;
    }
    if (status != SCREE_OK) return status;
    r->resumed = found == SCREE_RUN_FOUND_CHECKPOINT, r->writing = 1;
    choose_plan(r, r->resumed ? remembered : NULL);
    status = check_plan(r, error);
    if (status == SCREE_OK) status = make_files(r, error);
    if (status != SCREE_OK || !r->resumed) return status;
    r->writing = 0;
    status = restore(r, error);
    if (status != SCREE_OK || !r->options.new_step) return status;
    r->writing = 1,
    r->checkpoint_due = 1; /* the scene in the folder and the one in its checkpoint must not differ for long */
    return write_scene(r, error);
}

scree_status run_open(scree_run *r, scree_error *error)
{
    scree_status status = SCREE_OK;
    if (r->options.directory) status = open_folder(r, error);
    else choose_plan(r, NULL), status = check_plan(r, error);
    if (status != SCREE_OK) return status;
    if (r->plan.problems_every > 0) scree_stepper_set_problem_hook(r->stepper, store_problem, r);
    r->started = 1, r->writing = 0, r->frame_due = !r->resumed;
    r->begin = r->checkpoint_clock = clock_seconds();
    if (r->resumed && r->plan.rest_speed > 0.0 && r->last.step > 0)
        return run_rests(r->world, r->plan.rest_speed, &r->allocator, &r->rests);
    return SCREE_OK;
}

void run_close(scree_run *r)
{
    if (r->started && r->plan.problems_every > 0) scree_stepper_set_problem_hook(r->stepper, NULL, NULL);
    scree_output_destroy(r->output);
    scree_folder_claim_release(r->claim);
    r->output = NULL, r->claim = NULL;
}

/* ---- writing ---------------------------------------------------------------------------------------------------------------- */

scree_status run_write_frame(scree_run *r, scree_error *error)
{
    const scree_step_report *last = r->last.step > 0 ? &r->last : NULL;
    r->frames += 1;
    if (r->output) return scree_output_frame(r->output, r->world, last, scree_stepper_totals(r->stepper), error);
    return scree_measures_take(scree_simulation_measures(r->simulation), r->world, r->last.h, error);
}

scree_status run_write_checkpoint(scree_run *r, scree_error *error)
{
    scree_setting setting[SETTINGS];
    name_settings(setting);
    setting[SET_UNTIL].value = r->plan.until, setting[SET_EVERY].value = r->plan.output_every;
    setting[SET_CHECKPOINT].value = r->plan.checkpoint_every, setting[SET_PROBLEMS].value = r->plan.problems_every;
    setting[SET_SECONDS].value = run_seconds(r);
    for (int k = 0; k < SCREE_FORMAT_COUNT; ++k) setting[SET_FORMATS + k].value = r->plan.formats >> k & 1U;
    int64_t *source;
    int sources = scree_simulation_sources(r->simulation, &source);
    const scree_checkpoint checkpoint = {.scene = scree_scene_text(r->scene),
                                         .source = source,
                                         .source_count = sources,
                                         .setting = setting,
                                         .setting_count = SETTINGS,
                                         .report = r->last.step > 0 ? &r->last : NULL};
    scree_status status =
        scree_checkpoint_write(r->output, r->world, scree_stepper_totals(r->stepper), &checkpoint, error);
    if (status == SCREE_OK) r->checkpoint_time = scree_world_time(r->world);
    r->checkpoint_clock = clock_seconds();
    return status;
}

scree_status run_write_summary(scree_run *r, scree_error *error)
{
    static const char *const words[] = {
        [SCREE_RUN_DONE] = "done", [SCREE_RUN_INTERRUPTED] = "interrupted", [SCREE_RUN_FAILED] = "failed"};
    const int threads = r->options.threads > 0 ? r->options.threads : r->stepper_options.threads;
    const scree_run_facts facts = {.title = r->plan.title,
                                   .outcome = words[r->outcome],
                                   .commit = r->options.commit,
                                   .seconds = run_seconds(r),
                                   .threads = threads};
    return r->output ? scree_output_summary(r->output, r->world, scree_stepper_totals(r->stepper), &facts, error)
                     : SCREE_OK;
}
