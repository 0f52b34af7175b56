/* energy.c: kinetic and potential energy, and whether the state is still a state.
 *
 * A state is one while lengths, speeds and spins are at most WORLD_LARGEST and no body has more energy than WORLD_ENERGY: squares of
 * distances, energies and their sums over all bodies are then finite, so that no step has to look at each of its products.
 *
 * Sums are compensated (two_sum): over a million bodies they keep every digit, so that the ledger can close to rounding. */
#include "math/twofold.h"
#include "math/vec.h"
#include "world/world_private.h"

#include <stdio.h>

static double kinetic_energy(const scree_world *world, int b)
{
    const double *w = world->omega[b], *I = world->inertia[b];
    return 0.5 * (world->mass[b] * vec_dot(world->v[b], world->v[b]) +
                  (I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2]));
}

static double potential_energy(const scree_world *world, int b)
{
    return -world->mass[b] * vec_dot(world->options.gravity, world->x[b]);
}

double world_body_energy(const scree_world *world, int b)
{
    if (world->kind[b] != SCREE_BODY_DYNAMIC) return 0.0;
    const double energy = kinetic_energy(world, b) + potential_energy(world, b);
    return isfinite(energy) ? energy : 0.0; /* else a number set by hand would be in sums for good */
}

void world_soft_count(scree_world *world, int b, double sign)
{
    const double fall = world->mass[b] * vec_dot(world->options.gravity, world->v[b]);
    world->soft.mechanical += sign * world_body_energy(world, b);
    if (world->kind[b] == SCREE_BODY_DYNAMIC && isfinite(fall)) world->soft.fall += sign * fall;
}

scree_energy scree_world_energy(const scree_world *world)
{
    twofold kinetic = {0.0, 0.0}, potential = {0.0, 0.0};
    (void)world_sync(world, PART_MOTION);
    for (int b = 0; b < world->body_count; ++b) {
        if (world->kind[b] != SCREE_BODY_DYNAMIC) continue;
        double k = kinetic_energy(world, b), p = potential_energy(world, b);
        twofold sum = two_sum(kinetic.hi, k);
        kinetic = (twofold){sum.hi, kinetic.lo + sum.lo};
        sum = two_sum(potential.hi, p);
        potential = (twofold){sum.hi, potential.lo + sum.lo};
    }
    return (scree_energy){kinetic.hi + kinetic.lo, potential.hi + potential.lo};
}

/// The first number that is NaN, infinite or beyond WORLD_LARGEST; -1: none.
static int out_of_range(const double *value, int count)
{
    for (int i = 0; i < count; ++i)
        if (!(fabs(value[i]) <= WORLD_LARGEST)) return i;
    return -1;
}

int body_fault(const scree_world *world, int b, char *text, size_t size)
{
    static const char *const quantity[4] = {"position", "rotation", "velocity", "angular velocity"};
    const double *value[4] = {world->x[b], world->q[b], world->v[b], world->omega[b]};
    for (int i = 0; i < 4; ++i) {
        int at = out_of_range(value[i], i == 1 ? 4 : 3);
        if (at < 0) continue;
        snprintf(text, size, "its %s is not a finite number below %g (component %d is %g)", quantity[i], WORLD_LARGEST,
                 at, value[i][at]);
        return 1;
    }
    if (world->kind[b] != SCREE_BODY_DYNAMIC) return 0;
    const double kinetic = kinetic_energy(world, b), potential = potential_energy(world, b);
    if (kinetic <= WORLD_ENERGY && fabs(potential) <= WORLD_ENERGY) return 0;
    snprintf(text, size, "its energy is beyond %g J (kinetic %g J, potential %g J, mass %g kg)", WORLD_ENERGY, kinetic,
             potential, world->mass[b]);
    return 1;
}

int world_runaway(const scree_world *world, scree_error *error)
{
    char name[128], fault[256];
    (void)world_sync(world, PART_MOTION);
    for (int b = 0; b < world->body_count; ++b) {
        if (world->kind[b] == SCREE_BODY_REMOVED) continue;
        if (body_fault(world, b, fault, sizeof fault)) {
            scree_error_set(error, NULL, 0, 0, "%s: %s at t = %.9g s",
                            scree_world_body_name(world, scree_body_at(b), name, sizeof name), fault, world->time);
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
