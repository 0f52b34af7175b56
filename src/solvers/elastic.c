/* elastic.c: springs and boxes of the system (H D H' + eps M) lambda = M v (elastic.h); elastic_solve.c solves it, roughly.
 *
 * A spring between bodies a and b answers the motion at its contact point, u = v_b + w_b x arm_b - v_a - w_a x arm_a and w = w_b - w_a, by
 *
 *     f = (D_T + (D_N - D_T) n n') u,     m = (D_R + (D_S - D_R) n n') w
 *
 * so it needs no frame, and looks the same from a box as from a body: only the lever arms are longer. The bodies' matrix is never formed.
 * Boxes have theirs in blocks: of eight bodies from the springs between them, of more from the level below (Galerkin: a box moves as a
 * rigid body). Single precision: all this only steers a correction that momentum applies exactly. */
#include "solvers/elastic.h"

#include "base/parallel.h"
#include "math/dense.h"
#include "math/vec.h"
#include "problem/rigid.h"
#include "solvers/boxes.h"

#include <string.h>

enum { COARSEST = 8 };

/* ---- making -------------------------------------------------------------------------------------------------------- */

void elastic_destroy(elastic *e, const scree_allocator *allocator)
{
    if (!e) return;
    for (int l = 0; l < ELASTIC_LEVELS; ++l) {
        elastic_level *L = &e->level[l];
        MEMORY_FREE_ALL(allocator, L->start, L->column, L->block, L->diagonal, L->inverse, L->centre, L->mass, L->x,
                        L->b, L->r);
    }
    MEMORY_FREE_ALL(allocator, e->place, e->spring, e->batch, e->side_start, e->side, e->pull, e->velocity, e->search,
                    e->product, e->answer, e->sums, e->energy_bin, e->bin_count, e);
}

static int place_of(const elastic *e, int body)
{
    return body >= 0 ? e->place[body] : e->body_count;
}

/// Springs in the order of their first body, so that those of a box lie together; and the springs of each body.
static void order_springs(elastic *e, const scree_rigid_contact *contact)
{
    int N = e->body_count, C = e->contact_count, *start = e->side_start;
    memset(start, 0, ((size_t)N + 2) * sizeof *start);
    for (int c = 0; c < C; ++c) {
        int a = place_of(e, contact[c].body_a), b = place_of(e, contact[c].body_b);
        start[1 + (a < b ? a : b)] += 1;
    }
    for (int k = 0; k < N; ++k) start[k + 1] += start[k];
    for (int c = 0; c < C; ++c) {
        int a = place_of(e, contact[c].body_a), b = place_of(e, contact[c].body_b);
        e->spring[c] = start[a < b ? a : b]++;
    }
    memset(start, 0, ((size_t)N + 2) * sizeof *start);
    for (int s = 0; s < SPRING_LANES * e->batch_count; ++s)
        e->batch[s / SPRING_LANES].a[s % SPRING_LANES] = e->batch[s / SPRING_LANES].b[s % SPRING_LANES] = N;
    for (int c = 0; c < C; ++c) {
        int s = e->spring[c];
        spring_batch *batch = &e->batch[s / SPRING_LANES];
        batch->a[s % SPRING_LANES] = place_of(e, contact[c].body_a);
        batch->b[s % SPRING_LANES] = place_of(e, contact[c].body_b);
    }
    for (int pass = 0; pass < 2; ++pass) { /* count, then fill: springs of a body ascend */
        for (int s = 0; s < C; ++s)
            for (int is_b = 0; is_b < 2; ++is_b) {
                const spring_batch *batch = &e->batch[s / SPRING_LANES];
                int k = (is_b ? batch->b : batch->a)[s % SPRING_LANES];
                if (k == N) continue;
                if (pass == 0) start[k + 2] += 1;
                else e->side[start[k + 1]++] = 2 * s + is_b;
            }
        for (int k = 0; pass == 0 && k < N; ++k) start[k + 2] += start[k + 1];
    }
}

/// The boxes that box I touches, ascending; `mark` (count of level) says for which box another was seen last.
static int neighbours_of(const elastic *e, int l, int I, int *mark, int *column)
{
    int count = 0, shift = 3 * l, end = (I + 1) << shift;
    if (end > e->body_count) end = e->body_count;
    for (int k = I << shift; k < end; ++k)
        for (int i = e->side_start[k]; i < e->side_start[k + 1]; ++i) {
            int s = e->side[i] / 2;
            const spring_batch *batch = &e->batch[s / SPRING_LANES];
            int other = (e->side[i] % 2 ? batch->a : batch->b)[s % SPRING_LANES], J = other >> shift;
            if (other == e->body_count || J == I || mark[J] == I) continue;
            mark[J] = I;
            if (column) {
                int at = count;
                for (; at > 0 && column[at - 1] > J; --at) column[at] = column[at - 1];
                column[at] = J;
            }
            ++count;
        }
    return count;
}

