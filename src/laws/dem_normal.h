/* dem_normal.h: normal force of a soft contact, and how long a step may be.
 *
 * Two bodies overlap by delta [m], which grows at the rate v [m/s]. m = m_i m_j/(m_i + m_j). zeta is a damping ratio.
 *
 *     constant   N = given
 *     Hooke      N = k delta       + 2 zeta sqrt(m k) v
 *     Hertz      N = k delta^(3/2) + sqrt(5) zeta sqrt(m k) delta^(1/4) v,     k = (4/3) E sqrt(R)
 *
 * Restitution. With z = delta for Hooke and z = delta^(5/4) for Hertz both collisions are the same linear oscillator in
 * (z, v): dividing m v dv/ddelta = -N by delta^(1/4) leaves (5/4) v dv/dz = -sqrt(5) zeta w v - w^2 z, w^2 = k/m, whose
 * damping ratio is zeta. So e depends on zeta alone, at every speed:
 *
 *     contact ends at delta = 0 (force may pull at the end)     e = exp(-pi zeta/sqrt(1 - zeta^2)),   0 < e <= 1
 *     contact ends at N = 0 (never pulls; the default)          e = exp(-2 zeta acos(zeta)/sqrt(1 - zeta^2))
 *
 * The first is the usual one (Tsuji 1992; Antypov & Elliott 2011), and LAMMPS' `coeff_restitution`. The second follows from
 * the same solution: N = 0 where the phase is 2 acos(zeta), and there the two factors of the velocity beside the
 * exponential give exactly -1. It holds for zeta > 1 too, with acosh and sqrt(zeta^2 - 1).
 *
 * docs/math/dem.md. */
#ifndef SCREE_LAWS_DEM_NORMAL_H
#define SCREE_LAWS_DEM_NORMAL_H

#include "math/elementary.h"
#include "math/scalar.h"

#define DEM_PI 3.14159265358979323846

/// Restitution below this is taken as this: a contact that never pulls would need infinite damping for e = 0.
#define DEM_RESTITUTION_MIN 1e-3

typedef enum dem_normal_kind { DEM_CONSTANT, DEM_HOOKE, DEM_HERTZ } dem_normal_kind;

typedef struct dem_normal {
    dem_normal_kind kind;
    double stiffness; /* constant: the load [N]; Hooke: k [N/m]; Hertz: k [N/m^1.5]     */
    double zeta;      /* damping ratio: dem_damping_ratio                                */
    int pulls;        /* 1: the force may be negative while the bodies part              */
} dem_normal;

/// 1/(1/m_i + 1/m_j) from inverse masses, 0 for a body that does not move.
SCREE_HD double dem_effective_mass(double inverse_i, double inverse_j)
{
    return 1.0 / (inverse_i + inverse_j);
}

/// R of Hertz: 1/(kappa_i + kappa_j), curvatures in 1/m, 0 for a plane, negative for a hollow.
SCREE_HD double dem_effective_radius(double kappa_i, double kappa_j)
{
    return 1.0 / (kappa_i + kappa_j);
}

/// E of Hertz. A rigid body has E = INFINITY.
SCREE_HD double dem_effective_modulus(double E_i, double nu_i, double E_j, double nu_j)
{
    return 1.0 / ((1.0 - nu_i * nu_i) / E_i + (1.0 - nu_j * nu_j) / E_j);
}

/// G of Mindlin, G_k = E_k/(2 (1 + nu_k)): 1/G = (2 - nu_i)/G_i + (2 - nu_j)/G_j.
SCREE_HD double dem_effective_shear(double E_i, double nu_i, double E_j, double nu_j)
{
    return 0.5 / ((2.0 - nu_i) * (1.0 + nu_i) / E_i + (2.0 - nu_j) * (1.0 + nu_j) / E_j);
}

SCREE_HD double dem_hertz_stiffness(double E, double R)
{
    return 4.0 / 3.0 * E * sqrt(R);
}

/// Radius of the contact patch from the overlap, and from the load: a^2 = R delta, a^3 = 3 N R/(4 E).
SCREE_HD double dem_contact_radius(double R, double delta)
{
    return sqrt(R * delta);
}

SCREE_HD double dem_contact_radius_of_load(double N, double R, double E)
{
    return real_cbrt(0.75 * N * R / E);
}

/// Tangential stiffness of Mindlin, 8 G a ([FN] eq. 5): a choice for K_E with Hertz.
SCREE_HD double dem_mindlin_stiffness(double G, double a)
{
    return 8.0 * G * a;
}

/// -ln e of a contact that never pulls.
SCREE_HD double dem_loss_exponent(double zeta)
{
    double x = 1.0 - zeta, q = fabs(x * (1.0 + zeta));
    if (fabs(x) < 1e-6) return 2.0 * zeta * (1.0 + x / 3.0); /* acos(zeta)/sqrt(1 - zeta^2) around 1, to x^2 */
    return 2.0 * zeta * (x > 0.0 ? real_acos(zeta) : real_acosh(zeta)) / sqrt(q);
}

