/* touch_motion.h: how two bodies move against each other at their contact. One text for the processor (rigid/assemble.c) and for devices. */
#ifndef SCREE_STEP_TOUCH_MOTION_H
#define SCREE_STEP_TOUCH_MOTION_H

#include "world/touch.h"

/// From the centres of mass to the contact point [m].
typedef struct contact_arms {
    double a[3], b[3];
} contact_arms;

/// From the centre of mass to the contact point. A sphere about the centre of mass has its arm along the normal, bit for bit: taken
/// as a difference of positions it would turn by rounding, and normal loads would spin spheres.
SCREE_HD void touch_arm(const scree_world_options *o, const scree_contact_point *touch, const scree_shape *shape,
                        const double x[3], int is_b, double arm[3])
{
    const double *at = shape->position;
    if (shape->kind == SCREE_SHAPE_SPHERE && at[0] == 0.0 && at[1] == 0.0 && at[2] == 0.0) {
        double r = (is_b ? -1.0 : 1.0) * (shape->size[0] + 0.5 * touch->gap);
        for (int i = 0; i < 3; ++i) arm[i] = r * touch->normal[i];
    } else {
        vec_sub(touch->position, x, arm);
        nearest_image(o, arm);
    }
}

/// Adds the velocity of one body at the contact point, as B or as A (minus).
SCREE_HD void add_point_velocity(double sign, const double *velocity, const double *arm, double u[3], double spin[3])
{
    double turn[3];
    vec_cross(velocity + 3, arm, turn);
    for (int i = 0; i < 3; ++i) u[i] += sign * (velocity[i] + turn[i]), spin[i] += sign * velocity[3 + i];
}

/// (u, spin) of B minus A in the frame of the contact: N T1 T2 R1 R2 S.
SCREE_HD void touch_in_frame(const scree_contact_point *touch, const double u[3], const double spin[3],
                             double y[SCREE_DIM_MAX])
{
    double t2[3];
    vec_cross(touch->normal, touch->tangent, t2);
    y[0] = vec_dot(touch->normal, u), y[1] = vec_dot(touch->tangent, u), y[2] = vec_dot(t2, u);
    y[3] = vec_dot(touch->tangent, spin), y[4] = vec_dot(t2, spin), y[5] = vec_dot(touch->normal, spin);
}

/// Velocity of B against A at a contact, N T1 T2 R1 R2 S whatever its cone, from those of the bodies.
SCREE_HD void touch_velocity(const scree_contact_point *touch, const contact_arms *arms, const double velocity_a[6],
                             const double velocity_b[6], double y[SCREE_DIM_MAX])
{
    double u[3] = {0.0, 0.0, 0.0}, spin[3] = {0.0, 0.0, 0.0};
    add_point_velocity(-1.0, velocity_a, arms->a, u, spin);
    add_point_velocity(1.0, velocity_b, arms->b, u, spin);
    touch_in_frame(touch, u, spin, y);
}

#endif
