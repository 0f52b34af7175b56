/* dem_limit.c: how long a step of soft contacts may be. The one definition: `scree check`, the first step and every LIMIT_EVERY-th one
 * of both engines ask here.
 *
 * What there is. For a body b and a step h let F_b be the sum over its contacts of the largest h^2 k + 2 h d of a direction: normal with
 * its lever, slide with the roll that it turns, spin; k and d are stiffness and damping over mass or inertia. v += h a; x += h v is stable
 * where h^2 x'Kx + 2 h x'Dx < 4 x'Mx for all x (for an eigenvector x the step matrix is that of one oscillator), and
 *     F_a + F_b < 4     for each contact of a and b
 * is enough for that: with G_c the pushes of contact c, |sum of G_c x_c|^2 <= (sum of their squares) (sum of |x_c|^2) on each body. One
 * contact alone meets it.
 *
 * What may come. For every body that moves, one contact with the lightest other body of each material and with what does not move of it,
 * at the deepest overlap of the impact to come. For the speed v of that impact see impact_speed; an undamped one is at most
 *     depth(v) + what a body sinks in that is set down + v h
 * deep: as long as it goes on, explicit steps take at least the energy of the spring's load at the overlap before (the sum of their work
 * is a trapezoidal one, of a convex load), and the last of them goes v h at most. h is the limit at the depth without it.
 *
 * A spring whose slider has a bound of 0 has no load, and counts nothing. Springs count from the first step of a contact on. */
#include "dem/dem.h"

#include "base/memory.h"
#include "collision/collide.h"
#include "laws/dem_legacy.h"
#include "math/elementary.h"
#include "math/quat.h"

#include <stdio.h>
#include <string.h>

enum { LIMIT_EVERY = 64, LIMIT_PASSES = 40 };

int dem_limit_due(int64_t step)
{
    return step % LIMIT_EVERY == 0;
}

int64_t dem_limit_next(int64_t step)
{
    return step - step % LIMIT_EVERY + LIMIT_EVERY;
}

/* ---- one contact ------------------------------------------------------------------------------------------------------------- */

/// Everything that its stiffness follows from. Index 0: A, 1: B.
typedef struct site {
    const scree_contact_point *touch; /* its coefficients are read                                               */
    dem_law law;
    double bend, roll_bend;                              /* sums of curvatures: mean, along which it rolls [1/m] */
    double inv_mass[2], inv_inertia[2], mean_inertia[2]; /* mean_inertia: what damping takes; read if it moves      */
    double along[2],
        side[2];  /* 1/mass of the point of contact along the normal; across it, in the lightest direction */
    double delta; /* overlap                                                                             */
} site;

static double dashpot_inertia(const site *at)
{
    double inverse[2];
    for (int k = 0; k < 2; ++k) inverse[k] = at->inv_mass[k] > 0.0 ? 1.0 / at->mean_inertia[k] : 0.0;
    return dem_dashpot_inertia(inverse[1], inverse[0], at->law.friction.published);
}

