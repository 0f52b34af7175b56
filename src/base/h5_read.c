/* h5_read.c: lists of numbers from a file that h5_write.c made, see h5.h.
 *
 * The checksum says that the bytes are those that were written; every address and size is looked at all the same, since a checksum can be
 * made for any bytes. What HDF5 adds to such a file, or changes in it (another block of messages, links with more fields), is read too. */
#include "base/h5.h"

#include "base/memory.h"
#include "base/read.h"

#include <limits.h>
#include <string.h>

enum { BLOCKS_MAX = 64 }; /* of messages, of one object */

static scree_status wrong(h5_source *s, const char *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

static scree_status wrong(h5_source *s, const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    h5_error(s->error, s->name, path, format, arguments);
    va_end(arguments);
    return SCREE_ERR_INPUT;
}

static int inside(const h5_source *s, uint64_t at, uint64_t size)
{
    return size <= s->size && at <= s->size - size;
}

/// A number of `size` bytes at `at`, which must lie inside.
static uint64_t number(const h5_source *s, uint64_t at, int size)
{
    uint64_t value = 0;
    for (int k = 0; k < size; ++k) value |= (uint64_t)(unsigned char)s->bytes[at + (uint64_t)k] << (8 * k);
    return value;
}

/* ---- object headers ---------------------------------------------------------------------------------------------------------- */

typedef struct block {
    uint64_t at, end;
} block;

/// The messages of an object, one after the other.
typedef struct messages {
    const h5_source *s;
    int left, blocks, now;
    block block[BLOCKS_MAX];
} messages;

typedef struct message {
    int kind;
    uint64_t at, size;
} message;

static messages messages_of(const h5_source *s, uint64_t header)
{
    messages m = {.s = s};
    if (!inside(s, header, H5_PREFIX) || number(s, header, 1) != 1) return m;
    const uint64_t size = number(s, header + 8, 4);
    if (!inside(s, header + H5_PREFIX, size)) return m;
    m.left = (int)number(s, header + 2, 2);
    m.block[m.blocks++] = (block){header + H5_PREFIX, header + H5_PREFIX + size};
    return m;
}

/// Steps to the next message; 0: there is none.
static int next(messages *m, message *it)
{
    while (m->left-- > 0 && m->now < m->blocks) {
        block *b = &m->block[m->now];
        while (b->end - b->at < H5_MESSAGE) {
            if (++m->now == m->blocks) return 0;
            b = &m->block[m->now];
        }
        *it = (message){(int)number(m->s, b->at, 2), b->at + H5_MESSAGE, number(m->s, b->at + 2, 2)};
        if (it->size > b->end - it->at) return 0;
        b->at = it->at + it->size;
        if (it->kind != H5_MORE) return 1;
        if (it->size < 16 || m->blocks == BLOCKS_MAX) return 0;
        const uint64_t at = number(m->s, it->at, 8), size = number(m->s, it->at + 8, 8);
        if (!inside(m->s, at, size)) return 0;
        m->block[m->blocks++] = (block){at, at + size};
    }
    return 0;
}

/* ---- links ------------------------------------------------------------------------------------------------------------------- */

/// Where a link of this name leads; H5_NOWHERE: it has another name, or is no hard link.
static uint64_t link_target(const h5_source *s, const message *it, const char *name, size_t length)
{
    if (it->kind != H5_LINK || it->size < 2 || number(s, it->at, 1) != 1) return H5_NOWHERE;
    const int flags = (int)number(s, it->at + 1, 1), digits = 1 << (flags & 3);
    const uint64_t fixed = 2 + (uint64_t)((flags >> 3 & 1) + (flags >> 2 & 1) * 8 + (flags >> 4 & 1)),
                   start = fixed + (uint64_t)digits;
    if (it->size < start + length + 8 || number(s, it->at + fixed, digits) != length) return H5_NOWHERE;
    if ((flags & 8) && number(s, it->at + 2, 1) != 0) return H5_NOWHERE;
    if (memcmp(s->bytes + it->at + start, name, length) != 0) return H5_NOWHERE;
    return number(s, it->at + start + length, 8);
}

/// The header of the object at the path; H5_NOWHERE: there is none.
static uint64_t find(const h5_source *s, const char *path)
{
    uint64_t at = number(s, H5_ROOT_AT, 8);
    while (*path == '/' && at != H5_NOWHERE) {
        const size_t length = strcspn(++path, "/");
        messages m = messages_of(s, at);
        at = H5_NOWHERE;
        for (message it; at == H5_NOWHERE && next(&m, &it);) at = link_target(s, &it, path, length);
        path += length;
    }
    return at;
}

int h5_has(const h5_source *s, const char *path)
{
    return find(s, path) != H5_NOWHERE;
}

/* ---- opening ----------------------------------------------------------------------------------------------------------------- */

/// In words what is wrong with the whole file, or NULL.
static const char *verify(const h5_source *s, size_t whole)
{
    unsigned char trailer[H5_TRAILER];
    if (whole < H5_SUPERBLOCK + H5_TRAILER || memcmp(s->bytes + s->size, "scree h5", 8) != 0)
        return "this is not a checkpoint of scree, or it is cut short";
    h5_trailer(s->bytes, s->size, trailer);
    if (memcmp(s->bytes + s->size, trailer, H5_TRAILER) != 0)
        return "the file is damaged or was changed: its checksum is not the one it was written with";
    if (memcmp(s->bytes, h5_signature, sizeof h5_signature) != 0) return "this is not an HDF5 file";
    messages m = messages_of(s, number(s, H5_ROOT_AT, 8));
    for (message it; s->bytes[8] == 0 && next(&m, &it);)
        if (it.kind == H5_LINKS) return NULL;
    return "the checkpoint was written by an earlier version of scree, or by another program: the run has to start "
           "again";
}

scree_status h5_open(const char *path, const scree_allocator *allocator, h5_source *s, scree_error *error)
{
    size_t size;
    *s = (h5_source){.name = path, .allocator = memory_allocator(allocator), .error = error};
    scree_status status = file_read(path, SIZE_MAX, NULL, &s->allocator, &s->bytes, &size, error);
    if (status != SCREE_OK) return status;
    s->size = size < H5_TRAILER ? 0 : size - H5_TRAILER;
    s->file_size = (int64_t)size;
    const char *what = verify(s, size);
    if (!what) return SCREE_OK;
    scree_error_set(error, path, 0, 0, "%s", what);
    h5_close(s);
    return SCREE_ERR_INPUT;
}

void h5_close(h5_source *s)
{
    memory_free(&s->allocator, s->bytes);
    s->bytes = NULL, s->size = 0;
}

/* ---- lists ------------------------------------------------------------------------------------------------------------------- */

/// What the messages of a dataset say.
typedef struct dataset {
    int rank, is_type; /* rank -1: no dataset */
    uint64_t size[2], at, bytes;
} dataset;

static dataset describe(const h5_source *s, uint64_t header, char type)
{
    const unsigned char *of;
    const uint64_t type_bytes = (uint64_t)h5_type_message(type, &of);
    dataset d = {.rank = -1, .size = {0, 1}, .at = H5_NOWHERE};
    messages m = messages_of(s, header);
    for (message it; next(&m, &it);) {
        if (it.kind == H5_SPACE && it.size >= 8 && number(s, it.at, 1) == 1) {
            d.rank = (int)number(s, it.at + 1, 1);
            for (int k = 0; k < d.rank && k < 2 && it.size >= 16 + 8 * (uint64_t)k; ++k)
                d.size[k] = number(s, it.at + 8 + 8 * (uint64_t)k, 8);
        } else if (it.kind == H5_TYPE && it.size >= type_bytes)
            d.is_type = memcmp(s->bytes + it.at, of, type_bytes) == 0;
        else if (it.kind == H5_LAYOUT && it.size >= 18 && number(s, it.at, 1) == 3 && number(s, it.at + 1, 1) == 1)
            d.at = number(s, it.at + 2, 8), d.bytes = number(s, it.at + 10, 8);
    }
    return d;
}

static const char *type_words(char type)
{
    switch (type) {
    case 'd': return "64-bit reals";
    case 'q': return "64-bit integers";
    case 'i': return "32-bit integers";
    default: return "bytes";
    }
}

/// Finds the list and its count, once type and shape are right; `*data`: where its numbers begin.
static scree_status open_list(h5_source *s, const char *path, char type, int width, const char **data, int64_t *count)
{
    const uint64_t header = find(s, path), element = (uint64_t)width * h5_number_size(type);
    const dataset d = header == H5_NOWHERE ? (dataset){.rank = -1} : describe(s, header, type);
    if (d.rank < 0) return wrong(s, path, "there is nothing here, expected a list of numbers");
    if (!d.is_type) return wrong(s, path, "the type is wrong, expected %s", type_words(type));
    if (d.rank != (width > 1 ? 2 : 1) || d.size[1] != (uint64_t)width)
        return wrong(s, path, "the shape is wrong, expected a list of %d numbers each", width);
    if (d.size[0] > (uint64_t)s->file_size / element)
        return wrong(s, path, "%llu elements cannot be in a file of this size", (unsigned long long)d.size[0]);
    if (d.size[0] > 0 && (d.bytes != d.size[0] * element || !inside(s, d.at, d.bytes)))
        return wrong(s, path, "the numbers are not in one piece, as scree writes them");
    *data = d.size[0] > 0 ? s->bytes + d.at : NULL;
    *count = (int64_t)d.size[0];
    return SCREE_OK;
}

scree_status h5_count(h5_source *s, const char *path, char type, int width, int64_t *count)
{
    const char *data;
    return open_list(s, path, type, width, &data, count);
}

scree_status h5_read(h5_source *s, const h5_list *list)
{
    const char *from = NULL;
    int64_t count;
    scree_status status = open_list(s, list->path, list->type, list->width, &from, &count);
    if (status != SCREE_OK) return status;
    if (count != list->count)
        return wrong(s, list->path, "%lld elements are here, expected %lld", (long long)count, (long long)list->count);
    const size_t size = h5_number_size(list->type), element = (size_t)list->width * size;
    char *to = list->target;
    if (list->stride == element && count > 0) h5_copy_numbers(to, from, (size_t)count * (size_t)list->width, size);
    else
        for (int64_t k = 0; k < count; ++k)
            h5_copy_numbers(to + (size_t)k * list->stride, from + (size_t)k * element, (size_t)list->width, size);
    return SCREE_OK;
}
