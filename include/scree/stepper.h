/* stepper.h: advancing a world in time, with rigid contacts (the non-smooth schemes) or soft ones (dem).
 *
 *     scree_stepper *stepper = scree_stepper_create(NULL, &error);
 *     while (scree_world_time(world) < 10.0 && !error.status) scree_step(stepper, world, &error);
 *
 * One step: find contacts, free velocities, one contact problem, its solution, new velocities and poses.  docs/math/stepping.md
 * SCREE_SCHEME_DEM has no problem to solve: overlap and history of a contact give its force.                       docs/math/dem.md
 *
 * Thread safety: a stepper and the world it steps serve one thread at a time; different steppers on different worlds are independent. */
#ifndef SCREE_STEPPER_H
#define SCREE_STEPPER_H

#include <scree/solver.h>
#include <scree/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scree_scheme {
    SCREE_SCHEME_MOREAU_JEAN,     /* theta-method, velocity law on contacts that close, Newton impact         */
    SCREE_SCHEME_ANITESCU_TASORA, /* semi-implicit, gaps close at the end of the step, penetration pushed out  */
    SCREE_SCHEME_DEM,             /* explicit, soft contacts with history; reads scree_material.soft           */
    SCREE_SCHEME_COUNT
} scree_scheme;
SCREE_API const char *scree_scheme_name(scree_scheme scheme); /* "moreau_jean", ...; NULL beyond the last */

typedef enum scree_on_failure {
    SCREE_ON_FAILURE_KEEP,  /* take the best that was found, and count */
    SCREE_ON_FAILURE_RETRY, /* halve the step, up to 6 times, then keep */
    SCREE_ON_FAILURE_STOP
} scree_on_failure;

/// X-macro: the struct, its defaults, the scene reader, the docs are expansions of this list.
#define SCREE_STEPPER_OPTION_FIELDS(F)                                                                                 \
    F(double, step, 5e-3, "time step [s]")                                                                             \
    F(double, theta, 0.5, "moreau_jean: 1/2 conserves, 1 is implicit Euler; positions use theta v+ + (1 - theta) v-")  \
    F(double, recovery_speed, 0.5, "anitescu_tasora: largest speed at which penetration is pushed out [m/s]")          \
    F(int, hertz, 0,                                                                                                   \
      "1: anitescu_tasora: contacts of materials with `dem.young` and `dem.poisson` yield by Hertz and Mindlin at "    \
      "their current contact force")                                                                                   \
    F(int, centred, 1,                                                                                                 \
      "1: anitescu_tasora gives positions second order where no contact forbids it: in flight, spheres on fixed "      \
      "bodies; 0: all move by h v1, as [TA] has it")                                                                   \
    F(double, activation, 0.5, "moreau_jean: a contact is active when gap + activation h u_N <= 0")                    \
    F(double, impact_speed, 0.0, "restitution acts on approach speeds above this [m/s]; 0: 2 h |g|")                   \
    F(int, min_iterations, 10, "sweeps done even where the warm start meets the tolerance: what rests comes to rest")  \
    F(int, adaptive, 0, "1: the tolerance shrinks where a few fast bodies make the whole problem look large")          \
    F(int, certify, 100,                                                                                               \
      "steps between certificates of the solution (scaled residual, worst slip at stick, ...); 0: none")               \
    F(int, force_step, 0, "1: dem takes a step beyond the critical one all the same")                                  \
    F(int, half_kick, 0,                                                                                               \
      "1: the first step of dem kicks velocities by half, so that they are those of the middle of steps, as in "       \
      "velocity Verlet (LAMMPS)")                                                                                      \
    F(int, warm_start, 1, "1: reactions of the last step are the first guess")                                         \
    F(int, threads, 1, "changes no bit of the result")

/// Who steps soft contacts. Both engines follow one definition (docs/math/dem.md) and agree to rounding: a choice for tests and benchmarks.
typedef enum scree_engine {
    SCREE_ENGINE_AUTO,   /* the one for spheres, where every body that moves freely is one */
    SCREE_ENGINE_GENERAL /* the one for any shape                                          */
} scree_engine;

/// Which machine steps soft contacts of spheres, with the same bits, or solves rigid ones by the solver "momentum" (docs/gpu.md). Where SCREE_DEVICE_GPU cannot be had, or the scene
/// has what it does not take, that is an error: it is never the processor instead.
typedef enum scree_device {
    SCREE_DEVICE_CPU,
    SCREE_DEVICE_GPU,      /* a CUDA device, through libscree_cuda.so                                    */
    SCREE_DEVICE_HOST_TWIN /* the kernels of the GPU on one core of the processor, for tests: it is slow */
} scree_device;

