/* sphere_engine.h: what an engine for soft spheres is given, what it gives back, and what it can do. docs/adding-an-engine.md
 *
 * The part of the boundary (dem_engine.h) that knows no world: arrays in, arrays out, spheres numbered as the caller numbers them. An engine is
 * a table of functions over a state of its own. dem_spheres*.c puts any of them behind a world; the one on the processor is bed.h.
 *
 * A step of length h from the state (x, v, omega, q, memories of the contacts) is, as in dem.c,
 *
 *     memories and loads F, T of the contacts at x
 *     v += h (F/m + g),   omega += h T/I,   x += h v (periodic axes: back into the box),   q turned by h omega
 *
 * so loads see the velocities that moved the spheres. Nothing else is state: loads live for one step.
 * A contact belongs to i, j: i is the sphere with the larger number, or the sphere where j is a plane; n points into i.
 *
 *     d = x_i - x_j (nearest periodic image),  delta = R_i + R_j - |d|,  n = d/|d|;         plane: delta = R_i - n.(x_i - x_plane)
 *     N     Hooke or Hertz of laws/dem_normal.h, damping coefficient  normal_damping + that of zeta  (Hertz: zeta only)
 *     then  BED_SDS      the spring-dashpot-slider of laws/dem_legacy.h: arms of forces R - delta/2, planes R; R_i R_j/(R_i + R_j) rolls
 *           BED_TRACKED  the model of [FN], laws/dem_frame.h and dem_friction.h, by its formulas for spheres: arms R - delta/2
 *
 * sds limits are mu |N|. Inverse mass 0 makes a sphere fixed, or driven if it has a velocity. Every quantity is a double.
 * All engines give the same bits where the rules of docs/adding-an-engine.md are kept. */
#ifndef SCREE_DEM_SPHERES_SPHERE_ENGINE_H
#define SCREE_DEM_SPHERES_SPHERE_ENGINE_H

#include "laws/dem_friction.h"
#include "laws/dem_normal.h"
#include "laws/forcing.h"

#include <scree/base.h>

/* ---- what there is ------------------------------------------------------------------------------------------------------------ */

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
    double
        shear; /* effective shear modulus [Pa]; above 0: stiffness of slide, or of `friction`, is Mindlin's, 8 shear a    */
    bed_arm roll_arm, spin_arm; /* in place of eta_r and eta_psi, or of mu of roll and twist: those are then 0        */
                                /* BED_TRACKED with mu = 0: static and kinetic of roll and spin are shares of them    */
} bed_pair;

/// The half space below a plane through `point`. It moves with velocity v and turns with omega about `point`.
typedef struct bed_plane {
    double normal[3], point[3];
    double v[3], omega[3];
    int material;
} bed_plane;

/// A sphere, with its number and state.
typedef struct bed_grain {
    int id, material;
    double radius, inverse_mass, inverse_inertia;
    double x[3], v[3], omega[3], q[4];
} bed_grain;

typedef struct bed_def {
    int count;                     /* spheres                                                                */
    const bed_grain *grain;        /* (count) all of them, in place of the next five and of `start`; or NULL */
    const int *id;                 /* (count) the caller's numbers, different and 0 or more; NULL: 0, 1, ..  */
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
    int chunk;        /* spheres worked on together, at most; 0: as many as are quickest. Tests use it       */
    int lists_later;  /* 1: who makes the bed may never take its steps: no lists until bed_prepare           */
} bed_def;

/// State in the world frame, entries by the caller's numbers. Arrays may be NULL: zero (or the unit quaternion), or not wanted.
typedef struct bed_motion {
    double *x, *v, *omega; /* (numbers x 3) */
    double *q;             /* (numbers x 4) */
} bed_motion;

/* ---- what acts from outside ------------------------------------------------------------------------------------------------- */

/// A body that moves as it is told, or as its servo decides. The caller's planes and walls are parts of it.
typedef struct bed_driven {
    int id; /* the caller's number */
    forcing_motion motion;
    double x[3], q[4], v[3]; /* state: pose, and velocity, where a servo keeps its speed           */
    double moved[6],
        moved_from
            [4]; /* state: velocity and spin of its last step, and its rotation before that; 0: it has made none */
    double velocity[6]; /* of the step under way, velocity and spin                           */
    double felt[3];     /* what contacts do to it in this step [N]                            */
} bed_driven;

/// A plane of the bed that is part of a driven body.
typedef struct bed_driven_plane {
    int plane, body;                 /* `body`: index into the driven ones */
    double position[3], rotation[4]; /* in the body's frame                */
} bed_driven_plane;

