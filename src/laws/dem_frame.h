/* dem_frame.h: the contact frame carried over a step, and the way of the contact point over both surfaces ([FN] 2, App. B).
 *
 * n points into body i (B of docs/notation.md: from j = A to i = B), w = n x u. Over a step body k turns by dQ_k. Its copy of
 * last step's frame is (m_k, u_k, w_k) = dQ_k (n0, u0, w0); the new frame "of k" is the pair of the new tangent plane that
 * maximises u_k.u + w_k.w. For orthonormal pairs w = n1 x u that sum is u.(u_k - n1 x w_k), so
 *
 *     u = unit of the tangential part of  u_k + w_k x n1                               (no angle, no case list)
 *
 * and it fails only where n1 = -m_k. It is also the least rotation that takes m_k to n1 (both have m_k x n1 as axis). The
 * frame of i becomes the contact frame; psi is the angle from the frame of j to it, about n1.
 *
 * p_k leads from the last contact point, moved with the body, to the new one: direction of the tangential part of the
 * chord, length of the arc (sphere), or of the chord (plane: exact; ellipsoid, box, ...: third order in the step).
 * "Turned by psi" means that the components of p_j in the frame of j are its components in the contact frame.
 *
 * For spheres, over lanes and without quaternions: dem_frame_spheres.h. */
#ifndef SCREE_LAWS_DEM_FRAME_H
#define SCREE_LAWS_DEM_FRAME_H

#include "math/elementary.h"
#include "math/quat.h"

typedef struct dem_frame {
    double n[3], u[3]; /* w = n x u */
} dem_frame;

/// One body's part in a step of the contact.
typedef struct dem_side {
    double turn[4];    /* unit quaternion of the rotation over the step, Q1 Q0^-1, in the world              */
    double carried[3]; /* last step's contact point on this surface, moved with the body                     */
    double point[3];   /* this step's contact point on this surface                                          */
    double radius;     /* of a sphere, or of a hollow sphere: exact arc; 0: any other surface, chord [m]     */
} dem_side;

/// The step as friction sees it, in (u, w) of the new frame.
typedef struct dem_track {
    double p_i[2], p_j[2]; /* [m]; p_j after the counter-spin */
    double psi;            /* [rad], in (-pi, pi]             */
} dem_track;

/// A frame for a new contact.
SCREE_HD void dem_frame_start(const double *n, dem_frame *f)
{
    for (int i = 0; i < 3; ++i) f->n[i] = n[i];
    vec_tangent(n, f->u);
}

/// Components of a vector along u and w.
SCREE_HD void dem_in_frame(const double *n, const double *u, const double *v, double p[2])
{
    double w[3];
    vec_cross(n, u, w);
    p[0] = vec_dot(v, u), p[1] = vec_dot(v, w);
}

/// Last step's frame carried by a body that turned by `turn`. `carried` may be `last`.
SCREE_HD void dem_frame_carry(const dem_frame *last, const double *turn, dem_frame *carried)
{
    double n[3], u[3];
    quat_rotate(turn, last->n, n);
    quat_rotate(turn, last->u, u);
    for (int i = 0; i < 3; ++i) carried->n[i] = n[i], carried->u[i] = u[i];
}

/// u of the pair nearest to last step's pair as carried by one body.
SCREE_HD void dem_nearest_pair(const dem_frame *carried, const double *n1, double *u)
{
    double wk[3], c[3];
    vec_cross(carried->n, carried->u, wk);
    vec_cross(wk, n1, c);
    for (int i = 0; i < 3; ++i) c[i] += carried->u[i];
    vec_add_scaled(c, -vec_dot(c, n1), n1, u);
    double length = vec_norm(u);
    if (length > 0.0)
        for (int i = 0; i < 3; ++i) u[i] /= length;
    else vec_tangent(n1, u); /* the normal turned over within a step */
}

/// Way of the contact point over one surface, laid in the tangent plane.
SCREE_HD void dem_surface_way(const dem_side *side, const double *n1, double *p)
{
    double d[3];
    vec_sub(side->point, side->carried, d);
    vec_add_scaled(d, -vec_dot(d, n1), n1, p);
    double flat = vec_norm(p), chord = vec_norm(d), R = fabs(side->radius);
    if (!(flat > 0.0)) return;
    double length = R > 0.0 ? 2.0 * R * real_asin(chord < 2.0 * R ? chord / (2.0 * R) : 1.0) : chord;
    for (int i = 0; i < 3; ++i) p[i] *= length / flat;
}

