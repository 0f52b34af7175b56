/* newton.c: proximal point method, each step solved by semismooth Newton on all contacts at once.   [AB] section 5; docs/solvers/newton.md
 *
 *     step k:  find p with  y = W p + q + rho_k (p - p_k)  and the law at every contact;   p_{k+1} = p
 *     by       F(p) = 0,    F_c(p_c, y_c) = Alart-Curnier,  (A + B (W + rho I)) d = F,  p <- p - t d
 *
 * All in scaled variables p = D x, y = D^-1 z: D makes the largest eigenvalue of each mechanism's block of W_cc one, so that the
 * step of the maps is a number and not a mass, and metres, radians and kilograms do not meet in one norm. Scaling the loads of
 * one mechanism only changes its coefficient, so the scaled problem is again a contact problem.
 *
 * W is rank-deficient wherever a body has more contacts than degrees of freedom; rho I makes the matrix regular, and the iteration
 * over k makes the answer that of rho = 0. rho falls when a step succeeds and rises when it fails.
 * Departs from the usual: steps are taken at full length as long as the merit |F| finds a new minimum within `patience` steps, and
 * only then is a line search made, from the best point: a line search at every step creeps where contacts change their mode one by
 * one (docs/solvers/newton.md has the figures). A failed step is tried again with the next of three
 * variants: the line search from the start, or another step s of the map.
 * A few sweeps of Gauss-Seidel give the start.
 *
 * Options: penalty, the first rho (1e-4; a start close to the answer wants less). The matrix is factorised by blocks
 * (sparse/block_lu.h), or by UMFPACK where that is too much. */
#include "solvers/solver_private.h"

#include "laws/maps.h"
#include "math/dense.h"
#include "solvers/sweep.h"
#include "solvers/work.h"
#include "sparse/block.h"
#include "sparse/block_lu.h"
#include "sparse/direct.h"

#include <string.h>

enum { VARIANTS = 3 };

typedef struct tuning {
    double near;                     /* a swept start with this residual is left as it is; else:    */
    int sweeps;                      /* of Gauss-Seidel before the first step                       */
    int inner_limit;                 /* Newton steps per proximal step                              */
    int patience[VARIANTS];          /* full steps without a new minimum of |F|, before a line search */
    int halvings;                    /* of the line search                                          */
    int failures;                    /* proximal steps in a row that may fail                       */
    int stall;                       /* Newton steps without a better residual                      */
    double step[VARIANTS];           /* s of the maps, scaled; after a failure the next variant     */
    double rho, rho_least, rho_most; /* first, bounds                                               */
    double fall, rise;               /* of rho                                                      */
    double inner_tolerance;          /* fall of |F| that ends a proximal step                       */
    double flop_limit;               /* of a block factorisation; above: UMFPACK                    */
} tuning;

static const tuning tuned = {.near = 1e-3,
                             .sweeps = 10,
                             .inner_limit = 20,
                             .patience = {7, 0, 7},
                             .halvings = 12,
                             .failures = 20,
                             .stall = 300,
                             .step = {3.0, 3.0, 1.0},
                             .rho = 1e-4,
                             .rho_least = 1e-8,
                             .rho_most = 10.0,
                             .fall = 0.3,
                             .rise = 10.0,
                             .inner_tolerance = 0.1,
                             .flop_limit = 1e9};

typedef struct newton {
    int n;              /* rows                                                            */
    block_matrix *W;    /* D W D with every diagonal block                                 */
    scree_cone *cone;   /* (contacts) with scaled coefficients                             */
    double *D;          /* (n) p = D x                                                     */
    double *q;          /* (n) D q                                                         */
    double *x, *Wx;     /* (n) the iterate, W x                                            */
    double *x_k;        /* (n) centre of the proximal step                                 */
    double *best;       /* (n) x of the least |F| in this proximal step                    */
    double *d, *Wd;     /* (n) Newton's direction, W d                                     */
    double *trial, *Wt; /* (n)                                                             */
    double *F, *defect; /* (n)                                                             */
    double *y;          /* (n) unscaled, for the monitor                                   */
    double *A, *B;      /* dF/dx and dF/dz of each block, as the problem's diagonal        */
    double rho, step;   /* of the current proximal step                                    */
    int patience;
    int failures, variant, inside; /* in a row; of the step; it was stopped inside one (kept, so that it may go on) */
    sweep sweep;                   /* the start                                                       */
    local_solver local;

    block_lu *lu;   /* the matrix by blocks, or NULL and                                      */
    direct *direct; /* the matrix by columns:                                                 */
    int *start;     /* (n + 1)                                                                */
    int *place;     /* (entries of W) rows above the block in its columns                     */
    double *value;  /* (start[n])                                                             */
} newton;