/// A sphere with an applied load. One that has left the bed feels nothing.
typedef struct bed_loaded {
    int id;
    forcing_load load;
    double now[6], velocity[6]; /* load, and velocity and spin, at the start of the step */
} bed_loaded;

/// Walls that are not the engine's: the one part of the forcing that is no data. They are called at every step.
typedef struct bed_other_walls {
    /// At the poses as they are: pushes spheres (bed_push), adds to `felt`. An error: the step is not taken. NULL: there are none.
    scree_status (*push)(void *context, scree_error *error);
    /// Everything has moved.
    void (*carry)(void *context);
    void *context;
} bed_other_walls;

/// All that acts on a bed besides its own contacts and gravity, over any number of steps: numbers and tables, evaluated by the functions of
/// laws/forcing.h at every step.
typedef struct bed_forcing {
    double time;  /* when the next step begins [s]     */
    int64_t step; /* its number (forcing_time_after)   */
    int driven_count, plane_count, loaded_count;
    bed_driven *driven;
    bed_driven_plane *plane; /* in the order of their bodies */
    bed_loaded *loaded;
    bed_other_walls walls;
    struct soft_walls *soft; /* the same walls as data, for an engine that answers them itself; else NULL */
    int half;    /* 1: the first step kicks by half; 0 afterwards                                                   */
    double work; /* of applied loads is added here [J]                                                              */
    double
        deepest; /* overlap with walls that are not the bed's: raised by their hook, 0 when advance begins [m]      */
    int refused; /* the sphere whose load is not finite, where that is why a step was refused; else -1 */
} bed_forcing;

/* ---- what is told -------------------------------------------------------------------------------------------------------------- */

/// What has been lost since the first step, if def.ledger: normal, slide, roll, spin; and masses that came round the periodic axes, times how
/// often. Part of the state. Each is counted by itself, from its own force and way (docs/math/dem.md, Ledger).
typedef struct bed_totals {
    double dashpot[4], slider[4];
    double driven; /* work of planes and driven spheres on the others */
    double
        model; /* what torques do beyond the slips they belong to: they act at R - delta/2, slips are measured at R; and roll torques of
                      [FN] need not be opposite                                                                                      */
    double wrapped[3];
    double deepest; /* overlap there has been [m]                                              */
    double dropped; /* held by springs of slide, roll and spin of contacts that parted         */
    double
        made; /* put into springs by the law: spin whose stiffness grows with the overlap (Hertz), sds set to make up for a dashpot */
} bed_totals;

/// Kinetic + potential + elastic changes by driven + came_round + made - dashpot - slider - dropped - model (and the work of pushes), to
/// the first order in h. Beyond its limit all that an sds spring loses is the slider's.
typedef struct bed_energy {
    double kinetic, potential; /* moving spheres; potential of gravity, 0 at the origin                      */
    double fall;               /* sum of m g.v of moving spheres [W]                                                  */
    double came_round; /* of potential: what spheres got that left a periodic axis and came in at its other end */
    double elastic[4]; /* stored at the loads of the last step: normal, slide, roll, spin                       */
} bed_energy;

/// A contact that touches now, or did in the last step (it parts with what it holds in the next). BED_SDS: memory is xi (3, world), xi_roll (3, world), phi. BED_TRACKED: S, Theta_i, Theta_j along u and
/// w = n x u, then Psi, where n is the normal before the last motion and u = vec_tangent_half(n, south ? -1 : 1).
typedef struct bed_contact {
    int i, j;     /* j < 0: plane -1 - j                                                          */
    double n[3];  /* now                                                                          */
    double delta; /* now                                                                          */
    double memory[7];
    unsigned char live;    /* it touched in the last step, and has a memory */
    unsigned char touches; /* it touches now                                */
    unsigned char kinetic[DEM_SPRINGS], south;
    unsigned char slides[DEM_SPRINGS];         /* `kinetic` after the loads below */
    double energy[2];                          /* held by the overlap now, and by the springs of memory [J] */
    double force[3], torque_i[3], torque_j[3]; /* what the next step begins with  */
} bed_contact;

/// The contacts of the last step, counted by what they did. After a call of bed_advance that failed, who pushes, and who slides in sds, is as the
/// call before left it: only the last step of a call writes that down.
typedef struct bed_survey {
    int touching, pushing; /* pushing: the normal force is above 0 */
    int modes[2][2][3];    /* [slides][rolls][spins: no, with a positive moment on i along n, a negative one] */
} bed_survey;

