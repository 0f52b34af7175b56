/* live_session.c: what a page can do with a scene: the functions that the module of `scree play` offers to JavaScript (report/worker.js).
 *
 * One scene at a time. A change of a value is an override (--set PATH=VALUE) and a new simulation made from the text; what acts at once
 * (coefficients, gravity, the step) takes the state of the running one along, bodies, contacts and ledger (scree_world_save and load), so that
 * a slider moves under a running scene. A text with a mistake leaves the scene that runs as it is.
 *
 * A body that is dragged gets a velocity towards the pointer before each batch of steps; contacts act as always, so that it pushes what is in
 * its way and cannot be pulled through a floor. */
#include "cli/live/live_message.h"
#include "cli/system.h"
#include "cli/vector.h"

#include <scree/result.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#if defined(__EMSCRIPTEN__)
#include <emscripten/emscripten.h>
#define LIVE_EXPORT EMSCRIPTEN_KEEPALIVE
#else
#define LIVE_EXPORT
#endif

int live_load(const char *name, const char *text, const char *sets, int keep);
int live_advance(int steps);
double live_time(void);
double live_number(int what);
const unsigned char *live_stage(void);
const unsigned char *live_frame(int what);
int live_size(void);
const char *live_error(void);
const char *live_about(void);
const char *live_text(void);
void live_grab(int body, double x, double y, double z);

enum { SETS_MAX = 64, CONTROLS_MAX = 64 };

static struct {
    scree_scene *scene;
    scree_simulation *simulation;
    scree_step_report report;
    scree_error error;
    live_message message;
    char *answer; /* JSON that was given out last */
    int grabbed;  /* body + 1; 0: none */
    double target[3];
} live;

/* ---- scenes -------------------------------------------------------------------------------------------------------------- */

/// State, sums and sources of the running simulation into one that was built alike. 0: they do not fit.
static int take_along(scree_simulation *to)
{
    scree_error ignored = {.line = 0};
    int64_t *from_source, *to_source;
    const int count = scree_simulation_sources(live.simulation, &from_source);
    if (scree_simulation_sources(to, &to_source) != count) return 0;
    scree_snapshot *state = scree_world_save(scree_simulation_world(live.simulation), NULL, &ignored);
    const int fits = state && scree_world_load(scree_simulation_world(to), state, &ignored) == SCREE_OK;
    scree_snapshot_free(state);
    if (!fits) return 0;
    for (int k = 0; k < count; ++k) to_source[k] = from_source[k];
    scree_stepper_set_totals(scree_simulation_stepper(to),
                             scree_stepper_totals(scree_simulation_stepper(live.simulation)));
    return 1;
}

/// `sets`: overrides, one a line. `keep`: the state of the running scene goes on where it fits. Returns 0: a mistake (live_error); 1: from the
/// start; 2: the state was kept.
LIVE_EXPORT int live_load(const char *name, const char *text, const char *sets, int keep)
{
    char *lines = cli_copy(sets), *set[SETS_MAX];
    int count = 0, kept = 0;
    for (char *at = strtok(lines, "\n"); at && count < SETS_MAX; at = strtok(NULL, "\n")) set[count++] = at;
    live.error = (scree_error){.line = 0};
    scree_scene *scene =
        scree_scene_parse(text, strlen(text), name, (const char *const *)set, count, NULL, &live.error);
    scree_simulation *simulation = scene ? scree_simulation_create(scene, 1, NULL, &live.error) : NULL;
    free(lines);
    if (!simulation) {
        scree_scene_destroy(scene);
        return 0;
    }
    if (keep && live.simulation) kept = take_along(simulation);
    if (keep && live.simulation && !kept) { /* a state that half went in is of no use */
        scree_simulation_destroy(simulation);
        simulation = scree_simulation_create(scene, 1, NULL, &live.error);
    }
    scree_simulation_destroy(live.simulation);
    scree_scene_destroy(live.scene);
    live.scene = scene, live.simulation = simulation;
    if (!kept) live.report = (scree_step_report){.step = 0}, live.grabbed = 0;
    return !simulation ? 0 : 1 + kept;
}

/* ---- steps --------------------------------------------------------------------------------------------------------------- */

/// Towards the pointer, so that it would be there after a tenth of a second; spin dies away. A jump of the pointer is no explosion.
static void pull(void)
{
    scree_world *world = scree_simulation_world(live.simulation);
    const int b = live.grabbed - 1;
    if (b < 0 || b >= scree_world_body_count(world) ||
        scree_world_body_kind(world, scree_body_at(b)) != SCREE_BODY_DYNAMIC)
        return;
    const double *x = scree_world_positions(world) + 3 * (size_t)b, rate = 12.0, calm = 0.8;
    double v[3], omega[3], size = 0.0, extent = 0.0;
    for (int k = 0; k < 3; ++k) v[k] = rate * (live.target[k] - x[k]);
    for (int s = 0; s < scree_world_shape_count(world) && extent == 0.0; ++s)
        if (scree_body_index(scree_world_shape_body(world, scree_shape_at(s))) == b)
            extent = scree_shape_extent(scree_world_shape(world, scree_shape_at(s)));
    size = vec_norm(v);
    const double most = 60.0 * extent; /* diameters a second */
    for (int k = 0; k < 3 && size > most && most > 0.0; ++k) v[k] *= most / size;
    for (int k = 0; k < 3; ++k) omega[k] = calm * scree_world_angular_velocities(world)[3 * (size_t)b + (size_t)k];
    scree_world_set_state(world, scree_body_at(b), NULL, NULL, v, omega);
}

