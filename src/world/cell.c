/* cell.c: a periodic cell that changes its size: homogeneous compression and extension along its axes.
 *
 * Along axis i the cell is L(t) = L(0) exp(int e_i dt) long, e_i the strain rate that the user gives (of the logarithmic strain; below 0: it
 * shrinks). A step of h multiplies it by f_i = exp(int e_i dt over the step), exactly whatever h is. The middle of the cell stays, and the
 * centres of dynamic bodies move along,
 *     x_i <- m_i + f_i (x_i - m_i),
 * after the step's own motion; velocities stay: they are those against the mean motion. (LAMMPS' "fix deform ... remap x" does the same. The
 * flow itself is not in the velocities, so what leaves on one side comes in on the other with the velocity it had.)
 *
 * Contacts feel the mean motion: overlaps follow from the new poses, histories measure the way of the contact point over both surfaces from
 * where the bodies have carried it, and dashpots get (f - 1)/h o (x_B - x_A) beside the velocities of the bodies (dem_contact.c).
 *
 * The cell does work: on a contact with the force F on B, -F.(f - 1) o (x_B - x_A), in the ledger's line `driven` (dem.c). */
#include "math/elementary.h"
#include "world/world_private.h"

int world_deforms(const scree_world *w)
{
    return w->strain.count > 0;
}

void world_cell_factor(const scree_world *w, double t, double h, double factor[3])
{
    double strain[3] = {0.0, 0.0, 0.0};
    if (world_deforms(w)) forcing_table_integral(&w->strain, t, t + h, strain);
    for (int k = 0; k < 3; ++k) factor[k] = w->options.periodic[k] ? real_exp(strain[k]) : 1.0;
}

scree_status world_cell_deform(scree_world *w, const double factor[3], scree_error *error)
{
    scree_world_options *o = &w->options;
    double widest = 0.0;
    for (int s = 0; s < w->shape_count; ++s)
        if (w->kind[w->shape_body[s]] == SCREE_BODY_DYNAMIC)
            widest = max2(widest, vec_norm(w->shape[s].position) + w->shape_extent[s]);
    for (int k = 0; k < 3; ++k) {
        if (factor[k] == 1.0 || 4.0 * widest <= factor[k] * (o->high[k] - o->low[k])) continue;
        scree_error_set(error, NULL, 0, 0,
                        "the periodic cell has shrunk to %g m along %c, less than four times what a body reaches, %g m",
                        o->high[k] - o->low[k], "xyz"[k], widest);
        return SCREE_ERR_UNSUPPORTED;
    }
    for (int k = 0; k < 3; ++k) {
        if (factor[k] == 1.0) continue;
        const double middle = 0.5 * (o->low[k] + o->high[k]), half = 0.5 * factor[k] * (o->high[k] - o->low[k]);
        o->low[k] = middle - half, o->high[k] = middle + half;
        for (int b = 0; b < w->body_count; ++b) {
            if (w->kind[b] != SCREE_BODY_DYNAMIC) continue;
            const double before = w->x[b][k];
            w->x[b][k] = middle + factor[k] * (before - middle);
            /* its potential energy is no part of the balance, as where a body goes through the border (periodic.c) */
            if (b < w->soft.bodies) w->soft.mechanical -= w->mass[b] * o->gravity[k] * (w->x[b][k] - before);
        }
    }
    return SCREE_OK;
}

void scree_world_cell(const scree_world *w, double low[3], double high[3])
{
    for (int k = 0; k < 3; ++k) {
        low[k] = w->options.periodic[k] ? w->options.low[k] : -SCREE_INFINITY;
        high[k] = w->options.periodic[k] ? w->options.high[k] : SCREE_INFINITY;
    }
}
