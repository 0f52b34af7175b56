/* holder.c: an engine may have newer positions, velocities and contacts than the world's arrays; here they come back.
 *
 * Reading is an act: an engine leaves its state where it computes with it (vectors, other orders, one day another device), and what is
 * asked for is brought into the arrays when it is asked for. Readers take a const world: what they see is the same whoever has it. Two
 * threads may read one world at a time only after a first read of the same parts. */
#include "world/world_private.h"

scree_status world_sync(const scree_world *world, unsigned parts)
{
    const world_holder *h = &world->holder;
    unsigned wanted = parts & h->newer;
    return wanted && h->engine ? h->read(h->engine, world->self, wanted) : SCREE_OK;
}

scree_status world_reclaim(scree_world *world)
{
    world_holder *h = &world->holder;
    if (!h->engine) return SCREE_OK;
    scree_status status = world_sync(world, PART_ALL);
    if (status != SCREE_OK) return status;
    h->destroy(h->engine);
    world->by_hand = 0;
    *h = (world_holder){.engine = NULL};
    return SCREE_OK;
}

static scree_world_view view_of(const scree_world *w, unsigned parts)
{
    scree_world_view view = {.body_count = w->body_count};
    if (parts & PART_MOTION) {
        view.positions = (const double *)w->x, view.rotations = (const double *)w->q;
        view.velocities = (const double *)w->v, view.angular_velocities = (const double *)w->omega;
    }
    if (parts & PART_CONTACTS) view.contact_count = w->contacts.count, view.contacts = w->contacts.touch;
    return view;
}

scree_status scree_world_read(scree_world *world, unsigned parts, scree_world_view *view, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    unsigned wanted = (parts & SCREE_READ_MOTION ? (unsigned)PART_MOTION : 0u) |
                      (parts & SCREE_READ_CONTACTS ? (unsigned)PART_CONTACTS : 0u);
    scree_status status = world_sync(world, wanted);
    if (status != SCREE_OK) scree_error_set(error, NULL, 0, 0, "no memory to read the contacts of the world");
    if (status == SCREE_OK && view) *view = view_of(world, wanted);
    return error_keep(error, status);
}
