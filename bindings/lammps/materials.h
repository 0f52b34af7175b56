/* materials.h: what pair_coeff says, made into the constants of contacts by the library, as for a scene: the same mixing, the same defaults. */
#ifndef SCREE_LAMMPS_MATERIALS_H
#define SCREE_LAMMPS_MATERIALS_H

#include "dem/spheres/bed.h"

#include <scree/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What two materials say to each other; `given` 0: nothing, they are mixed.
typedef struct lmp_coeff {
    int given;
    scree_friction friction;
    scree_dem dem;
} lmp_coeff;

lmp_coeff lmp_coeff_default(void);
/// One argument of pair_coeff. 1: taken; 0: there is no argument of this name (`nearest`: one that is like it, or NULL); -1: the value is
/// none of its.
int lmp_coeff_set(lmp_coeff *c, const char *name, const char *value, const char **nearest);

/// What the value of an argument must be.
const char *lmp_coeff_range(const char *name);

/// Whether rigid contacts have this argument: coefficients of friction and restitution.
int lmp_coeff_is_rigid(const char *name);

/// Rigid contacts: materials of which contacts read their law, entries as in lmp_materials. NULL: refused, with the reason in `error`.
scree_world *lmp_rigid_materials(int types, const lmp_coeff *coeff, scree_error *error);
/// Of two types (from 0), spheres of these radii; of a plane it is INFINITY.
void lmp_rigid_law(const scree_world *materials, int a, int b, double radius_a, double radius_b, scree_cone *cone,
                   double *restitution);

/// (2 types)^2 entries, those of walls behind those of spheres; free() them. `coeff`: (types x types), entry [a * types + b] with a <= b.
/// NULL: refused, with the reason in `error`.
bed_pair *lmp_materials(int types, const lmp_coeff *coeff, bed_law law, scree_error *error);

#ifdef __cplusplus
}
#endif

#endif
