/* mesh_build.c: from a heap of triangles to a surface: equal points become one vertex, edges know the triangles on both sides, and
 * triangles in one plane know each other.
 *
 * Edges that meet others in the middle are split there first (mesh_split.c). Refused are triangles without area, an edge that two triangles run through in the same direction (one of them is inside out) and one
 * that more than two have. Borders are welcome: a floor has one. Costs O(n log n). */
#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "collision/geometry_private.h"
#include "collision/narrow.h"
#include "math/scalar.h"

#include <string.h>

/* Edges that bend by less than this are flat [rad]: the triangles of one plane in a file of 32-bit numbers. */
#define FLAT 2e-6

void mesh_free(mesh_data *m, const scree_allocator *a)
{
    MEMORY_FREE_ALL(a, m->vertex, m->triangle, m->normal, m->beside, m->patch, m->ring_first, m->ring);
    tree_free(&m->boxes, a);
    memset(m, 0, sizeof *m);
}

/* ---- equal points ------------------------------------------------------------------------------------------------------- */

/// Entries of a table with open addressing for `count` keys: a power of two, at most half full.
static size_t table_size(int count)
{
    size_t size = 16;
    while (size < 2 * (size_t)count) size *= 2;
    return size;
}

static int same_point(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/// The vertex of each point, into `number`; 0: no memory.
static int weld(const double *point, int count, const scree_allocator *a, mesh_data *m, int *number)
{
    size_t size = table_size(count);
    int *table = memory_array(a, size, sizeof *table); /* vertex + 1 */
    m->vertex = memory_raw_array(a, (size_t)count + 1, sizeof *m->vertex);
    for (int k = 0; k < count && table && m->vertex; ++k) {
        double p[3];
        for (int i = 0; i < 3; ++i) p[i] = point[3 * (size_t)k + (size_t)i] + 0.0; /* -0 is 0 */
        size_t at = (size_t)hash_bytes(0, p, sizeof p) & (size - 1);
        while (table[at] && !same_point(m->vertex[table[at] - 1], p)) at = (at + 1) & (size - 1);
        if (!table[at]) {
            memcpy(m->vertex[m->vertex_count], p, sizeof p);
            table[at] = ++m->vertex_count;
        }
        number[k] = table[at] - 1;
    }
    int made = table && m->vertex;
    memory_free(a, table);
    return made;
}

/* ---- triangles ------------------------------------------------------------------------------------------------------------ */

static int find_normal(mesh_data *m, int t, scree_error *error)
{
    const int *c = m->triangle[t];
    double e[3], f[3], n[3];
    vec_sub(m->vertex[c[1]], m->vertex[c[0]], e);
    vec_sub(m->vertex[c[2]], m->vertex[c[0]], f);
    vec_cross(e, f, n);
    double longest = max2(vec_dot(e, e), vec_dot(f, f));
    if (vec_norm(n) > 1e-12 * longest) {
        vec_unit(n, m->normal[t]);
        return 1;
    }
    const double *p = m->vertex[c[0]];
    scree_error_set(error, NULL, 0, 0,
                    "triangle %d, at (%g, %g, %g), has no area, expected three corners that are not on a line", t, p[0],
                    p[1], p[2]);
    return 0;
}

/// One edge of one triangle, from the lower to the higher vertex number or (`back`) the other way.
typedef struct mesh_edge {
    int low, high, triangle;
    unsigned char side, back;
} mesh_edge;

static int edge_before(const mesh_edge *a, const mesh_edge *b)
{
    if (a->low != b->low) return a->low < b->low;
    if (a->high != b->high) return a->high < b->high;
    return a->triangle < b->triangle;
}

/// Merge sort: stable in time whatever the order, and the same on every machine.
static void sort_edges(mesh_edge *edge, mesh_edge *spare, int count)
{
    for (int run = 1; run < count; run *= 2) {
        for (int from = 0; from < count; from += 2 * run) {
            int a = from, middle = from + run < count ? from + run : count, b = middle,
                end = middle + run < count ? middle + run : count;
            for (int k = from; k < end; ++k)
                spare[k] = b >= end || (a < middle && !edge_before(&edge[b], &edge[a])) ? edge[a++] : edge[b++];
        }
        memcpy(edge, spare, (size_t)count * sizeof *edge);
        if (run > count / 2) break;
    }
}

static scree_status refuse_edge(const mesh_data *m, const mesh_edge *a, const mesh_edge *b, const char *what,
                                scree_error *error)
{
    const double *p = m->vertex[a->low], *q = m->vertex[a->high];
    scree_error_set(error, NULL, 0, 0, "triangles %d and %d share the edge (%g, %g, %g) to (%g, %g, %g) %s",
                    a->triangle, b->triangle, p[0], p[1], p[2], q[0], q[1], q[2], what);
    return SCREE_ERR_INPUT;
}

static scree_status find_neighbours(mesh_data *m, const scree_allocator *a, scree_error *error)
{
    size_t count = 3 * (size_t)m->triangle_count;
    mesh_edge *edge = memory_raw_array(a, count + 1, sizeof *edge),
              *spare = memory_raw_array(a, count + 1, sizeof *edge);
    scree_status status = edge && spare ? SCREE_OK : SCREE_ERR_MEMORY;
    m->open_edges = 0;
    if (status == SCREE_OK) {
        for (int t = 0; t < m->triangle_count; ++t)
            for (int k = 0; k < 3; ++k) {
                int from = m->triangle[t][k], to = m->triangle[t][(k + 1) % 3];
                edge[3 * t + k] =
                    (mesh_edge){from < to ? from : to, from < to ? to : from, t, (unsigned char)k, from > to};
                m->beside[t][k] = -1;
            }
        sort_edges(edge, spare, (int)count);
    }
    for (int k = 0; k < (int)count && status == SCREE_OK;) {
        const mesh_edge *e = &edge[k], *f = &edge[k + 1];
        int same = 1;
        while (k + same < (int)count && edge[k + same].low == e->low && edge[k + same].high == e->high) ++same;
        if (same > 2) status = refuse_edge(m, e, &edge[k + 2], "with a third, expected at most two", error);
        else if (same == 2 && e->back == f->back)
            status = refuse_edge(m, e, f, "in the same direction: one of them is inside out", error);
        else if (same == 2)
            m->beside[e->triangle][e->side] = f->triangle, m->beside[f->triangle][f->side] = e->triangle;
        else m->open_edges += 1;
        k += same;
    }
    MEMORY_FREE_ALL(a, edge, spare);
    return status;
}

/// Vertices beside each vertex: over its triangles, both neighbours; those of closed fans stand there twice.
static int find_rings(mesh_data *m, const scree_allocator *a)
{
    size_t corners = 3 * (size_t)m->triangle_count;
    m->ring_first = memory_array(a, (size_t)m->vertex_count + 2, sizeof *m->ring_first);
    m->ring = memory_raw_array(a, 2 * corners + 1, sizeof *m->ring);
    if (!m->ring_first || !m->ring) return 0;
    for (int t = 0; t < m->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) m->ring_first[m->triangle[t][k] + 2] += 2;
    for (int v = 0; v < m->vertex_count; ++v) m->ring_first[v + 2] += m->ring_first[v + 1];
    for (int t = 0; t < m->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            int *next = &m->ring_first[m->triangle[t][k] + 1];
            m->ring[(*next)++] = m->triangle[t][(k + 1) % 3];
            m->ring[(*next)++] = m->triangle[t][(k + 2) % 3];
        }
    return 1;
}

/// The first triangle of t's patch, found by halving paths.
static int patch_of(int *patch, int t)
{
    while (patch[t] != t) patch[t] = patch[patch[t]], t = patch[t];
    return t;
}

static void find_patches(mesh_data *m)
{
    for (int t = 0; t < m->triangle_count; ++t) m->patch[t] = t;
    for (int t = 0; t < m->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            int u = m->beside[t][k];
            double cross[3];
            if (u < t) continue;
            vec_cross(m->normal[t], m->normal[u], cross);
            if (vec_norm(cross) > FLAT || vec_dot(m->normal[t], m->normal[u]) < 0.0) continue;
            int p = patch_of(m->patch, t), q = patch_of(m->patch, u);
            m->patch[p < q ? q : p] = p < q ? p : q;
        }
    for (int t = 0; t < m->triangle_count; ++t) m->patch[t] = patch_of(m->patch, t);
}

static int make_tree(mesh_data *m, const scree_allocator *a)
{
    int leaves = (m->triangle_count + m->group - 1) / m->group;
    if (tree_reserve(&m->boxes, a, leaves) != SCREE_OK) return 0;
    for (int l = 0; l < leaves; ++l) {
        tree_box *box = &m->boxes.leaf[l];
        *box = (tree_box){{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}, l, 0};
        for (int t = l * m->group; t < (l + 1) * m->group && t < m->triangle_count; ++t)
            for (int k = 0; k < 9; ++k) {
                double x = m->vertex[m->triangle[t][k / 3]][k % 3];
                box->low[k % 3] = min2(box->low[k % 3], x), box->high[k % 3] = max2(box->high[k % 3], x);
            }
    }
    tree_build(&m->boxes, leaves);
    return 1;
}

scree_status mesh_build(const double *point, int point_count, const int *triangle, int triangle_count, int group,
                        const scree_allocator *a, mesh_data *m, scree_error *error)
{
    *m = (mesh_data){.group = group};
    if (!geometry_points_sound(point, point_count, error)) return SCREE_ERR_INPUT;
    if (triangle_count < 1) {
        scree_error_set(error, NULL, 0, 0, "a mesh without triangles, expected at least one");
        return SCREE_ERR_INPUT;
    }
    int *number = memory_raw_array(a, (size_t)point_count + 1, sizeof *number);
    size_t n = (size_t)triangle_count;
    m->triangle = memory_raw_array(a, n, sizeof *m->triangle);
    m->normal = memory_raw_array(a, n, sizeof *m->normal);
    m->beside = memory_raw_array(a, n, sizeof *m->beside);
    m->patch = memory_raw_array(a, n, sizeof *m->patch);
    scree_status status = SCREE_ERR_MEMORY;
    if (number && m->triangle && m->normal && m->beside && m->patch && weld(point, point_count, a, m, number)) {
        status = SCREE_OK;
        m->triangle_count = triangle_count;
        for (int t = 0; t < triangle_count && status == SCREE_OK; ++t) {
            for (int k = 0; k < 3; ++k) {
                int corner = triangle[3 * (size_t)t + (size_t)k];
                SCREE_ASSERT(corner >= 0 && corner < point_count);
                m->triangle[t][k] = number[corner];
            }
            if (!find_normal(m, t, error)) status = SCREE_ERR_INPUT;
        }
        if (status == SCREE_OK) status = find_neighbours(m, a, error);
        for (int splits = 1; status == SCREE_OK && splits > 0 && m->open_edges > 0;) {
            status = mesh_split(m, a, &splits);
            if (status == SCREE_OK && splits > 0) status = find_neighbours(m, a, error);
        }
        if (status == SCREE_OK) find_patches(m);
        if (status == SCREE_OK && (!find_rings(m, a) || !make_tree(m, a))) status = SCREE_ERR_MEMORY;
    }
    memory_free(a, number);
    return status;
}

/* ---- geometries --------------------------------------------------------------------------------------------------------- */

/// A geometry of the triangles; what went wrong is said.
static scree_status make(const double *point, int points, const int *triangle, int triangles, int group,
                         const scree_allocator *allocator, scree_geometry **geometry, scree_error *error)
{
    scree_geometry *g = geometry_new(SCREE_SHAPE_MESH, allocator);
    scree_status status = SCREE_ERR_MEMORY;
    if (g) status = mesh_build(point, points, triangle, triangles, group, &g->allocator, &g->mesh, error);
    if (status == SCREE_OK) {
        for (int v = 0; v < g->mesh.vertex_count; ++v) g->radius = max2(g->radius, vec_norm(g->mesh.vertex[v]));
        *geometry = g;
        return SCREE_OK;
    }
    if (status == SCREE_ERR_MEMORY)
        scree_error_set(error, NULL, 0, 0, "no memory for a mesh of %d triangles", triangles);
    scree_geometry_release(g);
    return status;
}

/// Triangles that look to the other side: their corners the other way round, what belongs to edges with them.
static void turn_over(mesh_data *m)
{
    for (int t = 0; t < m->triangle_count; ++t) {
        int corner = m->triangle[t][1], beyond = m->beside[t][0];
        m->triangle[t][1] = m->triangle[t][2], m->triangle[t][2] = corner;
        m->beside[t][0] = m->beside[t][2], m->beside[t][2] = beyond; /* the edge from corner 1 to 2 stays where it is */
        for (int i = 0; i < 3; ++i) m->normal[t][i] = -m->normal[t][i];
    }
}

static scree_status make_mesh(const double *points, int point_count, const int *triangles, int triangle_count,
                              scree_sides sides, const scree_allocator *allocator, scree_geometry **geometry,
                              scree_error *error)
{
    enum { GROUP = 4 }; /* triangles in a row of a file are mostly neighbours */
    for (size_t k = 0; k < 3 * (size_t)(triangle_count > 0 ? triangle_count : 0); ++k)
        if (triangles[k] < 0 || triangles[k] >= point_count) {
            scree_error_set(error, NULL, 0, 0, "triangle %zu has the point %d, expected 0 to %d", k / 3, triangles[k],
                            point_count - 1);
            return SCREE_ERR_INPUT;
        }
    if ((int)sides < SCREE_SIDES_AUTO || sides > SCREE_SIDES_BOTH) {
        scree_error_set(error, NULL, 0, 0, "sides of a mesh: %d, expected a scree_sides", (int)sides);
        return SCREE_ERR_INPUT;
    }
    scree_status status = make(points, point_count, triangles, triangle_count, GROUP, allocator, geometry, error);
    if (status != SCREE_OK) return status;
    mesh_data *m = &(*geometry)->mesh;
    if (sides == SCREE_SIDES_AUTO) sides = m->open_edges > 0 ? SCREE_SIDES_BOTH : SCREE_SIDES_FRONT;
    if (sides == SCREE_SIDES_BACK) turn_over(m);
    m->sides = sides;
    return SCREE_OK;
}

scree_geometry *scree_geometry_mesh(const double *points, int point_count, const int *triangles, int triangle_count,
                                    scree_sides sides, const scree_allocator *allocator, scree_error *error)
{
    scree_geometry *geometry = NULL;
    if (!error_stopped(error))
        error_keep(error,
                   make_mesh(points, point_count, triangles, triangle_count, sides, allocator, &geometry, error));
    return geometry;
}

enum { BLOCK = 4, BLOCK_TRIANGLES = 2 * BLOCK * BLOCK }; /* cells of a leaf of the tree along x and y */

/// Both triangles of a cell, split along the shorter diagonal; none where a corner has no height.
static int cell_triangles(const double *z, int columns, int i, int j, int *triangle)
{
    int a = j * columns + i, b = a + 1, c = a + columns, d = c + 1;
    if (isnan(z[a]) || isnan(z[b]) || isnan(z[c]) || isnan(z[d])) return 0;
    int falls = fabs(z[a] - z[d]) <= fabs(z[b] - z[c]);
    const int split[2][6] = {{a, b, c, b, d, c}, {a, b, d, a, d, c}};
    memcpy(triangle, split[falls], sizeof split[falls]);
    return 2;
}

static scree_status make_heights(const double *heights, int columns, int rows, double cell,
                                 const scree_allocator *allocator, scree_geometry **geometry, scree_error *error)
{
    scree_allocator a = memory_allocator(allocator);
    if (columns < 2 || rows < 2 || !(cell > 0.0) || !isfinite(cell) || (int64_t)columns * rows > 100000000) {
        scree_error_set(
            error, NULL, 0, 0,
            "a grid of %d x %d heights with cells of %g m, expected 2 x 2 to 1e8 heights and cells above 0 m", columns,
            rows, cell);
        return SCREE_ERR_INPUT;
    }
    size_t n = (size_t)columns * (size_t)rows;
    double *point = memory_raw_array(&a, n, 3 * sizeof *point);
    int *triangle = memory_raw_array(&a, 2 * n, 3 * sizeof *triangle), count = 0;
    scree_status status = SCREE_ERR_MEMORY;
    if (point && triangle) {
        for (int j = 0; j < rows; ++j)
            for (int i = 0; i < columns; ++i) {
                size_t k = (size_t)j * (size_t)columns + (size_t)i;
                point[3 * k] = cell * i, point[3 * k + 1] = cell * j;
                point[3 * k + 2] = isnan(heights[k]) ? 0.0 : heights[k];
            }
        for (int by = 0; by < rows - 1; by += BLOCK) /* by blocks, so that triangles in a row lie together */
            for (int bx = 0; bx < columns - 1; bx += BLOCK)
                for (int j = by; j < by + BLOCK && j < rows - 1; ++j)
                    for (int i = bx; i < bx + BLOCK && i < columns - 1; ++i)
                        count += cell_triangles(heights, columns, i, j, triangle + 3 * (size_t)count);
        status = make(point, (int)n, triangle, count, BLOCK_TRIANGLES, &a, geometry, error);
        if (status == SCREE_OK) (*geometry)->mesh.sides = SCREE_SIDES_FRONT, (*geometry)->mesh.is_ground = 1;
    } else {
        scree_error_set(error, NULL, 0, 0, "no memory for a grid of %d x %d heights", columns, rows);
    }
    MEMORY_FREE_ALL(&a, point, triangle);
    return status;
}

scree_geometry *scree_geometry_heights(const double *heights, int columns, int rows, double cell,
                                       const scree_allocator *allocator, scree_error *error)
{
    scree_geometry *geometry = NULL;
    if (!error_stopped(error))
        error_keep(error, make_heights(heights, columns, rows, cell, allocator, &geometry, error));
    return geometry;
}
