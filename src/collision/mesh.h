/* mesh.h: a surface of triangles, and what a convex shape touches of it. Private to the collision code.
 *
 * A surface has a front, on the side from which the corners of its triangles run counter-clockwise; a shape whose origin is behind a
 * triangle does not touch it, unless the surface has two sides: then what is behind touches its back. A surface touched from the
 * back alone is turned over when it is made, so that its front is the side to touch. */
#ifndef SCREE_COLLISION_MESH_H
#define SCREE_COLLISION_MESH_H

#include "collision/tree.h"

#include <scree/geometry.h>

typedef struct mesh_data {
    int vertex_count, triangle_count;
    double (*vertex)[3];
    int (*triangle)[3];
    double (*normal)[3]; /* unit, outward                                                                  */
    int (*beside)[3];    /* the triangle beyond the edge from corner k to k + 1; -1: the surface ends there */
    int *patch;          /* the first triangle of those that lie in one plane with it, all connected       */
    int *ring_first;     /* (vertices + 1)                                                                 */
    int *ring;           /* vertices that an edge connects with this one                                   */
    int group;           /* triangles that are a leaf of the tree, numbers in a row                        */
    int open_edges;
    scree_sides sides; /* as asked for; BACK: the triangles are turned over, and their front is touched */
    int is_ground;     /* heights over x and y: everything below is behind it                       */
    tree boxes;
} mesh_data;

/// Welds equal points, finds neighbours, makes the tree. Messages say what is wrong with which triangle. The mesh may be freed by mesh_free
/// whatever was returned.
scree_status mesh_build(const double *point, int point_count, const int *triangle, int triangle_count, int group,
                        const scree_allocator *allocator, mesh_data *mesh, scree_error *error);
/// Splits triangles where their open edges meet others in the middle, at one edge each; *splits: how often. Neighbours are then to be found
/// again, and this asked again until it has nothing to do.
scree_status mesh_split(mesh_data *mesh, const scree_allocator *allocator, int *splits);
void mesh_free(mesh_data *mesh, const scree_allocator *allocator);

/// 1 if the point [m], in the frame of the mesh, is behind a surface that is touched from one side: below a ground, inside a closed surface
/// (or outside one that looks inward), or behind a sheet, where a part of it and not its border is nearest. *depth: how far [m], along z
/// below a ground. side.c.
int mesh_is_behind(const mesh_data *mesh, const double point[3], double *depth);

#endif
