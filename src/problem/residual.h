/* error.h: pieces of the one error measure that solvers may call on their own. */
#ifndef SCREE_PROBLEM_RESIDUAL_H
#define SCREE_PROBLEM_RESIDUAL_H

#include <scree/problem.h>

/// |F|^2 of one block, F = p - proj(p - s yhat), from its rows of p and y.
double block_map_squared(const scree_problem *problem, int block, double s, const double *p, const double *y);

/// Squared size of the natural map with step 1, from p and y = W p + q; no product by W.
double natural_map_squared(const scree_problem *problem, const double *p, const double *y);

/// Residual from p and y: Siconos' measure. scree_problem_residual = this after y = W p + q.
double residual_from_velocity(const scree_problem *problem, const double *p, const double *y);

#endif
