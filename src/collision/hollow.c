/* hollow.c: what a convex shape touches of a smooth wall around it: the inside of a tube, a funnel, a bowl.
 *
 * Tube and funnel are the surface that the line from (R_0, -h) to (R_1, h) of the half-plane (rho, z) leaves when it turns about z; a
 * bowl is the part of a sphere of radius R about the origin with z <= depth - R. Both are thin, and touched from inside. With u the unit
 * vector from the axis to a point, e the unit vector along the line and m = (-e_z, e_rho) across it, into the hollow, a point at (rho, z) is at
 *
 *     height  H = (rho - R_0) m_rho + (z + h) m_z        above the wall, normal  m_rho u + m_z z        (tube, funnel)
 *     height  H = R - |y|,                               normal -y/|y|                                 (bowl)
 *
 * The hollow is convex, so -H is a convex function and its largest value over a convex body is at one of the body's extreme points: a
 * vertex touches such a wall, an edge or face never does. Hence
 *
 *     ball            gap H - r at its centre, or the distance of the rim where the foot is beyond an end; closed form, good to rounding
 *     capsule         its two end balls; and where its axis leaves through an end, the point of the axis nearest to the rim
 *     box, hull       every vertex between the ends; and the points where edges leave through an end plane (extreme points of what is inside)
 *     ellipsoid,      x that maximises n.x with n the outward normal of the wall at x itself: n <- normal at the support point of n, which
 *     cylinder, cone  never descends (the Frank-Wolfe ascent of a convex function), extrapolated along the last change; from several
 *                     directions, since a long body touches at both ends. The face, line or point that looks along n gives the contacts
 *
 * A ball that all but fills a tube touches it all round, and one in a pointed funnel too: beside the nearest point it gets those 120 degrees
 * away, with the gap to the tangent plane there. The hollow is the intersection of all such half-spaces, so these bounds are exact too.
 *
 * What is inside: a body whose origin is above the wall, or, beyond an end, nearer to the axis than the rim. Bodies outside touch nothing,
 * but balls and the ends of capsules may rest on the rim. Ellipsoids, cylinders and cones whose farthest point is beyond an end do not
 * feel the rim. */
#include "collision/hollow_ball.h"

#include "collision/faces.h"
#include "collision/geometry_private.h"
#include "collision/hull.h"
#include "math/elementary.h"

#include <string.h>

enum { AROUND = 16, ASCENT_MOST = 200, RIM_MOST = 60 };

double hollow_distance(const posed_shape *wall, const double x[3])
{
    const hollow_wall w = hollow_wall_of(wall);
    double d[3], y[3], n[3], height;
    vec_sub(x, wall->x, d);
    mat_apply_transpose(wall->R, d, y);
    int end = hollow_side(&w, y, &height, n);
    return end == HOLLOW_ON_SIDE ? fabs(height) : hollow_rim(&w, end, y, n);
}

static int is_inside(const hollow_wall *w, const double y[3])
{
    double n[3], height, u[3];
    int end = hollow_side(w, y, &height, n);
    return height > 0.0 || (end != HOLLOW_ON_SIDE && !w->bowl && hollow_radial(y, u) < w->radius[end]);
}

/// The point of a capsule's axis that is nearest to the rim of an end, where the axis passes through: nearest point of the axis to the rim and
/// of the rim to the axis in turn.
static void axis_at_rim(hollow_query *q, int end, const double u[3], double half, double r)
{
    const hollow_wall *w = &q->wall;
    const double *c = q->shape.x;
    double s = (w->z[end] - c[2]) / u[2], y[3], n[3] = {0.0, 0.0, 0.0}, on_rim[3], height = 0.0;
    if (!(w->radius[end] > 0.0) || !(fabs(u[2]) > 1e-12) || !(fabs(s) < half)) return;
    for (int k = 0; k < RIM_MOST; ++k) {
        double before = s, d[3];
        vec_add_scaled(c, s, u, y);
        height = hollow_rim(w, end, y, n);
        vec_add_scaled(y, -height, n, on_rim);
        vec_sub(on_rim, c, d);
        s = vec_dot(d, u);
        if (!(fabs(s) < half)) return; /* an end is nearer, which is a ball */
        if (fabs(s - before) <= 1e-15 * half) break;
    }
    double p[3];
    vec_add_scaled(y, -r, n, p);
    if (is_inside(w, y)) hollow_add(q, p, n, height - r, FEATURE_RIM + (unsigned)end);
}

