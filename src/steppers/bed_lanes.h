/* bed_lanes.h: a vector of BED_WIDTH doubles (1, 4 or 8) as the kernel of a bed sees it.
 *
 * + - * / are the language's own on vectors of gcc and clang. What is here has one meaning in every width, to the bit: a fused product
 * and sum is one rounding everywhere (C's fma where the width is 1), sqrt and the nearest integer are exact. */
#ifndef SCREE_STEPPERS_BED_LANES_H
#define SCREE_STEPPERS_BED_LANES_H

#include "base/hd.h"
#include "steppers/bed_parts.h"

#include <math.h>
#include <string.h>

#define BED_INLINE SCREE_HD_INLINE
#define BED_ALIGNED                                                                                                    \
    _Alignas(64) /* what get and put touch is aligned to the vector: loads that cross cache lines cost twice */

#if BED_WIDTH > 1

#include <immintrin.h>
#if BED_WIDTH == 8
#define SIMD(name) _mm512_##name
typedef __m512d lanes;
#else
#define SIMD(name) _mm256_##name
typedef __m256d lanes;
#endif

BED_INLINE lanes all(double a)
{
    return SIMD(set1_pd)(a);
}

BED_INLINE lanes get(const double *p)
{
    return SIMD(load_pd)(p);
}

BED_INLINE void put(double *p, lanes a)
{
    SIMD(store_pd)(p, a);
}

BED_INLINE lanes root(lanes a)
{
    return SIMD(sqrt_pd)(a);
}

BED_INLINE lanes mad(lanes a, lanes b, lanes c)
{
    return SIMD(fmadd_pd)(a, b, c);
}

BED_INLINE lanes nmad(lanes a, lanes b, lanes c)
{
    return SIMD(fnmadd_pd)(a, b, c);
}

BED_INLINE lanes nmsub(lanes a, lanes b, lanes c)
{
    return SIMD(fnmsub_pd)(a, b, c);
}

