/* shapes.c: see shapes.h. The order of a step is that of dem/dem_spheres_walls.c; a step of LAMMPS begins where the loads of the last one
 * ended, so histories are carried at the beginning of the next loads instead of the end of these. Spheres have no rotation in LAMMPS: what
 * carries their histories is the turn of the last step, exp(h omega). */
#include "shapes.h"

#include "base/arena.h"
#include "base/memory.h"
#include "dem/dem.h"
#include "dem/spheres/bed_parts.h"
#include "laws/forcing.h"
#include "math/quat.h"
#include "scene/scene_build.h"
#include "world/world_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// What a contact remembers: the contact and its memory, whose numbers of bodies and shapes are this rank's.
typedef struct remembered {
    scree_contact_point touch;
    contact_memory memory;
} remembered;
_Static_assert(sizeof(remembered) <= sizeof(lmp_shape_words), "LMP_SHAPE_WORDS is too small");

/// A body of the scene that does not move freely.
typedef struct wall {
    int body;
    double arm;  /* its farthest point, but of planes           */
    int endless; /* it has a plane, whose points go on for ever */
    lmp_shape_state now;
    double step[6]; /* velocity and spin of the step to come */
    double felt[6];
} wall;

typedef struct near_ball {
    int sphere, body;
} near_ball;

struct lmp_shapes {
    scree_allocator allocator;
    scree_scene *scene;
    scree_world *bare, *world; /* walls alone; with the spheres near them */
    scree_stepper_options stepper;
    arena *scratch;
    int walls, shapes;
    wall *wall;
    int *shape; /* (shapes) those of walls, ascending */
    int near_count, room, pairs, pair_room;
    near_ball *near; /* by body */
    int *sphere;     /* (bodies of `world`) sphere of the host; -1: none */
    int *listed, (*pair)[2];
    int *found;       /* (room) */
    double *radius;   /* (room) */
    vec6 *before;     /* (bodies) */
    quat *q0;         /* (bodies) */
    remembered *kept; /* before the last loads */
    int kept_count, kept_room;
    dem_touch *load; /* (contacts) of the last loads, in the arena */
    double h, time, reach, way;
    int64_t steps;
};

/* ---- the walls ------------------------------------------------------------------------------------------------------------ */

void lmp_shapes_destroy(lmp_shapes *s)
{
    if (!s) return;
    const scree_allocator a = s->allocator;
    scree_world_destroy(s->world), scree_world_destroy(s->bare);
    scree_scene_destroy(s->scene);
    arena_destroy(s->scratch);
    MEMORY_FREE_ALL(&a, s->wall, s->shape, s->near, s->sphere, s->listed, s->pair, s->found, s->radius, s->before,
                    s->q0, s->kept);
    memory_free(&a, s);
}

/// The world of the scene without what moves freely.
static scree_world *make_world(const lmp_shapes *s, scree_error *error)
{
    scree_world *w = NULL;
    int64_t left_out;
    const scree_status status = scene_build(s->scene, &s->allocator, &w, &left_out, error);
    if (status != SCREE_OK) {
        if (error) error->status = status;
        return NULL;
    }
    for (int b = 0; b < w->body_count; ++b)
        if (w->kind[b] == SCREE_BODY_DYNAMIC) scree_world_remove_body(w, scree_body_at(b));
    if (contacts_remember(w) == SCREE_OK) return w;
    scree_world_destroy(w);
    if (error) error->status = SCREE_ERR_MEMORY;
    return NULL;
}

static int is_wall(const scree_world *w, int shape, int planes)
{
    const scree_body_kind kind = (scree_body_kind)w->kind[w->shape_body[shape]];
    if (kind == SCREE_BODY_FIXED) return planes || w->shape[shape].kind != SCREE_SHAPE_PLANE;
    return kind == SCREE_BODY_DRIVEN;
}

static const forcing_motion *motion_of(const lmp_shapes *s, const wall *on)
{
    const scree_world *w = s->bare;
    return w->kind[on->body] == SCREE_BODY_DRIVEN ? &w->extras[w->extra[on->body]].motion : NULL;
}

