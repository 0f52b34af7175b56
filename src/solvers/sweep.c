/* sweep.c: preparing sweeps, their colours, and the sweep (sweep.h).
 *
 * Colours are greedy, in the order of the blocks: the lowest of 64 that no body of the block (no neighbour in W) has yet; a block that
 * finds none gets one of its own. */
#include "solvers/sweep.h"

#include "base/parallel.h"
#include "laws/cone.h"
#include "math/dense.h"

#include <string.h>

enum {
    COLOURS = 64,
    COLOUR_FROM = 512,
    BLOCK_GRAIN = 32,
    NUMBER_GRAIN = 4096
};                                /* blocks from which on colours pay; some microseconds of work */
enum { FEW = 4, ROW_PASSES = 8 }; /* contacts per bounded row from which on these are swept so often */

/* ---- order ------------------------------------------------------------------------------------------------------------ */

/// Colours that block b cannot have. `used`: by body, or, assembled, the colour (one bit) of each block.
static uint64_t colours_taken(const scree_problem *p, const uint64_t *used, int b)
{
    uint64_t taken = 0;
    const block_matrix *A = p->W ? p->W : p->Ht;
    if (p->rigid) {
        int body_a = rigid_body_of(p, b, 0), body_b = rigid_body_of(p, b, 1);
        return (body_a >= 0 ? used[body_a] : 0) | (body_b >= 0 ? used[body_b] : 0);
    }
    for (int e = A->start[b]; e < A->start[b + 1]; ++e) taken |= used[A->column[e]];
    return taken;
}

static void take_colour(const scree_problem *p, uint64_t *used, int b, uint64_t bit)
{
    if (p->W) used[b] = bit;
    else if (p->rigid) {
        for (int is_b = 0; is_b < 2; ++is_b)
            if (rigid_body_of(p, b, is_b) >= 0) used[rigid_body_of(p, b, is_b)] |= bit;
    } else
        for (int e = p->Ht->start[b]; e < p->Ht->start[b + 1]; ++e) used[p->Ht->column[e]] |= bit;
}

/// Is the pattern of W symmetric? Else a block may read what another of its colour writes.
static int pattern_is_symmetric(const block_matrix *W)
{
    for (int i = 0; i < W->row_blocks; ++i)
        for (int e = W->start[i]; e < W->start[i + 1]; ++e)
            if (!block_matrix_find(W, W->column[e], i)) return 0;
    return 1;
}

/// Sorts `order` by colour, stably. `used` and `colour` are scratch.
static scree_status colour_blocks(const scree_problem *p, const scree_allocator *a, uint64_t *used, int *colour,
                                  sweep *s)
{
    int own = COLOURS, most = 0;
    for (int i = 0; i < p->block_count; ++i) {
        int b = s->order[i], k = 0;
        uint64_t taken = colours_taken(p, used, b), bit = 1;
        while (k < COLOURS && (taken & bit)) ++k, bit <<= 1;
        colour[b] = k < COLOURS ? k : own++;
        if (k < COLOURS) take_colour(p, used, b, bit);
        if (k < COLOURS && k + 1 > most) most = k + 1;
    }
    s->colour_count = own > COLOURS ? own : most;
    s->colour_start = memory_array(a, (size_t)s->colour_count + 2, sizeof *s->colour_start);
    int *sorted = memory_raw_array(a, (size_t)p->block_count + 1, sizeof *sorted);
    if (s->colour_start && sorted) {
        int *next = s->colour_start + 1; /* becomes the start of the next colour */
        for (int b = 0; b < p->block_count; ++b) next[colour[b] + 1] += 1;
        for (int k = 0; k < s->colour_count; ++k) next[k + 1] += next[k];
        for (int i = 0; i < p->block_count; ++i) sorted[next[colour[s->order[i]]]++] = s->order[i];
        memcpy(s->order, sorted, (size_t)p->block_count * sizeof *sorted);
    }
    memory_free(a, sorted);
    return s->colour_start && sorted ? SCREE_OK : SCREE_ERR_MEMORY;
}

