/* dem_bed_make.c: a bed of a world as it stands, and the same again where bodies have come or left.
 *
 * Three ways to begin, told apart by the bytes that the world keeps (bed_prefix):
 *     none                         the first soft step: loads as bed_create finds them
 *     of the same bodies           a restart, or another world in between: bed_state_load, and the run goes on with the same bits
 *     of other bodies              an event: a new bed gets memories and loads of those that are still there; what came has no loads
 *                                  before its first step
 * The last one reads the old bed out of the bytes even where it is still in memory, so that it is one way with or without a restart.
 * The ledger goes on: what came or left with the bodies is no work, so the energies of the start change by as much. */
#include "steppers/dem_bed.h"

#include "base/hash.h"
#include "base/memory.h"
#include "math/quat.h"

#include <string.h>

void dem_bed_cast_free(const scree_allocator *a, bed_cast *cast)
{
    bed_destroy(cast->engine);
    MEMORY_FREE_ALL(a, cast->sphere_shape, cast->plane_shape);
    *cast = (bed_cast){.engine = NULL};
}

void dem_bed_destroy(scree_stepper *stepper)
{
    const scree_allocator *a = &stepper->allocator;
    dem_bed *d = stepper->bed;
    if (!d) return;
    dem_bed_cast_free(a, &d->cast);
    dem_bed_outside_free(a, d);
    MEMORY_FREE_ALL(a, d->motion.x, d->motion.v, d->motion.omega, d->motion.q, d);
    stepper->bed = NULL;
}

uint64_t dem_bed_motion_hash(const scree_world *w)
{
    size_t n = (size_t)w->body_count;
    uint64_t h = hash_bytes(0, w->x, n * sizeof *w->x);
    h = hash_bytes(h, w->v, n * sizeof *w->v);
    h = hash_bytes(h, w->q, n * sizeof *w->q);
    return hash_bytes(h, w->omega, n * sizeof *w->omega);
}

bed_roster dem_bed_roster(const scree_world *w)
{
    bed_roster r = {.shapes = w->shape_count};
    for (int k = 0; k < w->shape_count; ++k) r.there += w->kind[w->shape_body[k]] != SCREE_REMOVED;
    return r;
}

static scree_status refuse_bytes(scree_error *error)
{
    scree_error_set(error, NULL, 0, 0, "what the world remembers of its soft contacts is not the state of a bed");
    return SCREE_ERR_INPUT;
}

/* ---- from the world -------------------------------------------------------------------------------------------------------------- */

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
    for (int k = 0; k < d->cast.spheres; ++k) {
        int b = w->shape_body[d->cast.sphere_shape[k]];
        memcpy(m->x + 3 * k, w->x[b], sizeof(vec3)), memcpy(m->v + 3 * k, w->v[b], sizeof(vec3));
        memcpy(m->q + 4 * k, w->q[b], sizeof(quat));
        body_spin_world(w, b, m->omega + 3 * k);
    }
}

void dem_bed_plane_velocity(const scree_world *w, const bed_cast *cast, int plane, double time, double h, double v[3],
                            double omega[3])
{
    int shape = cast->plane_shape[plane], b = w->shape_body[shape];
    double arm[3], turn[3];
    body_driven_velocity(w, b, time, h, v, omega);
    quat_rotate(w->q[b], w->shape[shape].position, arm);
    vec_cross(omega, arm, turn);
    vec_add_scaled(v, 1.0, turn, v);
}

