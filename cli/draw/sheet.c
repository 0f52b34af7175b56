/* sheet.c: see sheet.h. */
#include "cli/draw/sheet.h"

#include <math.h>
#include <scree/files.h>
#include <string.h>

enum { ZOOM = 2, PATH_LIMIT = 4096 };
static const colour WHITE = {255, 255, 255}, INK = {40, 40, 40};
static const char *const dashes[] = {"none", "7 3", "2 3", "8 3 2 3"};

void sheet_box(const sheet *s, double x, double y, double width, double height, colour c)
{
    if (s->im) image_rectangle(s->im, ZOOM * x, ZOOM * y, ZOOM * (x + width), ZOOM * (y + height), c);
    else
        fprintf(s->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%02x%02x%02x\"/>\n", x, y,
                width, height, c.r, c.g, c.b);
}

void sheet_line(const sheet *s, double x0, double y0, double x1, double y1, double width, colour c, int dash)
{
    if (s->im) image_line(s->im, ZOOM * x0, ZOOM * y0, ZOOM * x1, ZOOM * y1, ZOOM * width, c);
    else
        fprintf(s->out,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke-width=\"%g\" "
                "stroke=\"#%02x%02x%02x\" stroke-dasharray=\"%s\"/>\n",
                x0, y0, x1, y1, width, c.r, c.g, c.b, dashes[dash]);
}

/// Cuts the segment to the frame; 0: nothing of it is inside.
static int clip(double from[2], double to[2])
{
    const double low[2] = {PLOT_LEFT, PLOT_TOP - 2.0};
    const double high[2] = {PLOT_WIDTH - PLOT_RIGHT, PLOT_HEIGHT - PLOT_BOTTOM + 2.0};
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

void sheet_path(const sheet *s, int count, const double (*at)[2], colour c, int dash)
{
    if (!s->im)
        fprintf(s->out,
                "<path clip-path=\"url(#area)\" fill=\"none\" stroke-width=\"2\" stroke=\"#%02x%02x%02x\" "
                "stroke-dasharray=\"%s\" d=\"",
                c.r, c.g, c.b, dashes[dash]);
    for (int k = 0; k < count; ++k) {
        if (!s->im) {
            fprintf(s->out, "%c%.2f %.2f", k ? 'L' : 'M', at[k][0], at[k][1]);
            continue;
        }
        if (k == 0) continue;
        double a[2] = {at[k - 1][0], at[k - 1][1]}, b[2] = {at[k][0], at[k][1]};
        if (clip(a, b)) sheet_line(s, a[0], a[1], b[0], b[1], 2.0, c, dash);
    }
    if (!s->im) fputs("\"/>\n", s->out);
}

void sheet_text(const sheet *s, double x, double y, int align, int turned, double height, const char *text)
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

scree_status sheet_write(const char *stem, void (*draw)(const void *what, const sheet *s), const void *what,
                         scree_error *error)
{
    char path[PATH_LIMIT];
    int n = snprintf(path, sizeof path, "%s.svg", stem);
    if (n < 0 || (size_t)n >= sizeof path) {
        scree_error_set(error, NULL, 0, 0, "the name of the plot is too long");
        return SCREE_ERR_WRITE;
    }
    scree_new_file file;
    scree_status status = scree_file_begin(path, &file, error);
    if (status != SCREE_OK) return status;
    fprintf(file.stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" fill=\"#222\">\n<style>rect {shape-rendering: crispEdges}</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<clipPath id=\"area\"><path d=\"M%d %dH%dV%dH%dZ\"/></clipPath>\n",
            PLOT_WIDTH, PLOT_HEIGHT, PLOT_WIDTH, PLOT_HEIGHT, PLOT_WIDTH, PLOT_HEIGHT, PLOT_LEFT, PLOT_TOP - 2,
            PLOT_WIDTH - PLOT_RIGHT, PLOT_HEIGHT - PLOT_BOTTOM + 2, PLOT_LEFT);
    draw(what, &(sheet){NULL, file.stream});
    fputs("</svg>\n", file.stream);
    if ((status = scree_file_end(&file, error)) != SCREE_OK) return status;
    memcpy(path + n - 3, "png", 4);
    image im = image_create(ZOOM * PLOT_WIDTH, ZOOM * PLOT_HEIGHT, WHITE);
    draw(what, &(sheet){&im, NULL});
    status = image_write_png(&im, path, error);
    image_free(&im);
    return status;
}
