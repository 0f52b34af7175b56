/* path_events.c: where the modes of the law end along a direction (path.h).                              docs/solvers/path.md */
#include "solvers/path.h"

#include "math/dense.h"

static const double AT_ONCE = 5e-10; /* along the direction */

int path_condition(const path *w, const scree_problem *problem, int b, int kind, const double *x, const double *y,
                   const double *dx, const double *dy, condition *g)
{
    int at = problem->offset[b], mode = w->mode[b];
    *g = (condition){0};
    if (b >= problem->contact_count) {
        double S = problem->bound[b - problem->contact_count] / w->scaled.D[at];
        if (kind > 0 || S > DBL_MAX) return 0;
        if (mode == INSIDE) { /* the nearer bound */
            double side = x[at] < 0.0 ? -1.0 : 1.0;
            g->value = S - side * x[at], g->slope = -side * dx[at];
        } else {
            double side = mode == AT_MOST ? -1.0 : 1.0;
            g->value = side * y[at], g->slope = side * dy[at];
        }
        return 1;
    }
    if (kind == 0) {
        g->value = mode & CLOSED ? x[at] : y[at];
        g->slope = mode & CLOSED ? dx[at] : dy[at];
        return 1;
    }
    const scree_cone *c = &w->scaled.cone[b];
    int k = kind - 1, i = at + 1;
    for (int j = 0; j < k; ++j) i += c->size[j];
    if (!(mode & CLOSED) || !c->size[k] || !(c->coef[k] > 0.0)) return 0;
    double mu = c->coef[k], l = 0.0, s = 0.0, q = 0.0;
    if (mode & STICKS << k) {
        for (int j = i; j < i + c->size[k]; ++j) l += x[j] * x[j], s += x[j] * dx[j], q += dx[j] * dx[j];
        g->is_disk = 1;
        g->square = number_max(mu * mu * x[at] * x[at] - l, 0.0);
        g->linear = mu * mu * x[at] * dx[at] - s, g->quadratic = mu * mu * dx[at] * dx[at] - q;
        g->value = mu * x[at] - sqrt(l), g->slope = mu * dx[at] - (l > 0.0 ? s / sqrt(l) : 0.0);
        return 1;
    }
    for (int j = i; j < i + c->size[k]; ++j) {
        double z = x[j] - y[j];
        l += z * z, s += z * (dx[j] - dy[j]);
    }
    l = sqrt(l);
    g->value = l - mu * (x[at] - y[at]), g->slope = (l > 0.0 ? s / l : 0.0) - mu * (dx[at] - dy[at]);
    return 1;
}

/// The first h >= 0 at which the condition is no longer met, along a straight line.
static double end_of(const condition *g)
{
    const double never = SCREE_INFINITY;
    if (!g->is_disk) return g->slope < 0.0 ? number_max(g->value, 0.0) / -g->slope : never;
    double a = g->quadratic, b = g->linear, c = g->square, D = b * b - a * c;
    if (!(c > 0.0)) return b < 0.0 ? 0.0 : a < 0.0 ? -2.0 * b / a : never;
    if (D < 0.0) return never;
    /* a h^2 + 2 b h + c = 0, the least positive root */
    double root = sqrt(D);
    if (b <= 0.0) return -b + root > 0.0 ? c / (-b + root) : never; /* both positive if a > 0 */
    return a < 0.0 ? (b + root) / -a : never;
}

int path_same_event(const event *a, int block, int kind)
{
    return a->block == block && a->kind == kind;
}

event path_first_event(const path *w, const scree_problem *problem)
{
    event first = {.block = -1, .h = SCREE_INFINITY};
    condition g;
    for (int b = 0; b < problem->block_count; ++b)
        for (int kind = 0; kind <= SCREE_FRICTION_KINDS; ++kind) {
            if (!path_condition(w, problem, b, kind, w->x, w->y, w->dx, w->dy, &g)) continue;
            double h = end_of(&g);
            if (path_same_event(&w->last, b, kind) && h <= AT_ONCE && (g.slope >= 0.0 || w->rests < 2)) continue;
            if (h < first.h) first = (event){b, kind, h};
        }
    return first;
}

int path_passed_others(const path *w, const scree_problem *problem, const event *e, double tolerance)
{
    condition g, g_0;
    for (int b = 0; b < problem->block_count; ++b)
        for (int kind = 0; kind <= SCREE_FRICTION_KINDS; ++kind) {
            if ((e && path_same_event(e, b, kind)) ||
                !path_condition(w, problem, b, kind, w->x_n, w->y_n, w->dx, w->dy, &g))
                continue;
            if (!(g.value < -tolerance)) continue;
            path_condition(w, problem, b, kind, w->x, w->y, w->dx, w->dy, &g_0);
            if (g.value < g_0.value - 1e-12 * w->size) return 1;
        }
    return 0;
}

double path_fastest_turn(const path *w, const scree_problem *problem)
{
    double most = 0.0;
    for (int b = 0; b < problem->contact_count; ++b) {
        const scree_cone *c = &w->scaled.cone[b];
        for (int k = 0, i = problem->offset[b] + 1; k < SCREE_FRICTION_KINDS; i += c->size[k++]) {
            if (!(w->mode[b] & CLOSED) || w->mode[b] & STICKS << k || c->size[k] != 2 || !(c->coef[k] > 0.0)) continue;
            double z[2] = {w->x[i] - w->y[i], w->x[i + 1] - w->y[i + 1]}, l = dot(2, z, z);
            double turn = z[0] * (w->dx[i + 1] - w->dy[i + 1]) - z[1] * (w->dx[i] - w->dy[i]);
            if (l > 0.0) most = number_max(most, fabs(turn) / l);
        }
    }
    return most;
}
