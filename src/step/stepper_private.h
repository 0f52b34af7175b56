/* stepper_private.h: what a scheme is, and what one step hands from stage to stage.
 *
 * All velocities of a step are pairs (v, omega) in the world frame, one per body whatever its kind: a driven body has the velocity
 * that its motion prescribes, a fixed one 0. What is relative to a contact is then one formula. */
#ifndef SCREE_STEP_STEPPER_PRIVATE_H
#define SCREE_STEP_STEPPER_PRIVATE_H

#include "base/arena.h"
#include "step/touch_motion.h"
#include "world/world_private.h"

#include <scree/stepper.h>
#include <stddef.h>
#include <string.h>

typedef double vec6[6]; /* (v [m/s], omega [rad/s]), world frame */

enum {
    STEP_GRAIN = 512
}; /* bodies or contacts per chunk of a parallel loop (step_grain): fixed, so that sums do not depend on the threads */
enum { HALVINGS_MAX = 6 }; /* of a step */

typedef struct step_context step_context;

/// The rows of a contact:  y_N = u_N(after) + e u_N(before) + bias + compliance r_N,  y_T = u_T + slide_compliance (r_T - slide_before),
/// and the law for (y_N, y_T, ..).
typedef struct normal_row {
    double e;                /* restitution that acts in this step           */
    double bias;             /* gap/h or what stands for it [m/s]             */
    double compliance;       /* [1/kg]                                   */
    double slide_compliance; /* [1/kg]; 0: rigid along the surface       */
    double slide_before[2];  /* r_T that the elastic displacement so far stands for [N s] */
} normal_row;

/// What tells one scheme from another. The stages are the same (step.c).
typedef struct scheme {
    const char *name;
    double (*theta)(const scree_stepper_options *options); /* x1 = x0 + h (theta v1 + (1 - theta) v0)             */
    double (*load_theta)(const scree_stepper_options *options); /* loads: theta f(t + h) + (1 - theta) f(t)        */
    int takes_stiffness;                                        /* contacts may be compliant */
    /// 1 if the contact takes part in the problem of this step, and then its row. `u_N`: before the impulses.
    int (*normal_row)(const step_context *s, const scree_contact_point *touch, double u_N, normal_row *row);
    int can_centre;             /* takes the option `centred` (rigid/centre.c) */
    const struct stage *stages; /* instead of those of step.c, up to one that is NULL; NULL: those of step.c */
} scheme;

extern const scheme scheme_moreau_jean, scheme_anitescu_tasora, scheme_dem;

/// A stage of a step, and where its time is added up in the report.
typedef struct stage {
    scree_status (*run)(step_context *s);
    size_t seconds;
} stage;
#define STAGE_SECONDS(name) offsetof(scree_step_report, seconds_##name)

/// Units in which the problem is handed to the solver, powers of two: the residual adds velocities, impulses and moments as if
/// every mass were 1 kg and every arm 1 m, so bodies are made such.
typedef struct units {
    double mass, length;
} units;

/// A row of a joint in the problem:  y = u(after) + e u(before) + bias + compliance load,  in SI.
typedef struct joint_line {
    int joint;
    int is_limit, place; /* its number among the limits, or among the bounded rows */
    joint_row row;
    double e, bias, compliance, bound;
    double before; /* u before the impulses */
    double lever;  /* of a limit that turns [m]; else 1 */
    double anchor[3];
} joint_line;

struct step_context {
    const scree_stepper_options *options;
    const scheme *scheme;
    scree_world *world;
    scree_pool *pool;
    scree_allocator memory; /* the arena of this step: nothing is freed */
    double t, h;
    int level;                  /* how often the step was halved */
    int last;                   /* 1: the whole step, or its last part */
    double share;               /* h / options->step: below 1 in the parts of a step that is repeated */
    double theta, impact_speed; /* of this step */
    double g;                   /* |gravity|    */
    double
        push; /* the most that loads without contacts and joints change the velocity of a body's centre in this step [m/s] */

    /* bodies (body_count) */
    int *column;  /* in the problem, -1: not dynamic                                         */
    int *dynamic; /* (dynamic_count) body of each column                                      */
    int dynamic_count;
    vec6 *before, *after;   /* velocities at the two sides of the impulses                              */
    vec6 *load;             /* impulses of applied forces and moments, gravity excluded; NULL: none     */
    vec6 *v_free;           /* (dynamic_count) without contacts */
    vec3 *shift;            /* what positions moved beside h (theta v1 + (1 - theta) v0); NULL: nothing */
    scree_rigid_mass *mass; /* (dynamic_count) SI                                                      */
    units units;
    double total_mass; /* of the dynamic bodies */

