/* unique.c: whether the friction cone is pointed, and whether reactions are the only ones with their velocities.     [TA] theorems 1, 2
 *
 * The friction cone is { H p : p in K }. It is pointed ([TA] eq. 45) where no p in K but 0 moves no body, H p = 0; W p = 0 says the same. Then
 * the convex problem has a solution for every q, and all of its solutions have the same velocities (theorem 2; velocities are the same
 * without pointedness too, theorem 1 (iii), where there is a solution at all).
 *
 * Which of the two it is, one convex problem tells. With q = -c, c_N = W_NN^1/2 > 0 and 0 along the surface:
 *     it has a solution (y, x):  W x = y + c, so  (W x)_N >= c_N + sum coef |(W x)_k|  at every contact: velocities that open all of them.
 *                                For z in K, W z = 0 would give 0 = z.W x >= c.z > 0 unless z = 0: pointed, and x proves it;
 *     it has none:               there is z in K with W z = 0 and q.z < 0 (docs/math/infeasible.md): not pointed, and z, a self-stress, proves it.
 * Both proofs are checked by the data alone. A bilateral row has a whole line in K, and -c_N has no sign to choose there: not decided.
 *
 * Reactions. Two solutions of the convex law with the velocities y differ by d with W d = 0, and both lie in the face of K that y leaves:
 *     y inside K*          d = 0
 *     friction k moves     d_k = (p_k/r_N) d_N, opposite to its velocity
 *     friction k sticks    d_k free, and so is d_N
 * With A the columns of these freedoms the solution is the only one if A'W A has full rank; if not, and no contact is on a border of
 * its own (at rest with its friction just at the limit, touching without a force), its null space is that of other solutions. The same
 * holds near a solution of the Coulomb law, with its velocities. A brick that slides on four corners has four columns and rank three. */
#include "solvers/solver_private.h"

#include "base/fail.h"
#include "laws/maps.h"
#include "math/dense.h"
#include "problem/problem_private.h"

#include <float.h>
#include <string.h>

enum { COLUMNS_MAX = 2000 }; /* the rank is found densely: 32 MB, a second */
static const double MARGIN =
    0.5; /* of c_N, by which the velocities of a proof must open every contact: 1 but for the solver's error */
static const double STILL = 1e-6;    /* of the largest velocity: less is at rest */
static const double NOTHING = 1e-9;  /* of the largest force: less is none */
static const double SAFETY = 100.0;  /* error of an entry over the residual, at most */
static const double SINGULAR = 1e-9; /* of its diagonal: a pivot below is 0 */

/* ---- pointed -------------------------------------------------------------------------------------------------------------- */

static int has_bilateral(const scree_problem *problem)
{
    for (int b = 0; b < problem->bound_count; ++b)
        if (!(problem->bound[b] <= DBL_MAX)) return 1;
    return 0;
}

/// The same contacts under the convex law with q = -c, no compliance, bounded rows without a load.
static scree_problem *opening_problem(const scree_problem *problem, double *c)
{
    scree_problem bare = *problem, *copy = NULL;
    bare.compliance = NULL;
    if (problem_copy(&bare, &problem->allocator, &copy) != SCREE_OK) return copy;
    copy->law = SCREE_LAW_CONVEX;
    memset(copy->q, 0, (size_t)copy->row_count * sizeof *copy->q);
    for (int b = 0; b < copy->bound_count; ++b) copy->bound[b] = 0.0;
    for (int k = 0; k < copy->contact_count; ++k) {
        c[k] = sqrt(copy->diagonal[copy->diagonal_at[k]]);
        copy->q[copy->offset[k]] = -(c[k] > 0.0 ? c[k] : 1.0);
    }
    return copy;
}

