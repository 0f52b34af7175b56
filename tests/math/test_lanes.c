/* test_lanes.c: an operation of math/lanes.h has one meaning in every width. One lane, plain C, is held against numbers that IEEE 754 gives;
 * the others against one lane: all triples of numbers at the edges, and random ones.
 *
 *     test_lanes           one lane and two, on any processor; with fused instructions too, where there are
 *     test_lanes 4, 8      that width; status 77 (skipped) where this processor or this build has it not */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "lanes_table.h"
#include "math/rng.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 1024, SKIPPED = 77 };

typedef struct operands {
    _Alignas(64) double a[AT_ONCE], b[AT_ONCE], c[AT_ONCE];
} operands;

static uint64_t bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- one lane -------------------------------------------------------------------------------------------------------- */

static double one(const lanes_table *table, enum lanes_operation operation, double a, double b, double c)
{
    _Alignas(64) double p[8], q[8], r[8], out[8];
    for (int l = 0; l < 8; ++l) p[l] = a, q[l] = b, r[l] = c;
    table->run(operation, 8, p, q, r, out);
    return out[0];
}

static void assert_bits(double x, double expected)
{
    if (bits_of_double(x) != bits_of_double(expected)) print_error("%a, not %a\n", x, expected);
    assert_true(bits_of_double(x) == bits_of_double(expected));
}

