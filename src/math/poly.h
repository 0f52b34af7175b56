/* poly.h: real roots of polynomials of degree 1 to 4, and their value to twice the working precision. Internal. */
#ifndef SCREE_MATH_POLY_H
#define SCREE_MATH_POLY_H

#ifdef __cplusplus
extern "C" {
#endif

/* The highest degree poly_roots takes. */
#define POLY_MAX_DEGREE 4

/// Real roots of a[0] + a[1] x + ... + a[degree] x^degree, degree <= 4: ascending, distinct, with multiplicities
/// (multiplicity may be NULL). roots and multiplicity have room for `degree` entries.
/// Leading coefficients that are exactly zero lower the degree; a constant has no roots.
/// Returns the number of distinct real roots, or -1 if the polynomial is identically zero (or degree is negative).
/// Returns 0 if a coefficient is infinite or not a number, and if degree exceeds POLY_MAX_DEGREE.
///
/// A simple root is the double nearest to the true root of the given coefficients, or its neighbour, as long as the
/// root is well conditioned for an evaluation in 2 x 53 bits. Roots that such an evaluation cannot tell apart are one
/// root, whose multiplicity is how many they are (a complex pair that close to the line counts as real). A root
/// beyond the largest double is dropped; one below the smallest is reported as 0. Roots of a(x / 2^k) are 2^k times
/// those of a, bit for bit, and a power of two as a common factor changes nothing.
int poly_roots(int degree, const double *a, double *roots, int *multiplicity);

/// Value at x of a[0] + a[1] x + ... + a[degree] x^degree (any degree >= 0) by compensated Horner: as accurate as if
/// computed in twice the precision, then rounded. *bound (may be NULL) is a rigorous bound of the error, INFINITY when
/// an intermediate result overflowed (|x| >= 2^996 included).
double poly_eval(int degree, const double *a, double x, double *bound);

#ifdef __cplusplus
}
#endif

#endif
