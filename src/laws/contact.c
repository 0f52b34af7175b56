/* contact.c: one contact as a value: checks, residual, uniqueness, and the choice of the method. */
#include "laws/contact.h"

#include "base/fail.h"

#include <string.h>

SCREE_HD_INLINE double step_of(const scree_cone *c, const double *W)
{
    int dim = cone_dim(c);
    double trace = 0.0;
    SCREE_UNROLL
    for (int i = 0; i < dim; ++i) trace += W[i * dim + i];
    return trace > 0.0 ? dim / trace : 1.0;
}

double contact_step(const scree_contact *contact)
{
    return step_of(&contact->cone, contact->W);
}

/// c is contact->cone, or the same with sizes that are constants.
SCREE_HD_INLINE double relative_natural_map_of(const scree_contact *contact, const scree_cone *c, double s,
                                               const double *p, const double *y)
{
    int dim = cone_dim(c);
    double F[SCREE_DIM_MAX], f = 0.0, a = 0.0, b = 0.0, scale = 1.0;
    map_natural(c, contact->law, s, p, y, F, NULL, NULL);
    SCREE_UNROLL
    for (int pass = 0; pass < 2; ++pass) {
        f = a = b = 0.0;
        SCREE_UNROLL
        for (int i = 0; i < dim; ++i) {
            double u = scale * F[i], v = scale * p[i], w = scale * (s * contact->q[i]);
            f += u * u, a += v * v, b += w * w;
        }
        a = max2(a, b);
        if (a > 1e-250 && a < 1e250) break;
        double top = 0.0; /* loads of 1e-200 or 1e200: once more, scaled */
        SCREE_UNROLL
        for (int i = 0; i < dim; ++i) top = max2(max2(top, fabs(p[i])), fabs(s * contact->q[i]));
        if (!(top > 0.0)) return 0.0;
        scale = ldexp(1.0, -exponent_of(top));
    }
    return sqrt(f / a);
}

double scree_contact_residual(const scree_contact *contact, const double *p)
{
    double y[SCREE_DIM_MAX] = {0};
    matvec_add(cone_dim(&contact->cone), contact->W, p, contact->q, y);
    return relative_natural_map_of(contact, &contact->cone, contact_step(contact), p, y);
}

/// Does load k move? Said by `moving`; one without a coefficient if its velocity is more than rounding.
SCREE_HD_INLINE int load_moves(const scree_contact *contact, const scree_cone *c, unsigned moving, int k, int at,
                               const scree_contact_result *result)
{
    if (c->coef[k] > 0.0) return moving >> k & 1u;
    double rounding = 0.0;
    int dim = cone_dim(c);
    for (int i = at; i < at + c->size[k]; ++i) {
        rounding += fabs(contact->q[i]);
        for (int j = 0; j < dim; ++j) rounding += fabs(contact->W[i * dim + j] * result->p[j]);
    }
    return group_norm(c->size[k], result->y + at) > 16.0 * DBL_EPSILON * rounding;
}

SCREE_HD_INLINE void finish_of(const scree_contact *contact, const scree_cone *c, const unsigned *moving,
                               scree_contact_result *result)
{
    int moves[SCREE_FRICTION_KINDS] = {0};
    double s = step_of(c, contact->W);
    matvec_add(cone_dim(c), contact->W, result->p, contact->q, result->y);
    result->residual = relative_natural_map_of(contact, c, s, result->p, result->y);
    if (!moving) {
        result->mode = mode_classify(c, s, result->p, result->y);
        return;
    }
    if (!(result->p[0] > 0.0)) {
        result->mode = SCREE_MODE_TAKE_OFF;
        return;
    }
    SCREE_UNROLL
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++]) {
        if (!c->size[k]) continue;
        moves[k] = load_moves(contact, c, *moving, k, at, result);
        if (k == SCREE_FRICTION_SPIN && moves[k]) moves[k] = result->y[at] < 0.0 ? 1 : -1;
    }
    result->mode = mode_make(moves[SCREE_FRICTION_SLIDE], moves[SCREE_FRICTION_ROLL], moves[SCREE_FRICTION_SPIN]);
}

SCREE_FLAT void finish_full(const scree_contact *contact, const unsigned *moving, scree_contact_result *result)
{
    const scree_cone c = cone_sized(&contact->cone, 2, 2, 1);
    finish_of(contact, &c, moving, result);
}

SCREE_FLAT void finish_sliding(const scree_contact *contact, const unsigned *moving, scree_contact_result *result)
{
    const scree_cone c = cone_sized(&contact->cone, 2, 0, 0);
    finish_of(contact, &c, moving, result);
}

