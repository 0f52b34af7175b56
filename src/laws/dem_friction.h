/* dem_friction.h: slide, roll and spin friction with memory ([FN] 3): four springs, each with a dashpot and a slider.
 *
 *     slide     S       += p_i - p_j       [m]    force on i along S
 *     roll i    Theta_i += kappa_i p_i     [rad]  torque on i, -n x
 *     roll j    Theta_j += kappa_j p_j     [rad]  torque on j, +n x
 *     spin      Psi     += psi             [rad]  torque on i, -n; its opposite on j
 *
 * One step of a spring x whose ends have moved by dx. B_s and B_k are its bounds, static and kinetic, in proportion to N:
 *
 *     x += dx;   beyond: K|x| > B_s (static) or B_k (kinetic): x is cut back to that, and the spring is kinetic; else it is static
 *     load = K x,                          if kinetic
 *     load = P(K x + D dx/h),              if static, with P the projection on the ball of radius B_s                          (bounded)
 *     load = K x + D dx/h,                 if static: [FN] as printed, without a bound on the dashpot                          (published)
 *
 * Bounded is scree's default: no load is ever above its bound, and the dashpot never makes energy. With a = K x in the ball, z = a + d,
 * d = D dx/h, the projection has (P z - a).(z - P z) >= 0, hence (P z - a).d >= |P z - a|^2: what the load does beyond the spring's
 * part, (P z - K x).dx, is lost, never gained. As printed, a contact that begins to slide fast has a load of D |dx|/h, of any size.
 *
 * Stiffnesses, bounds and dashpots, every one of which a definition may override (M = mu N, K = kappa_i + kappa_j):
 *
 *                stiffness                   bound                D
 *     slide      K_E (given)                 M                    2 c_s sqrt(m K_E)
 *     roll       4 eta_r K_E/K^2             2 eta_r M/K          2 c sqrt(I K_R)
 *     spin       eta_psi K_E/Kappa^2         eta_psi M/Kappa      2 c sqrt(I K_psi)
 *     spin,      a^2 K_E/2                   a M/2                the same
 *       Hertz
 *
 * A stiffness that is given changes the spring and leaves its bound. c_s, c: fractions of critical damping. m and I are the reduced mass
 * and inertia of the two bodies (published: their mean), or those of the one that moves.
 * [FN] table 1 is this with kappa_j = infinity (pin), kappa_i (identical), 0 (plane). Where K <= 0 the surfaces conform ("mirror"):
 * K_R has no finite value and nothing can roll about a point, so roll friction is 0. Kappa is K unless given: 1/R for
 * a sphere on a plane, as in [FN] 4.4, and [FN]'s mean curvature for an ellipsoid on a plane. While roll is static the torques on i
 * and j need not be opposite ([FN] A.2). */
#ifndef SCREE_LAWS_DEM_FRICTION_H
#define SCREE_LAWS_DEM_FRICTION_H

#include "laws/dem_frame.h"
#include "math/scalar.h"

enum { DEM_SLIDE, DEM_ROLL_I, DEM_ROLL_J, DEM_SPIN, DEM_SPRINGS };

/// Fields of a definition that are to be derived hold this (no field has a meaning below 0).
#define DEM_DERIVED (-1.0)

/// What a pair of materials says. Start from dem_friction_default.
typedef struct dem_friction_def {
    double stiffness; /* K_E [N/m]                                                       */
    double slide_static, slide_kinetic;
    double roll_static, roll_kinetic; /* derived: those of sliding                                       */
    double spin_static, spin_kinetic; /* derived: those of sliding                                       */
    double eta_r, eta_psi;            /* share of sliding's energy at the limit; 0: none                 */
    double slide_damping;             /* K_D [N s/m]                                                     */
    double slide_share;               /* c_s, if slide_damping is derived                                */
    double damping_share;             /* c, where dashpots of rolling and spinning are derived           */
    double roll_curvature;            /* kappa_i + kappa_j, if it shall not follow the surfaces [1/m]    */
    double roll_stiffness;            /* K_R [N m]; the bound stays                                      */
    double roll_damping;              /* [N m s]                                                         */
    double spin_curvature;            /* Kappa [1/m]                                                     */
    double spin_stiffness;            /* K_psi [N m]; the bound stays                                    */
    double spin_damping;              /* [N m s]                                                         */
    int spin_hertz;                   /* 1: K_psi and Kappa from the contact radius; eta_psi is not read */
    int published;                    /* 1: [FN] as printed: dashpots have no bound                      */
} dem_friction_def;

