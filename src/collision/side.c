/* side.c: on which side of a surface of triangles is a point?
 *
 * Of a ground (heights over x and y): it is behind where a triangle lies above it, on the line along z. Exact, and as far down as
 * one likes.
 *
 * Of another surface: behind where the nearest point of the surface sees it from its back. On an edge or at a corner several triangles
 * are equally near and may disagree; that whose plane is farthest from the point is right (the plane it sees most upright: Eberly,
 * Distance between point and triangle in 3D, 2020, where the same choice gives the sign of a mesh's distance). Where the
 * nearest place is a border the point is beside the surface, not behind it.
 *
 * The tree is walked from left to right, past every box farther than the nearest triangle so far: O(log n) for points near the surface.
 * Asked before the first step and after the last one only. */
#include "collision/mesh.h"

#include "collision/narrow.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

#define SAME 1e-9 /* of the distance: triangles that are equally near */

/// The nearest triangle so far.
typedef struct nearest {
    double distance, height; /* height: over the plane of the triangle, signed */
    int at_border;
} nearest;

static double box_distance(const tree_box *b, const double p[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        double d = max2(0.0, max2(b->low[i] - p[i], p[i] - b->high[i]));
        sum += d * d;
    }
    return sqrt(sum);
}

/// The point of triangle t nearest to p, and whether the surface ends there.
static double triangle_distance(const mesh_data *m, int t, const double p[3], int *at_border)
{
    double best = SCREE_INFINITY, r[3], e[3], out[3];
    int inside = 1;
    *at_border = 0;
    for (int k = 0; k < 3; ++k) {
        const double *a = m->vertex[m->triangle[t][k]], *b = m->vertex[m->triangle[t][(k + 1) % 3]];
        vec_sub(b, a, e);
        vec_cross(e, m->normal[t], out);
        vec_sub(p, a, r);
        if (!(vec_dot(r, out) > 0.0)) continue;
        inside = 0;
        double s = clamp(vec_dot(r, e) / vec_dot(e, e), 0.0, 1.0);
        vec_add_scaled(r, -s, e, r);
        if (!(vec_norm(r) < best)) continue;
        best = vec_norm(r);
        int before = m->beside[t][(k + 2) % 3], after = m->beside[t][(k + 1) % 3];
        *at_border = m->beside[t][k] < 0 || (s == 0.0 && before < 0) || (s == 1.0 && after < 0);
    }
    if (inside) {
        vec_sub(p, m->vertex[m->triangle[t][0]], r);
        best = fabs(vec_dot(r, m->normal[t]));
    }
    return best;
}

static void look_at(const mesh_data *m, int t, const double p[3], nearest *n)
{
    int at_border;
    double r[3], d = triangle_distance(m, t, p, &at_border);
    if (d > n->distance * (1.0 + SAME)) return;
    vec_sub(p, m->vertex[m->triangle[t][0]], r);
    double height = vec_dot(r, m->normal[t]);
    int tied = d >= n->distance * (1.0 - SAME);
    if (!tied || fabs(height) > fabs(n->height)) n->height = height;
    n->at_border = at_border || (tied && n->at_border);
    n->distance = min2(d, n->distance);
}

static int behind_nearest(const mesh_data *m, const double p[3], double *depth)
{
    nearest n = {.distance = SCREE_INFINITY};
    for (int i = 0; i < m->boxes.count;) {
        const tree_box *b = &m->boxes.node[i];
        int near = box_distance(b, p) <= n.distance * (1.0 + SAME);
        for (int t = b->id * m->group; near && b->id >= 0 && t < (b->id + 1) * m->group && t < m->triangle_count; ++t)
            look_at(m, t, p, &n);
        i += near ? 1 : b->skip;
    }
    *depth = n.distance;
    return n.height < 0.0 && !n.at_border;
}

/// The ground above a point.
typedef struct ground_query {
    const mesh_data *mesh;
    const double *p;
    double above; /* [m]; below 0: none */
} ground_query;

static void look_up(void *context, int group)
{
    ground_query *q = context;
    const mesh_data *m = q->mesh;
    for (int t = group * m->group; t < (group + 1) * m->group && t < m->triangle_count; ++t) {
        int over = 1;
        for (int k = 0; k < 3; ++k) {
            const double *a = m->vertex[m->triangle[t][k]], *b = m->vertex[m->triangle[t][(k + 1) % 3]];
            over &= (b[0] - a[0]) * (q->p[1] - a[1]) - (b[1] - a[1]) * (q->p[0] - a[0]) >= 0.0;
        }
        if (!over) continue;
        double r[3];
        vec_sub(m->vertex[m->triangle[t][0]], q->p, r);
        q->above = max2(q->above, vec_dot(r, m->normal[t]) / m->normal[t][2]);
    }
}

int mesh_is_behind(const mesh_data *m, const double p[3], double *depth)
{
    if (m->sides == SCREE_SIDES_BOTH) return 0;
    if (!m->is_ground) return behind_nearest(m, p, depth);
    ground_query q = {.mesh = m, .p = p, .above = -1.0};
    double low[3] = {p[0], p[1], p[2]}, high[3] = {p[0], p[1], SCREE_INFINITY};
    tree_query(&m->boxes, low, high, look_up, &q);
    *depth = q.above;
    return q.above > 0.0;
}
