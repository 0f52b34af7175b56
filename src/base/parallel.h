/* parallel.h: loops over a pool of threads, with the same bits for any number of them.
 *
 * A loop is cut into chunks of `grain` indices, whatever the number of threads: what a chunk computes depends on its bounds only,
 * and sums are formed chunk by chunk and added in their order. The pool spins for a few microseconds before it sleeps. */
#ifndef SCREE_BASE_PARALLEL_H
#define SCREE_BASE_PARALLEL_H

#include <scree/base.h>

/// Work on [begin, end). `chunk` is begin / grain, `worker` is 0 .. threads - 1 (for scratch memory of its own).
typedef void parallel_fn(void *context, int begin, int end, int chunk, int worker);

/// Runs f over 0 .. count - 1 in chunks of `grain`, returns when all are done. pool NULL: in this thread, chunk after chunk.
void parallel_for(scree_pool *pool, int count, int grain, parallel_fn *f, void *context);

/// Number of chunks of such a loop.
static inline int parallel_chunks(int count, int grain)
{
    return (count + grain - 1) / grain;
}

/// For tests: from now on (1) no thread helps another with its run of chunks, so that all take part in every loop of as many chunks, and
/// what a race would spoil is spoilt on a busy machine too.
void parallel_deal(scree_pool *pool, int only_own);
/// Threads that have worked on a chunk of a loop that was shared: those of the pool, or fewer. 0: no loop had more than one chunk.
int parallel_workers(const scree_pool *pool);

/// Where the run of chunks begins that a thread works on first, one after the other; that of thread `threads` is the end of the last.
static inline int parallel_run_begin(int chunks, int threads, int worker)
{
    return (int)((int64_t)chunks * worker / threads);
}

#endif
