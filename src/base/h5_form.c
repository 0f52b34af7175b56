/* h5_form.c: what writing and reading HDF5 files have in common (h5.h). Section numbers are those of the format's specification. */
#include "base/h5.h"

#include "base/hash.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { MARK = 8, CHUNK = 1 << 16 }; /* bytes; the checksum is chained over chunks */
static const char mark[MARK] = {'s', 'c', 'r', 'e', 'e', ' ', 'h', '5'};

const unsigned char h5_signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* IV.A.2.d: version 1 and class, class bits, size; fixed point (class 0): bit offset, precision; floating point (1): these, then where the
 * exponent begins and its bits, where the mantissa begins and its bits, the bias; string (3): ends in a zero byte, ASCII. */
static const unsigned char type_real[] = {0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0};
static const unsigned char type_long[] = {0x10, 0x08, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0};
static const unsigned char type_int[] = {0x10, 0x08, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0};
static const unsigned char type_byte[] = {0x10, 0x00, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0};
static const unsigned char type_text[] = {0x13, 0x00, 0, 0, 0, 0, 0, 0};

int h5_type_message(char type, const unsigned char **bytes)
{
    switch (type) {
    case 'd': return *bytes = type_real, (int)sizeof type_real;
    case 'q': return *bytes = type_long, (int)sizeof type_long;
    case 'i': return *bytes = type_int, (int)sizeof type_int;
    case 'b': return *bytes = type_byte, (int)sizeof type_byte;
    default: return *bytes = type_text, (int)sizeof type_text;
    }
}

size_t h5_number_size(char type)
{
    return type == 'd' || type == 'q' ? 8 : type == 'i' ? 4 : 1;
}

void h5_copy_numbers(char *to, const char *from, size_t count, size_t size)
{
    static const int one = 1;
    if (*(const char *)&one == 1 || size == 1) {
        memcpy(to, from, count * size);
        return;
    }
    for (size_t k = 0; k < count; ++k)
        for (size_t b = 0; b < size; ++b) to[k * size + b] = from[k * size + size - 1 - b];
}

h5_list h5_constant(const char *path, char type, int width, int64_t count, const void *data)
{
    return (h5_list){path, type, width, count, (size_t)width * h5_number_size(type), data, NULL};
}

h5_list h5_packed(const char *path, char type, int width, int64_t count, void *data)
{
    h5_list list = h5_constant(path, type, width, count, data);
    list.target = data;
    return list;
}

size_t h5_list_bytes(const h5_list *list)
{
    return (size_t)list->count * (size_t)list->width * h5_number_size(list->type);
}

void h5_trailer(const char *bytes, size_t size, unsigned char trailer[H5_TRAILER])
{
    uint64_t sum = 0;
    for (size_t at = 0; at < size; at += CHUNK)
        sum = hash_bytes(sum, bytes + at, size - at < CHUNK ? size - at : CHUNK);
    memcpy(trailer, mark, MARK);
    for (int k = 0; k < 8; ++k) trailer[MARK + k] = (unsigned char)(sum >> (8 * k));
}

void h5_error(scree_error *error, const char *file, const char *path, const char *format, va_list arguments)
{
    scree_error place; /* of the sizes of an error */
    text_format(place.text, sizeof place.text, format, arguments);
    snprintf(place.file, sizeof place.file, "%s::%s", file, path);
    scree_error_set(error, place.file, 0, 0, "%s", place.text);
}
