/* near.h: numbers that must agree, with words where they do not. */
#ifndef SCREE_TESTS_NEAR_H
#define SCREE_TESTS_NEAR_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline void near(const char *what, double value, double expected, double tolerance)
{
    if (fabs(value - expected) <= tolerance) return;
    fail_msg("%s: %.12g, expected %.12g within %g", what, value, expected, tolerance);
}

static inline void within(const char *what, double value, double expected, double share)
{
    near(what, value, expected, share * fabs(expected));
}

#endif
