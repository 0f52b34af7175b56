/* image.c: drawing on an image, and PNG over zlib (image.h).
 *
 * Lines and letters are covered by distance: a pixel at distance d from the axis of a stroke of width w has the share w/2 - d + 1/2 of
 * it, between 0 and 1. The letters are strokes of our own on a grid of half units: one string for each, its first sign the width of the
 * letter; then strokes of points (x a digit, y a letter: e the base line, m the height of small letters, q that of capitals). A stroke
 * that starts with '.' is straight from point to point; '~' and 'o' are quadratic B-splines with these control points, open (from the
 * first to the last) and closed. */
#include "cli/draw/image.h"

#include "cli/system.h"

#include <scree/files.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* ---- pixels --------------------------------------------------------------------------------------------------------------- */

image image_create(int width, int height, colour background)
{
    size_t pixels = (size_t)width * (size_t)height;
    image im = {width, height, cli_memory(3 * pixels)};
    for (size_t k = 0; k < pixels; ++k) memcpy(im.rgb + 3 * k, &background, 3);
    return im;
}

void image_free(image *im)
{
    free(im->rgb);
    *im = (image){0, 0, NULL};
}

static unsigned char mix(unsigned char below, unsigned char above, double alpha)
{
    return (unsigned char)(below + alpha * (above - below) + 0.5);
}

void image_blend(image *im, int x, int y, colour c, double alpha)
{
    if (x < 0 || y < 0 || x >= im->width || y >= im->height || !(alpha > 0.0)) return;
    unsigned char *p = im->rgb + 3 * ((size_t)y * (size_t)im->width + (size_t)x);
    if (alpha > 1.0) alpha = 1.0;
    p[0] = mix(p[0], c.r, alpha), p[1] = mix(p[1], c.g, alpha), p[2] = mix(p[2], c.b, alpha);
}

/// How much of the pixel [k, k + 1] lies between a and b.
static double overlap(int k, double a, double b)
{
    double from = fmax(a, k), to = fmin(b, k + 1.0);
    return fmax(0.0, to - from);
}

void image_rectangle(image *im, double x0, double y0, double x1, double y1, colour c)
{
    for (int y = (int)floor(fmax(y0, 0.0)); y < y1 && y < im->height; ++y)
        for (int x = (int)floor(fmax(x0, 0.0)); x < x1 && x < im->width; ++x)
            image_blend(im, x, y, c, overlap(x, x0, x1) * overlap(y, y0, y1));
}

typedef struct stroke {
    double x0, y0, x1, y1;
} stroke;

static double distance(const stroke *s, double x, double y)
{
    double dx = s->x1 - s->x0, dy = s->y1 - s->y0, length = dx * dx + dy * dy;
    double t = length > 0.0 ? ((x - s->x0) * dx + (y - s->y0) * dy) / length : 0.0;
    t = fmin(fmax(t, 0.0), 1.0);
    return hypot(x - s->x0 - t * dx, y - s->y0 - t * dy);
}

/// All strokes as one shape, so that where they meet nothing is covered twice.
static void draw_strokes(image *im, const stroke *s, int count, double width, colour c)
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL}, reach = 0.5 * width + 1.0;
    for (int k = 0; k < count; ++k) {
        low[0] = fmin(low[0], fmin(s[k].x0, s[k].x1)), high[0] = fmax(high[0], fmax(s[k].x0, s[k].x1));
        low[1] = fmin(low[1], fmin(s[k].y0, s[k].y1)), high[1] = fmax(high[1], fmax(s[k].y0, s[k].y1));
    }
    int x0 = (int)fmax(floor(low[0] - reach), 0.0), x1 = (int)fmin(ceil(high[0] + reach), im->width - 1.0);
    int y0 = (int)fmax(floor(low[1] - reach), 0.0), y1 = (int)fmin(ceil(high[1] + reach), im->height - 1.0);
    for (int y = y0; y <= y1; ++y)
        for (int x = x0; x <= x1; ++x) {
            double d = HUGE_VAL;
            for (int k = 0; k < count; ++k) d = fmin(d, distance(&s[k], x + 0.5, y + 0.5));
            image_blend(im, x, y, c, fmin(1.0, width) * fmin(fmax(0.5 * fmax(width, 1.0) - d + 0.5, 0.0), 1.0));
        }
}

