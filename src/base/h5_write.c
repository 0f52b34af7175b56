/* h5_write.c: the bytes of an HDF5 file (h5.h). Section numbers are those of the format's specification.
 *
 *     superblock | root group, then group by group: its header with its links, its members | data of every list before its header
 *
 * The lists are sorted by path, so that a group is a run of them. The same functions go over them twice: first nothing is there to write
 * to, and what remains is the size; then into one block of that size. */
#include "base/h5.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LINKS_SIZE = 24, GROUP_SIZE = 8, FILL_SIZE = 8, LAYOUT_SIZE = 24, LINK_FIXED = 11 };

typedef struct cursor {
    char *bytes; /* NULL: sizes only */
    uint64_t size;
} cursor;

static uint64_t whole_words(uint64_t size)
{
    return (size + 7) & ~(uint64_t)7;
}

/// The next `size` bytes, all zero.
static uint64_t take(cursor *c, uint64_t size)
{
    const uint64_t at = c->size;
    c->size += whole_words(size);
    if (c->bytes) memset(c->bytes + at, 0, c->size - at);
    return at;
}

/// A number of `size` bytes.
static void put(cursor *c, uint64_t at, uint64_t value, int size)
{
    for (int k = 0; c->bytes && k < size; ++k) c->bytes[at + (uint64_t)k] = (char)(unsigned char)(value >> (8 * k));
}

static void put_bytes(cursor *c, uint64_t at, const void *bytes, size_t size)
{
    if (c->bytes) memcpy(c->bytes + at, bytes, size);
}

/* ---- object headers, IV.A.1.a ------------------------------------------------------------------------------------------------ */

/// A header with room for messages of `size` bytes in all, H5_MESSAGE for each included.
static uint64_t put_header(cursor *c, int messages, uint64_t size)
{
    const uint64_t at = take(c, H5_PREFIX + size);
    put(c, at, 1, 1); /* version                       */
    put(c, at + 2, (uint64_t)messages, 2);
    put(c, at + 4, 1, 4); /* one link refers to it         */
    put(c, at + 8, size, 4);
    return at;
}

/// Opens the message at `at` and steps over it; returns where its content begins.
static uint64_t put_message(cursor *c, uint64_t *at, int kind, uint64_t size)
{
    const uint64_t content = *at + H5_MESSAGE;
    put(c, *at, (uint64_t)kind, 2);
    put(c, *at + 2, whole_words(size), 2);
    *at = content + whole_words(size);
    return content;
}

/* ---- datasets ------------------------------------------------------------------------------------------------------------------ */

static uint64_t put_data(cursor *c, const h5_list *list)
{
    const size_t size = h5_number_size(list->type), element = (size_t)list->width * size;
    const uint64_t bytes = h5_list_bytes(list), at = c->size;
    if (bytes == 0) return H5_NOWHERE;
    c->size += whole_words(bytes);
    if (!c->bytes) return at;
    memset(c->bytes + c->size - 8, 0, 8);
    const char *from = list->data;
    if (list->stride == element) h5_copy_numbers(c->bytes + at, from, bytes / size, size);
    else
        for (int64_t k = 0; k < list->count; ++k)
            h5_copy_numbers(c->bytes + at + (uint64_t)k * element, from + (size_t)k * list->stride, (size_t)list->width,
                            size);
    return at;
}

static uint64_t put_dataset(cursor *c, const h5_list *list)
{
    const unsigned char *type;
    const int type_bytes = h5_type_message(list->type, &type), rank = list->type == 't' ? 0 : list->width > 1 ? 2 : 1;
    const uint64_t data = put_data(c, list), space_bytes = 8 + 8 * (uint64_t)rank;
    const uint64_t header =
        put_header(c, 4, 4 * H5_MESSAGE + space_bytes + whole_words((uint64_t)type_bytes) + FILL_SIZE + LAYOUT_SIZE);
    uint64_t at = header + H5_PREFIX;

    const uint64_t space = put_message(c, &at, H5_SPACE, space_bytes); /* IV.A.2.b, version 1 */
    put(c, space, 1, 1), put(c, space + 1, (uint64_t)rank, 1);
    if (rank > 0) put(c, space + 8, (uint64_t)list->count, 8);
    if (rank > 1) put(c, space + 16, (uint64_t)list->width, 8);

    const uint64_t of = put_message(c, &at, H5_TYPE, (uint64_t)type_bytes);
    put_bytes(c, of, type, (size_t)type_bytes);
    if (list->type == 't') put(c, of + 4, (uint64_t)list->count, 4);

    const uint64_t fill =
        put_message(c, &at, H5_FILL, FILL_SIZE); /* IV.A.2.f, version 2: late, if set, defined, of no bytes */
    put(c, fill, 2, 1), put(c, fill + 1, 2, 1), put(c, fill + 2, 2, 1), put(c, fill + 3, 1, 1);

    const uint64_t layout = put_message(c, &at, H5_LAYOUT, LAYOUT_SIZE); /* IV.A.2.i, version 3, contiguous */
    put(c, layout, 3, 1), put(c, layout + 1, 1, 1);
    put(c, layout + 2, data, 8), put(c, layout + 10, h5_list_bytes(list), 8);
    return header;
}

