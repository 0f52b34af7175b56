/* dem_friction.h: slide, roll and spin friction with memory ([FN] 3): four springs with a slider, two modes each.
 *
 *     slide     S       += p_i - p_j       [m]    force on i along S
 *     roll i    Theta_i += kappa_i p_i     [rad]  torque on i, -n x
 *     roll j    Theta_j += kappa_j p_j     [rad]  torque on j, +n x
 *     spin      Psi     += psi             [rad]  torque on i, -n; its opposite on j
 *
 * load = K x + [static] D dx/h, with x cut back to its limit before. A static spring beyond mu_static's limit is cut back to
 * it and becomes kinetic; a kinetic one beyond mu_kinetic's limit is cut back to that; a kinetic one within becomes static.
 * So the mode after a step is "was beyond", whatever it was before. The damping part takes the mode after the step, and is
 * not limited. Default stiffnesses and limits, every one of which a definition may override (M = mu N, K = kappa_i + kappa_j):
 *
 *                K                           limit                D                    K * limit
 *     slide      K_E (given)                 M/K_E                2 sqrt(m K_E)        M
 *     roll       4 eta_r K_E/K^2             K M/(2 K_E)          2 sqrt(I K_R)        2 eta_r M/K
 *     spin       eta_psi K_E/Kappa^2         Kappa M/K_E          2 sqrt(I K_psi)      eta_psi M/Kappa
 *     spin,      a^2 K_E/2                   M/(a K_E)            the same             a M/2
 *       Hertz
 *
 * [FN] table 1 is this with kappa_j = infinity (pin), kappa_i (identical), 0 (plane). Where K <= 0 the surfaces conform ("mirror"):
 * K_R has no finite value and nothing can roll about a point, so roll friction is 0. Kappa is K unless given: 1/R for
 * a sphere on a plane, as in [FN] 4.4, and [FN]'s mean curvature for an ellipsoid on a plane. m and I: mean of both bodies, or
 * that of the one that moves. While roll is static the torques on i and j need not be opposite ([FN] A.2). */
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
    double damping_share;             /* of critical damping, wherever damping is derived: 1             */
    double roll_curvature;            /* kappa_i + kappa_j, if it shall not follow the surfaces [1/m]    */
    double roll_stiffness;            /* K_R [N m]; the limit stays                                      */
    double roll_damping;              /* [N m s]                                                         */
    double spin_curvature;            /* Kappa [1/m]                                                     */
    double spin_stiffness;            /* K_psi [N m]; the limit stays                                    */
    double spin_damping;              /* [N m s]                                                         */
    int spin_hertz;                   /* 1: K_psi and Kappa from the contact radius; eta_psi is not read */
} dem_friction_def;

/// What the two bodies say, now.
typedef struct dem_partners {
    double kappa_i, kappa_j; /* curvature along the way of the contact point [1/m], 0: flat, < 0: hollow   */
    double mean_curvature;   /* mean curvatures of both, added: default of Kappa [1/m]                     */
    double mass, inertia;    /* fictitious mass and moment of inertia for damping [kg, kg m^2]             */
    double contact_radius;   /* a [m], read if spin_hertz                                                  */
    double straight_i[2];    /* unit vector in (u, w) along which surface i is straight, so that nothing    */
    double straight_j[2];    /* rolls along it; 0: there is none. The same of j                            */
} dem_partners;

