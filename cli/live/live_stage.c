/* live_stage.c: what of a world a page draws, and plots (live_message.h). */
#include "cli/draw/strokes.h"
#include "cli/live/live_message.h"
#include "cli/report/page_state.h"
#include "cli/system.h"
#include "cli/vector.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the stage ------------------------------------------------------------------------------------------------------------- */

/// The triangles of one shape; hulls are scaled by their size, hollow walls have their own.
static void pack_mesh(live_message *m, const scree_shape *of, int number)
{
    scree_shape shape = *of;
    char name[24];
    if (shape.geometry) shape.size[0] = 1.0;
    const int points = scree_net_point_count(&shape, HOLLOW_SLICES),
              triangles = scree_net_triangle_count(&shape, HOLLOW_SLICES);
    snprintf(name, sizeof name, "point_%d", number);
    float *x = live_message_array(m, name, "f32", 3 * (size_t)points);
    for (int k = 0; k < points; ++k) {
        double at[3];
        scree_net_point(&shape, HOLLOW_SLICES, k, at);
        for (int i = 0; i < 3; ++i) x[i * points + k] = (float)at[i];
    }
    snprintf(name, sizeof name, "corner_%d", number);
    int32_t *c = live_message_array(m, name, "i32", 3 * (size_t)triangles);
    for (int k = 0; k < triangles; ++k) {
        int corner[3];
        scree_net_triangle(&shape, HOLLOW_SLICES, k, corner);
        for (int i = 0; i < 3; ++i) c[i * triangles + k] = corner[i];
    }
}

/// The number of the triangles of each shape (-1: the page knows its kind); shapes that share a geometry share them. Returns their count.
static int pack_meshes(live_message *m, const scree_frame *f, int32_t *mesh)
{
    int count = 0, *first = cli_memory(((size_t)f->shape_count + 1) * sizeof *first);
    for (int s = 0; s < f->shape_count; ++s) {
        const scree_shape *shape = &f->shape[s];
        mesh[s] = -1;
        if (!shape->geometry && shape->kind != SCREE_SHAPE_TUBE && shape->kind != SCREE_SHAPE_BOWL) continue;
        for (int k = count - 1; k >= 0 && shape->geometry && mesh[s] < 0; --k)
            if (f->shape[first[k]].geometry == shape->geometry) mesh[s] = k;
        if (mesh[s] >= 0) continue;
        first[count] = s, mesh[s] = count++;
        pack_mesh(m, shape, mesh[s]);
    }
    free(first);
    return count;
}

static void pack_shapes(live_message *m, const scree_frame *f, const int32_t *mesh)
{
    const size_t n = (size_t)f->shape_count;
    int32_t *kind = live_message_array(m, "kind", "i32", 4 * n);
    for (size_t s = 0; s < n; ++s) {
        kind[s] = (int32_t)f->shape[s].kind, kind[n + s] = f->shape_body[s];
        kind[2 * n + s] = (int32_t)scree_material_index(f->shape[s].material), kind[3 * n + s] = mesh[s];
    }
    float *pose = live_message_array(m, "shape", "f32", 10 * n);
    for (size_t s = 0; s < n; ++s)
        for (size_t i = 0; i < 10; ++i)
            pose[i * n + s] = (float)(i < 3   ? f->shape[s].size[i]
                                      : i < 6 ? f->shape[s].position[i - 3]
                                              : f->shape[s].rotation[i - 6]);
}

static void pack_strokes(live_message *m, const scree_world *world, scree_frame f)
{
    int count = 0;
    f.joint_count = scree_world_joint_count(world);
    scree_frame_joint *joint = cli_memory(((size_t)f.joint_count + 1) * sizeof *joint);
    for (int k = 0; k < f.joint_count; ++k) joint[k] = scree_frame_joint_of_world(world, k);
    f.joint = joint;
    joint_stroke *stroke = joint_strokes(&f, &count);
    const size_t n = (size_t)count;
    int32_t *body = live_message_array(m, "stroke_body", "i32", 2 * n);
    for (size_t k = 0; k < n; ++k) body[k] = stroke[k].body[0], body[n + k] = stroke[k].body[1];
    float *place = live_message_array(m, "stroke", "f32", 7 * n);
    for (size_t k = 0; k < n; ++k) {
        for (size_t i = 0; i < 6; ++i) place[i * n + k] = (float)stroke[k].end[i / 3][i % 3];
        place[6 * n + k] = (float)stroke[k].radius;
    }
    scree_json_integer(&m->json, "strokes", count);
    free(stroke);
    free(joint);
}

void live_stage_pack(live_message *m, const scree_world *world)
{
    char name[256];
    const scree_frame f = scree_frame_of_world(world, 0.0);
    int32_t *mesh = cli_memory(((size_t)f.shape_count + 1) * sizeof *mesh);
    live_message_begin(m, "stage");
    scree_json_integer(&m->json, "bodies", f.body_count);
    scree_json_integer(&m->json, "shapes", f.shape_count);
    scree_json_integer(&m->json, "meshes", pack_meshes(m, &f, mesh));
    pack_shapes(m, &f, mesh);
    pack_strokes(m, world, f);
    scree_json_list(&m->json, "materials");
    for (int k = 0; k < scree_world_material_count(world); ++k)
        scree_json_text(&m->json, NULL, scree_world_material(world, scree_material_at(k))->name);
    scree_json_close(&m->json);
    scree_json_list(&m->json, "names");
    for (int b = 0; b < f.body_count; ++b)
        scree_json_text(&m->json, NULL, scree_world_body_name(world, scree_body_at(b), name, sizeof name));
    scree_json_close(&m->json);
    live_message_end(m);
    free(mesh);
}

