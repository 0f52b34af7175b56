/* elastic_solve.c: the rough solution of (H D H' + eps M) lambda = M v (elastic.h).
 *
 * A product by the bodies' matrix is a pass over the springs, eight at a time, and one over the bodies, each of which adds up its springs in
 * their order (any number of threads gives the same bits).
 *
 * A cycle: damped block Jacobi on the bodies before and after the boxes; on each level of boxes two visits to the next, with block
 * Gauss-Seidel forward before and back after each, in chunks that see each other as they were. What a level gives is taken OVER times, for
 * boxes are stiffer than what is in them. STEPS steps of conjugate gradients over it: with two, momentum needs a quarter more sweeps. */
#include "solvers/elastic.h"

#include "base/parallel.h"
#include "math/vec.h"

#include <string.h>

enum { BATCH_GRAIN = 64 };
enum { COARSEST_PASSES = 8, STEPS = 3 };
#define DAMPING 0.8F
#define OVER    1.8F
enum { LOOSE = 53, HOTTEST = 100 }; /* 100 times the median of energies; one in so many */

/// What the loops over a pool see; each uses some of it.
typedef struct elastic_loop {
    elastic *e;
    int level, back, from_zero, limit;
    const motion *x, *b;
    motion *out, *out2;
    float factor;
} elastic_loop;

/* ---- products ------------------------------------------------------------------------------------------------------ */

/// c = a x b, eight at a time.
static inline void cross_eight(const eight a[3], const eight b[3], eight c[3])
{
    for (int l = 0; l < SPRING_LANES; ++l) {
        c[0].of[l] = a[1].of[l] * b[2].of[l] - a[2].of[l] * b[1].of[l];
        c[1].of[l] = a[2].of[l] * b[0].of[l] - a[0].of[l] * b[2].of[l];
        c[2].of[l] = a[0].of[l] * b[1].of[l] - a[1].of[l] * b[0].of[l];
    }
}

/// f = (T + (N - T) n n') u.
static inline void stiffen_eight(const eight n[3], const eight *N, const eight *T, const eight u[3], eight f[3])
{
    for (int l = 0; l < SPRING_LANES; ++l) {
        float along = n[0].of[l] * u[0].of[l] + n[1].of[l] * u[1].of[l] + n[2].of[l] * u[2].of[l];
        along *= N->of[l] - T->of[l];
        for (int i = 0; i < 3; ++i) f[i].of[l] = T->of[l] * u[i].of[l] + along * n[i].of[l];
    }
}

/// What the springs of a batch pull at their bodies when these move by x.
static void pull_eight(const spring_batch *batch, const motion *x, motion pull[2 * SPRING_LANES])
{
    eight a[6], b[6], u[3], w[3], f[3], m[3], turn_a[3], turn_b[3];
    for (int l = 0; l < SPRING_LANES; ++l) {
        const float *of_a = x[batch->a[l]].x, *of_b = x[batch->b[l]].x;
        for (int i = 0; i < 6; ++i) a[i].of[l] = of_a[i], b[i].of[l] = of_b[i];
    }
    cross_eight(a + 3, batch->arm_a, turn_a), cross_eight(b + 3, batch->arm_b, turn_b);
    for (int i = 0; i < 3; ++i)
        for (int l = 0; l < SPRING_LANES; ++l) {
            u[i].of[l] = b[i].of[l] - a[i].of[l] + (turn_b[i].of[l] - turn_a[i].of[l]);
            w[i].of[l] = b[3 + i].of[l] - a[3 + i].of[l];
        }
    stiffen_eight(batch->n, &batch->stiffness[0], &batch->stiffness[1], u, f);
    stiffen_eight(batch->n, &batch->stiffness[3], &batch->stiffness[2], w, m);
    cross_eight(batch->arm_a, f, turn_a), cross_eight(batch->arm_b, f, turn_b);
    for (int l = 0; l < SPRING_LANES; ++l)
        for (int i = 0; i < 3; ++i) {
            float *on_a = pull[2 * l].x, *on_b = pull[2 * l + 1].x;
            on_a[i] = -f[i].of[l], on_a[3 + i] = -(turn_a[i].of[l] + m[i].of[l]);
            on_b[i] = f[i].of[l], on_b[3 + i] = turn_b[i].of[l] + m[i].of[l];
        }
}

static void springs_pull(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    const elastic *e = loop->e;
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) pull_eight(&e->batch[k], loop->x, &e->pull[2 * SPRING_LANES * (size_t)k]);
}

