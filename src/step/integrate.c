/* integrate.c: the bodies' part of a step: drift, kick, drift.
 *
 *     drift by (1 - theta) h     x_m = x0 + (1 - theta) h v0,   R_m = R0 turned freely for (1 - theta) h       (rotation.c)
 *     kick                       M(R_m) (v1 - v0) = h m g + J + H p          at fixed pose: loads J, contacts p
 *     drift by theta h           x1 = x_m + theta h v1,         R1 = R_m turned freely for theta h
 *
 * so x1 = x0 + h (theta v1 + (1 - theta) v0): the theta-method of the papers, and the same for the rotation without ever adding to a
 * quaternion. The drifts keep energy and angular momentum to rounding, the kick changes them by the work and the moment of the impulses
 * and by nothing else; theta = 1 (kick, then drift) and theta = 1/2 (Strang's splitting) are symplectic for smooth forces. Gyroscopic
 * terms live in the drift: they are no force, need no step limit, and spheres do not have them.
 *
 * The contact geometry is that of the start of the step in all cases. M is the inertia at R_m; where that is isotropic it is
 * written down as such, bit for bit, so that the solvers see spheres. */
#include "step/stepper_private.h"

#include "base/parallel.h"
#include "math/quat.h"
#include "math/scalar.h"
#include "step/rotation.h"

#include <string.h>

static double turning_energy(const double inertia[3], const double omega[3])
{
    double e = 0.0;
    for (int i = 0; i < 3; ++i) e += 0.5 * inertia[i] * omega[i] * omega[i];
    return e;
}

/// Turns a dynamic body for h seconds; returns the energy that rounding took.
static double drift_rotation(scree_world *w, int body, double h)
{
    double before = turning_energy(w->inertia[body], w->omega[body]);
    if (w->options.planar) rotation_about_axis(h, w->q[body], w->omega[body]);
    else rotation_free(w->inertia[body], h, w->q[body], w->omega[body]);
    return before - turning_energy(w->inertia[body], w->omega[body]);
}

/* ---- mass at the pose of the impulses -------------------------------------------------------------------------------------- */

/// A body of a planar world turns about the normal of the plane only: 1/I_nn there, nothing else. Out of the plane it does not move.
static void planar_mass(const scree_world *w, int body, scree_rigid_mass *mass)
{
    double n[3], n_body[3];
    planar_normal(w->options.planar, n);
    quat_rotate_inverse(w->q[body], n, n_body);
    double I_nn = 2.0 * turning_energy(w->inertia[body], n_body);
    for (int i = 0; i < 3; ++i) {
        if (n[i] != 0.0) mass->inv_mass[i] = 0.0;
        for (int j = 0; j < 3; ++j) mass->inv_inertia[3 * i + j] = n[i] * n[j] / I_nn;
    }
}

static void body_mass(const scree_world *w, int body, scree_rigid_mass *mass)
{
    const double *inertia = w->inertia[body];
    *mass = (scree_rigid_mass){{1.0 / w->mass[body], 1.0 / w->mass[body], 1.0 / w->mass[body]}, {0.0}};
    if (w->options.planar) planar_mass(w, body, mass);
    else if (inertia_classify(inertia) == INERTIA_ISOTROPIC)
        for (int i = 0; i < 3; ++i) mass->inv_inertia[4 * i] = 1.0 / inertia[0];
    else {
        double R[9], inv[3] = {1.0 / inertia[0], 1.0 / inertia[1], 1.0 / inertia[2]};
        quat_matrix(w->q[body], R);
        mat_turned_diagonal(R, inv, mass->inv_inertia);
    }
}

/* ---- begin: velocities before the impulses, loads, mass ---------------------------------------------------------------------- */

typedef struct begin_part {
    double mass, inv_mass, inv_inertia; /* sums */
    double gyro;
    int bad; /* first body whose load is not finite, -1: none */
} begin_part;

typedef struct begin_context {
    step_context *s;
    begin_part *part;
} begin_context;

