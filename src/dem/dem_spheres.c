/* dem_spheres.c: an engine for spheres (sphere_engine.h) behind a world (dem_engine.h).
 *
 * The bed takes all steps up to the next look at the step's length in one call, under a forcing: driven bodies, servos and applied loads as
 * data that move along with it, walls of other shapes as a hook at every step (bed_forcing.c, dem_spheres_walls.c). Nothing is written to
 * the world on the way but what walls need; motion and contacts are read when someone asks (world/holder.c), driven bodies after every
 * call. */
#include "dem/dem_spheres.h"

#include "base/clock.h"
#include "base/memory.h"
#include "dem/cuda/device_engine.h"
#include "dem/spheres/bed.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

static void destroy(void *engine)
{
    dem_spheres *d = engine;
    if (!d) return;
    scree_allocator a = d->allocator;
    if (d->bed) d->engine->destroy(d->bed);
    dem_spheres_walls_free(d);
    arena_destroy(d->scratch);
    MEMORY_FREE_ALL(&a, d->sphere_material, d->plane_shape, d->forcing.driven, d->forcing.plane, d->forcing.loaded);
    memory_free(&a, d);
}

/* ---- read ------------------------------------------------------------------------------------------------------------------------ */

static scree_status read_motion(dem_spheres *d, scree_world *w)
{
    bed_motion m = {(double *)w->x, (double *)w->v, (double *)w->spin, (double *)w->q};
    const scree_status status = d->engine->read(d->bed, &m);
    if (status != SCREE_OK) return status;
    for (int b = 0; b < w->holder.bodies; ++b)
        if (w->kind[b] == SCREE_BODY_DYNAMIC) quat_rotate_inverse(w->q[b], w->spin[b], w->omega[b]);
    w->holder.newer &= ~(unsigned)PART_MOTION;
    return SCREE_OK;
}

static scree_status read_parts(void *engine, scree_world *w, unsigned parts)
{
    dem_spheres *d = engine;
    scree_status status = w->holder.newer & PART_MOTION ? read_motion(d, w) : SCREE_OK;
    if (status != SCREE_OK || !(parts & PART_CONTACTS)) return status;
    status = dem_spheres_read_contacts(d, w);
    if (status == SCREE_OK) w->holder.newer &= ~(unsigned)PART_CONTACTS;
    return status;
}

/* ---- adopt ----------------------------------------------------------------------------------------------------------------------- */

/// The spin in the world frame: as an engine left it, where nothing has changed since.
static void spin_find(const scree_world *w, int body)
{
    double back[3];
    quat_rotate_inverse(w->q[body], w->spin[body], back);
    const double *omega = w->omega[body];
    int unchanged = 1;
    for (int k = 0; k < 3; ++k) unchanged &= back[k] >= omega[k] && back[k] <= omega[k];
    if (!unchanged) body_spin_world(w, body, w->spin[body]);
}

/// A plane where it stands; how it moves is the forcing's.
static bed_plane plane_of(const scree_world *w, int shape)
{
    posed_shape posed;
    bed_plane p = {.material = w->material_count + w->shape_link[shape].material};
    world_shape_pose(w, shape, &posed);
    for (int k = 0; k < 3; ++k) p.normal[k] = posed.R[3 * k + 2], p.point[k] = posed.x[k];
    return p;
}

static bed_grain grain_of(const scree_world *w, int b)
{
    const scree_shape *shape = &w->shape[w->first_shape[b]];
    const int moves = w->kind[b] == SCREE_BODY_DYNAMIC;
    bed_grain g = {.id = b, .material = w->shape_link[w->first_shape[b]].material, .radius = shape->size[0]};
    g.inverse_mass = moves ? 1.0 / w->mass[b] : 0.0, g.inverse_inertia = moves ? 1.0 / w->inertia[b][0] : 0.0;
    spin_find(w, b);
    memcpy(g.omega, w->spin[b], sizeof g.omega);
    memcpy(g.x, w->x[b], sizeof g.x), memcpy(g.v, w->v[b], sizeof g.v), memcpy(g.q, w->q[b], sizeof g.q);
    return g;
}

