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

/// b where one of them is not a number, as in larger.
BED_INLINE lanes smaller(lanes a, lanes b)
{
    return SIMD(min_pd)(a, b);
}

BED_INLINE lanes larger(lanes a, lanes b)
{
    return SIMD(max_pd)(a, b);
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

BED_INLINE mask either(mask a, mask b)
{
    return (mask)(a | b);
}

BED_INLINE lanes choose(mask m, lanes yes, lanes no)
{
    return _mm512_mask_blend_pd(m, no, yes);
}

BED_INLINE lanes only(mask m, lanes a)
{
    return _mm512_maskz_mov_pd(m, a);
}

BED_INLINE lanes without(mask m, lanes a)
{
    return _mm512_maskz_mov_pd((mask)~m, a);
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

BED_INLINE mask either(mask a, mask b)
{
    return a | b;
}

BED_INLINE lanes choose(mask m, lanes yes, lanes no)
{
    return _mm256_blendv_pd(no, yes, (lanes)m);
}

BED_INLINE lanes only(mask m, lanes a)
{
    return (lanes)(m & (mask)a);
}

BED_INLINE lanes without(mask m, lanes a)
{
    return (lanes)(~m & (mask)a);
}

BED_INLINE unsigned bits_of(mask m)
{
    return (unsigned)_mm256_movemask_pd((lanes)m);
}

/// From a table: a load costs the vector units nothing, making the mask of the bits four of their operations.
BED_INLINE mask of_bits(unsigned b)
{
#define BIT(l, k) (-(long long)((l) >> (k)&1))
#define LANES(l)                                                                                                       \
    {                                                                                                                  \
        BIT(l, 0), BIT(l, 1), BIT(l, 2), BIT(l, 3)                                                                     \
    }
    static const mask masks[16] = {LANES(0),  LANES(1),  LANES(2),  LANES(3), LANES(4),  LANES(5),
                                   LANES(6),  LANES(7),  LANES(8),  LANES(9), LANES(10), LANES(11),
                                   LANES(12), LANES(13), LANES(14), LANES(15)};
    return masks[b & 15u];
}

BED_INLINE void get_lots(const void *base, size_t stride, const int32_t *index, lanes out[4])
{
    const char *p = (const char *)base;
    const double *r[4];
    lanes low[2], high[2]; /* halves are put together by loads: changing places is what vector units have least of */
    for (int l = 0; l < 4; ++l) r[l] = (const double *)(p + stride * (size_t)index[l]);
    for (int l = 0; l < 2; ++l) {
        low[l] = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(r[l])), _mm_load_pd(r[l + 2]), 1);
        high[l] = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(r[l] + 2)), _mm_load_pd(r[l + 2] + 2), 1);
    }
    out[0] = _mm256_unpacklo_pd(low[0], low[1]), out[1] = _mm256_unpackhi_pd(low[0], low[1]);
    out[2] = _mm256_unpacklo_pd(high[0], high[1]), out[3] = _mm256_unpackhi_pd(high[0], high[1]);
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

BED_INLINE lanes smaller(lanes a, lanes b)
{
    return a < b ? a : b;
}

