/* boxes.h: where the bodies of a problem are, and nested boxes of them. */
#ifndef SCREE_SOLVERS_BOXES_H
#define SCREE_SOLVERS_BOXES_H

#include "problem/problem_private.h"

/// x (3 per body) of each body relative to one of those that it hangs together with, root[body], by the arms of the contacts:
/// x_b - x_a = arm_a - arm_b. In a periodic box, whichever way round comes first. O(contacts).
void bodies_locate(const scree_problem *problem, const scree_rigid_contact *contact, int *root, double *x);

/// order[k]: the bodies such that 8 i .. 8 i + 7 are a box, and 8 boxes in a row are one of the next level. Boxes come from cuts across
/// the longest extent. Parts that do not hang together are put side by side: x is moved. `extent` (2 per body) is scratch. O(bodies log bodies).
void bodies_order(int body_count, const int *root, double *extent, double *x, int *order);

#endif
