/* gjk.c: distance of two convex cores.
 *
 * Gilbert, Johnson & Keerthi 1988: the point v of the difference C = B - A nearest to 0 is sought in simplices of at most four support
 * points. With w the support point along -v, every point of C has v.x >= v.w, so |v| - v.w/|v| bounds the error: it ends there, not
 * on a count. For polyhedra that is after finitely many steps, usually 4 to 8.
 *
 * Nearest points of simplices: the projection on the affine hull, by barycentric coordinates, where it is inside; else the best of the
 * faces, each solved again. That is more work than Johnson's recursion and has no cofactors that cancel: a simplex that is flat to
 * rounding is treated as its faces. */
#include "collision/support.h"

enum { GJK_STEPS = 64 };

/// The nearest point v to 0 of the hull of some of the vertices, named by their indices.
typedef struct simplex_point {
    int count, vertex[4];
    double weight[4], v[3], square;
} simplex_point;

static void combine(const support_pair p[4], simplex_point *s)
{
    for (int i = 0; i < 3; ++i) {
        s->v[i] = 0.0;
        for (int k = 0; k < s->count; ++k) s->v[i] += s->weight[k] * p[s->vertex[k]].w[i];
    }
    s->square = vec_dot(s->v, s->v);
}

static void nearest_of_point(const support_pair p[4], int a, simplex_point *s)
{
    *s = (simplex_point){.count = 1, .vertex = {a}, .weight = {1.0}};
    combine(p, s);
}

static void nearest_of_segment(const support_pair p[4], int a, int b, simplex_point *s)
{
    double e[3];
    vec_sub(p[b].w, p[a].w, e);
    double square = vec_dot(e, e), t = -vec_dot(p[a].w, e);
    if (!(t > 0.0) || !(square > 0.0)) {
        nearest_of_point(p, a, s);
    } else if (t >= square) {
        nearest_of_point(p, b, s);
    } else {
        t /= square;
        *s = (simplex_point){.count = 2, .vertex = {a, b}, .weight = {1.0 - t, t}};
        combine(p, s);
    }
}

static void nearest_of_triangle(const support_pair p[4], int a, int b, int c, simplex_point *s)
{
    double ab[3], ac[3], n[3], u[3], v[3];
    vec_sub(p[b].w, p[a].w, ab);
    vec_sub(p[c].w, p[a].w, ac);
    vec_cross(ab, ac, n);
    double area2 = vec_dot(n, n);
    if (area2 > 1e-28 * vec_dot(ab, ab) * vec_dot(ac, ac)) {
        vec_cross(p[b].w, p[c].w, u);
        vec_cross(p[c].w, p[a].w, v);
        double x = vec_dot(u, n) / area2, y = vec_dot(v, n) / area2, z = 1.0 - x - y;
        if (x > 0.0 && y > 0.0 && z > 0.0) {
            *s = (simplex_point){.count = 3, .vertex = {a, b, c}, .weight = {x, y, z}};
            double height = vec_dot(p[a].w, n) / area2; /* better than the sum of weighted vertices, which cancels */
            for (int i = 0; i < 3; ++i) s->v[i] = height * n[i];
            s->square = vec_dot(s->v, s->v);
            return;
        }
    }
    simplex_point other;
    nearest_of_segment(p, a, b, s);
    nearest_of_segment(p, b, c, &other);
    if (other.square < s->square) *s = other;
    nearest_of_segment(p, c, a, &other);
    if (other.square < s->square) *s = other;
}

/// Whether 0 is strictly inside the tetrahedron.
static int holds_origin(const support_pair p[4])
{
    double e[3][3], n[3], total;
    for (int k = 0; k < 3; ++k) vec_sub(p[k + 1].w, p[0].w, e[k]);
    vec_cross(e[1], e[2], n);
    total = vec_dot(e[0], n);
    if (fabs(total) <= 1e-14 * vec_norm(e[0]) * vec_norm(e[1]) * vec_norm(e[2])) return 0;
    for (int k = 0; k < 4; ++k) { /* the volume with vertex k replaced by 0 has the sign of the whole */
        const double *q[4] = {p[0].w, p[1].w, p[2].w, p[3].w}, zero[3] = {0.0, 0.0, 0.0};
        double f[3][3];
        q[k] = zero;
        for (int j = 0; j < 3; ++j) vec_sub(q[j + 1], q[0], f[j]);
        vec_cross(f[1], f[2], n);
        if (!(vec_dot(f[0], n) * total > 0.0)) return 0;
    }
    return 1;
}

/// Nearest point of the first `count` vertices' hull. Returns 0 if it holds the origin.
static int nearest_of_simplex(const support_pair p[4], int count, simplex_point *s)
{
    static const int FACE[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    if (count == 1) nearest_of_point(p, 0, s);
    if (count == 2) nearest_of_segment(p, 0, 1, s);
    if (count == 3) nearest_of_triangle(p, 0, 1, 2, s);
    if (count < 4) return 1;
    if (holds_origin(p)) return 0;
    s->square = SCREE_INFINITY;
    for (int f = 0; f < 4; ++f) {
        simplex_point face;
        nearest_of_triangle(p, FACE[f][0], FACE[f][1], FACE[f][2], &face);
        if (face.square < s->square) *s = face;
    }
    return 1;
}

/// Keeps only the vertices that carry the point.
static int reduce(support_pair p[4], simplex_point *s)
{
    support_pair kept[4] = {0};
    for (int k = 0; k < s->count; ++k) kept[k] = p[s->vertex[k]], s->vertex[k] = k;
    memcpy(p, kept, (size_t)s->count * sizeof *p);
    return s->count;
}

static void write_contact(const support_pair p[4], const simplex_point *s, convex_contact *contact)
{
    contact->distance = vec_unit(s->v, contact->n);
    for (int i = 0; i < 3; ++i) {
        contact->pa[i] = 0.0, contact->pb[i] = 0.0;
        for (int k = 0; k < s->count; ++k) {
            contact->pa[i] += s->weight[k] * p[s->vertex[k]].pa[i];
            contact->pb[i] += s->weight[k] * p[s->vertex[k]].pb[i];
        }
    }
}

int gjk_distance(const convex_pair *c, double tolerance, convex_contact *contact)
{
    support_pair p[4];
    simplex_point s;
    double start[3] = {-c->d[0], -c->d[1], -c->d[2]}, size = 0.0;
    if (!(vec_dot(start, start) > 0.0)) return 0; /* both hold their own origins */
    support_difference(c, start, &p[0]);
    nearest_of_point(p, 0, &s);
    int count = 1;
    for (int step = 0; step < GJK_STEPS; ++step) {
        size = max2(size, max2(vec_dot(p[count - 1].pa, p[count - 1].pa), vec_dot(p[count - 1].pb, p[count - 1].pb)));
        if (s.square <= 1e-28 * size) return 0;
        double minus[3] = {-s.v[0], -s.v[1], -s.v[2]};
        support_difference(c, minus, &p[count]);
        double progress = s.square - vec_dot(s.v, p[count].w);
        if (progress <= tolerance * s.square) break;
        simplex_point next = s;
        if (!nearest_of_simplex(p, count + 1, &next)) return 0;
        if (!(next.square < s.square)) break; /* rounding: no nearer point is to be found */
        s = next;
        count = reduce(p, &s);
    }
    write_contact(p, &s, contact);
    return 1;
}
