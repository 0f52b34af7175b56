/* hull_build.c: the convex hull of points.
 *
 * Quickhull (Barber, Dobkin & Huhdanpaa 1996): from the widest tetrahedron, the point farthest outside of any face is taken next; the
 * faces that see it go, and faces from it to their border come. Points within 1e-11 of the size above all faces are on the hull
 * already. Triangles in one plane are then joined to faces, whose normals are those of all their triangles together.
 *
 * Written here rather than taken from Qhull: it is needed by the smallest build, it gives the same bits wherever scree runs, and hulls of
 * bodies have at most SCREE_HULL_VERTICES_MAX vertices. So faces are searched, not linked: O(points x faces), 1.5 ms for 1,000 points in a ball.
 *
 * A point whose visible faces do not have one simple border (rounding, among nearly flat faces) is left out. */
#include "collision/geometry_private.h"

#include "base/fail.h"
#include "base/memory.h"
#include "collision/narrow.h"
#include "math/quat.h"
#include "math/scalar.h"

#include <string.h>

#define ON_SURFACE 1e-11 /* of the size: not outside                */
#define IN_PLANE   1e-9  /* of the size: vertices of one flat face   */

typedef struct facet {
    int vertex[3];
    double n[3];
    int gone; /* replaced by others; when joined: face number + 1     */
} facet;

typedef struct builder {
    scree_allocator allocator;
    const double *p; /* (point_count x 3) */
    int point_count;
    double size;
    int *home;      /* facet that sees the point, -1: inside                 */
    double *height; /* above it                                              */
    facet *facet;
    int facet_count, facet_capacity;
    int (*border)[2]; /* edges of the visible part, then its border          */
    int border_capacity;
} builder;

static const double *at(const builder *b, int point)
{
    return b->p + 3 * (size_t)point;
}

static int make_facet(builder *b, int i, int j, int k)
{
    double e[3], f[3], n[3];
    if (b->facet_count == b->facet_capacity) {
        int capacity = 2 * b->facet_capacity;
        facet *grown = memory_array(&b->allocator, (size_t)capacity, sizeof *grown);
        int(*border)[2] = memory_array(&b->allocator, 3 * (size_t)capacity, sizeof *border);
        if (!grown || !border) {
            MEMORY_FREE_ALL(&b->allocator, grown, border);
            return 0;
        }
        memcpy(grown, b->facet, (size_t)b->facet_count * sizeof *grown);
        memcpy(border, b->border, 3 * (size_t)b->facet_capacity * sizeof *border);
        MEMORY_FREE_ALL(&b->allocator, b->facet, b->border);
        b->facet = grown, b->border = border, b->facet_capacity = capacity;
    }
    facet *t = &b->facet[b->facet_count++];
    *t = (facet){.vertex = {i, j, k}};
    vec_sub(at(b, j), at(b, i), e);
    vec_sub(at(b, k), at(b, i), f);
    vec_cross(e, f, n);
    vec_unit(n, t->n);
    return 1;
}

static double height_over(const builder *b, const facet *t, int point)
{
    double r[3];
    vec_sub(at(b, point), at(b, t->vertex[0]), r);
    return vec_dot(t->n, r);
}

/// Gives the point to the facet it is highest above, of those from `first` on.
static void house(builder *b, int point, int first)
{
    b->home[point] = -1, b->height[point] = ON_SURFACE * b->size;
    for (int f = first; f < b->facet_count; ++f) {
        double h = b->facet[f].gone ? 0.0 : height_over(b, &b->facet[f], point);
        if (h > b->height[point]) b->home[point] = f, b->height[point] = h;
    }
}

