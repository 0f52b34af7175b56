/* pile_kernels.h: kernels of sweeps over contacts of spheres (pile_device.h). */
#ifndef SCREE_SOLVERS_CUDA_PILE_KERNELS_H
#define SCREE_SOLVERS_CUDA_PILE_KERNELS_H

#define GPU_BLOCK   128
#define LANES_WIDTH 1
#include "device/device_memory.h"
#include "solvers/cuda/pile_device.h"
#include "solvers/spheres/spheres_contact.h"

/* ---- kernels that begin early ------------------------------------------------------------------------------------------------------- */

/* A sweep is a row of small kernels, each of which needs the one before. They are launched before that one has ended, fetch what belongs to
 * their contacts alone, and wait. A kernel lets its successor begin when its own wait is over: then all kernels but the last one before the
 * successor have ended, and so what they have written may be read before the wait. Cards before Hopper launch them one after the other. */
#if defined(__CUDACC__) && !defined(PILE_NO_EARLY)
#define LAUNCH_EARLY(d, name, blocks, ...)                                                                             \
    do {                                                                                                               \
        if (gpu_due(d, #name) && (blocks) > 0) {                                                                       \
            cudaLaunchAttribute early;                                                                                 \
            cudaLaunchConfig_t how = {};                                                                               \
            early.id = cudaLaunchAttributeProgrammaticStreamSerialization;                                             \
            early.val.programmaticStreamSerializationAllowed = 1;                                                      \
            how.gridDim = dim3((unsigned)(blocks)), how.blockDim = dim3(GPU_THREADS), how.stream = (d)->stream;        \
            how.attrs = &early, how.numAttrs = pile_has_early() ? 1 : 0;                                               \
            gpu_checked(d, cudaLaunchKernelEx(&how, name, __VA_ARGS__), #name);                                        \
        }                                                                                                              \
    } while (0)

static int pile_has_early(void)
{
    int device = 0, major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess && major >= 9;
}
#else
#define LAUNCH_EARLY LAUNCH
#endif

DEVICE_INLINE void pile_wait(void)
{
#if defined(__CUDA_ARCH__) && !defined(PILE_NO_EARLY) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* ---- colours ------------------------------------------------------------------------------------------------------------------------- */

/* Every contact without a colour bids for its bodies; one that has the highest bid at both gets the lowest colour that both have free. Contacts
 * with what does not move bid more than all others; of the rest those of the body with the most contacts left do (as many colours as the
 * busiest body has contacts, or one more: by a hash alone one or two more); then a hash of the contact's number decides. */

enum { PILE_WORDS = PILE_COLOURS / 64 };

typedef struct pile_colours {
    int bodies, contacts;
    const int *a, *b;
    int *colour;    /* (contacts) PILE_OPEN: none yet            */
    uint64_t *most; /* (bodies) highest bid of a round           */
    uint64_t *used; /* (PILE_WORDS x bodies) a bit per colour    */
    int32_t *open;  /* (bodies) contacts without a colour        */
    int32_t *left;  /* contacts without a colour                 */
} pile_colours;

enum { PILE_NONE = -1, PILE_OPEN = -2 };

/// The number of the contact is in the lower half, so no two bids are the same.
SCREE_HD uint64_t pile_bid(const pile_colours *k, int64_t c)
{
    uint32_t x = (uint32_t)c * 2654435769u; /* a mix of bits that loses none */
    x ^= x >> 16, x *= 2246822519u, x ^= x >> 13, x *= 3266489917u, x ^= x >> 16;
    const int a = k->a[c], b = k->b[c];
    int open = 0;
    if (a >= 0) open = k->open[a];
    if (b >= 0 && k->open[b] > open) open = k->open[b];
    if (open > 127) open = 127;
    return (uint64_t)(a < 0 || b < 0) << 63 | (uint64_t)open << 56 | (uint64_t)(x >> 8) << 32 | (uint64_t)(c + 1);
}

KERNEL(pile_colours_begin, pile_colours k)
{
    EACH(i, k.contacts > k.bodies ? k.contacts : k.bodies)
    {
        if (i < k.contacts) k.colour[i] = PILE_OPEN;
        if (i >= k.bodies) continue;
        k.open[i] = 0;
        for (int w = 0; w < PILE_WORDS; ++w) k.used[PILE_WORDS * i + w] = 0;
    }
}

KERNEL(pile_colours_count, pile_colours k)
{
    EACH(c, k.contacts)
    {
        if (k.a[c] >= 0) gpu_count(&k.open[k.a[c]], 1);
        if (k.b[c] >= 0) gpu_count(&k.open[k.b[c]], 1);
    }
}

KERNEL(pile_colours_round, pile_colours k)
{
    EACH(i, k.bodies)
    {
        k.most[i] = 0;
        if (i == 0) *k.left = 0;
    }
}

/// The lowest colour that is free at both bodies of a contact, or PILE_NONE.
SCREE_HD int pile_lowest_free(const pile_colours *k, int64_t c)
{
    const uint64_t *a = k->a[c] >= 0 ? &k->used[PILE_WORDS * (int64_t)k->a[c]] : NULL,
                   *b = k->b[c] >= 0 ? &k->used[PILE_WORDS * (int64_t)k->b[c]] : NULL;
    for (int w = 0; w < PILE_WORDS; ++w) {
        const uint64_t taken = (a ? a[w] : 0) | (b ? b[w] : 0);
        for (int bit = 0; ~taken && bit < 64; ++bit)
            if (!(taken >> bit & 1)) return 64 * w + bit;
    }
    return PILE_NONE;
}

KERNEL(pile_colours_bid, pile_colours k)
{
    EACH(c, k.contacts)
    {
        if (k.colour[c] != PILE_OPEN) continue;
        const uint64_t bid = pile_bid(&k, c);
        if (pile_lowest_free(&k, c) < 0) {
            k.colour[c] = PILE_NONE;
            continue;
        }
        if (k.a[c] >= 0) gpu_raise(&k.most[k.a[c]], bid);
        if (k.b[c] >= 0) gpu_raise(&k.most[k.b[c]], bid);
    }
}

KERNEL(pile_colours_win, pile_colours k)
{
    EACH(c, k.contacts)
    {
        if (k.colour[c] != PILE_OPEN) continue;
        const uint32_t own = (uint32_t)(c + 1);
        const int a = k.a[c], b = k.b[c];
        if ((a >= 0 && (uint32_t)k.most[a] != own) || (b >= 0 && (uint32_t)k.most[b] != own)) {
            gpu_count(k.left, 1);
            continue;
        }
        const int colour = pile_lowest_free(&k, c); /* there is one: it has bid */
        k.colour[c] = colour;
        if (a >= 0) k.open[a] -= 1, k.used[PILE_WORDS * (int64_t)a + colour / 64] |= UINT64_C(1) << colour % 64;
        if (b >= 0) k.open[b] -= 1, k.used[PILE_WORDS * (int64_t)b + colour / 64] |= UINT64_C(1) << colour % 64;
    }
}

/* ---- sweeps -------------------------------------------------------------------------------------------------------------------------- */

typedef struct pile_view {
    int bodies; /* those that move */
    scree_law law;
    const sphere_batch *batch;
    const sphere_special *special; /* or NULL */
    sphere_loads *now, *next;      /* before and after a sweep */
    sphere_body *body, *old;
    double *sum; /* of each block */
    sweep_momentum *momentum;
} pile_view;

/// Batches of one colour, and where the sums of its blocks begin.
typedef struct pile_colour {
    int first, end, sums;
} pile_colour;

enum { PILE_SUMS = 3 };

/// Blocks for the lanes of so many batches.
SCREE_HD int64_t pile_blocks(int batches)
{
    return gpu_blocks((int64_t)LANES * batches);
}

SCREE_HD_INLINE batch_part pile_part(const pile_view *k, int64_t batch, int lane)
{
    const sphere_batch *at = &k->batch[batch];
    const int special = k->special && (at->all & SPHERE_SPECIAL);
    return part_of(at, special ? &k->special[batch] : NULL, lane);
}

/// The sum over a block, in one order, from one number of each thread. Only thread 0 has it.
#define PILE_SUM_OF_BLOCK(x, of_32, out)                                                                               \
    THREADS(t)                                                                                                         \
    {                                                                                                                  \
        const double of_these = gpu_sum_of_32(x, t);                                                                   \
        if (t % 32 == 0) (of_32)[t / 32] = of_these;                                                                   \
    }                                                                                                                  \
    BARRIER;                                                                                                           \
    THREADS(t)                                                                                                         \
    {                                                                                                                  \
        double of_all = 0.0;                                                                                           \
        if (t > 0) continue;                                                                                           \
        for (int w = 0; w < GPU_THREADS / 32; ++w) of_all += (of_32)[w];                                               \
        (out) = of_all;                                                                                                \
    }

/// x <- x + beta (x - old), old <- x, for all numbers of all bodies: masses do not change, and stay.
KERNEL(pile_extrapolate, pile_view k)
{
    double *x = (double *)k.body, *old = (double *)k.old;
    const int64_t count = (int64_t)k.bodies * (int64_t)(sizeof(sphere_body) / sizeof(double));
    THREADS(t)
    {
        const int64_t i = BLOCK * GPU_THREADS + t;
        const double now = i < count ? x[i] : 0.0, before = i < count ? old[i] : 0.0;
        pile_wait();
        if (i >= count) continue;
        x[i] = now + momentum_weight(k.momentum) * (now - before);
        old[i] = now;
    }
}

/// A colour whose contacts all have c = 0, and one where some have not: the first has fewer registers.
#define PILE_SOLVE(name, coupled_of)                                                                                   \
    KERNEL(name, pile_view k, pile_colour colour)                                                                      \
    {                                                                                                                  \
        SHARED double change[GPU_THREADS], of_32[GPU_THREADS / 32];                                                    \
        const double beta = momentum_weight(k.momentum); /* of the kernel before the last one */                       \
        THREADS(t)                                                                                                     \
        {                                                                                                              \
            const int64_t i = BLOCK * GPU_THREADS + t, batch = colour.first + i / LANES;                               \
            const int here = batch < colour.end;                                                                       \
            batch_part part;                                                                                           \
            part_own own;                                                                                              \
            bodies_seen seen;                                                                                          \
            change[t] = 0.0;                                                                                           \
            if (here) {                                                                                                \
                part = pile_part(&k, batch, (int)(i % LANES));                                                         \
                own_of(&part, beta, &k.now[batch], &k.next[batch], &own);                                              \
            }                                                                                                          \
            pile_wait();                                                                                               \
            if (!here) continue;                                                                                       \
            gather(&part, k.body, &seen);                                                                              \
            change[t] = solve_part(&part, k.law, coupled_of, &seen, &own, k.body, k.bodies, &k.next[batch]);           \
        }                                                                                                              \
        PILE_SUM_OF_BLOCK(change, of_32, k.sum[colour.sums + BLOCK])                                                   \
    }

PILE_SOLVE(pile_solve_single, 0)
PILE_SOLVE(pile_solve_coupled, part.batch->all &SPHERE_COUPLED)

/// The sum of what blocks have, in one order, and momentum after it. One block.
KERNEL(pile_end_sweep, pile_view k, int count)
{
    SHARED double part[GPU_THREADS], of_32[GPU_THREADS / 32], total[1];
    THREADS(t)
    {
        double sum = 0.0;
        pile_wait();
        for (int i = t; i < count; i += GPU_THREADS) sum += k.sum[i];
        part[t] = sum;
    }
    PILE_SUM_OF_BLOCK(part, of_32, total[0])
    THREADS(t)
    {
        if (t == 0) momentum_swept(k.momentum, total[0]);
    }
}

/* ---- the rest ------------------------------------------------------------------------------------------------------------------------ */

/// Velocities by the loads of one colour.
KERNEL(pile_push, pile_view k, pile_colour colour)
{
    EACH(i, (int64_t)LANES * (colour.end - colour.first))
    {
        const int64_t batch = colour.first + i / LANES;
        const batch_part part = part_of(&k.batch[batch], NULL, (int)(i % LANES));
        push_part(&part, &k.now[batch], k.body, k.bodies);
    }
}

/// What the residual is made of, block by block.
KERNEL(pile_check, pile_view k, int batches)
{
    SHARED double sums[PILE_SUMS][GPU_THREADS], of_32[PILE_SUMS][GPU_THREADS / 32];
    THREADS(t)
    {
        const int64_t i = BLOCK * GPU_THREADS + t, batch = i / LANES;
        lanes own[PILE_SUMS] = {0.0, 0.0, 0.0};
        const int lane = (int)(i % LANES);
        if (batch < batches && k.batch[batch].contact[lane] >= 0) {
            const batch_part part = pile_part(&k, batch, lane);
            check_part(&part, k.law, k.body, &k.now[batch], own);
        }
        for (int j = 0; j < PILE_SUMS; ++j) sums[j][t] = own[j];
    }
    PILE_SUM_OF_BLOCK(sums[0], of_32[0], k.sum[PILE_SUMS * BLOCK])
    PILE_SUM_OF_BLOCK(sums[1], of_32[1], k.sum[PILE_SUMS * BLOCK + 1])
    PILE_SUM_OF_BLOCK(sums[2], of_32[2], k.sum[PILE_SUMS * BLOCK + 2])
}

/// The sums of all blocks, in one order. One block.
KERNEL(pile_end_check, const double *sum, int count, double *total)
{
    SHARED double part[GPU_THREADS], of_32[GPU_THREADS / 32];
    for (int j = 0; j < PILE_SUMS; ++j) {
        THREADS(t)
        {
            double own = 0.0;
            for (int i = t; i < count; i += GPU_THREADS) own += sum[PILE_SUMS * i + j];
            part[t] = own;
        }
        PILE_SUM_OF_BLOCK(part, of_32, total[j])
        BARRIER;
    }
}

#endif
