/* sweep_plot.c: a result of a sweep over its inputs (sweep.h).
 *
 * One input, or several that --zip pairs (the first one is the axis): a line. Two: a heat map, whose axes count values, whatever they are and
 * however they are spaced, and carry them as labels. Repetitions (seeds) are no axis: lines and maps are of their means, lines with the
 * standard error above and below, and where there is nothing but repetitions the plot is a histogram. Cases without a number
 * (failed, not run) are left out of lines and stay blank in maps. SVG and PNG by plot.c and plot_map.c, without other programs. */
#include "cli/draw/plot.h"
#include "cli/sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <scree/files.h>
#include <stdlib.h>
#include <string.h>

enum { STEM_MAX = 192, LABEL_MAX = 64 };

/// The inputs that are axes: all but the seed, the first of --zip; returns how many.
static int axes_of(const sweep *s, int axis[SWEEP_VARY_MAX])
{
    int count = 0;
    for (int v = 0; v < (s->zip ? 1 : s->vary_count); ++v)
        if (v != sweep_seed_axis(s)) axis[count++] = v;
    return count;
}

int sweep_plot_check(const sweep *s, const char *name, scree_error *error)
{
    const char *fault = NULL;
    int known = 0, axis[SWEEP_VARY_MAX];
    for (int k = 0; k < s->result_count; ++k) known = known || strcmp(s->result[k], name) == 0;
    if (!known) fault = "the sweep has no such result";
    else if (sweep_result_is_text(name)) fault = "this result is no number";
    else if (!s->zip && s->vary_count - (sweep_seed_axis(s) >= 0) > 2)
        fault = "there are more than two inputs beside the seed: a plot has one or two";
    else if (axes_of(s, axis) == 1)
        for (int k = 0; k < s->vary[axis[0]].count && !fault; ++k)
            if (isnan(s->vary[axis[0]].value[k].number)) fault = "a line needs an input whose values are numbers";
    if (fault) scree_error_set(error, NULL, 0, 0, "--plot %s: %s", name, fault);
    return !fault;
}

/// plot_NAME, with what a file name should not have as '_'.
static void file_stem(const char *name, char stem[STEM_MAX])
{
    snprintf(stem, STEM_MAX, "plot_%s", name);
    for (char *c = stem; *c; ++c)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *c)) *c = '_';
}

/// The numbers of the plot: positions of the values, the values, the result.
static scree_status write_data(const sweep *s, const char *name, const char *path, scree_error *error)
{
    int axes = s->zip ? 1 : s->vary_count;
    scree_new_file file;
    scree_status status = scree_file_begin(path, &file, error);
    if (status != SCREE_OK) return status;
    FILE *f = file.stream;
    static const char letters[] = "ijklmnopqrstuvwxyz";
    for (int v = 0; v < axes; ++v) fprintf(f, "%c,", letters[v % (int)(sizeof letters - 1)]);
    for (int v = 0; v < axes; ++v) sweep_put_text(s->vary[v].path, f), fputc(',', f);
    sweep_result_header(name, f);
    fputc('\n', f);
    for (int k = 0; k < s->count; ++k) {
        for (int v = 0; v < axes; ++v) fprintf(f, "%d,", sweep_index_of(s, k, v));
        for (int v = 0; v < axes; ++v)
            sweep_put_text(s->vary[v].value[sweep_index_of(s, k, v)].column, f), fputc(',', f);
        sweep_put_number(sweep_number(s, k, name), f);
        fputc('\n', f);
    }
    return scree_file_end(&file, error);
}

