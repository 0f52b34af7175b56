/* sweep_repeat.c: repetitions, and the table for people (sweep.h).
 *
 * Cases that differ in `seed` alone are repetitions of one experiment. Of n of them, with values x_k:
 *     mean m = sum x_k/n,  deviation s = sqrt(sum (x_k - m)^2/(n - 1)),  standard error s/sqrt(n)
 *     percentile p: linear between the sorted values, at p (n - 1) (Hyndman & Fan 1996, definition 7, as numpy has it)
 * Cases without a number (failed, not run) do not count; n says how many did.
 *
 * People see inputs in the unit in which they were given, and angles in degrees; index.csv and statistics.csv have SI. */
#include "cli/sweep/sweep.h"

#include <math.h>
#include <scree/files.h>
#include <stdlib.h>
#include <string.h>

int sweep_seed_axis(const sweep *s)
{
    for (int v = 0; v < s->vary_count && !s->zip; ++v)
        if (strcmp(s->vary[v].path, "seed") == 0) return s->vary[v].count > 1 ? v : -1;
    return -1;
}

double sweep_number(const sweep *s, int number, const char *name)
{
    char *end, *text = s->row[number] ? sweep_field(s, s->row[number], name) : NULL;
    double x = (double)NAN;
    if (text) {
        x = strtod(text, &end);
        if (end == text || *end) x = (double)NAN;
    }
    free(text);
    return x;
}

/* ---- units for people ------------------------------------------------------------------------------------------------------ */

sweep_unit sweep_input_unit(const sweep_vary *vary)
{
    sweep_unit unit = {"", 1.0};
    const char *value = strchr(vary->argument, '=');
    char *end;
    if (!value || vary->count == 0 || isnan(vary->value[0].number)) return unit;
    double given = strtod(value + 1, &end);
    if (end == value + 1) return unit;
    end += strspn(end, " ");
    size_t length = strcspn(end, ":,");
    while (length > 0 && end[length - 1] == ' ') --length;
    if (length == 0 || length >= sizeof unit.text) return unit;
    memcpy(unit.text, end, length);
    int at = 0;
    if (given == 0.0 && end[length] != '\0') { /* 0 deg says nothing: the end of the range, the next of the list */
        const char *next = end + strcspn(end, ":,");
        at = *next == ':' ? vary->count - 1 : 1;
        given = strtod(next + (*next != '\0'), NULL);
    }
    if (given != 0.0 && at < vary->count && vary->value[at].number != 0.0) unit.si = vary->value[at].number / given;
    else unit.text[0] = '\0';
    return unit;
}

