/* dem_spheres.c: the engine for spheres (bed.h) behind a world (dem_engine.h).
 *
 * A step, at the time t of the world:
 *
 *     lists       up to date
 *     outside     applied loads and those of walls at x(t), pushed into the step
 *     driven      planes get the velocity of the step to come
 *     bed         contacts at x(t), kick, motion
 *     driven      bodies move on; planes are placed where they are then; pressure control answers to what was felt
 *     carried     histories at walls go with the bodies
 *
 * Where there is nothing but spheres and planes that stand still, the bed takes all steps at once. Nothing is written to the world but what
 * does not move freely; motion and contacts are read when someone asks (world/holder.c). */
#include "steppers/dem_spheres.h"

#include "base/clock.h"
#include "base/memory.h"
#include "math/quat.h"

#include <string.h>

static void destroy(void *engine)
{
    dem_spheres *d = engine;
    if (!d) return;
    scree_allocator a = d->allocator;
    bed_destroy(d->bed);
    dem_spheres_walls_free(d);
    arena_destroy(d->scratch);
    MEMORY_FREE_ALL(&a, d->sphere_material, d->plane_shape, d->place, d->driven_body, d->loaded);
    memory_free(&a, d);
}

/* ---- read ------------------------------------------------------------------------------------------------------------------------ */

static void read_motion(dem_spheres *d, scree_world *w)
{
    bed_motion m = {(double *)w->x, (double *)w->v, (double *)w->spin, (double *)w->q};
    bed_read(d->bed, &m);
    for (int b = 0; b < d->bodies; ++b)
        if (w->kind[b] == SCREE_DYNAMIC) quat_rotate_inverse(w->q[b], w->spin[b], w->omega[b]);
    w->holder.newer &= ~(unsigned)PART_MOTION;
}

static scree_status read_parts(void *engine, scree_world *w, unsigned parts)
{
    dem_spheres *d = engine;
    if (w->holder.newer & PART_MOTION) read_motion(d, w);
    if (!(parts & PART_CONTACTS)) return SCREE_OK;
    scree_status status = dem_spheres_read_contacts(d, w);
    if (status == SCREE_OK) w->holder.newer &= ~(unsigned)PART_CONTACTS;
    return status;
}

/* ---- adopt ----------------------------------------------------------------------------------------------------------------------- */

/// The spin in the world frame: as an engine left it, where nothing has changed since.
static void spin_of(const scree_world *w, int body, double spin[3])
{
    double back[3];
    quat_rotate_inverse(w->q[body], w->spin[body], back);
    const double *omega = w->omega[body];
    int unchanged = 1;
    for (int k = 0; k < 3; ++k) unchanged &= back[k] >= omega[k] && back[k] <= omega[k];
    if (unchanged) memcpy(spin, w->spin[body], sizeof back);
    else body_spin_world(w, body, spin);
}

static bed_plane plane_of(const scree_world *w, int shape, double h)
{
    posed_shape posed;
    const int b = w->shape_body[shape];
    bed_plane p = {.material = w->material_count + w->shape[shape].material};
    double arm[3], turn[3];
    world_shape_pose(w, shape, &posed);
    for (int k = 0; k < 3; ++k) p.normal[k] = posed.R[3 * k + 2], p.point[k] = posed.x[k];
    body_driven_velocity(w, b, w->time, h, p.v, p.omega);
    vec_sub(p.point, w->x[b], arm);
    vec_cross(p.omega, arm, turn);
    vec_add_scaled(p.v, 1.0, turn, p.v);
    return p;
}

/// How the body of a plane came to where it is.
static void plane_past(const dem_spheres *d, int plane)
{
    const scree_world *w = d->world;
    const int shape = d->plane_shape[plane], b = w->shape_body[shape];
    double v[3] = {0.0, 0.0, 0.0}, omega[3] = {0.0, 0.0, 0.0}, n[3];
    posed_shape posed;
    world_shape_pose(w, shape, &posed);
    for (int k = 0; k < 3; ++k) n[k] = posed.R[3 * k + 2];
    if (w->kind[b] == SCREE_DRIVEN) {
        const body_extra *e = &w->extras[w->extra[b]];
        double arm[3], turn[3], q[4], R[9];
        memcpy(v, e->moved, sizeof v), memcpy(omega, e->moved + 3, sizeof omega);
        vec_sub(posed.x, w->x[b], arm);
        vec_cross(omega, arm, turn);
        vec_add_scaled(v, 1.0, turn, v);
        if (e->moved_from[0] != 0.0 || e->moved_from[1] != 0.0 || e->moved_from[2] != 0.0 || e->moved_from[3] != 0.0) {
            quat_mul(e->moved_from, w->shape[shape].rotation, q);
            quat_axes(q, R);
            for (int k = 0; k < 3; ++k) n[k] = R[3 * k + 2];
        }
    }
    bed_set_plane_past(d->bed, plane, n, v, omega);
}

