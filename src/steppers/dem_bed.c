/* dem_bed.c: soft contacts of spheres and planes through the fast engine (bed.h), where dem_bed_fit.c finds that a world fits.
 *
 * The bed keeps its own memory. After every call poses, velocities, contacts and loads are written to the world, and the bed's state
 * as bytes (world.engine_state): a stepper that has no bed for a world makes one and loads them, so a restart goes on with the same
 * bits. A body that is added or removed ends this: what the contacts remember is handed to the general stages, which go on.
 *
 * Planes of driven bodies get the velocity of each step before it; servos answer to the planes' loads after it. bed.h begins a step where dem.c ends one: contacts are those at the end
 * of the step, not at its start, and dashpots see the velocity that has moved a plane there. Their ages are not counted. */
#include "steppers/dem_bed.h"

#include "base/hash.h"
#include "base/memory.h"
#include "laws/maps.h"
#include "math/quat.h"

#include <stdlib.h>
#include <string.h>

/// What stands before the bed's own bytes in the world.
typedef struct bed_prefix {
    uint64_t moved;   /* hash of the motion that belongs to them                                          */
    bed_energy start; /* at the first step: totals are differences to it, however the steps are batched   */
} bed_prefix;

struct dem_bed {
    bed *engine;
    bed_energy start;
    scree_ledger total;
    int spheres, planes;
    int driven; /* planes of driven bodies */
    int *sphere_shape, *plane_shape;
    bed_motion motion; /* read and written through these */
    double critical;
    unsigned char head[sizeof(bed_prefix) + 64]; /* first bytes of the state that was left in the world */
};

/* ---- making a bed from a world ----------------------------------------------------------------------------------------------- */

void dem_bed_destroy(scree_stepper *stepper)
{
    dem_bed *d = stepper->bed;
    if (!d) return;
    bed_destroy(d->engine);
    MEMORY_FREE_ALL(&stepper->allocator, d->sphere_shape, d->plane_shape, d->motion.x, d->motion.v, d->motion.omega,
                    d->motion.q, d);
    stepper->bed = NULL;
}

static uint64_t motion_hash(const scree_world *w)
{
    size_t n = (size_t)w->body_count;
    uint64_t h = hash_bytes(0, w->x, n * sizeof *w->x);
    h = hash_bytes(h, w->v, n * sizeof *w->v);
    h = hash_bytes(h, w->q, n * sizeof *w->q);
    return hash_bytes(h, w->omega, n * sizeof *w->omega);
}

/// Arrays of a bed's definition and motion, in the order of its spheres.
typedef struct bed_arrays {
    double *radius, *inverse_mass, *inverse_inertia;
    int *material;
    bed_plane *plane;
} bed_arrays;

static void arrays_free(const scree_allocator *a, bed_arrays *s)
{
    MEMORY_FREE_ALL(a, s->radius, s->inverse_mass, s->inverse_inertia, s->material, s->plane);
}

static int motion_alloc(const scree_allocator *a, int spheres, bed_motion *m)
{
    size_t n = (size_t)spheres + 1;
    m->x = memory_array(a, 3 * n, sizeof(double)), m->v = memory_array(a, 3 * n, sizeof(double));
    m->omega = memory_array(a, 3 * n, sizeof(double)), m->q = memory_array(a, 4 * n, sizeof(double));
    return m->x && m->v && m->omega && m->q;
}

static void motion_of_world(const scree_world *w, dem_bed *d)
{
    bed_motion *m = &d->motion;
    for (int k = 0; k < d->spheres; ++k) {
        int b = w->shape_body[d->sphere_shape[k]];
        memcpy(m->x + 3 * k, w->x[b], sizeof(vec3)), memcpy(m->v + 3 * k, w->v[b], sizeof(vec3));
        memcpy(m->q + 4 * k, w->q[b], sizeof(quat));
        body_spin_world(w, b, m->omega + 3 * k);
    }
}

