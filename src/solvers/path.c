/* path.c: the compliance path: from the solution of a softer problem to that of the given one.            docs/solvers/path.md
 *
 *     F(x, y) = 0  the law at every contact (Alart-Curnier),      y = W x + q + rho (x - x0),      rho = rho_1 e^-t,  t = 0 -> infinity
 *
 * in scaled variables (scaled.h), x0 the point it starts from. For large rho the answer is unique, and Newton finds it. From there the
 * curve of solutions is followed: between two events (a contact opens, closes, sticks or slides) the modes are fixed and the curve is
 * smooth, at an event one mode is flipped. t runs along the curve in the sense of the sign of
 *     det J,      J = A + B (W + rho 1),   A = dF/dx,  B = dF/dy,
 * so that folds, where t turns round, are no special case, and unstable modes, on which every iteration of sweeps or proximal steps
 * diverges, are passed: nothing is iterated but the corrector. Now and then, and at the end, a few proximal Newton steps (finish) try to
 * take the point to rho = 0.
 *
 * An event changes the rows of one contact in J, so the factor is kept: with E the unit vectors of the rows of all contacts flipped since,
 *     P^-1 b = v - T (J_E T)^-1 (J_E v - b_E),      v = J_0^-1 b,  T = J_0^-1 E,     det P = det J_0 det(J_E T),          [Woodbury]
 * three to six solutions an event. P is J but for what has moved since; solutions with J are refined with its product, and where that
 * contracts slowly, or many contacts have flipped, J is factorised anew. While it contracts, P^-1 J has no eigenvalue at or below 0, and
 * the signs of the determinants agree. */
#include "solvers/solver_private.h"

#include "math/dense.h"
#include "math/elementary.h"
#include "solvers/scaled.h"
#include "solvers/work.h"

#include <string.h>

enum { CLOSED = 1, STICKS = 2 };                /* mode of a contact: bits; STICKS << k of friction k                */
enum { INSIDE = 0, AT_MOST = 1, AT_LEAST = 2 }; /* mode of a bounded row                                             */
enum { COLUMNS = 96 };                          /* of T                                                              */

typedef struct tuning {
    double near;                     /* a start with this residual is left as it is; else:                      */
    int sweeps;                      /* with momentum before the first point                                    */
    double rho, rho_least, rho_most; /* first; the end; of first ones tried                                     */
    double scale;                    /* change of x, relative to |x0|, that counts as much as a change of t by 1   */
    double step_most;                /* along the curve                                                         */
    double turn;                     /* rad, of any sliding load in a step                                      */
    double accuracy;                 /* |F| over rho |x - x0|                                                   */
    double chord;                    /* contraction of the corrector above which J is factorised anew           */
    double refine;                   /* the same of solutions with J                                            */
    double finish_every;             /* in factorisations                                                       */
    double finish_rho, finish_fall, finish_gain;
    int finish_steps, finish_rounds;
    int tries, ties;   /* steps tried at a point; after so many another event may be passed                    */
    int rests, nudges; /* flips without a step; shifts of x0                                                   */
    double nudge;      /* relative                                                                             */
    double flop_limit; /* of a block factorisation; above: UMFPACK                                             */
} tuning;

static const tuning tuned = {.near = 0.03,
                             .sweeps = 5000,
                             .rho = 0.1,
                             .rho_least = 1e-9,
                             .rho_most = 100.0,
                             .scale = 0.01,
                             .step_most = 0.5,
                             .turn = 0.3,
                             .accuracy = 1e-3,
                             .chord = 0.5,
                             .refine = 0.5,
                             .finish_every = 40.0,
                             .finish_rho = 1e-4,
                             .finish_fall = 0.2,
                             .finish_gain = 0.7,
                             .finish_steps = 7,
                             .finish_rounds = 14,
                             .tries = 18,
                             .ties = 9,
                             .rests = 6,
                             .nudges = 6,
                             .nudge = 1e-4,
                             .flop_limit = 2e9};

/// Which condition of which block changes: kind 0 the normal (or the bound), 1 + k friction k.
typedef struct event {
    int block, kind;
    double h; /* along the tangent */
} event;

typedef struct path {
    scaled scaled;
    scree_solver *sweeps; /* of a cold start; NULL: not used yet                      */
    int n;
    double *x0, *x, *y;         /* (n) centre, the point on the curve                       */
    double *z, *dx, *dy;        /* (n) dx/dt; the direction                                 */
    double *x_n, *y_n, *z_n;    /* (n) the point tried, and dx/dt for it                    */
    double *F, *d, *Wd, *r, *v; /* (n)                                                      */
    double *x_k;                /* (n) centre of finish                                     */
    double *A, *B;              /* of the last maps, as the problem's diagonal              */
    unsigned char *mode;        /* (blocks)                                                 */
    unsigned char *mode_kept;   /* (blocks) while finish tries                              */
    double t, rho_1, size;      /* size: |x0|                                               */
    double cap;                 /* step                                                     */
    double least;               /* rho                                                      */
    double until_finish;        /* work                                                     */
    event last;                 /* flipped last; block -1: none                             */
    int rests, nudges;          /* flips of the same without a step                         */
    int stale;                  /* the factor is not of this point                          */
    int sign;                   /* of det J_0                                               */
    double rho_kept;            /* of P                                                     */
    int flips, columns;         /* since                                                    */
    int flipped[COLUMNS];       /* blocks                                                   */
    int column_of[COLUMNS];     /* first column of each                                     */
    double *T;                  /* (COLUMNS x n)                                            */
    double *capacity;           /* (COLUMNS x COLUMNS) J_E T, factorised                    */
    int pivot[COLUMNS];
    int capacity_sign;
    uint64_t random;
} path;

