/* dem_meet.h: one soft contact in one step: from poses, velocities and memory to loads.
 *
 * B is [FN]'s body i, A its j, but for planes, which are j (dem_b_is_i). The overlap gives N; the way of the contact point over both surfaces since the last step,
 * measured against where the bodies have carried the last points (memory), gives four springs their growth; the springs give the rest.
 * A contact begins when the gap closes (a constant load: when it is found) and has no friction in its first step (sds has, as in LAMMPS); it
 * forgets all when the gap opens. Kept in the memory: frame and points as they are now; dem_carry (dem.c) moves them along after
 * the bodies have moved.
 *
 * Rolling takes the curvature along the way. At rest there is none, and its direction would be that of rounding, so the direction is
 * that of  Theta + kappa p: of the way where a contact begins, of the memory where it rests. A surface that is straight along one
 * direction (curvature.c) has the curvature across it, and only that part of the way rolls: along the way it would bend by as little as one
 * likes, and [FN]'s roll stiffness, which goes with 1/kappa^2, would have no bound.
 *
 * One text for the processor (dem_contact.c) and for devices (dem/cuda). */
#ifndef SCREE_DEM_DEM_MEET_H
#define SCREE_DEM_DEM_MEET_H

#include "dem/dem_law.h"
#include "laws/dem_step.h"
#include "laws/maps.h"
#include "step/touch_motion.h"
#include "world/bend.h"

/// One of the two bodies of a contact, and the shape of it that touches.
typedef struct dem_body {
    const scree_shape *shape;
    const double *x, *q, *velocity;       /* velocity: (6) v and omega that have moved it here, world frame           */
    double inverse_mass, inverse_inertia; /* 0: it does not move freely; of dem_mean_inertia                          */
} dem_body;

typedef struct dem_meeting {
    const scree_world_options *options;
    const pair_friction *pair;
    dem_body a, b;
    double h;
    const double *of_cell; /* how fast a periodic cell that deforms moves B against A; NULL: it does not */
    int newcomers;         /* 1: an overlap that begins is not earned by motion                          */
} dem_meeting;

/// What the two surfaces and bodies are like at a contact.
typedef struct touch_geometry {
    const scree_contact_point *touch;
    double bend_a, bend_b;                /* mean curvatures                                        */
    double mass;                          /* effective                                              */
    double dashpot_mass, dashpot_inertia; /* dem_dashpot_inertia                        */
    double radius;                        /* of Hertz; 0: flat                          */
    double contact_radius;
} touch_geometry;

/// Adds the velocity of a periodic cell that deforms to that of B against A, in the frame of the touch.
SCREE_HD void add_cell_velocity(const dem_meeting *at, const scree_contact_point *touch, double velocity[SCREE_DIM_MAX])
{
    const double *v = at->of_cell;
    double t2[3];
    if (!v) return;
    vec_cross(touch->normal, touch->tangent, t2);
    velocity[0] += vec_dot(v, touch->normal), velocity[1] += vec_dot(v, touch->tangent), velocity[2] += vec_dot(v, t2);
}

SCREE_HD void look_at_surfaces(const dem_meeting *at, const scree_contact_point *touch, const contact_arms *arm,
                               int published, touch_geometry *g)
{
    const double *n = touch->normal, minus[3] = {-n[0], -n[1], -n[2]};
    const double nowhere[3] = {0.0, 0.0, 0.0};
    memset(g, 0, sizeof *g);
    g->touch = touch;
    g->bend_a = shape_bend(at->a.shape, at->a.q, arm->a, n, nowhere).mean;
    g->bend_b = shape_bend(at->b.shape, at->b.q, arm->b, minus, nowhere).mean;
    g->mass = dem_effective_mass(at->b.inverse_mass, at->a.inverse_mass);
    g->dashpot_mass = dem_dashpot_inertia(at->b.inverse_mass, at->a.inverse_mass, published);
    g->dashpot_inertia = dem_dashpot_inertia(at->b.inverse_inertia, at->a.inverse_inertia, published);
    g->radius = g->bend_a + g->bend_b > 0.0 ? dem_effective_radius(g->bend_b, g->bend_a) : 0.0;
}

/* ---- friction, as the contact has it ----------------------------------------------------------------------------------------- */

