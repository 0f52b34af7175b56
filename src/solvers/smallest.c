/* smallest.c: of all reactions with the velocities of a solution, the smallest.                          docs/math/problem.md
 *
 * Reactions p + d with W d = 0 have the velocities of p; those that the law allows with the velocities y are a convex set, the face
 *     y_N > 0              p_c = 0
 *     friction k moves     p_k = mu_k r_N e_k,  e_k the direction of p_k - y_k/g_k, which is that of p_k, and -y_k/|y_k|
 *     friction k sticks    |p_k| <= mu_k r_N
 * so p = S z with one entry in each row of S: z has the normal forces and the friction that sticks, and its cones are those of the convex
 * law. r' W r is the same for all of them and cannot choose. What chooses is
 *     min over the face of   sum over contacts and kinds of g_k |p_k|^2,      g_k = tr(W_kk)/size:
 * every kind of reaction counts by the speed that it makes at its own contact. It is strictly convex, so there is one answer; it does not
 * depend on the tangents, on units, or on where a solver began; under the convex law it is the limit of soft contacts of compliance
 * delta g, delta -> 0.
 *
 * Proximal multipliers, from t = p:
 *     z = argmin over the cones of   1/2 delta z' S' G S z + 1/2 (S z - t)' W (S z - t),      t <- t + p - S z
 * Each is a contact problem of the convex law with q = -S' W t and compliance, definite, so interior points and Newton end it; at the end
 * W (p - S z) = 0 to rounding, whatever delta is. */
#include "solvers/solver_private.h"

#include "base/fail.h"
#include "laws/maps.h"
#include "math/dense.h"
#include "problem/mass.h"
#include "problem/residual.h"

#include <float.h>
#include <string.h>

static const double delta = 1e-5;     /* of the mean of g, in the units of W                                     */
static const double STILL = 1e-9;     /* of the largest velocity: less is at rest                                */
static const double SAFETY = 100.0;   /* error of an entry over the residual, at most                            */
static const double UNCHANGED = 1e-8; /* of the largest velocity: a larger change is none of the same velocities */
enum { ROUNDS = 30, IPM_STEPS = 100, NEWTON_STEPS = 60 };

/// The face on which the reactions may move.
typedef struct face {
    int contacts, bounds, rows; /* of z                                                            */
    int *block;                 /* (block_count) of z, or -1: its reactions are determined          */
    int *row;                   /* (row_count) of z, or -1                                          */
    double *factor;             /* (row_count) p = factor z[row]                                    */
    double *fixed;              /* (row_count) p where row is -1, else 0                            */
    double *weight;             /* (row_count) g                                                    */
    scree_cone *cone;           /* (contacts)                                                       */
    double *bound;              /* (bounds)                                                         */
    int *height;                /* (blocks) rows of each block of z                                 */
} face;

static void face_destroy(const scree_allocator *a, face *f)
{
    MEMORY_FREE_ALL(a, f->block, f->row, f->factor, f->fixed, f->weight, f->cone, f->bound, f->height);
}

static int face_create(const scree_problem *problem, const scree_allocator *a, face *f)
{
    size_t rows = (size_t)problem->row_count + 1, blocks = (size_t)problem->block_count + 1;
    f->block = memory_array(a, blocks, sizeof *f->block);
    f->row = memory_array(a, rows, sizeof *f->row);
    f->cone = memory_array(a, blocks, sizeof *f->cone);
    f->bound = memory_array(a, blocks, sizeof *f->bound);
    f->height = memory_array(a, blocks, sizeof *f->height);
    return f->block && f->row && f->cone && f->bound && f->height &&
           MEMORY_VECTORS(a, rows, &f->factor, &f->fixed, &f->weight);
}

/// g of the rows of a block.
static void weigh_block(const scree_problem *problem, int b, double *weight)
{
    int at = problem->offset[b], n = problem->offset[b + 1] - at;
    const double *D = problem->diagonal + problem->diagonal_at[b];
    double normal = D[0] > 0.0 ? D[0] : 1.0;
    weight[at] = normal;
    if (b >= problem->contact_count) return;
    const scree_cone *c = &problem->cone[b];
    for (int k = 0, i = 1; k < SCREE_FRICTION_KINDS; i += c->size[k++]) {
        double trace = 0.0;
        for (int r = i; r < i + c->size[k]; ++r) trace += D[r * n + r] / c->size[k];
        for (int r = i; r < i + c->size[k]; ++r) weight[at + r] = trace > 0.0 ? trace : normal;
    }
}

