/* dem_check.c: can these materials meet, and is the step short enough, before the first one is taken.
 *
 * What no contact law could mend comes first: joints, what a periodic world cannot have (world/periodic.c). Then, for every pair of
 * materials of which one belongs to a body that moves, what its laws lack; then the limit of dem_limit.c, with the contacts there are. */
#include "dem/dem.h"

#include "base/memory.h"

#include <string.h>

/// Bodies of a material, and the radius of one that moves.
typedef struct material_use {
    int moving, immovable;
    double radius;
} material_use;

static void uses_note(const scree_world *w, material_use *use)
{
    for (int k = 0; k < w->shape_count; ++k) {
        material_use *u = &use[w->shape_link[k].material];
        int kind = w->kind[w->shape_body[k]];
        if (kind == SCREE_BODY_DYNAMIC) u->moving += 1, u->radius = w->roll_radius[k];
        else if (kind != SCREE_BODY_REMOVED) u->immovable += 1;
    }
}

static scree_status check_pairs(const scree_world *w, const material_use *use, scree_error *error)
{
    for (int a = 0; a < w->material_count; ++a)
        for (int b = a; b < w->material_count; ++b) {
            const material_use *one = &use[a], *other = &use[b];
            int alone = a == b && one->moving + one->immovable < 2; /* it does not meet itself */
            if (world_pair(w, a, b)->passing) continue;
            if (alone || one->moving + other->moving == 0 || one->moving + one->immovable == 0 ||
                other->moving + other->immovable == 0)
                continue;
            scree_contact_point touch;
            dem_law law;
            contact_law(w, a, b, one->moving ? one->radius : SCREE_INFINITY,
                        other->moving ? other->radius : SCREE_INFINITY, &touch);
            dem_need need = dem_law_of(world_pair(w, a, b), touch.cone.coef, touch.coef_static, &law);
            if (!need) continue;
            dem_say_need(w, a, b, need, error);
            return SCREE_ERR_INPUT;
        }
    return SCREE_OK;
}

scree_status dem_possible(const scree_world *w, scree_error *error)
{
    if (w->joint_count > 0) {
        scree_error_set(error, NULL, 0, 0, "the scheme dem does not take joints; use anitescu_tasora or moreau_jean");
        return SCREE_ERR_UNSUPPORTED;
    }
    return periodic_possible(w, error);
}

scree_status dem_check(const scree_stepper *stepper, const scree_world *w, double *critical, scree_error *error)
{
    const scree_stepper_options *o = &stepper->options;
    contact_set found = {.count = 0};
    dem_limit_view view = {.world = w, .contacts = &found, .memory = stepper->allocator};
    dem_limit limit = {.step = SCREE_INFINITY};
    int refused = 0;
    material_use *use = memory_array(&stepper->allocator, (size_t)w->material_count + 1, sizeof *use);
    scree_status status = use ? SCREE_OK : SCREE_ERR_MEMORY;
    if (!status) {
        uses_note(w, use);
        status = check_pairs(w, use, error);
    }
    if (!status) status = world_contacts_look(w, o->step, &found);
    if (!status) status = dem_limit_find(&view, o->step, 1, &limit, &refused);
    if (status == SCREE_ERR_MEMORY) scree_error_set(error, NULL, 0, 0, "out of memory before a step of soft contacts");
    memory_free(&w->allocator, found.touch);
    memory_free(&stepper->allocator, use);
    *critical = limit.step;
    return status || !refused || o->force_step ? status : dem_limit_refuse(w, &limit, o->step, w->time, error);
}
