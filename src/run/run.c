/* run.c: the loop that takes a scene to its end (scree/run.h): the only one; `scree run`, `scree sweep` and Python use it.
 *
 * The order of writing is what makes a resumed run leave the same bytes: frames on the grid of output times are written as their
 * time is reached; a checkpoint holds the sizes of all files; a last frame off that grid is written after the last checkpoint, so
 * that a run which is prolonged loses it. A checkpoint is also written after some seconds of wall clock: checkpoints change nothing.
 *
 * Soft contacts are stepped in batches, since a report costs about as much as a step. A batch ends one step before the next time at
 * which something is written, and that step is taken alone: what is reported of it does not depend on how the others were taken. */
#include "run/run_parts.h"

#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

static const double ON_TIME =
    1e-6; /* of a step: times that steps add up to are not exactly those that they should be */

scree_run_options scree_run_options_default(void)
{
    return (scree_run_options){.cookie = SCREE_COOKIE, .checkpoints = 1, .checkpoint_seconds = 60.0};
}

const char *scree_run_event_name(scree_run_event event)
{
    static const char *const names[] = {"start", "steps", "no_problems", "frame", "checkpoint", "time_up", "end"};
    return (unsigned)event < sizeof names / sizeof *names ? names[event] : NULL;
}

/* ---- creating -------------------------------------------------------------------------------------------------------------- */

/// The folder's name, copied: the caller's text need not live as long as the run.
static scree_status take_folder(scree_run *r, scree_error *error)
{
    const char *directory = r->options.directory;
    if (!directory) return SCREE_OK;
    if (directory[0] == '\0' || strlen(directory) > FOLDER_NAME_MAX) {
        scree_error_set(error, NULL, 0, 0, "the directory is '%.60s', expected the name of a folder", directory);
        return SCREE_ERR_INPUT;
    }
    memcpy(r->folder, directory, strlen(directory) + 1);
    r->options.directory = r->folder;
    return SCREE_OK;
}

scree_run *scree_run_create(const scree_scene *scene, const scree_run_options *options, scree_error *error)
{
    const scree_run_options chosen = options ? *options : scree_run_options_default();
    if (error_stopped(error) || !error_cookie(chosen.cookie, "scree_run_options_default", error)) return NULL;
    if (chosen.simulation && chosen.resume) {
        scree_error_set(error, NULL, 0, 0, "a simulation of the caller cannot be resumed, expected one or the other");
        error_keep(error, SCREE_ERR_INPUT);
        return NULL;
    }
    scree_allocator a = memory_allocator(chosen.allocator);
    scree_run *r = memory_array(&a, 1, sizeof *r);
    if (!r) {
        scree_error_set(error, NULL, 0, 0, "out of memory while building the scene");
        error_keep(error, SCREE_ERR_MEMORY);
        return NULL;
    }
    r->allocator = a, r->options = chosen, r->options.allocator = &r->allocator;
    r->scene = scene, r->simulation = chosen.simulation;
    r->plan = scree_scene_plan(scene), r->stepper_options = scree_scene_stepper(scene), r->checkpoint_time = -1.0;
    if (chosen.last) r->last = *chosen.last;
    r->begin = clock_seconds();
    scree_status status = error_keep(error, take_folder(r, error));
    if (status == SCREE_OK && !r->simulation)
        r->simulation = simulation_create_on(scene, chosen.threads, chosen.device, &r->allocator, error);
    if (!r->simulation || status != SCREE_OK) {
        scree_run_destroy(r);
        return NULL;
    }
    r->world = scree_simulation_world(r->simulation), r->stepper = scree_simulation_stepper(r->simulation);
    return r;
}

void scree_run_destroy(scree_run *r)
{
    if (!r) return;
    run_close(r);
    if (!r->options.simulation) scree_simulation_destroy(r->simulation);
    scree_allocator a = r->allocator;
    memory_free(&a, r);
}

scree_simulation *scree_run_simulation(scree_run *run)
{
    return run->simulation;
}

double run_seconds(const scree_run *r)
{
    return r->before + clock_seconds() - r->begin;
}

