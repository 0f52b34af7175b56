/* spheres.c: values of a pile of spheres from a problem and back, sweeps over it, its residual (spheres.h). */
#include "solvers/spheres/spheres.h"

#include "base/parallel.h"
#include "math/dense.h"
#include "math/vec.h"
#include "problem/rigid.h"
#include "solvers/elastic.h"
#include "solvers/spheres/spheres_kernel.h"
#include "solvers/spheres/spheres_read.h"
#include "solvers/sweep.h"

#include <string.h>

enum { BATCH_GRAIN = 8, CONTACT_GRAIN = 256, BODY_GRAIN = 256 }; /* a microsecond of work or some */

/// What the loops over a pool see.
typedef struct sphere_loop {
    const sphere_pile *pile;
    const scree_problem *problem;
    const scree_rigid_contact *contact;
    const double *p;
    double *p_out;
    double beta;
    int first; /* batch of the colour */
} sphere_loop;

/* ---- values -------------------------------------------------------------------------------------------------------- */

/// An empty lane is a contact that separates: the fixed body against one of mass 1 that nothing moves. No load, no NaN.
static void clear_lane(const sphere_pile *s, int k, int l)
{
    sphere_batch *batch = &s->batch[k];
    batch->a[l] = s->body_count, batch->b[l] = s->body_count + 1, batch->flags[l] = 0;
    batch->n[0][l] = batch->n[1][l] = 0.0, batch->n[2][l] = 1.0, batch->s_N[l] = 1.0;
    batch->r_a[l] = batch->r_b[l] = 0.0;
    for (int i = 0; i < SCREE_FRICTION_KINDS; ++i) batch->mu[i][l] = 0.0;
    for (int i = 0; i < LOAD_SIZE; ++i) s->loads[k].p[i][l] = 0.0;
    for (int i = 0; s->special && i < 7; ++i) s->special[k].s[i][l] = 0.0;
    for (int i = 0; s->special && i < 4; ++i) s->special[k].soft[i][l] = 0.0;
}

/// One component of the space vector of a sliding row, or of two: in a plane there is t1 alone.
static inline double in_tangents(int size, const double *row, double t1, double t2)
{
    return size == 2 ? row[0] * t1 + row[1] * t2 : size == 1 ? row[0] * t1 : 0.0;
}

/// The same of n x the vector of the rolling rows: in a plane there is the one about t2 alone.
static inline double across_tangents(int size, const double *row, double t1, double t2)
{
    return size == 2 ? row[0] * t2 - row[1] * t1 : size == 1 ? -row[0] * t1 : 0.0;
}

/// s = q - H' v_free of one contact, as (N, T in space (3), Z in space (3), S): what does not come from the bodies. The bodies still
/// have their free velocities.
static void own_velocity(const sphere_loop *loop, int c, const double *t2, double s[8])
{
    const scree_rigid_contact *k = &loop->contact[c];
    const scree_cone *cone = &loop->problem->cone[c];
    const sphere_pile *pile = loop->pile;
    const sphere_body *a = &pile->body[k->body_a >= 0 ? k->body_a : pile->body_count],
                      *b = &pile->body[k->body_b >= 0 ? k->body_b : pile->body_count];
    double u[3] = {0.0, 0.0, 0.0}, w[3] = {0.0, 0.0, 0.0}, d[SCREE_DIM_MAX] = {0};
    const double *q = loop->problem->q + loop->problem->offset[c];
    if (k->body_a >= 0) rigid_add_velocity(-1.0, a->v, a->w, k->arm_a, u, w);
    if (k->body_b >= 0) rigid_add_velocity(1.0, b->v, b->w, k->arm_b, u, w);
    rigid_add_rows(k, cone, u, w, d);
    int slide = cone->size[SCREE_FRICTION_SLIDE], roll = cone->size[SCREE_FRICTION_ROLL],
        spin = cone->size[SCREE_FRICTION_SPIN];
    for (int i = 0; i < 1 + slide + roll + spin; ++i) d[i] = q[i] - d[i];
    s[0] = d[0], s[7] = spin ? d[1 + slide + roll] : 0.0;
    for (int i = 0; i < 3; ++i) {
        s[1 + i] = in_tangents(slide, d + 1, k->tangent[i], t2[i]);
        s[4 + i] = across_tangents(roll, d + 1 + slide, k->tangent[i], t2[i]);
    }
}

