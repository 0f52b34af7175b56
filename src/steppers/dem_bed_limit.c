/* dem_bed_limit.c: is the step short enough for a bed and what stands beside it? The definition is that of dem_limit.c; the contacts of
 * the bed are its own (bed_limit.c), those with walls of any shape are the world's. */
#include "steppers/dem_bed.h"

#include "base/memory.h"

typedef struct bed_contacts_of {
    dem_bed *bed;
    scree_world *world;
    dem_rate *sum; /* (spheres) */
} bed_contacts_of;

static void bed_more(void *context, double h, dem_rate *sum, dem_worst *worst)
{
    const bed_contacts_of *of = context;
    const bed_cast *cast = &of->bed->cast;
    const int32_t *body = of->world->shape_body;
    int pair[2] = {-1, -1};
    for (int k = 0; k < cast->spheres; ++k) of->sum[k] = sum[body[cast->sphere_shape[k]]];
    double weight = bed_limit(cast->engine, h, of->sum, pair);
    for (int k = 0; k < cast->spheres; ++k) sum[body[cast->sphere_shape[k]]] = of->sum[k];
    if (!(weight > dem_rate_weight(worst->rate, h))) return;
    int b = body[pair[1] < 0 ? cast->plane_shape[-1 - pair[1]] : cast->sphere_shape[pair[1]]];
    *worst = (dem_worst){.rate = of->sum[pair[0]], .body = {body[cast->sphere_shape[pair[0]]], b}};
    if (pair[1] >= 0) worst->rate = dem_rate_sum(worst->rate, of->sum[pair[1]]);
}

/// Speeds and heights, for impacts to come.
static void bed_motion_now(void *context)
{
    const bed_contacts_of *of = context;
    dem_bed_motion_to_world(of->bed, of->world);
}

scree_status dem_bed_judge(scree_stepper *stepper, scree_world *w, int64_t step, double t, scree_error *error)
{
    const double h = stepper->options.step;
    dem_limit limit;
    int refused;
    if (stepper->options.force_step || !dem_limit_due(step)) return SCREE_OK;
    arena_reset(stepper->scratch);
    bed_contacts_of of = {.bed = stepper->bed, .world = w};
    dem_limit_view v = {.world = w, .contacts = &w->contacts, .more = bed_more, .context = &of};
    v.memory = arena_allocator(stepper->scratch), v.motion = bed_motion_now, v.meetings = &of.bed->meetings;
    of.sum = memory_raw_array(&v.memory, (size_t)of.bed->cast.spheres + 1, sizeof *of.sum);
    if (!of.sum) return SCREE_ERR_MEMORY;
    scree_status status = dem_limit_find(&v, h, 0, &limit, &refused);
    return status || !refused ? status : dem_limit_refuse(w, &limit, h, t, error);
}
