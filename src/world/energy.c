/* energy.c: kinetic and potential energy, and whether the state is still a state.
 *
 * Sums are compensated (two_sum): over a million bodies they keep every digit, so that the ledger can close to rounding. */
#include "math/twofold.h"
#include "math/vec.h"
#include "world/world_private.h"

double world_body_energy(const scree_world *world, int b)
{
    const double *w = world->omega[b], *I = world->inertia[b];
    if (world->kind[b] != SCREE_BODY_DYNAMIC) return 0.0;
    const double energy = 0.5 * (world->mass[b] * vec_dot(world->v[b], world->v[b]) +
                                 (I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2])) -
                          world->mass[b] * vec_dot(world->options.gravity, world->x[b]);
    return isfinite(energy) ? energy : 0.0; /* else a number set by hand would be in sums for good */
}

scree_energy scree_world_energy(const scree_world *world)
{
    twofold kinetic = {0.0, 0.0}, potential = {0.0, 0.0};
    (void)world_sync(world, PART_MOTION);
    for (int b = 0; b < world->body_count; ++b) {
        if (world->kind[b] != SCREE_BODY_DYNAMIC) continue;
        const double *w = world->omega[b], *I = world->inertia[b];
        double k = 0.5 * (world->mass[b] * vec_dot(world->v[b], world->v[b]) +
                          (I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2]));
        double p = -world->mass[b] * vec_dot(world->options.gravity, world->x[b]);
        twofold sum = two_sum(kinetic.hi, k);
        kinetic = (twofold){sum.hi, kinetic.lo + sum.lo};
        sum = two_sum(potential.hi, p);
        potential = (twofold){sum.hi, potential.lo + sum.lo};
    }
    return (scree_energy){kinetic.hi + kinetic.lo, potential.hi + potential.lo};
}

/// The first number that is NaN or infinite; -1: none.
static int not_finite(const double *value, int count)
{
    for (int i = 0; i < count; ++i)
        if (!isfinite(value[i])) return i;
    return -1;
}

int world_runaway(const scree_world *world, scree_error *error)
{
    static const char *const quantity[4] = {"position", "rotation", "velocity", "angular velocity"};
    char name[128];
    (void)world_sync(world, PART_MOTION);
    for (int b = 0; b < world->body_count; ++b) {
        if (world->kind[b] == SCREE_BODY_REMOVED) continue;
        const double *value[4] = {world->x[b], world->q[b], world->v[b], world->omega[b]};
        for (int i = 0; i < 4; ++i) {
            int at = not_finite(value[i], i == 1 ? 4 : 3);
            if (at < 0) continue;
            scree_error_set(error, NULL, 0, 0,
                            "%s: its %s is not a finite number any more (component %d is %g) at t = %.9g s",
                            scree_world_body_name(world, scree_body_at(b), name, sizeof name), quantity[i], at,
                            value[i][at], world->time);
            return b;
        }
        double speed = vec_norm(world->v[b]), limit = world->options.speed_limit;
        if (limit > 0.0 && !(speed <= limit)) {
            scree_error_set(error, NULL, 0, 0, "%s: its speed of %g m/s is above the limit of %g m/s at t = %.9g s",
                            scree_world_body_name(world, scree_body_at(b), name, sizeof name), speed, limit,
                            world->time);
            return b;
        }
    }
    return -1;
}

scree_body_id scree_world_check(const scree_world *world, scree_error *error)
{
    if (error_stopped(error)) return scree_body_at(-1);
    const int body = world_runaway(world, error);
    error_keep(error, body < 0 ? SCREE_OK : SCREE_ERR_RUNAWAY);
    return scree_body_at(body);
}
