/* revolution.c: cylinder and cone.
 *
 * In the half-plane (rho, z) through the axis both are convex polygons: the rectangle (0, -h), (r, -h), (r, h), (0, h), and the triangle
 * (0, -H/4), (r, -H/4), (0, 3H/4), whose origin is the centre of mass. The nearest point to a ball's centre lies in the half-plane of
 * that centre, so a ball against either is a point against a polygon: closed form.
 *
 * Faces. A flat end is eight points of its rim, at fixed places of the body so that they keep their history, and between them the one
 * that is farthest along n: a disc that rolls on its rim, or begins to tip, touches there exactly. The side is the straight line that
 * looks along n. */
#include "collision/revolution.h"

#include "math/elementary.h"

enum { RIM = 8, LOWEST = RIM, RIM_EDGE = 16, CAP_FACE = 32, UPPER = 64, SIDE_LOW = 128, SIDE_HIGH, SIDE };

static const double RIM_X[RIM] = {1.0,  0.70710678118654752440,  0.0, -0.70710678118654752440,
                                  -1.0, -0.70710678118654752440, 0.0, 0.70710678118654752440};

/// Heights of the lower end and of the upper end or apex, and radius up there.
static void ends(scree_shape_kind kind, const double size[3], double *low, double *high, double *radius_high)
{
    int cone = kind == SCREE_SHAPE_CONE;
    *low = cone ? -0.25 * size[1] : -size[1];
    *high = cone ? 0.75 * size[1] : size[1];
    *radius_high = cone ? 0.0 : size[0];
}

/// Unit vector of (n_x, n_y), along x where there is none; returns its length.
static double radial(const double n[3], double u[2])
{
    double v[3] = {n[0], n[1], 0.0}, w[3] = {1.0, 0.0, 0.0}, length = vec_unit(v, w);
    u[0] = w[0], u[1] = w[1];
    return length;
}

void cylinder_support(const double size[3], const double n[3], double p[3])
{
    double u[2];
    radial(n, u);
    p[0] = size[0] * u[0], p[1] = size[0] * u[1], p[2] = n[2] < 0.0 ? -size[1] : size[1];
}

void cone_support(const double size[3], const double n[3], double p[3])
{
    double u[2], rho = radial(n, u), low, high, none;
    ends(SCREE_SHAPE_CONE, size, &low, &high, &none);
    int apex = n[2] * (high - low) > rho * size[0];
    double r = apex ? 0.0 : size[0];
    p[0] = r * u[0], p[1] = r * u[1], p[2] = apex ? high : low;
}

/* ---- faces ---------------------------------------------------------------------------------------------------------- */

/// A flat end at height z; `up` is +1 for the upper, -1 for the lower. `u` is where n points, `tilted` whether that is known.
static void cap(double r, double z, double up, const double u[2], int tilted, face_polygon *f)
{
    unsigned base = up > 0.0 ? UPPER : 0;
    f->count = 0, f->face = base + CAP_FACE;
    f->normal[0] = f->normal[1] = 0.0, f->normal[2] = up;
    for (int i = 0; i < RIM; ++i) { /* counter-clockwise seen from outside: against the clock of z below */
        int k = up > 0.0 ? i : RIM - 1 - i, next = up > 0.0 ? (k + 1) % RIM : (k + RIM - 1) % RIM;
        const double c[2] = {RIM_X[k], RIM_X[(k + RIM - 2) % RIM]}, d[2] = {RIM_X[next], RIM_X[(next + RIM - 2) % RIM]};
        double after = up * (c[0] * u[1] - c[1] * u[0]), before = up * (u[0] * d[1] - u[1] * d[0]);
        double *at = f->at[f->count];
        at[0] = r * c[0], at[1] = r * c[1], at[2] = z;
        f->vertex[f->count] = base + (unsigned)k, f->edge[f->count++] = base + RIM_EDGE + 2 * (unsigned)i;
        if (!tilted || !(after > 1e-9 && before > 1e-9)) continue;
        at = f->at[f->count];
        at[0] = r * u[0], at[1] = r * u[1], at[2] = z;
        f->vertex[f->count] = base + LOWEST, f->edge[f->count++] = base + RIM_EDGE + 2 * (unsigned)i + 1;
    }
}

/// What a normal says of the three parts of the surface: how much each looks along it.
typedef struct revolution_view {
    double low, high, radius_high; /* heights of the ends, radius of the upper one               */
    double u[2], tilt;             /* unit vector of n across the axis, and how much of n that is */
    double out, up;                /* normal of the side: out u + up z                            */
    double along_side, along_low, along_high;
} revolution_view;

