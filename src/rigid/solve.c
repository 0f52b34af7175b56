/* solve.c: the contact problem of a step goes to a solver, and its answer to the bodies.
 *
 * The solver lives in the arena of the step: it is made for this problem and forgotten with it, so no step depends on the one before
 * but through the world. Any solver of the registry will do; docs/solvers/stepping.md is about the default. */
#include "step/stepper_private.h"

#include "math/scalar.h"
#include "problem/residual.h"
#include "solvers/solver_private.h"

enum { JOINT_PASSES = 4 };

/// Euclidean norm of n numbers.
static double norm_of(int n, const double *x)
{
    double squares = 0.0;
    for (int i = 0; i < n; ++i) squares += x[i] * x[i];
    return sqrt(squares);
}

/// The residual that the solver has to reach. A residual is relative to the largest of |q|, |p|, |y| of the whole problem, so a single fast
/// grain, or one that is crushed between walls (its reactions grow without bound), would allow large errors everywhere else. So the tolerance
/// is made smaller, to what it is if velocities are those that gravity makes in a step, and no reaction exceeds the weight of everything.
static double tolerance_asked(const step_context *s)
{
    double tolerance = s->options->solver.tolerance, speed = s->g * s->h;
    double contacts = sqrt((double)s->problem->block_count);
    if (!s->options->adaptive || s->g == 0.0) return tolerance;
    double fast = norm_of(s->problem_rows, s->problem->q) / (speed * contacts);
    double loaded = norm_of(s->problem_rows, s->p) / (s->total_mass / s->units.mass * speed * contacts);
    return max2(tolerance / (max2(fast, 1.0) * max2(loaded, 1.0)), min2(tolerance, 1e-13));
}

scree_status solve_begin(step_context *s)
{
    s->report->solve = (scree_solve_info){SCREE_OUTCOME_CONVERGED, 0, 0.0, 0.0, s->options->solver.name};
    if (s->problem_rows == 0) return SCREE_OK;
    loads_guess(s);
    s->report->tolerance = tolerance_asked(s);
    return SCREE_OK;
}

scree_status problem_solve(step_context *s)
{
    scree_solver_options options = s->options->solver;
    scree_solver *solver;
    if (s->problem_rows == 0 || s->all_rest) return SCREE_OK;
    options.min_iterations = s->options->min_iterations, options.tolerance = s->report->tolerance;
    options.device = (int)s->options->device;
    scree_solve_info *info = &s->report->solve, first;
    scree_status status = solver_create_in(s->pool, s->problem, &options, &s->memory, &solver, s->error);
    if (status != SCREE_OK) return status;
    *info = solver_solve(solver, s->problem, s->p);
    for (int pass = 1; pass < JOINT_PASSES && joints_refine(s); ++pass) {
        first = *info;
        *info = solver_solve(solver, s->problem, s->p);
        info->iterations += first.iterations, info->seconds += first.seconds;
    }
    status = solver_failed(solver, s->error);
    scree_solver_destroy(solver);
    return status;
}

/// What is to be done about an answer that is not good enough.
scree_status answer_judge(step_context *s)
{
    const scree_solve_info *info = &s->report->solve;
    if (info->outcome == SCREE_OUTCOME_CONVERGED) return SCREE_OK;
    s->report->unconverged = 1;
    if (s->options->on_failure == SCREE_ON_FAILURE_RETRY && s->level < HALVINGS_MAX) s->again = 1;
    if (s->options->on_failure != SCREE_ON_FAILURE_STOP) return SCREE_OK;
    scree_error_set(s->error, NULL, 0, 0,
                    "the solver %s reached a residual of %.3g, asked was %.3g (%s after %d iterations) at t = %.9g s",
                    info->solver, info->residual, s->report->tolerance, scree_outcome_name(info->outcome),
                    info->iterations, s->t);
    return SCREE_ERR_SOLVER;
}

/// The problem and its solution in SI: for the user's hook, and for the certificate of every so many steps.
scree_status problem_show(step_context *s)
{
    const scree_stepper_options *o = s->options;
    int64_t step = s->world->step_count + 1;
    scree_problem *problem;
    double *p, *y, *work;
    int certify = o->certify > 0 && step % o->certify == 0;
    if ((!o->problem_hook && !certify) || s->problem_rows == 0) return SCREE_OK;
    if (!STEP_ARRAY(s, s->problem_rows, p) || !STEP_ARRAY(s, s->problem_rows, y)) return SCREE_ERR_MEMORY;
    scree_status status = problem_in_units(s, (units){1.0, 1.0}, &problem);
    if (status != SCREE_OK) return status;
    if (!STEP_ARRAY(s, problem_work_size(problem), work)) return SCREE_ERR_MEMORY;
    loads_in_si(s, p);
    if (certify) {
        problem_certify(problem, p, y, work, &s->report->certificate);
        s->report->certified = 1;
    }
    if (o->problem_hook) o->problem_hook(problem, p, step, o->context);
    scree_problem_destroy(problem);
    return status;
}

void velocities_of_loads(const step_context *s, vec6 *v)
{
    problem_body_velocities(s->problem, s->p, v[0], s->product);
    for (int k = 0; k < s->dynamic_count; ++k)
        for (int i = 3; i < 6; ++i) v[k][i] /= s->units.length;
}

/// v1 = v_free + M^-1 H p, in SI.
scree_status velocities_solve(step_context *s)
{
    vec6 *v;
    if (!STEP_ARRAY(s, s->dynamic_count, v)) return SCREE_ERR_MEMORY;
    if (s->problem_rows == 0) memcpy(v, s->v_free, (size_t)s->dynamic_count * sizeof *v);
    else velocities_of_loads(s, v);
    velocities_apply(s, v[0]);
    return SCREE_OK;
}
