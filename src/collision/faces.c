/* faces.c: contacts of convex shapes that have flat faces: from the deepest pair of points to all of them.
 *
 * The normal. GJK gives the direction of a distance d to about rounding times size over d: useless where two shapes touch. So within a
 * band of 1e-6 of the sizes both are scaled up by twice that, and EPA finds the shallowest way out of the overlap: its directions come
 * from whole faces of the difference and have all their digits. Which of two directions that are equal within the band is taken, is
 * left to the shapes: a face's normal wins over anything else that is not better by the band. (boxes.c prefers faces by as much.)
 *
 * The points. If the normal is that of a face, the other shape's face, line or point is cut to it (face_clip.c),
 * and each point has its own gap along the normal. If no point is as deep as the shapes are, the deepest pair joins them: a rim of a
 * cylinder is an octagon here, and the point beyond its side is not lost. Other contacts have that pair alone, two parallel lines two. */
#include "collision/faces.h"

#include "collision/hull.h"
#include "collision/revolution.h"

#define NEAR_FACE 0.995         /* cosine: faces that are tried                                       */
#define ON_FACE   (1.0 - 1e-10) /* cosine: faces that are cut                                         */
#define BAND      1e-6          /* of the sizes: what counts as touching                                */
#define PARALLEL  1e-3          /* sine of the angle of two lines that touch along a stretch            */

/* ---- faces of the kinds --------------------------------------------------------------------------------------------- */

static void box_polygon(const double half[3], const double n[3], face_polygon *f)
{
    int a = fabs(n[1]) > fabs(n[0]) ? 1 : 0;
    if (fabs(n[2]) > fabs(n[a])) a = 2;
    int b = (a + 1) % 3, c = (a + 2) % 3, positive[3], up = n[a] >= 0.0;
    positive[a] = up;
    f->count = 4, f->face = box_face(a, up);
    f->normal[0] = f->normal[1] = f->normal[2] = 0.0, f->normal[a] = up ? 1.0 : -1.0;
    for (int i = 0; i < 4; ++i) { /* in (b, c) counter-clockwise seen from +a; the other way round below */
        int k = up ? i : 3 - i, side = up ? k : (k + 3) % 4; /* the edge that leaves this vertex */
        positive[b] = k == 1 || k == 2, positive[c] = k >= 2;
        for (int j = 0; j < 3; ++j) f->at[i][j] = positive[j] ? half[j] : -half[j];
        f->vertex[i] = box_vertex(positive);
        f->edge[i] = side % 2 == 0 ? box_edge(b, side == 2, up) : box_edge(c, up, side == 1);
    }
}

static void capsule_line(const double size[3], const double n[3], face_polygon *f)
{
    f->count = 2;
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 3; ++i) f->at[k][i] = size[0] * n[i];
        f->at[k][2] += k ? size[1] : -size[1];
    }
    f->vertex[0] = CAPSULE_LOWER, f->vertex[1] = CAPSULE_UPPER, f->edge[0] = f->edge[1] = f->face = CAPSULE_SIDE;
    memcpy(f->normal, n, 3 * sizeof *n);
}

static void to_world(const posed_shape *s, face_polygon *f)
{
    double v[3];
    for (int k = 0; k < f->count; ++k) {
        memcpy(v, f->at[k], sizeof v);
        mat_apply(s->R, v, f->at[k]);
    }
    memcpy(v, f->normal, sizeof v);
    mat_apply(s->R, v, f->normal);
}

void shape_face(const posed_shape *s, const double n[3], face_polygon *f)
{
    double local[3];
    mat_apply_transpose(s->R, n, local);
    switch (s->kind) {
    case SCREE_SHAPE_BOX: box_polygon(s->size, local, f); break;
    case SCREE_SHAPE_CAPSULE: capsule_line(s->size, local, f); break;
    case SCREE_SHAPE_CYLINDER:
    case SCREE_SHAPE_CONE: revolution_face(s->kind, s->size, local, f); break;
    case SCREE_SHAPE_HULL: hull_face(&s->geometry->hull, s->size[0], local, f); break;
    default: /* round: the point that touches */
        f->count = 1, f->vertex[0] = f->edge[0] = f->face = 0;
        support_point(s, n, f->at[0]);
        vec_add_scaled(f->at[0], support_radius(s), n, f->at[0]);
        memcpy(f->normal, n, sizeof f->normal);
        return;
    }
    to_world(s, f);
}

/* ---- the normal ------------------------------------------------------------------------------------------------------- */

