/* dem_bed.h: what the two halves of the way from worlds to beds share: does a world fit (dem_bed_fit.c), and stepping it (dem_bed.c). */
#ifndef SCREE_STEPPERS_DEM_BED_H
#define SCREE_STEPPERS_DEM_BED_H

#include "steppers/bed.h"
#include "steppers/dem.h"

/// What materials say to each other, (2 materials)^2 entries: those of planes behind those of spheres; pairs that never meet repeat one
/// that does. NULL: it cannot be a bed, or there is no memory (`*status`).
bed_pair *dem_bed_pairs(const scree_stepper *stepper, const scree_world *world, bed_law *law, scree_status *status);

#endif
