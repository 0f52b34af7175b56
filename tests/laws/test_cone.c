/* test_cone.c: projection on the friction cone and its dual, and its derivative (src/laws/cone.h)
 *
 * Judged by Moreau's conditions as geometric distances (twins.h): p in K, p - x in K*, p . (p - x) = 0. Those three are
 * the definition of the nearest point of a convex cone; no golden numbers. Tolerance: 8 roundings of |x|, which is the
 * dozen operations between x and p, none of which amplifies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <stdio.h>

#include "random_contacts.h"
#include "twins.h"

enum { SHAPES = CONE_SHAPES + 1 }; /* and the cone without friction: a half line */

static scree_cone shape(int index)
{
    return index < CONE_SHAPES ? cone_shape(index) : (scree_cone){{0, 0, 0}, {0, 0, 0}};
}

/* 0, 1e12 and log-uniform between 1e-12 and 1e12; half of them where friction is. */
static double random_coefficient(rng *g)
{
    int choice = rng_below(g, 16);
    if (choice == 0) return 0.0;
    if (choice == 1) return 1e12;
    if (choice < 8) return rng_log(g, 1e-12, 1e12);
    return rng_log(g, 0.01, 3.0);
}

static scree_cone random_cone(rng *g, int index)
{
    scree_cone c = shape(index);
    for (int k = 0; k < 3; ++k)
        if (c.size[k]) c.coef[k] = random_coefficient(g);
    return c;
}

/* A point of size about 1: anywhere; with each load around its rim; or around the edge of the polar cone. */
static void random_point(rng *g, const scree_cone *c, double *x)
{
    int dim = scree_cone_dim(c), kind = dim > 1 ? rng_below(g, 4) : 0;
    double sum = 0.0, size = 0.0;
    x[0] = rng_uniform(g, -1.0, 1.0);
    for (int k = 0, at = 1; k < 3; at += c->size[k++]) {
        if (!c->size[k]) continue;
        double angle = rng_uniform(g, 0.0, 6.283185307179586), length = rng_log(g, 1e-3, 1.0);
        double near = 1.0 + rng_uniform(g, -1.0, 1.0) * (rng_below(g, 2) ? 1.0 : rng_log(g, 1e-17, 1.0));
        if (kind == 1) length = c->coef[k] * fabs(x[0]) * near; /* around the rim */
        if (kind == 2) length /= fmax(c->coef[k], 1e-12);       /* loads that weigh alike at the apex */
        x[at] = length * cos(angle);
        if (c->size[k] == 2) x[at + 1] = length * sin(angle);
        else x[at] = copysign(length, x[at]);
        sum += c->coef[k] * length;
    }
    if (kind == 2) x[0] = -sum * (1.0 + rng_uniform(g, -1.0, 1.0) * rng_log(g, 1e-17, 2.0));
    for (int i = 0; i < dim; ++i) size = fmax(size, fabs(x[i]));
    if (size > 0.0)
        for (int i = 0; i < dim; ++i) x[i] /= size;
}

static void print_case(const scree_cone *c, const double *x, const double *p)
{
    print_error("coef %a %a %a\n", c->coef[0], c->coef[1], c->coef[2]);
    for (int i = 0; i < scree_cone_dim(c); ++i) print_error("  x %a  p %a\n", x[i], p[i]);
}

/* The largest violation of Moreau's conditions by p = proj_K(x), relative to |x|. With `dual`, of p = proj_K*(x). */
static double moreau_violation(const scree_cone *c, int dual, const double *x, const double *p)
{
    int dim = scree_cone_dim(c);
    wide P[6], V[6], pp = 0, pv = 0, size = wide_norm(dim, x);
    for (int i = 0; i < dim; ++i) {
        P[i] = p[i], V[i] = (wide)p[i] - (wide)x[i];
        pp += P[i] * P[i], pv += P[i] * V[i];
    }
    if (!(size > 0)) return pp > 0 ? 1.0 : 0.0;
    wide worst = fmaxl(outside_cone(c, dual ? V : P), outside_dual(c, dual ? P : V));
    worst = fmaxl(worst, fabsl(pv) / size); /* the angle between p and p - x, from an error of p as long as this */
    return (double)(worst / size);
}