/// `mark` (body_count) is scratch.
static int create_level(elastic *e, int l, const scree_allocator *allocator, int *mark)
{
    elastic_level *L = &e->level[l];
    size_t n = (size_t)L->count;
    L->centre = memory_raw_array(allocator, n + 1, sizeof *L->centre);
    L->mass = memory_raw_array(allocator, n + 1, sizeof *L->mass);
    L->inverse = memory_raw_array(allocator, n + 1, sizeof *L->inverse);
    L->x = memory_array(allocator, n + 1, sizeof *L->x);
    L->b = memory_array(allocator, n + 1, sizeof *L->b);
    L->r = memory_array(allocator, n + 1, sizeof *L->r);
    if (!L->centre || !L->mass || !L->inverse || !L->x || !L->b || !L->r) return 0;
    if (l == 0) return 1;
    L->start = memory_array(allocator, n + 1, sizeof *L->start);
    L->diagonal = memory_raw_array(allocator, n + 1, sizeof *L->diagonal);
    if (!L->start || !L->diagonal) return 0;
    for (int i = 0; i < L->count; ++i) mark[i] = -1;
    for (int i = 0; i < L->count; ++i) L->start[i + 1] = L->start[i] + neighbours_of(e, l, i, mark, NULL);
    L->column = memory_raw_array(allocator, (size_t)L->start[L->count] + 1, sizeof *L->column);
    L->block = memory_raw_array(allocator, (size_t)L->start[L->count] + 1, sizeof *L->block);
    if (!L->column || !L->block) return 0;
    for (int i = 0; i < L->count; ++i) mark[i] = -1;
    for (int i = 0; i < L->count; ++i) neighbours_of(e, l, i, mark, L->column + L->start[i]);
    return 1;
}

static int create_parts(elastic *e, const scree_problem *problem, const scree_rigid_contact *contact,
                        const scree_allocator *allocator, int *root, int *order, double *x)
{
    size_t N = (size_t)e->body_count, C = (size_t)e->contact_count, B = (size_t)e->batch_count;
    e->place = memory_raw_array(allocator, N + 1, sizeof *e->place);
    e->spring = memory_raw_array(allocator, C + 1, sizeof *e->spring);
    e->batch = memory_array(allocator, B + 1, sizeof *e->batch);
    e->side_start = memory_raw_array(allocator, N + 2, sizeof *e->side_start);
    e->side = memory_raw_array(allocator, 2 * C + 1, sizeof *e->side);
    e->pull = memory_array(allocator, 2 * SPRING_LANES * B + 1, sizeof *e->pull);
    e->velocity = memory_array(allocator, 6 * N + 1, sizeof *e->velocity);
    e->search = memory_array(allocator, N + 1, sizeof *e->search);
    e->product = memory_array(allocator, N + 1, sizeof *e->product);
    e->answer = memory_array(allocator, N + 1, sizeof *e->answer);
    e->sums =
        memory_array(allocator, (size_t)parallel_chunks(e->body_count, ELASTIC_BODY_GRAIN) + 1, 2 * sizeof *e->sums);
    e->energy_bin = memory_raw_array(allocator, N + 1, sizeof *e->energy_bin);
    e->bin_count = memory_raw_array(allocator, ELASTIC_ENERGY_BINS, sizeof *e->bin_count);
    if (!root || !order || !x || !e->energy_bin || !e->bin_count || !e->place || !e->spring || !e->batch ||
        !e->side_start || !e->side || !e->pull || !e->velocity || !e->search || !e->product || !e->answer || !e->sums)
        return 0;
    bodies_locate(problem, contact, root, x);
    bodies_order(e->body_count, root, e->velocity, x, order);
    for (int k = 0; k < e->body_count; ++k) e->place[order[k]] = k;
    order_springs(e, contact);
    for (int l = 0, n = e->body_count; l < ELASTIC_LEVELS; ++l, n = (n + 7) / 8) {
        e->level[l].count = n, e->level_count = l + 1;
        if (!create_level(e, l, allocator, root)) return 0;
        if (n <= COARSEST) break;
    }
    for (int k = 0; k < e->body_count; ++k) memcpy(e->level[0].centre[k], x + 3 * (size_t)order[k], 3 * sizeof *x);
    return 1;
}

