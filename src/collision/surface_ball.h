/* surface_ball.h: a surface of triangles as a shape sees it, and what a ball touches of it: one text for the processor and for devices. What a point
 * of contact is, and why, is on top of surface.c. */
#ifndef SCREE_COLLISION_SURFACE_BALL_H
#define SCREE_COLLISION_SURFACE_BALL_H

#include "collision/mesh.h"
#include "collision/narrow.h"
#include "collision/surface.h"

#define SURFACE_TOLERANCE 1e-9 /* of direction cosines, and of lengths over sizes   */
#define SURFACE_TURNS     1e-6 /* an edge that bends by more is one                 */
#define SURFACE_SAME      1e-7 /* of the size: points that are one                  */

enum { AT_VERTEX = 0, ON_EDGE = 3, ON_FACE = 6 }; /* + corner or edge: places of a triangle */

/// What is asked of the mesh, in its frame.
typedef struct surface_query {
    const mesh_data *mesh;
    posed_shape shape;
    double reach, size;
    double low[3], high[3]; /* what the shape can reach */
    double normal[3];       /* of the triangle at hand, towards the shape */
    int is_back;            /* 1: that is not the normal of its front     */
    int at_back;            /* 1: the shape is behind the nearest triangle */
    double nearest, height; /* of the triangles so far: how far, over its plane */
    int count;
    contact_point *point;
} surface_query;

/* ---- the polar cone ----------------------------------------------------------------------------------------------------- */

/// Out of triangle t across its edge k, in its plane.
SCREE_HD void surface_outward(const mesh_data *m, int t, int k, double out[3])
{
    double e[3], c[3] = {0.0, 0.0, 0.0};
    vec_sub(m->vertex[m->triangle[t][(k + 1) % 3]], m->vertex[m->triangle[t][k]], e);
    vec_cross(e, m->normal[t], out);
    if (vec_unit(out, c) > 0.0) memcpy(out, c, sizeof c);
}

/// 1 if n can be the direction to what is nearest at this place of triangle t; *turns: the surface bends away there.
SCREE_HD int surface_is_polar(const surface_query *q, int t, int place, const double n[3], int *turns)
{
    const mesh_data *m = q->mesh;
    *turns = 0;
    if (place >= ON_FACE) return vec_dot(n, q->normal) > 1.0 - SURFACE_TOLERANCE;
    if (place >= ON_EDGE) {
        int k = place - ON_EDGE, beside = m->beside[t][k], back = 0;
        double out[3];
        surface_outward(m, t, k, out);
        double along = vec_dot(n, out);
        *turns = along > SURFACE_TURNS || beside < 0;
        if (along < -SURFACE_TOLERANCE) return 0;
        if (beside < 0) return 1;
        while (m->beside[beside][back] != t || m->triangle[beside][back] != m->triangle[t][(k + 1) % 3]) ++back;
        surface_outward(m, beside, back, out);
        along = vec_dot(n, out);
        *turns = *turns || along > SURFACE_TURNS;
        return along >= -SURFACE_TOLERANCE;
    }
    int v = m->triangle[t][place];
    for (int k = m->ring_first[v]; k < m->ring_first[v + 1]; ++k) {
        double d[3], u[3] = {0.0, 0.0, 0.0};
        vec_sub(m->vertex[m->ring[k]], m->vertex[v], d);
        vec_unit(d, u);
        double along = vec_dot(n, u);
        if (along > SURFACE_TOLERANCE) return 0;
        *turns = *turns || along < -SURFACE_TURNS;
    }
    return 1;
}

/// The number of a place: of its flat part, its edge or its vertex.
SCREE_HD unsigned surface_place_feature(const surface_query *q, int t, int place)
{
    const mesh_data *m = q->mesh;
    if (place >= ON_FACE) return 8u * (unsigned)m->patch[t] + (q->is_back ? 0u : ON_FACE);
    if (place < ON_EDGE) return 8u * (unsigned)m->triangle[t][place] + 7u;
    int k = place - ON_EDGE, beside = m->beside[t][k];
    if (beside >= 0 && beside < t) { /* the edge as the lower triangle counts it */
        int back = 0;
        while (m->beside[beside][back] != t || m->triangle[beside][back] != m->triangle[t][(k + 1) % 3]) ++back;
        return 8u * (unsigned)beside + ON_EDGE + (unsigned)back;
    }
    return 8u * (unsigned)t + ON_EDGE + (unsigned)k;
}

/* ---- collecting ---------------------------------------------------------------------------------------------------------- */

SCREE_HD void surface_add(surface_query *q, const contact_point *p)
{
    int worst = 0;
    for (int k = 0; k < q->count; ++k) {
        double r[3];
        vec_sub(p->position, q->point[k].position, r);
        int one = vec_dot(r, r) <= SURFACE_SAME * SURFACE_SAME * q->size * q->size &&
                  vec_dot(p->normal, q->point[k].normal) > 1.0 - SURFACE_SAME;
        if (one || p->feature == q->point[k].feature) { /* the same with whichever triangle comes first */
            if (p->feature < q->point[k].feature) q->point[k].feature = p->feature;
            return;
        }
        if (q->point[k].gap > q->point[worst].gap) worst = k;
    }
    if (q->count < SURFACE_POINTS) q->point[q->count++] = *p;
    else if (p->gap < q->point[worst].gap) q->point[worst] = *p;
}