/* ---- memory --------------------------------------------------------------------------------------------------------------- */

static void destroy(scree_solver *s)
{
    path *w = s->work;
    if (!w) return;
    scaled_destroy(&w->scaled, &s->allocator);
    scree_solver_destroy(w->sweeps);
    MEMORY_FREE_ALL(&s->allocator, w->x0, w->x, w->y, w->z, w->dx, w->dy, w->x_n, w->y_n, w->z_n, w->F, w->d, w->Wd,
                    w->r, w->v, w->x_k, w->A, w->B, w->mode, w->mode_kept, w->T, w->capacity, w);
}

static scree_status create(scree_solver *s, scree_problem *problem, scree_error *error)
{
    (void)error;
    const scree_allocator *a = &s->allocator;
    path *w = s->work = memory_array(a, 1, sizeof *w);
    if (!w) return SCREE_ERR_MEMORY;
    size_t blocks = (size_t)problem->block_count + 1, n = (size_t)problem->row_count + 1;
    w->n = problem->row_count;
    w->mode = memory_array(a, blocks, sizeof *w->mode);
    w->mode_kept = memory_array(a, blocks, sizeof *w->mode_kept);
    if (!w->mode || !w->mode_kept || !MEMORY_VECTORS(a, problem->diagonal_at[blocks - 1] + 1, &w->A, &w->B) ||
        !MEMORY_VECTORS(a, n, &w->x0, &w->x, &w->y, &w->z, &w->dx, &w->dy, &w->x_n, &w->y_n, &w->z_n, &w->F, &w->d,
                        &w->Wd, &w->r, &w->v, &w->x_k) ||
        !MEMORY_VECTORS(a, COLUMNS * n, &w->T) || !MEMORY_VECTORS(a, COLUMNS * COLUMNS, &w->capacity))
        return SCREE_ERR_MEMORY;
    return scaled_create(problem, s->original, tuned.flop_limit, a, &w->scaled);
}

/* ---- the law with fixed modes ----------------------------------------------------------------------------------------------- */

static double rho_of(const path *w, double t)
{
    return w->rho_1 * real_exp(-t);
}

static void velocity(const path *w, const double *x, double rho, const double *centre, double *y)
{
    block_matrix_apply(w->scaled.W, 0, x, y);
    for (int i = 0; i < w->n; ++i) y[i] += w->scaled.q[i] + rho * (x[i] - centre[i]);
}

/// F of a friction that slides: l - c R u, u = (l - v)/|l - v|, R = x_N - y_N; rows `at` of dF/dx and dF/dy.
static void slide(int m, double c, double R, const double *l, const double *v, double *F, int dim, double *A, double *B)
{
    double u[2] = {0}, length = 0.0;
    for (int i = 0; i < m; ++i) u[i] = l[i] - v[i], length += u[i] * u[i];
    length = sqrt(length);
    for (int i = 0; i < m; ++i) u[i] = length > 0.0 ? u[i] / length : 0.0, F[i] = l[i] - c * R * u[i];
    double bend = length > 0.0 ? c * R / length : 0.0;
    for (int i = 0; A && i < m; ++i) { /* A, B: at this row of the block, and column 0 of these components */
        for (int j = 0; j < m; ++j) {
            double J = bend * ((i == j) - u[i] * u[j]);
            A[i * dim + j] = (i == j) - J, B[i * dim + j] = J;
        }
    }
}

/// F at (x, y) with the modes of w, and with `derivative` A and B. Returns |F|.
static double maps(path *w, const scree_problem *problem, const double *x, const double *y, int derivative)
{
    double sum = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], dim = problem->offset[b + 1] - at, mode = w->mode[b];
        double *F = w->F + at, *A = w->A + problem->diagonal_at[b], *B = w->B + problem->diagonal_at[b];
        if (derivative) memset(A, 0, (size_t)(dim * dim) * sizeof *A), memset(B, 0, (size_t)(dim * dim) * sizeof *B);
        if (b >= problem->contact_count) {
            double S = problem->bound[b - problem->contact_count] / w->scaled.D[at];
            F[0] = mode == INSIDE ? y[at] : x[at] - (mode == AT_MOST ? S : -S);
            if (derivative) A[0] = mode != INSIDE, B[0] = mode == INSIDE;
        } else if (!(mode & CLOSED)) {
            for (int i = 0; i < dim; ++i) {
                F[i] = x[at + i];
                if (derivative) A[i * dim + i] = 1.0;
            }
        } else {
            const scree_cone *c = &w->scaled.cone[b];
            double R = x[at] - y[at];
            F[0] = y[at];
            if (derivative) B[0] = 1.0;
            for (int k = 0, i = 1; k < SCREE_FRICTION_KINDS; i += c->size[k++]) {
                int m = c->size[k];
                if (mode & STICKS << k) {
                    for (int j = i; j < i + m; ++j) {
                        F[j] = y[at + j];
                        if (derivative) B[j * dim + j] = 1.0;
                    }
                    continue;
                }
                double *A_i = derivative ? A + i * dim + i : NULL, *B_i = derivative ? B + i * dim + i : NULL;
                slide(m, c->coef[k], R, x + at + i, y + at + i, F + i, dim, A_i, B_i);
                for (int j = i; derivative && j < i + m; ++j) { /* by R: the load it stands for is (l - F)/R */
                    double cu = R != 0.0 ? (x[at + j] - F[j]) / R : 0.0;
                    A[j * dim] = -cu, B[j * dim] = cu;
                }
            }
        }
        sum += dot(dim, F, F);
    }
    return sqrt(sum);
}

