/* mass.h: a mass matrix that couples more than the few degrees of freedom of a body: its sparse factor, made once. */
#ifndef SCREE_PROBLEM_MASS_H
#define SCREE_PROBLEM_MASS_H

#include "base/memory.h"

typedef struct scree_mass {
    int n;
    int *start, *column; /* M, all of it: compressed rows, columns ascending        */
    double *value;
    struct direct *factor;
    struct mass_turn *turn; /* a lock: the factor solves in memory of its own, so threads take turns */
} scree_mass;

/// Copies and factorises M, symmetric. SCREE_ERR_INPUT: it is not positive definite.
scree_status mass_create(int n, const int *start, const int *column, const double *value,
                         const scree_allocator *allocator, scree_mass **out);
void mass_destroy(scree_mass *mass, const scree_allocator *allocator);

/// velocity = M^-1 impulse; the two must not overlap. Any number of threads, which take turns.
void mass_solve(scree_mass *mass, const double *impulse, double *velocity);

/// The same for `count` impulses, one after the other. 0: no memory.
int mass_solve_many(scree_mass *mass, int count, const double *impulses, double *velocities);

#endif
