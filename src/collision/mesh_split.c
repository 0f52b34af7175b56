/* mesh_split.c: edges of a surface that meet others in the middle.
 *
 * Where one long edge meets several short ones (a T-junction), no two triangles have an edge in common: to mesh_build.c the surface ends
 * there, twice, and what glides over it would hit a border that is not there. So a triangle with such an edge is split at the vertices
 * that lie on it, into a fan from the corner opposite; its plane stays.
 *
 *     c                  c
 *    / \                /|\
 *   /   \      ->      / | \          v: a corner of triangles on the other side
 *  a--v--b            a--v--b
 *
 * An edge is split at v if v ends an open edge that lies along it and runs the other way, as neighbours do. One edge of a triangle at a time;
 * the caller asks again until nothing is left to split, three times at most for every triangle of a file. Costs O(n log n) in open edges. */
#include "base/memory.h"
#include "collision/mesh.h"
#include "math/scalar.h"
#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

#define ALONG 1e-6      /* of the length of an edge: what lies on it                      */
#define FILE_32 0x1p-22 /* of the coordinates: rounding of files with 32-bit numbers      */

/// A vertex `at` (0 to 1) on the way along an edge.
typedef struct edge_split {
    int triangle, side, vertex;
    double at;
} edge_split;

typedef struct split_search {
    const mesh_data *mesh;
    const int *open; /* 3 triangle + side of each open edge */
    double rounding;
    int edge; /* that is asked about */
    int count;
    edge_split *split; /* NULL: only counted */
} split_search;

static void edge_of(const mesh_data *m, int edge, int *from, int *to)
{
    *from = m->triangle[edge / 3][edge % 3], *to = m->triangle[edge / 3][(edge % 3 + 1) % 3];
}

/// Where the foot of v is on the line from a to b, 0 to 1 between them; 0 is returned if v is farther from it than `off`.
static int on_line(const double a[3], const double b[3], const double v[3], double off, double *at)
{
    double e[3], r[3], cross[3];
    vec_sub(b, a, e);
    vec_sub(v, a, r);
    double squared = vec_dot(e, e);
    vec_cross(e, r, cross);
    *at = vec_dot(e, r) / squared;
    return vec_dot(cross, cross) <= off * off * squared;
}

static void visit(void *context, int id)
{
    split_search *q = context;
    const mesh_data *m = q->mesh;
    int a, b, end[2];
    edge_of(m, q->edge, &a, &b);
    edge_of(m, q->open[id], &end[0], &end[1]);
    double e[3], length, off, at[2];
    vec_sub(m->vertex[b], m->vertex[a], e);
    length = vec_norm(e), off = ALONG * length + q->rounding;
    for (int k = 0; k < 2; ++k)
        if (!on_line(m->vertex[a], m->vertex[b], m->vertex[end[k]], off, &at[k])) return;
    if (!(at[1] < at[0])) return; /* the same way, or the same edge */
    for (int k = 0; k < 2; ++k) {
        if (end[k] == a || end[k] == b || !(at[k] * length > off && (1.0 - at[k]) * length > off)) continue;
        if (q->split) q->split[q->count] = (edge_split){q->edge / 3, q->edge % 3, end[k], at[k]};
        q->count += 1;
    }
}

static int by_place(const void *left, const void *right)
{
    const edge_split *a = left, *b = right;
    if (a->triangle != b->triangle) return a->triangle < b->triangle ? -1 : 1;
    if (a->side != b->side) return a->side < b->side ? -1 : 1;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

/// The box of an open edge, and a little more.
static void edge_box(const split_search *q, int edge, double low[3], double high[3])
{
    int a, b;
    double e[3];
    edge_of(q->mesh, edge, &a, &b);
    const double *x = q->mesh->vertex[a], *y = q->mesh->vertex[b];
    vec_sub(y, x, e);
    double off = ALONG * vec_norm(e) + q->rounding;
    for (int i = 0; i < 3; ++i) low[i] = min2(x[i], y[i]) - off, high[i] = max2(x[i], y[i]) + off;
}

static void search(split_search *q, const tree *boxes, int edges)
{
    double low[3], high[3];
    q->count = 0;
    for (int k = 0; k < edges; ++k) {
        q->edge = q->open[k];
        edge_box(q, q->edge, low, high);
        tree_query(boxes, low, high, visit, q);
    }
}

/// Keeps of every triangle the splits of its first such edge, each vertex once. Returns how many are left.
static int choose(edge_split *split, int count)
{
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        const edge_split *last = kept > 0 ? &split[kept - 1] : NULL;
        if (last && last->triangle == split[k].triangle &&
            (last->side != split[k].side || last->vertex == split[k].vertex))
            continue;
        split[kept++] = split[k];
    }
    return kept;
}

