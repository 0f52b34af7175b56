/* infeasible.h: the metric and the cones in which a proof of infeasibility is measured and looked for (infeasible.c). */
#ifndef SCREE_PROBLEM_INFEASIBLE_H
#define SCREE_PROBLEM_INFEASIBLE_H

#include "problem/problem_private.h"

/// E (row_count), all positive: p = E x.
void infeasible_metric(const scree_problem *problem, double *e);

/// The loads of one contact that the law allows in any size and that prove something, in x = E^-1 z.
void infeasible_cone(const scree_problem *problem, int contact, const double *e, scree_cone *scaled);

/// scree_problem_infeasible for a problem whose parts are formed. SCREE_ERR_MEMORY or SCREE_OK.
scree_status problem_infeasible(const scree_problem *problem, const scree_allocator *allocator, double *z,
                                scree_infeasibility *proof);

#endif
