/* plot.c: line plots as SVG, and as PNG through gnuplot (plot.h). */
#include "cli/plot.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 900, HEIGHT = 540, LEFT = 80, RIGHT = 180, TOP = 44, BOTTOM = 60, PATH_LIMIT = 4096 };

/* Okabe and Ito's colours, which stay apart for colour-blind eyes; from the ninth line on, the dashes change. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#000000", "#e69f00", "#56b4e9", "#7f3c8d"};
static const char *const dashes[] = {"none", "7 3", "2 3", "8 3 2 3"};
enum { COLOURS = 8, DASHES = 4 };

/* ---- axes ------------------------------------------------------------------------------------------------------------ */

typedef struct axis {
    plot_scale scale;
    double from, to;   /* in units of the scale: x, log2 x or log10 x */
    double step;       /* between labels, same units                 */
    double begin, end; /* pixels                                     */
} axis;

static double scaled(plot_scale scale, double x)
{
    return scale == PLOT_LOG2 ? log2(x) : scale == PLOT_LOG10 ? log10(x) : x;
}

static double position(const axis *a, double x)
{
    return a->begin + (scaled(a->scale, x) - a->from) / (a->to - a->from) * (a->end - a->begin);
}

static int showable(plot_scale scale, double x)
{
    return isfinite(x) && (scale == PLOT_LINEAR || x > 0.0);
}

/// 1, 2 or 5 times a power of ten, so that there are 4 to 10 labels; whole powers on logarithmic axes.
static double label_step(plot_scale scale, double length)
{
    if (scale != PLOT_LINEAR) return fmax(1.0, ceil(length / 10.0));
    double unit = pow(10.0, floor(log10(length / 4.0)));
    return length / (5.0 * unit) >= 4.0 ? 5.0 * unit : length / (2.0 * unit) >= 4.0 ? 2.0 * unit : unit;
}

static axis make_axis(const plot *p, int is_y)
{
    axis a = {.scale = is_y ? p->y_scale : p->x_scale};
    double least = is_y ? p->y_min : p->x_min, most = is_y ? p->y_max : p->x_max;
    if (!(most > least)) {
        least = INFINITY, most = -INFINITY;
        for (int s = 0; s < p->series_count; ++s)
            for (int i = 0; i < p->series[s].count; ++i) {
                double v = is_y ? p->series[s].y[i] : p->series[s].x[i];
                if (showable(a.scale, v)) least = fmin(least, v), most = fmax(most, v);
            }
        if (!(most >= least)) least = 1.0, most = 10.0;
    }
    a.from = scaled(a.scale, least), a.to = scaled(a.scale, most);
    if (a.scale != PLOT_LINEAR) a.from = floor(a.from + 1e-9), a.to = ceil(a.to - 1e-9);
    if (!(a.to > a.from)) a.to = a.from + 1.0;
    a.step = label_step(a.scale, a.to - a.from);
    a.begin = is_y ? HEIGHT - BOTTOM : LEFT, a.end = is_y ? TOP : WIDTH - RIGHT;
    return a;
}

/// Labels stand at whole multiples of the step, in units of the scale.
static double label_at(const axis *a, int k)
{
    return (ceil(a->from / a->step - 1e-9) + k) * a->step;
}

static int label_count(const axis *a)
{
    return (int)(floor(a->to / a->step + 1e-9) - ceil(a->from / a->step - 1e-9)) + 1;
}

static double label_value(const axis *a, double at)
{
    return a->scale == PLOT_LOG2 ? exp2(at) : a->scale == PLOT_LOG10 ? pow(10.0, at) : at;
}

static void label_text(const axis *a, double at, char text[32])
{
    if (a->scale == PLOT_LOG10 && fabs(at) > 3.5) snprintf(text, 32, "1e%d", (int)lrint(at));
    else snprintf(text, 32, "%.6g", fabs(at) < 1e-9 * a->step && a->scale == PLOT_LINEAR ? 0.0 : label_value(a, at));
}

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
    for (int k = 0; k < label_count(x); ++k) {
        double at = label_at(x, k);
        double px = x->begin + (at - x->from) / (x->to - x->from) * (x->end - x->begin);
        put_line(out, px, y->begin, px, y->end, "#e4e4e4");
        label_text(x, at, text);
        put_text(out, px, y->begin + 18, "middle", "", text);
    }
    for (int k = 0; k < label_count(y); ++k) {
        double at = label_at(y, k);
        double py = y->begin + (at - y->from) / (y->to - y->from) * (y->end - y->begin);
        put_line(out, x->begin, py, x->end, py, "#e4e4e4");
        label_text(y, at, text);
        put_text(out, x->begin - 8, py + 4, "end", "", text);
    }
    put_line(out, x->begin, y->begin, x->end, y->begin, "#333");
    put_line(out, x->begin, y->begin, x->begin, y->end, "#333");
    put_text(out, middle, TOP - 18, "middle", " font-size=\"16\"", p->title);
    put_text(out, middle, HEIGHT - 18, "middle", "", p->x_label);
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
        if (!showable(p->x_scale, line->x[i]) || !showable(p->y_scale, line->y[i])) continue;
        double px = position(x, line->x[i]), py = position(y, line->y[i]);
        if (!drawn++) fprintf(out, "M%.2f %.2f", px, py);
        else if (p->steps) fprintf(out, "H%.2fV%.2f", px, py);
        else fprintf(out, "L%.2f %.2f", px, py);
    }
    fprintf(out, "\"/>\n");
}