static int find_walls(lmp_shapes *s, int planes)
{
    const scree_world *w = s->bare;
    s->wall = memory_array(&s->allocator, (size_t)w->body_count + 1, sizeof *s->wall);
    s->shape = memory_array(&s->allocator, (size_t)w->shape_count + 1, sizeof *s->shape);
    if (!s->wall || !s->shape) return 0;
    for (int k = 0; k < w->shape_count; ++k) {
        const int b = w->shape_body[k];
        if (!is_wall(w, k, planes)) continue;
        if (s->walls == 0 || s->wall[s->walls - 1].body != b) {
            wall *on = &s->wall[s->walls++];
            on->body = b;
            memcpy(on->now.x, w->x[b], sizeof on->now.x), memcpy(on->now.q, w->q[b], sizeof on->now.q);
            memcpy(on->now.v, w->v[b], sizeof on->now.v);
            memcpy(on->now.moved_from, w->q[b], sizeof on->now.moved_from);
        }
        wall *on = &s->wall[s->walls - 1];
        if (w->shape[k].kind == SCREE_SHAPE_PLANE) on->endless = 1;
        else on->arm = max2(on->arm, vec_norm(w->shape[k].position) + w->shape_extent[k]);
        s->shape[s->shapes++] = k;
    }
    return 1;
}

lmp_shapes *lmp_shapes_read(const char *path, int materials, int planes, double step, scree_error *error)
{
    const scree_allocator a = memory_allocator(NULL);
    lmp_shapes *s = memory_array(&a, 1, sizeof *s);
    if (!s) return NULL;
    s->allocator = a, s->h = step;
    s->scene = scree_scene_read(path, NULL, 0, NULL, error);
    if (s->scene) {
        s->scene->root.generators.count = 0; /* grains are the host's */
        s->stepper = scree_scene_stepper(s->scene);
        s->bare = make_world(s, error);
    }
    int fine = s->bare && arena_create(&a, &s->scratch) == SCREE_OK && find_walls(s, planes);
    if (fine && s->walls == 0)
        fine = 0, scree_error_set(error, path, 0, 0, "the scene has no body that is fixed or driven");
    if (fine && scree_world_material_count(s->bare) < materials)
        fine = 0,
        scree_error_set(error, path, 0, 0, "the scene has %d materials, expected one for each of the %d atom types",
                        scree_world_material_count(s->bare), materials);
    if (fine) return s;
    lmp_shapes_destroy(s);
    return NULL;
}

int lmp_shapes_walls(const lmp_shapes *s)
{
    return s->walls;
}

lmp_shape_state *lmp_shapes_state(lmp_shapes *s, int k)
{
    return &s->wall[k].now;
}

void lmp_shapes_set_time(lmp_shapes *s, double time, int64_t steps)
{
    s->time = time, s->steps = steps;
}

void lmp_shapes_time(const lmp_shapes *s, double *time, int64_t *steps)
{
    *time = s->time, *steps = s->steps;
}

const double *lmp_shapes_felt(const lmp_shapes *s, int k)
{
    return s->wall[k].felt;
}

const double *lmp_shapes_velocity(const lmp_shapes *s, int k)
{
    return s->wall[k].step;
}

/// Poses and velocities of walls into a world.
static void walls_place(const lmp_shapes *s, scree_world *w)
{
    w->time = s->time, w->step_count = s->steps;
    for (const wall *on = s->wall; on < s->wall + s->walls; ++on) {
        memcpy(w->x[on->body], on->now.x, sizeof(vec3)), memcpy(w->q[on->body], on->now.q, sizeof(quat));
        memcpy(w->v[on->body], on->now.v, sizeof(vec3));
    }
}

/* ---- lists ---------------------------------------------------------------------------------------------------------------- */

