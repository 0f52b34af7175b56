/* problem.c: the contact problem as a value: made, read, changed, applied. Its blocks, and W from them, are in problem_blocks.c.
 *
 *     assembled:            y = W x + diag(compliance) x
 *     through the bodies:   y = H' (M^-1 (H x)) + diag(compliance) x,   two passes over H, one over M^-1; W is never formed
 *
 * Where M couples the bodies, M^-1 is a solution with its sparse factor (mass.c).
 * A problem of rigid contacts (rigid.c) goes through the bodies without blocks: the three products are its own. */
#include "base/fail.h"
#include "base/memory.h"
#include "laws/cone.h"
#include "problem/mass.h"
#include "problem/rigid.h"

#include <string.h>

scree_problem_def scree_problem_def_default(void)
{
    return (scree_problem_def){.cookie = SCREE_COOKIE, .law = SCREE_LAW_COULOMB};
}

void scree_problem_destroy(scree_problem *problem)
{
    if (!problem) return;
    scree_allocator a = problem->allocator;
    block_matrix_destroy(problem->W, &a);
    block_matrix_destroy(problem->Ht, &a);
    block_matrix_destroy(problem->inv_mass, &a);
    mass_destroy(problem->mass, &a);
    MEMORY_FREE_ALL(&a, problem->offset, problem->cone, problem->bound, problem->q, problem->compliance,
                    problem->v_free, problem->rigid, problem->rigid_row, problem->rigid_mass, problem->diagonal,
                    problem->diagonal_at, problem);
}

/* ---- only numbers --------------------------------------------------------------------------------------------------- */

static int all_finite(const double *value, size_t count)
{
    int bad = 0; /* no way out of the loop: it runs over lanes */
    for (size_t i = 0; i < count; ++i) bad |= !(fabs(value[i]) <= DBL_MAX);
    return !bad;
}

static scree_status check_values(const char *what, const double *value, size_t count, scree_error *error)
{
    if (!value || all_finite(value, count)) return SCREE_OK;
    size_t i = 0;
    while (fabs(value[i]) <= DBL_MAX) ++i;
    scree_error_set(error, NULL, 0, 0, "%s[%zu] is not finite", what, i);
    return SCREE_ERR_INPUT;
}

static scree_status check_matrix(const char *what, const block_matrix *A, scree_error *error)
{
    return A ? check_values(what, A->value, A->at[A->start[A->row_blocks]], error) : SCREE_OK;
}

static scree_status check_rigid(const scree_problem *p, scree_error *error)
{
    for (int c = 0; p->rigid && c < p->contact_count; ++c) {
        const scree_rigid_contact *k = &p->rigid[c];
        if (all_finite(k->normal, 3) && all_finite(k->tangent, 3) && all_finite(k->arm_a, 3) && all_finite(k->arm_b, 3))
            continue;
        scree_error_set(error, NULL, 0, 0, "contact %d: its normal, tangent or arms are not finite", c);
        return SCREE_ERR_INPUT;
    }
    for (int b = 0; p->rigid_row && b < p->bound_count; ++b) {
        if (all_finite(p->rigid_row[b].a, 6) && all_finite(p->rigid_row[b].b, 6)) continue;
        scree_error_set(error, NULL, 0, 0, "bounded row %d: its coefficients are not finite", b);
        return SCREE_ERR_INPUT;
    }
    for (int b = 0; p->rigid_mass && b < p->body_count; ++b) {
        if (all_finite(p->rigid_mass[b].inv_mass, 3) && all_finite(p->rigid_mass[b].inv_inertia, 9)) continue;
        scree_error_set(error, NULL, 0, 0, "body %d: its inverse mass or inertia is not finite", b);
        return SCREE_ERR_INPUT;
    }
    return SCREE_OK;
}

scree_status problem_check(const scree_problem *p, scree_error *error)
{
    scree_status status = check_values("v_free", p->v_free, (size_t)p->dof_count, error);
    if (status == SCREE_OK) status = check_rigid(p, error);
    if (status == SCREE_OK) status = check_matrix("H'", p->Ht, error);
    if (status == SCREE_OK) status = check_matrix("M^-1", p->inv_mass, error);
    if (status == SCREE_OK) status = check_matrix("W", p->W, error);
    if (status == SCREE_OK) status = check_values("compliance", p->compliance, (size_t)p->row_count, error);
    return status == SCREE_OK ? check_values("q", p->q, (size_t)p->row_count, error) : status;
}

/* ---- making ------------------------------------------------------------------------------------------------------- */

static scree_status copy_array(const scree_problem *p, const double *from, int count, double **to)
{
    *to = memory_array(&p->allocator, (size_t)count + 1, sizeof **to);
    if (!*to) return SCREE_ERR_MEMORY;
    if (from) memcpy(*to, from, (size_t)count * sizeof **to);
    return SCREE_OK;
}

