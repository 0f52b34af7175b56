/* hash.c: the hash of hash.h: eight bytes at a time through a 64 x 64 -> 128 bit multiply and fold. */
#include "base/hash.h"

#include <string.h>

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 wide;

/// High and low half of a b, folded.
static uint64_t fold(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}
#else
/// The same by 32-bit halves, where there is no 128-bit type.
static uint64_t fold(uint64_t a, uint64_t b)
{
    uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    uint64_t low = a0 * b0, mid = a1 * b0 + (low >> 32), mid2 = a0 * b1 + (mid & 0xffffffffu);
    uint64_t high = a1 * b1 + (mid >> 32) + (mid2 >> 32);
    return high ^ ((mid2 << 32) | (low & 0xffffffffu));
}
#endif

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t h = seed ^ UINT64_C(0xa0761d6478bd642f), word = 0;
    for (size_t left = size; left >= 8; left -= 8, at += 8) {
        memcpy(&word, at, 8);
        h = fold(h ^ word, UINT64_C(0xe7037ed1a0b428db));
    }
    word = 0;
    if (size % 8) memcpy(&word, at, size % 8);
    h = fold(h ^ word, UINT64_C(0x8ebc6af09c88c6e3));
    return fold(h ^ (uint64_t)size, UINT64_C(0x589965cc75374cc3));
}