static int grow(lmp_shapes *s, int spheres)
{
    const scree_allocator *a = &s->allocator;
    const int bodies = s->bare->body_count + spheres;
    if (spheres < s->room) return 1;
    const size_t room = (size_t)spheres + (size_t)spheres / 4 + 64, all = room + (size_t)bodies;
    MEMORY_FREE_ALL(a, s->near, s->sphere, s->listed, s->found, s->radius, s->before, s->q0);
    s->near = memory_array(a, room, sizeof *s->near), s->found = memory_array(a, room, sizeof *s->found);
    s->radius = memory_array(a, room, sizeof *s->radius), s->sphere = memory_array(a, all, sizeof *s->sphere);
    s->listed = memory_array(a, all + (size_t)s->shapes, sizeof *s->listed);
    s->before = memory_array(a, all, sizeof *s->before), s->q0 = memory_array(a, all, sizeof *s->q0);
    s->room = s->near && s->found && s->radius && s->sphere && s->listed && s->before && s->q0 ? (int)room : 0;
    return s->room > 0;
}

static int add_pair(lmp_shapes *s, int shape, int ball)
{
    if (s->pairs == s->pair_room) {
        const int room = 2 * s->pair_room + 256;
        int(*grown)[2] = world_grow(&s->allocator, s->pair, s->pairs, room, sizeof *s->pair);
        if (!grown) return 0;
        s->pair = grown, s->pair_room = room;
    }
    s->pair[s->pairs][0] = shape, s->pair[s->pairs][1] = ball, s->pairs += 1;
    return 1;
}

/// The sphere as a body of the world, once. Returns its body; -1: failed.
static int add_ball(lmp_shapes *s, const lmp_spheres *balls, int k, scree_error *error)
{
    scree_body_def def = scree_body_def_of(scree_shape_sphere(balls->radius[k], scree_material_at(balls->material[k])));
    def.mass = balls->mass[k];
    memcpy(def.position, balls->x + 3 * (size_t)k, sizeof def.position);
    const int body = scree_body_index(scree_world_add_body(s->world, &def, error));
    if (body < 0) return -1;
    s->near[s->near_count++] = (near_ball){k, body};
    s->sphere[body] = k;
    return body;
}

/// Balls of one wall ascend by their spheres, and by their bodies only if they were made in that order: so all are made first.
int lmp_shapes_list(lmp_shapes *s, const lmp_spheres *balls, double reach, scree_error *error)
{
    if (!grow(s, balls->count)) return 0;
    scree_world_destroy(s->world);
    s->world = make_world(s, error);
    s->near_count = s->pairs = 0, s->reach = reach, s->way = 0.0;
    if (!s->world) return 0;
    walls_place(s, s->bare);
    memset(s->radius, 0, (size_t)balls->count * sizeof *s->radius); /* first: 1 where it is near */
    for (int k = 0; k < s->shapes; ++k) {
        const int n = world_balls_near(s->bare, s->shape[k], balls->count, balls->x, balls->radius, reach, s->found);
        for (int i = 0; i < n; ++i) s->radius[s->found[i]] = 1.0;
    }
    for (int b = 0; b < s->world->body_count; ++b) s->sphere[b] = -1;
    for (int k = 0; k < balls->count; ++k)
        if (s->radius[k] > 0.0 && add_ball(s, balls, k, error) < 0) return 0;
    for (int k = 0; k < s->shapes; ++k) {
        const int n = world_balls_near(s->bare, s->shape[k], balls->count, balls->x, balls->radius, reach, s->found);
        for (int i = 0, at = 0; i < n; ++i) { /* both ascend by sphere */
            while (s->near[at].sphere != s->found[i]) ++at;
            if (!add_pair(s, s->shape[k], s->world->first_shape[s->near[at].body])) return 0;
        }
        s->listed[k] = s->shape[k];
    }
    for (int i = 0; i < s->near_count; ++i) s->listed[s->shapes + i] = s->world->first_shape[s->near[i].body];
    return 1;
}

static int by_sphere(const void *key, const void *at)
{
    const int a = *(const int *)key, b = ((const near_ball *)at)->sphere;
    return (a > b) - (a < b);
}