/// Springs of friction that have a bound; the others are 0.
static void friction_springs(const site *at, double R, double contact_radius, dem_spring s[DEM_SPRINGS])
{
    dem_friction_def f = at->law.friction;
    const double *coef = at->touch->cone.coef;
    double mass = dem_dashpot_inertia(at->inv_mass[1], at->inv_mass[0], f.published), inertia = dashpot_inertia(at);
    if (!(f.stiffness > 0.0)) f.stiffness = dem_mindlin_stiffness(at->law.pair->shear, contact_radius);
    if (at->law.model == SCREE_DEM_SDS) {
        dem_sds sds[DEM_SDS_SPRINGS];
        dem_sds_springs(&f, at->law.sds_roll, mass, inertia, sds);
        const dem_sds *slide = &sds[DEM_SDS_SLIDE], *roll = &sds[DEM_SDS_ROLL], *twist = &sds[DEM_SDS_TWIST];
        if (f.slide_kinetic > 0.0) s[DEM_SLIDE] = (dem_spring){slide->stiffness, slide->damping, {0.0, 0.0}, 0};
        if (at->law.rolls && coef[SCREE_FRICTION_ROLL] > 0.0)
            s[DEM_ROLL_I] = (dem_spring){R * R * roll->stiffness, R * R * roll->damping, {0.0, 0.0}, 0};
        if (at->law.spins && coef[SCREE_FRICTION_SPIN] > 0.0 && twist->stiffness > 0.0)
            s[DEM_SPIN] = (dem_spring){twist->stiffness, twist->damping, {0.0, 0.0}, 0};
        s[DEM_ROLL_J] = s[DEM_ROLL_I];
        return;
    }
    dem_partners with = {.kappa_i = at->roll_bend, .mean_curvature = at->bend, .mass = mass, .inertia = inertia};
    with.contact_radius = contact_radius;
    dem_settle_eta(at->touch, at->roll_bend, at->bend, &f);
    dem_friction_springs(&f, &with, 1.0, s);
    if (at->law.model == SCREE_DEM_TORQUE) s[DEM_ROLL_I] = s[DEM_ROLL_J] = (dem_spring){.stiffness = 0.0};
    for (int k = 0; k < DEM_SPRINGS; ++k)
        if (!(max2(s[k].bound[0], s[k].bound[1]) > 0.0)) s[k] = (dem_spring){.stiffness = 0.0};
}

/// For both bodies, the direction that limits a step of about h most. What has no curvature where its law needs one counts nothing: its
/// loads say so.
static void site_rates(const site *at, double h, dem_rate rate[2])
{
    const double R = at->bend > 0.0 ? 1.0 / at->bend : 0.0, mass = dem_effective_mass(at->inv_mass[1], at->inv_mass[0]);
    dem_normal normal = at->law.normal;
    dem_spring s[DEM_SPRINGS] = {{.stiffness = 0.0}};
    rate[0] = rate[1] = (dem_rate){0.0, 0.0};
    if (normal.kind == DEM_HERTZ && !(R > 0.0)) return;
    if (normal.kind == DEM_HERTZ) normal.stiffness = dem_hertz_stiffness(normal.stiffness, R);
    double delta = max2(at->delta, 0.0), push = 0.0, damping = 0.0, root = sqrt(sqrt(delta));
    if (normal.kind == DEM_HOOKE) push = normal.stiffness, damping = 2.0 * normal.zeta * sqrt(mass * push);
    if (normal.kind == DEM_HERTZ) {
        push = dem_normal_slope(&normal, delta);
        damping = sqrt(5.0) * root * normal.zeta * sqrt(mass * normal.stiffness);
    }
    const double E = at->law.pair->modulus;
    double a = normal.kind == DEM_CONSTANT && E > 0.0 ? dem_contact_radius_of_load(normal.stiffness, R, E)
                                                      : dem_contact_radius(R, delta);
    if (!at->law.friction_free) friction_springs(at, R, a, s);
    for (int k = 0; k < 2; ++k) {
        const dem_spring *roll = &s[k ? DEM_ROLL_I : DEM_ROLL_J];
        double I = at->inv_inertia[k], along = at->along[k], side = at->side[k];
        dem_rate pushed = {push * along, damping * along},
                 turned = {s[DEM_SPIN].stiffness * I, s[DEM_SPIN].damping * I};
        dem_rate slid = {s[DEM_SLIDE].stiffness * side + roll->stiffness * I,
                         s[DEM_SLIDE].damping * side + roll->damping * I};
        rate[k] = dem_rate_worse(dem_rate_worse(pushed, slid, h), turned, h);
    }
}

/* ---- contacts that are there ------------------------------------------------------------------------------------------------- */

/// What turns a body: 1 N m about each axis, in its principal frame.
typedef struct turning {
    double
        inverse[3]; /* of the inertias; a body of a planar world turns about one direction only, which is then `axis` */
    double axis[3];
    int planar;
} turning;

