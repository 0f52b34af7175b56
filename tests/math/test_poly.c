/* test_poly.c: real roots of degree 1 to 4 and compensated Horner (src/math/poly.c)
 *
 * The judge is a 113-bit evaluation of the coefficients as given: it sees roots through conditioning that plain double
 * cannot, and it knows nothing of the method. Exact cases multiply integers (or short dyadic numbers) out, and check
 * that the product was exact, so the roots are those of the coefficients and not of their roundings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/poly.h"

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 wide;
#else
typedef long double wide; /* 113 bits on arm64 and riscv64 */
#endif
#define WIDE_EPSILON 0x1p-112

/* ------------------------------------------------------------------ the judge */

static wide wide_abs(wide x)
{
    return x < 0 ? -x : x;
}

static wide wide_eval(int n, const double *a, wide x)
{
    wide v = 0;
    for (int i = n; i >= 0; --i) v = v * x + (wide)a[i];
    return v;
}

static wide wide_slope(int n, const double *a, wide x)
{
    wide v = 0;
    for (int i = n; i >= 1; --i) v = v * x + (wide)i * (wide)a[i];
    return v;
}

/* What 113 bits cannot tell from zero at x. */
static wide wide_noise(int n, const double *a, wide x)
{
    wide v = 0;
    for (int i = n; i >= 0; --i) v = v * wide_abs(x) + wide_abs((wide)a[i]);
    return v * (wide)(2 * n * WIDE_EPSILON);
}

static double ulp_of(double x)
{
    x = fabs(x);
    return x < DBL_MIN ? DBL_TRUE_MIN : nextafter(x, HUGE_VAL) - x;
}

/* Distance in ulp from a reported root to the true one near it, by Newton in 113 bits; -1 where 113 bits do not give
 * the true root to 1/100 ulp. */
static double ulp_error(int n, const double *a, double root)
{
    wide x = (wide)root;
    for (int k = 0; k < 6; ++k) {
        wide slope = wide_slope(n, a, x);
        if (slope == 0) return -1.0;
        x -= wide_eval(n, a, x) / slope;
    }
    wide doubt = wide_noise(n, a, x) / wide_abs(wide_slope(n, a, x));
    if (!(doubt < (wide)(0.01 * ulp_of(root)))) return -1.0;
    return (double)(wide_abs(x - (wide)root) / (wide)ulp_of(root));
}

/* Number of distinct real roots by Sturm's theorem in 113 bits. */
static int sturm_count(int n, const double *a)
{
    wide chain[6][5];
    int degree[6], length = 2, changes[2] = {0, 0};
    for (int i = 0; i <= n; ++i) chain[0][i] = (wide)a[i];
    for (int i = 1; i <= n; ++i) chain[1][i - 1] = (wide)i * (wide)a[i];
    degree[0] = n, degree[1] = n - 1;
    while (degree[length - 1] > 0) {
        wide *r = chain[length];
        const wide *d = chain[length - 1];
        int top = degree[length - 2], m = degree[length - 1];
        memcpy(r, chain[length - 2], sizeof chain[0]);
        for (; top >= m; --top) {
            wide q = r[top] / d[m];
            for (int i = 0; i < m; ++i) r[top - m + i] -= q * d[i];
        }
        for (int i = 0; i < m; ++i) r[i] = -r[i];
        degree[length++] = m - 1;
    }
    for (int end = 0; end < 2; ++end) {
        int last = 0;
        for (int k = 0; k < length; ++k) {
            int sign = chain[k][degree[k]] > 0 ? 1 : -1;
            if (end == 0 && degree[k] % 2 == 1) sign = -sign;
            changes[end] += last != 0 && sign != last;
            last = sign;
        }
    }
    return changes[0] - changes[1];
}

/* p goes through zero within `ulps` of the root: the sign differs on the two sides, as far as 113 bits tell. */
static int brackets_a_root(int n, const double *a, double root, double ulps)
{
    wide step = (wide)(ulps * ulp_of(root)), l = (wide)root - step, r = (wide)root + step;
    wide pl = wide_eval(n, a, l), pr = wide_eval(n, a, r);
    if (wide_abs(pl) <= wide_noise(n, a, l) || wide_abs(pr) <= wide_noise(n, a, r)) return 1;
    return (pl < 0) != (pr < 0);
}

