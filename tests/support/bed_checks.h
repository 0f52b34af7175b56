/* bed_checks.h: what the tests of beds share: beds that must come to be, and their states compared byte by byte. After cmocka.h. */
#ifndef SCREE_TESTS_BED_CHECKS_H
#define SCREE_TESTS_BED_CHECKS_H

#include "bed_twin.h"
#include "dem/spheres/bed_parts.h"

static inline double largest_difference(const double *a, const double *b, int count)
{
    double most = 0.0;
    for (int k = 0; k < count; ++k) most = fabs(a[k] - b[k]) > most ? fabs(a[k] - b[k]) : most;
    return most;
}

/// One grain on the floor.
static inline grains *one_grain(bed_law law)
{
    grains *g = grains_make(1, law, DEM_HOOKE, 0.0, 0.0);
    g->def.planes = 1, g->def.periodic[1] = 0;
    for (int k = 0; k < 3; ++k) g->x[k] = g->v[k] = g->omega[k] = 0.0;
    g->x[2] = 0.5;
    return g;
}

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

/// All that the future depends on, as bytes in the order of the spheres' numbers; free() it.
static inline void *state_of(bed *b, size_t *size)
{
    const size_t n = (size_t)b->count;
    int contacts = 0;
    assert_int_equal(bed_contacts(b, 0, NULL, &contacts), SCREE_OK);
    *size = 13 * n * sizeof(double) + sizeof(bed_totals) + sizeof(double) + (size_t)contacts * sizeof(bed_contact) +
            (size_t)b->planes * sizeof(bed_plane_now);
    unsigned char *bytes = calloc(1, *size + 1), *at = bytes;
    bed_motion m = {(double *)(void *)at, (double *)(void *)at + 3 * n, (double *)(void *)at + 6 * n,
                    (double *)(void *)at + 9 * n};
    bed_contact *list = calloc((size_t)contacts + 1, sizeof *list);
    bed_totals totals = bed_get_totals(b);
    const double scale = bed_get_scale(b);
    bed_read(b, &m), at += 13 * n * sizeof(double);
    memcpy(at, &totals, sizeof totals), at += sizeof totals;
    memcpy(at, &scale, sizeof scale), at += sizeof scale;
    assert_int_equal(bed_contacts(b, contacts, list, &contacts), SCREE_OK);
    memcpy(at, list, (size_t)contacts * sizeof *list), at += (size_t)contacts * sizeof *list;
    memcpy(at, b->plane, (size_t)b->planes * sizeof *b->plane);
    free(list);
    return bytes;
}

static inline void assert_same_state(bed *a, bed *b)
{
    size_t n, m;
    void *x = state_of(a, &n), *y = state_of(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x), free(y);
}

/// A bed made from the state of another, through nothing but what it tells.
static inline bed *made_again(grains *g, bed *from, scree_pool *pool)
{
    grains *now = malloc(sizeof *now);
    *now = *g, now->def.radius = g->radius;
    bed_motion m = {now->x, now->v, now->omega, now->q};
    bed_totals totals = bed_get_totals(from);
    scree_error error = {.text = ""};
    bed *b = NULL;
    int contacts;
    bed_read(from, &m);
    assert_int_equal(bed_contacts(from, 0, NULL, &contacts), SCREE_OK);
    bed_contact *list = calloc((size_t)contacts + 1, sizeof *list);
    assert_int_equal(bed_contacts(from, contacts, list, &contacts), SCREE_OK);
    if (bed_create(&g->def, &m, NULL, pool, &b, &error) != SCREE_OK) fail_msg("bed_create: %s", error.text);
    for (int p = 0; p < from->planes; ++p) b->plane[p] = from->plane[p];
    b->lists_due = 1; /* planes have moved */
    assert_int_equal(bed_prepare(b), SCREE_OK);
    bed_recall(b, contacts, list), bed_set_totals(b, &totals), bed_set_scale(b, bed_get_scale(from));
    free(list), free(now);
    return b;
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
