/* hull.c: a convex hull in contact: its farthest vertex, its face that looks along a direction, and all of it against a plane. */
#include "collision/hull.h"

void hull_support(const hull_data *h, double scale, const double n[3], double p[3])
{
    int best = 0;
    double most = vec_dot(h->vertex[0], n);
    for (int k = 1; k < h->vertex_count; ++k) {
        double along = vec_dot(h->vertex[k], n);
        if (along > most) most = along, best = k;
    }
    for (int i = 0; i < 3; ++i) p[i] = scale * h->vertex[best][i];
}

void hull_face(const hull_data *h, double scale, const double n[3], face_polygon *f)
{
    int best = 0;
    for (int k = 1; k < h->face_count; ++k)
        if (vec_dot(h->normal[k], n) > vec_dot(h->normal[best], n)) best = k;
    int first = h->first[best], count = h->first[best + 1] - first;
    int stride = (count + FACE_MAX - 1) / FACE_MAX; /* of a face with more corners every second, third, ... */
    unsigned edges = (unsigned)h->vertex_count, faces = edges + (unsigned)h->edge_count;
    f->count = 0, f->face = faces + (unsigned)best;
    memcpy(f->normal, h->normal[best], sizeof f->normal);
    for (int k = 0; k < count; k += stride) {
        int v = h->loop[first + k];
        for (int i = 0; i < 3; ++i) f->at[f->count][i] = scale * h->vertex[v][i];
        f->vertex[f->count] = (unsigned)v, f->edge[f->count++] = edges + (unsigned)h->loop_edge[first + k];
    }
}

void collide_plane_hull(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    const hull_data *h = &b->geometry->hull;
    manifold_point point[CLIP_MAX];
    double d[3], n[3], up[3];
    int count = 0;
    shape_axis(a, 2, n);
    vec_sub(b->x, a->x, d);
    mat_apply_transpose(b->R, n, up);
    double height = vec_dot(d, n);
    memcpy(m->normal, n, sizeof n);
    for (int k = 0; k < h->vertex_count; ++k) {
        double gap = height + b->size[0] * vec_dot(up, h->vertex[k]), v[3], pb[3];
        if (!(gap <= reach)) continue;
        if (count == CLIP_MAX) count = points_thin(count, point);
        for (int i = 0; i < 3; ++i) v[i] = b->size[0] * h->vertex[k][i];
        mat_apply(b->R, v, pb);
        vec_add_scaled(pb, -0.5 * gap, n, pb);
        for (int i = 0; i < 3; ++i) point[count].position[i] = b->x[i] + pb[i];
        point[count].gap = gap, point[count++].feature = feature_pair(0, (unsigned)k + 1);
    }
    m->count = points_thin(count, point);
    memcpy(m->point, point, (size_t)m->count * sizeof *point);
}