static void ties_go_to_the_even_integer_and_zeros_keep_their_sign(void **state)
{
    const lanes_table *table = *state;
    static const double cases[][2] = {{0.5, 0.0},
                                      {-0.5, -0.0},
                                      {1.5, 2.0},
                                      {2.5, 2.0},
                                      {-2.5, -2.0},
                                      {-3.5, -4.0},
                                      {-0.0, -0.0},
                                      {5e-324, 0.0},
                                      {-5e-324, -0.0},
                                      {0x1p52 - 0.5, 0x1p52},
                                      {-0.3, -0.0},
                                      {1e300, 1e300},
                                      {0.49999999999999994, 0.0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        assert_bits(one(table, LANES_NEAREST, cases[k][0], 0.0, 0.0), cases[k][1]);
    assert_bits(one(table, LANES_NEAREST, HUGE_VAL, 0.0, 0.0), HUGE_VAL);
}

/// (1 + e)^2 - (1 + 2 e) = e^2, which two roundings lose.
static void only_fused_sums_are_fused(void **state)
{
    const lanes_table *table = *state;
    const double a = 1.0 + DBL_EPSILON, c = -1.0 - 2.0 * DBL_EPSILON, e2 = DBL_EPSILON * DBL_EPSILON;
    assert_bits(one(table, LANES_MAD, a, a, c), e2);
    assert_bits(one(table, LANES_NMAD, a, a, -c), -e2);
    assert_bits(one(table, LANES_NMSUB, a, a, c), -e2);
    assert_bits(one(table, LANES_NOT_FUSED, a, a, c), 0.0);
}

/// A sum of 1 and -1 is +0, so its negative is -0. gcc 12 makes +0 of it where there are fused instructions.
static void the_negative_of_a_fused_sum_that_is_zero_is_minus_zero(void **state)
{
    const lanes_table *table = *state;
    assert_bits(one(table, LANES_MAD, 1.0, 1.0, -1.0), 0.0);
    assert_bits(one(table, LANES_NMAD, 1.0, 1.0, 1.0), 0.0);
    assert_bits(one(table, LANES_NMSUB, 1.0, 1.0, -1.0), 0.0);
    assert_bits(one(table, LANES_MAD_OF_NEGATIVES, 1.0, 1.0, -1.0), 0.0);
    assert_bits(one(table, LANES_MINUS_MAD, 1.0, 1.0, -1.0), -0.0);
    assert_bits(one(table, LANES_MINUS_NMAD, 1.0, 1.0, 1.0), -0.0);
    assert_bits(one(table, LANES_MINUS_NMSUB, 1.0, 1.0, -1.0), -0.0);
    assert_bits(one(table, LANES_MINUS_ONE_TIMES_MAD, 1.0, 1.0, -1.0), -0.0);
    assert_bits(one(table, LANES_MINUS_DOT3, 0.0, 1.0, 0.0), -0.0);
    assert_bits(one(table, LANES_NMSUB, 0.0, 1.0, 0.0), -0.0);
}

static void of_two_zeros_or_no_numbers_the_second_is_taken(void **state)
{
    const lanes_table *table = *state;
    const double nan = double_of_bits(UINT64_C(0x7ff8000000000123));
    for (int k = 0; k < 2; ++k) {
        enum lanes_operation operation = k ? LANES_SMALLER : LANES_LARGER;
        assert_bits(one(table, operation, -0.0, 0.0, 0.0), 0.0);
        assert_bits(one(table, operation, 0.0, -0.0, 0.0), -0.0);
        assert_bits(one(table, operation, nan, 1.0, 0.0), 1.0);
        assert_bits(one(table, operation, 1.0, nan, 0.0), nan);
        assert_bits(one(table, operation, 1.0, 2.0, 0.0), k ? 1.0 : 2.0);
    }
    assert_bits(one(table, LANES_CHOOSE, nan, 1.0, 2.0), nan); /* nothing is greater than what is no number, nor less */
    assert_bits(one(table, LANES_CHOOSE, 1.0, nan, 2.0), 1.0);
    assert_bits(one(table, LANES_CHOOSE, 2.0, 1.0, -0.0), -0.0);
}

static void masks_and_exponents_are_what_they_say(void **state)
{
    const lanes_table *table = *state;
    assert_bits(one(table, LANES_ONLY, 2.0, 1.0, -3.0), -3.0);
    assert_bits(one(table, LANES_ONLY, 1.0, 2.0, -3.0), 0.0);
    assert_bits(one(table, LANES_WITHOUT, 2.0, 1.0, -3.0), 0.0);
    assert_bits(one(table, LANES_WITHOUT, 1.0, 2.0, -3.0), -3.0);
    for (int k = 0; k < 4; ++k) { /* a > b: bit 0, b > c: bit 1 */
        const double b = 1.0, a = k & 1 ? 3.0 : -3.0, c = k & 2 ? -2.0 : 2.0;
        assert_bits(one(table, LANES_BOTH, a, b, c), k == 3 ? a : 0.0);
        assert_bits(one(table, LANES_BUT_NOT, a, b, c), k == 1 ? a : 0.0);
        assert_bits(one(table, LANES_EITHER, a, b, c), k > 0 ? a : 0.0);
        assert_bits(one(table, LANES_BITS_OF, a, b, c), k & 1 ? 1.0 : 0.0);
        assert_bits(one(table, LANES_OF_BITS, a, b, c), k & 1 ? c : 0.0);
    }
    assert_bits(one(table, LANES_POWER_OF, 3.0, 0.0, 0.0), 2.0);
    assert_bits(one(table, LANES_POWER_OF, 4.0, 0.0, 0.0), 4.0);
    assert_bits(one(table, LANES_POWER_OF, 0x1.8p-1030, 0.0, 0.0), 0.0); /* below the normal numbers */
    assert_bits(one(table, LANES_SIZE_OF, -0.0, 0.0, 0.0), 0.0);
    assert_bits(one(table, LANES_ALL, 1.0, 1.0, 1.0), -0.0);
}

/// a = (1, 2, 4), b = (2, 4, 1).
static void products_of_vectors_are_those_of_space(void **state)
{
    const lanes_table *table = *state;
    static const double cross[3] = {-14.0, 7.0, 0.0}, a[3] = {1.0, 2.0, 4.0};
    assert_bits(one(table, LANES_DOT3, a[0], a[1], a[2]), 14.0);
    for (int k = 0; k < 3; ++k) {
        assert_bits(one(table, (enum lanes_operation)(LANES_CROSS3_X + k), a[0], a[1], a[2]), cross[k]);
        assert_bits(one(table, (enum lanes_operation)(LANES_ADD_CROSS3_X + k), a[0], a[1], a[2]), a[k] + cross[k]);
    }
}

/* ---- against one lane ------------------------------------------------------------------------------------------------ */

static void compare(const lanes_table *table, const operands *x, int n)
{
    _Alignas(64) static double expected[AT_ONCE], out[AT_ONCE];
    for (int k = 0; k < LANES_OPERATIONS; ++k) {
        if (k == LANES_CHOICES_BEGIN) continue;
        lanes_1.run((enum lanes_operation)k, n, x->a, x->b, x->c, expected);
        table->run((enum lanes_operation)k, n, x->a, x->b, x->c, out);
        for (int i = 0; i < n; ++i) {
            if (bits_of_double(out[i]) == bits_of_double(expected[i])) continue;
            if (k < LANES_CHOICES_BEGIN && isnan(out[i]) && isnan(expected[i])) continue;
            print_error("operation %d of %a, %a, %a: %a with %d lanes, %a with one\n", k, x->a[i], x->b[i], x->c[i],
                        out[i], table->width, expected[i]);
            fail();
        }
    }
}

static void numbers_at_the_edges_give_the_bits_of_one_lane(void **state)
{
    static operands x;
    static const double half[] = {0.0,
                                  1.0,
                                  0.5,
                                  1.5,
                                  2.5,
                                  3.0,
                                  1.0 / 3.0,
                                  1.0 + DBL_EPSILON,
                                  5e-324,
                                  DBL_MIN,
                                  1e-300,
                                  DBL_MAX,
                                  1e300,
                                  0x1p52 - 0.5,
                                  0x0.fffffffffffffp-1022};
    enum { HALF = sizeof half / sizeof *half, COUNT = 2 * (HALF + 2) };
    double edge[COUNT];
    for (int i = 0; i < HALF; ++i) edge[2 * i] = half[i], edge[2 * i + 1] = -half[i];
    edge[2 * HALF] = HUGE_VAL, edge[2 * HALF + 1] = -HUGE_VAL;
    edge[2 * HALF + 2] = double_of_bits(UINT64_C(0x7ff8000000000123));
    edge[2 * HALF + 3] = double_of_bits(UINT64_C(0xfff8000000000045));
    int n = 0;
    for (int i = 0; i < COUNT * COUNT * COUNT; ++i) {
        x.a[n] = edge[i % COUNT], x.b[n] = edge[i / COUNT % COUNT], x.c[n] = edge[i / COUNT / COUNT];
        if (++n == AT_ONCE) compare(*state, &x, n), n = 0;
    }
    compare(*state, &x, n & ~7);
}

/// Any bits at all (none of them a number that signals), and numbers so near each other that sums cancel.
static void random_numbers_give_the_bits_of_one_lane(void **state)
{
    static operands x;
    rng r = rng_make(20, 0);
    for (int round = 0; round < 200; ++round) {
        for (int i = 0; i < AT_ONCE; ++i) {
            double *to[3] = {&x.a[i], &x.b[i], &x.c[i]};
            for (int k = 0; k < 3; ++k)
                *to[k] = round & 1 ? double_of_bits(hash_mix(r.key + r.count++)) : 2.0 * rng_uniform(&r) - 1.0;
            for (int k = 0; k < 3; ++k)
                if (isnan(*to[k])) *to[k] = double_of_bits(bits_of_double(*to[k]) | UINT64_C(0x8000000000000));
            if (round % 4 == 2) x.c[i] = -(x.a[i] * x.b[i]);
        }
        compare(*state, &x, AT_ONCE);
    }
}

static void squares_are_transposed(void **state)
{
    const lanes_table *table = *state;
    double numbers[64];
    for (int i = 0; i < 64; ++i) numbers[i] = i - 0.5;
    assert_true(table->transposes(numbers));
}

/* ---- which widths ---------------------------------------------------------------------------------------------------- */

static int run_table(const char *name, const lanes_table *table)
{
    lanes_table own = *table; /* cmocka hands on what is not const */
#define CLAIM(f) cmocka_unit_test_prestate(f, &own)
    const struct CMUnitTest tests[] = {
        CLAIM(ties_go_to_the_even_integer_and_zeros_keep_their_sign),
        CLAIM(only_fused_sums_are_fused),
        CLAIM(the_negative_of_a_fused_sum_that_is_zero_is_minus_zero),
        CLAIM(of_two_zeros_or_no_numbers_the_second_is_taken),
        CLAIM(masks_and_exponents_are_what_they_say),
        CLAIM(products_of_vectors_are_those_of_space),
        CLAIM(numbers_at_the_edges_give_the_bits_of_one_lane),
        CLAIM(random_numbers_give_the_bits_of_one_lane),
        CLAIM(squares_are_transposed),
    };
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

static int run_wide(const char *width)
{
#if defined(SCREE_X86_KERNELS)
    if (!strcmp(width, "4") && cpu_best() >= CPU_V3) return run_table("4 lanes", &lanes_4);
    if (!strcmp(width, "8") && cpu_best() >= CPU_V4) return run_table("8 lanes", &lanes_8);
#endif
    printf("test_lanes: skipped, this processor or this build has no %s lanes\n", width);
    return SKIPPED;
}

int main(int count, char **argument)
{
    if (count > 1) return run_wide(argument[1]);
    int failed = run_table("1 lane", &lanes_1) + run_table("2 lanes", &lanes_2);
#if defined(SCREE_X86_KERNELS)
    if (cpu_features() & CPU_FMA)
        failed += run_table("1 lane, fused", &lanes_1_fma) + run_table("2 lanes, fused", &lanes_2_fma);
    else printf("test_lanes: skipped 1 and 2 lanes with fused instructions, this processor has none\n");
#endif
    return failed != 0;
}