/// The rows of z that contact b has, with reactions p and velocities y.
static void add_contact(const scree_problem *problem, int b, const double *p, const double *y, double still, face *f)
{
    const scree_cone *c = &problem->cone[b];
    int at = problem->offset[b], first = f->rows;
    double opening = y[at] - (problem->law == SCREE_LAW_CONVEX ? slip_speed(c, y + at) : 0.0);
    f->block[b] = -1;
    for (int i = at; i < problem->offset[b + 1]; ++i) f->row[i] = -1;
    if (opening > still) return;
    scree_cone rest = *c;
    f->row[at] = f->rows++, f->factor[at] = 1.0;
    for (int k = 0, i = at + 1; k < SCREE_FRICTION_KINDS; i += c->size[k++]) {
        double z[SCREE_DIM_MAX], length = 0.0;
        if (!c->size[k]) continue;
        if (c->coef[k] > 0.0 && group_norm(c->size[k], y + i) <= still) { /* it sticks */
            for (int r = i; r < i + c->size[k]; ++r) f->row[r] = f->rows++, f->factor[r] = 1.0;
            continue;
        }
        rest.size[k] = 0, rest.coef[k] = 0.0;
        for (int r = 0; r < c->size[k]; ++r) z[r] = p[i + r] - y[i + r] / f->weight[i];
        length = group_norm(c->size[k], z);
        for (int r = 0; r < c->size[k]; ++r)
            f->row[i + r] = first, f->factor[i + r] = length > 0.0 ? c->coef[k] * z[r] / length : 0.0;
    }
    f->height[f->contacts] = f->rows - first, f->block[b] = f->contacts;
    f->cone[f->contacts++] = rest;
}

static void add_bound(const scree_problem *problem, int b, const double *y, double still, face *f)
{
    int at = problem->offset[b], i = f->contacts + f->bounds;
    double S = problem->bound[b - problem->contact_count];
    f->block[b] = -1, f->row[at] = -1;
    if (S <= DBL_MAX && fabs(y[at]) > still) {
        f->fixed[at] = y[at] > 0.0 ? -S : S;
        return;
    }
    f->block[b] = i, f->row[at] = f->rows++, f->factor[at] = 1.0;
    f->bound[f->bounds++] = S, f->height[i] = 1;
}

static double largest_of(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = number_max(most, fabs(x[i]));
    return most;
}

/// The face of p and its velocities y; `residual` that of p.
static void find_face(const scree_problem *problem, const double *p, const double *y, double residual, face *f)
{
    int n = problem->row_count;
    double size = number_max(norm(n, problem->q), number_max(norm(n, p), norm(n, y)));
    double still =
        number_max(STILL * number_max(largest_of(n, y), largest_of(n, problem->q)), SAFETY * size * residual);
    for (int b = 0; b < problem->block_count; ++b) weigh_block(problem, b, f->weight);
    for (int c = 0; c < problem->contact_count; ++c) add_contact(problem, c, p, y, still, f);
    for (int b = problem->contact_count; b < problem->block_count; ++b) add_bound(problem, b, y, still, f);
}

/* ---- the problem of z ----------------------------------------------------------------------------------------------------- */