/// (H D H' + eps M) x of body k, from what its springs pull.
static inline motion pulled(const elastic *e, const motion *x, int k)
{
    motion sum;
    const float *mass = e->level[0].mass[k];
    for (int i = 0; i < LINE; ++i) sum.x[i] = i < 6 ? ELASTIC_EPS * mass[i / 3] * x[k].x[i] : 0.0F;
    for (int i = e->side_start[k]; i < e->side_start[k + 1]; ++i) {
        const motion *pull = &e->pull[e->side[i]];
        for (int j = 0; j < LINE; ++j) sum.x[j] += pull->x[j];
    }
    return sum;
}

static void bodies_residual(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) {
        motion Ax = pulled(loop->e, loop->x, k);
        for (int i = 0; i < LINE; ++i) loop->out[k].x[i] = loop->b[k].x[i] - Ax.x[i];
    }
}

/// out = A x, and the chunk's part of x'A x.
static void bodies_product(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    double sum = 0.0;
    (void)worker;
    for (int k = begin; k < end; ++k) {
        motion Ax = pulled(loop->e, loop->x, k);
        for (int i = 0; i < 6; ++i) sum += (double)(loop->x[k].x[i] * Ax.x[i]);
        loop->out[k] = Ax;
    }
    loop->e->sums[chunk] = sum;
}

static inline void add_block(const motion_block *A, const motion *x, float factor, motion *y)
{
    for (int c = 0; c < 6; ++c)
        for (int i = 0; i < LINE; ++i) y->x[i] += A->column[c].x[i] * (factor * x->x[c]);
}

/// b - A x of a row of boxes.
static inline motion box_residual(const elastic_level *L, const motion *x, const motion *b, int i)
{
    motion r = b[i];
    add_block(&L->diagonal[i], &x[i], -1.0F, &r);
    for (int e = L->start[i]; e < L->start[i + 1]; ++e) add_block(&L->block[e], &x[L->column[e]], -1.0F, &r);
    return r;
}

static void boxes_residual(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    (void)chunk, (void)worker;
    for (int i = begin; i < end; ++i) loop->out[i] = box_residual(&loop->e->level[loop->level], loop->x, loop->b, i);
}

static void residual(elastic *e, int level, const motion *x, const motion *b, motion *r, scree_pool *pool)
{
    elastic_loop loop = {.e = e, .level = level, .x = x, .b = b, .out = r};
    if (level == 0) parallel_for(pool, e->batch_count, BATCH_GRAIN, springs_pull, &loop);
    if (level == 0) parallel_for(pool, e->body_count, ELASTIC_BODY_GRAIN, bodies_residual, &loop);
    else parallel_for(pool, e->level[level].count, ELASTIC_BOX_GRAIN, boxes_residual, &loop);
}

/* ---- a cycle ------------------------------------------------------------------------------------------------------- */

/// x <- x + DAMPING diagonal^-1 r of the bodies; from x = 0 with `from_zero`.
static void smooth_some(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    const elastic_level *L = &loop->e->level[0];
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) {
        motion x = {{0}};
        if (!loop->from_zero) x = L->x[k];
        add_block(&L->inverse[k], &loop->b[k], DAMPING, &x);
        L->x[k] = x;
    }
}

static void smooth(elastic *e, int from_zero, const motion *r, scree_pool *pool)
{
    elastic_loop loop = {.e = e, .from_zero = from_zero, .b = r};
    parallel_for(pool, e->body_count, ELASTIC_BODY_GRAIN, smooth_some, &loop);
}

/// Gauss-Seidel over the boxes of a chunk, forward or back, which see those of other chunks as they were (L->r).
static void sweep_boxes(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    const elastic_level *L = &loop->e->level[loop->level];
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) {
        int i = loop->back ? begin + end - 1 - k : k;
        motion r = L->b[i], x = {{0}};
        for (int e = L->start[i]; e < L->start[i + 1]; ++e) {
            int j = L->column[e];
            add_block(&L->block[e], j >= begin && j < end ? &L->x[j] : &L->r[j], -1.0F, &r);
        }
        add_block(&L->inverse[i], &r, 1.0F, &x);
        L->x[i] = x;
    }
}

static void sweep_level(elastic *e, int level, int back, scree_pool *pool)
{
    elastic_level *L = &e->level[level];
    elastic_loop loop = {.e = e, .level = level, .back = back};
    memcpy(L->r, L->x, (size_t)L->count * sizeof *L->x);
    parallel_for(pool, L->count, ELASTIC_BOX_GRAIN, sweep_boxes, &loop);
}

