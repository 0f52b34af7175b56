/* hash.c: the hash of hash.h: eight bytes at a time through a 64 x 64 -> 128 bit multiply and fold. */
#include "base/hash.h"

#include <string.h>

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t h = seed ^ UINT64_C(0xa0761d6478bd642f), word = 0;
    for (size_t left = size; left >= 8; left -= 8, at += 8) {
        memcpy(&word, at, 8);
        h = hash_fold(h ^ word, UINT64_C(0xe7037ed1a0b428db));
    }
    word = 0;
    if (size % 8) memcpy(&word, at, size % 8);
    h = hash_fold(h ^ word, UINT64_C(0x8ebc6af09c88c6e3));
    return hash_fold(h ^ (uint64_t)size, UINT64_C(0x589965cc75374cc3));
}
