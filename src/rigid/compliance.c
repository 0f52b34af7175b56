/* compliance.c: contacts of the rigid schemes that yield by Hertz and Mindlin at their current load.                      [TA] 6.2
 *
 * [TA] make the loads of a statically indeterminate machine unique by a diagonal C on W (Tikhonov), "from the inverses of the stiffness
 * values in contact points, as computed by the Hertz-Mindlin theory". With E, G, R of the pair (laws/dem_normal.h), F the normal force,
 * d the approach and a = (R d)^1/2 the radius of the contact:
 *
 *     normal       F = (4/3) E R^1/2 d^3/2          C_N = d/(h^2 F), the secant:  y_N = u_N + gap/h + C_N r_N
 *     tangential   dF_T = 8 G a ds                  C_T = 1/(8 G a h^2):          y_T = u_T + C_T (r_T - r_T0),  r_T0 = h F_T of the last step
 *
 * Where nothing changes any more, y_N = 0 says gap = -d(F) and y_T = 0 says u_T = 0: Hertz' depth is exact, and what sticks does not creep.
 * [TA] have C alone, without r_T0: a tangential load would then creep by its elastic displacement in every step. With r_T0 the law is
 * Mindlin's in increments, without slip in part of the contact; the cone bounds r_T, and slip is u_T + C_T (r_T - r_T0). Equal
 * materials: 8 G a over the tangent stiffness dF/dd = 2 E a is 2 (1 - nu)/(2 - nu).
 *
 * C needs d before F is known. It is the larger of the depth of the last load and of the overlap there is (the same number at rest); for
 * a contact without a load the largest of the overlap, the depth under the pushes of this step, and what its approach can reach in the
 * step, which is not more than the depth of an elastic impact. An error in d costs accuracy in the steps in which loads change. */
#include "laws/dem_normal.h"
#include "math/vec.h"
#include "step/stepper_private.h"

/// d of a load.
static double depth_of(const dem_normal *law, double F)
{
    double root = real_cbrt(F / law->stiffness);
    return root * root;
}

/// 1/(1/R_a + 1/R_b) from the mean curvatures at the point; infinite where flat meets flat, and Hertz has nothing to say.
static double reduced_radius(const step_context *s, int contact)
{
    const scree_contact_point *touch = &s->world->contacts.touch[contact];
    static const double nowhere[3] = {0.0, 0.0, 0.0};
    const double *n = touch->normal, minus[3] = {-n[0], -n[1], -n[2]};
    return dem_effective_radius(shape_curvature(s->world, touch->shape_a, s->arm[contact].a, n, nowhere).mean,
                                shape_curvature(s->world, touch->shape_b, s->arm[contact].b, minus, nowhere).mean);
}

int compliance_hertz(const step_context *s, int contact, double u_N, normal_row *row)
{
    const scree_world *w = s->world;
    const scree_contact_point *touch = &w->contacts.touch[contact];
    const pair_friction *pair =
        world_pair(w, w->shape_link[touch->shape_a].material, w->shape_link[touch->shape_b].material);
    if (!(pair->modulus > 0.0)) return 0;
    double R = reduced_radius(s, contact), h = s->h;
    if (!(R < SCREE_INFINITY)) return 0;
    const dem_normal law = {.kind = DEM_HERTZ, .stiffness = dem_hertz_stiffness(pair->modulus, R)};

    double rate = w->impulse_time > 0.0 ? 1.0 / w->impulse_time : 0.0, F = touch->impulse[0] * rate, d;
    if (F > 0.0) d = max2(depth_of(&law, F), -touch->gap);
    else {
        double mass = contact_mass(s, touch), reach = max2(0.0, -(touch->gap + h * u_N));
        d = max2(depth_of(&law, mass * s->push / h), -touch->gap);
        d = max2(d, min2(reach, dem_impact_depth(&law, mass, u_N)));
    }
    if (!(d > 0.0)) return 0; /* nothing presses: rigid in this step */
    row->compliance = 1.0 / (law.stiffness * sqrt(d) * h * h);
    row->slide_compliance = 1.0 / (dem_mindlin_stiffness(pair->shear, dem_contact_radius(R, d)) * h * h);
    for (int k = 0; k < 2; ++k) row->slide_before[k] = touch->impulse[1 + k] * rate * h;
    return 1;
}
