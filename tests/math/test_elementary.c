/* test_elementary.c: sin, cos, ..., cbrt (src/math/elementary.h)
 *
 * The judge is MPFR with 160 bits where it was found (SCREE_HAVE_MPFR), else the long double functions of the C library, which must
 * then have 64 bits: the distance of each result from the exact value, in ulps of the exact value. Arguments: uniform ones in the
 * ranges that matter, all exponents, neighbours of the points where the code changes its formula, and those next to multiples of
 * pi/2, where digits of pi are needed. That every machine has the same bits is judged by a stored hash of a million results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#if defined(SCREE_HAVE_MPFR)
#include <mpfr.h>
#endif

#include "base/hash.h"
#include "math/elementary.h"
#include "math/rng.h"
#include "twins.h"

/* ------------------------------------------------------------------ the judge */

static double ulp_of(double x)
{
    int e;
    (void)frexp(x, &e);
    return x == 0.0 || e < -1021 ? DBL_TRUE_MIN : ldexp(1.0, e - 53);
}

#if defined(SCREE_HAVE_MPFR)
typedef int exact_one(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int exact_two(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
#define EXACT(name) mpfr_##name

/* Distance of `value` from f(x) or f(x, y) in ulps. */
static double distance(exact_one *one, exact_two *two, double x, double y, double value)
{
    static mpfr_t a, b, f;
    static int ready;
    if (!ready) mpfr_inits2(160, a, b, f, (mpfr_ptr)0), ready = 1;
    mpfr_set_d(a, x, MPFR_RNDN), mpfr_set_d(b, y, MPFR_RNDN);
    if (one) one(f, a, MPFR_RNDN);
    else two(f, a, b, MPFR_RNDN);
    double rounded = mpfr_get_d(f, MPFR_RNDN), unit = ulp_of(rounded);
    if (value == rounded && fabs(value) > DBL_MAX) return 0.0; /* beyond the doubles */
    mpfr_sub_d(f, f, value, MPFR_RNDN);
    mpfr_div_d(f, f, unit, MPFR_RNDN);
    return fabs(mpfr_get_d(f, MPFR_RNDN));
}
#else
typedef long double exact_one(long double);
typedef long double exact_two(long double, long double);
#define EXACT(name) name##l

static double distance(exact_one *one, exact_two *two, double x, double y, double value)
{
    long double f = one ? one(x) : two(x, y);
    if (value == (double)f && fabs(value) > DBL_MAX) return 0.0; /* beyond the doubles */
    return (double)fabsl((f - value) / ulp_of((double)f));
}
#endif

/* ------------------------------------------------------------------ functions and arguments */

typedef struct function {
    const char *name;
    double (*own)(double), (*own_two)(double, double);
    exact_one *one;
    exact_two *two;
    double low, high;   /* uniform arguments */
    double least, most; /* arguments of all sizes between these; both signs if low < 0 */
} function;

static const function functions[] = {
    {"sin", real_sin, NULL, EXACT(sin), NULL, -20.0, 20.0, 1e-310, 1e308},
    {"cos", real_cos, NULL, EXACT(cos), NULL, -20.0, 20.0, 1e-310, 1e308},
    {"tan", real_tan, NULL, EXACT(tan), NULL, -20.0, 20.0, 1e-310, 1e308},
    {"asin", real_asin, NULL, EXACT(asin), NULL, -1.0, 1.0, 1e-310, 1.0},
    {"acos", real_acos, NULL, EXACT(acos), NULL, -1.0, 1.0, 1e-310, 1.0},
    {"atan", real_atan, NULL, EXACT(atan), NULL, -4.0, 4.0, 1e-310, 1e308},
    {"exp", real_exp, NULL, EXACT(exp), NULL, -20.0, 20.0, 1e-310, 745.0},
    {"log", real_log, NULL, EXACT(log), NULL, 0.25, 4.0, 5e-324, 1.7e308},
    {"acosh", real_acosh, NULL, EXACT(acosh), NULL, 1.0, 8.0, 1.0, 1.7e308},
    {"cbrt", real_cbrt, NULL, EXACT(cbrt), NULL, -8.0, 8.0, 5e-324, 1.7e308},
    {"atan2", NULL, real_atan2, NULL, EXACT(atan2), -1.0, 1.0, 5e-324, 1.7e308},
    {"hypot", NULL, real_hypot, NULL, EXACT(hypot), -8.0, 8.0, 5e-324, 1.2e308},
    {"x^y", NULL, real_root_power, NULL, EXACT(pow), 0.0, 8.0, 5e-324, 1.7e308},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static double draw(const function *f, int kind, rng *r)
{
    double u = rng_uniform(r);
    if (kind == 0) return f->low + (f->high - f->low) * u;
    double x = exp(log(f->least) + (log(f->most) - log(f->least)) * u);
    x = x < f->least ? f->least : x > f->most ? f->most : x;
    return f->low < 0.0 && rng_uniform(r) < 0.5 ? -x : x;
}

typedef struct worst {
    double distance, x, y;
} worst;

static void judge(const function *f, double x, double y, worst *w)
{
    double value = f->own ? f->own(x) : f->own_two(x, y), d = distance(f->one, f->two, x, y, value);
    if (!(d <= w->distance)) *w = (worst){d, x, y};
}

static double second(const function *f, int kind, rng *r)
{
    static const double powers[] = {0.4, 2.0 / 3.0, 0.75, 1.0};
    if (f->own) return 0.0;
    if (f->own_two != real_root_power) return draw(f, kind, r);
    return rng_uniform(r) < 0.5 ? powers[(int)(4.0 * rng_uniform(r))] : 1.0 - rng_uniform(r);
}

/* Where formulas change, with 50 doubles on either side. */
static void judge_seams(const function *f, worst *w)
{
    static const double seams[] = {0x1p-27,
                                   0.0625,
                                   0.1875,
                                   0.3125,
                                   0.4375,
                                   0.5,
                                   0.5625,
                                   0.6875,
                                   0.70710678118654752,
                                   0.785398163,
                                   0.8125,
                                   0.9375,
                                   1.0,
                                   1.4142135623730951,
                                   1.5707963267948966,
                                   2.0,
                                   4.0,
                                   8.0,
                                   1e6,
                                   0x1p30};
    for (size_t k = 0; k < sizeof seams / sizeof *seams; ++k)
        for (int side = -1; side <= 1; side += 2) {
            double x = seams[k];
            for (int step = 0; step < 50; ++step, x = nextafter(x, side * HUGE_VAL)) {
                double least = f->low < 0.0 ? 0.0 : f->own == real_acosh ? 1.0 : 0.0;
                if (x < least || x > f->most || (x == 0.0 && f->own == real_log)) continue;
                judge(f, x, f->own_two == real_root_power ? 0.4 : 1.0, w);
                if (f->low < 0.0) judge(f, -x, 1.0, w);
            }
        }
}

static void errors_are_below_an_ulp(void **state)
{
    (void)state;
#if !defined(SCREE_HAVE_MPFR)
    if (LDBL_MANT_DIG < 64) skip();
#endif
    long count = costly_samples(150000, 3000000);
    for (int i = 0; i < FUNCTIONS; ++i) {
        const function *f = &functions[i];
        rng r = rng_make(7, (uint64_t)i);
        worst w = {0.0, 0.0, 0.0};
        for (int kind = 0; kind < 2; ++kind)
            for (long k = 0; k < count; ++k) {
                double x = draw(f, kind, &r), y = second(f, kind, &r);
                judge(f, x, y, &w);
            }
        judge_seams(f, &w);
        printf("%-6s %.4f ulp at worst of %ld, at %a %a\n", f->name, w.distance, 2 * count, w.x, w.y);
        assert_true(w.distance < 1.0);
    }
}

/* The double next to n pi/2 for many n, near and far: the rest of the reduction has lost up to 60 digits. */
static void near_multiples_of_a_quarter_turn(void **state)
{
    (void)state;
#if !defined(SCREE_HAVE_MPFR)
    if (LDBL_MANT_DIG < 64) skip();
#endif
    const function *f = functions; /* sin, cos, tan */
    worst w = {0.0, 0.0, 0.0};
    for (int k = 1; k <= 100000; ++k) {
        double x = k * 1.5707963267948966; /* k <= 1e5: the nearest, or next to it */
        for (int i = 0; i < 3; ++i) judge(&f[i], x, 0.0, &w), judge(&f[i], nextafter(x, HUGE_VAL), 0.0, &w);
    }
    /* the worst of all doubles (found by continued fractions, e.g. Muller, Elementary Functions, ch. 11), and the largest */
    judge(&f[0], 6381956970095103.0 * 0x1p797, 0.0, &w), judge(&f[1], 6381956970095103.0 * 0x1p797, 0.0, &w);
    judge(&f[0], DBL_MAX, 0.0, &w), judge(&f[1], -DBL_MAX, 0.0, &w), judge(&f[2], DBL_MAX, 0.0, &w);
    printf("near multiples of pi/2: %.4f ulp at %a\n", w.distance, w.x);
    assert_true(w.distance < 1.0);
}

/* ------------------------------------------------------------------ values that are known */

static void same(double a, double b)
{
    if (b != b) assert_true(a != a);
    else assert_memory_equal(&a, &b, sizeof a);
}

static void zeros_infinities_and_nan(void **state)
{
    (void)state;
    const double inf = (double)INFINITY, nan = (double)NAN, pi = 0x1.921fb54442d18p+1;
    for (int sign = -1; sign <= 1; sign += 2) {
        const double s = sign;
        same(real_sin(s * 0.0), s * 0.0), same(real_tan(s * 0.0), s * 0.0), same(real_asin(s * 0.0), s * 0.0);
        same(real_atan(s * 0.0), s * 0.0), same(real_cbrt(s * 0.0), s * 0.0), same(real_cbrt(s * inf), s * inf);
        same(real_cos(s * 0.0), 1.0), same(real_exp(s * 0.0), 1.0), same(real_log(s * 0.0), -inf);
        same(real_sin(s * inf), nan), same(real_cos(s * inf), nan), same(real_tan(s * inf), nan);
        same(real_atan(s * inf), s * 0.5 * pi), same(real_asin(s), s * 0.5 * pi);
        same(real_asin(s * 1.0000000000000002), nan), same(real_acos(s * 1.0000000000000002), nan);
        same(real_cbrt(s * 27.0), s * 3.0), same(real_cbrt(s * 0x1p-1074), s * 0x1p-358);
        /* atan2: the sign of y, and that of x even where x is 0 */
        same(real_atan2(s * 0.0, 0.0), s * 0.0), same(real_atan2(s * 0.0, -0.0), s * pi);
        same(real_atan2(s * 0.0, -1.0), s * pi), same(real_atan2(s * 0.0, 1.0), s * 0.0);
        same(real_atan2(s * 2.0, 0.0), s * 0.5 * pi), same(real_atan2(s * 2.0, -0.0), s * 0.5 * pi);
        same(real_atan2(s * inf, 1.0), s * 0.5 * pi), same(real_atan2(s * 1.0, inf), s * 0.0);
        same(real_atan2(s * 1.0, -inf), s * pi), same(real_atan2(s * inf, inf), s * 0.25 * pi);
        same(real_atan2(s * inf, -inf), s * 0.75 * pi), same(real_atan2(s * 0x1p-1074, 1.0), s * 0x1p-1074);
        same(real_atan2(s * 0x1p-1074, 0x1p-1074), s * 0.25 * pi),
            same(real_atan2(s * DBL_MAX, DBL_MAX), s * 0.25 * pi);
    }
    same(real_hypot(3.0, -4.0), 5.0), same(real_hypot(-0.0, 0.0), 0.0), same(real_hypot(nan, -inf), inf),
        same(real_hypot(nan, 1.0), nan);
    same(real_hypot(-0.0, 5e-324), 5e-324), same(real_hypot(DBL_MAX, 0.0), DBL_MAX), same(real_hypot(0.0, nan), nan);
    same(real_hypot(3e-320, 4e-320), 5e-320), same(real_hypot(3e307, 4e307), 5e307),
        same(real_hypot(DBL_MAX, DBL_MAX), inf);
    same(real_acos(1.0), 0.0), same(real_acos(-1.0), pi), same(real_acos(0.0), 0.5 * pi);
    same(real_exp(inf), inf), same(real_exp(-inf), 0.0), same(real_exp(710.0), inf), same(real_exp(-746.0), 0.0);
    same(real_exp(709.782712893384), exp(709.782712893384)), same(real_exp(709.7827128933841), inf);
    same(real_exp(-745.1332191019411), 0x1p-1074), same(real_exp(-745.1332191019412), 0.0);
    same(real_log(1.0), 0.0), same(real_log(inf), inf), same(real_log(-1.0), nan);
    same(real_acosh(1.0), 0.0), same(real_acosh(inf), inf), same(real_acosh(0.9), nan);
    same(real_root_power(0.0, 0.4), 0.0), same(real_root_power(inf, 0.4), inf), same(real_root_power(-1.0, 0.4), nan);
    same(real_root_power(1.0, 0.4), 1.0);
    double (*const all[])(double) = {real_sin,  real_cos, real_tan, real_asin,  real_acos,
                                     real_atan, real_exp, real_log, real_acosh, real_cbrt};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) same(all[i](nan), nan);
    same(real_atan2(nan, 1.0), nan), same(real_atan2(1.0, nan), nan), same(real_root_power(nan, 0.4), nan);
}

/* Arguments from bits alone, by no function of the C library. */
static double argument(const function *f, rng *r)
{
    double u = rng_uniform(r), x = f->low + (f->high - f->low) * u;
    if (rng_uniform(r) < 0.5) return x;
    x *= power_of_two((int)(40.0 * rng_uniform(r)) - 20);
    return f->most == 1.0 ? x - nearbyint(x) : f->least == 1.0 ? 1.0 + fabs(x) : x;
}

static void the_same_bits_everywhere(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (int i = 0; i < FUNCTIONS; ++i) {
        const function *f = &functions[i];
        rng r = rng_make(11, (uint64_t)i);
        for (int k = 0; k < 100000; ++k) {
            double x = argument(f, &r), y = f->own_two && f->own_two != real_root_power ? argument(f, &r) : 0.4;
            double value = f->own ? f->own(x) : f->own_two(x, y);
            if (value != value) continue; /* bits of NaN are free */
            hash = hash_bytes(hash, &value, sizeof value);
        }
    }
    printf("hash %016llx\n", (unsigned long long)hash);
    assert_true(hash == UINT64_C(0xfb76baf50172394b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_below_an_ulp),
        cmocka_unit_test(near_multiples_of_a_quarter_turn),
        cmocka_unit_test(zeros_infinities_and_nan),
        cmocka_unit_test(the_same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
