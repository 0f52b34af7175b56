/* checkpoint.c: DIR/checkpoint.h5, everything needed to go on with the same bits (docs/formats.md).
 *
 * The state of the world is what world_fields lists (world/state.c); this file does not know its names. Beside it: totals, the
 * sizes of the growing files, the numbers of the sources, the text of the scene, the caller's settings. Every number is stored by its
 * name: a later version may add some, and the order in the file has no meaning. Before the checkpoint takes its name, the growing
 * files are on the disk as far as it says, and so is the checkpoint. */
#include "run/formats.h"
#include "run/measures.h"

#include "base/fail.h"
#include "base/h5.h"
#include "base/memory.h"
#include "base/text.h"
#include "world/world_private.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT = 8, OWN_LISTS = 448, LIST_PATH = 192, SOLVER_NAME = 64 };

static const char FILE_NAME[] = "checkpoint.h5";

/* ---- what is stored, by name -------------------------------------------------------------------------------------------------- */

/// Lists with their paths. One function fills it for writing and for reading, so that a name cannot have two meanings.
typedef struct list_set {
    scree_allocator allocator;
    int count, capacity;
    h5_list *list;
    char (*path)[LIST_PATH];
} list_set;

static scree_status set_make(list_set *s, const scree_output *o)
{
    const int measures = o->options.measures ? o->options.measures->count : 0;
    s->allocator = o->allocator, s->count = 0;
    s->capacity = OWN_LISTS + o->growing_count + measures * (MEASURE_COLUMNS_MAX + MEASURE_KEPT_MAX);
    s->list = memory_raw_array(&s->allocator, (size_t)s->capacity, sizeof *s->list);
    s->path = memory_raw_array(&s->allocator, (size_t)s->capacity, sizeof *s->path);
    return s->list && s->path ? SCREE_OK : SCREE_ERR_MEMORY;
}

static void set_free(list_set *s)
{
    MEMORY_FREE_ALL(&s->allocator, s->list, s->path);
}

static void add(list_set *s, h5_list list, const char *group, const char *name)
{
    SCREE_ASSERT(s->count < s->capacity);
    char *path = s->path[s->count];
    snprintf(path, LIST_PATH, "%s%s", group, name);
    list.path = path;
    s->list[s->count++] = list;
}

static void add_one(list_set *s, char type, void *value, const char *group, const char *name)
{
    add(s, h5_packed(NULL, type, 1, 1, value), group, name);
}

static void add_ledger(list_set *s, scree_ledger *e, const char *group)
{
#define LINE(name, sign, text) add_one(s, 'd', &e->name, group, #name);
    SCREE_LEDGER_LINES(LINE)
    LINE(kinetic, 0, "") LINE(potential, 0, "") LINE(balance, 0, "")
#undef LINE
}

/* F(type, member): what is stored of the sums of a run and of the last step. */
#define TOTALS(F)                                                                                                      \
    F('q', steps)                                                                                                      \
    F('q', unconverged)                                                                                                \
    F('q', retries)                                                                                                    \
    F('q', iterations)                                                                                                 \
    F('q', certified)                                                                                                  \
    F('d', residual_max)                                                                                               \
    F('d', residual_sum)                                                                                               \
    F('d', joint_error_max)                                                                                            \
    F('d', joint_twist_max)                                                                                            \
    F('d', penetration_max)                                                                                            \
    F('d', scaled_max)                                                                                                 \
    F('d', scaled_sum)                                                                                                 \
    F('d', cone_violation_max)                                                                                         \
    F('d', slip_at_stick_max)                                                                                          \
    F('d', seconds_detect)                                                                                             \
    F('d', seconds_assemble)                                                                                           \
    F('d', seconds_solve)                                                                                              \
    F('d', seconds_update)
#define REPORT(F)                                                                                                      \
    F('q', step)                                                                                                       \
    F('d', time)                                                                                                       \
    F('d', h)                                                                                                          \
    F('i', bodies)                                                                                                     \
    F('i', contacts)                                                                                                   \
    F('i', active)                                                                                                     \
    F('i', solve.iterations)                                                                                           \
    F('d', solve.residual)                                                                                             \
    F('d', solve.seconds)                                                                                              \
    F('d', penetration)                                                                                                \
    F('i', penetration_contact)                                                                                        \
    F('d', penetration_speed)                                                                                          \
    F('i', joints)                                                                                                     \
    F('i', joint_worst)                                                                                                \
    F('d', joint_error)                                                                                                \
    F('d', joint_twist)                                                                                                \
    F('i', retries)                                                                                                    \
    F('i', unconverged)                                                                                                \
    F('d', seconds_detect)                                                                                             \
    F('d', seconds_assemble)                                                                                           \
    F('d', seconds_solve)                                                                                              \
    F('d', seconds_update)