static int arrays_make(const scree_allocator *a, const scree_world *w, double step, dem_bed *d, bed_arrays *s)
{
    size_t n = (size_t)d->cast.spheres + 1;
    *s = (bed_arrays){.radius = memory_array(a, n, sizeof(double)),
                      .inverse_mass = memory_array(a, n, sizeof(double)),
                      .inverse_inertia = memory_array(a, n, sizeof(double)),
                      .material = memory_array(a, n, sizeof(int)),
                      .plane = memory_array(a, (size_t)d->cast.planes + 1, sizeof *s->plane)};
    if (!s->radius || !s->inverse_mass || !s->inverse_inertia || !s->material || !s->plane ||
        !motion_alloc(a, d->cast.spheres, &d->motion))
        return 0;
    for (int k = 0; k < d->cast.spheres; ++k) {
        const scree_shape *shape = &w->shape[d->cast.sphere_shape[k]];
        int b = w->shape_body[d->cast.sphere_shape[k]], moves = w->kind[b] == SCREE_DYNAMIC;
        s->radius[k] = shape->size[0], s->material[k] = shape->material;
        s->inverse_mass[k] = moves ? 1.0 / w->mass[b] : 0.0,
        s->inverse_inertia[k] = moves ? 1.0 / w->inertia[b][0] : 0.0;
    }
    for (int k = 0; k < d->cast.planes; ++k) {
        int shape = d->cast.plane_shape[k];
        posed_shape at;
        world_shape_pose(w, shape, &at);
        s->plane[k] = (bed_plane){.material = w->material_count + w->shape[shape].material};
        dem_bed_plane_velocity(w, &d->cast, k, w->time, step, s->plane[k].v, s->plane[k].omega);
        for (int i = 0; i < 3; ++i) s->plane[k].normal[i] = at.R[3 * i + 2], s->plane[k].point[i] = at.x[i];
    }
    motion_of_world(w, d);
    return 1;
}

static int list_shapes(const scree_allocator *a, const scree_world *w, bed_cast *cast)
{
    cast->sphere_shape = memory_array(a, (size_t)w->shape_count + 1, sizeof *cast->sphere_shape);
    cast->plane_shape = memory_array(a, (size_t)w->shape_count + 1, sizeof *cast->plane_shape);
    if (!cast->sphere_shape || !cast->plane_shape) return 0;
    for (int k = 0; k < w->shape_count; ++k) {
        bed_role role = dem_bed_role(w, k);
        if (role == BED_SPHERE) cast->sphere_shape[cast->spheres++] = k;
        if (role == BED_PLANE) cast->plane_shape[cast->planes++] = k;
    }
    return 1;
}

/// The engine, with loads as bed_create finds them.
static scree_status engine_make(scree_stepper *stepper, const scree_world *w, dem_bed *d, scree_error *error)
{
    const scree_allocator *a = &stepper->allocator;
    bed_arrays s = {.radius = NULL};
    scree_status status = SCREE_ERR_MEMORY;
    bed_def def = {.count = 0};
    bed_pair *pair = dem_bed_pairs(stepper, w, &def.law, &status);
    if (!pair) return status ? status : refuse_bytes(error); /* fits unless what was read from a file says it does */
    status = SCREE_ERR_MEMORY;
    if (list_shapes(a, w, &d->cast) && arrays_make(a, w, stepper->options.step, d, &s) &&
        dem_bed_outside_list(a, w, d)) {
        def.count = d->cast.spheres, def.radius = s.radius, def.inverse_mass = s.inverse_mass;
        def.inverse_inertia = s.inverse_inertia, def.material = s.material, def.materials = 2 * w->material_count;
        def.pair = pair, def.planes = d->cast.planes, def.plane = s.plane, def.step = stepper->options.step;
        def.orientations = 1, def.ledger = 1;
        memcpy(def.gravity, w->options.gravity, sizeof def.gravity);
        memcpy(def.periodic, w->options.periodic, sizeof def.periodic);
        memcpy(def.low, w->options.low, sizeof def.low), memcpy(def.high, w->options.high, sizeof def.high);
        d->cast.law = def.law;
        status = bed_create(&def, &d->motion, a, stepper->pool, &d->cast.engine, error);
        if (!status) status = bed_want_contact_loads(d->cast.engine, 1);
    }
    arrays_free(a, &s);
    memory_free(a, pair);
    return status;
}

/* ---- from the world's bytes -------------------------------------------------------------------------------------------------- */

/// Splits the world's bytes. Returns 0 where they are not a bed's.
static int bytes_split(const scree_world *w, bed_prefix *prefix, const unsigned char **bed_bytes, size_t *size)
{
    size_t bytes = (size_t)w->engine_bytes;
    if (bytes < sizeof *prefix) return 0;
    memcpy(prefix, w->engine_state, sizeof *prefix);
    if (prefix->spheres < 0 || prefix->planes < 0) return 0;
    size_t lists = ((size_t)prefix->spheres + (size_t)prefix->planes) * sizeof(int32_t);
    if (bytes - sizeof *prefix < lists) return 0;
    *bed_bytes = w->engine_state + sizeof *prefix, *size = bytes - sizeof *prefix - lists;
    return 1;
}

