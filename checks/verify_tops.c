/* verify_tops.c: rows of `scree verify` about bodies that spin: in flight, and a tippe top on a table.
 *
 * Tippe top: a ball of radius R whose centre of mass lies below its middle by a, on a table with sliding friction alone. The load acts at
 * the foot, r = a e - R z from the centre of mass (e: axis of the top, from the weight to the middle), so dL/dt = r x F, and
 *     d(L.r)/dt = (r x F).r + L.(a w x e) = 0,
 * since L of a top that is symmetric about e is a combination of w and e. Jellett's constant -L.r does not change, whatever the
 * friction. A ball of which the weight lies off the middle turns over where its moments of inertia lie within a/R of each other. */
#include "checks/trial.h"
#include "cli/vector.h"

static void angular_momentum(const trial *t, int body, double L[3])
{
    const double *q = scree_world_rotations(t->world) + 4 * (size_t)body,
                 *I = scree_world_inertia(t->world, scree_body_at(body));
    const double *w = scree_world_angular_velocities(t->world) + 3 * (size_t)body;
    double l[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]};
    quat_rotate(q, l, L);
}

/// A box thrown about its middle axis turns over and over (Dzhanibekov). 100 s: what is left of energy and momentum.
static finding tumbling_box(int what)
{
    set_up s = {{0.0, 0.0, 0.0}, 0.5, 0.0, 0.0, 0.0, 5e-3, SCREE_SCHEME_MOREAU_JEAN};
    trial t = trial_begin(&s, 1e-12);
    double w[3] = {0.01, 5.0, 0.0}, L0[3], L[3], worst = 0.0;
    int box = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_box(0.3, 0.2, 0.05, t.material), 1.0, NULL, NULL, w);
    if (t.failed) return trial_judge(&t, 0.0, 0.0, 0.0, "could not be made");
    double E0 = scree_world_energy(t.world).kinetic;
    angular_momentum(&t, box, L0);
    trial_until(&t, 100.0);
    angular_momentum(&t, box, L);
    double size = sqrt(L0[0] * L0[0] + L0[1] * L0[1] + L0[2] * L0[2]);
    for (int i = 0; i < 3; ++i) worst = fmax(worst, fabs(L[i] - L0[i]) / size);
    if (what == 0) worst = fabs(scree_world_energy(t.world).kinetic / E0 - 1.0);
    return trial_judge(&t, 0.0, worst, 1e-11,
                       "20,000 steps of a few roundings each"); /* 20,000 steps of a few roundings each */
}

/// A symmetric top in flight precesses about its momentum with L/I_1: the angle of its axis about the momentum after 1 s.
static finding free_top(int what)
{
    (void)what;
    set_up s = {{0.0, 0.0, 0.0}, 0.5, 0.0, 0.0, 0.0, 1e-3, SCREE_SCHEME_MOREAU_JEAN};
    trial t = trial_begin(&s, 1e-12);
    double w[3] = {0.0, 2.0, 20.0}, L[3], turned = 0.0;
    int top = trial_add(&t, SCREE_BODY_DYNAMIC, scree_shape_ellipsoid(0.2, 0.2, 0.05, t.material), 1.0, NULL, NULL, w);
    if (t.failed) return trial_judge(&t, 0.0, 0.0, 0.0, "could not be made");
    angular_momentum(&t, top, L);
    double size = sqrt(L[0] * L[0] + L[1] * L[1] + L[2] * L[2]),
           rate = size / scree_world_inertia(t.world, scree_body_at(top))[0];
    double n[3] = {L[0] / size, L[1] / size, L[2] / size}, before[3] = {0.0, 0.0, 1.0};
    for (int k = 0; k < 1000 && trial_step(&t); ++k) {
        const double *q = scree_world_rotations(t.world) + 4 * (size_t)top;
        double z[3] = {2.0 * (q[1] * q[3] + q[0] * q[2]), 2.0 * (q[2] * q[3] - q[0] * q[1]),
                       1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])};
        double p0[3], p1[3], d0 = 0.0, d1 = 0.0, c, along = 0.0;
        for (int i = 0; i < 3; ++i) d0 += before[i] * n[i], d1 += z[i] * n[i];
        for (int i = 0; i < 3; ++i) p0[i] = before[i] - d0 * n[i], p1[i] = z[i] - d1 * n[i];
        c = p0[0] * p1[0] + p0[1] * p1[1] + p0[2] * p1[2];
        along = n[0] * (p0[1] * p1[2] - p0[2] * p1[1]) + n[1] * (p0[2] * p1[0] - p0[0] * p1[2]) +
                n[2] * (p0[0] * p1[1] - p0[1] * p1[0]);
        turned += atan2(along, c);
        memcpy(before, z, sizeof before);
    }
    return trial_judge(&t, rate, turned, 1e-9, "rotation is integrated on the group: rounding in 1,000 steps");
}