/// The bed of the world as it stands.
static scree_status bed_make(dem_spheres *d, scree_error *error)
{
    const scree_world *w = d->world;
    const scree_allocator *a = &d->allocator;
    scree_status status;
    bed_def def = {.step = d->step, .orientations = 1, .ledger = 1, .materials = 2 * w->material_count};
    bed_pair *pair = dem_spheres_pairs(a, w, &d->law, &d->by_radius, &status);
    if (!pair) return status != SCREE_OK ? status : SCREE_ERR_UNSUPPORTED; /* it has been asked whether it fits */
    bed_grain *grain = memory_array(a, (size_t)w->body_count + 1, sizeof *grain);
    bed_plane *plane = memory_array(a, (size_t)w->shape_count + 1, sizeof *plane);
    d->plane_shape = memory_array(a, (size_t)w->shape_count + 1, sizeof *d->plane_shape);
    d->sphere_material = memory_array(a, (size_t)w->material_count + 1, sizeof *d->sphere_material);
    const int room = grain && plane && d->plane_shape && d->sphere_material;
    for (int k = 0; k < w->shape_count && room; ++k) {
        const bed_role role = dem_spheres_role(w, k);
        if (role == BED_PLANE) plane[d->planes] = plane_of(w, k), d->plane_shape[d->planes++] = k;
        if (role != BED_SPHERE) continue;
        grain[d->spheres++] = grain_of(w, w->shape_body[k]);
        d->sphere_material[w->shape_link[k].material] = 1;
    }
    def.count = d->spheres, def.grain = grain, def.pair = pair, def.law = d->law;
    def.planes = d->planes, def.plane = plane;
    memcpy(def.gravity, w->options.gravity, sizeof def.gravity);
    memcpy(def.periodic, w->options.periodic, sizeof def.periodic);
    memcpy(def.low, w->options.low, sizeof def.low), memcpy(def.high, w->options.high, sizeof def.high);
    status = room ? d->engine->create(&def, a, &d->bed, error) : SCREE_ERR_MEMORY;
    MEMORY_FREE_ALL(a, pair, grain, plane);
    return status;
}

/* ---- forcing ---------------------------------------------------------------------------------------------------------------------- */

/// Who is driven or has applied loads, and what is prescribed: it stays so as long as the engine lives.
static scree_status forcing_make(dem_spheres *d)
{
    const scree_world *w = d->world;
    const scree_allocator *a = &d->allocator;
    bed_forcing *f = &d->forcing;
    int driven = 0, loaded = 0;
    for (int b = 0; b < w->body_count; ++b) {
        driven += w->kind[b] == SCREE_BODY_DRIVEN;
        loaded += w->kind[b] == SCREE_BODY_DYNAMIC && w->extra[b] >= 0;
    }
    f->driven = memory_array(a, (size_t)driven + 1, sizeof *f->driven);
    f->plane = memory_array(a, (size_t)d->planes + 1, sizeof *f->plane);
    f->loaded = memory_array(a, (size_t)loaded + 1, sizeof *f->loaded);
    if (!f->driven || !f->plane || !f->loaded) return SCREE_ERR_MEMORY;
    for (int b = 0, plane = 0; b < w->body_count; ++b) { /* planes are in the order of their bodies */
        if (w->extra[b] < 0) continue;
        const body_extra *e = &w->extras[w->extra[b]];
        if (w->kind[b] == SCREE_BODY_DYNAMIC) f->loaded[f->loaded_count++] = (bed_loaded){.id = b, .load = e->load};
        if (w->kind[b] != SCREE_BODY_DRIVEN) continue;
        while (plane < d->planes && w->shape_body[d->plane_shape[plane]] < b) ++plane;
        for (; plane < d->planes && w->shape_body[d->plane_shape[plane]] == b; ++plane) {
            const scree_shape *shape = &w->shape[d->plane_shape[plane]];
            bed_driven_plane *p = &f->plane[f->plane_count++];
            p->plane = plane, p->body = f->driven_count;
            memcpy(p->position, shape->position, sizeof p->position);
            memcpy(p->rotation, shape->rotation, sizeof p->rotation);
        }
        f->driven[f->driven_count++] = (bed_driven){.id = b, .motion = e->motion};
    }
    return SCREE_OK;
}

