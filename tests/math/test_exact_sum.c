/* test_exact_sum.c: sums without rounding: any order gives the same bits, and these are those of the sum. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "math/exact_sum.h"
#include "math/rng.h"

enum { TERMS = 2000 };

static double sum_of(int count, const double *x)
{
    int64_t digit[EXACT_DIGITS] = {0};
    for (int k = 0; k < count; ++k) exact_add(digit, x[k]);
    const double first = exact_value(digit), again = exact_value(digit);
    assert_memory_equal(&first, &again, sizeof first); /* reading leaves the sum as it is */
    return first;
}

static void shuffle(rng *random, int count, double *x)
{
    for (int k = count - 1; k > 0; --k) {
        const int other = (int)(rng_uniform(random) * (k + 1));
        const double keep = x[k];
        x[k] = x[other], x[other] = keep;
    }
}

/// Terms of 600 orders of magnitude, of both signs.
static void no_order_leaves_a_trace(void **state)
{
    (void)state;
    double x[TERMS];
    rng random = rng_make(3, 0);
    for (int k = 0; k < TERMS; ++k)
        x[k] = ldexp(rng_uniform(&random) - 0.5, (int)(2000.0 * rng_uniform(&random)) - 1000);
    const double sum = sum_of(TERMS, x);
    for (int n = 0; n < 20; ++n) {
        shuffle(&random, TERMS, x);
        const double again = sum_of(TERMS, x);
        assert_memory_equal(&sum, &again, sizeof sum);
    }
    for (int k = 0; k < TERMS; ++k) x[k] = -x[k];
    assert_true(sum_of(TERMS, x) == -sum);
}

/// What doubles lose is there: small numbers beside large ones that cancel, down to the smallest one.
static void nothing_is_lost(void **state)
{
    (void)state;
    const double huge[5] = {1e300, 3.25, -1e300, 1e-300, -3.25}, least[3] = {5e-324, 1.0, -1.0};
    assert_true(sum_of(5, huge) == 1e-300);
    assert_true(sum_of(3, least) == 5e-324);
    double x[2 * TERMS];
    rng random = rng_make(4, 0);
    for (int k = 0; k < TERMS; ++k) x[k] = rng_uniform(&random) - 0.5, x[TERMS + k] = -x[k];
    shuffle(&random, 2 * TERMS, x);
    assert_true(sum_of(2 * TERMS, x) == 0.0);
    long whole = 0; /* numbers of which sums are exact anyway */
    for (int k = 0; k < TERMS; ++k) {
        const int n = (int)(1e6 * (rng_uniform(&random) - 0.3));
        x[k] = n * 0x1p-20, whole += n;
    }
    assert_true(sum_of(TERMS, x) == (double)whole * 0x1p-20);
    for (int k = 0; k < TERMS; ++k) x[k] = 0x1p1022; /* carries, and beyond the largest double */
    assert_true(isinf(sum_of(TERMS, x)) && sum_of(1, x) == 0x1p1022);
    assert_true(sum_of(0, x) == 0.0 && !signbit(sum_of(0, x)));
}

/// 0.1, which as a double is a little more, added a hundred thousand times.
static void many_terms_are_rounded_once(void **state)
{
    (void)state;
    int64_t digit[EXACT_DIGITS] = {0};
    for (int k = 0; k < 100000; ++k) exact_add(digit, 0.1);
    assert_true(exact_value(digit) == 10000.0);
    exact_add(digit, -10000.0);
    assert_true(exact_value(digit) == 5.551115123125783e-13);
}

static void what_is_no_number_makes_none(void **state)
{
    (void)state;
    const double x[3] = {1.0, (double)INFINITY, (double)NAN};
    assert_true(isnan(sum_of(2, x)) && isnan(sum_of(1, x + 2)) && sum_of(1, x) == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_order_leaves_a_trace),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(many_terms_are_rounded_once),
        cmocka_unit_test(what_is_no_number_makes_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
