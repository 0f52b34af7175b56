/* many.c: many small worlds at once, a thread for each: where a world is too small to be shared among threads, worlds are.
 *
 * Worlds and steppers are independent, so the bits of each are those of stepping it alone. */
#include "base/parallel.h"
#include "step/stepper_private.h"

typedef struct many {
    scree_stepper *const *stepper;
    scree_world *const *world;
    int64_t steps;
    scree_error *error;
} many;

static void advance_some(void *context, int begin, int end, int chunk, int worker)
{
    const many *m = context;
    (void)chunk, (void)worker;
    for (int k = begin; k < end; ++k) {
        m->error[k] = (scree_error){0};
        m->error[k].status = scree_advance(m->stepper[k], m->world[k], m->steps, NULL, &m->error[k]);
    }
}

int scree_advance_many(scree_stepper *const *steppers, scree_world *const *worlds, int count, int64_t steps,
                       scree_pool *pool, scree_error *errors)
{
    many m = {steppers, worlds, steps, errors};
    int failed = 0;
    parallel_for(pool, count, 1, advance_some, &m);
    for (int k = 0; k < count; ++k) failed += errors[k].status != SCREE_OK;
    return failed;
}
