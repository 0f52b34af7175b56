/* bed_forcing.c: a step of a bed under what acts from outside (bed_forcing; the functions are those of laws/forcing.h).
 *
 * A step from t, after the lists are up to date:
 *
 *     before   driven bodies: their mean velocities from t to t + h
 *              applied loads at t, and those of walls that are not the bed's, at x(t): pushed into the step
 *              driven planes: the velocity of their body where they are
 *     bed      contacts at x(t), kick, motion
 *     after    work of the applied loads, on the mean of the velocities before and after
 *              driven bodies move on; their planes are placed anew, so that roundings do not add up
 *              servos choose the speed of the next step by what contacts did to their bodies in this one
 *
 * Cost: nothing for a sphere without a load, some 100 ns for each driven body, plane and load. */
#include "dem/spheres/bed_parts.h"

#include <string.h>

/* ---- before ---------------------------------------------------------------------------------------------------------------- */

static void velocities_find(const bed *b, const bed_forcing *f)
{
    for (bed_driven *d = f->driven; d < f->driven + f->driven_count; ++d) {
        forcing_velocity(&d->motion, d->v, f->time, b->h, d->velocity);
        memset(d->felt, 0, sizeof d->felt);
    }
}

static scree_status loads_push(bed *b, bed_forcing *f)
{
    double x[3];
    scree_status status = SCREE_OK;
    for (bed_loaded *on = f->loaded; on < f->loaded + f->loaded_count && status == SCREE_OK; ++on) {
        if (bed_place_of(b, on->id) < 0) continue;
        forcing_load_at(&on->load, f->time, on->now);
        if (!forcing_load_sound(on->now)) {
            f->refused = on->id;
            return SCREE_ERR_INPUT;
        }
        bed_look_at(b, on->id, x, on->velocity, on->velocity + 3, NULL);
        status = bed_push(b, on->id, on->now, on->now + 3);
    }
    return status;
}

/// The velocity of a plane's point, which moves with its body.
static void point_velocity(const bed_driven *d, const double point[3], const double velocity[6], double v[3])
{
    double arm[3], turn[3];
    vec_sub(point, d->x, arm);
    vec_cross(velocity + 3, arm, turn);
    vec_add_scaled(velocity, 1.0, turn, v);
}

static void planes_drive(bed *b, const bed_forcing *f)
{
    for (const bed_driven_plane *p = f->plane; p < f->plane + f->plane_count; ++p) {
        const bed_driven *d = &f->driven[p->body];
        bed_plane_now *now = &b->plane[p->plane];
        point_velocity(d, now->point, d->velocity, now->v);
        memcpy(now->omega, d->velocity + 3, sizeof now->omega);
    }
}

scree_status bed_forcing_push(bed *b, bed_forcing *f, scree_error *error)
{
    scree_status status = SCREE_OK;
    f->refused = -1;
    velocities_find(b, f);
    if (f->loaded_count > 0 || f->walls.push) status = bed_push_ready(b);
    if (status == SCREE_OK) status = loads_push(b, f);
    if (status == SCREE_OK && f->walls.push)
        status = f->walls.push(f->walls.context, error); /* the last that can fail: histories at walls move */
    if (status == SCREE_OK) planes_drive(b, f);
    else bed_drop_pushes(b);
    return status;
}

/* ---- after ----------------------------------------------------------------------------------------------------------------- */

static void loads_work(bed *b, bed_forcing *f)
{
    for (const bed_loaded *on = f->loaded; on < f->loaded + f->loaded_count; ++on) {
        double x[3], v[6];
        if (bed_place_of(b, on->id) < 0) continue;
        bed_look_at(b, on->id, x, v, v + 3, NULL);
        for (int i = 0; i < 6; ++i) f->work += b->h * on->now[i] * 0.5 * (on->velocity[i] + v[i]);
    }
}

static void bodies_drive(const bed *b, const bed_forcing *f)
{
    for (bed_driven *d = f->driven; d < f->driven + f->driven_count; ++d) {
        memcpy(d->moved, d->velocity, sizeof d->moved), memcpy(d->moved_from, d->q, sizeof d->moved_from);
        memcpy(d->v, d->velocity, sizeof d->v);
        forcing_move(d->velocity, b->h, d->x, d->q);
    }
}

/// Planes where their bodies are now, and what they felt on the way.
static void planes_place(bed *b, const bed_forcing *f)
{
    for (const bed_driven_plane *p = f->plane; p < f->plane + f->plane_count; ++p) {
        bed_driven *d = &f->driven[p->body];
        bed_plane_now *now = &b->plane[p->plane];
        double axes[9], force[3], torque[3];
        forcing_plane(d->x, d->q, p->position, p->rotation, now->point, axes);
        for (int k = 0; k < 3; ++k) now->n[k] = axes[3 * k + 2];
        point_velocity(d, now->point, d->moved, now->v_before); /* with the arm after the motion, as plane_past */
        bed_plane_load(b, p->plane, force, torque);
        vec_add_scaled(d->felt, 1.0, force, d->felt);
    }
}

void bed_forcing_follow(bed *b, bed_forcing *f)
{
    loads_work(b, f);
    bodies_drive(b, f);
    planes_place(b, f);
    for (bed_driven *d = f->driven; d < f->driven + f->driven_count; ++d)
        forcing_servo_respond(&d->motion.servo, d->felt, d->v);
    f->time = forcing_time_after(f->time, f->step, b->h), f->step += 1;
    f->half = 0;
}

/* ---- start ----------------------------------------------------------------------------------------------------------------- */

/// How the plane of a driven body came to where it is: its normal before, and the velocity of its point and its spin since.
static void plane_past(const bed_driven *d, const bed_driven_plane *p, bed_plane_now *now)
{
    const double *q = d->moved_from;
    double point[3], axes[9];
    point_velocity(d, now->point, d->moved, now->v_before);
    memcpy(now->omega_before, d->moved + 3, sizeof now->omega_before);
    if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0.0)) return; /* it has not moved */
    forcing_plane(d->x, q, p->position, p->rotation, point, axes);
    for (int k = 0; k < 3; ++k) now->n_before[k] = axes[3 * k + 2];
}

void bed_forcing_start(bed *b, bed_forcing *f)
{
    velocities_find(b, f);
    planes_drive(b, f);
    for (const bed_driven_plane *p = f->plane; p < f->plane + f->plane_count; ++p)
        plane_past(&f->driven[p->body], p, &b->plane[p->plane]);
}