static turning turning_of(const scree_world *w, int body)
{
    turning t = {.planar = w->options.planar != SCREE_PLANAR_NONE};
    for (int k = 0; k < 3; ++k) t.inverse[k] = 1.0 / (t.planar ? dem_mean_inertia(w, body) : w->inertia[body][k]);
    if (t.planar) planar_normal(w->options.planar, t.axis);
    return t;
}

static double most_inverse(const turning *t)
{
    return max2(t->inverse[0], max2(t->inverse[1], t->inverse[2]));
}

/// u' I^-1 v, in the world frame.
static double turn_of(const scree_world *w, int body, const turning *t, const double u[3], const double v[3])
{
    double a[3], b[3], sum = 0.0;
    if (t->planar) return vec_dot(u, t->axis) * vec_dot(v, t->axis) * t->inverse[0];
    quat_rotate_inverse(w->q[body], u, a), quat_rotate_inverse(w->q[body], v, b);
    for (int k = 0; k < 3; ++k) sum += a[k] * b[k] * t->inverse[k];
    return sum;
}

/// Inertias of one side of a contact that is there: of the tangents the lighter direction of the two-by-two matrix.
static void side_of_touch(const scree_world *w, const scree_contact_point *touch, int body, const double arm[3], int k,
                          site *at)
{
    const turning t = turning_of(w, body);
    double t2[3], n_arm[3], arm_1[3], arm_2[3], m = 1.0 / w->mass[body];
    vec_cross(touch->normal, touch->tangent, t2);
    vec_cross(arm, touch->normal, n_arm), vec_cross(arm, touch->tangent, arm_1), vec_cross(arm, t2, arm_2);
    double a = turn_of(w, body, &t, arm_1, arm_1), b = turn_of(w, body, &t, arm_2, arm_2),
           c = turn_of(w, body, &t, arm_1, arm_2);
    at->inv_mass[k] = m, at->inv_inertia[k] = most_inverse(&t), at->mean_inertia[k] = dem_mean_inertia(w, body);
    at->along[k] = m + turn_of(w, body, &t, n_arm, n_arm);
    at->side[k] = m + 0.5 * (a + b) + sqrt(0.25 * (a - b) * (a - b) + c * c);
}

/// 0: it counts nothing.
static int touch_rates(const scree_world *w, const scree_contact_point *touch, double h, dem_rate rate[2])
{
    const int body[2] = {touch->body_a, touch->body_b}, shape[2] = {touch->shape_a, touch->shape_b};
    const double *n = touch->normal, outward[2][3] = {{n[0], n[1], n[2]}, {-n[0], -n[1], -n[2]}};
    const pair_friction *pair = world_pair(w, w->shape_link[shape[0]].material, w->shape_link[shape[1]].material);
    static const double nowhere[3] = {0.0, 0.0, 0.0};
    site at = {.touch = touch, .delta = -touch->gap};
    contact_arms arms;
    if (dem_law_of(pair, touch->cone.coef, touch->coef_static, &at.law)) return 0;
    if (at.law.normal.kind != DEM_CONSTANT && !(touch->gap < 0.0)) return 0;
    touch_arms(w, touch, &arms);
    for (int k = 0; k < 2; ++k) {
        const double *arm = k ? arms.b : arms.a;
        surface_bend bend = shape_curvature(w, shape[k], arm, outward[k], nowhere);
        at.bend += bend.mean, at.roll_bend += bend.along;
        if (w->kind[body[k]] == SCREE_BODY_DYNAMIC) side_of_touch(w, touch, body[k], arm, k, &at);
    }
    site_rates(&at, h, rate);
    return 1;
}

