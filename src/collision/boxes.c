/* boxes.c: box with box.
 *
 * Separating axes (Gottschalk, Lin & Manocha 1996): on the six face normals and nine products of edges, the separation of the
 * projections is a lower bound of the distance, and the largest is minus the depth of boxes that overlap. The axis says which features
 * touch:
 *     face     the other box's face cut to it (box_clip.c): up to 8 points with their own heights
 *     edges    one point
 *     neither  apart, and no face lies over the nearest point: the distance by enumeration (box_near.c)
 * The third is recognised by its points: a manifold whose least gap is not the separation of the axes proves nothing.
 *
 * Preference. A tie between axes is the rule, not the exception: boxes that lie flat on each other tie between both faces and some
 * edges, and rounding would choose another one each step. So an axis wins over one before it in the order of faces of A, faces of B,
 * edges, only if it is better by 1e-6 of the smallest half length. That is how far the depth of overlapping boxes may exceed the
 * least one; boxes that are apart get their distance to the same measure, and to rounding unless faces or edges are parallel within 1e-6.
 * The features do not depend on the choice (box_clip.c). */
#include "collision/boxes.h"

/// What rounding does to a coordinate, in parts of the size of the boxes and their distance.
#define NOISE 1e-14

/// What the axes say.
typedef struct axis_choice {
    double separation; /* of the chosen axis                                     */
    double largest;    /* of all: lower bound of the distance                    */
    int kind;          /* 0: face of A, 1: face of B, 2: edges                   */
    int i, j;          /* face axis i (of A or B), or edge i of A and j of B     */
    double n[3];       /* unit, from A to B, in the frame of A                   */
} axis_choice;

/// Takes the axis if it is better than the best so far by `handicap`.
static void consider(axis_choice *c, double separation, double handicap, int kind, int i, int j, const double n[3],
                     double along)
{
    c->largest = max2(c->largest, separation);
    if (!(separation > c->separation + handicap)) return;
    *c = (axis_choice){separation, c->largest, kind, i, j, {n[0], n[1], n[2]}};
    if (along < 0.0)
        for (int k = 0; k < 3; ++k) c->n[k] = -n[k];
}

static double width_of_b(const box_view *v, const double n[3])
{
    double w = 0.0;
    for (int j = 0; j < 3; ++j) w += v->y[j] * fabs(v->C[j] * n[0] + v->C[3 + j] * n[1] + v->C[6 + j] * n[2]);
    return w;
}

static double width_of_a(const box_view *v, const double n[3])
{
    return v->x[0] * fabs(n[0]) + v->x[1] * fabs(n[1]) + v->x[2] * fabs(n[2]);
}

double boxes_apart(const box_view *v, const double n[3])
{
    return vec_dot(v->d, n) - width_of_a(v, n) - width_of_b(v, n);
}

/// Stops early, with `largest` beyond reach, once an axis parts the boxes by more than that.
static axis_choice choose_axis(const box_view *v, double handicap, double reach)
{
    axis_choice c = {-SCREE_INFINITY, -SCREE_INFINITY, 0, 0, 0, {0.0, 0.0, 0.0}};
    for (int i = 0; i < 3; ++i) {
        double n[3] = {i == 0, i == 1, i == 2};
        consider(&c, fabs(v->d[i]) - v->x[i] - width_of_b(v, n), handicap, 0, i, 0, n, v->d[i]);
    }
    if (c.largest > reach) return c;
    for (int j = 0; j < 3; ++j) {
        double n[3] = {v->C[j], v->C[3 + j], v->C[6 + j]}, along = vec_dot(v->d, n);
        consider(&c, fabs(along) - v->y[j] - width_of_a(v, n), handicap, 1, j, 0, n, along);
    }
    if (c.largest > reach) return c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) { /* e_i x b_j */
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            double n[3] = {0.0, 0.0, 0.0}, p = -v->C[3 * i2 + j], q = v->C[3 * i1 + j], length = sqrt(p * p + q * q);
            if (length < 1e-12)
                continue; /* parallel; above, n may be poor but its separation holds, as that of any n */
            n[i1] = p / length, n[i2] = q / length;
            double along = vec_dot(v->d, n);
            consider(&c, fabs(along) - width_of_a(v, n) - width_of_b(v, n), handicap, 2, i, j, n, along);
        }
    return c;
}

/// The edges along i and j that face each other along n. Returns whether their nearest points are inside both.
static int edge_contact(const box_view *v, const axis_choice *c, box_point *p)
{
    int i = c->i, j = c->j, px[3], py[3], inside;
    double b[3] = {v->C[j], v->C[3 + j], v->C[6 + j]}, x[3], y[3], r[3];
    memcpy(y, v->d, sizeof y);
    for (int k = 0; k < 3; ++k) {
        double along = v->C[k] * c->n[0] + v->C[3 + k] * c->n[1] + v->C[6 + k] * c->n[2];
        px[k] = c->n[k] >= 0.0, py[k] = along < 0.0;
        x[k] = k == i ? 0.0 : px[k] ? v->x[k] : -v->x[k];
        if (k == j) continue;
        for (int l = 0; l < 3; ++l) y[l] += v->C[3 * l + k] * (py[k] ? v->y[k] : -v->y[k]);
    }
    vec_sub(y, x, r); /* points x + s e_i and y + t b; their connection is along n */
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    double t = -(r[i1] * b[i1] + r[i2] * b[i2]) / (b[i1] * b[i1] + b[i2] * b[i2]), s = r[i] + t * b[i];
    inside = fabs(s) <= v->x[i] && fabs(t) <= v->y[j];
    s = clamp(s, -v->x[i], v->x[i]), t = clamp(t, -v->y[j], v->y[j]);
    x[i] = s;
    vec_add_scaled(y, t, b, y);
    memcpy(p->of_x, x, sizeof x);
    memcpy(p->of_y, y, sizeof y);
    p->gap = c->separation;
    p->feature_x = box_edge(i, px[i1], px[i2]);
    p->feature_y = box_edge(j, py[(j + 1) % 3], py[(j + 2) % 3]);
    return inside;
}

