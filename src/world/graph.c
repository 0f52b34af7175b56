/* graph.c: islands, the sets of dynamic bodies that contacts and joints connect.
 *
 * Union-find in the array of the answer: island[b] is first the parent of b, and a root is the lowest body of its set, so one pass
 * in the order of the bodies numbers the roots and every body finds its root already numbered. */
#include "world/world_private.h"

static int root_of(int *parent, int b)
{
    while (parent[b] != b) {
        parent[b] = parent[parent[b]];
        b = parent[b];
    }
    return b;
}

/// One set of two; bodies that are not dynamic join nothing.
static void unite(int *island, int body_a, int body_b)
{
    if (body_a < 0 || body_b < 0 || island[body_a] < 0 || island[body_b] < 0) return;
    int a = root_of(island, body_a), b = root_of(island, body_b);
    if (a < b) island[b] = a;
    else island[a] = b;
}

int scree_world_islands(const scree_world *world, int *island)
{
    (void)world_sync(world, PART_CONTACTS);
    for (int b = 0; b < world->body_count; ++b) island[b] = world->kind[b] == SCREE_BODY_DYNAMIC ? b : -1;
    for (int i = 0; i < world->contacts.count; ++i)
        unite(island, world->contacts.touch[i].body_a, world->contacts.touch[i].body_b);
    for (int j = 0; j < world->joint_count; ++j)
        unite(island, joint_body(&world->joint[j].def, 0), joint_body(&world->joint[j].def, 1));
    for (int b = 0; b < world->body_count; ++b)
        if (island[b] >= 0) island[b] = root_of(island, b);
    int count = 0;
    for (int b = 0; b < world->body_count; ++b) {
        if (island[b] < 0) continue;
        island[b] = island[b] == b ? count++ : island[island[b]];
    }
    return count;
}
