/* rigid.c: problems of rigid contacts, written down directly: the blocks of H' stand where they will be used, nothing is sorted.
 *
 * The point of contact of body B moves with v + omega x arm, so along a unit vector d with  d.v + (arm x d).omega:
 *
 *     B:  (n, arm_b x n), (t1, arm_b x t1), (t2, arm_b x t2),   (0, t1), (0, t2),   (0, n)          A: minus that, with arm_a
 *
 * of which a contact has the rows of its cone. Cost: 2 x 6 x rows values per contact, each written once. */
#include "base/memory.h"
#include "laws/cone.h"
#include "math/vec.h"
#include "problem/forms.h"
#include "sparse/block.h"

#include <string.h>

enum { DOF = 6 };

scree_rigid_def scree_rigid_def_default(void)
{
    return (scree_rigid_def){.cookie = SCREE_COOKIE, .law = SCREE_COULOMB};
}

/* ---- rows ------------------------------------------------------------------------------------------------------------- */

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

/// The block of H' of one of the two bodies (rows of the cone x 6).
static void write_block(const scree_rigid_contact *c, const scree_cone *cone, double sign, const double *arm,
                        double *block)
{
    double t2[3];
    vec_cross(c->normal, c->tangent, t2);
    point_row(sign, c->normal, arm, block), block += DOF;
    if (cone->size[SCREE_SLIDE] > 0) point_row(sign, c->tangent, arm, block), block += DOF;
    if (cone->size[SCREE_SLIDE] > 1) point_row(sign, t2, arm, block), block += DOF;
    if (cone->size[SCREE_ROLL] > 1) turn_row(sign, c->tangent, block), block += DOF;
    if (cone->size[SCREE_ROLL] > 0) turn_row(sign, t2, block), block += DOF; /* planar: about the normal of the plane */
    if (cone->size[SCREE_SPIN] > 0) turn_row(sign, c->normal, block);
}

/* ---- making ----------------------------------------------------------------------------------------------------------- */

static scree_status check_contact(const scree_rigid_def *def, int c, scree_error *error)
{
    const scree_rigid_contact *contact = &def->contact[c];
    if (!scree_cone_valid(&def->cone[c])) {
        scree_error_set(error, NULL, 0, 0,
                        "contact %d: the cone is not valid, expected sizes 0 to 2 and finite coefficients >= 0", c);
        return SCREE_ERR_INPUT;
    }
    if (contact->body_a < -1 || contact->body_a >= def->body_count || contact->body_b < -1 ||
        contact->body_b >= def->body_count || contact->body_a == contact->body_b) {
        scree_error_set(error, NULL, 0, 0,
                        "contact %d is of the bodies %d and %d, expected two different ones below %d, or -1 for one "
                        "that does not move",
                        c, contact->body_a, contact->body_b, def->body_count);
        return SCREE_ERR_INPUT;
    }
    return SCREE_OK;
}

/// Rows, cones and the number of blocks of H'.
static scree_status make_rows(const scree_rigid_def *def, scree_problem *p, size_t *blocks, size_t *values,
                              scree_error *error)
{
    p->law = def->law;
    p->contact_count = p->block_count = def->contact_count;
    p->body_count = def->body_count, p->dof_count = DOF * def->body_count;
    p->offset = memory_array(&p->allocator, (size_t)p->block_count + 1, sizeof *p->offset);
    p->cone = memory_array(&p->allocator, (size_t)p->contact_count + 1, sizeof *p->cone);
    p->bound = memory_array(&p->allocator, 1, sizeof *p->bound);
    if (!p->offset || !p->cone || !p->bound) return SCREE_ERR_MEMORY;
    *blocks = *values = 0;
    for (int c = 0; c < p->contact_count; ++c) {
        scree_status status = check_contact(def, c, error);
        if (status != SCREE_OK) return status;
        int rows = cone_dim(&def->cone[c]), bodies = (def->contact[c].body_a >= 0) + (def->contact[c].body_b >= 0);
        p->cone[c] = def->cone[c];
        p->offset[c + 1] = p->offset[c] + rows;
        *blocks += (size_t)bodies, *values += (size_t)(bodies * rows * DOF);
    }
    p->row_count = p->offset[p->block_count];
    return SCREE_OK;
}

static scree_status matrix_create(const scree_problem *p, int rows, const int *row_offset, size_t entries,
                                  size_t values, scree_block_matrix **out)
{
    const scree_allocator *a = &p->allocator;
    scree_block_matrix *A = *out = memory_array(a, 1, sizeof *A);
    if (!A) return SCREE_ERR_MEMORY;
    A->row_blocks = rows, A->col_blocks = p->body_count;
    A->row_offset = memory_array(a, (size_t)rows + 1, sizeof *A->row_offset);
    A->col_offset = memory_array(a, (size_t)p->body_count + 1, sizeof *A->col_offset);
    A->start = memory_array(a, (size_t)rows + 1, sizeof *A->start);
    A->column = memory_array(a, entries + 1, sizeof *A->column);
    A->at = memory_array(a, entries + 1, sizeof *A->at);
    A->value = memory_array(a, values + 1, sizeof *A->value);
    if (!A->row_offset || !A->col_offset || !A->start || !A->column || !A->at || !A->value) return SCREE_ERR_MEMORY;
    for (int b = 0; b <= p->body_count; ++b) A->col_offset[b] = DOF * b;
    memcpy(A->row_offset, row_offset ? row_offset : A->col_offset, ((size_t)rows + 1) * sizeof *A->row_offset);
    return SCREE_OK;
}

