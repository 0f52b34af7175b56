/* dem_spheres_contacts.c: contacts of the engine for spheres as those of the world, and their histories there and back.
 *
 * Contacts are those that touch at the positions as they are, with the loads that the next step begins with. Springs go verbatim, so that an
 * engine made from the world goes on with the same bits: along the basis that the engine keeps them in (`basis` of contact_memory), which is
 * a function of the normal before the last motion. Frames and points as the bodies have carried them since, which the general stages go on
 * from, follow from positions and velocities. Springs of the general stages are turned into that basis.
 *
 * Springs are those of i in both. B of a contact is the body with the larger number: of two spheres the engine's i; a plane with a number above
 * that of its sphere makes the sphere A, and forces on i are then forces on A. */
#include "dem/dem_spheres.h"
#include "laws/maps.h"
#include "math/quat.h"

#include <stdlib.h>
#include <string.h>

/// A contact of the engine in the world's numbers.
typedef struct pair_view {
    int body_i, body_j, shape_i, shape_j;
    int i_is_b, plane;
} pair_view;

static pair_view view_of(const dem_spheres *d, const bed_contact *c)
{
    const scree_world *w = d->world;
    pair_view p = {.body_i = c->i, .plane = c->j < 0};
    p.shape_i = w->first_shape[c->i], p.shape_j = p.plane ? d->plane_shape[-1 - c->j] : w->first_shape[c->j];
    p.body_j = w->shape_body[p.shape_j], p.i_is_b = p.shape_i > p.shape_j;
    return p;
}

/* ---- engine to world ------------------------------------------------------------------------------------------------------- */

/// One contact, seen from A to B.
static void touch_of(const dem_spheres *d, const bed_contact *c, double h, scree_contact_point *t)
{
    const scree_world *w = d->world;
    const pair_view p = view_of(d, c);
    const int sds = d->law == BED_SDS;
    double sign = p.i_is_b ? 1.0 : -1.0, R = w->shape[p.shape_i].size[0], arm[3], lever[3], moment[3], other[3], t2[3];
    *t =
        (scree_contact_point){.shape_a = p.i_is_b ? p.shape_j : p.shape_i, .shape_b = p.i_is_b ? p.shape_i : p.shape_j};
    t->gap = -c->delta, t->body_a = w->shape_body[t->shape_a], t->body_b = w->shape_body[t->shape_b];
    for (int k = 0; k < 3; ++k) {
        t->normal[k] = sign * c->n[k];
        t->position[k] = w->x[p.body_i][k] - (R - 0.5 * c->delta) * c->n[k];
        arm[k] = -(sds && p.plane ? R : R - 0.5 * c->delta) * c->n[k]; /* where the force acts */
    }
    contact_law(w, w->shape_link[t->shape_a].material, w->shape_link[t->shape_b].material, w->roll_radius[t->shape_a],
                w->roll_radius[t->shape_b], t);
    vec_tangent(t->normal, t->tangent);
    vec_cross(t->normal, t->tangent, t2);
    vec_cross(arm, c->force, lever);
    vec_sub(c->torque_i, lever, moment); /* the couple on i */
    const double *f = c->force;
    double s = sign * h;
    t->impulse[0] = s * vec_dot(f, t->normal), t->impulse[1] = s * vec_dot(f, t->tangent),
    t->impulse[2] = s * vec_dot(f, t2);
    for (int k = 0; k < 3; ++k) /* the couple on j: what is left of its torque without the force's */
        other[k] = p.plane ? -moment[k] : c->torque_j[k];
    if (!p.plane) {
        double R_j = w->shape[p.shape_j].size[0], arm_j[3];
        for (int k = 0; k < 3; ++k) arm_j[k] = (R_j - 0.5 * c->delta) * c->n[k];
        vec_cross(arm_j, c->force, lever);
        vec_add_scaled(other, 1.0, lever, other);
    }
    const double *of_a = p.i_is_b ? other : moment, *of_b = p.i_is_b ? moment : other;
    t->impulse[3] = h * vec_dot(of_b, t->tangent), t->impulse[4] = h * vec_dot(of_b, t2);
    t->impulse[5] = h * vec_dot(of_b, t->normal);
    t->roll_a[0] = h * vec_dot(of_a, t->tangent), t->roll_a[1] = h * vec_dot(of_a, t2);
    if (p.plane && d->law == BED_TRACKED) { /* a flat partner gets none of [FN]'s roll torque */
        double *flat = p.i_is_b ? t->roll_a : t->impulse + 3;
        flat[0] = flat[1] = 0.0;
        if (!p.i_is_b) t->impulse[5] = -h * vec_dot(of_a, t->normal);
    }
    t->mode = SCREE_MODE_TAKE_OFF;
    if (!(t->impulse[0] > 0.0)) return;
    dem_law law;
    (void)dem_law_of(world_pair(w, w->shape_link[p.shape_i].material, w->shape_link[p.shape_j].material), t->cone.coef,
                     t->coef_static, &law); /* it lacks nothing, else there would be no engine */
    int rolls = law.rolls && (c->slides[DEM_ROLL_I] || c->slides[DEM_ROLL_J]), spins = law.spins && c->slides[DEM_SPIN];
    t->mode = mode_make(c->slides[DEM_SLIDE], rolls, spins ? (t->impulse[5] > 0.0 ? 1 : -1) : 0);
}