/// The state of driven bodies, world to forcing; and when it is.
static void forcing_take(dem_spheres *d)
{
    const scree_world *w = d->world;
    bed_forcing *f = &d->forcing;
    f->time = w->time, f->step = w->step_count, f->work = d->outside.load;
    for (bed_driven *on = f->driven; on < f->driven + f->driven_count; ++on) {
        const int b = on->id;
        const body_extra *e = &w->extras[w->extra[b]];
        memcpy(on->x, w->x[b], sizeof on->x), memcpy(on->q, w->q[b], sizeof on->q);
        memcpy(on->v, w->v[b], sizeof on->v);
        memcpy(on->moved, e->moved, sizeof on->moved), memcpy(on->moved_from, e->moved_from, sizeof on->moved_from);
    }
}

void dem_spheres_forcing_give(const dem_spheres *d)
{
    scree_world *w = d->world;
    const bed_forcing *f = &d->forcing;
    for (const bed_driven *on = f->driven; on < f->driven + f->driven_count; ++on) {
        const int b = on->id;
        body_extra *e = &w->extras[w->extra[b]];
        memcpy(w->x[b], on->x, sizeof on->x), memcpy(w->q[b], on->q, sizeof on->q);
        memcpy(w->v[b], on->v, sizeof on->v);
        quat_rotate_inverse(on->q, on->moved + 3, w->omega[b]);
        memcpy(e->moved, on->moved, sizeof on->moved), memcpy(e->moved_from, on->moved_from, sizeof on->moved_from);
    }
}

/* ---- adopt and follow ---------------------------------------------------------------------------------------------------------------- */

/// Sums between world and engine: what has been lost, and the scale of exact sums.
static void sums_take(dem_spheres *d, bed_past *past)
{
    const soft_sums *s = &d->world->soft;
    _Static_assert(sizeof past->totals == sizeof s->lost, "all doubles");
    _Static_assert(sizeof d->outside <= sizeof s->outside, "there is room for the ledger");
    memcpy(&past->totals, s->lost, sizeof past->totals);
    memcpy(&d->outside, s->outside, sizeof d->outside);
    past->scale = s->scale;
}

static void sums_give(const dem_spheres *d)
{
    soft_sums *s = &d->world->soft;
    const bed_sums now = d->engine->sums(d->bed);
    memcpy(s->lost, &now.totals, sizeof now.totals);
    memcpy(s->outside, &d->outside, sizeof d->outside);
    s->scale = now.scale;
}

/// Bodies that have come bring their energy along.
static void bodies_count(scree_world *w)
{
    for (int b = (int)w->soft.bodies; b < w->body_count; ++b) world_soft_count(w, b, 1.0);
    w->soft.bodies = w->body_count;
}

/// theta is (h/2) (sum of m g.v now - fall): where steps have another length from now on, what it is so far must stay.
static void step_follow(scree_world *w, double h)
{
    const double before = w->impulse_time;
    double now = 0.0;
    if (!(w->soft.bodies > 0.0) || !(before > 0.0) || !(fabs(before - h) > 0.0)) return;
    for (int b = 0; b < w->body_count; ++b)
        if (w->kind[b] == SCREE_BODY_DYNAMIC) now += w->mass[b] * vec_dot(w->options.gravity, w->v[b]);
    w->soft.fall = now - before / h * (now - w->soft.fall);
}

/// Where spheres are stepped.
static const sphere_engine *sphere_engine_of(const scree_stepper *stepper)
{
    switch (stepper->options.device) {
    case SCREE_DEVICE_CPU: return &bed_engine;
    case SCREE_DEVICE_GPU: return &device_engine_gpu;
    case SCREE_DEVICE_HOST_TWIN: return &device_engine_twin;
    }
    return &bed_engine;
}