_Static_assert(sizeof(int) == sizeof(int32_t), "members of type int are stored as 32 bits");

static void add_totals(list_set *s, scree_run_totals *t)
{
#define MEMBER(type, name) add_one(s, type, &t->name, "/totals/", #name);
    TOTALS(MEMBER)
#undef MEMBER
    add_ledger(s, &t->energy, "/totals/energy/");
}

/// The report of the last step with what is stored in another form than the struct has it: a name by its letters.
typedef struct stored_report {
    scree_step_report report;
    int32_t outcome;
    char solver[SOLVER_NAME];
} stored_report;

static void add_report(list_set *s, stored_report *r)
{
#define MEMBER(type, name) add_one(s, type, &r->report.name, "/report/", #name);
    REPORT(MEMBER)
#undef MEMBER
    for (int m = 0; m < SCREE_MODE_COUNT; ++m)
        add_one(s, 'i', &r->report.modes[m], "/report/modes/", scree_mode_name(m));
    add_one(s, 'i', &r->outcome, "/report/", "outcome");
    add(s, h5_packed(NULL, 'b', 1, SOLVER_NAME, r->solver), "/report/", "solver");
    add_ledger(s, &r->report.energy, "/report/energy/");
}

static stored_report report_pack(const scree_step_report *r)
{
    stored_report stored = {.outcome = 0};
    if (!r) return stored;
    stored.report = *r, stored.outcome = (int32_t)r->solve.outcome;
    text_copy(stored.solver, sizeof stored.solver, r->solve.solver ? r->solve.solver : "");
    return stored;
}

static scree_step_report report_unpack(stored_report *stored)
{
    scree_step_report *r = &stored->report;
    stored->solver[SOLVER_NAME - 1] = '\0';
    r->solve.outcome = (scree_outcome)stored->outcome;
    const scree_solver_class *class = scree_solver_class_find(stored->solver); /* a name that outlives the checkpoint */
    r->solve.solver = class ? scree_solver_class_name(class) : NULL;
    return *r;
}

static void add_world(list_set *s, scree_world *world)
{
    world_field field[WORLD_FIELDS_MAX];
    int fields = world_fields(world, field);
    for (int k = 0; k < fields; ++k) {
        h5_list list = h5_packed(NULL, field[k].type, field[k].width, field[k].count, field[k].data);
        list.stride = field[k].stride;
        add(s, list, "/world/", field[k].name);
    }
}

/// Values and sums of the measures: /measures/NAME/mass, /measures/NAME/kept/frame_time.
static void add_measures(list_set *s, scree_measures *m)
{
    for (int k = 0; m && k < m->count; ++k) {
        measure *it = &m->item[k];
        char group[LIST_PATH];
        snprintf(group, sizeof group, "/measures/%s/", it->def->name.text);
        for (int c = 0; c < it->columns; ++c) add_one(s, 'd', &it->value[c], group, it->kind->column[c].name);
        snprintf(group, sizeof group, "/measures/%s/kept/", it->def->name.text);
        for (int c = 0; c < MEASURE_KEPT_MAX && it->kind->kept[c]; ++c)
            add_one(s, 'd', &it->kept[c], group, it->kind->kept[c]);
    }
}

static const char PLACES[] = "/watched"; /* where bodies were when the measures last looked */

/* ---- writing --------------------------------------------------------------------------------------------------------------- */

/// What the checkpoint says the sizes of, onto the disk.
static scree_status sync_files(const scree_output *o, scree_error *error)
{
    scree_status status = SCREE_OK;
    for (int k = 0; k < o->growing_count && status == SCREE_OK; ++k)
        if (o->growing[k].open) status = growing_sync(&o->growing[k], error);
    return status;
}

static scree_status write_image(scree_output *o, const h5_image *image, scree_error *error)
{
    char path[FILE_PATH_MAX];
    out_file f;
    scree_status status = output_path(o, FILE_NAME, path, error);
    if (status == SCREE_OK) status = file_create(&f, path, o->buffer, error);
    if (status != SCREE_OK) return status;
    file_bytes(&f, image->bytes, image->size);
    status = file_finish(&f, 1, error);
    if (status == SCREE_OK) file_sync_folder(o->directory);
    return status;
}