void contact_finish(const scree_contact *contact, const unsigned *moving, scree_contact_result *result)
{
    if (cone_is_full(&contact->cone)) finish_full(contact, moving, result);
    else if (cone_slides_only(&contact->cone)) finish_sliding(contact, moving, result);
    else finish_of(contact, &contact->cone, moving, result);
}

/* ---- checks ------------------------------------------------------------------------------------------------------------ */

#define SYMMETRY_TOLERANCE     1e-12
#define DEFINITENESS_TOLERANCE 1e-10

/// Semidefinite to the tolerance: W + tolerance x diagonal has a factor. Scaled to unit diagonal first, so that units of length
/// do not decide. Returns -1, or the row at which the factorisation breaks down.
static int first_indefinite_row(int dim, const double *W)
{
    double A[SCREE_DIM_MAX * SCREE_DIM_MAX], d[SCREE_DIM_MAX];
    for (int i = 0; i < dim; ++i) {
        double w = W[i * dim + i];
        if (w < 0.0) return i;
        d[i] = w > 0.0 ? 1.0 / sqrt(w) : 0.0;
    }
    for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < i; ++j) {
            if (W[i * dim + j] != 0.0 && !(d[i] > 0.0 && d[j] > 0.0))
                return i; /* 0 on the diagonal: the row must be 0 */
            A[i * dim + j] = d[i] * (0.5 * (W[i * dim + j] + W[j * dim + i])) * d[j];
        }
        A[i * dim + i] = 1.0 + DEFINITENESS_TOLERANCE;
    }
    for (int n = 1; n <= dim; ++n) { /* leading minors, to name the row */
        double L[SCREE_DIM_MAX * SCREE_DIM_MAX];
        if (!cholesky_factor(n, dim, A, 0.0, L)) return n - 1;
    }
    return -1;
}

static scree_status refuse(scree_error *error, int *row, int *column, int i, int j, const char *text)
{
    if (row) *row = i;
    if (column) *column = j;
    scree_error_set(error, NULL, 0, 0, "%s", text);
    return error_keep(error, SCREE_ERR_INPUT);
}

scree_status scree_contact_check(const scree_contact *contact, int *row, int *column, scree_error *error)
{
    if (row) *row = -1;
    if (column) *column = -1;
    if (error_stopped(error)) return error->status;
    if (!scree_cone_valid(&contact->cone))
        return refuse(error, row, column, -1, -1,
                      "the cone is not valid: sizes must be 0, 1 or 2 (spinning 0 or 1), coefficients finite and >= 0");
    if (contact->law != SCREE_LAW_COULOMB && contact->law != SCREE_LAW_CONVEX)
        return refuse(error, row, column, -1, -1, "the law is not known: expected coulomb or convex");
    int dim = cone_dim(&contact->cone);
    double largest = 0.0;
    for (int i = 0; i < dim; ++i) {
        if (!(fabs(contact->q[i]) <= DBL_MAX))
            return refuse(error, row, column, -1, -1, "q has an entry that is not finite");
        for (int j = 0; j < dim; ++j) {
            if (!(fabs(contact->W[i * dim + j]) <= DBL_MAX))
                return refuse(error, row, column, i, j, "W has an entry that is not finite");
            largest = max2(largest, fabs(contact->W[i * dim + j]));
        }
    }
    for (int i = 0; i < dim; ++i)
        for (int j = 0; j < i; ++j)
            if (fabs(contact->W[i * dim + j] - contact->W[j * dim + i]) > SYMMETRY_TOLERANCE * largest)
                return refuse(error, row, column, i, j,
                              "W is not symmetric: expected this entry to equal its mirror image");
    int bad = first_indefinite_row(dim, contact->W);
    if (bad >= 0)
        return refuse(error, row, column, bad, bad,
                      "W is not positive semidefinite: expected every leading minor, up to this row, to be >= 0");
    return SCREE_OK;
}

int scree_contact_unique(const scree_contact *contact)
{
    contact_form f;
    sphere_form sphere;
    form_build(contact, &f);
    if (contact->law == SCREE_LAW_COULOMB && sphere_detect(&f, SPHERE_TOLERANCE, &sphere)) return 1;
    return contact_is_unique(contact, &f);
}

/* ---- methods ------------------------------------------------------------------------------------------------------------ */

const char *scree_contact_method_name(scree_contact_method method)
{
    static const char *const names[SCREE_CONTACT_METHOD_COUNT] = {
        "exact",         "quartic_t",      "quartic_alpha",       "fixed_point",
        "extragradient", "newton_natural", "newton_alart_curnier"};
    return (int)method >= 0 && method < SCREE_CONTACT_METHOD_COUNT ? names[method] : NULL;
}

