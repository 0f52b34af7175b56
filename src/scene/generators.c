/* generators.c: lattices, random packings, tables, and the grains of pours (generators.h).
 *
 * Grain k draws from its own stream (seed, k): first its size, then its orientation, then places. So adding a grain, pouring faster or
 * restarting changes no other grain. Packing is random sequential addition: a place is tried until one is free; it fills about a
 * third of the volume with balls of one size, then ends. Close-packed lattices stack triangular layers, ABAB (hcp) or ABCABC (fcc). */
#include "scene/generators.h"

#include "base/memory.h"
#include "collision/collide.h"
#include "math/elementary.h"
#include "math/quat.h"
#include "scene/csv.h"
#include "scene/places.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TWO_PI 6.28318530717958647692

uint64_t generator_seed(const scene_root *root, int index)
{
    const scene_generator *g = (const scene_generator *)root->generators.item + index;
    if (schema_key(&g->head, "seed")) return hash_mix((uint64_t)g->seed);
    return hash_mix(hash_mix((uint64_t)root->seed) + (uint64_t)index + 1);
}

/* ---- distributions ------------------------------------------------------------------------------------------------------- */

/// Standard normal (Box and Muller).
static double draw_normal(rng *r)
{
    double u = 1.0 - rng_uniform(r), v = rng_uniform(r); /* u in (0, 1] */
    return sqrt(-2.0 * real_log(u)) * real_cos(TWO_PI * v);
}

/// Draws again until the value lies between the limits; the check of the scene sees to it that one in a hundred does.
static double draw_cut(double centre, double deviation, double low, double high, int is_log, rng *r)
{
    enum { TRIES = 10000 }; /* 0.99^10000 = 2e-44 */
    for (int k = 0; k < TRIES; ++k) {
        double z = deviation * draw_normal(r), x = is_log ? centre * real_exp(z) : centre + z;
        if (x >= low && x <= high) return x;
    }
    return centre < low ? low : centre > high ? high : centre;
}

double distribution_draw(const scene_distribution *d, rng *r)
{
    if (d->uniform.head.node) return d->uniform.min + (d->uniform.max - d->uniform.min) * rng_uniform(r);
    if (d->normal.head.node) return draw_cut(d->normal.mean, d->normal.deviation, d->normal.min, d->normal.max, 0, r);
    if (d->lognormal.head.node)
        return draw_cut(d->lognormal.median, d->lognormal.spread, d->lognormal.min, d->lognormal.max, 1, r);
    if (!d->list.head.node) return d->fixed;

    const scene_numbers *v = &d->list.values, *w = &d->list.weights;
    double total = 0.0, u = rng_uniform(r);
    if (w->count == 0) return v->value[(int)(u * v->count)];
    for (int k = 0; k < w->count; ++k) total += w->value[k];
    int last = 0;
    for (int k = 0; k < w->count; ++k) {
        if (w->value[k] > 0.0) last = k;
        u -= w->value[k] / total;
        if (u < 0.0) break;
    }
    return v->value[last];
}

double distribution_largest(const scene_distribution *d)
{
    double most = 0.0;
    if (d->uniform.head.node) return d->uniform.max;
    if (d->normal.head.node) return d->normal.max;
    if (d->lognormal.head.node) return d->lognormal.max;
    if (!d->list.head.node) return d->fixed;
    for (int k = 0; k < d->list.values.count; ++k) most = number_max(most, d->list.values.value[k]);
    return most;
}

/* ---- regions --------------------------------------------------------------------------------------------------------------- */

static const scene_region_round *round_part(const scene_region *region)
{
    return region->disk.head.node ? &region->disk : region->cylinder.head.node ? &region->cylinder : &region->ball;
}

/// A point of a box; flat directions have no borders to keep away from.
static double draw_between(double low, double high, double inset, rng *r)
{
    double edge = high > low ? inset : 0.0;
    return low + edge + (high - low - 2.0 * edge) * rng_uniform(r);
}

