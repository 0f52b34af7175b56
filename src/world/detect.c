/* detect.c: poses -> contacts, matched with those of the step before.
 *
 * Two shapes are in contact when their gap is no more than
 *     margin + h (s_a + s_b) + |g| h^2,     s = |v| + |omega| (distance of the shape from the centre of mass + its extent) + h |f| / m
 * what may close within the step; the extent of a sphere does not count, since its spin changes no gap. The list is a function of
 * poses, velocities and h alone: the broadphase only has to offer every pair that passes, so neither its memory nor the threads
 * nor a restart can be seen in it.
 *
 *   proxies     shapes            -> ball, reach, box                     parallel over shapes
 *   broadphase  proxies           -> candidate pairs in the order (a, b)
 *   filter      pairs             -> hits: within reach by their balls    parallel over pairs
 *   collide     hits              -> points (shapes that are neither two spheres nor sphere and plane)
 *   write       hits, points      -> contacts, each at its place in the order, with load and tangent of the one it continues
 *
 * Chunks are fixed ranges of the pairs; each counts its contacts before any is written, so all are written in place. */
#include "base/memory.h"
#include "base/parallel.h"
#include "collision/collide.h"
#include "collision/hollow.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "world/world_private.h"

#include <string.h>

enum { SHAPE_CHUNK = 2048, PAIR_CHUNK = 4096, LISTED_CHUNK = 256, AHEAD = 12 };

/* Partners lie anywhere in memory: asked for AHEAD pairs early, they are there when needed (at
 * 100,000 spheres 52 ns a contact instead of 92). */
#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)0)
#endif

typedef struct hit {
    int a, b;
    int count; /* contact points, once they are known */
} hit;

typedef struct detection {
    const scree_world *world;
    int periodic;           /* differences are those to the nearest image                        */
    int chunk;              /* pairs in a chunk                                                  */
    double h, half_slack;   /* half of margin + |g| h^2                                          */
    double plane_normal[3]; /* of the plane of motion; zero: spatial                           */
    int shape_count;
    shape_proxy *proxy;  /* (shapes)                                                          */
    vec3 *box;           /* by slot: half lengths; planes: normal                             */
    double *spin;        /* by slot: what a plane turns in the step [rad]; else 0             */
    double *still_reach; /* by slot: reach, of a plane that turns without it                     */
    posed_shape *posed;  /* by slot                                                           */
    shape_pairs pairs;
    const listed_pairs *listed; /* instead of `pairs`, or NULL */
    hit *hits;                  /* (pairs) those of a chunk from its first pair on                   */
    int *hit_count;             /* by chunk                                                          */
    int *general_first;         /* by chunk: its first point of `found`; before: room for how many     */
    int *touch_first;           /* by chunk: its first contact; before: how many it has              */
    contact_point *found;       /* of hits that are neither two spheres nor sphere and plane, pair_room for each */
    scree_contact_point *touch; /* the new contacts                                                  */
    contact_memory *memory;     /* theirs; NULL: none */
} detection;

/* ---- proxies ----------------------------------------------------------------------------------------------------------- */

/// Speed of the centre of mass and angular speed that count for a body's reach.
static void body_speeds(const detection *d, int b, double *speed, double *turning)
{
    const scree_world *w = d->world;
    double v[3], omega[3], force[3], moment[3];
    *speed = *turning = 0.0;
    if (w->kind[b] == SCREE_BODY_DRIVEN) {
        body_driven_velocity(w, b, w->time, d->h, v, omega);
        *speed = vec_norm(v), *turning = vec_norm(omega);
    } else if (w->kind[b] == SCREE_BODY_DYNAMIC) {
        *speed = vec_norm(w->v[b]), *turning = vec_norm(w->omega[b]);
        if (w->extra[b] < 0) return;
        body_load(w, b, w->time + d->h, force, moment);
        *speed += d->h * vec_norm(force) / w->mass[b];
    }
}

/// Half widths of a shape that is no sphere; of a plane its normal, and what it turns in the step.
static void bound_shape(const detection *d, const shape_proxy *p, double turning)
{
    const posed_shape *posed = &d->posed[p->slot];
    double low[3], high[3];
    d->spin[p->slot] = 0.0;
    if (posed->kind == SCREE_SHAPE_PLANE) {
        for (int k = 0; k < 3; ++k) d->box[p->slot][k] = posed->R[3 * k + 2];
        d->spin[p->slot] = turning * d->h;
        return;
    }
    shape_bounds(posed, low, high);
    for (int k = 0; k < 3; ++k) d->box[p->slot][k] = max2(high[k] - p->centre[k], p->centre[k] - low[k]);
}

