/* lanes.h: a vector of LANES_WIDTH doubles (1, 2, 4 or 8; given by the file that includes this one), as kernels over many contacts see it.
 *
 * + - * / are the language's own on vectors of gcc and clang, each with its own rounding (-ffp-contract=off): a product and a sum are fused
 * where mad says so and nowhere else. Every operation has one meaning in all widths, bit for bit, numbers that are not numbers apart (which
 * of several such operands comes through is the processor's choice): fused products and sums are one rounding, roots and nearest integers
 * are exact. Width 1 is plain C, a double and an int, which nvcc compiles too; width 2 is for any processor, with NEON or wasm's SIMD128 where they are there;
 * 4 needs x86-64-v3 and 8 x86-64-v4. What get and put touch is aligned to the vector (LANES_ALIGNED). */
#ifndef SCREE_MATH_LANES_H
#define SCREE_MATH_LANES_H

#include "base/hd.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__wasm_simd128__)
#include "math/lanes_wasm.h"
#endif

/* loads that cross cache lines cost twice */
#if defined(__CUDACC__)
#define LANES_ALIGNED
#else
#define LANES_ALIGNED _Alignas(64)
#endif

/* ---- one fused product and sum ------------------------------------------------------------------------------------------- */

/* gcc turns -fma(a, b, c) into the one instruction for -(a b) - c, wherever the processor has it. That is not the same number: where a b + c
 * is 0 the first is -0, the second +0. So gcc must not see what the result is made of. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDA_ARCH__) && defined(__FP_FAST_FMA)
#if defined(__x86_64__)
#define LANES_HIDE(x) __asm__("" : "+x"(x))
#elif defined(__aarch64__)
#define LANES_HIDE(x) __asm__("" : "+w"(x))
#else
#define LANES_HIDE(x) __asm__("" : "+m"(x))
#endif
#else
#define LANES_HIDE(x) (void)0
#endif

/// a b + c, rounded once.
SCREE_HD_INLINE double fused(double a, double b, double c)
{
#if defined(__wasm_simd128__)
    return wasm_fused((wasm_pair){a, a}, (wasm_pair){b, b}, (wasm_pair){c, c})[0];
#else
    double sum = fma(a, b, c);
    LANES_HIDE(sum);
    return sum;
#endif
}

#undef LANES_HIDE

#if LANES_WIDTH == 1

/* ---- one lane ------------------------------------------------------------------------------------------------------------ */

typedef double lanes;
typedef int mask; /* 0 or 1 */

SCREE_HD_INLINE lanes all(double a)
{
    return a;
}

SCREE_HD_INLINE lanes get(const double *p)
{
    return *p;
}

SCREE_HD_INLINE void put(double *p, lanes a)
{
    *p = a;
}

SCREE_HD_INLINE lanes root(lanes a)
{
    return sqrt(a);
}

/// a b + c.
SCREE_HD_INLINE lanes mad(lanes a, lanes b, lanes c)
{
    return fused(a, b, c);
}

/// c - a b.
SCREE_HD_INLINE lanes nmad(lanes a, lanes b, lanes c)
{
    return fused(-a, b, c);
}

/// -a b - c.
SCREE_HD_INLINE lanes nmsub(lanes a, lanes b, lanes c)
{
    return fused(-a, b, -c);
}

/// The nearest integer; of two the even one.
SCREE_HD_INLINE lanes nearest(lanes a)
{
    return nearbyint(a);
}

SCREE_HD_INLINE lanes size_of(lanes a)
{
    return fabs(a);
}

/// a, negative where `sign`, a zero, is -0. A change of sign costs no multiplier.
SCREE_HD_INLINE lanes flip(lanes sign, lanes a)
{
    uint64_t x, y;
    memcpy(&x, &sign, sizeof x), memcpy(&y, &a, sizeof y), y ^= x;
    memcpy(&a, &y, sizeof a);
    return a;
}

/// b where one of them is not a number, or both are zeros, as in larger.
SCREE_HD_INLINE lanes smaller(lanes a, lanes b)
{
    return a < b ? a : b;
}

SCREE_HD_INLINE lanes larger(lanes a, lanes b)
{
    return a > b ? a : b;
}

/// The power of two at or below a number above 0: its exponent's bits.
SCREE_HD_INLINE lanes power_of(lanes x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits), bits &= UINT64_C(0x7ff0000000000000);
    memcpy(&x, &bits, sizeof x);
    return x;
}