/// Shapes behind the bed's bytes; 0: some are not the world's.
static int shapes_read(const unsigned char *from, int count, const scree_world *w, int *shape)
{
    for (int k = 0; k < count; ++k) {
        int32_t value;
        memcpy(&value, from + (size_t)k * sizeof value, sizeof value);
        if (value < 0 || value >= w->shape_count) return 0;
        shape[k] = value;
    }
    return 1;
}

scree_status dem_bed_recall(const scree_stepper *stepper, const scree_world *w, bed_prefix *prefix, bed_cast *cast,
                            scree_error *error)
{
    const scree_allocator *a = &stepper->allocator;
    const unsigned char *bytes;
    size_t size;
    *cast = (bed_cast){.engine = NULL};
    if (!bytes_split(w, prefix, &bytes, &size)) return refuse_bytes(error);
    *cast = (bed_cast){.law = (bed_law)prefix->law, .spheres = prefix->spheres, .planes = prefix->planes};
    cast->sphere_shape = memory_array(a, (size_t)cast->spheres + 1, sizeof *cast->sphere_shape);
    cast->plane_shape = memory_array(a, (size_t)cast->planes + 1, sizeof *cast->plane_shape);
    scree_status status = cast->sphere_shape && cast->plane_shape ? SCREE_OK : SCREE_ERR_MEMORY;
    if (!status &&
        (!shapes_read(bytes + size, cast->spheres, w, cast->sphere_shape) ||
         !shapes_read(bytes + size + (size_t)cast->spheres * sizeof(int32_t), cast->planes, w, cast->plane_shape)))
        status = refuse_bytes(error);
    if (!status) status = bed_of_state(bytes, size, cast->spheres, cast->planes, a, &cast->engine, error);
    if (status) dem_bed_cast_free(a, cast);
    return status;
}

/* ---- an event ---------------------------------------------------------------------------------------------------------------- */

/// What is handed from one bed to the next.
typedef struct handover {
    int *number; /* (shapes) of spheres and planes in the new bed, -1: none */
    bed_contact *contact;
    int contacts;
    double *old_load, *load; /* (2 x spheres x 3) forces, then torques, of the old and of the new bed */
} handover;

static void handover_free(const scree_allocator *a, handover *h)
{
    MEMORY_FREE_ALL(a, h->number, h->contact, h->old_load, h->load);
}

static int handover_alloc(const scree_allocator *a, const scree_world *w, const bed_cast *from, const bed_cast *to,
                          handover *h)
{
    size_t touching = (size_t)bed_count(from->engine).touching;
    h->number = memory_raw_array(a, (size_t)w->shape_count + 1, sizeof *h->number);
    h->contact = memory_raw_array(a, touching + 1, sizeof *h->contact);
    h->old_load = memory_raw_array(a, 6 * (size_t)from->spheres + 1, sizeof *h->old_load);
    h->load = memory_array(a, 6 * (size_t)to->spheres + 1, sizeof *h->load);
    return h->number && h->contact && h->old_load && h->load;
}

/// Contacts of bodies that are still there, by their new numbers: the order stays.
static void contacts_renumber(const bed_cast *from, handover *h)
{
    int n = bed_count(from->engine).touching;
    bed_contacts(from->engine, h->contact);
    for (int k = 0; k < n; ++k) {
        bed_contact c = h->contact[k];
        int i = h->number[from->sphere_shape[c.i]];
        int j = h->number[c.j < 0 ? from->plane_shape[-1 - c.j] : from->sphere_shape[c.j]];
        if (i < 0 || j < 0) continue;
        c.i = i, c.j = c.j < 0 ? -1 - j : j;
        h->contact[h->contacts++] = c;
    }
}

static void loads_renumber(const bed_cast *from, const bed_cast *to, handover *h)
{
    const double *force = h->old_load, *torque = h->old_load + 3 * from->spheres;
    bed_sphere_loads(from->engine, h->old_load, h->old_load + 3 * from->spheres);
    for (int k = 0; k < from->spheres; ++k) {
        int i = h->number[from->sphere_shape[k]];
        if (i < 0) continue;
        memcpy(h->load + 3 * i, force + 3 * k, sizeof(vec3));
        memcpy(h->load + 3 * (to->spheres + i), torque + 3 * k, sizeof(vec3));
    }
}

