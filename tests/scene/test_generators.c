/* Generators: counts, no overlap (judged by all pairs), distributions by their statistics, same seed same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene/csv.h"
#include "scene/generators.h"
#include "scene/places.h"
#include "scene/scene_build.h"
#include "world/world_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "scree: 1\nmaterials: {stone: {density: 2500}}\nrun: {until: 1}\n"

static scree_scene *parse(const char *text)
{
    scree_scene *scene = NULL;
    scree_error error = {.text = ""};
    char message[1200];
    scene = scree_scene_parse(text, strlen(text), "case.yaml", NULL, 0, NULL, &error);
    if (!scene) fail_msg("%s", scree_error_format(&error, message, sizeof message));
    return scene;
}

static scree_world *build(const scree_scene *scene, int64_t *left_out)
{
    scree_allocator a = scree_allocator_default();
    scree_world *world = NULL;
    scree_error error = {.text = ""};
    char message[1200];
    if (scene_build(scene, &a, &world, left_out, &error) != SCREE_OK)
        fail_msg("%s", scree_error_format(&error, message, sizeof message));
    return world;
}

/// The smallest distance between surfaces of balls, over all pairs.
static double closest_balls(const scree_world *world)
{
    double least = INFINITY;
    const double *x = scree_world_positions(world);
    int body_a, body_b;
    for (int i = 0; i < scree_world_shape_count(world); ++i)
        for (int j = 0; j < i; ++j) {
            const scree_shape *a = scree_world_shape(world, scree_shape_at(i)),
                              *b = scree_world_shape(world, scree_shape_at(j));
            body_a = scree_body_index(scree_world_shape_body(world, scree_shape_at(i))),
            body_b = scree_body_index(scree_world_shape_body(world, scree_shape_at(j)));
            double d[3];
            if (a->kind != SCREE_SHAPE_SPHERE || b->kind != SCREE_SHAPE_SPHERE) continue;
            for (int k = 0; k < 3; ++k) d[k] = x[3 * body_a + k] - x[3 * body_b + k];
            least = fmin(least, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - a->size[0] - b->size[0]);
        }
    return least;
}

/* ---- lattices --------------------------------------------------------------------------------------------------------- */

