/* materials_dem.c: what two materials say together about a soft contact (scree_dem).
 *
 * A number that both give is mixed, one that only one of them gives is that one's; a word in which they differ has no mixture and is
 * left to whoever needs it to refuse (`differ`). Moduli do not mix but add as springs in a row (laws/dem_normal.h), a material without
 * one being rigid. What the pair itself gives stands above all that. */
#include "laws/dem_normal.h"
#include "world/world_private.h"

#include <stdio.h>

const char *scree_dem_key(int index)
{
    static const char *const keys[SCREE_DEM_GIVEN_COUNT] = {
#define SCREE_FIELD(index, key, text) #key,
        SCREE_DEM_FIELDS(SCREE_FIELD)
#undef SCREE_FIELD
            "normal",
        "model", "spin", "pulls"};
    return index >= 0 && index < SCREE_DEM_GIVEN_COUNT ? keys[index] : NULL;
}

void scree_dem_set(scree_dem *dem, int index, double value)
{
    SCREE_ASSERT(index >= 0 && index < SCREE_DEM_NUMBERS);
    dem->number[index] = value, dem->given |= 1u << index;
}

static int is_given(const scree_dem *dem, int index)
{
    return dem->given >> index & 1u;
}

static int *word_of(scree_dem *dem, int index)
{
    int *const words[] = {&dem->normal, &dem->model, &dem->spin, &dem->pulls};
    return words[index - SCREE_DEM_NUMBERS];
}

int dem_valid(const scree_dem *dem, const char *name, scree_error *error)
{
    for (int k = 0; k < SCREE_DEM_NUMBERS; ++k) {
        double x = dem->number[k], high = k == SCREE_DEM_POISSON ? 0.5 : DBL_MAX;
        int above = k == SCREE_DEM_YOUNG || k == SCREE_DEM_STIFFNESS || k == SCREE_DEM_SLIDE_STIFFNESS;
        if (!is_given(dem, k) || (x >= 0.0 && x <= high && !(above && x == 0.0))) continue;
        scree_error_set(error, NULL, 0, 0, "%s: dem: %s is %g, expected %s%s", name, scree_dem_key(k), x,
                        above ? "more than 0" : "0 or more", k == SCREE_DEM_POISSON ? ", at most 0.5" : "");
        return 0;
    }
    if (is_given(dem, SCREE_DEM_YOUNG) != is_given(dem, SCREE_DEM_POISSON)) {
        scree_error_set(error, NULL, 0, 0, "%s: dem: young and poisson go together, expected both", name);
        return 0;
    }
    return 1;
}

/// E and G of the pair of surfaces. One that is not given is infinitely stiff.
static void effective_moduli(const scree_dem *a, const scree_dem *b, scree_dem *pair)
{
    const scree_dem *side[2] = {a, b};
    double E[2], nu[2];
    pair->modulus = pair->shear = 0.0;
    if (!is_given(a, SCREE_DEM_YOUNG) && !is_given(b, SCREE_DEM_YOUNG)) return;
    for (int k = 0; k < 2; ++k) {
        int soft = is_given(side[k], SCREE_DEM_YOUNG);
        E[k] = soft ? side[k]->number[SCREE_DEM_YOUNG] : SCREE_INFINITY;
        nu[k] = soft ? side[k]->number[SCREE_DEM_POISSON] : 0.0;
    }
    pair->modulus = dem_effective_modulus(E[0], nu[0], E[1], nu[1]);
    pair->shear = dem_effective_shear(E[0], nu[0], E[1], nu[1]);
}

scree_dem dem_mixture(scree_mixing rule, const scree_dem *a, const scree_dem *b)
{
    scree_dem mixed = *a, other = *b;
    mixed.given = a->given | b->given, mixed.differ = 0;
    for (int k = 0; k < SCREE_DEM_GIVEN_COUNT; ++k) {
        int both = is_given(a, k) && is_given(b, k);
        if (k < SCREE_DEM_NUMBERS) {
            if (both) mixed.number[k] = mix_values(rule, a->number[k], b->number[k]);
            else if (is_given(b, k)) mixed.number[k] = b->number[k];
        } else if (both && *word_of(&mixed, k) != *word_of(&other, k)) mixed.differ |= 1u << k;
        else if (is_given(b, k)) *word_of(&mixed, k) = *word_of(&other, k);
    }
    effective_moduli(a, b, &mixed);
    return mixed;
}

void dem_settle(double restitution, scree_dem *pair)
{
    pair->zeta = is_given(pair, SCREE_DEM_DAMPING) ? pair->number[SCREE_DEM_DAMPING]
                                                   : dem_damping_ratio(restitution, pair->pulls);
}

void dem_overlay(const scree_dem *own, scree_dem *pair)
{
    scree_dem from = *own;
    for (int k = 0; k < SCREE_DEM_GIVEN_COUNT; ++k) {
        if (!is_given(own, k)) continue;
        if (k < SCREE_DEM_NUMBERS) pair->number[k] = own->number[k];
        else *word_of(pair, k) = *word_of(&from, k);
        pair->given |= 1u << k, pair->differ &= ~(1u << k);
    }
    if (is_given(own, SCREE_DEM_YOUNG)) effective_moduli(own, own, pair);
}
