/* ellipsoid.c: the nearest point of an ellipsoid, and what follows from it.
 *
 * Problem   min |x - y|  over  sum (x_i/a_i)^2 = 1, from outside or inside.
 * Method    Lagrange: x_i = a_i^2 y_i / (t + a_i^2) with the largest root t of  F(t) = sum (a_i y_i / (t + a_i^2))^2 - 1, which is the
 *           only one above -a_min^2, and F is convex and falls there. Start at t_0 = max_i (a_i |y_i| - a_i^2): each term of F is then at
 *           most 1 and one of them is 1, so 0 <= F(t_0) <= 2 and Newton climbs to the root without passing it.
 * Departures from the text books (Eberly's note, Hart's in Graphics Gems IV)
 *   - the unknown is tau = t + a_min^2 >= 0, so that flat ellipsoids and points near their middle keep their digits;
 *   - Newton on 1 - (F + 1)^(-1/2), nearly linear in tau as in trust regions: about 5 steps instead of 10;
 *   - y_i = 0 on the shortest axis, deep inside: the root is tau = 0 and x_i follows from the surface. Of the two signs, +. */
#include "collision/narrow.h"

/// tau, the root of F. `gap` is a_i^2 - a_min^2, `z` is a_i |y_i|.
static double secular_root(const double gap[3], const double z[3])
{
    double tau = 0.0;
    for (int i = 0; i < 3; ++i)
        if (z[i] > 0.0) tau = max2(tau, z[i] - gap[i]);
    for (int round = 0; round < 60; ++round) {
        double f = 0.0, slope = 0.0; /* f = F + 1, slope = -F'/2 */
        for (int i = 0; i < 3; ++i) {
            if (!(z[i] > 0.0)) continue;
            double term = z[i] / (tau + gap[i]);
            f += term * term, slope += term * term / (tau + gap[i]);
        }
        double excess = sqrt(f) - 1.0;
        if (!(excess > 0.0) || !(slope > 0.0)) break;
        double next = tau + excess * f / slope;
        if (!(next > tau)) break;
        if (next - tau <= 0x1p-52 * next) return next;
        tau = next;
    }
    return tau;
}

double ellipsoid_nearest(const double size[3], const double y[3], double x[3], double n[3])
{
    int shortest = size[1] < size[0] ? 1 : 0;
    if (size[2] < size[shortest]) shortest = 2;
    double big = max2(max2(size[0], max2(size[1], size[2])), max2(fabs(y[0]), max2(fabs(y[1]), fabs(y[2]))));
    double unit = power_of_two(-exponent_of(big)), a[3], gap[3], z[3], normal[3], on = 0.0;
    for (int i = 0; i < 3; ++i) a[i] = size[i] * unit;
    for (int i = 0; i < 3; ++i) gap[i] = (a[i] - a[shortest]) * (a[i] + a[shortest]), z[i] = a[i] * (fabs(y[i]) * unit);

    double tau = secular_root(gap, z), c[3]; /* c = x_i/a_i, the point on the unit sphere */
    for (int i = 0; i < 3; ++i) {
        c[i] = z[i] > 0.0 ? min2(1.0, z[i] / (tau + gap[i])) : 0.0;
        on += c[i] * c[i];
    }
    if (tau == 0.0 && on < 1.0)
        c[shortest] = sqrt(1.0 - on), on = 1.0; /* deep inside, on the plane across the shortest axis */
    double scale = 1.0 / sqrt(on);              /* on = 1 but for rounding */
    for (int i = 0; i < 3; ++i) {
        double sign = y[i] < 0.0 ? -1.0 : 1.0;
        c[i] *= scale * sign;
        x[i] = size[i] * c[i];
        normal[i] = c[i] * (a[shortest] / a[i]); /* grad of the form, scaled to stay in range */
    }
    n[0] = n[1] = n[2] = 0.0, n[shortest] = 1.0;
    vec_unit(normal, n);
    return (y[0] - x[0]) * n[0] + (y[1] - x[1]) * n[1] + (y[2] - x[2]) * n[2];
}

void collide_sphere_ellipsoid(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double d[3], y[3], x[3], n[3], out[3], surface[3], pa[3], pb[3], r = a->size[0];
    vec_sub(a->x, b->x, d);
    mat_apply_transpose(b->R, d, y);
    double gap = ellipsoid_nearest(b->size, y, x, n) - r;
    mat_apply(b->R, n, out);
    mat_apply(b->R, x, surface);
    for (int i = 0; i < 3; ++i) m->normal[i] = -out[i], pa[i] = d[i] - r * out[i], pb[i] = surface[i];
    manifold_add(m, reach, b->x, pa, pb, gap, 0);
}

void collide_plane_ellipsoid(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double d[3], local[3], w[3], low[3], pa[3];
    shape_axis(a, 2, m->normal);
    vec_sub(b->x, a->x, d);
    mat_apply_transpose(b->R, m->normal, local);
    for (int i = 0; i < 3; ++i) w[i] = b->size[i] * local[i];
    double h = vec_norm(w);
    for (int i = 0; i < 3; ++i) local[i] = h > 0.0 ? -b->size[i] * (w[i] / h) : 0.0;
    mat_apply(b->R, local, low);
    double gap = vec_dot(d, m->normal) - h;
    vec_add_scaled(low, -gap, m->normal, pa);
    manifold_add_from(m, reach, b->x, pa, gap, 0);
}
