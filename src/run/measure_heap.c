/* measure_heap.c: the heap of a scene's spheres (measures.h), by the list of values that `scree heap` and sweeps have too. How each is
 * measured: heap.c. */
#include "run/measures.h"

static scree_status take(measure *m, const measure_view *now)
{
    scree_heap_options options = scree_heap_options_default();
    options.floor = m->def->heap.floor, options.reach = m->def->heap.reach;
    scree_error error = {0};
    scree_heap heap = scree_heap_of_world(&options, now->world, now->allocator, &error);
    if (error.status != SCREE_OK) return error.status;
    int k = 0;
#define VALUE(name, unit, text) m->value[k++] = (double)heap.name;
    SCREE_HEAP_VALUES(VALUE)
#undef VALUE
    return SCREE_OK;
}

#define COLUMN(name, unit, text) {#name, unit},
const measure_kind measure_heap = {
    .offset = offsetof(scene_measure, heap), .column = {SCREE_HEAP_VALUES(COLUMN)}, .take = take};
#undef COLUMN