static void fill_special(const scree_problem *problem, int c, const double own[8], int l, sphere_special *special)
{
    const double *soft = problem->compliance ? problem->compliance + problem->offset[c] : NULL;
    const int *size = problem->cone[c].size;
    for (int i = 0; i < 7; ++i) special->s[i][l] = own[1 + i];
    special->soft[0][l] = soft ? soft[0] : 0.0, special->soft[1][l] = soft && size[0] ? soft[1] : 0.0;
    special->soft[2][l] = soft && size[1] ? soft[1 + size[0]] : 0.0;
    special->soft[3][l] = soft && size[2] ? soft[1 + size[0] + size[1]] : 0.0;
}

static void fill_contact(const sphere_loop *loop, int c)
{
    const sphere_pile *s = loop->pile;
    int fits = loop->problem->rigid || sphere_contact_read(loop->problem, c, &s->read[c]);
    const scree_rigid_contact *k = &loop->contact[c];
    const scree_cone *cone = &loop->problem->cone[c];
    const double *p = loop->p + loop->problem->offset[c];
    int slide = cone->size[SCREE_FRICTION_SLIDE], roll = cone->size[SCREE_FRICTION_ROLL],
        spin = cone->size[SCREE_FRICTION_SPIN];
    int l = s->slot[c] % LANES, special = loop->problem->compliance != NULL;
    sphere_batch *batch = &s->batch[s->slot[c] / LANES];
    sphere_loads *loads = &s->loads[s->slot[c] / LANES];
    double t2[3], own[8];
    vec_cross(k->normal, k->tangent, t2);
    own_velocity(loop, c, t2, own);
    if (s->plane >= 0) own[1 + s->plane] = own[4 + s->plane] = 0.0;
    for (int i = 1; i < 8; ++i) special |= fabs(own[i]) > 1e-15 * s->q_norm; /* rows of blocks sum in another order */
    if (s->special) fill_special(loop->problem, c, own, l, &s->special[s->slot[c] / LANES]);

    batch->a[l] = k->body_a >= 0 ? k->body_a : s->body_count, batch->b[l] = k->body_b >= 0 ? k->body_b : s->body_count;
    batch->r_a[l] = k->body_a >= 0 ? vec_dot(k->arm_a, k->normal) : 0.0;
    batch->r_b[l] = k->body_b >= 0 ? -vec_dot(k->arm_b, k->normal) : 0.0;
    batch->mu[0][l] = slide ? cone->coef[0] : 0.0, batch->mu[1][l] = roll ? cone->coef[1] : 0.0;
    batch->mu[2][l] = spin ? cone->coef[2] : 0.0;
    batch->s_N[l] = own[0];
    double c_a = batch->r_a[l] * s->body[batch->a[l]].inv_inertia,
           c_b = batch->r_b[l] * s->body[batch->b[l]].inv_inertia;
    int coupled = fabs(c_b - c_a) > 1e-14 * (fabs(c_b) + fabs(c_a));
    batch->flags[l] =
        (unsigned char)((slide > 0) | (roll > 0) << 1 | (spin > 0) << 2 | coupled * SPHERE_COUPLED |
                        special * SPHERE_SPECIAL | !(fits && sphere_contact_fits(k, cone, s->plane)) * SPHERE_NOT);
    loads->p[0][l] = p[0], loads->p[7][l] = spin ? p[1 + slide + roll] : 0.0;
    for (int i = 0; i < 3; ++i) {
        batch->n[i][l] = k->normal[i];
        loads->p[1 + i][l] = in_tangents(slide, p + 1, k->tangent[i], t2[i]);
        loads->p[4 + i][l] = across_tangents(roll, p + 1 + slide, k->tangent[i], t2[i]); /* Z = n x m_R */
    }
    if (s->plane >= 0) batch->n[s->plane][l] = loads->p[1 + s->plane][l] = loads->p[4 + s->plane][l] = 0.0;
}

