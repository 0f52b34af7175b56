/* dem.h: soft contacts: what one says to its two bodies, and how long a step may be.            docs/math/dem.md */
#ifndef SCREE_DEM_DEM_H
#define SCREE_DEM_DEM_H

#include "dem/dem_law.h"
#include "step/stepper_private.h"

/// "a contact of 'steel' and 'glass' needs ...".
void dem_say_need(const scree_world *world, int material_a, int material_b, dem_need need, scree_error *error);

/// Contact `contact` of the world: advances its memory, fills its loads, mode, tangent and `out`. Bodies' velocities: s->before.
void dem_contact(step_context *s, int contact, dem_touch *out);

/// Loads of all contacts of the world, into s->soft. An error names two materials whose law lacks something.
scree_status dem_loads_find(step_context *s);
/// Adds what sliders and dashpots of the contacts took and what springs got, lost and brought since the last step, whose contacts are
/// world->previous.
void dem_ledger_lines(const step_context *s, scree_ledger *energy);
/// Frames and points of the contacts go with their bodies, from s->q0 to the world's rotations.
scree_status dem_memories_carry(step_context *s);

/// 1: the step to come is the first, and the user wants velocities at the middle of steps.
static inline int dem_kicks_half(const scree_stepper_options *options, const scree_world *world)
{
    return options->half_kick && world->step_count == 0;
}

/// How fast a periodic cell that deforms moves B against A; 0: it does not deform.
int dem_cell_velocity(const step_context *s, const scree_contact_point *touch, double v[3]);

/// The inertia that damping takes.
double dem_mean_inertia(const scree_world *world, int body);

/* ---- dem_limit.c: how long a step may be -------------------------------------------------------------------------------- */

/// The largest stable step, and whose contact sets it.
typedef struct dem_limit {
    double step;       /* [s]; infinite: none is known                                              */
    int body, partner; /* -1: none                                                                  */
    int material;      /* to_come: of the partner                                                   */
    int to_come;       /* 1: they may touch; 0: they do                                             */
} dem_limit;

/// The contact for which a step is worst: sums over all contacts of its two bodies.
typedef struct dem_worst {
    dem_rate rate;
    int body[2];
} dem_worst;

/// What is known of the contacts to come of the same bodies: with impacts of this speed their limit was this one.
typedef struct dem_meetings {
    int known, by_depth; /* by_depth: some of them stiffen with their overlap, so that the speed counts */
    double speed, step;
} dem_meetings;

/// What a limit is found from: the world's bodies, their contacts, and those that another engine has.
typedef struct dem_limit_view {
    const scree_world *world;
    const contact_set *contacts;
    scree_allocator memory; /* for scratch                                                          */
    /// Adds the rates of its contacts to the sums at a step of h, and notes one of them that is worse than `worst`; NULL: none.
    scree_status (*more)(void *context, double h, dem_rate *sum, dem_worst *worst);
    void *context;
    dem_meetings *meetings; /* so that they need not be looked at again; or NULL */
} dem_limit_view;

/// 1: it is asked before the step with this number (0: the first); and the number of the next one before which it is.
int dem_limit_due(int64_t step);
int64_t dem_limit_next(int64_t step);
/// Whether a step of h is refused. `limit` is right where it is, or where it is `wanted`, which costs some more passes over the contacts.
scree_status dem_limit_find(const dem_limit_view *view, double h, int wanted, dem_limit *limit, int *refused);
/// Says so; SCREE_ERR_STEP.
scree_status dem_limit_refuse(const scree_world *world, const dem_limit *limit, double h, double t, scree_error *error);
/// The stage of the general engine.
scree_status dem_limit_judge(step_context *s);

/// Whether the scheme can step such a world at all (dem_check.c).
/// Whether the device of the stepper can be had, and steps this world: if not, what it does not take, by name. A world that nobody has stepped
/// yet may be asked.
scree_status dem_device_possible(const scree_stepper *stepper, const scree_world *world, scree_error *error);
scree_status dem_possible(const scree_world *world, scree_error *error);
/// Every pair of materials that can meet, and the largest stable step of the world as it is (dem_check.c).
scree_status dem_check(const scree_stepper *stepper, const scree_world *world, double *critical, scree_error *error);

#endif