/// n.x of B at its nearest minus that of A at its farthest: a lower bound of the gap.
static double separation(const posed_shape *a, const posed_shape *b, const double n[3])
{
    double p[3], q[3], d[3], minus[3] = {-n[0], -n[1], -n[2]};
    support_point(a, n, p);
    support_point(b, minus, q);
    vec_sub(b->x, a->x, d);
    vec_add_scaled(d, 1.0, q, d);
    vec_sub(d, p, d);
    return vec_dot(d, n) - support_radius(a) - support_radius(b);
}

/// Takes the normal of a face if its separation is at least `least`. Returns whether it did.
static int prefer_face(const posed_shape *a, const posed_shape *b, const face_polygon *f, double sign, double least,
                       convex_contact *c)
{
    double n[3] = {sign * f->normal[0], sign * f->normal[1], sign * f->normal[2]};
    if (f->count < 3 || !(vec_dot(n, c->n) > NEAR_FACE)) return 0;
    double s = separation(a, b, n);
    if (!(s >= least)) return 0;
    memcpy(c->n, n, sizeof n);
    c->distance = s;
    return 1;
}

static double extent(const posed_shape *s)
{
    return s->kind == SCREE_SHAPE_HULL ? s->size[0] * s->geometry->radius : shape_extent(s->kind, s->size);
}

int convex_find(const posed_shape *a, const posed_shape *b, double reach, convex_contact *c)
{
    convex_pair p = convex_pair_make(a, b);
    double size = extent(a) + extent(b), band = BAND * size, ra = support_radius(a), rb = support_radius(b);
    int apart = gjk_distance(&p, 1e-14, c);
    if (apart && c->distance - (ra + rb) > reach) return 0;
    if (!apart || c->distance <= band) {
        double grown = 1.0 + 2.0 * BAND * (apart ? 1.0 : 0.0) + (apart ? 0.0 : 1e-15);
        p.scale_a = p.scale_b = grown;
        epa_depth(&p, 1e-12, c);
        for (int i = 0; i < 3; ++i) c->pa[i] /= grown, c->pb[i] = p.d[i] + (c->pb[i] - p.d[i]) / grown;
        c->distance = separation(a, b, c->n);
    } else {
        c->distance -= ra + rb;
    }
    vec_add_scaled(c->pa, ra, c->n, c->pa);
    vec_add_scaled(c->pb, -rb, c->n, c->pb);

    face_polygon fa, fb;
    double minus[3] = {-c->n[0], -c->n[1], -c->n[2]}, handicap = BAND * min2(extent(a), extent(b));
    shape_face(a, c->n, &fa);
    shape_face(b, minus, &fb);
    if (fa.count == 1 || fb.count == 1)
        handicap = 1e-14 * size; /* a point lies on any face: there is nothing to choose */
    int of_a = prefer_face(a, b, &fa, 1.0, c->distance - handicap, c);
    prefer_face(a, b, &fb, -1.0, of_a ? c->distance + handicap : c->distance - handicap, c);
    return c->distance <= reach;
}

/* ---- the points ------------------------------------------------------------------------------------------------------- */

static void plane_frame(const face_polygon *x, double u[3], double v[3])
{
    double e[3];
    vec_sub(x->at[1], x->at[0], e);
    vec_add_scaled(e, -vec_dot(e, x->normal), x->normal, e);
    if (!(vec_unit(e, u) > 0.0)) vec_tangent(x->normal, u);
    vec_cross(x->normal, u, v);
}

/// The face of X in its plane, about its first vertex.
static void frame_of(const face_polygon *x, const double u[3], const double v[3], clip_frame *c)
{
    c->count = x->count, c->face = x->face;
    for (int k = 0; k < x->count; ++k) {
        double r[3];
        vec_sub(x->at[k], x->at[0], r);
        c->corner[k][0] = vec_dot(r, u), c->corner[k][1] = vec_dot(r, v);
        c->vertex[k] = x->vertex[k], c->edge[k] = x->edge[k];
    }
    for (int k = 0; k < x->count; ++k) {
        const double *p = c->corner[k], *q = c->corner[(k + 1) % x->count];
        double e[2] = {q[0] - p[0], q[1] - p[1]}, length = sqrt(e[0] * e[0] + e[1] * e[1]);
        double *side = c->side[k];
        side[0] = length > 0.0 ? e[1] / length : 0.0, side[1] = length > 0.0 ? -e[0] / length : 0.0;
        side[2] = side[0] * p[0] + side[1] * p[1];
    }
}

