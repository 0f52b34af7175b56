/* stepper.c: making a stepper, what it sums up over a run, and the state it can go back to. */
#include "dem/dem.h"

#include "base/memory.h"
#include "dem/dem_spheres.h"
#include "math/scalar.h"
#include "solvers/cuda/pile_device.h"

#include <string.h>

static const scheme *const schemes[SCREE_SCHEME_COUNT] = {[SCREE_SCHEME_MOREAU_JEAN] = &scheme_moreau_jean,
                                                          [SCREE_SCHEME_ANITESCU_TASORA] = &scheme_anitescu_tasora,
                                                          [SCREE_SCHEME_DEM] = &scheme_dem};

const char *scree_scheme_name(scree_scheme which)
{
    return (int)which >= 0 && which < SCREE_SCHEME_COUNT ? schemes[which]->name : NULL;
}

/* ---- options ------------------------------------------------------------------------------------------------------------------- */

scree_stepper_options scree_stepper_options_default(void)
{
    scree_stepper_options o = {.cookie = SCREE_COOKIE,
                               .scheme = SCREE_SCHEME_ANITESCU_TASORA,
                               .law = SCREE_LAW_COULOMB,
                               .on_failure = SCREE_ON_FAILURE_KEEP,
                               .solver = scree_solver_options_default(),
#define SCREE_FIELD(type, field, value, text) .field = (value),
                               SCREE_STEPPER_OPTION_FIELDS(SCREE_FIELD)
#undef SCREE_FIELD
    };
    o.solver.name = "stepping", o.solver.tolerance = 1e-4;
    return o;
}

static scree_status refuse(scree_error *error, const char *option, double value, const char *expected)
{
    scree_error_set(error, NULL, 0, 0, "stepper option %s is %g, expected %s", option, value, expected);
    return SCREE_ERR_INPUT;
}

static scree_status options_check(const scree_stepper_options *o, scree_error *error)
{
    if ((int)o->scheme < 0 || o->scheme >= SCREE_SCHEME_COUNT)
        return refuse(error, "scheme", (double)o->scheme, "moreau_jean, anitescu_tasora or dem");
    if (!(o->step > 0.0 && o->step <= DBL_MAX)) return refuse(error, "step", o->step, "a time above 0 s");
    if ((int)o->device < 0 || o->device > SCREE_DEVICE_HOST_TWIN)
        return refuse(error, "device", (double)o->device, "cpu or gpu");
    const int on_device = o->scheme == SCREE_SCHEME_DEM ? o->engine != SCREE_ENGINE_GENERAL
                                                        : o->solver.name && strcmp(o->solver.name, "momentum") == 0;
    if (o->device != SCREE_DEVICE_CPU && !on_device) {
        scree_error_set(error, NULL, 0, 0,
                        "stepper option device is gpu, which takes the scheme dem, or the solver momentum; expected "
                        "cpu");
        return SCREE_ERR_INPUT;
    }
    if (!(o->theta >= 0.5 && o->theta <= 1.0)) return refuse(error, "theta", o->theta, "1/2 to 1");
    if (!(o->recovery_speed >= 0.0)) return refuse(error, "recovery_speed", o->recovery_speed, "0 m/s or more");
    if (o->hertz != 0 && o->hertz != 1) return refuse(error, "hertz", o->hertz, "0 or 1");
    if (o->hertz && o->scheme != SCREE_SCHEME_ANITESCU_TASORA)
        return refuse(error, "hertz", o->hertz, "0, or the scheme anitescu_tasora");
    if (!(o->activation >= 0.0 && o->activation <= 1.0)) return refuse(error, "activation", o->activation, "0 to 1");
    if (!(o->impact_speed >= 0.0)) return refuse(error, "impact_speed", o->impact_speed, "0 m/s or more");
    if (o->min_iterations < 0) return refuse(error, "min_iterations", o->min_iterations, "0 or more");
    if (o->threads < 1) return refuse(error, "threads", o->threads, "1 or more");
    if (!(o->solver.tolerance >= 0.0)) return refuse(error, "tolerance", o->solver.tolerance, "0 or more");
    if (o->solver.threads != 1)
        return refuse(error, "solver.threads", o->solver.threads,
                      "1: the stepper's own `threads` serve its solver too");
    if (o->solver.device != 0)
        return refuse(error, "solver.device", o->solver.device, "0: the stepper's own `device` serves its solver too");
    if (o->solver.min_iterations != 0)
        return refuse(error, "solver.min_iterations", o->solver.min_iterations, "0: the stepper has `min_iterations`");

    const scree_solver_class *c = scree_solver_class_find(o->solver.name);
    if (!c) {
        scree_error_set(error, NULL, 0, 0, "there is no solver named '%s'; 'scree solvers' lists them", o->solver.name);
        return SCREE_ERR_UNSUPPORTED;
    }
    if (!scree_solver_class_takes_law(c, o->law)) {
        scree_error_set(error, NULL, 0, 0,
                        "the solver %s does not take the %s law; 'scree solvers' lists what each takes", o->solver.name,
                        o->law == SCREE_LAW_CONVEX ? "convex" : "Coulomb");
        return SCREE_ERR_UNSUPPORTED;
    }
    return SCREE_OK;
}