static void velocity_of(const scree_world *w, scree_contact_point *t)
{
    const int body[2] = {t->body_a, t->body_b};
    vec6 velocity[2] = {{0.0}};
    contact_arms arms;
    for (int k = 0; k < 2; ++k) {
        if (w->kind[body[k]] == SCREE_BODY_FIXED) continue;
        memcpy(velocity[k], w->v[body[k]], sizeof(vec3));
        body_spin_world(w, body[k], velocity[k] + 3);
    }
    touch_arms(w, t, &arms);
    touch_velocity(t, &arms, velocity[0], velocity[1], t->velocity);
}

/// How a body moved in the last step.
typedef struct motion_before {
    double v[3], turn[4]; /* turn: unit quaternion of its rotation */
} motion_before;

static motion_before moved_by(const dem_spheres *d, int body)
{
    const scree_world *w = d->world;
    motion_before m = {.turn = {1.0, 0.0, 0.0, 0.0}};
    double turned[3];
    if (w->kind[body] == SCREE_BODY_FIXED) return m;
    const double *v = w->v[body], *spin = w->spin[body];
    if (w->kind[body] == SCREE_BODY_DRIVEN) v = w->extras[w->extra[body]].moved, spin = v + 3;
    memcpy(m.v, v, sizeof m.v);
    for (int k = 0; k < 3; ++k) turned[k] = d->step * spin[k];
    quat_exp(turned, m.turn);
    return m;
}

/// The normal into i before the last motion, as the kernel has it.
static void normal_before(const dem_spheres *d, const bed_contact *c, const pair_view *p, double n0[3])
{
    const scree_world *w = d->world;
    if (p->plane) {
        quat_rotate_inverse(moved_by(d, p->body_j).turn, c->n, n0);
        return;
    }
    double r[3];
    vec_sub(w->x[p->body_i], w->x[p->body_j], r);
    nearest_image(&w->options, r);
    for (int k = 0; k < 3; ++k) r[k] -= d->step * (w->v[p->body_i][k] - w->v[p->body_j][k]);
    double s = 1.0 / vec_norm(r);
    for (int k = 0; k < 3; ++k) n0[k] = s * r[k];
}