static void the_projection_is_the_nearest_point_of_the_cone(void **state)
{
    (void)state;
    const double tolerance = 8 * DBL_EPSILON;
    for (int index = 0; index < SHAPES; ++index) {
        rng g = {(uint64_t)index + 1};
        double worst[2] = {0, 0};
        unsigned seen_regions[2] = {0, 0}, seen_sets = 0, all_sets = 0;
        for (long trial = 0, n = samples(150000, 10000000); trial < n; ++trial) {
            scree_cone c = random_cone(&g, index);
            int dim = scree_cone_dim(&c);
            double x[6], p[6];
            random_point(&g, &c, x);
            double scale = rng_below(&g, 4) ? 1.0 : rng_log(&g, 1e-150, 1e150);
            for (int i = 0; i < dim; ++i) x[i] *= scale;
            for (int dual = 0; dual < 2; ++dual) {
                scree_projection where = dual ? scree_dual_project(&c, x, p) : scree_cone_project(&c, x, p);
                double violation = moreau_violation(&c, dual, x, p);
                worst[dual] = fmax(worst[dual], violation);
                if (!(violation <= tolerance)) print_case(&c, x, p);
                assert_true(violation <= tolerance);
                seen_regions[dual] |= 1u << where.region;
                if (!dual && where.region == SCREE_REGION_FACE) seen_sets |= 1u << where.active;
                if (where.region == SCREE_REGION_INSIDE) /* nothing moved */
                    for (int i = 0; i < dim; ++i) assert_true(p[i] == x[i] || (i == 0 && dim == 1) || p[i] == 0.0);
                if (where.region == SCREE_REGION_APEX)
                    for (int i = 0; i < dim; ++i) assert_true(p[i] == 0.0);
            }
        }
        for (unsigned set = 1; set < 8; ++set) { /* every set of the mechanisms present */
            scree_cone c = shape(index);
            unsigned present = (c.size[0] != 0) | (c.size[1] != 0) << 1 | (c.size[2] != 0) << 2;
            if ((set & present) == set) all_sets |= 1u << set;
        }
        assert_int_equal(seen_sets, all_sets);
        for (int dual = 0; dual < 2; ++dual)
            assert_int_equal(seen_regions[dual], index < CONE_SHAPES ? 7u : 5u); /* a half line has no face */
        print_message("cone %d: worst %.2f eps, dual %.2f eps\n", index, worst[0] / DBL_EPSILON,
                      worst[1] / DBL_EPSILON);
    }
}

static void the_largest_and_smallest_numbers_project_to_finite_ones(void **state)
{
    (void)state;
    const double sizes[] = {DBL_MAX, DBL_MAX / 4, DBL_MIN, DBL_TRUE_MIN, 1e-310, 1e308, 1e160, 1e-160};
    rng g = {11};
    for (int trial = 0; trial < 200000; ++trial) {
        scree_cone c = random_cone(&g, trial % SHAPES);
        double size = sizes[rng_below(&g, 8)], x[6], p[6], y[6], D[36];
        int dim = scree_cone_dim(&c);
        if (trial % 5 == 0)
            for (int k = 0; k < 3; ++k) c.coef[k] *= rng_log(&g, 1e-200, 1e200);
        for (int i = 0; i < dim; ++i)
            x[i] = size * (rng_below(&g, 3) ? rng_uniform(&g, -1, 1) : rng_below(&g, 2) ? 1.0 : -1.0);
        scree_cone_project(&c, x, p);
        scree_cone_project_derivative(&c, x, D);
        for (int i = 0; i < dim; ++i) assert_true(isfinite(p[i]));
        for (int i = 0; i < dim * dim; ++i) assert_true(isfinite(D[i]));
        wide P[6], distance;
        for (int i = 0; i < dim; ++i) P[i] = p[i];
        distance = outside_cone(&c, P);
        /* what is lost below the smallest number, or cut at the largest, is a few of those */
        if (size < DBL_MAX) assert_true(distance <= 8 * (wide)DBL_EPSILON * wide_norm(dim, x) + 4 * (wide)DBL_TRUE_MIN);
        if (size > DBL_MAX / 2) continue; /* the nearest point of K* may be longer in one component than x */
        scree_dual_project(&c, x, y);
        for (int i = 0; i < dim; ++i) assert_true(isfinite(y[i]));
    }
}

