/* dem_bed.c: soft contacts of spheres through the fast engine (bed.h), where dem_bed_fit.c finds that a world fits.
 *
 * The bed keeps its own memory. After every call poses, velocities, contacts and loads are written to the world, and the bed's state
 * as bytes (world.engine_state): a stepper that has no bed for a world makes one and loads them, so a restart goes on with the same
 * bits. Where bodies have come or left a bed is made again (dem_bed_make.c); where the world no longer fits, what the contacts remember
 * is handed to the general stages, which go on. */
#include "steppers/dem_bed.h"

#include "math/quat.h"

#include <string.h>

void dem_bed_motion_to_world(const dem_bed *d, scree_world *w)
{
    bed_motion motion = d->motion, *m = &motion;
    bed_read(d->cast.engine, m);
    for (int k = 0; k < d->cast.spheres; ++k) {
        int b = w->shape_body[d->cast.sphere_shape[k]];
        if (w->kind[b] != SCREE_DYNAMIC) continue;
        memcpy(w->x[b], m->x + 3 * k, sizeof(vec3)), memcpy(w->v[b], m->v + 3 * k, sizeof(vec3));
        memcpy(w->q[b], m->q + 4 * k, sizeof(quat));
        quat_rotate_inverse(w->q[b], m->omega + 3 * k, w->omega[b]);
    }
}

static void shapes_write(const int *shape, int count, unsigned char *to)
{
    for (int k = 0; k < count; ++k) {
        int32_t value = shape[k];
        memcpy(to + (size_t)k * sizeof value, &value, sizeof value);
    }
}

/// The bed's state as bytes, between what belongs to it (bed_prefix).
static scree_status state_to_world(dem_bed *d, const bed_energies_all *now, scree_world *w)
{
    const bed_cast *cast = &d->cast;
    bed_prefix prefix = {.moved = dem_bed_motion_hash(w), .roster = d->roster, .start = d->start, .last = *now};
    prefix.spheres = cast->spheres, prefix.planes = cast->planes, prefix.law = (int32_t)cast->law;
    size_t own = bed_state_size(cast->engine), spheres = (size_t)cast->spheres * sizeof(int32_t);
    size_t bytes = sizeof prefix + own + spheres + (size_t)cast->planes * sizeof(int32_t);
    if (bytes > 1u << 30) return SCREE_ERR_MEMORY;
    if (world_reserve_engine(w, (int)bytes) != SCREE_OK) return SCREE_ERR_MEMORY;
    unsigned char *at = w->engine_state;
    memcpy(at, &prefix, sizeof prefix), at += sizeof prefix;
    bed_state_save(cast->engine, at), at += own;
    shapes_write(cast->sphere_shape, cast->spheres, at);
    shapes_write(cast->plane_shape, cast->planes, at + spheres);
    w->engine_bytes = (int)bytes;
    memcpy(d->head, w->engine_state, sizeof d->head);
    return SCREE_OK;
}

/// The bed that belongs to the world's state, made if there is none.
static scree_status bed_of(scree_stepper *stepper, const scree_world *w, scree_error *error)
{
    const dem_bed *d = stepper->bed;
    if (d && w->engine_bytes >= (int)sizeof d->head && memcmp(d->head, w->engine_state, sizeof d->head) == 0) {
        bed_prefix left;
        memcpy(&left, w->engine_state, sizeof left);
        if (bed_roster_equal(left.roster, dem_bed_roster(w)) && left.moved == dem_bed_motion_hash(w)) return SCREE_OK;
    }
    return dem_bed_make(stepper, w, error);
}

/* ---- steps --------------------------------------------------------------------------------------------------------------------- */

static void ledger_of(const bed_energies_all *from, const bed_energies_all *to, scree_ledger *e)
{
    const bed_energy *before = &from->bed, *after = &to->bed;
    double dashpot[4], slider[4];
#define DIFFERENCE(name, sign, text) e->name = to->outside.name - from->outside.name;
    SCREE_LEDGER_LINES(DIFFERENCE)
#undef DIFFERENCE
    for (int k = 0; k < 4; ++k) {
        dashpot[k] = after->dashpot[k] - before->dashpot[k], slider[k] = after->slider[k] - before->slider[k];
        e->elastic += after->elastic[k] - before->elastic[k];
    }
    e->kinetic = after->kinetic, e->potential = after->potential;
    e->impact += dashpot[0], e->damping += dashpot[1] + dashpot[2] + dashpot[3];
    e->slide += slider[1], e->roll += slider[2], e->spin += slider[3], e->driven += after->driven - before->driven;
    /* the bed's sliders count what leaves a spring that is cut: more than the work where a step slides far beyond the limit */
    e->tracking += after->model - before->model;
    e->theta = before->kinetic + before->potential - after->kinetic - after->potential +
               (after->came_round - before->came_round) + e->load + e->driven - e->impact - e->damping - e->slide -
               e->roll - e->spin - e->elastic - e->tracking;
}

static void report_of(const scree_world *w, scree_step_report *report)
{
    report->contacts = w->contacts.count, report->bodies = scree_world_dynamic_count(w);
    for (int k = 0; k < w->contacts.count; ++k) {
        const scree_touch *t = &w->contacts.touch[k];
        report->active += t->load[0] > 0.0, report->modes[t->mode] += 1;
        if (-t->gap > report->penetration) report->penetration = -t->gap, report->penetration_contact = k;
    }
}

scree_status dem_bed_leave(scree_stepper *stepper, scree_world *w, scree_error *error)
{
    bed_prefix prefix;
    bed_cast old;
    scree_status status = dem_bed_recall(stepper, w, &prefix, &old, error);
    if (!status) status = dem_bed_contacts_to_world(stepper, w, &old, 1);
    dem_bed_cast_free(&stepper->allocator, &old);
    if (status) return status;
    dem_bed_destroy(stepper);
    w->engine = WORLD_ENGINE_GENERAL, w->engine_bytes = 0;
    return SCREE_OK;
}

const scree_ledger *dem_bed_total(const scree_stepper *stepper)
{
    return &stepper->bed->total;
}

scree_status dem_bed_advance(scree_stepper *stepper, scree_world *w, int64_t steps, scree_step_report *report,
                             scree_error *error)
{
    scree_status status = contacts_remember(w);
    if (!status) status = bed_of(stepper, w, error);
    if (!status) status = state_save(stepper, w);
    if (status) return status;
    dem_bed *d = stepper->bed;
    *report = (scree_step_report){.h = stepper->options.step, .penetration_contact = -1};
    status = dem_bed_walls_begin(stepper, w, error);
    if (w->engine_bytes == 0) d->start.outside = d->outside; /* the first step: what walls store by then */
    bed_energies_all before = {.bed = d->energy, .outside = d->outside};
    if (!status) status = dem_bed_steps(stepper, w, steps, error);
    if (!status) {
        d->energy = bed_energies(d->cast.engine);
        bed_energies_all after = {.bed = d->energy, .outside = d->outside};
        dem_bed_motion_to_world(d, w);
        d->total = (scree_ledger){.kinetic = 0.0};
        ledger_of(&before, &after, &report->energy);
        ledger_of(&d->start, &after, &d->total);
        status = scree_world_check(w, error) < 0 ? dem_bed_contacts_to_world(stepper, w, &d->cast, 0) : SCREE_ERR_INPUT;
        if (!status) status = state_to_world(d, &after, w);
        if (!status) report_of(w, report);
    }
    if (status) {
        state_load(stepper, w);
        dem_bed_walls_restore(d, w);
        dem_bed_destroy(stepper);
    }
    return status;
}
