/* device_looks.h: what is looked up in a bed on a device between steps, for reports and for the limit of the step: the deepest overlap, and the
 * rates of contacts (bed_limit.c, bed_rates.h), by the same operations as on the processor. Maxima are raised as whole numbers in the order of
 * the doubles (gpu_ordered), so no order of threads can be seen. */
#ifndef SCREE_DEM_CUDA_DEVICE_LOOKS_H
#define SCREE_DEM_CUDA_DEVICE_LOOKS_H

#include "dem/cuda/device_step.h"
#include "dem/spheres/bed_rates.h"

/// bed_geometry.
SCREE_HD double gpu_overlap(const gpu_view *g, const bed_record *record, const gpu_contacts *c, int64_t slot,
                            int planes)
{
    const bed_record *i = &record[c->i[slot]];
    double d[3];
    if (planes) {
        const bed_plane_now *p = &g->plane[c->j[slot]];
        vec_sub(i->x, p->point, d);
        return i->x[3] - vec_dot(p->n, d);
    }
    const bed_record *j = &record[c->j[slot]];
    for (int k = 0; k < 3; ++k) d[k] = gpu_nearest(&g->shape, k, i->x[k] - j->x[k]);
    return i->x[3] + j->x[3] - vec_norm(d);
}

KERNEL(gpu_deepest, gpu_view g, gpu_contacts c, int planes, uint64_t *deepest)
{
    const bed_record *record = g.record[g.now->parity];
    THREADS(t)
    {
        double most = 0.0;
        for (int64_t k = c.first[BLOCK] + t; k < c.first[BLOCK + 1]; k += GPU_THREADS)
            most = max2(most, gpu_overlap(&g, record, &c, k, planes));
        gpu_raise_all(deepest, gpu_ordered(most));
    }
}

/// Constants of a contact.
DEVICE_INLINE constants gpu_constants(const gpu_view *g, const bed_record *record, const gpu_contacts *c, int64_t slot,
                                      int planes, double own[BED_CONSTANTS][BED_LANES])
{
    const int pair = c->pair[slot] & ~BED_ODD;
    if (pair == c->pair[slot]) return (planes ? g->wall_constant : g->constant)[pair];
    const bed_record *i = &record[c->i[slot]], *j = &record[c->j[slot]];
    const double of_i[3] = {i->x[3], i->omega[3], i->v[3]};
    double of_j[3] = {0.0, 0.0, 0.0};
    if (!planes) of_j[0] = j->x[3], of_j[1] = j->omega[3], of_j[2] = j->v[3];
    equal_constants((bed_law)g->shape.law, &g->prepared[pair], of_i, of_j, own);
    return (constants)own;
}

/// Rates of the contacts of all spheres, into `sum` (stiffness and damping of each); bed_limit.c, add.
KERNEL(gpu_rates, gpu_view g, gpu_contacts c, int planes, double h, double (*sum)[2])
{
    const bed_record *record = g.record[g.now->parity];
    bed_rate_law law;
    law.law = (bed_law)g.shape.law, law.hertz = g.shape.hertz, law.h = g.shape.h;
    THREADS(t) for (int64_t k = c.first[BLOCK] + t; k < c.first[BLOCK + 1]; k += GPU_THREADS)
    {
        double own[BED_CONSTANTS][BED_LANES];
        if (!gpu_is_first(&c, k, (int)BLOCK)) continue;
        const double delta = gpu_overlap(&g, record, &c, k, planes);
        if (!(delta > 0.0)) continue;
        const bed_rates s = bed_rates_of(&law, gpu_constants(&g, record, &c, k, planes, own), delta);
        for (int side = 0; side < 2 - planes; ++side) {
            const int32_t at = side ? c.j[k] : c.i[k];
            const dem_rate rate = bed_rate_for(&s, &record[at], delta, h);
            gpu_add(&sum[at][0], rate.stiffness), gpu_add(&sum[at][1], rate.damping);
        }
    }
}

/// Rates that spheres (by their places when they were handed over, ascending) have from other contacts are added; `given`: then all of theirs.
KERNEL(gpu_rates_given, gpu_view g, const int32_t *handed, int count, const int32_t *place, double (*given)[2],
       double (*sum)[2])
{
    EACH(i, g.shape.count)
    {
        const int at = gpu_slots_search(place, count, handed[i]);
        if (at < 0) continue;
        for (int k = 0; k < 2; ++k) sum[i][k] += given[at][k], given[at][k] = sum[i][k];
    }
}

SCREE_HD double gpu_rate_weight(const gpu_contacts *c, int64_t slot, int planes, double h, double (*sum)[2])
{
    const double(*i)[2] = (const double(*)[2])sum + c->i[slot];
    double weight = dem_rate_weight(bed_rate_of((*i)[0], (*i)[1]), h);
    if (!planes) weight += dem_rate_weight(bed_rate_of(sum[c->j[slot]][0], sum[c->j[slot]][1]), h);
    return weight;
}

/// The largest weight of a contact (`found` NULL), then the least slot that has it.
KERNEL(gpu_rates_worst, gpu_view g, gpu_contacts c, int planes, double h, double (*sum)[2], uint64_t *most,
       uint64_t *found)
{
    const bed_record *record = g.record[g.now->parity];
    THREADS(t)
    {
        uint64_t own = 0;
        for (int64_t k = c.first[BLOCK] + t; k < c.first[BLOCK + 1]; k += GPU_THREADS) {
            if (!gpu_is_first(&c, k, (int)BLOCK) || !(gpu_overlap(&g, record, &c, k, planes) > 0.0)) continue;
            const uint64_t weight = gpu_ordered(gpu_rate_weight(&c, k, planes, h, sum));
            if (!found) own = weight > own ? weight : own;
            else if (weight == *most) gpu_raise(found, ~(uint64_t)k);
        }
        if (!found) gpu_raise_all(most, own);
    }
}

#endif