/// A GPU that is there.
typedef struct scree_device_info {
    char name[256];
    int64_t memory, free_memory; /* bytes; free_memory: of the first one, else 0 */
    int major, minor;            /* compute capability                           */
} scree_device_info;

/// Number of GPUs, of which at most `room` are written. -1: none can be used; `error` has what is missing (SCREE_ERR_DEVICE).
SCREE_API int scree_devices(int room, scree_device_info *out, scree_error *error);

typedef struct scree_stepper_options {
    unsigned cookie;
    scree_engine engine;
    scree_device device;
    scree_scheme scheme;
    scree_law law;
    scree_on_failure on_failure;
    scree_solver_options
        solver; /* name, tolerance, ... of the solver in each step; its threads and min_iterations stay at their defaults
                                    (else SCREE_ERR_INPUT): those of a step are below                                                     */
#define SCREE_FIELD(type, field, value, text) type field;
    SCREE_STEPPER_OPTION_FIELDS(SCREE_FIELD)
#undef SCREE_FIELD
    /// Called with the problem of each step and its solution, before velocities change; it may look, not touch. NULL: none.
    void (*problem_hook)(const scree_problem *problem, const double *p, int64_t step, void *context);
    void *context;
    const scree_allocator *allocator; /* NULL: the default; copied */
} scree_stepper_options;

SCREE_API scree_stepper_options
scree_stepper_options_default(void); /* anitescu_tasora, Coulomb, solver "stepping", tolerance 1e-4 */

/// X-macro F(name, sign, text): the lines of the energy balance. The struct, the sums, series.csv, summary.json, the results of
/// sweeps, the table of `scree run` are expansions of this list. sign: 1 where the line adds energy, -1 where it takes.
#define SCREE_LEDGER_LINES(F)                                                                                          \
    F(load, 1, "work of applied forces and moments")                                                                   \
    F(motor, 1, "work of the motors of joints")                                                                        \
    F(driven, 1, "work of driven bodies on the others")                                                                \
    F(slide, -1, "dissipated by sliding friction")                                                                     \
    F(roll, -1, "dissipated by rolling friction")                                                                      \
    F(spin, -1, "dissipated by spinning friction")                                                                     \
    F(impact, -1, "normal part: (1 - e)/2 r_N |u_N|; of soft contacts the normal dashpot")                             \
    F(stabilisation, -1, "normal part that belongs to gap/h; negative: energy put in")                                 \
    F(lift, -1, "convex law: normal part that belongs to its separation speed")                                        \
    F(compliance, -1, "stored in or lost by compliant contacts")                                                       \
    F(theta, -1, "of the time integration: smooth forces act on another mean of velocities")                           \
    F(solver, -1, "error of the normal rows times the normal force")                                                   \
    F(joint_friction, -1, "dissipated by the dry friction of joints")                                                  \
    F(joint_spring, -1, "stored in or lost by the springs and dampers of joints")                                      \
    F(joint_drift, -1, "rows that hold joints: their stabilisation, and the curvature of one step")                    \
    F(gyro, -1, "of the rotation integrator: rounding")                                                                \
    F(elastic, -1, "stored in soft contacts")                                                                          \
    F(damping, -1, "dissipated by the dashpots of friction of soft contacts")                                          \
    F(dropped, -1, "held by friction springs of soft contacts that opened")                                            \
    F(tracking, -1, "friction of soft contacts: paths over the undeformed surfaces against motion at the contact")     \
    F(law_work, 1, "put into friction springs by their law: stiffness that changes (Mindlin), springs set (sds)")      \
    F(brought, 1, "held by soft contacts of bodies put into overlap, less what removed bodies take along")

/// Energy of one step, or summed over a run [J]. Per step:
///     (kinetic + potential) after - before = sum over the lines of sign * line + balance
/// Contact works of the rigid schemes are those of the impulses on the mean of the velocities before and after, and `balance` is rounding.
/// Soft contacts: each spring, dashpot and slider by itself, and `balance` is the error of the integration (docs/math/dem.md).
typedef struct scree_ledger {
    double kinetic, potential; /* at the end */
#define SCREE_FIELD(name, sign, text) double name;
    SCREE_LEDGER_LINES(SCREE_FIELD)
#undef SCREE_FIELD
    double balance; /* closing error */
} scree_ledger;

/// What friction, impacts and dashpots took: slide + roll + spin + impact + damping [J].
SCREE_API double scree_ledger_lost(const scree_ledger *ledger);

