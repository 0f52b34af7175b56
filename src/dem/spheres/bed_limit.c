/* bed_limit.c: how stiff the contacts of a bed are together, for dem_limit.c, from the constants that the kernels use. */
#include "dem/spheres/bed_rates.h"

/// Of sphere and sphere, or sphere and plane.
typedef struct touching {
    const bed_record *i, *j; /* j NULL: a plane */
    double delta;
    const double (*c)[BED_LANES];
    double own[BED_CONSTANTS][BED_LANES];
} touching;

static void look_at(const bed *b, const bed_block *block, int l, int planes, double delta, touching *t)
{
    const bed_record *i = &b->record[block->i[l]], *j = planes ? NULL : &b->record[block->j[l]];
    const int pair = block->pair[l] & ~BED_ODD;
    t->i = i, t->j = j, t->delta = delta;
    if (pair == block->pair[l]) {
        t->c = (const double(*)[BED_LANES])(planes ? b->wall_constant : b->constant)[pair];
        return;
    }
    const double of_i[3] = {i->x[3], i->omega[3], i->v[3]};
    double of_j[3] = {0.0, 0.0, 0.0};
    if (j) of_j[0] = j->x[3], of_j[1] = j->omega[3], of_j[2] = j->v[3];
    b->kernel->constants(b->law, &b->prepared[pair], of_i, of_j, t->own);
    t->c = (const double(*)[BED_LANES])t->own;
}

static void add(const bed *b, const bed_block *block, int l, int planes, double h, dem_rate *sum)
{
    touching t;
    double n[3];
    const double delta = bed_geometry(b, block, l, planes, n);
    if (!(delta > 0.0)) return;
    look_at(b, block, l, planes, delta, &t);
    const bed_rate_law law = {b->law, b->hertz, b->h};
    const bed_rates s = bed_rates_of(&law, t.c, t.delta);
    dem_rate *to = &sum[b->id[block->i[l]]];
    *to = dem_rate_sum(*to, bed_rate_for(&s, t.i, t.delta, h));
    if (!t.j) return;
    to = &sum[b->id[block->j[l]]];
    *to = dem_rate_sum(*to, bed_rate_for(&s, t.j, t.delta, h));
}

/// The worst contact, by the sums.
static double worst(const bed *b, double h, const dem_rate *sum, int pair[2])
{
    double most = 0.0;
    for (int c = 0; c < b->chunks; ++c)
        for (int g = 0; g < BED_GROUPS; ++g)
            for (int n = 0; n < b->chunk[c].group[g].count; ++n) {
                const bed_block *block = bed_group_blocks(b, c, g) + n / BED_LANES;
                const int l = n % BED_LANES;
                double normal[3];
                if (!(bed_geometry(b, block, l, g == BED_WALL, normal) > 0.0)) continue;
                int i = b->id[block->i[l]], j = g == BED_WALL ? -1 - block->j[l] : b->id[block->j[l]];
                double weight = dem_rate_weight(sum[i], h) + (j < 0 ? 0.0 : dem_rate_weight(sum[j], h));
                if (weight > most) most = weight, pair[0] = i, pair[1] = j;
            }
    return most;
}

double bed_limit(const bed *b, double h, dem_rate *sum, int pair[2])
{
    for (int c = 0; c < b->chunks; ++c)
        for (int g = 0; g < BED_GROUPS; ++g)
            for (int n = 0; n < b->chunk[c].group[g].count; ++n)
                add(b, bed_group_blocks(b, c, g) + n / BED_LANES, n % BED_LANES, g == BED_WALL, h, sum);
    return worst(b, h, sum, pair);
}
