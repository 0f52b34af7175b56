/* ledger.c: where the energy of a step went, and what the contacts remember.
 *
 * The kick changes the kinetic energy by the impulses times the mean of the velocities before and after, exactly (M is constant in
 * it):  M (v1 - v0) . (v0 + v1)/2 = (h m g + J + H p) . (v0 + v1)/2. With y = H'v + (velocity y_d of driven bodies), mean y = (y0 + y1)/2:
 *
 *     contacts:   p.H'(v0 + v1)/2 = p.y_mean - p.y_d                        y_d: work of driven bodies, driven = -p.y_d
 *     friction:   slide, roll, spin = -load.velocity, both of the mechanism, the velocity the mean
 *     normal:     r (u0 + u1)/2, and the row said  u1 = s + eps - e u0 - b - C r   (s: what the convex law opens, 0 for Coulomb;
 *                 eps: what the solver left over), so it is the sum of
 *         impact          -(1 - e) r u0/2        lost by the impact law: u0 < 0
 *         stabilisation   r b/2                  b = gap/h and the like: b < 0, pushing out of penetration, puts energy in
 *         lift            -r s/2                 the convex law opens sliding contacts under load: energy put in
 *         compliance      r (b + C r)/2          instead of the former where a contact has a stiffness: stored and damped there;
 *                                                and r_T.C_T (r_T - r_T0), which slide then has less: u_T = slip - C_T (r_T - r_T0)
 *         solver          -r eps/2
 *     with the signs above as losses.
 *     gravity:    h m g.(v0 + v1)/2 against m g.(x1 - x0): theta = h (theta - 1/2) m g.(v1 - v0) is lost; 0 for theta = 1/2
 *                 and m g.shift where centre.c has moved bodies on
 *     loads:      J.(v0 + v1)/2
 *
 * Nothing is left: `balance` is the rounding of these sums, and of soft contacts (dem/dem.c) the error of the integration. Every sum is formed chunk by chunk in the order of the contacts. */
#include "step/stepper_private.h"

#include "base/parallel.h"
#include "laws/maps.h"
#include "math/vec.h"
#include "problem/problem_private.h"

#include <string.h>

void ledger_add(scree_ledger *sum, const scree_ledger *part)
{
    sum->kinetic = part->kinetic, sum->potential = part->potential;
#define ADD(name, sign, text) sum->name += part->name;
    SCREE_LEDGER_LINES(ADD);
#undef ADD
    sum->balance += part->balance;
}

double scree_ledger_lost(const scree_ledger *e)
{
    return e->slide + e->roll + e->spin + e->impact + e->damping;
}

int ledger_finite(const scree_ledger *ledger)
{
    double sum = ledger->kinetic + ledger->potential + ledger->balance; /* none of which could hide another's NaN */
#define ADD(name, sign, text) sum += ledger->name;
    SCREE_LEDGER_LINES(ADD);
#undef ADD
    return isfinite(sum);
}

scree_ledger ledger_between(const scree_ledger *then, const scree_ledger *now)
{
    scree_ledger e = {.kinetic = now->kinetic, .potential = now->potential};
#define BETWEEN(name, sign, text) e.name = now->name - then->name;
    SCREE_LEDGER_LINES(BETWEEN);
#undef BETWEEN
    return e;
}

/* ---- contacts ------------------------------------------------------------------------------------------------------------------- */

typedef struct contact_part {
    scree_ledger energy;
    int active, modes[SCREE_MODE_COUNT];
    double penetration, penetration_speed;
    int penetration_contact;
} contact_part;

typedef struct contact_context {
    step_context *s;
    contact_part *part;
} contact_context;

double contact_mass(const step_context *s, const scree_contact_point *touch)
{
    const double *mass = s->world->mass;
    int a = touch->body_a, b = touch->body_b;
    return 1.0 / ((s->column[a] >= 0 ? 1.0 / mass[a] : 0.0) + (s->column[b] >= 0 ? 1.0 / mass[b] : 0.0));
}

