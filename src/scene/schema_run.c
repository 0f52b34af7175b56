/* schema_run.c: the tables of stepper, solver, run and output (schema.h). Options of steppers and solvers come from their own lists. */
#include "scene/schema_tables.h"

#include <string.h>

/// scree_law.
static const char *law_word(int index)
{
    return WORD_OF(index, "coulomb", "convex");
}

/// scree_on_failure.
static const char *failure_word(int index)
{
    return WORD_OF(index, "keep", "retry", "stop");
}

/// scree_device.
static const char *device_word(int index)
{
    return WORD_OF(index, "cpu", "gpu", "host-twin");
}

/// The formats but the first, which every run has.
static const char *frame_word(int index)
{
    return scree_format_name(index + 1);
}
_Static_assert(SCREE_FORMAT_FRAMES == 1, "the first format is the one that no scene names");

static const char *scheme_word(int index)
{
    return index < SCREE_SCHEME_COUNT ? scree_scheme_name((scree_scheme)index) : NULL;
}

static const char *solver_word(int index)
{
    const scree_solver_class *c = scree_solver_class_at(index);
    return c ? scree_solver_class_name(c) : NULL;
}

#define OPTION_TYPE(c_type) _Generic((c_type)0, double : FIELD_NUMBER, int : FIELD_INTEGER)

static void stepper_defaults(void *value)
{
    scene_stepper *s = value;
    s->options = scree_stepper_options_default();
    s->scheme = s->options.scheme, s->law = s->options.law, s->on_failure = s->options.on_failure;
    s->device = s->options.device;
}

#define STEPPER_OPTION(c_type, name, value, words)                                                                     \
    {.key = #name,                                                                                                     \
     .type = OPTION_TYPE(c_type),                                                                                      \
     .offset = AT(scene_stepper, options.name),                                                                        \
     NOT_NEGATIVE,                                                                                                     \
     .text = (words)},

static const schema_field stepper_fields[] = {
    {.key = "scheme",
     .type = FIELD_CHOICE,
     .offset = AT(scene_stepper, scheme),
     .choice = scheme_word,
     .text = "How time is stepped."},
    {.key = "law",
     .type = FIELD_CHOICE,
     .offset = AT(scene_stepper, law),
     .choice = law_word,
     .text = "coulomb: the law of friction; convex: its associated form, in which sliding contacts lift."},
    {.key = "on_failure",
     .type = FIELD_CHOICE,
     .offset = AT(scene_stepper, on_failure),
     .choice = failure_word,
     .text =
         "When the solver does not converge in a step. keep: take the best and count; retry: smaller steps; stop: end "
         "the run."},
    {.key = "device",
     .type = FIELD_CHOICE,
     .offset = AT(scene_stepper, device),
     .choice = device_word,
     .text = "Which machine steps soft contacts of spheres, with the same bits, or solves rigid ones (solver momentum; "
             "docs/gpu.md). gpu: a CUDA device; an error if there is none. "
             "host-twin: its kernels on the processor, slowly, for tests."},
    SCREE_STEPPER_OPTION_FIELDS(STEPPER_OPTION)};
/* clang-format off */
static const schema_option stepper_options[] = {
    {"step",           QUANTITY_TIME,     RANGE_LOW | RANGE_LOW_OPEN, 0.0, 0.0},
    {"recovery_speed", QUANTITY_VELOCITY, RANGE_LOW, 0.0, 0.0},
    {"impact_speed",   QUANTITY_VELOCITY, RANGE_LOW, 0.0, 0.0},
    {"theta",          QUANTITY_NUMBER,   RANGE_LOW | RANGE_HIGH, 0.5, 1.0},
    {"threads",        QUANTITY_NUMBER,   RANGE_LOW | RANGE_HIGH, 1.0, 1024.0},
    {NULL, QUANTITY_NUMBER, 0, 0.0, 0.0},
};
/* clang-format on */
const schema_object schema_stepper = {OBJECT("stepper", "How time is stepped.", scene_stepper, stepper_fields),
                                      .option = stepper_options, .defaults = stepper_defaults, .selector = "scheme"};

static void solver_defaults(void *value)
{
    scene_solver *s = value;
    s->options = scree_stepper_options_default().solver;
    for (s->name = 0; solver_word(s->name) && strcmp(solver_word(s->name), s->options.name) != 0;) ++s->name;
}

#define SOLVER_OPTION(c_type, name, value, words)                                                                      \
    {.key = #name,                                                                                                     \
     .type = OPTION_TYPE(c_type),                                                                                      \
     .offset = AT(scene_solver, options.name),                                                                         \
     NOT_NEGATIVE,                                                                                                     \
     .text = (words)},

static const schema_field solver_fields[] = {{.key = "name",
                                              .type = FIELD_CHOICE,
                                              .offset = AT(scene_solver, name),
                                              .choice = solver_word,
                                              .text = "The method; `scree solvers` lists them."},
                                             SCREE_SOLVER_OPTION_FIELDS(SOLVER_OPTION)};
