/* bed.h: many spheres and a few planes with soft contacts, as fast as the machine goes: the engine on the processor (sphere_engine.h, which
 * says what a step is).
 *
 * Neither the instruction set, nor the number of threads, nor how steps are batched, nor when lists are made changes a bit: sums are exact
 * (bed_parts.h, bed_grid). So a bed made from the state of another goes on with the same bits. docs/math/dem.md, last section. */
#ifndef SCREE_DEM_SPHERES_BED_H
#define SCREE_DEM_SPHERES_BED_H

#include "dem/spheres/sphere_engine.h"

extern const sphere_engine bed_engine;

/// `pool` may be NULL and must outlive the bed, or its replacement by bed_set_pool. Refuses (SCREE_ERR_INPUT) what has no meaning and a box
/// too small for its periodic axes; not a step that is too long: see bed_limit.
scree_status bed_create(const bed_def *def, const bed_motion *start, const scree_allocator *allocator, scree_pool *pool,
                        bed **out, scree_error *error);
void bed_destroy(bed *b);
scree_status bed_set_pool(bed *b, scree_pool *pool);

/// `steps` steps. Allocates only when there are more neighbours than ever before. SCREE_ERR_MEMORY: the bed is as after the last step it took
/// (bed_count tells how many), and can be tried again. SCREE_ERR_RUNAWAY: a sphere left the range of numbers in the last step (the error names
/// it); the bed can be looked at, no more.
scree_status bed_advance(bed *b, int64_t steps, scree_error *error);

/* ---- what acts from outside ------------------------------------------------------------------------------------------------- */

/// Velocities and past of driven planes in a new bed.
void bed_forcing_start(bed *b, bed_forcing *forcing);
/// bed_advance under a forcing, whose state moves along. A step that is refused for its loads or walls (SCREE_ERR_INPUT) is not taken.
scree_status bed_advance_forced(bed *b, int64_t steps, bed_forcing *forcing, scree_error *error);

/// Adds to `sum` (by numbers) the stiffness of each sphere's contacts that touch now, over its inertia, as dem_limit.c counts it for a step of h.
/// Then, of all contacts, the largest weight (dem_rate_weight) of the sums of both partners: above 4/h the step is too long. `pair`: whose
/// it is, a plane as -1 - its number; left alone where no contact has a weight above 0, which is then returned. Costs 30 ns a contact, 75
/// to 105 where spheres differ.
double bed_limit(const bed *b, double h, dem_rate *sum, int pair[2]);

/* ---- between steps ------------------------------------------------------------------------------------------------------ */

void bed_read(const bed *b, bed_motion *to);
/// Replaces what is not NULL. Memories stay; lists are made again.
scree_status bed_write(bed *b, const bed_motion *from, scree_error *error);
/// One more sphere with a number above all others; O(spheres). Its material must be one of the definition's.
scree_status bed_add(bed *b, const bed_grain *grain);
/// Spheres of these numbers touch nothing from now on and stay where they are; reading does not give them. They cost what spheres cost: make a
/// new bed where many have left. O(spheres and contacts), however many leave. Returns how many of them there were.
/// `held`: what was stored in their contacts, in all; or NULL.
int bed_remove(bed *b, int count, const int *id, double *held);
void bed_set_gravity(bed *b, const double gravity[3]);

int64_t bed_rebuilds(const bed *b); /* grows when lists are made again, and when spheres come */
double bed_travel(const bed *b);    /* no sphere has moved farther since then [m];          */
double bed_skin(const bed *b);      /* and the lists are made again before half of this     */
/// One sphere by its number; `q` may be NULL. The first call after a new list costs O(spheres).
void bed_look_at(bed *b, int id, double x[3], double v[3], double omega[3], double q[4]);
/// Adds to the loads of the next step, and only of that. Lists must be up to date (bed_prepare).
scree_status bed_prepare(bed *b);
scree_status bed_push(bed *b, int id, const double force[3], const double torque[3]);

/// What contacts did to a plane in the last step: force, and torque about its point.
void bed_plane_load(const bed *b, int plane, double force[3], double torque[3]);

/// Loads of the contacts at the state as it is, memories moved over the time `moved` (the step), which are then as before. 0: as LAMMPS sets up
/// a run, where nothing moves but twists beyond their limit are set; memories stay so.
/// By numbers; NULL: not wanted.
scree_status bed_loads(bed *b, double moved, double *force, double *torque);

/* ---- energies -------------------------------------------------------------------------------------------------------------- */

bed_totals bed_get_totals(const bed *b);
void bed_set_totals(bed *b, const bed_totals *totals);

bed_energy bed_energies(const bed *b);
/// Stored in overlaps that are there now and were not at the last step, of spheres with numbers from `id` on and planes from `plane` on:
/// nobody's motion has put it there. Lists must be up to date (bed_prepare).
double bed_new_overlaps(const bed *b, int id, int plane);
double bed_speed(const bed *b);   /* of the fastest                */
double bed_deepest(const bed *b); /* overlap at the beginning of any step of the last bed_advance [m] */
int64_t bed_count_steps(const bed *b);
double bed_list_seconds(const bed *b); /* spent on lists since bed_create */

/// The scale of the exact sums, part of the state: 0 before the first step, and where spheres have come or were moved by hand.
double bed_get_scale(const bed *b);
void bed_set_scale(bed *b, double scale);

typedef struct bed_counts {
    int touching, listed;     /* contacts that touched in the last step; pairs in the lists */
    int64_t steps, rebuilds;  /* since bed_create                                           */
    const char *instructions; /* "avx512", "avx2", "base"                                   */
} bed_counts;
bed_counts bed_count(const bed *b);

/* ---- contacts: memory and loads ----------------------------------------------------------------------------------------- */

/// How many there are, with loads and memories, in the order of (i, j), planes first (-1 - j ascending); `out` has room for `room` and gets no
/// more. The bed stays as it is.
scree_status bed_contacts(bed *b, int room, bed_contact *out, int *count);
/// Into a bed: memories of contacts, which are put in that order; those that are not live have none.
void bed_recall(bed *b, int contacts, bed_contact *contact);
bed_survey bed_look_over(const bed *b);

#endif
