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
#include "collision/surface_ball.h"

#include "collision/geometry_private.h"
#include "collision/hull.h"

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
    double near = SURFACE_TOLERANCE * f->geometry.radius;
    int edge[3] = {0, 0, 0}, count = 0;
    *beyond = -SCREE_INFINITY;
    for (int k = 0; k < 3; ++k) {
        double out[3], r[3];
        surface_outward(m, t, k, out);
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
    if (!upright && !surface_is_polar(q, t, place, c.n, &turns)) upright = 1;
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
            if (beyond > SURFACE_SAME * q->size) continue; /* beside the triangle */
        }
        if (at > ON_FACE) at = ON_FACE;
        if (!(upright && at == ON_FACE)) {
            int allowed = surface_is_polar(q, t, at, c.n, &turns);
            if (of_mesh == 0 && upright && !turns) at = ON_FACE, allowed = turns = 1;
            if (!allowed || !turns) continue;
        }
        contact_point out = {.gap = p->gap, .feature = feature_pair(surface_place_feature(q, t, at) + 1, of_shape)};
        memcpy(out.position, p->position, sizeof out.position);
        memcpy(out.normal, c.n, sizeof out.normal);
        surface_add(q, &out);
    }
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------------ */

/// Over two-sided surfaces: which triangle is nearest to the origin, and on which side of it that is. Of triangles equally near, at their
/// common edge or corner, the one seen most upright tells the side.
static void find_side(void *context, int group)
{
    surface_query *q = context;
    const mesh_data *m = q->mesh;
    int end = (group + 1) * m->group < m->triangle_count ? (group + 1) * m->group : m->triangle_count;
    for (int t = group * m->group; t < end; ++t) {
        double x[3], d[3], r[3];
        (void)surface_nearest(m, t, q->shape.x, x);
        vec_sub(q->shape.x, x, d);
        vec_sub(q->shape.x, m->vertex[m->triangle[t][0]], r);
        double distance = vec_norm(d), height = vec_dot(r, m->normal[t]), same = SURFACE_TOLERANCE * q->size;
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
    int turns, place = surface_nearest(q->mesh, t, q->shape.x, x);
    vec_sub(q->shape.x, x, d);
    return place == ON_FACE || !(vec_unit(d, u) > 0.0) || surface_is_polar(q, t, place, u, &turns);
}

static void visit(void *context, int group)
{
    surface_query *q = context;
    const mesh_data *m = q->mesh;
    int end = (group + 1) * m->group < m->triangle_count ? (group + 1) * m->group : m->triangle_count;
    for (int t = group * m->group; t < end; ++t) {
        double height;
        if (!surface_sees(q, t, &height)) continue;
        if (m->sides != SCREE_SIDES_BOTH || q->is_back == q->at_back || is_seen(q, t)) shape_on_triangle(q, t);
    }
}

int surface_collide(const posed_shape *mesh, const posed_shape *shape, double reach,
                    contact_point point[SURFACE_POINTS])
{
    surface_query q = {.mesh = &mesh->geometry->mesh, .shape = *shape, .reach = reach, .point = point};
    double d[3];
    if (shape->kind == SCREE_SHAPE_PLANE || shape_is_surface(shape->kind)) return 0;
    if (shape->kind == SCREE_SHAPE_SPHERE)
        return ball_on_surface(&mesh->geometry->mesh, mesh, shape->x, shape->size, reach, point);
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
    if (q.mesh->sides == SCREE_SIDES_BOTH) tree_query(&q.mesh->boxes, q.low, q.high, find_side, &q);
    tree_query(&q.mesh->boxes, q.low, q.high, visit, &q);
    for (int k = 0; k < q.count; ++k) contact_point_to_world(mesh, &point[k]);
    contact_points_sort(q.count, point);
    return q.count;
}
