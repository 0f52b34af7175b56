/* moreau_jean.c: the scheme of Moreau and Jean, as [AB] use it: contact at the level of velocities, Newton's impact law.
 *
 *     M (v1 - v0) = h (theta f(t + h) + (1 - theta) f(t)) + H p,        theta in [1/2, 1]
 *     x1 = x0 + h (theta v1 + (1 - theta) v0)
 *     contact active (its gap is closed, or is predicted to be):   law(u1 + e u0 n, p),      else p = 0
 *
 * The gap enters only through the prediction, gap + activation h u_N <= 0. With activation = 1 - theta that is the gap at the pose
 * x0 + (1 - theta) h v0 in the middle of the step, as Jean's NSCD has it. Nothing pulls a penetration back: it stays as deep as the
 * approach of one step.
 *
 * Departures: a contact that is closed by its gap is active also while it opens; restitution acts only above an approach speed, by
 * default twice what gravity gives in a step: below that a resting contact would rattle for ever on its own weight. */
#include "step/stepper_private.h"

static double theta(const scree_stepper_options *options)
{
    return options->theta;
}

static int moreau_jean_row(const step_context *s, const scree_contact_point *touch, double u_N, normal_row *row)
{
    if (touch->gap > 0.0 && touch->gap + s->options->activation * s->h * u_N > 0.0) return 0;
    *row = (normal_row){.e = -u_N > s->impact_speed ? touch->restitution : 0.0};
    return 1;
}

const scheme scheme_moreau_jean = {"moreau_jean", theta, theta, 0, moreau_jean_row, NULL};
