/* measure_flow.c: mass through a plane (measures.h).
 *
 * A body counts when the straight line from where it was to where it is crosses the plane: +1 with the normal, -1 against it, at the
 * point where it does. A point of the plane is in front of it, so that a body which comes to lie on it has passed, once. In a world
 * that repeats itself the line is the shortest one, and is held against the plane from both ends, since the body may have left
 * through one side of the period and come in through the other. */
#include "run/measures.h"

#include "math/vec.h"

#include <math.h>

enum { MASS, COUNT, RATE };
enum { FRAME_TIME, FRAME_MASS };

/// The axis that is the normal; -1: none is.
static int axis_of(const double normal[3])
{
    for (int k = 0; k < 3; ++k)
        if (fabs(normal[k]) > 1.0 - 1e-12) return k;
    return -1;
}

static double height(const scene_flow *f, const double x[3])
{
    double arm[3];
    vec_sub(x, f->at, arm);
    return vec_dot(arm, f->normal);
}

/// +1, -1 or 0: what crosses from a to b, within the region.
static int crossing(const scene_flow *f, const double a[3], const double b[3])
{
    const double from = height(f, a), to = height(f, b);
    double point[3];
    if ((from < 0.0) == (to < 0.0)) return 0;
    for (int i = 0; i < 3; ++i) point[i] = a[i] + (b[i] - a[i]) * (from / (from - to));
    if (!measure_within(&f->within, point, axis_of(f->normal))) return 0;
    return from < 0.0 ? 1 : -1;
}

static void moved(measure *m, double mass, const double from[3], const double path[3], const double to[3])
{
    const scene_flow *f = &m->def->flow;
    double end[3], start[3];
    int direct = 1;
    for (int i = 0; i < 3; ++i) {
        direct = direct && path[i] == to[i] - from[i];
        end[i] = from[i] + path[i], start[i] = to[i] - path[i];
    }
    int sign = crossing(f, from, direct ? to : end);
    if (sign == 0 && !direct) sign = crossing(f, start, to);
    if (sign == 0) return;
    m->value[MASS] += sign * mass;
    m->value[COUNT] += sign;
}

static scree_status take(measure *m, const measure_view *now)
{
    double span = now->frame.time - m->kept[FRAME_TIME];
    if (span > 0.0) m->value[RATE] = (m->value[MASS] - m->kept[FRAME_MASS]) / span;
    m->kept[FRAME_TIME] = now->frame.time, m->kept[FRAME_MASS] = m->value[MASS];
    return SCREE_OK;
}

const measure_kind measure_flow = {
    .offset = offsetof(scene_measure, flow),
    .column = {[MASS] = {"mass", "kg"}, [COUNT] = {"count", ""}, [RATE] = {"rate", "kg/s"}},
    .kept = {[FRAME_TIME] = "frame_time", [FRAME_MASS] = "frame_mass"},
    .moved = moved,
    .take = take};