/* ---- memory --------------------------------------------------------------------------------------------------------------- */

static void destroy(scree_solver *s)
{
    newton *w = s->work;
    if (!w) return;
    if (w->W) block_matrix_destroy(w->W, &s->allocator);
    MEMORY_FREE_ALL(&s->allocator, w->cone, w->D, w->q, w->x, w->Wx, w->x_k, w->best, w->d, w->Wd, w->trial, w->Wt,
                    w->F, w->y, w->defect, w->A, w->B, w->start, w->place, w->value);
    sweep_destroy(&w->sweep, &s->allocator);
    local_destroy(&w->local, &s->allocator);
    block_lu_destroy(w->lu);
    direct_destroy(w->direct);
    memory_free(&s->allocator, w);
}

/// The pattern of W with its transpose and the diagonal added: zero blocks where the problem has none.
static scree_status create_matrix(newton *w, const scree_problem *problem, const scree_allocator *a)
{
    const block_matrix *W = problem->W;
    int blocks = problem->block_count;
    size_t entries = (size_t)W->start[blocks], count = 2 * entries + (size_t)blocks;
    int *row = memory_raw_array(a, count + 1, sizeof *row), *column = memory_raw_array(a, count + 1, sizeof *column);
    scree_status status = SCREE_ERR_MEMORY;
    if (row && column) {
        size_t at = 0;
        for (int i = 0; i < blocks; ++i) {
            for (int e = W->start[i]; e < W->start[i + 1]; ++e) {
                row[at] = i, column[at++] = W->column[e];
                row[at] = W->column[e], column[at++] = i;
            }
            row[at] = column[at] = i, ++at;
        }
        status =
            block_matrix_create(blocks, problem->offset, blocks, problem->offset, count, row, column, NULL, a, &w->W);
    }
    MEMORY_FREE_ALL(a, row, column);
    return status;
}