/// Impulse of force and moment over the step. Returns 0 if it is not finite.
static int load_impulse(const step_context *s, int body, double *load)
{
    double start[6], end[6], theta = s->scheme->load_theta(s->options);
    int finite = 1;
    body_load(s->world, body, s->t, start, start + 3);
    body_load(s->world, body, s->t + s->h, end, end + 3);
    for (int i = 0; i < 6; ++i) {
        load[i] = s->h * (theta * end[i] + (1.0 - theta) * start[i]);
        finite = finite && fabs(load[i]) <= DBL_MAX;
    }
    return finite;
}

static void begin_dynamic(step_context *s, int body, begin_part *part)
{
    scree_world *w = s->world;
    scree_rigid_mass *mass = &s->mass[s->column[body]];
    if (s->theta < 1.0) part->gyro += drift_rotation(w, body, (1.0 - s->theta) * s->h);
    memcpy(s->before[body], w->v[body], sizeof(vec3));
    body_spin_world(w, body, s->before[body] + 3);
    body_mass(w, body, mass);
    part->mass += w->mass[body], part->inv_mass += 1.0 / w->mass[body];
    for (int i = 0; i < 3; ++i) part->inv_inertia += 1.0 / (3.0 * w->inertia[body][i]);
    if (s->load && !load_impulse(s, body, s->load[body]) && part->bad < 0) part->bad = body;
}

static void begin_chunk(void *context, int begin, int end, int chunk, int worker)
{
    begin_context *c = context;
    step_context *s = c->s;
    begin_part *part = &c->part[chunk];
    (void)worker;
    *part = (begin_part){.bad = -1};
    for (int body = begin; body < end; ++body) {
        memset(s->before[body], 0, sizeof(vec6));
        if (s->column[body] >= 0) begin_dynamic(s, body, part);
        else if (s->world->kind[body] == SCREE_BODY_DRIVEN)
            body_driven_velocity(s->world, body, s->t, s->h, s->before[body], s->before[body] + 3);
    }
}

/// Mean inverses, so that the lightest bodies count: units in which their mass, and the square of their arm, are about 1.
static units units_of(double inv_mass, double inv_inertia, int count)
{
    units u = {1.0, 1.0};
    if (count == 0) return u;
    u.mass = power_of_two(exponent_of(count / inv_mass));
    u.length = power_of_two(exponent_of(sqrt(inv_mass / inv_inertia)));
    return u;
}

static void number_columns(step_context *s)
{
    const scree_world *w = s->world;
    s->dynamic_count = 0;
    for (int body = 0; body < w->body_count; ++body) {
        s->column[body] = -1;
        if (w->kind[body] != SCREE_BODY_DYNAMIC) continue;
        s->dynamic[s->dynamic_count] = body;
        s->column[body] = s->dynamic_count++;
    }
}

static int begin_memory(step_context *s)
{
    int n = s->world->body_count;
    s->load = NULL;
    if (s->world->extra_count > 0 && !STEP_ARRAY(s, n, s->load)) return 0;
    return STEP_ARRAY(s, s->world->joint_count, s->joint0) && STEP_ARRAY(s, n, s->x0) && STEP_ARRAY(s, n, s->q0) &&
           STEP_ARRAY(s, n, s->v0) && STEP_ARRAY(s, n, s->omega0) && STEP_ARRAY(s, n, s->column) &&
           STEP_ARRAY(s, n, s->dynamic) && STEP_ARRAY(s, n, s->before) && STEP_ARRAY(s, n, s->after) &&
           STEP_ARRAY(s, n, s->mass);
}

scree_status refuse_load(const scree_world *w, int body, double t, double h, scree_error *error)
{
    char name[128];
    scree_error_set(error, NULL, 0, 0,
                    "body %s: the applied force or moment is not finite between t = %.9g s and %.9g s",
                    scree_world_body_name(w, scree_body_at(body), name, sizeof name), t, t + h);
    return SCREE_ERR_INPUT;
}

