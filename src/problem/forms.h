/* forms.h: what the makers of problems share. */
#ifndef SCREE_PROBLEM_FORMS_H
#define SCREE_PROBLEM_FORMS_H

#include <scree/problem.h>

/// diagonal and diagonal_at, from W or from the bodies.
scree_status problem_make_diagonal(scree_problem *problem);

#endif
