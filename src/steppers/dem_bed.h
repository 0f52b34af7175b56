/* dem_bed.h: what the parts of the way from worlds to beds share.
 *
 *     dem_bed_fit.c        which worlds fit, and what their materials are to a bed
 *     dem_bed_make.c       a bed of a world as it stands; and again where bodies came or left, with what the contacts remember
 *     dem_bed_contacts.c   the bed's contacts as the world's
 *     dem_bed_outside.c    what is not the bed's: applied loads, driven bodies
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
    BED_MISFIT
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

/// What stands before the bed's own bytes in the world. Behind them: the shapes of spheres and planes.
typedef struct bed_prefix {
    uint64_t moved; /* hash of the motion that belongs to them                                          */
    bed_roster roster;
    int32_t spheres, planes, law, spare;
    bed_energies_all start, last; /* at the first step: totals are differences to it, however the steps are batched   */
} bed_prefix;

struct dem_bed {
    bed_cast cast;
    bed_roster roster;
    bed_energies_all start;
    scree_ledger total, outside;
    bed_motion motion; /* read and written through these */
    double critical;

    /* dem_bed_outside.c */
    int driven, *driven_body; /* bodies that are driven                                       */
    int loaded, *loaded_id;   /* spheres with applied loads                                   */
    double (*loaded_v)[6];    /* (loaded) velocities before the step                          */
    int *place;               /* (spheres) where they lie in the engine                       */
    int64_t placed;           /* for which rebuild                                            */

    unsigned char head[sizeof(bed_prefix) + 64]; /* first bytes of the state that was left in the world */
};

/* ---- dem_bed_make.c ------------------------------------------------------------------------------------------------------ */

/// A bed of the world as it is, with what the world's bytes remember. stepper->bed on success.
scree_status dem_bed_make(scree_stepper *stepper, const scree_world *world, scree_error *error);
/// The engine of the world's bytes, to be looked at; nothing of it where there are none.
scree_status dem_bed_recall(const scree_stepper *stepper, const scree_world *world, bed_prefix *prefix, bed_cast *cast,
                            scree_error *error);
void dem_bed_cast_free(const scree_allocator *allocator, bed_cast *cast);
uint64_t dem_bed_motion_hash(const scree_world *world);
/// Of plane `plane` where the engine has its point, in the step from `time` on.
void dem_bed_plane_velocity(const scree_world *world, const bed_cast *cast, int plane, double time, double h,
                            double v[3], double omega[3]);

/* ---- dem_bed_contacts.c -------------------------------------------------------------------------------------------------- */

/// `with_memory`: for the general stages, which go on from here.
scree_status dem_bed_contacts_to_world(scree_stepper *stepper, scree_world *world, const bed_cast *cast,
                                       int with_memory);

/* ---- dem_bed_outside.c --------------------------------------------------------------------------------------------------- */

/// Lists who is driven or has applied loads; 0: no memory.
int dem_bed_outside_list(const scree_allocator *allocator, const scree_world *world, dem_bed *d);
void dem_bed_outside_free(const scree_allocator *allocator, dem_bed *d);
/// `steps` steps, with what acts from outside.
scree_status dem_bed_steps(scree_stepper *stepper, scree_world *world, int64_t steps, scree_error *error);

#endif
