/* spheres_read.h: what a problem says of spheres. */
#ifndef SCREE_SOLVERS_SPHERES_SPHERES_READ_H
#define SCREE_SOLVERS_SPHERES_SPHERES_READ_H

#include "solvers/spheres/spheres.h"

/// Are the arms along the normal, the frame a frame, the cone not planar?
int sphere_contact_fits(const scree_rigid_contact *c, const scree_cone *cone);

/// Reads contact `contact` of a problem from blocks into c; 0 if its rows are not those of spheres.
int sphere_contact_read(const scree_problem *problem, int contact, scree_rigid_contact *c);

/// Mass and inertia (their inverses) of a body; 0 if they depend on the direction.
int sphere_mass_fits(const scree_problem *problem, int body, double *inv_mass, double *inv_inertia);

#endif