/// The triangles with the split ones as fans, in their order.
static void write_fans(const mesh_data *m, const edge_split *split, int count, int (*triangle)[3], double (*normal)[3])
{
    int out = 0, k = 0;
    for (int t = 0; t < m->triangle_count; ++t) {
        int side = k < count && split[k].triangle == t ? split[k].side : 0;
        int from = m->triangle[t][side], to = m->triangle[t][(side + 1) % 3], opposite = m->triangle[t][(side + 2) % 3];
        for (;; ++k) {
            int last = k >= count || split[k].triangle != t;
            triangle[out][0] = from, triangle[out][1] = last ? to : split[k].vertex, triangle[out][2] = opposite;
            memcpy(normal[out++], m->normal[t], sizeof *normal);
            if (last) break;
            from = split[k].vertex;
        }
    }
}

scree_status mesh_split(mesh_data *m, const scree_allocator *a, int *splits)
{
    split_search q = {.mesh = m};
    tree boxes = {0};
    int edges = 0, *open = memory_raw_array(a, (size_t)m->open_edges + 1, sizeof *open);
    scree_status status = open ? tree_reserve(&boxes, a, m->open_edges) : SCREE_ERR_MEMORY;
    *splits = 0;
    for (int v = 0; v < m->vertex_count; ++v)
        for (int i = 0; i < 3; ++i) q.rounding = max2(q.rounding, FILE_32 * fabs(m->vertex[v][i]));
    if (status == SCREE_OK) {
        for (int k = 0; k < 3 * m->triangle_count; ++k)
            if (m->beside[k / 3][k % 3] < 0) open[edges++] = k;
        q.open = open;
        for (int k = 0; k < edges; ++k) {
            edge_box(&q, open[k], boxes.leaf[k].low, boxes.leaf[k].high);
            boxes.leaf[k].id = k;
        }
        tree_build(&boxes, edges);
        search(&q, &boxes, edges);
    }
    if (status == SCREE_OK && q.count > 0) {
        q.split = memory_raw_array(a, (size_t)q.count, sizeof *q.split);
        status = q.split ? SCREE_OK : SCREE_ERR_MEMORY;
    }
    if (status == SCREE_OK && q.count > 0) {
        search(&q, &boxes, edges);
        qsort(q.split, (size_t)q.count, sizeof *q.split, by_place);
        *splits = choose(q.split, q.count);
        size_t n = (size_t)m->triangle_count + (size_t)*splits;
        int(*triangle)[3] = memory_raw_array(a, n, sizeof *triangle);
        double(*normal)[3] = memory_raw_array(a, n, sizeof *normal);
        int(*beside)[3] = memory_raw_array(a, n, sizeof *beside);
        int *patch = memory_raw_array(a, n, sizeof *patch);
        if (triangle && normal && beside && patch) {
            write_fans(m, q.split, *splits, triangle, normal);
            MEMORY_FREE_ALL(a, m->triangle, m->normal, m->beside, m->patch);
            m->triangle = triangle, m->normal = normal, m->beside = beside, m->patch = patch;
            m->triangle_count = (int)n;
        } else {
            MEMORY_FREE_ALL(a, triangle, normal, beside, patch);
            status = SCREE_ERR_MEMORY;
        }
    }
    MEMORY_FREE_ALL(a, open, q.split);
    tree_free(&boxes, a);
    return status;
}
