/* registry.c: the list of methods, and what is common to all of them: create, solve, the monitor. */
#include "solvers/solver_private.h"

#include "base/clock.h"
#include "base/fail.h"
#include "math/dense.h"
#include "math/elementary.h"
#include "problem/residual.h"

#include <math.h>
#include <string.h>

static const scree_solver_class *const classes[] = {
    &solver_auto,     &solver_stepping,    &solver_momentum,      &solver_newton, &solver_ipm,  &solver_ipm_shift,
    &solver_path,     &solver_admm,        &solver_nsgs,          &solver_psor,   &solver_apgd, &solver_bb,
    &solver_anderson, &solver_fixed_point, &solver_extragradient, NULL,
};

const scree_solver_class *scree_solver_class_at(int index)
{
    int count = 0;
    for (; index >= 0 && classes[count]; ++count)
        if (count == index) return classes[count];
    return registered_at(index - count);
}

const scree_solver_class *scree_solver_class_find(const char *name)
{
    for (int i = 0; classes[i]; ++i)
        if (strcmp(classes[i]->name, name) == 0) return classes[i];
    return registered_find(name);
}

const char *scree_solver_class_name(const scree_solver_class *c)
{
    return c->name;
}

const char *scree_solver_class_summary(const scree_solver_class *c)
{
    return c->summary;
}

int scree_solver_class_takes_law(const scree_solver_class *c, scree_law law)
{
    return (c->laws & (law == SCREE_LAW_CONVEX ? LAW_CONVEX : LAW_COULOMB)) != 0;
}

int scree_solver_class_takes_bounds(const scree_solver_class *c)
{
    return c->takes_bounds;
}

int scree_solver_class_matrix_free(const scree_solver_class *c)
{
    return c->matrix_free;
}

scree_solver_options scree_solver_options_default(void)
{
#define SCREE_FIELD(type, field, value, text) .field = (value),
    return (scree_solver_options){.cookie = SCREE_COOKIE, .name = "auto", SCREE_SOLVER_OPTION_FIELDS(SCREE_FIELD)};
#undef SCREE_FIELD
}

/* ---- create and destroy ------------------------------------------------------------------------------------------- */

void scree_solver_destroy(scree_solver *s)
{
    if (!s) return;
    scree_allocator a = s->allocator;
    s->class_->destroy(s);
    scree_problem_destroy(s->assembled);
    memory_free(&a, s->y);
    memory_free(&a, s->best_p);
    memory_free(&a, s->product);
    scree_pool_destroy(s->own_pool);
    memory_free(&a, s->direction);
    if (s->alias) problem_alias_release(s->alias);
    memory_free(&a, s->alias);
    memory_free(&a, s);
}

static scree_status refuse(scree_error *error, const char *name, const char *what)
{
    scree_error_set(error, NULL, 0, 0, "the solver %s does not take %s; 'scree solvers' lists what each takes", name,
                    what);
    return SCREE_ERR_UNSUPPORTED;
}

scree_solver *scree_solver_create(const scree_problem *problem, const scree_solver_options *options, scree_error *error)
{
    scree_solver_options defaults = scree_solver_options_default();
    scree_solver *solver = NULL;
    if (error_stopped(error)) return NULL;
    if (!options) options = &defaults;
    if (!error_cookie(options->cookie, "scree_solver_options_default", error)) return NULL;
    scree_allocator a = memory_allocator(options->allocator);
    scree_problem *alias = memory_array(&a, 1, sizeof *alias);
    if (!alias) {
        scree_error_set(error, NULL, 0, 0, "out of memory for the solver %s", options->name);
        error_keep(error, SCREE_ERR_MEMORY);
        return NULL;
    }
    *alias = problem_alias(problem, &a);
    if (error_keep(error, solver_create_in(NULL, alias, options, &a, &solver, error)) == SCREE_OK) {
        solver->alias = alias;
        return solver;
    }
    problem_alias_release(alias);
    memory_free(&a, alias);
    return NULL;
}