/// In the order of the contacts: what is read streams, and what is written are the few batches, one per colour, that are being filled.
static void fill_contacts(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    for (int c = begin; c < end; ++c) fill_contact(context, c);
}

static void finish_batches(void *context, int begin, int end, int chunk, int worker)
{
    const sphere_pile *s = ((const sphere_loop *)context)->pile;
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) {
        s->batch[k].all = 0;
        for (int l = 0; l < LANES; ++l) {
            if (s->batch[k].contact[l] < 0) clear_lane(s, k, l);
            s->batch[k].all |= s->batch[k].flags[l];
        }
        s->loads_old[k] = s->loads[k];
    }
}

/// Returns the flags of all contacts.
static int fill(sphere_loop *loop, scree_pool *pool)
{
    const sphere_pile *s = loop->pile;
    int all = 0;
    parallel_for(pool, s->contact_count, CONTACT_GRAIN, fill_contacts, loop);
    parallel_for(pool, s->batch_count, BATCH_GRAIN, finish_batches, loop);
    for (int k = 0; k < s->batch_count; ++k) all |= s->batch[k].all;
    return all;
}

static int fill_bodies(sphere_pile *s, const scree_problem *problem)
{
    memset(&s->body[s->body_count], 0, 2 * sizeof *s->body);
    s->body[s->body_count + 1].inv_mass = s->body[s->body_count + 1].inv_inertia = 1.0;
    for (int b = 0; b < s->body_count; ++b) {
        const double *v = problem->v_free + 6 * (size_t)b;
        sphere_body *body = &s->body[b];
        for (int i = 0; i < 3; ++i) /* of a disc only what its contacts see, to the last digit */
            body->v[i] = i != s->plane ? v[i] : 0.0, body->w[i] = s->plane < 0 || i == s->plane ? v[3 + i] : 0.0;
        if (!sphere_mass_fits(problem, b, s->plane, &body->inv_mass, &body->inv_inertia)) return 0;
    }
    return 1;
}

static void push_batches(void *context, int begin, int end, int chunk, int worker)
{
    const sphere_loop *loop = context;
    const sphere_pile *s = loop->pile;
    (void)chunk, (void)worker;
    for (int k = loop->first + begin; k < loop->first + end; ++k)
        s->kernel->push(&s->batch[k], &s->loads[k], s->body, s->body_count);
}

/// Calls f for the batches of one colour after the other: inside a colour in any order, by any thread.
static void for_colours(sphere_loop *loop, scree_pool *pool, parallel_fn *f)
{
    const sphere_pile *s = loop->pile;
    for (int k = 0; k < s->colour_count; ++k) {
        loop->first = s->colour_start[k];
        parallel_for(pool, s->colour_start[k + 1] - loop->first, BATCH_GRAIN, f, loop);
    }
}

int spheres_begin(sphere_pile *s, const scree_problem *problem, const scree_allocator *allocator, scree_pool *pool,
                  const double *p)
{
    sphere_loop loop = {.pile = s, .problem = problem, .contact = problem->rigid ? problem->rigid : s->read, .p = p};
    if (!loop.contact || !fill_bodies(s, problem)) return 0;
    s->law = problem->law;
    s->q_norm = norm(problem->row_count, problem->q);
    int all = fill(&loop, pool);
    if (all & SPHERE_NOT) return 0;
    if ((all & SPHERE_SPECIAL) && !s->special) {
        s->special = memory_raw_array(allocator, (size_t)s->batch_count + 1, sizeof *s->special);
        if (!s->special) return 0;
        fill(&loop, pool);
    }
    if (s->device.at) {
        spheres_upload(s);
        return s->device.status == SCREE_OK;
    }
    for_colours(&loop, pool, push_batches);
    memcpy(s->body_old, s->body, ((size_t)s->body_count + 2) * sizeof *s->body);
    return 1;
}

