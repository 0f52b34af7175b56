/* shared_loops.h: several threads for worlds of few bodies. A loop of a step is cut into chunks of hundreds of bodies or contacts: a test
 * with thirty has one chunk, no second thread gets any work, and "threads change no bit" says nothing. Here chunks are of four, every
 * thread works on its own part of each loop, and that it did is looked at. */
#ifndef SCREE_TESTS_SHARED_LOOPS_H
#define SCREE_TESTS_SHARED_LOOPS_H

#include "base/parallel.h"
#include "step/stepper_private.h"
#include "stepper_scene.h"

/// Before the first step, with one thread too: where sums are cut is part of their bits.
static inline void share_loops(scree_world *world, scree_stepper *stepper)
{
    world->grain_most = 4;
    parallel_deal(stepper->pool, 1);
}

/// After the last: each of so many threads had a chunk.
static inline void expect_shared_loops(const scree_stepper *stepper, int threads)
{
    if (threads > 1 && scree_pool_threads(stepper->pool) == 1) {
        print_message("no second thread: a build without them\n");
        return;
    }
    assert_int_equal(parallel_workers(stepper->pool), threads > 1 ? threads : 0);
}

#endif
