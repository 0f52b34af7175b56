/* form.h: one contact brought to the form in which it is solved, and back.
 *
 * Scaled by powers of two (no rounding): lengths so that rotations weigh as much as translations, W so that its diagonal is
 * near 1, q so that its largest entry is near 1. So mass, time and length scales drop out before any tolerance is applied.
 * Loads with coefficient 0 are left out: they are 0. The tangent part comes first, the normal apart:
 *
 *     W = [ P  w ; w' W_NN ],  q = (b, q_N),  loads x = (x_1 .. x_m) of sizes 1 or 2, |x_k| <= mu_k r. */
#ifndef SCREE_LAWS_FORM_H
#define SCREE_LAWS_FORM_H

#include "laws/maps.h"
#include "math/dense.h"

enum { FORM_N = 5 }; /* row length of P: the largest tangent part */

typedef struct contact_form {
    int n, m;                       /* tangent components and loads kept                        */
    int size[SCREE_FRICTION_KINDS]; /* components of load k                                      */
    int at[SCREE_FRICTION_KINDS];   /* its first tangent component                               */
    int mechanism[SCREE_FRICTION_KINDS];
    int source[FORM_N];              /* component of the contact that tangent component i was    */
    double unit[FORM_N];             /* 1, or `length` for a moment: scaled moment = moment / length */
    double length, s_W, s_q;         /* powers of two: see contact_scales                         */
    double mu[SCREE_FRICTION_KINDS]; /* scaled coefficients, > 0                                  */
    double P[FORM_N * FORM_N], w[FORM_N], W_NN;
    double b[FORM_N], q_N;
    double L[FORM_N * FORM_N]; /* factor of P                                               */
    double z[FORM_N];          /* L^-1 w                                                    */
    double S;                  /* Schur complement W_NN - z.z = 1/(W^-1)_NN                 */
    int singular;              /* P was regularised, or S is lost in rounding               */
} contact_form;

/// Regularisation of a singular P, relative to its trace: far above rounding, far below what the residual shows.
#define FORM_REGULARISE 1e-15

/// n is f->n, a constant at the call.
SCREE_HD_INLINE void form_factor_kernel(int n, contact_form *f)
{
    double trace = 0.0;
    for (int i = 0; i < n; ++i) trace += f->P[i * FORM_N + i];
    f->singular = 0;
    if (!cholesky_factor(n, FORM_N, f->P, 1e-15 * trace, f->L)) {
        f->singular = 1;
        for (int i = 0; i < n; ++i) f->P[i * FORM_N + i] += FORM_REGULARISE * trace;
        /* a semidefinite W may have pivots that rounding made negative: raise until the factor exists */
        for (double raise = FORM_REGULARISE; !cholesky_factor(n, FORM_N, f->P, 0.0, f->L) && raise < 1.0; raise *= 4.0)
            for (int i = 0; i < n; ++i) f->P[i * FORM_N + i] += raise * (trace > 0.0 ? trace : 1.0);
    }
    cholesky_forward(n, FORM_N, f->L, f->w, f->z);
    f->S = f->W_NN - dot(n, f->z, f->z);
    if (!(f->S > 1e-14 * f->W_NN)) f->singular = 1;
}

SCREE_HD void form_factor(contact_form *f)
{
    switch (f->n) {
    case 5: form_factor_kernel(5, f); break;
    case 2: form_factor_kernel(2, f); break;
    default: form_factor_kernel(f->n, f);
    }
}

/// The three powers of two that bring a contact to size 1: moments times 1/length, W times s_W, q times s_q.
typedef struct contact_scales {
    double length, s_W, s_q, s_p; /* s_p = s_W/s_q inverted: r_N = s_p x scaled r_N, moments also x length */
} contact_scales;

SCREE_HD contact_scales contact_find_scales(const scree_contact *contact, const scree_cone *c)
{
    int dim = cone_dim(c);
    double w_T = contact->W[0], w_R = 0.0, u = fabs(contact->q[0]), omega = 0.0;
    SCREE_UNROLL
    for (int i = 1; i < dim; ++i) {
        double d = contact->W[i * dim + i], v = fabs(contact->q[i]);
        if (i > c->size[SCREE_FRICTION_SLIDE]) w_R = max2(w_R, d), omega = max2(omega, v);
        else w_T = max2(w_T, d), u = max2(u, v);
    }
    int ratio = w_R > 0.0 && w_T > 0.0 ? exponent_of(w_T) - exponent_of(w_R) : 0;
    int e_L = (ratio - (ratio & 1)) / 2; /* rounded down, so that another unit of length shifts it exactly */
    double length = power_of_two(e_L);
    int e_W = exponent_of(max2(w_T, w_R * length * length)), e_q = exponent_of(max2(u, omega * length));
    return (contact_scales){length, power_of_two(-e_W), power_of_two(-e_q), power_of_two(e_q - e_W)};
}