scree_contact_options scree_contact_options_default(void)
{
    return (scree_contact_options){.cookie = SCREE_COOKIE,
                                   .method = SCREE_CONTACT_EXACT,
                                   .tolerance = 1e-14,
                                   .max_iterations = 10000,
                                   .isolate = 1};
}

/// The quartics of [BD] are for sliding in the plane of contact, Coulomb law.
static int takes(scree_contact_method method, const scree_contact *contact)
{
    const int *size = contact->cone.size;
    int quartic = method == SCREE_CONTACT_QUARTIC_T || method == SCREE_CONTACT_QUARTIC_ALPHA;
    return !quartic || (contact->law == SCREE_LAW_COULOMB && size[0] == 2 && size[1] == 0 && size[2] == 0);
}

/// Of the solutions of a quartic: the one nearest to the guess, else the first.
static void choose_quartic(const scree_contact *contact, int alpha_form, const double *guess,
                           scree_contact_result *result)
{
    scree_contact_result all[8];
    int count = contact_solve_quartic(contact, alpha_form, 8, all), nearest = 0;
    if (count == 0) {
        result->outcome = SCREE_OUTCOME_INFEASIBLE;
        return;
    }
    for (int i = 1; guess && i < count && i < 8; ++i) {
        double d = 0.0;
        for (int j = 0; j < 3; ++j) {
            double a = all[i].p[j] - guess[j], b = all[nearest].p[j] - guess[j];
            d += a * a - b * b;
        }
        if (d < 0.0) nearest = i;
    }
    *result = all[nearest];
}

scree_status contact_solve(const scree_contact *contact, const scree_contact_options *options, const double *guess,
                           scree_contact_result *result)
{
    if (options->method == SCREE_CONTACT_EXACT) { /* clears the result itself */
        contact_solve_exact(contact, guess, options->isolate, result);
        return SCREE_OK;
    }
    memset(result, 0, sizeof *result);
    result->method = options->method;
    if (!takes(options->method, contact)) return SCREE_ERR_UNSUPPORTED;
    switch (options->method) {
    case SCREE_CONTACT_QUARTIC_T:
    case SCREE_CONTACT_QUARTIC_ALPHA:
        choose_quartic(contact, options->method == SCREE_CONTACT_QUARTIC_ALPHA, guess, result);
        break;
    case SCREE_CONTACT_FIXED_POINT:
    case SCREE_CONTACT_EXTRAGRADIENT: contact_solve_projection(contact, options, guess, result); break;
    case SCREE_CONTACT_NEWTON_NATURAL:
    case SCREE_CONTACT_NEWTON_ALART_CURNIER: contact_solve_newton(contact, options, guess, result); break;
    default: return SCREE_ERR_UNSUPPORTED;
    }
    return SCREE_OK;
}

static scree_status unsupported(scree_contact_method method, const char *what, scree_error *error)
{
    const char *name = scree_contact_method_name(method);
    scree_error_set(error, NULL, 0, 0, "the method %s %s", name ? name : "is not known and", what);
    return error_keep(error, SCREE_ERR_UNSUPPORTED);
}

scree_contact_result scree_contact_solve(const scree_contact *contact, const scree_contact_options *options,
                                         scree_error *error)
{
    scree_contact_result result = {.outcome = SCREE_OUTCOME_STALLED, .residual = (double)NAN};
    scree_contact_options defaults = scree_contact_options_default();
    if (!options) options = &defaults;
    if (error_stopped(error) || !error_cookie(options->cookie, "scree_contact_options_default", error)) return result;
    if (contact_solve(contact, options, options->guess, &result) != SCREE_OK) {
        unsupported(options->method, "does not take this cone, or this law", error);
        result.outcome = SCREE_OUTCOME_STALLED, result.residual = (double)NAN;
    }
    return result;
}

int scree_contact_solve_all(const scree_contact *contact, const scree_contact_options *options, int capacity,
                            scree_contact_result *results, scree_error *error)
{
    scree_contact_options defaults = scree_contact_options_default();
    if (!options) options = &defaults;
    if (error_stopped(error) || !error_cookie(options->cookie, "scree_contact_options_default", error)) return 0;
    int takes_it = takes(options->method, contact);
    if (takes_it && options->method == SCREE_CONTACT_EXACT) return contact_solve_exact_all(contact, capacity, results);
    if (takes_it && options->method == SCREE_CONTACT_QUARTIC_T)
        return contact_solve_quartic(contact, 0, capacity, results);
    if (takes_it && options->method == SCREE_CONTACT_QUARTIC_ALPHA)
        return contact_solve_quartic(contact, 1, capacity, results);
    unsupported(options->method, takes_it ? "finds one solution, not all" : "does not take this cone, or this law",
                error);
    return 0;
}
