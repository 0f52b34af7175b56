/* face_clip.c: the common part of two faces that lie on each other.
 *
 * In the plane of X's face, Y's face is a polygon, a line or a point over a convex polygon. Sutherland & Hodgman's clipping finds which
 * of the points exist: vertices of Y over X, crossings of an edge of Y with a side of X, corners of X under the face of Y. Their places
 * and heights are then computed each from its own two features, not from the chain of cuts, so they are as exact as the vertices.
 *
 * Every edge of the polygon carries a label, the edge of Y (0, 1, ...) or the side of X (FACE_MAX, ...) it lies on; a point is the
 * meeting of two labels. So its feature does not depend on which of two parallel faces was cut by which. The cut is made `slack`
 * outside of X: faces of one size, flush on each other, keep their vertices whatever the last digits of their poses. */
#include "collision/faces.h"

/// In the plane of the face: (u, v), with the label of the edge that leaves the point.
typedef struct corner {
    double at[2];
    int leaving;
} corner;

/// How far a point is beyond a side.
static double beyond(const double side[3], const double at[2])
{
    return side[0] * at[0] + side[1] * at[1] - side[2];
}

/// Keeps the part of the polygon within `slack` of the side; new edges get `label`. Returns the new count.
static int cut(int count, const corner *in, const double side[3], double slack, int label, corner *out)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const corner *p = &in[i], *q = &in[(i + 1) % count];
        double over_p = beyond(side, p->at) - slack, over_q = beyond(side, q->at) - slack;
        int in_p = over_p <= 0.0, in_q = over_q <= 0.0;
        if (in_p && kept < CLIP_MAX) out[kept++] = *p;
        if (in_p == in_q || kept == CLIP_MAX) continue;
        double t = over_p / (over_p - over_q);
        corner *c = &out[kept++];
        for (int j = 0; j < 2; ++j) c->at[j] = p->at[j] + t * (q->at[j] - p->at[j]);
        c->leaving = in_p ? label : p->leaving;
    }
    return kept;
}

/// A vertex of Y over X.
static void at_vertex(const clip_frame *x, const clip_face *y, int k, clip_point *p)
{
    memcpy(p->at, y->vertex[k], sizeof p->at);
    p->of_x = x->face, p->of_y = y->id[k];
}

/// Edge `e` of Y over side `s` of X.
static void at_crossing(const clip_frame *x, const clip_face *y, int e, int s, clip_point *p)
{
    const double *from = y->vertex[e], *to = y->vertex[(e + 1) % y->count];
    double run = beyond(x->side[s], from) - beyond(x->side[s], to);
    double t = run != 0.0 ? clamp(beyond(x->side[s], from) / run, 0.0, 1.0) : 0.0;
    for (int j = 0; j < 3; ++j) p->at[j] = from[j] + t * (to[j] - from[j]);
    p->of_x = x->edge[s], p->of_y = y->edge[e];
}

/// The corner of X where side `s` begins, under the face of Y.
static void at_corner(const clip_frame *x, const clip_face *y, int s, clip_point *p)
{
    const double *n = y->normal, rest = vec_dot(n, y->vertex[0]);
    p->at[0] = x->corner[s][0], p->at[1] = x->corner[s][1];
    p->at[2] = (rest - n[0] * p->at[0] - n[1] * p->at[1]) / n[2];
    p->of_x = x->vertex[s], p->of_y = y->face;
}

/// Where the two labels meet. Returns 0 where that is no point of X: two sides that are no neighbours, cut at the slack.
static int meet(const clip_frame *x, const clip_face *y, int before, int after, clip_point *p)
{
    int of_x[2] = {before - FACE_MAX, after - FACE_MAX};
    if (of_x[0] < 0 && of_x[1] < 0) at_vertex(x, y, after, p); /* edge k begins in vertex k */
    else if (of_x[0] < 0) at_crossing(x, y, before, of_x[1], p);
    else if (of_x[1] < 0) at_crossing(x, y, after, of_x[0], p);
    else if ((of_x[0] + 1) % x->count == of_x[1]) at_corner(x, y, of_x[1], p);
    else if ((of_x[1] + 1) % x->count == of_x[0]) at_corner(x, y, of_x[0], p);
    else return 0;
    return 1;
}

static int clip_polygon(const clip_frame *x, const clip_face *y, double slack, clip_point point[CLIP_MAX])
{
    corner polygon[2][CLIP_MAX];
    int count = y->count, now = 0, found = 0;
    for (int k = 0; k < count; ++k) polygon[0][k] = (corner){{y->vertex[k][0], y->vertex[k][1]}, k};
    for (int s = 0; s < x->count && count > 0; ++s, now ^= 1)
        count = cut(count, polygon[now], x->side[s], slack, FACE_MAX + s, polygon[now ^ 1]);
    for (int i = 0; i < count; ++i)
        found += meet(x, y, polygon[now][(i + count - 1) % count].leaving, polygon[now][i].leaving, &point[found]);
    return found;
}

/// A line over X: the stretch between two vertices or sides.
static int clip_line(const clip_frame *x, const clip_face *y, double slack, clip_point point[CLIP_MAX])
{
    double from = 0.0, to = 1.0;
    int side[2] = {-1, -1};
    for (int s = 0; s < x->count; ++s) {
        double p = beyond(x->side[s], y->vertex[0]) - slack, q = beyond(x->side[s], y->vertex[1]) - slack;
        if (p > 0.0 && q > 0.0) return 0;
        double t = p != q ? p / (p - q) : 0.0;
        if (p > 0.0 && t > from) from = t, side[0] = s;
        if (q > 0.0 && t < to) to = t, side[1] = s;
    }
    if (from > to) return 0;
    for (int k = 0; k < 2; ++k) {
        if (side[k] < 0) at_vertex(x, y, k, &point[k]);
        else at_crossing(x, y, 0, side[k], &point[k]);
    }
    return 2;
}

int face_clip(const clip_frame *x, const clip_face *y, double slack, clip_point point[CLIP_MAX])
{
    if (y->count > 2) return clip_polygon(x, y, slack, point);
    if (y->count == 2) return clip_line(x, y, slack, point);
    for (int s = 0; s < x->count; ++s)
        if (beyond(x->side[s], y->vertex[0]) > slack) return 0;
    at_vertex(x, y, 0, point);
    return 1;
}