/* ---- a frame ----------------------------------------------------------------------------------------------------------------- */

static void pack_bodies(live_message *m, const scree_frame *f)
{
    const size_t n = (size_t)f->body_count;
    unsigned char *state = live_message_array(m, "state", "u8", n);
    for (size_t b = 0; b < n; ++b) state[b] = (unsigned char)page_body_state(f->kind[b]);
    float *x = live_message_array(m, "x", "f32", 3 * n);
    for (size_t k = 0; k < 3 * n; ++k) x[k] = (float)f->position[k];
    float *q = live_message_array(m, "q", "f32", 4 * n);
    for (size_t k = 0; k < 4 * n; ++k) q[k] = (float)f->rotation[k];
    float *speed = live_message_array(m, "speed", "f32", 2 * n);
    for (size_t b = 0; b < n; ++b) {
        speed[b] = (float)vec_norm(f->velocity + 3 * b);
        speed[n + b] = (float)vec_norm(f->angular_velocity + 3 * b);
    }
    float *v = live_message_array(m, "velocity", "f32", 3 * n);
    for (size_t b = 0; b < n; ++b)
        for (size_t i = 0; i < 3; ++i) v[i * n + b] = (float)f->velocity[3 * b + i];
}

static void pack_contacts(live_message *m, const scree_frame *f)
{
    const size_t n = (size_t)f->contact_count;
    int32_t *body = live_message_array(m, "contact", "i32", 4 * n);
    for (size_t k = 0; k < n; ++k) {
        const scree_contact_point *t = &f->contact[k];
        body[k] = t->body_a, body[n + k] = t->body_b;
        body[2 * n + k] = contact_anchor(t, f->kind), body[3 * n + k] = (int32_t)t->mode;
    }
    float *place = live_message_array(m, "contact_place", "f32", 3 * n);
    for (size_t k = 0; k < n; ++k)
        for (size_t i = 0; i < 3; ++i)
            place[3 * k + i] = (float)(f->contact[k].position[i] -
                                       f->position[3 * (size_t)contact_anchor(&f->contact[k], f->kind) + i]);
    float *value = live_message_array(m, "contact_value", "f32", CONTACT_REALS * n);
    for (size_t k = 0; k < n; ++k)
        for (int i = 0; i < CONTACT_REALS; ++i) value[(size_t)i * n + k] = (float)contact_real(&f->contact[k], f->h, i);
    scree_json_list(&m->json, "contact_columns");
    for (int i = 0; i < CONTACT_REALS; ++i) scree_json_text(&m->json, NULL, contact_names[i]);
    scree_json_close(&m->json);
}

void live_row_write(scree_json *j, const char *key, scree_simulation *s, const scree_step_report *r)
{
    const scree_world *world = scree_simulation_world(s);
    const scree_run_totals *totals = scree_stepper_totals(scree_simulation_stepper(s));
    scree_measures *measures = scree_simulation_measures(s);
    char column[192];
    scree_json_object(j, key);
    for (int k = 0; scree_quantity_name(k); ++k) {
        const char *unit = scree_quantity_unit(k);
        snprintf(column, sizeof column, unit[0] ? "%s[%s]" : "%s", scree_quantity_name(k), unit);
        scree_json_number(j, column, scree_quantity_value(k, world, totals, r));
    }
    for (int k = 0; k < SCREE_MODE_COUNT; ++k) {
        snprintf(column, sizeof column, "mode_%s", scree_mode_name((scree_mode)k));
        scree_json_integer(j, column, r->modes[k]);
    }
    for (int k = 0; k < scree_measures_count(measures); ++k) {
        const char *unit = scree_measures_unit(measures, k);
        snprintf(column, sizeof column, unit[0] ? "%s[%s]" : "%s", scree_measures_name(measures, k), unit);
        scree_json_number(j, column, scree_measures_value(measures, k));
    }
    scree_json_close(j);
}

void live_frame_pack(live_message *m, scree_simulation *s, const scree_step_report *report, unsigned what)
{
    const scree_world *world = scree_simulation_world(s);
    const scree_frame f = scree_frame_of_world(world, report->h);
    live_message_begin(m, "frame");
    scree_json_number(&m->json, "time", f.time);
    scree_json_integer(&m->json, "step", f.step);
    scree_json_integer(&m->json, "bodies", f.body_count);
    scree_json_integer(&m->json, "shapes", f.shape_count);
    scree_json_integer(&m->json, "contacts", f.contact_count);
    pack_bodies(m, &f);
    if (what & LIVE_CONTACTS) pack_contacts(m, &f);
    if (what & LIVE_ROW) live_row_write(&m->json, "row", s, report);
    if (what & LIVE_HASH) {
        char hash[32];
        snprintf(hash, sizeof hash, "%016" PRIx64, scree_world_hash(world));
        scree_json_text(&m->json, "hash", hash);
    }
    live_message_end(m);
}
