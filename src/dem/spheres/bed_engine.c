/* bed_engine.c: the bed as an engine for spheres (sphere_engine.h). */
#include "dem/spheres/bed.h"

static scree_status create(const bed_def *def, const scree_allocator *allocator, bed **out, scree_error *error)
{
    return bed_create(def, NULL, allocator, NULL, out, error);
}

static void adopt(bed *b, bed_past *past)
{
    bed_recall(b, past->contacts, past->contact);
    bed_set_totals(b, &past->totals), bed_set_scale(b, past->scale);
    bed_forcing_start(b, past->forcing);
}

static scree_status limit(bed *b, double h, dem_rate *sum, int pair[2], double *weight)
{
    const scree_status status = bed_prepare(b);
    if (status == SCREE_OK) *weight = bed_limit(b, h, sum, pair);
    return status;
}

static scree_status read_motion(const bed *b, bed_motion *to)
{
    bed_read(b, to);
    return SCREE_OK;
}

static bed_sums sums(const bed *b)
{
    return (bed_sums){bed_get_totals(b), bed_get_scale(b), bed_speed(b), bed_deepest(b), bed_list_seconds(b)};
}

static scree_status new_overlaps(bed *b, int id, int plane, double *held)
{
    const scree_status status = bed_prepare(b);
    if (status == SCREE_OK) *held = bed_new_overlaps(b, id, plane);
    return status;
}

static const sphere_engine_walls walls = {bed_skin, bed_travel, bed_rebuilds, bed_look_at, bed_push};

const sphere_engine bed_engine = {.name = "processor",
                                  .create = create,
                                  .destroy = bed_destroy,
                                  .adopt = adopt,
                                  .threads = bed_set_pool,
                                  .limit = limit,
                                  .advance = bed_advance_forced,
                                  .read = read_motion,
                                  .contacts = bed_contacts,
                                  .sums = sums,
                                  .energies = bed_energies,
                                  .survey = bed_look_over,
                                  .new_overlaps = new_overlaps,
                                  .add = bed_add,
                                  .remove = bed_remove,
                                  .walls = &walls};
