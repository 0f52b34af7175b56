/* device_walls.h: walls of any shape on a device: the spheres near them, their contacts and histories.
 *
 * Each sphere that is nearer to a wall than the skin has a slot: the pairs it belongs to, in the order of the walls, and room for as many contacts
 * as the slot with most of them needs. Before each step one thread a slot finds the sphere's contacts, as detection does (world/touch.h,
 * collision/..), answers them by the law of the general stages (dem_meet.h), and puts what they do to the sphere where applied loads are put.
 * Contacts are there twice, before and after a step: a step for which there is no room is stopped, and made again with more.
 *
 * Sums over contacts (the ledger, forces on driven bodies) are exact, in integers (exact_sum.h), first in shared memory. Slots are made again with
 * every list of contacts, in the order of the spheres; contacts move along by their spheres. */
#ifndef SCREE_DEM_CUDA_DEVICE_WALLS_H
#define SCREE_DEM_CUDA_DEVICE_WALLS_H

#include "dem/cuda/device_state.h"
#include "dem/dem_meet.h"

/* ---- who is near ----------------------------------------------------------------------------------------------------------------- */

/// Where a number is among those that ascend; -1: nowhere.
SCREE_HD int gpu_slots_search(const int32_t *id, int slots, int32_t wanted)
{
    int low = 0, high = slots;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (id[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low < slots && id[low] == wanted ? low : -1;
}

KERNEL(gpu_slots_none, int64_t count, int32_t *slot_of)
{
    EACH(i, count) slot_of[i] = -1;
}

/// Slots by the order in which spheres were handed over, which sorting leaves alone.
KERNEL(gpu_slots_mark, gpu_view g, const int32_t *handed, int32_t *slot_of)
{
    EACH(n, g.walls.slots) slot_of[handed[g.walls.sphere[n]]] = (int32_t)n;
}

/// The same of slots whose spheres are known by their numbers, ascending.
KERNEL(gpu_slots_find, gpu_view g, const int32_t *handed, int slots, const int32_t *id, int32_t *slot_of)
{
    EACH(i, g.shape.count) slot_of[handed[i]] = gpu_slots_search(id, slots, g.id[i]);
}

/// Where the body of a wall is, and how it moves in the step (zeros: not at all).
typedef struct gpu_wall_pose {
    const double *x, *q, *velocity;
} gpu_wall_pose;

SCREE_HD gpu_wall_pose gpu_wall_pose_of(const gpu_view *g, const soft_wall *wall, const double still[6])
{
    const soft_wall_body *body = &g->walls.body[wall->on];
    const bed_driven *on = body->driven < 0 ? NULL : &g->now->forcing.driven[body->driven];
    gpu_wall_pose pose;
    pose.x = on ? on->x : body->x, pose.q = on ? on->q : body->q, pose.velocity = on ? on->velocity : still;
    return pose;
}

/// The wall as the ball about `x` meets it: where the world repeats itself, one of the two stands for its image. `ball_is_b` as detection has it.
SCREE_HD void gpu_wall_place(const gpu_view *g, const soft_wall *wall, const gpu_wall_pose *pose, const double x[3],
                             int ball_is_b, posed_shape *posed, double centre[3])
{
    const int *periodic = g->walls.options.periodic;
    double r[3];
    shape_pose(&wall->shape, pose->x, pose->q, posed);
    memcpy(centre, x, 3 * sizeof *centre);
    if (!periodic[0] && !periodic[1] && !periodic[2]) return;
    const double *from = ball_is_b ? posed->x : centre;
    double *to = ball_is_b ? centre : posed->x;
    vec_sub(to, from, r);
    nearest_image(&g->walls.options, r);
    for (int k = 0; k < 3; ++k) to[k] = from[k] + r[k];
}

/// 1: nearer than the skin.
SCREE_HD int gpu_near_wall(const gpu_view *g, const bed_record *r, const soft_wall *wall)
{
    const double still[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, reach = g->shape.skin, far = wall->extent + r->x[3] + reach;
    const gpu_wall_pose pose = gpu_wall_pose_of(g, wall, still);
    posed_shape posed;
    contact_point point[SURFACE_POINTS];
    double centre[3], d[3];
    gpu_wall_place(g, wall, &pose, r->x, 1, &posed, centre);
    vec_sub(centre, posed.x, d);
    if (vec_dot(d, d) > far * far * (1.0 + 1e-12)) return 0;
    if (wall->shape.kind == SCREE_SHAPE_SPHERE) return 1;
    return wall_points(&posed, wall->mesh < 0 ? NULL : &g->walls.mesh[wall->mesh], centre, &r->x[3], reach, point) > 0;
}

/// `pairs`: walls that are near a sphere; `has`: 1 where there are some, or contacts of before.
KERNEL(gpu_slots_count, gpu_view g, const int32_t *handed, const int32_t *slot_of, const int32_t *held, int32_t *pairs,
       int32_t *has)
{
    const bed_record *record = g.record[g.now->parity];
    EACH(i, g.shape.count)
    {
        const bed_record *r = &record[i];
        const int before = slot_of[handed[i]];
        int count = 0;
        for (int k = 0; k < g.walls.count && r->x[3] > 0.0 && r->omega[3] > 0.0; ++k)
            count += gpu_near_wall(&g, r, &g.walls.wall[k]);
        pairs[i] = count, has[i] = count > 0 || (before >= 0 && held[before] > 0 && r->x[3] > 0.0);
    }
}

/// What slots had before, and where they go.
typedef struct gpu_slots_with {
    const int32_t *handed, *slot_of, *held;
    const int64_t *pair_first, *slot_first;
    const scree_contact_point *touch;
    const contact_memory *memory;
    int room; /* of a slot, before */
    int64_t *first;
    int32_t *pair, *sphere, *loaded, *held_now;
    scree_contact_point *touch_now;
    contact_memory *memory_now;
} gpu_slots_with;

KERNEL(gpu_slots_write, gpu_view g, gpu_slots_with f)
{
    const bed_record *record = g.record[g.now->parity];
    EACH(i, g.shape.count)
    {
        const int64_t n = f.slot_first[i];
        if (f.slot_first[i + 1] == n) continue;
        const int before = f.slot_of[f.handed[i]], held = before < 0 ? 0 : f.held[before];
        int64_t at = f.pair_first[i];
        f.sphere[n] = (int32_t)i, f.first[n] = at, f.first[n + 1] = f.pair_first[i + 1];
        for (int k = 0; k < g.walls.count && at < f.pair_first[i + 1]; ++k)
            if (gpu_near_wall(&g, &record[i], &g.walls.wall[k])) f.pair[at++] = k;
        f.loaded[n] = -1;
        for (int low = 0, high = g.forced ? g.now->forcing.loaded_count : 0; low < high;) {
            const int middle = low + (high - low) / 2, id = g.now->forcing.loaded[middle].id;
            if (id == g.id[i]) f.loaded[n] = middle;
            if (id < g.id[i]) low = middle + 1;
            else high = middle;
        }
        f.held_now[n] = held;
        for (int k = 0; k < held; ++k) {
            f.touch_now[n * g.walls.room + k] = f.touch[(int64_t)before * f.room + k];
            f.memory_now[n * g.walls.room + k] = f.memory[(int64_t)before * f.room + k];
        }
        g.walls.carried[n] = g.now->forcing.step;
        if (g.shape.turns)
            for (int k = 0; k < 4; ++k) g.walls.q0[n][k] = g.q[i][k];
    }
}

/* ---- histories go with the bodies ----------------------------------------------------------------------------------------------------- */

/// The wall of a contact: the other shape is the sphere.
SCREE_HD int gpu_wall_of(const scree_contact_point *t)
{
    return t->shape_a < 0 ? t->shape_b : t->shape_a;
}

/// If a step has been taken since, which the sphere made from q0.
SCREE_HD void gpu_slot_carry(const gpu_view *g, int64_t n)
{
    const gpu_walls *w = &g->walls;
    const gpu_now *now = g->now;
    const double *q1 = g->q[w->sphere[n]];
    if (w->carried[n] == now->forcing.step) return;
    for (int k = 0; k < w->held[now->wall_at][n]; ++k) {
        const int64_t at = n * w->room + k;
        const scree_contact_point *t = &w->touch[now->wall_at][at];
        const soft_wall_body *body = &w->body[w->wall[gpu_wall_of(t)].on];
        const bed_driven *on = body->driven < 0 ? NULL : &now->forcing.driven[body->driven];
        const double *p0 = on ? on->moved_from : body->q, *p1 = on ? on->q : body->q;
        contact_memory *m = &w->memory[now->wall_at][at];
        if (t->shape_a < 0) memory_carry(w->q0[n], q1, p0, p1, m);
        else memory_carry(p0, p1, w->q0[n], q1, m);
    }
    w->carried[n] = now->forcing.step;
}

KERNEL(gpu_slots_carry, gpu_view g)
{
    EACH(n, g.walls.slots) gpu_slot_carry(&g, n);
}

/* ---- a step ------------------------------------------------------------------------------------------------------------------------------ */

DEVICE_INLINE void gpu_sum_add(int64_t *digit, double x)
{
    int64_t part[3];
    if (!(x > 0.0 || x < 0.0) && x == x) return;
    const int at = exact_parts(x, part);
    for (int k = 0; k < 3 && at + k < EXACT_DIGITS; ++k)
        if (part[k] != 0) (void)gpu_count_far(&digit[at + k], part[k]);
}

/// A sphere at its walls: what all its contacts share.
typedef struct gpu_slot {
    int64_t n;
    int i, id, held, before; /* contacts of the step to come, and of the one before that have been looked at */
    const bed_record *r;
    scree_shape shape;
    double velocity[6], reach, force[3], torque[3], deepest;
} gpu_slot;

/// One of its contacts with a wall; `had`: which of the step before it continues, -1: none.
DEVICE_INLINE void gpu_slot_touch(const gpu_view *g, gpu_slot *s, const soft_wall *wall, int number,
                                  const gpu_wall_pose *pose, const contact_point *point, int64_t had,
                                  int64_t (*sum)[EXACT_DIGITS])
{
    const gpu_walls *w = &g->walls;
    const gpu_now *now = g->now;
    const int from = now->wall_at, ball_is_b = wall->body < s->id, material = g->material[s->i];
    const scree_contact_point *old = had < 0 ? NULL : &w->touch[from][had];
    const double none[3] = {0.0, 0.0, 0.0};
    if (s->held >= w->room) { /* the step waits for more room */
        g->now->stop = GPU_ROOM;
        return;
    }
    const int64_t at = s->n * w->room + s->held++;
    scree_contact_point *t = &w->touch[!from][at];
    contact_memory *m = &w->memory[!from][at];
    memset(t, 0, sizeof *t);
    t->shape_a = ball_is_b ? number : -1, t->shape_b = ball_is_b ? -1 : number;
    t->body_a = ball_is_b ? wall->body : s->id, t->body_b = ball_is_b ? s->id : wall->body;
    t->feature = point->feature, t->gap = point->gap;
    memcpy(t->position, point->position, sizeof t->position), memcpy(t->normal, point->normal, sizeof t->normal);
    const int of_a = ball_is_b ? wall->material : material, of_b = ball_is_b ? material : wall->material;
    const double radius_a = ball_is_b ? wall->roll_radius : s->r->x[3],
                 radius_b = ball_is_b ? s->r->x[3] : wall->roll_radius;
    dem_meeting meeting;
    dem_touch c;
    dem_body ball, other;
    meeting.options = &w->options, meeting.pair = &w->pair[of_a * w->materials + of_b];
    touch_law(&w->options, meeting.pair, &w->friction[of_a], &w->friction[of_b], radius_a, radius_b, t);
    touch_tangent(&w->options, none, old, t);
    t->age = old ? old->age + 1 : 0, t->mode = old ? old->mode : SCREE_MODE_TAKE_OFF;
    if (old) *m = w->memory[from][had];
    else memset(m, 0, sizeof *m);
    ball.shape = &s->shape, ball.x = s->r->x, ball.q = g->q[s->i], ball.velocity = s->velocity;
    ball.inverse_mass = s->r->omega[3], ball.inverse_inertia = w->inverse_inertia[s->id];
    other.shape = &wall->shape, other.x = pose->x, other.q = pose->q, other.velocity = pose->velocity;
    other.inverse_mass = other.inverse_inertia = 0.0;
    meeting.a = ball_is_b ? other : ball, meeting.b = ball_is_b ? ball : other;
    meeting.h = g->shape.h, meeting.of_cell = NULL;
    const int newest = wall->body > s->id ? wall->body : s->id;
    meeting.newcomers = w->by_hand || (now->taken == 0 && newest >= w->moved);
    dem_meet(&meeting, t, m, &c);
    s->deepest = max2(s->deepest, -t->gap);

    double term[WALL_HAD], push[3];
    wall_terms(&c, term);
    for (int k = 0; k < WALL_HAD; ++k) gpu_sum_add(sum[k], term[k]);
    for (int side = 0; side < 2; ++side) {
        const double sign = side ? 1.0 : -1.0, *torque = side ? c.torque_b : c.torque_a;
        const int driven = w->body[wall->on].driven;
        for (int k = 0; k < 3; ++k) push[k] = sign * c.force[k];
        if (side == ball_is_b)
            for (int k = 0; k < 3; ++k) s->force[k] += push[k], s->torque[k] += torque[k];
        else if (driven >= 0) {
            gpu_sum_add(sum[WALL_DRIVEN], wall_work(g->shape.h, push, torque, pose->velocity));
            for (int k = 0; k < 3; ++k) gpu_sum_add(&w->sum[(WALL_SUMS + 3 * driven + k) * EXACT_DIGITS], push[k]);
        }
    }
}

/// All its contacts with one wall.
DEVICE_INLINE void gpu_slot_meet(const gpu_view *g, gpu_slot *s, int number, int64_t (*sum)[EXACT_DIGITS])
{
    const gpu_walls *w = &g->walls;
    const soft_wall *wall = &w->wall[number];
    const int from = g->now->wall_at, ball_is_b = wall->body < s->id;
    const double still[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const gpu_wall_pose pose = gpu_wall_pose_of(g, wall, still);
    const int64_t first = s->n * w->room;
    posed_shape posed;
    contact_point point[SURFACE_POINTS];
    double centre[3];
    gpu_wall_place(g, wall, &pose, s->r->x, ball_is_b, &posed, centre);
    const double speed = vec_norm(pose.velocity), turning = vec_norm(pose.velocity + 3);
    const double own = w->half_slack + g->shape.h * (speed + turning * wall->lever), reach = own + s->reach;
    const double *radius = &s->r->x[3];
    int count = 1;
    if (wall->shape.kind == SCREE_SHAPE_SPHERE) {
        double at[3];
        shape_centre(&wall->shape, pose.x, pose.q, at);
        if (ball_is_b) spheres_point(&w->options, at, wall->shape.size[0], s->r->x, *radius, point);
        else spheres_point(&w->options, s->r->x, *radius, at, wall->shape.size[0], point);
    } else {
        count = wall_points(&posed, wall->mesh < 0 ? NULL : &w->mesh[wall->mesh], centre, radius, reach, point);
        if (!ball_is_b) wall_points_turn(count, point);
    }
    while (s->before < w->held[from][s->n] && gpu_wall_of(&w->touch[from][first + s->before]) < number) ++s->before;
    int end = s->before;
    while (end < w->held[from][s->n] && gpu_wall_of(&w->touch[from][first + end]) == number) ++end;
    for (int p = 0; p < count; ++p) {
        int64_t had = -1;
        if (!(point[p].gap < 0.0)) continue;
        for (int k = s->before; k < end && had < 0; ++k)
            if (w->touch[from][first + k].feature == point[p].feature) had = first + k;
        if (had < 0 && wall_hands_on(wall->shape.kind)) {
            const int k = touch_handed_on(&w->options, reach, end - s->before, &w->touch[from][first + s->before],
                                          count, point, p);
            had = k < 0 ? -1 : first + s->before + k;
        }
        gpu_slot_touch(g, s, wall, number, &pose, &point[p], had, sum);
    }
    s->before = end;
}

DEVICE_INLINE void gpu_slot_step(const gpu_view *g, int64_t n, int64_t (*sum)[EXACT_DIGITS], uint64_t *deepest)
{
    const gpu_walls *w = &g->walls;
    const gpu_now *now = g->now;
    gpu_slot s;
    memset(&s, 0, sizeof s);
    s.n = n, s.i = w->sphere[n], s.id = g->id[s.i], s.r = &g->record[now->parity][s.i];
    s.shape.kind = SCREE_SHAPE_SPHERE, s.shape.size[0] = s.r->x[3], s.shape.rotation[0] = 1.0;
    memcpy(s.velocity, s.r->v, 3 * sizeof(double)), memcpy(s.velocity + 3, s.r->omega, 3 * sizeof(double));
    gpu_slot_carry(g, n);
    for (int k = 0; k < w->held[now->wall_at][n]; ++k)
        gpu_sum_add(sum[WALL_HAD], w->memory[now->wall_at][n * w->room + k].energy[1]);
    double speed = vec_norm(s.velocity), load[6];
    const int loaded = w->loaded[n];
    if (loaded >= 0) {
        forcing_load_at(&now->forcing.loaded[loaded].load, now->forcing.time + g->shape.h, load);
        speed += g->shape.h * vec_norm(load) / w->loaded_mass[loaded];
        for (int k = 0; k < 3; ++k) s.force[k] = g->given[s.i].force[k], s.torque[k] = g->given[s.i].torque[k];
    }
    s.reach = w->half_slack + g->shape.h * speed;
    for (int64_t k = w->first[n]; k < w->first[n + 1]; ++k) gpu_slot_meet(g, &s, w->near[k], sum);
    for (int k = 0; k < 3; ++k) g->given[s.i].force[k] = s.force[k], g->given[s.i].torque[k] = s.torque[k];
    w->held[!now->wall_at][n] = s.held;
    for (int k = 0; k < 4; ++k) w->q0[n][k] = g->q[s.i][k];
    if (s.deepest > 0.0) gpu_raise(deepest, gpu_ordered(s.deepest));
}

/// Before the chunks of a step.
KERNEL(gpu_walls_push, gpu_view g)
{
    SHARED int64_t sum[WALL_SUMS][EXACT_DIGITS];
    SHARED uint64_t deepest;
    if (g.now->stop != GPU_GOES_ON && g.now->stop != GPU_ROOM) return;
    THREADS(t)
    {
        for (int k = t; k < WALL_SUMS * EXACT_DIGITS; k += GPU_THREADS) sum[k / EXACT_DIGITS][k % EXACT_DIGITS] = 0;
        if (t == 0) deepest = 0;
    }
    BARRIER;
    THREADS(t)
    {
        const int64_t n = BLOCK * GPU_THREADS + t;
        if (n < g.walls.slots) gpu_slot_step(&g, n, sum, &deepest);
    }
    BARRIER;
    THREADS(t)
    {
        for (int k = t; k < WALL_SUMS * EXACT_DIGITS; k += GPU_THREADS) {
            const int64_t x = sum[k / EXACT_DIGITS][k % EXACT_DIGITS];
            if (x != 0) (void)gpu_count_far(&g.walls.sum[k], x);
        }
        if (t == 0 && deepest > 0) gpu_raise(&g.peak[GPU_OVERLAP * GPU_COPIES + BLOCK % GPU_COPIES], deepest);
    }
}

/* ---- the turn of a step ------------------------------------------------------------------------------------------------------------------- */

/// The sums of the step that was taken, a thread a row.
DEVICE_INLINE void gpu_walls_sum(const gpu_walls *w, int row)
{
    int64_t *digit = &w->sum[row * EXACT_DIGITS];
    w->value[row] = exact_value(digit);
    for (int k = 0; k < EXACT_DIGITS; ++k) digit[k] = 0;
}

/// To the ledger and the driven bodies; contacts after the step are those before the next one. Returns how far a point of a wall can have moved.
SCREE_HD double gpu_walls_end(const gpu_view *g)
{
    const gpu_walls *w = &g->walls;
    gpu_now *now = g->now;
    double way = 0.0;
    wall_ledger(w->value, &now->outside);
    for (int d = 0; d < now->forcing.driven_count; ++d)
        vec_add_scaled(now->forcing.driven[d].felt, 1.0, &w->value[WALL_SUMS + 3 * d], now->forcing.driven[d].felt);
    for (int k = 0; k < w->bodies; ++k) {
        if (w->body[k].driven < 0) continue;
        const double *velocity = now->forcing.driven[w->body[k].driven].velocity;
        way = max2(way, g->shape.h * (vec_norm(velocity) + vec_norm(velocity + 3) * w->body[k].arm));
    }
    now->wall_at = !now->wall_at;
    return way;
}

/* ---- to the host -------------------------------------------------------------------------------------------------------------------------- */

/// The contacts of all slots, one after another, with the numbers of the world.
KERNEL(gpu_slots_gather, gpu_view g, const int64_t *first, scree_contact_point *touch, contact_memory *memory)
{
    const int at = g.now->wall_at;
    EACH(n, g.walls.slots)
    for (int k = 0; k < g.walls.held[at][n]; ++k) {
        scree_contact_point *to = &touch[first[n] + k];
        *to = g.walls.touch[at][n * g.walls.room + k];
        if (to->shape_a >= 0) to->shape_a = g.walls.wall[to->shape_a].number;
        else to->shape_b = g.walls.wall[to->shape_b].number;
        memory[first[n] + k] = g.walls.memory[at][n * g.walls.room + k];
    }
}

#endif
