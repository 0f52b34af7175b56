/* generators.h: many alike bodies: sizes, places and orientations by random numbers that depend on the seed and the grain's number only. */
#ifndef SCREE_GENERATORS_H
#define SCREE_GENERATORS_H

#include "math/rng.h"
#include "scene/scene_private.h"

/// One grain: what the world needs to know of it.
typedef struct grain {
    double position[3], rotation[4], velocity[3], spin[3];
    double size;   /* radius of a ball, or scale of the shape      */
    double radius; /* of the sphere around it                      */
} grain;

/// Seed of the generator at `index` of the scene.
uint64_t generator_seed(const scene_root *root, int index);

double distribution_draw(const scene_distribution *d, rng *r);
double distribution_largest(const scene_distribution *d);

/// A point of the region, uniform; `inset` keeps that distance to its borders (flat directions apart). In a planar scene, a point of
/// the region's section with the plane.
void region_draw(const scene_region *region, int planar, double inset, rng *r, double point[3]);

/// Size, orientation, velocity of grain k; its place is left to the caller, who goes on with `r`.
void grain_draw(const scene_root *root, const scene_generator *g, uint64_t seed, int64_t k, rng *r, grain *out);

/// Adds the grain to the world as one of the group `g->name`.
scree_status grain_add(scree_world *world, const scene_generator *g, const grain *it, scree_error *error);

/// Fills the world with what lattice, packing and csv make; a pour makes nothing here. `*left_out` grows by the grains without a place.
scree_status generator_fill(const scree_scene *scene, int index, scree_world *world, const scree_allocator *allocator,
                            int64_t *left_out, scree_error *error);

/// Grain k of a pour, at the first of the places it may take: depends on (seed, k) alone.
void pour_draw(const scene_root *root, const scene_generator *g, uint64_t seed, int64_t k, grain *out);

/// The same at the first of them that is free now; 0: none is. Which places these are depends on (seed, k) alone.
int pour_find(const scene_root *root, const scene_generator *g, uint64_t seed, int64_t k, const scree_world *world,
              grain *out);

/// Time at which grain k of a pour is due [s].
double pour_time(const scene_pour *pour, int64_t k);

#endif