typedef struct spheres_def {
    int count, *id, *material;
    double *radius, *inverse_mass, *inverse_inertia;
    vec3 *spin; /* (bodies) */
    bed_plane *plane;
} spheres_def;

static scree_status def_make(dem_spheres *d, spheres_def *s)
{
    const scree_world *w = d->world;
    const scree_allocator *a = &d->allocator;
    size_t n = (size_t)w->body_count + 1;
    d->plane_shape = memory_array(a, (size_t)w->shape_count + 1, sizeof *d->plane_shape);
    d->sphere_material = memory_array(a, (size_t)w->material_count + 1, sizeof *d->sphere_material);
    *s = (spheres_def){.id = memory_array(a, n, sizeof *s->id),
                       .material = memory_array(a, n, sizeof *s->material),
                       .radius = memory_array(a, n, sizeof *s->radius),
                       .inverse_mass = memory_array(a, n, sizeof *s->inverse_mass),
                       .inverse_inertia = memory_array(a, n, sizeof *s->inverse_inertia),
                       .spin = memory_array(a, n, sizeof *s->spin),
                       .plane = memory_array(a, (size_t)w->shape_count + 1, sizeof *s->plane)};
    if (!d->plane_shape || !d->sphere_material || !s->id || !s->material || !s->radius || !s->inverse_mass ||
        !s->inverse_inertia || !s->spin || !s->plane)
        return SCREE_ERR_MEMORY;
    for (int k = 0; k < w->shape_count; ++k) {
        const int b = w->shape_body[k], moves = w->kind[b] == SCREE_DYNAMIC;
        const bed_role role = dem_spheres_role(w, k);
        if (role == BED_PLANE) s->plane[d->planes] = plane_of(w, k, d->step), d->plane_shape[d->planes++] = k;
        if (role != BED_SPHERE) continue;
        s->id[s->count] = b, s->radius[s->count] = w->shape[k].size[0], s->material[s->count] = w->shape[k].material;
        s->inverse_mass[s->count] = moves ? 1.0 / w->mass[b] : 0.0;
        s->inverse_inertia[s->count] = moves ? 1.0 / w->inertia[b][0] : 0.0;
        d->sphere_material[w->shape[k].material] = 1;
        s->count += 1;
    }
    return SCREE_OK;
}

static void def_free(const scree_allocator *a, spheres_def *s)
{
    MEMORY_FREE_ALL(a, s->id, s->material, s->radius, s->inverse_mass, s->inverse_inertia, s->spin, s->plane);
}

/// The bed of the world as it stands.
static scree_status bed_make(dem_spheres *d, scree_error *error)
{
    scree_world *w = d->world;
    const scree_allocator *a = &d->allocator;
    spheres_def s = {.count = 0};
    scree_status status;
    bed_def def = {.step = d->step, .orientations = 1, .ledger = 1};
    bed_pair *pair = dem_spheres_pairs(a, w, &d->law, &d->by_radius, &status);
    if (!pair) return status != SCREE_OK ? status : SCREE_ERR_UNSUPPORTED; /* it has been asked whether it fits */
    status = def_make(d, &s);
    if (status == SCREE_OK) {
        for (int k = 0; k < s.count; ++k) spin_of(w, s.id[k], s.spin[s.id[k]]);
        bed_motion start = {(double *)w->x, (double *)w->v, (double *)s.spin, (double *)w->q};
        def.count = d->spheres = s.count, def.id = s.id, def.radius = s.radius, def.inverse_mass = s.inverse_mass;
        def.inverse_inertia = s.inverse_inertia, def.material = s.material, def.materials = 2 * w->material_count;
        def.pair = pair, def.law = d->law, def.planes = d->planes, def.plane = s.plane;
        memcpy(def.gravity, w->options.gravity, sizeof def.gravity);
        memcpy(def.periodic, w->options.periodic, sizeof def.periodic);
        memcpy(def.low, w->options.low, sizeof def.low), memcpy(def.high, w->options.high, sizeof def.high);
        status = bed_create(&def, &start, a, NULL, &d->bed, error);
    }
    def_free(a, &s);
    memory_free(a, pair);
    return status;
}