static void motion_to_world(const dem_bed *d, scree_world *w)
{
    const bed_motion *m = &d->motion;
    for (int k = 0; k < d->spheres; ++k) {
        int b = w->shape_body[d->sphere_shape[k]];
        if (w->kind[b] != SCREE_DYNAMIC) continue;
        memcpy(w->x[b], m->x + 3 * k, sizeof(vec3)), memcpy(w->v[b], m->v + 3 * k, sizeof(vec3));
        memcpy(w->q[b], m->q + 4 * k, sizeof(quat));
        quat_rotate_inverse(w->q[b], m->omega + 3 * k, w->omega[b]);
    }
}

/// Of a plane where the engine has its point, in the step from `time` on.
static void plane_velocity(const scree_world *w, int plane, const dem_bed *d, double time, double h, double v[3],
                           double omega[3])
{
    int b = w->shape_body[d->plane_shape[plane]];
    double arm[3], turn[3];
    body_driven_velocity(w, b, time, h, v, omega);
    quat_rotate(w->q[b], w->shape[d->plane_shape[plane]].position, arm);
    vec_cross(omega, arm, turn);
    vec_add_scaled(v, 1.0, turn, v);
}

static int arrays_make(const scree_allocator *a, const scree_world *w, double step, dem_bed *d, bed_arrays *s)
{
    size_t n = (size_t)d->spheres + 1;
    *s = (bed_arrays){.radius = memory_array(a, n, sizeof(double)),
                      .inverse_mass = memory_array(a, n, sizeof(double)),
                      .inverse_inertia = memory_array(a, n, sizeof(double)),
                      .material = memory_array(a, n, sizeof(int)),
                      .plane = memory_array(a, (size_t)d->planes + 1, sizeof *s->plane)};
    if (!s->radius || !s->inverse_mass || !s->inverse_inertia || !s->material || !s->plane ||
        !motion_alloc(a, d->spheres, &d->motion))
        return 0;
    for (int k = 0; k < d->spheres; ++k) {
        const scree_shape *shape = &w->shape[d->sphere_shape[k]];
        int b = w->shape_body[d->sphere_shape[k]], moves = w->kind[b] == SCREE_DYNAMIC;
        s->radius[k] = shape->size[0], s->material[k] = shape->material;
        s->inverse_mass[k] = moves ? 1.0 / w->mass[b] : 0.0,
        s->inverse_inertia[k] = moves ? 1.0 / w->inertia[b][0] : 0.0;
    }
    for (int k = 0; k < d->planes; ++k) {
        const scree_shape *shape = &w->shape[d->plane_shape[k]];
        int b = w->shape_body[d->plane_shape[k]];
        double q[4], at[3];
        const double z[3] = {0.0, 0.0, 1.0};
        quat_mul(w->q[b], shape->rotation, q);
        quat_rotate(w->q[b], shape->position, at);
        s->plane[k] = (bed_plane){.material = w->material_count + shape->material};
        plane_velocity(w, k, d, w->time, step, s->plane[k].v, s->plane[k].omega);
        quat_rotate(q, z, s->plane[k].normal);
        double length = vec_norm(s->plane[k].normal);
        for (int i = 0; i < 3; ++i) s->plane[k].normal[i] /= length, s->plane[k].point[i] = w->x[b][i] + at[i];
    }
    motion_of_world(w, d);
    return 1;
}

static int list_shapes(const scree_allocator *a, const scree_world *w, dem_bed *d)
{
    d->sphere_shape = memory_array(a, (size_t)w->shape_count + 1, sizeof *d->sphere_shape);
    d->plane_shape = memory_array(a, (size_t)w->shape_count + 1, sizeof *d->plane_shape);
    if (!d->sphere_shape || !d->plane_shape) return 0;
    for (int k = 0; k < w->shape_count; ++k) {
        if (w->kind[w->shape_body[k]] == SCREE_REMOVED) continue;
        if (w->shape[k].kind == SCREE_SPHERE) d->sphere_shape[d->spheres++] = k;
        else d->plane_shape[d->planes++] = k, d->driven += w->kind[w->shape_body[k]] == SCREE_DRIVEN;
    }
    return 1;
}

