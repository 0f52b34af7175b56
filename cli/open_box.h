/* open_box.h: five fixed planes, a floor at z = 0 and four walls around the origin, for piles that are measured or verified. */
#ifndef SCREE_CLI_OPEN_BOX_H
#define SCREE_CLI_OPEN_BOX_H

#include <scree/world.h>
#include <string.h>

/// The walls stand at x, y = -half, half [m], facing inwards.
static inline scree_status add_open_box(scree_world *world, int material, double half, scree_error *error)
{
    static const double s = 0.7071067811865476; /* sqrt(1/2): quarter turns */
    static const double wall[5][6] = {
        {0, 0, 1, 0, 0, 0}, {-1, 0, s, 0, s, 0}, {1, 0, s, 0, -s, 0}, {0, -1, s, -s, 0, 0}, {0, 1, s, s, 0, 0}};
    scree_status status = SCREE_OK;
    for (int k = 0; k < 5 && status == SCREE_OK; ++k) {
        scree_body_def def = scree_body_def_default();
        scree_shape plane = scree_shape_plane(material);
        int index;
        def.kind = SCREE_BODY_FIXED, def.shape = &plane, def.shape_count = 1;
        def.position[0] = half * wall[k][0], def.position[1] = half * wall[k][1];
        memcpy(def.rotation, wall[k] + 2, sizeof def.rotation);
        status = scree_world_add_body(world, &def, &index, error);
    }
    return status;
}

#endif
