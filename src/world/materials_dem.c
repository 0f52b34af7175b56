/* materials_dem.c: what two materials say together about a soft contact (scree_dem).
 *
 * A number that both give is mixed, one that only one of them gives is that one's; a word in which they differ has no mixture and is
 * left to whoever needs it to refuse (`words_differ`). Moduli do not mix but add as springs in a row (laws/dem_normal.h), a material without
 * one being rigid. What the pair itself gives stands above all that. */
#include "laws/dem_normal.h"
#include "world/world_private.h"

#include <stddef.h>

enum {
#define SCREE_FIELD(type, field, value, text) NUMBER_##field,
    SCREE_DEM_FIELDS(SCREE_FIELD)
#undef SCREE_FIELD
        NUMBERS
};

/// The numbers, and where they are in the struct.
static const struct number {
    const char *key;
    size_t offset;
} numbers[NUMBERS] = {
#define SCREE_FIELD(type, field, value, text) {#field, offsetof(scree_dem, field)},
    SCREE_DEM_FIELDS(SCREE_FIELD)
#undef SCREE_FIELD
};

scree_dem scree_dem_default(void)
{
    return (scree_dem){.normal = SCREE_DEM_NORMAL_DEFAULT,
#define SCREE_FIELD(type, field, value, text) .field = (value),
                       SCREE_DEM_FIELDS(SCREE_FIELD)
#undef SCREE_FIELD
    };
}

static double number_of(const scree_dem *dem, int k)
{
    return *(const double *)((const char *)dem + numbers[k].offset);
}

static void number_set(scree_dem *dem, int k, double value)
{
    *(double *)((char *)dem + numbers[k].offset) = value;
}

int dem_valid(const scree_dem *dem, const char *name, scree_error *error)
{
    for (int k = 0; k < NUMBERS; ++k) {
        double x = number_of(dem, k), high = k == NUMBER_poisson ? 0.5 : DBL_MAX;
        int above = k == NUMBER_young || k == NUMBER_stiffness || k == NUMBER_slide_stiffness;
        if (isnan(x) || (x >= 0.0 && x <= high && !(above && x == 0.0))) continue;
        scree_error_set(error, NULL, 0, 0, "%s: dem: %s is %g, expected %s%s", name, numbers[k].key, x,
                        above ? "more than 0" : "0 or more", k == NUMBER_poisson ? ", at most 0.5" : "");
        return 0;
    }
    if (isnan(dem->young) != isnan(dem->poisson)) {
        scree_error_set(error, NULL, 0, 0, "%s: dem: young and poisson go together, expected both", name);
        return 0;
    }
    return 1;
}

/// E and G of the pair of surfaces. One that is not given is infinitely stiff.
static void effective_moduli(const scree_dem *a, const scree_dem *b, pair_friction *pair)
{
    const scree_dem *side[2] = {a, b};
    double E[2], nu[2];
    pair->modulus = pair->shear = 0.0;
    if (isnan(a->young) && isnan(b->young)) return;
    for (int k = 0; k < 2; ++k) {
        int soft = !isnan(side[k]->young);
        E[k] = soft ? side[k]->young : SCREE_INFINITY;
        nu[k] = soft ? side[k]->poisson : 0.0;
    }
    pair->modulus = dem_effective_modulus(E[0], nu[0], E[1], nu[1]);
    pair->shear = dem_effective_shear(E[0], nu[0], E[1], nu[1]);
}

/* The words, each with its bit of words_differ. */
#define WORDS(W) W(normal, 1u) W(model, 2u) W(spin, 4u) W(pulls, 8u)

void dem_mixture(scree_mixing rule, const scree_dem *a, const scree_dem *b, pair_friction *pair)
{
    unsigned differ = 0;
    for (int k = 0; k < NUMBERS; ++k) {
        double x = number_of(a, k), y = number_of(b, k);
        number_set(&pair->dem, k, isnan(y) ? x : isnan(x) ? y : mix_values(rule, x, y));
    }
#define MIX(word, bit)                                                                                                 \
    differ |= a->word && b->word && a->word != b->word ? (bit) : 0u;                                                   \
    pair->dem.word = a->word ? a->word : b->word;
    WORDS(MIX)
#undef MIX
    pair->words_differ = (unsigned char)differ;
    effective_moduli(a, b, pair);
}

void dem_settle(pair_friction *pair)
{
    pair->zeta = isnan(pair->dem.damping)
                     ? dem_damping_ratio(pair->friction.restitution, pair->dem.pulls == SCREE_DEM_PULLS_YES)
                     : pair->dem.damping;
}

void dem_overlay(const scree_dem *own, pair_friction *pair)
{
    for (int k = 0; k < NUMBERS; ++k)
        if (!isnan(number_of(own, k))) number_set(&pair->dem, k, number_of(own, k));
#define OVERLAY(word, bit)                                                                                             \
    if (own->word) pair->dem.word = own->word, pair->words_differ &= (unsigned char)~(bit);
    WORDS(OVERLAY)
#undef OVERLAY
    if (!isnan(own->young)) effective_moduli(own, own, pair);
}