static scree_status make_order(const scree_problem *p, int shuffle, const scree_allocator *a, sweep *s)
{
    uint64_t state = 0x9E3779B97F4A7C15u;
    for (int i = 0; i < p->block_count; ++i) s->order[i] = i;
    for (int i = p->block_count - 1; shuffle && i > 0; --i) { /* Fisher-Yates, fixed seed */
        state = state * 6364136223846793005u + 1442695040888963407u;
        int j = (int)((state >> 33) % (uint64_t)(i + 1)), t = s->order[i];
        s->order[i] = s->order[j], s->order[j] = t;
    }
    if (p->block_count < COLOUR_FROM || (p->W && !pattern_is_symmetric(p->W))) return SCREE_OK;
    size_t keys = (size_t)(p->W ? p->block_count : p->body_count);
    uint64_t *used = memory_array(a, keys + 1, sizeof *used);
    int *colour = memory_raw_array(a, (size_t)p->block_count + 1, sizeof *colour);
    scree_status status = used && colour ? colour_blocks(p, a, used, colour, s) : SCREE_ERR_MEMORY;
    memory_free(a, used);
    memory_free(a, colour);
    return status;
}

/* ---- making ------------------------------------------------------------------------------------------------------------ */

scree_status sweep_create(const scree_problem *problem, int shuffle, const scree_allocator *allocator, sweep *s)
{
    size_t blocks = (size_t)problem->block_count;
    memset(s, 0, sizeof *s);
    s->order = memory_raw_array(allocator, blocks + 1, sizeof *s->order);
    s->change = memory_array(allocator, blocks + 1, sizeof *s->change);
    if (!s->order || !s->change) return SCREE_ERR_MEMORY;
    if (!problem->W) {
        s->v = memory_array(allocator, (size_t)problem->dof_count + 1, sizeof *s->v);
        if (!s->v) return SCREE_ERR_MEMORY;
    }
    if (!problem->W && !problem->rigid) {
        s->MH =
            memory_raw_array(allocator, problem->Ht->at[problem->Ht->start[problem->block_count]] + 1, sizeof *s->MH);
        if (!s->MH) return SCREE_ERR_MEMORY;
    }
    return make_order(problem, shuffle, allocator, s);
}

void sweep_destroy(sweep *s, const scree_allocator *allocator)
{
    MEMORY_FREE_ALL(allocator, s->v, s->MH, s->order, s->colour_start, s->change);
    memset(s, 0, sizeof *s);
}

/// M^-1 H_c of one block of rows.
static void prepare_block(sweep *s, const scree_problem *problem, int b)
{
    const block_matrix *Ht = problem->Ht;
    int n = problem->offset[b + 1] - problem->offset[b];
    for (int e = Ht->start[b]; e < Ht->start[b + 1]; ++e) {
        int body = Ht->column[e], d = Ht->col_offset[body + 1] - Ht->col_offset[body];
        const double *N = problem->inv_mass->value + problem->inv_mass->at[body], *B = Ht->value + Ht->at[e];
        double *A = s->MH + Ht->at[e];
        for (int i = 0; i < d; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = 0.0;
                for (int k = 0; k < d; ++k) sum += N[i * d + k] * B[j * d + k];
                A[i * n + j] = sum;
            }
    }
}

void sweep_begin(sweep *s, const scree_problem *problem, const double *p)
{
    if (problem->W) return;
    memset(s->v, 0, (size_t)problem->dof_count * sizeof *s->v);
    for (int b = 0; b < problem->block_count; ++b) {
        if (!problem->rigid) prepare_block(s, problem, b);
        sweep_update(s, problem, b, p + problem->offset[b]);
    }
}

/* ---- sweeping ---------------------------------------------------------------------------------------------------------- */

typedef struct sweep_loop {
    sweep *sweep;
    const scree_problem *problem;
    local_solver *local;
    const sweep_how *how;
    double *p;
    int first;
} sweep_loop;

/// p_b' W_bb p_b: what a change is compared with.
static double block_size(const scree_problem *problem, const local_solver *local, int b, const double *p_b)
{
    double W_p[SCREE_DIM_MAX];
    if (b >= problem->contact_count) return local->bound_W[b - problem->contact_count] * p_b[0] * p_b[0];
    int n = problem->offset[b + 1] - problem->offset[b];
    matvec_add(n, local->W + local->at[b], p_b, NULL, W_p);
    return dot(n, p_b, W_p);
}

