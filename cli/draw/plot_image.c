/* plot_image.c: plots as PNG, with our own letters (image.h), and as characters for a terminal (plot.h). */
#include "cli/draw/image.h"
#include "cli/draw/plot_axis.h"
#include "cli/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- PNG --------------------------------------------------------------------------------------------------------------------- */

enum { ZOOM = 2 }; /* pixels of the image for one of the SVG: plots are looked at on fine screens and in papers */
static const colour WHITE = {255, 255, 255}, INK = {40, 40, 40}, GRID = {226, 226, 226};
/* Those of the SVG: Okabe and Ito's. */
static const colour LINES[] = {{0, 114, 178}, {213, 94, 0},  {0, 158, 115},  {204, 121, 167},
                               {0, 0, 0},     {230, 159, 0}, {86, 180, 233}, {127, 60, 141}};
enum { LINE_COUNT = sizeof LINES / sizeof *LINES };

static void draw_axes(image *im, const plot *p, const axis *x, const axis *y)
{
    char text[32];
    for (int k = 0; k < axis_label_count(x); ++k) {
        double at = axis_label_position(x, axis_label_at(x, k));
        image_line(im, ZOOM * at, ZOOM * y->begin, ZOOM * at, ZOOM * y->end, ZOOM, GRID);
        axis_label_text(x, axis_label_at(x, k), text);
        image_text(im, ZOOM * at, ZOOM * (y->begin + 18), ZOOM * 9, 0, 0, INK, text);
    }
    for (int k = 0; k < axis_label_count(y); ++k) {
        double at = axis_label_position(y, axis_label_at(y, k));
        image_line(im, ZOOM * x->begin, ZOOM * at, ZOOM * x->end, ZOOM * at, ZOOM, GRID);
        axis_label_text(y, axis_label_at(y, k), text);
        image_text(im, ZOOM * (x->begin - 8), ZOOM * (at + 4), ZOOM * 9, 1, 0, INK, text);
    }
    image_line(im, ZOOM * x->begin, ZOOM * y->begin, ZOOM * x->end, ZOOM * y->begin, ZOOM, INK);
    image_line(im, ZOOM * x->begin, ZOOM * y->begin, ZOOM * x->begin, ZOOM * y->end, ZOOM, INK);
    double middle = 0.5 * (x->begin + x->end), height = 0.5 * (y->begin + y->end);
    image_text(im, ZOOM * middle, ZOOM * (PLOT_TOP - 18), ZOOM * 11, 0, 0, INK, p->title);
    image_text(im, ZOOM * middle, ZOOM * (PLOT_HEIGHT - 18), ZOOM * 9, 0, 0, INK, p->x_label);
    image_text(im, ZOOM * 22, ZOOM * height, ZOOM * 9, 0, 1, INK, p->y_label);
}

/// Cuts the segment to the area of the plot; 0: nothing of it is inside.
static int clip(const axis *x, const axis *y, double from[2], double to[2])
{
    const double low[2] = {x->begin, y->end - 2.0}, high[2] = {x->end, y->begin + 2.0};
    double t0 = 0.0, t1 = 1.0, start[2] = {from[0], from[1]}, d[2] = {to[0] - from[0], to[1] - from[1]};
    for (int i = 0; i < 2; ++i) {
        if (d[i] == 0.0 && (start[i] < low[i] || start[i] > high[i])) return 0;
        if (d[i] == 0.0) continue;
        double a = (low[i] - start[i]) / d[i], b = (high[i] - start[i]) / d[i];
        t0 = fmax(t0, fmin(a, b)), t1 = fmin(t1, fmax(a, b));
    }
    for (int i = 0; i < 2; ++i) from[i] = start[i] + t0 * d[i], to[i] = start[i] + t1 * d[i];
    return t0 < t1;
}

/// Calls `segment` for every piece of a line, from point to point, or as a staircase.
typedef void segment_fn(void *context, const double from[2], const double to[2], int series);

static void walk(const plot *p, int s, const axis *x, const axis *y, segment_fn *segment, void *context)
{
    const plot_series *line = &p->series[s];
    double last[2];
    int known = 0;
    for (int i = 0; i < line->count; ++i) {
        if (!axis_showable(p->x_scale, line->x[i]) || !axis_showable(p->y_scale, line->y[i])) continue;
        const double now[2] = {axis_position(x, line->x[i]), axis_position(y, line->y[i])};
        const double corner[2] = {now[0], known ? last[1] : now[1]};
        if (known && p->steps) segment(context, last, corner, s), segment(context, corner, now, s);
        else if (known) segment(context, last, now, s);
        memcpy(last, now, sizeof last), known = 1;
    }
}

typedef struct canvas {
    image *im;
    const axis *x, *y;
} canvas;

static void draw_segment(void *context, const double from[2], const double to[2], int series)
{
    const canvas *c = context;
    double a[2] = {from[0], from[1]}, b[2] = {to[0], to[1]};
    if (clip(c->x, c->y, a, b))
        image_line(c->im, ZOOM * a[0], ZOOM * a[1], ZOOM * b[0], ZOOM * b[1], ZOOM * 2, LINES[series % LINE_COUNT]);
}

