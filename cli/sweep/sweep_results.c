/* sweep_results.c: what a case can report (sweep.h), all of it the state and the totals at its end.
 *
 *     time, contacts, kinetic, residual_max, ...      as in summary.json and, of the last step, series.csv ("energy." may precede)
 *     bodies.ball.position.x                          position, velocity, spin (world frame), rotation, force, moment; also .speed
 *     heap.height, heap.flank_angle, ...              scree_heap_of_world: the dynamic spheres above z = 0 as a heap
 *
 * Wall-clock times are not among them: a row must be the same whenever and wherever its case ran. */
#include "cli/sweep/sweep.h"
#include "cli/vector.h"

#include <scree/files.h>

#include <scree/output.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double per_step(double sum, int64_t steps)
{
    return steps > 0 ? sum / (double)steps : 0.0;
}

/// Contacts that move in one of the mechanisms.
static int moving_in(const scree_step_report *r, int mechanism)
{
    int count = 0;
    for (int m = 0; m < SCREE_MODE_COUNT; ++m) count += scree_mode_moves(m, mechanism) ? r->modes[m] : 0;
    return count;
}

/// The mode that most contacts are in, the first of equals.
static int commonest_mode(const scree_step_report *r)
{
    int best = 0;
    for (int m = 1; m < SCREE_MODE_COUNT; ++m) best = r->modes[m] > r->modes[best] ? m : best;
    return best;
}

/* RESULT(name, unit, value of w, t, r: world, totals, report of the last step), as defined where the lists are expanded. */
#define LINE(line, sign, text) RESULT(#line, "J", t->energy.line)
#define SWEEP_RESULTS                                                                                                  \
    RESULT("time", "s", scree_world_time(w))                                                                           \
    RESULT("h", "s", r->h)                                                                                             \
    RESULT("steps", "", (double)t->steps)                                                                              \
    RESULT("bodies", "", (double)scree_world_dynamic_count(w))                                                         \
    RESULT("contacts", "", (double)scree_world_contact_count(w))                                                       \
    RESULT("active", "", (double)r->active)                                                                            \
    RESULT("sliding", "", (double)moving_in(r, SCREE_FRICTION_SLIDE))                                                  \
    RESULT("rolling", "", (double)moving_in(r, SCREE_FRICTION_ROLL))                                                   \
    RESULT("spinning", "", (double)moving_in(r, SCREE_FRICTION_SPIN))                                                  \
    RESULT("mode", "", (double)commonest_mode(r))                                                                      \
    RESULT("unconverged", "", (double)t->unconverged)                                                                  \
    RESULT("retries", "", (double)t->retries)                                                                          \
    RESULT("iterations", "", (double)t->iterations)                                                                    \
    RESULT("residual", "", r->solve.residual)                                                                          \
    RESULT("residual_mean", "", per_step(t->residual_sum, t->steps))                                                   \
    RESULT("residual_max", "", t->residual_max)                                                                        \
    RESULT("penetration", "m", r->penetration)                                                                         \
    RESULT("joint_error_max", "m", t->joint_error_max)                                                                 \
    RESULT("joint_twist_max", "rad", t->joint_twist_max)                                                               \
    RESULT("penetration_max", "m", t->penetration_max)                                                                 \
    RESULT("penetration_speed", "m/s", r->penetration_speed)                                                           \
    RESULT("certified", "", (double)t->certified)                                                                      \
    RESULT("scaled_mean", "", per_step(t->scaled_sum, t->certified))                                                   \
    RESULT("scaled_max", "", t->scaled_max)                                                                            \
    RESULT("cone_violation_max", "", t->cone_violation_max)                                                            \
    RESULT("slip_at_stick_max", "m/s", t->slip_at_stick_max)                                                           \
    RESULT("kinetic", "J", scree_world_energy(w).kinetic)                                                              \
    RESULT("potential", "J", scree_world_energy(w).potential)                                                          \
    SCREE_LEDGER_LINES(LINE)                                                                                           \
    RESULT("balance", "J", t->energy.balance)

