/* dem_law.h: from what materials say to what the laws of src/laws/dem_*.h take, as dem_law.c has it on top; and what a soft contact says in a
 * step. One text for the processor and for devices (dem/cuda). */
#ifndef SCREE_DEM_DEM_LAW_H
#define SCREE_DEM_DEM_LAW_H

#include "laws/dem_friction.h"
#include "laws/dem_normal.h"
#include "world/touch.h"

/// What a law asks for and the materials do not say.
typedef enum dem_need {
    DEM_NEEDS_NOTHING,
    DEM_NEEDS_AGREEMENT, /* normal, model, spin or pulls differ     */
    DEM_NEEDS_STIFFNESS,
    DEM_NEEDS_LOAD,
    DEM_NEEDS_YOUNG,
    DEM_NEEDS_SLIDE_STIFFNESS,
    DEM_NEEDS_SDS_STIFFNESS,
    DEM_NEEDS_SPIN_STIFFNESS,
    DEM_NEEDS_CURVATURE, /* Hertz where both surfaces are flat      */
    DEM_NEEDS
} dem_need;

/// What two materials say to each other, as the laws take it.
typedef struct dem_law {
    const pair_friction *pair;
    dem_normal normal;         /* Hertz: stiffness is the modulus [Pa], until the radius is known         */
    dem_friction_def friction; /* stiffness 0: Mindlin's, from `shear`                                    */
    int model;                 /* scree_dem_model                                                         */
    double sds_roll[2];        /* sds: stiffness of rolling, and damping, which may be DEM_DERIVED        */
    int rolls, spins;          /* there is friction of these kinds                                        */
    int friction_free;         /* no coefficient is there: no springs but the normal one                  */
} dem_law;

/* ---- from materials to laws: dem_law.c ------------------------------------------------------------------------------------------ */

SCREE_HD double dem_number(double given)
{
    return isnan(given) ? DEM_DERIVED : given;
}

SCREE_HD dem_need dem_normal_law(const pair_friction *pair, dem_normal *law)
{
    const scree_dem *dem = &pair->dem;
    double k = isnan(dem->stiffness) ? pair->friction.stiffness : dem->stiffness;
    scree_dem_normal kind = dem->normal;
    if (!kind) kind = pair->modulus > 0.0 && !(k > 0.0) ? SCREE_DEM_HERTZ : SCREE_DEM_HOOKE;
    law->kind = DEM_HOOKE, law->stiffness = k, law->zeta = pair->zeta, law->pulls = dem->pulls == SCREE_DEM_PULLS_YES;
    if (kind == SCREE_DEM_HOOKE) return k > 0.0 ? DEM_NEEDS_NOTHING : DEM_NEEDS_STIFFNESS;
    if (kind == SCREE_DEM_HERTZ) {
        law->kind = DEM_HERTZ, law->stiffness = pair->modulus;
        return pair->modulus > 0.0 ? DEM_NEEDS_NOTHING : DEM_NEEDS_YOUNG;
    }
    law->kind = DEM_CONSTANT, law->stiffness = dem->load;
    return isnan(dem->load) ? DEM_NEEDS_LOAD : DEM_NEEDS_NOTHING;
}

/// eta_r and eta_psi from the lengths of the contact, and what goes with them. Curvatures: sums over both bodies, used where the law gives
/// none.
SCREE_HD void dem_settle_eta(const scree_contact_point *touch, double roll_curvature, double spin_curvature,
                             dem_friction_def *f)
{
    const double *coef = touch->cone.coef, *rest = touch->coef_static;
    double mu = coef[SCREE_FRICTION_SLIDE], K = dem_given(f->roll_curvature, roll_curvature),
           Kappa = dem_given(f->spin_curvature, spin_curvature);
    if (f->eta_r < 0.0) { /* largest moment rho N */
        f->eta_r = mu > 0.0 ? 0.5 * coef[SCREE_FRICTION_ROLL] * K / mu : coef[SCREE_FRICTION_ROLL] > 0.0;
        f->roll_kinetic = dem_given(f->roll_kinetic, mu > 0.0 ? mu : 0.5 * coef[SCREE_FRICTION_ROLL] * K);
        double more = coef[SCREE_FRICTION_ROLL] > 0.0 ? rest[SCREE_FRICTION_ROLL] / coef[SCREE_FRICTION_ROLL] : 1.0;
        f->roll_static = dem_given(f->roll_static, more * f->roll_kinetic);
    }
    if (f->eta_psi < 0.0) {
        f->eta_psi = mu > 0.0 ? coef[SCREE_FRICTION_SPIN] * Kappa / mu : coef[SCREE_FRICTION_SPIN] > 0.0;
        if (!f->spin_hertz) {
            f->spin_kinetic = dem_given(f->spin_kinetic, mu > 0.0 ? mu : coef[SCREE_FRICTION_SPIN] * Kappa);
            double more = coef[SCREE_FRICTION_SPIN] > 0.0 ? rest[SCREE_FRICTION_SPIN] / coef[SCREE_FRICTION_SPIN] : 1.0;
            f->spin_static = dem_given(f->spin_static, more * f->spin_kinetic);
        }
    }
}

