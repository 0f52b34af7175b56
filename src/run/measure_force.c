/* measure_force.c: what contacts exert on a body (measures.h): the sum over its contact points, or those in a region, of the last step;
 * pressure p = -F.n / A on a face of area A with outward normal n. */
#include "run/measures.h"

#include "math/vec.h"

enum { FORCE_X, FORCE_Y, FORCE_Z, PRESSURE };

/// The pressure is the last column, and only there if the scene gives normal and area.
static int columns(const scene_measure *def)
{
    return def->force.area > 0.0 ? PRESSURE + 1 : PRESSURE;
}

static scree_status take(measure *m, const measure_view *now)
{
    const scene_force *from = &m->def->force;
    const int body =
        scree_body_index(scree_world_find_body(now->world, from->body)); /* a grain may still have to be poured */
    double sum[3] = {0.0, 0.0, 0.0}, force[3], moment[3];
    for (int k = 0; k < now->frame.contact_count && body >= 0; ++k) {
        const scree_contact_point *point = &now->frame.contact[k];
        if (point->body_a != body && point->body_b != body) continue;
        if (!measure_within(&from->within, point->position, -1)) continue;
        scree_frame_contact_force(&now->frame, k, force, moment);
        vec_add_scaled(sum, point->body_b == body ? 1.0 : -1.0, force, sum);
    }
    for (int i = 0; i < 3; ++i) m->value[FORCE_X + i] = sum[i];
    if (from->area > 0.0) m->value[PRESSURE] = (0.0 - vec_dot(sum, from->normal)) / from->area;
    return SCREE_OK;
}

const measure_kind measure_force = {.offset = offsetof(scene_measure, force),
                                    .column = {[FORCE_X] = {"force_x", "N"},
                                               [FORCE_Y] = {"force_y", "N"},
                                               [FORCE_Z] = {"force_z", "N"},
                                               [PRESSURE] = {"pressure", "Pa"}},
                                    .columns = columns,
                                    .take = take};
