/* surface.c: what a convex shape touches of a surface of triangles.
 *
 * Triangle by triangle the answer would be wrong: a ball on a plane of two triangles is as near to a point on the border of the one
 * as it is above the other, and the line to that point is not upright. Over a bump that is not there it would hop. But a point of the
 * whole surface is nearest, near it, only if the direction n from it to the shape lies in the polar cone of the surface there:
 *     inside a triangle   n is its normal
 *     on an edge          n.m >= 0 for the directions m out of the triangles on both sides, in their planes and across the edge
 *     at a vertex         n.d <= 0 for the directions d of all edges that leave it
 * What passes is a contact. What does not is looked at again along the normal of the triangle, and counts only where it lies over the
 * triangle itself: the points of a box that lies over many triangles. There, points on edges and vertices of the mesh count only where the
 * surface turns away from the shape; on flat and hollow edges they would be said twice, or be inside.
 *
 * A triangle is touched from the side on which the shape's origin is; from behind only where the surface has two sides. Directions out of
 * triangles and edges are the same seen from both, so only the normal changes its sign. A long shape over a crest has its origin behind
 * the far slope, which it touches from the front if at all: so a shape that is no ball is on the side that the nearest triangle sees, and
 * triangles on their other side count only where their own nearest point passes the test above (the next turn of a spiral).
 *
 * Features (of the mesh): a place in a flat part of the surface (front or back), whichever of its triangles it is; an edge; a vertex. So what slides over
 * a plane of triangles keeps its history. Points that two triangles found are one. */
#include "collision/surface.h"

#include "collision/geometry_private.h"
#include "collision/hull.h"

#define TOLERANCE 1e-9 /* of direction cosines, and of lengths over sizes   */
#define TURNS     1e-6 /* an edge that bends by more is one                 */
#define SAME      1e-7 /* of the size: points that are one                  */

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
static void outward(const mesh_data *m, int t, int k, double out[3])
{
    double e[3], c[3] = {0.0, 0.0, 0.0};
    vec_sub(m->vertex[m->triangle[t][(k + 1) % 3]], m->vertex[m->triangle[t][k]], e);
    vec_cross(e, m->normal[t], out);
    if (vec_unit(out, c) > 0.0) memcpy(out, c, sizeof c);
}

/// 1 if n can be the direction to what is nearest at this place of triangle t; *turns: the surface bends away there.
static int is_polar(const surface_query *q, int t, int place, const double n[3], int *turns)
{
    const mesh_data *m = q->mesh;
    *turns = 0;
    if (place >= ON_FACE) return vec_dot(n, q->normal) > 1.0 - TOLERANCE;
    if (place >= ON_EDGE) {
        int k = place - ON_EDGE, beside = m->beside[t][k], back = 0;
        double out[3];
        outward(m, t, k, out);
        double along = vec_dot(n, out);
        *turns = along > TURNS || beside < 0;
        if (along < -TOLERANCE) return 0;
        if (beside < 0) return 1;
        while (m->beside[beside][back] != t || m->triangle[beside][back] != m->triangle[t][(k + 1) % 3]) ++back;
        outward(m, beside, back, out);
        along = vec_dot(n, out);
        *turns = *turns || along > TURNS;
        return along >= -TOLERANCE;
    }
    int v = m->triangle[t][place];
    for (int k = m->ring_first[v]; k < m->ring_first[v + 1]; ++k) {
        double d[3], u[3] = {0.0, 0.0, 0.0};
        vec_sub(m->vertex[m->ring[k]], m->vertex[v], d);
        vec_unit(d, u);
        double along = vec_dot(n, u);
        if (along > TOLERANCE) return 0;
        *turns = *turns || along < -TURNS;
    }
    return 1;
}

/// The number of a place: of its flat part, its edge or its vertex.
static unsigned place_feature(const surface_query *q, int t, int place)
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

