/* measure_cell.c: a periodic cell as a sample of a material (measures.h): volume fraction, coordination number, mean stress.
 *
 *     stress_i = (1/V) sum over contacts F_i r_i,      F: on B, r: from the centre of A to that of B      (Love and Weber; pressing: above 0)
 *     stress_ij = the same with the mean of F_i r_j and F_j r_i
 *     pressure = (stress_x + stress_y + stress_z)/3
 *     coordination = 2 C/N: contact forces C among the bodies N that carry something. Bodies with fewer than `least` forces are rattlers;
 *                    they are left out with their contacts, then those that are rattlers without them, and so on.
 * Motion of the bodies against the mean is left out of the stress. */
#include "run/measures.h"

#include "base/memory.h"
#include "collision/collide.h"
#include "world/world_private.h"

#include <string.h>

enum { FRACTION, COORDINATION, RATTLERS, PRESSURE, STRESS, SHEAR = STRESS + 3 };

static int is_pair(const scree_frame *f, const scree_contact_point *c)
{
    return c->impulse[0] > 0.0 && f->kind[c->body_a] == SCREE_BODY_DYNAMIC && f->kind[c->body_b] == SCREE_BODY_DYNAMIC;
}

/// Contact forces of each body, -1 for rattlers; returns how many bodies are left, *forces among them.
static int leave_out_rattlers(const scree_frame *f, int least, int *degree, int *forces)
{
    int left = 0, again = 1;
    for (int b = 0; b < f->body_count; ++b)
        degree[b] = f->kind[b] == SCREE_BODY_DYNAMIC ? 0 : -1, left += degree[b] == 0;
    while (again) {
        again = *forces = 0;
        for (int b = 0; b < f->body_count; ++b) degree[b] = degree[b] < 0 ? -1 : 0;
        for (int k = 0; k < f->contact_count; ++k) {
            const scree_contact_point *c = &f->contact[k];
            if (!is_pair(f, c) || degree[c->body_a] < 0 || degree[c->body_b] < 0) continue;
            degree[c->body_a] += 1, degree[c->body_b] += 1, *forces += 1;
        }
        for (int b = 0; b < f->body_count; ++b)
            if (degree[b] >= 0 && degree[b] < least) degree[b] = -1, left -= 1, again = 1;
    }
    return left;
}

static scree_status take(measure *m, const measure_view *now)
{
    const scree_frame *f = &now->frame;
    const scree_world_options *o = &now->world->options;
    double volume = 1.0, solid = 0.0, force[3], moment[3], *stress = m->value + STRESS;
    int *degree = memory_array(now->allocator, (size_t)f->body_count + 1, sizeof *degree), forces = 0, bodies = 0;
    if (!degree) return SCREE_ERR_MEMORY;
    for (int i = 0; i < 3; ++i) volume *= o->high[i] - o->low[i], stress[i] = stress[3 + i] = 0.0;
    for (int s = 0; s < f->shape_count; ++s)
        if (f->kind[f->shape_body[s]] == SCREE_BODY_DYNAMIC) solid += shape_volume(&f->shape[s]);
    for (int b = 0; b < f->body_count; ++b) bodies += f->kind[b] == SCREE_BODY_DYNAMIC;
    for (int k = 0; k < f->contact_count; ++k) {
        const scree_contact_point *c = &f->contact[k];
        double r[3];
        if (!is_pair(f, c)) continue;
        scree_frame_contact_force(f, k, force, moment);
        vec_sub(f->position + 3 * (size_t)c->body_b, f->position + 3 * (size_t)c->body_a, r);
        nearest_image(o, r);
        for (int i = 0; i < 3; ++i) {
            const int p = i == 2, q = i == 0 ? 1 : 2; /* xy, xz, yz */
            stress[i] += force[i] * r[i] / volume;
            stress[3 + i] += 0.5 * (force[p] * r[q] + force[q] * r[p]) / volume;
        }
    }
    const int left = leave_out_rattlers(f, m->def->cell.least, degree, &forces);
    m->value[FRACTION] = solid / volume;
    m->value[COORDINATION] = left > 0 ? 2.0 * forces / left : 0.0;
    m->value[RATTLERS] = bodies - left;
    m->value[PRESSURE] = (stress[0] + stress[1] + stress[2]) / 3.0;
    memory_free(now->allocator, degree);
    return SCREE_OK;
}

const measure_kind measure_cell = {.offset = offsetof(scene_measure, cell),
                                   .column = {[FRACTION] = {"volume_fraction", ""},
                                              [COORDINATION] = {"coordination", ""},
                                              [RATTLERS] = {"rattlers", ""},
                                              [PRESSURE] = {"pressure", "Pa"},
                                              [STRESS] = {"stress_x", "Pa"},
                                              [STRESS + 1] = {"stress_y", "Pa"},
                                              [STRESS + 2] = {"stress_z", "Pa"},
                                              [SHEAR] = {"stress_xy", "Pa"},
                                              [SHEAR + 1] = {"stress_xz", "Pa"},
                                              [SHEAR + 2] = {"stress_yz", "Pa"}},
                                   .take = take};