scree_status solver_create_in(scree_pool *pool, scree_problem *problem, const scree_solver_options *options,
                              const scree_allocator *allocator, scree_solver **solver, scree_error *error)
{
    *solver = NULL;
    const scree_solver_class *c = scree_solver_class_find(options->name);
    if (!c) {
        scree_error_set(error, NULL, 0, 0, "there is no solver named '%s'; 'scree solvers' lists them", options->name);
        return SCREE_ERR_UNSUPPORTED;
    }
    if (!scree_solver_class_takes_law(c, problem->law))
        return refuse(error, c->name, problem->law == SCREE_LAW_CONVEX ? "the convex law" : "the Coulomb law");
    if (problem->bound_count > 0 && !c->takes_bounds) return refuse(error, c->name, "bounded or bilateral rows");
    if (options->device < SOLVER_DEVICE_CPU || options->device > SOLVER_DEVICE_TWIN) {
        scree_error_set(error, NULL, 0, 0, "device is %d, expected 0 (cpu), 1 (gpu) or 2 (host twin)", options->device);
        return SCREE_ERR_INPUT;
    }
    if (options->device != SOLVER_DEVICE_CPU && !c->devices) {
        scree_error_set(error, NULL, 0, 0, "the solver %s runs on the processor; on a GPU there is the solver momentum",
                        c->name);
        return SCREE_ERR_UNSUPPORTED;
    }

    scree_allocator a = memory_allocator(allocator);
    scree_solver *s = memory_array(&a, 1, sizeof *s);
    scree_status status = s ? SCREE_OK : SCREE_ERR_MEMORY;
    if (s) {
        s->class_ = c, s->options = *options, s->allocator = a;
        s->options.name = c->name, s->options.allocator = NULL, s->proves = 1;
        if (s->options.threads < 1) s->options.threads = 1;
        s->y = memory_array(&a, (size_t)problem->row_count + 1, sizeof *s->y);
        s->best_p = memory_array(&a, (size_t)problem->row_count + 1, sizeof *s->best_p);
        s->product = memory_raw_array(&a, problem_work_size(problem), sizeof *s->product);
        if (!s->y || !s->best_p || !s->product) status = SCREE_ERR_MEMORY;
        s->pool = pool;
        if (status == SCREE_OK && c->threaded && !s->pool && s->options.threads > 1)
            s->pool = s->own_pool = scree_pool_create(s->options.threads, &a, NULL),
            status = s->own_pool ? SCREE_OK : SCREE_ERR_MEMORY;
        if (status == SCREE_OK && !c->forms_itself) status = problem_form(problem, PARTS_ALL);
        /* sweeps move one body at a time, and there is no such thing where M couples them */
        if (status == SCREE_OK && !problem->W && (!c->matrix_free || (c->sweeps && problem->mass)))
            status = problem_assemble(problem, &a, &s->assembled);
        s->original = problem;
        if (status == SCREE_OK) status = c->create(s, s->assembled ? s->assembled : problem, error);
    }
    if (status == SCREE_ERR_MEMORY)
        scree_error_set(error, NULL, 0, 0, "out of memory for the solver %s on %d contacts", c->name,
                        problem->contact_count);
    if (status != SCREE_OK) scree_solver_destroy(s);
    else *solver = s;
    return status;
}

/* ---- the monitor ------------------------------------------------------------------------------------------------------ */

/// Iterations to the tolerance if the residual, which starts near 1, keeps falling at the mean rate so far.
static double iterations_needed(const monitor *m)
{
    return m->best < 1.0 ? m->iterations * real_log(m->tolerance) / real_log(m->best) : 10.0 * m->iterations;
}

static int monitor_judge(monitor *m, int recomputed, const double *p)
{
    size_t n = (size_t)m->problem->row_count;
    int swept = m->iterations >= m->min_iterations;
    if (swept && m->best_iterations < m->min_iterations && m->residual <= m->tolerance)
        m->best =
            (double)INFINITY; /* good enough, and swept as often as was asked: before a warm start that is better */
    if (m->residual < m->best) {
        m->best = m->residual, m->best_iterations = m->iterations;
        m->best_in_cone = m->in_cone, m->best_recomputed = recomputed;
        if (p) memcpy(m->best_p, p, n * sizeof *p);
    }
    m->lowest = number_min(m->lowest, m->residual);
    double now = clock_seconds();
    scree_solve_info info = {SCREE_OUTCOME_MAX_ITERATIONS, m->iterations, m->residual, now - m->started, m->name};
    if (m->options->trace) m->options->trace(&info, m->options->context);
    if (m->residual <= m->tolerance && swept) m->outcome = SCREE_OUTCOME_CONVERGED;
    else if (!(m->residual <= 1e100)) m->outcome = SCREE_OUTCOME_DIVERGED; /* NaN too */
    else if (m->options->interrupt && m->options->interrupt(&info, m->options->context))
        m->outcome = SCREE_OUTCOME_INTERRUPTED;
    else if (m->deadline > 0.0 && now >= m->deadline) m->outcome = SCREE_OUTCOME_INTERRUPTED;
    else if (m->iterations >= m->max_iterations) m->outcome = SCREE_OUTCOME_MAX_ITERATIONS;
    else if (m->work_limit > 0.0 && m->work >= m->work_limit) m->outcome = SCREE_OUTCOME_MAX_ITERATIONS;
    else if (m->expected > 0.0 && iterations_needed(m) > m->expected) m->outcome = SCREE_OUTCOME_STALLED;
    else return 0;
    return 1;
}