/// The modes that (x, y) ask for by themselves.
static void natural_modes(path *w, const scree_problem *problem, const double *x, const double *y)
{
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b];
        double R = x[at] - y[at];
        if (b >= problem->contact_count) {
            double S = problem->bound[b - problem->contact_count] / w->scaled.D[at];
            w->mode[b] = S > DBL_MAX || fabs(R) < S ? INSIDE : R > 0.0 ? AT_MOST : AT_LEAST;
            continue;
        }
        const scree_cone *c = &w->scaled.cone[b];
        int mode = R > 0.0 ? CLOSED : 0;
        for (int k = 0, i = at + 1; k < SCREE_FRICTION_KINDS; i += c->size[k++]) {
            double l = 0.0;
            for (int j = i; j < i + c->size[k]; ++j) l += (x[j] - y[j]) * (x[j] - y[j]);
            if (mode && c->size[k] && c->coef[k] > 0.0 && sqrt(l) <= c->coef[k] * R) mode |= STICKS << k;
        }
        w->mode[b] = (unsigned char)mode;
    }
}

/* ---- events ------------------------------------------------------------------------------------------------------------------- */

typedef struct condition {
    double value, slope; /* >= 0 as long as the mode holds; its change along (dx, dy) */
    double quadratic;    /* sticking: (c r_N)^2 - |l|^2 = square + 2 linear h + quadratic h^2, else not used */
    double linear, square;
    int is_disk;
} condition;

/// The condition of one kind at (x, y), along (dx, dy). 0: the block has no such condition in its mode.
static int condition_of(const path *w, const scree_problem *problem, int b, int kind, const double *x, const double *y,
                        const double *dx, const double *dy, condition *g)
{
    int at = problem->offset[b], mode = w->mode[b];
    *g = (condition){0};
    if (b >= problem->contact_count) {
        double S = problem->bound[b - problem->contact_count] / w->scaled.D[at];
        if (kind > 0 || S > DBL_MAX) return 0;
        if (mode == INSIDE) { /* the nearer bound */
            double side = x[at] < 0.0 ? -1.0 : 1.0;
            g->value = S - side * x[at], g->slope = -side * dx[at];
        } else {
            double side = mode == AT_MOST ? -1.0 : 1.0;
            g->value = side * y[at], g->slope = side * dy[at];
        }
        return 1;
    }
    if (kind == 0) {
        g->value = mode & CLOSED ? x[at] : y[at];
        g->slope = mode & CLOSED ? dx[at] : dy[at];
        return 1;
    }
    const scree_cone *c = &w->scaled.cone[b];
    int k = kind - 1, i = at + 1;
    for (int j = 0; j < k; ++j) i += c->size[j];
    if (!(mode & CLOSED) || !c->size[k] || !(c->coef[k] > 0.0)) return 0;
    double mu = c->coef[k], l = 0.0, s = 0.0, q = 0.0;
    if (mode & STICKS << k) {
        for (int j = i; j < i + c->size[k]; ++j) l += x[j] * x[j], s += x[j] * dx[j], q += dx[j] * dx[j];
        g->is_disk = 1;
        g->square = number_max(mu * mu * x[at] * x[at] - l, 0.0);
        g->linear = mu * mu * x[at] * dx[at] - s, g->quadratic = mu * mu * dx[at] * dx[at] - q;
        g->value = mu * x[at] - sqrt(l), g->slope = mu * dx[at] - (l > 0.0 ? s / sqrt(l) : 0.0);
        return 1;
    }
    for (int j = i; j < i + c->size[k]; ++j) {
        double z = x[j] - y[j];
        l += z * z, s += z * (dx[j] - dy[j]);
    }
    l = sqrt(l);
    g->value = l - mu * (x[at] - y[at]), g->slope = (l > 0.0 ? s / l : 0.0) - mu * (dx[at] - dy[at]);
    return 1;
}

