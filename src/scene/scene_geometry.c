/* scene_geometry.c: hulls, meshes and grounds of a scene, from points or files, made when it is read so that every mistake is said
 * before anything runs.
 *
 * A file that two shapes name is read twice: they may scale it differently, and geometries are small beside the run. */
#include "scene/grid_file.h"
#include "scene/mesh_file.h"
#include "scene/scene_private.h"

#include "base/memory.h"

#include <string.h>

/// A refusal of the geometry, said at the shape where it has no place of its own.
static scree_status at_node(const scree_scene *scene, const scree_doc_node *node, scree_status status,
                            scree_error *error)
{
    if (status == SCREE_OK || status == SCREE_ERR_MEMORY || !error || error->file[0]) return status;
    scree_doc doc = {.name = scene->name, .error = error, .set = scene->doc.set};
    char text[sizeof error->text];
    memcpy(text, error->text, sizeof text);
    scree_doc_fail(&doc, node, "%s", text);
    return status;
}

static scree_status hull_of(const scree_scene *scene, const scene_solid *s, scree_geometry **geometry,
                            scree_error *error)
{
    mesh_file file = {0};
    int count = s->points.count / 3;
    const scree_doc_node *node = s->head.node;
    scree_status status = SCREE_OK;
    if (s->file) {
        status = mesh_file_read(s->file, &scene->allocator, &file, error);
        if (status != SCREE_OK) return status;
        count = file.point_count;
    } else if (s->points.count % 3 != 0) {
        scree_doc doc = {.name = scene->name, .error = error, .set = scene->doc.set};
        return scree_doc_fail(&doc, schema_node(&s->head, "points"),
                              "points: %d numbers, expected three for each point", s->points.count);
    }
    double *point = memory_raw_array(&scene->allocator, 3 * (size_t)count + 1, sizeof *point);
    if (point) {
        const double *from = s->file ? file.point : s->points.value;
        for (size_t k = 0; k < 3 * (size_t)count; ++k) point[k] = s->scale * from[k];
        *geometry = scree_geometry_hull(point, count, &scene->allocator, error);
        status = error->status;
    } else {
        status = SCREE_ERR_MEMORY;
    }
    MEMORY_FREE_ALL(&scene->allocator, point);
    mesh_file_free(&file, &scene->allocator);
    return at_node(scene, s->file ? schema_node(&s->head, "file") : node, status, error);
}

static scree_status mesh_of(const scree_scene *scene, const scene_solid *s, scree_geometry **geometry,
                            scree_error *error)
{
    mesh_file file = {0};
    scree_geometry_mass mass;
    scree_status status = mesh_file_read(s->file, &scene->allocator, &file, error);
    if (status != SCREE_OK) return status;
    for (size_t k = 0; k < 3 * (size_t)file.point_count; ++k) file.point[k] *= s->scale;
    *geometry = scree_geometry_mesh(file.point, file.point_count, file.triangle, file.triangle_count,
                                    (scree_sides)s->sides, &scene->allocator, error);
    status = error->status;
    mesh_file_free(&file, &scene->allocator);
    int open = status == SCREE_OK ? scree_geometry_open_edges(*geometry) : 0;
    if (status == SCREE_OK) (void)scree_geometry_mass_properties(*geometry, &mass);
    if (status == SCREE_OK && s->sides == SCREE_SIDES_BACK) mass.volume = -mass.volume; /* it was turned over */
    if (status == SCREE_OK && s->closed && (open > 0 || !(mass.volume > 0.0))) {
        if (open > 0) scree_error_set(error, NULL, 0, 0, "the mesh is not closed: it ends at %d edges", open);
        else
            scree_error_set(error, NULL, 0, 0,
                            "the mesh is inside out: it encloses %g m^3, expected a surface that looks outward",
                            mass.volume);
        status = SCREE_ERR_INPUT;
    }
    return at_node(scene, schema_node(&s->head, "file"), status, error);
}

static scree_status ground_of(const scree_scene *scene, const scene_solid *s, scree_geometry **geometry,
                              scree_error *error)
{
    grid_file file;
    scree_status status = grid_file_read(s->file, &scene->allocator, &file, error);
    if (status != SCREE_OK) return status;
    for (size_t k = 0; k < (size_t)file.rows * (size_t)file.columns; ++k) file.height[k] *= s->scale;
    *geometry =
        scree_geometry_heights(file.height, file.columns, file.rows, s->scale * file.cell, &scene->allocator, error);
    status = error->status;
    memory_free(&scene->allocator, file.height);
    return at_node(scene, schema_node(&s->head, "file"), status, error);
}

static scree_status make_geometry(scree_scene *scene, scene_shape *shape, scree_error *error)
{
    scree_error why = {.text = ""};
    scree_status status = SCREE_OK;
    if (shape->hull.head.node) status = hull_of(scene, &shape->hull, &shape->geometry, &why);
    if (shape->mesh.head.node) status = mesh_of(scene, &shape->mesh, &shape->geometry, &why);
    if (shape->heights.head.node) status = ground_of(scene, &shape->heights, &shape->geometry, &why);
    if (status == SCREE_ERR_MEMORY) (void)scree_doc_no_memory(scene->name, &why);
    if (status != SCREE_OK && error) *error = why;
    if (shape->geometry) scene->geometry[scene->geometry_count++] = shape->geometry;
    return status;
}

scree_status scene_geometries(scree_scene *scene, scree_error *error)
{
    scene_body *body = scene->root.bodies.item;
    scene_generator *g = scene->root.generators.item;
    size_t room = 1 + (size_t)scene->root.generators.count;
    scree_status status = SCREE_OK;
    for (int k = 0; k < scene->root.bodies.count; ++k) room += 1 + (size_t)body[k].shapes.count;
    scene->geometry = scree_doc_alloc(&scene->doc, room * sizeof(void *));
    if (!scene->geometry) return scree_doc_no_memory(scene->name, error);
    for (int k = 0; k < scene->root.bodies.count; ++k) {
        scene_shape *shape = body[k].shapes.item;
        if (body[k].shape.head.node && status == SCREE_OK) status = make_geometry(scene, &body[k].shape, error);
        for (int s = 0; s < body[k].shapes.count && status == SCREE_OK; ++s)
            status = make_geometry(scene, &shape[s], error);
    }
    for (int k = 0; k < scene->root.generators.count && status == SCREE_OK; ++k)
        if (g[k].shape.head.node) status = make_geometry(scene, &g[k].shape, error);
    return status;
}
