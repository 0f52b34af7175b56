/* checkpoint.c: DIR/checkpoint.h5, everything needed to go on with the same bits (docs/formats.md).
 *
 * The state of the world is what world_fields lists (world/state.c); this file does not know its names. Beside it: totals, the
 * sizes of the growing files, the numbers of the sources, the text of the scene, the caller's settings. Before the checkpoint
 * takes its name, the growing files are on the disk as far as it says, and so is the checkpoint. */
#include "run/frames.h"
#include "run/h5.h"

#include "base/memory.h"
#include "base/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT = 7, TOTAL_COUNTS = 5, TOTAL_VALUES = 13, OWN_LISTS = 16, LISTS = OWN_LISTS + WORLD_FIELDS_MAX };
enum { LEDGER_VALUES = sizeof(scree_ledger) / sizeof(double) };
_Static_assert(LEDGER_VALUES * sizeof(double) == sizeof(scree_ledger), "a ledger is a list of doubles");

static const char FILE_NAME[] = "checkpoint.h5";

/* ---- totals as lists ----------------------------------------------------------------------------------------------------- */

typedef struct packed_totals {
    int64_t count[TOTAL_COUNTS];
    double value[TOTAL_VALUES];
    double energy[LEDGER_VALUES];
} packed_totals;

static packed_totals totals_pack(const scree_run_totals *t)
{
    packed_totals p = {{t->steps, t->unconverged, t->retries, t->iterations, t->certified},
                       {t->residual_max, t->residual_sum, t->penetration_max, t->seconds_detect, t->seconds_assemble,
                        t->seconds_solve, t->seconds_update, t->scaled_max, t->scaled_sum, t->cone_violation_max,
                        t->slip_at_stick_max, t->joint_error_max, t->joint_twist_max},
                       {0}};
    memcpy(p.energy, &t->energy, sizeof p.energy);
    return p;
}

static scree_run_totals totals_unpack(const packed_totals *p)
{
    scree_run_totals t = {.steps = p->count[0], .unconverged = p->count[1], .retries = p->count[2]};
    t.iterations = p->count[3], t.certified = p->count[4];
    t.scaled_max = p->value[7], t.scaled_sum = p->value[8];
    t.cone_violation_max = p->value[9], t.slip_at_stick_max = p->value[10];
    t.joint_error_max = p->value[11], t.joint_twist_max = p->value[12];
    t.residual_max = p->value[0], t.residual_sum = p->value[1], t.penetration_max = p->value[2];
    t.seconds_detect = p->value[3], t.seconds_assemble = p->value[4];
    t.seconds_solve = p->value[5], t.seconds_update = p->value[6];
    memcpy(&t.energy, p->energy, sizeof p->energy);
    return t;
}

static void add_totals(h5_list *list, int *n, packed_totals *p)
{
    list[(*n)++] = h5_packed("/totals/counts", 'q', 1, TOTAL_COUNTS, p->count);
    list[(*n)++] = h5_packed("/totals/values", 'd', 1, TOTAL_VALUES, p->value);
    list[(*n)++] = h5_packed("/totals/energy", 'd', 1, LEDGER_VALUES, p->energy);
}

/* ---- the report of the last step as lists ---------------------------------------------------------------------------------- */

enum { REPORT_OWN = 11, REPORT_COUNTS = REPORT_OWN + SCREE_MODE_COUNT, REPORT_VALUES = 12, SOLVER_NAME = 64 };

typedef struct packed_report {
    int64_t count[REPORT_COUNTS];
    double value[REPORT_VALUES];
    double energy[LEDGER_VALUES];
    char solver[SOLVER_NAME];
} packed_report;

static packed_report report_pack(const scree_step_report *r)
{
    packed_report p = {.count = {0}};
    if (!r) return p;
    const int64_t count[REPORT_OWN] = {r->step,    r->bodies,        r->contacts,
                                       r->active,  r->solve.outcome, r->solve.iterations,
                                       r->retries, r->unconverged,   r->penetration_contact,
                                       r->joints,  r->joint_worst};
    const double value[REPORT_VALUES] = {r->time,           r->h,
                                         r->penetration,    r->penetration_speed,
                                         r->solve.residual, r->solve.seconds,
                                         r->seconds_detect, r->seconds_assemble,
                                         r->seconds_solve,  r->seconds_update,
                                         r->joint_error,    r->joint_twist};
    memcpy(p.count, count, sizeof count);
    for (int m = 0; m < SCREE_MODE_COUNT; ++m) p.count[REPORT_OWN + m] = r->modes[m];
    memcpy(p.value, value, sizeof value);
    memcpy(p.energy, &r->energy, sizeof p.energy);
    text_copy(p.solver, sizeof p.solver, r->solve.solver ? r->solve.solver : "");
    return p;
}

