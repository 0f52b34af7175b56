/* bed.h: many spheres and a few planes with soft contacts, as fast as the machine goes.
 *
 * The engine under the dem stepper where every body is a sphere or a plane. It knows nothing of worlds: arrays in, arrays out, bodies
 * numbered as the caller numbers them. A step of length h is
 *
 *     v += h (F/m + g),   omega += h T/I,   x += h v,   q turned by h omega,   then memories and loads F, T at the new state
 *
 * so loads see the velocities that moved the bodies. The first loads (bed_create) are taken at the state given, with no memory moved.
 * A contact belongs to i, j: i is the sphere with the larger number, or the sphere where j is a plane; n points into i.
 *
 *     d = x_i - x_j (nearest periodic image),  delta = R_i + R_j - |d|,  n = d/|d|;         plane: delta = R_i - n.(x_i - x_plane)
 *     N     Hooke or Hertz of laws/dem_normal.h, damping coefficient  normal_damping + that of zeta  (Hertz: zeta only)
 *     then  BED_SDS      the spring-dashpot-slider of laws/dem_legacy.h: arms of forces R - delta/2, planes R; R_i R_j/(R_i + R_j) rolls
 *           BED_TRACKED  the model of [FN], laws/dem_frame.h and dem_friction.h, by its formulas for spheres: arms R - delta/2
 *
 * sds limits are mu |N|. Inverse mass 0 makes a sphere fixed, or driven if it has a velocity. Every quantity is a double.
 *
 * Neither the instruction set nor the number of threads changes a bit. Order of sums and moments at which lists are made again belong
 * to the state: bed_state_save keeps them, so a bed that is loaded goes on with the same bits. docs/math/dem.md, last section. */
#ifndef SCREE_STEPPERS_BED_H
#define SCREE_STEPPERS_BED_H

#include "laws/dem_friction.h"
#include "laws/dem_normal.h"

#include <scree/base.h>

typedef enum bed_law { BED_SDS, BED_TRACKED } bed_law;

/// One spring-dashpot-slider; its limit is mu |N|. Slide and roll: [N/m], [N s/m], 1; twist: [N m], [N m s], [m].
typedef struct bed_sds {
    double stiffness, damping, mu; /* stiffness 0: none of this kind                                                 */
    double ratio;                  /* added to the damping: 2 ratio sqrt(m k), m the reduced mass (twist: inertia)    */
} bed_sds;

/// The largest moment of rolling or spinning per unit of load: length + ratio times the smaller radius + reduced times the reduced one,
/// which is 1/(kappa_i + kappa_j) [m].
typedef struct bed_arm {
    double length, ratio, reduced;
} bed_arm;

/// What two materials say to each other.
typedef struct bed_pair {
    dem_normal normal;     /* Hooke: stiffness is k [N/m]; Hertz: the effective modulus E [Pa]; no other kind        */
    double normal_damping; /* Hooke only [N s/m]                                                                     */
    bed_sds slide, roll, twist; /* BED_SDS                                                                           */
    dem_friction_def friction;  /* BED_TRACKED                                                                       */
    bed_arm roll_arm, spin_arm; /* in place of eta_r and eta_psi, or of mu of roll and twist: those are then 0        */
} bed_pair;

/// The half space below a plane through `point`. It moves with velocity v and turns with omega about `point`.
typedef struct bed_plane {
    double normal[3], point[3];
    double v[3], omega[3];
    int material;
} bed_plane;

typedef struct bed_def {
    int count;                     /* spheres                                                                */
    const double *radius;          /* (count) [m]                                                            */
    const double *inverse_mass;    /* (count) [1/kg]; 0: does not feel forces                                */
    const double *inverse_inertia; /* (count) [1/(kg m^2)]; NULL: 2.5/(m R^2)                                */
    const int *material;           /* (count); NULL: all 0                                                   */
    int materials;
    const bed_pair *pair; /* (materials x materials) entry [a * materials + b], a >= b is read              */
    bed_law law;
    int planes;
    const bed_plane *plane;
    int periodic[3]; /* 1: the axis is periodic from low to high, at least 3 list distances long             */
    double low[3], high[3];
    double gravity[3];
    double step;      /* h [s]                                                                               */
    double skin;      /* lists hold pairs closer than this [m]; 0: a fifth of the mean diameter              */
    int orientations; /* 1: quaternions are carried along                                                    */
    int ledger;       /* 1: losses are summed (a few percent of the time)                                    */
    int kernel;       /* 0: the best instruction set there is; 1, 2, ..: the next ones. Tests use it         */
} bed_def;

/// State, in the caller's order and the world frame. Arrays may be NULL: zero (or the unit quaternion), or not wanted.
typedef struct bed_motion {
    double *x, *v, *omega; /* (count x 3) */
    double *q;             /* (count x 4) */
} bed_motion;

typedef struct bed bed;

/// `pool` may be NULL and must outlive the bed. Refuses (SCREE_ERR_INPUT) what has no meaning and a box too small for its periodic
/// axes; not a step that is too long: see bed_limit.
scree_status bed_create(const bed_def *def, const bed_motion *start, const scree_allocator *allocator, scree_pool *pool,
                        bed **out, scree_error *error);
void bed_destroy(bed *b);

/// `steps` steps. Allocates only when there are more neighbours than ever before. SCREE_ERR_INPUT: a sphere left the range of numbers
/// (the error names it). After any error the bed can only be destroyed.
scree_status bed_advance(bed *b, int64_t steps, scree_error *error);

