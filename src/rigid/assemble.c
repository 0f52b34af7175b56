/* assemble.c: from contacts to the problem of a step, and from loads of the last step to a first guess.
 *
 *     y = W p + q,      q = H' v_free + w,      w = velocities of driven bodies + (e u_N + bias) in the normal row           docs/math/problem.md
 *
 * Contacts that are not active (the scheme decides which) are not in the problem. Bodies that the problem does not move are column -1:
 * their velocity at the contact point is in w, and the reactions on them are found all the same.
 *
 * Units. The residual that stops a solver adds impulses, velocities and moments as if every mass were 1 kg and every arm 1 m
 * (docs/math/problem.md): with grains of 1 mg it is always small, with blocks of 1 t never. So the solver gets the problem in
 * units of the lightest bodies: mass m, length l; velocity stays m/s.
 *     arms/l, rho/l, sigma/l,   M^-1 m,   I^-1 m l^2,   omega l,      impulses/m, moments/(m l)
 * m and l are powers of two, so no digit changes: with (1, 1) the same code makes the problem in SI (for the hook). */
#include "step/stepper_private.h"

#include "base/parallel.h"
#include "laws/maps.h"
#include "math/vec.h"
#include "problem/problem_private.h"

#include <string.h>

/* ---- geometry of one contact -------------------------------------------------------------------------------------------------- */

void touch_arms(const scree_world *w, const scree_contact_point *touch, contact_arms *arms)
{
    touch_arm(&w->options, touch, &w->shape[touch->shape_a], w->x[touch->body_a], 0, arms->a);
    touch_arm(&w->options, touch, &w->shape[touch->shape_b], w->x[touch->body_b], 1, arms->b);
}

void contact_arms_find(step_context *s, int contact)
{
    touch_arms(s->world, &s->world->contacts.touch[contact], &s->arm[contact]);
}

void relative_velocity(const step_context *s, int contact, vec6 *velocity, double y[SCREE_DIM_MAX])
{
    const scree_contact_point *touch = &s->world->contacts.touch[contact];
    touch_velocity(touch, &s->arm[contact], velocity[touch->body_a], velocity[touch->body_b], y);
}

int driven_velocity(const step_context *s, int contact, double y[SCREE_DIM_MAX])
{
    const scree_contact_point *touch = &s->world->contacts.touch[contact];
    double u[3] = {0.0, 0.0, 0.0}, spin[3] = {0.0, 0.0, 0.0};
    int a = s->world->kind[touch->body_a] == SCREE_BODY_DRIVEN, b = s->world->kind[touch->body_b] == SCREE_BODY_DRIVEN;
    memset(y, 0, SCREE_DIM_MAX * sizeof *y);
    if (!a && !b) return 0;
    if (a) add_point_velocity(-1.0, s->before[touch->body_a], s->arm[contact].a, u, spin);
    if (b) add_point_velocity(1.0, s->before[touch->body_b], s->arm[contact].b, u, spin);
    touch_in_frame(touch, u, spin, y);
    return 1;
}

int cone_components(const scree_cone *cone, int component[SCREE_DIM_MAX])
{
    int n = 0;
    component[n++] = 0;
    if (cone->size[SCREE_FRICTION_SLIDE] > 0) component[n++] = 1;
    if (cone->size[SCREE_FRICTION_SLIDE] > 1) component[n++] = 2;
    if (cone->size[SCREE_FRICTION_ROLL] > 1) component[n++] = 3;
    if (cone->size[SCREE_FRICTION_ROLL] > 0) component[n++] = 4; /* planar: about t2, the normal of the plane */
    if (cone->size[SCREE_FRICTION_SPIN] > 0) component[n++] = 5;
    return n;
}

/* ---- which contacts take part ---------------------------------------------------------------------------------------------------- */

typedef struct rows_context {
    step_context *s;
    normal_row *candidate; /* (contact_count) */
    int *contacts, *rows;  /* of each chunk, then before it */
    int *stiff;            /* of each chunk: first contact with a stiffness, -1: none */
    int *soft;             /* of each chunk: whether a row has a compliance           */
} rows_context;

