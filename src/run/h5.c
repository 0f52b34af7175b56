/* h5.c: see h5.h. Datasets are contiguous and uncompressed, little-endian, without time stamps: the same lists give the same
 * bytes. The file lies in one block of our allocator, handed to HDF5 through its file image callbacks, and is taken from there
 * without another copy. */
#define _XOPEN_SOURCE 700
#include "run/h5.h"

#include "base/hash.h"
#include "base/hdf5_door.h"
#include "base/hdf5_path.h"
#include "base/memory.h"
#include "base/read.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MARK = 8, TRAILER = 16, CHUNK = 1 << 16 }; /* bytes; the checksum is chained over chunks */
static const char mark[MARK] = {'s', 'c', 'r', 'e', 'e', ' ', 'h', '5'};

_Static_assert(sizeof(hid_t) == sizeof(int64_t), "HDF5 1.10 or later");

static size_t number_size(char type)
{
    return type == 'd' || type == 'q' ? 8 : type == 'i' ? 4 : 1;
}

static hid_t memory_type(char type)
{
    return type == 'd'   ? H5T_NATIVE_DOUBLE
           : type == 'q' ? H5T_NATIVE_INT64
           : type == 'i' ? H5T_NATIVE_INT32
                         : H5T_NATIVE_UINT8;
}

static hid_t file_type(char type)
{
    return type == 'd' ? H5T_IEEE_F64LE : type == 'q' ? H5T_STD_I64LE : type == 'i' ? H5T_STD_I32LE : H5T_STD_U8LE;
}

h5_list h5_constant(const char *path, char type, int width, int64_t count, const void *data)
{
    return (h5_list){path, type, width, count, (size_t)width * number_size(type), data, NULL};
}

h5_list h5_packed(const char *path, char type, int width, int64_t count, void *data)
{
    h5_list list = h5_constant(path, type, width, count, data);
    list.target = data;
    return list;
}

static size_t element_bytes(const h5_list *list)
{
    return (size_t)list->width * number_size(list->type);
}

size_t h5_list_bytes(const h5_list *list)
{
    return (size_t)list->count * element_bytes(list);
}

/// The elements packed: the list's own memory where they are, else a copy, which the caller gives back (`*copy`).
static const void *packed(const h5_list *list, const scree_allocator *allocator, void **copy)
{
    size_t element = element_bytes(list);
    *copy = NULL;
    if (list->stride == element && list->data) return list->data;
    char *to = *copy = memory_array(allocator, h5_list_bytes(list) + 1, 1);
    const char *from = list->data;
    for (int64_t k = 0; to && from && k < list->count; ++k) /* an empty list may have no memory */
        memcpy(to + (size_t)k * element, from + (size_t)k * list->stride, element);
    return to;
}

scree_status h5_ready(void)
{
    hdf5_visit visit;
    const int in = hdf5_enter(&visit);
    hdf5_leave(&visit);
    return in ? SCREE_OK : SCREE_ERR_MEMORY;
}

/* ---- writing ------------------------------------------------------------------------------------------------------------ */

/* The one block of the image is there before HDF5 starts, large enough, because HDF5 cannot close a file when memory fails it in the
 * middle. Its core driver asks for the block (malloc, realloc) and is told that it was freed, so that it is still there after the
 * file is closed. */

static void *image_realloc(void *old, size_t size, H5FD_file_image_op_t operation, void *context)
{
    h5_image *image = context;
    (void)old, (void)operation;
    SCREE_ASSERT(size <= image->capacity);
    return size <= image->capacity ? image->bytes : NULL;
}

static void *image_malloc(size_t size, H5FD_file_image_op_t operation, void *context)
{
    return image_realloc(NULL, size, operation, context);
}

static herr_t image_keep(void *bytes, H5FD_file_image_op_t operation, void *context)
{
    (void)bytes, (void)operation, (void)context;
    return 0;
}

static void *context_copy(void *context)
{
    return context;
}

static herr_t context_keep(void *context)
{
    (void)context;
    return 0;
}

/// Bytes that are handed over are in that block already.
static void *image_copy(void *to, const void *from, size_t size, H5FD_file_image_op_t operation, void *context)
{
    (void)operation, (void)context;
    return to == from ? to : memcpy(to, from, size);
}

/// How a file that is the block of `image` is opened; < 0: HDF5 has failed.
static hid_t access_image(h5_image *image)
{
    H5FD_file_image_callbacks_t callbacks = {.image_malloc = image_malloc,
                                             .image_memcpy = image_copy,
                                             .image_realloc = image_realloc,
                                             .image_free = image_keep,
                                             .udata_copy = context_copy,
                                             .udata_free = context_keep,
                                             .udata = image};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0) return access;
    if (H5Pset_fapl_core(access, image->capacity, 0) >= 0 && H5Pset_file_image_callbacks(access, &callbacks) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
        return access;
    H5Pclose(access);
    return -1;
}