static void write_loads(void *context, int begin, int end, int chunk, int worker)
{
    const sphere_loop *loop = context;
    (void)chunk, (void)worker;
    for (int c = begin; c < end; ++c) {
        const scree_rigid_contact *k = &loop->contact[c];
        const int *size = loop->problem->cone[c].size, l = loop->pile->slot[c] % LANES;
        const sphere_loads *loads = &loop->pile->loads[loop->pile->slot[c] / LANES];
        double *p = loop->p_out + loop->problem->offset[c], x[3], Z[3], t2[3];
        vec_cross(k->normal, k->tangent, t2);
        for (int i = 0; i < 3; ++i) x[i] = loads->p[1 + i][l], Z[i] = loads->p[4 + i][l];
        *p++ = loads->p[0][l];
        if (size[SCREE_FRICTION_SLIDE] > 0) *p++ = vec_dot(k->tangent, x);
        if (size[SCREE_FRICTION_SLIDE] > 1) *p++ = vec_dot(t2, x);
        if (size[SCREE_FRICTION_ROLL] > 1) *p++ = vec_dot(t2, Z);
        if (size[SCREE_FRICTION_ROLL] > 0) *p++ = -vec_dot(k->tangent, Z);
        if (size[SCREE_FRICTION_SPIN]) *p = loads->p[7][l];
    }
}

static void loads_to(const sphere_pile *s, const scree_problem *problem, scree_pool *pool, double *p)
{
    sphere_loop loop = {.pile = s, .problem = problem, .contact = problem->rigid ? problem->rigid : s->read};
    loop.p_out = p;
    parallel_for(pool, s->contact_count, CONTACT_GRAIN, write_loads, &loop);
}

void spheres_loads_to(sphere_pile *s, const scree_problem *problem, scree_pool *pool, double *p)
{
    if (s->device.at) spheres_fetch(s, 0);
    loads_to(s, problem, pool, p);
}

void spheres_loads_kept_to(sphere_pile *s, const scree_problem *problem, scree_pool *pool, double *p)
{
    spheres_fetch(s, 1);
    loads_to(s, problem, pool, p);
}

/* ---- residual and sweep ------------------------------------------------------------------------------------------------ */

static const sphere_special *special_of(const sphere_pile *s, int batch)
{
    return s->batch[batch].all & SPHERE_SPECIAL ? &s->special[batch] : NULL;
}

/// Sums over the batches of a chunk, kept where its first batch is: one cache line per chunk, and few to add up.
static double *sums_of_chunk(const sphere_pile *s, int first_batch)
{
    return s->sums + SUMS * (size_t)first_batch;
}

/// Adds them chunk by chunk, as for_colours makes them: the same sum for any number of threads.
static void add_sums(const sphere_pile *s, int count, double *total)
{
    for (int i = 0; i < count; ++i) total[i] = 0.0;
    for (int colour = 0; colour < s->colour_count; ++colour)
        for (int k = s->colour_start[colour]; k < s->colour_start[colour + 1]; k += BATCH_GRAIN)
            for (int i = 0; i < count; ++i) total[i] += sums_of_chunk(s, k)[i];
}

static void check_batches(void *context, int begin, int end, int chunk, int worker)
{
    const sphere_loop *loop = context;
    const sphere_pile *s = loop->pile;
    double *sums = sums_of_chunk(s, loop->first + begin), part[3];
    (void)chunk, (void)worker;
    sums[0] = sums[1] = sums[2] = 0.0;
    for (int k = loop->first + begin; k < loop->first + end; ++k) {
        s->kernel->check(&s->batch[k], special_of(s, k), s->law, s->body, &s->loads[k], part);
        for (int i = 0; i < 3; ++i) sums[i] += part[i];
    }
}

void spheres_sums(sphere_pile *s, scree_pool *pool, double total[3])
{
    sphere_loop loop = {.pile = s};
    if (s->device.at) {
        spheres_device_sums(s, total);
        return;
    }
    for_colours(&loop, pool, check_batches); /* by the threads that sweep them */
    add_sums(s, 3, total);
}

