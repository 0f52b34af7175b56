/* contacts.c: memory of the contacts, and the forces they exert.
 *
 * An impulse is stored in the frame of its contact, on B:  f = (r_N n + r_T1 t1 + r_T2 t2) / h,  m = (m_R1 t1 + m_R2 t2 + m_S n) / h. */
#include "base/memory.h"
#include "math/vec.h"
#include "world/world_private.h"

#include <limits.h>
#include <string.h>

scree_status contacts_reserve(scree_world *world, contact_set *set, int count)
{
    if (count <= set->capacity) return SCREE_OK;
    /* an eighth more than asked for: contacts come and go by a few per step */
    int capacity = count > INT_MAX / 9 * 8 ? INT_MAX : count + count / 8;
    if (set->count == 0) { /* nothing to keep: never both arrays at once */
        MEMORY_FREE_ALL(&world->allocator, set->touch, set->memory);
        *set = (contact_set){.count = 0};
    }
    if (world->history) {
        void *memory = world_grow(&world->allocator, set->memory, set->count, capacity, sizeof *set->memory);
        if (!memory) return SCREE_ERR_MEMORY;
        set->memory = memory;
    }
    void *grown = world_grow(&world->allocator, set->touch, set->count, capacity, sizeof *set->touch);
    if (!grown) return SCREE_ERR_MEMORY;
    set->touch = grown, set->capacity = capacity;
    return SCREE_OK;
}

scree_status contacts_remember(scree_world *world)
{
    contact_set *set[2] = {&world->contacts, &world->previous};
    if (world->history) return SCREE_OK;
    for (int k = 0; k < 2; ++k) {
        if (set[k]->memory || set[k]->capacity == 0) continue;
        set[k]->memory = memory_array(&world->allocator, (size_t)set[k]->capacity, sizeof *set[k]->memory);
        if (!set[k]->memory) return SCREE_ERR_MEMORY;
    }
    world->history = 1;
    return SCREE_OK;
}

void touch_impulse(const scree_contact_point *touch, double force[3], double moment[3])
{
    double t2[3];
    vec_cross(touch->normal, touch->tangent, t2);
    for (int k = 0; k < 3; ++k) {
        force[k] =
            touch->impulse[0] * touch->normal[k] + touch->impulse[1] * touch->tangent[k] + touch->impulse[2] * t2[k];
        moment[k] =
            touch->impulse[3] * touch->tangent[k] + touch->impulse[4] * t2[k] + touch->impulse[5] * touch->normal[k];
    }
}

void contact_force_over(const scree_world *world, int body, double h, double force[3], double moment[3])
{
    (void)world_sync(world, PART_ALL);
    memset(force, 0, sizeof(vec3)), memset(moment, 0, sizeof(vec3));
    for (int i = 0; i < world->contacts.count; ++i) {
        const scree_contact_point *c = &world->contacts.touch[i];
        if (c->body_a != body && c->body_b != body) continue;
        double f[3], m[3], arm[3], turn[3], t2[3], sign = c->body_b == body ? 1.0 / h : -1.0 / h;
        touch_impulse(c, f, m);
        vec_cross(c->normal, c->tangent, t2);
        for (int k = 0; k < 3 && c->body_b != body; ++k)
            m[k] = c->impulse[5] * c->normal[k] - c->roll_a[0] * c->tangent[k] - c->roll_a[1] * t2[k];
        vec_sub(c->position, world->x[body], arm);
        nearest_image(&world->options, arm);
        vec_cross(arm, f, turn);
        for (int k = 0; k < 3; ++k) force[k] += sign * f[k], moment[k] += sign * (turn[k] + m[k]);
    }
}

void scree_world_contact_force(const scree_world *world, scree_body_id body, double force[3], double moment[3])
{
    const double none = 1.0; /* before the first step all impulses are 0 */
    contact_force_over(world, world_body(world, body), world->impulse_time > 0.0 ? world->impulse_time : none, force,
                       moment);
}

void scree_world_contact_point_force(const scree_world *world, int contact, double force[3], double moment[3])
{
    (void)world_sync(world, PART_CONTACTS);
    SCREE_ASSERT(contact >= 0 && contact < world->contacts.count);
    const double rate = world->impulse_time > 0.0 ? 1.0 / world->impulse_time : 0.0;
    touch_impulse(&world->contacts.touch[contact], force, moment);
    for (int k = 0; k < 3; ++k) force[k] *= rate, moment[k] *= rate;
}
