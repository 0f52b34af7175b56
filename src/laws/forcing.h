/* forcing.h: what acts on a scene from outside, over time, as plain data and pure functions of it.
 *
 * A table is piecewise linear, so its integral is piecewise quadratic: exact by the trapezoidal rule on each piece.
 * An applied load is a table of forces and one of moments; a step has that of its start.
 * A driven body stands at
 *     x(t) = start + integral of velocity from 0 to t + amplitude sin(2 pi f t + phase)
 * and is given, for a step, the mean velocity (x(t + h) - x(t))/h, formed without cancellation: the steps then add up to x(t) whatever h
 * is. It turns by exp of the integral of the spin over the step: exact where the axis of the spin does not change within the step, of
 * second order in h otherwise.
 * A servo replaces the velocity along its axis a by one that loads decide: after a step in which contacts did the force F to its body,
 *     v.a = gain (force + F.a),  cut to +-speed
 * which is the velocity of the next step, and state: it is kept in the body's v.
 *
 * Nothing here knows who steps: the general stages (world/motion.c, step/integrate.c) and the engine for spheres (dem/spheres/bed_forcing.c)
 * call the same functions, and so can a kernel of a GPU or a rank, at any step of a batch, given the arrays of the tables. */
#ifndef SCREE_LAWS_FORCING_H
#define SCREE_LAWS_FORCING_H

#include "math/elementary.h"
#include "math/quat.h"
#include "math/scalar.h"

#include <stdint.h>

/// Linear between its points, constant before and after them; without points 0. Two points at one time are a jump.
typedef struct forcing_table {
    int count, width;     /* width: numbers at each time, 3 or 1 */
    double *time, *value; /* (count), ascending; (count x width) */
} forcing_table;

/// Force and moment, world frame [N, N m].
typedef struct forcing_load {
    forcing_table force, moment;
} forcing_load;

/// Pressure control along a unit axis; gain 0: none.
typedef struct forcing_servo {
    double axis[3];
    double force; /* along the axis, on what it meets [N] */
    double gain;  /* [m/(N s)]                            */
    double speed; /* largest [m/s]; 0: no limit           */
} forcing_servo;

/// How a driven body moves.
typedef struct forcing_motion {
    forcing_table velocity, spin; /* [m/s, rad/s], world frame                          */
    double amplitude[3];          /* of a swing about where it would be without it [m]  */
    double frequency, phase;      /* [1/s, rad]                                         */
    forcing_servo servo;
} forcing_motion;

/* ---- time -------------------------------------------------------------------------------------------------------------------- */

/// k h for the k-th step of a run with one step length, without adding up roundings; the same after a restart.
SCREE_HD double forcing_time_after(double time, int64_t steps, double h)
{
    double k = (double)steps;
    return time == k * h ? (k + 1.0) * h : time + h;
}

/* ---- tables ------------------------------------------------------------------------------------------------------------------ */

/// The piece of the table that holds t: largest i with time[i] <= t, -1 before the first.
SCREE_HD int forcing_piece(const forcing_table *table, double t)
{
    int low = -1, high = table->count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (table->time[middle] <= t) low = middle;
        else high = middle;
    }
    return low;
}

/// Value on piece i, where time[i] <= t (t before the first point: i = -1).
SCREE_HD void forcing_piece_value(const forcing_table *table, int i, double t, double *value)
{
    int width = table->width, flat = i < 0 || i >= table->count - 1;
    const double *a = table->value + (i < 0 ? 0 : width * i), *b = a + width;
    double s = flat ? 0.0 : (t - table->time[i]) / (table->time[i + 1] - table->time[i]);
    for (int k = 0; k < width; ++k) value[k] = flat ? a[k] : a[k] + s * (b[k] - a[k]);
}

SCREE_HD void forcing_table_value(const forcing_table *table, double t, double *value)
{
    for (int k = 0; k < table->width; ++k) value[k] = 0.0;
    if (table->count > 0) forcing_piece_value(table, forcing_piece(table, t), t, value);
}

/// From t0 to t1 >= t0.
SCREE_HD void forcing_table_integral(const forcing_table *table, double t0, double t1, double *integral)
{
    for (int k = 0; k < table->width; ++k) integral[k] = 0.0;
    if (table->count == 0) return;
    double t = t0;
    for (int i = forcing_piece(table, t0); t < t1; ++i) {
        double end = i + 1 < table->count ? min2(table->time[i + 1], t1) : t1, a[3], b[3];
        if (!(end > t)) continue; /* two points at one time: a jump */
        forcing_piece_value(table, i, t, a);
        forcing_piece_value(table, i, end, b);
        for (int k = 0; k < table->width; ++k) integral[k] += 0.5 * (end - t) * (a[k] + b[k]);
        t = end;
    }
}