/// What belongs to the contact and not to its materials: Mindlin's stiffness, and eta from lengths.
SCREE_HD dem_need settle_friction(const dem_law *law, const touch_geometry *g, double curvature, dem_friction_def *f)
{
    if (!(f->stiffness > 0.0)) f->stiffness = dem_mindlin_stiffness(law->pair->shear, g->contact_radius);
    if (!(f->stiffness > 0.0)) return DEM_NEEDS_CURVATURE;
    dem_settle_eta(g->touch, curvature, g->bend_a + g->bend_b, f);
    return DEM_NEEDS_NOTHING;
}

/* ---- [FN]: contact points tracked on both surfaces --------------------------------------------------------------------------- */

SCREE_HD double surface_radius(const scree_shape *shape)
{
    return shape->kind == SCREE_SHAPE_SPHERE || shape->kind == SCREE_SHAPE_BOWL ? shape->size[0] : 0.0;
}

/// Curvature of one surface along the direction in which it rolls: `p`, `theta` in (u, w) of the frame; `sign` of its outward normal
/// against that of the frame. Returns it, and where the surface is straight.
SCREE_HD double rolling_curvature(const dem_body *of, const double arm[3], double sign, const dem_frame *f, double mean,
                                  const double p[2], const double theta[2], double straight[2])
{
    double side[3], along[3], outward[3];
    vec_cross(f->n, f->u, side);
    for (int k = 0; k < 3; ++k) {
        along[k] = (theta[0] + mean * p[0]) * f->u[k] + (theta[1] + mean * p[1]) * side[k];
        outward[k] = sign * f->n[k];
    }
    surface_bend bend = shape_bend(of->shape, of->q, arm, outward, along);
    dem_in_frame(f->n, f->u, bend.straight, straight);
    return bend.along;
}

/// Points of contact on both surfaces, from the centres of mass.
SCREE_HD void surface_points(const scree_contact_point *touch, const contact_arms *arm, double on_a[3], double on_b[3])
{
    vec_add_scaled(arm->a, -0.5 * touch->gap, touch->normal, on_a);
    vec_add_scaled(arm->b, 0.5 * touch->gap, touch->normal, on_b);
}

/// The last point as the body has carried it. What is longer than half a period, as a plane is, may now be met through another image.
SCREE_HD void carried_near(const scree_world_options *o, const double last[3], const double point[3], double carried[3])
{
    memcpy(carried, last, sizeof(vec3));
    if (!o->periodic[0] && !o->periodic[1] && !o->periodic[2]) return;
    double r[3];
    vec_sub(last, point, r);
    nearest_image(o, r);
    vec_add_scaled(point, 1.0, r, carried);
}

SCREE_HD void history_read(const contact_memory *m, dem_history *x)
{
    memcpy(x->slide, m->spring, sizeof x->slide), memcpy(x->roll_i, m->spring + 2, sizeof x->roll_i);
    memcpy(x->roll_j, m->spring + 4, sizeof x->roll_j), x->spin = m->spring[6];
    memcpy(x->kinetic, m->kinetic, sizeof x->kinetic);
}

SCREE_HD void history_write(const dem_history *x, contact_memory *m)
{
    memcpy(m->spring, x->slide, sizeof x->slide), memcpy(m->spring + 2, x->roll_i, sizeof x->roll_i);
    memcpy(m->spring + 4, x->roll_j, sizeof x->roll_j), m->spring[6] = x->spin;
    memcpy(m->kinetic, x->kinetic, sizeof x->kinetic);
}

typedef struct contact_state {
    const dem_meeting *at;
    scree_contact_point *touch;
    contact_memory *memory;
    contact_arms arm;
    touch_geometry geometry;
    dem_law law;
    double N;
    double velocity[SCREE_DIM_MAX]; /* B minus A, N T T R R S in the frame of the touch */
    dem_frame frame;
    dem_loads loads; /* of friction, in (u, w) of the frame */
} contact_state;

