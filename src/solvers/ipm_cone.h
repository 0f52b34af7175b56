/* ipm_cone.h: Lorentz cones of order 2 and 3 for the interior-point method: algebra and Nesterov-Todd scaling.
 *
 *     x o z = (x.z, x_0 z_1 + z_0 x_1),   e = (1, 0),   det x = x_0^2 - |x_1|^2,   x^-1 = (x_0, -x_1)/det x,   J = diag(1, -1)
 *
 * For x, z inside, the scaling point w has T z = T^-1 x =: lambda with T symmetric, T^2 z = x, and                [NT 1997]
 *     w = (x/|x| + J z/|z|)/(2 g),  g^2 = (1 + (x.z)/(|x||z|))/2,  |x| = det(x)^1/2,  beta^2 = |x|/|z|,
 *     T = beta [w_0, w_1'; w_1, I + w_1 w_1'/(1 + w_0)],   T^-1 = the same with -w_1, over beta,   T^-2 = (2 Jw Jw' - J)/beta^2. */
#ifndef SCREE_SOLVERS_IPM_CONE_H
#define SCREE_SOLVERS_IPM_CONE_H

#include "laws/cone.h"

typedef struct lorentz_scaling {
    double beta;   /* [ (load/velocity)^1/2 ]  */
    double w[3];   /* det w = 1                */
    double lam[3]; /* T z = T^-1 x             */
} lorentz_scaling;

/// det x of a Lorentz vector with `size` vector components, without cancellation beyond that of x_0 - |x_1|.
static inline double lorentz_det(int size, const double *x)
{
    double v = group_norm(size, x + 1);
    return (x[0] - v) * (x[0] + v);
}

/// out = T u (inverse 0) or T^-1 u (inverse 1). u and out may be the same.
static inline void lorentz_scale(int size, const lorentz_scaling *s, int inverse, const double *u, double *out)
{
    double sign = inverse ? -1.0 : 1.0, f = inverse ? 1.0 / s->beta : s->beta, u0 = u[0], wu = 0.0;
    for (int i = 1; i <= size; ++i) wu += sign * s->w[i] * u[i];
    out[0] = f * (s->w[0] * u0 + wu);
    double along = u0 + wu / (1.0 + s->w[0]);
    for (int i = 1; i <= size; ++i) out[i] = f * (u[i] + sign * s->w[i] * along);
}

/// The scaling of x and z, both inside, with their determinants. 0 if one of them is not.
static inline int lorentz_scaling_make(int size, const double *x, double det_x, const double *z, double det_z,
                                       lorentz_scaling *s)
{
    if (!(det_x > 0.0 && det_z > 0.0 && x[0] > 0.0 && z[0] > 0.0)) return 0;
    double nx = sqrt(det_x), nz = sqrt(det_z), v = 0.0, xz = 0.0;
    for (int i = 0; i <= size; ++i) xz += x[i] * z[i];
    double g = sqrt(0.5 * (1.0 + number_max(xz / (nx * nz), 1.0)));
    s->beta = sqrt(nx / nz);
    for (int i = 1; i <= size; ++i) {
        s->w[i] = (x[i] / nx - z[i] / nz) / (2.0 * g);
        v += s->w[i] * s->w[i];
    }
    s->w[0] = sqrt(1.0 + v); /* det w = 1 to rounding */
    lorentz_scale(size, s, 0, z, s->lam);
    return s->beta > 0.0 && s->beta <= DBL_MAX && s->w[0] <= 1e150;
}

/// G = T^-2, (1 + size)^2 row-major: z = G x.
static inline void lorentz_weight(int size, const lorentz_scaling *s, double *G)
{
    int d = 1 + size;
    double f = 1.0 / (s->beta * s->beta);
    for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j) {
            double wi = i ? -s->w[i] : s->w[0], wj = j ? -s->w[j] : s->w[0];
            G[i * d + j] = f * (2.0 * wi * wj + (i == j ? (i ? 1.0 : -1.0) : 0.0));
        }
}

/// out = a o b.
static inline void lorentz_product(int size, const double *a, const double *b, double *out)
{
    double s = a[0] * b[0];
    for (int i = 1; i <= size; ++i) s += a[i] * b[i];
    for (int i = 1; i <= size; ++i) out[i] = a[0] * b[i] + b[0] * a[i];
    out[0] = s;
}

/// out: a o out = b, a inside.
static inline void lorentz_divide(int size, const double *a, const double *b, double *out)
{
    double top = a[0] * b[0];
    for (int i = 1; i <= size; ++i) top -= a[i] * b[i];
    top /= lorentz_det(size, a);
    for (int i = 1; i <= size; ++i) out[i] = (b[i] - top * a[i]) / a[0];
    out[0] = top;
}

/// det(x + t dx) = det x + 2 b t + a t^2.
static inline void lorentz_det_change(int size, const double *x, const double *dx, double *a, double *b)
{
    *a = dx[0] * dx[0], *b = x[0] * dx[0];
    for (int i = 1; i <= size; ++i) *a -= dx[i] * dx[i], *b -= x[i] * dx[i];
}

/// A determinant and a bound of its rounding, in units of DBL_EPSILON.
typedef struct lorentz_margin {
    double det, doubt;
} lorentz_margin;

/// The determinant of x + t dx from that of x. Near the rim of the cone it is a small difference of large numbers: carried along by
/// its change its rounding is that of the steps, computed again that of x squared; the better of the two is kept.
static inline void lorentz_margin_move(int size, const double *x, const double *dx, double t, lorentz_margin *m)
{
    double a, b, to[3], length = 0.0;
    lorentz_det_change(size, x, dx, &a, &b);
    for (int i = 0; i <= size; ++i) {
        to[i] = x[i] + t * dx[i];
        length = number_max(length, fabs(t * dx[i]));
    }
    m->det += t * (2.0 * b + t * a);
    m->doubt += 3.0 * length * (x[0] + length);
    double fresh = lorentz_det(size, to);
    if (!(to[0] * to[0] > m->doubt) && fresh > 0.0) m->det = fresh, m->doubt = to[0] * to[0];
}

/// Largest step <= most with x + step dx in the cone, c = det x > 0: the first positive root, in the form that does not cancel.
static inline double lorentz_step(int size, const double *x, double c, const double *dx, double most)
{
    double a, b, t = most;
    lorentz_det_change(size, x, dx, &a, &b);
    double disc = b * b - a * c;
    if (disc >= 0.0) {
        double root = sqrt(disc);
        if (b < root) { /* else no positive root */
            double u = root - b;
            if (u > 0.0) t = number_min(t, c / u);
        }
    }
    if (dx[0] < 0.0) t = number_min(t, -x[0] / dx[0]);
    return t;
}

#endif