/// The same pattern by columns, for UMFPACK.
static scree_status create_columns(newton *w, const scree_allocator *a)
{
    const block_matrix *W = w->W;
    size_t entries = (size_t)W->start[W->row_blocks], values = W->at[entries];
    int *height = memory_array(a, (size_t)W->row_blocks + 1, sizeof *height);
    int *row = memory_array(a, values + 1, sizeof *row);
    w->start = memory_array(a, (size_t)w->n + 1, sizeof *w->start);
    w->place = memory_array(a, entries + 1, sizeof *w->place);
    w->value = memory_array(a, values + 1, sizeof *w->value);
    scree_status status = SCREE_ERR_MEMORY;
    if (height && row && w->start && w->place && w->value) {
        for (int i = 0; i < W->row_blocks; ++i)
            for (int e = W->start[i]; e < W->start[i + 1]; ++e) {
                w->place[e] = height[W->column[e]];
                height[W->column[e]] += W->row_offset[i + 1] - W->row_offset[i];
            }
        for (int j = 0; j < W->col_blocks; ++j)
            for (int c = W->col_offset[j]; c < W->col_offset[j + 1]; ++c) w->start[c + 1] = w->start[c] + height[j];
        for (int i = 0; i < W->row_blocks; ++i)
            for (int e = W->start[i]; e < W->start[i + 1]; ++e)
                for (int c = W->col_offset[W->column[e]]; c < W->col_offset[W->column[e] + 1]; ++c)
                    for (int r = W->row_offset[i]; r < W->row_offset[i + 1]; ++r)
                        row[w->start[c] + w->place[e] + r - W->row_offset[i]] = r;
        status = direct_create(DIRECT_UNSYMMETRIC, w->n, w->start, row, a, &w->direct);
    }
    memory_free(a, height);
    memory_free(a, row);
    return status;
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    (void)error;
    const scree_allocator *a = &s->allocator;
    newton *w = s->work = memory_array(a, 1, sizeof *w);
    if (!w) return SCREE_ERR_MEMORY;
    size_t blocks = (size_t)problem->block_count, n = (size_t)problem->row_count;
    w->n = problem->row_count;
    w->cone = memory_array(a, (size_t)problem->contact_count + 1, sizeof *w->cone);
    w->A = memory_array(a, problem->diagonal_at[blocks] + 1, sizeof *w->A);
    w->B = memory_array(a, problem->diagonal_at[blocks] + 1, sizeof *w->B);
    if (!w->cone || !w->A || !w->B) return SCREE_ERR_MEMORY;
    double **const vectors[] = {&w->D,  &w->q,     &w->x,  &w->Wx, &w->x_k,    &w->best, &w->d,
                                &w->Wd, &w->trial, &w->Wt, &w->F,  &w->defect, &w->y};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        *vectors[i] = memory_array(a, n + 1, sizeof **vectors[i]);
        if (!*vectors[i]) return SCREE_ERR_MEMORY;
    }
    scree_status status = sweep_create(problem, 0, a, &w->sweep);
    if (status == SCREE_OK) status = local_create(problem, SCREE_CONTACT_EXACT, a, &w->local);
    if (status == SCREE_OK) status = create_matrix(w, problem, a);
    if (status == SCREE_OK) status = block_lu_create(w->W, tuned.flop_limit, a, &w->lu);
    if (status == SCREE_OK && !w->lu) status = create_columns(w, a);
    return status;
}

/* ---- scaling ---------------------------------------------------------------------------------------------------------------- */

/// About the largest eigenvalue of a block of order 1 to 3 inside rows of length `stride`; order 3 by the power method. A scale, not a bound.
static double largest_eigenvalue(int n, const double *W, int stride)
{
    double x[SCREE_DIM_MAX], y[SCREE_DIM_MAX], lambda = 0.0;
    if (n == 1) return fabs(W[0]);
    if (n == 2) return lambda_max_2x2(W[0], 0.5 * (W[1] + W[stride]), W[stride + 1]);
    for (int i = 0; i < n; ++i) x[i] = 1.0 + 0.1 * i;
    for (int k = 0; k < 10; ++k) {
        double length = norm(n, x);
        if (!(length > 0.0)) return 0.0;
        for (int i = 0; i < n; ++i) {
            y[i] = 0.0;
            for (int j = 0; j < n; ++j) y[i] += W[i * stride + j] * x[j] / length;
        }
        lambda = norm(n, y);
        memcpy(x, y, (size_t)n * sizeof *x);
    }
    return lambda;
}

/// D of one block: one factor for the normal with the sliding load, one for rolling, one for spinning.
static void scale_block(newton *w, const scree_problem *problem, int b)
{
    const double *W_bb = problem->diagonal + problem->diagonal_at[b];
    int at = problem->offset[b], m = problem->offset[b + 1] - at;
    const scree_cone *c = b < problem->contact_count ? &problem->cone[b] : NULL;
    int rows = c ? 1 + c->size[SCREE_FRICTION_SLIDE] : 1;
    double lambda = largest_eigenvalue(rows, W_bb, m), D_N = lambda > 0.0 ? 1.0 / sqrt(lambda) : 1.0;
    for (int i = 0; i < rows; ++i) w->D[at + i] = D_N;
    if (!c) return;
    w->cone[b] = *c;
    for (int k = SCREE_FRICTION_ROLL, r = rows; k < SCREE_FRICTION_KINDS; r += c->size[k++]) {
        if (!c->size[k]) continue;
        lambda = largest_eigenvalue(c->size[k], W_bb + r * m + r, m);
        double D_k = lambda > 0.0 ? 1.0 / sqrt(lambda) : D_N;
        for (int i = 0; i < c->size[k]; ++i) w->D[at + r + i] = D_k;
        w->cone[b].coef[k] = c->coef[k] * D_N / D_k; /* |D_k l| <= coef D_N r_N */
    }
}

