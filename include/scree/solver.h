/* solver.h: solvers of contact problems: one registry, one stopping rule, one trace.
 *
 *     scree_solver *solver = scree_solver_create(problem, NULL, &error);                 method "auto", tolerance 1e-8
 *     double *p = scree_problem_vector(problem, &error);
 *     scree_solve_info info = scree_solver_solve(solver, problem, p, &error);            p: warm start in, solution out
 *
 * No solver prints, allocates inside solve (once warm), or writes to its options.
 *
 * A solver only reads the problem: parts of it that a method needs, and that it lacks, are formed in memory of the solver. So one problem may
 * be solved from several threads at once, and a const problem stays const. scree_problem_prepare saves that work where one problem is
 * solved many times.
 *
 * Thread safety: a solver serves one thread at a time; different solvers are independent, also on one problem. Classes may be registered and
 * found from any thread. */
#ifndef SCREE_SOLVER_H
#define SCREE_SOLVER_H

#include <scree/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a trace or progress callback sees; also the last line of a solve.
typedef struct scree_solve_info {
    scree_outcome outcome;
    int iterations;     /* of the method in use: sweeps, Newton steps, ...                 */
    double residual;    /* scree_problem_residual of p, recomputed: the measure of `tolerance` */
    double seconds;     /* wall clock inside solve                                          */
    const char *solver; /* the method that produced p (auto: the one it ended with)         */
} scree_solve_info;

/// Options of all solvers. X-macro: the struct, its defaults, `scree solvers`, and the manual are expansions of this list.
#define SCREE_SOLVER_OPTION_FIELDS(F)                                                                                  \
    F(double, tolerance, 1e-8, "stop when the residual (Siconos' measure) is at or below this")                        \
    F(int, max_iterations, 0, "sweeps or steps of the method; 0: the method's own default")                            \
    F(double, time_limit, 0.0, "wall clock after which to stop with the best so far [s]; 0: none")                     \
    F(int, threads, 1, "threads of the coloured sweeps; the bits do not depend on it")                                 \
    F(int, device, 0, "momentum: which machine sweeps, a scree_device: 0 cpu, 1 gpu (docs/gpu.md)")                    \
    F(int, min_iterations, 0, "sweeps done even where the warm start meets the tolerance (sweeping methods)")          \
    F(int, check_every, 0, "iterations between residual evaluations; 0: the method decides")                           \
    F(double, relaxation, 1.0, "nsgs, psor: p <- (1 - w) p + w p_new, 0 < w < 2")                                      \
    F(int, local_method, 0, "nsgs: scree_contact_method of the one-contact solver (0 exact)")                          \
    F(int, shuffle, 0, "nsgs: 1 visits the contacts in a fixed random order, 0 in the order given")                    \
    F(double, freeze, 0.0,                                                                                             \
      "nsgs: skip for some sweeps contacts whose reaction changed by less than this, relative; 0: never")              \
    F(double, step, 0.0, "projection methods: first step [kg]; 0: from W")                                             \
    F(double, penalty, 0.0,                                                                                            \
      "admm: first penalty [1/kg]; newton: first proximal weight, of W scaled to 1; 0: their own")                     \
    F(int, memory, 5, "anderson: number of differences kept")

typedef struct scree_solver_options {
    unsigned cookie;
    const char *name; /* of the method: "auto", "nsgs", ... */
#define SCREE_FIELD(type, field, value, text) type field;
    SCREE_SOLVER_OPTION_FIELDS(SCREE_FIELD)
#undef SCREE_FIELD
    int (*interrupt)(const scree_solve_info *info,
                     void *context);                            /* non-zero stops; called at each residual evaluation */
    void (*trace)(const scree_solve_info *info, void *context); /* called at each residual evaluation                 */
    void *context;
    const scree_allocator *allocator; /* NULL: the default; copied */
} scree_solver_options;

SCREE_API scree_solver_options scree_solver_options_default(void);

typedef struct scree_solver scree_solver;

/// What a method is and takes. `scree_solver_class_at(i)` for i = 0, 1, ... until NULL.
typedef struct scree_solver_class scree_solver_class;
SCREE_API const scree_solver_class *scree_solver_class_at(int index);
SCREE_API const scree_solver_class *scree_solver_class_find(const char *name);
SCREE_API const char *scree_solver_class_name(const scree_solver_class *c);
SCREE_API const char *scree_solver_class_summary(const scree_solver_class *c);
/// 1 if the method takes this law; bounded and bilateral rows; problems kept through the bodies without assembling W.
SCREE_API int scree_solver_class_takes_law(const scree_solver_class *c, scree_law law);
SCREE_API int scree_solver_class_takes_bounds(const scree_solver_class *c);
SCREE_API int scree_solver_class_matrix_free(const scree_solver_class *c);

/// Allocates everything the method needs for problems of this structure; options NULL: the defaults. NULL on failure;
/// SCREE_ERR_UNSUPPORTED names what the method cannot take.
SCREE_API scree_solver *scree_solver_create(const scree_problem *problem, const scree_solver_options *options,
                                            scree_error *error);

/// Solves. `p` (row_count) is the warm start and receives the best iterate found. The problem must have the structure (contacts,
/// sparsity) it had at create; q, the values of W, coefficients and bounds may differ. That the mathematics ended early is no error: it
/// is in the outcome. After an error the residual is NAN.
SCREE_API scree_solve_info scree_solver_solve(scree_solver *solver, const scree_problem *problem, double *p,
                                              scree_error *error);
