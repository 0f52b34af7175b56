/* contacts_csv.c: contacts/contacts_000012.csv, a row per contact of the last step (docs/formats.md).
 *
 * Loads are forces: the impulse of the step over its length. Components as everywhere: normal, two tangential, two rolling, one
 * spinning, zero where the cone of the contact does not have them. */
#include "run/formats.h"

static const char header[] =
    "body_a,body_b,name_a,name_b,shape_a,shape_b,feature,age,x[m],y[m],z[m],normal_x,normal_y,normal_z,"
    "tangent_x,tangent_y,tangent_z,gap[m],mu,rolling[m],spinning[m],restitution,stiffness[N/m],"
    "r_N[N],r_T1[N],r_T2[N],m_R1[N m],m_R2[N m],m_S[N m],"
    "u_N[m/s],u_T1[m/s],u_T2[m/s],w_R1[rad/s],w_R2[rad/s],w_S[rad/s],mode\n";

static void write_reals(out_file *f, const double *x, int count, double factor)
{
    for (int k = 0; k < count; ++k) file_real(f, factor * x[k], ',');
}

static void write_contact(out_file *f, const frame_source *now, const scree_contact_point *c, double rate)
{
    char name[256];
    file_print(f, "%d,%d,", c->body_a, c->body_b);
    for (int side = 0; side < 2; ++side) {
        file_csv_word(f, now->body_name(now, side ? c->body_b : c->body_a, name, sizeof name));
        file_text(f, ",");
    }
    file_print(f, "%d,%d,%llu,%d,", c->shape_a, c->shape_b, (unsigned long long)c->feature, (int)c->age);
    write_reals(f, c->position, 3, 1.0);
    write_reals(f, c->normal, 3, 1.0);
    write_reals(f, c->tangent, 3, 1.0);
    file_real(f, c->gap, ',');
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) file_real(f, c->cone.size[k] > 0 ? c->cone.coef[k] : 0.0, ',');
    file_real(f, c->restitution, ',');
    file_real(f, c->stiffness, ',');
    write_reals(f, c->impulse, SCREE_DIM_MAX, rate);
    write_reals(f, c->velocity, SCREE_DIM_MAX, 1.0);
    file_text(f, scree_mode_name(c->mode));
    file_text(f, "\n");
}

static scree_status write_frame(scree_output *o, out_file *grows, const frame_source *now, scree_error *error)
{
    (void)grows;
    out_file f;
    scree_status status = output_table(o, "contacts", &f, error);
    if (status != SCREE_OK) return status;
    file_text(&f, header);
    double rate = now->state.h > 0.0 ? 1.0 / now->state.h : 0.0;
    for (int k = 0; k < now->state.contact_count; ++k) write_contact(&f, now, &now->state.contact[k], rate);
    return file_finish(&f, 0, error);
}

const output_format format_contacts = {.numbered = {{"contacts", "contacts_", ".csv"}}, .frame = write_frame};
