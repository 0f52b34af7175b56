/* net.h: shapes as triangles, for the eye. Points lie in the frame of the shape; corners run counter-clockwise seen from outside. */
#ifndef SCREE_OUTPUT_NET_H
#define SCREE_OUTPUT_NET_H

#include <scree/world.h>

enum { NET_SLICES = 16 }; /* around an axis; the files of surfaces have this */

/// `slices` (a multiple of 4) says how fine round shapes are.
int net_point_count(const scree_shape *shape, int slices);
int net_triangle_count(const scree_shape *shape, int slices);
void net_point(const scree_shape *shape, int slices, int k, double x[3]); /* a plane: the square from -1 to 1 */
void net_triangle(const scree_shape *shape, int slices, int k, int corner[3]);

/// Normal of the true surface at a point of the net, not of unit length; 0: the surface is flat there, its triangle has the normal.
int net_normal(const scree_shape *shape, const double x[3], double normal[3]);

#endif
