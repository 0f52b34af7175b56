/* h5.h: lists of numbers in an HDF5 file with a checksum: what checkpoints are made of.
 *
 * Writing makes the file in our memory (image), so that a full disk is a failed write of ours and HDF5 opens nothing. Behind what
 * HDF5 knows of, where it does not look, stand 16 bytes: a mark and the checksum of all before. Reading verifies it first, since
 * HDF5 does not survive every damaged file; then, for every dataset, that it is there, its type and its shape. Messages name it as
 * file::/path. */
#ifndef SCREE_OUTPUT_H5_H
#define SCREE_OUTPUT_H5_H

#include "base/hdf5_door.h"

#include <scree/base.h>

/// `count` elements of `width` numbers each, `stride` bytes from one element to the next. type: 'd' double, 'i' int32, 'b' byte,
/// 'q' int64.
typedef struct h5_list {
    const char *path; /* "/world/x" */
    char type;
    int width;
    int64_t count;
    size_t stride;
    const void *data; /* what is written            */
    void *target;     /* where it is read to; NULL: the list is only written */
} h5_list;

/// A list whose elements lie one after the other; and one that is only written.
h5_list h5_packed(const char *path, char type, int width, int64_t count, void *data);
h5_list h5_constant(const char *path, char type, int width, int64_t count, const void *data);
size_t h5_list_bytes(const h5_list *list); /* packed */

/// SCREE_ERR_MEMORY: HDF5 cannot be opened. Asked before a run, so that it does not fail at its first checkpoint.
scree_status h5_ready(void);

/* ---- writing ------------------------------------------------------------------------------------------------------------ */

/// The bytes of a file with these lists; the caller gives them back by h5_image_free. It fails only for want of memory: HDF5 does
/// nothing else here.
typedef struct h5_image {
    scree_allocator allocator;
    char *bytes;
    size_t size;     /* of the file                             */
    size_t capacity; /* of the block                            */
} h5_image;

scree_status h5_image_make(const h5_list *list, int count, const scree_allocator *allocator, h5_image *image);
void h5_image_free(h5_image *image);

/* ---- reading ------------------------------------------------------------------------------------------------------------- */

typedef struct h5_source {
    int64_t file; /* hid_t */
    const char *name;
    int64_t file_size;
    scree_allocator allocator;
    scree_error *error;
    h5_image image;   /* the whole file */
    hdf5_visit visit; /* from open to close */
} h5_source;

/// Between open and close HDF5 is this thread's. After a failed open there is nothing to close.
scree_status h5_open(const char *path, const scree_allocator *allocator, h5_source *source, scree_error *error);
void h5_close(h5_source *source);

/// 1: there is something at the path.
int h5_has(const h5_source *source, const char *path);
/// How many elements the list at the path has; its type and width must be these.
scree_status h5_count(h5_source *source, const char *path, char type, int width, int64_t *count);
/// Fills the list, whose count must be that of the file.
scree_status h5_read(h5_source *source, const h5_list *list);

#endif
