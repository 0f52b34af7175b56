/* simulation.c: a scene in motion: its world, its stepper, the sources that pour, and the bodies that disappear.
 *
 * A body with `until` leaves the world before the first step that begins then or later. That follows from the time and from whether it is
 * there, both of which a restart has.
 *
 * A source is a pour and one number, the grains it has poured. Grain k is due at its time k / rate; it comes at the first step that
 * begins then or later and finds one of its places free. Its size and its places follow from (seed, k), so that the number is all a
 * restart needs. */
#include <scree/run.h>

#include "run/measures.h"
#include "run/run_parts.h"
#include "scene/generators.h"
#include "scene/places.h"
#include "scene/scene_build.h"

#include "base/fail.h"
#include "base/memory.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "step/stepper_private.h"
#include "world/world_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
    const scene_generator *generator;
    uint64_t seed;
} source;

struct scree_simulation {
    scree_allocator allocator;
    const scree_scene *scene;
    scree_world *world;
    scree_stepper *stepper;
    double step; /* [s] */
    int64_t left_out;
    int source_count;
    source *sources;
    int64_t *poured;          /* (source_count) */
    double next_leave;        /* when the next body disappears [s]; infinite: none will */
    scree_measures *measures; /* NULL: none */
    int64_t
        watch_steps; /* measures that watch bodies on their way look after each multiple of this; 0: there are none */
};

void scree_simulation_destroy(scree_simulation *s)
{
    if (!s) return;
    scree_allocator a = s->allocator;
    measures_destroy(s->measures);
    scree_stepper_destroy(s->stepper);
    scree_world_destroy(s->world);
    MEMORY_FREE_ALL(&a, s->sources, s->poured, s);
}

static scree_status make_sources(scree_simulation *s)
{
    const scene_root *root = &s->scene->root;
    const scene_generator *g = root->generators.item;
    size_t room = (size_t)root->generators.count + 1;
    s->sources = memory_array(&s->allocator, room, sizeof *s->sources);
    s->poured = memory_array(&s->allocator, room, sizeof *s->poured);
    if (!s->sources || !s->poured) return SCREE_ERR_MEMORY;
    for (int k = 0; k < root->generators.count; ++k)
        if (g[k].pour.head.node) s->sources[s->source_count++] = (source){&g[k], generator_seed(root, k)};
    return SCREE_OK;
}

/// What the scheme lacks, said where the scene names it. It is the scene that asks for what there is not: bad input.
static scree_status check_scheme(const scree_simulation *s, scree_error *error)
{
    scree_error why = {.text = ""};
    const scene_root *root = &s->scene->root;
    const scree_doc_node *at = root->stepper.head.node ? root->stepper.head.node : root->head.node;
    scree_status status = scree_stepper_check(s->stepper, s->world, NULL, &why);
    if (status == SCREE_OK || status == SCREE_ERR_MEMORY) return status;
    scree_error_set(error, s->scene->name, at ? at->line : 0, at ? at->column : 0, "%s", why.text);
    return status == SCREE_ERR_UNSUPPORTED ? SCREE_ERR_INPUT : status;
}

/// Steps of soft contacts are so short that a look after each would cost more than they do.
static scree_status make_measures(scree_simulation *s, int soft)
{
    enum { SOFT_STEPS = 10 };
    scree_status status = measures_create(s->scene, s->world, &s->allocator, &s->measures);
    if (s->measures && s->measures->watches) s->watch_steps = soft ? SOFT_STEPS : 1;
    return status;
}

scree_simulation *simulation_create_on(const scree_scene *scene, int threads, int device,
                                       const scree_allocator *allocator, scree_error *error)
{
    if (error_stopped(error)) return NULL;
    scree_allocator a = memory_allocator(allocator);
    scree_error unread = {0};
    if (!error) error = &unread;
    scree_stepper_options options = scree_scene_stepper(scene);
    scree_simulation *s = memory_array(&a, 1, sizeof *s);
    scree_status status = s ? SCREE_OK : SCREE_ERR_MEMORY;
    if (threads > 0) options.threads = threads;
    if (device > 0) options.device = (scree_device)(device - 1);
    if (s) {
        s->allocator = a, s->scene = scene, s->step = options.step;
        status = make_sources(s);
        options.allocator = &a;
        if (status == SCREE_OK) s->stepper = scree_stepper_create(&options, error), status = error->status;
        if (status == SCREE_OK) status = scene_build(scene, &a, &s->world, &s->left_out, error);
        if (status == SCREE_OK) status = check_scheme(s, error);
        if (status == SCREE_OK) status = make_measures(s, options.scheme == SCREE_SCHEME_DEM);
    }
    if (status == SCREE_ERR_MEMORY) scree_error_set(error, scene->name, 0, 0, "out of memory while building the scene");
    if (error_keep(error, status) == SCREE_OK) return s;
    scree_simulation_destroy(s);
    return NULL;
}