/* ---- loads ------------------------------------------------------------------------------------------------------------------- */

SCREE_HD void forcing_load_at(const forcing_load *load, double t, double out[6])
{
    forcing_table_value(&load->force, t, out);
    forcing_table_value(&load->moment, t, out + 3);
}

/// 0: some of its numbers are not finite, or beyond them.
SCREE_HD int forcing_load_sound(const double load[6])
{
    int sound = 1;
    for (int i = 0; i < 6; ++i) sound = sound && fabs(load[i]) <= DBL_MAX;
    return sound;
}

/* ---- driven bodies ------------------------------------------------------------------------------------------------------------- */

#define FORCING_TURN 6.283185307179586476925286766559 /* 2 pi; a macro: device code has no constants of the host */

/// Where it is at t that was at (start, start_rotation) at 0, without what a servo does.
SCREE_HD void forcing_pose(const forcing_motion *m, const double start[3], const double start_rotation[4], double t,
                           double x[3], double q[4])
{
    double turned[3], turn[4];
    forcing_table_integral(&m->velocity, 0.0, t, x);
    forcing_table_integral(&m->spin, 0.0, t, turned);
    double sine = real_sin(FORCING_TURN * m->frequency * t + m->phase);
    for (int k = 0; k < 3; ++k) x[k] += start[k] + m->amplitude[k] * sine;
    quat_exp(turned, turn);
    quat_mul(turn, start_rotation, q);
}

/// Velocity and spin of the step from t to t + h; h = 0: those at t. `now`: the velocity the body has, of which a servo keeps its part.
SCREE_HD void forcing_velocity(const forcing_motion *m, const double now[3], double t, double h, double velocity[6])
{
    double *v = velocity, *omega = velocity + 3;
    if (!(h > 0.0)) {
        forcing_table_value(&m->velocity, t, v);
        forcing_table_value(&m->spin, t, omega);
        double rate = FORCING_TURN * m->frequency, cosine = real_cos(rate * t + m->phase);
        for (int k = 0; k < 3; ++k) v[k] += m->amplitude[k] * rate * cosine;
    } else {
        forcing_table_integral(&m->velocity, t, t + h, v);
        forcing_table_integral(&m->spin, t, t + h, omega);
        /* sin(a + d) - sin(a) = 2 sin(d/2) cos(a + d/2) */
        double half = 0.5 * FORCING_TURN * m->frequency * h;
        double swing = 2.0 * real_sin(half) * real_cos(FORCING_TURN * m->frequency * t + m->phase + half);
        for (int k = 0; k < 3; ++k) v[k] = (v[k] + m->amplitude[k] * swing) / h, omega[k] /= h;
    }
    if (!(m->servo.gain > 0.0)) return;
    vec_add_scaled(v, vec_dot(now, m->servo.axis) - vec_dot(v, m->servo.axis), m->servo.axis, v);
}

/// A driven body goes on for h with this velocity and spin.
SCREE_HD void forcing_move(const double velocity[6], double h, double x[3], double q[4])
{
    double turned[3], turn[4], q0[4] = {q[0], q[1], q[2], q[3]};
    for (int i = 0; i < 3; ++i) x[i] += h * velocity[i], turned[i] = h * velocity[3 + i];
    quat_exp(turned, turn);
    quat_mul(turn, q0, q);
    quat_normalise(q);
}

/// The velocity of a body with a servo after a step in which contacts did `force` to it.
SCREE_HD void forcing_servo_respond(const forcing_servo *servo, const double force[3], double v[3])
{
    if (!(servo->gain > 0.0)) return;
    double speed = servo->gain * (servo->force + vec_dot(force, servo->axis));
    if (servo->speed > 0.0) speed = max2(-servo->speed, min2(servo->speed, speed));
    vec_add_scaled(v, speed - vec_dot(v, servo->axis), servo->axis, v);
}

/// Where a plane lies that is part of a body at (x, q), by its pose there: a point, and axes (row-major), of which the third is its normal. A
/// body turned by quarters is exact.
SCREE_HD void forcing_plane(const double x[3], const double q[4], const double position[3], const double rotation[4],
                            double point[3], double axes[9])
{
    double turned[4], R[9], offset[3];
    for (int k = 0; k < 3; ++k) point[k] = x[k];
    if (vec_dot(position, position) > 0.0) {
        quat_axes(q, R);
        mat_apply(R, position, offset);
        vec_add_scaled(x, 1.0, offset, point);
    }
    quat_mul(q, rotation, turned);
    quat_axes(turned, axes);
}

#endif
