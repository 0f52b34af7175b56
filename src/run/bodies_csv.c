/* bodies_csv.c: bodies/bodies_000012.csv, a row per body (docs/formats.md). */
#include "run/formats.h"

#include "math/quat.h"

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

static scree_status write_frame(scree_output *o, out_file *grows, const frame_source *now, scree_error *error)
{
    (void)grows;
    out_file f;
    scree_status status = output_table(o, "bodies", &f, error);
    if (status != SCREE_OK) return status;
    file_text(&f, "body,name,kind,x[m],y[m],z[m],q_w,q_x,q_y,q_z,v_x[m/s],v_y[m/s],v_z[m/s],"
                  "omega_x[rad/s],omega_y[rad/s],omega_z[rad/s]\n");
    for (int b = 0; b < now->state.body_count; ++b)
        if (now->state.kind[b] != SCREE_BODY_REMOVED) write_body(&f, now, b);
    return file_finish(&f, 0, error);
}

const output_format format_bodies = {.numbered = {{"bodies", "bodies_", ".csv"}}, .frame = write_frame};