static void prepare(newton *w, const scree_problem *problem, const double *p)
{
    const block_matrix *W = problem->W;
    for (int b = 0; b < problem->block_count; ++b) scale_block(w, problem, b);
    for (int i = 0; i < problem->block_count; ++i)
        for (int e = w->W->start[i], e_0 = W->start[i]; e < w->W->start[i + 1]; ++e) {
            int j = w->W->column[e], at = problem->offset[i], to = problem->offset[j];
            int m = problem->offset[i + 1] - at, n = problem->offset[j + 1] - to;
            int given = e_0 < W->start[i + 1] && W->column[e_0] == j;
            const double *from = given ? W->value + W->at[e_0++] : NULL;
            double *V = w->W->value + w->W->at[e];
            for (int r = 0; r < m; ++r)
                for (int c = 0; c < n; ++c) {
                    double v = from ? from[r * n + c] : 0.0;
                    if (problem->compliance && i == j && r == c) v += problem->compliance[at + r];
                    V[r * n + c] = w->D[at + r] * v * w->D[to + c];
                }
        }
    for (int i = 0; i < w->n; ++i) w->q[i] = w->D[i] * problem->q[i], w->x[i] = p[i] / w->D[i];
}

/* ---- one step of Newton --------------------------------------------------------------------------------------------------- */

/// |F| at x, z = W x + q + rho (x - x_k); with `derivative` also A and B of each block.
static double evaluate(newton *w, const scree_problem *problem, const double *x, const double *Wx, int derivative)
{
    double sum = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], m = problem->offset[b + 1] - at;
        double z[SCREE_DIM_MAX] = {0}, *F = w->F + at;
        double *A = derivative ? w->A + problem->diagonal_at[b] : NULL;
        double *B = derivative ? w->B + problem->diagonal_at[b] : NULL;
        for (int i = 0; i < m; ++i) z[i] = Wx[at + i] + w->q[at + i] + w->rho * (x[at + i] - w->x_k[at + i]);
        if (b < problem->contact_count) {
            map_alart_curnier(&w->cone[b], problem->law, w->step, x + at, z, F, A, B);
        } else { /* x - clamp(x - s z) */
            double S = problem->bound[b - problem->contact_count] / w->D[at], t = x[at] - w->step * z[0];
            int inside = S > DBL_MAX || fabs(t) < S;
            F[0] = inside ? w->step * z[0] : x[at] - copysign(S, t);
            if (derivative) A[0] = inside ? 0.0 : 1.0, B[0] = inside ? w->step : 0.0;
        }
        sum += dot(m, F, F);
    }
    return sqrt(sum);
}

/// out (m x n) = B (m x m) V (m x n).
static inline void multiply(int m, int n, const double *B, const double *V, double *out)
{
    for (int r = 0; r < m; ++r)
        for (int c = 0; c < n; ++c) {
            double s = 0.0;
            for (int k = 0; k < m; ++k) s += B[r * m + k] * V[k * n + c];
            out[r * n + c] = s;
        }
}

/// A + B (W + rho I), factorised. Block rows with B = 0 (contacts in the air) have their diagonal block only.
static int factorise(newton *w, const scree_problem *problem)
{
    const block_matrix *W = w->W;
    double block[SCREE_DIM_MAX * SCREE_DIM_MAX] = {0};
    if (w->lu) block_lu_clear(w->lu);
    for (int i = 0; i < problem->block_count; ++i) {
        const double *A = w->A + problem->diagonal_at[i], *B = w->B + problem->diagonal_at[i];
        int m = W->row_offset[i + 1] - W->row_offset[i], zero = 1;
        for (int k = 0; k < m * m; ++k) zero &= B[k] == 0.0;
        for (int e = W->start[i]; e < W->start[i + 1]; ++e) {
            int j = W->column[e], n = W->col_offset[j + 1] - W->col_offset[j];
            if (zero && i != j && w->lu) continue;
            double *J = w->lu ? block_lu_entry(w->lu, e) : block;
            if (m == 3 && n == 3) multiply(3, 3, B, W->value + W->at[e], J);
            else multiply(m, n, B, W->value + W->at[e], J);
            for (int k = 0; i == j && k < m * m; ++k) J[k] += A[k] + w->rho * B[k];
            for (int c = 0; !w->lu && c < n; ++c)
                for (int r = 0; r < m; ++r)
                    w->value[w->start[W->col_offset[j] + c] + w->place[e] + r] = block[r * n + c];
        }
    }
    return w->lu ? block_lu_factor(w->lu) : direct_factor(w->direct, w->value);
}

