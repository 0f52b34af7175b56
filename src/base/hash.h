/* hash.h: a 64-bit hash of bytes, the same on every machine of one byte order: for "the same run?", not for secrets. */
#ifndef SCREE_BASE_HASH_H
#define SCREE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/// High and low half of the 128-bit product a b, folded into one; by 32-bit halves, for compilers without a type that wide.
static inline uint64_t hash_fold_halves(uint64_t a, uint64_t b)
{
    uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    uint64_t low = a0 * b0, mid = a1 * b0 + (low >> 32), mid2 = a0 * b1 + (mid & 0xffffffffu);
    uint64_t high = a1 * b1 + (mid >> 32) + (mid2 >> 32);
    return high ^ ((mid2 << 32) | (low & 0xffffffffu));
}

/// The same the fastest way there is.
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
#else
    return hash_fold_halves(a, b);
#endif
}

/// Mixes `size` bytes into `seed`; chain calls to hash several arrays. Eight bytes at a time (wyhash-like multiply and fold).
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size);

/// One number into another: for counters and for random numbers by index.
static inline uint64_t hash_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif
