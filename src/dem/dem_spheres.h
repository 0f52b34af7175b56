/* dem_spheres.h: what the parts of the engine for spheres share (dem_engine.h).
 *
 *     dem_spheres_fit.c        which worlds fit, and what their materials are to it
 *     dem_spheres.c            adopt, follow, forcing from the world and back, steps, report, read
 *     dem_spheres_contacts.c   contacts and their histories: engine <-> world
 *     dem_spheres_walls.c      walls of any shape
 *     dem_spheres_soft.c       the same walls as data, for an engine that answers their contacts itself */
#ifndef SCREE_DEM_DEM_SPHERES_H
#define SCREE_DEM_DEM_SPHERES_H

#include "dem/dem.h"
#include "dem/dem_engine.h"
#include "dem/dem_walls.h"
#include "dem/spheres/sphere_engine.h"

/// What a shape of the world is to the engine.
typedef enum bed_role {
    BED_ABSENT, /* its body has been removed                        */
    BED_SPHERE,
    BED_PLANE,
    BED_WALL,  /* of a body that does not move freely: its contacts are the general code's */
    BED_MISFIT /* no sphere engine can have it                                             */
} bed_role;
bed_role dem_spheres_role(const scree_world *world, int shape);

/// What materials say to each other, (2 materials)^2 entries: those of planes behind those of spheres; pairs that never meet repeat one
/// that does. `by_radius`: some follow from the one radius that there is. NULL: it does not fit, or there is no memory (`*status`).
bed_pair *dem_spheres_pairs(const scree_allocator *allocator, const scree_world *world, bed_law *law, int *by_radius,
                            scree_status *status);
/// Why no engine for spheres steps this world (in the words of an error: "does not take .."), and whose fault it is, -1: no body's. NULL:
/// spheres of the engine's kind are all that moves, under laws that it has.
scree_status dem_spheres_fit(const scree_allocator *allocator, const scree_world *world, const char **misfit,
                             int *body);

/// Walls of any shape (dem_spheres_walls.c).
typedef struct bed_walls {
    int count, *shape; /* shapes that are walls                                                       */
    double *arm;       /* (bodies) farthest point of its walls                                        */
    vec6 *before;      /* (bodies) velocities that have moved walls and the spheres near them here    */
    quat *q0;          /* (bodies) rotations at the last step's contacts                              */
    int bodies;        /* room of these arrays                                                        */
    int pairs, pair_room, (*pair)[2];
    int near_count, *near;        /* (bodies) those in pairs                                                     */
    double *radius;               /* (bodies) of spheres that move; else 0                                       */
    int *found;                   /* (bodies) scratch                                                            */
    int *shapes;                  /* walls, then the spheres near them: those of the pairs                       */
    int64_t made;                 /* rebuild of the bed for which there are pairs; -1: none                      */
    double travel;                /* of the bed at that moment                                                   */
    double way;                   /* of the fastest point of a wall since then                                   */
    int64_t (*sum)[EXACT_DIGITS]; /* (WALL_SUMS + 3 driven) of the step under way                         */
    soft_walls soft;              /* as data, in this block, unless the engine has a hook                        */
    void *soft_block;
} bed_walls;

typedef struct dem_spheres {
    scree_allocator allocator;
    scree_world *world;
    arena *scratch;
    const sphere_engine *engine;
    bed *bed; /* its state */
    bed_law law;
    double step;
    int by_radius, *sphere_material; /* (materials) 1: spheres of it are there                 */
    int removed;                     /* bodies of the world when this last followed it         */
    int spheres, ghosts;             /* in the bed, and of these removed since it was made     */
    int planes, *plane_shape;
    bed_forcing forcing;
    scree_stepper *stepper; /* whose step is under way */
    bed_walls walls;
    scree_ledger outside; /* what is not the engine's, of all steps; elastic: what walls hold now */
    int64_t energy_step;  /* the step after which the next two were taken; -1: none              */
    bed_energy energy;
    scree_ledger then;     /* of all steps, as it was then */
    scree_ledger total;    /* as of the last report        */
    double deepest;        /* overlap at the beginning of any step of this call [m] */
    double left;           /* held by contacts of spheres that have left since `energy` was taken [J]   */
    dem_meetings meetings; /* what is known of contacts to come                                    */
    int fresh;             /* 1: it has taken no step yet                                            */
} dem_spheres;

/// The state of driven bodies, forcing to world.
void dem_spheres_forcing_give(const dem_spheres *d);

/* ---- dem_spheres_limit.c ------------------------------------------------------------------------------------------------- */

/// Before a step: whether it is short enough, where that is asked. Of the world's contacts only those with walls count.
scree_status dem_spheres_judge(scree_stepper *stepper, dem_spheres *d, scree_error *error);

/* ---- dem_spheres_contacts.c ---------------------------------------------------------------------------------------------- */

/// The engine's contacts beside those with walls, which stay, as the world's; with histories.
scree_status dem_spheres_read_contacts(dem_spheres *d, scree_world *world);
/// Histories of the world's contacts for a new engine, in `scratch`.
scree_status dem_spheres_take_histories(dem_spheres *d, const scree_world *world, bed_past *past);

/* ---- dem_spheres_walls.c ------------------------------------------------------------------------------------------------- */

/// Which shapes are walls; where there are some, the hook of the forcing. Again where bodies came.
scree_status dem_spheres_walls_list(dem_spheres *d);
void dem_spheres_walls_free(dem_spheres *d);
int dem_spheres_at_wall(const scree_world *world, const scree_contact_point *touch); /* 1: a sphere at a wall */
double dem_spheres_wall_energy(const scree_world *world); /* in the springs of contacts with walls [J] */
/// The same of contacts of bodies that have been removed: of spheres at walls that are still there, or of all others.
double dem_spheres_gone_energy(const scree_world *world, int at_wall);
int dem_spheres_by_shapes(const void *a, const void *b); /* qsort: pairs of shapes, the lower one first */
/// What contacts of bodies that have been removed held in the last step leaves the ledger.
void dem_spheres_walls_part(const scree_world *world, const contact_set *last, scree_ledger *outside);

/* ---- dem_spheres_soft.c --------------------------------------------------------------------------------------------------- */

/// Walls as data for the engine, into the forcing. Again where bodies came.
scree_status dem_spheres_soft_list(dem_spheres *d);
void dem_spheres_soft_free(dem_spheres *d);
/// Before steps: the world's contacts with walls, and the ledger, to the engine; after them: back.
scree_status dem_spheres_soft_give(dem_spheres *d);
scree_status dem_spheres_soft_take(dem_spheres *d);

/// Of the world's contacts only those with walls stay.
void dem_spheres_walls_pick(scree_world *world);

#endif
