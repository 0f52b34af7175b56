/* sheet.h: the page of a plot, drawn once as SVG and once as PNG. Lengths are pixels of the SVG; the PNG has two for one. Private to plots. */
#ifndef SCREE_CLI_DRAW_SHEET_H
#define SCREE_CLI_DRAW_SHEET_H

#include "cli/draw/image.h"

#include <stdio.h>

enum { PLOT_WIDTH = 900, PLOT_HEIGHT = 540, PLOT_LEFT = 80, PLOT_RIGHT = 180, PLOT_TOP = 44, PLOT_BOTTOM = 60 };

typedef struct sheet {
    image *im; /* NULL: SVG */
    FILE *out;
} sheet;

void sheet_box(const sheet *s, double x, double y, double width, double height, colour c);
/// `dash` 0: unbroken, 1 to 3: broken (SVG).
void sheet_line(const sheet *s, double x0, double y0, double x1, double y1, double width, colour c, int dash);

/// From point to point, of width 2, within the frame of the plot.
void sheet_path(const sheet *s, int count, const double (*at)[2], colour c, int dash);

/// align -1: x is the left end, 0: the middle, 1: the right end; turned: to be read from the right; `height` of a capital.
void sheet_text(const sheet *s, double x, double y, int align, int turned, double height, const char *text);

/// Writes STEM.svg and STEM.png.
scree_status sheet_write(const char *stem, void (*draw)(const void *what, const sheet *s), const void *what,
                         scree_error *error);

#endif
