/* h5.h: lists of numbers in an HDF5 file, written and read by ourselves: what checkpoints and problem files are made of.
 *
 * The HDF5 library is not entered: it is one for all threads, and it crashes when memory fails it in the middle. What is written is the
 * plainest file of the format's specification, version 3.0 (The HDF Group, "HDF5 File Format Specification"), that every HDF5 since 1.8
 * reads: superblock 0, object headers 1, links in the headers of their groups, contiguous little-endian data, no time stamps. The same
 * lists in any order give the same bytes. Only that form is read. */
#ifndef SCREE_BASE_H5_H
#define SCREE_BASE_H5_H

#include <scree/base.h>

#include <stdarg.h>
#include <stddef.h>

/// `count` elements of `width` numbers each, `stride` bytes from one element to the next. type: 'd' double, 'i' int32, 'b' byte,
/// 'q' int64; 't' is one text of `count` bytes. A path that ends in '/' is a group, which may be empty.
typedef struct h5_list {
    const char *path; /* "/world/x"; at most 255 bytes between two slashes */
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

/* ---- both ways: h5_form.c ------------------------------------------------------------------------------------------------ */

/* Kinds of messages in an object header, and sizes in bytes. */
enum {
    H5_NIL = 0x00,
    H5_SPACE = 0x01,
    H5_LINKS = 0x02, /* that a group's links follow */
    H5_TYPE = 0x03,
    H5_FILL = 0x05,
    H5_LINK = 0x06,
    H5_LAYOUT = 0x08,
    H5_GROUP = 0x0a,
    H5_MORE = 0x10 /* another block of messages */
};
enum { H5_SUPERBLOCK = 96, H5_ROOT_AT = 64, H5_PREFIX = 16, H5_MESSAGE = 8, H5_TRAILER = 16 };
#define H5_NOWHERE UINT64_MAX
extern const unsigned char h5_signature[8];

/// The datatype message of a type ('t': its size follows at byte 4); returns its bytes.
int h5_type_message(char type, const unsigned char **bytes);
size_t h5_number_size(char type);
/// Numbers of `size` bytes between the machine's order and the file's, which is little-endian.
void h5_copy_numbers(char *to, const char *from, size_t count, size_t size);
/// What stands behind the file, where HDF5 does not look: a mark, and the checksum of all before it.
void h5_trailer(const char *bytes, size_t size, unsigned char trailer[H5_TRAILER]);

/* ---- writing: h5_write.c -------------------------------------------------------------------------------------------------- */

/// The bytes of a file with these lists; the caller gives them back by h5_image_free. It fails only for want of memory.
typedef struct h5_image {
    scree_allocator allocator;
    char *bytes;
    size_t size; /* of the file; the block has room for the trailer too */
} h5_image;

scree_status h5_image_make(const h5_list *list, int count, const scree_allocator *allocator, h5_image *image);
/// Adds the trailer.
void h5_image_seal(h5_image *image);
void h5_image_free(h5_image *image);

/* ---- reading: h5_read.c: a sealed file ------------------------------------------------------------------------------------- */

typedef struct h5_source {
    const char *name;
    char *bytes; /* the whole file */
    size_t size; /* without the trailer */
    int64_t file_size;
    scree_allocator allocator;
    scree_error *error;
} h5_source;

/// Verifies the checksum. After a failed open there is nothing to close.
scree_status h5_open(const char *path, const scree_allocator *allocator, h5_source *source, scree_error *error);
void h5_close(h5_source *source);

/// 1: there is something at the path.
int h5_has(const h5_source *source, const char *path);
/// How many elements the list at the path has; its type and width must be these.
scree_status h5_count(h5_source *source, const char *path, char type, int width, int64_t *count);
/// Fills the list, whose count must be that of the file.
scree_status h5_read(h5_source *source, const h5_list *list);

/// Sets the error with file::/path as its place.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 0)))
#endif
void h5_error(scree_error *error, const char *file, const char *path, const char *format, va_list arguments);

#endif
