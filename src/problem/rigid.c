/* rigid.c: problems of rigid contacts and of bounded rows, kept as the vectors they were given as. Blocks of H' are formed only for
 * who asks.
 *
 * The point of contact of body B moves with v + omega x arm, so along a unit vector d with  d.v + (arm x d).omega:
 *
 *     B:  (n, arm_b x n), (t1, arm_b x t1), (t2, arm_b x t2),   (0, t1), (0, t2),   (0, n)          A: minus that, with arm_a
 *
 * of which a contact has the rows of its cone. Products by H' and H need no rows: they go through the velocity of the point and the
 * impulse in space (rigid.h). Cost of making a problem: 104 bytes a contact copied, one product by H'. */
#include "problem/rigid.h"

#include "base/fail.h"
#include "base/memory.h"
#include "laws/cone.h"

#include <string.h>

scree_rigid_def scree_rigid_def_default(void)
{
    return (scree_rigid_def){.cookie = SCREE_COOKIE, .law = SCREE_LAW_COULOMB};
}

/* ---- products ------------------------------------------------------------------------------------------------------------ */

void rigid_apply(const scree_problem *p, const double *v, double *y)
{
    for (int c = 0; c < p->contact_count; ++c) {
        double u[3], w[3];
        rigid_relative_velocity(&p->rigid[c], v, u, w);
        rigid_add_rows(&p->rigid[c], &p->cone[c], u, w, y + p->offset[c]);
    }
    for (int b = 0; b < p->bound_count; ++b)
        y[p->offset[p->contact_count + b]] += rigid_row_velocity(&p->rigid_row[b], v);
}

static void add_impulse(double sign, const double *r, const double *m, const double *arm, double *impulse)
{
    double turn[3];
    vec_cross(arm, r, turn);
    for (int i = 0; i < 3; ++i) impulse[i] += sign * r[i], impulse[3 + i] += sign * (turn[i] + m[i]);
}

void rigid_apply_transpose(const scree_problem *problem, const double *p, double *impulse)
{
    for (int c = 0; c < problem->contact_count; ++c) {
        const scree_rigid_contact *k = &problem->rigid[c];
        double r[3], m[3];
        rigid_impulse(k, &problem->cone[c], p + problem->offset[c], r, m);
        if (k->body_a >= 0) add_impulse(-1.0, r, m, k->arm_a, impulse + (size_t)RIGID_DOF * (size_t)k->body_a);
        if (k->body_b >= 0) add_impulse(1.0, r, m, k->arm_b, impulse + (size_t)RIGID_DOF * (size_t)k->body_b);
    }
    for (int b = 0; b < problem->bound_count; ++b) {
        const scree_rigid_row *k = &problem->rigid_row[b];
        double load = p[problem->offset[problem->contact_count + b]];
        for (int i = 0; i < RIGID_DOF; ++i) {
            if (k->body_a >= 0) impulse[(size_t)RIGID_DOF * (size_t)k->body_a + (size_t)i] += k->a[i] * load;
            if (k->body_b >= 0) impulse[(size_t)RIGID_DOF * (size_t)k->body_b + (size_t)i] += k->b[i] * load;
        }
    }
}

void rigid_apply_inv_mass(const scree_problem *p, int add, const double *impulse, double *v)
{
    for (int b = 0; b < p->body_count; ++b, impulse += RIGID_DOF, v += RIGID_DOF) {
        const scree_rigid_mass *mass = &p->rigid_mass[b];
        double w[3];
        mat_apply(mass->inv_inertia, impulse + 3, w);
        for (int i = 0; i < 3; ++i) {
            v[i] = (add ? v[i] : 0.0) + mass->inv_mass[i] * impulse[i];
            v[3 + i] = (add ? v[3 + i] : 0.0) + w[i];
        }
    }
}

/* ---- blocks -------------------------------------------------------------------------------------------------------------- */

/// sign x (d, arm x d).
static void point_row(double sign, const double *d, const double *arm, double *row)
{
    double turn[3];
    vec_cross(arm, d, turn);
    for (int i = 0; i < 3; ++i) row[i] = sign * d[i], row[3 + i] = sign * turn[i];
}

/// sign x (0, d).
static void turn_row(double sign, const double *d, double *row)
{
    for (int i = 0; i < 3; ++i) row[i] = 0.0, row[3 + i] = sign * d[i];
}

