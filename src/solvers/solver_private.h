/* solver_private.h: what a method is, and the monitor: the one stopping rule and trace of all methods.
 *
 * A method is one file with one scree_solver_class. It gets its memory in create, and in solve only moves p:
 *
 *     static void solve(scree_solver *s, const scree_problem *problem, double *p, monitor *m)
 *     {
 *         while (!monitor_check(m, p)) {          // residual of p by residual.c; best iterate kept; trace; limits
 *             ... one or more iterations ...
 *             m->iterations += 1;
 *         }
 *     }
 *
 * Whatever it leaves in p, the caller gets the best iterate that monitor_check has seen. */
#ifndef SCREE_SOLVERS_SOLVER_PRIVATE_H
#define SCREE_SOLVERS_SOLVER_PRIVATE_H

#include "base/memory.h"
#include "problem/problem_private.h"

#include <scree/solver.h>

enum { LAW_COULOMB = 1, LAW_CONVEX = 2, LAW_BOTH = 3 };

/// Rows up to which `auto` and the search for a proof factorise; beyond, the sweeps continue alone (docs/solvers/auto.md).
enum { FACTORISE_ROWS = 40000 };

typedef struct scree_monitor {
    const scree_problem *problem;
    const scree_solver_options *options;
    const char *name;    /* method named in the trace; auto changes it                                  */
    double tolerance;    /* options->tolerance, or what auto asks of a stage                            */
    int iterations;      /* counted by the method                                                       */
    int max_iterations;  /* monitor_check stops at this many                                            */
    int min_iterations;  /* and not before this many                                                    */
    double residual;     /* of the p last checked                                                       */
    double best;         /* lowest residual seen                                                        */
    int best_iterations; /* when it was seen: methods may call themselves stalled by this               */
    double
        expected; /* > 0: stop (stalled) when, at the rate so far, more iterations than this are needed; auto asks it */
    double work;  /* done in this run, counted by the method (work.h)                                   */
    double work_limit;        /* > 0: stop at this much: the slice of a portfolio is used up                        */
    double lowest;            /* least residual seen in this run, while best is that of all runs                    */
    double gained;            /* decades of progress in this run that the residual does not show (path)             */
    int in_cone;              /* set by methods whose p lie in their cones and bounds, to rounding         */
    int best_in_cone;         /* best_p does                                                           */
    int best_recomputed;      /* best is the residual of best_p from scratch                           */
    double started, deadline; /* wall-clock seconds; deadline 0: none                                   */
    scree_outcome outcome;    /* valid once monitor_check returned 1; a method that gives up sets STALLED */
    double *y;                /* (row_count) W p + q of the p last checked                                   */
    double *best_p;           /* (row_count)                                                                 */
    double *product;          /* scratch of products by W (problem_work_size)                                */
} monitor;

/// Evaluates p. Returns 1 when the method must return: converged, out of iterations or time, interrupted, diverged.
int monitor_check(monitor *m, const double *p);

/// The same where the method knows y or the residual already (to rounding): saves the product by W. p is read only where the residual is
/// the best so far or meets the tolerance, and then checked again.
int monitor_check_velocity(monitor *m, const double *p, const double *y); /* from y = W p + q */
int monitor_check_residual(monitor *m, double residual, const double *p);
/* p NULL: the method has it elsewhere, and writes the best to best_p itself before it returns; not where the residual meets the tolerance. */

struct scree_solver {
    const scree_solver_class *class_;
    scree_solver_options options; /* a copy */
    scree_allocator allocator;
    scree_pool *pool; /* lent or its own; NULL: one thread */
    scree_pool *own_pool;
    const scree_problem *original; /* the problem as it came, not assembled */
    scree_problem *assembled;      /* W assembled, where the method needs it and the problem came through the bodies */
    scree_problem *alias; /* of the caller's problem, where that is const: parts that a method needs are formed in it */
    double *y, *best_p;   /* the monitor's */
    double *product;      /* scratch of products by W (problem_work_size)                                   */
    void *work;           /* the method's own */
    int expects_rest;     /* admm: 1: start from the penalty of a structure in which all contacts stick       */
    int resumes;          /* 1: go on where the last run was stopped by a limit; a method may also begin again from p */
    int swept;            /* newton: 1: the start comes from sweeps, and where it is near needs no more of them */
    int proves;           /* 1: where the method fails, look for a proof that there is no solution (prove.c) */
    double spent;         /* work of the last solve (work.h), where the method counts it                        */
    int looked;           /* it has, in this solve                                                           */
    double *direction;    /* (row_count) the loads of the proof, or NULL                                    */
    scree_infeasibility proof; /* of the last solve                                                              */
    scree_status failure;      /* of the device, in the last solve                                               */
    char failure_text[300];
};