/* ---- when ------------------------------------------------------------------------------------------------------------------ */

/// How many multiples of `every` have been reached at time t. A real: there may be more of them than integers go.
static double reached(const scree_run *r, double t, double every)
{
    const double early = ON_TIME * r->stepper_options.step;
    return every > 0.0 ? floor((t + early) / max2(every, early)) : 0.0; /* shorter than that: every step */
}

/// Time between looks whether everything rests [s]; 0: nobody asks.
static double rest_every(const scree_run *r)
{
    enum { LOOKS = 100 };
    if (!(r->plan.rest_speed > 0.0)) return 0.0;
    return r->plan.output_every > 0.0 ? r->plan.output_every : r->plan.until / LOOKS;
}

/// Also after a step that is longer than the run.
static int at_end(const scree_run *r)
{
    return r->rests ||
           scree_world_time(r->world) >= r->plan.until - ON_TIME * min2(r->stepper_options.step, r->plan.until);
}

/// 1: the last step has reached an output time, whose frame the end need not write again.
static int end_on_grid(const scree_run *r)
{
    double t = scree_world_time(r->world), every = r->plan.output_every;
    return r->last.step == 0 || (every > 0.0 && reached(r, t, every) > reached(r, t - r->last.h, every));
}

/// Steps to take in one call on the way to the next time at which something is written.
static int64_t batch(const scree_run *r)
{
    enum { BATCH_STEPS = 100 }; /* a caller who stops the run waits for the batch to end */
    const double every[] = {r->plan.output_every, r->plan.checkpoint_every, rest_every(r)}, h = r->stepper_options.step;
    double t = scree_world_time(r->world), next = r->plan.until;
    if (r->stepper_options.scheme != SCREE_SCHEME_DEM) return 1;
    for (int k = 0; k < 3; ++k)
        if (every[k] > 0.0) next = number_min(next, (reached(r, t, every[k]) + 1.0) * every[k]);
    return int_within(floor((next - t) / h - ON_TIME), 1, BATCH_STEPS);
}

/* ---- one event --------------------------------------------------------------------------------------------------------------- */

/// One batch of steps, and what is due after it.
static scree_status take_steps(scree_run *r, scree_error *error)
{
    const double frame = r->plan.output_every, save = r->plan.checkpoint_every, t = scree_world_time(r->world);
    scree_step_report report = {.step = 0};
    scree_status status = scree_simulation_advance(r->simulation, batch(r), &report, error);
    /* after a failure: of the last step taken, not of the one that failed */
    if (status == SCREE_OK || (report.step > 0 && report.step == scree_world_step_count(r->world))) r->last = report;
    if (status != SCREE_OK) return status;
    const double now = scree_world_time(r->world);
    r->frame_due = reached(r, now, frame) > reached(r, t, frame);
    r->checkpoint_due = run_keeps(r) && (reached(r, now, save) > reached(r, t, save) ||
                                         (r->options.checkpoint_seconds > 0.0 &&
                                          clock_seconds() - r->checkpoint_clock > r->options.checkpoint_seconds));
    const double rest = rest_every(r);
    if (reached(r, now, rest) > reached(r, t, rest) && scree_simulation_census(r->simulation).to_pour == 0)
        status = run_rests(r->world, r->plan.rest_speed, &r->allocator, &r->rests);
    return status;
}

static int time_is_up(const scree_run *r)
{
    return r->options.seconds > 0.0 && clock_seconds() - r->begin > r->options.seconds;
}

/// Batches until the caller is to see something.
static scree_status step_on(scree_run *r, scree_error *error)
{
    const double begin = clock_seconds();
    scree_status status;
    do status = take_steps(r, error);
    while (status == SCREE_OK && !r->frame_due && !r->checkpoint_due && !at_end(r) && !time_is_up(r) &&
           (r->problem_status == SCREE_OK || r->problems_stopped) &&
           clock_seconds() - begin < r->options.steps_seconds);
    return status;
}

