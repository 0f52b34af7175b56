/* bed_lanes.h: vectors of BED_WIDTH doubles (math/lanes.h) in a bed: numbers of its spheres into lanes, loads of its contacts out of them. */
#ifndef SCREE_DEM_SPHERES_BED_LANES_H
#define SCREE_DEM_SPHERES_BED_LANES_H

#define LANES_WIDTH BED_WIDTH
#include "dem/spheres/bed_parts.h"
#include "math/lanes.h"

#define BED_INLINE  SCREE_HD_INLINE
#define BED_ALIGNED LANES_ALIGNED

/* ---- spheres into lanes --------------------------------------------------------------------------------------------------- */

/// Four lots of a lane, from base + stride index, one vector per entry.
#if BED_WIDTH == 8
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
#elif BED_WIDTH == 2
BED_INLINE void get_lots(const void *base, size_t stride, const int32_t *index, lanes out[4])
{
    const double *a = (const double *)((const char *)base + stride * (size_t)index[0]);
    const double *b = (const double *)((const char *)base + stride * (size_t)index[1]);
    transpose((lanes[2]){get(a), get(b)}, out), transpose((lanes[2]){get(a + 2), get(b + 2)}, out + 2);
}
#elif defined(__CUDACC__)
/// Two loads of 16 bytes, where lots are aligned. As a copy of bytes it would be 32 loads, and a step five times slower.
BED_INLINE void get_lots(const void *base, size_t stride, const int32_t *index, lanes out[4])
{
    const double2 *from = (const double2 *)((const char *)base + stride * (size_t)index[0]);
    const double2 a = from[0], b = from[1];
    out[0] = a.x, out[1] = a.y, out[2] = b.x, out[3] = b.y;
}
#else
BED_INLINE void get_lots(const void *base, size_t stride, const int32_t *index, lanes out[4])
{
    memcpy(out, (const char *)base + stride * (size_t)index[0], 4 * sizeof(double));
}
#endif

/* ---- loads to their places ------------------------------------------------------------------------------------------------ */

/// Loads in the world: force on i, torque on i, torque on j.
typedef struct load_lanes {
    lanes force[3], torque_i[3], torque_j[3];
    lanes N, delta; /* normal force, overlap */
} load_lanes;

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

/* A part's loads go straight to the spheres, load[i] += (force, torque_i), load[j] += (-force, torque_j), or into its rows; sums are exact,
 * so their order is free. `load` begins with sphere 0. */

#if BED_WIDTH == 8

/// One vector per contact: force, 0, torque, 0.
BED_INLINE void lots_of(const lanes force[3], const lanes torque[3], lanes lot[8])
{
    const lanes zero = all(0.0);
    for (int odd = 0; odd < 2; ++odd) {
#define PAIRS(x, y) (odd ? _mm512_unpackhi_pd(x, y) : _mm512_unpacklo_pd(x, y))
        const lanes a = PAIRS(force[0], force[1]), b = PAIRS(force[2], zero), c = PAIRS(torque[0], torque[1]),
                    d = PAIRS(torque[2], zero);
#undef PAIRS
        const lanes ab = _mm512_shuffle_f64x2(a, b, 0x44), cd = _mm512_shuffle_f64x2(c, d, 0x44),
                    ab_2 = _mm512_shuffle_f64x2(a, b, 0xee), cd_2 = _mm512_shuffle_f64x2(c, d, 0xee);
        lot[odd] = _mm512_shuffle_f64x2(ab, cd, 0x88), lot[odd + 2] = _mm512_shuffle_f64x2(ab, cd, 0xdd);
        lot[odd + 4] = _mm512_shuffle_f64x2(ab_2, cd_2, 0x88), lot[odd + 6] = _mm512_shuffle_f64x2(ab_2, cd_2, 0xdd);
    }
}

BED_INLINE void loads_add(const load_lanes *f, const int32_t *i, const int32_t *j, bed_load *load)
{
    const lanes sign = _mm512_setr_pd(-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0);
    lanes lot[8];
    lots_of(f->force, f->torque_i, lot);
    for (int l = 0; l < 8; ++l) {
        double *to = load[i[l]].force;
        put(to, get(to) + lot[l]);
    }
    lots_of(f->force, f->torque_j, lot);
    for (int l = 0; l < 8; ++l) {
        double *to = load[j[l]].force;
        put(to, mad(lot[l], sign, get(to))); /* the product is exact */
    }
}

