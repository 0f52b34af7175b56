/* residual.h: pieces of the one error measure that solvers may call on their own. */
#ifndef SCREE_PROBLEM_RESIDUAL_H
#define SCREE_PROBLEM_RESIDUAL_H

#include "problem/problem_private.h"

/// |F|^2 of one block, F = p - proj(p - s yhat), from its rows of p and y.
double block_map_squared(const scree_problem *problem, int block, double s, const double *p, const double *y);

/// Squared size of the natural map with step 1, from p and y = W p + q; no product by W.
double natural_map_squared(const scree_problem *problem, const double *p, const double *y);

/// Residual from p and y: Siconos' measure. problem_residual = this after y = W p + q.
double residual_from_velocity(const scree_problem *problem, const double *p, const double *y);

/// scree_problem_residual and scree_problem_certify with memory that the caller has: `y` (row_count) receives W p + q, `work` is scratch of
/// problem_work_size.
double problem_residual(const scree_problem *problem, const double *p, double *y, double *work);
void problem_certify(const scree_problem *problem, const double *p, double *y, double *work, scree_certificate *out);

#endif
