/* plot_axis.h: the axes of a plot (plot.h): from values to pixels, and where the labels stand. Private to those that draw. */
#ifndef SCREE_CLI_DRAW_PLOT_AXIS_H
#define SCREE_CLI_DRAW_PLOT_AXIS_H

#include "cli/draw/plot.h"

typedef struct axis {
    plot_scale scale;
    double from, to;   /* in units of the scale: x, log2 x or log10 x */
    double step;       /* between labels, same units                 */
    double begin, end; /* pixels                                     */
} axis;

/// 1, 2 or 5 times a power of ten, so that there are 4 to 10 labels on the length; whole powers on logarithmic axes.
double axis_label_step(plot_scale scale, double length);
axis axis_make(const plot *p, int is_y);
double axis_position(const axis *a, double x);
/// The place of a label, which is in units of the scale.
double axis_label_position(const axis *a, double at);
/// Whether the scale can show the value.
int axis_showable(plot_scale scale, double x);

/// Labels stand at whole multiples of the step, in units of the scale.
int axis_label_count(const axis *a);
double axis_label_at(const axis *a, int k);
void axis_label_text(const axis *a, double at, char text[32]);

/// The line of a series in pixels, a staircase with its corners; points that an axis cannot show are left out. Free it with free().
double (*axis_points(const plot *p, int series, const axis *x, const axis *y, int *count))[2];

#endif