/// Constant torque ([FN] eq. 8) instead of the roll springs: their largest load, against the relative spin across the normal.
SCREE_HD void constant_torque(const contact_state *c, const dem_spring s[DEM_SPRINGS], dem_touch *out, dem_loads *loads)
{
    const double *y = c->velocity, *t1 = c->touch->tangent, *n = c->touch->normal;
    double t2[3], across[3], spin[3] = {0.0, 0.0, 0.0}, torque[3];
    vec_cross(n, t1, t2);
    for (int k = 0; k < 3; ++k) across[k] = y[3] * t1[k] + y[4] * t2[k];
    dem_in_frame(n, c->frame.u, across, spin);
    dem_constant_torque(s[DEM_ROLL_I].bound[1], 1.0, 1.0, spin, torque);
    out->slider[SCREE_FRICTION_ROLL] = -c->at->h * (torque[0] * spin[0] + torque[1] * spin[1]);
    /* torque on B is -n x (a u + b w) = b u - a w */
    loads->roll_i[0] = loads->roll_j[0] = -torque[1], loads->roll_i[1] = loads->roll_j[1] = torque[0];
}

/// Work of friction on the bodies over the way that led here, by their velocities, against that by the growth of the springs: load.growth
/// is what the springs, sliders and dashpots have got.
SCREE_HD double way_gap(const contact_state *c, const double growth[7])
{
    const scree_contact_point *touch = c->touch;
    const dem_loads *l = &c->loads;
    const double *y = c->velocity, *spin_a = c->at->a.velocity + 3, *spin_b = c->at->b.velocity + 3;
    double t2[3], side[3], moved = 0.0, h = c->at->h;
    vec_cross(touch->normal, touch->tangent, t2);
    vec_cross(c->frame.n, c->frame.u, side);
    for (int k = 0; k < 3; ++k) {
        double u = y[1] * touch->tangent[k] + y[2] * t2[k];
        moved += (l->slide[0] * c->frame.u[k] + l->slide[1] * side[k]) * u;
        moved += (l->roll_i[1] * c->frame.u[k] - l->roll_i[0] * side[k] - l->spin * c->frame.n[k]) * spin_b[k];
        moved -= (l->roll_j[1] * c->frame.u[k] - l->roll_j[0] * side[k] - l->spin * c->frame.n[k]) * spin_a[k];
    }
    double grown = l->slide[0] * growth[0] + l->slide[1] * growth[1] + l->roll_i[0] * growth[2] +
                   l->roll_i[1] * growth[3] + l->roll_j[0] * growth[4] + l->roll_j[1] * growth[5] + l->spin * growth[6];
    return -h * moved - grown;
}

/// kind: SCREE_FRICTION_SLIDE, ...
SCREE_HD void lost_add(const dem_losses *lost, int kind, dem_touch *out)
{
    out->slider[kind] += lost->slider, out->dashpot[1] += lost->dashpot, out->made += lost->made;
}

/// A side of the contact: where it touches, where it last did, and last step's frame as it has carried it. n: into i.
SCREE_HD void side_of(const contact_state *c, int is_b, int i_is_b, dem_side *side, dem_frame *carried)
{
    const contact_memory *m = c->memory;
    const double *frame = is_b ? m->frame_b : m->frame_a;
    double point[2][3];
    memset(side, 0, sizeof *side);
    surface_points(c->touch, &c->arm, point[0], point[1]);
    side->radius = surface_radius(is_b ? c->at->b.shape : c->at->a.shape);
    memcpy(side->point, point[is_b], sizeof side->point);
    carried_near(c->at->options, is_b ? m->arm_b : m->arm_a, side->point, side->carried);
    for (int k = 0; k < 3; ++k) carried->n[k] = i_is_b ? frame[k] : -frame[k], carried->u[k] = frame[3 + k];
}

/// Components in (u, w) with i and j in each other's place: n turns round, and w = n x u with it. Slide, roll of i, roll of j, spin.
SCREE_HD void sides_swap(double slide[2], double roll_i[2], double roll_j[2])
{
    slide[0] = -slide[0];
    for (int k = 0; k < 2; ++k) {
        const double sign = k ? -1.0 : 1.0, of_i = roll_i[k];
        roll_i[k] = sign * roll_j[k], roll_j[k] = sign * of_i;
    }
}