/// The widest tetrahedron by steps: two extreme points, the farthest from their line, the farthest from that plane.
static int first_four(const builder *b, int pick[4], scree_error *error)
{
    double best = -1.0, e[3], f[3], g[3], n[3] = {0.0, 0.0, 1.0};
    pick[0] = pick[1] = 0;
    for (int i = 0; i < 3; ++i) { /* the widest of the three axes */
        int low = 0, high = 0;
        for (int k = 1; k < b->point_count; ++k) {
            if (at(b, k)[i] < at(b, low)[i]) low = k;
            if (at(b, k)[i] > at(b, high)[i]) high = k;
        }
        if (at(b, high)[i] - at(b, low)[i] > best) best = at(b, high)[i] - at(b, low)[i], pick[0] = low, pick[1] = high;
    }
    vec_sub(at(b, pick[1]), at(b, pick[0]), e);
    best = 0.0, pick[2] = pick[0];
    for (int k = 0; k < b->point_count; ++k) {
        vec_sub(at(b, k), at(b, pick[0]), f);
        vec_cross(e, f, g);
        if (vec_norm(g) > best) best = vec_norm(g), pick[2] = k, memcpy(n, g, sizeof n);
    }
    vec_unit(n, n);
    int flat = best <= IN_PLANE * b->size * b->size;
    best = 0.0, pick[3] = pick[0];
    for (int k = 0; k < b->point_count && !flat; ++k) {
        vec_sub(at(b, k), at(b, pick[0]), f);
        if (fabs(vec_dot(n, f)) > fabs(best)) best = vec_dot(n, f), pick[3] = k;
    }
    if (flat || fabs(best) <= IN_PLANE * b->size) {
        scree_error_set(error, NULL, 0, 0, "all points lie %s, expected the corners of a body",
                        flat ? "on a line" : "in a plane");
        return 0;
    }
    if (best > 0.0) { /* 0, 1, 2 counter-clockwise seen from outside, which is away from 3 */
        int t = pick[1];
        pick[1] = pick[2], pick[2] = t;
    }
    return 1;
}

/// The edges of the triangle join the border; one that is there the other way round is inside, and goes. Returns the new count.
static int toggle_edges(builder *b, const facet *t, int count)
{
    for (int k = 0; k < 3; ++k) {
        int from = t->vertex[k], to = t->vertex[(k + 1) % 3], twin = -1;
        for (int e = 0; e < count; ++e)
            if (b->border[e][0] == to && b->border[e][1] == from) twin = e;
        if (twin >= 0) count -= 1, memcpy(b->border[twin], b->border[count], sizeof *b->border);
        else b->border[count][0] = from, b->border[count][1] = to, count += 1;
    }
    return count;
}

/// The border of what `point` sees, in b->border; the facets seen are marked. Returns its length, 0: not one simple loop.
static int find_border(builder *b, int point)
{
    int count = 0;
    for (int f = 0; f < b->facet_count; ++f) {
        facet *t = &b->facet[f];
        if (t->gone || !(height_over(b, t, point) > ON_SURFACE * b->size)) continue;
        t->gone = -1;
        count = toggle_edges(b, t, count);
    }
    for (int e = 0; e + 1 < count; ++e) { /* in order: each begins where the one before ends */
        int next = e + 1;
        while (next < count && b->border[next][0] != b->border[e][1]) ++next;
        if (next == count) return 0;
        int swap[2] = {b->border[e + 1][0], b->border[e + 1][1]};
        memcpy(b->border[e + 1], b->border[next], sizeof *b->border);
        memcpy(b->border[next], swap, sizeof swap);
    }
    return count >= 3 && b->border[count - 1][1] == b->border[0][0] ? count : 0;
}

/// Takes the point into the hull. Returns 0: no memory.
static int add_point(builder *b, int point)
{
    int first = b->facet_count, count = find_border(b, point);
    for (int f = 0; f < first; ++f)
        if (b->facet[f].gone == -1) b->facet[f].gone = count > 0 ? 1 : 0;
    b->home[point] = -1;
    for (int e = 0; e < count; ++e)
        if (!make_facet(b, b->border[e][0], b->border[e][1], point)) return 0;
    for (int k = 0; k < b->point_count; ++k)
        if (b->home[k] >= 0 && b->facet[b->home[k]].gone) house(b, k, first);
    return 1;
}

static scree_status wrap(builder *b, scree_error *error)
{
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    int pick[4];
    if (!first_four(b, pick, error)) return SCREE_ERR_INPUT;
    for (int f = 0; f < 4; ++f)
        if (!make_facet(b, pick[corner[f][0]], pick[corner[f][1]], pick[corner[f][2]])) return SCREE_ERR_MEMORY;
    for (int k = 0; k < b->point_count; ++k) house(b, k, 0);
    for (;;) {
        int next = -1;
        for (int k = 0; k < b->point_count; ++k)
            if (b->home[k] >= 0 && (next < 0 || b->height[k] > b->height[next])) next = k;
        if (next < 0) return SCREE_OK;
        if (b->facet_count > 64 * SCREE_HULL_VERTICES_MAX) {
            scree_error_set(error, NULL, 0, 0, "the hull has more than %d vertices, expected a coarser one",
                            SCREE_HULL_VERTICES_MAX);
            return SCREE_ERR_INPUT;
        }
        if (!add_point(b, next)) return SCREE_ERR_MEMORY;
    }
}