/// What the two bodies say, now.
typedef struct dem_partners {
    double kappa_i, kappa_j; /* curvature along the way of the contact point [1/m], 0: flat, < 0: hollow   */
    double mean_curvature;   /* mean curvatures of both, added: default of Kappa [1/m]                     */
    double mass, inertia;    /* for dashpots: dem_dashpot_inertia [kg, kg m^2]                             */
    double contact_radius;   /* a [m], read if spin_hertz                                                  */
    double straight_i[2];    /* unit vector in (u, w) along which surface i is straight, so that nothing    */
    double straight_j[2];    /* rolls along it; 0: there is none. The same of j                            */
} dem_partners;

typedef struct dem_spring {
    double stiffness, damping;
    double bound[2]; /* of the load: static, kinetic            */
    int published;   /* 1: the dashpot's part is not cut        */
} dem_spring;

/// Memory of a contact. All zero for a new one: static, nothing stored, and no friction in its first step.
typedef struct dem_history {
    double slide[2], roll_i[2], roll_j[2], spin;
    unsigned char kinetic[DEM_SPRINGS];
} dem_history;

/// In (u, w) of the contact frame. The first is the force on i; the others are along n x and n as the table above says.
typedef struct dem_loads {
    double slide[2], roll_i[2], roll_j[2], spin;
} dem_loads;

/// Sliding only, with these two coefficients; everything else derived or 0; dashpots critical and bounded.
SCREE_HD dem_friction_def dem_friction_default(double K_E, double mu_static, double mu_kinetic)
{
    const double d = DEM_DERIVED;
    dem_friction_def def = {K_E, mu_static, mu_kinetic, d, d, d, d, 0.0, 0.0, d, 1.0, 1.0, d, d, d, d, d, d, 0, 0};
    return def;
}

/// Mass or moment of inertia that dashpots are made for, from inverses (0: a body that does not move; not both 0): the reduced one; as
/// [FN] has it (published) the mean of the two.
SCREE_HD double dem_dashpot_inertia(double inverse_i, double inverse_j, int published)
{
    if (!published || !(inverse_i > 0.0) || !(inverse_j > 0.0)) return 1.0 / (inverse_i + inverse_j);
    return 0.5 / inverse_i + 0.5 / inverse_j;
}

SCREE_HD double dem_given(double value, double derived)
{
    return value >= 0.0 ? value : derived;
}