typedef struct dem_spring {
    double stiffness, damping;
    double limit[2]; /* static, kinetic */
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

/// Sliding only, with these two coefficients; everything else derived or 0.
SCREE_HD dem_friction_def dem_friction_default(double K_E, double mu_static, double mu_kinetic)
{
    const double d = DEM_DERIVED;
    dem_friction_def def = {K_E, mu_static, mu_kinetic, d, d, d, d, 0.0, 0.0, d, 1.0, d, d, d, d, d, d, 0};
    return def;
}

/// The mean, or that of the one that can move. Inverses, 0 for a body that does not move; not both 0.
SCREE_HD double dem_fictitious_inertia(double inverse_i, double inverse_j)
{
    if (!(inverse_i > 0.0)) return 1.0 / inverse_j;
    if (!(inverse_j > 0.0)) return 1.0 / inverse_i;
    return 0.5 / inverse_i + 0.5 / inverse_j;
}

SCREE_HD double dem_given(double value, double derived)
{
    return value >= 0.0 ? value : derived;
}

/// The four springs of a contact under the normal load N >= 0. For spheres and a linear law only the limits change from step to
/// step, in proportion to N.
SCREE_HD void dem_friction_springs(const dem_friction_def *def, const dem_partners *at, double N,
                                   dem_spring s[DEM_SPRINGS])
{
    const double K_E = def->stiffness, load[2] = {def->slide_static * N, def->slide_kinetic * N};
    const double roll[2] = {dem_given(def->roll_static, def->slide_static) * N,
                            dem_given(def->roll_kinetic, def->slide_kinetic) * N};
    const double spin[2] = {dem_given(def->spin_static, def->slide_static) * N,
                            dem_given(def->spin_kinetic, def->slide_kinetic) * N};
    const double share = 2.0 * def->damping_share;

    s[DEM_SLIDE].stiffness = K_E;
    s[DEM_SLIDE].damping = dem_given(def->slide_damping, share * sqrt(at->mass * K_E));
    for (int k = 0; k < 2; ++k) s[DEM_SLIDE].limit[k] = load[k] / K_E;

    double K = dem_given(def->roll_curvature, max2(at->kappa_i + at->kappa_j, 0.0));
    dem_spring r = {0.0, 0.0, {0.0, 0.0}};
    if (K > 0.0) {
        r.stiffness = dem_given(def->roll_stiffness, 4.0 * def->eta_r * K_E / (K * K));
        r.damping = dem_given(def->roll_damping, share * sqrt(at->inertia * r.stiffness));
        for (int k = 0; k < 2; ++k) r.limit[k] = 0.5 * K * roll[k] / K_E;
    }
    s[DEM_ROLL_I] = s[DEM_ROLL_J] = r;

    dem_spring *p = &s[DEM_SPIN];
    double a = at->contact_radius, Kappa = dem_given(def->spin_curvature, at->mean_curvature);
    double K_psi = Kappa > 0.0 ? def->eta_psi * K_E / (Kappa * Kappa) : 0.0;
    if (def->spin_hertz) K_psi = 0.5 * a * a * K_E, Kappa = a > 0.0 ? 1.0 / a : 0.0;
    p->stiffness = dem_given(def->spin_stiffness, K_psi);
    p->damping = dem_given(def->spin_damping, share * sqrt(at->inertia * p->stiffness));
    for (int k = 0; k < 2; ++k) p->limit[k] = Kappa * spin[k] / K_E;
}

/// x += dx, cut back, mode, load: one spring over one step of length h. Returns what the slider took [J]: the energy that
/// leaves the spring when it is cut back.
SCREE_HD double dem_spring_step(const dem_spring *s, int size, const double *dx, double h, double *x,
                                unsigned char *kinetic, double *load)
{
    double r2 = 0.0, limit = s->limit[*kinetic != 0], scale = 1.0;
    for (int k = 0; k < size; ++k) x[k] += dx[k], r2 += x[k] * x[k];
    int beyond = r2 > limit * limit;
    if (beyond) scale = limit / sqrt(r2);
    double damping = beyond ? 0.0 : s->damping / h;
    for (int k = 0; k < size; ++k) x[k] *= scale, load[k] = s->stiffness * x[k] + damping * dx[k];
    *kinetic = (unsigned char)beyond;
    return 0.5 * s->stiffness * r2 * (1.0 - scale * scale);
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

/// One step of friction. Returns the sliders' losses [J], all four together: the energy that leaves springs that are cut back.
SCREE_HD double dem_friction_step(const dem_spring s[DEM_SPRINGS], const dem_partners *at, const dem_track *track,
                                  double h, dem_history *history, dem_loads *loads)
{
    double dx[7], loss = 0.0;
    unsigned char *mode = history->kinetic;
    dem_friction_growth(at, track, dx);
    loss += dem_spring_step(&s[DEM_SLIDE], 2, dx, h, history->slide, &mode[DEM_SLIDE], loads->slide);
    loss += dem_spring_step(&s[DEM_ROLL_I], 2, dx + 2, h, history->roll_i, &mode[DEM_ROLL_I], loads->roll_i);
    loss += dem_spring_step(&s[DEM_ROLL_J], 2, dx + 4, h, history->roll_j, &mode[DEM_ROLL_J], loads->roll_j);
    loss += dem_spring_step(&s[DEM_SPIN], 1, dx + 6, h, &history->spin, &mode[DEM_SPIN], &loads->spin);
    return loss;
}

/// What slider and dashpot of one spring took in a step that has led from x0 to x while its ends moved by dx [J]. The slider's is the
/// work of the mean load less what is stored, (K/2) (x0 + x).(dx - (x - x0)): 0 where nothing was cut, and mu N |dx| while it slides,
/// also where dx is long against the limit (what dem_spring_step returns is more then, by (K/2) dx^2).
SCREE_HD void dem_spring_losses(const dem_spring *s, int size, const double *x0, const double *dx, const double *x,
                                double h, unsigned char kinetic, double *slider, double *dashpot)
{
    double work = 0.0, rate2 = 0.0;
    for (int k = 0; k < size; ++k) {
        work += 0.5 * s->stiffness * (x0[k] + x[k]) * (dx[k] - (x[k] - x0[k]));
        rate2 += dx[k] * dx[k];
    }
    *slider = kinetic ? work : 0.0;
    *dashpot = kinetic ? 0.0 : s->damping * rate2 / h;
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
