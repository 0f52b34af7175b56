/* dem_engine.h: the boundary behind which soft contacts are stepped. docs/adding-an-engine.md
 *
 * The world owns the state; an engine may hold the newest copy of parts of it (world/holder.c). Two engines:
 *
 *     general   the stages of dem.c: any shapes. It works on the world's arrays, so it holds nothing
 *     spheres   dem_spheres.c over a table of functions (spheres/sphere_engine.h; bed.h fills one): every body that moves freely is one
 *               sphere. It holds motion and contacts
 *
 * Which one steps a world follows from its bodies and materials alone and is a matter of speed: both follow the one definition in
 * docs/math/dem.md, and agree to rounding. What an engine must do:
 *
 *     fits       from bodies and materials: can it step this world?                             dem_spheres_fit
 *     adopt      takes over what the world has: motion, contacts, histories                     within dem_spheres_advance, as
 *     follow     bodies came or left since its last step: they join or leave the living engine  the next three
 *     advance    n steps under a forcing, which is data and moves along (bed_forcing)
 *     report     energies, modes, deepest overlap, when asked for
 *     read       motion or contacts back into the world's arrays                                world_holder.read
 *     destroy                                                                                   world_holder.destroy
 *
 * Rules that make any engine exchangeable. (1) The state is x, v, q, the spin in the world frame, the springs of contacts that touch, and the
 * sums of soft_sums; loads are not. An engine made from it goes on with the same bits as the one that left it. (2) Sums over contacts are
 * exact (bed_parts.h, bed_grid), so their order is nobody's business: not that of lists, threads, lanes, blocks of a GPU or ranks. (3) What
 * acts from outside is handed in as data and evaluated at every step by the functions of laws/forcing.h, which both engines call: motion of
 * driven bodies, servos, applied loads. Only walls that an engine does not know are a hook of the forcing (bed_other_walls).
 * (4) A call that fails leaves the engine as after the last step it took. Of a sphere that ran away that is the step itself: the world
 * then holds the runaway, where the general stages take the step back.
 *
 * The step after state has been set by hand is the general stages' (docs/math/dem.md).
 *
 * A third engine, of spheres, is another sphere_engine; of other shapes, a file beside dem_spheres.c that fills a world_holder, and a line in
 * dem_engine_choose. */
#ifndef SCREE_DEM_DEM_ENGINE_H
#define SCREE_DEM_DEM_ENGINE_H

#include "step/stepper_private.h"

typedef enum dem_engine { DEM_GENERAL, DEM_SPHERES } dem_engine;

/// Who steps this world; joins and takes away what must be. Input errors name what no engine can do.
scree_status dem_engine_choose(const scree_stepper *stepper, scree_world *world, dem_engine *which, scree_error *error);

/// `steps` steps, with the world's time and step count. `report`, where wanted: energies of these steps and counts of the last one.
scree_status dem_spheres_advance(scree_stepper *stepper, scree_world *world, int64_t steps, scree_step_report *report,
                                 scree_error *error);
/// Ledger of all steps that spheres have been stepped in this world, as of the last report.
const scree_ledger *dem_spheres_total(const scree_world *world);
/// The general stages have taken a step of a world that spheres have been stepped in: its losses join theirs.
void dem_spheres_step_elsewhere(scree_world *world, const scree_step_report *report);
double dem_spheres_deepest(const scree_world *world); /* overlap in any of them [m] */

#endif
