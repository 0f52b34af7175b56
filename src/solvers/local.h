/* local.h: the one-contact solver of a sweep: the load of a block given the velocity that everything else leaves it. */
#ifndef SCREE_SOLVERS_LOCAL_H
#define SCREE_SOLVERS_LOCAL_H

#include "base/memory.h"
#include "laws/contact.h"
#include "problem/problem_private.h"

/// `exact`: take-off and stick are tried first, from q and -W_cc^-1 q; only contacts that slip go to the solver of src/laws, prepared
/// when that happens for the first time. Other methods: from W_cc and q each time.
typedef struct local_solver {
    scree_contact_options options;
    size_t *at;                 /* of W_cc in W and in inverse (contact_count + 1)                           */
    double *W, *inverse;        /* symmetrised: the local solvers need it, a stored W may lack it by rounding */
    double *bound_W;            /* (bound_count) W_bb of the bounded rows                                     */
    unsigned char *state;       /* (contact_count) what has been made of the contact                          */
    prepared_contact *prepared; /* (contact_count) exact                                                      */
} local_solver;

scree_status local_create(const scree_problem *problem, scree_contact_method method, const scree_allocator *allocator,
                          local_solver *local);
void local_destroy(local_solver *local, const scree_allocator *allocator);

/// W_cc of every contact, from the values of the problem.
void local_begin(local_solver *local, const scree_problem *problem, scree_pool *pool);

/// next = new load of block b, given y = (W p + q)_b at its load p. Returns (next - p)' W_bb (next - p).
double local_solve(local_solver *local, const scree_problem *problem, int b, const double *y, const double *p,
                   double *next);

#endif