int monitor_check(monitor *m, const double *p)
{
    m->residual = problem_residual(m->problem, p, m->y, m->product);
    return monitor_judge(m, 1, p);
}

int monitor_check_velocity(monitor *m, const double *p, const double *y)
{
    return monitor_check_residual(m, residual_from_velocity(m->problem, p, y), p);
}

int monitor_check_residual(monitor *m, double residual, const double *p)
{
    if (residual <= m->tolerance) return monitor_check(m, p); /* the last word is always recomputed from p */
    m->residual = residual;
    return monitor_judge(m, 0, p);
}

/* ---- solve ---------------------------------------------------------------------------------------------------------------- */

void solver_run(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    m->name = s->class_->name;
    m->iterations = 0, m->best_iterations = 0, m->in_cone = 0;
    m->work = m->gained = 0.0, m->lowest = (double)INFINITY;
    m->max_iterations = s->options.max_iterations > 0 ? s->options.max_iterations : s->class_->default_iterations;
    m->min_iterations = s->class_->sweeps ? s->options.min_iterations : 0;
    if (m->min_iterations > m->max_iterations) m->min_iterations = m->max_iterations;
    m->outcome = SCREE_OUTCOME_STALLED;
    if (!s->class_->forms_itself && problem_form(problem, PARTS_ALL) != SCREE_OK) return; /* stalled: no memory */
    if (s->assembled) problem_reassemble(problem, s->assembled, s->product);
    s->original = problem;
    s->class_->solve(s, s->assembled ? s->assembled : problem, p, m);
}

/// p = the best iterate, put into its cones and bounds (Newton and interior point end a little outside, or inside) unless that would
/// spoil it. Returns its residual.
static double hand_back(scree_solver *s, const scree_problem *problem, const monitor *m, double *p)
{
    if (!m->best_in_cone) {
        for (int b = 0; b < problem->block_count; ++b) {
            double *p_b = p + problem->offset[b];
            const double *best = s->best_p + problem->offset[b];
            if (b < problem->contact_count) {
                scree_cone_project(&problem->cone[b], best, p_b);
                continue;
            }
            double S = problem->bound[b - problem->contact_count];
            p_b[0] = best[0] > S ? S : best[0] < -S ? -S : best[0];
        }
        double allowed = m->best > s->options.tolerance ? m->best : s->options.tolerance;
        double residual = problem_residual(problem, p, s->y, s->product);
        if (residual <= allowed) return residual;
    }
    memcpy(p, s->best_p, (size_t)problem->row_count * sizeof *p);
    return m->best_recomputed ? m->best : problem_residual(problem, p, s->y, s->product);
}

/// Loads a million times what stops one mean contact alone, or any at all where loads move nothing: then the residual, which divides
/// by them, may have been fooled.
static int loads_ran_away(const scree_problem *problem, const double *p)
{
    double mobility = 0.0;
    int by_rows = problem->W || problem->mass;
    if (by_rows)
        for (int c = 0; c < problem->block_count; ++c) mobility += problem->diagonal[problem->diagonal_at[c]];
    else if (problem->rigid)
        for (int b = 0; b < problem->body_count; ++b) mobility += problem->rigid_mass[b].inv_mass[0];
    else
        for (int b = 0; b < problem->body_count; ++b) mobility += problem->inv_mass->value[problem->inv_mass->at[b]];
    mobility /= by_rows ? problem->block_count + 1e-300 : problem->body_count + 1e-300;
    double load = norm(problem->row_count, p);
    return mobility > 0.0 ? load * mobility > 1e6 * norm(problem->row_count, problem->q) : load > 0.0;
}

