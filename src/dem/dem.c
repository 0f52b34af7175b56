/* dem.c: the scheme of soft contacts: explicit, first order, symplectic.                                    [FN], docs/math/dem.md
 *
 *     contacts at x0   ->  loads F, T                      (dem_contact.c)
 *     v1 = v0 + h (g + M^-1 (loads of the bodies + F)),    the same for spins
 *     x1 = x0 + h v1,   R1 = R0 turned freely for h        then memories are carried along with both bodies
 *
 * which is the loop "v += h a; x += h v; forces" of [FN], begun at its forces: the velocities that dashpots see are those that have moved
 * the bodies to x0. There is nothing to solve and nothing to take again in halves.
 *
 * Ledger. What every spring stores and every dashpot and slider takes on the way to x0 is counted by itself, from its own force and its own
 * way; nothing is what the others leave over. The kick changes the kinetic energy by F.(v0 + v1)/2 h. Summed over the steps that is the mean
 * of the forces at both ends of each way times the way, (F_last + F)/2 . h v0, and so
 *     linear springs, and sliders, count the mean of both ends: equal but for (h/2) F.v now, less (h/2) F.v at first
 *     dashpots count their force at the end of the way, g v0.h v0: too much by (h/4) g (v^2 when it begins - v^2 when it ends)
 *     Hertz, and normals that turn: of second order
 * So the closing error, `balance`, is the error of the integration: of the order h, positive for dashpots (the bodies keep more than they
 * should: a dashpot that sees an old velocity makes the mass lighter by g h/2), bounded for springs. docs/math/dem.md, Ledger.
 * [FN]'s springs grow by ways over the undeformed surfaces; loads work on velocities at the contact, an overlap deeper, and roll
 * torques on A and B need not be opposite. That difference does not vanish with h; its work is the line `tracking`, of the order
 * overlap/radius of the friction's; the slips of sds, measured at R, have the same. A stiffness that changes under a stretched spring
 * (Mindlin, spin by Hertz, ellipsoids) makes or takes energy, dK x^2/2, and sds sets springs against their dashpots: the line `law_work`.
 *
 * How long a step may be: dem_limit.c. */
#include "dem/dem.h"

#include "base/parallel.h"
#include "math/quat.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double one(const scree_stepper_options *options)
{
    (void)options;
    return 1.0;
}

static double zero(const scree_stepper_options *options)
{
    (void)options;
    return 0.0;
}

/* ---- loads ------------------------------------------------------------------------------------------------------------------- */

static scree_status memory_begin(step_context *s)
{
    return contacts_remember(s->world);
}

static void loads_chunk(void *context, int begin, int end, int chunk, int worker)
{
    step_context *s = context;
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) dem_contact(s, k, &s->soft[k]);
}

/// The first contact whose law lacks something.
static scree_status refuse_need(const step_context *s)
{
    const scree_world *w = s->world;
    for (int k = 0; k < w->contacts.count; ++k) {
        const scree_contact_point *touch = &w->contacts.touch[k];
        if (!s->soft[k].need) continue;
        dem_say_need(w, w->shape_link[touch->shape_a].material, w->shape_link[touch->shape_b].material, s->soft[k].need,
                     s->error);
        return SCREE_ERR_INPUT;
    }
    return SCREE_OK;
}

scree_status dem_loads_find(step_context *s)
{
    int n = s->world->contacts.count;
    if (!STEP_ARRAY(s, n, s->arm) || !STEP_ARRAY(s, n, s->soft)) return SCREE_ERR_MEMORY;
    parallel_for(s->pool, n, step_grain(s), loads_chunk, s);
    return refuse_need(s);
}

/* ---- kick ---------------------------------------------------------------------------------------------------------------------- */

/// Adds h times force and torque to the velocity of a body, if it is one that moves.
static void kick_body(const step_context *s, int body, double sign, const double force[3], const double torque[3],
                      vec6 *impulse)
{
    int k = s->column[body];
    if (k < 0) return;
    for (int i = 0; i < 3; ++i) impulse[k][i] += sign * s->h * force[i], impulse[k][3 + i] += s->h * torque[i];
}

static void kick_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const step_context *s = ((void **)context)[0];
    vec6 *impulse = ((void **)context)[1];
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) {
        double turn[3];
        mat_apply(s->mass[k].inv_inertia, impulse[k] + 3, turn);
        for (int i = 0; i < 3; ++i) {
            impulse[k][i] = s->v_free[k][i] + s->mass[k].inv_mass[i] * impulse[k][i];
            impulse[k][3 + i] = s->v_free[k][3 + i] + turn[i];
        }
        for (int i = 0; i < 6 && dem_kicks_half(s->options, s->world); ++i)
            impulse[k][i] = 0.5 * (impulse[k][i] + s->before[s->dynamic[k]][i]);
    }
}