static void capsule(hollow_query *q)
{
    double u[3], r = q->shape.size[0], half = q->shape.size[1], y[3];
    shape_axis(&q->shape, 2, u);
    for (int k = 0; k < (half > 0.0 ? 2 : 1); ++k) {
        vec_add_scaled(q->shape.x, k ? half : -half, u, y);
        hollow_ball(q, y, r, FEATURE_BALL + 3 * (unsigned)k);
    }
    for (int end = q->wall.bowl ? 1 : 0; end < 2; ++end) axis_at_rim(q, end, u, half, r);
}

/* ---- points of a body -------------------------------------------------------------------------------------------------------- */

/// A corner y of the body, if it is between the ends.
static void corner(hollow_query *q, const double y[3], unsigned feature)
{
    const hollow_wall *w = &q->wall;
    const double slack = 1e-12 * q->size;
    double n[3], height;
    if (y[2] > w->z[1] + slack || (!w->bowl && y[2] < w->z[0] - slack)) return;
    hollow_side(w, y, &height, n);
    hollow_add(q, y, n, height, feature);
}

/// Where the edge from a to b leaves through an end.
static void crossing(hollow_query *q, const double a[3], const double b[3], unsigned feature)
{
    const hollow_wall *w = &q->wall;
    for (int end = w->bowl ? 1 : 0; end < 2; ++end) {
        const double z = w->z[end];
        double y[3];
        if ((a[2] - z) * (b[2] - z) >= 0.0) continue;
        const double s = (z - a[2]) / (b[2] - a[2]);
        for (int i = 0; i < 3; ++i) y[i] = a[i] + s * (b[i] - a[i]);
        y[2] = z;
        corner(q, y, FEATURE_CROSSING + 2 * feature + (unsigned)end);
    }
}

static void box(hollow_query *q)
{
    double v[8][3];
    for (int k = 0; k < 8; ++k) {
        const double *half = q->shape.size,
                     local[3] = {k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]};
        mat_apply(q->shape.R, local, v[k]);
        vec_add_scaled(v[k], 1.0, q->shape.x, v[k]);
        corner(q, v[k], FEATURE_OWN + (unsigned)k);
    }
    for (int k = 0; k < 8; ++k)
        for (int axis = 0; axis < 3; ++axis)
            if (!(k >> axis & 1)) crossing(q, v[k], v[k | 1 << axis], (unsigned)(3 * k + axis));
}

static void hull(hollow_query *q)
{
    const hull_data *g = &q->shape.geometry->hull;
    double v[SCREE_HULL_VERTICES_MAX][3];
    for (int k = 0; k < g->vertex_count; ++k) {
        mat_apply(q->shape.R, g->vertex[k], v[k]);
        for (int i = 0; i < 3; ++i) v[k][i] = q->shape.x[i] + q->shape.size[0] * v[k][i];
        corner(q, v[k], FEATURE_OWN + (unsigned)k);
    }
    for (int f = 0; f < g->face_count; ++f)
        for (int k = g->first[f]; k < g->first[f + 1]; ++k) {
            const int a = g->loop[k], b = g->loop[k + 1 < g->first[f + 1] ? k + 1 : g->first[f]];
            if (a < b) crossing(q, v[a], v[b], (unsigned)g->loop_edge[k]); /* the other face has it from b to a */
        }
}

/* ---- smooth bodies ------------------------------------------------------------------------------------------------------------ */

/// How far the body's support point y along the outward normal n is beyond the wall, by the tangent plane there; n: y's own normal next.
static double beyond(const hollow_query *q, const double n[3], double y[3], double next[3])
{
    const hollow_wall *w = &q->wall;
    double normal[3], height;
    support_point(&q->shape, n, y);
    vec_add_scaled(y, 1.0, q->shape.x, y);
    hollow_side(w, y, &height, normal);
    for (int i = 0; i < 3; ++i) next[i] = -normal[i];
    return -height;
}

/// Ascends from n to where the support point has n itself as the wall's outward normal.
static void ascend(const hollow_query *q, double n[3])
{
    double y[3], next[3], step[3] = {0.0, 0.0, 0.0};
    double best = beyond(q, n, y, next);
    for (int k = 0; k < ASCENT_MOST; ++k) {
        double d[3], ahead[3], then[3], z[3];
        vec_sub(next, n, d);
        const double way = vec_norm(d), before = vec_dot(step, step), along = vec_dot(d, step);
        if (!(way > 1e-15)) return;
        memcpy(step, d, sizeof d);
        memcpy(n, next, 3 * sizeof *n);
        best = max2(best, beyond(q, n, y, next));
        /* A geometric series of steps has the sum step ratio/(1 - ratio) before it: taken where it ascends. */
        const double ratio = before > 0.0 ? along / before : 0.0;
        if (!(ratio > 0.05 && ratio < 0.999)) continue;
        for (int i = 0; i < 3; ++i) ahead[i] = n[i] + d[i] * ratio / (1.0 - ratio);
        if (!q->wall.bowl) { /* back to the normals that the wall has */
            double u[3];
            hollow_radial(ahead, u);
            ahead[0] = -q->wall.m[0] * u[0], ahead[1] = -q->wall.m[0] * u[1], ahead[2] = -q->wall.m[1];
        } else {
            memcpy(z, ahead, sizeof z);
            vec_unit(z, ahead);
        }
        const double value = beyond(q, ahead, z, then);
        if (!(value > best)) continue;
        best = value;
        memcpy(n, ahead, sizeof ahead), memcpy(next, then, sizeof then);
        step[0] = step[1] = step[2] = 0.0;
    }
}

