/* rng.h: random numbers by index: the k-th number of a stream is a function of (seed, stream, k) alone, so a run that restarts
 * needs to know only how many it has used, and threads need no order. */
#ifndef SCREE_MATH_RNG_H
#define SCREE_MATH_RNG_H

#include "base/hash.h"

typedef struct rng {
    uint64_t key, count;
} rng;

static inline rng rng_make(uint64_t seed, uint64_t stream)
{
    return (rng){hash_mix(seed ^ hash_mix(stream)), 0};
}

/// The next number, uniform in [0, 1).
static inline double rng_uniform(rng *r)
{
    return (double)(hash_mix(r->key ^ hash_mix(r->count++)) >> 11) * 0x1p-53;
}

#endif