/// A point of the region's section with the plane of motion, which has the axes a and b and goes through the origin.
static void draw_planar(const scene_region *region, int normal, double inset, rng *r, double point[3])
{
    const scene_region_round *round = round_part(region);
    int a = normal == 0 ? 1 : 0, b = normal == 2 ? 1 : 2;
    point[normal] = 0.0;
    if (region->box.head.node) {
        point[a] = draw_between(region->box.min[a], region->box.max[a], inset, r);
        point[b] = draw_between(region->box.min[b], region->box.max[b], inset, r);
        return;
    }
    double radius = round->radius - inset, off = normal == 2 && round != &region->ball ? 0.0 : round->center[normal];
    double half = sqrt(number_max(0.0, radius * radius - off * off)); /* of the section */
    if (normal == 2 || round == &region->ball) {
        double angle = TWO_PI * rng_uniform(r), distance = half * sqrt(rng_uniform(r));
        point[a] = round->center[a] + distance * real_cos(angle);
        point[b] = round->center[b] + distance * real_sin(angle);
        return;
    }
    point[a] = round->center[a] + half * (2.0 * rng_uniform(r) - 1.0);
    point[2] = draw_between(round->center[2], round->center[2] + round->height, inset, r);
}

void region_draw(const scene_region *region, int planar, double inset, rng *r, double point[3])
{
    const scene_region_round *round = round_part(region);
    if (planar != SCREE_PLANAR_NONE) {
        draw_planar(region, planar == SCREE_PLANAR_XY ? 2 : planar == SCREE_PLANAR_XZ ? 1 : 0, inset, r, point);
        return;
    }
    if (region->box.head.node) {
        for (int k = 0; k < 3; ++k) point[k] = draw_between(region->box.min[k], region->box.max[k], inset, r);
        return;
    }
    double angle = TWO_PI * rng_uniform(r), radius = round->radius - inset, z = 0.0;
    if (round == &region->ball) {
        double cosine = 2.0 * rng_uniform(r) - 1.0, distance = radius * real_cbrt(rng_uniform(r));
        radius = distance * sqrt(1.0 - cosine * cosine);
        z = distance * cosine;
    } else {
        radius *= sqrt(rng_uniform(r));
        z = draw_between(0.0, round->height, inset, r);
    }
    point[0] = round->center[0] + radius * real_cos(angle);
    point[1] = round->center[1] + radius * real_sin(angle);
    point[2] = round->center[2] + z;
}

/* ---- grains ------------------------------------------------------------------------------------------------------------------- */

/// Uniform on the rotations (Shoemake 1992); in a planar scene about the normal of the plane.
static void draw_rotation(int planar, rng *r, double q[4])
{
    double u = rng_uniform(r), a = TWO_PI * rng_uniform(r), b = TWO_PI * rng_uniform(r);
    if (planar != SCREE_PLANAR_NONE) {
        int normal = planar == SCREE_PLANAR_XY ? 2 : planar == SCREE_PLANAR_XZ ? 1 : 0;
        q[0] = real_cos(0.5 * a), q[1] = q[2] = q[3] = 0.0;
        q[1 + normal] = real_sin(0.5 * a);
        return;
    }
    q[0] = sqrt(1.0 - u) * real_sin(a), q[1] = sqrt(1.0 - u) * real_cos(a);
    q[2] = sqrt(u) * real_sin(b), q[3] = sqrt(u) * real_cos(b);
}

static int has_shape(const scene_generator *g)
{
    return g->shape.head.node != NULL;
}

static void set_radius(const scene_generator *g, grain *it)
{
    it->radius = it->size;
    if (has_shape(g)) {
        scree_shape shape = scene_shape_make(&g->shape, it->size, 0);
        it->radius = shape_radius(&shape);
    }
}

void grain_draw(const scene_root *root, const scene_generator *g, uint64_t seed, int64_t k, rng *r, grain *out)
{
    *r = rng_make(seed, (uint64_t)k);
    *out = (grain){.rotation = {1.0, 0.0, 0.0, 0.0}, .size = 1.0};
    if (schema_key(&g->head, "radius")) out->size = distribution_draw(&g->radius, r);
    if (schema_key(&g->head, "scale")) out->size = distribution_draw(&g->scale, r);
    if (has_shape(g) && !g->shape.sphere.head.node && g->orientation == ORIENT_RANDOM)
        draw_rotation(root->planar, r, out->rotation);
    set_radius(g, out);
    memcpy(out->velocity, g->velocity, sizeof out->velocity);
    memcpy(out->spin, g->spin, sizeof out->spin);
}

