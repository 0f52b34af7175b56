/* step.c: one step, from the contacts it finds to the energies it leaves. The page to read first.
 *
 *     drift by (1 - theta) h;   kick: applied forces, and the one contact problem of the step;   drift by theta h     docs/math/stepping.md
 *
 * Both schemes of rigid contacts run these stages; moreau_jean.c and anitescu_tasora.c define what differs; dem.c has its own table. A
 * step is undone, and leaves the world bit for bit as it was, where a body ran away, where memory ran out, and where the solver did not
 * converge and the user requested two half steps instead (on_failure: retry). */
#include "dem/dem.h"
#include "dem/dem_engine.h"

#include "base/clock.h"
#include "math/scalar.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

scree_status contacts_find(step_context *s)
{
    scree_status status = scree_world_detect(s->world, s->h, s->pool, NULL);
    s->detected = status == SCREE_OK;
    return status;
}

scree_status bodies_wrap(step_context *s)
{
    world_wrap(s->world);
    return SCREE_OK;
}

/// The energies of a step are not finite: names the body whose numbers are not, or else the fastest.
static scree_status energy_lost(const scree_world *world, scree_error *error)
{
    char name[128];
    int fastest = -1;
    double most = -1.0;
    if (world_runaway(world, error) >= 0) return SCREE_ERR_RUNAWAY;
    for (int b = 0; b < world->body_count; ++b) {
        const double *v = world->v[b], square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        if (world->kind[b] == SCREE_BODY_DYNAMIC && square > most) most = square, fastest = b;
    }
    if (fastest < 0) snprintf(name, sizeof name, "no body");
    else scree_world_body_name(world, scree_body_at(fastest), name, sizeof name);
    scree_error_set(error, NULL, 0, 0, "the energies are not finite any more at t = %.9g s; the fastest body is %s",
                    world->time, name);
    return SCREE_ERR_RUNAWAY;
}

scree_status state_check(step_context *s)
{
    if (world_runaway(s->world, s->error) >= 0) return SCREE_ERR_RUNAWAY;
    return ledger_finite(&s->report->energy) ? SCREE_OK : energy_lost(s->world, s->error);
}

scree_status pressure_follow(step_context *s)
{
    if (s->last) servos_update(s->world, s->options->step);
    return SCREE_OK;
}

/* what each stage reads -> what it leaves */
/* clang-format off */
static const stage rigid_stages[] = {
    {contacts_find,    STAGE_SECONDS(detect)},    /* poses                     -> contacts, with the impulses of t - h          */
    {bodies_begin,     STAGE_SECONDS(assemble)},  /* poses, velocities         -> first drift; v0, impulses J, masses M         */
    {joints_resolve,   STAGE_SECONDS(assemble)},  /* reactions of t - h        -> in halves, where light bodies carry much      */
    {velocities_free,  STAGE_SECONDS(assemble)},  /* v0, J                     -> v_free = v0 + h g + M^-1 J                    */
    {joints_choose,    STAGE_SECONDS(assemble)},  /* joints, poses             -> their rows; position/h, compliance, bounds    */
    {rows_choose,      STAGE_SECONDS(assemble)},  /* contacts, v0              -> which are active; e, gap/h, compliance        */
    {problem_make,     STAGE_SECONDS(assemble)},  /* contacts, rows, M, v_free -> y = W p + q, cones, bounds                    */
    {solve_begin,      STAGE_SECONDS(solve)},     /* impulses of t - h         -> p, a first guess; the residual to reach       */
    {rest_recall,      STAGE_SECONDS(solve)},     /* p                         -> islands that these impulses hold at rest      */
    {problem_solve,    STAGE_SECONDS(solve)},     /* problem, p                -> p                                             */
    {rest_prove,       STAGE_SECONDS(solve)},     /* p                         -> islands at rest, with impulses that prove it  */
    {answer_judge,     STAGE_SECONDS(solve)},     /* residual                  -> continue, stop, or once more in halves        */
    {problem_show,     STAGE_SECONDS(update)},    /* problem, p                -> certificate, the user's hook                  */
    {velocities_solve, STAGE_SECONDS(update)},    /* p                         -> v1 = v_free + M^-1 H p                        */
    {contacts_store,   STAGE_SECONDS(update)},    /* p, v0, v1                 -> impulses, modes; work of the contacts         */
    {joints_store,     STAGE_SECONDS(update)},    /* p, v0, v1                 -> impulses and reactions; work of the joints    */
    {poses_advance,    STAGE_SECONDS(update)},    /* v0, v1                    -> x1 = x0 + h (theta v1 + (1 - theta) v0), R1   */
    {positions_centre, STAGE_SECONDS(update)},    /* v0, v1, contacts          -> x1 + (h/2) (v0 - v1) where no contact forbids it */
    {joints_measure,   STAGE_SECONDS(update)},    /* poses                     -> coordinates and errors of the joints          */
    {ledger_close,     STAGE_SECONDS(update)},    /* both states               -> the balance of energy                         */
    {bodies_wrap,      STAGE_SECONDS(update)},    /* x1                        -> within the period                             */
    {state_check,      STAGE_SECONDS(update)},    /* state                     -> all finite, none too fast                     */
    {pressure_follow,  STAGE_SECONDS(update)},    /* impulses                  -> speeds of pressure-controlled bodies          */
    {NULL, 0},
};
/* clang-format on */