/// Who is driven or has applied loads.
static scree_status outside_list(dem_spheres *d)
{
    const scree_world *w = d->world;
    const scree_allocator *a = &d->allocator;
    int driven = 0, loaded = 0;
    for (int b = 0; b < w->body_count; ++b) {
        driven += w->kind[b] == SCREE_DRIVEN;
        loaded += w->kind[b] == SCREE_DYNAMIC && w->extra[b] >= 0;
    }
    if (driven != d->driven || loaded != d->loaded_count) {
        int *body = memory_array(a, (size_t)driven + 1, sizeof *body);
        bed_loaded *on = memory_array(a, (size_t)loaded + 1, sizeof *on);
        if (!body || !on) {
            MEMORY_FREE_ALL(a, body, on);
            return SCREE_ERR_MEMORY;
        }
        MEMORY_FREE_ALL(a, d->driven_body, d->loaded);
        d->driven_body = body, d->loaded = on, d->driven = driven, d->loaded_count = loaded;
        for (int b = 0, k = 0, n = 0; b < w->body_count; ++b) {
            if (w->kind[b] == SCREE_DRIVEN) body[k++] = b;
            if (w->kind[b] == SCREE_DYNAMIC && w->extra[b] >= 0) on[n++].body = b;
        }
    }
    if (w->body_count > d->place_room) {
        const int room = w->body_count + w->body_count / 4 + 16;
        int *place = memory_array(a, (size_t)room, sizeof *place);
        if (!place) return SCREE_ERR_MEMORY;
        memory_free(a, d->place);
        d->place = place, d->place_room = room, d->placed = -1;
    }
    return dem_spheres_walls_list(d) ? SCREE_OK : SCREE_ERR_MEMORY;
}

void dem_spheres_places_find(dem_spheres *d)
{
    if (d->placed == bed_rebuilds(d->bed)) return;
    for (int b = 0; b < d->place_room; ++b) d->place[b] = -1; /* those that have left, and what is no sphere */
    bed_places(d->bed, d->place);
    d->placed = bed_rebuilds(d->bed);
}

/// Sums between world and engine: what has been lost, and the scale of exact sums.
static void sums_take(dem_spheres *d)
{
    const soft_sums *s = &d->world->soft;
    bed_totals lost;
    _Static_assert(sizeof lost == sizeof s->lost, "all doubles");
    _Static_assert(sizeof d->outside <= sizeof s->outside, "there is room for the ledger");
    memcpy(&lost, s->lost, sizeof lost);
    memcpy(&d->outside, s->outside, sizeof d->outside);
    bed_set_totals(d->bed, &lost), bed_set_scale(d->bed, s->scale);
}

static void sums_give(const dem_spheres *d)
{
    soft_sums *s = &d->world->soft;
    bed_totals lost = bed_get_totals(d->bed);
    memcpy(s->lost, &lost, sizeof lost);
    memcpy(s->outside, &d->outside, sizeof d->outside);
    s->scale = bed_get_scale(d->bed);
}

/// Bodies that have come bring their energy along.
static void bodies_count(scree_world *w)
{
    for (int b = (int)w->soft.bodies; b < w->body_count; ++b) w->soft.mechanical += world_body_energy(w, b);
    w->soft.bodies = w->body_count;
}

static scree_status adopt(scree_stepper *stepper, scree_world *w, scree_error *error)
{
    scree_allocator a = w->allocator;
    dem_spheres *d = memory_array(&a, 1, sizeof *d);
    if (!d) return SCREE_ERR_MEMORY;
    d->allocator = a, d->world = w, d->step = stepper->options.step, d->placed = d->energy_step = -1;
    d->walls.made = -1, d->bodies = w->body_count, d->removed = w->removed;
    world_wrap(w); /* bodies may have been put beyond a period */
    scree_status status = arena_create(&a, &d->scratch);
    if (status == SCREE_OK) status = contacts_remember(w);
    if (status == SCREE_OK) status = bed_make(d, error);
    if (status == SCREE_OK) status = outside_list(d);
    if (status == SCREE_OK) status = dem_spheres_take_histories(d, w);
    if (status != SCREE_OK) {
        destroy(d);
        return status;
    }
    for (int k = 0; k < d->planes; ++k) plane_past(d, k);
    sums_take(d);
    d->starts = !(w->soft.bodies > 0.0), d->fresh = 1;
    w->holder = (world_holder){.engine = d, .bodies = w->body_count, .read = read_parts, .destroy = destroy};
    return SCREE_OK;
}

