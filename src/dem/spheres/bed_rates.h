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

/// The springs of friction at an overlap: slide, roll, spin [N/m or N m, and over time]. Stiffnesses that follow the contact radius: as in
/// bed_kernel_laws.h. Damping of BED_TRACKED is kept over the bed's step.
SCREE_HD void bed_springs_at(const bed_rate_law *b, const double (*c)[BED_LANES], double delta, dem_rate out[3])
{
    const int sds = b->law == BED_SDS, growth = sds ? (int)C_GROWTH : (int)T_GROWTH,
              growth_root = sds ? (int)C_GROWTH_ROOT : (int)T_GROWTH_ROOT;
    const double a2 = c[sds ? (int)C_ROLL_RADIUS : (int)T_RADIUS][0] * delta, a = sqrt(a2), per = sds ? 1.0 : b->h;
    for (int s = 0; s < 3; ++s) {
        const int grows = !sds || s == 0, at = C_LAW + 4 * s;
        const double K = c[at][0] + (grows ? c[growth + s][0] * a : 0.0);
        const double D = c[at + 1][0] + (grows ? c[growth_root + s][0] * sqrt(K) : 0.0);
        out[s] = bed_rate_of(K, per * D);
    }
    if (sds || !(c[T_HERTZ][0] > 0.0)) return;
    out[2].stiffness = c[T_A][0] + (c[T_B][0] + c[T_GROWTH + 2][0] * a) * a2;
    out[2].damping = b->h * (c[T_C][0] + c[T_D][0] * sqrt(out[2].stiffness));
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
    dem_rate friction[3];
    bed_springs_at(b, c, delta, friction);
    for (int k = 0; k < 3; ++k) { /* nothing where the slider has no bound */
        const int bound = C_LAW + 4 * k + 2;
        if (!(c[bound][0] > 0.0) && !(b->law == BED_TRACKED && c[bound + 1][0] > 0.0))
            friction[k] = bed_rate_of(0.0, 0.0);
    }
    s.slide = friction[0], s.roll = friction[1], s.spin = friction[2];
    if (b->law == BED_SDS) {
        double R2 = c[C_ROLL_RADIUS][0] * c[C_ROLL_RADIUS][0];
        s.roll.stiffness *= R2, s.roll.damping *= R2;
    }
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