    /* contacts that take part, and the problem they make */
    int contact_count, row_count;
    contact_arms *arm; /* (contacts of the world) */
    int *touch_row;    /* (contacts of the world) their number in the problem, -1: none                    */
    int *row_touch;    /* (contact_count) and back                                                        */
    normal_row *row;   /* (contact_count)                                                                 */
    scree_cone *cone;  /* (contact_count) of this step: at rest or in motion                              */
    int *offset;       /* (contact_count + 1) first row                                                   */
    scree_problem *problem;
    double *p;       /* (problem_rows) loads, in the units of the problem                                  */
    double *product; /* scratch of products by W (problem_work_size)                                       */

    /* rows of joints: limits follow the contacts, bounded rows follow all (joints.c) */
    int line_count, limit_count, bound_count;
    joint_line *line; /* (line_count) */
    int problem_rows; /* row_count + limit_count + bound_count */
    double psi;       /* what joints would be apart at the next impulses, by the solution so far [m] */

    struct rest *rest; /* which islands rest (rest.c); NULL: none, or not asked yet */
    int all_rest;      /* all of them: there is nothing left to solve               */

    /* the state before the step, for the ledger and for taking the step back */
    vec3 *x0, *v0, *omega0;
    quat *q0;
    scree_joint_state *joint0;
    int saved;

    struct dem_touch *soft; /* (contacts of the world) loads of soft contacts; NULL: rigid ones */

    double gyro;   /* energy that rounding took from the rotations [J] */
    int compliant; /* some contact of the problem is              */
    int detected;  /* the contacts are those of this step         */
    int again;     /* the answer is not good enough: in two halves */
    int stiff;     /* in two halves because of joint_stiffness.c   */
    scree_step_report *report;
    scree_error *error;
};

/// What a step that is repeated in parts goes back to if one of them fails.
typedef struct saved_state {
    vec3 *x, *v, *omega;
    quat *q;
    scree_contact_point *touch;
    scree_joint_state *joint;
    int contacts;
    double time;
} saved_state;

struct scree_stepper {
    scree_stepper_options options;
    const scheme *scheme;
    scree_allocator allocator;
    scree_pool *pool;
    arena *scratch; /* of one attempt at a step: problem, solver, everything */
    arena *saved;   /* of `state` */
    saved_state state;
    scree_run_totals totals;
};

static inline int step_grain(const step_context *s)
{
    return world_grain(s->world, STEP_GRAIN);
}

/// An array from the arena of the step, not cleared.
#define STEP_ARRAY(s, count, pointer)                                                                                  \
    ((pointer) = (s)->memory.alloc(((size_t)(count) + 1) * sizeof *(pointer), 64, (s)->memory.context))

/* ---- integrate.c -------------------------------------------------------------------------------------------------------- */

/// Saves the state, turns the bodies by (1 - theta) h, and gathers velocities, loads and masses there.
scree_status bodies_begin(step_context *s);
/// An applied load is no number.
scree_status refuse_load(const scree_world *world, int body, double t, double h, scree_error *error);
/// v_free = v + h g + M^-1 J.
scree_status velocities_free(step_context *s);
/// The velocities after the impulses (SI, one per column) become those of the bodies.
void velocities_apply(step_context *s, const double *v);
scree_status poses_advance(step_context *s);
/// Poses and velocities as bodies_begin found them.
void bodies_restore(const step_context *s);

/* ---- assemble.c --------------------------------------------------------------------------------------------------------- */

void touch_arms(const scree_world *world, const scree_contact_point *touch, contact_arms *arms);
/// Fills s->arm of a contact.
void contact_arms_find(step_context *s, int contact);
/// The same of a contact of the world, from velocities of all bodies.
void relative_velocity(const step_context *s, int contact, vec6 *velocity, double y[SCREE_DIM_MAX]);
/// The part of it that driven bodies prescribe. Returns 0 where there is none.
int driven_velocity(const step_context *s, int contact, double y[SCREE_DIM_MAX]);

/// Which of N T1 T2 R1 R2 S (0 .. 5) each row of a contact is. Returns the number of rows.
int cone_components(const scree_cone *cone, int component[SCREE_DIM_MAX]);

/// Asks the scheme about every contact, and numbers those that take part.
scree_status rows_choose(step_context *s);
scree_status problem_make(step_context *s);
scree_status problem_in_units(step_context *s, units u, scree_problem **problem);

/// SI value of a load of 1 in these units.
double unit_of_load(units u, int component);
void loads_guess(step_context *s);
void loads_in_si(const step_context *s, double *p);