void image_line(image *im, double x0, double y0, double x1, double y1, double width, colour c)
{
    const stroke s = {x0, y0, x1, y1};
    draw_strokes(im, &s, 1, width, c);
}

/* ---- letters ---------------------------------------------------------------------------------------------------------------- */

static const char *const LETTERS[128] = {[' '] = "6",
                                         ['!'] = "5.2q2i .2e2f",
                                         ['"'] = "6.2q2o .4q4o",
                                         ['%'] = "9.1e7q o1q4q4n1n o4h7h7e4e",
                                         ['\''] = "4.2q2o",
                                         ['('] = "6~5r2n2g5b",
                                         [')'] = "6~1r4n4g1b",
                                         ['*'] = "8.4p4j .1o7k .7o1k",
                                         ['+'] = "9.1i7i .4f4l",
                                         [','] = "4.2f1c",
                                         ['-'] = "8.1i6i",
                                         ['.'] = "4.2e2e",
                                         ['/'] = "8.1d6q",
                                         ['0'] = "9o1q7q7e1e",
                                         ['1'] = "9.2n4q4e",
                                         ['2'] = "9~1n1q7q7k1e .1e7e",
                                         ['3'] = "9~1o1q7q7k3k ~3k8k7e1e1h",
                                         ['4'] = "9.6e6q1h8h",
                                         ['5'] = "9.7q2q1k ~1k3m8m7e1e1g",
                                         ['6'] = "9o1l7l7e1e ~6q2p1l1h",
                                         ['7'] = "9.1q7q3e",
                                         ['8'] = "9o2q6q6k2k o1k7k7e1e",
                                         ['9'] = "9o1q7q7j1j ~7m7h6e2e",
                                         [':'] = "4.2e2e .2k2k",
                                         [';'] = "4.2f1c .2k2k",
                                         ['<'] = "9.7m1i7e",
                                         ['='] = "9.1g7g .1k7k",
                                         ['>'] = "9.1m7i1e",
                                         ['A'] = "9.0e4q8e .2i6i",
                                         ['B'] = "9.1e1q4q ~4q7q7k4k .1k4k ~4k8k8e4e .4e1e",
                                         ['C'] = "9~8n7q0q0e7e8h",
                                         ['D'] = "9.1e1q3q ~3q8q8e3e .3e1e",
                                         ['E'] = "8.7q1q1e7e .1k6k",
                                         ['F'] = "8.7q1q1e .1k6k",
                                         ['G'] = "9~8n7q0q0e8e8j .8j5j",
                                         ['H'] = "9.1e1q .7e7q .1k7k",
                                         ['I'] = "4.2e2q",
                                         ['J'] = "8.6q6h ~6h6e1e1h",
                                         ['K'] = "9.1e1q .7q1i .3k7e",
                                         ['L'] = "8.1q1e7e",
                                         ['M'] = ":.0e0q4h8q8e",
                                         ['N'] = "9.1e1q7e7q",
                                         ['O'] = "9o0q8q8e0e",
                                         ['P'] = "9.1e1q4q ~4q8q8j4j .4j1j",
                                         ['Q'] = "9o0q8q8e0e .5h8d",
                                         ['R'] = "9.1e1q4q ~4q8q8j4j .4j1j .4j7e",
                                         ['S'] = "9~7o6q1q1k4k ~4k7k7e2e1g",
                                         ['T'] = "9.0q8q .4q4e",
                                         ['U'] = "9.1q1h ~1h1e7e7h .7h7q",
                                         ['V'] = "9.0q4e8q",
                                         ['W'] = ":.0q2e4n6e8q",
                                         ['X'] = "9.1q7e .7q1e",
                                         ['Y'] = "9.0q4k8q .4k4e",
                                         ['Z'] = "9.1q7q1e7e",
                                         ['['] = "5.4r2r2c4c",
                                         [']'] = "5.1r3r3c1c",
                                         ['^'] = "8.2n4q6n",
                                         ['_'] = "8.0d7d",
                                         ['a'] = "8o1m6m6e1e .6m6e",
                                         ['b'] = "8.1q1e o1m7m7e1e",
                                         ['c'] = "8~6k6m1m1e6e6g",
                                         ['d'] = "8.6q6e o0m6m6e0e",
                                         ['e'] = "8~7g6e1e1m7m7i .7i1i",
                                         ['f'] = "6~5q3q3n .3n3e .1m5m",
                                         ['g'] = "8o1m6m6e1e .6m6d ~6d6a1a1c",
                                         ['h'] = "8.1q1e ~1i1m6m6i .6i6e",
                                         ['i'] = "4.2m2e .2p2p",
                                         ['j'] = "4.3m3d ~3d3a1a .3p3p",
                                         ['k'] = "8.1q1e .6m1h .3j6e",
                                         ['l'] = "4.2q2e",
                                         ['m'] = ":.0m0e ~0i0m4m4i .4i4e ~4i4m8m8i .8i8e",
                                         ['n'] = "8.1m1e ~1i1m6m6i .6i6e",
                                         ['o'] = "8o1m7m7e1e",
                                         ['p'] = "8.1m1a o1m7m7e1e",
                                         ['q'] = "8.6m6a o0m6m6e0e",
                                         ['r'] = "6.1m1e ~1i1m5m",
                                         ['s'] = "8~6l5m1m1i4i ~4i6i6e2e1f",
                                         ['t'] = "6.3p3h ~3h3e5e .1m5m",
                                         ['u'] = "8.1m1h ~1h1e6e6h .6m6e",
                                         ['v'] = "8.1m4e7m",
                                         ['w'] = ":.0m2e4k6e8m",
                                         ['x'] = "8.1m6e .6m1e",
                                         ['y'] = "8.1m4e .7m2a",
                                         ['z'] = "8.1m6m1e6e",
                                         ['|'] = "4.2q2c"};