/// From the coefficients of the contact (kinetic, static) and its pair of materials.
SCREE_HD dem_need dem_law_of(const pair_friction *pair, const double coef[SCREE_FRICTION_KINDS],
                             const double coef_static[SCREE_FRICTION_KINDS], dem_law *law)
{
    const scree_dem *dem = &pair->dem;
    memset(law, 0, sizeof *law);
    law->pair = pair, law->model = dem->model ? dem->model : SCREE_DEM_TRACKING;
    if (pair->words_differ) return DEM_NEEDS_AGREEMENT;
    dem_need need = dem_normal_law(pair, &law->normal);
    if (need) return need;

    double share = dem_number(dem->damping_share), eta_r = dem_number(dem->eta_r), eta_psi = dem_number(dem->eta_psi);
    dem_friction_def *f = &law->friction;
    *f = dem_friction_default(dem_number(dem->slide_stiffness), coef_static[SCREE_FRICTION_SLIDE],
                              coef[SCREE_FRICTION_SLIDE]);
    f->roll_static = dem_number(dem->roll_static), f->roll_kinetic = dem_number(dem->roll_kinetic);
    f->spin_static = dem_number(dem->spin_static), f->spin_kinetic = dem_number(dem->spin_kinetic);
    f->published = dem->model == SCREE_DEM_PUBLISHED;
    f->slide_damping = dem_number(dem->slide_damping), f->damping_share = dem_given(share, 1.0);
    f->slide_share = dem_given(share, f->published ? 1.0 : min2(law->normal.zeta, 1.0));
    f->roll_curvature = dem_number(dem->roll_curvature), f->roll_damping = dem_number(dem->roll_damping);
    f->roll_stiffness = dem_number(dem->roll_stiffness), f->spin_damping = dem_number(dem->spin_damping);
    f->spin_curvature = dem_number(dem->spin_curvature);
    f->spin_stiffness = dem_number(dem->spin_stiffness);
    f->spin_hertz = dem->spin == SCREE_DEM_SPIN_HERTZ, f->eta_r = eta_r, f->eta_psi = eta_psi;

    law->sds_roll[0] = isnan(dem->sds_stiffness) ? 0.0 : dem->sds_stiffness,
    law->sds_roll[1] = dem_number(dem->sds_damping);
    law->rolls = eta_r > 0.0 || (eta_r < 0.0 && coef[SCREE_FRICTION_ROLL] > 0.0);
    law->spins = f->spin_hertz || eta_psi > 0.0 || (eta_psi < 0.0 && coef[SCREE_FRICTION_SPIN] > 0.0);
    law->friction_free = !(coef_static[SCREE_FRICTION_SLIDE] > 0.0) && !law->rolls && !law->spins;
    if (law->friction_free) return DEM_NEEDS_NOTHING;
    if (!(f->stiffness > 0.0) && !(pair->shear > 0.0)) return DEM_NEEDS_SLIDE_STIFFNESS;
    if (f->spin_hertz && !(pair->modulus > 0.0)) return DEM_NEEDS_YOUNG;
    if (dem->model != SCREE_DEM_SDS) return DEM_NEEDS_NOTHING;
    if (law->rolls && !(dem_number(dem->sds_stiffness) > 0.0)) return DEM_NEEDS_SDS_STIFFNESS;
    if (law->spins && !(f->spin_stiffness > 0.0)) return DEM_NEEDS_SPIN_STIFFNESS;
    return DEM_NEEDS_NOTHING;
}

/// Loads of one contact in a step, and its entries of the ledger.
typedef struct dem_touch {
    double force[3];                     /* on B; its opposite on A [N]              */
    double torque_a[3], torque_b[3];     /* about the centres of mass [N m]          */
    double slider[SCREE_FRICTION_KINDS]; /* lost [J]                                 */
    double dashpot[2];                   /* normal, friction                         */
    double energy[2];                    /* stored: normal, friction                 */
    double energy_before;                /* of friction, stored at the last step     */
    double tracking; /* what tracked ways differ from the velocities at the contact, times the load */
    double made;     /* what the law put into springs: their stiffness changed, or they were set    */
    double load;     /* work of a normal load that is given                                         */
    double brought;  /* stored in an overlap that is there because a body was put there             */
    dem_need need;
} dem_touch;

/// Which body of a contact of these two shapes is [FN]'s i, whose frame is the contact's and from which springs are seen: B, of the shape that
/// came later, but of a plane and something else the other. So a sphere at a plane is i whichever came first.
SCREE_HD int dem_b_is_i(const scree_shape *a, const scree_shape *b)
{
    return b->kind != SCREE_SHAPE_PLANE || a->kind == SCREE_SHAPE_PLANE;
}

#endif