/// The worst contact for a step of h. `sum`: (bodies) scratch.
static scree_status contacts_worst(const dem_limit_view *v, double h, dem_rate *sum, dem_worst *worst)
{
    const scree_world *w = v->world;
    dem_rate rate[2];
    *worst = (dem_worst){.body = {-1, -1}};
    memset(sum, 0, (size_t)w->body_count * sizeof *sum);
    for (int k = 0; k < v->contacts->count; ++k) {
        const scree_contact_point *touch = &v->contacts->touch[k];
        if (!touch_rates(w, touch, h, rate)) continue;
        sum[touch->body_a] = dem_rate_sum(sum[touch->body_a], rate[0]);
        sum[touch->body_b] = dem_rate_sum(sum[touch->body_b], rate[1]);
    }
    const scree_status status = v->more ? v->more(v->context, h, sum, worst) : SCREE_OK;
    if (status != SCREE_OK) return status;
    for (int k = 0; k < v->contacts->count; ++k) {
        const scree_contact_point *touch = &v->contacts->touch[k];
        dem_rate both = dem_rate_sum(sum[touch->body_a], sum[touch->body_b]);
        if (!(dem_rate_weight(both, h) > dem_rate_weight(worst->rate, h)) || !touch_rates(w, touch, h, rate)) continue;
        *worst = (dem_worst){.rate = both, .body = {touch->body_a, touch->body_b}};
    }
    return SCREE_OK;
}

/* ---- contacts that may come -------------------------------------------------------------------------------------------------- */

/// A shape as a partner: its curvature is that of a sphere of its rolling radius, its point of contact may be anywhere on it.
typedef struct grain {
    int shape, material; /* shape -1: there is none */
    double inv_mass;     /* 0: it does not move freely */
    double inv_inertia, mean_inertia, radius, along, side;
} grain;

/// Bounds of 1/mass anywhere on a shape. With e its half lengths in the principal frame, arm x direction is at most (e_i^2 + e_j^2)^(1/2)
/// about axis k; along the normal of an ellipsoid |e_i - e_j|, of a sphere that is off the centre its offset.
static void point_masses(const scree_world *w, int shape, const turning *t, grain *g)
{
    const scree_shape *s = &w->shape[shape];
    posed_shape own = {.kind = s->kind, .size = s->size, .geometry = s->geometry};
    double e[3], low[3], high[3], any = 0.0, normal = 0.0, off = vec_norm(s->position), reach = off;
    int ball = s->kind == SCREE_SHAPE_SPHERE, round = s->kind == SCREE_SHAPE_ELLIPSOID && !(off > 0.0);
    reach += w->shape_extent[shape];
    double most = reach * reach * most_inverse(t);
    if (ball && !(off > 0.0)) {
        g->along = g->inv_mass, g->side = g->inv_mass + most;
        return;
    }
    memcpy(own.x, s->position, sizeof own.x);
    quat_axes(s->rotation, own.R);
    shape_bounds(&own, low, high);
    for (int k = 0; k < 3; ++k) e[k] = max2(fabs(low[k]), fabs(high[k]));
    for (int k = 0; k < 3; ++k) {
        double a = e[(k + 1) % 3], b = e[(k + 2) % 3];
        any += (a * a + b * b) * t->inverse[k];
        normal += (round ? (a - b) * (a - b) : a * a + b * b) * t->inverse[k];
    }
    if (ball) normal = off * off * most_inverse(t);
    g->side = g->inv_mass + min2(any, most), g->along = g->inv_mass + min2(normal, most);
}

static grain grain_of(const scree_world *w, int shape)
{
    int b = w->shape_body[shape];
    grain g = {.shape = shape, .material = w->shape_link[shape].material, .radius = SCREE_INFINITY};
    if (w->kind[b] != SCREE_BODY_DYNAMIC) return g;
    const turning t = turning_of(w, b);
    g.inv_mass = 1.0 / w->mass[b], g.inv_inertia = most_inverse(&t), g.mean_inertia = dem_mean_inertia(w, b);
    g.radius = w->roll_radius[shape];
    point_masses(w, shape, &t, &g);
    return g;
}

/// What there is of a material: the two lightest shapes of different bodies that move, one that does not.
typedef struct supply {
    grain light[2], immovable;
} supply;