static void make_proxy(detection *d, int s)
{
    const scree_world *w = d->world;
    const scree_shape *shape = &w->shape[s];
    shape_proxy *p = &d->proxy[s];
    int b = w->shape_body[s];
    double speed, turning, lever = vec_norm(shape->position);
    p->slot = w->shape_link[s].slot;
    if (p->slot < 0) world_shape_centre(w, s, p->centre);
    else {
        world_shape_pose(w, s, &d->posed[p->slot]);
        memcpy(p->centre, d->posed[p->slot].x, sizeof p->centre);
    }
    if (shape->kind != SCREE_SHAPE_SPHERE && shape->kind != SCREE_SHAPE_PLANE) lever += w->shape_extent[s];
    body_speeds(d, b, &speed, &turning);
    p->radius = w->shape_extent[s];
    p->reach = d->half_slack + d->h * (speed + turning * lever);
    p->roll_radius = w->roll_radius[s];
    p->material = w->shape_link[s].material;
    p->kind = (unsigned char)shape->kind;
    p->moves = w->kind[b] == SCREE_BODY_DYNAMIC;
    /* what has no place or speed any more touches nothing: the check after the step says so */
    int there = w->kind[b] != SCREE_BODY_REMOVED && isfinite(vec_dot(p->centre, p->centre)) && isfinite(p->reach);
    p->body = there ? b : -1;
    if (!there) p->reach = d->half_slack;
    if (p->slot >= 0) bound_shape(d, p, turning), d->still_reach[p->slot] = p->reach;
}

static void make_proxies(void *context, int begin, int end, int chunk, int worker)
{
    detection *d = context;
    (void)chunk, (void)worker;
    for (int s = begin; s < end; ++s) make_proxy(d, d->listed ? d->listed->shape[s] : s);
}

/// Planes that turn sweep farther where they are far from their position: their reach covers the farthest shape.
static void reach_of_turning_planes(detection *d)
{
    for (int s = 0; s < d->shape_count; ++s) {
        shape_proxy *plane = &d->proxy[s];
        if (plane->kind != SCREE_SHAPE_PLANE || plane->body < 0 || d->spin[plane->slot] == 0.0) continue;
        double farthest = 0.0, r[3];
        for (int i = 0; i < d->shape_count; ++i) {
            const shape_proxy *p = &d->proxy[i];
            if (p->body < 0 || p->kind == SCREE_SHAPE_PLANE) continue;
            vec_sub(p->centre, plane->centre, r);
            farthest = max2(farthest, vec_norm(r) + p->radius);
        }
        plane->reach += d->spin[plane->slot] * farthest;
    }
}

/// From a to b, or to the image of b that is nearest.
static void between(const detection *d, const double a[3], const double b[3], double r[3])
{
    vec_sub(b, a, r);
    if (d->periodic) nearest_image(&d->world->options, r);
}

/* ---- filter ------------------------------------------------------------------------------------------------------------ */

static int both_spheres(const shape_proxy *a, const shape_proxy *b)
{
    return a->slot < 0 && b->slot < 0;
}

/// A sphere and a plane, in either order.
static int sphere_and_plane(const shape_proxy *a, const shape_proxy *b)
{
    return (a->kind == SCREE_SHAPE_SPHERE && b->kind == SCREE_SHAPE_PLANE) ||
           (a->kind == SCREE_SHAPE_PLANE && b->kind == SCREE_SHAPE_SPHERE);
}

/// Contact points that a pair may have.
static int pair_room(const shape_proxy *a, const shape_proxy *b)
{
    if (both_spheres(a, b) || sphere_and_plane(a, b)) return 0;
    if (!shape_is_surface((scree_shape_kind)a->kind) && !shape_is_surface((scree_shape_kind)b->kind))
        return MANIFOLD_MAX;
    int ball = a->kind == SCREE_SHAPE_SPHERE || b->kind == SCREE_SHAPE_SPHERE,
        hollow = shape_is_hollow((scree_shape_kind)a->kind) || shape_is_hollow((scree_shape_kind)b->kind);
    return ball && hollow ? HOLLOW_BALL_POINTS : SURFACE_POINTS;
}