/// What an engine knows without looking at its spheres.
typedef struct bed_sums {
    bed_totals totals;
    double scale;   /* of the exact sums: 0 before the first step, and where spheres have come or were moved by hand */
    double speed;   /* of the fastest sphere [m/s]                                                                   */
    double deepest; /* overlap at the beginning of any step of the last call of advance [m]                          */
    double list_seconds; /* spent on lists since it was created                                                      */
} bed_sums;

/// What a new engine takes over: histories, which are put in order; sums; how driven bodies came to where they are.
typedef struct bed_past {
    int contacts;
    bed_contact *contact;
    bed_totals totals;
    double scale;
    bed_forcing *forcing;
} bed_past;

/* ---- an engine ---------------------------------------------------------------------------------------------------------------- */

/// The state of an engine. Each defines its own and casts.
typedef struct bed bed;

/// Walls that the engine does not know (bed_other_walls) are answered on the host at every step. What their hook asks of it then:
typedef struct sphere_engine_walls {
    double (*skin)(const bed *b);      /* lists are made again before any sphere has moved half of this [m] */
    double (*travel)(const bed *b);    /* no sphere has moved farther since then [m]                        */
    int64_t (*rebuilds)(const bed *b); /* grows when lists are made again, and when spheres come            */
    /// One sphere by its number; `q` may be NULL.
    void (*look_at)(bed *b, int id, double x[3], double v[3], double omega[3], double q[4]);
    /// Adds to the loads of the step that is about to be taken.
    scree_status (*push)(bed *b, int id, const double force[3], const double torque[3]);
} sphere_engine_walls;

/// Every call ends before it returns. A machine that fails is an error of its own (SCREE_ERR_MEMORY, ...), after which the state may only be
/// destroyed, or is as after the last step it took.
typedef struct sphere_engine {
    const char *name;
    /// Refuses (SCREE_ERR_INPUT) what has no meaning and a box too small for its periodic axes; not a step that is too long: see limit.
    scree_status (*create)(const bed_def *def, const scree_allocator *allocator, bed **out, scree_error *error);
    void (*destroy)(bed *b);
    void (*adopt)(bed *b, bed_past *past);             /* once, before anything else */
    scree_status (*threads)(bed *b, scree_pool *pool); /* of the calls that follow; NULL: one, and asks for no memory */

    /// Adds to `sum` (by numbers) the stiffness of each sphere's contacts that touch now, over its inertia, as dem_limit.c counts it for a step
    /// of h. Then, of all contacts, the largest weight (dem_rate_weight) of the sums of both partners: above 4/h the step is too long. `pair`:
    /// whose it is, a plane as -1 - its number; left alone where no contact has a weight above 0, which is then `weight`.
    scree_status (*limit)(bed *b, double h, dem_rate *sum, int pair[2], double *weight);
    /// `steps` steps under a forcing, whose state moves along. SCREE_ERR_MEMORY: it is as after the last step it took, and can be tried again.
    /// SCREE_ERR_INPUT: the step was refused for its loads or walls, and not taken. SCREE_ERR_RUNAWAY: a sphere left the range of numbers
    /// in the last step (the error names it), which has been taken; it can be read, no more.
    scree_status (*advance)(bed *b, int64_t steps, bed_forcing *forcing, scree_error *error);

    scree_status (*read)(const bed *b, bed_motion *to); /* entries of spheres that are there; the others stay */
    /// How many contacts there are, with loads and memories, in any order; `out` has room for `room` and gets no more. Changes nothing.
    scree_status (*contacts)(bed *b, int room, bed_contact *out, int *count);
    bed_sums (*sums)(const bed *b);
    bed_energy (*energies)(const bed *b);
    bed_survey (*survey)(const bed *b);
    /// Stored in overlaps that are there now and were not at the last step, of spheres with numbers from `id` on and planes from `plane` on:
    /// nobody's motion has put it there [J].
    scree_status (*new_overlaps)(bed *b, int id, int plane, double *held);

    /// One more sphere with a number above all others. Its material must be one of the definition's.
    scree_status (*add)(bed *b, const bed_grain *grain);
    /// Spheres of these numbers touch nothing from now on and stay where they are; reading does not give them. Returns how many of them there
    /// were. `held`: what was stored in their contacts, in all [J].
    int (*remove)(bed *b, int count, const int *id, double *held);

    const sphere_engine_walls
        *walls; /* NULL: it answers walls itself, of the shapes of wall_is_simple (bed_forcing.soft) */
} sphere_engine;

#endif