static void supply_note(const scree_world *w, int shape, supply *s)
{
    grain g = grain_of(w, shape), *light = s->light;
    if (!(g.inv_mass > 0.0)) {
        if (s->immovable.shape < 0) s->immovable = g;
        return;
    }
    int same = light[0].shape >= 0 && w->shape_body[light[0].shape] == w->shape_body[shape];
    if (light[0].shape < 0 || (!same && g.inv_mass > light[0].inv_mass)) light[1] = light[0], light[0] = g;
    else if (!same && (light[1].shape < 0 || g.inv_mass > light[1].inv_mass)) light[1] = g;
}

/* The speed of the fastest impact to come: a body that falls from where it is, sqrt(v^2 + 2 g drop), which steps never increase in free
 * fall (v^2/2 + g z loses g^2 h^2/2 in each), and the fastest driven one against it. */

enum { PLANES_MOST = 32 }; /* more are not asked: bodies may then fall farther */

/// What bodies fall on.
typedef struct ground {
    double up[3]; /* against gravity */
    int planes;
    double normal[PLANES_MOST][3], point[PLANES_MOST][3];
    double
        lowest; /* point along `up` of all else that does not move freely; of the bodies that do, where there is none */
} ground;

/// The lowest point along `up` of a shape's box.
static double shape_low(const posed_shape *s, const double up[3])
{
    double low[3], high[3], sum = 0.0;
    shape_bounds(s, low, high);
    for (int i = 0; i < 3; ++i) sum += up[i] * (up[i] > 0.0 ? low[i] : high[i]);
    return sum;
}

static void ground_note(const scree_world *w, int shape, ground *g, double *lowest_moving)
{
    int kind = w->kind[w->shape_body[shape]];
    posed_shape at;
    if (kind == SCREE_BODY_REMOVED) return;
    if (kind == SCREE_BODY_DYNAMIC) {
        double centre[3];
        world_shape_centre(w, shape, centre);
        *lowest_moving = min2(*lowest_moving, vec_dot(centre, g->up) - w->shape_extent[shape]);
        return;
    }
    world_shape_pose(w, shape, &at);
    if (at.kind != SCREE_SHAPE_PLANE) {
        g->lowest = min2(g->lowest, shape_low(&at, g->up));
        return;
    }
    const double n[3] = {at.R[2], at.R[5], at.R[8]};
    if (!(vec_dot(n, g->up) > 1e-3) || g->planes == PLANES_MOST) return;
    memcpy(g->normal[g->planes], n, sizeof n), memcpy(g->point[g->planes], at.x, sizeof at.x);
    g->planes += 1;
}

static ground ground_of(const scree_world *w)
{
    ground g = {.lowest = SCREE_INFINITY};
    double size = vec_norm(w->options.gravity), lowest_moving = SCREE_INFINITY;
    for (int i = 0; i < 3 && size > 0.0; ++i) g.up[i] = -w->options.gravity[i] / size;
    for (int k = 0; k < w->shape_count && size > 0.0; ++k) ground_note(w, k, &g, &lowest_moving);
    if (!(g.lowest < SCREE_INFINITY)) g.lowest = lowest_moving;
    return g;
}

/// How far a body may fall, of a sphere to where it touches; below 0 for one that has sunk in there, or is below all that stands.
static double drop_of(const scree_world *w, const ground *g, int body)
{
    int first = w->first_shape[body], ball = w->shape_total[body] == 1 && w->shape[first].kind == SCREE_SHAPE_SPHERE;
    double radius = ball ? w->shape_extent[first] : 0.0, drop = SCREE_INFINITY;
    for (int k = 0; k < g->planes; ++k) {
        double r[3];
        vec_sub(w->x[body], g->point[k], r);
        drop = min2(drop, (vec_dot(g->normal[k], r) - radius) / vec_dot(g->normal[k], g->up));
    }
    return g->planes > 0 ? drop : vec_dot(w->x[body], g->up) - radius - g->lowest;
}

