/* quat.h: unit quaternions (w, x, y, z): q turns vectors of the body into the world, v_world = q v q*. */
#ifndef SCREE_MATH_QUAT_H
#define SCREE_MATH_QUAT_H

#include "math/elementary.h"
#include "math/vec.h"

#include <float.h>

/// c = a b (apply b first). c may not alias.
SCREE_HD void quat_mul(const double *a, const double *b, double *c)
{
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

SCREE_HD void quat_normalise(double *q)
{
    double s = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i) q[i] *= s;
}

/// The rotation by |a| about a: exp of the vector a [rad].
SCREE_HD void quat_exp(const double *a, double *q)
{
    double t2 = 0.25 * vec_dot(a, a), t = sqrt(t2);
    /* sin(t)/t by its series where t is small: no division by zero, and every digit */
    double s = t < 1e-2 ? 1.0 - t2 / 6.0 * (1.0 - t2 / 20.0 * (1.0 - t2 / 42.0)) : real_sin(t) / t;
    q[0] = real_cos(t);
    for (int i = 0; i < 3; ++i) q[1 + i] = 0.5 * s * a[i];
}

/// The rotation matrix of q, row-major.
SCREE_HD void quat_matrix(const double *q, double *R)
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1.0 - 2.0 * (y * y + z * z), R[1] = 2.0 * (x * y - w * z), R[2] = 2.0 * (x * z + w * y);
    R[3] = 2.0 * (x * y + w * z), R[4] = 1.0 - 2.0 * (x * x + z * z), R[5] = 2.0 * (y * z - w * x);
    R[6] = 2.0 * (x * z - w * y), R[7] = 2.0 * (y * z + w * x), R[8] = 1.0 - 2.0 * (x * x + y * y);
}

/// The same with exact axes: each column has length 1, and what is but rounding in it is 0. A turn by quarters, whose quaternion has
/// roots of 1/2 that no double holds, so gives axes of the world bit for bit; where a plane across y leaned by 2e-16 towards z, what it
/// pressed on left the axis. No other turn moves by more than its own rounding.
SCREE_HD void quat_axes(const double *q, double *R)
{
    const double noise = 8.0 * DBL_EPSILON; /* of three turns in a row: body, shape, normal */
    quat_matrix(q, R);
    for (int k = 0; k < 3; ++k) {
        double u[3];
        for (int i = 0; i < 3; ++i) u[i] = fabs(R[3 * i + k]) <= noise ? 0.0 : R[3 * i + k];
        double length = vec_norm(u);
        for (int i = 0; i < 3; ++i)
            R[3 * i + k] = u[i] / length; /* sqrt(x x) is |x|, so a lone entry becomes 1 or -1 */
    }
}

/// v_world = q v q*.
SCREE_HD void quat_rotate(const double *q, const double *v, double *out)
{
    double t[3], c[3];
    vec_cross(q + 1, v, t);
    for (int i = 0; i < 3; ++i) t[i] *= 2.0;
    vec_cross(q + 1, t, c);
    for (int i = 0; i < 3; ++i) out[i] = v[i] + q[0] * t[i] + c[i];
}

/// v_body = q* v q.
SCREE_HD void quat_rotate_inverse(const double *q, const double *v, double *out)
{
    double c[4] = {q[0], -q[1], -q[2], -q[3]};
    quat_rotate(c, v, out);
}

#endif