/* ---- groups -------------------------------------------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
    return strcmp((*(const h5_list *const *)a)->path, (*(const h5_list *const *)b)->path);
}

/// Length of the name of the first list's member in the group whose path is `prefix` bytes long; `*run`: lists that share it.
static size_t member(const h5_list *const *list, int count, size_t prefix, int *run)
{
    const char *name = list[0]->path + prefix;
    const size_t length = strcspn(name, "/");
    for (*run = 1; *run < count; ++*run) {
        const char *other = list[*run]->path + prefix;
        if (strncmp(name, other, length) != 0 || other[length] != name[length]) break;
    }
    SCREE_ASSERT(length <= 255);
    return length;
}

/// The group of these lists, whose paths agree in their first `prefix` bytes, slash included. Depth: the slashes of a path.
static uint64_t put_group(cursor *c, const h5_list *const *list, int count, size_t prefix)
{
    int links = 0, run;
    uint64_t size = 2 * H5_MESSAGE + LINKS_SIZE + GROUP_SIZE;
    if (count > 0 && list[0]->path[prefix] == '\0') ++list, --count; /* the group itself, sorted before its members */
    for (int k = 0; k < count; k += run, ++links)
        size += H5_MESSAGE + whole_words(LINK_FIXED + member(list + k, count - k, prefix, &run));
    const uint64_t header = put_header(c, 2 + links, size);
    uint64_t at = header + H5_PREFIX;

    const uint64_t info = put_message(c, &at, H5_LINKS, LINKS_SIZE); /* IV.A.2.c: in this header, not in a heap */
    put(c, info + 2, H5_NOWHERE, 8), put(c, info + 10, H5_NOWHERE, 8);
    const uint64_t form =
        put_message(c, &at, H5_GROUP, GROUP_SIZE); /* IV.A.2.k: so it stays, however many HDF5 may add */
    put(c, form + 1, 1, 1), put(c, form + 2, 0xffff, 2), put(c, form + 4, 0xfffe, 2);
    for (int k = 0; k < count; k += run) {
        const size_t length = member(list + k, count - k, prefix, &run);
        const int is_group = list[k]->path[prefix + length] == '/';
        SCREE_ASSERT(is_group || run == 1);
        const uint64_t to = is_group ? put_group(c, list + k, run, prefix + length + 1) : put_dataset(c, list[k]);
        const uint64_t link = put_message(c, &at, H5_LINK, LINK_FIXED + length); /* IV.A.2.g, version 1: a hard link */
        put(c, link, 1, 1), put(c, link + 2, length, 1);
        put_bytes(c, link + 3, list[k]->path + prefix, length);
        put(c, link + 3 + length, to, 8);
    }
    return header;
}

/// II.A, version 0; the root group's entry is its last part, III.C.
static void put_file(cursor *c, const h5_list *const *list, int count)
{
    const uint64_t at = take(c, H5_SUPERBLOCK);
    put_bytes(c, at, h5_signature, sizeof h5_signature);
    put(c, at + 13, 8, 1), put(c, at + 14, 8, 1);  /* bytes of an address, of a length     */
    put(c, at + 16, 4, 2), put(c, at + 18, 16, 2); /* of trees that are not here          */
    put(c, at + 32, H5_NOWHERE, 8), put(c, at + 48, H5_NOWHERE, 8);
    put(c, at + H5_ROOT_AT, put_group(c, list, count, 1), 8);
    put(c, at + 40, c->size, 8);
}

scree_status h5_image_make(const h5_list *list, int count, const scree_allocator *allocator, h5_image *image)
{
    *image = (h5_image){.allocator = memory_allocator(allocator)};
    const h5_list **sorted = memory_raw_array(&image->allocator, (size_t)count + 1, sizeof(const h5_list *));
    if (!sorted) return SCREE_ERR_MEMORY;
    for (int k = 0; k < count; ++k) sorted[k] = &list[k];
    qsort(sorted, (size_t)count, sizeof(const h5_list *), by_path);
    cursor c = {.bytes = NULL};
    put_file(&c, sorted, count);
    image->size = (size_t)c.size;
    image->bytes = memory_raw_array(&image->allocator, image->size + H5_TRAILER, 1);
    if (image->bytes) c = (cursor){.bytes = image->bytes}, put_file(&c, sorted, count);
    memory_free(&image->allocator, sorted);
    return image->bytes ? SCREE_OK : SCREE_ERR_MEMORY;
}

void h5_image_seal(h5_image *image)
{
    h5_trailer(image->bytes, image->size, (unsigned char *)image->bytes + image->size);
    image->size += H5_TRAILER;
}

void h5_image_free(h5_image *image)
{
    memory_free(&image->allocator, image->bytes);
    image->bytes = NULL, image->size = 0;
}