/// The first h >= 0 at which the condition is no longer met, along a straight line.
static double end_of(const condition *g)
{
    const double never = SCREE_INFINITY;
    if (!g->is_disk) return g->slope < 0.0 ? number_max(g->value, 0.0) / -g->slope : never;
    double a = g->quadratic, b = g->linear, c = g->square, D = b * b - a * c;
    if (!(c > 0.0)) return b < 0.0 ? 0.0 : a < 0.0 ? -2.0 * b / a : never;
    if (D < 0.0) return never;
    /* a h^2 + 2 b h + c = 0, the least positive root */
    double root = sqrt(D);
    if (b <= 0.0) return -b + root > 0.0 ? c / (-b + root) : never; /* both positive if a > 0 */
    return a < 0.0 ? (b + root) / -a : never;
}

static int same(const event *a, int block, int kind)
{
    return a->block == block && a->kind == kind;
}

/// The first event along the direction. What was flipped last at this point is not an event again unless its condition falls.
static event first_event(const path *w, const scree_problem *problem)
{
    event first = {.block = -1, .h = SCREE_INFINITY};
    condition g;
    for (int b = 0; b < problem->block_count; ++b)
        for (int kind = 0; kind <= SCREE_FRICTION_KINDS; ++kind) {
            if (!condition_of(w, problem, b, kind, w->x, w->y, w->dx, w->dy, &g)) continue;
            double h = end_of(&g);
            if (same(&w->last, b, kind) && h <= 1e-9 * tuned.step_most && (g.slope >= 0.0 || w->rests < 2)) continue;
            if (h < first.h) first = (event){b, kind, h};
        }
    return first;
}

/// Events but `e` that lie between x and x_n: conditions that fell below 0.
static int passed_others(const path *w, const scree_problem *problem, const event *e, double tolerance)
{
    condition g, g_0;
    for (int b = 0; b < problem->block_count; ++b)
        for (int kind = 0; kind <= SCREE_FRICTION_KINDS; ++kind) {
            if ((e && same(e, b, kind)) || !condition_of(w, problem, b, kind, w->x_n, w->y_n, w->dx, w->dy, &g))
                continue;
            if (!(g.value < -tolerance)) continue;
            condition_of(w, problem, b, kind, w->x, w->y, w->dx, w->dy, &g_0);
            if (g.value < g_0.value - 1e-12 * w->size) return 1;
        }
    return 0;
}

/// rad per step of the sliding load that turns fastest.
static double fastest_turn(const path *w, const scree_problem *problem)
{
    double most = 0.0;
    for (int b = 0; b < problem->contact_count; ++b) {
        const scree_cone *c = &w->scaled.cone[b];
        for (int k = 0, i = problem->offset[b] + 1; k < SCREE_FRICTION_KINDS; i += c->size[k++]) {
            if (!(w->mode[b] & CLOSED) || w->mode[b] & STICKS << k || c->size[k] != 2 || !(c->coef[k] > 0.0)) continue;
            double z[2] = {w->x[i] - w->y[i], w->x[i + 1] - w->y[i + 1]}, l = dot(2, z, z);
            double turn = z[0] * (w->dx[i + 1] - w->dy[i + 1]) - z[1] * (w->dx[i] - w->dy[i]);
            if (l > 0.0) most = number_max(most, fabs(turn) / l);
        }
    }
    return most;
}

/* ---- J, its factor, and what has flipped since ------------------------------------------------------------------------------- */

/// out (rows of block b) = (J v)_b for the A and B of the last maps.
static void jacobian_rows(const path *w, const scree_problem *problem, int b, double rho, const double *v, double *out)
{
    int at = problem->offset[b], m = problem->offset[b + 1] - at;
    double Wv[SCREE_DIM_MAX] = {0};
    const double *A = w->A + problem->diagonal_at[b], *B = w->B + problem->diagonal_at[b];
    block_row_apply(w->scaled.W, b, v, Wv);
    for (int i = 0; i < m; ++i) Wv[i] += rho * v[at + i];
    for (int i = 0; i < m; ++i) {
        out[i] = 0.0;
        for (int j = 0; j < m; ++j) out[i] += A[i * m + j] * v[at + j] + B[i * m + j] * Wv[j];
    }
}

/// J_E T for the A and B of the last maps, factorised with exchanges of rows. 0: singular.
static int factor_capacity(path *w, const scree_problem *problem, double rho)
{
    int n = w->columns;
    double *C = w->capacity;
    for (int f = 0; f < w->flips; ++f)
        for (int j = 0; j < n; ++j) {
            double rows[SCREE_DIM_MAX];
            int b = w->flipped[f], m = problem->offset[b + 1] - problem->offset[b];
            jacobian_rows(w, problem, b, rho, w->T + (size_t)j * (size_t)w->n, rows);
            for (int i = 0; i < m; ++i) C[(w->column_of[f] + i) * COLUMNS + j] = rows[i];
        }
    w->capacity_sign = 1, w->rho_kept = rho;
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(C[i * COLUMNS + k]) > fabs(C[p * COLUMNS + k])) p = i;
        w->pivot[k] = p;
        if (!(fabs(C[p * COLUMNS + k]) > 0.0)) return 0;
        for (int j = 0; p != k && j < n; ++j) {
            double swap = C[k * COLUMNS + j];
            C[k * COLUMNS + j] = C[p * COLUMNS + j], C[p * COLUMNS + j] = swap;
        }
        if ((p != k) != (C[k * COLUMNS + k] < 0.0)) w->capacity_sign = -w->capacity_sign;
        for (int i = k + 1; i < n; ++i) {
            double l = C[i * COLUMNS + k] /= C[k * COLUMNS + k];
            for (int j = k + 1; j < n && l != 0.0; ++j) C[i * COLUMNS + j] -= l * C[k * COLUMNS + j];
        }
    }
    return 1;
}