static void projecting_twice_or_in_place_changes_nothing(void **state)
{
    (void)state;
    rng g = {12};
    for (long trial = 0, n = samples(200000, 10000000); trial < n; ++trial) {
        scree_cone c = random_cone(&g, (int)(trial % SHAPES));
        int dim = scree_cone_dim(&c);
        double x[6], p[6], twice[6];
        random_point(&g, &c, x);
        scree_cone_project(&c, x, p);
        scree_cone_project(&c, p, twice);
        assert_true(wide_distance(dim, p, twice) <= 4 * DBL_EPSILON * wide_norm(dim, p)); /* rounding of the rim */
        memcpy(twice, x, sizeof x);
        scree_cone_project(&c, twice, twice);
        assert_memory_equal(p, twice, (size_t)dim * sizeof *p);
        scree_dual_project(&c, x, p);
        scree_dual_project(&c, x, x);
        assert_memory_equal(p, x, (size_t)dim * sizeof *p);
    }
}

static void the_projection_never_moves_two_points_apart(void **state)
{
    (void)state;
    rng g = {13};
    for (long trial = 0, n = samples(200000, 10000000); trial < n; ++trial) {
        scree_cone c = random_cone(&g, (int)(trial % SHAPES));
        int dim = scree_cone_dim(&c);
        double x[6], z[6], p[6], q[6], near = rng_log(&g, 1e-16, 1.0);
        random_point(&g, &c, x);
        random_point(&g, &c, z);
        for (int i = 0; i < dim; ++i) z[i] = x[i] + near * z[i];
        scree_cone_project(&c, x, p);
        scree_cone_project(&c, z, q);
        /* each of p and q is a few roundings from the nearest point, as in the first test */
        assert_true(wide_distance(dim, p, q) <= wide_distance(dim, x, z) + 16 * DBL_EPSILON * wide_norm(dim, x));
    }
}

static void a_power_of_two_goes_through_the_projection_bit_for_bit(void **state)
{
    (void)state;
    rng g = {14};
    for (long trial = 0, n = samples(200000, 10000000); trial < n; ++trial) {
        scree_cone c = random_cone(&g, (int)(trial % SHAPES));
        int dim = scree_cone_dim(&c), e = rng_below(&g, 1201) - 600;
        double x[6], p[6], p_e[6];
        random_point(&g, &c, x);
        for (int i = 0; i < dim; ++i) x[i] = fabs(x[i]) < 1e-30 ? 0.0 : x[i]; /* what is scaled must not be denormal */
        scree_cone_project(&c, x, p);
        for (int i = 0; i < dim; ++i) p_e[i] = ldexp(x[i], e);
        scree_cone_project(&c, p_e, p_e);
        for (int i = 0; i < dim; ++i) assert_true(p_e[i] == ldexp(p[i], e));
    }
}

static void the_case_list_and_the_sorted_breakpoints_agree_with_it(void **state)
{
    (void)state;
    rng g = {15};
    double worst[2] = {0, 0};
    for (long trial = 0, n = samples(500000, 10000000); trial < n; ++trial) {
        scree_cone c = random_cone(&g, (int)(trial % CONE_SHAPES));
        int dim = scree_cone_dim(&c);
        double x[6], p[6], twin[6];
        for (int k = 0; k < 3; ++k)
            if (c.coef[k] == 0.0) c.coef[k] = 1e-12; /* both papers divide by it, or ask for > 0 */
        random_point(&g, &c, x);
        scree_cone_project(&c, x, p);
        for (int which = 0; which < 2; ++which) {
            if (which == 0 && dim != 5) continue;
            if (which == 0) twin_project_cases(&c, x, twin);
            else twin_project_sorted(&c, x, twin);
            /* two codes, each within 8 roundings of the nearest point in each of three conditions */
            double off = (double)(wide_distance(dim, p, twin) / wide_norm(dim, x));
            worst[which] = fmax(worst[which], off);
            if (!(off <= 16 * DBL_EPSILON)) print_case(&c, x, p);
            assert_true(off <= 16 * DBL_EPSILON);
        }
    }
    print_message("twins: [AB] %.2f eps, [TA] %.2f eps\n", worst[0] / DBL_EPSILON, worst[1] / DBL_EPSILON);
}