static double impact_speed(const scree_world *w, double h)
{
    const ground g = ground_of(w);
    double fall2 = 0.0, driven = 0.0, size = vec_norm(w->options.gravity);
    for (int b = 0; b < w->body_count; ++b) {
        double reach = w->shape_total[b] > 0 ? w->shape_extent[w->first_shape[b]] : 0.0, drop = 0.0, v[3], omega[3];
        if (w->kind[b] == SCREE_BODY_DRIVEN) {
            body_driven_velocity(w, b, w->time, h, v, omega);
            driven = max2(driven, vec_norm(v) + (reach < SCREE_INFINITY ? reach * vec_norm(omega) : 0.0));
        }
        if (w->kind[b] != SCREE_BODY_DYNAMIC || w->shape_total[b] == 0) continue;
        if (size > 0.0) drop = drop_of(w, &g, b);
        if (drop < -2.0 * reach) continue; /* it has left everything behind */
        fall2 = max2(fall2, vec_dot(w->v[b], w->v[b]) + 2.0 * size * drop);
    }
    return sqrt(fall2) + driven;
}

/// The exact limit of a single contact: the direction that is worst at the limit itself. (Each pass has one that is worst at the last
/// limit, so limits fall until the direction stays.)
static double site_limit(const site *at)
{
    double limit = 1.0, last = 0.0;
    dem_rate rate[2];
    for (int k = 0; k < LIMIT_PASSES && limit != last && limit < SCREE_INFINITY; ++k) {
        last = limit;
        site_rates(at, last, rate);
        limit = dem_rate_limit(dem_rate_sum(rate[0], rate[1]));
    }
    return limit;
}

/// Overlap that a body reaches which is set down with this weight, or which comes with this speed; 0: a load that is given.
static double deepest(const dem_normal *given, double R, double mass, double weight, double speed)
{
    dem_normal law = *given;
    if (law.kind == DEM_CONSTANT || (law.kind == DEM_HERTZ && !(R > 0.0))) return 0.0;
    if (law.kind == DEM_HERTZ) law.stiffness = dem_hertz_stiffness(law.stiffness, R);
    double set_down =
        law.kind == DEM_HOOKE ? 2.0 * weight / law.stiffness : real_root_power(2.5 * weight / law.stiffness, 2.0 / 3.0);
    return dem_impact_depth(&law, mass, speed) + set_down;
}

static double meeting_limit(const scree_world *w, const grain *a, const grain *b, double speed)
{
    const grain *side[2] = {a, b};
    scree_contact_point touch;
    site at = {.touch = &touch};
    contact_law(w, a->material, b->material, a->radius, b->radius, &touch);
    if (dem_law_of(world_pair(w, a->material, b->material), touch.cone.coef, touch.coef_static, &at.law))
        return SCREE_INFINITY;
    for (int k = 0; k < 2; ++k) {
        at.bend += 1.0 / side[k]->radius, at.inv_mass[k] = side[k]->inv_mass;
        at.along[k] = side[k]->along, at.side[k] = side[k]->side, at.inv_inertia[k] = side[k]->inv_inertia,
        at.mean_inertia[k] = side[k]->mean_inertia;
    }
    at.roll_bend = at.bend;
    double mass = dem_effective_mass(a->inv_mass, b->inv_mass), light = max2(a->inv_mass, b->inv_mass);
    double weight = vec_norm(w->options.gravity) / light, R = at.bend > 0.0 ? 1.0 / at.bend : 0.0;
    at.delta = deepest(&at.law.normal, R, mass, weight, speed);
    double limit = site_limit(&at);
    if (!(speed > 0.0 && limit < SCREE_INFINITY)) return limit;
    at.delta += speed * limit;
    return site_limit(&at);
}

static int equal(double a, double b)
{
    return !(a < b) && !(a > b);
}

/// 1: nothing that counts tells them apart.
static int grains_alike(const grain *a, const grain *b)
{
    return a->material == b->material && equal(a->inv_mass, b->inv_mass) && equal(a->inv_inertia, b->inv_inertia) &&
           equal(a->mean_inertia, b->mean_inertia) && equal(a->radius, b->radius) && equal(a->along, b->along) &&
           equal(a->side, b->side);
}