/// Everything that a checkpoint holds, in one set; `format` and `hash` are the caller's, as is the copy of the world.
typedef struct checkpoint_content {
    list_set set;
    int32_t format, counts[WORLD_COUNTS];
    int64_t hash;
    scree_run_totals totals;
    stored_report last;
    scree_world world; /* a copy whose lists can be written through; nothing is written */
} checkpoint_content;

static void collect(checkpoint_content *c, scree_output *o, const scree_checkpoint *from)
{
    list_set *s = &c->set;
    add_one(s, 'i', &c->format, "/", "format");
    add(s, h5_constant(NULL, 'b', 1, (int64_t)strlen(from->scene), from->scene), "/", "scene");
    for (int k = 0; k < from->setting_count; ++k)
        add(s, h5_constant(NULL, 'd', 1, 1, &from->setting[k].value), "/settings/", from->setting[k].name);
    add(s, h5_constant(NULL, 'q', 1, from->source_count, from->source), "/", "sources");
    add_one(s, 'q', &o->frames, "/output/", "frames");
    add(s, h5_packed(NULL, 'i', 1, o->wall_count, o->wall), "/output/", "walls");
    for (int k = 0; k < o->growing_count; ++k)
        if (o->growing[k].open) add_one(s, 'q', &o->growing[k].size, "/output/bytes/", output_growing_name(o, k));
    add(s, h5_packed(NULL, 'i', 1, WORLD_COUNTS, c->counts), "/", "world_counts");
    add_one(s, 'q', &c->hash, "/", "world_hash");
    add_totals(s, &c->totals);
    add_report(s, &c->last);
    add_measures(s, o->options.measures);
    if (o->options.measures && o->options.measures->watches)
        add(s, h5_packed(NULL, 'd', 3, o->options.measures->watched, o->options.measures->before), PLACES, "");
    add_world(s, &c->world);
}

static scree_status no_memory_to_write(const scree_output *o, scree_error *error)
{
    scree_error_set(error, o->directory, 0, 0, "out of memory while writing a checkpoint");
    return SCREE_ERR_MEMORY;
}

static scree_status write_checkpoint(scree_output *o, const scree_world *world, const scree_run_totals *totals,
                                     const scree_checkpoint *from, scree_error *error)
{
    scree_status status = world_sync(world, PART_ALL);
    if (status != SCREE_OK) {
        scree_error_set(error, NULL, 0, 0, "no memory to read the contacts of the world");
        return status;
    }
    checkpoint_content *c = memory_array(&o->allocator, 1, sizeof *c);
    if (!c) return no_memory_to_write(o, error);
    c->format = FORMAT, c->hash = (int64_t)scree_world_hash(world), c->totals = *totals;
    c->last = report_pack(from->report), c->world = *world;
    world_counts(world, c->counts);
    h5_image image;
    status = set_make(&c->set, o) == SCREE_OK ? sync_files(o, error) : no_memory_to_write(o, error);
    if (status == SCREE_OK) collect(c, o, from);
    if (status == SCREE_OK && h5_image_make(c->set.list, c->set.count, &o->allocator, &image) != SCREE_OK)
        status = no_memory_to_write(o, error);
    else if (status == SCREE_OK) {
        h5_image_seal(&image);
        status = write_image(o, &image, error);
        h5_image_free(&image);
    }
    set_free(&c->set);
    memory_free(&o->allocator, c);
    return status;
}

scree_status scree_checkpoint_write(scree_output *output, const scree_world *world, const scree_run_totals *totals,
                                    const scree_checkpoint *checkpoint, scree_error *error)
{
    SCREE_ASSERT(checkpoint->setting_count <= SCREE_SETTINGS_MAX);
    if (error_stopped(error)) return error->status;
    return error_keep(error, write_checkpoint(output, world, totals, checkpoint, error));
}

/* ---- reading --------------------------------------------------------------------------------------------------------------- */

static scree_status read_format(h5_source *s, scree_error *error)
{
    int32_t format = 0;
    h5_list list = h5_packed("/format", 'i', 1, 1, &format);
    scree_status status = h5_read(s, &list);
    if (status == SCREE_OK && format != FORMAT) {
        scree_error_set(error, s->name, 0, 0, "the checkpoint has format %d, this program reads %d", (int)format,
                        FORMAT);
        status = SCREE_ERR_INPUT;
    } else if (status == SCREE_ERR_INPUT) {
        char text[512];
        snprintf(text, sizeof text, "%s", error ? error->text : "");
        scree_error_set(error, error ? error->file : NULL, 0, 0, "this is not a checkpoint of scree: %.400s", text);
    }
    return status;
}