/* ---- a ball --------------------------------------------------------------------------------------------------------------- */

/// Nearest point of triangle t to y, and its place.
SCREE_HD int surface_nearest(const mesh_data *m, int t, const double y[3], double x[3])
{
    double e[3], r[3], best = SCREE_INFINITY;
    int place = ON_FACE, inside = 1;
    for (int k = 0; k < 3; ++k) {
        const double *a = m->vertex[m->triangle[t][k]], *b = m->vertex[m->triangle[t][(k + 1) % 3]];
        double out[3];
        surface_outward(m, t, k, out);
        vec_sub(y, a, r);
        if (!(vec_dot(r, out) > 0.0)) continue;
        inside = 0;
        vec_sub(b, a, e);
        double s = clamp(vec_dot(r, e) / vec_dot(e, e), 0.0, 1.0), p[3], d[3];
        vec_add_scaled(a, s, e, p);
        vec_sub(y, p, d);
        if (!(vec_dot(d, d) < best)) continue;
        best = vec_dot(d, d);
        memcpy(x, s == 1.0 ? b : p, sizeof p);
        place = s == 0.0 ? AT_VERTEX + k : s == 1.0 ? AT_VERTEX + (k + 1) % 3 : ON_EDGE + k;
    }
    if (inside) {
        vec_sub(y, m->vertex[m->triangle[t][0]], r);
        vec_add_scaled(y, -vec_dot(r, m->normal[t]), m->normal[t], x);
    }
    return place;
}

SCREE_HD void ball_on_triangle(surface_query *q, int t, double height)
{
    const mesh_data *m = q->mesh;
    double x[3], d[3], r = q->shape.size[0], distance = height;
    int turns, place = surface_nearest(m, t, q->shape.x, x);
    contact_point p;
    memcpy(p.normal, q->normal, sizeof p.normal);
    if (place != ON_FACE) {
        vec_sub(q->shape.x, x, d);
        distance = vec_unit(d, p.normal);
        if (!surface_is_polar(q, t, place, p.normal, &turns)) return;
        if (!turns) { /* flat: upright to the last digit, and no place of its own */
            memcpy(p.normal, q->normal, sizeof p.normal);
            place = ON_FACE;
        }
    }
    p.feature = feature_pair(surface_place_feature(q, t, place) + 1, 1);
    p.gap = distance - r;
    if (!(p.gap <= q->reach)) return;
    for (int i = 0; i < 3; ++i) p.position[i] = q->shape.x[i] - (r + 0.5 * p.gap) * p.normal[i];
    surface_add(q, &p);
}

/// Leaves of the tree are groups of triangles: is this one of them near?
SCREE_HD int surface_meets(const surface_query *q, int t)
{
    const int *c = q->mesh->triangle[t];
    for (int i = 0; i < 3; ++i) {
        double x = q->mesh->vertex[c[0]][i], y = q->mesh->vertex[c[1]][i], z = q->mesh->vertex[c[2]][i];
        if (max2(x, max2(y, z)) < q->low[i] || min2(x, min2(y, z)) > q->high[i]) return 0;
    }
    return 1;
}

/// Triangle t as the shape sees it: how far its origin is over it, and the normal towards it. 0: beyond reach, or behind a side that is not
/// touched.
SCREE_HD int surface_sees(surface_query *q, int t, double *height)
{
    const mesh_data *m = q->mesh;
    double r[3];
    if (!surface_meets(q, t)) return 0;
    vec_sub(q->shape.x, m->vertex[m->triangle[t][0]], r);
    const double above = vec_dot(r, m->normal[t]);
    q->is_back = above < 0.0;
    if ((q->is_back && m->sides != SCREE_SIDES_BOTH) || fabs(above) > q->size + q->reach) return 0;
    for (int i = 0; i < 3; ++i) q->normal[i] = q->is_back ? -m->normal[t][i] : m->normal[t][i];
    *height = fabs(above);
    return 1;
}

/// A ball of radius r about `centre` on a mesh; surface_collide has the rest. The pose of the mesh is that of `at`.
SCREE_HD int ball_on_surface(const mesh_data *m, const posed_shape *at, const double centre[3], const double *radius,
                             double reach, contact_point point[SURFACE_POINTS])
{
    surface_query q;
    double d[3], height;
    memset(&q, 0, sizeof q);
    q.mesh = m, q.reach = reach, q.point = point, q.size = *radius, q.nearest = SCREE_INFINITY;
    q.shape.kind = SCREE_SHAPE_SPHERE, q.shape.size = radius;
    vec_sub(centre, at->x, d);
    mat_apply_transpose(at->R, d, q.shape.x);
    for (int i = 0; i < 3; ++i) q.low[i] = q.shape.x[i] - *radius - reach, q.high[i] = q.shape.x[i] + *radius + reach;
    for (int node = 0, group; (group = tree_next(&m->boxes, q.low, q.high, &node)) >= 0;)
        for (int t = group * m->group; t < (group + 1) * m->group && t < m->triangle_count; ++t)
            if (surface_sees(&q, t, &height)) ball_on_triangle(&q, t, height);
    for (int k = 0; k < q.count; ++k) contact_point_to_world(at, &point[k]);
    contact_points_sort(q.count, point);
    return q.count;
}

#endif
