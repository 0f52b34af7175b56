/* bed_outside.h: a bed under all that acts from outside: driven planes, a servo, applied loads. After cmocka.h. */
#ifndef SCREE_TESTS_BED_OUTSIDE_H
#define SCREE_TESTS_BED_OUTSIDE_H

#include "bed_checks.h"

/* Tables with jumps, before, within and after the run. */
static double OUTSIDE_TIMES[4] = {-1.0, 0.004, 0.004, 0.02};
static double OUTSIDE_FORCES[12] = {0, 0, 0, 3, 0, 1, -2, 1, 0, 0, -4, 2};
static double OUTSIDE_SPINS[12] = {0.5, 0, 0, 0, 0.2, 0.1, 0.3, -0.2, 0, 0, 0, 0};

typedef struct outside {
    bed_forcing forcing;
    bed_driven driven[2];
    bed_driven_plane plane[2];
    bed_loaded loaded[3];
} outside;

/// Plane 0 shakes and tilts; plane 1 is a lid that slides and presses; three spheres are pulled. On the stack of the caller: it points into itself.
static inline void outside_make(const bed_def *def, outside *o)
{
    const forcing_table table = {4, 3, OUTSIDE_TIMES, OUTSIDE_FORCES}, spins = {4, 3, OUTSIDE_TIMES, OUTSIDE_SPINS},
                        none = {.width = 3};
    *o = (outside){.forcing = {.driven_count = 2, .plane_count = 2, .loaded_count = 3, .refused = -1}};
    o->forcing.driven = o->driven, o->forcing.plane = o->plane, o->forcing.loaded = o->loaded;
    for (int k = 0; k < 2; ++k) {
        bed_driven *d = &o->driven[k];
        d->id = 1000 + k, d->q[0] = 1.0;
        d->motion = (forcing_motion){.velocity = none, .spin = none};
        o->plane[k] = (bed_driven_plane){.plane = k, .body = k, .rotation = {1.0, 0.0, 0.0, 0.0}};
        memcpy(d->x, def->plane[k].point, sizeof d->x);
    }
    o->driven[0].motion.spin = spins, o->driven[0].motion.frequency = 30.0, o->driven[0].motion.phase = 0.4;
    o->driven[0].motion.amplitude[0] = 0.01, o->driven[0].motion.amplitude[2] = 0.02;
    o->plane[1].rotation[0] = 0.0, o->plane[1].rotation[1] = 1.0; /* half a turn about x: it looks down */
    o->driven[1].motion.velocity = table;
    o->driven[1].motion.servo = (forcing_servo){{0, 0, -1}, 2000.0, 1e-3, 2.0};
    for (int k = 0; k < 3; ++k) o->loaded[k] = (bed_loaded){.id = 7 * k + 1, .load = {table, spins}};
}

/// A bed between the two planes, the upper one just above the spheres.
static inline grains *between_planes(bed_law law)
{
    grains *g = grains_make(200, law, DEM_HOOKE, 0.05, -0.005);
    double top = 0.0;
    g->def.planes = 2;
    for (int i = 0; i < g->def.count; ++i) top = fmax(top, g->x[3 * i + 2] + g->def.radius[i]);
    g->plane[0] = (bed_plane){.normal = {0, 0, 1}, .point = {0, 0, -0.01}, .material = g->plane[0].material};
    g->plane[1] = (bed_plane){.normal = {0, 0, -1}, .point = {0, 0, top}, .material = g->plane[0].material};
    return g;
}

#endif
