/* contacts.h: soft contacts of spheres whose motion, neighbours and ranks belong to a host: LAMMPS.
 *
 * The loads are those of the engine for spheres (src/dem/spheres), by the same kernels, from the same blocks of eight contacts: so a rank of
 * LAMMPS takes the steps that `scree run` takes. The host brings spheres (its own and the ghosts) and pairs, and calls once a step:
 *
 *     lmp_begin, lmp_sphere.., lmp_pair.., lmp_end     a new neighbour list; histories come with their pairs
 *     lmp_move                                         where the spheres are now, and what moved them here
 *     lmp_loads                                        histories advance by the step, forces and torques of all spheres
 *
 * What a contact remembers is seen from the sphere with the larger tag (i), so it means the same on every rank.
 *
 * The normal before the step is not stored: it is that of x - h v. So the host must move spheres by h v, with the v that it shows
 * (fix scree/nve, and velocity Verlet).
 *
 * Sums of loads are exact on a grid (bed_parts.h, bed_grid), whatever their order. With one scale on all ranks (lmp_set_scale) they do not
 * depend on the number of ranks. */
#ifndef SCREE_LAMMPS_CONTACTS_H
#define SCREE_LAMMPS_CONTACTS_H

#include "dem/spheres/bed.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LMP_HISTORY = 9 };

/// What a contact remembers, as numbers that can be sent and written: springs (7), the step in which it began, and bits.
typedef struct lmp_history {
    double number[LMP_HISTORY];
} lmp_history;

/// A contact that touched in the last step. j: sphere, or plane where it is in the group of planes.
typedef struct lmp_contact {
    int i, j;
    lmp_history history;
} lmp_contact;

/// A plane: the half space below it is solid. v and omega (about `point`) are those of the step to come; those before moved it to where it is.
typedef struct lmp_plane {
    double normal[3], point[3], v[3], omega[3];
    double normal_before[3], v_before[3], omega_before[3];
    int material;
} lmp_plane;

typedef struct lmp_contacts lmp_contacts;

/// `pair`: (materials x materials), entry [a * materials + b] with a >= b is read. NULL: no memory.
lmp_contacts *lmp_create(bed_law law, int materials, const bed_pair *pair, double step, int planes, int ledger);
void lmp_destroy(lmp_contacts *c);

/// A new list for `own` spheres and the ghosts behind them. 0: no memory, as in lmp_pair.
int lmp_begin(lmp_contacts *c, int own, int spheres);
void lmp_sphere(lmp_contacts *c, int i, int material, double radius, double mass);
/// i and j may touch before the next list. `history`: what they remember, or NULL. i has the larger tag.
int lmp_pair(lmp_contacts *c, int i, int j, const lmp_history *history);
int lmp_wall(lmp_contacts *c, int i, int plane, const lmp_history *history);
/// Spheres further apart than `inner` are looked at again when they may have come together; see lmp_move.
int lmp_end(lmp_contacts *c, double inner);

void lmp_set_plane(lmp_contacts *c, int plane, const lmp_plane *to);
/// State of all spheres, (spheres x 3) each. 0: no memory.
int lmp_move(lmp_contacts *c, const double *x, const double *v, const double *omega);

/// Scale of the exact sums: 0, sums are as they come. lmp_scale_after: that of a step after which this is the largest normal force anywhere.
void lmp_set_scale(lmp_contacts *c, double scale);
double lmp_scale_after(const lmp_contacts *c, double scale, double peak);

/// Loads of the state as it is; `birth`: the number of this step, for contacts that begin. 0: no memory.
int lmp_loads(lmp_contacts *c, double birth);
/// Of sphere i: force and torque, 3 each.
const double *lmp_force(const lmp_contacts *c, int i);
const double *lmp_torque(const lmp_contacts *c, int i);
/// On a plane, in two parts, each of which adds up exactly over ranks: force and torque about its point, coarse; then fine.
void lmp_plane_load(const lmp_contacts *c, int plane, double parts[12]);
double lmp_peak(const lmp_contacts *c); /* largest normal force of the last loads */

/// Keeps the histories as they are now, before lmp_loads advances them; lmp_contact_at and lmp_sums then tell of these where `kept` is 1.
int lmp_keep(lmp_contacts *c);
void lmp_restore(lmp_contacts *c); /* back to them, and to the energies of lmp_lost */

int lmp_count(const lmp_contacts *c); /* index space of lmp_contact_at */
/// 0: contact k did not touch in the last step. `kept`: histories before the last loads (lmp_keep).
int lmp_contact_at(const lmp_contacts *c, int k, int kept, lmp_contact *out);

/// Of contacts that touched in the last step, those shared with another rank counted half if `half`: number, sum of ages (steps since they
/// began, at step `now`), sum of the steps in which they began.
void lmp_sums(const lmp_contacts *c, double now, int half, double sums[3]);
/// Taken since lmp_create, if `ledger` [J]: normal, slide, roll, spin by dashpots; slide, roll, spin by sliders; work of moving planes.
void lmp_lost(const lmp_contacts *c, int half, double lost[8]);

#ifdef __cplusplus
}
#endif

#endif