elastic *elastic_create(const scree_problem *problem, const scree_rigid_contact *contact,
                        const scree_allocator *allocator)
{
    size_t N = (size_t)problem->body_count;
    elastic *e = memory_array(allocator, 1, sizeof *e);
    if (!e) return NULL;
    e->body_count = problem->body_count, e->contact_count = problem->contact_count;
    e->batch_count = (problem->contact_count + SPRING_LANES - 1) / SPRING_LANES;
    int *root = memory_raw_array(allocator, N + 1, sizeof *root);
    int *order = memory_raw_array(allocator, N + 1, sizeof *order);
    double *x = memory_raw_array(allocator, 3 * N + 1, sizeof *x);
    int made = create_parts(e, problem, contact, allocator, root, order, x);
    MEMORY_FREE_ALL(allocator, root, order, x);
    if (made) return e;
    elastic_destroy(e, allocator);
    return NULL;
}

/// What the loops over a pool see; each uses some of it.
typedef struct elastic_loop {
    elastic *e;
    const scree_problem *problem;
    const scree_rigid_contact *contact;
    int level;
} elastic_loop;

/* ---- geometry and masses ------------------------------------------------------------------------------------------- */

/// Mass and mean moment of inertia; 0: it does not move that way.
static void mass_of(const scree_problem *problem, int b, float mass[2])
{
    double N[36], trace[2] = {0.0, 0.0};
    int free[2] = {0, 0};
    if (problem->rigid) rigid_inv_mass_block(&problem->rigid_mass[b], N);
    else memcpy(N, problem->inv_mass->value + problem->inv_mass->at[b], sizeof N);
    for (int i = 0; i < 6; ++i) trace[i / 3] += N[7 * i], free[i / 3] += N[7 * i] > 0.0;
    for (int i = 0; i < 2; ++i) mass[i] = trace[i] > 0.0 ? (float)(free[i] / trace[i]) : 0.0F;
}

static void place_bodies(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    elastic *e = loop->e;
    (void)chunk, (void)worker;
    for (int b = begin; b < end; ++b) mass_of(loop->problem, b, e->level[0].mass[e->place[b]]);
}

static void place_springs(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    (void)chunk, (void)worker;
    for (int c = begin; c < end; ++c) {
        const scree_rigid_contact *contact = &loop->contact[c];
        int s = loop->e->spring[c], l = s % SPRING_LANES;
        spring_batch *batch = &loop->e->batch[s / SPRING_LANES];
        for (int i = 0; i < 3; ++i) {
            batch->n[i].of[l] = (float)contact->normal[i];
            batch->arm_a[i].of[l] = contact->body_a >= 0 ? (float)contact->arm_a[i] : 0.0F;
            batch->arm_b[i].of[l] = contact->body_b >= 0 ? (float)contact->arm_b[i] : 0.0F;
        }
    }
}

/// Centres and masses of boxes from those of what is in them.
static void weigh_boxes(const elastic_level *fine, elastic_level *L)
{
    memset(L->centre, 0, (size_t)L->count * sizeof *L->centre);
    memset(L->mass, 0, (size_t)L->count * sizeof *L->mass);
    for (int g = 0; g < fine->count; ++g) {
        vec_add_scaled(L->centre[g / 8], (double)fine->mass[g][0], fine->centre[g], L->centre[g / 8]);
        L->mass[g / 8][0] += fine->mass[g][0];
    }
    for (int i = 0; i < L->count; ++i)
        for (int j = 0; j < 3; ++j) L->centre[i][j] /= (double)L->mass[i][0];
    for (int g = 0; g < fine->count; ++g) {
        double d[3];
        vec_sub(fine->centre[g], L->centre[g / 8], d);
        L->mass[g / 8][1] += fine->mass[g][1] + fine->mass[g][0] * (float)vec_dot(d, d) * (2.0F / 3.0F);
    }
}

void elastic_begin(elastic *e, const scree_problem *problem, const scree_rigid_contact *contact, scree_pool *pool)
{
    elastic_loop loop = {.e = e, .problem = problem, .contact = contact};
    parallel_for(pool, e->body_count, ELASTIC_BODY_GRAIN, place_bodies, &loop);
    parallel_for(pool, e->contact_count, ELASTIC_BODY_GRAIN, place_springs, &loop);
    for (int l = 1; l < e->level_count; ++l) weigh_boxes(&e->level[l - 1], &e->level[l]);
}

/* ---- matrices of boxes --------------------------------------------------------------------------------------------- */

/// One spring as boxes (or bodies) see it.
typedef struct one_spring {
    float n[3], D[GROUPS];
} one_spring;

