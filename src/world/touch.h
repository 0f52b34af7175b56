/* touch.h: one contact of two shapes, as any engine has it: types, and what follows from two materials, two poses and the contacts of the step
 * before alone. One text for the processor (detect.c, materials.c, periodic.c) and for devices. */
#ifndef SCREE_WORLD_TOUCH_H
#define SCREE_WORLD_TOUCH_H

#include "collision/contact_point.h"
#include "laws/forcing.h"
#include "math/quat.h"
#include "math/scalar.h"

#include <scree/world.h>

typedef double vec3[3];
typedef double quat[4];

/// What a contact of two materials has. Arms of two kinds (a length, a ratio) can be mixed only where the radii are known: then `differ` is
/// set and the contact mixes the two materials' own arms.
typedef struct pair_friction {
    scree_friction friction;
    scree_dem dem;
    double modulus, shear; /* E of Hertz and G of Mindlin [Pa]; 0: neither has `young` */
    double zeta;           /* damping ratio along the normal                           */
    unsigned char given, differ;
    unsigned char passing;      /* shapes of the two do not touch */
    unsigned char words_differ; /* the two materials do not agree in one of the words of `dem` */
} pair_friction;

/// What a soft contact remembers (dem/dem.c): its springs, and where on both surfaces it was, carried along by the bodies.
/// All zero: a contact that has not begun.
typedef struct contact_memory {
    double frame_a[6], frame_b[6]; /* n and u of the last step as each body has carried them, world frame  */
    double arm_a[3], arm_b[3];     /* from the centres of mass to the last contact point on each surface    */
    double spring[7]; /* slide, roll of i, roll of j, spin; sds: slide (3), roll (3), twist. i: dem/dem_law.h */
    double energy[2]; /* stored at the start of the last step: normal, friction [J]             */
    unsigned char live, kinetic[4];
    unsigned char
        basis; /* 1, 2: springs are along vec_tangent_half of the last normal, north or south (dem_spheres.c); 0: along the frames */
} contact_memory;

typedef struct surface_bend {
    double mean, along; /* mean of the principal curvatures, and curvature along a direction [1/m]         */
    double straight[3]; /* unit vector along which it is straight, and `along` that across it; 0: there is none */
} surface_bend;

/* ---- places --------------------------------------------------------------------------------------------------------------------- */

/// What lies a number of images further along an axis lies aside by its tilt (x with y, x and y with z), so z goes first.
SCREE_HD void image_aside(const scree_world_options *o, int axis, double images, double r[3])
{
    if (images == 0.0 || axis == 0) return;
    r[0] -= images * o->tilt[axis - 1];
    if (axis == 2) r[1] -= images * o->tilt[2];
}

/// Of all images of a difference of places the shortest, in place; as it is where nothing is periodic.
SCREE_HD void nearest_image(const scree_world_options *o, double r[3])
{
    for (int k = 2; k >= 0; --k) {
        if (!o->periodic[k]) continue;
        double period = o->high[k] - o->low[k], images = nearbyint(r[k] / period);
        r[k] -= period * images;
        image_aside(o, k, images, r);
    }
}

/// Where the origin of a shape is, of a body at (x, q).
SCREE_HD void shape_centre(const scree_shape *s, const double x[3], const double q[4], double centre[3])
{
    memcpy(centre, x, 3 * sizeof *centre);
    if (vec_dot(s->position, s->position) > 0.0) { /* most bodies are one shape, at their centre */
        double offset[3];
        quat_rotate(q, s->position, offset);
        vec_add_scaled(centre, 1.0, offset, centre);
    }
}

SCREE_HD void shape_pose(const scree_shape *s, const double x[3], const double q[4], posed_shape *posed)
{
    double turned[4];
    posed->kind = s->kind, posed->size = s->size, posed->geometry = s->geometry;
    if (s->kind == SCREE_SHAPE_PLANE) {
        forcing_plane(x, q, s->position, s->rotation, posed->x, posed->R);
        return;
    }
    shape_centre(s, x, q, posed->x);
    quat_mul(q, s->rotation, turned);
    quat_axes(turned, posed->R);
}