SCREE_HD dem_need track_friction(contact_state *c, dem_touch *out, dem_spring s[DEM_SPRINGS])
{
    const scree_contact_point *touch = c->touch;
    touch_geometry *g = &c->geometry;
    contact_memory *m = c->memory;
    const int b = dem_b_is_i(c->at->a.shape, c->at->b.shape);
    const double *into_b = touch->normal,
                 n[3] = {b ? into_b[0] : -into_b[0], b ? into_b[1] : -into_b[1], b ? into_b[2] : -into_b[2]};
    dem_side side_i, side_j;
    dem_frame carried_i, carried_j;
    dem_track track;
    dem_history x;
    side_of(c, b, b, &side_i, &carried_i), side_of(c, !b, b, &side_j, &carried_j);
    dem_frame_lay(&carried_i, &carried_j, n, &side_i, &side_j, &c->frame, &track);
    history_read(m, &x);

    dem_partners at;
    memset(&at, 0, sizeof at);
    at.mass = g->dashpot_mass, at.inertia = g->dashpot_inertia, at.contact_radius = g->contact_radius;
    at.mean_curvature = g->bend_a + g->bend_b;
    const dem_body *of_i = b ? &c->at->b : &c->at->a, *of_j = b ? &c->at->a : &c->at->b;
    const double *arm_i = b ? c->arm.b : c->arm.a, *arm_j = b ? c->arm.a : c->arm.b;
    at.kappa_i =
        rolling_curvature(of_i, arm_i, -1.0, &c->frame, b ? g->bend_b : g->bend_a, track.p_i, x.roll_i, at.straight_i);
    at.kappa_j =
        rolling_curvature(of_j, arm_j, 1.0, &c->frame, b ? g->bend_a : g->bend_b, track.p_j, x.roll_j, at.straight_j);
    dem_friction_def def = c->law.friction;
    dem_need need = settle_friction(&c->law, g, at.kappa_i + at.kappa_j, &def);
    if (need) return need;
    dem_friction_springs(&def, &at, max2(c->N, 0.0), s);

    const int no_roll = c->law.model == SCREE_DEM_TORQUE;
    dem_spring roll = s[DEM_ROLL_I];
    if (no_roll) memset(&s[DEM_ROLL_I], 0, sizeof *s), memset(&s[DEM_ROLL_J], 0, sizeof *s);
    dem_losses lost[DEM_SPRINGS];
    double growth[7];
    dem_friction_growth(&at, &track, growth);
    out->made = dem_friction_energy(s, &x) - out->energy_before;
    dem_friction_step(s, &at, &track, c->at->h, &x, &c->loads, lost);
    history_write(&x, m);
    out->energy[1] = dem_friction_energy(s, &x);
    lost_add(&lost[DEM_SLIDE], SCREE_FRICTION_SLIDE, out), lost_add(&lost[DEM_SPIN], SCREE_FRICTION_SPIN, out);
    lost_add(&lost[DEM_ROLL_I], SCREE_FRICTION_ROLL, out), lost_add(&lost[DEM_ROLL_J], SCREE_FRICTION_ROLL, out);
    if (!b) { /* from here on as B feels it */
        sides_swap(c->loads.slide, c->loads.roll_i, c->loads.roll_j), sides_swap(growth, growth + 2, growth + 4);
        memcpy(c->frame.n, into_b, sizeof c->frame.n);
    }
    out->tracking = way_gap(c, growth);
    if (no_roll) {
        dem_spring limit[DEM_SPRINGS];
        memset(limit, 0, sizeof limit), limit[DEM_ROLL_I] = roll;
        constant_torque(c, limit, out, &c->loads);
    }
    return DEM_NEEDS_NOTHING;
}

/* ---- sds: spring, dashpot and slider on velocities --------------------------------------------------------------------------- */

SCREE_HD double spring_energy(double stiffness, int size, const double *x)
{
    double r2 = 0.0;
    for (int k = 0; k < size; ++k) r2 += x[k] * x[k];
    return 0.5 * stiffness * r2;
}

/// Energy of the three springs.
SCREE_HD double sds_energy(const dem_sds law[DEM_SDS_SPRINGS], const double memory[7])
{
    return spring_energy(law[DEM_SDS_SLIDE].stiffness, 3, memory) +
           spring_energy(law[DEM_SDS_ROLL].stiffness, 3, memory + 3) +
           spring_energy(law[DEM_SDS_TWIST].stiffness, 1, memory + 6);
}