static scree_status adopt(scree_stepper *stepper, scree_world *w, scree_error *error)
{
    if (world_runaway(w, error) >= 0) return SCREE_ERR_RUNAWAY; /* numbers set by hand */
    scree_allocator a = w->allocator;
    dem_spheres *d = memory_array(&a, 1, sizeof *d);
    if (!d) return SCREE_ERR_MEMORY;
    d->allocator = a, d->world = w, d->engine = sphere_engine_of(stepper), d->step = stepper->options.step,
    d->energy_step = -1;
    d->walls.made = -1, d->removed = w->removed;
    world_wrap(w); /* bodies may have been put beyond a period */
    bed_past past = {.forcing = &d->forcing};
    scree_status status = arena_create(&a, &d->scratch);
    if (status == SCREE_OK) status = contacts_remember(w);
    if (status == SCREE_OK) status = bed_make(d, error);
    if (status == SCREE_OK) status = forcing_make(d);
    if (status == SCREE_OK) status = dem_spheres_walls_list(d);
    if (status == SCREE_OK) status = dem_spheres_take_histories(d, w, &past);
    if (status != SCREE_OK) {
        destroy(d);
        return status;
    }
    step_follow(w, d->step);
    sums_take(d, &past);
    d->outside.elastic = dem_spheres_wall_energy(w); /* walls that have left took their springs along */
    forcing_take(d);
    d->engine->adopt(d->bed, &past);
    d->fresh = 1;
    w->holder = (world_holder){.engine = d, .bodies = w->body_count, .read = read_parts, .destroy = destroy};
    return SCREE_OK;
}

/// 1: the new body can join the living engine.
static int can_join(const dem_spheres *d, int b)
{
    const scree_world *w = d->world;
    const double size = vec_dot(w->x[b], w->x[b]) + vec_dot(w->v[b], w->v[b]) + vec_dot(w->omega[b], w->omega[b]);
    if (w->shape_total[b] != 1 || w->extra[b] >= 0 || !isfinite(size)) return 0;
    const int shape = w->first_shape[b];
    return dem_spheres_role(w, shape) == BED_SPHERE && w->kind[b] == SCREE_BODY_DYNAMIC && !d->by_radius &&
           d->sphere_material[w->shape_link[shape].material];
}

/// Spheres of bodies that have been removed leave, all at once. `left`: removed bodies that were none.
static scree_status spheres_leave(dem_spheres *d, int *left)
{
    const scree_world *w = d->world;
    const int known = w->holder.bodies;
    int count = 0;
    *left = w->removed - d->removed;
    if (*left == 0) return SCREE_OK;
    arena_reset(d->scratch);
    int *gone = arena_alloc(d->scratch, ((size_t)known + 1) * sizeof *gone, 64);
    if (!gone) return SCREE_ERR_MEMORY;
    for (int b = 0; b < w->body_count; ++b) {
        if (w->kind[b] != SCREE_BODY_REMOVED) continue;
        if (b < known) gone[count++] = b;
        else *left -= 1;
    }
    double held;
    count = d->engine->remove(d->bed, count, gone, &held);
    d->ghosts += count, *left -= count, d->left += held, d->outside.brought -= held;
    memcpy(d->world->soft.outside, &d->outside,
           sizeof d->outside); /* where the call fails, there will be another engine */
    return SCREE_OK;
}

/// Bodies that came or left since. `*again`: too much has changed, and an engine must be made from the world.
static scree_status follow(dem_spheres *d, int *again)
{
    scree_world *w = d->world;
    int left;
    const int known = w->holder.bodies, added = w->body_count - known;
    *again = 0;
    if (w->removed == d->removed && added == 0) return SCREE_OK;
    scree_status status = spheres_leave(d, &left);
    if (status != SCREE_OK) return status;
    *again = left > 0; /* bodies that are not spheres take their planes and walls with them */
    for (int b = known; b < w->body_count && !*again; ++b) *again = w->kind[b] != SCREE_BODY_REMOVED && !can_join(d, b);
    status = *again ? SCREE_OK : dem_spheres_walls_list(d);
    if (*again || status != SCREE_OK) return status;
    d->energy_step = -1, d->meetings.known = 0;
    if (added > 0 && world_is_periodic(w)) (void)world_sync(w, PART_MOTION), world_wrap(w);
    for (int b = known; b < w->body_count; ++b) {
        if (w->kind[b] == SCREE_BODY_REMOVED) continue;
        const bed_grain g = grain_of(w, b);
        status = d->engine->add(d->bed, &g);
        if (status != SCREE_OK) return status;
        w->holder.bodies = b + 1, d->spheres += 1;
    }
    w->holder.bodies = w->body_count,
    d->removed = w->removed; /* last: a call that ran out of memory is followed by a new engine */
    *again = 4 * d->ghosts > d->spheres;
    return SCREE_OK;
}

