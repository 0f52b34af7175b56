/* measure_inside.c: number and mass of the dynamic bodies whose centre is in a region (measures.h). */
#include "run/measures.h"

enum { COUNT, MASS };

static scree_status take(measure *m, const measure_view *now)
{
    m->value[COUNT] = m->value[MASS] = 0.0;
    for (int b = 0; b < now->frame.body_count; ++b) {
        if (now->frame.kind[b] != SCREE_BODY_DYNAMIC) continue;
        if (!measure_within(&m->def->inside, now->frame.position + 3 * (size_t)b, -1)) continue;
        m->value[COUNT] += 1.0;
        m->value[MASS] += scree_world_mass(now->world, scree_body_at(b));
    }
    return SCREE_OK;
}

const measure_kind measure_inside = {.offset = offsetof(scene_measure, inside),
                                     .column = {[COUNT] = {"count", ""}, [MASS] = {"mass", "kg"}},
                                     .take = take};
