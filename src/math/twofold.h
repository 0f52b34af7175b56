/* twofold.h: error-free transforms, and numbers that are the unevaluated sum of two doubles
 *     a + b = s + e,   a b = p + e     exactly, with s = fl(a + b), p = fl(a b)
 * Source: Knuth (two_sum), Dekker 1971 and Veltkamp (two_product), Ogita, Rump & Oishi 2005 for the names.
 * They hold in round-to-nearest without contraction (-ffp-contract=off), barring overflow; two_product also barring
 * underflow of e (|a b| >= 2^-968). A machine with a fast fma gives the same e in two operations, so the same bits. */
#ifndef SCREE_MATH_TWOFOLD_H
#define SCREE_MATH_TWOFOLD_H

#include "base/hd.h"

#include <math.h>

typedef struct twofold {
    double hi, lo; /* the number hi + lo; |lo| <= ulp(hi)/2 after two_sum and two_product */
} twofold;

SCREE_HD twofold two_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (twofold){s, (a - (s - t)) + (b - t)};
}

/* The same when |a| >= |b| or a = 0. */
SCREE_HD twofold quick_two_sum(double a, double b)
{
    double s = a + b;
    return (twofold){s, b - (s - a)};
}

/* a = hi + lo with 26 bits each (Veltkamp); |a| < 2^996. */
SCREE_HD twofold half_words(double a)
{
    double t = 134217729.0 * a, hi = t - (t - a); /* 2^27 + 1 */
    return (twofold){hi, a - hi};
}

/* a b, when the half words of b are at hand: a Horner scheme splits its x once. */
SCREE_HD twofold two_product_split(double a, double b, twofold b_half)
{
    double p = a * b;
#ifdef __FP_FAST_FMA
    (void)b_half;
    return (twofold){p, fma(a, b, -p)};
#else
    twofold h = half_words(a);
    double e = ((h.hi * b_half.hi - p) + h.hi * b_half.lo + h.lo * b_half.hi) + h.lo * b_half.lo;
    return (twofold){p, e};
#endif
}

SCREE_HD twofold two_product(double a, double b)
{
    return two_product_split(a, b, half_words(b));
}

/* a + b to about 2^-104 relative to |a| + |b|. */
SCREE_HD twofold twofold_add(twofold a, twofold b)
{
    twofold s = two_sum(a.hi, b.hi);
    return quick_two_sum(s.hi, s.lo + (a.lo + b.lo));
}

/* Square root of a > 0, to about 2^-104 relative. */
SCREE_HD twofold twofold_sqrt(twofold a)
{
    double s = sqrt(a.hi);
    twofold square = two_product(s, s);
    return quick_two_sum(s, ((a.hi - square.hi) - square.lo + a.lo) / (2.0 * s));
}

/* a / b rounded to a double: within a hair of half an ulp. */
SCREE_HD double twofold_ratio(twofold a, twofold b)
{
    double r = a.hi / b.hi;
    twofold rb = two_product(r, b.hi);
    return r + ((a.hi - rb.hi) - rb.lo + a.lo - r * b.lo) / b.hi;
}

#endif