/// A list of unknown length: counted, then read into memory of the allocator, with one byte or number more.
static scree_status read_all(h5_source *s, const char *path, char type, size_t size, void **data, int64_t *count)
{
    *data = NULL;
    scree_status status = h5_count(s, path, type, 1, count);
    if (status != SCREE_OK) return status;
    *data = memory_array(&s->allocator, (size_t)*count + 1, size);
    if (!*data) {
        scree_error_set(s->error, s->name, 0, 0, "out of memory while reading");
        return SCREE_ERR_MEMORY;
    }
    h5_list list = h5_packed(path, type, 1, *count, *data);
    status = h5_read(s, &list);
    if (status != SCREE_OK) memory_free(&s->allocator, *data), *data = NULL;
    return status;
}

/// The settings that the file has.
static scree_status read_settings(h5_source *s, scree_setting *setting, int count)
{
    char path[LIST_PATH];
    scree_status status = SCREE_OK;
    for (int k = 0; k < count && status == SCREE_OK; ++k) {
        snprintf(path, sizeof path, "/settings/%s", setting[k].name);
        setting[k].found = h5_has(s, path);
        h5_list list = h5_packed(path, 'd', 1, 1, &setting[k].value);
        if (setting[k].found) status = h5_read(s, &list);
    }
    return status;
}

char *scree_checkpoint_peek(const char *path, scree_setting *setting, int setting_count,
                            const scree_allocator *allocator, scree_error *error)
{
    h5_source s;
    void *text = NULL;
    int64_t length;
    if (error_stopped(error)) return NULL;
    scree_status status = h5_open(path, allocator, &s, error);
    if (status == SCREE_OK) {
        status = read_format(&s, error);
        if (status == SCREE_OK) status = read_settings(&s, setting, setting_count);
        if (status == SCREE_OK) status = read_all(&s, "/scene", 'b', 1, &text, &length);
        h5_close(&s);
    }
    error_keep(error, status);
    return text;
}

/// The world knows what is wrong with it, not in which file.
static scree_status named(const h5_source *s, scree_status status, scree_error *error)
{
    char place[512];
    snprintf(place, sizeof place, "%s::/world", s->name);
    if (error) scree_error_set(error, place, 0, 0, "%s", error->text);
    return status;
}

static scree_status read_lists(h5_source *s, const list_set *set)
{
    scree_status status = SCREE_OK;
    for (int k = 0; k < set->count && status == SCREE_OK; ++k) status = h5_read(s, &set->list[k]);
    return status;
}

static scree_status read_world(h5_source *s, list_set *set, scree_world *world, scree_error *error)
{
    int32_t counts[WORLD_COUNTS];
    int64_t hash;
    h5_list sizes = h5_packed("/world_counts", 'i', 1, WORLD_COUNTS, counts);
    h5_list stored = h5_packed("/world_hash", 'q', 1, 1, &hash);
    scree_status status = h5_read(s, &sizes);
    if (status == SCREE_OK) status = h5_read(s, &stored);
    for (int k = 0; k < WORLD_COUNTS && status == SCREE_OK; ++k)
        if (counts[k] < 0 || counts[k] > s->file_size) {
            scree_error_set(error, s->name, 0, 0, "the world has %d elements, more than the file can hold",
                            (int)counts[k]);
            status = SCREE_ERR_INPUT;
        }
    if (status != SCREE_OK) return status;
    status = world_restore_begin(world, counts, error);
    if (status != SCREE_OK) return named(s, status, error);
    set->count = 0;
    add_world(set, world);
    status = read_lists(s, set);
    if (status != SCREE_OK) return status;
    status = world_restore_end(world, error);
    if (status != SCREE_OK) return named(s, status, error);
    if ((int64_t)scree_world_hash(world) != hash) {
        scree_error_set(
            error, s->name, 0, 0,
            "the restored world is not the stored one (hash %016llx, expected %016llx): was the scene changed?",
            (unsigned long long)scree_world_hash(world), (unsigned long long)hash);
        status = SCREE_ERR_INPUT;
    }
    return status;
}

