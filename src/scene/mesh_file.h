/* mesh_file.h: triangles from STL (binary and ASCII) and OBJ files. */
#ifndef SCREE_SCENE_MESH_FILE_H
#define SCREE_SCENE_MESH_FILE_H

#include <scree/base.h>

/// As they stand in the file: the corners of STL triangles are points of their own.
typedef struct mesh_file {
    int point_count, triangle_count;
    double *point; /* (point_count x 3)    */
    int *triangle; /* (triangle_count x 3) */
} mesh_file;

/// Reads a file; its content says of what format it is. Messages name the line and column of a text, the triangle of a binary file.
scree_status mesh_file_read(const char *path, const scree_allocator *allocator, mesh_file *mesh, scree_error *error);

/// The same from `size` bytes and a NUL after them.
scree_status mesh_file_parse(const char *bytes, size_t size, const char *name, const scree_allocator *allocator,
                             mesh_file *mesh, scree_error *error);
void mesh_file_free(mesh_file *mesh, const scree_allocator *allocator);

#endif
