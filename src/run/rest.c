/* rest.c: has everything in a world come to rest? For runs that stop then (`stop: at rest`).
 *
 * A dynamic body rests if it moves slower than a speed, |v| + |w| r with r the radius about its origin that holds it, and something holds it:
 * a contact with a normal force, or a joint. The second condition is for a ball at the top of its flight, which has no speed there. It
 * looks at one moment only, so a run that is resumed stops where the same run would have stopped. */
#include "run/run_parts.h"

#include "base/memory.h"
#include "collision/collide.h"
#include "world/world_private.h"

scree_status run_rests(const scree_world *w, double speed, const scree_allocator *allocator, int *rests)
{
    int bodies = scree_world_body_count(w), shapes = scree_world_shape_count(w);
    const double *v = scree_world_velocities(w), *spin = scree_world_angular_velocities(w);
    const scree_contact_point *c = scree_world_contacts(w);
    double *radius = memory_array(allocator, (size_t)bodies + 1, sizeof *radius);
    char *held = memory_array(allocator, (size_t)bodies + 1, sizeof *held);
    scree_status status = radius && held ? SCREE_OK : SCREE_ERR_MEMORY;
    *rests = 0;
    if (status == SCREE_OK) {
        for (int s = 0; s < shapes; ++s) {
            const scree_shape *shape = scree_world_shape(w, scree_shape_at(s));
            int b = scree_body_index(scree_world_shape_body(w, scree_shape_at(s)));
            double reach = shape_radius(shape) + vec_norm(shape->position);
            if (reach > radius[b]) radius[b] = reach;
        }
        for (int k = 0; k < scree_world_contact_count(w); ++k)
            if (c[k].impulse[0] > 0.0) held[c[k].body_a] = held[c[k].body_b] = 1;
        for (int k = 0; k < 2 * w->joint_count; ++k) {
            int b = joint_body(&w->joint[k / 2].def, k % 2);
            if (b >= 0) held[b] = 1;
        }
        *rests = 1;
        for (int b = 0; b < bodies && *rests; ++b)
            if (scree_world_body_kind(w, scree_body_at(b)) == SCREE_BODY_DYNAMIC)
                *rests = held[b] && vec_norm(v + 3 * (size_t)b) + radius[b] * vec_norm(spin + 3 * (size_t)b) <= speed;
    }
    MEMORY_FREE_ALL(allocator, radius, held);
    return status;
}