static scree_step_report report_unpack(const packed_report *p)
{
    const int64_t *c = p->count;
    const double *v = p->value;
    scree_step_report r = {.step = c[0], .bodies = (int)c[1], .contacts = (int)c[2], .active = (int)c[3]};
    r.solve.outcome = (scree_outcome)c[4], r.solve.iterations = (int)c[5];
    r.retries = (int)c[6], r.unconverged = (int)c[7], r.penetration_contact = (int)c[8];
    r.joints = (int)c[9], r.joint_worst = (int)c[10], r.joint_error = v[10], r.joint_twist = v[11];
    for (int m = 0; m < SCREE_MODE_COUNT; ++m) r.modes[m] = (int)c[REPORT_OWN + m];
    r.time = v[0], r.h = v[1], r.penetration = v[2], r.penetration_speed = v[3];
    r.solve.residual = v[4], r.solve.seconds = v[5];
    r.seconds_detect = v[6], r.seconds_assemble = v[7], r.seconds_solve = v[8], r.seconds_update = v[9];
    memcpy(&r.energy, p->energy, sizeof p->energy);
    const scree_solver_class *class = scree_solver_class_find(p->solver); /* a name that outlives the checkpoint */
    if (class) r.solve.solver = scree_solver_class_name(class);
    return r;
}

static void add_report(h5_list *list, int *n, packed_report *p)
{
    list[(*n)++] = h5_packed("/report/counts", 'q', 1, REPORT_COUNTS, p->count);
    list[(*n)++] = h5_packed("/report/values", 'd', 1, REPORT_VALUES, p->value);
    list[(*n)++] = h5_packed("/report/energy", 'd', 1, LEDGER_VALUES, p->energy);
    list[(*n)++] = h5_packed("/report/solver", 'b', 1, SOLVER_NAME, p->solver);
}

/* ---- the world as lists ---------------------------------------------------------------------------------------------------- */

typedef char world_path[64];

/// Lists of the world's fields; `path` (WORLD_FIELDS_MAX) holds their names.
static void add_world(h5_list *list, int *n, scree_world *world, world_path *path)
{
    world_field field[WORLD_FIELDS_MAX];
    int fields = world_fields(world, field);
    for (int k = 0; k < fields; ++k) {
        snprintf(path[k], sizeof path[k], "/world/%s", field[k].name);
        list[*n] = h5_packed(path[k], field[k].type, field[k].width, field[k].count, field[k].data);
        list[(*n)++].stride = field[k].stride;
    }
}

/* ---- writing --------------------------------------------------------------------------------------------------------------- */

