/* dem_spheres_limit.c: is the step short enough for spheres and what stands beside them? The definition is that of dem_limit.c; contacts of
 * spheres are the engine's own (bed_limit.c), those with walls of any shape are the world's. */
#include "dem/dem_spheres.h"

#include "base/memory.h"

static scree_status more_contacts(void *context, double h, dem_rate *sum, dem_worst *worst)
{
    const dem_spheres *d = context;
    int pair[2] = {-1, -1};
    double weight = 0.0;
    scree_status status = d->engine->limit(d->bed, h, sum, pair, &weight);
    if (status != SCREE_OK || !(weight > dem_rate_weight(worst->rate, h))) return status;
    *worst = (dem_worst){.rate = sum[pair[0]], .body = {pair[0], pair[1]}};
    if (pair[1] >= 0) worst->rate = dem_rate_sum(worst->rate, sum[pair[1]]);
    else worst->body[1] = d->world->shape_body[d->plane_shape[-1 - pair[1]]];
    return SCREE_OK;
}

/// Contacts with walls that no step has found yet.
static scree_status wall_contacts(const dem_spheres *d, double h, contact_set *found)
{
    int kept = 0;
    scree_status status = world_contacts_look(d->world, h, found);
    for (int k = 0; k < found->count && status == SCREE_OK; ++k)
        if (dem_spheres_at_wall(d->world, &found->touch[k])) found->touch[kept++] = found->touch[k];
    found->count = kept;
    return status;
}

scree_status dem_spheres_judge(scree_stepper *stepper, dem_spheres *d, scree_error *error)
{
    const double h = stepper->options.step;
    static const contact_set none = {.count = 0};
    dem_limit limit;
    int refused;
    if (stepper->options.force_step || !dem_limit_due(d->world->step_count)) return SCREE_OK;
    contact_set found = none;
    scree_status status = SCREE_OK;
    if (d->fresh && d->walls.count > 0) status = wall_contacts(d, h, &found);
    if (status != SCREE_OK) return status;
    arena_reset(stepper->scratch);
    dem_limit_view v = {.world = d->world, .contacts = d->walls.count > 0 ? &d->world->contacts : &none};
    if (d->fresh) v.contacts = &found;
    v.more = more_contacts, v.context = d, v.meetings = &d->meetings;
    v.memory = arena_allocator(stepper->scratch);
    status = dem_limit_find(&v, h, 0, &limit, &refused);
    memory_free(&d->world->allocator, found.touch);
    return status || !refused ? status : dem_limit_refuse(d->world, &limit, h, d->world->time, error);
}