/// The least opening speed over c_N that the reactions x give.
static double least_opening(const scree_problem *problem, const double *c, const double *velocity)
{
    double least = SCREE_INFINITY;
    for (int k = 0; k < problem->contact_count; ++k) {
        const double *y = velocity + problem->offset[k];
        double opening = y[0] - slip_speed(&problem->cone[k], y);
        least = number_min(least, c[k] > 0.0 ? opening / c[k] : -1.0);
    }
    return least;
}

scree_pointedness scree_problem_pointed(const scree_problem *problem, double *proof, scree_error *error)
{
    scree_pointedness result = {SCREE_POINTED_UNKNOWN, 0.0};
    const scree_allocator *a = &problem->allocator;
    size_t n = (size_t)problem->row_count + 1;
    if (error_stopped(error) || has_bilateral(problem)) return result;
    double *x = memory_array(a, n, sizeof *x), *y = memory_array(a, n, sizeof *y), *c = memory_array(a, n, sizeof *c);
    scree_problem *opening = x && y && c ? opening_problem(problem, c) : NULL;
    scree_solver_options options = scree_solver_options_default();
    options.name = "auto", options.tolerance = 1e-8, options.allocator = a;
    scree_solver *solver = opening ? scree_solver_create(opening, &options, error) : NULL;
    const double *direction = NULL;
    if (solver) {
        memset(x, 0, n * sizeof *x);
        scree_solver_solve(solver, opening, x, error);
        const scree_infeasibility *none = scree_solver_proof(solver, &direction);
        if (scree_problem_apply(opening, x, y, error) == SCREE_OK) {
            double least = least_opening(opening, c, y);
            if (none && none->proved) result = (scree_pointedness){SCREE_POINTED_NO, none->motion};
            else if (least >= MARGIN) result = (scree_pointedness){SCREE_POINTED_YES, least};
        }
        const double *shown = result.answer == SCREE_POINTED_NO ? direction : x;
        if (proof && shown) memcpy(proof, shown, (n - 1) * sizeof *proof);
    } else if (!opening) error_keep(error, SCREE_ERR_MEMORY);
    scree_solver_destroy(solver);
    scree_problem_destroy(opening);
    memory_free(a, x), memory_free(a, y), memory_free(a, c);
    return result;
}

/* ---- reactions -------------------------------------------------------------------------------------------------------------- */

/// A freedom of the reactions: `rows` entries of one block from row `at` on.
typedef struct freedom {
    int at, rows;
    double entry[SCREE_DIM_MAX];
} freedom;

static double largest_of(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = number_max(most, fabs(x[i]));
    return most;
}

/// Freedoms of a contact with reactions p and velocities y. Returns how many.
static int contact_freedoms(scree_law law, const scree_cone *cone, int at, const double *p, const double *y,
                            double still, double nothing, freedom *f)
{
    int dim = cone_dim(cone), count = 1;
    int loaded = p[0] > nothing;
    double opening = y[0] - (law == SCREE_LAW_CONVEX ? slip_speed(cone, y) : 0.0);
    if (!loaded && opening > still) return 0;
    f[0] = (freedom){.at = at, .rows = dim, .entry = {1.0}};
    for (int k = 0, i = 1; k < SCREE_FRICTION_KINDS; i += cone->size[k++]) {
        int moves = cone->size[k] && group_norm(cone->size[k], y + i) > still;
        for (int r = i; r < i + cone->size[k]; ++r) {
            if (!(cone->coef[k] > 0.0)) continue; /* no load of this kind at all */
            if (moves && loaded) f[0].entry[r] = p[r] / p[0];
            else {
                f[count] = (freedom){.at = at, .rows = dim};
                f[count++].entry[r] = 1.0;
            }
        }
    }
    return count;
}