/* ---- create and destroy -------------------------------------------------------------------------------------------------------- */

void scree_stepper_destroy(scree_stepper *s)
{
    if (!s) return;
    scree_allocator a = s->allocator;
    scree_pool_destroy(s->pool);
    arena_destroy(s->scratch);
    arena_destroy(s->saved);
    memory_free(&a, s);
}

/// Its memory and its threads.
static scree_status stepper_make(scree_stepper *s)
{
    const scree_allocator *a = &s->allocator;
    scree_status status = arena_create(a, &s->scratch);
    if (!status) status = arena_create(a, &s->saved);
    if (status || s->options.threads == 1) return status;
    s->pool = scree_pool_create(s->options.threads, a, NULL);
    return s->pool ? SCREE_OK : SCREE_ERR_MEMORY;
}

scree_stepper *scree_stepper_create(const scree_stepper_options *options, scree_error *error)
{
    if (error_stopped(error)) return NULL;
    const scree_stepper_options usual = scree_stepper_options_default(), *o = options ? options : &usual;
    if (!error_cookie(o->cookie, "scree_stepper_options_default", error)) return NULL;
    if (error_keep(error, options_check(o, error)) != SCREE_OK) return NULL;
    scree_allocator a = memory_allocator(o->allocator);
    scree_stepper *s = memory_array(&a, 1, sizeof *s);
    if (s) {
        s->options = *o, s->options.allocator = NULL, s->allocator = a, s->scheme = schemes[o->scheme];
        s->options.solver.name = scree_solver_class_name(scree_solver_class_find(o->solver.name));
        if (stepper_make(s) == SCREE_OK) return s;
    }
    scree_stepper_destroy(s);
    scree_error_set(error, NULL, 0, 0, "out of memory for a stepper");
    error_keep(error, SCREE_ERR_MEMORY);
    return NULL;
}

/* ---- the state before a step that is repeated in parts --------------------------------------------------------------------------- */

scree_status state_save(scree_stepper *s, const scree_world *w)
{
    size_t n = (size_t)w->body_count, contacts = (size_t)w->contacts.count, joints = (size_t)w->joint_count;
    saved_state *state = &s->state;
    arena_reset(s->saved);
    state->x = arena_alloc(s->saved, n * sizeof(vec3), 64);
    state->q = arena_alloc(s->saved, n * sizeof(quat), 64);
    state->v = arena_alloc(s->saved, n * sizeof(vec3), 64);
    state->omega = arena_alloc(s->saved, n * sizeof(vec3), 64);
    state->touch = arena_alloc(s->saved, contacts * sizeof(scree_contact_point), 64);
    state->joint = arena_alloc(s->saved, joints * sizeof(scree_joint_state), 64);
    if (!state->x || !state->q || !state->v || !state->omega || !state->touch || !state->joint) return SCREE_ERR_MEMORY;
    copy_bytes(state->x, w->x, n * sizeof(vec3));
    copy_bytes(state->q, w->q, n * sizeof(quat));
    copy_bytes(state->v, w->v, n * sizeof(vec3));
    copy_bytes(state->omega, w->omega, n * sizeof(vec3));
    copy_bytes(state->touch, w->contacts.touch, contacts * sizeof(scree_contact_point));
    copy_bytes(state->joint, w->joint_state, joints * sizeof(scree_joint_state));
    state->contacts = w->contacts.count, state->time = w->time;
    return SCREE_OK;
}

void state_load(const scree_stepper *s, scree_world *w)
{
    size_t n = (size_t)w->body_count;
    const saved_state *state = &s->state;
    copy_bytes(w->x, state->x, n * sizeof(vec3));
    copy_bytes(w->q, state->q, n * sizeof(quat));
    copy_bytes(w->v, state->v, n * sizeof(vec3));
    copy_bytes(w->omega, state->omega, n * sizeof(vec3));
    copy_bytes(w->joint_state, state->joint, (size_t)w->joint_count * sizeof(scree_joint_state));
    if (w->contacts.capacity < state->contacts) { /* they came out of one of the two sets, and sets never shrink */
        contact_set other = w->contacts;
        w->contacts = w->previous, w->previous = other;
    }
    SCREE_ASSERT(w->contacts.capacity >= state->contacts);
    copy_bytes(w->contacts.touch, state->touch, (size_t)state->contacts * sizeof(scree_contact_point));
    w->contacts.count = state->contacts, w->time = state->time;
}

