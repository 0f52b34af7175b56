/* collide.c: which function knows a pair of kinds, and in which order it gets them.
 *
 * The table holds the pairs with the lower kind first; a pair that it leaves out goes by support functions and faces alone (faces.c).
 * Two of one kind are put in an order of their own before they are looked at, so that the answer cannot depend on who was named
 * first: by size, then by place along a direction that no stack or lattice is orthogonal to. (By place along x alone, the order of
 * two boxes one above the other would be a matter of rounding.) */
#include "collision/hollow.h"
#include "collision/hull.h"

static pair_function *const PAIR[SCREE_SHAPE_KIND_COUNT][SCREE_SHAPE_KIND_COUNT] = {
    [SCREE_SHAPE_SPHERE] = {[SCREE_SHAPE_SPHERE] = collide_sphere_sphere,
                            [SCREE_SHAPE_PLANE] = collide_sphere_plane,
                            [SCREE_SHAPE_BOX] = collide_sphere_box,
                            [SCREE_SHAPE_ELLIPSOID] = collide_sphere_ellipsoid,
                            [SCREE_SHAPE_CAPSULE] = collide_sphere_capsule,
                            [SCREE_SHAPE_CYLINDER] = collide_sphere_revolution,
                            [SCREE_SHAPE_CONE] = collide_sphere_revolution},
    [SCREE_SHAPE_PLANE] = {[SCREE_SHAPE_BOX] = collide_plane_box,
                           [SCREE_SHAPE_ELLIPSOID] = collide_plane_ellipsoid,
                           [SCREE_SHAPE_CAPSULE] = collide_plane_capsule,
                           [SCREE_SHAPE_HULL] = collide_plane_hull},
    [SCREE_SHAPE_BOX] = {[SCREE_SHAPE_BOX] = collide_box_box,
                         [SCREE_SHAPE_ELLIPSOID] = collide_box_ellipsoid,
                         [SCREE_SHAPE_CAPSULE] = collide_box_capsule},
    [SCREE_SHAPE_ELLIPSOID] =
        {[SCREE_SHAPE_ELLIPSOID] = collide_ellipsoid_ellipsoid, [SCREE_SHAPE_CAPSULE] = collide_ellipsoid_capsule},
    [SCREE_SHAPE_CAPSULE] = {[SCREE_SHAPE_CAPSULE] = collide_capsule_capsule},
};

/// Negative, zero or positive as a sorts before, with, or after b.
static int compare_arrays(int n, const double *a, const double *b)
{
    for (int i = 0; i < n; ++i)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/// Whether two shapes of one kind are to be looked at in the order (b, a).
static int sorts_after(const posed_shape *a, const posed_shape *b)
{
    int order = compare_arrays(3, a->size, b->size);
    if (order) return order > 0;
    double d = 0.36 * (b->x[0] - a->x[0]) + 0.48 * (b->x[1] - a->x[1]) + 0.8 * (b->x[2] - a->x[2]);
    if (d != 0.0) return d < 0.0;
    order = compare_arrays(3, a->x, b->x);
    if (!order) order = compare_arrays(9, a->R, b->R);
    return order > 0;
}

void manifold_sort(manifold *m)
{
    for (int i = 1; i < m->count; ++i) {
        manifold_point p = m->point[i];
        int j = i;
        for (; j > 0 && m->point[j - 1].feature > p.feature; --j) m->point[j] = m->point[j - 1];
        m->point[j] = p;
    }
}

static void mirror(manifold *m)
{
    for (int i = 0; i < 3; ++i) m->normal[i] = -m->normal[i];
    for (int k = 0; k < m->count; ++k) m->point[k].feature = m->point[k].feature << 32 | m->point[k].feature >> 32;
}

/// The deepest point of a shape on a surface.
static void collide_deepest(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    contact_point point[SURFACE_POINTS];
    int wall_is_b = shape_is_surface(b->kind), deepest = 0;
    const posed_shape *wall = wall_is_b ? b : a, *shape = wall_is_b ? a : b;
    int count = wall->kind == SCREE_SHAPE_MESH ? surface_collide(wall, shape, reach, point)
                                               : hollow_collide(wall, shape, reach, point);
    if (count == 0) return;
    for (int k = 1; k < count; ++k)
        if (point[k].gap < point[deepest].gap) deepest = k;
    m->count = 1;
    for (int i = 0; i < 3; ++i) m->normal[i] = (wall_is_b ? -1.0 : 1.0) * point[deepest].normal[i];
    memcpy(m->point[0].position, point[deepest].position, sizeof m->point[0].position);
    m->point[0].gap = point[deepest].gap, m->point[0].feature = 0;
}

void collide(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    m->count = 0;
    if (shape_is_surface(a->kind) || shape_is_surface(b->kind)) {
        collide_deepest(a, b, reach, m);
        return;
    }
    if (a->kind == SCREE_SHAPE_PLANE && b->kind == SCREE_SHAPE_PLANE) return;

    int swapped = a->kind > b->kind || (a->kind == b->kind && sorts_after(a, b));
    const posed_shape *first = swapped ? b : a, *second = swapped ? a : b;
    pair_function *pair = PAIR[first->kind][second->kind];
    if (!pair) pair = first->kind == SCREE_SHAPE_PLANE ? collide_plane_faces : collide_faces;
    pair(first, second, reach, m);
    if (swapped) mirror(m);
    if (m->count > 1) manifold_sort(m);
}