static scree_status attempt(step_context *s)
{
    scree_status status = SCREE_OK;
    double begin = clock_seconds();
    const stage *stages = s->scheme->stages ? s->scheme->stages : rigid_stages;
    for (const stage *at = stages; at->run && !status && !s->again; ++at) {
        status = at->run(s);
        int more = at[1].run && !status && !s->again;
        if (more && at[1].seconds == at->seconds) continue; /* reading the clock costs as much as a light stage */
        double end = clock_seconds();
        *(double *)((char *)s->report + at->seconds) += end - begin;
        begin = end;
    }
    return status;
}

static step_context step_begin(scree_stepper *stepper, scree_world *world, double t, double h, int level, int last,
                               scree_step_report *report, scree_error *error)
{
    const scree_stepper_options *o = &stepper->options;
    const double *g = world->options.gravity;
    step_context s = {.options = o, .scheme = stepper->scheme, .world = world, .pool = stepper->pool, .t = t, .h = h};
    arena_reset(stepper->scratch);
    s.memory = arena_allocator(stepper->scratch);
    s.level = level, s.last = last, s.share = h / o->step;
    s.theta = s.scheme->theta(o);
    s.g = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    s.impact_speed = o->impact_speed > 0.0 ? o->impact_speed : 2.0 * h * s.g;
    s.report = report, s.error = error;
    *report = (scree_step_report){.h = h, .penetration_contact = -1, .joint_worst = -1};
    world->time = t;
    return s;
}

/// Restores what was before the attempt. The contacts of the previous step are the set that detection put aside.
static void step_take_back(const step_context *s)
{
    scree_world *w = s->world;
    bodies_restore(s);
    w->time = s->t;
    if (!s->detected) return;
    contact_set found = w->contacts;
    w->contacts = w->previous, w->previous = found;
}

/* ---- in halves --------------------------------------------------------------------------------------------------------------------- */

void report_add(scree_step_report *sum, const scree_step_report *part)
{
    scree_step_report before = *sum;
    scree_solve_info *solve = &sum->solve;
    *sum = *part;
    solve->iterations += before.solve.iterations, solve->seconds += before.solve.seconds;
    if (before.unconverged && !part->unconverged) solve->outcome = before.solve.outcome;
    solve->residual = max2(solve->residual, before.solve.residual);
    sum->retries += before.retries, sum->unconverged += before.unconverged;
    sum->penetration_speed = max2(sum->penetration_speed, before.penetration_speed);
    if (before.penetration > sum->penetration)
        sum->penetration = before.penetration, sum->penetration_contact = before.penetration_contact;
    if (before.joint_error > sum->joint_error)
        sum->joint_error = before.joint_error, sum->joint_worst = before.joint_worst;
    sum->joint_twist = max2(sum->joint_twist, before.joint_twist);
    scree_ledger energy = before.energy;
    ledger_add(&energy, &part->energy);
    sum->energy = energy;
    sum->seconds_detect += before.seconds_detect, sum->seconds_assemble += before.seconds_assemble;
    sum->seconds_solve += before.seconds_solve, sum->seconds_update += before.seconds_update;
}

/// Of an attempt that was undone, the time and the sweeps count, nothing else.
static void report_add_cost(scree_step_report *sum, const scree_step_report *part)
{
    sum->solve.iterations += part->solve.iterations, sum->solve.seconds += part->solve.seconds;
    sum->seconds_detect += part->seconds_detect, sum->seconds_assemble += part->seconds_assemble;
    sum->seconds_solve += part->seconds_solve, sum->seconds_update += part->seconds_update;
}