void plot_write_svg(const plot *p, FILE *out)
{
    axis x = make_axis(p, 0), y = make_axis(p, 1);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<clipPath id=\"area\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, TOP - 2, WIDTH - LEFT - RIGHT,
            HEIGHT - TOP - BOTTOM + 4);
    put_axes(out, p, &x, &y);
    for (int s = 0; s < p->series_count; ++s) {
        double at = TOP + 10 + 20 * s;
        put_series(out, p, s, &x, &y);
        fprintf(out,
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke-width=\"2\" stroke=\"%s\" "
                "stroke-dasharray=\"%s\"/>\n",
                WIDTH - RIGHT + 14, at, WIDTH - RIGHT + 46, at, colours[s % COLOURS], dashes[s / COLOURS % DASHES]);
        put_text(out, WIDTH - RIGHT + 54, at + 4, "start", "", p->series[s].name);
    }
    fputs("</svg>\n", out);
}

/* ---- PNG, through gnuplot --------------------------------------------------------------------------------------------- */

int plot_has_gnuplot(void)
{
    const char *path = getenv("PATH");
    char name[PATH_LIMIT];
    for (size_t length; path && *path; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        int n = snprintf(name, sizeof name, "%.*s/gnuplot", (int)length, path);
        if (n > 0 && (size_t)n < sizeof name && access(name, X_OK) == 0) return 1;
    }
    return 0;
}

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

static void put_range(FILE *out, char name, const axis *a)
{
    if (a->scale != PLOT_LINEAR) fprintf(out, "set logscale %c %d\n", name, a->scale == PLOT_LOG2 ? 2 : 10);
    fprintf(out, "set format %c '%%g'\n", name);
    fprintf(out, "set %crange [%.9g:%.9g]\n", name, label_value(a, a->from), label_value(a, a->to));
}

static void put_gnuplot(const plot *p, const char *png, FILE *out)
{
    axis x = make_axis(p, 0), y = make_axis(p, 1);
    int seen = 0;
    fputs("set terminal pngcairo noenhanced size 1080,648\nset output ", out);
    put_quoted(out, png);
    fputs("\nset title ", out), put_quoted(out, p->title);
    fputs("\nset xlabel ", out), put_quoted(out, p->x_label);
    fputs("\nset ylabel ", out), put_quoted(out, p->y_label);
    fputs("\nset key outside\nset grid\n", out);
    put_range(out, 'x', &x);
    put_range(out, 'y', &y);
    for (int s = 0; s < p->series_count; ++s) {
        fputs(seen++ ? ", " : "plot ", out);
        fprintf(out, "'-' with %s linewidth 2 linecolor rgb '%s' title ", p->steps ? "steps" : "lines",
                colours[s % COLOURS]);
        put_quoted(out, p->series[s].name);
    }
    fputc('\n', out);
    for (int s = 0; s < p->series_count; ++s) {
        const plot_series *line = &p->series[s];
        for (int i = 0; i < line->count; ++i)
            if (showable(p->x_scale, line->x[i]) && showable(p->y_scale, line->y[i]))
                fprintf(out, "%.9g %.9g\n", line->x[i], line->y[i]);
        fputs("e\n", out);
    }
}

/// Starts gnuplot, which reads its commands from the stream; NULL without one. `before` keeps what SIGPIPE did.
static FILE *gnuplot_open(struct sigaction *before)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    if (!plot_has_gnuplot()) return NULL;
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

static void write_png(const plot *p, const char *path)
{
    struct sigaction before;
    FILE *pipe = p->series_count > 0 ? gnuplot_open(&before) : NULL;
    if (!pipe) return;
    put_gnuplot(p, path, pipe);
    gnuplot_close(pipe, &before);
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
        return SCREE_ERR_FILE;
    }
    FILE *f = fopen(path, "w");
    if (f) plot_write_svg(p, f);
    if (!f || (ferror(f) | fclose(f))) {
        scree_error_set(error, path, 0, 0, "cannot write the file: %s", strerror(errno));
        return SCREE_ERR_FILE;
    }
    memcpy(path + n - 3, "png", 4);
    write_png(p, path);
    return SCREE_OK;
}
