/* motion.c: what is prescribed in time: tables, loads, driven bodies, targets of motors. Their values are those of laws/forcing.h. */
#include "base/memory.h"
#include "math/elementary.h"
#include "world/world_private.h"

#include <stdio.h>
#include <string.h>

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

int table_copy(const scree_allocator *a, const scree_table *from, int width, forcing_table *to)
{
    size_t count = (size_t)from->count, values = count * (size_t)width;
    *to = (forcing_table){.width = width};
    if (count == 0) return 1;
    to->time = memory_array(a, count, sizeof(double));
    to->value = memory_array(a, values, sizeof(double));
    if (!to->time || !to->value) return 0;
    memcpy(to->time, from->time, count * sizeof(double));
    memcpy(to->value, from->value, values * sizeof(double));
    to->count = from->count;
    return 1;
}

void table_free(const scree_allocator *a, forcing_table *table)
{
    memory_free(a, table->time), memory_free(a, table->value);
}

void body_load(const scree_world *world, int body, double t, double force[3], double moment[3])
{
    double load[6] = {0.0};
    if (world->extra[body] >= 0) forcing_load_at(&world->extras[world->extra[body]].load, t, load);
    memcpy(force, load, sizeof(vec3)), memcpy(moment, load + 3, sizeof(vec3));
}

void servos_update(scree_world *world, double h)
{
    for (int e = 0, body = 0; e < world->extra_count; ++e) {
        if (!(world->extras[e].motion.servo.gain > 0.0)) continue;
        while (world->extra[body] != e) ++body; /* extras are in the order of their bodies */
        if (world->kind[body] != SCREE_BODY_DRIVEN) continue;
        double force[3], moment[3];
        contact_force_over(world, body, h, force, moment);
        forcing_servo_respond(&world->extras[e].motion.servo, force, world->v[body]);
    }
}

void body_driven_velocity(const scree_world *world, int body, double t, double h, double v[3], double omega[3])
{
    double velocity[6] = {0.0};
    if (world->kind[body] == SCREE_BODY_DRIVEN)
        forcing_velocity(&world->extras[world->extra[body]].motion, world->v[body], t, h, velocity);
    memcpy(v, velocity, sizeof(vec3)), memcpy(omega, velocity + 3, sizeof(vec3));
}

void body_driven_pose(const scree_world *world, int body, double t, double position[3], double rotation[4])
{
    const body_extra *extra = &world->extras[world->extra[body]];
    forcing_pose(&extra->motion, extra->start, extra->start_rotation, t, position, rotation);
}

double motor_target(const world_joint *joint, int turn, double t)
{
    const scree_time_function *c = turn ? &joint->def.turn.course : &joint->def.course;
    double value;
    forcing_table_value(turn ? &joint->turn_course : &joint->course, t, &value);
    return (turn ? joint->def.turn.target : joint->def.target) + value +
           c->amplitude * real_sin(FORCING_TURN * c->frequency * t + c->phase);
}

double motor_target_mean(const world_joint *joint, int turn, double t, double h)
{
    const scree_time_function *c = turn ? &joint->def.turn.course : &joint->def.course;
    double sum, half = 0.5 * FORCING_TURN * c->frequency * h;
    forcing_table_integral(turn ? &joint->turn_course : &joint->course, t, t + h, &sum);
    /* the mean of sin from a to a + 2 d is sin(d)/d sin(a + d) */
    double sine =
        real_sin(FORCING_TURN * c->frequency * t + c->phase + half) * (half != 0.0 ? real_sin(half) / half : 1.0);
    return (turn ? joint->def.turn.target : joint->def.target) + sum / h + c->amplitude * sine;
}

void body_spin_world(const scree_world *world, int body, double omega[3])
{
    quat_rotate(world->q[body], world->omega[body], omega);
}

void planar_normal(scree_planar planar, double normal[3])
{
    normal[0] = planar == SCREE_PLANAR_YZ, normal[1] = planar == SCREE_PLANAR_XZ, normal[2] = planar == SCREE_PLANAR_XY;
}