struct scree_solver_class {
    const char *name, *summary;
    int laws;               /* LAW_ bits                                                            */
    int takes_bounds;       /* bounded and bilateral rows                                           */
    int matrix_free;        /* works on both forms of W; else create assembles it                   */
    int sweeps;             /* an iteration is a sweep: min_iterations holds                        */
    int forms_itself;       /* needs no Ht and diagonal, or leaves it to others; else they are there */
    int bounded;            /* may end unconverged by design: no proof that there is no solution is sought then */
    int threaded;           /* uses s->pool                                                         */
    int devices;            /* may run on a GPU (options.device)                                    */
    int default_iterations; /* when options.max_iterations is 0                                     */
    /// Allocates s->work for problems like this one. `problem` has W assembled unless matrix_free.
    /// Not const: a method made of others lets them form parts in it; its values are not written.
    scree_status (*create)(scree_solver *s, scree_problem *problem, scree_error *error);
    void (*solve)(scree_solver *s, scree_problem *problem, double *p, monitor *m);
    void (*destroy)(scree_solver *s);             /* must accept a half-built work */
    double (*factor_work)(const scree_solver *s); /* of its last factorisation (work.h), or NULL */
    const scree_solver_method *method;            /* of a user (registered.c), or NULL */
};

/// scree_solver_create with the threads of `pool`, which outlives the solver; NULL: options->threads of its own. How a stepper, and a method
/// made of others, lend theirs. Missing parts are formed in the problem itself.
scree_status solver_create_in(scree_pool *pool, scree_problem *problem, const scree_solver_options *options,
                              const scree_allocator *allocator, scree_solver **solver, scree_error *error);
/// scree_solver_solve on a problem in which parts may be formed.
scree_solve_info solver_solve(scree_solver *s, scree_problem *problem, double *p);
/// What went wrong with the machine in the last solve, which then has no result; SCREE_OK: nothing.
scree_status solver_failed(const scree_solver *s, scree_error *error);

/// options.device
enum { SOLVER_DEVICE_CPU, SOLVER_DEVICE_GPU, SOLVER_DEVICE_TWIN };

/// Runs one method inside another (auto, anderson): same monitor, so one trace, one best iterate, one clock.
void solver_run(scree_solver *s, scree_problem *problem, double *p, monitor *m);

/// A copy of the problem in its own form of W (prove.c).
scree_status problem_copy(const scree_problem *problem, const scree_allocator *a, scree_problem **copy);
/// Looks for a proof that the problem has no solution, first near p, then by a factorisation. 1: s->proof and s->direction are one.
/// Takes memory, and the time of one interior-point solve: for when a method has failed.
int solver_prove_infeasible(scree_solver *s, scree_problem *problem, const double *p, monitor *m);

/// The class of a user's method (registered.c), by index or by name; NULL: there is none.
const scree_solver_class *registered_at(int index);
const scree_solver_class *registered_find(const char *name);

/* the methods, one per file */
extern const scree_solver_class solver_auto;
extern const scree_solver_class solver_stepping;
extern const scree_solver_class solver_momentum;
extern const scree_solver_class solver_newton;
extern const scree_solver_class solver_ipm;
extern const scree_solver_class solver_ipm_shift;
extern const scree_solver_class solver_path;
extern const scree_solver_class solver_admm;
extern const scree_solver_class solver_nsgs;
extern const scree_solver_class solver_psor;
extern const scree_solver_class solver_apgd;
extern const scree_solver_class solver_bb;
extern const scree_solver_class solver_anderson;
extern const scree_solver_class solver_fixed_point;
extern const scree_solver_class solver_extragradient;

#endif
