/* elementary.h: sine, cosine, tangent, their inverses, exp, log, powers and cube roots with the same bits on every processor, system
 * and C library. IEEE 754 fixes + - x / and the square root to the last bit, and says nothing of these functions: no two C libraries
 * agree on them. Here they are made of those five operations, whose order the sources fix (cmake/flags.cmake forbids contraction).
 *
 * Each function reduces its argument, with what rounding takes kept in a second double (twofold.h), to an interval around 0, where
 * it is its first terms plus a small remainder by a polynomial; only the remainder and the last sum round.
 *     sin, cos   x = n pi/2 + r, |r| <= pi/4;   sin r = r + r^3 S(r^2),   cos r = 1 - r^2/2 + r^4 C(r^2)
 *     exp        x = n ln 2 + r, |r| <= ln(2)/2;   exp r = 1 + r + r^2 E(r)
 *     log        x = 2^n (1 + f), |log(1 + f)| <= ln(2)/2, s = f/(2 + f);   log(1 + f) = 2 atanh s = 2 s + s^3 L(s^2)
 *     atan       of a/b in [0, 1], c = i/8 next to it:   atan c + atan t,  t = (a - c b)/(b + c a), |t| <= 1/16;
 *                atan t = t + t^3 A(t^2)
 *     cbrt       x = 8^n m, y next to the root in 17 bits, whose cube is exact, d = m/y^3 - 1;
 *                y (1 + d)^(1/3) = y + y (d/3 - d^2/9 + 5 d^3/81), next term 2^-62
 * Beyond 1e6, x/(pi/2) comes from a product with 192 of the bits of 2/pi (Payne and Hanek 1983).
 *
 * At most 1 ulp off (tests/math/test_elementary.c measures less), for all arguments; zeros, infinities and NaN as C has them. The numbers
 * are printed by tools/elementary.py; nothing is taken from a C library. docs/portability.md has errors and costs. */
#ifndef SCREE_MATH_ELEMENTARY_H
#define SCREE_MATH_ELEMENTARY_H

#include "base/hd.h"
#include "math/scalar.h"
#include "math/twofold.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define ELEMENTARY_NAN ((double)NAN)

/// c[0] + c[1] z + ... by Horner's scheme; `count` is a constant at the call.
SCREE_HD_INLINE double polynomial(double z, const double *c, int count)
{
    double sum = c[count - 1];
    SCREE_UNROLL
    for (int k = count - 2; k >= 0; --k) sum = sum * z + c[k];
    return sum;
}

/// (a.hi + a.lo)/(b.hi + b.lo) to about 2^-75. Leading halves have products without rounding, so the remainder of the division by
/// them is exact.
SCREE_HD twofold twofold_quotient(twofold a, twofold b)
{
    double inverse = 1.0 / b.hi, lead = half_words(a.hi * inverse).hi, half = half_words(b.hi).hi;
    double rest = (a.hi - lead * half) - lead * ((b.hi - half) + b.lo) + a.lo;
    return (twofold){lead, rest * inverse};
}

/* ---- sine, cosine, tangent -------------------------------------------------------------------------------------------------- */

/// sin r and cos r for |r| <= pi/4, as a large and a small part that still have to be added.
SCREE_HD twofold sine_near(twofold r)
{
    static const double S[] = {-0x1.5555555555555p-3, 0x1.1111111111110p-7,   -0x1.a01a01a019938p-13,
                               0x1.71de3a546095bp-19, -0x1.ae645412c560cp-26, 0x1.61217f0b800d5p-33,
                               -0x1.ab17d404de5b3p-41};
    double z = r.hi * r.hi;
    return (twofold){r.hi, z * r.hi * polynomial(z, S, 7) + r.lo * (1.0 - 0.5 * z)};
}

SCREE_HD twofold cosine_near(twofold r)
{
    static const double C[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16967p-10, 0x1.a01a019f4eb01p-16,
                               -0x1.27e4fa17da09ep-22, 0x1.1eeb68e93b64cp-29,  -0x1.907da367a37cbp-37};
    double z = r.hi * r.hi, half = 0.5 * z, most = 1.0 - half;
    return (twofold){most, ((1.0 - most) - half) + (z * z * polynomial(z, C, 6) - r.hi * r.lo)};
}