void rigid_block(const scree_problem *problem, int index, int is_b, double *block)
{
    if (index >= problem->contact_count) {
        const scree_rigid_row *r = &problem->rigid_row[index - problem->contact_count];
        memcpy(block, is_b ? r->b : r->a, RIGID_DOF * sizeof *block);
        return;
    }
    const scree_rigid_contact *c = &problem->rigid[index];
    const scree_cone *cone = &problem->cone[index];
    double t2[3], sign = is_b ? 1.0 : -1.0;
    const double *arm = is_b ? c->arm_b : c->arm_a;
    vec_cross(c->normal, c->tangent, t2);
    point_row(sign, c->normal, arm, block), block += RIGID_DOF;
    if (cone->size[SCREE_FRICTION_SLIDE] > 0) point_row(sign, c->tangent, arm, block), block += RIGID_DOF;
    if (cone->size[SCREE_FRICTION_SLIDE] > 1) point_row(sign, t2, arm, block), block += RIGID_DOF;
    if (cone->size[SCREE_FRICTION_ROLL] > 1) turn_row(sign, c->tangent, block), block += RIGID_DOF;
    if (cone->size[SCREE_FRICTION_ROLL] > 0) turn_row(sign, t2, block), block += RIGID_DOF;
    if (cone->size[SCREE_FRICTION_SPIN] > 0) turn_row(sign, c->normal, block);
}

void rigid_inv_mass_block(const scree_rigid_mass *mass, double *N)
{
    memset(N, 0, (size_t)RIGID_DOF * RIGID_DOF * sizeof *N);
    for (int i = 0; i < 3; ++i) {
        N[RIGID_DOF * i + i] = mass->inv_mass[i];
        for (int j = 0; j < 3; ++j) N[RIGID_DOF * (3 + i) + 3 + j] = mass->inv_inertia[3 * i + j];
    }
}

static scree_status matrix_create(const scree_problem *p, int rows, const int *row_offset, size_t entries,
                                  size_t values, block_matrix **out)
{
    const scree_allocator *a = &p->allocator;
    block_matrix *A = *out = memory_array(a, 1, sizeof *A);
    if (!A) return SCREE_ERR_MEMORY;
    A->row_blocks = rows, A->col_blocks = p->body_count;
    A->row_offset = memory_array(a, (size_t)rows + 1, sizeof *A->row_offset);
    A->col_offset = memory_array(a, (size_t)p->body_count + 1, sizeof *A->col_offset);
    A->start = memory_array(a, (size_t)rows + 1, sizeof *A->start);
    A->column = memory_array(a, entries + 1, sizeof *A->column);
    A->at = memory_array(a, entries + 1, sizeof *A->at);
    A->value = memory_raw_array(a, values + 1, sizeof *A->value);
    if (!A->row_offset || !A->col_offset || !A->start || !A->column || !A->at || !A->value) return SCREE_ERR_MEMORY;
    for (int b = 0; b <= p->body_count; ++b) A->col_offset[b] = RIGID_DOF * b;
    memcpy(A->row_offset, row_offset ? row_offset : A->col_offset, ((size_t)rows + 1) * sizeof *A->row_offset);
    return SCREE_OK;
}

static void fill_rows(const scree_problem *p, block_matrix *Ht)
{
    int e = 0;
    for (int c = 0; c < p->block_count; ++c) {
        size_t size = (size_t)RIGID_DOF * (size_t)(p->offset[c + 1] - p->offset[c]);
        int b_first = rigid_body_of(p, c, 1) < rigid_body_of(p, c, 0); /* columns ascend */
        for (int side = 0; side < 2; ++side) {
            int is_b = side != b_first, body = rigid_body_of(p, c, is_b);
            if (body < 0) continue;
            rigid_block(p, c, is_b, Ht->value + Ht->at[e]);
            Ht->column[e] = body, Ht->at[e + 1] = Ht->at[e] + size;
            ++e;
        }
        Ht->start[c + 1] = e;
    }
}

static void fill_masses(const scree_problem *p, block_matrix *inv_mass)
{
    for (int b = 0; b < p->body_count; ++b) {
        rigid_inv_mass_block(&p->rigid_mass[b], inv_mass->value + inv_mass->at[b]);
        inv_mass->column[b] = b, inv_mass->start[b + 1] = b + 1;
        inv_mass->at[b + 1] = inv_mass->at[b] + (size_t)RIGID_DOF * RIGID_DOF;
    }
}

/// Entries and values that H' has.
static void count_blocks(const scree_problem *p, size_t *blocks, size_t *values)
{
    *blocks = *values = 0;
    for (int c = 0; c < p->block_count; ++c) {
        size_t bodies = (size_t)(rigid_body_of(p, c, 0) >= 0) + (size_t)(rigid_body_of(p, c, 1) >= 0);
        *blocks += bodies, *values += bodies * RIGID_DOF * (size_t)(p->offset[c + 1] - p->offset[c]);
    }
}

