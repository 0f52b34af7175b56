/* dem_bed_contacts.c: the contacts of a bed as those of the world: places, laws, loads, modes, and what they remember where the general
 * stages go on. A bed begins a step where dem.c ends one, so contacts are those at the end of the step. Ages are not counted. */
#include "steppers/dem_bed.h"

#include "laws/maps.h"
#include "math/quat.h"

#include <stdlib.h>
#include <string.h>

static int by_shapes(const void *a, const void *b)
{
    const scree_touch *x = a, *y = b;
    if (x->shape_a != y->shape_a) return x->shape_a < y->shape_a ? -1 : 1;
    return (x->shape_b > y->shape_b) - (x->shape_b < y->shape_b);
}

/// One contact, seen from A to B by the numbers of the shapes.
static void touch_of(const scree_world *w, const bed_cast *d, const bed_contact *c, double h, int sds, scree_touch *t)
{
    int shape_i = d->sphere_shape[c->i], shape_j = c->j < 0 ? d->plane_shape[-1 - c->j] : d->sphere_shape[c->j];
    int i_is_b = shape_i > shape_j, body_i = w->shape_body[shape_i];
    double sign = i_is_b ? 1.0 : -1.0, R = w->shape[shape_i].size[0], arm[3], lever[3], moment[3], t2[3];
    *t = (scree_touch){.shape_a = i_is_b ? shape_j : shape_i, .shape_b = i_is_b ? shape_i : shape_j, .gap = -c->delta};
    t->body_a = w->shape_body[t->shape_a], t->body_b = w->shape_body[t->shape_b];
    for (int k = 0; k < 3; ++k) {
        t->normal[k] = sign * c->n[k];
        arm[k] = -(R - 0.5 * c->delta) * c->n[k], t->position[k] = w->x[body_i][k] + arm[k];
    }
    contact_law(w, w->shape[t->shape_a].material, w->shape[t->shape_b].material,
                min2(w->roll_radius[t->shape_a], w->roll_radius[t->shape_b]), t);
    if (sds) vec_tangent(t->normal, t->tangent);
    else memcpy(t->tangent, c->u, sizeof t->tangent);
    vec_cross(t->normal, t->tangent, t2);
    /* the couple on i: what is left of its torque without the force, which sds has at a plane on the surface, at R */
    for (int k = 0; k < 3 && sds && c->j < 0; ++k) arm[k] = -R * c->n[k];
    vec_cross(arm, c->force, lever);
    vec_sub(c->torque_i, lever, moment);
    const double *f = c->force;
    double s = sign * h;
    t->load[0] = s * vec_dot(f, t->normal), t->load[1] = s * vec_dot(f, t->tangent), t->load[2] = s * vec_dot(f, t2);
    t->load[3] = s * vec_dot(moment, t->tangent), t->load[4] = s * vec_dot(moment, t2);
    t->load[5] = s * vec_dot(moment, t->normal);
    t->mode = SCREE_MODE_TAKE_OFF;
    if (!(t->load[0] > 0.0)) return;
    double limit = t->cone.coef[SCREE_SLIDE] * t->load[0] * (1.0 - 1e-9);
    dem_law law;
    (void)dem_law_of(world_pair(w, w->shape[shape_i].material, w->shape[shape_j].material), t->cone.coef,
                     t->coef_static, &law); /* nothing lacks: there is a bed */
    int slides = sds ? t->load[1] * t->load[1] + t->load[2] * t->load[2] >= limit * limit : c->kinetic[DEM_SLIDE];
    int rolls = !sds && law.rolls && (c->kinetic[DEM_ROLL_I] || c->kinetic[DEM_ROLL_J]);
    int spins = !sds && law.spins && c->kinetic[DEM_SPIN];
    t->mode = mode_make(slides, rolls, spins ? (t->load[5] > 0.0 ? 1 : -1) : 0);
}

static void velocity_of(const scree_world *w, scree_touch *t)
{
    const int body[2] = {t->body_a, t->body_b};
    vec6 velocity[2] = {{0.0}};
    contact_arms arms;
    for (int k = 0; k < 2; ++k) {
        if (w->kind[body[k]] == SCREE_FIXED) continue;
        memcpy(velocity[k], w->v[body[k]], sizeof(vec3));
        body_spin_world(w, body[k], velocity[k] + 3);
    }
    touch_arms(w, t, &arms);
    touch_velocity(t, &arms, velocity[0], velocity[1], t->velocity);
}

