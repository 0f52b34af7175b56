/* dem_legacy.h: friction models that integrate velocities, for comparison with dem_friction.h.
 *
 * Constant torque ([FN] eq. 8): -mu_r R N w/|w|, whatever moves: it never comes to rest, since w changes sign every step.
 * Spring, dashpot, slider (sds; Luding 2008, and LAMMPS' pair style granular: tangential linear_history, rolling sds, twisting sds):
 *
 *     slide   xi   += h v_T                 F = -k xi - g v_T        |F| <= mu N         force on i
 *     roll    xi_r += h v_r                 F = -k xi_r - g v_r      |F| <= mu_r N       torque R n x F on i, its opposite on j
 *     twist   phi  += h w.n                 M = -k phi - g w.n       |M| <= sigma N      torque M n on i, its opposite on j
 *
 * v_T: velocity of i against j at the contact, tangential; w = w_i - w_j; v_r = R w x n; n into i; R the effective radius. Beyond
 * the limit the load is cut back and the spring set so that spring and dashpot give the cut load. Before a step the memory
 * is turned into the new tangent plane: projected and stretched to its old length.
 * Rules without which it would differ from LAMMPS by more than rounding: the turn is left out while |xi.n| k <= 1e-10 of the limit; a
 * load beyond its limit with nothing stored is 0, not cut; the force sees the velocities that moved the bodies. And, outside this
 * file: arms of pairs are R - delta/2, those of walls R. */
#ifndef SCREE_LAWS_DEM_LEGACY_H
#define SCREE_LAWS_DEM_LEGACY_H

#include "laws/dem_friction.h"

/// Torque on i; 0 where nothing turns.
SCREE_HD void dem_constant_torque(double mu_r, double R, double N, const double *relative_spin, double *torque)
{
    double w = vec_norm(relative_spin), s = w > 0.0 ? -mu_r * R * N / w : 0.0;
    for (int k = 0; k < 3; ++k) torque[k] = s * relative_spin[k];
}

typedef struct dem_sds {
    double stiffness, damping; /* slide and roll: [N/m], [N s/m]; twist: [N m], [N m s]  */
    double limit;              /* mu N, mu_r N [N]; twist: sigma N [N m]                 */
} dem_sds;

enum { DEM_SDS_SLIDE, DEM_SDS_ROLL, DEM_SDS_TWIST, DEM_SDS_SPRINGS };

/// Stiffness and damping of the three; their limits are the caller's. roll: stiffness and damping of rolling, the latter may be
/// DEM_DERIVED as those of the definition: slide_share or damping_share of critical damping then. mass, inertia: dem_dashpot_inertia.
SCREE_HD void dem_sds_springs(const dem_friction_def *def, const double roll[2], double mass, double inertia,
                              dem_sds s[DEM_SDS_SPRINGS])
{
    const double share = 2.0 * def->damping_share, k_twist = max2(def->spin_stiffness, 0.0);
    s[DEM_SDS_SLIDE].stiffness = def->stiffness, s[DEM_SDS_ROLL].stiffness = roll[0],
    s[DEM_SDS_TWIST].stiffness = k_twist;
    s[DEM_SDS_SLIDE].damping = dem_given(def->slide_damping, 2.0 * def->slide_share * sqrt(mass * def->stiffness));
    s[DEM_SDS_ROLL].damping = dem_given(roll[1], share * sqrt(mass * roll[0]));
    s[DEM_SDS_TWIST].damping = dem_given(def->spin_damping, share * sqrt(inertia * k_twist));
}

/// v_r = R w x n, the rolling velocity that belongs to the relative spin w.
SCREE_HD void dem_sds_rolling_velocity(double R, const double *relative_spin, const double *n, double *v)
{
    vec_cross(relative_spin, n, v);
    for (int k = 0; k < 3; ++k) v[k] *= R;
}

/// Torque on i of the rolling pseudo-force.
SCREE_HD void dem_sds_rolling_torque(double R, const double *n, const double *force, double *torque)
{
    vec_cross(n, force, torque);
    for (int k = 0; k < 3; ++k) torque[k] *= R;
}

#endif