/// Inner grains have 6, 12, 12 neighbours at the spacing, and nothing is nearer. hcp and fcc differ in the second shell.
static void lattices_have_the_right_neighbours(void **state)
{
    (void)state;
    static const char *const types[] = {"sc", "fcc", "hcp"};
    static const int neighbours[] = {6, 12, 12},
                     second[] = {12, 6, 6}; /* the second shell lies at sqrt(2) of the spacing */
    static const int third[] = {0, 0, 2};   /* at sqrt(8/3): hcp only */
    for (int t = 0; t < 3; ++t) {
        char text[512];
        int64_t left_out;
        snprintf(
            text, sizeof text,
            HEAD
            "generators: [{lattice: {type: %s, count: [7, 7, 7], spacing: 0.1, origin: [1, 2, 3]}, radius: 0.05}]\n",
            types[t]);
        scree_scene *scene = parse(text);
        scree_world *world = build(scene, &left_out);
        const double *x = scree_world_positions(world);
        int count = scree_world_body_count(world), inner = 3 + 7 * (3 + 7 * 3), seen[3] = {0, 0, 0};
        assert_int_equal(count, 343);
        assert_true(x[0] == 1.0 && x[1] == 2.0 && x[2] == 3.0);
        for (int j = 0; j < count; ++j) {
            double d[3];
            for (int k = 0; k < 3; ++k) d[k] = (x[3 * j + k] - x[3 * inner + k]) / 0.1;
            double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            if (j == inner) continue;
            assert_true(r > 1.0 - 1e-12);
            seen[0] += fabs(r - 1.0) < 1e-12;
            seen[1] += fabs(r - sqrt(2.0)) < 1e-12;
            seen[2] += fabs(r - sqrt(8.0 / 3.0)) < 1e-12;
        }
        assert_true(seen[0] == neighbours[t] && seen[1] == second[t] && seen[2] == third[t]);
        assert_true(closest_balls(world) > -1e-14);
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
}

static void jitter_moves_grains_by_no_more_than_it_says(void **state)
{
    (void)state;
    int64_t left_out;
    scree_scene *scene =
        parse(HEAD "generators: [{lattice: {count: [10, 10, 10], spacing: 0.1, jitter: 0.01}, radius: 0.04}]\n");
    scree_world *world = build(scene, &left_out);
    const double *x = scree_world_positions(world);
    double sum = 0.0, square = 0.0;
    for (int k = 0; k < 3000; ++k) {
        int n = k / 3, c = k % 3, at = c == 0 ? n % 10 : c == 1 ? n / 10 % 10 : n / 100;
        double moved = x[k] - 0.1 * at;
        assert_true(fabs(moved) <= 0.01 + 1e-15);
        sum += moved, square += moved * moved;
    }
    /* uniform on [-a, a]: variance a^2/3; five standard errors of mean and variance of 3000 draws */
    assert_true(fabs(sum / 3000) < 5 * 0.01 / sqrt(3.0 * 3000.0));
    assert_true(fabs(square / 3000 - 1e-4 / 3.0) < 5 * 1e-4 * sqrt(4.0 / 45.0 / 3000.0));
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* ---- packings ---------------------------------------------------------------------------------------------------------- */

static void packings_do_not_overlap_and_stay_inside(void **state)
{
    (void)state;
    int64_t left_out;
    scree_scene *scene = parse(
        HEAD
        "bodies:\n- {shape: {plane: {}}, position: [0, 0, 0.1]}\n"
        "- {kind: fixed, shape: {box: {size: [0.4, 0.4, 0.4]}}, position: [0.5, 0.5, 0.5]}\n"
        "- {shape: {sphere: {radius: 0.2}}, position: [0, 0, 0.8]}\n"
        "generators:\n- packing: {count: 300, region: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}\n"
        "  radius: {uniform: {min: 0.02, max: 0.06}}\n"
        "- {packing: {count: 200, region: {cylinder: {center: [3, 0, 0.5], radius: 0.5, height: 1}}}, radius: 0.03}\n"
        "- {packing: {count: 200, region: {ball: {center: [5, 0, 1], radius: 0.5}}}, radius: 0.03}\n"
        "- {packing: {count: 50, region: {disk: {center: [7, 0, 1], radius: 0.5}}}, radius: 0.03}\n");
    scree_world *world = build(scene, &left_out);
    const double *x = scree_world_positions(world);
    int body, count = scree_world_body_count(world);
    assert_int_equal(left_out, 0);
    assert_int_equal(count, 3 + 300 + 200 + 200 + 50);
    assert_true(closest_balls(world) >= 0.0);
    for (int k = 3; k < scree_world_shape_count(world); ++k) {
        double r = scree_world_shape(world, scree_shape_at(k))->size[0];
        body = scree_body_index(scree_world_shape_body(world, scree_shape_at(k)));
        const double *c = x + 3 * body;
        if (c[0] < 2.0) {
            double q[3], d = 0.0; /* distance to the box in the middle */
            for (int i = 0; i < 3; ++i) {
                assert_true(c[i] >= r - 1e-15 && c[i] <= 1.0 - r + 1e-15);
                q[i] = fmax(0.0, fabs(c[i] - 0.5) - 0.2), d += q[i] * q[i];
            }
            assert_true(sqrt(d) >= r && c[2] - 0.1 >= r);
        } else if (c[0] < 4.0)
            assert_true(hypot(c[0] - 3, c[1]) <= 0.5 - r + 1e-12 && c[2] >= 0.5 + r - 1e-12 && c[2] <= 1.5 - r + 1e-12);
        else if (c[0] < 6.0) assert_true(hypot(hypot(c[0] - 5, c[1]), c[2] - 1) <= 0.5 - r + 1e-12);
        else assert_true(hypot(c[0] - 7, c[1]) <= 0.5 - r + 1e-12 && c[2] == 1.0);
    }
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

static void a_full_packing_says_how_many_were_left_out(void **state)
{
    (void)state;
    int64_t left_out;
    scree_scene *scene = parse(HEAD "generators: [{packing: {count: 1000, region: {box: {min: [0, 0, 0], max: [1, 1, "
                                    "1]}}, attempts: 2000}, radius: 0.1}]\n");
    scree_world *world = build(scene, &left_out);
    int count = scree_world_body_count(world);
    double fraction = count * 4.0 / 3.0 * 3.14159265358979 * 1e-3;
    assert_int_equal(count + left_out, 1000);
    print_message("random sequential addition: %d balls, %.3f of the volume\n", count, fraction);
    assert_true(fraction > 0.2 && fraction < 0.4); /* it jams near 0.384 without walls; the last few take very long */
    assert_true(closest_balls(world) >= 0.0);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/// Grains of any shape keep clear of each other by their spheres, so no pair of shapes overlaps: judged by asking for room.
static void grains_of_any_shape_get_room(void **state)
{
    (void)state;
    int64_t left_out;
    scree_scene *scene = parse(HEAD "generators:\n"
                                    "- {packing: {count: 40, region: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}, shape: "
                                    "{box: {size: [0.1, 0.05, 0.02]}}}\n"
                                    "- {packing: {count: 40, region: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}, shape: "
                                    "{capsule: {radius: 0.02, length: 0.1}}}\n"
                                    "- {packing: {count: 40, region: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}, shape: "
                                    "{ellipsoid: {semi_axes: [0.02, 0.04, 0.06]}},\n"
                                    "   scale: {uniform: {min: 0.5, max: 1}}}\n");
    scree_world *world = build(scene, &left_out);
    const double *x = scree_world_positions(world);
    int body_a, body_b, n = scree_world_shape_count(world);
    assert_int_equal(left_out, 0); /* they are a hundredth of the box: each finds room */
    assert_int_equal(n, 120);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) {
            manifold m;
            posed_shape a, b;
            world_shape_pose(world, i, &a);
            world_shape_pose(world, j, &b);
            collide(&a, &b, 0.0, &m);
            for (int k = 0; k < m.count; ++k) assert_true(m.point[k].gap >= 0.0);
        }
    /* a place in the middle of a grain is taken, and so says the slow twin of the grid */
    places *p = NULL;
    assert_int_equal(places_create(world, 0.05, NULL, &p), SCREE_OK);
    for (int k = 0; k < 2000; ++k) {
        rng r = rng_make(5, (uint64_t)k);
        double c[3] = {rng_uniform(&r), rng_uniform(&r), rng_uniform(&r)}, radius = 0.05 * rng_uniform(&r);
        assert_int_equal(places_free(p, c, radius), place_is_free(world, c, radius));
    }
    for (int i = 0; i < n; ++i) {
        body_a = scree_body_index(scree_world_shape_body(world, scree_shape_at(i)));
        assert_false(places_free(p, x + 3 * body_a, 0.001));
    }
    (void)body_b;
    places_destroy(p);
    scree_world_destroy(world);
    scree_scene_destroy(scene);
}

/* ---- distributions -------------------------------------------------------------------------------------------------------- */

enum { DRAWS = 20000 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double normal_cdf(double z)
{
    return 0.5 * erfc(-z / sqrt(2.0));
}

/// Distribution functions of the cases below.
static double cdf(int which, double x)
{
    switch (which) {
    case 0: return (x - 0.01) / 0.02;
    case 1: {
        double a = normal_cdf(-1.5), b = normal_cdf(2.0);
        return (normal_cdf((x - 0.02) / 0.004) - a) / (b - a);
    }
    default: {
        double a = normal_cdf(-3.0), b = normal_cdf(3.0);
        return (normal_cdf(log(x / 0.02) / 0.3) - a) / (b - a);
    }
    }
}

/// Kolmogorov and Smirnov: the largest distance to the distribution function is below 1.95/sqrt(n) with probability 0.999.
static void sizes_follow_their_distribution(void **state)
{
    (void)state;
    static const char *const text[] = {
        "{uniform: {min: 1 cm, max: 3 cm}}",
        "{normal: {mean: 20 mm, deviation: 4 mm, min: 14 mm, max: 28 mm}}",
        "{lognormal: {median: 20 mm, spread: 0.3}}",
    };
    static double x[DRAWS];
    for (int t = 0; t < 3; ++t) {
        char scene_text[512];
        snprintf(scene_text, sizeof scene_text,
                 HEAD "generators: [{lattice: {count: [1, 1, 1], spacing: 1}, radius: %s}]\n", text[t]);
        scree_scene *scene = parse(scene_text);
        const scene_generator *g = scene->root.generators.item;
        double worst = 0.0;
        for (int k = 0; k < DRAWS; ++k) {
            rng r;
            grain it;
            grain_draw(&scene->root, g, generator_seed(&scene->root, 0), k, &r, &it);
            x[k] = it.size;
            assert_true(it.size <= distribution_largest(&g->radius) * (1 + 1e-15));
        }
        qsort(x, DRAWS, sizeof *x, compare);
        for (int k = 0; k < DRAWS; ++k) {
            double f = cdf(t, x[k]);
            worst = fmax(worst, fmax(fabs(f - (double)k / DRAWS), fabs(f - (double)(k + 1) / DRAWS)));
        }
        print_message("%s: distance %.4f, allowed %.4f\n", text[t], worst, 1.95 / sqrt(DRAWS));
        assert_true(worst < 1.95 / sqrt(DRAWS));
        scree_scene_destroy(scene);
    }
}

static void weights_count_grains(void **state)
{
    (void)state;
    scree_scene *scene = parse(HEAD "generators: [{lattice: {count: [1, 1, 1], spacing: 1}, radius: {list: {values: "
                                    "[1, 2, 3, 4], weights: [6, 0, 3, 1]}}}]\n");
    const scene_generator *g = scene->root.generators.item;
    int seen[5] = {0};
    for (int k = 0; k < DRAWS; ++k) {
        rng r;
        grain it;
        grain_draw(&scene->root, g, 77, k, &r, &it);
        seen[(int)it.size] += 1;
    }
    double expected[5] = {0, 0.6, 0, 0.3, 0.1}, chi = 0.0;
    for (int k = 1; k <= 4; ++k)
        if (expected[k] > 0.0) chi += pow(seen[k] - expected[k] * DRAWS, 2) / (expected[k] * DRAWS);
    assert_int_equal(seen[2], 0);
    assert_true(chi < 13.8); /* two degrees of freedom: 0.999 */
    scree_scene_destroy(scene);
}

/// Means of coordinates and of squares, against those of the body: five standard errors, bounded by 5 R/sqrt(n).
static void places_are_uniform_in_their_region(void **state)
{
    (void)state;
    static const char *const text[] = {
        "disk: {center: [1, 2, 3], radius: 2}", "cylinder: {center: [1, 2, 3], radius: 2, height: 4}",
        "ball: {center: [1, 2, 3], radius: 2}", "box: {min: [-1, 0, 1], max: [3, 4, 5]}"};
    static const double mean_z[] = {3, 5, 3, 3}, square_x[] = {1.0, 1.0, 0.8, 4.0 / 3.0},
                        square_z[] = {0, 4.0 / 3.0, 0.8, 4.0 / 3.0};
    for (int t = 0; t < 4; ++t) {
        char scene_text[512];
        snprintf(scene_text, sizeof scene_text,
                 HEAD "generators: [{pour: {count: 9, rate: 1, from: {%s}}, radius: 1}]\n", text[t]);
        scree_scene *scene = parse(scene_text);
        const scene_generator *g = scene->root.generators.item;
        double mean[3] = {0, 0, 0}, square[3] = {0, 0, 0}, expected[3] = {1, 2, mean_z[t]};
        for (int k = 0; k < DRAWS; ++k) {
            grain it;
            pour_draw(&scene->root, g, 5, k, &it);
            for (int c = 0; c < 3; ++c)
                mean[c] += it.position[c] / DRAWS, square[c] += pow(it.position[c] - expected[c], 2) / DRAWS;
        }
        double allowed = 5 * 2 / sqrt(DRAWS);
        for (int c = 0; c < 3; ++c) assert_true(fabs(mean[c] - expected[c]) < allowed);
        assert_true(fabs(square[0] - square_x[t]) < allowed && fabs(square[1] - square_x[t]) < allowed &&
                    fabs(square[2] - square_z[t]) < allowed);
        scree_scene_destroy(scene);
    }
}

static void orientations_are_uniform(void **state)
{
    (void)state;
    scree_scene *scene =
        parse(HEAD "generators: [{lattice: {count: [1, 1, 1], spacing: 1}, shape: {box: {size: [1, 1, 1]}}}]\n");
    const scene_generator *g = scene->root.generators.item;
    double square[4] = {0, 0, 0, 0}, z = 0.0;
    for (int k = 0; k < DRAWS; ++k) {
        rng r;
        grain it;
        grain_draw(&scene->root, g, 9, k, &r, &it);
        double norm = 0.0;
        for (int c = 0; c < 4; ++c)
            norm += it.rotation[c] * it.rotation[c], square[c] += it.rotation[c] * it.rotation[c] / DRAWS;
        assert_true(fabs(norm - 1.0) < 1e-14);
        z += (1.0 - 2.0 * (it.rotation[1] * it.rotation[1] + it.rotation[2] * it.rotation[2])) /
             DRAWS; /* z of the turned z axis */
    }
    for (int c = 0; c < 4; ++c) assert_true(fabs(square[c] - 0.25) < 5 / sqrt(DRAWS));
    assert_true(fabs(z) < 5 / sqrt(3.0 * DRAWS));
    scree_scene_destroy(scene);
}

/* ---- the same bits -------------------------------------------------------------------------------------------------------------- */

static void the_same_seed_gives_the_same_bits(void **state)
{
    (void)state;
    static const char *const seeds[] = {"seed: 1\n", "seed: 1\n", "seed: 2\n"};
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k) {
        char text[1024];
        int64_t left_out;
        snprintf(text, sizeof text,
                 HEAD "%sgenerators:\n- {packing: {count: 300, region: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}, "
                      "radius: {uniform: {min: 0.02, max: 0.05}}}\n"
                      "- {lattice: {count: [5, 5, 5], spacing: 0.2, jitter: 0.01, origin: [3, 3, 3]}, radius: 0.08}\n",
                 seeds[k]);
        scree_scene *scene = parse(text);
        scree_world *world = build(scene, &left_out);
        hash[k] = scree_world_hash(world);
        scree_world_destroy(world);
        scree_scene_destroy(scene);
    }
    assert_true(hash[0] == hash[1] && hash[0] != hash[2]);
}

/// A generator with its own seed does not care what stands before it; grain k not how many there are.
static void a_grain_depends_on_its_seed_and_number_alone(void **state)
{
    (void)state;
    scree_scene *a = parse(HEAD "generators: [{pour: {count: 10, rate: 1, from: {disk: {center: [0, 0, 1], radius: "
                                "1}}}, radius: {uniform: {min: 1, max: 2}}, seed: 5}]\n");
    scree_scene *b = parse(HEAD "seed: 99\ngenerators:\n- {lattice: {count: [1, 1, 1], spacing: 1}, radius: 1}\n"
                                "- {pour: {count: 99, rate: 7, from: {disk: {center: [0, 0, 1], radius: 1}}}, radius: "
                                "{uniform: {min: 1, max: 2}}, seed: 5}\n");
    const scene_generator *g = a->root.generators.item, *h = (const scene_generator *)b->root.generators.item + 1;
    for (int k = 9; k >= 0; --k) {
        grain x, y;
        pour_draw(&a->root, g, generator_seed(&a->root, 0), k, &x);
        pour_draw(&b->root, h, generator_seed(&b->root, 1), k, &y);
        assert_memory_equal(x.position, y.position, sizeof x.position);
        assert_true(x.size == y.size);
    }
    assert_true(pour_time(&g->pour, 3) == 3.0 && pour_time(&h->pour, 7) == 1.0);
    scree_scene_destroy(a);
    scree_scene_destroy(b);
}

/* ---- tables ----------------------------------------------------------------------------------------------------------------------- */

static void tables_are_read_and_their_mistakes_located(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, column;
        const char *words;
    } bad[] = {
        {"", 0, 0, "the table is empty, expected a first line with the columns x, y, z, ..."},
        {"# only this\n\n", 0, 0, "the table is empty, expected a first line with the columns x, y, z, ..."},
        {"x,y\n", 1, 1, "no column 'z', expected x, y and z"},
        {"x,y,z,mass\n", 1, 7, "unknown column 'mass', expected x, y, z, radius, scale, vx, vy, vz, wx, wy, wz"},
        {"x,y,z,x\n", 1, 7, "a second column 'x', expected each once"},
        {"x,y,z,radius,scale\n", 1, 1, "both 'radius' and 'scale', expected one of them"},
        {"x,y,z\n1,2\n", 2, 4, "the line ends before 'z', expected a number for each column"},
        {"x,y,z\n1,2,3\n\n1, 2,three\n", 4, 6, "z 'three', expected a plain number"},
        {"x,y,z\n1,2,3 mm\n", 2, 7, "one value too many: 'mm', expected as many as the first line has names"},
        {"x,y,z\r\n1,2,1e999\r\n", 2, 5, "z '1e999', expected a plain number"},
        {"x,y,z,radius\n1,2,3,-1\n", 2, 7, "radius '-1', expected a number above 0"},
        {"x y z\n1 2 3\n4 5 6\n7 8 9\n", 4, 1, "more than 2 grains"},
    };
    csv_table t;
    scree_error error = {0};
    scree_allocator a = scree_allocator_default();
    assert_int_equal(csv_parse("z;y;x\tvx\n# a comment\n3;2;1 9\r\n 6 5 4 8", "t.csv", 10, NULL, &t, &error), SCREE_OK);
    assert_int_equal(t.rows, 2);
    assert_true(t.value[CSV_X] == 1 && t.value[CSV_Y] == 2 && t.value[CSV_Z] == 3 && t.value[CSV_VX] == 9);
    assert_true(t.value[CSV_COLUMNS + CSV_X] == 4 && t.has[CSV_VX] && !t.has[CSV_RADIUS]);
    a.free(t.value, a.context);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        assert_int_equal(csv_parse(bad[k].text, "t.csv", 2, NULL, &t, &error), SCREE_ERR_INPUT);
        assert_string_equal(error.text, bad[k].words);
        assert_true(error.line == bad[k].line && error.column == bad[k].column);
        assert_null(t.value);
    }
}

static void a_table_makes_its_grains(void **state)
{
    (void)state;
    scree_scene *scene = NULL;
    scree_error error = {.text = ""};
    int64_t left_out;
    int body;
    scene = scree_scene_read("tests/scenes/good/alternatives.yaml", NULL, 0, NULL, &error);
    assert_int_equal(error.status, SCREE_OK);
    scree_world *world = build(scene, &left_out);
    body = scree_body_index(scree_world_find_body(world, "table[2]"));
    assert_true(body >= 0);
    assert_true(scree_world_positions(world)[3 * body] == 22.0 && scree_world_velocities(world)[3 * body + 2] == -1.0);
    body = scree_body_index(scree_world_find_body(world, "table[0]"));
    assert_true(scree_world_angular_velocities(world)[3 * body + 1] == 2.0);
    scree_world_destroy(world);
    scree_scene_destroy(scene);

    static const struct {
        const char *generator, *place, *words;
    } bad[] = {
        {"{csv: {path: tests/scenes/good/grains.csv}, radius: 1}", "grains.csv",
         "'radius' is both in the columns here and a key of the generator, expected one of them"},
        {"{csv: {path: tests/scenes/good/grains.csv}, shape: {box: {size: [1, 1, 1]}}}", "grains.csv",
         "the column 'radius' is not read for grains that are a 'shape', expected 'scale'"},
        {"{csv: {path: tests/scenes/good/grains.csv}, velocity: [1, 0, 0]}", "grains.csv",
         "'velocity' is both in the columns here and a key of the generator, expected one of them"},
        {"{csv: {path: nowhere.csv}}", "nowhere.csv", "cannot open the file: No such file or directory"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        char text[512];
        scree_allocator a = scree_allocator_default();
        snprintf(text, sizeof text, HEAD "generators: [%s]\n", bad[k].generator);
        scene = parse(text);
        assert_int_not_equal(scene_build(scene, &a, &world, &left_out, &error), SCREE_OK);
        assert_null(world);
        assert_string_equal(error.text, bad[k].words);
        assert_non_null(strstr(error.file, bad[k].place));
        scree_scene_destroy(scene);
    }
}

/* ---- failing memory ------------------------------------------------------------------------------------------------------------------ */

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    static const char *const files[] = {"tests/scenes/good/everything.yaml", "tests/scenes/good/alternatives.yaml"};
    for (int k = 0; k < 2; ++k) {
        scree_error error = {.text = ""};
        scree_scene *scene = scree_scene_read(files[k], NULL, 0, NULL, &error);
        assert_int_equal(error.status, SCREE_OK);
        for (int n = 0;; ++n) {
            failing f = {.left = n};
            error = (scree_error){0};
            scree_allocator a = failing_allocator(&f);
            scree_world *world = NULL;
            int64_t left_out;
            scree_status status = scene_build(scene, &a, &world, &left_out, &error);
            assert_true((status == SCREE_OK) == (world != NULL));
            if (status != SCREE_OK) assert_int_equal(status, SCREE_ERR_MEMORY);
            scree_world_destroy(world);
            assert_int_equal(f.live, 0);
            if (status == SCREE_OK) break;
            assert_true(n < 5000);
        }
        scree_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattices_have_the_right_neighbours),
        cmocka_unit_test(jitter_moves_grains_by_no_more_than_it_says),
        cmocka_unit_test(packings_do_not_overlap_and_stay_inside),
        cmocka_unit_test(a_full_packing_says_how_many_were_left_out),
        cmocka_unit_test(grains_of_any_shape_get_room),
        cmocka_unit_test(sizes_follow_their_distribution),
        cmocka_unit_test(weights_count_grains),
        cmocka_unit_test(places_are_uniform_in_their_region),
        cmocka_unit_test(orientations_are_uniform),
        cmocka_unit_test(the_same_seed_gives_the_same_bits),
        cmocka_unit_test(a_grain_depends_on_its_seed_and_number_alone),
        cmocka_unit_test(tables_are_read_and_their_mistakes_located),
        cmocka_unit_test(a_table_makes_its_grains),
        cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