int rigid_refill_blocks(scree_problem *p)
{
    block_matrix *Ht = p->Ht;
    size_t blocks, values, entries = (size_t)Ht->start[Ht->row_blocks];
    count_blocks(p, &blocks, &values);
    if (!p->rigid || blocks != entries || values != Ht->at[entries]) return 0;
    memcpy(Ht->row_offset, p->offset, ((size_t)p->block_count + 1) * sizeof *Ht->row_offset);
    fill_rows(p, Ht), fill_masses(p, p->inv_mass);
    return 1;
}

scree_status rigid_form_blocks(scree_problem *p)
{
    block_matrix *Ht = NULL, *inv_mass = NULL;
    size_t blocks, values, masses = (size_t)p->body_count;
    count_blocks(p, &blocks, &values);
    scree_status status = matrix_create(p, p->block_count, p->offset, blocks, values, &Ht);
    if (status == SCREE_OK)
        status = matrix_create(p, p->body_count, NULL, masses, RIGID_DOF * RIGID_DOF * masses, &inv_mass);
    if (status != SCREE_OK) {
        block_matrix_destroy(Ht, &p->allocator);
        block_matrix_destroy(inv_mass, &p->allocator);
        return status;
    }
    fill_rows(p, Ht), fill_masses(p, inv_mass);
    p->Ht = Ht, p->inv_mass = inv_mass;
    return SCREE_OK;
}

/* ---- making ----------------------------------------------------------------------------------------------------------- */

/// Two different bodies, at least one of which moves.
static scree_status check_bodies(const scree_rigid_def *def, const char *what, int index, int a, int b,
                                 scree_error *error)
{
    if (a >= -1 && a < def->body_count && b >= -1 && b < def->body_count && a != b) return SCREE_OK;
    scree_error_set(error, NULL, 0, 0,
                    "%s %d is of the bodies %d and %d, expected two different ones below %d, or -1 for one that does "
                    "not move",
                    what, index, a, b, def->body_count);
    return SCREE_ERR_INPUT;
}

static scree_status check_contact(const scree_rigid_def *def, int c, scree_error *error)
{
    if (!scree_cone_valid(&def->cone[c])) {
        scree_error_set(error, NULL, 0, 0,
                        "contact %d: the cone is not valid, expected sizes 0 to 2 and finite coefficients >= 0", c);
        return SCREE_ERR_INPUT;
    }
    return check_bodies(def, "contact", c, def->contact[c].body_a, def->contact[c].body_b, error);
}

static scree_status check_row(const scree_rigid_def *def, int r, scree_error *error)
{
    if (def->bound[r] >= 0.0) return check_bodies(def, "bounded row", r, def->row[r].body_a, def->row[r].body_b, error);
    scree_error_set(error, NULL, 0, 0, "bounded row %d: the bound is %g, expected >= 0 or infinite", r, def->bound[r]);
    return SCREE_ERR_INPUT;
}

/// A copy of an array of the definition, from the problem's allocator; or the array itself, where the problem takes them over.
static void *array_of(const scree_problem *p, int takes_over, const void *from, size_t count, size_t size)
{
    void *to;
    if (takes_over) return memcpy(&to, &from, sizeof to), to; /* not const any more: its owner gave it away */
    to = memory_raw_array(&p->allocator, count + 1, size);
    if (to && from && count) memcpy(to, from, count * size);
    else if (to) memset(to, 0, count * size);
    return to;
}

static scree_status make_rows(const scree_rigid_def *def, int takes_over, scree_problem *p, scree_error *error)
{
    size_t contacts = (size_t)def->contact_count, bodies = (size_t)def->body_count, rows = (size_t)def->bound_count;
    p->law = def->law;
    p->contact_count = def->contact_count, p->bound_count = def->bound_count;
    p->block_count = def->contact_count + def->bound_count;
    p->body_count = def->body_count, p->dof_count = RIGID_DOF * def->body_count;
    p->offset = memory_raw_array(&p->allocator, contacts + rows + 1, sizeof *p->offset);
    p->cone = array_of(p, takes_over, def->cone, contacts, sizeof *p->cone);
    p->rigid = array_of(p, takes_over, def->contact, contacts, sizeof *p->rigid);
    p->rigid_mass = array_of(p, takes_over, def->mass, bodies, sizeof *p->rigid_mass);
    p->rigid_row = array_of(p, takes_over, def->row, rows, sizeof *p->rigid_row);
    p->bound = array_of(p, takes_over, def->bound, rows, sizeof *p->bound);
    if (!p->offset || !p->cone || !p->rigid || !p->rigid_mass || !p->rigid_row || !p->bound) return SCREE_ERR_MEMORY;
    p->offset[0] = 0;
    for (int c = 0; c < p->contact_count; ++c) {
        scree_status status = check_contact(def, c, error);
        if (status != SCREE_OK) return status;
        p->offset[c + 1] = p->offset[c] + cone_dim(&def->cone[c]);
    }
    for (int r = 0; r < p->bound_count; ++r) {
        scree_status status = check_row(def, r, error);
        if (status != SCREE_OK) return status;
        p->offset[p->contact_count + r + 1] = p->offset[p->contact_count + r] + 1;
    }
    p->row_count = p->offset[p->block_count];
    return SCREE_OK;
}