/// S' A, or S' A S where `both`, times `scale`: the entries of a definition, in `value`; NULL: they are only counted. Returns the numbers.
static size_t reduce_matrix(const face *f, const block_matrix *A, int both, double scale, size_t *entry_count, int *row,
                            int *column, double *value)
{
    const int *of_row = A->row_offset, *of_column = A->col_offset;
    size_t entries = 0, at = 0;
    for (int i = 0; i < A->row_blocks; ++i) {
        for (int e = A->start[i]; f->block[i] >= 0 && e < A->start[i + 1]; ++e) {
            int j = A->column[e], n = of_column[j + 1] - of_column[j], height = f->height[f->block[i]];
            if (both && f->block[j] < 0) continue;
            int width = both ? f->height[f->block[j]] : n;
            for (int r = 0; value && r < of_row[i + 1] - of_row[i]; ++r)
                for (int c = 0; c < n; ++c) {
                    int from = of_row[i] + r, to = of_column[j] + c;
                    size_t y = (size_t)(f->row[from] - f->row[of_row[i]]);
                    size_t x = both ? (size_t)(f->row[to] - f->row[of_column[j]]) : (size_t)c;
                    value[at + y * (size_t)width + x] += scale * f->factor[from] * (both ? f->factor[to] : 1.0) *
                                                         A->value[A->at[e] + (size_t)(r * n + c)];
                }
            if (value) row[entries] = f->block[i], column[entries] = both ? f->block[j] : j;
            entries += 1, at += (size_t)height * (size_t)width;
        }
    }
    *entry_count = entries;
    return at;
}

/// The problem of z, with W divided by `scale`; its q is for later.
static scree_status problem_of_face(const scree_problem *problem, const face *f, double scale, scree_problem **out)
{
    const scree_allocator *a = &problem->allocator;
    const block_matrix *A = problem->W ? problem->W : problem->Ht;
    double by = problem->W ? 1.0 / scale : 1.0 / sqrt(scale);
    int both = problem->W != NULL;
    scree_problem_def def = scree_problem_def_default();
    size_t numbers = reduce_matrix(f, A, both, by, &def.entry_count, NULL, NULL, NULL);
    int *row = memory_array(a, def.entry_count + 1, sizeof *row);
    int *column = memory_array(a, def.entry_count + 1, sizeof *column);
    int *dof = memory_array(a, (size_t)problem->body_count + 1, sizeof *dof);
    double *value = memory_array(a, numbers + 1, sizeof *value);
    double *soft = memory_array(a, (size_t)f->rows + 1, sizeof *soft);
    scree_status status = row && column && dof && value && soft ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        reduce_matrix(f, A, both, by, &def.entry_count, row, column, value);
        for (int i = 0; i < problem->row_count; ++i) {
            double c = problem->compliance ? problem->compliance[i] : 0.0;
            if (f->row[i] >= 0)
                soft[f->row[i]] += f->factor[i] * f->factor[i] * (c / scale + delta * f->weight[i] / scale);
        }
        def.law = SCREE_LAW_CONVEX, def.contact_count = f->contacts, def.bound_count = f->bounds;
        def.cone = f->cone, def.bound = f->bound, def.compliance = soft;
        def.entry_row = row, def.entry_column = column, def.entry_value = value;
        if (!problem->W) {
            for (int b = 0; b < problem->body_count; ++b) dof[b] = A->col_offset[b + 1] - A->col_offset[b];
            def.body_count = problem->body_count, def.body_dof = dof;
            def.body_inv_mass = problem->inv_mass ? problem->inv_mass->value : NULL;
            if (problem->mass)
                def.mass_start = problem->mass->start, def.mass_column = problem->mass->column,
                def.mass_value = problem->mass->value;
        }
        status = problem_create(&def, a, out, NULL);
    }
    MEMORY_FREE_ALL(a, row, column, dof, value, soft);
    return status;
}

/* ---- the answer ------------------------------------------------------------------------------------------------------------ */

static scree_status solve_by(const char *name, scree_problem *reduced, const scree_solver_options *options, double *z)
{
    scree_solver_options o = *options;
    scree_solver *solver = NULL;
    o.name = name;
    scree_status status = solver_create_in(NULL, reduced, &o, options->allocator, &solver, NULL);
    if (status != SCREE_OK) return status;
    solver->proves = 0, solver->swept = 1;
    solver_solve(solver, reduced, z);
    scree_solver_destroy(solver);
    return SCREE_OK;
}

static double energy_of(const scree_problem *problem, const face *f, const double *p)
{
    double sum = 0.0;
    for (int i = 0; i < problem->row_count; ++i) sum += f->weight[i] * p[i] * p[i];
    return 0.5 * sum;
}

typedef struct vectors {
    double *y, *t, *z, *x, *work; /* velocities; the point that moves; of the face; S z; scratch  */
} vectors;

