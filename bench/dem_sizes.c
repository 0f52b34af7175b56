/* dem_sizes.c: what spheres of other sizes cost a bed of soft spheres (src/dem/spheres/bed.h). Built and run by bench/dem_sizes.sh.
 *
 *   dem_sizes [STEPS] [WINDOWS] [THREADS]
 *
 * 10,000 spheres d = m = g = 1 in a box of planes, come to rest; then the same with four large ones of 5, 20 and 50 radii above them that
 * touch none (fixed, so that the box does not hold them); then two mixtures of sizes 1 to 10, each come to rest by itself: ten large ones
 * that are half of the volume, and as much volume of every size. Prints nanoseconds per sphere and step, least and mean of the windows, the
 * ratios to equal spheres, and what new lists cost. Law sds: dashpots of fn follow the mean of two masses, and throw light spheres away. */
#include "base/clock.h"
#include "dem/spheres/bed.h"
#include "math/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SMALL = 10000, LARGE = 4, MOST = SMALL + LARGE, SETTLE = 40000 };

typedef struct scene {
    int count;
    double side, radius[MOST], inverse_mass[MOST], x[3 * MOST], v[3 * MOST], omega[3 * MOST];
} scene;

static bed_motion motion_of(scene *s)
{
    return (bed_motion){s->x, s->v, s->omega, NULL};
}

