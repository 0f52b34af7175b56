/* box_clip.c: two faces of boxes that lie on each other, in the frame of one of them: face_clip.c does the cutting. */
#include "collision/boxes.h"
#include "collision/faces.h"

/// The face of Y that looks most against `sign` * axis of X.
static void incident_face(const box_view *v, int axis, double sign, clip_face *q)
{
    int a = 0;
    for (int j = 1; j < 3; ++j)
        if (fabs(v->C[3 * axis + j]) > fabs(v->C[3 * axis + a])) a = j;
    int positive[3], b = (a + 1) % 3, c = (a + 2) % 3, u = (axis + 1) % 3, w = (axis + 2) % 3;
    positive[a] = sign * v->C[3 * axis + a] < 0.0;
    double side = positive[a] ? 1.0 : -1.0;
    q->count = 4;
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

/// The face `sign` * axis of X: corners (-, -), (+, -), (+, +), (-, +) in (u, v).
static void reference_face(const box_view *v, int axis, int face_positive, clip_frame *x)
{
    static const double out[4][2] = {{0.0, -1.0}, {1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}};
    int u = (axis + 1) % 3, w = (axis + 2) % 3, positive[3];
    positive[axis] = face_positive;
    x->count = 4;
    x->face = box_face(axis, face_positive);
    for (int k = 0; k < 4; ++k) {
        positive[u] = k == 1 || k == 2, positive[w] = k >= 2;
        x->corner[k][0] = positive[u] ? v->x[u] : -v->x[u], x->corner[k][1] = positive[w] ? v->x[w] : -v->x[w];
        x->vertex[k] = box_vertex(positive);
        /* the sides at v = const run along u, with (w, axis) after it; those at u = const along w, with (axis, u) */
        x->edge[k] = k % 2 == 0 ? box_edge(u, k == 2, face_positive) : box_edge(w, face_positive, k == 1);
        x->side[k][0] = out[k][0], x->side[k][1] = out[k][1], x->side[k][2] = k % 2 == 0 ? v->x[w] : v->x[u];
    }
}

int box_clip(const box_view *v, int axis, double sign, double slack, box_point point[MANIFOLD_MAX])
{
    clip_frame x;
    clip_face y;
    clip_point found[CLIP_MAX];
    int u = (axis + 1) % 3, w = (axis + 2) % 3;
    incident_face(v, axis, sign, &y);
    reference_face(v, axis, sign > 0.0, &x);
    int count = face_clip(&x, &y, slack, found);
    if (count > MANIFOLD_MAX) count = MANIFOLD_MAX; /* a quadrilateral cut by four lines has no more */
    for (int i = 0; i < count; ++i) {
        const double *at = found[i].at;
        box_point *p = &point[i];
        p->gap = at[2], p->feature_x = found[i].of_x, p->feature_y = found[i].of_y;
        p->of_x[u] = at[0], p->of_x[w] = at[1], p->of_x[axis] = sign * v->x[axis];
        p->of_y[u] = at[0], p->of_y[w] = at[1], p->of_y[axis] = sign * (v->x[axis] + at[2]);
    }
    return count;
}
