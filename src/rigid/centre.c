/* centre.c: anitescu_tasora moves bodies by h v1, so that gaps end where the contact problem says; here what no gap asks for becomes second order.
 *
 *     x1 = x0 + h v1 + s,     s the nearest to (h/2) (v0 - v1) with n.s >= -(gap + h u_N) for every contact of the body
 *
 * (option `centred`) which is x0 + h (v0 + v1)/2, the parabola, where no contact is in the way. With h v1 alone a body that brakes evenly from v to rest
 * stops h v/2 short ([TA] 6.1 at 5 ms: 0.07 % of the way), and one that falls is h v/2 too low.
 *
 * gap + h u_N is what the solution leaves between the two surfaces, n leads from the other into this one: so the shift uses up no more than is there,
 * to its second order on curved surfaces. Where it is 0 the shift is across n. A body that is thrown back has room, and needs it: along a parabola v^2/2 + g x
 * is conserved, and with h v1 in the step that turns v into -v it would grow by g h v in every impact (where all steps have h v1, v^2/2 + g x - g h v/2 is
 * conserved, in impacts too).
 *
 * The shift changes no velocity, so no momentum and no kinetic energy; that of gravity goes into the line theta of the ledger, which is 0 on a parabola.
 * What rests has v0 = v1 = 0 and does not move.
 *
 * Who: bodies without a contact within reach; spheres that touch fixed and driven bodies only, whose gaps do not depend on their rotation. Other
 * shapes in contact would have to be turned by the same rule, which changes their gaps; two bodies that rub on each other would change their total angular
 * momentum, which h v1 keeps; bodies with joints are where their joints need them. All these stay at h v1. */
#include "step/stepper_private.h"

#include <string.h>

/// Planes on which the shift of a body has to end: n.s = at. Orthonormal, `count` of them; 3: it is not moved.
typedef struct fences {
    int count;
    double n[3][3], at[3];
} fences;

/// About its centre of mass: its gaps do not depend on its rotation.
static int is_one_sphere(const scree_world *w, int body)
{
    const scree_shape *shape = &w->shape[w->first_shape[body]];
    return w->shape_total[body] == 1 && shape->kind == SCREE_SHAPE_SPHERE &&
           vec_dot(shape->position, shape->position) == 0.0;
}

/// One more plane, of unit normal; one that lies within the others, to 1e-6, adds nothing.
static void add_fence(fences *f, const double normal[3], double at)
{
    if (f->count == 3) return;
    double *n = f->n[f->count];
    memcpy(n, normal, 3 * sizeof *n);
    for (int k = 0; k < f->count; ++k) {
        const double along = vec_dot(n, f->n[k]);
        vec_add_scaled(n, -along, f->n[k], n), at -= along * f->at[k];
    }
    const double size = vec_norm(n);
    if (size < 1e-6) return;
    for (int i = 0; i < 3; ++i) n[i] /= size;
    f->at[f->count++] = at / size;
}

static int moves(const step_context *s, int body)
{
    const double *v0 = s->before[body], *v1 = s->after[body];
    return v0[0] != v1[0] || v0[1] != v1[1] || v0[2] != v1[2];
}

/// The shift that is nearest to the whole one among those that end on all fences.
static void shift_find(const step_context *s, int body, const fences *f)
{
    double *shift = s->shift[body];
    for (int i = 0; i < 3; ++i) shift[i] = 0.5 * s->h * (s->before[body][i] - s->after[body][i]);
    for (int k = 0; k < f->count; ++k) vec_add_scaled(shift, f->at[k] - vec_dot(shift, f->n[k]), f->n[k], shift);
}

/// Looks at a contact of `body`, from which `away` (1 or -1 times the normal) leads away from the other one: 1 where it asks for another shift.
static int fence_contact(const step_context *s, const scree_contact_point *touch, int body, int other, double away,
                         fences *all)
{
    fences *f = &all[body];
    if (s->column[body] < 0 || f->count == 3) return 0;
    if (s->column[other] >= 0 || !is_one_sphere(s->world, body)) {
        f->count = 3;
        return 0;
    }
    double n[3], *shift = s->shift[body], room = max2(0.0, touch->gap + s->h * touch->velocity[0]);
    for (int i = 0; i < 3; ++i) n[i] = away * touch->normal[i];
    const double way = s->h * (vec_norm(s->before[body]) + vec_norm(s->after[body])), along = vec_dot(shift, n);
    if (room < 1e-9 * way) room = 0.0; /* it touches at the end */
    if (room > 0.0 ? along >= -room * (1.0 + 1e-12) : fabs(along) <= 1e-15 * way) return 0;
    const int count = f->count;
    add_fence(f, n, -room);
    if (f->count == count) f->count = 3; /* between two walls: it stays */
    else shift_find(s, body, f);
    return 1;
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
        if (all[body].count == 0) shift_find(s, body, &all[body]);
    }
    for (int k = 0; k < w->joint_count; ++k)
        for (int side = 0; side < 2; ++side) {
            int body = joint_body(&w->joint[k].def, side);
            if (body >= 0) all[body].count = 3;
        }
    for (int changed = 1; changed;) { /* at most four times: each gives a body a fence more */
        changed = 0;
        for (int k = 0; k < w->contacts.count; ++k) {
            const scree_contact_point *touch = &w->contacts.touch[k];
            changed |= fence_contact(s, touch, touch->body_a, touch->body_b, -1.0, all);
            changed |= fence_contact(s, touch, touch->body_b, touch->body_a, 1.0, all);
        }
    }
    for (int k = 0; k < s->dynamic_count; ++k) {
        int body = s->dynamic[k];
        if (all[body].count == 3) memset(s->shift[body], 0, sizeof s->shift[body]);
        vec_add_scaled(w->x[body], 1.0, s->shift[body], w->x[body]);
    }
    return SCREE_OK;
}
