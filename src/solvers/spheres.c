/* spheres.c: recognising contacts of spheres in a problem, and laying them out for sweeps (spheres.h). */
#include "solvers/spheres.h"

#include "base/parallel.h"
#include "math/dense.h"
#include "solvers/spheres_kernel.h"
#include "sparse/block.h"

#include <float.h>
#include <string.h>

enum { COLOURS_MAX = 64, BATCH_GRAIN = 32, CONTACT_GRAIN = 1024 }; /* grains: some microseconds of work */
#define RECOGNISE 1e-10                                            /* relative: far above rounding, far below a shape */

/// One contact as two spheres see it.
typedef struct sphere_contact {
    int a, b; /* bodies, -1: fixed */
    double n[3], t1[3], t2[3], r_a, r_b;
} sphere_contact;

static void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

static int vectors_agree(const double *a, double factor, const double *b, double scale)
{
    for (int i = 0; i < 3; ++i)
        if (!(fabs(a[i] - factor * b[i]) <= RECOGNISE * scale)) return 0;
    return 1;
}

/// Does the block (dim x 6) read as sign x (the rows of a sphere with lever arm -sign r n)? Writes r.
static int read_block(int dim, const double *B, double sign, const sphere_contact *s, double *r)
{
    double zero[3] = {0.0, 0.0, 0.0};
    /* t1 . (w x (-sign r n)) = w . (-sign r n x t1) = -sign r w . t2, and the row carries sign once more */
    *r = -dot(3, B + 6 + 3, s->t2);
    double scale = fmax(fabs(*r), 1.0);
    if (!vectors_agree(B, sign, s->n, 1.0) || !vectors_agree(B + 3, 1.0, zero, scale)) return 0;
    if (!vectors_agree(B + 6, sign, s->t1, 1.0) || !vectors_agree(B + 9, -*r, s->t2, scale)) return 0;
    if (!vectors_agree(B + 12, sign, s->t2, 1.0) || !vectors_agree(B + 15, *r, s->t1, scale)) return 0;
    if (dim >= 5)
        for (int k = 0; k < 2; ++k) {
            const double *row = B + (size_t)(3 + k) * 6;
            if (!vectors_agree(row, 1.0, zero, 1.0) || !vectors_agree(row + 3, sign, k ? s->t2 : s->t1, 1.0)) return 0;
        }
    if (dim == 6) return vectors_agree(B + 30, 1.0, zero, 1.0) && vectors_agree(B + 33, sign, s->n, 1.0);
    return 1;
}

static int read_contact(const scree_problem *problem, int c, sphere_contact *s)
{
    const scree_block_matrix *Ht = problem->Ht;
    const scree_cone *cone = &problem->cone[c];
    int first = Ht->start[c], count = Ht->start[c + 1] - first, dim = problem->offset[c + 1] - problem->offset[c];
    if (count < 1 || count > 2 || cone->size[SCREE_SLIDE] != 2 || cone->size[SCREE_ROLL] == 1) return 0;
    if (cone->size[SCREE_SPIN] && !cone->size[SCREE_ROLL]) return 0;
    for (int e = first; e < first + count; ++e)
        if (Ht->col_offset[Ht->column[e] + 1] - Ht->col_offset[Ht->column[e]] != 6) return 0;
    /* the last body is taken as b: its rows carry +n */
    const double *B = Ht->value + Ht->at[first + count - 1];
    double expected[3];
    memcpy(s->n, B, sizeof s->n), memcpy(s->t1, B + 6, sizeof s->t1), memcpy(s->t2, B + 12, sizeof s->t2);
    cross(s->n, s->t1, expected);
    if (!vectors_agree(s->t2, 1.0, expected, 1.0) || fabs(dot(3, s->n, s->n) - 1.0) > RECOGNISE) return 0;
    s->b = Ht->column[first + count - 1], s->a = count == 2 ? Ht->column[first] : -1, s->r_a = 0.0;
    if (!read_block(dim, B, 1.0, s, &s->r_b)) return 0;
    return count == 1 || read_block(dim, Ht->value + Ht->at[first], -1.0, s, &s->r_a);
}

static int mass_is_isotropic(const double *N)
{
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
            double expected = i != j ? 0.0 : N[i < 3 ? 0 : 21];
            if (!(fabs(N[6 * i + j] - expected) <= RECOGNISE * N[i < 3 ? 0 : 21])) return 0;
        }
    return N[0] > 0.0 && N[21] > 0.0;
}