/// Forces and moments of the parts, about the centre of their box.
static void boxes_restrict(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    const elastic_level *L = &loop->e->level[loop->level], *fine = L - 1;
    (void)chunk, (void)worker;
    for (int I = begin; I < end; ++I) {
        motion sum = {{0}};
        int last = 8 * I + 8 < fine->count ? 8 * I + 8 : fine->count;
        for (int g = 8 * I; g < last; ++g) {
            const float *r = fine->r[g].x;
            float d[3];
            for (int j = 0; j < 3; ++j) d[j] = (float)(fine->centre[g][j] - L->centre[I][j]);
            for (int j = 0; j < 6; ++j) sum.x[j] += r[j];
            sum.x[3] += d[1] * r[2] - d[2] * r[1];
            sum.x[4] += d[2] * r[0] - d[0] * r[2];
            sum.x[5] += d[0] * r[1] - d[1] * r[0];
        }
        L->b[I] = sum;
    }
}

/// x of the parts += OVER x motion of their box.
static void boxes_prolong(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    const elastic_level *L = &loop->e->level[loop->level], *fine = L - 1;
    (void)chunk, (void)worker;
    for (int g = begin; g < end; ++g) {
        const float *v = L->x[g / 8].x, *w = v + 3;
        float d[3], *x = fine->x[g].x;
        for (int j = 0; j < 3; ++j) d[j] = (float)(fine->centre[g][j] - L->centre[g / 8][j]);
        x[0] += OVER * (v[0] + w[1] * d[2] - w[2] * d[1]);
        x[1] += OVER * (v[1] + w[2] * d[0] - w[0] * d[2]);
        x[2] += OVER * (v[2] + w[0] * d[1] - w[1] * d[0]);
        for (int j = 0; j < 3; ++j) x[3 + j] += OVER * w[j];
    }
}

static void coarsen(elastic *e, int level, scree_pool *pool);

/// About A^-1 b of boxes: sweeps before and after each of two visits to the next level, the other way round after it, so that what is
/// done stays symmetric.
static void cycle_boxes(elastic *e, int level, scree_pool *pool)
{
    elastic_level *L = &e->level[level];
    int coarsest = level + 1 == e->level_count, visits = coarsest ? COARSEST_PASSES : 2;
    memset(L->x, 0, (size_t)L->count * sizeof *L->x);
    for (int k = 0; k < visits; ++k) {
        sweep_level(e, level, 0, pool);
        if (!coarsest) {
            residual(e, level, L->x, L->b, L->r, pool);
            coarsen(e, level, pool);
        }
        sweep_level(e, level, 1, pool);
    }
}

/// level.x += OVER x what the boxes of the next level make of level.r.
static void coarsen(elastic *e, int level, scree_pool *pool)
{
    elastic_loop loop = {.e = e, .level = level + 1};
    parallel_for(pool, e->level[level + 1].count, ELASTIC_BOX_GRAIN, boxes_restrict, &loop);
    cycle_boxes(e, level + 1, pool);
    parallel_for(pool, e->level[level].count, ELASTIC_BODY_GRAIN, boxes_prolong, &loop);
}

/// The same of the bodies: level[0].x = about A^-1 level[0].b.
static void cycle(elastic *e, scree_pool *pool)
{
    elastic_level *L = &e->level[0];
    smooth(e, 1, L->b, pool);
    residual(e, 0, L->x, L->b, L->r, pool);
    if (e->level_count > 1) {
        coarsen(e, 0, pool);
        residual(e, 0, L->x, L->b, L->r, pool);
    }
    smooth(e, 0, L->r, pool);
}

/* ---- conjugate gradients ------------------------------------------------------------------------------------------- */

static double add_chunks(const elastic *e)
{
    double sum = 0.0;
    for (int k = 0; k < parallel_chunks(e->body_count, ELASTIC_BODY_GRAIN); ++k) sum += e->sums[k];
    return sum;
}

/// The chunk's part of r'z.
static void bodies_dot(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    double sum = 0.0;
    (void)worker;
    for (int k = begin; k < end; ++k)
        for (int i = 0; i < 6; ++i) sum += (double)(loop->x[k].x[i] * loop->b[k].x[i]);
    loop->e->sums[chunk] = sum;
}

/// out = x + factor out; from out = 0 with `from_zero`.
static void bodies_direct(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) {
        motion old = {{0}};
        if (!loop->from_zero) old = loop->out[k];
        for (int i = 0; i < LINE; ++i) loop->out[k].x[i] = loop->x[k].x[i] + loop->factor * old.x[i];
    }
}

/// out += factor x, out2 -= factor b; from out = 0 with `from_zero`.
static void bodies_advance(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) {
        motion old = {{0}};
        if (!loop->from_zero) old = loop->out[k];
        for (int i = 0; i < LINE; ++i) {
            loop->out[k].x[i] = old.x[i] + loop->factor * loop->x[k].x[i];
            loop->out2[k].x[i] -= loop->factor * loop->b[k].x[i];
        }
    }
}