scree_simulation *scree_simulation_create(const scree_scene *scene, int threads, const scree_allocator *allocator,
                                          scree_error *error)
{
    return simulation_create_on(scene, threads, 0, allocator, error);
}

scree_world *scree_simulation_world(scree_simulation *s)
{
    return s->world;
}

scree_stepper *scree_simulation_stepper(scree_simulation *s)
{
    return s->stepper;
}

scree_measures *scree_simulation_measures(scree_simulation *s)
{
    return s->measures;
}

int scree_simulation_sources(scree_simulation *s, int64_t **state)
{
    *state = s->poured;
    return s->source_count;
}

/* ---- disappearing ---------------------------------------------------------------------------------------------------------- */

/// Bodies whose time is over. Body k of the scene is body k of the world.
static void leave(scree_simulation *s)
{
    const scene_root *root = &s->scene->root;
    const scene_body *body = root->bodies.item;
    const double now = scree_world_time(s->world) + 1e-6 * s->step;
    if (!(s->next_leave <= now)) return;
    s->next_leave = SCREE_INFINITY;
    for (int k = 0; k < root->bodies.count; ++k) {
        if (body[k].until == 0.0 || scree_world_body_kind(s->world, scree_body_at(k)) == SCREE_BODY_REMOVED) continue;
        if (body[k].until <= now) scree_world_remove_body(s->world, scree_body_at(k));
        else s->next_leave = number_min(s->next_leave, body[k].until);
    }
}

/* ---- pouring -------------------------------------------------------------------------------------------------------------- */

/// The grains of one source that are due and have room. A time that rounding puts just behind the step's counts as reached.
static scree_status pour(scree_simulation *s, int index, scree_error *error)
{
    const source *from = &s->sources[index];
    const scene_pour *p = &from->generator->pour;
    double now = scree_world_time(s->world) + 1e-6 * s->step;
    while (s->poured[index] < p->count && pour_time(p, s->poured[index]) <= now) {
        grain it;
        if (!pour_find(&s->scene->root, from->generator, from->seed, s->poured[index], s->world, &it)) break;
        scree_status status = grain_add(s->world, from->generator, &it, error);
        if (status != SCREE_OK) return status;
        s->poured[index] += 1;
    }
    return SCREE_OK;
}

static scree_status pour_all(scree_simulation *s, scree_error *error)
{
    for (int k = 0; k < s->source_count; ++k) {
        scree_status status = pour(s, k, error);
        if (status == SCREE_ERR_MEMORY)
            scree_error_set(error, s->scene->name, 0, 0, "out of memory for a poured grain");
        if (status != SCREE_OK) return status;
    }
    return SCREE_OK;
}

/* ---- stepping ------------------------------------------------------------------------------------------------------------- */

/// Shows the bodies to the measures, if they look after this step.
static scree_status watch(scree_simulation *s, scree_error *error)
{
    if (s->watch_steps == 0 || scree_world_step_count(s->world) % s->watch_steps != 0) return SCREE_OK;
    scree_status status = measures_watch(s->measures, s->world);
    if (status != SCREE_OK) scree_error_set(error, s->scene->name, 0, 0, "out of memory while measuring");
    return status;
}

scree_status scree_simulation_step(scree_simulation *s, scree_step_report *report, scree_error *error)
{
    if (error_stopped(error)) return error->status;
    leave(s);
    scree_status status = pour_all(s, error);
    if (status == SCREE_OK) status = scree_advance(s->stepper, s->world, 1, report, error);
    if (status == SCREE_OK) status = watch(s, error);
    return error_keep(error, status);
}