static int write_list(hid_t file, hid_t links, const h5_list *list, const scree_allocator *allocator)
{
    hsize_t size[2] = {(hsize_t)list->count, (hsize_t)list->width};
    void *copy;
    const void *data = packed(list, allocator, &copy);
    if (!data) return 0;
    hid_t space = H5Screate_simple(list->width > 1 ? 2 : 1, size, NULL);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(create, 0);
    hid_t set = H5Dcreate2(file, list->path, file_type(list->type), space, links, create, H5P_DEFAULT);
    int ok = set >= 0;
    if (ok && list->count > 0) ok = H5Dwrite(set, memory_type(list->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (set >= 0) H5Dclose(set);
    H5Pclose(create);
    H5Sclose(space);
    memory_free(allocator, copy);
    return ok;
}

static uint64_t checksum(uint64_t sum, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += CHUNK)
        sum = hash_bytes(sum, bytes + at, size - at < CHUNK ? size - at : CHUNK);
    return sum;
}

static void add_trailer(h5_image *image)
{
    uint64_t sum = checksum(0, image->bytes, image->size);
    memcpy(image->bytes + image->size, mark, MARK);
    for (int k = 0; k < 8; ++k) image->bytes[image->size + MARK + (size_t)k] = (char)(sum >> (8 * k));
    image->size += TRAILER;
}

static int write_lists(const h5_list *list, int count, hid_t access, h5_image *image)
{
    hid_t file = H5Fcreate(HDF5_NO_FILE, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (file < 0) return 0;
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    int ok = 1;
    for (int k = 0; k < count && ok; ++k) ok = write_list(file, links, &list[k], &image->allocator);
    ok = ok && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    ssize_t size = ok ? H5Fget_file_image(file, NULL, 0) : -1;
    H5Pclose(links);
    ok = H5Fclose(file) >= 0 && size > 0 && (size_t)size + TRAILER <= image->capacity;
    if (ok) image->size = (size_t)size;
    return ok;
}

scree_status h5_image_make(const h5_list *list, int count, const scree_allocator *allocator, h5_image *image)
{
    *image = (h5_image){.allocator = memory_allocator(allocator)};
    size_t most = 1 << 16;
    for (int k = 0; k < count; ++k)
        most += h5_list_bytes(&list[k]) + 4096; /* header and link of a dataset: below 1 kB */
    image->bytes = memory_array(&image->allocator, most, 1);
    if (!image->bytes) return SCREE_ERR_MEMORY;
    image->capacity = most;

    hdf5_visit visit;
    if (!hdf5_enter(&visit)) {
        h5_image_free(image);
        return SCREE_ERR_MEMORY;
    }
    hid_t access = access_image(image);
    int ok = access >= 0 && write_lists(list, count, access, image);
    if (access >= 0) H5Pclose(access);
    hdf5_leave(&visit);
    if (ok) add_trailer(image);
    else h5_image_free(image);
    return ok ? SCREE_OK : SCREE_ERR_MEMORY;
}

void h5_image_free(h5_image *image)
{
    memory_free(&image->allocator, image->bytes);
    image->bytes = NULL, image->size = image->capacity = 0;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------- */

static scree_status wrong(h5_source *s, const char *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

static scree_status wrong(h5_source *s, const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    hdf5_error(s->error, s->name, path, format, arguments);
    va_end(arguments);
    return SCREE_ERR_INPUT;
}

/// Whether the bytes end in the trailer that they call for; in words what is wrong, or NULL.
static const char *verify(const char *bytes, size_t size)
{
    uint64_t stored = 0;
    if (size < TRAILER || memcmp(bytes + size - TRAILER, mark, MARK) != 0)
        return "this is not a checkpoint of scree, or it is cut short";
    for (int k = 0; k < 8; ++k) stored |= (uint64_t)(unsigned char)bytes[size - TRAILER + MARK + (size_t)k] << (8 * k);
    return checksum(0, bytes, size - TRAILER) == stored
               ? NULL
               : "the file is damaged or was changed: its checksum is not the one it was written with";
}

/// The bytes as an HDF5 file.
static int open_image(h5_source *s)
{
    hid_t access = access_image(&s->image);
    if (access < 0) return 0;
    if (H5Pset_file_image(access, s->image.bytes, s->image.size) >= 0)
        s->file = H5Fopen(HDF5_NO_FILE, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return s->file >= 0;
}

/* The file is read by us and handed over in memory: a disk that fails says so by its errno, and HDF5 has nothing left to fail at but
 * memory, since bytes with the right checksum are those that were written. */
scree_status h5_open(const char *path, const scree_allocator *allocator, h5_source *s, scree_error *error)
{
    char *bytes;
    size_t size;
    *s = (h5_source){.file = -1, .name = path, .allocator = memory_allocator(allocator), .error = error};
    scree_status status = file_read(path, SIZE_MAX, NULL, &s->allocator, &bytes, &size, error);
    if (status != SCREE_OK) return status;
    s->image = (h5_image){.allocator = s->allocator, .bytes = bytes, .size = size, .capacity = size + 1};
    s->file_size = (int64_t)size;
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    const char *what = verify(bytes, size);
    if (!what && memcmp(bytes, signature, size < sizeof signature ? size : sizeof signature) != 0)
        what = "HDF5 cannot open the file";
    if (what) scree_error_set(error, path, 0, 0, "%s", what);
    else if (hdf5_enter(&s->visit) && open_image(s)) return SCREE_OK;
    else scree_error_set(error, path, 0, 0, "out of memory while reading");
    h5_close(s);
    return what ? SCREE_ERR_INPUT : SCREE_ERR_MEMORY;
}

void h5_close(h5_source *s)
{
    if (s->file >= 0) H5Fclose(s->file);
    hdf5_leave(&s->visit);
    h5_image_free(&s->image);
    s->file = -1;
}

/// Opens the dataset and finds its count, once type and shape are right.
static scree_status open_list(h5_source *s, const char *path, char type, int width, hid_t *set, int64_t *count)
{
    *set = hdf5_exists(s->file, path) ? H5Dopen2(s->file, path, H5P_DEFAULT) : -1;
    if (*set < 0) return wrong(s, path, "there is nothing here, expected a list of numbers");
    hid_t is = H5Dget_type(*set), space = H5Dget_space(*set);
    hsize_t size[2] = {0, 1};
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank == 1 || rank == 2) H5Sget_simple_extent_dims(space, size, NULL);
    scree_status status = SCREE_OK;
    if (H5Tequal(is, file_type(type)) <= 0)
        status = wrong(s, path, "the type is wrong, expected %s",
                       type == 'd'   ? "64-bit reals"
                       : type == 'q' ? "64-bit integers"
                       : type == 'i' ? "32-bit integers"
                                     : "bytes");
    else if (rank != (width > 1 ? 2 : 1) || size[1] != (hsize_t)width)
        status = wrong(s, path, "the shape is wrong, expected a list of %d numbers each", width);
    else if (size[0] > (hsize_t)s->file_size / ((hsize_t)width * number_size(type)))
        status = wrong(s, path, "%llu elements cannot be in a file of this size", (unsigned long long)size[0]);
    *count = (int64_t)size[0];
    H5Tclose(is);
    H5Sclose(space);
    if (status != SCREE_OK) H5Dclose(*set);
    return status;
}

int h5_has(const h5_source *s, const char *path)
{
    return hdf5_exists(s->file, path);
}

scree_status h5_count(h5_source *s, const char *path, char type, int width, int64_t *count)
{
    hid_t set;
    scree_status status = open_list(s, path, type, width, &set, count);
    if (status == SCREE_OK) H5Dclose(set);
    return status;
}

static void scatter(const h5_list *list, const char *from)
{
    size_t element = element_bytes(list);
    char *to = list->target;
    for (int64_t k = 0; k < list->count; ++k)
        memcpy(to + (size_t)k * list->stride, from + (size_t)k * element, element);
}

scree_status h5_read(h5_source *s, const h5_list *list)
{
    hid_t set;
    int64_t count;
    scree_status status = open_list(s, list->path, list->type, list->width, &set, &count);
    if (status != SCREE_OK) return status;
    char *bytes = memory_array(&s->allocator, h5_list_bytes(list) + 1, 1);
    if (count != list->count)
        status =
            wrong(s, list->path, "%lld elements are here, expected %lld", (long long)count, (long long)list->count);
    else if (!bytes) {
        scree_error_set(s->error, s->name, 0, 0, "out of memory while reading");
        status = SCREE_ERR_MEMORY;
    } else if (count > 0 && H5Dread(set, memory_type(list->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0)
        status = wrong(s, list->path, "HDF5 cannot read the data");
    else scatter(list, bytes);
    memory_free(&s->allocator, bytes);
    H5Dclose(set);
    return status;
}
