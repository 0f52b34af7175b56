/* box_near.c: the distance of two boxes that are apart, in all cases.
 *
 * Nearest points of two polyhedra are a vertex of one and a point of the other, or inside two edges. So: 16 vertices against the other
 * box, by clamping, and 9 x 16 pairs of edges, of which only those count whose nearest points are inside both. Every candidate is a
 * pair of points of the two bodies, so the best is the distance; there is no iteration, and nothing that could end early. It costs
 * about a microsecond, and is needed only where no face of one lies over the nearest point of the other.
 *
 * Further points: the other vertices whose way to the other box is within 5.7 degrees of n. A box about to land across the border of
 * another has them. */
#include "collision/boxes.h"

#include <string.h>

#define SAME_DIRECTION 0.995

/// Features of X where clamping cuts p (e_i < 0, 0, > 0 in `beyond`): vertex, edge or face.
static unsigned clamped_feature(const int beyond[3])
{
    int count = (beyond[0] != 0) + (beyond[1] != 0) + (beyond[2] != 0), positive[3];
    for (int i = 0; i < 3; ++i) positive[i] = beyond[i] > 0;
    if (count == 3) return box_vertex(positive);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        if (count == 2 && !beyond[i]) return box_edge(i, positive[j], positive[k]);
        if (count == 1 && beyond[i]) return box_face(i, positive[i]);
    }
    return box_face(0, 1); /* inside: boxes that are apart have no such vertex */
}

/// The point of X nearest to vertex number `id` of Y. Returns the squared distance; of those that are equal to rounding, a face comes
/// before an edge and an edge before a vertex: the distance cannot tell an end from the point beside it, but the direction can.
static double vertex_pair(const box_view *v, double noise, unsigned id, box_point *p)
{
    int beyond[3], count = 0;
    double distance2 = 0.0;
    for (int i = 0; i < 3; ++i) {
        p->of_y[i] = v->d[i];
        for (int j = 0; j < 3; ++j) p->of_y[i] += v->C[3 * i + j] * (id >> j & 1 ? v->y[j] : -v->y[j]);
        p->of_x[i] = clamp(p->of_y[i], -v->x[i], v->x[i]);
        double e = p->of_y[i] - p->of_x[i];
        beyond[i] = (e > 0.0) - (e < 0.0), count += beyond[i] != 0;
        distance2 += e * e;
    }
    p->feature_x = clamped_feature(beyond), p->feature_y = id;
    return distance2 + noise * count * sqrt(distance2);
}

/// Of the edges of X along i and of Y along j, the nearest pair that passes inside both, if it is nearer than *best.
static void edge_pairs(const box_view *v, int i, int j, double *best, box_point *p)
{
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    double b[3] = {v->C[j], v->C[3 + j], v->C[6 + j]}, square = b[i1] * b[i1] + b[i2] * b[i2];
    if (!(square > 1e-14)) return; /* parallel: a vertex is as near */
    for (unsigned k = 0; k < 16; ++k) {
        int x1 = k & 1, x2 = k >> 1 & 1, y1 = k >> 2 & 1, y2 = k >> 3 & 1;
        double r[3]; /* from the middle of the edge of X to that of the edge of Y */
        for (int c = 0; c < 3; ++c)
            r[c] = v->d[c] + v->C[3 * c + j1] * (y1 ? v->y[j1] : -v->y[j1]) +
                   v->C[3 * c + j2] * (y2 ? v->y[j2] : -v->y[j2]);
        r[i1] -= x1 ? v->x[i1] : -v->x[i1], r[i2] -= x2 ? v->x[i2] : -v->x[i2];
        double t = -(r[i1] * b[i1] + r[i2] * b[i2]) / square, s = r[i] + t * b[i];
        if (!(fabs(s) < v->x[i] && fabs(t) < v->y[j])) continue;
        double e1 = r[i1] + t * b[i1], e2 = r[i2] + t * b[i2], distance2 = e1 * e1 + e2 * e2;
        if (!(distance2 < *best)) continue;
        *best = distance2;
        p->of_x[i] = p->of_y[i] = s;
        p->of_x[i1] = x1 ? v->x[i1] : -v->x[i1], p->of_x[i2] = x2 ? v->x[i2] : -v->x[i2];
        p->of_y[i1] = p->of_x[i1] + e1, p->of_y[i2] = p->of_x[i2] + e2;
        p->feature_x = box_edge(i, x1, x2), p->feature_y = box_edge(j, y1, y2);
    }
}

