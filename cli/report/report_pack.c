/* report_pack.c: numbers and texts as blocks of a report (report.h).
 *
 * Deflate finds runs and repeats of bytes, not of numbers. So a column goes in as planes: the lowest bytes of all its values, then the
 * second ones, as many planes as the largest value needs. Whole numbers come first as zigzag (0, -1, 1, -2, ...), so that small ones
 * of either sign have empty upper planes. A column is one byte, the number of planes, and then the planes. */
#include "cli/report/report.h"

#include "cli/cli.h"
#include "cli/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- blocks ---------------------------------------------------------------------------------------------------------------------- */

static char *base64(const unsigned char *bytes, size_t size)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = cli_memory((size + 2) / 3 * 4 + 1), *to = text;
    for (size_t k = 0; k < size; k += 3) {
        unsigned group = (unsigned)bytes[k] << 16;
        if (k + 1 < size) group |= (unsigned)bytes[k + 1] << 8;
        if (k + 2 < size) group |= bytes[k + 2];
        *to++ = digit[group >> 18];
        *to++ = digit[group >> 12 & 63];
        *to++ = k + 1 < size ? digit[group >> 6 & 63] : '=';
        *to++ = k + 2 < size ? digit[group & 63] : '=';
    }
    return text;
}

char *report_line(const void *bytes, size_t size)
{
    uLongf packed_size = compressBound((uLong)size);
    unsigned char *packed = cli_memory(packed_size);
    if (compress2(packed, &packed_size, bytes, (uLong)size, 6) != Z_OK)
        cli_no_memory(); /* nothing else can be missing */
    char *line = base64(packed, packed_size);
    free(packed);
    return line;
}

int report_block(report_blocks *blocks, const void *bytes, size_t size)
{
    if (blocks->count == blocks->capacity) {
        blocks->capacity = 2 * blocks->capacity + 64;
        blocks->line = cli_more_memory(blocks->line, (size_t)blocks->capacity * sizeof *blocks->line);
    }
    blocks->line[blocks->count] = report_line(bytes, size);
    blocks->size += strlen(blocks->line[blocks->count]) + 1;
    return ++blocks->count;
}

void report_blocks_cut(report_blocks *blocks, int number)
{
    while (blocks->count >= number) {
        char *line = blocks->line[--blocks->count];
        blocks->size -= strlen(line) + 1;
        free(line);
    }
}

/* ---- columns --------------------------------------------------------------------------------------------------------------------- */

/// Room for the number of planes and the planes themselves.
static unsigned char *grow(report_columns *c, int planes)
{
    size_t added = 1 + (size_t)planes * (size_t)c->count;
    if (c->size + added > c->capacity) {
        c->capacity = 2 * c->capacity + added;
        c->byte = cli_more_memory(c->byte, c->capacity);
    }
    unsigned char *at = c->byte + c->size;
    c->size += added;
    *at = (unsigned char)planes;
    return at + 1;
}

/// Differences wrap around like the sums in the page do.
static uint32_t zigzag(uint32_t x)
{
    return x << 1 ^ (x >> 31 ? UINT32_MAX : 0);
}

static void put_whole(report_columns *c, const int32_t *value, int running)
{
    uint32_t all = 0;
    for (int k = 0; k < c->count; ++k)
        all |= zigzag((uint32_t)value[k] - (running && k > 0 ? (uint32_t)value[k - 1] : 0));
    int planes = all >> 24 ? 4 : all >> 16 ? 3 : all >> 8 ? 2 : all ? 1 : 0;
    unsigned char *at = grow(c, planes);
    for (int p = 0; p < planes; ++p)
        for (int k = 0; k < c->count; ++k) {
            uint32_t x = zigzag((uint32_t)value[k] - (running && k > 0 ? (uint32_t)value[k - 1] : 0));
            *at++ = (unsigned char)(x >> 8 * p);
        }
}

void report_whole(report_columns *columns, const int32_t *value)
{
    put_whole(columns, value, 0);
}

void report_running(report_columns *columns, const int32_t *value)
{
    put_whole(columns, value, 1);
}

/// The bits of single precision, rounded to nearest in the last byte that is kept.
static uint32_t float_bits(double value, int planes)
{
    float narrow = isfinite(value) ? (float)fmax(fmin(value, 1e38), -1e38) : NAN;
    uint32_t bits, half = planes < 4 ? UINT32_C(0x80000000) >> 8 * planes : 0;
    memcpy(&bits, &narrow, sizeof bits);
    return isnan(narrow) ? bits : bits + half;
}

void report_real(report_columns *columns, const double *value, int planes)
{
    uint32_t all = 0;
    for (int k = 0; k < columns->count; ++k) all |= float_bits(value[k], planes) << 1; /* 0 of either sign */
    if (all >> (33 - 8 * planes) == 0) planes = 0;
    unsigned char *at = grow(columns, planes);
    for (int p = 0; p < planes; ++p)
        for (int k = 0; k < columns->count; ++k) *at++ = (unsigned char)(float_bits(value[k], planes) >> (24 - 8 * p));
}

int report_columns_block(report_columns *columns, report_blocks *blocks)
{
    int number = report_block(blocks, columns->byte, columns->size);
    free(columns->byte);
    *columns = (report_columns){.count = columns->count};
    return number;
}