double spheres_residual(sphere_pile *s, scree_pool *pool)
{
    double total[3];
    spheres_sums(s, pool, total);
    double scale = number_max(s->q_norm, sqrt(number_max(total[1], total[2])));
    return scale < 2.2e-16 ? sqrt(total[0]) : sqrt(total[0]) / scale;
}

/// All numbers of a body alike: its mass does not change, so it stays.
static void extrapolate_bodies(void *context, int begin, int end, int chunk, int worker)
{
    const sphere_loop *loop = context;
    enum { NUMBERS = sizeof(sphere_body) / sizeof(double) };
    (void)chunk, (void)worker;
    extrapolate(NUMBERS * (end - begin), loop->beta, (double *)&loop->pile->body[begin],
                (double *)&loop->pile->body_old[begin]);
}

static void solve_batches(void *context, int begin, int end, int chunk, int worker)
{
    const sphere_loop *loop = context;
    const sphere_pile *s = loop->pile;
    double change = 0.0;
    (void)chunk, (void)worker;
    for (int k = loop->first + begin; k < loop->first + end; ++k)
        change += s->kernel->solve(&s->batch[k], special_of(s, k), s->law, loop->beta, s->body, s->body_count,
                                   &s->loads[k], &s->loads_old[k]);
    *sums_of_chunk(s, loop->first + begin) = change;
}

double spheres_sweep(sphere_pile *s, double beta, scree_pool *pool)
{
    sphere_loop loop = {.pile = s, .beta = beta};
    sphere_loads *before = s->loads;
    double total;
    parallel_for(pool, s->body_count, BODY_GRAIN, extrapolate_bodies, &loop);
    for_colours(&loop, pool, solve_batches);
    s->loads = s->loads_old, s->loads_old = before;
    add_sums(s, 1, &total);
    return total;
}

/* ---- the elastic correction -------------------------------------------------------------------------------------------- */

typedef struct yield_loop {
    sphere_loop sphere;
    const elastic *elastic;
    elastic *springs;
} yield_loop;

/// D of a lane from its loads: 1/W_cc of what is pressed and inside its disk.
static void stiffness_of_lane(const sphere_pile *s, int k, int l, double D[GROUPS])
{
    const sphere_batch *batch = &s->batch[k];
    const sphere_special *special = special_of(s, k);
    const sphere_body *a = &s->body[batch->a[l]], *b = &s->body[batch->b[l]];
    double W = a->inv_mass + b->inv_mass, I = a->inv_inertia + b->inv_inertia;
    double A = W + batch->r_a[l] * batch->r_a[l] * a->inv_inertia + batch->r_b[l] * batch->r_b[l] * b->inv_inertia;
    double diagonal[GROUPS] = {W, A, I, I}, load2[GROUPS] = {0.0, 0.0, 0.0, 0.0}, p[LOAD_SIZE];
    for (int i = 0; i < LOAD_SIZE; ++i) p[i] = s->loads[k].p[i][l];
    for (int i = 1; i < 4; ++i) load2[1] += p[i] * p[i], load2[2] += p[3 + i] * p[3 + i];
    load2[3] = p[7] * p[7];
    for (int i = 0; i < GROUPS; ++i) {
        double rim = i == 0 ? p[0] : batch->mu[i - 1][l] * p[0];
        if (special) diagonal[i] += special->soft[i][l];
        D[i] = p[0] > 0.0 && load2[i] < ELASTIC_INSIDE * rim * rim ? 1.0 / diagonal[i] : 0.0;
    }
}

static void set_stiffness(void *context, int begin, int end, int chunk, int worker)
{
    const yield_loop *loop = context;
    const sphere_pile *s = loop->sphere.pile;
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k)
        for (int l = 0; l < LANES; ++l) {
            double D[GROUPS];
            if (s->batch[k].contact[l] < 0) continue;
            stiffness_of_lane(s, k, l, D);
            elastic_set_stiffness(loop->springs, s->batch[k].contact[l], D);
        }
}

void spheres_springs(const sphere_pile *s, elastic *e, scree_pool *pool)
{
    yield_loop loop = {.sphere = {.pile = s}, .springs = e};
    parallel_for(pool, s->batch_count, BATCH_GRAIN, set_stiffness, &loop);
}

