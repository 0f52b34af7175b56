/* result.c: a run's folder read back (scree/result.h): the texts whole, series.csv as columns, frames.scree by its index. */
#define _XOPEN_SOURCE 700 /* newlocale, uselocale */
#include "run/formats.h"
#include "run/frames.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/read.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct scree_result {
    scree_allocator allocator;
    char directory[FILE_PATH_MAX];
    char *scene, *summary, *series; /* texts; the series is cut into its fields                            */
    char **field;                   /* (rows + 1) x columns; the first line has the names                  */
    double *value;                  /* columns x rows                                                       */
    int rows, columns;
    frames_file frames;
};

static scree_status no_memory(const scree_result *r, scree_error *error)
{
    scree_error_set(error, r ? r->directory : NULL, 0, 0, "out of memory while reading");
    return SCREE_ERR_MEMORY;
}

/* ---- texts ------------------------------------------------------------------------------------------------------------------- */

/// DIR/name whole, with a 0 behind it; "" if there is no such file. `*there`: whether there is one.
static scree_status read_text(scree_result *r, const char *name, char **text, int *there, scree_error *error)
{
    char path[FILE_PATH_MAX + 16];
    struct stat is;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", r->directory, name);
    *there = stat(path, &is) == 0 || errno != ENOENT;
    if (!*there) {
        *text = memory_array(&r->allocator, 1, 1);
        return *text ? SCREE_OK : no_memory(r, error);
    }
    scree_status status = file_read(path, SIZE_MAX, NULL, &r->allocator, text, &size, error);
    if (status == SCREE_OK && strlen(*text) != size) {
        scree_error_set(error, path, 0, 0, "the file is no text: it holds a zero byte");
        status = SCREE_ERR_INPUT;
    }
    return status;
}

/* ---- series.csv ------------------------------------------------------------------------------------------------------------------ */

/// Whole lines of the text: one that does not end is still being written.
static int count_lines(const char *text)
{
    int lines = 0;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) ++lines;
    return lines;
}

static int count_columns(const char *line)
{
    int columns = 1, quoted = 0;
    for (; *line && *line != '\n'; ++line) {
        if (*line == '"') quoted = !quoted;
        columns += *line == ',' && !quoted;
    }
    return columns;
}

static scree_status cut_series(scree_result *r, int lines, scree_error *error)
{
    char *at = r->series, path[FILE_PATH_MAX + 16];
    for (int line = 0; line < lines; ++line) {
        int found = 0;
        for (int last = 0; !last; ++found) {
            char *field;
            at = scree_csv_cut(at, &field, &last);
            if (found < r->columns) r->field[(size_t)line * (size_t)r->columns + (size_t)found] = field;
        }
        if (found == r->columns) continue;
        snprintf(path, sizeof path, "%s/series.csv", r->directory);
        scree_error_set(error, path, line + 1, 0, "%d fields, expected %d as in the first line", found, r->columns);
        return SCREE_ERR_INPUT;
    }
    return SCREE_OK;
}

/// The numbers of the fields; a locale's decimal comma must not reach strtod.
static void read_values(scree_result *r)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = (locale_t)0;
    if (plain != (locale_t)0) before = uselocale(plain);
    int hash = scree_result_find_column(r, "hash"); /* some read as numbers: 12e45678 */
    for (int row = 0; row < r->rows; ++row)
        for (int column = 0; column < r->columns; ++column) {
            const char *text = scree_result_field(r, row, column);
            char *end;
            double x = strtod(text, &end);
            int is_number = end != text && *end == '\0' && column != hash;
            r->value[(size_t)column * (size_t)r->rows + (size_t)row] = is_number ? x : (double)NAN;
        }
    if (plain != (locale_t)0) uselocale(before), freelocale(plain);
}

