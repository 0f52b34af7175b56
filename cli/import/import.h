/* import.h: what LAMMPS has written, as the folder of a run. */
#ifndef SCREE_CLI_IMPORT_H
#define SCREE_CLI_IMPORT_H

#include <scree/files.h>
#include <scree/scene.h>

typedef struct import_order {
    const char *dump, *data;  /* data NULL: none */
    const char *folder;       /* of the run; emptied before, if it holds one */
    const scree_scene *scene; /* whose bodies the atoms are, in their order; NULL: any spheres */
    double step;              /* [s]; 0: the scene's */
    double density;           /* of spheres of which neither file tells the mass; 0: refused */
    double seconds;           /* wall clock of the run, for summary.json */
    int claimed;              /* 1: the caller has claimed the folder, and keeps it */
    int ranks;
} import_order;

typedef struct import_done {
    int frames, spheres, cut; /* cut: the last frame was not whole, and was left out */
    double first, last;       /* times [s] */
} import_done;

/// The exit status, after a message.
int import_frames(const import_order *order, import_done *done);

#endif
