/* pile_main.h: the functions of the table (pile_device.h), over the kernels. Included by pile_device.cu and pile_twin.c. */
#ifndef SCREE_SOLVERS_CUDA_PILE_MAIN_H
#define SCREE_SOLVERS_CUDA_PILE_MAIN_H

#include "solvers/cuda/pile_kernels.h"

enum { PILE_NOW, PILE_NEXT, PILE_KEPT, PILE_LOADS };

struct pile_device {
    gpu_base base;
    gpu_array batch, special, loads[PILE_LOADS], body, old, free, sum, momentum, total;
    gpu_array a, b, colour_of, most, used, left; /* of colours */
    pile_view view;
    pile_colour *colour; /* (colours) on the processor */
    unsigned char *coupled;
    int colours, room, batches, blocks; /* blocks: of a sweep */
#if defined(__CUDACC__)
    cudaGraphExec_t graph[2]; /* two sweeps, from the loads in either of the first two arrays */
#endif
};

static size_t pile_times(int count, size_t size)
{
    return (size_t)count * size;
}

/* ---- colours ------------------------------------------------------------------------------------------------------------------------- */

static scree_status pile_colour_all(pile_device *d, int bodies, int contacts, const int *a, const int *b, int *colour)
{
    gpu_base *base = &d->base;
    int32_t left = contacts;
    gpu_fill(base, &d->a, a, pile_times(contacts, sizeof *a)),
        gpu_fill(base, &d->b, b, pile_times(contacts, sizeof *b));
    gpu_room(base, &d->colour_of, pile_times(contacts + 1, sizeof *colour));
    gpu_room(base, &d->most, pile_times(bodies + 1, sizeof(uint64_t)));
    gpu_room(base, &d->used, pile_times(bodies + 1, PILE_WORDS * sizeof(uint64_t)));
    gpu_room(base, &d->left, sizeof left);
    pile_colours k;
    k.bodies = bodies, k.contacts = contacts, k.a = (const int *)d->a.at, k.b = (const int *)d->b.at;
    k.colour = (int *)d->colour_of.at, k.most = (uint64_t *)d->most.at, k.used = (uint64_t *)d->used.at;
    k.left = (int32_t *)d->left.at;
    LAUNCH(base, pile_colours_begin, gpu_blocks(contacts > bodies ? contacts : bodies), k);
    while (left > 0 && base->status == SCREE_OK) {
        LAUNCH(base, pile_colours_round, gpu_blocks(bodies), k);
        LAUNCH(base, pile_colours_bid, gpu_blocks(contacts), k);
        LAUNCH(base, pile_colours_win, gpu_blocks(contacts), k);
        gpu_copy(base, &left, k.left, sizeof left);
    }
    gpu_copy(base, colour, k.colour, pile_times(contacts, sizeof *colour));
    return base->status;
}

/* ---- sweeps -------------------------------------------------------------------------------------------------------------------------- */

/// What was recorded of other piles.
static void pile_forget(pile_device *d)
{
#if defined(__CUDACC__)
    for (int k = 0; k < 2; ++k) {
        if (d->graph[k]) (void)cudaGraphExecDestroy(d->graph[k]);
        d->graph[k] = NULL;
    }
#else
    (void)d;
#endif
}

static void pile_sweep(pile_device *d)
{
    gpu_base *base = &d->base;
    pile_view *k = &d->view;
    LAUNCH(base, pile_extrapolate, gpu_blocks((int64_t)k->bodies * (int64_t)(sizeof(sphere_body) / sizeof(double))),
           *k);
    for (int c = 0; c < d->colours; ++c) {
        const int64_t blocks = pile_blocks(d->colour[c].end - d->colour[c].first);
        if (d->coupled[c]) LAUNCH(base, pile_solve_coupled, blocks, *k, d->colour[c]);
        else LAUNCH(base, pile_solve_single, blocks, *k, d->colour[c]);
    }
    LAUNCH(base, pile_end_sweep, 1, *k, d->blocks);
    sphere_loads *before = k->now;
    k->now = k->next, k->next = before;
}