/// Tangential velocity of B against A at these points of theirs.
SCREE_HD void slip_at(const contact_state *c, const double on_a[3], const double on_b[3], double v[3])
{
    const scree_contact_point *touch = c->touch;
    const double *of_a = c->at->a.velocity, *of_b = c->at->b.velocity;
    double a[3], b[3];
    vec_cross(of_a + 3, on_a, a), vec_cross(of_b + 3, on_b, b);
    const double none[3] = {0.0, 0.0, 0.0}, *of_cell = c->at->of_cell ? c->at->of_cell : none;
    for (int k = 0; k < 3; ++k) v[k] = (of_b[k] + b[k]) - (of_a[k] + a[k]) + of_cell[k];
    vec_add_scaled(v, -vec_dot(v, touch->normal), touch->normal, v);
}

/// Slip between the two surfaces, each at its own point of contact: as LAMMPS has it, at R and not at R - overlap/2.
SCREE_HD void sds_slip(const contact_state *c, double v[3])
{
    double on_a[3], on_b[3];
    surface_points(c->touch, &c->arm, on_a, on_b);
    slip_at(c, on_a, on_b, v);
}

/// Beyond its limit an sds spring is set so that it makes up for the dashpot, and may then hold more than the limit, against the motion.
/// Where its stiffness grows with the load (Mindlin) that would push: it is cut back to the limit. Returns what it loses.
SCREE_HD double sds_within(const dem_sds *s, double *memory)
{
    double length = vec_norm(memory), most = s->limit / s->stiffness;
    if (!(length > most)) return 0.0;
    for (int k = 0; k < 3; ++k) memory[k] *= most / length;
    return 0.5 * s->stiffness * (length * length - most * most);
}

/// The force of sds between a sphere and something that is none acts on the sphere's surface, at R, as LAMMPS' walls have it; every other
/// one half-way through the overlap, at R - overlap/2.
SCREE_HD contact_arms force_arms(const contact_state *c)
{
    const scree_contact_point *touch = c->touch;
    contact_arms at = c->arm;
    int ball_a = c->at->a.shape->kind == SCREE_SHAPE_SPHERE, ball_b = c->at->b.shape->kind == SCREE_SHAPE_SPHERE;
    if (c->law.model != SCREE_DEM_SDS || ball_a == ball_b) return at;
    const double shift = (ball_b ? 0.5 : -0.5) * touch->gap;
    vec_add_scaled(at.a, shift, touch->normal, at.a), vec_add_scaled(at.b, shift, touch->normal, at.b);
    return at;
}