/* clang-format off */
static const schema_option solver_options[] = {
    {"time_limit",   QUANTITY_TIME,     RANGE_LOW, 0.0, 0.0},
    {"relaxation",   QUANTITY_NUMBER,   RANGE_LOW | RANGE_LOW_OPEN | RANGE_HIGH | RANGE_HIGH_OPEN, 0.0, 2.0},
    {"local_method", QUANTITY_NUMBER,   RANGE_LOW | RANGE_HIGH, 0.0, SCREE_CONTACT_METHOD_COUNT - 1},
    {"shuffle",      QUANTITY_NUMBER,   RANGE_LOW | RANGE_HIGH, 0.0, 1.0},
    {"step",         QUANTITY_MASS,     RANGE_LOW, 0.0, 0.0},
    {"penalty",      QUANTITY_PER_MASS, RANGE_LOW, 0.0, 0.0},
    {NULL, QUANTITY_NUMBER, 0, 0.0, 0.0},
};
/* clang-format on */
const schema_object schema_solver = {OBJECT("solver",
                                            "How the contact problem of a step is solved. Threads and the minimum "
                                            "number of iterations belong to `stepper`.",
                                            scene_solver, solver_fields),
                                     .hidden = {"threads", "min_iterations"},
                                     .option = solver_options,
                                     .defaults = solver_defaults,
                                     .selector = "name",
                                     .any = {"auto", "stepping"}};

static const char *stop_word(int index)
{
    return WORD_OF(index, "never", "at rest");
}

static const schema_field run_fields[] = {
    {.key = "until",
     .type = FIELD_NUMBER,
     .offset = AT(scene_run, until),
     .unit = QUANTITY_TIME,
     POSITIVE,
     REQUIRED,
     .text = "Simulated time at which the run ends."},
    {.key = "stop",
     .type = FIELD_CHOICE,
     .offset = AT(scene_run, stop),
     .choice = stop_word,
     .fallback = "never",
     .text = "at rest: the run ends before `until`, at the first frame at which nothing is left to pour, every body is "
             "slower than `rest_speed` and a contact or joint holds it."},
    {.key = "rest_speed",
     .type = FIELD_NUMBER,
     .offset = AT(scene_run, rest_speed),
     .unit = QUANTITY_VELOCITY,
     POSITIVE,
     .fallback = "1 mm/s",
     .text = "What counts as rest: the fastest point of a body is slower."},
};
const schema_object schema_run = {OBJECT("run", "How long.", scene_run, run_fields)};

static const schema_field output_fields[] = {
    {.key = "every",
     .type = FIELD_NUMBER,
     .offset = AT(scene_output, every),
     .unit = QUANTITY_TIME,
     NOT_NEGATIVE,
     .fallback = "0",
     .text = "Simulated time between frames; 0: only the last."},
    {.key = "frames",
     .type = FIELD_CHOICES,
     .offset = AT(scene_output, frames),
     .choice = frame_word,
     .text =
         "Files of each frame besides frames.scree. vtp: for ParaView; dump: LAMMPS dump, for OVITO; contacts, bodies: "
         "tables (CSV). `scree convert` makes them later too."},
    {.key = "contacts",
     .type = FIELD_FLAG,
     .offset = AT(scene_output, contacts),
     .fallback = "false",
     .text = "A table of all contacts with each frame: the same as contacts among the frames."},
    {.key = "problems_every",
     .type = FIELD_INTEGER,
     .offset = AT(scene_output, problems_every),
     NOT_NEGATIVE,
     .fallback = "0",
     .text = "Steps between stored contact problems (FCLIB files); 0: none."},
    {.key = "checkpoint",
     .type = FIELD_NUMBER,
     .offset = AT(scene_output, checkpoint),
     .unit = QUANTITY_TIME,
     NOT_NEGATIVE,
     .fallback = "0",
     .text = "Simulated time between checkpoints; 0: only one at the end."},
};
const schema_object schema_output = {OBJECT("output", "What is written.", scene_output, output_fields)};

static const schema_field control_fields[] = {
    {.key = "set",
     .type = FIELD_TEXT,
     .offset = AT(scene_control, set),
     REQUIRED,
     .text = "What it changes, a path as in --set: materials.stone.rolling."},
    {.key = "from",
     .type = FIELD_TEXT,
     .offset = AT(scene_control, from),
     REQUIRED,
     .text = "The value at the left end, with its unit: 0 mm."},
    {.key = "to",
     .type = FIELD_TEXT,
     .offset = AT(scene_control, to),
     REQUIRED,
     .text = "The value at the right end, in the same unit."},
    {.key = "label",
     .type = FIELD_TEXT,
     .offset = AT(scene_control, label),
     .text = "Its name on the page; else the path."},
};
static const schema_object schema_control = {
    OBJECT("control", "A slider of the page that `scree play` makes.", scene_control, control_fields)};

static const schema_field play_fields[] = {
    {.key = "about",
     .type = FIELD_TEXT,
     .offset = AT(scene_play, about),
     .text = "What stands above the picture: what is seen, what to try. Else the first lines of the file, if they are "
             "comments."},
    {.key = "controls",
     .type = FIELD_LIST,
     .offset = AT(scene_play, controls),
     .object = &schema_control,
     .text = "Sliders, above those that every page has (friction, rolling, spinning, restitution, gravity, slope)."},
};
const schema_object schema_play = {
    OBJECT("play", "What the page of `scree play` offers; a run does not read it.", scene_play, play_fields)};