static double pair_reach(const detection *d, const shape_proxy *a, const shape_proxy *b)
{
    const shape_proxy *plane = a->kind == SCREE_SHAPE_PLANE ? a : b, *other = plane == a ? b : a;
    if (plane->kind != SCREE_SHAPE_PLANE || d->spin[plane->slot] == 0.0) return a->reach + b->reach;
    double r[3];
    vec_sub(other->centre, plane->centre, r);
    return d->still_reach[plane->slot] + other->reach + d->spin[plane->slot] * (vec_norm(r) + other->radius);
}

/// Gap of a ball and a plane, along the plane's normal.
static double plane_gap(const detection *d, const shape_proxy *plane, const shape_proxy *ball)
{
    double r[3];
    vec_sub(ball->centre, plane->centre, r);
    return vec_dot(d->box[plane->slot], r) - ball->radius;
}

/// Most of what a hollow wall holds is nowhere near it. `r`: from the wall to the other.
static int near_wall(const detection *d, const shape_proxy *wall, const shape_proxy *other, const double r[3],
                     double reach)
{
    double x[3];
    vec_add_scaled(wall->centre, 1.0, r, x);
    return hollow_distance(&d->posed[wall->slot], x) <= (other->radius + reach) * (1.0 + 1e-12);
}

static int within_reach(const detection *d, const shape_proxy *a, const shape_proxy *b)
{
    double reach = pair_reach(d, a, b);
    if (a->kind == SCREE_SHAPE_PLANE) return plane_gap(d, a, b) <= reach;
    if (b->kind == SCREE_SHAPE_PLANE) return plane_gap(d, b, a) <= reach;
    double r[3], sum = a->radius + b->radius + reach;
    between(d, a->centre, b->centre, r);
    if (!(vec_dot(r, r) <= sum * sum)) return 0;
    if (both_spheres(a, b)) return 1;
    for (int k = 0; k < 3; ++k) {
        double half_a = a->slot < 0 ? a->radius : d->box[a->slot][k],
               half_b = b->slot < 0 ? b->radius : d->box[b->slot][k];
        if (!(fabs(r[k]) <= half_a + half_b + reach)) return 0;
    }
    if (shape_is_hollow((scree_shape_kind)a->kind)) return near_wall(d, a, b, r, reach);
    for (int k = 0; k < 3; ++k) r[k] = -r[k];
    return shape_is_hollow((scree_shape_kind)b->kind) ? near_wall(d, b, a, r, reach) : 1;
}

/// The row that holds pair `at`: the last one that starts at or before it and is not empty.
static int row_of(const int *row, int shapes, int at)
{
    int low = 0, high = shapes; /* row[low] <= at < row[high] */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (row[middle] <= at) low = middle;
        else high = middle;
    }
    return low;
}

/// What a chunk has found so far.
typedef struct found_count {
    int hits, general, simple;
} found_count;

static void filter_pair(const detection *d, int a, int b, hit *out, found_count *n)
{
    const shape_proxy *p = &d->proxy[a], *q = &d->proxy[b];
    if (q->body < 0 || !within_reach(d, p, q) || bodies_kept_apart(d->world, p->body, q->body)) return;
    if (d->world->passing_pairs > 0 && world_pair(d->world, p->material, q->material)->passing) return;
    int room = pair_room(p, q);
    out[n->hits++] = (hit){a, b, room == 0};
    n->general += room, n->simple += room == 0;
}

static void filter_pairs(void *context, int begin, int end, int chunk, int worker)
{
    detection *d = context;
    const int *row = d->pairs.row, *partner = d->pairs.partner;
    int a = row_of(row, d->shape_count, begin);
    found_count n = {0, 0, 0};
    (void)worker;
    for (int i = begin; i < end;) {
        while (row[a + 1] <= i) ++a;
        int stop = row[a + 1] < end ? row[a + 1] : end;
        if (d->proxy[a].body < 0) {
            i = stop;
            continue;
        }
        for (; i < stop; ++i) {
            if (i + AHEAD < end) PREFETCH(&d->proxy[partner[i + AHEAD]]);
            filter_pair(d, a, partner[i], d->hits + begin, &n);
        }
    }
    d->hit_count[chunk] = n.hits, d->general_first[chunk] = n.general, d->touch_first[chunk] = n.simple;
}

static void filter_listed(void *context, int begin, int end, int chunk, int worker)
{
    detection *d = context;
    found_count n = {0, 0, 0};
    (void)worker;
    for (int i = begin; i < end; ++i) {
        const int *pair = d->listed->pair[i];
        if (d->proxy[pair[0]].body >= 0) filter_pair(d, pair[0], pair[1], d->hits + begin, &n);
    }
    d->hit_count[chunk] = n.hits, d->general_first[chunk] = n.general, d->touch_first[chunk] = n.simple;
}

