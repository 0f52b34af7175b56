/* bed_turn.h: what is worked out once a step for a whole bed: the grid of its exact sums, the ways of planes, driven bodies. One text for
 * processors (bed.c, bed_sizes.c, bed_forcing.c) and devices (dem/cuda). */
#ifndef SCREE_DEM_SPHERES_BED_TURN_H
#define SCREE_DEM_SPHERES_BED_TURN_H

#include "dem/spheres/bed_parts.h"
#include "math/elementary.h"
#include "math/quat.h"

/* ---- the scale of exact sums ------------------------------------------------------------------------------------------------------- */

/// The smallest power of two above x > 0.
SCREE_HD double bed_power_above(double x)
{
    int e;
    (void)frexp(max2(x, 1e-250), &e);
    return ldexp(1.0, e);
}

/// What an overlap gives, with its dashpot at the largest speed.
SCREE_HD double bed_force_bound(const bed_most *most, int hertz, double delta, double speed)
{
    const double d = max2(delta, 0.0), spring = most->stiffness * (hertz ? d * sqrt(d) : d);
    return most->share * (spring + 2.0 * speed * most->damping * (hertz ? sqrt(sqrt(d)) : 1.0));
}

/// Forces of the next step of h are below S/8, as far as normal forces `peak` of the last one and speeds tell.
SCREE_HD double bed_scale_wanted(const bed_most *most, int hertz, double h, double speed2, double peak)
{
    const double speed = sqrt(speed2), way = 2.0 * h * speed;
    const double depth = hertz ? real_cbrt(peak / most->stiffness * (peak / most->stiffness)) : 0.0;
    double wanted = max2(most->share * peak, bed_force_bound(most, hertz, way, speed));
    if (hertz) wanted = max2(wanted, bed_force_bound(most, hertz, depth, speed));
    return bed_power_above(16.0 * wanted);
}

/// The scale after a step with this largest normal force.
SCREE_HD double bed_scale_after(const bed_most *most, int hertz, double h, double speed2, double peak, double scale)
{
    const double wanted = bed_scale_wanted(most, hertz, h, speed2, peak);
    return wanted > scale || ldexp(wanted, 12) < scale ? wanted : scale;
}

/// From the deepest overlap alone, where nothing is known.
SCREE_HD double bed_scale_first(const bed_most *most, int hertz, double h, double speed2, double deepest)
{
    return max2(bed_scale_wanted(most, hertz, h, speed2, 0.0),
                bed_power_above(16.0 * bed_force_bound(most, hertz, deepest, sqrt(speed2))));
}

/// `radius`: of common spheres.
SCREE_HD void bed_grid_make(const bed_most *most, double h, double speed2, double scale, double radius, bed_grid *grid)
{
    const double S = scale, L = most->length, way = bed_power_above(64.0 * h * sqrt(speed2));
    const double d = min2(L, max2(way, ldexp(L, -24)));
    int above; /* radii of common spheres are from half of 2^above on, and below it */
    (void)frexp(radius, &above);
    grid->force = 1.5 * ldexp(S, 52 - most->bits), grid->torque = ldexp(4.0 * grid->force, above - 1);
    grid->plane_force = ldexp(grid->force, 20), grid->plane_torque = ldexp(grid->force * L, 26);
    grid->loss[0] = 1.5 * ldexp(S * d, 24), grid->loss[1] = 1.5 * ldexp(S * d, -4);
}

/* ---- spheres -------------------------------------------------------------------------------------------------------------------------- */

/// A sphere that has left a periodic axis comes in at its other end: world_wrap.
SCREE_HD void bed_wrap(const bed_borders *p, bed_record *r, double wrapped[3])
{
    for (int k = 0; k < 3 && r->omega[3] > 0.0; ++k) {
        double *x = &r->x[k];
        if (!(*x < p->low[k] || *x >= p->high[k]) || !(fabs(*x) < 1e300)) continue;
        const double before = *x;
        *x = wrap_into(before, p->low[k], p->high[k]);
        const double mass = nearbyint((before - *x) / p->box[k]) / r->omega[3]; /* times the periods gone back */
        wrapped[k] += (mass + p->mass_grid) - p->mass_grid;
    }
}

/* ---- planes ------------------------------------------------------------------------------------------------------------------------- */