SCREE_HD_INLINE mask greater(lanes a, lanes b)
{
    return a > b;
}

SCREE_HD_INLINE mask both(mask a, mask b)
{
    return a & b;
}

SCREE_HD_INLINE mask but_not(mask a, mask b)
{
    return a & !b;
}

SCREE_HD_INLINE mask either(mask a, mask b)
{
    return a | b;
}

SCREE_HD_INLINE lanes choose(mask m, lanes yes, lanes no)
{
    return m ? yes : no;
}

/// a where the mask is set, +0 elsewhere; `without`: the other way round.
SCREE_HD_INLINE lanes only(mask m, lanes a)
{
    return m ? a : 0.0;
}

SCREE_HD_INLINE lanes without(mask m, lanes a)
{
    return m ? 0.0 : a;
}

/// Bit l is lane l.
SCREE_HD_INLINE unsigned bits_of(mask m)
{
    return (unsigned)m;
}

SCREE_HD_INLINE mask of_bits(unsigned b)
{
    return (int)(b & 1u);
}

/// Lane k of in[l] becomes lane l of out[k].
SCREE_HD_INLINE void transpose(const lanes in[1], lanes out[1])
{
    out[0] = in[0];
}

#else

/* ---- two and four lanes: masks are vectors too, of all bits or none ------------------------------------------------------ */

#if LANES_WIDTH == 2
typedef double lanes __attribute__((vector_size(16)));
typedef long long mask __attribute__((vector_size(16)));
#if defined(__aarch64__)
#include <arm_neon.h>
#endif
#else
#include <immintrin.h>
#endif

#if LANES_WIDTH == 4
#define SIMD(name) _mm256_##name
typedef __m256d lanes;
typedef long long mask __attribute__((vector_size(32))); /* a type whose comparisons gcc sees through */
#endif

#if LANES_WIDTH < 8

SCREE_HD_INLINE mask greater(lanes a, lanes b)
{
    return (mask)(a > b);
}

SCREE_HD_INLINE mask both(mask a, mask b)
{
    return a & b;
}

SCREE_HD_INLINE mask but_not(mask a, mask b)
{
    return a & ~b;
}

SCREE_HD_INLINE mask either(mask a, mask b)
{
    return a | b;
}

SCREE_HD_INLINE lanes only(mask m, lanes a)
{
    return (lanes)(m & (mask)a);
}

SCREE_HD_INLINE lanes without(mask m, lanes a)
{
    return (lanes)(~m & (mask)a);
}

#endif

#if LANES_WIDTH == 2

SCREE_HD_INLINE lanes all(double a)
{
    return (lanes){a, a};
}

SCREE_HD_INLINE lanes get(const double *p)
{
    lanes a;
    memcpy(&a, __builtin_assume_aligned(p, sizeof a), sizeof a);
    return a;
}

SCREE_HD_INLINE void put(double *p, lanes a)
{
    memcpy(__builtin_assume_aligned(p, sizeof a), &a, sizeof a);
}

SCREE_HD_INLINE lanes root(lanes a)
{
#if defined(__wasm_simd128__)
    return (lanes)wasm_f64x2_sqrt((v128_t)a);
#else
    return (lanes){sqrt(a[0]), sqrt(a[1])};
#endif
}

SCREE_HD_INLINE lanes mad(lanes a, lanes b, lanes c)
{
#if defined(__aarch64__)
    return (lanes)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#elif defined(__wasm_simd128__)
    return wasm_fused(a, b, c);
#else
    return (lanes){fused(a[0], b[0], c[0]), fused(a[1], b[1], c[1])};
#endif
}

SCREE_HD_INLINE lanes nmad(lanes a, lanes b, lanes c)
{
    return mad(-a, b, c);
}

SCREE_HD_INLINE lanes nmsub(lanes a, lanes b, lanes c)
{
    return mad(-a, b, -c);
}

SCREE_HD_INLINE lanes nearest(lanes a)
{
#if defined(__wasm_simd128__)
    return (lanes)wasm_f64x2_nearest((v128_t)a);
#else
    return (lanes){nearbyint(a[0]), nearbyint(a[1])};
#endif
}

SCREE_HD_INLINE lanes size_of(lanes a)
{
    return (lanes)((mask)a & INT64_MAX);
}

