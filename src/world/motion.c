/* motion.c: what is prescribed in time: tables, loads, driven bodies, targets of motors.
 *
 * A table is piecewise linear, so its integral is piecewise quadratic: exact by the trapezoidal rule on each piece. A driven body
 * stands at
 *     x(t) = start + integral of velocity from 0 to t + amplitude sin(2 pi f t + phase)
 * and is given, for a step, the mean velocity (x(t + h) - x(t)) / h, formed without cancellation: the steps then add up to x(t)
 * whatever h is. A servo replaces its velocity along one axis by one that the loads decide; it is kept in w->v, so it is
 * part of the state. It turns by exp of the integral of the spin over the step: exact where the axis of the spin does not change within
 * the step, of second order in h otherwise. */
#include "base/memory.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586476925286766559;

/// The piece of the table that holds t: largest i with time[i] <= t, -1 before the first.
static int table_piece(const owned_table *table, double t)
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
static void piece_value(const owned_table *table, int i, double t, double *value)
{
    int width = table->width;
    const double *a = table->value + (i < 0 ? 0 : width * i), *b = a + width;
    if (i < 0 || i >= table->count - 1) {
        memcpy(value, a, (size_t)width * sizeof *value);
        return;
    }
    double s = (t - table->time[i]) / (table->time[i + 1] - table->time[i]);
    for (int k = 0; k < width; ++k) value[k] = a[k] + s * (b[k] - a[k]);
}

void table_value(const owned_table *table, double t, double *value)
{
    memset(value, 0, (size_t)table->width * sizeof *value);
    if (table->count > 0) piece_value(table, table_piece(table, t), t, value);
}

void table_integral(const owned_table *table, double t0, double t1, double *integral)
{
    memset(integral, 0, (size_t)table->width * sizeof *integral);
    if (table->count == 0) return;
    SCREE_ASSERT(t0 <= t1);
    double t = t0;
    for (int i = table_piece(table, t0); t < t1; ++i) {
        double end = i + 1 < table->count ? min2(table->time[i + 1], t1) : t1, a[3], b[3];
        if (!(end > t)) continue; /* two points at one time: a jump */
        piece_value(table, i, t, a);
        piece_value(table, i, end, b);
        for (int k = 0; k < table->width; ++k) integral[k] += 0.5 * (end - t) * (a[k] + b[k]);
        t = end;
    }
}

int table_fault(const scree_table *table, int width, const char *what, char *text, size_t size)
{
    if (table->count < 0) {
        snprintf(text, size, "the table of its %s has %d points", what, table->count);
        return 1;
    }
    for (int i = 0; i < table->count; ++i) {
        double t = table->time[i];
        if (!isfinite(t)) snprintf(text, size, "time %d of its %s is %g, expected a finite number", i, what, t);
        else if (i > 0 && t < table->time[i - 1])
            snprintf(text, size, "times of its %s must ascend, but %g s follows %g s", what, t, table->time[i - 1]);
        else continue;
        return 1;
    }
    for (int i = 0; i < width * table->count; ++i) {
        if (isfinite(table->value[i])) continue;
        snprintf(text, size, "%s[%d] is %g, expected a finite number", what, i, table->value[i]);
        return 1;
    }
    return 0;
}

int table_copy(const scree_allocator *a, const scree_table *from, int width, owned_table *to)
{
    size_t count = (size_t)from->count, values = count * (size_t)width;
    *to = (owned_table){.width = width};
    if (count == 0) return 1;
    to->time = memory_array(a, count, sizeof(double));
    to->value = memory_array(a, values, sizeof(double));
    if (!to->time || !to->value) return 0;
    memcpy(to->time, from->time, count * sizeof(double));
    memcpy(to->value, from->value, values * sizeof(double));
    to->count = from->count;
    return 1;
}

void table_free(const scree_allocator *a, owned_table *table)
{
    memory_free(a, table->time), memory_free(a, table->value);
}

void body_load(const scree_world *world, int body, double t, double force[3], double moment[3])
{
    memset(force, 0, sizeof(vec3)), memset(moment, 0, sizeof(vec3));
    if (world->extra[body] < 0) return;
    const body_extra *extra = &world->extras[world->extra[body]];
    table_value(&extra->force, t, force);
    table_value(&extra->moment, t, moment);
}