static scree_status read_series(scree_result *r, int *there, scree_error *error)
{
    scree_status status = read_text(r, "series.csv", &r->series, there, error);
    int lines = status == SCREE_OK ? count_lines(r->series) : 0;
    if (lines == 0) return status;
    r->columns = count_columns(r->series), r->rows = lines - 1;
    r->field = memory_array(&r->allocator, (size_t)lines * (size_t)r->columns, sizeof *r->field);
    r->value = memory_array(&r->allocator, (size_t)lines * (size_t)r->columns, sizeof *r->value);
    if (!r->field || !r->value) return no_memory(r, error);
    status = cut_series(r, lines, error);
    if (status == SCREE_OK) read_values(r);
    return status;
}

int scree_result_row_count(const scree_result *r)
{
    return r->rows;
}

int scree_result_column_count(const scree_result *r)
{
    return r->columns;
}

const char *scree_result_column_name(const scree_result *r, int column)
{
    SCREE_ASSERT(column >= 0 && column < r->columns);
    return r->field[column];
}

int scree_result_find_column(const scree_result *r, const char *name)
{
    for (int k = 0; k < r->columns; ++k)
        if (strcmp(r->field[k], name) == 0) return k;
    return -1;
}

const double *scree_result_column(const scree_result *r, int column)
{
    SCREE_ASSERT(column >= 0 && column < r->columns);
    return r->value + (size_t)column * (size_t)r->rows;
}

const char *scree_result_field(const scree_result *r, int row, int column)
{
    SCREE_ASSERT(row >= 0 && row < r->rows && column >= 0 && column < r->columns);
    return r->field[((size_t)row + 1) * (size_t)r->columns + (size_t)column];
}

/* ---- the folder ------------------------------------------------------------------------------------------------------------------- */

static scree_status read_folder(scree_result *r, scree_error *error)
{
    char path[FILE_PATH_MAX + 16];
    int scene = 0, summary = 0, series = 0;
    snprintf(path, sizeof path, "%s/frames.scree", r->directory);
    scree_status status = read_text(r, "scene.yaml", &r->scene, &scene, error);
    if (status == SCREE_OK) status = read_text(r, "summary.json", &r->summary, &summary, error);
    if (status == SCREE_OK) status = read_series(r, &series, error);
    if (status == SCREE_OK) status = frames_open(&r->frames, path, &r->allocator, error);
    if (status != SCREE_OK || scene || summary || series || r->frames.fd >= 0) return status;
    struct stat is;
    int folder = stat(r->directory, &is) == 0;
    scree_error_set(error, r->directory, 0, 0,
                    folder ? "this is not the folder of a run: it has none of scene.yaml, series.csv, frames.scree"
                           : "there is no such folder, expected one that scree run wrote");
    return SCREE_ERR_INPUT;
}

scree_result *scree_result_open(const char *directory, const scree_allocator *allocator, scree_error *error)
{
    if (error_stopped(error)) return NULL;
    scree_allocator a = memory_allocator(allocator);
    scree_result *r = memory_array(&a, 1, sizeof *r);
    if (!r) {
        error_keep(error, no_memory(NULL, error));
        return NULL;
    }
    r->allocator = a, r->frames.fd = -1, r->frames.allocator = a;
    size_t length = strlen(directory);
    scree_status status = SCREE_ERR_FILE;
    if (length < sizeof r->directory) {
        memcpy(r->directory, directory, length + 1);
        status = read_folder(r, error);
    } else scree_error_set(error, directory, 0, 0, "the name of the folder is too long");
    if (error_keep(error, status) == SCREE_OK) return r;
    scree_result_close(r);
    return NULL;
}

void scree_result_close(scree_result *r)
{
    if (!r) return;
    scree_allocator a = r->allocator;
    frames_close(&r->frames);
    memory_free(&a, r->scene), memory_free(&a, r->summary), memory_free(&a, r->series);
    memory_free(&a, r->field), memory_free(&a, r->value);
    memory_free(&a, r);
}

const char *scree_result_scene(const scree_result *r)
{
    return r->scene;
}