/// Line, means with their errors, or histogram: what is shared.
static scree_status write_plot(const sweep *s, const char *stem, const plot *p, scree_error *error)
{
    char path[2 * RUN_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", s->folder, stem);
    return plot_write(p, path, error);
}

static scree_status plot_line(const sweep *s, const char *name, const char *stem, int axis, scree_error *error)
{
    int groups = sweep_group_count(s), repeats = sweep_seed_axis(s) >= 0, count = 0;
    const sweep_vary *vary = &s->vary[axis];
    sweep_unit x_unit = sweep_input_unit(vary), y_unit = sweep_result_unit(name);
    char *x_label = sweep_label(vary->path, &x_unit), *y_label = sweep_label(name, &y_unit);
    double *x = cli_memory((size_t)groups * sizeof *x), *y[3];
    for (int k = 0; k < 3; ++k) y[k] = cli_memory((size_t)groups * sizeof *y[k]);
    for (int g = 0; g < groups; ++g) {
        sweep_statistics t = sweep_group_statistics(s, g, name);
        double error_bar = isfinite(t.error) ? t.error / y_unit.si : 0.0;
        x[count] = vary->value[sweep_index_of(s, sweep_group_first(s, g), axis)].number / x_unit.si;
        y[0][count] = t.mean / y_unit.si, y[1][count] = y[0][count] + error_bar, y[2][count] = y[0][count] - error_bar;
        count += isfinite(y[0][count]) != 0;
    }
    const plot_series series[] = {{repeats ? "mean" : name, count, x, y[0]},
                                  {"+ standard error", count, x, y[1]},
                                  {"- standard error", count, x, y[2]}};
    const plot p = {.title = y_label,
                    .x_label = x_label,
                    .y_label = y_label,
                    .x_scale = vary->log && x[0] > 0.0 ? PLOT_LOG10 : PLOT_LINEAR,
                    .series_count = repeats ? 3 : 1,
                    .series = series};
    scree_status status = write_plot(s, stem, &p, error);
    free(x_label), free(y_label), free(x);
    for (int k = 0; k < 3; ++k) free(y[k]);
    return status;
}

/// Repetitions of one experiment: how many fall into each of about sqrt(n) classes.
static scree_status plot_histogram(const sweep *s, const char *name, const char *stem, scree_error *error)
{
    enum { CLASSES_MOST = 40 };
    sweep_unit unit = sweep_result_unit(name);
    char *label = sweep_label(name, &unit), title[256];
    double *value = cli_memory((size_t)s->count * sizeof *value), x[CLASSES_MOST + 2], y[CLASSES_MOST + 2] = {0};
    int n = sweep_group_values(s, 0, name, value), classes = (int)ceil(sqrt(n > 0 ? n : 1));
    if (classes > CLASSES_MOST) classes = CLASSES_MOST;
    sweep_statistics t = sweep_group_statistics(s, 0, name);
    double low = t.percentile[0] / unit.si, wide = (t.percentile[4] / unit.si - low) / classes;
    if (!(wide > 0.0)) low -= 0.5, wide = 1.0 / classes;
    for (int k = 0; k < n; ++k) {
        int at = (int)((value[k] / unit.si - low) / wide);
        y[1 + (at < 0 ? 0 : at >= classes ? classes - 1 : at)] += 1.0;
    }
    for (int k = 0; k <= classes; ++k) x[k + 1] = low + wide * k; /* a staircase from the ground and back to it */
    x[0] = low;
    const plot_series series = {"repetitions", classes + 2, x, y};
    snprintf(title, sizeof title, "%.120s: mean %.5g, standard error %.2g", label, t.mean / unit.si, t.error / unit.si);
    const plot p = {.title = title,
                    .x_label = label,
                    .y_label = "repetitions",
                    .steps = 1,
                    .series_count = n > 0,
                    .series = &series};
    scree_status status = write_plot(s, stem, &p, error);
    free(label), free(value);
    return status;
}

static scree_status plot_heat(const sweep *s, const char *name, const char *stem, const int axis[2], scree_error *error)
{
    const sweep_vary *vary[2] = {&s->vary[axis[0]], &s->vary[axis[1]]};
    sweep_unit unit = sweep_result_unit(name);
    char path[2 * RUN_PATH_MAX], *title = sweep_label(name, &unit), *label[2], **text[2];
    double *value = cli_memory((size_t)vary[0]->count * (size_t)vary[1]->count * sizeof *value);
    for (int v = 0; v < 2; ++v) {
        sweep_unit of = sweep_input_unit(vary[v]);
        label[v] = sweep_label(vary[v]->path, &of);
        text[v] = cli_memory((size_t)vary[v]->count * sizeof *text[v]);
        for (int k = 0; k < vary[v]->count; ++k)
            sweep_value_text(vary[v], k, text[v][k] = cli_memory(LABEL_MAX), LABEL_MAX);
    }
    for (int g = 0; g < sweep_group_count(s); ++g) {
        int first = sweep_group_first(s, g), i = sweep_index_of(s, first, axis[0]),
            j = sweep_index_of(s, first, axis[1]);
        value[j * vary[0]->count + i] = sweep_group_statistics(s, g, name).mean / unit.si;
    }
    const plot_map map = {title,
                          label[0],
                          label[1],
                          vary[0]->count,
                          vary[1]->count,
                          (const char *const *)text[0],
                          (const char *const *)text[1],
                          value};
    snprintf(path, sizeof path, "%s/%s", s->folder, stem);
    scree_status status = plot_map_write(&map, path, error);
    for (int v = 0; v < 2; ++v) {
        for (int k = 0; k < vary[v]->count; ++k) free(text[v][k]);
        free(text[v]), free(label[v]);
    }
    free(title), free(value);
    return status;
}

scree_status sweep_plot(const sweep *s, const char *name, scree_error *error)
{
    char stem[STEM_MAX], path[2 * RUN_PATH_MAX];
    int axis[SWEEP_VARY_MAX], axes = axes_of(s, axis);
    file_stem(name, stem);
    snprintf(path, sizeof path, "%s/%s.csv", s->folder, stem);
    scree_status status = write_data(s, name, path, error);
    if (status != SCREE_OK) return status;
    if (axes == 0) return plot_histogram(s, name, stem, error);
    return axes == 1 ? plot_line(s, name, stem, axis[0], error) : plot_heat(s, name, stem, axis, error);
}
