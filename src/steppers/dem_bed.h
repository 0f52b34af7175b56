/* dem_bed.h: what the parts of the way from worlds to beds share.
 *
 *     dem_bed_fit.c        which worlds fit, and what their materials are to a bed
 *     dem_bed_make.c       a bed of a world as it stands; and again where bodies came or left, with what the contacts remember
 *     dem_bed_contacts.c   the bed's contacts as the world's
 *     dem_bed_outside.c    what is not the bed's: applied loads, driven bodies
 *     dem_bed_walls.c      and walls of any shape
 *     dem_bed_limit.c      whether the step is short enough
 *     dem_bed.c            steps, energies, the state as bytes */
#ifndef SCREE_STEPPERS_DEM_BED_H
#define SCREE_STEPPERS_DEM_BED_H

#include "steppers/bed.h"
#include "steppers/dem.h"

/// What a shape of the world is to a bed.
typedef enum bed_role {
    BED_ABSENT, /* its body has been removed                        */
    BED_SPHERE,
    BED_PLANE,
    BED_WALL,  /* of a body that does not move freely: its contacts are the general code's */
    BED_MISFIT /* no bed can have it                                                       */
} bed_role;
bed_role dem_bed_role(const scree_world *world, int shape);

/// What materials say to each other, (2 materials)^2 entries: those of planes behind those of spheres; pairs that never meet repeat one
/// that does. NULL: it cannot be a bed, or there is no memory (`*status`).
bed_pair *dem_bed_pairs(const scree_stepper *stepper, const scree_world *world, bed_law *law, scree_status *status);

/// Which shapes the spheres and planes of an engine are.
typedef struct bed_cast {
    bed *engine;
    bed_law law;
    int spheres, planes;
    int *sphere_shape, *plane_shape;
} bed_cast;

/// Energies of a bed, and sums of what came from outside since the first step.
typedef struct bed_energies_all {
    bed_energy bed;
    scree_ledger outside;
} bed_energies_all;

/// Shapes of a world, and those of bodies that are there. Bodies that left do not come back, so two numbers tell any change.
typedef struct bed_roster {
    int32_t shapes, there;
} bed_roster;
bed_roster dem_bed_roster(const scree_world *world);
static inline int bed_roster_equal(bed_roster a, bed_roster b)
{
    return a.shapes == b.shapes && a.there == b.there;
}

/// What stands before the bed's own bytes in the world. Behind them: the shapes of spheres and planes.
typedef struct bed_prefix {
    uint64_t moved; /* hash of the motion that belongs to them                                          */
    bed_roster roster;
    int32_t spheres, planes, law, spare;
    bed_energies_all start, last; /* at the first step: totals are differences to it, however the steps are batched   */
} bed_prefix;

/// Walls of any shape (dem_bed_walls.c).
typedef struct bed_walls {
    int count, *shape; /* shapes that are walls                                                       */
    double *arm;       /* (bodies) farthest point of its walls                                        */
    vec6 *before;      /* (bodies) velocities that have moved walls and the spheres near them here    */
    vec3 *reaction;    /* (bodies) what contacts do to a driven one                                   */
    quat *q0;          /* (bodies) rotations at the last step's contacts                              */
    int pairs, pair_room, (*pair)[2];
    int near_count, *near;       /* (spheres) numbers of those in pairs                                         */
    double *radius;              /* (spheres) 0: does not move */
    int *found;                  /* (spheres) scratch                                                           */
    int *number;                 /* (shapes) of spheres in the bed                                              */
    int *shapes;                 /* walls, then the spheres near them: those of the pairs                       */
    int64_t made;                /* rebuild of the bed for which there are pairs; -1: none                      */
    double travel;               /* of the bed at that moment                                                   */
    double way, way_before;      /* of the fastest point of a wall since then, now and before the step          */
    int due;                     /* 1: the loads that the next step begins with are not yet there               */
    contact_memory *saved;       /* (saved_room) of the contacts at the start of a call                         */
    int saved_room, saved_count; /* -1: nothing has been saved, and nothing changed */
} bed_walls;