/* ---- follow ---------------------------------------------------------------------------------------------------------------------- */

/// 1: the new body can join the living engine.
static int can_join(const dem_spheres *d, int b)
{
    const scree_world *w = d->world;
    if (w->shape_total[b] != 1 || w->extra[b] >= 0) return 0;
    const int shape = w->first_shape[b];
    return dem_spheres_role(w, shape) == BED_SPHERE && w->kind[b] == SCREE_DYNAMIC && !d->by_radius &&
           d->sphere_material[w->shape[shape].material];
}

/// Bodies that came or left since. `*again`: too much has changed, and an engine must be made from the world.
static scree_status follow(dem_spheres *d, int *again)
{
    scree_world *w = d->world;
    const int removed = w->removed != d->removed, added = w->body_count != d->bodies;
    *again = 0;
    if (!removed && !added) return SCREE_OK;
    for (int b = d->bodies; b < w->body_count && !*again; ++b) *again = w->kind[b] != SCREE_REMOVED && !can_join(d, b);
    if (removed && !*again) { /* bodies that are not spheres take their planes and walls with them */
        dem_spheres_places_find(d);
        for (int b = 0; b < d->bodies && !*again; ++b)
            *again = w->kind[b] == SCREE_REMOVED &&
                     (w->shape_total[b] != 1 || w->extra[b] >= 0 || w->shape[w->first_shape[b]].kind != SCREE_SPHERE);
    }
    if (*again) return SCREE_OK;
    if (added && world_is_periodic(w)) (void)world_sync(w, PART_MOTION), world_wrap(w);
    if (removed)
        for (int b = 0; b < d->bodies; ++b) {
            if (w->kind[b] != SCREE_REMOVED || d->place[b] < 0) continue;
            bed_remove(d->bed, d->place[b]);
            d->place[b] = -1, d->ghosts += 1;
        }
    for (int b = d->bodies; b < w->body_count; ++b) {
        if (w->kind[b] == SCREE_REMOVED) continue;
        const scree_shape *shape = &w->shape[w->first_shape[b]];
        bed_grain g = {.id = b, .material = shape->material, .radius = shape->size[0]};
        g.inverse_mass = 1.0 / w->mass[b], g.inverse_inertia = 1.0 / w->inertia[b][0];
        spin_of(w, b, g.omega);
        memcpy(g.x, w->x[b], sizeof g.x), memcpy(g.v, w->v[b], sizeof g.v), memcpy(g.q, w->q[b], sizeof g.q);
        scree_status status = bed_add(d->bed, &g);
        if (status != SCREE_OK) return status;
        d->bodies = w->holder.bodies = b + 1, d->spheres += 1;
    }
    d->bodies = w->holder.bodies = w->body_count, d->removed = w->removed;
    d->energy_step = -1, d->meetings.known = 0;
    *again = 4 * d->ghosts > d->spheres;
    return *again ? SCREE_OK : outside_list(d);
}

/// An engine that is up to date with the world's bodies.
static scree_status engine_ready(scree_stepper *stepper, scree_world *w, scree_error *error)
{
    dem_spheres *d = w->holder.engine;
    int again = d && (d->step != stepper->options.step || w->by_hand);
    scree_status status = SCREE_OK;
    if (d && !again) status = follow(d, &again);
    if (status == SCREE_OK && again) status = world_reclaim(w);
    if (status == SCREE_OK && !w->holder.engine) status = adopt(stepper, w, error);
    return status;
}

scree_status dem_engine_choose(const scree_stepper *stepper, scree_world *w, dem_engine *which, scree_error *error)
{
    const dem_spheres *d = w->holder.engine;
    int fits = 0;
    *which = DEM_SPHERES;
    if (stepper->options.engine == SCREE_ENGINE_GENERAL) *which = DEM_GENERAL;
    else if (d && d->bodies == w->body_count && d->removed == w->removed && w->joint_count == 0) return SCREE_OK;
    scree_status status = scheme_possible(stepper, w, error);
    if (status == SCREE_OK && *which == DEM_SPHERES) {
        status = dem_spheres_fit(&stepper->allocator, w, &fits);
        if (!fits) *which = DEM_GENERAL;
    }
    if (status == SCREE_OK && *which == DEM_GENERAL) status = world_reclaim(w);
    return status;
}