#define SWEEP_HEAP                                                                                                     \
    RESULT("heap.grains", "", (double)heap.grains)                                                                     \
    RESULT("heap.height", "m", heap.height)                                                                            \
    RESULT("heap.mean_height", "m", heap.mean_height)                                                                  \
    RESULT("heap.base_count", "", (double)heap.base_count)                                                             \
    RESULT("heap.base_radius", "m", heap.base_radius)                                                                  \
    RESULT("heap.flank_angle", "rad", heap.flank_angle)                                                                \
    RESULT("heap.flank_misfit", "m", heap.flank_misfit)                                                                \
    RESULT("heap.cone_angle", "rad", heap.cone_angle)

#define RESULT(name, unit, value) name,
static const char *const names[] = {SWEEP_RESULTS SWEEP_HEAP "hash", "outcome", "message"};
#undef RESULT
#define RESULT(name, unit, value) unit,
static const char *const units[] = {SWEEP_RESULTS SWEEP_HEAP "", "", ""};
#undef RESULT
enum { NAME_COUNT = sizeof names / sizeof *names };

static const char *without_energy(const char *name)
{
    return strncmp(name, "energy.", 7) == 0 ? name + 7 : name;
}

static int find_name(const char *name)
{
    for (int k = 0; k < NAME_COUNT; ++k)
        if (strcmp(names[k], without_energy(name)) == 0) return k;
    return -1;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------------- */

typedef enum body_part { POSITION, VELOCITY, SPIN, ROTATION, FORCE, MOMENT, SPEED, BODY_PARTS } body_part;
static const char *const part_names[] = {"position", "velocity", "spin", "rotation", "force", "moment", "speed"};
static const char *const part_units[] = {"m", "m/s", "rad/s", "", "N", "N m", "m/s"};
enum { BODY_NAME = 128 };

typedef struct body_result {
    char body[BODY_NAME];
    body_part part;
    int component;
} body_result;

/// Reads "bodies.NAME.PART.COMPONENT" or "bodies.NAME.speed" from its end: names may have dots.
static int read_body(const char *name, body_result *result)
{
    const char *start = name + 7, *last = strrchr(name, '.'), *part = last;
    if (strncmp(name, "bodies.", 7) != 0 || last < start) return 0;
    result->part = SPEED, result->component = 0;
    if (strcmp(last + 1, "speed") != 0) {
        const char *axes = "xyzw", *axis = last[1] && !last[2] ? strchr(axes, last[1]) : NULL;
        do --part;
        while (part > start && *part != '.');
        if (!axis || part <= start) return 0;
        size_t length = (size_t)(last - part - 1);
        for (result->part = POSITION; result->part < SPEED; ++result->part)
            if (strlen(part_names[result->part]) == length && memcmp(part_names[result->part], part + 1, length) == 0)
                break;
        if (result->part == SPEED || (*axis == 'w' && result->part != ROTATION)) return 0;
        result->component = result->part == ROTATION ? (int)(axis - axes + 1) % 4 : (int)(axis - axes);
    }
    size_t length = (size_t)(part - start);
    if (length == 0 || length >= sizeof result->body) return 0;
    memcpy(result->body, start, length);
    result->body[length] = '\0';
    return 1;
}

static double body_value(const body_result *result, const scree_world *w, double h)
{
    double force[3], moment[3], spin[3];
    int b = scree_world_find_body(w, result->body), c = result->component;
    if (b < 0) return (double)NAN;
    const double *v = scree_world_velocities(w) + 3 * b, *q = scree_world_rotations(w) + 4 * b;
    switch (result->part) {
    case POSITION: return scree_world_positions(w)[3 * b + c];
    case VELOCITY: return v[c];
    case SPIN: quat_rotate(q, scree_world_angular_velocities(w) + 3 * b, spin); return spin[c];
    case ROTATION: return q[c];
    case FORCE:
    case MOMENT:
        if (!(h > 0.0)) return (double)NAN;
        scree_world_contact_force(w, b, h, force, moment);
        return result->part == FORCE ? force[c] : moment[c];
    case SPEED:
    case BODY_PARTS: break;
    }
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* ---- checking, writing ---------------------------------------------------------------------------------------------------- */

static int unknown_body(const char *name, const body_result *result, const scree_world *world, scree_error *error)
{
    enum { MOST = 64 };
    static char text[MOST][BODY_NAME];
    const char *words[MOST];
    int count = scree_world_body_count(world) < MOST ? scree_world_body_count(world) : MOST;
    for (int k = 0; k < count; ++k) words[k] = scree_world_body_name(world, k, text[k], BODY_NAME);
    const char *near = scree_suggest(result->body, words, count);
    scree_error_set(error, NULL, 0, 0, "the result %s: the scene has no body '%s'%s%s%s", name, result->body,
                    near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    return 0;
}

int sweep_result_check(const char *name, const scree_world *world, scree_error *error)
{
    body_result body;
    if (find_name(name) >= 0) return 1;
    if (read_body(name, &body)) {
        int there = !world || scree_world_find_body(world, body.body) >= 0;
        return there || unknown_body(name, &body, world, error);
    }
    const char *near = scree_suggest(name, names, NAME_COUNT);
    if (near) scree_error_set(error, NULL, 0, 0, "there is no result '%s' (did you mean '%s'?)", name, near);
    else
        scree_error_set(error, NULL, 0, 0,
                        "there is no result '%s', expected a name like kinetic, heap.height or "
                        "bodies.ball.position.x (scree sweep --help lists them)",
                        name);
    return 0;
}

void sweep_result_header(const char *name, FILE *out)
{
    body_result body = {.part = SPEED};
    int k = find_name(name);
    const char *unit = k >= 0 ? units[k] : read_body(name, &body) ? part_units[body.part] : "";
    char text[2 * BODY_NAME];
    snprintf(text, sizeof text, "%s%s%s%s", name, unit[0] ? "[" : "", unit, unit[0] ? "]" : "");
    sweep_put_text(text, out);
}

static double plain_value(const char *name, const scree_world *w, const scree_run_totals *t, const scree_step_report *r)
{
#define RESULT(known, unit, value)                                                                                     \
    if (strcmp(name, known) == 0) return (value);
    SWEEP_RESULTS
    scree_heap heap;
    const scree_heap_options options = scree_heap_options_default();
    if (scree_heap_of_world(&options, w, NULL, &heap) != SCREE_OK) return (double)NAN;
    SWEEP_HEAP
#undef RESULT
    return (double)NAN;
}

void sweep_result_write(const char *name, const sweep_end *end, FILE *out)
{
    body_result body;
    if (strcmp(name, "outcome") == 0) sweep_put_text(end->outcome, out);
    else if (strcmp(name, "message") == 0) sweep_put_text(end->message, out);
    else if (!end->world) return;
    else if (strcmp(name, "hash") == 0) fprintf(out, "%016" PRIx64, scree_world_hash(end->world));
    else if (find_name(name) >= 0)
        sweep_put_number(plain_value(without_energy(name), end->world, end->totals, end->report), out);
    else if (read_body(name, &body)) sweep_put_number(body_value(&body, end->world, end->report->h), out);
}

void sweep_put_number(double x, FILE *out)
{
    char text[48];
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    fputs(isnan(x) ? "nan" : text, out);
}

void sweep_put_text(const char *text, FILE *out)
{
    char *line = cli_copy(text);
    for (char *c = line; *c; ++c)
        if ((unsigned char)*c < 0x20) *c = ' ';
    scree_csv_write(out, line);
    free(line);
}
