/* infeasible.h: the metric and the cones in which a proof of infeasibility is measured and looked for (infeasible.c). */
#ifndef SCREE_PROBLEM_INFEASIBLE_H
#define SCREE_PROBLEM_INFEASIBLE_H

#include <scree/problem.h>

/// E (row_count), all positive: p = E x.
void infeasible_metric(const scree_problem *problem, double *e);

/// The loads of one contact that the law allows in any size and that prove something, in x = E^-1 z.
void infeasible_cone(const scree_problem *problem, int contact, const double *e, scree_cone *scaled);

#endif
