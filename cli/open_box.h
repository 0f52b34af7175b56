/* open_box.h: five fixed planes, a floor at z = 0 and four walls around the origin, for piles that are measured or verified. */
#ifndef SCREE_CLI_OPEN_BOX_H
#define SCREE_CLI_OPEN_BOX_H

#include <scree/world.h>
#include <string.h>

/// The walls stand at x, y = -half, half [m], facing inwards.
static inline void add_open_box(scree_world *world, scree_material_id material, double half, scree_error *error)
{
    static const double s = 0.7071067811865476; /* sqrt(1/2): quarter turns */
    static const double wall[5][6] = {
        {0, 0, 1, 0, 0, 0}, {-1, 0, s, 0, s, 0}, {1, 0, s, 0, -s, 0}, {0, -1, s, -s, 0, 0}, {0, 1, s, s, 0, 0}};
    for (int k = 0; k < 5; ++k) {
        scree_body_def def = scree_body_def_of(scree_shape_plane(material));
        def.kind = SCREE_BODY_FIXED;
        def.position[0] = half * wall[k][0], def.position[1] = half * wall[k][1];
        memcpy(def.rotation, wall[k] + 2, sizeof def.rotation);
        scree_world_add_body(world, &def, error);
    }
}

#endif