SCREE_HD dem_need sds_friction(contact_state *c, dem_touch *out, dem_spring s[DEM_SPRINGS])
{
    const scree_contact_point *touch = c->touch;
    const touch_geometry *g = &c->geometry;
    dem_friction_def f = c->law.friction;
    const int mindlin = !(f.stiffness > 0.0);
    dem_need need = settle_friction(&c->law, g, g->bend_a + g->bend_b, &f);
    if (need) return need;
    const double *y = c->velocity, N = fabs(c->N), R = g->radius;
    dem_sds law[DEM_SDS_SPRINGS];
    dem_sds_springs(&f, c->law.sds_roll, g->dashpot_mass, g->dashpot_inertia, law);
    dem_sds slide = law[DEM_SDS_SLIDE], roll = law[DEM_SDS_ROLL], twist = law[DEM_SDS_TWIST];
    slide.limit = f.slide_kinetic * N, twist.limit = touch->cone.coef[SCREE_FRICTION_SPIN] * N;
    roll.limit = R > 0.0 ? touch->cone.coef[SCREE_FRICTION_ROLL] * N / R : 0.0;
    double t2[3], v[3], v_at[3], w[3], v_roll[3], force[3], torque[3] = {0.0, 0.0, 0.0}, *memory = c->memory->spring;
    const double sign =
        dem_b_is_i(c->at->a.shape, c->at->b.shape) ? 1.0 : -1.0; /* springs are those of i, the rest is B's */
    vec_cross(touch->normal, touch->tangent, t2);
    for (int k = 0; k < 3; ++k) w[k] = y[3] * touch->tangent[k] + y[4] * t2[k] + y[5] * touch->normal[k];
    sds_slip(c, v);
    memcpy(c->frame.n, touch->normal, sizeof(vec3)), memcpy(c->frame.u, touch->tangent, sizeof(vec3));
    memset(c->memory->kinetic, 0, sizeof c->memory->kinetic);
    out->made = sds_energy(law, memory) - out->energy_before;
    const contact_arms at = force_arms(c);
    slip_at(c, at.a, at.b, v_at);
    for (int k = 0; k < 3; ++k) memory[k] *= sign;
    dem_losses lost = dem_sds_vector(&slide, touch->normal, v, c->at->h, memory, force);
    if (mindlin) lost.made -= sds_within(&slide, memory); /* the law set it, the law takes it */
    for (int k = 0; k < 3; ++k) memory[k] *= sign;
    lost_add(&lost, SCREE_FRICTION_SLIDE, out);
    for (int k = 0; k < 3; ++k) out->tracking += c->at->h * force[k] * (v[k] - v_at[k]);
    dem_in_frame(c->frame.n, c->frame.u, force, c->loads.slide);
    c->memory->kinetic[DEM_SLIDE] = (unsigned char)lost.slides;
    if (c->law.rolls && R > 0.0) { /* whatever the load: a limit of 0 sets the springs too */
        dem_sds_rolling_velocity(R, w, touch->normal, v_roll);
        lost = dem_sds_vector(&roll, touch->normal, v_roll, c->at->h, memory + 3, force);
        lost_add(&lost, SCREE_FRICTION_ROLL, out);
        dem_sds_rolling_torque(R, touch->normal, force, torque);
        c->memory->kinetic[DEM_ROLL_I] = (unsigned char)lost.slides;
    }
    double along[2];
    dem_in_frame(c->frame.n, c->frame.u, torque, along); /* torque on B is b u - a w; its opposite on A */
    c->loads.roll_i[0] = c->loads.roll_j[0] = -along[1], c->loads.roll_i[1] = c->loads.roll_j[1] = along[0];
    if (c->law.spins && twist.stiffness > 0.0) {
        c->loads.spin = -dem_sds_twist(&twist, y[5], c->at->h, memory + 6, &lost);
        lost_add(&lost, SCREE_FRICTION_SPIN, out);
        c->memory->kinetic[DEM_SPIN] = (unsigned char)lost.slides;
    }
    out->energy[1] = sds_energy(law, memory);
    s[DEM_SLIDE].stiffness = slide.stiffness, s[DEM_SLIDE].damping = slide.damping;
    s[DEM_ROLL_I].stiffness = R * R * roll.stiffness, s[DEM_ROLL_I].damping = R * R * roll.damping;
    s[DEM_ROLL_J] = s[DEM_ROLL_I];
    s[DEM_SPIN].stiffness = twist.stiffness, s[DEM_SPIN].damping = twist.damping;
    return DEM_NEEDS_NOTHING;
}

/* ---- the contact ------------------------------------------------------------------------------------------------------------- */

SCREE_HD void begin_memory(const contact_state *c)
{
    contact_memory *m = c->memory;
    memset(m, 0, sizeof *m);
    m->live = 1;
    memcpy(m->frame_a, c->touch->normal, sizeof(vec3)), memcpy(m->frame_a + 3, c->touch->tangent, sizeof(vec3));
    memcpy(m->frame_b, m->frame_a, sizeof m->frame_b);
    surface_points(c->touch, &c->arm, m->arm_a, m->arm_b);
}

/// N, its energy and what its dashpot takes.
SCREE_HD dem_need push(contact_state *c, dem_touch *out)
{
    const touch_geometry *g = &c->geometry;
    double delta = -c->touch->gap, rate = -c->velocity[0];
    dem_normal law = c->law.normal;
    if (law.kind == DEM_HERTZ) {
        if (!(g->radius > 0.0)) return DEM_NEEDS_CURVATURE;
        law.stiffness = dem_hertz_stiffness(law.stiffness, g->radius);
    }
    dem_normal bare = law;
    bare.zeta = 0.0;
    c->N = dem_normal_force(&law, g->mass, delta, rate);
    out->energy[0] = dem_normal_energy(&law, delta);
    out->dashpot[0] = (c->N - dem_normal_force(&bare, g->mass, delta, rate)) * rate * c->at->h;
    if (law.kind == DEM_CONSTANT) out->load = -c->N * rate * c->at->h;
    double E = c->law.pair->modulus;
    c->geometry.contact_radius = law.kind == DEM_CONSTANT && E > 0.0 ? dem_contact_radius_of_load(c->N, g->radius, E)
                                                                     : dem_contact_radius(g->radius, max2(delta, 0.0));
    return DEM_NEEDS_NOTHING;
}

