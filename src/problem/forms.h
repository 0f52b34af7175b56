/* forms.h: what the parts of a problem share. */
#ifndef SCREE_PROBLEM_FORMS_H
#define SCREE_PROBLEM_FORMS_H

#include <scree/problem.h>

/// W_bb (n x n, n the rows of the block), compliance included: from `diagonal` where that has been formed, else computed.
void problem_diagonal_block(const scree_problem *problem, int block, double *D);

/// All values of `assembled` (made by scree_problem_assemble from a problem of this structure, through the bodies, with blocks formed)
/// anew from `problem`: W, diagonal, q, cones, bounds, compliance. No memory.
void problem_reassemble(const scree_problem *problem, scree_problem *assembled);

/// H' and M^-1 as block matrices, of a problem from rigid contacts.
scree_status rigid_form_blocks(scree_problem *problem);

/// Impulse (dof_count) = H p; v = M^-1 impulse: the two halves of M^-1 H p, in whichever form the problem has.
void problem_impulse(const scree_problem *problem, const double *p, double *impulse);
void problem_add_velocity(const scree_problem *problem, const double *impulse, double *v);

#endif