static const char UNKNOWN[] = "8.1e1m6m6e1e";

enum { STROKES_MAX = 160, POINTS_MAX = 12, CURVE_STEPS = 6, CAPITAL = 'q' - 'e', SPACING = 1 };

static const char *letter(char c)
{
    const char *found = (unsigned char)c < 128 ? LETTERS[(unsigned char)c] : NULL;
    return found ? found : UNKNOWN;
}

/// The next character: bytes that continue one of UTF-8 do not count.
static const char *next_letter(const char *text)
{
    do ++text;
    while (((unsigned char)*text & 0xC0) == 0x80);
    return text;
}

double image_text_width(double height, const char *text)
{
    double units = 0.0;
    for (; *text; text = next_letter(text)) units += letter(*text)[0] - '0' + SPACING;
    return units * height / CAPITAL;
}

/// Strokes of one letter on its grid, y upwards from the base line; returns their number.
static int letter_strokes(const char *glyph, stroke *out)
{
    int count = 0;
    for (const char *at = glyph + 1; *at;) {
        double x[POINTS_MAX], y[POINTS_MAX];
        char kind = *at++;
        int n = 0;
        for (; *at && *at != ' ' && n < POINTS_MAX; at += 2, ++n) x[n] = at[0] - '0', y[n] = at[1] - 'e';
        while (*at == ' ') ++at;
        if (kind == '.') {
            if (n == 1) out[count++] = (stroke){x[0], y[0], x[0], y[0]};
            for (int k = 0; k + 1 < n; ++k) out[count++] = (stroke){x[k], y[k], x[k + 1], y[k + 1]};
            continue;
        }
        int closed = kind == 'o', pieces = closed ? n : n - 2;
        for (int k = 0; k < pieces; ++k) { /* control point b, from the middle to a to the middle to c */
            int a = closed ? (k + n - 1) % n : k, b = closed ? k : k + 1, c = closed ? (k + 1) % n : k + 2;
            double from[2] = {0.5 * (x[a] + x[b]), 0.5 * (y[a] + y[b])};
            double to[2] = {0.5 * (x[b] + x[c]), 0.5 * (y[b] + y[c])};
            if (!closed && k == 0) from[0] = x[a], from[1] = y[a];
            if (!closed && k == pieces - 1) to[0] = x[c], to[1] = y[c];
            double px = from[0], py = from[1];
            for (int s = 1; s <= CURVE_STEPS; ++s) {
                double t = (double)s / CURVE_STEPS, u = 1.0 - t;
                double qx = u * u * from[0] + 2.0 * u * t * x[b] + t * t * to[0];
                double qy = u * u * from[1] + 2.0 * u * t * y[b] + t * t * to[1];
                out[count++] = (stroke){px, py, qx, qy};
                px = qx, py = qy;
            }
        }
    }
    return count;
}