int spheres_recognise(const scree_problem *problem)
{
    if (!problem->Ht || !problem->v_free || problem->bound_count || problem->compliance) return 0;
    if (problem->law != SCREE_COULOMB || !problem->contact_count) return 0;
    for (int b = 0; b < problem->body_count; ++b) {
        if (problem->Ht->col_offset[b + 1] - problem->Ht->col_offset[b] != 6) return 0;
        if (!mass_is_isotropic(problem->inv_mass->value + problem->inv_mass->at[b])) return 0;
    }
    double size = norm(problem->row_count, problem->q);
    for (int c = 0; c < problem->contact_count; ++c) {
        sphere_contact s;
        double u[SCREE_DIM_MAX] = {0};
        int at = problem->offset[c], dim = problem->offset[c + 1] - at;
        if (!read_contact(problem, c, &s)) return 0;
        block_row_apply(problem->Ht, c, problem->v_free, u);
        for (int i = 1; i < dim; ++i)
            if (!(fabs(problem->q[at + i] - u[i]) <= 1e-14 * size)) return 0;
    }
    return 1;
}

/* ---- layout ------------------------------------------------------------------------------------------------------- */

void spheres_destroy(sphere_pile *s, const scree_allocator *allocator)
{
    memory_free(allocator, s->colour_start);
    memory_free(allocator, s->body);
    memory_free(allocator, s->body_free);
    memory_free(allocator, s->batch);
    memory_free(allocator, s->loads);
    memory_free(allocator, s->change);
    memory_free(allocator, s->tangent);
    memset(s, 0, sizeof *s);
}

/// Greedy colouring of the contacts in their order: the lowest colour that neither body has. `used` holds a bit per colour.
static int colour_contacts(const scree_problem *problem, const sphere_contact *contact, uint64_t *used, int *colour)
{
    int colours = 0;
    for (int c = 0; c < problem->contact_count; ++c) {
        uint64_t taken = used[contact[c].b] | (contact[c].a >= 0 ? used[contact[c].a] : 0);
        int k = 0;
        while (k < COLOURS_MAX && (taken >> k & 1u)) ++k;
        if (k == COLOURS_MAX) return 0;
        colour[c] = k;
        used[contact[c].b] |= (uint64_t)1 << k;
        if (contact[c].a >= 0) used[contact[c].a] |= (uint64_t)1 << k;
        if (k + 1 > colours) colours = k + 1;
    }
    return colours;
}

/// Is the slide-roll coupling c = r_b/I_b - r_a/I_a more than rounding?
static int is_coupled(const scree_problem *problem, const sphere_contact *s)
{
    double I_b = problem->inv_mass->value[problem->inv_mass->at[s->b] + 21];
    double I_a = s->a >= 0 ? problem->inv_mass->value[problem->inv_mass->at[s->a] + 21] : 0.0;
    return fabs(s->r_b * I_b - s->r_a * I_a) > 1e-14 * (fabs(s->r_b * I_b) + fabs(s->r_a * I_a));
}

static void fill_lane(const scree_problem *problem, const sphere_contact *s, int contact, int lane, sphere_batch *batch)
{
    batch->contact[lane] = contact;
    batch->a[lane] = s->a >= 0 ? s->a : problem->body_count, batch->b[lane] = s->b;
    for (int i = 0; i < 3; ++i) batch->n[i][lane] = s->n[i];
    batch->r_a[lane] = s->r_a, batch->r_b[lane] = s->r_b;
}

/// An empty lane is a contact that separates: the fixed body against one of mass 1 that nothing moves. No load, no NaN.
static void clear_lanes(const scree_problem *problem, sphere_batch *batch)
{
    for (int l = 0; l < LANES; ++l) {
        batch->contact[l] = -1;
        batch->a[l] = problem->body_count, batch->b[l] = problem->body_count + 1;
        batch->n[2][l] = 1.0, batch->extra[l] = 1.0;
    }
}

