/* local.c: one contact of a sweep (local.h). */
#include "solvers/local.h"

#include "base/parallel.h"
#include "laws/cone.h"
#include "math/dense.h"
#include "problem/problem_private.h"

#include <string.h>

enum { HAS_INVERSE = 1, PREPARED = 2, CONTACT_GRAIN = 64 };

scree_status local_create(const scree_problem *problem, scree_contact_method method, const scree_allocator *allocator,
                          local_solver *local)
{
    size_t n = (size_t)problem->contact_count, values = 0;
    memset(local, 0, sizeof *local);
    local->options = scree_contact_options_default();
    local->options.method = method;
    local->options.isolate = 0; /* a root will do */
    local->at = memory_raw_array(allocator, n + 1, sizeof *local->at);
    local->state = memory_array(allocator, n + 1, sizeof *local->state);
    if (method == SCREE_CONTACT_EXACT) local->prepared = memory_raw_array(allocator, n + 1, sizeof *local->prepared);
    if (!local->at || !local->state || (method == SCREE_CONTACT_EXACT && !local->prepared)) return SCREE_ERR_MEMORY;
    for (size_t c = 0; c < n; ++c) {
        size_t d = (size_t)cone_dim(&problem->cone[c]);
        local->at[c] = values, values += d * d;
    }
    local->at[n] = values;
    local->W = memory_raw_array(allocator, values + 1, sizeof *local->W);
    local->bound_W = memory_raw_array(allocator, (size_t)problem->bound_count + 1, sizeof *local->bound_W);
    local->inverse = memory_raw_array(allocator, values + 1, sizeof *local->inverse);
    return local->W && local->inverse && local->bound_W ? SCREE_OK : SCREE_ERR_MEMORY;
}

void local_destroy(local_solver *local, const scree_allocator *allocator)
{
    MEMORY_FREE_ALL(allocator, local->at, local->W, local->bound_W, local->inverse, local->state, local->prepared);
    memset(local, 0, sizeof *local);
}

/// B = W^-1 where no pivot is small beside its diagonal entry (a measure that units do not change); else 0.
static int invert(int d, const double *W, double *B)
{
    double L[SCREE_DIM_MAX * SCREE_DIM_MAX];
    if (!cholesky_factor(d, d, W, 0.0, L)) return 0;
    for (int i = 0; i < d; ++i)
        if (L[i * d + i] * L[i * d + i] * W[i * d + i] > 1e8) return 0; /* stored inverted */
    for (int j = 0; j < d; ++j) {
        double e[SCREE_DIM_MAX] = {0};
        e[j] = 1.0;
        cholesky_solve(d, d, L, e, e);
        for (int i = 0; i < d; ++i) B[i * d + j] = e[i];
    }
    return 1;
}

typedef struct begin_loop {
    local_solver *local;
    const scree_problem *problem;
} begin_loop;

static void begin_contacts(void *context, int begin, int end, int chunk, int worker)
{
    const begin_loop *loop = context;
    local_solver *local = loop->local;
    (void)chunk, (void)worker;
    for (int c = begin; c < end; ++c) {
        double D[SCREE_DIM_MAX * SCREE_DIM_MAX], *W = local->W + local->at[c];
        int d = cone_dim(&loop->problem->cone[c]);
        problem_diagonal_block(loop->problem, c, D);
        for (int i = 0; i < d; ++i)
            for (int j = 0; j < d; ++j) W[i * d + j] = 0.5 * (D[i * d + j] + D[j * d + i]);
        local->state[c] = local->prepared && invert(d, W, local->inverse + local->at[c]) ? HAS_INVERSE : 0;
    }
}

void local_begin(local_solver *local, const scree_problem *problem, scree_pool *pool)
{
    begin_loop loop = {local, problem};
    parallel_for(pool, problem->contact_count, CONTACT_GRAIN, begin_contacts, &loop);
    for (int b = 0; b < problem->bound_count; ++b)
        problem_diagonal_block(problem, problem->contact_count + b, &local->bound_W[b]);
}

/// Is p = 0 a solution: u_N >= 0, or for the convex law q in K*?
static int takes_off(const scree_cone *cone, scree_law law, const double *q)
{
    double slip = 0.0;
    const double *v = q + 1;
    for (int k = 0; law == SCREE_LAW_CONVEX && k < SCREE_FRICTION_KINDS; v += cone->size[k++])
        slip += cone->coef[k] * group_norm(cone->size[k], v);
    return q[0] >= slip;
}