scree_status grain_add(scree_world *world, const scene_generator *g, const grain *it, scree_error *error)
{
    scree_body_def def = scree_body_def_default();
    scree_shape shape = has_shape(g) ? scene_shape_make(&g->shape, it->size, g->shape.material_index)
                                     : scree_shape_sphere(it->size, scree_material_at(g->material_index));
    if (shape.kind == SCREE_SHAPE_HULL) { /* its centre of mass, not the origin of its points, is put in place */
        scree_geometry_mass mass;
        double centre[3], turned[3];
        scree_geometry_mass_properties(shape.geometry, &mass);
        for (int i = 0; i < 3; ++i) centre[i] = shape.size[0] * mass.centre[i];
        quat_rotate(shape.rotation, centre, turned);
        vec_sub(shape.position, turned, shape.position);
    }
    def.name = g->name, def.mass = g->mass;
    def.shapes = &shape, def.shape_count = 1;
    memcpy(def.position, it->position, sizeof def.position);
    memcpy(def.rotation, it->rotation, sizeof def.rotation);
    memcpy(def.velocity, it->velocity, sizeof def.velocity);
    memcpy(def.spin, it->spin, sizeof def.spin);
    scree_world_add_body(world, &def, error);
    return error->status;
}

/* ---- pours ---------------------------------------------------------------------------------------------------------------------- */

double pour_time(const scene_pour *pour, int64_t k)
{
    return pour->start + (pour->every > 0.0 ? (double)k * pour->every : (double)k / pour->rate);
}

void pour_draw(const scene_root *root, const scene_generator *g, uint64_t seed, int64_t k, grain *out)
{
    rng r;
    grain_draw(root, g, seed, k, &r, out);
    region_draw(&g->pour.from, root->planar, 0.0, &r, out->position);
}

int pour_find(const scene_root *root, const scene_generator *g, uint64_t seed, int64_t k, const scree_world *world,
              grain *out)
{
    rng r;
    grain_draw(root, g, seed, k, &r, out);
    for (int attempt = 0; attempt < g->pour.attempts; ++attempt) {
        region_draw(&g->pour.from, root->planar, 0.0, &r, out->position);
        if (place_is_free(world, out->position, out->radius)) return 1;
    }
    return 0;
}

/* ---- lattices -------------------------------------------------------------------------------------------------------------------- */

/// Point (i, j, k) of the lattice with neighbours at distance 1.
static void lattice_point(int type, int i, int j, int k, double p[3])
{
    static const double row = 0.86602540378443864676, layer = 0.81649658092772603273; /* sqrt(3)/2, sqrt(2/3) */
    if (type == LATTICE_SC) {
        p[0] = i, p[1] = j, p[2] = k;
        return;
    }
    int shift = type == LATTICE_HCP ? k % 2 : k % 3; /* layer A, B or C: moved along y by a third of two rows each */
    p[0] = i + 0.5 * ((j + shift) % 2);
    p[1] = row * j + shift * row / 3.0;
    p[2] = layer * k;
}

static scree_status fill_lattice(const scene_root *root, const scene_generator *g, uint64_t seed, scree_world *world,
                                 scree_error *error)
{
    const scene_lattice *l = &g->lattice;
    int normal = root->planar == SCREE_PLANAR_XY   ? 2
                 : root->planar == SCREE_PLANAR_XZ ? 1
                 : root->planar == SCREE_PLANAR_YZ ? 0
                                                   : -1;
    int64_t number = 0;
    for (int k = 0; k < l->count[2]; ++k)
        for (int j = 0; j < l->count[1]; ++j)
            for (int i = 0; i < l->count[0]; ++i, ++number) {
                rng r;
                grain it;
                double p[3];
                grain_draw(root, g, seed, number, &r, &it);
                lattice_point(l->type, i, j, k, p);
                for (int c = 0; c < 3; ++c) {
                    double moved = l->jitter * (2.0 * rng_uniform(&r) - 1.0);
                    if (c == normal) moved = 0.0; /* grains of a planar scene stay in its plane */
                    it.position[c] = l->origin[c] + l->spacing * p[c] + moved;
                }
                scree_status status = grain_add(world, g, &it, error);
                if (status != SCREE_OK) return status;
            }
    return SCREE_OK;
}

/* ---- packings --------------------------------------------------------------------------------------------------------------------- */

/// Tries places for the grain; 1: one is free and the grain has it.
static int find_place(const places *taken, const scene_packing *p, int planar, rng *r, grain *it)
{
    for (int k = 0; k < p->attempts; ++k) {
        region_draw(&p->region, planar, it->radius, r, it->position);
        if (places_free(taken, it->position, it->radius)) return 1;
    }
    return 0;
}

static double largest_radius(const scene_generator *g)
{
    grain it = {.size = 1.0};
    if (schema_key(&g->head, "radius")) it.size = distribution_largest(&g->radius);
    if (schema_key(&g->head, "scale")) it.size = distribution_largest(&g->scale);
    set_radius(g, &it);
    return it.radius;
}

