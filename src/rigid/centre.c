/* centre.c: anitescu_tasora moves bodies by h v1, so that gaps end where the contact problem says; here what no gap asks for becomes second order.
 *
 *     x1 = x0 + h v1 + P (h/2) (v0 - v1),     P: across the normals of all contacts of the body
 *
 * (option `centred`) which is x0 + h (v0 + v1)/2, the parabola, where P is 1. With h v1 alone a body that brakes evenly from v to rest stops h v/2 short ([TA] 6.1
 * at 5 ms: 0.07 % of the way), and one that falls is h v/2 too low.
 *
 * No gap closes or opens by it: the shift of each of two bodies is across the normal of their contact. So gap + h u_N >= 0 holds as solved, to the
 * second order of the shift on curved surfaces. It changes no velocity, so no momentum and no kinetic energy; that of gravity goes into the line
 * theta of the ledger, which is 0 where P is 1. What rests has v0 = v1 = 0 and does not move.
 *
 * Who: bodies without a contact within reach; spheres that touch fixed and driven bodies only, whose gaps do not depend on their rotation. Other
 * shapes in contact would have to be turned by the same rule, which changes their gaps; two bodies that rub on each other would change their total angular
 * momentum, which h v1 keeps; bodies with joints are where their joints need them. All these stay at h v1. */
#include "step/stepper_private.h"

#include <string.h>

/// Directions in which a body must stay where it is: orthonormal, `count` of them; 3: all.
typedef struct fences {
    int count;
    double n[3][3];
} fences;

/// About its centre of mass: its gaps do not depend on its rotation.
static int is_one_sphere(const scree_world *w, int body)
{
    const scree_shape *shape = &w->shape[w->first_shape[body]];
    return w->shape_total[body] == 1 && shape->kind == SCREE_SHAPE_SPHERE &&
           vec_dot(shape->position, shape->position) == 0.0;
}

/// Takes the part within the fences out of v.
static void stay_within(const fences *f, double v[3])
{
    for (int k = 0; k < f->count; ++k) vec_add_scaled(v, -vec_dot(v, f->n[k]), f->n[k], v);
}

/// One more normal; one that lies within the others, to 1e-6, adds nothing.
static void add_fence(fences *f, const double normal[3])
{
    if (f->count == 3) return;
    double *n = f->n[f->count];
    memcpy(n, normal, 3 * sizeof *n);
    stay_within(f, n);
    double size = vec_norm(n);
    if (size < 1e-6) return;
    for (int i = 0; i < 3; ++i) n[i] /= size;
    ++f->count;
}

static int moves(const step_context *s, int body)
{
    const double *v0 = s->before[body], *v1 = s->after[body];
    return v0[0] != v1[0] || v0[1] != v1[1] || v0[2] != v1[2];
}

static void fence_contact(const step_context *s, int body, int other, const double normal[3], fences *all)
{
    if (s->column[body] < 0 || all[body].count == 3) return;
    if (s->column[other] < 0 && is_one_sphere(s->world, body)) add_fence(&all[body], normal);
    else all[body].count = 3;
}

scree_status positions_centre(step_context *s)
{
    scree_world *w = s->world;
    fences *all;
    if (!s->options->centred || !s->scheme->can_centre) return SCREE_OK;
    if (!STEP_ARRAY(s, w->body_count, all) || !STEP_ARRAY(s, w->body_count, s->shift)) return SCREE_ERR_MEMORY;
    for (int body = 0; body < w->body_count; ++body) {
        all[body].count = s->column[body] >= 0 && moves(s, body) ? 0 : 3;
        memset(s->shift[body], 0, sizeof s->shift[body]);
    }
    for (int k = 0; k < w->joint_count; ++k)
        for (int side = 0; side < 2; ++side) {
            int body = joint_body(&w->joint[k].def, side);
            if (body >= 0) all[body].count = 3;
        }
    for (int k = 0; k < w->contacts.count; ++k) {
        const scree_contact_point *touch = &w->contacts.touch[k];
        fence_contact(s, touch->body_a, touch->body_b, touch->normal, all);
        fence_contact(s, touch->body_b, touch->body_a, touch->normal, all);
    }
    for (int k = 0; k < s->dynamic_count; ++k) {
        int body = s->dynamic[k];
        if (all[body].count == 3) continue;
        double *shift = s->shift[body];
        for (int i = 0; i < 3; ++i) shift[i] = 0.5 * s->h * (s->before[body][i] - s->after[body][i]);
        stay_within(&all[body], shift);
        vec_add_scaled(w->x[body], 1.0, shift, w->x[body]);
    }
    return SCREE_OK;
}