static void judge_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const rows_context *c = context;
    const step_context *s = c->s;
    int contacts = 0, rows = 0, component[SCREE_DIM_MAX];
    (void)worker;
    c->stiff[chunk] = -1, c->soft[chunk] = 0;
    for (int k = begin; k < end; ++k) {
        const scree_contact_point *touch = &s->world->contacts.touch[k];
        double y[SCREE_DIM_MAX];
        if (touch->stiffness > 0.0 && c->stiff[chunk] < 0) c->stiff[chunk] = k;
        contact_arms_find(c->s, k);
        relative_velocity(s, k, s->before, y);
        int takes_part = (s->column[touch->body_a] >= 0 || s->column[touch->body_b] >= 0) &&
                         s->scheme->normal_row(s, touch, y[0], &c->candidate[k]);
        if (takes_part && c->candidate[k].compliance > 0.0) c->soft[chunk] = 1;
        s->touch_row[k] = takes_part ? 0 : -1;
        if (takes_part) contacts += 1, rows += cone_components(&touch->cone, component);
    }
    c->contacts[chunk] = contacts, c->rows[chunk] = rows;
}

/// The cone of a contact in this step: what was at rest in the last step has the coefficients of rest. A contact that was not there
/// begins as its velocities are.
static scree_cone cone_now(const step_context *s, int contact)
{
    const scree_contact_point *touch = &s->world->contacts.touch[contact];
    scree_cone cone = touch->cone;
    double y[SCREE_DIM_MAX] = {0.0};
    if (touch->age == 0) relative_velocity(s, contact, s->before, y);
    const int begins[SCREE_FRICTION_KINDS] = {y[1] != 0.0 || y[2] != 0.0, y[3] != 0.0 || y[4] != 0.0, y[5] != 0.0};
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k)
        if (touch->age == 0 ? !begins[k] : !mode_moves(touch->mode, k)) cone.coef[k] = touch->coef_static[k];
    return cone;
}

static void number_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const rows_context *c = context;
    step_context *s = c->s;
    int row = c->contacts[chunk], at = c->rows[chunk], component[SCREE_DIM_MAX];
    (void)worker;
    for (int k = begin; k < end; ++k) {
        if (s->touch_row[k] < 0) continue;
        s->touch_row[k] = row, s->row_touch[row] = k, s->row[row] = c->candidate[k], s->offset[row] = at;
        s->cone[row] = cone_now(s, k);
        at += cone_components(&s->world->contacts.touch[k].cone, component);
        row += 1;
    }
}

/// A stiffness that nobody reads is an error, not a detail.
static scree_status refuse_stiffness(const step_context *s, int contact)
{
    const scree_contact_point *touch = &s->world->contacts.touch[contact];
    char a[128], b[128];
    scree_error_set(
        s->error, NULL, 0, 0,
        "the contact of %s and %s has a stiffness, which %s does not take; use anitescu_tasora, or stiffness 0 (rigid)",
        scree_world_body_name(s->world, scree_body_at(touch->body_a), a, sizeof a),
        scree_world_body_name(s->world, scree_body_at(touch->body_b), b, sizeof b), s->scheme->name);
    return SCREE_ERR_UNSUPPORTED;
}

static double largest_push(const step_context *s)
{
    double largest = 0.0;
    for (int k = 0; k < s->dynamic_count; ++k) {
        double change[3];
        vec_sub(s->v_free[k], s->before[s->dynamic[k]], change);
        largest = max2(largest, vec_norm(change));
    }
    return largest;
}