void image_text(image *im, double x, double y, double height, int align, int quarter, colour c, const char *text)
{
    double unit = height / CAPITAL, at = -0.5 * (align + 1) * image_text_width(height, text);
    for (; *text; text = next_letter(text)) {
        stroke s[STROKES_MAX];
        int count = letter_strokes(letter(*text), s);
        for (int k = 0; k < count; ++k) {
            double along[2] = {at + unit * (s[k].x0 + 0.5), at + unit * (s[k].x1 + 0.5)};
            double up[2] = {unit * s[k].y0, unit * s[k].y1};
            s[k] = quarter ? (stroke){x - up[0], y - along[0], x - up[1], y - along[1]}
                           : (stroke){x + along[0], y - up[0], x + along[1], y - up[1]};
        }
        if (count > 0) draw_strokes(im, s, count, fmax(0.13 * height, 1.1), c);
        at += unit * (letter(*text)[0] - '0' + SPACING);
    }
}

/* ---- PNG --------------------------------------------------------------------------------------------------------------------- */

static void put_u32(unsigned char *to, unsigned long x)
{
    for (int k = 0; k < 4; ++k) to[k] = (unsigned char)(x >> (24 - 8 * k));
}

static void write_chunk(FILE *f, const char name[4], const unsigned char *data, size_t size)
{
    unsigned char head[8], tail[4];
    put_u32(head, (unsigned long)size);
    memcpy(head + 4, name, 4);
    unsigned long crc = crc32(0, head + 4, 4);
    if (size > 0) crc = crc32(crc, data, (uInt)size);
    put_u32(tail, crc);
    fwrite(head, 1, 8, f);
    if (size > 0) fwrite(data, 1, size, f);
    fwrite(tail, 1, 4, f);
}

/// What a byte is expected to be from its neighbours to the left, above and between: the filter Paeth of PNG.
static int paeth(int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/// Each row with the filter, of those that a rendering profits from, whose differences are smallest.
static void filter_rows(const image *im, unsigned char *out)
{
    size_t row = 3 * (size_t)im->width;
    unsigned char *trial = cli_memory(row);
    static const int filters[] = {1, 2, 4}; /* left, above, Paeth */
    for (int y = 0; y < im->height; ++y, out += row + 1) {
        const unsigned char *now = im->rgb + (size_t)y * row, *above = y > 0 ? now - row : NULL;
        long best = -1;
        for (int k = 0; k < 3; ++k) {
            long sum = 0;
            for (size_t i = 0; i < row; ++i) {
                int a = i >= 3 ? now[i - 3] : 0, b = above ? above[i] : 0, c = above && i >= 3 ? above[i - 3] : 0;
                trial[i] = (unsigned char)(now[i] - (k == 0 ? a : k == 1 ? b : paeth(a, b, c)));
                sum += abs((signed char)trial[i]);
            }
            if (best >= 0 && sum >= best) continue;
            best = sum, out[0] = (unsigned char)filters[k];
            memcpy(out + 1, trial, row);
        }
    }
    free(trial);
}

scree_status image_write_png(const image *im, const char *path, scree_error *error)
{
    enum { LEVEL = 6 };
    size_t size = ((size_t)im->width * 3 + 1) * (size_t)im->height;
    uLongf packed = compressBound((uLong)size);
    unsigned char head[13] = {[8] = 8, [9] = 2}, *rows = cli_memory(size), *data = cli_memory(packed);
    put_u32(head, (unsigned long)im->width);
    put_u32(head + 4, (unsigned long)im->height);
    filter_rows(im, rows);
    compress2(data, &packed, rows, (uLong)size, LEVEL); /* cannot fail: there is room, and zlib's memory is small */
    scree_new_file file;
    scree_status status = scree_file_begin(path, &file, error);
    if (status == SCREE_OK) {
        fwrite("\x89PNG\r\n\x1a\n", 1, 8, file.stream);
        write_chunk(file.stream, "IHDR", head, sizeof head);
        write_chunk(file.stream, "IDAT", data, packed);
        write_chunk(file.stream, "IEND", NULL, 0);
        status = scree_file_end(&file, error);
    }
    free(rows), free(data);
    return status;
}