static int falling(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

static int is_free(const scene *s, int i, const double *x)
{
    for (int j = 0; j < i; ++j) {
        double r2 = 0.0, R = s->radius[i] + s->radius[j];
        for (int k = 0; k < 3; ++k) r2 += (x[k] - s->x[3 * j + k]) * (x[k] - s->x[3 * j + k]);
        if (r2 < R * R) return 0;
    }
    return 1;
}

/// Spheres of these radii anywhere in a tall box, a quarter of its volume, the large ones first.
static void throw_in(scene *s)
{
    double volume = 0.0, height;
    rng random = rng_make(3, 0);
    qsort(s->radius, (size_t)s->count, sizeof *s->radius, falling);
    for (int i = 0; i < s->count; ++i) volume += 4.19 * pow(s->radius[i], 3.0);
    height = volume / 0.25 / (s->side * s->side);
    for (int i = 0; i < s->count; ++i) {
        double R = s->radius[i], *x = s->x + 3 * i;
        do
            for (int k = 0; k < 3; ++k) x[k] = R + rng_uniform(&random) * ((k < 2 ? s->side : height) - 2.0 * R);
        while (!is_free(s, i, x));
        s->inverse_mass[i] = 0.125 / (R * R * R);
    }
}

static bed *bed_of(scene *s, scree_pool *pool)
{
    const double L = s->side;
    bed_pair pair = {.normal = {DEM_HOOKE, 2e4, 0.0, 1}, .normal_damping = 50.0, .slide = {5714.0, 50.0, 0.5}};
    pair.roll = (bed_sds){5714.0, 50.0, 0.05}, pair.twist = (bed_sds){1000.0, 10.0, 0.02};
    const bed_plane plane[5] = {{.normal = {0, 0, 1}},
                                {.normal = {1, 0, 0}},
                                {.normal = {0, 1, 0}},
                                {.normal = {-1, 0, 0}, .point = {L, 0, 0}},
                                {.normal = {0, -1, 0}, .point = {0, L, 0}}};
    bed_def def = {.count = s->count, .radius = s->radius, .inverse_mass = s->inverse_mass, .materials = 1};
    def.pair = &pair, def.planes = 5, def.plane = plane, def.gravity[2] = -1.0, def.step = 3e-4;
    bed_motion start = motion_of(s);
    bed *b = NULL;
    scree_error error = {.text = ""};
    if (bed_create(&def, &start, NULL, pool, &b, &error) == SCREE_OK) return b;
    fprintf(stderr, "dem_sizes: %s\n", error.text);
    exit(1);
}

static void advance(bed *b, int steps)
{
    scree_error error = {.text = ""};
    if (bed_advance(b, steps, &error) == SCREE_OK) return;
    fprintf(stderr, "dem_sizes: %s\n", error.text);
    exit(1);
}

static void settle(scene *s, scree_pool *pool)
{
    throw_in(s);
    bed *b = bed_of(s, pool);
    advance(b, SETTLE);
    bed_motion to = motion_of(s);
    bed_read(b, &to);
    bed_destroy(b);
}

static double seconds(int threads)
{
    return threads > 1 ? clock_seconds() : (double)clock() / CLOCKS_PER_SEC;
}

/// Returns the least time; `equal` is that of equal spheres, 0: these are they.
static double measure(const char *name, scene *s, scree_pool *pool, int steps, int windows, double equal[2])
{
    const int threads = scree_pool_threads(pool);
    double least = 1e9, mean = 0.0, lists = 1e9;
    bed *b = bed_of(s, pool);
    bed_motion now = motion_of(s);
    scree_error error = {0};
    advance(b, steps);
    for (int k = 0; k < windows; ++k) {
        double from = seconds(threads);
        advance(b, steps);
        double ns = 1e9 * (seconds(threads) - from) / steps / s->count;
        least = fmin(least, ns), mean += ns / windows;
    }
    bed_counts c = bed_count(b);
    bed_read(b, &now);
    for (int k = 0; k < 5; ++k) {
        double from = seconds(threads);
        if (bed_write(b, &now, &error) != SCREE_OK) exit(1);
        lists = fmin(lists, 1e9 * (seconds(threads) - from) / s->count);
    }
    if (!(equal[0] > 0.0)) equal[0] = least, equal[1] = mean;
    printf("%-28s %7.1f %7.1f %7.2f %7.2f %7.0f %7.2f\n", name, least, mean, least / equal[0], mean / equal[1], lists,
           (double)c.touching / s->count);
    fflush(stdout);
    bed_destroy(b);
    return least;
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 200, windows = argc > 2 ? atoi(argv[2]) : 10;
    if (steps < 1 || windows < 1) return 2;
    scree_pool *pool = scree_pool_create(argc > 3 ? atoi(argv[3]) : 1, NULL, NULL);
    if (!pool) return 1;
    scene *s = calloc(1, sizeof *s), *more = malloc(sizeof *more);
    if (!s || !more) return 1;
    double equal[2] = {0.0, 0.0};
    printf("%-28s %7s %7s %7s %7s %7s %7s\n", "ns per sphere and step", "least", "mean", "ratio", "ratio", "lists",
           "touch");
    s->count = SMALL, s->side = 20.4;
    for (int i = 0; i < SMALL; ++i) s->radius[i] = 0.5;
    settle(s, pool);
    *more = *s;
    measure("equal", more, pool, steps, windows, equal);
    const int radii[3] = {5, 20, 50};
    for (int n = 0; n < 3; ++n) {
        char name[64];
        const double R = 0.5 * radii[n];
        *more = *s, more->count = MOST;
        for (int k = 0; k < LARGE; ++k) {
            double *x = more->x + 3 * (SMALL + k);
            more->radius[SMALL + k] = R;
            x[0] = 0.5 * s->side + (k % 2 ? 1.01 : -1.01) * R, x[1] = 0.5 * s->side + (k / 2 ? 1.01 : -1.01) * R;
            x[2] = 27.0 + R;
        }
        snprintf(name, sizeof name, "4 of %d radii above them", radii[n]);
        measure(name, more, pool, steps, windows, equal);
    }
    memset(s, 0, sizeof *s);
    s->count = SMALL, s->side = 20.4;
    for (int i = 0; i < SMALL; ++i) s->radius[i] = i < 10 ? 5.0 : 0.5;
    settle(s, pool);
    measure("10 of 10 radii among them", s, pool, steps, windows, equal);
    memset(s, 0, sizeof *s);
    s->count = SMALL, s->side = 40.0;
    rng random = rng_make(1, 0);
    for (int i = 0; i < SMALL; ++i) s->radius[i] = 0.5 / cbrt(1.0 - rng_uniform(&random) * (1.0 - 1e-3));
    settle(s, pool);
    measure("1 to 10, volumes alike", s, pool, steps, windows, equal);
    free(s), free(more), scree_pool_destroy(pool);
    return 0;
}
