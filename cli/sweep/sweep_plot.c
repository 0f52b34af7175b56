/* sweep_plot.c: a result of a sweep over its inputs (sweep.h).
 *
 * One input, or several that --zip pairs (the first one is the axis): a line, SVG and PNG by plot.c. Two
 * inputs: a heat map by gnuplot, from a script that stays in the folder. Its axes count values, whatever they are and however they are
 * spaced, and carry them as labels. Cases without a number (failed, not run) are left out of lines and stay blank in maps. */
#include "cli/draw/plot.h"
#include "cli/sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEM_MAX = 192, LABELS_MAX = 12 };

int sweep_plot_check(const sweep *s, const char *name, scree_error *error)
{
    const char *fault = NULL;
    int known = 0;
    for (int k = 0; k < s->result_count; ++k) known = known || strcmp(s->result[k], name) == 0;
    if (!known) fault = "the sweep has no such result";
    else if (strcmp(name, "hash") == 0 || strcmp(name, "outcome") == 0 || strcmp(name, "message") == 0)
        fault = "this result is no number";
    else if (!s->zip && s->vary_count > 2) fault = "there are more than two inputs: a plot has one or two";
    else if (s->zip || s->vary_count == 1)
        for (int k = 0; k < s->vary[0].count && !fault; ++k)
            if (isnan(s->vary[0].value[k].number)) fault = "a line needs an input whose values are numbers";
    if (fault) scree_error_set(error, NULL, 0, 0, "--plot %s: %s", name, fault);
    return !fault;
}

static double number_in(const sweep *s, int number, const char *name)
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

/// plot_NAME, with what a file name should not have as '_'.
static void file_stem(const char *name, char stem[STEM_MAX])
{
    snprintf(stem, STEM_MAX, "plot_%s", name);
    for (char *c = stem; *c; ++c)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *c)) *c = '_';
}

static char *result_title(const char *name)
{
    char *text;
    size_t size;
    FILE *out = cli_text_open(&text, &size);
    sweep_result_header(name, out);
    cli_text_close(out, &text);
    return text;
}

static scree_status close_file(FILE *f, const char *path, scree_error *error)
{
    if (f && !(ferror(f) | fclose(f))) return SCREE_OK;
    scree_error_set(error, path, 0, 0, "cannot write the file: %s", strerror(errno));
    return SCREE_ERR_WRITE;
}

/// The numbers of the plot: positions of the values, the values, the result.
static scree_status write_data(const sweep *s, const char *name, const char *path, scree_error *error)
{
    int axes = s->zip ? 1 : s->vary_count;
    FILE *f = fopen(path, "w");
    if (!f) return close_file(f, path, error);
    fputs(axes == 2 ? "i,j," : "i,", f);
    for (int v = 0; v < axes; ++v) sweep_put_text(s->vary[v].path, f), fputc(',', f);
    sweep_result_header(name, f);
    fputc('\n', f);
    for (int k = 0; k < s->count; ++k) {
        for (int v = 0; v < axes; ++v) fprintf(f, "%d,", sweep_index_of(s, k, v));
        for (int v = 0; v < axes; ++v)
            sweep_put_text(s->vary[v].value[sweep_index_of(s, k, v)].column, f), fputc(',', f);
        sweep_put_number(number_in(s, k, name), f);
        fputc('\n', f);
    }
    return close_file(f, path, error);
}

static scree_status plot_line(const sweep *s, const char *name, const char *stem, scree_error *error)
{
    char path[2 * RUN_PATH_MAX], *title = result_title(name);
    double *x = cli_memory((size_t)s->count * sizeof *x), *y = cli_memory((size_t)s->count * sizeof *y);
    int count = 0;
    for (int k = 0; k < s->count; ++k) {
        x[count] = s->vary[0].value[k].number, y[count] = number_in(s, k, name);
        count += isfinite(y[count]) != 0;
    }
    const plot_series series = {name, count, x, y};
    const plot p = {.title = title,
                    .x_label = s->vary[0].path,
                    .y_label = title,
                    .x_scale = s->vary[0].log && x[0] > 0.0 ? PLOT_LOG10 : PLOT_LINEAR,
                    .series_count = 1,
                    .series = &series};
    snprintf(path, sizeof path, "%s/%s", s->folder, stem);
    scree_status status = plot_write(&p, path, error);
    free(title);
    free(x);
    free(y);
    return status;
}

/* ---- heat maps --------------------------------------------------------------------------------------------------------------- */

static void put_quoted(const char *text, FILE *f)
{
    fputc('\'', f);
    for (; *text; ++text) {
        if (*text == '\'') fputc('\'', f);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, f);
    }
    fputc('\'', f);
}

static void put_labels(const sweep_vary *vary, char axis, FILE *f)
{
    int step = (vary->count + LABELS_MAX - 1) / LABELS_MAX;
    fprintf(f, "set %clabel ", axis);
    put_quoted(vary->path, f);
    fprintf(f, "\nset %crange [-0.5:%d.5]\nset %ctics (", axis, vary->count - 1, axis);
    for (int k = 0; k < vary->count; k += step) {
        char text[64];
        if (isnan(vary->value[k].number)) snprintf(text, sizeof text, "%.40s", vary->value[k].column);
        else snprintf(text, sizeof text, "%.4g", vary->value[k].number);
        if (k) fputs(", ", f);
        put_quoted(text, f);
        fprintf(f, " %d", k);
    }
    fputs(")\n", f);
}

static scree_status plot_map(const sweep *s, const char *name, const char *stem, scree_error *error)
{
    static const char *const terminals[2][2] = {{"svg noenhanced size 900,640 background 'white'", "svg"},
                                                {"pngcairo noenhanced size 1080,768", "png"}};
    char script[STEM_MAX + 8], path[2 * RUN_PATH_MAX], *title = result_title(name);
    snprintf(script, sizeof script, "%s.gp", stem);
    snprintf(path, sizeof path, "%s/%s", s->folder, script);
    FILE *f = fopen(path, "w");
    if (f) {
        fputs("set datafile separator comma\nset datafile missing 'nan'\nset title ", f);
        put_quoted(title, f);
        fputc('\n', f);
        put_labels(&s->vary[0], 'x', f);
        put_labels(&s->vary[1], 'y', f);
        fputs("set tics out nomirror\nset palette defined (0 '#440154', 1 '#31688e', 2 '#35b779', 3 '#fde725')\n", f);
        for (int k = 0; k < 2; ++k)
            fprintf(f, "set terminal %s\nset output '%s.%s'\nplot '%s.csv' skip 1 using 1:2:5 with image notitle\n",
                    terminals[k][0], stem, terminals[k][1], stem);
        fputs("set output\n", f);
    }
    scree_status status = close_file(f, path, error);
    if (status == SCREE_OK) plot_run_script(s->folder, script);
    free(title);
    return status;
}

scree_status sweep_plot(const sweep *s, const char *name, scree_error *error)
{
    char stem[STEM_MAX], path[2 * RUN_PATH_MAX];
    file_stem(name, stem);
    snprintf(path, sizeof path, "%s/%s.csv", s->folder, stem);
    scree_status status = write_data(s, name, path, error);
    if (status != SCREE_OK) return status;
    return s->zip || s->vary_count == 1 ? plot_line(s, name, stem, error) : plot_map(s, name, stem, error);
}