/* ---- triangles to faces ------------------------------------------------------------------------------------------------ */

static int share_edge(const facet *s, const facet *t)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (s->vertex[i] == t->vertex[(j + 1) % 3] && s->vertex[(i + 1) % 3] == t->vertex[j]) return 1;
    return 0;
}

static double facet_area(const builder *b, const facet *t)
{
    double e[3], f[3], n[3];
    vec_sub(at(b, t->vertex[1]), at(b, t->vertex[0]), e);
    vec_sub(at(b, t->vertex[2]), at(b, t->vertex[0]), f);
    vec_cross(e, f, n);
    return vec_norm(n);
}

/// The triangles around `seed` in its plane get the number `face`.
static void join_plane(builder *b, int seed, int face)
{
    b->facet[seed].gone = face + 1;
    for (int grown = 1; grown;) {
        grown = 0;
        for (int f = 0; f < b->facet_count; ++f) {
            facet *t = &b->facet[f];
            int flat = t->gone == 0 && vec_dot(t->n, b->facet[seed].n) > 0.5;
            for (int k = 0; k < 3 && flat; ++k)
                flat = fabs(height_over(b, &b->facet[seed], t->vertex[k])) <= IN_PLANE * b->size;
            for (int g = 0; g < b->facet_count && flat; ++g)
                if (b->facet[g].gone == face + 1 && share_edge(t, &b->facet[g])) {
                    t->gone = face + 1, grown = 1;
                    break;
                }
        }
    }
}

/// The border of face `face` as vertices in order, into `loop`; its normal. Returns its length.
static int face_loop(builder *b, int face, int *loop, double normal[3])
{
    int count = 0, length = 1;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int f = 0; f < b->facet_count; ++f) {
        const facet *t = &b->facet[f];
        if (t->gone != face + 1) continue;
        vec_add_scaled(sum, facet_area(b, t), t->n, sum);
        count = toggle_edges(b, t, count);
    }
    vec_unit(sum, normal);
    loop[0] = b->border[0][0];
    for (int next = b->border[0][1]; next != loop[0] && length < count; ++length) {
        loop[length] = next;
        int e = 0;
        while (e < count && b->border[e][0] != next) ++e;
        if (e == count) break;
        next = b->border[e][1];
    }
    return length;
}

static int edge_number(const hull_data *h, int *const edge[2], int from, int to)
{
    for (int e = 0; e < h->edge_count; ++e)
        if (edge[0][e] == to && edge[1][e] == from) return e;
    return -1;
}

/// Faces, loops and edges of the triangles that are left, in the numbers of the hull's own vertices.
static scree_status write_faces(builder *b, hull_data *h, scree_error *error)
{
    int alive = 0, corners = 0;
    for (int f = 0; f < b->facet_count; ++f)
        if (!b->facet[f].gone) b->facet[alive++] = b->facet[f];
    b->facet_count = alive;
    const scree_allocator *a = &b->allocator;
    size_t room = 3 * (size_t)alive;
    int *number = memory_array(a, (size_t)b->point_count, sizeof *number);
    int *edge[2] = {memory_array(a, room, sizeof **edge), memory_array(a, room, sizeof **edge)};
    h->normal = memory_array(a, (size_t)alive, sizeof *h->normal);
    h->first = memory_array(a, (size_t)alive + 1, sizeof *h->first);
    h->loop = memory_array(a, room, sizeof *h->loop);
    h->loop_edge = memory_array(a, room, sizeof *h->loop_edge);
    h->vertex = memory_array(a, SCREE_HULL_VERTICES_MAX, sizeof *h->vertex);
    scree_status status = SCREE_ERR_MEMORY;
    if (!number || !edge[0] || !edge[1] || !h->normal || !h->first || !h->loop || !h->loop_edge || !h->vertex)
        goto done;

    status = SCREE_OK;
    for (;;) { /* the largest triangle left has the best normal of its plane */
        int seed = -1;
        for (int f = 0; f < alive; ++f)
            if (!b->facet[f].gone &&
                (seed < 0 || facet_area(b, &b->facet[f]) > facet_area(b, &b->facet[seed]) * (1.0 + 1e-9)))
                seed = f;
        if (seed < 0) break;
        join_plane(b, seed, h->face_count);
        corners += face_loop(b, h->face_count, h->loop + corners, h->normal[h->face_count]);
        h->first[++h->face_count] = corners;
    }
    for (int k = 0; k < corners && status == SCREE_OK; ++k) { /* number - 1: of the hull's vertices */
        int *n = &number[h->loop[k]];
        if (*n == 0 && h->vertex_count == SCREE_HULL_VERTICES_MAX) {
            scree_error_set(error, NULL, 0, 0, "the hull has more than %d vertices, expected a coarser one",
                            SCREE_HULL_VERTICES_MAX);
            status = SCREE_ERR_INPUT;
        } else if (*n == 0) {
            memcpy(h->vertex[h->vertex_count], at(b, h->loop[k]), sizeof *h->vertex);
            *n = ++h->vertex_count;
        }
        h->loop[k] = *n - 1;
    }
    for (int f = 0; f < h->face_count && status == SCREE_OK; ++f)
        for (int k = h->first[f]; k < h->first[f + 1]; ++k) {
            int from = h->loop[k], to = h->loop[k + 1 < h->first[f + 1] ? k + 1 : h->first[f]];
            int e = edge_number(h, edge, from, to);
            if (e < 0) e = h->edge_count++, edge[0][e] = from, edge[1][e] = to;
            h->loop_edge[k] = e;
        }
done:
    MEMORY_FREE_ALL(a, number, edge[0], edge[1]);
    return status;
}

