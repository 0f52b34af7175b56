/* plot.h: line plots as SVG, as PNG and as text for a terminal.
 *
 *     plot_series lines[] = {{"nsgs", n, t, r}, {"newton", m, s, e}};
 *     plot p = {.title = "tower", .x_label = "seconds", .y_label = "residual",
 *               .x_scale = PLOT_LOG10, .y_scale = PLOT_LOG10, .series_count = 2, .series = lines};
 *     plot_write(&p, "out/tower", &error);              out/tower.svg, out/tower.png
 */
#ifndef SCREE_CLI_DRAW_PLOT_H
#define SCREE_CLI_DRAW_PLOT_H

#include <scree/base.h>
#include <stdio.h>

typedef enum plot_scale { PLOT_LINEAR, PLOT_LOG2, PLOT_LOG10 } plot_scale;

typedef struct plot_series {
    const char *name;
    int count;
    const double *x, *y; /* (count); points that a logarithmic axis cannot show are left out */
} plot_series;

typedef struct plot {
    const char *title, *x_label, *y_label;
    plot_scale x_scale, y_scale;
    double x_min, x_max, y_min, y_max; /* min = max: from the data */
    int steps;                         /* 1: the value of y holds until the next point, a staircase */
    int series_count;
    const plot_series *series;
} plot;

/// In `columns` x `rows` characters.
void plot_write_text(const plot *p, int columns, int rows, FILE *out);

/// Writes STEM.svg and STEM.png: axes with labels and grid, lines in colours and (SVG) dashes that differ without colour too, legend.
scree_status plot_write(const plot *p, const char *stem, scree_error *error);

/// A map of columns x rows values (NaN: blank), the first row below, with a text for each column and row.
typedef struct plot_map {
    const char *title, *x_label, *y_label;
    int columns, rows;
    const char *const *x_value, *const *y_value;
    const double *value; /* (rows x columns) */
} plot_map;

/// Writes STEM.svg and STEM.png.
scree_status plot_map_write(const plot_map *m, const char *stem, scree_error *error);

#endif