/// What depends on W and the cone alone; the factor is form_factor's, which contacts of spheres do not need. c is contact->cone, or the
/// same with sizes that are constants.
SCREE_HD_INLINE void form_set_matrix_of(const scree_contact *contact, const scree_cone *c, contact_form *f)
{
    const double *W = contact->W;
    int dim = cone_dim(c);
    contact_scales scale = contact_find_scales(contact, c);
    f->length = scale.length, f->s_W = scale.s_W;

    f->n = f->m = 0;
    SCREE_UNROLL
    for (int k = 0, at = 1; k < SCREE_FRICTION_KINDS; at += c->size[k++]) {
        if (!c->size[k] || !(c->coef[k] > 0.0)) continue;
        f->size[f->m] = c->size[k], f->at[f->m] = f->n, f->mechanism[f->m] = k;
        f->mu[f->m] = k == SCREE_FRICTION_SLIDE ? c->coef[k] : c->coef[k] / f->length;
        SCREE_UNROLL
        for (int i = 0; i < c->size[k]; ++i) {
            f->source[f->n] = at + i;
            f->unit[f->n++] = k == SCREE_FRICTION_SLIDE ? 1.0 : f->length;
        }
        f->m += 1;
    }
    f->W_NN = W[0] * f->s_W;
    SCREE_UNROLL
    for (int i = 0; i < f->n; ++i) {
        int I = f->source[i];
        f->w[i] = 0.5 * (W[I * dim] + W[I]) * (f->s_W * f->unit[i]);
        SCREE_UNROLL
        for (int j = 0; j <= i; ++j) {
            int J = f->source[j];
            f->P[i * FORM_N + j] = f->P[j * FORM_N + i] =
                0.5 * (W[I * dim + J] + W[J * dim + I]) * (f->s_W * f->unit[i] * f->unit[j]);
        }
    }
}

SCREE_HD void form_set_matrix(const scree_contact *contact, contact_form *f)
{
    form_set_matrix_of(contact, &contact->cone, f);
}

/// What depends on q: its scale, b and q_N. Returns 1 if q says take-off (Coulomb: q_N >= 0; convex: q in K*).
SCREE_HD int form_set_velocity(const scree_cone *c, scree_law law, const double *q, contact_form *f)
{
    double largest = fabs(q[0]);
    SCREE_UNROLL
    for (int i = 1, dim = cone_dim(c); i < dim; ++i)
        largest = max2(largest, fabs(q[i]) * (i > c->size[SCREE_FRICTION_SLIDE] ? f->length : 1.0));
    f->s_q = power_of_two(-exponent_of(largest));
    f->q_N = q[0] * f->s_q;
    SCREE_UNROLL
    for (int i = 0; i < f->n; ++i) f->b[i] = q[f->source[i]] * (f->s_q * f->unit[i]);
    return q[0] >= (law == SCREE_LAW_CONVEX ? slip_speed(c, q) : 0.0);
}

/// All of it. Returns 1 for take-off.
SCREE_HD int form_build(const scree_contact *contact, contact_form *f)
{
    form_set_matrix(contact, f);
    form_factor(f);
    return form_set_velocity(&contact->cone, contact->law, contact->q, f);
}

/// A solution in scaled form: normal load, loads, and their multipliers: (P + diag(a)) x = -(b + w r).
typedef struct form_solution {
    double r, x[FORM_N], a[SCREE_FRICTION_KINDS];
} form_solution;

/// p of the contact from the scaled solution.
SCREE_HD void form_unscale(const contact_form *f, int dim, double r, const double *x, double *p)
{
    double s_p = f->s_W / f->s_q;
    SCREE_UNROLL
    for (int i = 0; i < dim; ++i) p[i] = 0.0;
    p[0] = r * s_p;
    SCREE_UNROLL
    for (int i = 0; i < f->n; ++i) p[f->source[i]] = x[i] * (s_p * f->unit[i]);
}

/// M: a bound of |xi| in the metric of P over the friction set, |xi_k| <= mu_k:
///     xi'P xi <= sum_k mu_k^2 lmax(P_kk) + 2 sum_{j<k} mu_j mu_k |P_jk|,   |P_jk| <= min(Frobenius, (lmax(P_jj) lmax(P_kk))^1/2).
SCREE_HD double form_friction_size(const contact_form *f)
{
    double M = 0.0, largest[SCREE_FRICTION_KINDS];
    for (int k = 0; k < f->m; ++k) {
        const double *d = f->P + f->at[k] * (FORM_N + 1);
        largest[k] = f->size[k] == 2 ? lambda_max_2x2(d[0], d[1], d[FORM_N + 1]) : d[0];
        M += f->mu[k] * f->mu[k] * largest[k];
        for (int j = 0; j < k; ++j) {
            double square = 0.0;
            for (int r = f->at[k]; r < f->at[k] + f->size[k]; ++r)
                for (int c = f->at[j]; c < f->at[j] + f->size[j]; ++c)
                    square += f->P[r * FORM_N + c] * f->P[r * FORM_N + c];
            M += 2.0 * f->mu[j] * f->mu[k] * sqrt(min2(square, largest[j] * largest[k]));
        }
    }
    return sqrt(M);
}

/// Coulomb law: (W^-1)_NN M^2 < 4. Convex law: always, if W is definite.          docs/math/one-contact.md, "Uniqueness"
SCREE_HD int form_is_unique(const contact_form *f, scree_law law)
{
    if (f->singular) return 0;
    double M = form_friction_size(f);
    return law == SCREE_LAW_CONVEX || M * M < 4.0 * f->S;
}

#endif