/* ---- compliance.c ------------------------------------------------------------------------------------------------------- */

/// Hertz and Mindlin: compliance of the row, normal and tangential. 0: the pair has no moduli, or flat meets flat, or nothing presses.
int compliance_hertz(const step_context *s, int contact, double u_N, normal_row *row);

/* ---- joints.c ----------------------------------------------------------------------------------------------------------- */

/// Makes the rows of the joints at the pose of the impulses.
scree_status joints_choose(step_context *s);
/// Writes them into the arrays of a problem in these units; `contact` and `cone` start with those of the touches.
void joints_assemble(const step_context *s, units u, scree_rigid_contact *contact, scree_cone *cone,
                     scree_rigid_row *row, double *bound, double *w, double *compliance);
/// After a solution: 1 if joints would be too far apart at the next impulses; the problem is then the one to solve next.
int joints_refine(step_context *s);
int line_row(const step_context *s, const joint_line *line); /* in the problem               */
double line_unit(const joint_line *line, units u);           /* SI value of a load of 1      */
/// Loads and reactions into the joints, their lines into the ledger.
scree_status joints_store(step_context *s);
/// Coordinates and errors at the end of the step.
scree_status joints_measure(step_context *s);

/* ---- rigid/centre.c ------------------------------------------------------------------------------------------------------- */

/// Second order of positions where no contact forbids it; leaves `shift`.
scree_status positions_centre(step_context *s);

/* ---- joint_stiffness.c -------------------------------------------------------------------------------------------------- */

/// Wants the step in halves where loads of joints would make it unstable.
scree_status joints_resolve(step_context *s);

/* ---- solve.c ------------------------------------------------------------------------------------------------------------ */

/// The loads of the last step as a first guess, and the residual to reach.
scree_status solve_begin(step_context *s);
scree_status problem_solve(step_context *s);
/// Keeps the answer, or wants the step again in halves (`again`), or stops, as the user has chosen.
scree_status answer_judge(step_context *s);
scree_status problem_show(step_context *s);
/// Velocities of the bodies with the loads s->p, SI, one per column.
void velocities_of_loads(const step_context *s, vec6 *v);
scree_status velocities_solve(step_context *s);

/* ---- rest.c ------------------------------------------------------------------------------------------------------------- */

/// Which islands are held at rest by the loads s->p, those of the last step.
scree_status rest_recall(step_context *s);
/// After the solve: gives those their loads back, and looks for loads that hold others at rest.
scree_status rest_prove(step_context *s);
/// 1: the body of this column rests.
int rest_holds(const step_context *s, int column);

/* ---- step.c: stages that every scheme has ---------------------------------------------------------------------------- */

scree_status contacts_find(step_context *s);
/// What leaves a periodic world on one side comes in on the other. After the ledger, whose potential would take it for work.
scree_status bodies_wrap(step_context *s);
scree_status state_check(step_context *s);
/// Bodies with pressure control choose their speeds for the next step from the forces of this one, once it is whole.
scree_status pressure_follow(step_context *s);

/* ---- stepper.c ---------------------------------------------------------------------------------------------------------- */

/// Whether the scheme can step such a world at all: joints, periodic axes.
scree_status scheme_possible(const scree_stepper *stepper, const scree_world *world, scree_error *error);

/// memcpy that takes NULL for nothing.
static inline void copy_bytes(void *to, const void *from, size_t size)
{
    if (size > 0) memcpy(to, from, size);
}
scree_status state_save(scree_stepper *s, const scree_world *w);
void state_load(const scree_stepper *s, scree_world *w);
void totals_add(scree_run_totals *sum, const scree_step_report *report, int64_t steps);
/// Two parts of a step, or of a batch of steps, one after the other: what adds up, and the worst; the rest is that of the later part.
void report_add(scree_step_report *sum, const scree_step_report *part);

/* ---- ledger.c ----------------------------------------------------------------------------------------------------------- */

/// Loads, velocities and modes into the contacts; energies, modes and worst figures into the report.
scree_status contacts_store(step_context *s);
/// What weighs speeds against loads: the mass that the two bodies have together for a push along the normal, turning left out.
double contact_mass(const step_context *s, const scree_contact_point *touch);
/// The bodies' share of the energies, and the balance.
scree_status ledger_close(step_context *s);
void ledger_add(scree_ledger *sum, const scree_ledger *part);
/// Whether all of its numbers are.
int ledger_finite(const scree_ledger *ledger);
scree_ledger ledger_between(const scree_ledger *then, const scree_ledger *now); /* its lines */

#endif
