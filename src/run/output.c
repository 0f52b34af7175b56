/* output.c: the door of the output: makes the folder, keeps the growing files, and hands each frame to the writers.
 *
 * Memory is asked for at create and at the first frame (the list of walls); a later frame allocates nothing. */
#include "run/formats.h"
#include "run/measures.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "collision/collide.h"
#include "math/quat.h"
#include "math/scalar.h"

#include <stdio.h>
#include <string.h>

scree_output_options scree_output_options_default(void)
{
    return (scree_output_options){.cookie = SCREE_COOKIE, .directory = "out", .formats = SCREE_FORMAT_FRAMES};
}

scree_status output_path(const scree_output *o, const char *name, char path[FILE_PATH_MAX], scree_error *error)
{
    int n = snprintf(path, FILE_PATH_MAX, "%s/%s", o->directory, name);
    if (n > 0 && n < FILE_PATH_MAX) return SCREE_OK;
    scree_error_set(error, o->directory, 0, 0, "the name of the folder is too long");
    return SCREE_ERR_WRITE;
}

scree_status output_table(scree_output *o, const char *kind, out_file *f, scree_error *error)
{
    char path[FILE_PATH_MAX], name[64];
    snprintf(name, sizeof name, "%s/%s_%06lld.csv", kind, kind, (long long)o->frames);
    scree_status status = output_path(o, name, path, error);
    return status == SCREE_OK ? file_create(f, path, o->buffer, error) : status;
}

scree_status output_no_memory(const scree_output *o, scree_error *error)
{
    scree_error_set(error, o ? o->directory : NULL, 0, 0, "out of memory while writing");
    return SCREE_ERR_MEMORY;
}

/* ---- creating ---------------------------------------------------------------------------------------------------------- */

/// 1: the options have the format with this index.
static int has_format(const scree_output *o, int index)
{
    return (int)(o->options.formats >> index & 1U);
}

static scree_status make_folders(const scree_output *o, scree_error *error)
{
    scree_status status = scree_folder_make(o->directory, error);
    for (int k = 0; k < SCREE_FORMAT_COUNT; ++k)
        for (int n = 0; n < FORMAT_FILES_MAX && status == SCREE_OK && has_format(o, k); ++n) {
            char path[FILE_PATH_MAX];
            const char *folder = output_format_at(k)->numbered[n].folder;
            if (!folder) break;
            status = output_path(o, folder, path, error);
            if (status == SCREE_OK) status = scree_folder_make(path, error);
        }
    return status;
}

static scree_status open_growing(scree_output *o, int index, const char *name, const char *tail, scree_error *error)
{
    char path[FILE_PATH_MAX];
    scree_status status = output_path(o, name, path, error);
    if (status != SCREE_OK) return status;
    return growing_open(&o->growing[index], path, tail, o->options.resume, o->buffer, error);
}

/// profile_NAME.csv of the measures that have rows.
static scree_status open_profiles(scree_output *o, scree_error *error)
{
    const scree_measures *m = o->options.measures;
    scree_status status = SCREE_OK;
    for (int k = 0, at = o->profile_at; m && k < m->count && status == SCREE_OK; ++k) {
        if (m->item[k].kind->rows) status = open_growing(o, at++, m->item[k].file, "", error);
    }
    return status;
}

static scree_status write_profiles(scree_output *o, double time, scree_error *error)
{
    const scree_measures *m = o->options.measures;
    scree_status status = SCREE_OK;
    for (int k = 0, at = o->profile_at; m && k < m->count && status == SCREE_OK; ++k) {
        if (!m->item[k].kind->rows) continue;
        out_file *file = &o->growing[at++];
        if (file->size == 0) file_text(file, m->item[k].kind->header);
        m->item[k].kind->rows(&m->item[k], time, file);
        status = growing_commit(file, error);
    }
    return status;
}

/// All files that grow: those of the series, then those of each format.
static scree_status open_all_growing(scree_output *o, int series, scree_error *error)
{
    o->growing_count = OUT_FORMATS;
    for (int k = 0; k < SCREE_FORMAT_COUNT; ++k) {
        o->format_at[k] = o->growing_count;
        if (has_format(o, k)) o->growing_count += format_growing_count(output_format_at(k));
    }
    o->profile_at = o->growing_count;
    for (int k = 0; series && o->options.measures && k < o->options.measures->count; ++k)
        o->growing_count += o->options.measures->item[k].kind->rows != NULL;
    o->growing = memory_array(&o->allocator, (size_t)o->growing_count, sizeof *o->growing);
    if (!o->growing) return output_no_memory(o, error);
    scree_status status = series ? open_growing(o, OUT_SERIES, "series.csv", "", error) : SCREE_OK;
    if (status == SCREE_OK && series) status = open_growing(o, OUT_TIMING, "timing.csv", "", error);
    for (int k = 0; k < SCREE_FORMAT_COUNT; ++k) {
        const output_format *format = output_format_at(k);
        int files = has_format(o, k) ? format_growing_count(format) : 0;
        for (int n = 0; n < files && status == SCREE_OK; ++n)
            status = open_growing(o, o->format_at[k] + n, format->growing[n].name, format->growing[n].tail, error);
    }
    return status == SCREE_OK && series ? open_profiles(o, error) : status;
}