/// A bed of the world as it is; with the memory that the world keeps for it, if there is one.
static scree_status engine_make(scree_stepper *stepper, const scree_world *w, dem_bed *d, scree_error *error)
{
    const scree_allocator *a = &stepper->allocator;
    bed_arrays s = {.radius = NULL};
    scree_status status = SCREE_ERR_MEMORY;
    bed_def def = {.count = 0};
    bed_pair *pair = dem_bed_pairs(stepper, w, &def.law, &status);
    if (pair && list_shapes(a, w, d) && arrays_make(a, w, stepper->options.step, d, &s)) {
        def.count = d->spheres, def.radius = s.radius, def.inverse_mass = s.inverse_mass;
        def.inverse_inertia = s.inverse_inertia, def.material = s.material, def.materials = 2 * w->material_count;
        def.pair = pair, def.planes = d->planes, def.plane = s.plane, def.step = stepper->options.step;
        def.orientations = 1, def.ledger = 1;
        memcpy(def.gravity, w->options.gravity, sizeof def.gravity);
        memcpy(def.periodic, w->options.periodic, sizeof def.periodic);
        memcpy(def.low, w->options.low, sizeof def.low), memcpy(def.high, w->options.high, sizeof def.high);
        d->critical = bed_critical_step(&def);
        status = bed_create(&def, &d->motion, a, stepper->pool, &d->engine, error);
        if (!status) status = bed_want_contact_loads(d->engine, 1);
        if (!status) d->start = bed_energies(d->engine);
        size_t bytes = (size_t)w->engine_bytes;
        if (!status && bytes > sizeof(bed_prefix)) {
            bed_prefix prefix;
            memcpy(&prefix, w->engine_state, sizeof prefix);
            d->start = prefix.start;
            status = bed_state_load(d->engine, w->engine_state + sizeof prefix, bytes - sizeof prefix, error);
            if (!status && prefix.moved != motion_hash(w))
                status = bed_write(d->engine, &d->motion, error); /* moved by hand since */
        }
    }
    arrays_free(a, &s);
    memory_free(a, pair);
    return status;
}

/// The bed that belongs to the world's state, made if there is none.
static scree_status bed_of(scree_stepper *stepper, const scree_world *w, scree_error *error)
{
    dem_bed *d = stepper->bed;
    if (d && w->engine_bytes >= (int)sizeof d->head && memcmp(d->head, w->engine_state, sizeof d->head) == 0) {
        uint64_t left;
        memcpy(&left, w->engine_state, sizeof left);
        if (left == motion_hash(w)) return SCREE_OK;
    }
    dem_bed_destroy(stepper);
    d = stepper->bed = memory_array(&stepper->allocator, 1, sizeof *d);
    scree_status status = d ? engine_make(stepper, w, d, error) : SCREE_ERR_MEMORY;
    if (status) dem_bed_destroy(stepper);
    else if (!stepper->options.force_step && stepper->options.step > d->critical) {
        scree_error_set(
            error, NULL, 0, 0,
            "the step of %.4g s is beyond the critical step of %.4g s of a single contact; expected a smaller "
            "step, or force_step: 1",
            stepper->options.step, d->critical);
        status = SCREE_ERR_INPUT;
    }
    return status;
}

/* ---- the bed's contacts as the world's ----------------------------------------------------------------------------------------- */

static int by_shapes(const void *a, const void *b)
{
    const scree_touch *x = a, *y = b;
    if (x->shape_a != y->shape_a) return x->shape_a < y->shape_a ? -1 : 1;
    return (x->shape_b > y->shape_b) - (x->shape_b < y->shape_b);
}