SCREE_HD_INLINE lanes flip(lanes sign, lanes a)
{
    return (lanes)((mask)sign ^ (mask)a);
}

SCREE_HD_INLINE lanes power_of(lanes x)
{
    return (lanes)((mask)x & 0x7ff0000000000000LL);
}

SCREE_HD_INLINE lanes choose(mask m, lanes yes, lanes no)
{
    return (lanes)((m & (mask)yes) | (~m & (mask)no));
}

SCREE_HD_INLINE lanes smaller(lanes a, lanes b)
{
    return choose(greater(b, a), a, b);
}

SCREE_HD_INLINE lanes larger(lanes a, lanes b)
{
    return choose(greater(a, b), a, b);
}

SCREE_HD_INLINE unsigned bits_of(mask m)
{
#if defined(__wasm_simd128__)
    return (unsigned)wasm_i64x2_bitmask((v128_t)m);
#else
    return (unsigned)(m[0] & 1) | (unsigned)(m[1] & 2);
#endif
}

SCREE_HD_INLINE mask of_bits(unsigned b)
{
    return (mask){-(long long)(b & 1u), -(long long)(b >> 1 & 1u)};
}

SCREE_HD_INLINE void transpose(const lanes in[2], lanes out[2])
{
    out[0] = __builtin_shufflevector(in[0], in[1], 0, 2);
    out[1] = __builtin_shufflevector(in[0], in[1], 1, 3);
}

#elif LANES_WIDTH == 4