/// Steps that can be taken before a body disappears, a source has something to pour, or a measure looks: at least 1, at most `steps`.
static int64_t steps_at_once(const scree_simulation *s, int64_t steps)
{
    double now = scree_world_time(s->world);
    if (s->watch_steps > 0) {
        int64_t ahead = s->watch_steps - scree_world_step_count(s->world) % s->watch_steps;
        if (ahead < steps) steps = ahead;
    }
    for (int k = -1; k < s->source_count; ++k) {
        const scene_pour *p = k < 0 ? NULL : &s->sources[k].generator->pour;
        if (p && s->poured[k] >= p->count) continue;
        const double next = p ? pour_time(p, s->poured[k]) : s->next_leave;
        double ahead = (next - now) / s->step - 0.5; /* half a step: rounding of the times */
        if (ahead < (double)steps) steps = ahead > 1.0 ? (int64_t)ahead : 1;
    }
    return steps;
}

scree_status scree_simulation_advance(scree_simulation *s, int64_t steps, scree_step_report *report, scree_error *error)
{
    scree_status status = SCREE_OK;
    int parts = 0;
    if (error_stopped(error)) return error->status;
    for (int64_t some; steps > 0 && status == SCREE_OK; steps -= some) {
        scree_step_report part = {.step = 0};
        leave(s);
        status = pour_all(s, error);
        some = steps_at_once(s, steps);
        if (status == SCREE_OK) status = scree_advance(s->stepper, s->world, some, report ? &part : NULL, error);
        if (status == SCREE_OK) status = watch(s, error);
        if (part.step == 0) continue; /* no report is wanted, or no step was taken to its end */
        if (parts++ == 0) *report = part;
        else report_add(report, &part);
    }
    return error_keep(error, status);
}

/* ---- what is there ---------------------------------------------------------------------------------------------------------- */

scree_census scree_simulation_census(const scree_simulation *s)
{
    scree_census c = {.left_out = s->left_out, .materials = s->scene->root.materials.count};
    for (int b = 0, n = scree_world_body_count(s->world); b < n; ++b) {
        scree_body_kind kind = scree_world_body_kind(s->world, scree_body_at(b));
        c.dynamic += kind == SCREE_BODY_DYNAMIC, c.fixed += kind == SCREE_BODY_FIXED,
            c.driven += kind == SCREE_BODY_DRIVEN;
        if (kind == SCREE_BODY_DYNAMIC) c.mass += scree_world_mass(s->world, scree_body_at(b));
    }
    for (int k = 0, n = scree_world_shape_count(s->world); k < n; ++k) {
        int body;
        const scree_shape *shape = scree_world_shape(s->world, scree_shape_at(k));
        body = scree_body_index(scree_world_shape_body(s->world, scree_shape_at(k)));
        if (shape->kind != SCREE_SHAPE_SPHERE ||
            scree_world_body_kind(s->world, scree_body_at(body)) != SCREE_BODY_DYNAMIC)
            continue;
        if (c.radius == 0.0 || shape->size[0] < c.radius) c.radius = shape->size[0];
    }
    for (int k = 0; k < s->source_count; ++k) {
        c.poured += s->poured[k];
        c.to_pour += s->sources[k].generator->pour.count - s->poured[k];
    }
    return c;
}

/* ---- overlaps ------------------------------------------------------------------------------------------------------------------ */

static int by_bodies(const void *a, const void *b)
{
    const scree_overlap *x = a, *y = b;
    if (x->body_a != y->body_a) return x->body_a < y->body_a ? -1 : 1;
    if (x->body_b != y->body_b) return x->body_b < y->body_b ? -1 : 1;
    return (x->depth < y->depth) - (x->depth > y->depth);
}

static int by_depth(const void *a, const void *b)
{
    const scree_overlap *x = a, *y = b;
    if (x->depth != y->depth) return x->depth > y->depth ? -1 : 1;
    return by_bodies(a, b);
}

/// All shapes in the world with what the broadphase asks of them.
typedef struct shape_view {
    int count;
    posed_shape *posed;
    shape_proxy *proxy;
    double (*box)[3]; /* half lengths of the bounding box; planes: normal */
} shape_view;

