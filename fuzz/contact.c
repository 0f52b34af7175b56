/* Any text into the contact reader; whatever it accepts is solved, and the answer is judged from the data. */
#include "fuzz.h"

#include <scree/scene.h>

/// Finite, and the reported residual is that of p. There is always a solution if W is positive definite.
static void judge(const scree_contact *contact, const scree_contact_result *r)
{
    int dim = scree_cone_dim(&contact->cone);
    if (r->outcome == SCREE_OUTCOME_INFEASIBLE) {
        require(!is_definite(contact), "infeasible, although W is positive definite");
        return;
    }
    for (int k = 0; k < dim; ++k) require(isfinite(r->p[k]) && isfinite(r->y[k]), "reaction or velocity is not finite");
    require(isfinite(r->residual), "the residual is not finite");
    require(r->residual == scree_contact_residual(contact, r->p), "the residual is not that of the reaction");
    require(r->mode >= 0 && r->mode < SCREE_MODE_COUNT, "the mode is none of the thirteen");
}

/// Numbers whose products and quotients stay far from the ends of the range of a double. Beyond, only crashes count.
static int is_moderate(const scree_contact *contact)
{
    const double small = 1e-30, large = 1e30;
    int dim = scree_cone_dim(&contact->cone);
    for (int k = 0; k < dim * dim + dim; ++k) {
        double x = fabs(k < dim * dim ? contact->W[k] : contact->q[k - dim * dim]);
        if (x != 0.0 && (x < small || x > large)) return 0;
    }
    for (int k = 0; k < SCREE_FRICTION_KINDS; ++k) {
        double x = contact->cone.size[k] ? contact->cone.coef[k] : 0.0;
        if (x != 0.0 && (x < small || x > large)) return 0;
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { CAPACITY = 16 };
    scree_error error = {0};
    scree_contact_result result, all[CAPACITY];
    scree_contact_options options = scree_contact_options_default();
    int count = 0;

    const scree_contact contact = scree_contact_parse((const char *)data, size, "fuzz", NULL, &error);
    if (error.status != SCREE_OK) {
        require(error.text[0] != '\0', "a mistake without a message");
        return 0;
    }
    require(scree_contact_check(&contact, NULL, NULL, NULL) == SCREE_OK, "the reader let a bad contact pass");
    result = scree_contact_solve(&contact, &options, &error);
    require(error.status == SCREE_OK, "exact must take every contact");
    count = scree_contact_solve_all(&contact, &options, CAPACITY, all, &error);
    require(error.status == SCREE_OK, "exact must count");
    if (!is_moderate(&contact)) return 0;
    judge(&contact, &result);
    for (int k = 0; k < count && k < CAPACITY; ++k) judge(&contact, &all[k]);
    return 0;
}