/// Where two spheres meet, A's first.
SCREE_HD void spheres_point(const scree_world_options *o, const double a[3], double radius_a, const double b[3],
                            double radius_b, contact_point *point)
{
    double r[3];
    vec_sub(b, a, r);
    nearest_image(o, r);
    const double distance = vec_norm(r);
    point->gap = distance - (radius_a + radius_b), point->feature = 0;
    if (distance > 0.0)
        for (int k = 0; k < 3; ++k) point->normal[k] = r[k] / distance;
    else { /* one in the middle of the other: any direction, but always the same, and in the plane of motion */
        point->normal[0] = o->planar != SCREE_PLANAR_YZ, point->normal[1] = 0.0;
        point->normal[2] = 1.0 - point->normal[0];
    }
    vec_add_scaled(a, radius_a + 0.5 * point->gap, point->normal, point->position);
}

/* ---- friction ------------------------------------------------------------------------------------------------------------------- */

SCREE_HD double mix_values(scree_mixing rule, double a, double b)
{
    switch (rule) {
    case SCREE_MIX_MAX: return max2(a, b);
    case SCREE_MIX_MEAN: return 0.5 * (a + b);
    case SCREE_MIX_GEOMETRIC: return sqrt(a) * sqrt(b);
    case SCREE_MIX_MIN:
    default: return min2(a, b);
    }
}

/// What it takes to start, where it is given.
SCREE_HD const scree_friction_length *arm_at_start(const scree_friction_length *at_rest,
                                                   const scree_friction_length *moving)
{
    return at_rest->value > 0.0 ? at_rest : moving;
}

/// What arms refer to at a contact, by their kinds.
typedef double arm_units[SCREE_LENGTH_REDUCED + 1];

/// s/(1 + s/l) of the smaller and the larger radius: exactly s against a plane, and s/2 of two equal ones.
SCREE_HD void arm_units_of(double radius_a, double radius_b, arm_units unit)
{
    double least = min2(radius_a, radius_b), most = max2(radius_a, radius_b);
    unit[SCREE_LENGTH_ABSOLUTE] = 1.0, unit[SCREE_LENGTH_RATIO] = least;
    unit[SCREE_LENGTH_REDUCED] = isfinite(most) ? least / (1.0 + least / most) : least;
}

SCREE_HD double arm_length(const scree_friction_length *arm, const arm_units unit)
{
    return arm->value * unit[arm->kind];
}

/// Of two materials whose arms have no mixture: lengths first, then the mixture.
SCREE_HD double mixed_length(scree_mixing rule, const scree_friction_length *a, const scree_friction_length *b,
                             const arm_units unit)
{
    return mix_values(rule, arm_length(a, unit), arm_length(b, unit));
}

/// rho or sigma in motion, and at rest: `arm` and `at_rest` are those of the pair, the rest those of its materials.
SCREE_HD void contact_arms_of(scree_mixing rule, int differ, const arm_units unit,
                              const scree_friction_length *const arm[3], const scree_friction_length *const at_rest[3],
                              double length[2])
{
    if (!differ) {
        length[0] = arm_length(arm[0], unit), length[1] = arm_length(at_rest[0], unit);
    } else {
        length[0] = mixed_length(rule, arm[1], arm[2], unit);
        length[1] = mixed_length(rule, arm_at_start(at_rest[1], arm[1]), arm_at_start(at_rest[2], arm[2]), unit);
    }
    length[1] = max2(length[0], length[1]);
}