scree_status bodies_begin(step_context *s)
{
    scree_world *w = s->world;
    size_t n = (size_t)w->body_count;
    begin_context c = {s, NULL};
    int chunks = parallel_chunks(w->body_count, step_grain(s));
    if (!begin_memory(s) || !STEP_ARRAY(s, chunks, c.part)) return SCREE_ERR_MEMORY;
    copy_bytes(s->x0, w->x, n * sizeof *s->x0);
    copy_bytes(s->q0, w->q, n * sizeof *s->q0);
    copy_bytes(s->v0, w->v, n * sizeof *s->v0);
    copy_bytes(s->omega0, w->omega, n * sizeof *s->omega0);
    copy_bytes(s->joint0, w->joint_state, (size_t)w->joint_count * sizeof *s->joint0);
    s->saved = 1;
    number_columns(s);
    parallel_for(s->pool, w->body_count, step_grain(s), begin_chunk, &c);

    begin_part sum = {.bad = -1};
    for (int k = 0; k < chunks; ++k) {
        sum.mass += c.part[k].mass, sum.inv_mass += c.part[k].inv_mass, sum.inv_inertia += c.part[k].inv_inertia,
            sum.gyro += c.part[k].gyro;
        if (sum.bad < 0) sum.bad = c.part[k].bad;
    }
    s->units = units_of(sum.inv_mass, sum.inv_inertia, s->dynamic_count);
    s->gyro = sum.gyro, s->total_mass = sum.mass;
    s->report->bodies = s->dynamic_count;
    return sum.bad < 0 ? SCREE_OK : refuse_load(w, sum.bad, s->t, s->h, s->error);
}

/* ---- kick -------------------------------------------------------------------------------------------------------------------- */

static void free_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const step_context *s = context;
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) {
        int body = s->dynamic[k];
        const scree_rigid_mass *mass = &s->mass[k];
        double *v = s->v_free[k], turn[3] = {0.0, 0.0, 0.0};
        const double *load = s->load ? s->load[body] : NULL;
        if (load) mat_apply(mass->inv_inertia, load + 3, turn);
        for (int i = 0; i < 3; ++i) {
            double moves = mass->inv_mass[i] > 0.0 ? 1.0 : 0.0;
            v[i] = s->before[body][i] + s->h * s->world->options.gravity[i] * moves;
            if (load) v[i] += mass->inv_mass[i] * load[i];
            v[3 + i] = s->before[body][3 + i] + turn[i];
        }
    }
}

scree_status velocities_free(step_context *s)
{
    if (!STEP_ARRAY(s, s->dynamic_count, s->v_free)) return SCREE_ERR_MEMORY;
    parallel_for(s->pool, s->dynamic_count, step_grain(s), free_chunk, s);
    for (int k = 0; k < s->dynamic_count; ++k) {
        int bad = 0;
        char name[128];
        for (int i = 0; i < 6; ++i) bad |= !(fabs(s->v_free[k][i]) <= WORLD_LARGEST);
        if (!bad) continue;
        scree_error_set(s->error, NULL, 0, 0,
                        "%s: gravity or the applied force makes it faster than %g m/s in one step at t = %.9g s",
                        scree_world_body_name(s->world, scree_body_at(s->dynamic[k]), name, sizeof name), WORLD_LARGEST,
                        s->t);
        return SCREE_ERR_RUNAWAY;
    }
    return SCREE_OK;
}

/// A velocity that is no more than the rounding of the impulses that stopped the body is zero. Else what rests would go on at 1e-18 m/s,
/// and "does not move" would mean "not by much".
static void flush_rounding(const scree_world *w, int body, const double v_free[6], double v[6])
{
    const double noise = 8.0 * DBL_EPSILON;
    const double *I = w->inertia[body];
    double pushed[3], turned[3];
    vec_sub(v, v_free, pushed);
    vec_sub(v + 3, v_free + 3, turned);
    double push = vec_norm(pushed), arm = sqrt(w->mass[body] / min2(I[0], min2(I[1], I[2])));
    if (vec_norm(v) <= noise * push) memset(v, 0, 3 * sizeof *v);
    /* moments cancel one another: what each may turn is known from what the impulses push */
    if (vec_norm(v + 3) <= noise * (vec_norm(turned) + arm * push)) memset(v + 3, 0, 3 * sizeof *v);
}

