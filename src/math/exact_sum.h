/* exact_sum.h: sums of doubles without any rounding until they are read, so that their order leaves no trace, however large and small the terms
 * are. For sums over few contacts a step, where nothing is known of their size (contacts with walls); where it is, a grid costs less
 * (dem/spheres/bed_parts.h).
 *
 * The sum is a number of 32-bit digits, the lowest of them at 2^-1074, each kept in 64 bits with a sign: a term adds to three digits, and
 * carries wait until the sum is read, for up to 2^31 terms. Digits are integers: threads of a device may add to them in any order. */
#ifndef SCREE_MATH_EXACT_SUM_H
#define SCREE_MATH_EXACT_SUM_H

#include "base/hd.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* 2^-1074 to 2^1024 are 66 digits, carries two more; the last one counts terms that are no numbers. */
enum { EXACT_DIGITS = 69, EXACT_BAD = EXACT_DIGITS - 1 };

/// What a term adds to digits at, at + 1 and at + 2. Returns `at`; of what is no number EXACT_BAD, and part[0] alone.
SCREE_HD int exact_parts(double x, int64_t part[3])
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int exponent = (int)(bits >> 52 & 2047);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    part[0] = part[1] = part[2] = 0;
    if (exponent == 2047) {
        part[0] = 1;
        return EXACT_BAD;
    }
    if (exponent > 0) mantissa |= UINT64_C(1) << 52;
    const int place = exponent > 0 ? exponent - 1 : 0, shift = place % 32;
    const uint64_t low = mantissa << shift, high = shift > 0 ? mantissa >> (64 - shift) : 0;
    const int64_t sign = bits >> 63 ? -1 : 1;
    part[0] = sign * (int64_t)(low & UINT64_C(0xffffffff)), part[1] = sign * (int64_t)(low >> 32);
    part[2] = sign * (int64_t)high;
    return place / 32;
}

SCREE_HD void exact_add(int64_t digit[EXACT_DIGITS], double x)
{
    int64_t part[3];
    const int at = exact_parts(x, part);
    for (int k = 0; k < 3 && at + k < EXACT_DIGITS; ++k) digit[at + k] += part[k];
}

/// The sum, to about one part in 2^53; the same for the same terms in any order. The digits are left with their carries settled.
SCREE_HD double exact_value(int64_t digit[EXACT_DIGITS])
{
    const int64_t base = INT64_C(1) << 32;
    int low = 0, top = EXACT_BAD - 1;
    double sum = 0.0;
    if (digit[EXACT_BAD] != 0) return (double)NAN;
    while (low < top && digit[low] == 0) ++low;
    while (top > low && digit[top] == 0) --top;
    top = top + 2 < EXACT_BAD ? top + 2 : EXACT_BAD - 1;
    for (int k = low; k < top; ++k) { /* into [0, 2^32), the rest goes up */
        const int64_t own = digit[k] & (base - 1), carry = (digit[k] - own) / base;
        digit[k] = own, digit[k + 1] += carry;
    }
    const int negative = digit[top] < 0;
    for (int k = low; k <= top && negative; ++k)
        digit[k] = -digit[k]; /* a negative sum is the opposite of a positive one */
    for (int k = low; k < top && negative; ++k) {
        const int64_t own = digit[k] & (base - 1), carry = (digit[k] - own) / base;
        digit[k] = own, digit[k + 1] += carry;
    }
    while (top > low && digit[top] == 0) --top;
    for (int k = top > low + 2 ? top - 2 : low; k <= top; ++k) sum += ldexp((double)digit[k], 32 * k - 1074);
    for (int k = low; k <= top && negative; ++k) digit[k] = -digit[k];
    return negative ? -sum : sum;
}

#endif
