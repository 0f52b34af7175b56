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
#include "dem/spheres/bed_turn.h"

#include <string.h>

/* ---- before ---------------------------------------------------------------------------------------------------------------- */

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

scree_status bed_forcing_push(bed *b, bed_forcing *f, scree_error *error)
{
    scree_status status = SCREE_OK;
    f->refused = -1;
    bed_driven_begin(f, b->h);
    if (f->loaded_count > 0 || f->walls.push) status = bed_push_ready(b);
    if (status == SCREE_OK) status = loads_push(b, f);
    if (status == SCREE_OK && f->walls.push)
        status = f->walls.push(f->walls.context, error); /* the last that can fail: histories at walls move */
    if (status == SCREE_OK) bed_planes_drive(f, b->plane);
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

/// Planes where their bodies are now, and what they felt on the way.
static void planes_place(bed *b, const bed_forcing *f)
{
    for (const bed_driven_plane *p = f->plane; p < f->plane + f->plane_count; ++p) {
        double force[3], torque[3];
        bed_plane_load(b, p->plane, force, torque);
        bed_plane_follow(f, p, force, b->h, b->plane);
    }
}

void bed_forcing_follow(bed *b, bed_forcing *f)
{
    loads_work(b, f);
    bed_driven_move(f, b->h);
    planes_place(b, f);
    bed_forcing_end(f, b->h);
}

/* ---- start ----------------------------------------------------------------------------------------------------------------- */

/// How the plane of a driven body came to where it is: its normal before, and the mean velocity of its point and its spin since.
static void plane_past(const bed_driven *d, const bed_driven_plane *p, double h, bed_plane_now *now)
{
    const double *q = d->moved_from;
    double point[3], axes[9];
    bed_point_way(d, now->point, h, now->v_before);
    memcpy(now->omega_before, d->moved + 3, 3 * sizeof(double));
    if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0.0)) return; /* it has not moved */
    forcing_plane(d->x, q, p->position, p->rotation, point, axes);
    for (int k = 0; k < 3; ++k) now->n_before[k] = axes[3 * k + 2];
}

void bed_forcing_start(bed *b, bed_forcing *f)
{
    bed_driven_begin(f, b->h);
    bed_planes_drive(f, b->plane);
    for (const bed_driven_plane *p = f->plane; p < f->plane + f->plane_count; ++p)
        plane_past(&f->driven[p->body], p, b->h, &b->plane[p->plane]);
}