scree_status rows_choose(step_context *s)
{
    int n = s->world->contacts.count, chunks = parallel_chunks(n, step_grain(s)), contacts = 0, rows = 0;
    int stiff = -1, soft = 0;
    rows_context c = {.s = s};
    if (!STEP_ARRAY(s, n, c.candidate) || !STEP_ARRAY(s, chunks, c.contacts) || !STEP_ARRAY(s, chunks, c.rows) ||
        !STEP_ARRAY(s, chunks, c.stiff) || !STEP_ARRAY(s, chunks, c.soft) || !STEP_ARRAY(s, n, s->touch_row) ||
        !STEP_ARRAY(s, n, s->arm))
        return SCREE_ERR_MEMORY;
    s->push = largest_push(s);
    parallel_for(s->pool, n, step_grain(s), judge_chunk, &c);
    for (int k = 0; k < chunks; ++k) {
        int contacts_here = c.contacts[k], rows_here = c.rows[k];
        c.contacts[k] = contacts, c.rows[k] = rows;
        contacts += contacts_here, rows += rows_here;
        if (stiff < 0) stiff = c.stiff[k];
        soft |= c.soft[k];
    }
    if (stiff >= 0 && !s->scheme->takes_stiffness) return refuse_stiffness(s, stiff);
    s->compliant = soft || s->line_count > 0;
    s->contact_count = contacts, s->row_count = rows;
    s->problem_rows = rows + s->limit_count + s->bound_count;
    if (!STEP_ARRAY(s, contacts, s->row_touch) || !STEP_ARRAY(s, contacts, s->row) ||
        !STEP_ARRAY(s, contacts, s->cone) || !STEP_ARRAY(s, contacts, s->offset) ||
        !STEP_ARRAY(s, s->problem_rows, s->p))
        return SCREE_ERR_MEMORY;
    parallel_for(s->pool, n, step_grain(s), number_chunk, &c);
    s->offset[contacts] = rows;
    return SCREE_OK;
}

/* ---- the problem --------------------------------------------------------------------------------------------------------------------- */

typedef struct assembly {
    const step_context *s;
    units u;
    scree_rigid_contact *contact;
    scree_cone *cone;
    double *w, *compliance;
    scree_rigid_row *row; /* of joints */
    double *bound;
    scree_rigid_mass *mass;
    vec6 *v_free;
} assembly;

static void contact_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const assembly *a = context;
    const step_context *s = a->s;
    double per_length = 1.0 / a->u.length;
    (void)chunk, (void)worker;
    for (int row = begin; row < end; ++row) {
        int k = s->row_touch[row];
        const scree_contact_point *touch = &s->world->contacts.touch[k];
        scree_rigid_contact *contact = &a->contact[row];
        double y[SCREE_DIM_MAX], driven[SCREE_DIM_MAX];
        int component[SCREE_DIM_MAX], dim = cone_components(&touch->cone, component), at = s->offset[row];

        contact->body_a = s->column[touch->body_a], contact->body_b = s->column[touch->body_b];
        memcpy(contact->normal, touch->normal, sizeof(vec3));
        memcpy(contact->tangent, touch->tangent, sizeof(vec3));
        for (int i = 0; i < 3; ++i)
            contact->arm_a[i] = s->arm[k].a[i] * per_length, contact->arm_b[i] = s->arm[k].b[i] * per_length;
        a->cone[row] = s->cone[row];
        a->cone[row].coef[SCREE_FRICTION_ROLL] *= per_length, a->cone[row].coef[SCREE_FRICTION_SPIN] *= per_length;

        driven_velocity(s, k, driven);
        for (int i = 0; i < dim; ++i) a->w[at + i] = driven[component[i]] * (component[i] < 3 ? 1.0 : a->u.length);
        if (s->row[row].e > 0.0) {
            relative_velocity(s, k, s->before, y);
            a->w[at] += s->row[row].e * y[0];
        }
        a->w[at] += s->row[row].bias;
        if (!s->compliant) continue;
        const normal_row *n = &s->row[row];
        for (int i = 0; i < dim; ++i) {
            int slides = component[i] == 1 || component[i] == 2;
            a->compliance[at + i] = slides ? n->slide_compliance * a->u.mass : 0.0;
            if (slides) a->w[at + i] -= n->slide_compliance * n->slide_before[component[i] - 1];
        }
        a->compliance[at] = n->compliance * a->u.mass;
    }
}

static void mass_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const assembly *a = context;
    double l = a->u.length, m = a->u.mass;
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) {
        for (int i = 0; i < 3; ++i) a->mass[k].inv_mass[i] = a->s->mass[k].inv_mass[i] * m;
        for (int i = 0; i < 9; ++i) a->mass[k].inv_inertia[i] = a->s->mass[k].inv_inertia[i] * (m * l * l);
        for (int i = 0; i < 6; ++i) a->v_free[k][i] = a->s->v_free[k][i] * (i < 3 ? 1.0 : l);
    }
}