/// Loads and mode as every scheme leaves them in the contact: impulses of the step on B.
SCREE_HD void write_touch(const contact_state *c, const dem_spring springs[DEM_SPRINGS])
{
    scree_contact_point *touch = c->touch;
    int kinetic[DEM_SPRINGS]; /* a spring without stiffness is none */
    for (int k = 0; k < DEM_SPRINGS; ++k) kinetic[k] = c->memory->kinetic[k] && springs[k].stiffness > 0.0;
    double h = c->at->h;
    const double *roll = c->loads.roll_i, *roll_a = c->loads.roll_j;
    memcpy(touch->tangent, c->frame.u, sizeof touch->tangent);
    touch->impulse[0] = h * c->N, touch->impulse[1] = h * c->loads.slide[0], touch->impulse[2] = h * c->loads.slide[1];
    touch->impulse[3] = h * roll[1], touch->impulse[4] = -h * roll[0], touch->impulse[5] = -h * c->loads.spin;
    touch->roll_a[0] = -h * roll_a[1], touch->roll_a[1] = h * roll_a[0];
    if (!(c->N > 0.0)) return;
    int spin_sign = kinetic[DEM_SPIN] ? (touch->impulse[5] > 0.0 ? 1 : -1) : 0;
    touch->mode = mode_make(kinetic[DEM_SLIDE], kinetic[DEM_ROLL_I] || kinetic[DEM_ROLL_J], spin_sign);
}

/// One contact in a step: advances its memory, fills its loads, mode, tangent and `out`.
SCREE_HD void dem_meet(const dem_meeting *at, scree_contact_point *touch, contact_memory *memory, dem_touch *out)
{
    contact_state c;
    memset(&c, 0, sizeof c);
    c.at = at, c.touch = touch, c.memory = memory;
    memset(out, 0, sizeof *out);
    memset(touch->impulse, 0, sizeof touch->impulse), memset(touch->roll_a, 0, sizeof touch->roll_a);
    touch_arm(at->options, touch, at->a.shape, at->a.x, 0, c.arm.a);
    touch_arm(at->options, touch, at->b.shape, at->b.x, 1, c.arm.b);
    touch_velocity(touch, &c.arm, at->a.velocity, at->b.velocity, c.velocity);
    add_cell_velocity(at, touch, c.velocity);
    out->need = dem_law_of(at->pair, touch->cone.coef, touch->coef_static, &c.law);
    if (out->need) return;
    if (c.law.normal.kind != DEM_CONSTANT && !(touch->gap < 0.0)) {
        memset(memory, 0, sizeof *memory);
        return;
    }
    dem_spring springs[DEM_SPRINGS];
    memset(springs, 0, sizeof springs);
    look_at_surfaces(at, touch, &c.arm, c.law.friction.published, &c.geometry);
    out->need = push(&c, out);
    if (out->need) return;
    memcpy(c.frame.n, touch->normal, sizeof(vec3)), memcpy(c.frame.u, touch->tangent, sizeof(vec3));
    out->energy_before = memory->energy[1];
    int is_new = !memory->live, sds = c.law.model == SCREE_DEM_SDS;
    if (is_new) begin_memory(&c);
    if (is_new && at->newcomers) out->brought = out->energy[0];
    if (!c.law.friction_free && (sds || !is_new))
        out->need = sds ? sds_friction(&c, out, springs) : track_friction(&c, out, springs);
    if (out->need) return;
    const contact_arms lever = force_arms(&c);
    dem_loads_world(&c.frame, c.N, &c.loads, lever.b, lever.a, out->force, out->torque_b, out->torque_a);
    memory->energy[0] = out->energy[0], memory->energy[1] = out->energy[1];
    memcpy(memory->frame_a, c.frame.n, sizeof(vec3)), memcpy(memory->frame_a + 3, c.frame.u, sizeof(vec3));
    memcpy(memory->frame_b, memory->frame_a, sizeof memory->frame_b);
    memory->basis = 0; /* springs are along these frames now, whoever had them before */
    surface_points(touch, &c.arm, memory->arm_a, memory->arm_b);
    write_touch(&c, springs);
}

#endif