/// B += sign R_i' K R_j, where the spring is at d_i from one and at d_j from the other: its stiffness S_u against displacement and S_w
/// against turning give (S_u, -S_u [d_j]; [d_i] S_u, S_w - [d_i] S_u [d_j]).
static inline void add_spring(const one_spring *k, float sign, const float d_i[3], const float d_j[3], motion_block *B)
{
    float t = sign * k->D[1], n = sign * (k->D[0] - k->D[1]), r = sign * k->D[2], s = sign * (k->D[3] - k->D[2]);
    for (int c = 0; c < 3; ++c) {
        /* unit displacement along c; unit rate of turning about c moves the point by e_c x d_j */
        float u[2][3] = {{0.0F, 0.0F, 0.0F}, {0.0F, 0.0F, 0.0F}}, *turn = u[1];
        int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
        u[0][c] = 1.0F, turn[c1] = -d_j[c2], turn[c2] = d_j[c1];
        for (int j = 0; j < 2; ++j) {
            float *out = B->column[3 * j + c].x, along = k->n[0] * u[j][0] + k->n[1] * u[j][1] + k->n[2] * u[j][2],
                  f[3];
            for (int i = 0; i < 3; ++i) f[i] = t * u[j][i] + n * along * k->n[i];
            out[0] += f[0], out[1] += f[1], out[2] += f[2];
            out[3] += d_i[1] * f[2] - d_i[2] * f[1];
            out[4] += d_i[2] * f[0] - d_i[0] * f[2];
            out[5] += d_i[0] * f[1] - d_i[1] * f[0];
        }
        float *out = B->column[3 + c].x;
        for (int i = 0; i < 3; ++i) out[3 + i] += s * k->n[c] * k->n[i];
        out[3 + c] += r;
    }
}

/// B += R_i' A R_j: the block between parts at d_i and d_j of two boxes.
static void add_lifted(const motion_block *A, const float d_i[3], const float d_j[3], motion_block *B)
{
    motion T[6];
    for (int i = 0; i < LINE; ++i) {
        float x = A->column[0].x[i], y = A->column[1].x[i], z = A->column[2].x[i];
        T[0].x[i] = x, T[1].x[i] = y, T[2].x[i] = z;
        T[3].x[i] = A->column[3].x[i] + (d_j[1] * z - d_j[2] * y);
        T[4].x[i] = A->column[4].x[i] + (d_j[2] * x - d_j[0] * z);
        T[5].x[i] = A->column[5].x[i] + (d_j[0] * y - d_j[1] * x);
    }
    for (int c = 0; c < 6; ++c) {
        const float *f = T[c].x;
        float *out = B->column[c].x;
        for (int i = 0; i < LINE; ++i) out[i] += f[i];
        out[3] += d_i[1] * f[2] - d_i[2] * f[1];
        out[4] += d_i[2] * f[0] - d_i[0] * f[2];
        out[5] += d_i[0] * f[1] - d_i[1] * f[0];
    }
}

/// The inverse of a symmetric block, which is positive definite but for rounding.
static void invert(const motion_block *A, const float mass[2], motion_block *inverse)
{
    double M[36], L[36];
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
            M[6 * i + j] = (double)(A->column[j].x[i] + (i == j ? ELASTIC_EPS * mass[i / 3] : 0.0F));
    memset(inverse, 0, sizeof *inverse);
    if (!cholesky_factor(6, 6, M, 0.0, L)) return; /* nothing holds it: it stays where it is */
    for (int j = 0; j < 6; ++j) {
        double unit[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        unit[j] = 1.0;
        cholesky_solve(6, 6, L, unit, unit);
        for (int i = 0; i < 6; ++i) inverse->column[j].x[i] = (float)unit[i];
    }
}

static one_spring spring_of(const spring_batch *batch, int l)
{
    one_spring k;
    for (int i = 0; i < 3; ++i) k.n[i] = batch->n[i].of[l];
    for (int i = 0; i < GROUPS; ++i) k.D[i] = batch->stiffness[i].of[l];
    return k;
}

static void bodies_invert(void *context, int begin, int end, int chunk, int worker)
{
    elastic *e = ((elastic_loop *)context)->e;
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) {
        motion_block A;
        memset(&A, 0, sizeof A);
        for (int i = e->side_start[k]; i < e->side_start[k + 1]; ++i) {
            int s = e->side[i] / 2, l = s % SPRING_LANES, is_b = e->side[i] % 2;
            const spring_batch *batch = &e->batch[s / SPRING_LANES];
            one_spring spring = spring_of(batch, l);
            float d[3];
            if (spring.D[0] == 0.0F) continue;
            for (int j = 0; j < 3; ++j) d[j] = (is_b ? batch->arm_b : batch->arm_a)[j].of[l];
            add_spring(&spring, 1.0F, d, d, &A);
        }
        invert(&A, e->level[0].mass[k], &e->level[0].inverse[k]);
    }
}

