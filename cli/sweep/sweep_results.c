/* sweep_results.c: what a case can report (sweep.h), all of it the state and the totals at its end.
 *
 *     time, contacts, kinetic, residual_max, ...      as in summary.json and, of the last step, series.csv ("energy." may precede)
 *     bodies.ball.position.x                          position, velocity, spin (world frame), rotation, force, moment; also .speed
 *     heap.height, heap.flank_angle, ...              scree_heap_of_world: the dynamic spheres above z = 0 as a heap
 *     measures.outlet.rate, ...                       what the scene measures, in the last frame
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

#define VALUE(member, unit, text) {"heap." #member, unit},
static const struct {
    const char *name, *unit;
} heap_results[] = {SCREE_HEAP_VALUES(VALUE)};
#undef VALUE
enum { HEAP_RESULTS = sizeof heap_results / sizeof *heap_results, NAMES_MAX = 128 };

static const char *const texts[] = {"hash", "outcome", "message"};
enum { TEXTS = sizeof texts / sizeof *texts };

/// All names that do not depend on the scene; returns how many.
static int list_names(const char *names[NAMES_MAX])
{
    int count = 0;
    for (const char *name; count < NAMES_MAX && (name = scree_quantity_name(count)); ++count) names[count] = name;
    for (int k = 0; k < HEAP_RESULTS && count < NAMES_MAX; ++k) names[count++] = heap_results[k].name;
    for (int k = 0; k < TEXTS && count < NAMES_MAX; ++k) names[count++] = texts[k];
    return count;
}

static const char *without_energy(const char *name)
{
    return strncmp(name, "energy.", 7) == 0 ? name + 7 : name;
}

static int find_heap(const char *name)
{
    for (int k = 0; k < HEAP_RESULTS; ++k)
        if (strcmp(heap_results[k].name, name) == 0) return k;
    return -1;
}

static int is_known(const char *name)
{
    const char *names[NAMES_MAX];
    int count = list_names(names);
    for (int k = 0; k < count; ++k)
        if (strcmp(names[k], without_energy(name)) == 0) return 1;
    return 0;
}

/* ---- measures of the scene --------------------------------------------------------------------------------------------------- */

/// "outlet.mass" of "measures.outlet.mass", with the unit of its column; NULL: it is no result of a measure.
static const char *measure_of(const char *name, const char **unit)
{
    static const char start[] = "measures.";
    if (strncmp(name, start, strlen(start)) != 0 || !strchr(name + strlen(start), '.')) return NULL;
    *unit = scree_measures_unit_of(name);
    return *unit ? name + strlen(start) : NULL;
}

static int find_measure(const scree_measures *measures, const char *name)
{
    for (int k = 0; k < scree_measures_count(measures); ++k)
        if (strcmp(scree_measures_name(measures, k), name) == 0) return k;
    return -1;
}

static int unknown_measure(const char *name, const char *column, const scree_measures *measures, scree_error *error)
{
    const char *names[NAMES_MAX];
    int count = 0;
    for (; count < NAMES_MAX && count < scree_measures_count(measures); ++count)
        names[count] = scree_measures_name(measures, count);
    const char *near = scree_suggest(column, names, count);
    scree_error_set(error, NULL, 0, 0, "the result %s: the scene does not measure '%s'%s%s%s", name, column,
                    near ? ", did you mean 'measures." : "", near ? near : "", near ? "'?" : "");
    return 0;
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
    int b = scree_body_index(scree_world_find_body(w, result->body)), c = result->component;
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
        scree_world_contact_force(w, scree_body_at(b), force, moment);
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
    for (int k = 0; k < count; ++k) words[k] = scree_world_body_name(world, scree_body_at(k), text[k], BODY_NAME);
    const char *near = scree_suggest(result->body, words, count);
    scree_error_set(error, NULL, 0, 0, "the result %s: the scene has no body '%s'%s%s%s", name, result->body,
                    near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    return 0;
}

int sweep_result_check(const char *name, const sweep_known *known, scree_error *error)
{
    body_result body;
    const char *unit, *column = measure_of(name, &unit), *names[NAMES_MAX];
    if (is_known(name)) return 1;
    if (column)
        return !known->built || find_measure(known->measures, column) >= 0 ||
               unknown_measure(name, column, known->measures, error);
    if (read_body(name, &body)) {
        int there = !known->world || scree_body_index(scree_world_find_body(known->world, body.body)) >= 0;
        return there || unknown_body(name, &body, known->world, error);
    }
    const char *near = scree_suggest(name, names, list_names(names));
    if (near) scree_error_set(error, NULL, 0, 0, "there is no result '%s' (did you mean '%s'?)", name, near);
    else
        scree_error_set(error, NULL, 0, 0,
                        "there is no result '%s', expected a name like kinetic, heap.height or "
                        "bodies.ball.position.x (scree sweep --help lists them)",
                        name);
    return 0;
}

static const char *unit_of(const char *name)
{
    body_result body = {.part = SPEED};
    const char *unit;
    int k = scree_quantity_find(without_energy(name));
    if (k >= 0) return scree_quantity_unit(k);
    if ((k = find_heap(name)) >= 0) return heap_results[k].unit;
    if (measure_of(name, &unit)) return unit;
    return read_body(name, &body) ? part_units[body.part] : "";
}

void sweep_result_header(const char *name, FILE *out)
{
    const char *unit = unit_of(name);
    char text[2 * BODY_NAME];
    snprintf(text, sizeof text, "%s%s%s%s", name, unit[0] ? "[" : "", unit, unit[0] ? "]" : "");
    sweep_put_text(text, out);
}

static double heap_value(int index, const scree_world *world)
{
    scree_error error = {0};
    scree_heap heap = scree_heap_of_world(NULL, world, NULL, &error);
    if (error.status != SCREE_OK) return (double)NAN;
#define VALUE(member, unit, text) (double)heap.member,
    const double value[] = {SCREE_HEAP_VALUES(VALUE)};
#undef VALUE
    return value[index];
}

static double value_of(const char *name, const sweep_end *end)
{
    body_result body;
    const char *unit, *column = measure_of(name, &unit);
    int k = scree_quantity_find(without_energy(name));
    if (k >= 0) return scree_quantity_value(k, end->world, end->totals, end->report);
    if ((k = find_heap(name)) >= 0) return heap_value(k, end->world);
    if (column && (k = find_measure(end->measures, column)) >= 0) return scree_measures_value(end->measures, k);
    return read_body(name, &body) ? body_value(&body, end->world, end->report->h) : (double)NAN;
}

void sweep_result_write(const char *name, const sweep_end *end, FILE *out)
{
    if (strcmp(name, "outcome") == 0) sweep_put_text(end->outcome, out);
    else if (strcmp(name, "message") == 0) sweep_put_text(end->message, out);
    else if (!end->world) return;
    else if (strcmp(name, "hash") == 0) fprintf(out, "%016" PRIx64, scree_world_hash(end->world));
    else sweep_put_number(value_of(name, end), out);
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