/// `error`: of the entries of p and y, by the residual of p: what is not above it may be 0, and then counts as free.
static int find_freedoms(const scree_problem *problem, const double *p, const double *y, double error, freedom *f)
{
    int count = 0, n = problem->row_count;
    double still = number_max(STILL * number_max(largest_of(n, y), largest_of(n, problem->q)), error),
           nothing = number_max(NOTHING * largest_of(n, p), error);
    for (int c = 0; c < problem->contact_count && count <= COLUMNS_MAX; ++c) {
        int at = problem->offset[c];
        count += contact_freedoms(problem->law, &problem->cone[c], at, p + at, y + at, still, nothing, f + count);
    }
    for (int b = problem->contact_count; b < problem->block_count && count <= COLUMNS_MAX; ++b) {
        int at = problem->offset[b];
        if (fabs(y[at]) > still) continue; /* at its bound */
        f[count++] = (freedom){.at = at, .rows = 1, .entry = {1.0}};
    }
    return count;
}

/// Columns of A that depend on the others: n less the rank of the semidefinite G (n x n, unit diagonal), by Cholesky with pivots.
static int dependent_columns(int n, double *G, int *order)
{
    for (int i = 0; i < n; ++i) order[i] = i;
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (G[order[i] * (ptrdiff_t)n + order[i]] > G[order[best] * (ptrdiff_t)n + order[best]]) best = i;
        int swap = order[k];
        order[k] = order[best], order[best] = swap;
        double *row = G + order[k] * (ptrdiff_t)n, pivot = row[order[k]];
        if (!(pivot > SINGULAR)) return n - k;
        for (int i = k + 1; i < n; ++i) {
            double *other = G + order[i] * (ptrdiff_t)n, f = other[order[k]] / pivot;
            for (int j = k + 1; j < n && f != 0.0; ++j) other[order[j]] -= f * row[order[j]];
        }
    }
    return 0;
}

int scree_problem_free_reactions(const scree_problem *problem, const double *p, scree_error *error)
{
    const scree_allocator *a = &problem->allocator;
    size_t n = (size_t)problem->row_count + 1, most = COLUMNS_MAX + SCREE_DIM_MAX + 1;
    if (error_stopped(error)) return -1;
    double *x = memory_array(a, n, sizeof *x), *y = memory_array(a, n, sizeof *y), *G = NULL;
    freedom *f = memory_array(a, most, sizeof *f);
    int *order = memory_array(a, most, sizeof *order), count = -1, dependent = -1;
    if (x && y && f && order && scree_problem_velocity(problem, p, y, error) == SCREE_OK) {
        int rows = problem->row_count;
        double size = number_max(norm(rows, problem->q), number_max(norm(rows, p), norm(rows, y)));
        count = find_freedoms(problem, p, y, SAFETY * size * scree_problem_residual(problem, p, error), f);
    }
    if (count >= 0 && count <= COLUMNS_MAX) G = memory_array(a, (size_t)count * (size_t)count + 1, sizeof *G);
    for (int i = 0; G && i < count; ++i) {
        memset(x, 0, n * sizeof *x);
        memcpy(x + f[i].at, f[i].entry, (size_t)f[i].rows * sizeof *x);
        if (scree_problem_apply(problem, x, y, error) != SCREE_OK) goto done;
        for (int j = 0; j < count; ++j) {
            double sum = 0.0;
            for (int r = 0; r < f[j].rows; ++r) sum += f[j].entry[r] * y[f[j].at + r];
            G[i * (ptrdiff_t)count + j] = sum;
        }
    }
    if (G) {
        for (int i = 0; i < count; ++i) {
            double d = G[i * (ptrdiff_t)count + i],
                   e = d > 0.0 ? 1.0 / sqrt(d) : 0.0; /* a column of 0 depends on any */
            for (int j = 0; j < count; ++j) G[i * (ptrdiff_t)count + j] *= e, G[j * (ptrdiff_t)count + i] *= e;
        }
        dependent = dependent_columns(count, G, order);
    } else if (count <= COLUMNS_MAX) error_keep(error, SCREE_ERR_MEMORY);
done:
    memory_free(a, x), memory_free(a, y), memory_free(a, f), memory_free(a, order), memory_free(a, G);
    return dependent;
}