static scree_status make_rows(const scree_problem_def *def, scree_problem *p, scree_error *error)
{
    p->law = def->law;
    p->contact_count = def->contact_count, p->bound_count = def->bound_count;
    p->block_count = def->contact_count + def->bound_count;
    p->offset = memory_array(&p->allocator, (size_t)p->block_count + 1, sizeof *p->offset);
    p->cone = memory_array(&p->allocator, (size_t)p->contact_count + 1, sizeof *p->cone);
    if (!p->offset || !p->cone) return SCREE_ERR_MEMORY;
    for (int c = 0; c < p->contact_count; ++c) {
        if (!scree_cone_valid(&def->cone[c])) {
            scree_error_set(error, NULL, 0, 0,
                            "contact %d: the cone is not valid, expected sizes 0 to 2 and finite coefficients >= 0", c);
            return SCREE_ERR_INPUT;
        }
        p->cone[c] = def->cone[c];
        p->offset[c + 1] = p->offset[c] + cone_dim(&def->cone[c]);
    }
    for (int b = 0; b < p->bound_count; ++b) {
        if (!(def->bound[b] >= 0.0)) {
            scree_error_set(error, NULL, 0, 0, "bounded row %d: the bound is %g, expected >= 0 or infinite", b,
                            def->bound[b]);
            return SCREE_ERR_INPUT;
        }
        p->offset[p->contact_count + b + 1] = p->offset[p->contact_count + b] + 1;
    }
    p->row_count = p->offset[p->block_count];
    if (copy_array(p, def->bound, def->bound_count, &p->bound)) return SCREE_ERR_MEMORY;
    if (copy_array(p, def->q, p->row_count, &p->q)) return SCREE_ERR_MEMORY;
    if (def->compliance && copy_array(p, def->compliance, p->row_count, &p->compliance)) return SCREE_ERR_MEMORY;
    return SCREE_OK;
}

static scree_status check_entries(const scree_problem_def *def, int rows, int columns, scree_error *error)
{
    for (size_t e = 0; e < def->entry_count; ++e)
        if (def->entry_row[e] < 0 || def->entry_row[e] >= rows || def->entry_column[e] < 0 ||
            def->entry_column[e] >= columns) {
            scree_error_set(error, NULL, 0, 0,
                            "block entry %zu is at (%d, %d), expected rows below %d and columns below %d", e,
                            def->entry_row[e], def->entry_column[e], rows, columns);
            return SCREE_ERR_INPUT;
        }
    return SCREE_OK;
}

/// M^-1 as a block diagonal matrix, H', and q += H' v_free.
static scree_status make_bodies(const scree_problem_def *def, scree_problem *p, scree_error *error)
{
    scree_status status = check_entries(def, p->block_count, def->body_count, error);
    int *dof_offset = memory_array(&p->allocator, (size_t)def->body_count + 1, sizeof *dof_offset);
    int *diagonal = memory_array(&p->allocator, (size_t)def->body_count + 1, sizeof *diagonal);
    if (!dof_offset || !diagonal) status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        for (int b = 0; b < def->body_count; ++b) dof_offset[b + 1] = dof_offset[b] + def->body_dof[b], diagonal[b] = b;
        p->body_count = def->body_count, p->dof_count = dof_offset[def->body_count];
        status = block_matrix_create(p->block_count, p->offset, p->body_count, dof_offset, def->entry_count,
                                     def->entry_row, def->entry_column, def->entry_value, &p->allocator, &p->Ht);
    }
    if (status == SCREE_OK && !def->mass_start)
        status = block_matrix_create(p->body_count, dof_offset, p->body_count, dof_offset, (size_t)p->body_count,
                                     diagonal, diagonal, def->body_inv_mass, &p->allocator, &p->inv_mass);
    else if (status == SCREE_OK)
        status = check_values("M", def->mass_value, (size_t)def->mass_start[p->dof_count], error);
    if (status == SCREE_OK && def->mass_start) {
        status = mass_create(p->dof_count, def->mass_start, def->mass_column, def->mass_value, &p->allocator, &p->mass);
        if (status == SCREE_ERR_INPUT)
            scree_error_set(error, NULL, 0, 0, "M is not positive definite, expected a mass matrix");
    }
    if (status == SCREE_OK && def->v_free) {
        status = copy_array(p, def->v_free, p->dof_count, &p->v_free);
        if (status == SCREE_OK) block_matrix_apply(p->Ht, 1, p->v_free, p->q);
    }
    memory_free(&p->allocator, dof_offset);
    memory_free(&p->allocator, diagonal);
    return status;
}