static void add(surface_query *q, const contact_point *p)
{
    int worst = 0;
    for (int k = 0; k < q->count; ++k) {
        double r[3];
        vec_sub(p->position, q->point[k].position, r);
        int one =
            vec_dot(r, r) <= SAME * SAME * q->size * q->size && vec_dot(p->normal, q->point[k].normal) > 1.0 - SAME;
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
static int nearest_place(const mesh_data *m, int t, const double y[3], double x[3])
{
    double e[3], r[3], best = SCREE_INFINITY;
    int place = ON_FACE, inside = 1;
    for (int k = 0; k < 3; ++k) {
        const double *a = m->vertex[m->triangle[t][k]], *b = m->vertex[m->triangle[t][(k + 1) % 3]];
        double out[3];
        outward(m, t, k, out);
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

static void ball_on_triangle(surface_query *q, int t, double height)
{
    const mesh_data *m = q->mesh;
    double x[3], d[3], r = q->shape.size[0], distance = height;
    int turns, place = nearest_place(m, t, q->shape.x, x);
    contact_point p;
    memcpy(p.normal, q->normal, sizeof p.normal);
    if (place != ON_FACE) {
        vec_sub(q->shape.x, x, d);
        distance = vec_unit(d, p.normal);
        if (!is_polar(q, t, place, p.normal, &turns)) return;
        if (!turns) { /* flat: upright to the last digit, and no place of its own */
            memcpy(p.normal, q->normal, sizeof p.normal);
            place = ON_FACE;
        }
    }
    p.feature = feature_pair(place_feature(q, t, place) + 1, 1);
    p.gap = distance - r;
    if (!(p.gap <= q->reach)) return;
    for (int i = 0; i < 3; ++i) p.position[i] = q->shape.x[i] - (r + 0.5 * p.gap) * p.normal[i];
    add(q, &p);
}

/* ---- any convex shape --------------------------------------------------------------------------------------------------------- */

/// A triangle as a flat hull, about its middle.
typedef struct flat_hull {
    scree_geometry geometry;
    double vertex[3][3], normal[2][3], unit[3];
    int first[3], loop[6], loop_edge[6];
    posed_shape shape;
} flat_hull;

static void make_flat_hull(const mesh_data *m, int t, flat_hull *f)
{
    static const int loop[6] = {0, 1, 2, 0, 2, 1}, loop_edge[6] = {0, 1, 2, 2, 1, 0};
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memset(&f->geometry, 0, sizeof f->geometry);
    f->shape = (posed_shape){.kind = SCREE_SHAPE_HULL, .size = f->unit, .geometry = &f->geometry};
    memcpy(f->shape.R, one, sizeof one);
    memcpy(f->loop, loop, sizeof loop), memcpy(f->loop_edge, loop_edge, sizeof loop_edge);
    f->unit[0] = 1.0, f->unit[1] = f->unit[2] = 0.0;
    f->first[0] = 0, f->first[1] = 3, f->first[2] = 6;
    for (int i = 0; i < 3; ++i) {
        f->shape.x[i] = 0.0;
        for (int k = 0; k < 3; ++k) f->shape.x[i] += m->vertex[m->triangle[t][k]][i] / 3.0;
        f->normal[0][i] = m->normal[t][i], f->normal[1][i] = -m->normal[t][i];
    }
    for (int k = 0; k < 3; ++k) {
        vec_sub(m->vertex[m->triangle[t][k]], f->shape.x, f->vertex[k]);
        f->geometry.radius = max2(f->geometry.radius, vec_norm(f->vertex[k]));
    }
    f->geometry.kind = SCREE_SHAPE_HULL;
    f->geometry.hull = (hull_data){.vertex_count = 3,
                                   .edge_count = 3,
                                   .face_count = 2,
                                   .vertex = f->vertex,
                                   .normal = f->normal,
                                   .first = f->first,
                                   .loop = f->loop,
                                   .loop_edge = f->loop_edge};
}

/// The place of a point of the triangle (relative to its middle), by how near it is to edges and corners.
static int place_of(const mesh_data *m, int t, const flat_hull *f, const double p[3], double *beyond)
{
    double near = TOLERANCE * f->geometry.radius;
    int edge[3] = {0, 0, 0}, count = 0;
    *beyond = -SCREE_INFINITY;
    for (int k = 0; k < 3; ++k) {
        double out[3], r[3];
        outward(m, t, k, out);
        vec_sub(p, f->vertex[k], r);
        double d = vec_dot(r, out);
        edge[k] = d > -near, count += edge[k];
        *beyond = max2(*beyond, d);
    }
    for (int k = 0; k < 3 && count >= 2; ++k)
        if (edge[k] && edge[(k + 2) % 3]) return AT_VERTEX + k;
    for (int k = 0; k < 3; ++k)
        if (edge[k]) return ON_EDGE + k;
    return ON_FACE;
}

/// The contact along the normal of the triangle, wherever the nearest points are.
static void along_normal(const double normal[3], const flat_hull *f, const posed_shape *s, convex_contact *c)
{
    double down[3] = {-normal[0], -normal[1], -normal[2]}, low[3];
    support_point(s, down, low);
    vec_add_scaled(low, support_radius(s), down, low);
    memcpy(c->n, normal, sizeof c->n);
    for (int i = 0; i < 3; ++i) c->pb[i] = s->x[i] - f->shape.x[i] + low[i];
    double r[3];
    vec_sub(c->pb, f->vertex[0], r);
    c->distance = vec_dot(r, c->n);
    vec_add_scaled(c->pb, -c->distance, c->n, c->pa);
}

static void shape_on_triangle(surface_query *q, int t)
{
    const mesh_data *m = q->mesh;
    flat_hull f;
    convex_contact c;
    manifold found = {.count = 0};
    double beyond;
    int turns = 1;
    make_flat_hull(m, t, &f);
    if (!convex_find(&f.shape, &q->shape, q->reach, &c)) return;
    int place = place_of(m, t, &f, c.pa, &beyond);
    int upright = vec_dot(c.n, q->normal) > 1.0 - 1e-10;
    if (!upright && !is_polar(q, t, place, c.n, &turns)) upright = 1;
    if (upright) along_normal(q->normal, &f, &q->shape, &c);
    manifold_from_faces(&f.shape, &q->shape, &c, q->reach, &found);
    for (int k = 0; k < found.count; ++k) {
        const manifold_point *p = &found.point[k];
        unsigned of_mesh = (unsigned)(p->feature >> 32), of_shape = (unsigned)p->feature;
        double r[3];
        int at = (int)of_mesh - 1; /* vertices 0-2, edges 3-5, faces: as places */
        vec_sub(p->position, f.shape.x, r);
        vec_add_scaled(r, -0.5 * p->gap, c.n, r); /* the point of the triangle */
        if (of_mesh == 0) {                       /* the deepest pair, which has no features */
            at = place_of(m, t, &f, r, &beyond);
            if (beyond > SAME * q->size) continue; /* beside the triangle */
        }
        if (at > ON_FACE) at = ON_FACE;
        if (!(upright && at == ON_FACE)) {
            int allowed = is_polar(q, t, at, c.n, &turns);
            if (of_mesh == 0 && upright && !turns) at = ON_FACE, allowed = turns = 1;
            if (!allowed || !turns) continue;
        }
        contact_point out = {.gap = p->gap, .feature = feature_pair(place_feature(q, t, at) + 1, of_shape)};
        memcpy(out.position, p->position, sizeof out.position);
        memcpy(out.normal, c.n, sizeof out.normal);
        add(q, &out);
    }
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------------ */

/// Leaves of the tree are groups of triangles: is this one of them near?
static int meets(const surface_query *q, int t)
{
    const int *c = q->mesh->triangle[t];
    for (int i = 0; i < 3; ++i) {
        double x = q->mesh->vertex[c[0]][i], y = q->mesh->vertex[c[1]][i], z = q->mesh->vertex[c[2]][i];
        if (max2(x, max2(y, z)) < q->low[i] || min2(x, min2(y, z)) > q->high[i]) return 0;
    }
    return 1;
}

/// Over two-sided surfaces: which triangle is nearest to the origin, and on which side of it that is. Of triangles equally near, at their
/// common edge or corner, the one seen most upright tells the side.
static void find_side(void *context, int group)
{
    surface_query *q = context;
    const mesh_data *m = q->mesh;
    int end = (group + 1) * m->group < m->triangle_count ? (group + 1) * m->group : m->triangle_count;
    for (int t = group * m->group; t < end; ++t) {
        double x[3], d[3], r[3];
        (void)nearest_place(m, t, q->shape.x, x);
        vec_sub(q->shape.x, x, d);
        vec_sub(q->shape.x, m->vertex[m->triangle[t][0]], r);
        double distance = vec_norm(d), height = vec_dot(r, m->normal[t]), same = TOLERANCE * q->size;
        if (distance > q->nearest + same) continue;
        if (distance < q->nearest - same || fabs(height) > fabs(q->height))
            q->height = height, q->at_back = height < 0.0;
        q->nearest = min2(q->nearest, distance);
    }
}

/// The origin sees triangle t: no other part of the surface, near its nearest point, is nearer.
static int is_seen(const surface_query *q, int t)
{
    double x[3], d[3], u[3] = {0.0, 0.0, 0.0};
    int turns, place = nearest_place(q->mesh, t, q->shape.x, x);
    vec_sub(q->shape.x, x, d);
    return place == ON_FACE || !(vec_unit(d, u) > 0.0) || is_polar(q, t, place, u, &turns);
}

static void visit(void *context, int group)
{
    surface_query *q = context;
    const mesh_data *m = q->mesh;
    int end = (group + 1) * m->group < m->triangle_count ? (group + 1) * m->group : m->triangle_count;
    for (int t = group * m->group; t < end; ++t) {
        double r[3];
        if (!meets(q, t)) continue;
        vec_sub(q->shape.x, m->vertex[m->triangle[t][0]], r);
        double height = vec_dot(r, m->normal[t]);
        q->is_back = height < 0.0;
        if ((q->is_back && m->sides != SCREE_SIDES_BOTH) || fabs(height) > q->size + q->reach) continue;
        for (int i = 0; i < 3; ++i) q->normal[i] = q->is_back ? -m->normal[t][i] : m->normal[t][i];
        height = fabs(height);
        if (q->shape.kind == SCREE_SHAPE_SPHERE) ball_on_triangle(q, t, height);
        else if (m->sides != SCREE_SIDES_BOTH || q->is_back == q->at_back || is_seen(q, t)) shape_on_triangle(q, t);
    }
}

void contact_point_to_world(const posed_shape *shape, contact_point *p)
{
    double v[3];
    mat_apply(shape->R, p->position, v);
    for (int i = 0; i < 3; ++i) p->position[i] = shape->x[i] + v[i];
    memcpy(v, p->normal, sizeof v);
    mat_apply(shape->R, v, p->normal);
}

void contact_points_sort(int count, contact_point *point)
{
    for (int i = 1; i < count; ++i) {
        contact_point p = point[i];
        int j = i;
        for (; j > 0 && point[j - 1].feature > p.feature; --j) point[j] = point[j - 1];
        point[j] = p;
    }
}

int surface_collide(const posed_shape *mesh, const posed_shape *shape, double reach,
                    contact_point point[SURFACE_POINTS])
{
    surface_query q = {.mesh = &mesh->geometry->mesh, .shape = *shape, .reach = reach, .point = point};
    double d[3];
    if (shape->kind == SCREE_SHAPE_PLANE || shape_is_surface(shape->kind)) return 0;
    vec_sub(shape->x, mesh->x, d);
    mat_apply_transpose(mesh->R, d, q.shape.x);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            q.shape.R[3 * i + j] =
                mesh->R[i] * shape->R[j] + mesh->R[3 + i] * shape->R[3 + j] + mesh->R[6 + i] * shape->R[6 + j];
    q.size = shape->kind == SCREE_SHAPE_HULL ? shape->size[0] * shape->geometry->radius
                                             : shape_extent(shape->kind, shape->size);
    shape_bounds(&q.shape, q.low, q.high);
    for (int i = 0; i < 3; ++i) q.low[i] -= reach, q.high[i] += reach;
    q.nearest = SCREE_INFINITY;
    if (q.mesh->sides == SCREE_SIDES_BOTH && shape->kind != SCREE_SHAPE_SPHERE)
        tree_query(&q.mesh->boxes, q.low, q.high, find_side, &q);
    tree_query(&q.mesh->boxes, q.low, q.high, visit, &q);
    for (int k = 0; k < q.count; ++k) contact_point_to_world(mesh, &point[k]);
    contact_points_sort(q.count, point);
    return q.count;
}