/// One contact, seen from A to B by the numbers of the shapes.
static void touch_of(const scree_world *w, const dem_bed *d, const bed_contact *c, double h, int sds, scree_touch *t)
{
    int shape_i = d->sphere_shape[c->i], shape_j = c->j < 0 ? d->plane_shape[-1 - c->j] : d->sphere_shape[c->j];
    int i_is_b = shape_i > shape_j, body_i = w->shape_body[shape_i];
    double sign = i_is_b ? 1.0 : -1.0, R = w->shape[shape_i].size[0], arm[3], lever[3], moment[3], t2[3];
    *t = (scree_touch){.shape_a = i_is_b ? shape_j : shape_i, .shape_b = i_is_b ? shape_i : shape_j, .gap = -c->delta};
    t->body_a = w->shape_body[t->shape_a], t->body_b = w->shape_body[t->shape_b];
    for (int k = 0; k < 3; ++k) {
        t->normal[k] = sign * c->n[k];
        arm[k] = -(R - 0.5 * c->delta) * c->n[k], t->position[k] = w->x[body_i][k] + arm[k];
    }
    contact_law(w, w->shape[t->shape_a].material, w->shape[t->shape_b].material,
                min2(w->roll_radius[t->shape_a], w->roll_radius[t->shape_b]), t);
    if (sds) vec_tangent(t->normal, t->tangent);
    else memcpy(t->tangent, c->u, sizeof t->tangent);
    vec_cross(t->normal, t->tangent, t2);
    vec_cross(arm, c->force, lever);
    vec_sub(c->torque_i, lever, moment); /* the couple on i */
    const double *f = c->force;
    double s = sign * h;
    t->load[0] = s * vec_dot(f, t->normal), t->load[1] = s * vec_dot(f, t->tangent), t->load[2] = s * vec_dot(f, t2);
    t->load[3] = s * vec_dot(moment, t->tangent), t->load[4] = s * vec_dot(moment, t2);
    t->load[5] = s * vec_dot(moment, t->normal);
    t->mode = SCREE_MODE_TAKE_OFF;
    if (!(t->load[0] > 0.0)) return;
    double limit = t->cone.coef[SCREE_SLIDE] * t->load[0] * (1.0 - 1e-9);
    dem_law law;
    (void)dem_law_of(world_pair(w, w->shape[shape_i].material, w->shape[shape_j].material), t->cone.coef,
                     t->coef_static, &law); /* nothing lacks: there is a bed */
    int slides = sds ? t->load[1] * t->load[1] + t->load[2] * t->load[2] >= limit * limit : c->kinetic[DEM_SLIDE];
    int rolls = !sds && law.rolls && (c->kinetic[DEM_ROLL_I] || c->kinetic[DEM_ROLL_J]);
    int spins = !sds && law.spins && c->kinetic[DEM_SPIN];
    t->mode = mode_make(slides, rolls, spins ? (t->load[5] > 0.0 ? 1 : -1) : 0);
}

static void velocity_of(const scree_world *w, scree_touch *t)
{
    const int body[2] = {t->body_a, t->body_b};
    vec6 velocity[2] = {{0.0}};
    contact_arms arms;
    for (int k = 0; k < 2; ++k) {
        if (w->kind[body[k]] == SCREE_FIXED) continue;
        memcpy(velocity[k], w->v[body[k]], sizeof(vec3));
        body_spin_world(w, body[k], velocity[k] + 3);
    }
    touch_arms(w, t, &arms);
    touch_velocity(t, &arms, velocity[0], velocity[1], t->velocity);
}

/// What a contact remembers, as the general stages keep it: frame and points where they are now.
static void memory_of(const scree_world *w, const bed_contact *c, const scree_touch *t, int sds, contact_memory *m)
{
    double sign = vec_dot(t->normal, c->n) > 0.0 ? 1.0 : -1.0;
    *m = (contact_memory){.live = 1};
    for (int k = 0; k < 3; ++k) {
        m->frame_a[k] = t->normal[k], m->frame_a[3 + k] = t->tangent[k];
        m->arm_a[k] = t->position[k] - 0.5 * t->gap * t->normal[k] - w->x[t->body_a][k];
        m->arm_b[k] = t->position[k] + 0.5 * t->gap * t->normal[k] - w->x[t->body_b][k];
    }
    nearest_image(&w->options, m->arm_a), nearest_image(&w->options, m->arm_b);
    memcpy(m->frame_b, m->frame_a, sizeof m->frame_b);
    memcpy(m->spring, c->memory, sizeof m->spring);
    if (!sds) memcpy(m->kinetic, c->kinetic, sizeof m->kinetic);
    if (sign > 0.0) return;
    /* A and B change places: forces on i become forces on A, ways over i ways over A, and w = n x u changes sign with n */
    for (int k = 0; k < 3 && sds; ++k) m->spring[k] = -c->memory[k];
    if (sds) return;
    m->spring[0] = -c->memory[0], m->spring[1] = c->memory[1];
    for (int k = 0; k < 2; ++k) {
        double w_sign = k ? -1.0 : 1.0;
        m->spring[2 + k] = w_sign * c->memory[4 + k], m->spring[4 + k] = w_sign * c->memory[2 + k];
    }
    m->kinetic[DEM_ROLL_I] = c->kinetic[DEM_ROLL_J], m->kinetic[DEM_ROLL_J] = c->kinetic[DEM_ROLL_I];
}