scree_status problem_create(const scree_problem_def *def, const scree_allocator *allocator, scree_problem **problem,
                            scree_error *error)
{
    scree_allocator a = memory_allocator(allocator);
    *problem = NULL;
    scree_problem *p = memory_array(&a, 1, sizeof *p);
    scree_status status = SCREE_ERR_MEMORY;
    if (p) {
        p->allocator = a;
        status = make_rows(def, p, error);
        if (status == SCREE_OK && def->body_count > 0) status = make_bodies(def, p, error);
        else if (status == SCREE_OK) {
            status = check_entries(def, p->block_count, p->block_count, error);
            if (status == SCREE_OK)
                status = block_matrix_create(p->block_count, p->offset, p->block_count, p->offset, def->entry_count,
                                             def->entry_row, def->entry_column, def->entry_value, &a, &p->W);
        }
        if (status == SCREE_OK) status = problem_check(p, error);
        if (status == SCREE_OK) status = problem_form(p, SCREE_PART_DIAGONAL);
    }
    if (status == SCREE_ERR_MEMORY)
        scree_error_set(error, NULL, 0, 0, "out of memory making a problem of %d contacts", def->contact_count);
    if (status != SCREE_OK) scree_problem_destroy(p);
    else *problem = p;
    return status;
}

scree_problem *scree_problem_create(const scree_problem_def *def, scree_error *error)
{
    scree_problem *problem = NULL;
    if (error_stopped(error)) return NULL;
    if (!error_cookie(def->cookie, "scree_problem_def_default", error)) return NULL;
    error_keep(error, problem_create(def, def->allocator, &problem, error));
    return problem;
}

/* ---- reading and changing ------------------------------------------------------------------------------------------ */

static scree_block_matrix matrix_view(const block_matrix *A)
{
    if (!A) return (scree_block_matrix){.value = NULL};
    return (scree_block_matrix){A->row_blocks, A->col_blocks, A->row_offset, A->col_offset,
                                A->start,      A->column,     A->at,         A->value};
}

scree_problem_view scree_problem_parts(const scree_problem *p)
{
    return (scree_problem_view){
        .law = p->law,
        .contact_count = p->contact_count,
        .bound_count = p->bound_count,
        .block_count = p->block_count,
        .row_count = p->row_count,
        .body_count = p->body_count,
        .dof_count = p->dof_count,
        .offset = p->offset,
        .cone = p->cone,
        .bound = p->bound,
        .q = p->q,
        .compliance = p->compliance,
        .v_free = p->v_free,
        .W = matrix_view(p->W),
        .Ht = matrix_view(p->Ht),
        .inv_mass = matrix_view(p->inv_mass),
        .coupled = p->mass != NULL,
        .diagonal = p->diagonal,
        .diagonal_at = p->diagonal_at,
    };
}

void scree_problem_set_law(scree_problem *problem, scree_law law)
{
    problem->law = law;
}

scree_status scree_problem_set_q(scree_problem *problem, const double *q, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    scree_status status = check_values("q", q, (size_t)problem->row_count, error);
    if (status != SCREE_OK) return error_keep(error, status);
    memcpy(problem->q, q, (size_t)problem->row_count * sizeof *q);
    return SCREE_OK;
}

scree_status scree_problem_set_cones(scree_problem *problem, const scree_cone *cone, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    for (int c = 0; c < problem->contact_count; ++c) {
        if (scree_cone_valid(&cone[c]) && memcmp(cone[c].size, problem->cone[c].size, sizeof cone[c].size) == 0)
            continue;
        scree_error_set(error, NULL, 0, 0,
                        "contact %d: the cone has other sizes, or coefficients that are not finite and >= 0", c);
        return error_keep(error, SCREE_ERR_INPUT);
    }
    memcpy(problem->cone, cone, (size_t)problem->contact_count * sizeof *cone);
    return SCREE_OK;
}

scree_status scree_problem_set_bounds(scree_problem *problem, const double *bound, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    for (int b = 0; b < problem->bound_count; ++b) {
        if (bound[b] >= 0.0) continue;
        scree_error_set(error, NULL, 0, 0, "bounded row %d: the bound is %g, expected >= 0 or infinite", b, bound[b]);
        return error_keep(error, SCREE_ERR_INPUT);
    }
    memcpy(problem->bound, bound, (size_t)problem->bound_count * sizeof *bound);
    return SCREE_OK;
}

scree_status scree_problem_set_blocks(scree_problem *problem, const double *value, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    if (!problem->W) {
        scree_error_set(error, NULL, 0, 0, "W is not assembled: the problem goes through the bodies");
        return error_keep(error, SCREE_ERR_UNSUPPORTED);
    }
    const size_t count = problem->W->at[problem->W->start[problem->W->row_blocks]];
    scree_status status = check_values("W", value, count, error);
    if (status != SCREE_OK) return error_keep(error, status);
    memcpy(problem->W->value, value, count * sizeof *value);
    problem_refill_diagonal(problem);
    return SCREE_OK;
}