/// Four vectors of four, columns for rows.
BED_INLINE void transpose(__m256d r[4])
{
    __m256d a = _mm256_unpacklo_pd(r[0], r[1]), b = _mm256_unpackhi_pd(r[0], r[1]);
    __m256d c = _mm256_unpacklo_pd(r[2], r[3]), d = _mm256_unpackhi_pd(r[2], r[3]);
    r[0] = _mm256_permute2f128_pd(a, c, 0x20), r[1] = _mm256_permute2f128_pd(b, d, 0x20);
    r[2] = _mm256_permute2f128_pd(a, c, 0x31), r[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

#endif

#if BED_WIDTH == 8

typedef __mmask8 mask;

BED_INLINE lanes nearest(lanes a)
{
    return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

BED_INLINE lanes size_of(lanes a)
{
    return _mm512_abs_pd(a);
}

BED_INLINE mask greater(lanes a, lanes b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}

BED_INLINE mask both(mask a, mask b)
{
    return (mask)(a & b);
}

BED_INLINE mask but_not(mask a, mask b)
{
    return (mask)(a & ~b);
}

BED_INLINE lanes choose(mask m, lanes yes, lanes no)
{
    return _mm512_mask_blend_pd(m, no, yes);
}

BED_INLINE lanes only(mask m, lanes a)
{
    return _mm512_maskz_mov_pd(m, a);
}

BED_INLINE unsigned bits_of(mask m)
{
    return m;
}

BED_INLINE mask of_bits(unsigned b)
{
    return (mask)b;
}

/// Four lots of a lane, from base + stride index, one vector per entry.
BED_INLINE void get_lots(const void *base, size_t stride, const int32_t *index, lanes out[4])
{
    lanes r[4], t[4];
    const char *p = (const char *)base;
    for (int l = 0; l < 4; ++l)
        r[l] =
            _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd((const double *)(p + stride * (size_t)index[l]))),
                               _mm256_load_pd((const double *)(p + stride * (size_t)index[l + 4])), 1);
    for (int l = 0; l < 4; l += 2)
        t[l] = _mm512_unpacklo_pd(r[l], r[l + 1]), t[l + 1] = _mm512_unpackhi_pd(r[l], r[l + 1]);
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                  high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    out[0] = _mm512_permutex2var_pd(t[0], low, t[2]), out[1] = _mm512_permutex2var_pd(t[1], low, t[3]);
    out[2] = _mm512_permutex2var_pd(t[0], high, t[2]), out[3] = _mm512_permutex2var_pd(t[1], high, t[3]);
}

#elif BED_WIDTH == 4

typedef long long mask __attribute__((vector_size(32))); /* a type whose comparisons gcc sees through */

BED_INLINE lanes nearest(lanes a)
{
    return _mm256_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

BED_INLINE lanes size_of(lanes a)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

BED_INLINE mask greater(lanes a, lanes b)
{
    return (mask)(a > b);
}

BED_INLINE mask both(mask a, mask b)
{
    return a & b;
}

BED_INLINE mask but_not(mask a, mask b)
{
    return a & ~b;
}

BED_INLINE lanes choose(mask m, lanes yes, lanes no)
{
    return _mm256_blendv_pd(no, yes, (lanes)m);
}

BED_INLINE lanes only(mask m, lanes a)
{
    return (lanes)(m & (mask)a);
}

BED_INLINE unsigned bits_of(mask m)
{
    return (unsigned)_mm256_movemask_pd((lanes)m);
}

BED_INLINE mask of_bits(unsigned b)
{
    const mask bit = {1, 2, 4, 8};
    return (mask)(((long long)b & bit) == bit);
}

BED_INLINE void get_lots(const void *base, size_t stride, const int32_t *index, lanes out[4])
{
    const char *p = (const char *)base;
    for (int l = 0; l < 4; ++l) out[l] = _mm256_load_pd((const double *)(p + stride * (size_t)index[l]));
    transpose(out);
}

#else

typedef double lanes;
typedef int mask;

BED_INLINE lanes all(double a)
{
    return a;
}

BED_INLINE lanes get(const double *p)
{
    return *p;
}

BED_INLINE void put(double *p, lanes a)
{
    *p = a;
}

BED_INLINE lanes root(lanes a)
{
    return sqrt(a);
}

BED_INLINE lanes mad(lanes a, lanes b, lanes c)
{
    return fma(a, b, c);
}

BED_INLINE lanes nmad(lanes a, lanes b, lanes c)
{
    return fma(-a, b, c);
}

BED_INLINE lanes nmsub(lanes a, lanes b, lanes c)
{
    return fma(-a, b, -c);
}

BED_INLINE lanes nearest(lanes a)
{
    return nearbyint(a);
}

BED_INLINE lanes size_of(lanes a)
{
    return fabs(a);
}

BED_INLINE mask greater(lanes a, lanes b)
{
    return a > b;
}

BED_INLINE mask both(mask a, mask b)
{
    return a & b;
}

BED_INLINE mask but_not(mask a, mask b)
{
    return a & !b;
}

BED_INLINE lanes choose(mask m, lanes yes, lanes no)
{
    return m ? yes : no;
}

BED_INLINE lanes only(mask m, lanes a)
{
    return m ? a : 0.0;
}

BED_INLINE unsigned bits_of(mask m)
{
    return (unsigned)m;
}

BED_INLINE mask of_bits(unsigned b)
{
    return (int)(b & 1u);
}

BED_INLINE void get_lots(const void *base, size_t stride, const int32_t *index, lanes out[4])
{
    memcpy(out, (const char *)base + stride * (size_t)index[0], 4 * sizeof(double));
}

#endif

BED_INLINE lanes larger(lanes a, lanes b)
{
    return choose(greater(a, b), a, b);
}

/* ---- vectors of three --------------------------------------------------------------------------------------------------- */

BED_INLINE lanes dot3(const lanes a[3], const lanes b[3])
{
    return mad(a[2], b[2], mad(a[1], b[1], a[0] * b[0]));
}

BED_INLINE void cross3(const lanes a[3], const lanes b[3], lanes c[3])
{
    c[0] = nmad(a[2], b[1], a[1] * b[2]), c[1] = nmad(a[0], b[2], a[2] * b[0]), c[2] = nmad(a[1], b[0], a[0] * b[1]);
}

/// c += a x b.
BED_INLINE void add_cross3(const lanes a[3], const lanes b[3], lanes c[3])
{
    c[0] = mad(a[1], b[2], nmad(a[2], b[1], c[0])), c[1] = mad(a[2], b[0], nmad(a[0], b[2], c[1]));
    c[2] = mad(a[0], b[1], nmad(a[1], b[0], c[2]));
}

/* ---- loads of a block to their places ------------------------------------------------------------------------------------ */

#if BED_WIDTH > 1

/// Rows of `sum` (force, torque_i, torque_j) of the lanes from `half` on, one vector per lane; its fourth entry is 0.
BED_INLINE void lots_of_four(const double sum[9][BED_LANES], int half, __m256d f[4], __m256d t[4], __m256d s[4])
{
    for (int k = 0; k < 3; ++k) {
        f[k] = _mm256_load_pd(sum[k] + half), t[k] = _mm256_load_pd(sum[3 + k] + half);
        s[k] = _mm256_load_pd(sum[6 + k] + half);
    }
    f[3] = t[3] = s[3] = _mm256_setzero_pd();
    transpose(f), transpose(t), transpose(s);
}

#endif

/// of_i[i - first] += (force, torque_i), of_j[j - first_j] += (-force, torque_j): lanes 0 to 3, then 4 to 7, each time first those of i.
BED_INLINE void add_loads(const double sum[9][BED_LANES], const bed_block *b, bed_load *of_i, int first, bed_load *of_j,
                          int first_j)
{
#if BED_WIDTH > 1
    for (int half = 0; half < BED_LANES; half += 4) {
        __m256d f[4], t[4], s[4];
        lots_of_four(sum, half, f, t, s);
        for (int l = 0; l < 4; ++l) {
            bed_load *to = &of_i[b->i[half + l] - first];
            _mm256_store_pd(to->force, _mm256_add_pd(_mm256_load_pd(to->force), f[l]));
            _mm256_store_pd(to->torque, _mm256_add_pd(_mm256_load_pd(to->torque), t[l]));
        }
        for (int l = 0; l < 4; ++l) {
            bed_load *to = &of_j[b->j[half + l] - first_j];
            _mm256_store_pd(to->force, _mm256_sub_pd(_mm256_load_pd(to->force), f[l]));
            _mm256_store_pd(to->torque, _mm256_add_pd(_mm256_load_pd(to->torque), s[l]));
        }
    }
#else
    for (int half = 0; half < BED_LANES; half += 4) {
        for (int l = half; l < half + 4; ++l) {
            bed_load *to = &of_i[b->i[l] - first];
            for (int k = 0; k < 3; ++k) to->force[k] += sum[k][l], to->torque[k] += sum[3 + k][l];
        }
        for (int l = half; l < half + 4; ++l) {
            bed_load *to = &of_j[b->j[l] - first_j];
            for (int k = 0; k < 3; ++k) to->force[k] -= sum[k][l], to->torque[k] += sum[6 + k][l];
        }
    }
#endif
}

/// The same into rows, one per lane.
BED_INLINE void put_rows(const double sum[9][BED_LANES], bed_row *row)
{
#if BED_WIDTH > 1
    for (int half = 0; half < BED_LANES; half += 4) {
        __m256d f[4], t[4], s[4];
        lots_of_four(sum, half, f, t, s);
        for (int l = 0; l < 4; ++l) {
            bed_row *to = &row[half + l];
            _mm256_store_pd(to->force, f[l]), _mm256_store_pd(to->torque_i, t[l]), _mm256_store_pd(to->torque_j, s[l]);
        }
    }
#else
    for (int l = 0; l < BED_LANES; ++l) {
        row[l].force[3] = row[l].torque_i[3] = row[l].torque_j[3] = 0.0;
        for (int k = 0; k < 3; ++k)
            row[l].force[k] = sum[k][l], row[l].torque_i[k] = sum[3 + k][l], row[l].torque_j[k] = sum[6 + k][l];
    }
#endif
}

#endif