static void solve_capacity(const path *w, double *c)
{
    int n = w->columns;
    const double *C = w->capacity;
    for (int k = 0; k < n; ++k) {
        double swap = c[k];
        c[k] = c[w->pivot[k]], c[w->pivot[k]] = swap;
    }
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < k; ++j) c[k] -= C[k * COLUMNS + j] * c[j];
    for (int k = n - 1; k >= 0; --k) {
        for (int j = k + 1; j < n; ++j) c[k] -= C[k * COLUMNS + j] * c[j];
        c[k] /= C[k * COLUMNS + k];
    }
}

/// x = P^-1 b.
static void solve_kept(path *w, const scree_problem *problem, const double *b, double *x, monitor *m)
{
    double c[COLUMNS];
    scaled_solve(&w->scaled, b, x);
    m->work += scaled_solve_work(&w->scaled);
    if (!w->flips) return;
    for (int f = 0; f < w->flips; ++f) {
        int block = w->flipped[f], at = problem->offset[block];
        jacobian_rows(w, problem, block, w->rho_kept, x, c + w->column_of[f]);
        for (int i = 0; at + i < problem->offset[block + 1]; ++i) c[w->column_of[f] + i] -= b[at + i];
    }
    solve_capacity(w, c);
    for (int j = 0; j < w->columns; ++j) {
        const double *T = w->T + (size_t)j * (size_t)w->n;
        for (int i = 0; i < w->n; ++i) x[i] -= T[i] * c[j];
    }
    m->work += 2.0 * WORK_ENTRY * w->columns * w->n;
}

/// x = J^-1 b by refinement. 0: it contracts too slowly, and the factor must be made anew.
static int solve_true(path *w, const scree_problem *problem, double rho, const double *b, double *x, monitor *m)
{
    double size = norm(w->n, b), last = size;
    solve_kept(w, problem, b, x, m);
    for (int k = 0; k < 12; ++k) {
        for (int c = 0; c < problem->block_count; ++c) jacobian_rows(w, problem, c, rho, x, w->r + problem->offset[c]);
        for (int i = 0; i < w->n; ++i) w->r[i] = b[i] - w->r[i];
        m->work += scaled_product_work(&w->scaled);
        double left = norm(w->n, w->r);
        if (left <= 1e-9 * size) return 1;
        if (!(left < tuned.refine * last)) return left <= 1e-6 * size;
        last = left;
        solve_kept(w, problem, w->r, w->v, m);
        for (int i = 0; i < w->n; ++i) x[i] += w->v[i];
    }
    return 0;
}

/// J of the last maps.
static int factor(path *w, const scree_problem *problem, double rho, monitor *m)
{
    w->flips = w->columns = w->stale = 0, w->capacity_sign = 1, w->rho_kept = rho;
    int done = scaled_factor(&w->scaled, problem, w->A, w->B, rho);
    double work = scaled_factor_work(&w->scaled);
    m->work += work, w->until_finish -= work;
    w->sign = done ? scaled_determinant_sign(&w->scaled) : 0;
    return w->sign != 0;
}

static int sign_of(const path *w)
{
    return w->sign * w->capacity_sign;
}

/// The other mode of one contact; its rows in J are no longer those of the factor.
static void flip(path *w, const scree_problem *problem, const event *e, monitor *m)
{
    int b = e->block, at = problem->offset[b], rows = problem->offset[b + 1] - at;
    if (b >= problem->contact_count) w->mode[b] = w->mode[b] != INSIDE ? INSIDE : w->x[at] > 0.0 ? AT_MOST : AT_LEAST;
    else if (e->kind > 0) w->mode[b] ^= (unsigned char)(STICKS << (e->kind - 1));
    else {
        w->mode[b] = w->mode[b] & CLOSED ? 0 : CLOSED;
        if (!w->mode[b]) memset(w->x + at, 0, (size_t)rows * sizeof *w->x);
    }
    for (int f = 0; f < w->flips; ++f)
        if (w->flipped[f] == b) return;
    if (w->stale || w->columns + rows > COLUMNS) {
        w->stale = 1;
        return;
    }
    w->flipped[w->flips] = b, w->column_of[w->flips] = w->columns, w->flips += 1;
    memset(w->r, 0, (size_t)w->n * sizeof *w->r);
    for (int i = 0; i < rows; ++i) {
        w->r[at + i] = 1.0;
        scaled_solve(&w->scaled, w->r, w->T + (size_t)w->columns++ * (size_t)w->n);
        w->r[at + i] = 0.0;
        m->work += scaled_solve_work(&w->scaled);
    }
}

/* ---- Newton with natural modes: the start, and finish ------------------------------------------------------------------------- */