/// From t to t + h; where the solver does not converge and the user requested it, in two halves, each of which may be halved again.
/// `last`: the step ends at t + h.
static scree_status advance(scree_stepper *stepper, scree_world *world, double t, double h, int level, int last,
                            scree_step_report *report, scree_error *error)
{
    scree_step_report part;
    step_context s = step_begin(stepper, world, t, h, level, last, &part, error);
    scree_status status = attempt(&s);
    if (!status && !s.again) {
        report_add(report, &part);
        return SCREE_OK;
    }
    step_take_back(&s);
    if (!status && level == 0)
        status = state_save(stepper, world); /* the halves overwrite what this attempt had put aside */
    if (status) return status;
    report_add_cost(report, &part);
    report->retries += !s.stiff; /* a step halved for its stiff joints was never solved */
    status = advance(stepper, world, t, 0.5 * h, level + 1, 0, report, error);
    if (!status) status = advance(stepper, world, t + 0.5 * h, 0.5 * h, level + 1, last, report, error);
    if (status && level == 0) state_load(stepper, world);
    return status;
}

/// A scheme of rigid contacts works on the world's own arrays: an engine that has newer ones hands them back first.
static scree_status scheme_ready(scree_stepper *stepper, scree_world *world, scree_error *error)
{
    scree_status status = scheme_possible(stepper, world, error);
    return status ? status : world_reclaim(world);
}

/// `steps` > 1 only with the engine for spheres.
static scree_status step_many(scree_stepper *stepper, scree_world *world, dem_engine engine, int64_t steps,
                              scree_step_report *report, scree_error *error)
{
    const double h = stepper->options.step, time = world->time;
    const int64_t before = world->step_count;
    scree_step_report own = {.penetration_contact = -1, .joint_worst = -1}, *part = report ? report : &own;
    *part = own;
    scree_status status = engine == DEM_SPHERES ? dem_spheres_advance(stepper, world, steps, report, error)
                                                : advance(stepper, world, time, h, 0, 1, part, error);
    if (status == SCREE_ERR_MEMORY)
        scree_error_set(error, NULL, 0, 0, "out of memory in a step of %d bodies and %d contacts", world->body_count,
                        world->contacts.count);
    if (status && (engine == DEM_GENERAL || world->step_count == before)) return status;
    if (engine == DEM_GENERAL) { /* the engine for spheres does this itself, in every step */
        world->time = forcing_time_after(time, world->step_count, h), world->step_count += 1;
        if (world->history) dem_spheres_step_elsewhere(world, part);
        if (stepper->options.scheme == SCREE_SCHEME_DEM) world->soft.moved = world->body_count;
    }
    if (!status && engine == DEM_SPHERES && report && !ledger_finite(&part->energy)) status = energy_lost(world, error);
    world->impulse_time = h;
    part->step = world->step_count, part->time = world->time, part->h = h;
    totals_add(&stepper->totals, part, world->step_count - before); /* of a call that failed: those it took */
    if (engine == DEM_SPHERES) { /* a sum over calls would be rounded differently for other batches */
        scree_run_totals *sum = &stepper->totals;
        sum->energy = *dem_spheres_total(world);
        sum->penetration_max = max2(sum->penetration_max, dem_spheres_deepest(world));
    }
    return status;
}

scree_status scree_step(scree_stepper *stepper, scree_world *world, scree_error *error)
{
    return scree_advance(stepper, world, 1, NULL, error);
}

scree_status scree_advance(scree_stepper *stepper, scree_world *world, int64_t steps, scree_step_report *report,
                           scree_error *error)
{
    if (error_stopped(error)) return error->status;
    scree_step_report sum = {.penetration_contact = -1}, part;
    dem_engine engine = DEM_GENERAL;
    scree_status status = stepper->options.scheme == SCREE_SCHEME_DEM
                              ? dem_engine_choose(stepper, world, &engine, error)
                              : scheme_ready(stepper, world, error);
    if (status == SCREE_ERR_MEMORY) scree_error_set(error, NULL, 0, 0, "out of memory before a step");
    if (!status && engine == DEM_GENERAL && world_runaway(world, error) >= 0)
        status =
            SCREE_ERR_RUNAWAY; /* values set by the caller; the engine for spheres checks them when it takes them over */
    for (int64_t done = 0, some; done < steps && !status; done += some) {
        const int by_hand = world->soft.scale < 0.0;
        some = engine == DEM_SPHERES ? steps - done : 1;
        status = step_many(stepper, world, engine, some, report ? &part : NULL, error);
        if (!status && report) report_add(&sum, &part);
        if (status || !by_hand || engine == DEM_SPHERES) continue;
        world->soft.scale = 0.0; /* the displacements of a state set by the caller are complete after one step */
        if (stepper->options.scheme == SCREE_SCHEME_DEM && done + some < steps)
            status = dem_engine_choose(stepper, world, &engine, error);
        if (status == SCREE_ERR_MEMORY) scree_error_set(error, NULL, 0, 0, "out of memory before a step");
    }
    if (report) *report = sum;
    return error_keep(error, status);
}
