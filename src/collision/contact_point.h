/* contact_point.h: a contact point with a normal of its own, as walls that touch in several directions have them. */
#ifndef SCREE_COLLISION_CONTACT_POINT_H
#define SCREE_COLLISION_CONTACT_POINT_H

#include "collision/collide.h"
#include "math/vec.h"

#include <string.h>

enum { SURFACE_POINTS = 32 };

/// Thin walls around a hollow.
SCREE_HD int shape_is_hollow(scree_shape_kind kind)
{
    return kind == SCREE_SHAPE_TUBE || kind == SCREE_SHAPE_BOWL;
}

/// Walls that may touch a shape with several normals, and have no inside of their own.
SCREE_HD int shape_is_surface(scree_shape_kind kind)
{
    return kind == SCREE_SHAPE_MESH || shape_is_hollow(kind);
}

/// A contact point with its own normal.
typedef struct contact_point {
    double position[3], normal[3], gap;
    uint64_t feature;
} contact_point;

/// From the frame of a shape into the world.
SCREE_HD void contact_point_to_world(const posed_shape *shape, contact_point *p)
{
    double v[3];
    mat_apply(shape->R, p->position, v);
    for (int i = 0; i < 3; ++i) p->position[i] = shape->x[i] + v[i];
    memcpy(v, p->normal, sizeof v);
    mat_apply(shape->R, v, p->normal);
}

/// In ascending order of their features.
SCREE_HD void contact_points_sort(int count, contact_point *point)
{
    for (int i = 1; i < count; ++i) {
        contact_point p = point[i];
        int j = i;
        for (; j > 0 && point[j - 1].feature > p.feature; --j) point[j] = point[j - 1];
        point[j] = p;
    }
}

#endif