/// What has turned round within the step has been at rest: where rest has coefficients of its own, the next step must ask whether it stays.
static scree_mode mode_at_turning(const scree_contact_point *touch, const double before[SCREE_DIM_MAX])
{
    const double *after = touch->velocity;
    const double turned[SCREE_FRICTION_KINDS] = {before[1] * after[1] + before[2] * after[2],
                                                 before[3] * after[3] + before[4] * after[4], before[5] * after[5]};
    int moves[SCREE_FRICTION_KINDS];
    if (touch->mode == SCREE_MODE_TAKE_OFF) return touch->mode;
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k)
        moves[k] = mode_moves(touch->mode, k) && !(turned[k] < 0.0 && touch->coef_static[k] > touch->cone.coef[k]);
    int spin = (touch->mode - 1) / 4; /* 1: +, 2: - */
    return mode_make(moves[SCREE_FRICTION_SLIDE], moves[SCREE_FRICTION_ROLL],
                     !moves[SCREE_FRICTION_SPIN] ? 0
                     : spin == 1                 ? 1
                                                 : -1);
}

/// A contact of the problem: its load, its mode, its lines of the ledger.
static void close_contact(const step_context *s, int contact, int row, contact_part *part)
{
    scree_contact_point *touch = &s->world->contacts.touch[contact];
    const double *p = s->p + s->offset[row];
    int component[SCREE_DIM_MAX], dim = cone_components(&touch->cone, component);
    double before[SCREE_DIM_MAX], driven[SCREE_DIM_MAX], in_units[SCREE_DIM_MAX], after[SCREE_DIM_MAX];
    double load[SCREE_DIM_MAX] = {0.0}, work[SCREE_DIM_MAX] = {0.0}, elastic = 0.0;
    relative_velocity(s, contact, s->before, before);

    for (int i = 0; i < dim; ++i) {
        int k = component[i];
        load[k] = p[i] * unit_of_load(s->units, k);
        touch->impulse[k] = load[k] / s->share;
        work[k] = load[k] * 0.5 * (before[k] + touch->velocity[k]);
        if (k == 3 || k == 4) touch->roll_a[k - 3] = -touch->impulse[k];
        after[i] = touch->velocity[k];
        if ((k == 1 || k == 2) && s->row[row].slide_compliance > 0.0) { /* the law's velocity is that of the slip */
            double stretch = s->row[row].slide_compliance * (load[k] - s->row[row].slide_before[k - 1]);
            elastic += load[k] * stretch, after[i] += stretch;
        }
        in_units[i] = after[i] * (k < 3 ? 1.0 : s->units.length);
    }
    if (driven_velocity(s, contact, driven))
        for (int k = 0; k < SCREE_DIM_MAX; ++k) part->energy.driven -= load[k] * driven[k];
    part->energy.slide -= work[1] + work[2] + elastic;
    part->energy.compliance += elastic;
    part->energy.roll -= work[3] + work[4];
    part->energy.spin -= work[5];

    double r = load[0], e = s->row[row].e, b = s->row[row].bias, C = s->row[row].compliance;
    double opening = s->options->law == SCREE_LAW_CONVEX ? slip_speed(&s->cone[row], after) : 0.0;
    double left_over = after[0] + e * before[0] + b + C * r - opening;
    part->energy.impact -= 0.5 * (1.0 - e) * r * before[0];
    part->energy.lift -= 0.5 * r * opening;
    if (C > 0.0) part->energy.compliance += 0.5 * r * (b + C * r);
    else part->energy.stabilisation += 0.5 * r * b;
    part->energy.solver -= 0.5 * r * left_over;

    part->penetration_speed = max2(part->penetration_speed, -left_over);
    part->active += r > 0.0;
    touch->mode = mode_classify(&s->problem->cone[row], contact_mass(s, touch) / s->units.mass, p, in_units);
    touch->mode = mode_at_turning(touch, before);
}

static void contact_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const contact_context *c = context;
    contact_part *part = &c->part[chunk];
    (void)worker;
    *part = (contact_part){.penetration_contact = -1};
    for (int k = begin; k < end; ++k) {
        scree_contact_point *touch = &c->s->world->contacts.touch[k];
        relative_velocity(c->s, k, c->s->after, touch->velocity);
        memset(touch->impulse, 0, sizeof touch->impulse), memset(touch->roll_a, 0, sizeof touch->roll_a);
        touch->mode = SCREE_MODE_TAKE_OFF;
        if (c->s->touch_row[k] >= 0) close_contact(c->s, k, c->s->touch_row[k], part);
        part->modes[touch->mode] += 1;
        if (-touch->gap > part->penetration) part->penetration = -touch->gap, part->penetration_contact = k;
    }
}