const char *scree_result_summary(const scree_result *r)
{
    return r->summary;
}

/* ---- frames ---------------------------------------------------------------------------------------------------------------------------- */

int scree_result_frame_count(const scree_result *r)
{
    return r->frames.frame_count;
}

const double *scree_result_frame_times(const scree_result *r)
{
    return r->frames.time;
}

int scree_result_nearest_frame(const scree_result *r, double time)
{
    int best = -1;
    for (int k = 0; k < r->frames.frame_count; ++k)
        if (best < 0 || fabs(r->frames.time[k] - time) < fabs(r->frames.time[best] - time)) best = k;
    return best;
}

int scree_result_body_count(const scree_result *r)
{
    return r->frames.all.count[FRAME_BODIES];
}

int scree_result_shape_count(const scree_result *r)
{
    return r->frames.all.count[FRAME_SHAPES];
}

const scree_shape *scree_result_shapes(const scree_result *r)
{
    return r->frames.all.shape;
}

const int32_t *scree_result_shape_bodies(const scree_result *r)
{
    return r->frames.all.shape_body;
}

char *scree_result_body_name(const scree_result *r, int body, char *buffer, size_t size)
{
    return frames_body_name(&r->frames, body, scree_result_body_count(r), buffer, size);
}

int scree_result_joint_count(const scree_result *r)
{
    return r->frames.all.count[FRAME_JOINTS];
}

const scree_frame_joint *scree_result_joints(const scree_result *r)
{
    return r->frames.all.joint;
}

int scree_result_material_count(const scree_result *r)
{
    return r->frames.all.count[FRAME_MATERIALS];
}

const char *scree_result_material_name(const scree_result *r, int material)
{
    SCREE_ASSERT(material >= 0 && material < scree_result_material_count(r));
    return r->frames.all.material_names + r->frames.material_at[material];
}

scree_frame *scree_result_frame(scree_result *r, int index, scree_error *error)
{
    scree_frame *frame = NULL;
    if (error_stopped(error)) return NULL;
    return error_keep(error, frames_read(&r->frames, index, &frame, error)) == SCREE_OK ? frame : NULL;
}

/* ---- other formats -------------------------------------------------------------------------------------------------------------------- */

static char *name_in_file(const frame_source *f, int body, char *buffer, size_t size)
{
    return frames_body_name(f->owner, body, f->state.body_count, buffer, size);
}

/// One frame, as the run would have written it.
static scree_status convert_frame(scree_result *r, int index, scree_output *output, scree_error *error)
{
    scree_frame *state = NULL;
    scree_status status = frames_read(&r->frames, index, &state, error);
    if (status != SCREE_OK) return status;
    const frame_source f = {.state = *state, .body_name = name_in_file, .owner = &r->frames};
    output->frames = index;
    status = output_write_frame(output, &f, error);
    scree_frame_free(state);
    return status;
}

scree_status scree_result_convert(scree_result *r, unsigned formats, const char *directory, int first, int last,
                                  scree_error *error)
{
    SCREE_ASSERT(first >= 0 && first <= last && last < r->frames.frame_count);
    scree_error own = {0};
    if (!error) error = &own;
    if (error_stopped(error)) return error->status;
    for (int k = 0; k < SCREE_FORMAT_COUNT; ++k)
        if (formats >> k & 1U && output_format_at(k)->needs_world) {
            scree_error_set(error, r->directory, 0, 0, "the format '%s' is made by a run only, expected another one",
                            scree_format_name(k));
            return error_keep(error, SCREE_ERR_UNSUPPORTED);
        }
    scree_output_options options = scree_output_options_default();
    options.directory = directory, options.formats = formats, options.allocator = &r->allocator;
    scree_output *output = output_open(&options, 0, error);
    scree_status status = error->status;
    for (int k = first; k <= last && status == SCREE_OK; ++k) status = convert_frame(r, k, output, error);
    scree_output_destroy(output);
    return error_keep(error, status);
}