/// `with_memory`: for the general stages, which go on from here.
static scree_status contacts_to_world(scree_stepper *stepper, scree_world *w, int with_memory)
{
    const dem_bed *d = stepper->bed;
    int n = bed_count(d->engine).touching, sds = 0;
    for (int a = 0; a < w->material_count; ++a) sds |= world_pair(w, a, a)->dem.model == SCREE_DEM_SDS;
    arena_reset(stepper->scratch);
    bed_contact *c = arena_alloc(stepper->scratch, ((size_t)n + 1) * sizeof *c, 64);
    w->contacts.count = 0; /* nothing in it is needed any more */
    if (!c || contacts_reserve(w, &w->contacts, n) != SCREE_OK) return SCREE_ERR_MEMORY;
    bed_contacts(d->engine, c);
    for (int k = 0; k < n; ++k) {
        touch_of(w, d, &c[k], stepper->options.step, sds, &w->contacts.touch[k]);
        velocity_of(w, &w->contacts.touch[k]);
        w->contacts.touch[k].age = k; /* until they are sorted */
    }
    if (n > 0) qsort(w->contacts.touch, (size_t)n, sizeof *w->contacts.touch, by_shapes);
    for (int k = 0; k < n; ++k) {
        scree_touch *t = &w->contacts.touch[k];
        w->contacts.memory[k] = (contact_memory){.live = 0};
        if (with_memory) memory_of(w, &c[t->age], t, sds, &w->contacts.memory[k]);
        t->age = 0;
    }
    w->contacts.count = n, w->previous.count = 0;
    return SCREE_OK;
}

/// The bed's state as bytes, after a hash of the motion that belongs to it.
static scree_status state_to_world(dem_bed *d, scree_world *w)
{
    bed_prefix prefix = {.moved = motion_hash(w), .start = d->start};
    size_t bytes = sizeof prefix + bed_state_size(d->engine);
    if (bytes > 1u << 30) return SCREE_ERR_MEMORY;
    if (world_reserve_engine(w, (int)bytes) != SCREE_OK) return SCREE_ERR_MEMORY;
    memcpy(w->engine_state, &prefix, sizeof prefix);
    bed_state_save(d->engine, w->engine_state + sizeof prefix);
    w->engine_bytes = (int)bytes;
    memcpy(d->head, w->engine_state, sizeof d->head);
    return SCREE_OK;
}

/* ---- steps --------------------------------------------------------------------------------------------------------------------- */