static void solve_linear(newton *w, const double *b, double *x)
{
    if (w->lu) block_lu_solve(w->lu, b, x);
    else direct_solve(w->direct, b, x);
}

/// defect = F - (A + B (W + rho I)) d.
static double linear_defect(newton *w, const scree_problem *problem)
{
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], m = problem->offset[b + 1] - at;
        const double *A = w->A + problem->diagonal_at[b], *B = w->B + problem->diagonal_at[b];
        for (int r = 0; r < m; ++r) {
            double s = w->F[at + r];
            for (int k = 0; k < m; ++k)
                s -= A[r * m + k] * w->d[at + k] + B[r * m + k] * (w->Wd[at + k] + w->rho * w->d[at + k]);
            w->defect[at + r] = s;
        }
    }
    return norm(w->n, w->defect);
}

/// d and W d at the point where F, A, B were evaluated; 0 if the matrix is singular or the solution is no solution. One refinement.
static int direction(newton *w, const scree_problem *problem)
{
    if (!factorise(w, problem)) return 0;
    double size = norm(w->n, w->F);
    solve_linear(w, w->F, w->d);
    block_matrix_apply(w->W, 0, w->d, w->Wd);
    double defect = linear_defect(w, problem);
    if (defect > 1e-10 * size && defect < size) {
        solve_linear(w, w->defect, w->trial);
        for (int i = 0; i < w->n; ++i) w->d[i] += w->trial[i];
        block_matrix_apply(w->W, 0, w->d, w->Wd);
        defect = linear_defect(w, problem);
    }
    return defect < 0.1 * size; /* no for NaN too */
}

/// One factorisation, and the maps and products of a step.
static double work_of_step(const newton *w)
{
    double step = WORK_ROW * w->n + 5.0 * WORK_ENTRY * (double)w->W->at[w->W->start[w->W->row_blocks]];
    return step + (w->lu ? work_of_factor(block_lu_flops(w->lu), block_lu_nonzeros(w->lu))
                         : work_of_factor(direct_flops(w->direct), direct_nonzeros(w->direct)));
}

/// trial = x - t d; returns |F| there.
static double try_step(newton *w, const scree_problem *problem, double t)
{
    for (int i = 0; i < w->n; ++i) w->trial[i] = w->x[i] - t * w->d[i], w->Wt[i] = w->Wx[i] - t * w->Wd[i];
    return evaluate(w, problem, w->trial, w->Wt, 0);
}

/* ---- one proximal step ------------------------------------------------------------------------------------------------------ */

typedef enum ending { REACHED, FAILED, STOPPED, EXHAUSTED /* F is rounding */ } ending;

static void copy(newton *w, const double *from, double *to)
{
    memcpy(to, from, (size_t)w->n * sizeof *to);
}

static int stop(newton *w, double *p, monitor *m)
{
    for (int i = 0; i < w->n; ++i) p[i] = w->D[i] * w->x[i], w->y[i] = (w->Wx[i] + w->q[i]) / w->D[i];
    return monitor_check_velocity(m, p, w->y);
}