static void view_free(const scree_allocator *a, shape_view *v)
{
    MEMORY_FREE_ALL(a, v->posed, v->proxy, v->box);
}

static scree_status view_make(const scree_world *world, const scree_allocator *a, shape_view *v)
{
    size_t n = (size_t)scree_world_shape_count(world) + 1;
    *v = (shape_view){.count = (int)n - 1,
                      .posed = memory_array(a, n, sizeof *v->posed),
                      .proxy = memory_array(a, n, sizeof *v->proxy),
                      .box = memory_array(a, n, sizeof *v->box)};
    if (!v->posed || !v->proxy || !v->box) return SCREE_ERR_MEMORY;
    for (int k = 0; k < v->count; ++k) {
        int body;
        const scree_shape *shape = scree_world_shape(world, scree_shape_at(k));
        body = scree_body_index(scree_world_shape_body(world, scree_shape_at(k)));
        scree_body_kind kind = scree_world_body_kind(world, scree_body_at(body));
        posed_shape *posed = &v->posed[k];
        double low[3], high[3];
        world_shape_pose(world, k, posed);
        v->proxy[k] = (shape_proxy){.centre = {posed->x[0], posed->x[1], posed->x[2]},
                                    .radius = shape_radius(shape),
                                    .body = kind == SCREE_BODY_REMOVED ? -1 : body,
                                    .slot = shape->kind == SCREE_SHAPE_SPHERE ? -1 : k,
                                    .kind = (unsigned char)shape->kind,
                                    .moves = kind == SCREE_BODY_DYNAMIC};
        shape_bounds(posed, low, high);
        for (int c = 0; c < 3; ++c)
            v->box[k][c] = shape->kind == SCREE_SHAPE_PLANE ? posed->R[3 * c + 2]
                                                            : number_max(high[c] - posed->x[c], posed->x[c] - low[c]);
    }
    return SCREE_OK;
}

/// Overlaps of pairs of shapes deeper than `depth`; room for one for each candidate.
static int find_overlaps(const shape_view *v, const shape_pairs *pairs, double depth, scree_overlap *found)
{
    int n = 0;
    for (int i = 0; i < v->count; ++i)
        for (int at = pairs->row[i]; at < pairs->row[i + 1]; ++at) {
            int j = pairs->partner[at], a = v->proxy[i].body, b = v->proxy[j].body;
            manifold m;
            double deepest = 0.0;
            if (a < 0 || b < 0) continue;
            collide(&v->posed[i], &v->posed[j], 0.0, &m);
            for (int k = 0; k < m.count; ++k) deepest = number_max(deepest, -m.point[k].gap);
            if (deepest > depth) found[n++] = (scree_overlap){a < b ? a : b, a < b ? b : a, deepest};
        }
    return n;
}

scree_status scree_simulation_overlaps(const scree_simulation *s, double depth, int capacity, scree_overlap *overlap,
                                       int *count)
{
    const scree_allocator *a = &s->allocator;
    shape_view v;
    broadphase *bp = NULL;
    shape_pairs pairs = {.count = 0};
    scree_overlap *found = NULL;
    int kept = 0;
    *count = 0;
    scree_status status = view_make(s->world, a, &v);
    if (status == SCREE_OK) status = broadphase_create(a, &bp);
    if (status == SCREE_OK) {
        broadphase_input input = {.count = v.count, .proxy = v.proxy, .box = (const double(*)[3])v.box};
        status = broadphase_update(bp, &input, NULL, &pairs);
    }
    if (status == SCREE_OK && !(found = memory_array(a, (size_t)pairs.count + 1, sizeof *found)))
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        int n = find_overlaps(&v, &pairs, depth, found);
        qsort(found, (size_t)n, sizeof *found, by_bodies); /* several shapes of two bodies: the deepest stands first */
        for (int k = 0; k < n; ++k)
            if (k == 0 || found[k].body_a != found[k - 1].body_a || found[k].body_b != found[k - 1].body_b)
                found[kept++] = found[k];
        qsort(found, (size_t)kept, sizeof *found, by_depth);
        for (int k = 0; k < kept && k < capacity; ++k) overlap[k] = found[k];
        *count = kept;
    }
    memory_free(a, found);
    broadphase_destroy(bp);
    view_free(a, &v);
    return status;
}
