/* path_factor.c: solutions with J = A + B (W + rho 1) along the path (path.h).                           docs/solvers/path.md
 *
 * An event changes the rows of one contact in J, so the factor is kept: with E the unit vectors of the rows of all contacts flipped since,
 *     P^-1 b = v - T (J_E T)^-1 (J_E v - b_E),      v = J_0^-1 b,  T = J_0^-1 E,     det P = det J_0 det(J_E T),          [Woodbury]
 * three to six solutions an event. P is J but for what has moved since: solutions with J are made by GMRES with P^-1, which needs a step for
 * each direction in which the two differ. The product of the eigenvalues of P^-1 J that it finds tells whether their determinants have the
 * same sign; where not, or where it takes too many steps, J is factorised again. */
#include "solvers/path.h"

#include "math/dense.h"
#include "solvers/work.h"

#include <string.h>

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

int path_factor_capacity(path *w, const scree_problem *problem, double rho)
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

/// The sign of the determinant of the leading k x k part of an upper Hessenberg matrix (columns of KRYLOV + 1), by elimination.
static int hessenberg_sign(int k, const double *H)
{
    double row[KRYLOV], next[KRYLOV];
    int sign = 1;
    for (int j = 0; j < k; ++j) row[j] = H[j * (KRYLOV + 1)];
    for (int i = 0; i < k; ++i) {
        for (int j = i; j < k && i + 1 < k; ++j) next[j] = H[j * (KRYLOV + 1) + i + 1];
        if (i + 1 < k && fabs(next[i]) > fabs(row[i])) {
            sign = -sign;
            for (int j = i; j < k; ++j) {
                double swap = row[j];
                row[j] = next[j], next[j] = swap;
            }
        }
        if (row[i] == 0.0) return 0;
        if (row[i] < 0.0) sign = -sign;
        for (int j = i + 1; j < k && i + 1 < k; ++j) row[j] = next[j] - next[i] / row[i] * row[j];
    }
    return sign;
}

/// x = J^-1 b by GMRES with P^-1 on the right: what has changed since P in few rows costs as many steps. 0: it takes too many, or the
/// determinants of J and P differ in sign (but for rounding, where P is `fresh`), and the factor must be made again.
static int solve_true(path *w, const scree_problem *problem, double rho, const double *b, int fresh, double *x,
                      monitor *m)
{
    double H[KRYLOV * (KRYLOV + 1)], R[KRYLOV * (KRYLOV + 1)], c[KRYLOV], s[KRYLOV], g[KRYLOV + 1];
    double *V = w->krylov, size = norm(w->n, b), left = size;
    size_t n = (size_t)w->n;
    int k = 0, most = (int)number_min(number_max(scaled_factor_work(&w->scaled) / scaled_solve_work(&w->scaled), 8.0),
                                      (double)KRYLOV);
    if (fresh) most = KRYLOV;
    w->krylov_sign = 1;
    memset(x, 0, n * sizeof *x);
    if (!(size > 0.0)) return 1;
    for (size_t i = 0; i < n; ++i) V[i] = b[i] / size;
    g[0] = size;
    for (; k < most && left > 1e-9 * size; ++k) {
        double *v = V + (size_t)(k + 1) * n, *h = H + k * (KRYLOV + 1), *r = R + k * (KRYLOV + 1);
        solve_kept(w, problem, V + (size_t)k * n, w->v, m);
        for (int e = 0; e < problem->block_count; ++e) jacobian_rows(w, problem, e, rho, w->v, v + problem->offset[e]);
        for (int i = 0; i <= k; ++i) {
            h[i] = dot(w->n, V + (size_t)i * n, v);
            for (size_t j = 0; j < n; ++j) v[j] -= h[i] * V[(size_t)i * n + j];
        }
        h[k + 1] = norm(w->n, v);
        for (size_t j = 0; j < n && h[k + 1] > 0.0; ++j) v[j] /= h[k + 1];
        m->work += scaled_product_work(&w->scaled) + 4.0 * WORK_ENTRY * (double)n * (k + 1);
        memcpy(r, h, (size_t)(k + 2) * sizeof *r);
        for (int i = 0; i < k; ++i) {
            double t = c[i] * r[i] + s[i] * r[i + 1];
            r[i + 1] = c[i] * r[i + 1] - s[i] * r[i], r[i] = t;
        }
        double length = sqrt(r[k] * r[k] + r[k + 1] * r[k + 1]);
        if (!(length > 0.0) || !(length <= DBL_MAX)) return 0;
        c[k] = r[k] / length, s[k] = r[k + 1] / length, r[k] = length;
        g[k + 1] = -s[k] * g[k], g[k] *= c[k];
        left = fabs(g[k + 1]);
    }
    w->krylov_sign = hessenberg_sign(k, H);
    if (left > 1e-6 * size || (w->krylov_sign != 1 && !fresh)) return 0;
    for (int i = k - 1; i >= 0; --i) {
        for (int j = i + 1; j < k; ++j) g[i] -= R[j * (KRYLOV + 1) + i] * g[j];
        g[i] /= R[i * (KRYLOV + 1) + i];
    }
    memset(w->r, 0, n * sizeof *w->r);
    for (int i = 0; i < k; ++i)
        for (size_t j = 0; j < n; ++j) w->r[j] += g[i] * V[(size_t)i * n + j];
    solve_kept(w, problem, w->r, x, m);
    return 1;
}

int path_factorise(path *w, const scree_problem *problem, double rho, monitor *m)
{
    w->flips = w->columns = w->stale = 0, w->capacity_sign = 1, w->rho_kept = rho;
    int done = scaled_factor(&w->scaled, problem, w->A, w->B, rho);
    double work = scaled_factor_work(&w->scaled);
    m->work += work, w->until_finish -= work;
    w->sign = done ? scaled_determinant_sign(&w->scaled) : 0;
    return w->sign != 0;
}

int path_sign(const path *w)
{
    return w->sign * w->capacity_sign * w->krylov_sign;
}

void path_flip(path *w, const scree_problem *problem, const event *e, monitor *m)
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

/// b = B v, block by block.
static void times_B(const path *w, const scree_problem *problem, const double *v, double *b)
{
    for (int c = 0; c < problem->block_count; ++c) {
        int at = problem->offset[c];
        matvec_add(problem->offset[c + 1] - at, w->B + problem->diagonal_at[c], v + at, NULL, b + at);
    }
}

void path_newton_step(path *w, const scree_problem *problem, double rho, monitor *m)
{
    times_B(w, problem, w->off, w->b);
    solve_kept(w, problem, w->b, w->d, m);
    for (int i = 0; i < w->n; ++i) w->d[i] = -w->d[i];
    block_matrix_apply(w->scaled.W, 0, w->d, w->d_y);
    for (int i = 0; i < w->n; ++i) w->d_y[i] += rho * w->d[i] + w->off[i];
    m->work += 2.0 * scaled_product_work(&w->scaled);
}

int path_tangent(path *w, const scree_problem *problem, double rho, const double *x_at, int fresh, double *z,
                 monitor *m)
{
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], k = problem->offset[b + 1] - at;
        const double *B = w->B + problem->diagonal_at[b];
        for (int i = 0; i < k; ++i) {
            w->d[at + i] = 0.0;
            for (int j = 0; j < k; ++j) w->d[at + i] += B[i * k + j] * rho * (x_at[at + j] - w->x0[at + j]);
        }
    }
    return solve_true(w, problem, rho, w->d, fresh, z, m);
}