typedef struct velocity_context {
    step_context *s;
    const double *v;
} velocity_context;

static void apply_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const velocity_context *c = context;
    step_context *s = c->s;
    scree_world *w = s->world;
    (void)chunk, (void)worker;
    for (int body = begin; body < end; ++body) {
        int k = s->column[body];
        memcpy(s->after[body], k >= 0 ? c->v + 6 * (ptrdiff_t)k : s->before[body], sizeof(vec6));
        if (k < 0) continue;
        double change[3], change_body[3];
        if (rest_holds(s, k)) memset(s->after[body], 0, sizeof(vec6));
        else flush_rounding(w, body, s->v_free[k], s->after[body]);
        memcpy(w->v[body], s->after[body], sizeof(vec3));
        if (s->after[body][3] == 0.0 && s->after[body][4] == 0.0 && s->after[body][5] == 0.0) {
            memset(w->omega[body], 0, sizeof(vec3));
            continue;
        }
        /* the change, not the whole: what no impulse has touched keeps its bits */
        vec_sub(s->after[body] + 3, s->before[body] + 3, change);
        quat_rotate_inverse(w->q[body], change, change_body);
        vec_add_scaled(w->omega[body], 1.0, change_body, w->omega[body]);
    }
}

void velocities_apply(step_context *s, const double *v)
{
    velocity_context c = {s, v};
    parallel_for(s->pool, s->world->body_count, step_grain(s), apply_chunk, &c);
}

/* ---- drift ------------------------------------------------------------------------------------------------------------------- */

typedef struct drift_context {
    step_context *s;
    double *gyro; /* per chunk */
} drift_context;

/// A driven body goes on for h with this velocity and angular velocity, the mean ones of the step.
static void driven_advance(scree_world *w, int body, const double velocity[6], double h)
{
    body_extra *extra = &w->extras[w->extra[body]];
    memcpy(extra->moved, velocity, sizeof extra->moved), memcpy(extra->moved_from, w->q[body], sizeof(quat));
    forcing_move(velocity, h, w->x[body], w->q[body]);
    memcpy(w->v[body], velocity, sizeof(vec3));
    quat_rotate_inverse(w->q[body], velocity + 3, w->omega[body]);
}

static void drift_chunk(void *context, int begin, int end, int chunk, int worker)
{
    const drift_context *c = context;
    const step_context *s = c->s;
    scree_world *w = s->world;
    double gyro = 0.0, theta = s->theta;
    (void)worker;
    for (int body = begin; body < end; ++body) {
        if (w->kind[body] == SCREE_BODY_DRIVEN) driven_advance(w, body, s->after[body], s->h);
        if (s->column[body] < 0) continue;
        const double *v1 = s->after[body], *v0 = s->before[body];
        for (int i = 0; i < 3; ++i)
            w->x[body][i] += s->h * (theta < 1.0 ? theta * v1[i] + (1.0 - theta) * v0[i] : v1[i]);
        gyro += drift_rotation(w, body, theta * s->h);
    }
    c->gyro[chunk] = gyro;
}

scree_status poses_advance(step_context *s)
{
    drift_context c = {s, NULL};
    int n = s->world->body_count, chunks = parallel_chunks(n, step_grain(s));
    if (!STEP_ARRAY(s, chunks, c.gyro)) return SCREE_ERR_MEMORY;
    parallel_for(s->pool, n, step_grain(s), drift_chunk, &c);
    for (int k = 0; k < chunks; ++k) s->gyro += c.gyro[k];
    return SCREE_OK;
}

void bodies_restore(const step_context *s)
{
    scree_world *w = s->world;
    size_t n = (size_t)w->body_count;
    if (!s->saved) return;
    copy_bytes(w->x, s->x0, n * sizeof *s->x0);
    copy_bytes(w->q, s->q0, n * sizeof *s->q0);
    copy_bytes(w->v, s->v0, n * sizeof *s->v0);
    copy_bytes(w->omega, s->omega0, n * sizeof *s->omega0);
    copy_bytes(w->joint_state, s->joint0, (size_t)w->joint_count * sizeof *s->joint0);
}
