/* dem_reference.h: the laws of soft friction written once more, one contact at a time, with branches and angles, as the papers have them:
 * what laws/dem_springs.h and dem_frame_spheres.h, which are written over lanes, are held against.
 *
 * Spheres: dQ = (transport n0 -> m) after (a twist 2 atan(b.n0) about n0), with the Rodrigues vector b = tan(|angle|/2) axis of each body's
 * turn; the transports n0 -> m -> n1 differ from n0 -> n1 by the area of the spherical triangle, 2 atan(N/D). */
#ifndef SCREE_TESTS_DEM_REFERENCE_H
#define SCREE_TESTS_DEM_REFERENCE_H

#include "laws/dem_step.h"

/// x += dx, cut back, mode, load: one spring over one step of length h. Returns what is lost. The slider's part of a spring that is cut
/// back is the work of the mean load less what is stored, (K/2) (x0 + x).(dx - (x - x0)): mu N |dx| while it slides, also where dx is
/// long against the stretch. Of a load that is cut, (load - K x).dx is lost: to the slider, since it slides at its bound.
static inline dem_losses reference_spring_step(const dem_spring *s, int size, const double *dx, double h, double *x,
                                               unsigned char *kinetic, double *load)
{
    const double K = s->stiffness, bound = s->bound[*kinetic != 0];
    dem_losses lost = {0.0, 0.0, 0.0, 0};
    double r2 = 0.0, along = 0.0, z2 = 0.0, work = 0.0;
    for (int k = 0; k < size; ++k) x[k] += dx[k], r2 += x[k] * x[k], along += x[k] * dx[k];
    const int beyond = K > 0.0 && K * K * r2 > bound * bound;
    *kinetic = (unsigned char)beyond;
    if (beyond) {
        const double scale = bound / (K * sqrt(r2));
        for (int k = 0; k < size; ++k) x[k] *= scale, load[k] = K * x[k];
        lost.slider = 0.5 * K * (1.0 - scale) * ((1.0 + scale) * r2 - along);
        return lost;
    }
    for (int k = 0; k < size; ++k) load[k] = K * x[k] + s->damping / h * dx[k], z2 += load[k] * load[k];
    const int cut = !s->published && z2 > s->bound[0] * s->bound[0];
    const double scale = cut ? s->bound[0] / sqrt(z2) : 1.0;
    for (int k = 0; k < size; ++k) load[k] *= scale, work += (load[k] - K * x[k]) * dx[k];
    *(cut ? &lost.slider : &lost.dashpot) = work;
    return lost;
}

/// One step of friction: memories, modes and loads; `lost`: of each spring.
static inline void reference_friction_step(const dem_spring s[DEM_SPRINGS], const dem_partners *at,
                                           const dem_track *track, double h, dem_history *history, dem_loads *loads,
                                           dem_losses lost[DEM_SPRINGS])
{
    double dx[7];
    unsigned char *mode = history->kinetic;
    dem_friction_growth(at, track, dx);
    lost[DEM_SLIDE] = reference_spring_step(&s[DEM_SLIDE], 2, dx, h, history->slide, &mode[DEM_SLIDE], loads->slide);
    lost[DEM_ROLL_I] =
        reference_spring_step(&s[DEM_ROLL_I], 2, dx + 2, h, history->roll_i, &mode[DEM_ROLL_I], loads->roll_i);
    lost[DEM_ROLL_J] =
        reference_spring_step(&s[DEM_ROLL_J], 2, dx + 4, h, history->roll_j, &mode[DEM_ROLL_J], loads->roll_j);
    lost[DEM_SPIN] = reference_spring_step(&s[DEM_SPIN], 1, dx + 6, h, &history->spin, &mode[DEM_SPIN], &loads->spin);
}

/// Sliding, or rolling with its pseudo-force. `v` is tangential. `memory` [m], a world vector, holds what the last step left.
static inline void reference_sds_vector(const dem_sds *s, const double *n, const double *v, double h, double *memory,
                                        double *force)
{
    double out = vec_dot(memory, n), size2 = 0.0;
    if (fabs(out) * s->stiffness > 1e-10 * s->limit) {
        double old = vec_norm(memory);
        vec_add_scaled(memory, -out, n, memory);
        double now = vec_norm(memory), stretch = now > 0.0 ? old / now : 0.0;
        for (int k = 0; k < 3; ++k) memory[k] *= stretch;
    }
    for (int k = 0; k < 3; ++k) {
        memory[k] += h * v[k];
        force[k] = -s->stiffness * memory[k] - s->damping * v[k];
        size2 += force[k] * force[k];
    }
    double size = sqrt(size2);
    if (!(size > s->limit)) return;
    const int stored = vec_norm(memory) > 0.0;
    const double cut = stored ? s->limit / size : 0.0;
    for (int k = 0; k < 3; ++k) {
        force[k] *= cut;
        if (stored && s->stiffness > 0.0) memory[k] = -(force[k] + s->damping * v[k]) / s->stiffness;
    }
}