/// An option that would change nothing is a mistake.
static scree_status moduli_given(const scree_world *world, scree_error *error)
{
    for (int k = 0; k < world->material_count; ++k)
        if (world_pair(world, k, k)->modulus > 0.0) return SCREE_OK;
    scree_error_set(error, NULL, 0, 0,
                    "stepper option hertz is 1, but no material has a Young's modulus, expected dem: {young, poisson}");
    return SCREE_ERR_INPUT;
}

scree_status scheme_possible(const scree_stepper *stepper, const scree_world *world, scree_error *error)
{
    scree_status status = stepper->options.hertz ? moduli_given(world, error) : SCREE_OK;
    if (status != SCREE_OK) return status;
    if (stepper->options.scheme == SCREE_SCHEME_DEM) return dem_possible(world, error);
    if (world_deforms(world)) {
        scree_error_set(error, NULL, 0, 0, "the scheme %s does not take a periodic cell that deforms; use dem",
                        scree_scheme_name(stepper->options.scheme));
        return SCREE_ERR_UNSUPPORTED;
    }
    return periodic_possible(world, error);
}

/// Whether momentum sweeps over the contacts of such a world on the device of the stepper: what it does not take is told from its bodies.
/// The rest it says in the first step that has it.
static scree_status rigid_device_possible(const scree_stepper *stepper, const scree_world *world, scree_error *error)
{
    char name[128] = "", text[DEVICE_TEXT];
    const char *what = world->joint_count > 0 ? "joints" : NULL;
    for (int k = 0; k < world->shape_count && !what; ++k)
        if (dem_spheres_role(world, k) == BED_MISFIT) {
            what = "a body that moves and is not one sphere about its centre";
            scree_world_body_name(world, scree_body_at(world->shape_body[k]), name, sizeof name);
        }
    if (what) {
        scree_error_set(
            error, NULL, 0, 0,
            "device: gpu does not take %s%s%s; expected spheres, and anything that does not move freely, or "
            "device: cpu",
            what, *name ? ", here " : "", name);
        return SCREE_ERR_UNSUPPORTED;
    }
    device_twin_is_missing(text);
    if (stepper->options.device == SCREE_DEVICE_HOST_TWIN ? pile_device_twin() : pile_device_open(text))
        return SCREE_OK;
    scree_error_set(error, NULL, 0, 0, "%s", text);
    return SCREE_ERR_DEVICE;
}

scree_status scree_stepper_check(const scree_stepper *stepper, const scree_world *world, double *critical,
                                 scree_error *error)
{
    double limit = SCREE_INFINITY;
    if (error_stopped(error)) return error->status;
    scree_status status = scheme_possible(stepper, world, error);
    if (!status && stepper->options.device != SCREE_DEVICE_CPU)
        status = stepper->options.scheme == SCREE_SCHEME_DEM ? dem_device_possible(stepper, world, error)
                                                             : rigid_device_possible(stepper, world, error);
    if (!status && stepper->options.scheme == SCREE_SCHEME_DEM) status = dem_check(stepper, world, &limit, error);
    if (critical) *critical = limit;
    return error_keep(error, status);
}

/* ---- totals ---------------------------------------------------------------------------------------------------------------------- */

void totals_add(scree_run_totals *sum, const scree_step_report *report, int64_t steps)
{
    sum->steps += steps, sum->unconverged += report->unconverged > 0, sum->retries += report->retries;
    sum->residual_max = max2(sum->residual_max, report->solve.residual), sum->residual_sum += report->solve.residual;
    sum->penetration_max = max2(sum->penetration_max, report->penetration);
    sum->joint_error_max = max2(sum->joint_error_max, report->joint_error);
    sum->joint_twist_max = max2(sum->joint_twist_max, report->joint_twist);
    sum->iterations += report->solve.iterations;
    if (report->certified) {
        const scree_certificate *c = &report->certificate;
        sum->certified += 1, sum->scaled_sum += c->scaled, sum->scaled_max = max2(sum->scaled_max, c->scaled);
        sum->cone_violation_max = max2(sum->cone_violation_max, c->cone_violation);
        sum->slip_at_stick_max = max2(sum->slip_at_stick_max, c->slip_at_stick);
    }
    ledger_add(&sum->energy, &report->energy);
    sum->seconds_detect += report->seconds_detect, sum->seconds_assemble += report->seconds_assemble;
    sum->seconds_solve += report->seconds_solve, sum->seconds_update += report->seconds_update;
}

const scree_run_totals *scree_stepper_totals(const scree_stepper *stepper)
{
    return &stepper->totals;
}

void scree_stepper_set_totals(scree_stepper *stepper, const scree_run_totals *totals)
{
    stepper->totals = *totals;
}

void scree_stepper_set_problem_hook(scree_stepper *stepper,
                                    void (*hook)(const scree_problem *problem, const double *p, int64_t step,
                                                 void *context),
                                    void *context)
{
    stepper->options.problem_hook = hook;
    stepper->options.context = context;
}
