/* dem_contact.c: the contacts of the world, one by one: dem_meet.h. */
#include "dem/dem.h"
#include "dem/dem_meet.h"

#include "math/quat.h"

#include <string.h>

double dem_mean_inertia(const scree_world *w, int body)
{
    const double *I = w->inertia[body];
    double n[3], n_body[3];
    if (w->options.planar == SCREE_PLANAR_NONE) return (I[0] + I[1] + I[2]) / 3.0;
    planar_normal(w->options.planar, n);
    quat_rotate_inverse(w->q[body], n, n_body);
    return I[0] * n_body[0] * n_body[0] + I[1] * n_body[1] * n_body[1] + I[2] * n_body[2] * n_body[2];
}

int dem_cell_velocity(const step_context *s, const scree_contact_point *touch, double v[3])
{
    const scree_world *w = s->world;
    const scree_world_options *o = &w->options;
    double r[3];
    if (!world_deforms(w)) return 0;
    const int moves_a = w->kind[touch->body_a] == SCREE_BODY_DYNAMIC,
              moves_b = w->kind[touch->body_b] == SCREE_BODY_DYNAMIC;
    const double *x_a = w->x[touch->body_a], *x_b = w->x[touch->body_b];
    const cell_change change = world_cell_change(w, s->t, s->h);
    vec_sub(x_b, x_a, r);
    nearest_image(o, r);
    for (int i = 0; i < 3 && (!moves_a || !moves_b); ++i) {
        const double middle = 0.5 * (o->low[i] + o->high[i]);
        r[i] = moves_b ? x_b[i] - middle : middle - x_a[i];
    }
    cell_displace(&change, r, v);
    for (int i = 0; i < 3; ++i) v[i] /= s->h;
    return 1;
}

static dem_body body_of(const step_context *s, int body, int shape)
{
    const scree_world *w = s->world;
    const int moves = w->kind[body] == SCREE_BODY_DYNAMIC;
    return (dem_body){.shape = &w->shape[shape],
                      .x = w->x[body],
                      .q = w->q[body],
                      .velocity = s->before[body],
                      .inverse_mass = moves ? 1.0 / w->mass[body] : 0.0,
                      .inverse_inertia = moves ? 1.0 / dem_mean_inertia(w, body) : 0.0};
}

void dem_contact(step_context *s, int contact, dem_touch *out)
{
    scree_world *w = s->world;
    scree_contact_point *touch = &w->contacts.touch[contact];
    double of_cell[3];
    const int newest = touch->body_a > touch->body_b ? touch->body_a : touch->body_b;
    const dem_meeting at = {
        .options = &w->options,
        .pair = world_pair(w, w->shape_link[touch->shape_a].material, w->shape_link[touch->shape_b].material),
        .a = body_of(s, touch->body_a, touch->shape_a),
        .b = body_of(s, touch->body_b, touch->shape_b),
        .h = s->h,
        .of_cell = dem_cell_velocity(s, touch, of_cell) ? of_cell : NULL,
        .newcomers = newest >= w->soft.moved || w->soft.scale < 0.0};
    contact_arms_find(s, contact);
    dem_meet(&at, touch, &w->contacts.memory[contact], out);
}
