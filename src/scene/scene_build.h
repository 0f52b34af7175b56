/* scene_build.h: a checked scene into a world. */
#ifndef SCREE_SCENE_BUILD_H
#define SCREE_SCENE_BUILD_H

#include "scene/scene_private.h"

/// A world with the materials, bodies and containers of the scene, and what its generators make before the run. `*left_out`: grains
/// for which packings found no place. Errors point to the line of the body.
scree_status scene_build(const scree_scene *scene, const scree_allocator *allocator, scree_world **out,
                         int64_t *left_out, scree_error *error);

/// A refusal of the world, said at the line of the scene.
scree_status scene_error_at(const scree_scene *scene, const scree_doc_node *node, scree_status status,
                            scree_error *error);

/// The joints of the scene, of bodies that are in the world (scene_joints.c).
scree_status scene_add_joints(const scree_scene *scene, scree_world *world, scree_error *error);

#endif
