/* bed.h: the bed of grains that `scree bench pile` and bench/threads.c step: a lattice of 20 layers, shaken a little, that falls into an
 * open box. It needs the library's public headers alone. */
#ifndef SCREE_BENCH_BED_H
#define SCREE_BENCH_BED_H

#include "cli/open_box.h"
#include "cli/vector.h"

#include <math.h>

enum { BENCH_BED_LAYERS = 20 };
static const double BENCH_BED_RADIUS = 0.1; /* of a grain [m] */

/// An open box, and so many grains above its floor.
static inline void bench_bed_fill(scree_world *world, int grains, scree_error *error)
{
    const double R = BENCH_BED_RADIUS;
    const scree_material material = {.soft = scree_dem_default(),
                                     .name = "stone",
                                     .density = 2500.0,
                                     .friction = {.mu = 0.5, .rolling = {0.1, 1}, .spinning = {0.1, 1}}};
    int side = (int)ceil(sqrt((double)grains / BENCH_BED_LAYERS));
    double pitch = 2.3 * R, half = 0.5 * pitch * side + 0.3 * R;
    random_numbers random = random_start(1);
    scree_material_id stone = scree_world_add_material(world, &material, error);
    add_open_box(world, stone, half, error);
    scree_world_reserve(world, grains + 5, 0, error);
    for (int i = 0; i < grains && error->status == SCREE_OK; ++i) {
        scree_body_def def = scree_body_def_of(scree_shape_sphere(R, stone));
        int column = i % side, line = i / side % side, layer = i / (side * side);
        def.name = "grain";
        def.position[0] = (column - 0.5 * (side - 1)) * pitch;
        def.position[1] = (line - 0.5 * (side - 1)) * pitch;
        def.position[2] = 1.2 * R + layer * pitch;
        for (int c = 0; c < 3; ++c) def.position[c] += 0.14 * R * (2.0 * random_fraction(&random) - 1.0);
        scree_world_add_body(world, &def, error);
    }
}

#endif