static void face_over(const face_polygon *x, const face_polygon *y, const double offset[3], const double u[3],
                      const double v[3], clip_face *c)
{
    c->count = y->count, c->face = y->face;
    for (int k = 0; k < y->count; ++k) {
        double r[3];
        for (int i = 0; i < 3; ++i) r[i] = y->at[k][i] + offset[i] - x->at[0][i];
        c->vertex[k][0] = vec_dot(r, u), c->vertex[k][1] = vec_dot(r, v), c->vertex[k][2] = vec_dot(r, x->normal);
        c->id[k] = y->vertex[k], c->edge[k] = y->edge[k];
    }
    c->normal[0] = vec_dot(y->normal, u), c->normal[1] = vec_dot(y->normal, v);
    c->normal[2] = vec_dot(y->normal, x->normal);
}

/// A candidate: its points on both surfaces, relative to A's origin.
typedef struct face_point {
    double pa[3], pb[3], gap;
    uint64_t feature;
} face_point;

/// X's face with what lies over it. `offset` is from X's origin to Y's; `n` from X to Y.
static int points_on_face(const face_polygon *x, const face_polygon *y, const double offset[3], const double n[3],
                          double slack, int x_is_b, face_point point[CLIP_MAX])
{
    clip_frame frame;
    clip_face face;
    clip_point found[CLIP_MAX];
    double u[3], v[3], cosine = vec_dot(n, x->normal);
    plane_frame(x, u, v);
    frame_of(x, u, v, &frame);
    face_over(x, y, offset, u, v, &face);
    if (face.count > 2 && !(fabs(face.normal[2]) > 1e-3)) return 0; /* seen from the side */
    int count = face_clip(&frame, &face, slack, found);
    for (int k = 0; k < count; ++k) {
        face_point *p = &point[k];
        double of_x[3], of_y[3], origin[3] = {0.0, 0.0, 0.0};
        if (x_is_b) /* relative to A, which is Y */
            for (int i = 0; i < 3; ++i) origin[i] = -offset[i];
        for (int i = 0; i < 3; ++i)
            of_y[i] =
                x->at[0][i] + origin[i] + found[k].at[0] * u[i] + found[k].at[1] * v[i] + found[k].at[2] * x->normal[i];
        p->gap = found[k].at[2] / cosine;
        vec_add_scaled(of_y, -p->gap, n, of_x);
        memcpy(p->pa, x_is_b ? of_y : of_x, sizeof of_x);
        memcpy(p->pb, x_is_b ? of_x : of_y, sizeof of_y);
        unsigned a = x_is_b ? found[k].of_y : found[k].of_x, b = x_is_b ? found[k].of_x : found[k].of_y;
        p->feature = feature_pair(a + 1, b + 1);
    }
    return count;
}

/// Two parallel lines: the ends of the stretch that both have.
static int points_on_line(const face_polygon *x, const face_polygon *y, const double d[3], const double n[3],
                          face_point point[CLIP_MAX])
{
    double e[3], f[3], u[3] = {0.0, 0.0, 0.0}, w[3] = {0.0, 0.0, 0.0}, cross[3], t[2];
    vec_sub(x->at[1], x->at[0], e);
    vec_sub(y->at[1], y->at[0], f);
    double length = vec_unit(e, u);
    if (!(vec_unit(f, w) > 0.0) || !(length > 0.0)) return 0;
    vec_cross(u, w, cross);
    if (vec_norm(cross) > PARALLEL) return 0;
    for (int k = 0; k < 2; ++k) {
        double r[3];
        for (int i = 0; i < 3; ++i) r[i] = y->at[k][i] + d[i] - x->at[0][i];
        t[k] = vec_dot(r, u);
    }
    int up = t[1] >= t[0];
    double from = max2(0.0, up ? t[0] : t[1]), to = min2(length, up ? t[1] : t[0]);
    if (!(to - from > 1e-6 * length)) return 0;
    for (int k = 0; k < 2; ++k) {
        face_point *p = &point[k];
        double at = k ? to : from, share = (at - t[0]) / (t[1] - t[0]), r[3];
        vec_add_scaled(x->at[0], at, u, p->pa);
        for (int i = 0; i < 3; ++i) p->pb[i] = d[i] + y->at[0][i] + share * f[i];
        vec_sub(p->pb, p->pa, r);
        p->gap = vec_dot(r, n);
        p->feature = feature_pair(x->vertex[k] + 1, y->vertex[up ? k : 1 - k] + 1);
    }
    return 2;
}