static void visit_block(const sweep_loop *loop, int b)
{
    const scree_problem *problem = loop->problem;
    const sweep_how *how = loop->how;
    int n = problem->offset[b + 1] - problem->offset[b];
    double *p_b = loop->p + problem->offset[b], y[SCREE_DIM_MAX], change[SCREE_DIM_MAX];
    if (how->sleep && how->sleep[b] > 0) {
        how->sleep[b] -= 1, loop->sweep->change[b] = 0.0;
        return;
    }
    sweep_velocity(loop->sweep, problem, b, loop->p, y);
    double size = how->relaxation * how->relaxation * local_solve(loop->local, problem, b, y, p_b, change);
    for (int i = 0; i < n; ++i) {
        change[i] = how->relaxation * (change[i] - p_b[i]);
        p_b[i] += change[i];
    }
    sweep_update(loop->sweep, problem, b, change);
    loop->sweep->change[b] = size;
    if (how->sleep && how->freeze > 0.0 && size <= how->freeze * how->freeze * block_size(problem, loop->local, b, p_b))
        how->sleep[b] = 4;
}

static void visit_blocks(void *context, int begin, int end, int chunk, int worker)
{
    const sweep_loop *loop = context;
    (void)chunk, (void)worker;
    for (int i = loop->first + begin; i < loop->first + end; ++i) visit_block(loop, loop->sweep->order[i]);
}

/// Rows of one joint press on one body from many sides, and swept once they creep; where there are few of them beside the contacts they
/// are swept again and again until they agree, which costs little.
static void visit_joints(const sweep_loop *loop)
{
    const scree_problem *problem = loop->problem;
    if (problem->bound_count * FEW > problem->contact_count || loop->how->sleep) return;
    for (int pass = 0; pass < ROW_PASSES; ++pass)
        for (int b = problem->contact_count; b < problem->block_count; ++b) visit_block(loop, b);
}

double sweep_all(sweep *s, const scree_problem *problem, local_solver *local, const sweep_how *how, scree_pool *pool,
                 double *p)
{
    sweep_loop loop = {.sweep = s, .problem = problem, .local = local, .how = how};
    double total = 0.0;
    loop.p = p;
    if (!s->colour_start) visit_blocks(&loop, 0, problem->block_count, 0, 0);
    for (int k = 0; s->colour_start && k < s->colour_count; ++k) {
        loop.first = s->colour_start[k];
        parallel_for(pool, s->colour_start[k + 1] - loop.first, BLOCK_GRAIN, visit_blocks, &loop);
    }
    visit_joints(&loop);
    for (int b = 0; b < problem->block_count; ++b)
        total += s->change[b]; /* in order: one sum for any number of threads */
    return total;
}

/* ---- the elastic correction ------------------------------------------------------------------------------------------- */

typedef struct yield_loop {
    sweep *sweep;
    const scree_problem *problem;
    const local_solver *local;
    const elastic *elastic;
    elastic *springs;
    const double *loads;
    double *p, *p_old, *v_old, sign;
    int first;
} yield_loop;

/// D of a contact from its loads: 1/W_cc (its mean over two directions) of what is pressed and inside its disk.
static void stiffness_of(const yield_loop *loop, int c, double D[GROUPS])
{
    const scree_cone *cone = &loop->problem->cone[c];
    const double *p = loop->loads + loop->problem->offset[c], *W = loop->local->W + loop->local->at[c];
    int at = 1, n = cone_dim(cone);
    D[0] = p[0] > 0.0 ? 1.0 / W[0] : 0.0;
    for (int k = 0; k < SCREE_FRICTION_KINDS; at += cone->size[k++]) {
        double trace = 0.0, rim = cone->coef[k] * p[0];
        for (int i = at; i < at + cone->size[k]; ++i) trace += W[i * n + i];
        int sticks = p[0] > 0.0 && trace > 0.0 && dot(cone->size[k], p + at, p + at) < ELASTIC_INSIDE * rim * rim;
        D[1 + k] = sticks ? cone->size[k] / trace : 0.0;
    }
}

