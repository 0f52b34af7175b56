/* boxes.h: two boxes, each in the frame of the other, and the three ways they touch. Private to boxes.c, box_clip.c, box_near.c. */
#ifndef SCREE_COLLISION_BOXES_H
#define SCREE_COLLISION_BOXES_H

#include "collision/narrow.h"

/// Box Y seen from box X: centre d and axes (columns of C) in the frame of X.
typedef struct box_view {
    const double *x, *y; /* half lengths of X and Y */
    double d[3], C[9];
} box_view;

/// A contact point in the frame of X: a point of X, and of Y.
typedef struct box_point {
    double of_x[3], of_y[3];
    double gap;
    unsigned feature_x, feature_y;
} box_point;

/// Y's face against the face `sign` * axis of X, cut to its sides: box_clip.c. Points of both within `slack` beyond a side count as
/// on it. Returns how many, at most 8.
int box_clip(const box_view *v, int axis, double sign, double slack, box_point point[MANIFOLD_MAX]);

/// How far apart the boxes are along the unit vector n, from X to Y.
double boxes_apart(const box_view *v, const double n[3]);

/// Two boxes that are apart: nearest points, the direction n from X to Y, and further pairs of points that are nearly as far along n:
/// box_near.c. Returns how many, at most 8; the first is the nearest. n is 0 where the distance is not more than `noise`.
int box_near(const box_view *v, double noise, double n[3], box_point point[MANIFOLD_MAX]);

/// The same pair seen from Y.
static inline box_view box_view_back(const box_view *v)
{
    box_view w = {.x = v->y, .y = v->x};
    for (int i = 0; i < 3; ++i) {
        w.d[i] = -(v->C[i] * v->d[0] + v->C[3 + i] * v->d[1] + v->C[6 + i] * v->d[2]);
        for (int j = 0; j < 3; ++j) w.C[3 * i + j] = v->C[3 * j + i];
    }
    return w;
}

#endif