/// Takes back what bodies that have left do to those that stay, by the world's contacts. (Of a roll torque they know one side: the
/// other is taken as its opposite, for the one step.)
static void loads_take_back(const scree_world *w, const bed_cast *to, double h, handover *hand)
{
    for (int k = 0; k < w->contacts.count; ++k) {
        const scree_touch *t = &w->contacts.touch[k];
        int a_left = w->kind[t->body_a] == SCREE_REMOVED, b_left = w->kind[t->body_b] == SCREE_REMOVED;
        int shape = a_left ? t->shape_b : t->shape_a, i = hand->number[shape];
        double force[3], moment[3], arm[3], turn[3], sign = (a_left ? -1.0 : 1.0) / h;
        if (a_left == b_left || i < 0 || dem_bed_role(w, shape) != BED_SPHERE) continue;
        touch_impulse(t, force, moment);
        vec_sub(t->position, w->x[w->shape_body[shape]], arm);
        nearest_image(&w->options, arm);
        vec_cross(arm, force, turn);
        for (int n = 0; n < 3; ++n) {
            hand->load[3 * i + n] += sign * force[n];
            hand->load[3 * (to->spheres + i) + n] += sign * (turn[n] + moment[n]);
        }
    }
}

/// From the bed in the world's bytes to a new one of other bodies.
static scree_status hand_over(scree_stepper *stepper, const scree_world *w, dem_bed *d, scree_error *error)
{
    const scree_allocator *a = &stepper->allocator;
    bed_cast old, *to = &d->cast;
    bed_prefix prefix;
    handover h = {.contacts = 0};
    scree_status status = dem_bed_recall(stepper, w, &prefix, &old, error);
    if (status) return status;
    if (handover_alloc(a, w, &old, to, &h)) {
        for (int k = 0; k < w->shape_count; ++k) h.number[k] = -1;
        for (int k = 0; k < to->spheres; ++k) h.number[to->sphere_shape[k]] = k;
        for (int k = 0; k < to->planes; ++k) h.number[to->plane_shape[k]] = k;
        contacts_renumber(&old, &h);
        loads_renumber(&old, to, &h);
        loads_take_back(w, to, stepper->options.step, &h);
        bed_continue(to->engine, h.contacts, h.contact, h.load, h.load + 3 * to->spheres);
        d->outside = prefix.last.outside, d->start.outside = prefix.start.outside;
        /* start <- now - (last - start), entry by entry: both are arrays of doubles */
        bed_energy now = bed_energies(to->engine);
        double *start = (double *)&d->start.bed, *at = (double *)&now;
        const double *last = (const double *)&prefix.last.bed, *first = (const double *)&prefix.start.bed;
        for (size_t k = 0; k < sizeof now / sizeof(double); ++k) start[k] = at[k] - (last[k] - first[k]);
    } else status = SCREE_ERR_MEMORY;
    handover_free(a, &h);
    dem_bed_cast_free(a, &old);
    return status;
}

/// The memory that the world keeps for a bed of the same bodies.
static scree_status state_of_world(const scree_world *w, dem_bed *d, scree_error *error)
{
    bed_prefix prefix;
    const unsigned char *bytes;
    size_t size;
    if (!bytes_split(w, &prefix, &bytes, &size)) return refuse_bytes(error);
    d->start = prefix.start, d->outside = prefix.last.outside;
    scree_status status = bed_state_load(d->cast.engine, bytes, size, error);
    if (status || prefix.moved == dem_bed_motion_hash(w)) return status;
    d->walls.due = 1;
    return bed_write(d->cast.engine, &d->motion, error); /* moved by hand since */
}

scree_status dem_bed_make(scree_stepper *stepper, const scree_world *w, scree_error *error)
{
    bed_prefix prefix;
    dem_bed_destroy(stepper);
    dem_bed *d = stepper->bed = memory_array(&stepper->allocator, 1, sizeof *d);
    scree_status status = d ? engine_make(stepper, w, d, error) : SCREE_ERR_MEMORY;
    if (!status) {
        d->roster = dem_bed_roster(w), d->placed = -1, d->walls.due = w->engine_bytes == 0;
        d->start.bed = bed_energies(d->cast.engine);
        if (w->engine_bytes >= (int)sizeof prefix) {
            memcpy(&prefix, w->engine_state, sizeof prefix);
            int same = bed_roster_equal(prefix.roster, d->roster);
            status = same ? state_of_world(w, d, error) : hand_over(stepper, w, d, error);
        }
    }
    if (!status) d->energy = bed_energies(d->cast.engine);
    if (status) dem_bed_destroy(stepper);
    return status;
}