/// Cuts the growing files back to the sizes in the checkpoint.
static scree_status cut_files(h5_source *s, scree_output *o, scree_error *error)
{
    scree_status status = SCREE_OK;
    for (int k = 0; k < o->growing_count && status == SCREE_OK; ++k) {
        char path[LIST_PATH];
        int64_t bytes = 0; /* a file that the checkpoint does not know has no entry yet */
        if (!o->growing[k].open) continue;
        snprintf(path, sizeof path, "/output/bytes/%s", output_growing_name(o, k));
        h5_list list = h5_packed(path, 'q', 1, 1, &bytes);
        if (h5_has(s, path)) status = h5_read(s, &list);
        if (status == SCREE_OK) status = growing_cut(&o->growing[k], bytes, error);
    }
    for (int k = 0; k < SCREE_FORMAT_COUNT && status == SCREE_OK; ++k)
        if (o->options.formats >> k & 1U && output_format_at(k)->resumed)
            status = output_format_at(k)->resumed(o, &o->growing[o->format_at[k]], error);
    return status;
}

/// Frames, walls, and the growing files cut back.
static scree_status read_output(h5_source *s, scree_output *o, int bodies, scree_error *error)
{
    int64_t walls = 0;
    void *wall = NULL;
    h5_list frames = h5_packed("/output/frames", 'q', 1, 1, &o->frames);
    scree_status status = h5_read(s, &frames);
    if (status == SCREE_OK) status = read_all(s, "/output/walls", 'i', sizeof(int32_t), &wall, &walls);
    if (status != SCREE_OK) return status;
    memory_free(&o->allocator, o->wall);
    o->wall = wall, o->wall_count = (int)walls, o->walls_known = o->frames > 0;
    for (int k = 0; k < o->wall_count; ++k)
        if (o->wall[k] < 0 || o->wall[k] >= bodies) {
            scree_error_set(error, s->name, 0, 0, "wall %d is body %d, expected 0 to %d", k, (int)o->wall[k],
                            bodies - 1);
            return SCREE_ERR_INPUT;
        }
    return cut_files(s, o, error);
}

/// Where the bodies were that the measures watch.
static scree_status read_places(h5_source *s, scree_measures *m)
{
    int64_t count;
    if (!m || !m->watches) return SCREE_OK;
    scree_status status = h5_count(s, PLACES, 'd', 3, &count);
    if (status == SCREE_OK) status = measures_reserve(m, (int)count);
    if (status == SCREE_ERR_MEMORY) scree_error_set(s->error, s->name, 0, 0, "out of memory while reading");
    if (status != SCREE_OK) return status;
    h5_list list = h5_packed(PLACES, 'd', 3, count, m->before);
    status = h5_read(s, &list);
    if (status == SCREE_OK) m->watched = (int)count;
    return status;
}

/// What is read before it is known to be whole.
typedef struct checkpoint_target {
    list_set set;
    scree_run_totals totals;
    stored_report last;
} checkpoint_target;

static scree_status read_checkpoint(h5_source *s, checkpoint_target *to, scree_output *output, scree_world *world,
                                    int64_t *source, int source_count, scree_error *error)
{
    h5_list sources = h5_packed("/sources", 'q', 1, source_count, source);
    scree_status status = read_format(s, error);
    if (status == SCREE_OK) status = h5_read(s, &sources);
    add_totals(&to->set, &to->totals);
    add_report(&to->set, &to->last);
    add_measures(&to->set, output->options.measures);
    if (status == SCREE_OK) status = read_lists(s, &to->set);
    if (status == SCREE_OK) status = read_places(s, output->options.measures);
    if (status == SCREE_OK) status = read_world(s, &to->set, world, error);
    if (status == SCREE_OK) status = read_output(s, output, scree_world_body_count(world), error);
    return status;
}

scree_status scree_checkpoint_read(scree_output *output, scree_world *world, scree_run_totals *totals,
                                   scree_step_report *report, int64_t *source, int source_count, scree_error *error)
{
    char path[FILE_PATH_MAX];
    h5_source s;
    if (error_stopped(error)) return error->status;
    checkpoint_target *to = memory_array(&output->allocator, 1, sizeof *to);
    scree_status status = to && set_make(&to->set, output) == SCREE_OK ? output_path(output, FILE_NAME, path, error)
                                                                       : output_no_memory(output, error);
    if (status == SCREE_OK) status = h5_open(path, &output->allocator, &s, error);
    if (status == SCREE_OK) {
        status = read_checkpoint(&s, to, output, world, source, source_count, error);
        h5_close(&s);
    }
    if (status == SCREE_OK) *totals = to->totals, *report = report_unpack(&to->last);
    if (to) set_free(&to->set);
    memory_free(&output->allocator, to);
    return error_keep(error, status);
}