/// The stored problems of the last steps: a disk that fails ends the run, a problem that no file can hold is reported once.
static scree_status look_at_problems(scree_run *r, int *stopped, scree_error *error)
{
    *stopped = 0;
    if (r->problem_status == SCREE_OK || r->problems_stopped) return SCREE_OK;
    if (error) *error = r->problem_error;
    if (r->problem_status != SCREE_ERR_UNSUPPORTED) return r->problem_status;
    if (error) error->status = SCREE_OK; /* a notice: the run continues */
    *stopped = r->problems_stopped = 1;
    return SCREE_OK;
}

/// Writes what is due; `*event` is what was written, or SCREE_RUN_EVENT_STEPS: nothing.
static scree_status write_due(scree_run *r, scree_run_event *event, scree_error *error)
{
    int stopped, end = at_end(r);
    scree_status status = look_at_problems(r, &stopped, error);
    if (status != SCREE_OK || stopped) {
        *event = SCREE_RUN_EVENT_NO_PROBLEMS;
    } else if (r->frame_due || (end && r->end_kept && !r->end_framed)) {
        *event = SCREE_RUN_EVENT_FRAME, r->end_framed = end && r->end_kept, r->frame_due = 0;
        status = run_write_frame(r, error);
    } else if (run_keeps(r) && (end ? !r->end_kept : r->checkpoint_due)) {
        *event = SCREE_RUN_EVENT_CHECKPOINT, r->end_kept = end, r->end_framed = end_on_grid(r), r->checkpoint_due = 0;
        status = run_write_checkpoint(r, error);
    } else if (end && !r->end_kept) { /* the same without a checkpoint */
        r->end_kept = 1, r->end_framed = end_on_grid(r);
        return write_due(r, event, error);
    } else *event = end ? SCREE_RUN_EVENT_END : SCREE_RUN_EVENT_STEPS;
    return status;
}

/// What a step refuses by its physics leaves a run that can be kept; what the machine refuses does not.
static scree_run_outcome outcome_of(const scree_run *r, scree_status status)
{
    int stepping = r->started && !r->writing;
    int machine = status == SCREE_ERR_MEMORY || status == SCREE_ERR_FILE || status == SCREE_ERR_READ ||
                  status == SCREE_ERR_WRITE ||
                  status == SCREE_ERR_DEVICE; /* the state of a device that failed is gone */
    return stepping && !machine ? SCREE_RUN_FAILED : SCREE_RUN_ABORTED;
}

static scree_status next_event(scree_run *r, scree_run_event *event, scree_error *error)
{
    *event = SCREE_RUN_EVENT_START, r->writing = 0;
    if (!r->started) return run_open(r, error);
    r->writing = 1;
    scree_status status = write_due(r, event, error);
    if (status != SCREE_OK || *event != SCREE_RUN_EVENT_STEPS) return status;
    r->writing = 0;
    if (time_is_up(r)) {
        *event = SCREE_RUN_EVENT_TIME_UP;
        return SCREE_OK;
    }
    return step_on(r, error);
}

scree_status scree_run_next(scree_run *r, scree_run_event *event, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    if (r->outcome != SCREE_RUN_ACTIVE) {
        scree_error_set(error, NULL, 0, 0, "the run has ended, expected one that goes on");
        return error_keep(error, SCREE_ERR_INPUT);
    }
    scree_status status = next_event(r, event, error);
    if (status == SCREE_ERR_WRITE) r->writing = 1; /* also where a restart cuts files back */
    if (status != SCREE_OK) r->outcome = outcome_of(r, status), r->status = status;
    return error_keep(error, status);
}

/* ---- to the end ---------------------------------------------------------------------------------------------------------------- */

scree_status scree_run_proceed(scree_run *r, scree_error *error)
{
    scree_run_event event = SCREE_RUN_EVENT_START;
    scree_error notice = {0};
    int go_on = 1;
    if (error_stopped(error)) return error->status;
    while (go_on && event != SCREE_RUN_EVENT_END && event != SCREE_RUN_EVENT_TIME_UP) {
        scree_status status = scree_run_next(r, &event, &notice);
        if (status != SCREE_OK) {
            if (error) *error = notice;
            return status;
        }
        if (r->options.event) go_on = r->options.event(r, event, &notice, r->options.context);
    }
    return SCREE_OK;
}