/* ------------------------------------------------------------------ makers */

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
    return random_state;
}

/* Up to 1 in size, down to 2^-bits. */
static double random_of_any_size(int bits)
{
    int exponent = (int)(random_bits() % (uint64_t)bits); /* drawn first: compilers order arguments as they like */
    return ldexp(2.0 * (double)(random_bits() >> 11) * 0x1p-53 - 1.0, -exponent);
}

static double random_between(double lo, double hi)
{
    return lo + (hi - lo) * (double)(random_bits() >> 11) * 0x1p-53;
}

/* a := a (u x - r), degree n to n + 1; fails the test unless every new coefficient is exactly a double. */
static void multiply_exactly(int n, double *a, double u, double r)
{
    a[n + 1] = 0.0;
    for (int i = n + 1; i >= 0; --i) {
        wide exact = (i > 0 ? (wide)u * (wide)a[i - 1] : 0) - (wide)r * (wide)a[i];
        a[i] = (double)exact;
        assert_true((wide)a[i] == exact);
    }
}

static void product_of(int n, const double *r, double *a)
{
    a[0] = 1.0;
    for (int i = 0; i < n; ++i) multiply_exactly(i, a, 1.0, r[i]);
}

static void assert_roots(int n, const double *a, int count, const double *want, const int *want_m)
{
    double x[4];
    int m[4];
    assert_int_equal(poly_roots(n, a, x, m), count);
    for (int i = 0; i < count; ++i) {
        assert_int_equal(m[i], want_m ? want_m[i] : 1);
        if (x[i] != want[i]) print_error("root %d: %.17g, not %.17g\n", i, x[i], want[i]);
        assert_true(x[i] == want[i]);
    }
}

/* Every reported simple root passes the judge; *worst collects the largest error in ulp. */
static void assert_judged(int n, const double *a, int count, const double *x, const int *m, double *worst)
{
    for (int i = 0; i < count; ++i) {
        if (m[i] != 1) continue;
        double error = ulp_error(n, a, x[i]);
        if (error > *worst) *worst = error;
        int ok = brackets_a_root(n, a, x[i], 4.0) && error <= 1.0;
        if (!ok)
            print_error("%.17g is %g ulp off for %a %a %a %a %a\n", x[i], error, a[0], a[1], a[2], n > 2 ? a[3] : 0.0,
                        n > 3 ? a[4] : 0.0);
        assert_true(ok);
        assert_true(i == 0 || x[i] > x[i - 1]);
    }
}

/* ------------------------------------------------------------------ exact cases */

static void integer_roots_come_out_exactly(void **state)
{
    (void)state;
    random_state = 1;
    for (int trial = 0; trial < 20000; ++trial) {
        int n = 1 + trial % 4, count = 0, m[4];
        double a[5], r[4], x[4];
        for (int i = 0; i < n; ++i) r[i] = (double)((int)(random_bits() % 2001) - 1000);
        product_of(n, r, a);
        for (int i = 0; i < n; ++i) {
            int k = 0;
            while (k < count && x[k] < r[i]) ++k;
            if (k < count && x[k] == r[i]) {
                m[k] += 1;
                continue;
            }
            for (int j = count++; j > k; --j) x[j] = x[j - 1], m[j] = m[j - 1];
            x[k] = r[i], m[k] = 1;
        }
        assert_roots(n, a, count, x, m);
    }
}

