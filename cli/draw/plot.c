/* plot.c: line plots as SVG, and scripts of gnuplot (plot.h). */
#include "cli/draw/plot_axis.h"
#include "cli/system.h"

#include <errno.h>
#include <math.h>
#include <scree/files.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_LIMIT = 4096 };

/* Okabe and Ito's colours, which stay apart for colour-blind eyes; from the ninth line on, the dashes change. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#000000", "#e69f00", "#56b4e9", "#7f3c8d"};
static const char *const dashes[] = {"none", "7 3", "2 3", "8 3 2 3"};
enum { COLOURS = 8, DASHES = 4 };

/* ---- SVG -------------------------------------------------------------------------------------------------------------- */

static void put_escaped(FILE *out, const char *text)
{
    for (; *text; ++text) switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        default: fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
        }
}

static void put_text(FILE *out, double x, double y, const char *anchor, const char *more, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, more);
    put_escaped(out, text);
    fputs("</text>\n", out);
}

static void put_line(FILE *out, double x1, double y1, double x2, double y2, const char *colour)
{
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, colour);
}

static void put_axes(FILE *out, const plot *p, const axis *x, const axis *y)
{
    char text[32], turned[64];
    double middle = (x->begin + x->end) / 2.0, height = (y->begin + y->end) / 2.0;
    for (int k = 0; k < axis_label_count(x); ++k) {
        double at = axis_label_at(x, k);
        double px = axis_label_position(x, at);
        put_line(out, px, y->begin, px, y->end, "#e4e4e4");
        axis_label_text(x, at, text);
        put_text(out, px, y->begin + 18, "middle", "", text);
    }
    for (int k = 0; k < axis_label_count(y); ++k) {
        double at = axis_label_at(y, k);
        double py = axis_label_position(y, at);
        put_line(out, x->begin, py, x->end, py, "#e4e4e4");
        axis_label_text(y, at, text);
        put_text(out, x->begin - 8, py + 4, "end", "", text);
    }
    put_line(out, x->begin, y->begin, x->end, y->begin, "#333");
    put_line(out, x->begin, y->begin, x->begin, y->end, "#333");
    put_text(out, middle, PLOT_TOP - 18, "middle", " font-size=\"16\"", p->title);
    put_text(out, middle, PLOT_HEIGHT - 18, "middle", "", p->x_label);
    snprintf(turned, sizeof turned, " transform=\"rotate(-90 20 %.1f)\"", height);
    put_text(out, 20, height, "middle", turned, p->y_label);
}

static void put_series(FILE *out, const plot *p, int s, const axis *x, const axis *y)
{
    const plot_series *line = &p->series[s];
    int drawn = 0;
    fprintf(
        out,
        "<path clip-path=\"url(#area)\" fill=\"none\" stroke-width=\"2\" stroke=\"%s\" stroke-dasharray=\"%s\" d=\"",
        colours[s % COLOURS], dashes[s / COLOURS % DASHES]);
    for (int i = 0; i < line->count; ++i) {
        if (!axis_showable(p->x_scale, line->x[i]) || !axis_showable(p->y_scale, line->y[i])) continue;
        double px = axis_position(x, line->x[i]), py = axis_position(y, line->y[i]);
        if (!drawn++) fprintf(out, "M%.2f %.2f", px, py);
        else if (p->steps) fprintf(out, "H%.2fV%.2f", px, py);
        else fprintf(out, "L%.2f %.2f", px, py);
    }
    fprintf(out, "\"/>\n");
}

void plot_write_svg(const plot *p, FILE *out)
{
    axis x = axis_make(p, 0), y = axis_make(p, 1);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<clipPath id=\"area\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n",
            PLOT_WIDTH, PLOT_HEIGHT, PLOT_WIDTH, PLOT_HEIGHT, PLOT_WIDTH, PLOT_HEIGHT, PLOT_LEFT, PLOT_TOP - 2,
            PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT, PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM + 4);
    put_axes(out, p, &x, &y);
    for (int s = 0; s < p->series_count; ++s) {
        double at = PLOT_TOP + 10 + 20 * s;
        put_series(out, p, s, &x, &y);
        fprintf(out,
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke-width=\"2\" stroke=\"%s\" "
                "stroke-dasharray=\"%s\"/>\n",
                PLOT_WIDTH - PLOT_RIGHT + 14, at, PLOT_WIDTH - PLOT_RIGHT + 46, at, colours[s % COLOURS],
                dashes[s / COLOURS % DASHES]);
        put_text(out, PLOT_WIDTH - PLOT_RIGHT + 54, at + 4, "start", "", p->series[s].name);
    }
    fputs("</svg>\n", out);
}

/* ---- gnuplot ------------------------------------------------------------------------------------------------------------ */

/// Between single quotes gnuplot reads everything as it stands, but for the quote, which is doubled.
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; ++text) {
        if (*text == '\'') fputc('\'', out);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
    fputc('\'', out);
}

/// Starts gnuplot, which reads its commands from the stream; NULL without one. `before` keeps what SIGPIPE did.
static FILE *gnuplot_open(struct sigaction *before)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    if (!cli_program_exists("gnuplot")) return NULL;
    sigaction(SIGPIPE, &ignore, before); /* a gnuplot that stops reading must not end us */
    FILE *pipe = popen("gnuplot >/dev/null 2>&1", "w");
    if (!pipe) sigaction(SIGPIPE, before, NULL);
    return pipe;
}

static int gnuplot_close(FILE *pipe, const struct sigaction *before)
{
    int status = pclose(pipe);
    sigaction(SIGPIPE, before, NULL);
    return status == 0;
}

int plot_run_script(const char *folder, const char *script)
{
    struct sigaction before;
    FILE *pipe = gnuplot_open(&before);
    if (!pipe) return 0;
    fputs("cd ", pipe), put_quoted(pipe, folder);
    fputs("\nload ", pipe), put_quoted(pipe, script);
    fputc('\n', pipe);
    return gnuplot_close(pipe, &before);
}

scree_status plot_write(const plot *p, const char *stem, scree_error *error)
{
    char path[PATH_LIMIT];
    int n = snprintf(path, sizeof path - 8, "%s.svg", stem);
    if (n < 0 || (size_t)n >= sizeof path - 8) {
        scree_error_set(error, NULL, 0, 0, "the name of the plot is too long");
        return SCREE_ERR_WRITE;
    }
    scree_new_file file;
    scree_status status = scree_file_begin(path, &file, error);
    if (status == SCREE_OK) {
        plot_write_svg(p, file.stream);
        status = scree_file_end(&file, error);
    }
    if (status != SCREE_OK) return status;
    memcpy(path + n - 3, "png", 4);
    return plot_write_png(p, path, error);
}
