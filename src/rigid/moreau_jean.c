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
 * Departures.
 * A contact that is closed by its gap is active also while it opens slowly, for its load may be needed to hold what rests. One that opens
 * faster than `impact_speed` has had its impact: it is left out where it is predicted to be open and applied forces do not close it,
 * else its row is u1 >= -u0. With u1 >= 0 it would stop whatever a third body throws back in this step, and r u0/2 would come from
 * nowhere; with -u0 the work r (u0 + u1)/2 is 0, and with theta = 1/2 the gap, which moves by h (u0 + u1)/2, does not get deeper.
 * A slow contact (no impact in this step) whose gap is open by no more than the loads of the step can close is active with the gap
 * it has in the middle of the step, and may close until the middle of the next one,
 *     g_m + h u1 >= 0,     g_m = gap + (1 - theta) h u0
 * else what touches but for rounding would fall for a step, and a tower floor by floor, each when the one below has stopped.
 * Restitution acts only above an approach speed, by default twice what gravity gives in a step: below that a resting contact would rattle
 * for ever on its own weight. */
#include "math/scalar.h"
#include "step/stepper_private.h"

static double theta(const scree_stepper_options *options)
{
    return options->theta;
}

/// u_N with all loads of the step but those of contacts and joints.
static double free_speed(const step_context *s, const scree_contact_point *touch)
{
    int a = s->column[touch->body_a], b = s->column[touch->body_b];
    double y[SCREE_DIM_MAX];
    touch_velocity(touch, &s->arm[touch - s->world->contacts.touch], a >= 0 ? s->v_free[a] : s->before[touch->body_a],
                   b >= 0 ? s->v_free[b] : s->before[touch->body_b], y);
    return y[0];
}

static int moreau_jean_row(const step_context *s, const scree_contact_point *touch, double u_N, normal_row *row)
{
    const double gap = touch->gap, h = s->h;
    const double predicted = gap + s->options->activation * h * u_N;
    if (gap <= 0.0 || predicted <= 0.0) {
        *row = (normal_row){.e = -u_N > s->impact_speed ? touch->restitution : 0.0};
        if (u_N <= s->impact_speed) return 1;
        row->e = 1.0;
        return predicted <= 0.0 || free_speed(s, touch) <= 0.0;
    }
    const double middle = gap + (1.0 - s->theta) * h * u_N;
    *row = (normal_row){.bias = max2(middle / h, 0.0)};
    return -u_N <= s->impact_speed && middle + h * (u_N - 2.0 * s->push) <= 0.0;
}

const scheme scheme_moreau_jean = {"moreau_jean", theta, theta, 0, moreau_jean_row, 0, NULL};
