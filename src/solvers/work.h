/* work.h: what solvers cost, counted and not timed.
 *
 * auto and stepping share work out among their methods, and what they do must not depend on how fast or how busy the machine is, on the
 * number of threads or on the clock. So each method counts: a sweep by the contacts it visits, a factorisation by its flops and by the
 * numbers it stores. The unit is about a nanosecond of one core. Measured on a virtual Intel Xeon with AVX-512 (least of 20 runs each), on
 * piles of 60 to 400 grains and files of FCLIB: sweeps of spheres 14 to 20 ns a contact; factors by blocks 0.09 to 0.2 ns a flop where
 * they are large, 3 ns a number where they are small; solutions 0.45 ns a number of the factor, products 0.5 ns an entry; what UMFPACK
 * factorises costs two to three times as much. Good to a factor of 1.5, visits by vectors excepted, which are an estimate. Threads are left
 * out: what is shared out is work, not time. */
#ifndef SCREE_SOLVERS_WORK_H
#define SCREE_SOLVERS_WORK_H

#include "problem/problem_private.h"

/* clang-format off */
#define WORK_SPHERE_VISIT  15.0 /* a contact of spheres in a sweep, eight at a time                        */
#define WORK_RIGID_VISIT  250.0 /* a contact of rigid bodies by their vectors                              */
#define WORK_BLOCK_VISIT   60.0 /* a contact in blocks, and for each number of its row of W or H':         */
#define WORK_ENTRY          0.5 /* a number of a sparse matrix in a product                                */
#define WORK_FLOP           0.1 /* of a factorisation                                                      */
#define WORK_STORED         3.0 /* a number of a factor: its place is found, it is written, and read twice */
#define WORK_UMFPACK        2.5 /* a factorisation by UMFPACK, to one by blocks with as many flops          */
#define WORK_ROW           20.0 /* a row of the problem in an iteration: maps, cones, vectors              */
/* clang-format on */

/// One product by W.
static inline double work_of_product(const scree_problem *problem)
{
    const block_matrix *A = problem->W ? problem->W : problem->Ht;
    if (!A) return WORK_RIGID_VISIT * problem->block_count;
    return WORK_ENTRY * (double)A->at[A->start[A->row_blocks]] * (problem->W ? 1.0 : 2.0);
}

/// One sweep with its share of the checks; `spheres`: in their own layout.
static inline double work_of_sweep(const scree_problem *problem, int spheres)
{
    if (spheres) return WORK_SPHERE_VISIT * problem->contact_count;
    if (problem->rigid) return WORK_RIGID_VISIT * problem->block_count;
    return WORK_BLOCK_VISIT * problem->block_count + work_of_product(problem);
}

/// A factorisation and a few solutions with it.
static inline double work_of_factor(double flops, double stored)
{
    return WORK_FLOP * flops + WORK_STORED * stored;
}

#endif
