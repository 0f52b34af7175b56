/* measures.h: what a scene measures (its key `measures`), as a table of kinds: one row per kind of measure, each in a file of its own.
 *
 * A measure is taken at frames (take), from the state of that moment. A kind with `moved` also sees every body on its way: the
 * simulation shows it the bodies at fixed numbers of steps, so that what it adds up does not depend on how many steps were taken
 * in one call, on threads, or on where a run was stopped. What it has added up is kept in the checkpoint by name. */
#ifndef SCREE_RUN_MEASURES_H
#define SCREE_RUN_MEASURES_H

#include "base/file.h"
#include "scene/scene_private.h"

#include <scree/result.h>
#include <scree/run.h>

enum { MEASURE_COLUMNS_MAX = 12, MEASURE_KEPT_MAX = 2 };

/* The name of a measure's own file. */
#define PROFILE_START "profile_"
#define PROFILE_END   ".csv"

typedef struct measure_column {
    const char *name, *unit;
} measure_column;

typedef struct measure {
    const struct measure_kind *kind;
    const scene_measure *def;
    int columns;                       /* of its kind, how many it has             */
    double value[MEASURE_COLUMNS_MAX]; /* when it was last taken                   */
    double kept[MEASURE_KEPT_MAX];     /* from one frame to the next               */
    double *bin;                       /* profile: a few numbers for each slice    */
    char file[96];                     /* profile_NAME.csv; "": it has none        */
} measure;

/// What a measure is taken of.
typedef struct measure_view {
    const scree_world *world;
    scree_frame frame; /* the world as a frame; frame.h is the length of the last step */
    const scree_allocator *allocator;
} measure_view;

typedef struct measure_kind {
    size_t offset; /* of its object in scene_measure                                          */
    measure_column
        column[MEASURE_COLUMNS_MAX];    /* the first without a name ends the list                                  */
    const char *kept[MEASURE_KEPT_MAX]; /* names of what it keeps                                                  */
    size_t (*room)(
        const scene_measure *def); /* numbers in `bin`; NULL: none                                            */
    int (*columns)(
        const scene_measure *def); /* how many of the columns it has; NULL: all                               */
    /// A dynamic body of this mass that went from `from` by `path`; `to` is where it is: another image of from + path, maybe.
    void (*moved)(measure *m, double mass, const double from[3], const double path[3], const double to[3]);
    scree_status (*take)(measure *m, const measure_view *now); /* fails for want of memory only */
    const char *header; /* of its own file profile_NAME.csv; NULL: it has none                     */
    void (*rows)(const measure *m, double time, out_file *file);
} measure_kind;

extern const measure_kind measure_flow, measure_inside, measure_profile, measure_heap, measure_force, measure_cell;

struct scree_measures {
    scree_allocator allocator;
    int count, columns;
    measure *item;         /* (count)                                           */
    char (*name)[128];     /* (columns) "outlet.mass"                           */
    const char **unit;     /* (columns)                                         */
    const double **value;  /* (columns)                                         */
    int watches;           /* 1: one of them sees every body on its way         */
    int watched, capacity; /* bodies whose places are known; room for           */
    double (*before)[3];   /* (watched) where they were when they were last looked at */
};

/// The measures of a scene; NULL in `*measures` for a scene without.
scree_status measures_create(const scree_scene *scene, const scree_world *world, const scree_allocator *allocator,
                             scree_measures **measures);
void measures_destroy(scree_measures *measures);

/// Looks at all bodies: after each step whose number is a multiple of the interval, and no other.
scree_status measures_watch(scree_measures *measures, const scree_world *world);

/// Room for the places of this many bodies.
scree_status measures_reserve(scree_measures *measures, int bodies);

/// 1: x is in the region, or no region is given; `skip`: an axis that is not looked at, -1: none. A disk reaches up and down.
int measure_within(const scene_region *region, const double x[3], int skip);

#endif