/// Rows of boxes of eight bodies, from the springs that leave the box.
static void boxes_assemble(void *context, int begin, int end, int chunk, int worker)
{
    elastic *e = ((elastic_loop *)context)->e;
    elastic_level *L = &e->level[1];
    (void)chunk, (void)worker;
    for (int I = begin; I < end; ++I) {
        motion_block *diagonal = &L->diagonal[I], *row = &L->block[L->start[I]];
        const int *column = &L->column[L->start[I]];
        int last = 8 * I + 8 < e->body_count ? 8 * I + 8 : e->body_count;
        memset(diagonal, 0, sizeof *diagonal);
        memset(row, 0, (size_t)(L->start[I + 1] - L->start[I]) * sizeof *row);
        for (int k = 8 * I; k < last; ++k)
            for (int i = e->side_start[k]; i < e->side_start[k + 1]; ++i) {
                int s = e->side[i] / 2, l = s % SPRING_LANES, is_b = e->side[i] % 2, at = 0;
                const spring_batch *batch = &e->batch[s / SPRING_LANES];
                int other = (is_b ? batch->a : batch->b)[l];
                one_spring spring = spring_of(batch, l);
                float d_i[3], d_j[3];
                if (spring.D[0] == 0.0F || (other < e->body_count && other / 8 == I)) continue;
                for (int j = 0; j < 3; ++j)
                    d_i[j] = (float)(e->level[0].centre[k][j] - L->centre[I][j]) +
                             (is_b ? batch->arm_b : batch->arm_a)[j].of[l];
                add_spring(&spring, 1.0F, d_i, d_i, diagonal);
                if (other == e->body_count) continue;
                for (int j = 0; j < 3; ++j)
                    d_j[j] = (float)(e->level[0].centre[other][j] - L->centre[other / 8][j]) +
                             (is_b ? batch->arm_a : batch->arm_b)[j].of[l];
                while (column[at] != other / 8) ++at;
                add_spring(&spring, -1.0F, d_i, d_j, &row[at]);
            }
        invert(diagonal, L->mass[I], &L->inverse[I]);
    }
}

/// Rows of larger boxes, from those of the level below.
static void boxes_lift(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    elastic_level *L = &loop->e->level[loop->level], *fine = L - 1;
    (void)chunk, (void)worker;
    for (int I = begin; I < end; ++I) {
        motion_block *diagonal = &L->diagonal[I], *row = &L->block[L->start[I]];
        const int *column = &L->column[L->start[I]];
        int last = 8 * I + 8 < fine->count ? 8 * I + 8 : fine->count;
        memset(diagonal, 0, sizeof *diagonal);
        memset(row, 0, (size_t)(L->start[I + 1] - L->start[I]) * sizeof *row);
        for (int g = 8 * I; g < last; ++g) {
            float d_i[3], d_j[3];
            for (int j = 0; j < 3; ++j) d_i[j] = (float)(fine->centre[g][j] - L->centre[I][j]);
            add_lifted(&fine->diagonal[g], d_i, d_i, diagonal);
            for (int i = fine->start[g]; i < fine->start[g + 1]; ++i) {
                int h = fine->column[i], at = 0;
                for (int j = 0; j < 3; ++j) d_j[j] = (float)(fine->centre[h][j] - L->centre[h / 8][j]);
                while (h / 8 != I && column[at] != h / 8) ++at;
                add_lifted(&fine->block[i], d_i, d_j, h / 8 == I ? diagonal : &row[at]);
            }
        }
        invert(diagonal, L->mass[I], &L->inverse[I]);
    }
}

void elastic_assemble(elastic *e, scree_pool *pool)
{
    elastic_loop loop = {.e = e};
    e->is_assembled = 1;
    parallel_for(pool, e->body_count, ELASTIC_BODY_GRAIN, bodies_invert, &loop);
    if (e->level_count > 1) parallel_for(pool, e->level[1].count, ELASTIC_BOX_GRAIN, boxes_assemble, &loop);
    for (loop.level = 2; loop.level < e->level_count; ++loop.level)
        parallel_for(pool, e->level[loop.level].count, ELASTIC_BOX_GRAIN, boxes_lift, &loop);
}
