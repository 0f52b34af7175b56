/* bed_rates.h: how stiff a contact of a bed is, for dem_limit.c, from the constants that the kernels use; for processors (bed_limit.c) and
 * devices. */
#ifndef SCREE_DEM_SPHERES_BED_RATES_H
#define SCREE_DEM_SPHERES_BED_RATES_H

#include "dem/spheres/bed_parts.h"

/// What of a bed these ask for; h: its step, over which the dampings of [FN] are kept.
typedef struct bed_rate_law {
    bed_law law;
    int hertz;
    double h;
} bed_rate_law;

SCREE_HD dem_rate bed_rate_of(double stiffness, double damping)
{
    dem_rate rate;
    rate.stiffness = stiffness, rate.damping = damping;
    return rate;
}

/// Stiffness and damping of a kind of friction: 0 where its slider has no bound. Damping of BED_TRACKED is kept over the bed's step.
SCREE_HD dem_rate bed_spring_rate(const bed_rate_law *b, const double (*c)[BED_LANES], int at)
{
    const double bound = b->law == BED_SDS ? c[at + 2][0] : max2(c[at + 2][0], c[at + 3][0]);
    if (!(bound > 0.0)) return bed_rate_of(0.0, 0.0);
    return bed_rate_of(c[at][0], b->law == BED_SDS ? c[at + 1][0] : b->h * c[at + 1][0]);
}

SCREE_HD dem_rate bed_spin_rate(const bed_rate_law *b, const double (*c)[BED_LANES], double delta)
{
    dem_rate spin = bed_spring_rate(b, c, b->law == BED_SDS ? (int)C_TWIST : (int)T_SPIN);
    if (b->law == BED_SDS || !(c[T_HERTZ][0] > 0.0) || !(max2(c[T_SPIN + 2][0], c[T_SPIN + 3][0]) > 0.0)) return spin;
    spin.stiffness = c[T_A][0] + c[T_B][0] * c[T_RADIUS][0] * delta;
    spin.damping = b->h * (c[T_C][0] + c[T_D][0] * sqrt(spin.stiffness));
    return spin;
}

typedef struct bed_rates {
    dem_rate normal, slide, roll, spin; /* not yet over inertias */
} bed_rates;

SCREE_HD bed_rates bed_rates_of(const bed_rate_law *b, const double (*c)[BED_LANES], double delta)
{
    bed_rates s;
    s.normal = bed_rate_of(c[C_STIFFNESS][0], c[C_DAMPING][0]);
    if (b->hertz) {
        double root = sqrt(delta);
        s.normal.stiffness *= 1.5 * root, s.normal.damping *= sqrt(root);
    }
    s.slide = bed_spring_rate(b, c, C_LAW),
    s.roll = bed_spring_rate(b, c, b->law == BED_SDS ? (int)C_ROLL : (int)T_ROLL);
    if (b->law == BED_SDS) {
        double R2 = c[C_ROLL_RADIUS][0] * c[C_ROLL_RADIUS][0];
        s.roll.stiffness *= R2, s.roll.damping *= R2;
    }
    s.spin = bed_spin_rate(b, c, delta);
    return s;
}

/// What they are to a partner, over its mass and inertia, in the worst direction for a step of h.
SCREE_HD dem_rate bed_rate_for(const bed_rates *s, const bed_record *r, double delta, double h)
{
    double m = r->omega[3], I = r->v[3], arm = r->x[3] - 0.5 * delta, side = m + arm * arm * I;
    dem_rate push = bed_rate_of(s->normal.stiffness * m, s->normal.damping * m),
             spin = bed_rate_of(s->spin.stiffness * I, s->spin.damping * I),
             slide = bed_rate_of(s->slide.stiffness * side + s->roll.stiffness * I,
                                 s->slide.damping * side + s->roll.damping * I);
    return dem_rate_worse(dem_rate_worse(push, slide, h), spin, h);
}

#endif