/// An engine that is up to date with the world's bodies.
static scree_status engine_ready(scree_stepper *stepper, scree_world *w, scree_error *error)
{
    dem_spheres *d = w->holder.engine;
    int again = d && (d->step != stepper->options.step || w->by_hand || d->engine != sphere_engine_of(stepper));
    const int fewer = d && w->removed != d->removed;
    scree_status status = SCREE_OK;
    if (d && !again) status = follow(d, &again);
    const double left = d ? d->left : 0.0, at_walls = d ? d->outside.elastic : 0.0;
    if (status == SCREE_OK && again) status = world_reclaim(w);
    if (status != SCREE_OK || w->holder.engine) return status;
    const double gone = d ? 0.0 : dem_spheres_gone_energy(w, 0) + dem_spheres_gone_energy(w, 1);
    status = adopt(stepper, w, error);
    if (status != SCREE_OK) return status;
    dem_spheres *made = w->holder.engine; /* what contacts of removed bodies held, left with them */
    double more = fewer ? at_walls - made->outside.elastic : gone;
    if (fabs(more) < 1e-13 * at_walls) more = 0.0; /* rounding of the two sums */
    made->left = left + more, made->outside.brought -= more;
    return status;
}

/// State has been set by hand, and there are springs whose growth in the step to come is that of ways really made.
static int ways_differ(const scree_world *w)
{
    if (!(w->soft.scale < 0.0)) return 0;
    if (w->holder.engine) return 1; /* it could not be taken away: its contacts are not known here */
    for (int k = 0; k < w->contacts.count && w->contacts.memory; ++k)
        if (w->contacts.memory[k].live) return 1;
    return 0;
}

scree_status dem_engine_choose(const scree_stepper *stepper, scree_world *w, dem_engine *which, scree_error *error)
{
    const dem_spheres *d = w->holder.engine;
    const char *misfit = NULL;
    int body;
    *which = DEM_SPHERES;
    if (stepper->options.engine == SCREE_ENGINE_GENERAL || ways_differ(w) || w->passing_pairs > 0) *which = DEM_GENERAL;
    else if (d && w->holder.bodies == w->body_count && d->removed == w->removed && w->joint_count == 0) return SCREE_OK;
    scree_status status = scheme_possible(stepper, w, error);
    if (status == SCREE_OK && *which == DEM_SPHERES) {
        status = dem_spheres_fit(&stepper->allocator, w, &misfit, &body);
        if (misfit) *which = DEM_GENERAL;
    }
    if (status == SCREE_OK && stepper->options.device != SCREE_DEVICE_CPU && !ways_differ(w))
        status = dem_device_possible(stepper, w, error);
    if (status == SCREE_OK && *which == DEM_GENERAL) status = world_reclaim(w);
    if (status == SCREE_OK && *which == DEM_GENERAL && w->soft.bodies > 0.0) bodies_count(w);
    return status;
}

void dem_spheres_step_elsewhere(scree_world *w, const scree_step_report *report)
{
    scree_ledger sum, step = report->energy;
    bed_totals lost;
    if (!(w->soft.bodies > 0.0)) return;
    memcpy(&sum, w->soft.outside, sizeof sum), memcpy(&lost, w->soft.lost, sizeof lost);
    lost.deepest = max2(lost.deepest, report->penetration);
    memcpy(w->soft.lost, &lost, sizeof lost);
    step.kinetic = sum.kinetic, step.potential = sum.potential, step.theta = step.balance = 0.0;
    ledger_add(&sum, &step);
    sum.elastic = dem_spheres_wall_energy(w); /* the others' are taken when asked for */
    memcpy(w->soft.outside, &sum, sizeof sum);
}

/* ---- steps ----------------------------------------------------------------------------------------------------------------------- */

