/* bend.h: how a surface bends where it is touched, for a shape of a body turned by `body`: one text for the processor and for devices. What
 * the answer means, and why, is on top of curvature.c. */
#ifndef SCREE_WORLD_BEND_H
#define SCREE_WORLD_BEND_H

#include "collision/ball.h"
#include "laws/dem_frame.h"
#include "world/touch.h"

#define BEND_TIP 0.05 /* of its radius: nearer to the axis is the tip of a cone */

SCREE_HD surface_bend no_bend(void)
{
    surface_bend bend;
    memset(&bend, 0, sizeof bend);
    return bend;
}

/// The same along every direction.
SCREE_HD surface_bend even_bend(double curvature)
{
    surface_bend bend = no_bend();
    bend.mean = bend.along = curvature;
    return bend;
}

SCREE_HD surface_bend ellipsoid_bend(const double axes[3], const double n[3], const double along[3])
{
    double kappa[2], direction[3], t[3], length = vec_norm(along);
    surface_bend bend = even_bend(dem_ellipsoid_principal(axes, n, kappa, direction));
    bend.along = bend.mean;
    if (!(length > 0.0)) return bend;
    for (int k = 0; k < 3; ++k) t[k] = along[k] / length;
    bend.along = dem_ellipsoid_curvature(axes, n, t);
    return bend;
}

/// Bends about the axis z only. `u`: the normal's part across it.
SCREE_HD surface_bend side_bend(const double n[3], double u, double rho)
{
    surface_bend bend = no_bend();
    bend.mean = 0.5 * u / rho, bend.along = u / rho;
    const double around[3] = {-n[1] / u, n[0] / u, 0.0};
    vec_cross(n, around, bend.straight);
    return bend;
}

/// Of a hollow wall at a point from its body's position; `outward`: into the hollow.
SCREE_HD surface_bend hollow_bend(const scree_shape *s, const double body[4], const double point[3],
                                  const double outward[3])
{
    double q[4], n[3], at[3], p[3];
    quat_mul(body, s->rotation, q);
    quat_rotate_inverse(q, outward, n);
    quat_rotate_inverse(body, point, at);
    vec_sub(at, s->position, at);
    quat_rotate_inverse(s->rotation, at, p);
    if (s->kind == SCREE_SHAPE_BOWL) {
        const double bend = vec_dot(n, p) < -(1.0 - 1e-6) * vec_norm(p) ? -1.0 / s->size[0] : 0.0; /* else its rim */
        return even_bend(bend);
    }
    const double widen = s->size[1] - s->size[0], rise = 2.0 * s->size[2], slant = real_hypot(widen, rise);
    const double u = real_hypot(n[0], n[1]), rho = real_hypot(p[0], p[1]);
    surface_bend bend = no_bend();
    if (fabs(n[2] - widen / slant) > 1e-6 || !(rho > BEND_TIP * max2(s->size[0], s->size[1]))) return bend;
    bend = side_bend(n, -u, rho);
    quat_rotate(q, bend.straight, p);
    memcpy(bend.straight, p, sizeof p);
    return bend;
}

/// At a point of the surface, from the body's position, with this outward normal, world frame. `along`: a tangent of any length; 0: the mean is
/// taken for it.
SCREE_HD surface_bend shape_bend(const scree_shape *s, const double body[4], const double point[3],
                                 const double outward[3], const double along[3])
{
    const double R = s->size[0];
    double q[4], n[3], t[3], at[3], p[3];
    surface_bend bend = no_bend();
    if (s->kind == SCREE_SHAPE_SPHERE) return even_bend(1.0 / R);
    if (shape_is_hollow(s->kind)) return hollow_bend(s, body, point, outward);
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
        return even_bend(1.0 / R);
    if (s->kind != SCREE_SHAPE_CAPSULE && (!revolution_side_looks(s->kind, s->size, n) || !(rho > BEND_TIP * R)))
        return bend;
    bend = side_bend(n, u, rho);
    quat_rotate(q, bend.straight, t);
    for (int k = 0; k < 3; ++k) bend.straight[k] = t[k];
    return bend;
}

#endif
