/* export.h: a scene as input of scree-lmp, for `scree export` and `scree run --ranks`. */
#ifndef SCREE_CLI_EXPORT_H
#define SCREE_CLI_EXPORT_H

#include <scree/scene.h>

/// Writes in.lammps, spheres.data and scene.yaml into `folder`, which is made. `name`: of the scene, for messages. until, every: 0: as the scene
/// has them [s]. CLI_DONE, or an exit status after a message: what LAMMPS cannot be given is CLI_BAD_INPUT. `spheres` may be NULL.
int export_lammps(const scree_scene *scene, const char *name, const char *folder, double until, double every,
                  int *spheres);

#endif