/// Twisting: returns the torque along n on i. `rate` = w.n. Beyond the limit the torque opposes the rate, as in LAMMPS.
static inline double reference_sds_twist(const dem_sds *s, double rate, double h, double *memory)
{
    *memory += h * rate;
    double torque = -s->stiffness * *memory - s->damping * rate;
    if (!(fabs(torque) > s->limit)) return torque;
    double sign = (double)((rate > 0.0) - (rate < 0.0));
    *memory = (s->limit * sign - s->damping * rate) / s->stiffness;
    return -s->limit * sign;
}

/// m = n0 turned by the rotation with Rodrigues vector b.
static inline void reference_turn(const double *b, const double *n0, double *m)
{
    double c[3], cc[3], s = 2.0 / (1.0 + vec_dot(b, b));
    vec_cross(b, n0, c);
    vec_cross(b, c, cc);
    for (int i = 0; i < 3; ++i) m[i] = n0[i] + s * (c[i] + cc[i]);
}

/// The angle by which body k's frame is turned against the transport n0 -> n1, as z with alpha = 2 arg z; and the tangential
/// part t of the carried normal, times asin(s)/s: R t is the arc.
static inline void reference_sphere_side(const double *n0, const double *n1, const double *b, double z[2], double *t)
{
    double m[3], c[3];
    reference_turn(b, n0, m);
    double cosine = vec_dot(m, n1), twist = vec_dot(b, n0);
    vec_cross(n1, n0, c);
    double D = 1.0 + vec_dot(n0, m) + cosine + vec_dot(n0, n1), N = vec_dot(m, c);
    z[0] = D - twist * N, z[1] = N + twist * D;
    vec_add_scaled(m, -cosine, n1, t);
    double g = dem_arc_factor(vec_dot(t, t), cosine);
    for (int i = 0; i < 3; ++i) t[i] *= g;
}

/// Two spheres, or a sphere i on a plane j (`over_plane`: way of the contact point over the plane, a world vector relative to the
/// plane's material; NULL for two spheres). b_k: Rodrigues vectors of the turns. `next` may be `last`.
static inline void reference_frame_advance_spheres(const dem_frame *last, const double *n1, const double *b_i,
                                                   const double *b_j, double R_i, double R_j, const double *over_plane,
                                                   dem_frame *next, dem_track *track)
{
    double z_i[2], z_j[2], t_i[3], t_j[3], y[3], c[3], u[3], p[2];
    const double *n0 = last->n;
    reference_sphere_side(n0, n1, b_i, z_i, t_i);
    reference_sphere_side(n0, n1, b_j, z_j, t_j);
    /* u1: transport n0 -> n1 turned by alpha_i; one Newton step keeps the length */
    double lean = vec_dot(last->u, n1) / (1.0 + vec_dot(n0, n1)), zz = z_i[0] * z_i[0] + z_i[1] * z_i[1];
    double cosine = (z_i[0] * z_i[0] - z_i[1] * z_i[1]) / zz, sine = 2.0 * z_i[0] * z_i[1] / zz;
    for (int k = 0; k < 3; ++k) y[k] = last->u[k] - lean * (n0[k] + n1[k]);
    vec_cross(n1, y, c);
    for (int k = 0; k < 3; ++k) u[k] = cosine * y[k] + sine * c[k];
    double scale = 1.5 - 0.5 * vec_dot(u, u);
    for (int k = 0; k < 3; ++k) u[k] *= scale;

    double qr = z_i[0] * z_j[0] + z_i[1] * z_j[1], qi = z_i[1] * z_j[0] - z_i[0] * z_j[1], qq = qr * qr + qi * qi;
    track->psi = 2.0 * atan2(qi, qr);
    if (track->psi > 3.14159265358979323846) track->psi -= 6.28318530717958647692;
    if (track->psi <= -3.14159265358979323846) track->psi += 6.28318530717958647692;
    dem_in_frame(n1, u, t_i, p);
    track->p_i[0] = R_i * p[0], track->p_i[1] = R_i * p[1];
    double c2 = (qr * qr - qi * qi) / qq, s2 = 2.0 * qr * qi / qq;
    dem_in_frame(n1, u, over_plane ? over_plane : t_j, p);
    double s = over_plane ? 1.0 : -R_j;
    track->p_j[0] = s * (c2 * p[0] - s2 * p[1]), track->p_j[1] = s * (s2 * p[0] + c2 * p[1]);
    for (int k = 0; k < 3; ++k) next->n[k] = n1[k], next->u[k] = u[k];
}

#endif