static scree_status velocities_kick(step_context *s)
{
    const contact_set *set = &s->world->contacts;
    vec6 *velocity;
    if (!STEP_ARRAY(s, s->dynamic_count, velocity)) return SCREE_ERR_MEMORY;
    memset(velocity, 0, (size_t)s->dynamic_count * sizeof *velocity);
    for (int k = 0; k < set->count; ++k) { /* in the order of the contacts, whatever the threads */
        const dem_touch *c = &s->soft[k];
        kick_body(s, set->touch[k].body_a, -1.0, c->force, c->torque_a, velocity);
        kick_body(s, set->touch[k].body_b, 1.0, c->force, c->torque_b, velocity);
    }
    void *context[2] = {s, velocity};
    parallel_for(s->pool, s->dynamic_count, step_grain(s), kick_chunk, context);
    velocities_apply(s, (const double *)velocity);
    return SCREE_OK;
}

/* ---- ledger and report --------------------------------------------------------------------------------------------------------- */

/// Work of a load on a body over the step, if it is driven: on the mean of its velocities before and after.
static double work_on_driven(const step_context *s, int body, double sign, const double force[3],
                             const double torque[3])
{
    double work = 0.0;
    if (s->world->kind[body] != SCREE_BODY_DRIVEN) return 0.0;
    for (int i = 0; i < 3; ++i)
        work += sign * force[i] * (s->before[body][i] + s->after[body][i]) +
                torque[i] * (s->before[body][3 + i] + s->after[body][3 + i]);
    return 0.5 * s->h * work;
}

/// Work of a contact force on its two bodies where the periodic cell moves them apart, or together.
static double cell_work(const step_context *s, const scree_contact_point *touch, const double force[3])
{
    double v[3];
    return dem_cell_velocity(s, touch, v) ? s->h * vec_dot(force, v) : 0.0;
}

static void report_contact(step_context *s, int k)
{
    scree_contact_point *touch = &s->world->contacts.touch[k];
    const dem_touch *c = &s->soft[k];
    scree_step_report *report = s->report;
    scree_ledger *e = &report->energy;
    relative_velocity(s, k, s->after, touch->velocity);
    e->driven -= work_on_driven(s, touch->body_a, -1.0, c->force, c->torque_a);
    e->driven -= work_on_driven(s, touch->body_b, 1.0, c->force, c->torque_b);
    e->driven -= cell_work(s, touch, c->force);
    report->active += touch->impulse[0] > 0.0;
    report->modes[touch->mode] += 1;
    if (-touch->gap > report->penetration) report->penetration = -touch->gap, report->penetration_contact = k;
}

/// What springs held at the last step: in all, and of bodies that have been removed since; normal, friction.
typedef struct springs_held {
    double all[2], gone[2];
} springs_held;

static springs_held held_last(const scree_world *w)
{
    const contact_set *last = &w->previous;
    springs_held h = {{0.0, 0.0}, {0.0, 0.0}};
    for (int k = 0; k < last->count; ++k) {
        const scree_contact_point *touch = &last->touch[k];
        const int gone = w->kind[touch->body_a] == SCREE_BODY_REMOVED || w->kind[touch->body_b] == SCREE_BODY_REMOVED;
        for (int i = 0; i < 2; ++i) {
            h.all[i] += last->memory[k].energy[i];
            if (gone) h.gone[i] += last->memory[k].energy[i];
        }
    }
    return h;
}

void dem_ledger_lines(const step_context *s, scree_ledger *e)
{
    const int count = s->world->contacts.count + s->world->previous.count;
    const springs_held had = held_last(s->world);
    double kept = 0.0;
    for (int k = 0; k < s->world->contacts.count; ++k) {
        const dem_touch *c = &s->soft[k];
        kept += c->energy_before;
        e->slide += c->slider[SCREE_FRICTION_SLIDE], e->roll += c->slider[SCREE_FRICTION_ROLL],
            e->spin += c->slider[SCREE_FRICTION_SPIN];
        e->impact += c->dashpot[0], e->damping += c->dashpot[1], e->tracking += c->tracking;
        e->elastic += c->energy[0] + c->energy[1], e->law_work += c->made;
        e->load += c->load, e->brought += c->brought;
    }
    e->elastic -= had.all[0] + had.all[1], e->brought -= had.gone[0] + had.gone[1];
    const double dropped = had.all[1] - had.gone[1] - kept; /* less than the rounding of these sums is nothing */
    if (fabs(dropped) > count * DBL_EPSILON * had.all[1]) e->dropped += dropped;
}