SCREE_HD_INLINE lanes nearest(lanes a)
{
    return _mm256_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

SCREE_HD_INLINE lanes size_of(lanes a)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

SCREE_HD_INLINE lanes flip(lanes sign, lanes a)
{
    return _mm256_xor_pd(sign, a);
}

SCREE_HD_INLINE lanes power_of(lanes x)
{
    return _mm256_and_pd(x, _mm256_castsi256_pd(_mm256_set1_epi64x(0x7ff0000000000000LL)));
}

SCREE_HD_INLINE lanes choose(mask m, lanes yes, lanes no)
{
    return _mm256_blendv_pd(no, yes, (lanes)m);
}

SCREE_HD_INLINE unsigned bits_of(mask m)
{
    return (unsigned)_mm256_movemask_pd((lanes)m);
}

/// From a table: a load costs the vector units nothing, making the mask of the bits four of their operations.
SCREE_HD_INLINE mask of_bits(unsigned b)
{
#define BIT(l, k) (-(long long)((l) >> (k)&1))
#define FOUR(l)                                                                                                        \
    {                                                                                                                  \
        BIT(l, 0), BIT(l, 1), BIT(l, 2), BIT(l, 3)                                                                     \
    }
    static const mask masks[16] = {FOUR(0), FOUR(1), FOUR(2),  FOUR(3),  FOUR(4),  FOUR(5),  FOUR(6),  FOUR(7),
                                   FOUR(8), FOUR(9), FOUR(10), FOUR(11), FOUR(12), FOUR(13), FOUR(14), FOUR(15)};
#undef FOUR
#undef BIT
    return masks[b & 15u];
}

/// Pairs first, then pairs of pairs.
SCREE_HD_INLINE void transpose(const lanes in[4], lanes out[4])
{
    lanes t[4];
    for (int i = 0; i < 4; i += 2) {
        t[i] = __builtin_shufflevector(in[i], in[i + 1], 0, 4, 2, 6);
        t[i + 1] = __builtin_shufflevector(in[i], in[i + 1], 1, 5, 3, 7);
    }
    for (int k = 0; k < 2; ++k) {
        out[k] = __builtin_shufflevector(t[k], t[2 + k], 0, 1, 4, 5);
        out[2 + k] = __builtin_shufflevector(t[k], t[2 + k], 2, 3, 6, 7);
    }
}

#elif LANES_WIDTH == 8

/* ---- eight lanes: masks are registers of their own ----------------------------------------------------------------------- */

#define SIMD(name) _mm512_##name
typedef __m512d lanes;
typedef __mmask8 mask;

SCREE_HD_INLINE lanes nearest(lanes a)
{
    return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

SCREE_HD_INLINE lanes size_of(lanes a)
{
    return _mm512_abs_pd(a);
}

SCREE_HD_INLINE lanes flip(lanes sign, lanes a)
{
    return _mm512_xor_pd(sign, a);
}

SCREE_HD_INLINE lanes power_of(lanes x)
{
    return _mm512_castsi512_pd(_mm512_and_epi64(_mm512_castpd_si512(x), _mm512_set1_epi64(0x7ff0000000000000LL)));
}

SCREE_HD_INLINE mask greater(lanes a, lanes b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}

SCREE_HD_INLINE mask both(mask a, mask b)
{
    return (mask)(a & b);
}

SCREE_HD_INLINE mask but_not(mask a, mask b)
{
    return (mask)(a & ~b);
}

SCREE_HD_INLINE mask either(mask a, mask b)
{
    return (mask)(a | b);
}

SCREE_HD_INLINE lanes choose(mask m, lanes yes, lanes no)
{
    return _mm512_mask_blend_pd(m, no, yes);
}

SCREE_HD_INLINE lanes only(mask m, lanes a)
{
    return _mm512_maskz_mov_pd(m, a);
}

SCREE_HD_INLINE lanes without(mask m, lanes a)
{
    return _mm512_maskz_mov_pd((mask)~m, a);
}

SCREE_HD_INLINE unsigned bits_of(mask m)
{
    return m;
}

SCREE_HD_INLINE mask of_bits(unsigned b)
{
    return (mask)b;
}

SCREE_HD_INLINE void transpose(const lanes in[8], lanes out[8])
{
    lanes t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = __builtin_shufflevector(in[i], in[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[i + 1] = __builtin_shufflevector(in[i], in[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; ++k) {
            u[i + k] = __builtin_shufflevector(t[i + k], t[i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
            u[i + 2 + k] = __builtin_shufflevector(t[i + k], t[i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; ++k) {
        out[k] = __builtin_shufflevector(u[k], u[4 + k], 0, 1, 2, 3, 8, 9, 10, 11);
        out[4 + k] = __builtin_shufflevector(u[k], u[4 + k], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

#else
#error "LANES_WIDTH is 1, 2, 4 or 8"
#endif

/* ---- four and eight lanes ------------------------------------------------------------------------------------------------ */

#if LANES_WIDTH >= 4

SCREE_HD_INLINE lanes all(double a)
{
    return SIMD(set1_pd)(a);
}

SCREE_HD_INLINE lanes get(const double *p)
{
    return SIMD(load_pd)(p);
}

SCREE_HD_INLINE void put(double *p, lanes a)
{
    SIMD(store_pd)(p, a);
}

SCREE_HD_INLINE lanes root(lanes a)
{
    return SIMD(sqrt_pd)(a);
}

SCREE_HD_INLINE lanes mad(lanes a, lanes b, lanes c)
{
    return SIMD(fmadd_pd)(a, b, c);
}

SCREE_HD_INLINE lanes nmad(lanes a, lanes b, lanes c)
{
    return SIMD(fnmadd_pd)(a, b, c);
}

SCREE_HD_INLINE lanes nmsub(lanes a, lanes b, lanes c)
{
    return SIMD(fnmsub_pd)(a, b, c);
}

SCREE_HD_INLINE lanes smaller(lanes a, lanes b)
{
    return SIMD(min_pd)(a, b);
}

SCREE_HD_INLINE lanes larger(lanes a, lanes b)
{
    return SIMD(max_pd)(a, b);
}

#undef SIMD
#endif

#endif

/* ---- vectors of three, with fused products ------------------------------------------------------------------------------- */

SCREE_HD_INLINE lanes dot3(const lanes a[3], const lanes b[3])
{
    return mad(a[2], b[2], mad(a[1], b[1], a[0] * b[0]));
}

SCREE_HD_INLINE void cross3(const lanes a[3], const lanes b[3], lanes c[3])
{
    c[0] = nmad(a[2], b[1], a[1] * b[2]), c[1] = nmad(a[0], b[2], a[2] * b[0]), c[2] = nmad(a[1], b[0], a[0] * b[1]);
}

/// c += a x b.
SCREE_HD_INLINE void add_cross3(const lanes a[3], const lanes b[3], lanes c[3])
{
    c[0] = mad(a[1], b[2], nmad(a[2], b[1], c[0])), c[1] = mad(a[2], b[0], nmad(a[0], b[2], c[1]));
    c[2] = mad(a[0], b[1], nmad(a[1], b[0], c[2]));
}

#endif
