/* run_ranks.h: `scree run SCENE --ranks N`: scree export, mpirun, scree import in one go. */
#ifndef SCREE_CLI_RUN_RANKS_H
#define SCREE_CLI_RUN_RANKS_H

#include <scree/scene.h>

typedef struct ranks_order {
    const scree_scene *scene;
    const char *name, *folder; /* of the scene, for messages; of the run */
    int ranks, quiet;
    double until, every; /* [s]; 0: the scene's */
} ranks_order;

/// The exit status, after a message. LAMMPS works in folder/lammps.
int run_on_ranks(const ranks_order *order);

#endif