/// Adds to `sum` (count) the stiffness of each sphere's contacts that touch, over its inertia, as dem_limit.c counts it for a step of h.
/// Then, of all contacts, the largest weight (dem_rate_weight) of the sums of both partners: above 4/h the step is too long. `pair`: whose
/// it is, a plane as -1 - its number; left alone where no contact has a weight above 0, which is then returned. Costs 30 ns a contact, 75
/// to 105 where spheres differ.
double bed_limit(const bed *b, double h, dem_rate *sum, int pair[2]);

/* ---- between steps ------------------------------------------------------------------------------------------------------ */

void bed_read(const bed *b, bed_motion *to);
/// Replaces what is not NULL. Memories stay; lists are made again.
scree_status bed_write(bed *b, const bed_motion *from, scree_error *error);
void bed_set_gravity(bed *b, const double gravity[3]);
void bed_set_plane(bed *b, int plane, const double v[3], const double omega[3]);
bed_plane bed_get_plane(const bed *b, int plane); /* where it is now */
/// Forces and torques (count x 3 each, world frame) that act until they are set again; NULL, NULL: none.
scree_status bed_set_loads(bed *b, const double *force, const double *torque);

/// Where each sphere lies (count), and how to reach one there: these numbers hold until the lists are made again (bed_rebuilds).
int64_t bed_rebuilds(const bed *b);
double bed_travel(const bed *b); /* no sphere has moved farther since then [m]; */
double bed_skin(const bed *b);   /* and the lists are made again before half of this */
void bed_places(const bed *b, int *place);
/// One sphere; `q` may be NULL.
void bed_look_at(const bed *b, int place, double x[3], double v[3], double omega[3], double q[4]);
/// Adds to the loads that the next step begins with, and only to those.
void bed_push(bed *b, int place, const double force[3], const double torque[3]);

/// What contacts do to a plane: force, and torque about its point. Spheres: what contacts do to each, (count x 3); NULL: not wanted.
void bed_plane_load(const bed *b, int plane, double force[3], double torque[3]);
void bed_sphere_loads(const bed *b, double *force, double *torque);

/// With a ledger: kinetic + potential + elastic changes by driven + came_round - dashpot - slider - model (and the work of given loads), to the first
/// order in h. Beyond its limit all that an sds spring loses is the slider's; a contact that parts gives what is stored to its sliders.
typedef struct bed_energy {
    double kinetic, potential; /* moving spheres; potential of gravity, 0 at the origin                      */
    double came_round; /* of potential: what spheres got that left a periodic axis and came in at its other end */
    double elastic[4]; /* stored: normal, slide, roll, spin                                          */
    double dashpot[4], slider[4]; /* lost since bed_create, if def.ledger: the same four                        */
    double driven;                /* work of planes and driven spheres on the others, likewise                  */
    double
        model; /* what torques do beyond the slips they belong to: they act at R - delta/2, slips are measured at R; and roll torques of
                     [FN] need not be opposite                                                                  */
} bed_energy;
bed_energy bed_energies(const bed *b);

typedef struct bed_counts {
    int touching, listed;     /* contacts with delta > 0; pairs in the lists            */
    int64_t steps, rebuilds;  /* since bed_create                                       */
    const char *instructions; /* "avx512", "avx2", "base"                               */
} bed_counts;
bed_counts bed_count(const bed *b);

/* ---- contacts: memory and loads ----------------------------------------------------------------------------------------- */

/// A contact that touches. BED_SDS: memory is xi (3, world), xi_roll (3, world), phi. BED_TRACKED: S, Theta_i, Theta_j along u and
/// w = n x u, then Psi; n and u are those of the last step.
typedef struct bed_contact {
    int i, j;          /* j < 0: plane -1 - j                                             */
    double n[3], u[3]; /* u: BED_TRACKED                                                  */
    double delta;
    double memory[7];
    unsigned char kinetic[DEM_SPRINGS];        /* BED_TRACKED                                      */
    unsigned char south;                       /* BED_TRACKED: u is vec_tangent_half(n, -1), else 1 */
    double force[3], torque_i[3], torque_j[3]; /* of the last step, if bed_want_contact_loads was called before it */
} bed_contact;

/// From now on the last step of every bed_advance keeps the loads of each contact.
scree_status bed_want_contact_loads(bed *b, int wanted);
/// The contacts in the order of (i, j), planes first (-1 - j ascending). `out` has room for bed_count().touching.
void bed_contacts(const bed *b, bed_contact *out);

/* ---- state: the same bits after a restart ------------------------------------------------------------------------------- */

/// Everything that the future depends on besides the definition, in this machine's byte order.
size_t bed_state_size(const bed *b);
void bed_state_save(const bed *b, void *bytes);
/// Into a bed made with the same definition; SCREE_ERR_INPUT where the bytes cannot be that.
scree_status bed_state_load(bed *b, const void *bytes, size_t size, scree_error *error);

/// A bed from such bytes alone, to be looked at: bed_read, bed_contacts, bed_sphere_loads. It cannot be stepped. SCREE_ERR_INPUT where
/// it has not so many spheres and planes.
scree_status bed_of_state(const void *bytes, size_t size, int spheres, int planes, const scree_allocator *allocator,
                          bed **out, scree_error *error);
/// Into a new bed: contacts (in the order of bed_contacts) with what they remember, and the loads (count x 3) that the next step begins
/// with in place of those that bed_create found, which know nothing of springs and their dashpots.
void bed_continue(bed *b, int contacts, const bed_contact *contact, const double *force, const double *torque);

#endif