/// Solves F = 0 at a fixed rho from x (in place), full steps. 1: |F| <= target.
static int newton_at(path *w, const scree_problem *problem, double rho, const double *centre, int steps, double target,
                     double *x, double *y, monitor *m)
{
    double best = (double)INFINITY;
    int since = 0;
    w->stale = 1;
    for (int k = 0;; ++k) {
        velocity(w, x, rho, centre, y);
        natural_modes(w, problem, x, y);
        double f = maps(w, problem, x, y, 1);
        if (f <= target) return 1;
        if (!(f <= 1e100) || k == steps) return 0;
        if (f < 0.9 * best) best = f, since = 0;
        else if (++since > 4) return 0;
        if (!scaled_factor(&w->scaled, problem, w->A, w->B, rho)) return 0;
        m->work += scaled_factor_work(&w->scaled) + scaled_solve_work(&w->scaled) + scaled_product_work(&w->scaled);
        m->iterations += 1;
        scaled_solve(&w->scaled, w->F, w->d);
        for (int i = 0; i < w->n; ++i) x[i] -= w->d[i];
    }
}

/// The residual of x, by the monitor. 1: it says stop.
static int check(path *w, const double *x, double *p, monitor *m)
{
    block_matrix_apply(w->scaled.W, 0, x, w->Wd);
    for (int i = 0; i < w->n; ++i) {
        p[i] = w->scaled.D[i] * x[i];
        w->Wd[i] = (w->Wd[i] + w->scaled.q[i]) / w->scaled.D[i];
    }
    m->work += scaled_product_work(&w->scaled);
    return monitor_check_velocity(m, p, w->Wd);
}

/// Proximal Newton steps from the point of the path, with a falling weight, as long as they gain. 1: the monitor says stop.
static int finish(path *w, const scree_problem *problem, double *p, monitor *m)
{
    size_t bytes = (size_t)w->n * sizeof *w->x;
    double rho = number_min(tuned.finish_rho, rho_of(w, w->t)), last = (double)INFINITY;
    int stop = 0;
    memcpy(w->mode_kept, w->mode, (size_t)problem->block_count);
    memcpy(w->x_k, w->x, bytes);
    for (int k = 0; k < tuned.finish_rounds && !stop; ++k, rho *= tuned.finish_fall) {
        memcpy(w->x_n, w->x_k, bytes);
        velocity(w, w->x_n, 0.0, w->x_n, w->y_n);
        natural_modes(w, problem, w->x_n, w->y_n);
        double f = maps(w, problem, w->x_n, w->y_n, 0), target = number_max(1e-4 * f, 3e-15 * w->size);
        if (!newton_at(w, problem, rho, w->x_k, tuned.finish_steps, target, w->x_n, w->y_n, m)) break;
        stop = check(w, w->x_n, p, m);
        if (!(m->residual <= tuned.finish_gain * last)) break;
        last = m->residual;
        memcpy(w->x_k, w->x_n, bytes);
    }
    memcpy(w->mode, w->mode_kept, (size_t)problem->block_count);
    w->stale = 1, w->until_finish = tuned.finish_every * scaled_factor_work(&w->scaled);
    return stop;
}

/* ---- along the curve ------------------------------------------------------------------------------------------------------------ */

/// dy/dt by itself, x held: -rho (x - x0).
static double drift(const path *w, double rho, int i)
{
    return -rho * (w->x[i] - w->x0[i]);
}

/// z = dx/dt at the last maps, for the centre distance of x_at. 0: the factor must be made anew.
static int tangent(path *w, const scree_problem *problem, double rho, const double *x_at, double *z, monitor *m)
{
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], k = problem->offset[b + 1] - at;
        const double *B = w->B + problem->diagonal_at[b];
        for (int i = 0; i < k; ++i) {
            w->d[at + i] = 0.0;
            for (int j = 0; j < k; ++j) w->d[at + i] += B[i * k + j] * rho * (x_at[at + j] - w->x0[at + j]);
        }
    }
    return solve_true(w, problem, rho, w->d, z, m);
}

/// Maps, factor and tangent at the point. 0: J is singular.
static int prepare_point(path *w, const scree_problem *problem, double rho, monitor *m)
{
    velocity(w, w->x, rho, w->x0, w->y);
    double f = maps(w, problem, w->x, w->y, 1);
    m->work += scaled_product_work(&w->scaled);
    if (w->stale ? !factor(w, problem, rho, m) : w->flips && !factor_capacity(w, problem, rho)) {
        if (w->stale || !factor(w, problem, rho, m)) return 0;
    }
    if (f > 1e-13 * w->size) { /* one step back to the curve */
        solve_kept(w, problem, w->F, w->d, m);
        for (int i = 0; i < w->n; ++i) w->x_n[i] = w->x[i] - w->d[i];
        velocity(w, w->x_n, rho, w->x0, w->y_n);
        if (maps(w, problem, w->x_n, w->y_n, 0) < 0.5 * f) {
            memcpy(w->x, w->x_n, (size_t)w->n * sizeof *w->x);
            memcpy(w->y, w->y_n, (size_t)w->n * sizeof *w->y);
        }
    }
    if (tangent(w, problem, rho, w->x, w->z, m)) return 1;
    return factor(w, problem, rho, m) && tangent(w, problem, rho, w->x, w->z, m);
}