/// One step of a contact between any two smooth surfaces, last step's frame as each of them has carried it.
SCREE_HD void dem_frame_lay(const dem_frame *carried_i, const dem_frame *carried_j, const double *n1, const dem_side *i,
                            const dem_side *j, dem_frame *next, dem_track *track)
{
    double u[3], ubar[3], p[3], cross[3];
    dem_nearest_pair(carried_i, n1, u);
    dem_nearest_pair(carried_j, n1, ubar);
    vec_cross(ubar, u, cross);
    track->psi = real_atan2(vec_dot(cross, n1), vec_dot(ubar, u));
    dem_surface_way(i, n1, p);
    dem_in_frame(n1, u, p, track->p_i);
    dem_surface_way(j, n1, p);
    dem_in_frame(n1, ubar, p, track->p_j);
    for (int k = 0; k < 3; ++k) next->n[k] = n1[k], next->u[k] = u[k];
}

/// The same from last step's frame and the turns of both. `next` may be `last`.
SCREE_HD void dem_frame_advance(const dem_frame *last, const double *n1, const dem_side *i, const dem_side *j,
                                dem_frame *next, dem_track *track)
{
    dem_frame carried_i, carried_j;
    dem_frame_carry(last, i->turn, &carried_i);
    dem_frame_carry(last, j->turn, &carried_j);
    dem_frame_lay(&carried_i, &carried_j, n1, i, j, next, track);
}

/// asin(s)/s from s^2, for arcs up to half a circle: `cosine` tells the halves apart. Series to rounding below s = 0.05.
SCREE_HD double dem_arc_factor(double s2, double cosine)
{
    if (s2 < 2.5e-3 && cosine > 0.0)
        return 1.0 + s2 * (1.0 / 6.0 +
                           s2 * (3.0 / 40.0 +
                                 s2 * (15.0 / 336.0 +
                                       s2 * (105.0 / 3456.0 + s2 * (945.0 / 42240.0 + s2 * (10395.0 / 599040.0))))));
    double s = sqrt(s2);
    return s > 0.0 ? real_atan2(s, cosine) / s : 1.0;
}

/* ---- curvature ------------------------------------------------------------------------------------------------------- */

/// Curvature of an ellipsoid's section along the unit tangent t, at the point with unit normal n, both in its own axes:
/// h sum t_k^2/a_k^2, where h^2 = sum a_k^2 n_k^2 (second derivative over gradient of sum x_k^2/a_k^2).
SCREE_HD double dem_ellipsoid_curvature(const double *axes, const double *n, const double *t)
{
    double h = 0.0, s = 0.0;
    for (int k = 0; k < 3; ++k) h += axes[k] * axes[k] * n[k] * n[k], s += t[k] * t[k] / (axes[k] * axes[k]);
    return sqrt(h) * s;
}

/// Both principal curvatures, the larger first, and the direction of the larger one. Returns their mean.
SCREE_HD double dem_ellipsoid_principal(const double *axes, const double *n, double kappa[2], double *direction)
{
    double e[3], f[3], h = 0.0, A = 0.0, B = 0.0, C = 0.0;
    vec_tangent(n, e);
    vec_cross(n, e, f);
    for (int k = 0; k < 3; ++k) {
        double a2 = axes[k] * axes[k];
        h += a2 * n[k] * n[k], A += e[k] * e[k] / a2, B += e[k] * f[k] / a2, C += f[k] * f[k] / a2;
    }
    h = sqrt(h), A *= h, B *= h, C *= h;
    double mean = 0.5 * (A + C), half = 0.5 * (A - C), spread = sqrt(half * half + B * B),
           angle = 0.5 * real_atan2(B, half);
    kappa[0] = mean + spread, kappa[1] = mean - spread;
    for (int k = 0; k < 3; ++k) direction[k] = real_cos(angle) * e[k] + real_sin(angle) * f[k];
    return mean;
}

#endif
