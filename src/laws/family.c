/* family.c: solutions of one contact that are not isolated: the flat set of them through a given one.
 *
 * In a mode the law is linear. Write p = (r, x) in the scaled form of form.h. A load that moves with v_k = |v_k| e_k is x_k = -mu_k r e_k
 * and stays opposite to its velocity; one that rests has v_k = 0; a contact that touches has u_N = 0. A direction d leaves the mode as it is if
 *
 *     W_NN d_N + w.d = 0;    resting:  (P d + w d_N)_k = 0;    moving:  d_k = -mu_k d_N e_k,  e_k x (P d + w d_N)_k = 0
 *
 * and, for the convex law, whose velocities are unique, W (d_N, d) = 0. The null space of these rows is found by elimination with
 * complete pivoting. Along each of its directions what is left are inequalities: r >= 0, |x_k| <= mu_k r where it rests, |v_k| >= 0 where it
 * moves; each is linear or one quadratic in s, so the interval is in closed form. Its ends are solutions or it is given up.
 *
 * Two kinds occur. W is singular: some reactions move nothing, and the velocity is the same in the whole set. Or W is definite and a mode
 * is singular, as exactly on the border of Painleve's paradox with q_N = 0: then the velocity changes along the line.
 * Curved sets (3D, W_NN = 0 and P with two eigenvalues) are seen by their flat part only, where the contact sticks. [BD] section 4 lists
 * some of these cases for three components; all cones are treated alike here. */
#include "laws/contact.h"

#include <string.h>

enum { UNKNOWNS = SCREE_DIM_MAX, ROWS = 2 * SCREE_DIM_MAX };
static const double tiny = 1e-12; /* of a scaled contact, whose entries are near 1: what counts as 0 */

typedef struct point {
    double r, x[FORM_N], v[FORM_N]; /* load; velocity P x + w r + b */
} point;

typedef struct interval {
    double low, high;
} interval;

static double velocity_of(const contact_form *f, double q_N, const double *b, double r, const double *x, double *v)
{
    for (int i = 0; i < f->n; ++i) v[i] = b[i] + f->w[i] * r + dot(f->n, f->P + i * FORM_N, x);
    return q_N + f->W_NN * r + dot(f->n, f->w, x);
}

/* ---- the directions ------------------------------------------------------------------------------------------------- */

/// Row `out` over (d_N, d) of the change of velocity component i (-1: of u_N), times `weight`.
static void add_velocity(const contact_form *f, int i, double weight, double *out)
{
    const double *row = i < 0 ? f->w : f->P + i * FORM_N;
    out[0] += weight * (i < 0 ? f->W_NN : f->w[i]);
    for (int j = 0; j < f->n; ++j) out[1 + j] += weight * row[j];
}

/// The rows above at `at`; `moves` says which loads do. Returns their number.
static int mode_rows(const contact_form *f, scree_law law, const point *at, const int *moves,
                     double rows[ROWS][UNKNOWNS])
{
    int count = 0;
    memset(rows, 0, ROWS * sizeof rows[0]);
    add_velocity(f, -1, 1.0, rows[count++]);
    for (int k = 0; k < f->m; ++k) {
        const double *v = at->v + f->at[k], length = group_norm(f->size[k], v);
        int from = f->at[k], two = f->size[k] == 2;
        for (int i = 0; moves[k] && i < f->size[k]; ++i, ++count)
            rows[count][1 + from + i] = 1.0, rows[count][0] = f->mu[k] * v[i] / length;
        if (moves[k] && two && law == SCREE_LAW_COULOMB) {
            add_velocity(f, from, -v[1] / length, rows[count]);
            add_velocity(f, from + 1, v[0] / length, rows[count++]);
        }
        for (int i = 0; (!moves[k] || law == SCREE_LAW_CONVEX) && i < f->size[k]; ++i)
            add_velocity(f, from + i, 1.0, rows[count++]);
    }
    return count;
}

