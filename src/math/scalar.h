/* scalar.h: scalar helpers that compile to an instruction or two, where the C library's have to be called.
 *
 * max2 and min2 keep the first argument if the second is NaN. Exponents and powers of two go through the bits of IEEE doubles. */
#ifndef SCREE_MATH_SCALAR_H
#define SCREE_MATH_SCALAR_H

#include "base/hd.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

SCREE_HD double max2(double a, double b)
{
    return b > a ? b : a;
}

SCREE_HD double min2(double a, double b)
{
    return b < a ? b : a;
}

/// A finite x moved by whole periods into [low, high).
SCREE_HD double wrap_into(double x, double low, double high)
{
    if (x >= low && x < high) return x;
    x -= (high - low) * floor((x - low) / (high - low));
    return x < high ? x : low; /* just below low, rounded up */
}

/// C's fmax and fmin: a NaN counts as missing. Of 0 and -0 the first; C leaves that open, and its libraries differ.
SCREE_HD double number_max(double a, double b)
{
    return b > a || a != a ? b : a;
}

SCREE_HD double number_min(double a, double b)
{
    return b < a || a != a ? b : a;
}

/// The larger, or a NaN if either is one: for what says how wrong something is, where a NaN is as wrong as can be.
SCREE_HD double worse(double a, double b)
{
    return b > a || b != b ? b : a;
}

/// x cut off to a whole number within [low, high]; NaN: low. (A cast of what does not fit is undefined.)
SCREE_HD int int_within(double x, int low, int high)
{
    return !(x > low) ? low : x < high ? (int)x : high;
}

/// e with v in [2^(e-1), 2^e), for finite v > 0; 0 for anything else.
SCREE_HD int exponent_of(double v)
{
    uint64_t bits;
    int e = 0;
    if (!(v > 0.0 && v <= DBL_MAX)) return 0;
    memcpy(&bits, &v, sizeof bits);
    if (bits >> 52) return (int)(bits >> 52) - 1022;
    (void)frexp(v, &e); /* subnormal */
    return e;
}

/// 2^e.
SCREE_HD double power_of_two(int e)
{
    double v;
    if (e < -1022 || e > 1023) return ldexp(1.0, e);
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    memcpy(&v, &bits, sizeof v);
    return v;
}

#endif