typedef struct stride {
    double h, t;     /* along the direction; t where it ends                       */
    const event *at; /* it ends at this event, or on the plane across NULL         */
    int refactored;
} stride;

/// Corrects x_n = x + h dx onto the curve, in the plane across it or on the surface of the event. 1: done.
static int correct(path *w, const scree_problem *problem, double dt, double tolerance, stride *s, monitor *m)
{
    double weight = 1.0 / (tuned.scale * tuned.scale * w->size * w->size), last = (double)INFINITY;
    const double *z = w->z;
    s->t = w->t + s->h * dt;
    for (int i = 0; i < w->n; ++i) w->x_n[i] = w->x[i] + s->h * w->dx[i];
    for (int k = 0; k < 14; ++k) {
        double rho = rho_of(w, s->t);
        condition g = {0};
        velocity(w, w->x_n, rho, w->x0, w->y_n);
        double f = maps(w, problem, w->x_n, w->y_n, 0);
        m->work += 2.0 * scaled_product_work(&w->scaled);
        if (s->at) condition_of(w, problem, s->at->block, s->at->kind, w->x_n, w->y_n, w->dx, w->dy, &g);
        if (f <= tolerance && fabs(g.value) <= number_max(0.1 * tolerance, 1e-12 * w->size)) return 1;
        if (!(f <= 1e6 * w->size)) return 0;
        if (k > 0 && f > tuned.chord * last) {
            if (s->refactored) return 0;
            s->refactored = 1;
            maps(w, problem, w->x_n, w->y_n, 1);
            if (!factor(w, problem, rho, m) || !tangent(w, problem, rho, w->x_n, w->z_n, m)) return 0;
            z = w->z_n;
        }
        last = f;
        solve_kept(w, problem, w->F, w->d, m);
        for (int i = 0; i < w->n; ++i) w->d[i] = -w->d[i];
        double more;
        if (s->at) {
            double *d_y = w->r, *z_y = w->v;
            condition by_d, by_z;
            block_matrix_apply(w->scaled.W, 0, w->d, d_y);
            block_matrix_apply(w->scaled.W, 0, z, z_y);
            for (int i = 0; i < w->n; ++i) d_y[i] += rho * w->d[i], z_y[i] += rho * z[i] - rho * (w->x_n[i] - w->x0[i]);
            condition_of(w, problem, s->at->block, s->at->kind, w->x_n, w->y_n, w->d, d_y, &by_d);
            condition_of(w, problem, s->at->block, s->at->kind, w->x_n, w->y_n, z, z_y, &by_z);
            if (by_z.slope == 0.0) return 0;
            more = -(g.value + by_d.slope) / by_z.slope;
            if (!(fabs(more) <= 10.0 * s->h * fabs(dt) + 1e-6)) return 0;
        } else {
            more = -weight * dot(w->n, w->dx, w->d) / (weight * dot(w->n, w->dx, z) + dt);
        }
        for (int i = 0; i < w->n; ++i) w->x_n[i] += w->d[i] + z[i] * more;
        s->t += more;
    }
    return 0;
}

/// x0 moves a little at random, and the point with it: another curve close by, which meets its events one by one.
static int nudge(path *w, const scree_problem *problem, monitor *m)
{
    double size = tuned.nudge * w->size / sqrt(w->n + 1e-300);
    if (++w->nudges > tuned.nudges) return 0;
    for (int i = 0; i < w->n; ++i) {
        w->random = w->random * 6364136223846793005u + 1442695040888963407u;
        w->x0[i] += size * ((double)(w->random >> 11) * 0x1p-52 - 1.0);
    }
    w->last.block = -1, w->rests = 0;
    return newton_at(w, problem, rho_of(w, w->t), w->x0, 60, 1e-13 * w->size, w->x, w->y, m);
}