double *scree_problem_vector(const scree_problem *problem, scree_error *error)
{
    if (error_stopped(error)) return NULL;
    double *vector = memory_array(&problem->allocator, (size_t)problem->row_count + 1, sizeof *vector);
    if (!vector) scree_error_set(error, NULL, 0, 0, "out of memory for %d rows", problem->row_count);
    error_keep(error, vector ? SCREE_OK : SCREE_ERR_MEMORY);
    return vector;
}

void scree_problem_vector_free(const scree_problem *problem, double *vector)
{
    if (vector) memory_free(&problem->allocator, vector); /* a problem that was not made (NULL) has none */
}

/* ---- the operator --------------------------------------------------------------------------------------------------- */

size_t problem_work_size(const scree_problem *p)
{
    return (p->rigid ? 1 : 2) * (size_t)p->dof_count + 1; /* of rigid bodies impulses become velocities in place */
}

/// impulse (dof_count) = H p.
static void impulse_of(const scree_problem *problem, const double *p, double *impulse)
{
    memset(impulse, 0, (size_t)problem->dof_count * sizeof *impulse);
    if (problem->rigid) rigid_apply_transpose(problem, p, impulse);
    else block_matrix_apply_transpose(problem->Ht, p, impulse);
}

void problem_apply(const scree_problem *p, const double *x, double *y, double *work)
{
    if (p->W) {
        block_matrix_apply(p->W, 0, x, y);
    } else {
        double *impulse = work;
        impulse_of(p, x, impulse);
        if (p->rigid) {
            rigid_apply_inv_mass(p, 0, impulse, impulse);
            memset(y, 0, (size_t)p->row_count * sizeof *y);
            rigid_apply(p, impulse, y);
        } else {
            double *velocity = work + p->dof_count;
            if (p->mass) mass_solve(p->mass, impulse, velocity);
            else block_matrix_apply(p->inv_mass, 0, impulse, velocity);
            block_matrix_apply(p->Ht, 0, velocity, y);
        }
    }
    for (int i = 0; p->compliance && i < p->row_count; ++i) y[i] += p->compliance[i] * x[i];
}

void problem_velocity(const scree_problem *problem, const double *p, double *y, double *work)
{
    problem_apply(problem, p, y, work);
    for (int i = 0; i < problem->row_count; ++i) y[i] += problem->q[i];
}

void problem_body_velocities(const scree_problem *problem, const double *p, double *v, double *work)
{
    double *impulse = work;
    impulse_of(problem, p, impulse);
    if (problem->v_free) memcpy(v, problem->v_free, (size_t)problem->dof_count * sizeof *v);
    else memset(v, 0, (size_t)problem->dof_count * sizeof *v);
    if (problem->rigid) rigid_apply_inv_mass(problem, 1, impulse, v);
    else if (problem->mass) {
        double *change = work + problem->dof_count;
        mass_solve(problem->mass, impulse, change);
        for (int i = 0; i < problem->dof_count; ++i) v[i] += change[i];
    } else block_matrix_apply(problem->inv_mass, 1, impulse, v);
}

typedef void product_fn(const scree_problem *problem, const double *x, double *y, double *work);

/// A product with scratch memory for the time of the call.
static scree_status with_scratch(const scree_problem *problem, product_fn *product, const double *x, double *y,
                                 scree_error *error)
{
    double *work = NULL;
    if (!problem->W) {
        work = memory_raw_array(&problem->allocator, problem_work_size(problem), sizeof *work);
        if (!work) {
            scree_error_set(error, NULL, 0, 0, "out of memory for a product of %d bodies", problem->body_count);
            return error_keep(error, SCREE_ERR_MEMORY);
        }
    }
    product(problem, x, y, work);
    memory_free(&problem->allocator, work);
    return SCREE_OK;
}

scree_status scree_problem_apply(const scree_problem *problem, const double *x, double *y, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    return with_scratch(problem, problem_apply, x, y, error);
}

scree_status scree_problem_velocity(const scree_problem *problem, const double *p, double *y, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    return with_scratch(problem, problem_velocity, p, y, error);
}

scree_status scree_problem_body_velocities(const scree_problem *problem, const double *p, double *v, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    if (problem->W) {
        scree_error_set(error, NULL, 0, 0, "the problem has no bodies: W is assembled");
        return error_keep(error, SCREE_ERR_UNSUPPORTED);
    }
    return with_scratch(problem, problem_body_velocities, p, v, error);
}
