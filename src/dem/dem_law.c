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