static void ledger_of(const bed_energy *before, const bed_energy *after, scree_ledger *e)
{
    double dashpot[4], slider[4];
    for (int k = 0; k < 4; ++k) {
        dashpot[k] = after->dashpot[k] - before->dashpot[k], slider[k] = after->slider[k] - before->slider[k];
        e->elastic += after->elastic[k] - before->elastic[k];
    }
    e->kinetic = after->kinetic, e->potential = after->potential;
    e->impact = dashpot[0], e->damping = dashpot[1] + dashpot[2] + dashpot[3];
    e->slide = slider[1], e->roll = slider[2], e->spin = slider[3], e->driven = after->driven - before->driven;
    /* the bed's sliders count what leaves a spring that is cut: more than the work where a step slides far beyond the limit */
    e->tracking = after->model - before->model;
    e->theta = before->kinetic + before->potential - after->kinetic - after->potential +
               (after->came_round - before->came_round) + e->driven - e->impact - e->damping - e->slide - e->roll -
               e->spin - e->elastic - e->tracking;
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

/// Planes of driven bodies get the velocities of the step, and the bodies go on with them in the world.
static void planes_drive(const dem_bed *d, scree_world *w, double time, double h)
{
    for (int k = 0; k < d->planes; ++k) {
        int shape = d->plane_shape[k], b = w->shape_body[shape];
        vec6 velocity;
        double v[3], omega[3];
        if (w->kind[b] != SCREE_DRIVEN) continue;
        plane_velocity(w, k, d, time, h, v, omega);
        bed_set_plane(d->engine, k, v, omega);
        if (shape != w->first_shape[b] + w->shape_total[b] - 1) continue; /* all its planes have been set */
        body_driven_velocity(w, b, time, h, velocity, velocity + 3);
        driven_advance(w, b, velocity, h);
    }
}

/// Servos choose the speeds of the next step by what the planes have felt in this one.
static void servos_respond(const dem_bed *d, scree_world *w)
{
    double sum[3] = {0.0, 0.0, 0.0}, force[3], torque[3];
    for (int k = 0; k < d->planes; ++k) {
        int shape = d->plane_shape[k], b = w->shape_body[shape];
        if (w->kind[b] != SCREE_DRIVEN) continue;
        bed_plane_load(d->engine, k, force, torque);
        vec_add_scaled(sum, 1.0, force, sum);
        if (shape != w->first_shape[b] + w->shape_total[b] - 1) continue;
        servo_respond(w, b, sum);
        memset(sum, 0, sizeof sum);
    }
}

static scree_status steps_take(const scree_stepper *stepper, const dem_bed *d, scree_world *w, int64_t steps,
                               scree_error *error)
{
    double h = stepper->options.step, time = w->time;
    scree_status status = SCREE_OK;
    if (d->driven == 0) return bed_advance(d->engine, steps, error);
    for (int64_t k = 0; k < steps && !status; ++k) {
        planes_drive(d, w, time, h);
        status = bed_want_contact_loads(d->engine, k + 1 == steps);
        if (!status) status = bed_advance(d->engine, 1, error);
        if (!status) servos_respond(d, w);
        time = time_after(time, w->step_count + k, h);
    }
    return status;
}

scree_status dem_bed_leave(scree_stepper *stepper, scree_world *w, scree_error *error)
{
    scree_status status = contacts_to_world(stepper, w, 1);
    if (status) {
        scree_error_set(error, NULL, 0, 0, "out of memory for %d contacts", bed_count(stepper->bed->engine).touching);
        return status;
    }
    dem_bed_destroy(stepper);
    w->engine = WORLD_ENGINE_GENERAL, w->engine_bytes = 0;
    return SCREE_OK;
}

const scree_ledger *dem_bed_total(const scree_stepper *stepper)
{
    return &stepper->bed->total;
}

int dem_bed_outgrown(const scree_stepper *stepper, const scree_world *w)
{
    const dem_bed *d = stepper->bed;
    int shapes = 0;
    if (!d) return 0;
    for (int k = 0; k < w->shape_count; ++k) shapes += w->kind[w->shape_body[k]] != SCREE_REMOVED;
    return shapes != d->spheres + d->planes;
}

scree_status dem_bed_advance(scree_stepper *stepper, scree_world *w, int64_t steps, scree_step_report *report,
                             scree_error *error)
{
    scree_status status = contacts_remember(w);
    if (!status) status = bed_of(stepper, w, error);
    if (!status) status = state_save(stepper, w);
    if (status) return status;
    dem_bed *d = stepper->bed;
    bed_energy before = bed_energies(d->engine);
    *report = (scree_step_report){.h = stepper->options.step, .penetration_contact = -1};
    status = steps_take(stepper, d, w, steps, error);
    if (!status) {
        bed_energy after = bed_energies(d->engine);
        bed_read(d->engine, &d->motion);
        motion_to_world(d, w);
        d->total = (scree_ledger){.kinetic = 0.0};
        ledger_of(&before, &after, &report->energy);
        ledger_of(&d->start, &after, &d->total);
        status = scree_world_check(w, error) < 0 ? contacts_to_world(stepper, w, 0) : SCREE_ERR_INPUT;
        if (!status) status = state_to_world(d, w);
        if (!status) report_of(w, report);
    }
    if (status) {
        state_load(stepper, w);
        dem_bed_destroy(stepper);
    }
    return status;
}
