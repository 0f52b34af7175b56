/* plot_map.c: heat maps as SVG and PNG (plot.h). Cells in the colours of viridis between the least and the largest value, blank where there
 * is none; the axes count values and carry them as labels, however they are spaced; a bar beside the map explains the colours. */
#include "cli/draw/image.h"
#include "cli/draw/plot.h"
#include "cli/draw/plot_axis.h"

#include <math.h>
#include <scree/files.h>
#include <string.h>

enum { ZOOM = 2, LABELS_MOST = 12, BAR_STEPS = 64, BAR_WIDTH = 18, PATH_LIMIT = 4096 };
static const colour WHITE = {255, 255, 255}, INK = {40, 40, 40};

/// Both writers draw through these.
typedef struct sheet {
    image *im; /* NULL: SVG */
    FILE *out;
} sheet;

static colour colour_of(double share)
{
    static const double stop[][3] = {{68, 1, 84}, {49, 104, 142}, {53, 183, 121}, {253, 231, 37}};
    double at = fmin(fmax(share, 0.0), 1.0) * 3.0;
    int k = at >= 3.0 ? 2 : (int)at;
    double c[3];
    for (int i = 0; i < 3; ++i) c[i] = stop[k][i] + (at - k) * (stop[k + 1][i] - stop[k][i]);
    return (colour){(unsigned char)lrint(c[0]), (unsigned char)lrint(c[1]), (unsigned char)lrint(c[2])};
}

static void put_box(const sheet *s, double x, double y, double w, double h, colour c)
{
    if (s->im) image_rectangle(s->im, ZOOM * x, ZOOM * y, ZOOM * (x + w), ZOOM * (y + h), c);
    else
        fprintf(s->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%02x%02x%02x\"/>\n", x, y,
                w, h, c.r, c.g, c.b);
}

/// align -1: x is the left end, 0: the middle, 1: the right end; turned: to be read from the right.
static void put_text(const sheet *s, double x, double y, int align, int turned, double height, const char *text)
{
    static const char *const anchor[] = {"start", "middle", "end"};
    if (s->im) {
        image_text(s->im, ZOOM * x, ZOOM * y, ZOOM * height, align, turned, INK, text);
        return;
    }
    fprintf(s->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%.0f\"", x, y, anchor[align + 1],
            1.45 * height);
    if (turned) fprintf(s->out, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    fputc('>', s->out);
    for (; *text; ++text) {
        if (strchr("&<>", *text)) fprintf(s->out, "&#%d;", *text);
        else fputc((unsigned char)*text < 0x20 ? ' ' : *text, s->out);
    }
    fputs("</text>\n", s->out);
}

static void draw(const plot_map *m, const sheet *s)
{
    double left = PLOT_LEFT, width = PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT, top = PLOT_TOP;
    double height = PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM, low = INFINITY, high = -INFINITY;
    char text[32];
    for (int k = 0; k < m->columns * m->rows; ++k)
        if (isfinite(m->value[k])) low = fmin(low, m->value[k]), high = fmax(high, m->value[k]);
    for (int j = 0; j < m->rows; ++j)
        for (int i = 0; i < m->columns; ++i) {
            double v = m->value[j * m->columns + i], w = width / m->columns, h = height / m->rows;
            if (isfinite(v))
                put_box(s, left + i * w, top + height - (j + 1) * h, w, h,
                        colour_of(high > low ? (v - low) / (high - low) : 0.5));
        }
    for (int i = 0; i < m->columns; i += 1 + (m->columns - 1) / LABELS_MOST)
        put_text(s, left + (i + 0.5) * width / m->columns, top + height + 18, 0, 0, 9, m->x_value[i]);
    for (int j = 0; j < m->rows; j += 1 + (m->rows - 1) / LABELS_MOST)
        put_text(s, left - 8, top + height - (j + 0.5) * height / m->rows + 4, 1, 0, 9, m->y_value[j]);
    put_text(s, left + 0.5 * width, PLOT_HEIGHT - 18, 0, 0, 9, m->x_label);
    put_text(s, 22, top + 0.5 * height, 0, 1, 9, m->y_label);
    put_text(s, left + 0.5 * width, PLOT_TOP - 18, 0, 0, 11, m->title);
    if (!(low <= high)) return;
    double bar = left + width + 24;
    for (int k = 0; k < BAR_STEPS; ++k)
        put_box(s, bar, top + height * (BAR_STEPS - 1 - k) / BAR_STEPS, BAR_WIDTH, height / BAR_STEPS + 0.5,
                colour_of((k + 0.5) / BAR_STEPS));
    for (int k = 0; k <= 4; ++k) {
        snprintf(text, sizeof text, "%.4g", low + 0.25 * k * (high - low));
        put_text(s, bar + BAR_WIDTH + 6, top + height * (1.0 - 0.25 * k) + 4, -1, 0, 9, text);
    }
}

scree_status plot_map_write(const plot_map *m, const char *stem, scree_error *error)
{
    char path[PATH_LIMIT];
    scree_new_file file;
    snprintf(path, sizeof path, "%s.svg", stem);
    if (scree_file_begin(path, &file, error) != SCREE_OK) return error->status;
    fprintf(file.stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" fill=\"#222\" shape-rendering=\"crispEdges\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            PLOT_WIDTH, PLOT_HEIGHT, PLOT_WIDTH, PLOT_HEIGHT, PLOT_WIDTH, PLOT_HEIGHT);
    draw(m, &(sheet){NULL, file.stream});
    fputs("</svg>\n", file.stream);
    if (scree_file_end(&file, error) != SCREE_OK) return error->status;
    image im = image_create(ZOOM * PLOT_WIDTH, ZOOM * PLOT_HEIGHT, WHITE);
    snprintf(path, sizeof path, "%s.png", stem);
    draw(m, &(sheet){&im, NULL});
    scree_status status = image_write_png(&im, path, error);
    image_free(&im);
    return status;
}