/// Cone, restitution and stiffness of a contact of two materials whose frictions are a and b: contact_law.
SCREE_HD void touch_law(const scree_world_options *o, const pair_friction *pair, const scree_friction *a,
                        const scree_friction *b, double radius_a, double radius_b, scree_contact_point *touch)
{
    const scree_friction *f = &pair->friction;
    const scree_friction_length *const roll[3] = {&f->rolling, &a->rolling, &b->rolling},
                                       *const roll_rest[3] = {&f->rolling_static, &a->rolling_static,
                                                              &b->rolling_static},
                                       *const spin[3] = {&f->spinning, &a->spinning, &b->spinning},
                                       *const spin_rest[3] = {&f->spinning_static, &a->spinning_static,
                                                              &b->spinning_static};
    double rho[2], sigma[2];
    arm_units unit;
    arm_units_of(radius_a, radius_b, unit);
    contact_arms_of(o->mix_rolling, pair->differ, unit, roll, roll_rest, rho);
    contact_arms_of(o->mix_spinning, pair->differ, unit, spin, spin_rest, sigma);
    const int planar = o->planar != SCREE_PLANAR_NONE;
    touch->cone.size[SCREE_FRICTION_SLIDE] = planar ? 1 : 2;
    touch->cone.size[SCREE_FRICTION_ROLL] = rho[0] > 0.0 ? (planar ? 1 : 2) : 0;
    touch->cone.size[SCREE_FRICTION_SPIN] = sigma[0] > 0.0 && !planar;
    touch->cone.coef[SCREE_FRICTION_SLIDE] = f->mu;
    touch->cone.coef[SCREE_FRICTION_ROLL] = rho[0];
    touch->cone.coef[SCREE_FRICTION_SPIN] = planar ? 0.0 : sigma[0];
    touch->coef_static[SCREE_FRICTION_SLIDE] = max2(f->mu, f->mu_static);
    touch->coef_static[SCREE_FRICTION_ROLL] = rho[1];
    touch->coef_static[SCREE_FRICTION_SPIN] = planar ? 0.0 : sigma[1];
    touch->restitution = f->restitution;
    touch->stiffness = f->stiffness;
}

/* ---- from step to step ------------------------------------------------------------------------------------------------------------ */

/// t1 of the new contact: the old one projected onto the new tangent plane, or, where that fails, any tangent.
SCREE_HD void touch_tangent(const scree_world_options *o, const double plane_normal[3], const scree_contact_point *old,
                            scree_contact_point *t)
{
    if (o->planar != SCREE_PLANAR_NONE) {
        vec_cross(plane_normal, t->normal, t->tangent); /* then t2 = n x t1 is the normal of the plane of motion */
        return;
    }
    if (old) {
        vec_add_scaled(old->tangent, -vec_dot(old->tangent, t->normal), t->normal, t->tangent);
        double length = vec_norm(t->tangent);
        if (length > 0.1) {
            for (int k = 0; k < 3; ++k) t->tangent[k] /= length;
            return;
        }
    }
    vec_tangent(t->normal, t->tangent);
}

/// What a point on a wall continues if its feature was not there before: it has come over an edge. Of the contacts of the pair in the step
/// before, the one that is over, and was nearest, within what the two can have moved. -1: none. Where several points could continue one, the
/// first of them does.
SCREE_HD int touch_handed_on(const scree_world_options *o, double reach, int before, const scree_contact_point *old,
                             int count, const contact_point *point, int p)
{
    double best = reach * reach;
    int from = -1;
    for (int k = 0; k < before; ++k) {
        double r[3];
        int taken = 0;
        vec_sub(point[p].position, old[k].position, r);
        nearest_image(o, r);
        const double distance = vec_dot(r, r);
        if (!(distance <= best) || vec_dot(point[p].normal, old[k].normal) < 0.9) continue;
        for (int i = 0; i < count && !taken; ++i) {
            double s[3];
            vec_sub(point[i].position, old[k].position, s);
            nearest_image(o, s);
            taken = point[i].feature == old[k].feature || (i < p && vec_dot(s, s) < distance);
        }
        if (!taken) best = distance, from = k;
    }
    return from;
}

/// Turns `count` vectors as a body has turned from q0 to q1; bit for bit as they are where it has not.
SCREE_HD void memory_turn(const double q0[4], const double q1[4], int count, double *vector)
{
    const double back[4] = {q0[0], -q0[1], -q0[2], -q0[3]};
    double turn[4], turned[3];
    if (q1[0] == q0[0] && q1[1] == q0[1] && q1[2] == q0[2] && q1[3] == q0[3]) return;
    quat_mul(q1, back, turn);
    for (int k = 0; k < count; ++k) {
        quat_rotate(turn, vector + 3 * k, turned);
        memcpy(vector + 3 * k, turned, sizeof turned);
    }
}

/// Frames and points of a contact go with its bodies.
SCREE_HD void memory_carry(const double a0[4], const double a1[4], const double b0[4], const double b1[4],
                           contact_memory *m)
{
    if (!m->live) return;
    memory_turn(a0, a1, 2, m->frame_a), memory_turn(b0, b1, 2, m->frame_b);
    memory_turn(a0, a1, 1, m->arm_a), memory_turn(b0, b1, 1, m->arm_b);
}

#endif