/* ---- what acts from outside ---------------------------------------------------------------------------------------------------------- */

static scree_status loads_push(dem_spheres *d, scree_error *error)
{
    const scree_world *w = d->world;
    double x[3];
    if (d->loaded_count == 0) return SCREE_OK;
    dem_spheres_places_find(d);
    for (bed_loaded *on = d->loaded; on < d->loaded + d->loaded_count; ++on) {
        body_load(w, on->body, w->time, on->load, on->load + 3);
        for (int i = 0; i < 6; ++i)
            if (!(fabs(on->load[i]) <= DBL_MAX)) return refuse_load(w, on->body, w->time, d->step, error);
        bed_look_at(d->bed, d->place[on->body], x, on->velocity, on->velocity + 3, NULL);
        scree_status status = bed_push(d->bed, d->place[on->body], on->load, on->load + 3);
        if (status != SCREE_OK) return status;
    }
    return SCREE_OK;
}

/// After the step, with the loads of its start, on the mean of the velocities.
static void loads_work(dem_spheres *d)
{
    if (d->loaded_count == 0) return;
    dem_spheres_places_find(d);
    for (const bed_loaded *on = d->loaded; on < d->loaded + d->loaded_count; ++on) {
        double x[3], v[6];
        bed_look_at(d->bed, d->place[on->body], x, v, v + 3, NULL);
        for (int i = 0; i < 6; ++i) d->outside.load += d->step * on->load[i] * 0.5 * (on->velocity[i] + v[i]);
    }
}

/// Planes of driven bodies get the velocities of the step.
static void planes_drive(dem_spheres *d)
{
    const scree_world *w = d->world;
    for (int k = 0; k < d->planes; ++k) {
        if (w->kind[w->shape_body[d->plane_shape[k]]] != SCREE_DRIVEN) continue;
        const bed_plane p = plane_of(w, d->plane_shape[k], d->step);
        bed_set_plane(d->bed, k, p.v, p.omega);
    }
}

/// Driven bodies move on, and their planes are put where they are then.
static void bodies_drive(dem_spheres *d)
{
    scree_world *w = d->world;
    for (int k = 0; k < d->driven; ++k) {
        vec6 velocity;
        const int b = d->driven_body[k];
        body_driven_velocity(w, b, w->time, d->step, velocity, velocity + 3);
        dem_spheres_walls_drive(d, b, velocity, d->step);
        driven_advance(w, b, velocity, d->step);
    }
    for (int k = 0; k < d->planes; ++k) {
        posed_shape posed;
        double n[3];
        if (w->kind[w->shape_body[d->plane_shape[k]]] != SCREE_DRIVEN) continue;
        world_shape_pose(w, d->plane_shape[k], &posed);
        for (int i = 0; i < 3; ++i) n[i] = posed.R[3 * i + 2];
        bed_place_plane(d->bed, k, n, posed.x);
    }
}

/// Pressure control chooses the speeds of the next step by what its bodies have felt in this one.
static void servos_respond(const dem_spheres *d)
{
    scree_world *w = d->world;
    for (int k = 0, plane = 0; k < d->driven; ++k) { /* planes are in the order of their bodies */
        double sum[3] = {0.0, 0.0, 0.0}, force[3], torque[3];
        int b = d->driven_body[k];
        if (d->walls.count > 0) memcpy(sum, d->walls.reaction[b], sizeof sum);
        while (plane < d->planes && w->shape_body[d->plane_shape[plane]] < b) ++plane;
        for (; plane < d->planes && w->shape_body[d->plane_shape[plane]] == b; ++plane) {
            bed_plane_load(d->bed, plane, force, torque);
            vec_add_scaled(sum, 1.0, force, sum);
        }
        servo_respond(w, b, sum);
    }
}

