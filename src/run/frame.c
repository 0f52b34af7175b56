/* frame.c: a frame as a value (scree/result.h), and the table bodies/bodies_000012.csv, a row per body (docs/formats.md). */
#include "math/quat.h"
#include "run/output_private.h"
#include "world/world_private.h"

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

static void write_body(out_file *out, const frame_source *now, int body)
{
    static const char *const kinds[] = {"dynamic", "fixed", "driven"};
    const scree_frame *f = &now->state;
    size_t b = (size_t)body;
    char name[256];
    double omega[3];
    quat_rotate(f->rotation + 4 * b, f->angular_velocity + 3 * b, omega);
    file_print(out, "%d,", body);
    file_csv_word(out, now->body_name(now, body, name, sizeof name));
    file_print(out, ",%s,", kinds[f->kind[body]]);
    for (int i = 0; i < 3; ++i) file_real(out, f->position[3 * b + (size_t)i], ',');
    for (int i = 0; i < 4; ++i) file_real(out, f->rotation[4 * b + (size_t)i], ',');
    for (int i = 0; i < 3; ++i) file_real(out, f->velocity[3 * b + (size_t)i], ',');
    for (int i = 0; i < 3; ++i) file_real(out, omega[i], i < 2 ? ',' : '\n');
}

scree_status bodies_csv_write(scree_output *o, const frame_source *now, scree_error *error)
{
    out_file f;
    scree_status status = output_table(o, "bodies", &f, error);
    if (status != SCREE_OK) return status;
    file_text(&f, "body,name,kind,x[m],y[m],z[m],q_w,q_x,q_y,q_z,v_x[m/s],v_y[m/s],v_z[m/s],"
                  "omega_x[rad/s],omega_y[rad/s],omega_z[rad/s]\n");
    for (int b = 0; b < now->state.body_count; ++b)
        if (now->state.kind[b] != SCREE_BODY_REMOVED) write_body(&f, now, b);
    return file_finish(&f, 0, error);
}