scree_status spheres_create(const scree_problem *problem, const scree_allocator *allocator, sphere_pile *s)
{
    size_t C = (size_t)problem->contact_count, N = (size_t)problem->body_count;
    memset(s, 0, sizeof *s);
    sphere_contact *contact = memory_array(allocator, C + 1, sizeof *contact);
    uint64_t *used = memory_array(allocator, N + 1, sizeof *used);
    int *colour = memory_array(allocator, C + 1, sizeof *colour);
    scree_status status = SCREE_ERR_MEMORY;
    if (!contact || !used || !colour) goto done;
    for (int c = 0; c < problem->contact_count; ++c) read_contact(problem, c, &contact[c]);
    s->colour_count = colour_contacts(problem, contact, used, colour);
    if (!s->colour_count) {
        status = SCREE_ERR_UNSUPPORTED; /* 64 colours do not do: a body with very many contacts */
        goto done;
    }
    s->body_count = problem->body_count;
    s->body = memory_array(allocator, N + 2, sizeof *s->body);
    s->body_free = memory_array(allocator, N + 2, sizeof *s->body_free);
    s->colour_start = memory_array(allocator, (size_t)s->colour_count + 1, sizeof *s->colour_start);
    s->tangent = memory_array(allocator, 6 * C + 1, sizeof *s->tangent);
    s->batch = memory_array(allocator, C / LANES + 2 * (size_t)s->colour_count + 1, sizeof *s->batch);
    s->loads = memory_array(allocator, C / LANES + 2 * (size_t)s->colour_count + 1, sizeof *s->loads);
    s->change = memory_array(allocator, C / LANES + 2 * (size_t)s->colour_count + 1, sizeof *s->change);
    if (!s->body || !s->body_free || !s->colour_start || !s->tangent || !s->batch || !s->loads || !s->change) goto done;

    for (int k = 0; k < s->colour_count; ++k) {
        s->colour_start[k] = s->batch_count;
        for (int coupled = 0; coupled < 2; ++coupled) {
            int lane = LANES;
            for (int c = 0; c < problem->contact_count; ++c) {
                if (colour[c] != k || is_coupled(problem, &contact[c]) != coupled) continue;
                if (lane == LANES) {
                    clear_lanes(problem, &s->batch[s->batch_count]);
                    s->batch[s->batch_count++].coupled = coupled, lane = 0;
                }
                fill_lane(problem, &contact[c], c, lane++, &s->batch[s->batch_count - 1]);
            }
        }
    }
    s->colour_start[s->colour_count] = s->batch_count;
    for (int c = 0; c < problem->contact_count; ++c) {
        memcpy(s->tangent + 6 * c, contact[c].t1, sizeof contact[c].t1);
        memcpy(s->tangent + 6 * c + 3, contact[c].t2, sizeof contact[c].t2);
    }
    status = SCREE_OK;
done:
    memory_free(allocator, contact);
    memory_free(allocator, used);
    memory_free(allocator, colour);
    if (status != SCREE_OK) spheres_destroy(s, allocator);
    return status;
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

/// Adds the loads of one lane to the velocities of its bodies.
static void add_loads(sphere_pile *s, const sphere_batch *batch, const sphere_loads *loads, int l)
{
    double n[3], x[3], Z[3], nx[3], nZ[3];
    for (int i = 0; i < 3; ++i) n[i] = batch->n[i][l], x[i] = loads->p[1 + i][l], Z[i] = loads->p[4 + i][l];
    cross(n, x, nx), cross(n, Z, nZ);
    sphere_body *a = &s->body[batch->a[l]], *b = &s->body[batch->b[l]];
    for (int i = 0; i < 3; ++i) {
        double r = loads->p[0][l] * n[i] + x[i], m = loads->p[7][l] * n[i] - nZ[i];
        b->v[i] += b->inv_mass * r, b->w[i] += b->inv_inertia * (m - batch->r_b[l] * nx[i]);
        a->v[i] -= a->inv_mass * r, a->w[i] -= a->inv_inertia * (m + batch->r_a[l] * nx[i]);
    }
}

void spheres_begin(sphere_pile *s, const scree_problem *problem, const double *p)
{
    for (int b = 0; b < s->body_count; ++b) {
        const double *v = problem->v_free + problem->Ht->col_offset[b],
                     *N = problem->inv_mass->value + problem->inv_mass->at[b];
        sphere_body *body = &s->body_free[b];
        for (int i = 0; i < 3; ++i) body->v[i] = v[i], body->w[i] = v[3 + i];
        body->inv_mass = N[0], body->inv_inertia = N[21];
    }
    s->body_free[s->body_count + 1].inv_mass = s->body_free[s->body_count + 1].inv_inertia = 1.0;
    memcpy(s->body, s->body_free, ((size_t)s->body_count + 2) * sizeof *s->body);
    for (int k = 0; k < s->batch_count; ++k) {
        sphere_batch *batch = &s->batch[k];
        for (int l = 0; l < LANES; ++l) {
            int c = batch->contact[l];
            if (c < 0) continue;
            const scree_cone *cone = &problem->cone[c];
            const double *p_c = p + problem->offset[c], *t1 = s->tangent + 6 * (size_t)c, *t2 = t1 + 3;
            int roll = cone->size[SCREE_ROLL] == 2, spin = cone->size[SCREE_SPIN];
            double m_R[3], n[3] = {batch->n[0][l], batch->n[1][l], batch->n[2][l]}, Z[3], u[SCREE_DIM_MAX] = {0};
            for (int i = 0; i < 3; ++i) m_R[i] = roll ? p_c[3] * t1[i] + p_c[4] * t2[i] : 0.0;
            cross(n, m_R, Z);
            s->loads[k].p[0][l] = p_c[0], s->loads[k].p[7][l] = spin ? p_c[1 + 2 + 2 * roll] : 0.0;
            for (int i = 0; i < 3; ++i) {
                s->loads[k].p[1 + i][l] = p_c[1] * t1[i] + p_c[2] * t2[i];
                s->loads[k].p[4 + i][l] = Z[i];
            }
            batch->mu[0][l] = cone->coef[0], batch->mu[1][l] = roll ? cone->coef[1] : 0.0;
            batch->mu[2][l] = spin ? cone->coef[2] : 0.0;
            block_row_apply(problem->Ht, c, problem->v_free, u);
            batch->extra[l] = problem->q[problem->offset[c]] - u[0];
            add_loads(s, batch, &s->loads[k], l);
        }
    }
}

void spheres_loads_to(const sphere_pile *s, const sphere_loads *loads, const scree_problem *problem, double *p)
{
    for (int k = 0; k < s->batch_count; ++k)
        for (int l = 0; l < LANES; ++l) {
            int c = s->batch[k].contact[l];
            if (c < 0) continue;
            const scree_cone *cone = &problem->cone[c];
            double *p_c = p + problem->offset[c], x[3], Z[3], m_R[3], n[3];
            const double *t1 = s->tangent + 6 * (size_t)c, *t2 = t1 + 3;
            for (int i = 0; i < 3; ++i)
                x[i] = loads[k].p[1 + i][l], Z[i] = loads[k].p[4 + i][l], n[i] = s->batch[k].n[i][l];
            cross(Z, n, m_R); /* Z = n x m_R, so m_R = -n x Z */
            p_c[0] = loads[k].p[0][l], p_c[1] = dot(3, t1, x), p_c[2] = dot(3, t2, x);
            if (cone->size[SCREE_ROLL]) p_c[3] = dot(3, t1, m_R), p_c[4] = dot(3, t2, m_R);
            if (cone->size[SCREE_SPIN]) p_c[5] = loads[k].p[7][l];
        }
}

/// What the loops over a pool see.
typedef struct sphere_loop {
    const sphere_pile *pile;
    const scree_problem *problem;
    const double *dv;
    double *y;
    int first; /* batch of the colour */
} sphere_loop;

static void contacts_velocity(void *context, int begin, int end, int chunk, int worker)
{
    const sphere_loop *loop = context;
    const scree_problem *problem = loop->problem;
    (void)chunk, (void)worker;
    for (int c = begin; c < end; ++c) {
        int at = problem->offset[c], n = problem->offset[c + 1] - at;
        for (int i = 0; i < n; ++i) loop->y[at + i] = problem->q[at + i];
        block_row_apply(problem->Ht, c, loop->dv, loop->y + at);
    }
}

void spheres_velocity_to(const sphere_pile *s, const scree_problem *problem, scree_pool *pool, double *dv, double *y)
{
    for (int b = 0; b < s->body_count; ++b)
        for (int i = 0; i < 3; ++i) {
            dv[6 * b + i] = s->body[b].v[i] - s->body_free[b].v[i];
            dv[6 * b + 3 + i] = s->body[b].w[i] - s->body_free[b].w[i];
        }
    sphere_loop loop = {.pile = s, .problem = problem, .dv = dv, .y = y};
    parallel_for(pool, problem->contact_count, CONTACT_GRAIN, contacts_velocity, &loop);
}

static void solve_batches(void *context, int begin, int end, int chunk, int worker)
{
    const sphere_loop *loop = context;
    const sphere_pile *s = loop->pile;
    (void)chunk, (void)worker;
    for (int i = loop->first + begin; i < loop->first + end; ++i)
        s->change[i] = spheres_solve_batch(&s->batch[i], s->body, s->body_count, &s->loads[i]);
}

double spheres_sweep(sphere_pile *s, scree_pool *pool)
{
    double total = 0.0;
    for (int k = 0; k < s->colour_count; ++k) { /* the batches of a colour share no body */
        sphere_loop loop = {.pile = s, .first = s->colour_start[k]};
        parallel_for(pool, s->colour_start[k + 1] - loop.first, BATCH_GRAIN, solve_batches, &loop);
    }
    for (int i = 0; i < s->batch_count; ++i)
        total += s->change[i]; /* in order: the same bits for any number of threads */
    return total;
}
