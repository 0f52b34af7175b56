/* box_clip.c: the common part of two faces that lie on each other.
 *
 * In the frame of X, the face of Y that looks most against the given face of X is a quadrilateral over a rectangle. Sutherland &
 * Hodgman's clipping finds which of the points exist: vertices of Y over the rectangle, crossings of an edge of Y with a side, corners
 * of the rectangle under the face of Y. Their places and heights are then computed each from its own two features, not from the
 * chain of cuts, so they are as exact as the vertices.
 *
 * Every edge of the polygon carries a label, the edge of Y (0-3) or the side of the rectangle (4-7) it lies on; a point is the meeting
 * of two labels. So its feature does not depend on which of two parallel faces was cut by which. The cut is made `slack` outside of
 * the rectangle: boxes of one size, flush on each other, keep their four vertices whatever the last digits of their poses. */
#include "world/boxes.h"

enum { POLYGON_MAX = 12 };

/// In the plane of the face: (u, v), with the label of the edge that leaves the point.
typedef struct corner {
    double at[2];
    int leaving;
} corner;

typedef struct quad {
    double vertex[4][3]; /* in the frame of X: u, v, height over the face of X      */
    unsigned id[4];      /* of the vertices of Y                                     */
    unsigned edge[4];    /* of the edge of Y from vertex k to k + 1                  */
    unsigned face;       /* of Y                                                     */
    double normal[3];    /* of the face of Y, in (u, v, height)                      */
} quad;

/// The face of Y that looks most against `sign` * axis of X.
static void incident_face(const box_view *v, int axis, double sign, quad *q)
{
    int a = 0;
    for (int j = 1; j < 3; ++j)
        if (fabs(v->C[3 * axis + j]) > fabs(v->C[3 * axis + a])) a = j;
    int positive[3], b = (a + 1) % 3, c = (a + 2) % 3, u = (axis + 1) % 3, w = (axis + 2) % 3;
    positive[a] = sign * v->C[3 * axis + a] < 0.0;
    double side = positive[a] ? 1.0 : -1.0;
    q->face = box_face(a, positive[a]);
    q->normal[0] = side * v->C[3 * u + a], q->normal[1] = side * v->C[3 * w + a];
    q->normal[2] = side * sign * v->C[3 * axis + a];
    for (int k = 0; k < 4; ++k) { /* (-, -), (+, -), (+, +), (-, +) in (b, c) */
        double p[3];
        positive[b] = k == 1 || k == 2, positive[c] = k >= 2;
        for (int i = 0; i < 3; ++i) {
            p[i] = v->d[i];
            for (int j = 0; j < 3; ++j) p[i] += v->C[3 * i + j] * (positive[j] ? v->y[j] : -v->y[j]);
        }
        q->vertex[k][0] = p[u], q->vertex[k][1] = p[w], q->vertex[k][2] = sign * p[axis] - v->x[axis];
        q->id[k] = box_vertex(positive);
    }
    /* box_edge takes the signs of the two other axes in cyclic order after its own: (c, a) for one along b, (a, b) along c */
    q->edge[0] = box_edge(b, 0, positive[a]), q->edge[2] = box_edge(b, 1, positive[a]);
    q->edge[1] = box_edge(c, positive[a], 1), q->edge[3] = box_edge(c, positive[a], 0);
}

/// Keeps the part of the polygon with sign * at[k] <= limit; new edges get `label`. Returns the new count.
static int cut(int count, const corner *in, int k, double sign, double limit, int label, corner *out)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const corner *p = &in[i], *q = &in[(i + 1) % count];
        double over_p = sign * p->at[k] - limit, over_q = sign * q->at[k] - limit;
        int in_p = over_p <= 0.0, in_q = over_q <= 0.0;
        if (in_p) out[kept++] = *p;
        if (in_p == in_q) continue;
        double t = over_p / (over_p - over_q);
        corner *c = &out[kept++];
        for (int j = 0; j < 2; ++j) c->at[j] = p->at[j] + t * (q->at[j] - p->at[j]);
        c->leaving = in_p ? label : p->leaving;
    }
    return kept;
}

