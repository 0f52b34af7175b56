/* anitescu_tasora.c: the semi-implicit scheme of Anitescu and Tasora: gaps close at the end of the step.         [TA] eq. 18, 37-44
 *
 *     M (v1 - v0) = h f(t, x0, v0) + H p                       (37); gyroscopic terms are not in f but in the drift (integrate.c)
 *     law(u1 + (gap/h) n, p)        for every contact within reach: u_N >= -gap/h, so gap + h u_N >= 0 at the end
 *     x1 = x0 + h v1, to which centre.c may add (h/2) (v0 - v1) where no contact forbids it
 *
 * A contact that does not close takes part without a load; none has to be predicted. A penetration asks for the speed -gap/h, which is
 * bounded by `recovery_speed`: what was pushed in by chance must not be shot out. Stiffness k is a compliance 1/(h^2 k) on the
 * normal row ([TA] 6.2): r/h = k x penetration where both are at rest, so gap/h is then not bounded. `hertz`: compliance.c.
 *
 * Departures: restitution, which [TA] do not have. Where e > 0, the approach is faster than `impact_speed` and the gap would close
 * within the step, Newton's law e u0 replaces gap/h: the ball turns back in this step, at most one step's travel early.
 * The Coulomb law is offered beside the convex one of (40). */
#include "math/scalar.h"
#include "step/stepper_private.h"

static double theta(const scree_stepper_options *options)
{
    (void)options;
    return 1.0;
}

static double load_theta(const scree_stepper_options *options)
{
    (void)options;
    return 0.0;
}

static int anitescu_tasora_row(const step_context *s, const scree_contact_point *touch, double u_N, normal_row *row)
{
    double h = s->h, closing = touch->gap / h;
    int impact = touch->restitution > 0.0 && -u_N > s->impact_speed && touch->gap + h * u_N <= 0.0;
    *row = (normal_row){.e = 0.0};
    if (impact) row->e = touch->restitution;
    else if (s->options->hertz && compliance_hertz(s, (int)(touch - s->world->contacts.touch), u_N, row))
        row->bias = closing;
    else if (touch->stiffness > 0.0) row->bias = closing, row->compliance = 1.0 / (h * h * touch->stiffness);
    else row->bias = max2(closing, -s->options->recovery_speed);
    return 1;
}

const scheme scheme_anitescu_tasora = {"anitescu_tasora", theta, load_theta, 1, anitescu_tasora_row, 1, NULL};