const char *output_growing_name(const scree_output *o, int index)
{
    return o->growing[index].path + strlen(o->directory) + 1;
}

scree_output *scree_output_create(const scree_output_options *options, scree_error *error)
{
    return output_open(options, 1, error);
}

static scree_status open_files(scree_output *o, int series, scree_error *error)
{
    o->buffer = memory_array(&o->allocator, FILE_BUFFER, 1);
    if (!o->buffer) return output_no_memory(o, error);
    if (series && !o->options.claimed) {
        scree_error why = {0};
        o->claim = scree_folder_claim_take(o->directory, "an output", 0.0, &o->allocator, &why);
        if (!o->claim && error) *error = why;
        if (!o->claim) return why.status;
    }
    scree_status status = make_folders(o, error);
    return status == SCREE_OK ? open_all_growing(o, series, error) : status;
}

scree_output *output_open(const scree_output_options *options, int series, scree_error *error)
{
    if (error_stopped(error)) return NULL;
    const scree_output_options chosen = options ? *options : scree_output_options_default();
    if (!error_cookie(chosen.cookie, "scree_output_options_default", error)) return NULL;
    if (chosen.formats >> SCREE_FORMAT_COUNT != 0 || !chosen.directory) {
        scree_error_set(error, NULL, 0, 0, "formats %#x into the folder '%s', expected formats below %#x and a folder",
                        chosen.formats, chosen.directory ? chosen.directory : "", 1U << SCREE_FORMAT_COUNT);
        error_keep(error, SCREE_ERR_INPUT);
        return NULL;
    }
    scree_allocator a = memory_allocator(chosen.allocator);
    if (strlen(chosen.directory) >= FILE_PATH_MAX) {
        scree_error_set(error, chosen.directory, 0, 0, "the name of the folder is too long");
        error_keep(error, SCREE_ERR_WRITE);
        return NULL;
    }
    scree_output *o = memory_array(&a, 1, sizeof *o);
    if (!o) {
        error_keep(error, output_no_memory(NULL, error));
        return NULL;
    }
    o->allocator = a, o->options = chosen;
    text_copy(o->directory, sizeof o->directory, chosen.directory);
    o->options.directory = o->directory, o->options.allocator = &o->allocator;
    scree_status status = open_files(o, series, error);
    if (status == SCREE_OK) return o;
    scree_output_destroy(o);
    error_keep(error, status);
    return NULL;
}

void scree_output_destroy(scree_output *output)
{
    if (!output) return;
    scree_allocator a = output->allocator;
    for (int k = 0; k < output->growing_count && output->growing; ++k) growing_close(&output->growing[k]);
    scree_folder_claim_release(output->claim);
    MEMORY_FREE_ALL(&a, output->growing, output->buffer, output->wall, output);
}

/* ---- what the writers share ---------------------------------------------------------------------------------------------- */

void output_shape_motion(const scree_frame *f, int index, double velocity[3], double spin[3])
{
    size_t b = (size_t)f->shape_body[index];
    double arm[3], turn[3];
    quat_rotate(f->rotation + 4 * b, f->angular_velocity + 3 * b, spin);
    quat_rotate(f->rotation + 4 * b, f->shape[index].position, arm);
    vec_cross(spin, arm, turn);
    vec_add_scaled(f->velocity + 3 * b, 1.0, turn, velocity);
}

double scree_shape_extent(const scree_shape *shape)
{
    return shape->kind == SCREE_SHAPE_PLANE ? 0.0 : shape_radius(shape);
}

/// Half of the least of the lengths along x, y and z.
static double least_width(const scree_geometry *geometry)
{
    double low[3] = {SCREE_INFINITY, SCREE_INFINITY, SCREE_INFINITY},
           high[3] = {-SCREE_INFINITY, -SCREE_INFINITY, -SCREE_INFINITY}, x[3];
    for (int k = 0; k < scree_geometry_vertex_count(geometry); ++k) {
        scree_geometry_vertex(geometry, k, x);
        for (int i = 0; i < 3; ++i) low[i] = number_min(low[i], x[i]), high[i] = number_max(high[i], x[i]);
    }
    return 0.5 * number_min(high[0] - low[0], number_min(high[1] - low[1], high[2] - low[2]));
}

