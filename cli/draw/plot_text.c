/* plot_text.c: line plots as characters for a terminal (plot.h). */
#include "cli/draw/plot_axis.h"
#include "cli/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void mark_line(screen *s, int count, const double (*at)[2], char sign)
{
    for (int i = 1; i < count; ++i) {
        const double *from = at[i - 1], *to = at[i];
        int steps = 1 + (int)fmin(fmax(fabs(to[0] - from[0]), fabs(to[1] - from[1])), 4.0 * (s->columns + s->rows));
        for (int k = 0; k <= steps; ++k) {
            double t = (double)k / steps;
            mark(s, from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1]), sign);
        }
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
    for (int k = p->series_count - 1; k >= 0; --k) { /* the first one lies above */
        int count;
        double(*point)[2] = axis_points(p, k, &x, &y, &count);
        mark_line(&s, count, (const double(*)[2])point, SIGNS[k % (int)strlen(SIGNS)]);
        free(point);
    }
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