/// What a contact remembers, as the general stages keep it: frame and points where they are now.
static void memory_of(const scree_world *w, const bed_contact *c, const scree_touch *t, int sds, contact_memory *m)
{
    double sign = vec_dot(t->normal, c->n) > 0.0 ? 1.0 : -1.0;
    *m = (contact_memory){.live = 1};
    for (int k = 0; k < 3; ++k) {
        m->frame_a[k] = t->normal[k], m->frame_a[3 + k] = t->tangent[k];
        m->arm_a[k] = t->position[k] - 0.5 * t->gap * t->normal[k] - w->x[t->body_a][k];
        m->arm_b[k] = t->position[k] + 0.5 * t->gap * t->normal[k] - w->x[t->body_b][k];
    }
    nearest_image(&w->options, m->arm_a), nearest_image(&w->options, m->arm_b);
    memcpy(m->frame_b, m->frame_a, sizeof m->frame_b);
    memcpy(m->spring, c->memory, sizeof m->spring);
    if (!sds) memcpy(m->kinetic, c->kinetic, sizeof m->kinetic);
    if (sign > 0.0) return;
    /* A and B change places: forces on i become forces on A, ways over i ways over A, and w = n x u changes sign with n */
    for (int k = 0; k < 3 && sds; ++k) m->spring[k] = -c->memory[k];
    if (sds) return;
    m->spring[0] = -c->memory[0], m->spring[1] = c->memory[1];
    for (int k = 0; k < 2; ++k) {
        double w_sign = k ? -1.0 : 1.0;
        m->spring[2 + k] = w_sign * c->memory[4 + k], m->spring[4 + k] = w_sign * c->memory[2 + k];
    }
    m->kinetic[DEM_ROLL_I] = c->kinetic[DEM_ROLL_J], m->kinetic[DEM_ROLL_J] = c->kinetic[DEM_ROLL_I];
}

/// 1: both bodies are still there.
static int is_there(const scree_world *w, const scree_touch *t)
{
    return w->kind[t->body_a] != SCREE_REMOVED && w->kind[t->body_b] != SCREE_REMOVED;
}

/// Order of contacts in a world; pairs of the bed have one point, feature 0, and none with a wall.
static int comes_first(const scree_touch *a, const scree_touch *b)
{
    return by_shapes(a, b) < 0;
}

/// The bed's contacts lie sorted behind those with walls, which have been copied; both go to their places. `c`: as the bed gives them,
/// NULL: nothing is remembered; the age of a touch is its number there.
static void contacts_merge(const scree_world *w, int walls, const scree_touch *wall, const contact_memory *memory,
                           int n, const bed_contact *c, int sds)
{
    const contact_set *set = &w->contacts;
    for (int i = 0, k = 0; i + k < walls + n;) {
        scree_touch *t = &set->touch[i + k];
        contact_memory *m = &set->memory[i + k];
        const scree_touch *own = &set->touch[walls + k];
        if (k == n || (i < walls && comes_first(&wall[i], own))) {
            *t = wall[i], *m = memory[i], ++i;
            velocity_of(w, t);
            continue;
        }
        if (i < walls) *t = *own;
        *m = (contact_memory){.live = 0};
        if (c) memory_of(w, &c[t->age], t, sds, m);
        t->age = 0, ++k;
    }
}

scree_status dem_bed_contacts_to_world(scree_stepper *stepper, scree_world *w, const bed_cast *cast, int with_memory)
{
    int n = bed_count(cast->engine).touching, sds = cast->law == BED_SDS, kept = 0;
    dem_bed_walls_pick(w);
    int walls = w->contacts.count;
    arena_reset(stepper->scratch);
    bed_contact *c = arena_alloc(stepper->scratch, ((size_t)n + 1) * sizeof *c, 64);
    scree_touch *wall = arena_alloc(stepper->scratch, ((size_t)walls + 1) * sizeof *wall, 64);
    contact_memory *memory = arena_alloc(stepper->scratch, ((size_t)walls + 1) * sizeof *memory, 64);
    if (!c || !wall || !memory) return SCREE_ERR_MEMORY;
    copy_bytes(wall, w->contacts.touch, (size_t)walls * sizeof *wall);
    copy_bytes(memory, w->contacts.memory, (size_t)walls * sizeof *memory);
    if (w->previous.capacity > w->contacts.capacity) { /* detection has swapped them: only one need be large */
        contact_set other = w->contacts;
        w->contacts = w->previous, w->previous = other;
    }
    w->contacts.count = 0; /* nothing in it is needed any more */
    if (contacts_reserve(w, &w->contacts, n + walls) != SCREE_OK) return SCREE_ERR_MEMORY;
    bed_contacts(cast->engine, c);
    for (int k = 0; k < n; ++k) {
        scree_touch *t = &w->contacts.touch[walls + kept];
        touch_of(w, cast, &c[k], stepper->options.step, sds, t);
        if (!is_there(w, t)) continue;
        velocity_of(w, t);
        t->age = k; /* until they are sorted */
        kept += 1;
    }
    if (kept > 0) qsort(w->contacts.touch + walls, (size_t)kept, sizeof *w->contacts.touch, by_shapes);
    contacts_merge(w, walls, wall, memory, kept, with_memory ? c : NULL, sds);
    w->contacts.count = walls + kept, w->previous.count = 0;
    return SCREE_OK;
}
