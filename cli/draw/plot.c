/* plot.c: line plots as SVG and PNG, through one sheet (plot.h). */
#include "cli/draw/plot_axis.h"
#include "cli/draw/sheet.h"
#include "cli/system.h"

#include <math.h>
#include <stdlib.h>

/* Okabe and Ito's colours, which stay apart for colour-blind eyes; from the ninth line on, the dashes change. */
static const colour colours[] = {{0, 114, 178}, {213, 94, 0},  {0, 158, 115},  {204, 121, 167},
                                 {0, 0, 0},     {230, 159, 0}, {86, 180, 233}, {127, 60, 141}};
enum { COLOURS = sizeof colours / sizeof *colours, DASHES = 4 };
static const colour LINE = {51, 51, 51}, GRID = {226, 226, 226};

static void draw_axes(const sheet *s, const plot *p, const axis *x, const axis *y)
{
    char text[32];
    for (int k = 0; k < axis_label_count(x); ++k) {
        double at = axis_label_position(x, axis_label_at(x, k));
        sheet_line(s, at, y->begin, at, y->end, 1.0, GRID, 0);
        axis_label_text(x, axis_label_at(x, k), text);
        sheet_text(s, at, y->begin + 18, 0, 0, 9, text);
    }
    for (int k = 0; k < axis_label_count(y); ++k) {
        double at = axis_label_position(y, axis_label_at(y, k));
        sheet_line(s, x->begin, at, x->end, at, 1.0, GRID, 0);
        axis_label_text(y, axis_label_at(y, k), text);
        sheet_text(s, x->begin - 8, at + 4, 1, 0, 9, text);
    }
    sheet_line(s, x->begin, y->begin, x->end, y->begin, 1.0, LINE, 0);
    sheet_line(s, x->begin, y->begin, x->begin, y->end, 1.0, LINE, 0);
    double middle = 0.5 * (x->begin + x->end), height = 0.5 * (y->begin + y->end);
    sheet_text(s, middle, PLOT_TOP - 18, 0, 0, 11, p->title);
    sheet_text(s, middle, PLOT_HEIGHT - 18, 0, 0, 9, p->x_label);
    sheet_text(s, 22, height, 0, 1, 9, p->y_label);
}

static void draw(const void *what, const sheet *s)
{
    const plot *p = what;
    const axis x = axis_make(p, 0), y = axis_make(p, 1);
    const double left = PLOT_WIDTH - PLOT_RIGHT, room = PLOT_RIGHT - 58;
    draw_axes(s, p, &x, &y);
    for (int k = 0; k < p->series_count; ++k) {
        const colour c = colours[k % COLOURS];
        const int dash = k / COLOURS % DASHES;
        const double at = PLOT_TOP + 10 + 20 * k;
        int count;
        double(*point)[2] = axis_points(p, k, &x, &y, &count);
        sheet_path(s, count, (const double(*)[2])point, c, dash);
        free(point);
        sheet_line(s, left + 14, at, left + 46, at, 2.0, c, dash);
        sheet_text(s, left + 54, at + 4, -1, 0,
                   9.0 * fmin(1.0, room / fmax(image_text_width(9.0, p->series[k].name), 1.0)), p->series[k].name);
    }
}

scree_status plot_write(const plot *p, const char *stem, scree_error *error)
{
    return sheet_write(stem, draw, p, error);
}
