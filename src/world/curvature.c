/* curvature.c: how a surface bends where it is touched.
 *
 * Convex surfaces have curvatures >= 0 [1/m]; flat ones 0. Edges and corners of boxes count as flat: what rolls over them does not roll
 * about a point. A capsule touched on its side bends across its axis only; along a tangent t that is (1 - (t.axis)^2)/R. */
#include "laws/dem_frame.h"
#include "world/narrow.h"
#include "world/world.h"

surface_bend shape_curvature(const scree_world *w, int shape, unsigned feature, const double normal[3],
                             const double along[3])
{
    const scree_shape *s = &w->shape[shape];
    double q[4], n[3], t[3], kappa[2], direction[3];
    if (s->kind == SCREE_SPHERE) return (surface_bend){1.0 / s->size[0], 1.0 / s->size[0]};
    if (s->kind != SCREE_ELLIPSOID && s->kind != SCREE_CAPSULE) return (surface_bend){0.0, 0.0};
    quat_mul(w->q[w->shape_body[shape]], s->rotation, q);
    quat_rotate_inverse(q, normal, n);
    quat_rotate_inverse(q, along, t);
    double length = vec_norm(t);
    for (int k = 0; k < 3; ++k) t[k] = length > 0.0 ? t[k] / length : 0.0;
    surface_bend bend;
    if (s->kind == SCREE_ELLIPSOID) {
        bend.mean = dem_ellipsoid_principal(s->size, n, kappa, direction);
        bend.along = dem_ellipsoid_curvature(s->size, n, t);
    } else {
        int side = feature == CAPSULE_SIDE;
        bend.mean = (side ? 0.5 : 1.0) / s->size[0];
        bend.along = (side ? 1.0 - t[2] * t[2] : 1.0) / s->size[0];
    }
    if (!(length > 0.0)) bend.along = bend.mean;
    return bend;
}
