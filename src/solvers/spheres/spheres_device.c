/* spheres_device.c: a pile of spheres on a device (cuda/pile_device.h). After a call that has failed nothing more is done, and s->device.status
 * says so: the method looks at it when it would go on. */
#include "solvers/spheres/spheres.h"

static int works(const sphere_pile *s)
{
    return s->device.status == SCREE_OK;
}

void spheres_upload(sphere_pile *s)
{
    const pile_device_pile pile = {.law = s->law,
                                   .body_count = s->body_count,
                                   .batch_count = s->batch_count,
                                   .colour_count = s->colour_count,
                                   .colour_start = s->colour_start,
                                   .body = s->body,
                                   .batch = s->batch,
                                   .special = s->special,
                                   .loads = s->loads};
    if (works(s)) s->device.status = s->device.table->upload(s->device.at, &pile);
}

void spheres_renew(sphere_pile *s)
{
    if (works(s)) s->device.status = s->device.table->renew(s->device.at);
}

void spheres_sweeps(sphere_pile *s, int count, sweep_momentum *momentum)
{
    if (works(s)) s->device.status = s->device.table->sweeps(s->device.at, count, momentum);
}

void spheres_keep(sphere_pile *s)
{
    if (works(s)) s->device.status = s->device.table->keep(s->device.at);
}

void spheres_fetch(sphere_pile *s, int kept)
{
    if (works(s)) s->device.status = s->device.table->loads(s->device.at, kept, s->loads);
}

void spheres_device_sums(sphere_pile *s, double total[3])
{
    total[0] = total[1] = total[2] = 0.0;
    if (works(s)) s->device.status = s->device.table->sums(s->device.at, total);
}