/// A sphere with applied loads, and what the work of these in a step needs of its start.
typedef struct bed_loaded {
    int id;             /* its number in the bed  */
    double load[6];     /* force, moment          */
    double velocity[6]; /* velocity, spin         */
} bed_loaded;

struct dem_bed {
    bed_cast cast;
    bed_roster roster;
    bed_energies_all start;
    bed_energy energy; /* after the last step */
    scree_ledger total, outside;
    dem_meetings meetings; /* dem_bed_limit.c */
    bed_motion motion;     /* read and written through these */

    /* dem_bed_outside.c */
    int driven, *driven_body; /* bodies that are driven                                       */
    int loaded_count;         /* spheres with applied loads                                   */
    bed_loaded *loaded;       /* (loaded_count)                                               */
    int *place;               /* (spheres) where they lie in the engine                       */
    int64_t placed;           /* for which rebuild                                            */
    bed_walls walls;

    unsigned char head[sizeof(bed_prefix) + 64]; /* first bytes of the state that was left in the world */
};

/* ---- dem_bed_make.c ------------------------------------------------------------------------------------------------------ */

/// A bed of the world as it is, with what the world's bytes remember. stepper->bed on success.
scree_status dem_bed_make(scree_stepper *stepper, const scree_world *world, scree_error *error);
/// The engine of the world's bytes, to be looked at; nothing of it where there are none.
scree_status dem_bed_recall(const scree_stepper *stepper, const scree_world *world, bed_prefix *prefix, bed_cast *cast,
                            scree_error *error);
void dem_bed_motion_to_world(const dem_bed *d, scree_world *world);
void dem_bed_cast_free(const scree_allocator *allocator, bed_cast *cast);
uint64_t dem_bed_motion_hash(const scree_world *world);
/// Of plane `plane` where the engine has its point, in the step from `time` on.
void dem_bed_plane_velocity(const scree_world *world, const bed_cast *cast, int plane, double time, double h,
                            double v[3], double omega[3]);

/* ---- dem_bed_contacts.c -------------------------------------------------------------------------------------------------- */

/// Beside those with walls, which stay. `with_memory`: for the general stages, which go on from here.
scree_status dem_bed_contacts_to_world(scree_stepper *stepper, scree_world *world, const bed_cast *cast,
                                       int with_memory);

/* ---- dem_bed_outside.c --------------------------------------------------------------------------------------------------- */

/// Lists who is driven or has applied loads; 0: no memory.
int dem_bed_outside_list(const scree_allocator *allocator, const scree_world *world, dem_bed *d);
void dem_bed_outside_free(const scree_allocator *allocator, dem_bed *d);
/// d->place, where the lists have been made again.
void dem_bed_places_find(dem_bed *d);
/// `steps` steps, with what acts from outside.
scree_status dem_bed_steps(scree_stepper *stepper, scree_world *world, int64_t steps, scree_error *error);

/* ---- dem_bed_walls.c ----------------------------------------------------------------------------------------------------- */

int dem_bed_walls_list(const scree_allocator *allocator, const scree_world *world, dem_bed *d);
void dem_bed_walls_free(const scree_allocator *allocator, dem_bed *d);
/// Of the world's contacts only those with walls stay.
void dem_bed_walls_pick(scree_world *world);
/// Before the steps of a call; the world's contacts are then those with walls alone.
scree_status dem_bed_walls_begin(scree_stepper *stepper, scree_world *world, scree_error *error);
/// After a call that failed, when the world has its contacts back: their memories.
void dem_bed_walls_restore(const dem_bed *d, scree_world *world);
/// A driven body is about to be moved by h times this velocity.
void dem_bed_walls_drive(dem_bed *d, const scree_world *world, int body, const double velocity[6], double h);
/// After a step of the bed and of the driven bodies.
scree_status dem_bed_walls_step(scree_stepper *stepper, scree_world *world, scree_error *error);

/* ---- dem_bed_limit.c ----------------------------------------------------------------------------------------------------- */

/// Whether the step is short enough, where it is time to ask: before step `step`, at time t. Of the world's contacts only those with walls
/// are there; poses and velocities of the spheres become the world's.
scree_status dem_bed_judge(scree_stepper *stepper, scree_world *world, int64_t step, double t, scree_error *error);

#endif
