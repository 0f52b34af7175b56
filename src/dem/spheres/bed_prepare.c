/* bed_prepare.c: what two materials say, as the kernels read it: each constant a given part and one that follows from sizes and masses
 * (bed_prepared in bed_parts.h). */
#include "dem/spheres/bed_parts.h"

#include <math.h>
#include <string.h>

/// A number that is given, or -1 where it is to be derived, as the part that is given.
static double given_part(double value)
{
    return value >= 0.0 ? value : 0.0;
}

static double derived_part(double value, double derived)
{
    return value >= 0.0 ? 0.0 : derived;
}

static bed_arm arm_times(bed_arm arm, double factor)
{
    return (bed_arm){factor * arm.length, factor * arm.ratio, factor * arm.reduced};
}

static int has_arm(bed_arm arm)
{
    return arm.length > 0.0 || arm.ratio > 0.0 || arm.reduced > 0.0;
}

/// Nothing slides (mu = 0): an arm says how large the moment may be, not how stiff the spring is. Then `factor` radii do, in place of the arm.
static void smooth_springs(double factor, double *more, double *growth, double smooth[2])
{
    smooth[0] = factor * *more, smooth[1] = factor * *growth;
    *more = *growth = 0.0;
}

static void prepare_friction(const bed_pair *pair, double h, bed_prepared *p)
{
    const dem_friction_def *d = &pair->friction;
    const int mindlin = pair->shear > 0.0;
    const double K_E = mindlin ? 0.0 : d->stiffness, K_a = dem_mindlin_stiffness(pair->shear, 1.0);
    const double critical = 2.0 * d->damping_share;
    const int smooth = !(d->slide_kinetic > 0.0);
    const double per_mu = smooth ? 1.0 : 1.0 / d->slide_kinetic; /* arms are those of mu N, and of N where mu = 0 */
    p->published = d->published;
    p->slide[0] = K_E, p->slide[1] = given_part(d->slide_damping) / h;
    p->slide[2] = d->slide_static, p->slide[3] = d->slide_kinetic;
    p->slide_root = derived_part(d->slide_damping, 2.0 * d->slide_share * sqrt(K_E)) / h;
    p->growth[0] = K_a, p->growth_root[0] = mindlin ? derived_part(d->slide_damping, 2.0 * d->slide_share) / h : 0.0;

    p->roll_curvature = d->roll_curvature > 0.0 ? d->roll_curvature : DEM_DERIVED;
    p->spin_curvature = d->spin_curvature > 0.0 ? d->spin_curvature : DEM_DERIVED;
    p->roll_radius = 1.0 / p->roll_curvature, p->spin_radius = 1.0 / p->spin_curvature;
    p->spin_hertz = d->spin_hertz;
    if (!(d->roll_curvature >= 0.0 && d->roll_curvature <= 0.0)) { /* a given curvature of 0: nothing rolls */
        p->roll[0] = given_part(d->roll_stiffness), p->roll[1] = given_part(d->roll_damping) / h;
        p->roll[2] = dem_given(d->roll_static, d->slide_static);
        p->roll[3] = dem_given(d->roll_kinetic, d->slide_kinetic);
        p->roll_eta = 2.0 * d->eta_r, p->roll_arm = arm_times(pair->roll_arm, per_mu);
        p->roll_more = derived_part(d->roll_stiffness, 2.0 * K_E);
        p->roll_root = derived_part(d->roll_damping, critical) / h;
        p->growth[1] = derived_part(d->roll_stiffness, 2.0 * K_a);
        p->growth_root[1] = p->growth[1] > 0.0 ? p->roll_root : 0.0;
        if (smooth && has_arm(pair->roll_arm)) smooth_springs(2.0, &p->roll_more, &p->growth[1], p->roll_smooth);
    }
    if (!(d->spin_curvature >= 0.0 && d->spin_curvature <= 0.0) || d->spin_hertz) {
        p->spin[0] = given_part(d->spin_stiffness), p->spin[1] = given_part(d->spin_damping) / h;
        p->spin[2] = dem_given(d->spin_static, d->slide_static);
        p->spin[3] = dem_given(d->spin_kinetic, d->slide_kinetic);
        p->spin_root = derived_part(d->spin_damping, critical) / h;
        p->growth[2] = derived_part(d->spin_stiffness, d->spin_hertz ? 0.5 * K_a : K_a);
        p->growth_root[2] = p->growth[2] > 0.0 && !d->spin_hertz ? p->spin_root : 0.0;
        if (d->spin_hertz) p->spin_area = derived_part(d->spin_stiffness, 0.5 * K_E);
        else {
            p->spin_eta = d->eta_psi, p->spin_arm = arm_times(pair->spin_arm, per_mu);
            p->spin_more = derived_part(d->spin_stiffness, K_E);
            if (smooth && has_arm(pair->spin_arm)) smooth_springs(1.0, &p->spin_more, &p->growth[2], p->spin_smooth);
        }
    }
}

void bed_prepare_pair(const bed_pair *pair, bed_law law, double h, bed_prepared *p)
{
    const dem_normal *n = &pair->normal;
    memset(p, 0, sizeof *p);
    if (n->kind == DEM_HERTZ) p->modulus = 4.0 / 3.0 * n->stiffness, p->damping_root = sqrt(5.0) * n->zeta;
    else p->stiffness = n->stiffness, p->damping = pair->normal_damping, p->damping_root = 2.0 * n->zeta;
    p->floor = n->pulls ? -SCREE_INFINITY : 0.0;
    if (law == BED_TRACKED) {
        prepare_friction(pair, h, p);
        return;
    }
    p->roll_arm = pair->roll_arm, p->spin_arm = pair->spin_arm;
    const bed_sds *sds[3] = {&pair->slide, &pair->roll, &pair->twist};
    if (pair->shear > 0.0) {
        p->growth[0] = dem_mindlin_stiffness(pair->shear, 1.0), p->growth_root[0] = 2.0 * pair->slide.ratio;
        p->sds[0][1] = pair->slide.damping, p->sds[0][2] = pair->slide.mu;
    }
    for (int k = 0; k < 3; ++k) {
        if (!(sds[k]->stiffness > 0.0) || (k == 0 && pair->shear > 0.0)) continue;
        p->sds[k][0] = sds[k]->stiffness, p->sds[k][1] = sds[k]->damping, p->sds[k][2] = sds[k]->mu;
        p->sds[k][3] = 1.0 / sds[k]->stiffness, p->sds_root[k] = 2.0 * sds[k]->ratio * sqrt(sds[k]->stiffness);
    }
}

int bed_prepared_needs(const bed_prepared *p, bed_law law)
{
    int needs = p->modulus > 0.0 ? BED_NEED_MODULUS : 0;
    if (p->damping_root > 0.0) needs |= BED_NEED_DAMPING;
    if (has_arm(p->roll_arm) || has_arm(p->spin_arm)) needs |= BED_NEED_ARMS;
    if (law == BED_TRACKED && p->spin_hertz > 0.0) needs |= BED_NEED_SPIN_HERTZ;
    if (p->growth[0] > 0.0) needs |= BED_NEED_MINDLIN;
    if (p->sds_root[0] > 0.0 || p->sds_root[1] > 0.0 || p->sds_root[2] > 0.0) needs |= BED_NEED_SDS;
    return needs;
}