static int is_in_cone(const scree_cone *cone, const double *p)
{
    const double *l = p + 1;
    if (!(p[0] > 0.0)) return 0;
    for (int k = 0; k < SCREE_FRICTION_KINDS; l += cone->size[k++]) {
        double rim = cone->coef[k] * p[0];
        if (cone->size[k] == 2 && !(l[0] * l[0] + l[1] * l[1] <= rim * rim)) return 0;
        if (cone->size[k] == 1 && !(fabs(l[0]) <= rim)) return 0;
    }
    return 1;
}

/// The contact with W, cone and law, without q.
static void fill_contact(const local_solver *local, const scree_problem *problem, int c, scree_contact *contact)
{
    contact->cone = problem->cone[c], contact->law = problem->law;
    memcpy(contact->W, local->W + local->at[c], (local->at[c + 1] - local->at[c]) * sizeof *contact->W);
    memset(contact->q, 0, sizeof contact->q); /* preparing looks at it for units that the solution resets */
}

/// The contact by a method of src/laws: exact, from where it is prepared, or another.
static void solve_slipping(local_solver *local, const scree_problem *problem, int c, int d, const double *q,
                           const double *p, double *next)
{
    scree_contact contact;
    if (!local->prepared) {
        scree_contact_result result;
        fill_contact(local, problem, c, &contact);
        memcpy(contact.q, q, (size_t)d * sizeof *q);
        contact_solve(&contact, &local->options, p, &result);
        memcpy(next, result.outcome != SCREE_OUTCOME_INFEASIBLE ? result.p : p, (size_t)d * sizeof *next);
        return;
    }
    if (!(local->state[c] & PREPARED)) {
        fill_contact(local, problem, c, &contact);
        contact_prepare(&contact, &local->prepared[c]);
        local->state[c] |= PREPARED;
    }
    memcpy(next, p, (size_t)d * sizeof *next);
    contact_solve_prepared(&local->prepared[c], q, next);
}

/// change' W change.
SCREE_HD_INLINE double size_of_change(int d, const double *W, const double *p, const double *next)
{
    double change[SCREE_DIM_MAX], W_change[SCREE_DIM_MAX];
    SCREE_UNROLL
    for (int i = 0; i < d; ++i) change[i] = next[i] - p[i];
    matvec_add(d, W, change, NULL, W_change);
    return dot(d, change, W_change);
}

/// A contact of d rows; d is a constant where this is called. Stick is p - W_cc^-1 y: it needs no q, and its change has the size
/// change . -y.
SCREE_HD_INLINE double solve_contact(local_solver *local, const scree_problem *problem, int c, int d, const double *y,
                                     const double *p, double *next)
{
    const scree_cone *cone = &problem->cone[c];
    const double *W = local->W + local->at[c];
    double change[SCREE_DIM_MAX];
    /* with the W of the local solver, not the stored one: then a p that solves the whole is left where it is */
    if (local->prepared && problem->law == SCREE_LAW_COULOMB && y[0] - dot(d, W, p) >= 0.0) { /* takes off */
        SCREE_UNROLL
        for (int i = 0; i < d; ++i) next[i] = 0.0;
        return p[0] == 0.0 ? 0.0 : size_of_change(d, W, p, next);
    }
    if (local->state[c] & HAS_INVERSE) {
        matvec_add(d, local->inverse + local->at[c], y, NULL, change);
        SCREE_UNROLL
        for (int i = 0; i < d; ++i) next[i] = p[i] - change[i];
        if (is_in_cone(cone, next)) return dot(d, change, y);
    }
    double q[SCREE_DIM_MAX] = {0};
    matvec_add(d, W, p, NULL, q);
    SCREE_UNROLL
    for (int i = 0; i < d; ++i) q[i] = y[i] - q[i];
    if (local->prepared && takes_off(cone, problem->law, q)) memset(next, 0, (size_t)d * sizeof *next);
    else solve_slipping(local, problem, c, d, q, p, next);
    return size_of_change(d, W, p, next);
}

double local_solve(local_solver *local, const scree_problem *problem, int b, const double *y, const double *p,
                   double *next)
{
    if (b >= problem->contact_count) {
        double S = problem->bound[b - problem->contact_count], D = local->bound_W[b - problem->contact_count];
        next[0] = D > 0.0 ? number_min(number_max(p[0] - y[0] / D, -S), S) : p[0];
        return D * (next[0] - p[0]) * (next[0] - p[0]);
    }
    int d = problem->offset[b + 1] - problem->offset[b];
    if (d == 3) return solve_contact(local, problem, b, 3, y, p, next);
    if (d == 2) return solve_contact(local, problem, b, 2, y, p, next);
    if (d == 5) return solve_contact(local, problem, b, 5, y, p, next);
    if (d == 6) return solve_contact(local, problem, b, 6, y, p, next);
    return solve_contact(local, problem, b, d, y, p, next);
}