BED_INLINE lanes larger(lanes a, lanes b)
{
    return a > b ? a : b;
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

BED_INLINE mask either(mask a, mask b)
{
    return a | b;
}

BED_INLINE lanes choose(mask m, lanes yes, lanes no)
{
    return m ? yes : no;
}

BED_INLINE lanes only(mask m, lanes a)
{
    return m ? a : 0.0;
}

BED_INLINE lanes without(mask m, lanes a)
{
    return m ? 0.0 : a;
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

/* ---- loads to their places ------------------------------------------------------------------------------------------------ */

/// Loads in the world: force on i, torque on i, torque on j.
typedef struct load_lanes {
    lanes force[3], torque_i[3], torque_j[3];
    lanes N, delta; /* normal force, overlap */
} load_lanes;

/// The power of two at or below a number above 0: its exponent's bits.
BED_INLINE lanes power_of(lanes x)
{
#if BED_WIDTH == 8
    return _mm512_castsi512_pd(_mm512_and_epi64(_mm512_castpd_si512(x), _mm512_set1_epi64(0x7ff0000000000000LL)));
#elif BED_WIDTH == 4
    return _mm256_and_pd(x, _mm256_castsi256_pd(_mm256_set1_epi64x(0x7ff0000000000000LL)));
#else
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits), bits &= UINT64_C(0x7ff0000000000000);
    memcpy(&x, &bits, sizeof x);
    return x;
#endif
}

/// A number rounded to a grid, whose magic number is 1.5 x 2^52 times its spacing (bed_grid).
BED_INLINE lanes on_grid(lanes x, lanes magic)
{
    return (x + magic) - magic;
}

BED_INLINE void load_put(bed_kept *to, int part, const load_lanes *f)
{
    for (int k = 0; k < 3; ++k) {
        put(&to->force[k][part], f->force[k]), put(&to->torque_i[k][part], f->torque_i[k]);
        put(&to->torque_j[k][part], f->torque_j[k]);
    }
}

/* Four contacts at a time, in every width: of_i[i - first] += (force, torque_i), of_j[j - first_j] += (-force, torque_j), first those of
 * i; or into their rows. */

#if BED_WIDTH > 1

/// One vector per contact; its fourth entry is 0.
typedef struct load_lots {
    __m256d force[4], torque_i[4], torque_j[4];
} load_lots;

BED_INLINE void lots_of_rows(__m256d x, __m256d y, __m256d z, __m256d lot[4])
{
    const __m256d zero = _mm256_setzero_pd();
    __m256d a = _mm256_unpacklo_pd(x, y), b = _mm256_unpackhi_pd(x, y);
    __m256d c = _mm256_unpacklo_pd(z, zero), d = _mm256_unpackhi_pd(z, zero);
    lot[0] = _mm256_permute2f128_pd(a, c, 0x20), lot[1] = _mm256_permute2f128_pd(b, d, 0x20);
    lot[2] = _mm256_permute2f128_pd(a, c, 0x31), lot[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

BED_INLINE void lots_of_block(const bed_kept *f, int half, load_lots *lots)
{
#define ROWS(name)                                                                                                     \
    _mm256_load_pd(f->name[0] + half), _mm256_load_pd(f->name[1] + half), _mm256_load_pd(f->name[2] + half), lots->name
    lots_of_rows(ROWS(force)), lots_of_rows(ROWS(torque_i)), lots_of_rows(ROWS(torque_j));
#undef ROWS
}

BED_INLINE void add_lots(const load_lots *f, const int32_t *i, const int32_t *j, bed_load *of_i, int first,
                         bed_load *of_j, int first_j)
{
    for (int l = 0; l < 4; ++l) {
        bed_load *to = &of_i[i[l] - first];
        _mm256_store_pd(to->force, _mm256_add_pd(_mm256_load_pd(to->force), f->force[l]));
        _mm256_store_pd(to->torque, _mm256_add_pd(_mm256_load_pd(to->torque), f->torque_i[l]));
    }
    for (int l = 0; l < 4; ++l) {
        bed_load *to = &of_j[j[l] - first_j];
        _mm256_store_pd(to->force, _mm256_sub_pd(_mm256_load_pd(to->force), f->force[l]));
        _mm256_store_pd(to->torque, _mm256_add_pd(_mm256_load_pd(to->torque), f->torque_j[l]));
    }
}

BED_INLINE void put_lots(const load_lots *f, bed_row *row)
{
    for (int l = 0; l < 4; ++l) {
        _mm256_store_pd(row[l].force, f->force[l]), _mm256_store_pd(row[l].torque_i, f->torque_i[l]);
        _mm256_store_pd(row[l].torque_j, f->torque_j[l]);
    }
}

#else

typedef struct load_lots {
    double force[4][3], torque_i[4][3], torque_j[4][3];
} load_lots;

BED_INLINE void lots_of_block(const bed_kept *f, int half, load_lots *lots)
{
    for (int l = 0; l < 4; ++l)
        for (int k = 0; k < 3; ++k) {
            lots->force[l][k] = f->force[k][half + l], lots->torque_i[l][k] = f->torque_i[k][half + l];
            lots->torque_j[l][k] = f->torque_j[k][half + l];
        }
}

BED_INLINE void add_lots(const load_lots *f, const int32_t *i, const int32_t *j, bed_load *of_i, int first,
                         bed_load *of_j, int first_j)
{
    for (int l = 0; l < 4; ++l) {
        bed_load *to = &of_i[i[l] - first];
        for (int k = 0; k < 3; ++k) to->force[k] += f->force[l][k], to->torque[k] += f->torque_i[l][k];
    }
    for (int l = 0; l < 4; ++l) {
        bed_load *to = &of_j[j[l] - first_j];
        for (int k = 0; k < 3; ++k) to->force[k] -= f->force[l][k], to->torque[k] += f->torque_j[l][k];
    }
}

BED_INLINE void put_lots(const load_lots *f, bed_row *row)
{
    for (int l = 0; l < 4; ++l) {
        row[l].force[3] = row[l].torque_i[3] = row[l].torque_j[3] = 0.0;
        for (int k = 0; k < 3; ++k) {
            row[l].force[k] = f->force[l][k], row[l].torque_i[k] = f->torque_i[l][k];
            row[l].torque_j[k] = f->torque_j[l][k];
        }
    }
}

#endif

BED_INLINE void add_loads(const bed_kept *f, const bed_block *b, bed_load *of_i, int first, bed_load *of_j, int first_j)
{
    for (int half = 0; half < BED_LANES; half += 4) {
        load_lots lots;
        lots_of_block(f, half, &lots);
        add_lots(&lots, b->i + half, b->j + half, of_i, first, of_j, first_j);
    }
}

BED_INLINE void put_rows(const bed_kept *f, bed_row *row)
{
    for (int half = 0; half < BED_LANES; half += 4) {
        load_lots lots;
        lots_of_block(f, half, &lots);
        put_lots(&lots, row + half);
    }
}

#endif
