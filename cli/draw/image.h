/* image.h: pictures in memory: pixels, lines, text, and the files they go to. Eight bits a channel, sRGB, rows from above. */
#ifndef SCREE_CLI_DRAW_IMAGE_H
#define SCREE_CLI_DRAW_IMAGE_H

#include <scree/base.h>

typedef struct colour {
    unsigned char r, g, b;
} colour;

typedef struct image {
    int width, height;
    unsigned char *rgb; /* (height x width x 3) */
} image;

image image_create(int width, int height, colour background); /* ends the program where there is no memory (system.h) */
void image_free(image *im);

/// `alpha` 0 .. 1 of the colour over what is there; outside the picture nothing happens.
void image_blend(image *im, int x, int y, colour c, double alpha);
void image_rectangle(image *im, double x0, double y0, double x1, double y1, colour c);
/// A line with round ends; the middle of the first pixel is (0.5, 0.5).
void image_line(image *im, double x0, double y0, double x1, double y1, double width, colour c);

/// Text with its baseline at y; `height` is that of a capital. align -1: x is the left end, 0: the middle, 1: the right end. Letters of
/// ASCII; others are a small box. quarter 1: turned by 90 degrees, to be read from the right.
void image_text(image *im, double x, double y, double height, int align, int quarter, colour c, const char *text);
double image_text_width(double height, const char *text);

/// PNG; the file is there whole or not at all.
scree_status image_write_png(const image *im, const char *path, scree_error *error);

#endif