double scree_shape_min_half_width(const scree_shape *shape)
{
    switch (shape->kind) {
    case SCREE_SHAPE_BOX:
    case SCREE_SHAPE_ELLIPSOID: return number_min(shape->size[0], number_min(shape->size[1], shape->size[2]));
    case SCREE_SHAPE_CYLINDER:
    case SCREE_SHAPE_BOWL:
    case SCREE_SHAPE_CONE: return number_min(shape->size[0], shape->size[1]);
    case SCREE_SHAPE_TUBE: return number_min(number_max(shape->size[0], shape->size[1]), shape->size[2]);
    default: return shape->geometry ? shape->size[0] * least_width(shape->geometry) : shape->size[0];
    }
}

/* ---- frames -------------------------------------------------------------------------------------------------------------- */

/// The bodies that get columns in the series.
static scree_status find_walls(scree_output *o, const scree_world *world, scree_error *error)
{
    int bodies = scree_world_body_count(world), count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        count = 0;
        for (int b = 0; b < bodies; ++b) {
            scree_body_kind kind = scree_world_body_kind(world, scree_body_at(b));
            if (kind != SCREE_BODY_FIXED && kind != SCREE_BODY_DRIVEN) continue;
            if (pass == 1) o->wall[count] = b;
            count += 1;
        }
        if (pass == 0 && !(o->wall = memory_array(&o->allocator, (size_t)count + 1, sizeof *o->wall)))
            return output_no_memory(o, error);
    }
    o->wall_count = count, o->walls_known = 1;
    return SCREE_OK;
}

static char *name_in_world(const frame_source *f, int body, char *buffer, size_t size)
{
    return scree_world_body_name(f->owner, scree_body_at(body), buffer, size);
}

scree_status scree_output_frame(scree_output *output, const scree_world *world, const scree_step_report *report,
                                const scree_run_totals *totals, scree_error *error)
{
    static const scree_step_report nothing = {.penetration_contact = -1};
    const frame_source f = {.state = scree_frame_of_world(world, report ? report->h : 0.0),
                            .body_name = name_in_world,
                            .owner = world,
                            .world = world,
                            .report = report ? report : &nothing,
                            .totals = totals};
    if (error_stopped(error)) return error->status;
    scree_status status = output->walls_known ? SCREE_OK : find_walls(output, world, error);
    if (status == SCREE_OK) status = scree_measures_take(output->options.measures, world, f.state.h, error);
    if (status == SCREE_OK) status = output_write_frame(output, &f, error);
    if (status == SCREE_OK) status = write_profiles(output, f.state.time, error);
    if (status == SCREE_OK) status = series_write(output, &f, error);
    if (status == SCREE_OK) output->frames += 1;
    return error_keep(error, status);
}

scree_status output_write_frame(scree_output *o, const frame_source *f, scree_error *error)
{
    scree_status status = SCREE_OK;
    for (int k = 0; k < SCREE_FORMAT_COUNT && status == SCREE_OK; ++k)
        if (has_format(o, k)) status = output_format_at(k)->frame(o, &o->growing[o->format_at[k]], f, error);
    return status;
}

int64_t scree_output_frame_count(const scree_output *output)
{
    return output->frames;
}

/* ---- single files ---------------------------------------------------------------------------------------------------------- */

scree_status scree_output_problem(scree_output *output, const scree_problem *problem, const double *p, int64_t step,
                                  scree_error *error)
{
    char path[FILE_PATH_MAX], name[64];
    if (error_stopped(error)) return error->status;
    scree_status status = output_path(output, "problems", path, error);
    if (status == SCREE_OK && output->problem_count == 0) status = scree_folder_make(path, error);
    snprintf(name, sizeof name, "problems/step_%06lld.hdf5", (long long)step);
    if (status == SCREE_OK) status = output_path(output, name, path, error);
    if (status == SCREE_OK) status = scree_problem_write(problem, p, path, error);
    if (status == SCREE_OK) output->problem_count += 1;
    return error_keep(error, status);
}

scree_status scree_output_text(scree_output *output, const char *name, const char *text, scree_error *error)
{
    char path[FILE_PATH_MAX];
    if (error_stopped(error)) return error->status;
    scree_status status = output_path(output, name, path, error);
    return error_keep(error, status == SCREE_OK ? scree_file_replace(path, text, strlen(text), error) : status);
}
