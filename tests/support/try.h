/* try.h: public functions that return what they make, with the status in front and a fresh error each time: for tests that look at the
 * status, or provoke one failure after the other. `error` may be NULL. */
#ifndef SCREE_TESTS_TRY_H
#define SCREE_TESTS_TRY_H

#include "problem/problem_private.h"

#include <scree/solver.h>

static inline scree_error *try_fresh(scree_error *error, scree_error *own)
{
    scree_error *e = error ? error : own;
    *e = (scree_error){0};
    return e;
}

static inline scree_status try_problem_create(const scree_problem_def *def, const scree_allocator *allocator,
                                              scree_problem **problem, scree_error *error)
{
    scree_error own, *e = try_fresh(error, &own);
    scree_problem_def with = *def;
    with.allocator = allocator;
    *problem = scree_problem_create(&with, e);
    return e->status;
}

static inline scree_status try_problem_from_rigid(const scree_rigid_def *def, const scree_allocator *allocator,
                                                  scree_problem **problem, scree_error *error)
{
    scree_error own, *e = try_fresh(error, &own);
    scree_rigid_def with = *def;
    with.allocator = allocator;
    *problem = scree_problem_from_rigid(&with, e);
    return e->status;
}

static inline scree_status try_problem_read(const char *path, scree_file_kind kind, const scree_allocator *allocator,
                                            scree_problem **problem, scree_error *error)
{
    scree_error own, *e = try_fresh(error, &own);
    *problem = scree_problem_read_as(path, kind, allocator, e);
    return e->status;
}

static inline scree_status try_problem_assemble(const scree_problem *problem, const scree_allocator *allocator,
                                                scree_problem **assembled)
{
    scree_error own, *e = try_fresh(NULL, &own);
    *assembled = scree_problem_assemble(problem, allocator, e);
    return e->status;
}

/// y (row_count) receives W p + q.
static inline double try_problem_residual(const scree_problem *problem, const double *p, double *y)
{
    scree_problem_velocity(problem, p, y, NULL);
    return scree_problem_residual(problem, p, NULL);
}

static inline void try_problem_certify(const scree_problem *problem, const double *p, double *y, scree_certificate *c)
{
    scree_problem_velocity(problem, p, y, NULL);
    *c = scree_problem_certify(problem, p, NULL);
}

static inline scree_status try_problem_infeasible(const scree_problem *problem, double *z, scree_infeasibility *proof)
{
    scree_error own, *e = try_fresh(NULL, &own);
    *proof = scree_problem_infeasible(problem, z, e);
    return e->status;
}

static inline scree_status try_solver_create(const scree_problem *problem, const scree_solver_options *options,
                                             const scree_allocator *allocator, scree_solver **solver,
                                             scree_error *error)
{
    scree_error own, *e = try_fresh(error, &own);
    scree_solver_options with = *options;
    with.allocator = allocator;
    *solver = scree_solver_create(problem, &with, e);
    return e->status;
}

static inline scree_status try_solver_solve(scree_solver *solver, const scree_problem *problem, double *p,
                                            scree_solve_info *info)
{
    scree_error own, *e = try_fresh(NULL, &own);
    *info = scree_solver_solve(solver, problem, p, e);
    return e->status;
}

static inline scree_status try_contact_solve(const scree_contact *contact, const scree_contact_options *options,
                                             const double *guess, scree_contact_result *result)
{
    scree_error own, *e = try_fresh(NULL, &own);
    scree_contact_options with = *options;
    with.guess = guess;
    *result = scree_contact_solve(contact, &with, e);
    return e->status;
}

static inline scree_status try_contact_solve_all(const scree_contact *contact, const scree_contact_options *options,
                                                 int capacity, scree_contact_result *results, int *count)
{
    scree_error own, *e = try_fresh(NULL, &own);
    *count = scree_contact_solve_all(contact, options, capacity, results, e);
    return e->status;
}

#endif