typedef struct scree_step_report {
    int64_t step;
    double time, h;               /* time at the end of the step                                               */
    int bodies, contacts, active; /* dynamic bodies, contact points, active ones (normal force above 0)         */
    int modes[SCREE_MODE_COUNT];
    scree_solve_info solve;
    double tolerance;         /* residual at which the solver stops                                       */
    double penetration;       /* deepest, at the start of the step [m]                                     */
    int penetration_contact;  /* its index, -1: none                                                       */
    double penetration_speed; /* worst approach speed that the solution leaves [m/s]                        */
    int joints, joint_worst;  /* joints; the one that is apart the most, -1: none                            */
    double joint_error;       /* anchors apart, or a limit overrun, at the end of the step [m]               */
    double joint_twist;       /* axes or frames turned against each other [rad]                             */
    int certified;            /* 1: the certificate is of this step (SI units)                              */
    scree_certificate certificate;
    int retries, unconverged; /* in this step                                                              */
    scree_ledger energy;      /* of this step                                                              */
    double seconds_detect, seconds_assemble, seconds_solve, seconds_update;
} scree_step_report;

typedef struct scree_stepper scree_stepper;
/// options NULL: the defaults. On failure NULL.
SCREE_API scree_stepper *scree_stepper_create(const scree_stepper_options *options, scree_error *error);
SCREE_API void scree_stepper_destroy(scree_stepper *stepper);

/// One step. What stops it: SCREE_ERR_RUNAWAY, a body ran away (the error names it); SCREE_ERR_SOLVER, on_failure is STOP and the solver did
/// not converge; SCREE_ERR_STEP, a step of SCREE_SCHEME_DEM is too long for its contacts; SCREE_ERR_INPUT, an applied force is not finite, or two
/// materials that meet lack what their law needs. The world is then as it was before the step, but for soft spheres that ran away
/// (scree_advance).
SCREE_API scree_status scree_step(scree_stepper *stepper, scree_world *world, scree_error *error);

/// `steps` steps, and their report (NULL: none): of the last step, with the energies, times and counts of all, and the worst
/// of what has a worst. An error ends it early; scree_world_step_count tells how far it came. Where soft spheres are stepped, a report costs about as much as a
/// step, and none (NULL) costs nothing; the kinetic, potential and elastic energies of the totals, and theta, are then those of the last
/// report. A sphere that ran away there stays in the world as the step has left it, so that one can look at it: the step is counted, and
/// such a world is not one to continue from (scree_world_check).
SCREE_API scree_status scree_advance(scree_stepper *stepper, scree_world *world, int64_t steps,
                                     scree_step_report *report, scree_error *error);

/// scree_advance for `count` worlds, each with its own stepper (of one thread), shared among the threads of the pool (NULL: this one).
/// errors (count) receives how each ended; returns how many failed. No two may share a world or a stepper.
SCREE_API int scree_advance_many(scree_stepper *const *steppers, scree_world *const *worlds, int count, int64_t steps,
                                 scree_pool *pool, scree_error *errors);

/// Whether the stepper can step this world, before it does. SCREE_SCHEME_DEM: every pair of materials that can meet has what its laws need
/// (SCREE_ERR_INPUT), and the step is not beyond `*critical` (SCREE_ERR_STEP; may be NULL; infinite: no limit known), the largest stable step
/// with the contacts there are and any single one to come (docs/math/dem.md). The first step checks the same, and every 64th step again.
SCREE_API scree_status scree_stepper_check(const scree_stepper *stepper, const scree_world *world, double *critical,
                                           scree_error *error);

/// What has been summed over the steps of this stepper: energies (kinetic, potential: the last), worst residual, ...
typedef struct scree_run_totals {
    int64_t steps, unconverged, retries;
    double residual_max, residual_sum, joint_error_max, joint_twist_max;
    double penetration_max; /* deepest overlap at the beginning of any step [m] */
    int64_t iterations;
    int64_t certified; /* steps with a certificate; over these: */
    double scaled_max, scaled_sum, cone_violation_max, slip_at_stick_max;
    scree_ledger energy;
    double seconds_detect, seconds_assemble, seconds_solve, seconds_update;
} scree_run_totals;
SCREE_API const scree_run_totals *scree_stepper_totals(const scree_stepper *stepper);
SCREE_API void scree_stepper_set_totals(scree_stepper *stepper, const scree_run_totals *totals); /* after a restart */

/// Replaces problem_hook and context of the options: a simulation makes its stepper from the scene, which has none.
SCREE_API void scree_stepper_set_problem_hook(scree_stepper *stepper,
                                              void (*hook)(const scree_problem *problem, const double *p, int64_t step,
                                                           void *context),
                                              void *context);

#ifdef __cplusplus
}
#endif
#endif
