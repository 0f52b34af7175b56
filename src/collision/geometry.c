/* geometry.c: geometries from their making to their end, and the integrals over what triangles enclose.
 *
 * A polyhedron is the signed sum of the tetrahedra (o, a, b, c) over its triangles. With p_k the corners relative to o (that of o is 0)
 * and v = a.(b x c)/6:
 *     volume  sum v        first  sum v/4 sum_k p_k        second  sum v/20 (sum_k p_k p_k' + (sum_k p_k)(sum_k p_k)')
 * exact for polyhedra; o lies among the points, so that nothing cancels that need not. The tensor of inertia is tr(S) 1 - S about the
 * centre of mass. */
#include "collision/geometry_private.h"

#include "base/memory.h"
#include "math/eigen.h"
#include "math/scalar.h"
#include "math/vec.h"

#include <string.h>

/* Larger or smaller scenes than these are a wrong unit. */
static const double SIZE_LEAST = 1e-9, SIZE_MOST = 1e9;

scree_geometry *geometry_new(scree_shape_kind kind, const scree_allocator *allocator)
{
    scree_allocator a = memory_allocator(allocator);
    scree_geometry *g = memory_array(&a, 1, sizeof *g);
    if (!g) return NULL;
    g->references = 1, g->allocator = a, g->kind = kind;
    return g;
}

void scree_geometry_retain(scree_geometry *g)
{
    g->references += 1;
}

void scree_geometry_release(scree_geometry *g)
{
    if (!g || --g->references > 0) return;
    scree_allocator a = g->allocator;
    hull_data *h = &g->hull;
    mesh_free(&g->mesh, &a);
    MEMORY_FREE_ALL(&a, h->vertex, h->normal, h->first, h->loop, h->loop_edge, g->draw_vertex, g->draw_triangle, g);
}

scree_geometry *geometry_drawing(scree_shape_kind kind, int points, double (*point)[3], int triangles,
                                 int32_t (*triangle)[3], const scree_allocator *allocator)
{
    scree_geometry *g = geometry_new(kind, allocator);
    if (!g) return NULL;
    g->draw_vertices = points, g->draw_triangles = triangles;
    g->draw_vertex = memory_raw_array(&g->allocator, (size_t)points + 1, sizeof *point);
    g->draw_triangle = memory_raw_array(&g->allocator, (size_t)triangles + 1, sizeof *triangle);
    if (!g->draw_vertex || !g->draw_triangle) {
        scree_geometry_release(g);
        return NULL;
    }
    if (points) memcpy(g->draw_vertex, point, (size_t)points * sizeof *point);
    if (triangles) memcpy(g->draw_triangle, triangle, (size_t)triangles * sizeof *triangle);
    for (int k = 0; k < points; ++k) g->radius = max2(g->radius, vec_norm(point[k]));
    return g;
}

int geometry_points_sound(const double *points, int count, scree_error *error)
{
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX}, size = 0.0;
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < 3; ++i) {
            double x = points[3 * (size_t)k + (size_t)i];
            if (!isfinite(x) || fabs(x) > SIZE_MOST) {
                scree_error_set(error, NULL, 0, 0, "point %d: %c is %g, expected a number within %g m of 0", k,
                                "xyz"[i], x, SIZE_MOST);
                return 0;
            }
            low[i] = min2(low[i], x), high[i] = max2(high[i], x);
        }
    for (int i = 0; i < 3 && count > 0; ++i) size = max2(size, high[i] - low[i]);
    if (size >= SIZE_LEAST) return 1;
    scree_error_set(error, NULL, 0, 0, "the points lie within %g m of each other, expected at least %g m", size,
                    SIZE_LEAST);
    return 0;
}

/* ---- integrals --------------------------------------------------------------------------------------------------------- */

void solid_moments_begin(const double about[3], solid_moments *m)
{
    memset(m, 0, sizeof *m);
    memcpy(m->about, about, sizeof m->about);
}

void solid_moments_add(solid_moments *m, const double a[3], const double b[3], const double c[3])
{
    double p[3][3], n[3], sum[3];
    vec_sub(a, m->about, p[0]);
    vec_sub(b, m->about, p[1]);
    vec_sub(c, m->about, p[2]);
    vec_cross(p[1], p[2], n);
    double v = vec_dot(p[0], n) / 6.0;
    m->volume += v;
    for (int i = 0; i < 3; ++i) {
        sum[i] = p[0][i] + p[1][i] + p[2][i];
        m->first[i] += v / 4.0 * sum[i];
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m->second[3 * i + j] +=
                v / 20.0 * (p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j] + sum[i] * sum[j]);
}

