/* dem_bed.h: a bed of equal spheres, d = m = g = 1, or of mixed sizes, periodic in x and y, on a floor: what scree_bench_dem measures, and its exchange
 * with LAMMPS and LIGGGHTS (bench/dem_peers.py) through LAMMPS data files. */
#ifndef SCREE_BENCH_BENCH_DEM_H
#define SCREE_BENCH_BENCH_DEM_H

#include "dem/spheres/bed.h"

typedef struct dem_state {
    int count;
    double box[2];         /* lengths of the periodic axes, from 0 */
    double *x, *v, *omega; /* (count x 3); free() */
    double *radius;        /* (count); the mass is the cube of the diameter */
} dem_state;

dem_state dem_state_make(int count);
void dem_state_free(dem_state *s);
bed_motion dem_state_motion(const dem_state *s);

/// A LAMMPS data file (atom_style sphere), 17 digits. SCREE_ERR_WRITE with what is wrong.
scree_status dem_state_write(const dem_state *s, const char *path, scree_error *error);
/// One that dem_state_write wrote.
scree_status dem_state_read(const char *path, dem_state *s, scree_error *error);

#endif
