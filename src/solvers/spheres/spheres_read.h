/* spheres_read.h: what a problem says of spheres. */
#ifndef SCREE_SOLVERS_SPHERES_SPHERES_READ_H
#define SCREE_SOLVERS_SPHERES_SPHERES_READ_H

#include "solvers/spheres/spheres.h"

/// The axis 0 .. 2 across which no body of a planar problem moves, -1: its bodies move in space. Only what has `rigid` can be planar.
int sphere_plane(const scree_problem *problem);

/// Are the arms along the normal, the frame a frame, and the cone that of the plane, or of space?
int sphere_contact_fits(const scree_rigid_contact *c, const scree_cone *cone, int plane);

/// Reads contact `contact` of a problem from blocks into c; 0 if its rows are not those of spheres.
int sphere_contact_read(const scree_problem *problem, int contact, scree_rigid_contact *c);

/// Mass and inertia (their inverses) of a body; 0 if they depend on the direction, or the body moves out of the plane.
int sphere_mass_fits(const scree_problem *problem, int body, int plane, double *inv_mass, double *inv_inertia);

#endif