/// Basis of the null space, one free unknown 1 in each. Returns its dimension.
static int null_space(int rows, int n, double A[ROWS][UNKNOWNS], double basis[UNKNOWNS][UNKNOWNS],
                      int free_unknown[UNKNOWNS])
{
    int column[UNKNOWNS], rank = 0;
    double first = 0.0;
    for (int j = 0; j < n; ++j) column[j] = j;
    for (; rank < n && rank < rows; ++rank) {
        int i_most = rank, j_most = rank;
        for (int i = rank; i < rows; ++i)
            for (int j = rank; j < n; ++j)
                if (fabs(A[i][column[j]]) > fabs(A[i_most][column[j_most]])) i_most = i, j_most = j;
        double pivot = A[i_most][column[j_most]];
        if (rank == 0) first = fabs(pivot);
        if (!(fabs(pivot) > tiny * first)) break;
        for (int j = 0; j < n; ++j) {
            double t = A[rank][j];
            A[rank][j] = A[i_most][j] / pivot, A[i_most][j] = i_most == rank ? A[rank][j] : t;
        }
        int c = column[rank];
        column[rank] = column[j_most], column[j_most] = c, c = column[rank];
        for (int i = 0; i < rows; ++i) {
            double t = A[i][c];
            for (int j = 0; i != rank && j < n; ++j) A[i][j] -= t * A[rank][j];
        }
    }
    for (int k = rank; k < n; ++k) {
        double *d = basis[k - rank];
        memset(d, 0, UNKNOWNS * sizeof *d);
        free_unknown[k - rank] = column[k];
        d[column[k]] = 1.0;
        for (int i = 0; i < rank; ++i) d[column[i]] = -A[i][column[k]];
    }
    return n - rank;
}

/* ---- how far ---------------------------------------------------------------------------------------------------------- */

/// Narrows `in` to the s around 0 with a s^2 + 2 b s + c >= 0; c is 0 or more but for rounding.
static void keep_positive(double a, double b, double c, interval *in)
{
    double size = fabs(a) + fabs(b) + fabs(c), D, roots[2];
    int count = 0;
    if (fabs(a) <= tiny * size) a = 0.0;
    if (fabs(b) <= tiny * size) b = 0.0;
    if (c <= tiny * size) c = 0.0;
    D = b * b - a * c;
    if (a == 0.0 && b != 0.0) roots[count++] = -0.5 * c / b;
    else if (a != 0.0 && D > 0.0) {
        double t = -(b + copysign(sqrt(D), b));
        roots[count++] = t / a, roots[count++] = c / t;
    } else if (c == 0.0 && a < 0.0) roots[count++] = 0.0, in->low = in->high = 0.0;
    for (int i = 0; i < count; ++i) {
        double slope = 2.0 * (a * roots[i] + b); /* falls there: an upper end; rises: a lower one */
        if (slope < 0.0 && roots[i] >= 0.0) in->high = min2(in->high, roots[i]);
        if (slope > 0.0 && roots[i] <= 0.0) in->low = max2(in->low, roots[i]);
    }
}

static interval range_along(const contact_form *f, const point *at, const int *moves, const double *d)
{
    interval in = {-SCREE_INFINITY, SCREE_INFINITY};
    double dv[FORM_N], zero[FORM_N] = {0};
    velocity_of(f, 0.0, zero, d[0], d + 1, dv);
    keep_positive(0.0, 0.5 * d[0], at->r, &in);
    for (int k = 0; k < f->m; ++k) {
        int n = f->size[k], from = f->at[k];
        const double *x = at->x + from, *e = d + 1 + from, mu = f->mu[k] * f->mu[k];
        if (moves[k])
            keep_positive(0.0, 0.5 * dot(n, at->v + from, dv + from), dot(n, at->v + from, at->v + from), &in);
        else
            keep_positive(mu * d[0] * d[0] - dot(n, e, e), mu * at->r * d[0] - dot(n, x, e),
                          mu * at->r * at->r - dot(n, x, x), &in);
    }
    return in;
}

/// Into the middle of the set along d; one unit of the scaled load into it where it has no end.
static void to_the_middle(const contact_form *f, interval in, const double *d, point *at)
{
    double s = in.low > -SCREE_INFINITY && in.high < SCREE_INFINITY ? 0.5 * (in.low + in.high)
               : in.low > -SCREE_INFINITY                           ? in.low + 1.0
               : in.high < SCREE_INFINITY                           ? in.high - 1.0
                                                                    : 0.0;
    at->r += s * d[0];
    for (int i = 0; i < f->n; ++i) at->x[i] += s * d[1 + i];
    velocity_of(f, f->q_N, f->b, at->r, at->x, at->v);
}

/* ---- the door -------------------------------------------------------------------------------------------------------------- */

