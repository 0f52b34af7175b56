/* cell.c: a periodic cell that deforms: homogeneous compression, extension and shear.
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
 * Shear (Lees and Edwards): with g_xy = int (rate of x along y) dt over the step, and g_xz, g_yz likewise,
 *     x <- x + g_xy (y - m_y) + g_xz (z - m_z),    y <- y + g_yz (z - m_z),
 * and the images go along: the vectors from a body to its next images along y and z have the components tilt_xy, tilt_xz, tilt_yz aside,
 * which are changed by the same map, and taken modulo the periods. Here velocities do change: c against the mean motion u = G.(x - m)
 * of a body that no force acts on is v - u, and u grows on its way, so c <- c - G.c h (dem.c, before the body moves). Then it goes straight
 * on, exactly: x + h v, where one shear rate is not 0. Work of the cell: the kinetic energy that this gives.
 *
 * The cell does work: on a contact with the force F on B, -F.(f - 1) o (x_B - x_A), in the ledger's line `driven` (dem.c). */
#include "math/elementary.h"
#include "world/world_private.h"

enum { XY, XZ, YZ };

int world_shears(const scree_world *w)
{
    const double *t = w->options.tilt;
    return w->shear.count > 0 || t[XY] != 0.0 || t[XZ] != 0.0 || t[YZ] != 0.0;
}

int world_deforms(const scree_world *w)
{
    return w->strain.count > 0 || world_shears(w);
}

cell_change world_cell_change(const scree_world *w, double t, double h)
{
    cell_change change = {{1.0, 1.0, 1.0}, {0.0, 0.0, 0.0}};
    double strain[3] = {0.0, 0.0, 0.0};
    if (w->strain.count > 0) forcing_table_integral(&w->strain, t, t + h, strain);
    if (w->shear.count > 0) forcing_table_integral(&w->shear, t, t + h, change.shear);
    for (int k = 0; k < 3; ++k)
        if (w->options.periodic[k]) change.stretch[k] = real_exp(strain[k]);
    return change;
}

void cell_shear(const cell_change *change, const double r[3], double moved[3])
{
    const double *g = change->shear;
    moved[0] = g[XY] * r[1] + g[XZ] * r[2];
    moved[1] = g[YZ] * r[2];
    moved[2] = 0.0;
}

void cell_displace(const cell_change *change, const double r[3], double moved[3])
{
    cell_shear(change, r, moved);
    for (int i = 0; i < 3; ++i) moved[i] += (change->stretch[i] - 1.0) * r[i];
}

/// The images after the change: modulo the periods, so that each tilt is at most half of one.
static void lean(scree_world_options *o, const cell_change *change)
{
    const double up_y[3] = {o->tilt[XY], o->high[1] - o->low[1], 0.0},
                 up_z[3] = {o->tilt[XZ], o->tilt[YZ], o->high[2] - o->low[2]};
    double moved[3], length[2], images;
    for (int k = 0; k < 2; ++k) length[k] = change->stretch[k] * (o->high[k] - o->low[k]);
    cell_displace(change, up_z, moved);
    o->tilt[XZ] += moved[0], o->tilt[YZ] += moved[1];
    cell_displace(change, up_y, moved);
    o->tilt[XY] += moved[0];
    if (o->tilt[YZ] != 0.0) {
        images = nearbyint(o->tilt[YZ] / length[1]);
        o->tilt[YZ] -= images * length[1], o->tilt[XZ] -= images * o->tilt[XY];
    }
    if (o->tilt[XY] != 0.0) o->tilt[XY] -= length[0] * nearbyint(o->tilt[XY] / length[0]);
    if (o->tilt[XZ] != 0.0) o->tilt[XZ] -= length[0] * nearbyint(o->tilt[XZ] / length[0]);
}

scree_status world_cell_deform(scree_world *w, const cell_change *change, scree_error *error)
{
    scree_world_options *o = &w->options;
    const double *factor = change->stretch;
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
    if (world_shears(w)) lean(o, change);
    double middle[3];
    for (int k = 0; k < 3; ++k) {
        middle[k] = 0.5 * (o->low[k] + o->high[k]);
        if (factor[k] == 1.0) continue;
        const double half = 0.5 * factor[k] * (o->high[k] - o->low[k]);
        o->low[k] = middle[k] - half, o->high[k] = middle[k] + half;
    }
    for (int b = 0; b < w->body_count; ++b) {
        double *x = w->x[b], r[3], sheared[3];
        if (w->kind[b] != SCREE_BODY_DYNAMIC) continue;
        const vec3 before = {x[0], x[1], x[2]};
        vec_sub(x, middle, r);
        cell_shear(change, r, sheared);
        for (int k = 0; k < 3; ++k) {
            if (factor[k] != 1.0) x[k] = middle[k] + factor[k] * r[k];
            x[k] += sheared[k];
        }
        /* its potential energy is no part of the balance, as where a body goes through the border (periodic.c) */
        vec_sub(x, before, r);
        if (b < w->soft.bodies) w->soft.mechanical -= w->mass[b] * vec_dot(o->gravity, r);
    }
    if (world_shears(w)) world_wrap(w);
    return SCREE_OK;
}

void scree_world_cell(const scree_world *w, double low[3], double high[3])
{
    for (int k = 0; k < 3; ++k) {
        low[k] = w->options.periodic[k] ? w->options.low[k] : -SCREE_INFINITY;
        high[k] = w->options.periodic[k] ? w->options.high[k] : SCREE_INFINITY;
    }
}

void scree_world_cell_tilt(const scree_world *w, double tilt[3])
{
    for (int k = 0; k < 3; ++k) tilt[k] = w->options.tilt[k];
}