/// Along the axis of a servo the body goes on as it does.
static void keep_servo_speed(const scree_world *world, int body, const scree_servo *servo, double v[3])
{
    double along = vec_dot(world->v[body], servo->axis) - vec_dot(v, servo->axis);
    if (servo->gain > 0.0) vec_add_scaled(v, along, servo->axis, v);
}

void servo_respond(scree_world *world, int body, const double force[3])
{
    const scree_servo *servo = &world->extras[world->extra[body]].servo;
    double *v = world->v[body], speed = servo->gain * (servo->force + vec_dot(force, servo->axis));
    if (!(servo->gain > 0.0)) return;
    if (servo->speed > 0.0) speed = max2(-servo->speed, min2(servo->speed, speed));
    vec_add_scaled(v, speed - vec_dot(v, servo->axis), servo->axis, v);
}

void servos_update(scree_world *world, double h)
{
    for (int e = 0, body = 0; e < world->extra_count; ++e) {
        if (!(world->extras[e].servo.gain > 0.0)) continue;
        while (world->extra[body] != e) ++body; /* extras are in the order of their bodies */
        if (world->kind[body] != SCREE_DRIVEN) continue;
        double force[3], moment[3];
        scree_world_contact_force(world, body, h, force, moment);
        servo_respond(world, body, force);
    }
}

void body_driven_velocity(const scree_world *world, int body, double t, double h, double v[3], double omega[3])
{
    memset(v, 0, sizeof(vec3)), memset(omega, 0, sizeof(vec3));
    if (world->kind[body] != SCREE_DRIVEN) return;
    const body_extra *extra = &world->extras[world->extra[body]];
    if (!(h > 0.0)) { /* at an instant */
        table_value(&extra->velocity, t, v);
        table_value(&extra->spin, t, omega);
        double rate = TWO_PI * extra->frequency, cosine = cos(rate * t + extra->phase);
        for (int k = 0; k < 3; ++k) v[k] += extra->amplitude[k] * rate * cosine;
        keep_servo_speed(world, body, &extra->servo, v);
        return;
    }
    table_integral(&extra->velocity, t, t + h, v);
    table_integral(&extra->spin, t, t + h, omega);
    /* sin(a + d) - sin(a) = 2 sin(d/2) cos(a + d/2) */
    double half = 0.5 * TWO_PI * extra->frequency * h;
    double swing = 2.0 * sin(half) * cos(TWO_PI * extra->frequency * t + extra->phase + half);
    for (int k = 0; k < 3; ++k) v[k] = (v[k] + extra->amplitude[k] * swing) / h, omega[k] /= h;
    keep_servo_speed(world, body, &extra->servo, v);
}

void body_driven_pose(const scree_world *world, int body, double t, double position[3], double rotation[4])
{
    const body_extra *extra = &world->extras[world->extra[body]];
    double turned[3], turn[4];
    table_integral(&extra->velocity, 0.0, t, position);
    table_integral(&extra->spin, 0.0, t, turned);
    double sine = sin(TWO_PI * extra->frequency * t + extra->phase);
    for (int k = 0; k < 3; ++k) position[k] += extra->start[k] + extra->amplitude[k] * sine;
    quat_exp(turned, turn);
    quat_mul(turn, extra->start_rotation, rotation);
}

double motor_target(const world_joint *joint, double t)
{
    const scree_course *c = &joint->def.course;
    double value;
    table_value(&joint->course, t, &value);
    return joint->def.target + value + c->amplitude * sin(TWO_PI * c->frequency * t + c->phase);
}

double motor_target_mean(const world_joint *joint, double t, double h)
{
    const scree_course *c = &joint->def.course;
    double sum, half = 0.5 * TWO_PI * c->frequency * h;
    table_integral(&joint->course, t, t + h, &sum);
    /* the mean of sin from a to a + 2 d is sin(d)/d sin(a + d) */
    double sine = sin(TWO_PI * c->frequency * t + c->phase + half) * (half != 0.0 ? sin(half) / half : 1.0);
    return joint->def.target + sum / h + c->amplitude * sine;
}

void body_spin_world(const scree_world *world, int body, double omega[3])
{
    quat_rotate(world->q[body], world->omega[body], omega);
}

void planar_normal(scree_planar planar, double normal[3])
{
    normal[0] = planar == SCREE_PLANAR_YZ, normal[1] = planar == SCREE_PLANAR_XZ, normal[2] = planar == SCREE_PLANAR_XY;
}