/// Bits start, ..., start + 191 of 2/pi, six words of 32, the largest first; bit 64 is the first behind the point.
SCREE_HD void bits_of_two_over_pi(int start, uint32_t word[6])
{
    static const uint32_t bits[] = {0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                    0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
                                    0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639,
                                    0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f,
                                    0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7,
                                    0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20};
    int at = start / 32, shift = start % 32;
    for (int k = 0; k < 6; ++k)
        word[k] = shift ? bits[at + k] << shift | bits[at + k + 1] >> (32 - shift) : bits[at + k];
}

/// sum += factor word, modulo 2^(32 count).
SCREE_HD void add_multiple(uint32_t factor, const uint32_t *word, int count, uint32_t *sum)
{
    uint64_t carry = 0;
    for (int k = count - 1; k >= 0; --k) {
        carry += (uint64_t)factor * word[k] + sum[k];
        sum[k] = (uint32_t)carry, carry >>= 32;
    }
}

/// quarter_turns for finite |x| >= 1e6: x = M 2^e, M < 2^53. Bits of 2/pi worth 4 or more, times 2^e, give whole turns; the next 192
/// times M give x/(pi/2) modulo 4, with 190 bits behind the point. No double is nearer to a multiple of pi/2 than 2^-62.
SCREE_HD int quarter_turns_far(double x, twofold *rest)
{
    uint32_t word[6], product[6] = {0};
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int e = (int)(bits >> 52 & 2047) - 1075, negative = (int)(bits >> 63);
    uint64_t M = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    bits_of_two_over_pi(64 + e - 2, word);
    add_multiple((uint32_t)M, word, 6, product);
    add_multiple((uint32_t)(M >> 32), word + 1, 5, product);
    /* to the nearest whole number; what is left, as a number with a sign, lies in [-1/2, 1/2) */
    int turns = (int)(product[0] >> 30) + (int)(product[0] >> 29 & 1);
    uint32_t flip = product[0] >> 29 & 1 ? UINT32_MAX : 0; /* -1 - F for F: 2^-190 off */
    twofold share = {0.0, 0.0};
    double unit = 0x1p-190;
    for (int k = 5; k >= 0; --k, unit *= 0x1p32) {
        uint32_t digits = product[k] ^ flip;
        if (k == 0) digits &= UINT32_MAX >> 2;
        share = twofold_add((twofold){digits * unit, 0.0}, share);
    }
    twofold r = two_product(share.hi, 0x1.921fb54442d18p+0);
    r.lo += share.hi * 0x1.1a62633145c07p-54 + share.lo * 0x1.921fb54442d18p+0;
    double sign = (flip != 0) != negative ? -1.0 : 1.0;
    *rest = (twofold){sign * r.hi, sign * r.lo};
    return negative ? -turns : turns;
}

/// x = n pi/2 + rest; returns n, up to multiples of 4. pi/2 by parts of 33 bits: multiples up to 2^20 are exact.
SCREE_HD int quarter_turns(double x, twofold *rest)
{
    if (fabs(x) <= 0.785398163) {
        *rest = (twofold){x, 0.0};
        return 0;
    }
    if (fabs(x) < 1e6) {
        const double whole = 0x1.8p52; /* added and taken away: rounds to a whole number */
        double n = (x * 0x1.45f306dc9c883p-1 + whole) - whole;
        twofold a = two_sum(x - n * 0x1.921fb54400000p+0, -(n * 0x1.0b4611a600000p-34));
        twofold b = two_sum(a.hi, -(n * 0x1.3198a2e000000p-69));
        *rest = quick_two_sum(b.hi, (a.lo + b.lo) - n * 0x1.b839a252049c1p-104);
        return (int)n;
    }
    if (fabs(x) <= DBL_MAX) return quarter_turns_far(x, rest);
    *rest = (twofold){ELEMENTARY_NAN, 0.0};
    return 0;
}

/// sin(n pi/2 + r).
SCREE_HD double sine_of(int n, twofold r)
{
    twofold s = n & 1 ? cosine_near(r) : sine_near(r);
    double value = s.hi + s.lo;
    return n & 2 ? -value : value;
}