int lmp_shapes_remember(lmp_shapes *s, int sphere, const lmp_shape_words *words)
{
    remembered r;
    contact_set *set = &s->world->contacts;
    const near_ball *at =
        s->near_count ? bsearch(&sphere, s->near, (size_t)s->near_count, sizeof *at, by_sphere) : NULL;
    if (!at) return 1; /* it has left the walls */
    memcpy(&r, words, sizeof r);
    r.touch.body_a = s->world->shape_body[r.touch.shape_a];
    r.touch.body_b = at->body, r.touch.shape_b = s->world->first_shape[at->body];
    if (contacts_reserve(s->world, set, set->count + 1) != SCREE_OK) return 0;
    set->touch[set->count] = r.touch, set->memory[set->count] = r.memory, set->count += 1;
    return 1;
}

static int by_place(const void *a, const void *b)
{
    const scree_contact_point *x = &((const remembered *)a)->touch, *y = &((const remembered *)b)->touch;
    if (x->shape_a != y->shape_a) return x->shape_a < y->shape_a ? -1 : 1;
    if (x->shape_b != y->shape_b) return x->shape_b < y->shape_b ? -1 : 1;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

static int keep(lmp_shapes *s)
{
    const contact_set *set = &s->world->contacts;
    if (set->count > s->kept_room) {
        memory_free(&s->allocator, s->kept);
        s->kept_room = 0, s->kept_count = 0;
        s->kept = memory_array(&s->allocator, (size_t)set->count + 64, sizeof *s->kept);
        if (!s->kept) return 0;
        s->kept_room = set->count + 64;
    }
    for (int k = 0; k < set->count; ++k) {
        memset(&s->kept[k], 0, sizeof s->kept[k]);
        s->kept[k].touch = set->touch[k], s->kept[k].memory = set->memory[k];
    }
    s->kept_count = set->count;
    return 1;
}

void lmp_shapes_ready(lmp_shapes *s)
{
    contact_set *set = &s->world->contacts;
    if (set->count < 2 || !keep(s)) return;
    qsort(s->kept, (size_t)s->kept_count, sizeof *s->kept, by_place);
    for (int k = 0; k < set->count; ++k) set->touch[k] = s->kept[k].touch, set->memory[k] = s->kept[k].memory;
}

/// How fast any point of a wall moves that a ball may meet.
static double wall_speed(const wall *on, const lmp_spheres *balls)
{
    const double turning = vec_norm(on->now.moved + 3);
    double arm = on->arm;
    for (int k = 0; k < balls->count && on->endless && turning > 0.0; ++k) {
        double r[3];
        vec_sub(balls->x + 3 * (size_t)k, on->now.x, r);
        if (balls->radius[k] > 0.0) arm = max2(arm, vec_norm(r) + balls->radius[k]);
    }
    return vec_norm(on->now.moved) + turning * arm;
}

int lmp_shapes_used(lmp_shapes *s, const lmp_spheres *balls)
{
    double fastest = 0.0, walls = 0.0;
    for (int k = 0; k < balls->count; ++k) {
        const double *v = balls->v + 3 * (size_t)k;
        if (balls->radius[k] > 0.0) fastest = max2(fastest, vec_dot(v, v));
    }
    for (const wall *on = s->wall; on < s->wall + s->walls; ++on) walls = max2(walls, wall_speed(on, balls));
    s->way += s->h * (sqrt(fastest) + walls);
    return s->way > s->reach;
}

/* ---- loads ---------------------------------------------------------------------------------------------------------------- */

/// Spheres near walls as they are now; histories go with them and the walls.
static void carry(lmp_shapes *s, const lmp_spheres *balls)
{
    scree_world *w = s->world;
    step_context c = {.world = w, .q0 = s->q0};
    for (const near_ball *n = s->near; n < s->near + s->near_count; ++n) {
        const size_t at = 3 * (size_t)n->sphere;
        const double *omega = balls->omega + at, turned[3] = {s->h * omega[0], s->h * omega[1], s->h * omega[2]};
        memcpy(w->x[n->body], balls->x + at, sizeof(vec3)), memcpy(w->v[n->body], balls->v + at, sizeof(vec3));
        memcpy(s->before[n->body], w->v[n->body], sizeof(vec3));
        memcpy(s->before[n->body] + 3, omega, sizeof(vec3));
        s->q0[n->body][0] = 1.0, s->q0[n->body][1] = s->q0[n->body][2] = s->q0[n->body][3] = 0.0;
        quat_exp(turned, w->q[n->body]);
    }
    for (const wall *on = s->wall; on < s->wall + s->walls; ++on)
        memcpy(s->q0[on->body], on->now.moved_from, sizeof(quat)), memcpy(s->before[on->body], on->step, sizeof(vec6));
    (void)dem_memories_carry(&c); /* it asks for nothing */
}

static void touching_keep(contact_set *set)
{
    int kept = 0;
    for (int k = 0; k < set->count; ++k) {
        if (!(set->touch[k].gap < 0.0)) continue;
        if (kept < k) set->touch[kept] = set->touch[k], set->memory[kept] = set->memory[k];
        kept += 1;
    }
    set->count = kept;
}

/// Walls into their places, and how they move in the step to come.
static void walls_begin(lmp_shapes *s)
{
    walls_place(s, s->world);
    for (wall *on = s->wall; on < s->wall + s->walls; ++on) {
        const forcing_motion *m = motion_of(s, on);
        if (m) forcing_velocity(m, on->now.v, s->time, s->h, on->step);
        memset(on->felt, 0, sizeof on->felt);
    }
}

static listed_pairs listed_of(const lmp_shapes *s)
{
    return (listed_pairs){s->pairs, s->shapes + s->near_count, (const int(*)[2])s->pair, s->listed};
}

int lmp_shapes_loads(lmp_shapes *s, const lmp_spheres *balls, int keep_them, scree_error *error)
{
    scree_world *w = s->world;
    s->load = NULL;
    if (keep_them && !keep(s)) return 0;
    walls_begin(s);
    carry(s, balls);
    if (s->pairs == 0) {
        w->contacts.count = 0;
        return 1;
    }
    const listed_pairs pairs = listed_of(s);
    step_context c = {
        .options = &s->stepper, .world = w, .error = error, .t = s->time, .h = s->h, .before = s->before, .q0 = s->q0};
    arena_reset(s->scratch);
    c.memory = arena_allocator(s->scratch);
    scree_status status = world_detect_listed(w, &pairs, s->h, NULL);
    if (status == SCREE_OK) touching_keep(&w->contacts), status = dem_loads_find(&c);
    s->load = c.soft;
    if (status != SCREE_OK && error) error->status = status;
    return status == SCREE_OK;
}

int lmp_shapes_count(const lmp_shapes *s)
{
    return s->load ? s->world->contacts.count : 0;
}

/// Walls have the lower numbers: they are A.
int lmp_shapes_load(const lmp_shapes *s, int k, double force[3], double torque[3])
{
    memcpy(force, s->load[k].force, sizeof(vec3)), memcpy(torque, s->load[k].torque_b, sizeof(vec3));
    return s->sphere[s->world->contacts.touch[k].body_b];
}

double lmp_shapes_peak(const lmp_shapes *s)
{
    double peak = 0.0;
    for (int k = 0; k < lmp_shapes_count(s); ++k) peak = max2(peak, s->world->contacts.touch[k].impulse[0] / s->h);
    return peak;
}

/// x = coarse + fine, multiples of 2^-26 and 2^-52 of the scale, whose sums of up to 2^27 are exact.
static void split(double x, double scale, double *coarse, double *fine)
{
    const double big = 1.5 * ldexp(scale, 52 - 26), small = 1.5 * ldexp(scale, 52 - 52);
    const double part = scale > 0.0 ? (x + big) - big : x, rest = x - part;
    *coarse += part, *fine += scale > 0.0 ? (rest + small) - small : rest;
}

void lmp_shapes_parts(const lmp_shapes *s, int which, double scale, double parts[12])
{
    const wall *on = &s->wall[which];
    int above;
    (void)frexp(on->arm + 1.0, &above);
    const double turn = ldexp(scale, above);
    memset(parts, 0, 12 * sizeof *parts);
    for (int k = 0; k < lmp_shapes_count(s); ++k) {
        if (s->world->contacts.touch[k].body_a != on->body) continue;
        for (int i = 0; i < 3; ++i) {
            split(-s->load[k].force[i], scale, &parts[i], &parts[6 + i]);
            split(s->load[k].torque_a[i], turn, &parts[3 + i], &parts[9 + i]);
        }
    }
}

void lmp_shapes_felt_set(lmp_shapes *s, int which, const double parts[12])
{
    for (int i = 0; i < 6; ++i) s->wall[which].felt[i] = parts[i] + parts[6 + i];
}

void lmp_shapes_move(lmp_shapes *s)
{
    for (wall *on = s->wall; on < s->wall + s->walls; ++on) {
        const forcing_motion *m = motion_of(s, on);
        memcpy(on->now.moved, on->step, sizeof on->step), memcpy(on->now.moved_from, on->now.q, sizeof on->now.q);
        if (!m) continue;
        memcpy(on->now.v, on->step, sizeof on->now.v);
        forcing_move(on->step, s->h, on->now.x, on->now.q);
        forcing_servo_respond(&m->servo, on->felt, on->now.v);
    }
    s->time = forcing_time_after(s->time, s->steps, s->h), s->steps += 1;
}

/* ---- rigid contacts ------------------------------------------------------------------------------------------------------- */

int lmp_shapes_touch(lmp_shapes *s, const lmp_spheres *balls, scree_error *error)
{
    scree_world *w = s->world;
    walls_begin(s);
    for (const near_ball *n = s->near; n < s->near + s->near_count; ++n) {
        const size_t at = 3 * (size_t)n->sphere;
        memcpy(w->x[n->body], balls->x + at, sizeof(vec3)), memcpy(w->v[n->body], balls->v + at, sizeof(vec3));
    }
    w->contacts.count = 0;
    if (s->pairs == 0) return 1;
    const listed_pairs pairs = listed_of(s);
    const scree_status status = world_detect_listed(w, &pairs, s->h, NULL);
    if (status != SCREE_OK && error) error->status = status;
    return status == SCREE_OK;
}

int lmp_shapes_touches(const lmp_shapes *s)
{
    return s->world->contacts.count;
}

void lmp_shapes_touch_at(const lmp_shapes *s, int k, lmp_shape_touch *out)
{
    const scree_contact_point *t = &s->world->contacts.touch[k];
    double arm[3], turn[3];
    out->wall = 0;
    while (s->wall[out->wall].body != t->body_a) out->wall += 1;
    const wall *on = &s->wall[out->wall];
    out->sphere = s->sphere[t->body_b], out->shape = t->shape_a, out->feature = t->feature;
    out->gap = t->gap, out->restitution = t->restitution, out->cone = t->cone;
    memcpy(out->normal, t->normal, sizeof(vec3)), memcpy(out->position, t->position, sizeof(vec3));
    vec_sub(t->position, on->now.x, arm);
    vec_cross(on->step + 3, arm, turn);
    for (int i = 0; i < 3; ++i) out->velocity[i] = on->step[i] + turn[i], out->velocity[3 + i] = on->step[3 + i];
}

/* ---- histories ------------------------------------------------------------------------------------------------------------ */

int lmp_shapes_histories(const lmp_shapes *s, int kept)
{
    return kept ? s->kept_count : s->world ? s->world->contacts.count : 0;
}

int lmp_shapes_history(const lmp_shapes *s, int k, int kept, lmp_shape_words *words)
{
    remembered r;
    memset(&r, 0, sizeof r), memset(words, 0, sizeof *words);
    if (kept) r = s->kept[k];
    else r.touch = s->world->contacts.touch[k], r.memory = s->world->contacts.memory[k];
    memcpy(words, &r, sizeof r);
    return s->sphere[r.touch.body_b];
}