static void set_stiffness(void *context, int begin, int end, int chunk, int worker)
{
    const yield_loop *loop = context;
    (void)chunk, (void)worker;
    for (int c = begin; c < end; ++c) {
        double D[GROUPS];
        stiffness_of(loop, c, D);
        elastic_set_stiffness(loop->springs, c, D);
    }
}

void sweep_springs(const scree_problem *problem, const local_solver *local, const double *p, elastic *e,
                   scree_pool *pool)
{
    yield_loop loop = {.problem = problem, .local = local, .springs = e, .loads = p};
    parallel_for(pool, problem->contact_count, BLOCK_GRAIN, set_stiffness, &loop);
}

static void velocities_to(void *context, int begin, int end, int chunk, int worker)
{
    const yield_loop *loop = context;
    (void)chunk, (void)worker;
    for (int i = begin; i < end; ++i) loop->springs->velocity[i] = loop->problem->v_free[i] + loop->sweep->v[i];
}

void sweep_velocity_to(const sweep *s, const scree_problem *problem, elastic *e, scree_pool *pool)
{
    sweep velocities = *s;
    yield_loop loop = {.sweep = &velocities, .problem = problem, .springs = e};
    parallel_for(pool, problem->dof_count, NUMBER_GRAIN, velocities_to, &loop);
}

/// p and its predecessor -= D H' lambda, and the velocities of now with them.
static void yield_blocks(void *context, int begin, int end, int chunk, int worker)
{
    const yield_loop *loop = context;
    const scree_problem *problem = loop->problem;
    (void)chunk, (void)worker;
    for (int i = loop->first + begin; i < loop->first + end; ++i) {
        int c = loop->sweep->order[i], at = 1, first = problem->offset[c];
        const scree_cone *cone = &problem->cone[c];
        double u[3], w[3], D[GROUPS], change[SCREE_DIM_MAX] = {0};
        rigid_relative_velocity(&problem->rigid[c], loop->elastic->velocity, u, w);
        rigid_add_rows(&problem->rigid[c], cone, u, w, change);
        elastic_get_stiffness(loop->elastic, c, D);
        change[0] *= -D[0];
        for (int k = 0; k < SCREE_FRICTION_KINDS; ++k)
            for (int j = 0; j < cone->size[k]; ++j, ++at) change[at] *= -D[1 + k];
        for (int j = 0; j < at; ++j) loop->p[first + j] += change[j], loop->p_old[first + j] += change[j];
        sweep_update(loop->sweep, problem, c, change);
    }
}

/// old += sign x now: with -1 before the velocities of now change and 1 after it, those of before change as much.
static void velocities_add(void *context, int begin, int end, int chunk, int worker)
{
    const yield_loop *loop = context;
    (void)chunk, (void)worker;
    for (int i = begin; i < end; ++i) loop->v_old[i] += loop->sign * loop->sweep->v[i];
}

/* yield_blocks and velocities_add write p, p_old and v_old. NOLINTBEGIN(readability-non-const-parameter) */
void sweep_yield(sweep *s, const scree_problem *problem, const elastic *e, scree_pool *pool, double *p, double *p_old,
                 double *v_old)
/* NOLINTEND(readability-non-const-parameter) */
{
    yield_loop loop = {
        .sweep = s, .problem = problem, .elastic = e, .p = p, .p_old = p_old, .v_old = v_old, .sign = -1.0};
    parallel_for(pool, problem->dof_count, NUMBER_GRAIN, velocities_add, &loop);
    if (!s->colour_start) yield_blocks(&loop, 0, problem->block_count, 0, 0);
    for (int k = 0; s->colour_start && k < s->colour_count; ++k) {
        loop.first = s->colour_start[k];
        parallel_for(pool, s->colour_start[k + 1] - loop.first, BLOCK_GRAIN, yield_blocks, &loop);
    }
    loop.sign = 1.0;
    parallel_for(pool, problem->dof_count, NUMBER_GRAIN, velocities_add, &loop);
}