static void rational_roots_are_the_nearest_doubles(void **state)
{
    (void)state;
    random_state = 2;
    for (int trial = 0; trial < 20000; ++trial) { /* (u x - r)...: the true root r/u is not a double */
        int n = 1 + trial % 4, m[4];
        double a[5] = {1.0}, x[4], r[4], u[4];
        for (int i = 0; i < n; ++i) {
            u[i] = (double)(1 + random_bits() % 99), r[i] = (double)((int)(random_bits() % 199) - 99);
            multiply_exactly(i, a, u[i], r[i]);
        }
        int count = poly_roots(n, a, x, m), total = 0;
        for (int k = 0; k < count; ++k) total += m[k];
        assert_int_equal(total, n);
        for (int i = 0; i < n; ++i) {
            int hit = 0;
            for (int k = 0; k < count; ++k) hit |= fabs(x[k] - r[i] / u[i]) <= ulp_of(x[k]); /* a neighbour at worst */
            assert_true(hit);
        }
    }
}

static void multiple_roots_have_their_multiplicity(void **state)
{
    (void)state;
    const struct {
        int n;
        double r[4];
        int count;
        double x[4];
        int m[4];
    } cases[] = {
        {2, {3, 3}, 1, {3}, {2}},
        {3, {-2, 5, 5}, 2, {-2, 5}, {1, 2}},
        {3, {7, 7, 7}, 1, {7}, {3}},
        {4, {1, 1, 3, 3}, 2, {1, 3}, {2, 2}},
        {4, {-4, 1, 1, 9}, 3, {-4, 1, 9}, {1, 2, 1}},
        {4, {2, 2, 2, -1}, 2, {-1, 2}, {1, 3}},
        {4, {11, 11, 11, 11}, 1, {11}, {4}},
        {4, {0, 0, 5, 6}, 3, {0, 5, 6}, {2, 1, 1}},
        {4, {0, 0, 0, 0}, 1, {0}, {4}},
        {4, {1.0009765625, 1.0009765625, 1.0009765625, 1.0009765625}, 1, {1.0009765625}, {4}},
        {4, {8191, 8191, 8191, 8190}, 2, {8190, 8191}, {1, 3}}, /* 3 a_3 rounds: needs the exact derivative */
        {4, {8191, 8191, 8190, 8190}, 2, {8190, 8191}, {2, 2}},
        {3, {131071, 131071, 131071}, 1, {131071}, {3}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        double a[5];
        product_of(cases[k].n, cases[k].r, a);
        assert_roots(cases[k].n, a, cases[k].count, cases[k].x, cases[k].m);
    }
    /* ((3x - 1)^2 (7x - 5)^2): double roots that are not doubles; ((3x - 1)^3 (x - 2)): triple */
    double a[5] = {1.0}, b[5] = {1.0}, x[4];
    int m[4];
    multiply_exactly(0, a, 3, 1), multiply_exactly(1, a, 3, 1), multiply_exactly(2, a, 7, 5),
        multiply_exactly(3, a, 7, 5);
    assert_roots(4, a, 2, (double[]){1.0 / 3.0, 5.0 / 7.0}, (int[]){2, 2});
    multiply_exactly(0, b, 3, 1), multiply_exactly(1, b, 3, 1), multiply_exactly(2, b, 3, 1),
        multiply_exactly(3, b, 1, 2);
    assert_int_equal(poly_roots(4, b, x, m), 2);
    assert_int_equal(m[0], 3);
    assert_true(x[0] == 1.0 / 3.0 && x[1] == 2.0);
}

static void random_multiple_roots_have_their_multiplicity(void **state)
{
    (void)state; /* r of 13 bits, four factors: 52 bits, exact; patterns of 1 2 3 4 equal roots */
    random_state = 3;
    for (int trial = 0; trial < 20000; ++trial) {
        double s = (double)((int)(random_bits() % 16383) - 8191), t = (double)((int)(random_bits() % 16383) - 8191),
               a[5];
        if (s == t || s == 0.0 || t == 0.0) continue;
        int k = 1 + trial % 4; /* s appears k times, t the rest */
        double r[4];
        for (int i = 0; i < 4; ++i) r[i] = i < k ? s : t;
        product_of(4, r, a);
        if (k == 4) assert_roots(4, a, 1, &s, &k);
        else if (s < t) assert_roots(4, a, 2, (double[]){s, t}, (int[]){k, 4 - k});
        else assert_roots(4, a, 2, (double[]){t, s}, (int[]){4 - k, k});
    }
}

static void clusters_with_exact_coefficients_are_resolved(void **state)
{
    (void)state;
    double a[5];
    for (int bits = 4; bits <= 13; ++bits) { /* 4 bits + 1: the coefficients of the product fit 53 bits */
        double h = ldexp(1.0, -bits), r4[4] = {1 - h, 1, 1 + h, 1 + 2 * h}, r3[3] = {1 - h, 1, 1 + h};
        product_of(3, r3, a);
        assert_roots(3, a, 3, r3, NULL);
        if (bits > 12) continue;
        product_of(4, r4, a);
        assert_roots(4, a, 4, r4, NULL);
    }
    for (int bits = 14; bits <= 17; ++bits) {
        double h = ldexp(1.0, -bits), r3[3] = {1 - h, 1, 1 + h};
        product_of(3, r3, a);
        assert_roots(3, a, 3, r3, NULL);
    }
    for (int bits = 2; bits <= 26; ++bits) {
        double h = ldexp(1.0, -bits), r2[2] = {1, 1 + h};
        product_of(2, r2, a);
        assert_roots(2, a, 2, r2, NULL);
    }
    double wilkinson[4] = {1, 2, 3, 4}, far[4] = {997, 998, 999, 1000};
    product_of(4, wilkinson, a);
    assert_roots(4, a, 4, wilkinson, NULL);
    product_of(4, far, a);
    assert_roots(4, a, 4, far, NULL);
}

static void a_last_bit_decides_between_two_roots_one_and_none(void **state)
{
    (void)state; /* (x-1)^2 (x+2)(x+3) with a_0 moved by its last bit: 1 +- sqrt(ulp(6) / 12), or a complex pair */
    double r[4] = {1, 1, -2, -3}, a[5], x[4], worst = 0.0;
    int m[4];
    product_of(4, r, a);
    a[0] = nextafter(6.0, 0.0);
    assert_int_equal(poly_roots(4, a, x, m), 4);
    assert_judged(4, a, 4, x, m, &worst);
    assert_true(x[2] < 1.0 && x[3] > 1.0 && fabs(x[3] - 1.0 - sqrt(0x1p-50 / 12.0)) < 1e-12);
    a[0] = nextafter(6.0, 7.0);
    assert_int_equal(poly_roots(4, a, x, m), 2);
    assert_judged(4, a, 2, x, m, &worst);
    /* the discriminant of x^2 - 2(1+h)x + (1+2h), h = 2^-30, is 4h^2 = 2^-58: invisible to b*b - 4*a*c in double */
    double h = 0x1p-30, q[3] = {1 + 2 * h, -2 * (1 + h), 1};
    assert_roots(2, q, 2, (double[]){1, 1 + 2 * h}, NULL);
    q[0] = 1 + 2 * h + 0x1p-52;
    assert_int_equal(poly_roots(2, q, x, m), 0);
}

static void fourth_roots_of_powers_of_two_are_right_at_any_size(void **state)
{
    (void)state;
    for (int k = -1022; k <= 1023; ++k) {
        double a[5] = {-ldexp(1.0, k), 0, 0, 0, 1}, b[5] = {ldexp(1.0, k), 0, 0, 0, 1}, x[4], worst = 0.0;
        int m[4];
        assert_int_equal(poly_roots(4, a, x, m), 2);
        assert_true(x[0] == -x[1]);
        assert_judged(4, a, 2, x, m, &worst);
        if (k % 4 == 0) assert_true(x[1] == ldexp(1.0, k / 4));
        assert_int_equal(poly_roots(4, b, x, m), 0);
    }
}

/* ------------------------------------------------------------------ scale */

static void roots_of_very_different_size_are_all_right(void **state)
{
    (void)state;
    const double sizes[][4] = {{1e-100, 1, 1e100, 0},      {1e-150, 1, 1e150, 0},        {1e-100, -1, 1e100, 0},
                               {1e-70, -1, 1, 1e70},       {1e-100, 1e-50, 1e50, 1e100}, {-1e-150, 1e-149, 1e10, 1e11},
                               {1e-140, 1.5e-140, 1e5, 1}, {-1e90, 1e90, 1e-90, -2e-90}, {1e-250, 1e-200, 1, -1e-3}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        int n = sizes[k][3] != 0.0 ? 4 : 3, m[4];
        double a[5] = {1.0}, x[4], worst = 0.0;
        for (int i = 0; i < n; ++i) { /* rounded: the judge uses the coefficients */
            a[i + 1] = 0.0;
            for (int j = i + 1; j >= 0; --j) a[j] = (j > 0 ? a[j - 1] : 0.0) - sizes[k][i] * a[j];
        }
        int count = poly_roots(n, a, x, m);
        assert_int_equal(count, n);
        assert_judged(n, a, count, x, m, &worst);
    }
    double x[4]; /* 1e-300 x^2 + 1e300 x + 1: -1e-300 is a root, -1e600 is not a double and is dropped */
    int m[4];
    assert_int_equal(poly_roots(2, (double[]){1, 1e300, 1e-300}, x, m), 1);
    assert_true(fabs(x[0] / -1e-300 - 1.0) <= DBL_EPSILON);
    assert_int_equal(poly_roots(1, (double[]){1e-300, 1e300}, x, m), 1); /* -1e-600 is -0 */
    assert_true(x[0] == 0.0);
    assert_int_equal(poly_roots(4, (double[]){1e300, 0, 0, 0, -1e300}, x, m), 2);
    assert_true(x[0] == -1.0 && x[1] == 1.0);
    assert_int_equal(poly_roots(4, (double[]){-DBL_TRUE_MIN, 0, 0, 0, DBL_TRUE_MIN}, x, m), 2);
    assert_true(x[0] == -1.0 && x[1] == 1.0);
}

static void scaling_by_powers_of_two_is_exact_bit_for_bit(void **state)
{
    (void)state;
    random_state = 4;
    for (int trial = 0; trial < 20000; ++trial) {
        int n = 1 + trial % 4, shift = (int)(random_bits() % 201) - 100, common = (int)(random_bits() % 201) - 100,
            m[4], m_b[4];
        double a[5], b[5], x[4], x_b[4];
        for (int i = 0; i <= n; ++i) {
            a[i] = trial % 3 == 0 ? random_of_any_size(200) : random_between(-1, 1);
            b[i] = ldexp(a[i], common - shift * i);
        }
        int count = poly_roots(n, a, x, m);
        assert_int_equal(poly_roots(n, b, x_b, m_b), count);
        for (int i = 0; i < count; ++i) assert_true(x_b[i] == ldexp(x[i], shift) && m_b[i] == m[i]);
    }
}

/* ------------------------------------------------------------------ random */

/* Families of hard and easy polynomials; degree n. */
static void random_polynomial(int family, int n, double *a)
{
    if (family == 0) {
        for (int i = 0; i <= n; ++i) a[i] = random_between(-1, 1);
        return;
    }
    a[0] = 1.0; /* products of real factors and pairs, rounded: nearly multiple roots in family 2 */
    for (int i = 0; i < n; ++i) a[i + 1] = 0.0;
    double r = random_between(-2, 2);
    for (int i = 0; i < n;) {
        r = family == 2 ? r + random_of_any_size(20) : random_between(-2, 2);
        if (i + 2 <= n && random_bits() % 3 == 0) {
            double im = family == 2 ? random_of_any_size(20) : random_between(-1, 1);
            double q0 = r * r + im * im, q1 = -2 * r;
            for (int j = i + 2; j >= 0; --j)
                a[j] = (j > 1 ? a[j - 2] : 0.0) + (j > 0 ? q1 * a[j - 1] : 0.0) + q0 * a[j];
            i += 2;
        } else {
            for (int j = i + 1; j >= 0; --j) a[j] = (j > 0 ? a[j - 1] : 0.0) - r * a[j];
            i += 1;
        }
    }
}

static void random_roots_are_complete_and_within_one_ulp(void **state)
{
    (void)state;
    const char *name[] = {"random coefficients", "random roots", "near clusters"};
    for (int family = 0; family < 3; ++family) {
        for (int n = 2; n <= 4; ++n) {
            double worst = 0.0;
            random_state = (uint64_t)5 + 10 * (uint64_t)family + (uint64_t)n;
            for (int trial = 0; trial < 8000; ++trial) {
                double a[5], x[4];
                int m[4];
                random_polynomial(family, n, a);
                int count = poly_roots(n, a, x, m), multiple = 0;
                for (int i = 0; i < count; ++i) multiple |= m[i] > 1;
                assert_judged(n, a, count, x, m, &worst);
                if (multiple) continue; /* two doubles see a multiple root where 113 bits may see several */
                int want = sturm_count(n, a);
                if (count != want)
                    print_error("%d roots, Sturm %d: %a %a %a %a %a\n", count, want, a[0], a[1], a[2],
                                n > 2 ? a[3] : 0.0, n > 3 ? a[4] : 0.0);
                assert_int_equal(count, want);
            }
            print_message("           %s, degree %d: %.3f ulp at most\n", name[family], n, worst);
        }
    }
}

static void a_million_quartics_of_any_scale_have_small_residuals(void **state)
{
    (void)state;
    random_state = 6;
    for (int trial = 0; trial < 1000000; ++trial) {
        double a[5], x[4];
        for (int i = 0; i <= 4; ++i) {
            uint64_t bits = random_bits();
            double mantissa = 1.0 + (double)(bits >> 12) * 0x1p-52;
            a[i] = ldexp(bits & 1 ? mantissa : -mantissa, (int)(random_bits() % 201) - 100);
        }
        int count = poly_roots(4, a, x, NULL);
        assert_true(count >= 0 && count <= 4);
        for (int i = 0; i < count; ++i) {
            /* x is within an ulp: |p(x)| <= eps |x| sum i |a_i x^(i-1)| <= 4 eps sum |a_i x^i| */
            double size = 0.0, bound, value = poly_eval(4, a, x[i], &bound), left, right;
            for (int k = 4; k >= 0; --k) size = size * fabs(x[i]) + fabs(a[k]);
            assert_true(isfinite(x[i]) && fabs(value) <= bound + 4 * DBL_EPSILON * size);
            if (trial % 16 != 0) continue;
            left = nextafter(nextafter(x[i], -HUGE_VAL), -HUGE_VAL),
            right = nextafter(nextafter(x[i], HUGE_VAL), HUGE_VAL);
            double pl = poly_eval(4, a, left, &bound), pr = poly_eval(4, a, right, &bound);
            assert_true(pl == 0.0 || pr == 0.0 || (pl < 0.0) != (pr < 0.0));
        }
    }
}

static void hostile_bits_end_quickly_with_finite_roots(void **state)
{
    (void)state;
    random_state = 7;
    for (int trial = 0; trial < 200000;
         ++trial) { /* any bit pattern: denormals, zeros, infinities, NaN, all exponents */
        double a[5], x[4];
        int m[4], n = 1 + trial % 4, total = 0;
        for (int i = 0; i <= n; ++i) {
            uint64_t bits = random_bits();
            if (trial % 5 == 0 && random_bits() % 3 == 0) bits &= UINT64_C(0x800FFFFFFFFFFFFF); /* denormal */
            if (trial % 7 == 0 && random_bits() % 3 == 0) bits &= UINT64_C(0x8000000000000000); /* zero */
            memcpy(&a[i], &bits, sizeof bits);
        }
        int count = poly_roots(n, a, x, m);
        assert_true(count >= -1 && count <= n);
        for (int i = 0; i < count; ++i) {
            assert_true(isfinite(x[i]) && m[i] >= 1 && (i == 0 || x[i] > x[i - 1]));
            total += m[i];
            if (m[i] == 1 && fabs(x[i]) > DBL_MIN) assert_true(brackets_a_root(n, a, x[i], 4.0));
        }
        assert_true(total <= n);
    }
}

/* ------------------------------------------------------------------ degenerate input, evaluation */

static void degenerate_input_has_a_documented_answer(void **state)
{
    (void)state;
    double x[4];
    int m[4];
    assert_int_equal(poly_roots(4, (double[]){0, 0, 0, 0, 0}, x, m), -1);
    assert_int_equal(poly_roots(0, (double[]){0}, x, m), -1);
    assert_int_equal(poly_roots(-1, NULL, x, m), -1);
    assert_int_equal(poly_roots(0, (double[]){3}, x, m), 0);
    assert_int_equal(poly_roots(4, (double[]){3, 0, -0.0, 0, 0}, x, m), 0);
    assert_int_equal(poly_roots(5, (double[]){1, 1, 1, 1, 1, 1}, x, m), 0);
    assert_roots(4, (double[]){-6, 2, 0, 0, 0}, 1, (double[]){3}, NULL);
    assert_roots(4, (double[]){2, -3, 1, 0, 0}, 2, (double[]){1, 2}, NULL);
    assert_roots(3, (double[]){0, 0, 4, -2}, 2, (double[]){0, 2}, (int[]){2, 1});
    assert_roots(2, (double[]){-4 * DBL_TRUE_MIN, 0, DBL_TRUE_MIN}, 2, (double[]){-2, 2}, NULL);
    const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
    for (int k = 0; k < 15; ++k) {
        double a[5] = {1, -3, 1, 2, -1};
        a[k / 3] = bad[k % 3];
        assert_int_equal(poly_roots(4, a, x, m), 0);
    }
    assert_int_equal(poly_roots(4, (double[]){24, -50, 35, -10, 1}, x, NULL), 4);
}

static void compensated_value_is_within_its_bound(void **state)
{
    (void)state;
    random_state = 8;
    for (int trial = 0; trial < 100000; ++trial) {
        int n = (int)(random_bits() % 5);
        double a[5], roots[4], bound;
        random_polynomial(trial % 3, n, a);
        if (trial % 4 == 0)
            for (int i = 0; i <= n; ++i) a[i] = ldexp(a[i], -1040); /* underflow included */
        double x = random_between(-2, 2);
        if (trial % 2 == 0 && n > 0 && poly_roots(n, a, roots, NULL) > 0) x = roots[0]; /* where it is hard */
        double value = poly_eval(n, a, x, &bound);
        wide exact = wide_eval(n, a, (wide)x);
        double size = (double)wide_noise(n, a, (wide)x) / (2 * n * WIDE_EPSILON + DBL_MIN);
        assert_true(wide_abs(exact - (wide)value) <= (wide)bound * (wide)(1 + 1e-15) + wide_noise(n, a, (wide)x));
        assert_true(trial % 4 == 0 ||
                    bound <= DBL_EPSILON * fabs(value) + size * 0x1p-98); /* and the bound is not idle */
    }
    double bound, a[2] = {1, 1e300};
    assert_true(isinf(poly_eval(1, a, 1e300, &bound)) && isinf(bound));
    assert_true(poly_eval(0, a, 5.0, NULL) == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_roots_come_out_exactly),
        cmocka_unit_test(rational_roots_are_the_nearest_doubles),
        cmocka_unit_test(multiple_roots_have_their_multiplicity),
        cmocka_unit_test(random_multiple_roots_have_their_multiplicity),
        cmocka_unit_test(clusters_with_exact_coefficients_are_resolved),
        cmocka_unit_test(a_last_bit_decides_between_two_roots_one_and_none),
        cmocka_unit_test(fourth_roots_of_powers_of_two_are_right_at_any_size),
        cmocka_unit_test(roots_of_very_different_size_are_all_right),
        cmocka_unit_test(scaling_by_powers_of_two_is_exact_bit_for_bit),
        cmocka_unit_test(random_roots_are_complete_and_within_one_ulp),
        cmocka_unit_test(a_million_quartics_of_any_scale_have_small_residuals),
        cmocka_unit_test(hostile_bits_end_quickly_with_finite_roots),
        cmocka_unit_test(degenerate_input_has_a_documented_answer),
        cmocka_unit_test(compensated_value_is_within_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