/// The places are found first and the bodies added then: the grid looks at a world that stays as it is.
static scree_status fill_packing(const scene_root *root, const scene_generator *g, uint64_t seed, scree_world *world,
                                 const scree_allocator *allocator, int64_t *left_out, scree_error *error)
{
    int count = 0;
    places *taken = NULL;
    grain *found = memory_array(allocator, (size_t)g->packing.count, sizeof *found);
    scree_status status = found ? places_create(world, largest_radius(g), allocator, &taken) : SCREE_ERR_MEMORY;
    while (status == SCREE_OK && count < g->packing.count) {
        rng r;
        grain_draw(root, g, seed, count, &r, &found[count]);
        if (!find_place(taken, &g->packing, root->planar, &r, &found[count])) break;
        status = places_add(taken, found[count].position, found[count].radius);
        ++count;
    }
    for (int k = 0; k < count && status == SCREE_OK; ++k) status = grain_add(world, g, &found[k], error);
    *left_out += g->packing.count - count;
    places_destroy(taken);
    memory_free(allocator, found);
    return status;
}

/* ---- tables ------------------------------------------------------------------------------------------------------------------------- */

/// What the table and the generator both say, or neither.
static scree_status check_csv(const scree_scene *scene, const scene_generator *g, const csv_table *t,
                              scree_error *error)
{
    static const struct {
        const char *key;
        int column;
    } both[] = {{"radius", CSV_RADIUS}, {"scale", CSV_SCALE}, {"velocity", CSV_VX}, {"velocity", CSV_VY},
                {"velocity", CSV_VZ},   {"spin", CSV_WX},     {"spin", CSV_WY},     {"spin", CSV_WZ}};
    int unread = has_shape(g) ? CSV_RADIUS : CSV_SCALE;
    if (t->has[unread]) {
        scree_error_set(error, g->csv.path, 1, 1, "the column '%s' is not read for grains that are %s",
                        has_shape(g) ? "radius" : "scale",
                        has_shape(g) ? "a 'shape', expected 'scale'" : "balls, expected 'radius'");
        return SCREE_ERR_INPUT;
    }
    for (size_t k = 0; k < sizeof both / sizeof *both; ++k)
        if (t->has[both[k].column] && schema_key(&g->head, both[k].key)) {
            scree_error_set(error, g->csv.path, 1, 1,
                            "'%s' is both in the columns here and a key of the generator, expected one of them",
                            both[k].key);
            return SCREE_ERR_INPUT;
        }
    if (t->has[CSV_RADIUS] || has_shape(g) || schema_key(&g->head, "radius")) return SCREE_OK;
    scree_error_set(error, scene->name, g->head.node->line, g->head.node->column,
                    "the size of the grains is not given, expected 'radius' here or as a column of the table");
    return SCREE_ERR_INPUT;
}

static scree_status fill_csv(const scree_scene *scene, const scene_generator *g, uint64_t seed, scree_world *world,
                             const scree_allocator *allocator, scree_error *error)
{
    csv_table t;
    scree_status status = csv_read(g->csv.path, SCENE_GRAINS_MAX, allocator, &t, error);
    if (status != SCREE_OK) return status;
    int wanted = has_shape(g) ? CSV_SCALE : CSV_RADIUS;
    status = check_csv(scene, g, &t, error);
    for (int k = 0; k < t.rows && status == SCREE_OK; ++k) {
        const double *row = t.value + (size_t)k * CSV_COLUMNS;
        rng r;
        grain it;
        grain_draw(&scene->root, g, seed, k, &r, &it);
        if (t.has[wanted]) it.size = row[wanted], set_radius(g, &it);
        for (int c = 0; c < 3; ++c) {
            it.position[c] = row[CSV_X + c];
            if (t.has[CSV_VX + c]) it.velocity[c] = row[CSV_VX + c];
            if (t.has[CSV_WX + c]) it.spin[c] = row[CSV_WX + c];
        }
        status = grain_add(world, g, &it, error);
    }
    memory_free(allocator, t.value);
    return status;
}

scree_status generator_fill(const scree_scene *scene, int index, scree_world *world, const scree_allocator *allocator,
                            int64_t *left_out, scree_error *error)
{
    const scene_root *root = &scene->root;
    const scene_generator *g = (const scene_generator *)root->generators.item + index;
    uint64_t seed = generator_seed(root, index);
    if (g->lattice.head.node) return fill_lattice(root, g, seed, world, error);
    if (g->packing.head.node) return fill_packing(root, g, seed, world, allocator, left_out, error);
    if (g->csv.head.node) return fill_csv(scene, g, seed, world, allocator, error);
    return SCREE_OK;
}
