/* random.h: random numbers that are the same on every machine (splitmix64), for generated problems, checks and benchmarks. */
#ifndef SCREE_CLI_RANDOM_H
#define SCREE_CLI_RANDOM_H

#include <math.h>
#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline double random_uniform(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(random_next(state) >> 11) * 0x1p-53);
}

static inline double random_log_uniform(uint64_t *state, double low, double high)
{
    return exp(random_uniform(state, log(low), log(high)));
}

#endif
