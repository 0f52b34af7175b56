/* depth.h: loads to start from where nothing is known: each contact carries its share of what lies above it (depth.c). */
#ifndef SCREE_SOLVERS_DEPTH_H
#define SCREE_SOLVERS_DEPTH_H

#include "base/memory.h"
#include "problem/problem_private.h"

enum { DEPTH_LAYERS = 1024 };

typedef struct depth {
    int *parent; /* (body_count) of the forest of bodies that hang together, or NULL: the problem does not ask for it */
    double *height; /* (body_count) above the parent, then above the lowest point of the body's tree [m]         */
    double *lowest; /* (body_count) of a tree, where its root is                                                 */
    double load[DEPTH_LAYERS + 1], support[DEPTH_LAYERS + 1]; /* of each layer, from the bottom                   */
} depth;

/// Memory, where the problem is one that depth_start may gain something on. contact (contact_count): the problem's or, where that has
/// blocks, as they were read; NULL: nothing is known of them.
scree_status depth_create(const scree_problem *problem, const scree_rigid_contact *contact,
                          const scree_allocator *allocator, depth **d);
void depth_destroy(depth *d, const scree_allocator *allocator);

/// Writes normal loads to p, which must be 0, and returns 1; or 0: the bodies are not pressed one way, p is as it was.
int depth_start(depth *d, const scree_problem *problem, const scree_rigid_contact *contact, double *p);

#endif