scree_status contacts_store(step_context *s)
{
    int n = s->world->contacts.count, chunks = parallel_chunks(n, step_grain(s));
    scree_step_report *report = s->report;
    contact_context c = {s, NULL};
    if (!STEP_ARRAY(s, chunks, c.part)) return SCREE_ERR_MEMORY;
    parallel_for(s->pool, n, step_grain(s), contact_chunk, &c);

    report->contacts = n, report->active = 0;
    report->penetration = report->penetration_speed = 0.0, report->penetration_contact = -1;
    memset(report->modes, 0, sizeof report->modes);
    memset(&report->energy, 0, sizeof report->energy);
    for (int k = 0; k < chunks; ++k) {
        const contact_part *part = &c.part[k];
        ledger_add(&report->energy, &part->energy);
        report->active += part->active;
        for (int m = 0; m < SCREE_MODE_COUNT; ++m) report->modes[m] += part->modes[m];
        report->penetration_speed = max2(report->penetration_speed, part->penetration_speed);
        if (part->penetration > report->penetration)
            report->penetration = part->penetration, report->penetration_contact = part->penetration_contact;
    }
    return SCREE_OK;
}

/* ---- bodies --------------------------------------------------------------------------------------------------------------------- */

typedef struct body_part {
    double kinetic, potential; /* at the end        */
    double change;             /* of their sum      */
    double load, theta;
} body_part;

typedef struct body_context {
    const step_context *s;
    body_part *part;
} body_context;

static double body_kinetic(const scree_world *w, int body, const double v[3], const double omega[3])
{
    const double *I = w->inertia[body];
    return 0.5 * (w->mass[body] * vec_dot(v, v) + I[0] * omega[0] * omega[0] + I[1] * omega[1] * omega[1] +
                  I[2] * omega[2] * omega[2]);
}

static void body_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const body_context *c = context;
    const step_context *s = c->s;
    const scree_world *w = s->world;
    const double *g = w->options.gravity;
    body_part sum = {.kinetic = 0.0};
    (void)worker;
    for (int k = begin; k < end; ++k) {
        int body = s->dynamic[k];
        double m = w->mass[body], moved[3], changed[3], kinetic = body_kinetic(w, body, w->v[body], w->omega[body]);
        vec_sub(w->x[body], s->x0[body], moved);
        vec_sub(s->after[body], s->before[body], changed);
        sum.kinetic += kinetic;
        sum.potential -= m * vec_dot(g, w->x[body]);
        sum.change += kinetic - body_kinetic(w, body, s->v0[body], s->omega0[body]) - m * vec_dot(g, moved);
        sum.theta += s->h * (s->theta - 0.5) * m * vec_dot(g, changed);
        if (s->shift) sum.theta += m * vec_dot(g, s->shift[body]);
        if (s->load)
            for (int i = 0; i < 6; ++i) sum.load += s->load[body][i] * 0.5 * (s->before[body][i] + s->after[body][i]);
    }
    c->part[chunk] = sum;
}

scree_status ledger_close(step_context *s)
{
    int chunks = parallel_chunks(s->dynamic_count, step_grain(s));
    body_context c = {s, NULL};
    body_part sum = {.kinetic = 0.0};
    if (!STEP_ARRAY(s, chunks, c.part)) return SCREE_ERR_MEMORY;
    parallel_for(s->pool, s->dynamic_count, step_grain(s), body_chunk, &c);
    for (int k = 0; k < chunks; ++k) {
        sum.kinetic += c.part[k].kinetic, sum.potential += c.part[k].potential, sum.change += c.part[k].change;
        sum.load += c.part[k].load, sum.theta += c.part[k].theta;
    }
    scree_ledger *e = &s->report->energy;
    e->kinetic = sum.kinetic, e->potential = sum.potential, e->gyro = s->gyro;
    e->load += sum.load; /* soft contacts under a given normal load have left theirs */
    e->theta = sum.theta, e->balance = sum.change;
#define CLOSE(name, sign, text) e->balance -= (sign)*e->name;
    SCREE_LEDGER_LINES(CLOSE);
#undef CLOSE
    return SCREE_OK;
}