/// All that has been lost and done since the first step; elastic: of `energy`, and what walls hold.
static scree_ledger ledger_of(const dem_spheres *d, const bed_energy *energy)
{
    const bed_totals lost = d->engine->sums(d->bed).totals;
    scree_ledger e = d->outside;
    e.impact += lost.dashpot[0];
    for (int k = 1; k < 4; ++k) e.damping += lost.dashpot[k];
    e.slide += lost.slider[1], e.roll += lost.slider[2], e.spin += lost.slider[3];
    e.driven += lost.driven, e.tracking += lost.model, e.dropped += lost.dropped, e.law_work += lost.made;
    for (int k = 0; k < 4; ++k) e.elastic += energy->elastic[k];
    return e;
}

/// What has been there, and what is. theta: m g.(x1 - x0) = h m g.v1 against the work of the kick, h m g.(v0 + v1)/2, over all steps.
static void ledger_finish(double mechanical_then, double fall_then, double came_round, double h, const bed_energy *now,
                          scree_ledger *e)
{
    e->kinetic = now->kinetic, e->potential = now->potential;
    e->theta = 0.5 * h * (now->fall - fall_then);
    e->balance = now->kinetic + now->potential - mechanical_then - came_round;
#define CLOSE(name, sign, text) e->balance -= (sign)*e->name;
    SCREE_LEDGER_LINES(CLOSE);
#undef CLOSE
}

static void energies_take(dem_spheres *d)
{
    d->energy = d->engine->energies(d->bed), d->then = ledger_of(d, &d->energy);
    d->energy_step = d->world->step_count, d->left = 0.0;
}

static void report_make(dem_spheres *d, scree_step_report *report)
{
    const scree_world *w = d->world;
    const bed_energy before = d->energy;
    const scree_ledger then = d->then;
    energies_take(d);
    report->energy = ledger_between(&then, &d->then), d->total = d->then;
    ledger_finish(before.kinetic + before.potential, before.fall, d->energy.came_round - before.came_round, d->step,
                  &d->energy, &report->energy);
    ledger_finish(w->soft.mechanical, w->soft.fall, d->energy.came_round, d->step, &d->energy, &d->total);

    const bed_survey s = d->engine->survey(d->bed);
    report->bodies = scree_world_dynamic_count(w), report->contacts = s.touching, report->active = s.pushing;
    report->modes[SCREE_MODE_TAKE_OFF] += s.touching - s.pushing;
    report->penetration = d->deepest;
    for (int slide = 0; slide < 2; ++slide)
        for (int roll = 0; roll < 2; ++roll)
            for (int spin = 0; spin < 3; ++spin)
                report->modes[scree_mode_make(slide, roll, spin == 2 ? -1 : spin)] += s.modes[slide][roll][spin];
    if (d->walls.count == 0 || !(w->holder.newer & PART_CONTACTS)) return; /* else the engine's are among them */
    for (int k = 0; k < w->contacts.count; ++k) {
        const scree_contact_point *t = &w->contacts.touch[k];
        report->contacts += 1, report->active += t->impulse[0] > 0.0, report->modes[t->mode] += 1;
    }
}

/// What is summed in any case; energies, and what follows from them, stay as the last report found them.
static void totals_follow(dem_spheres *d)
{
    const scree_ledger last = d->total;
    d->total = ledger_of(d, &d->energy);
    d->total.kinetic = last.kinetic, d->total.potential = last.potential;
    d->total.elastic = last.elastic, d->total.theta = last.theta, d->total.balance = last.balance;
}

const scree_ledger *dem_spheres_total(const scree_world *w)
{
    return &((const dem_spheres *)w->holder.engine)->total;
}

double dem_spheres_deepest(const scree_world *w)
{
    const dem_spheres *d = w->holder.engine;
    return d->engine->sums(d->bed).totals.deepest;
}

/// Where there are walls, contacts of the world are those with them; the others, which somebody has read, are the engine's again.
static void own_contacts_drop(dem_spheres *d)
{
    scree_world *w = d->world;
    if (d->walls.count == 0 || w->holder.newer & PART_CONTACTS) return;
    d->outside.brought -= dem_spheres_gone_energy(w, 1);
    dem_spheres_walls_pick(w);
    w->holder.newer |= PART_CONTACTS;
}