/// Returns the status; what stopped it is in live_error.
LIVE_EXPORT int live_advance(int steps)
{
    if (!live.simulation) return (int)SCREE_ERR_INPUT;
    if (live.grabbed) pull();
    live.error = (scree_error){.line = 0};
    return (int)scree_simulation_advance(live.simulation, steps, &live.report, &live.error);
}

LIVE_EXPORT double live_time(void)
{
    return live.simulation ? scree_world_time(scree_simulation_world(live.simulation)) : 0.0;
}

/// 0: the step [s]; 1: the end of the scene [s]; 2: time between its frames [s]; 3: steps so far.
LIVE_EXPORT double live_number(int what)
{
    if (!live.simulation) return 0.0;
    if (what == 0) return scree_scene_stepper(live.scene).step;
    if (what == 3) return (double)scree_world_step_count(scree_simulation_world(live.simulation));
    const scree_run_plan plan = scree_scene_plan(live.scene);
    return what == 1 ? plan.until : plan.output_every;
}

/// body -1 lets go; what it has of velocity it keeps.
LIVE_EXPORT void live_grab(int body, double x, double y, double z)
{
    live.grabbed = body + 1;
    live.target[0] = x, live.target[1] = y, live.target[2] = z;
}

/* ---- answers ------------------------------------------------------------------------------------------------------------- */

LIVE_EXPORT int live_size(void)
{
    return (int)live.message.size;
}

LIVE_EXPORT const unsigned char *live_stage(void)
{
    if (!live.simulation) return NULL;
    live_stage_pack(&live.message, scree_simulation_world(live.simulation));
    return live.message.bytes;
}

LIVE_EXPORT const unsigned char *live_frame(int what)
{
    if (!live.simulation) return NULL;
    if (what & LIVE_ROW)
        (void)scree_measures_take(scree_simulation_measures(live.simulation), scree_simulation_world(live.simulation),
                                  live.report.h, NULL);
    live_frame_pack(&live.message, live.simulation, &live.report, (unsigned)what);
    return live.message.bytes;
}

/// A JSON text that stays until the next one.
static scree_json answer_begin(FILE **out, size_t *size)
{
    free(live.answer);
    *out = cli_text_open(&live.answer, size);
    scree_json j = scree_json_start(*out);
    scree_json_object(&j, NULL);
    return j;
}

static const char *answer_end(scree_json *j, FILE *out)
{
    scree_json_close(j);
    cli_text_close(out, &live.answer);
    return live.answer;
}

LIVE_EXPORT const char *live_error(void)
{
    FILE *out;
    size_t size;
    scree_json j = answer_begin(&out, &size);
    char message[1200];
    scree_json_text(&j, "message",
                    live.error.status == SCREE_OK ? "" : scree_error_format(&live.error, message, sizeof message));
    scree_json_text(&j, "text", live.error.text);
    scree_json_text(&j, "file", live.error.file);
    scree_json_integer(&j, "line", live.error.line);
    scree_json_integer(&j, "column", live.error.column);
    return answer_end(&j, out);
}

static void write_controls(scree_json *j)
{
    scree_control *control = cli_memory(CONTROLS_MAX * sizeof *control);
    const int count = scree_scene_controls(live.scene, CONTROLS_MAX, control);
    scree_json_list(j, "controls");
    for (int k = 0; k < count && k < CONTROLS_MAX; ++k) {
        const scree_control *c = &control[k];
        scree_json_object(j, NULL);
        scree_json_text(j, "set", c->set);
        scree_json_text(j, "label", c->label);
        scree_json_text(j, "unit", c->unit);
        scree_json_number(j, "from", c->from);
        scree_json_number(j, "to", c->to);
        scree_json_number(j, "value", c->value);
        scree_json_bool(j, "declared", c->declared);
        scree_json_bool(j, "restarts", c->restarts);
        scree_json_close(j);
    }
    scree_json_close(j);
    free(control);
}

LIVE_EXPORT const char *live_about(void)
{
    FILE *out;
    size_t size;
    if (!live.scene) return "{}";
    scree_json j = answer_begin(&out, &size);
    const scree_run_plan plan = scree_scene_plan(live.scene);
    const scree_stepper_options stepper = scree_scene_stepper(live.scene);
    scree_json_text(&j, "title", plan.title);
    if (scree_scene_about(live.scene)) scree_json_text(&j, "about", scree_scene_about(live.scene));
    scree_json_number(&j, "until", plan.until);
    scree_json_number(&j, "step", stepper.step);
    scree_json_text(&j, "scheme", scree_scheme_name(stepper.scheme));
    scree_json_text(&j, "version", scree_version());
    scree_json_text(&j, "commit", cli_commit());
    write_controls(&j);
    return answer_end(&j, out);
}

/// The scene as it runs, with its overrides in place.
LIVE_EXPORT const char *live_text(void)
{
    return live.scene ? scree_scene_text(live.scene) : "";
}