BED_INLINE void rows_put(const load_lanes *f, bed_row *row)
{
    lanes lot[8];
    lots_of(f->force, f->torque_i, lot);
    for (int l = 0; l < 8; ++l) _mm512_storeu_pd(row[l].force, lot[l]);
    lots_of(f->force, f->torque_j, lot);
    for (int l = 0; l < 8; ++l) _mm256_store_pd(row[l].torque_j, _mm512_extractf64x4_pd(lot[l], 1));
}

#elif BED_WIDTH == 4

/// One vector per contact; its fourth entry is 0.
BED_INLINE void lots_of(const lanes v[3], lanes lot[4])
{
    const lanes zero = _mm256_setzero_pd(), a = _mm256_unpacklo_pd(v[0], v[1]), b = _mm256_unpackhi_pd(v[0], v[1]),
                c = _mm256_unpacklo_pd(v[2], zero), d = _mm256_unpackhi_pd(v[2], zero);
    lot[0] = _mm256_permute2f128_pd(a, c, 0x20), lot[1] = _mm256_permute2f128_pd(b, d, 0x20);
    lot[2] = _mm256_permute2f128_pd(a, c, 0x31), lot[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

BED_INLINE void loads_add(const load_lanes *f, const int32_t *i, const int32_t *j, bed_load *load)
{
    lanes force[4], torque_i[4], torque_j[4];
    lots_of(f->force, force), lots_of(f->torque_i, torque_i), lots_of(f->torque_j, torque_j);
    for (int l = 0; l < 4; ++l) {
        bed_load *to = &load[i[l]];
        put(to->force, get(to->force) + force[l]), put(to->torque, get(to->torque) + torque_i[l]);
    }
    for (int l = 0; l < 4; ++l) {
        bed_load *to = &load[j[l]];
        put(to->force, get(to->force) - force[l]), put(to->torque, get(to->torque) + torque_j[l]);
    }
}

BED_INLINE void rows_put(const load_lanes *f, bed_row *row)
{
    lanes force[4], torque_i[4], torque_j[4];
    lots_of(f->force, force), lots_of(f->torque_i, torque_i), lots_of(f->torque_j, torque_j);
    for (int l = 0; l < 4; ++l)
        put(row[l].force, force[l]), put(row[l].torque_i, torque_i[l]), put(row[l].torque_j, torque_j[l]);
}

#else

/// One entry of the loads of all lanes.
BED_INLINE void lanes_out(const lanes v[3], double out[3][BED_WIDTH])
{
    for (int k = 0; k < 3; ++k) put(out[k], v[k]);
}

BED_INLINE void loads_add(const load_lanes *f, const int32_t *i, const int32_t *j, bed_load *load)
{
    BED_ALIGNED double force[3][BED_WIDTH], torque_i[3][BED_WIDTH], torque_j[3][BED_WIDTH];
    lanes_out(f->force, force), lanes_out(f->torque_i, torque_i), lanes_out(f->torque_j, torque_j);
    for (int l = 0; l < BED_WIDTH; ++l)
        for (int k = 0; k < 3; ++k) {
            load[i[l]].force[k] += force[k][l], load[i[l]].torque[k] += torque_i[k][l];
            load[j[l]].force[k] -= force[k][l], load[j[l]].torque[k] += torque_j[k][l];
        }
}

BED_INLINE void rows_put(const load_lanes *f, bed_row *row)
{
    BED_ALIGNED double force[3][BED_WIDTH], torque_i[3][BED_WIDTH], torque_j[3][BED_WIDTH];
    lanes_out(f->force, force), lanes_out(f->torque_i, torque_i), lanes_out(f->torque_j, torque_j);
    for (int l = 0; l < BED_WIDTH; ++l) {
        row[l].force[3] = row[l].torque_i[3] = row[l].torque_j[3] = 0.0;
        for (int k = 0; k < 3; ++k) {
            row[l].force[k] = force[k][l], row[l].torque_i[k] = torque_i[k][l];
            row[l].torque_j[k] = torque_j[k][l];
        }
    }
}

#endif

#endif
