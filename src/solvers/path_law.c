/* path_law.c: the law with fixed modes (path.h): matrices, and motion on its graph.                     docs/solvers/path.md
 *
 * The state (x, y) of every contact lies on the graph of the law: open x = 0; stuck y = 0; sliding l = c R u, v = -s u. A sliding contact is
 * moved by R, the angle of u and s, not by l and v: its slip s may be a millionth of its load, and the arc that a straight step of l misses,
 * c R angle^2/2, would be more than that and turn the slip by any angle. What is left is the balance of velocities,
 *     off = W x + q + rho (x - x0) - y,      which Newton's step  J dx = -B off,  dy = (W + rho) dx + off  takes away. */
#include "solvers/path.h"

#include "math/dense.h"
#include "math/elementary.h"

#include <string.h>

void path_velocity(const path *w, const double *x, double rho, const double *centre, double *y)
{
    block_matrix_apply(w->scaled.W, 0, x, y);
    for (int i = 0; i < w->n; ++i) y[i] += w->scaled.q[i] + rho * (x[i] - centre[i]);
}

/// A = dF/dx and B = dF/dy of a friction that slides: F = l - c R u, u = (l - v)/|l - v|; at its diagonal entry in the block.
static void slide(int m, double c, double R, const double *l, const double *v, int dim, double *A, double *B,
                  double *A_R, double *B_R)
{
    double u[2] = {0}, length = 0.0;
    for (int i = 0; i < m; ++i) u[i] = l[i] - v[i], length += u[i] * u[i];
    length = sqrt(length);
    double bend = length > 0.0 ? c * R / length : 0.0;
    for (int i = 0; i < m; ++i) u[i] = length > 0.0 ? u[i] / length : 0.0;
    for (int i = 0; i < m; ++i) {
        A_R[i * dim] = -c * u[i], B_R[i * dim] = c * u[i];
        for (int j = 0; j < m; ++j) {
            double J = bend * ((i == j) - u[i] * u[j]);
            A[i * dim + j] = (i == j) - J, B[i * dim + j] = J;
        }
    }
}

void path_matrices(path *w, const scree_problem *problem, const double *x, const double *y)
{
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], dim = problem->offset[b + 1] - at, mode = w->mode[b];
        double *A = w->A + problem->diagonal_at[b], *B = w->B + problem->diagonal_at[b];
        memset(A, 0, (size_t)(dim * dim) * sizeof *A), memset(B, 0, (size_t)(dim * dim) * sizeof *B);
        if (b >= problem->contact_count) {
            A[0] = mode != INSIDE, B[0] = mode == INSIDE;
        } else if (!(mode & CLOSED)) {
            for (int i = 0; i < dim; ++i) A[i * dim + i] = 1.0;
        } else {
            const scree_cone *c = &w->scaled.cone[b];
            B[0] = 1.0;
            for (int k = 0, i = 1; k < SCREE_FRICTION_KINDS; i += c->size[k++]) {
                if (mode & STICKS << k)
                    for (int j = i; j < i + c->size[k]; ++j) B[j * dim + j] = 1.0;
                else
                    slide(c->size[k], c->coef[k], x[at], x + at + i, y + at + i, dim, A + i * dim + i, B + i * dim + i,
                          A + i * dim, B + i * dim);
            }
        }
    }
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