/// The smallest limit of a contact that a body may get. `supply`: (materials) scratch.
static dem_limit meetings_limit(const scree_world *w, double speed, supply *supplies)
{
    dem_limit least = {.step = SCREE_INFINITY, .body = -1, .partner = -1};
    const grain none = {.shape = -1};
    for (int m = 0; m < w->material_count; ++m) supplies[m] = (supply){{none, none}, none};
    for (int k = 0; k < w->shape_count; ++k)
        if (w->kind[w->shape_body[k]] != SCREE_BODY_REMOVED) supply_note(w, k, &supplies[w->shape_link[k].material]);
    grain last = none;
    for (int k = 0; k < w->shape_count; ++k) {
        int body = w->shape_body[k];
        if (w->kind[body] != SCREE_BODY_DYNAMIC) continue;
        grain own = grain_of(w, k);
        int lightest = 0; /* its partners are then not those of the grain before */
        for (int m = 0; m < w->material_count; ++m)
            lightest |= supplies[m].light[0].shape >= 0 && w->shape_body[supplies[m].light[0].shape] == body;
        if (!lightest && last.shape >= 0 && grains_alike(&own, &last)) continue;
        last = lightest ? none : own;
        for (int m = 0; m < w->material_count; ++m) {
            const grain *light = supplies[m].light;
            int own_light = light->shape >= 0 && w->shape_body[light->shape] == body;
            const grain *partner[2] = {own_light ? &light[1] : light, &supplies[m].immovable};
            for (int p = 0; p < 2; ++p) {
                if (partner[p]->shape < 0) continue;
                double limit = meeting_limit(w, &own, partner[p], speed);
                if (!(limit < least.step)) continue;
                least = (dem_limit){limit, body, w->shape_body[partner[p]->shape], m, 1};
            }
        }
    }
    return least;
}

/// 1: the stiffness of some contacts follows from their overlap: Hertz, Mindlin, and spin by Hertz.
static int stiffens(const scree_world *w)
{
    for (int a = 0; a < w->material_count; ++a)
        for (int b = 0; b <= a; ++b) {
            scree_contact_point touch;
            dem_law law;
            contact_law(w, a, b, 1.0, 1.0, &touch);
            if (dem_law_of(world_pair(w, a, b), touch.cone.coef, touch.coef_static, &law)) continue;
            int friction = !law.friction_free && (!(law.friction.stiffness > 0.0) || law.friction.spin_hertz);
            if (law.normal.kind == DEM_HERTZ || friction) return 1;
        }
    return 0;
}

/// 1: contacts to come take a step of h by what is known. Overlaps grow with the speed at most, stiffnesses with their power 3/2 at most
/// (spin by Hertz and Mindlin), limits fall with the root of that.
static int known_to_take(const dem_meetings *known, double speed, double h)
{
    if (!known || !known->known) return 0;
    if (!known->by_depth || !(speed > known->speed)) return h <= known->step;
    return h <= known->step * real_root_power(known->speed / speed, 0.75);
}

/// The limit of the contacts to come; where it is known to be longer than h, and not wanted, none.
static scree_status meetings_of(const dem_limit_view *v, double h, int wanted, supply *supplies, dem_limit *limit)
{
    dem_meetings *known = v->meetings;
    double speed = 0.0;
    if (!known || !known->known || known->by_depth) {
        const scree_status status = world_sync(v->world, PART_MOTION);
        if (status != SCREE_OK) return status;
        speed = impact_speed(v->world, h);
    }
    if (!wanted && known_to_take(known, speed, h)) return SCREE_OK;
    *limit = meetings_limit(v->world, speed, supplies);
    if (known) *known = (dem_meetings){1, stiffens(v->world), speed, limit->step};
    return SCREE_OK;
}

/* ---- the limit --------------------------------------------------------------------------------------------------------------- */