static ending proximal_step(newton *w, const scree_problem *problem, double *p, monitor *m)
{
    double f = evaluate(w, problem, w->x, w->Wx, 1), best = f, size = norm(w->n, w->x);
    double goal = number_max(tuned.inner_tolerance * f, DBL_EPSILON * size);
    int waited = 0, at_best = 1;
    copy(w, w->x, w->best);
    for (int k = 0;; ++k) {
        if (stop(w, p, m)) return STOPPED;
        if (k == 0 && f <= DBL_EPSILON * size) return EXHAUSTED;
        if (k > 0 && f <= goal) return REACHED;
        if (k == tuned.inner_limit || !direction(w, problem)) return FAILED;
        m->iterations += 1, m->work += work_of_step(w);
        double next = try_step(w, problem, 1.0), t = 1.0;
        if (!(next < 0.999 * best) && ++waited > w->patience) { /* back to the best point, and a line search there */
            if (!at_best) {
                copy(w, w->best, w->x);
                block_matrix_apply(w->W, 0, w->x, w->Wx);
                evaluate(w, problem, w->x, w->Wx, 1);
                if (!direction(w, problem)) return FAILED;
                m->iterations += 1, m->work += work_of_step(w);
            }
            next = try_step(w, problem, t);
            for (int h = 0; h < tuned.halvings && !(next * next <= best * best * (1.0 - 2e-4 * t)); ++h)
                next = try_step(w, problem, t *= 0.5);
            if (!(next < best)) return FAILED;
        }
        at_best = next < 0.999 * best || t < 1.0;
        copy(w, w->trial, w->x);
        copy(w, w->Wt, w->Wx);
        if (at_best) best = next, waited = 0, copy(w, w->x, w->best);
        if (k % 8 == 7) block_matrix_apply(w->W, 0, w->x, w->Wx); /* anew: rounding does not pile up */
        f = evaluate(w, problem, w->x, w->Wx, 1);
    }
}

static void start_by_sweeps(newton *w, const scree_problem *problem, double *p)
{
    const sweep_how how = {.relaxation = 1.0};
    local_begin(&w->local, problem, NULL);
    sweep_begin(&w->sweep, problem, p);
    for (int k = 0; k < tuned.sweeps; ++k) sweep_all(&w->sweep, problem, &w->local, &how, NULL, p);
}

static void start(scree_solver *s, const scree_problem *problem, double rho, double *p, monitor *m)
{
    newton *w = s->work;
    if (!s->swept || !(m->residual <= tuned.near)) {
        start_by_sweeps(w, problem, p);
        m->work += tuned.sweeps * work_of_sweep(problem, 0);
    }
    prepare(w, problem, p);
    copy(w, w->x, w->x_k);
    w->rho = rho, w->failures = w->variant = w->inside = 0;
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    newton *w = s->work;
    if (!s->resumes && monitor_check(m, p)) return;
    double first = s->options.penalty > 0.0 ? s->options.penalty : tuned.rho,
           least = number_min(first, tuned.rho_least);
    if (!s->resumes) start(s, problem, first, p, m);
    while (w->failures < tuned.failures) {
        w->step = tuned.step[w->variant], w->patience = tuned.patience[w->variant];
        if (!w->inside) copy(w, w->x_k, w->x);
        block_matrix_apply(w->W, 0, w->x, w->Wx);
        ending end = proximal_step(w, problem, p, m);
        w->inside = end == STOPPED;
        if (end == STOPPED) return;
        if (end == EXHAUSTED) break;
        if (end == REACHED) {
            copy(w, w->x, w->x_k);
            w->rho = number_max(w->rho * tuned.fall, least);
            w->failures = 0;
        } else {
            w->rho = number_min(w->rho * tuned.rise, tuned.rho_most);
            w->variant = (w->variant + 1) % VARIANTS;
            w->failures += 1;
        }
        if (m->iterations - m->best_iterations > tuned.stall) break;
    }
    m->outcome = SCREE_OUTCOME_STALLED;
}

const scree_solver_class solver_newton = {
    .name = "newton",
    .summary = "proximal semismooth Newton on all contacts at once; both laws, bounded rows; 1e-8 to 1e-12 on rigid "
               "stacks, up to about a thousand contacts",
    .laws = LAW_BOTH,
    .takes_bounds = 1,
    .matrix_free = 0,
    .default_iterations = 1000,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
