/* curvature.c: how a surface bends where it is touched.
 *
 * Convex surfaces have curvatures >= 0 [1/m]; flat ones 0. Sides of capsules, cylinders and cones are straight along one direction and
 * bend across it: such a body rolls across that direction and slides along it. With u the outward normal's part across the axis and rho
 * the distance of the point from it, they bend by |u|/rho (Meusnier), which holds on the rim of a flat end too, where the body rolls along
 * its rim. A rim counts as side where its normal leans to the side more than to the flat end, and as flat beyond: what wobbles on
 * its end does not roll about a point. So do edges and corners of boxes, hulls and meshes, their faces, and the tip of a cone.
 *
 * Hollow walls (tube, funnel, bowl) have the same curvatures with the other sign, and none on their rims. */
#include "collision/revolution.h"
#include "collision/surface.h"
#include "laws/dem_frame.h"
#include "math/elementary.h"
#include "world/world_private.h"

#include <string.h>

/// Nearer to the axis than this share of its radius is the tip of a cone.
static const double TIP = 0.05;

static surface_bend ellipsoid_bend(const double axes[3], const double n[3], const double along[3])
{
    double kappa[2], direction[3], t[3], length = vec_norm(along);
    surface_bend bend = {.mean = dem_ellipsoid_principal(axes, n, kappa, direction)};
    bend.along = bend.mean;
    if (!(length > 0.0)) return bend;
    for (int k = 0; k < 3; ++k) t[k] = along[k] / length;
    bend.along = dem_ellipsoid_curvature(axes, n, t);
    return bend;
}

/// Bends about the axis z only. `u`: the normal's part across it.
static surface_bend side_bend(const double n[3], double u, double rho)
{
    surface_bend bend = {.mean = 0.5 * u / rho, .along = u / rho};
    const double around[3] = {-n[1] / u, n[0] / u, 0.0};
    vec_cross(n, around, bend.straight);
    return bend;
}

/// Of a hollow wall at a point from its body's position; `outward`: into the hollow.
static surface_bend hollow_bend(const scree_world *w, int shape, const double point[3], const double outward[3])
{
    const scree_shape *s = &w->shape[shape];
    const double *body = w->q[w->shape_body[shape]];
    double q[4], n[3], at[3], p[3];
    quat_mul(body, s->rotation, q);
    quat_rotate_inverse(q, outward, n);
    quat_rotate_inverse(body, point, at);
    vec_sub(at, s->position, at);
    quat_rotate_inverse(s->rotation, at, p);
    if (s->kind == SCREE_SHAPE_BOWL) {
        const double bend = vec_dot(n, p) < -(1.0 - 1e-6) * vec_norm(p) ? -1.0 / s->size[0] : 0.0; /* else its rim */
        return (surface_bend){.mean = bend, .along = bend};
    }
    const double widen = s->size[1] - s->size[0], rise = 2.0 * s->size[2], slant = real_hypot(widen, rise);
    const double u = real_hypot(n[0], n[1]), rho = real_hypot(p[0], p[1]);
    surface_bend bend = {.mean = 0.0};
    if (fabs(n[2] - widen / slant) > 1e-6 || !(rho > TIP * max2(s->size[0], s->size[1]))) return bend;
    bend = side_bend(n, -u, rho);
    quat_rotate(q, bend.straight, p);
    memcpy(bend.straight, p, sizeof p);
    return bend;
}

surface_bend shape_curvature(const scree_world *w, int shape, const double point[3], const double outward[3],
                             const double along[3])
{
    const scree_shape *s = &w->shape[shape];
    const double *body = w->q[w->shape_body[shape]], R = s->size[0];
    double q[4], n[3], t[3], at[3], p[3];
    surface_bend bend = {.mean = 0.0};
    if (s->kind == SCREE_SHAPE_SPHERE) return (surface_bend){.mean = 1.0 / R, .along = 1.0 / R};
    if (shape_is_hollow(s->kind)) return hollow_bend(w, shape, point, outward);
    if (s->kind != SCREE_SHAPE_ELLIPSOID && s->kind != SCREE_SHAPE_CAPSULE && s->kind != SCREE_SHAPE_CYLINDER &&
        s->kind != SCREE_SHAPE_CONE)
        return bend;
    quat_mul(body, s->rotation, q);
    quat_rotate_inverse(q, outward, n);
    quat_rotate_inverse(q, along, t);
    quat_rotate_inverse(body, point, at);
    vec_sub(at, s->position, at);
    quat_rotate_inverse(s->rotation, at, p);
    double u = real_hypot(n[0], n[1]), rho = s->kind == SCREE_SHAPE_CONE ? real_hypot(p[0], p[1]) : R;
    if (s->kind == SCREE_SHAPE_ELLIPSOID) return ellipsoid_bend(s->size, n, t);
    if (s->kind == SCREE_SHAPE_CAPSULE && (!(fabs(p[2]) < s->size[1] * (1.0 - 1e-9)) || !(u > 0.5))) /* its round end */
        return (surface_bend){.mean = 1.0 / R, .along = 1.0 / R};
    if (s->kind != SCREE_SHAPE_CAPSULE && (!revolution_is_side(s->kind, s->size, n) || !(rho > TIP * R))) return bend;
    bend = side_bend(n, u, rho);
    quat_rotate(q, bend.straight, t);
    for (int k = 0; k < 3; ++k) bend.straight[k] = t[k];
    return bend;
}
