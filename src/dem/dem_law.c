/* dem_law.c: from what materials say to what the laws of src/laws/dem_*.h take.
 *
 * One scene runs with every scheme, so what the rigid schemes read is read here too, where the dem map has nothing better:
 *
 *     stiffness        the material's `stiffness`
 *     damping          from `restitution`                                            (worked out when materials meet: materials_dem.c)
 *     damping of slip  the same fraction of critical damping as along the normal, so that a body that rebounds rebounds along the surface
 *                      too; of rolling and spinning: critical ([FN] as printed: all critical)
 *     eta_r, eta_psi   such that the largest moments are rho N and sigma N:          eta_r = rho K/(2 mu),  eta_psi = sigma Kappa/mu
 *                      (mu = 0: eta = 1 and coefficients rho K/2, sigma Kappa instead)
 *     at rest          friction_static, rolling_static, spinning_static
 *
 * K and Kappa belong to the contact, so eta is set there (dem_settle_eta) and `friction` holds rho and sigma meanwhile. */
#include "dem/dem.h"

static double number(double given)
{
    return isnan(given) ? DEM_DERIVED : given;
}

static dem_need normal_law(const pair_friction *pair, dem_normal *law)
{
    const scree_dem *dem = &pair->dem;
    double k = isnan(dem->stiffness) ? pair->friction.stiffness : dem->stiffness;
    scree_dem_normal kind = dem->normal;
    if (!kind) kind = pair->modulus > 0.0 && !(k > 0.0) ? SCREE_DEM_HERTZ : SCREE_DEM_HOOKE;
    *law = (dem_normal){DEM_HOOKE, k, pair->zeta, dem->pulls == SCREE_DEM_PULLS_YES};
    if (kind == SCREE_DEM_HOOKE) return k > 0.0 ? DEM_NEEDS_NOTHING : DEM_NEEDS_STIFFNESS;
    if (kind == SCREE_DEM_HERTZ) {
        law->kind = DEM_HERTZ, law->stiffness = pair->modulus;
        return pair->modulus > 0.0 ? DEM_NEEDS_NOTHING : DEM_NEEDS_YOUNG;
    }
    law->kind = DEM_CONSTANT, law->stiffness = dem->load;
    return isnan(dem->load) ? DEM_NEEDS_LOAD : DEM_NEEDS_NOTHING;
}

void dem_settle_eta(const scree_contact_point *touch, double roll_curvature, double spin_curvature, dem_friction_def *f)
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

dem_need dem_law_of(const pair_friction *pair, const double coef[SCREE_FRICTION_KINDS],
                    const double coef_static[SCREE_FRICTION_KINDS], dem_law *law)
{
    const scree_dem *dem = &pair->dem;
    *law = (dem_law){.pair = pair, .model = dem->model ? dem->model : SCREE_DEM_TRACKING};
    if (pair->words_differ) return DEM_NEEDS_AGREEMENT;
    dem_need need = normal_law(pair, &law->normal);
    if (need) return need;

    double share = number(dem->damping_share), eta_r = number(dem->eta_r), eta_psi = number(dem->eta_psi);
    dem_friction_def *f = &law->friction;
    *f = dem_friction_default(number(dem->slide_stiffness), coef_static[SCREE_FRICTION_SLIDE],
                              coef[SCREE_FRICTION_SLIDE]);
    f->roll_static = number(dem->roll_static), f->roll_kinetic = number(dem->roll_kinetic);
    f->spin_static = number(dem->spin_static), f->spin_kinetic = number(dem->spin_kinetic);
    f->published = dem->model == SCREE_DEM_PUBLISHED;
    f->slide_damping = number(dem->slide_damping), f->damping_share = dem_given(share, 1.0);
    f->slide_share = dem_given(share, f->published ? 1.0 : min2(law->normal.zeta, 1.0));
    f->roll_curvature = number(dem->roll_curvature), f->roll_damping = number(dem->roll_damping);
    f->roll_stiffness = number(dem->roll_stiffness), f->spin_damping = number(dem->spin_damping);
    f->spin_curvature = number(dem->spin_curvature);
    f->spin_stiffness = number(dem->spin_stiffness);
    f->spin_hertz = dem->spin == SCREE_DEM_SPIN_HERTZ, f->eta_r = eta_r, f->eta_psi = eta_psi;

    law->sds_roll[0] = isnan(dem->sds_stiffness) ? 0.0 : dem->sds_stiffness,
    law->sds_roll[1] = number(dem->sds_damping);
    law->rolls = eta_r > 0.0 || (eta_r < 0.0 && coef[SCREE_FRICTION_ROLL] > 0.0);
    law->spins = f->spin_hertz || eta_psi > 0.0 || (eta_psi < 0.0 && coef[SCREE_FRICTION_SPIN] > 0.0);
    law->friction_free = !(coef_static[SCREE_FRICTION_SLIDE] > 0.0) && !law->rolls && !law->spins;
    if (law->friction_free) return DEM_NEEDS_NOTHING;
    if (!(f->stiffness > 0.0) && !(pair->shear > 0.0)) return DEM_NEEDS_SLIDE_STIFFNESS;
    if (f->spin_hertz && !(pair->modulus > 0.0)) return DEM_NEEDS_YOUNG;
    if (dem->model != SCREE_DEM_SDS) return DEM_NEEDS_NOTHING;
    if (law->rolls && !(number(dem->sds_stiffness) > 0.0)) return DEM_NEEDS_SDS_STIFFNESS;
    if (law->spins && !(f->spin_stiffness > 0.0)) return DEM_NEEDS_SPIN_STIFFNESS;
    return DEM_NEEDS_NOTHING;
}

void dem_say_need(const scree_world *world, int material_a, int material_b, dem_need need, scree_error *error)
{
    static const char *const words[DEM_NEEDS] = {
        [DEM_NEEDS_AGREEMENT] = "one word for normal, model, spin and pulls each: give it in a pair of the two",
        [DEM_NEEDS_STIFFNESS] = "a normal stiffness: dem.stiffness (Hooke), or dem.young and dem.poisson (Hertz)",
        [DEM_NEEDS_LOAD] = "the constant normal load: dem.load",
        [DEM_NEEDS_YOUNG] = "dem.young and dem.poisson, for Hertz",
        [DEM_NEEDS_SLIDE_STIFFNESS] = "dem.slide_stiffness, or dem.young and dem.poisson (Mindlin), for its friction",
        [DEM_NEEDS_SDS_STIFFNESS] = "dem.sds_stiffness, for rolling friction of the model sds",
        [DEM_NEEDS_SPIN_STIFFNESS] = "dem.spin_stiffness, for spinning friction of the model sds",
        [DEM_NEEDS_CURVATURE] = "normal: hooke, dem.stiffness and dem.slide_stiffness: both surfaces are flat there"};
    scree_error_set(error, NULL, 0, 0, "scheme dem: a contact of '%s' and '%s' needs %s",
                    world->material[material_a].name, world->material[material_b].name, words[need]);
}