static void the_derivative_is_symmetric_between_zero_and_one_and_takes_x_to_p(void **state)
{
    (void)state;
    rng g = {16};
    double worst = 0.0;
    for (long trial = 0, n = samples(300000, 10000000); trial < n; ++trial) {
        scree_cone c = random_cone(&g, (int)(trial % SHAPES));
        int dim = scree_cone_dim(&c);
        double x[6], p[6], D[36], v[6], Dv[6], Dx[6];
        random_point(&g, &c, x);
        scree_projection where = scree_cone_project(&c, x, p), at = scree_cone_project_derivative(&c, x, D);
        assert_true(where.region == at.region && where.active == at.active);
        for (int i = 0; i < dim; ++i) v[i] = rng_uniform(&g, -1, 1);
        for (int i = 0; i < dim; ++i) {
            wide a = 0, b = 0;
            for (int j = 0; j < dim; ++j) {
                a += (wide)D[i * dim + j] * v[j], b += (wide)D[i * dim + j] * x[j];
                assert_true(fabs(D[i * dim + j] - D[j * dim + i]) <= 8 * DBL_EPSILON); /* entries are at most 1 */
            }
            Dv[i] = (double)a, Dx[i] = (double)b;
        }
        /* v'Dv >= |Dv|^2 for all v says that all eigenvalues are in [0, 1] */
        wide excess = wide_dot(dim, Dv, Dv) - wide_dot(dim, v, Dv);
        assert_true(excess <= 16 * DBL_EPSILON * wide_dot(dim, v, v));
        double off = (double)(wide_distance(dim, Dx, p) / wide_norm(dim, x));
        worst = fmax(worst, off);
        if (!(off <= 16 * DBL_EPSILON)) print_case(&c, x, p);
        assert_true(off <= 16 * DBL_EPSILON); /* homogeneous of degree 1: D(x) x = p */
    }
    print_message("derivative: D x - p at most %.2f eps\n", worst / DBL_EPSILON);
}

static void the_derivative_is_that_of_central_differences_away_from_kinks(void **state)
{
    (void)state;
    rng g = {17};
    const double h = 1e-5;
    int compared = 0, total = 100000;
    for (int trial = 0; trial < total; ++trial) {
        scree_cone c = shape(trial % SHAPES);
        int dim = scree_cone_dim(&c), smooth = 1;
        double x[6], D[36], plus[6], minus[6], z[6];
        for (int k = 0; k < 3; ++k) c.coef[k] = rng_log(&g, 0.03, 3.0);
        for (int i = 0; i < dim; ++i) x[i] = rng_uniform(&g, -1, 1);
        for (int k = 0, at = 1; k < 3; at += c.size[k++])
            if (c.size[k]) smooth = smooth && twin_norm(c.size[k], x + at) > 0.05;
        scree_projection where = scree_cone_project_derivative(&c, x, D);
        if (!smooth) continue;
        for (int j = 0; j < dim; ++j) {
            memcpy(z, x, sizeof z);
            z[j] = x[j] + h;
            scree_projection right = scree_cone_project(&c, z, plus);
            z[j] = x[j] - h;
            scree_projection left = scree_cone_project(&c, z, minus);
            if (right.region != where.region || left.region != where.region) continue;
            if (right.active != where.active || left.active != where.active) continue;
            for (int i = 0; i < dim; ++i) /* h^2/6 x third derivative, at most 3 x 2/0.05^2; rounding 1e-11 */
                assert_true(fabs((plus[i] - minus[i]) / (2 * h) - D[i * dim + j]) <= 5e-8);
            ++compared;
        }
    }
    assert_true(compared > total);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_projection_is_the_nearest_point_of_the_cone),
        cmocka_unit_test(the_largest_and_smallest_numbers_project_to_finite_ones),
        cmocka_unit_test(projecting_twice_or_in_place_changes_nothing),
        cmocka_unit_test(the_projection_never_moves_two_points_apart),
        cmocka_unit_test(a_power_of_two_goes_through_the_projection_bit_for_bit),
        cmocka_unit_test(the_case_list_and_the_sorted_breakpoints_agree_with_it),
        cmocka_unit_test(the_derivative_is_symmetric_between_zero_and_one_and_takes_x_to_p),
        cmocka_unit_test(the_derivative_is_that_of_central_differences_away_from_kinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
