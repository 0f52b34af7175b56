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

/// Makes a grain larger, and puts it beside a cube of `side` grains so that it overlaps with the nearest: on top (0), or in front (1). Its mass
/// stays of the order of the others: dashpots of [FN] follow the mean of two masses, and would throw a light one away.
static inline void enlarge(grains *g, int i, double radius, double side, int where)
{
    const double beside = side + radius - 0.02;
    g->radius[i] = radius, g->inverse_mass[i] = 0.25, g->inverse_inertia[i] = 0.625 / (radius * radius);
    for (int k = 0; k < 3; ++k) g->x[3 * i + k] = 0.5 * side, g->v[3 * i + k] = 0.0;
    if (where == 0) g->x[3 * i + 2] = beside, g->v[3 * i + 2] = -1.0;
    else g->x[3 * i + 1] = beside, g->x[3 * i + 2] = beside, g->v[3 * i + 1] = g->v[3 * i + 2] = -1.0;
}

/// A crowd of which most are equal; every seventh is smaller, a little or down to a fiftieth of the largest, and two are larger.
static inline grains *crowd_of_sizes(int count, int law, int kind)
{
    grains *g = crowd(count, law, kind, 0.0);
    double side = 0.995 * ceil(cbrt(count) - 1e-9);
    for (int i = 0; i < count; i += 7) g->radius[i] = i % 2 ? 0.499 : 0.5 / (1.0 + i % 10);
    enlarge(g, 3, 2.5, side, 0), enlarge(g, count - 2, 2.0, side, 1);
    g->def.periodic[1] = 0;
    return g;
}

static inline grains *many(int law, int kind, double spread)
{
    return crowd(MANY, law, kind, spread);
}

#endif