#if defined(__CUDACC__)
/// Launching a kernel takes the processor as long as a small one takes the device: two sweeps are recorded, and launched as one.
static void pile_record(pile_device *d, cudaGraphExec_t *graph)
{
    gpu_base *base = &d->base;
    cudaGraph_t recorded = NULL;
    gpu_checked(base, cudaStreamBeginCapture(base->stream, cudaStreamCaptureModeThreadLocal), "graph");
    if (base->status != SCREE_OK) return;
    pile_sweep(d), pile_sweep(d);
    gpu_checked(base, cudaStreamEndCapture(base->stream, &recorded), "graph");
    if (base->status == SCREE_OK) gpu_checked(base, cudaGraphInstantiate(graph, recorded, 0), "graph");
    if (recorded) (void)cudaGraphDestroy(recorded);
}

static void pile_sweep_twice(pile_device *d)
{
    gpu_base *base = &d->base;
    cudaGraphExec_t *graph = &d->graph[d->view.now == (sphere_loads *)d->loads[PILE_NEXT].at];
    if (!*graph) pile_record(d, graph);
    if (gpu_due(base, "sweeps")) gpu_checked(base, cudaGraphLaunch(*graph, base->stream), "sweeps");
}
#else
static void pile_sweep_twice(pile_device *d)
{
    pile_sweep(d), pile_sweep(d);
}
#endif

static scree_status pile_sweeps(pile_device *d, int count, sweep_momentum *momentum)
{
    gpu_base *base = &d->base;
    gpu_copy(base, d->view.momentum, momentum, sizeof *momentum);
    for (int k = 0; k < count / 2 && base->status == SCREE_OK; ++k) pile_sweep_twice(d);
    if (count % 2) pile_sweep(d);
    gpu_copy(base, momentum, d->view.momentum, sizeof *momentum);
    return base->status;
}

static scree_status pile_sums(pile_device *d, double total[PILE_SUMS])
{
    gpu_base *base = &d->base;
    const int64_t blocks = pile_blocks(d->batches);
    LAUNCH(base, pile_check, blocks, d->view, d->batches);
    LAUNCH(base, pile_end_check, 1, d->view.sum, (int)blocks, (double *)d->total.at);
    gpu_copy(base, total, d->total.at, PILE_SUMS * sizeof *total);
    return base->status;
}

/* ---- in and out ---------------------------------------------------------------------------------------------------------------------- */

static size_t pile_loads_size(const pile_device *d)
{
    return pile_times(d->batches, sizeof(sphere_loads));
}

static scree_status pile_renew(pile_device *d)
{
    gpu_base *base = &d->base;
    pile_view *k = &d->view;
    const size_t bodies = pile_times(k->bodies + 2, sizeof(sphere_body));
    gpu_copy(base, k->body, d->free.at, bodies);
    for (int c = 0; c < d->colours; ++c)
        LAUNCH(base, pile_push, pile_blocks(d->colour[c].end - d->colour[c].first), *k, d->colour[c]);
    gpu_copy(base, k->old, k->body, bodies);
    gpu_copy(base, k->next, k->now, pile_loads_size(d));
    return base->status;
}

/// Which batches are of one colour, and have contacts with c != 0. 0: no memory for it.
static int pile_set_colours(pile_device *d, const pile_device_pile *pile)
{
    if (pile->colour_count > d->room) {
        free(d->colour), free(d->coupled);
        d->colour = (pile_colour *)malloc(pile_times(pile->colour_count, sizeof *d->colour));
        d->coupled = (unsigned char *)malloc(pile_times(pile->colour_count, sizeof *d->coupled));
        d->room = d->colour && d->coupled ? pile->colour_count : 0;
        if (!d->room) return 0;
    }
    d->colours = pile->colour_count, d->blocks = 0;
    for (int c = 0; c < d->colours; ++c) {
        pile_colour *k = &d->colour[c];
        k->first = pile->colour_start[c], k->end = pile->colour_start[c + 1], k->sums = d->blocks;
        d->blocks += (int)pile_blocks(k->end - k->first);
        d->coupled[c] = 0;
        for (int b = k->first; b < k->end; ++b) d->coupled[c] |= (unsigned char)(pile->batch[b].all & SPHERE_COUPLED);
    }
    return 1;
}

