/* Bytes as a mesh file or a grid: what is read makes a surface or is refused, and what touches the surface is finite. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "collision/surface.h"
#include "scene/grid_file.h"
#include "scene/mesh_file.h"

static void require(int holds)
{
    if (!holds) abort();
}

/// A ball and a box where the surface begins.
static void touch(scree_geometry *g)
{
    static const double one[3] = {1.0, 0.0, 0.0};
    double size[3], v[3];
    posed_shape mesh = {.kind = SCREE_SHAPE_MESH, .size = one, .geometry = g, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    scree_geometry_vertex(g, 0, v);
    for (int kind = 0; kind < 2; ++kind) {
        posed_shape shape = {
            .kind = kind ? SCREE_SHAPE_BOX : SCREE_SHAPE_SPHERE, .size = size, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        contact_point p[SURFACE_POINTS];
        for (int i = 0; i < 3; ++i) size[i] = 0.5, shape.x[i] = v[i] + (i == 2 ? 0.4 : 0.1);
        int count = surface_collide(&mesh, &shape, 0.2, p);
        require(count >= 0 && count <= SURFACE_POINTS);
        for (int k = 0; k < count; ++k) {
            require(isfinite(p[k].gap) && p[k].gap <= 0.2 && (k == 0 || p[k].feature > p[k - 1].feature));
            for (int i = 0; i < 3; ++i) require(isfinite(p[k].position[i]) && isfinite(p[k].normal[i]));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scree_allocator a = scree_allocator_default();
    scree_geometry *geometry = NULL;
    scree_error error = {.text = ""};
    mesh_file mesh;
    grid_file grid;
    char *text = memory_raw_array(&a, size + 1, 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = '\0';

    scree_status status = mesh_file_parse(text, size, "fuzz", &a, &mesh, &error);
    require(status == SCREE_OK || error.text[0]);
    if (status == SCREE_OK) {
        error = (scree_error){0};
        geometry = scree_geometry_mesh(mesh.point, mesh.point_count, mesh.triangle, mesh.triangle_count,
                                       size % 2 ? SCREE_SIDES_BOTH : SCREE_SIDES_BACK, &a, &error);
        require((error.status == SCREE_OK) == (geometry != NULL));
        if (geometry) touch(geometry);
        scree_geometry_release(geometry);
        if (mesh.point_count >= 4 && mesh.point_count < 500)
            scree_geometry_release(scree_geometry_hull(mesh.point, mesh.point_count, &a, NULL));
        mesh_file_free(&mesh, &a);
    }
    error = (scree_error){0};
    if (grid_file_parse(text, "fuzz", &a, &grid, &error) == SCREE_OK) {
        geometry = scree_geometry_heights(grid.height, grid.columns, grid.rows, grid.cell, &a, &error);
        if (geometry) touch(geometry);
        scree_geometry_release(geometry);
        memory_free(&a, grid.height);
    }
    memory_free(&a, text);
    return 0;
}