/* ---- collide ----------------------------------------------------------------------------------------------------------- */

static posed_shape posed_of(const detection *d, int s)
{
    const shape_proxy *p = &d->proxy[s];
    if (p->slot >= 0) return d->posed[p->slot];
    posed_shape posed = {.kind = SCREE_SHAPE_SPHERE, .size = d->world->shape[s].size, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    memcpy(posed.x, p->centre, sizeof posed.x);
    return posed;
}

/// Into the plane of motion: normals turned into it, points moved to it, those that then coincide counted once. Returns how many are left.
static int flatten(const double n[3], int count, contact_point *point)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        contact_point p = point[i];
        vec_add_scaled(p.normal, -vec_dot(n, p.normal), n, p.normal);
        vec_add_scaled(p.position, -vec_dot(n, p.position), n, p.position);
        double length = vec_norm(p.normal);
        if (!(length > 1e-6)) continue; /* they touch from front and back */
        for (int k = 0; k < 3; ++k) p.normal[k] /= length;
        int twin = 0;
        for (int j = 0; j < kept && !twin; ++j) {
            double r[3];
            vec_sub(p.position, point[j].position, r);
            twin = vec_norm(r) <= 1e-9 * (1.0 + vec_norm(p.position)) && fabs(p.gap - point[j].gap) <= 1e-9;
        }
        if (!twin) point[kept++] = p;
    }
    return kept;
}

static void collide_hits(void *context, int begin, int end, int chunk, int worker)
{
    detection *d = context;
    (void)worker, (void)end;
    contact_point *found = d->found + d->general_first[chunk];
    for (int i = 0; i < d->hit_count[chunk]; ++i) {
        hit *pair = &d->hits[begin + i];
        const shape_proxy *p = &d->proxy[pair->a], *q = &d->proxy[pair->b];
        int room = pair_room(p, q);
        if (room == 0) continue;
        posed_shape a = posed_of(d, pair->a), b = posed_of(d, pair->b);
        if (d->periodic && a.kind != SCREE_SHAPE_PLANE && b.kind != SCREE_SHAPE_PLANE) {
            double r[3];
            between(d, a.x, b.x, r);
            for (int k = 0; k < 3; ++k) b.x[k] = a.x[k] + r[k];
        }
        pair->count = shape_points(&a, &b, pair_reach(d, p, q), found);
        if (d->world->options.planar != SCREE_PLANAR_NONE) pair->count = flatten(d->plane_normal, pair->count, found);
        d->touch_first[chunk] += pair->count;
        found += room;
    }
}

/* ---- write ------------------------------------------------------------------------------------------------------------- */

/// Two spheres, or sphere and plane: one point, in closed form.
static void sphere_point(const detection *d, const shape_proxy *a, const shape_proxy *b, contact_point *point)
{
    if (a->kind != SCREE_SHAPE_PLANE && b->kind != SCREE_SHAPE_PLANE) {
        spheres_point(&d->world->options, a->centre, a->radius, b->centre, b->radius, point);
        return;
    }
    const shape_proxy *plane = a->kind == SCREE_SHAPE_PLANE ? a : b, *ball = plane == a ? b : a;
    /* n from A to B; the point lies below the ball by its radius and half the gap */
    const double sign = plane == a ? 1.0 : -1.0;
    point->gap = plane_gap(d, plane, ball), point->feature = 0;
    for (int k = 0; k < 3; ++k) point->normal[k] = sign * d->box[plane->slot][k];
    vec_add_scaled(ball->centre, -sign * (ball->radius + 0.5 * point->gap), point->normal, point->position);
}

/// <0, 0, >0: the touch comes before, at, after (a, b, feature).
static int compare(const scree_contact_point *t, int a, int b, uint64_t feature)
{
    if (t->shape_a != a) return t->shape_a < a ? -1 : 1;
    if (t->shape_b != b) return t->shape_b < b ? -1 : 1;
    return t->feature == feature ? 0 : t->feature < feature ? -1 : 1;
}