/// One step with all of that. The world's time is that of its start, and then of its end.
static scree_status step_with_outside(scree_stepper *stepper, dem_spheres *d, scree_error *error)
{
    scree_world *w = d->world;
    scree_status status = bed_prepare(d->bed);
    if (status == SCREE_OK) status = loads_push(d, error);
    if (status == SCREE_OK)
        status = dem_spheres_walls_push(stepper, d, error); /* the last that can fail: histories move */
    if (status != SCREE_OK) {
        bed_drop_pushes(d->bed);
        return status;
    }
    planes_drive(d);
    status = bed_advance(d->bed, 1, error);
    w->holder.newer = PART_ALL;
    loads_work(d);
    bodies_drive(d);
    servos_respond(d);
    if (status == SCREE_OK) status = dem_spheres_walls_carry(stepper, d);
    return status;
}

/* ---- steps ----------------------------------------------------------------------------------------------------------------------- */

static void ledger_of(const bed_totals *lost, const bed_totals *lost_then, const scree_ledger *outside,
                      const scree_ledger *outside_then, double elastic, scree_ledger *e)
{
#define DIFFERENCE(name, sign, text) e->name = outside->name - outside_then->name;
    SCREE_LEDGER_LINES(DIFFERENCE)
#undef DIFFERENCE
    e->impact += lost->dashpot[0] - lost_then->dashpot[0];
    for (int k = 1; k < 4; ++k) e->damping += lost->dashpot[k] - lost_then->dashpot[k];
    e->slide += lost->slider[1] - lost_then->slider[1], e->roll += lost->slider[2] - lost_then->slider[2];
    e->spin += lost->slider[3] - lost_then->slider[3], e->driven += lost->driven - lost_then->driven;
    e->tracking += lost->model - lost_then->model, e->elastic += elastic;
}

/// theta is what the other lines leave over of the change of kinetic and potential energy.
static void ledger_finish(double mechanical_then, double came_round, const bed_energy *now, scree_ledger *e)
{
    e->kinetic = now->kinetic, e->potential = now->potential;
    e->theta = mechanical_then - now->kinetic - now->potential + came_round + e->load + e->driven - e->impact -
               e->damping - e->slide - e->roll - e->spin - e->elastic - e->tracking;
}

static double elastic_of(const bed_energy *e)
{
    return e->elastic[0] + e->elastic[1] + e->elastic[2] + e->elastic[3];
}

static void energies_take(dem_spheres *d, int64_t step)
{
    d->energy = bed_energies(d->bed), d->lost = bed_get_totals(d->bed), d->outside_then = d->outside,
    d->energy_step = step;
}

static void report_make(dem_spheres *d, int64_t step, scree_step_report *report)
{
    const scree_world *w = d->world;
    const bed_energy then = d->energy;
    const bed_totals lost_then = d->lost, none = {.driven = 0.0};
    const scree_ledger outside_then = d->outside_then, nothing = {.kinetic = 0.0};
    energies_take(d, step);
    ledger_of(&d->lost, &lost_then, &d->outside, &outside_then, elastic_of(&d->energy) - elastic_of(&then),
              &report->energy);
    ledger_finish(then.kinetic + then.potential, d->energy.came_round - then.came_round, &d->energy, &report->energy);
    d->total = (scree_ledger){.kinetic = 0.0};
    ledger_of(&d->lost, &none, &d->outside, &nothing, elastic_of(&d->energy), &d->total);
    ledger_finish(w->soft.mechanical, d->energy.came_round, &d->energy, &d->total);

    const bed_survey s = bed_look_over(d->bed);
    report->bodies = scree_world_dynamic_count(w), report->contacts = s.touching, report->active = s.pushing;
    report->modes[SCREE_MODE_TAKE_OFF] += s.touching - s.pushing;
    report->penetration = s.deepest;
    for (int slide = 0; slide < 2; ++slide)
        for (int roll = 0; roll < 2; ++roll)
            for (int spin = 0; spin < 3; ++spin)
                report->modes[scree_mode_make(slide, roll, spin == 2 ? -1 : spin)] += s.modes[slide][roll][spin];
    if (d->walls.count == 0) return;
    for (int k = 0; k < w->contacts.count; ++k) {
        const scree_touch *t = &w->contacts.touch[k];
        if (w->holder.newer & PART_CONTACTS) { /* else the engine's are among them */
            report->contacts += 1, report->active += t->load[0] > 0.0, report->modes[t->mode] += 1;
            report->penetration = max2(report->penetration, -t->gap), d->wall_deepest = max2(d->wall_deepest, -t->gap);
        }
    }
}