static scree_status pile_upload(pile_device *d, const pile_device_pile *pile)
{
    gpu_base *base = &d->base;
    const size_t batches = (size_t)pile->batch_count, bodies = (size_t)pile->body_count + 2;
    pile_forget(d);
    if (!pile_set_colours(d, pile)) gpu_fail(base, SCREE_ERR_MEMORY, "malloc", "out of memory");
    const size_t blocks = (size_t)pile_blocks(pile->batch_count), sums = PILE_SUMS * blocks + (size_t)d->blocks + 1;
    d->batches = pile->batch_count;
    gpu_fill(base, &d->batch, pile->batch, batches * sizeof *pile->batch);
    if (pile->special) gpu_fill(base, &d->special, pile->special, batches * sizeof *pile->special);
    gpu_fill(base, &d->loads[PILE_NOW], pile->loads, batches * sizeof *pile->loads);
    for (int k = PILE_NEXT; k < PILE_LOADS; ++k) gpu_room(base, &d->loads[k], batches * sizeof *pile->loads + 1);
    gpu_fill(base, &d->free, pile->body, bodies * sizeof *pile->body);
    gpu_room(base, &d->body, bodies * sizeof *pile->body), gpu_room(base, &d->old, bodies * sizeof *pile->body);
    gpu_room(base, &d->sum, sums * sizeof(double)), gpu_room(base, &d->momentum, sizeof(sweep_momentum));
    gpu_room(base, &d->total, PILE_SUMS * sizeof(double));
    pile_view *k = &d->view;
    k->bodies = pile->body_count, k->law = pile->law, k->batch = (const sphere_batch *)d->batch.at;
    k->special = pile->special ? (const sphere_special *)d->special.at : NULL;
    k->now = (sphere_loads *)d->loads[PILE_NOW].at, k->next = (sphere_loads *)d->loads[PILE_NEXT].at;
    k->body = (sphere_body *)d->body.at, k->old = (sphere_body *)d->old.at, k->sum = (double *)d->sum.at;
    k->momentum = (sweep_momentum *)d->momentum.at;
    return pile_renew(d);
}

static scree_status pile_keep(pile_device *d)
{
    gpu_copy(&d->base, d->loads[PILE_KEPT].at, d->view.now, pile_loads_size(d));
    return d->base.status;
}

static scree_status pile_loads(pile_device *d, int kept, sphere_loads *out)
{
    gpu_copy(&d->base, out, kept ? (const sphere_loads *)d->loads[PILE_KEPT].at : d->view.now, pile_loads_size(d));
    return d->base.status;
}

static const char *pile_message(const pile_device *d)
{
    return d->base.text;
}

static size_t pile_bytes(const pile_device *d)
{
    return d->base.most_bytes;
}

static void pile_fail_at(pile_device *d, int64_t call)
{
    d->base.fail_at = call > 0 ? d->base.calls + call : 0;
}

static scree_status pile_make(pile_device **out, char text[DEVICE_TEXT])
{
    *out = (pile_device *)calloc(1, sizeof **out);
    if (!*out) snprintf(text, DEVICE_TEXT, "out of memory");
    return *out ? SCREE_OK : SCREE_ERR_MEMORY;
}

static void pile_destroy(pile_device *d)
{
    if (!d) return;
    gpu_array *const all[] = {&d->batch, &d->special,   &d->loads[0], &d->loads[1], &d->loads[2], &d->body,
                              &d->old,   &d->free,      &d->sum,      &d->momentum, &d->total,    &d->a,
                              &d->b,     &d->colour_of, &d->most,     &d->used,     &d->left};
    pile_forget(d);
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) gpu_free(&d->base, all[k]);
#if defined(__CUDACC__)
    if (d->base.stream) (void)cudaStreamDestroy(d->base.stream);
#endif
    free(d->colour), free(d->coupled), free(d);
}

#define PILE_TABLE(name, create, destroy)                                                                              \
    {                                                                                                                  \
        PILE_DEVICE_VERSION,                                                                                           \
            {sizeof(pile_device_pile), sizeof(sphere_batch), sizeof(sphere_special), sizeof(sweep_momentum)}, name,    \
            create, destroy, pile_colour_all, pile_upload, pile_renew, pile_sweeps, pile_sums, pile_keep, pile_loads,  \
            pile_message, pile_bytes, pile_fail_at                                                                     \
    }

#endif