/// The side of the rectangle with label 4..7: which of (u, v), which sign, and the edge of X it is.
static unsigned side_edge(int label, int axis, int face_positive)
{
    int k = (label - 4) / 2, positive = (label - 4) % 2; /* side at +- of u (k = 0) or v (k = 1) */
    int u = (axis + 1) % 3, w = (axis + 2) % 3;
    /* the side at u = const runs along w, whose cyclic successors are (axis, u); the other along u, with (w, axis) */
    return k == 0 ? box_edge(w, face_positive, positive) : box_edge(u, positive, face_positive);
}

/// Where the two labels meet: (u, v, height), and the features.
static void meet(const box_view *v, const quad *q, int axis, int face_positive, int before, int after, double at[3],
                 box_point *point)
{
    const double half[2] = {v->x[(axis + 1) % 3], v->x[(axis + 2) % 3]};
    if (before < 4 && after < 4) { /* a vertex of Y: edge k ends in vertex k + 1 */
        memcpy(at, q->vertex[after], 3 * sizeof *at);
        point->feature_x = box_face(axis, face_positive), point->feature_y = q->id[after];
    } else if (before >= 4 && after >= 4) { /* a corner of the rectangle, under the face of Y */
        int positive[3];
        positive[axis] = face_positive;
        double rest = vec_dot(q->normal, q->vertex[0]);
        for (int side = 0; side < 2; ++side) {
            int label = side ? after : before, k = (label - 4) / 2, plus = (label - 4) % 2;
            at[k] = plus ? half[k] : -half[k];
            positive[(axis + 1 + k) % 3] = plus;
        }
        at[2] = (rest - q->normal[0] * at[0] - q->normal[1] * at[1]) / q->normal[2];
        point->feature_x = box_vertex(positive), point->feature_y = q->face;
    } else { /* an edge of Y over a side */
        int e = before < 4 ? before : after, label = before < 4 ? after : before;
        int k = (label - 4) / 2, plus = (label - 4) % 2;
        const double *p = q->vertex[e], *r = q->vertex[(e + 1) % 4];
        double run = r[k] - p[k], t = run != 0.0 ? clamp(((plus ? half[k] : -half[k]) - p[k]) / run, 0.0, 1.0) : 0.0;
        for (int j = 0; j < 3; ++j) at[j] = p[j] + t * (r[j] - p[j]);
        point->feature_x = side_edge(label, axis, face_positive), point->feature_y = q->edge[e];
    }
}

int box_clip(const box_view *v, int axis, double sign, double slack, box_point point[MANIFOLD_MAX])
{
    quad q;
    corner polygon[2][POLYGON_MAX];
    int u = (axis + 1) % 3, w = (axis + 2) % 3, count = 4, now = 0;
    incident_face(v, axis, sign, &q);
    for (int k = 0; k < 4; ++k) polygon[0][k] = (corner){{q.vertex[k][0], q.vertex[k][1]}, k};
    for (int label = 4; label < 8 && count > 0; ++label, now ^= 1) {
        int k = (label - 4) / 2;
        double limit = (k == 0 ? v->x[u] : v->x[w]) + slack;
        count = cut(count, polygon[now], k, (label - 4) % 2 ? 1.0 : -1.0, limit, label, polygon[now ^ 1]);
    }
    if (count > MANIFOLD_MAX) count = MANIFOLD_MAX; /* a quadrilateral cut by four lines has no more */
    for (int i = 0; i < count; ++i) {
        double at[3];
        box_point *p = &point[i];
        meet(v, &q, axis, sign > 0.0, polygon[now][(i + count - 1) % count].leaving, polygon[now][i].leaving, at, p);
        p->gap = at[2];
        p->of_x[u] = at[0], p->of_x[w] = at[1], p->of_x[axis] = sign * v->x[axis];
        p->of_y[u] = at[0], p->of_y[w] = at[1], p->of_y[axis] = sign * (v->x[axis] + at[2]);
    }
    return count;
}