static revolution_view view_along(scree_shape_kind kind, const double size[3], const double n[3])
{
    revolution_view v;
    v.tilt = radial(n, v.u);
    ends(kind, size, &v.low, &v.high, &v.radius_high);
    double drop = size[0] - v.radius_high, height = v.high - v.low, slant = sqrt(drop * drop + height * height);
    v.out = height / slant, v.up = drop / slant;
    v.along_side = v.tilt * v.out + n[2] * v.up;
    v.along_low = -n[2], v.along_high = v.radius_high > 0.0 ? n[2] : -1.0;
    return v;
}

int revolution_is_side(scree_shape_kind kind, const double size[3], const double n[3])
{
    revolution_view v = view_along(kind, size, n);
    return v.along_side >= v.along_low && v.along_side >= v.along_high;
}

void revolution_face(scree_shape_kind kind, const double size[3], const double n[3], face_polygon *f)
{
    revolution_view v = view_along(kind, size, n);
    const double *u = v.u;
    int tilted = v.tilt > 1e-9;
    if (v.along_low >= v.along_side && v.along_low >= v.along_high) {
        cap(size[0], v.low, -1.0, u, tilted, f);
    } else if (v.along_high >= v.along_side) {
        cap(v.radius_high, v.high, 1.0, u, tilted, f);
    } else {
        f->count = 2;
        f->at[0][0] = size[0] * u[0], f->at[0][1] = size[0] * u[1], f->at[0][2] = v.low;
        f->at[1][0] = v.radius_high * u[0], f->at[1][1] = v.radius_high * u[1], f->at[1][2] = v.high;
        f->vertex[0] = SIDE_LOW, f->vertex[1] = SIDE_HIGH, f->edge[0] = f->edge[1] = f->face = SIDE;
        f->normal[0] = v.out * u[0], f->normal[1] = v.out * u[1], f->normal[2] = v.up;
    }
}

/* ---- with a ball ------------------------------------------------------------------------------------------------------ */

/// Nearest point of the polygon to p = (rho, z) and the outward normal there; returns the signed distance.
static double profile_nearest(scree_shape_kind kind, const double size[3], const double p[2], double n[2])
{
    double low, high, radius_high, inside = -SCREE_INFINITY, least = SCREE_INFINITY;
    ends(kind, size, &low, &high, &radius_high);
    const double corner[4][2] = {{0.0, low}, {size[0], low}, {radius_high, high}, {0.0, high}};
    for (int k = 0; k < (radius_high > 0.0 ? 3 : 2); ++k) {
        double e[2] = {corner[k + 1][0] - corner[k][0], corner[k + 1][1] - corner[k][1]},
               length = real_hypot(e[0], e[1]);
        double out[2] = {e[1] / length, -e[0] / length}, d[2] = {p[0] - corner[k][0], p[1] - corner[k][1]};
        double height = d[0] * out[0] + d[1] * out[1], t = clamp((d[0] * e[0] + d[1] * e[1]) / length, 0.0, length);
        if (height > inside) { /* inside: the nearest side; of equal ones the first */
            inside = height;
            if (isinf(least)) n[0] = out[0], n[1] = out[1];
        }
        if (!(height > 0.0)) continue; /* the side is seen from within: what follows costs more than all before */
        double away[2] = {d[0] - t * e[0] / length, d[1] - t * e[1] / length}, distance = real_hypot(away[0], away[1]);
        if (!(distance < least)) continue;
        least = distance;
        int within = t > 0.0 && t < length; /* then the side's own normal, which has all its digits */
        n[0] = within ? out[0] : away[0] / distance, n[1] = within ? out[1] : away[1] / distance;
    }
    return isinf(least) ? inside : least;
}

void collide_sphere_revolution(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    double d[3], local[3], u[2], n[2] = {0.0, 1.0}, out[3], pa[3], r = a->size[0];
    vec_sub(a->x, b->x, d);
    mat_apply_transpose(b->R, d, local);
    double p[2] = {radial(local, u), local[2]}, gap = profile_nearest(b->kind, b->size, p, n) - r;
    mat_apply(b->R, (const double[3]){n[0] * u[0], n[0] * u[1], n[1]}, out);
    for (int i = 0; i < 3; ++i) m->normal[i] = -out[i], pa[i] = -r * out[i];
    manifold_add_from(m, reach, a->x, pa, gap, 0);
}
