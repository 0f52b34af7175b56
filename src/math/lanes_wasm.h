/* lanes_wasm.h: a b + c, rounded once, two at a time, on a machine whose vectors have no such instruction (wasm SIMD128): part of lanes.h.
 *
 *     p + e = a b        the product and its error: Dekker 1971, with factors split in halves (Veltkamp)
 *     s + t = p + c      the sum and its error: Knuth, TwoSum
 *     z = t + e          rounded to odd: the last bit is set where something was lost
 *     s + z              rounded to nearest is a b + c rounded once: Boldo and Melquiond 2008, "Emulation of FMA and correctly rounded sums"
 *
 * Theirs adds c to e first. Here it is added to p: where p and c cancel so far that e counts against s, the difference is exact (Sterbenz),
 * t is 0, and z = e is exact too. All steps are exact unless a number is so large or small that a part of it leaves the range, or is none: then
 * the C library's fma decides. About 45 operations for two lanes; the C library's takes some 60 for one.
 *
 * SCREE_WASM_FUSED: "relaxed SIMD" has a multiply-add of two lanes that may round once or twice, as the processor has it. A module of such
 * kernels is used only where a trial of it rounds once (report/feed.js). The builtin is of 2022 and written with its opcode of then;
 * cmake/wasm_fused.js puts in that of the standard, which computes the first times the second plus the third. */
#ifndef SCREE_MATH_LANES_WASM_H
#define SCREE_MATH_LANES_WASM_H

#include <math.h>
#include <wasm_simd128.h>

typedef double wasm_pair __attribute__((vector_size(16)));
typedef long long wasm_bits __attribute__((vector_size(16)));

#if defined(SCREE_WASM_FUSED)

static inline wasm_pair wasm_fused(wasm_pair a, wasm_pair b, wasm_pair c)
{
    return __builtin_wasm_fma_f64x2(a, b, c);
}

#else

static inline wasm_pair wasm_fused(wasm_pair a, wasm_pair b, wasm_pair c)
{
    const wasm_pair splitter = {134217729.0, 134217729.0}; /* 2^27 + 1 */
    const wasm_pair large = {0x1p+480, 0x1p+480}, small = {0x1p-900, 0x1p-900}, zero = {0.0, 0.0};
    const wasm_bits positive = {INT64_MAX, INT64_MAX};
    const wasm_pair p = a * b;

    const wasm_bits tame =
        (((wasm_bits)a & positive) < (wasm_bits)large) & (((wasm_bits)b & positive) < (wasm_bits)large) &
        (((wasm_bits)c & positive) < (wasm_bits)large) &
        ((((wasm_bits)p & positive) > (wasm_bits)small) | (wasm_bits)(a == zero) | (wasm_bits)(b == zero));
    if (__builtin_expect(!wasm_i64x2_all_true((v128_t)tame), 0))
        return (wasm_pair){fma(a[0], b[0], c[0]), fma(a[1], b[1], c[1])};

    const wasm_pair at = a * splitter, bt = b * splitter;
    const wasm_pair a1 = at - (at - a), b1 = bt - (bt - b), a2 = a - a1, b2 = b - b1;
    const wasm_pair e = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;

    const wasm_pair s = p + c, s1 = s - p, t = (p - (s - s1)) + (c - s1);

    const wasm_pair h = t + e, h1 = h - t, l = (t - (h - h1)) + (e - h1);
    const wasm_bits bits = (wasm_bits)h, one = {1, 1};
    const wasm_bits towards =
        ((bits ^ (wasm_bits)l) >> 63) | one; /* to the neighbour on the side of l: away from zero, or to it */
    const wasm_bits lost = (wasm_bits)(l != zero) & ((bits & one) == (wasm_bits){0, 0});
    const wasm_pair z = (wasm_pair)(bits + (towards & lost));
    return (wasm_pair)wasm_v128_bitselect((v128_t)s, (v128_t)(s + z), (v128_t)(z == zero)); /* -0 + 0 would be +0 */
}

#endif

#endif
