/* epa.c: depth of two convex cores that overlap.
 *
 * The expanding polytope (van den Bergen 2001): a polytope inside the difference C = B - A, whose faces are moved out to support
 * points, the face nearest to 0 first. Its plane is at most as far as the surface of C, the parallel plane through the support point at
 * least: it ends when the two agree.
 *
 * Departures
 *   - it does not start from a simplex of GJK, which is a needle in the bad cases, but from the widest tetrahedron among 14 support
 *     points. It need not hold 0: distances of faces are signed, and the farthest outside is then the "nearest" and goes first;
 *   - the answer is the nearest of the planes through support points: a translation that does part the cores, whenever it ends.
 *     There is fixed room for vertices and faces, and round surfaces fill it near 1e-12 of the size;
 *   - a difference that is flat to rounding has depth 0 along its normal. */
#include "collision/support.h"

enum { EPA_VERTICES = 96, EPA_FACES = 2 * EPA_VERTICES, EPA_STARTS = 14 };

typedef struct epa_face {
    int vertex[3];
    double n[3], distance; /* outward unit normal; of the plane from 0, signed */
} epa_face;

typedef struct polytope {
    support_pair vertex[EPA_VERTICES];
    epa_face face[EPA_FACES];
    int vertex_count, face_count;
} polytope;

/// Adds a face; returns 0 if it has no normal or no room.
static int add_face(polytope *t, int a, int b, int c)
{
    double e[3], f[3], n[3];
    if (t->face_count == EPA_FACES) return 0;
    epa_face *face = &t->face[t->face_count];
    vec_sub(t->vertex[b].w, t->vertex[a].w, e);
    vec_sub(t->vertex[c].w, t->vertex[a].w, f);
    vec_cross(e, f, n);
    if (!(vec_dot(n, n) > 1e-28 * vec_dot(e, e) * vec_dot(f, f))) return 0;
    vec_unit(n, face->n);
    face->vertex[0] = a, face->vertex[1] = b, face->vertex[2] = c;
    face->distance = vec_dot(face->n, t->vertex[a].w);
    t->face_count += 1;
    return 1;
}

/// Of the start points the two farthest apart, the one farthest from their line, the one farthest from their plane. Returns 0 and the
/// normal of the plane if all lie in one.
static int widest_tetrahedron(const support_pair start[EPA_STARTS], support_pair out[4], double flat[3])
{
    double best = -1.0, e[3], f[3], n[3] = {0.0, 0.0, 0.0}, size;
    int pick[4] = {0, 0, 0, 0};
    for (int i = 0; i < EPA_STARTS; ++i)
        for (int j = 0; j < i; ++j) {
            vec_sub(start[i].w, start[j].w, e);
            if (vec_dot(e, e) > best) best = vec_dot(e, e), pick[0] = i, pick[1] = j;
        }
    /* cppcheck-suppress invalidFunctionArg ; the loops always run, and squares are above -1 */
    size = sqrt(best);
    vec_sub(start[pick[1]].w, start[pick[0]].w, e);
    best = -1.0;
    for (int i = 0; i < EPA_STARTS; ++i) {
        double g[3];
        vec_sub(start[i].w, start[pick[0]].w, f);
        vec_cross(e, f, g);
        if (vec_dot(g, g) > best) best = vec_dot(g, g), pick[2] = i, memcpy(n, g, sizeof n);
    }
    if (size > 0.0) vec_tangent((double[3]){e[0] / size, e[1] / size, e[2] / size}, flat);
    if (!(best > 1e-26 * size * size * size * size)) return 0;
    vec_unit(n, flat);
    best = 0.0;
    for (int i = 0; i < EPA_STARTS; ++i) {
        vec_sub(start[i].w, start[pick[0]].w, f);
        double height = vec_dot(f, flat);
        if (fabs(height) > fabs(best)) best = height, pick[3] = i;
    }
    if (!(fabs(best) > 1e-13 * size)) return 0;
    for (int k = 0; k < 4; ++k) out[k] = start[pick[k]];
    if (best > 0.0) out[1] = start[pick[2]], out[2] = start[pick[1]]; /* 0, 1, 2 seen from outside */
    return 1;
}

static int start_polytope(const convex_pair *c, polytope *t, double flat[3])
{
    support_pair start[EPA_STARTS];
    for (int k = 0; k < EPA_STARTS; ++k) { /* faces and corners of a cube, in the frame of A */
        double local[3] = {k < 8 ? (k & 1 ? 1.0 : -1.0) : 0.0, k < 8 ? (k & 2 ? 1.0 : -1.0) : 0.0,
                           k < 8 ? (k & 4 ? 1.0 : -1.0) : 0.0};
        double n[3];
        if (k >= 8) local[(k - 8) / 2] = k & 1 ? 1.0 : -1.0;
        mat_apply(c->a->R, local, n);
        support_difference(c, n, &start[k]);
    }
    t->vertex_count = 4, t->face_count = 0;
    if (!widest_tetrahedron(start, t->vertex, flat)) return 0;
    return add_face(t, 0, 1, 2) && add_face(t, 0, 3, 1) && add_face(t, 1, 3, 2) && add_face(t, 2, 3, 0);
}