/// Of the contacts that are there: by the direction and the contact that are worst at the limit itself (site_limit).
static scree_status contacts_limit(const dem_limit_view *v, double h, dem_worst worst, dem_rate *sum, dem_limit *out)
{
    scree_status status = SCREE_OK;
    double limit = dem_rate_limit(worst.rate), last = h;
    for (int k = 0; k < LIMIT_PASSES && limit != last && limit < SCREE_INFINITY && status == SCREE_OK; ++k) {
        last = limit;
        status = contacts_worst(v, last, sum, &worst);
        limit = dem_rate_limit(worst.rate);
    }
    *out = (dem_limit){.step = limit, .body = worst.body[0], .partner = worst.body[1]};
    return status;
}

scree_status dem_limit_find(const dem_limit_view *v, double h, int wanted, dem_limit *limit, int *refused)
{
    const scree_world *w = v->world;
    dem_rate *sum = memory_raw_array(&v->memory, (size_t)w->body_count + 1, sizeof *sum);
    supply *supplies = memory_raw_array(&v->memory, (size_t)w->material_count + 1, sizeof *supplies);
    scree_status status = sum && supplies ? SCREE_OK : SCREE_ERR_MEMORY;
    *limit = (dem_limit){.step = SCREE_INFINITY, .body = -1, .partner = -1}, *refused = 0;
    dem_worst worst;
    dem_limit now = {.step = SCREE_INFINITY};
    if (!status) status = meetings_of(v, h, wanted, supplies, limit);
    if (!status) status = contacts_worst(v, h, sum, &worst);
    if (!status) {
        /* cppcheck-suppress uninitStructMember ; contacts_worst has filled it, or failed */
        int crowded = h * dem_rate_weight(worst.rate, h) > 4.0;
        *refused = crowded || h > limit->step;
        if (wanted || crowded) status = contacts_limit(v, h, worst, sum, &now);
        if (now.step < limit->step) *limit = now;
    }
    MEMORY_FREE_ALL(&v->memory, sum, supplies);
    return status;
}

/// Four fifths of the limit, cut to two digits. Powers of ten up to 10^22 are doubles, so a limit down to 1e-20 s is cut as in decimals.
static double step_advised(double limit)
{
    double parts = 10.0, whole = 1.0; /* of the second digit in 1 s: limit parts in [10, 100) */
    while (limit * parts < 10.0) parts *= 10.0;
    while (limit * parts / whole >= 100.0) whole *= 10.0;
    return floor(0.8 * limit * parts / whole) / parts * whole;
}

static void name_partner(const scree_world *w, const dem_limit *limit, char *text, size_t size)
{
    char name[128];
    scree_world_body_name(w, scree_body_at(limit->partner), name, sizeof name);
    if (!limit->to_come) snprintf(text, size, "%s", name);
    else snprintf(text, size, "%s of '%s'", name, w->material[limit->material].name);
}

scree_status dem_limit_refuse(const scree_world *w, const dem_limit *limit, double h, double t, scree_error *error)
{
    char body[128], partner[256], when[64] = "";
    scree_world_body_name(w, scree_body_at(limit->body), body, sizeof body);
    name_partner(w, limit, partner, sizeof partner);
    if (t > 0.0) snprintf(when, sizeof when, " at t = %.6g s", t);
    scree_error_set(error, NULL, 0, 0,
                    "the step of %.4g s is beyond the critical step of %.4g s, set by %s of %s and %s%s; expected a "
                    "step of at most %.2g s, or force_step: 1",
                    h, limit->step, limit->to_come ? "a contact to come" : "the contact", body, partner, when,
                    step_advised(limit->step));
    return SCREE_ERR_STEP;
}

scree_status dem_limit_judge(step_context *s)
{
    dem_limit_view v = {.world = s->world, .contacts = &s->world->contacts, .memory = s->memory};
    dem_limit limit;
    int refused;
    if (s->options->force_step || !dem_limit_due(s->world->step_count)) return SCREE_OK;
    scree_status status = dem_limit_find(&v, s->h, 0, &limit, &refused);
    return status || !refused ? status : dem_limit_refuse(s->world, &limit, s->h, s->t, s->error);
}
