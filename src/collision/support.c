/* support.c: support functions of the cores, one row per kind. */
#include "collision/support.h"

#include "collision/hull.h"
#include "collision/revolution.h"

typedef void core_support(const double size[3], const double n[3], double p[3]);

static void point_support(const double size[3], const double n[3], double p[3])
{
    (void)size, (void)n;
    p[0] = p[1] = p[2] = 0.0;
}

static void box_support(const double size[3], const double n[3], double p[3])
{
    for (int i = 0; i < 3; ++i) p[i] = n[i] < 0.0 ? -size[i] : size[i];
}

static void ellipsoid_support(const double size[3], const double n[3], double p[3])
{
    double w[3] = {size[0] * n[0], size[1] * n[1], size[2] * n[2]}, u[3] = {0.0, 0.0, 0.0};
    vec_unit(w, u);
    for (int i = 0; i < 3; ++i) p[i] = size[i] * u[i];
}

static void segment_support(const double size[3], const double n[3], double p[3])
{
    p[0] = p[1] = 0.0, p[2] = n[2] < 0.0 ? -size[1] : size[1];
}

/// What a shape is to GJK and EPA, in its own frame.
static const struct {
    core_support *support; /* NULL: not a bounded convex shape, or a hull */
    int has_radius;        /* size[0] around the core          */
} CORE[SCREE_SHAPE_KIND_COUNT] = {
    [SCREE_SHAPE_SPHERE] = {point_support, 1},
    [SCREE_SHAPE_PLANE] = {NULL, 0},
    [SCREE_SHAPE_BOX] = {box_support, 0},
    [SCREE_SHAPE_ELLIPSOID] = {ellipsoid_support, 0},
    [SCREE_SHAPE_CAPSULE] = {segment_support, 1},
    [SCREE_SHAPE_CYLINDER] = {cylinder_support, 0},
    [SCREE_SHAPE_CONE] = {cone_support, 0},
    [SCREE_SHAPE_HULL] = {NULL, 0},
    [SCREE_SHAPE_MESH] = {NULL, 0},
    [SCREE_SHAPE_TUBE] = {NULL, 0},
    [SCREE_SHAPE_BOWL] = {NULL, 0},
};

double support_radius(const posed_shape *s)
{
    return CORE[s->kind].has_radius ? s->size[0] : 0.0;
}

void support_point(const posed_shape *s, const double n[3], double p[3])
{
    double local[3], q[3];
    SCREE_ASSERT(CORE[s->kind].support || s->kind == SCREE_SHAPE_HULL);
    mat_apply_transpose(s->R, n, local);
    if (s->kind == SCREE_SHAPE_HULL) hull_support(&s->geometry->hull, s->size[0], local, q);
    else CORE[s->kind].support(s->size, local, q);
    mat_apply(s->R, q, p);
}

void support_difference(const convex_pair *c, const double n[3], support_pair *p)
{
    double minus[3] = {-n[0], -n[1], -n[2]};
    support_point(c->a, minus, p->pa);
    support_point(c->b, n, p->pb);
    for (int i = 0; i < 3; ++i) {
        p->pa[i] *= c->scale_a;
        p->pb[i] = c->d[i] + c->scale_b * p->pb[i];
        p->w[i] = p->pb[i] - p->pa[i];
    }
}

convex_pair convex_pair_make(const posed_shape *a, const posed_shape *b)
{
    convex_pair c = {.a = a, .b = b, .scale_a = 1.0, .scale_b = 1.0};
    vec_sub(b->x, a->x, c.d);
    return c;
}
