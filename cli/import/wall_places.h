/* wall_places.h: where walls were at the frames of a dump, as exported scripts write it: walls.txt, and walls.again.txt of a run that was continued. */
#ifndef SCREE_CLI_WALL_PLACES_H
#define SCREE_CLI_WALL_PLACES_H

#include <scree/world.h>

/// The positions of all walls at a step.
typedef struct wall_places_entry {
    int64_t step;
    int first; /* into wall_places.x */
} wall_places_entry;

typedef struct wall_places {
    int walls, *body; /* (walls) fixed and driven bodies of the scene but for fixed planes */
    int count, capacity;
    wall_places_entry *entry; /* (count) by step; of equal ones the last counts */
    double (*x)[3];
} wall_places;

/// Of the files beside the dump; none is fine. `world`: that of the scene.
scree_status wall_places_read(wall_places *p, const scree_world *world, const char *dump, scree_error *error);
void wall_places_free(wall_places *p);
/// Driven bodies to where they were at the step, if the files have it.
void wall_places_set(const wall_places *p, scree_world *world, int64_t step);

#endif