scree_geometry_mass solid_moments_end(const solid_moments *m)
{
    scree_geometry_mass mass = {.volume = m->volume, .axes = {1.0, 0.0, 0.0, 0.0}};
    double c[3], S[9], J[9], R[9];
    if (!(m->volume > 0.0)) return mass;
    for (int i = 0; i < 3; ++i) c[i] = m->first[i] / m->volume, mass.centre[i] = m->about[i] + c[i];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) S[3 * i + j] = m->second[3 * i + j] / m->volume - c[i] * c[j];
    for (int i = 0; i < 9; ++i) J[i] = -S[i];
    for (int i = 0; i < 3; ++i) J[4 * i] += S[0] + S[4] + S[8];
    symmetric_eigen(J, mass.moments, R);
    matrix_quat(R, mass.axes);
    return mass;
}

/* ---- access ------------------------------------------------------------------------------------------------------------- */

/// Points that triangles refer to: of the drawing, the mesh or the hull.
static double (*points_of(const scree_geometry *g, int *count))[3]
{
    *count = g->draw_vertex                ? g->draw_vertices
             : g->kind == SCREE_SHAPE_MESH ? g->mesh.vertex_count
                                           : g->hull.vertex_count;
    return g->draw_vertex ? g->draw_vertex : g->kind == SCREE_SHAPE_MESH ? g->mesh.vertex : g->hull.vertex;
}

scree_status scree_geometry_mass_properties(const scree_geometry *g, scree_geometry_mass *mass)
{
    *mass = g->hull.mass;
    if (g->kind == SCREE_SHAPE_MESH && !g->draw_vertex && g->mesh.open_edges == 0) {
        solid_moments m;
        solid_moments_begin(g->mesh.vertex[0], &m);
        for (int t = 0; t < g->mesh.triangle_count; ++t) {
            const int *c = g->mesh.triangle[t];
            solid_moments_add(&m, g->mesh.vertex[c[0]], g->mesh.vertex[c[1]], g->mesh.vertex[c[2]]);
        }
        *mass = solid_moments_end(&m);
    }
    return mass->volume > 0.0 ? SCREE_OK : SCREE_ERR_INPUT;
}

int scree_geometry_open_edges(const scree_geometry *g)
{
    return g->mesh.open_edges;
}

scree_sides scree_geometry_sides(const scree_geometry *g)
{
    return g->mesh.sides == SCREE_SIDES_AUTO ? SCREE_SIDES_FRONT : g->mesh.sides;
}

int scree_geometry_vertex_count(const scree_geometry *g)
{
    int count;
    points_of(g, &count);
    return count;
}

void scree_geometry_vertex(const scree_geometry *g, int index, double vertex[3])
{
    int count;
    double(*point)[3] = points_of(g, &count);
    SCREE_ASSERT(index >= 0 && index < count);
    memcpy(vertex, point[index], 3 * sizeof *vertex);
}

int scree_geometry_triangle_count(const scree_geometry *g)
{
    if (g->draw_vertex) return g->draw_triangles;
    if (g->kind == SCREE_SHAPE_MESH) return g->mesh.triangle_count;
    return g->hull.first[g->hull.face_count] - 2 * g->hull.face_count;
}

void scree_geometry_triangle(const scree_geometry *g, int index, int corner[3])
{
    const hull_data *h = &g->hull;
    int f = 0;
    if (g->draw_vertex || g->kind == SCREE_SHAPE_MESH) {
        for (int i = 0; i < 3; ++i)
            corner[i] = g->draw_vertex ? (int)g->draw_triangle[index][i] : g->mesh.triangle[index][i];
        return;
    }
    while (index >= h->first[f + 1] - h->first[f] - 2) index -= h->first[f + 1] - h->first[f] - 2, ++f;
    const int *loop = h->loop + h->first[f]; /* a fan about its first vertex */
    corner[0] = loop[0], corner[1] = loop[index + 1], corner[2] = loop[index + 2];
}
