/* scene_check.h: what the parts of the check share. */
#ifndef SCREE_SCENE_CHECK_H
#define SCREE_SCENE_CHECK_H

#include "scene/scene_private.h"

typedef struct scene_checker {
    scree_doc *doc;
    scene_root *root;
    const scene_material *material;
    int material_count;
    int in_generator;                   /* for the words of messages */
    int dynamic[SCENE_MATERIALS_MAX];   /* shapes of dynamic bodies that have the material; generators count for two */
    int immovable[SCENE_MATERIALS_MAX]; /* of fixed and driven ones                                                  */
} scene_checker;

scree_status check_name(scene_checker *c, const scene_head *head, const char *name);
scree_status check_planar(scene_checker *c, const scene_head *head, const double velocity[3], const double spin[3]);

/// Material and mass of what a generator makes; `shape` may be not given (balls).
scree_status check_grain_shape(scene_checker *c, scene_shape *shape, const scene_head *head, const char *material,
                               int *material_index);

/// A name that a body has or will have; `ground`: the word ground is one too (scene_joints.c).
scree_status check_body_name(scene_checker *c, const scree_doc_node *node, int ground);

/// A region that makes sense; `radius`: of the smallest grain that must lie inside as a whole; 0: only its centre (scene_check_generators.c).
scree_status check_region(scene_checker *c, const scene_region *r, double radius);

/// Measures (scene_measures.c).
scree_status check_measures(scene_checker *c);

/// Joints: names of bodies, what depends on each other (scene_joints.c).
scree_status check_joints(scene_checker *c);

/// Generators: sizes, regions, numbers of grains (scene_check_generators.c).
scree_status check_generators(scene_checker *c);

#endif