/// Damping ratio that gives restitution e in [0, 1]. Costs 60 evaluations if `pulls` is 0: once per pair of materials.
SCREE_HD double dem_damping_ratio(double e, int pulls)
{
    double loss = -real_log(max2(e, DEM_RESTITUTION_MIN));
    if (pulls) return loss / sqrt(DEM_PI * DEM_PI + loss * loss);
    double low = 0.0,
           high = 1.0 + real_exp(0.5 * loss); /* the exponent grows with zeta, and is >= 2 ln(2 zeta) beyond 1 */
    for (int step = 0; step < 60; ++step) {
        double middle = 0.5 * (low + high);
        if (dem_loss_exponent(middle) < loss) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

/// N >= 0 unless the law may pull; `mass` effective; no contact (delta <= 0) gives 0 except for a constant load.
SCREE_HD double dem_normal_force(const dem_normal *law, double mass, double delta, double rate)
{
    if (law->kind == DEM_CONSTANT) return law->stiffness;
    if (!(delta > 0.0)) return 0.0;
    double k = law->stiffness, root = sqrt(delta), dashpot = law->zeta * sqrt(mass * k) * rate;
    double N = law->kind == DEM_HOOKE ? k * delta + 2.0 * dashpot : k * delta * root + sqrt(5.0) * sqrt(root) * dashpot;
    return law->pulls ? N : max2(0.0, N);
}

/// Energy stored in the normal spring [J].
SCREE_HD double dem_normal_energy(const dem_normal *law, double delta)
{
    if (law->kind == DEM_CONSTANT || !(delta > 0.0)) return 0.0;
    return law->kind == DEM_HOOKE ? 0.5 * law->stiffness * delta * delta
                                  : 0.4 * law->stiffness * delta * delta * sqrt(delta);
}

/// dN/ddelta of the spring, at this overlap [N/m].
SCREE_HD double dem_normal_slope(const dem_normal *law, double delta)
{
    if (law->kind == DEM_CONSTANT || !(delta > 0.0)) return 0.0;
    return law->kind == DEM_HOOKE ? law->stiffness : 1.5 * law->stiffness * sqrt(delta);
}

/// Deepest overlap of an undamped impact at speed v: 1/2 m v^2 = energy.
SCREE_HD double dem_impact_depth(const dem_normal *law, double mass, double v)
{
    double k = law->stiffness;
    return law->kind == DEM_HOOKE ? fabs(v) * sqrt(mass / k) : real_root_power(1.25 * mass * v * v / k, 0.4);
}

/// Duration of an undamped impact at speed v; for Hertz 2.9432751 delta_max/v.
SCREE_HD double dem_impact_duration(const dem_normal *law, double mass, double v)
{
    if (law->kind == DEM_HOOKE) return DEM_PI * sqrt(mass / law->stiffness);
    return 2.943275055 * dem_impact_depth(law, mass, v) / fabs(v);
}

/// Largest stable step of `v += h a(x, v); x += h v` on one spring (angular frequency w^2 = k/m) with damping ratio zeta:
/// h^2 w^2 + 4 zeta h w < 4, from the root -1 of its step matrix. Several contacts on a body share its mass: their w^2 add.
SCREE_HD double dem_critical_step(double stiffness, double inverse_mass, double zeta)
{
    double w = sqrt(stiffness * inverse_mass);
    return 2.0 / (w * (sqrt(1.0 + zeta * zeta) + zeta));
}

/// How stiff a contact is for one of its bodies, in one direction: stiffness and damping over its mass or inertia.
typedef struct dem_rate {
    double stiffness; /* [1/s^2] */
    double damping;   /* [1/s]   */
} dem_rate;

/// What is asked of a step h is h weight < 4.
SCREE_HD double dem_rate_weight(dem_rate rate, double h)
{
    return h * rate.stiffness + 2.0 * rate.damping;
}

/// Of two directions the one that limits a step of about h more.
SCREE_HD dem_rate dem_rate_worse(dem_rate a, dem_rate b, double h)
{
    return dem_rate_weight(b, h) > dem_rate_weight(a, h) ? b : a;
}

SCREE_HD dem_rate dem_rate_sum(dem_rate a, dem_rate b)
{
    dem_rate sum = {a.stiffness + b.stiffness, a.damping + b.damping};
    return sum;
}

/// Largest stable step where these belong to everything that meets at one contact: h^2 stiffness + 2 h damping < 4.
SCREE_HD double dem_rate_limit(dem_rate rate)
{
    double k = rate.stiffness, d = rate.damping;
    if (!(k > 0.0)) return d > 0.0 ? 2.0 / d : SCREE_INFINITY;
    return 4.0 / (sqrt(d * d + 4.0 * k) + d);
}

/// Time of a Rayleigh wave over the sphere: DEM users take 10 to 30 percent of it as step.
SCREE_HD double dem_rayleigh_step(double R, double density, double E, double nu)
{
    double G = 0.5 * E / (1.0 + nu);
    return DEM_PI * R * sqrt(density / G) / (0.1631 * nu + 0.8766);
}

#endif
