/* dem_bed_outside.c: the steps of a bed with what is not the bed's own.
 *
 *     driven bodies    planes get the velocity of the step before it; servos answer to what their bodies feel after it
 *     applied loads    those at the start of the step, as in dem.c, added to the loads it begins with; their work is load times the
 *                      mean of the velocities before and after
 *     walls            of any shape: dem_bed_walls.c
 *
 * Where there is none of this the bed takes all its steps at once. */
#include "steppers/dem_bed.h"

#include "base/memory.h"

#include <string.h>

/* ---- who ------------------------------------------------------------------------------------------------------------------------- */

int dem_bed_outside_list(const scree_allocator *a, const scree_world *w, dem_bed *d)
{
    for (int b = 0; b < w->body_count; ++b) d->driven += w->kind[b] == SCREE_DRIVEN;
    for (int k = 0; k < d->cast.spheres; ++k) {
        int b = w->shape_body[d->cast.sphere_shape[k]];
        d->loaded_count += w->kind[b] == SCREE_DYNAMIC && w->extra[b] >= 0;
    }
    d->driven_body = memory_array(a, (size_t)d->driven + 1, sizeof *d->driven_body);
    d->loaded = memory_array(a, (size_t)d->loaded_count + 1, sizeof *d->loaded);
    d->place = memory_array(a, (size_t)d->cast.spheres + 1, sizeof *d->place);
    if (!dem_bed_walls_list(a, w, d) || !d->driven_body || !d->loaded || !d->place) return 0;
    for (int b = 0, n = 0; b < w->body_count; ++b)
        if (w->kind[b] == SCREE_DRIVEN) d->driven_body[n++] = b;
    for (int k = 0, n = 0; k < d->cast.spheres; ++k) {
        int b = w->shape_body[d->cast.sphere_shape[k]];
        if (w->kind[b] == SCREE_DYNAMIC && w->extra[b] >= 0) d->loaded[n++].id = k;
    }
    return 1;
}

void dem_bed_outside_free(const scree_allocator *a, dem_bed *d)
{
    dem_bed_walls_free(a, d);
    MEMORY_FREE_ALL(a, d->driven_body, d->loaded, d->place);
}

void dem_bed_places_find(dem_bed *d)
{
    if (d->placed == bed_rebuilds(d->cast.engine)) return;
    bed_places(d->cast.engine, d->place);
    d->placed = bed_rebuilds(d->cast.engine);
}

/* ---- applied loads --------------------------------------------------------------------------------------------------------------- */

static void velocity_at(const dem_bed *d, int id, double v[6])
{
    double x[3];
    bed_look_at(d->cast.engine, d->place[id], x, v, v + 3, NULL);
}

static scree_status loads_push(dem_bed *d, const scree_world *w, double time, double h, scree_error *error)
{
    for (bed_loaded *on = d->loaded; on < d->loaded + d->loaded_count; ++on) {
        int b = w->shape_body[d->cast.sphere_shape[on->id]];
        body_load(w, b, time, on->load, on->load + 3);
        for (int i = 0; i < 6; ++i)
            if (!(fabs(on->load[i]) <= DBL_MAX)) return refuse_load(w, b, time, h, error);
        velocity_at(d, on->id, on->velocity);
        bed_push(d->cast.engine, d->place[on->id], on->load, on->load + 3);
    }
    return SCREE_OK;
}

/// After the step, with the loads of its start.
static void loads_work(dem_bed *d, double h)
{
    for (const bed_loaded *on = d->loaded; on < d->loaded + d->loaded_count; ++on) {
        double v[6];
        velocity_at(d, on->id, v);
        for (int i = 0; i < 6; ++i) d->outside.load += h * on->load[i] * 0.5 * (on->velocity[i] + v[i]);
    }
}

/* ---- driven bodies --------------------------------------------------------------------------------------------------------------- */

/// Planes of driven bodies get the velocities of the step, and the bodies go on with them in the world.
static void bodies_drive(dem_bed *d, scree_world *w, double time, double h)
{
    for (int k = 0; k < d->cast.planes; ++k) {
        double v[3], omega[3];
        if (w->kind[w->shape_body[d->cast.plane_shape[k]]] != SCREE_DRIVEN) continue;
        dem_bed_plane_velocity(w, &d->cast, k, time, h, v, omega);
        bed_set_plane(d->cast.engine, k, v, omega);
    }
    for (int k = 0; k < d->driven; ++k) {
        vec6 velocity;
        body_driven_velocity(w, d->driven_body[k], time, h, velocity, velocity + 3);
        dem_bed_walls_drive(d, w, d->driven_body[k], velocity, h);
        driven_advance(w, d->driven_body[k], velocity, h);
    }
}

/// Servos choose the speeds of the next step by what their bodies have felt in this one.
static void servos_respond(const dem_bed *d, scree_world *w)
{
    for (int k = 0, plane = 0; k < d->driven; ++k) { /* planes are in the order of their bodies */
        double sum[3] = {0.0, 0.0, 0.0}, force[3], torque[3];
        int b = d->driven_body[k];
        if (d->walls.count > 0) memcpy(sum, d->walls.reaction[b], sizeof sum);
        while (plane < d->cast.planes && w->shape_body[d->cast.plane_shape[plane]] < b) ++plane;
        for (; plane < d->cast.planes && w->shape_body[d->cast.plane_shape[plane]] == b; ++plane) {
            bed_plane_load(d->cast.engine, plane, force, torque);
            vec_add_scaled(sum, 1.0, force, sum);
        }
        servo_respond(w, b, sum);
    }
}

/* ---- steps ----------------------------------------------------------------------------------------------------------------------- */

scree_status dem_bed_steps(scree_stepper *stepper, scree_world *w, int64_t steps, scree_error *error)
{
    dem_bed *d = stepper->bed;
    bed *engine = d->cast.engine;
    double h = stepper->options.step, time = w->time;
    scree_status status = SCREE_OK;
    if (d->driven == 0 && d->loaded_count == 0 && d->walls.count == 0) {
        for (int64_t at = w->step_count, end = at + steps, next; at < end && !status; at = next) {
            next = dem_limit_next(at) < end ? dem_limit_next(at) : end;
            status = dem_bed_judge(stepper, w, at, time + (double)(at - w->step_count) * h, error);
            if (!status) status = bed_advance(engine, next - at, error);
        }
        return status;
    }
    for (int64_t k = 0; k < steps && !status; ++k) {
        status = dem_bed_judge(stepper, w, w->step_count + k, time, error);
        if (status) return status;
        bodies_drive(d, w, time, h);
        dem_bed_places_find(d);
        status = loads_push(d, w, time, h, error);
        if (!status) status = bed_want_contact_loads(engine, k + 1 == steps);
        if (!status) status = bed_advance(engine, 1, error);
        if (status) return status;
        dem_bed_places_find(d);
        loads_work(d, h);
        w->time = time = time_after(time, w->step_count + k, h);
        status = dem_bed_walls_step(stepper, w, error);
        if (!status) servos_respond(d, w);
    }
    return status;
}