/// What is summed in any case; energies, and what follows from them, stay as the last report found them.
static void totals_follow(dem_spheres *d)
{
    const bed_totals lost = bed_get_totals(d->bed), none = {.driven = 0.0};
    const scree_ledger nothing = {.kinetic = 0.0}, last = d->total;
    d->total = (scree_ledger){.kinetic = last.kinetic, .potential = last.potential};
    ledger_of(&lost, &none, &d->outside, &nothing, last.elastic, &d->total);
    d->total.theta = last.theta;
}

const scree_ledger *dem_spheres_total(const scree_world *w)
{
    return &((const dem_spheres *)w->holder.engine)->total;
}

double dem_spheres_deepest(const scree_world *w)
{
    const dem_spheres *d = w->holder.engine;
    return max2(bed_get_totals(d->bed).deepest, d->wall_deepest);
}

static scree_status advance(scree_stepper *stepper, dem_spheres *d, int64_t steps, scree_step_report *report,
                            int64_t *taken, double begin, scree_error *error)
{
    scree_world *w = d->world;
    scree_status status = SCREE_OK;
    double then;
    const int alone = d->driven == 0 && d->loaded_count == 0 && d->walls.count == 0;
    if (report && d->energy_step != w->step_count) {
        energies_take(d, w->step_count);
        if (d->starts)
            memset(d->energy.elastic, 0, sizeof d->energy.elastic); /* of overlaps that nobody has paid for */
    }
    if (!alone && !(w->holder.newer & PART_CONTACTS)) dem_spheres_walls_pick(w);
    then = clock_seconds();
    if (report) report->seconds_assemble += then - begin;
    begin = then;
    const int64_t before = bed_count_steps(d->bed);
    const double lists = bed_list_seconds(d->bed);
    const double time = w->time;
    int runaway = 0;
    if (dem_kicks_half(&stepper->options, w)) bed_kick_half(d->bed);
    for (int64_t at = w->step_count, end = at + steps, next; at < end && alone && status == SCREE_OK; at = next) {
        next = dem_limit_next(at) < end ? dem_limit_next(at) : end;
        status = dem_spheres_judge(stepper, d, at, time + (double)(at - w->step_count) * d->step, error);
        if (status != SCREE_OK) break;
        bodies_count(w);
        w->holder.newer = PART_ALL;
        status = bed_advance(d->bed, next - at, error);
        runaway = status == SCREE_ERR_INPUT;
    }
    for (int64_t k = 0; k < steps && !alone && status == SCREE_OK; ++k) {
        status = dem_spheres_judge(stepper, d, w->step_count + k, w->time, error);
        if (status != SCREE_OK) break;
        bodies_count(w);
        status = step_with_outside(stepper, d, error);
        runaway = status == SCREE_ERR_INPUT;
        d->fresh = 0;
        if (status == SCREE_OK) w->time = time_after(w->time, w->step_count + k, d->step);
    }
    w->time = time; /* the caller's */
    *taken = bed_count_steps(d->bed) - before;
    if (*taken > 0) d->starts = d->fresh = 0, sums_give(d);
    then = clock_seconds();
    if (report) { /* lists are what finding contacts is here */
        report->seconds_detect += bed_list_seconds(d->bed) - lists;
        report->seconds_solve += then - begin - (bed_list_seconds(d->bed) - lists);
    }
    begin = then;
    if (runaway) (void)scree_world_check(w, error); /* by its name in the world */
    const double limit = w->options.speed_limit;
    if (status == SCREE_OK && limit > 0.0 && bed_speed(d->bed) > limit && scree_world_check(w, error) >= 0)
        status = SCREE_ERR_INPUT;
    if (status == SCREE_OK && report) report_make(d, w->step_count + steps, report);
    else totals_follow(d);
    if (report) report->seconds_update += clock_seconds() - begin;
    return status;
}

/* Between calls the engine has no threads: those of the stepper go with it. */
scree_status dem_spheres_advance(scree_stepper *stepper, scree_world *w, int64_t steps, scree_step_report *report,
                                 int64_t *taken, scree_error *error)
{
    const double begin = clock_seconds();
    scree_status status = engine_ready(stepper, w, error);
    dem_spheres *d = w->holder.engine;
    *taken = 0;
    if (status == SCREE_OK) status = bed_set_pool(d->bed, stepper->pool);
    if (status == SCREE_OK) status = advance(stepper, d, steps, report, taken, begin, error);
    if (d) (void)bed_set_pool(d->bed, NULL); /* asks for no memory */
    return status;
}