/// A face of A or of B and what lies over it, in the frame of A. Returns how many points; *least: their least gap.
static int face_contact(const box_view *v, const axis_choice *c, double slack, box_point point[MANIFOLD_MAX],
                        double *least)
{
    int count;
    *least = SCREE_INFINITY;
    if (c->kind == 0) {
        count = box_clip(v, c->i, c->n[c->i] < 0.0 ? -1.0 : 1.0, slack, point);
    } else {
        box_view back = box_view_back(v);
        double along = v->C[c->i] * c->n[0] + v->C[3 + c->i] * c->n[1] + v->C[6 + c->i] * c->n[2];
        count = box_clip(&back, c->i, along > 0.0 ? -1.0 : 1.0, slack, point);
        for (int k = 0; k < count; ++k) { /* the point of A and that of B change places, and go into the frame of A */
            box_point p = point[k];
            mat_apply(v->C, p.of_x, point[k].of_y);
            mat_apply(v->C, p.of_y, point[k].of_x);
            vec_add_scaled(point[k].of_x, 1.0, v->d, point[k].of_x);
            vec_add_scaled(point[k].of_y, 1.0, v->d, point[k].of_y);
            point[k].feature_x = p.feature_y, point[k].feature_y = p.feature_x;
        }
    }
    for (int k = 0; k < count; ++k) *least = min2(*least, point[k].gap);
    return count;
}

/// Where everything else has failed to the last digits: the vertex of B that is farthest along -n.
static void deepest_vertex(const box_view *v, const axis_choice *c, box_point *p)
{
    int positive[3];
    memcpy(p->of_y, v->d, sizeof p->of_y);
    for (int j = 0; j < 3; ++j) {
        double along = v->C[j] * c->n[0] + v->C[3 + j] * c->n[1] + v->C[6 + j] * c->n[2];
        positive[j] = along < 0.0;
        for (int i = 0; i < 3; ++i) p->of_y[i] += v->C[3 * i + j] * (positive[j] ? v->y[j] : -v->y[j]);
    }
    p->gap = c->separation;
    vec_add_scaled(p->of_y, -p->gap, c->n, p->of_x);
    p->feature_x = box_face(0, 1), p->feature_y = box_vertex(positive);
}

/// The points of the contact and its normal, in the frame of A.
static int box_contact(const box_view *v, axis_choice *c, double slack, double noise, box_point point[MANIFOLD_MAX])
{
    int count = 1;
    double least = c->separation, n[3] = {0.0, 0.0, 0.0};
    if (c->kind == 2) {
        if (edge_contact(v, c, point) || c->largest <= noise) return 1;
    } else {
        count = face_contact(v, c, slack, point, &least);
        if (count && least <= c->largest + slack) return count;
    }
    if (c->largest > noise) {
        count = box_near(v, noise, n, point);
        /* A direction from points that all but touch may be worse than the axis. Points are known to `noise`, so their direction to
         * noise / distance, and the width along it to the size of the boxes times that. Where that is much of the distance itself, the
         * axis is the better one. */
        double width_error = noise / NOISE * noise / c->largest;
        if (boxes_apart(v, n) < c->largest - max2(noise, min2(width_error, 1e-9 * c->largest))) return 1;
        memcpy(c->n, n, sizeof n);
        return count;
    }
    if (count) return count;
    deepest_vertex(v, c, point);
    return 1;
}

void collide_box_box(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    box_view v = {.x = a->size, .y = b->size};
    double d[3];
    box_point point[MANIFOLD_MAX];
    vec_sub(b->x, a->x, d);
    mat_apply_transpose(a->R, d, v.d);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            v.C[3 * i + j] = a->R[i] * b->R[j] + a->R[3 + i] * b->R[3 + j] + a->R[6 + i] * b->R[6 + j];

    double smallest = SCREE_INFINITY, noise = vec_norm(v.d);
    for (int i = 0; i < 3; ++i) {
        smallest = min2(smallest, min2(v.x[i], v.y[i]));
        noise = max2(noise, max2(v.x[i], v.y[i]));
    }
    noise *= NOISE;
    double slack = max2(1e-6 * smallest, noise);
    axis_choice c = choose_axis(&v, slack, reach);
    if (c.largest > reach) return;
    int count = box_contact(&v, &c, slack, noise, point);
    mat_apply(a->R, c.n, m->normal);
    for (int k = 0; k < count; ++k) {
        double pa[3], pb[3];
        mat_apply(a->R, point[k].of_x, pa);
        mat_apply(a->R, point[k].of_y, pb);
        manifold_add(m, reach, a->x, pa, pb, point[k].gap, feature_pair(point[k].feature_x, point[k].feature_y));
    }
}