SCREE_HD double real_sin(double x)
{
    twofold r;
    if (fabs(x) < 0x1p-27) return x; /* and keeps the sign of 0 */
    int n = quarter_turns(x, &r);
    return sine_of(n, r);
}

SCREE_HD double real_cos(double x)
{
    twofold r;
    int n = quarter_turns(x, &r);
    return sine_of(n + 1, r);
}

SCREE_HD double real_tan(double x)
{
    twofold r;
    if (fabs(x) < 0x1p-27) return x;
    int n = quarter_turns(x, &r);
    twofold s = sine_near(r), c = cosine_near(r);
    c.lo -= 0.5 * two_product(r.hi, r.hi).lo; /* what the square there lost: two errors meet in a quotient */
    s = quick_two_sum(s.hi, s.lo), c = quick_two_sum(c.hi, c.lo);
    return n & 1 ? -twofold_ratio(c, s) : twofold_ratio(s, c);
}

/* ---- their inverses --------------------------------------------------------------------------------------------------------- */

/// atan(a/b) for 0 <= a <= b, b > 0, neither near the ends of the doubles; the parts still have to be added.
SCREE_HD twofold arc_near(twofold a, twofold b)
{
    static const double A[] = {-0x1.5555555555555p-2, 0x1.999999999994ep-3,  -0x1.249249245ad84p-3,
                               0x1.c71c6fedc5733p-4,  -0x1.745985823fac1p-4, 0x1.37e5c2335d231p-4};
    static const twofold arc[] = {/* atan(i/8) */
                                  {0x0.0p+0, 0x0.0p+0},
                                  {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                  {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                  {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                  {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                  {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                  {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                  {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                  {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
    int i = (int)(8.0 * a.hi / b.hi + 0.499); /* so a > c b/2, and a - c b is exact */
    double c = 0.125 * i;
    twofold half = half_words(b.hi), num = two_sum(a.hi - c * half.hi, a.lo - c * half.lo);
    num.lo -= c * b.lo;
    twofold den = quick_two_sum(b.hi, c * a.hi);
    den.lo += b.lo + c * a.lo;
    twofold t = twofold_quotient(num, den);
    double whole = t.hi + t.lo, z = whole * whole;
    twofold sum = quick_two_sum(arc[i].hi, t.hi);
    return (twofold){sum.hi, sum.lo + (arc[i].lo + (t.lo + z * whole * polynomial(z, A, 6)))};
}

/// The angle in [0, pi/2] with this sine and cosine, up to a common factor; neither negative nor both 0.
SCREE_HD twofold arc_of(twofold sine, twofold cosine)
{
    if (sine.hi <= cosine.hi) return arc_near(sine, cosine);
    twofold rest = arc_near(cosine, sine), sum = quick_two_sum(0x1.921fb54442d18p+0, -rest.hi);
    return (twofold){sum.hi, sum.lo + (0x1.1a62633145c07p-54 - rest.lo)};
}

/// pi - angle where `obtuse`, in one double.
SCREE_HD double arc_sum(twofold angle, int obtuse)
{
    if (!obtuse) return angle.hi + angle.lo;
    twofold sum = quick_two_sum(0x1.921fb54442d18p+1, -angle.hi);
    return sum.hi + (sum.lo + (0x1.1a62633145c07p-53 - angle.lo));
}

SCREE_HD double real_atan2(double y, double x)
{
    double a = fabs(y), b = fabs(x), most = max2(a, b);
    if (!(a >= 0.0 && b >= 0.0)) return ELEMENTARY_NAN;
    if (most > DBL_MAX)
        a = a > DBL_MAX ? 1.0 : 0.0, b = b > DBL_MAX ? 1.0 : 0.0; /* an infinite one outweighs any number */
    else if (x > 0.0 && a < 0x1p-60 * b) return y / x;            /* may lie below the normal numbers */
    else if (most > 0x1p500) a *= 0x1p-600, b *= 0x1p-600;
    else if (most < 0x1p-400) a *= 0x1p600, b *= 0x1p600;
    twofold angle = {0.0, 0.0};
    if (most > 0.0) angle = arc_of((twofold){a, 0.0}, (twofold){b, 0.0});
    return copysign(arc_sum(angle, signbit(x) != 0), y);
}

SCREE_HD double real_atan(double x)
{
    return real_atan2(x, 1.0);
}

/// sqrt(1 - a^2) for a in [0, 1].
SCREE_HD twofold other_leg(double a)
{
    if (a == 1.0) return (twofold){0.0, 0.0};
    twofold u = two_sum(1.0, -a), v = two_sum(1.0, a), p = two_product(u.hi, v.hi);
    return twofold_sqrt(quick_two_sum(p.hi, p.lo + (u.hi * v.lo + u.lo * v.hi)));
}

SCREE_HD double real_asin(double x)
{
    double a = fabs(x);
    if (a < 0x1p-27) return x;
    if (!(a <= 1.0)) return ELEMENTARY_NAN;
    return copysign(arc_sum(arc_of((twofold){a, 0.0}, other_leg(a)), 0), x);
}

SCREE_HD double real_acos(double x)
{
    double a = fabs(x);
    if (!(a <= 1.0)) return ELEMENTARY_NAN;
    return arc_sum(arc_of(other_leg(a), (twofold){a, 0.0}), x < 0.0);
}

/* ---- exp, log and what follows from them ------------------------------------------------------------------------------------ */

/// exp(x.hi + x.lo), |x.lo| far below 1.
SCREE_HD double exp_of(twofold x)
{
    static const double E[] = {0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555556p-5,
                               0x1.11111111100dfp-7,  0x1.6c16c16c162d6p-10, 0x1.a01a01abe62ddp-13,
                               0x1.a01a01a6d7808p-16, 0x1.71de02375656cp-19, 0x1.27e4db67b4303p-22,
                               0x1.af4ddd84882fep-26, 0x1.1f72fc730b4ffp-29};
    const double whole = 0x1.8p52; /* as in quarter_turns */
    if (!(x.hi <= 709.79)) return x.hi > 0.0 ? SCREE_INFINITY : x.hi;
    if (x.hi < -745.14) return 0.0;
    double n = (x.hi * 0x1.71547652b82fep+0 + whole) - whole, high = x.hi - n * 0x1.62e42fefa3800p-1;
    double low = n * 0x1.ef35793c76730p-45 - x.lo, r = high - low, lost = (high - r) - low;
    double value = 1.0 + (r + (r * r * polynomial(r, E, 11) + (lost + r * lost)));
    int part = (int)n / 2; /* in two steps: 2^n alone may lie beyond the doubles */
    return value * power_of_two(part) * power_of_two((int)n - part);
}

SCREE_HD double real_exp(double x)
{
    return exp_of((twofold){x, 0.0});
}

/// log x for finite x > 0, to about 2^-60; |lo| far below |hi|, but the parts still have to be added.
SCREE_HD twofold log_of(double x)
{
    static const double L[] = {0x1.5555555555555p-1, 0x1.9999999999a38p-2, 0x1.2492492476cccp-2, 0x1.c71c720159177p-3,
                               0x1.745cf9048dd95p-3, 0x1.3b1c355a8f7a2p-3, 0x1.0fbe95d716020p-3, 0x1.0c039c49989c6p-3};
    uint64_t bits;
    int n = 0;
    if (x < DBL_MIN) x *= 0x1p54, n = -54;
    memcpy(&bits, &x, sizeof bits);
    n += (int)(bits >> 52) - 1023;
    bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
    memcpy(&x, &bits, sizeof x);
    if (x > 1.4142135623730951) x *= 0.5, n += 1;
    double f = x - 1.0;
    twofold s = twofold_quotient((twofold){f, 0.0}, two_sum(2.0, f));
    double whole = s.hi + s.lo, z = whole * whole, rest = 2.0 * s.lo + z * whole * polynomial(z, L, 8);
    if (n == 0) return quick_two_sum(2.0 * s.hi, rest);
    twofold sum = quick_two_sum(n * 0x1.62e42fefa3800p-1, 2.0 * s.hi);
    return quick_two_sum(sum.hi, sum.lo + (rest + n * 0x1.ef35793c76730p-45));
}

SCREE_HD double real_log(double x)
{
    if (!(x > 0.0)) return x == 0.0 ? -SCREE_INFINITY : ELEMENTARY_NAN;
    if (x > DBL_MAX) return x;
    twofold l = log_of(x);
    return l.hi + l.lo;
}

/// x^y for x >= 0 and 0 < y <= 1: the error of the logarithm would grow with y.
SCREE_HD double real_root_power(double x, double y)
{
    if (!(x > 0.0)) return x == 0.0 ? 0.0 : ELEMENTARY_NAN;
    if (x > DBL_MAX) return x;
    twofold l = log_of(x), p = two_product(y, l.hi);
    return exp_of((twofold){p.hi, p.lo + y * l.lo});
}

/// log(x + sqrt(x^2 - 1)).
SCREE_HD double real_acosh(double x)
{
    if (!(x >= 1.0)) return ELEMENTARY_NAN;
    if (x > 0x1p30) { /* 2 x, to 2^-62 */
        twofold l = log_of(min2(x, DBL_MAX)), sum = two_sum(l.hi, 0x1.62e42fefa39efp-1);
        return x > DBL_MAX ? x : sum.hi + (sum.lo + (l.lo + 0x1.abc9e3b39803fp-56));
    }
    if (x == 1.0) return 0.0;
    twofold v = two_sum(x, 1.0), p = two_product(x - 1.0, v.hi);
    twofold root = twofold_sqrt(quick_two_sum(p.hi, p.lo + (x - 1.0) * v.lo)),
            sum = twofold_add((twofold){x, 0.0}, root);
    twofold l = log_of(sum.hi);
    return l.hi + (l.lo + sum.lo / sum.hi);
}

/* ---- roots ------------------------------------------------------------------------------------------------------------------ */

/// sqrt(x^2 + y^2), also where the squares lie beyond the doubles.
SCREE_HD double real_hypot(double x, double y)
{
    double a = fabs(x), b = fabs(y), most = max2(a, b), scale = 1.0;
    if (a > DBL_MAX || b > DBL_MAX) return SCREE_INFINITY;
    if (a == 0.0 || b == 0.0 || !(a + b > 0.0)) return a + b; /* exact; NaN */
    if (most > 0x1p480) scale = 0x1p600;
    if (most < 0x1p-400) scale = 0x1p-600;
    a /= scale, b /= scale;
    twofold root = twofold_sqrt(twofold_add(two_product(a, a), two_product(b, b)));
    return (root.hi + root.lo) * scale;
}

SCREE_HD double real_cbrt(double x)
{
    static const double start[] = {0x1.e68ceb1fc3429p-2, 0x1.a9da3cc66f245p-1,  -0x1.d758498b983bcp-2,
                                   0x1.92bfc00e33108p-3, -0x1.8bd2dce403128p-5, 0x1.4c7608a04eba1p-8};
    static const double third[] = {1.0, 0x1.428a2f98d728bp+0, 0x1.965fea53d6e3dp+0}; /* 2^(i/3) */
    uint64_t bits;
    double m = fabs(x), y;
    int extra = 0;
    if (!(m > 0.0 && m <= DBL_MAX)) return x;
    if (m < DBL_MIN) m *= 0x1p54, extra = -18;
    memcpy(&bits, &m, sizeof bits);
    int e = (int)(bits >> 52) - 1023, n = (e + 1200) / 3 - 400, i = e - 3 * n;
    bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
    memcpy(&m, &bits, sizeof m);
    y = polynomial(m, start, 6) * third[i];
    memcpy(&bits, &y, sizeof bits);
    bits = (bits + (UINT64_C(1) << 35)) & ~((UINT64_C(1) << 36) - 1); /* 17 bits of 53 */
    memcpy(&y, &bits, sizeof y);
    double cube = y * y * y, d = (m * power_of_two(i) - cube) / cube;
    y += y * d * (1.0 / 3.0 - d * (1.0 / 9.0 - d * (5.0 / 81.0)));
    return copysign(y * power_of_two(n + extra), x);
}

#endif
