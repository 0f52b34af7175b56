/* plot_axis.c: see plot_axis.h. */
#include "cli/draw/plot_axis.h"
#include "cli/draw/sheet.h"
#include "cli/system.h"

#include <math.h>

static double scaled(plot_scale scale, double x)
{
    return scale == PLOT_LOG2 ? log2(x) : scale == PLOT_LOG10 ? log10(x) : x;
}

double axis_position(const axis *a, double x)
{
    return a->begin + (scaled(a->scale, x) - a->from) / (a->to - a->from) * (a->end - a->begin);
}

double axis_label_position(const axis *a, double at)
{
    return a->begin + (at - a->from) / (a->to - a->from) * (a->end - a->begin);
}

int axis_showable(plot_scale scale, double x)
{
    return isfinite(x) && (scale == PLOT_LINEAR || x > 0.0);
}

double axis_label_step(plot_scale scale, double length)
{
    if (scale != PLOT_LINEAR) return fmax(1.0, ceil(length / 10.0));
    double unit = pow(10.0, floor(log10(length / 4.0)));
    return length / (5.0 * unit) >= 4.0 ? 5.0 * unit : length / (2.0 * unit) >= 4.0 ? 2.0 * unit : unit;
}

axis axis_make(const plot *p, int is_y)
{
    axis a = {.scale = is_y ? p->y_scale : p->x_scale};
    double least = is_y ? p->y_min : p->x_min, most = is_y ? p->y_max : p->x_max;
    if (!(most > least)) {
        least = INFINITY, most = -INFINITY;
        for (int s = 0; s < p->series_count; ++s)
            for (int i = 0; i < p->series[s].count; ++i) {
                double v = is_y ? p->series[s].y[i] : p->series[s].x[i];
                if (axis_showable(a.scale, v)) least = fmin(least, v), most = fmax(most, v);
            }
        if (!(most >= least)) least = 1.0, most = 10.0;
    }
    a.from = scaled(a.scale, least), a.to = scaled(a.scale, most);
    if (a.scale != PLOT_LINEAR) a.from = floor(a.from + 1e-9), a.to = ceil(a.to - 1e-9);
    if (!(a.to > a.from)) a.to = a.from + 1.0;
    a.step = axis_label_step(a.scale, a.to - a.from);
    a.begin = is_y ? PLOT_HEIGHT - PLOT_BOTTOM : PLOT_LEFT, a.end = is_y ? PLOT_TOP : PLOT_WIDTH - PLOT_RIGHT;
    return a;
}

double axis_label_at(const axis *a, int k)
{
    return (ceil(a->from / a->step - 1e-9) + k) * a->step;
}

int axis_label_count(const axis *a)
{
    return (int)(floor(a->to / a->step + 1e-9) - ceil(a->from / a->step - 1e-9)) + 1;
}

static double label_value(const axis *a, double at)
{
    return a->scale == PLOT_LOG2 ? exp2(at) : a->scale == PLOT_LOG10 ? pow(10.0, at) : at;
}

void axis_label_text(const axis *a, double at, char text[32])
{
    if (a->scale == PLOT_LOG10 && fabs(at) > 3.5) snprintf(text, 32, "1e%d", (int)lrint(at));
    else snprintf(text, 32, "%.6g", fabs(at) < 1e-9 * a->step && a->scale == PLOT_LINEAR ? 0.0 : label_value(a, at));
}

double (*axis_points(const plot *p, int series, const axis *x, const axis *y, int *count))[2]
{
    const plot_series *line = &p->series[series];
    double(*at)[2] = cli_memory((2 * (size_t)line->count + 1) * sizeof *at);
    int n = 0;
    for (int i = 0; i < line->count; ++i) {
        if (!axis_showable(p->x_scale, line->x[i]) || !axis_showable(p->y_scale, line->y[i])) continue;
        const double px = axis_position(x, line->x[i]), py = axis_position(y, line->y[i]);
        if (p->steps && n > 0) at[n][0] = px, at[n][1] = at[n - 1][1], ++n;
        at[n][0] = px, at[n][1] = py, ++n;
    }
    *count = n;
    return at;
}
