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

/* Four contacts at a time, in every width: of_i[i - first] += (force, torque_i), of_j[j - first_j] += (-force, torque_j), first those of
 * i; or into their rows. */

#if BED_WIDTH >= 4

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