/// What is stored in overlaps of bodies that have made no step yet: nobody's motion has put it there.
static scree_status overlaps_brought(dem_spheres *d, double *brought)
{
    const scree_world *w = d->world;
    int plane = 0;
    *brought = 0.0;
    if (!(w->soft.moved < w->body_count)) return SCREE_OK;
    while (plane < d->planes && w->shape_body[d->plane_shape[plane]] < w->soft.moved) ++plane;
    return d->engine->new_overlaps(d->bed, (int)w->soft.moved, plane, brought);
}

/// Steps up to the next look at their length.
static scree_status steps_take(dem_spheres *d, int64_t steps, scree_error *error)
{
    scree_world *w = d->world;
    bed_forcing *f = &d->forcing;
    const int64_t before = f->step;
    double brought;
    bodies_count(w);
    own_contacts_drop(d);
    scree_status status = overlaps_brought(d, &brought);
    if (status != SCREE_OK) return status;
    w->holder.newer = PART_ALL;
    if (f->soft) status = dem_spheres_soft_give(d);
    if (status != SCREE_OK) return status;
    status = d->engine->advance(d->bed, steps, f, error);
    if (f->soft && dem_spheres_soft_take(d) != SCREE_OK) status = SCREE_ERR_MEMORY;
    d->deepest = max2(d->deepest, d->engine->sums(d->bed).deepest);
    if (status == SCREE_ERR_INPUT && f->refused >= 0) (void)refuse_load(w, f->refused, f->time, d->step, error);
    if (f->step == before) return status;
    w->time = f->time, w->step_count = f->step, w->soft.moved = w->body_count;
    d->outside.load = f->work, d->outside.brought += brought;
    d->fresh = 0;
    dem_spheres_forcing_give(d);
    sums_give(d);
    if (status == SCREE_ERR_RUNAWAY) (void)world_runaway(w, error); /* by its name in the world */
    return status;
}

static scree_status advance(scree_stepper *stepper, dem_spheres *d, int64_t steps, scree_step_report *report,
                            double begin, scree_error *error)
{
    scree_world *w = d->world;
    const int64_t end = w->step_count + steps;
    if (report && d->energy_step != w->step_count) {
        const double left = d->left; /* the report has what left with spheres since the last step, too */
        energies_take(d);
        d->then.elastic += left, d->then.brought += left;
    }
    if (!d->fresh) own_contacts_drop(d);
    forcing_take(d);
    d->deepest = 0.0;
    d->forcing.half = dem_kicks_half(&stepper->options, w);
    const double lists = d->engine->sums(d->bed).list_seconds, then = clock_seconds();
    scree_status status = SCREE_OK;
    while (w->step_count < end && status == SCREE_OK) {
        const int64_t due = stepper->options.force_step ? end : dem_limit_next(w->step_count),
                      next = due < end ? due : end;
        status = dem_spheres_judge(stepper, d, error);
        if (status == SCREE_OK) status = steps_take(d, next - w->step_count, error);
    }
    const double after = clock_seconds(), limit = w->options.speed_limit;
    const bed_sums sums = d->engine->sums(d->bed);
    if (status == SCREE_OK && limit > 0.0 && sums.speed > limit && world_runaway(w, error) >= 0)
        status = SCREE_ERR_RUNAWAY;
    if (status == SCREE_OK && report) report_make(d, report);
    else totals_follow(d);
    if (!report) return status;
    report->seconds_assemble += then - begin; /* lists are what finding contacts is here */
    report->seconds_detect += sums.list_seconds - lists;
    report->seconds_solve += after - then - (sums.list_seconds - lists);
    report->seconds_update += clock_seconds() - after;
    return status;
}

/* Between calls the engine has no stepper and no threads: those of the stepper go with it. */
scree_status dem_spheres_advance(scree_stepper *stepper, scree_world *w, int64_t steps, scree_step_report *report,
                                 scree_error *error)
{
    const double begin = clock_seconds();
    scree_status status = engine_ready(stepper, w, error);
    dem_spheres *d = w->holder.engine;
    if (!d) return status;
    d->stepper = stepper;
    if (status == SCREE_OK) status = d->engine->threads(d->bed, stepper->pool);
    if (status == SCREE_OK) status = advance(stepper, d, steps, report, begin, error);
    (void)d->engine->threads(d->bed, NULL); /* asks for no memory */
    d->stepper = NULL;
    return status;
}