sweep_unit sweep_result_unit(const char *name)
{
    static const double DEGREE = 0.017453292519943295;
    sweep_unit unit = {"", 1.0};
    char *text, *open;
    size_t size;
    FILE *out = cli_text_open(&text, &size);
    sweep_result_header(name, out);
    cli_text_close(out, &text);
    if ((open = strrchr(text, '['))) {
        snprintf(unit.text, sizeof unit.text, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
        if (strcmp(unit.text, "rad") == 0) unit = (sweep_unit){"deg", DEGREE};
    }
    free(text);
    return unit;
}

char *sweep_label(const char *name, const sweep_unit *unit)
{
    size_t size = strlen(name) + sizeof unit->text + 4;
    char *text = cli_memory(size);
    snprintf(text, size, unit->text[0] ? "%s [%s]" : "%s", name, unit->text);
    return text;
}

/* ---- statistics --------------------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(const double *sorted, int n, double share)
{
    double at = share * (n - 1);
    int k = (int)at;
    return k + 1 < n ? sorted[k] + (at - k) * (sorted[k + 1] - sorted[k]) : sorted[n - 1];
}

int sweep_group_first(const sweep *s, int group)
{
    int axis = sweep_seed_axis(s), inner = 1;
    if (axis < 0) return group;
    for (int v = axis + 1; v < s->vary_count; ++v) inner *= s->vary[v].count;
    return group / inner * inner * s->vary[axis].count + group % inner;
}

static int seed_stride(const sweep *s, int axis)
{
    int inner = 1;
    for (int v = axis + 1; v < s->vary_count; ++v) inner *= s->vary[v].count;
    return inner;
}

int sweep_group_count(const sweep *s)
{
    int axis = sweep_seed_axis(s);
    return axis < 0 ? s->count : s->count / s->vary[axis].count;
}

int sweep_group_values(const sweep *s, int group, const char *name, double *value)
{
    int axis = sweep_seed_axis(s), first = sweep_group_first(s, group), n = 0;
    for (int k = 0; k < (axis < 0 ? 1 : s->vary[axis].count); ++k) {
        double x = sweep_number(s, first + (axis < 0 ? 0 : k * seed_stride(s, axis)), name);
        if (isfinite(x)) value[n++] = x;
    }
    return n;
}

sweep_statistics sweep_group_statistics(const sweep *s, int group, const char *name)
{
    int axis = sweep_seed_axis(s);
    sweep_statistics t = {.mean = (double)NAN, .error = (double)NAN, .deviation = (double)NAN};
    double *x = cli_memory((size_t)(axis < 0 ? 1 : s->vary[axis].count) * sizeof *x), squares = 0.0;
    t.count = sweep_group_values(s, group, name, x);
    for (int k = 0; k < 5; ++k) t.percentile[k] = (double)NAN;
    if (t.count > 0) {
        static const double share[5] = {0.0, 0.1, 0.5, 0.9, 1.0};
        t.mean = 0.0;
        for (int k = 0; k < t.count; ++k) t.mean += x[k] / t.count;
        for (int k = 0; k < t.count; ++k) squares += (x[k] - t.mean) * (x[k] - t.mean);
        if (t.count > 1) t.deviation = sqrt(squares / (t.count - 1)), t.error = t.deviation / sqrt(t.count);
        qsort(x, (size_t)t.count, sizeof *x, by_value);
        for (int k = 0; k < 5; ++k) t.percentile[k] = percentile(x, t.count, share[k]);
    }
    free(x);
    return t;
}

int sweep_result_is_text(const char *name)
{
    return strcmp(name, "hash") == 0 || strcmp(name, "outcome") == 0 || strcmp(name, "message") == 0;
}

static void write_group(const sweep *s, int axis, int group, const char *result, FILE *f)
{
    sweep_statistics t = sweep_group_statistics(s, group, result);
    const double value[] = {t.mean,          t.error,         t.deviation,     t.percentile[0],
                            t.percentile[1], t.percentile[2], t.percentile[3], t.percentile[4]};
    for (int v = 0; v < s->vary_count; ++v) {
        if (v == axis) continue;
        sweep_put_text(s->vary[v].value[sweep_index_of(s, sweep_group_first(s, group), v)].column, f);
        fputc(',', f);
    }
    sweep_result_header(result, f);
    fprintf(f, ",%d", t.count);
    for (int i = 0; i < 8; ++i) fputc(',', f), sweep_put_number(value[i], f);
    fputc('\n', f);
}

scree_status sweep_write_statistics(const sweep *s, scree_error *error)
{
    char path[RUN_PATH_MAX];
    scree_new_file file;
    int axis = sweep_seed_axis(s);
    if (axis < 0) return SCREE_OK;
    if (scree_file_begin(run_folder_path(s->folder, "statistics.csv", path), &file, error) != SCREE_OK)
        return error->status;
    for (int v = 0; v < s->vary_count; ++v)
        if (v != axis) sweep_put_text(s->vary[v].path, file.stream), fputc(',', file.stream);
    fputs("result,count,mean,standard_error,deviation,least,percentile_10,median,percentile_90,largest\n", file.stream);
    for (int g = 0; g < sweep_group_count(s); ++g)
        for (int k = 0; k < s->result_count; ++k)
            if (!sweep_result_is_text(s->result[k])) write_group(s, axis, g, s->result[k], file.stream);
    return scree_file_end(&file, error);
}

/* ---- the table ----------------------------------------------------------------------------------------------------------------- */

enum { CELL = 96 };

void sweep_value_text(const sweep_vary *vary, int index, char *text, size_t size)
{
    sweep_unit unit = sweep_input_unit(vary);
    const sweep_value *value = &vary->value[index];
    if (isnan(value->number)) snprintf(text, size, "%.40s", value->column);
    else snprintf(text, size, "%.6g", value->number / unit.si);
}

static void cell_text(const sweep *s, int group, int column, char text[CELL])
{
    int axis = sweep_seed_axis(s), inputs = s->vary_count, first = sweep_group_first(s, group);
    if (column < inputs) {
        sweep_value_text(&s->vary[column], sweep_index_of(s, first, column), text, CELL);
        return;
    }
    const char *name = s->result[column - inputs];
    sweep_unit unit = sweep_result_unit(name);
    if (sweep_result_is_text(name)) {
        char *value = s->row[first] ? sweep_field(s, s->row[first], name) : NULL;
        snprintf(text, CELL, "%.20s", value ? value : "missing");
        free(value);
    } else if (axis < 0) snprintf(text, CELL, "%.6g", sweep_number(s, first, name) / unit.si);
    else {
        sweep_statistics t = sweep_group_statistics(s, group, name);
        snprintf(text, CELL, "%.5g +- %.2g (%d)", t.mean / unit.si, t.error / unit.si, t.count);
    }
}

void sweep_print_table(const sweep *s, FILE *out)
{
    enum { ROWS = 40 };
    int axis = sweep_seed_axis(s), columns = s->vary_count + s->result_count, groups = sweep_group_count(s);
    int rows = groups < ROWS ? groups : ROWS, width[SWEEP_VARY_MAX + SWEEP_RESULT_MAX] = {0};
    char text[CELL];
    for (int pass = 0; pass < 2; ++pass) /* how wide, then the lines */
        for (int g = -1; g < rows; ++g) {
            for (int c = 0; c < columns; ++c) {
                const char *name = c < s->vary_count ? s->vary[c].path : s->result[c - s->vary_count];
                if (c == axis || strcmp(name, "message") == 0 ||
                    (axis >= 0 && c >= s->vary_count && sweep_result_is_text(name)))
                    continue;
                if (g < 0) {
                    sweep_unit unit = c < s->vary_count ? sweep_input_unit(&s->vary[c]) : sweep_result_unit(name);
                    char *label = sweep_label(name, &unit);
                    snprintf(text, CELL, "%.90s", label);
                    free(label);
                } else cell_text(s, g, c, text);
                if (pass == 0 && (int)strlen(text) > width[c]) width[c] = (int)strlen(text);
                if (pass == 1) fprintf(out, "%-*s  ", width[c], text);
            }
            if (pass == 1) fputc('\n', out);
        }
    if (axis >= 0) fprintf(out, "mean +- standard error (repetitions); percentiles: %s/statistics.csv\n", s->folder);
    if (groups > rows) fprintf(out, "... and %d rows more in index.csv\n", groups - rows);
}
