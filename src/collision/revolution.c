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
#include "collision/ball.h"

enum { RIM = 8, LOWEST = RIM, RIM_EDGE = 16, CAP_FACE = 32, UPPER = 64, SIDE_LOW = 128, SIDE_HIGH, SIDE };

static const double RIM_X[RIM] = {1.0,  0.70710678118654752440,  0.0, -0.70710678118654752440,
                                  -1.0, -0.70710678118654752440, 0.0, 0.70710678118654752440};

void cylinder_support(const double size[3], const double n[3], double p[3])
{
    double u[2];
    revolution_radial(n, u);
    p[0] = size[0] * u[0], p[1] = size[0] * u[1], p[2] = n[2] < 0.0 ? -size[1] : size[1];
}

void cone_support(const double size[3], const double n[3], double p[3])
{
    double u[2], rho = revolution_radial(n, u), low, high, none;
    revolution_ends(SCREE_SHAPE_CONE, size, &low, &high, &none);
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

int revolution_is_side(scree_shape_kind kind, const double size[3], const double n[3])
{
    return revolution_side_looks(kind, size, n);
}

void revolution_face(scree_shape_kind kind, const double size[3], const double n[3], face_polygon *f)
{
    revolution_view v = revolution_view_along(kind, size, n);
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

void collide_sphere_revolution(const posed_shape *a, const posed_shape *b, double reach, manifold *m)
{
    ball_on_revolution(a, b, reach, m);
}
