/* Bytes into a cone, W = J J' and q over wild scales; projection, `exact` and the quartics are judged from the data.
 *
 * W is positive semidefinite by construction, so every answer must be a solution, or "infeasible" where W is singular. */
#include "fuzz.h"

#include <string.h>

#include "../tests/support/twins.h"

/// Two bytes: mantissa with sign in eighths, and a power of two between 2^-reach and 2^reach. 0 is common.
static double number(bytes *b, int reach)
{
    int mantissa = (int)take(b) - 128, exponent = (int)take(b) % (2 * reach + 1) - reach;
    return ldexp(mantissa / 8.0, exponent);
}

/// Moreau's conditions to 8 roundings: p in K, p - x in K*, orthogonal.
static void judge_projection(const scree_cone *cone, const double *x)
{
    int dim = scree_cone_dim(cone);
    double p[SCREE_DIM_MAX];
    wide P[SCREE_DIM_MAX], V[SCREE_DIM_MAX], along = 0, size = wide_norm(dim, x),
                                             tolerance = 8 * (wide)DBL_EPSILON * size;
    scree_cone_project(cone, x, p);
    for (int i = 0; i < dim; ++i) P[i] = p[i], V[i] = P[i] - (wide)x[i], along += P[i] * V[i];
    require(outside_cone(cone, P) <= tolerance, "the projection is not in the cone");
    require(outside_dual(cone, V) <= tolerance, "the step of the projection is not in the dual cone");
    require(fabsl(along) <= tolerance * size, "the projection is not orthogonal to its step");
}

static void judge(const scree_contact *contact, const scree_contact_result *r, const char *method)
{
    int dim = scree_cone_dim(&contact->cone), definite = is_definite(contact);
    char what[120];
    (void)snprintf(what, sizeof what, "%s: infeasible, although W is positive definite", method);
    require(r->outcome != SCREE_OUTCOME_INFEASIBLE || !definite, what);
    if (r->outcome == SCREE_OUTCOME_INFEASIBLE) return;
    (void)snprintf(what, sizeof what, "%s: p is not finite", method);
    for (int i = 0; i < dim; ++i) require(isfinite(r->p[i]) && isfinite(r->y[i]), what);
    require(r->residual == scree_contact_residual(contact, r->p), "the residual is not that of the reaction");
    /* rounding of W decides whether a singular contact has a solution; the convex law squares its coefficients */
    if (!definite || contact->law == SCREE_LAW_CONVEX) return;
    double noise, residual = natural_map(contact, r->p, &noise);
    (void)snprintf(what, sizeof what, "%s: residual %g, allowed %g", method, residual, fmax(1e-9, 1e3 * noise));
    require(residual <= fmax(1e-9, 1e3 * noise), what); /* coefficients times a rounding of the velocity */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int sizes[7][3] = {{1, 0, 0}, {1, 1, 0}, {2, 0, 0}, {2, 0, 1}, {2, 2, 0}, {2, 2, 1}, {0, 0, 0}};
    enum { CAPACITY = 16, COLUMNS = 7 };
    bytes b = {data, size};
    scree_contact contact = {.law = SCREE_LAW_COULOMB};
    scree_contact_result r, all[CAPACITY];
    double J[SCREE_DIM_MAX * COLUMNS], x[SCREE_DIM_MAX];
    unsigned head = take(&b), rank = take(&b) % (COLUMNS + 1);
    int count = 0;

    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) {
        contact.cone.size[k] = sizes[head % 7][k];
        contact.cone.coef[k] = fabs(number(&b, 40));
    }
    if (head / 7 % 4 == 3) contact.law = SCREE_LAW_CONVEX;
    int dim = scree_cone_dim(&contact.cone);
    for (int i = 0; i < dim; ++i) contact.q[i] = number(&b, 40), x[i] = contact.q[i];
    for (int i = 0; i < dim; ++i)
        for (unsigned k = 0; k < rank; ++k) J[i * COLUMNS + (int)k] = number(&b, i > 2 ? 12 : 6);
    for (int i = 0; i < dim; ++i)
        for (int j = 0; j < dim; ++j)
            for (unsigned k = 0; k < rank; ++k)
                contact.W[i * dim + j] += J[i * COLUMNS + (int)k] * J[j * COLUMNS + (int)k];

    judge_projection(&contact.cone, x);
    if (scree_contact_check(&contact, NULL, NULL, NULL) != SCREE_OK) return 0; /* J J' summed with rounding */
    scree_contact_options options = scree_contact_options_default();
    for (int m = SCREE_CONTACT_EXACT; m <= SCREE_CONTACT_QUARTIC_ALPHA; ++m) {
        options.method = (scree_contact_method)m;
        scree_error error = {0};
        r = scree_contact_solve(&contact, &options, &error);
        if (error.status != SCREE_OK) continue;
        judge(&contact, &r, scree_contact_method_name(options.method));
        count = scree_contact_solve_all(&contact, &options, CAPACITY, all, &error);
        require(error.status == SCREE_OK, "solve_all refuses what solve takes");
        for (int i = 0; i < count && i < CAPACITY; ++i) {
            judge(&contact, &all[i], "solve_all");
            require(i == 0 || all[i].p[0] >= all[i - 1].p[0], "solutions are not in order");
        }
    }
    return 0;
}