/// The four springs of a contact under the normal load N >= 0. For spheres and a linear law only the bounds change from step to
/// step, in proportion to N.
SCREE_HD void dem_friction_springs(const dem_friction_def *def, const dem_partners *at, double N,
                                   dem_spring s[DEM_SPRINGS])
{
    const double K_E = def->stiffness, slide[2] = {def->slide_static, def->slide_kinetic};
    const double roll[2] = {dem_given(def->roll_static, slide[0]), dem_given(def->roll_kinetic, slide[1])};
    const double spin[2] = {dem_given(def->spin_static, slide[0]), dem_given(def->spin_kinetic, slide[1])};
    const double critical = 2.0 * def->damping_share;

    s[DEM_SLIDE].stiffness = K_E;
    s[DEM_SLIDE].damping = dem_given(def->slide_damping, 2.0 * def->slide_share * sqrt(at->mass * K_E));

    double K = dem_given(def->roll_curvature, max2(at->kappa_i + at->kappa_j, 0.0)), roll_arm = 0.0;
    s[DEM_ROLL_I].stiffness = s[DEM_ROLL_I].damping = 0.0;
    if (K > 0.0) {
        roll_arm = 2.0 * def->eta_r / K;
        s[DEM_ROLL_I].stiffness = dem_given(def->roll_stiffness, 4.0 * def->eta_r * K_E / (K * K));
        s[DEM_ROLL_I].damping = dem_given(def->roll_damping, critical * sqrt(at->inertia * s[DEM_ROLL_I].stiffness));
    }

    double a = at->contact_radius, Kappa = dem_given(def->spin_curvature, at->mean_curvature), K_psi = 0.0;
    double spin_arm = def->spin_hertz ? 0.5 * a : Kappa > 0.0 ? def->eta_psi / Kappa : 0.0;
    if (def->spin_hertz) K_psi = 0.5 * a * a * K_E;
    else if (Kappa > 0.0) K_psi = def->eta_psi * K_E / (Kappa * Kappa);
    s[DEM_SPIN].stiffness = dem_given(def->spin_stiffness, K_psi);
    s[DEM_SPIN].damping = dem_given(def->spin_damping, critical * sqrt(at->inertia * s[DEM_SPIN].stiffness));

    for (int k = 0; k < 2; ++k) {
        s[DEM_SLIDE].bound[k] = slide[k] * N, s[DEM_ROLL_I].bound[k] = roll_arm * roll[k] * N;
        s[DEM_SPIN].bound[k] = spin_arm * spin[k] * N;
    }
    s[DEM_ROLL_J] = s[DEM_ROLL_I];
    for (int k = 0; k < DEM_SPRINGS; ++k) s[k].published = def->published;
}

/// How far the four springs are stretched in a step: slide, roll i, roll j along u and w, and spin.
SCREE_HD void dem_friction_growth(const dem_partners *at, const dem_track *track, double growth[7])
{
    const double *s_i = at->straight_i, *s_j = at->straight_j;
    double along_i = track->p_i[0] * s_i[0] + track->p_i[1] * s_i[1],
           along_j = track->p_j[0] * s_j[0] + track->p_j[1] * s_j[1];
    for (int k = 0; k < 2; ++k) {
        growth[k] = track->p_i[k] - track->p_j[k];
        growth[2 + k] = at->kappa_i * (track->p_i[k] - along_i * s_i[k]);
        growth[4 + k] = at->kappa_j * (track->p_j[k] - along_j * s_j[k]);
    }
    growth[6] = track->psi;
}

/// Energy stored in the four springs [J].
SCREE_HD double dem_friction_energy(const dem_spring s[DEM_SPRINGS], const dem_history *x)
{
    return 0.5 * (s[DEM_SLIDE].stiffness * (x->slide[0] * x->slide[0] + x->slide[1] * x->slide[1]) +
                  s[DEM_ROLL_I].stiffness * (x->roll_i[0] * x->roll_i[0] + x->roll_i[1] * x->roll_i[1]) +
                  s[DEM_ROLL_J].stiffness * (x->roll_j[0] * x->roll_j[0] + x->roll_j[1] * x->roll_j[1]) +
                  s[DEM_SPIN].stiffness * x->spin * x->spin);
}

/// Loads in the world. arm_i, arm_j: from the centres to the point where the force acts; the force on j is the opposite one.
SCREE_HD void dem_loads_world(const dem_frame *f, double N, const dem_loads *load, const double *arm_i,
                              const double *arm_j, double *force_i, double *torque_i, double *torque_j)
{
    double w[3], c[3];
    vec_cross(f->n, f->u, w);
    for (int k = 0; k < 3; ++k) force_i[k] = N * f->n[k] + load->slide[0] * f->u[k] + load->slide[1] * w[k];
    /* n x (a u + b w) = a w - b u */
    vec_cross(arm_i, force_i, c);
    for (int k = 0; k < 3; ++k)
        torque_i[k] = c[k] - load->roll_i[0] * w[k] + load->roll_i[1] * f->u[k] - load->spin * f->n[k];
    vec_cross(arm_j, force_i, c);
    for (int k = 0; k < 3; ++k)
        torque_j[k] = -c[k] + load->roll_j[0] * w[k] - load->roll_j[1] * f->u[k] + load->spin * f->n[k];
}

#endif