/// Planes move and turn for h. Returns the longest way that a point of one, near the spheres (`bounds`, and the skin), has made.
SCREE_HD double bed_planes_drift(int planes, double h, double skin, const double bounds[2][3], bed_plane_now *plane)
{
    double most = 0.0;
    for (int p = 0; p < planes; ++p) {
        bed_plane_now *w = &plane[p];
        double turn[3], q[4], n[3], spin = vec_norm(w->omega), reach = skin;
        memcpy(w->n_before, w->n, sizeof w->n), memcpy(w->v_before, w->v, sizeof w->v);
        memcpy(w->omega_before, w->omega, sizeof w->omega);
        if (spin > 0.0) {
            for (int k = 0; k < 3; ++k) turn[k] = h * w->omega[k];
            quat_exp(turn, q);
            quat_rotate(q, w->n_before, n);
            double s = 1.0 / vec_norm(n);
            for (int k = 0; k < 3; ++k) {
                w->n[k] = s * n[k];
                reach += max2(fabs(bounds[0][k] - w->point[k]), fabs(bounds[1][k] - w->point[k]));
            }
        }
        for (int k = 0; k < 3; ++k) w->point[k] += h * w->v[k];
        most = max2(most, h * (vec_norm(w->v) + spin * reach));
    }
    return most;
}

/* ---- driven bodies: before a step ------------------------------------------------------------------------------------------------- */

SCREE_HD void bed_driven_begin(const bed_forcing *f, double h)
{
    for (bed_driven *d = f->driven; d < f->driven + f->driven_count; ++d) {
        forcing_velocity(&d->motion, d->v, f->time, h, d->velocity);
        memset(d->felt, 0, sizeof d->felt);
    }
}

/// The velocity of a plane's point, which moves with its body.
SCREE_HD void bed_point_velocity(const bed_driven *d, const double point[3], const double velocity[6], double v[3])
{
    double arm[3], turn[3];
    vec_sub(point, d->x, arm);
    vec_cross(velocity + 3, arm, turn);
    vec_add_scaled(velocity, 1.0, turn, v);
}

/// The mean velocity of a plane's point in a step h that has brought it to where it is, turning with its body: its way is no line.
SCREE_HD void bed_point_way(const bed_driven *d, const double point[3], double h, double v[3])
{
    double arm[3], before[3], turned[3], turn[4];
    for (int k = 0; k < 3; ++k) arm[k] = point[k] - d->x[k], turned[k] = h * d->moved[3 + k];
    quat_exp(turned, turn);
    quat_rotate_inverse(turn, arm, before);
    for (int k = 0; k < 3; ++k) v[k] = d->moved[k] + (arm[k] - before[k]) / h;
}

/// Driven planes get the velocity of their body where they are.
SCREE_HD void bed_planes_drive(const bed_forcing *f, bed_plane_now *plane)
{
    for (const bed_driven_plane *p = f->plane; p < f->plane + f->plane_count; ++p) {
        const bed_driven *d = &f->driven[p->body];
        bed_plane_now *now = &plane[p->plane];
        bed_point_velocity(d, now->point, d->velocity, now->v);
        memcpy(now->omega, d->velocity + 3, 3 * sizeof(double));
    }
}

/* ---- and after it ------------------------------------------------------------------------------------------------------------------ */

SCREE_HD void bed_driven_move(const bed_forcing *f, double h)
{
    for (bed_driven *d = f->driven; d < f->driven + f->driven_count; ++d) {
        memcpy(d->moved, d->velocity, sizeof d->moved), memcpy(d->moved_from, d->q, sizeof d->moved_from);
        memcpy(d->v, d->velocity, sizeof d->v);
        forcing_move(d->velocity, h, d->x, d->q);
    }
}

/// A driven plane where its body is now, and the force that contacts did to it on the way.
SCREE_HD void bed_plane_follow(const bed_forcing *f, const bed_driven_plane *p, const double force[3], double h,
                               bed_plane_now *plane)
{
    bed_driven *d = &f->driven[p->body];
    bed_plane_now *now = &plane[p->plane];
    double axes[9];
    forcing_plane(d->x, d->q, p->position, p->rotation, now->point, axes);
    for (int k = 0; k < 3; ++k) now->n[k] = axes[3 * k + 2];
    bed_point_way(d, now->point, h, now->v_before);
    vec_add_scaled(d->felt, 1.0, force, d->felt);
}

/// Servos choose their speed, and the time goes on.
SCREE_HD void bed_forcing_end(bed_forcing *f, double h)
{
    for (bed_driven *d = f->driven; d < f->driven + f->driven_count; ++d)
        forcing_servo_respond(&d->motion.servo, d->felt, d->v);
    f->time = forcing_time_after(f->time, f->step, h), f->step += 1;
    f->half = 0;
}

#endif
