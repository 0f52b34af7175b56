/* vector.h: what drawing, checks and benchmarks need of vectors, unit quaternions (w, x, y, z) and random numbers. */
#ifndef SCREE_CLI_VECTOR_H
#define SCREE_CLI_VECTOR_H

#include <math.h>
#include <stdint.h>

/* ---- vectors of three: outputs last, and not the same as inputs unless said ------------------------------------------- */

static inline double vec_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double vec_norm(const double *a)
{
    return sqrt(vec_dot(a, a));
}

static inline void vec_cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

/// c = a + s b; c may be a or b.
static inline void vec_add_scaled(const double *a, double s, const double *b, double *c)
{
    for (int i = 0; i < 3; ++i) c[i] = a[i] + s * b[i];
}

/// c = a - b; c may be a or b.
static inline void vec_sub(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 3; ++i) c[i] = a[i] - b[i];
}

/// A unit vector orthogonal to the unit vector n (Duff et al. 2017).
static inline void vec_tangent(const double *n, double *t)
{
    double s = n[2] >= 0.0 ? 1.0 : -1.0, a = -1.0 / (s + n[2]), b = n[0] * n[1] * a;
    t[0] = 1.0 + s * n[0] * n[0] * a, t[1] = s * b, t[2] = -s * n[0];
}

/* ---- rotations ---------------------------------------------------------------------------------------------------------- */

/// v_world = q v q*.
static inline void quat_rotate(const double *q, const double *v, double *out)
{
    double t[3], c[3];
    vec_cross(q + 1, v, t);
    for (int i = 0; i < 3; ++i) t[i] *= 2.0;
    vec_cross(q + 1, t, c);
    for (int i = 0; i < 3; ++i) out[i] = v[i] + q[0] * t[i] + c[i];
}

/// v_body = q* v q.
static inline void quat_rotate_inverse(const double *q, const double *v, double *out)
{
    double c[4] = {q[0], -q[1], -q[2], -q[3]};
    quat_rotate(c, v, out);
}

/* ---- random numbers by index: the k-th is a function of (seed, k) alone ------------------------------------------------ */

/// One number into another that looks random (splitmix64).
static inline uint64_t random_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

typedef struct random_numbers {
    uint64_t key, count;
} random_numbers;

static inline random_numbers random_start(uint64_t seed)
{
    return (random_numbers){random_mix(seed ^ random_mix(0)), 0};
}

/// The next number, uniform in [0, 1).
static inline double random_fraction(random_numbers *r)
{
    return (double)(random_mix(r->key ^ random_mix(r->count++)) >> 11) * 0x1p-53;
}

#endif