/// The sliding load l = c R u, slip v = -s u of one friction, moved along: R, the angle of u, and s change by what (dl, dv) gives them.
static void move_slide(int m, double c, double R, const double *l, const double *v, double h, const double *dl,
                       const double *dv, double *l_n, double *v_n)
{
    double u[2] = {0}, length = 0.0, s = 0.0, turn = 0.0;
    for (int i = 0; i < m; ++i) u[i] = l[i] - v[i], length += u[i] * u[i];
    length = sqrt(length);
    for (int i = 0; i < m; ++i) u[i] = length > 0.0 ? u[i] / length : i == 0;
    for (int i = 0; i < m; ++i) s -= v[i] * u[i];
    for (int i = 0; h != 0.0 && i < m; ++i) s -= h * dv[i] * u[i];
    if (m == 2 && h != 0.0 && length > 0.0) turn = h * ((dl[1] - dv[1]) * u[0] - (dl[0] - dv[0]) * u[1]) / length;
    if (turn != 0.0) {
        double cosine = real_cos(turn), sine = real_sin(turn), u_0 = u[0];
        u[0] = cosine * u_0 - sine * u[1], u[1] = sine * u_0 + cosine * u[1];
    }
    for (int i = 0; i < m; ++i) l_n[i] = c * R * u[i], v_n[i] = -s * u[i];
}

void path_move(const path *w, const scree_problem *problem, const double *x, const double *y, double h,
               const double *dx, const double *dy, double *x_n, double *y_n)
{
    for (int b = 0; b < problem->block_count; ++b) {
        int at = problem->offset[b], end = problem->offset[b + 1], mode = w->mode[b];
        if (b >= problem->contact_count) {
            double S = problem->bound[b - problem->contact_count] / w->scaled.D[at];
            double x_b = x[at] + h * dx[at], y_b = y[at] + h * dy[at];
            x_n[at] = mode == INSIDE ? x_b : mode == AT_MOST ? S : -S, y_n[at] = mode == INSIDE ? 0.0 : y_b;
        } else if (!(mode & CLOSED)) {
            for (int i = at; i < end; ++i) y_n[i] = y[i] + h * dy[i], x_n[i] = 0.0;
        } else {
            const scree_cone *c = &w->scaled.cone[b];
            double R = x[at] + h * dx[at];
            x_n[at] = R, y_n[at] = 0.0;
            for (int k = 0, i = at + 1; k < SCREE_FRICTION_KINDS; i += c->size[k++]) {
                if (mode & STICKS << k)
                    for (int j = i; j < i + c->size[k]; ++j) x_n[j] = x[j] + h * dx[j], y_n[j] = 0.0;
                else move_slide(c->size[k], c->coef[k], R, x + i, y + i, h, dx + i, dy + i, x_n + i, y_n + i);
            }
        }
    }
}

void path_take_modes(path *w, const scree_problem *problem, int all, double *x, double *y)
{
    memcpy(w->mode_before, w->mode, (size_t)problem->block_count);
    natural_modes(w, problem, x, y);
    for (int b = 0; b < problem->block_count; ++b) {
        if (!all && w->mode[b] == w->mode_before[b]) continue;
        int at = problem->offset[b], end = problem->offset[b + 1], mode = w->mode[b];
        double z[SCREE_DIM_MAX];
        for (int i = at; i < end; ++i) z[i - at] = x[i] - y[i];
        if (b >= problem->contact_count) {
            double S = problem->bound[b - problem->contact_count] / w->scaled.D[at];
            x[at] = mode == INSIDE ? z[0] : mode == AT_MOST ? S : -S;
        } else {
            const scree_cone *c = &w->scaled.cone[b];
            for (int i = at; i < end; ++i) x[i] = mode & CLOSED ? z[i - at] : 0.0;
            for (int k = 0, i = at + 1; k < SCREE_FRICTION_KINDS && mode & CLOSED; i += c->size[k++]) {
                if (mode & STICKS << k || !c->size[k]) continue;
                double length = norm(c->size[k], z + i - at), f = length > 0.0 ? c->coef[k] * z[0] / length : 0.0;
                for (int j = i; j < i + c->size[k]; ++j) x[j] *= f;
            }
        }
        for (int i = at; i < end; ++i) y[i] = x[i] - z[i - at];
    }
}

double path_imbalance(const path *w, const double *x, const double *y, double rho, const double *centre, double *off)
{
    path_velocity(w, x, rho, centre, off);
    double sum = 0.0;
    for (int i = 0; i < w->n; ++i) off[i] -= y[i], sum += off[i] * off[i];
    return sqrt(sum);
}
