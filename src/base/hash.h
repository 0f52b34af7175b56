/* hash.h: a 64-bit hash of bytes, the same on every machine of one byte order: for "the same run?", not for secrets. */
#ifndef SCREE_BASE_HASH_H
#define SCREE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

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
