/* lanes_table.c: the table of one width. Compiled once for each, with LANES_WIDTH, the name LANES_TABLE and its instruction set
 * (CMakeLists.txt). */
#include "lanes_table.h"

#include "math/lanes.h"

SCREE_HD lanes cross_of(lanes a, lanes b, lanes c, int k)
{
    lanes out[3];
    cross3((lanes[3]){a, b, c}, (lanes[3]){b, c, a}, out);
    return out[k];
}

SCREE_HD lanes cross_added(lanes a, lanes b, lanes c, int k)
{
    lanes out[3] = {a, b, c};
    add_cross3((lanes[3]){a, b, c}, (lanes[3]){b, c, a}, out);
    return out[k];
}

/// The number 1 in each lane whose bit is set; -1 in all, if there are bits of no lane.
SCREE_HD lanes lanes_of_bits(unsigned bits)
{
    LANES_ALIGNED double x[LANES_WIDTH];
    for (int l = 0; l < LANES_WIDTH; ++l) x[l] = bits >> LANES_WIDTH ? -1.0 : (double)(bits >> l & 1u);
    return get(x);
}

/// Bits of the lanes where a > b, and all the bits of no lane.
SCREE_HD unsigned bits_where(lanes a, lanes b)
{
    LANES_ALIGNED double x[LANES_WIDTH], y[LANES_WIDTH];
    unsigned bits = ~0u << LANES_WIDTH;
    put(x, a), put(y, b);
    for (int l = 0; l < LANES_WIDTH; ++l) bits |= (unsigned)(x[l] > y[l]) << l;
    return bits;
}

#define FUNCTION(name, result)                                                                                         \
    static void run_##name(int n, const double *p, const double *q, const double *r, double *out)                      \
    {                                                                                                                  \
        for (int i = 0; i < n; i += LANES_WIDTH) {                                                                     \
            lanes a = get(p + i), b = get(q + i), c = get(r + i);                                                      \
            (void)a, (void)b, (void)c;                                                                                 \
            put(out + i, result);                                                                                      \
        }                                                                                                              \
    }
LANES_ARITHMETIC(FUNCTION)
LANES_CHOICES(FUNCTION)

static void run(enum lanes_operation operation, int n, const double *a, const double *b, const double *c, double *out)
{
#define CASE(name, result)                                                                                             \
    case LANES_##name: run_##name(n, a, b, c, out); break;
    switch (operation) {
        LANES_ARITHMETIC(CASE)
        LANES_CHOICES(CASE)
    case LANES_CHOICES_BEGIN:
    case LANES_OPERATIONS: break;
    }
}

static int transposes(const double *numbers)
{
    LANES_ALIGNED double square[LANES_WIDTH][8];
    lanes in[LANES_WIDTH], out[LANES_WIDTH];
    int same = 1;
    for (int k = 0; k < LANES_WIDTH; ++k) {
        memcpy(square[k], numbers + LANES_WIDTH * k, LANES_WIDTH * sizeof(double));
        in[k] = get(square[k]);
    }
    transpose(in, out);
    for (int k = 0; k < LANES_WIDTH; ++k) {
        LANES_ALIGNED double line[LANES_WIDTH];
        put(line, out[k]);
        for (int l = 0; l < LANES_WIDTH; ++l) same &= line[l] == square[l][k];
    }
    return same;
}

const lanes_table LANES_TABLE = {LANES_WIDTH, run, transposes};