static scree_status ledger_contacts(step_context *s)
{
    s->report->contacts = s->world->contacts.count;
    dem_ledger_lines(s, &s->report->energy);
    for (int k = 0; k < s->world->contacts.count; ++k) report_contact(s, k);
    return SCREE_OK;
}

/* ---- memories go with the bodies ------------------------------------------------------------------------------------------------- */

static void carry_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const step_context *s = context;
    const scree_world *w = s->world;
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) {
        const int a = w->contacts.touch[k].body_a, b = w->contacts.touch[k].body_b;
        memory_carry(s->q0[a], w->q[a], s->q0[b], w->q[b], &w->contacts.memory[k]);
    }
}

scree_status dem_memories_carry(step_context *s)
{
    parallel_for(s->pool, s->world->contacts.count, step_grain(s), carry_chunk, s);
    return SCREE_OK;
}

/// The cell goes with the time, after all that could fail for other reasons.
static scree_status cell_follow(step_context *s)
{
    if (!world_deforms(s->world)) return SCREE_OK;
    const cell_change change = world_cell_change(s->world, s->t, s->h);
    return world_cell_deform(s->world, &change, s->error);
}

/// Velocities are those against the mean motion, which grows with the height: a body that rises brings less of it than there is where it
/// comes to. So what no force acts on goes straight on. The cell does the work.
static scree_status cell_turn(step_context *s)
{
    scree_world *w = s->world;
    if (!world_shears(w)) return SCREE_OK;
    const cell_change change = world_cell_change(w, s->t, s->h);
    for (int k = 0; k < s->dynamic_count; ++k) {
        const int body = s->dynamic[k];
        double *v = w->v[body], less[3], was = vec_dot(v, v);
        cell_shear(&change, v, less);
        vec_add_scaled(v, -1.0, less, v);
        memcpy(s->after[body], v, sizeof(vec3));
        s->report->energy.driven += 0.5 * w->mass[body] * (vec_dot(v, v) - was);
    }
    return SCREE_OK;
}

/* what each stage reads -> what it leaves */
/* clang-format off */
static const stage soft_stages[] = {
    {memory_begin,       STAGE_SECONDS(detect)},   /* the world's contacts -> they have a history                        */
    {contacts_find,      STAGE_SECONDS(detect)},   /* poses                -> contacts, with their histories             */
    {bodies_begin,       STAGE_SECONDS(assemble)}, /* velocities           -> v0, applied impulses J, masses M           */
    {velocities_free,    STAGE_SECONDS(assemble)}, /* v0                   -> v_free = v0 + h g + M^-1 J                 */
    {dem_loads_find,     STAGE_SECONDS(solve)},    /* contacts, v0         -> histories, forces                          */
    {dem_limit_judge,    STAGE_SECONDS(solve)},    /* stiffnesses          -> is the step short enough?                  */
    {velocities_kick,    STAGE_SECONDS(update)},   /* forces               -> v1                                         */
    {ledger_contacts,    STAGE_SECONDS(update)},   /* forces, v0, v1       -> energies of the contacts, report           */
    {cell_turn,          STAGE_SECONDS(update)},   /* v1                   -> v1 against the mean motion of a sheared cell */
    {poses_advance,      STAGE_SECONDS(update)},   /* v1                   -> x1, R1                                     */
    {dem_memories_carry, STAGE_SECONDS(update)},   /* R0, R1               -> frames and points where the bodies took them */
    {ledger_close,       STAGE_SECONDS(update)},   /* both states          -> the balance of energy                      */
    {bodies_wrap,        STAGE_SECONDS(update)},   /* x1                   -> within the period                          */
    {state_check,        STAGE_SECONDS(update)},   /* state                -> all finite, none too fast                  */
    {pressure_follow,    STAGE_SECONDS(update)},   /* forces               -> speeds of pressure-controlled bodies       */
    {cell_follow,        STAGE_SECONDS(update)},   /* t, h                 -> the periodic cell and x1 in it              */
    {NULL, 0},
};
/* clang-format on */

const scheme scheme_dem = {"dem", one, zero, 1, NULL, 0, soft_stages};