static scree_status make_velocities(const scree_rigid_def *def, int takes_over, scree_problem *p, scree_error *error)
{
    size_t dof = (size_t)p->dof_count, rows = (size_t)p->row_count;
    p->v_free = array_of(p, takes_over, def->v_free, dof, sizeof *p->v_free);
    p->q = array_of(p, takes_over, def->w, rows, sizeof *p->q);
    if (def->compliance) p->compliance = array_of(p, takes_over, def->compliance, rows, sizeof *p->compliance);
    if (!p->v_free || !p->q || (def->compliance && !p->compliance)) return SCREE_ERR_MEMORY;
    rigid_apply(p, p->v_free, p->q);
    return problem_check(p, error);
}

static scree_status problem_make_rigid(const scree_rigid_def *def, int takes_over, const scree_allocator *allocator,
                                       scree_problem **problem, scree_error *error)
{
    scree_allocator a = memory_allocator(allocator);
    *problem = NULL;
    scree_problem *p = memory_array(&a, 1, sizeof *p);
    scree_status status = p ? SCREE_OK : SCREE_ERR_MEMORY;
    if (p) {
        p->allocator = a;
        status = make_rows(def, takes_over, p, error);
        if (status == SCREE_OK) status = make_velocities(def, takes_over, p, error);
    }
    if (status == SCREE_ERR_MEMORY)
        scree_error_set(error, NULL, 0, 0, "out of memory making a problem of %d contacts", def->contact_count);
    if (status != SCREE_OK) scree_problem_destroy(p);
    else *problem = p;
    return status;
}

scree_status problem_from_rigid(const scree_rigid_def *def, const scree_allocator *allocator, scree_problem **problem,
                                scree_error *error)
{
    return problem_make_rigid(def, 0, allocator, problem, error);
}

scree_status problem_take_rigid(const scree_rigid_def *def, const scree_allocator *allocator, scree_problem **problem,
                                scree_error *error)
{
    return problem_make_rigid(def, 1, allocator, problem, error);
}

scree_problem *scree_problem_from_rigid(const scree_rigid_def *def, scree_error *error)
{
    scree_problem *problem = NULL;
    if (error_stopped(error)) return NULL;
    if (!error_cookie(def->cookie, "scree_rigid_def_default", error)) return NULL;
    error_keep(error, problem_from_rigid(def, def->allocator, &problem, error));
    return problem;
}

/* ---- one contact ------------------------------------------------------------------------------------------------------ */

scree_contact scree_contact_of(const scree_rigid_contact *pair, const scree_rigid_mass *mass, scree_cone cone,
                               const double *q)
{
    scree_contact contact = {.cone = cone, .law = SCREE_LAW_COULOMB};
    int dim = scree_cone_dim(&cone), bodies = 1 + (pair->body_a > pair->body_b ? pair->body_a : pair->body_b);
    int offset[2] = {0, dim};
    scree_rigid_contact copy = *pair;
    scree_problem one = {.contact_count = 1, .block_count = 1, .row_count = dim, .offset = offset, .cone = &cone};
    one.body_count = bodies, one.dof_count = RIGID_DOF * bodies, one.rigid = &copy;
    for (int is_b = 0; is_b < 2; ++is_b) {
        int body = is_b ? pair->body_b : pair->body_a;
        double J[SCREE_DIM_MAX * RIGID_DOF], N[RIGID_DOF * RIGID_DOF], v[RIGID_DOF];
        if (body < 0) continue;
        rigid_block(&one, 0, is_b, J);
        rigid_inv_mass_block(&mass[body], N);
        for (int i = 0; i < dim; ++i) { /* W += J M^-1 J' */
            for (int k = 0; k < RIGID_DOF; ++k) {
                v[k] = 0.0;
                for (int l = 0; l < RIGID_DOF; ++l) v[k] += J[i * RIGID_DOF + l] * N[l * RIGID_DOF + k];
            }
            for (int j = 0; j < dim; ++j)
                for (int k = 0; k < RIGID_DOF; ++k) contact.W[i * dim + j] += v[k] * J[j * RIGID_DOF + k];
        }
    }
    for (int i = 0; q && i < dim; ++i) contact.q[i] = q[i];
    return contact;
}
