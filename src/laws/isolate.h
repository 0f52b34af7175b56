/* isolate.h: all roots of psi, and what is proved about its slope. Coulomb law. */
#ifndef SCREE_LAWS_ISOLATE_H
#define SCREE_LAWS_ISOLATE_H

#include "laws/reduction.h"

enum { ROOTS_MAX = 32 };

/// psi' lies between these for every s.
void psi_slopes(const contact_form *f, double *slope_min, double *slope_max);

/// A root, and the multipliers there.
typedef struct isolated_root {
    double s, a[SCREE_FRICTION_KINDS];
} isolated_root;

/// All roots s of psi, descending, so that r_N ascends. Returns how many; `complete` is 0 if it ran out of evaluations.
int isolate_roots(const contact_form *f, isolated_root roots[ROOTS_MAX], int *evaluations, int *complete);

#endif