/// What the checkpoint says the sizes of, onto the disk.
static scree_status sync_files(const scree_output *o, scree_error *error)
{
    scree_status status = SCREE_OK;
    for (int k = 0; k < OUT_GROWING && status == SCREE_OK; ++k)
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

scree_status scree_checkpoint_write(scree_output *output, const scree_world *world, const scree_run_totals *totals,
                                    const scree_checkpoint *checkpoint, scree_error *error)
{
    h5_list list[LISTS];
    world_path path[WORLD_FIELDS_MAX];
    int32_t counts[WORLD_COUNTS], format = FORMAT;
    int64_t sizes[OUT_GROWING], hash = (int64_t)scree_world_hash(world);
    packed_totals packed = totals_pack(totals);
    packed_report last = report_pack(checkpoint->report);
    int n = 0;
    scree_status read = world_sync(world, PART_ALL);
    if (read != SCREE_OK) {
        scree_error_set(error, NULL, 0, 0, "no memory to read the contacts of the world");
        return read;
    }
    scree_world copy = *world; /* its lists can be written through; nothing is written */

    for (int k = 0; k < OUT_GROWING; ++k) sizes[k] = output->growing[k].size;
    world_counts(world, counts);
    list[n++] = h5_packed("/format", 'i', 1, 1, &format);
    list[n++] = h5_constant("/scene", 'b', 1, (int64_t)strlen(checkpoint->scene), checkpoint->scene);
    list[n++] = h5_constant("/settings", 'd', 1, checkpoint->setting_count, checkpoint->setting);
    list[n++] = h5_constant("/sources", 'q', 1, checkpoint->source_count, checkpoint->source);
    list[n++] = h5_packed("/output/frames", 'q', 1, 1, &output->frames);
    list[n++] = h5_packed("/output/sizes", 'q', 1, OUT_GROWING, sizes);
    list[n++] = h5_packed("/output/walls", 'i', 1, output->wall_count, output->wall);
    list[n++] = h5_packed("/world_counts", 'i', 1, WORLD_COUNTS, counts);
    list[n++] = h5_packed("/world_hash", 'q', 1, 1, &hash);
    add_totals(list, &n, &packed);
    add_report(list, &n, &last);
    add_world(list, &n, &copy, path);

    h5_image image;
    scree_status status = sync_files(output, error);
    if (status != SCREE_OK) return status;
    status = h5_image_make(list, n, &output->allocator, &image);
    if (status != SCREE_OK) {
        scree_error_set(error, output->directory, 0, 0, "out of memory while writing a checkpoint");
        return status;
    }
    status = write_image(output, &image, error);
    h5_image_free(&image);
    return status;
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

scree_status scree_checkpoint_peek(const char *path, const scree_allocator *allocator, char **scene, double *setting,
                                   int setting_count, scree_error *error)
{
    h5_source s;
    void *text = NULL;
    int64_t length;
    h5_list settings = h5_packed("/settings", 'd', 1, setting_count, setting);
    *scene = NULL;
    scree_status status = h5_open(path, allocator, &s, error);
    if (status != SCREE_OK) return status;
    status = read_format(&s, error);
    if (status == SCREE_OK && setting_count > 0) status = h5_read(&s, &settings);
    if (status == SCREE_OK) status = read_all(&s, "/scene", 'b', 1, &text, &length);
    *scene = text;
    h5_close(&s);
    return status;
}

/// The world knows what is wrong with it, not in which file.
static scree_status named(const h5_source *s, scree_status status, scree_error *error)
{
    char place[512];
    snprintf(place, sizeof place, "%s::/world", s->name);
    if (error) scree_error_set(error, place, 0, 0, "%s", error->text);
    return status;
}

static scree_status read_world(h5_source *s, scree_world *world, scree_error *error)
{
    h5_list list[WORLD_FIELDS_MAX];
    world_path path[WORLD_FIELDS_MAX];
    int32_t counts[WORLD_COUNTS];
    int64_t hash;
    int n = 0;
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
    add_world(list, &n, world, path);
    for (int k = 0; k < n && status == SCREE_OK; ++k) status = h5_read(s, &list[k]);
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

/// Frames, walls, and the growing files cut back.
static scree_status read_output(h5_source *s, scree_output *o, int bodies, scree_error *error)
{
    int64_t sizes[OUT_GROWING], walls = 0;
    void *wall = NULL;
    h5_list frames = h5_packed("/output/frames", 'q', 1, 1, &o->frames);
    h5_list ends = h5_packed("/output/sizes", 'q', 1, OUT_GROWING, sizes);
    scree_status status = h5_read(s, &frames);
    if (status == SCREE_OK) status = h5_read(s, &ends);
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
    for (int k = 0; k < OUT_GROWING && status == SCREE_OK; ++k)
        if (o->growing[k].open) status = growing_cut(&o->growing[k], sizes[k], error);
    if (status == SCREE_OK && o->growing[OUT_FRAMES].open)
        status = frames_last_counts(o->growing[OUT_FRAMES].path, &o->allocator, o->framed, error);
    return status;
}

scree_status scree_checkpoint_read(scree_output *output, scree_world *world, scree_run_totals *totals,
                                   scree_step_report *report, int64_t *source, int source_count, scree_error *error)
{
    char path[FILE_PATH_MAX];
    h5_source s;
    h5_list list[8];
    packed_totals packed;
    packed_report last;
    int n = 0;
    scree_status status = output_path(output, FILE_NAME, path, error);
    if (status == SCREE_OK) status = h5_open(path, &output->allocator, &s, error);
    if (status != SCREE_OK) return status;
    status = read_format(&s, error);
    list[n++] = h5_packed("/sources", 'q', 1, source_count, source);
    add_totals(list, &n, &packed);
    add_report(list, &n, &last);
    for (int k = 0; k < n && status == SCREE_OK; ++k) status = h5_read(&s, &list[k]);
    if (status == SCREE_OK) status = read_world(&s, world, error);
    if (status == SCREE_OK) status = read_output(&s, output, scree_world_body_count(world), error);
    if (status == SCREE_OK) {
        *totals = totals_unpack(&packed);
        last.solver[SOLVER_NAME - 1] = '\0';
        *report = report_unpack(&last);
    }
    h5_close(&s);
    return status;
}