static void velocities_to(void *context, int begin, int end, int chunk, int worker)
{
    const yield_loop *loop = context;
    (void)chunk, (void)worker;
    for (int b = begin; b < end; ++b)
        memcpy(loop->springs->velocity + 6 * (size_t)b, loop->sphere.pile->body[b].v, 6 * sizeof(double)); /* v, w */
}

void spheres_velocity_to(const sphere_pile *s, elastic *e, scree_pool *pool)
{
    yield_loop loop = {.sphere = {.pile = s}, .springs = e};
    parallel_for(pool, s->body_count, BODY_GRAIN, velocities_to, &loop);
}

/// -D H' lambda of a lane.
static void yield_lane(const yield_loop *loop, int k, int l, sphere_loads *change)
{
    const sphere_pile *s = loop->sphere.pile;
    const sphere_batch *batch = &s->batch[k];
    double n[3], u[3] = {0.0, 0.0, 0.0}, w[3] = {0.0, 0.0, 0.0}, Z[3], arm[3], D[GROUPS] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) n[i] = batch->n[i][l];
    for (int is_b = 0; is_b < 2; ++is_b) {
        int body = (is_b ? batch->b : batch->a)[l];
        if (body >= s->body_count) continue;
        const double *lambda = loop->elastic->velocity + 6 * (size_t)body;
        for (int i = 0; i < 3; ++i) arm[i] = (is_b ? -batch->r_b[l] : batch->r_a[l]) * n[i];
        rigid_add_velocity(is_b ? 1.0 : -1.0, lambda, lambda + 3, arm, u, w);
    }
    if (batch->contact[l] >= 0) elastic_get_stiffness(loop->elastic, batch->contact[l], D);
    double u_N = vec_dot(n, u);
    vec_cross(n, w, Z);
    change->p[0][l] = -D[0] * u_N, change->p[7][l] = -D[3] * vec_dot(n, w);
    for (int i = 0; i < 3; ++i) {
        change->p[1 + i][l] = -D[1] * (u[i] - u_N * n[i]), change->p[4 + i][l] = -D[2] * Z[i];
    }
}

/// p and its predecessor -= D H' lambda, and the velocities of now with them.
static void yield_batches(void *context, int begin, int end, int chunk, int worker)
{
    const yield_loop *loop = context;
    const sphere_pile *s = loop->sphere.pile;
    (void)chunk, (void)worker;
    for (int k = loop->sphere.first + begin; k < loop->sphere.first + end; ++k) {
        _Alignas(MEMORY_ALIGNMENT) sphere_loads change;
        for (int l = 0; l < LANES; ++l) yield_lane(loop, k, l, &change);
        s->kernel->push(&s->batch[k], &change, s->body, s->body_count);
        for (int i = 0; i < LOAD_SIZE; ++i)
            for (int l = 0; l < LANES; ++l) {
                s->loads[k].p[i][l] += change.p[i][l], s->loads_old[k].p[i][l] += change.p[i][l];
            }
    }
}

/// old += beta x now: with -1 before the velocities of now change and 1 after it, those of before change as much.
static void bodies_add(void *context, int begin, int end, int chunk, int worker)
{
    const sphere_loop *loop = context;
    (void)chunk, (void)worker;
    for (int b = begin; b < end; ++b) {
        sphere_body *old = &loop->pile->body_old[b], *now = &loop->pile->body[b];
        vec_add_scaled(old->v, loop->beta, now->v, old->v), vec_add_scaled(old->w, loop->beta, now->w, old->w);
    }
}

void spheres_yield(sphere_pile *s, const elastic *e, scree_pool *pool)
{
    yield_loop loop = {.sphere = {.pile = s, .beta = -1.0}, .elastic = e};
    parallel_for(pool, s->body_count, BODY_GRAIN, bodies_add, &loop.sphere);
    for_colours(&loop.sphere, pool, yield_batches);
    loop.sphere.beta = 1.0;
    parallel_for(pool, s->body_count, BODY_GRAIN, bodies_add, &loop.sphere);
}