static void history_of(const dem_spheres *d, const bed_contact *c, contact_memory *m)
{
    const scree_world *w = d->world;
    const pair_view p = view_of(d, c);
    const int sds = d->law == BED_SDS;
    *m = (contact_memory){.live = c->live};
    if (!c->live) return;
    double n0[3], u0[3], at_i[3], at_j[3];
    motion_before of_i = moved_by(d, p.body_i), of_j = moved_by(d, p.body_j);
    normal_before(d, c, &p, n0);
    if (sds) vec_tangent(n0, u0);
    else vec_tangent_half(n0, c->south ? -1.0 : 1.0, u0);
    double *frame_i = p.i_is_b ? m->frame_b : m->frame_a, *frame_j = p.i_is_b ? m->frame_a : m->frame_b;
    double sign = p.i_is_b ? 1.0 : -1.0, n[3] = {sign * n0[0], sign * n0[1], sign * n0[2]};
    quat_rotate(of_i.turn, n, frame_i), quat_rotate(of_i.turn, u0, frame_i + 3);
    quat_rotate(of_j.turn, n, frame_j), quat_rotate(of_j.turn, u0, frame_j + 3);
    double R_i = w->shape[p.shape_i].size[0];
    for (int k = 0; k < 3; ++k) at_i[k] = -R_i * n0[k], at_j[k] = 0.0;
    if (p.plane) { /* the foot of the sphere's last place, from where the plane's body was */
        double from[3], x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = w->x[p.body_i][k] - d->step * of_i.v[k];
            from[k] = w->x[p.body_j][k] - d->step * of_j.v[k];
        }
        double gap = 0.0, arm[3], before[3];
        posed_shape posed;
        world_shape_pose(w, p.shape_j, &posed);
        vec_sub(posed.x, w->x[p.body_j], arm);
        quat_rotate_inverse(of_j.turn, arm, before);
        for (int k = 0; k < 3; ++k) gap += n0[k] * (x[k] - (from[k] + before[k]));
        for (int k = 0; k < 3; ++k) at_j[k] = x[k] - gap * n0[k] - from[k];
        nearest_image(&w->options, at_j);
    } else {
        double R_j = w->shape[p.shape_j].size[0];
        for (int k = 0; k < 3; ++k) at_j[k] = R_j * n0[k];
    }
    quat_rotate(of_i.turn, at_i, p.i_is_b ? m->arm_b : m->arm_a); /* the last points, as the bodies have carried them */
    quat_rotate(of_j.turn, at_j, p.i_is_b ? m->arm_a : m->arm_b);
    m->basis = (unsigned char)(sds ? 0 : 1 + c->south);
    memcpy(m->energy, c->energy, sizeof m->energy);
    memcpy(m->spring, c->memory, sizeof m->spring), memcpy(m->kinetic, c->kinetic, sizeof m->kinetic);
}

/// A contact's place in the world's order, which is that of its shapes. k: of the engine's contacts; -1 - k: of those with walls, of which a
/// pair may have several.
typedef struct place_of {
    int shape[2], k;
} place_of;

static int by_place(const void *left, const void *right)
{
    const place_of *x = left, *y = right;
    const int order = dem_spheres_by_shapes(x->shape, y->shape);
    return order ? order : (x->k < y->k) - (x->k > y->k);
}

/// The engine's contacts; their number may not be known before.
static scree_status contacts_get(dem_spheres *d, bed_contact **out, int *count)
{
    int room = d->engine->survey(d->bed).touching + 64;
    for (;;) {
        arena_reset(d->scratch);
        *out = arena_alloc(d->scratch, (size_t)room * sizeof **out, 64);
        if (!*out) return SCREE_ERR_MEMORY;
        scree_status status = d->engine->contacts(d->bed, room, *out, count);
        if (status != SCREE_OK || *count <= room) return status;
        room = *count;
    }
}

scree_status dem_spheres_read_contacts(dem_spheres *d, scree_world *w)
{
    bed_contact *c;
    int n, count = 0;
    dem_spheres_walls_pick(w);
    const int walls = w->contacts.count;
    scree_status status = contacts_get(d, &c, &n);
    if (status != SCREE_OK) return status;
    place_of *at = arena_alloc(d->scratch, ((size_t)n + (size_t)walls + 1) * sizeof *at, 64);
    scree_contact_point *wall = arena_alloc(d->scratch, ((size_t)walls + 1) * sizeof *wall, 64);
    contact_memory *memory = arena_alloc(d->scratch, ((size_t)walls + 1) * sizeof *memory, 64);
    if (!at || !wall || !memory || contacts_reserve(w, &w->contacts, n + walls) != SCREE_OK) return SCREE_ERR_MEMORY;
    copy_bytes(wall, w->contacts.touch, (size_t)walls * sizeof *wall);
    copy_bytes(memory, w->contacts.memory, (size_t)walls * sizeof *memory);
    for (int k = 0; k < walls; ++k) at[count++] = (place_of){{wall[k].shape_a, wall[k].shape_b}, -1 - k};
    for (int k = 0; k < n; ++k) {
        const pair_view p = view_of(d, &c[k]);
        if (w->kind[p.body_i] == SCREE_BODY_REMOVED || w->kind[p.body_j] == SCREE_BODY_REMOVED) continue;
        at[count++] = (place_of){{p.i_is_b ? p.shape_j : p.shape_i, p.i_is_b ? p.shape_i : p.shape_j}, k};
    }
    if (count > 0) qsort(at, (size_t)count, sizeof *at, by_place);
    for (int i = 0; i < count; ++i) {
        scree_contact_point *t = &w->contacts.touch[i];
        contact_memory *m = &w->contacts.memory[i];
        const int k = at[i].k;
        if (k < 0) *t = wall[-1 - k], *m = memory[-1 - k];
        else touch_of(d, &c[k], d->step, t), history_of(d, &c[k], m);
        velocity_of(w, t);
    }
    w->contacts.count = count, w->previous.count = 0;
    return SCREE_OK;
}