static int is_solution(const scree_contact *contact, const double *p, const double *d, double s)
{
    double at[SCREE_DIM_MAX];
    for (int i = 0, dim = cone_dim(&contact->cone); i < dim; ++i) at[i] = p[i] + s * d[i];
    return scree_contact_residual(contact, at) <= 1e-9;
}

/// W_NN = 0 and q_N = 0: beside p = 0 every normal force will do; a point of those with which the contact sticks.
static void stick_without_normal_mobility(const contact_form *f, point *at)
{
    contact_form copy = *f;
    form_factor(&copy);
    cholesky_solve(f->n, FORM_N, copy.L, f->b, at->x);
    at->r = 1.0;
    for (int i = 0; i < f->n; ++i) at->x[i] = -at->x[i];
    for (int k = 0; k < f->m; ++k) at->r = max2(at->r, 2.0 * group_norm(f->size[k], at->x + f->at[k]) / f->mu[k]);
}

scree_contact_family scree_contact_family_of(const scree_contact *contact, const double *p)
{
    scree_contact_family family = {0};
    contact_form f;
    point at = {0};
    int moves[SCREE_FRICTION_KINDS] = {0}, dim = cone_dim(&contact->cone), free_unknown[UNKNOWNS];
    double rows[ROWS][UNKNOWNS], basis[UNKNOWNS][UNKNOWNS], s_p;
    interval in[UNKNOWNS];
    form_set_matrix(contact, &f);
    form_set_velocity(&contact->cone, contact->law, contact->q, &f);
    s_p = f.s_W / f.s_q;
    at.r = p[0] / s_p;
    for (int i = 0; i < f.n; ++i) at.x[i] = p[f.source[i]] / (s_p * f.unit[i]);
    if (!(f.W_NN > 0.0) && at.r == 0.0 && f.q_N == 0.0) stick_without_normal_mobility(&f, &at);
    double u_N = velocity_of(&f, f.q_N, f.b, at.r, at.x, at.v);
    double size = 1.0 + at.r + norm(f.n, at.x), lifts = 0.0;
    for (int k = 0; k < f.m; ++k) {
        double speed = group_norm(f.size[k], at.v + f.at[k]);
        moves[k] = speed > tiny * size;
        if (contact->law == SCREE_LAW_CONVEX) lifts += f.mu[k] * speed;
    }
    if (fabs(u_N - lifts) > 10.0 * tiny * size) return family; /* apart */

    family.dimension = null_space(mode_rows(&f, contact->law, &at, moves, rows), f.n + 1, rows, basis, free_unknown);
    for (int pass = 0; pass < 3; ++pass) /* inside along every direction: the ranges are those through the middle */
        for (int k = 0; k < family.dimension; ++k) {
            in[k] = range_along(&f, &at, moves, basis[k]);
            to_the_middle(&f, in[k], basis[k], &at);
        }
    form_unscale(&f, dim, at.r, at.x, family.centre);
    int kept = 0;
    for (int k = 0; k < family.dimension; ++k) {
        double *d = family.direction[kept], dy[SCREE_DIM_MAX], zero[SCREE_DIM_MAX] = {0}, unit, y_most = 0.0,
               d_most = 0.0;
        in[k] = range_along(&f, &at, moves, basis[k]);
        form_unscale(&f, dim, basis[k][0], basis[k] + 1, d);
        unit = d[free_unknown[k] == 0 ? 0 : f.source[free_unknown[k] - 1]];
        for (int i = 0; i < dim; ++i) d[i] /= unit;
        family.low[kept] = in[k].low * unit, family.high[kept] = in[k].high * unit;
        int holds = in[k].high - in[k].low > 1e-9 * size;
        for (int end = 0; end < 2 && holds; ++end) {
            double s = end ? family.high[kept] : family.low[kept];
            holds = is_solution(contact, family.centre, d, fabs(s) < SCREE_INFINITY ? s : copysign(unit, s));
        }
        if (!holds) continue;
        matvec_add(dim, contact->W, d, zero, dy);
        for (int i = 0; i < dim; ++i)
            y_most = max2(y_most, fabs(dy[i])), d_most = max2(d_most, fabs(contact->W[i * dim + i] * d[i]));
        family.velocity_changes |= y_most > 1e-9 * d_most;
        kept += 1;
    }
    family.dimension = kept;
    return family;
}