/// Appends a pair unless it is there already (two vertices meet as a pair of either) or points elsewhere than n.
static int append(const double n[3], const box_point *p, int count, box_point point[MANIFOLD_MAX])
{
    double e[3];
    for (int k = 0; k < count; ++k)
        if (point[k].feature_x == p->feature_x && point[k].feature_y == p->feature_y) return count;
    vec_sub(p->of_y, p->of_x, e);
    double length = vec_norm(e);
    if (count == MANIFOLD_MAX || (count && !(vec_dot(e, n) >= SAME_DIRECTION * length))) return count;
    point[count] = *p, point[count].gap = length;
    return count + 1;
}

/// e without its components along the axes of X, of Y (bits 1 and 2 of `boxes`) that are rounding.
static void drop_rounding(const box_view *v, double noise, int boxes, const double e[3], double out[3])
{
    double f[3];
    for (int i = 0; i < 3; ++i) out[i] = boxes & 1 && fabs(e[i]) <= noise ? 0.0 : e[i];
    if (!(boxes & 2)) return;
    mat_apply_transpose(v->C, out, f);
    for (int i = 0; i < 3; ++i)
        if (fabs(f[i]) <= noise) f[i] = 0.0;
    mat_apply(v->C, f, out);
}

/// The direction of e. Components along the axes of either box that are rounding are made zero: where a face or an edge of one is
/// parallel to one of the other, n then keeps to both. Edges that are parallel but for more than rounding, if hardly, leave n across one
/// of them only, and over their length the boxes are less apart along the other n: where they are, it is the one that parts them most.
static void direction(const box_view *v, double noise, const double e[3], double n[3])
{
    double way[3], u[3] = {0.0, 0.0, 0.0}, length = vec_norm(e);
    drop_rounding(v, noise, 3, e, way);
    vec_unit(way, n);
    double most = boxes_apart(v, n);
    for (int one = 1; one <= 2 && most < length - 4.0 * noise; ++one) {
        drop_rounding(v, noise, one, e, way);
        vec_unit(way, u);
        double apart = boxes_apart(v, u);
        if (apart > most) most = apart, memcpy(n, u, sizeof u);
    }
}

/// Where edges are parallel to rounding, the vertices beside them are equally near, but the way from most of them is no normal of both
/// boxes: along it they are less apart than they are. Of those as near as `best` takes the one along whose way they are most apart.
static void settle_tie(const box_view *v, double noise, const box_point vertex[16], box_point *best, double n[3])
{
    double e[3], n_k[3];
    vec_sub(best->of_y, best->of_x, e);
    double length = vec_norm(e), most = boxes_apart(v, n);
    for (int k = 0; k < 16 && most < length - 4.0 * noise; ++k) {
        vec_sub(vertex[k].of_y, vertex[k].of_x, e);
        if (!(vec_norm(e) <= length + noise)) continue;
        n_k[0] = n_k[1] = n_k[2] = 0.0;
        direction(v, noise, e, n_k);
        double apart = boxes_apart(v, n_k);
        if (!(apart > most)) continue;
        most = apart, *best = vertex[k], memcpy(n, n_k, sizeof n_k);
    }
}

int box_near(const box_view *v, double noise, double n[3], box_point point[MANIFOLD_MAX])
{
    box_view back = box_view_back(v);
    box_point vertex[16], best;
    double least = SCREE_INFINITY, e[3];
    int nearest = 0, count;
    for (unsigned id = 0; id < 8; ++id) {
        box_point q;
        double of_y = vertex_pair(v, noise, id, &vertex[id]), of_x = vertex_pair(&back, noise, id, &q);
        if (of_y < least) least = of_y, nearest = (int)id;
        if (of_x < least) least = of_x, nearest = 8 + (int)id;
        box_point *p = &vertex[8 + id]; /* back into the frame of X */
        p->feature_x = q.feature_y, p->feature_y = q.feature_x;
        mat_apply(v->C, q.of_x, p->of_y);
        vec_add_scaled(p->of_y, 1.0, v->d, p->of_y);
        for (int i = 0; i < 3; ++i) p->of_x[i] = id >> i & 1 ? v->x[i] : -v->x[i];
    }
    best = vertex[nearest];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) edge_pairs(v, i, j, &least, &best);

    vec_sub(best.of_y, best.of_x, e);
    n[0] = n[1] = n[2] = 0.0;
    direction(v, noise, e, n);
    settle_tie(v, noise, vertex, &best, n);
    count = append(n, &best, 0, point);
    for (int k = 0; k < 16; ++k) count = append(n, &vertex[k], count, point);
    return count;
}