/// One step along the curve, to the next event or less. 0: no further.
static int advance(path *w, const scree_problem *problem, monitor *m)
{
    double rho = rho_of(w, w->t);
    if (!prepare_point(w, problem, rho, m)) return nudge(w, problem, m);
    double weight = 1.0 / (tuned.scale * tuned.scale * w->size * w->size), off = 0.0;
    double dt = sign_of(w) / sqrt(1.0 + weight * dot(w->n, w->z, w->z));
    for (int i = 0; i < w->n; ++i) w->dx[i] = w->z[i] * dt, off += (w->x[i] - w->x0[i]) * (w->x[i] - w->x0[i]);
    block_matrix_apply(w->scaled.W, 0, w->dx, w->dy);
    for (int i = 0; i < w->n; ++i) w->dy[i] += rho * w->dx[i] + dt * drift(w, rho, i);
    double tolerance = number_max(tuned.accuracy * rho * sqrt(off), 4e-15 * w->size);

    event e = first_event(w, problem);
    if (e.block >= 0 && !(e.h > 0.0)) { /* met, or passed, already */
        w->rests = same(&w->last, e.block, e.kind) ? w->rests + 1 : 0, w->last = e;
        if (w->rests > tuned.rests) return nudge(w, problem, m);
        flip(w, problem, &e, m);
        return 1;
    }
    double turn = fastest_turn(w, problem), free = turn > 0.0 ? number_min(w->cap, tuned.turn / turn) : w->cap;
    stride s = {.h = number_min(e.h, free)};
    int tries = 0, done = 0;
    for (; !done; ++tries) {
        s.at = s.h >= e.h ? &e : NULL, s.refactored = 0;
        done = correct(w, problem, dt, tolerance, &s, m);
        if (done && tries < tuned.ties && passed_others(w, problem, s.at, number_max(tolerance, 1e-12 * w->size)))
            done = 0;
        if (done) break;
        if (s.refactored) { /* the factor belongs to a point that was not reached */
            maps(w, problem, w->x, w->y, 1);
            if (!factor(w, problem, rho, m)) return nudge(w, problem, m);
        }
        if (tries == tuned.tries) return nudge(w, problem, m);
        s.h *= tries < 1 ? 0.4 : 0.25;
    }
    if (tries) w->cap = 1.2 * s.h;
    else if (!s.at || s.h > 0.5 * w->cap) w->cap = number_min(tuned.step_most, w->cap * (s.refactored ? 1.2 : 2.0));
    memcpy(w->x, w->x_n, (size_t)w->n * sizeof *w->x);
    w->t = s.t;
    if (!s.at) {
        w->last.block = -1, w->rests = 0;
        return 1;
    }
    w->rests = same(&w->last, e.block, e.kind) ? w->rests + 1 : 0, w->last = e;
    flip(w, problem, &e, m);
    return 1;
}

/// The point at rho_1, where the curve begins. 0: Newton does not find it.
static int start(scree_solver *s, const scree_problem *problem, const double *p, monitor *m)
{
    path *w = s->work;
    scaled_prepare(&w->scaled, problem, s->original);
    for (int i = 0; i < w->n; ++i) w->x0[i] = p[i] / w->scaled.D[i];
    w->size = norm(w->n, w->x0);
    w->t = 0.0, w->cap = tuned.step_most, w->last.block = -1, w->rests = w->nudges = 0;
    w->until_finish = 0.0, w->random = 0x9E3779B97F4A7C15u;
    if (!(w->size > 0.0)) return 0;
    for (w->rho_1 = tuned.rho; w->rho_1 <= tuned.rho_most; w->rho_1 *= 3.0) {
        memcpy(w->x, w->x0, (size_t)w->n * sizeof *w->x);
        if (newton_at(w, problem, w->rho_1, w->x0, 60, 1e-13 * w->size, w->x, w->y, m)) {
            w->least = w->rho_1;
            return 1;
        }
    }
    return 0;
}

/// Far from any solution the curve is long: sweeps come first. 1: the monitor says stop.
static int start_by_sweeps(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    path *w = s->work;
    scree_solver_options options = s->options;
    options.name = "momentum";
    if (!w->sweeps && solver_create_in(s->pool, problem, &options, &s->allocator, &w->sweeps, NULL) != SCREE_OK)
        return 0;
    int most = m->max_iterations;
    w->sweeps->options.max_iterations = tuned.sweeps < most ? tuned.sweeps : most;
    solver_run(w->sweeps, problem, p, m);
    m->name = s->class_->name, m->max_iterations = most, m->min_iterations = 0;
    memcpy(p, m->best_p, (size_t)w->n * sizeof *p);
    int stop = m->outcome != SCREE_OUTCOME_MAX_ITERATIONS || m->iterations >= most;
    m->outcome = stop ? m->outcome : SCREE_OUTCOME_STALLED;
    return stop;
}

static void solve(scree_solver *s, scree_problem *problem, double *p, monitor *m)
{
    path *w = s->work;
    m->outcome = SCREE_OUTCOME_STALLED;
    if (!s->resumes) {
        if (monitor_check(m, p)) return;
        if (!(m->residual <= tuned.near) && start_by_sweeps(s, problem, p, m)) return;
        if (!start(s, problem, p, m)) return;
    }
    for (;;) {
        double rho = rho_of(w, w->t);
        if (rho < w->least) {
            m->gained += real_log(w->least / rho) / real_log(10.0);
            w->least = rho;
        }
        if (w->until_finish <= 0.0 || rho <= tuned.rho_least) {
            if (finish(w, problem, p, m)) return;
            if (rho <= tuned.rho_least) break;
        }
        if (w->t < -12.0 || !advance(w, problem, m)) break;
        m->iterations += 1;
        if (check(w, w->x, p, m)) return;
    }
    m->outcome = SCREE_OUTCOME_STALLED;
}

const scree_solver_class solver_path = {
    .name = "path",
    .summary = "follows the solution from a softer problem to the given one, event by event; Coulomb law; piles on "
               "which sweeps and Newton fail, up to a few thousand rows",
    .laws = LAW_COULOMB,
    .takes_bounds = 1,
    .matrix_free = 0,
    .default_iterations = 20000,
    .create = create,
    .solve = solve,
    .destroy = destroy,
};
