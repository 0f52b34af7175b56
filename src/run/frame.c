/* frame.c: a frame as a value (scree/result.h). */
#include "math/quat.h"
#include "run/output_private.h"
#include "world/world_private.h"

#include <string.h>

scree_frame scree_frame_of_world(const scree_world *world, double h)
{
    (void)world_sync(world, PART_ALL);
    return (scree_frame){.time = world->time,
                         .h = h,
                         .step = world->step_count,
                         .body_count = world->body_count,
                         .shape_count = world->shape_count,
                         .contact_count = world->contacts.count,
                         .kind = world->kind,
                         .position = scree_world_positions(world),
                         .rotation = scree_world_rotations(world),
                         .velocity = scree_world_velocities(world),
                         .angular_velocity = scree_world_angular_velocities(world),
                         .shape = world->shape,
                         .shape_body = world->shape_body,
                         .contact = world->contacts.touch};
}

scree_frame_joint scree_frame_joint_of_world(const scree_world *world, int index)
{
    const world_joint *from = &world->joint[index];
    scree_frame_joint to = {
        .kind = from->def.kind, .body_a = joint_body(&from->def, 0), .body_b = joint_body(&from->def, 1)};
    memcpy(to.anchor_a, from->anchor[0], sizeof to.anchor_a);
    memcpy(to.anchor_b, from->anchor[1], sizeof to.anchor_b);
    memcpy(to.axis, from->axis[0], sizeof to.axis);
    memcpy(to.name, from->name, sizeof to.name);
    return to;
}

void scree_frame_shape_pose(const scree_frame *frame, int index, double position[3], double rotation[4])
{
    const scree_shape *shape = &frame->shape[index];
    size_t b = (size_t)frame->shape_body[index];
    const double *q = frame->rotation + 4 * b;
    double arm[3];
    quat_rotate(q, shape->position, arm);
    vec_add_scaled(frame->position + 3 * b, 1.0, arm, position);
    quat_mul(q, shape->rotation, rotation);
}

void scree_frame_contact_force(const scree_frame *frame, int contact, double force[3], double moment[3])
{
    const scree_contact_point *touch = &frame->contact[contact];
    const double *n = touch->normal, *t1 = touch->tangent, *p = touch->impulse;
    double t2[3], rate = frame->h > 0.0 ? 1.0 / frame->h : 0.0;
    vec_cross(n, t1, t2);
    for (int i = 0; i < 3; ++i) {
        force[i] = rate * (p[0] * n[i] + p[1] * t1[i] + p[2] * t2[i]);
        moment[i] = rate * (p[3] * t1[i] + p[4] * t2[i] + p[5] * n[i]);
    }
}