SCREE_API void scree_solver_destroy(scree_solver *solver);

/// After a solve with outcome SCREE_OUTCOME_INFEASIBLE: the proof, and the reactions that are it (`direction`, row_count, owned by the solver; may
/// be NULL). Else NULL. A method that has stalled or diverged looks for one; that takes memory, once.
SCREE_API const scree_infeasibility *scree_solver_proof(const scree_solver *solver, const double **direction);

/* ---- is it the only one: Tasora & Anitescu, theorems 1 and 2 -------------------------------------------------------- */

typedef enum scree_pointed {
    SCREE_POINTED_UNKNOWN, /* not decided: bilateral rows, or the solver gave up */
    SCREE_POINTED_YES, /* no reactions that the law allows, but 0, move no body: a solution under the convex law exists for every q */
    SCREE_POINTED_NO /* some do: a self-stress                             */
} scree_pointed;

typedef struct scree_pointedness {
    scree_pointed answer;
    double
        margin; /* YES: the smallest speed at which the velocities of the proof open a contact, over W_NN^1/2; NO: what the self-stress moves all
                      the same, relative */
} scree_pointedness;

/// Whether the friction cone { H p : p in K } is pointed, with a proof (row_count; may be NULL): YES: reactions x whose velocities W x open
/// every contact, (W x)_N > sum coef |(W x)_k|; NO: a self-stress, z in K with W z = 0, its largest entry 1. Solves one convex problem.
/// Compliance is left out.
SCREE_API scree_pointedness scree_problem_pointed(const scree_problem *problem, double *proof, scree_error *error);

/// In how many independent ways the reactions p of a solution may change and leave its velocities as they are; 0: they are the only ones (where
/// the velocities are: always under the convex law). Contacts that are just at the limit count as free. -1: not found, more than 2,000 reactions.
SCREE_API int scree_problem_free_reactions(const scree_problem *problem, const double *p, scree_error *error);

/// What scree_problem_smallest_reactions did.
typedef struct scree_smallest {
    int found; /* 0: not found (nothing is loaded, or more than 40,000 rows), and p is as it was                           */
    double before,
        after; /* 1/2 sum of g_k |p_k|^2, g_k = tr(W_kk)/size of each kind of reaction at each contact [J]                 */
    double
        moved; /* largest change of an entry of W p [m/s]                                                                  */
} scree_smallest;

/// Of all reactions with the velocities of a solution p: the smallest, so that it does not matter which solver found p, and from where.
/// Each kind of reaction counts by the speed that it makes at its own contact (docs/math/problem.md). p should be tighter than what is to
/// be reproduced, 1e-10 or better. Solves convex problems, and takes memory for the time of the call.
SCREE_API scree_smallest scree_problem_smallest_reactions(const scree_problem *problem, double *p, scree_error *error);

/* ---- a solver of your own ------------------------------------------------------------------------------------------ */

/// The stopping rule, the trace, the limits and the best point so far: the same for all methods.
typedef struct scree_monitor scree_monitor;

/// Evaluates p (row_count), reached after `iterations` of the method. Returns 1 when the method must return: converged, out
/// of iterations or time, interrupted, diverged. Costs one product by W.
SCREE_API int scree_monitor_check(scree_monitor *monitor, int iterations, const double *p);
/// W p + q of the p last checked (row_count).
SCREE_API const double *scree_monitor_velocity(const scree_monitor *monitor);

/// A method that a program adds to those of the library; docs/adding-a-solver.md has one. Refused before it is called are problems with a
/// law or bounded rows that it does not take. Whatever it leaves in p, the caller gets the best point that the monitor has seen, brought
/// into the cones, and its residual recomputed from the data.
typedef struct scree_solver_method {
    unsigned cookie;
    const char *name,
        *summary; /* letters, digits and '_', at most 31; one line, at most 159: copied                             */
    int takes_coulomb,
        takes_convex; /* laws; default 1, 1                                                                       */
    int takes_bounds; /* bounded and bilateral rows                                                               */
    int matrix_free;  /* 1: uses W through products alone; 0: is given problems whose W is assembled               */
    int default_iterations; /* where the options leave max_iterations 0; default 10000                                   */
    void *context; /* handed to create                                                                          */

    /// Memory for problems of this structure, which solve and destroy get; NULL: none needed, and destroy is not called. The options are
    /// valid until destroy. On failure it sets error->status, with a text.
    void *(*create)(const scree_problem *problem, const scree_solver_options *options, void *context,
                    scree_error *error);
    /// Moves p, from the warm start, until scree_monitor_check returns 1, or until it makes no more progress. Several threads may call it at
    /// once, for several solvers.
    void (*solve)(void *memory, const scree_problem *problem, double *p, scree_monitor *monitor);
    void (*destroy)(void *memory);
} scree_solver_method;

SCREE_API scree_solver_method scree_solver_method_default(void);

/// Adds a method, for the rest of the program: it is then found by its name, in options, in scenes and by scree_solver_class_find. Refused:
/// a name that exists, or more than 32 methods. To be done before the threads that use it start.
SCREE_API scree_status scree_solver_register(const scree_solver_method *method, scree_error *error);

#ifdef __cplusplus
}
#endif
#endif
