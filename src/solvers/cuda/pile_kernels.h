/* pile_kernels.h: kernels of sweeps over contacts of spheres (pile_device.h). */
#ifndef SCREE_SOLVERS_CUDA_PILE_KERNELS_H
#define SCREE_SOLVERS_CUDA_PILE_KERNELS_H

#define GPU_BLOCK   128
#define LANES_WIDTH 1
#include "device/device_memory.h"
#include "solvers/cuda/pile_device.h"
#include "solvers/spheres/spheres_contact.h"

/* ---- colours ------------------------------------------------------------------------------------------------------------------------- */

/* Every contact without a colour bids for its bodies; one that has the highest bid at both gets the lowest colour that both have free. A bid is a
 * hash of the contact's number; contacts with what does not move bid more than others. */

enum { PILE_WORDS = PILE_COLOURS / 64 };

typedef struct pile_colours {
    int bodies, contacts;
    const int *a, *b;
    int *colour;    /* (contacts) PILE_OPEN: none yet            */
    uint64_t *most; /* (bodies) highest bid of a round           */
    uint64_t *used; /* (PILE_WORDS x bodies) a bit per colour    */
    int32_t *left;  /* contacts without a colour                 */
} pile_colours;

enum { PILE_NONE = -1, PILE_OPEN = -2 };

SCREE_HD uint64_t pile_bid(const pile_colours *k, int64_t c)
{
    uint32_t x = (uint32_t)c * 2654435769u; /* a mix of bits that loses none */
    x ^= x >> 16, x *= 2246822519u, x ^= x >> 13, x *= 3266489917u, x ^= x >> 16;
    const uint64_t first = k->a[c] < 0 || k->b[c] < 0;
    return first << 63 | (uint64_t)(x >> 1) << 32 | (uint64_t)(c + 1);
}

KERNEL(pile_colours_begin, pile_colours k)
{
    EACH(i, k.contacts > k.bodies ? k.contacts : k.bodies)
    {
        if (i < k.contacts) k.colour[i] = PILE_OPEN;
        if (i >= k.bodies) continue;
        for (int w = 0; w < PILE_WORDS; ++w) k.used[PILE_WORDS * i + w] = 0;
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
        const uint64_t bid = pile_bid(&k, c);
        const int a = k.a[c], b = k.b[c];
        if ((a >= 0 && k.most[a] != bid) || (b >= 0 && k.most[b] != bid)) {
            gpu_count(k.left, 1);
            continue;
        }
        const int colour = pile_lowest_free(&k, c); /* there is one: it has bid */
        k.colour[c] = colour;
        if (a >= 0) k.used[PILE_WORDS * (int64_t)a + colour / 64] |= UINT64_C(1) << colour % 64;
        if (b >= 0) k.used[PILE_WORDS * (int64_t)b + colour / 64] |= UINT64_C(1) << colour % 64;
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
    const double beta = momentum_weight(k.momentum);
    double *x = (double *)k.body, *old = (double *)k.old;
    EACH(i, (int64_t)k.bodies * (int64_t)(sizeof(sphere_body) / sizeof(double)))
    {
        const double now = x[i];
        x[i] = now + beta * (now - old[i]);
        old[i] = now;
    }
}

/// A colour whose contacts all have c = 0, and one where some have not: the first has fewer registers.
#define PILE_SOLVE(name, coupled_of)                                                                                   \
    KERNEL(name, pile_view k, pile_colour colour)                                                                      \
    {                                                                                                                  \
        SHARED double change[GPU_THREADS], of_32[GPU_THREADS / 32];                                                    \
        const double beta = momentum_weight(k.momentum);                                                               \
        THREADS(t)                                                                                                     \
        {                                                                                                              \
            const int64_t i = BLOCK * GPU_THREADS + t, batch = colour.first + i / LANES;                               \
            change[t] = 0.0;                                                                                           \
            if (batch >= colour.end) continue;                                                                         \
            const batch_part part = pile_part(&k, batch, (int)(i % LANES));                                            \
            change[t] = solve_part(&part, k.law, coupled_of, beta, k.body, k.bodies, &k.now[batch], &k.next[batch]);   \
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
KERNEL(pile_end_check, double *sum, int count, double *total)
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
