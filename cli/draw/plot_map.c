/* plot_map.c: heat maps as SVG and PNG (plot.h). Cells in the colours of viridis between the least and the largest value, blank where there
 * is none; the axes count values and carry them as labels, however they are spaced; a bar beside the map explains the colours. */
#include "cli/draw/plot.h"
#include "cli/draw/sheet.h"

#include <math.h>

enum { LABELS_MOST = 12, BAR_STEPS = 64, BAR_WIDTH = 18 };

static colour colour_of(double share)
{
    static const double stop[][3] = {{68, 1, 84}, {49, 104, 142}, {53, 183, 121}, {253, 231, 37}};
    double at = fmin(fmax(share, 0.0), 1.0) * 3.0;
    int k = at >= 3.0 ? 2 : (int)at;
    double c[3];
    for (int i = 0; i < 3; ++i) c[i] = stop[k][i] + (at - k) * (stop[k + 1][i] - stop[k][i]);
    return (colour){(unsigned char)lrint(c[0]), (unsigned char)lrint(c[1]), (unsigned char)lrint(c[2])};
}

static void draw(const void *what, const sheet *s)
{
    const plot_map *m = what;
    double left = PLOT_LEFT, width = PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT, top = PLOT_TOP;
    double height = PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM, low = INFINITY, high = -INFINITY;
    char text[32];
    for (int k = 0; k < m->columns * m->rows; ++k)
        if (isfinite(m->value[k])) low = fmin(low, m->value[k]), high = fmax(high, m->value[k]);
    for (int j = 0; j < m->rows; ++j)
        for (int i = 0; i < m->columns; ++i) {
            double v = m->value[j * m->columns + i], w = width / m->columns, h = height / m->rows;
            if (isfinite(v))
                sheet_box(s, left + i * w, top + height - (j + 1) * h, w, h,
                          colour_of(high > low ? (v - low) / (high - low) : 0.5));
        }
    for (int i = 0; i < m->columns; i += 1 + (m->columns - 1) / LABELS_MOST)
        sheet_text(s, left + (i + 0.5) * width / m->columns, top + height + 18, 0, 0, 9, m->x_value[i]);
    for (int j = 0; j < m->rows; j += 1 + (m->rows - 1) / LABELS_MOST)
        sheet_text(s, left - 8, top + height - (j + 0.5) * height / m->rows + 4, 1, 0, 9, m->y_value[j]);
    sheet_text(s, left + 0.5 * width, PLOT_HEIGHT - 18, 0, 0, 9, m->x_label);
    sheet_text(s, 22, top + 0.5 * height, 0, 1, 9, m->y_label);
    sheet_text(s, left + 0.5 * width, PLOT_TOP - 18, 0, 0, 11, m->title);
    if (!(low <= high)) return;
    double bar = left + width + 24;
    for (int k = 0; k < BAR_STEPS; ++k)
        sheet_box(s, bar, top + height * (BAR_STEPS - 1 - k) / BAR_STEPS, BAR_WIDTH, height / BAR_STEPS + 0.5,
                  colour_of((k + 0.5) / BAR_STEPS));
    for (int k = 0; k <= 4; ++k) {
        snprintf(text, sizeof text, "%.4g", low + 0.25 * k * (high - low));
        sheet_text(s, bar + BAR_WIDTH + 6, top + height * (1.0 - 0.25 * k) + 4, -1, 0, 9, text);
    }
}

scree_status plot_map_write(const plot_map *m, const char *stem, scree_error *error)
{
    return sheet_write(stem, draw, m, error);
}