static void fill_contacts(const scree_rigid_def *def, scree_block_matrix *Ht)
{
    size_t at = 0;
    int e = 0;
    for (int c = 0; c < def->contact_count; ++c) {
        const scree_rigid_contact *contact = &def->contact[c];
        size_t size = (size_t)DOF * (size_t)(Ht->row_offset[c + 1] - Ht->row_offset[c]);
        int b_first = contact->body_b < contact->body_a; /* columns ascend */
        for (int side = 0; side < 2; ++side) {
            int is_b = side != b_first, body = is_b ? contact->body_b : contact->body_a;
            if (body < 0) continue;
            write_block(contact, &def->cone[c], is_b ? 1.0 : -1.0, is_b ? contact->arm_b : contact->arm_a,
                        Ht->value + at);
            Ht->column[e++] = body, at += size;
            Ht->at[e] = at;
        }
        Ht->start[c + 1] = e;
    }
}

static void fill_masses(const scree_rigid_def *def, scree_block_matrix *inv_mass)
{
    for (int b = 0; b < def->body_count; ++b) {
        const scree_rigid_mass *m = &def->mass[b];
        double *N = inv_mass->value + (size_t)DOF * DOF * (size_t)b;
        for (int i = 0; i < 3; ++i) {
            N[DOF * i + i] = m->inv_mass[i];
            for (int j = 0; j < 3; ++j) N[DOF * (3 + i) + 3 + j] = m->inv_inertia[3 * i + j];
        }
        inv_mass->column[b] = b, inv_mass->start[b + 1] = b + 1;
        inv_mass->at[b + 1] = (size_t)DOF * DOF * (size_t)(b + 1);
    }
}

static scree_status copy_values(const scree_problem *p, const double *from, int count, double **to)
{
    *to = memory_array(&p->allocator, (size_t)count + 1, sizeof **to);
    if (*to && from) memcpy(*to, from, (size_t)count * sizeof **to);
    return *to ? SCREE_OK : SCREE_ERR_MEMORY;
}

static scree_status make_velocities(const scree_rigid_def *def, scree_problem *p, scree_error *error)
{
    p->work = memory_array(&p->allocator, 2 * (size_t)p->dof_count + 1, sizeof *p->work);
    if (!p->work || copy_values(p, def->v_free, p->dof_count, &p->v_free) ||
        copy_values(p, def->w, p->row_count, &p->q) ||
        (def->compliance && copy_values(p, def->compliance, p->row_count, &p->compliance)))
        return SCREE_ERR_MEMORY;
    block_matrix_apply(p->Ht, 1, p->v_free, p->q);
    for (int i = 0; i < p->row_count; ++i)
        if (!(fabs(p->q[i]) <= DBL_MAX)) {
            scree_error_set(error, NULL, 0, 0, "q[%d] is not finite", i);
            return SCREE_ERR_INPUT;
        }
    return SCREE_OK;
}

scree_status scree_problem_from_rigid(const scree_rigid_def *def, const scree_allocator *allocator,
                                      scree_problem **problem, scree_error *error)
{
    SCREE_ASSERT(def->cookie == SCREE_COOKIE);
    scree_allocator a = memory_allocator(allocator);
    *problem = NULL;
    scree_problem *p = memory_array(&a, 1, sizeof *p);
    scree_status status = p ? SCREE_OK : SCREE_ERR_MEMORY;
    size_t blocks = 0, values = 0;
    if (p) {
        p->allocator = a;
        status = make_rows(def, p, &blocks, &values, error);
        if (status == SCREE_OK) status = matrix_create(p, p->contact_count, p->offset, blocks, values, &p->Ht);
        if (status == SCREE_OK)
            status = matrix_create(p, p->body_count, NULL, (size_t)p->body_count,
                                   (size_t)DOF * DOF * (size_t)p->body_count, &p->inv_mass);
    }
    if (status == SCREE_OK) {
        fill_contacts(def, p->Ht);
        fill_masses(def, p->inv_mass);
        status = make_velocities(def, p, error);
    }
    if (status == SCREE_OK) status = problem_make_diagonal(p);
    if (status == SCREE_ERR_MEMORY)
        scree_error_set(error, NULL, 0, 0, "out of memory making a problem of %d contacts", def->contact_count);
    if (status != SCREE_OK) scree_problem_destroy(p);
    else *problem = p;
    return status;
}

void scree_problem_body_velocities(const scree_problem *p, const double *load, double *v)
{
    SCREE_ASSERT(p->Ht);
    memset(p->work, 0, (size_t)p->dof_count * sizeof *p->work);
    block_matrix_apply_transpose(p->Ht, load, p->work);
    if (p->v_free) memcpy(v, p->v_free, (size_t)p->dof_count * sizeof *v);
    else memset(v, 0, (size_t)p->dof_count * sizeof *v);
    block_matrix_apply(p->inv_mass, 1, p->work, v);
}