/// Multipliers until W (p - S z) is rounding. The smallest reactions are in v->x; returns how much their velocities differ, at most.
static double shrink(const scree_problem *problem, const face *f, scree_problem *reduced, double scale, const double *p,
                     vectors *v, double *best_x)
{
    int n = problem->row_count;
    double least = (double)INFINITY, last = (double)INFINITY;
    scree_solver_options options = scree_solver_options_default();
    options.allocator = &problem->allocator;
    memcpy(v->t, p, (size_t)n * sizeof *v->t);
    for (int k = 0; k < ROUNDS; ++k) {
        for (int i = 0; i < n; ++i) v->x[i] = v->t[i] - f->fixed[i];
        problem_apply(problem, v->x, v->y, v->work);
        memset(reduced->q, 0, (size_t)reduced->row_count * sizeof *reduced->q);
        for (int i = 0; i < n; ++i)
            if (f->row[i] >= 0) reduced->q[f->row[i]] -= f->factor[i] * v->y[i] / scale;
        options.tolerance = 1e-10, options.max_iterations = IPM_STEPS;
        if (k == 0 && solve_by("ipm", reduced, &options, v->z) != SCREE_OK) break;
        options.tolerance = 1e-16, options.max_iterations = NEWTON_STEPS, options.penalty = 1e-3 * delta;
        if (solve_by("newton", reduced, &options, v->z) != SCREE_OK) break;
        for (int i = 0; i < n; ++i) v->x[i] = f->row[i] >= 0 ? f->factor[i] * v->z[f->row[i]] : f->fixed[i];
        for (int i = 0; i < n; ++i) v->x[i] = p[i] - v->x[i], v->t[i] += v->x[i];
        problem_apply(problem, v->x, v->y, v->work);
        double changed = largest_of(n, v->y);
        if (changed < least) {
            least = changed;
            for (int i = 0; i < n; ++i) best_x[i] = p[i] - v->x[i];
        }
        if (!(changed < 0.7 * last)) break;
        last = changed;
    }
    return least;
}

scree_smallest scree_problem_smallest_reactions(const scree_problem *problem, double *p, scree_error *error)
{
    scree_smallest result = {0};
    if (error_stopped(error)) return result;
    const scree_allocator *a = &problem->allocator;
    scree_problem formed = problem_alias(problem, a), *reduced = NULL;
    size_t n = (size_t)problem->row_count + 1;
    face f = {0};
    vectors v = {0};
    double *best = NULL;
    scree_status status = problem_form(&formed, PARTS_ALL);
    if (status == SCREE_OK && (!face_create(&formed, a, &f) || !MEMORY_VECTORS(a, n, &v.y, &v.t, &v.z, &v.x, &best) ||
                               !MEMORY_VECTORS(a, problem_work_size(&formed) + 1, &v.work)))
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        double residual = problem_residual(&formed, p, v.y, v.work), scale = 0.0;
        double speed = number_max(largest_of(formed.row_count, v.y), largest_of(formed.row_count, formed.q));
        find_face(&formed, p, v.y, residual, &f);
        for (int i = 0; i < formed.row_count; ++i) scale += f.weight[i] / formed.row_count;
        result.before = result.after = energy_of(&formed, &f, p);
        if (f.rows > 0 && f.rows <= FACTORISE_ROWS) status = problem_of_face(&formed, &f, scale, &reduced);
        if (reduced) {
            for (int i = 0; i < formed.row_count; ++i)
                if (f.row[i] >= 0 && f.factor[i] == 1.0) v.z[f.row[i]] = p[i];
            result.moved = shrink(&formed, &f, reduced, scale, p, &v, best);
            result.found = result.moved <= UNCHANGED * speed;
            if (result.found) {
                memcpy(p, best, (n - 1) * sizeof *p);
                result.after = energy_of(&formed, &f, p);
            }
        }
    }
    if (status != SCREE_OK) error_keep(error, status);
    scree_problem_destroy(reduced);
    face_destroy(a, &f);
    MEMORY_FREE_ALL(a, v.y, v.t, v.z, v.x, v.work, best);
    problem_alias_release(&formed);
    return result;
}