scree_status problem_in_units(step_context *s, units u, scree_problem **problem)
{
    assembly a = {.s = s, .u = u};
    int contacts = s->contact_count + s->limit_count;
    if (s->compliant && !STEP_ARRAY(s, s->problem_rows, a.compliance)) return SCREE_ERR_MEMORY;
    if (!STEP_ARRAY(s, contacts, a.contact) || !STEP_ARRAY(s, contacts, a.cone) ||
        !STEP_ARRAY(s, s->bound_count, a.row) || !STEP_ARRAY(s, s->bound_count, a.bound) ||
        !STEP_ARRAY(s, s->problem_rows, a.w) || !STEP_ARRAY(s, s->dynamic_count, a.mass) ||
        !STEP_ARRAY(s, s->dynamic_count, a.v_free))
        return SCREE_ERR_MEMORY;
    parallel_for(s->pool, s->dynamic_count, step_grain(s), mass_chunk, &a);
    parallel_for(s->pool, s->contact_count, step_grain(s), contact_chunk, &a);
    joints_assemble(s, u, a.contact, a.cone, a.row, a.bound, a.w, a.compliance);

    scree_rigid_def def = scree_rigid_def_default();
    def.law = s->options->law;
    def.contact_count = contacts, def.bound_count = s->bound_count, def.body_count = s->dynamic_count;
    def.row = a.row, def.bound = a.bound;
    def.contact = a.contact, def.cone = a.cone, def.mass = a.mass, def.v_free = a.v_free[0], def.w = a.w;
    def.compliance = a.compliance;
    return problem_take_rigid(&def, &s->memory, problem, s->error); /* in the arena: nothing is freed by itself */
}

scree_status problem_make(step_context *s)
{
    scree_status status = problem_in_units(s, s->units, &s->problem);
    if (status == SCREE_OK && !STEP_ARRAY(s, problem_work_size(s->problem), s->product)) status = SCREE_ERR_MEMORY;
    return status;
}

/* ---- loads --------------------------------------------------------------------------------------------------------------------------- */

double unit_of_load(units u, int component)
{
    return component < 3 ? u.mass : u.mass * u.length;
}

static void guess_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const step_context *s = context;
    (void)chunk, (void)worker;
    for (int row = begin; row < end; ++row) {
        const scree_contact_point *touch = &s->world->contacts.touch[s->row_touch[row]];
        int component[SCREE_DIM_MAX], dim = cone_components(&touch->cone, component);
        for (int i = 0; i < dim; ++i)
            s->p[s->offset[row] + i] =
                s->options->warm_start ? s->share * touch->impulse[component[i]] / unit_of_load(s->units, component[i])
                                       : 0.0;
    }
}

/// The loads that the contacts had a step ago, in the units of the problem.
void loads_guess(step_context *s)
{
    parallel_for(s->pool, s->contact_count, step_grain(s), guess_chunk, s);
    for (int k = 0; k < s->line_count; ++k) {
        const joint_line *line = &s->line[k];
        double load = s->world->joint_state[line->joint].load[line->row.load];
        s->p[line_row(s, line)] =
            s->options->warm_start ? s->share * load / (line->lever * line_unit(line, s->units)) : 0.0;
    }
}

/// The loads of the solution in SI.
void loads_in_si(const step_context *s, double *p)
{
    for (int row = 0; row < s->contact_count; ++row) {
        int component[SCREE_DIM_MAX],
            dim = cone_components(&s->world->contacts.touch[s->row_touch[row]].cone, component);
        for (int i = 0; i < dim; ++i)
            p[s->offset[row] + i] = s->p[s->offset[row] + i] * unit_of_load(s->units, component[i]);
    }
    for (int k = 0; k < s->line_count; ++k)
        p[line_row(s, &s->line[k])] = s->p[line_row(s, &s->line[k])] * line_unit(&s->line[k], s->units);
}