/* ---- a tippe top -------------------------------------------------------------------------------------------------------------------- */

static const double tippe_R = 0.015;

/// A light ball with a heavy disk 5 mm below its middle, spun about an axis that leans by 6 degrees.
static trial tippe_begin(int *top, double middle[3])
{
    set_up s = {{0.0, 0.0, -9.81}, 0.3, 0.0, 0.0, 0.0, 1e-4, SCREE_SCHEME_ANITESCU_TASORA};
    trial t = trial_begin(&s, 1e-8);
    scree_material lead = {.soft = scree_dem_default(), .name = "lead", .density = 15000.0, .friction = {.mu = 0.3}};
    scree_body_def def = scree_body_def_default();
    trial_floor(&t);
    scree_material_id heavy = scree_world_add_material(t.world, &lead, &t.error);
    scree_shape shape[2] = {scree_shape_sphere(tippe_R, t.material), scree_shape_cylinder(0.008, 0.0015, heavy)};
    shape[1].position[2] = -0.005;
    def.shapes = shape, def.shape_count = 2;
    def.position[2] = tippe_R, def.spin[2] = 350.0;
    def.rotation[0] = cos(0.05), def.rotation[2] = sin(0.05);
    *top = trial_body(&t, &def);
    memcpy(middle, def.position, sizeof def.position);
    return t;
}

/// From the centre of mass to the middle of the ball, in the frame of the body.
static void tippe_middle(const trial *t, int top, const double middle[3], double in_body[3])
{
    double way[3];
    vec_sub(middle, trial_position(t, top), way);
    quat_rotate_inverse(scree_world_rotations(t->world) + 4 * (size_t)top, way, in_body);
}

/// 0: relative change of Jellett's constant while the top turns over; 1: where the weight is in the end, 1 straight above the middle.
static finding tippe_top(int what)
{
    double middle[3], in_body[3], way[3], L[3], jellett[2] = {0.0, 0.0}, worst = 0.0;
    int top;
    trial t = tippe_begin(&top, middle);
    if (t.failed) return trial_judge(&t, 0.0, 0.0, 0.0, "could not be made");
    tippe_middle(&t, top, middle, in_body);
    for (int k = 0; k < 50000 && trial_step(&t); ++k) {
        quat_rotate(scree_world_rotations(t.world) + 4 * (size_t)top, in_body, way);
        angular_momentum(&t, top, L);
        jellett[k > 0] = tippe_R * L[2] - vec_dot(L, way);
        if (k > 0) worst = fmax(worst, fabs(jellett[1] / jellett[0] - 1.0));
    }
    if (what == 0) return trial_judge(&t, 0.0, worst, 1e-3, "second order: (h w)^2 = (1e-4 x 350)^2 = 1.2e-3");
    return trial_judge(&t, 1.0, -way[2] / vec_norm(way), 1e-3, "stands on its head: 1 - cos of 2.5 degrees of swing");
}

const check verify_top_checks[] = {
    {"top/precession", "rad", "a symmetric top in flight: angle of precession in 1 s", free_top, 0},
    {"tumbling/energy", "", "a box thrown about its middle axis, 100 s: relative change of energy", tumbling_box, 0},
    {"tumbling/momentum", "", "the same: relative change of angular momentum", tumbling_box, 1},
    {"tippe/jellett", "", "a tippe top turns over, 5 s: relative change of Jellett's constant", tippe_top, 0},
    {"tippe/turned", "", "the same: height of its weight over its middle, 1 when it stands on its head", tippe_top, 1},
    {NULL, NULL, NULL, NULL, 0},
};