/// answer = about A^-1 level[0].b, which becomes what is left of it.
static void conjugate_gradients(elastic *e, scree_pool *pool)
{
    elastic_level *L = &e->level[0];
    double before = 1.0;
    for (int step = 0; step < STEPS; ++step) {
        int first = step == 0;
        elastic_loop dot = {.e = e, .x = L->b, .b = L->x};
        elastic_loop direct = {.e = e, .from_zero = first, .x = L->x, .out = e->search};
        elastic_loop product = {.e = e, .x = e->search, .out = e->product};
        elastic_loop advance = {
            .e = e, .from_zero = first, .x = e->search, .b = e->product, .out = e->answer, .out2 = L->b};
        cycle(e, pool);
        parallel_for(pool, e->body_count, ELASTIC_BODY_GRAIN, bodies_dot, &dot);
        double now = add_chunks(e);
        direct.factor = first ? 0.0F : (float)(now / before), before = now;
        parallel_for(pool, e->body_count, ELASTIC_BODY_GRAIN, bodies_direct, &direct);
        parallel_for(pool, e->batch_count, BATCH_GRAIN, springs_pull, &product);
        parallel_for(pool, e->body_count, ELASTIC_BODY_GRAIN, bodies_product, &product);
        double curvature = add_chunks(e);
        int ended = !(now > 0.0 && curvature > 0.0); /* nothing is left */
        if (ended && !first) return;
        advance.factor = ended ? 0.0F : (float)(now / curvature);
        parallel_for(pool, e->body_count, ELASTIC_BODY_GRAIN, bodies_advance, &advance);
        if (ended) return;
    }
}

/* ---- right-hand side ----------------------------------------------------------------------------------------------- */

/// A number's exponent and three bits more: bins of a factor of about 2^(1/8) sort kinetic energies well enough.
static int bin_of(double energy)
{
    uint64_t bits;
    memcpy(&bits, &energy, sizeof bits);
    return energy > 0.0 ? (int)(bits >> 49) : 0; /* NaN is not */
}

/// level[0].b = M v, and the kinetic energies.
static void bodies_impulse(void *context, int begin, int end, int chunk, int worker)
{
    elastic *e = ((elastic_loop *)context)->e;
    (void)chunk, (void)worker;
    for (int b = begin; b < end; ++b) {
        const double *v = e->velocity + 6 * (size_t)b;
        int k = e->place[b];
        const float *m = e->level[0].mass[k];
        float *out = e->level[0].b[k].x;
        for (int i = 0; i < 6; ++i) out[i] = m[i / 3] * (float)v[i];
        e->energy_bin[b] = bin_of((double)m[0] * vec_dot(v, v) + (double)m[1] * vec_dot(v + 3, v + 3));
    }
}

static void bodies_let_go(void *context, int begin, int end, int chunk, int worker)
{
    const elastic_loop *loop = context;
    elastic *e = loop->e;
    (void)chunk, (void)worker;
    for (int b = begin; b < end; ++b)
        if (e->energy_bin[b] >= loop->limit) memset(&e->level[0].b[e->place[b]], 0, sizeof(motion));
}

/// The bin from which on bodies are loose: LOOSE bins above the median, and among the hottest.
static int loose_from(elastic *e)
{
    int median = -1, hot = ELASTIC_ENERGY_BINS, above = 0;
    memset(e->bin_count, 0, ELASTIC_ENERGY_BINS * sizeof *e->bin_count);
    for (int b = 0; b < e->body_count; ++b) e->bin_count[e->energy_bin[b]] += 1;
    for (int i = ELASTIC_ENERGY_BINS - 1; i >= 0 && median < 0; --i) {
        above += e->bin_count[i];
        if (hot == ELASTIC_ENERGY_BINS && HOTTEST * above > e->body_count) hot = i + 1;
        if (2 * above >= e->body_count) median = i;
    }
    return median + LOOSE > hot ? median + LOOSE : hot;
}

static void bodies_answer(void *context, int begin, int end, int chunk, int worker)
{
    elastic *e = ((elastic_loop *)context)->e;
    (void)chunk, (void)worker;
    for (int b = begin; b < end; ++b)
        for (int i = 0; i < 6; ++i) e->velocity[6 * (size_t)b + (size_t)i] = (double)e->answer[e->place[b]].x[i];
}

void elastic_solve(elastic *e, scree_pool *pool)
{
    elastic_loop loop = {.e = e};
    parallel_for(pool, e->body_count, ELASTIC_BODY_GRAIN, bodies_impulse, &loop);
    loop.limit = loose_from(e);
    parallel_for(pool, e->body_count, ELASTIC_BODY_GRAIN, bodies_let_go, &loop);
    conjugate_gradients(e, pool);
    parallel_for(pool, e->body_count, ELASTIC_BODY_GRAIN, bodies_answer, &loop);
}