/// The residual without |p|: what is left to mend in the velocities. Rounding of y at loads of a million is 1e-10.
static int velocities_are_wrong(const scree_problem *problem, const double *p, double *y, double *product)
{
    problem_velocity(problem, p, y, product);
    double scale = number_max(norm(problem->row_count, problem->q), norm(problem->row_count, y));
    return sqrt(natural_map_squared(problem, p, y)) > 1e-4 * scale;
}

/// Looks for a proof that there is no solution where the method gave up, or used up what it gives itself, or its loads ran away. Not
/// after limits of the caller, who wanted speed.
static scree_outcome last_word(scree_solver *s, scree_problem *problem, scree_outcome outcome, const double *p,
                               monitor *m)
{
    int ran_away = outcome == SCREE_OUTCOME_CONVERGED && loads_ran_away(problem, p);
    int gave_up = outcome == SCREE_OUTCOME_STALLED || outcome == SCREE_OUTCOME_DIVERGED ||
                  (outcome == SCREE_OUTCOME_MAX_ITERATIONS && s->options.max_iterations <= 0 && !s->class_->bounded);
    if ((ran_away || gave_up) && solver_prove_infeasible(s, problem, p, m)) return SCREE_OUTCOME_INFEASIBLE;
    return ran_away && velocities_are_wrong(problem, p, s->y, s->product) ? SCREE_OUTCOME_DIVERGED : outcome;
}

const scree_infeasibility *scree_solver_proof(const scree_solver *s, const double **direction)
{
    if (direction) *direction = s->proof.proved ? s->direction : NULL;
    return s->proof.proved ? &s->proof : NULL;
}

scree_solve_info scree_solver_solve(scree_solver *s, const scree_problem *problem, double *p, scree_error *error)
{
    const scree_solve_info no_solve = {SCREE_OUTCOME_STALLED, 0, (double)NAN, 0.0, "none"};
    if (error_stopped(error)) return no_solve;
    if (problem->block_count != s->alias->block_count || problem->row_count != s->alias->row_count ||
        problem->dof_count != s->alias->dof_count) {
        scree_error_set(error, NULL, 0, 0,
                        "the problem has not the structure for which the solver was made: %d rows and %d degrees of "
                        "freedom, expected %d and %d",
                        problem->row_count, problem->dof_count, s->alias->row_count, s->alias->dof_count);
        error_keep(error, SCREE_ERR_INPUT);
        return no_solve;
    }
    for (int i = 0; i < problem->row_count; ++i)
        if (!isfinite(p[i])) {
            scree_error_set(error, NULL, 0, 0, "p[%d] is %g, expected finite numbers to start from", i, p[i]);
            error_keep(error, SCREE_ERR_INPUT);
            return no_solve;
        }
    problem_alias_renew(problem, s->alias);
    scree_solve_info info = solver_solve(s, s->alias, p);
    return error_keep(error, solver_failed(s, error)) == SCREE_OK ? info : no_solve;
}

scree_status solver_failed(const scree_solver *s, scree_error *error)
{
    if (s->failure != SCREE_OK) scree_error_set(error, NULL, 0, 0, "%s", s->failure_text);
    return s->failure;
}

scree_solve_info solver_solve(scree_solver *s, scree_problem *problem, double *p)
{
    double now = clock_seconds();
    monitor m = {.problem = problem,
                 .options = &s->options,
                 .tolerance = s->options.tolerance,
                 .best = (double)INFINITY,
                 .started = now,
                 .y = s->y,
                 .best_p = s->best_p,
                 .product = s->product};
    if (s->options.time_limit > 0.0) m.deadline = now + s->options.time_limit;
    memcpy(s->best_p, p, (size_t)problem->row_count * sizeof *p);
    s->proof.proved = s->looked = 0;
    s->failure = SCREE_OK;
    solver_run(s, problem, p, &m);
    if (s->failure != SCREE_OK)
        return (scree_solve_info){SCREE_OUTCOME_STALLED, m.iterations, (double)NAN, clock_seconds() - now, m.name};
    s->spent = m.work;
    double residual = hand_back(s, problem, &m, p);
    scree_solve_info info = {m.outcome, m.iterations, residual, 0.0, m.name};
    if (info.residual <= s->options.tolerance && !s->proof.proved) info.outcome = SCREE_OUTCOME_CONVERGED;
    info.outcome = last_word(s, problem, info.outcome, p, &m);
    info.seconds = clock_seconds() - m.started;
    return info;
}