/// Takes out the faces that see p and closes the hole with faces to it. Returns 0 if that cannot be done cleanly.
static int expand(polytope *t, const support_pair *p)
{
    int from[EPA_FACES], to[EPA_FACES], edges = 0, kept = 0, apex = t->vertex_count;
    if (t->vertex_count == EPA_VERTICES) return 0;
    /* A face in whose plane p lies goes too: p may lie on the line of one of its edges, and a face between the two has no normal. */
    double tiny = 1e-14 * vec_norm(p->w);
    t->vertex[t->vertex_count++] = *p;
    for (int f = 0; f < t->face_count; ++f) {
        const epa_face *face = &t->face[f];
        if (!(vec_dot(face->n, p->w) > face->distance - tiny)) {
            t->face[kept++] = *face;
            continue;
        }
        for (int k = 0; k < 3; ++k) { /* an edge that two seen faces share is inside the hole */
            int a = face->vertex[k], b = face->vertex[(k + 1) % 3], shared = -1;
            for (int e = 0; e < edges; ++e)
                if (from[e] == b && to[e] == a) shared = e;
            if (shared >= 0) edges -= 1, from[shared] = from[edges], to[shared] = to[edges];
            else if (edges == EPA_FACES) return 0;
            else from[edges] = a, to[edges] = b, edges += 1;
        }
    }
    t->face_count = kept;
    if (edges < 3) return 0;
    for (int e = 0; e < edges; ++e)
        if (!add_face(t, from[e], to[e], apex)) return 0;
    return 1;
}

static int nearest_face(const polytope *t)
{
    int best = 0;
    for (int f = 1; f < t->face_count; ++f)
        if (t->face[f].distance < t->face[best].distance) best = f;
    return best;
}

/// Points of A and B over the foot of the perpendicular from 0 to the face.
static void write_contact(const polytope *t, const epa_face *face, convex_contact *contact)
{
    double foot[3], e[3][3], n[3], weight[3], sum = 0.0;
    for (int i = 0; i < 3; ++i) foot[i] = face->distance * face->n[i], contact->n[i] = -face->n[i];
    for (int k = 0; k < 3; ++k) vec_sub(t->vertex[face->vertex[k]].w, foot, e[k]);
    for (int k = 0; k < 3; ++k) {
        vec_cross(e[(k + 1) % 3], e[(k + 2) % 3], n);
        weight[k] = max2(0.0, vec_dot(n, face->n)), sum += weight[k];
    }
    for (int i = 0; i < 3; ++i) {
        contact->pa[i] = 0.0, contact->pb[i] = 0.0;
        for (int k = 0; k < 3; ++k) {
            double share = sum > 0.0 ? weight[k] / sum : 1.0 / 3.0;
            contact->pa[i] += share * t->vertex[face->vertex[k]].pa[i];
            contact->pb[i] += share * t->vertex[face->vertex[k]].pb[i];
        }
    }
}

void epa_depth(const convex_pair *c, double tolerance, convex_contact *contact)
{
    polytope t;
    epa_face best = {.vertex = {0, 0, 0}};
    double flat[3] = {0.0, 0.0, 1.0};
    if (!start_polytope(c, &t, flat)) {
        support_pair p;
        support_difference(c, flat, &p);
        contact->distance = 0.0;
        for (int i = 0; i < 3; ++i) contact->n[i] = flat[i], contact->pa[i] = p.pa[i], contact->pb[i] = p.pa[i];
        return;
    }
    double least = SCREE_INFINITY, highest = -SCREE_INFINITY,
           size = 0.0; /* of the planes outside C; of the nearest inside */
    for (int k = 0; k < 4; ++k) size = max2(size, vec_norm(t.vertex[k].w));
    for (int round = 0; round < EPA_VERTICES; ++round) {
        support_pair p;
        const epa_face *face = &t.face[nearest_face(&t)];
        /* Once the polytope holds 0 it only grows around it. Does it not, rounding has folded it. */
        if (highest > 0.0 && face->distance < highest - 1e-12 * size) break;
        highest = max2(highest, face->distance);
        support_difference(c, face->n, &p);
        double outside = vec_dot(face->n, p.w), beyond = outside - face->distance;
        if (outside < least) least = outside, best = *face;
        if (beyond <= tolerance * max2(fabs(face->distance), 1e-2 * size)) break;
        if (!expand(&t, &p)) break;
    }
    write_contact(&t, &best, contact);
    contact->distance = -least;
}