scree_status plot_write_png(const plot *p, const char *path, scree_error *error)
{
    image im = image_create(ZOOM * PLOT_WIDTH, ZOOM * PLOT_HEIGHT, WHITE);
    const axis x = axis_make(p, 0), y = axis_make(p, 1);
    canvas c = {&im, &x, &y};
    draw_axes(&im, p, &x, &y);
    for (int s = 0; s < p->series_count; ++s) {
        double at = PLOT_TOP + 10 + 20 * s, left = PLOT_WIDTH - PLOT_RIGHT;
        walk(p, s, &x, &y, draw_segment, &c);
        image_line(&im, ZOOM * (left + 14), ZOOM * at, ZOOM * (left + 46), ZOOM * at, ZOOM * 2, LINES[s % LINE_COUNT]);
        double room = PLOT_RIGHT - 58, wide = image_text_width(9.0, p->series[s].name);
        image_text(&im, ZOOM * (left + 54), ZOOM * (at + 4), ZOOM * 9 * fmin(1.0, room / fmax(wide, 1.0)), -1, 0, INK,
                   p->series[s].name);
    }
    scree_status status = image_write_png(&im, path, error);
    image_free(&im);
    return status;
}

/* ---- characters ------------------------------------------------------------------------------------------------------------- */

static const char SIGNS[] = "*+o#x%@=";

typedef struct screen {
    char *cell; /* (rows x columns) */
    int columns, rows;
} screen;

static void mark(screen *s, double x, double y, char sign)
{
    int column = (int)lrint(x), row = (int)lrint(y);
    if (column >= 0 && row >= 0 && column < s->columns && row < s->rows) s->cell[row * s->columns + column] = sign;
}

static void mark_segment(void *context, const double from[2], const double to[2], int series)
{
    screen *s = context;
    int steps = 1 + (int)fmin(fmax(fabs(to[0] - from[0]), fabs(to[1] - from[1])), 4.0 * (s->columns + s->rows));
    for (int k = 0; k <= steps; ++k) {
        double t = (double)k / steps;
        mark(s, from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1]), SIGNS[series % (int)strlen(SIGNS)]);
    }
}

/// The label of the axis whose place is this row, or "".
static void label_of_row(const axis *y, int row, char text[32])
{
    text[0] = '\0';
    for (int k = 0; k < axis_label_count(y); ++k)
        if ((int)lrint(axis_label_position(y, axis_label_at(y, k))) == row)
            axis_label_text(y, axis_label_at(y, k), text);
}

static void write_x_labels(const axis *x, int columns, int margin, FILE *out)
{
    char *line = cli_memory((size_t)columns + 40), text[32];
    memset(line, ' ', (size_t)columns + 32);
    int free_from = 0;
    for (int k = 0; k < axis_label_count(x); ++k) {
        axis_label_text(x, axis_label_at(x, k), text);
        int length = (int)strlen(text), at = (int)lrint(axis_label_position(x, axis_label_at(x, k))) - length / 2;
        if (at < free_from || at + length > columns + 8) continue; /* no room: the labels beside it are enough */
        memcpy(line + at, text, (size_t)length);
        free_from = at + length + 2;
    }
    size_t end = (size_t)columns + 16;
    while (end > 0 && line[end - 1] == ' ') --end;
    fprintf(out, "%*s%.*s\n", margin, "", (int)end, line);
    free(line);
}

void plot_write_text(const plot *p, int columns, int rows, FILE *out)
{
    enum { MARGIN = 10 };
    axis x = axis_make(p, 0), y = axis_make(p, 1);
    screen s = {NULL, columns - MARGIN, rows};
    char text[32];
    s.cell = cli_memory((size_t)s.columns * (size_t)rows);
    memset(s.cell, ' ', (size_t)s.columns * (size_t)rows);
    x.begin = 0.0, x.end = s.columns - 1.0, y.begin = rows - 1.0, y.end = 0.0;
    for (int k = p->series_count - 1; k >= 0; --k) walk(p, k, &x, &y, mark_segment, &s); /* the first one lies above */
    fprintf(out, "%*s%s\n%*s%s\n", MARGIN, "", p->title, MARGIN - 2, "", p->y_label);
    for (int row = 0; row < rows; ++row) {
        int end = s.columns;
        label_of_row(&y, row, text);
        while (end > 0 && s.cell[row * s.columns + end - 1] == ' ') --end;
        fprintf(out, "%*s %c%.*s\n", MARGIN - 2, text, text[0] ? '+' : '|', end, s.cell + row * s.columns);
    }
    fprintf(out, "%*s +", MARGIN - 2, "");
    for (int k = 0; k < s.columns - 1; ++k) fputc('-', out);
    fputc('\n', out);
    write_x_labels(&x, s.columns, MARGIN, out);
    fprintf(out, "%*s%s\n", MARGIN + (s.columns - (int)strlen(p->x_label)) / 2, "", p->x_label);
    for (int k = 0; k < p->series_count; ++k)
        fprintf(out, "%*s%c  %s\n", MARGIN, "", SIGNS[k % (int)strlen(SIGNS)], p->series[k].name);
    free(s.cell);
}
