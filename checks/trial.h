/* trial.h: a world to try things in, for the rows of `scree verify` that need bodies and time.
 *
 * Built through the public headers; what cannot be made or stepped is remembered in `failed`, and no row passes then. */
#ifndef SCREE_CHECKS_TRIAL_H
#define SCREE_CHECKS_TRIAL_H

#include "checks/verify.h"

#include <math.h>
#include <scree/stepper.h>
#include <string.h>

typedef struct trial {
    scree_world *world;
    scree_stepper *stepper;
    scree_material_id material;
    scree_error error;
    int failed; /* something could not be made, or a step failed: no row may pass */
    scree_step_report report;
} trial;

typedef struct set_up {
    double gravity[3];
    double mu, rolling, spinning, restitution; /* lengths in metres */
    double h;
    scree_scheme scheme;
} set_up;

/// `mu_static`, `rolling_static`: coefficients at rest; 0: those in motion.
static inline trial trial_begin_static(const set_up *s, double tolerance, double mu_static, double rolling_static)
{
    trial t = {0};
    scree_world_options options = scree_world_options_default();
    scree_stepper_options stepper = scree_stepper_options_default();
    scree_material material = {.soft = scree_dem_default(),
                               .name = "stone",
                               .density = 1000.0,
                               .friction = {.mu = s->mu,
                                            .rolling = {s->rolling, 0},
                                            .spinning = {s->spinning, 0},
                                            .restitution = s->restitution,
                                            .mu_static = mu_static,
                                            .rolling_static = {rolling_static, 0}}};
    memcpy(options.gravity, s->gravity, sizeof options.gravity);
    stepper.step = s->h, stepper.scheme = s->scheme;
    stepper.solver.tolerance = tolerance;
    t.world = scree_world_create(&options, &t.error);
    t.stepper = scree_stepper_create(&stepper, &t.error);
    t.material = scree_world_add_material(t.world, &material, &t.error);
    t.failed = t.error.status != SCREE_OK;
    return t;
}

static inline trial trial_begin(const set_up *s, double tolerance)
{
    return trial_begin_static(s, tolerance, 0.0, 0.0);
}

/// Another stepper for the trial: that of the set-up without the option `centred`.
static inline void trial_not_centred(trial *t, const set_up *s, double tolerance)
{
    scree_stepper_options options = scree_stepper_options_default();
    options.step = s->h, options.scheme = s->scheme, options.solver.tolerance = tolerance, options.centred = 0;
    scree_stepper_destroy(t->stepper);
    t->stepper = scree_stepper_create(&options, &t->error);
    t->failed |= !t->stepper;
}

static inline void trial_end(trial *t)
{
    scree_stepper_destroy(t->stepper);
    scree_world_destroy(t->world);
}

/// Adds the body, and returns its index; 0 where the trial has failed.
static inline int trial_body(trial *t, const scree_body_def *def)
{
    if (t->failed) return 0;
    const int index = scree_body_index(scree_world_add_body(t->world, def, &t->error));
    t->failed = index < 0;
    return t->failed ? 0 : index;
}

static inline int trial_add(trial *t, scree_body_kind kind, scree_shape shape, double mass, const double position[3],
                            const double velocity[3], const double spin[3])
{
    scree_body_def def = scree_body_def_of(shape);
    def.kind = kind, def.mass = mass;
    if (position) memcpy(def.position, position, sizeof def.position);
    if (velocity) memcpy(def.velocity, velocity, sizeof def.velocity);
    if (spin) memcpy(def.spin, spin, sizeof def.spin);
    return trial_body(t, &def);
}

static inline int trial_floor(trial *t)
{
    return trial_add(t, SCREE_BODY_FIXED, scree_shape_plane(t->material), 0.0, NULL, NULL, NULL);
}

static inline int trial_ball(trial *t, double radius, double mass, double x, double y, double z)
{
    double position[3] = {x, y, z};
    return trial_add(t, SCREE_BODY_DYNAMIC, scree_shape_sphere(radius, t->material), mass, position, NULL, NULL);
}

static inline int trial_step(trial *t)
{
    if (!t->failed && scree_advance(t->stepper, t->world, 1, &t->report, NULL) != SCREE_OK) t->failed = 1;
    return !t->failed;
}

static inline void trial_until(trial *t, double time)
{
    while (!t->failed && scree_world_time(t->world) < time - 1e-9) trial_step(t);
}

static inline const double *trial_position(const trial *t, int body)
{
    return scree_world_positions(t->world) + 3 * (size_t)body;
}

static inline const double *trial_velocity(const trial *t, int body)
{
    return scree_world_velocities(t->world) + 3 * (size_t)body;
}

/// For spheres the body's own frame turns, so the length is what can be compared; signs are lost.
static inline double trial_spin(const trial *t, int body)
{
    const double *w = scree_world_angular_velocities(t->world) + 3 * (size_t)body;
    return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

static inline double trial_speed(const trial *t, int body)
{
    const double *v = trial_velocity(t, body);
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/// The largest change of any coordinate of any body while the world runs for `time` seconds more.
static inline double trial_creep(trial *t, double time)
{
    enum { BODIES = 64 };
    double before[3 * BODIES], worst = 0.0;
    int n = 3 * scree_world_body_count(t->world);
    memcpy(before, scree_world_positions(t->world), (size_t)n * sizeof *before);
    trial_until(t, scree_world_time(t->world) + time);
    const double *after = scree_world_positions(t->world);
    for (int i = 0; i < n; ++i) worst = fmax(worst, fabs(after[i] - before[i]));
    return t->failed ? (double)NAN : worst;
}

/// Relative to the source, or the difference itself where that is 0; `why`: the reason of the bound.
static inline finding trial_judge(trial *t, double source, double scree, double bound, const char *why)
{
    if (t->failed) scree = (double)NAN;
    trial_end(t);
    return finding_of(source, scree, bound, why);
}

#endif