/* ---- world to engine ------------------------------------------------------------------------------------------------------- */

/// Springs along the frame that body i has carried, in the engine's basis.
static void springs_turn(const dem_spheres *d, const pair_view *p, const contact_memory *m, bed_contact *c)
{
    double n0[3], u0[3], w0[3], u[3];
    const double *frame_i = p->i_is_b ? m->frame_b : m->frame_a;
    motion_before of_i = moved_by(d, p->body_i);
    normal_before(d, c, p, n0);
    c->south = n0[2] < 0.0;
    vec_tangent_half(n0, c->south ? -1.0 : 1.0, u0);
    vec_cross(n0, u0, w0);
    quat_rotate_inverse(of_i.turn, frame_i + 3, u);
    double re = vec_dot(u, u0), im = vec_dot(u, w0), size = sqrt(re * re + im * im);
    if (!(size > 0.0)) return;
    re /= size, im /= size;
    for (int s = 0; s < 6; s += 2) {
        double x = c->memory[s], y = c->memory[s + 1];
        c->memory[s] = re * x - im * y, c->memory[s + 1] = im * x + re * y;
    }
}

/// Planes by their shapes.
static int plane_number(const dem_spheres *d, int shape)
{
    for (int k = 0; k < d->planes; ++k)
        if (d->plane_shape[k] == shape) return k;
    return -1;
}

scree_status dem_spheres_take_histories(dem_spheres *d, const scree_world *w, bed_past *past)
{
    const int sds = d->law == BED_SDS;
    if (!w->contacts.memory || w->contacts.count == 0) return SCREE_OK;
    arena_reset(d->scratch);
    past->contact = arena_alloc(d->scratch, ((size_t)w->contacts.count + 1) * sizeof *past->contact, 64);
    if (!past->contact) return SCREE_ERR_MEMORY;
    for (int k = 0; k < w->contacts.count; ++k) {
        const scree_contact_point *t = &w->contacts.touch[k];
        const contact_memory *m = &w->contacts.memory[k];
        bed_role a = dem_spheres_role(w, t->shape_a), b = dem_spheres_role(w, t->shape_b);
        bed_contact c = {.live = m->live};
        if (!m->live) continue;
        if (a == BED_SPHERE && b == BED_SPHERE) c.i = t->body_b, c.j = t->body_a;
        else if (a == BED_PLANE && b == BED_SPHERE) c.i = t->body_b, c.j = -1 - plane_number(d, t->shape_a);
        else if (a == BED_SPHERE && b == BED_PLANE) c.i = t->body_a, c.j = -1 - plane_number(d, t->shape_b);
        else continue;
        const pair_view p = view_of(d, &c);
        for (int i = 0; i < 3; ++i) c.n[i] = p.i_is_b ? t->normal[i] : -t->normal[i];
        if (p.plane) { /* as it is now: the table's may be of the step before */
            posed_shape posed;
            world_shape_pose(w, p.shape_j, &posed);
            for (int i = 0; i < 3; ++i) c.n[i] = posed.R[3 * i + 2];
        }
        memcpy(c.memory, m->spring, sizeof c.memory), memcpy(c.kinetic, m->kinetic, sizeof c.kinetic);
        if (!sds && m->basis) c.south = m->basis == 2;
        else if (!sds) springs_turn(d, &p, m, &c);
        past->contact[past->contacts++] = c;
    }
    return SCREE_OK;
}