/// What of the body looks along n: its corners, where their edges leave the wall, and the support point itself.
static void face_points(hollow_query *q, const double n[3], unsigned sector)
{
    face_polygon f;
    double y[3], next[3];
    const int lone = q->shape.kind == SCREE_SHAPE_ELLIPSOID;
    beyond(q, n, y, next);
    shape_face(&q->shape, n, &f);
    if (lone || f.count == 1) {
        corner(q, y, FEATURE_BALL + sector);
        return;
    }
    for (int k = 0; k < f.count; ++k) vec_add_scaled(f.at[k], 1.0, q->shape.x, f.at[k]);
    for (int k = 0; k < f.count; ++k) {
        corner(q, f.at[k], FEATURE_OWN + f.vertex[k]);
        if (f.count > 2 || k == 0) crossing(q, f.at[k], f.at[(k + 1) % f.count], f.edge[k]);
    }
    corner(q, y, FEATURE_BALL + sector);
}

static void smooth(hollow_query *q)
{
    const hollow_wall *w = &q->wall;
    double n[3], y[3], next[3];
    if (w->bowl) { /* from both ends of each axis of the body, and from where it is */
        for (int k = 0; k < 7; ++k) {
            shape_axis(&q->shape, k / 2 % 3, n);
            for (int i = 0; i < 3 && k % 2; ++i) n[i] = -n[i];
            if (k == 6) n[0] = n[1] = 0.0, n[2] = -1.0, vec_unit(q->shape.x, n);
            ascend(q, n);
            face_points(q, n, (unsigned)k);
        }
        return;
    }
    double value[AROUND], normal[AROUND][3];
    for (int k = 0; k < AROUND; ++k) {
        const double angle = 2.0 * 3.14159265358979323846 / AROUND * k;
        normal[k][0] = -w->m[0] * real_cos(angle), normal[k][1] = -w->m[0] * real_sin(angle), normal[k][2] = -w->m[1];
        support_point(&q->shape, normal[k], y);
        vec_add_scaled(y, 1.0, q->shape.x, y);
        const double d[3] = {y[0] - w->radius[0] * real_cos(angle), y[1] - w->radius[0] * real_sin(angle),
                             y[2] - w->z[0]};
        value[k] = vec_dot(d, normal[k]);
    }
    for (int k = 0; k < AROUND; ++k) {
        if (value[k] < value[(k + 1) % AROUND] || value[k] < value[(k + AROUND - 1) % AROUND]) continue;
        memcpy(next, normal[k], sizeof next);
        ascend(q, next);
        face_points(q, next, (unsigned)k);
    }
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------------ */

int hollow_collide(const posed_shape *wall, const posed_shape *shape, double reach, contact_point point[SURFACE_POINTS])
{
    hollow_query q = {
        .wall = hollow_wall_of(wall), .shape = *shape, .reach = reach, .most = SURFACE_POINTS, .point = point};
    double d[3];
    if (shape->kind == SCREE_SHAPE_PLANE || shape_is_surface(shape->kind)) return 0;
    if (shape->kind == SCREE_SHAPE_SPHERE) return ball_on_hollow(wall, shape->x, shape->size[0], reach, point);
    vec_sub(shape->x, wall->x, d);
    mat_apply_transpose(wall->R, d, q.shape.x);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            q.shape.R[3 * i + j] =
                wall->R[i] * shape->R[j] + wall->R[3 + i] * shape->R[3 + j] + wall->R[6 + i] * shape->R[6 + j];
    q.size = shape->kind == SCREE_SHAPE_HULL ? shape->size[0] * shape->geometry->radius
                                             : shape_extent(shape->kind, shape->size);
    if (shape->kind == SCREE_SHAPE_CAPSULE) capsule(&q);
    else if (!is_inside(&q.wall, q.shape.x)) return 0;
    else if (shape->kind == SCREE_SHAPE_BOX) box(&q);
    else if (shape->kind == SCREE_SHAPE_HULL) hull(&q);
    else smooth(&q);
    for (int k = 0; k < q.count; ++k) contact_point_to_world(wall, &point[k]);
    contact_points_sort(q.count, point);
    return q.count;
}