/// The end of the run, or the part that was done when it was stopped.
static scree_status finish_files(scree_run *r, scree_error *error)
{
    scree_status status = SCREE_OK;
    scree_run_event event = SCREE_RUN_EVENT_START;
    r->writing = 1;
    if (!r->started) return SCREE_OK;
    if (at_end(r)) {
        while (status == SCREE_OK && event != SCREE_RUN_EVENT_END) status = write_due(r, &event, error);
    } else {
        r->checkpoint_due = run_keeps(r);
        do status = write_due(r, &event, error);
        while (status == SCREE_OK && event != SCREE_RUN_EVENT_STEPS);
    }
    return status == SCREE_OK ? run_write_summary(r, error) : status;
}

/// After a step that failed. The world is as before that step, except where the engine for spheres met a runaway: it stays in the
/// world, and the checkpoint before is the one to continue from; as it is where this one cannot be written.
static scree_status finish_failed(scree_run *r, scree_error *error)
{
    if (scree_world_step_count(r->world) > 0 && scree_body_index(scree_world_check(r->world, NULL)) < 0 && run_keeps(r))
        (void)run_write_checkpoint(r, NULL);
    r->writing = 1;
    return run_write_summary(r, error);
}

scree_status scree_run_finish(scree_run *r, scree_run_report *report, scree_error *error)
{
    scree_status status = SCREE_OK;
    scree_error why = {0}; /* a failure before this one is no reason not to finish */
    if (r->outcome == SCREE_RUN_FAILED) status = finish_failed(r, &why);
    else if (r->outcome == SCREE_RUN_ACTIVE) {
        r->outcome = at_end(r) ? SCREE_RUN_DONE : SCREE_RUN_INTERRUPTED;
        status = finish_files(r, &why);
    }
    if (status != SCREE_OK && error && !error_stopped(error)) *error = why, error_keep(error, status);
    if (status != SCREE_OK && r->status == SCREE_OK) r->status = status;
    if (status != SCREE_OK) r->outcome = SCREE_RUN_ABORTED;
    else if (r->outcome != SCREE_RUN_ABORTED) r->writing = 0;
    r->hash = scree_world_hash(r->world);
    if (report) *report = scree_run_look(r);
    return status;
}

scree_run_report scree_run_look(const scree_run *r)
{
    return (scree_run_report){.outcome = r->outcome,
                              .status = r->status,
                              .resumed = r->resumed,
                              .writing = r->writing,
                              .problems_stopped = r->problems_stopped,
                              .time = scree_world_time(r->world),
                              .until = r->plan.until,
                              .rests = r->rests,
                              .frames = r->output ? scree_output_frame_count(r->output) : r->frames,
                              .seconds = run_seconds(r),
                              .checkpoint_time = r->checkpoint_time,
                              .hash = r->hash,
                              .last = r->last,
                              .totals = *scree_stepper_totals(r->stepper)};
}

static scree_run_report report_without_run(const scree_error *error)
{
    return (scree_run_report){.outcome = SCREE_RUN_ABORTED, .status = error->status, .checkpoint_time = -1.0};
}

scree_run_report scree_run_complete(const scree_scene *scene, const scree_run_options *options, scree_error *error)
{
    scree_error own = {0};
    if (!error) error = &own;
    scree_run *r = scree_run_create(scene, options, error);
    if (!r) return report_without_run(error);
    scree_run_report report;
    scree_run_proceed(r, error);
    scree_run_finish(r, &report, error);
    scree_run_destroy(r);
    return report;
}

scree_run_report scree_run_scene(const char *path, const scree_run_options *options, scree_error *error)
{
    scree_error own = {0};
    if (!error) error = &own;
    scree_scene *scene = scree_scene_read(path, NULL, 0, options ? options->allocator : NULL, error);
    scree_run_report report = scene ? scree_run_complete(scene, options, error) : report_without_run(error);
    scree_scene_destroy(scene);
    return report;
}