/// Mass properties, and the points in their frame.
static void to_principal_frame(scree_geometry *g)
{
    hull_data *h = &g->hull;
    solid_moments m;
    solid_moments_begin(h->vertex[0], &m);
    for (int f = 0; f < h->face_count; ++f)
        for (int k = h->first[f] + 1; k + 1 < h->first[f + 1]; ++k)
            solid_moments_add(&m, h->vertex[h->loop[h->first[f]]], h->vertex[h->loop[k]], h->vertex[h->loop[k + 1]]);
    h->mass = solid_moments_end(&m);
    for (int k = 0; k < h->vertex_count; ++k) {
        double r[3];
        vec_sub(h->vertex[k], h->mass.centre, r);
        quat_rotate_inverse(h->mass.axes, r, h->vertex[k]);
        g->radius = max2(g->radius, vec_norm(h->vertex[k]));
    }
    for (int f = 0; f < h->face_count; ++f) {
        double n[3];
        memcpy(n, h->normal[f], sizeof n);
        quat_rotate_inverse(h->mass.axes, n, h->normal[f]);
    }
}

static scree_status make(const double *points, int count, const scree_allocator *allocator, scree_geometry **geometry,
                         scree_error *error)
{
    scree_status status = SCREE_ERR_MEMORY;
    if (count < 4) {
        scree_error_set(error, NULL, 0, 0, "a hull of %d points, expected at least 4", count);
        return SCREE_ERR_INPUT;
    }
    if (!geometry_points_sound(points, count, error)) return SCREE_ERR_INPUT;
    scree_geometry *g = geometry_new(SCREE_SHAPE_HULL, allocator);
    if (!g) goto no_memory;
    builder b = {.allocator = g->allocator, .p = points, .point_count = count, .facet_capacity = 64};
    b.home = memory_array(&b.allocator, (size_t)count, sizeof *b.home);
    b.height = memory_array(&b.allocator, (size_t)count, sizeof *b.height);
    b.facet = memory_array(&b.allocator, (size_t)b.facet_capacity, sizeof *b.facet);
    b.border = memory_array(&b.allocator, 3 * (size_t)b.facet_capacity, sizeof *b.border);
    for (int k = 0; k < count; ++k) {
        double r[3];
        vec_sub(at(&b, k), at(&b, 0), r);
        b.size = max2(b.size, vec_norm(r));
    }
    if (b.home && b.height && b.facet && b.border) status = wrap(&b, error);
    if (status == SCREE_OK) status = write_faces(&b, &g->hull, error);
    if (status == SCREE_OK) to_principal_frame(g);
    MEMORY_FREE_ALL(&b.allocator, b.home, b.height, b.facet, b.border);
    if (status == SCREE_OK) {
        *geometry = g;
        return SCREE_OK;
    }
    scree_geometry_release(g);
no_memory:
    if (status == SCREE_ERR_MEMORY) scree_error_set(error, NULL, 0, 0, "no memory for a hull of %d points", count);
    return status;
}

scree_geometry *scree_geometry_hull(const double *points, int count, const scree_allocator *allocator,
                                    scree_error *error)
{
    scree_geometry *geometry = NULL;
    if (!error_stopped(error)) error_keep(error, make(points, count, allocator, &geometry, error));
    return geometry;
}
