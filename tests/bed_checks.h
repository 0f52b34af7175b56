/* bed_checks.h: what the tests of beds share: beds that must come to be, and their states compared byte by byte. After cmocka.h. */
#ifndef SCREE_TESTS_BED_CHECKS_H
#define SCREE_TESTS_BED_CHECKS_H

#include "bed_twin.h"

static inline bed *make(grains *g, scree_pool *pool)
{
    bed *b = NULL;
    scree_error error = {.text = ""};
    bed_motion start = grains_motion(g);
    if (bed_create(&g->def, &start, NULL, pool, &b, &error) != SCREE_OK) fail_msg("bed_create: %s", error.text);
    return b;
}

static inline void advance(bed *b, int steps)
{
    scree_error error = {.text = ""};
    if (bed_advance(b, steps, &error) != SCREE_OK) fail_msg("bed_advance: %s", error.text);
}

/// The state as bytes; free() it.
static inline void *state_of(const bed *b, size_t *size)
{
    void *bytes = calloc(1, *size = bed_state_size(b));
    bed_state_save(b, bytes);
    return bytes;
}

static inline void assert_same_state(const bed *a, const bed *b)
{
    size_t n, m;
    void *x = state_of(a, &n), *y = state_of(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x), free(y);
}

enum { MANY = 1300, FOUR_CHUNKS = 4096 }; /* MANY: two chunks */

/// Grains that fall into each other, closely enough for rebuilds and many new contacts.
static inline grains *crowd(int count, int law, int kind, double spread)
{
    grains *g = grains_make(count, (bed_law)law, (dem_normal_kind)kind, spread, -0.005);
    g->def.skin = 0.05, g->def.ledger = 1;
    return g;
}

static inline grains *many(int law, int kind, double spread)
{
    return crowd(MANY, law, kind, spread);
}

#endif