/// First of the sorted contacts that does not come before (a, b, 0).
static int lower_bound(const contact_set *set, int a, int b)
{
    int low = 0, high = set->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (compare(&set->touch[middle], a, b, 0) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void write_touch(const detection *d, const hit *pair, const contact_point *point, const scree_contact_point *old,
                        scree_contact_point *t)
{
    const shape_proxy *a = &d->proxy[pair->a], *b = &d->proxy[pair->b];
    t->body_a = a->body, t->body_b = b->body;
    t->shape_a = pair->a, t->shape_b = pair->b;
    t->feature = point->feature;
    memcpy(t->position, point->position, sizeof t->position);
    memcpy(t->normal, point->normal, sizeof t->normal);
    t->gap = point->gap;
    contact_law(d->world, a->material, b->material, a->roll_radius, b->roll_radius, t);
    touch_tangent(&d->world->options, d->plane_normal, old, t);
    t->age = old ? old->age + 1 : 0;
    if (old) memcpy(t->impulse, old->impulse, sizeof t->impulse);
    else memset(t->impulse, 0, sizeof t->impulse);
    if (old) memcpy(t->roll_a, old->roll_a, sizeof t->roll_a);
    else memset(t->roll_a, 0, sizeof t->roll_a);
    memset(t->velocity, 0, sizeof t->velocity);
    t->mode = old ? old->mode : SCREE_MODE_TAKE_OFF; /* of the step before, until this one is solved */
}

/// Which contact of the step before a point continues whose feature was not there; -1: none. `first`: an index at or before the pair's.
static int handed_on(const detection *d, const contact_set *before, int first, const hit *pair,
                     const contact_point *point, int p)
{
    const double reach = pair_reach(d, &d->proxy[pair->a], &d->proxy[pair->b]);
    while (first < before->count && compare(&before->touch[first], pair->a, pair->b, 0) < 0) ++first;
    int end = first;
    while (end < before->count && before->touch[end].shape_a == pair->a && before->touch[end].shape_b == pair->b) ++end;
    const int from =
        touch_handed_on(&d->world->options, reach, end - first, before->touch + first, pair->count, point, p);
    return from < 0 ? -1 : first + from;
}

static void write_touches(void *context, int begin, int end, int chunk, int worker)
{
    detection *d = context;
    const contact_set *before = &d->world->contacts;
    scree_contact_point *t = d->touch + d->touch_first[chunk];
    const contact_point *found = d->found + d->general_first[chunk];
    (void)worker, (void)end;
    if (d->hit_count[chunk] == 0) return;
    int old = lower_bound(before, d->hits[begin].a, d->hits[begin].b);
    for (int i = 0; i < d->hit_count[chunk]; ++i) {
        const hit *pair = &d->hits[begin + i];
        const shape_proxy *a = &d->proxy[pair->a], *b = &d->proxy[pair->b];
        if (i + AHEAD < d->hit_count[chunk]) PREFETCH(&d->proxy[pair[AHEAD].b]);
        contact_point one;
        const contact_point *point = &one;
        int room = pair_room(a, b), first = old;
        if (room == 0) sphere_point(d, a, b, &one);
        else point = found, found += room;
        for (int p = 0; p < pair->count; ++p) {
            int order = 1;
            while (old < before->count &&
                   (order = compare(&before->touch[old], pair->a, pair->b, point[p].feature)) < 0)
                ++old;
            int from = old < before->count && order == 0 ? old : -1;
            if (from < 0 && (room == SURFACE_POINTS || room == HOLLOW_BALL_POINTS))
                from = handed_on(d, before, first, pair, point, p);
            write_touch(d, pair, &point[p], from >= 0 ? &before->touch[from] : NULL, t);
            if (d->memory) d->memory[t - d->touch] = from >= 0 ? before->memory[from] : (contact_memory){.live = 0};
            ++t;
        }
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

#define SCRATCH(count, type) arena_alloc(w->scratch, (size_t)(count) * sizeof(type), _Alignof(type))

/// Counts become firsts; returns their sum.
static int prefix_sum(int *value, int count)
{
    int sum = 0;
    for (int i = 0; i < count; ++i) {
        int v = value[i];
        value[i] = sum, sum += v;
    }
    return sum;
}

static int make_shapes(scree_world *w, detection *d, int count, scree_pool *pool)
{
    d->proxy = SCRATCH(d->shape_count, shape_proxy);
    d->box = SCRATCH(w->slot_count, vec3);
    d->spin = SCRATCH(w->slot_count, double);
    d->still_reach = SCRATCH(w->slot_count, double);
    d->posed = SCRATCH(w->slot_count, posed_shape);
    if (!d->proxy || !d->box || !d->spin || !d->still_reach || !d->posed) return 0;
    parallel_for(pool, count, world_grain(d->world, SHAPE_CHUNK), make_proxies, d);
    return 1;
}

static scree_status find_pairs(scree_world *w, detection *d, scree_pool *pool)
{
    if (!make_shapes(w, d, d->shape_count, pool)) return SCREE_ERR_MEMORY;
    reach_of_turning_planes(d);
    broadphase_input input = {.count = d->shape_count,
                              .proxy = d->proxy,
                              .drop = vec_norm(w->options.gravity) * d->h * d->h,
                              .box = (const double(*)[3])d->box};
    return d->periodic ? periodic_pairs(w, &input, &d->pairs) : broadphase_update(w->broad, &input, pool, &d->pairs);
}

/// From so many pairs to the contacts of the world.
static scree_status find_contacts(scree_world *w, detection *d, int pairs, scree_pool *pool)
{
    int chunks = parallel_chunks(pairs, d->chunk);
    d->hits = SCRATCH(pairs, hit);
    d->hit_count = SCRATCH(chunks, int);
    d->general_first = SCRATCH(chunks, int);
    d->touch_first = SCRATCH(chunks, int);
    if (!d->hits || !d->hit_count || !d->general_first || !d->touch_first) return SCREE_ERR_MEMORY;
    parallel_for(pool, pairs, d->chunk, d->listed ? filter_listed : filter_pairs, d);
    int general = prefix_sum(d->general_first, chunks);
    d->found = SCRATCH(general, contact_point);
    if (!d->found) return SCREE_ERR_MEMORY;
    if (general > 0) parallel_for(pool, pairs, d->chunk, collide_hits, d);

    int count = prefix_sum(d->touch_first, chunks);
    w->previous.count = 0; /* nothing in it is needed any more */
    if (contacts_reserve(w, &w->previous, count) != SCREE_OK) return SCREE_ERR_MEMORY;
    d->touch = w->previous.touch, d->memory = w->history ? w->previous.memory : NULL;
    parallel_for(pool, pairs, d->chunk, write_touches, d);
    contact_set before = w->contacts;
    w->contacts = w->previous, w->previous = before;
    w->contacts.count = count;
    return SCREE_OK;
}

static detection detection_begin(scree_world *w, double h, const listed_pairs *listed)
{
    arena_reset(w->scratch);
    detection d = {
        .world = w, .h = h, .shape_count = w->shape_count, .periodic = world_is_periodic(w), .listed = listed};
    d.half_slack = 0.5 * (w->options.margin + vec_norm(w->options.gravity) * h * h);
    d.chunk = world_grain(w, listed ? LISTED_CHUNK : PAIR_CHUNK); /* listed pairs are few, and each is work */
    planar_normal(w->options.planar, d.plane_normal);
    return d;
}

scree_status scree_world_detect(scree_world *w, double h, scree_pool *pool, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    if (!(h >= 0.0 && h <= DBL_MAX)) {
        scree_error_set(error, NULL, 0, 0, "contacts within a step of %g s, expected 0 or more", h);
        return error_keep(error, SCREE_ERR_INPUT);
    }
    if (world_reclaim(w) != SCREE_OK) return error_keep(error, SCREE_ERR_MEMORY);
    detection d = detection_begin(w, h, NULL);
    scree_status status = find_pairs(w, &d, pool);
    if (status == SCREE_OK) status = find_contacts(w, &d, d.pairs.count, pool);
    return error_keep(error, status);
}

scree_status world_detect_listed(scree_world *w, const listed_pairs *pairs, double h, scree_pool *pool)
{
    detection d = detection_begin(w, h, pairs);
    if (!make_shapes(w, &d, pairs->shapes, pool)) return SCREE_ERR_MEMORY;
    return find_contacts(w, &d, pairs->count, pool);
}

scree_status world_contacts_look(const scree_world *w, double h, contact_set *found)
{
    (void)world_sync(w, PART_MOTION);
    scree_world look = *w; /* reads the bodies of w, and has lists and memory of its own */
    look.contacts = look.previous = (contact_set){.count = 0};
    look.holder = (world_holder){.engine = NULL};
    look.history = 0, look.broad = NULL, look.scratch = NULL;
    scree_status status = broadphase_create(&w->allocator, &look.broad);
    if (!status) status = arena_create(&w->allocator, &look.scratch);
    if (!status) status = scree_world_detect(&look, h, NULL, NULL);
    broadphase_destroy(look.broad);
    arena_destroy(look.scratch);
    memory_free(&w->allocator, look.previous.touch);
    *found = look.contacts;
    return status;
}