int points_thin(int count, manifold_point *point)
{
    char kept[CLIP_MAX + 1] = {0};
    double nearest[CLIP_MAX + 1]; /* squared distance to those kept */
    if (count <= MANIFOLD_MAX) return count;
    int next = 0, out = 0;
    for (int k = 1; k < count; ++k)
        if (point[k].gap < point[next].gap) next = k;
    for (int k = 0; k < count; ++k) nearest[k] = SCREE_INFINITY;
    for (int round = 0; round < MANIFOLD_MAX; ++round) {
        double best = -1.0, r[3];
        int last = next;
        kept[last] = 1;
        for (int k = 0; k < count; ++k) {
            vec_sub(point[k].position, point[last].position, r);
            nearest[k] = min2(nearest[k], vec_dot(r, r));
            if (!kept[k] && nearest[k] > best) best = nearest[k], next = k;
        }
    }
    for (int k = 0; k < count; ++k)
        if (kept[k]) point[out++] = point[k];
    return out;
}

/// A point of the contact unless it is out of reach or one of its kind is there.
static int keep(const double origin[3], const face_point *p, double reach, int count, manifold_point *point)
{
    if (!(p->gap <= reach)) return count;
    for (int k = 0; k < count; ++k)
        if (point[k].feature == p->feature) return count;
    for (int i = 0; i < 3; ++i) point[count].position[i] = origin[i] + 0.5 * (p->pa[i] + p->pb[i]);
    point[count].gap = p->gap, point[count].feature = p->feature;
    return count + 1;
}

/// The points of the manifold: those found, and the deepest of all where none of them is as deep to within `slack`.
static void write_points(const double origin[3], const face_point *deepest, double slack, int count,
                         const face_point *found, double reach, manifold *m)
{
    manifold_point point[CLIP_MAX + 1];
    double least = SCREE_INFINITY;
    int kept = 0;
    for (int k = 0; k < count; ++k) least = min2(least, found[k].gap);
    if (!(least <= deepest->gap + slack)) kept = keep(origin, deepest, reach, kept, point);
    for (int k = 0; k < count; ++k) kept = keep(origin, &found[k], reach, kept, point);
    m->count = points_thin(kept, point);
    memcpy(m->point, point, (size_t)m->count * sizeof *point);
}

void manifold_from_faces(const posed_shape *a, const posed_shape *b, const convex_contact *c, double reach, manifold *m)
{
    face_polygon fa, fb;
    face_point found[CLIP_MAX], deepest = {.gap = c->distance};
    double d[3], back[3], minus[3] = {-c->n[0], -c->n[1], -c->n[2]};
    double slack = 1e-7 * min2(extent(a), extent(b));
    int count = 0;
    vec_sub(b->x, a->x, d);
    vec_sub(a->x, b->x, back);
    shape_face(a, c->n, &fa);
    shape_face(b, minus, &fb);
    double of_a = fa.count > 2 ? vec_dot(fa.normal, c->n) : 0.0, of_b = fb.count > 2 ? vec_dot(fb.normal, minus) : 0.0;
    if (of_a >= ON_FACE && of_a >= of_b - 1e-9) count = points_on_face(&fa, &fb, d, c->n, slack, 0, found);
    else if (of_b >= ON_FACE) count = points_on_face(&fb, &fa, back, minus, slack, 1, found);
    else if (fa.count == 2 && fb.count == 2) count = points_on_line(&fa, &fb, d, c->n, found);

    memcpy(deepest.pa, c->pa, sizeof deepest.pa), memcpy(deepest.pb, c->pb, sizeof deepest.pb);
    memcpy(m->normal, c->n, sizeof m->normal);
    write_points(a->x, &deepest, slack, count, found, reach, m);
}

void collide_faces(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    convex_contact c;
    if (convex_find(a, b, reach, &c)) manifold_from_faces(a, b, &c, reach, m);
}

/// A point of a shape (relative to its centre, `height` above the plane) and the one of the plane below it.
static face_point point_over_plane(const double normal[3], double height, const double at[3], uint64_t feature)
{
    face_point p = {.gap = height + vec_dot(at, normal), .feature = feature};
    memcpy(p.pb, at, sizeof p.pb);
    vec_add_scaled(at, -p.gap, normal, p.pa);
    return p;
}

void collide_plane_faces(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double d[3], down[3], low[3];
    face_polygon f;
    face_point found[FACE_MAX];
    shape_axis(a, 2, m->normal);
    vec_sub(b->x, a->x, d);
    for (int i = 0; i < 3; ++i) down[i] = -m->normal[i];
    double height = vec_dot(d, m->normal);
    shape_face(b, down, &f);
    support_point(b, down, low);
    vec_add_scaled(low, support_radius(b), down, low);
    face_point lowest = point_over_plane(m->normal, height, low, 0);
    for (int k = 0; k < f.count; ++k)
        found[k] = point_over_plane(m->normal, height, f.at[k], feature_pair(0, f.vertex[k] + 1));
    write_points(b->x, &lowest, 1e-12 * extent(b), f.count, found, reach, m);
}
