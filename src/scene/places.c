/* places.c: room for balls (places.h).
 *
 * Grid cells are as wide as the largest ball asked about, and what lies in the grid is no larger, so that whatever can overlap a ball
 * is in one of the 27 cells around its centre. Cells are hashed: space has no bounds, and memory is that of the items. */
#include "scene/places.h"

#include "base/hash.h"
#include "base/memory.h"
#include "collision/collide.h"
#include "collision/geometry_private.h"
#include "math/vec.h"
#include "world/world_private.h"

#include <string.h>

static int is_there(const scree_world *world, int shape)
{
    return scree_world_body_kind(world, scree_world_shape_body(world, scree_shape_at(shape))) != SCREE_BODY_REMOVED;
}

/// 1 if the middle of a ball is behind the solid side of a surface, where it would touch nothing. Sheets have none.
static int is_inside(const posed_shape *mesh, const double centre[3])
{
    double d[3], local[3], depth;
    const mesh_data *m = &mesh->geometry->mesh;
    if (m->open_edges > 0 && !m->is_ground) return 0;
    vec_sub(centre, mesh->x, d);
    mat_apply_transpose(mesh->R, d, local);
    return mesh_is_behind(m, local, &depth);
}

/// 1 if the ball and the shape overlap.
static int overlaps(const posed_shape *posed, double bound, const double centre[3], double radius)
{
    double d[3];
    vec_sub(centre, posed->x, d);
    if (vec_norm(d) >= radius + bound) return 0;
    if (posed->kind == SCREE_SHAPE_SPHERE) return 1;
    posed_shape ball = {.kind = SCREE_SHAPE_SPHERE,
                        .size = &radius,
                        .x = {centre[0], centre[1], centre[2]},
                        .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (posed->kind == SCREE_SHAPE_MESH && is_inside(posed, centre)) return 1;
    manifold m;
    collide(&ball, posed, 0.0, &m);
    for (int k = 0; k < m.count; ++k)
        if (m.point[k].gap < 0.0) return 1;
    return 0;
}

int place_is_free(const scree_world *world, const double centre[3], double radius)
{
    for (int k = 0, n = scree_world_shape_count(world); k < n; ++k) {
        int body;
        posed_shape posed;
        const scree_shape *shape = scree_world_shape(world, scree_shape_at(k));
        body = scree_body_index(scree_world_shape_body(world, scree_shape_at(k)));
        double bound = shape_radius(shape), reach = radius + bound + vec_norm(shape->position), d[3], image[3];
        vec_sub(centre, scree_world_positions(world) + 3 * (size_t)body, d);
        for (int i = 0; i < 3; ++i) image[i] = -d[i];
        if (shape->kind != SCREE_SHAPE_PLANE) nearest_image(&world->options, d);
        if (vec_dot(d, d) > reach * reach || !is_there(world, k)) continue; /* most are far: no pose for those */
        for (int i = 0; i < 3; ++i)
            image[i] = centre[i] + (image[i] + d[i]); /* bit for bit `centre` where nothing is periodic */
        world_shape_pose(world, k, &posed);
        if (overlaps(&posed, bound, image, radius)) return 0;
    }
    return 1;
}

/* ---- the grid --------------------------------------------------------------------------------------------------------- */

typedef struct place_item {
    double centre[3], radius;
    int shape; /* of the world; -1: a ball that was added */
    int next;  /* in the same bucket; -1: the last        */
} place_item;

struct places {
    scree_allocator allocator;
    const scree_world *world;
    double cell; /* width [m] */
    int count, room, buckets;
    place_item *item;
    int *first; /* (buckets) */
    int *large; /* shapes that do not fit into a cell */
    int large_count;
};

static int64_t cell_of(double x, double cell)
{
    double c = floor(x / cell);
    return c > 1e15 ? (int64_t)1e15 : c < -1e15 ? -(int64_t)1e15 : (int64_t)c;
}

static int bucket(const places *p, int64_t i, int64_t j, int64_t k)
{
    uint64_t h = hash_mix((uint64_t)i + hash_mix((uint64_t)j + hash_mix((uint64_t)k)));
    return (int)(h & (uint64_t)(p->buckets - 1));
}

static void link_item(places *p, int index)
{
    place_item *item = &p->item[index];
    int b = bucket(p, cell_of(item->centre[0], p->cell), cell_of(item->centre[1], p->cell),
                   cell_of(item->centre[2], p->cell));
    item->next = p->first[b];
    p->first[b] = index;
}

/// Room for `count` items; buckets are a power of two of the same order.
static scree_status reserve(places *p, int count)
{
    if (count <= p->room) return SCREE_OK;
    int room = p->room ? p->room : 64;
    while (room < count) room *= 2;
    place_item *item = memory_array(&p->allocator, (size_t)room, sizeof *item);
    int *first = memory_array(&p->allocator, (size_t)room, sizeof *first);
    if (!item || !first) {
        memory_free(&p->allocator, item);
        memory_free(&p->allocator, first);
        return SCREE_ERR_MEMORY;
    }
    if (p->count) memcpy(item, p->item, (size_t)p->count * sizeof *item);
    memory_free(&p->allocator, p->item);
    memory_free(&p->allocator, p->first);
    p->item = item, p->first = first, p->room = p->buckets = room;
    for (int k = 0; k < room; ++k) first[k] = -1;
    for (int k = 0; k < p->count; ++k) link_item(p, k);
    return SCREE_OK;
}

static scree_status add_item(places *p, const double centre[3], double radius, int shape)
{
    scree_status status = reserve(p, p->count + 1);
    if (status != SCREE_OK) return status;
    p->item[p->count] = (place_item){{centre[0], centre[1], centre[2]}, radius, shape, -1};
    link_item(p, p->count++);
    return SCREE_OK;
}

scree_status places_add(places *p, const double centre[3], double radius)
{
    return add_item(p, centre, radius, -1);
}

void places_destroy(places *p)
{
    if (!p) return;
    scree_allocator a = p->allocator;
    MEMORY_FREE_ALL(&a, p->item, p->first, p->large, p);
}

scree_status places_create(const scree_world *world, double radius_max, const scree_allocator *allocator, places **out)
{
    scree_allocator a = memory_allocator(allocator);
    int shapes = scree_world_shape_count(world);
    places *p = memory_array(&a, 1, sizeof *p);
    *out = NULL;
    if (!p) return SCREE_ERR_MEMORY;
    p->allocator = a, p->world = world, p->cell = 2.0 * radius_max;
    p->large = memory_array(&a, (size_t)shapes + 1, sizeof *p->large);
    scree_status status = p->large ? reserve(p, shapes + 1) : SCREE_ERR_MEMORY;
    for (int k = 0; k < shapes && status == SCREE_OK; ++k) {
        posed_shape posed;
        double bound = shape_radius(scree_world_shape(world, scree_shape_at(k)));
        if (!is_there(world, k)) continue;
        world_shape_pose(world, k, &posed);
        if (bound <= radius_max) status = add_item(p, posed.x, bound, k);
        else p->large[p->large_count++] = k;
    }
    if (status != SCREE_OK) places_destroy(p);
    else *out = p;
    return status;
}

static int item_overlaps(const places *p, const place_item *item, const double centre[3], double radius)
{
    double d[3];
    posed_shape posed;
    vec_sub(centre, item->centre, d);
    if (vec_norm(d) >= radius + item->radius) return 0;
    if (item->shape < 0) return 1;
    world_shape_pose(p->world, item->shape, &posed);
    return overlaps(&posed, item->radius, centre, radius);
}

/// Of all images that a ball has, the one at this place. Planes repeat themselves: the ball itself has met them.
static int image_is_free(const places *p, const double centre[3], double radius, int is_itself)
{
    int64_t c[3];
    SCREE_ASSERT(2.0 * radius <= p->cell * (1.0 + 1e-12));
    for (int k = 0; k < 3; ++k) c[k] = cell_of(centre[k], p->cell);
    for (int n = 0; n < 27; ++n) {
        int b = bucket(p, c[0] + n % 3 - 1, c[1] + n / 3 % 3 - 1, c[2] + n / 9 - 1);
        for (int at = p->first[b]; at >= 0; at = p->item[at].next)
            if (item_overlaps(p, &p->item[at], centre, radius)) return 0;
    }
    for (int k = 0; k < p->large_count; ++k) {
        posed_shape posed;
        const scree_shape *shape = scree_world_shape(p->world, scree_shape_at(p->large[k]));
        world_shape_pose(p->world, p->large[k], &posed);
        if (posed.kind == SCREE_SHAPE_PLANE && !is_itself) continue;
        if (overlaps(&posed, shape_radius(shape), centre, radius)) return 0;
    }
    return 1;
}

int places_free(const places *p, const double centre[3], double radius)
{
    const scree_world_options *o = &p->world->options;
    if (!world_is_periodic(p->world)) return image_is_free(p, centre, radius, 1);
    for (int n = 0; n < 27; ++n) {
        const int shift[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        double image[3];
        int is_one = 1, is_itself = 1;
        for (int k = 0; k < 3; ++k) {
            is_one &= shift[k] == 0 || o->periodic[k], is_itself &= shift[k] == 0;
            image[k] = shift[k] ? centre[k] + shift[k] * (o->high[k] - o->low[k]) : centre[k];
        }
        if (is_one && !image_is_free(p, image, radius, is_itself)) return 0;
    }
    return 1;
}
